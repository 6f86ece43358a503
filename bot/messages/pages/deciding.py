"""A tie that waits for an organiser: the form that decides it, and what was decided."""

from __future__ import annotations

from collections.abc import Collection

from bot.messages.model import (
    Actions,
    Button,
    ChoiceField,
    Form,
    Heading,
    Kicker,
    Message,
    Paragraph,
    Reader,
    Text,
    TextField,
)
from bot.messages.pages.faults import field_fault
from bot.messages.pages.figures import find_winner
from bot.messages.pages.lines import IN_LIST, headline_line
from bot.messages.pages.parts import message
from bot.messages.pages.rounds import for_meeting, option
from bot.messages.pages.settings import Faults, Values
from bot.messages.words import words_for
from bot.rounds.model import MAX_REASON, Result

PAPER, REASON = "paper", "reason"
"""The fields: a public paper id, and words that are published with the organiser’s name."""


def decide_form(
    reader: Reader,
    result: Result,
    left: Collection[int],
    values: Values | None = None,
    faults: Faults | None = None,
) -> Form:
    """Which of the tied papers wins, and why.

    `left` are the positions of those on the list still; `values` what was typed before, `faults` what was wrong
    with it.
    """
    words = words_for(reader.language)
    typed, wrong = values or {}, faults or {}
    chosen, reason = typed.get(PAPER, ""), typed.get(REASON, "")
    level = [each for each in result.round.candidates if each.position in (left or result.tied)]
    fault = {name: field_fault(reader, each) for name, each in wrong.items()}
    return Form(
        f"decision:{result.round.id}",
        words.line("Decide the tie: which paper wins?"),
        words.line("Decide"),
        (
            ChoiceField(
                PAPER,
                words.line("Which paper wins?"),
                tuple(option(words, each, chosen=each.paper.public_id in chosen) for each in level),
                fault=fault.get(PAPER, ""),
            ),
            TextField(
                REASON,
                words.line("Reason"),
                reason if isinstance(reason, str) else "\n".join(reason),
                words.line("Published with the result and your name"),
                fault.get(REASON, ""),
                long=True,
                max_length=MAX_REASON,
            ),
        ),
        words.line("Cancel"),
        language=reader.language,
    )


def decided_page(reader: Reader, result: Result) -> Message:
    """To the organiser: the tie is decided; the channel gets the result with the reason."""
    words = words_for(reader.language)
    return _decided(reader, result, None, words.say("The result and your reason go to the channel."))


def settled_page(reader: Reader, result: Result) -> Message:
    """In place of the message that said a tie waits: it is decided, and the whole result stands below."""
    words = words_for(reader.language)
    kicker = Kicker(words.line("Result"), for_meeting(words, result.round))
    return _decided(reader, result, kicker, words.say("How it was decided stands in the newer message."))


def _decided(reader: Reader, result: Result, kicker: Kicker | None, then: Text) -> Message:
    words = words_for(reader.language)
    winner = find_winner(result)
    name = headline_line(winner.paper, words, IN_LIST) if winner else ""
    what = words.say("The tie is decided: {headline}.", headline=name)
    return message(
        reader,
        words.plain(what, reader.zone, reader.now),
        kicker,
        Heading(what),
        Paragraph(then),
        Actions((Button(f"result:{result.round.id}", words.line("See the result")),)),
    )
