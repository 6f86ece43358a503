"""The desk for what is stored about whoever asks: to read, to take away, to delete."""

from __future__ import annotations

from dataclasses import replace

from bot.app.request import Handler, PressHandler, Request, SubmitHandler, private, row_number
from bot.app.rooms import Rooms
from bot.clubs import forgetting
from bot.clubs.forgetting import About, Leaving
from bot.clubs.service import find_member
from bot.errors import NotFound
from bot.messages.model import Answer, Message
from bot.messages.pages.lines import member_name
from bot.messages.pages.me import (
    export_page,
    forgetting_page,
    forgotten_page,
    me_page,
    nothing_page,
)
from bot.messages.words import words_for
from bot.storage.database import Tx


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def paper_me(request: Request, args: dict[str, str]) -> Answer:
        return private(await _me(rooms, request))

    return {"paper me": paper_me}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed. Ids end in the club the page was about, so that no other is meant by mistake."""

    async def me(request: Request, rest: str) -> Answer:
        return Answer("redraw", await _me(rooms, _about_club(request, rest)))

    async def export(request: Request, rest: str) -> Answer:
        request = _about_club(request, rest)
        found = await _read(rooms, request)
        if found is None or request.club is None:
            return private(nothing_page(request.reader, request.club))
        return private(export_page(request.reader, request.club, found))

    async def asked(request: Request, rest: str) -> Answer:
        club, account = _about_club(request, rest).needs_club(), request.asker.account

        def read(tx: Tx) -> Leaving | None:
            member = find_member(tx, club.id, account)
            return None if member is None else forgetting.leaving(tx, club, member, request.now)

        leaving = await rooms.database.read(read)
        if leaving is None:
            return private(nothing_page(request.reader, club))
        return private(forgetting_page(request.reader, club, leaving))

    async def forget(request: Request, rest: str) -> Answer:
        club, account = _about_club(request, rest).needs_club(), request.asker.account
        former = member_name(words_for(club.language), "")

        def work(tx: Tx) -> Leaving | None:
            member = find_member(tx, club.id, account)
            return None if member is None else forgetting.forget(tx, club, member, former, request.now)

        done = await rooms.database.write(work)
        if done is None:
            return Answer("redraw", nothing_page(request.reader, club))
        if done.vote is not None:
            rooms.refresher.request(done.vote.id)
        rooms.wake()
        return Answer("redraw", forgotten_page(request.reader, club, done))

    return {"me": me, "export": export, "forgetting": asked, "forget": forget}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """No forms here."""
    return {}


async def _me(rooms: Rooms, request: Request) -> Message:
    found = await _read(rooms, request)
    if found is None or request.club is None:
        return nothing_page(request.reader, request.club)
    return me_page(request.reader, request.club, found)


async def _read(rooms: Rooms, request: Request) -> About | None:
    """What is stored about the asker in the club; None where there is no club or they never took part."""
    if request.club is None and not request.several:
        return None
    club, account = request.needs_club(), request.asker.account

    def read(tx: Tx) -> About | None:
        member = find_member(tx, club.id, account)
        return None if member is None else forgetting.about(tx, club, member)

    return await rooms.database.read(read)


def _about_club(request: Request, rest: str) -> Request:
    """The request, about the club of the page the button stood on. Raises NotFound('error.unknown_button') where
    another one is meant here."""
    if not rest:
        return request
    number = row_number(rest)
    named = next((club for club in request.several if club.id == number), None)
    if named is not None:
        return replace(request, club=named, several=())
    if request.club is None or request.club.id != number:
        raise NotFound("error.unknown_button")
    return request
