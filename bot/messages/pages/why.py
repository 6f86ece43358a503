"""Why this paper was chosen, in a sentence a member can check."""

from __future__ import annotations

from typing import Protocol

from bot.messages.model import Text
from bot.messages.words import Words


class Choice(Protocol):
    """What daily.choose tells of a pick."""

    @property
    def kind(self) -> str: ...

    @property
    def area(self) -> str | None: ...

    @property
    def subarea(self) -> str | None: ...


def why_this(words: Words, reason: Choice) -> tuple[str, Text]:
    """The label ('Why this paper:') and the reason after it."""
    if reason.kind == "organiser":
        return words.labelled("Why this paper: an organiser asked for it.")
    area = words.line("Without a topic") if reason.area is None else reason.area
    topic = area if reason.subarea is None else f"{area} · {reason.subarea}"
    return words.labelled("Why this paper: areas take turns, and it is the turn of {topic}.", topic=topic)
