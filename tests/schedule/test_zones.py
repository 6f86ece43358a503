"""What people write for zones, times and weekdays."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clubs.model import WEEKDAYS, WORKDAYS, Weekday
from bot.errors import BadInput
from bot.schedule.slots import next_slot
from bot.schedule.zones import (
    get_zone,
    is_zone,
    lacks_summer_time,
    read_days,
    read_time,
    read_weekday,
    read_zone,
    zone_names,
)


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("EST5EDT", "EST5EDT"),
        ("US/Eastern", "US/Eastern"),
        ("Asia/Calcutta", "Asia/Calcutta"),
        ("EST", "EST"),
        ("europe/berlin", "Europe/Berlin"),
        ("Europe/Berlin ", "Europe/Berlin"),
        ('"Europe/Berlin"', "Europe/Berlin"),
        ("'america/new york'", "America/New_York"),
        ("utc", "UTC"),
    ],
)
def test_good_names_are_taken_and_mended(text: str, zone: str) -> None:
    assert read_zone(text) == zone


@pytest.mark.parametrize(
    "text", ["PST", "UTC+2", "", "  ", "../etc/passwd", "Factory", "Berlin", "Europe/", "\0"]
)
def test_other_names_are_refused_with_examples(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_zone(text)
    assert caught.value.key == "error.zone"
    assert caught.value.field == "zone"
    assert "Europe/Berlin" in caught.value.values["examples"]


def test_a_zone_without_summer_time_is_pointed_out() -> None:
    assert lacks_summer_time("EST")
    assert not lacks_summer_time("America/New_York")
    assert not lacks_summer_time("EST5EDT")


def test_a_zone_that_vanished_counts_as_utc() -> None:
    assert not is_zone("Mars/Olympus")
    assert get_zone("Mars/Olympus").key == "UTC"
    slot = next_slot(datetime(2026, 11, 30, tzinfo=UTC), time(9), WEEKDAYS, "Mars/Olympus")
    assert slot.due == datetime(2026, 11, 30, 9, tzinfo=UTC)


def test_zones_come_from_the_package_on_a_host_without_zone_files() -> None:
    code = "from bot.schedule.zones import zone_names; print(len(zone_names()))"
    answer = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONTZPATH": ""}, capture_output=True, text=True, check=True
    )
    assert int(answer.stdout) == len(zone_names()) > 590


@pytest.mark.parametrize(
    ("text", "expected"),
    [("9:00", "09:00"), ("09.30", "09:30"), ("9", "09:00"), ("5 pm", "17:00"), ("12am", "00:00"),
     ("12:15 p.m.", "12:15"), ("21h30", "21:30"), ("9：05", "09:05"), (" 23:59 ", "23:59")],
)  # fmt: skip
def test_times_as_people_write_them(text: str, expected: str) -> None:
    assert read_time(text) == time.fromisoformat(expected)


@pytest.mark.parametrize("text", ["24:00", "13 pm", "0 am", "9:5", "9:60", "", "noon", "-1", "9:00:00"])
def test_times_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_time(text)


@pytest.mark.parametrize(
    ("text", "day"),
    [("5", "fri"), ("0", "sun"), ("7", "sun"), ("1", "mon"), ("sun", "sun"), ("Friday", "fri"),
     ("周五", "fri"), ("星期天", "sun"), ("Thurs", "thu"), ("tuesdays", "tue")],
)  # fmt: skip
def test_weekday_numbers_are_those_of_cron(text: str, day: Weekday) -> None:
    assert read_weekday(text) == day


def test_a_weekly_time_written_the_cron_way_falls_on_the_day_meant() -> None:
    monday = datetime(2026, 9, 28, 4, tzinfo=UTC)
    friday = next_slot(monday, time(18), (read_weekday("5"),), "America/New_York")
    assert friday.due == datetime(2026, 10, 2, 22, tzinfo=UTC)
    for text in ("0", "7", "sun"):
        sunday = next_slot(monday, time(9), (read_weekday(text),), "America/New_York")
        assert sunday.due == datetime(2026, 10, 4, 13, tzinfo=UTC)


@pytest.mark.parametrize("text", ["8", "t", "", "day", "2.5", "周", "²"])
def test_weekdays_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_weekday(text)


@pytest.mark.parametrize(
    ("text", "days"),
    [("mon-fri", WORKDAYS), ("1-5", WORKDAYS), ("weekdays", WORKDAYS), ("daily", WEEKDAYS), ("*", WEEKDAYS),
     ("wed, mon", ("mon", "wed")), ("Monday and Wednesday", ("mon", "wed")),
     ("sat-mon", ("mon", "sat", "sun")), ("monday to friday", WORKDAYS), ("周一至周五", WORKDAYS),
     ("mon mon", ("mon",)), ("mon – wed; 5", ("mon", "tue", "wed", "fri"))],
)  # fmt: skip
def test_days_as_people_write_them(text: str, days: tuple[Weekday, ...]) -> None:
    assert read_days(text) == days


@pytest.mark.parametrize("text", ["", "x", "mon-", "mon-tue-wed", "mon, x", "0-8", ","])
def test_days_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_days(text)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (read_zone, read_time, read_weekday, read_days):
        try:
            read(text)  # type: ignore[operator]
        except BadInput as refused:
            assert refused.field
