"""Many kills of many busy days."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lab.killing import run_day


@pytest.mark.soak
async def test_hundreds_of_kills_lose_and_double_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kills = messages = 0
    wrong = []
    for seed in range(100, 150):
        folder = tmp_path / str(seed)
        folder.mkdir()
        report = await run_day(folder, seed, kills=8)
        kills, messages = kills + report.kills, messages + report.sent
        wrong += [(seed, fault) for fault in report.faults]
    with capsys.disabled():
        print(f"\n{kills} kills, {messages} messages, {len(wrong)} faults")
    assert kills >= 400
    assert wrong == []
