"""Discord without the core: the real connection and platform against the strict local server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import discord

from adapters.discord.client import Connection
from adapters.discord.platform import RIGHTS, DiscordPlatform
from bot.delivery.model import Address
from bot.messages.model import Kicker, Message, Small
from bot.settings import DiscordSettings
from tests.lab.chatlab.fakediscord import Channel, FakeDiscord, Guild, User
from tests.lab.chatlab.fakediscord import Message as Shown

MARKER = "abcdefgh23456777"
CODE = MARKER[:6]


def said(text: str, *, notify: bool = False) -> Message:
    """A message that says `text`."""
    return Message(text, (Kicker(text), Small(("small print",))), notify=notify)


class Station:
    """A server with a channel, in which the bot has the rights it asks for and no more, and one member."""

    def __init__(self, lab: FakeDiscord) -> None:
        self.lab = lab
        self.guild: Guild = lab.create_guild("Readers", with_bot=False)
        self.guild.everyone.permissions = 0
        lab.add_bot(self.guild, permissions=RIGHTS)
        self.channel: Channel = self.room("papers")
        self.member: User = lab.create_user("member-1", guild=self.guild)
        self.connection = Connection(DiscordSettings(lab.token, lab.api_base, lab.gateway_url, 0.05))
        self.platform = DiscordPlatform(self.connection, dict)
        self._ready = asyncio.Event()

    def room(self, name: str, kind: int = 0, **more: Any) -> Channel:
        """Another channel, in which everyone may read and write."""
        return self.lab.create_channel(self.guild, name, type=kind, **more)

    def address(self, channel: Channel | None = None, *, person: str = "", role: str = "") -> Address:
        """Where a club's messages go."""
        place = channel or self.channel
        return Address(1, "discord", str(self.guild.id), str(place.id), place.name, person=person, role=role)

    def shown(self, channel: Channel | None = None) -> list[str]:
        """What the channel shows of the bot, oldest first, by the first line."""
        return [each.text.split("\n")[0].strip("*") for each in self.messages(channel)]

    def messages(self, channel: Channel | None = None) -> list[Shown]:
        """The bot's messages in the channel, oldest first."""
        return self.lab.messages(channel or self.channel, by_bot=True)

    def calls(self, method: str, path: str = "") -> list[Any]:
        """What the bot asked of Discord."""
        return [each for each in self.lab.requests if each.method == method and path in each.path]

    async def told(self) -> None:
        """Wait until the gateway's news so far have arrived: they come in order, so the last one will do."""
        role = self.lab.create_role(self.guild, f"news-{len(self.guild.roles)}")
        guild = self.connection.client.get_guild(self.guild.id)
        if guild is not None:
            await self.lab.wait_for(lambda: guild.get_role(role.id), 5, "the gateway's news")

    async def set_up(self) -> None: ...
    async def on_interaction(self, interaction: discord.Interaction) -> None: ...
    async def on_gone(self, guild_id: int, channel_id: int) -> None: ...
    async def on_join(self, guild: discord.Guild) -> None: ...
    async def on_available(self, guild: discord.Guild) -> None: ...
    async def on_leave(self, guild: discord.Guild) -> None: ...

    async def on_ready(self) -> None:
        self._ready.set()

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """The connection is up; it is closed at the end."""
        running = asyncio.create_task(self.connection.run(self))
        try:
            async with asyncio.timeout(10):
                await self._ready.wait()
            yield
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await self.connection.close()


@asynccontextmanager
async def station() -> AsyncIterator[Station]:
    """A station that is connected."""
    async with FakeDiscord() as lab:
        here = Station(lab)
        async with here.connected():
            yield here
        assert lab.internal_errors == []
        assert lab.unimplemented == []


class HastyAsyncio(SimpleNamespace):
    """The library's view of asyncio, in which waits before a repeat are short."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.01))
