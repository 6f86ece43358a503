"""Everything people do, in; answers, out: commands, presses, menus and forms through one door, within 3 seconds."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

import aiohttp
import discord

from adapters.discord.client import Connection
from adapters.discord.commands import choices, read_command, read_focus
from adapters.discord.controls import press_of
from adapters.discord.forms import modal, values_of
from adapters.discord.render import payload
from bot.clubs.model import Account, Asker, Place
from bot.commands import Answers, find_action, find_command
from bot.errors import Refused
from bot.messages.model import Answer, File, Form, Message, Paragraph, Reader, Suggestion
from bot.messages.pages.faults import failed_page
from bot.messages.pages.forms import open_page
from bot.messages.words import best_language

log = logging.getLogger(__name__)

PATIENCE = 1.2
"""Seconds the core may think before it is said that it thinks: Discord waits 3, the way there and back included."""
SUGGESTING = 0.3

_COMMAND, _COMPONENT, _AUTOCOMPLETE, _MODAL = 2, 3, 4, 5
_MESSAGE, _THINKING, _LATER, _UPDATE, _CHOICES, _FORM = 4, 5, 6, 7, 8, 9
_PRIVATE = 64
_ACKNOWLEDGED = 40060
_LOST = (Refused, aiohttp.ClientError, OSError, TimeoutError)
_TOO_LATE = (10008, 10015, 10062, 50027)
"""Unknown message, webhook or interaction, and a token that ran out: there is nobody to answer any more."""

_NOTHING = Message("…", (Paragraph(("…",)),))
"""For the moment before a first answer is taken back: what follows one that only thinks is seen by whom it is seen."""

Where = Literal["private", "public", "pressed"]
"""What a first answer made: a message of its own, seen by one or by all, or none beside the one pressed."""


class Group(Protocol):
    """What the core is asked."""

    async def command(self, asker: Asker, path: str, args: Mapping[str, str], now: datetime) -> Answer: ...
    async def press(self, asker: Asker, action_id: str, now: datetime) -> Answer: ...
    async def submit(
        self, asker: Asker, form_id: str, values: Mapping[str, str | list[str]], now: datetime
    ) -> Answer: ...
    async def keep_form(self, asker: Asker, form: Form, now: datetime) -> Message: ...
    async def suggest(
        self, asker: Asker, path: str, param: str, text: str, now: datetime
    ) -> list[Suggestion]: ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """A message as Discord takes it, and the file that goes beside it."""

    body: dict[str, Any]
    file: File | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing somebody did. `again` is the press that does it once more, '' where none does."""

    asker: Asker
    now: datetime
    answers: Answers
    again: str
    work: Callable[[], Coroutine[Any, Any, Answer]]

    @property
    def reader(self) -> Reader:
        """Who reads what is said without the core, which would know the club's language and zone."""
        who = self.asker
        return Reader(best_language(who.locale, "en"), "UTC", self.now, who.name, who.admin)


class Desk:
    """Hands what people do to the core and puts what it says where it belongs. Nothing is left without an answer."""

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
        self._running: set[asyncio.Task[Any]] = set()
        self._open = True

    async def take(self, interaction: discord.Interaction) -> None:
        """Answer one interaction of whatever kind. Never raises; not at all once the desk is closed."""
        if not self._open:
            return
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            if interaction.type.value == _AUTOCOMPLETE:
                await self._suggest(interaction)
            elif interaction.type.value in (_COMMAND, _COMPONENT, _MODAL):
                await self._answer(interaction)
        finally:
            self._running.discard(task)

    async def close(self, seconds: float = 3.0) -> None:
        """Take nothing more; what runs has so many `seconds` to end."""
        self._open = False
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)
        left = list(self._running)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    # ---- what is asked ----

    def _read(self, interaction: discord.Interaction) -> Asked:
        asker, now, group = asker_of(interaction), self._now(), self._group
        data: Mapping[str, Any] = interaction.data or {}
        if interaction.type.value == _COMMAND:
            path, args = read_command(data)
            command = find_command(path)
            answers = command.answers if command else "private"
            return Asked(asker, now, answers, f"open:{path}", lambda: group.command(asker, path, args, now))
        action_id = press_of(str(data["custom_id"]), data.get("values") or ())
        action = find_action(action_id)
        answers = action.answers if action else "private"
        if interaction.type.value == _COMPONENT:
            return Asked(asker, now, answers, action_id, lambda: group.press(asker, action_id, now))
        values = values_of(data, calls_all=interaction.app_permissions.mention_everyone)
        return Asked(asker, now, answers, "", lambda: self._submitted(asker, action_id, values, now))

    async def _submitted(
        self, asker: Asker, form_id: str, values: Mapping[str, str | list[str]], now: datetime
    ) -> Answer:
        """A form cannot follow a form: one with faults is kept, and a private page leads back to it."""
        answer = await self._group.submit(asker, form_id, values, now)
        if answer.form is None:
            return answer
        return Answer("private", await self._group.keep_form(asker, answer.form, now), also=answer.also)

    async def _suggest(self, interaction: discord.Interaction) -> None:
        found: list[Suggestion] = []
        try:
            path, param, text = read_focus(interaction.data or {})
            async with asyncio.timeout(SUGGESTING):
                found = await self._group.suggest(asker_of(interaction), path, param, text, self._now())
        except TimeoutError:
            log.info("a suggestion took too long")
        except Exception:
            log.exception("a suggestion failed")
        try:
            await _Talk(self._connection, interaction).first(_CHOICES, {"choices": choices(found)})
        except discord.DiscordException as error:
            log.info("suggestions were not taken: %s", error)

    # ---- how it is answered ----

    async def _answer(self, interaction: discord.Interaction) -> None:
        talk = _Talk(self._connection, interaction)
        asked: Asked | None = None
        try:
            asked = self._read(interaction)
            working = self._begin(asked.work())
            await asyncio.wait((working,), timeout=PATIENCE)
            if working.done():
                await self._at_once(talk, working.result())
            else:
                await self._when_ready(talk, asked, working)
        except Exception:
            number = "E-" + secrets.token_hex(2).upper()
            log.exception("%s: an answer failed", number)
            reader = asked.reader if asked else Reader("en", "UTC", self._now())
            await self._failed(talk, failed_page(reader, number))

    def _begin(self, work: Coroutine[Any, Any, Answer]) -> asyncio.Task[Answer]:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _at_once(self, talk: _Talk, answer: Answer) -> None:
        """The core was quick: one request."""
        if answer.kind == "form" and answer.form is not None:
            await talk.first(_FORM, modal(answer.form))
        elif answer.message is not None:
            in_place = answer.kind == "redraw" and talk.pressed_private
            private = answer.kind != "public" and not in_place
            drawn = self._drawn(answer.message, private)
            await talk.first(_UPDATE if in_place else _MESSAGE, drawn.body, drawn.file)
        else:
            raise ValueError(f"an answer without content: {answer.kind}")
        talk.stands = "pressed"  # whatever follows leaves it as it is
        await self._also(talk, answer)

    async def _when_ready(self, talk: _Talk, asked: Asked, working: asyncio.Task[Answer]) -> None:
        """The core takes its time: a first answer as the table foresees, then what it says in its place."""
        reached = await self._defer(talk, asked)
        answer = await working
        if not reached:
            return
        as_foreseen = answer.kind == "form" and asked.answers == "form"
        message = open_page(asked.reader, asked.again) if answer.kind == "form" else answer.message
        if message is not None and not as_foreseen:
            wanted: Where = "public" if answer.kind == "public" else "private"
            if answer.kind == "redraw" and talk.stands == "pressed":
                wanted = "pressed"
            await self._put(talk, message, wanted)
        await self._also(talk, answer)

    async def _defer(self, talk: _Talk, asked: Asked) -> bool:
        match asked.answers:
            case "public":
                talk.stands = "public"
                return await talk.first(_THINKING)
            case "redraw" if talk.pressed_private:
                talk.stands = "pressed"
                return await talk.first(_LATER)
            case "form" if asked.again:
                return await talk.first(
                    _MESSAGE, self._drawn(open_page(asked.reader, asked.again), True).body
                )
        return await talk.first(_THINKING, {"flags": _PRIVATE})

    async def _put(self, talk: _Talk, message: Message, wanted: Where) -> None:
        """In place of the first answer; where it is seen by others than it should be, it gives way."""
        if talk.stands == wanted:
            await talk.edit(self._drawn(message, False))
            return
        if talk.stands != "pressed":
            await talk.edit(self._drawn(_NOTHING, False))
            await talk.delete()
        await talk.follow(self._drawn(message, wanted != "public"))

    async def _also(self, talk: _Talk, answer: Answer) -> None:
        if answer.also is not None:
            await talk.follow(self._drawn(answer.also, True))

    async def _failed(self, talk: _Talk, page: Message) -> None:
        try:
            if talk.answered:
                await self._put(talk, page, "private")
            else:
                await talk.first(_MESSAGE, self._drawn(page, True).body)
        except Exception:
            log.exception("not even a fault could be told")

    def _drawn(self, message: Message, private: bool) -> Drawn:
        return Drawn(payload(message, private=private, commands=self._commands()), message.file)


class _Talk:
    """The requests that answer one interaction. What comes too late or is lost on its way is only logged.

    All but `first` may raise nothing else than what Discord finds wrong with a payload, discord.HTTPException.
    """

    def __init__(self, connection: Connection, interaction: discord.Interaction) -> None:
        self._connection = connection
        self._interaction = interaction
        self.answered = False
        self.stands: Where = "private"
        message = interaction.message
        self.pressed_private = message is not None and message.flags.ephemeral

    async def first(self, kind: int, data: dict[str, Any] | None = None, file: File | None = None) -> bool:
        """The first answer; whether it arrived. One that is lost is sent again: a second one is never taken."""
        body = {"type": kind} if data is None else {"type": kind, "data": data}
        path = "/interactions/{webhook_id}/{webhook_token}/callback"
        ids: dict[str, Any] = {"webhook_id": self._interaction.id, "webhook_token": self._interaction.token}
        for _ in range(2):
            try:
                await self._connection.call("POST", path, json=body, file=file, **ids)
            except _LOST as error:
                log.info("a first answer may be lost: %s", type(error).__name__)
                continue
            except discord.HTTPException as error:
                if error.code != _ACKNOWLEDGED:
                    return _told(error)
                log.info("a first answer had arrived before")
            self.answered = True
            return True
        return False

    async def edit(self, drawn: Drawn) -> None:
        """Replace what the first answer made, or the message that was pressed."""
        await self._webhook("PATCH", "/messages/@original", drawn)

    async def delete(self) -> None:
        """Take back what the first answer made."""
        await self._webhook("DELETE", "/messages/@original")

    async def follow(self, drawn: Drawn) -> None:
        """Another message. Never sent twice: it carries nothing by which Discord could tell."""
        await self._webhook("POST", "", drawn, once=True)

    async def _webhook(
        self, method: str, path: str, drawn: Drawn | None = None, *, once: bool = False
    ) -> None:
        path = "/webhooks/{webhook_id}/{webhook_token}" + path
        ids: dict[str, Any] = {
            "webhook_id": self._connection.application,
            "webhook_token": self._interaction.token,
        }
        try:
            body, file = (drawn.body, drawn.file) if drawn else (None, None)
            await self._connection.call(method, path, json=body, file=file, once=once, **ids)
        except _LOST as error:
            log.info("an answer may be lost: %s", type(error).__name__)
        except discord.HTTPException as error:
            _told(error)


def _told(error: discord.HTTPException) -> bool:
    """Log what nobody can mend; False. Raises the error when it is our payload that is wrong."""
    if error.status == 400 and error.code not in _TOO_LATE:
        raise error
    log.info("an answer was not taken: %s", error)
    return False


def asker_of(interaction: discord.Interaction) -> Asker:
    """Who did it and where, as the core knows people and places."""
    user, channel, guild = interaction.user, interaction.channel, interaction.guild_id
    server = str(guild) if guild else ""
    parent = getattr(channel, "parent_id", None)
    names = (getattr(user, "nick", None), user.global_name, user.name)
    rights = interaction.permissions
    return Asker(
        Account("discord", "", str(user.id)),
        Place(
            "discord",
            server,
            str(channel.id) if channel else "",
            str(parent) if parent else None,
            getattr(channel, "name", None) or "",
        ),
        next((name for name in names if name and name.strip()), ""),
        str(interaction.locale.value),
        bool(server) and (rights.manage_guild or rights.administrator),
        getattr(user, "joined_at", None),
        roles=_roles_of(user),
    )


def _roles_of(user: discord.User | discord.Member) -> tuple[str, ...] | None:
    """The roles of a press in a server; None in private messages, and while the server's own are not known."""
    if not isinstance(user, discord.Member) or user.guild.unavailable:
        return None
    return tuple(str(role.id) for role in user.roles)
