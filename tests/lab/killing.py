"""Kills a busy day at seeded moments until it is over, and tells what is wrong then."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bot.daily.model import DAILY
from bot.delivery.model import Delivery
from bot.delivery.trouble import TROUBLE
from bot.schedule.slots import slots_between
from bot.storage.database import Tx
from bot.storage.deliveries import list_deliveries
from bot.storage.sqlite import open_sqlite
from tests.lab import busy_day
from tests.lab.fakeplatform import FakePlatform

TICKS = (busy_day.BUSY + busy_day.QUIET) // busy_day.STEP
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Report:
    """How often the process was killed, what went out, and every fault found."""

    kills: int
    sent: int
    faults: list[str]


async def run_day(folder: Path, seed: int, kills: int) -> Report:
    """Live through one day with so many kills at seeded moments, then look at the store and the platform."""
    dice = random.Random(seed)
    await busy_day.prepare(folder)
    killed = 0
    while True:
        tick = dice.randint(1, TICKS // (kills + 1)) if killed < kills else 0
        words = ["-m", "tests.lab.busy_day", str(folder), str(dice.randrange(10**6)), str(tick)]
        process = await asyncio.create_subprocess_exec(sys.executable, "-W", "error", *words, cwd=ROOT)
        status = await asyncio.wait_for(process.wait(), 60)
        if status == 0:
            break
        if status != -signal.SIGKILL:
            return Report(killed, 0, [f"the process ended with {status}"])
        killed += 1
    return await _look(folder, killed)


async def _look(folder: Path, killed: int) -> Report:
    database = await open_sqlite(folder / "paperclub.db", readers=1)
    rows = await database.read(_expected)
    edits = await database.read(_edits)
    await database.close()
    held = [
        message
        for message in FakePlatform(folder / "platform.jsonl").held()
        if not message.text.startswith(TROUBLE)  # what refusals were told of, which no day owes
    ]
    faults = [
        f"{key} was not edited: {row.state} {row.reason}" for key, row in edits.items() if row.state != "sent"
    ]
    if not edits:
        faults.append("nothing was edited")
    for key, row in rows.items():
        text = f"closed {key[2]}" if key in edits else f"{key[1]} {key[2]}"
        mine = [message for message in held if row is not None and message.marker == row.marker]
        if row is None or row.state != "sent":
            faults.append(f"{key} lost: {row and (row.state, row.reason)}")
        elif [message.id for message in mine] != [row.message_id]:
            faults.append(f"{key} stands {len(mine)} times")
        elif not mine[0].text.startswith(text):
            faults.append(f"{key} reads {mine[0].text}")
    if len(held) != len(rows):
        faults.append(f"{len(held)} messages stand, {len(rows)} were due")
    texts = defaultdict(set)
    for message in held:
        texts[message.channel.split("-")[0], message.text.rsplit(" p")[0]].add(message.text)
    faults += [f"{key} shows different papers" for key, found in texts.items() if len(found) > 1]
    return Report(killed, len(held), faults)


def _edits(tx: Tx) -> dict[tuple[str, str, str], Delivery]:
    """The edit of every further message but those of the last round, by the key of the message."""
    moments = [busy_day.START + timedelta(hours=hour) for hour in range(48)]
    subjects = [subject for moment in moments if (subject := busy_day.further(moment))]
    return {
        (row.address.native_id, "note", subject): row
        for club in busy_day.clubs_of(tx)
        for subject in subjects[:-1]
        for row in list_deliveries(tx, club.id, "closed", subject)
    }


def _expected(tx: Tx) -> dict[tuple[str, str, str], Delivery | None]:
    """Every message the day owes, worked out from the clubs alone, and its row."""
    found: dict[tuple[str, str, str], Delivery | None] = {}
    end = busy_day.START + busy_day.BUSY + busy_day.QUIET
    moments = [busy_day.START + timedelta(hours=hour) for hour in range(48)]
    for club in busy_day.clubs_of(tx):
        settings = club.settings
        days = slots_between(busy_day.START, end, settings.daily_time, settings.daily_days, club.zone)
        keys = [(DAILY, slot.day.isoformat()) for slot in days]
        keys += [("note", subject) for moment in moments if (subject := busy_day.further(moment))]
        for kind, subject in keys:
            rows = {row.address.channel_id: row for row in list_deliveries(tx, club.id, kind, subject)}
            for channel in club.channels:
                found[channel.native_id, kind, subject] = rows.get(channel.id)
    return found
