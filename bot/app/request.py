"""What a desk knows about a request: who asks, for which club, how to answer them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from bot.clubs.model import Asker, Club, Member, Place
from bot.clubs.service import (
    check_admitted,
    check_may_write,
    club_before,
    club_of,
    club_of_vote,
    find_member,
    is_organiser,
    organisers,
)
from bot.errors import BadInput, Conflict, NotAllowed, NotFound
from bot.messages.model import Answer, Message, Reader
from bot.messages.words import best_language
from bot.storage.choices import find_choice
from bot.storage.database import Database, Tx
from bot.storage.rounds import club_of_round

DEFAULT_LANGUAGE = "en"
DEFAULT_ZONE = "UTC"
MOST_NAMED = 10
"""Clubs that are named where one of them must be meant."""
_VOTING = ("vote", "ballot", "mine", "retract", "how", "result", "sheet", "decide", "decision")
"""What is pressed about one vote, whose number follows."""
_STANDS = (*_VOTING, "remind", "more", "similar", "save", "today", "nominations", "reopen")
"""What can be pressed below a post that stands where the club left, and what that leads to."""


@dataclass(frozen=True, slots=True)
class Request:
    """One command, press or submit. `club` None: not set up here, or one of `several` is meant."""

    asker: Asker
    now: datetime
    club: Club | None
    member: Member | None
    reader: Reader
    several: tuple[Club, ...] = ()
    chosen: bool = False
    """Several clubs may be meant, and the asker chose this one here a while ago."""
    hidden: frozenset[int] = frozenset()
    """Clubs that are not there for the asker: their channel is private, and the asker is not in it."""

    @property
    def club_id(self) -> int | None:
        """Whose catalogue answers; None for the shared shelf, before set-up and while it is not clear."""
        return self.club.id if self.club else None

    def needs_club(self) -> Club:
        """The club. Raises Conflict('setup.missing') where there is none yet, BadInput('error.which_club')
        where only the asker could say which is meant."""
        if self.several:
            raise BadInput("error.which_club", clubs=[club.name for club in self.several[:MOST_NAMED]])
        if self.club is None:
            raise Conflict("setup.missing", private=self.is_private())
        return self.club

    def is_private(self) -> bool:
        """Whether this is in private messages, which are in no server or workspace."""
        return not self.asker.place.workspace

    def is_here(self) -> bool:
        """Whether the club owns this very channel, and is not only the one meant from elsewhere."""
        place, channels = self.asker.place, self.club.channels if self.club else ()
        return any(
            (each.platform, each.workspace) == (place.platform, place.workspace)
            and each.native_id in (place.channel, place.parent)
            for each in channels
        )


def clubs_meant(tx: Tx, asker: Asker, hidden: frozenset[int] = frozenset()) -> tuple[Club, ...]:
    """The clubs a request may be about, without the hidden ones."""
    found = club_of(tx, asker.place, asker.account)
    return tuple(c for c in (found if isinstance(found, tuple) else (found,)) if c.id not in hidden)


def read_request(
    tx: Tx, asker: Asker, now: datetime, pressed: str = "", hidden: frozenset[int] = frozenset()
) -> Request:
    """Work out club, member and reader of a request. The id that was `pressed` or sent may be below a post that
    stands where the club left: a vote there goes on until it closes. `hidden` clubs are not there for the asker."""
    found = club_of(tx, asker.place, asker.account)
    if pressed.partition(":")[0] in _STANDS and asker.place.workspace:
        found = _behind(tx, asker.place, pressed, found)
    if isinstance(found, tuple):
        found = _voting(tx, found, pressed) or found
    if hidden:
        left = tuple(c for c in (found if isinstance(found, tuple) else (found,)) if c.id not in hidden)
        found = left[0] if len(left) == 1 else left
    several = found if isinstance(found, tuple) else ()
    club = None if isinstance(found, tuple) else found
    chosen = find_choice(tx, asker, now) if len(several) > 1 else None
    if chosen is not None:
        club = next((each for each in several if each.id == chosen), None)
    member = find_member(tx, club.id, asker.account) if club else None
    reader = Reader(
        language=best_language(asker.locale, club.language if club else DEFAULT_LANGUAGE),
        zone=club.zone if club else DEFAULT_ZONE,
        now=now,
        name=asker.name,
        organiser=is_organiser(member, asker) if club else asker.admin,
        member=member.id if member else None,
    )
    return Request(
        asker, now, club, member, reader, () if club else several, club is not None and bool(several), hidden
    )


def stood_here(tx: Tx, request: Request, pressed: str) -> bool:
    """Whether what was pressed is below a post that stands where the request's club left."""
    place, club = request.asker.place, request.club
    if club is None or not place.workspace or pressed.partition(":")[0] not in _STANDS:
        return False
    found = _behind(tx, place, pressed, ())
    return isinstance(found, Club) and found.id == club.id


def _voting(tx: Tx, several: tuple[Club, ...], pressed: str) -> Club | None:
    """That of several clubs whose vote something was pressed about: nobody is asked what the button says."""
    name, _, rest = pressed.partition(":")
    club_id = club_of_round(tx, int(rest)) if several and name in _VOTING and _is_number(rest) else None
    return next((club for club in several if club.id == club_id), None)


def _behind(tx: Tx, place: Place, pressed: str, found: Club | tuple[Club, ...]) -> Club | tuple[Club, ...]:
    """The club of the post something was pressed below; `found` is the one that is meant in its channel now."""
    name, _, rest = pressed.partition(":")
    vote = club_of_vote(tx, place, int(rest)) if name in _VOTING and _is_number(rest) else None
    if vote is not None or isinstance(found, Club):
        return vote or found
    return club_before(tx, place) or found


def club_reader(club: Club, now: datetime) -> Reader:
    """The reader of a public message: everybody in the club, in its language and zone."""
    return Reader(club.language, club.zone, now)


async def needs_organiser(database: Database, request: Request) -> None:
    """Raises NotAllowed('error.rights') with the names to ask for anybody but an organiser."""
    if not request.reader.organiser:
        club_id = request.needs_club().id
        raise NotAllowed("error.rights", names=await database.read(lambda tx: organisers(tx, club_id)))


async def needs_writer(database: Database, request: Request) -> None:
    """Raises NotAllowed('error.blocked') with the names to ask for a blocked member, NotAllowed('guests.vote')."""
    member = request.member
    if request.club is not None:
        check_admitted(request.club, request.asker)
    if member is not None and member.blocked:
        await database.read(lambda tx: check_may_write(tx, member))


def row_number(text: str) -> int:
    """The number behind a button. Raises NotFound('error.unknown_button') for anything else."""
    if not _is_number(text):
        raise NotFound("error.unknown_button")
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16


def read_day(text: str, field: str, today: date) -> date:
    """A day as people write it (2026-11-30). Raises BadInput('error.date')."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if not 1970 < day.year < 9000:
        raise BadInput("error.date", field=field, value=text, example=today.isoformat())
    return day


def whole(text: str) -> str:
    """The text without halves of signs, which no store or platform takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def private(message: Message) -> Answer:
    """An answer only the asker sees."""
    return Answer("private", message)


Handler = Callable[[Request, dict[str, str]], Awaitable[Answer]]
PressHandler = Callable[[Request, str], Awaitable[Answer]]
SubmitHandler = Callable[[Request, str, Mapping[str, str | list[str]]], Awaitable[Answer]]
