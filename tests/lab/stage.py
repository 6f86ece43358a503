"""Clubs, channels and papers for tests, stored for real."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from bot.clubs.model import Club, Place, Settings
from bot.daily.model import DAILY, Topic
from bot.delivery.model import Delivery
from bot.messages.model import Message
from bot.storage import clubs
from bot.storage.database import Tx, to_us
from bot.storage.deliveries import list_deliveries

SALT = "0123456789abcdef0123456789abcdef"


def stage_club(
    tx: Tx,
    now: datetime,
    *,
    zone: str = "Europe/Berlin",
    settings: Settings | None = None,
    channels: int = 1,
    salt: str = SALT,
    platform: str = "preview",
) -> Club:
    """A club with its channels, set up at `now`."""
    club_id = clubs.put_club(tx, "The club", "en", zone, salt, settings or Settings(), now)
    for number in range(1, channels + 1):
        place = Place(platform, "", f"{club_id}-{number}", name=f"channel {club_id}-{number}")
        clubs.put_channel(tx, club_id, place, now)
    club = clubs.find_club(tx, club_id)
    assert club is not None
    return club


def stage_papers(tx: Tx, topics: Iterable[Topic], now: datetime, club_id: int | None = None) -> list[int]:
    """One paper a topic, on the shared shelf or a club's own; their ids."""
    return [
        int(
            tx.rows(
                "INSERT INTO paper (club_id, authors, area, subarea, abstract, added_at)"
                " VALUES (:club, '[]', :area, :subarea, 'We show something.', :at) RETURNING id",
                club=club_id,
                area=area,
                subarea=subarea,
                at=to_us(now),
            )[0][0]
        )
        for area, subarea in topics
    ]


def reload(tx: Tx, club: Club) -> Club:
    """The club as it is stored now."""
    found = clubs.find_club(tx, club.id)
    assert found is not None
    return found


async def plain(delivery: Delivery) -> Message | None:
    """A message that names its key: enough to see what went where."""
    return Message(f"{delivery.kind} {delivery.subject}", ())


def states(tx: Tx, club: Club, subject: str, kind: str = DAILY) -> list[tuple[str, str]]:
    """State and reason of each delivery under a key."""
    return [(row.state, row.reason) for row in list_deliveries(tx, club.id, kind, subject)]


def hours(number: float) -> timedelta:
    """A span, short to write."""
    return timedelta(hours=number)
