"""The club's week, in a transaction: open a round, close it, extend it after an outage, tell its result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal

from bot.clubs.model import Club, Member, is_paused, platforms_of
from bot.clubs.service import get_club
from bot.delivery.planning import plan_deliveries, plan_edits, plan_threads, record_missed
from bot.errors import BadInput, Conflict, NotFound, StoreError
from bot.rounds import ballots
from bot.rounds.log import commitment_of, new_secret, opening_head
from bot.rounds.model import MAX_CANDIDATES, MAX_REASON, THREAD, Nomination, Outcome, Result, Round, Rules
from bot.rounds.opening import OPEN, closing_after, next_opening, reset_opening
from bot.rounds.ties import Chain, Entry, break_ties
from bot.schedule.slots import GRACE, Slot, next_slot, slots_between
from bot.storage import nominations
from bot.storage import rounds as store
from bot.storage.acts import put_act
from bot.storage.clubs import find_club
from bot.storage.database import Database, Tx, to_us
from bot.storage.slots import drop_slot, due_slots, find_slot, put_slot, scheduled_clubs

log = logging.getLogger(__name__)

SHORTEST = timedelta(hours=1)
"""A vote is never open for less, however late it opens; an outage moves a deadline at least so far."""

_BATCH = 200


# ---- read ----


def find_open_round(tx: Tx, club_id: int) -> Round | None:
    """The round that takes ballots, or whose closing is just about to run."""
    return store.find_open_round(tx, club_id)


def get_round(tx: Tx, club_id: int, round_id: int) -> Round:
    """The club's round. Raises NotFound('error.no_round'), also for a round of another club."""
    found = store.find_round(tx, club_id, round_id)
    if found is None:
        raise NotFound("error.no_round", round_id=round_id)
    return found


def get_result(tx: Tx, club_id: int, round_id: int | None = None) -> Result:
    """The result of a closed round, by default of the last one.

    Raises: NotFound('error.no_round'), NotFound('results.empty') before the first,
    Conflict('result.open', when, round_id).
    """
    if round_id is None:
        last = store.list_closed_rounds(tx, club_id, 1, decided=False)
        if not last:
            raise NotFound("results.empty")
        round_id = last[0].id
    found = store.find_result(tx, club_id, round_id)
    if found is None:
        raise Conflict("result.open", when=get_round(tx, club_id, round_id).closes_at, round_id=round_id)
    return found


def history(tx: Tx, club_id: int, page: int = 1, size: int = 5) -> tuple[tuple[Result, ...], int]:
    """A page of the rounds that chose a paper, read or to be read, newest first, and how many there are in all."""
    over = store.list_closed_rounds(tx, club_id, size, (max(1, page) - 1) * size, decided=True)
    results = (store.find_result(tx, club_id, closed.id) for closed in over)
    return tuple(found for found in results if found is not None), store.count_closed_rounds(
        tx, club_id, decided=True
    )


def count_read(tx: Tx, club_id: int) -> int:
    """How many papers the club has met about."""
    return store.count_read(tx, club_id)


# ---- open ----


def open_round(
    tx: Tx, club: Club, now: datetime, closes_at: datetime | None = None, by: Member | None = None
) -> Round:
    """Freeze the club's list into a round and plan its announcement, in one transaction.

    Without `closes_at` it closes at the club's next closing time at least an hour away; the meeting is the
    next after that which has no paper yet. Both instants and the rules are frozen. No nomination: the round is
    over with that outcome. One: it is chosen without a vote. Raises: Conflict('open.already', round_id, when),
    Conflict('open.nothing') where an organiser (`by`) opens a vote on nothing.
    """
    running = find_open_round(tx, club.id)
    if running is not None:
        raise Conflict("open.already", round_id=running.id, when=running.closes_at)
    listed = _without_twins(nominations.list_open_nominations(tx, club.id))[:MAX_CANDIDATES]
    if by is not None and not listed:
        raise Conflict("open.nothing")
    closes = closes_at or closing_after(club, now + SHORTEST)
    chosen = store.find_last_meeting(tx, club.id)
    settings = club.settings
    rules = Rules(
        keep_rounds=settings.keep_rounds,
        link_required=settings.link_required and len(platforms_of(club)) > 1,
        guests_vote=settings.guests_vote,
    )
    secret = new_secret()
    round_id = store.put_round(
        tx,
        club.id,
        club.settings.method,
        rules,
        now,
        closes,
        meeting_after(club, max(closes, chosen or closes)),
        secret,
        commitment_of(secret),
    )
    store.put_candidates(tx, round_id, listed)
    frozen = get_round(tx, club.id, round_id)
    store.put_opening_head(tx, round_id, opening_head(opening_facts(frozen)))
    put_act(tx, club.id, by.id if by else None, now, "open", round=round_id)
    give_up = closes
    if len(listed) < 2:
        outcome: Outcome = "single" if listed else "no_nomination"
        _settle(tx, Result(get_round(tx, club.id, round_id), outcome, 1 if listed else None, {}, 0, 0), now)
        give_up = now + GRACE
    plan_deliveries(tx, club.id, OPEN, f"{round_id}:open", now, give_up, {"round": round_id})
    opened = get_round(tx, club.id, round_id)
    if opened.outcome == "single":
        _plan_discussion(tx, opened, (OPEN, f"{round_id}:open"), now)
    return opened


def opening_facts(vote: Round) -> dict[str, Any]:
    """What is frozen at an opening and hashed into the head its log begins with, as JSON values."""
    return {
        "round": vote.id,
        "method": vote.method,
        "rules": asdict(vote.rules),
        "opens_at": to_us(vote.opens_at),
        "commitment": vote.commitment,
        "candidates": [[each.position, each.paper.public_id] for each in vote.candidates],
    }


def _without_twins(listed: list[Nomination]) -> list[Nomination]:
    """Of two nominations whose papers turned out to be one, the older."""
    first: dict[int | None, Nomination] = {}
    for nomination in listed:
        first.setdefault(nomination.paper.id, nomination)
    return list(first.values())


def meeting_after(club: Club, moment: datetime) -> datetime:
    """The club's first meeting later than `moment`."""
    settings = club.settings
    return next_slot(moment, settings.meeting_time, (settings.meeting_day,), club.zone).due


# ---- close ----


def close_round(
    tx: Tx, club_id: int, round_id: int, now: datetime, by: Member | None = None, note: str = ""
) -> Result:
    """Count, break ties, freeze the result, move the nominations, plan the announcement; all or nothing.

    An organiser (`by`) gives a reason, which is published. Raises: NotFound('error.no_round'),
    Conflict('close.already'), BadInput('close.no_reason'), BadInput('nominate.reason_long').
    """
    over = get_round(tx, club_id, round_id)
    if over.state != "voting":
        raise Conflict("close.already", round_id=round_id, when=over.closed_at or over.closes_at)
    note = note.strip()
    if by is not None:
        if not note:
            raise BadInput("close.no_reason", field="reason")
        if len(note) > MAX_REASON:
            raise BadInput("nominate.reason_long", field="reason", n=MAX_REASON)
        put_act(tx, club_id, by.id, now, "close", round=round_id, reason=note)
    result = _settle(tx, decide(tx, over), now, by, note)
    give_up, about = _until(over, now), {"round": round_id}
    poll, told = (OPEN, f"{round_id}:open"), ("result", f"{round_id}:result")
    plan_deliveries(tx, club_id, *told, now, give_up, about, beside=poll)
    plan_edits(tx, club_id, "closed", f"{round_id}:closed", poll, now, give_up, about)
    if result.winner is not None:
        _plan_discussion(tx, over, told, now)
    return result


def _plan_discussion(tx: Tx, over: Round, of: tuple[str, str], now: datetime) -> None:
    """The winner gets a thread of its own, under the message that tells it."""
    subject = f"{over.id}:{THREAD}"
    plan_threads(tx, over.club_id, THREAD, subject, of, now, _until(over, now), {"round": over.id})


def _until(over: Round, now: datetime) -> datetime:
    """How long what a round came to is worth telling."""
    return max(now + GRACE, over.meeting_at or now)


def close_if_empty(tx: Tx, club_id: int, round_id: int, now: datetime) -> None:
    """Close a round at once when its last candidate has left: there is nothing to vote on any more."""
    if all(candidate.withdrawn for candidate in get_round(tx, club_id, round_id).candidates):
        close_round(tx, club_id, round_id, now)


def decide(tx: Tx, over: Round) -> Result:
    """What a round's ballots come to now: the tally, then the tie chain. Nothing is stored."""
    tally = ballots.tally(tx, over)
    entries = {str(c.position): Entry(c.nominated_at, c.position) for c in over.candidates}
    decision = break_ties(tally, 1, Chain("age", entries))
    counts = tally.steps[0].values
    cast, blank = int(counts["ballots"]), int(counts["blank"])
    outcome: Outcome = "decided"
    if decision.winners is None:
        standing = any(not candidate.withdrawn for candidate in over.candidates)
        outcome = "all_withdrawn" if not standing else "all_blank" if cast else "nobody"
    return Result(
        round=over,
        outcome=outcome,
        winner=int(decision.winners[0]) if decision.winners else None,
        votes={int(option): score for option, score in tally.scores.items()},
        ballots=cast,
        non_blank=cast - blank,
        tied=tuple(int(option) for group in tally.tied for option in group),
        tie_rule=decision.rule,
        turnout=ballots.turnout(tx, over),
        steps=(*tally.steps, *decision.steps),
    )


def _settle(tx: Tx, result: Result, now: datetime, by: Member | None = None, note: str = "") -> Result:
    """Freeze a result and move the nominations behind it: chosen, one lost round more, or as they were."""
    over = result.round
    store.close_round(tx, result, now, by.id if by else None, note)
    if result.winner is not None:
        for candidate in over.candidates:
            if candidate.position == result.winner:
                nominations.change_nomination(tx, candidate.nomination_id, "chosen", now)
            elif not candidate.withdrawn:
                nominations.lose_round(tx, candidate.nomination_id, over.rules.keep_rounds, now)
    return get_result(tx, over.club_id, over.id)


# ---- the clock ----


@dataclass(frozen=True, slots=True)
class Happened:
    """Something the clock did: a poll or result is new. `missed`: an opening that did not take place."""

    club_id: int
    round_id: int | None
    what: Literal["opened", "closed", "discussed", "missed"]


async def run_due(database: Database, now: datetime) -> list[Happened]:
    """Close, open and end what is due, each in a transaction of its own that asks again whether it still is.

    One read when nothing is due. Closings come first: an end and a beginning may share an instant.
    """
    closings, openings, meetings = await database.read(
        lambda tx: (
            store.due_closings(tx, now),
            due_slots(tx, OPEN, now, _BATCH),
            store.due_meetings(tx, now),
        )
    )
    groups: tuple[list[Callable[[Tx], Happened | None]], ...] = (
        [partial(_close_due, club_id=club_id, round_id=round_id, now=now) for club_id, round_id in closings],
        [partial(open_due, club_id=club_id, now=now) for club_id, _ in openings],
        [partial(_meet_due, club_id=club_id, round_id=round_id, now=now) for club_id, round_id in meetings],
    )
    happened: list[Happened] = []
    for group in groups:
        done = await asyncio.gather(*map(database.write, group), return_exceptions=True)
        for outcome in done:
            match outcome:
                case Happened():
                    happened.append(outcome)
                case Exception() if not isinstance(outcome, StoreError):
                    # One club that cannot be served does not stop the others.
                    log.error("a club's week stands still", exc_info=outcome)
                case BaseException():
                    raise outcome
    return happened


def _close_due(tx: Tx, club_id: int, round_id: int, now: datetime) -> Happened | None:
    over = get_round(tx, club_id, round_id)
    if over.state != "voting" or over.closes_at > now:
        return None
    close_round(tx, club_id, round_id, now)
    return Happened(club_id, round_id, "closed")


def _meet_due(tx: Tx, club_id: int, round_id: int, now: datetime) -> Happened:
    store.mark_discussed(tx, round_id, now)
    return Happened(club_id, round_id, "discussed")


def open_due(tx: Tx, club_id: int, now: datetime) -> Happened | None:
    """Serve a club's opening slot if it has come, and set the next one.

    Late, it still opens within the grace time and before its closing, then for at least an hour. Otherwise it
    is recorded as missed with the reason: 'away', 'paused', 'voting' (the round before is not over) or
    'decided' (an early vote gave its meeting a paper), or 'removed' (the bot is in no server of the club).
    """
    slot = find_slot(tx, club_id, OPEN)
    if slot is None or slot.due > now:
        return None
    club = find_club(tx, club_id)
    then = next_opening(club, now) if club is not None else None
    if club is None or then is None:
        drop_slot(tx, club_id, OPEN)
        return None
    put_slot(tx, club_id, OPEN, then)
    moment = timedelta(microseconds=1)
    at, days = club.settings.vote_opens_time, (club.settings.vote_opens_day,)
    passed = (slot, *slots_between(slot.due + moment, now + moment, at, days, club.zone))
    for missed in passed[:-1]:
        _note_missed(tx, club_id, missed, "away")
    return _open_slot(tx, club, passed[-1], now)


def _open_slot(tx: Tx, club: Club, slot: Slot, now: datetime) -> Happened:
    closes = closing_after(club, slot.due)
    reason = ""
    if is_paused(club, now):
        reason = "paused"
    elif now >= min(slot.due + GRACE, closes):
        reason = "away"
    elif find_open_round(tx, club.id) is not None:
        reason = "voting"
    elif (chosen := store.find_last_meeting(tx, club.id)) is not None and chosen > closes:
        reason = "decided"
    elif not club.channels:
        reason = "removed"
    if reason:
        _note_missed(tx, club.id, slot, reason)
        put_act(tx, club.id, None, now, "open.missed", day=slot.day.isoformat(), reason=reason)
        return Happened(club.id, None, "missed")
    opened = open_round(tx, club, now, max(closes, now + SHORTEST))
    return Happened(club.id, opened.id, "opened")


def _note_missed(tx: Tx, club_id: int, slot: Slot, reason: str) -> None:
    record_missed(tx, club_id, OPEN, slot.scheduled.isoformat(timespec="minutes"), slot.due, reason)


async def refresh(database: Database, now: datetime) -> None:
    """Once at start: work out every club's next opening anew; the rules of its zone may have changed."""
    after: int | None = 0
    while after is not None:
        after = await database.write(partial(_refresh, after=after, now=now))


def _refresh(tx: Tx, after: int, now: datetime) -> int | None:
    batch = scheduled_clubs(tx, after, _BATCH)
    for club_id in batch:
        club = find_club(tx, club_id)
        if club is not None:
            reset_opening(tx, club, now)
    return batch[-1] if batch else None


def extend_for_outage(tx: Tx, away_from: datetime, away_to: datetime, now: datetime) -> list[Round]:
    """Move every closing that fell into an outage by its length, so that it is at least an hour away.

    Call it at start, before anything else is due and before platforms connect. The record of the round keeps
    the outage, and its poll tells it. A meeting that would come before the new closing moves to the next.
    """
    return [
        extend(tx, club_id, round_id, away_from, away_to, now)
        for club_id, round_id in store.closings_within(tx, away_from, away_to)
    ]


def extend(
    tx: Tx, club_id: int, round_id: int, away_from: datetime, away_to: datetime, now: datetime
) -> Round:
    """Move one round's closing by the time nobody could vote; members have as long as they had before."""
    over = get_round(tx, club_id, round_id)
    closes = max(over.closes_at + (away_to - away_from), now + SHORTEST)
    meeting = over.meeting_at
    if meeting is not None and meeting <= closes:
        meeting = meeting_after(get_club(tx, club_id), closes)
    store.extend_round(tx, round_id, closes, meeting, away_from, away_to)
    put_act(tx, club_id, None, now, "extend", round=round_id)
    return get_round(tx, club_id, round_id)
