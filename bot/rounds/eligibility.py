"""Who may vote in a round: by the rules frozen at its opening, and by when they came."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from bot.clubs.model import Member
from bot.clubs.service import get_club
from bot.clubs.settings import WITH_VOTE_ROLES
from bot.errors import NotAllowed
from bot.rounds.model import Round, Rules
from bot.rounds.opening import find_opening
from bot.storage import ballots as store
from bot.storage import links
from bot.storage.database import Tx, from_us, to_us

PLATFORMS = 2
"""A member with accounts on so many is linked."""


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
    check_frozen_rules(tx, over.rules, to_us(over.opens_at), to_us(over.closes_at), member, guest)
    check_role(over.rules, platform, roles)


def check_frozen_rules(
    tx: Tx, rules: Rules, opens_at: int, closes_at: int, member: Member | None, guest: bool
) -> None:
    if guest and not rules.guests_vote:
        raise NotAllowed("guests.vote")
    if member is not None and member.apart_at is not None and to_us(member.apart_at) >= opens_at:
        raise NotAllowed("ballot.apart", when=from_us(closes_at))
    if rules.link_required and (member is None or len(links.platforms_of_member(tx, member.id)) < PLATFORMS):
        raise NotAllowed("ballot.link_required")


def check_role(rules: Rules, platform: str, roles: Collection[str] | None) -> None:
    """Asked at every press anew, of organisers too; a ballot that stands is not touched by it."""
    if not rules.voting_role or platform not in WITH_VOTE_ROLES:
        return
    if roles is None:
        raise NotAllowed("ballot.role_unknown")
    if rules.voting_role not in roles:
        raise NotAllowed("ballot.role")
