"""Before a vote closes the channel is told once, and in private who asked for that and has not voted."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.rounds import ballots
from bot.rounds import service as rounds
from bot.rounds.model import Round
from bot.storage import members, timetable

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

US = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


async def tick(week: Week, now: datetime) -> list[str]:
    return [happened.what for happened in await rounds.run_due(week.database, now)]


async def opened(week: Week, at: datetime = OPENS) -> Round:
    await week.nominate_papers(2)
    return await week.open(at)


async def planned(week: Week) -> list[tuple[str, str]]:
    rows = await week.read(
        lambda tx: tx.rows(
            "SELECT kind, subject FROM delivery WHERE kind IN ('reminder', 'nudge') ORDER BY id"
        )
    )
    return [(row[0], row[1]) for row in rows]


async def ask(week: Week, number: int, *, on: bool = True) -> int:
    """Member `number` asks for the private reminder; their account."""
    member = await week.member(number)
    await week.write(lambda tx: members.set_remind(tx, member.id, on))
    rows = await week.read(lambda tx: tx.rows("SELECT id FROM account WHERE member_id = :id", id=member.id))
    return int(rows[0][0])


async def test_three_hours_before_closing_the_channel_is_told_once(week: Week) -> None:
    over = await opened(week)
    due = CLOSES - 3 * HOUR
    assert await week.read(timetable.next_reminder) == due
    assert "reminded" not in await tick(week, due - US)
    assert "reminded" in await tick(week, due)
    assert await planned(week) == [("reminder", f"{over.id}:reminder")]
    rows = await week.read(lambda tx: tx.rows("SELECT give_up_at FROM delivery WHERE kind = 'reminder'"))
    assert rows[0][0] == int(CLOSES.timestamp()) * 1_000_000
    assert "reminded" not in await tick(week, due + HOUR)
    assert await week.read(timetable.next_reminder) is None


async def test_two_processes_remind_once(week: Week) -> None:
    await opened(week)
    done = await asyncio.gather(*(tick(week, CLOSES - HOUR) for _ in range(4)))
    assert sum(each.count("reminded") for each in done) == 1


@pytest.mark.parametrize(
    ("length", "before"),
    [(6 * HOUR, 3 * HOUR), (6 * HOUR - timedelta(minutes=3), timedelta(minutes=119)), (3 * HOUR, HOUR)],
)
async def test_of_a_short_vote_a_third_is_left(week: Week, length: timedelta, before: timedelta) -> None:
    await week.nominate_papers(2)
    over = await week.write(lambda tx: rounds.open_round(tx, week.club, OPENS, OPENS + length))
    due = over.closes_at - before
    assert await week.read(timetable.next_reminder) == due
    assert "reminded" not in await tick(week, due - US)
    assert "reminded" in await tick(week, due)


async def test_a_reminder_goes_by_the_closing_as_it_stands(week: Week) -> None:
    await opened(week)
    away = CLOSES - 4 * HOUR, CLOSES + HOUR
    await week.write(lambda tx: rounds.extend_for_outage(tx, *away, away[1]))
    closes = CLOSES + 5 * HOUR
    assert "reminded" not in await tick(week, closes - 3 * HOUR - US)
    assert "reminded" in await tick(week, closes - 3 * HOUR)


async def test_a_runoff_is_reminded_of_as_any_vote(week: Week) -> None:
    week.club = await week.change(ties="runoff")
    over = await opened(week)
    for number in (4, 5, 6):
        await week.cast(over, number, 1, 2)
    await tick(week, CLOSES)
    runoff = await week.read(lambda tx: rounds.find_open_round(tx, week.club.id))
    assert runoff is not None
    due = runoff.closes_at - 3 * HOUR
    assert "reminded" not in await tick(week, due - US)
    assert "reminded" in await tick(week, due)
    assert (await planned(week))[-1] == ("reminder", f"{runoff.id}:reminder")


async def test_a_vote_that_is_over_is_reminded_of_no_more(week: Week) -> None:
    over = await opened(week)
    assert "reminded" not in await tick(week, CLOSES)  # all the time before it was away
    assert await planned(week) == []
    assert (await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))).state == "decided"


async def test_who_asked_and_has_not_voted_is_told_in_private(week: Week) -> None:
    over = await opened(week)
    accounts = [await ask(week, number) for number in (3, 4, 5, 6, 7)]
    await ask(week, 7, on=False)
    await week.cast(over, 3, 1)
    await week.cast(over, 4)  # blank: present
    await week.cast(over, 5, 1)
    member = await week.member(5)
    await week.write(lambda tx: ballots.withdraw(tx, over.id, member, OPENS))
    await tick(week, CLOSES - 3 * HOUR)
    subject = f"{over.id}:reminder"
    assert await planned(week) == [
        ("reminder", subject),
        ("nudge", f"{subject}:{accounts[2]}"),
        ("nudge", f"{subject}:{accounts[3]}"),
    ]


async def test_whoever_left_or_asked_for_nothing_hears_nothing_in_private(week: Week) -> None:
    await opened(week)
    await ask(week, 6)
    gone = await week.member(6)
    await week.write(lambda tx: tx.run("UPDATE member SET left_at = 1 WHERE id = :id", id=gone.id))
    await tick(week, CLOSES - HOUR)
    assert [kind for kind, _ in await planned(week)] == ["reminder"]


async def test_once_all_active_members_have_voted_the_channel_is_left_alone(week: Week) -> None:
    before = await opened(week, OPENS - WEEK)
    await week.cast(before, 1, 1, at=OPENS - WEEK)
    await week.close(before, CLOSES - WEEK)
    await week.nominate(2, await week.paper("Another"))
    over = await week.open()
    account = await ask(week, 6)
    await week.cast(over, 1, 1)
    assert "reminded" in await tick(week, CLOSES - HOUR)
    assert await planned(week) == [("nudge", f"{over.id}:reminder:{account}")]


async def test_the_clock_of_a_deleted_club_reminds_nobody(week: Week) -> None:
    week.club = await week.change(vote_closes_time=time(18))
    await opened(week)
    await week.write(lambda tx: tx.run("UPDATE club SET deleted_at = 1"))
    assert await tick(week, CLOSES - HOUR) == []
    assert await week.read(timetable.next_reminder) is None
    assert await week.read(timetable.next_closing) is None
