"""Everything people do, in; answers, out: acknowledged first, done after, in tasks of our own."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, TypeVar

from adapters.slack.client import Connection
from adapters.slack.commands import SHORTCUT, links_of, read_line
from adapters.slack.controls import press_of
from adapters.slack.forms import errors_of, values_of, view
from adapters.slack.home import ACTION as HOME
from adapters.slack.home import Group as HomeGroup
from adapters.slack.home import HomeTab
from adapters.slack.people import People
from adapters.slack.seen import Seen, key_of
from adapters.slack.talk import Spot, Talk, spot_of
from bot.clubs.model import Asker
from bot.commands import Answers, find_action, find_command
from bot.messages.model import Answer, Form, Message, Reader
from bot.messages.pages.faults import failed_page
from bot.messages.pages.forms import open_page
from bot.messages.pages.shortcuts import NOMINATE, no_link_page, wait_page
from bot.messages.words import best_language

log = logging.getLogger(__name__)

PATIENCE = 1.2
"""Seconds the core may think before a dialog says that it does: a trigger is good for 3."""
SUBMITTING = 2.2
"""The same for a form that is sent, whose faults must be in the acknowledgement."""
_MOST_SENT = 500

T = TypeVar("T")
Ack = Callable[..., Coroutine[Any, Any, Any]]
_ANY = re.compile("")


class Group(HomeGroup, Protocol):
    """What the core is asked."""

    async def command(self, asker: Asker, path: str, args: Mapping[str, str], now: datetime) -> Answer: ...
    async def press(self, asker: Asker, action_id: str, now: datetime) -> Answer: ...
    async def submit(
        self, asker: Asker, form_id: str, values: Mapping[str, str | list[str]], now: datetime
    ) -> Answer: ...
    async def keep_form(self, asker: Asker, form: Form, now: datetime) -> Message: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing somebody did. `again` is the press that does it once more, '' where none does."""

    answers: Answers
    again: str
    work: Callable[[Asker], Coroutine[Any, Any, Answer]]


class Desk:
    """Hands what people do to the core and puts what it says where it belongs. Nothing is left without an answer."""

    def __init__(
        self, connection: Connection, group: Group, now: Callable[[], datetime], people: People, seen: Seen
    ) -> None:
        self._connection = connection
        self._group = group
        self._now = now
        self._people = people
        self._seen = seen
        self._home = HomeTab(connection, group, now, people)
        self._running: set[asyncio.Task[Any]] = set()
        self._sent: OrderedDict[str, asyncio.Task[Answer | None]] = OrderedDict()
        self._open = True
        self._prefix = "/"

    def listen(self) -> None:
        """Take all of each kind: what it is stands in its id, which outlives us."""
        app = self._connection.app
        app.command(_ANY)(self.on_command)
        app.action(_ANY)(self.on_action)
        app.shortcut(_ANY)(self.on_shortcut)
        app.view_submission(_ANY)(self.on_submit)
        app.view_closed(_ANY)(self.on_nothing)
        app.options(_ANY)(self.on_options)

    async def close(self, seconds: float = 3.0) -> None:
        """Take nothing more; what runs has so many `seconds` to end."""
        self._open = False
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)
        left = list(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._people.close()

    # ---- what comes in ----

    async def on_command(self, ack: Ack, body: dict[str, Any]) -> None:
        await ack()
        line = read_line(str(body.get("command") or ""), str(body.get("text") or ""))
        self._prefix = line.prefix
        self._begin(self._answer(body, self._typed(line.path, line.args)))

    async def on_action(self, ack: Ack, body: dict[str, Any]) -> None:
        await ack()
        pressed = next((press for each in body.get("actions") or () if (press := press_of(each))), "")
        if pressed:
            action = find_action(pressed)
            now = self._now()
            asked = Asked(
                action.answers if action else "private",
                pressed,
                lambda asker: self._group.press(asker, pressed, now),
            )
            self._begin(self._answer(body, asked))

    async def on_shortcut(self, ack: Ack, body: dict[str, Any]) -> None:
        await ack()
        message = body.get("message")
        if body.get("callback_id") != SHORTCUT or not isinstance(message, Mapping):
            return
        links = links_of(message)
        if links:
            self._begin(self._answer(body, self._typed(NOMINATE, {"paper": links[0]})))
        else:
            self._begin(self._say(body, no_link_page))

    async def on_submit(self, ack: Ack, body: dict[str, Any]) -> None:
        """A form's faults are told beside its fields, which the acknowledgement alone can do."""
        key = key_of(body)
        working = self._sent.get(key) if key else None
        again = working is not None
        if working is None:
            working = self._sent[key] = self._begin(self._submitted(body, key))
            while len(self._sent) > _MOST_SENT:
                self._sent.popitem(last=False)
        await asyncio.wait((working,), timeout=SUBMITTING)
        if not working.done():
            await ack()
            if not again:
                self._begin(self._late(body, working))
            return
        try:
            await self._acknowledge(ack, body, working.result(), again)
        except Exception:
            log.exception("a form could not be answered")
            await ack()
            self._begin(self._say(body, _failed()))

    async def on_nothing(self, ack: Ack) -> None:
        await ack()

    async def on_options(self, ack: Ack) -> None:
        await ack(options=[])

    async def take_talk(self, event: Mapping[str, Any], key: str) -> None:
        """Words somebody writes to the bot in private; the same words told twice are answered once."""
        if await self._seen.first_time(key):
            spot = Spot(
                str(event.get("user")), str(event.get("channel")), thread=str(event.get("thread_ts") or "")
            )
            line = read_line("", str(event.get("text") or ""))
            await self._answer({}, self._typed(line.path, line.args), spot)

    async def take_home(self, event: Mapping[str, Any]) -> None:
        """Somebody looks at their Home."""
        await self._home.draw(str(event.get("user") or ""), self._prefix)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something nobody waits for; a fault of it is logged."""
        self._begin(_logged(work))

    # ---- what is asked of the core ----

    def _typed(self, path: str, args: Mapping[str, str]) -> Asked:
        command, now = find_command(path), self._now()
        answers = command.answers if command else "private"
        return Asked(answers, f"open:{path}", lambda asker: self._group.command(asker, path, args, now))

    async def _asker(self, body: Mapping[str, Any], spot: Spot) -> Asker:
        who = body.get("user")
        told: Mapping[str, Any] = who if isinstance(who, Mapping) else {}
        name = str(body.get("user_name") or told.get("username") or told.get("name") or "")
        place = spot.place(self._connection.team)
        return await self._people.asker(spot.user, place, name=name, team=str(told.get("team_id") or ""))

    async def _submitted(self, body: Mapping[str, Any], key: str) -> Answer | None:
        """The core's answer to a form; None where this was answered before a restart."""
        if not await self._seen.first_time(key):
            return None
        try:
            asker = await self._asker(body, spot_of(body))
            sent = body["view"]
            answer = await self._group.submit(
                asker, str(sent.get("callback_id") or ""), values_of(sent), self._now()
            )
        except BaseException:
            await self._unsent(key)
            raise
        if answer.form is not None:
            await self._unsent(key)
        return answer

    async def _unsent(self, key: str) -> None:
        """The same form with the same values may come again: what was in its way may be gone by then."""
        self._sent.pop(key, None)
        await self._seen.forget(key)

    # ---- how it is answered ----

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def _talk(self, spot: Spot, is_home: bool = False) -> Talk:
        async def redraw(message: Message) -> None:
            await self._home.publish(spot.user, message, self._prefix)

        return Talk(self._connection, spot, self._prefix, redraw if is_home else None)

    def _reader(self, spot: Spot) -> Reader:
        """Who reads what is said without the core, which would know the club's language and zone."""
        return Reader(best_language(self._people.locale(spot.user), "en"), "UTC", self._now())

    async def _answer(self, body: Mapping[str, Any], asked: Asked, spot: Spot | None = None) -> None:
        spot = spot or spot_of(body)
        if not self._open or not spot.user:
            return
        is_home = asked.again.partition(":")[0] == HOME
        talk = self._talk(spot, is_home)

        async def work() -> Answer:
            return await asked.work(await self._asker(body, spot))

        try:
            working = self._begin(work())
            await asyncio.wait((working,), timeout=PATIENCE)
            if not working.done() and spot.trigger and (asked.answers == "form" or spot.home):
                await talk.wait(wait_page(self._reader(spot)))
            answer = await working
            if answer.form is None:
                await self._give(talk, answer)
            elif not await talk.show(answer.form):
                await talk.say(open_page(self._reader(spot), asked.again))
        except Exception:
            log.exception("an answer failed")
            await self._failed(talk)
        if not spot.channel and not is_home:
            await self._home.draw(spot.user, self._prefix)

    async def _give(self, talk: Talk, answer: Answer) -> None:
        if answer.message is None:
            raise ValueError(f"an answer without content: {answer.kind}")
        await talk.say(answer.message, answer.kind, answer.also)

    async def _failed(self, talk: Talk) -> None:
        try:
            await talk.say(_failed()(self._reader(talk.spot)))
        except Exception:
            log.exception("not even a fault could be told")

    async def _say(self, body: Mapping[str, Any], page: Callable[[Reader], Message]) -> None:
        """Say something the core is not asked for."""
        talk = self._talk(spot_of(body))
        await self._people.find(talk.spot.user)
        try:
            await talk.say(page(self._reader(talk.spot)))
        except Exception:
            log.exception("not even that could be told")

    async def _acknowledge(
        self, ack: Ack, body: Mapping[str, Any], answer: Answer | None, again: bool
    ) -> None:
        """Faults beside their fields, in the form that is open; anything else where the form came from."""
        spot = spot_of(body)
        if answer is None:
            await ack()
        elif answer.form is not None:
            errors = errors_of(answer.form)
            asked = {block.get("block_id") for block in body["view"].get("blocks") or ()}
            if errors and set(errors) <= asked and answer.form.id == body["view"].get("callback_id"):
                await ack(response_action="errors", errors=errors)
            else:
                await ack(response_action="update", view=view(answer.form, metadata=spot.metadata))
        elif not spot.channel and answer.message is not None:
            shown = [answer.message, *([answer.also] if answer.also else [])]
            await ack(response_action="update", view=self._talk(spot).view_of(*shown))
            self._begin(self._home.draw(spot.user, self._prefix))
        else:
            await (ack(response_action="clear") if body["view"].get("previous_view_id") else ack())
            if not again:
                self._begin(self._afterwards(spot, answer))

    async def _afterwards(self, spot: Spot, answer: Answer) -> None:
        """Answer a form that is closed: in the channel, seen by whoever sent it."""
        talk = self._talk(_closed(spot))
        try:
            await self._give(talk, answer)
        except Exception:
            log.exception("an answer failed")
            await self._failed(talk)

    async def _late(self, body: Mapping[str, Any], working: asyncio.Task[Answer | None]) -> None:
        """The form is closed already: its faults are told with a button that opens it again."""
        spot = spot_of(body)
        try:
            answer = await working
            if answer is not None and answer.form is not None:
                asker = await self._asker(body, spot)
                kept = await self._group.keep_form(asker, answer.form, self._now())
                answer = Answer("private", kept, also=answer.also)
        except Exception:
            log.exception("a form could not be answered")
            await self._failed(self._talk(_closed(spot)))
            return
        if answer is not None:
            await self._afterwards(spot, answer)


def _closed(spot: Spot) -> Spot:
    """The same place without the dialog, which is there no more."""
    return replace(spot, trigger="", view="", home=False)


def _failed() -> Callable[[Reader], Message]:
    """The page of a fault of ours, with a number that stands in the log."""
    number = "E-" + secrets.token_hex(2).upper()
    log.error("%s: told to somebody", number)
    return lambda reader: failed_page(reader, number)


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:
        log.exception("something that nobody waits for failed")
