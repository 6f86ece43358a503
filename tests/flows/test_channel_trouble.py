"""Channels that cannot be written to, and what else depends on where a message stands."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

import pytest

from bot.app.clock import redraw
from bot.clubs.model import Place
from bot.clubs.service import get_club
from bot.daily.model import DAILY, Outcome
from bot.daily.outcomes import outcomes
from bot.delivery.model import Address, Delivery, Sent
from bot.errors import Refused
from bot.messages.model import ChannelRef, Message
from bot.messages.pages.why import why_lines
from bot.messages.words import words_for
from bot.rounds.service import get_round
from bot.storage import clubs
from bot.storage.database import Tx
from bot.storage.deliveries import list_deliveries
from bot.storage.heartbeat import beat
from bot.storage.picks import find_pick
from bot.storage.troubles import find_trouble
from tests.lab.house import CHAIR, MEMBER, OTHER, House, ids_in, person, said, text_of

NINE = datetime(2026, 11, 30, 8, tzinfo=UTC)
OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MOVED = {"name": "Readers", "language": "en", "zone": "Europe/Berlin", "channel": "talk"}

TWO = person(2, "two", admin=True, server="s2")
FAULTS = {
    "removed": "I am not in the server of #two any more.",
    "gone": "#two was deleted.",
    "forbidden:send_messages,create_public_threads": "Missing: Send Messages and Create Public Threads.",
    "archived": "#two is archived",
    "not_in_channel": "I am not in #two",
}


async def voting(house: House) -> None:
    """A club whose vote on two papers has just opened."""
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p57")
    await house.command(OTHER, "paper nominate", paper="p10")
    await house.until(OPENS)


async def rows(house: House, kind: str, subject: str, club: int = 1) -> list[Delivery]:
    return await house.database.read(lambda tx: list_deliveries(tx, club, kind, subject))


async def why(house: House, day: datetime) -> str:
    """What the terminal says about the first club's messages of a day."""

    def read(tx: Tx) -> list[Outcome]:
        return outcomes(tx, get_club(tx, 1), day.date(), house.now)

    return " ".join(why_lines(words_for("en"), await house.database.read(read), "Europe/Berlin", house.now))


# ---- nobody can be told in the channel ----


@pytest.mark.parametrize("fault", FAULTS)
async def test_four_days_without_a_channel_cost_no_paper_and_no_other_club(
    house: House, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    for who in (person(1, "one", admin=True, server="s1"), TWO, person(3, "three", admin=True, server="s3")):
        await house.set_up(who)
    house.platform.broken["two"] = fault
    await house.until(NINE + 3 * DAY + HOUR)
    for channel in ("one", "three"):
        posts = house.platform.in_channel(channel, "Today’s paper")
        assert [posted.at for posted in posts] == [NINE + number * DAY for number in range(4)]
    assert house.platform.in_channel("two") == []
    [told] = house.platform.to_person("u2")
    assert told.at - NINE < timedelta(minutes=1) and FAULTS[fault] in said(told.message)
    assert "paper of Monday 30 November is waiting" in said(told.message)
    complaints = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert len(complaints) == 4 and all("club 2 " in each for each in complaints)
    later = [row.attempts for day in (1, 2, 3) for row in await rows(house, DAILY, _day(day), 2)]
    assert later == [1, 1, 1]

    del house.platform.broken["two"]
    await house.until(NINE + 4 * DAY + HOUR)
    [posted] = house.platform.in_channel("two", "Today’s paper")
    assert posted.at == NINE + 4 * DAY
    first, last = await house.database.read(lambda tx: [find_pick(tx, 2, _day(each)) for each in (0, 4)])
    assert first is not None and last is not None and first.paper_id == last.paper_id
    assert await house.database.read(lambda tx: find_trouble(tx, 2)) is None
    assert len(house.platform.to_person("u2")) == 1


def _day(number: int) -> str:
    return (NINE + number * DAY).date().isoformat()


async def test_a_channel_mended_the_same_day_gets_its_paper_and_a_later_trouble_is_told_anew(
    house: House,
) -> None:
    await house.set_up()
    house.platform.broken["papers"] = "forbidden:send_messages"
    await house.until(NINE + HOUR)
    house.platform.broken.clear()
    await house.until(NINE + 3 * HOUR)
    assert len(house.platform.in_channel(start="Today’s paper")) == 1
    house.platform.broken["papers"] = "locked"
    await house.until(NINE + DAY + HOUR)
    assert ["locked" in said(each.message) for each in house.platform.to_person("u1")] == [False, True]


async def test_why_names_the_rights_that_are_missing(house: House) -> None:
    await house.set_up()
    house.platform.broken["papers"] = "forbidden:send_messages"
    await house.until(NINE + HOUR)
    assert [row.reason for row in await rows(house, DAILY, _day(0))] == ["forbidden:send_messages"]
    told = await why(house, NINE)
    assert "it lacks Send Messages" in told and "organiser" not in told  # what one person was told is theirs


async def test_whoever_takes_no_private_messages_is_told_in_another_channel(house: House) -> None:
    await house.set_up()
    beside = Place("preview", "w", "second", name="second")
    await house.database.write(lambda tx: clubs.put_channel(tx, 1, beside, house.now))
    house.platform.broken |= {"papers": "forbidden:send_messages", "u1": "closed"}
    await house.until(NINE + DAY + HOUR)
    [told] = house.platform.in_channel("second", "I may not write in #papers")
    assert told.at - NINE < timedelta(minutes=1)
    assert house.platform.tried.count("u1") == 1


async def test_with_no_other_channel_it_is_told_in_this_one_once_it_is_mended(house: House) -> None:
    await house.set_up()
    house.platform.broken |= {"papers": "forbidden:send_messages", "u1": "closed"}
    await house.until(NINE + DAY + HOUR)
    house.platform.broken.pop("papers")
    await house.until(NINE + 2 * DAY + HOUR)
    [told] = house.platform.in_channel(start="From Mon 30 Nov, 09:00 on I could not write here")
    assert told.at - NINE - 2 * DAY < timedelta(minutes=1)


async def test_a_trouble_of_last_week_is_no_news(house: House) -> None:
    await house.set_up()
    house.platform.broken |= {"papers": "archived", "u1": "closed"}
    await house.until(NINE + 4 * DAY + HOUR)
    house.platform.broken.pop("papers")
    await house.until(NINE + 7 * DAY + HOUR)
    assert house.platform.in_channel(start="Today’s paper")
    assert house.platform.in_channel(start="From") == []


async def test_a_club_that_moves_takes_along_what_waits(house: House) -> None:
    await house.set_up()
    house.platform.broken["papers"] = "gone"
    await house.until(NINE + HOUR)
    tried = len(house.platform.tried)
    await house.until(NINE + 3 * HOUR)
    assert len(house.platform.tried) == tried  # a deleted channel is not asked again
    await house.submit(CHAIR, "configure:club", **MOVED)
    await house.tick()
    assert len(house.platform.in_channel("talk", "Today’s paper")) == 1


async def test_a_channel_that_hangs_holds_up_no_paper_and_no_vote_of_another_club(house: House) -> None:
    for number, channel in ((1, "one"), (2, "two")):
        await house.set_up(person(number, channel, admin=True, server=f"s{number}"))
    for paper in ("p57", "p10"):
        await house.command(person(2, "two", server="s2"), "paper nominate", paper=paper)
    send = house.platform.send

    async def hanging(to: Address, *rest: object) -> Sent:
        if to.native_id == "one":
            await asyncio.Event().wait()
        return await send(to, *rest)  # type: ignore[arg-type]

    house.platform.send = hanging  # type: ignore[method-assign, assignment]
    async with asyncio.timeout(20):
        for moment in (NINE, OPENS):
            house.now = house.platform.now = moment
            await house.database.write(lambda tx: beat(tx, house.now))
            await house.group.tick(house.now)
        while not house.platform.in_channel("two", "Vote open"):  # noqa: ASYNC110  one more sending
            await asyncio.sleep(0.01)
    assert house.platform.in_channel("two", "Today’s paper") and not house.platform.in_channel("one")
    await house.group.settle_down(0.1)


async def test_what_is_told_in_private_names_club_and_channel_in_the_readers_language(house: House) -> None:
    chair = person(1, admin=True, locale="zh-CN")
    await house.set_up(chair, name="Readers")
    house.platform.broken["papers"] = "gone"
    await house.until(NINE + HOUR)
    [told] = house.platform.to_person("u1")
    assert told.message.language == "zh"
    assert "Readers" in said(told.message) and "#papers" in said(told.message)
    assert not any(isinstance(part, ChannelRef) for part in _parts(told.message))


async def test_a_channel_without_a_name_is_called_the_channel_in_private(house: House) -> None:
    await house.set_up()
    await house.database.write(lambda tx: tx.run("UPDATE channel SET name = ''"))
    house.platform.broken["papers"] = "gone"
    await house.until(NINE + HOUR)
    [told] = house.platform.to_person("u1")
    assert told.message.summary == "The channel was deleted."


def _parts(message: Message) -> list[object]:
    return [part for block in message.blocks for part in getattr(block, "text", ())]


async def test_post_now_into_a_channel_in_trouble_says_what_is_wrong_and_tries_again(house: House) -> None:
    await house.set_up()
    house.platform.broken["papers"] = "forbidden:send_messages"
    await house.until(NINE + HOUR)
    answer = text_of(await house.command(CHAIR, "club post now"))
    assert "I cannot post in #papers: the bot may not write there, since it lacks Send Messages." in answer
    assert "I am trying again now with " in answer and "On its way" not in answer
    house.platform.broken.clear()
    await house.tick()
    assert house.platform.in_channel(start="Today’s paper")


async def test_why_links_a_channel_whose_name_is_not_known_until_somebody_writes_there(house: House) -> None:
    await house.set_up()
    await house.database.write(lambda tx: tx.run("UPDATE channel SET name = ''"))
    page = (await house.command(MEMBER, "paper why")).message
    assert page is not None and ChannelRef("papers") in _parts(page)
    await house.command(MEMBER, "paper nominate", paper="p57")
    assert "papers · Daily paper" in text_of(await house.command(MEMBER, "paper why"))


# ---- a vote whose club was deleted ----


async def test_a_vote_whose_club_is_deleted_is_ended_in_public_and_drawn_again_when_it_comes_back(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await voting(house)
    [poll] = house.platform.in_channel(start="Vote open")
    await house.vote(MEMBER, 1, "p57")  # its redraw is still pending
    await house.press(CHAIR, "delete:1")
    await house.tick()
    await house.drawn()
    assert "ended without a result" in said(poll.message) and not set(ids_in(poll.message))
    for answer in (await house.press(MEMBER, "vote:1"), await house.vote(MEMBER, 1, "p10")):
        assert "papers was deleted. An organiser can bring it back until Saturday 2 January" in text_of(
            answer
        )
    assert "Traceback" not in caplog.text
    house.now += HOUR
    await house.command(CHAIR, "club restore")
    await house.tick()
    await house.drawn()
    assert "vote:1" in set(ids_in(poll.message)) and poll.message.summary.startswith("Vote open")
    await house.press(CHAIR, "delete:1")
    await house.tick()
    assert "ended without a result" in said(poll.message)


async def test_nothing_is_ended_in_a_server_that_was_left(house: House) -> None:
    await voting(house)
    await house.group.server_left("preview", "w", house.now)
    assert (
        await redraw(house.group.rooms, 1, "preview", house.now) > 0
    )  # nobody there to draw it for, and no fault
    await house.tick()
    [poll] = house.platform.in_channel(start="Vote open")
    assert "vote:1" in set(ids_in(poll.message))


async def test_a_second_vote_of_a_week_is_for_the_next_meeting(house: House) -> None:
    await house.set_up()
    for paper in ("p57", "p10", "p58", "p59"):
        await house.command(OTHER if paper in ("p57", "p10") else MEMBER, "paper nominate", paper=paper)
    await house.command(CHAIR, "club open vote")
    await house.vote(MEMBER, 1, "p57")
    await house.command(CHAIR, "club close vote", reason="all have voted")
    await house.command(CHAIR, "club open vote")
    first, second = await house.database.read(lambda tx: [get_round(tx, 1, each) for each in (1, 2)])
    assert first.meeting_at is not None and second.meeting_at == first.meeting_at + 7 * DAY


# ---- a vote whose message or channel is gone ----


async def test_a_vote_whose_channel_was_deleted_closes_and_its_result_is_kept(house: House) -> None:
    await voting(house)
    await house.vote(MEMBER, 1, "p57")
    await house.drawn()
    house.platform.broken["papers"] = "gone"
    await house.until(CLOSES + HOUR)
    assert "1 member voted" in text_of(await house.command(MEMBER, "paper results"))
    assert any("was deleted" in said(each.message) for each in house.platform.to_person("u1"))
    tried = len(house.platform.tried)
    await house.until(CLOSES + 12 * HOUR)
    assert len(house.platform.tried) == tried
    assert [row.reason for row in await rows(house, "closed", "1:closed")] == ["gone"]
    await house.submit(CHAIR, "configure:club", **MOVED)
    await house.command(MEMBER, "paper nominate", paper="p58")
    await house.until(OPENS + 7 * DAY)
    assert len(house.platform.in_channel("talk", "Winner")) == 1
    assert len(house.platform.in_channel("talk", "Vote open")) == 1


async def test_a_deleted_poll_gets_its_result_as_a_new_message(house: House) -> None:
    await voting(house)
    house.platform.delete(house.platform.in_channel(start="Vote open")[0])
    await house.vote(MEMBER, 1, "p57")
    await house.until(CLOSES)
    assert len(house.platform.in_channel(start="Winner")) == 1
    assert house.platform.to_person("u1") == []  # the channel is well


# ---- where results go, and what hangs from them ----


async def test_the_result_goes_where_the_poll_stands_and_where_the_club_is_now(house: House) -> None:
    await voting(house)
    await house.vote(MEMBER, 1, "p57")
    await house.submit(CHAIR, "configure:club", **MOVED)
    posts = len(house.platform.in_channel())
    await house.until(CLOSES + HOUR)
    assert len(house.platform.in_channel("papers", "Winner")) == 1
    assert len(house.platform.in_channel("talk", "Winner")) == 1
    assert len(house.platform.in_channel("papers", "The vote closes")) == 1
    assert len(house.platform.in_channel()) == posts + 2  # nothing else is new there
    assert not house.platform.in_threads("papers") and len(house.platform.in_threads("talk")) == 1


async def test_the_winner_gets_a_thread_that_names_it_and_the_meeting(house: House) -> None:
    await voting(house)
    await house.vote(MEMBER, 1, "p57")
    await house.until(CLOSES + HOUR)
    [result] = house.platform.in_channel(start="Winner")
    [opened] = house.platform.in_threads()
    assert opened.thread is not None and opened.thread.message_id == result.id
    assert opened.thread.name == opened.message.summary and 0 < len(opened.thread.name) <= 100
    words = said(opened.message)
    assert "This is the place to talk about it" in words and "Next meeting Mon 7 Dec, 16:00" in words
    assert "more:p57" in set(ids_in(opened.message))


async def test_a_paper_chosen_without_a_vote_gets_its_thread_too(house: House) -> None:
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p57")
    await house.until(OPENS + HOUR)
    [opened] = house.platform.in_threads()
    [single] = house.platform.in_channel(start="Only one paper is nominated")
    assert opened.thread is not None and opened.thread.message_id == single.id


async def test_a_week_without_a_winner_has_no_thread(house: House) -> None:
    await voting(house)
    await house.until(CLOSES + HOUR)
    assert house.platform.in_threads() == [] and await rows(house, "thread", "1:thread") == []


async def test_a_result_deleted_before_its_thread_was_opened_has_none(house: House) -> None:
    await voting(house)
    await house.vote(MEMBER, 1, "p57")
    send = house.platform.send

    async def deleting(*args: object) -> object:
        sent = await send(*args)  # type: ignore[arg-type]
        house.platform.posts = [
            each for each in house.platform.posts if not each.message.summary.startswith("Winner")
        ]
        return sent

    house.platform.send = deleting  # type: ignore[method-assign, assignment]
    await house.until(CLOSES + 12 * HOUR)
    assert [(row.state, row.reason, row.attempts) for row in await rows(house, "thread", "1:thread")] == [
        ("missed", "gone", 1)
    ]
    assert house.platform.to_person("u1") == []


async def test_openings_and_results_call_the_role_once_and_redraws_never(house: House) -> None:
    await voting(house)
    await house.vote(MEMBER, 1, "p57")
    await house.drawn()
    [poll] = house.platform.in_channel(start="Vote open")
    assert [each.notify for each in (*poll.before, poll.message)] == [True, False]
    await house.until(CLOSES + HOUR)
    [result] = house.platform.in_channel(start="Winner")
    assert result.message.notify and not poll.message.notify
    assert not any(each.message.notify for each in house.platform.in_channel(start="Today’s paper"))


async def test_nobody_is_called_for_a_vote_that_does_not_take_place(house: House) -> None:
    await house.set_up()
    await house.until(OPENS + HOUR)
    [told] = house.platform.in_channel(start="No paper was nominated")
    assert not told.message.notify


# ---- how often a poll is drawn ----


async def test_a_poll_is_drawn_less_often_as_its_message_gets_older(house: House) -> None:
    await voting(house)
    house.platform.spacing = lambda age: 2.0 if age < HOUR else 20.0  # type: ignore[method-assign]
    assert await redraw(house.group.rooms, 1, "preview", OPENS + HOUR / 2) == 2.0
    assert await redraw(house.group.rooms, 1, "preview", OPENS + 2 * HOUR) == 20.0


async def test_a_platform_that_asks_to_wait_gets_the_newest_state_afterwards(house: House) -> None:
    await voting(house)
    [poll] = house.platform.in_channel(start="Vote open")
    edit, asked = house.platform.edit, []

    async def limited(*args: object) -> None:
        asked.append(None)
        if len(asked) == 1:
            raise Refused("rate_limited", retry_after=0.3)
        await edit(*args)  # type: ignore[arg-type]

    house.platform.edit = limited  # type: ignore[method-assign, assignment]
    await house.vote(MEMBER, 1, "p57")
    while not asked:
        await house.group.rooms.database.read(lambda tx: None)
    await house.vote(OTHER, 1, "p57")
    await house.drawn()
    assert len(asked) == 2 and "2 have voted" in said(poll.message)
