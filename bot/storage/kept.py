"""Small things a platform told us, by name, such as the ids of its commands."""

from __future__ import annotations

from datetime import datetime

from bot.storage.database import Tx, to_us


def keep(tx: Tx, name: str, value: str, now: datetime) -> None:
    """Store a value in place of the one before."""
    tx.run(
        "INSERT INTO kept (name, value, at) VALUES (:name, :value, :at)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at",
        name=name,
        value=value,
        at=to_us(now),
    )


def find_kept(tx: Tx, name: str) -> str | None:
    """The value of a name."""
    rows = tx.rows("SELECT value FROM kept WHERE name = :name", name=name)
    return str(rows[0][0]) if rows else None
