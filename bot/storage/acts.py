"""The club's own record: what organisers and members did, and when."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from bot.storage.database import Tx, from_us, to_us


def put_act(tx: Tx, club_id: int, member_id: int | None, now: datetime, what: str, **about: Any) -> None:
    """Record an act: `what` is a word such as 'nominate' or 'close', `about` holds JSON values.

    `member_id` is None when the clock did it.
    """
    tx.run(
        "INSERT INTO act (club_id, member_id, at, what, about) VALUES (:club, :member, :at, :what, :about)",
        club=club_id,
        member=member_id,
        at=to_us(now),
        what=what,
        about=json.dumps(about, ensure_ascii=False),
    )


def writes_since(tx: Tx, club_id: int, member_id: int, since: datetime) -> tuple[int, datetime | None]:
    """How often a member wrote since then, ballots of the open round included, and when first."""
    rows = tx.rows(
        "SELECT COUNT(*), MIN(at) FROM ("
        "SELECT at FROM act WHERE club_id = :club AND member_id = :member AND at > :since"
        " UNION ALL SELECT b.at FROM round r JOIN receipt w ON w.round_id = r.id AND w.member_id = :member"
        " JOIN ballot_event b ON b.round_id = r.id AND b.voter = w.voter"
        " WHERE r.club_id = :club AND r.state = 'voting' AND b.at > :since"
        ") AS writes",
        club=club_id,
        member=member_id,
        since=to_us(since),
    )
    count, first = rows[0][0], rows[0][1]
    return int(count), None if first is None else from_us(first)


def last_act(tx: Tx, club_id: int, what: str) -> dict[str, Any]:
    """What the latest act of this kind was about; nothing where there was none."""
    rows = tx.rows(
        "SELECT about FROM act WHERE club_id = :club AND what = :what ORDER BY id DESC LIMIT 1",
        club=club_id,
        what=what,
    )
    return dict(json.loads(rows[0][0])) if rows else {}
