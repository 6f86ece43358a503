"""How often messages may be changed in one workspace: a few at once, and 40 in any minute."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from bot.errors import Refused

AT_ONCE = 10
EVERY = 2.0
"""Seconds a change costs once the first are used up: 10 and 30 are the most in any minute."""
PATIENCE = 10.0


class Pace:
    """A bucket of changes that fills by one every two seconds. Whoever asks first goes first."""

    def __init__(
        self,
        clock: Callable[[], float] = lambda: asyncio.get_running_loop().time(),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._full_at = 0.0
        """When all changes that were granted are paid for."""

    async def turn(self) -> None:
        """Wait for a turn.

        Raises: Refused, with the seconds to wait, when it would take more than ten; no turn is used then.
        """
        now = self._clock()
        owed = max(self._full_at, now) + EVERY
        wait = owed - now - AT_ONCE * EVERY
        if wait > PATIENCE:
            raise Refused("rate_limited", retry_after=wait)
        self._full_at = owed
        if wait > 0:
            await self._sleep(wait)
