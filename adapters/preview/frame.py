"""The columns around the stream as HTML: channels and members, clock and week, composer. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from adapters.preview.client import CHANNELS, PEOPLE, Person, Week
from adapters.preview.commands import Choice
from adapters.preview.html import Child, Markup, h, join
from adapters.preview.icons import SHEET
from bot.clubs.model import LANGUAGE_NAMES
from bot.messages.pages.preview import Chrome

LANGUAGES = (("en", LANGUAGE_NAMES["en"], "en"), ("zh-CN", LANGUAGE_NAMES["zh"], "zh-Hans"))
HOUR, DAY = 3_600, 86_400


@dataclass(frozen=True, slots=True)
class Sight:
    """What one page shows just now."""

    chrome: Chrome
    who: Person
    channel: str
    locale: str
    organisers: frozenset[str]

    def organises(self, who: Person) -> bool:
        """Whether `who` has the badge."""
        return who.admin or who.id in self.organisers


def render_side(sight: Sight) -> Markup:
    """The left column; nothing of it on a phone."""
    chrome = sight.chrome
    brand = h(
        "div",
        h("span", SHEET, class_="face", aria_hidden="true"),
        h("span", h("b", "Paperclub"), h("small", chrome.preview)),
        class_="brand",
    )
    rooms = h("section", h("h2", chrome.channels, class_="label"), *_rooms(sight), class_="rooms")
    return join(
        brand,
        rooms,
        _members(sight, "who"),
        _languages(sight, "language"),
        h("div", _start_over(sight), h("p", chrome.stays), class_="foot"),
    )


def render_top(sight: Sight) -> Markup:
    """The line above the stream; on a phone it opens channels and members."""
    chrome = sight.chrome
    badge = h("span", chrome.organiser, class_="badge") if sight.organises(sight.who) else None
    rooms = _panel(
        "rooms", "here", (sight.channel, h("span", f", {chrome.change_channel}", class_="vh")), *_rooms(sight)
    )
    me = _panel(
        "me",
        "btn",
        (sight.who.name, badge, h("span", f", {chrome.change_member}", class_="vh")),
        _members(sight, "who-small"),
        _languages(sight, "language-small"),
        _start_over(sight),
    )
    return join(
        h("h1", h("span", sight.channel, class_="here wide"), rooms), h("p", chrome.about[sight.channel]), me
    )


def render_bar(sight: Sight, week: Week, now: datetime) -> Markup:
    """Clock and next event below the channel name, where there is no right column."""
    chrome = sight.chrome
    return join(
        h(
            "span",
            h("b", chrome.words.moment(now, week.zone)),
            h("small", _next(chrome, week, now)),
        ),
        h(
            "span",
            *_nudges(chrome),
            h(
                "button",
                chrome.jump_short,
                type="button",
                class_="btn",
                aria_label=chrome.jump,
                data_do="jump",
            ),
            class_="keys",
        ),
        h(
            "ol",
            *(_step(step.label, step.state, step.state_label) for step in week.steps),
            class_="steps-in-line",
        ),
    )


def render_week(sight: Sight, week: Week, now: datetime) -> Markup:
    """The right column: the clock that can be moved, and the five steps of the week."""
    chrome = sight.chrome
    clock = h(
        "section",
        h("small", chrome.club_time(week.zone)),
        h(
            "time",
            chrome.words.moment(now, week.zone),
            class_="now",
            datetime=now.isoformat(timespec="minutes"),
        ),
        h("small", chrome.movable),
        h(
            "button",
            chrome.jump,
            type="button",
            class_="btn go",
            data_do="jump",
            disabled=week.next_event is None,
        ),
        h("small", _next(chrome, week, now)),
        h("div", *_nudges(chrome), class_="nudge"),
        class_="clock",
        aria_label=chrome.clock,
    )
    steps = (_step(step.label, step.state, step.state_label, step.when) for step in week.steps)
    return join(clock, h("section", h("h2", chrome.week, class_="label"), h("ol", *steps, class_="line")))


def render_composer(chrome: Chrome) -> Markup:
    """The box at the foot of the stream. It is drawn once, so that nothing typed is lost."""
    return h(
        "form",
        h(
            "div",
            h("button", chrome.news, type="button", class_="btn pill", id="news", hidden=True),
            h(
                "ul",
                id="suggestions",
                class_="suggest",
                role="listbox",
                aria_label=chrome.suggestions,
                hidden=True,
            ),
            h(
                "div",
                h("label", chrome.say, class_="vh", for_="say"),
                h(
                    "input",
                    id="say",
                    type="text",
                    placeholder=chrome.placeholder,
                    autocomplete="off",
                    maxlength=4000,
                    role="combobox",
                    aria_expanded="false",
                    aria_controls="suggestions",
                    aria_autocomplete="list",
                    enterkeyhint="send",
                    autocapitalize="none",
                    spellcheck="false",
                ),
                h("button", chrome.send, type="submit", class_="btn go"),
                class_="box",
            ),
            class_="in",
        ),
        id="composer",
    )


def render_suggestions(choices: Sequence[Choice]) -> Markup:
    """The list above the box; each entry holds the whole line it stands for."""
    return join(
        *(
            h(
                "li",
                h("code", choice.shown),
                h("i", choice.label, class_="of") if choice.label else None,
                h("span", choice.note) if choice.note else None,
                role="option",
                tabindex=-1,
                id=f"choice-{number}",
                aria_selected="true" if number == 0 else "false",
                data_line_text=choice.line,
            )
            for number, choice in enumerate(choices)
        )
    )


def _rooms(sight: Sight) -> list[Markup]:
    return [
        h(
            "a",
            channel,
            href=f"?in={channel}",
            data_do="channel",
            data_value=channel,
            aria_current="page" if channel == sight.channel else None,
        )
        for channel in CHANNELS
    ]


def _panel(name: str, looks: str, label: Sequence[Child], *inside: Markup) -> Markup:
    """What opens over the stream on a phone; the browser itself closes it at Esc and at a press elsewhere."""
    opener = h(
        "button", *label, type="button", class_=looks, id=f"open-{name}", popovertarget=f"panel-{name}"
    )
    panel = h("div", *inside, class_=f"panel {name}", id=f"panel-{name}", popover="auto")
    return h("div", opener, panel, class_=f"pop {name}")


def _members(sight: Sight, name: str) -> Markup:
    rows = (
        h(
            "label",
            h(
                "input",
                type="radio",
                name=name,
                value=each.id,
                id=f"{name}-{each.id}",
                checked=each.id == sight.who.id,
                data_change="who",
            ),
            " ",
            each.name,
            " ",
            h("span", sight.chrome.organiser, class_="badge") if sight.organises(each) else None,
        )
        for each in PEOPLE
    )
    return h("form", h("fieldset", h("legend", sight.chrome.act_as, class_="label"), *rows), class_="who")


def _languages(sight: Sight, name: str) -> Markup:
    rows = (
        h(
            "button",
            label,
            type="button",
            class_="tongue",
            lang=lang,
            data_do="language",
            data_value=locale,
            id=f"{name}-{locale}",
            aria_pressed=str(locale[:2] == sight.chrome.words.language).lower(),
        )
        for locale, label, lang in LANGUAGES
    )
    return h("section", h("h2", sight.chrome.language, class_="label"), h("div", *rows, class_="tongues"))


def _start_over(sight: Sight) -> Markup:
    """Two steps, because it forgets: the first says what, the second does it."""
    return h(
        "details",
        h("summary", sight.chrome.start_over),
        h("p", sight.chrome.forgets),
        h("button", sight.chrome.start_over, type="button", class_="btn warn", data_do="over"),
        class_="over",
    )


def _nudges(chrome: Chrome) -> tuple[Markup, Markup]:
    return (
        h("button", chrome.hour, type="button", class_="btn move", data_do="move", data_value=HOUR),
        h("button", chrome.day, type="button", class_="btn move", data_do="move", data_value=DAY),
    )


def _next(chrome: Chrome, week: Week, now: datetime) -> str:
    if week.next_event is None:
        return chrome.closed
    return chrome.next_event(week.next_label, week.next_event, week.zone, now)


def _step(label: str, state: str, state_label: str, when: str = "") -> Markup:
    return h(
        "li",
        h("b", label),
        " ",
        h("span", state_label, class_="state"),
        h("small", when) if when else None,
        class_=state if state in ("done", "now") else None,
        aria_current="step" if state == "now" else None,
    )
