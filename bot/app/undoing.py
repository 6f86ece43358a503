"""The desk for what can be taken back: the last post, and a whole club. Each asks first."""

from __future__ import annotations

from bot.app.request import Handler, PressHandler, Request, SubmitHandler, private, row_number
from bot.app.rooms import Rooms
from bot.app.standing import check_member
from bot.clubs import lifecycle
from bot.clubs import service as clubs
from bot.clubs.model import Channel, Club
from bot.daily import undo
from bot.daily.model import Pick
from bot.errors import NotFound
from bot.messages.model import Answer, Message
from bot.messages.pages.organising import delete_page, deleted_page, restored_page, undo_page, undone_page
from bot.rounds.model import Round
from bot.rounds.service import find_open_round
from bot.storage.database import Tx


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def last(request: Request, args: dict[str, str]) -> Answer:
        club = request.needs_club()
        pick = await rooms.database.read(lambda tx: undo.last_post(tx, club.id))
        paper = await rooms.papers.get(club.id, pick.paper_id)
        return private(undo_page(request.reader, paper, undo.post_key(pick)))

    async def end(request: Request, args: dict[str, str]) -> Answer:
        club = request.needs_club()
        vote = await rooms.database.read(lambda tx: find_open_round(tx, club.id))
        return private(delete_page(request.reader, club, lifecycle.KEPT, voting=vote is not None))

    async def again(request: Request, args: dict[str, str]) -> Answer:
        return private(await _restore(rooms, request, None))

    return {"club undo": last, "club delete": end, "club restore": again}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def take_back(request: Request, rest: str) -> Answer:
        club = request.needs_club()

        def work(tx: Tx) -> Pick:
            member = clubs.member_of(tx, club.id, request.asker, request.now)
            clubs.check_writes(tx, member, request.now)
            return undo.undo(tx, club, member, rest, request.now)

        pick = await rooms.database.write(work)
        rooms.wake()
        return private(undone_page(request.reader, await rooms.papers.get(club.id, pick.paper_id)))

    async def end(request: Request, rest: str) -> Answer:
        club = request.needs_club()
        if row_number(rest) != club.id:
            raise NotFound("error.unknown_button")

        def work(tx: Tx) -> None:
            member = clubs.member_of(tx, club.id, request.asker, request.now)
            lifecycle.delete(tx, clubs.get_club(tx, club.id), request.now, member)

        await rooms.database.write(work)
        return private(deleted_page(request.reader, club, lifecycle.KEPT))

    async def again(request: Request, rest: str) -> Answer:
        return private(await _restore(rooms, request, row_number(rest)))

    return {"undo": take_back, "delete": end, "restore": again}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """No forms here."""
    return {}


async def _check_may_restore(rooms: Rooms, request: Request, club_id: int | None) -> None:
    """In private messages: whoever once organised a club is still in its server. Raises as `check_member`."""

    def read(tx: Tx) -> tuple[str, list[Channel]]:
        deleted = lifecycle.find_deleted(tx, request.asker, request.now, club_id)
        return deleted.name, lifecycle.channels_of_deleted(tx, deleted)

    await check_member(rooms, request.asker, *await rooms.database.read(read))


async def _restore(rooms: Rooms, request: Request, club_id: int | None) -> Message:
    if not request.asker.place.workspace:
        await _check_may_restore(rooms, request, club_id)

    def work(tx: Tx) -> tuple[Club, Round | None]:
        deleted = lifecycle.find_deleted(tx, request.asker, request.now, club_id)
        by = clubs.member_of(tx, deleted.id, request.asker, request.now)
        return lifecycle.restore(tx, deleted, request.now, by)

    club, vote = await rooms.database.write(work)
    rooms.wake()
    if vote is not None:
        rooms.refresher.request(vote.id)
    paper, opening = await rooms.database.read(lambda tx: clubs.next_times(tx, club, request.now))
    return restored_page(request.reader, club, paper, opening, vote)
