"""Buttons, menus and options as Slack takes them, and what a press on one of them says. Pure.

A press is the element's action id, or of a menu the action id with the chosen value behind a colon, the same
string as on every platform. The menus of a tree have no id of their own: theirs begin with '~', and the value is
the whole press. Slack wants action ids unique in their block only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adapters.slack.marks import Look, clean, named, plain
from bot.messages.cut import cut, length
from bot.messages.model import Branch, Button, Entry, Menu, Option, Tree

Native = dict[str, Any]

MOST_OPTIONS = 100
_IN_A_BLOCK = 25
_ID, _LABEL, _OPTION, _VALUE, _PLACEHOLDER = 255, 75, 75, 150, 150
_BLANK = "…"
_TREE = "~"


def press_of(action: Mapping[str, Any]) -> str:
    """The action id, as the core knows it, of one of a payload's `actions`; '' where there is none."""
    action_id = str(action.get("action_id") or "")
    option = action.get("selected_option")
    if not isinstance(option, Mapping):
        return action_id
    value = str(option.get("value") or "")
    return value if action_id.startswith(_TREE) else f"{action_id}:{value}"


def words(text: str, limit: int) -> Native:
    """A plain_text object, in which signs between colons stay as they are; never empty."""
    return {"type": "plain_text", "text": cut(" ".join(clean(text).split()), limit) or _BLANK, "emoji": False}


def button(item: Button, label: str = "") -> Native | None:
    """A button; None for one that cannot be pressed. `label` stands in place of its own."""
    if item.disabled or not _fits(item.id, _ID):
        return None
    label = label or item.label
    drawn: Native = {"type": "button", "text": words(label, _LABEL), "action_id": item.id}
    if item.kind == "first" or item.pressed:
        drawn["style"] = "primary"
    elif item.kind == "warn":
        drawn["style"] = "danger"
    if item.spoken.strip():
        drawn["accessibility_label"] = words(f"{label} {item.spoken}", _LABEL)["text"]
    return drawn


def menu(item: Menu, look: Look) -> Native | None:
    """A menu of at most a hundred; None where there is nothing to choose."""
    options = options_of(item.options, look)[:MOST_OPTIONS]
    if not options or not _fits(item.id, _ID):
        return None
    native: Native = {"type": "static_select", "action_id": item.id}
    if item.label.strip():
        native["placeholder"] = words(item.label, _PLACEHOLDER)
    native["options"] = options
    if chosen := chosen_of(item.options, options)[:1]:
        native["initial_option"] = chosen[0]
    return native


def rows(drawn: Iterable[Native | None]) -> list[Native]:
    """Actions blocks of what is there, each action id once."""
    once = list({each["action_id"]: each for each in reversed(list(drawn)) if each}.values())[::-1]
    return [
        {"type": "actions", "elements": once[start : start + _IN_A_BLOCK]}
        for start in range(0, len(once), _IN_A_BLOCK)
    ]


def of_entries(entries: Sequence[Entry]) -> list[Native]:
    """The buttons of a list in a row below it, each with the number of its paper."""
    return rows(
        button(each, each.label if entry.number is None else f"{each.label} {entry.number}")
        for entry in entries
        for each in entry.buttons
    )


def one_menu(entries: Sequence[Entry], label: str, look: Look) -> Native | None:
    """The buttons of a list as one menu; None where they do not all do the same."""
    pressed = [(entry, each) for entry in entries for each in entry.buttons]
    kinds = {each.id.partition(":")[0] for _, each in pressed}
    if len(kinds) != 1 or any(each.disabled for _, each in pressed):
        return None
    options = tuple(
        Option(each.id.partition(":")[2], each.label, number=entry.number, shown=entry.shown)
        for entry, each in pressed
    )
    return menu(Menu(kinds.pop(), label, options), look)


def tree(item: Tree, look: Look) -> list[Native]:
    """A menu of the areas, then one of what the open one holds; a long list goes on in another menu."""
    open_one = next((branch for branch in item.items if branch.open), None)
    levels = [("", item.items)] + ([(open_one.label, open_one.leaves)] if open_one else [])
    drawn: list[Native | None] = []
    for label, branches in levels:
        options = tuple(_branch(branch) for branch in branches)
        for start in range(0, len(options), MOST_OPTIONS):
            part = options[start : start + MOST_OPTIONS]
            drawn.append(menu(Menu(f"{_TREE}{len(drawn)}", label, part), look))
    return rows(drawn)


def options_of(items: Iterable[Option], look: Look) -> list[Native]:
    """Options with the number in front, each value once; the value tells apart those that look alike."""
    drawn: dict[str, Native] = {}
    for item in items:
        if item.value in drawn or not _fits(item.value, _VALUE):
            continue
        shown = plain(item.shown.name + item.shown.rest, look) if item.shown else ""
        number = "" if item.number is None else f"{item.number} "
        option: Native = {"text": words(number + (shown or named(item.label, look) or item.value), _OPTION)}
        if item.note.strip():
            option["description"] = words(named(item.note, look), _OPTION)
        drawn[item.value] = option | {"value": item.value}
    alike = Counter(option["text"]["text"] for option in drawn.values())
    for value, option in drawn.items():
        if alike[option["text"]["text"]] > 1:
            option["description"] = words(value, _OPTION)
    return list(drawn.values())


def chosen_of(items: Iterable[Option], options: Sequence[Native]) -> list[Native]:
    """Those of the drawn options that are chosen, as they are drawn."""
    values = {item.value for item in items if item.chosen}
    return [option for option in options if option["value"] in values]


def _branch(branch: Branch) -> Option:
    return Option(branch.id, branch.label, branch.spoken, branch.open)


def _fits(native_id: str, limit: int) -> bool:
    return bool(native_id.strip()) and length(native_id) <= limit
