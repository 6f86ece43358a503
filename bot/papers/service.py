"""The catalogue: bringing papers in, and getting them by id, topic, link or chance."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime

from bot.papers.model import ImportReport, Listing, Paper
from bot.search.model import Found, TopicCount
from bot.storage.database import Database


class PaperService:
    """What one club (None: nobody's, so the shared shelf alone) can see of the catalogue, and changes to it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self,
        listing: Listing,
        club: int | None,
        now: datetime,
        source: str,
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportReport:
        """Bring a listing into the shared shelf or a club's own, all of it or, after an error, nothing.

        `source` names where it came from and joins the papers' sources. `progress(done, total)` is called on the
        event loop now and then. A second import of the same changes nothing.
        """
        raise NotImplementedError

    async def get(self, club: int | None, paper_id: int) -> Paper:
        """The paper of that number, or the one it was merged into. Raises NotFound('error.no_paper', id=, last=)."""
        raise NotImplementedError

    async def find(self, club: int | None, paper_id: int) -> Paper | None:
        """As `get`, None when there is none."""
        raise NotImplementedError

    async def last_id(self, club: int | None) -> int:
        """The highest number in use, 0 in an empty catalogue."""
        raise NotImplementedError

    async def count(self, club: int | None) -> int:
        """How many papers the catalogue holds."""
        raise NotImplementedError

    async def random(self, club: int | None, topic: str | None, rng: random.Random) -> Paper:
        """Any paper (of a topic). Raises NotFound('error.no_topic', topic=, topics=) or NotFound('error.no_papers')."""
        raise NotImplementedError

    async def topics(self, club: int | None) -> list[TopicCount]:
        """Every area (subarea None, its papers in all) followed by its subareas; 'Without a topic' comes last."""
        raise NotImplementedError

    async def find_topic(self, club: int | None, text: str) -> tuple[str | None, str | None]:
        """The area and subarea that people mean by a text; None, None is 'Without a topic'.

        Raises NotFound('error.no_topic', topic=, topics=[the nearest, as shown]).
        """
        raise NotImplementedError

    async def by_topic(
        self, club: int | None, area: str | None, subarea: str | None, page: int = 1, per_page: int = 5
    ) -> Found:
        """A page of a topic's papers, newest first; an area without subarea gives all of the area."""
        raise NotImplementedError

    async def by_link(self, club: int | None, link: str) -> Paper | None:
        """The paper an address, an arXiv identifier or a DOI leads to."""
        raise NotImplementedError

    async def put_own(self, club: int, paper: Paper, now: datetime) -> Paper:
        """A paper a member brought, on the club's own shelf; the known one where the catalogue has it already."""
        raise NotImplementedError

    async def remove(self, club: int | None, paper_id: int, now: datetime) -> Paper:
        """Take a paper off its shelf: it is found no more, its number is never used again.

        A club can remove what stands on its own shelf, `club=None` what is shared. Raises NotFound.
        """
        raise NotImplementedError

    async def saved(self, club: int, member: int) -> list[Paper]:
        """A member's own list, newest first."""
        raise NotImplementedError

    async def toggle_saved(self, club: int, member: int, paper_id: int, now: datetime) -> bool:
        """Put a paper on a member's list, or take it off; True when it is on the list now. Raises NotFound."""
        raise NotImplementedError
