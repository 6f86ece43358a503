"""The only place where everything meets: store, core, adapters; one TaskGroup owns all background work."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from bot.app import ReadingGroup, clock
from bot.app.rooms import Rooms
from bot.app.writing import Writer
from bot.daily.notices import tell_given_up
from bot.daily.service import DailyService
from bot.delivery.platform import Platform
from bot.delivery.refresher import Refresher
from bot.delivery.service import DeliveryService
from bot.errors import TokenRefused
from bot.papers.service import PaperService
from bot.schedule.clockwork import EVERY, Clockwork, system_clock
from bot.search.service import SearchService
from bot.settings import DiscordSettings, SlackSettings
from bot.storage.database import Database
from bot.storage.sqlite import open_sqlite

Clock = Callable[[], datetime]

LAST = 2.5
"""Seconds for what is being sent or drawn, once the page has ended: all in all no stop takes more than five."""

STARTING = 60.0
"""Seconds in which a token that is refused ends the start; after that it ends its platform, if others work."""


@dataclass(frozen=True, slots=True)
class Outlet:
    """A platform that has its token, over an open store. `serve` takes part in it until the event, and calls back
    once it is connected; it raises TokenRefused as its adapter does."""

    name: str
    platform: Platform
    serve: Callable[[ReadingGroup, asyncio.Event, Callable[[], None]], Coroutine[Any, Any, None]]


Opening = Callable[[Database], Outlet]
"""Loads an adapter; nothing of it is imported before."""


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
    writer = Writer(database, papers)
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
        refresher=Refresher(
            lambda round_id, platform: clock.redraw(rooms, round_id, platform, now()), lambda: connected
        ),
        platforms=connected,
        wake=wake,
    )
    return ReadingGroup(rooms)


async def run_platforms(
    openings: Sequence[Opening],
    path: Path,
    stop: asyncio.Event,
    *,
    off: Callable[[TokenRefused], None],
    every: float = EVERY,
) -> None:
    """One core over the store, and every platform it is served on, until `stop`. `off` is told of a token that is
    refused later; the other platforms and the clock go on.

    Raises: StoreError; TokenRefused when a token is refused at the start; BadInput where the port is taken.
    """
    wake = asyncio.Event()
    platforms: dict[str, Platform] = {}
    async with opened(path) as database:
        outlets = [opening(database) for opening in openings]
        group = build(database, platforms, system_clock, wake.set)
        await group.wake_up(system_clock(), alone=True)
        serving = _side_by_side(outlets, group, platforms, stop, wake, off)
        await live(group, system_clock, serving, wake, every, last=0.2)  # each settles while it still can


async def _side_by_side(
    outlets: Sequence[Outlet],
    group: ReadingGroup,
    platforms: dict[str, Platform],
    stop: asyncio.Event,
    wake: asyncio.Event,
    off: Callable[[TokenRefused], None],
) -> None:
    """Serve every outlet; each is in `platforms` from its first connection until its token is refused."""
    clock_of = asyncio.get_running_loop().time
    began = clock_of()
    async with asyncio.TaskGroup() as tasks:

        def connected(outlet: Outlet) -> None:
            platforms[outlet.name] = outlet.platform
            tasks.create_task(group.redraw_open())
            wake.set()

        async def alone(outlet: Outlet) -> None:
            try:
                await outlet.serve(group, stop, partial(connected, outlet))
            except TokenRefused as refused:
                late = bool(platforms) and clock_of() - began > STARTING
                if platforms.pop(outlet.name, None) is None and not late:
                    raise
                off(refused)
                await stop.wait()

        for outlet in outlets:
            tasks.create_task(alone(outlet))


def discord_outlet(settings: DiscordSettings, ready: Callable[[str, int], None]) -> Opening:
    """Discord; `ready` gets the bot's name and the number of its servers."""

    def opening(database: Database) -> Outlet:
        from adapters.discord import open_discord, serve

        discord = open_discord(settings, database)

        async def serving(group: ReadingGroup, stop: asyncio.Event, connected: Callable[[], None]) -> None:
            def told(name: str, servers: int) -> None:
                connected()
                ready(name, servers)

            await serve(discord, group, system_clock, stop, ready=told)

        return Outlet("discord", discord.platform, serving)

    return opening


def slack_outlet(settings: SlackSettings, ready: Callable[[str, str], None]) -> Opening:
    """Slack; `ready` gets the bot's name and the workspace's."""

    def opening(database: Database) -> Outlet:
        from adapters.slack import open_slack, serve

        slack = open_slack(settings, database)

        async def serving(group: ReadingGroup, stop: asyncio.Event, connected: Callable[[], None]) -> None:
            def told(name: str, team: str) -> None:
                connected()
                ready(name, team)

            await serve(slack, group, system_clock, stop, ready=told)

        return Outlet("slack", slack.platform, serving)

    return opening


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
