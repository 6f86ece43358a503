"""Ballot events as rows: append-only, the last one of a member counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from bot.rounds.model import Ballot
from bot.storage.database import Row, Tx, from_us, to_us


class Ground(NamedTuple):
    """What a ballot is checked against, as stored: it is read at every press, so nothing is converted.

    `opens_at`, `closes_at` and `at` are microseconds. `at` and `payload` are of the member's last event, both
    None before the first; `writes` is how often they wrote lately.
    """

    state: str
    opens_at: int
    closes_at: int
    candidates: int | None
    any_withdrawn: int
    at: int | None
    payload: str | None
    writes: int
    rules: str
    """JSON, as frozen at the opening."""


_GROUND = (
    "SELECT r.state, r.opens_at, r.closes_at,"
    " (SELECT MAX(position) FROM candidate WHERE round_id = r.id) AS candidates,"
    " EXISTS (SELECT 1 FROM candidate WHERE round_id = r.id AND withdrawn_at IS NOT NULL) AS any_withdrawn,"
    " b.at, b.payload,"
    " (SELECT COUNT(*) FROM act WHERE club_id = :club AND member_id = :member AND at > :since)"
    " + CASE WHEN b.at > :since THEN (SELECT COUNT(*) FROM ballot_event"
    " WHERE round_id = r.id AND member_id = :member AND at > :since) ELSE 0 END AS writes, r.rules"
    " FROM round r LEFT JOIN ballot_event b ON b.round_id = r.id AND b.seq ="
    " (SELECT MAX(seq) FROM ballot_event WHERE round_id = r.id AND member_id = :member)"
    " WHERE r.id = :id AND r.club_id = :club"
)


def find_ground(tx: Tx, club_id: int, round_id: int, member_id: int, since: datetime) -> Ground | None:
    """The ground for one member's ballot in the club's round with this id, in one query.

    `writes` counts theirs after `since`, as acts.writes_since does for a round that is voting.
    """
    rows = tx.rows(_GROUND, id=round_id, club=club_id, member=member_id, since=to_us(since))
    return Ground(*rows[0]) if rows else None  # type: ignore[misc]


def dump_positions(positions: Sequence[int]) -> str:
    """Positions as JSON, as the events hold them."""
    return f"[{','.join(map(str, positions))}]"


def withdrawn_positions(tx: Tx, round_id: int) -> set[int]:
    """Positions of candidates that were withdrawn."""
    rows = tx.rows(
        "SELECT position FROM candidate WHERE round_id = :id AND withdrawn_at IS NOT NULL", id=round_id
    )
    return {int(row[0]) for row in rows}


def put_ballot(tx: Tx, round_id: int, member_id: int, positions: Sequence[int] | None, now: datetime) -> None:
    """Append what a member says now; None withdraws their ballot."""
    tx.run(
        "INSERT INTO ballot_event (round_id, seq, member_id, at, payload) VALUES (:round,"
        " (SELECT COALESCE(MAX(seq), 0) + 1 FROM ballot_event WHERE round_id = :round),"
        " :member, :at, :payload)",
        round=round_id,
        member=member_id,
        at=to_us(now),
        payload=None if positions is None else dump_positions(positions),
    )


def last_ballot(tx: Tx, round_id: int, member_id: int) -> Ballot:
    """What a member's last event says; where they have none, that of an account linked to them since."""
    rows = tx.rows(
        "SELECT at, payload FROM ballot_event WHERE round_id = :round AND (member_id = :member"
        " OR member_id IN (SELECT id FROM member WHERE merged_into = :member))"
        " ORDER BY member_id = :member DESC, seq DESC LIMIT 1",
        round=round_id,
        member=member_id,
    )
    return _ballot(rows[0]) if rows else Ballot(None)


def standing(tx: Tx, round_id: int, member_id: int) -> tuple[int, list[int]] | None:
    """Number and positions of the event that is a member's ballot, None where they have none."""
    rows = tx.rows(
        "SELECT seq, payload FROM ballot_event WHERE round_id = :round AND member_id = :member"
        " ORDER BY seq DESC LIMIT 1",
        round=round_id,
        member=member_id,
    )
    return (int(rows[0][0]), json.loads(rows[0][1])) if rows and rows[0][1] is not None else None


def replay(tx: Tx, round_id: int) -> dict[int, Ballot]:
    """Every member's ballot after all events in their order; withdrawn ones have no positions."""
    rows = tx.rows(
        "SELECT member_id, at, payload FROM ballot_event WHERE round_id = :round ORDER BY seq", round=round_id
    )
    return {int(row["member_id"]): _ballot(row) for row in rows}


_STANDING = (
    " FROM ballot_event b WHERE b.payload IS NOT NULL AND b.seq = (SELECT MAX(x.seq) FROM ballot_event x"
    " WHERE x.round_id = b.round_id AND x.member_id = b.member_id) "
)


def count_voted(tx: Tx, round_id: int) -> int:
    """How many members have a ballot in this round, blank ones included."""
    rows = tx.rows("SELECT COUNT(*)" + _STANDING + "AND b.round_id = :round", round=round_id)
    return int(rows[0][0])


def count_active(tx: Tx, club_id: int, before: datetime, rounds: int = 4) -> int:
    """How many members have a ballot in one of the last `rounds` closed votes that opened before that.

    Whoever voted there with two accounts and has linked them since is one.
    """
    rows = tx.rows(
        "SELECT COUNT(DISTINCT COALESCE((SELECT merged_into FROM member WHERE id = b.member_id), b.member_id))"
        + _STANDING
        + "AND b.round_id IN (SELECT id FROM round"
        " WHERE club_id = :club AND state <> 'voting' AND opens_at < :before"
        " AND outcome NOT IN ('single', 'no_nomination', 'all_withdrawn') ORDER BY number DESC LIMIT :rounds)",
        club=club_id,
        before=to_us(before),
        rounds=rounds,
    )
    return int(rows[0][0])


def _ballot(row: Row) -> Ballot:
    payload = row["payload"]
    return Ballot(None if payload is None else tuple(json.loads(payload)), from_us(row["at"]))
