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


Poll = tuple[int, str]
"""A round, and the platform on which it is drawn."""


class Refresher:
    """Draws rounds again, never quicker than their platforms want; neither rounds nor platforms wait for each other.

    `edit` draws one round on one platform from what the store holds then, and gives the seconds to leave before the
    next drawing; drawing twice does no harm. `platforms` are those that are connected when a drawing is asked for.
    """

    def __init__(
        self, edit: Callable[[int, str], Awaitable[float]], platforms: Callable[[], Iterable[str]]
    ) -> None:
        self._edit = edit
        self._platforms = platforms
        self._wanted: set[Poll] = set()
        self._tasks: dict[Poll, asyncio.Task[None]] = {}
        self.given_up: set[Poll] = set()
        """Polls that do not show the last state yet, since too many tries failed."""
        self._asked_again: datetime | None = None
        self._closing = asyncio.Event()

    def request(self, round_id: int) -> None:
        """Ask for a fresh poll everywhere; returns at once. To be called after the change is stored."""
        for platform in self._platforms():
            self._ask((round_id, platform))

    def again(self, rounds: Iterable[int], now: datetime) -> None:
        """Ask once more for those of the open `rounds` that were given up, every five minutes; no others are kept."""
        if self._asked_again is not None and now - self._asked_again < _AGAIN:
            return
        self._asked_again = now
        still = set(rounds)
        self.given_up = {poll for poll in self.given_up if poll[0] in still}
        for poll in self.given_up:
            self._ask(poll)

    async def close(self, timeout: float = 3.0) -> None:
        """Draw what was asked for without further waiting, then end."""
        self._closing.set()
        tasks = list(self._tasks.values())
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=timeout)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _ask(self, poll: Poll) -> None:
        self._wanted.add(poll)
        if poll not in self._tasks:
            self._tasks[poll] = asyncio.get_running_loop().create_task(self._draw(poll))

    async def _draw(self, poll: Poll) -> None:
        try:
            await self._rest(_GATHER)
            failed = 0
            while poll in self._wanted:
                self._wanted.discard(poll)
                failed, pause = await self._try(poll, failed)
                if not failed:
                    self.given_up.discard(poll)
                elif failed >= _TRIES:
                    self.given_up.add(poll)
                elif not self._closing.is_set():
                    self._wanted.add(poll)
                await self._rest(pause)
        finally:
            self._wanted.discard(poll)
            del self._tasks[poll]

    async def _try(self, poll: Poll, failed: int) -> tuple[int, float]:
        """Draw once; how many tries have failed, 0 where it stands, and the seconds to leave before the next one."""
        backoff = min(_FIRST * 2.0 ** min(failed, _TRIES), _LONGEST)
        try:
            return 0, await self._edit(*poll)
        except DeliveryError as error:
            log.info("round %d could not be drawn on %s: %s", *poll, error.reason)
            if is_lasting(error.reason):  # trying on mends nothing, and platforms count what they refuse
                return _TRIES, _BROKEN
            if error.retry_after is None:
                return failed + 1, backoff
            if not self._closing.is_set():
                self._wanted.add(poll)
            # Asked to wait, however long and often, is not failed: the platform takes nothing before.
            return 0, max(error.retry_after, _FIRST)
        except Exception:
            log.exception("round %d could not be drawn on %s", *poll)
            return failed + 1, backoff

    async def _rest(self, seconds: float) -> None:
        """Wait, but not when everything is being closed."""
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            pass
