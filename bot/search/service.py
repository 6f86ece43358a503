"""Search as people use it: a query in, a page of papers with the words to mark out."""

from __future__ import annotations

from datetime import datetime

from bot.papers.model import Paper
from bot.search.model import Found
from bot.storage.database import Database


class SearchService:
    """Searches what one club (None: the shared shelf alone) can see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def search(self, club: int | None, text: str, page: int = 1, per_page: int = 5) -> Found:
        """A page of what the query finds, best first. A page beyond the last gives the last.

        Raises BadInput('search.too_long', n=300) and BadInput('search.nothing') when there is not one letter or
        digit to look for.
        """
        raise NotImplementedError

    async def similar(self, club: int | None, paper_id: int, limit: int = 5) -> list[Paper]:
        """The papers nearest to one by its rarest words. Raises NotFound('error.no_paper', id=, last=)."""
        raise NotImplementedError

    async def suggest(self, club: int | None, prefix: str, limit: int = 10) -> list[Paper]:
        """Papers while someone types: by number, or by beginnings of words in title and authors, newest first."""
        raise NotImplementedError

    async def shorten(self, text: str, now: datetime) -> str:
        """The short key a query is kept under, the same for the same text."""
        raise NotImplementedError

    async def lengthen(self, key: str) -> str | None:
        """The query behind a short key; None when it is not known (any more)."""
        raise NotImplementedError
