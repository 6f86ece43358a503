"""Fair turns: what a member has paid before a vote, and what they have paid after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import median

from bot.rounds.methods.model import NOTHING, Vote


def starting_load(loads: Iterable[Fraction]) -> Fraction:
    """Where a newcomer begins: the median of what active members have paid, so that they neither outweigh all nor none.

    Of an even number, the mean of the two in the middle; nothing where nobody has paid yet.
    """
    paid = list(loads)
    return median(paid) if paid else NOTHING


def paid_by(member_id: int | None, loads: Mapping[int, Fraction], new: Fraction | None = None) -> Fraction:
    """What a member has paid so far; who has no load yet begins with `new`, the starting load of all by default."""
    if member_id is not None and member_id in loads:
        return loads[member_id]
    return starting_load(loads.values()) if new is None else new


def loads_after(
    members: Sequence[int | None], votes: Sequence[Vote], charged: Sequence[Fraction]
) -> dict[int, Fraction]:
    """The new loads of those whose ballot is not blank; `charged` is what each vote's voter has paid then.

    Whoever stands behind two ballots pays for both.
    """
    after: dict[int, Fraction] = {}
    for member, vote, load in zip(members, votes, charged, strict=True):
        if member is not None and vote.approvals:
            after[member] = after.get(member, vote.paid) + load - vote.paid
    return after
