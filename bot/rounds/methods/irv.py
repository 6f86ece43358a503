"""Instant runoff: first choices count; the last goes out and its ballots pass on, until one has a majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.rounds.methods.branches import Outlook, Stand, follow
from bot.rounds.methods.model import Settle, Vote
from bot.rounds.model import Step, Tally

Ranking = tuple[tuple[str, ...], ...]
Pile = list[tuple[Ranking, int]]
"""Equal ballots and how many there are of them."""


@dataclass(frozen=True, slots=True)
class _Stand:
    """One round of the count. `past` is each one's place by the earlier rounds, the latest first; 0 is the fewest."""

    left: tuple[str, ...]
    past: tuple[int, ...]
    seats: int = field(compare=False)
    piles: Mapping[str, Pile] = field(compare=False)
    shared: Pile = field(compare=False)
    """Ballots whose highest are several; they count again once one of these is left."""
    tally: Mapping[str, int] = field(compare=False)

    def ended(self) -> Outlook | None:
        """Who is elected, and who may be, if it ends here."""
        most = max(self.left, key=lambda option: self.tally[option])
        if len(self.left) <= self.seats:
            return _sure(self.left)
        if self.seats == 1 and self.tally[most] * 2 > sum(self.tally.values()):
            return _sure((most,))
        alive = [option for option in self.left if self.tally[option]]
        last = self.last()
        if len(alive) < self.seats or (len(self.left) == self.seats + 1 and len(last) > 1):
            sure = frozenset(option for option in self.left if option not in last)
            return Outlook(sure, frozenset(self.left))
        return None

    def last(self) -> list[str]:
        """Those with the fewest votes of this round."""
        fewest = min(self.tally.values())
        return [option for option in self.left if self.tally[option] == fewest]

    def out(self) -> list[str]:
        """Of the last, those who had fewest in the latest earlier round in which they differed."""
        past = dict(zip(self.left, self.past, strict=True))
        last = self.last()
        fewest = min(past[option] for option in last)
        return [option for option in last if past[option] == fewest]

    def together(self) -> bool:
        """Whether the last go out at once: nobody's vote is with them."""
        return not self.tally[self.last()[0]]

    def without(self, out: Sequence[str]) -> _Stand:
        """The next round: every ballot of those out passes to the next one left on it, or is exhausted."""
        left = tuple(option for option in self.left if option not in out)
        moved = [paper for option in out for paper in self.piles[option]]
        dealt, shared = _deal(moved + self.shared, left)
        piles = {option: self.piles[option] + dealt[option] for option in left}
        tally = {option: self.tally[option] + _size(dealt[option]) for option in left}
        past = dict(zip(self.left, self.past, strict=True))
        places = {key: place for place, key in enumerate(sorted({(self.tally[o], past[o]) for o in left}))}
        ranks = tuple(places[self.tally[option], past[option]] for option in left)
        return _Stand(left, ranks, self.seats, piles, shared, tally)

    def onward(self) -> Outlook | list[_Stand]:
        ended = self.ended()
        if ended is not None:
            return ended
        if self.together():
            return [self.without(self.last())]
        return [self.without([option]) for option in self.out()]

    def bound(self) -> Outlook:
        return Outlook(frozenset(), frozenset(self.left))


def _sure(options: Sequence[str]) -> Outlook:
    return Outlook(frozenset(options), frozenset(options))


def _size(pile: Pile) -> int:
    return sum(count for _, count in pile)


def _deal(papers: Pile, left: Sequence[str]) -> tuple[dict[str, Pile], Pile]:
    """Each ballot to the highest of those left, and the ballots whose highest are several."""
    piles: dict[str, Pile] = {option: [] for option in left}
    shared: Pile = []
    for ranking, count in papers:
        for tier in ranking:
            here = tier if len(tier) == 1 and tier[0] in piles else [o for o in tier if o in piles]
            if here:
                (piles[here[0]] if len(here) == 1 else shared).append((ranking, count))
                break
    return piles, shared


def count_irv(
    votes: Sequence[Vote],
    options: Sequence[str],
    seats: int,
    rules: Mapping[str, Any],
    settle: Settle | None = None,
) -> Tally:
    """Take options out, the last first, until one has a majority of the ballots that still count.

    Options without a vote go out together, others one at a time; of level ones the one that had fewest in the latest
    earlier round in which they differ, else as `settle` says. A ballot is exhausted at a shared rank. With several
    seats it ends when so many are left. Steps: `irv.counts`, `irv.round`s, between them `irv.earlier`, `same`,
    `irv.level` and those of `settle`; last `irv.majority`, `elected` or `tie`.
    """
    equal: Counter[Ranking] = Counter()
    for vote in votes:
        equal[vote.ranking] += vote.count
    ballots = sum(equal.values())
    blank = sum(count for ranking, count in equal.items() if not any(ranking))
    piles, shared = _deal([(ranking, count) for ranking, count in equal.items() if count], options)
    scores = {option: _size(pile) for option, pile in piles.items()}
    counted = {"scores": scores, "ballots": ballots, "blank": blank, "overvotes": _size(shared)}
    steps = [Step("irv.counts", counted)]
    if not any(scores.values()):
        steps.append(Step("no_decision", {"ballots": ballots}))
        return Tally("irv", (), (), "no-decision", scores, tuple(steps))
    start = _Stand(tuple(options), (0,) * len(options), seats, piles, shared, scores)
    outlook = _run(start, ballots, steps, settle)
    winners = tuple(option for option in options if option in outlook.sure)
    tied = tuple(option for option in options if option in outlook.possible - outlook.sure)
    if tied:
        steps.append(Step("tie", {"options": list(tied), "places": seats - len(winners)}))
    elif seats > 1:
        steps.append(Step("elected", {"options": list(winners)}))
    outcome: Literal["tie", "decided"] = "tie" if tied else "decided"
    return Tally("irv", winners, (tied,) if tied else (), outcome, scores, tuple(steps))


def _run(stand: _Stand, ballots: int, steps: list[Step], settle: Settle | None) -> Outlook:
    """Round by round to the end, or to a tie that stays open; the steps say how."""
    number, same = 1, False
    seen: dict[Stand, Outlook] = {}
    while (ended := stand.ended()) is None:
        out, told = (stand.last(), []) if stand.together() else (stand.out(), [])
        if not stand.together() and len(out) > 1:
            outlook = follow(stand, seen) if not same else None
            order: tuple[str, ...] | None = tuple(out)
            if outlook and outlook.same:
                same, told = True, [Step("same", {"options": out})]
            elif outlook:
                order, more = settle(out, f"round-{number}") if settle else (None, ())
                told = [Step("irv.level", {"round": number, "options": out}), *(more if order else ())]
            if order is None and outlook:
                steps += [_round(stand, number, ballots, []), *told]
                return outlook
            out = [order[-1]] if order else out
        elif not stand.together() and len(stand.last()) > 1:
            told = [Step("irv.earlier", {"round": number, "options": stand.last(), "out": out[0]})]
        steps += [_round(stand, number, ballots, out), *told]
        stand, number = stand.without(out), number + 1
    steps.append(_round(stand, number, ballots, []))
    if stand.seats == 1 and ended.same:
        winner = next(iter(ended.sure))
        values = {"option": winner, "votes": stand.tally[winner], "of": sum(stand.tally.values())}
        steps.append(Step("irv.majority", values))
    return ended


def _round(stand: _Stand, number: int, ballots: int, out: Sequence[str]) -> Step:
    exhausted = ballots - sum(stand.tally.values())
    values = {"round": number, "tally": dict(stand.tally), "exhausted": exhausted, "eliminated": list(out)}
    return Step("irv.round", values)
