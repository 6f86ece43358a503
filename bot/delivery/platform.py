"""What the core asks of a platform, whichever it is."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

from bot.delivery.model import Address, Sent, Thread
from bot.messages.model import Message

LASTING = ("forbidden", "gone", "removed", "archived", "locked", "not_in_channel", "closed")
"""Reasons of `Refused` that stay until a person mends them, before any colon.

`forbidden:send_messages,view_channel` names the rights that are missing · `gone` the channel was deleted ·
`removed` the bot is not in the server any more · `archived`, `locked` a thread · `closed` the person takes no
private messages.
"""


class Platform(Protocol):
    """One connected platform. Every method raises Refused (nothing went out) or Uncertain (it may have)."""

    name: str
    """`preview`, `discord` or `slack`: the `platform` of the channels it serves."""

    async def send(self, to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
        """Post `message`, into `thread` if given; `marker` travels with it so that `find_sent` can find it.
        The same marker posts once where the platform can promise that, with the message's file or, where the bot
        may send none, with a line that says so. Refused('gone') when the message the
        thread hangs from was deleted."""
        ...

    async def edit(self, to: Address, message_id: str, message: Message, marker: str = "") -> None:
        """Replace a message posted before, whose own `marker` goes on travelling with it. Refused('gone') when it
        was deleted: never post anew from here."""
        ...

    async def remove(self, to: Address, message_id: str) -> None:
        """Delete a message posted before; one that is gone already is as good."""
        ...

    async def find_sent(
        self, to: Address, marker: str, thread: Thread | None = None, since: datetime | None = None
    ) -> Sent | None:
        """The message that carries `marker`, looked up on the platform; None when it is surely not there.
        With `since` it is known not to be older."""
        ...

    async def missing_rights(self, to: Address) -> tuple[str, ...]:
        """What the bot may not do in this place though it has to, as keys of messages/pages/rights.py; the
        place itself unknown or invisible: ('view_channel',)."""
        ...

    async def joined(self, workspace: str, person: str, channel: str = "") -> datetime | None:
        """When a person joined a server or workspace; None where the platform does not say. Refused('not_member')
        when they are not in it. Where a `channel` is what makes a member, such as in Slack, it is asked for that:
        Refused('not_member:open') then for a channel that everybody in the workspace may read."""
        ...

    async def roles(self, workspace: str, person: str) -> tuple[str, ...] | None:
        """The native ids of the roles a person holds on a server, asked anew; None where there are none to hold.
        Refused('not_member') when they are not in it."""
        ...

    def spacing(self, age: timedelta) -> float:
        """Seconds to leave between two edits of a message that is so old."""
        ...
