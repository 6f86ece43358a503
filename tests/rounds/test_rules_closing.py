"""What a vote comes to: quorum, few ballots, names, the sheet, and when it ends before its time."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.rounds import ballots, nominations
from bot.rounds import service as rounds
from bot.rounds.election import read_election
from bot.rounds.model import Round
from bot.rounds.sheet import count_election

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

US = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


async def opened(week: Week, papers: int = 3, **changes: object) -> Round:
    """An open vote under other settings; the quorum of them is set for a club that had members before."""
    for number in range(1, 8):
        await week.member(number)
    if changes:
        week.club = await week.change(**changes)
    await week.nominate_papers(papers)
    return await week.open()


async def planned(week: Week, kind: str) -> list[str]:
    rows = await week.read(
        lambda tx: tx.rows("SELECT subject FROM delivery WHERE kind = :kind ORDER BY id", kind=kind)
    )
    return [row[0] for row in rows]


async def lost(week: Week) -> list[int]:
    return [
        row[0] for row in await week.read(lambda tx: tx.rows("SELECT rounds FROM nomination ORDER BY id"))
    ]


# ---- quorum ----


async def test_below_the_quorum_nothing_is_decided_and_no_paper_loses_a_round(week: Week) -> None:
    over = await opened(week, quorum=3)
    await week.cast(over, 1, 1)
    await week.cast(over, 2, 1)
    result = await week.close(over)
    assert (result.outcome, result.winner, result.ballots) == ("quorum", None, 2)
    assert set((await week.states()).values()) == {"open"}
    assert await lost(week) == [0, 0, 0]
    assert await planned(week, "result") == [f"{over.id}:result"]
    assert await planned(week, "thread") == []


async def test_blank_ballots_count_for_the_quorum(week: Week) -> None:
    over = await opened(week, quorum=3)
    await week.cast(over, 1, 2)
    await week.cast(over, 2)
    await week.cast(over, 3)
    result = await week.close(over)
    assert (result.outcome, result.winner) == ("decided", 2)


async def test_a_tie_below_the_quorum_is_not_broken(week: Week) -> None:
    over = await opened(week, quorum=3, ties="runoff")
    await week.cast(over, 1, 1, 2)
    result = await week.close(over)
    assert (result.outcome, result.tied, result.tie_rule, result.runoff) == ("quorum", (), "", None)


# ---- what may be published ----


@pytest.mark.parametrize(
    ("voters", "published"), [(0, "winner"), (2, "winner"), (3, "totals"), (4, "totals"), (5, "all")]
)
async def test_of_few_secret_ballots_no_more_is_published_than_names_nobody(
    week: Week, voters: int, published: str
) -> None:
    over = await opened(week)
    for number in range(voters):
        await week.cast(over, number + 1, 1)
    await week.cast(over, 7)  # a blank one says nothing
    result = await week.close(over)
    assert result.published == published
    sheet = await week.read(lambda tx: rounds.find_sheet(tx, week.club.id, over.id))
    assert (sheet is not None) == (published == "all")
    assert await planned(week, "sheet") == ([f"{over.id}:sheet"] if published == "all" else [])


async def test_after_an_open_vote_everybody_sees_who_voted_for_what(week: Week) -> None:
    over = await opened(week, secrecy="open")
    await week.cast(over, 2, 3, 1)
    await week.cast(over, 1, 2)
    await week.cast(over, 3)
    result = await week.close(over)
    assert result.published == "all"
    assert result.named == (("Member 1", (2,)), ("Member 2", (1, 3)), ("Member 3", ()))
    assert await planned(week, "sheet") == [f"{over.id}:sheet"]


async def test_a_secret_vote_keeps_no_names_in_its_result(week: Week) -> None:
    over = await opened(week)
    for number in range(6):
        await week.cast(over, number + 1, 1)
    assert (await week.close(over)).named == ()
    sheet = await week.read(lambda tx: rounds.find_sheet(tx, week.club.id, over.id))
    assert "Member" not in (sheet or "Member")


@pytest.mark.parametrize("method", ["approval", "plurality", "phragmen", "schulze", "irv"])
async def test_the_sheet_is_recounted_to_the_result_by_anybody(week: Week, method: str) -> None:
    over = await opened(week, method=method)
    for number in range(6):
        await week.cast(over, number + 1, number % 3 + 1)
    result = await week.close(over)
    sheet = await week.read(lambda tx: rounds.find_sheet(tx, week.club.id, over.id))
    assert sheet is not None
    _, decision = count_election(read_election(sheet.encode()))
    (winner,) = [each for each in over.candidates if each.position == result.winner]
    assert decision.winners == (winner.paper.public_id,)
    receipts = {each["receipt"] for each in json.loads(sheet)["ballots"]}
    mine = await week.member(1)
    ballot = await week.read(lambda tx: ballots.current(tx, result.round, mine.id))
    assert ballot.receipt in receipts
    assert len(receipts) == 6


async def test_the_sheet_comes_under_the_result_after_the_discussion(week: Week) -> None:
    over = await opened(week)
    for number in range(5):
        await week.cast(over, number + 1, 1)
    await week.close(over)
    rows = await week.read(
        lambda tx: tx.rows("SELECT kind, payload FROM delivery WHERE id > 1 ORDER BY next_try, id")
    )
    assert [row[0] for row in rows][-1] == "sheet"
    assert {json.loads(row[1]).get("subject") for row in rows if row[0] in ("thread", "sheet")} == {
        f"{over.id}:result"
    }


async def test_a_closed_vote_says_where_its_log_ended(week: Week) -> None:
    over = await opened(week)
    await week.cast(over, 1, 1)
    before = await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))
    result = await week.close(over)
    assert result.head == before.head != over.opening_head


# ---- fair turns ----


async def test_whoever_got_their_paper_in_fair_turns_has_paid_for_it(week: Week) -> None:
    over = await opened(week, method="phragmen")
    for number, position in ((1, 1), (2, 1), (3, 1), (4, 2), (5, 2)):
        await week.cast(over, number, position)
    assert (await week.close(over)).winner == 1
    rows = await week.read(lambda tx: tx.rows("SELECT load FROM load ORDER BY member_id"))
    assert [row[0] for row in rows] == ["1/3", "1/3", "1/3", "0", "0"]
    at = OPENS + WEEK
    following = await week.open(at)
    for number, position in ((1, 1), (2, 1), (3, 1), (4, 2), (5, 2)):
        await week.cast(following, number, position, at=at)
    # The three would have paid 2/3 each after it, the two 1/2: it is the turn of the two.
    assert (await week.close(following, at + HOUR)).winner == 2


async def test_without_a_decision_nobody_pays(week: Week) -> None:
    over = await opened(week, method="phragmen", quorum=3)
    await week.cast(over, 1, 1)
    assert (await week.close(over)).outcome == "quorum"
    assert await week.read(lambda tx: tx.rows("SELECT 1 FROM load")) == []


# ---- the end before its time ----


async def active(week: Week, *numbers: int) -> None:
    """Members who voted in the week before."""
    await week.nominate_papers(2)
    before = await week.open(OPENS - WEEK)
    for number in numbers:
        await week.cast(before, number, 1, at=OPENS - WEEK)
    await week.close(before, CLOSES - WEEK)


async def tick(week: Week, now: datetime) -> list[str]:
    return [happened.what for happened in await rounds.run_due(week.database, now)]


async def early(week: Week, *, on: bool = True) -> Round:
    week.club = await week.change(close_early=on)
    await active(week, 1, 2)
    await week.nominate(3, await week.paper("Another"))
    return await week.open()


async def test_once_all_active_members_have_voted_a_vote_ends_where_the_club_wants_that(week: Week) -> None:
    over = await early(week)
    await week.cast(over, 1, 1)
    await week.cast(over, 9, 1)
    assert "closed" not in await tick(week, OPENS + HOUR)
    await week.cast(over, 2, at=OPENS + HOUR)
    assert "closed" in await tick(week, OPENS + HOUR)
    result = await week.read(lambda tx: rounds.get_result(tx, week.club.id, over.id))
    assert (result.why, result.round.closed_at, result.round.closed_by) == ("all_voted", OPENS + HOUR, None)
    assert (result.turnout.voted, result.turnout.active) == (3, 3)


async def test_no_vote_ends_in_its_first_minute(week: Week) -> None:
    over = await early(week)
    await week.cast(over, 1, 1)
    await week.cast(over, 2, 1)
    assert "closed" not in await tick(week, OPENS + MINUTE - US)
    assert "closed" in await tick(week, OPENS + MINUTE)
    assert over.closes_at > OPENS + MINUTE


async def test_without_that_setting_a_vote_runs_to_its_deadline(week: Week) -> None:
    over = await early(week, on=False)
    await week.cast(over, 1, 1)
    await week.cast(over, 2, 1)
    assert "closed" not in await tick(week, OPENS + HOUR)
    assert await week.write(lambda tx: rounds.close_if_all_voted(tx, over.id, OPENS + HOUR)) is None
    await tick(week, CLOSES)
    assert (await week.read(lambda tx: rounds.get_result(tx, week.club.id, over.id))).why == "deadline"


async def test_a_club_without_a_history_has_nobody_to_wait_for_and_so_does_not_end_early(week: Week) -> None:
    over = await opened(week, close_early=True)
    await week.cast(over, 1, 1)
    assert "closed" not in await tick(week, OPENS + HOUR)


async def test_a_ballot_taken_back_is_waited_for_again(week: Week) -> None:
    over = await early(week)
    await week.cast(over, 1, 1)
    await week.cast(over, 2, 1)
    member = await week.member(2)
    await week.write(lambda tx: ballots.withdraw(tx, over.id, member, OPENS + timedelta(seconds=30)))
    assert "closed" not in await tick(week, OPENS + HOUR)


@pytest.mark.parametrize(("late", "why"), [(-US, "organiser"), (timedelta(0), "deadline"), (US, "deadline")])
async def test_once_the_deadline_has_come_nobody_has_closed_the_vote_early(
    week: Week, late: timedelta, why: str
) -> None:
    over, organiser = await opened(week), await week.member(1)
    await week.write(
        lambda tx: rounds.close_round(tx, week.club.id, over.id, CLOSES + late, organiser, "We met")
    )
    result = await week.read(lambda tx: rounds.get_result(tx, week.club.id, over.id))
    told = (organiser.name, "We met") if why == "organiser" else (None, "")
    assert (result.why, result.round.closed_by, result.round.close_note) == (why, *told)


async def test_an_organiser_ends_a_vote_and_the_result_says_so(week: Week) -> None:
    over = await opened(week)
    organiser = await week.member(1)
    result = await week.write(
        lambda tx: rounds.close_round(tx, week.club.id, over.id, OPENS + HOUR, organiser, "We met")
    )
    assert (result.why, result.round.closed_by, result.round.close_note) == (
        "organiser",
        "Member 1",
        "We met",
    )


async def test_nobody_is_cut_short_whose_whole_ballot_was_withdrawn(week: Week) -> None:
    over = await opened(week, papers=4, close_early=True)
    for number in (4, 5):
        await week.cast(over, number, 1)
    await week.close(over)
    later = OPENS + WEEK
    again = await week.open(later)
    await week.cast(again, 4, 1, at=later)
    owner, gone = await week.member(2), again.candidates[0].nomination_id
    await week.write(lambda tx: nominations.withdraw(tx, week.club.id, owner, gone, later + MINUTE))
    await week.cast(again, 5, 2, at=later + 2 * MINUTE)
    assert "closed" not in [each.what for each in await rounds.run_due(week.database, later + HOUR)]
    await week.cast(again, 4, at=later + HOUR)
    assert "closed" in [each.what for each in await rounds.run_due(week.database, later + HOUR)]


@pytest.mark.parametrize("voters", [4, 5])
async def test_of_few_ranked_ballots_none_is_followed_from_round_to_round(week: Week, voters: int) -> None:
    over = await opened(week, method="irv")
    for number, ranking in enumerate([(1, 2), (1,), (2, 1), (3, 2), (2,)][:voters], 4):
        await week.cast(over, number, *ranking)
    steps = (await week.close(over)).steps
    seen = [step.values["round"] for step in steps if step.kind == "irv.round"]
    assert seen == ([1] if voters < 5 else [1, 2])
    assert ("tie" in [step.kind for step in steps]) == (voters < 5)


@pytest.mark.parametrize("others", [1, 3])
async def test_of_few_ballots_nobody_reads_what_a_papers_only_supporter_has_paid(
    week: Week, others: int
) -> None:
    over = await opened(week, papers=5, method="phragmen")
    for number in (4, 5):
        await week.cast(over, number, 1)
    await week.close(over)
    later = await week.open(OPENS + WEEK)
    await week.cast(later, 4, 2, at=OPENS + WEEK)
    for number in range(7, 8 + others):
        await week.cast(later, number, 1, at=OPENS + WEEK)
    steps = (await week.close(later, CLOSES + WEEK)).steps
    seats = [step.values for step in steps if step.kind == "phragmen.seat"]
    assert [seat["rival"]["paid"] for seat in seats] == ([] if others == 1 else ["1/2"])
