"""Deliveries as rows: planned, claimed, confirmed, released.

Every change of a claimed row names the attempt it belongs to, so a word that comes late changes nothing of a
later attempt.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bot.delivery.model import Address, Delivery, marker_of
from bot.storage.clubs import IN_USE
from bot.storage.database import Row, Tx, from_us, to_us

_CHANNEL = "c.platform, c.workspace, c.native_id, c.name AS channel_name, c.role"
_COLUMNS = f"d.*, {_CHANNEL}, a.native_id AS person, a.language"
_ROWS = (
    f"SELECT {_COLUMNS} FROM delivery d JOIN channel c ON c.id = d.channel_id"
    " LEFT JOIN account a ON a.id = d.account_id"
)
_LEFT = (
    "(d.account_id IS NULL AND (c.club_id <> d.club_id"
    " OR c.left_at IS NOT NULL AND d.kind NOT IN"
    " ('closed', 'decided', 'decision', 'ended', 'redraw', 'reminder', 'result', 'undo')))"
)
"""A channel the club moved out of gets nothing new, but the poll that stands there is still changed, with its
reminder and its result, and how a tie was decided. Private messages only speak of a channel."""


def put_deliveries(
    tx: Tx,
    club_id: int,
    kind: str,
    subject: str,
    *,
    state: str,
    due: datetime,
    give_up: datetime,
    reason: str = "",
    payload: Mapping[str, Any] | None = None,
    channels: Collection[int] | None = None,
    next_try: datetime | None = None,
) -> None:
    """One row for each channel in use, or for those of `channels`; a row that is there stays as it is.

    Without `next_try` it is tried when it is due.
    """
    if channels is None:
        channels = channels_in_use(tx, club_id)
    row = _new(club_id, kind, state, due, give_up, payload) | {"subject": subject, "reason": reason}
    row["next"] = to_us(next_try or due)
    _put(
        tx,
        [
            row | {"channel": channel, "marker": marker_of(club_id, kind, subject, channel)}
            for channel in channels
        ],
    )


def put_private(
    tx: Tx,
    club_id: int,
    kind: str,
    subject: str,
    channel_id: int,
    accounts: Collection[int],
    *,
    due: datetime,
    give_up: datetime,
    payload: Mapping[str, Any] | None = None,
) -> None:
    """One row for each of the accounts, about a channel; the account's number ends the subject."""
    row = _new(club_id, kind, "due", due, give_up, payload) | {"channel": channel_id}
    subjects = {account: f"{subject}:{account}" for account in accounts}
    _put(
        tx,
        [
            row | {"subject": own, "account": account, "marker": marker_of(club_id, kind, own, channel_id)}
            for account, own in subjects.items()
        ],
    )


def _new(
    club_id: int, kind: str, state: str, due: datetime, give_up: datetime, payload: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What all new rows of a plan share, with the defaults of the rest."""
    return {
        "club": club_id,
        "kind": kind,
        "state": state,
        "reason": "",
        "account": None,
        "payload": json.dumps(payload or {}, ensure_ascii=False),
        "due": to_us(due),
        "give_up": to_us(give_up),
        "next": to_us(due),
    }


def _put(tx: Tx, rows: list[dict[str, Any]]) -> None:
    tx.run_many(
        "INSERT INTO delivery (club_id, kind, subject, channel_id, account_id, state, reason, payload, due_at,"
        " give_up_at, next_try, marker) VALUES (:club, :kind, :subject, :channel, :account, :state, :reason,"
        " :payload, :due, :give_up, :next, :marker)"
        " ON CONFLICT (club_id, kind, subject, channel_id) DO NOTHING",
        rows,
    )


def channels_in_use(tx: Tx, club_id: int, *, removed: bool = False) -> list[int]:
    """Ids of the channels new posts go to, oldest first; with `removed` also those in servers the bot was put
    out of."""
    which = "left_at IS NULL" if removed else IN_USE
    rows = tx.rows(f"SELECT id FROM channel WHERE club_id = :club AND {which} ORDER BY id", club=club_id)
    return [int(row[0]) for row in rows]


def list_deliveries(tx: Tx, club_id: int, kind: str, subject: str) -> list[Delivery]:
    """What was planned under one key, by channel."""
    rows = tx.rows(
        f"{_ROWS} WHERE d.club_id = :club AND d.kind = :kind AND d.subject = :subject ORDER BY d.channel_id",
        club=club_id,
        kind=kind,
        subject=subject,
    )
    return [_delivery(row) for row in rows]


def list_waiting(tx: Tx, club_id: int) -> list[Delivery]:
    """What is still to be sent to channels of a club, oldest first."""
    rows = tx.rows(
        f"{_ROWS} WHERE d.club_id = :club AND d.state = 'due' AND d.account_id IS NULL ORDER BY d.id",
        club=club_id,
    )
    return [_delivery(row) for row in rows]


def deliveries_due(tx: Tx, club_id: int, since: datetime, until: datetime) -> list[Delivery]:
    """All of a club that were due from `since` up to but without `until`, in order."""
    rows = tx.rows(
        f"{_ROWS} WHERE d.club_id = :club AND d.due_at >= :since AND d.due_at < :until"
        " ORDER BY d.due_at, d.kind, d.channel_id",
        club=club_id,
        since=to_us(since),
        until=to_us(until),
    )
    return [_delivery(row) for row in rows]


def channel_since(tx: Tx, channel_id: int) -> datetime:
    """When a channel joined."""
    return from_us(tx.rows("SELECT created_at FROM channel WHERE id = :id", id=channel_id)[0][0])


def still_told(tx: Tx, channel_id: int, kind: str, about: str) -> bool:
    """Whether a private message of a kind about a channel, whose subject begins with `about`, reached somebody or
    still may."""
    rows = tx.rows(
        "SELECT 1 FROM delivery WHERE channel_id = :channel AND kind = :kind AND account_id IS NOT NULL"
        " AND substr(subject, 1, length(:about) + 1) = :about || ':' AND state <> 'missed' LIMIT 1",
        channel=channel_id,
        kind=kind,
        about=about,
    )
    return bool(rows)


def find_message(tx: Tx, channel_id: int, kind: str, subject: str) -> str | None:
    """The platform's id of a message that stands in this channel."""
    rows = tx.rows(
        "SELECT message_id FROM delivery WHERE channel_id = :channel AND kind = :kind AND subject = :subject"
        " AND state = 'sent' ORDER BY id DESC LIMIT 1",
        channel=channel_id,
        kind=kind,
        subject=subject,
    )
    return None if not rows or rows[0][0] is None else str(rows[0][0])


def last_thread(tx: Tx, channel_id: int) -> int:
    """The last delivery that went out into a thread of this channel; 0 before the first."""
    rows = tx.rows(
        "SELECT MAX(id) FROM delivery"
        " WHERE channel_id = :channel AND kind IN ('thread', 'sheet') AND state = 'sent'",
        channel=channel_id,
    )
    return int(rows[0][0] or 0)


def work_waits(tx: Tx, now: datetime) -> bool:
    """Whether anything is to be sent, looked up or given up now; cheap, for idle ticks."""
    rows = tx.rows(
        "SELECT 1 FROM delivery WHERE (state = 'due' AND next_try <= :now)"
        " OR (state = 'uncertain' AND next_try <= :now) OR state = 'claimed' LIMIT 1",
        now=to_us(now),
    )
    return bool(rows)


def next_try(tx: Tx) -> datetime | None:
    """The earliest instant at which a delivery is to be sent or looked up."""
    at = tx.rows("SELECT MIN(next_try) FROM delivery WHERE state IN ('due', 'uncertain')")[0][0]
    return None if at is None else from_us(at)


def claim_delivery(tx: Tx, platform: str, process: str, *, due: datetime, at: datetime) -> Delivery | None:
    """Take the delivery longest due before `due` on this platform, one a channel at a time; claimed `at`."""
    rows = tx.rows(
        "SELECT d.id FROM delivery d JOIN channel c ON c.id = d.channel_id"
        " WHERE d.state = 'due' AND d.next_try <= :now AND d.give_up_at > :now"
        f" AND c.platform = :platform AND NOT {_LEFT}"
        " AND d.channel_id NOT IN (SELECT channel_id FROM delivery WHERE state = 'claimed')"
        " ORDER BY d.next_try, d.id LIMIT 1",
        now=to_us(due),
        platform=platform,
    )
    if not rows:
        return None
    tx.run(
        "UPDATE delivery SET state = 'claimed', claimed_at = :at, claimed_by = :process,"
        " attempts = attempts + 1 WHERE id = :id",
        id=rows[0][0],
        at=to_us(at),
        process=process,
    )
    return _delivery(tx.rows(f"{_ROWS} WHERE d.id = :id", id=rows[0][0])[0])


def confirm_delivery(tx: Tx, delivery: Delivery, message_id: str, at: datetime | None = None) -> bool:
    """It stands on the platform, since `at` or its claim; False when a later attempt has taken over."""
    changed = tx.run(
        "UPDATE delivery SET state = 'sent', reason = '', message_id = :message, claimed_by = NULL,"
        " sent_at = COALESCE(:at, claimed_at, due_at)"
        " WHERE id = :id AND attempts = :attempt AND state <> 'sent'",
        id=delivery.id,
        attempt=delivery.attempts,
        message=message_id,
        at=None if at is None else to_us(at),
    )
    return changed == 1


def release_delivery(tx: Tx, delivery: Delivery, retry: datetime, reason: str) -> None:
    """Nothing went out: due again at `retry`."""
    _settle(tx, delivery, "due", retry, reason)


def hasten_deliveries(tx: Tx, channel_id: int, reason: str, now: datetime) -> None:
    """What waits in a channel's threads for this reason is due now. Asked after every post: by its index alone."""
    tx.run(
        "UPDATE delivery SET next_try = :now WHERE channel_id = :channel AND kind IN ('thread', 'sheet')"
        " AND state = 'due' AND reason = :reason",
        channel=channel_id,
        reason=reason,
        now=to_us(now),
    )


def doubt_delivery(tx: Tx, delivery: Delivery, look: datetime, reason: str) -> None:
    """It may have gone out: to be looked up at `look`."""
    _settle(tx, delivery, "uncertain", look, reason)


def miss_delivery(tx: Tx, delivery: Delivery, reason: str) -> None:
    """It will not go out any more."""
    _settle(tx, delivery, "missed", delivery.next_try, reason)


def _settle(tx: Tx, delivery: Delivery, state: str, when: datetime, reason: str) -> None:
    tx.run(
        "UPDATE delivery SET state = :state, next_try = :when, reason = :reason, claimed_by = NULL"
        " WHERE id = :id AND attempts = :attempt AND state IN ('claimed', 'uncertain')",
        id=delivery.id,
        attempt=delivery.attempts,
        state=state,
        when=to_us(when),
        reason=reason,
    )


def doubt_claims(
    tx: Tx, now: datetime, lease: timedelta, rest: timedelta, mine: str = "", *, but: Collection[int] = ()
) -> int:
    """Claims older than `lease`, and with `mine` all of other processes, may have gone out; their number.

    They are looked up `rest` from now, so that what is still under way has arrived by then. A claim from the
    future (the clock was set back) counts as old. Those `but` are being sent by this very process.
    """
    return tx.run(
        "UPDATE delivery SET state = 'uncertain', reason = 'interrupted', claimed_by = NULL,"
        " next_try = :look WHERE state = 'claimed'"
        " AND (claimed_at <= :old OR claimed_at > :new OR (:mine <> '' AND claimed_by <> :mine))"
        f" AND id NOT IN ({', '.join(str(int(each)) for each in (0, *but))})",
        look=to_us(now + rest),
        old=to_us(now - lease),
        new=to_us(now + lease),
        mine=mine,
    )


def release_claims(tx: Tx, process: str, begun: Collection[int]) -> None:
    """This process stops: what it claimed and has not begun to send (`begun` has those ids) is due again."""
    for row in tx.rows("SELECT id FROM delivery WHERE state = 'claimed' AND claimed_by = :me", me=process):
        if row[0] not in begun:
            tx.run(
                "UPDATE delivery SET state = 'due', claimed_by = NULL, attempts = attempts - 1"
                " WHERE id = :id",
                id=row[0],
            )


def uncertain_deliveries(tx: Tx, now: datetime, limit: int) -> list[Delivery]:
    """Those to be looked up now, longest waiting first."""
    rows = tx.rows(
        f"{_ROWS} WHERE d.state = 'uncertain' AND d.next_try <= :now ORDER BY d.next_try, d.id LIMIT :limit",
        now=to_us(now),
        limit=limit,
    )
    return [_delivery(row) for row in rows]


def expire_deliveries(tx: Tx, now: datetime) -> list[Delivery]:
    """Give up what is past its grace time or whose channel was left; the rows as they are now."""
    rows = tx.rows(
        f"{_ROWS} WHERE d.state = 'due' AND d.next_try <= :now AND (d.give_up_at <= :now OR {_LEFT})",
        now=to_us(now),
    )
    missed = []
    for row in rows:
        given_up = row["give_up_at"] <= to_us(now)
        reason = (row["reason"] or "late") if given_up else "left"
        tx.run(
            "UPDATE delivery SET state = 'missed', reason = :reason WHERE id = :id",
            id=row["id"],
            reason=reason,
        )
        missed.append(replace(_delivery(row), state="missed", reason=reason))
    return missed


def miss_waiting(tx: Tx, club_id: int, kind: str, reason: str, subject: str = "", *, but: str = "") -> int:
    """Give up what waits of a kind (one subject, or all `but` one), not what is under way; how many rows."""
    return tx.run(
        "UPDATE delivery SET state = 'missed', reason = :reason WHERE club_id = :club AND kind = :kind"
        " AND state = 'due' AND (:subject = '' OR subject = :subject) AND subject <> :but",
        club=club_id,
        kind=kind,
        reason=reason,
        subject=subject,
        but=but,
    )


def miss_all(tx: Tx, club_id: int, reason: str) -> None:
    """Give up all that waits of a club but the posts to be deleted."""
    tx.run(
        "UPDATE delivery SET state = 'missed', reason = :reason"
        " WHERE club_id = :club AND state = 'due' AND kind <> 'undo'",
        club=club_id,
        reason=reason,
    )


def revive_deliveries(tx: Tx, club_id: int, kind: str, subject: str, due: datetime, give_up: datetime) -> int:
    """Make what was missed under a key due again; the number of rows."""
    return tx.run(
        "UPDATE delivery SET state = 'due', reason = '', due_at = :due, next_try = :due,"
        " give_up_at = :give_up"
        " WHERE club_id = :club AND kind = :kind AND subject = :subject AND state = 'missed'",
        club=club_id,
        kind=kind,
        subject=subject,
        due=to_us(due),
        give_up=to_us(give_up),
    )


def _delivery(row: Row) -> Delivery:
    claimed, sent = row["claimed_at"], row["sent_at"]
    return Delivery(
        id=row["id"],
        club_id=row["club_id"],
        kind=row["kind"],
        subject=row["subject"],
        address=Address(
            row["channel_id"],
            row["platform"],
            row["workspace"],
            row["native_id"],
            row["channel_name"],
            row["person"] or "",
            row["role"],
            row["language"] or "",
        ),
        state=row["state"],
        reason=row["reason"],
        due_at=from_us(row["due_at"]),
        give_up_at=from_us(row["give_up_at"]),
        next_try=from_us(row["next_try"]),
        attempts=row["attempts"],
        marker=row["marker"],
        message_id=row["message_id"],
        claimed_at=None if claimed is None else from_us(claimed),
        sent_at=None if sent is None else from_us(sent),
        payload=json.loads(row["payload"]),
    )
