"""Clubs that end and come back, in a transaction: deleted, restored, their servers left and joined again."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clubs.model import Asker, Channel, Club, Deleted, Member, Place
from bot.clubs.service import get_club, reset_slots
from bot.daily.model import DAILY
from bot.delivery.planning import plan_edits
from bot.delivery.trouble import note_trouble
from bot.errors import Conflict, NotFound
from bot.rounds.model import ENDED, REDRAW, Round
from bot.rounds.opening import OPEN
from bot.rounds.service import extend, find_open_round
from bot.schedule.slots import GRACE
from bot.storage import clubs as store
from bot.storage import members, servers
from bot.storage.acts import last_act, put_act
from bot.storage.database import Tx
from bot.storage.deliveries import channels_in_use, miss_all, miss_waiting
from bot.storage.slots import drop_slot

KEPT = timedelta(days=30)
"""How long a deleted club, or one whose server was left, can be brought back."""


def delete(tx: Tx, club: Club, now: datetime, by: Member | None = None) -> None:
    """End a club: nothing of it is posted, opened or closed any more, and its channels are free.

    Where its open vote stands it is said that it ended. Without `by` its last server was left, where nobody reads
    that; then the club comes back with the server.
    """
    had = channels_in_use(tx, club.id, removed=True)  # a server left before may take it back too
    put_act(tx, club.id, by.id if by else None, now, "delete", channels=had)
    for kind in (DAILY, OPEN):
        drop_slot(tx, club.id, kind)
    miss_all(tx, club.id, "deleted")
    if by is not None and (vote := find_open_round(tx, club.id)) is not None:
        _plan_drawing(tx, vote, ENDED, now, now + GRACE)
    store.delete_club(tx, club.id, now, by.id if by else None)


def find_deleted(tx: Tx, asker: Asker, now: datetime, club_id: int | None = None) -> Deleted:
    """The deleted club the asker may bring back: the one of this channel first, then the last one of theirs.

    With `club_id` that very one. Whoever organised or deleted it may, and whoever the platform makes an
    organiser in its server. Raises NotFound('restore.none').
    """
    place, own = asker.place, None
    for each in store.deleted_clubs(tx, now - KEPT):
        if club_id is not None and each.id != club_id:
            continue
        member = members.find_member(tx, each.id, asker.account)
        mine = member is not None and (member.organiser or member.id == each.deleted_by)
        there = [
            channel
            for channel, _ in _old_channels(tx, each.id)
            if (channel.platform, channel.workspace) == (place.platform, place.workspace)
        ]
        here = any(channel.native_id in (place.channel, place.parent) for channel in there)
        if here and (mine or asker.admin):
            return each
        if mine or (club_id is not None and asker.admin and there):
            own = own or each
    if own is None:
        raise NotFound("restore.none")
    return own


def restore(tx: Tx, deleted: Deleted, now: datetime, by: Member | None = None) -> tuple[Club, Round | None]:
    """Bring a club back into the channels it had; what is due next is worked out anew.

    A vote whose closing passed meanwhile is open for as long as it would still have been, as after an outage;
    it comes back too, for its poll wants to be redrawn. Raises: Conflict('restore.taken', club, other) where
    another club has its channel, Conflict('restore.away', club) where the bot is not in its server.
    """
    back, other = [], None
    for channel, present in _old_channels(tx, deleted.id):
        holder = store.club_of_channel(tx, channel.platform, channel.workspace, channel.native_id)
        if present and holder is None:
            back.append(channel.id)
        other = other or holder
    if not back and other is not None:
        raise Conflict("restore.taken", club=deleted.name, other=get_club(tx, other).name)
    if not back:
        raise Conflict("restore.away", club=deleted.name)
    for channel_id in back:
        store.reclaim_channel(tx, deleted.id, channel_id)
    store.revive_club(tx, deleted.id)
    put_act(tx, deleted.id, by.id if by else None, now, "restore")
    club = get_club(tx, deleted.id)
    reset_slots(tx, club, now)
    vote = find_open_round(tx, club.id)
    if vote is not None and vote.closes_at <= now:
        vote = extend(tx, club.id, vote.id, max(deleted.deleted_at, vote.opens_at), now, now)
    if vote is not None and deleted.deleted_by is not None:
        miss_waiting(tx, club.id, ENDED, "newer")
        _plan_drawing(tx, vote, REDRAW, now, vote.closes_at)
    return club, vote


def _plan_drawing(tx: Tx, vote: Round, kind: str, now: datetime, give_up: datetime) -> None:
    """Change an open vote wherever it stands; a club may be deleted and restored more than once."""
    poll, subject = (OPEN, f"{vote.id}:{OPEN}"), f"{vote.id}:{now.isoformat()}"
    plan_edits(tx, vote.club_id, kind, subject, poll, now, give_up, {"round": vote.id})


def find_ended(tx: Tx, place: Place, now: datetime) -> Deleted | None:
    """The club that was deleted last of those that had this channel, while it can be brought back."""
    for each in store.deleted_clubs(tx, now - KEPT):
        for channel, _ in _old_channels(tx, each.id):
            here = (channel.platform, channel.workspace) == (place.platform, place.workspace)
            if here and channel.native_id in (place.channel, place.parent):
                return each
    return None


def channels_of_deleted(tx: Tx, deleted: Deleted) -> list[Channel]:
    """The channels a deleted club had."""
    return [channel for channel, _ in _old_channels(tx, deleted.id)]


def _old_channels(tx: Tx, club_id: int) -> list[tuple[Channel, bool]]:
    """The channels a deleted club had, and whether the bot is in their server."""
    found = [store.find_channel(tx, each) for each in last_act(tx, club_id, "delete").get("channels", ())]
    return [each for each in found if each is not None]


# ---- servers ----


def server_left(tx: Tx, platform: str, server_id: str, now: datetime) -> None:
    """The bot was taken out of a server: its channels rest, and so does a club that has no other.

    The organisers are told, if they can be reached.
    """
    around = [get_club(tx, each) for each in store.clubs_of_workspace(tx, platform, server_id)]
    store.remove_channels(tx, platform, server_id, now)
    servers.remove_server(tx, platform, server_id, now)
    for club in around:
        if not get_club(tx, club.id).channels:
            delete(tx, club, now)
        for channel in club.channels:
            if (channel.platform, channel.workspace) == (platform, server_id):
                note_trouble(tx, club.id, channel.id, "removed", now)


def channel_gone(tx: Tx, platform: str, server_id: str, channel: str, now: datetime) -> bool:
    """A channel was deleted; the organisers of the club that stood there are told. Whether there was one."""
    club_id = store.club_of_channel(tx, platform, server_id, channel)
    if club_id is None:
        return False
    for each in get_club(tx, club_id).channels:
        if (each.platform, each.workspace, each.native_id) == (platform, server_id, channel):
            note_trouble(tx, club_id, each.id, "gone", now)
    return True


def server_joined(tx: Tx, platform: str, server_id: str, now: datetime) -> list[Round]:
    """The bot is in a server, maybe again: what was removed with it comes back; open votes to be redrawn."""
    servers.put_server(tx, platform, server_id, now)
    store.return_channels(tx, platform, server_id)
    votes = []
    for each in store.deleted_clubs(tx, now - KEPT):
        places = {(channel.platform, channel.workspace) for channel, _ in _old_channels(tx, each.id)}
        if each.deleted_by is not None or (platform, server_id) not in places:
            continue
        try:
            _, vote = restore(tx, each, now)
        except Conflict:  # another club was set up in its channel before the server was left
            continue
        if vote is not None:
            votes.append(vote)
    return votes


def servers_seen(
    tx: Tx, platform: str, ids: tuple[str, ...], now: datetime
) -> tuple[tuple[str, ...], list[Round]]:
    """Compare the servers the bot is in with those on record, after it was not connected.

    The ids never greeted, all recorded now, and the open votes to be redrawn.
    """
    known = servers.list_servers(tx, platform)
    here = set(ids)
    for server_id, present in known.items():
        if present and server_id not in here:
            server_left(tx, platform, server_id, now)
    votes = []
    for server_id in ids:
        if not known.get(server_id, False):
            votes += server_joined(tx, platform, server_id, now)
    waiting = set(servers.list_ungreeted(tx, platform))
    return tuple(each for each in dict.fromkeys(ids) if each in waiting), votes
