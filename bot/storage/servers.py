"""Servers and workspaces the bot was seen in, as rows."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.storage.database import Tx, from_us, to_us
from bot.storage.kept import keep

GREETINGS = 3
"""Tries to greet a server, in all."""
BETWEEN = timedelta(minutes=1)
"""Between two of them, at least."""


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


def may_greet(tx: Tx, platform: str, native_id: str, now: datetime) -> bool:
    """Begin to greet a server; False when it was greeted, was tried a moment ago, or often enough."""
    name = _greeting(platform, native_id)
    if native_id not in list_ungreeted(tx, platform):
        return False
    rows = tx.rows("SELECT value, at FROM kept WHERE name = :name", name=name)
    tries, last = (int(rows[0][0]), from_us(rows[0][1])) if rows else (0, None)
    if tries >= GREETINGS or (last is not None and last <= now < last + BETWEEN):
        return False
    keep(tx, name, str(tries + 1), now)
    return True


def greet_server(tx: Tx, platform: str, native_id: str, now: datetime) -> None:
    """The greeting of a server stands: there is no other."""
    tx.run(
        "UPDATE server SET greeted_at = :at"
        " WHERE platform = :platform AND native_id = :native AND greeted_at IS NULL",
        platform=platform,
        native=native_id,
        at=to_us(now),
    )
    tx.run("DELETE FROM kept WHERE name = :name", name=_greeting(platform, native_id))


def list_ungreeted(tx: Tx, platform: str) -> list[str]:
    """The servers the bot is in that were never greeted."""
    rows = tx.rows(
        "SELECT native_id FROM server WHERE platform = :platform AND greeted_at IS NULL"
        " AND removed_at IS NULL ORDER BY native_id",
        platform=platform,
    )
    return [str(row[0]) for row in rows]


def _greeting(platform: str, native_id: str) -> str:
    """Under which name the tries are kept."""
    return f"greeting:{platform}:{native_id}"


def list_servers(tx: Tx, platform: str) -> dict[str, bool]:
    """Every server ever seen on a platform, and whether the bot was in it last."""
    rows = tx.rows(
        "SELECT native_id, removed_at FROM server WHERE platform = :platform ORDER BY native_id",
        platform=platform,
    )
    return {str(row[0]): row[1] is None for row in rows}
