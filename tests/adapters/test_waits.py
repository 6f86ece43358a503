"""Waits between tries, and the one line about them."""

from __future__ import annotations

import asyncio
import logging

import pytest

from adapters.waits import LONGEST, STEADY, Waits


async def test_waits_grow_to_a_minute_and_begin_anew_after_a_connection_that_held(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    waits = Waits("Slack", logging.getLogger("adapters.test"))
    for _ in range(9):
        waits.lived(1.0)
        await waits.sleep(OSError("no route\nand more"), least=1.0)
    assert slept == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST, LONGEST, LONGEST]
    waits.lived(STEADY)
    await waits.sleep(None)
    await waits.sleep(OSError("again"))
    assert slept[9:] == [0.0, 1.0]
    told = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert told == [
        "Slack cannot be reached (OSError: no route); next try in 1 s",
        "Slack cannot be reached (OSError: again); next try in 1 s",
    ]


async def test_waits_that_begin_at_a_second_begin_there_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    waits = Waits("Discord", logging.getLogger("adapters.test"), 1)
    for _ in range(8):
        await waits.sleep(OSError("no way there"))
    waits.lived(5)
    await waits.sleep(None)
    waits.lived(3600)
    await waits.sleep(None)
    assert slept == [1, 2, 4, 8, 16, 32, 60, 60, 60, 1]
