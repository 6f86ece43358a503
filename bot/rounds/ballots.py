"""What members say in a round, in a transaction: cast, change, withdraw, and the count by replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from bot.clubs.model import Member
from bot.clubs.service import MINUTE, WRITES_A_MINUTE, check_writes, get_club
from bot.clubs.settings import WITH_VOTE_ROLES
from bot.errors import BadInput, Conflict, NotAllowed, NotFound
from bot.papers.model import Paper
from bot.rounds.methods import Vote, find_method
from bot.rounds.methods.model import Settle
from bot.rounds.methods.phragmen import charge
from bot.rounds.model import DEPTH, Ballot, Round, Rules, Tally, Turnout
from bot.rounds.opening import find_opening
from bot.rounds.turns import loads_after, paid_by, starting_load
from bot.storage import ballots as store
from bot.storage import links
from bot.storage.database import Tx, from_us, to_us
from bot.storage.loads import loads_of, put_load
from bot.storage.rounds import find_open_round, find_round, load_rules

PLATFORMS = 2
"""A member with accounts on so many is linked."""
RANKED = frozenset({"schulze", "irv"})
"""Methods whose ballots are in order of preference."""
FAIR = "phragmen"
"""The method that remembers what members have paid."""
_NO_SCORES: Mapping[str, int] = MappingProxyType({})
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


class Counted(NamedTuple):
    """A ballot as it is counted, without withdrawn candidates; `vote` is what the round's method is given.

    Options are positions as text. `member_id` is None once nobody can say any more whose it was.
    """

    receipt: str
    member_id: int | None
    ballot: Ballot
    vote: Vote


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
    _check_rules(tx, rules, ground.opens_at, ground.closes_at, member, guest)
    _check_role(rules, platform, roles)
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


def lines(tx: Tx, over: Round) -> tuple[Counted, ...]:
    """All ballots that stand in a round, by receipt: what is counted, and what a tally sheet lists.

    In fair turns each vote carries what its voter has paid up to now; `settle_turns` changes that.
    """
    standing = {candidate.position for candidate in over.candidates if not candidate.withdrawn}
    loads = _loads(tx, over) if over.method == FAIR else None
    read: dict[str, tuple[tuple[int, ...], Vote]] = {}  # most ballots of a round are like others
    found = []
    for receipt, member_id, at, payload in store.replay(tx, over.id):
        if payload is None:
            continue
        if payload not in read:
            positions = store.load_positions(payload)
            if not standing.issuperset(positions):
                positions = tuple(each for each in positions if each in standing)
            read[payload] = positions, _vote(over.method, positions)
        positions, vote = read[payload]
        if loads is not None:
            vote = replace(vote, paid=paid_by(member_id, *loads))
        found.append(Counted(receipt, member_id, Ballot(positions, from_us(at), receipt), vote))
    return tuple(found)


def _vote(method: str, positions: tuple[int, ...]) -> Vote:
    options = tuple(map(str, positions))
    if method in RANKED:
        return Vote(1, (), tuple((option,) for option in options), _NO_SCORES)
    return Vote(1, options, (), _NO_SCORES)


def tally(tx: Tx, over: Round, settle: Settle | None = None) -> Tally:
    """Count a round by its method from all ballot events. Options are positions as text ('1' … '25')."""
    return count_lines(over, lines(tx, over), settle)


def count_lines(over: Round, counted: Sequence[Counted], settle: Settle | None = None) -> Tally:
    """Count ballots by a round's method."""
    options = tuple(str(candidate.position) for candidate in over.candidates if not candidate.withdrawn)
    return find_method(over.method)(votes_of(counted), options, 1, {}, settle)


def votes_of(counted: Sequence[Counted]) -> list[Vote]:
    """What a method is given: equal ballots are counted together."""
    alike: dict[tuple[object, ...], list[Vote]] = {}
    for line in counted:
        vote = line.vote
        # The hash of a fraction is slow, and most are 0.
        alike.setdefault((vote.approvals, vote.ranking, vote.paid or 0), []).append(vote)
    return [same[0] if len(same) == 1 else replace(same[0], count=len(same)) for same in alike.values()]


# ---- fair turns ----


def paid_before(tx: Tx, over: Round, member_id: int) -> Fraction:
    """What a member has paid so far in the season of a fair-turns round, in papers: for that member alone."""
    return paid_by(member_id, *_loads(tx, over))


def _loads(tx: Tx, over: Round) -> tuple[dict[int, Fraction], Fraction]:
    """What the members have paid before a round, in the season it belongs to, and what a newcomer begins with."""
    loads = loads_of(tx, over.club_id, over.rules.season)
    active, _ = store.active_members(tx, over.club_id, over.opens_at)
    beside = [load for member, load in loads.items() if member in active]
    return loads, starting_load(beside or loads.values())


def settle_turns(tx: Tx, over: Round, winner_position: int) -> None:
    """A paper was chosen in fair turns: those who wanted it have paid for it from now on, to be called once.

    Only members with a ballot that is not blank have a new load; whoever stays away neither gains nor loses.
    """
    counted = lines(tx, over)
    votes = [line.vote for line in counted]
    charged = charge(votes, (str(winner_position),))
    after = loads_after([line.member_id for line in counted], votes, charged)
    for member_id, load in after.items():
        put_load(tx, over.club_id, over.rules.season, member_id, load)


# ---- who takes part ----


def blanked_by(tx: Tx, over: Round, position: int) -> list[int]:
    """Members whose ballot names, of what can still be chosen, this candidate alone: without it, it is blank."""
    standing = {each.position for each in over.candidates if not each.withdrawn} | {position}
    return [
        member_id
        for _, member_id, _, payload in store.replay(tx, over.id)
        if member_id is not None
        and payload is not None
        and standing.intersection(store.load_positions(payload)) == {position}
    ]


def all_active_voted(tx: Tx, over: Round) -> bool:
    """Whether every member who was active when a round opened has a ballot in it, and there was at least one.

    Active are those with a ballot in one of the four rounds before it. False where receipts of those rounds were
    deleted, since nobody knows then who is missing. Whoever wanted papers alone that were withdrawn since has to
    say something anew.
    """
    active, are_all = store.active_members(tx, over.club_id, over.opens_at)
    return bool(active) and are_all and active <= store.voters(tx, over.id) - _emptied(tx, over)


def _emptied(tx: Tx, over: Round) -> set[int]:
    """Members of whose ballot nothing is left but papers that were withdrawn."""
    gone = {each.position for each in over.candidates if each.withdrawn}
    if not gone:
        return set()
    said = (
        (line.member_id, store.load_positions(line.payload or "[]")) for line in store.replay(tx, over.id)
    )
    return {
        member
        for member, positions in said
        if member is not None and positions and gone.issuperset(positions)
    }


def turnout(tx: Tx, over: Round) -> Turnout:
    """How many have voted, of how many active members: those with a ballot in one of the last four rounds.

    `active` is None while the club has no history, and never smaller than `voted`.
    """
    voted = store.count_voted(tx, over.id)
    active = store.count_active(tx, over.club_id, over.opens_at)
    linked = links.count_linked(tx, over.club_id, over.id)
    return Turnout(voted, max(active, voted) if active else None, linked)


def check_rules(
    tx: Tx,
    over: Round,
    member: Member | None,
    *,
    guest: bool = False,
    platform: str = "",
    roles: Collection[str] | None = None,
) -> None:
    """Whether the rules of a round, frozen at its opening, admit a member (None: before their first act).

    Raises: NotAllowed('guests.vote'), NotAllowed('ballot.link_required'), NotAllowed('ballot.apart') with `when`,
    the closing, for an account that was unlinked while the round was open; on a platform with roles
    NotAllowed('ballot.role') without the one the round asks for, NotAllowed('ballot.role_unknown').
    """
    _check_rules(tx, over.rules, to_us(over.opens_at), to_us(over.closes_at), member, guest)
    _check_role(over.rules, platform, roles)


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


def _check_role(rules: Rules, platform: str, roles: Collection[str] | None) -> None:
    """Asked at every press anew, of organisers too; a ballot that stands is not touched by it."""
    if not rules.voting_role or platform not in WITH_VOTE_ROLES:
        return
    if roles is None:
        raise NotAllowed("ballot.role_unknown")
    if rules.voting_role not in roles:
        raise NotAllowed("ballot.role")


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
