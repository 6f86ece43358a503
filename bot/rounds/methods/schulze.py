"""Schulze's method: who beats all others head to head wins; in a circle the narrowest wins count least.

Winning votes, set-valued (Schulze, A new monotonic, clone-independent … method, 2011). Where nobody beats all others,
the way to the winners is told as the Debian constitution does (A.6, before 2022): set the narrowest win among the
papers not beaten from outside aside, until no win among them is left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from bot.errors import BadInput
from bot.rounds.methods.model import Settle, Vote
from bot.rounds.methods.pairs import Matrix, duels, pairwise
from bot.rounds.model import Step, Tally

Wins = dict[str, dict[str, int]]
"""wins[a][b]: a beat b with so many votes."""


def count_schulze(
    votes: Sequence[Vote],
    options: Sequence[str],
    seats: int,
    rules: Mapping[str, Any],
    settle: Settle | None = None,
) -> Tally:
    """Elect those no chain of wins against whom is stronger than their own back; level ones are tied.

    Rules, as in Debian: with a `default_option`, an option is dropped unless at least `quorum` ballots put it before
    the default one, and unless more than `majority_ratio` (by option) times those that put it behind.
    With several seats, those come next whom only the elected surpass. Steps: `pairs`, `dropped`, then `condorcet`
    or `no_condorcet` with `unbeaten`, `cycle`, `aside`; `elected`, `tie`.
    Raises: BadInput, for a rule that is no number.
    """
    matrix = pairwise(votes, options)
    ballots = sum(vote.count for vote in votes)
    blank = sum(vote.count for vote in votes if not any(vote.ranking))
    steps = [Step("pairs", {"matrix": matrix, "ballots": ballots, "blank": blank})]
    if ballots == blank:
        steps.append(Step("no_decision", {"ballots": ballots}))
        return Tally("schulze", (), (), "no-decision", {}, tuple(steps))
    dropped = _dropped(matrix, rules)
    steps += dropped
    out = {step.values["option"] for step in dropped}
    left = [option for option in options if option not in out]
    wins = {
        one: {other: x for other, x, y in duels(matrix, one) if x > y and other not in out} for one in left
    }
    first, *further = _places(_chains(wins, left), left)
    steps += _story(matrix, wins, left, first)
    winners: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    for group in (first, *further):
        if len(winners) + len(group) > seats:
            tied = group if len(winners) < seats else ()
            break
        winners += group
    if winners and (seats > 1 or steps[-1].kind != "condorcet"):
        steps.append(Step("elected", {"options": list(winners)}))
    if tied:
        steps.append(Step("tie", {"options": list(tied), "places": seats - len(winners)}))
    return Tally("schulze", winners, (tied,) if tied else (), "tie" if tied else "decided", {}, tuple(steps))


def _dropped(matrix: Matrix, rules: Mapping[str, Any]) -> list[Step]:
    default = rules.get("default_option")
    if not isinstance(default, str) or default not in matrix:
        return []
    ratios = rules.get("majority_ratio", {})
    if not isinstance(ratios, Mapping):
        raise BadInput("tally.rule", rule="majority_ratio", value=str(ratios)[:20])
    quorum = _number(rules.get("quorum", 0), "quorum")
    steps = []
    for option, behind, ahead in duels(matrix, default):
        ratio = _number(ratios[option], "majority_ratio") if option in ratios else None
        values = {"option": option, "default": default, "for": ahead, "against": behind}
        if ahead < quorum:
            steps.append(Step("dropped", values | {"why": "quorum", "needed": str(quorum)}))
        elif ratio is not None and not ahead > ratio * behind:
            steps.append(Step("dropped", values | {"why": "majority", "needed": str(ratio)}))
    return steps


def _number(value: object, rule: str) -> Fraction:
    try:
        if isinstance(value, int | float | str):
            return Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise BadInput("tally.rule", rule=rule, value=str(value)[:20]) from error
    raise BadInput("tally.rule", rule=rule, value=str(value)[:20])


def _chains(wins: Wins, left: Sequence[str]) -> Wins:
    """The strength of the strongest chain of wins between any two: that of its narrowest win."""
    strongest = {one: dict.fromkeys(left, 0) | wins[one] for one in left}
    for middle in left:
        onward = list(strongest[middle].items())
        for one in left:
            row = strongest[one]
            reach = row[middle]
            if reach and one != middle:
                for other, further in onward:
                    chain = reach if reach < further else further
                    if chain > row[other]:
                        row[other] = chain
    return strongest


def _places(chains: Wins, left: Sequence[str]) -> list[tuple[str, ...]]:
    """The winners, then the winners among the others, and so on."""
    places = []
    rest = list(left)
    while rest:
        best = tuple(a for a in rest if all(chains[a][b] >= chains[b][a] for b in rest))
        places.append(best)
        rest = [option for option in rest if option not in best]
    return places


def _story(matrix: Matrix, wins: Wins, left: Sequence[str], winners: tuple[str, ...]) -> list[Step]:
    """How the winners came out, in steps that are true of this count."""
    for option in left:
        if len(wins[option]) == len(left) - 1:
            beaten = [(b, x, y) for b, x, y in duels(matrix, option) if b in wins[option]]
            narrowest = min(beaten, key=lambda duel: duel[1] - duel[2], default=())
            values = {"option": option, "others": len(beaten), "narrowest": list(narrowest)}
            return [Step("condorcet", values)]
    steps = [Step("no_condorcet")]
    unbeaten = _schwartz(wins, left)
    circle = _circle(wins, unbeaten, winners)
    if not circle:
        return [*steps, Step("unbeaten", {"options": unbeaten})]
    told = [[a, b, matrix[a][b], matrix[b][a]] for a, b in circle]
    steps.append(Step("cycle", {"options": unbeaten, "duels": told}))
    return steps + [
        Step("aside", {"winner": a, "loser": b, "for": matrix[a][b], "against": matrix[b][a]})
        for a, b in _set_aside(wins, unbeaten)
    ]


def _set_aside(wins: Wins, unbeaten: list[str]) -> list[tuple[str, str]]:
    """The wins set aside, the narrowest first, until nobody left beats another: those left are Schulze's winners."""
    asides: list[tuple[str, str]] = []
    while any(wins[a].keys() & set(unbeaten) for a in unbeaten):
        inner = {a: {b: votes for b, votes in wins[a].items() if b in unbeaten} for a in unbeaten}
        narrowest = min(votes for row in inner.values() for votes in row.values())
        asides += [(a, b) for a, row in inner.items() for b, votes in row.items() if votes == narrowest]
        wins = {a: {b: votes for b, votes in row.items() if votes > narrowest} for a, row in inner.items()}
        unbeaten = _schwartz(wins, unbeaten)
    return asides


def _schwartz(wins: Mapping[str, Mapping[str, int]], left: Sequence[str]) -> list[str]:
    """Those whom nobody reaches by wins whom they do not reach back (Schwartz set)."""
    reached = {option: _reach(wins, option) for option in left}
    return [a for a in left if all(b in reached[a] for b in left if a in reached[b])]


def _reach(wins: Mapping[str, Mapping[str, int]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = wins[waiting.pop()].keys() - found
        found |= fresh
        waiting += fresh
    return found


def _circle(wins: Wins, unbeaten: Sequence[str], winners: Sequence[str]) -> list[tuple[str, str]]:
    """A shortest circle of wins among the unbeaten, through a winner where there is one; empty without any."""
    for start in sorted(unbeaten, key=lambda option: option not in winners):
        before: dict[str, str] = {}
        waiting = deque([start])
        while waiting:
            one = waiting.popleft()
            for other in (b for b in unbeaten if b in wins[one]):
                if other == start:
                    chain = [one]
                    while chain[-1] != start:
                        chain.append(before[chain[-1]])
                    chain.reverse()
                    return list(zip(chain, [*chain[1:], start], strict=True))
                if other not in before:
                    before[other] = one
                    waiting.append(other)
    return []
