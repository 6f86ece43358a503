"""The club's list, in a transaction: nominate, back, withdraw, remove."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.clubs.model import Club, Member
from bot.clubs.service import check_may_write, check_writes
from bot.errors import BadInput, Conflict, LimitReached, NotAllowed, NotFound
from bot.rounds.closing import close_if_over
from bot.rounds.leaving import leave_round
from bot.rounds.model import MAX_CANDIDATES, MAX_REASON, Nomination
from bot.storage import nominations as store
from bot.storage import papers
from bot.storage.acts import put_act
from bot.storage.database import Tx
from bot.storage.rounds import find_last_meeting, find_open_round


@dataclass(frozen=True, slots=True)
class Nominated:
    """What came of nominating: a `new` nomination, or the member is now among the `backed` one's backers.

    `read_at`: the last meeting that was about this paper, if the club has read it.
    """

    nomination: Nomination
    how: Literal["new", "backed"]
    read_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What came of withdrawing. `how`: off the list; handed to the first backer; or one backer fewer.

    `round_id` is the open round whose candidate fell away with it, or has another name and no reason beside it now:
    its poll wants to be redrawn. `closes_at`: when that round closes now, where this moved its closing.
    """

    nomination: Nomination
    how: Literal["withdrawn", "handed_over", "unbacked", "removed"]
    round_id: int | None = None
    closes_at: datetime | None = None


def nominate(tx: Tx, club: Club, member: Member, paper_id: int, reason: str, now: datetime) -> Nominated:
    """Put a paper on the club's list, or back the one that stands there.

    Raises: NotAllowed('error.blocked', names) · NotFound('error.no_paper') ·
    BadInput('nominate.reason_long', n) · Conflict('nominate.own'), Conflict('nominate.backed'),
    Conflict('nominate.chosen', paper, date) before its meeting · LimitReached('nominate.limit', n),
    LimitReached('nominate.full', n), LimitReached('limit.writes').
    """
    check_may_write(tx, member)
    reason = check_reason(reason)
    paper = papers.find(tx, club.id, paper_id)
    if paper is None or paper.id is None:
        raise papers.no_paper(tx, club.id, paper_id)
    standing = store.find_open_nomination(tx, club.id, paper.id)
    if standing is not None:
        check_writes(tx, member, now)
        return _back(tx, standing, member, now)
    met = find_last_meeting(tx, club.id, paper.id)
    if met is not None and met > now:
        raise Conflict("nominate.chosen", paper=paper, date=met)
    check_room(tx, club, member, now)
    nomination_id = store.put_nomination(tx, club.id, paper.id, member.id, reason, now)
    put_act(tx, club.id, member.id, now, "nominate", nomination=nomination_id, paper=paper.id)
    return Nominated(get_nomination(tx, club.id, nomination_id), "new", met)


def check_room(tx: Tx, club: Club, member: Member, now: datetime) -> None:
    """Whether the member may put one more paper on the list. Raises NotAllowed, LimitReached as `nominate` does."""
    check_may_write(tx, member)
    check_writes(tx, member, now)
    if store.count_open_nominations(tx, club.id) >= MAX_CANDIDATES:
        raise LimitReached("nominate.full", n=MAX_CANDIDATES)
    if mine_left(tx, club, member.id) <= 0:
        raise LimitReached("nominate.limit", n=club.settings.nominations_each)


def _back(tx: Tx, standing: Nomination, member: Member, now: datetime) -> Nominated:
    if standing.member_id == member.id:
        raise Conflict("nominate.own", paper=standing.paper, nomination=standing.id)
    if not store.put_backer(tx, standing.id, member.id, now):
        raise Conflict("nominate.backed", paper=standing.paper, member=standing.member)
    put_act(tx, member.club_id, member.id, now, "back", nomination=standing.id)
    return Nominated(get_nomination(tx, member.club_id, standing.id), "backed")


def withdraw(tx: Tx, club_id: int, member: Member, nomination_id: int, now: datetime) -> Withdrawn:
    """Take back one's own nomination, or one's backing of another's.

    A nomination with backers passes to the first of them and keeps its date, not the reason its member wrote. One
    without leaves the list, and falls out of the open round it is a candidate of (see leaving.py). A vote whose time
    has come is closed before.
    Raises: NotFound('error.no_nomination'), Conflict('nominate.gone') when it is off the list,
    NotAllowed('withdraw.others').
    """
    close_if_over(tx, club_id, now)
    standing = _get_open(tx, club_id, nomination_id)
    if standing.member_id != member.id and member.id not in standing.backer_ids:
        raise NotAllowed("withdraw.others", member=standing.member)
    check_writes(tx, member, now)
    put_act(tx, club_id, member.id, now, "withdraw", nomination=nomination_id)
    if standing.member_id != member.id:
        store.drop_backer(tx, nomination_id, member.id)
        return Withdrawn(get_nomination(tx, club_id, nomination_id), "unbacked")
    if standing.backer_ids:
        store.hand_over(tx, nomination_id, standing.backer_ids[0], now)
        vote = find_open_round(tx, club_id)
        return Withdrawn(
            get_nomination(tx, club_id, nomination_id), "handed_over", None if vote is None else vote.id
        )
    store.change_nomination(tx, nomination_id, "withdrawn", now, member.id)
    left = _leave(tx, club_id, nomination_id, now)
    return Withdrawn(get_nomination(tx, club_id, nomination_id), "withdrawn", *left)


def remove(tx: Tx, club_id: int, by: Member, nomination_id: int, reason: str, now: datetime) -> Withdrawn:
    """Take any nomination off the list, with the reason on record. The caller has checked the right to it."""
    reason = check_reason(reason)
    close_if_over(tx, club_id, now)
    _get_open(tx, club_id, nomination_id)
    check_writes(tx, by, now)
    store.change_nomination(tx, nomination_id, "removed", now, by.id, reason)
    left = _leave(tx, club_id, nomination_id, now)
    put_act(tx, club_id, by.id, now, "remove", nomination=nomination_id, reason=reason)
    return Withdrawn(get_nomination(tx, club_id, nomination_id), "removed", *left)


def _leave(tx: Tx, club_id: int, nomination_id: int, now: datetime) -> tuple[int | None, datetime | None]:
    """The open round a nomination falls out of, and when that closes now if it closes later than before."""
    before = find_open_round(tx, club_id)
    round_id = leave_round(tx, club_id, nomination_id, now)
    after = find_open_round(tx, club_id) if round_id is not None else None
    moved = before is not None and after is not None and after.closes_at > before.closes_at
    return round_id, after.closes_at if after is not None and moved else None


def list_nominations(tx: Tx, club_id: int) -> tuple[Nomination, ...]:
    """The club's open list, oldest first, candidates of an open round included."""
    return tuple(store.list_open_nominations(tx, club_id))


def find_open(tx: Tx, club_id: int, paper_id: int) -> Nomination | None:
    """The open nomination of a paper, if it stands on the list."""
    return store.find_open_nomination(tx, club_id, paper_id)


def get_nomination(tx: Tx, club_id: int, nomination_id: int) -> Nomination:
    """The nomination in any state. Raises NotFound('error.no_nomination')."""
    found = store.find_nomination(tx, club_id, nomination_id)
    if found is None:
        raise NotFound("error.no_nomination", nomination=nomination_id)
    return found


def mine_left(tx: Tx, club: Club, member_id: int) -> int:
    """How many more papers a member may nominate now."""
    return max(0, club.settings.nominations_each - store.count_open_nominations(tx, club.id, member_id))


def check_reason(reason: str) -> str:
    """A reason without the blanks around it. Raises BadInput('nominate.reason_long', n)."""
    reason = reason.strip()
    if len(reason) > MAX_REASON:
        raise BadInput("nominate.reason_long", field="reason", n=MAX_REASON)
    return reason


def _get_open(tx: Tx, club_id: int, nomination_id: int) -> Nomination:
    found = get_nomination(tx, club_id, nomination_id)
    if found.state != "open":
        raise Conflict("nominate.gone", paper=found.paper, state=found.state)
    return found
