"""Members as others name them, and what organisers may make of them, in a transaction."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from datetime import datetime

from bot.clubs.model import Account, Member
from bot.errors import BadInput, Conflict, NotFound
from bot.storage import members
from bot.storage.about import standing_row
from bot.storage.acts import put_act
from bot.storage.database import Tx

MOST_NAMESAKES = 10
MOST_NAME = 100
"""Characters of a name a platform gave that are kept."""
_MENTION = re.compile(r"<@!?(?P<id>[^\s|<>]{1,64})(?:\|(?P<name>.*))?>", re.DOTALL)
_NUMBERED = re.compile(r"\(\d+\)$")
"""A name that looks as if it had a number behind it gets its own, so that it passes for nobody else's."""


def told_apart(tx: Tx, club_id: int) -> dict[str, Member]:
    """The club's members, each by a name nobody else has: namesakes have their number behind it, 'Name (7)'."""
    found = members.list_members(tx, club_id)
    called = Counter(member.name.casefold() for member in found)
    known = {}
    for member in found:
        alone = called[member.name.casefold()] == 1 and not _NUMBERED.search(member.name)
        known[member.name if alone else f"{member.name} ({member.id})"] = member
    return known


def find_named(tx: Tx, club_id: int, name: str, by: Account | None = None) -> Member:
    """A member by name, in any case, or as `by` mentions them: ``<@ID|display name>``.

    Raises: NotFound('error.no_member'), BadInput('organisers.namesakes').
    """
    mention = read_mention(name, by)
    if mention is not None:
        found = members.find_member(tx, club_id, mention[0])
        if found is None:
            raise NotFound("error.no_member", member=mention[1])
        return found
    wanted = name.strip().lstrip("@").casefold()
    known = told_apart(tx, club_id)
    by_name = {shown.casefold(): member for shown, member in known.items()}
    if wanted in by_name:
        return by_name[wanted]
    namesakes = [shown for shown, member in known.items() if member.name.casefold() == wanted]
    if namesakes:
        raise BadInput("organisers.namesakes", field="member", member=name, names=namesakes[:MOST_NAMESAKES])
    raise NotFound("error.no_member", member=name)


def meet_named(tx: Tx, club_id: int, name: str, by: Account, now: datetime) -> Member:
    """As `find_named`; somebody mentioned for the first time becomes a member."""
    mention = read_mention(name, by)
    if mention is None:
        return find_named(tx, club_id, name)
    account, called = mention
    return members.find_member(tx, club_id, account) or members.put_member(
        tx, club_id, account, called, False, now
    )


def read_mention(text: str, by: Account | None) -> tuple[Account, str] | None:
    """Whose account a mention means, and their name; None for what is no mention.

    It is an account of the mentioner’s own platform and workspace, or of none where accounts belong to none.
    """
    found = _MENTION.fullmatch(text.strip())
    if found is None or by is None:
        return None
    called = " ".join((found["name"] or "").split())[:MOST_NAME]
    return Account(by.platform, by.workspace, found["id"]), called or found["id"]


def add_organiser(tx: Tx, club_id: int, by: Member, member_id: int, now: datetime) -> Member:
    """Name another organiser. Raises NotFound, Conflict('organisers.already')."""
    member = _get_member(tx, club_id, member_id)
    if member.organiser:
        raise Conflict("organisers.already", member=member.name)
    members.set_organiser(tx, member_id, True)
    put_act(tx, club_id, by.id, now, "organisers.add", member=member_id)
    return replace(member, organiser=True)


def remove_organiser(tx: Tx, club_id: int, by: Member, member_id: int, now: datetime) -> Member:
    """Step down, or take the role from another; a club keeps at least one.

    Raises: NotFound, Conflict('organisers.not_one'), Conflict('organisers.last').
    """
    member = _get_member(tx, club_id, member_id)
    if not member.organiser:
        raise Conflict("organisers.not_one", member=member.name)
    if len(members.list_organisers(tx, club_id)) == 1:
        raise Conflict("organisers.last", member=member.name)
    members.set_organiser(tx, member_id, False)
    put_act(tx, club_id, by.id, now, "organisers.remove", member=member_id)
    return replace(member, organiser=False)


def block(tx: Tx, club_id: int, by: Member, member_id: int, now: datetime) -> Member:
    """From now on a member may vote, but put nothing before the club; what stands stays.

    Raises: NotFound, Conflict('block.self'), Conflict('block.organiser'), Conflict('block.already').
    """
    member = _get_member(tx, club_id, member_id)
    if member.id == by.id:
        raise Conflict("block.self")
    if member.organiser:
        raise Conflict("block.organiser", member=member.name)
    if member.blocked:
        raise Conflict("block.already", member=member.name)
    members.set_blocked(tx, member_id, now)
    put_act(tx, club_id, by.id, now, "block", member=member_id)
    return replace(member, blocked=True)


def unblock(tx: Tx, club_id: int, by: Member, member_id: int, now: datetime) -> Member:
    """A member, or whom they were linked to since, may write again. Raises: NotFound, Conflict('block.not')."""
    member = _get_member(tx, club_id, standing_row(tx, club_id, member_id) or 0)
    if not member.blocked:
        raise Conflict("block.not", member=member.name)
    members.set_blocked(tx, member.id, None)
    put_act(tx, club_id, by.id, now, "unblock", member=member.id)
    return replace(member, blocked=False)


def _get_member(tx: Tx, club_id: int, member_id: int) -> Member:
    member = members.find_member_by_id(tx, club_id, member_id)
    if member is None:
        raise NotFound("error.no_member", member=member_id)
    return member
