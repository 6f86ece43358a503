"""The desk for one club on two sides, and for whoever is a member on both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.app.choosing import named
from bot.app.founding import missing_rights, place_meant
from bot.app.request import (
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    needs_organiser,
    private,
    row_number,
)
from bot.app.rooms import Rooms
from bot.clubs import linking
from bot.clubs.model import Channel, Club, platforms_of
from bot.clubs.service import member_of
from bot.errors import BadInput, Conflict
from bot.messages.model import Answer, ChannelRef, Message
from bot.messages.pages.linking import (
    Person,
    both_page,
    club_code_page,
    code_page,
    joined_page,
    leave_page,
    left_page,
    linked_page,
    not_entered_page,
    not_linked_page,
    own_accounts_page,
    unlink_page,
    unlinked_page,
    waiting_page,
)
from bot.messages.pages.setup import rights_page, unchecked_page
from bot.rounds.model import Round
from bot.rounds.service import find_open_round
from bot.storage.choices import put_choice
from bot.storage.database import Tx
from bot.storage.links import Link, Owned, sides_of


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def club_link(request: Request, args: dict[str, str]) -> Answer:
        code = args.get("code", "")
        return private(await _join(rooms, request, code) if code else await _offer_club(rooms, request))

    async def paper_link(request: Request, args: dict[str, str]) -> Answer:
        code = args.get("code", "")
        return await _enter(rooms, request, code) if code else private(await _offer_member(rooms, request))

    return {"club link": club_link, "paper link": paper_link}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def join(request: Request, rest: str) -> Answer:
        return private(await _join(rooms, request, rest))

    async def leaving(request: Request, rest: str) -> Answer:
        club = request.needs_club()
        channel = linking.find_leaving(club, request.asker.place)
        vote = await rooms.database.read(lambda tx: find_open_round(tx, club.id))
        return private(leave_page(request.reader, club, channel, voting=vote is not None))

    async def leave(request: Request, rest: str) -> Answer:
        club, number = request.needs_club(), row_number(rest)

        def work(tx: Tx) -> tuple[Club, Channel]:
            member = member_of(tx, club.id, request.asker, request.now)
            return linking.leave(tx, club.id, member, request.asker.place, number, request.now)

        left, channel = await rooms.database.write(work)
        return Answer("redraw", left_page(request.reader, left, channel))

    async def linked(request: Request, rest: str) -> Answer:
        club, asker = request.needs_club(), request.asker
        link = await rooms.database.read(
            lambda tx: linking.find_waiting(tx, club.id, asker.account, request.now)
        )
        if link is None:
            return private(not_entered_page(request.reader, _others(request, club)))
        return private(_asked(request, link))

    async def yes(request: Request, rest: str) -> Answer:
        club, number = request.needs_club(), row_number(rest)

        def work(tx: Tx) -> tuple[Link, bool, Round | None]:
            link, done = linking.say_yes(tx, club.id, request.asker, number, request.now)
            return link, done, find_open_round(tx, club.id)

        link, done, vote = await rooms.database.write(work)
        if not done:
            return Answer("redraw", _asked(request, link))
        if vote is not None:
            rooms.refresher.request(vote.id)
        return Answer("redraw", linked_page(request.reader, sides_of(link), vote))

    async def no(request: Request, rest: str) -> Answer:
        club, number = request.needs_club(), row_number(rest)
        await rooms.database.write(lambda tx: linking.say_no(tx, club.id, request.asker, number, request.now))
        return Answer("redraw", not_linked_page(request.reader))

    async def apart(request: Request, rest: str) -> Answer:
        club, account = request.needs_club(), request.asker.account

        def find(tx: Tx) -> tuple[tuple[Owned, str], Round | None]:
            return linking.find_apart(tx, club.id, account), find_open_round(tx, club.id)

        (leaves, name), vote = await rooms.database.read(find)
        return private(unlink_page(request.reader, leaves.id, (leaves.platform, name), vote))

    async def unlink(request: Request, rest: str) -> Answer:
        club, number = request.needs_club(), row_number(rest)

        def work(tx: Tx) -> tuple[str, Owned, Round | None]:
            _, name = linking.find_apart(tx, club.id, request.asker.account)
            return name, *linking.unlink(tx, club.id, request.asker, number, request.now)

        name, leaves, vote = await rooms.database.write(work)
        return Answer("redraw", unlinked_page(request.reader, (leaves.platform, name), vote))

    return {
        "join": join,
        "leaving": leaving,
        "leave": leave,
        "linked": linked,
        "link-yes": yes,
        "link-no": no,
        "apart": apart,
        "unlink": unlink,
    }


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """No forms here."""
    return {}


# ---- one club on two sides ----


async def _offer_club(rooms: Rooms, request: Request) -> Message:
    club, code = request.needs_club(), linking.new_code()
    await needs_organiser(rooms.database, request)
    await rooms.database.write(lambda tx: linking.offer_club(tx, club, request.asker, code, request.now))
    return club_code_page(request.reader, club, code, linking.KEPT, several=len(club.channels) > 1)


async def _join(rooms: Rooms, request: Request, code: str) -> Message:
    """This channel to the club of the code, once the bot may do there all it needs."""
    place = place_meant(request.asker.place, "")
    asker = replace(request.asker, place=place)
    club = await rooms.database.write(lambda tx: linking.find_joining(tx, asker, code, request.now))
    if club is None:
        raise BadInput("link.bad_club", field="code")
    missing, channel = await missing_rights(rooms, place), ChannelRef(place.channel, place.name)
    again = f"join:{linking.read_code(code)}"
    if missing is None:
        return unchecked_page(request.reader, channel, again)
    if missing:
        return rights_page(request.reader, channel, missing, again)
    joined = await rooms.database.write(lambda tx: linking.join(tx, asker, code, request.now))
    if joined is None:
        raise BadInput("link.bad_club", field="code")
    rooms.wake()
    club, vote = joined
    return joined_page(replace(request.reader, zone=club.zone, organiser=True), club, vote)


# ---- one human behind two accounts ----


async def _offer_member(rooms: Rooms, request: Request) -> Message:
    """A code; both accounts, where one was entered and waits for a word; those linked, where no other can be."""
    club, code, account = request.needs_club(), linking.new_code(), request.asker.account

    def offer(tx: Tx) -> Link | Sequence[Person] | bool:
        link = linking.find_waiting(tx, club.id, account, request.now)
        if link is not None:
            return link
        linked = [(each.platform, name) for each, name in linking.find_linked(tx, club.id, account)]
        try:
            linking.offer_member(tx, club, request.asker, code, request.now)
        except Conflict:
            if not linked:
                raise
            return linked
        return bool(linked)

    match await rooms.database.write(offer):
        case Link() as link:
            return _asked(request, link)
        case bool(linked):
            others = _others(request, club)
            return code_page(request.reader, code, others, linking.KEPT, linked=linked)
        case people:
            return own_accounts_page(request.reader, people)


async def _enter(rooms: Rooms, request: Request, code: str) -> Answer:
    """Both accounts; where several clubs may be meant the code says which, so that it need not be kept to ask.

    Who was shown the code is asked too, once, in private messages.
    """
    clubs = {club.id: club for club in request.several or (request.needs_club(),)}

    def enter(tx: Tx) -> Link | None:
        link = linking.enter(tx, clubs.values(), request.asker, code, request.now)
        if link is not None and request.several:
            put_choice(tx, request.asker, link.club_id, request.now)
        if link is not None and {side.account.platform for side in (link.first, link.second)} <= {
            *rooms.platforms
        }:
            linking.ask_first(tx, clubs[link.club_id], link, request.now)
        return link

    link = await rooms.database.write(enter)
    if link is None:
        others = dict.fromkeys(each for club in clubs.values() for each in _others(request, club))
        raise BadInput("link.bad", field="code", platform=[*others])
    rooms.wake()
    asked = private(both_page(request.reader, link.id, sides_of(link), entered=True))
    return named(asked, clubs[link.club_id]) if request.several else asked


def _asked(request: Request, link: Link) -> Message:
    """Both accounts with the question, or whose word is wanted still."""
    mine, other = link.first, link.second
    asker = request.asker.account
    if mine.account.platform != asker.platform or asker.workspace not in ("", mine.account.workspace):
        mine, other = other, mine
    if mine.said:
        return waiting_page(request.reader, sides_of(link), other.account.platform)
    return both_page(request.reader, link.id, sides_of(link))


def _others(request: Request, club: Club) -> Sequence[str]:
    """The platforms of the club where the asker is not; its own where there is no other."""
    here = request.asker.account.platform
    return [each for each in platforms_of(club) if each != here] or [here]
