"""What a desk knows about a request: who asks, for which club, how to answer them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.clubs.model import Asker, Club, Member
from bot.clubs.service import club_of, find_member, is_organiser
from bot.errors import BadInput, Conflict, NotAllowed
from bot.messages.model import Answer, Message, Reader
from bot.messages.words import best_language
from bot.storage.database import Tx

DEFAULT_LANGUAGE = "en"
DEFAULT_ZONE = "UTC"


@dataclass(frozen=True, slots=True)
class Request:
    """One command, press or submit. `club` None: not set up here; then the shared shelf answers."""

    asker: Asker
    now: datetime
    club: Club | None
    member: Member | None
    reader: Reader

    @property
    def club_id(self) -> int | None:
        return self.club.id if self.club else None

    def needs_club(self) -> Club:
        """The club. Raises Conflict('setup.missing') where there is none yet."""
        if self.club is None:
            raise Conflict("setup.missing")
        return self.club


def read_request(tx: Tx, asker: Asker, now: datetime) -> Request:
    """Work out club, member and reader of a request. Raises BadInput when several clubs may be meant."""
    found = club_of(tx, asker.place, asker.account)
    if isinstance(found, tuple):
        if found:
            raise BadInput("error.which_club", clubs=[club.name for club in found])
        club, member = None, None
    else:
        club, member = found, find_member(tx, found.id, asker.account)
    reader = Reader(
        language=best_language(asker.locale, club.language if club else DEFAULT_LANGUAGE),
        zone=club.zone if club else DEFAULT_ZONE,
        now=now,
        name=asker.name,
        organiser=is_organiser(member, asker) if club else asker.admin,
        member=member.id if member else None,
    )
    return Request(asker, now, club, member, reader)


def club_reader(club: Club, now: datetime) -> Reader:
    """The reader of a public message: everybody in the club, in its language and zone."""
    return Reader(club.language, club.zone, now)


def needs_organiser(request: Request, names: tuple[str, ...] = ()) -> None:
    """Raises NotAllowed('error.rights') for anybody but an organiser."""
    if not request.reader.organiser:
        raise NotAllowed("error.rights", names=names)


def private(message: Message) -> Answer:
    """An answer only the asker sees."""
    return Answer("private", message)


Handler = Callable[[Request, dict[str, str]], Awaitable[Answer]]
PressHandler = Callable[[Request, str], Awaitable[Answer]]
SubmitHandler = Callable[[Request, str, Mapping[str, str | list[str]]], Awaitable[Answer]]
