"""What the core asks of a platform, whichever it is."""

from __future__ import annotations

from typing import Protocol

from bot.delivery.model import Address, Sent
from bot.messages.model import Message


class Platform(Protocol):
    """One connected platform. Every method raises Refused (nothing went out) or Uncertain (it may have)."""

    name: str
    """`preview`, `discord` or `slack`: the `platform` of the channels it serves."""

    async def send(self, to: Address, message: Message, marker: str) -> Sent:
        """Post `message`; `marker` travels with it so that `find_sent` can find it. The same marker posts
        once where the platform can promise that."""
        ...

    async def edit(self, to: Address, message_id: str, message: Message) -> None:
        """Replace a message posted before. Refused('gone') when it was deleted: never post anew from here."""
        ...

    async def find_sent(self, to: Address, marker: str) -> Sent | None:
        """The message that carries `marker`, looked up on the platform; None when it is surely not there."""
        ...
