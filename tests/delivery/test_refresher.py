"""Redraws: once for many presses, always the last state."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.delivery.refresher import Refresher
from bot.errors import Refused, Uncertain


class Poll:
    """A poll whose drawn state lags behind its presses; `fails` are raised by the next drawings.

    `space`: the seconds its platform wants between drawings.
    """

    def __init__(self, space: float) -> None:
        self.space = space
        self.presses = 0
        self.drawn: list[int] = []
        self.times: list[float] = []
        self.fails: list[Exception] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def draw(self, round_id: int, platform: str) -> float:
        await self.gate.wait()
        self.times.append(asyncio.get_running_loop().time())
        if self.fails:
            raise self.fails.pop(0)
        self.drawn.append(self.presses)
        return self.space

    async def settle(self, presses: int) -> None:
        async with asyncio.timeout(5):
            while not self.drawn or self.drawn[-1] != presses:  # noqa: ASYNC110
                await asyncio.sleep(0.005)


def here() -> tuple[str]:
    return ("preview",)


async def test_sixty_four_presses_of_a_moment_are_drawn_once() -> None:
    poll = Poll(0.1)
    refresher = Refresher(poll.draw, here)
    for _ in range(64):
        poll.presses += 1
        refresher.request(1)
    await poll.settle(64)
    await refresher.close()
    assert poll.drawn == [64]


async def test_drawings_of_a_round_keep_their_distance_and_end_with_the_last_state() -> None:
    poll = Poll(0.2)
    refresher = Refresher(poll.draw, here)
    for _ in range(30):
        poll.presses += 1
        refresher.request(1)
        await asyncio.sleep(0.01)
    await poll.settle(30)
    await refresher.close()
    assert 2 <= len(poll.drawn) <= 4
    assert all(later - earlier >= 0.19 for earlier, later in zip(poll.times, poll.times[1:], strict=False))


async def test_a_press_during_a_drawing_is_drawn_after_it() -> None:
    poll = Poll(0.05)
    refresher = Refresher(poll.draw, here)
    poll.gate.clear()
    poll.presses = 1
    refresher.request(1)
    await asyncio.sleep(0.1)
    refresher.request(1)
    poll.gate.set()
    await asyncio.sleep(0.02)
    poll.presses = 2
    await poll.settle(2)
    await refresher.close()


async def test_rounds_do_not_wait_for_each_other() -> None:
    slow, drawn = asyncio.Event(), []

    async def draw(round_id: int, platform: str) -> float:
        if round_id == 1:
            await slow.wait()
        drawn.append(round_id)
        return 0.1

    refresher = Refresher(draw, here)
    refresher.request(1)
    refresher.request(2)
    await asyncio.sleep(0.2)
    assert drawn == [2]
    slow.set()
    await refresher.close()
    assert drawn == [2, 1]


async def test_platforms_do_not_wait_for_each_other() -> None:
    sides = {"there": Poll(0.01), "here": Poll(0.01)}
    sides["there"].fails = [Refused("rate_limited", retry_after=60.0), Uncertain("timeout")]

    async def draw(round_id: int, platform: str) -> float:
        return await sides[platform].draw(round_id, platform)

    refresher = Refresher(draw, lambda: sides)
    for presses in (1, 2, 3):
        sides["here"].presses = presses
        refresher.request(1)
        await sides["here"].settle(presses)
    assert sides["there"].drawn == [] and len(sides["there"].times) == 1
    await refresher.close()


async def test_a_refused_drawing_is_tried_again_after_the_wait_named() -> None:
    poll = Poll(0.05)
    poll.presses = 3
    poll.fails = [Refused("rate", retry_after=0.1), RuntimeError("on purpose")]
    refresher = Refresher(poll.draw, here)
    refresher.request(1)
    await poll.settle(3)
    await refresher.close()
    assert len(poll.times) == 3
    assert poll.times[1] - poll.times[0] >= 0.09


@pytest.mark.parametrize("reason", ["forbidden:view_channel", "locked", "not_in_channel"])
async def test_what_a_person_must_mend_is_tried_once_and_then_every_five_minutes(
    monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    monkeypatch.setattr("bot.delivery.refresher._FIRST", 0.001)
    monkeypatch.setattr("bot.delivery.refresher._BROKEN", 0.001)
    poll, now = Poll(0), datetime(2026, 12, 3, 8, tzinfo=UTC)
    poll.fails = [Refused(reason), Refused(reason)]
    refresher = Refresher(poll.draw, here)
    refresher.request(1)
    for minutes, tries in ((0, 1), (5, 2), (10, 3), (15, 3)):
        if minutes:
            refresher.again([1], now + timedelta(minutes=minutes))
        if refresher._tasks:
            await asyncio.wait(list(refresher._tasks.values()))
        assert len(poll.times) == tries, minutes
    assert poll.drawn == [0]
    await refresher.close()


async def test_closing_draws_what_was_asked_for() -> None:
    poll = Poll(60)
    refresher = Refresher(poll.draw, here)
    refresher.request(1)
    await poll.settle(0)
    poll.presses = 5
    refresher.request(1)
    await refresher.close()
    assert poll.drawn[-1] == 5


async def test_closing_does_not_wait_for_a_platform_that_hangs() -> None:
    poll = Poll(0.01)
    poll.gate.clear()
    refresher = Refresher(poll.draw, here)
    refresher.request(1)
    await asyncio.sleep(0.1)
    await asyncio.wait_for(refresher.close(timeout=0.1), 1)


async def test_a_platform_that_asks_to_wait_again_and_again_is_waited_for() -> None:
    poll = Poll(0.01)
    poll.presses = 1
    poll.fails = [Refused("rate_limited", retry_after=0.01) for _ in range(12)]
    refresher = Refresher(poll.draw, here)
    refresher.request(1)
    await poll.settle(1)
    await refresher.close()
    assert len(poll.times) == 13


async def test_closing_does_not_insist_on_a_platform_that_asks_to_wait() -> None:
    poll = Poll(0.01)
    poll.fails = [Refused("rate_limited", retry_after=60.0) for _ in range(100)]
    refresher = Refresher(poll.draw, here)
    refresher.request(1)
    await asyncio.sleep(0.1)
    await asyncio.wait_for(refresher.close(), 1)
    assert len(poll.times) <= 2


async def test_what_was_given_up_is_asked_for_again_every_five_minutes_while_it_is_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.delivery.refresher._TRIES", 2)
    monkeypatch.setattr("bot.delivery.refresher._FIRST", 0.01)
    poll, now = Poll(0), datetime(2026, 12, 3, 8, tzinfo=UTC)
    refresher = Refresher(poll.draw, here)
    poll.fails = [Uncertain("server")] * 5
    for minutes, is_open, tries in ((0, True, 4), (4, True, 4), (5, False, 4), (10, True, 4)):
        if minutes == 0:
            refresher.request(1)
            await asyncio.wait(list(refresher._tasks.values()))
        refresher.again([1] if is_open else [], now + timedelta(minutes=minutes))
        if refresher._tasks:
            await asyncio.wait(list(refresher._tasks.values()))
        assert len(poll.times) == tries, minutes
    assert poll.drawn == []
    await refresher.close()
