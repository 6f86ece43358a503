"""The connection: what the preview asks of the core, who may sit at it, and who has to be told of news."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from adapters.preview.clock import PreviewClock
from adapters.preview.platform import PreviewPlatform
from adapters.preview.store import PreviewStore
from bot.clubs.model import Account, Asker, Place
from bot.messages.model import Answer, Suggestion
from bot.storage.database import Database

WORKSPACE = "demo"
CHANNELS = ("papers", "talk")


class Step(Protocol):
    """One part of the club's week, in words."""

    @property
    def key(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def state_label(self) -> str: ...
    @property
    def when(self) -> str: ...


class Week(Protocol):
    """The club's week as the side column shows it; every word comes translated."""

    @property
    def club_name(self) -> str: ...
    @property
    def zone(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def steps(self) -> tuple[Step, ...]: ...
    @property
    def next_event(self) -> datetime | None: ...
    @property
    def next_label(self) -> str: ...
    @property
    def opening(self) -> datetime | None: ...


@dataclass(frozen=True, slots=True)
class NoWeek:
    """What is shown for the moment in which there is no club: while the demo begins anew."""

    club_name: str = ""
    zone: str = "UTC"
    language: str = "en"
    steps: tuple[Step, ...] = ()
    next_event: datetime | None = None
    next_label: str = ""
    opening: datetime | None = None


class Group(Protocol):
    """What the preview asks of bot.app.ReadingGroup. Mistakes of people come back as answers, not raised."""

    async def command(self, asker: Asker, path: str, args: dict[str, str], now: datetime) -> Answer: ...
    async def press(self, asker: Asker, action_id: str, now: datetime) -> Answer: ...
    async def submit(
        self, asker: Asker, form_id: str, values: dict[str, str | list[str]], now: datetime
    ) -> Answer: ...
    async def suggest(
        self, asker: Asker, path: str, param: str, text: str, now: datetime
    ) -> list[Suggestion]: ...
    async def week(self, asker: Asker, now: datetime) -> Week | None: ...
    async def tick(self, now: datetime) -> None: ...
    async def next_event(self, now: datetime) -> datetime | None: ...


@dataclass(frozen=True, slots=True)
class Person:
    """One of the members the visitor can be; the first is who set the club up."""

    id: str
    name: str
    admin: bool = False


PEOPLE = tuple(Person(f"member-{n}", f"Member {n}", n == 1) for n in range(1, 6))


def person(user_id: str | None) -> Person:
    """The member of this id; the first for an unknown one."""
    return next((each for each in PEOPLE if each.id == user_id), PEOPLE[0])


def asker(who: Person, channel: str, locale: str | None = None) -> Asker:
    """`who` asking in `channel`, with a client in `locale`."""
    return Asker(
        Account("preview", WORKSPACE, who.id),
        Place("preview", WORKSPACE, channel, None, channel),
        who.name,
        locale,
        who.admin,
    )


@dataclass(slots=True)
class Preview:
    """One open preview: its store, clock and platform, and the pages that look at it."""

    database: Database
    store: PreviewStore
    clock: PreviewClock
    platform: PreviewPlatform = field(init=False)
    epoch: int = 0
    """Grows when the demo begins anew: nothing a page has drawn counts any more."""
    _listeners: set[Callable[[], None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.platform = PreviewPlatform(self.store, self.clock, self.changed, CHANNELS)

    def changed(self) -> None:
        """Tell every open page to look for news."""
        for listener in tuple(self._listeners):
            listener()

    def begin_anew(self) -> None:
        """Tell every open page to forget what it has drawn."""
        self.epoch += 1
        self.changed()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at every change; what comes back ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)
