"""Where all ways to break a tie inside a count lead to."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

MOST = 250
"""So many different stands of one count are followed; with 25 options that are all level there are millions."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """Options elected on every branch, and on at least one."""

    sure: frozenset[str]
    possible: frozenset[str]

    @property
    def same(self) -> bool:
        """Whether it does not matter how ties are broken."""
        return self.sure == self.possible


class Stand(Hashable, Protocol):
    """Where a count stands. Equal stands go on equally."""

    def onward(self) -> Outlook | Sequence[Self]:
        """How it ends, if it ends here, else every stand that may come next."""
        ...

    def bound(self) -> Outlook:
        """What can be said without counting on: never fewer possible ones, never more sure ones than there are."""
        ...


def follow(start: Stand, seen: dict[Stand, Outlook]) -> Outlook:
    """Follow all branches; beyond MOST stands the bound of each is taken, so that nobody is left out.

    `seen` begins empty and is kept through a whole count: what was followed once is known.
    """

    def walk(stand: Stand) -> Outlook:
        if stand not in seen:
            if len(seen) >= MOST:
                return stand.bound()
            seen[stand] = stand.bound()
            found = stand.onward()
            seen[stand] = found if isinstance(found, Outlook) else merge(walk(after) for after in found)
        return seen[stand]

    return walk(start)


def merge(outlooks: Iterable[Outlook]) -> Outlook:
    """What several branches come to together."""
    each = list(outlooks)
    return Outlook(
        frozenset.intersection(*(outlook.sure for outlook in each)),
        frozenset.union(*(outlook.possible for outlook in each)),
    )
