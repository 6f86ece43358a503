"""Who beat whom in a ranked round: the winner's duels as bars, all pairs as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.messages.model import Bar, Bars, Strong, Table, Text
from bot.messages.pages.lines import labels
from bot.messages.words import Words
from bot.rounds.model import Candidate, Result

MOST_ROWS = 10


@dataclass(frozen=True, slots=True)
class Duels:
    """Ballots that put one position above another, and the duels, winner first, that were set aside."""

    over: dict[tuple[int, int], int]
    aside: tuple[tuple[int, int], ...] = ()

    def score(self, one: int, other: int) -> tuple[int, int]:
        """How many put `one` above `other`, and how many the other way round."""
        return self.over.get((one, other), 0), self.over.get((other, one), 0)

    def is_aside(self, one: int, other: int) -> bool:
        """Whether their duel did not count in the end."""
        return (one, other) in self.aside or (other, one) in self.aside


def find_duels(result: Result) -> Duels | None:
    """The duels of a round that was counted by them, else None."""
    matrix = next((step.values["matrix"] for step in result.steps if step.kind == "pairs"), None)
    if matrix is None:
        return None
    over = {(int(one), int(other)): int(n) for one, row in matrix.items() for other, n in row.items()}
    aside = [step.values for step in result.steps if step.kind == "aside"]
    return Duels(over, tuple((int(each["winner"]), int(each["loser"])) for each in aside))


def standing(result: Result, duels: Duels) -> list[Candidate]:
    """Candidates by duels won, the winner first, then in order of nomination."""
    still = [each for each in result.round.candidates if not each.withdrawn]

    def won(candidate: Candidate) -> int:
        scores = [duels.score(candidate.position, each.position) for each in still]
        return sum(ours > theirs for ours, theirs in scores)

    return sorted(still, key=lambda each: (each.position != result.winner, -won(each), each.position))


def winners_duels(words: Words, result: Result, duels: Duels, winner: Candidate, most: int) -> Bars | None:
    """The winner against every other paper, the clearest first."""
    others = [each for each in standing(result, duels) if each is not winner]
    names = dict(
        zip((each.position for each in others), labels([each.paper for each in others], words), strict=True)
    )
    others.sort(key=lambda each: -margin_of(duels, winner, each))
    bars = []
    for other in others[:most]:
        ours, theirs = duels.score(winner.position, other.position)
        aside = duels.is_aside(winner.position, other.position)
        won = ours > theirs and not aside
        value = _score(ours, theirs) if won else _cell(words, ours, theirs)  # a bar says itself that it won
        if aside:
            value = words.line("{score}, set aside", score=value)
        against = words.line("against {name}", name=names[other.position])
        bars.append(Bar((against,), ours, result.non_blank, value, won=won))
    return Bars(tuple(bars)) if bars else None


def margin_of(duels: Duels, one: Candidate, other: Candidate) -> int:
    """By how many ballots one beats the other; below 0 where it loses."""
    ours, theirs = duels.score(one.position, other.position)
    return ours - theirs


def closest(result: Result, duels: Duels, winner: Candidate) -> int | None:
    """By how many ballots the winner won the closest of the duels it won; None where it won none."""
    margins = [margin_of(duels, winner, each) for each in standing(result, duels) if each is not winner]
    return min((each for each in margins if each > 0), default=None)


def set_aside(words: Words, result: Result, duels: Duels) -> Text:
    """That no paper beat all the others, and which duel did not count for that; empty where one did."""
    if not duels.aside:
        none_best = any(step.kind == "no_condorcet" for step in result.steps)
        return words.say("No paper beat all the others.") if none_best else ()
    if len(duels.aside) > 1:
        return words.count(
            "No paper beat all the others. The {n} narrowest duel was set aside.",
            "No paper beat all the others. The {n} narrowest duels were set aside.",
            len(duels.aside),
        )
    one, other = duels.aside[0]
    name = names_of(words, result)
    ours, theirs = duels.score(one, other)
    return words.say(
        "No paper beat all the others. The narrowest duel, {a} over {b} at {x} : {y}, was set aside.",
        a=name[one],
        b=name[other],
        x=ours,
        y=theirs,
    )


def names_of(words: Words, result: Result) -> dict[int, str]:
    """The short name of every candidate, by position."""
    candidates = result.round.candidates
    short = labels([each.paper for each in candidates], words)
    return {each.position: name for each, name in zip(candidates, short, strict=True)}


def table(words: Words, result: Result, duels: Duels, most: int = MOST_ROWS) -> Table | None:
    """All pairs of the first `most` papers by standing, under the numbers they had in the vote."""
    rows = standing(result, duels)[:most]
    if len(rows) < 2:
        return None
    name = names_of(words, result)
    aside = {
        (row, column)
        for row, one in enumerate(rows)
        for column, other in enumerate(rows)
        if duels.is_aside(one.position, other.position)
    }
    return Table(
        tuple(str(each.position) for each in rows),
        tuple(
            (f"{one.position} {name[one.position]}", *(_pair(words, duels, one, other) for other in rows))
            for one in rows
        ),
        tuple(_line(words, duels, f"{one.position} {name[one.position]}", one, rows) for one in rows),
        words.line("Row against column"),
        frozenset(aside),
        0 if rows[0].position == result.winner else None,
        _circle(result, [each.position for each in rows]),
    )


def _circle(result: Result, rows: Sequence[int]) -> tuple[int, ...]:
    """The rows of the papers that beat each other in a circle; none where one of them has no row."""
    told = next((step.values["duels"] for step in result.steps if step.kind == "cycle"), ())
    circle = [int(duel[0]) for duel in told]
    return tuple(rows.index(each) for each in circle) if set(circle) <= set(rows) else ()


def _line(words: Words, duels: Duels, name: str, one: Candidate, rows: Sequence[Candidate]) -> Text:
    """'3 DisPOSE: 2 : 1 against 1 (set aside), 2 : 3 against 2'."""
    told = []
    for other in rows:
        if other is one:
            continue
        score = _score(*duels.score(one.position, other.position))
        if duels.is_aside(one.position, other.position):
            told.append(words.line("{score} against {n} (set aside)", score=score, n=other.position))
        else:
            told.append(words.line("{score} against {n}", score=score, n=other.position))
    return words.say("{name}: {scores}", name=Strong(name), scores=words.line(", ").join(told))


def _pair(words: Words, duels: Duels, one: Candidate, other: Candidate) -> str:
    return "–" if one is other else _cell(words, *duels.score(one.position, other.position))


def _cell(words: Words, ours: int, theirs: int) -> str:
    """'3 : 2 won'."""
    score = _score(ours, theirs)
    if ours == theirs:
        return words.line("{score} level", score=score)
    return (
        words.line("{score} won", score=score) if ours > theirs else words.line("{score} lost", score=score)
    )


def _score(ours: int, theirs: int) -> str:
    return f"{ours} : {theirs}"
