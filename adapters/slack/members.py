"""Who is in a channel, as Slack says now or said in the last minutes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakValueDictionary

from adapters.slack.client import Connection
from bot.errors import Uncertain

KEPT = 300.0
"""Seconds for which somebody seen in a channel counts as in it."""
AGAIN = 2.0
"""Seconds after which Slack is asked again for the same person who was not."""
MOST = 200
"""Channels whose members are remembered."""
_PAGE = 1000
_PAGES = 20


@dataclass(frozen=True, slots=True)
class Room:
    """A channel at a moment of the loop's clock."""

    at: float
    private: bool
    members: frozenset[str]


class Members:
    """Asks who is in a channel, each channel once at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rooms: OrderedDict[str, Room] = OrderedDict()
        self._missed: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def room(self, channel: str, person: str) -> Room:
        """The channel, asked for anew where the person was not in it. Raises what a call does, Uncertain."""
        async with self._turns.setdefault(channel, asyncio.Lock()):
            now = asyncio.get_running_loop().time()
            known = self._rooms.get(channel)
            if known is not None and person in known.members and now - known.at < KEPT:
                return known
            if known is not None and now - self._missed.get((channel, person), -AGAIN) < AGAIN:
                return known
            info = (await self._connection.call("conversations.info", channel=channel)).get("channel")
            private = not isinstance(info, Mapping) or info.get("is_private") is not False
            room = Room(now, private, await self._ask(channel))
            self._rooms[channel] = room
            self._rooms.move_to_end(channel)
            while len(self._rooms) > MOST:
                self._rooms.popitem(last=False)
            if person not in room.members:
                self._missed[channel, person] = now
                while len(self._missed) > MOST:
                    self._missed.popitem(last=False)
            return room

    async def _ask(self, channel: str) -> frozenset[str]:
        """Raises: Uncertain when there are more than we can look through."""
        found: set[str] = set()
        cursor: str | None = None
        for _ in range(_PAGES):
            page = await self._connection.call(
                "conversations.members", channel=channel, limit=_PAGE, cursor=cursor
            )
            found.update(str(each) for each in page.get("members") or ())
            cursor = (page.get("response_metadata") or {}).get("next_cursor") or None
            if cursor is None:
                return frozenset(found)
        raise Uncertain("unsure")
