"""Nominating: what is on the list, what a press did, the form for a link that is not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Literal

from bot.errors import UserError
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Button,
    Code,
    Entries,
    Entry,
    Form,
    Heading,
    Message,
    Paragraph,
    Reader,
    Text,
    TextField,
    When,
)
from bot.messages.pages.faults import fault_page, field_fault
from bot.messages.pages.lines import (
    IN_LIST,
    IN_OPTION,
    headline_line,
    joined,
    member_name,
    one_line,
    shown,
    topic,
)
from bot.messages.pages.parts import headline_note, message, pager, read_button, small, topics_button
from bot.messages.weigh import first_that_fits
from bot.messages.words import Words, words_for
from bot.papers.model import Paper
from bot.rounds.model import MAX_REASON, Nomination

PER_PAGE = 10
REASON = 160


def nominated_page(
    reader: Reader,
    nomination: Nomination,
    *,
    opens_at: datetime | None,
    left: int,
    limit: int,
    read_at: datetime | None = None,
) -> Message:
    """A nomination just made. `opens_at`: the next opening, if one is known.

    `read_at`: the meeting that was about this paper, if the club has read it.
    """
    words = words_for(reader.language)
    name = headline_line(nomination.paper, words)
    if opens_at is None:
        done = words.say("Nominated: {headline}.", headline=name)
    else:
        done = words.say("Nominated: {headline}. The vote opens {when}.", headline=name, when=When(opens_at))
    if read_at is not None:
        done = words.run_on(done, words.say("The club read it on {date}.", date=When(read_at, "date")))
    return _answer(reader, words, done, (_left(words, left, limit),), _withdraw_button(words, nomination))


def backed_page(reader: Reader, nomination: Nomination) -> Message:
    """Another member's nomination, which the reader now backs."""
    words = words_for(reader.language)
    text = words.say(
        "{headline} is nominated already, by {member}. You now back it too.",
        headline=headline_line(nomination.paper, words),
        member=member_name(words, nomination.member, 300),
    )
    return _answer(reader, words, text)


def nominated_again_page(reader: Reader, nomination: Nomination) -> Message:
    """The reader's own nomination, or one they back already: nothing changed."""
    words = words_for(reader.language)
    name = headline_line(nomination.paper, words)
    if nomination.member_id == reader.member:
        text = words.say("You have nominated {headline} already; it stays on the list.", headline=name)
        return _answer(reader, words, text, (), _withdraw_button(words, nomination))
    return _answer(
        reader, words, words.say("You back {headline} already; it stays on the list.", headline=name)
    )


def withdrawn_nomination_page(
    reader: Reader,
    paper: Paper,
    how: Literal["withdrawn", "handed_over", "unbacked", "removed"] = "withdrawn",
    member: str = "",
    closes_at: datetime | None = None,
) -> Message:
    """The reader took their nomination or their backing back; `member` nominates the paper now, if any.

    `closes_at`: when the open vote closes now, where this moved it.
    """
    words = words_for(reader.language)
    name, now_of = headline_line(paper, words), member_name(words, member)
    match how:
        case "withdrawn" | "removed":
            text = words.say("Withdrawn: {headline}.", headline=name)
        case "handed_over":
            text = words.say(
                "Withdrawn. {headline} stays on the list, since {member} backs it.",
                headline=name,
                member=now_of,
            )
        case "unbacked":
            text = words.say(
                "You no longer back {headline}, which {member} nominated.", headline=name, member=now_of
            )
    return _answer(reader, words, text, _closes_later(words, closes_at))


def _closes_later(words: Words, closes_at: datetime | None) -> Text:
    """That members have more time, since a paper left the open vote."""
    return words.say("The vote now closes {when}.", when=When(closes_at)) if closes_at is not None else ()


def removed_page(
    reader: Reader, nomination: Nomination, reason: str = "", closes_at: datetime | None = None
) -> Message:
    """An organiser took a nomination off the list; `closes_at`: when the open vote closes now, where this moved it."""
    words = words_for(reader.language)
    text = words.say(
        "Removed from the list: {headline}, nominated by {member}.",
        headline=headline_line(nomination.paper, words),
        member=member_name(words, nomination.member, 300),
    )
    why = words.say("Reason: {reason}", reason=one_line(reason)) if reason.strip() else ()
    return _answer(reader, words, text, words.run_on(why, _closes_later(words, closes_at)))


def nominations_page(
    reader: Reader,
    nominations: Sequence[Nomination],
    *,
    opens_at: datetime | None,
    left: int,
    limit: int,
    page: int = 1,
    today: Paper | None = None,
    ties: str = "age",
) -> Message:
    """The club's list, oldest first. `nominations` is all of it; `today`: the paper of the day, if any.

    `ties`: what breaks a tie first in this club; where it is age, the order is good for that.
    """
    words = words_for(reader.language)
    if not nominations:
        return _empty(reader, words, opens_at, today)
    pages = -(-len(nominations) // PER_PAGE)
    page = min(max(page, 1), pages)
    start = (page - 1) * PER_PAGE
    here = nominations[start : start + PER_PAGE]
    what, until = _list_heading(words, len(nominations), opens_at)
    order = words.line("In order of nomination.")
    if ties == "age":
        order = words.line(
            "In order of nomination. Of papers with equal votes, the one nominated first wins."
        )

    nominate = Button("nominate-form:new", words.line("Nominate a paper"), "first")
    turns = pager(words, "nominations", page, pages)
    end = (words.line("Page {p} of {n}", p=page, n=pages),) if turns else ()

    def draw(headline: int, reason: int, names: bool) -> Message:
        entries = (
            _entry(reader, words, n, item, headline, reason, names) for n, item in enumerate(here, start + 1)
        )
        return message(
            reader,
            words.plain(words.run_on(what, until), reader.zone, reader.now),
            Heading(what),
            Paragraph(until, muted=True) if until else None,
            Entries(tuple(entries)),
            Actions(
                (nominate, *(turns.items if turns else ())), end=" · ".join((*end, _left(words, left, limit)))
            ),
            small(words, order, headline_note(words, [item.paper for item in here])),
        )

    lengths = (
        (IN_LIST, REASON, True),
        (IN_LIST, 80, True),
        (IN_LIST, 80, False),
        (IN_LIST, 0, False),
        (IN_OPTION, 0, False),
    )
    return first_that_fits(*(partial(draw, *each) for each in lengths))


def unknown_link_page(reader: Reader, link: str, draft: str) -> Message:
    """A link the catalogue does not know: its title is asked for. `draft`: where what was typed is kept."""
    words = words_for(reader.language)
    text = words.line("This link is not in the catalogue yet. With a title it can be nominated.")
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph((Code(cut(one_line(link), 300)),)),
        Paragraph(
            (words.line("The paper goes on your club’s own shelf. Nothing is fetched from the address."),),
            muted=True,
        ),
        Actions((Button(f"nominate-form:{draft}", words.line("Give the title"), "first"),)),
    )


def refused_page(reader: Reader, error: UserError, draft: str) -> Message:
    """A form that a limit refused: why, and a button that opens it again as it was typed (`draft`)."""
    words = words_for(reader.language)
    again = Button(f"nominate-form:{draft}", words.line("Open the form again"), "first")
    kept = Paragraph(words.say("What you typed is kept for a week."), muted=True)
    page = fault_page(reader, error)
    said = [block for block in page.blocks if not isinstance(block, Actions)]
    others = [item for block in page.blocks if isinstance(block, Actions) for item in block.items]
    return message(reader, page.summary, *said, kept, Actions((again, *others)))


def nominate_form(
    reader: Reader,
    values: Mapping[str, str] | None = None,
    faults: Mapping[str, UserError | str] | None = None,
    draft: str = "",
) -> Form:
    """Nominate by id or link. `values` and `faults` by field: paper, title, authors, reason."""
    words = words_for(reader.language)
    given, wrong = values or {}, faults or {}

    def field(
        name: str, label: str, hint: str, length: int, *, needed: bool = False, long: bool = False
    ) -> TextField:
        return TextField(
            name,
            label,
            given.get(name, ""),
            hint,
            field_fault(reader, wrong.get(name, "")),
            long,
            needed,
            max_length=length,
        )

    return Form(
        f"propose:{draft}" if draft else "propose",
        words.line("Nominate a paper"),
        words.line("Nominate"),
        (
            field(
                "paper", words.line("Id or link"), words.line("Such as p57, or an address"), 500, needed=True
            ),
            field(
                "title", words.line("Title"), words.line("Only for a link that is not in the catalogue"), 300
            ),
            field("authors", words.line("Authors"), words.line("Parted by commas; may stay empty"), 500),
            field(
                "reason",
                words.line("Why the club should read it"),
                words.line("May stay empty; everybody sees it"),
                MAX_REASON,
                long=True,
            ),
        ),
        cancel=words.line("Cancel"),
        language=reader.language,
    )


def _answer(reader: Reader, words: Words, text: Text, more: Text = (), *buttons: Button) -> Message:
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Paragraph(more, muted=True) if more else None,
        Actions((Button("nominations", words.line("See the list")), *buttons)),
    )


def _withdraw_button(words: Words, nomination: Nomination) -> Button:
    return Button(
        f"withdraw:{nomination.id}", words.line("Withdraw"), "warn", spoken=nomination.paper.public_id
    )


def _left(words: Words, left: int, limit: int) -> str:
    return words.line("You have {k} of {n} nominations left", k=left, n=limit)


def _list_heading(words: Words, n: int, opens_at: datetime | None) -> tuple[Text, Text]:
    if opens_at is None:
        return words.count("{n} paper nominated", "{n} papers nominated", n), ()
    return words.count_sentences(
        "{n} paper nominated. The list is frozen {when}, when the vote opens.",
        "{n} papers nominated. The list is frozen {when}, when the vote opens.",
        n,
        when=When(opens_at),
    )


def _entry(
    reader: Reader, words: Words, number: int, nomination: Nomination, headline: int, reason: int, names: bool
) -> Entry:
    own = nomination.member_id == reader.member
    by = words.say(
        "{member}, {when}", member=member_name(words, nomination.member), when=When(nomination.created_at)
    )
    return Entry(
        shown(nomination.paper, words, headline),
        ((topic(nomination.paper, words),), joined(by, _backers(words, nomination, names))),
        number,
        quote=cut(one_line(nomination.reason), reason) if reason else "",
        buttons=(
            _withdraw_button(words, nomination) if own else read_button(words, nomination.paper, quiet=True),
        ),
        paper=nomination.paper.public_id,
    )


def _backers(words: Words, nomination: Nomination, names: bool) -> str:
    backers = [member_name(words, name) for name in nomination.backers]
    if not backers:
        return ""
    if names and len(backers) <= 5:
        return words.line("also backed by {names}", names=words.all_of(backers))
    return words.count_line("also backed by {n} member", "also backed by {n} members", len(backers))


def _empty(reader: Reader, words: Words, opens_at: datetime | None, today: Paper | None) -> Message:
    what, how = words.sentences(
        "Nothing is nominated yet. Press Nominate under any paper, or write /paper nominate p57."
    )
    when: Text = ()
    if opens_at is not None:
        when = words.say("The vote opens {when}, if there is at least one paper.", when=When(opens_at))
    first = Button("nominate-form:new", words.line("Nominate a paper"), "first")
    if today is not None:
        first = Button(f"nominate:{today.public_id}", words.line("Nominate the paper of the day"), "first")
    return message(
        reader,
        words.line("Nothing is nominated yet. Press Nominate under any paper, or write /paper nominate p57."),
        Heading(what),
        Paragraph(words.run_on(how, when)),
        Actions((first, topics_button(words))),
    )
