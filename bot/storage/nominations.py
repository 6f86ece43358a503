"""Nominations and their backers as rows."""

from __future__ import annotations

from datetime import datetime

from bot.rounds.model import Nomination, NominationState
from bot.storage import papers
from bot.storage.database import Row, Tx, from_us, to_us

_SELECT = (
    "SELECT n.id, n.paper_id, n.member_id, m.name AS member, n.reason, n.state, n.created_at, n.rounds"
    " FROM nomination n JOIN member m ON m.id = n.member_id WHERE n.club_id = :club "
)


def put_nomination(tx: Tx, club_id: int, paper_id: int, member_id: int, reason: str, now: datetime) -> int:
    """Store an open nomination; its id."""
    rows = tx.rows(
        "INSERT INTO nomination (club_id, paper_id, member_id, reason, state, created_at, changed_at)"
        " VALUES (:club, :paper, :member, :reason, 'open', :at, :at) RETURNING id",
        club=club_id,
        paper=paper_id,
        member=member_id,
        reason=reason,
        at=to_us(now),
    )
    return int(rows[0][0])


def find_nomination(tx: Tx, club_id: int, nomination_id: int) -> Nomination | None:
    """The nomination of this club with this id, in any state."""
    found = _build(tx, club_id, tx.rows(_SELECT + "AND n.id = :id", club=club_id, id=nomination_id))
    return found[0] if found else None


def find_open_nomination(tx: Tx, club_id: int, paper_id: int) -> Nomination | None:
    """The open nomination of a paper, also where it was nominated under the number of one merged into it."""
    return next((each for each in list_open_nominations(tx, club_id) if each.paper.id == paper_id), None)


def list_open_nominations(tx: Tx, club_id: int) -> list[Nomination]:
    """The club's list, oldest first."""
    rows = tx.rows(_SELECT + "AND n.state = 'open' ORDER BY n.created_at, n.id", club=club_id)
    return _build(tx, club_id, rows)


def count_open_nominations(tx: Tx, club_id: int, member_id: int | None = None) -> int:
    """How many stand on the list, of everybody or of one member."""
    rows = tx.rows(
        "SELECT COUNT(*) FROM nomination WHERE club_id = :club AND state = 'open'"
        " AND (:member IS NULL OR member_id = :member)",
        club=club_id,
        member=member_id,
    )
    return int(rows[0][0])


def change_nomination(
    tx: Tx, nomination_id: int, state: NominationState, now: datetime, by: int | None = None, note: str = ""
) -> None:
    """Take a nomination to another state."""
    tx.run(
        "UPDATE nomination SET state = :state, changed_at = :at, changed_by = :by, note = :note"
        " WHERE id = :id",
        id=nomination_id,
        state=state,
        at=to_us(now),
        by=by,
        note=note,
    )


def lose_round(tx: Tx, nomination_id: int, keep_rounds: int, now: datetime) -> None:
    """Count a lost round: the nomination stays for `keep_rounds` more, then it expires."""
    tx.run(
        "UPDATE nomination SET rounds = rounds + 1, changed_at = :at,"
        " state = CASE WHEN rounds + 1 > :keep THEN 'expired' ELSE 'open' END"
        " WHERE id = :id AND state = 'open'",
        id=nomination_id,
        keep=keep_rounds,
        at=to_us(now),
    )


def hand_over(tx: Tx, nomination_id: int, member_id: int, now: datetime) -> None:
    """Make a backer the nominator; the date stays, the reason was another’s and goes."""
    tx.run(
        "UPDATE nomination SET member_id = :member, reason = '', changed_at = :at WHERE id = :id",
        id=nomination_id,
        member=member_id,
        at=to_us(now),
    )
    drop_backer(tx, nomination_id, member_id)


def put_backer(tx: Tx, nomination_id: int, member_id: int, now: datetime) -> bool:
    """Add a backer; False when they back it already."""
    changed = tx.run(
        "INSERT INTO backer (nomination_id, member_id, created_at) VALUES (:id, :member, :at)"
        " ON CONFLICT DO NOTHING",
        id=nomination_id,
        member=member_id,
        at=to_us(now),
    )
    return changed > 0


def drop_backer(tx: Tx, nomination_id: int, member_id: int) -> bool:
    """Remove a backer; False when they did not back it."""
    return (
        tx.run(
            "DELETE FROM backer WHERE nomination_id = :id AND member_id = :member",
            id=nomination_id,
            member=member_id,
        )
        > 0
    )


def _build(tx: Tx, club_id: int, rows: list[Row]) -> list[Nomination]:
    if not rows:
        return []
    found = papers.load(tx, club_id, [row["paper_id"] for row in rows])
    backers: dict[int, list[Row]] = {}
    for backer in tx.rows(
        "SELECT b.nomination_id, b.member_id, m.name FROM backer b JOIN member m ON m.id = b.member_id"
        " JOIN nomination n ON n.id = b.nomination_id WHERE n.club_id = :club AND n.id BETWEEN :low AND :high"
        " ORDER BY b.created_at, b.member_id",
        club=club_id,
        low=min(row["id"] for row in rows),
        high=max(row["id"] for row in rows),
    ):
        backers.setdefault(backer[0], []).append(backer)
    return [
        Nomination(
            id=row["id"],
            paper=found[row["paper_id"]],
            member_id=row["member_id"],
            member=row["member"],
            reason=row["reason"],
            state=row["state"],
            created_at=from_us(row["created_at"]),
            rounds=row["rounds"],
            backers=tuple(backer[2] for backer in backers.get(row["id"], ())),
            backer_ids=tuple(backer[1] for backer in backers.get(row["id"], ())),
        )
        for row in rows
    ]
