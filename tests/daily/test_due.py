"""What a slot that has come means."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest

from bot.clubs.model import WEEKDAYS, Club, Settings, is_paused
from bot.daily.due import decide, first_slot
from bot.schedule.slots import slot_on

CLUB = Club(
    1,
    "The club",
    "en",
    "Europe/Berlin",
    "00",
    Settings(daily_days=WEEKDAYS),
    datetime(2026, 1, 1, tzinfo=UTC),
)
SLOT = slot_on(date(2026, 11, 25), time(9), "Europe/Berlin")


def local(day: int, hour: int, minute: int = 0) -> datetime:
    """An instant in November 2026 by the club's wall clock."""
    return datetime(2026, 11, day, hour - 1, minute, tzinfo=UTC)


def test_a_slot_is_posted_and_the_next_day_waited_for() -> None:
    day = decide(SLOT, CLUB, local(25, 9))
    assert day.post == SLOT
    assert day.missed == ()
    assert day.then == slot_on(date(2026, 11, 26), time(9), "Europe/Berlin")


@pytest.mark.parametrize(
    ("now", "posted"), [(local(25, 9, 5), True), (local(25, 20, 59), True), (local(25, 21), False)]
)
def test_a_late_slot_is_posted_within_its_grace_time(now: datetime, posted: bool) -> None:
    day = decide(SLOT, CLUB, now)
    assert (day.post is not None) == posted
    assert [reason for _, reason in day.missed] == ([] if posted else ["away"])


def test_an_evening_slot_is_never_posted_on_the_next_day() -> None:
    evening = slot_on(date(2026, 11, 25), time(22), "Europe/Berlin")
    club = replace(CLUB, settings=replace(CLUB.settings, daily_time=time(22)))
    assert decide(evening, club, local(25, 23, 59)).post == evening
    assert decide(evening, club, local(26, 1)).post is None


def test_after_days_away_only_the_day_itself_is_posted() -> None:
    day = decide(SLOT, CLUB, local(28, 12))
    assert day.post is not None and day.post.day == date(2026, 11, 28)
    assert [(slot.day.day, reason) for slot, reason in day.missed] == [
        (25, "away"),
        (26, "away"),
        (27, "away"),
    ]
    assert day.then is not None and day.then.day == date(2026, 11, 29)


def test_before_the_hour_of_the_day_nothing_of_the_days_away_is_posted() -> None:
    day = decide(SLOT, CLUB, local(28, 8))
    assert day.post is None
    assert [slot.day.day for slot, _ in day.missed] == [25, 26, 27]
    assert day.then is not None and day.then.day == date(2026, 11, 28)


def test_a_very_long_absence_is_recorded_for_its_last_month() -> None:
    day = decide(SLOT, CLUB, SLOT.due + timedelta(days=400, hours=13))
    assert day.post is None
    assert 30 <= len(day.missed) <= 33
    assert day.missed[0][0] == SLOT


def test_days_that_were_paused_say_so() -> None:
    club = replace(CLUB, paused_at=local(25, 8), paused_until=local(27, 8))
    day = decide(SLOT, club, local(27, 9, 30))
    assert [(slot.day.day, reason) for slot, reason in day.missed] == [(25, "paused"), (26, "paused")]
    assert day.post is not None and day.post.day == date(2026, 11, 27)


def test_nothing_is_posted_while_the_club_is_paused() -> None:
    club = replace(CLUB, paused_at=local(25, 9, 1))
    day = decide(SLOT, club, local(25, 9, 2))
    assert day.post is None
    assert day.missed == ((SLOT, "paused"),)


def test_a_pause_lasts_until_just_before_its_end() -> None:
    club = replace(CLUB, paused_at=local(25, 8), paused_until=local(26, 8))
    assert not is_paused(club, local(25, 7))
    assert is_paused(club, local(25, 8))
    assert not is_paused(club, local(26, 8))
    assert is_paused(replace(club, paused_until=None), local(30, 8))


@pytest.mark.parametrize("settings", [Settings(daily_on=False), Settings(daily_days=())])
def test_a_club_without_a_daily_paper_has_no_slot(settings: Settings) -> None:
    club = replace(CLUB, settings=settings)
    assert first_slot(club, local(25, 9)) is None
    assert decide(SLOT, club, local(25, 9)).post is None
    assert decide(SLOT, club, local(25, 9)).then is None
