"""What is cut when a message is larger than Slack takes: quotes, then all words, then parts; never who is called. Pure.

Pages keep to their budgets, so this is a last resort; what comes out of it is always accepted.
"""

from __future__ import annotations

from typing import Any

from adapters.slack.marks import cut_elements, is_blank
from bot.messages.cut import cut, length

Native = dict[str, Any]

BLOCKS = 50
CHARACTERS = 9_000
"""Of all blocks together. Slack tells no number: 9,597 were taken and 11,341 refused."""
PART = 3_000
"""Of one text."""
QUOTE = "rich_text_quote"
_QUOTES = (1_200, 600, 300, 160, 80, 1)
_WORDS = (300, 150, 75, 30)
_STEPS = (*((quotes, PART) for quotes in _QUOTES), *((1, words) for words in _WORDS))
"""Characters of a quote, and of any other text."""


def fitted(blocks: list[Native]) -> list[Native]:
    """The blocks as they are where they fit. Characters are UTF-16 units, the larger of two counts."""
    blocks = _fewer(blocks)
    if _size(blocks) <= CHARACTERS:
        return blocks
    shorter = blocks
    for quotes, words in _STEPS:
        shorter = [_shorter(block, quotes, words) for block in blocks]
        if _size(shorter) <= CHARACTERS:
            return shorter
    while len(shorter) > 1 and _size(shorter) > CHARACTERS:
        del shorter[-1]
    return shorter


def _fewer(blocks: list[Native]) -> list[Native]:
    """Within the number of blocks: without rules, then with neighbouring texts as one, then without the end."""
    if len(blocks) <= BLOCKS:
        return blocks
    joined: list[Native] = []
    for block in blocks:
        if block["type"] == "rich_text" and joined and joined[-1]["type"] == "rich_text":
            joined[-1] = joined[-1] | {"elements": joined[-1]["elements"] + block["elements"]}
        elif block["type"] != "divider":
            joined.append(block)
    return joined[:BLOCKS]


def _shorter(block: Native, quotes: int, words: int) -> Native:
    match block["type"]:
        case "rich_text":
            return block | {"elements": [_part(part, quotes, words) for part in block["elements"]]}
        case "context":
            return block | {"elements": [_text(each, words) for each in block["elements"]]}
        case "table":
            return block | {"rows": [[_text(cell, words) for cell in row] for row in block["rows"]]}
        case "section" | "header":
            return block | {"text": _text(block["text"], words)}
    return block


def _part(part: Native, quotes: int, words: int) -> Native:
    if part["type"] == "rich_text_list":
        return part | {"elements": [_part(each, quotes, words) for each in part["elements"]]}
    kept = cut_elements(part["elements"], quotes if part["type"] == QUOTE else words)
    called = [each for each in part["elements"] if each["type"] == "usergroup" and each not in kept]
    return part | {"elements": ([{"type": "text", "text": "…"}] if is_blank(kept) else kept) + called}


def _text(native: Native, limit: int) -> Native:
    return native | {"text": cut(native["text"], limit)}


def _size(native: object) -> int:
    """Characters of everything that is read, also in menus."""
    if isinstance(native, list):
        return sum(map(_size, native))
    if not isinstance(native, dict):
        return 0
    total = 0
    for key, value in native.items():
        if isinstance(value, str):
            total += length(value) if key in ("text", "fallback") else 0
        elif key not in ("style", "initial_option"):
            total += _size(value)
    return total
