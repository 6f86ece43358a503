"""What is cut when a message is larger than Discord takes: quotes and excerpts first, then all words, then parts.

Pages keep to their budgets, so this is a last resort; what comes out of it is always accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from bot.messages.cut import cut, length
from bot.messages.model import (
    Block,
    Branch,
    Button,
    ChannelRef,
    Code,
    Entries,
    Excerpt,
    Inline,
    Link,
    Mark,
    Menu,
    Message,
    Strong,
    Text,
    When,
)

Native = dict[str, Any]

COMPONENTS = 40
"""Of a message, nested ones counted, the container too."""
CHARACTERS = 4_000
"""Of all texts of a message."""
ROW, TEXT, SECTION, SEPARATOR, FILE = 1, 10, 9, 14, 13
_QUOTES = (None, 2_800, 2_000, 1_200, 600, 300, 160, 80, 0)
_WORDS = (300, 150, 75, 30)
_STEPS = (*((quotes, None) for quotes in _QUOTES), *((0, words) for words in _WORDS))
"""Characters of a quote or excerpt, and of any other text."""
_INLINE = (str, Strong, Code, Mark, When, Link, ChannelRef)
_SOLID = 22
"""About what an instant or a channel takes, of which nothing can be cut."""


def fits(children: Sequence[Native]) -> bool:
    """Whether Discord takes these parts of a container. Characters are UTF-16 units, the larger of two counts."""
    return _count(children) <= COMPONENTS and _size(children) <= CHARACTERS


def fitted(message: Message, draw: Callable[[Message], list[Native]], kept: str) -> list[Native]:
    """The parts of a message that is too large. The text that ends in `kept` is the last to go."""
    children: list[Native] = []
    for quotes, words in _STEPS:
        blocks = tuple(_shorter(block, quotes, words) for block in message.blocks)
        children = _fewer(draw(replace(message, blocks=blocks)), kept)
        if fits(children):
            return children
    while len(children) > 1 and not fits(children):
        _drop(children, kept)
    for child in children:
        for part in (child, *child.get("components", ())):
            if "content" in part:
                part["content"] = cut(part["content"], CHARACTERS)
    return children


def cut_text(text: Text, limit: int) -> Text:
    """`text` if it fits, else its beginning with one '…'; what stands out in it still does."""
    kept: list[Inline] = []
    for part in text:
        solid = isinstance(part, When | ChannelRef)
        words = part if isinstance(part, str) else "" if isinstance(part, When | ChannelRef) else part.text
        size = _SOLID if solid else length(words)
        if size <= limit:
            kept.append(part)
            limit -= size
            continue
        rest = cut(words, limit)
        if rest:
            kept.append(rest if isinstance(part, str | When | ChannelRef) else replace(part, text=rest))
        break
    return tuple(kept)


def _shorter(block: Block, quotes: int | None, words: int | None) -> Block:
    if quotes is not None:
        if isinstance(block, Excerpt):
            block = Excerpt(cut_text(block.text, quotes))
        elif isinstance(block, Entries):
            items = (
                replace(entry, excerpt=cut_text(entry.excerpt, quotes), quote=cut(entry.quote, quotes))
                for entry in block.items
            )
            block = Entries(tuple(items))
    if words is None:
        return block
    shorter: Block = _all_shorter(block, words)
    return shorter


def _all_shorter(value: Any, limit: int) -> Any:
    """The value with every text in it cut; what stands in buttons and menus has room of its own."""
    match value:
        case str():
            return cut(value, limit)
        case Button() | Menu() | Branch() | When():
            return value
        case tuple() if value and all(isinstance(part, _INLINE) for part in value):
            return cut_text(value, limit)
        case tuple():
            return tuple(_all_shorter(part, limit) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _all_shorter(getattr(value, f.name), limit) for f in fields(value)})
    return value


def _fewer(children: list[Native], kept: str) -> list[Native]:
    """Within the number of components: without rules, then with neighbouring texts as one, then without the end."""
    if _count(children) <= COMPONENTS:
        return children
    joined: list[Native] = []
    for child in children:
        if child["type"] == TEXT and joined and joined[-1]["type"] == TEXT:
            joined[-1] = {"type": TEXT, "content": f"{joined[-1]['content']}\n{child['content']}"}
        elif child["type"] != SEPARATOR:
            joined.append(child)
    while len(joined) > 1 and _count(joined) > COMPONENTS:
        _drop(joined, kept)
    return joined


def _drop(children: list[Native], kept: str) -> None:
    """Without the last part, but for the text that is kept and a file."""
    for at in range(len(children) - 1, -1, -1):
        if children[at]["type"] != FILE and not (kept and children[at].get("content", "").endswith(kept)):
            del children[at]
            return
    del children[-1]


def _count(children: Sequence[Native]) -> int:
    total = 1
    for child in children:
        kind = child["type"]
        total += 3 if kind == SECTION else 1 + len(child["components"]) if kind == ROW else 1
    return total


def _size(children: Sequence[Native]) -> int:
    total = 0
    for child in children:
        kind = child["type"]
        if kind == TEXT:
            total += length(child["content"])
        elif kind == SECTION:
            total += length(child["components"][0]["content"])
    return total
