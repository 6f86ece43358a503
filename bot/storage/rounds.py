"""Rounds, their candidates and frozen results as rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime

from bot.rounds.model import Candidate, Nomination, Outcome, Result, Round, Rules, Step, Turnout
from bot.storage import papers
from bot.storage.database import Row, Tx, from_us, to_us

_ROUND = (
    "SELECT r.*, m.name AS closer, (SELECT b.hash FROM ballot_event b WHERE b.round_id = r.id"
    " ORDER BY b.seq DESC LIMIT 1) AS last_hash FROM round r LEFT JOIN member m ON m.id = r.closed_by"
    " WHERE r.club_id = :club "
)
LIVING = "EXISTS (SELECT 1 FROM club c WHERE c.id = round.club_id AND c.deleted_at IS NULL)"
"""The clock passes over deleted clubs."""
_RULES = frozenset(field.name for field in fields(Rules))


def put_round(
    tx: Tx,
    club_id: int,
    method: str,
    rules: Rules,
    opens_at: datetime,
    closes_at: datetime,
    meeting_at: datetime | None,
    secret: str,
    commitment: str,
) -> int:
    """Store a round that is voting, with the club's next number and the secret of its draw; its id."""
    rows = tx.rows(
        "INSERT INTO round"
        " (club_id, number, method, rules, state, opens_at, closes_at, meeting_at, secret, commitment)"
        " SELECT :club, COALESCE(MAX(number), 0) + 1, :method, :rules, 'voting', :opens, :closes, :meeting,"
        " :secret, :commitment FROM round WHERE club_id = :club RETURNING id",
        club=club_id,
        method=method,
        rules=json.dumps(asdict(rules), ensure_ascii=False),
        opens=to_us(opens_at),
        closes=to_us(closes_at),
        meeting=None if meeting_at is None else to_us(meeting_at),
        secret=secret,
        commitment=commitment,
    )
    return int(rows[0][0])


def load_rules(text: str) -> Rules:
    """Rules from their JSON; what another version wrote beside them is passed over."""
    return Rules(**{name: value for name, value in json.loads(text).items() if name in _RULES})


def put_opening_head(tx: Tx, round_id: int, head: str) -> None:
    """What the log of a round begins with, once its candidates stand."""
    tx.run("UPDATE round SET opening_head = :head WHERE id = :id", head=head, id=round_id)


def put_candidates(tx: Tx, round_id: int, nominations: Sequence[Nomination]) -> None:
    """Freeze nominations as the candidates 1, 2, 3 … in the order given."""
    tx.run_many(
        "INSERT INTO candidate (round_id, position, nomination_id, paper_id, nominated_at)"
        " VALUES (:round, :position, :nomination, :paper, :at)",
        [
            {
                "round": round_id,
                "position": position,
                "nomination": nomination.id,
                "paper": nomination.paper.id,
                "at": to_us(nomination.created_at),
            }
            for position, nomination in enumerate(nominations, 1)
        ],
    )


def find_round(tx: Tx, club_id: int, round_id: int) -> Round | None:
    """The club's round with this id."""
    rows = tx.rows(_ROUND + "AND r.id = :id", club=club_id, id=round_id)
    return _build(tx, rows[0]) if rows else None


def find_open_round(tx: Tx, club_id: int) -> Round | None:
    """The club's round that is voting."""
    rows = tx.rows(_ROUND + "AND r.state = 'voting'", club=club_id)
    return _build(tx, rows[0]) if rows else None


def list_closed_rounds(tx: Tx, club_id: int, limit: int, offset: int = 0, *, decided: bool) -> list[Round]:
    """Rounds that are over, newest first; with `decided` those only that chose a paper."""
    rows = tx.rows(
        _ROUND + "AND r.state <> 'voting' AND (:all = 1 OR r.winner_paper IS NOT NULL)"
        " ORDER BY r.number DESC LIMIT :limit OFFSET :offset",
        club=club_id,
        limit=limit,
        offset=offset,
        all=int(not decided),
    )
    return [_build(tx, row) for row in rows]


def count_closed_rounds(tx: Tx, club_id: int, *, decided: bool) -> int:
    """How many rounds `list_closed_rounds` would list without a limit."""
    rows = tx.rows(
        "SELECT COUNT(*) FROM round WHERE club_id = :club AND state <> 'voting'"
        " AND (:all = 1 OR winner_paper IS NOT NULL)",
        club=club_id,
        all=int(not decided),
    )
    return int(rows[0][0])


def count_read(tx: Tx, club_id: int) -> int:
    """How many rounds chose a paper whose meeting has been."""
    rows = tx.rows(
        "SELECT COUNT(*) FROM round WHERE club_id = :club AND state = 'discussed' AND winner_paper IS NOT NULL",
        club=club_id,
    )
    return int(rows[0][0])


def find_last_meeting(tx: Tx, club_id: int, paper_id: int | None = None) -> datetime | None:
    """The latest meeting, past or to come, that has its paper, or a tie that waits for an organiser to give it one;
    with `paper_id` one for which that was chosen."""
    rows = tx.rows(
        "SELECT MAX(meeting_at) FROM round WHERE club_id = :club AND ((:paper IS NULL"
        " AND (winner_paper IS NOT NULL OR outcome = 'waiting')) OR winner_paper IN"
        " (SELECT id FROM paper WHERE id = :paper OR merged_into = :paper))",
        club=club_id,
        paper=paper_id,
    )
    return _instant(rows[0][0])


def move_closing(tx: Tx, round_id: int, closes_at: datetime, meeting_at: datetime | None) -> None:
    """Move the closing (and meeting) of a round that is voting."""
    tx.run(
        "UPDATE round SET closes_at = :closes, meeting_at = :meeting WHERE id = :id AND state = 'voting'",
        id=round_id,
        closes=to_us(closes_at),
        meeting=None if meeting_at is None else to_us(meeting_at),
    )


def move_wait(tx: Tx, round_id: int, until: datetime) -> None:
    """Until when a result that is out waits for the vote that decides its tie."""
    tx.run("UPDATE round SET waits_until = :until WHERE id = :id", id=round_id, until=to_us(until))


def note_outage(tx: Tx, round_id: int, away_from: datetime, away_to: datetime) -> None:
    """Keep the outage a closing moved for in the record of its round."""
    tx.run(
        "UPDATE round SET away_from = :away_from, away_to = :away_to WHERE id = :id",
        id=round_id,
        away_from=to_us(away_from),
        away_to=to_us(away_to),
    )


def note_withdrawal(tx: Tx, round_id: int, paper_id: int) -> None:
    """Keep the paper whose withdrawal moved a closing in the record of its round."""
    tx.run("UPDATE round SET extended_for = :paper WHERE id = :id", id=round_id, paper=paper_id)


def note_reminder(tx: Tx, round_id: int, now: datetime) -> bool:
    """A round is reminded of; False when it was before, or is over."""
    changed = tx.run(
        "UPDATE round SET reminded_at = :at WHERE id = :id AND reminded_at IS NULL AND state = 'voting'",
        id=round_id,
        at=to_us(now),
    )
    return changed == 1


def close_round(tx: Tx, round_id: int, now: datetime, by: int | None, note: str) -> None:
    """A round takes no ballots any more; its result is stored in the same transaction."""
    tx.run(
        "UPDATE round SET state = 'decided', closed_at = :at, closed_by = :by, close_note = :note"
        " WHERE id = :id",
        id=round_id,
        at=to_us(now),
        by=by,
        note=note,
    )


def put_result(tx: Tx, result: Result, waits_until: datetime | None = None) -> None:
    """Store the frozen result of a closed round; until when an organiser may decide its tie, else nothing."""
    winner = {c.position: c.paper.id for c in result.round.candidates}.get(result.winner or 0)
    tx.run(
        "UPDATE round SET outcome = :outcome, winner_paper = :winner, result = :result, waits_until = :waits"
        " WHERE id = :id",
        id=result.round.id,
        outcome=result.outcome,
        winner=winner,
        result=dump_result(result),
        waits=None if waits_until is None else to_us(waits_until),
    )


def put_sheet(tx: Tx, round_id: int, sheet: str) -> None:
    """Store the tally sheet of a round, in place of the one before."""
    tx.run("UPDATE round SET sheet = :sheet WHERE id = :id", id=round_id, sheet=sheet)


def find_sheet(tx: Tx, club_id: int, round_id: int) -> str | None:
    """The tally sheet of the club's round; None where there is none."""
    rows = tx.rows("SELECT sheet FROM round WHERE id = :id AND club_id = :club", id=round_id, club=club_id)
    return None if not rows or rows[0][0] is None else str(rows[0][0])


def mark_discussed(tx: Tx, round_id: int, now: datetime) -> None:
    """The meeting has come: the round is over for good, and its paper counts as read."""
    tx.run("UPDATE round SET state = 'discussed' WHERE id = :id AND state = 'decided'", id=round_id)
    tx.run(
        "UPDATE nomination SET state = 'read', changed_at = :at WHERE state = 'chosen' AND id IN ("
        "SELECT n.id FROM round r JOIN nomination n ON n.club_id = r.club_id JOIN paper p ON p.id = n.paper_id"
        " JOIN paper w ON w.id = r.winner_paper"
        " WHERE r.id = :id AND COALESCE(p.merged_into, p.id) = COALESCE(w.merged_into, w.id))",
        id=round_id,
        at=to_us(now),
    )


def withdraw_candidate(tx: Tx, club_id: int, nomination_id: int, now: datetime) -> int | None:
    """Mark the candidate of the open round that stems from a nomination; the round's id if there is one."""
    rows = tx.rows(
        "UPDATE candidate SET withdrawn_at = :at WHERE nomination_id = :nomination AND withdrawn_at IS NULL"
        " AND round_id IN (SELECT id FROM round WHERE club_id = :club AND state = 'voting')"
        " RETURNING round_id",
        at=to_us(now),
        nomination=nomination_id,
        club=club_id,
    )
    return int(rows[0][0]) if rows else None


def find_result(tx: Tx, club_id: int, round_id: int) -> Result | None:
    """The frozen result of a closed round; None while it is voting or where there is no such round."""
    rows = tx.rows(_ROUND + "AND r.id = :id AND r.result IS NOT NULL", club=club_id, id=round_id)
    return load_result(_build(tx, rows[0]), rows[0]["result"]) if rows else None


def dump_result(result: Result) -> str:
    """A result as JSON; its candidates are rows of their own."""
    return json.dumps(
        {
            "outcome": result.outcome,
            "winner": result.winner,
            "votes": {str(position): count for position, count in result.votes.items()},
            "ballots": result.ballots,
            "non_blank": result.non_blank,
            "tied": list(result.tied),
            "tie_rule": result.tie_rule,
            "turnout": [result.turnout.voted, result.turnout.active, result.turnout.linked],
            "steps": [[step.kind, step.values] for step in result.steps],
            "published": result.published,
            "why": result.why,
            "decided_by": result.decided_by,
            "decided_note": result.decided_note,
            "head": result.head,
            "version": result.version,
            "named": [[name, list(positions)] for name, positions in result.named],
            "runoff": result.runoff,
        },
        ensure_ascii=False,
    )


def load_result(over: Round, text: str) -> Result:
    """The result of a round from its JSON."""
    stored = json.loads(text)
    return Result(
        round=over,
        outcome=stored["outcome"],
        winner=stored["winner"],
        votes={int(position): count for position, count in stored["votes"].items()},
        ballots=stored["ballots"],
        non_blank=stored["non_blank"],
        tied=tuple(stored["tied"]),
        tie_rule=stored["tie_rule"],
        turnout=Turnout(*stored["turnout"]),
        steps=tuple(Step(kind, values) for kind, values in stored["steps"]),
        published=stored.get("published", "all"),
        why=stored.get("why", "organiser" if over.closed_by else "deadline"),
        decided_by=stored.get("decided_by", ""),
        decided_note=stored.get("decided_note", ""),
        head=stored.get("head", ""),
        version=stored.get("version", 0),
        named=tuple((name, tuple(positions)) for name, positions in stored.get("named", ())),
        runoff=stored.get("runoff"),
    )


def _build(tx: Tx, row: Row) -> Round:
    outcome: Outcome | None = row["outcome"]
    return Round(
        id=row["id"],
        club_id=row["club_id"],
        number=row["number"],
        method=row["method"],
        state=row["state"],
        opens_at=from_us(row["opens_at"]),
        closes_at=from_us(row["closes_at"]),
        meeting_at=_instant(row["meeting_at"]),
        candidates=_candidates(tx, row["club_id"], row["id"]),
        closed_at=_instant(row["closed_at"]),
        closed_by=row["closer"],
        close_note=row["close_note"],
        away_from=_instant(row["away_from"]),
        away_to=_instant(row["away_to"]),
        outcome=outcome,
        rules=load_rules(row["rules"]),
        commitment=row["commitment"] or "",
        secret=row["secret"] or "",
        opening_head=row["opening_head"],
        head=row["last_hash"] or row["opening_head"],
        extended_for="" if row["extended_for"] is None else f"p{row['extended_for']}",
        waits_until=_instant(row["waits_until"]),
    )


def _candidates(tx: Tx, club_id: int, round_id: int) -> tuple[Candidate, ...]:
    rows = tx.rows(
        "SELECT c.position, c.nomination_id, c.paper_id, m.name AS member, n.reason, c.nominated_at,"
        " c.withdrawn_at, n.state, n.note FROM candidate c JOIN nomination n ON n.id = c.nomination_id"
        " JOIN member m ON m.id = n.member_id WHERE c.round_id = :round ORDER BY c.position",
        round=round_id,
    )
    found = papers.load(tx, club_id, [row["paper_id"] for row in rows]) if rows else {}
    return tuple(
        Candidate(
            position=row["position"],
            nomination_id=row["nomination_id"],
            # What the ballot calls it stays, also where it turns out to be one paper with another candidate.
            paper=replace(found[row["paper_id"]], id=row["paper_id"]),
            member=row["member"],
            reason=row["reason"],
            nominated_at=from_us(row["nominated_at"]),
            withdrawn=row["withdrawn_at"] is not None,
            removed=row["note"] if row["state"] == "removed" else None,
            chosen=row["withdrawn_at"] is not None and row["state"] in ("chosen", "read"),
        )
        for row in rows
    )


def _instant(stored: int | None) -> datetime | None:
    return None if stored is None else from_us(stored)


def club_of_round(tx: Tx, round_id: int) -> int:
    """The club a round belongs to; 0 for an unknown one."""
    rows = tx.rows("SELECT club_id FROM round WHERE id = :round", round=round_id)
    return int(rows[0][0]) if rows else 0


def open_rounds(tx: Tx) -> list[int]:
    """Rounds that are voting, of any club that is not deleted."""
    rows = tx.rows(f"SELECT id FROM round WHERE state = 'voting' AND {LIVING} ORDER BY id")
    return [int(row[0]) for row in rows]
