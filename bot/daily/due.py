"""What a slot that has come means: post, or say why not, and when the next one comes."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clubs.model import Club, is_paused
from bot.daily.model import Day
from bot.schedule.slots import Slot, grace_end, next_slot, slots_between

RECORDED = timedelta(days=31)
"""How far back missed days are written down one by one after a long absence."""

_TICK = timedelta(microseconds=1)


def first_slot(club: Club, now: datetime) -> Slot | None:
    """The club's next daily slot after `now`; None without a daily paper."""
    settings = club.settings
    if not settings.daily_on or not settings.daily_days:
        return None
    return next_slot(now, settings.daily_time, settings.daily_days, club.zone)


def decide(slot: Slot, club: Club, now: datetime) -> Day:
    """What to do about `slot`, due at or before `now`.

    Of all slots that have come since, only the latest is posted, and only within its grace time; the others
    were missed. Nothing is posted while the club is paused.
    """
    settings = club.settings
    then = first_slot(club, max(now, slot.due))
    if then is None:
        return Day(None, (), None)
    since = max(slot.due, now - RECORDED)
    passed = (
        slot,
        *slots_between(since + _TICK, now + _TICK, settings.daily_time, settings.daily_days, club.zone),
    )
    latest = passed[-1]
    missed = [(one, "paused" if is_paused(club, one.due) else "away") for one in passed[:-1]]
    if is_paused(club, latest.due) or is_paused(club, now):
        return Day(None, (*missed, (latest, "paused")), then)
    if now >= grace_end(latest):
        return Day(None, (*missed, (latest, "away")), then)
    return Day(latest, tuple(missed), then)
