"""Everything people do, in; answers, out: acknowledged first, done after, in tasks of our own."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from adapters.slack.client import Connection
from adapters.slack.commands import SHORTCUT, links_of, read_line, to_whom
from adapters.slack.controls import press_of
from adapters.slack.counter import Ack, Counter, Group
from adapters.slack.home import ACTION as HOME
from adapters.slack.people import People
from adapters.slack.prefix import Prefix
from adapters.slack.seen import Seen, key_of
from adapters.slack.submits import Submits
from adapters.slack.talk import Spot, spot_of
from bot.clubs.model import Asker
from bot.commands import Action, Answers, Command, find_action, find_command
from bot.errors import StoreError
from bot.messages.model import Answer, Form, Message
from bot.messages.pages.forms import open_page
from bot.messages.pages.shortcuts import NOMINATE, no_link_page, wait_page
from bot.papers.link import link_meant

log = logging.getLogger(__name__)

PATIENCE = 1.2
"""Seconds the core may think before a dialog says that it does: a trigger is good for 3."""

_ANY = re.compile("")


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing somebody did. `again` is the press that does it once more, '' where none does; `changes` is false
    for what is only read."""

    answers: Answers
    again: str
    changes: bool
    work: Callable[[Asker], Coroutine[Any, Any, Answer]]


class Desk:
    """Hands what people do to the core and puts what it says where it belongs. Nothing is left without an answer."""

    def __init__(
        self,
        connection: Connection,
        group: Group,
        now: Callable[[], datetime],
        people: People,
        seen: Seen,
        prefix: Prefix,
    ) -> None:
        self._app = connection.app
        self._counter = Counter(connection, group, now, people, prefix)
        self._submits = Submits(self._counter, seen)
        self._seen = seen

    @property
    def is_open(self) -> bool:
        """Whether anything is taken still."""
        return self._counter.is_open

    def listen(self) -> None:
        """Take all of each kind: what it is stands in its id, which outlives us."""
        self._app.command(_ANY)(self.on_command)
        self._app.action(_ANY)(self.on_action)
        self._app.shortcut(_ANY)(self.on_shortcut)
        self._app.view_submission(_ANY)(self._submits.on_submit)
        self._app.view_closed(_ANY)(self.on_nothing)
        self._app.options(_ANY)(self.on_options)

    async def close(self, seconds: float = 3.0) -> None:
        """Take nothing more, and acknowledge nothing either: Slack says that it did not work, or tries again."""
        await self._counter.close(seconds)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something nobody waits for; a fault of it is logged."""
        self._counter.begin(_logged(work))

    # ---- what comes in ----

    async def on_command(self, ack: Ack, body: dict[str, Any]) -> None:
        if not self._counter.is_open:
            return
        await ack()
        line = read_line(str(body.get("command") or ""), str(body.get("text") or ""))
        self._counter.learn(line.top, line.prefix)
        self._counter.begin(self._answer(body, spot_of(body), self._typed(line.path, line.args)))

    async def on_action(self, ack: Ack, body: dict[str, Any]) -> None:
        if not self._counter.is_open:
            return
        await ack()
        pressed = next((press for each in body.get("actions") or () if (press := press_of(each))), "")
        if pressed:
            action, now, group = find_action(pressed), self._counter.now(), self._counter.group
            answers = action.answers if action else "private"
            changes = _changes(action)
            asked = Asked(answers, pressed, changes, lambda asker: group.press(asker, pressed, now))
            self._counter.begin(self._answer(body, spot_of(body), asked))

    async def on_shortcut(self, ack: Ack, body: dict[str, Any]) -> None:
        if not self._counter.is_open:
            return
        await ack()
        message, spot = body.get("message"), spot_of(body)
        if body.get("callback_id") != SHORTCUT or not isinstance(message, Mapping) or not spot.user:
            return
        links = links_of(message)
        if links:
            asked = self._typed(NOMINATE, {"paper": link_meant(links)})
            self._counter.begin(self._answer(body, spot, asked))
        else:
            self._counter.begin(self._counter.say(spot, no_link_page))

    async def on_nothing(self, ack: Ack) -> None:
        await ack()

    async def on_options(self, ack: Ack) -> None:
        await ack(options=[])

    async def take_talk(self, event: Mapping[str, Any], key: str) -> None:
        """Words somebody writes to the bot; the same words told twice are answered once.

        In a channel these are words that begin with its name, and only such: others are about it, and not to it.
        """
        text = str(event.get("text") or "")
        whom, said = to_whom(text)
        is_named = whom == self._counter.me
        if (is_named or event.get("channel_type") == "im") and await self._is_new(key):
            thread = str(event.get("thread_ts") or "")
            spot = Spot(str(event.get("user") or ""), str(event.get("channel") or ""), thread=thread)
            line = read_line("", said if is_named else text)
            await self._answer({"team_id": event.get("user_team")}, spot, self._typed(line.path, line.args))

    async def take_home(self, event: Mapping[str, Any]) -> None:
        """Somebody looks at their Home."""
        await self._counter.home.draw(str(event.get("user") or ""), self._counter.prefix)

    # ---- how it is answered ----

    def _typed(self, path: str, args: Mapping[str, str]) -> Asked:
        command, now, group = find_command(path), self._counter.now(), self._counter.group
        answers = command.answers if command else "private"
        again = "" if args else f"open:{path}"
        return Asked(answers, again, _changes(command), lambda asker: group.command(asker, path, args, now))

    async def _answer(self, body: Mapping[str, Any], spot: Spot, asked: Asked) -> None:
        if not spot.user:
            return
        is_home = asked.again.partition(":")[0] == HOME
        talk = self._counter.talk(spot, is_home=is_home)

        async def work() -> Answer | None:
            if asked.changes and not await self._is_new(key_of(body)):
                return None
            return await asked.work(await self._counter.asker(body, spot))

        try:
            working = self._counter.begin(work())
            await asyncio.wait((working,), timeout=PATIENCE)
            if not working.done() and spot.trigger and (asked.answers == "form" or spot.home):
                await talk.wait(wait_page(self._counter.reader(spot)))
            answer = await working
            if answer is None:
                return
            if answer.form is None:
                await self._counter.give(talk, answer)
            elif not await talk.show(await self._counter.groups.shown(answer.form)):
                await talk.say(await self._way_back(body, spot, asked, answer.form))
        except Exception:
            await self._counter.failed(talk)
        if not spot.channel and not is_home:
            await self._counter.home.draw(spot.user, self._counter.prefix)

    async def _is_new(self, key: str) -> bool:
        """Whether this was not done before: a call that is signed well may be sent again by anybody who has it."""
        try:
            return await self._seen.first_time(key)
        except StoreError:
            return True  # what cannot be stored is told by the core

    async def _way_back(self, body: Mapping[str, Any], spot: Spot, asked: Asked, form: Form) -> Message:
        """What leads to a form that could not be opened, with all that was typed for it."""
        if asked.again:
            return open_page(self._counter.reader(spot), asked.again)
        asker = await self._counter.asker(body, spot)
        return await self._counter.group.keep_form(asker, form, self._counter.now())


def _changes(asked: Action | Command | None) -> bool:
    """Whether doing it twice could be seen: it belongs to members, or everybody reads what comes of it. To open a
    form changes nothing."""
    return (
        asked is not None and asked.answers != "form" and (asked.who != "anyone" or asked.answers == "public")
    )


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:
        log.exception("something that nobody waits for failed")
