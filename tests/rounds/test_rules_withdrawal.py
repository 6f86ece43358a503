"""A paper leaves an open vote: its ballots are counted without it, and whoever wanted it alone can say more."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.clubs import service as clubs
from bot.clubs.model import Account, Asker, Place
from bot.errors import Conflict
from bot.rounds import ballots, nominations
from bot.rounds import service as rounds
from bot.rounds.model import Result, Round

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

US = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
MEETS = datetime(2026, 12, 7, 15, 0, tzinfo=UTC)
MORE_THAN_A_DAY = OPENS + HOUR


async def opened(week: Week) -> Round:
    await week.nominate_papers(3)
    return await week.open()


async def withdraw(week: Week, over: Round, position: int, now: datetime = MORE_THAN_A_DAY) -> None:
    owner, gone = await week.member(position), over.candidates[position - 1].nomination_id
    await week.write(lambda tx: nominations.withdraw(tx, week.club.id, owner, gone, now))


async def again(week: Week, over: Round) -> Round:
    return await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))


async def told(week: Week) -> list[tuple[str, int, dict[str, object]]]:
    """Subject, account and payload of the messages about ballots that became blank."""
    rows = await week.read(
        lambda tx: tx.rows(
            "SELECT subject, account_id, payload FROM delivery WHERE kind = 'blanked' ORDER BY account_id"
        )
    )
    return [(row[0], row[1], json.loads(row[2])) for row in rows]


async def account_of(week: Week, number: int) -> int:
    member = await week.member(number)
    rows = await week.read(lambda tx: tx.rows("SELECT id FROM account WHERE member_id = :id", id=member.id))
    return int(rows[0][0])


async def test_ballots_are_counted_without_it(week: Week) -> None:
    over = await opened(week)
    await week.cast(over, 4, 1, 2)
    await week.cast(over, 5, 1)
    await withdraw(week, over, 1)
    result = await week.close(over)
    assert (result.winner, result.votes) == (2, {2: 1, 3: 0})
    assert (result.ballots, result.non_blank) == (2, 1)


async def test_ranks_close_up(week: Week) -> None:
    week.club = await week.change(method="irv")
    over = await opened(week)
    for number, positions in ((4, (1, 2)), (5, (1, 2)), (6, (3, 2)), (7, (2, 3)), (8, (3, 2))):
        await week.cast(over, number, *positions)
    await withdraw(week, over, 1)
    assert (await week.close(over)).winner == 2


async def test_whoever_wanted_that_paper_alone_is_told_in_private(week: Week) -> None:
    over = await opened(week)
    await week.cast(over, 4, 1)
    await week.cast(over, 5, 1, 2)
    await week.cast(over, 6)
    await week.cast(over, 7, 1)
    member = await week.member(7)
    await week.write(lambda tx: ballots.withdraw(tx, over.id, member, OPENS))
    await withdraw(week, over, 1)
    account = await account_of(week, 4)
    about = {"round": over.id, "paper": over.candidates[0].paper.id}
    assert await told(week) == [(f"{over.id}:1:{account}", account, about)]


async def test_a_ballot_emptied_step_by_step_is_told_of_once_it_is_blank(week: Week) -> None:
    over = await opened(week)
    await week.cast(over, 4, 1, 2)
    await withdraw(week, over, 1)
    assert await told(week) == []
    await withdraw(week, over, 2)
    assert [each[0] for each in await told(week)] == [f"{over.id}:2:{await account_of(week, 4)}"]


async def test_a_linked_member_is_told_on_one_side(week: Week) -> None:
    over = await opened(week)
    place = Place("preview", "other", "there")
    await week.write(
        lambda tx: tx.run(
            "INSERT INTO channel (club_id, platform, workspace, native_id, created_at)"
            " VALUES (:club, 'preview', 'other', 'there', 1)",
            club=week.club.id,
        )
    )
    await week.cast(over, 4, 1)
    other = Asker(Account("preview", "other", "u40"), place, "Member 4")
    second = await week.write(lambda tx: clubs.member_of(tx, week.club.id, other, OPENS))
    first = await week.member(4)
    await week.write(
        lambda tx: tx.run(
            "UPDATE account SET member_id = :into WHERE member_id = :gone", into=first.id, gone=second.id
        )
    )
    await withdraw(week, over, 1)
    assert [each[1] for each in await told(week)] == [await account_of(week, 4)]


@pytest.mark.parametrize(
    ("at", "closes"),
    [
        (CLOSES - DAY, CLOSES),
        (CLOSES - DAY + US, CLOSES + US),
        (CLOSES - HOUR, CLOSES + 23 * HOUR),
        (CLOSES - US, CLOSES + DAY - US),
    ],
)
async def test_with_less_than_a_day_left_there_is_a_day_again(
    week: Week, at: datetime, closes: datetime
) -> None:
    over = await opened(week)
    await withdraw(week, over, 1, at)
    moved = await again(week, over)
    assert (moved.closes_at, moved.meeting_at) == (closes, MEETS)
    assert moved.extended_for == ("" if closes == CLOSES else over.candidates[0].paper.public_id)
    acts = await week.read(lambda tx: tx.rows("SELECT about FROM act WHERE what = 'extend'"))
    assert [json.loads(row[0])["reason"] for row in acts] == ([] if closes == CLOSES else ["withdrawn"])
    assert (await week.cast(moved, 5, 2, at=closes - US)).new_event
    with pytest.raises(Conflict, match=r"ballot\.late"):
        await week.cast(moved, 6, 2, at=closes)


async def test_a_meeting_the_new_closing_passes_over_moves_to_the_next(week: Week) -> None:
    week.club = await week.change(meeting_day="fri", meeting_time=CLOSES.time().replace(hour=18))
    over = await opened(week)
    assert over.meeting_at == CLOSES + HOUR
    await withdraw(week, over, 1, CLOSES - HOUR)
    assert (await again(week, over)).meeting_at == CLOSES + HOUR + timedelta(days=7)


async def test_a_removal_by_an_organiser_moves_the_closing_as_well(week: Week) -> None:
    over = await opened(week)
    await week.cast(over, 4, 2)
    organiser = await week.member(1)
    gone = over.candidates[1].nomination_id
    await week.write(
        lambda tx: nominations.remove(tx, week.club.id, organiser, gone, "Off topic", CLOSES - HOUR)
    )
    assert (await again(week, over)).closes_at == CLOSES + 23 * HOUR
    assert len(await told(week)) == 1


async def test_the_last_withdrawal_ends_the_vote_and_moves_nothing(week: Week) -> None:
    over = await opened(week)
    for position in (1, 2, 3):
        await withdraw(week, over, position, OPENS + HOUR)
    result = await week.read(lambda tx: rounds.get_result(tx, week.club.id, over.id))
    assert (result.outcome, result.why, result.round.closes_at) == ("all_withdrawn", "all_withdrawn", CLOSES)


async def test_what_is_withdrawn_after_the_deadline_changes_no_result(week: Week) -> None:
    over = await opened(week)
    await week.cast(over, 4, 1)
    await week.cast(over, 5, 2)
    await withdraw(week, over, 3, CLOSES)  # before the clock came to it
    result: Result = await week.read(lambda tx: rounds.get_result(tx, week.club.id, over.id))
    assert (result.winner, result.votes) == (1, {1: 1, 2: 1, 3: 0})
    assert result.round.closes_at == CLOSES
    assert [each.withdrawn for each in result.round.candidates] == [False, False, False]


async def test_a_paper_that_has_won_is_withdrawn_no_more(week: Week) -> None:
    over = await opened(week)
    await week.cast(over, 4, 1)
    with pytest.raises(Conflict, match=r"nominate\.gone"):
        await withdraw(week, over, 1, CLOSES)


async def test_a_nomination_stays_when_its_nominator_has_gone(week: Week) -> None:
    over = await opened(week)
    await week.cast(over, 2, 2)
    nominator = await week.member(2)
    await week.write(lambda tx: tx.run("UPDATE member SET left_at = 1 WHERE id = :id", id=nominator.id))
    result = await week.close(over)
    assert (result.winner, result.ballots) == (2, 1)  # and so does their ballot


async def test_a_closing_that_moved_for_a_paper_moves_on_for_an_outage(week: Week) -> None:
    over = await opened(week)
    await withdraw(week, over, 1, CLOSES - HOUR)
    moved = (await again(week, over)).closes_at
    (later,) = await week.write(
        lambda tx: rounds.extend_for_outage(tx, moved - HOUR, moved + HOUR, moved + HOUR)
    )
    assert later.closes_at == moved + 2 * HOUR
    await withdraw(week, over, 2, moved)
    assert (await again(week, over)).closes_at == moved + DAY
