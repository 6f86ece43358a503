"""`why` tells what became of each day."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from adapters.cli import main
from bot.errors import Refused
from bot.starter import starter_pages
from tests.lab.house import MONDAY, House

DAY = timedelta(days=1)


async def _week(path: Path) -> datetime:
    """Monday sent, Tuesday refused, Wednesday and Thursday away, Friday refused so far; the time then."""
    house = await House.open(path)
    await house.group.import_pages(starter_pages(), house.now)
    await house.set_up(name="Readers")
    await house.until(MONDAY + timedelta(hours=1))
    house.platform.fault = Refused("forbidden")
    await house.until(MONDAY + DAY * 2 - timedelta(hours=6))
    await house.restart(MONDAY + DAY * 4 - timedelta(hours=5))
    await house.until(MONDAY + DAY * 4 + timedelta(minutes=8))
    now = house.now
    await house.close()
    return now


def test_why_tells_every_outcome_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    now = asyncio.run(_week(tmp_path / "p.db"))
    monkeypatch.setattr("bot.schedule.clockwork.system_clock", lambda: now)

    def why(*argv: str) -> str:
        assert main(["why", *argv, "--database", "p.db"]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        return said.out

    assert "Posted Mon 30 Nov, 09:00. It was " in why("2026-11-30")
    assert "not posted: the bot may not write there." in why("2026-12-01")
    for away in ("2026-12-02", "2026-12-03"):
        assert "not posted: the bot was not running." in why(away)
    assert "not sent yet: the bot may not write there." in why()
    assert "No paper is scheduled on this day of the week." in why("2026-12-05")
    assert "Due Mon 7 Dec, 09:00." in why("2026-12-07", "--club", "readers")
    assert "The club was set up later." in why("2026-11-29")


def test_a_club_that_does_not_exist_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    asyncio.run(_week(tmp_path / "p.db"))
    assert main(["why", "--club", "Writers", "--database", "p.db"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
