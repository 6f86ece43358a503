"""Long queries behind the short keys that travel in buttons."""

from __future__ import annotations

import base64
import hashlib
from datetime import datetime

from bot.storage.database import Tx, to_us


def keep_query(tx: Tx, text: str, now: datetime) -> str:
    """The key of a query: 12 letters, digits, '-' and '_', always the same for the same text."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    key = base64.urlsafe_b64encode(digest)[:12].decode("ascii")
    tx.run(
        "INSERT INTO query_key (key, text, used_at) VALUES (:key, :text, :now)"
        " ON CONFLICT (key) DO UPDATE SET used_at = excluded.used_at",
        key=key,
        text=text,
        now=to_us(now),
    )
    return key


def kept_query(tx: Tx, key: str) -> str | None:
    """The query of a key."""
    rows = tx.rows("SELECT text FROM query_key WHERE key = :key", key=key)
    return str(rows[0][0]) if rows else None
