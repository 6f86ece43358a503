"""A club with papers and members, and its week, in a real store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

from bot.clubs import service as clubs
from bot.clubs.model import Account, Asker, Club, Member, Place
from bot.rounds import ballots, nominations
from bot.rounds import service as rounds
from bot.rounds.ballots import Cast
from bot.rounds.model import Result, Round
from bot.rounds.nominations import Nominated
from bot.storage.database import Database, Tx, to_us

T = TypeVar("T")

MONDAY = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
"""09:00 in Berlin; the vote of that week opens on Thursday 08:00 UTC and closes on Friday 16:00 UTC."""
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
MEETS = datetime(2026, 12, 7, 15, 0, tzinfo=UTC)


def asker(number: int, channel: str = "papers", *, admin: bool = False) -> Asker:
    """Member `number` of the test platform, in a channel."""
    return Asker(
        Account("preview", "w", f"u{number}"), Place("preview", "w", channel), f"Member {number}", admin=admin
    )


@dataclass
class Week:
    """A club's week by short calls; each is one transaction."""

    database: Database
    club: Club

    async def write(self, fn: Callable[[Tx], T]) -> T:
        return await self.database.write(fn)

    async def read(self, fn: Callable[[Tx], T]) -> T:
        return await self.database.read(fn)

    async def other_club(self) -> Week:
        """Another club on the same platform, organised by member 9."""
        club = await self.write(
            lambda tx: clubs.setup(tx, asker(9, "else", admin=True), MONDAY, name="Other", zone="UTC")
        )
        return Week(self.database, club)

    async def change(self, **changes: Any) -> Club:
        """The club with other settings, made by its organiser."""
        organiser = await self.member(1)
        return await self.write(lambda tx: clubs.change_settings(tx, self.club, organiser, MONDAY, **changes))

    async def member(self, number: int, now: datetime = MONDAY) -> Member:
        return await self.write(lambda tx: clubs.member_of(tx, self.club.id, asker(number), now))

    async def paper(self, title: str, club: int | None = None) -> int:
        return await self.write(
            lambda tx: int(
                tx.rows(
                    "INSERT INTO paper (club_id, title, authors, abstract, added_at)"
                    " VALUES (:club, :title, '[]', '', :at) RETURNING id",
                    club=club,
                    title=title,
                    at=to_us(MONDAY),
                )[0][0]
            )
        )

    async def nominate(
        self, number: int, paper_id: int, now: datetime = MONDAY, reason: str = ""
    ) -> Nominated:
        member = await self.member(number)
        return await self.write(lambda tx: nominations.nominate(tx, self.club, member, paper_id, reason, now))

    async def nominate_papers(self, count: int) -> list[int]:
        """As many papers, one a minute, each by another member."""
        ids = []
        for number in range(1, count + 1):
            ids.append(await self.paper(f"Paper {number}"))
            await self.nominate(number, ids[-1], MONDAY.replace(minute=number))
        return ids

    async def open(self, now: datetime = OPENS) -> Round:
        return await self.write(lambda tx: rounds.open_round(tx, self.club, now))

    async def cast(self, over: Round, number: int, *positions: int, at: datetime = OPENS) -> Cast:
        member = await self.member(number)
        return await self.write(lambda tx: ballots.cast(tx, over.id, member, positions, at))

    async def close(self, over: Round, now: datetime = CLOSES) -> Result:
        return await self.write(lambda tx: rounds.close_round(tx, self.club.id, over.id, now))

    async def states(self) -> dict[int, str]:
        """State of every nomination by paper."""
        rows = await self.read(lambda tx: tx.rows("SELECT paper_id, state FROM nomination ORDER BY id"))
        return {row[0]: row[1] for row in rows}


@pytest.fixture
async def week(database: Database) -> Week:
    """A club in Berlin with the default settings; member 1 organises it."""
    club = await database.write(
        lambda tx: clubs.setup(tx, asker(1, admin=True), MONDAY, name="Readers", zone="Europe/Berlin")
    )
    return Week(database, club)
