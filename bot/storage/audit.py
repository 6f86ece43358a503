"""What an audit asks of the store beside rounds and their logs: which rounds there are, and what was frozen in them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from bot.storage.database import Tx


class Audited(NamedTuple):
    """A round by its numbers and its club's name."""

    club_id: int
    club: str
    round_id: int
    number: int


class Head(NamedTuple):
    """Where a hash stands: in the log of a round, after event `seq` (0: as it opened), at `at` (microseconds)."""

    round: Audited
    seq: int
    at: int


_ROUND = "SELECT r.club_id, c.name, r.id, r.number"


def list_rounds(tx: Tx, club_id: int | None = None) -> list[Audited]:
    """All rounds of a club, or of every club, in order."""
    rows = tx.rows(
        f"{_ROUND} FROM round r JOIN club c ON c.id = r.club_id"
        " WHERE :club IS NULL OR r.club_id = :club ORDER BY r.club_id, r.number",
        club=club_id,
    )
    return [Audited(row[0], row[1], row[2], row[3]) for row in rows]


def frozen_rules(tx: Tx, round_id: int) -> dict[str, Any]:
    """The rules of a round as they were written at its opening, whatever this program knows of them."""
    rows = tx.rows("SELECT rules FROM round WHERE id = :round", round=round_id)
    return dict(json.loads(rows[0][0]))


def frozen_papers(tx: Tx, round_id: int) -> dict[int, int]:
    """The numbers of a round's papers by position as they were at its opening, also where two were joined since."""
    rows = tx.rows("SELECT position, paper_id FROM candidate WHERE round_id = :round", round=round_id)
    return {int(row[0]): int(row[1]) for row in rows}


def find_heads(tx: Tx, head: str, club_id: int | None = None) -> list[Head]:
    """Where a head that begins with these hex signs stands."""
    rows = tx.rows(
        f"{_ROUND}, 0 AS seq, r.opens_at AS at FROM round r JOIN club c ON c.id = r.club_id"
        " WHERE SUBSTR(r.opening_head, 1, :size) = :head AND (:club IS NULL OR r.club_id = :club)"
        f" UNION ALL {_ROUND}, b.seq, b.at FROM ballot_event b JOIN round r ON r.id = b.round_id"
        " JOIN club c ON c.id = r.club_id"
        " WHERE SUBSTR(b.hash, 1, :size) = :head AND (:club IS NULL OR r.club_id = :club)"
        " ORDER BY 1, 4, 5",
        head=head,
        size=len(head),
        club=club_id,
    )
    return [Head(Audited(row[0], row[1], row[2], row[3]), row[4], row[5]) for row in rows]
