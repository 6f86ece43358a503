"""The desk for somebody's own page, where a platform keeps one for each person."""

from __future__ import annotations

from datetime import date

from bot.app import week
from bot.app.request import (
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    clubs_meant,
    read_request,
    row_number,
)
from bot.app.rooms import Rooms
from bot.daily.model import Pick
from bot.errors import NotFound
from bot.messages.model import Answer, Message
from bot.messages.pages.greeting import greeting_page
from bot.messages.pages.home import Due, Today, home_page
from bot.messages.pages.which import which_page
from bot.papers.model import Paper
from bot.rounds import ballots, service
from bot.rounds.model import Ballot, Round
from bot.storage import picks
from bot.storage.choices import put_choice
from bot.storage.database import Tx

OTHER = "other"


def commands(rooms: Rooms) -> dict[str, Handler]:
    """Nobody types it."""
    return {}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def home(request: Request, rest: str) -> Answer:
        if rest == OTHER:
            return Answer("redraw", await _ask(rooms, request))
        if rest:
            request = await rooms.database.write(lambda tx: _choose(tx, request, row_number(rest)))
        return Answer("redraw", await draw(rooms, request))

    return {"home": home}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """No forms here."""
    return {}


async def draw(rooms: Rooms, request: Request) -> Message:
    """The asker's page; without a club what to do first, with several the question which one."""
    club, member = request.club, request.member
    if request.several:
        return which_page(request.reader, request.several, "home")
    if club is None:
        return greeting_page(request.reader, request.asker.account.platform)

    def read(tx: Tx) -> tuple[Pick | None, Round | None, Ballot]:
        vote = service.find_open_round(tx, club.id)
        if vote is not None and request.now >= vote.closes_at:
            vote = None
        mine = ballots.current(tx, vote, member.id) if vote and member else Ballot(None)
        return picks.latest_pick(tx, club.id), vote, mine

    pick, vote, ballot = await rooms.database.read(read)
    paper = await rooms.papers.find(club.id, pick.paper_id) if pick is not None else None
    today = Today(paper, date.fromisoformat(pick.subject)) if pick is not None and paper is not None else None
    saved: list[Paper] = await rooms.papers.saved(club.id, member.id) if member else []
    steps = (await week.view(rooms, request)).steps
    due = [Due(step.label, step.state_label, step.when) for step in steps]
    return home_page(request.reader, club, today, vote, ballot, saved, due, several=request.chosen)


async def _ask(rooms: Rooms, request: Request) -> Message:
    """The clubs that may be meant; the page itself where there is one only."""
    asker = request.asker
    found = await rooms.database.read(lambda tx: clubs_meant(tx, asker, request.hidden))
    if len(found) < 2:
        return await draw(rooms, request)
    return which_page(request.reader, found, "home")


def _choose(tx: Tx, request: Request, club_id: int) -> Request:
    """The request as one about this club, if it may be meant here. Raises NotFound('error.unknown_button')."""
    asker = request.asker
    if club_id not in {club.id for club in clubs_meant(tx, asker, request.hidden)}:
        raise NotFound("error.unknown_button")
    put_choice(tx, asker, club_id, request.now)
    return read_request(tx, asker, request.now, hidden=request.hidden)
