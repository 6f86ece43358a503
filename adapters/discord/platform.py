"""Discord as a platform: posting, replacing, taking back and looking up messages, wherever they stand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

import discord

from adapters.discord.client import Connection
from adapters.discord.errors import FAILURES, delivery_error
from adapters.discord.history import code_of, find_message, find_post
from adapters.discord.places import NEEDED, RIGHTS, Place, cached_place, lacking, read_place
from adapters.discord.render import payload
from bot.delivery.model import Address, Sent, Thread
from bot.errors import DeliveryError, Refused, Uncertain
from bot.messages.cut import cut
from bot.messages.model import Message
from bot.messages.pages.files import unsent_page

__all__ = ["LOOKBACK", "RIGHTS", "DiscordPlatform"]

LOOKBACK = timedelta(days=3)
"""How far back a message is looked for; longer than a delivery is ever in doubt."""

REMEMBERED = timedelta(minutes=5)
"""How long it is taken for granted that somebody is still in a server."""
_MOST_REMEMBERED = 1_000

_NONCE = 25
_NAME = 100
_KEPT_OPEN = 10080
"""Minutes a discussion stays in the channel list: the longest there is."""
_A_REPEAT = 1.0
"""Seconds the library waits before it repeats a call after a 5xx, at least."""

_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_UNKNOWN_CHANNEL, _UNKNOWN_MESSAGE = 10003, 10008
_UNKNOWN_MEMBER, _UNKNOWN_PERSON = 10007, 10013
_ARCHIVED, _LOCKED = 50083, 160005
_TOO_MANY = (160006, 160007)
_HAS_THREAD, _NO_THREADS_HERE = 160004, 50024


class DiscordPlatform:
    """`bot.delivery.platform.Platform` over one connection. `commands` are the ids Discord gave them, as known now.

    A message that does not stand in the channel itself has the id 'channel/message'.
    """

    name = "discord"

    def __init__(
        self,
        connection: Connection,
        commands: Callable[[], Mapping[str, str]],
        now: Callable[[], datetime] = discord.utils.utcnow,
    ) -> None:
        self._connection = connection
        self._commands = commands
        self._now = now
        self._joined: dict[tuple[str, str], tuple[datetime, datetime | None]] = {}
        """By server and person: when it was asked, and when they joined."""

    # ---- the protocol ----

    async def send(self, to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
        """Post `message`; in a forum as a post of its own, and what belongs in a locked thread in its parent."""
        async with self._in_our_words(to, posting=True):
            if thread is None or to.person:
                place = await self._place_of(to)
            else:
                place = await self._discussion(to, thread)
            if place.locked and place.parent:
                place = await self._place(place.parent)
            try:
                return await self._post(to, place, message, marker)
            except discord.Forbidden:
                if message.file is None:
                    raise
            return await self._post(to, place, unsent_page(message), marker)

    async def edit(self, to: Address, message_id: str, message: Message, marker: str = "") -> None:
        """Replace a message; an archived thread is opened again for it."""
        channel, number = _where(to, message_id)
        body = payload(message, code=code_of(marker), role=_role(to, message), commands=self._commands())
        body["allowed_mentions"] = {"parse": []}
        async with self._in_our_words(to):
            await self._opened(channel, "PATCH", _MESSAGE, json=body, file=message.file, message_id=number)

    async def remove(self, to: Address, message_id: str) -> None:
        """Delete a message; a forum's post goes as a whole where nobody else has written in it, or is closed where
        the bot may not delete it."""
        channel, number = _where(to, message_id)
        async with self._in_our_words(to):
            try:
                forum = await self._forum_of(channel) if channel == number else ""
                if forum and await self._take_down(channel, forum):
                    return
                await self._opened(channel, "DELETE", _MESSAGE, message_id=number)
            except discord.NotFound as error:
                if error.code not in (_UNKNOWN_CHANNEL, _UNKNOWN_MESSAGE):
                    raise
                return
            if forum:
                with suppress(discord.HTTPException):
                    await self._call("PATCH", "/channels/{channel_id}", channel, json={"archived": True})

    async def find_sent(
        self, to: Address, marker: str, thread: Thread | None = None, since: datetime | None = None
    ) -> Sent | None:
        """The message with the marker's code in its small print, wherever `send` may have put it, of the last days
        where nobody knows `since` when."""
        code, since = code_of(marker), since or self._now() - LOOKBACK
        async with self._in_our_words(to):
            for place in await self._may_stand_in(to, thread):
                try:
                    if (found := await self._find_in(to, place, code, since)) is not None:
                        return found
                except discord.NotFound:
                    continue
        return None

    async def missing_rights(self, to: Address) -> tuple[str, ...]:
        """What is missing by the gateway's cache, as keys of RIGHTS; nothing for private messages. A channel of
        another server counts as one that is not seen."""
        if to.person:
            return ()
        try:
            place = await self._place(to.native_id)
        except (discord.NotFound, discord.Forbidden):
            return ("view_channel",)
        except FAILURES as error:
            raise delivery_error(error) from error
        asked = place.id
        if self._connection.channel(asked) is None:
            asked = place.parent  # archived threads are not in the cache
        known = self._connection.channel(asked)
        if known is None or str(known.guild.id) != to.workspace:
            return ("view_channel",)
        missing = lacking(self._connection, asked, NEEDED[place.kind])
        return ("view_channel",) if "view_channel" in missing else missing

    async def joined(self, workspace: str, person: str, channel: str = "") -> datetime | None:
        """When a person joined a server, as Discord says now or said in the last minutes."""
        now = self._now()
        known = self._joined.get((workspace, person))
        if known is not None and timedelta(0) <= now - known[0] < REMEMBERED:
            return known[1]
        member = await self._member(workspace, person)
        at: datetime | None = discord.utils.parse_time(member.get("joined_at"))
        while len(self._joined) >= _MOST_REMEMBERED:
            del self._joined[next(iter(self._joined))]
        self._joined[workspace, person] = (now, at)
        return at

    async def roles(self, workspace: str, person: str) -> tuple[str, ...] | None:
        """The roles a person holds on a server, as Discord says now."""
        return tuple(map(str, (await self._member(workspace, person)).get("roles", ())))

    async def _member(self, workspace: str, person: str) -> dict[str, Any]:
        try:
            path = "/guilds/{guild_id}/members/{user_id}"
            member: dict[str, Any] = await self._connection.call(
                "GET", path, guild_id=workspace, user_id=person
            )
        except discord.NotFound as error:
            if error.code in (_UNKNOWN_MEMBER, _UNKNOWN_PERSON):
                self._joined.pop((workspace, person), None)
                raise Refused("not_member") from error
            raise delivery_error(error) from error
        except FAILURES as error:
            raise delivery_error(error) from error
        return member

    def spacing(self, age: timedelta) -> float:
        """Seconds between two edits: Discord takes few of messages older than an hour."""
        return 2.0 if age < timedelta(hours=1) else 20.0

    # ---- posting ----

    async def _post(self, to: Address, place: Place, message: Message, marker: str) -> Sent:
        if place.kind == "forum":
            return await self._open_post(to, place, message, marker)
        body = payload(
            message,
            nonce=marker[:_NONCE],
            code=code_of(marker),
            role=_role(to, message),
            commands=self._commands(),
        )
        try:
            path = "/channels/{channel_id}/messages"
            sent = await self._opened(place.id, "POST", path, json=body, file=message.file)
        except (discord.HTTPException, Refused) as error:
            if not place.parent or not _is_shut(error):
                raise
            return await self._post(to, await self._place(place.parent), message, marker)
        return _sent(to, place.id, sent["id"])

    async def _open_post(self, to: Address, forum: Place, message: Message, marker: str) -> Sent:
        """A post takes no nonce, so the library must not repeat it by itself."""
        inner = payload(message, code=code_of(marker), role=_role(to, message), commands=self._commands())
        body: dict[str, Any] = {"name": _thread_name(message.summary), "message": inner}
        if forum.tag:
            body["applied_tags"] = [forum.tag]
        path = "/channels/{channel_id}/threads"
        post = await self._call("POST", path, forum.id, json=body, file=message.file, once=True)
        return Sent(f"{post['id']}/{post['message']['id']}")

    async def _forum_of(self, post: str) -> str:
        """The forum of a post with nothing in it but our message, which has the same id; '' for any other place."""
        data = await self._call("GET", "/channels/{channel_id}", post)
        parent = read_place(data).parent
        if not parent or data.get("message_count") != 0:
            return ""
        return parent if (await self._place(parent)).kind == "forum" else ""

    async def _take_down(self, post: str, forum: str) -> bool:
        """Delete a forum's post; whether it was done."""
        if lacking(self._connection, forum, ("manage_threads",)):
            return False
        try:
            await self._call("DELETE", "/channels/{channel_id}", post)
        except discord.Forbidden:
            return False
        return True

    async def _discussion(self, to: Address, thread: Thread) -> Place:
        """The thread under a message, opened if need be; where there can be none, the channel itself."""
        channel, number = _where(to, thread.message_id)
        stands = await self._place(channel)
        if stands.kind != "channel":
            return stands
        if (hanging := await self._hanging(channel, number)) is not None:
            return hanging
        body = {"name": _thread_name(thread.name), "auto_archive_duration": _KEPT_OPEN}
        try:
            opened = await self._call("POST", f"{_MESSAGE}/threads", channel, json=body, message_id=number)
        except discord.HTTPException as error:
            if error.code not in (_HAS_THREAD, _NO_THREADS_HERE, *_TOO_MANY):
                raise
            if error.code != _HAS_THREAD:
                return stands
        else:
            return read_place(opened)
        try:
            return await self._place(number)
        except discord.NotFound:  # it was deleted, and its message takes no second one
            return stands

    async def _hanging(self, channel: str, message: str) -> Place | None:
        """The thread that hangs from a message, as the message tells it; None when there is none yet."""
        data = await self._call("GET", _MESSAGE, channel, message_id=message)
        return read_place(data["thread"]) if data.get("thread") else None

    async def _opened(self, channel: str, method: str, path: str, **more: Any) -> Any:
        """A call into what may be an archived thread: then that is opened again first."""
        try:
            return await self._call(method, path, channel, **more)
        except discord.HTTPException as error:
            if error.code != _ARCHIVED:
                raise
        try:
            await self._call("PATCH", "/channels/{channel_id}", channel, json={"archived": False})
        except discord.HTTPException as error:
            if error.code == _LOCKED or error.status == 403:
                raise Refused("locked") from error
            raise
        return await self._call(method, path, channel, **more)

    # ---- places ----

    async def _may_stand_in(self, to: Address, thread: Thread | None) -> list[Place]:
        """Where `send` would have posted, in the order it tries; none that was deleted."""
        if to.person:
            return [await self._place_of(to)]
        places: list[Place] = []
        native_id = to.native_id
        if thread is not None:
            native_id, number = _where(to, thread.message_id)
        try:
            places.append(await self._place(native_id))
            if (
                thread is not None
                and places[0].kind == "channel"
                and (hangs := await self._hanging(native_id, number))
            ):
                places.insert(0, hangs)
            elif places[0].parent:
                places.append(await self._place(places[0].parent))
        except discord.NotFound:
            pass
        return places

    async def _find_in(self, to: Address, place: Place, code: str, since: datetime) -> Sent | None:
        if place.kind == "forum":
            post = await find_post(self._connection, to.workspace, place.id, code, since)
            return Sent("/".join(post)) if post else None
        number = await find_message(self._connection, place.id, code, since)
        return _sent(to, place.id, number) if number else None

    async def _place_of(self, to: Address) -> Place:
        if not to.person:
            return await self._place(to.native_id)
        recipient = {"recipient_id": to.person}
        return read_place(await self._connection.call("POST", "/users/@me/channels", json=recipient))

    async def _place(self, native_id: str) -> Place:
        """By the cache, else as Discord tells it."""
        known = cached_place(self._connection, native_id)
        return known or read_place(await self._call("GET", "/channels/{channel_id}", native_id))

    async def _call(self, method: str, path: str, channel: str, **more: Any) -> Any:
        return await self._connection.call(method, path, channel_id=channel, **more)

    # ---- errors ----

    @asynccontextmanager
    async def _in_our_words(self, to: Address, *, posting: bool = False) -> AsyncIterator[None]:
        """Turns what a call raises into Refused, with the rights that are missing, or Uncertain."""
        began = asyncio.get_running_loop().time()
        try:
            yield
        except (*FAILURES, Refused) as error:
            said = delivery_error(error)
            took = asyncio.get_running_loop().time() - began
            if posting and said.reason == "network" and took >= _A_REPEAT:
                # It may have been a repeat of the library's: then the first try, a 5xx, may have gone out.
                raise Uncertain("network") from error
            raise await self._explained(to, said) from error

    async def _explained(self, to: Address, said: Refused | Uncertain) -> Refused | Uncertain:
        """What Discord only calls forbidden or unknown, told more exactly."""
        if to.person or said.reason not in ("forbidden", "gone"):
            return said
        if await self._has_left(to.workspace):
            return Refused("removed")
        if said.reason == "gone":
            return said
        try:
            missing = await self.missing_rights(to)
        except DeliveryError:
            return said
        return Refused(f"forbidden:{','.join(missing)}") if missing else said

    async def _has_left(self, guild: str) -> bool:
        if not guild.isdecimal():
            return False
        if self._connection.client.is_ready() and self._connection.client.get_guild(int(guild)) is None:
            return True
        try:
            await self._connection.call("GET", "/guilds/{guild_id}", guild_id=guild)
        except (discord.NotFound, discord.Forbidden):
            return True
        except (*FAILURES, DeliveryError):
            pass
        return False


def _where(to: Address, message_id: str) -> tuple[str, str]:
    """Channel and message of an id we gave."""
    channel, slash, number = message_id.rpartition("/")
    return (channel, number) if slash else (to.native_id, message_id)


def _sent(to: Address, channel: str, number: Any) -> Sent:
    return Sent(str(number) if channel == to.native_id and not to.person else f"{channel}/{number}")


def _is_shut(error: discord.HTTPException | Refused) -> bool:
    """Whether a thread takes no message any more, though its parent may."""
    if isinstance(error, Refused):
        return error.reason == "locked"
    return error.code in (_LOCKED, *_TOO_MANY)


def _role(to: Address, message: Message) -> str:
    return to.role if message.notify else ""


def _thread_name(text: str) -> str:
    """On one line, short enough, never empty."""
    return cut(" ".join(text.split()), _NAME) or "Paperclub"
