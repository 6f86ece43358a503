"""The page in the browser: one `Tab` each, drawn on the server and kept up to date over NiceGUI's connection.

A message is one element, so that a long stream stays small and a change redraws that message alone. What
people do comes back as a few named events from static/preview.js.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from nicegui import Client, ui

from adapters.preview.buttons import Desk
from adapters.preview.client import CHANNELS, PEOPLE, Group, NoWeek, Person, Preview, Week, asker, person
from adapters.preview.clock import run_until
from adapters.preview.commands import suggest
from adapters.preview.demo import greet
from adapters.preview.forms import render_form
from adapters.preview.frame import (
    Sight,
    render_bar,
    render_composer,
    render_side,
    render_suggestions,
    render_top,
    render_week,
)
from adapters.preview.html import Markup, h, join
from adapters.preview.lines import Look
from adapters.preview.render import has_relative, render_by, render_card, render_face, render_talk
from adapters.preview.store import Line
from bot.clubs.model import Asker
from bot.commands import Command, Param
from bot.messages.model import Form, Message, Suggestion
from bot.messages.pages.preview import JUMP, chrome_for
from bot.messages.words import best_language

log = logging.getLogger(__name__)

SHOWN = 40  # lines at first, and more at each press of 'Earlier messages'
_MINUTE = 5.0  # seconds between looks at the clock


class Tab:
    """One open page: who looks, where, and what is drawn there. All of it can be had back from the store."""

    def __init__(
        self, preview: Preview, group: Group, start_over: Callable[[], Awaitable[None]], client: Client
    ) -> None:
        self._preview = preview
        self._group = group
        self._desk = Desk(preview, group)
        self._start_over = start_over
        self._client = client
        self._drawing = asyncio.Lock()
        self._news = asyncio.Event()
        self._lines: dict[int, tuple[ui.html, Line]] = {}
        self._dates: dict[int, date] = {}
        self._seen = 0
        self._drawn_for = (0, 0)
        self._limit = SHOWN

    async def open(self, who: str | None, channel: str | None, locale: str) -> None:
        """Build the page for the first time."""
        self._who: Person = person(who)
        self._channel = channel if channel in CHANNELS else CHANNELS[0]
        self._locale = locale
        self._week: Week = await self._ask_week()
        language = best_language(locale, self._week.language)
        self._chrome = chrome_for(language)
        self._clock_shown = ""
        self._client.page_container.default_slot.children[0].tag = "div"  # was a second <main> around ours
        with ui.element("div").classes("app").props(f"lang={'zh-Hans' if language == 'zh' else 'en'}"):
            self._side = _html("nav", "side", aria_label=self._chrome.club)
            with ui.element("main").classes("main"):
                with ui.element("div").classes("overhead"):
                    self._top = _html("header", "top")
                    self._bar = _html("section", "phonebar", aria_label=self._chrome.clock)
                self._earlier = _html("p", "earlier")
                self._stream = (
                    ui.element("div")
                    .classes("stream")
                    .props("role=log aria-live=polite tabindex=-1 id=stream")
                )
                _html("div", "composer", str(render_composer(self._chrome)))
            self._aside = _html("aside", "week", aria_label=self._chrome.clock_and_week)
            self._status = _html("p", "vh", role="status")
        self._listen()
        await greet(self._preview, language)
        await self.draw(anew=True)
        self._ask_page("opened", language, self._chrome.lost, self._chrome.kept)

    def _listen(self) -> None:
        for name, handler in {
            "do": self._on_do,
            "say": self._on_say,
            "typing": self._on_typing,
            "submit": self._on_submit,
            "typed": self._on_typed,
            "change": self._on_change,
        }.items():
            ui.on(f"club_{name}", partial(self._handle, handler))
        stop_listening = self._preview.listen(self._news.set)
        follow = asyncio.create_task(self._follow())

        def end() -> None:
            stop_listening()
            follow.cancel()

        self._client.on_delete(end)
        ui.timer(_MINUTE, self._minute)

    async def _follow(self) -> None:
        """Draw what is new whenever something is, for as long as the page is open."""
        while True:
            await self._news.wait()
            self._news.clear()
            try:
                with self._client:
                    await self.draw()
            except Exception:
                log.exception("a page could not be brought up to date")

    async def _minute(self) -> None:
        if self._chrome.words.moment(self._preview.clock(), self._week.zone) != self._clock_shown:
            await self.draw()

    # ---- drawing ----

    async def draw(self, *, anew: bool = False) -> None:
        """Bring the page up to date: only what changed is sent. `anew` begins the stream from nothing."""
        async with self._drawing:
            now = self._preview.clock()
            self._week = await self._ask_week()
            organisers = await self._preview.store.organisers(self._asker().account.workspace)
            sight = Sight(self._chrome, self._who, self._channel, self._locale, organisers)
            self._clock_shown = self._chrome.words.moment(now, self._week.zone)
            _put(self._side, render_side(sight))
            _put(self._top, render_top(sight))
            _put(self._bar, render_bar(sight, self._week, now))
            _put(self._aside, render_week(sight, self._week, now))
            await self._draw_stream(anew)

    async def _ask_week(self) -> Week:
        return await self._group.week(self._asker(), self._preview.clock()) or NoWeek()

    async def _draw_stream(self, anew: bool) -> None:
        store = self._preview.store
        revision = await store.revision()
        drawn_for = (
            self._preview.epoch,
            self._today().year,
        )  # in a new year, dates of the old one tell theirs
        if anew or drawn_for != self._drawn_for:
            self._drawn_for = drawn_for
            self._stream.clear()
            self._lines.clear()
            self._dates.clear()
            self._stream.props(f"aria-label={json.dumps(self._chrome.messages_in(self._channel))}")
            lines = await store.latest(self._channel, self._who.id, self._limit + 1)
            more = len(lines) > self._limit
            button = h("button", self._chrome.earlier, type="button", class_="btn quiet", data_do="earlier")
            _put(self._earlier, button if more else Markup())
            lines = lines[-self._limit :]
        else:
            lines = await store.news(self._channel, self._who.id, self._seen)
        self._seen = revision
        for line in lines:
            self._draw_line(line)
        for element, line in self._lines.values():
            if not isinstance(line.content, str) and has_relative(line.content):
                _put(element, self._inside(line))

    def _draw_line(self, line: Line) -> None:
        known = self._lines.get(line.id)
        if line.kind == "gone":
            if known:
                known[0].delete()
                del self._lines[line.id]
            return
        if known:
            if line.private_to is None:  # a changed turnout is no news: it is not read out again
                known[0].props("aria-live=off")
            self._lines[line.id] = (known[0], line)
        elif line.id < max(self._lines, default=0):
            return  # an edit of what lies further back than the page shows
        else:
            with self._stream:
                private = " private" if line.private_to else ""
                element = _html(
                    "article", f"msg{private}", id=f"m{line.id}", data_line=str(line.id), tabindex="-1"
                )
            self._dates[line.id] = line.at.astimezone(ZoneInfo(self._week.zone)).date()
            self._lines[line.id] = (element, line)
        self._label(self._lines[line.id][0], line)
        _put(self._lines[line.id][0], self._inside(line))

    def _label(self, element: ui.html, line: Line) -> None:
        if not isinstance(line.content, str):
            name = line.content.summary if isinstance(line.content, Message) else line.content.title
            element.props["aria-label"] = name
            element.props["lang"] = "zh-Hans" if line.content.language == "zh" else "en"

    def _inside(self, line: Line) -> Markup:
        # Whole minutes, as the clock beside it shows: eight hours are not "7 hours 59 minutes".
        look = Look(self._chrome, self._week.zone, self._preview.clock().replace(second=0, microsecond=0))
        private_to = person(line.private_to).name if line.private_to else ""
        match line.content:
            case Message():
                card = render_card(line.content, look, private_to)
            case Form():
                card = render_form(line.content, line.id, CHANNELS, look, private_to)
            case str():
                card = render_talk(line.content)
        author = person(line.author).name if line.author else "Paperclub"
        clock = f"{line.at.astimezone(ZoneInfo(self._week.zone)):%H:%M}"
        by = render_by(author, clock, line.at, look, bot=not line.author, answering=line.answering)
        return join(self._day_before(line), render_face(author, bot=not line.author), by, card)

    def _day_before(self, line: Line) -> Markup | None:
        """The date in front of the first line of a day."""
        day = self._dates[line.id]
        before = max((known for known in self._dates if known < line.id), default=None)
        if before is not None and self._dates[before] == day:
            return None
        return h("p", self._chrome.words.date(day, now=self._today()), class_="day")

    def _today(self) -> datetime:
        return self._preview.clock().astimezone(ZoneInfo(self._week.zone))

    # ---- what people do ----

    async def _handle(self, handler: Callable[[dict[str, Any]], Awaitable[None]], event: Any) -> None:
        """Run one event, then free what was pressed, whatever came of it."""
        args = event.args if isinstance(event.args, dict) else {}
        try:
            await handler(args)
        finally:
            if "key" in args:
                self._ask_page("done", str(args["key"]))

    async def _on_do(self, args: dict[str, Any]) -> None:
        value, line = str(args.get("value", "")), _number(args.get("line"))
        match args.get("do"):
            case "press" if value == JUMP:
                await self._jump_to_vote()
            case "press":
                await self._show(
                    await self._desk.press(self._asker(), value, str(args.get("label", "")), line)
                )
            case "cancel":
                await self._show(await self._desk.cancel(self._asker(), line), focus=True)
            case "jump":
                await self._jump()
            case "move":
                await self._move(self._preview.clock() + timedelta(seconds=_number(value)))
            case "channel" if value in CHANNELS:
                self._channel = value
                await self._look_elsewhere()
            case "language":
                self._locale = value
                ui.navigate.to(self._address())
            case "earlier":
                self._limit += SHOWN
                await self.draw(anew=True)
            case "over":
                await self._start_over()
                ui.navigate.to(self._address())

    async def _on_change(self, args: dict[str, Any]) -> None:
        if args.get("what") == "who":
            self._who = person(str(args.get("value")))
            await self._look_elsewhere()
            _put(self._status, Markup().join([self._chrome.acting(self._who.name)]))

    async def _on_say(self, args: dict[str, Any]) -> None:
        shown = await self._desk.say(self._asker(), str(args.get("text", "")), self._chrome.words.language)
        self._ask_page("said")
        await self._show(shown)

    async def _on_submit(self, args: dict[str, Any]) -> None:
        shown = await self._desk.submit(self._asker(), _number(args.get("line")), _lists(args.get("values")))
        await self._show(shown, faults=True)

    async def _on_typed(self, args: dict[str, Any]) -> None:
        await self._desk.typed(self._asker(), _number(args.get("line")), _lists(args.get("values")))

    async def _on_typing(self, args: dict[str, Any]) -> None:
        text = str(args.get("text", ""))[:400]
        organises = self._who.admin or self._who.id in await self._preview.store.organisers(
            self._asker().account.workspace
        )
        choices = await suggest(
            text,
            lambda command: self._chrome.words.line(command.about),
            lambda command: command.who != "organiser" or organises,
            self._ask_for_values,
        )
        self._ask_page("suggest", text, str(render_suggestions(choices)))

    async def _ask_for_values(self, command: Command, param: Param, text: str) -> Sequence[Suggestion]:
        now = self._preview.clock()
        return await self._group.suggest(self._asker(), command.path, param.name, text, now)

    async def _show(self, line: int | None, *, focus: bool = False, faults: bool = False) -> None:
        """Draw, and bring the answer into sight. What was pressed keeps the focus, but for a form to fill in."""
        await self.draw()
        if line in self._lines:
            opened = isinstance(self._lines[line][1].content, Form)
            self._ask_page("show", line, focus or opened, faults)

    async def _look_elsewhere(self) -> None:
        self._limit = SHOWN
        ui.navigate.history.replace(self._address())
        await self.draw(anew=True)
        self._ask_page("end")

    def _ask_page(self, what: str, *values: str | int | bool) -> None:
        """Have static/preview.js do what only a browser can."""
        ui.run_javascript(f"preview.{what}({', '.join(map(json.dumps, values))})")

    # ---- the clock ----

    async def _jump(self) -> None:
        """To the event that is named below the button, through all that comes before it."""
        due = (await self._ask_week()).next_event
        if due is not None:
            await self._move(due)

    async def _move(self, target: datetime) -> None:
        """Run everything up to `target`, then show and focus the first message that came of it."""
        before = await self._newest_public()
        await run_until(self._preview.clock, target, self._group.next_event, self._group.tick)
        self._preview.changed()
        await self.draw()
        after = await self._newest_public()
        if after is not None and after != before:
            self._ask_page("show", after, True, False)

    async def _jump_to_vote(self) -> None:
        """To the opening of the next vote, through all that comes before it."""
        week = await self._ask_week()
        if week.opening is not None:
            await self._move(week.opening)

    async def _newest_public(self) -> int | None:
        """What hangs from another message is passed over: of a result and its discussion, the result."""
        lines = await self._preview.store.latest(self._channel, "", SHOWN)
        return next((line.id for line in reversed(lines) if not line.answering), None)

    def _asker(self) -> Asker:
        return asker(self._who, self._channel, self._locale)

    def _address(self) -> str:
        number = PEOPLE.index(self._who) + 1
        return "/?" + urlencode({"as": number, "in": self._channel, "lang": self._locale})


def _html(tag: str, classes: str, content: str = "", **attributes: str) -> ui.html:
    """An element filled with our own markup; everything people wrote was escaped on the way in."""
    element = ui.html(content, sanitize=False, tag=tag).classes(classes)
    for name, value in attributes.items():
        element.props[name.replace("_", "-")] = value
    return element


def _put(element: ui.html, content: Markup) -> None:
    if element.content != str(content):
        element.set_content(str(content))


def _number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0


def _lists(values: Any) -> dict[str, list[str]]:
    if not isinstance(values, dict):
        return {}
    return {
        str(name): [str(item) for item in found] for name, found in values.items() if isinstance(found, list)
    }
