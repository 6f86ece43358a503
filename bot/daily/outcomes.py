"""What became of a day's messages, in each channel."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta

from bot.clubs.model import Channel, Club, is_paused
from bot.daily.model import DAILY, EXTRA, NOTICE, Outcome, OutcomeKind
from bot.delivery.model import Delivery
from bot.schedule.slots import instant, local_day, slot_on, weekday_of
from bot.storage import deliveries, picks, slots
from bot.storage.database import Tx

_STATES: dict[str, OutcomeKind] = {
    "due": "waiting",
    "claimed": "waiting",
    "uncertain": "uncertain",
    "sent": "sent",
    "missed": "missed",
}


def outcomes(tx: Tx, club: Club, day: date, now: datetime) -> list[Outcome]:
    """Everything due on a local day, by time; then the channels without a daily paper, and why."""
    start = instant(day, time(0), club.zone)
    end = instant(day + timedelta(days=1), time(0), club.zone)
    rows = {row.id: row for row in deliveries.deliveries_due(tx, club.id, start, end)}
    rows |= {row.id: row for row in deliveries.list_deliveries(tx, club.id, DAILY, day.isoformat())}
    back = picks.taken_back(tx, club.id)
    told = [_outcome(tx, row, back) for row in rows.values() if _is_told(row)]
    daily = {row.address.channel_id for row in rows.values() if row.kind == DAILY}
    told += [
        _without_row(tx, club, channel, day, now) for channel in club.channels if channel.id not in daily
    ]
    return told


def _is_told(row: Delivery) -> bool:
    """Messages in channels: neither changes to them, nor what one person was told."""
    return row.payload.get("op") not in ("edit", "remove") and not row.address.person


def _outcome(tx: Tx, row: Delivery, back: Mapping[str, int]) -> Outcome:
    post = row.kind in (DAILY, EXTRA)
    pick = picks.find_pick(tx, row.club_id, row.subject) if post else None
    undone = back.get(row.subject) if post and pick is None else None
    return Outcome(
        channel=row.address.name,
        platform=row.address.platform,
        kind=f"{NOTICE}.{row.payload.get('notice')}" if row.kind == NOTICE else row.kind,
        what=_STATES[row.state],
        due=row.due_at,
        at=row.sent_at if row.state == "sent" else row.next_try,
        reason=row.reason if undone is None else "undone",
        paper_id=pick.paper_id if pick is not None and row.state != "missed" else undone,
        native_id=row.address.native_id,
    )


def _without_row(tx: Tx, club: Club, channel: Channel, day: date, now: datetime) -> Outcome:
    """Why there is nothing about the daily paper in one channel; by the settings as they are now."""
    settings = club.settings

    def outcome(what: OutcomeKind, due: datetime | None = None, reason: str = "") -> Outcome:
        return Outcome(
            channel.name, channel.platform, DAILY, what, due, reason=reason, native_id=channel.native_id
        )

    if day < local_day(club.created_at, club.zone):
        return outcome("before_club")
    if not settings.daily_on or not settings.daily_days:
        return outcome("off")
    if weekday_of(day) not in settings.daily_days:
        return outcome("not_scheduled")
    due = slot_on(day, settings.daily_time, club.zone).due
    if now < due:
        return outcome("later", due, "paused" if is_paused(club, due) else "")
    if due < club.created_at:
        return outcome("before_club", due)
    if due < deliveries.channel_since(tx, channel.id):
        return outcome("before_channel", due)
    waiting = slots.find_slot(tx, club.id, DAILY)
    if waiting is not None and waiting.day <= day:
        return outcome("waiting", due)
    return outcome("unknown", due)
