"""Ballot events as rows: append-only, the last one of a receipt counts; and whose receipts they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from bot.rounds.log import Event, event_hash, new_secret, receipt_of
from bot.rounds.model import Ballot
from bot.storage.database import Row, Tx, from_us, to_us


class Ground(NamedTuple):
    """What a ballot is checked against, as stored: it is read at every press, so nothing is converted.

    `opens_at`, `closes_at` and `at` are microseconds. `at` and `payload` are of the member's last event,
    `receipt` and `voter` are theirs, all None before the first; `writes` is how often they wrote lately.
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
    voter: int | None
    writes: int
    rules: str
    """JSON, as frozen at the opening."""
    last: int | None
    head: str | None


_GROUND = (
    "SELECT r.state, r.method, r.opens_at, r.closes_at,"
    " (SELECT MAX(position) FROM candidate WHERE round_id = r.id) AS candidates,"
    " EXISTS (SELECT 1 FROM candidate WHERE round_id = r.id AND withdrawn_at IS NOT NULL) AS any_withdrawn,"
    " b.at, b.payload, w.receipt, w.voter,"
    " (SELECT COUNT(*) FROM act WHERE club_id = :club AND member_id = :member AND at > :since)"
    " + CASE WHEN b.at > :since THEN (SELECT COUNT(*) FROM ballot_event"
    " WHERE round_id = r.id AND voter = w.voter AND at > :since) ELSE 0 END AS writes, r.rules,"
    " l.seq AS last, COALESCE(l.hash, r.opening_head) AS head"
    " FROM round r LEFT JOIN receipt w ON w.round_id = r.id AND w.member_id = :member"
    " LEFT JOIN ballot_event b ON b.round_id = r.id AND b.seq ="
    " (SELECT MAX(seq) FROM ballot_event WHERE round_id = r.id AND voter = w.voter)"
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


def load_positions(payload: str) -> tuple[int, ...]:
    """Positions from an event's JSON, which is a list of whole numbers and nothing else."""
    if payload[:1] != "[" or payload[-1:] != "]":
        raise ValueError(payload)
    return tuple(map(int, payload[1:-1].split(","))) if len(payload) > 2 else ()


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
        tx, round_id, member_id, positions, now, last=row[0], head=str(row[1]), receipt=row[2], voter=row[3]
    )


_LOG_END = (
    "SELECT l.seq, COALESCE(l.hash, r.opening_head), w.receipt, w.voter FROM round r"
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
    voter: int | None,
) -> str:
    """`put_ballot` for who has read the end of the log (`last`, `head`) in this transaction already."""
    seq, at = (last or 0) + 1, to_us(now)
    if receipt is None or voter is None:
        receipt, voter = _put_receipt(tx, round_id, member_id, seq), seq
    payload = None if positions is None else dump_positions(positions)
    tx.run(
        "INSERT INTO ballot_event (round_id, seq, voter, receipt, at, payload, prev_hash, hash)"
        " VALUES (:round, :seq, :voter, :receipt, :at, :payload, :prev, :hash)",
        round=round_id,
        seq=seq,
        voter=voter,
        receipt=receipt,
        at=at,
        payload=payload,
        prev=head,
        hash=event_hash(head, round_id, seq, at, receipt, payload),
    )
    return receipt


def _put_receipt(tx: Tx, round_id: int, member_id: int, voter: int) -> str:
    """A receipt that nobody else has in this round: 40 bits may meet by chance once in a very long while."""
    while True:
        secret = new_secret()
        receipt = receipt_of(secret, round_id, member_id)
        if tx.run(_RECEIPT, round=round_id, member=member_id, secret=secret, receipt=receipt, voter=voter):
            return receipt


_RECEIPT = (
    "INSERT INTO receipt (round_id, member_id, secret, receipt, voter)"
    " VALUES (:round, :member, :secret, :receipt, :voter)"
    " ON CONFLICT (round_id, receipt) DO NOTHING"
)


def last_ballot(tx: Tx, round_id: int, member_id: int) -> Ballot:
    """What a member's last event says; where they have none, that of an account linked to them since."""
    rows = tx.rows(
        "SELECT b.at, b.payload, b.receipt FROM receipt w JOIN ballot_event b"
        " ON b.round_id = w.round_id AND b.voter = w.voter WHERE w.round_id = :round AND (w.member_id = :member"
        " OR w.member_id IN (SELECT id FROM member WHERE merged_into = :member))"
        " ORDER BY w.member_id = :member DESC, b.seq DESC LIMIT 1",
        round=round_id,
        member=member_id,
    )
    return _ballot(rows[0]) if rows else Ballot(None)


def standing(tx: Tx, round_id: int, member_id: int) -> tuple[int, tuple[int, ...]] | None:
    """Number and positions of the event that is a member's ballot, None where they have none."""
    rows = tx.rows(
        "SELECT b.seq, b.payload FROM receipt w JOIN ballot_event b"
        " ON b.round_id = w.round_id AND b.voter = w.voter WHERE w.round_id = :round AND w.member_id = :member"
        " ORDER BY b.seq DESC LIMIT 1",
        round=round_id,
        member=member_id,
    )
    return (int(rows[0][0]), load_positions(rows[0][1])) if rows and rows[0][1] is not None else None


class LastWord(NamedTuple):
    """What stands behind one receipt, as stored; `payload` None where the ballot was taken back.

    `member_id` is who they are today, also after two accounts were linked; None once their receipt was deleted.
    """

    receipt: str
    member_id: int | None
    payload: str | None


def replay(tx: Tx, round_id: int, log: Iterable[Event] | None = None) -> list[LastWord]:
    """The last event of every receipt after all events in their order, by receipt; `log` where it was read already."""
    rows = tx.rows(
        "SELECT w.receipt, COALESCE(m.merged_into, m.id) FROM receipt w JOIN member m ON m.id = w.member_id"
        " WHERE w.round_id = :round",
        round=round_id,
    )
    whose = {row[0]: row[1] for row in rows}
    if log is None:
        rows = tx.rows(
            "SELECT receipt, payload FROM ballot_event WHERE round_id = :round ORDER BY seq", round=round_id
        )
        last = {row[0]: row[1] for row in rows}
    else:
        last = {event.receipt: event.payload for event in log}
    return [LastWord(receipt, whose.get(receipt), last[receipt]) for receipt in sorted(last)]


def log_of(tx: Tx, round_id: int) -> list[Event]:
    """The whole log of a round, in order."""
    rows = tx.rows(
        "SELECT seq, receipt, at, payload, prev_hash, hash FROM ballot_event WHERE round_id = :round ORDER BY seq",
        round=round_id,
    )
    return list(map(Event._make, rows))  # type: ignore[arg-type]


def receipts_of(tx: Tx, round_id: int) -> list[tuple[int, str, str]]:
    """Member, secret and receipt of everybody whose receipt is kept; the secret of some old ones is ''."""
    rows = tx.rows(
        "SELECT member_id, secret, receipt FROM receipt WHERE round_id = :round ORDER BY receipt",
        round=round_id,
    )
    return [(int(row[0]), str(row[1]), str(row[2])) for row in rows]


def misnumbered(tx: Tx, round_id: int) -> list[str]:
    """Receipts whose `voter` is not their first event, in the log or beside their member: one would find another's."""
    rows = tx.rows(
        "SELECT DISTINCT b.receipt FROM ballot_event b JOIN (SELECT receipt, MIN(seq) AS first FROM ballot_event"
        " WHERE round_id = :round GROUP BY receipt) f ON f.receipt = b.receipt"
        " LEFT JOIN receipt w ON w.round_id = b.round_id AND w.receipt = b.receipt"
        " WHERE b.round_id = :round AND (b.voter <> f.first OR w.voter <> f.first) ORDER BY b.receipt",
        round=round_id,
    )
    return [str(row[0]) for row in rows]


def forget_receipts(tx: Tx, before: datetime, most: int = 1_000) -> int:
    """Forget a batch of those who stand behind receipts, of rounds closed up to `before`; how many."""
    rows = tx.rows(
        "SELECT w.round_id, w.member_id, w.secret, w.voter FROM receipt w JOIN round r ON r.id = w.round_id"
        " WHERE r.state <> 'voting' AND r.closed_at <= :before ORDER BY w.round_id, w.member_id LIMIT :most",
        before=to_us(before),
        most=most,
    )
    _forget(tx, rows)
    return len(rows)


def forget_receipts_of(tx: Tx, member_id: int) -> None:
    """Forget that a member stands behind their receipts, in all rounds."""
    rows = tx.rows(
        "SELECT round_id, member_id, secret, voter FROM receipt WHERE member_id = :member", member=member_id
    )
    _forget(tx, rows)


def _forget(tx: Tx, rows: Sequence[Row]) -> None:
    """Delete rows that say whose receipts are whose; the logs keep the receipts, so that their chains hold.

    A receipt of before there were any names its member by number. Where it hangs in no chain it is written over,
    and nowhere else: the events of one voter keep one receipt, or an earlier ballot of theirs would stand again.
    """
    tx.run_many(
        "UPDATE ballot_event SET receipt = :other WHERE round_id = :round AND voter = :voter AND NOT EXISTS"
        " (SELECT 1 FROM ballot_event x WHERE x.round_id = :round AND x.voter = :voter AND x.hash IS NOT NULL)",
        [
            {"round": row[0], "voter": row[3], "other": receipt_of(new_secret(), row[0], row[1])}
            for row in rows
            if not row[2]
        ],
    )
    tx.run_many(
        "DELETE FROM receipt WHERE round_id = :round AND member_id = :member",
        [{"round": row[0], "member": row[1]} for row in rows],
    )


_WHO = "COALESCE((SELECT merged_into FROM member WHERE id = w.member_id), w.member_id)"
_STANDING = (
    " FROM ballot_event b LEFT JOIN receipt w ON w.round_id = b.round_id AND w.receipt = b.receipt"
    " WHERE b.payload IS NOT NULL AND b.seq = (SELECT MAX(x.seq) FROM ballot_event x"
    " WHERE x.round_id = b.round_id AND x.voter = b.voter) "
)


def count_voted(tx: Tx, round_id: int) -> int:
    """How many members have a ballot in this round, blank ones included."""
    rows = tx.rows("SELECT COUNT(*)" + _STANDING + "AND b.round_id = :round", round=round_id)
    return int(rows[0][0])


def count_events(tx: Tx, round_id: int) -> int:
    """How many events the log of a round has."""
    rows = tx.rows("SELECT COUNT(*) FROM ballot_event WHERE round_id = :round", round=round_id)
    return int(rows[0][0])


def voters(tx: Tx, round_id: int) -> set[int]:
    """Members with a ballot in this round, blank ones included, as far as their receipts are kept."""
    rows = tx.rows(f"SELECT DISTINCT {_WHO}{_STANDING}AND b.round_id = :round", round=round_id)
    return {int(row[0]) for row in rows if row[0] is not None}


def active_members(tx: Tx, club_id: int, before: datetime, rounds: int = 4) -> tuple[set[int], bool]:
    """Members with a ballot in one of the last `rounds` closed votes that opened before that; whether these are all.

    Whoever voted there with two accounts and has linked them since is one. Where receipts were deleted since,
    nobody can say any more whose those ballots were.
    """
    rows = tx.rows(
        f"SELECT DISTINCT {_WHO}{_STANDING}AND b.round_id IN (SELECT id FROM round"
        " WHERE club_id = :club AND state <> 'voting' AND opens_at < :before"
        " AND outcome NOT IN ('single', 'no_nomination', 'all_withdrawn') ORDER BY number DESC LIMIT :rounds)",
        club=club_id,
        before=to_us(before),
        rounds=rounds,
    )
    found = {row[0] for row in rows}
    return found - {None}, None not in found


def count_active(tx: Tx, club_id: int, before: datetime, rounds: int = 4) -> int:
    """How many `active_members` there are."""
    return len(active_members(tx, club_id, before, rounds)[0])


def _ballot(row: Row) -> Ballot:
    payload = row["payload"]
    positions = None if payload is None else load_positions(payload)
    return Ballot(positions, from_us(row["at"]), str(row["receipt"]))
