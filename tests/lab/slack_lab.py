"""Slack without the core: the real connection and platform against the strict local server, in both modes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from adapters.slack.client import Connection
from adapters.slack.platform import SlackPlatform
from bot.delivery.model import Address
from bot.messages.model import Kicker, Message, Small
from bot.settings import SlackSettings
from tests.lab.chatlab.fakeslack import Channel, FakeSlack, User, Workspace
from tests.lab.chatlab.fakeslack import Message as Shown
from tests.lab.ports import free_port

MARKER = "abcdefgh23456777"


def said(text: str, *, notify: bool = False) -> Message:
    """A message that says `text`."""
    return Message(text, (Kicker(text), Small(("small print",))), notify=notify)


class Station:
    """A workspace with a channel, the bot and one member in it. `http`: Slack calls us, else a socket is open."""

    def __init__(self, lab: FakeSlack, *, http: bool = False, **more: Any) -> None:
        self.lab = lab
        self.team: Workspace = lab.create_workspace("Readers", bot_name="paperclub")
        self.channel: Channel = self.room("papers")
        self.member: User = lab.create_user(self.team, "member-1", channels=[self.channel])
        self.port = free_port() if http else 0
        self.settings = settings_for(lab, self.team, self.port, **more)
        self.connection = Connection(self.settings)
        self.platform = SlackPlatform(self.connection)

    def room(self, name: str, **more: Any) -> Channel:
        """Another channel with the bot in it."""
        return self.lab.create_channel(self.team, name, **more)

    def address(self, channel: Channel | None = None, *, person: str = "", role: str = "") -> Address:
        """Where a club's messages go."""
        place = channel or self.channel
        return Address(1, "slack", self.team.id, place.id, place.name, person=person, role=role)

    def messages(self, channel: Channel | None = None) -> list[Shown]:
        """The bot's messages in the channel, oldest first; none of its threads."""
        return self.lab.messages(channel or self.channel, by_bot=True)

    def shown(self, channel: Channel | None = None) -> list[str]:
        """What they say, by what stands in a notification."""
        return [each.text for each in self.messages(channel)]

    def calls(self, method: str) -> list[Any]:
        """The calls of one method that the bot made."""
        return [each for each in self.lab.requests if each.path == f"/{method}"]

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """The connection is up; it is closed at the end."""
        ready = asyncio.Event()

        async def on_ready() -> None:
            ready.set()

        running = asyncio.create_task(self.connection.run(on_ready))
        waiting = asyncio.create_task(ready.wait())
        try:
            await asyncio.wait((running, waiting), timeout=10, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
            assert ready.is_set(), "Slack was not ready in time"
            if self.port:
                self.lab.use_http(f"http://127.0.0.1:{self.port}/slack/events")
            yield
        finally:
            for task in (running, waiting):
                task.cancel()
            await asyncio.gather(running, waiting, return_exceptions=True)
            await self.connection.close()
            with contextlib.suppress(asyncio.CancelledError):
                running.result()


def settings_for(lab: FakeSlack, team: Workspace, port: int = 0, **more: Any) -> SlackSettings:
    """What the operator would have set; with a `port` for Slack's calls, without one for a socket."""
    assert team.bot_token is not None
    way = {"signing_secret": lab.signing_secret, "http_port": port} if port else {"app_token": lab.app_token}
    return SlackSettings(**({"bot_token": team.bot_token, "api_base": lab.api_base} | way | more))


@asynccontextmanager
async def station(*, http: bool = False) -> AsyncIterator[Station]:
    """A station that is connected."""
    async with FakeSlack(retry_delays=(0.0,)) as lab:
        here = Station(lab, http=http)
        async with here.connected():
            yield here
        assert lab.internal_errors == []
        assert lab.unimplemented == []
        assert lab.protocol_errors == []
        assert lab.escaping_faults == []
