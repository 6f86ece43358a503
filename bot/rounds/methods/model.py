"""What a counting method is given, and the shape all methods share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from bot.rounds.model import Tally


@dataclass(frozen=True, slots=True)
class Vote:
    """One ballot as a method reads it, or `count` equal ones. A method reads the field it needs.

    `ranking` holds tiers, best first; equal options share a tier, unranked ones come after all ranked ones.
    A ballot that says nothing in that field is blank: present, without a wish.
    """

    count: int = 1
    approvals: tuple[str, ...] = ()
    ranking: tuple[tuple[str, ...], ...] = ()
    scores: Mapping[str, int] = field(default_factory=dict)


class Method(Protocol):
    """A pure function from ballots to a `Tally`, exact and without breaking any tie.

    The order of `options` decides the order of names in the tally and nothing else. `seats` is at least 1.
    `rules` are the method's own settings (a default option, a quorum, a highest score); others are ignored.
    The caller guarantees that ballots name only `options`, each once.
    """

    def __call__(
        self, votes: Sequence[Vote], options: Sequence[str], seats: int, rules: Mapping[str, Any], /
    ) -> Tally: ...
