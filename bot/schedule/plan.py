"""What is due when, as a list: a club's week or one daily time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Literal

from bot.clubs.model import Club, Weekday, is_paused
from bot.schedule.slots import Slot, slots_between

Kind = Literal["daily", "open", "close", "meeting"]


@dataclass(frozen=True, slots=True)
class Due:
    """One thing due: the set wall time, the real one, and the instant, in ISO 8601."""

    kind: Kind
    scheduled: str
    local: str
    zone: str
    utc: str

    def as_json(self) -> dict[str, str]:
        """The keys docs/terminal.md names."""
        return {
            "kind": self.kind,
            "scheduled": self.scheduled,
            "local": self.local,
            "zone": self.zone,
            "utc": self.utc,
        }


def daily_plan(at: time, days: Collection[Weekday], zone: str, start: datetime, end: datetime) -> list[Due]:
    """Every slot of a daily time with ``start <= instant < end``."""
    return [_due("daily", slot) for slot in slots_between(start, end, at, days, zone)]


def club_plan(club: Club, start: datetime, end: datetime) -> list[Due]:
    """Everything a club's settings ask for, in order; what a round froze at its opening may differ.

    While the club is paused nothing is due but the closing of a vote that is open.
    """
    settings = club.settings
    wanted: list[tuple[Kind, time, Collection[Weekday]]] = []
    if settings.daily_on:
        wanted.append(("daily", settings.daily_time, settings.daily_days))
    if settings.vote_on:
        wanted += [
            ("open", settings.vote_opens_time, (settings.vote_opens_day,)),
            ("close", settings.vote_closes_time, (settings.vote_closes_day,)),
            ("meeting", settings.meeting_time, (settings.meeting_day,)),
        ]
    found = [
        (slot.due, kind, slot)
        for kind, at, days in wanted
        for slot in slots_between(start, end, at, days, club.zone)
        if kind == "close" or not is_paused(club, slot.due)
    ]
    return [_due(kind, slot) for _, kind, slot in sorted(found, key=lambda each: (each[0], each[1]))]


def _due(kind: Kind, slot: Slot) -> Due:
    return Due(
        kind,
        slot.scheduled.isoformat(timespec="seconds"),
        slot.local.isoformat(timespec="seconds"),
        slot.zone,
        slot.due.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
    )
