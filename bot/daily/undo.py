"""Taking a post back, in a transaction: the message goes everywhere, its paper is as if never posted."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clubs.model import Club, Member
from bot.daily.model import DAILY, EXTRA, Pick
from bot.errors import Conflict
from bot.storage import deliveries, picks
from bot.storage.acts import put_act
from bot.storage.database import Tx

UNDO = "undo"
"""The kind of the deliveries that delete a post; the subject is the post's and its paper's."""

TRIED = timedelta(days=7)
"""How long a platform that cannot be reached is asked to delete a post."""


def last_post(tx: Tx, club_id: int) -> Pick:
    """The latest post, daily or extra, that stands or is on its way. Raises Conflict('undo.nothing')."""
    pick = picks.last_posted(tx, club_id)
    if pick is None:
        raise Conflict("undo.nothing")
    return pick


def post_key(pick: Pick) -> str:
    """A post by its subject and paper, so that no other one is meant: ``2026-11-30:p57``, ``extra:3:p57``."""
    return f"{pick.subject}:p{pick.paper_id}"


def undo(tx: Tx, club: Club, by: Member, key: str, now: datetime) -> Pick:
    """Take a post back: deleted wherever it stands, not sent where it waits; its paper may come another day.

    Raises Conflict('undo.gone') for one that was taken back already or is not this club's.
    """
    subject = key.rpartition(":")[0]
    pick = picks.find_pick(tx, club.id, subject)
    kind = EXTRA if subject.startswith(EXTRA) else DAILY
    posts = deliveries.list_deliveries(tx, club.id, kind, subject)
    if pick is None or post_key(pick) != key or all(row.state == "missed" for row in posts):
        raise Conflict("undo.gone")
    deliveries.miss_waiting(tx, club.id, kind, "undone", subject)
    about = {"op": "remove", "kind": kind, "subject": subject, "paper": pick.paper_id}
    out = {row.address.channel_id: row.state not in ("due", "missed") for row in posts}
    for stands, state, reason in ((True, "due", ""), (False, "missed", "nothing")):
        deliveries.put_deliveries(
            tx,
            club.id,
            UNDO,
            key,
            state=state,
            due=now,
            give_up=now + TRIED,
            reason=reason,
            payload=about,
            channels=[channel for channel, there in out.items() if there is stands],
        )
    picks.drop_pick(tx, club.id, subject)
    put_act(tx, club.id, by.id, now, "undo", subject=subject, paper=pick.paper_id)
    return pick
