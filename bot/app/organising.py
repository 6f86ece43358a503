"""The desk for organisers: posting and voting ahead of time, pauses, who organises, who may not write."""

from __future__ import annotations

import re
from typing import Literal

from bot.app.configuring import next_times
from bot.app.founding import about, first_post
from bot.app.request import (
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    private,
    read_day,
    row_number,
)
from bot.app.rooms import Rooms
from bot.clubs import people
from bot.clubs import service as clubs
from bot.clubs.model import Club, Member, is_paused
from bot.daily import service as daily
from bot.delivery.trouble import try_again
from bot.errors import BadInput, Conflict, NotFound
from bot.messages.model import Answer, Message
from bot.messages.pages.clubs import (
    closed_page,
    opened_page,
    organisers_page,
    paused_page,
    posted_page,
    resumed_page,
)
from bot.messages.pages.faults import fault_page
from bot.messages.pages.nominations import removed_page
from bot.messages.pages.notices import still_trying_page
from bot.messages.pages.organising import blocked_page, unblocked_page
from bot.papers.model import parse_public_id
from bot.rounds import nominations, service
from bot.rounds.model import Result, Round
from bot.schedule.slots import local_day, noon
from bot.storage.database import Tx

_SEEN = re.compile(r"((?:\d{4}-\d\d-\d\d|extra:\d{1,9}):p\d{1,15})(:\d{1,15})?", re.ASCII)
"""What ends the id of 'Post now' under a preview: the post by its key, and the club that is meant elsewhere."""


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def post_now(request: Request, args: dict[str, str]) -> Answer:
        return private(await _post_now(rooms, request))

    async def open_vote(request: Request, args: dict[str, str]) -> Answer:
        club = _running(request)

        def open_round(tx: Tx) -> Round:
            member = _writer(tx, request, club)
            return service.open_round(tx, club, request.now, by=member)

        vote = await rooms.database.write(open_round)
        rooms.wake()
        return private(opened_page(request.reader, vote))

    async def close_vote(request: Request, args: dict[str, str]) -> Answer:
        club = request.needs_club()

        def close(tx: Tx) -> Result:
            vote = service.find_open_round(tx, club.id)
            if vote is None:
                raise Conflict("close.none")
            member = _writer(tx, request, club)
            return service.close_round(tx, club.id, vote.id, request.now, member, args["reason"])

        result = await rooms.database.write(close)
        rooms.wake()
        return private(closed_page(request.reader, result))

    async def remove(request: Request, args: dict[str, str]) -> Answer:
        club, reason = request.needs_club(), args.get("reason", "")
        number = parse_public_id(args["paper"])

        def take_off(tx: Tx) -> nominations.Withdrawn:
            member = clubs.member_of(tx, club.id, request.asker, request.now)
            listed = nominations.find_open(tx, club.id, number) if number else None
            if listed is None:
                raise NotFound("error.no_nomination")
            return nominations.remove(tx, club.id, member, listed.id, reason, request.now)

        done = await rooms.database.write(take_off)
        if done.round_id is not None:
            rooms.refresher.request(done.round_id)
            rooms.wake()
        return private(removed_page(request.reader, done.nomination, reason, done.closes_at))

    async def pause(request: Request, args: dict[str, str]) -> Answer:
        club, text = request.needs_club(), args.get("until", "")
        until = read_day(text, "until", local_day(request.now, club.zone)) if text else None

        def rest(tx: Tx) -> Club:
            return clubs.pause(tx, club, _writer(tx, request, club), request.now, until)

        return private(paused_page(request.reader, await rooms.database.write(rest)))

    async def resume(request: Request, args: dict[str, str]) -> Answer:
        club = request.needs_club()

        def go_on(tx: Tx) -> Club:
            return clubs.resume(tx, club, _writer(tx, request, club), request.now)

        paper, vote = await next_times(rooms, await rooms.database.write(go_on), request.now)
        return private(resumed_page(request.reader, paper, vote))

    async def organisers(request: Request, args: dict[str, str]) -> Answer:
        return private(await _organisers(rooms, request, args.get("change", ""), args.get("member", "")))

    async def block(request: Request, args: dict[str, str]) -> Answer:
        return private(await _block(rooms, request, args["member"]))

    return {
        "club post now": post_now,
        "club open vote": open_vote,
        "club close vote": close_vote,
        "club remove": remove,
        "club pause": pause,
        "club resume": resume,
        "club organisers": organisers,
        "club block": block,
    }


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def post(request: Request, rest: str) -> Answer:
        if not rest:
            return private(await _post_now(rooms, request))
        seen = _SEEN.fullmatch(rest)
        if seen is None:
            raise NotFound("error.unknown_button")
        return await _post_seen(rooms, request, seen[1], seen[2] or "")

    async def unblock(request: Request, rest: str) -> Answer:
        club, number = request.needs_club(), row_number(rest)

        def lift(tx: Tx) -> Member:
            return people.unblock(tx, club.id, _writer(tx, request, club), number, request.now)

        return private(unblocked_page(request.reader, await rooms.database.write(lift)))

    return {"post": post, "unblock": unblock}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """No forms here."""
    return {}


async def _post_seen(rooms: Rooms, request: Request, key: str, tail: str) -> Answer:
    """Post exactly what a preview showed, once; where another paper would come now, show that one."""
    request = await about(rooms, request, tail.removeprefix(":"))
    try:
        return private(await _post_now(rooms, request, key))
    except Conflict as error:
        if error.key != "post.other":
            raise
        shown = await first_post(rooms, request, request.needs_club(), tail)
        return Answer("private", fault_page(request.reader, error), also=shown)


async def _post_now(rooms: Rooms, request: Request, key: str = "") -> Message:
    club = _running(request)

    def plan(tx: Tx) -> tuple[daily.Posted, dict[int, str]]:
        member = _writer(tx, request, club)
        posted = daily.post_now(tx, club, member.id, request.now, key, rooms.platforms.keys())
        return posted, try_again(tx, [channel.id for channel in club.channels], request.now)

    posted, wrong = await rooms.database.write(plan)
    rooms.wake()
    paper = await rooms.papers.get(club.id, posted.pick.paper_id)
    if wrong:
        stuck = [(channel, wrong[channel.id]) for channel in club.channels if channel.id in wrong]
        well = [channel for channel in club.channels if channel.id not in wrong]
        return still_trying_page(request.reader, paper, stuck, well)
    if posted.already:
        raise Conflict("post.already")
    served = [channel for channel in club.channels if channel.platform in rooms.platforms]
    return posted_page(request.reader, paper, extra=posted.extra, channels=served)


async def _organisers(rooms: Rooms, request: Request, change: str, name: str) -> Message:
    club = request.needs_club()
    if change not in ("", "add", "remove"):
        raise BadInput("organisers.change", field="change", value=change)
    if change == "add" and not name:
        raise BadInput("organisers.who", field="member")

    def work(tx: Tx) -> tuple[tuple[str, ...], tuple[str, Literal["added", "removed"]] | None]:
        if not change:
            return clubs.organisers(tx, club.id), None
        by = _writer(tx, request, club)
        mine = request.asker.account
        if change == "add":
            meant = people.meet_named(tx, club.id, name, mine, request.now)
            member = people.add_organiser(tx, club.id, by, meant.id, request.now)
            return clubs.organisers(tx, club.id), (member.name, "added")
        meant = people.find_named(tx, club.id, name, mine) if name else by
        member = people.remove_organiser(tx, club.id, by, meant.id, request.now)
        return clubs.organisers(tx, club.id), (member.name, "removed")

    names, done = await rooms.database.write(work)
    return organisers_page(request.reader, names, done)


async def _block(rooms: Rooms, request: Request, name: str) -> Message:
    """Block a member; of one who is, say so, beside the button that lifts it."""
    club, mine = request.needs_club(), request.asker.account

    def work(tx: Tx) -> tuple[Member, bool]:
        by = _writer(tx, request, club)
        meant = people.meet_named(tx, club.id, name, mine, request.now)
        if meant.blocked:
            return meant, False
        return people.block(tx, club.id, by, meant.id, request.now), True

    member, new = await rooms.database.write(work)
    return blocked_page(request.reader, member, new=new)


def _running(request: Request) -> Club:
    """The club, where nothing new is refused. Raises Conflict('club.paused') in a pause."""
    club = request.needs_club()
    if is_paused(club, request.now):
        until = club.paused_until
        raise Conflict("club.paused", date=until and noon(local_day(until, club.zone), club.zone))
    return club


def _writer(tx: Tx, request: Request, club: Club) -> Member:
    """The asker as a member who may write once more. Raises LimitReached('limit.writes')."""
    member = clubs.member_of(tx, club.id, request.asker, request.now)
    clubs.check_writes(tx, member, request.now)
    return member
