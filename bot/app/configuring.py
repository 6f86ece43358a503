"""The desk for what is set: every setting of a club that stands. How one begins is founding's."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from bot.app import founding
from bot.app.fields import Faults, Given, take, text_of, words_of
from bot.app.founding import missing_rights
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
from bot.clubs.model import SQUARE_ROOT, Channel, Club, Place
from bot.clubs.settings import (
    WITH_GROUPS,
    WITH_ROLES,
    WITH_VOTE_ROLES,
    check_language,
    check_name,
    check_role,
    check_vote_role,
    setting_faults,
)
from bot.errors import BadInput, Conflict, NotFound
from bot.messages.model import Answer, Form
from bot.messages.pages.clubs import (
    saved_settings_page,
    settings_page,
)
from bot.messages.pages.settings import Part, settings_form
from bot.messages.pages.setup import rights_line, unchecked_line
from bot.papers.topics import NONE, shown_topic
from bot.schedule.zones import read_days, read_time, read_weekday, read_zone
from bot.storage.database import Tx

PARTS: tuple[Part, ...] = ("club", "daily", "vote", "counting", "people")
MOST_TOPICS = 100
RULES: tuple[Part, ...] = ("vote", "counting", "people")
"""Parts that apply from the next round."""
AUTO = ("auto", "自动")
"""How people write a quorum that follows from the active members."""
_FIGURE = re.compile(r"\d")


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def settings(request: Request, args: dict[str, str]) -> Answer:
        club = request.needs_club()
        paper, vote = await next_times(rooms, club, request.now)
        papers = await rooms.papers.count(club.id)
        return private(settings_page(request.reader, club, paper, vote, papers))

    return {**founding.commands(rooms), "club settings": settings}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def settings(request: Request, rest: str) -> Answer:
        club = request.needs_club()
        return Answer("form", form=_form(request, club, _part(rest)))

    return {**founding.presses(rooms), "settings": settings}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """Forms that come back."""

    async def configure(request: Request, rest: str, values: Given) -> Answer:
        what, _, channel = rest.partition(":")
        if what == "setup":
            return await founding.set_up_with(rooms, request, channel, values)
        await needs_organiser(rooms.database, request)
        return await _configure(rooms, request, _part(rest), values)

    return {**founding.submits(rooms), "configure": configure}


# ---- settings ----


async def _configure(rooms: Rooms, request: Request, part: Part, values: Given) -> Answer:
    club = request.needs_club()
    faults: Faults = {}
    changes = _READ[part](club, values, faults)
    for fault in setting_faults(club.settings, changes):
        faults.setdefault(fault.field, fault)
    if "daily_topics" in changes:
        changes["daily_topics"] = await _topics(rooms, club, changes["daily_topics"], faults)
    if part == "club":
        await _check_channel(rooms, request, club, changes["channel"], faults)
        if "role" in values and _role(request, club) is not None:
            role, near = text_of(values, "role"), text_of(values, "role.near")
            workspace = _home(request, club).workspace
            mute = bool(text_of(values, "role.mute")) and role != _role(request, club)
            changes["role"] = take(faults, "role", lambda: check_role(role, workspace, near, mute=mute))
    if part == "people" and "vote_role" in values and _vote_role(request, club) is not None:
        server, named = request.asker.place.workspace, text_of(values, "vote_role")
        changes["vote_role"] = take(faults, "vote_role", lambda: check_vote_role(named, server))
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
        return Answer("form", form=_form(request, club, part, values, faults))
    rooms.wake()
    paper, vote = await next_times(rooms, changed, request.now)
    reader = replace(request.reader, zone=changed.zone)
    return private(saved_settings_page(reader, changed, paper, vote, vote_changed=part in RULES))


def _form(
    request: Request, club: Club, part: Part, values: Given | None = None, faults: Faults | None = None
) -> Form:
    """One part of the settings, as they are on the side a request comes from; in private messages, where nothing can
    be chosen of a server, without that."""
    here = not request.is_private()
    role = _role(request, club) if here else None
    channel = _here(request, club) if here else None
    grouped = request.asker.place.platform in WITH_GROUPS
    return settings_form(
        request.reader,
        club,
        part,
        values,
        faults,
        role,
        channel,
        with_channel=here,
        grouped=grouped,
        vote_role=_vote_role(request, club),
    )


def _change(tx: Tx, request: Request, club: Club, changes: dict[str, Any]) -> Club:
    member = clubs.member_of(tx, club.id, request.asker, request.now)
    channel = changes.pop("channel", "")
    role = changes.pop("role", _role(request, club))
    changed = clubs.change_settings(tx, club, member, request.now, **changes)
    if _is_new(request, club, channel):
        changed = clubs.move_channel(tx, changed, member, _home(request, club, channel), request.now)
    if role is not None and role != _role(request, changed):
        changed = clubs.call_role(tx, changed, member, _home(request, club), role, request.now)
    return changed


def _home(request: Request, club: Club, channel: str = "") -> Place:
    """A channel of the platform and server a request comes from; asked in private, of the club's own there."""
    place = request.asker.place
    own = next((each.workspace for each in club.channels if each.platform == place.platform), "")
    name = place.name if channel == place.channel else ""
    return Place(place.platform, place.workspace or own, channel, name=name)


def _is_new(request: Request, club: Club, channel: str) -> bool:
    home = _home(request, club)
    return bool(channel) and channel not in {each.native_id for each in club.channels if _stands(each, home)}


def _here(request: Request, club: Club) -> str:
    """The native id of the club's channel where a request comes from, '' where it has none there."""
    home = _home(request, club)
    return next((each.native_id for each in club.channels if _stands(each, home)), "")


def _role(request: Request, club: Club) -> str | None:
    """The role that is called where a request comes from, '' for nobody; None where there are no roles."""
    home = _home(request, club)
    if home.platform not in WITH_ROLES:
        return None
    here = [each.role for each in club.channels if _stands(each, home)]
    return next((role for role in here if role), "")


def _vote_role(request: Request, club: Club) -> str | None:
    """The role whose members alone vote, '' for everybody; None where none can be chosen."""
    chosen = request.asker.place.platform in WITH_VOTE_ROLES and not request.is_private()
    return club.settings.vote_role if chosen else None


def _stands(channel: Channel, place: Place) -> bool:
    return (channel.platform, channel.workspace) == (place.platform, place.workspace)


async def _check_channel(rooms: Rooms, request: Request, club: Club, channel: str, faults: Faults) -> None:
    """The bot can work in a channel before the club moves there."""
    if not _is_new(request, club, channel):
        return
    missing = await missing_rights(rooms, _home(request, club, channel))
    if missing is None:
        faults["channel"] = unchecked_line(request.reader)
    elif missing:
        faults["channel"] = rights_line(request.reader, missing)


async def _topics(rooms: Rooms, club: Club, lines: tuple[str, ...], faults: Faults) -> tuple[str, ...]:
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


def _club_changes(club: Club, values: Given, faults: Faults) -> dict[str, Any]:
    language = text_of(values, "language") or club.language
    return {
        "name": take(faults, "name", lambda: check_name(text_of(values, "name"))),
        "language": take(faults, "language", lambda: check_language(language)),
        "zone": take(faults, "zone", lambda: read_zone(text_of(values, "zone"))),
        "channel": text_of(values, "channel"),
    }


def _daily_changes(club: Club, values: Given, faults: Faults) -> dict[str, Any]:
    days = words_of(values, "daily_days")
    changes: dict[str, Any] = {
        "daily_on": bool(days),
        "daily_time": take(faults, "daily_time", lambda: read_time(text_of(values, "daily_time"))),
        "daily_topics": tuple(
            line.strip() for line in text_of(values, "daily_topics").splitlines() if line.strip()
        ),
        "start_over": _switch(club, values, faults, "start_over"),
    }
    if days:
        changes["daily_days"] = take(faults, "daily_days", lambda: read_days(days))
    return changes


def _vote_changes(club: Club, values: Given, faults: Faults) -> dict[str, Any]:
    changes: dict[str, Any] = {"vote_on": bool(text_of(values, "vote_opens"))}
    for field in ("vote_opens", "vote_closes", "meeting"):
        if field == "vote_opens" and not changes["vote_on"]:
            continue
        changes |= _weekly(field, text_of(values, field), faults)
    for field in ("nominations_each", "keep_rounds"):
        text = text_of(values, field)
        if text.isascii() and text.isdigit() and len(text) < 4:
            changes[field] = int(text)
        else:
            faults[field] = BadInput(f"settings.{field}", field=field, value=text)
    return changes


def _counting_changes(club: Club, values: Given, faults: Faults) -> dict[str, Any]:
    changes: dict[str, Any] = {
        field: text_of(values, field) or getattr(club.settings, field)
        for field in ("method", "ties", "secrecy")
    }
    changes["quorum"] = take(faults, "quorum", lambda: _quorum(text_of(values, "quorum")))
    changes["close_early"] = _switch(club, values, faults, "close_early")
    return changes


def _quorum(text: str) -> int:
    """How many must vote: nothing for any number, 'auto', or a number. Raises BadInput('settings.quorum')."""
    if not text:
        return 0
    if text.casefold() in AUTO:
        return SQUARE_ROOT
    if not (text.isdecimal() and len(text) < 5 and int(text)):
        raise BadInput("settings.quorum", field="quorum", value=text)
    return int(text)


def _weekly(field: str, text: str, faults: Faults) -> dict[str, Any]:
    """A day and a time, as 'Thu 09:00'."""
    day, at = _day_and_time(text)
    if not (day and at):
        missing = "time" if day else "day" if at else "moment"
        faults[field] = BadInput(f"settings.no_{missing}", field=field, value=text)
        return {}
    return {
        f"{field}_day": take(faults, f"{field}_day", partial(read_weekday, day)),
        f"{field}_time": take(faults, f"{field}_time", partial(read_time, at)),
    }


def _people_changes(club: Club, values: Given, faults: Faults) -> dict[str, Any]:
    return {field: _switch(club, values, faults, field) for field in ("link_required", "guests_vote")}


def _switch(club: Club, values: Given, faults: Faults, field: str) -> bool:
    """Yes or no; as it is where nothing was said."""
    said = text_of(values, field)
    if said not in ("", "yes", "no"):
        faults[field] = BadInput("settings.switch", field=field, value=said)
    return said == "yes" if said else bool(getattr(club.settings, field))


_READ = {
    "club": _club_changes,
    "daily": _daily_changes,
    "vote": _vote_changes,
    "counting": _counting_changes,
    "people": _people_changes,
}


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
