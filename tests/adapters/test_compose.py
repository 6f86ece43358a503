"""Cores side by side: each lives and dies by itself."""

from __future__ import annotations

import asyncio

import pytest

from adapters.compose import together
from bot.errors import Refused, TokenRefused


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
