"""The desk for what is set: a new club, and every setting of one that stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from bot.app.reading import MOST_TOPIC
from bot.app.request import (
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    needs_organiser,
    private,
)
from bot.app.rooms import Rooms
from bot.clubs import service as clubs
from bot.clubs.model import Club, Place, Settings
from bot.clubs.settings import MAX_NAME, check_language, check_name
from bot.errors import BadInput, Conflict, NotAllowed, NotFound, UserError
from bot.messages.model import Answer
from bot.messages.pages.clubs import (
    saved_settings_page,
    settings_page,
    setup_page,
)
from bot.messages.pages.settings import Part, settings_form, setup_form
from bot.papers.topics import NONE, shown_topic
from bot.schedule.zones import read_days, read_time, read_weekday, read_zone
from bot.storage.database import Tx

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
        paper, vote = await next_times(rooms, club, request.now)
        return private(settings_page(request.reader, club, paper, vote))

    return {"club setup": setup, "club settings": settings}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def settings(request: Request, rest: str) -> Answer:
        return Answer("form", form=settings_form(request.reader, request.needs_club(), _part(rest)))

    return {"settings": settings}


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
    paper, vote = await next_times(rooms, club, request.now)
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
    paper, vote = await next_times(rooms, changed, request.now)
    reader = replace(request.reader, zone=changed.zone)
    return private(saved_settings_page(reader, changed, paper, vote, vote_changed=part == "vote"))


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


async def next_times(rooms: Rooms, club: Club, now: datetime) -> tuple[datetime | None, datetime | None]:
    """When the club's next paper and its next opening are due; in a pause the first after it."""
    return await rooms.database.read(lambda tx: clubs.next_times(tx, club, now))


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
