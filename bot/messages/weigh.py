"""How much of a platform's room a message takes: the budgets pages are cut to."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache, lru_cache

from bot.messages.cut import length
from bot.messages.model import Actions, Block, Button, Entries, Menu, Message, Table, Tree, Try, When

CHARACTERS = 3_900
"""Of Discord's 4,000; the rest is the renderer's own signs."""
COMPONENTS = 40
"""Discord's."""
BLOCKS = 50
"""Slack's."""

_ESCAPED = re.compile(r"[\\*_~`|<>\[\]@#]")
_MOMENT = 50
"""`<t:1796400000:F> (<t:1796400000:R>)` and the club's own time."""


def characters(value: object) -> int:
    """An upper bound of the characters drawn: every sign that markup would need to escape counts twice."""
    kind: type = type(value)  # asked once, and plain loops: this runs over every word of every page
    if kind is str:
        return _written(value)
    if kind is tuple:
        total = 0
        for part in value:  # type: ignore[attr-defined]
            total += characters(part)
        return total
    if isinstance(value, Table):  # drawn as cells or as lines, never as both
        return max(characters(value.lines), characters((value.caption, value.head, value.rows)))
    total, parts = _parts(kind)
    for name in parts:
        total += characters(getattr(value, name))
    return total


@lru_cache(1024)
def _written(text: str) -> int:
    return length(text) + len(_ESCAPED.findall(text))


@cache
def _parts(kind: type) -> tuple[int, tuple[str, ...]]:
    """What a block or a part of one weighs by itself, and its fields that are drawn."""
    if kind is When:
        return _MOMENT, ()
    # What stands in buttons and menus has room of its own.
    if kind in (Button, Menu, Tree) or not is_dataclass(kind):
        return 0, ()
    return 3, tuple(each.name for each in fields(kind) if each.name != "id")


def components(message: Message) -> int:
    """Discord components: the container, a text, three for an entry with a button, rows and their buttons."""
    return 1 + sum(_components(block) for block in message.blocks)


def blocks(message: Message) -> int:
    """Slack blocks: one a block, one an entry with a button of its own more."""
    return sum(len(b.items) if isinstance(b, Entries | Actions | Try) else 1 for b in message.blocks)


def first_that_fits(*pages: Callable[[], Message]) -> Message:
    """The first page within the character budget, else the last: what is cut first stands in their order."""
    for page in pages[:-1]:
        message = page()
        if sum(characters(block) for block in message.blocks) <= CHARACTERS:
            return message
    return pages[-1]()


def _components(block: Block) -> int:
    match block:
        case Entries(items):
            return sum(3 if entry.buttons else 1 for entry in items)
        case Try(items):
            return 3 * len(items)
        case Tree():
            return 4
        case Actions(items):
            menus = sum(isinstance(item, Menu) for item in items)
            buttons = len(items) - menus
            return 2 * menus + buttons + -(-buttons // 5) + bool(block.end)
    return 1
