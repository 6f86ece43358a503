"""When an open poll is drawn again: once for all presses of a moment, and always with its last state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta

from bot.delivery.trouble import is_lasting
from bot.errors import DeliveryError

log = logging.getLogger(__name__)

_GATHER = 0.05
"""Seconds in which presses count as one moment."""
_FIRST = 0.2
"""Seconds before the first try after one that failed; then twice as long each time."""
_LONGEST = 30.0
"""Seconds between two tries at most, where the platform asks for nothing else."""
_BROKEN = 20.0
"""Seconds after a drawing that a person has to help: as many as any platform wants, where it may well stand."""
_TRIES = 8
_AGAIN = timedelta(minutes=5)
"""How long what was given up rests: its platform may be away for an hour."""


class Refresher:
    """Draws rounds again, never quicker than their platforms want; rounds do not wait for each other.

    `edit` draws one round from what the store holds then, everywhere it is shown, and gives the seconds to leave
    before the next drawing; drawing twice does no harm.
    """

    def __init__(self, edit: Callable[[int], Awaitable[float]]) -> None:
        self._edit = edit
        self._wanted: set[int] = set()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self.given_up: set[int] = set()
        """Rounds whose last state stands nowhere yet, since too many tries failed."""
        self._asked_again: datetime | None = None
        self._closing = asyncio.Event()

    def request(self, round_id: int) -> None:
        """Ask for a fresh poll; returns at once. To be called after the change is stored."""
        self._wanted.add(round_id)
        if round_id not in self._tasks:
            self._tasks[round_id] = asyncio.get_running_loop().create_task(self._draw(round_id))

    def again(self, rounds: Iterable[int], now: datetime) -> None:
        """Ask once more for those of the open `rounds` that were given up, every five minutes; no others are kept."""
        if self._asked_again is not None and now - self._asked_again < _AGAIN:
            return
        self._asked_again = now
        self.given_up &= set(rounds)
        for round_id in self.given_up:
            self.request(round_id)

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
                failed, pause = await self._try(round_id, failed)
                if not failed:
                    self.given_up.discard(round_id)
                elif failed >= _TRIES:
                    self.given_up.add(round_id)
                elif not self._closing.is_set():
                    self._wanted.add(round_id)
                await self._rest(pause)
        finally:
            self._wanted.discard(round_id)
            del self._tasks[round_id]

    async def _try(self, round_id: int, failed: int) -> tuple[int, float]:
        """Draw once; how many tries have failed, 0 where it stands, and the seconds to leave before the next one."""
        backoff = min(_FIRST * 2.0 ** min(failed, _TRIES), _LONGEST)
        try:
            return 0, await self._edit(round_id)
        except DeliveryError as error:
            if error.reason == "gone":
                return 0, 0.0
            log.info("round %d could not be drawn: %s", round_id, error.reason)
            if is_lasting(error.reason):  # trying on mends nothing, and platforms count what they refuse
                return _TRIES, _BROKEN
            if error.retry_after is None:
                return failed + 1, backoff
            if not self._closing.is_set():
                self._wanted.add(round_id)
            # Asked to wait, however long and often, is not failed: the platform takes nothing before.
            return 0, max(error.retry_after, _FIRST)
        except Exception:
            log.exception("round %d could not be drawn", round_id)
            return failed + 1, backoff

    async def _rest(self, seconds: float) -> None:
        """Wait, but not when everything is being closed."""
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            pass
