"""One club on Discord and Slack in one process: both real libraries, both strict servers, one core and one clock."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from adapters import discord, slack
from adapters.compose import build
from bot.app import ReadingGroup
from bot.delivery.platform import Platform
from bot.storage.database import Database
from bot.storage.heartbeat import beat
from bot.storage.sqlite import open_sqlite
from tests.lab.chatlab import fakediscord, fakeslack
from tests.lab.chatlab.fakediscord import FakeDiscord
from tests.lab.chatlab.fakeslack import FakeSlack
from tests.lab.discord_house import ClubServer, ids, page
from tests.lab.house import MONDAY
from tests.lab.slack_house import SPACING, ClubWorkspace
from tests.lab.slack_house import ids as slack_ids

CODE = re.compile(r"link ([A-Z0-9]{8})\b")


@dataclass(frozen=True, slots=True)
class Human:
    """Somebody with an account on each side."""

    discord: fakediscord.User
    slack: fakeslack.User


class BothSides:
    """A Discord server and a Slack workspace, the people in them, and one program that serves both."""

    def __init__(self, server: FakeDiscord, workspace: FakeSlack, path: Path, *, http: bool = False) -> None:
        self.path = path
        self.discord = ClubServer(server, path, MONDAY)
        self.slack = ClubWorkspace(workspace, path, http=http, start=MONDAY)
        self.now = MONDAY
        self.group: ReadingGroup
        self.database: Database

    # ---- the program ----

    async def start(self) -> None:
        """Open the store and serve both sides, each part of the core from when it is connected."""
        self.database = self.discord.database = self.slack.database = await open_sqlite(self.path, readers=2)
        one = discord.open_discord(self.discord.settings, self.database)
        other = slack.open_slack(self.slack.settings, self.database)
        one.platform._now = other.platform._now = lambda: self.now
        self.platforms: dict[str, Platform] = {}
        self.group = build(self.database, self.platforms, lambda: self.now)
        self.discord.group = self.slack.group = self.group
        self.stop = asyncio.Event()
        await self.group.wake_up(self.now)

        def ready(platform: Any) -> None:
            setattr(platform, "spacing", lambda age: SPACING)  # noqa: B010
            self.platforms[platform.name] = platform

        self.serving = [
            asyncio.create_task(
                discord.serve(
                    one, self.group, lambda: self.now, self.stop, ready=lambda *_: ready(one.platform)
                )
            ),
            asyncio.create_task(
                slack.serve(
                    other, self.group, lambda: self.now, self.stop, ready=lambda *_: ready(other.platform)
                )
            ),
        ]
        async with asyncio.timeout(15):
            while len(self.platforms) < 2:
                await asyncio.sleep(0.01)
                for task in self.serving:
                    if task.done():
                        task.result()
        if self.slack.port:
            self.slack.lab.use_http(f"http://127.0.0.1:{self.slack.port}/slack/events")
        await self.group.redraw_open()

    async def close(self) -> None:
        """End as `paperclub run` does; once is enough."""
        if self.stop.is_set():
            return
        self.stop.set()
        await asyncio.gather(*self.serving, return_exceptions=True)
        await self.group.settle_down()
        await self.database.close()

    async def restart(self, now: datetime | None = None) -> None:
        """End the process and start another on the same store, at `now`."""
        await self.close()
        self._set(now or self.now)
        await self.start()

    async def tick(self, moment: datetime | None = None) -> None:
        """Set the clock of everybody and do what is due."""
        self._set(moment or self.now)
        await self.database.write(lambda tx: beat(tx, self.now))
        await self.group.tick(self.now)

    async def until(self, moment: datetime) -> None:
        """Let time pass, stopping at every instant at which something is due."""
        step = timedelta(seconds=1)
        while True:
            due = await self.group.next_event(self.now)
            if due is None or due >= moment:
                break
            step = timedelta(seconds=1) if due > self.now else step * 2
            await self.tick(min(due if due > self.now else self.now + step, moment))
        await self.tick(moment)

    async def later(self, seconds: float = 5) -> None:
        """A few seconds on, with what is due in them."""
        await self.until(self.now + timedelta(seconds=seconds))

    def _set(self, moment: datetime) -> None:
        self.now = moment
        self.discord._set(moment)
        self.slack._set(moment)

    # ---- people ----

    async def one_club(self) -> None:
        """A club set up in Discord, joined by the Slack workspace with its code."""
        await self.discord.set_up(name="Readers")
        shown = page(await self.discord.typed(self.discord.owner, "club link"))
        joined = await self.slack.typed(self.slack.owner, f"/club link {code_in(shown.text)}")
        assert "Readers stands in this channel too now." in joined.shown, joined.shown

    def humans(self, count: int) -> list[Human]:
        """So many people who are on both sides."""
        return [
            Human(one, other)
            for one, other in zip(self.discord.people(count), self.slack.people(count), strict=True)
        ]

    async def link(self, human: Human) -> None:
        """Both accounts linked as people do it: a code, and a yes on either side."""
        card = page(await self.discord.typed(human.discord, "paper link"))
        question = await self.slack.typed(human.slack, f"/paper link {code_in(card.text)}")
        assert "Are both of these accounts yours?" in question.shown
        yes = next(each for each in slack_ids(question) if each.startswith("link-yes:"))
        waits = await self.slack.pressed(human.slack, question, yes)
        assert "Now say yes on Discord too" in waits.shown
        asked = page(await self.discord.pressed(human.discord, card, "linked"))
        yes = next(each for each in ids(asked) if each.startswith("link-yes:"))
        assert "Linked." in page(await self.discord.pressed(human.discord, asked, yes)).text

    async def vote(self, who: fakediscord.User | fakeslack.User, *papers: str) -> str:
        """Somebody ticks these papers on the open ballot of their side; what they are told."""
        if isinstance(who, fakeslack.User):
            return await self.slack.vote(who, *papers)
        return await self.discord.vote(who, *papers)

    # ---- what stands ----

    def shown(self, words: str) -> list[list[str]]:
        """What both channels show that has these words: Discord's, then Slack's."""
        return [
            [each.text for each in self.discord.shown(words)],
            [each.shown for each in self.slack.shown(words)],
        ]

    def numbers(self, words: str) -> tuple[int, int]:
        """How many messages in either channel have these words."""
        here, there = self.shown(words)
        return len(here), len(there)

    async def stand(self, *words: str) -> None:
        """Wait until a message on either side has all these words."""
        await self.discord.stands(None, *words)
        await self.slack.stands(None, *words)

    # ---- outages ----

    def silence(self, side: str) -> None:
        """Nothing of one platform answers any more, and nothing comes from it."""
        if side == "slack":
            self.slack.lab.add_fault("status", "/*", times=None, status=503)
            self.slack.lab.refuse_sockets(1_000)
            self.slack.lab.drop_sockets()
        else:
            self.discord.meant.add(503)
            self.discord.lab.add_fault("status", "/*", times=None, status=503)

    async def speak(self, side: str) -> None:
        """The platform is back, and so is what was cut."""
        if side == "slack":
            self.slack.lab.clear_faults()
            self.slack.lab.refuse_sockets(0)
            await self.slack.lab.wait_for(lambda: self.slack.lab.courier.reachable, 20, "a connection")
        else:
            self.discord.lab.clear_faults()

    def check(self) -> None:
        """Nothing that was called on either side was found wrong, but what was meant to be."""
        self.discord.check()
        self.slack.check()


@asynccontextmanager
async def both_sides(path: Path, *, http: bool = False) -> AsyncIterator[BothSides]:
    """Both sides with one program started on the store at `path`; in the end all of it is ended and checked."""
    async with FakeDiscord() as server, FakeSlack(retry_delays=(0.0, 0.05)) as workspace:
        here = BothSides(server, workspace, path, http=http)
        await here.start()
        try:
            await workspace.wait_message(workspace.dm(here.slack.owner), timeout=10)  # the greeting
            yield here
        finally:
            with contextlib.suppress(Exception):
                workspace.clear_faults()
            await here.close()
        here.check()


def code_in(text: str) -> str:
    """The code a page shows."""
    found = CODE.search(text)
    assert found is not None, text
    return found[1]
