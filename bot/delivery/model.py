"""Deliveries as values."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

State = Literal["due", "claimed", "sent", "uncertain", "missed"]


@dataclass(frozen=True, slots=True)
class Address:
    """A place on a platform. `channel_id` is ours, the rest is the platform's.

    With `person` (a user's native id) it is that person's private messages, about the channel. `role` is the
    one role or user group the club named there, called by messages that say `notify`.
    """

    channel_id: int
    platform: str
    workspace: str
    native_id: str
    name: str = ""
    person: str = ""
    role: str = ""
    language: str = ""
    """The person's own, when known."""


@dataclass(frozen=True, slots=True)
class Thread:
    """The discussion that hangs from a message: found again by that message, opened where there is none."""

    message_id: str
    name: str
    """At most 100 characters, plain."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The platform's word that a message stands: its own id, as text, never turned into a number; as
    'channel/id' where it stands in another place than the address names, such as a thread."""

    message_id: str


@dataclass(frozen=True, slots=True)
class Delivery:
    """One row: one message to one place. Times are aware UTC."""

    id: int
    club_id: int
    kind: str
    subject: str
    address: Address
    state: State
    reason: str
    due_at: datetime
    give_up_at: datetime
    next_try: datetime
    attempts: int
    marker: str
    message_id: str | None = None
    claimed_at: datetime | None = None
    """When its last attempt began."""
    sent_at: datetime | None = None
    payload: dict[str, Any] = field(default_factory=dict)


def marker_of(club_id: int, kind: str, subject: str, channel_id: int) -> str:
    """The short code that travels with a message: 16 letters and digits, always the same for the same key.

    Discord takes at most 25 characters as a nonce; 80 bits are enough that no two keys share one.
    """
    key = f"{club_id}|{kind}|{subject}|{channel_id}"
    return b32encode(hashlib.sha256(key.encode()).digest()[:10]).decode().lower()
