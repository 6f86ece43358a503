"""What forms and commands give back, field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bot.errors import UserError

Given = Mapping[str, str | list[str]]
Faults = dict[str, UserError | str]
"""What is wrong, by field."""


def take(faults: Faults, field: str, read: Callable[[], Any]) -> Any:
    """Read one field; its fault is kept, so that every fault is told at once."""
    try:
        return read()
    except UserError as error:
        faults[field] = error
        return None


def text_of(values: Given, name: str) -> str:
    """What stands in a field, in one line where several were chosen; '' for nothing."""
    value = values.get(name, "")
    return (value if isinstance(value, str) else " ".join(value)).strip()


def words_of(values: Given, name: str) -> str:
    """The same with commas between what was chosen, as people list days."""
    value = values.get(name, "")
    return (value if isinstance(value, str) else ",".join(value)).strip()


def chosen_of(values: Given, name: str) -> list[str]:
    """Each choice of a field by itself."""
    value = values.get(name, [])
    return [value] if isinstance(value, str) and value else list(value)
