"""A process in which members press all the time, and may be killed at any instant; and a recount of what they saw.

Run as a program: `python -m tests.lab.pressing FOLDER RUN LOOPS`. What a member was told stands in a log of theirs,
outside the store, once they were told; LOOPS 0: without end.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.clubs import service as clubs
from bot.clubs.model import Account, Asker, Place
from bot.errors import LimitReached
from bot.rounds import ballots, replay
from bot.rounds import service as rounds
from bot.rounds.log import first_fault
from bot.rounds.nominations import nominate
from bot.rounds.turnout import turnout_of
from bot.storage import ballots as store
from bot.storage.database import Tx
from bot.storage.rounds import find_round
from bot.storage.sqlite import open_sqlite
from tests.lab.killing import ROOT
from tests.lab.stage import stage_papers

OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
MEMBERS, PAPERS = 16, 6


def asker(number: int) -> Asker:
    return Asker(
        Account("preview", "w", f"u{number}"), Place("preview", "w", "c"), f"Member {number}", admin=True
    )


def told_in(folder: Path, run: int) -> Path:
    return folder / f"told-{run}.jsonl"


async def prepare(folder: Path) -> None:
    """A club whose vote stays open for a year."""

    def make(tx: Tx) -> None:
        club = clubs.setup(tx, asker(0), OPENS, name="Readers", zone="UTC")
        for number, paper in enumerate(stage_papers(tx, [("Area", None)] * PAPERS, OPENS)):
            member = clubs.member_of(tx, club.id, asker(number), OPENS)
            nominate(tx, club, member, paper, "", OPENS)
        rounds.open_round(tx, club, OPENS, OPENS + timedelta(days=365))

    database = await open_sqlite(folder / "paperclub.db", readers=1)
    await database.write(make)
    await database.close()


async def press(folder: Path, run: int, loops: int) -> None:
    """All members press at once, a minute later again, and so on; one in eight takes the ballot back."""
    database = await open_sqlite(folder / "paperclub.db", readers=1)
    dice = random.Random(run)
    told = os.open(told_in(folder, run), os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def one(number: int, positions: list[int] | None, now: datetime) -> None:
        def cast(tx: Tx) -> bool:
            member = clubs.member_of(tx, 1, asker(number), now)
            if positions is None:
                return ballots.withdraw(tx, 1, member, now)
            return ballots.cast(tx, 1, member, positions, now).new_event

        try:
            if await database.write(cast):
                os.write(told, f"{json.dumps([number, positions])}\n".encode())
        except LimitReached:  # the other process's clock is ahead
            pass

    now, loop = OPENS + timedelta(days=1 if loops else run), 0
    while not loops or loop < loops:
        loop, now = loop + 1, now + timedelta(minutes=1)
        wishes = [
            sorted(dice.sample(range(1, PAPERS + 1), dice.randint(0, 3))) if dice.random() > 1 / 8 else None
            for _ in range(MEMBERS)
        ]
        await asyncio.gather(*(one(number, wish, now) for number, wish in enumerate(wishes)))
    await database.close()


async def start(folder: Path, run: int, loops: int = 0) -> asyncio.subprocess.Process:
    """The process that presses."""
    words = ("-W", "error", "-m", "tests.lab.pressing", str(folder), str(run), str(loops))
    return await asyncio.create_subprocess_exec(sys.executable, *words, cwd=ROOT)


async def kill_again_and_again(folder: Path, kills: int, seed: int) -> None:
    """Start the process and kill it at a seeded moment soon after somebody was told something, so many times."""
    dice = random.Random(seed)
    for run in range(1, kills + 1):
        process = await start(folder, run)
        told = told_in(folder, run)
        async with asyncio.timeout(120):
            while not (told.exists() and told.stat().st_size):
                assert process.returncode is None
                await asyncio.sleep(0.01)
        await asyncio.sleep(dice.uniform(0, 0.05))
        process.kill()
        await process.wait()


async def recount(folder: Path, runs: int) -> list[str]:
    """Everything in the store that is not as the members' own logs say it must be."""
    database = await open_sqlite(folder / "paperclub.db", readers=1)
    over = await database.read(lambda tx: find_round(tx, 1, 1))
    assert over is not None
    log = await database.read(lambda tx: store.log_of(tx, 1))
    whose = {
        receipt: member for member, _, receipt in await database.read(lambda tx: store.receipts_of(tx, 1))
    }
    numbers = {
        row[0]: int(row[1][1:])
        for row in await database.read(lambda tx: tx.rows("SELECT member_id, native_id FROM account"))
    }
    turnout, counted = await database.read(lambda tx: (turnout_of(tx, over), replay.lines(tx, over)))
    await database.close()
    faults = []
    if (event := first_fault(1, over.opening_head, log)) is not None:
        faults.append(f"the chain breaks at event {event}")
    said: dict[int, list[str | None]] = defaultdict(list)
    for each in log:
        said[numbers[whose[each.receipt]]].append(each.payload)
    for run in range(1, runs + 1):
        told: dict[int, list[str | None]] = defaultdict(list)
        for line in told_in(folder, run).read_text().splitlines():
            number, positions = json.loads(line)
            told[number].append(None if positions is None else store.dump_positions(positions))
        for number, words in told.items():
            rest = iter(said[number])
            if not all(word in rest for word in words):
                faults.append(f"run {run}: a ballot that member {number} saw counted is lost")
    stand = {number: words[-1] for number, words in said.items() if words[-1] is not None}
    got = {numbers[line.member_id or 0]: store.dump_positions(line.positions) for line in counted}
    if got != stand or turnout.voted != len(stand):
        faults.append(f"{len(got)} ballots are counted, {len(stand)} stand, {turnout.voted} voted")
    return faults


if __name__ == "__main__":
    asyncio.run(press(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
