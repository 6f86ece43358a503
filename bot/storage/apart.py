"""Accounts unlinked and then forgotten while a vote is open: known by a fingerprint, so that nobody votes twice."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta

from bot.clubs.model import Account
from bot.storage.database import Tx, from_us, to_us
from bot.storage.kept import find_kept, keep

KEPT = timedelta(days=14)


def keep_apart(tx: Tx, club_id: int, account: Account, since: datetime, now: datetime) -> None:
    """Remember since when an account has no ballot of its own; older ones of anybody fall away."""
    tx.run(
        "DELETE FROM kept WHERE name >= 'apart:' AND name < 'apart;' AND at <= :old", old=to_us(now - KEPT)
    )
    keep(tx, _name(club_id, account), str(to_us(since)), now)


def take_apart(tx: Tx, club_id: int, account: Account) -> datetime | None:
    """Since when an account that comes back has no ballot of its own; the fingerprint goes."""
    found = find_kept(tx, _name(club_id, account))
    if found is None:
        return None
    tx.run("DELETE FROM kept WHERE name = :name", name=_name(club_id, account))
    return from_us(int(found))


def _name(club_id: int, account: Account) -> str:
    whole = json.dumps([club_id, account.platform, account.workspace, account.user_id])
    return f"apart:{hashlib.sha256(whole.encode()).hexdigest()}"
