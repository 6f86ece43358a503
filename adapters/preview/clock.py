"""The preview's clock: real time moved ahead by an offset that the database remembers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from adapters.preview.store import PreviewStore

_MOST_EVENTS = 5_000  # of one move; a month of a busy club has some hundred
_NUDGE = timedelta(seconds=1)


def real_now() -> datetime:
    """The machine's time, aware UTC."""
    return datetime.now(UTC)


class PreviewClock:
    """Only moves forward, but for `restart`. Call it for the present instant, aware UTC."""

    def __init__(self, store: PreviewStore, real: Callable[[], datetime] = real_now) -> None:
        self._store = store
        self._real = real
        self._offset = timedelta(0)

    async def load(self) -> bool:
        """Take up the remembered offset; False where there is none yet."""
        offset = await self._store.offset()
        self._offset = offset or timedelta(0)
        return offset is not None

    def __call__(self) -> datetime:
        return self._real() + self._offset

    now = __call__

    async def advance_to(self, instant: datetime) -> None:
        """Set the clock to `instant`; an instant that has passed changes nothing."""
        if instant > self():
            await self._put(instant)

    async def restart(self, instant: datetime) -> None:
        """Set the clock to any `instant`, also an earlier one: for a demo that begins anew."""
        await self._put(instant)

    async def _put(self, instant: datetime) -> None:
        offset = instant - self._real()
        await self._store.put_offset(offset, instant)
        self._offset = offset


async def run_until(
    clock: PreviewClock,
    target: datetime,
    next_event: Callable[[datetime], Awaitable[datetime | None]],
    tick: Callable[[datetime], Awaitable[None]],
) -> None:
    """Move `clock` to `target`, stopping at every instant in between at which something is due, in order."""
    step = _NUDGE
    for _ in range(_MOST_EVENTS):
        now = clock()
        due = await next_event(now)
        if due is None or max(due, now) >= target:
            break
        # What is due and stays due (a post that waits to be tried) must not stop the clock: longer steps.
        step = _NUDGE if due > now else step * 2
        await clock.advance_to(due if due > now else min(now + step, target))
        await tick(clock())
    await clock.advance_to(target)
    await tick(clock())


def first_morning(real: datetime, zone: str) -> datetime:
    """09:04 of today in `zone`, or of the next Monday at a weekend: just after a paper came. Aware UTC."""
    today = real.astimezone(ZoneInfo(zone)).date()
    if today.weekday() >= 5:
        today += timedelta(days=7 - today.weekday())
    return datetime.combine(today, time(9, 4), ZoneInfo(zone)).astimezone(UTC)
