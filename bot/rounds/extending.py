"""Closings that move, always to later: for the time nobody could vote, and for a paper that was withdrawn."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clubs.model import Club
from bot.clubs.service import get_club
from bot.rounds.model import Candidate, Round
from bot.rounds.reading import get_round
from bot.schedule.slots import next_slot
from bot.storage import rounds as store
from bot.storage.acts import put_act
from bot.storage.database import Tx
from bot.storage.timetable import closings_within

SHORTEST = timedelta(hours=1)
"""A vote is never open for less, however late it opens; an outage moves a deadline at least so far."""
DAY = timedelta(hours=24)
"""So long members have at least to look at their ballots again once a paper was withdrawn; a runoff lasts so long."""


def meeting_after(club: Club, moment: datetime) -> datetime:
    """The club's first meeting later than `moment`."""
    settings = club.settings
    return next_slot(moment, settings.meeting_time, (settings.meeting_day,), club.zone).due


def extend_for_outage(tx: Tx, away_from: datetime, away_to: datetime, now: datetime) -> list[Round]:
    """Move every closing that fell into an outage by its length, so that it is at least an hour away.

    Call it at start, before anything else is due and before platforms connect. The record of the round keeps
    the outage, and its poll tells it. A meeting that would come before the new closing moves to the next.
    """
    return [
        extend(tx, club_id, round_id, away_from, away_to, now)
        for club_id, round_id in closings_within(tx, away_from, away_to)
    ]


def extend(
    tx: Tx, club_id: int, round_id: int, away_from: datetime, away_to: datetime, now: datetime
) -> Round:
    """Move one round's closing by the time nobody could vote; members have as long as they had before."""
    over = get_round(tx, club_id, round_id)
    _move(tx, over, max(over.closes_at + (away_to - away_from), now + SHORTEST))
    store.note_outage(tx, round_id, away_from, away_to)
    put_act(tx, club_id, None, now, "extend", round=round_id)
    return get_round(tx, club_id, round_id)


def extend_for_withdrawal(tx: Tx, over: Round, gone: Candidate, now: datetime) -> bool:
    """A paper left the ballot: whoever wanted it has 24 hours to say something else; False when they have anyway."""
    if over.closes_at - now >= DAY:
        return False
    _move(tx, over, now + DAY)
    assert gone.paper.id is not None  # it was nominated from the catalogue
    store.note_withdrawal(tx, over.id, gone.paper.id)
    put_act(tx, over.club_id, None, now, "extend", round=over.id, reason="withdrawn", paper=gone.paper.id)
    return True


def _move(tx: Tx, over: Round, closes: datetime) -> None:
    meeting = over.meeting_at
    if meeting is not None and meeting <= closes:
        meeting = meeting_after(get_club(tx, over.club_id), closes)
    store.move_closing(tx, over.id, closes, meeting)
    if over.rules.runoff_of is not None:
        store.move_wait(tx, over.rules.runoff_of, closes)
