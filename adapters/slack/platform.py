"""Slack as a platform: posting, replacing, taking back and looking up messages, wherever they stand."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from slack_sdk.errors import SlackApiError

from adapters.slack.client import Connection
from adapters.slack.errors import FAILURES, delivery_error, error_code
from adapters.slack.files import NoFiles, carries, comment, share, titled, upload
from adapters.slack.marks import PLAIN, Prefixes
from adapters.slack.members import Members
from adapters.slack.pace import EVERY, Pace
from adapters.slack.render import payload
from bot.delivery.model import Address, Sent, Thread
from bot.errors import Refused, Uncertain
from bot.messages.model import Message
from bot.messages.pages.files import unsent_page

log = logging.getLogger(__name__)

LOOKBACK = timedelta(days=3)
"""How far back a message is looked for; longer than a delivery is ever in doubt."""

ARRIVED = timedelta(hours=3)
"""By when a message stands, if it does, that is looked for from some moment on: our clock may be wrong by an hour."""

DELIVERY = "paperclub_delivery"
"""The kind of metadata that carries a marker."""

_PAGE = 200
_PAGES = 10
_NO_MESSAGE = ("message_not_found", "thread_not_found")
_MOST_KNOWN = 5_000
_LOOKS = (0.0, 0.3, 0.7, 1.5, 3.0)
"""Seconds before each look for what was just shared."""


class SlackPlatform:
    """`bot.delivery.platform.Platform` over one connection.

    A message that does not stand in the channel itself, but in private messages, has the id 'channel/message'.
    `prefix` says what stands before the first word of commands.
    """

    name = "slack"

    def __init__(
        self,
        connection: Connection,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        pace: Pace | None = None,
        prefix: Callable[[], Prefixes] = lambda: PLAIN,
    ) -> None:
        self._connection = connection
        self._now = now
        self._pace = pace or Pace()
        self._prefix = prefix
        self._members = Members(connection)
        self._private: dict[str, str] = {}

    # ---- the protocol ----

    async def send(self, to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
        """Post `message`, once: the call is never repeated. In a thread whose message was deleted nothing is posted;
        Slack would put it in the channel."""
        async with self._in_our_words(to):
            body = payload(message, group=_group(to, message), prefix=self._prefix())
            body["metadata"] = {"event_type": DELIVERY, "event_payload": {"marker": marker}}
            channel = await self._channel_of(to)
            if thread is not None and not to.person:
                channel, stamp = _where(to, thread.message_id)
                body["thread_ts"] = await self._root(channel, stamp)
            if message.file is not None:
                try:
                    return await self._share(to, channel, message, marker, body.get("thread_ts"))
                except NoFiles:
                    body |= payload(unsent_page(message), group=_group(to, message), prefix=self._prefix())
            sent = await self._connection.call("chat.postMessage", channel=channel, **body)
            return _sent(to, channel, sent.get("ts"))

    async def edit(self, to: Address, message_id: str, message: Message, marker: str = "") -> None:
        """Replace a message, text and blocks, or the words beside a file; its metadata, which holds the marker, stays.
        Not more often than the workspace bears."""
        channel, stamp = _where(to, message_id)
        group, prefix = _group(to, message), self._prefix()
        await self._pace.turn()
        async with self._in_our_words(to):
            if message.file is None:
                changed = payload(message, group=group, prefix=prefix)
            elif await self._holds_file(channel, stamp):
                changed = {"text": comment(message, message.file, marker, group=group, prefix=prefix)}
            else:
                changed = payload(unsent_page(message), group=group, prefix=prefix)
            words = {key: changed[key] for key in ("text", "blocks") if key in changed}
            await self._connection.call("chat.update", channel=channel, ts=stamp, **words)

    async def remove(self, to: Address, message_id: str) -> None:
        """Delete a message; what members wrote below it stays."""
        channel, stamp = _where(to, message_id)
        async with self._in_our_words(to):
            try:
                await self._connection.call("chat.delete", channel=channel, ts=stamp)
            except SlackApiError as error:
                if error_code(error) not in _NO_MESSAGE:
                    raise

    async def find_sent(
        self, to: Address, marker: str, thread: Thread | None = None, since: datetime | None = None
    ) -> Sent | None:
        """The message with `marker` in its metadata, where `send` would have put it: soon after `since`, however
        much was said later, or in the last days."""
        window = {"oldest": _stamp(since or self._now() - LOOKBACK)}
        if since is not None:
            window["latest"] = _stamp(since + ARRIVED)
        async with self._in_our_words(to):
            channel, stamp = await self._channel_of(to), None
            if thread is not None and not to.person:
                channel, stamp = _where(to, thread.message_id)
            try:
                return await self._find(to, channel, stamp, marker, window)
            except SlackApiError as error:
                if error_code(error) not in _NO_MESSAGE:
                    raise
        return None

    async def joined(self, workspace: str, person: str, channel: str = "") -> datetime | None:
        """Slack does not say when somebody joined, but who is in a channel; who can write to the bot is in the
        workspace."""
        if channel:
            async with self._in_our_words(Address(0, self.name, workspace, channel)):
                room = await self._members.room(channel, person)
            if person not in room.members:
                raise Refused("not_member" if room.private else "not_member:open")
        return None

    async def roles(self, workspace: str, person: str) -> tuple[str, ...] | None:
        """There are no roles here."""
        return None

    async def missing_rights(self, to: Address) -> tuple[str, ...]:
        """What keeps the bot from posting in a channel, as keys of messages/pages/rights.py; nothing for private
        messages."""
        if to.person:
            return ()
        try:
            async with self._in_our_words(to):
                told = await self._connection.call("conversations.info", channel=to.native_id)
        except Refused as refused:
            if refused.reason == "not_in_channel":  # private, or there is none
                return ("not_in_channel",)
            raise
        found = told.get("channel") or {}
        if found.get("is_archived"):
            return ("archived",)
        if found.get("is_im") or found.get("is_mpim"):
            return ()
        return () if found.get("is_member") else ("not_in_channel",)

    def spacing(self, age: timedelta) -> float:
        """Seconds between two edits: Slack asks nothing of old messages in particular, but counts for a workspace."""
        return EVERY

    # ---- files ----

    async def _share(
        self, to: Address, channel: str, message: Message, marker: str, thread: str | None
    ) -> Sent:
        """Upload the message's file, then share it with the message's words. Slack does not say where it stands
        then, and shares a moment later: it is looked for.

        Raises: NoFiles where no file may be uploaded.
        """
        assert message.file is not None
        words = comment(message, message.file, marker, group=_group(to, message), prefix=self._prefix())
        uploaded = await upload(self._connection, message.file)
        title = titled(message.file, marker)
        await share(self._connection, uploaded, title, channel, words, thread)
        for wait in _LOOKS:
            await asyncio.sleep(wait)
            try:
                found = await self._find(to, channel, thread, marker, {}, 1 if thread is None else _PAGES)
            except Uncertain:
                continue  # much is said there
            except (*FAILURES, Refused) as error:
                raise Uncertain("unsure") from error
            if found is not None:
                return found
        raise Uncertain("unsure")

    async def _holds_file(self, channel: str, stamp: str) -> bool:
        """Whether a message came with its file, which a workspace that allows none is not sent."""
        async for shown in self._pages("conversations.replies", _PAGES, channel=channel, ts=stamp):
            if shown.get("ts") == stamp:
                return bool(shown.get("files"))
        return False

    # ---- looking ----

    async def _find(
        self,
        to: Address,
        channel: str,
        thread: str | None,
        marker: str,
        window: Mapping[str, str],
        most: int = _PAGES,
    ) -> Sent | None:
        """The message with `marker` in a channel, or in the thread below a message, among so many pages: of a channel
        the newest, of a thread the oldest."""
        if thread is None:
            pages = self._pages("conversations.history", most, channel=channel, **window)
        else:
            pages = self._pages("conversations.replies", most, channel=channel, ts=thread, **window)
        async for shown in pages:
            if self._carries(shown, marker):
                return _sent(to, channel, shown.get("ts"))
        return None

    async def _pages(self, method: str, most: int, **params: Any) -> AsyncIterator[Mapping[str, Any]]:
        """Messages with their metadata, page by page.

        Raises: Uncertain when there are more than we can look through.
        """
        cursor: str | None = None
        for _ in range(most):
            page = await self._connection.call(
                method, include_all_metadata=True, limit=_PAGE, cursor=cursor, **params
            )
            for shown in page.get("messages") or ():
                yield shown
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or None
            if cursor is None:
                return
        raise Uncertain("unsure")

    def _carries(self, shown: Mapping[str, Any], marker: str) -> bool:
        metadata = shown.get("metadata") or {}
        ours = shown.get("bot_id") == self._connection.bot_id or shown.get("user") == self._connection.me
        if ours and carries(shown, marker):
            return True
        return (
            ours
            and metadata.get("event_type") == DELIVERY
            and (metadata.get("event_payload") or {}).get("marker") == marker
        )

    async def _root(self, channel: str, stamp: str) -> str:
        """The message a thread hangs from.

        Raises: Refused('gone') when it was deleted.
        """
        try:
            thread = await self._connection.call("conversations.replies", channel=channel, ts=stamp, limit=1)
        except SlackApiError as error:
            if error_code(error) in _NO_MESSAGE:
                raise Refused("gone") from error
            raise
        first: Mapping[str, Any] = next(iter(thread.get("messages") or ()), {})
        if not first or first.get("subtype") == "tombstone":
            raise Refused("gone")
        return str(first.get("thread_ts") or stamp)

    async def _channel_of(self, to: Address) -> str:
        """The channel, or that of the private messages with a person, which Slack never changes."""
        if not to.person:
            return to.native_id
        if to.person not in self._private:
            opened = await self._connection.call("conversations.open", users=to.person)
            if len(self._private) >= _MOST_KNOWN:
                self._private.clear()
            self._private[to.person] = str(opened["channel"]["id"])
        return self._private[to.person]

    # ---- errors ----

    @asynccontextmanager
    async def _in_our_words(self, to: Address) -> AsyncIterator[None]:
        """Turns what a call raises into Refused or Uncertain; a private channel we were taken out of is not gone.

        Raises: Refused('removed') at once for another workspace than ours, such as one we were in before.
        """
        if to.workspace != self._connection.team and self._connection.team:
            raise Refused("removed")
        try:
            yield
        except (*FAILURES, Refused) as error:
            said = delivery_error(error)
            if isinstance(error, SlackApiError) and error_code(error) == "channel_not_found":
                raise Refused("closed" if to.person else "not_in_channel") from error
            raise said from error


def _where(to: Address, message_id: str) -> tuple[str, str]:
    """Channel and stamp of an id we gave."""
    channel, slash, stamp = message_id.rpartition("/")
    return (channel, stamp) if slash else (to.native_id, message_id)


def _sent(to: Address, channel: str, stamp: object) -> Sent:
    """Stamps stay text: as numbers they would lose their last zeros."""
    if not isinstance(stamp, str) or not stamp:
        raise Uncertain("server")
    return Sent(stamp if channel == to.native_id and not to.person else f"{channel}/{stamp}")


def _group(to: Address, message: Message) -> str:
    return to.role if message.notify else ""


def _stamp(at: datetime) -> str:
    """An instant as Slack writes it."""
    return f"{at.timestamp():.6f}"
