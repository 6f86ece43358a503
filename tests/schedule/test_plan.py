"""Lists of what is due when."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from bot.clubs.model import WEEKDAYS, Club, Settings
from bot.schedule.plan import club_plan, daily_plan

NIGHT = time(2, 30)
MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
WEEK = timedelta(days=7)


def test_a_missing_hour_is_the_first_instant_after_the_gap_and_is_shown() -> None:
    start = datetime(2026, 3, 28, 12, tzinfo=UTC)
    (due,) = daily_plan(NIGHT, WEEKDAYS, "Europe/Berlin", start, start + timedelta(days=1))
    assert due.as_json() == {
        "kind": "daily",
        "scheduled": "2026-03-29T02:30:00",
        "local": "2026-03-29T03:00:00",
        "zone": "Europe/Berlin",
        "utc": "2026-03-29T01:00:00Z",
    }


def test_a_doubled_hour_is_due_once() -> None:
    start = datetime(2026, 10, 24, 12, tzinfo=UTC)
    (due,) = daily_plan(NIGHT, WEEKDAYS, "Europe/Berlin", start, start + timedelta(days=1))
    assert (due.local, due.utc) == ("2026-10-25T02:30:00", "2026-10-25T00:30:00Z")


def test_the_start_belongs_to_the_window_and_the_end_does_not() -> None:
    start = datetime(2026, 11, 2, 9, tzinfo=UTC)
    plan = daily_plan(time(9), WEEKDAYS, "UTC", start, start + timedelta(days=2))
    assert [due.utc for due in plan] == ["2026-11-02T09:00:00Z", "2026-11-03T09:00:00Z"]


def club(**changed: object) -> Club:
    """A club in Berlin with the default settings but for some."""
    settings = Settings(**changed)  # type: ignore[arg-type]
    return Club(1, "One", "en", "Europe/Berlin", "salt", settings, MONDAY - WEEK)


def test_a_week_of_the_defaults_comes_in_order() -> None:
    plan = club_plan(club(), MONDAY, MONDAY + WEEK)
    assert [(due.kind, due.local) for due in plan] == [
        ("daily", "2026-11-02T09:00:00"),
        ("meeting", "2026-11-02T16:00:00"),
        ("daily", "2026-11-03T09:00:00"),
        ("daily", "2026-11-04T09:00:00"),
        ("daily", "2026-11-05T09:00:00"),
        ("open", "2026-11-05T09:00:00"),
        ("daily", "2026-11-06T09:00:00"),
        ("close", "2026-11-06T17:00:00"),
    ]
    assert [due.utc for due in plan] == sorted(due.utc for due in plan)


def test_what_is_switched_off_is_not_planned() -> None:
    assert {due.kind for due in club_plan(club(daily_on=False), MONDAY, MONDAY + WEEK)} == {
        "open",
        "close",
        "meeting",
    }
    assert {due.kind for due in club_plan(club(vote_on=False), MONDAY, MONDAY + WEEK)} == {"daily"}
    assert club_plan(club(daily_on=False, vote_on=False), MONDAY, MONDAY + WEEK) == []


def test_a_paused_club_has_nothing_due_but_the_closing_of_an_open_vote() -> None:
    paused = replace(club(), paused_at=MONDAY, paused_until=MONDAY + timedelta(days=4, hours=12))
    assert [due.kind for due in club_plan(paused, MONDAY, MONDAY + WEEK)] == ["close"]
    later = club_plan(paused, MONDAY + WEEK, MONDAY + 2 * WEEK)
    assert later == club_plan(club(), MONDAY + WEEK, MONDAY + 2 * WEEK)
