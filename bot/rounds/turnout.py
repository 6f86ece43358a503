"""Who has voted in a round, of those who usually do."""

from __future__ import annotations

from bot.rounds.model import Round, Turnout
from bot.storage import ballots as store
from bot.storage import links
from bot.storage.database import Tx


def turnout_of(tx: Tx, over: Round) -> Turnout:
    """How many have voted, of how many active members: those with a ballot in one of the last four rounds.

    `active` is None while the club has no history, and never smaller than `voted`.
    """
    voted = store.count_voted(tx, over.id)
    active = store.count_active(tx, over.club_id, over.opens_at)
    linked = links.count_linked(tx, over.club_id, over.id)
    return Turnout(voted, max(active, voted) if active else None, linked)


def all_active_voted(tx: Tx, over: Round) -> bool:
    """Whether every member who was active when a round opened has a ballot in it, and there was at least one.

    Active are those with a ballot in one of the four rounds before it. False where receipts of those rounds were
    deleted, since nobody knows then who is missing. Whoever wanted papers alone that were withdrawn since has to
    say something anew.
    """
    active, are_all = store.active_members(tx, over.club_id, over.opens_at)
    return bool(active) and are_all and active <= store.voters(tx, over.id) - _emptied(tx, over)


def _emptied(tx: Tx, over: Round) -> set[int]:
    """Members of whose ballot nothing is left but papers that were withdrawn."""
    gone = {each.position for each in over.candidates if each.withdrawn}
    if not gone:
        return set()
    said = (
        (line.member_id, store.load_positions(line.payload or "[]")) for line in store.replay(tx, over.id)
    )
    return {
        member
        for member, positions in said
        if member is not None and positions and gone.issuperset(positions)
    }


def blanked_by(tx: Tx, over: Round, position: int) -> list[int]:
    """Members whose ballot names, of what can still be chosen, this candidate alone: without it, it is blank."""
    standing = {each.position for each in over.candidates if not each.withdrawn} | {position}
    return [
        member_id
        for _, member_id, payload in store.replay(tx, over.id)
        if member_id is not None
        and payload is not None
        and standing.intersection(store.load_positions(payload)) == {position}
    ]
