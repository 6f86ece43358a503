"""Servers and workspaces the bot was seen in, as rows."""

from __future__ import annotations

from datetime import datetime

from bot.storage.database import Tx, to_us


def put_server(tx: Tx, platform: str, native_id: str, now: datetime) -> None:
    """The bot is in this server, for the first time or again."""
    tx.run(
        "INSERT INTO server (platform, native_id, joined_at) VALUES (:platform, :native, :at)"
        " ON CONFLICT (platform, native_id) DO UPDATE SET removed_at = NULL",
        platform=platform,
        native=native_id,
        at=to_us(now),
    )


def remove_server(tx: Tx, platform: str, native_id: str, now: datetime) -> None:
    """The bot is in this server no longer; of a server never seen nothing is kept."""
    tx.run(
        "UPDATE server SET removed_at = :at"
        " WHERE platform = :platform AND native_id = :native AND removed_at IS NULL",
        platform=platform,
        native=native_id,
        at=to_us(now),
    )


def greet_server(tx: Tx, platform: str, native_id: str, now: datetime) -> bool:
    """Note that a server is greeted; False when it was before."""
    changed = tx.run(
        "UPDATE server SET greeted_at = :at"
        " WHERE platform = :platform AND native_id = :native AND greeted_at IS NULL",
        platform=platform,
        native=native_id,
        at=to_us(now),
    )
    return changed == 1


def list_servers(tx: Tx, platform: str) -> dict[str, bool]:
    """Every server ever seen on a platform, and whether the bot was in it last."""
    rows = tx.rows(
        "SELECT native_id, removed_at FROM server WHERE platform = :platform ORDER BY native_id",
        platform=platform,
    )
    return {str(row[0]): row[1] is None for row in rows}
