"""Many kills of a process in which members press all the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab import pressing


@pytest.mark.soak
async def test_a_hundred_kills_lose_no_ballot_whose_member_saw_it_counted(tmp_path: Path) -> None:
    await pressing.prepare(tmp_path)
    await pressing.kill_again_and_again(tmp_path, kills=100, seed=2)
    assert await pressing.recount(tmp_path, 100) == []
