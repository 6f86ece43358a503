"""Slack: the adapter for a workspace there and for private messages with the bot."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from adapters.slack import buttons, counter, workspaces
from adapters.slack.client import Connection
from adapters.slack.people import People
from adapters.slack.platform import SlackPlatform
from adapters.slack.prefix import Prefix
from adapters.slack.seen import Seen, key_of
from bot.settings import SlackSettings
from bot.storage.database import Database

__all__ = ["Group", "Slack", "open_slack", "serve"]

log = logging.getLogger(__name__)

LAST = 3.3
"""Seconds for answers and redraws under way when everything stops; with the goodbye it is less than five."""

_ANY = re.compile("")
_WORDS = ("", "file_share", "me_message", "thread_broadcast")
"""Subtypes of messages people write: with a file, with /me, and from a thread into the channel too."""


class Group(counter.Group, workspaces.Group, Protocol):
    """What Slack asks of the core."""

    async def settle_down(self, seconds: float = 3.0) -> None: ...


@dataclass(slots=True)
class Slack:
    """The adapter as a value: nothing of it is on the network before `serve`."""

    settings: SlackSettings
    database: Database
    connection: Connection
    platform: SlackPlatform
    prefix: Prefix


def open_slack(settings: SlackSettings, database: Database) -> Slack:
    """Slack with `settings`, keeping in `database` what it was told."""
    connection, prefix = Connection(settings), Prefix(database)
    platform = SlackPlatform(connection, prefix=lambda: prefix.value)
    return Slack(settings, database, connection, platform, prefix)


async def serve(
    slack: Slack,
    group: Group,
    now: Callable[[], datetime],
    stop: asyncio.Event,
    *,
    ready: Callable[[str, str], None],
) -> None:
    """Take part in Slack until `stop`, then end within 5 s, with the answers and redraws under way.

    `ready` gets the bot's name and the workspace's, once, when everything can be used.

    Raises:
        TokenRefused: at the start or later; Slack will not take another try.
    """
    listener = _Listener(slack, group, now, ready)
    running = asyncio.create_task(slack.connection.run(listener.on_ready))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait((running, stopping), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            running.result()
    finally:
        stopping.cancel()
        began = asyncio.get_running_loop().time()
        await listener.close()
        if stop.is_set():  # a token that is refused ends Slack alone: the core goes on
            await group.settle_down(max(0.3, LAST - (asyncio.get_running_loop().time() - began)))
        running.cancel()
        await asyncio.gather(running, stopping, return_exceptions=True)
        await slack.connection.close()


class _Listener:
    """What happens on the connection, handed to whom it concerns."""

    def __init__(
        self, slack: Slack, group: Group, now: Callable[[], datetime], ready: Callable[[str, str], None]
    ) -> None:
        self._connection = slack.connection
        self._ready = ready
        self._prefix = slack.prefix
        people, seen = People(slack.connection), Seen(slack.database, now)
        self._desk = buttons.Desk(slack.connection, group, now, people, seen, slack.prefix)
        self._porch = workspaces.Porch(slack.connection, group, now, slack.prefix)
        self._desk.listen()
        slack.connection.app.event(_ANY)(self.on_event)

    async def on_ready(self) -> None:
        await self._prefix.recall(self._connection.team)
        self._ready(self._connection.name, self._connection.team_name)
        self._desk.begin(self._porch.look_around())

    async def on_event(self, ack: counter.Ack, body: dict[str, Any]) -> None:
        """News are acknowledged whatever they are; those that mean nothing to us end there. While everything
        stops they are left to Slack, which tells them again."""
        if not self._desk.is_open:
            return
        await ack()
        work = self._work(body.get("event") or {}, key_of(body))
        if work is not None:
            self._desk.begin(work)

    def _work(self, event: dict[str, Any], key: str) -> Coroutine[Any, Any, None] | None:
        match event.get("type"):
            case "app_home_opened" if event.get("tab") == "home":
                return self._desk.take_home(event)
            case "app_uninstalled" | "tokens_revoked":
                return self._porch.leave(event)
            case "message" if event.get("channel_type") == "im" and _is_said(event):
                return self._desk.take_talk(event, key)
            case "app_mention" if not _is_private(event) and _is_said(event):
                return self._desk.take_talk(event, key)
        return None

    async def close(self) -> None:
        """Nothing more comes in; what is under way has a few seconds while the connection still stands."""
        await self._desk.close(3.0)


def _is_said(event: dict[str, Any]) -> bool:
    """Words of a person, for the first time."""
    is_theirs = bool(event.get("user")) and not event.get("bot_id") and not event.get("edited")
    return is_theirs and (event.get("subtype") or "") in _WORDS


def _is_private(event: dict[str, Any]) -> bool:
    """Whether it was said to the bot alone, which is told as a message already."""
    return str(event.get("channel") or "").startswith("D")
