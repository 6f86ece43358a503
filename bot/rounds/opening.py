"""When the next vote opens, by the club's settings and zone."""

from __future__ import annotations

from datetime import datetime

from bot.clubs.model import Club
from bot.schedule.slots import Slot, next_slot, slot_on
from bot.storage.database import Tx
from bot.storage.slots import drop_slot, find_slot, put_slot

OPEN = "open"
"""The kind of these slots, and of the deliveries that announce a round."""


def next_opening(club: Club, now: datetime) -> Slot | None:
    """The club's first opening time later than `now`; None where it does not vote."""
    settings = club.settings
    if not settings.vote_on:
        return None
    return next_slot(now, settings.vote_opens_time, (settings.vote_opens_day,), club.zone)


def reset_opening(tx: Tx, club: Club, now: datetime) -> None:
    """Bring the club's opening slot in line with its zone and settings; to be called when they change.

    A slot that has come and was not served yet stays: the next tick serves it.
    """
    present, then = find_slot(tx, club.id, OPEN), next_opening(club, now)
    if then is None:
        drop_slot(tx, club.id, OPEN)
    elif present is None:
        put_slot(tx, club.id, OPEN, then)
    else:
        renewed = slot_on(present.day, present.scheduled.time(), present.zone)
        put_slot(tx, club.id, OPEN, renewed if renewed.due <= now else then)
