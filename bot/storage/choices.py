"""Which of several clubs a person means in a place, remembered for an hour."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from bot.clubs.model import Asker
from bot.storage.database import Tx, to_us
from bot.storage.kept import keep

KEPT = timedelta(hours=1)
_ALL = "name >= 'choice:' AND name < 'choice;'"


def put_choice(tx: Tx, asker: Asker, club_id: int, now: datetime) -> None:
    """Remember a choice for an hour; older ones of anybody fall away."""
    tx.run(f"DELETE FROM kept WHERE {_ALL} AND at <= :before", before=to_us(now - KEPT))
    keep(tx, _name(asker), str(club_id), now)


def find_choice(tx: Tx, asker: Asker, now: datetime) -> int | None:
    """The club the asker chose in this place within the last hour."""
    rows = tx.rows(
        "SELECT value FROM kept WHERE name = :name AND at > :since",
        name=_name(asker),
        since=to_us(now - KEPT),
    )
    return int(rows[0][0]) if rows else None


def forget_choice(tx: Tx, asker: Asker) -> None:
    """What the asker chose in this place does not hold any more."""
    tx.run("DELETE FROM kept WHERE name = :name", name=_name(asker))


def forget_choices(tx: Tx, club_id: int) -> None:
    """Nobody can mean this club any more."""
    tx.run(f"DELETE FROM kept WHERE {_ALL} AND value = :club", club=str(club_id))


def _name(asker: Asker) -> str:
    account, place = asker.account, asker.place
    whole = [account.platform, account.workspace, account.user_id, place.workspace, place.channel]
    return "choice:" + json.dumps(whole)
