"""The clock of the preview moves forward, stops at every event and is remembered."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from adapters.preview.clock import PreviewClock, first_morning, run_until
from adapters.preview.store import PreviewStore
from bot.storage.database import Database
from bot.storage.heartbeat import beat, last_beat

START = datetime(2026, 11, 30, 8, 4, tzinfo=UTC)


class Real:
    """A machine's clock that stands still until told."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
async def store(database: Database) -> PreviewStore:
    store = PreviewStore(database)
    await store.prepare()
    return store


async def test_the_clock_stands_where_it_was_after_a_restart(store: PreviewStore) -> None:
    real = Real()
    first = PreviewClock(store, real)
    assert not await first.load()
    await first.restart(START)
    real.now += timedelta(minutes=7)
    second = PreviewClock(store, real)
    assert await second.load()
    assert first() == second() == START + timedelta(minutes=7)


async def test_a_jump_is_no_outage(store: PreviewStore, database: Database) -> None:
    clock = PreviewClock(store, Real())
    await clock.restart(START)
    await clock.advance_to(START + timedelta(days=3))
    assert await database.read(last_beat) == START + timedelta(days=3)
    assert await database.write(lambda tx: beat(tx, clock())) is None


async def test_the_clock_only_moves_forward(store: PreviewStore) -> None:
    clock = PreviewClock(store, Real())
    await clock.restart(START)
    await clock.advance_to(START - timedelta(days=1))
    assert clock() == START
    await clock.advance_to(START + timedelta(days=1))
    assert clock() == START + timedelta(days=1)


async def test_a_jump_stops_at_every_instant_in_between_in_order(store: PreviewStore) -> None:
    clock = PreviewClock(store, Real())
    await clock.restart(START)
    events = [START + timedelta(hours=hours) for hours in (1, 5, 20, 200)]
    ticks: list[datetime] = []

    async def next_event(now: datetime) -> datetime | None:
        return next((event for event in events if event > now), None)

    async def tick(now: datetime) -> None:
        ticks.append(now)

    target = START + timedelta(days=1)
    await run_until(clock, target, next_event, tick)
    assert ticks == [*events[:3], target]
    assert clock() == target


async def test_something_that_stays_due_does_not_stop_the_clock(store: PreviewStore) -> None:
    clock = PreviewClock(store, Real())
    await clock.restart(START)
    stuck = START - timedelta(minutes=1)

    async def next_event(now: datetime) -> datetime | None:
        return stuck

    async def tick(now: datetime) -> None:
        pass

    await run_until(clock, START + timedelta(hours=1), next_event, tick)
    assert clock() >= START + timedelta(hours=1)


@pytest.mark.parametrize(
    ("real", "expected"),
    [
        ("2026-11-30T23:30", "2026-12-01T09:04"),  # already Tuesday in Berlin
        ("2026-12-04T10:00", "2026-12-04T09:04"),
        ("2026-12-05T10:00", "2026-12-07T09:04"),
        ("2026-12-06T22:59", "2026-12-07T09:04"),
    ],
)
def test_the_first_morning_is_a_weekday_just_after_nine(real: str, expected: str) -> None:
    found = first_morning(datetime.fromisoformat(real).replace(tzinfo=UTC), "Europe/Berlin")
    assert found == datetime.fromisoformat(expected).replace(tzinfo=ZoneInfo("Europe/Berlin"))
    assert found.tzinfo is UTC
