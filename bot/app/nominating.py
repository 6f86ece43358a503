"""The desk for the club's list: nominate, back, withdraw, read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from bot.app.reading import page_number
from bot.app.request import (
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    needs_writer,
    private,
    row_number,
)
from bot.app.rooms import Rooms
from bot.clubs.model import Club, Member
from bot.clubs.service import check_admitted, member_of
from bot.errors import BadInput, Conflict, LimitReached, NotFound
from bot.messages.model import Answer, Message
from bot.messages.pages.faults import fault_line
from bot.messages.pages.nominations import (
    backed_page,
    nominate_form,
    nominated_again_page,
    nominated_page,
    nominations_page,
    refused_page,
    unknown_link_page,
    withdrawn_nomination_page,
)
from bot.papers.link import clean_link, paper_of_link
from bot.papers.model import Paper, parse_public_id
from bot.rounds import nominations
from bot.rounds.model import Nomination
from bot.rounds.nominations import Nominated, check_reason
from bot.rounds.opening import find_opening
from bot.storage import drafts, picks
from bot.storage.database import Tx

FORM = "propose"
MOST_AUTHORS = 500
"""Characters of authors; the form takes no more."""


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def nominate(request: Request, args: dict[str, str]) -> Answer:
        return private(await _nominate(rooms, request, args["paper"], args.get("reason", "")))

    async def listing(request: Request, args: dict[str, str]) -> Answer:
        return private(await _list(rooms, request, 1))

    return {"paper nominate": nominate, "paper nominations": listing}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def nominate(request: Request, rest: str) -> Answer:
        return private(await _nominate(rooms, request, rest, ""))

    async def form(request: Request, rest: str) -> Answer:
        request.needs_club()
        await needs_writer(rooms.database, request)
        account = request.asker.account
        kept = await rooms.database.read(lambda tx: drafts.find_draft(tx, rest, account, FORM))
        return Answer("form", form=nominate_form(request.reader, kept, {}, rest if kept else ""))

    async def withdraw(request: Request, rest: str) -> Answer:
        club = request.needs_club()

        def take_back(tx: Tx) -> nominations.Withdrawn:
            member = member_of(tx, club.id, request.asker, request.now)
            return nominations.withdraw(tx, club.id, member, row_number(rest), request.now)

        done = await rooms.database.write(take_back)
        if done.round_id is not None:
            rooms.refresher.request(done.round_id)
            rooms.wake()
        left = done.nomination
        page = withdrawn_nomination_page(
            request.reader, left.paper, done.how, left.member, closes_at=done.closes_at
        )
        return private(page)

    async def listing(request: Request, rest: str) -> Answer:
        return Answer("redraw" if rest else "private", await _list(rooms, request, page_number(rest)))

    return {"nominate": nominate, "nominate-form": form, "withdraw": withdraw, "nominations": listing}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """Forms that come back."""

    async def propose(request: Request, rest: str, values: Mapping[str, str | list[str]]) -> Answer:
        given = {name: str(value).strip() for name, value in values.items() if isinstance(value, str)}
        try:
            message = await _propose(rooms, request, given)
        except BadInput as error:
            if not error.field:
                raise
            faults = {error.field: fault_line(request.reader, error)}
            return Answer("form", form=nominate_form(request.reader, given, faults, rest))
        except LimitReached as error:
            return private(refused_page(request.reader, error, await _keep(rooms, request, given)))
        if rest:
            await rooms.database.write(lambda tx: drafts.drop_draft(tx, rest, request.asker.account))
        return private(message)

    return {FORM: propose}


# ---- nominate ----


async def _nominate(rooms: Rooms, request: Request, text: str, reason: str) -> Message:
    """By id or link; a link nobody knows asks for a title."""
    request.needs_club()
    await needs_writer(rooms.database, request)
    paper = await _find(rooms, request, text)
    if paper is not None:
        return await _put(rooms, request, paper, reason)
    draft = await _keep(rooms, request, {"paper": text, "reason": check_reason(reason)})
    return unknown_link_page(request.reader, text, draft)


async def _keep(rooms: Rooms, request: Request, fields: Mapping[str, str]) -> str:
    """Keep what was typed; the draft's number, for the button that opens the form filled in."""
    account = request.asker.account
    return str(
        await rooms.database.write(
            lambda tx: drafts.put_draft(tx, request.club_id, account, FORM, fields, request.now)
        )
    )


async def _propose(rooms: Rooms, request: Request, given: Mapping[str, str]) -> Message:
    """A form: an id or known link as it is, an unknown link with the title typed beside it."""
    club = request.needs_club()
    text, reason = given.get("paper", ""), check_reason(given.get("reason", ""))
    if not text:
        raise BadInput("nominate.no_paper", field="paper")
    try:
        paper = await _find(rooms, request, text)
    except NotFound as error:
        raise BadInput(error.key, field="paper", **error.values) from error
    if paper is None:
        title = " ".join(given.get("title", "").split())
        if not title:
            raise BadInput("nominate.no_title", field="title")
        if len(title) > 300:
            raise BadInput("nominate.title_long", field="title", n=300)
        made = paper_of_link(text, title, given.get("authors", "")[:MOST_AUTHORS])
        if made is None:
            raise BadInput("nominate.no_paper", field="paper")
        await rooms.database.write(lambda tx: _check_room(tx, request, club))
        paper = await rooms.papers.put_own(club.id, made, request.now)
    return await _put(rooms, request, paper, reason)


def _check_room(tx: Tx, request: Request, club: Club) -> None:
    """Asked before a paper is made, so that a refused nomination leaves nothing on the shelf."""
    check_admitted(club, request.asker)
    nominations.check_room(tx, club, member_of(tx, club.id, request.asker, request.now), request.now)


async def _find(rooms: Rooms, request: Request, text: str) -> Paper | None:
    """The paper of an id or link; None for a good link nobody knows.

    Raises: NotFound('error.no_paper'), BadInput('nominate.no_paper') for what is neither.
    """
    number = parse_public_id(text)
    if number is not None:
        return await rooms.papers.get(request.club_id, number)
    address = clean_link(text)
    if address is None:
        raise BadInput("nominate.no_paper", field="paper", id=text)
    known = await rooms.papers.by_link(request.club_id, text)
    return known or await rooms.papers.by_link(request.club_id, address)


@dataclass(frozen=True, slots=True)
class _Standing:
    """What the answer to a nomination tells beside it."""

    opens_at: datetime | None
    left: int
    member: Member


async def _put(rooms: Rooms, request: Request, paper: Paper, reason: str) -> Message:
    club = request.needs_club()
    assert paper.id is not None
    paper_id = paper.id

    def put(tx: Tx) -> tuple[Nominated | None, Nomination, _Standing]:
        check_admitted(club, request.asker)
        member = member_of(tx, club.id, request.asker, request.now)
        done: Nominated | None
        try:
            done = nominations.nominate(tx, club, member, paper_id, reason, request.now)
            nomination = done.nomination
        except Conflict as error:  # on the list already, and by this member: told, nothing is wrong
            listed = nominations.find_open(tx, club.id, paper_id)
            if error.key not in ("nominate.own", "nominate.backed") or listed is None:
                raise
            done, nomination = None, listed
        left = nominations.mine_left(tx, club, member.id)
        return done, nomination, _Standing(find_opening(tx, club, request.now), left, member)

    done, nomination, standing = await rooms.database.write(put)
    reader = replace(request.reader, member=standing.member.id)
    if done is None:
        return nominated_again_page(reader, nomination)
    if done.how == "backed":
        return backed_page(reader, nomination)
    return nominated_page(
        reader,
        nomination,
        opens_at=standing.opens_at,
        left=standing.left,
        limit=club.settings.nominations_each,
        read_at=done.read_at,
    )


# ---- read ----


async def _list(rooms: Rooms, request: Request, page: int) -> Message:
    club = request.needs_club()

    def read(tx: Tx) -> tuple[tuple[Nomination, ...], datetime | None, int, int | None]:
        listed = nominations.list_nominations(tx, club.id)
        pick = picks.latest_pick(tx, club.id)
        left = (
            nominations.mine_left(tx, club, request.member.id)
            if request.member
            else club.settings.nominations_each
        )
        return listed, find_opening(tx, club, request.now), left, pick.paper_id if pick else None

    listed, opening, left, today = await rooms.database.read(read)
    return nominations_page(
        request.reader,
        listed,
        opens_at=opening,
        left=left,
        limit=club.settings.nominations_each,
        page=page,
        today=await rooms.papers.find(club.id, today) if today is not None else None,
        ties=club.settings.ties,
    )
