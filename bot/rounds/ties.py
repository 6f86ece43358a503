"""How ties are broken: a chain of rules that were fixed before anybody voted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal, Protocol

from bot.rounds.model import Step, Tally

TieRuleName = Literal["", "age", "draw"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What the chain may know of an option: when it was nominated (UTC) and its place on the frozen list."""

    nominated_at: datetime | None = None
    position: int | None = None


class TieRule(Protocol):
    """Parts level options into groups, best first; one group when the rule cannot tell them apart."""

    def __call__(
        self, level: Sequence[str], entries: Mapping[str, Entry], /
    ) -> tuple[tuple[tuple[str, ...], ...], Step]: ...


@dataclass(frozen=True, slots=True)
class Decision:
    """Who is elected after the chain, by which `rule`; `winners` is None when it could not settle it."""

    winners: tuple[str, ...] | None
    rule: TieRuleName
    steps: tuple[Step, ...] = ()


def by_age(level: Sequence[str], entries: Mapping[str, Entry]) -> tuple[tuple[tuple[str, ...], ...], Step]:
    """The oldest nomination first; of one instant, the one that stood higher on the list.

    Both were fixed before the vote and need no trust. Where an option has no date, the rule cannot tell.
    """
    dates = {option: entries[option].nominated_at for option in level if option in entries}
    known = {option: at for option, at in dates.items() if at is not None}
    if len(known) < len(level):
        return (tuple(level),), Step("tie.age.unknown", {"options": list(level)})

    def age(option: str) -> tuple[datetime, int]:
        place = entries[option].position
        return known[option], 0 if place is None else place

    groups = tuple(tuple(group) for _, group in groupby(sorted(level, key=age), key=age))
    ordered = [option for group in groups for option in group]
    when = {option: known[option].isoformat() for option in ordered}
    return groups, Step(
        "tie.age", {"options": ordered, "nominated": when, "settled": len(groups) == len(level)}
    )


CHAIN: tuple[tuple[TieRuleName, TieRule], ...] = (("age", by_age),)
"""In this order. The draw whose seed is sealed at opening will be the second link."""


def break_ties(tally: Tally, seats: int, entries: Mapping[str, Entry]) -> Decision:
    """Fill the places a tally left open, by the chain. Without a tie its winners stand."""
    if tally.outcome != "tie":
        return Decision(tally.winners if tally.outcome == "decided" else None, "")
    winners, level = tally.winners, tally.tied[0]
    steps: list[Step] = []
    for name, rule in CHAIN:
        groups, step = rule(level, entries)
        steps.append(step)
        for group in groups:
            if len(winners) + len(group) > seats:
                level = group
                break
            winners += group
            if len(winners) == seats:
                steps.append(
                    Step("tie.settled", {"rule": name, "options": list(winners[len(tally.winners) :])})
                )
                return Decision(winners, name, tuple(steps))
    steps.append(Step("tie.open", {"options": list(level)}))
    return Decision(None, "", tuple(steps))
