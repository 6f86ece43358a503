"""A member's own ballot, privately: the form, what was counted, what it says now, a press too late."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

from bot.messages.model import (
    Actions,
    Button,
    ChoiceField,
    Entries,
    Entry,
    Fault,
    Form,
    Heading,
    Message,
    Paragraph,
    Reader,
    Text,
    When,
)
from bot.messages.pages.lines import IN_LIST, IN_LONG_VOTE, shown
from bot.messages.pages.parts import headline_note, message, small
from bot.messages.pages.rounds import MOST_BUTTONS, option
from bot.messages.words import Words, words_for
from bot.rounds.model import Ballot, Candidate, Round

PAPERS = "papers"
"""The ballot form's only field; its values are public paper ids, none of them for a blank ballot."""


def ballot_form(reader: Reader, vote: Round, ballot: Ballot) -> Form:
    """The secret ballot with the member's present one filled in; nothing is ticked on a first one."""
    words = words_for(reader.language)
    chosen = ballot.positions or ()
    return Form(
        f"ballot:{vote.id}",
        words.line("Your ballot: which would you read?"),
        words.line("Count my ballot"),
        (
            ChoiceField(
                PAPERS,
                words.line("Which of these would you read?"),
                tuple(option(words, each, chosen=each.position in chosen) for each in _standing(vote)),
                several=True,
                hint=words.line("Tick as many as you like, or none to be counted as present without a wish."),
                required=False,
            ),
        ),
        cancel=words.line("Cancel"),
        small=_privacy(words, vote),
        language=reader.language,
    )


def readback_page(
    reader: Reader,
    vote: Round,
    ballot: Ballot,
    dropped: Sequence[int] = (),
    doubled: Sequence[int] = (),
    remind: bool | None = None,
) -> Message:
    """What was just stored; made only after it was.

    `dropped` and `doubled` are positions of papers that were named, but withdrawn, or named again lower down.
    `remind`: whether the member gets private reminders; None offers none.
    """
    words = words_for(reader.language)
    chosen = _chosen(vote, ballot)
    if chosen:
        text = words.say("Counted. You would read: {papers}.", papers=numbers(words, chosen))
    else:
        text = words.say("Counted as present, without a wish.")
    return _ballot(reader, words, vote, text, chosen)


def my_ballot_page(
    reader: Reader, vote: Round, ballot: Ballot, paid: Fraction | None = None, remind: bool | None = None
) -> Message:
    """What the member's ballot says, in an open round or an old one.

    `paid`: in fair turns, what they have paid this season, in papers; `remind`: as in `readback_page`.
    """
    words = words_for(reader.language)
    if ballot.positions is None:
        return _not_voted(reader, words, vote)
    chosen = _chosen(vote, ballot)
    if chosen:
        text = words.say("You would read: {papers}.", papers=numbers(words, chosen))
    else:
        text = words.say("You are counted as present, without a wish.")
    return _ballot(reader, words, vote, text, chosen)


def ballot_withdrawn_page(reader: Reader, vote: Round) -> Message:
    """The member took their ballot back."""
    words = words_for(reader.language)
    text = words.say(
        "Withdrawn, as if you had not voted. You can vote again until {when}.", when=When(vote.closes_at)
    )
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Actions((Button(f"vote:{vote.id}", words.line("Vote / change my vote"), "first"),)),
    )


def late_page(reader: Reader, vote: Round, pressed_at: datetime, ballot: Ballot) -> Message:
    """A press after closing: not counted, and what stands instead."""
    words = words_for(reader.language)
    closed, came = When(vote.closed_at or vote.closes_at), When(pressed_at, "time")
    if ballot.positions is None:
        what, rest = words.sentences(
            "This vote closed on {when}. Your press came at {time} and was not counted. "
            "You had not voted before closing.",
            when=closed,
            time=came,
        )
    else:
        chosen = _chosen(vote, ballot)
        what, rest = words.sentences(
            "This vote closed on {when}. Your press came at {time} and was not counted. "
            "Your last ballot before closing stands: {papers}.",
            when=closed,
            time=came,
            papers=numbers(words, chosen) if chosen else words.line("present, without a wish"),
        )
    return message(
        reader,
        words.plain(what, reader.zone, reader.now),
        Fault(what),
        Paragraph(rest),
        _see_result(words, vote),
    )


def numbers(words: Words, candidates: Sequence[Candidate]) -> str:
    """'paper 2', 'papers 2 and 3'."""
    listed = words.all_of([str(each.position) for each in candidates])
    return words.count_line("paper {numbers}", "papers {numbers}", len(candidates), numbers=listed)


def _ballot(reader: Reader, words: Words, vote: Round, text: Text, chosen: Sequence[Candidate]) -> Message:
    is_open = vote.state == "voting" and reader.now < vote.closes_at
    limit = IN_LIST if len(chosen) <= MOST_BUTTONS else IN_LONG_VOTE
    entries = tuple(Entry(shown(each.paper, words, limit), number=each.position) for each in chosen)
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Entries(entries) if entries else None,
        Paragraph(_until(words, vote)) if is_open else None,
        _own_buttons(words, vote) if is_open else _see_result(words, vote),
        small(words, headline_note(words, [each.paper for each in chosen])),
    )


def _not_voted(reader: Reader, words: Words, vote: Round) -> Message:
    text = words.line("You have not voted in this round.")
    is_open = vote.state == "voting" and reader.now < vote.closes_at
    closes = words.say("Closes {when}", when=When(vote.closes_at))
    button = Button(f"vote:{vote.id}", words.line("Vote / change my vote"), "first")
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(closes, muted=True) if is_open else None,
        Actions((button,)) if is_open else _see_result(words, vote),
    )


def _own_buttons(words: Words, vote: Round) -> Actions:
    return Actions(
        (
            Button(f"vote:{vote.id}", words.line("Change my vote")),
            Button(f"retract:{vote.id}", words.line("Withdraw my ballot"), "warn"),
        )
    )


def _see_result(words: Words, vote: Round) -> Actions | None:
    """The way to the result, once it stands."""
    if vote.state == "voting":
        return None
    return Actions((Button(f"result:{vote.id}", words.line("See the result")),))


def _until(words: Words, vote: Round) -> Text:
    return words.say(
        "You can change or withdraw this until {when}. Your last ballot counts.", when=When(vote.closes_at)
    )


def _privacy(words: Words, vote: Round) -> Text:
    return words.say(
        "No member sees your ballot. Everybody sees the totals after {when}. "
        "Whoever runs the bot could read it in the database.",
        when=When(vote.closes_at),
    )


def _standing(vote: Round) -> list[Candidate]:
    return [each for each in vote.candidates if not each.withdrawn]


def _chosen(vote: Round, ballot: Ballot) -> list[Candidate]:
    return [each for each in _standing(vote) if each.position in (ballot.positions or ())]
