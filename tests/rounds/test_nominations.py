"""The club's list: who nominated what, who backs it, and when it leaves the list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.errors import BadInput, Conflict, LimitReached, NotAllowed, NotFound
from bot.rounds import nominations
from bot.rounds import service as rounds
from bot.rounds.model import Nomination, Round
from bot.storage.database import Tx

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

MONDAY = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)


async def listed(week: Week) -> tuple[Nomination, ...]:
    return await week.read(lambda tx: nominations.list_nominations(tx, week.club.id))


async def withdraw(week: Week, number: int, nomination_id: int) -> nominations.Withdrawn:
    member = await week.member(number)
    return await week.write(lambda tx: nominations.withdraw(tx, week.club.id, member, nomination_id, MONDAY))


async def test_the_list_stands_in_order_of_nomination(week: Week) -> None:
    younger, older = await week.paper("Younger"), await week.paper("Older")
    await week.nominate(1, younger, MONDAY + timedelta(hours=1))
    await week.nominate(2, older, MONDAY, "It is short.")
    first, second = await listed(week)
    assert (first.paper.title, first.member, first.reason) == ("Older", "Member 2", "It is short.")
    assert second.paper.title == "Younger"


async def test_nominating_twice_is_told(week: Week) -> None:
    paper = await week.paper("A")
    await week.nominate(1, paper)
    with pytest.raises(Conflict, match=r"nominate\.own"):
        await week.nominate(1, paper)
    assert len(await listed(week)) == 1


async def test_a_paper_waits_for_its_meeting_before_it_can_be_nominated_again(week: Week) -> None:
    (paper,) = await week.nominate_papers(1)
    over = await week.open()
    assert over.meeting_at is not None
    merged = await week.paper("The same, found again")
    await week.write(
        lambda tx: tx.run("UPDATE paper SET merged_into = :to WHERE id = :id", to=merged, id=paper)
    )
    for wanted in (paper, merged):
        with pytest.raises(Conflict, match=r"nominate\.chosen") as caught:
            await week.nominate(2, wanted, over.meeting_at - timedelta(microseconds=1))
        assert caught.value.values["date"] == over.meeting_at
    done = await week.nominate(2, merged, over.meeting_at)
    assert (done.how, done.read_at) == ("new", over.meeting_at)
    other = await week.other_club()
    assert (await other.nominate(9, merged)).read_at is None


async def test_a_second_member_becomes_a_backer(week: Week) -> None:
    paper = await week.paper("A")
    await week.nominate(1, paper)
    done = await week.nominate(2, paper)
    assert done.how == "backed"
    assert done.nomination.backers == ("Member 2",)
    assert done.nomination.member == "Member 1"
    with pytest.raises(Conflict, match=r"nominate\.backed"):
        await week.nominate(2, paper)


async def test_a_member_has_three_open_nominations(week: Week) -> None:
    papers = [await week.paper(f"P{number}") for number in range(4)]
    for paper in papers[:3]:
        await week.nominate(1, paper)
    with pytest.raises(LimitReached) as caught:
        await week.nominate(1, papers[3])
    assert (caught.value.key, caught.value.values) == ("nominate.limit", {"n": 3})
    first = (await listed(week))[0]
    await withdraw(week, 1, first.id)
    assert (await week.nominate(1, papers[3])).how == "new"


async def test_backing_costs_no_nomination(week: Week) -> None:
    paper = await week.paper("A")
    await week.nominate(1, paper)
    await week.nominate(2, paper)
    assert await week.read(lambda tx: nominations.mine_left(tx, week.club, 1)) == 2
    assert await week.read(lambda tx: nominations.mine_left(tx, week.club, 2)) == 3


async def test_the_26th_nomination_is_refused_with_the_reason(week: Week) -> None:
    await week.nominate_papers(25)
    paper = await week.paper("One more")
    with pytest.raises(LimitReached) as caught:
        await week.nominate(30, paper)
    assert (caught.value.key, caught.value.values) == ("nominate.full", {"n": 25})
    over = await week.open()
    assert [candidate.position for candidate in over.candidates] == list(range(1, 26))


@pytest.mark.parametrize(("length", "fits"), [(300, True), (301, False)])
async def test_a_reason_has_300_characters(week: Week, length: int, fits: bool) -> None:
    paper = await week.paper("A")
    if fits:
        await week.nominate(1, paper, reason=" " + "論" * length + "\n")
        assert len((await listed(week))[0].reason) == length
        return
    with pytest.raises(BadInput) as caught:
        await week.nominate(1, paper, reason="x" * length)
    assert (caught.value.key, caught.value.field) == ("nominate.reason_long", "reason")
    assert await listed(week) == ()


async def test_a_paper_of_another_clubs_shelf_cannot_be_nominated(week: Week) -> None:
    other = await week.other_club()
    hidden = await week.paper("Theirs", other.club.id)
    for wanted in (hidden, hidden + 1000):
        with pytest.raises(NotFound, match=r"error\.no_paper"):
            await week.nominate(1, wanted)
    assert (await other.nominate(9, hidden)).how == "new"


async def test_withdrawn_it_can_be_nominated_anew_with_a_new_date(week: Week) -> None:
    paper = await week.paper("A")
    first = await week.nominate(1, paper, MONDAY)
    gone = await withdraw(week, 1, first.nomination.id)
    assert (gone.how, gone.nomination.state, gone.round_id) == ("withdrawn", "withdrawn", None)
    again = await week.nominate(1, paper, OPENS)
    assert again.nomination.created_at == OPENS
    assert again.nomination.id != first.nomination.id


async def test_with_backers_the_first_of_them_takes_over_and_the_date_stays_not_the_words_of_another(
    week: Week,
) -> None:
    paper = await week.paper("A")
    await week.nominate(1, paper, MONDAY, "It is short")
    await week.nominate(2, paper, MONDAY + timedelta(hours=2))
    await week.nominate(3, paper, MONDAY + timedelta(hours=1))
    done = await withdraw(week, 1, (await listed(week))[0].id)
    assert (done.how, done.nomination.state) == ("handed_over", "open")
    assert (done.nomination.member, done.nomination.backers) == ("Member 3", ("Member 2",))
    assert (done.nomination.created_at, done.nomination.reason) == (MONDAY, "")


async def test_a_backer_may_step_back(week: Week) -> None:
    paper = await week.paper("A")
    await week.nominate(1, paper)
    await week.nominate(2, paper)
    done = await withdraw(week, 2, (await listed(week))[0].id)
    assert (done.how, done.nomination.backers, done.nomination.state) == ("unbacked", (), "open")


async def test_only_ones_own_can_be_withdrawn(week: Week) -> None:
    await week.nominate(1, await week.paper("A"))
    standing = (await listed(week))[0]
    with pytest.raises(NotAllowed):
        await withdraw(week, 2, standing.id)
    await withdraw(week, 1, standing.id)
    with pytest.raises(Conflict, match=r"nominate\.gone"):
        await withdraw(week, 1, standing.id)
    other = await week.other_club()
    with pytest.raises(NotFound):
        await withdraw(other, 9, standing.id)


async def test_an_organiser_removes_with_a_reason_on_record(week: Week) -> None:
    await week.nominate(2, await week.paper("A"))
    organiser = await week.member(1)
    standing = (await listed(week))[0]
    done = await week.write(
        lambda tx: nominations.remove(tx, week.club.id, organiser, standing.id, "Read it in May.", MONDAY)
    )
    assert (done.how, done.nomination.state) == ("removed", "removed")
    acts = await week.read(lambda tx: tx.rows("SELECT member_id, what, about FROM act ORDER BY id"))
    assert acts[-1]["what"] == "remove"
    assert "Read it in May." in acts[-1]["about"]
    assert await listed(week) == ()


async def test_a_candidate_tells_whether_it_was_withdrawn_or_removed_and_why(week: Week) -> None:
    await week.nominate_papers(4)
    first, second, third, _ = (await week.open()).candidates
    member = await week.member(1)

    def leave(tx: Tx) -> Round | None:
        nominations.withdraw(tx, week.club.id, member, first.nomination_id, OPENS)
        nominations.remove(tx, week.club.id, member, second.nomination_id, " Read it in May. ", OPENS)
        nominations.remove(tx, week.club.id, member, third.nomination_id, "", OPENS)
        return rounds.find_open_round(tx, week.club.id)

    over = await week.write(leave)
    assert over is not None
    told = [(candidate.withdrawn, candidate.removed) for candidate in over.candidates]
    assert told == [(True, None), (True, "Read it in May."), (True, ""), (False, None)]


async def test_what_is_nominated_during_a_vote_waits_for_the_next(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    late = await week.paper("Late")
    await week.nominate(5, late, OPENS + timedelta(hours=1))
    await week.cast(over, 1, 2)
    result = await week.close(over)
    assert [candidate.paper.title for candidate in result.round.candidates] == ["Paper 1", "Paper 2"]
    following = await week.open(OPENS + timedelta(days=7))
    assert [candidate.paper.title for candidate in following.candidates] == ["Paper 1", "Late"]


async def test_papers_that_turned_out_to_be_one_stand_once(week: Week) -> None:
    older, younger, other = await week.nominate_papers(3)
    await week.write(
        lambda tx: tx.run("UPDATE paper SET merged_into = :to WHERE id = :id", to=younger, id=older)
    )
    over = await week.open()
    assert [candidate.paper.id for candidate in over.candidates] == [younger, other]
    assert over.candidates[0].member == "Member 1"
    with pytest.raises(Conflict, match=r"nominate\.own"):
        await week.nominate(1, younger)


async def test_ten_writes_a_minute_hold_for_nominations_too(week: Week) -> None:
    paper = await week.paper("A")
    await week.nominate(1, paper)
    standing = (await listed(week))[0]
    for _ in range(5):
        await week.nominate(2, paper)
        await withdraw(week, 2, standing.id)
    with pytest.raises(LimitReached, match=r"limit\.writes"):
        await week.nominate(2, paper)


async def test_the_list_is_of_one_club(week: Week) -> None:
    other = await week.other_club()
    await week.nominate(1, await week.paper("A"))
    assert await listed(other) == ()
    assert (await week.read(lambda tx: rounds.find_open_round(tx, other.club.id))) is None
