"""The club's week, in a transaction: open a round, close it, and what the clock does of it. The door to this room."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Literal

from bot.clubs.model import Club, Member, is_paused
from bot.delivery.planning import plan_deliveries, record_missed
from bot.errors import Conflict, StoreError
from bot.rounds.closing import (
    EARLY,
    close_if_all_voted,
    close_if_over,
    close_round,
    plan_discussion,
    settle_unvoted,
)
from bot.rounds.counting import count_round
from bot.rounds.deciding import decide_tie, decide_waiting, find_waiting
from bot.rounds.extending import SHORTEST, extend, extend_for_outage, meeting_after
from bot.rounds.freezing import freeze, opening_facts, rules_of, without_twins
from bot.rounds.model import MAX_CANDIDATES, Outcome, Result, Round
from bot.rounds.opening import OPEN, closing_after, next_opening, reset_opening
from bot.rounds.reading import count_read, find_open_round, find_sheet, get_result, get_round, history
from bot.rounds.reminders import remind
from bot.rounds.turnout import all_active_voted
from bot.schedule.slots import GRACE, Slot, slots_between
from bot.storage import nominations, timetable
from bot.storage import rounds as store
from bot.storage.acts import put_act
from bot.storage.clubs import find_club
from bot.storage.database import Database, Tx
from bot.storage.slots import drop_slot, due_slots, find_slot, put_slot, scheduled_clubs

__all__ = [
    "SHORTEST",
    "Happened",
    "close_if_all_voted",
    "close_if_over",
    "close_round",
    "count_read",
    "count_round",
    "decide_tie",
    "extend",
    "extend_for_outage",
    "find_open_round",
    "find_sheet",
    "find_waiting",
    "get_result",
    "get_round",
    "history",
    "meeting_after",
    "open_due",
    "open_round",
    "opening_facts",
    "refresh",
    "run_due",
]

log = logging.getLogger(__name__)

_BATCH = 200


# ---- open ----


def open_round(
    tx: Tx, club: Club, now: datetime, closes_at: datetime | None = None, by: Member | None = None
) -> Round:
    """Freeze the club's list into a round and plan its announcement, in one transaction.

    Without `closes_at` it closes at the club's next closing time at least an hour away; the meeting is the
    next after that which has no paper yet. Both instants and the rules are frozen. No nomination: the round is
    over with that outcome. One: it is chosen without a vote. Raises: Conflict('open.already', round_id, when),
    Conflict('open.nothing') where an organiser (`by`) opens a vote on nothing.
    """
    running = find_open_round(tx, club.id)
    if running is not None:
        raise Conflict("open.already", round_id=running.id, when=running.closes_at)
    listed = without_twins(nominations.list_open_nominations(tx, club.id))[:MAX_CANDIDATES]
    if by is not None and not listed:
        raise Conflict("open.nothing")
    closes = closes_at or closing_after(club, now + SHORTEST)
    chosen = store.find_last_meeting(tx, club.id)
    meeting = meeting_after(club, max(closes, chosen or closes))
    rules = rules_of(tx, club, now)
    frozen = freeze(tx, club.id, club.settings.method, rules, listed, now, closes, meeting)
    put_act(tx, club.id, by.id if by else None, now, "open", round=frozen.id)
    give_up = closes
    if len(listed) < 2:
        outcome: Outcome = "single" if listed else "no_nomination"
        settle_unvoted(tx, Result(frozen, outcome, 1 if listed else None, {}, 0, 0), now)
        give_up = now + GRACE
    poll = (OPEN, f"{frozen.id}:open")
    plan_deliveries(tx, club.id, *poll, now, give_up, {"round": frozen.id})
    opened = get_round(tx, club.id, frozen.id)
    if opened.outcome == "single":
        plan_discussion(tx, opened, poll, now)
    return opened


# ---- the clock ----


@dataclass(frozen=True, slots=True)
class Happened:
    """Something the clock did: a poll or result is new. `missed`: an opening that did not take place."""

    club_id: int
    round_id: int | None
    what: Literal["opened", "closed", "decided", "reminded", "discussed", "missed"]


async def run_due(database: Database, now: datetime) -> list[Happened]:
    """Close, decide, open, end and remind of what is due, each in a transaction of its own that asks again
    whether it still is.

    One read when nothing is due. Closings come first: an end and a beginning may share an instant.
    """

    def due(tx: Tx) -> tuple[timetable.Due, ...]:
        openings = [(club_id, 0) for club_id, _ in due_slots(tx, OPEN, now, _BATCH)]
        return (
            [*timetable.due_closings(tx, now), *_all_voted(tx, now)],
            timetable.due_decisions(tx, now),
            openings,
            timetable.due_meetings(tx, now),
            timetable.due_reminders(tx, now),
        )

    works = (_close_due, _decide_due, _open_due, _meet_due, _remind_due)
    happened: list[Happened] = []
    for work, wanted in zip(works, await database.read(due), strict=True):
        group = [partial(work, club_id=club_id, round_id=round_id, now=now) for club_id, round_id in wanted]
        happened += await _run(database, group)
    return happened


async def _run(database: Database, group: Sequence[Callable[[Tx], Happened | None]]) -> list[Happened]:
    happened = []
    for outcome in await asyncio.gather(*map(database.write, group), return_exceptions=True):
        match outcome:
            case Happened():
                happened.append(outcome)
            case Exception() if not isinstance(outcome, StoreError):
                # One club that cannot be served does not stop the others.
                log.error("a club's week stands still", exc_info=outcome)
            case BaseException():
                raise outcome
    return happened


def _all_voted(tx: Tx, now: datetime) -> timetable.Due:
    """Rounds to be closed before their time."""
    early = timetable.early_closings(tx, now - EARLY, now)
    return [each for each in early if all_active_voted(tx, get_round(tx, *each))]


def _close_due(tx: Tx, club_id: int, round_id: int, now: datetime) -> Happened | None:
    over = get_round(tx, club_id, round_id)
    if over.state != "voting":
        return None
    if over.closes_at <= now:
        close_round(tx, club_id, round_id, now)
    elif close_if_all_voted(tx, round_id, now) is None:
        return None
    return Happened(club_id, round_id, "closed")


def _decide_due(tx: Tx, club_id: int, round_id: int, now: datetime) -> Happened | None:
    if decide_waiting(tx, club_id, round_id, now) is None:
        return None
    return Happened(club_id, round_id, "decided")


def _open_due(tx: Tx, club_id: int, round_id: int, now: datetime) -> Happened | None:
    return open_due(tx, club_id, now)


def _meet_due(tx: Tx, club_id: int, round_id: int, now: datetime) -> Happened:
    store.mark_discussed(tx, round_id, now)
    return Happened(club_id, round_id, "discussed")


def _remind_due(tx: Tx, club_id: int, round_id: int, now: datetime) -> Happened | None:
    return Happened(club_id, round_id, "reminded") if remind(tx, club_id, round_id, now) else None


def open_due(tx: Tx, club_id: int, now: datetime) -> Happened | None:
    """Serve a club's opening slot if it has come, and set the next one.

    Late, it still opens within the grace time and before its closing, then for at least an hour. Otherwise it
    is recorded as missed with the reason: 'away', 'paused', 'voting' (the round before is not over) or
    'decided' (an early vote gave its meeting a paper), or 'removed' (the bot is in no server of the club).
    """
    slot = find_slot(tx, club_id, OPEN)
    if slot is None or slot.due > now:
        return None
    club = find_club(tx, club_id)
    then = next_opening(club, now) if club is not None else None
    if club is None or then is None:
        drop_slot(tx, club_id, OPEN)
        return None
    put_slot(tx, club_id, OPEN, then)
    moment = timedelta(microseconds=1)
    at, days = club.settings.vote_opens_time, (club.settings.vote_opens_day,)
    passed = (slot, *slots_between(slot.due + moment, now + moment, at, days, club.zone))
    for missed in passed[:-1]:
        _note_missed(tx, club_id, missed, "away")
    return _open_slot(tx, club, passed[-1], now)


def _open_slot(tx: Tx, club: Club, slot: Slot, now: datetime) -> Happened:
    closes = closing_after(club, slot.due)
    reason = ""
    if is_paused(club, now):
        reason = "paused"
    elif now >= min(slot.due + GRACE, closes):
        reason = "away"
    elif find_open_round(tx, club.id) is not None:
        reason = "voting"
    elif (chosen := store.find_last_meeting(tx, club.id)) is not None and chosen > closes:
        reason = "decided"
    elif not club.channels:
        reason = "removed"
    if reason:
        _note_missed(tx, club.id, slot, reason)
        put_act(tx, club.id, None, now, "open.missed", day=slot.day.isoformat(), reason=reason)
        return Happened(club.id, None, "missed")
    opened = open_round(tx, club, now, max(closes, now + SHORTEST))
    return Happened(club.id, opened.id, "opened")


def _note_missed(tx: Tx, club_id: int, slot: Slot, reason: str) -> None:
    record_missed(tx, club_id, OPEN, slot.scheduled.isoformat(timespec="minutes"), slot.due, reason)


async def refresh(database: Database, now: datetime) -> None:
    """Once at start: work out every club's next opening anew; the rules of its zone may have changed."""
    after: int | None = 0
    while after is not None:
        after = await database.write(partial(_refresh, after=after, now=now))


def _refresh(tx: Tx, after: int, now: datetime) -> int | None:
    batch = scheduled_clubs(tx, after, _BATCH)
    for club_id in batch:
        club = find_club(tx, club_id)
        if club is not None:
            reset_opening(tx, club, now)
    return batch[-1] if batch else None
