"""What is to be sent where, written down in the transaction that causes it; each once for its key."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from bot.storage import deliveries as store
from bot.storage.database import Tx


def plan_deliveries(
    tx: Tx,
    club_id: int,
    kind: str,
    subject: str,
    now: datetime,
    give_up_at: datetime,
    payload: Mapping[str, Any] | None = None,
    *,
    due: datetime | None = None,
    beside: tuple[str, str] | None = None,
) -> None:
    """Plan one message to every channel of the club, in the caller's transaction; once for a key.

    `due` (default `now`) orders the sending and is what lateness is told by. It also goes where the message
    with the key `beside` stands, though the club may have moved out of there since.
    """
    channels = store.channels_in_use(tx, club_id)
    if beside is not None:
        placed = [
            row.address.channel_id
            for row in store.list_deliveries(tx, club_id, *beside)
            if row.state in ("claimed", "sent", "uncertain")
        ]
        channels += [channel for channel in placed if channel not in channels]
    store.put_deliveries(
        tx,
        club_id,
        kind,
        subject,
        state="due",
        due=due or now,
        give_up=give_up_at,
        payload=payload,
        channels=channels,
    )


def plan_edits(
    tx: Tx,
    club_id: int,
    kind: str,
    subject: str,
    of: tuple[str, str],
    now: datetime,
    give_up_at: datetime,
    payload: Mapping[str, Any] | None = None,
) -> None:
    """Plan to replace the message with the key `of` wherever it stands or is on its way; once for a key.

    A message that is not there yet is waited for; one that was deleted or given up is left alone.
    """
    there = [
        row.address.channel_id for row in store.list_deliveries(tx, club_id, *of) if row.state != "missed"
    ]
    edit = {"op": "edit", "kind": of[0], "subject": of[1], **(payload or {})}
    store.put_deliveries(
        tx, club_id, kind, subject, state="due", due=now, give_up=give_up_at, payload=edit, channels=there
    )


def record_missed(tx: Tx, club_id: int, kind: str, subject: str, due: datetime, reason: str) -> None:
    """Write down, for every channel, that something due did not go out, so that it can be told why."""
    channels = store.channels_in_use(tx, club_id, removed=True)
    store.put_deliveries(
        tx,
        club_id,
        kind,
        subject,
        state="missed",
        due=due,
        give_up=due,
        reason=reason,
        channels=channels,
    )


def plan_threads(
    tx: Tx,
    club_id: int,
    kind: str,
    subject: str,
    of: tuple[str, str],
    now: datetime,
    give_up_at: datetime,
    payload: Mapping[str, Any] | None = None,
    *,
    due: datetime | None = None,
) -> None:
    """Plan a message into the thread of the message with the key `of`, in every channel of the club.

    It is waited for that message, and the thread is named by the summary of what is said in it first.
    """
    thread = {"op": "thread", "kind": of[0], "subject": of[1], **(payload or {})}
    plan_deliveries(tx, club_id, kind, subject, now, give_up_at, thread, due=due)


def plan_private(
    tx: Tx,
    club_id: int,
    kind: str,
    subject: str,
    channel_id: int,
    accounts: Collection[int],
    now: datetime,
    give_up_at: datetime,
    payload: Mapping[str, Any] | None = None,
) -> None:
    """Plan a private message to each of these accounts of the channel's platform, about that channel.

    It goes out also when the club has left the channel. The subject stored ends in the account's number.
    """
    store.put_private(
        tx, club_id, kind, subject, channel_id, accounts, due=now, give_up=give_up_at, payload=payload
    )


def carry_over(tx: Tx, club_id: int, old: Collection[int], new: int, now: datetime) -> None:
    """A club moves: what still waits to be posted in its `old` channels goes to the new one instead, at once."""
    waiting = [row for row in store.list_waiting(tx, club_id) if row.address.channel_id in old]
    planned = {(row.kind, row.subject) for row in waiting}
    for row in waiting:
        op, of = row.payload.get("op"), (row.payload.get("kind"), row.payload.get("subject"))
        if op is None or (op == "thread" and of in planned):
            store.put_deliveries(
                tx,
                club_id,
                row.kind,
                row.subject,
                state="due",
                due=row.due_at,
                give_up=row.give_up_at,
                payload=row.payload,
                channels=[new],
                next_try=now,
            )
