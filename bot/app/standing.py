"""Whether somebody belongs to the club they write to from elsewhere, and since when."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import Literal

from bot.app.choosing import Asked
from bot.app.request import Request, clubs_meant, read_request, stood_here
from bot.app.rooms import Rooms
from bot.clubs.model import Asker, Channel, Club
from bot.commands import find_action, find_command
from bot.delivery.platform import LASTING
from bot.errors import Conflict, DeliveryError, NotAllowed, Refused
from bot.storage.choices import forget_choice
from bot.storage.clubs import clubs_of_account
from bot.storage.database import Tx

PATIENCE = 5.0
"""Seconds a platform may take to say so."""
BY_CHANNEL = ("slack",)
"""Where a club is those in its channel, and not all of the server or workspace."""

Standing = Literal["inside", "open", "hidden", "lost", "unknown"]
"""Towards a club's channels: in one · in none, but anybody may read one · in none, and all are private · the platform
does not know the channel or shows it to nobody any more · it does not say."""


async def check_standing(rooms: Rooms, request: Request, asked: Asked) -> Request:
    """The request with when its asker joined the club's server; as it is where it was asked in a server.

    Where clubs are their channels', those whose private channel the asker is not in are left out of it. Reading
    goes on while the platform does not answer, for those who took part before.

    Raises: NotAllowed('error.not_member', club) for those who left or were put out, NotAllowed(
    'error.not_in_channel', club) for what members alone may do; Conflict('error.cannot_check…') for whatever writes
    while nobody can say.
    """
    club, asker = request.club, request.asker
    if asker.unsure and _writes(asked):
        raise Conflict("error.cannot_check.who")
    if asker.place.platform in BY_CHANNEL:
        return await _by_channel(rooms, request, asked)
    if club is None or asker.place.workspace or asked.apart:
        return request
    try:
        return replace(request, asker=await check_member(rooms, asker, club.name, club.channels))
    except Conflict:
        if _writes(asked):
            raise
        return request
    except NotAllowed:
        await rooms.database.write(lambda tx: forget_choice(tx, asker))
        raise


async def check_member(rooms: Rooms, asker: Asker, club: str, channels: Collection[Channel]) -> Asker:
    """The asker with when they joined a server with one of these channels. Raises as `check_standing`."""
    servers = dict.fromkeys(each.workspace for each in channels if each.platform == asker.place.platform)
    sure = bool(servers)
    for server in servers:
        try:
            return await _standing(rooms, asker, server)
        except (DeliveryError, TimeoutError) as error:
            sure = sure and isinstance(error, Refused) and error.reason == "not_member"
    if sure:
        raise NotAllowed("error.not_member", club=club)
    raise Conflict("error.cannot_check", club=club)


async def with_roles(rooms: Rooms, asker: Asker, channels: Collection[Channel]) -> Asker:
    """The asker with the roles they hold now on the servers of these channels; as they are while one does not say."""
    servers = dict.fromkeys(each.workspace for each in channels if each.platform == asker.place.platform)
    platform, held = rooms.platforms.get(asker.place.platform), list[str]()
    if platform is None:
        return asker
    for server in servers:
        try:
            async with asyncio.timeout(PATIENCE):
                found = await platform.roles(server, asker.account.user_id)
        except (DeliveryError, TimeoutError) as error:
            found = () if isinstance(error, Refused) and error.reason == "not_member" else None
        if found is None:
            return asker
        held += found
    return replace(asker, roles=tuple(held))


async def _by_channel(rooms: Rooms, request: Request, asked: Asked) -> Request:
    """The request without the clubs that are hidden from its asker, who may do this in the one it is about."""
    asker, writes = request.asker, _writes(asked)
    here = request.is_here()
    if here and not writes:
        return request

    pressed = "" if asked.kind == "command" else asked.name

    def read(tx: Tx) -> tuple[tuple[Club, ...], list[int], bool]:
        meant = {
            club.id: club for club in (*clubs_meant(tx, asker), *([request.club] if request.club else []))
        }
        return tuple(meant.values()), clubs_of_account(tx, asker.account), stood_here(tx, request, pressed)

    clubs, known, stood = await rooms.database.read(read)
    here_too = {request.club.id: asker.place.channel} if request.club is not None and stood else {}
    found = await asyncio.gather(*(_towards(rooms, asker, club, here_too.get(club.id)) for club in clubs))
    stands: dict[int, Standing] = {club.id: stand for club, stand in zip(clubs, found, strict=True)}
    strange = {each for each, stand in stands.items() if stand in ("lost", "unknown") and each not in known}
    if strange and not here and not asked.apart:
        raise Conflict("error.cannot_check.channel")
    hidden = strange | {each for each, stand in stands.items() if stand == "hidden"}
    if hidden and not here:
        request = await rooms.database.read(
            lambda tx: read_request(tx, asker, request.now, pressed, frozenset(hidden))
        )
    if request.club is not None and writes and not asked.apart:
        _check_may_act(request, stands[request.club.id])
    return request


def _check_may_act(request: Request, stand: Standing) -> None:
    """Whoever is outside does nothing; where nobody can say, those who write in the channel itself may, and an
    organiser where the channel is no more, who else could not mend it."""
    assert request.club is not None
    if stand in ("open", "hidden"):
        raise NotAllowed("error.not_in_channel", club=request.club.name)
    mends = stand == "lost" and request.member is not None and request.member.organiser
    if stand != "inside" and not request.is_here() and not mends:
        raise Conflict("error.cannot_check.channel")


async def _towards(rooms: Rooms, asker: Asker, club: Club, left: str | None) -> Standing:
    """How somebody stands to a club; the nearest of its channels counts, and the one it `left` below its posts."""
    stands: set[Standing] = set()
    of_club = [(c.workspace, c.native_id) for c in club.channels if c.platform == asker.place.platform]
    for server, channel in of_club + ([(asker.place.workspace, left)] if left else []):
        try:
            await _standing(rooms, asker, server, channel)
            return "inside"
        except TimeoutError:
            stands.add("unknown")
        except DeliveryError as error:
            stands.add(_outside(error))
    order: tuple[Standing, ...] = ("open", "unknown", "lost", "hidden")
    return next((each for each in order if each in stands), "unknown")


def _outside(error: DeliveryError) -> Standing:
    reason, _, more = error.reason.partition(":") if isinstance(error, Refused) else ("", "", "")
    if reason == "not_member":
        return "open" if more == "open" else "hidden"
    return "lost" if reason in LASTING else "unknown"


async def _standing(rooms: Rooms, asker: Asker, server: str, channel: str = "") -> Asker:
    """The asker with when they joined this server. Raises DeliveryError, TimeoutError."""
    platform = rooms.platforms.get(asker.place.platform)
    if platform is None:
        raise Refused("offline")
    async with asyncio.timeout(PATIENCE):
        return replace(asker, joined_at=await platform.joined(server, asker.account.user_id, channel))


def _writes(asked: Asked) -> bool:
    """Whether members and organisers alone may do it."""
    found = find_command(asked.name) if asked.kind == "command" else find_action(asked.name)
    return found is not None and found.who != "anyone"
