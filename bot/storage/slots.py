"""What is due next, one row a club and kind."""

from __future__ import annotations

from datetime import datetime

from bot.schedule.slots import Slot
from bot.storage.database import Row, Tx, from_us, to_us


def put_slot(tx: Tx, club_id: int, kind: str, slot: Slot) -> None:
    """Store the next slot of this kind in place of the one before."""
    tx.run(
        "INSERT INTO slot (club_id, kind, scheduled, zone, due_at)"
        " VALUES (:club, :kind, :scheduled, :zone, :due) ON CONFLICT (club_id, kind) DO UPDATE"
        " SET scheduled = excluded.scheduled, zone = excluded.zone, due_at = excluded.due_at",
        club=club_id,
        kind=kind,
        scheduled=slot.scheduled.isoformat(timespec="minutes"),
        zone=slot.zone,
        due=to_us(slot.due),
    )


def find_slot(tx: Tx, club_id: int, kind: str) -> Slot | None:
    """The next slot of this kind; None when nothing is scheduled."""
    rows = tx.rows("SELECT * FROM slot WHERE club_id = :club AND kind = :kind", club=club_id, kind=kind)
    return _slot(rows[0]) if rows else None


def drop_slot(tx: Tx, club_id: int, kind: str) -> None:
    """Nothing of this kind is due any more."""
    tx.run("DELETE FROM slot WHERE club_id = :club AND kind = :kind", club=club_id, kind=kind)


def due_slots(tx: Tx, kind: str, now: datetime, limit: int) -> list[tuple[int, Slot]]:
    """Slots that have come, longest due first, each with its club's id."""
    rows = tx.rows(
        "SELECT * FROM slot WHERE kind = :kind AND due_at <= :now ORDER BY due_at, club_id LIMIT :limit",
        kind=kind,
        now=to_us(now),
        limit=limit,
    )
    return [(row["club_id"], _slot(row)) for row in rows]


def scheduled_clubs(tx: Tx, after: int, limit: int) -> list[int]:
    """Ids of clubs greater than `after`, in order: to walk through all of them in batches."""
    rows = tx.rows(
        "SELECT id FROM club WHERE id > :after AND deleted_at IS NULL ORDER BY id LIMIT :limit",
        after=after,
        limit=limit,
    )
    return [int(row[0]) for row in rows]


def next_due(tx: Tx) -> datetime | None:
    """The earliest instant at which any slot of any club comes."""
    at = tx.rows("SELECT MIN(due_at) FROM slot")[0][0]
    return None if at is None else from_us(at)


def _slot(row: Row) -> Slot:
    return Slot(datetime.fromisoformat(row["scheduled"]), row["zone"], from_us(row["due_at"]))
