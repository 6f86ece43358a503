"""A process that lives through a busy day by a clock that runs fast, and may be killed at any instant.

Run as a program: `python -m tests.lab.busy_day FOLDER SEED KILL_TICK`. It goes on where the last one was
killed. A thread kills the process some milliseconds into or after tick KILL_TICK (0: never), and so does the
platform at times.
Exit status 0: the day is over.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import threading
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

from bot.clubs.model import WEEKDAYS, Club, Settings
from bot.daily.model import DAILY
from bot.daily.service import DailyService, reset_slots
from bot.delivery.model import Address, Delivery
from bot.delivery.planning import plan_deliveries, plan_edits
from bot.delivery.service import DeliveryService
from bot.messages.model import Message
from bot.storage import picks
from bot.storage.clubs import find_club
from bot.storage.database import Database, Tx
from bot.storage.heartbeat import beat, last_beat
from bot.storage.sqlite import open_sqlite
from tests.lab.fakeplatform import FakePlatform, Fault
from tests.lab.stage import stage_club, stage_papers

START = datetime(2026, 11, 30, 0, 0, tzinfo=UTC)
BUSY = timedelta(hours=24)
"""Deliveries are planned for this long; then the day is followed until all retries are over."""
QUIET = timedelta(hours=6)
STEP = timedelta(minutes=10)
ZONES = {"Europe/Berlin": 10, "America/New_York": 6, "Asia/Kolkata": 18, "Pacific/Auckland": 6}
"""Zones and the hour of their daily paper; none falls into the quiet hours."""
CHANNELS = 3
EVERY = 4
"""Hours between two rounds of further messages; each round edits the messages of the one before."""


async def prepare(folder: Path) -> None:
    """Make the store of the day: clubs in several zones with several channels each."""
    database = await open_sqlite(folder / "paperclub.db", readers=1)

    def make(tx: Tx) -> None:
        stage_papers(tx, [("Theory", "Games"), ("Optimization", None), (None, None)] * 4, START)
        for number, (zone, hour) in enumerate(ZONES.items()):
            settings = Settings(daily_time=time(hour), daily_days=WEEKDAYS)
            club = stage_club(
                tx, START, zone=zone, settings=settings, channels=CHANNELS, salt=f"{number:032x}"
            )
            reset_slots(tx, club, START)

    await database.write(make)
    await database.close()


def clubs_of(tx: Tx) -> list[Club]:
    """All clubs of the day."""
    found = [find_club(tx, number) for number in range(1, len(ZONES) + 1)]
    return [club for club in found if club is not None]


def further(now: datetime) -> str | None:
    """The subject of the further messages planned at this instant, if any are."""
    return f"{now:%dT%H}" if now.minute == 0 and now.hour % EVERY == 0 and now < START + BUSY else None


class BadDay:
    """Faults of a bad day: some refusals, some lost words, and now and then the end of this process."""

    def __init__(self, seed: int, deadly: bool) -> None:
        self._dice = random.Random(seed)
        self._deadly = deadly

    def __call__(self, verb: str, to: Address, marker: str) -> Fault:
        roll = self._dice.random()
        if verb == "find":
            return "drop" if roll < 0.1 else None
        if roll < 0.1:
            return "refuse"
        if roll < 0.15:
            return "lose"
        if roll < 0.2:
            return "drop"
        if self._deadly and roll < 0.22:
            return "die" if roll < 0.21 else "die_first"
        return None


class Day:
    """The day on one store: what the house's tick does, by a clock that jumps from step to step."""

    def __init__(self, database: Database, platform: FakePlatform) -> None:
        self.database = database
        self.daily = DailyService(database)
        self.sender = DeliveryService(database, {"preview": platform}, self.render, str(os.getpid()))

    async def render(self, delivery: Delivery) -> Message | None:
        pick = await self.database.read(lambda tx: picks.find_pick(tx, delivery.club_id, delivery.subject))
        paper = f" p{pick.paper_id}" if pick is not None and delivery.kind == DAILY else ""
        return Message(f"{delivery.kind} {delivery.subject}{paper}", ())

    async def tick(self, now: datetime) -> None:
        subject = further(now)
        if subject is not None:
            before = further(now - timedelta(hours=EVERY)) if now > START else None

            def plan(tx: Tx) -> None:
                for club in clubs_of(tx):
                    plan_deliveries(tx, club.id, "note", subject, now, now + timedelta(hours=12))
                    if before is not None:
                        of = ("note", before)
                        plan_edits(tx, club.id, "closed", before, of, now, now + timedelta(hours=12))

            await self.database.write(plan)
        await self.daily.due(now)
        await self.sender.send_due(now)
        await self.database.write(lambda tx: beat(tx, now))

    async def live(self, kill_tick: int, delay: float) -> None:
        before = await self.database.read(last_beat)
        now = START if before is None else before + STEP
        await self.daily.refresh(now)
        await self.sender.adopt(now)
        ticks = 0
        while now < START + BUSY + QUIET:
            ticks += 1
            if ticks == kill_tick:
                kill_in(delay)
            await self.tick(now)
            now += STEP
        await self.sender.stop()


def kill_in(delay: float) -> None:
    """End this process without warning, whatever it does then."""
    killer = threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGKILL))
    killer.daemon = True
    killer.start()


async def main(folder: Path, seed: int, kill_tick: int) -> None:
    database = await open_sqlite(folder / "paperclub.db", readers=1)
    platform = FakePlatform(folder / "platform.jsonl", fault=BadDay(seed, deadly=kill_tick > 0))
    await Day(database, platform).live(kill_tick, delay=random.Random(seed).uniform(0, 0.015))
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
