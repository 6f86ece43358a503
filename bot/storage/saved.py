"""Each member's own list of papers."""

from __future__ import annotations

from datetime import datetime

from bot.storage.database import Tx, to_us


def saved_ids(tx: Tx, club: int, member: int) -> list[int]:
    """The numbers on a member's list, newest first."""
    rows = tx.rows(
        "SELECT paper_id FROM saved WHERE club_id = :club AND member_id = :member"
        " ORDER BY saved_at DESC, paper_id DESC",
        club=club,
        member=member,
    )
    return [row[0] for row in rows]


def toggle(tx: Tx, club: int, member: int, paper_id: int, now: datetime) -> bool:
    """Put a paper on the list or, where it is, take it off; is it on now?"""
    params = {"club": club, "member": member, "paper": paper_id}
    taken = tx.run(
        "DELETE FROM saved WHERE club_id = :club AND member_id = :member AND paper_id IN"
        " (SELECT id FROM paper WHERE id = :paper OR merged_into = :paper)",
        **params,
    )
    if not taken:
        tx.run(
            "INSERT INTO saved (club_id, member_id, paper_id, saved_at)"
            " VALUES (:club, :member, :paper, :now)",
            now=to_us(now),
            **params,
        )
    return not taken
