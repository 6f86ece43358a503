"""Somebody's App Home: drawn when they look at it and after they did something there."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Protocol
from weakref import WeakValueDictionary

from slack_sdk.errors import SlackApiError

from adapters.slack.client import Connection
from adapters.slack.errors import FAILURES, error_code
from adapters.slack.marks import PLAIN, Prefixes
from adapters.slack.people import PLATFORM, People
from adapters.slack.render import home_view
from bot.clubs.model import Asker, Place
from bot.errors import DeliveryError
from bot.messages.model import Message

log = logging.getLogger(__name__)

ACTION = "home"
"""The one action whose answer is somebody's Home itself; the others' stand beside it."""
MOST = 2_000
"""People whose last Home is remembered by its hash."""
_CHANGED = "hash_conflict"


class Group(Protocol):
    """What the core is asked."""

    async def home(self, asker: Asker, now: datetime) -> Message: ...


class HomeTab:
    """Publishes pages as App Homes, one after the other for each person, so that the last state stands."""

    def __init__(
        self, connection: Connection, group: Group, now: Callable[[], datetime], people: People
    ) -> None:
        self._connection = connection
        self._group = group
        self._now = now
        self._people = people
        self._hashes: OrderedDict[str, str] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """Each lives as long as somebody waits for it."""
        self._waiting: set[str] = set()

    async def draw(self, user: str, prefix: Prefixes = PLAIN) -> None:
        """Read the core and publish what it says; one drawing that waits serves all who ask meanwhile."""
        if not user or user in self._waiting:
            return
        self._waiting.add(user)

        async def page() -> Message:
            self._waiting.discard(user)
            return await self._page(user)

        await self._stand(user, page, prefix)

    async def publish(self, user: str, message: Message, prefix: Prefixes = PLAIN) -> None:
        """Publish this page."""

        async def page() -> Message:
            return message

        await self._stand(user, page, prefix)

    async def _stand(self, user: str, page: Callable[[], Awaitable[Message]], prefix: Prefixes) -> None:
        async with self._turns.setdefault(user, asyncio.Lock()):
            try:
                if not await self._publish(user, await page(), prefix):
                    await self._publish(user, await page(), prefix)
            except (*FAILURES, DeliveryError) as error:
                log.info("a Home was not published: %s", error)
            finally:
                self._waiting.discard(user)

    async def _page(self, user: str) -> Message:
        asker = await self._people.asker(user, Place(PLATFORM, self._connection.team, ""))
        return await self._group.home(asker, self._now())

    async def _publish(self, user: str, message: Message, prefix: Prefixes) -> bool:
        """Whether it stands; not where somebody else changed the Home since we did, which is forgotten then."""
        known = self._hashes.pop(user, None)
        try:
            told = await self._connection.call(
                "views.publish", user_id=user, view=home_view(message, prefix=prefix), hash=known
            )
        except SlackApiError as error:
            if known is not None and error_code(error) == _CHANGED:
                return False
            raise
        found = (told.get("view") or {}).get("hash")
        if found:
            self._hashes[user] = str(found)
            while len(self._hashes) > MOST:
                self._hashes.popitem(last=False)
        return True
