"""Everything a store says of its votes, worked out again: what does not fit was changed behind our back.

It cannot find what was done by the rules: whoever runs the bot can add ballots for members who are silent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

from bot.errors import BadInput, UserError
from bot.rounds.counting import chain_of, count_round
from bot.rounds.freezing import opening_facts
from bot.rounds.log import Event, commitment_of, first_fault, opening_head, receipt_of
from bot.rounds.model import FAIR, Result, Round
from bot.rounds.replay import Counted, lines
from bot.rounds.sheet import agrees, count_election, read_election
from bot.rounds.ties import WINNER
from bot.storage import audit as store
from bot.storage import ballots
from bot.storage.audit import Audited, Head
from bot.storage.database import Tx
from bot.storage.rounds import find_result, find_round, find_sheet

What = Literal[
    "opening",
    "seal",
    "chain",
    "receipt",
    "lost",
    "head",
    "ballots",
    "votes",
    "outcome",
    "sheet",
    "unreadable",
    "no_log",
    "version",
    "paid",
    "untraced",
]
COUNTING = 1
"""The version of counting this program is; results of another are left alone."""
SHORTEST, LONGEST = 8, 64
"""Hex signs of a head that can be asked for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about one round: damage, or why a part of it was not checked. `values` as its sentence needs them."""

    round: Audited
    what: What
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """How much was checked, and what was found."""

    rounds: int
    events: int
    damage: tuple[Finding, ...]
    notes: tuple[Finding, ...]


class _Audit:
    """One round while it is checked."""

    def __init__(self, tx: Tx, about: Audited) -> None:
        self.tx, self.about = tx, about
        self.damage: list[Finding] = []
        self.notes: list[Finding] = []
        self.events: list[Event] = []

    def found(self, what: What, **values: Any) -> None:
        self.damage.append(Finding(self.about, what, values))

    def noted(self, what: What, **values: Any) -> None:
        self.notes.append(Finding(self.about, what, values))

    def part(self, name: str, check: Callable[[], None]) -> None:
        """What cannot even be read is damage too, and stops no other check."""
        try:
            check()
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, UserError):
            self.found("unreadable", part=name)


def audit(tx: Tx, club_id: int | None = None) -> Report:
    """Check all rounds of a club, or of every club."""
    audits = [_audit(tx, about) for about in store.list_rounds(tx, club_id)]
    return Report(
        len(audits),
        sum(len(each.events) for each in audits),
        tuple(found for each in audits for found in each.damage),
        tuple(noted for each in audits for noted in each.notes),
    )


def find_head(tx: Tx, head: str, club_id: int | None = None) -> tuple[list[Head], list[Finding]]:
    """Where the logs had a head that begins with `head`, and the damage in front of it, which makes it worthless.

    Raises: BadInput('audit.head', n) for what cannot be one.
    """
    head = head.strip().lower()
    if not SHORTEST <= len(head) <= LONGEST or set(head) - set("0123456789abcdef"):
        raise BadInput("audit.head", head=head, n=SHORTEST, last=LONGEST)
    heads = store.find_heads(tx, head, club_id)
    damage: list[Finding] = []
    for each in heads:
        one = _Audit(tx, each.round)
        one.part("opening", lambda one=one: _check_opening(one, _round(one)))  # type: ignore[misc]
        one.part("log", lambda one=one: _check_log(one, _round(one)))  # type: ignore[misc]
        damage += [found for found in one.damage if found.values.get("event", 0) <= each.seq]
    return heads, damage


def _audit(tx: Tx, about: Audited) -> _Audit:
    one = _Audit(tx, about)
    one.part("round", lambda: _check_round(one))
    return one


def _check_round(one: _Audit) -> None:
    over = _round(one)
    one.part("opening", lambda: _check_opening(one, over))
    one.part("log", lambda: _check_log(one, over))
    one.part("receipts", lambda: _check_receipts(one))
    if over.state != "voting":
        one.part("result", lambda: _check_result(one, over))


def _round(one: _Audit) -> Round:
    found = find_round(one.tx, one.about.club_id, one.about.round_id)
    if found is None:
        raise KeyError(one.about.round_id)
    papers = store.frozen_papers(one.tx, found.id)
    candidates = tuple(
        replace(each, paper=replace(each.paper, id=papers[each.position])) for each in found.candidates
    )
    return replace(found, candidates=candidates)


def _check_opening(one: _Audit, over: Round) -> None:
    if not over.opening_head:
        one.noted("no_log")
        return
    facts = opening_facts(over) | {"rules": store.frozen_rules(one.tx, over.id)}
    if opening_head(facts) != over.opening_head:
        one.found("opening")
    if over.secret and commitment_of(over.secret) != over.commitment:
        one.found("seal")


def _check_log(one: _Audit, over: Round) -> None:
    one.events = ballots.log_of(one.tx, over.id)
    event = first_fault(over.id, over.opening_head, one.events)
    if event is not None:
        one.found("chain", event=event, events=len(one.events))


def _check_receipts(one: _Audit) -> None:
    logged = {event.receipt for event in one.events}
    kept = ballots.receipts_of(one.tx, one.about.round_id)
    for member_id, secret, receipt in kept:
        if secret and receipt_of(secret, one.about.round_id, member_id) != receipt:
            one.found("receipt", receipt=receipt)
        elif receipt not in logged:
            one.found("lost", receipt=receipt)
    for receipt in ballots.misnumbered(one.tx, one.about.round_id):
        one.found("receipt", receipt=receipt)
    if logged and (gone := len(logged - {receipt for _, _, receipt in kept})):
        one.noted("untraced", n=gone)


def _check_result(one: _Audit, over: Round) -> None:
    """The frozen result and the tally sheet beside what the log says."""
    result = find_result(one.tx, over.club_id, over.id)
    if result is None:
        one.found("unreadable", part="result")
        return
    if not over.opening_head:
        return
    if result.head != over.head and result.outcome not in ("single", "no_nomination"):
        one.found("head", head=result.head, log=over.head)
    text = find_sheet(one.tx, over.club_id, over.id)
    counted = lines(one.tx, over, one.events)
    if result.version != COUNTING:
        one.noted("version", version=result.version)
    elif result.outcome not in ("single", "no_nomination"):
        _check_count(one, over, result, counted, text)
    if text is not None:
        one.part("sheet", lambda: _check_sheet(one, over, counted, text))


def _check_count(
    one: _Audit, over: Round, result: Result, counted: Sequence[Counted], sheet: str | None
) -> None:
    if over.method == FAIR:
        paid = (
            {} if sheet is None else {b["receipt"]: Fraction(b["paid"]) for b in json.loads(sheet)["ballots"]}
        )
        counted = [
            line._replace(vote=replace(line.vote, paid=paid.get(line.receipt, Fraction(0))))
            for line in counted
        ]
    again = count_round(one.tx, over, counted, over.closed_at or over.closes_at, at_once=True)
    if (again.ballots, again.non_blank) != (result.ballots, result.non_blank):
        one.found("ballots", told=result.ballots, log=again.ballots)
    elif result.votes != again.votes:
        one.found("votes")
    elif over.method == FAIR and sheet is None:
        one.noted("paid")
    elif not _fits(result, again):
        one.found("outcome")


def _fits(result: Result, again: Result) -> bool:
    """Whether a recount by the chain alone bears out a result; a tie that people decide has to be one."""
    if result.outcome in ("runoff", "waiting") or result.tie_rule == "organiser":
        return set(result.tied) == set(again.tied) and result.winner in (None, *again.tied)
    if again.tied and again.round.rules.ties == "organiser" and set(result.tied) <= set(again.tied):
        if result.outcome == "all_withdrawn":
            return result.winner is None
        if len(result.tied) < len(again.tied):  # some were withdrawn while it waited
            order, _ = chain_of(again.round)(tuple(map(str, result.tied)), WINNER)
            return order is not None and order[:1] == (str(result.winner),)
    return (result.outcome, result.winner, result.tied, result.tie_rule) == (
        again.outcome,
        again.winner,
        again.tied,
        again.tie_rule,
    )


def _check_sheet(one: _Audit, over: Round, counted: Sequence[Counted], text: str) -> None:
    sheet = json.loads(text)
    papers = {each.paper.public_id: each.position for each in over.candidates}
    told = {
        ballot["receipt"]: tuple(
            papers[option]
            for option in ballot.get("approvals", [o for tier in ballot.get("ranking", ()) for o in tier])
        )
        for ballot in sheet["ballots"]
    }
    election = read_election(text.encode())
    if (
        told != {line.receipt: line.positions for line in counted}
        or sheet["log"] != {"opening": over.opening_head, "closing": over.head, "events": len(one.events)}
        or not agrees(election, *count_election(election))
    ):
        one.found("sheet")
