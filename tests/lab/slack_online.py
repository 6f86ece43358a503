"""Paperclub in Slack: the real core and the real library against the strict local server, with people in it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from adapters.compose import build
from adapters.slack import Slack, open_slack, serve
from bot.app import ReadingGroup
from bot.clubs.model import Place, Settings
from bot.storage import clubs
from bot.storage.database import Database
from bot.storage.heartbeat import beat
from bot.storage.sqlite import open_sqlite
from tests.lab.chatlab.fakeslack import Channel, FakeSlack, User
from tests.lab.chatlab.fakeslack import Message as Shown
from tests.lab.chatlab.fakeslack.model import Delivery
from tests.lab.house import MONDAY, ZONE
from tests.lab.ports import free_port
from tests.lab.slack_lab import settings_for
from tests.lab.stage import SALT

READERS = 2


class SlackOnline:
    """A workspace with a channel, its owner and two members, and the bot in it, which can be started again."""

    def __init__(self, lab: FakeSlack, path: Path, *, http: bool = False) -> None:
        self.lab = lab
        self.path = path
        self.now = MONDAY
        self.team = lab.create_workspace("Readers", bot_name="paperclub")
        self.channel: Channel = lab.create_channel(self.team, "papers")
        self.owner = self.person("owner", admin=True)
        self.ada = self.person("ada")
        self.bea = self.person("bea")
        self.port = free_port() if http else 0
        self.settings = settings_for(lab, self.team, self.port)
        self.readies: list[tuple[str, str]] = []
        self.database: Database
        self.slack: Slack
        self.group: ReadingGroup
        self.serving: asyncio.Task[None] | None = None

    def person(self, name: str, **more: Any) -> User:
        """Somebody in the channel."""
        return self.lab.create_user(self.team, name, channels=[self.channel], **more)

    # ---- the program ----

    async def open(self) -> None:
        """Open the store and the adapter; nothing is connected yet."""
        self.database = await open_sqlite(self.path, readers=READERS)
        self.slack = open_slack(self.settings, self.database)
        self.group = build(self.database, {"slack": self.slack.platform}, lambda: self.now)
        self.stop, self._ready, self._ended = asyncio.Event(), asyncio.Event(), False

    def connect(self) -> asyncio.Task[None]:
        """Begin to serve, without waiting for anything."""

        def ready(name: str, team: str) -> None:
            self.readies.append((name, team))
            self._ready.set()

        self.serving = asyncio.create_task(
            serve(self.slack, self.group, lambda: self.now, self.stop, ready=ready)
        )
        return self.serving

    async def start(self) -> None:
        """Open, connect, and wait until people can use it."""
        await self.open()
        serving = self.connect()
        ready = asyncio.create_task(self._ready.wait())
        await asyncio.wait((serving, ready), timeout=10, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if serving.done():
            serving.result()
        assert self._ready.is_set(), "Slack was not ready in time"
        if self.port:
            self.lab.use_http(f"http://127.0.0.1:{self.port}/slack/events")

    async def close(self) -> None:
        """End as `paperclub run` does; once is enough."""
        if self._ended:
            return
        self._ended = True
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

    async def found_club(self, language: str = "en", **settings: Any) -> int:
        """A club in the channel, as set-up leaves it; its id."""

        def found(tx: Any) -> int:
            club_id = clubs.put_club(tx, "Readers", language, ZONE, SALT, Settings(**settings), self.now)
            place = Place("slack", self.team.id, self.channel.id, name=self.channel.name)
            clubs.put_channel(tx, club_id, place, self.now)
            return club_id

        return await self.database.write(found)

    async def tick(self, moment: datetime | None = None) -> None:
        """Set the clock and do what is due."""
        self.now = moment or self.now
        self.lab.clock._offset = self.now.timestamp() - time.time()
        self.lab.courier.skew = -self.lab.clock._offset  # a signature is of the real time
        await self.database.write(lambda tx: beat(tx, self.now))
        await self.group.tick(self.now)

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

    # ---- people ----

    async def typed(self, who: User, line: str, where: Channel | None = None) -> Shown:
        """Somebody runs a command ('/paper search x') and is answered."""
        name, _, text = line.partition(" ")
        done = await self.lab.slash(who, where or self.channel, name, text)
        return await self.answer(done)

    async def pressed(self, who: User, where: Any, control: str) -> Shown:
        """Somebody presses a button and is answered with a message."""
        return await self.answer(await self.lab.click(who, where, control))

    async def answer(self, done: Delivery, number: int = 1) -> Shown:
        """The message that answers."""
        assert done.acknowledged and not done.failed, done
        await self.lab.wait_for(lambda: len(done.replies) >= number, 10, "an answer")
        assert done.errors == []
        return done.replies[number - 1]

    async def form(self, who: User, done: Delivery) -> Any:
        """The dialog that answers, once it holds a form."""
        assert done.acknowledged and not done.failed, done
        await self.lab.wait_for(lambda: done.view and done.view.payload.get("submit"), 10, "a form")
        return done.view

    async def beside(self, who: User, words: str, where: Channel | None = None) -> Shown:
        """A message somebody sees in a channel."""
        return await self.lab.wait_message(where or self.channel, words, seen_by=who, timeout=10)

    def check(self, *meant: str) -> None:
        """Nothing that was called was found wrong, but what was meant to be."""
        wrong = [each for each in self.lab.bot_errors() if each.reply.get("error") not in meant]
        assert not wrong, [f"{each.path} {each.reply}" for each in wrong]
        assert self.lab.internal_errors == []
        assert self.lab.protocol_errors == []
        assert self.lab.unimplemented == []
        assert self.lab.escaping_faults == []


@asynccontextmanager
async def slack_online(path: Path, *, http: bool = False, **lab: Any) -> AsyncIterator[SlackOnline]:
    """A workspace and the bot in it, started on the store at `path`; all of it is ended at the end."""
    async with FakeSlack(retry_delays=(0.0, 0.05), **lab) as slack:
        here = SlackOnline(slack, path, http=http)
        await here.start()
        try:
            yield here
        finally:
            await here.close()
            left = [task for task in asyncio.all_tasks() if "adapters/slack" in repr(task.get_coro())]
            assert left == []
