"""In fair turns whoever got their paper has paid for it, and newcomers stand in the middle."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from bot.rounds import replay
from bot.rounds.methods import Vote
from bot.rounds.turns import loads_after, paid_by, starting_load
from bot.storage import links
from bot.storage.loads import find_load, loads_of
from tests.rounds.conftest import CLOSES, OPENS

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

F = Fraction


def test_a_newcomer_starts_at_the_median() -> None:
    assert starting_load([]) == 0
    assert starting_load([F(1, 5), F(3), F(1, 2)]) == F(1, 2)
    assert starting_load([F(1, 5), F(2, 5), F(4), F(0)]) == F(3, 10)


def test_who_has_a_load_keeps_it() -> None:
    loads = {1: F(1, 3), 2: F(1)}
    assert paid_by(1, loads) == F(1, 3)
    assert paid_by(3, loads) == paid_by(None, loads) == F(2, 3)
    assert paid_by(3, loads, F(7)) == 7


def test_a_blank_ballot_changes_nothing_and_two_ballots_of_one_pay_twice() -> None:
    votes = [Vote(approvals=("1",), paid=F(1)), Vote(paid=F(1)), Vote(approvals=("1",), paid=F(1))]
    assert loads_after([4, 5, 4], votes, [F(3, 2), F(1), F(3, 2)]) == {4: F(2)}
    assert loads_after([None, 5, None], votes, [F(3, 2), F(1), F(3, 2)]) == {}


async def test_supporters_of_the_winner_pay_a_paper_between_them(week: Week) -> None:
    week.club = await week.change(method="phragmen")
    await week.nominate_papers(3)
    over = await week.open()
    for number, chosen in enumerate([(1,), (1,), (1, 2), (2,), ()], 1):
        await week.cast(over, number, *chosen)
    result = await week.close(over)
    season = over.rules.season
    assert result.winner == 1
    members = [(await week.member(number)).id for number in range(1, 7)]
    loads = await week.read(lambda tx: loads_of(tx, week.club.id, season))
    assert loads == {members[0]: F(1, 3), members[1]: F(1, 3), members[2]: F(1, 3), members[3]: F(0)}
    again = OPENS.replace(day=10)
    later = await week.open(again)
    for number in (4, 6):
        await week.cast(later, number, 1, at=again)
    counted = await week.read(lambda tx: replay.lines(tx, later))
    paid = {line.member_id: line.vote.paid for line in counted}
    assert paid == {members[3]: F(0), members[5]: F(1, 3)}  # a newcomer: the median of what the others paid


async def test_two_members_that_become_one_have_paid_both_their_parts(week: Week) -> None:
    week.club = await week.change(method="phragmen")
    await week.nominate_papers(2)
    over = await week.open()
    await week.cast(over, 1, 1)
    await week.cast(over, 2, 1)
    await week.close(over)
    one, other = (await week.member(1)).id, (await week.member(2)).id
    await week.write(lambda tx: links.absorb(tx, one, other, CLOSES))
    season = over.rules.season
    assert await week.read(lambda tx: loads_of(tx, week.club.id, season)) == {one: F(1)}
    assert await week.read(lambda tx: find_load(tx, week.club.id, season, other)) is None
