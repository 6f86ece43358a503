"""What a counting method is given, and the shape all methods share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from bot.rounds.model import Step, Tally

NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True)
class Vote:
    """One ballot as a method reads it, or `count` equal ones. A method reads the field it needs.

    `ranking` holds tiers, best first; equal options share a tier, unranked ones come after all ranked ones.
    A ballot that says nothing in that field is blank: present, without a wish. `paid` is what each of its voters
    has paid in earlier rounds, in papers; only fair turns read it.
    """

    count: int = 1
    approvals: tuple[str, ...] = ()
    ranking: tuple[tuple[str, ...], ...] = ()
    scores: Mapping[str, int] = field(default_factory=dict)
    paid: Fraction = NOTHING


class Settle(Protocol):
    """Puts level options in order, best first, by the tie chain; None where the chain cannot tell them apart.

    `context` names the place in the count ('winner', 'round-2', 'seat-3') and is part of a draw. The steps tell
    how, and belong into the tally where the tie arose.
    """

    def __call__(
        self, level: Sequence[str], context: str, /
    ) -> tuple[tuple[str, ...] | None, tuple[Step, ...]]: ...


class Method(Protocol):
    """A pure function from ballots to a `Tally`, exact.

    Without `settle` no tie is broken: where a tie inside the count matters, all its branches are followed, and
    what only some of them elect is `tied`; where all elect the same, the tally says so and nothing is tied. With
    `settle` a tie inside the count is settled where it arises; a tie for the last place at the very end stays
    `tied` in either case. The order of `options` decides the order of names in the tally and nothing else.
    `seats` is at least 1. `rules` are the method's own settings (a default option, a quorum, a highest score);
    others are ignored. The caller guarantees that ballots name only `options`, each once.
    """

    def __call__(
        self,
        votes: Sequence[Vote],
        options: Sequence[str],
        seats: int,
        rules: Mapping[str, Any],
        /,
        settle: Settle | None = None,
    ) -> Tally: ...
