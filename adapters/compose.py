"""The only place where everything meets: store, core, adapters; one TaskGroup owns all background work."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
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
from bot.papers.service import PaperService
from bot.schedule.clockwork import Clockwork, system_clock
from bot.search.service import SearchService
from bot.storage.database import Database
from bot.storage.sqlite import open_sqlite

log = logging.getLogger(__name__)

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
    """The core over a store, with the platforms that are connected."""
    connected = dict(platforms or {})
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


async def run_preview(
    path: Path, port: int, stop: asyncio.Event, *, ready: Callable[[str], None], every: float = 5.0
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
            ticks = Clockwork(every).run(lambda: group.tick(preview.clock()), stop, wake)
            await live(group, ticks, page, stop)


async def live(
    group: ReadingGroup, ticks: Coroutine[Any, Any, None], page: Awaitable[None], stop: asyncio.Event
) -> None:
    """Run the clock and a page until the page ends, then all: also a tick whose platform does not answer.

    A page that cannot be served must not leave the clock running.
    """
    async with asyncio.TaskGroup() as tasks:
        ticking = tasks.create_task(ticks)
        try:
            await page
        finally:
            stop.set()
        await group.settle_down(LAST)
        ticking.cancel()


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
