"""A tie that waited for an organiser is decided, in a transaction: by one of them, or by the chain in the end."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.clubs.model import Member
from bot.delivery.planning import plan_deliveries, plan_edits
from bot.errors import BadInput, Conflict
from bot.rounds import replay
from bot.rounds.closing import (
    check_published,
    close_if_over,
    freeze_result,
    plan_discussion,
    plan_sheet,
    told_until,
    twins_of,
)
from bot.rounds.counting import chain_of, count_round
from bot.rounds.leaving import leave_round
from bot.rounds.model import FAIR, Candidate, Result, Round, Tally
from bot.rounds.reading import find_sheet, get_result, get_round
from bot.rounds.replay import Counted
from bot.rounds.sheet import paid_in
from bot.rounds.ties import break_ties, settle_among
from bot.storage import nominations
from bot.storage.acts import put_act
from bot.storage.database import Tx

DECISION = "decision"
"""The kind of the delivery that says how a tie was decided that waited for it."""
DECIDED = "decided"
"""The kind of the edit of the result that says the same."""


def decide_tie(
    tx: Tx, club_id: int, round_id: int, by: Member, position: int, reason: str, now: datetime
) -> Result:
    """An organiser decides a tie, with a reason that is published. The caller has checked the right to it.

    The vote that is open meanwhile is closed before if its time has come.
    Raises: NotFound('error.no_round'); Conflict('decide.over', round_id) when it was decided, the time is over or
    there was nothing to decide; BadInput('decide.no_reason'), BadInput('nominate.reason_long', n);
    BadInput('decide.not_tied') for a paper that was not; Conflict('nominate.gone', paper, state) for one that was
    withdrawn since.
    """
    close_if_over(tx, club_id, now)
    over = get_round(tx, club_id, round_id)
    if over.outcome != "waiting" or over.waits_until is None or over.waits_until <= now:
        raise Conflict("decide.over", round_id=round_id)
    reason = reason.strip()
    check_published(reason, "decide.no_reason")
    waiting = get_result(tx, club_id, round_id)
    chosen = next((each for each in over.candidates if each.position == position), None)
    if chosen is None or position not in waiting.tied:
        raise BadInput("decide.not_tied", field="position")
    nomination = nominations.find_nomination(tx, club_id, chosen.nomination_id)
    if nomination is None or nomination.state != "open":
        state = "withdrawn" if nomination is None else nomination.state
        raise Conflict("nominate.gone", paper=chosen.paper, state=state)
    about = {"round": round_id, "nomination": chosen.nomination_id, "paper": chosen.paper.id}
    put_act(tx, club_id, by.id, now, "decide", reason=reason, **about)
    decided = replace(
        waiting,
        outcome="decided",
        winner=position,
        tie_rule="organiser",
        decided_by=by.name,
        decided_note=reason,
    )
    return _finish(tx, decided, now)


def find_waiting(tx: Tx, club_id: int, round_id: int) -> tuple[Result, tuple[int, ...]]:
    """A tie that waits for an organiser, and which of its papers are on the list still.

    Raises: NotFound('error.no_round'), Conflict('result.open'), Conflict('decide.over', round_id).
    """
    waiting = get_result(tx, club_id, round_id)
    if waiting.outcome != "waiting":
        raise Conflict("decide.over", round_id=round_id)
    tied = (each for each in waiting.round.candidates if each.position in waiting.tied)
    return waiting, tuple(each.position for each in tied if _stands(tx, each, club_id))


def decide_waiting(tx: Tx, club_id: int, round_id: int, now: datetime) -> Result | None:
    """No organiser decided a tie in time: the chain does; None when it is not due or was decided."""
    over = get_round(tx, club_id, round_id)
    if over.outcome != "waiting" or over.waits_until is None or over.waits_until > now:
        return None
    close_if_over(tx, club_id, now)
    put_act(tx, club_id, None, now, "decide", round=round_id)
    return _finish(tx, _by_chain(tx, over, now), now)


def _by_chain(tx: Tx, over: Round, now: datetime) -> Result:
    """What the chain makes of a tie, between those of the tied papers that were not withdrawn since."""
    waiting, chain = get_result(tx, over.club_id, over.id), chain_of(over)
    tied = [each for each in over.candidates if each.position in waiting.tied]
    left = [str(each.position) for each in tied if _stands(tx, each, over.club_id)]
    if not left:
        return replace(waiting, outcome="all_withdrawn")
    if len(left) == len(tied) and over.method != FAIR:
        again = count_round(tx, over, replay.lines(tx, over), now, waiting.why, at_once=True)
        return replace(
            waiting, outcome="decided", winner=again.winner, tie_rule=again.tie_rule, steps=again.steps
        )
    # In fair turns nothing is counted again: what members have paid may have changed since.
    level = Tally(over.method, (), (tuple(str(each.position) for each in tied),), "tie")
    some_left = len(left) < len(tied)
    decision = settle_among(level, left, chain) if some_left else break_ties(level, 1, chain)
    assert decision.winners  # whatever waits has a draw
    return replace(
        waiting,
        outcome="decided",
        winner=int(decision.winners[0]),
        tied=tuple(map(int, left)),
        tie_rule=decision.rule,
        steps=(*waiting.steps, *decision.steps),
    )


def _stands(tx: Tx, candidate: Candidate, club_id: int) -> bool:
    found = nominations.find_nomination(tx, club_id, candidate.nomination_id)
    return found is not None and found.state == "open"


def _finish(tx: Tx, decided: Result, now: datetime) -> Result:
    """Freeze a result anew, tell it in a message of its own, and change the one that said it was waited for."""
    over = decided.round
    twins = twins_of(tx, decided)
    freeze_result(tx, decided, _as_published(tx, over), now)
    chosen = next((each for each in over.candidates if each.position == decided.winner), None)
    if chosen is not None:  # it may stand on the ballot of the next week already
        for nomination_id in (chosen.nomination_id, *twins):
            leave_round(tx, over.club_id, nomination_id, now)
    until, about = told_until(over, now), {"round": over.id}
    result, told = ("result", f"{over.id}:result"), (DECISION, f"{over.id}:decision")
    plan_deliveries(tx, over.club_id, *told, now, until, about, beside=result)
    plan_edits(tx, over.club_id, DECIDED, f"{over.id}:decided", result, now, until, about)
    if chosen is not None:
        plan_discussion(tx, over, told, now)
    plan_sheet(tx, decided, told, now)
    return get_result(tx, over.club_id, over.id)


def _as_published(tx: Tx, over: Round) -> list[Counted]:
    """The ballots of a round; in fair turns with what their voters had paid when it closed, as its sheet says."""
    sheet = find_sheet(tx, over.club_id, over.id) if over.method == FAIR else None
    paid = {} if sheet is None else paid_in(sheet)
    return [
        line._replace(vote=replace(line.vote, paid=paid.get(line.receipt, line.vote.paid)))
        for line in replay.lines(tx, over)
    ]
