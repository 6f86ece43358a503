"""Who: clubs, their channels and settings, members and their accounts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time
from typing import Literal

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WORKDAYS: tuple[Weekday, ...] = WEEKDAYS[:5]

LANGUAGE_NAMES = {"en": "English", "zh": "简体中文"}
"""The languages a club can speak, each by its own name, never translated; the first is that of the sources."""


@dataclass(frozen=True, slots=True)
class Account:
    """One login on one platform; `workspace` is '' where the platform has none."""

    platform: str
    workspace: str
    user_id: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was asked: a channel as the platform names it, and the channel a thread hangs from."""

    platform: str
    workspace: str
    channel: str
    parent: str | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, where, the language of their client, and whether the platform makes them an organiser.

    `joined_at`: when they joined the server or workspace, where the platform says so. `guest`: the platform lets
    them into some channels only; `foreign`: they belong to a connected workspace; `bot`: no human at all.
    `zone`: the time zone of their client, as the platform names it. `unsure`: the platform did not say in time
    whether they are a guest, foreign or a bot. `roles`: the native ids of those they hold on the server they wrote
    in; None where the platform has none or does not tell them here.
    """

    account: Account
    place: Place
    name: str
    locale: str | None = None
    admin: bool = False
    joined_at: datetime | None = None
    guest: bool = False
    foreign: bool = False
    bot: bool = False
    zone: str | None = None
    unsure: bool = False
    roles: tuple[str, ...] | None = None


def is_guest(asker: Asker) -> bool:
    """Whether somebody is no full member of the place they write in."""
    return asker.guest or asker.foreign


SQUARE_ROOT = -1
"""A quorum that grows with the square root of the active members."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A club's settings. Times are wall times in its zone; changes to the vote apply from the next round."""

    daily_on: bool = True
    daily_time: time = time(9, 0)
    daily_days: tuple[Weekday, ...] = WORKDAYS
    daily_topics: tuple[str, ...] = ()
    """Topics (`Area` or `Area · Subarea`) papers are chosen from; empty means all."""
    start_over: bool = False
    """Once every paper was posted, picks older than 180 days count as unseen."""
    vote_on: bool = True
    vote_opens_day: Weekday = "thu"
    vote_opens_time: time = time(9, 0)
    vote_closes_day: Weekday = "fri"
    vote_closes_time: time = time(17, 0)
    meeting_day: Weekday = "mon"
    meeting_time: time = time(16, 0)
    method: str = "approval"
    keep_rounds: int = 4
    """Rounds a losing paper stays on the list."""
    nominations_each: int = 3
    link_required: bool = False
    """Where the club stands on two platforms, only members with accounts on both vote."""
    guests_vote: bool = False
    """Guests, and people of connected workspaces, vote and nominate; else they read."""
    vote_role: str = ""
    """The native id of the Discord role whose members alone vote there; '' for every member."""
    ties: str = "age"
    """See rounds.model.Ties."""
    secrecy: str = "secret"
    """See rounds.model.Secrecy."""
    quorum: int = 0
    """So many must vote; 0 for none, SQUARE_ROOT for 1.5 times the square root of the active members, rounded up."""
    close_early: bool = False
    """A vote closes by itself once all active members have voted."""
    season: int = 0
    """Of fair turns; a new one begins, and nobody has paid anything, each time they are switched on."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel of a club; see delivery.model.Address for how deliveries name it."""

    id: int
    club_id: int
    platform: str
    workspace: str
    native_id: str
    name: str
    role: str = ""
    """The native id of the role or user group called at openings and results; '' for nobody."""


@dataclass(frozen=True, slots=True)
class Club:
    """One reading group. `paused_at` without `paused_until`: until somebody resumes it."""

    id: int
    name: str
    language: str
    zone: str
    salt: str
    settings: Settings
    created_at: datetime
    paused_at: datetime | None = None
    paused_until: datetime | None = None
    channels: tuple[Channel, ...] = field(default=())


def platforms_of(club: Club) -> tuple[str, ...]:
    """The platforms a club stands on, in the order it came to them."""
    return tuple(dict.fromkeys(channel.platform for channel in club.channels))


def is_paused(club: Club, at: datetime) -> bool:
    """Whether the club rests at `at`: nothing new is posted or opened."""
    if club.paused_at is None or at < club.paused_at:
        return False
    return club.paused_until is None or at < club.paused_until


@dataclass(frozen=True, slots=True)
class Deleted:
    """A club that can still be brought back: when it was deleted, and by which member (None: its server was left)."""

    id: int
    name: str
    deleted_at: datetime
    deleted_by: int | None


@dataclass(frozen=True, slots=True)
class Member:
    """One human of a club, whatever number of accounts they own."""

    id: int
    club_id: int
    name: str
    organiser: bool
    joined_at: datetime
    blocked: bool = False
    """May vote, but not write: no nominations, no reasons."""
    language: str = ""
    """Of the account that was asked for, when known."""
    apart_at: datetime | None = None
    """When their account was unlinked: no ballot of its own in a round that was open then."""
    remind: bool = False
    """Asked for a private reminder before a vote closes."""
