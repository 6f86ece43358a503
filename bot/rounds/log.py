"""The ballot log of a round: receipts in place of names, and a chain of hashes that shows where it was changed.

After Debian's tally sheets, where everybody finds their own line by HMAC-SHA256(secret, login).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from typing import Any, NamedTuple

RECEIPT = 10
"""Hex signs of a receipt."""
SHOWN = 16
"""Hex signs of a head or seal as messages show it: 64 bits, more than anybody can try out."""


class Event(NamedTuple):
    """One row of the log. `at` is microseconds UTC; `payload` JSON of positions, None takes the ballot back."""

    seq: int
    receipt: str
    at: int
    payload: str | None
    prev_hash: str | None
    hash: str | None


def new_secret() -> str:
    """128 random bits as hex: of a receipt, and of a round's draw."""
    return secrets.token_hex(16)


def commitment_of(secret: str) -> str:
    """What is published of a secret before it is told: its SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def receipt_of(secret: str, round_id: int, member_id: int) -> str:
    """A member's name in the log of one round."""
    return hmac.digest(secret.encode(), f"{round_id}|{member_id}".encode(), "sha256").hex()[:RECEIPT]


def opening_head(facts: dict[str, Any]) -> str:
    """What the log of a round begins with: the hash of what was frozen at its opening (JSON values)."""
    written = json.dumps(["paperclub", facts], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(written.encode()).hexdigest()


def event_hash(prev_hash: str, round_id: int, seq: int, at: int, receipt: str, payload: str | None) -> str:
    """The hash of an event: the SHA-256 of the one before it and everything it says, in this order, with '|' between.

    `at` is in microseconds; '-' stands for a ballot taken back. No field of ours holds a '|'.
    """
    said = "-" if payload is None else payload
    written = f"{prev_hash}|{round_id}|{seq}|{at}|{receipt}|{said}"
    return hashlib.sha256(written.encode(errors="replace")).hexdigest()


def first_fault(round_id: int, opening: str, events: Iterable[Event]) -> int | None:
    """The number of the first event that does not follow from what is before it; None for a log without fault.

    Events from before there was a chain (`hash` None) are passed over at the beginning only.
    """
    head, chained, expected = opening, False, 1
    for event in events:
        if event.hash is None and not chained and event.seq == expected:
            expected += 1
            continue
        chained = True
        wanted = event_hash(head, round_id, event.seq, event.at, event.receipt, event.payload)
        if event.seq != expected or event.prev_hash != head or event.hash != wanted:
            return expected
        head, expected = wanted, expected + 1
    return None


def draw_seed(secret: str, head: str) -> str:
    """The seed of a round's draw: known to nobody before closing, fixed by the log and the sealed secret."""
    return hashlib.sha256(f"{secret}{head}".encode()).hexdigest()
