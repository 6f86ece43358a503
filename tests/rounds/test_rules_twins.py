"""Two papers of a ballot turn out to be one while the vote is open: each stays what the ballot called it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.rounds import service as rounds
from bot.rounds.audit import audit
from bot.rounds.reading import find_sheet
from bot.rounds.sheet import agrees, count_election, read_election

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

HOUR = timedelta(hours=1)
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
MEETS = datetime(2026, 12, 7, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize("rule", ["age", "draw"])
async def test_the_ballot_the_sheet_and_the_draw_keep_their_names_for_it(week: Week, rule: str) -> None:
    week.club = await week.change(ties=rule)
    first, second, _ = await week.nominate_papers(3)
    over = await week.open()
    for number in range(4, 10):
        await week.cast(over, number, 2, *((1,) if rule == "draw" else ()))
    merged = {"first": first, "second": second}
    await week.write(lambda tx: tx.run("UPDATE paper SET merged_into = :first WHERE id = :second", **merged))
    result = await week.close(over)
    names = [each.paper.public_id for each in result.round.candidates]
    assert names == [each.paper.public_id for each in over.candidates]
    assert {each.paper.title for each in result.round.candidates[:2]} == {"Paper 1"}
    sheet = await week.read(lambda tx: find_sheet(tx, week.club.id, over.id))
    election = read_election((sheet or "").encode())
    assert agrees(election, *count_election(election))
    assert (await week.read(audit)).damage == ()


async def test_the_chosen_one_is_read_at_its_meeting(week: Week) -> None:
    first, second, _ = await week.nominate_papers(3)
    over = await week.open()
    await week.cast(over, 4, 2)
    merged = {"first": first, "second": second}
    await week.write(lambda tx: tx.run("UPDATE paper SET merged_into = :first WHERE id = :second", **merged))
    await week.close(over)
    await rounds.run_due(week.database, MEETS)
    assert (await week.states())[second] == "read"


@pytest.mark.parametrize("winner", [1, 2])
async def test_the_twin_of_the_chosen_one_leaves_the_list_with_it(week: Week, winner: int) -> None:
    first, second, third = await week.nominate_papers(3)
    over = await week.open()
    await week.cast(over, 4, winner)
    later = await week.paper("Paper 4")  # nominated while the vote is open, and the same paper too
    await week.nominate(4, later, OPENS)
    for gone in (second, later):
        merged = {"first": first, "gone": gone}
        await week.write(
            lambda tx, m=merged: tx.run("UPDATE paper SET merged_into = :first WHERE id = :gone", **m)
        )
    result = await week.close(over)
    assert result.winner == winner
    assert await week.states() == {first: "chosen", second: "chosen", third: "open", later: "chosen"}
    await rounds.run_due(week.database, MEETS)
    assert await week.states() == {first: "read", second: "read", third: "open", later: "read"}


async def test_the_twin_of_a_late_decision_leaves_the_next_ballot(week: Week) -> None:
    week.club = await week.change(ties="organiser")
    first, *_ = await week.nominate_papers(3)
    over = await week.open()
    for number in (4, 5, 6):
        await week.cast(over, number, 1, 2)
    await week.close(over)
    later = await week.paper("Paper 4")
    await week.nominate(4, later, CLOSES)
    following = await week.open(CLOSES + HOUR)
    merged = {"first": first, "later": later}
    await week.write(lambda tx: tx.run("UPDATE paper SET merged_into = :first WHERE id = :later", **merged))
    organiser = await week.member(1)
    await week.write(
        lambda tx: rounds.decide_tie(tx, week.club.id, over.id, organiser, 1, "Shorter", CLOSES + HOUR)
    )
    again = await week.read(lambda tx: rounds.get_round(tx, week.club.id, following.id))
    assert [each.withdrawn for each in again.candidates] == [True, False, False, True]
    assert (await week.states())[later] == "chosen"
