"""Where all that people do is handled: the tasks it runs in, who asks, and what they are told when it fails."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeVar

from adapters.slack.client import Connection
from adapters.slack.groups import Groups
from adapters.slack.home import Group as HomeGroup
from adapters.slack.home import HomeTab
from adapters.slack.marks import Prefixes
from adapters.slack.people import People
from adapters.slack.prefix import Prefix
from adapters.slack.talk import Spot, Talk
from bot.clubs.model import Asker
from bot.messages.model import Answer, Form, Message, Reader
from bot.messages.pages.faults import failed_page
from bot.messages.pages.shortcuts import not_shown_page, nowhere_page
from bot.messages.words import best_language

log = logging.getLogger(__name__)

T = TypeVar("T")
Ack = Callable[..., Coroutine[Any, Any, Any]]


class Group(HomeGroup, Protocol):
    """What the core is asked."""

    async def command(self, asker: Asker, path: str, args: Mapping[str, str], now: datetime) -> Answer: ...
    async def press(self, asker: Asker, action_id: str, now: datetime) -> Answer: ...
    async def submit(
        self, asker: Asker, form_id: str, values: Mapping[str, str | list[str]], now: datetime
    ) -> Answer: ...
    async def keep_form(self, asker: Asker, form: Form, now: datetime) -> Message: ...


class Counter:
    """What every answer needs."""

    def __init__(
        self,
        connection: Connection,
        group: Group,
        now: Callable[[], datetime],
        people: People,
        prefix: Prefix,
    ) -> None:
        self.group = group
        self.now = now
        self.home = HomeTab(connection, group, now, people)
        self.groups = Groups(connection)
        self.is_open = True
        self._prefix = prefix
        self._connection = connection
        self._people = people
        self._running: set[asyncio.Task[Any]] = set()

    @property
    def me(self) -> str:
        """The bot's own id as a user."""
        return self._connection.me

    @property
    def prefix(self) -> Prefixes:
        """What stands before the first words of commands, as they were typed last."""
        return self._prefix.value

    def learn(self, top: str, prefix: str) -> None:
        """Somebody typed a command whose first word stands behind a prefix."""
        if self._prefix.take(top, prefix):
            self.begin(self._keep_prefix())

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do something in a task of our own."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def close(self, seconds: float) -> None:
        """Take nothing more; what runs has so many `seconds` to end."""
        self.is_open = False
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)
        left = list(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._people.close()

    async def asker(self, body: Mapping[str, Any], spot: Spot) -> Asker:
        """Who did it, as the core knows people."""
        who = body.get("user")
        told: Mapping[str, Any] = who if isinstance(who, Mapping) else {}
        name = str(body.get("user_name") or told.get("username") or told.get("name") or "")
        place = spot.place(self._connection.team)
        home: object = body.get("team")
        team = told.get("team_id") or (home.get("id") if isinstance(home, Mapping) else body.get("team_id"))
        return await self._people.asker(spot.user, place, name=name, team=str(team or ""))

    def reader(self, spot: Spot) -> Reader:
        """Who reads what is said without the core, which would know the club's language and zone."""
        return Reader(best_language(self._people.locale(spot.user), "en"), "UTC", self.now())

    def talk(self, spot: Spot, *, is_home: bool = False) -> Talk:
        """The ways back to a spot; with `is_home` what redraws becomes the Home itself."""

        async def redraw(message: Message) -> None:
            await self.home.publish(spot.user, message, self.prefix)

        return Talk(self._connection, spot, self.prefix, redraw if is_home else None)

    async def give(self, talk: Talk, answer: Answer) -> None:
        """Tell somebody what the core answers. Raises ValueError for an answer without content."""
        if answer.message is None:
            raise ValueError(f"an answer without content: {answer.kind}")
        if answer.kind == "public":
            page = nowhere_page if not talk.spot.channel else not_shown_page
            if not talk.spot.channel or not await talk.publish(answer.message):
                await talk.say(page(self.reader(talk.spot)))
            return
        await talk.say(answer.message, answer.kind, answer.also)

    async def say(self, spot: Spot, page: Callable[[Reader], Message]) -> None:
        """Say something the core is not asked for. Never raises."""
        try:
            await self._people.find(spot.user)
            await self.talk(spot).say(page(self.reader(spot)))
        except Exception:
            log.exception("something could not be told")

    async def _keep_prefix(self) -> None:
        try:
            await self._prefix.keep(self._connection.team, self.now())
        except Exception:
            log.exception("what commands are called could not be kept")

    async def failed(self, talk: Talk) -> None:
        """Tell somebody of a fault of ours, with a number that stands in the log below it. Never raises."""
        number = "E-" + secrets.token_hex(2).upper()
        log.exception("%s: an answer failed", number)
        try:
            await talk.say(failed_page(self.reader(talk.spot), number))
        except Exception:
            log.exception("not even a fault could be told")
