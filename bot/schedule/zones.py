"""What people write for zones, times and weekdays; the zones there are come from the tzdata package."""

from __future__ import annotations

import re
import zoneinfo
from datetime import time
from functools import cache
from zoneinfo import ZoneInfo

from bot.clubs.model import WEEKDAYS, WORKDAYS, Weekday
from bot.errors import BadInput

# The system's zone files differ from host to host (Debian moved US/Eastern to a package of its own);
# the tzdata package is a pinned dependency, so every host gives the same answers.
zoneinfo.reset_tzpath(to=())

EXAMPLES = ("Europe/Berlin", "America/New_York", "Asia/Shanghai")
_NO_PLACE = frozenset({"EST", "MST", "HST"})
_QUOTES = " \t\r\n\"'`“”„‘’«»"


@cache
def _names() -> dict[str, str]:
    """Every zone by its folded name; 'Factory' is a placeholder of the data, no zone."""
    return {name.casefold(): name for name in zoneinfo.available_timezones() if name != "Factory"}


def zone_names() -> list[str]:
    """Every accepted zone, sorted; for autocomplete."""
    return sorted(_names().values())


def is_zone(name: str) -> bool:
    """Whether `name` is exactly a zone of the data in use; a stored one may have vanished since."""
    return _names().get(name.casefold()) == name


def get_zone(name: str) -> ZoneInfo:
    """The rules of a stored zone; UTC when the name is not in the data (any more): no clock stops for it."""
    return _load(name if is_zone(name) else "UTC")


@cache
def _load(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def lacks_summer_time(zone: str) -> bool:
    """Whether `zone` is an abbreviation whose clocks never change (EST, MST, HST), which surprises people."""
    return zone in _NO_PLACE


def read_zone(text: str) -> str:
    """The IANA name somebody meant: case, blanks and quotes are mended, old aliases kept.

    Raises: BadInput('error.zone') with `zone` and `examples`; offsets and made-up abbreviations (PST, UTC+2)
    are refused, since they do not say when clocks change.
    """
    wanted = "_".join(text.strip(_QUOTES).split())
    found = _names().get(wanted.casefold())
    if found is None:
        raise BadInput("error.zone", field="zone", zone=text.strip()[:60], examples=EXAMPLES)
    return found


_TIME = re.compile(r"(\d{1,2})(?:\s*[:.h：]\s*(\d{2}))?\s*([ap])?\.?(?:m\.?)?\Z", re.IGNORECASE)


def read_time(text: str) -> time:
    """A wall time to the minute: ``9:00``, ``09.30``, ``9``, ``5 pm``. Raises: BadInput('error.time')."""
    found = _TIME.match(text.strip(_QUOTES))
    if found is not None:
        hour, minute, half = int(found[1]), int(found[2] or 0), (found[3] or "").lower()
        if half and not 1 <= hour <= 12:
            hour = 24
        elif half:
            hour = hour % 12 + (12 if half == "p" else 0)
        if hour < 24 and minute < 60:
            return time(hour, minute)
    raise BadInput("error.time", field="time", time=text.strip()[:60])


_CHINESE = dict(zip("一二三四五六日天", (*WEEKDAYS, WEEKDAYS[6]), strict=True))
_FULL = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _weekday(word: str) -> Weekday | None:
    """One weekday: an unambiguous beginning, a Chinese name, or cron's number (0 and 7 are Sunday)."""
    if word.isascii() and word.isdigit():
        return WEEKDAYS[(int(word) - 1) % 7] if int(word) <= 7 else None
    if word[:-1] in ("周", "星期", "礼拜", "") and word[-1:] in _CHINESE:
        return _CHINESE[word[-1]]
    stem = word.rstrip(".")
    fits = [day for day, full in zip(WEEKDAYS, _FULL, strict=True) if stem and full.startswith(stem)]
    if len(fits) != 1 and stem.endswith("s"):
        fits = [day for day, full in zip(WEEKDAYS, _FULL, strict=True) if full == stem[:-1]]
    return fits[0] if len(fits) == 1 else None


def read_weekday(text: str) -> Weekday:
    """One weekday: ``fri``, ``Friday``, ``周五`` or cron's number, where 1 is Monday and 0 and 7 are Sunday.

    Raises: BadInput('error.weekday'). Numbers follow POSIX crontab(5), not Python's Monday = 0.
    """
    day = _weekday(text.strip(_QUOTES).casefold())
    if day is None:
        raise BadInput("error.weekday", field="weekday", weekday=text.strip()[:60])
    return day


_EVERY = frozenset({"daily", "all", "every day", "everyday", "*", "每天"})
_WORK = frozenset({"weekdays", "workdays", "working days", "工作日"})


def read_days(text: str) -> tuple[Weekday, ...]:
    """Weekdays in the order of the week, from ``mon-fri``, ``mon, wed``, ``1-5``, ``sat-mon``, ``daily``.

    Raises: BadInput('error.days').
    """
    wanted = " ".join(text.strip(_QUOTES).casefold().split())
    if wanted in _EVERY:
        return WEEKDAYS
    if wanted in _WORK:
        return WORKDAYS
    wanted = re.sub(r"\s*(?:[-–—~]|\bto\b|至|到)\s*", "-", wanted)
    days: set[Weekday] = set()
    for part in re.split(r"[\s,;、，/+&]+|\band\b", wanted):
        ends = [_weekday(word) for word in part.split("-")] if part else []
        if None in ends or len(ends) > 2:
            days.clear()
            break
        indices = [WEEKDAYS.index(day) for day in ends if day is not None]
        if indices:
            span = (indices[-1] - indices[0]) % 7
            days.update(WEEKDAYS[(indices[0] + step) % 7] for step in range(span + 1))
    if not days:
        raise BadInput("error.days", field="days", days=text.strip()[:60])
    return tuple(day for day in WEEKDAYS if day in days)
