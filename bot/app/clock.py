"""The desk the clock sits at: do what is due, write what was planned, draw polls again."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial

from bot.app.request import club_reader
from bot.app.rooms import Rooms
from bot.clubs.linking import ASKING, find_asked
from bot.clubs.model import Club
from bot.clubs.purge import purge
from bot.clubs.service import get_club
from bot.daily import service as daily
from bot.daily.model import DAILY, EXTRA, MISSED, NOTICE, Pick
from bot.delivery.model import Delivery
from bot.delivery.service import PATIENCE
from bot.delivery.trouble import TROUBLE
from bot.errors import DeliveryError, NotFound, Uncertain
from bot.messages.model import ChannelRef, Message, Reader
from bot.messages.pages.linking import both_page
from bot.messages.pages.notices import (
    missed_page,
    notice_page,
    trouble_over_page,
    trouble_page,
    vote_ended_page,
)
from bot.messages.pages.papers import daily_page
from bot.messages.pages.results import discussion_page, result_page
from bot.messages.pages.rounds import no_vote_page, single_page, vote_page
from bot.papers.service import PaperService
from bot.rounds import ballots, service
from bot.rounds.model import ENDED, REDRAW, THREAD, Result, Round, Turnout
from bot.schedule.slots import GRACE, local_day
from bot.storage import deliveries, rounds, slots, troubles
from bot.storage.clubs import find_club
from bot.storage.database import Database, Tx
from bot.storage.heartbeat import beat
from bot.storage.links import Link, sides_of
from bot.storage.troubles import Trouble

log = logging.getLogger(__name__)

NOBODY = Turnout(0)
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
        await service.run_due(rooms.database, now)

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
        return [slots.next_due(tx), rounds.next_closing(tx), deliveries.next_try(tx)]

    due = [moment for moment in await rooms.database.read(read) if moment is not None]
    return max(min(due), now) if due else None


# ---- what is said ----


@dataclass(frozen=True, slots=True)
class _Said:
    """What the store holds for a planned message."""

    club: Club
    pick: Pick | None = None
    round: Round | None = None
    turnout: Turnout = NOBODY
    result: Result | None = None
    trouble: Trouble | None = None
    ended: bool = False
    """The club was deleted."""
    link: Link | None = None


class Writer:
    """Writes planned messages from what the store holds at that moment, in the club's language and zone."""

    def __init__(self, database: Database, papers: PaperService) -> None:
        self._database = database
        self._papers = papers

    async def write(self, delivery: Delivery, now: datetime) -> Message | None:
        """The message of a delivery; None when there is nothing to say any more."""
        try:
            said = await self._database.read(lambda tx: _read(tx, delivery, now))
        except NotFound:
            return None
        reader = _reader(said.club, delivery, now)
        if delivery.kind == TROUBLE:
            return trouble_notice(reader, said, delivery, now)
        if delivery.kind == ASKING:
            return None if said.link is None else both_page(reader, said.link.id, sides_of(said.link))
        if delivery.kind == NOTICE:
            return notice_page(reader, str(delivery.payload.get("notice")), delivery.payload)
        if delivery.kind == MISSED:
            day = date.fromisoformat(delivery.subject)
            return missed_page(reader, day, str(delivery.payload.get("reason")))
        if delivery.kind == ENDED:
            return vote_ended_page(reader) if said.ended else None
        if delivery.kind in ("open", "closed", REDRAW):
            return None if said.round is None else calling(opening_page(said, now), delivery)
        if delivery.kind in ("result", THREAD):
            page = result_page if delivery.kind == "result" else discussion_page
            return None if said.result is None else calling(page(reader, said.result), delivery)
        if said.pick is None:
            return None
        paper = await self._papers.find(said.club.id, said.pick.paper_id)
        if paper is None:
            return None
        extra = delivery.kind == EXTRA
        day = local_day(now, said.club.zone) if extra else date.fromisoformat(delivery.subject)
        return daily_page(reader, paper, day, said.pick.reason, extra=extra)


def _reader(club: Club, delivery: Delivery, now: datetime) -> Reader:
    """Everybody in the club, or the one person whose own language is known."""
    reader = club_reader(club, now)
    return replace(reader, language=delivery.address.language or reader.language)


def _read(tx: Tx, delivery: Delivery, now: datetime) -> _Said:
    told = find_club(tx, delivery.club_id, deleted=True)
    if delivery.kind == TROUBLE and told is not None:
        return _Said(told, trouble=troubles.find_trouble(tx, int(delivery.payload["channel"])))
    if delivery.kind == ENDED and told is not None:
        return _Said(told, ended=find_club(tx, told.id) is None)
    club = get_club(tx, delivery.club_id)
    if delivery.kind == ASKING:
        return _Said(club, link=find_asked(tx, club.id, delivery.payload, now))
    if delivery.kind in ("open", "closed", REDRAW):
        vote = service.get_round(tx, club.id, int(delivery.payload["round"]))
        return _Said(club, round=vote, turnout=ballots.turnout(tx, vote))
    if delivery.kind in ("result", THREAD):
        return _Said(club, result=service.get_result(tx, club.id, int(delivery.payload["round"])))
    return _Said(club, pick=daily.picked(tx, club, delivery.subject))


def calling(page: Message | None, delivery: Delivery) -> Message | None:
    """Openings and results call the role the club named, when they are posted and never again."""
    calls = delivery.kind in ("open", "result")
    return replace(page, notify=True) if page is not None and calls else page


def trouble_notice(reader: Reader, said: _Said, delivery: Delivery, now: datetime) -> Message | None:
    """What organisers are told of a channel that cannot be written to, or could not; None once it is no news."""
    about, trouble = delivery.payload, said.trouble
    since = datetime.fromisoformat(about["since"])
    if not delivery.address.person and delivery.address.channel_id == about["channel"]:
        lost = now - since >= GRACE  # else all that was due has come, if late
        return trouble_over_page(reader, since, about["reason"]) if lost else None
    if trouble is None or trouble.since != since:
        return None
    day = date.fromisoformat(about["subject"]) if about["kind"] == DAILY else None
    where = ChannelRef(trouble.native_id, trouble.name)
    club = said.club.name if delivery.address.person else ""
    return trouble_page(reader, where, trouble.reason, day, last=not said.club.channels, club=club)


def opening_page(said: _Said, now: datetime) -> Message:
    """How a round stands in the channel: its poll, or why there is none."""
    assert said.round is not None
    reader, vote = club_reader(said.club, now), said.round
    if vote.outcome == "no_nomination" and not vote.candidates:
        return no_vote_page(reader)
    if vote.outcome == "single":
        return single_page(reader, vote)
    return vote_page(reader, vote, said.turnout)


async def redraw(rooms: Rooms, round_id: int, now: datetime) -> float:
    """Draw a round's poll again wherever it stands; the seconds to leave before the next drawing.

    No platform waits for another. Raises a DeliveryError after trying all, that with the longest wait.

    A vote that closes meanwhile is drawn closed by its own delivery, which this may have come behind: then once
    more.
    """

    def read(tx: Tx) -> tuple[_Said, list[Delivery]] | None:
        club = find_club(tx, rounds.club_of_round(tx, round_id))
        if club is None:  # deleted since it was asked for, or its server was left
            return None
        vote = service.get_round(tx, club.id, round_id)
        placed = deliveries.list_deliveries(tx, club.id, "open", f"{round_id}:open")
        return _Said(club, round=vote, turnout=ballots.turnout(tx, vote)), placed

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
        raise max(failed, key=lambda error: error.retry_after or 0.0)
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
