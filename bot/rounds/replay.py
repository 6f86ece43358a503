"""All ballots of a round, replayed from its log: what is counted, and what was paid in fair turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from bot.rounds.log import Event
from bot.rounds.methods import Vote, find_method
from bot.rounds.methods.model import Settle
from bot.rounds.methods.phragmen import charge
from bot.rounds.model import FAIR, RANKED, Round, Tally
from bot.rounds.turns import loads_after, paid_by, starting_load
from bot.storage import ballots as store
from bot.storage.database import Tx
from bot.storage.loads import loads_of, put_load

_NO_SCORES: Mapping[str, int] = MappingProxyType({})


class Counted(NamedTuple):
    """A ballot as it is counted, without withdrawn candidates; `vote` is what the round's method is given.

    Options are positions as text. `member_id` is None once nobody can say any more whose it was.
    """

    receipt: str
    member_id: int | None
    positions: tuple[int, ...]
    vote: Vote


def lines(tx: Tx, over: Round, log: Sequence[Event] | None = None) -> tuple[Counted, ...]:
    """All ballots that stand in a round, by receipt: what is counted, and what a tally sheet lists.

    In fair turns each vote carries what its voter has paid up to now; `settle_turns` changes that. `log`: the
    events, where they were read already.
    """
    standing = {each.position: str(each.position) for each in over.candidates if not each.withdrawn}
    loads = _loads(tx, over) if over.method == FAIR else None
    read: dict[str, tuple[tuple[int, ...], Vote]] = {}  # most ballots of a round are like others
    found = []
    for receipt, member_id, payload in store.replay(tx, over.id, log):
        if payload is None:
            continue
        if payload not in read:
            positions = tuple(filter(standing.__contains__, store.load_positions(payload)))
            read[payload] = positions, _vote(over.method, tuple(map(standing.__getitem__, positions)))
        positions, vote = read[payload]
        if loads is not None:
            vote = replace(vote, paid=paid_by(member_id, *loads))
        found.append(Counted(receipt, member_id, positions, vote))
    return tuple(found)


def _vote(method: str, options: tuple[str, ...]) -> Vote:
    if method in RANKED:
        return Vote(1, (), tuple(zip(options)), _NO_SCORES)
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
    times = Counter(id(line.vote) for line in counted)  # `lines` reads equal ballots once
    alike: dict[tuple[object, ...], Vote] = {}
    for vote in {id(line.vote): line.vote for line in counted}.values():
        key = vote.approvals, vote.ranking, vote.paid or 0  # the hash of a fraction is slow, and most are 0
        same = alike.get(key)
        alike[key] = replace(vote, count=times[id(vote)] + (same.count if same else 0))
    return list(alike.values())


# ---- fair turns ----


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
