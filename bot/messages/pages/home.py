"""What one person has to do with the club, at a glance: today's paper, their ballot, their papers, what is due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from bot.clubs.model import Club
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Block,
    Button,
    Divider,
    Entries,
    Fact,
    Facts,
    Heading,
    Message,
    Paragraph,
    Reader,
    Strong,
    When,
)
from bot.messages.pages.ballots import ballot_sentence
from bot.messages.pages.lines import IN_LIST, authors_short, joined, one_line, shown, topic
from bot.messages.pages.parts import (
    headline_note,
    message,
    more_button,
    nominate_button,
    paper_entry,
    small,
    topics_button,
)
from bot.messages.weigh import first_that_fits
from bot.messages.words import Words, words_for
from bot.papers.model import Paper
from bot.rounds.model import Ballot, Round

MOST_SAVED = 3
NAME = 75


@dataclass(frozen=True, slots=True)
class Due:
    """One thing the week brings: its name, where it stands, and when, in the reader's words."""

    label: str
    state: str
    when: str


@dataclass(frozen=True, slots=True)
class Today:
    """The last paper that was posted, and the local day it was scheduled for."""

    paper: Paper
    day: date


def home_page(
    reader: Reader,
    club: Club,
    today: Today | None,
    vote: Round | None,
    ballot: Ballot,
    saved: Sequence[Paper],
    due: Sequence[Due],
    *,
    several: bool = False,
) -> Message:
    """The reader's own page. `vote` is the one now open; `saved` are all of their papers, last saved first.

    `several`: another club could be meant, and can be chosen.
    """
    words = words_for(reader.language)
    name = cut(one_line(club.name), NAME)
    last: list[Button] = [topics_button(words), Button("help", words.line("Help"))]
    if several:
        last.append(Button("home:other", words.line("Another club")))

    def page(most: int) -> Message:
        listed = saved[:most]
        return message(
            reader,
            name,
            Heading((name,)),
            *_today(words, reader, today, first=vote is None),
            Divider(),
            *_ballot(words, vote, ballot),
            Divider(),
            *_saved(words, listed, len(saved)),
            Divider(),
            Heading((words.line("What is due"),), "section"),
            Facts(tuple(Fact(each.label, (each.state,), (each.when,) if each.when else ()) for each in due)),
            Actions(tuple(last)),
            small(words, headline_note(words, [*([today.paper] if today else []), *listed])),
        )

    return first_that_fits(*(partial(page, most) for most in range(MOST_SAVED, 0, -1)))


def _today(words: Words, reader: Reader, today: Today | None, *, first: bool) -> tuple[Block, ...]:
    """`first`: nothing on the page comes before reading, such as a vote that is open."""
    if today is None:
        none = Paragraph((words.line("No paper has been posted yet."),), muted=True)
        return (Heading((words.line("Today’s paper"),), "section"), none)
    paper = today.paper
    heading = words.line("Today’s paper · {date}", date=words.date(today.day, now=reader.now))
    return (
        Heading((heading,), "section"),
        Paragraph((*shown(paper, words, IN_LIST).name, *shown(paper, words, IN_LIST).rest)),
        Paragraph(joined((Strong(topic(paper, words)),), authors_short(paper, words), paper.public_id)),
        Actions((more_button(words, paper, first=first), nominate_button(words, paper))),
    )


def _ballot(words: Words, vote: Round | None, ballot: Ballot) -> tuple[Block, ...]:
    heading = Heading((words.line("My ballot"),), "section")
    if vote is None:
        none = Paragraph((words.line("No vote is open."),), muted=True)
        return (heading, none, Actions((Button("nominations", words.line("See the list")),)))
    buttons = [Button(f"vote:{vote.id}", words.line("Vote / change my vote"), "first")]
    if ballot.positions is not None:
        buttons.append(Button(f"mine:{vote.id}", words.line("My ballot")))
    return (
        heading,
        Paragraph(ballot_sentence(words, vote, ballot)),
        Paragraph(words.say("Closes {when}", when=When(vote.closes_at)), muted=True),
        Actions(tuple(buttons)),
    )


def _saved(words: Words, listed: Sequence[Paper], total: int) -> tuple[Block, ...]:
    if not total:
        what = words.line("You have saved nothing yet. Press Save under any paper.")
        return (Heading((words.line("My saved papers"),), "section"), Paragraph((what,), muted=True))
    heading = words.count_line("{n} saved paper", "{n} saved papers", total)
    entries = Entries(tuple(paper_entry(words, paper) for paper in listed))
    rest = Actions((Button("saved", words.line("All saved papers")),)) if total > len(listed) else None
    return (Heading((heading,), "section"), entries, *([rest] if rest else []))
