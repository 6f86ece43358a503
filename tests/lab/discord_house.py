"""Whole flows in Discord: what people type, press and see, by a clock that core and platform share."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.settings import DiscordSettings
from tests.lab.chatlab.fakediscord import Channel, FakeDiscord, User
from tests.lab.chatlab.fakediscord import Message as Shown
from tests.lab.chatlab.fakediscord.model import Interaction
from tests.lab.house import MONDAY, ZONE
from tests.lab.online import Online

DISCREET = ("bot", "adapters")
_RADIO = 21
_UPDATED, _LATER = 7, 6


class ClubServer(Online):
    """A Discord server, the people in it and the bot; nothing is done here but what people and the clock can do.

    `meant` are the statuses of failed calls that are the point of a flow.
    """

    def __init__(self, lab: FakeDiscord, path: Path, start: datetime) -> None:
        lab.clock._offset = start.timestamp() - time.time()
        super().__init__(lab, path)
        self.now = start
        self.meant: set[int] = set()

    # ---- the program ----

    async def open(self, settings: DiscordSettings | None = None) -> None:
        await super().open(settings)
        self.discord.platform._now = lambda: self.now
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

    def _set(self, moment: datetime) -> None:
        self.now = moment
        self.lab.clock.advance(max(0.0, moment.timestamp() - self.lab.clock.time()))

    # ---- people ----

    def people(self, count: int, locale: str = "en-US") -> list[User]:
        """So many more members of the server, who join at this moment."""
        guild, known = self.guild, len(self.guild.members)
        names = (f"member-{known + number}" for number in range(count))
        joined = [self.lab.create_user(name, guild=guild, locale=locale) for name in names]
        for who in joined:
            guild.members[who.id].joined_at = self.now.timestamp()
        return joined

    async def typed(
        self, who: User, command: str, where: Channel | None = None, **options: Any
    ) -> Interaction:
        """Somebody runs a command and has an answer."""
        done = await self.lab.slash(who, where or self.channel, command, options, settle=10)
        return await self._answered(done)

    async def pressed(self, who: User, message: Shown, button: str) -> Interaction:
        """Somebody presses a button, by its label or id, and has an answer."""
        return await self._answered(await self.lab.click(who, message, button, settle=10))

    async def chosen(self, who: User, message: Shown, value: str, menu: str | None = None) -> Interaction:
        """Somebody chooses one option of a menu, by its label or value, and has an answer."""
        return await self._answered(await self.lab.select(who, message, [value], menu, settle=10))

    async def opened(self, who: User, message: Shown, button: str) -> Interaction:
        """Somebody presses a button that opens a form, by way of a second button where the machine is slow."""
        return await self.by_form(await self.pressed(who, message, button), who)

    async def by_form(self, done: Interaction, who: User) -> Interaction:
        """The form that was asked for, by way of a button where the machine is slow."""
        if done.modal is None and done.response is not None and len(done.response.controls) == 1:
            done = await self.pressed(who, done.response, done.response.controls[0]["custom_id"])
        assert done.modal is not None, done.response and done.response.text
        return done

    async def sent(self, who: User, form: Interaction, values: dict[str, Any] | None = None) -> Interaction:
        """Somebody sends a form, changed by `values`, and has an answer."""
        typed = standing(form) | (values or {})
        return await self._answered(await self.lab.submit_modal(who, form, typed, settle=10))

    async def set_up(self, locale: str = "en-US", language: str = "en", **options: Any) -> Shown:
        """The owner makes a club of the channel and starts with all papers; the preview they see."""
        self.owner.locale = locale
        made = await self.typed(self.owner, "club setup", **{"zone": ZONE, "language": language, **options})
        return await self.begin(self.owner, made)

    async def begin(self, founder: User, made: Interaction) -> Shown:
        """A club that was set up starts with all papers; the preview its founder sees."""
        await self.shows(made, "**")
        every = next(each for each in ids(page(made)) if each.startswith("starter:all"))
        return await self.beside(await self.pressed(founder, page(made), every))

    async def shows(self, done: Interaction, words: str) -> Shown:
        """Wait until an answer that is drawn again has these words, as where a form was expected first."""
        await self.lab.wait_for(lambda: words in page(done).text, 10, lambda: page(done).text)
        return page(done)

    async def vote(self, who: User, *papers: str, poll: Shown | None = None) -> str:
        """Somebody ticks these papers on the open ballot; what they are told."""
        shown = poll or self.poll()
        form = await self.opened(who, shown, next(each for each in ids(shown) if each.startswith("vote:")))
        return page(await self.sent(who, form, ticked(form, *papers))).text

    async def beside(self, done: Interaction) -> Shown:
        """The second page that somebody was answered with."""
        await self.lab.wait_for(lambda: done.followups, 10, "a second page")
        return done.followups[-1]

    async def _answered(self, done: Interaction) -> Interaction:
        assert done.acknowledged and done.errors == [], (done.name, done.errors)
        if done.response_type == _LATER:
            await self.lab.wait_for(
                lambda: len(self.lab.request_log(path=done.token)) > 1, 10, "the redrawing"
            )
        return done

    # ---- what stands ----

    def shown(self, start: str = "", where: Channel | None = None) -> list[Shown]:
        """The bot's messages in a channel that everybody sees, in order, whose words hold `start`."""
        found = self.lab.messages(where or self.channel, by_bot=True)
        return [each for each in found if start in each.text]

    def private(self, who: User, start: str = "") -> list[Shown]:
        """What the bot wrote to somebody in private messages."""
        return [each for each in self.lab.messages(self.lab.dm(who), by_bot=True) if start in each.text]

    def poll(self, where: Channel | None = None) -> Shown:
        """The last poll in a channel."""
        found = [each for each in self.shown(where=where) if any(i.startswith("mine:") for i in ids(each))]
        return found[-1]

    async def stands(self, where: Channel | None, *words: str) -> Shown:
        """Wait until a message that everybody sees has all these words; the last such one."""

        def find() -> Shown | None:
            found = [each for each in self.shown(where=where) if all(word in each.text for word in words)]
            return found[-1] if found else None

        seen = await self.lab.wait_for(
            find, 10, lambda: f"{words}; shown: {[each.text for each in self.shown(where=where)]}"
        )
        assert seen is not None
        return seen

    def check(self) -> None:
        """Nothing that was called was found wrong, but what was meant to be."""
        wrong = [each for each in self.lab.bot_errors() if each.status not in self.meant]
        told = [f"{each.method} {each.path} {each.status} {each.reply}" for each in wrong]
        assert not told, told
        assert not self.lab.internal_errors, self.lab.internal_errors
        assert not self.lab.unimplemented, self.lab.unimplemented


@asynccontextmanager
async def club_server(path: Path, start: datetime = MONDAY, **lab: Any) -> AsyncIterator[ClubServer]:
    """A server with the bot started on the store at `path`; in the end all of it is ended and checked."""
    async with FakeDiscord(**lab) as discord:
        here = ClubServer(discord, path, start)
        await here.start()
        try:
            yield here
        finally:
            await here.close()
        here.check()


# ---- reading what is shown ----


def page(done: Interaction) -> Shown:
    """The page somebody was answered with, a redrawn one included."""
    shown = done.response or (done.source if done.response_type in (_UPDATED, _LATER) else None)
    assert shown is not None, (done.name, done.response_type, done.errors)
    return shown


def ids(shown: Shown) -> list[str]:
    """The ids of what can be pressed."""
    return [each["custom_id"] for each in shown.controls if not each.get("disabled") and "custom_id" in each]


def ticked(form: Interaction, *values: str) -> dict[str, list[str]]:
    """The values of a form in which these choices are ticked and no others."""
    assert form.modal is not None
    fields = [part["component"] for part in form.modal["components"] if "component" in part]
    chosen = {
        field["custom_id"]: [each["value"] for each in field["options"] if each["value"] in values]
        for field in fields
        if "options" in field
    }
    assert sorted(each for many in chosen.values() for each in many) == sorted(values), form.modal
    return chosen


def standing(form: Interaction) -> dict[str, Any]:
    """What is chosen in a form as it opens; its texts stay by themselves."""
    assert form.modal is not None
    chosen: dict[str, Any] = {}
    for field in (part["component"] for part in form.modal["components"] if "component" in part):
        values = [each["value"] for each in field.get("options", ()) if each.get("default")]
        values += [each["id"] for each in field.get("default_values", ())]
        if values:
            chosen[field["custom_id"]] = values[0] if field["type"] == _RADIO else values
    return chosen


# ---- what no log may hold ----


class _Heard(logging.Handler):
    """Every record as it would be written, traceback included, with nothing hidden."""

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@contextmanager
def listened() -> Iterator[list[str]]:
    """All that is logged meanwhile, ours down to debug."""
    heard = _Heard()
    before = {room: logging.getLogger(room).level for room in DISCREET}
    for room in DISCREET:
        logging.getLogger(room).setLevel(logging.DEBUG)
    logging.getLogger().addHandler(heard)
    try:
        yield heard.lines
    finally:
        logging.getLogger().removeHandler(heard)
        for room, level in before.items():
            logging.getLogger(room).setLevel(level)


@pytest.fixture(autouse=True)
def no_token_is_logged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No token of the bot or of anybody's press stands in a record of the run."""
    labs: list[FakeDiscord] = []
    begin = FakeDiscord.start

    async def start(lab: FakeDiscord) -> None:
        labs.append(lab)
        await begin(lab)

    monkeypatch.setattr(FakeDiscord, "start", start)
    with listened() as lines:
        yield
    tokens = {token for lab in labs for token in (lab.token, *lab.tokens)}
    assert [line for line in lines if any(token in line for token in tokens)] == []
