"""Presses and forms in, answers out: what the core said is put where it belongs."""

from __future__ import annotations

from adapters.preview.client import Group, Preview
from adapters.preview.commands import Typed, Unknown, parse_line
from adapters.preview.forms import filled, values_of
from adapters.preview.store import Line
from bot.clubs.model import Asker
from bot.messages.model import Answer, Form, Message
from bot.messages.pages.preview import unknown_command_page

MOST_TALK = 4_000


class Desk:
    """Hands what a person typed, pressed or filled in to the core, and stores what comes back.

    Each method gives the id of the line that answers, None where nothing came.
    """

    def __init__(self, preview: Preview, group: Group) -> None:
        self._preview = preview
        self._group = group

    async def say(self, who: Asker, text: str, language: str) -> int | None:
        """A line of the composer: a command, or a member's own words for the channel."""
        text = text.strip()[:MOST_TALK]
        if not text:
            return None
        if not text.startswith("/"):
            line = await self._preview.store.put(
                who.place.channel, text, self._preview.clock(), author=who.account.user_id
            )
            self._preview.changed()
            return line
        match parse_line(text):
            case Unknown(typed, nearest):
                return await self._private(who, unknown_command_page(language, typed, nearest), text)
            case Typed(command, args):
                answer = await self._group.command(who, command.path, args, self._preview.clock())
                return await self._take(answer, who, text)

    async def press(self, who: Asker, action_id: str, label: str, line_id: int) -> int | None:
        """A button or menu of the line `line_id`; ids are the same after a restart."""
        pressed = await self._preview.store.find(line_id)
        if pressed is None or not _may_see(pressed, who):
            return None
        answer = await self._group.press(who, action_id, self._preview.clock())
        return await self._take(answer, who, label, pressed)

    async def submit(self, who: Asker, line_id: int, raw: dict[str, list[str]]) -> int | None:
        """A filled form. It stays open, values kept, until the core has taken it."""
        line = await self._preview.store.find(line_id)
        if line is None or not isinstance(line.content, Form) or not _may_see(line, who):
            return None
        values = values_of(line.content, raw)
        await self._preview.store.keep_typed(line_id, filled(line.content, values))
        answer = await self._group.submit(who, line.content.id, values, self._preview.clock())
        return await self._take(answer, who, line.answering, line)

    async def typed(self, who: Asker, line_id: int, raw: dict[str, list[str]]) -> None:
        """What stands in an open form so far, kept for the next visit."""
        line = await self._preview.store.find(line_id)
        if line is not None and isinstance(line.content, Form) and _may_see(line, who):
            await self._preview.store.keep_typed(line_id, filled(line.content, values_of(line.content, raw)))

    async def cancel(self, who: Asker, line_id: int) -> int | None:
        """Take an open form back; nothing of it was stored anywhere else. Gives the line it was opened from."""
        line = await self._preview.store.find(line_id)
        if line is not None and isinstance(line.content, Form) and _may_see(line, who):
            await self._preview.store.take_back(line_id)
            self._preview.changed()
            return line.came_from
        return None

    async def _private(self, who: Asker, message: Message, answering: str) -> int | None:
        return await self._take(Answer("private", message), who, answering)

    async def _take(
        self, answer: Answer, who: Asker, answering: str, pressed: Line | None = None
    ) -> int | None:
        """Put an answer into the channel. A form gives way to its answer, a private message to its redraw.

        A redraw of a public message is shown to the asker alone: what it says may be about them.
        """
        store, clock, mine = self._preview.store, self._preview.clock, who.account.user_id
        content = answer.form if answer.kind == "form" else answer.message
        was_form = pressed is not None and pressed.kind == "form"
        in_place = (
            pressed is not None
            and (was_form if answer.kind != "redraw" else pressed.private_to == mine)
            and answer.kind != "public"
        )
        shown: int | None = None
        if content is not None and in_place and pressed is not None:
            await store.replace(pressed.id, content, clock())
            shown = pressed.id
        elif content is not None:
            shown = await store.put(
                who.place.channel,
                content,
                clock(),
                private_to=None if answer.kind == "public" else mine,
                answering=answering,
                came_from=pressed.id if pressed else None,
            )
        if was_form and pressed is not None and not in_place:
            await store.take_back(pressed.id)
        if answer.also is not None:
            shown = await store.put(who.place.channel, answer.also, clock(), private_to=mine)
        self._preview.changed()
        return shown


def _may_see(line: Line, who: Asker) -> bool:
    return line.private_to in (None, who.account.user_id)
