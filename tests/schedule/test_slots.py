"""One rule for local times, in ordinary and in odd zones."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta

import pytest

from bot.clubs.model import WEEKDAYS, WORKDAYS
from bot.schedule.slots import grace_end, instant, next_slot, slot_on, slots_between
from bot.schedule.zones import zone_names
from tests.lab.changes import CASE_TIMES, changes_of, check_window


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "at", "zone", "expected"),
    [
        ("2026-07-01", "09:00", "Europe/Berlin", "2026-07-01 07:00"),
        ("2026-01-15", "09:00", "Asia/Kolkata", "2026-01-15 03:30"),
        # An hour that does not exist: the first valid instant after the gap.
        ("2026-03-29", "02:30", "Europe/Berlin", "2026-03-29 01:00"),
        ("2026-03-08", "02:30", "America/New_York", "2026-03-08 07:00"),
        ("2026-04-24", "00:30", "Africa/Cairo", "2026-04-23 22:00"),
        ("2026-03-28", "23:30", "America/Nuuk", "2026-03-29 01:00"),
        ("2026-10-04", "02:15", "Australia/Lord_Howe", "2026-10-03 15:30"),
        # An hour that comes twice: the first.
        ("2026-10-25", "02:30", "Europe/Berlin", "2026-10-25 00:30"),
        ("2026-11-01", "01:30", "America/New_York", "2026-11-01 05:30"),
        ("2026-04-05", "01:45", "Australia/Lord_Howe", "2026-04-04 14:45"),
        # Days that a zone skipped altogether.
        ("2011-12-30", "09:00", "Pacific/Apia", "2011-12-30 10:00"),
        ("1994-12-31", "09:00", "Pacific/Kiritimati", "1994-12-31 10:00"),
        ("1993-08-21", "00:00", "Pacific/Kwajalein", "1993-08-21 12:00"),
    ],
)
def test_a_wall_time_has_one_instant(day: str, at: str, zone: str, expected: str) -> None:
    assert instant(date.fromisoformat(day), time.fromisoformat(at), zone) == utc(expected)


def test_the_next_post_shows_a_time_that_exists() -> None:
    evening = utc("2026-03-08 01:00")
    slot = next_slot(evening, time(2, 30), WEEKDAYS, "America/New_York")
    assert slot.scheduled == datetime(2026, 3, 8, 2, 30)
    assert slot.local == datetime(2026, 3, 8, 3, 0)
    assert next_slot(slot.due, time(2, 30), WEEKDAYS, "America/New_York").due == utc("2026-03-09 06:30")


@pytest.mark.parametrize(
    ("zone", "around"),
    [
        ("Europe/Berlin", "2026-03-29"),
        ("America/New_York", "2026-03-08"),
        ("US/Pacific", "2022-03-13"),
        ("Africa/Cairo", "2026-04-24"),
    ],
)
def test_midnight_slots_skip_no_day_around_a_change(zone: str, around: str) -> None:
    middle = datetime.combine(date.fromisoformat(around), time(12), UTC)
    start, end = middle - timedelta(days=5), middle + timedelta(days=5)
    days = [slot.day for slot in slots_between(start, end, time(0), WEEKDAYS, zone)]
    assert days == [days[0] + timedelta(days=step) for step in range(len(days))]
    assert len(days) == 10


def test_a_weekly_vote_keeps_its_local_hour_over_the_change() -> None:
    first = next_slot(utc("2026-10-20 00:00"), time(9), ("wed",), "Europe/Berlin")
    second = next_slot(first.due, time(9), ("wed",), "Europe/Berlin")
    assert (first.due, second.due) == (utc("2026-10-21 07:00"), utc("2026-10-28 08:00"))
    assert first.local.time() == second.local.time() == time(9)


def test_a_slot_is_strictly_later_than_the_instant_asked_for() -> None:
    slot = next_slot(utc("2026-11-27 00:00"), time(9), WORKDAYS, "Europe/Berlin")
    assert slot.day == date(2026, 11, 27)
    assert next_slot(slot.due, time(9), WORKDAYS, "Europe/Berlin").day == date(2026, 11, 30)
    just_before = slot.due - timedelta(microseconds=1)
    assert next_slot(just_before, time(9), WORKDAYS, "Europe/Berlin") == slot


def test_a_schedule_without_days_is_refused() -> None:
    with pytest.raises(ValueError, match="weekday"):
        next_slot(utc("2026-11-27 00:00"), time(9), (), "Europe/Berlin")


def test_a_window_holds_the_slots_from_its_start_to_just_before_its_end() -> None:
    nine = utc("2026-11-30 08:00")
    slots = slots_between(nine, nine + timedelta(days=7), time(9), WORKDAYS, "Europe/Berlin")
    assert [slot.day.isoformat() for slot in slots] == [
        "2026-11-30",
        "2026-12-01",
        "2026-12-02",
        "2026-12-03",
        "2026-12-04",
    ]
    assert slots_between(nine, nine, time(9), WORKDAYS, "Europe/Berlin") == ()


def test_grace_ends_after_twelve_hours_or_with_the_local_day() -> None:
    morning = slot_on(date(2026, 11, 30), time(9), "Europe/Berlin")
    assert grace_end(morning) == utc("2026-11-30 20:00")
    evening = slot_on(date(2026, 11, 30), time(18), "Europe/Berlin")
    assert grace_end(evening) == utc("2026-11-30 23:00")


def test_a_slot_that_a_gap_moves_over_midnight_has_the_day_it_falls_on_as_grace() -> None:
    slot = slot_on(date(2026, 3, 28), time(23, 30), "America/Nuuk")
    assert slot.local == datetime(2026, 3, 29, 0, 0)
    assert grace_end(slot) == slot.due + timedelta(hours=12)


def test_every_local_day_has_exactly_one_slot_in_a_sample_of_all_changes() -> None:
    sample = random.Random(20261130)
    zones = ["America/Nuuk", "Australia/Lord_Howe", *sample.sample(zone_names(), 40)]
    cases = [(zone, change, at) for zone in zones for change in changes_of(zone) for at in CASE_TIMES]
    chosen = sample.sample(cases, min(len(cases), 400))
    assert len(chosen) == 400
    wrong = [case for case in chosen if not check_window(*case)]
    assert wrong == []
