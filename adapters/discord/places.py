"""A place to post in: what kind it is, whether it is shut, and which rights the bot needs and has there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import discord

from adapters.discord.client import Connection

_TO_POST = (
    "view_channel",
    "send_messages",
    "send_messages_in_threads",
    "create_public_threads",
    "read_message_history",
)
RIGHTS = (*_TO_POST, "attach_files")
"""All the bot ever asks for, by Discord's names; bot/messages/pages/rights.py says what for. Without the last one
messages go out without their file."""

Kind = Literal["channel", "thread", "forum", "private"]

NEEDED: Mapping[Kind, tuple[str, ...]] = MappingProxyType(
    {
        "channel": _TO_POST,
        "thread": ("view_channel", "send_messages_in_threads", "read_message_history"),
        "forum": ("view_channel", "send_messages", "send_messages_in_threads", "read_message_history"),
        "private": (),
    }
)

_KINDS: Mapping[int, Kind] = MappingProxyType(
    {1: "private", 3: "private", 10: "thread", 11: "thread", 12: "thread", 15: "forum", 16: "forum"}
)
_WANTS_TAG = 1 << 4


@dataclass(frozen=True, slots=True)
class Place:
    """A channel as far as posting needs to know it. `parent` is the channel a thread belongs to; `tag` what a
    post has to carry in a forum that wants one."""

    id: str
    kind: Kind
    parent: str = ""
    locked: bool = False
    tag: str = ""


def cached_place(connection: Connection, native_id: str) -> Place | None:
    """The place as the gateway last told it; None for what it does not tell, such as archived threads."""
    match connection.channel(native_id):
        case None:
            return None
        case discord.Thread() as thread:
            return Place(native_id, "thread", str(thread.parent_id), thread.locked)
        case discord.ForumChannel() as forum:
            tags = forum.available_tags if forum.flags.require_tag else ()
            return Place(native_id, "forum", tag=next((str(tag.id) for tag in tags if not tag.moderated), ""))
        case channel:
            return Place(native_id, _KINDS.get(channel.type.value, "channel"))


def read_place(data: Mapping[str, Any]) -> Place:
    """The place as the API answers."""
    kind = _KINDS.get(data["type"], "channel")
    tags = data.get("available_tags", ()) if data.get("flags", 0) & _WANTS_TAG else ()
    return Place(
        str(data["id"]),
        kind,
        str(data.get("parent_id") or "") if kind == "thread" else "",
        bool((data.get("thread_metadata") or {}).get("locked")),
        next((str(tag["id"]) for tag in tags if not tag.get("moderated")), ""),
    )


def lacking(connection: Connection, native_id: str, needed: tuple[str, ...]) -> tuple[str, ...]:
    """Which of `needed` the bot does not have in a channel, by the cache; none for one that is not in it."""
    channel = connection.channel(native_id)
    if channel is None or channel.guild.me is None:
        return ()
    try:
        have = channel.permissions_for(channel.guild.me)
    except discord.ClientException:  # a thread whose parent the bot does not see
        return needed
    return tuple(right for right in needed if not getattr(have, right))
