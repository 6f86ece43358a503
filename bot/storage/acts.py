"""The club's own record: what organisers and members did, and when."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.storage.database import Tx, from_us, to_us


@dataclass(frozen=True, slots=True)
class Act:
    """One entry: `what` is a word such as 'nominate' or 'close', `member` None when the clock did it."""

    at: datetime
    what: str
    member: str | None
    about: dict[str, Any]


def put_act(tx: Tx, club_id: int, member_id: int | None, now: datetime, what: str, **about: Any) -> None:
    """Record an act; `about` holds JSON values."""
    tx.run(
        "INSERT INTO act (club_id, member_id, at, what, about) VALUES (:club, :member, :at, :what, :about)",
        club=club_id,
        member=member_id,
        at=to_us(now),
        what=what,
        about=json.dumps(about, ensure_ascii=False),
    )


def list_acts(tx: Tx, club_id: int, since: datetime, until: datetime, what: str | None = None) -> list[Act]:
    """Acts from `since` up to but without `until`, in order."""
    rows = tx.rows(
        "SELECT act.at, act.what, member.name, act.about FROM act"
        " LEFT JOIN member ON member.id = act.member_id"
        " WHERE act.club_id = :club AND act.at >= :since AND act.at < :until"
        " AND (:what IS NULL OR act.what = :what) ORDER BY act.at, act.id",
        club=club_id,
        since=to_us(since),
        until=to_us(until),
        what=what,
    )
    return [Act(from_us(row[0]), row[1], row[2], json.loads(row[3])) for row in rows]


def writes_since(tx: Tx, club_id: int, member_id: int, since: datetime) -> tuple[int, datetime | None]:
    """How often a member wrote since then, ballots of the open round included, and when first."""
    rows = tx.rows(
        "SELECT COUNT(*), MIN(at) FROM ("
        "SELECT at FROM act WHERE club_id = :club AND member_id = :member AND at > :since"
        " UNION ALL SELECT b.at FROM round r JOIN ballot_event b ON b.round_id = r.id"
        " WHERE r.club_id = :club AND r.state = 'voting' AND b.member_id = :member AND b.at > :since"
        ") AS writes",
        club=club_id,
        member=member_id,
        since=to_us(since),
    )
    count, first = rows[0][0], rows[0][1]
    return int(count), None if first is None else from_us(first)
