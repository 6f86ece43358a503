"""Whether somebody who writes in private messages still belongs to the club's server, and since when."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace

from bot.app.choosing import Asked
from bot.app.request import Request
from bot.app.rooms import Rooms
from bot.clubs.model import Asker, Channel
from bot.commands import find_action, find_command
from bot.errors import Conflict, DeliveryError, NotAllowed, Refused
from bot.storage.choices import forget_choice

PATIENCE = 5.0
"""Seconds a platform may take to say so."""


async def check_standing(rooms: Rooms, request: Request, asked: Asked) -> Request:
    """The request with when its asker joined the club's server; as it is where it was asked in a server.

    Reading goes on while the platform does not answer.

    Raises: NotAllowed('error.not_member', club) for those who left or were put out; Conflict('error.cannot_check',
    club) for whatever writes while nobody can say.
    """
    club, asker = request.club, request.asker
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


async def _standing(rooms: Rooms, asker: Asker, server: str) -> Asker:
    """The asker with when they joined this server. Raises DeliveryError, TimeoutError."""
    platform = rooms.platforms.get(asker.place.platform)
    if platform is None:
        raise Refused("offline")
    async with asyncio.timeout(PATIENCE):
        return replace(asker, joined_at=await platform.joined(server, asker.account.user_id))


def _writes(asked: Asked) -> bool:
    """Whether members and organisers alone may do it."""
    found = find_command(asked.name) if asked.kind == "command" else find_action(asked.name)
    return found is not None and found.who != "anyone"
