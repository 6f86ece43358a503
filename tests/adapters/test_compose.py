"""Cores side by side: each lives and dies by itself. Platforms beside each other share one core."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters import compose
from adapters.compose import Opening, Outlet, run_platforms, together
from bot.app import ReadingGroup
from bot.errors import Refused, TokenRefused
from tests.lab.fakeplatform import FakePlatform


async def until(stop: asyncio.Event, ended: list[str]) -> None:
    await stop.wait()
    ended.append("asked to")


async def fails(error: Exception) -> None:
    await asyncio.sleep(0)
    raise error


async def test_one_core_that_fails_is_told_and_leaves_the_other_alone() -> None:
    stop, told, ended = asyncio.Event(), list[Exception](), list[str]()
    broken = Refused("port")
    running = asyncio.create_task(together([fails(broken), until(stop, ended)], stop, told.append))
    for _ in range(10):
        await asyncio.sleep(0)
    assert (told, ended, running.done()) == ([broken], [], False)
    stop.set()
    await running
    assert ended == ["asked to"]


async def test_a_core_that_ends_leaves_the_other_alone() -> None:
    stop, ended = asyncio.Event(), list[str]()
    running = asyncio.create_task(
        together([asyncio.sleep(0), until(stop, ended)], stop, list[Exception]().append)
    )
    for _ in range(10):
        await asyncio.sleep(0)
    assert not running.done()
    stop.set()
    await running


async def test_what_the_last_one_failed_with_is_raised() -> None:
    told, heard = list[Exception](), asyncio.Event()
    first, last = Refused("first"), Refused("last")

    def tell(error: Exception) -> None:
        told.append(error)
        heard.set()

    async def later() -> None:
        await heard.wait()
        raise ExceptionGroup("as a TaskGroup does", [last])

    with pytest.raises(Refused) as raised:
        await together([fails(first), later()], asyncio.Event(), tell)
    assert raised.value is last and told == [first]


async def test_a_refused_token_ends_all_in_order() -> None:
    stop, told, ended = asyncio.Event(), list[Exception](), list[str]()
    with pytest.raises(TokenRefused):
        await together(
            [fails(TokenRefused("Discord", "DISCORD_TOKEN")), until(stop, ended)], stop, told.append
        )
    assert (told, ended) == ([], ["asked to"])


# ---- platforms on one core ----


class Side:
    """A platform on a network of the test's own: `connects` and `refuses` are set when that is to happen."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.connects, self.refuses, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.group: ReadingGroup
        self.platform = FakePlatform(path / f"{name}.json", name)

    def open(self, _: object) -> Outlet:
        return Outlet(self.name, self.platform, self._serve)

    async def _serve(self, group: ReadingGroup, stop: asyncio.Event, connected: Callable[[], None]) -> None:
        self.group = group
        try:
            await self._first(stop, self.refuses, self.connects)
            if self.connects.is_set():
                connected()
                await self._first(stop, self.refuses)
        finally:
            self.ended.set()
        if self.refuses.is_set():
            raise TokenRefused(self.name, f"{self.name.upper()}_TOKEN")

    async def _first(self, *events: asyncio.Event) -> None:
        waiting = [asyncio.create_task(event.wait()) for event in events]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()


class Run:
    """`run_platforms` with two sides, under way."""

    def __init__(self, path: Path) -> None:
        self.one, self.other = Side("one", path), Side("other", path)
        self.stop, self.off = asyncio.Event(), list[TokenRefused]()
        self.told = asyncio.Event()
        openings: list[Opening] = [self.one.open, self.other.open]
        self.task = asyncio.create_task(
            run_platforms(openings, path / "paperclub.db", self.stop, off=self._refused)
        )

    def _refused(self, refused: TokenRefused) -> None:
        self.off.append(refused)
        self.told.set()

    async def reaches(self, *names: str) -> None:
        """Wait until the core knows these platforms and no others."""
        for _ in range(2_000):
            if hasattr(self.one, "group") and set(self.one.group.rooms.platforms) == set(names):
                return
            await asyncio.sleep(0.005)
        raise AssertionError(names)

    async def refused(self) -> None:
        """Wait until one was switched off."""
        async with asyncio.timeout(10):
            await self.told.wait()

    async def ends(self) -> None:
        self.stop.set()
        async with asyncio.timeout(10):
            await self.task


async def test_a_platform_is_there_from_its_connection_until_its_token_is_refused(tmp_path: Path) -> None:
    run = Run(tmp_path)
    await run.reaches()
    run.other.connects.set()
    await run.reaches("other")
    run.one.connects.set()
    await run.reaches("one", "other")
    assert run.one.group is run.other.group
    run.other.refuses.set()
    await run.reaches("one")
    await run.refused()
    assert [each.platform for each in run.off] == ["other"]
    assert not run.task.done() and not run.one.ended.is_set()
    await run.ends()
    assert run.one.ended.is_set()


async def test_the_clock_goes_on_when_every_token_is_refused_later(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.one.connects.set()
    run.other.connects.set()
    await run.reaches("one", "other")
    run.one.refuses.set()
    run.other.refuses.set()
    await run.reaches()
    assert not run.task.done()
    await run.ends()


async def test_a_token_refused_at_the_start_ends_it_also_where_the_other_is_connected(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.one.connects.set()
    await run.reaches("one")
    run.other.refuses.set()
    with pytest.raises(TokenRefused) as refused:
        await together([ended(run.task)], run.stop, list[Exception]().append)
    assert refused.value.platform == "other"
    assert run.off == [] and run.one.ended.is_set()


async def test_a_token_refused_after_a_long_wait_leaves_the_other_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compose, "STARTING", 0.0)
    run = Run(tmp_path)
    run.one.connects.set()
    await run.reaches("one")
    run.other.refuses.set()
    await run.refused()
    assert [each.platform for each in run.off] == ["other"] and not run.task.done()
    await run.reaches("one")
    await run.ends()


async def test_a_token_refused_after_a_long_wait_ends_it_where_nothing_else_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compose, "STARTING", 0.0)
    run = Run(tmp_path)
    run.other.refuses.set()
    with pytest.raises(TokenRefused):
        await together([ended(run.task)], run.stop, list[Exception]().append)


async def ended(task: asyncio.Task[None]) -> None:
    async with asyncio.timeout(10):
        await task
