"""What the club is told and given back when the bot was away, asleep or cut off."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from adapters.compose import LAST, live
from bot.delivery.model import Address, Sent, Thread
from bot.errors import Refused
from bot.messages.model import Entries, Message
from bot.storage.deliveries import list_deliveries
from tests.lab.house import CHAIR, MEMBER, MONDAY, OTHER, House, ids_in, said, text_of

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


async def voting(house: House, **args: str) -> None:
    """A club whose vote on two papers has just opened."""
    await house.set_up(**args)
    await house.command(MEMBER, "paper nominate", paper="p57")
    await house.command(OTHER, "paper nominate", paper="p10")
    await house.until(OPENS)


def poll(house: House) -> Message:
    """The vote as it stands in the channel."""
    [found] = [
        posted.message
        for posted in house.platform.posts
        if any(isinstance(block, Entries) for block in posted.message.blocks)
    ]
    return found


# ---- a vote's deadline ----


async def test_a_machine_that_slept_over_the_deadline_extends_the_vote_and_says_so(house: House) -> None:
    await voting(house)
    await house.until(CLOSES - 2 * HOUR)
    await house.sleep(CLOSES + 3 * HOUR)
    await house.drawn()
    assert "Counted." in text_of(await house.vote(MEMBER, 1, "p57"))
    away = "The bot was away from Fri 4 Dec, 15:00 to Fri 4 Dec, 20:00. The vote now closes Fri 4 Dec, 22:00."
    assert away in said(poll(house))
    await house.until(CLOSES + 6 * HOUR)
    assert len(house.platform.in_channel(start="Winner")) == 1


async def test_a_deadline_before_a_machine_slept_stays(house: House) -> None:
    await voting(house)
    await house.until(CLOSES)
    posts = len(house.platform.posts)
    await house.sleep(CLOSES + 3 * HOUR)
    assert poll(house).summary.startswith("This vote closed") and len(house.platform.posts) == posts


async def test_a_clock_that_is_moved_is_no_outage(house: House) -> None:
    await voting(house)
    await house.until(CLOSES - 2 * HOUR)
    await house.tick(CLOSES + 3 * HOUR)
    assert poll(house).summary.startswith("This vote closed")


async def test_a_tick_that_takes_long_is_no_outage(house: House) -> None:
    await voting(house)
    await house.until(CLOSES - 60 * SECOND)
    pulse = house.group.rooms.pulse
    assert pulse.at is not None
    pulse.at -= 100  # the loop ran all the time
    await house.sleep(CLOSES + 40 * SECOND)
    assert poll(house).summary.startswith("This vote closed")


@pytest.mark.parametrize(("seconds", "extended"), [(10, False), (16, True)])
async def test_a_restart_over_the_deadline_counts_from_fifteen_seconds_on(
    house: House, seconds: int, extended: bool
) -> None:
    await voting(house)
    await house.until(CLOSES - 5 * SECOND)
    await house.restart(CLOSES + (seconds - 5) * SECOND)
    await house.tick()
    await house.drawn()
    assert poll(house).summary.startswith("Vote open" if extended else "This vote closed")
    assert ("The vote now closes Fri 4 Dec, 18:00." in said(poll(house))) == extended


# ---- the last drawing of a poll ----


@pytest.mark.parametrize(("language", "closed"), [("en", "This vote closed on"), ("zh", "投票已于")])
async def test_a_poll_is_drawn_closed_though_the_program_ended_in_between(
    house: House, language: str, closed: str
) -> None:
    await voting(house, language=language)
    await house.until(CLOSES - HOUR)
    house.platform.edit_fault = Refused("network")
    await house.tick(CLOSES)
    assert not poll(house).summary.startswith(closed)
    await house.restart(CLOSES + 10 * SECOND)
    house.platform.edit_fault = None
    await house.until(CLOSES + HOUR)
    assert closed in poll(house).summary and "result:1" in set(ids_in(poll(house)))
    [posted] = [posted for posted in house.platform.posts if posted.message is poll(house)]
    edits = len(posted.before)
    await house.restart(CLOSES + 2 * HOUR)
    await house.tick()
    await house.drawn()
    assert len(posted.before) == edits  # nobody draws it again


async def test_a_drawing_that_comes_behind_the_closing_is_made_again(house: House) -> None:
    await voting(house)
    platform, asked, go = house.platform, asyncio.Event(), asyncio.Event()
    edit = platform.edit

    async def slow(to: Address, message_id: str, message: Message, marker: str = "") -> None:
        if message.summary.startswith("Vote open"):
            asked.set()
            await go.wait()
        await edit(to, message_id, message)

    platform.edit = slow  # type: ignore[method-assign]
    await house.vote(MEMBER, 1, "p57")
    await asked.wait()
    await house.tick(CLOSES)
    go.set()
    await house.drawn()
    assert poll(house).summary.startswith("This vote closed")


async def test_a_deleted_poll_is_not_drawn_closed_again_and_again(house: House) -> None:
    await voting(house)
    [posted] = house.platform.in_channel(start="Vote open")
    house.platform.delete(posted)
    await house.until(CLOSES + 12 * HOUR)
    rows = await house.database.read(lambda tx: list_deliveries(tx, 1, "closed", "1:closed"))
    assert [(row.state, row.reason, row.attempts) for row in rows] == [("missed", "gone", 1)]


async def test_a_poll_in_a_channel_the_club_left_is_drawn_closed_too(house: House) -> None:
    await voting(house)
    form = {"name": "Readers", "language": "en", "zone": "Europe/Berlin", "channel": "talk"}
    await house.submit(CHAIR, "configure:club", **form)
    await house.until(CLOSES + HOUR)
    assert poll(house).summary.startswith("This vote closed")
    assert len(house.platform.in_channel("talk")) == 3  # Friday's paper, the reminder and the result
    assert len(house.platform.in_channel("papers", "The vote closes")) == 1  # where the poll stands
    assert len(house.platform.in_channel("talk", "The vote closes")) == 1


# ---- stopping ----


async def test_a_platform_that_does_not_answer_does_not_keep_the_program_from_ending(house: House) -> None:
    await house.set_up()
    house.now = MONDAY + timedelta(minutes=7)
    sending = asyncio.Event()

    async def hang(to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
        sending.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def page() -> None:
        await sending.wait()

    house.platform.send = hang  # type: ignore[method-assign]
    clock = asyncio.get_running_loop().time
    async with asyncio.timeout(LAST + 2):
        started = clock()
        await live(house.group, lambda: house.now, page(), asyncio.Event(), 0.05)
    assert clock() - started < LAST + 1
    rows = await house.database.read(lambda tx: list_deliveries(tx, 1, "daily", "2026-11-30"))
    assert [(row.state, row.reason) for row in rows] == [("uncertain", "stopped")]
