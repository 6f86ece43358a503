"""When the clock last ticked, so that we know how long we were away."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.storage.database import Tx, from_us, to_us

OUTAGE = timedelta(seconds=15)
"""Silence of this length counts as having been away: three ticks that did not come."""


def last_beat(tx: Tx) -> datetime | None:
    """When the clock last ticked; None in a new store."""
    rows = tx.rows("SELECT at FROM heartbeat WHERE id = 1")
    return from_us(rows[0][0]) if rows else None


def beat(tx: Tx, now: datetime) -> tuple[datetime, datetime] | None:
    """Record a tick; the outage that ends with it, as (last sign of life, now), if there was one."""
    before = last_beat(tx)
    tx.run(
        "INSERT INTO heartbeat (id, at) VALUES (1, :now) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
        now=to_us(now),
    )
    return (before, now) if before is not None and now - before >= OUTAGE else None
