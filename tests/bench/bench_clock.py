"""What the clock costs: ten thousand clubs due at once, an idle tick, the next local time.

Run it by path: ``python tests/bench/bench_clock.py``.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from apscheduler.triggers.cron import CronTrigger

from bot.clubs.model import WEEKDAYS, Club, Place, Settings
from bot.daily.service import DailyService, reset_slots
from bot.delivery.model import Address, Delivery, Sent, Thread
from bot.delivery.service import DeliveryService
from bot.messages.model import Message
from bot.schedule.slots import next_slot
from bot.schedule.zones import get_zone
from bot.storage import clubs
from bot.storage.database import Database, Tx
from bot.storage.sqlite import open_sqlite

CLUBS = 10_000
PAPERS = 6_000
NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
ZONE = "Europe/Berlin"
SETTINGS = Settings(daily_days=WEEKDAYS)


class Nowhere:
    """A platform that takes everything at once."""

    name = "preview"

    async def send(self, to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
        return Sent(marker)

    async def edit(self, to: Address, message_id: str, message: Message, marker: str = "") -> None: ...

    async def remove(self, to: Address, message_id: str) -> None: ...

    async def find_sent(
        self, to: Address, marker: str, thread: Thread | None = None, since: datetime | None = None
    ) -> Sent | None:
        return None

    async def missing_rights(self, to: Address) -> tuple[str, ...]:
        return ()

    async def joined(self, workspace: str, person: str, channel: str = "") -> datetime | None:
        return None

    async def roles(self, workspace: str, person: str) -> tuple[str, ...] | None:
        return None

    def spacing(self, age: timedelta) -> float:
        return 0.2


async def _say(delivery: Delivery) -> Message:
    return Message(delivery.subject, ())


def _fill(tx: Tx) -> None:
    """Ten thousand clubs in one zone, each with a channel, and papers in eighty topics."""
    for number in range(PAPERS):
        tx.run(
            "INSERT INTO paper (authors, area, subarea, abstract, added_at)"
            " VALUES ('[]', :area, :sub, 'x', 0)",
            area=f"Area {number % 8}",
            sub=f"Subarea {number % 80}",
        )
    for number in range(CLUBS):
        club_id = clubs.put_club(tx, "c", "en", ZONE, f"{number:032x}", SETTINGS, NOW - timedelta(days=9))
        clubs.put_channel(tx, club_id, Place("preview", "", str(number)), NOW)
        reset_slots(tx, Club(club_id, "c", "en", ZONE, "", SETTINGS, NOW), NOW - timedelta(hours=1))


async def _watched(work: Awaitable[Any]) -> tuple[float, float]:
    """Seconds that `work` took and the longest time the loop stood still meanwhile."""
    longest, done = 0.0, False

    async def watch() -> None:
        nonlocal longest
        while not done:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - before - 0.001)

    watcher = asyncio.create_task(watch())
    start = time.perf_counter()
    await work
    seconds = time.perf_counter() - start
    done = True
    await watcher
    return seconds, longest


async def _day(database: Database) -> dict[str, float]:
    daily = DailyService(database)
    sender = DeliveryService(database, {"preview": Nowhere()}, _say, "bench")
    found: dict[str, float] = {}
    for name, now in (("first day", NOW), ("second day", NOW + timedelta(days=1))):
        found[f"plan {name}, s"], found[f"plan {name}, loop stalled ms"] = await _watched(daily.due(now))
        found[f"send {name}, s"], found[f"send {name}, loop stalled ms"] = await _watched(
            sender.send_due(now)
        )
    later = NOW + timedelta(days=1, hours=1)
    start = time.perf_counter()
    for _ in range(200):
        await daily.due(later)
        await sender.send_due(later)
    found["idle tick, ms"] = (time.perf_counter() - start) / 200 * 1000
    found["refresh at start, s"], _ = await _watched(daily.refresh(later))
    return {name: value * 1000 if name.endswith("stalled ms") else value for name, value in found.items()}


def _next_times() -> dict[str, float]:
    """Microseconds for the next local time, of ours and of APScheduler's, the best of three turns each."""
    days = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=7 * step) for step in range(1000)]
    at, trigger = SETTINGS.daily_time, CronTrigger(hour=9, minute=0, timezone=get_zone(ZONE))
    ours = theirs = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for moment in days:
            next_slot(moment, at, WEEKDAYS, ZONE)
        middle = time.perf_counter()
        for moment in days:
            trigger.get_next_fire_time(None, moment)
        ours, theirs = min(ours, middle - start), min(theirs, time.perf_counter() - middle)
    return {
        "next local time, us": ours / len(days) * 1e6,
        "the same by CronTrigger, us": theirs / len(days) * 1e6,
    }


def bench_clock() -> dict[str, float]:
    """Figures by name, printed too."""

    async def run() -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            database = await open_sqlite(Path(folder) / "paperclub.db")
            await database.write(_fill)
            try:
                return await _day(database)
            finally:
                await database.close()

    figures = asyncio.run(run()) | _next_times()
    for name, value in figures.items():
        print(f"clock, {CLUBS:,} clubs: {name} {value:.2f}")
    return figures


if __name__ == "__main__":
    bench_clock()
