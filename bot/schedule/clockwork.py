"""What wakes us: the one file that knows APScheduler.

APScheduler rings a bell every few seconds and decides nothing: what is due is in our tables. Its jobs must
not do the work, since `shutdown` cancels jobs that run, and a job that starts late would be dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler

log = logging.getLogger(__name__)

Clock = Callable[[], datetime]
"""Gives the present instant, aware, in UTC. The preview owns one that can be moved."""

EVERY = 5.0
"""Seconds between two wake-ups."""


def system_clock() -> datetime:
    """The machine's own clock; the only place of the core that reads it."""
    return datetime.now(UTC)


class Clockwork:
    """Calls the tick at once, then every `every` seconds and when it is woken; never two ticks at a time."""

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._running = False

    async def run(
        self, tick: Callable[[], Awaitable[None]], stop: asyncio.Event, wake: asyncio.Event | None = None
    ) -> None:
        """Tick until `stop` is set; a tick that has begun ends first. `wake` asks for a tick now.

        A tick that raises is logged and the next one comes all the same. A second call while one runs returns
        at once: platforms say 'ready' again after every reconnect.
        """
        if self._running:
            return
        self._running = True
        bell = wake or asyncio.Event()
        scheduler = self._alarm(bell)
        scheduler.start()
        stopped = asyncio.create_task(self._ring_at(stop, bell))
        try:
            while not stop.is_set():
                bell.clear()
                await self._tick(tick)
                if not stop.is_set():
                    await bell.wait()
        finally:
            stopped.cancel()
            scheduler.shutdown(wait=False)
            self._running = False

    def _alarm(self, bell: asyncio.Event) -> AsyncIOScheduler:
        async def ring() -> (
            None
        ):  # a coroutine: plain functions would run in a thread, where events must not be set
            bell.set()

        scheduler = AsyncIOScheduler(timezone=UTC)
        scheduler.add_job(
            ring, "interval", seconds=self._every, coalesce=True, max_instances=1, misfire_grace_time=None
        )
        return scheduler

    @staticmethod
    async def _ring_at(stop: asyncio.Event, bell: asyncio.Event) -> None:
        await stop.wait()
        bell.set()

    @staticmethod
    async def _tick(tick: Callable[[], Awaitable[None]]) -> None:
        try:
            await tick()
        except Exception:
            log.exception("a tick failed; the next one comes in a few seconds")
