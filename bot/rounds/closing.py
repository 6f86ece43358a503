"""A vote closes, in a transaction: its result is frozen, its papers move on, and what is to be said is planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.clubs.model import Member
from bot.delivery.planning import plan_deliveries, plan_edits, plan_threads
from bot.errors import BadInput, Conflict
from bot.papers.model import Paper
from bot.papers.plain import plain_text
from bot.rounds import replay
from bot.rounds.counting import count_round, waits_until
from bot.rounds.extending import DAY
from bot.rounds.freezing import freeze, without_twins
from bot.rounds.model import FAIR, MAX_REASON, SHEET, THREAD, Candidate, Nomination, Result, Round, Why
from bot.rounds.opening import OPEN
from bot.rounds.reading import find_open_round, get_result, get_round
from bot.rounds.replay import Counted
from bot.rounds.sheet import Line, write_sheet
from bot.rounds.turnout import all_active_voted
from bot.schedule.slots import GRACE
from bot.storage import nominations
from bot.storage import rounds as store
from bot.storage.acts import put_act
from bot.storage.ballots import count_events
from bot.storage.database import Tx
from bot.storage.members import names_of

EARLY = timedelta(minutes=1)
"""So long a vote is open at least before it closes because all have voted."""
AFTER = timedelta(seconds=1)
"""The tally sheet comes into the thread of the result after the discussion was opened there."""


def close_round(
    tx: Tx,
    club_id: int,
    round_id: int,
    now: datetime,
    by: Member | None = None,
    note: str = "",
    why: Why | None = None,
) -> Result:
    """Count, break ties, freeze the result, move the nominations, plan the announcement; all or nothing.

    An organiser (`by`) gives a reason, which is published; once the deadline has come it is that which closes.
    Raises: NotFound('error.no_round'), Conflict('close.already'), BadInput('close.no_reason'),
    BadInput('nominate.reason_long').
    """
    over = get_round(tx, club_id, round_id)
    if over.state != "voting":
        raise Conflict("close.already", round_id=round_id, when=over.closed_at or over.closes_at)
    if over.closes_at <= now:
        by, note = None, ""
    note = note.strip()
    if by is not None:
        check_published(note, "close.no_reason")
        put_act(tx, club_id, by.id, now, "close", round=round_id, reason=note)
    counted = replay.lines(tx, over)
    why = why or ("organiser" if by else "deadline")
    result = count_round(tx, over, counted, now, why)
    if why == "one_left":
        result = _unopposed(result)
    again = _listed(tx, result) if result.outcome == "runoff" else []
    if result.outcome == "runoff" and len(again) < 2:
        result = count_round(tx, over, counted, now, why, at_once=True)
    _announce(tx, result, now)
    store.close_round(tx, round_id, now, by.id if by else None, note)
    if result.outcome == "runoff":
        result = replace(result, runoff=_open_runoff(tx, over, again, now))
    freeze_result(tx, result, counted, now)
    return get_result(tx, club_id, round_id)


def _unopposed(result: Result) -> Result:
    """The one paper left of a second vote is chosen, whoever has voted: it was level with the best before."""
    left = next(each for each in result.round.candidates if not each.withdrawn)
    return replace(result, outcome="single", winner=left.position, votes={}, tie_rule="", steps=(), named=())


def check_published(reason: str, missing: str) -> None:
    """A reason that everybody reads is there and not too long. Raises BadInput by the key `missing`."""
    if not reason:
        raise BadInput(missing, field="reason")
    if len(reason) > MAX_REASON:
        raise BadInput("nominate.reason_long", field="reason", n=MAX_REASON)


def settle_unvoted(tx: Tx, result: Result, now: datetime) -> None:
    """A round that is over as it opens, since there is nothing to choose from."""
    store.close_round(tx, result.round.id, now, None, "")
    freeze_result(tx, result, (), now)


def freeze_result(tx: Tx, result: Result, counted: Sequence[Counted], now: datetime) -> None:
    """Store a result and its sheet, and move the nominations and payments behind it."""
    over = result.round
    until = {"waiting": waits_until(over, now), "runoff": now + DAY}.get(result.outcome)
    store.put_result(tx, result, until)
    if has_sheet(result):
        store.put_sheet(tx, over.id, _sheet(tx, get_result(tx, over.club_id, over.id), counted))
    move_nominations(tx, result, now)
    if result.winner is not None and result.outcome == "decided" and over.method == FAIR:
        replay.settle_turns(tx, over, result.winner)


def _sheet(tx: Tx, result: Result, counted: Sequence[Counted]) -> str:
    over = result.round
    names = names_of(tx, over.club_id) if over.rules.secrecy == "open" else {}
    lines = [
        Line(each.receipt, each.positions, each.vote.paid, names.get(each.member_id or 0, ""))
        for each in counted
    ]
    papers = {each.position: _called(each.paper) for each in over.candidates}
    return write_sheet(result, lines, papers, count_events(tx, over.id))


def _called(paper: Paper) -> str:
    """What a paper is called where there is room for words alone."""
    if paper.title:
        return plain_text(paper.title)
    return paper.headline.text if paper.headline else paper.public_id


def has_sheet(result: Result) -> bool:
    """Whether the ballots of a round are published, and there were any."""
    unvoted = ("single", "no_nomination", "nobody")
    if result.outcome == "all_withdrawn" and not result.tied:  # of a tie, after the count
        return False
    return result.published == "all" and result.outcome not in unvoted


def move_nominations(tx: Tx, result: Result, now: datetime) -> None:
    """What was chosen leaves the list; what lost has lost a round. Without a decision all stay as they were.

    A tie that another round decides is lost by those alone who are not in it. Chosen with the winner are further
    nominations whose papers turned out to be the same.
    """
    over = result.round
    if result.winner is None and result.outcome != "runoff":
        return
    for twin in twins_of(tx, result):
        nominations.change_nomination(tx, twin, "chosen", now)
    for candidate in over.candidates:
        if candidate.position == result.winner:
            nominations.change_nomination(tx, candidate.nomination_id, "chosen", now)
        elif not candidate.withdrawn and not (
            result.outcome == "runoff" and candidate.position in result.tied
        ):
            nominations.lose_round(tx, candidate.nomination_id, over.rules.keep_rounds, now)


def twins_of(tx: Tx, result: Result) -> list[int]:
    """Nominations on the list of the paper that was chosen, under whatever number, but for the chosen one."""
    chosen = [each for each in result.round.candidates if each.position == result.winner]
    if not chosen or (winner := _nomination(tx, result.round, chosen[0])) is None:
        return []
    listed = nominations.list_open_nominations(tx, result.round.club_id)
    return [each.id for each in listed if each.paper.id == winner.paper.id and each.id != winner.id]


def _nomination(tx: Tx, over: Round, candidate: Candidate) -> Nomination | None:
    return nominations.find_nomination(tx, over.club_id, candidate.nomination_id)


# ---- what is said ----


def _announce(tx: Tx, result: Result, now: datetime) -> None:
    over = result.round
    give_up, about = told_until(over, now), {"round": over.id}
    poll, told = (OPEN, f"{over.id}:open"), ("result", f"{over.id}:result")
    plan_deliveries(tx, over.club_id, *told, now, give_up, about, beside=poll)
    plan_edits(tx, over.club_id, "closed", f"{over.id}:closed", poll, now, give_up, about)
    if result.winner is not None:
        plan_discussion(tx, over, told, now)
    plan_sheet(tx, result, told, now)


def plan_sheet(tx: Tx, result: Result, of: tuple[str, str], now: datetime) -> None:
    """The tally sheet comes below the message that tells the result; another one below what decided a tie later."""
    over = result.round
    if has_sheet(result):
        key = (SHEET, f"{over.id}:sheet" if of[0] == "result" else f"{over.id}:sheet:{of[0]}")
        about, until = {"round": over.id}, told_until(over, now)
        plan_threads(tx, over.club_id, *key, of, now, until, about, due=now + AFTER)


def plan_discussion(tx: Tx, over: Round, of: tuple[str, str], now: datetime) -> None:
    """The winner gets a thread of its own, under the message that tells it."""
    subject = f"{over.id}:{THREAD}"
    plan_threads(tx, over.club_id, THREAD, subject, of, now, told_until(over, now), {"round": over.id})


def told_until(over: Round, now: datetime) -> datetime:
    """How long what a round came to is worth telling."""
    return max(now + GRACE, over.meeting_at or now)


# ---- a runoff ----


def _listed(tx: Tx, result: Result) -> list[Nomination]:
    """The nominations between which a runoff decides, in the order they stood."""
    over = result.round
    tied = [each for each in over.candidates if each.position in result.tied]
    found = (_nomination(tx, over, each) for each in tied)
    return without_twins([each for each in found if each is not None])


def _open_runoff(tx: Tx, over: Round, listed: Sequence[Nomination], now: datetime) -> int:
    """Open the round that decides a tie, for the same meeting and by the same rules; its id."""
    closes = now + DAY
    rules = replace(over.rules, runoff_of=over.id)
    runoff = freeze(tx, over.club_id, over.method, rules, listed, now, closes, over.meeting_at)
    put_act(tx, over.club_id, None, now, "open", round=runoff.id, runoff_of=over.id)
    plan_deliveries(tx, over.club_id, OPEN, f"{runoff.id}:open", now, closes, {"round": runoff.id})
    return runoff.id


# ---- closings of other kinds ----


def close_if_empty(tx: Tx, club_id: int, round_id: int, now: datetime) -> bool:
    """Close a round at once when there is nothing to vote on any more: its last candidate has left.

    Of a second vote that is so with one paper left, which is chosen.
    """
    over = get_round(tx, club_id, round_id)
    left = sum(not candidate.withdrawn for candidate in over.candidates)
    if left > (1 if over.rules.runoff_of else 0):
        return False
    close_round(tx, club_id, round_id, now, why="one_left" if left else "all_withdrawn")
    return True


def close_if_over(tx: Tx, club_id: int, now: datetime) -> None:
    """Close the club's open vote if its time has come: what happens from then on changes nothing of it."""
    over = find_open_round(tx, club_id)
    if over is not None and over.closes_at <= now:
        close_round(tx, club_id, over.id, now)


def close_if_all_voted(tx: Tx, round_id: int, now: datetime) -> Result | None:
    """Close a round whose rules say so once all active members have voted, but not in its first minute."""
    club_id = store.club_of_round(tx, round_id)
    over = store.find_round(tx, club_id, round_id)
    if over is None or over.state != "voting" or not over.rules.close_early:
        return None
    if not over.opens_at + EARLY <= now < over.closes_at or not all_active_voted(tx, over):
        return None
    return close_round(tx, club_id, round_id, now, why="all_voted")
