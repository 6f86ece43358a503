"""The tally sheet of a closed round as a message with a file, and why there is none."""

from __future__ import annotations

from dataclasses import replace

from bot.messages.model import Actions, Button, Code, File, Heading, Kicker, Message, Paragraph, Reader, Text
from bot.messages.pages.parts import message, small
from bot.messages.pages.rounds import for_meeting
from bot.messages.words import Words, words_for
from bot.rounds.model import Result

_UNVOTED = ("single", "no_nomination", "nobody", "all_withdrawn")
"""Outcomes of rounds that have no ballots to show."""


def sheet_page(reader: Reader, result: Result, sheet: str) -> Message:
    """All ballots of a closed round as a file, and how anybody counts them again; its summary may name a thread."""
    words = words_for(reader.language)
    name, head = f"paperclub-tally-{result.round.number}.json", result.head or result.round.head
    if result.round.rules.secrecy == "open":
        what = words.say("All ballots of this vote, with the names of those who cast them.")
    else:
        what = words.say("All ballots of this vote, each under its receipt and without a name.")
    page = message(
        reader,
        words.line("Tally sheet of vote {n}", n=result.round.number),
        Kicker(words.line("Tally sheet"), for_meeting(words, result.round)),
        Paragraph(what),
        Paragraph(
            words.say("Anyone can count them again with {command}.", command=Code(f"paperclub tally {name}"))
        ),
        small(words, words.say("Ballot log at closing: {head}", head=Code(head))) if head else None,
    )
    label = words.line("Tally sheet: ballots and result of vote {n}", n=result.round.number)
    return replace(page, file=File(name, sheet.encode(), label))


def no_sheet_page(reader: Reader, result: Result) -> Message:
    """Why a round has no tally sheet to show."""
    words = words_for(reader.language)
    text = _why_none(words, result)
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Actions((Button(f"result:{result.round.id}", words.line("See the result")),))
        if result.round.state != "voting"
        else None,
    )


def has_sheet(result: Result) -> bool:
    """Whether a tally sheet may be shown; rounds of before there was a ballot log have none."""
    if result.published != "all" or (result.outcome in _UNVOTED and not result.tied):
        return False
    return bool(result.head or result.round.head)


def sheet_button(words: Words, result: Result) -> list[Button]:
    return [Button(f"sheet:{result.round.id}", words.line("Tally sheet"))] if has_sheet(result) else []


def few_line(words: Words, result: Result) -> str:
    """Why less is published than after other votes; '' where all is, and where nobody voted for anything."""
    if result.published == "all" or not result.non_blank:
        return ""
    if result.outcome == "quorum":
        return words.line(
            "Fewer than five ballots: there is no tally sheet, so that nobody’s ballot can be guessed."
        )
    blank = result.ballots - result.non_blank  # with them the turnout may be five and more
    if result.published == "totals":
        if blank:
            return words.line(
                "Fewer than five ballots with a wish: only the totals are published, "
                "so that nobody’s ballot can be guessed."
            )
        return words.line(
            "Fewer than five ballots: only the totals are published, so that nobody’s ballot can be guessed."
        )
    if blank:
        return words.line(
            "Fewer than three ballots with a wish: only the winner is published, "
            "so that nobody’s ballot can be guessed."
        )
    return words.line(
        "Fewer than three ballots: only the winner is published, so that nobody’s ballot can be guessed."
    )


def _why_none(words: Words, result: Result) -> Text:
    if result.round.state == "voting":
        return words.say("This vote is still open. Its tally sheet comes with the result.")
    if result.outcome == "all_withdrawn":
        return words.say("No paper was left on the ballot, so there is no tally sheet.")
    if not result.ballots:
        return words.say("Nobody voted, so there is no tally sheet.")
    if result.published == "all":
        return words.say("This vote is from before there were tally sheets.")
    return words.say(
        "Fewer than five ballots: there is no tally sheet, so that nobody’s ballot can be guessed."
    )
