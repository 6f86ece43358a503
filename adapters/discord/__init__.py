"""Discord: the adapter for servers there and for private messages with the bot."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import discord as library

from adapters.discord import buttons, guilds
from adapters.discord.client import Connection
from adapters.discord.commands import sync_commands
from adapters.discord.platform import DiscordPlatform
from bot.settings import DiscordSettings
from bot.storage.database import Database

__all__ = ["Discord", "Group", "open_discord", "serve"]

log = logging.getLogger(__name__)

LAST = 3.3
"""Seconds for answers and redraws under way when everything stops; with the goodbye it is less than five."""


class Group(buttons.Group, guilds.Group, Protocol):
    """What Discord asks of the core."""

    async def settle_down(self, seconds: float = 3.0) -> None: ...


@dataclass(slots=True)
class Discord:
    """The adapter as a value: nothing of it is on the network before `serve`."""

    settings: DiscordSettings
    database: Database
    connection: Connection
    platform: DiscordPlatform
    commands: dict[str, str] = field(default_factory=dict)
    """The ids Discord gave our top commands, by name; so they can be mentioned."""


def open_discord(settings: DiscordSettings, database: Database) -> Discord:
    """Discord with `settings`, keeping in `database` what it was told."""
    connection = Connection(settings)
    commands: dict[str, str] = {}
    return Discord(settings, database, connection, DiscordPlatform(connection, lambda: commands), commands)


async def serve(
    discord: Discord,
    group: Group,
    now: Callable[[], datetime],
    stop: asyncio.Event,
    *,
    ready: Callable[[str, int], None],
) -> None:
    """Take part in Discord until `stop`, then end within 5 s, with the answers and redraws under way.

    `ready` gets the bot's name and the number of its servers, once, when everything can be used.

    Raises:
        TokenRefused: at the start or later; Discord will not take another try, for what its `why` says.
    """
    listener = _Listener(discord, group, now, ready)
    running = asyncio.create_task(discord.connection.run(listener))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            running.result()
    finally:
        stopping.cancel()
        began = asyncio.get_running_loop().time()
        await listener.close()
        if stop.is_set():  # a token that is refused ends Discord alone: the core goes on
            await group.settle_down(max(0.3, LAST - (asyncio.get_running_loop().time() - began)))
        running.cancel()
        await asyncio.gather(running, stopping, return_exceptions=True)
        await discord.connection.close()


class _Listener:
    """What happens on the connection, handed to whom it concerns."""

    def __init__(
        self, discord: Discord, group: Group, now: Callable[[], datetime], ready: Callable[[str, int], None]
    ) -> None:
        self._discord = discord
        self._now = now
        self._ready: Callable[[str, int], None] | None = ready
        self._desk = buttons.Desk(discord.connection, group, now, lambda: discord.commands)
        self._telling: set[asyncio.Task[None]] = set()
        self._porch = guilds.Porch(discord.connection, group, now, lambda: discord.commands)

    async def set_up(self) -> None:
        """Once a login: the commands, if they changed."""
        self._discord.commands |= await sync_commands(
            self._discord.connection, self._discord.database, self._now()
        )

    async def on_ready(self) -> None:
        if self._ready is not None:
            told, self._ready = self._ready, None
            client = self._discord.connection.client
            told(str(client.user), len(client.guilds))
        await self._told(self._porch.look_around())

    async def on_interaction(self, interaction: library.Interaction) -> None:
        await self._desk.take(interaction)

    async def on_gone(self, guild_id: int, channel_id: int) -> None:
        await self._told(self._porch.lose(guild_id, channel_id))

    async def on_join(self, guild: library.Guild) -> None:
        await self._told(self._porch.join(guild))

    async def on_available(self, guild: library.Guild) -> None:
        await self._told(self._porch.find(guild))

    async def on_leave(self, guild: library.Guild) -> None:
        await self._told(self._porch.leave(guild))

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        """News of servers, which nobody waits for: a fault is logged, and none of it outlives the connection."""
        task = asyncio.create_task(work)
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
        try:
            await task
        except Exception:
            log.exception("news of a server could not be taken")

    async def close(self) -> None:
        """Nothing more comes in; what is under way has a few seconds while the connection still stands."""
        for task in list(self._telling):
            task.cancel()
        await self._desk.close(3.0)
