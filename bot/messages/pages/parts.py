"""What many pages share: the buttons with their words, the small print on headlines, entries of a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from bot.clubs.model import Channel
from bot.messages.cut import cut, length
from bot.messages.model import Actions, Block, Button, ChannelRef, Entry, Message, Reader, Small, Text
from bot.messages.pages.lines import IN_LIST, authors_short, headline, joined, one_line, shown, topic
from bot.messages.words import Words
from bot.papers.model import Paper

MAX_ID = 100
MAX_SUMMARY = 100
MAX_BUTTON = 40
MAX_CHANNEL = 40
MOST_CHANNELS = 5


def message(reader: Reader, summary: str, *blocks: Block | None) -> Message:
    """A message in the reader's language of the blocks that are there."""
    shown = tuple(block for block in blocks if block is not None)
    return Message(cut(summary, MAX_SUMMARY), shown, reader.language, reader.zone)


def more_button(words: Words, paper: Paper, *, first: bool = False) -> Button:
    """Read more: the whole abstract, privately."""
    return Button(
        f"more:{paper.public_id}",
        words.line("Read more"),
        "first" if first else "plain",
        spoken=paper.public_id,
    )


def read_button(words: Words, paper: Paper, *, quiet: bool = False) -> Button:
    """Read, beside an entry of a list; spoken with the paper's id. `quiet`: the page is for more than reading."""
    kind: Literal["quiet", "plain"] = "quiet" if quiet else "plain"
    return Button(f"more:{paper.public_id}", words.line("Read"), kind, spoken=paper.public_id)


def nominate_button(words: Words, paper: Paper, *, first: bool = False) -> Button:
    """Nominate this paper for the weekly vote."""
    return Button(f"nominate:{paper.public_id}", words.line("Nominate"), "first" if first else "plain")


def save_button(words: Words, paper: Paper, saved: bool, how: str = "") -> Button:
    """Save, or Saved: pressing again takes it off the reader's own list. `how` the paper came ends the id."""
    text = words.line("Saved") if saved else words.line("Save")
    return Button(f"save:{paper.public_id}:{how}" if how else f"save:{paper.public_id}", text, pressed=saved)


def similar_button(words: Words, paper: Paper) -> Button:
    """Papers close to this one."""
    return Button(f"similar:{paper.public_id}", words.line("Similar"))


def side_name(words: Words, platform: str) -> str:
    """A platform as people call it."""
    return {"discord": "Discord", "slack": "Slack"}.get(platform) or words.line("the preview")


def channels_text(words: Words, channels: Sequence[Channel]) -> Text:
    """The channels of a club, at most five, each linked where the platform can.

    On several platforms each is told by its name and platform: no platform can link another’s channel.
    """
    if len({each.platform for each in channels}) > 1:
        told = [
            words.line(
                "{channel} on {platform}",
                channel=f"#{cut(one_line(each.name), MAX_CHANNEL)}",
                platform=side_name(words, each.platform),
            )
            if each.name
            else side_name(words, each.platform)
            for each in channels[:MOST_CHANNELS]
        ]
        return (words.all_of(told),)
    refs = [
        ChannelRef(each.native_id, cut(one_line(each.name), MAX_CHANNEL) if each.name else "")
        for each in channels[:MOST_CHANNELS]
    ]
    if len(refs) < 2:
        return tuple(refs)
    comma = words.line(", ")
    items = [part for ref in refs[:-1] for part in (comma, ref)][1:]
    return words.say("{items} and {last}", items=tuple(items), last=refs[-1])


def topics_button(words: Words) -> Button:
    """The list of areas."""
    return Button("topics", words.line("Browse topics"))


def starter_actions(words: Words, papers: int, *, without: bool = True, tail: str = "") -> Actions:
    """What a club can start with: all papers, some topics, or with `without` none yet.

    `papers` are those it can see already; with 0 they are the starter catalogue's. `tail` (':7') ends the ids
    where the club must be named, since it stands in another channel.
    """
    if papers:
        every = words.count_line("The {n} paper", "All {n} papers", papers)
    else:
        every = words.line("The starter catalogue")
    topics = words.line("Only some topics")
    buttons = (Button(f"starter:all{tail}", every, "first"), Button(f"starter-form{tail}", topics))
    return Actions(
        (*buttons, Button(f"starter:none{tail}", words.line("No papers yet"))) if without else buttons
    )


def pager(words: Words, prefix: str, page: int, pages: int, tail: str = "") -> Actions | None:
    """Previous, Next and 'Page 2 of 2', ids `prefix:PAGE` and the tail; None when all stand on one page."""
    if pages <= 1:
        return None
    ids = [f"{prefix}:{number}{tail}" for number in (page - 1, page + 1)]
    return Actions(
        (
            Button(ids[0], words.line("Previous"), disabled=page <= 1),
            Button(ids[1], words.line("Next"), disabled=page >= pages),
        ),
        end=words.line("Page {p} of {n}", p=page, n=pages),
    )


def fits_id(action_id: str) -> bool:
    """Whether an action id keeps to the length every platform takes."""
    return length(action_id) <= MAX_ID


def headline_note(words: Words, papers: Iterable[Paper], *, many: bool = True) -> str:
    """The small print on stand-ins among `papers`; '' when every one has its title."""
    if all(paper.title is not None or paper.headline is None for paper in papers):
        return ""
    if many:
        return words.line("Headlines in italics are taken from the abstracts; this listing gives no titles.")
    return words.line("The listing gives no title; the headline is taken from the abstract.")


def small(words: Words, *sentences: str | Text, paper: Paper | None = None) -> Small | None:
    """Small print of the sentences that are there; None when there is nothing to say."""
    text = words.run_on(*sentences)
    if not text and paper is None:
        return None
    return Small(text, paper.public_id if paper is not None else "")


def paper_entry(words: Words, paper: Paper, *, limit: int = IN_LIST, number: int | None = None) -> Entry:
    """A paper in a list: headline, topic and authors, Read."""
    return Entry(
        shown(paper, words, limit),
        (joined(topic(paper, words), authors_short(paper, words)),),
        number,
        buttons=(read_button(words, paper),),
        paper=paper.public_id,
    )


def titles(words: Words, papers: Sequence[Paper]) -> str:
    """Headlines one after the other, for summaries."""
    return "; ".join(headline(paper, words) for paper in papers)
