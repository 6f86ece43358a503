"""One club on two sides, and one human behind an account on each: codes, two words, and apart again; in a transaction.

A side is a server or workspace. A code is right for ten minutes and once; who enters five wrong ones waits.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from bot.clubs.model import Account, Asker, Channel, Club, Member, Place
from bot.clubs.service import check_free, check_writes, get_club, member_of
from bot.delivery.planning import plan_private
from bot.errors import BadInput, Conflict, LimitReached, NotAllowed, NotFound
from bot.rounds import ballots
from bot.rounds.model import Round
from bot.rounds.opening import OPEN
from bot.rounds.service import find_open_round
from bot.storage import clubs as store
from bot.storage import links, members
from bot.storage.acts import put_act
from bot.storage.database import Tx
from bot.storage.deliveries import put_deliveries, revive_deliveries
from bot.storage.links import Code, Kind, Link, Owned

KEPT = timedelta(minutes=10)
"""How long a code is right."""
ASKED = timedelta(hours=1)
"""How long both sides have to say that two accounts are one human's."""
ASKING = "link"
"""The kind of the private message that asks for a side's word."""
TRIES = 5
HOUR = timedelta(hours=1)
LETTERS = "ACDEFGHJKMNPQRTUVWXY34679"
"""What is told apart in any typeface, by ear and in a hurry."""
LENGTH = 8


def new_code() -> str:
    """A code nobody can guess."""
    return "".join(secrets.choice(LETTERS) for _ in range(LENGTH))


def read_code(text: str) -> str:
    """A code as it is meant: without blanks and strokes, in capitals."""
    return "".join(sign for sign in text.upper() if sign.isalnum())


def find_offer(
    tx: Tx, kind: Kind, code: str, account: Account, now: datetime, clubs: Collection[int] = ()
) -> Code | None:
    """The code that was shown, of these clubs alone where any are given; None, and a wrong try noted, for any other.

    Raises LimitReached('link.tries', n, minutes) after too many wrong ones, for a right one too.
    """
    tries, first = links.tries_since(tx, account, now - HOUR)
    if tries >= TRIES and first is not None:
        wait = max(1, -(-(first + HOUR - now) // timedelta(minutes=1)))
        raise LimitReached("link.tries", n=TRIES, minutes=wait)
    found = links.find_code(tx, kind, read_code(code), now - KEPT)
    if found is None or (clubs and found.club_id not in clubs):
        links.put_try(tx, account, now, now - HOUR)
        return None
    return found


# ---- one club on two sides ----


def offer_club(tx: Tx, club: Club, asker: Asker, code: str, now: datetime) -> None:
    """Keep a code that joins a channel to the club. The caller has checked the right to it."""
    _offer(tx, "club", club, asker, code, now)


def find_joining(tx: Tx, asker: Asker, code: str, now: datetime) -> Club | None:
    """The club whose code this is, if the asker's channel may join it; None for a wrong code, which is noted.

    Raises: Conflict('setup.taken'), NotAllowed('link.rights') unless the platform makes them an organiser there,
    Conflict('link.here', club) where the club has a channel in that server or workspace, LimitReached('link.tries').
    """
    place = asker.place
    check_free(tx, place)
    if not asker.admin:
        raise NotAllowed("link.rights")
    offer = find_offer(tx, "club", code, asker.account, now)
    if offer is None:
        return None
    club = get_club(tx, offer.club_id)
    if channel_in(club, place) is not None:
        raise Conflict("link.here", club=club.name)
    return club


def join(tx: Tx, asker: Asker, code: str, now: datetime) -> tuple[Club, Round | None] | None:
    """Join the asker's channel to the club of the code, with them among its organisers, as `find_joining` allows.

    The club as it is now and the vote that is open: its poll comes here too.
    """
    club = find_joining(tx, asker, code, now)
    offer = links.find_code(tx, "club", read_code(code), now - KEPT)
    if club is None or offer is None:
        return None
    links.drop_code(tx, offer.id)
    channel_id = store.put_channel(tx, club.id, asker.place, now)
    member = member_of(tx, club.id, asker, now)
    members.set_organiser(tx, member.id, True)
    put_act(tx, club.id, member.id, now, "link", channel=channel_id)
    vote = find_open_round(tx, club.id)
    if vote is not None and vote.closes_at > now:
        _show_here(tx, vote, channel_id, now)
    return get_club(tx, club.id), vote


def _show_here(tx: Tx, vote: Round, channel_id: int, now: datetime) -> None:
    """Plan the poll of an open vote for one more channel, also where it was given up when the club left it."""
    key = (vote.club_id, OPEN, f"{vote.id}:open")
    put_deliveries(
        tx,
        *key,
        state="due",
        due=now,
        give_up=vote.closes_at,
        payload={"round": vote.id},
        channels=[channel_id],
    )
    revive_deliveries(tx, *key, now, vote.closes_at)


def channel_in(club: Club, place: Place) -> Channel | None:
    """The club's channel in the server or workspace of a place; asked in private, the first on that platform."""
    for channel in club.channels:
        if channel.platform == place.platform and place.workspace in ("", channel.workspace):
            return channel
    return None


def find_leaving(club: Club, place: Place) -> Channel:
    """The channel the club would leave. Raises Conflict('link.only', club), Conflict('link.not_here', club)."""
    channel = channel_in(club, place)
    if channel is None:
        raise Conflict("link.not_here", club=club.name)
    if len(club.channels) < 2:
        raise Conflict("link.only", club=club.name)
    return channel


def leave(
    tx: Tx, club_id: int, by: Member, place: Place, channel_id: int, now: datetime
) -> tuple[Club, Channel]:
    """Leave a side: nothing new is posted there; a poll that stands there is closed with its result.

    Raises as `find_leaving`, and NotFound('error.unknown_button') for another channel.
    """
    club = get_club(tx, club_id)
    channel = find_leaving(club, place)
    if channel.id != channel_id:
        raise NotFound("error.unknown_button")
    check_writes(tx, by, now)
    store.leave_channel(tx, club_id, channel_id, now)
    put_act(tx, club_id, by.id, now, "unlink", channel=channel_id)
    return get_club(tx, club_id), channel


# ---- one human behind two accounts ----


def offer_member(tx: Tx, club: Club, asker: Asker, code: str, now: datetime) -> None:
    """Keep a code that links the asker's account.

    Raises: Conflict('link.one_side', club) where the club stands on one side, Conflict('link.already') where the
    asker has an account on each, LimitReached('limit.writes').
    """
    platforms = {channel.platform for channel in club.channels}
    if len({(channel.platform, channel.workspace) for channel in club.channels}) < 2:
        raise Conflict("link.one_side", club=club.name)
    member = member_of(tx, club.id, asker, now)
    if len(platforms) > 1 and platforms <= set(links.platforms_of_member(tx, member.id)):
        raise Conflict("link.already")
    _offer(tx, "member", club, asker, code, now)


def _offer(tx: Tx, kind: Kind, club: Club, asker: Asker, code: str, now: datetime) -> None:
    member = member_of(tx, club.id, asker, now)
    check_writes(tx, member, now)
    links.put_code(
        tx, club.id, kind, code, _account(tx, club.id, asker).id, asker.name or member.name, now, now - KEPT
    )
    put_act(tx, club.id, member.id, now, "link.code", kind=kind)


def enter(tx: Tx, clubs: Collection[Club], asker: Asker, code: str, now: datetime) -> Link | None:
    """Put the asker's account beside the one the code was shown to; nothing is linked before both sides say yes.

    The code says which of the `clubs` is meant. None for a wrong code, which is noted.

    Raises: BadInput('link.same_side'), Conflict('link.already'),
    LimitReached('link.tries').
    """
    offer = find_offer(tx, "member", code, asker.account, now, [club.id for club in clubs])
    if offer is None:
        return None
    member = member_of(tx, offer.club_id, asker, now)
    mine = _account(tx, offer.club_id, asker)
    theirs = _account_by_id(tx, offer.account_id)
    if (mine.platform, mine.workspace) == (theirs.platform, theirs.workspace):
        raise BadInput("link.same_side", field="code")
    _check_sides(tx, member.id, theirs.member_id)
    links.drop_code(tx, offer.id)
    first, second = (theirs.id, offer.name), (mine.id, asker.name or member.name)
    links.put_link(tx, offer.club_id, first, second, now, now - ASKED)
    return links.find_link(tx, offer.club_id, mine.id, now - ASKED)


def ask_first(tx: Tx, club: Club, link: Link, now: datetime) -> None:
    """Plan the question for whoever was shown the code, in private messages, while it can be answered."""
    account = link.first.account
    channel = channel_in(club, Place(account.platform, account.workspace, ""))
    if channel is not None:
        about = {"link": link.id, "account": account.id}
        plan_private(tx, club.id, ASKING, now.isoformat(), channel.id, [account.id], now, now + ASKED, about)


def find_asked(tx: Tx, club_id: int, about: Mapping[str, Any], now: datetime) -> Link | None:
    """What a planned question is about; None once it was answered on that side, or is too old."""
    link = links.find_link(tx, club_id, int(about["account"]), now - ASKED, int(about["link"]))
    return None if link is None or link.first.said else link


def find_waiting(tx: Tx, club_id: int, account: Account, now: datetime) -> Link | None:
    """What waits for the word of an account."""
    mine = links.find_account(tx, club_id, account)
    return None if mine is None else links.find_link(tx, club_id, mine.id, now - ASKED)


def say_yes(tx: Tx, club_id: int, asker: Asker, link_id: int, now: datetime) -> tuple[Link, bool]:
    """The asker says that both accounts are theirs; once both sides did, they are one member's. Whether they are.

    Raises: NotFound('link.gone'), Conflict('link.already'), LimitReached('limit.writes').
    """
    member = member_of(tx, club_id, asker, now)
    link = _waiting(tx, club_id, asker, link_id, now)
    check_writes(tx, member, now)
    links.say_yes(tx, link.id, _account(tx, club_id, asker).id)
    link = _waiting(tx, club_id, asker, link_id, now)
    if not (link.first.said and link.second.said):
        return link, False
    merge(tx, club_id, link.first.account.member_id, link.second.account.member_id, now)
    for side in (link.first, link.second):
        links.drop_links(tx, side.account.id)
    return link, True


def say_no(tx: Tx, club_id: int, asker: Asker, link_id: int, now: datetime) -> None:
    """One of the two is not the asker's: nothing is linked. Raises NotFound('link.gone')."""
    link = _waiting(tx, club_id, asker, link_id, now)
    links.drop_links(tx, link.first.account.id)


def merge(tx: Tx, club_id: int, one: int, other: int, now: datetime) -> Member:
    """Make two members one, the older; an open round keeps the later of their ballots, closed ones stay as they were.

    Raises Conflict('link.already') where they are one, or both have an account on one side.
    """
    _check_sides(tx, one, other)
    into, gone = (members.find_member_by_id(tx, club_id, each) for each in sorted((one, other)))
    if into is None or gone is None:
        raise NotFound("link.gone")
    vote = find_open_round(tx, club_id)
    if vote is not None and now < vote.closes_at:
        ballots.merge(tx, vote, into, gone, now)
    links.absorb(tx, into.id, gone.id, now)
    put_act(tx, club_id, into.id, now, "link", member=gone.id)
    return into


def _check_sides(tx: Tx, one: int, other: int) -> None:
    sides = [(each.platform, each.workspace) for of in {one, other} for each in links.accounts_of(tx, of)]
    if one == other or len(set(sides)) < len(sides):
        raise Conflict("link.already")


def find_apart(tx: Tx, club_id: int, account: Account) -> tuple[Owned, str]:
    """The account that would become a member of its own, and by which name: the asker's, unless it is their first.

    Raises Conflict('link.none').
    """
    mine = links.find_account(tx, club_id, account)
    linked = find_linked(tx, club_id, account)
    if mine is None or not linked:
        raise Conflict("link.none")
    return next((each for each in linked if each[0].id == mine.id and mine.own_id), linked[-1])


def find_linked(tx: Tx, club_id: int, account: Account) -> list[tuple[Owned, str]]:
    """All accounts of the asker, each with its name, their first one first; none where it is their only one."""
    mine = links.find_account(tx, club_id, account)
    owned = links.accounts_of(tx, mine.member_id) if mine else []
    if not any(each.own_id for each in owned):
        return []
    own = [members.find_member_by_id(tx, club_id, each.own_id or each.member_id) for each in owned]
    return [(each, member.name if member else "") for each, member in zip(owned, own, strict=True)]


def unlink(tx: Tx, club_id: int, asker: Asker, account_id: int, now: datetime) -> tuple[Owned, Round | None]:
    """Make a linked account a member of its own again, and the open vote in which it has no ballot of its own.

    The ballot stays with the other, and what was nominated since they are one.

    Raises Conflict('link.none'), LimitReached('limit.writes').
    """
    leaves, _ = find_apart(tx, club_id, asker.account)
    if leaves.id != account_id:
        raise Conflict("link.none")
    check_writes(tx, member_of(tx, club_id, asker, now), now)
    links.release(tx, leaves, now)
    put_act(tx, club_id, leaves.member_id, now, "unlink", member=leaves.own_id)
    return leaves, find_open_round(tx, club_id)


def _waiting(tx: Tx, club_id: int, asker: Asker, link_id: int, now: datetime) -> Link:
    mine = links.find_account(tx, club_id, asker.account)
    link = None if mine is None else links.find_link(tx, club_id, mine.id, now - ASKED, link_id)
    if link is None:
        raise NotFound("link.gone")
    return link


def _account(tx: Tx, club_id: int, asker: Asker) -> Owned:
    found = links.find_account(tx, club_id, asker.account)
    assert found is not None  # a member has one
    return found


def _account_by_id(tx: Tx, account_id: int) -> Owned:
    found = links.find_account_by_id(tx, account_id)
    assert found is not None  # the code hangs from it
    return found
