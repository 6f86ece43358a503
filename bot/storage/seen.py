"""What a platform told us already, so that telling it again does nothing."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.storage.database import Tx, to_us

KEPT = timedelta(hours=1)
"""Platforms repeat what they say within minutes."""


def first_time(tx: Tx, key: str, now: datetime) -> bool:
    """Note that `key` was told; False when it was within the last hour. Whoever asks first does the work."""
    tx.run("DELETE FROM seen WHERE at < :past", past=to_us(now - KEPT))
    return (
        tx.run("INSERT INTO seen (key, at) VALUES (:key, :at) ON CONFLICT DO NOTHING", key=key, at=to_us(now))
        == 1
    )


def forget(tx: Tx, key: str) -> None:
    """It may be told again: what was asked could not be done."""
    tx.run("DELETE FROM seen WHERE key = :key", key=key)
