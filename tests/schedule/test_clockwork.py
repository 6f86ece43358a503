"""What wakes us, on a real event loop."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC

import pytest

from bot.schedule.clockwork import Clockwork, system_clock


class Ticks:
    """Counts ticks and how many run at once; `work` is what one tick does."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = 0
        self.most = 0

    async def __call__(self) -> None:
        self.begun += 1
        self.most = max(self.most, self.begun - self.ended)
        await self.work()
        self.ended += 1

    async def work(self) -> None:
        await asyncio.sleep(0)

    async def reach(self, number: int) -> None:
        async with asyncio.timeout(5):
            while self.begun < number:  # noqa: ASYNC110
                await asyncio.sleep(0.005)


async def test_the_first_tick_comes_at_once_and_others_follow() -> None:
    ticks, stop = Ticks(), asyncio.Event()
    running = asyncio.create_task(Clockwork(every=0.05).run(ticks, stop))
    await ticks.reach(3)
    stop.set()
    await asyncio.wait_for(running, 1)
    assert ticks.begun == ticks.ended
    assert ticks.most == 1


async def test_waking_does_not_wait_for_the_next_ring() -> None:
    ticks, stop, wake = Ticks(), asyncio.Event(), asyncio.Event()
    running = asyncio.create_task(Clockwork(every=3600).run(ticks, stop, wake))
    await ticks.reach(1)
    wake.set()
    await ticks.reach(2)
    stop.set()
    await asyncio.wait_for(running, 1)


async def test_ready_said_three_times_makes_one_clock() -> None:
    ticks, stop = Ticks(), asyncio.Event()
    clockwork = Clockwork(every=3600)
    running = [asyncio.create_task(clockwork.run(ticks, stop)) for _ in range(3)]
    await ticks.reach(1)
    await asyncio.sleep(0.05)
    stop.set()
    await asyncio.wait_for(asyncio.gather(*running), 1)
    assert ticks.begun == 1


async def test_a_tick_under_way_ends_before_the_clock_stops() -> None:
    class Slow(Ticks):
        async def work(self) -> None:
            await asyncio.sleep(0.2)

    ticks, stop = Slow(), asyncio.Event()
    running = asyncio.create_task(Clockwork(every=0.01).run(ticks, stop))
    await ticks.reach(1)
    stop.set()
    await asyncio.wait_for(running, 1)
    assert (ticks.begun, ticks.ended, ticks.most) == (1, 1, 1)


async def test_a_tick_that_fails_does_not_stop_the_clock(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(Ticks):
        async def work(self) -> None:
            if self.begun == 1:
                raise ValueError("on purpose")

    ticks, stop = Failing(), asyncio.Event()
    with caplog.at_level(logging.ERROR):
        running = asyncio.create_task(Clockwork(every=0.02).run(ticks, stop))
        await ticks.reach(2)
        stop.set()
        await asyncio.wait_for(running, 1)
    assert "a tick failed" in caplog.text


async def test_a_blocked_loop_loses_no_tick_and_makes_up_for_none() -> None:
    ticks, stop = Ticks(), asyncio.Event()
    running = asyncio.create_task(Clockwork(every=0.1).run(ticks, stop))
    await ticks.reach(1)
    time.sleep(0.5)  # noqa: ASYNC251  blocking is the point
    await ticks.reach(2)
    await asyncio.sleep(0.03)
    assert ticks.begun == 2
    stop.set()
    await asyncio.wait_for(running, 1)


def test_the_system_clock_is_aware_and_in_utc() -> None:
    assert system_clock().tzinfo is UTC
