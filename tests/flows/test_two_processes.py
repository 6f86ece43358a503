"""Two processes started by mistake on one store."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.clubs.model import WEEKDAYS, Settings
from bot.daily.service import reset_slots
from bot.schedule.zones import get_zone
from bot.storage.database import Tx
from bot.storage.sqlite import open_sqlite
from tests.lab.fakeplatform import FakePlatform
from tests.lab.killing import ROOT
from tests.lab.stage import stage_club, stage_papers

CLUBS, CHANNELS = 12, 3


async def test_two_processes_on_one_store_post_once(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    due = now - timedelta(minutes=2)
    zone = f"Etc/GMT{now.hour - 12:+}"  # where it is noon: the post is neither before nor after midnight
    noon = now.astimezone(get_zone(zone))

    def make(tx: Tx) -> None:
        stage_papers(tx, [("Theory", None)] * 20, due)
        for _ in range(CLUBS):
            settings = Settings(daily_days=WEEKDAYS, daily_time=(noon - timedelta(minutes=1)).time())
            club = stage_club(tx, due, zone=zone, settings=settings, channels=CHANNELS)
            reset_slots(tx, club, due)

    database = await open_sqlite(tmp_path / "paperclub.db", readers=1)
    await database.write(make)
    await database.close()
    words = ("-W", "error", "-m", "tests.lab.contender", str(tmp_path))
    processes = [await asyncio.create_subprocess_exec(sys.executable, *words, cwd=ROOT) for _ in range(2)]
    async with asyncio.timeout(60):
        assert [await process.wait() for process in processes] == [0, 0]
    posts = FakePlatform(tmp_path / "platform.jsonl").posts()
    assert len(posts) == CLUBS * CHANNELS
    assert set(posts.values()) == {1}
