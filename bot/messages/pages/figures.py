"""The numbers of a result: what each paper has, or the winner's duels, the turnout and the margin."""

from __future__ import annotations

from bot.messages.model import Bar, Bars, Block, Fact, Facts, Heading, Paragraph, When
from bot.messages.pages.duels import closest, find_duels, names_of, set_aside, standing, winners_duels
from bot.messages.pages.lines import labels
from bot.messages.pages.tie_stories import SCORED, is_inside
from bot.messages.words import Words
from bot.rounds.model import Candidate, Result


def find_winner(result: Result) -> Candidate | None:
    """The candidate that won, if one did."""
    return next((each for each in result.round.candidates if each.position == result.winner), None)


def numbers_of(words: Words, result: Result, winner: Candidate | None, most: int) -> list[Block]:
    """What each paper has, or the winner's duels; nothing where only the winner is published."""
    if result.published == "winner":
        return []
    duels = find_duels(result)
    if duels is None:
        parts = (bars_heading(words, result), bars_of(words, result, most), _more_bars(words, result, most))
        drawn: list[Block] = [part for part in parts if part is not None] if parts[1] else []
        return [*drawn, *_decisive(words, result)]
    bars = winners_duels(words, result, duels, winner, most) if winner else None
    if bars is None:
        return []
    rest = len(standing(result, duels)) - 1 - len(bars.items)
    aside = set_aside(words, result, duels)
    return [
        Heading((words.line("Head to head, paper by paper"),), "section"),
        bars,
        *((_more(words, rest),) if rest > 0 else ()),
        *((Paragraph(aside),) if aside else ()),
    ]


def _decisive(words: Words, result: Result) -> list[Block]:
    """What no bar says: in fair turns what the winner brought its supporters to, in rounds what it had at the end."""
    last = [step for step in result.steps if step.kind in ("phragmen.seat", "irv.majority")]
    if not last:
        return []
    from bot.messages.pages.counting import explain  # the sentences of every method; loaded when asked for

    names = {str(position): name for position, name in names_of(words, result).items()}
    return [Paragraph(text) for text in explain(words, last, names)]


def by_votes(result: Result) -> list[Candidate]:
    """Candidates by votes, the winner first among equals, then in order of nomination."""
    counted = [each for each in result.round.candidates if not each.withdrawn]
    return sorted(
        counted, key=lambda c: (-result.votes.get(c.position, 0), c.position != result.winner, c.position)
    )


def bars_of(words: Words, result: Result, most: int, *, numbered: bool = False) -> Bars | None:
    """What each paper has, of all who voted; `numbered`: under the number it had in the vote."""
    ranked = by_votes(result)
    names = labels([candidate.paper for candidate in ranked], words)
    bars = tuple(
        Bar(
            (f"{candidate.position} {name}" if numbered else name,),
            votes := result.votes.get(candidate.position, 0),
            result.ballots,
            words.line("{k} of {n}", k=votes, n=result.ballots),
            won=candidate.position == result.winner,
        )
        for name, candidate in zip(names[:most], ranked, strict=False)
    )
    return Bars(bars) if bars and result.ballots else None


def _more_bars(words: Words, result: Result, most: int) -> Paragraph | None:
    rest = len(by_votes(result)) - most
    return _more(words, rest) if rest > 0 else None


def _more(words: Words, rest: int) -> Paragraph:
    text = words.count_line(
        "and {n} more under “How this was counted”", "and {n} more under “How this was counted”", rest
    )
    return Paragraph((text,), muted=True)


def bars_heading(words: Words, result: Result) -> Heading | None:
    """What the bars of rounds of elimination are."""
    if result.round.method != "irv":
        return None
    return Heading((words.line("First choices"),), "section")


def facts_of(words: Words, result: Result) -> Facts:
    """Turnout, margin and the next meeting."""
    turnout = result.turnout
    if turnout.active is None:
        voted = words.count_line("{n} member voted", "{n} members voted", result.ballots)
    else:
        voted = words.count_line("{k} of {n} member", "{k} of {n} members", turnout.active, k=turnout.voted)
    if turnout.linked is not None:
        voted = words.count_line(
            "{turnout}, {n} of them linked on both platforms",
            "{turnout}, {n} of them linked on both platforms",
            turnout.linked,
            turnout=voted,
        )
    facts = [Fact(words.line("Turnout"), (voted,))]
    if (margin := _margin(words, result)) is not None:
        facts.append(Fact(words.line("Margin"), (margin,)))
    if result.round.meeting_at is not None:
        meeting = result.round.meeting_at
        facts.append(Fact(words.line("Next meeting"), (When(meeting),), (When(meeting, "relative"),)))
    return Facts(tuple(facts))


def _margin(words: Words, result: Result) -> str | None:
    """By how much the winner won; None where no one number says it."""
    winner = find_winner(result)
    if (
        winner is None
        or result.outcome != "decided"
        or result.published == "winner"
        or len(by_votes(result)) < 2
    ):
        return None
    if result.tie_rule:  # in rounds of elimination papers that were level at first need not be so in the end
        return (
            None
            if is_inside(result) or result.round.method == "irv"
            else words.line("none, decided by the tie rule")
        )
    if (duels := find_duels(result)) is not None:
        ahead = closest(result, duels, winner)
        if ahead is None:
            return None
        return words.count_line(
            "{n} ballot in the closest duel it won", "{n} ballots in the closest duel it won", ahead
        )
    if result.round.method not in SCORED:
        return None
    votes = sorted((result.votes.get(each.position, 0) for each in by_votes(result)), reverse=True)
    if votes[0] == votes[1]:  # what was level with it had left the list
        return None
    return words.count_line("{n} ballot", "{n} ballots", votes[0] - votes[1])
