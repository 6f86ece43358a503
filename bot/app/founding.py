"""The desk for a new club: where it stands, what the bot may do there, which papers it starts with."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.app.fields import Faults, Given, chosen_of, take, text_of, words_of
from bot.app.request import (
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    club_reader,
    needs_organiser,
    private,
    row_number,
)
from bot.app.rooms import Rooms
from bot.clubs import service as clubs
from bot.clubs.model import Club, Place, Settings
from bot.clubs.settings import MAX_NAME, check_language, check_name
from bot.daily import service as daily
from bot.daily.model import EXTRA
from bot.daily.notices import expect_none
from bot.daily.undo import post_key
from bot.delivery.model import Address
from bot.errors import BadInput, Conflict, DeliveryError, NotAllowed, NotFound
from bot.messages.model import Answer, ChannelRef, Form, Message
from bot.messages.pages.papers import daily_page
from bot.messages.pages.settings import setup_form
from bot.messages.pages.setup import (
    area_value,
    first_post_page,
    no_topic_line,
    rights_page,
    setup_page,
    started_page,
    starter_form,
    unchecked_page,
    waiting_page,
    without_papers_page,
)
from bot.papers.model import Listing
from bot.papers.topics import with_areas
from bot.schedule.slots import local_day
from bot.schedule.zones import read_days, read_time, read_zone
from bot.search.model import TopicCount
from bot.sources.detect import read_source
from bot.starter import starter_pages
from bot.storage import drafts
from bot.storage.database import Tx

DRAFT = "setup"
"""The kind of a draft that holds what was typed for a club that could not be made yet."""
MOST_CHANNEL = 80
"""Characters of a channel's native id; longer ones are nobody's."""
_FIELDS = ("name", "zone", "language", "time")
NO_DAYS = "none"
"""How it is typed and kept that every day was unticked: an empty value is what nobody wrote."""
_MENTION = re.compile(r"<#(\w+)(?:\|[^>]*)?>")


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def setup(request: Request, args: dict[str, str]) -> Answer:
        place = place_meant(request.asker.place, args.get("channel", ""))
        await _may_set_up(rooms, request, place)
        if not args.get("zone"):
            typed = {"zone": request.asker.zone or "", **args}
            typed = {name: value for name, value in typed.items() if value}
            return Answer("form", form=_form(request, place, typed))
        return await _set_up(rooms, request, place, args)

    return {"club setup": setup}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def again(request: Request, rest: str) -> Answer:
        account = request.asker.account
        kept = await rooms.database.read(lambda tx: drafts.find_draft(tx, rest, account, DRAFT))
        if kept is None:
            raise NotFound("error.no_draft")
        return await set_up_with(rooms, request, kept.get("channel", ""), kept)

    async def starter(request: Request, rest: str) -> Answer:
        what, _, number = rest.partition(":")
        request = await about(rooms, request, number)
        if what == "all":
            return await _start(rooms, request, (), _tail(number))
        if what == "none":
            return private(await _without_papers(rooms, request, _tail(number)))
        raise NotFound("error.unknown_button")

    async def topics(request: Request, number: str) -> Answer:
        request = await about(rooms, request, number)
        areas = await _areas(rooms, request.needs_club())
        return Answer("form", form=starter_form(request.reader, areas, tail=_tail(number)))

    async def wait(request: Request, number: str) -> Answer:
        request = await about(rooms, request, number)
        club = request.needs_club()
        paper, _ = await rooms.database.read(lambda tx: clubs.next_times(tx, club, request.now))
        return private(waiting_page(request.reader, club, paper, _tail(number)))

    return {"setup": again, "starter": starter, "starter-form": topics, "wait": wait}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """Forms that come back."""

    async def topics(request: Request, rest: str, values: Given) -> Answer:
        what, _, number = rest.partition(":")
        if what != "topics":
            raise NotFound("error.unknown_button")
        request = await about(rooms, request, number)
        areas, ticked = await _areas(rooms, request.needs_club()), chosen_of(values, "topics")
        chosen = [area_value(each) for each in areas if area_value(each) in ticked]
        if not chosen:
            fault = no_topic_line(request.reader)
            return Answer("form", form=starter_form(request.reader, areas, fault, _tail(number)))
        return await _start(rooms, request, () if len(chosen) == len(areas) else chosen, _tail(number))

    return {"starter": topics}


# ---- where ----


async def about(rooms: Rooms, request: Request, number: str) -> Request:
    """The request as one about the club of that number, '' for the channel's; its asker organises the club.

    Raises: NotFound('error.unknown_button'), NotAllowed('error.rights').
    """
    if number:
        request = await rooms.database.read(lambda tx: _about(tx, request, row_number(number)))
    await needs_organiser(rooms.database, request)
    return request


def _about(tx: Tx, request: Request, club_id: int) -> Request:
    try:
        club = clubs.get_club(tx, club_id)
    except NotFound:
        raise NotFound("error.unknown_button") from None
    asker, place = request.asker, request.asker.place
    around = any((c.platform, c.workspace) == (place.platform, place.workspace) for c in club.channels)
    member = clubs.find_member(tx, club_id, asker.account)
    if not around and member is None:
        raise NotFound("error.unknown_button")
    trusted = replace(asker, admin=asker.admin and around)  # who manages this server manages no other
    reader = replace(
        request.reader,
        zone=club.zone,
        organiser=clubs.is_organiser(member, trusted),
        member=member.id if member else None,
    )
    return replace(request, club=club, member=member, reader=reader, several=())


def _tail(number: str) -> str:
    """What ends the ids of buttons about the club of that number; nothing for the channel's own."""
    return f":{number}" if number else ""


def place_meant(here: Place, channel: str) -> Place:
    """The channel that was named by its native id (or, where that is its id, its name), else this one.

    In a thread the channel it hangs from is meant. Raises: BadInput('setup.channel') for what names none;
    Conflict('setup.private') in private messages, where there are no channels.
    """
    if not here.workspace:
        raise Conflict("setup.private")
    mention = _MENTION.fullmatch(channel.strip())
    named = mention[1] if mention else channel.strip().removeprefix("#").strip()
    if len(named) > MOST_CHANNEL or len(named.split()) > 1:
        raise BadInput("setup.channel", field="channel", channel=named)
    if not named and here.parent is not None:
        return Place(here.platform, here.workspace, here.parent)
    return here if named in ("", here.channel) else Place(here.platform, here.workspace, named)


async def missing_rights(rooms: Rooms, place: Place) -> tuple[str, ...] | None:
    """What the bot may not do in a channel though it has to; None when its platform could not say."""
    platform = rooms.platforms.get(place.platform)
    if platform is None:
        return ()
    try:
        return await platform.missing_rights(
            Address(0, place.platform, place.workspace, place.channel, place.name)
        )
    except DeliveryError:
        return None


def _form(request: Request, place: Place, values: Given, faults: Faults | None = None) -> Form:
    """The form of a new club; it asks for a channel where no club can stand."""
    where, nowhere = _elsewhere(request, place), _is_nowhere(request.asker.place)
    return setup_form(request.reader, values, faults, where, _name_of(place), ask_channel=nowhere)


def _is_nowhere(here: Place) -> bool:
    """A page or talk of one person inside a workspace, which is no channel."""
    return bool(here.workspace) and not here.channel


def _elsewhere(request: Request, place: Place) -> str:
    """The native id of a place that is not where it is asked for, '' for here."""
    return "" if place == place_meant(request.asker.place, "") else place.channel


async def _may_set_up(rooms: Rooms, request: Request, place: Place) -> None:
    """Asked before a form is shown, so that nobody fills it in for nothing."""
    await rooms.database.read(lambda tx: clubs.check_free(tx, place))
    if place.channel == request.asker.place.parent and request.club is not None and request.is_here():
        raise Conflict("setup.taken", club=request.club.name)  # a club of this very thread
    if not request.asker.admin:
        raise NotAllowed("setup.rights")


# ---- set up ----


async def set_up_with(rooms: Rooms, request: Request, channel: str, values: Given) -> Answer:
    """Set up in a channel (native id, '' for here) from the values of a form or of a draft."""
    place = place_meant(request.asker.place, channel or text_of(values, "channel"))
    await _may_set_up(rooms, request, place)
    return await _set_up(rooms, request, place, values)


async def _set_up(rooms: Rooms, request: Request, place: Place, values: Given) -> Answer:
    """A club of that channel. What cannot be used comes back as a form with all that was typed."""
    faults: Faults = {}
    made = _read(request, place, values, faults)
    if _is_nowhere(place):
        faults["channel"] = BadInput("setup.where", field="channel")
    if faults:
        return Answer("form", form=_form(request, place, values, faults))
    missing = await missing_rights(rooms, place)
    if missing is None or missing:
        return private(await _not_yet(rooms, request, place, values, missing))
    founder = replace(request.asker, place=place)
    club = await rooms.database.write(lambda tx: clubs.setup(tx, founder, request.now, **made))
    rooms.wake()
    paper, vote = await rooms.database.read(lambda tx: clubs.next_times(tx, club, request.now))
    known = replace(request.reader, zone=club.zone, organiser=True)
    tail = _tail(str(club.id) if _elsewhere(request, place) else "")
    return private(setup_page(known, club, paper, vote, await rooms.papers.count(club.id), tail))


def _name_of(place: Place) -> str:
    """What a club is called that was given no name: as its channel, '' where that has none here."""
    return place.name[:MAX_NAME].strip()


def _read(request: Request, place: Place, values: Given, faults: Faults) -> dict[str, Any]:
    own = text_of(values, "name")
    name = take(faults, "name", lambda: check_name(own)) if own else _name_of(place)
    spoken = text_of(values, "language") or request.reader.language
    at = take(faults, "time", lambda: read_time(text_of(values, "time") or "09:00"))
    none = values.get("weekdays") in ([], NO_DAYS)
    days = take(
        faults, "weekdays", lambda: () if none else read_days(words_of(values, "weekdays") or "mon-fri")
    )
    return {
        "name": name or "Paperclub",
        "zone": take(faults, "zone", lambda: read_zone(text_of(values, "zone"))),
        "language": take(faults, "language", lambda: check_language(spoken)),
        "settings": None if faults else Settings(daily_on=not none, daily_time=at, daily_days=days),
    }


async def _not_yet(
    rooms: Rooms, request: Request, place: Place, values: Given, missing: Sequence[str] | None
) -> Message:
    """Keep what was typed, and say what is in the way."""
    kept: Mapping[str, str] = {
        **{name: text_of(values, name) for name in _FIELDS},
        "weekdays": NO_DAYS if values.get("weekdays") == [] else words_of(values, "weekdays"),
        "channel": place.channel,  # the button may be pressed elsewhere, where it came by another way
    }
    account, channel = request.asker.account, ChannelRef(place.channel, place.name)
    number = await rooms.database.write(
        lambda tx: drafts.put_draft(tx, None, account, DRAFT, kept, request.now)
    )
    again = f"setup:{number}"
    if missing is None:
        return unchecked_page(request.reader, channel, again)
    return rights_page(request.reader, channel, missing, again)


# ---- its papers ----


async def _areas(rooms: Rooms, club: Club) -> list[TopicCount]:
    """The areas a club can start with: of the shared shelf, or of the starter catalogue where that is empty."""
    if await rooms.papers.count(None):
        topics = await rooms.papers.topics(club.id)
    else:
        listings = await asyncio.to_thread(_read_starter)
        topics = with_areas(
            TopicCount(paper.area, None, 1) for _, listing in listings for paper in listing.papers
        )
    return [topic for topic in topics if topic.subarea is None]


def _read_starter() -> list[tuple[str, Listing]]:
    return [(name, read_source(data, name)) for name, data in starter_pages()]


async def _stock(rooms: Rooms, club: Club, now: datetime) -> None:
    """Bring the starter catalogue onto the club's own shelf, unless there are shared papers; again is as good."""
    if not await rooms.papers.count(None):
        for name, listing in await asyncio.to_thread(_read_starter):
            await rooms.papers.add(listing, club.id, now, name)


async def _start(rooms: Rooms, request: Request, topics: Sequence[str], tail: str) -> Answer:
    club = request.needs_club()
    await _stock(rooms, club, request.now)

    def choose(tx: Tx) -> Club:
        member = clubs.member_of(tx, club.id, request.asker, request.now)
        by_itself = bool(club.settings.daily_days)  # days that were unticked at set-up stay so
        return clubs.change_settings(
            tx, club, member, request.now, daily_on=by_itself, daily_topics=tuple(topics)
        )

    chosen = await rooms.database.write(choose)
    rooms.wake()
    paper, vote = await rooms.database.read(lambda tx: clubs.next_times(tx, chosen, request.now))
    page = started_page(request.reader, chosen, await rooms.papers.count(club.id), paper, vote, tail)
    return Answer("private", page, also=await first_post(rooms, request, chosen, tail))


async def first_post(rooms: Rooms, request: Request, club: Club, tail: str) -> Message | None:
    """What would be posted at once, for the asker alone, with the button that posts exactly that; None when
    there is nothing to post."""
    pick = await rooms.database.read(lambda tx: daily.peek(tx, club, request.now, rooms.platforms.keys()))
    paper = None if pick is None else await rooms.papers.find(club.id, pick.paper_id)
    if pick is None or paper is None:
        return None
    today, extra = local_day(request.now, club.zone), pick.subject.startswith(EXTRA)
    post = daily_page(club_reader(club, request.now), paper, today, pick.reason, extra=extra)
    next_paper, _ = await rooms.database.read(lambda tx: clubs.next_times(tx, club, request.now))
    return first_post_page(request.reader, post, post_key(pick), club.channels, next_paper, tail)


async def _without_papers(rooms: Rooms, request: Request, tail: str) -> Message:
    club = request.needs_club()
    papers = await rooms.papers.count(club.id)

    def rest(tx: Tx) -> None:
        if papers:
            member = clubs.member_of(tx, club.id, request.asker, request.now)
            clubs.change_settings(tx, club, member, request.now, daily_on=False)
        else:
            expect_none(tx, club.id)

    await rooms.database.write(rest)
    rooms.wake()
    return without_papers_page(request.reader, papers, tail)
