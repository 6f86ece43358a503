"""Search as people use it: a query in, a page of papers with the words to mark out."""

from __future__ import annotations

from datetime import datetime

from bot.errors import BadInput
from bot.papers.model import Paper, parse_public_id
from bot.search.marks import mark
from bot.search.model import Found
from bot.search.query import Query, parse_beginning, parse_query
from bot.storage import papers, queries, search_sqlite
from bot.storage.database import Database, Tx


class SearchService:
    """Searches what one club (None: the shared shelf alone) can see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def search(self, club: int | None, text: str, page: int = 1, per_page: int = 5) -> Found:
        """A page of what the query finds, best first. A page beyond the last gives the last.

        Raises: BadInput('search.too_long', n=300); BadInput('search.nothing') without a letter or digit to
        look for.
        """
        query = parse_query(text)
        if not query.terms:
            raise BadInput("search.nothing", "query", query=text.strip())
        return await self._database.read(lambda tx: _found(tx, club, query, page, per_page))

    async def similar(self, club: int | None, paper_id: int, limit: int = 5) -> list[Paper]:
        """The papers nearest to one by its rarest words. Raises NotFound('error.no_paper', id=, last=)."""

        def fn(tx: Tx) -> list[Paper]:
            paper = papers.get(tx, club, paper_id)
            return search_sqlite.similar_papers(tx, club, paper.id or 0, limit)

        return await self._database.read(fn)

    async def suggest(self, club: int | None, prefix: str, limit: int = 10) -> list[Paper]:
        """Papers while someone types: by the number or the words begun in title and authors, newest first."""
        number, beginning = parse_public_id(prefix), parse_beginning(prefix)

        def fn(tx: Tx) -> list[Paper]:
            named = search_sqlite.numbered_papers(tx, club, number, limit) if number else []
            found = search_sqlite.suggest_papers(tx, club, beginning, limit)
            return list({paper.id: paper for paper in named + found}.values())

        return (await self._database.read(fn))[:limit]

    async def shorten(self, text: str, now: datetime) -> str:
        """The short key a query is kept under, the same for the same text."""
        return await self._database.write(lambda tx: queries.keep_query(tx, text, now))

    async def lengthen(self, key: str) -> str | None:
        """The query behind a short key; None when it is not known (any more)."""
        return await self._database.read(lambda tx: queries.kept_query(tx, key))


def _found(tx: Tx, club: int | None, query: Query, page: int, per_page: int) -> Found:
    page = max(page, 1)
    total, hits = search_sqlite.find_papers(tx, club, query, per_page, (page - 1) * per_page)
    pages = max(1, -(-total // per_page))
    if page > pages:
        page = pages
        total, hits = search_sqlite.find_papers(tx, club, query, per_page, (page - 1) * per_page)
    return Found(
        query.text,
        total,
        tuple(mark(paper, query) for paper in hits),
        page,
        pages,
        None if total else _did_you_mean(tx, club, query),
    )


def _did_you_mean(tx: Tx, club: int | None, query: Query) -> tuple[str, int] | None:
    """A near word for the first word of the query that finds nothing by itself."""
    for term in query.terms:
        if term.where in ("any", "title", "author") and not search_sqlite.count(tx, club, Query("", (term,))):
            return search_sqlite.nearest_word(tx, club, term.text)
    return None
