"""Our own messages found again on Discord, by the code in their small print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import discord

from adapters.discord.client import Connection
from adapters.discord.places import lacking
from bot.errors import Uncertain

SIGNS = 6
"""Signs of a marker that make the code: 30 bits, enough for all that one channel takes in a few days."""

_PAGE = 100
_PAGES = 50
_ARRIVED = timedelta(hours=3)
"""A message that does not stand so long after it was sent never will."""
_TO_READ = ("view_channel", "read_message_history")
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"


def code_of(marker: str) -> str:
    """The word that goes into the small print."""
    return marker[:SIGNS].lower()


async def find_message(connection: Connection, channel: str, code: str, since: datetime) -> str | None:
    """The id of our message in a channel or thread, sent after `since`; None when it is surely not there.

    It is read on from `since`, near which a message stands if it does, however much was said after it.

    Raises:
        Uncertain: the history may not be read (Discord then shows an empty one), or is too long for us.
    """
    _check_rights(connection, channel)
    last = discord.utils.time_snowflake(since)
    for _ in range(_PAGES):
        query = {"limit": _PAGE, "after": str(last)}
        page = await connection.call(
            "GET", "/channels/{channel_id}/messages", query=query, channel_id=channel
        )
        for message in page:
            if _is_ours(connection, message, code):
                return str(message["id"])
        if len(page) < _PAGE:
            return None
        last = max(int(message["id"]) for message in page)
    if not _before(str(last), since + _ARRIVED):
        return None
    raise Uncertain("unsure")


async def find_post(
    connection: Connection, guild: str, forum: str, code: str, since: datetime
) -> tuple[str, str] | None:
    """Thread and message of the post in a forum that begins with our message; None when there is none.

    Raises:
        Uncertain: the forum's history may not be read.
    """
    _check_rights(connection, forum)
    active = await connection.call("GET", "/guilds/{guild_id}/threads/active", guild_id=guild)
    path = "/channels/{channel_id}/threads/archived/public"
    archived = await connection.call("GET", path, query={"limit": _PAGE}, channel_id=forum)
    for post in (*active["threads"], *archived["threads"]):
        ours = str(post.get("owner_id")) == str(connection.me) and str(post.get("parent_id")) == forum
        if not ours or _before(post["id"], since):
            continue
        try:
            first = await connection.call("GET", _MESSAGE, channel_id=post["id"], message_id=post["id"])
        except discord.NotFound:
            continue
        if _is_ours(connection, first, code):
            return str(post["id"]), str(first["id"])
    return None


def _check_rights(connection: Connection, channel: str) -> None:
    if missing := lacking(connection, channel, _TO_READ):
        raise Uncertain(f"forbidden:{missing[0]}")


def _is_ours(connection: Connection, message: Mapping[str, Any], code: str) -> bool:
    if str(message["author"]["id"]) != str(connection.me):
        return False
    word = re.compile(rf"(?<![a-z0-9]){re.escape(code)}(?![a-z0-9])")
    return any(word.search(text) for text in _texts(message.get("components") or ()))


def _texts(components: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The text of all components, nested ones too."""
    for component in components:
        if isinstance(content := component.get("content"), str):
            yield content
        yield from _texts(component.get("components") or ())


def _before(snowflake: str, since: datetime) -> bool:
    return discord.utils.snowflake_time(int(snowflake)) < since
