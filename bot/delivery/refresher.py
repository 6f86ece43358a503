"""When an open poll is drawn again: once for all presses of a moment, and always with its last state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot.errors import DeliveryError

log = logging.getLogger(__name__)

_GATHER = 0.05
"""Seconds in which presses count as one moment."""
_LONGEST = 30.0
"""Seconds between two tries at most: the last state stands within this time of the last press."""
_TRIES = 8


class Refresher:
    """Draws rounds again, each at most every `spacing` seconds; rounds do not wait for each other.

    `edit` draws one round from what the store holds then, everywhere it is shown; drawing twice does no harm.
    `spacing` may be a function of the round, since platforms allow less as a message gets older.
    """

    def __init__(
        self, edit: Callable[[int], Awaitable[None]], spacing: float | Callable[[int], float] = 0.2
    ) -> None:
        self._edit = edit
        self._spacing = spacing
        self._wanted: set[int] = set()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._closing = asyncio.Event()

    def request(self, round_id: int) -> None:
        """Ask for a fresh poll; returns at once. To be called after the change is stored."""
        self._wanted.add(round_id)
        if round_id not in self._tasks:
            self._tasks[round_id] = asyncio.get_running_loop().create_task(self._draw(round_id))

    async def close(self, timeout: float = 3.0) -> None:
        """Draw what was asked for without further waiting, then end."""
        self._closing.set()
        tasks = list(self._tasks.values())
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=timeout)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _draw(self, round_id: int) -> None:
        try:
            await self._rest(_GATHER)
            failed = 0
            while round_id in self._wanted:
                self._wanted.discard(round_id)
                pause = await self._try(round_id, failed)
                failed = 0 if pause is None else failed + 1
                if pause is not None and failed < _TRIES and not self._closing.is_set():
                    self._wanted.add(round_id)
                await self._rest(self._space(round_id) if pause is None else pause)
        finally:
            self._wanted.discard(round_id)
            del self._tasks[round_id]

    async def _try(self, round_id: int, failed: int) -> float | None:
        """Draw once; None when it stands, else the seconds to wait before the next try."""
        try:
            await self._edit(round_id)
        except DeliveryError as error:
            if error.reason == "gone":
                return None
            log.info("round %d could not be drawn: %s", round_id, error.reason)
            return min(error.retry_after or self._space(round_id) * 2.0**failed, _LONGEST)
        except Exception:
            log.exception("round %d could not be drawn", round_id)
            return min(self._space(round_id) * 2.0**failed, _LONGEST)
        return None

    def _space(self, round_id: int) -> float:
        return self._spacing(round_id) if callable(self._spacing) else self._spacing

    async def _rest(self, seconds: float) -> None:
        """Wait, but not when everything is being closed."""
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            pass
