"""The desk that writes what was planned, from what the store holds at that moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime

from bot.app.request import club_reader
from bot.clubs.linking import ASKING, find_asked
from bot.clubs.model import Account, Club, Member
from bot.clubs.service import find_member, get_club
from bot.daily import service as daily
from bot.daily.model import DAILY, EXTRA, MISSED, NOTICE, Pick
from bot.delivery.model import Address, Delivery
from bot.delivery.trouble import THREADS, TROUBLE, is_over
from bot.errors import NotFound
from bot.messages.model import ChannelRef, Message, Reader
from bot.messages.pages.deciding import settled_page
from bot.messages.pages.linking import both_page
from bot.messages.pages.notices import (
    missed_page,
    no_thread_page,
    notice_page,
    trouble_over_page,
    trouble_page,
    vote_ended_page,
)
from bot.messages.pages.papers import daily_page
from bot.messages.pages.reminders import blanked_page, nudge_page, reminder_page
from bot.messages.pages.results import discussion_page, result_page
from bot.messages.pages.rounds import no_vote_page, single_page, vote_page
from bot.messages.pages.sheets import sheet_page
from bot.papers.service import PaperService
from bot.rounds import ballots, service
from bot.rounds.model import (
    BLANKED,
    ENDED,
    NUDGE,
    REDRAW,
    REMINDER,
    SHEET,
    THREAD,
    Ballot,
    Result,
    Round,
    Turnout,
)
from bot.rounds.turnout import turnout_of
from bot.schedule.slots import GRACE, local_day
from bot.storage import troubles
from bot.storage.clubs import find_club
from bot.storage.database import Database, Tx
from bot.storage.links import Link, sides_of
from bot.storage.troubles import Trouble

NOBODY = Turnout(0)
TOLD = ("result", "decision", "decided", THREAD, SHEET)
"""Kinds of what is said of a closed vote. `decision`: an organiser broke its tie · `decided`: the edit of the result
that says so."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the store holds for a planned message."""

    club: Club
    pick: Pick | None = None
    round: Round | None = None
    turnout: Turnout = NOBODY
    result: Result | None = None
    trouble: Trouble | None = None
    sheet: str | None = None
    ended: bool = False
    """The club was deleted; or what was wrong is mended."""
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
        if delivery.kind == THREADS:
            return None if said.ended else no_thread_notice(reader, said.club, delivery)
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
            if said.round is None:
                return None
            page = opening_page(said, now)
            return page if _is_empty(said.round) else calling(page, delivery)
        if delivery.kind in (REMINDER, NUDGE, BLANKED):
            return _about_open(reader, said, delivery)
        if delivery.kind in TOLD:
            return None if said.result is None else calling(_about_closed(reader, said, delivery), delivery)
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


def _read(tx: Tx, delivery: Delivery, now: datetime) -> Said:
    told = find_club(tx, delivery.club_id, deleted=True)
    if delivery.kind == TROUBLE and told is not None:
        return Said(told, trouble=troubles.find_trouble(tx, int(delivery.payload["channel"])))
    if delivery.kind == ENDED and told is not None:
        return Said(told, ended=find_club(tx, told.id) is None)
    club = get_club(tx, delivery.club_id)
    if delivery.kind == THREADS:
        return Said(club, ended=is_over(tx, delivery))
    if delivery.kind == ASKING:
        return Said(club, link=find_asked(tx, club.id, delivery.payload, now))
    if delivery.kind in ("open", "closed", REDRAW):
        vote = service.get_round(tx, club.id, int(delivery.payload["round"]))
        return Said(club, round=vote, turnout=turnout_of(tx, vote))
    if delivery.kind in (REMINDER, NUDGE, BLANKED):
        return _read_open(tx, club, delivery, now)
    if delivery.kind in TOLD:
        number = int(delivery.payload["round"])
        sheet = service.find_sheet(tx, club.id, number) if delivery.kind == SHEET else None
        return Said(club, result=service.get_result(tx, club.id, number), sheet=sheet)
    return Said(club, pick=daily.picked(tx, club, delivery.subject))


def _read_open(tx: Tx, club: Club, delivery: Delivery, now: datetime) -> Said:
    """The open vote a reminder is about; without it where that is no news any more: the vote is over, or whoever it
    is for has voted meanwhile."""
    vote = service.get_round(tx, club.id, int(delivery.payload["round"]))
    if vote.state != "voting" or now >= vote.closes_at:
        return Said(club)
    if delivery.kind != REMINDER:
        member = _member_at(tx, club, delivery.address)
        ballot = ballots.current(tx, vote, member.id) if member else Ballot(None)
        if ballot.positions != (() if delivery.kind == BLANKED else None):
            return Said(club)
    return Said(club, round=vote, turnout=turnout_of(tx, vote))


def _member_at(tx: Tx, club: Club, address: Address) -> Member | None:
    """Whose private messages these are; some accounts belong to no server."""
    places = (address.workspace, "")
    found = (find_member(tx, club.id, Account(address.platform, each, address.person)) for each in places)
    return next((member for member in found if member is not None), None)


def _about_open(reader: Reader, said: Said, delivery: Delivery) -> Message | None:
    """What is said before an open vote closes; None once it is no news."""
    vote, club = said.round, said.club.name
    if vote is None:
        return None
    if delivery.kind == REMINDER:
        return reminder_page(reader, vote, said.turnout)
    if delivery.kind == NUDGE:
        return nudge_page(reader, vote, said.turnout, club)
    gone = [each.paper for each in vote.candidates if each.paper.id == delivery.payload["paper"]]
    return blanked_page(reader, vote, gone[0], club) if gone else None


def _about_closed(reader: Reader, said: Said, delivery: Delivery) -> Message | None:
    """What is said of a vote that is over."""
    assert said.result is not None
    if delivery.kind == THREAD:
        return discussion_page(reader, said.result)
    if delivery.kind == SHEET:
        return None if said.sheet is None else sheet_page(reader, said.result, said.sheet)
    if delivery.kind == "decided" and said.result.winner is not None:
        return settled_page(reader, said.result)
    return result_page(reader, said.result)


def calling(page: Message | None, delivery: Delivery) -> Message | None:
    """Openings and results call the role the club named, when they are posted and never again."""
    calls = delivery.kind in ("open", "result", "decision")
    return replace(page, notify=True) if page is not None and calls else page


def trouble_notice(reader: Reader, said: Said, delivery: Delivery, now: datetime) -> Message | None:
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


def no_thread_notice(reader: Reader, club: Club, delivery: Delivery) -> Message:
    """What organisers are told of a channel in which no discussion may be opened."""
    to = delivery.address
    where = ChannelRef(to.native_id, to.name)
    return no_thread_page(reader, where, str(delivery.payload["reason"]), club.name if to.person else "")


def opening_page(said: Said, now: datetime) -> Message:
    """How a round stands in the channel: its poll, or why there is none."""
    assert said.round is not None
    reader, vote = club_reader(said.club, now), said.round
    if _is_empty(vote):
        return no_vote_page(reader)
    if vote.outcome == "single" and not vote.rules.runoff_of:
        return single_page(reader, vote)
    return vote_page(reader, vote, said.turnout)


def _is_empty(vote: Round) -> bool:
    """Whether there was nothing to vote on."""
    return vote.outcome == "no_nomination" and not vote.candidates
