"""Whole flows in Slack: what people type, press and see, by a clock that core and platform share."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chatlab.fakediscord import FakeDiscord
from tests.lab.chatlab.fakeslack import Channel, FakeSlack, User, View
from tests.lab.chatlab.fakeslack import Message as Shown
from tests.lab.chatlab.fakeslack.model import Delivery
from tests.lab.discord_house import listened
from tests.lab.house import MONDAY, ZONE
from tests.lab.slack_online import SlackOnline

SPACING = 0.2
"""Seconds between two drawings of a poll, for tests that wait for the last one."""
LISTS = ("checkboxes", "multi_static_select")


class ClubWorkspace(SlackOnline):
    """A workspace, the people in it and the bot; nothing is done here but what people and the clock can do.

    `meant` are the errors of calls that are the point of a flow.
    """

    def __init__(
        self,
        lab: FakeSlack,
        path: Path,
        *,
        http: bool = False,
        start: datetime = MONDAY,
        locale: str = "en-GB",
    ) -> None:
        super().__init__(lab, path, http=http)
        self.owner.locale = locale
        self.meant: set[str] = set()
        self.now = start
        lab.clock._offset = start.timestamp() - time.time()
        self._set(start)

    # ---- the program ----

    async def open(self) -> None:
        await super().open()
        self.slack.platform._now = lambda: self.now
        setattr(self.slack.platform, "spacing", lambda age: SPACING)  # noqa: B010
        await self.group.wake_up(self.now)

    async def start(self) -> None:
        await super().start()
        await self.group.redraw_open()

    async def restart(self, now: datetime | None = None) -> None:
        """End the process and start another on the same store, at `now`."""
        await self.close()
        self._set(now or self.now)
        await self.start()

    async def tick(self, moment: datetime | None = None) -> None:
        self._set(moment or self.now)
        await super().tick(self.now)

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

    async def later(self, seconds: float = 5) -> None:
        """A few seconds on, with what is due in them."""
        await self.until(self.now + timedelta(seconds=seconds))

    def _set(self, moment: datetime) -> None:
        self.now = moment
        self.lab.clock.advance(max(0.0, moment.timestamp() - self.lab.clock.time()))
        self.lab.courier.skew = -self.lab.clock._offset  # a signature is of the real time

    # ---- people ----

    def people(self, count: int, locale: str = "en-GB") -> list[User]:
        """So many more members of the workspace, in the channel."""
        known = len(self.team.users)
        return [self.person(f"member-{known + number}", locale=locale) for number in range(count)]

    async def redrawn(self, who: User, where: Shown, control: str) -> Shown:
        """Somebody presses a button whose answer takes the place of what was pressed."""
        shown = await self.pressed(who, where, control)
        assert shown is where, shown.shown
        return shown

    async def opened(self, who: User, where: Any, control: str) -> View:
        """Somebody presses a button that opens a form."""
        view: View = await self.form(who, await self.lab.click(who, where, control))
        return view

    async def asked(self, who: User, line: str, where: Channel | None = None) -> View:
        """Somebody runs a command that opens a form."""
        name, _, text = line.partition(" ")
        view: View = await self.form(who, await self.lab.slash(who, where or self.channel, name, text))
        return view

    async def sent(self, who: User, view: View, values: dict[str, Any] | None = None) -> Shown:
        """Somebody sends a form, changed by `values`; what answers them where it was opened, or else by mail."""
        mail = self.lab.dm(who)
        where = self.lab._channel(json.loads(view.payload["private_metadata"])["channel"])
        before = {each.ts for room in (where, mail) for each in self.lab.messages(room, seen_by=who)}
        self._taken(await self.lab.submit(who, view, values))
        assert not view.open, view.errors

        def answer() -> Shown | None:
            seen = [
                *self.lab.messages(where, seen_by=who, by_bot=True),
                *self.lab.messages(mail, by_bot=True),
            ]
            return next(
                (e for e in seen if e.ts not in before and (e.only_for or e.channel == mail.id)), None
            )

        shown = await self.lab.wait_for(answer, 10, "an answer to a form")
        assert shown is not None
        return shown

    async def refused(self, who: User, view: View, values: dict[str, Any]) -> dict[str, str]:
        """Somebody sends a form that cannot be taken; the faults beside its fields."""
        self._taken(await self.lab.submit(who, view, values))
        assert view.open and view.errors
        return view.errors

    async def set_up(self, locale: str = "en-GB", language: str = "en", **fields: Any) -> Shown:
        """The owner makes a club of the channel and starts with all papers; the preview they see."""
        self.owner.locale = locale
        form = await self.asked(self.owner, "/club setup")
        made = await self.sent(
            self.owner, form, {"name": "Readers", "zone": ZONE, "language": language, **fields}
        )
        return await self.started(made)

    async def started(self, made: Shown) -> Shown:
        """The owner starts with all papers; the preview that follows."""
        every = next(each for each in ids(made) if each.startswith("starter:all"))
        done = await self.lab.click(self.owner, made, every)
        return await self.answer(done, 2)

    async def vote(self, who: User, *papers: str, poll: Shown | None = None) -> str:
        """Somebody ticks these papers on the open ballot; what they are told."""
        view = await self.ballot(who, poll)
        return (await self.sent(who, view, ticked(view, *papers))).shown

    async def ballot(self, who: User, poll: Shown | None = None) -> View:
        """Somebody's open ballot."""
        shown = poll or self.poll()
        return await self.opened(who, shown, next(each for each in ids(shown) if each.startswith("vote:")))

    async def home(self, who: User, *words: str) -> str:
        """Somebody looks at their Home; what it says once it has all these words."""
        before = self.published()
        self.lab.open_home(who)

        def standing() -> str:
            text = home_of(self, who) if self.published() > before else ""
            return text if text and all(word in text for word in words) else ""

        return await self.lab.wait_for(standing, 10, lambda: f"{words}; Home: {home_of(self, who)}")

    def published(self) -> int:
        """How many Homes were drawn and stand."""
        return sum(each.path == "/views.publish" and bool(each.reply) for each in self.lab.requests)

    def _taken(self, done: Delivery) -> None:
        assert done.acknowledged and not done.failed and done.errors == [], done

    async def answer(self, done: Delivery, number: int = 1) -> Shown:
        shown = await super().answer(done, number)
        self._taken(done)
        return shown

    # ---- what stands ----

    def shown(
        self, start: str = "", where: Channel | None = None, *, thread: str | None = None
    ) -> list[Shown]:
        """The bot's messages in a channel that everybody sees, in order, whose words hold `start`."""
        found = self.lab.messages(where or self.channel, by_bot=True, thread_ts=thread)
        return [each for each in found if start in each.shown]

    def private(self, who: User, start: str = "") -> list[Shown]:
        """What the bot wrote to somebody in private messages."""
        return [each for each in self.lab.messages(self.lab.dm(who), by_bot=True) if start in each.shown]

    def told(self, who: User, start: str, where: Channel | None = None) -> list[Shown]:
        """What somebody alone sees in a channel."""
        seen = self.lab.messages(where or self.channel, seen_by=who, by_bot=True)
        return [each for each in seen if each.only_for and start in each.shown]

    def poll(self, where: Channel | None = None) -> Shown:
        """The last poll in a channel."""
        found = [each for each in self.shown(where=where) if any(i.startswith("mine:") for i in ids(each))]
        return found[-1]

    async def stands(self, where: Channel | None, *words: str) -> Shown:
        """Wait until a message that everybody sees has all these words; the last such one."""

        def find() -> Shown | None:
            found = [each for each in self.shown(where=where) if all(word in each.shown for word in words)]
            return found[-1] if found else None

        seen = await self.lab.wait_for(
            find, 15, lambda: f"{words}; shown: {[each.shown for each in self.shown(where=where)]}"
        )
        assert seen is not None
        return seen

    def check(self, *meant: str) -> None:
        super().check(*meant, *self.meant)
        assert self.lab.warnings == [], self.lab.warnings


@asynccontextmanager
async def club_workspace(
    path: Path, start: datetime = MONDAY, *, http: bool = False, locale: str = "en-GB", **lab: Any
) -> AsyncIterator[ClubWorkspace]:
    """A workspace with the bot started on the store at `path`; in the end all of it is ended and checked."""
    async with FakeSlack(**({"retry_delays": (0.0, 0.05)} | lab)) as slack:
        here = ClubWorkspace(slack, path, http=http, start=start, locale=locale)
        await here.start()
        await slack.wait_message(slack.dm(here.owner), timeout=10)  # the greeting
        try:
            yield here
        finally:
            await here.close()
        here.check()


# ---- reading what is shown ----


def ids(shown: Any) -> list[str]:
    """The ids of the buttons of a message, a dialog or a Home."""
    blocks = shown if isinstance(shown, list) else getattr(shown, "blocks", None) or shown.payload["blocks"]
    elements = [each for block in blocks for each in block.get("elements", ())]
    elements += [block["accessory"] for block in blocks if "accessory" in block]
    return [each["action_id"] for each in elements if each.get("type") == "button"]


def menu(shown: Shown) -> dict[str, Any]:
    """The one menu of a message."""
    (found,) = [
        each
        for block in shown.blocks
        for each in (*block.get("elements", ()), block.get("accessory", {}))
        if each.get("type") == "static_select"
    ]
    return found


def fields(view: View) -> dict[str, dict[str, Any]]:
    """The inputs of a form by the ids of their blocks."""
    return {
        block["block_id"]: block["element"] for block in view.payload["blocks"] if block["type"] == "input"
    }


def ticked(view: View, *values: str) -> dict[str, list[str]]:
    """The values of a form in which these choices are ticked and no others."""
    chosen = {
        name: [each["value"] for each in element["options"] if each["value"] in values]
        for name, element in fields(view).items()
        if element["type"] in LISTS
    }
    assert sorted(each for many in chosen.values() for each in many) == sorted(values), view.payload
    return chosen


def standing(view: View) -> dict[str, list[str]]:
    """What is ticked in a form as it opens."""
    return {
        name: [each["value"] for each in element.get("initial_options", ())]
        for name, element in fields(view).items()
        if element["type"] in LISTS
    }


def home_of(here: ClubWorkspace, who: User) -> str:
    """What somebody's Home says, '' before there is one."""
    view = here.lab.home(who)
    return View("", who.id, here.team.id, view, "", "").shown if view else ""


# ---- what no log may hold ----


@pytest.fixture(autouse=True)
def clean_log(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No record of the run holds a token of the bot's or of anybody's press, on either platform, or a fault of ours."""
    labs: list[Any] = []
    for kind in (FakeDiscord, FakeSlack):
        _note_starts(monkeypatch, kind, labs)
    with listened() as lines:
        yield
    secrets = {secret for lab in labs for secret in _secrets(lab)}
    assert secrets and [line for line in lines if any(secret in line for secret in secrets)] == []
    assert [line for line in lines if line.startswith(("ERROR", "CRITICAL"))] == []


def _note_starts(monkeypatch: pytest.MonkeyPatch, kind: type[Any], labs: list[Any]) -> None:
    begin = kind.start

    async def start(lab: Any) -> None:
        labs.append(lab)
        await begin(lab)

    monkeypatch.setattr(kind, "start", start)


def _secrets(lab: Any) -> set[str]:
    if isinstance(lab, FakeDiscord):
        return {lab.token, *lab.tokens}
    given = {team.bot_token for team in lab.workspaces.values() if team.bot_token}
    return {lab.app_token, lab.signing_secret, *given, *lab.triggers, *lab.response_secrets.values()}
