"""The whole core over a real store: a platform that records, a clock moved by hand, people who ask."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from adapters.compose import build
from bot.app import ReadingGroup
from bot.clubs.model import Account, Asker, Place
from bot.delivery.model import Address, Sent, Thread
from bot.errors import DeliveryError, Refused
from bot.messages.model import (
    Answer,
    Branch,
    Button,
    ChannelRef,
    ChoiceField,
    Code,
    Form,
    Link,
    Mark,
    Menu,
    Message,
    Option,
    Strong,
    When,
)
from bot.messages.words import words_for
from bot.papers.listing import parse_listing
from bot.storage.database import Database
from bot.storage.heartbeat import beat
from bot.storage.sqlite import open_sqlite

MONDAY = datetime(2026, 11, 30, 7, 54, tzinfo=UTC)
"""08:54 on a Monday in Berlin: six minutes before the daily paper."""
ZONE = "Europe/Berlin"


@dataclass(slots=True)
class Posted:
    """A message in a channel, with what it said before each edit."""

    id: str
    to: Address
    marker: str
    message: Message
    at: datetime
    before: list[Message] = field(default_factory=list)
    thread: Thread | None = None


class RecordingPlatform:
    """Holds what was posted; `fault` may be set to refuse, and messages can be deleted by anybody.

    `broken` refuses in single places: by a channel's native id with a reason, or by a person's with 'closed'.
    """

    def __init__(self, name: str = "preview") -> None:
        self.name = name
        self.posts: list[Posted] = []
        self.fault: DeliveryError | None = None
        self.broken: dict[str, str] = {}
        self.tried: list[str] = []
        """Where something was to be sent, in order, refused or not: a channel's or person's native id."""
        self.now = MONDAY
        self.edits_refused = 0
        self.edit_fault: DeliveryError | None = None
        self.joins: dict[tuple[str, str], datetime | DeliveryError] = {}
        """By server and person when they joined, or what asking for it comes to."""
        self.held: dict[tuple[str, str], tuple[str, ...] | DeliveryError] = {}
        """By server and person the roles they hold, or what asking for them comes to."""
        self._numbers = count(1)

    async def send(self, to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
        place = to.person or to.native_id
        self.tried.append(place)
        if self.fault is not None:
            raise self.fault
        if place in self.broken:
            raise Refused(self.broken[place])
        if thread is not None and thread.message_id not in {posted.id for posted in self.posts}:
            raise Refused("gone")
        posted = Posted(f"m{next(self._numbers):03}", to, marker, message, self.now, thread=thread)
        self.posts.append(posted)
        return Sent(posted.id)

    async def edit(self, to: Address, message_id: str, message: Message, marker: str = "") -> None:
        if self.edit_fault is not None:
            raise self.edit_fault
        if self.broken.get(to.native_id) in ("removed", "gone"):
            raise Refused(self.broken[to.native_id])
        for posted in self.posts:
            if posted.id == message_id and posted.to.native_id == to.native_id:
                posted.before.append(posted.message)
                posted.message = message
                return
        self.edits_refused += 1
        raise Refused("gone")

    async def remove(self, to: Address, message_id: str) -> None:
        self.posts = [posted for posted in self.posts if posted.id != message_id]

    async def find_sent(
        self, to: Address, marker: str, thread: Thread | None = None, since: datetime | None = None
    ) -> Sent | None:
        return next((Sent(posted.id) for posted in self.posts if posted.marker == marker), None)

    async def missing_rights(self, to: Address) -> tuple[str, ...]:
        reason, _, rights = self.broken.get(to.native_id, "").partition(":")
        return tuple(rights.split(",")) if rights else ("view_channel",) if reason else ()

    async def joined(self, workspace: str, person: str, channel: str = "") -> datetime | None:
        found = self.joins.get((workspace, person))
        if isinstance(found, DeliveryError):
            raise found
        return found

    async def roles(self, workspace: str, person: str) -> tuple[str, ...] | None:
        found = self.held.get((workspace, person))
        if isinstance(found, DeliveryError):
            raise found
        return found

    def spacing(self, age: timedelta) -> float:
        return 0.2

    def delete(self, posted: Posted) -> None:
        """As a moderator does."""
        self.posts.remove(posted)

    def in_channel(self, channel: str = "papers", start: str = "") -> list[Posted]:
        """What stands in a channel itself for everybody, whose first words are these."""
        return [
            posted
            for posted in self.posts
            if posted.to.native_id == channel
            and not (posted.to.person or posted.thread)
            and posted.message.summary.startswith(start)
        ]

    def in_threads(self, channel: str = "papers") -> list[Posted]:
        """What stands in the threads of a channel."""
        return [posted for posted in self.posts if posted.to.native_id == channel and posted.thread]

    def to_person(self, person: str) -> list[Posted]:
        """The private messages of somebody."""
        return [posted for posted in self.posts if posted.to.person == person]


def person(
    number: int, channel: str = "papers", *, locale: str | None = "en", admin: bool = False, server: str = "w"
) -> Asker:
    """Somebody of a workspace, in one of its channels."""
    place = Place("preview", server, channel, name=channel)
    return Asker(Account("preview", server, f"u{number}"), place, f"Member {number}", locale, admin)


SERVERS = {"discord": "G1", "slack": "T1"}
"""The server and the workspace of a club on both."""


def on(side: str, number: int, channel: str = "", *, locale: str | None = "en", admin: bool = False) -> Asker:
    """Somebody on Discord, where accounts belong to no server, or in a Slack workspace."""
    server = SERVERS[side]
    own = "" if side == "discord" else server
    channel = channel or f"{side}-papers"
    place = Place(side, server, channel, name=channel)
    return Asker(Account(side, own, f"u{number}"), place, f"Member {number}", locale, admin)


CHAIR = person(1, admin=True)
MEMBER = person(2)
OTHER = person(3)
STRANGER = person(9)


class House:
    """The running program, its store file, and everything that can be done to it from outside."""

    def __init__(self, path: Path, database: Database, sides: Sequence[str] = ("preview",)) -> None:
        self.path = path
        self.database = database
        self.platforms = {side: RecordingPlatform(side) for side in sides}
        self.platform = self.platforms[sides[0]]
        self.now = MONDAY
        self.woken = 0
        """How often the clock was asked to come round at once."""
        self.group: ReadingGroup = self._build()

    def _build(self) -> ReadingGroup:
        return build(self.database, dict(self.platforms), lambda: self.now, self._wake)

    def _wake(self) -> None:
        self.woken += 1

    @classmethod
    async def open(cls, path: Path, sides: Sequence[str] = ("preview",)) -> House:
        return cls(path, await open_sqlite(path, readers=2), sides)

    async def close(self) -> None:
        await self.group.settle_down()
        await self.database.close()

    async def restart(self, now: datetime | None = None) -> None:
        """End the process and start another on the same file, at `now`."""
        await self.close()
        self.database = await open_sqlite(self.path, readers=2)
        self.now = now or self.now
        self.group = self._build()
        await self.group.wake_up(self.now)

    # ---- people ----

    async def command(self, who: Asker, path: str, **args: str) -> Answer:
        return await self.group.command(who, path, args, self.now)

    async def press(self, who: Asker, action_id: str) -> Answer:
        return await self.group.press(who, action_id, self.now)

    async def submit(self, who: Asker, form_id: str, **values: str | list[str]) -> Answer:
        return await self.group.submit(who, form_id, values, self.now)

    async def set_up(self, who: Asker = CHAIR, **args: str) -> Answer:
        return await self.command(who, "club setup", **{"zone": ZONE, "language": "en", **args})

    async def vote(self, who: Asker, round_id: int, *papers: str) -> Answer:
        return await self.submit(who, f"ballot:{round_id}", papers=list(papers))

    async def rank(self, who: Asker, round_id: int, *papers: str) -> Answer:
        """A ranked ballot: a menu a place, '' where nothing is chosen."""
        choices = {f"choice{place}": paper for place, paper in enumerate(papers, 1)}
        return await self.submit(who, f"ballot:{round_id}", **choices)

    async def counting(self, who: Asker = CHAIR, **values: str) -> Answer:
        """Change how the club counts; what is not given stays as it is."""
        form = (await self.press(who, "settings:counting")).form
        assert form is not None
        return await self.submit(who, form.id, **{**filled(form), **values})

    # ---- the clock ----

    async def until(self, moment: datetime) -> None:
        """Let time pass, stopping at every instant at which something is due."""
        step = timedelta(seconds=1)
        while True:
            due = await self.group.next_event(self.now)
            if due is None or due >= moment:
                break
            step = timedelta(seconds=1) if due > self.now else step * 2
            await self.tick(min(due if due > self.now else self.now + step, moment))
        await self.tick(moment)

    async def tick(self, moment: datetime | None = None) -> None:
        """Set the clock, as the preview does: a jump is no outage; then do what is due."""
        self._set(moment or self.now)
        await self.database.write(lambda tx: beat(tx, self.now))
        await self.group.tick(self.now)
        await self.group.rooms.deliveries.quiet()

    async def sleep(self, moment: datetime) -> None:
        """The machine is suspended and wakes up at `moment`: the process lives, and saw nothing of it."""
        self._set(moment)
        await self.group.tick(self.now)
        await self.group.rooms.deliveries.quiet()

    def _set(self, moment: datetime) -> None:
        self.now = moment
        for platform in self.platforms.values():
            platform.now = moment

    async def drawn(self) -> None:
        """Wait until every poll stands as it was asked for."""
        while self.group.rooms.refresher._tasks:
            await asyncio.wait(list(self.group.rooms.refresher._tasks.values()))


def said(content: object) -> str:
    """All words of a message, form or block, in order, without ids, on one line."""
    return " ".join(" ".join(_words(content)).split())


def _words(value: object) -> Iterator[str]:
    match value:
        case None | bool() | int():
            return
        case str():
            if value:
                yield value
        case tuple() if value and all(
            isinstance(p, str | Strong | Code | Mark | When | Link | ChannelRef) for p in value
        ):
            yield words_for("en").plain(value, ZONE, MONDAY)
        case tuple():
            for part in value:
                yield from _words(part)
        case Button():
            yield value.label
        case When():
            yield words_for("en").plain((value,), ZONE, MONDAY)
        case Option():
            yield value.label
        case _ if is_dataclass(value) and not isinstance(value, type):
            for each in fields(value):
                if each.name not in UNSAID and not (each.name == "name" and isinstance(value.name, str)):
                    yield from _words(getattr(value, each.name))


UNSAID = ("id", "language", "level", "kind")


def text_of(answer: Answer) -> str:
    """All words of an answer."""
    return said(answer.form if answer.form is not None else answer.message)


def ids_in(value: object) -> Iterator[str]:
    """Every action id a message shows: buttons, menus with each choice, branches."""
    match value:
        case Button(id=action_id, disabled=disabled):
            if not disabled:
                yield action_id
        case Menu(id=action_id, options=options):
            for option in options:
                yield f"{action_id}:{option.value}"
        case Branch():
            yield value.id
            for leaf in value.leaves:
                yield from ids_in(leaf)
        case tuple():
            for part in value:
                yield from ids_in(part)
        case _ if is_dataclass(value) and not isinstance(value, type):
            for each in fields(value):
                yield from ids_in(getattr(value, each.name))


def filled(form: Form, tick: int = 0) -> dict[str, str | list[str]]:
    """The values of a form submitted as it stands; where nothing is ticked, the first `tick` choices are."""
    values: dict[str, str | list[str]] = {}
    for each in form.fields:
        if isinstance(each, ChoiceField):
            chosen = [option.value for option in each.options if option.chosen]
            chosen = chosen or [option.value for option in each.options[:tick]]
            values[each.name] = chosen if each.several else (chosen or [""])[0]
        else:
            values[each.name] = each.value
    return values


def faults_of(answer: Answer) -> dict[str, str]:
    """The faults a form came back with, by field."""
    assert answer.form is not None, text_of(answer)
    return {each.name: each.fault for each in answer.form.fields if each.fault}


def listing(*entries: tuple[str, str, str]) -> bytes:
    """A page of papers in our own format: (topic, authors, abstract); an empty topic line is left out."""
    blocks = ["论文检索"]
    for topic, authors, abstract in entries:
        blocks += [part for part in (topic, authors, abstract) if part]
    page = "\n\n".join(blocks) + "\n"
    assert len(parse_listing(page.encode()).papers) == len(entries)
    return page.encode()


def round_of(answers: Sequence[Posted] | Mapping[str, object] | Message) -> int:
    """The round a message's buttons speak of."""
    messages = [answers] if isinstance(answers, Message) else [p.message for p in answers]  # type: ignore[union-attr]
    for message in messages:
        for action_id in ids_in(message):
            name, _, rest = action_id.partition(":")
            if name in ("vote", "mine", "result", "how"):
                return int(rest)
    raise AssertionError("no round is named")
