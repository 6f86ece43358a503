"""Growing waits between tries to reach a platform, and one line in the log about it."""

from __future__ import annotations

import asyncio
import logging

LONGEST = 60.0
STEADY = 60.0
"""Seconds after which a connection counts as one that held."""


class Waits:
    """`first` s, then 1, 2, 4 … 60 s, and from the start again after a connection that held."""

    def __init__(self, platform: str, log: logging.Logger, first: float = 0.0) -> None:
        self._platform = platform
        self._log = log
        self._first = self._next = first
        self._told = False

    def lived(self, seconds: float) -> None:
        """Tell how long the last connection held."""
        if seconds >= STEADY:
            self._next, self._told = self._first, False

    async def sleep(self, problem: Exception | None, least: float = 0.0) -> None:
        """Wait. A problem is told once in the log until a connection held; its further tries are for debugging."""
        seconds = max(self._next, least)
        self._next = min(max(1.0, 2 * seconds), LONGEST)
        if problem is not None:
            said = f"{type(problem).__name__}: {problem}".splitlines()[0]
            level = logging.DEBUG if self._told else logging.WARNING
            self._log.log(
                level, "%s cannot be reached (%s); next try in %.0f s", self._platform, said, seconds
            )
            self._told = True
        await asyncio.sleep(seconds)
