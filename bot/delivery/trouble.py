"""Channels that cannot be written to: noted once, told to the organisers once, over when something goes out."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from bot.delivery.model import Delivery
from bot.delivery.planning import plan_private
from bot.delivery.platform import LASTING
from bot.storage import deliveries, troubles
from bot.storage.database import Tx

TROUBLE = "trouble"
"""The kind of what organisers are told; its subject begins with the instant the trouble was noted."""

THREADS = "threads"
"""The kind of what organisers are told when no discussion may be opened in a channel that is well otherwise; its
subject begins with the last one that was, so that it is told once until one opens again."""

NEWS = timedelta(days=3)
"""How long a trouble is worth telling: over a weekend."""

PATIENCE = timedelta(hours=22)
"""A channel in trouble for longer gets one attempt a message: about a day, less a change of the clocks."""

_WAITING = ("missed", TROUBLE)
"""Kinds that are told when the channel can be written to again, and not tried before."""


def is_lasting(reason: str) -> bool:
    """Whether a refusal stays until a person mends its cause."""
    return reason.partition(":")[0] in LASTING


def note_trouble(
    tx: Tx, club_id: int, channel_id: int, reason: str, now: datetime, waiting: tuple[str, str] = ("", "")
) -> bool:
    """Note that a channel cannot be written to and tell the organisers; False when that was known.

    `waiting` is kind and subject of what could not go out.
    """
    if not troubles.put_trouble(tx, channel_id, reason, now):
        return False
    about: dict[str, Any] = {
        "channel": channel_id,
        "reason": reason,
        "since": now.isoformat(),
        "kind": waiting[0],
        "subject": waiting[1],
    }
    accounts = troubles.organisers_to_tell(tx, club_id, channel_id)
    plan_private(tx, club_id, TROUBLE, now.isoformat(), channel_id, accounts, now, now + NEWS, about)
    if not accounts:
        _tell_openly(tx, club_id, about, now)
    return True


def note_no_thread(tx: Tx, delivery: Delivery, reason: str, now: datetime) -> None:
    """Tell the organisers that a thread may not be opened, or written in; once until one can be."""
    channel_id = delivery.address.channel_id
    last = str(deliveries.last_thread(tx, channel_id))
    about = {"channel": channel_id, "reason": reason, "since": last}
    accounts = troubles.organisers_to_tell(tx, delivery.club_id, channel_id)
    plan_private(tx, delivery.club_id, THREADS, last, channel_id, accounts, now, now + NEWS, about)
    if not accounts:
        _tell_there(tx, delivery.club_id, about, now)


def is_over(tx: Tx, notice: Delivery) -> bool:
    """Whether a thread was opened since the organisers were to be told that none may be."""
    last = deliveries.last_thread(tx, int(notice.payload["channel"]))
    return str(last) != str(notice.payload["since"])


def end_trouble(tx: Tx, channel_id: int, now: datetime) -> bool:
    """Something went out again: what waited for that is tried now; False when nothing was wrong."""
    if not troubles.drop_trouble(tx, channel_id):
        return False
    troubles.free_waiting(tx, channel_id, now)
    return True


def try_again(tx: Tx, channels: Collection[int], now: datetime) -> dict[int, str]:
    """What is known to be wrong in these channels, by id; what waits there is tried at once."""
    wrong = {}
    for channel_id in channels:
        trouble = troubles.find_trouble(tx, channel_id)
        if trouble is not None:
            troubles.free_waiting(tx, channel_id, now)
            wrong[channel_id] = trouble.reason
    return wrong


def not_told(tx: Tx, missed: Delivery, now: datetime) -> None:
    """A private message about a trouble was given up: once nobody is left to hear it, say it in a channel."""
    about = missed.payload
    if missed.kind not in (TROUBLE, THREADS) or not missed.address.person:
        return
    if not deliveries.still_told(tx, missed.address.channel_id, missed.kind, about["since"]):
        (_tell_openly if missed.kind == TROUBLE else _tell_there)(tx, missed.club_id, about, now)


def next_attempt(tx: Tx, delivery: Delivery, reason: str, at: datetime, planned: datetime) -> datetime | None:
    """When to try again what was refused for a lasting reason; None: not any more.

    The end of its grace time means: when the channel is mended. A deleted channel is not asked again.
    """
    if delivery.kind in _WAITING:
        return delivery.give_up_at
    trouble = troubles.find_trouble(tx, delivery.address.channel_id)
    if trouble is not None and at - trouble.since >= PATIENCE:
        return None
    return delivery.give_up_at if reason == "gone" else planned


def _tell_openly(tx: Tx, club_id: int, about: dict[str, Any], now: datetime) -> None:
    """Say it in another channel of the club; in this one once it can be written to again, while it is news."""
    broken, since = int(about["channel"]), datetime.fromisoformat(about["since"])
    other = troubles.channel_beside(tx, club_id, broken)
    deliveries.put_deliveries(
        tx,
        club_id,
        TROUBLE,
        about["since"],
        state="due",
        due=now,
        give_up=since + NEWS,
        payload=about,
        channels=[broken if other is None else other],
        next_try=since + NEWS if other is None else now,
    )


def _tell_there(tx: Tx, club_id: int, about: dict[str, Any], now: datetime) -> None:
    """Say it in the channel that has no thread: it can be written to."""
    deliveries.put_deliveries(
        tx,
        club_id,
        THREADS,
        about["since"],
        state="due",
        due=now,
        give_up=now + NEWS,
        payload=about,
        channels=[int(about["channel"])],
    )
