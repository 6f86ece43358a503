"""Nominations, rounds, ballots and tallies as values. Times are aware UTC."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from bot.papers.model import Paper

MAX_CANDIDATES = 25
MAX_REASON = 300
THREAD = "thread"
"""The kind of the delivery that opens the winner's discussion."""
ENDED = "ended"
"""The kind of the edit that says where a vote stands that it ended with its club."""
REDRAW = "redraw"
"""The kind of the edit that draws it again when the club is back."""

NominationState = Literal["open", "chosen", "read", "withdrawn", "removed", "expired"]
RoundState = Literal["voting", "decided", "discussed"]
Outcome = Literal["decided", "single", "nobody", "all_blank", "all_withdrawn", "no_nomination"]


@dataclass(frozen=True, slots=True)
class Nomination:
    """A paper on the club's list. `backers` are names of further members who nominated it."""

    id: int
    paper: Paper
    member_id: int
    member: str
    reason: str
    state: NominationState
    created_at: datetime
    rounds: int = 0
    backers: tuple[str, ...] = ()
    backer_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paper of a round, frozen at opening; `position` is 1 … 25 in order of nomination.

    `withdrawn`: off the ballot. `removed`: the organiser's reason (may be empty) where one took it off, else None.
    """

    position: int
    nomination_id: int
    paper: Paper
    member: str
    reason: str
    nominated_at: datetime
    withdrawn: bool = False
    removed: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a count, as data; `explain` turns it into a sentence. `kind` says which values it has."""

    kind: str
    values: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a method makes of the ballots, before any tie is broken.

    `winners` are surely elected, `tied` the groups that compete for what is left, `scores` by option where
    the method has them (exact integers or fractions).
    """

    method: str
    winners: tuple[str, ...]
    tied: tuple[tuple[str, ...], ...]
    outcome: Literal["decided", "tie", "no-decision"]
    scores: dict[str, int] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One weekly choice."""

    id: int
    club_id: int
    number: int
    method: str
    state: RoundState
    opens_at: datetime
    closes_at: datetime
    meeting_at: datetime | None
    candidates: tuple[Candidate, ...]
    closed_at: datetime | None = None
    closed_by: str | None = None
    close_note: str = ""
    away_from: datetime | None = None
    away_to: datetime | None = None
    outcome: Outcome | None = None
    keep_rounds: int = 4
    link_required: bool = False
    """Only ballots of members with accounts on two platforms are taken; frozen at opening, as all rules."""
    guests_vote: bool = False


@dataclass(frozen=True, slots=True)
class Turnout:
    """Who took part: `voted` of `active` members (None while the club has no history).

    `linked` of those who voted have accounts on two platforms; None where the club stands on one.
    """

    voted: int
    active: int | None = None
    linked: int | None = None


@dataclass(frozen=True, slots=True)
class Ballot:
    """What one member's last event says. `positions` None: not voted or withdrawn; empty: blank."""

    positions: tuple[int, ...] | None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A closed round as published: totals by position, the winner's position, and how a tie was broken."""

    round: Round
    outcome: Outcome
    winner: int | None
    votes: dict[int, int]
    ballots: int
    """Valid ballots, blank ones included: the turnout."""
    non_blank: int
    tied: tuple[int, ...] = ()
    tie_rule: Literal["", "age", "draw"] = ""
    turnout: Turnout = Turnout(0)
    steps: tuple[Step, ...] = ()
