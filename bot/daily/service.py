"""Today's paper: chosen once a day and club, planned for every channel, and told when there is none."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Literal

from bot.clubs.model import Club, is_paused
from bot.daily import notices
from bot.daily.choose import choose
from bot.daily.due import decide, first_slot
from bot.daily.model import DAILY, EXTRA, FEW, LAP, Choice, Pick
from bot.daily.undo import post_key
from bot.delivery.model import Delivery
from bot.delivery.planning import plan_deliveries, record_missed
from bot.errors import Conflict
from bot.schedule.slots import GRACE, Slot, grace_end, instant, local_day, slot_on, weekday_of
from bot.schedule.zones import is_zone
from bot.storage import deliveries, picks, slots
from bot.storage.clubs import find_club
from bot.storage.database import Database, Tx
from bot.storage.troubles import find_trouble

log = logging.getLogger(__name__)

_SLOW = 0.05
"""Seconds of one batch above which the next is smaller: ballots wait behind it."""
_LEAST = 20
"""Clubs in a batch at least: the shared shelf is read once a batch."""


# ---- choosing, inside the caller's transaction ----


def picked(tx: Tx, club: Club, subject: str) -> Pick | None:
    """The paper chosen for a post, if it was; `subject` is the local date (ISO) or ``extra:N``."""
    return picks.find_pick(tx, club.id, subject)


def pick_for(
    tx: Tx, club: Club, subject: str, now: datetime, shelves: picks.Shelves | None = None
) -> Pick | None:
    """The paper of this post, chosen and stored at the first call; None when every paper was posted.

    A paper removed before any channel had it is chosen again; one taken back today does not come today. Few or
    no papers left are told to the club, once.
    """
    found = picks.find_pick(tx, club.id, subject)
    if found is not None and not (picks.is_removed(tx, found.paper_id) and not _is_out(tx, club.id, subject)):
        return found
    choice = _choose(tx, club, subject, now, shelves or picks.Shelves(tx), again=found is not None)
    if choice is None:
        if found is not None:
            picks.drop_pick(tx, club.id, subject)
        notices.tell_used_up(tx, club, subject, now, shelves or picks.Shelves(tx))
        return None
    return picks.put_pick(tx, club.id, subject, choice, now)


def _choose(
    tx: Tx, club: Club, subject: str, now: datetime, shelves: picks.Shelves, *, again: bool, tell: bool = True
) -> Choice | None:
    today = local_day(now, club.zone) if subject.startswith(EXTRA) else date.fromisoformat(subject)
    turns = picks.list_turns(tx, club.id, but=subject)
    back = set(picks.taken_back(tx, club.id, instant(local_day(now, club.zone), time(0), club.zone)).values())
    gone = picks.shown_papers(tx, club.id) | back
    pool = picks.Pool(shelves, club.id, club.settings.daily_topics, gone)
    choice = choose(pool, turns, club.salt, today)
    if choice is None and club.settings.start_over:
        gone = picks.shown_papers(tx, club.id, now - LAP) | back
        pool = picks.Pool(shelves, club.id, club.settings.daily_topics, gone)
        choice = choose(pool, turns, club.salt, today)
    if choice is None:
        return None
    if tell:
        left = FEW + 1 if club.settings.start_over else pool.left(FEW + 2) - 1
        notices.tell_left(tx, club, subject, now, left)
    kind: Literal["turn", "organiser", "replaced"] = "organiser" if subject.startswith(EXTRA) else "turn"
    return replace(choice, reason=replace(choice.reason, kind="replaced" if again else kind))


def _is_out(tx: Tx, club_id: int, subject: str) -> bool:
    """Whether a channel has this post, or may have it."""
    return any(row.state in ("claimed", "sent", "uncertain") for row in _posts(tx, club_id, subject))


def _may_post(posts: list[Delivery]) -> bool:
    """Whether a day's post is surely nowhere and not on its way: planned never, or missed everywhere."""
    return all(row.state == "missed" and row.reason != "unsure" for row in posts)


def _posts(tx: Tx, club_id: int, subject: str) -> list[Delivery]:
    return deliveries.list_deliveries(tx, club_id, EXTRA if subject.startswith(EXTRA) else DAILY, subject)


# ---- the clock ----


def reset_slots(tx: Tx, club: Club, now: datetime) -> None:
    """Bring the club's next daily slot in line with its zone and settings; to be called when they change.

    A slot that has come and was not served yet stays: the next tick serves it.
    """
    present = slots.find_slot(tx, club.id, DAILY)
    then = first_slot(club, now)
    if then is None:
        slots.drop_slot(tx, club.id, DAILY)
    elif present is None:
        slots.put_slot(tx, club.id, DAILY, then)
    else:
        renewed = slot_on(present.day, present.scheduled.time(), present.zone)
        slots.put_slot(tx, club.id, DAILY, renewed if renewed.due <= now else then)


def serve_slot(tx: Tx, club: Club, slot: Slot, now: datetime, shelves: picks.Shelves) -> list[str]:
    """Do what a slot that has come asks for and set the next; log lines for what is late or missed."""
    day = decide(slot, club, now)
    if day.then is None:
        slots.drop_slot(tx, club.id, DAILY)
    else:
        slots.put_slot(tx, club.id, DAILY, day.then)
    if not is_zone(club.zone):
        notices.tell_zone_lost(tx, club, now)
    lines = []
    for missed, reason in day.missed:
        record_missed(tx, club.id, DAILY, missed.day.isoformat(), missed.due, reason)
        lines.append(f"club {club.id}: the paper of {missed.day} was not posted ({reason})")
    away = [missed.day.isoformat() for missed, reason in day.missed if reason == "away"]
    if away and not is_paused(club, now) and _may_post(_posts(tx, club.id, away[-1])):
        notices.tell_missed(tx, club.id, away[-1], now, "away")
    posts = _posts(tx, club.id, day.post.day.isoformat()) if day.post is not None else []
    if day.post is not None and _may_post(posts):
        lines += _post(tx, club, day.post, now, shelves, again=bool(posts))
    return lines


def _post(tx: Tx, club: Club, slot: Slot, now: datetime, shelves: picks.Shelves, *, again: bool) -> list[str]:
    subject = slot.day.isoformat()
    if not club.channels:  # nothing is chosen that nobody would see
        record_missed(tx, club.id, DAILY, subject, slot.due, "removed")
        return [f"club {club.id}: the paper of {subject} was not posted (removed)"]
    if pick_for(tx, club, subject, now, shelves) is None:
        record_missed(tx, club.id, DAILY, subject, slot.due, "used_up")
        return [f"club {club.id}: every paper was posted, none is left for {subject}"]
    if again:  # recorded as missed by a clock that ran ahead
        deliveries.revive_deliveries(tx, club.id, DAILY, subject, slot.due, grace_end(slot))
    plan_deliveries(tx, club.id, DAILY, subject, now, grace_end(slot), due=slot.due)
    late = now - slot.due
    return [f"club {club.id}: the paper of {subject} is {late} late"] if late > timedelta(minutes=1) else []


@dataclass(frozen=True, slots=True)
class Posted:
    """What `post_now` planned: today's post or an extra one, and whether it was on its way before."""

    pick: Pick
    extra: bool
    already: bool = False


def post_now(
    tx: Tx,
    club: Club,
    member_id: int,
    now: datetime,
    key: str = "",
    connected: Collection[str] | None = None,
) -> Posted:
    """Post today's paper now, ahead of its time or after it was missed; once it stands somewhere, an extra one.

    While the last one asked for is still on its way nothing more is planned, so a double press posts once. A side
    that cannot be served now, on a platform that is not `connected` (None: all are) or where the last attempt was
    refused, holds up nothing for the others, and still gets its own.
    With a `key` (daily.undo.post_key) exactly that post, as it was seen in a preview, or none.
    Raises: Conflict('post.used_up') when every paper was posted; Conflict('post.already') when the post of
    `key` is out or on its way, Conflict('post.other') when another one would come now.
    """
    if key:
        _check_next(tx, club, key, now, connected)
    today = local_day(now, club.zone)
    subject = today.isoformat()
    midnight = instant(today + timedelta(days=1), time(0), club.zone)
    posts = _posts(tx, club.id, subject)
    settings = club.settings
    scheduled = settings.daily_on and weekday_of(today) in settings.daily_days
    if scheduled and not _stands(posts):
        waiting = any(row.state in ("due", "claimed") for row in posts)
        pick = _pick_or_say(tx, club, subject, now)
        if not _under_way(tx, posts, connected):
            deliveries.revive_deliveries(tx, club.id, DAILY, subject, now, midnight)
            plan_deliveries(tx, club.id, DAILY, subject, now, midnight, {"by": member_id})
        return Posted(pick, extra=False, already=waiting)
    number = picks.last_extra(tx, club.id)
    last = picks.find_pick(tx, club.id, f"{EXTRA}:{number}") if number else None
    if last is not None and _holds(tx, _posts(tx, club.id, last.subject), connected):
        return Posted(last, extra=True, already=True)
    pick = _pick_or_say(tx, club, f"{EXTRA}:{number + 1}", now)
    plan_deliveries(tx, club.id, EXTRA, pick.subject, now, now + GRACE, {"by": member_id})
    return Posted(pick, extra=True)


def _stands(posts: Sequence[Delivery]) -> bool:
    """Whether a channel has a post, or may have it."""
    return any(row.state in ("sent", "uncertain") or row.reason == "unsure" for row in posts)


def _under_way(tx: Tx, posts: Sequence[Delivery], connected: Collection[str] | None) -> bool:
    """Whether a post is being sent, or will be at once as far as we know."""
    return any(
        row.state == "claimed"
        or (
            row.state == "due"
            and not row.reason
            and (connected is None or row.address.platform in connected)
            and find_trouble(tx, row.address.channel_id) is None
        )
        for row in posts
    )


def _holds(tx: Tx, posts: Sequence[Delivery], connected: Collection[str] | None) -> bool:
    """Whether the next extra post waits for this one: it is under way, or waits everywhere."""
    everywhere = bool(posts) and all(row.state == "due" for row in posts)
    return everywhere or _under_way(tx, posts, connected)


def _check_next(
    tx: Tx, club: Club, key: str, now: datetime, connected: Collection[str] | None = None
) -> None:
    there = picks.find_pick(tx, club.id, key.rpartition(":")[0])
    if there is not None and post_key(there) == key and not _may_post(_posts(tx, club.id, there.subject)):
        raise Conflict("post.already")
    coming = peek(tx, club, now, connected)
    if coming is not None and post_key(coming) != key:
        raise Conflict("post.other")


def peek(tx: Tx, club: Club, now: datetime, connected: Collection[str] | None = None) -> Pick | None:
    """What `post_now` would post, without storing or telling anything; None when no paper is left."""
    today = local_day(now, club.zone)
    subject = today.isoformat()
    scheduled = club.settings.daily_on and weekday_of(today) in club.settings.daily_days
    posts = _posts(tx, club.id, subject)
    if not scheduled or _stands(posts):
        number = picks.last_extra(tx, club.id)
        waits = _holds(tx, _posts(tx, club.id, f"{EXTRA}:{number}"), connected)
        subject = f"{EXTRA}:{number if waits else number + 1}"
    found = picks.find_pick(tx, club.id, subject)
    if found is not None and not picks.is_removed(tx, found.paper_id):
        return found
    choice = _choose(tx, club, subject, now, picks.Shelves(tx), again=found is not None, tell=False)
    if choice is None:
        return None
    return Pick(club.id, subject, choice.paper_id, choice.area, choice.subarea, choice.reason, now)


def _pick_or_say(tx: Tx, club: Club, subject: str, now: datetime) -> Pick:
    pick = pick_for(tx, club, subject, now)
    if pick is None:
        raise Conflict("post.used_up", empty=not picks.Shelves(tx).topics(club.id))
    return pick


class DailyService:
    """Serves the daily slots of all clubs in batches."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._latest: datetime | None = None

    async def refresh(self, now: datetime, batch: int = 200) -> None:
        """Work out every club's next slot anew: at start, since a new release may bring new zone data."""
        after: int | None = 0
        while after is not None:
            after = await self._database.write(partial(_refresh, after=after, limit=batch, now=now))

    async def due(self, now: datetime, batch: int = 500) -> int:
        """Serve every slot that has come; how many. Batches stay small while they are slow."""
        if self._latest is not None and now < self._latest - timedelta(hours=1):
            await self.refresh(now)  # the clock was set back: nobody waits until it has caught up
        self._latest = now
        await self._replace_removed(now)
        served, size = 0, min(batch, 50)
        clock = asyncio.get_running_loop().time
        while await self._database.read(lambda tx: slots.due_slots(tx, DAILY, now, 1)):
            started = clock()
            count, lines = await self._database.write(partial(_serve, now=now, limit=size))
            for line in lines:
                log.info(line)
            served += count
            size = min(batch, size * 2) if clock() - started < _SLOW else max(size // 2, _LEAST)
        return served

    async def _replace_removed(self, now: datetime) -> None:
        if await self._database.read(picks.removed_waiting):
            await self._database.write(lambda tx: _replace(tx, now))


def _serve(tx: Tx, now: datetime, limit: int) -> tuple[int, list[str]]:
    shelves, lines = picks.Shelves(tx), []
    due = slots.due_slots(tx, DAILY, now, limit)
    for club_id, slot in due:
        try:
            club = find_club(tx, club_id)
        except (ValueError, TypeError, KeyError) as error:
            # One club that cannot be read must not stop the others; it is tried again in an hour.
            slots.put_slot(tx, club_id, DAILY, replace(slot, due=now + timedelta(hours=1)))
            lines.append(f"club {club_id} cannot be read: {error}")
            continue
        if club is None:
            slots.drop_slot(tx, club_id, DAILY)
        else:
            lines += serve_slot(tx, club, slot, now, shelves)
    return len(due), lines


def _replace(tx: Tx, now: datetime) -> None:
    """Choose again for posts whose paper was removed before any channel had it."""
    for club_id, subject in picks.removed_waiting(tx):
        club = find_club(tx, club_id)
        if club is not None and pick_for(tx, club, subject, now) is None:
            kind = EXTRA if subject.startswith(EXTRA) else DAILY
            deliveries.miss_waiting(tx, club_id, kind, "used_up", subject)


def _refresh(tx: Tx, after: int, limit: int, now: datetime) -> int | None:
    clubs = slots.scheduled_clubs(tx, after, limit)
    for club_id in clubs:
        try:
            club = find_club(tx, club_id)
        except (ValueError, TypeError, KeyError):
            continue
        if club is not None:
            reset_slots(tx, club, now)
    return clubs[-1] if clubs else None
