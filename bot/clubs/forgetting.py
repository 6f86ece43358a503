"""What is stored about a member, and forgetting them, in a transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from bot.clubs.model import Club, Member
from bot.errors import Conflict
from bot.rounds.closing import close_if_over
from bot.rounds.model import Round
from bot.storage import about as store
from bot.storage import ballots, members, nominations
from bot.storage.about import Records
from bot.storage.acts import put_act
from bot.storage.apart import keep_apart
from bot.storage.database import Tx
from bot.storage.rounds import find_open_round


@dataclass(frozen=True, slots=True)
class About:
    """A member of a club and all that is stored about them, by kind; `paid` is in the present season of fair turns."""

    member: Member
    records: Records
    paid: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Leaving:
    """What forgetting a member does: papers that come off the list, pass to a backer, or stand without a name.

    `vote` is the open one, `voted` whether their ballot is taken out of it.
    """

    withdrawn: int
    handed_over: int
    standing: int
    vote: Round | None
    voted: bool


def about(tx: Tx, club: Club, member: Member) -> About:
    """All that is stored about a member, linked accounts included, and about nobody else."""
    records = store.read_records(tx, club.id, store.rows_of(tx, club.id, member.id))
    paid = [Fraction(each["papers"]) for each in records["paid"] if each["season"] == club.settings.season]
    return About(member, records, paid[0] if paid else None)


def leaving(tx: Tx, club: Club, member: Member, now: datetime) -> Leaving:
    """What forgetting them would do. Raises Conflict('forget.last') for the club's last organiser."""
    if member.organiser and len(members.list_organisers(tx, club.id)) == 1:
        raise Conflict("forget.last")
    ids = store.rows_of(tx, club.id, member.id)
    listed = store.open_nominations(tx, ids)
    vote = find_open_round(tx, club.id)
    voted = vote is not None and any(_standing(tx, vote, each) for each in ids)
    return Leaving(
        withdrawn=sum(1 for _, backer, stands in listed if backer is None and not stands),
        handed_over=sum(1 for _, backer, _ in listed if backer is not None),
        standing=sum(1 for _, backer, stands in listed if backer is None and stands),
        vote=vote,
        voted=voted,
    )


def forget(tx: Tx, club: Club, member: Member, former: str, now: datetime) -> Leaving:
    """Delete what is stored about a member; what is left of them has no name. All their accounts are unknown then.

    A ballot in an open vote is taken back, so that what they say as a new member is their only one; it counts where
    the closing has come. Closed results stay, without the name; their tally sheets say `former`. What comes
    off the list never stood in a vote that is open. Raises as `leaving`.
    """
    close_if_over(tx, club.id, now)
    done = leaving(tx, club, member, now)
    ids = store.rows_of(tx, club.id, member.id)
    for each in ids:
        if done.vote is not None and done.voted and _standing(tx, done.vote, each):
            ballots.put_ballot(tx, done.vote.id, each, None, now)
    store.forget_reasons(tx, ids)
    for nomination, backer, stands in store.open_nominations(tx, ids):
        if backer is not None:
            nominations.hand_over(tx, nomination, backer, now)
        elif not stands:
            nominations.change_nomination(tx, nomination, "withdrawn", now, member.id)
    store.forget_in_results(tx, club.id, ids, store.names_of(tx, ids), former)
    _stay_apart(tx, member, done.vote, now)
    for each in ids:
        ballots.forget_receipts_of(tx, each)
    store.forget_rows(tx, club.id, ids, now)
    put_act(tx, club.id, member.id, now, "forget")
    return done


def _stay_apart(tx: Tx, member: Member, vote: Round | None, now: datetime) -> None:
    """Whoever was unlinked in the vote that is open has no ballot of their own in it, as a new member neither."""
    if vote is not None and member.apart_at is not None and member.apart_at >= vote.opens_at:
        for account in store.accounts_of(tx, [member.id]):
            keep_apart(tx, member.club_id, account, member.apart_at, now)


def _standing(tx: Tx, vote: Round, member_id: int) -> bool:
    return ballots.standing(tx, vote.id, member_id) is not None
