"""When the next vote opens, by the club's settings and zone."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clubs.model import Club, is_paused
from bot.schedule.slots import Slot, next_slot, slot_on
from bot.storage import rounds as store
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


def find_opening(tx: Tx, club: Club, now: datetime) -> datetime | None:
    """When the club's list is frozen next by itself; None where it does not vote or rests until resumed.

    None too in the moment between an opening's time and the opening. Passed over are openings that will not
    take place: during the pause, during a vote that is open already, and for a meeting that has its paper.
    """
    slot = find_slot(tx, club.id, OPEN)
    vote, chosen = store.find_open_round(tx, club.id), store.find_last_meeting(tx, club.id)
    while slot is not None:
        if is_paused(club, slot.due):
            if club.paused_until is None:
                return None
            slot = next_opening(club, club.paused_until - timedelta(microseconds=1))
        elif (vote and slot.due < vote.closes_at) or (chosen and chosen > closing_after(club, slot.due)):
            slot = next_opening(club, slot.due)
        else:
            return slot.due if slot.due > now else None
    return None


def closing_after(club: Club, moment: datetime) -> datetime:
    """The club's first closing time later than `moment`."""
    settings = club.settings
    return next_slot(moment, settings.vote_closes_time, (settings.vote_closes_day,), club.zone).due


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
