"""A candidate leaves an open vote, in a transaction: who is told, and how much longer the vote is open."""

from __future__ import annotations

from datetime import datetime

from bot.delivery.planning import plan_private
from bot.rounds.closing import close_if_empty
from bot.rounds.extending import extend_for_withdrawal
from bot.rounds.model import BLANKED, Candidate, Round
from bot.rounds.reading import get_round
from bot.rounds.turnout import blanked_by
from bot.storage.database import Tx
from bot.storage.members import private_ways
from bot.storage.rounds import withdraw_candidate


def leave_round(tx: Tx, club_id: int, nomination_id: int, now: datetime) -> int | None:
    """A nomination falls out of the open vote it is a candidate of; that vote's id, None where there is none.

    The vote closes with its last candidate, a second vote with the last but one. Else it is open for 24 hours more
    at least, and whoever wanted this paper alone is told that their ballot is blank now.
    """
    round_id = withdraw_candidate(tx, club_id, nomination_id, now)
    if round_id is None or close_if_empty(tx, club_id, round_id, now):
        return round_id
    over = get_round(tx, club_id, round_id)
    gone = next(each for each in over.candidates if each.nomination_id == nomination_id)
    extend_for_withdrawal(tx, over, gone, now)
    _tell_blanked(tx, get_round(tx, club_id, round_id), gone, now)
    return round_id


def _tell_blanked(tx: Tx, over: Round, gone: Candidate, now: datetime) -> None:
    about = {"round": over.id, "paper": gone.paper.id}
    key = (BLANKED, f"{over.id}:{gone.position}")
    blanked = blanked_by(tx, over, gone.position)
    for channel_id, accounts in private_ways(tx, over.club_id, blanked).items():
        plan_private(tx, over.club_id, *key, channel_id, accounts, now, over.closes_at, about)
