"""Buttons, menus and options as Discord takes them, and what a press on one of them says. Pure.

A press is the component's custom id, or of a menu the custom id with the chosen value behind a colon. The
menus of a tree have no id of their own: theirs begin with '~', and the value is the whole press.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adapters.discord.marks import plain
from bot.messages.cut import cut, length
from bot.messages.model import Actions, Branch, Button, Menu, Option, Tree

Native = dict[str, Any]

MOST_OPTIONS = 25
_ROW, _BUTTON, _SELECT, _TEXT = 1, 2, 3, 10
_IN_A_ROW = 5
_ID, _LABEL, _OPTION, _PLACEHOLDER = 100, 80, 100, 150
_STYLES = {"first": 1, "plain": 2, "quiet": 2, "warn": 4}
_PRESSED = 3
_BLANK = "…"
_TREE = "~"


def press_of(custom_id: str, values: Sequence[str] = ()) -> str:
    """The action id of a press on a button or of a choice in a menu."""
    if not values:
        return custom_id
    return values[0] if custom_id.startswith(_TREE) else f"{custom_id}:{values[0]}"


def button(item: Button, seen: set[str]) -> Native | None:
    """A button; None for one whose id cannot travel, or is drawn already (`seen`, which it joins)."""
    if not _is_new(item.id, seen):
        return None
    style = _PRESSED if item.pressed else _STYLES[item.kind]
    label = cut(item.label, _LABEL) if item.label.strip() else _BLANK
    drawn: Native = {"type": _BUTTON, "style": style, "label": label, "custom_id": item.id}
    if item.disabled:
        drawn["disabled"] = True
    return drawn


def rows(actions: Actions, seen: set[str]) -> list[Native]:
    """Rows of buttons, five in each, and menus in rows of their own; between two pages stands which one it is."""
    drawn: list[Native] = []
    items: tuple[Button | Menu, ...] = actions.items
    end = " ".join(actions.end.split())
    if end and len(items) == 2 and isinstance(items[0], Button):
        items = (items[0], Button(_here(items[0].id), end, disabled=True), items[1])
        end = ""
    row: list[Native] = []
    for item in items:
        if isinstance(item, Menu):
            drawn += [*_row(row), *menu(item, seen)]
            row = []
        elif (each := button(item, seen)) is not None:
            if len(row) == _IN_A_ROW:
                drawn += _row(row)
                row = []
            row.append(each)
    return drawn + _row(row)


def menu(item: Menu, seen: set[str]) -> list[Native]:
    """A row with one menu; none where there is nothing to choose."""
    options = choose_one(options_of(item.options)[:MOST_OPTIONS])
    if not options or not _is_new(item.id, seen):
        return []
    select: Native = {"type": _SELECT, "custom_id": item.id}
    if item.label.strip():
        select["placeholder"] = cut(" ".join(item.label.split()), _PLACEHOLDER)
    return _row([select | {"options": options}])


def tree(item: Tree, seen: set[str]) -> list[Native]:
    """A menu of the areas, then one of what the open one holds; a long list goes on in another menu."""
    open_one = next((branch for branch in item.items if branch.open), None)
    levels = [("", item.items)] + ([(open_one.label, open_one.leaves)] if open_one else [])
    drawn: list[Native] = []
    for label, branches in levels:
        options = tuple(_branch(branch) for branch in branches)
        for start in range(0, len(options), MOST_OPTIONS):
            part = options[start : start + MOST_OPTIONS]
            drawn += menu(Menu(f"{_TREE}{len(seen)}", label, part), seen)
    return drawn


def options_of(items: Iterable[Option]) -> list[Native]:
    """Options with the number in front; those that cannot be told apart by value are drawn once."""
    drawn: dict[str, Native] = {}
    for item in items:
        if not item.value.strip() or length(item.value) > _ID or item.value in drawn:
            continue
        words = plain(item.shown.name + item.shown.rest) if item.shown else ""
        words = words or " ".join(item.label.split()) or item.value
        number = "" if item.number is None else f"{item.number} · "
        option: Native = {"value": item.value, "label": cut(number + words, _OPTION)}
        if item.note.strip():
            option["description"] = cut(" ".join(item.note.split()), _OPTION)
        if item.chosen:
            option["default"] = True
        drawn[item.value] = option
    return list(drawn.values())


def choose_one(options: list[Native]) -> list[Native]:
    """The options with one of them chosen at most, the first."""
    for option in [option for option in options if "default" in option][1:]:
        del option["default"]
    return options


def _row(items: list[Native]) -> list[Native]:
    return [{"type": _ROW, "components": items}] if items else []


def _branch(branch: Branch) -> Option:
    return Option(branch.id, branch.label, branch.spoken, branch.open)


def _here(first: str) -> str:
    """The id of the sign between two pages, which nobody can press: `search:-:QUERY` of `search:1:QUERY`."""
    kind, _, rest = first.partition(":")
    _, colon, tail = rest.partition(":")
    return f"{kind}:-{colon}{tail}"


def _is_new(custom_id: str, seen: set[str]) -> bool:
    if not custom_id.strip() or length(custom_id) > _ID or custom_id in seen:
        return False
    seen.add(custom_id)
    return True
