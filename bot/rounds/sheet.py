"""The tally sheet of a closed round, written at its closing, and the recount of a sheet or any election file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from bot.errors import BadInput
from bot.rounds.election import SHEET, VERSION, Claim, Election, check_seats, read_election
from bot.rounds.methods import ALIASES, Vote, method_name
from bot.rounds.methods.model import NOTHING
from bot.rounds.model import Candidate, Result, Step, Tally
from bot.rounds.ties import Decision, break_ties, decide, settle_among

__all__ = [
    "Claim",
    "Election",
    "Line",
    "agrees",
    "count_election",
    "is_other",
    "read_election",
    "write_sheet",
]

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
    return laid_out(document)


def paid_in(sheet: str) -> dict[str, Fraction]:
    """By receipt, what voters had paid when a round of fair turns closed."""
    return {ballot["receipt"]: Fraction(ballot["paid"]) for ballot in json.loads(sheet)["ballots"]}


def laid_out(document: Mapping[str, Any]) -> str:
    """JSON to be read by people too: a line for every part, candidate and ballot."""
    parts = []
    for name, part in document.items():
        written = json.dumps(part, ensure_ascii=False)
        if isinstance(part, list) and part:
            written = (
                "[\n    " + ",\n    ".join(json.dumps(line, ensure_ascii=False) for line in part) + "\n  ]"
            )
        parts.append(f"  {json.dumps(name)}: {written}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


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
    if result.votes:
        published["votes"] = {ids[position]: votes for position, votes in result.votes.items()}
    if result.tied:
        published["tied"] = [ids[position] for position in result.tied]
    if result.decided_by:
        published |= {"decided_by": result.decided_by, "decided_note": result.decided_note}
    return published


# ---- the recount ----

_FIELDS = {
    "approval": ("approvals",),
    "phragmen": ("approvals",),
    "plurality": ("approvals", "ranking"),
    "schulze": ("ranking",),
    "irv": ("ranking",),
    "star": ("scores",),
}
"""What a method reads of a ballot."""
_UNFIT = {"approvals": "tally.no_approvals", "ranking": "tally.no_ranking", "scores": "tally.no_scores"}


def count_election(
    election: Election, method: str | None = None, seats: int | None = None
) -> tuple[Tally, Decision]:
    """Count a file by its own method and seats or those given: the tally, and what the tie chain makes of it.

    A tie that people decided, in one more round or as organisers, stays a tie for the count; the decision tells
    what they did.
    Raises: BadInput, for a method that is unknown, or ballots that do not fit it.
    """
    chosen = method_name(election.method if method is None else method)
    places = check_seats(election.seats if seats is None else seats)
    _check_fit(election, chosen)
    claim = election.claim if not is_other(election, method, seats) else None
    by_people = claim is not None and (
        claim.outcome in ("runoff", "waiting", "all_withdrawn") or claim.tie_rule == "organiser"
    )
    chain = None if by_people else election.chain
    votes = _merged(election.ballots)
    tally, decision = decide(chosen, votes, election.candidates, places, election.options, chain)
    if (voted := _voted(election)) < election.quorum:
        missed = Step("quorum", {"ballots": voted, "quorum": election.quorum})
        return Tally(chosen, (), (), "no-decision", tally.scores, (*tally.steps[:1], missed)), Decision(
            None, ""
        )
    if claim is not None and tally.outcome == "tie":
        if by_people:
            return tally, _people_decided(tally, claim)
        left = [option for option in _level(tally) if option in claim.tied]
        if election.chain is not None and _waits(election) and 0 < len(left) < len(_level(tally)):
            return tally, settle_among(tally, left, election.chain)
    return tally, decision


def _level(tally: Tally) -> list[str]:
    return [option for group in tally.tied for option in group]


def is_other(election: Election, method: str | None, seats: int | None) -> bool:
    """Whether a count by these is another one than the file's own."""
    own = ALIASES.get(election.method, election.method)
    return (method is not None and method_name(method) != own) or seats not in (None, election.seats)


def agrees(election: Election, tally: Tally, decision: Decision) -> bool:
    """Whether a sheet's own count comes to what it says was published; True for files that say nothing."""
    claim = election.claim
    if claim is None:
        return True
    if any(tally.scores.get(option) != votes for option, votes in claim.votes.items()):
        return False
    if not _may_be_level(election, tally, claim):
        return False
    match claim.outcome:
        case "decided":
            return decision.winners == (claim.winner,) and decision.rule == claim.tie_rule
        case "single":
            return election.candidates == (claim.winner,)
        case "runoff" | "waiting":
            return tally.outcome == "tie" and claim.winner is None
        case "all_withdrawn" if claim.tied:  # while the tie waited
            return tally.outcome == "tie" and claim.winner is None and _waits(election)
    voted, missed = _voted(election), _voted(election) < election.quorum
    nothing = claim.winner is None and tally.outcome == "no-decision"
    match claim.outcome:
        case "quorum":
            return nothing and missed
        case "nobody":
            return nothing and not voted
        case "all_blank":
            return nothing and bool(voted) and not any(map(_says_something, election.ballots))
        case "all_withdrawn":
            return nothing and not election.candidates
    return False


def _merged(ballots: Sequence[Vote]) -> list[Vote]:
    """Equal ballots counted together."""
    times: Counter[tuple[Any, ...]] = Counter()
    for vote in ballots:
        times[vote.approvals, vote.ranking, tuple(vote.scores.items()), vote.paid] += vote.count
    return [
        Vote(count, approvals, ranking, dict(scores), paid)
        for (approvals, ranking, scores, paid), count in times.items()
    ]


def _may_be_level(election: Election, tally: Tally, claim: Claim) -> bool:
    """Whether those a sheet calls level were it; where an organiser was waited for, some may have left since."""
    named, level = set(claim.tied), set(_level(tally))
    return not named or named == level or (_waits(election) and named < level)


def _waits(election: Election) -> bool:
    return election.chain is not None and election.chain.rule == "organiser"


def _voted(election: Election) -> int:
    return sum(vote.count for vote in election.ballots)


def _says_something(vote: Vote) -> bool:
    return bool(vote.approvals or any(vote.ranking) or vote.scores)


def _check_fit(election: Election, method: str) -> None:
    """Whether every ballot that is not blank has what the method reads."""
    fields = _FIELDS[method]
    for number, vote in enumerate(election.ballots, 1):
        if _says_something(vote) and not any(getattr(vote, field) for field in fields):
            raise BadInput(_UNFIT[fields[0]], ballot=number)
        if method == "plurality" and len(vote.approvals) > 1:
            raise BadInput("tally.one_vote", ballot=number)


def _people_decided(tally: Tally, claim: Claim) -> Decision:
    """A tie that the chain was not asked for, as the sheet tells it."""
    level = _level(tally)
    if claim.tie_rule != "organiser":
        kind = "left" if claim.outcome == "all_withdrawn" else claim.outcome
        return Decision(None, "", (Step(f"tie.{kind}", {"options": level}),))
    if claim.winner not in level:
        return break_ties(tally, len(tally.winners) + 1, None)
    told = {"options": level, "chosen": claim.winner, "by": claim.decided_by, "note": claim.decided_note}
    return Decision((claim.winner,), "organiser", (Step("tie.organiser", told),))
