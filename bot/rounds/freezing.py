"""What a round begins with, frozen for as long as it runs: its list, its rules, the seal of its draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from math import isqrt
from typing import Any, cast

from bot.clubs.model import SQUARE_ROOT, Club, platforms_of
from bot.clubs.settings import WITH_VOTE_ROLES
from bot.rounds.log import commitment_of, new_secret, opening_head
from bot.rounds.model import Nomination, Round, Rules, Secrecy, Ties
from bot.storage import rounds as store
from bot.storage.ballots import count_active
from bot.storage.database import Tx, to_us


def rules_of(tx: Tx, club: Club, now: datetime) -> Rules:
    """The rules a round that opens now keeps to, by the club's settings as they are."""
    settings = club.settings
    quorum, platforms = settings.quorum, platforms_of(club)
    return Rules(
        keep_rounds=settings.keep_rounds,
        link_required=settings.link_required and len(platforms) > 1,
        guests_vote=settings.guests_vote,
        secrecy=cast(Secrecy, settings.secrecy),
        ties=cast(Ties, settings.ties),
        quorum=root_quorum(count_active(tx, club.id, now)) if quorum == SQUARE_ROOT else quorum,
        close_early=settings.close_early,
        season=settings.season,
        voting_role=settings.vote_role if any(each in WITH_VOTE_ROLES for each in platforms) else "",
    )


def root_quorum(active: int) -> int:
    """1.5 times the square root of the active members, rounded up, exactly: 3 of 3, 7 of 20, 26 of 300.

    It is the least q with 4q² ≥ 9n. Nobody active: 0, no quorum.
    """
    square = 9 * active
    root = isqrt(square)
    return (root + (root * root < square) + 1) // 2


def freeze(
    tx: Tx,
    club_id: int,
    method: str,
    rules: Rules,
    listed: Sequence[Nomination],
    now: datetime,
    closes_at: datetime,
    meeting_at: datetime | None,
) -> Round:
    """Store a round that is voting on these nominations, with a secret, its seal and a log of its own."""
    secret = new_secret()
    seal = commitment_of(secret)
    round_id = store.put_round(tx, club_id, method, rules, now, closes_at, meeting_at, secret, seal)
    store.put_candidates(tx, round_id, listed)
    store.put_opening_head(tx, round_id, opening_head(opening_facts(_get(tx, club_id, round_id))))
    return _get(tx, club_id, round_id)


def _get(tx: Tx, club_id: int, round_id: int) -> Round:
    found = store.find_round(tx, club_id, round_id)
    assert found is not None  # stored in this transaction
    return found


def opening_facts(vote: Round) -> dict[str, Any]:
    """What is frozen at an opening and hashed into the head its log begins with, as JSON values."""
    return {
        "round": vote.id,
        "method": vote.method,
        "rules": asdict(vote.rules),
        "opens_at": to_us(vote.opens_at),
        "commitment": vote.commitment,
        "candidates": [[each.position, each.paper.public_id] for each in vote.candidates],
    }


def without_twins(listed: Sequence[Nomination]) -> list[Nomination]:
    """Of two nominations whose papers turned out to be one, the first."""
    first: dict[int | None, Nomination] = {}
    for nomination in listed:
        first.setdefault(nomination.paper.id, nomination)
    return list(first.values())
