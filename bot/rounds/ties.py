"""How ties are broken: a chain of rules that were fixed before anybody voted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Literal

from bot.rounds.methods import Vote, find_method
from bot.rounds.model import Step, Tally, TieRule, Ties

Link = Literal["age", "draw"]
Groups = tuple[tuple[str, ...], ...]

WINNER = "winner"
"""The context of the tie at the end of a count."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the chain may know of an option: when it was nominated (UTC), its place on the frozen list, its name.

    `name` is what a draw calls the option; '' stands for the option itself.
    """

    nominated_at: datetime | None = None
    position: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """What breaks a tie, in order; callable as `Settle` of methods/model.py.

    With `rule` 'draw' the draw alone, with any other the oldest nomination and then the draw: a runoff or an
    organiser that cannot serve leaves the tie to age. The draw needs its `seed` ('' where there is none) and
    `round_id`; without it, papers of one instant stand as on the list.
    """

    rule: Ties
    entries: Mapping[str, Entry]
    seed: str = ""
    round_id: str = ""

    def __call__(
        self, level: Sequence[str], context: str, /
    ) -> tuple[tuple[str, ...] | None, tuple[Step, ...]]:
        return self._order(tuple(level), context, self.links)

    @property
    def links(self) -> tuple[Link, ...]:
        """The rules that can serve, first one first."""
        age: tuple[Link, ...] = () if self.rule == "draw" else ("age",)
        return (*age, "draw") if self.seed else age

    def part(self, link: Link, level: Sequence[str], context: str) -> tuple[Groups, Step]:
        """Level options in groups, best first, by one rule; one group where it cannot tell them apart."""
        if link == "draw":
            return self._draw(level, context)
        return self._age(level)

    def _order(
        self, level: tuple[str, ...], context: str, links: tuple[Link, ...]
    ) -> tuple[tuple[str, ...] | None, tuple[Step, ...]]:
        if len(level) < 2:
            return level, ()
        if not links:
            return None, ()
        groups, step = self.part(links[0], level, context)
        steps, order, settled = [step], list[str](), True
        for group in groups:
            within, more = self._order(group, context, links[1:])
            steps += more
            order += within or ()
            settled = settled and within is not None
        return tuple(order) if settled else None, tuple(steps)

    def _age(self, level: Sequence[str]) -> tuple[Groups, Step]:
        dates = {option: self.entries[option].nominated_at for option in level if option in self.entries}
        known = {option: at for option, at in dates.items() if at is not None}
        if len(known) < len(level):
            return (tuple(level),), Step("tie.age.unknown", {"options": list(level)})

        def age(option: str) -> tuple[datetime, int]:
            return known[option], 0 if self.seed else self.entries[option].position or 0

        groups = _groups(level, age)
        ordered = [option for group in groups for option in group]
        when = {option: known[option].isoformat() for option in ordered}
        told = {"options": ordered, "nominated": when, "settled": len(groups) == len(level)}
        return groups, Step("tie.age", told)

    def _draw(self, level: Sequence[str], context: str) -> tuple[Groups, Step]:
        """By SHA-256 of 'seed|round|context|name': what is drawn from is public before the seed can be known.

        The principle is that of RFC 3797.
        """
        hashes = {option: self._lot(option, context) for option in level}
        groups = _groups(level, hashes.__getitem__)
        ordered = [option for group in groups for option in group]
        told = {
            "options": ordered,
            "context": context,
            "hashes": {option: hashes[option] for option in ordered},
        }
        return groups, Step("tie.draw", told | {"age": "age" in self.links})

    def _lot(self, option: str, context: str) -> str:
        entry = self.entries.get(option)
        name = entry.name if entry is not None and entry.name else option
        return hashlib.sha256(f"{self.seed}|{self.round_id}|{context}|{name}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Decision:
    """Who is elected after the chain, by which `rule`; `winners` is None when it could not settle it.

    `shared`: so many steps of the tally still hold once the tie is broken, None for all of them; see `story`.
    """

    winners: tuple[str, ...] | None
    rule: TieRule
    steps: tuple[Step, ...] = ()
    shared: int | None = None


def story(tally: Tally, decision: Decision) -> tuple[Step, ...]:
    """The whole count in the order it went, each step once: the tally's and, from where they part, the decision's."""
    return (*tally.steps[: decision.shared], *decision.steps)


def decide(
    method: str,
    votes: Sequence[Vote],
    options: Sequence[str],
    seats: int,
    rules: Mapping[str, Any],
    chain: Chain | None,
) -> tuple[Tally, Decision]:
    """Count, and break the tie if there is one: the tally before any tie-break, and what the chain makes of it.

    Only where ties matter the ballots are counted again with the chain, so that a tie inside the count is settled
    where it arose. The decision's steps begin where the second count takes another way; see `story`.
    Raises: BadInput, for a method that is unknown or not built.
    """
    count = find_method(method)
    tally = count(votes, options, seats, rules)
    if tally.outcome != "tie" or chain is None:
        return tally, break_ties(tally, seats, chain)
    settled = count(votes, options, seats, rules, settle=chain)
    decision = break_ties(settled, seats, chain)
    same = _same(tally.steps, settled.steps)
    steps = (*settled.steps[same:], *decision.steps)
    rule = _rule_of(steps) if decision.winners else ""
    return tally, Decision(decision.winners, rule, steps, same)


def break_ties(tally: Tally, seats: int, chain: Chain | None) -> Decision:
    """Fill the places a tally left open, by the chain. Without a tie its winners stand."""
    if tally.outcome != "tie":
        return Decision(tally.winners if tally.outcome == "decided" else None, "")
    winners, level = tally.winners, tuple(dict.fromkeys(option for group in tally.tied for option in group))
    if chain is None:
        return Decision(None, "", (Step("tie.open", {"options": list(level)}),))
    steps: list[Step] = []
    for link in chain.links:
        groups, step = chain.part(link, level, WINNER)
        steps.append(step)
        winners, level = _fill(winners, groups, seats)
        if not level:
            chosen = list(winners[len(tally.winners) :])
            steps.append(Step("tie.settled", {"rule": link, "options": chosen}))
            return Decision(winners, link, tuple(steps))
    steps.append(Step("tie.open", {"options": list(level)}))
    return Decision(None, "", tuple(steps))


def settle_among(tally: Tally, left: Sequence[str], chain: Chain) -> Decision:
    """A tie for one place that was decided late, between those of the tied options that had not left by then."""
    gone = [option for group in tally.tied for option in group if option not in left]
    order, steps = chain(left, WINNER)
    told = (Step("tie.left", {"options": gone}), *steps)
    return Decision(order[:1] if order else None, _rule_of(steps) if order else "", told)


def _fill(winners: tuple[str, ...], groups: Groups, seats: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Seat whole groups, best first: who has a seat now, and the group that competes for what is left, if any."""
    for group in groups:
        if len(winners) + len(group) > seats:
            return winners, group if len(winners) < seats else ()
        winners += group
    return winners, ()


def _groups(level: Sequence[str], key: Any) -> Groups:
    return tuple(tuple(group) for _, group in groupby(sorted(level, key=key), key=key))


def _same(one: Sequence[Step], other: Sequence[Step]) -> int:
    """How many steps both begin with."""
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _rule_of(steps: Sequence[Step]) -> TieRule:
    """The last rule that was needed anywhere."""
    kinds = {step.kind for step in steps}
    return "draw" if "tie.draw" in kinds else "age" if "tie.age" in kinds else ""
