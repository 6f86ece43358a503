"""Channels in which nothing can be posted, as rows: since when, why, and what waits until that ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.storage.clubs import IN_USE
from bot.storage.database import Tx, from_us, to_us


@dataclass(frozen=True, slots=True)
class Trouble:
    """`reason` as the platform refused first (see delivery.platform.LASTING), aware UTC."""

    reason: str
    since: datetime
    native_id: str
    name: str
    """Of the channel."""


def find_trouble(tx: Tx, channel_id: int) -> Trouble | None:
    """Why nothing can be posted in a channel now; None when all is well as far as we know."""
    rows = tx.rows(
        "SELECT trouble, trouble_at, native_id, name FROM channel WHERE id = :id AND trouble <> ''",
        id=channel_id,
    )
    return Trouble(rows[0][0], from_us(rows[0][1]), rows[0][2], rows[0][3]) if rows else None


def put_trouble(tx: Tx, channel_id: int, reason: str, at: datetime) -> bool:
    """Note a trouble; False when one was known, which stays as it is, or the club has left the channel."""
    changed = tx.run(
        "UPDATE channel SET trouble = :reason, trouble_at = :at"
        " WHERE id = :id AND trouble = '' AND left_at IS NULL",
        id=channel_id,
        reason=reason,
        at=to_us(at),
    )
    return changed == 1


def drop_trouble(tx: Tx, channel_id: int) -> bool:
    """Something could be posted again; False when nothing was wrong."""
    over = "UPDATE channel SET trouble = '', trouble_at = NULL WHERE id = :id AND trouble <> ''"
    return tx.run(over, id=channel_id) == 1


def free_waiting(tx: Tx, channel_id: int, now: datetime) -> None:
    """Try at once what was put off in a channel."""
    tx.run(
        "UPDATE delivery SET next_try = :now WHERE channel_id = :id AND account_id IS NULL AND state = 'due'"
        " AND (reason <> '' OR next_try = give_up_at) AND next_try > :now AND give_up_at > :now",
        id=channel_id,
        now=to_us(now),
    )


def organisers_to_tell(tx: Tx, club_id: int, channel_id: int) -> list[int]:
    """An account on the channel's platform for each named organiser who has one there; their ids."""
    rows = tx.rows(
        "SELECT MIN(a.id) FROM account a JOIN member m ON m.id = a.member_id"
        " JOIN channel c ON c.id = :channel AND a.platform = c.platform AND a.workspace IN ('', c.workspace)"
        " WHERE m.club_id = :club AND m.organiser = 1 AND m.left_at IS NULL GROUP BY m.id ORDER BY m.id",
        club=club_id,
        channel=channel_id,
    )
    return [int(row[0]) for row in rows]


def channel_beside(tx: Tx, club_id: int, channel_id: int) -> int | None:
    """Another channel of the club that can be written to as far as we know."""
    rows = tx.rows(
        f"SELECT id FROM channel WHERE club_id = :club AND id <> :id AND trouble = '' AND {IN_USE} ORDER BY id",
        club=club_id,
        id=channel_id,
    )
    return int(rows[0][0]) if rows else None
