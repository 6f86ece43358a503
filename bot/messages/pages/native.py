"""The few words a platform puts around a message of its own accord."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from bot.messages.words import words_for

_ANOTHER_YEAR = datetime(1900, 1, 1, 12, tzinfo=UTC)
"""So that the year is always told."""


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


def at_time_line(language: str, day: str, time: str) -> str:
    """'{date_long} at {time}': a day and a time of day, each as the platform words it."""
    return words_for(language).line("{date} at {time}", date=day, time=time)


@lru_cache(maxsize=512)
def instant_line(language: str, at: datetime, zone: str, style: str = "moment") -> str:
    """'Fri 4 Dec 2026, 17:00' in `zone`, for where a platform cannot word an instant itself; `style` as of `When`."""
    words = words_for(language)
    match style:
        case "date":
            return words.date(at, zone, _ANOTHER_YEAR)
        case "time":
            return words.clock(at, zone)
    return words.moment(at, zone, _ANOTHER_YEAR)


def headed_line(language: str, label: str, text: str) -> str:
    """'Winner: …'."""
    return words_for(language).line("{where}: {what}", where=label, what=text)


def read_line(language: str) -> str:
    """Over a menu of papers to read."""
    return words_for(language).line("Read a paper")
