"""The club's week at a glance: five steps, each with its state, and the event to come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.app.request import Request
from bot.app.rooms import Rooms
from bot.clubs.model import is_paused
from bot.clubs.service import next_times
from bot.daily.model import DAILY
from bot.errors import NotFound
from bot.messages.pages.week import WeekWords, week_words
from bot.rounds import service
from bot.rounds.extending import meeting_after
from bot.rounds.model import Result, Round
from bot.rounds.opening import closing_after
from bot.schedule.slots import local_day
from bot.storage import deliveries
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
    """`paper` and `opening` are the next that will come by themselves, None while nobody knows, `meeting` what that
    vote chooses for. `tie`: the last vote, where it waits for an organiser."""

    paper: datetime | None
    posted: datetime | None
    opening: datetime | None
    meeting: datetime | None
    vote: Round | None
    result: Result | None
    tie: Result | None
    paused: bool


def nothing(request: Request) -> WeekView:
    """Where there is no club yet."""
    return WeekView("", request.reader.zone, request.reader.language, (), None, "", None)


async def view(rooms: Rooms, request: Request) -> WeekView:
    """The week of the request's club, as it stands at the request's time."""
    club, now = request.needs_club(), request.now

    def read(tx: Tx) -> _Facts:
        today = local_day(now, club.zone).isoformat()
        sent = [row.sent_at for row in deliveries.list_deliveries(tx, club.id, DAILY, today) if row.sent_at]
        paper, opening = next_times(tx, club, now)
        results, _ = service.history(tx, club.id, 1, 1)
        return _Facts(
            paper,
            min(sent, default=None),
            opening,
            meeting_after(club, closing_after(club, opening)) if opening else None,
            service.find_open_round(tx, club.id),
            results[0] if results else None,
            _waiting(tx, club.id),
            is_paused(club, now),
        )

    facts = await rooms.database.read(read)
    words = week_words(request.reader, club)
    steps = (_paper(words, facts), *_choice(words, facts, now))
    event, label = _next(words, facts)
    return WeekView(club.name, club.zone, request.reader.language, steps, event, label, facts.opening)


def _waiting(tx: Tx, club_id: int) -> Result | None:
    try:
        last = service.get_result(tx, club_id)
    except NotFound:
        return None
    return last if last.outcome == "waiting" else None


def _paper(words: WeekWords, facts: _Facts) -> WeekStep:
    if facts.posted:
        return WeekStep("paper", words.paper, "done", words.posted, words.paper_when)
    if facts.paused:
        return WeekStep("paper", words.paper, "later", words.paused, _at(words, facts.paper))
    return WeekStep("paper", words.paper, "later", words.paper_later, words.paper_when)


def _choice(words: WeekWords, facts: _Facts, now: datetime) -> tuple[WeekStep, ...]:
    vote, paused = facts.vote, facts.paused
    last = facts.result if facts.result and _still_this_week(facts.result, now) else None
    over = facts.tie or last
    meeting = vote.meeting_at if vote else over.round.meeting_at if over else None
    if vote is not None:
        nominations = WeekStep("nominations", words.nominations, "done", words.closed, words.next_list)
        said = words.second_open if vote.rules.runoff_of else words.open
        ballot = WeekStep("vote", words.vote, "now", said, words.span(vote.opens_at, vote.closes_at))
        result = WeekStep("result", words.result, "later", words.later, words.moment(vote.closes_at))
    else:
        until = words.until(facts.opening)
        nominations = WeekStep("nominations", words.nominations, "now", words.open, until)
        if facts.tie is not None:
            until = words.decides(facts.tie.round.waits_until)
            ballot = WeekStep("vote", words.vote, "done", words.closed, _ran(words, facts.tie.round))
            result = WeekStep("result", words.result, "now", words.tie, until)
        elif last is not None:
            closed = last.round.closed_at or last.round.closes_at
            ballot = WeekStep("vote", words.vote, "done", words.closed, _ran(words, last.round))
            just = now - closed < JUST
            said = words.just_posted if just else words.posted
            result = WeekStep("result", words.result, "now" if just else "done", said, words.moment(closed))
        elif paused:
            ballot = WeekStep("vote", words.vote, "later", words.paused, _at(words, facts.opening))
            result = WeekStep("result", words.result, "later", words.paused, "")
        else:
            ballot = WeekStep("vote", words.vote, "later", words.vote_later, words.vote_when)
            result = WeekStep("result", words.result, "later", words.later, words.closes)
    if meeting is None and paused:
        meet = WeekStep("meeting", words.meeting, "later", words.paused, "")
    else:
        next_one = meeting or facts.meeting
        when = words.moment(next_one) if next_one else words.meets
        meet = WeekStep("meeting", words.meeting, "later", words.later, when)
    return nominations, ballot, result, meet


def _at(words: WeekWords, moment: datetime | None) -> str:
    return words.moment(moment) if moment else ""


def _ran(words: WeekWords, over: Round) -> str:
    """When a vote really ran; one paper alone is chosen in a moment."""
    closed = over.closed_at or over.closes_at
    return words.span(over.opens_at, closed) if over.opens_at < closed else words.moment(closed)


def _still_this_week(result: Result, now: datetime) -> bool:
    """Until its meeting a result is this week's."""
    meeting = result.round.meeting_at or result.round.closed_at
    return meeting is not None and now < meeting


def _next(words: WeekWords, facts: _Facts) -> tuple[datetime | None, str]:
    if facts.vote is not None:
        return facts.vote.closes_at, words.vote_closes
    if facts.opening is not None:
        return facts.opening, words.vote_opens
    if facts.paper is not None:
        return facts.paper, words.paper_comes
    return None, ""
