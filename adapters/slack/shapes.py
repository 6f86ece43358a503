"""The shapes of Block Kit a message is made of: rich_text, headers, small print. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adapters.slack.controls import words
from adapters.slack.fit import PART, QUOTE
from adapters.slack.marks import cut_elements, is_blank, joined, styled
from bot.messages.cut import length
from bot.messages.model import Table

Native = dict[str, Any]

SECTION = "rich_text_section"
_HEADER = 150
_ROWS, _COLUMNS, _CELL = 100, 20, 75


def section(said: list[Native]) -> list[Native]:
    """A text of its own; none where there is nothing to say."""
    return rich(part(SECTION, said))


def rich(parts: list[Native]) -> list[Native]:
    """Texts and quotes in one block."""
    return [{"type": "rich_text", "elements": parts}] if parts else []


def part(kind: str, said: list[Native]) -> list[Native]:
    """One text of a rich_text; none where there is nothing to say."""
    return [] if is_blank(said) else [{"type": kind, "elements": cut_elements(said, PART)}]


def header(text: str) -> list[Native]:
    """The headline of a message, once in it."""
    return [{"type": "header", "text": words(text, _HEADER)}] if text else []


def context(*texts: str) -> list[Native]:
    """Small print, each text beside the one before it."""
    said = [words(text, PART) for text in texts if text.strip()]
    return [{"type": "context", "elements": said}] if said else []


def lines(said: Iterable[list[Native]]) -> list[Native]:
    """The lines that say something, one below the other."""
    whole: list[Native] = []
    for line in said:
        if not is_blank(line):
            whole += [*styled("\n"), *line] if whole else line
    return joined(whole)


def table(item: Table) -> list[Native]:
    """A table whose corner says how it is read; none where it has no rows."""
    rows = [(item.caption, *item.head), *item.rows][:_ROWS]
    width = min(_COLUMNS, max(map(len, rows)))
    if not item.rows:
        return []
    cells = [[_cell(row[at] if at < len(row) else "") for at in range(width)] for row in rows]
    settings: list[Native] = [
        {"align": "left", "is_wrapped": True},
        *({"align": "center"} for _ in cells[0][1:]),
    ]
    return [{"type": "table", "column_settings": settings, "rows": cells}]


def go_on(above: Native, below: Native, *, in_line: bool) -> None:
    """One rich_text with both: in the same section where it can be, else with a blank line between."""
    last, (first, *_) = above["elements"][-1], below["elements"]
    if first["type"] == QUOTE:
        if last["type"] == SECTION:
            last["elements"] = joined([*last["elements"], *styled("\n")])
    elif last["type"] == SECTION and in_line and _fit_one(last, first):
        last["elements"] = joined([*last["elements"], *styled("\n"), *first["elements"]])
        return
    elif last["type"] == SECTION:
        first["elements"] = _under(first["elements"])
    above["elements"] += below["elements"]


def _fit_one(*texts: Native) -> bool:
    """Whether texts have room in one, each on its own line."""
    return sum(1 + length(said.get("text", "")) for text in texts for said in text["elements"]) <= PART


def _under(said: list[Native]) -> list[Native]:
    """A line break in front, inside the first text where it is one."""
    first = said[0]
    if first["type"] == "text":
        return [first | {"text": "\n" + first["text"]}, *said[1:]]
    return [*styled("\n"), *said]


def _cell(text: str) -> Native:
    """One cell, never empty."""
    return {"type": "raw_text", "text": words(text, _CELL)["text"] if text.strip() else "–"}
