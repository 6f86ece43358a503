"""A platform that outlives the process: what it holds is in a file, and it can fail as real ones do."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from bot.delivery.model import Address, Sent, Thread
from bot.errors import Refused, Uncertain
from bot.messages.model import Message

Fault = str | None
"""`refuse` nothing went out · `lose` stored, the answer lost · `drop` lost on the way there · `die` stored,
then kill -9 of this very process · `die_first` kill -9 before storing · `crash` an error nobody foresaw."""


@dataclass(frozen=True, slots=True)
class Held:
    """A message as the platform holds it, after all edits."""

    id: str
    channel: str
    marker: str
    text: str
    edits: int = 0
    person: str = ""
    thread: str = ""
    """The message its thread hangs from."""
    file: str = ""
    """The name of the file beside it."""


class FakePlatform:
    """`fault(verb, address, marker)` decides what goes wrong; verbs are 'send', 'edit', 'remove', 'find'."""

    def __init__(
        self,
        path: Path,
        name: str = "preview",
        fault: Callable[[str, Address, str], Fault] = lambda verb, to, marker: None,
    ) -> None:
        self.name = name
        self.fault = fault
        self.retry_after: float | None = None
        self.reason = "forbidden"
        """Of refusals."""
        self._path = path

    async def send(self, to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
        fault = self._before("send", to, marker)
        if thread is not None and thread.message_id not in {held.id for held in self.held()}:
            raise Refused("gone")
        number = f"{len(self.held()) + 1}.{os.getpid()}"  # unique among processes
        entry = {"id": number, "channel": to.native_id, "marker": marker, "text": message.summary}
        entry["file"] = message.file.name if message.file else ""
        self._append(entry | {"person": to.person, "thread": thread.message_id if thread else ""})
        self._after(fault)
        return Sent(number)

    async def edit(self, to: Address, message_id: str, message: Message, marker: str = "") -> None:
        fault = self._before("edit", to, message_id)
        if message_id not in {held.id for held in self.held()}:
            raise Refused("gone")
        self._append({"edit": message_id, "text": message.summary})
        self._after(fault)

    async def remove(self, to: Address, message_id: str) -> None:
        fault = self._before("remove", to, message_id)
        self._append({"remove": message_id})
        self._after(fault)

    async def find_sent(
        self, to: Address, marker: str, thread: Thread | None = None, since: datetime | None = None
    ) -> Sent | None:
        self._before("find", to, marker)
        wanted = (to.native_id, marker, thread.message_id if thread else "")
        for held in self.held():
            if (held.channel, held.marker, held.thread) == wanted:
                return Sent(held.id)
        return None

    async def missing_rights(self, to: Address) -> tuple[str, ...]:
        return ()

    async def joined(self, workspace: str, person: str, channel: str = "") -> datetime | None:
        return None

    async def roles(self, workspace: str, person: str) -> tuple[str, ...] | None:
        return None

    def spacing(self, age: timedelta) -> float:
        return 0.2

    def held(self) -> list[Held]:
        """Every message that stands on the platform."""
        found: dict[str, Held] = {}
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                if "edit" in entry:
                    old = found[entry["edit"]]
                    found[old.id] = replace(old, text=entry["text"], edits=old.edits + 1)
                elif "remove" in entry:
                    found.pop(entry["remove"], None)
                else:
                    found[entry["id"]] = Held(**entry)
        return list(found.values())

    def posts(self) -> Counter[tuple[str, str]]:
        """How often each text stands in each channel."""
        return Counter((held.channel, held.text) for held in self.held())

    def _before(self, verb: str, to: Address, marker: str) -> Fault:
        fault = self.fault(verb, to, marker)
        if fault == "refuse":
            raise Refused(self.reason, retry_after=self.retry_after)
        if fault == "drop":
            raise Uncertain("network")
        if fault == "crash":
            raise RuntimeError("something nobody foresaw")
        if fault == "die_first":
            os.kill(os.getpid(), signal.SIGKILL)
        return fault

    def _after(self, fault: Fault) -> None:
        if fault == "lose":
            raise Uncertain("network")
        if fault == "die":
            os.kill(os.getpid(), signal.SIGKILL)

    def _append(self, entry: dict[str, str]) -> None:
        """One write a line: what was written survives a kill, and two processes do not mix their lines."""
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, (json.dumps(entry) + "\n").encode())
        finally:
            os.close(handle)
