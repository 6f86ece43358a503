"""What stands before the first words of our commands in a workspace, learnt from what people type there."""

from __future__ import annotations

import logging
from datetime import datetime

from adapters.slack.marks import PLAIN, Prefixes
from bot.storage.database import Database
from bot.storage.kept import find_kept, keep

log = logging.getLogger(__name__)


class Prefix:
    """As they were typed last, also before a restart. `value` is read wherever we draw."""

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
            self.value = _read(kept) if kept else self.value

    def take(self, top: str, prefix: str) -> bool:
        """Somebody typed a first word behind a prefix; whether it is another than before, and wants to be kept."""
        before, self.value = self.value, self.value.typed(top, prefix)
        return self.value != before

    async def keep(self, team: str, now: datetime) -> None:
        """Store it for this workspace."""
        typed = f"{self.value.paper}\n{self.value.club}"
        await self._database.write(lambda tx: keep(tx, _name(team), typed, now))


def _read(kept: str) -> Prefixes:
    """As it was kept: a line for each, or one for both."""
    paper, parted, club = kept.partition("\n")
    return Prefixes(paper, club) if parted else Prefixes(kept, kept)


def _name(team: str) -> str:
    return f"slack.prefix.{team}"
