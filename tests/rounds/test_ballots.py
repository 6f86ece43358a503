"""What members say in a round counts once, the last word of each, strictly before the deadline."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.clubs.purge import purge
from bot.errors import BadInput, Conflict, LimitReached, NotAllowed, NotFound
from bot.rounds import ballots, nominations, replay
from bot.rounds import service as rounds
from bot.rounds.log import first_fault
from bot.rounds.model import Ballot, Round, Turnout
from bot.rounds.turnout import all_active_voted, blanked_by, turnout_of
from bot.storage.ballots import log_of
from bot.storage.sqlite import open_sqlite

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

US = timedelta(microseconds=1)
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)


async def votes(week: Week, over: Round) -> dict[str, int]:
    return (await week.read(lambda tx: replay.tally(tx, over))).scores


async def events(week: Week) -> int:
    return int((await week.read(lambda tx: tx.rows("SELECT COUNT(*) FROM ballot_event")))[0][0])


async def test_the_last_press_counts(week: Week) -> None:
    await week.nominate_papers(3)
    over = await week.open()
    await week.cast(over, 1, 1, 2)
    await week.cast(over, 1, 3)
    await week.cast(over, 2, 3, 1)
    assert await votes(week, over) == {"1": 1, "2": 0, "3": 2}
    assert await events(week) == 3


async def test_the_same_ballot_again_writes_nothing(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    first = await week.cast(over, 1, 2, 1)
    again = await week.cast(over, 1, 1, 2, at=OPENS + timedelta(hours=1))
    assert (first.new_event, again.new_event) == (True, False)
    assert again.ballot == Ballot((1, 2), OPENS)
    assert await events(week) == 1


async def test_a_withdrawn_ballot_is_as_if_never_cast(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    member = await week.member(1)
    await week.cast(over, 1, 1)
    assert await week.write(lambda tx: ballots.withdraw(tx, over.id, member, OPENS))
    assert not await week.write(lambda tx: ballots.withdraw(tx, over.id, member, OPENS))
    assert await votes(week, over) == {"1": 0, "2": 0}
    assert (await week.read(lambda tx: turnout_of(tx, over))).voted == 0
    await week.cast(over, 1, 2)
    assert await votes(week, over) == {"1": 0, "2": 1}


async def test_a_blank_ballot_is_present_without_a_wish(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await week.cast(over, 1)
    assert (await week.read(lambda tx: turnout_of(tx, over))).voted == 1
    assert await week.read(lambda tx: ballots.current(tx, over, 1)) == Ballot((), OPENS)


async def test_a_ballot_counts_strictly_before_the_deadline(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    member = await week.member(1)
    assert (await week.cast(over, 1, 1, at=CLOSES - US)).new_event
    for late in (CLOSES, CLOSES + US):
        with pytest.raises(Conflict) as caught:
            await week.cast(over, 1, 2, at=late)
        assert caught.value.key == "ballot.late"
        assert caught.value.values["when"] == CLOSES
        assert [paper.title for paper in caught.value.values["papers"]] == ["Paper 1"]
        with pytest.raises(Conflict):
            await week.write(partial(ballots.withdraw, round_id=over.id, member=member, now=late))
    assert await votes(week, over) == {"1": 1, "2": 0}


async def test_a_press_after_closing_is_told_and_not_counted(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    result = await week.close(over)
    with pytest.raises(Conflict, match=r"ballot\.late"):
        await week.cast(over, 1, 1, at=OPENS)
    assert await week.read(lambda tx: rounds.get_result(tx, week.club.id)) == result


async def test_a_button_of_an_earlier_vote_leads_to_the_present_one(week: Week) -> None:
    await week.nominate_papers(3)
    old = await week.open()
    await week.cast(old, 1, 1)
    await week.close(old)
    new = await week.open(OPENS + timedelta(days=7))
    with pytest.raises(Conflict) as caught:
        await week.cast(old, 1, 2, at=OPENS + timedelta(days=7, hours=1))
    assert caught.value.key == "error.old_button"
    assert caught.value.values["round_id"] == new.id


async def test_a_round_of_another_club_is_not_there(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    other = await week.other_club()
    stranger = await other.member(9)
    with pytest.raises(NotFound):
        await week.write(lambda tx: ballots.cast(tx, over.id, stranger, (1,), OPENS))
    with pytest.raises(NotFound):
        await week.write(lambda tx: ballots.withdraw(tx, over.id, stranger, OPENS))
    with pytest.raises(NotFound):
        await week.read(lambda tx: rounds.get_round(tx, other.club.id, over.id))
    assert await events(week) == 0


@pytest.mark.parametrize("positions", [(0,), (3,), (-1, 1), (1, 99), (1, 1)])
async def test_a_ballot_that_names_no_candidate_is_refused(week: Week, positions: tuple[int, ...]) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    with pytest.raises(BadInput):
        await week.cast(over, 1, *positions)
    assert await events(week) == 0


async def test_who_joined_after_the_opening_votes_from_the_next_round(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    late = await week.member(8)
    with pytest.raises(NotAllowed) as caught:
        await week.write(lambda tx: ballots.cast(tx, over.id, late, (1,), OPENS, OPENS + US))
    assert caught.value.key == "ballot.not_eligible"
    assert caught.value.values["when"] >= OPENS
    assert await week.write(lambda tx: ballots.cast(tx, over.id, late, (1,), OPENS, OPENS))


async def test_ten_writes_a_minute(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    for press in range(10):
        await week.cast(over, 5, press % 2 + 1, at=OPENS + timedelta(seconds=press))
    with pytest.raises(LimitReached) as caught:
        await week.cast(over, 5, 1, at=OPENS + timedelta(seconds=10))
    assert caught.value.values == {"limit": 10, "seconds": 50}
    assert (await week.cast(over, 5, 1, at=OPENS + timedelta(seconds=60))).new_event
    assert (await week.cast(over, 6, 1, at=OPENS + timedelta(seconds=10))).new_event


async def test_presses_at_once_make_one_ballot_a_member(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await asyncio.gather(*(week.cast(over, 1, 1) for _ in range(10)))
    assert await votes(week, over) == {"1": 1, "2": 0}
    await asyncio.gather(week.cast(over, 2, 1), week.cast(over, 2, 2))
    assert sum((await votes(week, over)).values()) == 2
    await asyncio.gather(week.cast(over, 3, 1), week.cast(over, 4, 2))
    assert sum((await votes(week, over)).values()) == 4
    assert (await week.read(lambda tx: turnout_of(tx, over))).voted == 4


async def test_a_first_press_at_once_makes_one_member(week: Week) -> None:
    members = await asyncio.gather(*(week.member(7) for _ in range(8)))
    assert len({member.id for member in members}) == 1


async def test_ballots_outlive_the_process(week: Week, tmp_path: Path) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await week.cast(over, 1, 2)
    await week.database.close()
    reopened = await open_sqlite(tmp_path / "paperclub.db", readers=1)
    again = replace(week, database=reopened)
    await again.cast(over, 2, 2)
    assert await votes(again, over) == {"1": 0, "2": 2}
    await reopened.close()


async def test_turnout_has_no_members_before_there_is_a_history(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await week.cast(over, 1, 1)
    assert await week.read(lambda tx: turnout_of(tx, over)) == Turnout(1, None)


async def test_active_are_those_who_voted_in_the_last_four_rounds(week: Week) -> None:
    week.club = await week.change(keep_rounds=10)
    await week.nominate_papers(8)
    for number in range(6):  # member n votes in round n alone, member 9 in none
        opens = OPENS + timedelta(days=7 * number)
        over = await week.open(opens)
        await week.cast(over, number + 1, 1, at=opens)
        turnout = await week.read(lambda tx, over=over: turnout_of(tx, over))
        assert turnout == Turnout(1, min(number, 4) or None)
        await week.close(over, opens + timedelta(hours=1))
    over = await week.open(OPENS + timedelta(days=42))
    for number in range(1, 7):
        await week.cast(over, number, 1, at=OPENS + timedelta(days=42))
    assert await week.read(lambda tx: turnout_of(tx, over)) == Turnout(6, 6)


async def test_a_withdrawn_candidate_is_dropped_from_every_ballot(week: Week) -> None:
    await week.nominate_papers(3)
    over = await week.open()
    await week.cast(over, 1, 1, 2)
    await week.cast(over, 2, 1)
    member = await week.member(1)
    gone = await week.write(
        lambda tx: nominations.withdraw(tx, week.club.id, member, over.candidates[0].nomination_id, OPENS)
    )
    assert gone.round_id == over.id
    over = await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))
    assert [candidate.withdrawn for candidate in over.candidates] == [True, False, False]
    assert await votes(week, over) == {"2": 1, "3": 0}
    assert await week.read(lambda tx: ballots.current(tx, over, 2)) == Ballot((), OPENS)
    assert (await week.cast(over, 3, 1, 3)).dropped == (1,)
    result = await week.close(over)
    assert (result.winner, result.ballots, result.non_blank) == (2, 3, 2)


# ---- other ways of counting ----


async def vote_by(week: Week, method: str, papers: int = 7) -> Round:
    week.club = await week.change(method=method)
    await week.nominate_papers(papers)
    return await week.open()


@pytest.mark.parametrize("method", ["schulze", "irv"])
async def test_a_ranking_keeps_its_order(week: Week, method: str) -> None:
    over = await vote_by(week, method)
    await week.cast(over, 1, 3, 1, 2)
    again = await week.cast(over, 1, 3, 1, 2)
    changed = await week.cast(over, 1, 1, 3, 2)
    assert (again.new_event, changed.new_event) == (False, True)
    assert await week.read(lambda tx: ballots.current(tx, over, 1)) == Ballot((1, 3, 2), OPENS)
    (line,) = await week.read(lambda tx: replay.lines(tx, over))
    assert line.vote.ranking == (("1",), ("3",), ("2",))
    assert line.vote.approvals == ()


async def test_of_a_paper_ranked_twice_the_higher_place_counts(week: Week) -> None:
    over = await vote_by(week, "schulze")
    done = await week.cast(over, 1, 4, 2, 4, 1, 2)
    assert done.ballot.positions == (4, 2, 1)
    assert done.doubled == (4, 2)


async def test_a_ranking_has_five_places(week: Week) -> None:
    over = await vote_by(week, "irv")
    await week.cast(over, 1, 1, 2, 3, 4, 5)
    with pytest.raises(BadInput) as caught:
        await week.cast(over, 1, 1, 2, 3, 4, 5, 6)
    assert (caught.value.key, caught.value.values["n"]) == ("ballot.depth", 5)
    with pytest.raises(BadInput, match=r"ballot\.unknown"):
        await week.cast(over, 1, 1, 99)
    assert await events(week) == 1


async def test_a_plurality_ballot_names_one_paper(week: Week) -> None:
    over = await vote_by(week, "plurality")
    with pytest.raises(BadInput, match=r"ballot\.one"):
        await week.cast(over, 1, 1, 2)
    await week.cast(over, 1, 2)
    assert (await votes(week, over))["2"] == 1


async def test_ranks_close_up_behind_a_withdrawn_paper(week: Week) -> None:
    over = await vote_by(week, "schulze", 4)
    await week.cast(over, 1, 2, 1, 3)
    await week.cast(over, 2, 1)
    member = await week.member(1)
    blanked = await week.read(lambda tx: blanked_by(tx, over, 1))
    assert blanked == [(await week.member(2)).id]
    await week.write(
        lambda tx: nominations.withdraw(tx, week.club.id, member, over.candidates[0].nomination_id, OPENS)
    )
    over = await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))
    assert await week.read(lambda tx: blanked_by(tx, over, 1)) == blanked
    assert (await week.cast(over, 3, 1, 4, 2)).ballot.positions == (4, 2)
    rankings = {line.vote.ranking for line in await week.read(lambda tx: replay.lines(tx, over))}
    assert rankings == {(("2",), ("3",)), (), (("4",), ("2",))}


async def test_lines_stand_by_receipt_and_say_whose_they_are(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    cast = [await week.cast(over, number, number % 2 + 1) for number in range(1, 9)]
    assert (await week.cast(over, 3, 1)).ballot.receipt == cast[2].ballot.receipt
    leaver = await week.member(8)
    await week.write(lambda tx: ballots.withdraw(tx, over.id, leaver, OPENS))
    found = await week.read(lambda tx: replay.lines(tx, over))
    assert [line.receipt for line in found] == sorted(each.ballot.receipt for each in cast[:7])
    assert {line.member_id for line in found} == {(await week.member(number)).id for number in range(1, 8)}
    assert len({each.ballot.receipt for each in cast}) == 8


# ---- who takes part ----


async def test_all_active_have_voted_once_the_last_of_four_rounds_has(week: Week) -> None:
    await week.nominate_papers(6)
    over = await week.open()
    await week.cast(over, 1, 1)
    assert not await week.read(lambda tx: all_active_voted(tx, over))  # nobody was active before
    await week.cast(over, 2)
    await week.close(over, OPENS + timedelta(hours=1))
    second = await week.open(OPENS + timedelta(days=7))
    await week.cast(second, 1, 2, at=OPENS + timedelta(days=7))
    await week.cast(second, 5, 2, at=OPENS + timedelta(days=7))
    assert not await week.read(lambda tx: all_active_voted(tx, second))
    await week.cast(second, 2, at=OPENS + timedelta(days=7))
    assert await week.read(lambda tx: all_active_voted(tx, second))


async def test_after_ninety_days_nobody_knows_whose_ballot_was_whose(week: Week) -> None:
    await week.nominate_papers(4)
    over = await week.open()
    for number in (1, 2, 3):
        await week.cast(over, number, 1)
    result = await week.close(over)
    log = await week.read(lambda tx: log_of(tx, over.id))
    forgotten = CLOSES + timedelta(days=90)
    assert await purge(week.database, forgotten - US)
    assert (await week.read(lambda tx: ballots.current(tx, over, 1))).positions == (1,)
    later = await week.open(forgotten)
    await week.cast(later, 1, 1, at=forgotten)
    assert await purge(week.database, forgotten)
    assert await week.read(lambda tx: ballots.current(tx, over, 1)) == Ballot(None)
    assert (await week.read(lambda tx: ballots.current(tx, later, 1))).positions == (1,)
    assert await week.read(lambda tx: log_of(tx, over.id)) == log
    assert await votes(week, over) == {"1": 3, "2": 0, "3": 0, "4": 0}
    assert await week.read(lambda tx: rounds.get_result(tx, week.club.id, over.id)) == result
    assert (await week.read(lambda tx: turnout_of(tx, later))).voted == 1
    assert not await week.read(lambda tx: all_active_voted(tx, later))


async def test_sixty_four_at_once_are_sixty_four_ballots(week: Week) -> None:
    await week.nominate_papers(5)
    over = await week.open()
    await asyncio.gather(*(week.cast(over, number, number % 5 + 1) for number in range(1, 65)))
    await asyncio.gather(*(week.cast(over, number, (number + 1) % 5 + 1) for number in range(1, 65)))
    log = await week.read(lambda tx: log_of(tx, over.id))
    assert first_fault(over.id, over.opening_head, log) is None
    assert len(log) == 128
    assert sum((await votes(week, over)).values()) == 64
    assert (await week.read(lambda tx: turnout_of(tx, over))).voted == 64
