"""Forgetting a member, in the store: names in closed votes, receipts and chains, the last moment of a vote."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.clubs import forgetting
from bot.clubs import service as clubs
from bot.clubs.model import Club, Member, Settings
from bot.errors import Conflict
from bot.messages.model import Reader
from bot.messages.pages.how import how_page
from bot.messages.pages.results import result_page
from bot.rounds import ballots, nominations
from bot.rounds import service as rounds
from bot.rounds.audit import audit
from bot.rounds.closing import close_round
from bot.rounds.deciding import decide_tie
from bot.rounds.log import first_fault
from bot.rounds.model import Round
from bot.storage import ballots as log
from bot.storage import members
from bot.storage.database import Database, Tx
from bot.storage.rounds import find_result, find_round, find_sheet
from tests.lab.house import MONDAY, person, said
from tests.lab.stage import stage_papers

FORMER = "Former member"
MINUTE = timedelta(minutes=1)


async def stage(database: Database, voters: int = 6, **settings: Any) -> tuple[Club, Round, list[Member]]:
    """An open vote on three papers in a club of so many members and its organiser, who stands first."""

    def build(tx: Tx) -> tuple[Club, Round, list[Member]]:
        stage_papers(tx, [("Methods", "")] * 5, MONDAY)
        club = clubs.setup(
            tx, person(1, admin=True), MONDAY, name="Readers", zone="UTC", settings=Settings(**settings)
        )
        people = [clubs.member_of(tx, club.id, person(n), MONDAY) for n in range(1, voters + 1)]
        for paper, member in zip((1, 2, 3), people, strict=False):
            nominations.nominate(tx, club, member, paper, "", MONDAY)
        return club, rounds.open_round(tx, club, MONDAY, MONDAY + timedelta(days=2), by=people[0]), people

    return await database.write(build)


async def cast(database: Database, vote: Round, member: Member, *positions: int, at: int = 1) -> None:
    now = MONDAY + at * MINUTE
    await database.write(lambda tx: ballots.cast(tx, vote.id, member, positions, now))


async def close(database: Database, vote: Round, by: Member | None = None) -> None:
    now, note = MONDAY + timedelta(hours=5), "We met" if by else ""
    await database.write(lambda tx: close_round(tx, vote.club_id, vote.id, now, by, note))


async def forget(database: Database, club: Club, member: Member, now: datetime | None = None) -> None:
    at = now or MONDAY + timedelta(hours=6)
    await database.write(lambda tx: forgetting.forget(tx, club, member, FORMER, at))


async def faults(database: Database, vote: Round) -> int | None:
    def check(tx: Tx) -> int | None:
        found = find_round(tx, vote.club_id, vote.id)
        assert found is not None
        return first_fault(vote.id, found.opening_head, log.log_of(tx, vote.id))

    return await database.read(check)


async def test_in_a_vote_open_at_close_the_ballot_stays_and_the_name_goes(database: Database) -> None:
    club, vote, people = await stage(database, secrecy="open")
    for member in people:
        await cast(database, vote, member, 1, 2)
    await close(database, vote)
    before = await database.read(lambda tx: find_result(tx, club.id, vote.id))
    await forget(database, club, people[2])

    def read(tx: Tx) -> tuple[Any, dict[str, Any]]:
        return find_result(tx, club.id, vote.id), json.loads(find_sheet(tx, club.id, vote.id) or "")

    result, sheet = await database.read(read)
    assert before is not None and result.votes == before.votes and result.head == before.head
    names = [name for name, _ in result.named]
    assert sorted(names) == ["", *(f"Member {n}" for n in (1, 2, 4, 5, 6))]
    assert sorted(ballot["member"] for ballot in sheet["ballots"]) == sorted(
        [FORMER, *(f"Member {n}" for n in (1, 2, 4, 5, 6))]
    )
    assert await faults(database, vote) is None
    report = await database.read(lambda tx: audit(tx, club.id))
    assert not report.damage and [note.what for note in report.notes] == ["untraced"]


async def test_of_two_namesakes_the_right_one_goes(database: Database) -> None:
    club, vote, people = await stage(database, secrecy="open")
    for member in people[:2]:
        await database.write(lambda tx, m=member: members.rename_member(tx, m.id, "Reader"))  # type: ignore[misc]
    for member, position in zip(people, (1, 2, 3, 3, 3, 3), strict=True):
        await cast(database, vote, member, position)
    await close(database, vote)
    await forget(database, club, people[1])
    result = await database.read(lambda tx: find_result(tx, club.id, vote.id))
    assert result is not None
    assert ("Reader", (1,)) in result.named and ("", (2,)) in result.named


async def test_a_name_given_up_since_goes_too(database: Database) -> None:
    club, vote, people = await stage(database, secrecy="open")
    for member in people:
        await cast(database, vote, member, 1)
    await close(database, vote)
    await database.write(lambda tx: members.rename_member(tx, people[1].id, "Somebody else"))
    await forget(database, club, people[1])
    result = await database.read(lambda tx: find_result(tx, club.id, vote.id))
    assert result is not None and "Member 2" not in {name for name, _ in result.named}


async def test_when_receipts_are_gone_the_name_is_what_is_looked_for(database: Database) -> None:
    club, vote, people = await stage(database, secrecy="open")
    for member in people:
        await cast(database, vote, member, 1)
    await close(database, vote)
    later = MONDAY + timedelta(days=100)
    await database.write(lambda tx: log.forget_receipts(tx, later))
    await forget(database, club, people[1], later)

    def read(tx: Tx) -> tuple[Any, str]:
        return find_result(tx, club.id, vote.id), find_sheet(tx, club.id, vote.id) or ""

    result, sheet = await database.read(read)
    assert "Member 2" not in {name for name, _ in result.named} and len(result.named) == 6
    assert "Member 2" not in sheet and FORMER in sheet


async def test_who_closed_a_vote_early_is_a_former_member(database: Database) -> None:
    club, vote, people = await stage(database)
    await database.write(lambda tx: members.set_organiser(tx, people[1].id, True))
    for member in people:
        await cast(database, vote, member, 1)
    await close(database, vote, replace(people[1], organiser=True))
    await forget(database, club, replace(people[1], organiser=True))
    result = await database.read(lambda tx: find_result(tx, club.id, vote.id))
    assert result is not None and result.round.closed_by == "" and result.round.close_note == "We met"


async def test_a_ballot_whose_closing_has_come_counts(database: Database) -> None:
    club, vote, people = await stage(database)
    for member in people:
        await cast(database, vote, member, 1)
    await forget(database, club, people[2], vote.closes_at)
    result = await database.read(lambda tx: find_result(tx, club.id, vote.id))
    assert result is not None and result.ballots == len(people)
    assert await faults(database, vote) is None


async def test_a_ballot_before_the_closing_does_not(database: Database) -> None:
    club, vote, people = await stage(database)
    for member in people:
        await cast(database, vote, member, 1)
    await forget(database, club, people[2], vote.closes_at - timedelta(microseconds=1))
    await database.write(lambda tx: close_round(tx, club.id, vote.id, vote.closes_at))
    result = await database.read(lambda tx: find_result(tx, club.id, vote.id))
    assert result is not None and result.ballots == len(people) - 1
    assert await faults(database, vote) is None
    assert not await database.read(
        lambda tx: tx.rows("SELECT 1 FROM receipt WHERE member_id = :id", id=people[2].id)
    )


async def test_in_fair_turns_what_was_paid_is_deleted(database: Database) -> None:
    club, vote, people = await stage(database, method="phragmen", season=1)
    for member in people:
        await cast(database, vote, member, 1)
    await close(database, vote)
    paid = await database.read(lambda tx: tx.rows("SELECT member_id, load FROM load ORDER BY member_id"))
    assert [row[1] for row in paid] == ["1/6"] * 6
    told = await database.read(lambda tx: forgetting.about(tx, club, people[1]))
    assert str(told.paid) == "1/6"
    await forget(database, club, people[1])
    left = await database.read(lambda tx: tx.rows("SELECT member_id FROM load ORDER BY member_id"))
    assert [row[0] for row in left] == [each.id for each in people if each is not people[1]]


async def test_the_last_organiser_stays_and_nothing_changes(database: Database) -> None:
    club, vote, people = await stage(database)
    await cast(database, vote, people[0], 1)
    with pytest.raises(Conflict, match=r"forget\.last"):
        await forget(database, club, people[0])
    assert await database.read(lambda tx: log.standing(tx, vote.id, people[0].id)) is not None


async def test_forgetting_twice_is_the_same_as_once(database: Database) -> None:
    club, vote, people = await stage(database)
    await cast(database, vote, people[2], 1)
    for _ in range(2):
        await forget(database, club, people[2])
    events = await database.read(lambda tx: log.log_of(tx, vote.id))
    assert [event.payload for event in events] == ["[1]", None]


async def test_who_decided_a_tie_is_a_former_member(database: Database) -> None:
    club, vote, people = await stage(database, ties="organiser")
    await database.write(lambda tx: members.set_organiser(tx, people[1].id, True))
    by = replace(people[1], organiser=True)
    for member, position in zip(people, (1, 1, 1, 2, 2, 2), strict=True):
        await cast(database, vote, member, position)
    await close(database, vote)
    now = MONDAY + timedelta(hours=6)
    await database.write(lambda tx: decide_tie(tx, club.id, vote.id, by, 2, "It is shorter", now))
    before = await database.read(lambda tx: find_result(tx, club.id, vote.id))
    assert before is not None and before.decided_by == "Member 2"
    await forget(database, club, by, now)

    def read(tx: Tx) -> tuple[Any, str]:
        return find_result(tx, club.id, vote.id), find_sheet(tx, club.id, vote.id) or ""

    result, sheet = await database.read(read)
    reader = Reader("en", "UTC", now)
    assert result.decided_by == "" and result.decided_note == "It is shorter" and result.winner == 2
    assert FORMER in said(result_page(reader, result))
    for page in (result_page(reader, result), how_page(reader, result)):
        assert "Member 2" not in said(page)
    assert json.loads(sheet)["published result"]["decided_by"] == FORMER
    assert not (await database.read(lambda tx: audit(tx, club.id))).damage
