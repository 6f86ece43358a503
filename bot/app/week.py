"""The club's week at a glance: five steps, each with its state, and the event to come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.app.request import Request
from bot.app.rooms import Rooms
from bot.daily.model import DAILY
from bot.messages.pages.week import WeekWords, week_words
from bot.rounds import service
from bot.rounds.model import Result, Round
from bot.schedule.slots import Slot, local_day
from bot.storage import deliveries, slots
from bot.storage.database import Tx

State = Literal["done", "now", "later"]

JUST = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class WeekStep:
    """One step: its name, where it stands ('posted', 'open', 'later' …) and when, in the reader's words."""

    key: str
    label: str
    state: State
    state_label: str
    when: str


@dataclass(frozen=True, slots=True)
class WeekView:
    """`next_event`: the next opening or closing of a vote, else the next paper, None when nothing is to come.
    `opening`: when the next vote opens."""

    club_name: str
    zone: str
    language: str
    steps: tuple[WeekStep, ...]
    next_event: datetime | None
    next_label: str
    opening: datetime | None


@dataclass(frozen=True, slots=True)
class _Facts:
    paper: Slot | None
    posted: datetime | None
    opening: Slot | None
    vote: Round | None
    result: Result | None


def nothing(request: Request) -> WeekView:
    """Where there is no club yet."""
    return WeekView("", request.reader.zone, request.reader.language, (), None, "", None)


async def view(rooms: Rooms, request: Request) -> WeekView:
    """The week of the request's club, as it stands at the request's time."""
    club, now = request.needs_club(), request.now

    def read(tx: Tx) -> _Facts:
        today = local_day(now, club.zone).isoformat()
        sent = [row.sent_at for row in deliveries.list_deliveries(tx, club.id, DAILY, today) if row.sent_at]
        results, _ = service.history(tx, club.id, 1, 1)
        return _Facts(
            slots.find_slot(tx, club.id, DAILY),
            min(sent, default=None),
            slots.find_slot(tx, club.id, "open"),
            service.round_now(tx, club.id),
            results[0] if results else None,
        )

    facts = await rooms.database.read(read)
    words = week_words(request.reader, club)
    steps = (_paper(words, facts), *_choice(words, facts, now))
    event, label = _next(words, facts)
    opening = facts.opening.due if facts.opening else None
    return WeekView(club.name, club.zone, request.reader.language, steps, event, label, opening)


def _paper(words: WeekWords, facts: _Facts) -> WeekStep:
    state: State = "done" if facts.posted else "later"
    return WeekStep(
        "paper", words.paper, state, words.posted if facts.posted else words.later, words.paper_when
    )


def _choice(words: WeekWords, facts: _Facts, now: datetime) -> tuple[WeekStep, ...]:
    vote, opening = facts.vote, facts.opening.due if facts.opening else None
    last = facts.result if facts.result and _still_this_week(facts.result, now) else None
    meeting = vote.meeting_at if vote else last.round.meeting_at if last else None
    if vote is not None:
        nominations = WeekStep("nominations", words.nominations, "done", words.closed, words.next_list)
        ballot = WeekStep("vote", words.vote, "now", words.open, words.span(vote.opens_at, vote.closes_at))
        result = WeekStep("result", words.result, "later", words.later, words.moment(vote.closes_at))
    else:
        nominations = WeekStep("nominations", words.nominations, "now", words.open, words.until(opening))
        state: State = "done" if last else "later"
        ballot = WeekStep("vote", words.vote, state, words.closed if last else words.later, words.vote_when)
        closed = last.round.closed_at if last else None
        said = words.just_posted if closed and now - closed < JUST else words.posted
        result = WeekStep(
            "result",
            words.result,
            state,
            said if last else words.later,
            words.moment(closed) if closed else words.closes,
        )
    meet = WeekStep(
        "meeting", words.meeting, "later", words.later, words.moment(meeting) if meeting else words.meets
    )
    return nominations, ballot, result, meet


def _still_this_week(result: Result, now: datetime) -> bool:
    """Until its meeting a result is this week's."""
    meeting = result.round.meeting_at or result.round.closed_at
    return meeting is not None and now < meeting


def _next(words: WeekWords, facts: _Facts) -> tuple[datetime | None, str]:
    if facts.vote is not None:
        return facts.vote.closes_at, words.vote_closes
    if facts.opening is not None:
        return facts.opening.due, words.vote_opens
    if facts.paper is not None:
        return facts.paper.due, words.paper_comes
    return None, ""
