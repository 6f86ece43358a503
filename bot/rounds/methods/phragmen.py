"""Fair turns: a paper costs 1, shared by those who approve it; the one that costs its supporters least wins.

With nothing paid before and one place this is approval voting, with more places Phragmén's sequential rule (Lackner
and Skowron, Multi-Winner Voting with Approval Preferences, 2.5); with what was paid in earlier rounds it is Perpetual
Phragmén (Lackner and Maly, AAAI 2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import Any

from bot.rounds.methods.branches import Outlook, Stand, follow
from bot.rounds.methods.model import Settle, Vote
from bot.rounds.model import Step, Tally


@dataclass(frozen=True, slots=True)
class _Books:
    """Who approves what, by index of the vote; votes of nobody are left out."""

    options: tuple[str, ...]
    counts: tuple[int, ...]
    supporters: Mapping[str, tuple[int, ...]]

    def voters(self, option: str) -> int:
        return sum(self.counts[vote] for vote in self.supporters[option])


def _books(votes: Sequence[Vote], options: Sequence[str]) -> _Books:
    found: dict[str, list[int]] = {option: [] for option in options}
    for number, vote in enumerate(votes):
        for option in vote.approvals if vote.count else ():
            found[option].append(number)
    return _Books(
        tuple(options),
        tuple(vote.count for vote in votes),
        {option: tuple(numbers) for option, numbers in found.items()},
    )


@dataclass(frozen=True, slots=True)
class _Stand:
    """Who is elected so far, and what the voters of each vote have paid by then."""

    elected: frozenset[str]
    paid: tuple[Fraction, ...]
    places: int
    books: _Books = field(compare=False)

    def left(self) -> list[str]:
        return [option for option in self.books.options if option not in self.elected]

    def prices(self) -> dict[str, Fraction]:
        """What each supporter would have paid once the option is elected; without those nobody supports."""
        whole = lcm(*{paid.denominator for paid in self.paid})
        owed = [
            paid.numerator * (whole // paid.denominator) * count
            for paid, count in zip(self.paid, self.books.counts, strict=True)
        ]
        return {
            option: Fraction(
                whole + sum(owed[vote] for vote in supporters), whole * self.books.voters(option)
            )
            for option in self.left()
            if (supporters := self.books.supporters[option])
        }

    def elect(self, option: str, price: Fraction) -> _Stand:
        paid = list(self.paid)
        for vote in self.books.supporters[option]:
            paid[vote] = price
        return replace(self, elected=self.elected | {option}, paid=tuple(paid), places=self.places - 1)

    def onward(self) -> Outlook | list[_Stand]:
        prices = self.prices()
        level = _cheapest(prices) or self.left()
        if not prices or self.places <= 1:
            some = frozenset(level)
            sure = some if len(some) <= self.places else frozenset()
            return Outlook(self.elected | sure, self.elected | (some if self.places else frozenset()))
        return [self.elect(option, prices[option]) for option in level]

    def bound(self) -> Outlook:
        return Outlook(self.elected, frozenset(self.books.options))


def _cheapest(prices: Mapping[str, Fraction]) -> list[str]:
    least = min(prices.values(), default=None)
    return [option for option, price in prices.items() if price == least]


def charge(votes: Sequence[Vote], elected: Sequence[str]) -> tuple[Fraction, ...]:
    """What each vote's voters have paid, in papers, after these were elected in this order; parallel to `votes`.

    Only supporters pay, all of them up to the same; whoever voted blank or for others keeps what they had.
    """
    named = dict.fromkeys((*elected, *(option for vote in votes for option in vote.approvals)))
    stand = _Stand(frozenset(), tuple(vote.paid for vote in votes), len(elected), _books(votes, tuple(named)))
    for option in elected:
        price = stand.prices().get(option)
        stand = stand if price is None else stand.elect(option, price)
    return stand.paid


def count_phragmen(
    votes: Sequence[Vote],
    options: Sequence[str],
    seats: int,
    rules: Mapping[str, Any],
    settle: Settle | None = None,
) -> Tally:
    """Fill the `seats` one by one, each with the option that brings its supporters to the least paid each.

    Options nobody approves come after all others and are level. Steps: `phragmen.counts`, then a `phragmen.seat`
    for each place (fractions as text), `same` where ties need no breaking, `phragmen.tie` or `tie`.
    """
    books = _books(votes, options)
    ballots = sum(books.counts)
    blank = sum(vote.count for vote in votes if not vote.approvals)
    scores = {option: books.voters(option) for option in options}
    steps = [Step("phragmen.counts", {"scores": scores, "ballots": ballots, "blank": blank})]
    if ballots == blank:
        steps.append(Step("no_decision", {"ballots": ballots}))
        return Tally("phragmen", (), (), "no-decision", scores, tuple(steps))
    stand = _Stand(frozenset(), tuple(vote.paid for vote in votes), min(seats, len(options)), books)
    winners, tied = _fill(stand, steps, settle)
    return Tally(
        "phragmen", winners, (tied,) if tied else (), "tie" if tied else "decided", scores, tuple(steps)
    )


def _fill(stand: _Stand, steps: list[Step], settle: Settle | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Fill the places that are left: the winners in order, and who competes for what stays open."""
    winners: tuple[str, ...] = ()
    same = False
    seen: dict[Stand, Outlook] = {}
    while stand.places:
        prices = stand.prices()
        if not prices:
            return _fill_unsupported(winners, stand, steps)
        level = _cheapest(prices)
        if len(level) > 1 and not same:
            if stand.places == 1:
                values = {"options": level, "each": str(prices[level[0]]), "places": 1}
                steps.append(Step("phragmen.tie", values))
                return winners, tuple(level)
            outlook = follow(stand, seen)
            same = outlook.same
            order: tuple[str, ...] | None = None
            if same:
                steps.append(Step("same", {"options": level}))
            elif settle:
                order, told = settle(level, f"seat-{len(winners) + 1}")
                steps += told if order else ()
            if order is None and not same:
                winners += tuple(option for option in stand.left() if option in outlook.sure)
                tied = tuple(o for o in stand.left() if o in outlook.possible and o not in outlook.sure)
                places = len(stand.elected) + stand.places - len(winners)
                steps.append(Step("tie", {"options": list(tied), "places": places}))
                return winners, tied
            level = list(order or level)
        steps.append(_seat(stand, prices, level[0], len(winners) + 1))
        winners += (level[0],)
        stand = stand.elect(level[0], prices[level[0]])
    return winners, ()


def _fill_unsupported(
    winners: tuple[str, ...], stand: _Stand, steps: list[Step]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    left = stand.left()
    if len(left) <= stand.places:
        steps.append(Step("phragmen.unsupported", {"options": left}))
        return (*winners, *left), ()
    ballots = sum(stand.books.counts)
    steps.append(Step("tie", {"options": left, "score": 0, "ballots": ballots, "places": stand.places}))
    return winners, tuple(left)


def _seat(stand: _Stand, prices: Mapping[str, Fraction], option: str, seat: int) -> Step:
    """Who took a place at which price, and the next best at theirs."""

    def bill(one: str) -> dict[str, Any]:
        voters = stand.books.voters(one)
        paid = prices[one] * voters - 1
        return {"option": one, "supporters": voters, "paid": str(paid), "each": str(prices[one])}

    others = [other for other in prices if other != option]
    rival = bill(min(others, key=lambda other: prices[other])) if others else None
    return Step("phragmen.seat", {"seat": seat, **bill(option), "rival": rival})
