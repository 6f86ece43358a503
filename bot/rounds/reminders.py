"""One notice in the channel before a vote closes, and one in private to those who asked for it."""

from __future__ import annotations

from datetime import datetime

from bot.delivery.planning import plan_deliveries, plan_private
from bot.rounds.model import NUDGE, REMINDER
from bot.rounds.opening import OPEN
from bot.rounds.reading import get_round
from bot.rounds.turnout import all_active_voted
from bot.storage import members
from bot.storage.ballots import voters
from bot.storage.database import Tx
from bot.storage.rounds import note_reminder
from bot.storage.timetable import due_reminders


def remind(tx: Tx, club_id: int, round_id: int, now: datetime) -> bool:
    """Plan what is said before a round closes, once a round; False when it is not due or was said.

    Where the club has moved meanwhile it goes to the new channel and to that where the poll stands. Once all active
    members have voted the channel hears nothing; who asked for a reminder and has not voted gets it all the same. It
    is of no use any more after the closing.
    """
    if (club_id, round_id) not in due_reminders(tx, now) or not note_reminder(tx, round_id, now):
        return False
    over = get_round(tx, club_id, round_id)
    subject, until, about = f"{round_id}:reminder", over.closes_at, {"round": round_id}
    if not all_active_voted(tx, over):
        poll = (OPEN, f"{round_id}:open")
        plan_deliveries(tx, club_id, REMINDER, subject, now, until, about, beside=poll)
    voted = voters(tx, round_id)
    missing = [each for each in members.asked_for_reminder(tx, club_id) if each not in voted]
    for channel_id, accounts in members.private_ways(tx, club_id, missing).items():
        plan_private(tx, club_id, NUDGE, subject, channel_id, accounts, now, until, about)
    return True
