"""The desk for the vote: everybody's own ballot, and being reminded of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from fractions import Fraction

from bot.app.fields import Given, chosen_of
from bot.app.request import Handler, PressHandler, Request, SubmitHandler, private, row_number
from bot.app.rooms import Rooms
from bot.app.standing import with_roles
from bot.clubs.model import Asker, Club, is_guest
from bot.clubs.service import find_member, member_of
from bot.clubs.settings import WITH_VOTE_ROLES
from bot.errors import BadInput, Conflict, NotFound
from bot.messages.model import Answer, Message
from bot.messages.pages.ballots import (
    CHOICES,
    PAPERS,
    ballot_form,
    ballot_withdrawn_page,
    late_page,
    my_ballot_page,
    readback_page,
)
from bot.messages.pages.reminders import reminded_page
from bot.rounds import ballots, eligibility, service
from bot.rounds.model import FAIR, RANKED, Ballot, Round
from bot.rounds.opening import find_opening
from bot.storage import members
from bot.storage.database import Tx
from bot.storage.loads import find_load

SWITCH = {"on": True, "off": False}
"""What follows 'remind' in a button."""


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def vote(request: Request, args: dict[str, str]) -> Answer:
        return await _open_ballot(rooms, request, None)

    return {"paper vote": vote}


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def vote(request: Request, rest: str) -> Answer:
        return await _open_ballot(rooms, request, row_number(rest))

    async def mine(request: Request, rest: str) -> Answer:
        return private(await _my_ballot(rooms, request, row_number(rest)))

    async def retract(request: Request, rest: str) -> Answer:
        club, round_id = request.needs_club(), row_number(rest)

        def take_back(tx: Tx) -> tuple[Round, bool]:
            member = member_of(tx, club.id, request.asker, request.now)
            done = ballots.withdraw(tx, round_id, member, request.now)
            return service.get_round(tx, club.id, round_id), done

        try:
            vote, done = await rooms.database.write(take_back)
        except Conflict as error:
            return await _too_late(rooms, request, round_id, error)
        if not done:
            return private(my_ballot_page(request.reader, vote, Ballot(None)))
        rooms.refresher.request(round_id)
        return Answer("redraw", ballot_withdrawn_page(request.reader, vote))

    async def remind(request: Request, rest: str) -> Answer:
        club, on = request.needs_club(), SWITCH.get(rest)
        if on is None:
            raise NotFound("error.unknown_button")

        def switch(tx: Tx) -> None:
            members.set_remind(tx, member_of(tx, club.id, request.asker, request.now).id, on)

        await rooms.database.write(switch)
        return private(reminded_page(request.reader, on))

    return {"vote": vote, "mine": mine, "retract": retract, "remind": remind}


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """Forms that come back."""

    async def ballot(request: Request, rest: str, values: Given) -> Answer:
        club, round_id = request.needs_club(), row_number(rest)
        asker = await _with_roles(rooms, request, round_id)

        def cast(tx: Tx) -> tuple[Round, ballots.Cast, bool]:
            member = member_of(tx, club.id, asker, request.now)
            vote = service.get_round(tx, club.id, round_id)
            done = ballots.cast(
                tx,
                round_id,
                member,
                _positions(vote, values),
                request.now,
                asker.joined_at,
                guest=is_guest(asker),
                platform=asker.place.platform,
                roles=asker.roles,
            )
            return vote, done, member.remind

        try:
            vote, done, remind = await rooms.database.write(cast)
        except Conflict as error:
            return await _too_late(rooms, request, round_id, error)
        if done.new_event:
            rooms.refresher.request(round_id)
            if vote.rules.close_early:
                rooms.wake()
        return private(readback_page(request.reader, vote, done.ballot, done.dropped, done.doubled, remind))

    return {"ballot": ballot}


# ---- ballots ----


def _positions(vote: Round, values: Given) -> list[int]:
    """Places on the ballot of the papers ticked, or of those chosen, first choice first: a gap among them closes.

    Raises BadInput('ballot.unknown').
    """
    fields = CHOICES if vote.method in RANKED else (PAPERS,)
    chosen = [value for field in fields for value in chosen_of(values, field) if value]
    places = {candidate.paper.public_id: candidate.position for candidate in vote.candidates}
    if any(value not in places for value in chosen):
        raise BadInput("ballot.unknown", field=PAPERS, n=len(places))
    return [places[value] for value in chosen]


async def _open_ballot(rooms: Rooms, request: Request, round_id: int | None) -> Answer:
    """The ballot filled in as it stands; of the round now open, or of the one a button names."""
    club = request.needs_club()
    if round_id is None:
        vote = await rooms.database.read(lambda tx: service.find_open_round(tx, club.id))
        if vote is None:
            raise await _no_vote(rooms, club, request.now)
        round_id = vote.id
    vote, ballot = await _read_ballot(rooms, request, round_id)
    if vote.state != "voting" or request.now >= vote.closes_at:
        now_open = await rooms.database.read(lambda tx: service.find_open_round(tx, club.id))
        if now_open is not None and now_open.id != vote.id:
            raise Conflict("error.old_button", date=vote.closed_at or vote.closes_at, round_id=now_open.id)
        return private(late_page(request.reader, vote, request.now, ballot))
    asker = await _with_roles(rooms, request, vote.id)
    await rooms.database.read(lambda tx: _check_may_vote(tx, asker, request.now, club, vote))
    return Answer("form", form=ballot_form(request.reader, vote, ballot))


def _check_may_vote(tx: Tx, asker: Asker, now: datetime, club: Club, vote: Round) -> None:
    """Asked before the form is shown, so that nobody fills it in for nothing, and again when it comes back."""
    member, platform = find_member(tx, club.id, asker.account), asker.place.platform
    eligibility.check_eligible(tx, club.id, vote.id, vote.opens_at, asker.joined_at, now, member)
    eligibility.check_rules(tx, vote, member, guest=is_guest(asker), platform=platform, roles=asker.roles)


async def _with_roles(rooms: Rooms, request: Request, round_id: int) -> Asker:
    """Who asks, with their roles where a vote asks for one that the press itself did not tell.

    A press tells the roles of its own server; that of any of the club's servers counts.
    """
    club, asker = request.needs_club(), request.asker
    if asker.place.platform not in WITH_VOTE_ROLES or (
        asker.roles is not None and not _elsewhere(club, asker)
    ):
        return asker
    role = (await rooms.database.read(lambda tx: service.get_round(tx, club.id, round_id))).rules.voting_role
    if not role or role in (asker.roles or ()):
        return asker
    return await with_roles(rooms, replace(asker, roles=None), club.channels)


def _elsewhere(club: Club, asker: Asker) -> bool:
    """Whether the club stands on another server of the asker's platform too."""
    place = asker.place
    return any(c.platform == place.platform and c.workspace != place.workspace for c in club.channels)


async def _my_ballot(rooms: Rooms, request: Request, round_id: int) -> Message:
    """What their ballot says, what they have paid in fair turns, and whether they are reminded."""
    club, member = request.needs_club(), request.member
    vote, ballot = await _read_ballot(rooms, request, round_id)
    paid: Fraction | None = None
    if member is not None and vote.method == FAIR:
        season, who = vote.rules.season, member.id
        paid = await rooms.database.read(lambda tx: find_load(tx, club.id, season, who))
    return my_ballot_page(request.reader, vote, ballot, paid, member.remind if member else False)


async def _read_ballot(rooms: Rooms, request: Request, round_id: int) -> tuple[Round, Ballot]:
    club, member = request.needs_club(), request.member

    def read(tx: Tx) -> tuple[Round, Ballot]:
        vote = service.get_round(tx, club.id, round_id)
        return vote, ballots.current(tx, vote, member.id) if member else Ballot(None)

    return await rooms.database.read(read)


async def _too_late(rooms: Rooms, request: Request, round_id: int, error: Conflict) -> Answer:
    if error.key != "ballot.late":
        raise error
    vote, ballot = await _read_ballot(rooms, request, round_id)
    return private(late_page(request.reader, vote, request.now, ballot))


async def _no_vote(rooms: Rooms, club: Club, now: datetime) -> Conflict:
    opening = await rooms.database.read(lambda tx: find_opening(tx, club, now))
    return Conflict("vote.none", when=opening)
