"""Every change of clocks in the zone data, and an independent answer to when a wall time comes."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from bot.clubs.model import WEEKDAYS
from bot.schedule.slots import next_slot
from bot.schedule.zones import get_zone

CASE_TIMES = (time(0), time(0, 30), time(1, 30), time(2), time(2, 30), time(3), time(9), time(23, 30))
_HOUR = timedelta(hours=1)
_DAY = timedelta(days=1)


def _offset(zone: str, moment: datetime) -> timedelta:
    found = moment.astimezone(get_zone(zone)).utcoffset()
    assert found is not None
    return found


def changes_of(zone: str, first: int = 2024, last: int = 2030) -> list[datetime]:
    """The instants (to the minute, UTC) at which the offset of `zone` changes in these years."""
    found = []
    moment, end = datetime(first, 1, 1, tzinfo=UTC), datetime(last + 1, 1, 1, tzinfo=UTC)
    while moment < end:
        later = moment + _DAY
        if _offset(zone, moment) != _offset(zone, later):
            low, high = moment, later
            while high - low > timedelta(minutes=1):
                middle = low + (high - low) // 2
                low, high = (middle, high) if _offset(zone, middle) == _offset(zone, low) else (low, middle)
            found.append(high.replace(second=0, microsecond=0))
        moment = later
    return found


def expected_instant(day: date, at: time, zone: str) -> datetime:
    """When `at` comes on `day`, from the offsets around it alone: no fold, no search of ours."""
    wanted = datetime.combine(day, at, UTC)
    offsets = {_offset(zone, wanted + step * _HOUR) for step in range(-30, 31)}
    valid = [wanted - offset for offset in offsets if _offset(zone, wanted - offset) == offset]
    if valid:
        return min(valid)
    # In a gap: the minute at which the shown time first passes the wanted one.
    moment = wanted - max(offsets) - timedelta(minutes=1)
    while moment + _offset(zone, moment) < wanted:
        moment += timedelta(minutes=1)
    return moment


def check_window(zone: str, change: datetime, at: time) -> bool:
    """Whether stepping from slot to slot around a change gives each of six days once, at its instant."""
    middle = (change + _offset(zone, change)).date()
    days = [middle + step * _DAY for step in range(-3, 3)]
    expected = [(day, expected_instant(day, at, zone)) for day in days]
    moment, found = expected[0][1] - timedelta(microseconds=1), []
    for _ in days:
        slot = next_slot(moment, at, WEEKDAYS, zone)
        found.append((slot.day, slot.due))
        moment = slot.due
    return found == expected
