"""When rounds are reminded of, close, wait for a decision and meet: what the clock asks, of clubs that live."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from bot.storage.database import Tx, from_us, to_us
from bot.storage.rounds import LIVING

Due = list[tuple[int, int]]
"""Club and id of rounds, the longest due first."""

REMIND = timedelta(hours=3)
"""So long before its closing a vote is reminded of; one open for less than twice that, at a third of its length."""

_REMIND = REMIND // timedelta(microseconds=1)
_REMIND_AT = (
    f"closes_at - CASE WHEN closes_at - opens_at >= {2 * _REMIND} THEN {_REMIND}"
    " ELSE (closes_at - opens_at) / 3 END"
)
_TO_REMIND = "state = 'voting' AND reminded_at IS NULL"
_VOTING = "state = 'voting'"
_WAITING = "outcome = 'waiting'"
"""A tie that went to a runoff says until when it runs, too, and says it ever after."""


def due_closings(tx: Tx, now: datetime) -> Due:
    """Voting rounds whose closing has come."""
    return _due(tx, f"{_VOTING} AND closes_at <= :now", "closes_at", now=to_us(now))


def next_closing(tx: Tx) -> datetime | None:
    """The earliest closing of any voting round."""
    return _next(tx, _VOTING, "closes_at")


def closings_within(tx: Tx, start: datetime, end: datetime) -> Due:
    """Voting rounds whose closing lies in this time, both ends included."""
    within = f"{_VOTING} AND closes_at BETWEEN :start AND :end"
    return _due(tx, within, "closes_at", start=to_us(start), end=to_us(end))


def early_closings(tx: Tx, opened: datetime, now: datetime) -> Due:
    """Rounds that close once all have voted, opened by `opened` and due later than `now`."""
    where = f"{_VOTING} AND opens_at <= :opened AND closes_at > :now AND rules LIKE :wanted"
    # As json.dumps writes the frozen rules: there is no JSON function in the common ground.
    wanted = '%"close_early": true%'
    return _due(tx, where, "closes_at", opened=to_us(opened), now=to_us(now), wanted=wanted)


def due_decisions(tx: Tx, now: datetime) -> Due:
    """Rounds whose tie no organiser decided in time."""
    return _due(tx, f"{_WAITING} AND waits_until <= :now", "waits_until", now=to_us(now))


def next_decision(tx: Tx) -> datetime | None:
    """The earliest instant at which a tie waits for an organiser no longer."""
    return _next(tx, _WAITING, "waits_until")


def due_reminders(tx: Tx, now: datetime) -> Due:
    """Voting rounds that are to be reminded of, and not closed yet; by the closing as it stands."""
    where = f"{_TO_REMIND} AND {_REMIND_AT} <= :now AND closes_at > :now"
    return _due(tx, where, "closes_at", now=to_us(now))


def next_reminder(tx: Tx) -> datetime | None:
    """The earliest instant at which a vote is to be reminded of."""
    return _next(tx, _TO_REMIND, _REMIND_AT)


def due_meetings(tx: Tx, now: datetime) -> Due:
    """Decided rounds whose meeting has begun."""
    return _due(tx, "state = 'decided' AND meeting_at <= :now", "meeting_at", now=to_us(now))


def _due(tx: Tx, where: str, order: str, **values: Any) -> Due:
    rows = tx.rows(f"SELECT club_id, id FROM round WHERE {where} AND {LIVING} ORDER BY {order}, id", **values)
    return [(int(row[0]), int(row[1])) for row in rows]


def _next(tx: Tx, where: str, at: str) -> datetime | None:
    first = tx.rows(f"SELECT MIN({at}) FROM round WHERE {where} AND {LIVING}")[0][0]
    return None if first is None else from_us(first)
