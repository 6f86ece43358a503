"""What a club does with itself, in a transaction: set up, settings, pause; who asks and whether they may."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

from bot.clubs.model import Account, Asker, Club, Member, Place, Settings, is_guest, is_paused
from bot.clubs.settings import check_language, check_name, check_settings, with_season
from bot.daily import service as daily
from bot.daily.due import first_slot
from bot.daily.model import DAILY
from bot.delivery.planning import carry_over
from bot.errors import BadInput, Conflict, LimitReached, NotAllowed, NotFound
from bot.messages.words import LANGUAGES, best_language
from bot.rounds.opening import find_opening, reset_opening
from bot.schedule.slots import instant, local_day
from bot.schedule.zones import read_zone
from bot.storage import clubs as store
from bot.storage import links, members
from bot.storage.acts import put_act, writes_since
from bot.storage.ballots import count_active
from bot.storage.database import Tx
from bot.storage.deliveries import miss_waiting
from bot.storage.slots import find_slot

WRITES_A_MINUTE = 10
MINUTE = timedelta(minutes=1)


# ---- which club ----


def club_of(tx: Tx, place: Place, account: Account | None) -> Club | tuple[Club, ...]:
    """The club a request is about; several when only the person can say which; () when there is none.

    In this order: the channel's, its parent's, the only one of the server or workspace; in private messages, which
    are in none, the person's only. In a server with several nothing is guessed: all of them may be meant.
    """
    for native_id in (place.channel, place.parent):
        if native_id is not None:
            found = store.club_of_channel(tx, place.platform, place.workspace, native_id)
            if found is not None:
                return get_club(tx, found)
    if place.workspace:
        several = store.clubs_of_workspace(tx, place.platform, place.workspace)
    else:
        several = store.clubs_of_account(tx, account) if account is not None else []
    if len(several) == 1:
        return get_club(tx, several[0])
    return tuple(get_club(tx, club_id) for club_id in several)


def club_of_vote(tx: Tx, place: Place, round_id: int) -> Club | None:
    """The club whose vote stands in a channel, also where it left the channel or another has it now."""
    for native_id in (place.channel, place.parent):
        if native_id is not None:
            found = store.club_of_poll(tx, place.platform, place.workspace, native_id, round_id)
            if found is not None:
                return get_club(tx, found)
    return None


def club_before(tx: Tx, place: Place) -> Club | None:
    """The club that left a channel, where none came after it."""
    for native_id in (place.channel, place.parent):
        if native_id is not None:
            found = store.club_that_left(tx, place.platform, place.workspace, native_id)
            if found is not None:
                return get_club(tx, found)
    return None


def get_club(tx: Tx, club_id: int) -> Club:
    """The club with its channels. Raises NotFound('error.no_club')."""
    club = store.find_club(tx, club_id)
    if club is None:
        raise NotFound("error.no_club", club=club_id)
    return club


def setup(
    tx: Tx,
    asker: Asker,
    now: datetime,
    *,
    name: str,
    zone: str,
    language: str = "en",
    settings: Settings | None = None,
) -> Club:
    """Make a club in the asker's channel, with them as its organiser.

    Raises: NotAllowed('setup.rights') unless the platform makes them an organiser there;
    Conflict('setup.taken') where the channel has a club; BadInput for a name, zone, language or setting.
    """
    if not asker.admin:
        raise NotAllowed("setup.rights")
    place = asker.place
    check_free(tx, place)
    chosen = settings or Settings()
    check_settings(chosen)
    club_id = store.put_club(
        tx,
        check_name(name),
        check_language(language),
        read_zone(zone),
        secrets.token_hex(16),
        chosen,
        now,
    )
    store.put_channel(tx, club_id, place, now)
    founder = members.put_member(tx, club_id, asker.account, asker.name, True, now, _language(asker))
    put_act(tx, club_id, founder.id, now, "setup")
    club = get_club(tx, club_id)
    reset_slots(tx, club, now)
    return club


def check_free(tx: Tx, place: Place) -> None:
    """Refuse a channel that belongs to a club. Raises Conflict('setup.taken')."""
    taken = store.club_of_channel(tx, place.platform, place.workspace, place.channel)
    if taken is not None:
        raise Conflict("setup.taken", club=get_club(tx, taken).name)


# ---- who ----


def member_of(tx: Tx, club_id: int, asker: Asker, now: datetime) -> Member:
    """The asker as a member of the club, made one on their first act.

    Their name and language are kept in step, and a channel's name is taken up where it was not known; a linked
    member keeps the name of the account they had first. Raises NotAllowed('error.bot').
    """
    if asker.bot:
        raise NotAllowed("error.bot")
    found, language = members.find_member(tx, club_id, asker.account), _language(asker)
    if asker.place.name:
        store.name_channel(tx, club_id, asker.place)
    if found is None:
        return members.put_member(tx, club_id, asker.account, asker.name, False, now, language)
    if language and language != found.language:
        members.set_language(tx, club_id, asker.account, language)
        found = replace(found, language=language)
    if asker.name and asker.name != found.name and links.is_first(tx, asker.account, found.id):
        members.rename_member(tx, found.id, asker.name)
        return replace(found, name=asker.name)
    return found


def _language(asker: Asker) -> str:
    """The language of their client, where it is one we speak."""
    spoken = {best_language(asker.locale, otherwise) for otherwise in LANGUAGES}
    return spoken.pop() if len(spoken) == 1 else ""


def find_member(tx: Tx, club_id: int, account: Account) -> Member | None:
    """The member behind an account, None before their first act."""
    return members.find_member(tx, club_id, account)


def is_organiser(member: Member | None, asker: Asker) -> bool:
    """Whoever the club named or the platform trusts with the server or workspace."""
    return asker.admin or (member is not None and member.organiser)


def organisers(tx: Tx, club_id: int) -> tuple[str, ...]:
    """Names of the club's organisers, longest-standing first."""
    return tuple(member.name for member in members.list_organisers(tx, club_id))


def check_writes(tx: Tx, member: Member, now: datetime) -> None:
    """Refuse the eleventh write within a minute. Raises LimitReached('limit.writes', limit, seconds)."""
    count, first = writes_since(tx, member.club_id, member.id, now - MINUTE)
    if count >= WRITES_A_MINUTE and first is not None:
        seconds = max(1, -(-(first + MINUTE - now) // timedelta(seconds=1)))
        raise LimitReached("limit.writes", limit=WRITES_A_MINUTE, seconds=seconds)


def check_admitted(club: Club, asker: Asker) -> None:
    """Refuse what a guest would put before a club that does not let them. Raises NotAllowed('guests.vote')."""
    if is_guest(asker) and not club.settings.guests_vote:
        raise NotAllowed("guests.vote")


def check_may_write(tx: Tx, member: Member) -> None:
    """Refuse what a blocked member would put before the club. Raises NotAllowed('error.blocked', names)."""
    if member.blocked:
        raise NotAllowed("error.blocked", names=organisers(tx, member.club_id))


# ---- settings ----


def change_settings(
    tx: Tx,
    club: Club,
    by: Member,
    now: datetime,
    *,
    name: str | None = None,
    zone: str | None = None,
    language: str | None = None,
    **changes: Any,
) -> Club:
    """Change what is given: the club's name, zone, language or fields of `Settings`; all of it or nothing.

    An open round keeps the rules and instants frozen at its opening. A quorum that more members than are active
    would be needed for cannot be set once anybody has voted: BadInput('settings.quorum_range', n).
    Raises: BadInput whose `field` names the fault.
    """
    settings = with_season(club.settings, replace(club.settings, **changes))
    check_settings(settings)
    active = count_active(tx, club.id, now)
    if 0 < active < settings.quorum != club.settings.quorum:
        raise BadInput("settings.quorum_range", field="quorum", n=active)
    changed = replace(
        club,
        name=club.name if name is None else check_name(name),
        zone=club.zone if zone is None else read_zone(zone),
        language=club.language if language is None else check_language(language),
        settings=settings,
    )
    if changed == club:
        return club
    check_writes(tx, by, now)
    store.change_club(tx, changed)
    named = {"name": name, "zone": zone, "language": language}
    given = [*(field for field, value in named.items() if value is not None), *changes]
    put_act(tx, club.id, by.id, now, "settings", changed=given)
    if (changed.zone, changed.settings) != (club.zone, club.settings):
        reset_slots(tx, changed, now)
    return changed


def move_channel(tx: Tx, club: Club, by: Member, place: Place, now: datetime) -> Club:
    """Post in another channel of the same server or workspace from now on, also what waits to be posted in the old one.

    An open vote stays where it is; the role that is called in a server comes along, and is called in the old
    channel no more. Raises Conflict('setup.taken').
    """
    taken = store.club_of_channel(tx, place.platform, place.workspace, place.channel)
    if taken is not None and taken != club.id:
        raise Conflict("setup.taken", club=get_club(tx, taken).name)
    here = [
        channel
        for channel in club.channels
        if (channel.platform, channel.workspace) == (place.platform, place.workspace)
    ]
    role = next((each.role for each in here if each.role), "")
    old = [channel.id for channel in here if channel.native_id != place.channel]
    for channel_id in old:
        store.leave_channel(tx, club.id, channel_id, now)
        store.set_role(tx, channel_id, "")
    new = store.put_channel(tx, club.id, place, now)
    store.set_role(tx, new, role)
    carry_over(tx, club.id, old, new, now)
    put_act(tx, club.id, by.id, now, "settings", changed=["channel"])
    return get_club(tx, club.id)


def call_role(tx: Tx, club: Club, by: Member, place: Place, role: str, now: datetime) -> Club:
    """Call this role ('' for nobody) at openings and results in the club's channels of one server.

    In those the club left, where a vote may still stand, nobody is called any more.
    """
    store.set_roles(tx, club.id, place.platform, place.workspace, role)
    put_act(tx, club.id, by.id, now, "settings", changed=["role"])
    return get_club(tx, club.id)


def pause(tx: Tx, club: Club, by: Member, now: datetime, until: date | None = None) -> Club:
    """No posts and no openings until the start of the day `until` in the club's zone, or until resumed.

    A daily post that waits to be sent, or to be tried again, does not go out any more.

    An open round runs on and closes at its time. Raises BadInput('pause.past') for a day that is over,
    BadInput('pause.today') for the one that has begun.
    """
    ends = None if until is None else instant(until, time(0), club.zone)
    if ends is not None and ends <= now:
        key = "pause.today" if until == local_day(now, club.zone) else "pause.past"
        raise BadInput(key, field="until", day=until)
    paused = replace(club, paused_at=now, paused_until=ends)
    store.change_club(tx, paused)
    miss_waiting(tx, club.id, DAILY, "paused")
    put_act(tx, club.id, by.id, now, "pause", until=None if until is None else until.isoformat())
    return paused


def resume(tx: Tx, club: Club, by: Member, now: datetime) -> Club:
    """End the pause. Raises Conflict('resume.running') when there is none."""
    if not is_paused(club, now):
        raise Conflict("resume.running")
    running = replace(club, paused_at=None, paused_until=None)
    store.change_club(tx, running)
    put_act(tx, club.id, by.id, now, "resume")
    reset_slots(tx, running, now)
    return running


def next_times(tx: Tx, club: Club, now: datetime) -> tuple[datetime | None, datetime | None]:
    """When the next paper and the next opening come; in a pause the first after its end, None without one."""
    if not is_paused(club, now):
        paper = find_slot(tx, club.id, DAILY)
    elif club.paused_until is None:
        paper = None
    else:
        paper = first_slot(club, club.paused_until - timedelta(microseconds=1))
    return paper.due if paper else None, find_opening(tx, club, now)


def reset_slots(tx: Tx, club: Club, now: datetime) -> None:
    """Work out anew when the next daily post and the next opening are due."""
    daily.reset_slots(tx, club, now)
    reset_opening(tx, club, now)


def find_by_name(tx: Tx, name: str | None) -> Club | None:
    """A club by its number or name, in any case; without either the only one, None where there is none.

    Raises: NotFound('error.no_club'), BadInput('club.several', clubs) where the name fits several.
    """
    every = [get_club(tx, club_id) for club_id in store.list_clubs(tx)]
    wanted = "" if name is None else " ".join(name.split()).casefold()
    fits = [club for club in every if not wanted or wanted in (str(club.id), club.name.casefold())]
    if len(fits) > 1:
        raise BadInput("club.several", field="club", clubs=[f"{club.id} {club.name}" for club in fits])
    if wanted and not fits:
        raise NotFound("error.no_club", club=name)
    return fits[0] if fits else None
