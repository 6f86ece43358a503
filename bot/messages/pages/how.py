"""How the ballots of a closed round became its result, to be checked by hand."""

from __future__ import annotations

from functools import partial

from bot.messages.model import (
    Actions,
    Block,
    Fact,
    Facts,
    Heading,
    Kicker,
    Message,
    Paragraph,
    Reader,
    Steps,
    Text,
)
from bot.messages.pages.ballots import numbers
from bot.messages.pages.duels import MOST_ROWS, Duels, find_duels, names_of, standing, table
from bot.messages.pages.figures import bars_heading, bars_of, find_winner
from bot.messages.pages.lines import member_name, one_line
from bot.messages.pages.parts import message, small
from bot.messages.pages.reminders import mine_button
from bot.messages.pages.rounds import NAME, for_meeting
from bot.messages.pages.sheets import few_line, has_sheet, sheet_button
from bot.messages.weigh import first_that_fits
from bot.messages.words import Words, words_for
from bot.rounds.model import Result


def how_page(reader: Reader, result: Result) -> Message:
    """How the ballots became this result: six sentences at most to check by hand, every paper's number or duels.

    After a vote open at close also whose ballot was for what.
    """
    lengths = ((20, MOST_ROWS), (20, 8), (10, 6), (5, 4))
    return first_that_fits(*(partial(_how, reader, result, *each) for each in lengths))


def _how(reader: Reader, result: Result, names: int, rows: int) -> Message:
    words = words_for(reader.language)
    told = result.published != "winner"
    steps = _steps(words, result) if told else ()
    duels = find_duels(result) if told else None
    papers, named = len(result.round.candidates), bool(result.named)  # ballots are told by number
    bars = bars_of(words, result, papers, numbered=named) if told and duels is None else None
    few = few_line(words, result)
    how = words.line("How this was counted")
    return message(
        reader,
        how,
        Kicker(words.line("Result"), for_meeting(words, result.round)),
        Heading((how,)),
        Paragraph((few,)) if few else None,
        Steps(steps) if steps else None,
        bars_heading(words, result) if bars else None,
        bars,
        *(_pairs(words, result, duels, rows) if duels else ()),
        *_named(words, result, names),
        Actions((mine_button(words, result.round), *sheet_button(words, result))),
        small(words, words.line("Anyone can recount this from the tally sheet."))
        if has_sheet(result)
        else None,
    )


def _steps(words: Words, result: Result) -> tuple[Text, ...]:
    # the sentences of every method are loaded when somebody asks for them
    from bot.messages.pages.counting import MOST_SENTENCES, sentences

    counted, decided = sentences(words, result), _decided(words, result)
    room = MOST_SENTENCES - len(decided)
    return (*counted[:1], *counted[1:][-(room - 1) :], *decided)


def _decided(words: Words, result: Result) -> tuple[Text, ...]:
    """What became of a tie that the count left open."""
    winner = find_winner(result)
    if result.outcome == "runoff":
        return (words.say("The vote ended in a tie; a second vote decides it."),)
    if result.outcome == "waiting":
        return (words.say("The vote ended in a tie; an organiser decides it."),)
    if result.tie_rule != "organiser" or winner is None:
        return ()
    told = words.say(
        "The vote ended in a tie, and {member} decided it as an organiser: {name}.",
        member=member_name(words, result.decided_by, NAME),
        name=names_of(words, result)[winner.position],
    )
    reason = one_line(result.decided_note)
    return (words.run_on(told, words.say("Reason: {reason}", reason=reason) if reason else ()),)


def _pairs(words: Words, result: Result, duels: Duels, rows: int) -> list[Block]:
    """The table of all pairs and how it is read."""
    drawn = table(words, result, duels, rows)
    if drawn is None:
        return []
    reading = words.line(
        "Read along a row: “3 : 2” means that three ballots put this paper above the other, two below it."
    )
    rest = len(standing(result, duels)) - len(drawn.rows)
    more = words.count_line(
        "{n} more paper stands in the tally sheet.", "{n} more papers stand in the tally sheet.", rest
    )
    aside = [
        words.say("The duel of {a} and {b} was set aside.", a=one, b=other) for one, other in duels.aside[:3]
    ]
    return [
        Heading((words.line("Who beat whom"),), "section"),
        drawn,
        Paragraph(words.run_on(reading, *aside, more if rest > 0 and has_sheet(result) else ""), muted=True),
    ]


def _named(words: Words, result: Result, most: int) -> list[Block]:
    """Whose ballot was for what, after a vote open at close."""
    if not result.named:
        return []
    by_position = {each.position: each for each in result.round.candidates}
    facts = []
    for member, positions in result.named[:most]:
        chosen = [by_position[position] for position in positions if position in by_position]
        said = numbers(words, chosen) if chosen else words.line("present, without a wish")
        facts.append(Fact(member_name(words, member, NAME), (said,)))
    rest = len(result.named) - most
    more = words.count_line("and {n} more in the tally sheet", "and {n} more in the tally sheet", rest)
    return [
        Heading((words.line("Who voted for what"),), "section"),
        Facts(tuple(facts)),
        *((Paragraph((more,), muted=True),) if rest > 0 else ()),
    ]
