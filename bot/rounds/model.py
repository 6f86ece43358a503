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

SHEET = "sheet"
"""The kind of the delivery that puts the tally sheet under the result, as a file."""
REMINDER = "reminder"
"""The kind of the one notice in the channel before a vote closes."""
NUDGE = "nudge"
"""The kind of the private reminder, for those who asked for it and have not voted."""
BLANKED = "blanked"
"""The kind of the private message to members whose ballot became blank when a paper was withdrawn."""

FEW = 5
"""With fewer non-blank ballots a secret vote publishes its totals only, no tally sheet."""
VERY_FEW = 3
"""With fewer it publishes the winner only."""
DEPTH = 5
"""Places of a ranked ballot, the same on every platform."""
RANKED = frozenset({"schulze", "irv"})
"""Methods whose ballots are in order of preference."""
FAIR = "phragmen"
"""The method that remembers what members have paid."""

NominationState = Literal["open", "chosen", "read", "withdrawn", "removed", "expired"]
RoundState = Literal["voting", "decided", "discussed"]
Outcome = Literal[
    "decided",
    "single",
    "nobody",
    "all_blank",
    "all_withdrawn",
    "no_nomination",
    "quorum",
    "runoff",
    "waiting",
]
"""`quorum`: fewer voted than were needed · `runoff`: a tie, another round decides · `waiting`: a tie, an organiser
decides; the round keeps that outcome until they do."""
Secrecy = Literal["secret", "open"]
"""`secret`: turnout while it runs, totals after closing · `open`: after closing everybody sees who voted for what."""
Ties = Literal["age", "draw", "runoff", "organiser"]
"""What breaks a tie first. `age`: the oldest nomination, then the sealed draw · `draw`: the sealed draw alone ·
`runoff`: one more round of the tied papers, where it still ends before the meeting, else as `age` · `organiser`:
one of them decides, on record, for two days and until the meeting begins, else as `age`."""
TieRule = Literal["", "age", "draw", "organiser"]
Published = Literal["all", "totals", "winner"]
Why = Literal["deadline", "organiser", "all_voted", "all_withdrawn", "one_left"]
"""`one_left`: in a second vote one paper was left, which is chosen (`outcome` 'single')."""


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
    `chosen`: it is off the ballot since the tie of an earlier vote was decided for it meanwhile.
    """

    position: int
    nomination_id: int
    paper: Paper
    member: str
    reason: str
    nominated_at: datetime
    withdrawn: bool = False
    removed: str | None = None
    chosen: bool = False


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
class Rules:
    """What a round keeps to, frozen at its opening; stored as JSON in `round.rules` under these names."""

    keep_rounds: int = 4
    """Rounds a losing paper stays on the list."""
    link_required: bool = False
    """Only ballots of members with accounts on two platforms are taken."""
    guests_vote: bool = False
    secrecy: Secrecy = "secret"
    ties: Ties = "age"
    quorum: int = 0
    """So many must vote, blank ballots included; 0: no quorum. Worked out at the opening."""
    close_early: bool = False
    """It closes by itself once all active members have voted."""
    season: int = 0
    """Whose payments count and are charged in fair turns."""
    runoff_of: int | None = None
    """The id of the round whose tie this one decides."""
    voting_role: str = ""
    """The native id of the Discord role whose members alone vote there; '' for every member."""


@dataclass(frozen=True, slots=True)
class Round:
    """One weekly choice.

    `commitment` is the SHA-256 of the secret of its draw; the `secret` (32 hex signs) is to be told only after
    closing. `opening_head` and `head` are the hashes the ballot log began with and stands at; '' for rounds of
    before there was a log. All hashes are 64 hex signs.
    """

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
    rules: Rules = Rules()
    commitment: str = ""
    secret: str = ""
    opening_head: str = ""
    head: str = ""
    extended_for: str = ""
    """The public id ('p17') of the paper whose withdrawal moved the closing last; '' where none did."""
    waits_until: datetime | None = None
    """Until when an organiser may decide a tie (`outcome` 'waiting'), or members vote again on it ('runoff')."""


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
    """What one member's last event says. `positions` None: not voted or withdrawn; empty: blank.

    In ranked rounds they are in order, first choice first, at most DEPTH; in others ascending. `receipt` (10 hex
    signs) is theirs in this round, the same for every change; '' before the first ballot and once it was deleted.
    """

    positions: tuple[int, ...] | None
    at: datetime | None = None
    receipt: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Result:
    """A closed round as published: totals by position, the winner's position, and how a tie was broken.

    `votes`: approvals (approval, fair turns), first choices (plurality, IRV), total stars (STAR); empty for
    Schulze, whose duels are in the step `pairs`.
    """

    round: Round
    outcome: Outcome
    winner: int | None
    votes: dict[int, int]
    ballots: int
    """Valid ballots, blank ones included: the turnout."""
    non_blank: int
    tied: tuple[int, ...] = ()
    tie_rule: TieRule = ""
    turnout: Turnout = Turnout(0)
    steps: tuple[Step, ...] = ()
    published: Published = "all"
    """What may be shown: `totals` no sheet and no single ballots, `winner` no numbers of single papers either."""
    why: Why = "deadline"
    """What closed it."""
    decided_by: str = ""
    """The organiser who decided a tie, and their reason."""
    decided_note: str = ""
    head: str = ""
    """The head of the ballot log at closing."""
    version: int = 1
    """Of the counting, so that later code can say what it differs in."""
    named: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """In a vote open at close: each member's name and ballot, by name."""
    runoff: int | None = None
    """The id of the round that decides the tie (`outcome` 'runoff')."""
