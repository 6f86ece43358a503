"""Servers: joined, left, and those the bot finds itself in when it connects."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import aiohttp
import discord

from adapters.discord.client import Connection
from adapters.discord.render import payload
from bot.errors import Refused
from bot.messages.model import Message

log = logging.getLogger(__name__)

PLATFORM = "discord"
NEW = timedelta(days=7)
"""A server joined so lately, while we were away, is greeted too."""
AGAIN = 61.0
"""Seconds until a greeting that did not go out is tried again: more than the minute the core leaves between."""


class Group(Protocol):
    """What the core is told of servers."""

    async def server_joined(
        self, platform: str, server_id: str, locale: str | None, now: datetime
    ) -> Message | None: ...
    async def server_greeted(self, platform: str, server_id: str, now: datetime) -> None: ...
    async def channel_gone(self, platform: str, server_id: str, channel: str, now: datetime) -> None: ...
    async def server_left(self, platform: str, server_id: str, now: datetime) -> None: ...
    async def servers_seen(self, platform: str, ids: Sequence[str], now: datetime) -> tuple[str, ...]: ...


class Porch:
    """Tells the core which servers it is in, and says hello once in a new one."""

    def __init__(
        self,
        connection: Connection,
        group: Group,
        now: Callable[[], datetime],
        commands: Callable[[], Mapping[str, str]],
    ) -> None:
        self._connection = connection
        self._group = group
        self._now = now
        self._commands = commands

    async def look_around(self) -> None:
        """After every new session: what came and went while nobody listened. May run any number of times."""
        ids = [str(guild.id) for guild in self._connection.client.guilds]
        new = await self._group.servers_seen(PLATFORM, ids, self._now())
        around = [self._connection.client.get_guild(int(server_id)) for server_id in new]
        await asyncio.gather(*(self.find(guild) for guild in around if guild is not None))

    async def find(self, guild: discord.Guild) -> None:
        """A server we are in shows itself, maybe after an outage: one that is new to us is joined now."""
        if self._is_new(guild):
            await self.join(guild)

    async def join(self, guild: discord.Guild) -> None:
        """A server we were added to: it is greeted, or tried to be for as long as the core wants it."""
        locale = str(guild.preferred_locale.value)
        while self._connection.client.get_guild(guild.id) is not None:
            greeting = await self._group.server_joined(PLATFORM, str(guild.id), locale, self._now())
            if greeting is None:
                return
            if await self._greet(guild, greeting):
                await self._group.server_greeted(PLATFORM, str(guild.id), self._now())
                return
            await asyncio.sleep(AGAIN)

    async def _greet(self, guild: discord.Guild, greeting: Message) -> bool:
        """Say hello where it may be written, with the same nonce each time; whether it stands."""
        channel = greeting_channel(guild)
        if channel is None:
            return False
        drawn = payload(greeting, nonce=f"hello{guild.id}", commands=self._commands())
        try:
            await self._connection.call(
                "POST", "/channels/{channel_id}/messages", json=drawn, channel_id=channel.id
            )
        except (Refused, discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.info("server %d could not be greeted: %s", guild.id, error)
            return False
        return True

    async def lose(self, guild_id: int, channel_id: int) -> None:
        """A channel or thread was deleted."""
        await self._group.channel_gone(PLATFORM, str(guild_id), str(channel_id), self._now())

    async def leave(self, guild: discord.Guild) -> None:
        """A server we were removed from, or that is no more."""
        await self._group.server_left(PLATFORM, str(guild.id), self._now())

    def _is_new(self, guild: discord.Guild) -> bool:
        joined = guild.me.joined_at if guild.me else None
        return joined is not None and self._now() - joined < NEW


def greeting_channel(guild: discord.Guild) -> discord.TextChannel | None:
    """Where newcomers are announced, else the first text channel in the order people see, of those open to us."""
    first: Iterable[discord.TextChannel | None] = (guild.system_channel, *guild.text_channels)
    return next((channel for channel in first if channel is not None and _may_write(guild, channel)), None)


def _may_write(guild: discord.Guild, channel: discord.TextChannel) -> bool:
    rights = channel.permissions_for(guild.me) if guild.me else discord.Permissions.none()
    return rights.view_channel and rights.send_messages
