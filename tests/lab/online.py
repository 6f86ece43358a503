"""Paperclub in Discord: the real core and the real library against the strict local server, with people in it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

from adapters.compose import build
from adapters.discord import Discord, open_discord, serve
from adapters.discord.platform import RIGHTS
from bot.app import ReadingGroup
from bot.clubs.model import Place, Settings
from bot.settings import DiscordSettings
from bot.storage import clubs
from bot.storage.database import Database
from bot.storage.heartbeat import beat
from bot.storage.sqlite import open_sqlite
from tests.lab.chatlab.fakediscord import FakeDiscord
from tests.lab.house import MONDAY, ZONE
from tests.lab.stage import SALT

READERS = 2
EVERYBODY = (
    "view_channel",
    "send_messages",
    "send_messages_in_threads",
    "read_message_history",
    "use_application_commands",
)


class Online:
    """One server with a channel, its owner and two members, and the bot in it, which can be started again.

    In every server the bot has what it is invited with and no more.
    """

    def __init__(self, lab: FakeDiscord, path: Path) -> None:
        self.lab = lab
        self.path = path
        self.now = MONDAY
        lab.invited, lab.everyone = RIGHTS, EVERYBODY
        self.owner = lab.create_user("owner")
        self.guild = lab.create_guild("Readers", owner=self.owner)
        self.channel = lab.create_channel(self.guild, "papers")
        self.ada = lab.create_user("ada", guild=self.guild)
        self.bea = lab.create_user("bea", guild=self.guild)
        for person in (self.owner, self.ada, self.bea):  # before any vote, and long before the bot
            self.guild.members[person.id].joined_at = (self.now - timedelta(days=90)).timestamp()
        self.readies: list[tuple[str, int]] = []
        self.database: Database
        self.discord: Discord
        self.group: ReadingGroup
        self.serving: asyncio.Task[None] | None = None

    @property
    def settings(self) -> DiscordSettings:
        return DiscordSettings(self.lab.token, self.lab.api_base, self.lab.gateway_url, 0.05)

    async def open(self, settings: DiscordSettings | None = None) -> None:
        """Open the store and the adapter; nothing is connected yet."""
        self.database = await open_sqlite(self.path, readers=READERS)
        self.discord = open_discord(settings or self.settings, self.database)
        self.group = build(self.database, {"discord": self.discord.platform}, lambda: self.now)
        self.stop = asyncio.Event()

    def connect(self) -> asyncio.Task[None]:
        """Begin to serve, without waiting for anything."""
        self.serving = asyncio.create_task(
            serve(
                self.discord,
                self.group,
                lambda: self.now,
                self.stop,
                ready=lambda name, servers: self.readies.append((name, servers)),
            )
        )
        return self.serving

    async def start(self) -> None:
        """Open, connect, and wait until people can use it."""
        before = len(self.readies)
        await self.open()
        self.connect()
        await self.lab.wait_for(lambda: len(self.readies) > before, 10)

    async def close(self) -> None:
        """End as `paperclub run` does."""
        self.stop.set()
        if self.serving is not None:
            with contextlib.suppress(Exception):
                await self.serving
        await self.group.settle_down()
        await self.database.close()

    async def restart(self) -> None:
        """End the process and start another on the same store."""
        await self.close()
        await self.start()

    async def found_club(self, language: str = "en") -> int:
        """A club in the channel, as set-up leaves it; its id."""

        def found(tx: object) -> int:
            club_id = clubs.put_club(tx, "Readers", language, ZONE, SALT, Settings(), self.now)
            place = Place("discord", str(self.guild.id), str(self.channel.id), name=self.channel.name)
            clubs.put_channel(tx, club_id, place, self.now)
            return club_id

        return await self.database.write(found)

    async def tick(self, moment: datetime | None = None) -> None:
        """Set the clock and do what is due."""
        self.now = moment or self.now
        await self.database.write(lambda tx: beat(tx, self.now))
        await self.group.tick(self.now)
        await self.group.rooms.deliveries.quiet()

    @contextlib.contextmanager
    def slow_writing(self) -> Iterator[None]:
        """Nothing can be stored before this ends."""
        gate = threading.Event()
        writing = asyncio.ensure_future(self.database.write(lambda tx: gate.wait(20)))
        try:
            yield
        finally:
            gate.set()
            writing.add_done_callback(lambda done: done.exception())

    @contextlib.contextmanager
    def slow_reading(self) -> Iterator[None]:
        """Nothing can be looked up before this ends."""
        gate = threading.Event()
        reading = asyncio.gather(*(self.database.read(lambda tx: gate.wait(20)) for _ in range(READERS)))
        try:
            yield
        finally:
            gate.set()
            reading.add_done_callback(lambda done: done.exception())

    def faults(self) -> list[str]:
        """What Discord found wrong with our calls."""
        return [f"{each.method} {each.path} {each.status}" for each in self.lab.bot_errors()]


@asynccontextmanager
async def online(path: Path) -> AsyncIterator[Online]:
    """A server and the bot in it, started on the store at `path`; all of it is ended at the end."""
    async with FakeDiscord() as lab:
        here = Online(lab, path)
        await here.start()
        try:
            yield here
        finally:
            await here.close()
            assert lab.internal_errors == []
            assert lab.unimplemented == []
