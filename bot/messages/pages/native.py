"""The few words a platform puts around a message of its own accord."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from bot.messages.words import words_for


def won_line(language: str) -> str:
    """Behind the number of what won."""
    return words_for(language).line("won")


def listed_line(language: str, first: str, second: str) -> str:
    """Two texts in a platform's own marks, with the language's comma between them."""
    return words_for(language).line("{first}, {second}", first=first, second=second)


def noted_line(language: str, text: str, note: str) -> str:
    """A text and its note, both in a platform's own marks, in the language's brackets."""
    return words_for(language).line("{text} ({note})", text=text, note=note)


@lru_cache(maxsize=512)
def club_time_line(language: str, at: datetime, zone: str) -> str:
    """'17:00 in Europe/Berlin', behind an instant that is worded in each reader's own zone."""
    clock = f"{at.astimezone(ZoneInfo(zone)):%H:%M}"
    return words_for(language).line("{time} in {zone}", time=clock, zone=zone)
