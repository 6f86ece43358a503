"""Today's paper as values: which, why, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.schedule.slots import Slot

Topic = tuple[str | None, str | None]
"""Area and subarea. (None, None) is 'Without a topic'; a subarea may be None beside an area."""

DAILY = "daily"
EXTRA = "extra"
NOTICE = "notice"
MISSED = "missed"
"""The kind of a notice that a day's paper was not posted; its subject is that day."""

LAP = timedelta(days=180)
"""With `start_over`, a pick older than this counts as unseen."""

FEW = 7
"""The club is told when no more papers than this are left."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why this paper. `turn`: it was the turn of `area`, last shown `days` ago (None: never shown).

    `organiser`: an extra post somebody asked for, chosen by the same turn. `replaced`: the paper chosen first
    was removed before it was sent.
    """

    kind: Literal["turn", "organiser", "replaced"]
    area: str | None
    days: int | None


@dataclass(frozen=True, slots=True)
class Choice:
    """What the rule chose from a pool."""

    paper_id: int
    area: str | None
    subarea: str | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class Turn:
    """A dated pick as the turn sees it: the topic as it was, and its local date (ISO)."""

    area: str | None
    subarea: str | None
    day: str


@dataclass(frozen=True, slots=True)
class Pick:
    """The paper of one post: `subject` is the scheduled local date (ISO) or ``extra:N``."""

    club_id: int
    subject: str
    paper_id: int
    area: str | None
    subarea: str | None
    reason: Reason
    picked_at: datetime


@dataclass(frozen=True, slots=True)
class Day:
    """What is to be done about a slot that has come.

    At most one `post`, the slots that were `missed` and why, and the slot to wait for `then`; None when the
    club has no daily paper any more.
    """

    post: Slot | None
    missed: tuple[tuple[Slot, str], ...]
    then: Slot | None


OutcomeKind = Literal[
    "sent",
    "waiting",
    "uncertain",
    "missed",
    "later",
    "not_scheduled",
    "off",
    "before_club",
    "before_channel",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one message in one channel, for `why`; `kind` is a delivery's, or ``notice.`` and which.

    `sent` at `at`, due at `due` (their difference is how late; `reason` 'undone': taken back since) ·
    `waiting` since `due`, last `reason`, next try at `at` · `uncertain`: it may have gone out, the platform is
    asked again at `at` · `missed`: `reason` is 'away', 'paused', 'used_up', 'late', 'left', 'undone', 'deleted'
    or the platform's last refusal · `later`: due at `due` · `not_scheduled`, `off` (no daily paper),
    `before_club`, `before_channel` (joined after `due`) · `unknown`: no record.
    """

    channel: str
    """Its name, '' where it is not known."""
    platform: str
    kind: str
    what: OutcomeKind
    due: datetime | None = None
    at: datetime | None = None
    reason: str = ""
    paper_id: int | None = None
    native_id: str = ""
    """Of the channel."""
