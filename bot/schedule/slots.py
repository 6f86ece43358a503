"""When a wall time comes: local days and times to instants, by one rule.

The rule: a local time that does not exist is the first valid instant after the gap; one that comes twice is
the first of the two. So every scheduled local day has exactly one slot, whatever clocks do.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from bot.clubs.model import WEEKDAYS, Weekday
from bot.schedule.zones import get_zone

GRACE = timedelta(hours=12)
"""How late a daily post may still go out."""

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Slot:
    """Due at a local time: `scheduled` is the set wall time (naive) in `zone`, `due` the instant in UTC."""

    scheduled: datetime
    zone: str
    due: datetime

    @property
    def day(self) -> date:
        """The scheduled local day: what the slot is about, even where the instant falls on the next day."""
        return self.scheduled.date()

    @property
    def local(self) -> datetime:
        """The wall time clocks really show at `due` (naive); differs from `scheduled` after a gap only."""
        return self.due.astimezone(get_zone(self.zone)).replace(tzinfo=None)


@lru_cache(maxsize=8192)
def instant(day: date, at: time, zone: str) -> datetime:
    """The UTC instant of wall time `at` on `day` in `zone` (IANA); see the rule above.

    On a day the zone skipped altogether (Pacific/Apia, 2011-12-30) it is the first instant of the day after.
    """
    rules = get_zone(zone)
    wanted = datetime.combine(day, at.replace(tzinfo=None, fold=0))
    # fold=0 reads a doubled time as the first, and a missing one with the offset before the gap (PEP 495).
    first = wanted.replace(tzinfo=rules).astimezone(UTC)
    if first.astimezone(rules).replace(tzinfo=None) == wanted:
        return first
    before = wanted.replace(tzinfo=rules, fold=1).astimezone(UTC)
    low, high = 0, int((first - before) / _SECOND)
    while low + 1 < high:  # the clocks jump over `wanted` somewhere in (low, high]
        middle = (low + high) // 2
        shown = (before + middle * _SECOND).astimezone(rules).replace(tzinfo=None)
        low, high = (low, middle) if shown >= wanted else (middle, high)
    return before + high * _SECOND


def slot_on(day: date, at: time, zone: str) -> Slot:
    """The slot of one local day."""
    return Slot(datetime.combine(day, at), zone, instant(day, at, zone))


def weekday_of(day: date) -> Weekday:
    """The day's name as settings write it."""
    return WEEKDAYS[day.weekday()]


def noon(day: date, zone: str) -> datetime:
    """An instant that falls on this day of `zone` for readers almost anywhere; aware UTC."""
    return instant(day, time(12), zone)


def local_day(moment: datetime, zone: str) -> date:
    """The date clocks show in `zone` at an aware instant."""
    return moment.astimezone(get_zone(zone)).date()


def next_slot(after: datetime, at: time, days: Collection[Weekday], zone: str) -> Slot:
    """The first slot strictly later than `after` (aware) on one of `days`. Raises: ValueError for no days."""
    if not days:
        raise ValueError("a schedule needs at least one weekday")
    # A gap can move a slot into the next day, so the search starts a day early.
    day = local_day(after, zone) - _DAY
    while True:
        if weekday_of(day) in days and instant(day, at, zone) > after:
            return slot_on(day, at, zone)
        day += _DAY


def slots_between(
    start: datetime, end: datetime, at: time, days: Collection[Weekday], zone: str
) -> tuple[Slot, ...]:
    """Every slot with ``start <= due < end`` (aware instants), in order; one a scheduled local day."""
    day, last = local_day(start, zone) - _DAY, local_day(end, zone)
    found = []
    while day <= last:
        if weekday_of(day) in days and start <= instant(day, at, zone) < end:
            found.append(slot_on(day, at, zone))
        day += _DAY
    return tuple(found)


def grace_end(slot: Slot, grace: timedelta = GRACE) -> datetime:
    """Until when (exclusive, UTC) a slot may be served: `grace` later, never onto the next local day."""
    midnight = instant(local_day(slot.due, slot.zone) + _DAY, time(0), slot.zone)
    return min(slot.due + grace, midnight)
