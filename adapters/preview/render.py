"""Messages as HTML in the classes of static/paperclub.css. Pure: the same values give the same text."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import assert_never

from adapters.preview.circle import render_circle
from adapters.preview.html import Markup, h, join
from adapters.preview.icons import ALERT, LOCK, SHEET
from adapters.preview.lines import Look, gap, lang_of, plain, render_shown, render_text
from bot.messages.model import (
    Actions,
    Bar,
    Bars,
    Block,
    Branch,
    Button,
    Commands,
    Divider,
    Entries,
    Entry,
    Excerpt,
    Fact,
    Facts,
    Fault,
    File,
    Form,
    Heading,
    Kicker,
    Menu,
    Message,
    Meter,
    Note,
    Option,
    Paragraph,
    Reason,
    Small,
    Steps,
    Table,
    Text,
    Title,
    Tree,
    Try,
    Winner,
)
from bot.messages.pages.preview import FILL

_MOST_IN_CIRCLE = 4  # of more the sentence alone tells
_DUEL = re.compile(r"((\d+) : (\d+))(?: (.+))?")


def render_message(message: Message, look: Look) -> Markup:
    """The inside of a card."""
    look = look.for_language(message.language)
    spoken = {
        plain(fact.value, look)
        for block in message.blocks
        if isinstance(block, Facts)
        for fact in block.items
    }
    drawn = [render_block(block, look, spoken) for block in message.blocks]
    if message.file is not None:
        last = len(drawn) - (bool(drawn) and isinstance(message.blocks[-1], Small))
        drawn.insert(last, _file(message.file))
    return join(*drawn)


def render_block(block: Block, look: Look, said: Iterable[str] = ()) -> Markup:
    """One block. `said` are values that stand elsewhere in the message: a meter need not repeat its own."""
    match block:
        case Kicker(label, note):
            return h("p", label, " ", h("span", render_text(note, look)) if note else None, class_="eyebrow")
        case Heading(text, level):
            return _heading(text, level, look)
        case Fault(text):
            return h("p", ALERT, " ", h("span", render_text(text, look)), class_="what")
        case Title(shown):
            return h("h2", render_shown(shown, look), class_="head")
        case Paragraph(text, muted):
            return h("p", render_text(text, look), class_="meta" if muted else "say")
        case Reason(label, text):
            return h("p", h("b", label), gap(label, text), render_text(text, look), class_="why")
        case Excerpt(text):
            return h("p", render_text(text, look), class_="read", lang=lang_of(text))
        case Entries(items):
            return _entries(items, look)
        case Bars(items):
            return h("dl", *(_bar(item, look) for item in items), class_="bars")
        case Meter():
            return _meter(block, said)
        case Facts(items):
            return h("dl", *(_fact(item, look) for item in items), class_="facts")
        case Winner():
            return _winner(block, look)
        case Note(heading, text):
            return h("div", h("h3", heading), h("p", render_text(text, look)), class_="note")
        case Steps(items):
            return h("ol", *(h("li", render_text(item, look)) for item in items), class_="steps")
        case Table():
            return _table(block, look)
        case Commands():
            return _commands(block)
        case Tree(items):
            return h("div", *(_branch(item) for item in items), class_="areas")
        case Try(items):
            return _try(items, look)
        case Divider():
            return h("hr", class_="pause")
        case Small(text, paper):
            return h(
                "p",
                h("span", paper, class_="id") if paper else None,
                " · " if paper and text else None,
                render_text(text, look),
                class_="small",
            )
        case Actions(items, end):
            return _actions(items, end)
    assert_never(block)


def render_card(message: Message, look: Look, private_to: str = "") -> Markup:
    """A whole card; `private_to` is the name of the one member who sees it."""
    seal = h("p", LOCK, " ", look.for_language(message.language).chrome.seal(private_to), class_="seal")
    return h("div", seal if private_to else None, render_message(message, look), class_="card")


def render_talk(words: str) -> Markup:
    """What a member wrote, as written."""
    return h("p", words, class_="said", dir="auto")


def render_by(name: str, clock: str, at: datetime, look: Look, *, bot: bool, answering: str = "") -> Markup:
    """The line above a card: who, when, and what it answers."""
    answered = h("code", answering) if answering.startswith("/") else answering
    return h(
        "header",
        h("b", name),
        h("span", look.chrome.bot, class_="badge") if bot else None,
        h("time", clock, datetime=at.isoformat(timespec="minutes")),
        h("span", look.chrome.answering, " ", answered, class_="asked") if answering else None,
        class_="by",
    )


def render_face(name: str, *, bot: bool) -> Markup:
    """The sign in front of a line: the bot's sheet, or a member's last sign."""
    if bot:
        return h("span", SHEET, class_="face", aria_hidden="true")
    return h("span", name[-1:].upper(), class_="face m", aria_hidden="true")


def render_button(button: Button) -> Markup:
    """A button whose whole state is its id."""
    kind = {"first": " go", "plain": "", "quiet": " quiet", "warn": " warn"}[button.kind]
    fills = button.id.startswith(FILL)
    return h(
        "button",
        button.label,
        h("span", f" {button.spoken}", class_="vh") if button.spoken else None,
        type="button",
        class_=f"btn{kind}",
        data_do="fill" if fills else "press",
        data_value=button.id.removeprefix(FILL),
        data_label=None if fills else button.label,
        disabled=button.disabled,
        aria_pressed="true" if button.pressed else None,
    )


# ---- blocks ----


def _file(file: File) -> Markup:
    """A link that saves it; the data stand in the page itself."""
    data = f"data:application/octet-stream;base64,{b64encode(file.data).decode()}"
    return h(
        "a",
        SHEET,
        h("span", h("b", file.name), h("small", f"{file.label} · {_size(len(file.data))}"), class_="of"),
        href=data,
        download=file.name,
        class_="file",
    )


def _size(count: int) -> str:
    return (
        f"{count}\u00a0B"
        if count < 1_000
        else f"{count / 1_000:.1f}\u00a0kB"
        if count < 1_000_000
        else f"{count / 1_000_000:.1f}\u00a0MB"
    )


def _heading(text: Text, level: str, look: Look) -> Markup:
    match level:
        case "question":
            return h("h2", render_text(text, look), class_="ask")
        case "section":
            return h("h3", render_text(text, look), class_="name section")
        case _:
            return h("h2", render_text(text, look), class_="name")


def _entries(items: tuple[Entry, ...], look: Look) -> Markup:
    numbered = any(item.number is not None for item in items)
    return h("ol" if numbered else "ul", *(_entry(item, look) for item in items), class_="list")


def _entry(entry: Entry, look: Look) -> Markup:
    lines = list(entry.lines)
    identity = h("span", "· ", h("span", entry.paper, class_="id"), class_="nb") if entry.paper else None
    body = h(
        "div",
        h("h3", render_shown(entry.shown, look)),
        h("p", render_text(lines[0], look), " ", identity, class_="meta") if lines else None,
        *(h("p", render_text(line, look), class_="meta") for line in lines[1:]),
        h("p", h("span", entry.paper, class_="id"), class_="meta") if entry.paper and not lines else None,
        h("p", render_text(entry.excerpt, look), class_="read", lang=lang_of(entry.excerpt))
        if entry.excerpt
        else None,
        h("blockquote", entry.quote, class_="quote", dir="auto") if entry.quote else None,
    )
    buttons = (
        h("span", *(render_button(button) for button in entry.buttons), class_="side-btn")
        if entry.buttons
        else None
    )
    if entry.number is None:
        return h("li", body, buttons, class_="item")
    return h("li", h("span", str(entry.number), class_="n"), body, buttons, class_="item numbered")


def _bar(bar: Bar, look: Look) -> Markup:
    won = look.chrome.won if bar.won else ""
    share = _percent(bar.votes, bar.total)
    spoken = f"{bar.value} {won}".strip()
    picture = h("span", h("i", style=f"width:{share}%"), class_="b", role="img", aria_label=spoken)
    value = join(h("b", bar.value), f" {won}") if won else bar.value
    marked = "won" if bar.won else None
    return join(
        h("dt", h("b", render_text(bar.label, look)), class_=marked),
        h("dd", picture, h("span", value, class_="v", aria_hidden="true"), class_=marked),
    )


def _meter(meter: Meter, said: Iterable[str]) -> Markup:
    share = _percent(meter.votes, meter.total)
    picture = h(
        "div",
        h("i", style=f"width:{share}%"),
        class_="turn",
        role="img",
        aria_label=meter.text,
    )
    return (
        picture
        if meter.text in said
        else h("div", h("p", meter.text, class_="turnout"), picture, class_="meter")
    )


def _percent(part: int, whole: int) -> int:
    return round(100 * min(part, whole) / whole) if whole > 0 else 0


def _fact(fact: Fact, look: Look) -> Markup:
    note = h("small", render_text(fact.note, look)) if fact.note else None
    return h("div", h("dt", fact.label), h("dd", render_text(fact.value, look), " " if note else None, note))


def _winner(winner: Winner, look: Look) -> Markup:
    lines = (h("span", render_text(line, look), class_="line-of") for line in winner.lines)
    return h(
        "div",
        h("span", winner.label, class_="tag"),
        h("h2", render_shown(winner.shown, look)),
        h("p", *lines, class_="meta") if winner.lines else None,
        class_="win",
    )


def _table(table: Table, look: Look) -> Markup:
    """The circle in it, if there is one, then the cells: they scroll by themselves where the card is too narrow."""
    head = (h("th", name, scope="col") for name in table.head)
    rows = (
        h(
            "tr",
            h("th", _number_first(name), scope="row"),
            *(_cell(cell, (number, at) in table.aside) for at, cell in enumerate(cells)),
            class_="won" if number == table.won else None,
        )
        for number, (name, *cells) in enumerate(table.rows)
    )
    drawn = h(
        "table",
        h("caption", table.caption) if table.caption else None,
        h("thead", h("tr", h("td"), *head)),
        h("tbody", *rows),
        class_="duel",
    )
    cells = h("div", drawn, class_="pairs", role="group", tabindex="0", aria_label=table.caption or None)
    return join(_circle(table, look), cells)


def _circle(table: Table, look: Look) -> Markup | None:
    """Papers that beat each other; the names without the numbers that the cells below need."""
    rows = table.circle
    if not 3 <= len(rows) <= _MOST_IN_CIRCLE:
        return None
    names = [table.rows[row][0].partition(" ")[2] for row in rows]
    arrows = []
    for one, other in zip(rows, (*rows[1:], rows[0]), strict=True):
        duel = _DUEL.fullmatch(table.rows[one][other + 1])
        aside = (one, other) in table.aside
        arrows.append((duel[1] if duel else "", look.chrome.aside if aside else ""))
    return render_circle(names, arrows)


def _cell(cell: str, aside: bool) -> Markup:
    """Of '3 : 2 won' the numbers above the word; more on its side than against it stands out."""
    found = _DUEL.fullmatch(cell)
    if found is None:
        return h("td", cell, class_="x" if aside else None if cell.strip(" –-") else "self")
    numbers, ours, theirs, word = found.groups()
    kind = "x" if aside else "w" if int(ours) > int(theirs) else None
    return h("td", numbers, " " if word else None, h("small", word) if word else None, class_=kind)


def _number_first(name: str) -> Markup:
    """Of '1 WorldTravel' the number in front."""
    number, blank, rest = name.partition(" ")
    return join(h("span", number, class_="n"), " ", rest) if blank and number.isdecimal() else join(name)


def _commands(group: Commands) -> Markup:
    rows = (
        join(
            h(
                "dt",
                h(
                    "button",
                    h("code", item.command),
                    type="button",
                    class_="cmd",
                    data_do="fill",
                    data_value=item.command,
                ),
            ),
            h("dd", item.text),
        )
        for item in group.items
    )
    return h("section", h("h3", group.heading), h("dl", *rows, class_="cmds"), class_="set")


def _branch(branch: Branch, *, leaf: bool = False) -> Markup:
    sign = None if leaf else h("i", "▾" if branch.open else "▸", class_="tri", aria_hidden="true")
    count = h(
        "span",
        h("span", str(branch.count), aria_hidden="true"),
        h("span", branch.spoken, class_="vh"),
        class_="num",
    )
    row = h(
        "button",
        h("span", sign, branch.label if leaf else h("b", branch.label)),
        " ",
        count,
        type="button",
        class_="area",
        data_do="press",
        data_value=branch.id,
        data_label=branch.label,
        aria_expanded=None if leaf else str(branch.open).lower(),
    )
    if not branch.leaves:
        return row
    return join(row, h("div", *(_branch(item, leaf=True) for item in branch.leaves), class_="areas subs"))


def _try(items: Sequence[tuple[Text, Button | None]], look: Look) -> Markup:
    rows = (
        h(
            "li",
            h("span", str(number), class_="n"),
            h("span", render_text(text, look)),
            render_button(button) if button else None,
        )
        for number, (text, button) in enumerate(items, 1)
    )
    return h("ol", *rows, class_="try")


def _actions(items: tuple[Button | Menu, ...], end: str) -> Markup:
    four = len(items) == 4 and isinstance(items[0], Button) and items[0].kind == "first"
    drawn = (render_button(item) if isinstance(item, Button) else _menu(item) for item in items)
    return h(
        "div",
        *drawn,
        h("span", end, class_="end") if end else None,
        class_=f"row fill{' four' if four else ''}",
    )


def _menu(menu: Menu) -> Markup:
    """A list that opens in its place: a native select would press at the first arrow key."""
    rows = (h("li", _menu_option(menu, option)) for option in menu.options)
    return h("details", h("summary", menu.label, class_="btn"), h("ul", *rows), class_="menu")


def _menu_option(menu: Menu, option: Option) -> Markup:
    number = f"{option.number}. " if option.number is not None else None
    note = h("small", option.note) if option.note else None
    return h(
        "button",
        number,
        option.label,
        " " if note else None,
        note,
        type="button",
        data_do="press",
        data_value=f"{menu.id}:{option.value}",
        data_label=option.label,
        aria_current="true" if option.chosen else None,
    )


def has_relative(message: Message | Form) -> bool:
    """Whether a card says 'in 2 hours' somewhere, so that it is drawn anew when the clock has moved."""
    said: object = message.blocks if isinstance(message, Message) else message
    return "style='relative'" in repr(said)
