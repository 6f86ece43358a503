"""STAR (score, then automatic runoff): of the two with most stars, the one more ballots prefer wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

from bot.errors import BadInput
from bot.rounds.methods.branches import Outlook, Stand, follow, merge
from bot.rounds.methods.model import Settle, Vote
from bot.rounds.methods.pairs import Matrix, pairwise
from bot.rounds.model import Step, Tally

HIGHEST = 5


@dataclass(frozen=True, slots=True)
class _Stand:
    """Who is still to be elected from, for how many places."""

    left: tuple[str, ...]
    elected: frozenset[str]
    places: int
    totals: Mapping[str, int] = field(compare=False)
    matrix: Matrix = field(compare=False)

    def finalists(self) -> tuple[list[str], list[str]]:
        """Those surely in the runoff, and those level for what is left of its two places."""
        sure: list[str] = []
        for total in sorted({self.totals[option] for option in self.left}, reverse=True):
            level = [option for option in self.left if self.totals[option] == total]
            if len(sure) + len(level) > 2:
                return sure, level if len(sure) < 2 else []
            sure += level
        return sure, []

    def runoff(self, a: str, b: str) -> tuple[int, int]:
        """How many ballots give `a` more stars than `b`, and how many the other way round."""
        return self.matrix[a][b], self.matrix[b][a]

    def best(self, pair: Sequence[str]) -> list[str]:
        """The winner of a runoff, or both: more ballots, then more stars."""
        if len(pair) == 1:
            return list(pair)
        a, b = pair
        ahead, behind = self.runoff(a, b)
        x, y = (ahead, self.totals[a]), (behind, self.totals[b])
        return [a] if x > y else [b] if y > x else [a, b]

    def elect(self, option: str) -> _Stand:
        left = tuple(other for other in self.left if other != option)
        return replace(self, left=left, elected=self.elected | {option}, places=self.places - 1)

    def able(self) -> list[str]:
        """All who can win this place, however its ties are broken."""
        sure, level = self.finalists()
        pairs = [[*sure, *rest] for rest in combinations(level, 2 - len(sure))] if level else [sure]
        best = {option for pair in pairs for option in self.best(pair)}
        return [option for option in self.left if option in best]

    def onward(self) -> Outlook | list[_Stand]:
        if not self.places:
            return Outlook(self.elected, self.elected)
        if self.places > 1:
            return [self.elect(option) for option in self.able()]
        ends = [self.elected | {option} for option in self.able()]
        return merge(Outlook(end, end) for end in ends)

    def bound(self) -> Outlook:
        return Outlook(self.elected, self.elected | set(self.left))


def count_star(
    votes: Sequence[Vote],
    options: Sequence[str],
    seats: int,
    rules: Mapping[str, Any],
    settle: Settle | None = None,
) -> Tally:
    """Elect, of the two with most stars, the one that more ballots give more stars than the other.

    An option without stars has 0; a ballot with none at all is blank. A runoff that is level goes to more stars.
    Further places are filled the same way from the others. `max_score` is 5 unless `rules` say otherwise.
    Steps: `star.totals`, then for each place `star.finalists` and `star.runoff`, before them `same`, `star.level`
    and those of `settle`; last `tie`.
    Raises: BadInput, for a score outside 0 … max_score, and a max_score that is no whole number from 1.
    """
    _check(votes, rules.get("max_score", HIGHEST))
    totals = {option: sum(vote.count * vote.scores.get(option, 0) for vote in votes) for option in options}
    ballots = sum(vote.count for vote in votes)
    blank = sum(vote.count for vote in votes if not any(vote.scores.values()))
    steps = [Step("star.totals", {"scores": totals, "ballots": ballots, "blank": blank})]
    if ballots == blank:
        steps.append(Step("no_decision", {"ballots": ballots}))
        return Tally("star", (), (), "no-decision", totals, tuple(steps))
    stand = _Stand(
        tuple(options),
        frozenset(),
        min(seats, len(options)),
        totals,
        pairwise([_ranked(vote) for vote in votes], options),
    )
    winners, tied = _fill(stand, steps, settle)
    if tied:
        values = {"options": list(tied), "places": min(seats, len(options)) - len(winners)}
        steps.append(Step("tie", values))
    outcome: Literal["tie", "decided"] = "tie" if tied else "decided"
    return Tally("star", winners, (tied,) if tied else (), outcome, totals, tuple(steps))


def _ranked(vote: Vote) -> Vote:
    """The ballot as a ranking: more stars first; none is below all."""
    tiers: dict[int, list[str]] = {}
    for option, score in vote.scores.items():
        if score:
            tiers.setdefault(score, []).append(option)
    return Vote(vote.count, ranking=tuple(tuple(tiers[score]) for score in sorted(tiers, reverse=True)))


def _check(votes: Sequence[Vote], highest: object) -> None:
    if not isinstance(highest, int) or isinstance(highest, bool) or highest < 1:
        raise BadInput("tally.rule", rule="max_score", value=str(highest)[:20])
    for number, vote in enumerate(votes, 1):
        for option, score in vote.scores.items():
            if not 0 <= score <= highest:
                raise BadInput(
                    "tally.score", ballot=number, option=option[:80], value=str(score)[:20], n=highest
                )


def _fill(stand: _Stand, steps: list[Step], settle: Settle | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Fill the places that are left: the winners in order, and who competes for what stays open."""
    winners: tuple[str, ...] = ()
    same = False
    seen: dict[Stand, Outlook] = {}
    while stand.places:
        pair, level = stand.finalists()
        rest = 2 - len(pair)
        if level and not same and follow(stand, seen).same:
            same = True
            steps.append(Step("same", {"options": level}))
        if level and not same:
            order, told = settle(level, "finalists") if settle else (None, ())
            steps += [Step("star.level", {"options": level, "stars": stand.totals[level[0]]})]
            steps += told if order else ()
            if order is None:
                return _open(winners, stand, follow(stand, seen))
            level = list(order)
        pair = [*pair, *level[:rest]]
        best = stand.best(pair)
        steps += _runoff(stand, pair)
        if len(best) > 1 and stand.places == 1:
            return (winners, tuple(best)) if not same else ((*winners, best[0]), ())
        if len(best) > 1 and not same:
            same = follow(stand, seen).same
            order, told = settle(best, "winner") if settle and not same else (None, ())
            steps += [Step("same", {"options": best})] if same else told if order else ()
            if order is None and not same:
                return _open(winners, stand, follow(stand, seen))
            best = list(order or best)
        winners += (best[0],)
        stand = stand.elect(best[0])
    return winners, ()


def _open(
    winners: tuple[str, ...], stand: _Stand, outlook: Outlook
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    sure = tuple(option for option in stand.left if option in outlook.sure)
    return (*winners, *sure), tuple(o for o in stand.left if o in outlook.possible - outlook.sure)


def _runoff(stand: _Stand, pair: Sequence[str]) -> list[Step]:
    if len(pair) < 2:
        return [Step("star.only", {"option": pair[0], "stars": stand.totals[pair[0]]})]
    ahead, behind = stand.runoff(*pair)
    totals = {option: stand.totals[option] for option in pair}
    return [
        Step("star.finalists", {"options": list(pair), "totals": totals}),
        Step("star.runoff", {"options": list(pair), "votes": [ahead, behind], "best": stand.best(pair)}),
    ]
