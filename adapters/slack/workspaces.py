"""The workspace: joined, left, and the first word to whoever can set up a club in it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from adapters.slack.client import Connection
from adapters.slack.errors import FAILURES
from adapters.slack.people import PLATFORM
from adapters.slack.prefix import Prefix
from adapters.slack.render import payload
from bot.errors import DeliveryError
from bot.messages.model import Message

log = logging.getLogger(__name__)

_PAGE, _PAGES = 200, 5
"""Members of a workspace that are looked at for an owner."""
_RANKS = ("is_primary_owner", "is_owner", "is_admin")


class Group(Protocol):
    """What the core is told of workspaces."""

    async def server_joined(
        self, platform: str, server_id: str, locale: str | None, now: datetime
    ) -> Message | None: ...
    async def server_greeted(self, platform: str, server_id: str, now: datetime) -> None: ...
    async def server_left(self, platform: str, server_id: str, now: datetime) -> None: ...
    async def servers_seen(self, platform: str, ids: Sequence[str], now: datetime) -> tuple[str, ...]: ...


class Porch:
    """Tells the core which workspace it is in, and says hello once in a new one."""

    def __init__(
        self, connection: Connection, group: Group, now: Callable[[], datetime], prefix: Prefix
    ) -> None:
        self._connection = connection
        self._prefix = prefix
        self._group = group
        self._now = now

    async def look_around(self) -> None:
        """After a login: what came and went while nobody listened, and a greeting where nobody was greeted yet."""
        team = self._connection.team
        if team in await self._group.servers_seen(PLATFORM, [team], self._now()):
            try:
                await self._greet(team)
            except (*FAILURES, DeliveryError) as error:
                log.info("the workspace could not be greeted: %s", error)

    async def leave(self, event: Mapping[str, Any]) -> None:
        """The app was taken out of the workspace, or its token back."""
        tokens = event.get("tokens")
        if event.get("type") == "tokens_revoked" and not (isinstance(tokens, Mapping) and tokens.get("bot")):
            return
        await self._group.server_left(PLATFORM, self._connection.team, self._now())

    async def _greet(self, team: str) -> None:
        """Slack does not say who installed the app: whoever owns the workspace is greeted, in private."""
        owner = await self._owner()
        if owner is None:
            return
        told = await self._connection.call("users.info", user=owner, include_locale="true")
        locale = (told.get("user") or {}).get("locale")
        greeting = await self._group.server_joined(PLATFORM, team, locale, self._now())
        if greeting is not None:
            opened = await self._connection.call("conversations.open", users=owner)
            words = payload(greeting, prefix=self._prefix.value)
            await self._connection.call("chat.postMessage", channel=opened["channel"]["id"], **words)
            await self._group.server_greeted(PLATFORM, team, self._now())

    async def _owner(self) -> str | None:
        """The first of those with the highest rank among the members looked at."""
        found: dict[str, str] = {}
        cursor = ""
        for _ in range(_PAGES):
            told = await self._connection.call("users.list", limit=_PAGE, cursor=cursor or None)
            for user in told.get("members") or ():
                for rank in _RANKS:
                    if user.get(rank) and not user.get("is_bot") and not user.get("deleted"):
                        found.setdefault(rank, str(user.get("id")))
            cursor = str((told.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor or _RANKS[0] in found:
                break
        return next((found[rank] for rank in _RANKS if rank in found), None)
