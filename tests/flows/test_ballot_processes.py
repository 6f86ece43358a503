"""Ballots survive kill -9 and a second process on the same file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.lab import pressing


async def test_ten_kills_lose_no_ballot_whose_member_saw_it_counted(tmp_path: Path) -> None:
    await pressing.prepare(tmp_path)
    await pressing.kill_again_and_again(tmp_path, kills=10, seed=1)
    assert await pressing.recount(tmp_path, 10) == []


async def test_two_processes_that_cast_at_once_lose_no_ballot(tmp_path: Path) -> None:
    await pressing.prepare(tmp_path)
    processes = [await pressing.start(tmp_path, run, loops=20) for run in (1, 2)]
    async with asyncio.timeout(120):
        assert [await process.wait() for process in processes] == [0, 0]
    assert await pressing.recount(tmp_path, 2) == []
    told = [len(pressing.told_in(tmp_path, run).read_text().splitlines()) for run in (1, 2)]
    assert min(told) > pressing.MEMBERS
