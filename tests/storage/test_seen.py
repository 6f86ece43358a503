"""What was told twice is noted once, for an hour."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.storage.seen import KEPT, first_time, forget
from bot.storage.sqlite import open_sqlite

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


async def test_a_key_is_new_once_an_hour_and_after_it_was_forgotten(tmp_path: Path) -> None:
    database = await open_sqlite(tmp_path / "store.db")
    try:

        async def ask(key: str, now: datetime) -> bool:
            return await database.write(lambda tx: first_time(tx, key, now))

        assert await ask("event:1", NOW)
        assert not await ask("event:1", NOW + KEPT - timedelta(seconds=1))
        assert await ask("event:2", NOW)
        await database.write(lambda tx: forget(tx, "event:2"))
        assert await ask("event:2", NOW)
        assert await ask("event:1", NOW + KEPT + timedelta(seconds=1))
        rows = await database.read(lambda tx: tx.rows("SELECT count(*) FROM seen"))
        assert rows[0][0] == 1
    finally:
        await database.close()
