"""Election files: the JSON in which a vote can be recounted away from the bot, our own tally sheet among them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from bot.errors import BadInput
from bot.rounds.methods import Vote, find_method
from bot.rounds.methods.model import NOTHING
from bot.rounds.model import Candidate, Result, Tally
from bot.rounds.ties import Chain, Decision, Entry, break_ties

SHEET = "tally sheet"
"""What our own files say they are, under the key 'paperclub'."""
VERSION = 1
RANKED = ("schulze", "irv")
"""Methods whose ballots are written as rankings."""
PAYING = "phragmen"
"""The method whose ballots say what their voters have paid before."""


@dataclass(frozen=True, slots=True)
class Line:
    """One ballot of a tally sheet: `positions` in order where the round is ranked, `paid` in fair turns.

    `name` is the member's, in a vote open at close; else ''.
    """

    receipt: str
    positions: tuple[int, ...]
    paid: Fraction = NOTHING
    name: str = ""


def write_sheet(result: Result, lines: Sequence[Line], names: Mapping[int, str], events: int) -> str:
    """The tally sheet of a closed round, as JSON that anybody recounts with `paperclub tally`.

    `names` says what a candidate is called, by position; `events` is the number of events in the ballot log. The
    sheet tells the secret of the round's draw. Its ballots stand in the order of their receipts, so that the order
    says nothing of who voted when.
    """
    over = result.round
    ids = {candidate.position: candidate.paper.public_id for candidate in over.candidates}
    document = {
        "paperclub": SHEET,
        "version": VERSION,
        "round": str(over.id),
        "number": over.number,
        "opened": _iso(over.opens_at),
        "closed": _iso(over.closed_at or over.closes_at),
        "method": over.method,
        "seats": 1,
        "candidates": [_written(candidate, names) for candidate in over.candidates],
        "ballots": [_line(line, over.method, ids) for line in sorted(lines, key=lambda line: line.receipt)],
        "ties": {
            "rule": over.rules.ties,
            "round": str(over.id),
            "secret": over.secret,
            "commitment": over.commitment,
            "head": result.head,
        },
        "quorum": over.rules.quorum,
        "log": {"opening": over.opening_head, "closing": result.head, "events": events},
        "published result": _published(result, ids),
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _written(candidate: Candidate, names: Mapping[int, str]) -> dict[str, Any]:
    option = candidate.paper.public_id
    written: dict[str, Any] = {
        "id": option,
        "name": names.get(candidate.position, option),
        "position": candidate.position,
        "nominated_at": _iso(candidate.nominated_at),
    }
    return written | ({"withdrawn": True} if candidate.withdrawn else {})


def _line(line: Line, method: str, ids: Mapping[int, str]) -> dict[str, Any]:
    chosen = [ids[position] for position in line.positions]
    ballot: dict[str, Any] = {"receipt": line.receipt}
    ballot |= {"ranking": [[option] for option in chosen]} if method in RANKED else {"approvals": chosen}
    if method == PAYING:
        ballot["paid"] = str(line.paid)
    return ballot | ({"member": line.name} if line.name else {})


def _published(result: Result, ids: Mapping[int, str]) -> dict[str, Any]:
    winner = None if result.winner is None else ids[result.winner]
    published: dict[str, Any] = {"outcome": result.outcome, "winner": winner, "tie_rule": result.tie_rule}
    if result.decided_by:
        published |= {"decided_by": result.decided_by, "decided_note": result.decided_note}
    return published


@dataclass(frozen=True, slots=True)
class Election:
    """A vote as a file tells it. `candidates` are ids in the file's order, `names` what they are called.

    `method` is the file's own word (see methods.ALIASES); `entries` feed the tie chain where it has dates.
    """

    method: str
    seats: int
    options: Mapping[str, Any]
    candidates: tuple[str, ...]
    ballots: tuple[Vote, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    entries: Mapping[str, Entry] = field(default_factory=dict)


def read_election(data: bytes) -> Election:
    """Read an election file: an object with `method`, `seats`, `options`, `candidates` and `ballots`.

    A candidate is ``{id, name}`` and may carry `nominated_at` (ISO 8601 with offset) and `position`. A ballot
    holds `approvals`, `ranking` (tiers, best first) or `scores`; its `count` defaults to 1. Other keys are
    ignored.
    Raises: BadInput that names what is wrong, and in which ballot (1 is the first).
    """
    document = _document(data)
    listed = _list(document.get("candidates"), "tally.no_candidates")
    if not listed:
        raise BadInput("tally.no_candidates")
    names: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    for number, candidate in enumerate(listed, 1):
        option, name, entry = _candidate(candidate, number)
        if option in names:
            raise BadInput("tally.candidate_twice", option=option)
        names[option], entries[option] = name, entry
    ballots = tuple(
        _ballot(ballot, number, names)
        for number, ballot in enumerate(_list(document.get("ballots"), "tally.no_ballots"), 1)
    )
    options = document.get("options")
    return Election(
        method=_text(document.get("method"), "tally.no_method"),
        seats=_seats(document.get("seats")),
        options=options if isinstance(options, dict) else {},
        candidates=tuple(names),
        ballots=ballots,
        names=names,
        entries=entries,
    )


def count_election(
    election: Election, method: str | None = None, seats: int | None = None
) -> tuple[Tally, Decision]:
    """Count a file by its own method and seats or those given: the tally, and what the tie chain makes of it.

    Raises: BadInput, for a method that is unknown or not built yet, or ballots that do not fit it.
    """
    chosen = election.method if method is None else method
    places = _seats(election.seats if seats is None else seats)
    count = find_method(chosen)
    for number, vote in enumerate(election.ballots, 1):
        if not vote.approvals and (any(vote.ranking) or vote.scores):
            raise BadInput("tally.no_approvals", ballot=number)
    tally = count(election.ballots, election.candidates, places, election.options)
    return tally, break_ties(tally, places, Chain("age", election.entries))


def _document(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise BadInput("tally.bad_json", line=error.lineno, column=error.colno) from error
    except UnicodeDecodeError as error:
        raise BadInput("tally.bad_json", line=data[: error.start].count(b"\n") + 1, column=1) from error
    except (
        ValueError,
        RecursionError,
    ) as error:  # a number of thousands of digits, brackets nested without end
        raise BadInput("tally.bad_json", line=1, column=1) from error
    if not isinstance(document, dict):
        raise BadInput("tally.no_election")
    if "candidates" not in document and "ballots" not in document:
        raise BadInput("tally.no_election")
    return document


def _list(value: object, key: str, **values: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadInput(key, **values)
    return value


def _text(value: object, key: str, **values: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadInput(key, **values)
    return value


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _seats(value: object) -> int:
    seats = 1 if value is None else _whole(value)
    if seats is None or seats < 1:
        raise BadInput("tally.seats", field="seats", seats=str(value)[:20])
    return seats


def _candidate(value: object, number: int) -> tuple[str, str, Entry]:
    if isinstance(value, str):
        value = {"id": value}
    if not isinstance(value, dict):
        raise BadInput("tally.candidate", number=number)
    option = _text(value.get("id"), "tally.candidate", number=number)
    name = value.get("name")
    entry = Entry(_instant(value.get("nominated_at"), option), _whole(value.get("position")))
    return option, name if isinstance(name, str) and name.strip() else option, entry


def _instant(value: object, option: str) -> datetime | None:
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value if isinstance(value, str) else "")
        if at.tzinfo is None:
            raise ValueError("no offset")
        return at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadInput("tally.nominated_at", option=option, value=str(value)[:40]) from error


def _ballot(value: object, number: int, known: Mapping[str, str]) -> Vote:
    if not isinstance(value, dict):
        raise BadInput("tally.ballot", ballot=number)
    count = _whole(value.get("count", 1))
    if count is None or count < 0:
        raise BadInput("tally.ballot_count", ballot=number, value=str(value.get("count"))[:20])
    approvals = _names(value.get("approvals", []), number)
    tiers = _list(value.get("ranking", []), "tally.ballot", ballot=number)
    ranking = tuple(_names(tier if isinstance(tier, list) else [tier], number) for tier in tiers)
    scores = value.get("scores", {})
    if not isinstance(scores, dict) or any(_whole(score) is None for score in scores.values()):
        raise BadInput("tally.ballot", ballot=number)
    for named in (approvals, tuple(option for tier in ranking for option in tier), tuple(scores)):
        _check(named, number, known)
    return Vote(count, approvals, ranking, scores)


def _names(value: object, number: int) -> tuple[str, ...]:
    names = _list(value, "tally.ballot", ballot=number)
    return tuple(_text(name, "tally.ballot", ballot=number) for name in names)


def _check(named: Sequence[str], number: int, known: Mapping[str, str]) -> None:
    seen: set[str] = set()
    for option in named:
        if option not in known:
            raise BadInput("tally.unknown_option", ballot=number, option=option[:80])
        if option in seen:
            raise BadInput("tally.option_twice", ballot=number, option=option[:80])
        seen.add(option)
