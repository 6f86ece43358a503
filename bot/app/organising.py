"""The desk for organisers: set up, settings, posting and voting ahead of time, pauses, who organises."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Literal

from bot.app.reading import MOST_TOPIC
from bot.app.request import (
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    needs_organiser,
    private,
    read_day,
)
from bot.app.rooms import Rooms
from bot.clubs import service as clubs
from bot.clubs.model import Club, Member, Place, Settings
from bot.clubs.settings import MAX_NAME, check_language, check_name
from bot.daily import service as daily
from bot.errors import BadInput, Conflict, NotAllowed, NotFound, UserError
from bot.messages.model import Answer, Message
from bot.messages.pages.clubs import (
    closed_page,
    opened_page,
    organisers_page,
    paused_page,
    posted_page,
    resumed_page,
    saved_settings_page,
    settings_page,
    setup_page,
)
from bot.messages.pages.nominations import removed_page
from bot.messages.pages.settings import Part, settings_form, setup_form
from bot.papers.model import parse_public_id
from bot.papers.topics import NONE, shown_topic
from bot.rounds import nominations, service
from bot.rounds.model import Result, Round
from bot.schedule.slots import local_day
from bot.schedule.zones import read_days, read_time, read_weekday, read_zone
from bot.storage.database import Tx
from bot.storage.slots import find_slot

PARTS: tuple[Part, ...] = ("club", "daily", "vote")
Given = Mapping[str, str | list[str]]
MOST_TOPICS = 100
_FIGURE = re.compile(r"\d")


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def setup(request: Request, args: dict[str, str]) -> Answer:
        _may_set_up(request)
        if not args.get("zone"):
            return Answer("form", form=setup_form(request.reader, {k: v for k, v in args.items() if v}))
        return await _setup(rooms, request, dict(args))

    async def settings(request: Request, args: dict[str, str]) -> Answer:
        club = request.needs_club()
        paper, vote = await _next_times(rooms, club)
        return private(settings_page(request.reader, club, paper, vote))

    async def post_now(request: Request, args: dict[str, str]) -> Answer:
        return private(await _post_now(rooms, request))

    async def open_vote(request: Request, args: dict[str, str]) -> Answer:
        club = request.needs_club()

        def open_round(tx: Tx) -> Round:
            member = _writer(tx, request, club)
            return service.open_round(tx, club, request.now, by=member)

        vote = await rooms.database.write(open_round)
        rooms.wake()
        return private(opened_page(request.reader, vote))

    async def close_vote(request: Request, args: dict[str, str]) -> Answer:
        club = request.needs_club()

        def close(tx: Tx) -> Result:
            vote = service.round_now(tx, club.id)
            if vote is None:
                raise Conflict("close.none")
            member = _writer(tx, request, club)
            return service.close_round(tx, club.id, vote.id, request.now, member, args["reason"])

        result = await rooms.database.write(close)
        rooms.refresher.request(result.round.id)
        rooms.wake()
        return private(closed_page(request.reader, result))

    async def remove(request: Request, args: dict[str, str]) -> Answer:
        club, reason = request.needs_club(), args.get("reason", "")
        number = parse_public_id(args["nomination"])

        def take_off(tx: Tx) -> nominations.Withdrawn:
            member = clubs.member_of(tx, club.id, request.asker, request.now)
            listed = nominations.find_open(tx, club.id, number) if number else None
            if listed is None:
                raise NotFound("error.no_nomination")
            return nominations.remove(tx, club.id, member, listed.id, reason, request.now)

        done = await rooms.database.write(take_off)
        if done.round_id is not None:
            rooms.refresher.request(done.round_id)
        return private(removed_page(request.reader, done.nomination, reason))

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

        paper, vote = await _next_times(rooms, await rooms.database.write(go_on))
        return private(resumed_page(request.reader, paper, vote))

    async def organisers(request: Request, args: dict[str, str]) -> Answer:
        return private(await _organisers(rooms, request, args.get("change", ""), args.get("member", "")))

    return {
        "club setup": setup,
        "club settings": settings,
        "club post now": post_now,
        "club open vote": open_vote,
        "club close vote": close_vote,
        "club remove": remove,
        "club pause": pause,
        "club resume": resume,
        "club organisers": organisers,
    }


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def settings(request: Request, rest: str) -> Answer:
        return Answer("form", form=settings_form(request.reader, request.needs_club(), _part(rest)))

    async def post(request: Request, rest: str) -> Answer:
        return private(await _post_now(rooms, request))

    return {"settings": settings, "post": post}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """Forms that come back."""

    async def configure(request: Request, rest: str, values: Given) -> Answer:
        if rest == "setup":
            _may_set_up(request)
            return await _setup(rooms, request, values)
        await needs_organiser(rooms.database, request)
        return await _configure(rooms, request, _part(rest), values)

    return {"configure": configure}


# ---- set up ----


def _may_set_up(request: Request) -> None:
    """Asked before a form is shown, so that nobody fills it in for nothing."""
    if request.club is not None and request.is_here():
        raise Conflict("setup.taken", club=request.club.name)
    if not request.asker.admin:
        raise NotAllowed("setup.rights")


async def _setup(rooms: Rooms, request: Request, values: Given) -> Answer:
    """A club of this channel. What cannot be used comes back as a form with all that was typed."""
    faults: dict[str, UserError] = {}
    zone = _take(faults, "zone", lambda: read_zone(_text(values, "zone")))
    at = _take(faults, "time", lambda: read_time(_text(values, "time") or "09:00"))
    days = _take(faults, "days", lambda: read_days(_words(values, "days") or "mon-fri"))
    own = _text(values, "name")
    name = _take(faults, "name", lambda: check_name(own)) if own else request.asker.place.name[:MAX_NAME]
    spoken = _text(values, "language") or request.reader.language
    language = _take(faults, "language", lambda: check_language(spoken))
    if faults:
        return Answer("form", form=setup_form(request.reader, values, faults))

    def make(tx: Tx) -> Club:
        return clubs.setup(
            tx,
            request.asker,
            request.now,
            name=name.strip() or "Paperclub",
            zone=zone,
            language=language,
            settings=Settings(daily_time=at, daily_days=days),
        )

    club = await rooms.database.write(make)
    rooms.wake()
    paper, vote = await _next_times(rooms, club)
    known = replace(request.reader, zone=club.zone, organiser=True)
    return private(setup_page(known, club, paper, vote))


# ---- settings ----


async def _configure(rooms: Rooms, request: Request, part: Part, values: Given) -> Answer:
    club = request.needs_club()
    faults: dict[str, UserError] = {}
    changes = _READ[part](club, values, faults)
    if "daily_topics" in changes:
        changes["daily_topics"] = await _topics(rooms, club, changes["daily_topics"], faults)
    if not faults:
        try:
            changed = await rooms.database.write(lambda tx: _change(tx, request, club, dict(changes)))
        except BadInput as error:
            if not error.field:
                raise
            faults[error.field] = error
        except Conflict as error:
            if error.key != "setup.taken":
                raise
            faults["channel"] = error
    if faults:
        return Answer("form", form=settings_form(request.reader, club, part, values, faults))
    rooms.wake()
    paper, vote = await _next_times(rooms, changed)
    reader = replace(request.reader, zone=changed.zone)
    return private(saved_settings_page(reader, paper, vote, vote_changed=part == "vote"))


def _change(tx: Tx, request: Request, club: Club, changes: dict[str, Any]) -> Club:
    member = clubs.member_of(tx, club.id, request.asker, request.now)
    channel = changes.pop("channel", "")
    changed = clubs.change_settings(tx, club, member, request.now, **changes)
    place = request.asker.place
    here = {each.native_id for each in club.channels if each.platform == place.platform}
    if channel and channel not in here:
        moved = Place(place.platform, place.workspace, channel, name=channel)
        changed = clubs.move_channel(tx, changed, member, moved, request.now)
    return changed


def _take(faults: dict[str, UserError], field: str, read: Callable[[], Any]) -> Any:
    """Read one field; its fault is kept, so that every fault is told at once."""
    try:
        return read()
    except UserError as error:
        faults[field] = error
        return None


async def _topics(
    rooms: Rooms, club: Club, lines: tuple[str, ...], faults: dict[str, UserError]
) -> tuple[str, ...]:
    """Topics by their own names, however they were written; one that does not exist would post nothing."""
    names: list[str] = []
    for line in lines[:MOST_TOPICS]:
        try:
            area, subarea = await rooms.papers.find_topic(club.id, line[:MOST_TOPIC])
        except NotFound as error:
            faults["daily_topics"] = error
            break
        names.append(NONE if area is None else shown_topic(area, subarea))
    if len(lines) > MOST_TOPICS:
        faults["daily_topics"] = BadInput("settings.topics", field="daily_topics")
    return tuple(dict.fromkeys(names))


def _club_changes(club: Club, values: Given, faults: dict[str, UserError]) -> dict[str, Any]:
    language = _text(values, "language") or club.language
    return {
        "name": _take(faults, "name", lambda: check_name(_text(values, "name"))),
        "language": _take(faults, "language", lambda: check_language(language)),
        "zone": _take(faults, "zone", lambda: read_zone(_text(values, "zone"))),
        "channel": _text(values, "channel"),
    }


def _daily_changes(club: Club, values: Given, faults: dict[str, UserError]) -> dict[str, Any]:
    days, over = _words(values, "daily_days"), _text(values, "start_over")
    if over not in ("", "yes", "no"):
        faults["start_over"] = BadInput("settings.switch", field="start_over", value=over)
    changes: dict[str, Any] = {
        "daily_on": bool(days),
        "daily_time": _take(faults, "daily_time", lambda: read_time(_text(values, "daily_time"))),
        "daily_topics": tuple(
            line.strip() for line in _text(values, "daily_topics").splitlines() if line.strip()
        ),
        "start_over": over == "yes" if over else club.settings.start_over,
    }
    if days:
        changes["daily_days"] = _take(faults, "daily_days", lambda: read_days(days))
    return changes


def _vote_changes(club: Club, values: Given, faults: dict[str, UserError]) -> dict[str, Any]:
    changes: dict[str, Any] = {"vote_on": bool(_text(values, "vote_opens"))}
    for field in ("vote_opens", "vote_closes", "meeting"):
        if field == "vote_opens" and not changes["vote_on"]:
            continue
        day, at = _day_and_time(_text(values, field))
        changes[f"{field}_day"] = _take(faults, f"{field}_day", partial(read_weekday, day))
        changes[f"{field}_time"] = _take(faults, f"{field}_time", partial(read_time, at))
    for field in ("nominations_each", "keep_rounds"):
        text = _text(values, field)
        if text.isascii() and text.isdigit() and len(text) < 4:
            changes[field] = int(text)
        else:
            faults[field] = BadInput(f"settings.{field}", field=field, value=text)
    return changes


_READ = {"club": _club_changes, "daily": _daily_changes, "vote": _vote_changes}


async def _next_times(rooms: Rooms, club: Club) -> tuple[datetime | None, datetime | None]:
    def read(tx: Tx) -> tuple[datetime | None, datetime | None]:
        paper, vote = find_slot(tx, club.id, "daily"), find_slot(tx, club.id, "open")
        return paper.due if paper else None, vote.due if vote else None

    return await rooms.database.read(read)


# ---- the rest ----


async def _post_now(rooms: Rooms, request: Request) -> Message:
    club = request.needs_club()

    def plan(tx: Tx) -> daily.Posted:
        return daily.post_now(tx, club, _writer(tx, request, club).id, request.now)

    posted = await rooms.database.write(plan)
    rooms.wake()
    paper = await rooms.papers.get(club.id, posted.pick.paper_id)
    return posted_page(request.reader, paper, extra=posted.extra)


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
        wanted = name.lstrip("@").casefold()
        fits = (
            [each for each in clubs.list_members(tx, club.id) if each.name.casefold() == wanted]
            if name
            else [by]
        )
        if len(fits) != 1:
            raise NotFound("error.no_member", member=name)
        if change == "add":
            member = clubs.add_organiser(tx, club.id, by, fits[0].id, request.now)
            return clubs.organisers(tx, club.id), (member.name, "added")
        member = clubs.remove_organiser(tx, club.id, by, fits[0].id, request.now)
        return clubs.organisers(tx, club.id), (member.name, "removed")

    names, done = await rooms.database.write(work)
    return organisers_page(request.reader, names, done)


def _writer(tx: Tx, request: Request, club: Club) -> Member:
    """The asker as a member who may write once more. Raises LimitReached('limit.writes')."""
    member = clubs.member_of(tx, club.id, request.asker, request.now)
    clubs.check_writes(tx, member, request.now)
    return member


def _part(text: str) -> Part:
    for part in PARTS:
        if text == part:
            return part
    raise NotFound("error.unknown_button")


def _day_and_time(text: str) -> tuple[str, str]:
    """'Thu 09:00', also 'Thu, 9 am' or '周四09:00': what stands before the first figure, and the rest."""
    found = _FIGURE.search(text)
    start = found.start() if found else len(text)
    return text[:start].strip(" ,，"), text[start:].strip()


def _text(values: Given, name: str) -> str:
    value = values.get(name, "")
    return (value if isinstance(value, str) else " ".join(value)).strip()


def _words(values: Given, name: str) -> str:
    value = values.get(name, "")
    return (value if isinstance(value, str) else ",".join(value)).strip()
