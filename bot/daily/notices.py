"""What a club is told about its daily papers without asking: few or none are left, one did not come."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from bot.clubs.model import Club
from bot.daily.due import first_slot
from bot.daily.model import DAILY, FEW, LAP, MISSED, NOTICE
from bot.delivery.model import Delivery
from bot.delivery.planning import plan_deliveries
from bot.schedule.slots import GRACE
from bot.storage import deliveries, picks
from bot.storage.database import Tx

RETURN = timedelta(days=3)
"""How long a notice of a missed paper waits for a channel that cannot be written to: over a weekend."""

SILENT = frozenset({"paused", "used_up", "left", "gone", "unsure", "nothing"})
"""Reasons for a paper that was given up which need no notice, or where it might be wrong."""


def tell_left(tx: Tx, club: Club, subject: str, now: datetime, left: int) -> None:
    """Tell a club that few papers are left to post; once, until there are more again or none."""
    if not 0 < left <= FEW:
        picks.tell_left(tx, club.id, "")
    elif picks.tell_left(tx, club.id, "few_left"):
        _tell(tx, club, f"few_left:{subject}", now, {"notice": "few_left", "left": left})


def tell_used_up(tx: Tx, club: Club, subject: str, now: datetime, shelves: picks.Shelves) -> None:
    """Tell a club that no papers are left, once until a paper can be posted again, and what can be done."""
    if picks.tell_left(tx, club.id, "used_up"):
        again = _comes_again(tx, club, now, shelves) if club.settings.start_over else None
        payload = {
            "notice": "used_up",
            "chosen": bool(club.settings.daily_topics),
            "start_over": club.settings.start_over,
            "again": again,
            "empty": not shelves.topics(club.id),
        }
        _tell(tx, club, f"used_up:{subject}", now, payload)


def expect_none(tx: Tx, club_id: int) -> None:
    """The club knows that it has no papers: it is not told so until it had some."""
    picks.tell_left(tx, club_id, "used_up")


def _comes_again(tx: Tx, club: Club, now: datetime, shelves: picks.Shelves) -> str | None:
    """The day (ISO) on which a list that starts over has a paper again; None when none was ever posted."""
    read = picks.shown_papers(tx, club.id, now + LAP)  # no pick is so late: only what was discussed
    pool = picks.Pool(shelves, club.id, club.settings.daily_topics, read)
    last = picks.back_from(tx, club.id, {paper for papers in pool.values() for paper in papers})
    slot = None if last is None else first_slot(club, last + LAP)
    return None if slot is None else slot.day.isoformat()


def tell_zone_lost(tx: Tx, club: Club, now: datetime) -> None:
    """Tell a club, once, that its time zone is no longer known."""
    payload = {"notice": "zone_lost", "zone": club.zone}
    plan_deliveries(tx, club.id, NOTICE, f"zone:{club.zone}", now, now + GRACE, payload)


def tell_given_up(tx: Tx, delivery: Delivery, now: datetime) -> None:
    """Tell a channel that its paper of a day was given up; to be called when any delivery is."""
    if delivery.kind == DAILY and delivery.reason not in SILENT:
        channels = [delivery.address.channel_id]
        tell_missed(tx, delivery.club_id, delivery.subject, now, delivery.reason, channels)


def tell_missed(
    tx: Tx, club_id: int, day: str, now: datetime, reason: str, channels: Collection[int] | None = None
) -> None:
    """Tell channels of a club (all by default) that the paper of `day` (ISO) does not come any more.

    What waits to be told of another day is given up: on return, only the latest is told.
    """
    payload = {"reason": reason}
    deliveries.miss_waiting(tx, club_id, MISSED, "newer", but=day)
    deliveries.put_deliveries(
        tx,
        club_id,
        MISSED,
        day,
        state="due",
        due=now,
        give_up=now + RETURN,
        payload=payload,
        channels=channels,
    )


def _tell(tx: Tx, club: Club, subject: str, now: datetime, payload: Mapping[str, Any]) -> None:
    """Plan a notice to the club, behind the paper it is about."""
    plan_deliveries(tx, club.id, NOTICE, subject, now + timedelta(seconds=1), now + GRACE, payload)
