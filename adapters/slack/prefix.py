"""What stands before the first word of our commands in a workspace, learnt from what people type there."""

from __future__ import annotations

import logging
from datetime import datetime

from bot.storage.database import Database
from bot.storage.kept import find_kept, keep

log = logging.getLogger(__name__)

PLAIN = "/"


class Prefix:
    """'/', or '/rg-' where '/rg-paper' was typed last, also before a restart. `value` is read wherever we draw."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.value = PLAIN

    async def recall(self, team: str) -> None:
        """As it was typed last in this workspace. Never raises: it is learnt again."""
        try:
            kept = await self._database.read(lambda tx: find_kept(tx, _name(team)))
        except Exception:
            log.exception("what commands are called could not be looked up")
        else:
            self.value = kept or self.value

    def take(self, typed: str) -> bool:
        """Somebody typed a command that began so; whether it is another than before, and wants to be kept."""
        new, self.value = typed != self.value, typed
        return new

    async def keep(self, team: str, now: datetime) -> None:
        """Store it for this workspace."""
        typed = self.value
        await self._database.write(lambda tx: keep(tx, _name(team), typed, now))


def _name(team: str) -> str:
    return f"slack.prefix.{team}"
