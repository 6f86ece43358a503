"""The desk for what votes came to: results, how they were counted, history, and why things happened."""

from __future__ import annotations

from bot.app.fields import Given, text_of
from bot.app.reading import page_number
from bot.app.request import (
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    needs_organiser,
    private,
    read_day,
    row_number,
)
from bot.app.rooms import Rooms
from bot.clubs.service import member_of
from bot.daily.outcomes import outcomes
from bot.errors import BadInput, Conflict, NotFound, UserError
from bot.messages.model import Answer, Message
from bot.messages.pages.deciding import PAPER, REASON, decide_form, decided_page
from bot.messages.pages.found import history_page
from bot.messages.pages.how import how_page
from bot.messages.pages.results import last_result_page, no_result_page, result_page
from bot.messages.pages.sheets import no_sheet_page, sheet_page
from bot.messages.pages.why import why_page
from bot.rounds import service
from bot.rounds.model import Result, Round
from bot.schedule.slots import local_day
from bot.storage.database import Tx
from bot.storage.papers import load

PER_PAGE = 5


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def results(request: Request, args: dict[str, str]) -> Answer:
        return private(await _last_result(rooms, request))

    async def history(request: Request, args: dict[str, str]) -> Answer:
        return private(await _history(rooms, request, 1))

    async def why(request: Request, args: dict[str, str]) -> Answer:
        return private(await _why(rooms, request, args.get("day", "")))

    return {"paper results": results, "paper history": history, "paper why": why}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def how(request: Request, rest: str) -> Answer:
        return private(how_page(request.reader, await _read_result(rooms, request, row_number(rest))))

    async def result(request: Request, rest: str) -> Answer:
        return private(result_page(request.reader, await _read_result(rooms, request, row_number(rest))))

    async def history(request: Request, rest: str) -> Answer:
        return Answer("redraw", await _history(rooms, request, page_number(rest)))

    async def sheet(request: Request, rest: str) -> Answer:
        return private(await _sheet(rooms, request, row_number(rest)))

    async def decide(request: Request, rest: str) -> Answer:
        tie, left = await _tie(rooms, request, row_number(rest))
        return Answer("form", form=decide_form(request.reader, tie, left))

    return {"how": how, "result": result, "history": history, "sheet": sheet, "decide": decide}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """Forms that come back."""

    async def decision(request: Request, rest: str, values: Given) -> Answer:
        await needs_organiser(rooms.database, request)
        club, (tie, left) = request.needs_club(), await _tie(rooms, request, row_number(rest))
        places = {each.paper.public_id: each.position for each in tie.round.candidates}
        position, reason = places.get(text_of(values, PAPER), 0), text_of(values, REASON)

        def decide(tx: Tx) -> tuple[Result, Round | None]:
            by = member_of(tx, club.id, request.asker, request.now)
            decided = service.decide_tie(tx, club.id, tie.round.id, by, position, reason, request.now)
            return decided, service.find_open_round(tx, club.id)

        try:
            result, vote = await rooms.database.write(decide)
        except (BadInput, Conflict) as error:
            if isinstance(error, Conflict) and error.key != "nominate.gone":
                raise
            of_reason = isinstance(error, BadInput) and error.field == REASON
            faults: dict[str, UserError] = {REASON if of_reason else PAPER: error}
            if position not in tie.tied:
                chosen = bool(text_of(values, PAPER))
                faults[PAPER] = BadInput("decide.not_tied" if chosen else "decide.none", field="position")
            return Answer("form", form=decide_form(request.reader, tie, left, values, faults))
        if vote is not None:  # the chosen paper may have stood on its ballot
            rooms.refresher.request(vote.id)
        rooms.wake()
        return private(decided_page(request.reader, result))

    return {"decision": decision}


async def _tie(rooms: Rooms, request: Request, round_id: int) -> tuple[Result, tuple[int, ...]]:
    """A closed round whose tie waits for an organiser, and which papers they can choose from."""
    club = request.needs_club()
    return await rooms.database.read(lambda tx: service.find_waiting(tx, club.id, round_id))


async def _sheet(rooms: Rooms, request: Request, round_id: int) -> Message:
    """The tally sheet as a file, or why there is none."""
    result, club = await _read_result(rooms, request, round_id), request.needs_club()
    sheet = await rooms.database.read(lambda tx: service.find_sheet(tx, club.id, round_id))
    return (
        no_sheet_page(request.reader, result) if sheet is None else sheet_page(request.reader, result, sheet)
    )


async def _read_result(rooms: Rooms, request: Request, round_id: int) -> Result:
    club = request.needs_club()
    return await rooms.database.read(lambda tx: service.get_result(tx, club.id, round_id))


async def _last_result(rooms: Rooms, request: Request) -> Message:
    """The last result, and that a vote is open; before the first result whichever of the two there is."""
    club = request.needs_club()

    def read(tx: Tx) -> tuple[Round | None, Result | None]:
        vote = service.find_open_round(tx, club.id)
        try:
            return vote, service.get_result(tx, club.id)
        except NotFound:
            return vote, None

    vote, result = await rooms.database.read(read)
    if result is not None:
        return last_result_page(request.reader, result, vote)
    if vote is not None:
        raise Conflict("result.open", when=vote.closes_at, round_id=vote.id)
    return no_result_page(request.reader)


async def _history(rooms: Rooms, request: Request, page: int) -> Message:
    club = request.needs_club()

    def read(tx: Tx) -> tuple[tuple[Result, ...], int, int, int]:
        _, chosen = service.history(tx, club.id, 1, 1)
        pages = max(1, -(-chosen // PER_PAGE))
        here = min(max(page, 1), pages)
        return service.history(tx, club.id, here, PER_PAGE)[0], service.count_read(tx, club.id), here, pages

    return history_page(request.reader, *await rooms.database.read(read))


async def _why(rooms: Rooms, request: Request, text: str) -> Message:
    club = request.needs_club()
    today = local_day(request.now, club.zone)
    day = read_day(text, "day", today) if text else today
    found = await rooms.database.read(lambda tx: outcomes(tx, club, day, request.now))
    ids = [outcome.paper_id for outcome in found if outcome.paper_id is not None]
    papers = await rooms.database.read(lambda tx: load(tx, club.id, ids))
    return why_page(request.reader, day, found, papers)
