"""The clock knows when a vote has something to do by itself."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.lab.house import House
from tests.lab.voting import CLOSES, cast_all, open_vote

US = timedelta(microseconds=1)
HOUR = timedelta(hours=1)


async def coming(house: House, end: datetime) -> set[datetime]:
    """What came by itself up to `end`, one event after another."""
    seen = set[datetime]()
    while house.now < end:
        due = await house.group.next_event(house.now + US)
        assert due is not None
        seen.add(due)
        await house.until(due)
    return seen


async def test_it_wakes_for_the_reminder_the_closing_and_the_end_of_an_organisers_time(house: House) -> None:
    await open_vote(house, ties="organiser")
    await cast_all(house, "approval", 1, [("p57",), ("p10",), ("p57", "p10")])
    decided = CLOSES + timedelta(hours=48)
    assert {CLOSES - 3 * HOUR, CLOSES, decided} <= await coming(house, decided)


async def test_it_never_stops_at_a_second_vote_that_is_over(house: House) -> None:
    await open_vote(house, ties="runoff")
    await cast_all(house, "approval", 1, [("p57",), ("p10",), ("p57", "p10")])
    over = CLOSES + timedelta(hours=24)
    assert over in await coming(house, over)
    due = await house.group.next_event(house.now + US)
    assert due is not None and due > house.now + US
