"""The only place where everything meets: store, core, adapters; one TaskGroup owns all background work."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.app import ReadingGroup, clock
from bot.app.rooms import Rooms
from bot.daily.notices import tell_given_up
from bot.daily.service import DailyService
from bot.delivery.platform import Platform
from bot.delivery.refresher import Refresher
from bot.delivery.service import DeliveryService
from bot.errors import TokenRefused
from bot.papers.service import PaperService
from bot.schedule.clockwork import EVERY, Clockwork, system_clock
from bot.search.service import SearchService
from bot.settings import DiscordSettings
from bot.storage.database import Database
from bot.storage.sqlite import open_sqlite

Clock = Callable[[], datetime]

LAST = 2.5
"""Seconds for what is being sent or drawn, once the page has ended: all in all no stop takes more than five."""


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Database]:
    """The store at `path`, made where there is none, closed at the end."""
    await asyncio.to_thread(path.parent.mkdir, parents=True, exist_ok=True)
    database = await open_sqlite(path)
    try:
        yield database
    finally:
        await database.close()


def build(
    database: Database,
    platforms: Mapping[str, Platform] | None = None,
    now: Clock = system_clock,
    wake: Callable[[], None] = lambda: None,
) -> ReadingGroup:
    """The core over a store. Only `platforms` that are connected are in the mapping, at any moment: messages for
    others wait."""
    connected = {} if platforms is None else platforms
    papers = PaperService(database)
    writer = clock.Writer(database, papers)
    rooms = Rooms(
        database=database,
        papers=papers,
        search=SearchService(database),
        daily=DailyService(database),
        deliveries=DeliveryService(
            database,
            connected,
            lambda delivery: writer.write(delivery, now()),
            f"{os.getpid()}-{secrets.token_hex(4)}",
            given_up=tell_given_up,
        ),
        refresher=Refresher(lambda round_id: clock.redraw(rooms, round_id, now())),
        platforms=connected,
        wake=wake,
    )
    return ReadingGroup(rooms)


async def run_discord(
    settings: DiscordSettings,
    path: Path,
    stop: asyncio.Event,
    *,
    ready: Callable[[str, int], None],
    off: Callable[[TokenRefused], None],
    every: float = EVERY,
) -> None:
    """The clock over the store, and Discord, until `stop`. `ready` gets the bot's name and the number of its
    servers; `off` is told when the token is refused later, and the clock goes on.

    Raises: StoreError; TokenRefused when the token is refused before it was ever taken.
    """
    from adapters.discord import open_discord, serve

    wake = asyncio.Event()
    platforms: dict[str, Platform] = {}
    async with opened(path) as database:
        discord = open_discord(settings, database)
        group = build(database, platforms, system_clock, wake.set)

        async def serving() -> None:
            async with asyncio.TaskGroup() as tasks:

                def connected(name: str, servers: int) -> None:
                    platforms["discord"] = discord.platform
                    tasks.create_task(group.redraw_open())
                    wake.set()
                    ready(name, servers)

                try:
                    await serve(discord, group, system_clock, stop, ready=connected)
                except TokenRefused as refused:
                    if not platforms:
                        raise
                    platforms.clear()
                    off(refused)
                    await stop.wait()

        await group.wake_up(system_clock(), alone=True)
        await live(
            group, system_clock, serving(), wake, every, last=0.2
        )  # Discord settles while it still can


async def run_preview(
    path: Path, port: int, stop: asyncio.Event, *, ready: Callable[[str], None], every: float = EVERY
) -> None:
    """The preview on its own store until `stop`; `ready` gets the address once the page can be opened.

    Raises: StoreError, and a UserError when the port is taken or the store belongs to a real club.
    """
    from adapters.preview import listening, open_preview, serve
    from adapters.preview.demo import seed_demo, start_over

    wake = asyncio.Event()
    with listening(port) as listener:
        async with opened(path) as database:
            preview = await open_preview(database)
            group = build(database, {"preview": preview.platform}, preview.clock, wake.set)
            await seed_demo(preview, group)
            await group.wake_up(preview.clock(), alone=True)
            address = f"http://127.0.0.1:{port}"
            page = serve(
                preview,
                group,
                lambda: start_over(preview, group),
                listener,
                stop,
                ready=lambda: ready(address),
            )
            await live(group, preview.clock, page, wake, every)


async def live(
    group: ReadingGroup,
    now: Clock,
    serving: Coroutine[Any, Any, None],
    wake: asyncio.Event,
    every: float,
    last: float = LAST,
) -> None:
    """Run the clock as long as what is served, then end both: also a tick whose platform does not answer.

    An adapter that cannot be served must not leave its clock running.
    """
    ended = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        ticking = tasks.create_task(Clockwork(every).run(lambda: group.tick(now()), ended, wake))
        try:
            await serving
        finally:
            ended.set()
        await group.settle_down(last)
        ticking.cancel()


async def after(
    word: asyncio.Event,
    stop: asyncio.Event,
    work: Callable[[], Coroutine[Any, Any, None]],
    seconds: float = 3.0,
) -> None:
    """Begin some work once there was a word, or after some seconds; not at all if all is to stop before that."""
    waits = [asyncio.create_task(event.wait()) for event in (word, stop)]
    try:
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    if not stop.is_set():
        await work()


async def together(
    works: Sequence[Coroutine[Any, Any, None]], stop: asyncio.Event, failed: Callable[[Exception], None]
) -> None:
    """Run cores side by side, each to its end. `failed` is told of one that fails while others go on.

    Raises: what the last one failed with, and TokenRefused at once, after the others were asked to `stop`.
    """
    running = len(works)

    async def alone(work: Coroutine[Any, Any, None]) -> None:
        nonlocal running
        try:
            await work
        except Exception as caught:
            error = _first(caught)
            if isinstance(error, TokenRefused):
                stop.set()
                failures.append(error)
            elif running > 1:
                failed(error)
            else:
                failures.append(error)
        finally:
            running -= 1

    failures: list[Exception] = []
    async with asyncio.TaskGroup() as tasks:
        for work in works:
            tasks.create_task(alone(work))
    if failures:
        raise failures[0]


def _first(error: Exception) -> Exception:
    """What a TaskGroup was broken by."""
    return _first(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


@contextmanager
def signals(stop: asyncio.Event) -> Iterator[None]:
    """Ctrl-C and SIGTERM set `stop`; a second one ends at once."""
    loop = asyncio.get_running_loop()

    def ask() -> None:
        if stop.is_set():
            os._exit(0)
        stop.set()

    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, ask)
    try:
        yield
    finally:
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
