"""Each thing Slack tells us by one key, and whether we heard it before, also before a restart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bot.storage import seen
from bot.storage.database import Database


class Seen:
    """Remembers for an hour, on the store. A retry whose first copy never came is heard like any other."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    async def first_time(self, key: str) -> bool:
        """Whether nobody asked for `key` within the hour; '' is always new. Durable when this returns.

        Raises: StoreError.
        """
        if not key:
            return True
        now = self._now()
        return await self._database.write(lambda tx: seen.first_time(tx, key, now))

    async def forget(self, key: str) -> None:
        """What `key` asked for could not be done: the same may come again, such as a form with its faults mended."""
        if key:
            await self._database.write(lambda tx: seen.forget(tx, key))


def key_of(body: Mapping[str, Any]) -> str:
    """What makes a call of Slack's the same as another; '' where nothing does.

    An event has an id that its retries keep. A form that is sent twice is the same form with the same values,
    whatever its trigger; everything else is the same only with the same trigger.
    """
    if body.get("event_id"):
        return f"event:{body['event_id']}"
    view = body.get("view")
    if body.get("type") == "view_submission" and isinstance(view, Mapping):
        values = json.dumps((view.get("state") or {}).get("values"), sort_keys=True, ensure_ascii=True)
        digest = hashlib.sha256(values.encode()).hexdigest()[:16]
        return f"form:{view.get('id')}:{view.get('hash')}:{digest}"
    return f"trigger:{body['trigger_id']}" if body.get("trigger_id") else ""
