"""Two papers of a ballot turn out to be one while the vote is open: each stays what the ballot called it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bot.rounds import service as rounds
from bot.rounds.audit import audit
from bot.rounds.reading import find_sheet
from bot.rounds.sheet import agrees, count_election, read_election

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

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
