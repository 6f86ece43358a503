"""Where somebody did something in Slack, and the ways an answer takes back to them."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from adapters.slack.client import Connection
from adapters.slack.controls import words
from adapters.slack.errors import FAILURES, delivery_error
from adapters.slack.files import NoFiles, share, upload
from adapters.slack.forms import view
from adapters.slack.marks import PLAIN, Prefixes, escape
from adapters.slack.people import PLATFORM
from adapters.slack.render import blocks, payload
from bot.clubs.model import Place
from bot.errors import DeliveryError, Refused, Uncertain
from bot.messages.model import File, Form, Message
from bot.messages.pages.files import mailed_page, unsent_page, unsure_page

log = logging.getLogger(__name__)

Native = dict[str, Any]

_LOST = (*FAILURES, DeliveryError)
_TITLE = "Paperclub"
_BLOCKS = 100
_NO_NAMES = ("directmessage", "privategroup")
"""What Slack says in place of a name."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where it was done: a channel ('' on somebody's Home), below which message, in which dialog (`view`).

    `url` answers it by itself, also where the bot is not; `trigger` opens one dialog within 3 s. `own`: the message
    that was pressed is seen by whoever pressed it alone.
    """

    user: str
    channel: str = ""
    name: str = ""
    thread: str = ""
    url: str = ""
    trigger: str = ""
    view: str = ""
    home: bool = False
    own: bool = False

    @property
    def is_private(self) -> bool:
        """Whether it is talk between one person and the bot."""
        return self.channel.startswith("D")

    def place(self, team: str) -> Place:
        """As the core knows it; private talk and Home are no channel."""
        if self.is_private or not self.channel:
            return Place(PLATFORM, team, "")
        return Place(PLATFORM, team, self.channel, name=self.name)

    @property
    def metadata(self) -> str:
        """What a dialog carries along, so that its submit is answered where it was opened."""
        kept = {"channel": self.channel, "name": self.name[:100], "thread": self.thread, "url": self.url}
        return json.dumps(kept)


def spot_of(body: Mapping[str, Any]) -> Spot:
    """Where a command, press, shortcut or submit was done. What is missing in it is left out."""
    user = body.get("user_id") or _of(body, "user").get("id")
    spot = Spot(str(user or ""), url=str(body.get("response_url") or ""), trigger=_text(body, "trigger_id"))
    if "command" in body:
        name = _text(body, "channel_name")
        return replace(spot, channel=_text(body, "channel_id"), name="" if name in _NO_NAMES else name)
    seen, container = _of(body, "view"), _of(body, "container")
    if seen:
        return _in_view(spot, seen)
    channel = _of(body, "channel")
    name = _text(channel, "name")
    spot = replace(
        spot,
        channel=_text(channel, "id") or _text(container, "channel_id"),
        name="" if name in _NO_NAMES else name,
        thread=_text(container, "thread_ts") or _text(_of(body, "message"), "thread_ts"),
    )
    return replace(spot, own=bool(container.get("is_ephemeral")) or spot.is_private)


def _in_view(spot: Spot, seen: Mapping[str, Any]) -> Spot:
    """In a dialog, which carries along where it was opened, or on a Home."""
    kept, home = _metadata(_text(seen, "private_metadata")), seen.get("type") == "home"
    return replace(
        spot,
        channel=_text(kept, "channel"),
        name=_text(kept, "name"),
        thread=_text(kept, "thread"),
        url=_text(kept, "url"),
        view="" if home else _text(seen, "id"),
        home=home,
    )


class Talk:
    """Answers one thing somebody did. `redraw` publishes a message as somebody's Home."""

    def __init__(
        self,
        connection: Connection,
        spot: Spot,
        prefix: Prefixes = PLAIN,
        redraw: Callable[[Message], Awaitable[None]] | None = None,
    ) -> None:
        self._connection = connection
        self.spot = spot
        self._prefix = prefix
        self._redraw = redraw
        self._view = ""
        """The dialog we opened, which shows whatever follows."""

    # ---- dialogs ----

    async def wait(self, page: Message) -> None:
        """Open a dialog that says that it takes a moment, since the trigger does not wait."""
        if not self.spot.view:
            await self._show(self.view_of(page))

    async def show(self, form: Form) -> bool:
        """Open a form, or put it in place of what waits; False where Slack does not take it any more."""
        return await self._show(self.form_of(form))

    def form_of(self, form: Form) -> Native:
        """A form as a dialog that is answered where it was opened."""
        return view(form, metadata=self.spot.metadata, prefix=self._prefix)

    def view_of(self, *messages: Message) -> Native:
        """Messages one below the other as a dialog without a button to send it."""
        drawn: list[Native] = []
        for each in messages:
            drawn += [{"type": "divider"}] if drawn else []
            drawn += blocks(each, prefix=self._prefix, in_view=True)
        return {
            "type": "modal",
            "title": words(_TITLE, 24),
            "private_metadata": self.spot.metadata,
            "blocks": drawn[:_BLOCKS],
        }

    async def _show(self, native: Native) -> bool:
        """In the dialog that we opened or that was pressed, so that none stands upon another; else in a new one."""
        standing = self._view or self.spot.view
        method = "views.update" if standing else "views.open"
        how = {"view_id": standing} if standing else {"trigger_id": self.spot.trigger}
        if not all(how.values()):
            return False
        try:
            opened = await self._connection.call(method, **how, view=native)
        except _LOST as error:
            found = delivery_error(error)
            log.info("a dialog was not opened: %s", found.reason)
            return False
        self._view = _text(_of(opened, "view"), "id") or self._view
        return True

    # ---- messages ----

    async def say(self, message: Message, kind: str = "private", also: Message | None = None) -> None:
        """Put a message where it belongs; `also` follows as another one that the asker alone sees.

        Raises: Refused('invalid') where Slack takes none of it.
        """
        message = await self._mailed(message)
        also = await self._mailed(also) if also is not None else None
        if kind == "redraw" and self.spot.home and self._redraw is not None and not self._view:
            await self._redraw(message)
            return
        if self._view or self.spot.view or self.spot.home:
            if await self._show(self.view_of(message, *([also] if also else []))):
                return
            kind = "private"
        await self._put(message, kind)
        if also is not None:
            await self._put(also, "private")

    async def publish(self, message: Message) -> bool:
        """Show a message to everybody in the channel, and in the dialog that stands; whether it could be.

        Raises: Refused('invalid') where Slack takes none of it.
        """
        message = await self._shared(message)
        drawn = payload(message, prefix=self._prefix)
        if not await self._first_that_works((self._publicly,), drawn):
            return False
        if self._view or self.spot.view:
            await self._show(self.view_of(message))
        return True

    async def _mailed(self, message: Message) -> Message:
        """The message, and its file in private messages: beside an answer for one person Slack takes none."""
        if message.file is None:
            return message
        try:
            await self._send_file(message.file, await self._mailbox())
        except (*_LOST, NoFiles) as error:
            return _without(message, error)
        return mailed_page(message)

    async def _shared(self, message: Message) -> Message:
        """The message, and its file in the channel."""
        if message.file is None:
            return message
        try:
            await self._send_file(message.file, self.spot.channel)
        except (*_LOST, NoFiles) as error:
            return _without(message, error)
        return replace(message, file=None)

    async def _send_file(self, file: File, channel: str) -> None:
        thread = self.spot.thread if channel == self.spot.channel else ""
        uploaded = await upload(self._connection, file)
        await share(self._connection, uploaded, file.name, channel, escape(file.label), thread or None)

    async def _mailbox(self) -> str:
        """The channel of private messages."""
        if self.spot.is_private:
            return self.spot.channel
        opened = await self._connection.call("conversations.open", users=self.spot.user)
        return _text(_of(opened, "channel"), "id")

    async def _put(self, message: Message, kind: str) -> None:
        drawn = payload(message, prefix=self._prefix)
        if kind == "redraw" and self.spot.own:
            await self._first_that_works(
                (self._in_place, self._privately, self._beside, self._by_mail), drawn
            )
        else:
            await self._first_that_works((self._privately, self._beside, self._by_mail), drawn)

    async def _first_that_works(
        self, ways: tuple[Callable[[Native], Awaitable[bool]], ...], drawn: Native
    ) -> bool:
        """Try one way after the other; whether one worked. A private answer may come twice, but never not at all."""
        refused: Refused | None = None
        for way in ways:
            try:
                if await way(drawn):
                    return True
            except _LOST as error:
                found = delivery_error(error)
                log.info("an answer was not taken (%s)", found.reason)
                if isinstance(found, Refused):
                    refused = found
        if refused is not None and refused.reason == "invalid":
            raise refused
        return False

    async def _in_place(self, drawn: Native) -> bool:
        return await self._by_url(drawn | {"replace_original": True})

    async def _publicly(self, drawn: Native) -> bool:
        if self.spot.url:
            return await self._by_url(drawn | {"response_type": "in_channel", "replace_original": False})
        return await self._posted(self.spot.channel, drawn)

    async def _privately(self, drawn: Native) -> bool:
        """For one person alone; in private talk it stays there, elsewhere it is gone once Slack is loaded again."""
        seen = "in_channel" if self.spot.is_private else "ephemeral"
        return await self._by_url(drawn | {"response_type": seen, "replace_original": False})

    async def _beside(self, drawn: Native) -> bool:
        """Below what was done, without the address that came with it."""
        if self.spot.is_private:
            return await self._posted(self.spot.channel, drawn)
        if not self.spot.channel:
            return False
        where = {"channel": self.spot.channel, "user": self.spot.user, "thread_ts": self.spot.thread or None}
        await self._connection.call("chat.postEphemeral", **where, **drawn)
        return True

    async def _by_mail(self, drawn: Native) -> bool:
        """In private messages."""
        return await self._posted(await self._mailbox(), drawn)

    async def _by_url(self, drawn: Native) -> bool:
        if not self.spot.url:
            return False
        if self.spot.thread:
            drawn = drawn | {"thread_ts": self.spot.thread}
        await self._connection.respond(self.spot.url, drawn)
        return True

    async def _posted(self, channel: str, drawn: Native) -> bool:
        if not channel:
            return False
        thread = self.spot.thread if channel == self.spot.channel else ""
        await self._connection.call("chat.postMessage", channel=channel, thread_ts=thread or None, **drawn)
        return True


def _without(message: Message, error: Exception) -> Message:
    """The message without its file, and whether the file surely did not go out."""
    log.info("a file was not sent: %s", error)
    if not isinstance(error, NoFiles) and isinstance(delivery_error(error), Uncertain):
        return unsure_page(message)
    return unsent_page(message)


def _of(body: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = body.get(key)
    return found if isinstance(found, Mapping) else {}


def _text(body: Mapping[str, Any], key: str) -> str:
    return str(body.get(key) or "")


def _metadata(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
