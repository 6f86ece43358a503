"""One of several processes that serve the same store at once, by the real clock.

Run as a program: `python -m tests.lab.contender FOLDER`; it ends when nothing is left to do.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from bot.daily.service import DailyService
from bot.delivery.service import DeliveryService
from bot.schedule.clockwork import Clockwork, system_clock
from bot.storage.database import Tx
from bot.storage.sqlite import open_sqlite
from tests.lab.fakeplatform import FakePlatform
from tests.lab.stage import plain


async def main(folder: Path) -> None:
    database = await open_sqlite(folder / "paperclub.db", readers=1)
    daily = DailyService(database)
    platform = FakePlatform(folder / "platform.jsonl")
    sender = DeliveryService(database, {"preview": platform}, plain, str(os.getpid()))
    stop = asyncio.Event()

    def is_over(tx: Tx) -> bool:
        return not tx.rows("SELECT 1 FROM delivery WHERE state <> 'sent' LIMIT 1")

    async def tick() -> None:
        now = system_clock()
        await daily.due(now)
        await sender.send_due(now)
        if await database.read(is_over):
            stop.set()

    await Clockwork(every=0.05).run(tick, stop)
    await sender.stop()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
