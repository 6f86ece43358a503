"""What one member says in a round, in a transaction: cast, change, withdraw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from bot.clubs.model import Member
from bot.clubs.service import MINUTE, WRITES_A_MINUTE, check_writes
from bot.errors import BadInput, Conflict, NotFound
from bot.papers.model import Paper
from bot.rounds.eligibility import check_eligible, check_frozen_rules, check_role
from bot.rounds.model import DEPTH, RANKED, Ballot, Round
from bot.storage import ballots as store
from bot.storage.database import Tx, from_us, to_us
from bot.storage.rounds import find_open_round, find_round, load_rules

_rules = lru_cache(64)(load_rules)  # every ballot of a round asks for the same


@dataclass(frozen=True, slots=True)
class Cast:
    """A ballot as it stands now. `new_event` is False when it said the same before: nothing was written.

    `dropped` are ticked candidates that were withdrawn meanwhile and do not count; `doubled` those ranked twice,
    of which the higher place counts.
    """

    ballot: Ballot
    new_event: bool
    dropped: tuple[int, ...] = ()
    doubled: tuple[int, ...] = ()


def cast(
    tx: Tx,
    round_id: int,
    member: Member,
    positions: Collection[int],
    now: datetime,
    joined_at: datetime | None = None,
    *,
    guest: bool = False,
    platform: str = "",
    roles: Collection[str] | None = None,
) -> Cast:
    """Count a member's ballot from now on; `positions` are candidates 1 … 25, none is a blank ballot.

    In ranked rounds they are in order of preference, at most DEPTH, and of a paper ranked twice the higher place
    counts; in others their order says nothing. `now` is when the press reached us; it counts strictly before the
    closing instant. `joined_at` is when the platform says they joined the server or workspace: after the opening
    they vote from the next round. `guest`: they are one there, or of a connected workspace. `platform`: where they
    press; `roles`: the ids of those they hold there now, None where nobody can say.

    Raises: NotFound('error.no_round') also for a round of another club; Conflict('ballot.late') with `when`,
    `time`, `round_id` and the `papers` of the ballot that stands; Conflict('error.old_button') with `date`,
    and the `round_id` now open; NotAllowed('ballot.not_eligible') with `when`, the next opening, and as
    `check_rules` does; BadInput('ballot.unknown'), BadInput('ballot.twice'), BadInput('ballot.one') where one
    paper alone is named, BadInput('ballot.depth') with `n`; LimitReached('limit.writes').
    """
    ground = _open_ground(tx, round_id, member, now)
    if joined_at is not None:
        check_eligible(tx, member.club_id, round_id, from_us(ground.opens_at), joined_at, now, member)
    rules = _rules(ground.rules)
    check_frozen_rules(tx, rules, ground.opens_at, ground.closes_at, member, guest)
    check_role(rules, platform, roles)
    chosen, doubled = _read(ground.method, positions, ground.candidates or 0)
    dropped: tuple[int, ...] = ()
    if ground.any_withdrawn:
        gone = store.withdrawn_positions(tx, round_id)
        dropped = tuple(position for position in chosen if position in gone)
        chosen = [position for position in chosen if position not in gone]
    if ground.at is not None and ground.payload == store.dump_positions(chosen):
        same = Ballot(tuple(chosen), from_us(ground.at), ground.receipt or "")
        return Cast(same, False, dropped, doubled)
    _check_writes(tx, ground, member, now)
    receipt = _append(tx, ground, round_id, member, chosen, now)
    return Cast(Ballot(tuple(chosen), now, receipt), True, dropped, doubled)


def _read(method: str, positions: Collection[int], most: int) -> tuple[list[int], tuple[int, ...]]:
    """What is to be counted of a ballot by a method, and what was named twice in a ranking. Raises as `cast`."""
    if method in RANKED:
        chosen = list(dict.fromkeys(positions))
        times = Counter(positions) if len(chosen) < len(positions) else {}
        doubled = tuple(position for position in chosen if times and times[position] > 1)
    else:
        chosen, doubled = sorted(set(positions)), ()
    if chosen and not 1 <= min(chosen) <= max(chosen) <= most:
        raise BadInput("ballot.unknown", field="positions", n=most)
    if len(chosen) < len(positions) and not doubled:
        raise BadInput("ballot.twice", field="positions")
    if method == "plurality" and len(chosen) > 1:
        raise BadInput("ballot.one", field="positions")
    if method in RANKED and len(chosen) > DEPTH:
        raise BadInput("ballot.depth", field="positions", n=DEPTH)
    return chosen, doubled


def withdraw(tx: Tx, round_id: int, member: Member, now: datetime) -> bool:
    """Make it as if the member had not voted; False when they had not. Raises as `cast` does."""
    ground = _open_ground(tx, round_id, member, now)
    if ground.payload is None:
        return False
    _check_writes(tx, ground, member, now)
    _append(tx, ground, round_id, member, None, now)
    return True


def _append(
    tx: Tx,
    ground: store.Ground,
    round_id: int,
    member: Member,
    positions: Sequence[int] | None,
    now: datetime,
) -> str:
    return store.append_ballot(
        tx,
        round_id,
        member.id,
        positions,
        now,
        last=ground.last,
        head=ground.head or "",
        receipt=ground.receipt,
        voter=ground.voter,
    )


def current(tx: Tx, over: Round, member_id: int) -> Ballot:
    """The member's ballot of a round as it counts, also of a closed one: without withdrawn candidates."""
    ballot = store.last_ballot(tx, over.id, member_id)
    if ballot.positions is None:
        return ballot
    standing = {candidate.position for candidate in over.candidates if not candidate.withdrawn}
    positions = tuple(position for position in ballot.positions if position in standing)
    return Ballot(positions, ballot.at, ballot.receipt)


def merge(tx: Tx, over: Round, into: Member, gone: Member, now: datetime) -> None:
    """Two members of an open round turn out to be one: of their two ballots the later one stands, once.

    No event is changed: one is added that takes a ballot back, and where it was the later, one that casts it anew.
    """
    ours = store.standing(tx, over.id, into.id)
    theirs = store.standing(tx, over.id, gone.id)
    if theirs is None:
        return
    store.put_ballot(tx, over.id, gone.id, None, now)
    if ours is None or theirs[0] > ours[0]:
        store.put_ballot(tx, over.id, into.id, theirs[1], now)


def _open_ground(tx: Tx, round_id: int, member: Member, now: datetime) -> store.Ground:
    """What the ballot is checked against, if the round takes ballots at `now`."""
    ground = store.find_ground(tx, member.club_id, round_id, member.id, now - MINUTE)
    if ground is None:
        raise NotFound("error.no_round", round_id=round_id)
    if ground.state != "voting" or to_us(now) >= ground.closes_at:
        raise _too_late(tx, round_id, member, now)
    return ground


def _check_writes(tx: Tx, ground: store.Ground, member: Member, now: datetime) -> None:
    """The limit of clubs.service, asked there only when the count at hand says that it is reached."""
    if ground.writes >= WRITES_A_MINUTE:
        check_writes(tx, member, now)


def _too_late(tx: Tx, round_id: int, member: Member, now: datetime) -> Conflict:
    """What is said of a press on a vote that is over: of this week, or a button of an earlier one."""
    over, running = find_round(tx, member.club_id, round_id), find_open_round(tx, member.club_id)
    assert over is not None  # its ground was read in this transaction
    ended = min(over.closes_at, over.closed_at or over.closes_at)
    if running is not None and running.id != round_id:
        return Conflict("error.old_button", date=ended, round_id=running.id)
    ballot = current(tx, over, member.id)
    papers: tuple[Paper, ...] | None = None
    if ballot.positions is not None:
        named = {candidate.position: candidate.paper for candidate in over.candidates}
        papers = tuple(named[position] for position in ballot.positions)
    return Conflict("ballot.late", when=ended, time=now, papers=papers, round_id=round_id)
