"""Ballot events as rows: append-only, the last one of a receipt counts; and whose receipts they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from bot.rounds.log import Event, event_hash, new_secret, receipt_of
from bot.rounds.model import Ballot
from bot.storage.database import Row, Tx, from_us, to_us


class Ground(NamedTuple):
    """What a ballot is checked against, as stored: it is read at every press, so nothing is converted.

    `opens_at`, `closes_at` and `at` are microseconds. `at` and `payload` are of the member's last event, both
    None before the first; `receipt` is theirs, None before the first; `writes` is how often they wrote lately.
    `last` and `head` are the number and hash of the log's last event, of any member.
    """

    state: str
    method: str
    opens_at: int
    closes_at: int
    candidates: int | None
    any_withdrawn: int
    at: int | None
    payload: str | None
    receipt: str | None
    writes: int
    rules: str
    """JSON, as frozen at the opening."""
    last: int | None
    head: str | None


_GROUND = (
    "SELECT r.state, r.method, r.opens_at, r.closes_at,"
    " (SELECT MAX(position) FROM candidate WHERE round_id = r.id) AS candidates,"
    " EXISTS (SELECT 1 FROM candidate WHERE round_id = r.id AND withdrawn_at IS NOT NULL) AS any_withdrawn,"
    " b.at, b.payload, w.receipt,"
    " (SELECT COUNT(*) FROM act WHERE club_id = :club AND member_id = :member AND at > :since)"
    " + CASE WHEN b.at > :since THEN (SELECT COUNT(*) FROM ballot_event"
    " WHERE round_id = r.id AND receipt = w.receipt AND at > :since) ELSE 0 END AS writes, r.rules,"
    " l.seq AS last, COALESCE(l.hash, r.opening_head) AS head"
    " FROM round r LEFT JOIN receipt w ON w.round_id = r.id AND w.member_id = :member"
    " LEFT JOIN ballot_event b ON b.round_id = r.id AND b.seq ="
    " (SELECT MAX(seq) FROM ballot_event WHERE round_id = r.id AND receipt = w.receipt)"
    " LEFT JOIN ballot_event l ON l.round_id = r.id AND l.seq ="
    " (SELECT MAX(seq) FROM ballot_event WHERE round_id = r.id)"
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


def put_ballot(tx: Tx, round_id: int, member_id: int, positions: Sequence[int] | None, now: datetime) -> str:
    """Append what a member says now, chained to the log's last event; None withdraws their ballot. Their receipt."""
    row = tx.rows(_LOG_END, round=round_id, member=member_id)[0]
    return append_ballot(
        tx, round_id, member_id, positions, now, last=row[0], head=str(row[1]), receipt=row[2]
    )


_LOG_END = (
    "SELECT l.seq, COALESCE(l.hash, r.opening_head), w.receipt FROM round r"
    " LEFT JOIN receipt w ON w.round_id = r.id AND w.member_id = :member"
    " LEFT JOIN ballot_event l ON l.round_id = r.id AND l.seq ="
    " (SELECT MAX(seq) FROM ballot_event WHERE round_id = r.id) WHERE r.id = :round"
)


def append_ballot(
    tx: Tx,
    round_id: int,
    member_id: int,
    positions: Sequence[int] | None,
    now: datetime,
    *,
    last: int | None,
    head: str,
    receipt: str | None,
) -> str:
    """`put_ballot` for who has read the end of the log (`last`, `head`) in this transaction already."""
    if receipt is None:
        receipt = _put_receipt(tx, round_id, member_id)
    seq, at = (last or 0) + 1, to_us(now)
    payload = None if positions is None else dump_positions(positions)
    tx.run(
        "INSERT INTO ballot_event (round_id, seq, receipt, at, payload, prev_hash, hash)"
        " VALUES (:round, :seq, :receipt, :at, :payload, :prev, :hash)",
        round=round_id,
        seq=seq,
        receipt=receipt,
        at=at,
        payload=payload,
        prev=head,
        hash=event_hash(head, round_id, seq, at, receipt, payload),
    )
    return receipt


def _put_receipt(tx: Tx, round_id: int, member_id: int) -> str:
    """A receipt that nobody else has in this round: 40 bits may meet by chance once in a very long while."""
    while True:
        secret = new_secret()
        receipt = receipt_of(secret, round_id, member_id)
        taken = "SELECT 1 FROM ballot_event WHERE round_id = :round AND receipt = :receipt"
        if not tx.rows(taken, round=round_id, receipt=receipt):
            break
    tx.run(
        "INSERT INTO receipt (round_id, member_id, secret, receipt) VALUES (:round, :member, :secret, :receipt)",
        round=round_id,
        member=member_id,
        secret=secret,
        receipt=receipt,
    )
    return receipt


def last_ballot(tx: Tx, round_id: int, member_id: int) -> Ballot:
    """What a member's last event says; where they have none, that of an account linked to them since."""
    rows = tx.rows(
        "SELECT b.at, b.payload, b.receipt FROM receipt w JOIN ballot_event b"
        " ON b.round_id = w.round_id AND b.receipt = w.receipt WHERE w.round_id = :round AND (w.member_id = :member"
        " OR w.member_id IN (SELECT id FROM member WHERE merged_into = :member))"
        " ORDER BY w.member_id = :member DESC, b.seq DESC LIMIT 1",
        round=round_id,
        member=member_id,
    )
    return _ballot(rows[0]) if rows else Ballot(None)


def standing(tx: Tx, round_id: int, member_id: int) -> tuple[int, list[int]] | None:
    """Number and positions of the event that is a member's ballot, None where they have none."""
    rows = tx.rows(
        "SELECT b.seq, b.payload FROM receipt w JOIN ballot_event b"
        " ON b.round_id = w.round_id AND b.receipt = w.receipt WHERE w.round_id = :round AND w.member_id = :member"
        " ORDER BY b.seq DESC LIMIT 1",
        round=round_id,
        member=member_id,
    )
    return (int(rows[0][0]), json.loads(rows[0][1])) if rows and rows[0][1] is not None else None


def replay(tx: Tx, round_id: int) -> dict[str, Ballot]:
    """Every receipt's ballot after all events in their order; withdrawn ones have no positions."""
    rows = tx.rows(
        "SELECT receipt, at, payload FROM ballot_event WHERE round_id = :round ORDER BY seq", round=round_id
    )
    return {str(row["receipt"]): _ballot(row) for row in rows}


def log_of(tx: Tx, round_id: int) -> list[Event]:
    """The whole log of a round, in order."""
    rows = tx.rows(
        "SELECT seq, receipt, at, payload, prev_hash, hash FROM ballot_event WHERE round_id = :round ORDER BY seq",
        round=round_id,
    )
    return [Event(row[0], row[1], row[2], row[3], row[4], row[5]) for row in rows]


def members_of_receipts(tx: Tx, round_id: int) -> dict[str, int]:
    """Whose each receipt of a round is; nobody's any more once that was deleted."""
    rows = tx.rows("SELECT receipt, member_id FROM receipt WHERE round_id = :round", round=round_id)
    return {str(row[0]): int(row[1]) for row in rows}


_STANDING = (
    " FROM ballot_event b LEFT JOIN receipt w ON w.round_id = b.round_id AND w.receipt = b.receipt"
    " WHERE b.payload IS NOT NULL AND b.seq = (SELECT MAX(x.seq) FROM ballot_event x"
    " WHERE x.round_id = b.round_id AND x.receipt = b.receipt) "
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
        "SELECT COUNT(DISTINCT COALESCE((SELECT merged_into FROM member WHERE id = w.member_id), w.member_id))"
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
    positions = None if payload is None else tuple(json.loads(payload))
    return Ballot(positions, from_us(row["at"]), str(row["receipt"]))
