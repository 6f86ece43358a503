"""The desk the clock sits at: do what is due, and draw polls again."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta
from functools import partial

from bot.app.rooms import Rooms
from bot.app.writing import Said, opening_page
from bot.clubs.purge import purge
from bot.delivery.model import Delivery
from bot.delivery.service import PATIENCE
from bot.delivery.trouble import is_lasting
from bot.errors import DeliveryError, Uncertain
from bot.messages.model import Message
from bot.rounds import service
from bot.rounds.model import Round
from bot.rounds.turnout import turnout_of
from bot.storage import deliveries, rounds, slots, timetable
from bot.storage.clubs import find_club
from bot.storage.database import Tx
from bot.storage.heartbeat import beat

log = logging.getLogger(__name__)

EVEN = 0.2
"""Seconds between two drawings where no platform asks for more."""
MOMENT = 1.0
"""Seconds a tick waits for what it sends: nearly all has gone out by then, and what hangs holds up nothing."""
CLEARED = timedelta(hours=1)
SLEPT = timedelta(minutes=1)
"""The calendar that runs ahead of the loop's clock by more than this was seen by nobody: the machine slept."""


# ---- ticks ----


async def tick(rooms: Rooms, now: datetime) -> None:
    """Everything due by `now`; of sending no more than begins in a moment. A long tick is no outage: the process
    lived and took ballots.

    Votes, papers and deliveries do not wait for each other: when one of them fails the others are done first.
    """
    await _beat(rooms, now)

    async def turn_rounds(now: datetime) -> None:
        happened = await service.run_due(rooms.database, now)
        if any(each.what == "decided" for each in happened):  # what was chosen may stand on a ballot
            await redraw_open(rooms)

    async def send(now: datetime) -> None:
        await rooms.deliveries.begin(now)
        await rooms.deliveries.quiet(MOMENT)

    failed: Exception | None = None
    keeping = partial(_draw_again, rooms), partial(_clear_out, rooms)
    for work in (turn_rounds, rooms.daily.due, send, *keeping):
        try:
            await work(now)
        except Exception as error:
            failed = failed or error
    if failed is not None:
        raise failed


async def _draw_again(rooms: Rooms, now: datetime) -> None:
    """Polls that could not be drawn for long, since a platform was away: once it is back nobody need press first."""
    if rooms.refresher.given_up:
        rooms.refresher.again(await rooms.database.read(rounds.open_rounds), now)


async def _clear_out(rooms: Rooms, now: datetime) -> None:
    """Once an hour, what was deleted thirty days ago is deleted for good; what is not done by then goes on."""
    last = rooms.pulse.purged
    if (last is None or not last <= now < last + CLEARED) and await purge(rooms.database, now):
        rooms.pulse.purged = now


async def wake_up(rooms: Rooms, now: datetime, *, alone: bool) -> None:
    """At start: extend votes whose deadline fell into our absence, take over what a dead process left."""
    await _beat(rooms, now)
    if alone:
        await rooms.deliveries.adopt(now)
    await rooms.daily.refresh(now)
    await service.refresh(rooms.database, now)
    await redraw_open(rooms)


async def redraw_open(rooms: Rooms) -> None:
    """Ask for a fresh poll of every open vote."""
    for round_id in await rooms.database.read(rounds.open_rounds):
        rooms.refresher.request(round_id)


async def _beat(rooms: Rooms, now: datetime) -> None:
    """Record that we live; extend votes whose deadline nobody could meet, and draw them again.

    Between two ticks of one process only that time counts as an outage which the loop's clock did not see: a
    machine that slept, but not a long tick.
    """
    moment = asyncio.get_running_loop().time()
    awake = rooms.pulse.awake(moment)

    def live(tx: Tx) -> list[Round]:
        outage = beat(tx, now)
        if outage is None:
            return []
        if awake is not None and outage[1] - outage[0] - timedelta(seconds=awake) <= SLEPT:
            return []
        return service.extend_for_outage(tx, *outage, now)

    moved = await rooms.database.write(live)
    rooms.pulse.at = moment
    for extended in moved:
        log.warning("round %d was extended to %s after an outage", extended.id, extended.closes_at)
        rooms.refresher.request(extended.id)


async def next_due(rooms: Rooms, now: datetime) -> datetime | None:
    """The next instant at which anything happens by itself; never before `now`."""

    def read(tx: Tx) -> list[datetime | None]:
        votes = (timetable.next_closing, timetable.next_reminder, timetable.next_decision)
        return [slots.next_due(tx), *(each(tx) for each in votes), deliveries.next_try(tx)]

    due = [moment for moment in await rooms.database.read(read) if moment is not None]
    return max(min(due), now) if due else None


# ---- what stands ----


async def redraw(rooms: Rooms, round_id: int, platform: str, now: datetime) -> float:
    """Draw a round's poll again wherever it stands on a platform; the seconds to leave before the next drawing.

    Raises a DeliveryError after trying all, that with the longest wait, and what a person has to mend last.

    A vote that closes meanwhile is drawn closed by its own delivery, which this may have come behind: then once
    more.
    """

    def read(tx: Tx) -> tuple[Said, list[Delivery]] | None:
        club = find_club(tx, rounds.club_of_round(tx, round_id))
        if club is None:  # deleted since it was asked for, or its server was left
            return None
        placed = deliveries.list_deliveries(tx, club.id, "open", f"{round_id}:open")
        here = [each for each in placed if each.address.platform == platform]
        if not here:
            return None
        vote = service.get_round(tx, club.id, round_id)
        return Said(club, round=vote, turnout=turnout_of(tx, vote)), here

    stored = await rooms.database.read(read)
    if stored is None:
        return EVEN
    said, placed = stored
    message = opening_page(said, now)
    drawn = await asyncio.gather(*(_redraw_at(rooms, each, message, now) for each in placed))
    was_open = said.round is not None and said.round.state == "voting"
    if was_open and round_id not in await rooms.database.read(rounds.open_rounds):
        rooms.refresher.request(round_id)
    failed = [each for each in drawn if isinstance(each, DeliveryError)]
    if failed:
        raise max(failed, key=lambda error: (error.retry_after or 0.0, not is_lasting(error.reason)))
    return max((each for each in drawn if isinstance(each, float)), default=EVEN)


async def _redraw_at(
    rooms: Rooms, delivery: Delivery, message: Message, now: datetime
) -> float | DeliveryError | None:
    """Draw one poll; the seconds its platform wants between drawings, None where nothing stands (any more)."""
    platform = rooms.platforms.get(delivery.address.platform)
    if platform is None or delivery.state != "sent" or delivery.message_id is None:
        return None
    try:
        async with asyncio.timeout(PATIENCE):
            await platform.edit(delivery.address, delivery.message_id, message, delivery.marker)
    except TimeoutError:
        return Uncertain("timeout")
    except DeliveryError as error:
        if error.reason in ("gone", "removed"):  # a deleted poll stays deleted; the vote goes on without it
            return None
        return error
    return platform.spacing(now - (delivery.sent_at or now))
