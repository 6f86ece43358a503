"""A member's own ballot, privately: the form, what was counted, what it says now, a press too late."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction

from bot.messages.model import (
    Actions,
    Button,
    ChoiceField,
    Code,
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
from bot.messages.pages.reminders import remind_button
from bot.messages.pages.rounds import MOST_BUTTONS, option
from bot.messages.pages.rules import RANKED, question
from bot.messages.words import N_, Words, words_for
from bot.rounds.model import DEPTH, Ballot, Candidate, Round

PAPERS = "papers"
"""The only field of a ballot that is ticked; its values are public paper ids, none of them for a blank ballot."""
CHOICES = tuple(f"choice{place}" for place in range(1, DEPTH + 1))
"""The fields of a ranked ballot, first choice first; each a public paper id, or '' for none."""
DELETED = timedelta(days=90)
"""After closing, so long is kept whose ballot is whose."""
_FEW = N_("Fewer than five ballots: only the totals are published; with one or two, only the winner.")
_PLACES = (
    N_("First choice"),
    N_("Second choice"),
    N_("Third choice"),
    N_("Fourth choice"),
    N_("Fifth choice"),
)


def ballot_form(reader: Reader, vote: Round, ballot: Ballot) -> Form:
    """The ballot with the member's present one filled in; nothing is chosen on a first one.

    Who can see it stands below; of five menus in their hints, since a dialog has room for nothing else beside them.
    """
    words = words_for(reader.language)
    chosen = ballot.positions or ()
    ranked = vote.method in RANKED
    return Form(
        f"ballot:{vote.id}",
        words.line("Your ballot: which would you read first?")
        if ranked
        else words.line("Your ballot: which would you read?"),
        words.line("Count my ballot"),
        _ranked_fields(words, vote, chosen) if ranked else (_ticked_field(words, vote, chosen),),
        cancel=words.line("Cancel"),
        small=() if ranked and _is_full(vote) else _privacy(words, vote),
        language=reader.language,
        zone=reader.zone,
    )


def _ticked_field(words: Words, vote: Round, chosen: Sequence[int]) -> ChoiceField:
    """Any number of papers, or in plurality one of them."""
    one = vote.method == "plurality"
    return ChoiceField(
        PAPERS,
        question(words, vote),
        tuple(option(words, each, chosen=each.position in chosen) for each in _standing(vote)),
        several=not one,
        hint=words.line("Choose one paper, or none to be counted as present without a wish.")
        if one
        else words.line("Tick as many as you like, or none to be counted as present without a wish."),
        required=False,
        none=words.line("No wish, only present") if one else "",
    )


def _ranked_fields(words: Words, vote: Round, chosen: Sequence[int]) -> tuple[ChoiceField, ...]:
    """A menu a place."""
    standing = _standing(vote)
    places = [position for position in chosen if position in {each.position for each in standing}]
    if not _is_full(vote):
        hints = [words.line("All empty: present, without a wish.")]
    elif vote.rules.secrecy == "open":
        hints = [
            words.line(
                "All empty: present, without a wish. After closing, everybody sees who voted for what."
            ),
            words.line("Until then, whoever runs the bot could read it."),
        ]
    else:
        hints = [
            words.line(
                "All empty: present, without a wish. No member sees this; whoever runs the bot could."
            ),
            words.line("After closing, everybody sees the totals."),
            words.line(_FEW),
        ]
    return tuple(
        ChoiceField(
            name,
            words.line(label),
            tuple(
                option(words, each, chosen=places[place : place + 1] == [each.position]) for each in standing
            ),
            hint=hints[place] if place < len(hints) else "",
            required=False,
            menu=True,
            none=words.line("No choice"),
        )
        for place, (name, label) in enumerate(zip(CHOICES, _PLACES, strict=True))
        if place < len(standing)
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
    if not chosen:
        text = words.say("Counted as present, without a wish.")
    elif vote.method in RANKED:
        text = words.run_on(words.say("Counted."), _ranking(words, vote, chosen))
    else:
        text = words.say("Counted. You would read: {papers}.", papers=numbers(words, chosen))
    won = [each.position for each in vote.candidates if each.chosen]
    lost = [
        words.say("Paper {n} was chosen in an earlier vote and does not count.", n=each)
        if each in won
        else words.say("Paper {n} was withdrawn and does not count.", n=each)
        for each in dropped
    ]
    lost += [words.say("Paper {n} was ranked twice; its higher place counts.", n=each) for each in doubled]
    return _ballot(reader, words, vote, ballot, text, (words.run_on(*lost),), remind)


def my_ballot_page(
    reader: Reader, vote: Round, ballot: Ballot, paid: Fraction | None = None, remind: bool | None = None
) -> Message:
    """What the member's ballot says, in an open round or an old one.

    `paid`: in fair turns, what they have paid this season, in papers; `remind`: as in `readback_page`.
    """
    words = words_for(reader.language)
    if ballot.positions is None:
        return _not_voted(reader, words, vote, paid, remind)
    return _ballot(
        reader, words, vote, ballot, ballot_sentence(words, vote, ballot), (_paid(words, paid),), remind
    )


def ballot_sentence(words: Words, vote: Round, ballot: Ballot) -> Text:
    """What a member's ballot says, by numbers: 'You would read: papers 1 and 3.', 'First paper 2, then paper 1.'"""
    if ballot.positions is None:
        return words.say("You have not voted in this round.")
    chosen = _chosen(vote, ballot)
    if not chosen:
        return words.say("You are counted as present, without a wish.")
    if vote.method in RANKED:
        return _ranking(words, vote, chosen)
    return words.say("You would read: {papers}.", papers=numbers(words, chosen))


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


def _ballot(
    reader: Reader,
    words: Words,
    vote: Round,
    ballot: Ballot,
    text: Text,
    notes: Sequence[Text],
    remind: bool | None,
) -> Message:
    is_open = _is_open(reader, vote)
    chosen = _chosen(vote, ballot)
    limit = IN_LIST if len(chosen) <= MOST_BUTTONS else IN_LONG_VOTE
    entries = tuple(
        Entry(shown(each.paper, words, limit), _place(words, vote, place), each.position)
        for place, each in enumerate(chosen)
    )
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Entries(entries) if entries else None,
        *(Paragraph(note) for note in notes if note),
        Paragraph(_until(words, vote)) if is_open else None,
        _receipt(words, ballot, is_open),
        _own_buttons(words, vote, remind) if is_open else _see_result(words, vote),
        small(words, headline_note(words, [each.paper for each in chosen])),
    )


def _not_voted(
    reader: Reader, words: Words, vote: Round, paid: Fraction | None, remind: bool | None
) -> Message:
    text = words.line("You have not voted in this round.")
    if vote.closed_at is not None and reader.now - vote.closed_at > DELETED:
        text = words.line("Whose ballot is whose was deleted 90 days after closing.")
    is_open, owed = _is_open(reader, vote), _paid(words, paid)
    closes = words.say("Closes {when}", when=When(vote.closes_at))
    buttons = [Button(f"vote:{vote.id}", words.line("Vote / change my vote"), "first")]
    if remind is not None:
        buttons.append(remind_button(words, on=not remind))
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(owed) if owed else None,
        Paragraph(closes, muted=True) if is_open else None,
        Actions(tuple(buttons)) if is_open else _see_result(words, vote),
    )


def _ranking(words: Words, vote: Round, chosen: Sequence[Candidate]) -> Text:
    """'First paper 2, then papers 3 and 1.' and what becomes of the others."""
    first, rest = numbers(words, chosen[:1]), chosen[1:]
    if rest:
        told = words.say("First {a}, then {b}.", a=first, b=numbers(words, rest))
    else:
        told = words.say("First {a}.", a=first)
    if len(chosen) == len(_standing(vote)):
        return told
    return words.run_on(told, words.say("Papers you did not rank come after these, all equal."))


def _place(words: Words, vote: Round, place: int) -> tuple[Text, ...]:
    """Which choice a paper of a ranked ballot is."""
    return ((words.line(_PLACES[place]),),) if vote.method in RANKED and place < DEPTH else ()


def _paid(words: Words, paid: Fraction | None) -> Text:
    """What a member has paid in fair turns, to at most two decimals."""
    if paid is None:
        return ()
    return words.count(
        "You have paid {x} paper this season; the less you have paid, the more your ticks weigh.",
        "You have paid {x} papers this season; the less you have paid, the more your ticks weigh.",
        1 if paid == 1 else 2,
        x=f"{float(paid):.2f}".rstrip("0").rstrip("."),
    )


def _receipt(words: Words, ballot: Ballot, is_open: bool) -> Paragraph | None:
    if not ballot.receipt:
        return None
    if not is_open:
        return Paragraph(
            words.say(
                "Your receipt: {receipt}. In the tally sheet, where there is one, your ballot stands under it.",
                receipt=Code(ballot.receipt),
            ),
            muted=True,
        )
    return Paragraph(
        words.say(
            "Your receipt: {receipt}. After closing you find your ballot by it in the tally sheet.",
            receipt=Code(ballot.receipt),
        ),
        muted=True,
    )


def _own_buttons(words: Words, vote: Round, remind: bool | None) -> Actions:
    buttons = [
        Button(f"vote:{vote.id}", words.line("Change my vote")),
        Button(f"retract:{vote.id}", words.line("Withdraw my ballot"), "warn"),
    ]
    return Actions((*buttons, *((remind_button(words, on=not remind),) if remind is not None else ())))


def _is_open(reader: Reader, vote: Round) -> bool:
    return vote.state == "voting" and reader.now < vote.closes_at


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
    closes = When(vote.closes_at)
    if vote.rules.secrecy == "open":
        return words.say(
            "After {when}, everybody sees who voted for what. Whoever runs the bot could read it before.",
            when=closes,
        )
    return words.run_on(
        words.say(
            "No member sees your ballot. Everybody sees the totals after {when}. "
            "Whoever runs the bot could read it in the database.",
            when=closes,
        ),
        words.say(_FEW),
    )


def _is_full(vote: Round) -> bool:
    """Whether a ranked ballot has as many menus as a dialog holds."""
    return len(_standing(vote)) >= DEPTH


def _standing(vote: Round) -> list[Candidate]:
    return [each for each in vote.candidates if not each.withdrawn]


def _chosen(vote: Round, ballot: Ballot) -> list[Candidate]:
    """The papers of a ballot that are still on it, in its own order."""
    standing = {each.position: each for each in _standing(vote)}
    return [standing[position] for position in ballot.positions or () if position in standing]
