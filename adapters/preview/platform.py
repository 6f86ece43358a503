"""The preview as a platform: what the core sends stands in its channels, and every open page hears of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from adapters.preview.errors import not_looked_up, not_sent
from adapters.preview.store import Line, PreviewStore
from bot.delivery.model import Address, Sent, Thread
from bot.errors import Refused, StoreError
from bot.messages.model import Kicker, Message


class PreviewPlatform:
    """`bot.delivery.platform.Platform` over the preview's own tables. The same marker posts once."""

    name = "preview"

    def __init__(
        self,
        store: PreviewStore,
        now: Callable[[], datetime],
        changed: Callable[[], None],
        channels: Collection[str],
    ) -> None:
        self._store = store
        self._now = now
        self._changed = changed
        self._channels = channels

    async def send(self, to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
        """Post `message` in the channel `to`; a marker that stands already gives the message that carries it.

        There are no threads here: what belongs in one stands in the channel and says what it hangs from. A
        message to a person is a line that only they see.

        Raises:
            Refused: 'gone' when the thread's message was taken back, else the store failed; nothing was written.
        """
        try:
            head = await self._head(thread) if thread is not None else ""
            line_id = await self._store.put(
                to.native_id,
                message,
                self._now(),
                private_to=to.person or None,
                answering=head,
                marker=marker,
            )
        except StoreError as problem:
            raise not_sent(problem) from problem
        self._changed()
        return Sent(str(line_id))

    async def edit(self, to: Address, message_id: str, message: Message, marker: str = "") -> None:
        """Replace a message in its place.

        Raises:
            Refused: 'gone' when there is no such message, else the store failed.
        """
        try:
            found = message_id.isdecimal() and await self._store.replace(
                int(message_id), message, self._now()
            )
        except StoreError as problem:
            raise not_sent(problem) from problem
        if not found:
            raise Refused("gone")
        self._changed()

    async def remove(self, to: Address, message_id: str) -> None:
        """Take a message back; one that is gone already is as good.

        Raises:
            Refused: the store failed.
        """
        try:
            if await self._stands(message_id):
                await self._store.take_back(int(message_id))
        except StoreError as problem:
            raise not_sent(problem) from problem
        self._changed()

    async def find_sent(
        self, to: Address, marker: str, thread: Thread | None = None, since: datetime | None = None
    ) -> Sent | None:
        """The message that carries `marker` in the channel `to`.

        Raises:
            Uncertain: the store could not be read.
        """
        try:
            line_id = await self._store.find_marker(to.native_id, marker)
        except StoreError as problem:
            raise not_looked_up(problem) from problem
        return None if line_id is None else Sent(str(line_id))

    async def missing_rights(self, to: Address) -> tuple[str, ...]:
        """Nothing is ever forbidden here, but other channels than ours there are none."""
        return () if to.native_id in self._channels else ("view_channel",)

    async def joined(self, workspace: str, person: str, channel: str = "") -> datetime | None:
        """Nobody joins or leaves here."""
        return None

    async def roles(self, workspace: str, person: str) -> tuple[str, ...] | None:
        """There are no roles here."""
        return None

    def spacing(self, age: timedelta) -> float:
        """No limit but the eye's."""
        return 0.2

    async def _head(self, thread: Thread) -> str:
        """What a thread hangs from, in a word: what stands above that message, else its summary."""
        line = await self._find(thread.message_id)
        if line is None:
            raise Refused("gone")
        if not isinstance(line.content, Message):
            return thread.name
        labels = (block.label for block in line.content.blocks if isinstance(block, Kicker))
        return next(labels, line.content.summary)

    async def _stands(self, message_id: str) -> bool:
        return await self._find(message_id) is not None

    async def _find(self, message_id: str) -> Line | None:
        line = await self._store.find(int(message_id)) if message_id.isdecimal() else None
        return line if line is not None and line.kind != "gone" else None
