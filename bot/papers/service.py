"""The catalogue: bringing papers in, and getting them by id, topic, link or chance."""

from __future__ import annotations

import asyncio
import gc
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from bot.errors import NotFound
from bot.papers.intake import Entry, prepare
from bot.papers.model import ImportReport, Listing, Paper
from bot.papers.same import arxiv_id_in, doi_in, same_paper
from bot.papers.topics import NONE, Topic, nearest_topics, shown_topic, topic_meant, with_areas
from bot.search.model import Found, Hit, TopicCount
from bot.search.query import Query, parse_query
from bot.storage import papers, saved, search_sqlite
from bot.storage.database import Database, Tx
from bot.storage.index_sqlite import join_pieces

_LARGE = 5_000
"""New papers after which it pays to join the index's pieces, about 30 µs for each paper in it."""

Progress = Callable[[int, int], None]

_AT_ONCE = 200
"""Entries prepared in one go by a worker thread, some 30 ms of work."""


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage meanwhile: among many new values that all stay it costs a tenth of an import."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class PaperService:
    """The catalogue as one club sees it (None: the shared shelf alone), and changes to it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self,
        listing: Listing,
        club: int | None,
        now: datetime,
        source: str,
        *,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Bring a listing into the shared shelf or a club's own, all of it or, after an error, nothing.

        `source` names where it came from and joins the papers' sources ('' for nothing). Entries are folded
        on a worker thread, then written in one transaction; other writes wait for that one.
        `progress(done, total)` is called on the event loop. A second import of the same changes nothing.
        """
        entries: list[Entry] = []
        total = len(listing.papers)
        with _uncollected():
            for start in range(0, total, _AT_ONCE):
                chunk = listing.papers[start : start + _AT_ONCE]
                entries += await asyncio.to_thread(lambda: [prepare(paper, club, source) for paper in chunk])  # noqa: B023
                if progress:
                    progress(len(entries), total)
            intake, stored = await self._database.write(lambda tx: papers.put(tx, club, entries, now))
        numbers = Counter(intake.outcomes)
        if numbers["added"] >= _LARGE:
            await self._database.write(join_pieces)
        return ImportReport(
            numbers["added"],
            numbers["changed"],
            numbers["merged"],
            numbers["unchanged"],
            listing.problems,
            tuple(stored),
        )

    async def get(self, club: int | None, paper_id: int) -> Paper:
        """The paper of that number, or the one it was merged into.

        Raises: NotFound('error.no_paper', id=, last=).
        """
        return await self._database.read(lambda tx: papers.get(tx, club, paper_id))

    async def find(self, club: int | None, paper_id: int) -> Paper | None:
        """As `get`, None when there is none."""
        return await self._database.read(lambda tx: papers.find(tx, club, paper_id))

    async def get_anywhere(self, paper_id: int) -> Paper:
        """As `get`, on whichever shelf it stands: for the operator, who sees them all.

        Raises: NotFound('error.no_paper', id=, last=).
        """
        return await self._database.read(lambda tx: papers.get_anywhere(tx, paper_id))

    async def last_anywhere(self) -> int:
        """The highest number on any shelf, 0 in an empty store."""
        return await self._database.read(papers.last_anywhere)

    async def last_id(self, club: int | None) -> int:
        """The highest number the club can see, 0 in an empty catalogue."""
        return await self._database.read(lambda tx: papers.last_id(tx, club))

    async def no_paper(self, club: int | None, asked: str) -> NotFound:
        """The error for what is no number: NotFound('error.no_paper', id=, first=, last=)."""
        return await self._database.read(lambda tx: papers.no_paper(tx, club, asked))

    async def count(self, club: int | None) -> int:
        """How many papers the catalogue holds."""
        return await self._database.read(lambda tx: papers.count(tx, club))

    async def random(self, club: int | None, topic: str | None, rng: random.Random) -> Paper:
        """Any paper (of a topic).

        Raises: NotFound('error.no_topic') as `find_topic`; NotFound('error.no_papers') if empty.
        """

        def fn(tx: Tx) -> list[int]:
            if topic is None:
                return [number for number, _, _ in papers.pool(tx, club)]
            area, subarea = _topic(tx, club, topic)
            return [n for n, a, s in papers.pool(tx, club) if a == area and subarea in (None, s)]

        numbers = await self._database.read(fn)
        if not numbers:
            raise NotFound("error.no_papers")
        return await self.get(club, rng.choice(sorted(numbers)))

    async def topics(self, club: int | None) -> list[TopicCount]:
        """Each area with all its papers (no subarea), then its subareas; by size, 'Without a topic' last."""
        return with_areas(await self._database.read(lambda tx: papers.topics(tx, club)))

    async def find_topic(self, club: int | None, text: str) -> Topic:
        """The area and subarea that people mean by a text; None, None is 'Without a topic' ('none').

        Raises: NotFound('error.no_topic', topic=, topics=[the nearest as shown, at most five]).
        """
        return await self._database.read(lambda tx: _topic(tx, club, text))

    async def by_topic(
        self, club: int | None, area: str | None, subarea: str | None, page: int = 1, per_page: int = 5
    ) -> Found:
        """A page of a topic's papers, newest first; an area alone gives all of the area.

        `query` of the answer finds the same again by search.
        """
        query = parse_query(topic_query(area, subarea))
        return await self._database.read(lambda tx: _page(tx, club, query, page, per_page))

    async def by_link(self, club: int | None, link: str) -> Paper | None:
        """The paper an address, an arXiv identifier or a DOI leads to."""
        arxiv_id, doi = arxiv_id_in(link), doi_in(link)
        keys = [f"arxiv:{arxiv_id}"] * bool(arxiv_id) + [f"doi:{doi}"] * bool(doi)
        return await self._database.read(
            lambda tx: papers.by_key(tx, club, keys) or papers.by_url(tx, club, _addresses(link))
        )

    async def put_own(self, club: int, paper: Paper, now: datetime) -> Paper:
        """A paper a member brought, on the club's own shelf; the known one where there is one."""
        entry = await asyncio.to_thread(prepare, paper, club, "")

        def fn(tx: Tx) -> Paper:
            shared = papers.by_key(tx, None, entry.keys)
            if shared and same_paper(shared, entry.paper):
                return shared
            return papers.put(tx, club, [entry], now)[1][0]

        return await self._database.write(fn)

    async def remove(self, club: int | None, paper_id: int, now: datetime) -> Paper:
        """Take a paper off its shelf: it is found no more, its number is never used again.

        A club can remove what stands on its own shelf, `club=None` what is shared.
        Raises: NotFound('error.no_paper', id=, last=).
        """

        def fn(tx: Tx) -> Paper:
            paper = papers.get(tx, club, paper_id)
            if paper.club != club or paper.id is None:
                raise papers.no_paper(tx, club, paper_id)
            papers.remove(tx, paper.id, now)
            return paper

        return await self._database.write(fn)

    async def saved(self, club: int, member: int) -> list[Paper]:
        """A member's own list, newest first; what was removed since is left out."""

        def fn(tx: Tx) -> list[Paper]:
            ids = saved.saved_ids(tx, club, member)
            standing = papers.load(tx, club, ids, removed=False)
            return list({paper.id: paper for number in ids if (paper := standing.get(number))}.values())

        return await self._database.read(fn)

    async def toggle_saved(self, club: int, member: int, paper_id: int, now: datetime) -> bool:
        """Put a paper on a member's list, or take it off; True when it is on the list now.

        Raises: NotFound('error.no_paper', id=, last=).
        """

        def fn(tx: Tx) -> bool:
            return saved.toggle(tx, club, member, papers.get(tx, club, paper_id).id or 0, now)

        return await self._database.write(fn)


def topic_query(area: str | None, subarea: str | None) -> str:
    """The query that finds exactly the papers of an area (with all its subareas) or of a subarea."""
    if area is None:
        return f"topic:{NONE}"
    return f'topic:"{area} ·"' if subarea is None else f'topic:"{shown_topic(area, subarea)}"'


def _page(tx: Tx, club: int | None, query: Query, page: int, per_page: int) -> Found:
    total, hits = search_sqlite.find_papers(tx, club, query, per_page, (max(page, 1) - 1) * per_page)
    pages = max(1, -(-total // per_page))
    if page > pages:
        return _page(tx, club, query, pages, per_page)
    return Found(query.text, total, tuple(Hit(paper) for paper in hits), max(page, 1), pages)


def _topic(tx: Tx, club: int | None, text: str) -> Topic:
    known = papers.topics(tx, club)
    meant = topic_meant(known, text)
    if meant is None:
        raise NotFound("error.no_topic", topic=text, topics=nearest_topics(known, text))
    return meant


def _addresses(link: str) -> list[str]:
    """The ways one address may have been written down."""
    bare = link.strip().split("#")[0].rstrip("/")
    rest = bare.split("://", 1)[-1]
    hosts = [rest, rest.removeprefix("www."), "www." + rest.removeprefix("www.")]
    urls = [
        f"{scheme}{host}{end}" for scheme in ("https://", "http://") for host in hosts for end in ("", "/")
    ]
    return list(dict.fromkeys((link, bare, *urls)))
