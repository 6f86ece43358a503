"""What members say in a round, in a transaction: cast, change, withdraw, and the count by replay."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.clubs.model import Member
from bot.clubs.service import MINUTE, WRITES_A_MINUTE, check_writes, get_club
from bot.errors import BadInput, Conflict, NotAllowed, NotFound
from bot.papers.model import Paper
from bot.rounds.methods import Vote, find_method
from bot.rounds.model import Ballot, Round, Rules, Tally, Turnout
from bot.rounds.opening import find_opening
from bot.storage import ballots as store
from bot.storage import links
from bot.storage.database import Tx, from_us, to_us
from bot.storage.rounds import find_open_round, find_round, load_rules

PLATFORMS = 2
"""A member with accounts on so many is linked."""


@dataclass(frozen=True, slots=True)
class Cast:
    """A ballot as it stands now. `new_event` is False when it said the same before: nothing was written.

    `dropped` are ticked candidates that were withdrawn meanwhile and do not count.
    """

    ballot: Ballot
    new_event: bool
    dropped: tuple[int, ...] = ()


def cast(
    tx: Tx,
    round_id: int,
    member: Member,
    positions: Collection[int],
    now: datetime,
    joined_at: datetime | None = None,
    *,
    guest: bool = False,
) -> Cast:
    """Count a member's ballot from now on; `positions` are candidates 1 … 25, none is a blank ballot.

    `now` is when the press reached us; it counts strictly before the closing instant. `joined_at` is when the
    platform says they joined the server or workspace: after the opening they vote from the next round. `guest`:
    they are one there, or of a connected workspace.

    Raises: NotFound('error.no_round') also for a round of another club; Conflict('ballot.late') with `when`,
    `time`, `round_id` and the `papers` of the ballot that stands; Conflict('error.old_button') with `date`,
    and the `round_id` now open; NotAllowed('ballot.not_eligible') with `when`, the next opening, and as
    `check_rules` does;
    BadInput('ballot.unknown'), BadInput('ballot.twice'); LimitReached('limit.writes').
    """
    ground = _open_ground(tx, round_id, member, now)
    check_eligible(tx, member.club_id, round_id, from_us(ground.opens_at), joined_at, now, member)
    _check_rules(tx, load_rules(ground.rules), ground.opens_at, ground.closes_at, member, guest)
    chosen = sorted(set(positions))
    most = ground.candidates or 0
    if chosen and not 1 <= chosen[0] <= chosen[-1] <= most:
        raise BadInput("ballot.unknown", field="positions", n=most)
    if len(chosen) < len(positions):
        raise BadInput("ballot.twice", field="positions")
    dropped: tuple[int, ...] = ()
    if ground.any_withdrawn:
        gone = store.withdrawn_positions(tx, round_id)
        dropped = tuple(position for position in chosen if position in gone)
        chosen = [position for position in chosen if position not in gone]
    if ground.at is not None and ground.payload == store.dump_positions(chosen):
        return Cast(Ballot(tuple(chosen), from_us(ground.at), ground.receipt or ""), False, dropped)
    _check_writes(tx, ground, member, now)
    receipt = _append(tx, ground, round_id, member, chosen, now)
    return Cast(Ballot(tuple(chosen), now, receipt), True, dropped)


def check_eligible(
    tx: Tx,
    club_id: int,
    round_id: int,
    opens_at: datetime,
    joined_at: datetime | None,
    now: datetime,
    member: Member | None,
) -> None:
    """Refuse who joined the server or workspace after a vote opened.

    It is the member who votes: whoever has said something in this vote goes on, and so does a linked member who
    was there by another account. Raises NotAllowed('ballot.not_eligible') with `when`, the next opening.
    """
    if joined_at is None or joined_at <= opens_at:
        return
    if member is not None:
        linked = len(links.accounts_of(tx, member.id)) > 1
        if (linked and member.joined_at <= opens_at) or store.last_ballot(tx, round_id, member.id).at:
            return
    raise NotAllowed("ballot.not_eligible", when=find_opening(tx, get_club(tx, club_id), now))


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
    )


def current(tx: Tx, over: Round, member_id: int) -> Ballot:
    """The member's ballot of a round as it counts, also of a closed one: without withdrawn candidates."""
    ballot = store.last_ballot(tx, over.id, member_id)
    if ballot.positions is None:
        return ballot
    standing = {candidate.position for candidate in over.candidates if not candidate.withdrawn}
    positions = tuple(position for position in ballot.positions if position in standing)
    return Ballot(positions, ballot.at, ballot.receipt)


def tally(tx: Tx, over: Round) -> Tally:
    """Count a round by its method from all ballot events. Options are positions as text ('1' … '25')."""
    options = tuple(str(candidate.position) for candidate in over.candidates if not candidate.withdrawn)
    standing = set(options)
    votes = [
        Vote(approvals=tuple(name for name in map(str, ballot.positions) if name in standing))
        for ballot in store.replay(tx, over.id).values()
        if ballot.positions is not None
    ]
    return find_method(over.method)(votes, options, 1, {})


def turnout(tx: Tx, over: Round) -> Turnout:
    """How many have voted, of how many active members: those with a ballot in one of the last four rounds.

    `active` is None while the club has no history, and never smaller than `voted`.
    """
    voted = store.count_voted(tx, over.id)
    active = store.count_active(tx, over.club_id, over.opens_at)
    linked = links.count_linked(tx, over.club_id, over.id)
    return Turnout(voted, max(active, voted) if active else None, linked)


def check_rules(tx: Tx, over: Round, member: Member | None, *, guest: bool = False) -> None:
    """Whether the rules of a round, frozen at its opening, admit a member (None: before their first act).

    Raises: NotAllowed('guests.vote'), NotAllowed('ballot.link_required'), NotAllowed('ballot.apart') with `when`,
    the closing, for an account that was unlinked while the round was open.
    """
    _check_rules(tx, over.rules, to_us(over.opens_at), to_us(over.closes_at), member, guest)


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


def _check_rules(
    tx: Tx, rules: Rules, opens_at: int, closes_at: int, member: Member | None, guest: bool
) -> None:
    if guest and not rules.guests_vote:
        raise NotAllowed("guests.vote")
    if member is not None and member.apart_at is not None and to_us(member.apart_at) >= opens_at:
        raise NotAllowed("ballot.apart", when=from_us(closes_at))
    if rules.link_required and (member is None or len(links.platforms_of_member(tx, member.id)) < PLATFORMS):
        raise NotAllowed("ballot.link_required")


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
        papers = tuple(c.paper for c in over.candidates if c.position in ballot.positions)
    return Conflict("ballot.late", when=ended, time=now, papers=papers, round_id=round_id)
