"""kill -9 of a real process: nothing twice, nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.killing import run_day


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
async def test_a_day_with_five_kills_ends_with_every_message_once(tmp_path: Path, seed: int) -> None:
    report = await run_day(tmp_path, seed, kills=5)
    assert report.faults == []
    assert report.kills >= 5
    assert report.sent >= 80
