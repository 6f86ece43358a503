"""Today's paper from outside: once a day, why this one, more on request, and when it runs out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.errors import Refused, Uncertain
from tests.lab.house import CHAIR, MEMBER, MONDAY, House, ids_in, listing, said, text_of


async def small(path: Path, papers: int, **args: str) -> House:
    """A club whose catalogue holds so many papers."""
    house = await House.open(path / "small.db")
    page = listing(
        *(("Area · Sub", f"A{n} B{n}", f"Study {n} of {n} things is told here.") for n in range(papers))
    )
    await house.group.import_pages([("small.txt", page)], MONDAY)
    await house.set_up(weekdays="daily", **args)
    return house


def summaries(house: House, start: str) -> list[str]:
    return [posted.message.summary for posted in house.platform.in_channel(start=start)]


async def test_a_catalogue_used_up_is_told_once_and_few_left_before(tmp_path: Path) -> None:
    house = await small(tmp_path, 10)
    await house.until(MONDAY + timedelta(days=20))
    assert len(summaries(house, "Today’s paper")) == 10
    assert summaries(house, "7 papers are left to post.") == ["7 papers are left to post."]
    assert len(summaries(house, "Every paper in the catalogue")) == 1
    assert (
        len(summaries(house, "No paper was nominated")) == len(house.platform.posts) - 12
    )  # the weekly votes
    few = house.platform.in_channel(start="7 papers")[0]
    third = house.platform.in_channel(start="Today’s paper")[2]
    assert few.at.date() == third.at.date() and few.id > third.id
    assert "Every paper in the catalogue has been posted here." in text_of(
        await house.command(CHAIR, "club post now")
    )
    assert "every paper" in text_of(await house.command(MEMBER, "paper why", day="2026-12-15")).lower()
    await house.close()


async def test_the_list_starts_over_only_if_the_club_says_so(tmp_path: Path) -> None:
    house = await small(tmp_path, 2)
    await house.submit(CHAIR, "configure:daily", daily_time="09:00", daily_days=["mon"], start_over="yes")
    await house.until(MONDAY + timedelta(days=200))
    assert len(summaries(house, "Today’s paper")) == 4  # both again, once half a year is over
    await house.close()


async def test_a_list_of_chosen_topics_that_starts_over_says_when(tmp_path: Path) -> None:
    house = await small(tmp_path, 2)
    topics = {"daily_time": "09:00", "daily_days": ["mon"], "daily_topics": "Area", "start_over": "yes"}
    await house.submit(CHAIR, "configure:daily", **topics)
    await house.until(MONDAY + timedelta(days=16))
    [notice] = house.platform.in_channel(start="Every paper of the chosen topics")
    assert "the first on Monday 31 May 2027." in said(notice.message)
    assert "start over" not in said(notice.message)
    await house.until(datetime(2027, 6, 1, tzinfo=UTC))
    assert house.platform.in_channel(start="Today’s paper")[-1].at == datetime(2027, 5, 31, 7, tzinfo=UTC)
    await house.close()


async def test_a_paper_missed_while_the_bot_was_away_is_told_to_all_once(house: House) -> None:
    await house.set_up(weekdays="daily")
    await house.until(MONDAY + timedelta(hours=1))
    await house.restart(MONDAY + timedelta(days=3, hours=15))
    await house.tick()
    await house.until(MONDAY + timedelta(days=4, hours=1))
    missed = house.platform.in_channel(start="The paper of")
    assert [posted.message.summary for posted in missed] == [
        "The paper of Thursday 3 December was not posted: the bot was not running."
    ]
    assert len(house.platform.in_channel(start="Today’s paper")) == 2
    why = text_of(await house.command(MEMBER, "paper why", day="2026-12-03"))
    assert "papers · Notice of a paper that was not posted: Posted Thu 3 Dec, 23:54." in why


async def test_a_paper_that_was_refused_all_day_is_told_once_the_bot_may_write_again(house: House) -> None:
    await house.set_up(language="zh", weekdays="daily")
    house.platform.fault = Refused("forbidden")
    await house.until(MONDAY + timedelta(hours=13))
    house.platform.fault = None
    await house.until(MONDAY + timedelta(days=2))
    [missed] = [posted for posted in house.platform.posts if posted.message.summary.startswith("11 月 30 日")]
    assert missed.message.summary == "11 月 30 日星期一的论文没有发出：机器人不能在那里发言。"


async def test_the_paper_of_the_day_is_the_last_one_that_went_out(house: House) -> None:
    await house.set_up(weekdays="daily")
    house.platform.fault = Refused("forbidden")
    await house.until(MONDAY + timedelta(minutes=10))
    assert "No paper has been posted yet." in text_of(await house.command(MEMBER, "paper today"))
    house.platform.fault = None
    await house.until(MONDAY + timedelta(hours=2))
    first = house.platform.posts[0].message.summary
    house.platform.fault = Refused("forbidden")
    await house.until(MONDAY + timedelta(days=1, hours=2))
    assert text_of(await house.command(MEMBER, "paper today")).startswith(first)


async def test_a_post_that_waits_does_not_go_out_in_a_pause(house: House) -> None:
    await house.set_up()
    house.platform.fault = Refused("forbidden")
    await house.until(MONDAY + timedelta(minutes=10))
    await house.command(CHAIR, "club pause")
    house.platform.fault = None
    await house.until(MONDAY + timedelta(days=2))
    assert not house.platform.posts
    assert "the club was paused" in text_of(await house.command(MEMBER, "paper why", day="2026-11-30"))


async def test_posting_early_is_todays_paper_and_what_follows_is_marked_as_extra(house: House) -> None:
    await house.set_up()
    assert "On its way to the channel as today’s paper: " in text_of(
        await house.command(CHAIR, "club post now")
    )
    await house.tick()
    assert len(house.platform.posts) == 1
    await house.until(MONDAY + timedelta(hours=2))
    assert len(house.platform.posts) == 1  # not again at nine
    assert "On its way to the channel as an extra paper: " in text_of(await house.press(CHAIR, "post"))
    await house.tick()
    extra = house.platform.posts[1].message
    assert extra.summary.startswith("Extra paper") and "an organiser asked for it" in said(extra)
    first = house.platform.posts[0].message.summary
    assert text_of(await house.command(MEMBER, "paper today")).startswith(first)


async def test_a_double_press_posts_once(house: House) -> None:
    await house.set_up()
    for _ in range(3):
        await house.press(CHAIR, "post")
    await house.tick()
    assert len(house.platform.posts) == 1


async def test_a_press_under_the_post_reads_nominates_saves_and_finds_more(house: House) -> None:
    await house.set_up()
    await house.until(MONDAY + timedelta(hours=1))
    post = house.platform.posts[0].message
    names = [i.partition(":")[0] for i in ids_in(post)]
    assert names == ["more", "nominate", "save", "similar"]
    answers = [await house.press(MEMBER, i) for i in ids_in(post)]
    assert all(answer.kind in ("private", "redraw") for answer in answers)
    assert "Nominated: " in text_of(answers[1]) and "Saved" in text_of(answers[2])
    assert len(said(answers[0].message)) > len(said(post))  # the whole abstract, for the asker alone


async def test_a_refused_post_comes_later_and_an_uncertain_one_never_twice(house: House) -> None:
    await house.set_up()
    house.platform.fault = Refused("forbidden")
    await house.until(MONDAY + timedelta(minutes=20))
    assert not house.platform.posts
    house.platform.fault = None
    await house.until(MONDAY + timedelta(hours=2))
    assert len(house.platform.in_channel()) == 1
    house.platform.fault = Uncertain("network")
    await house.until(MONDAY + timedelta(days=1, minutes=10))
    house.platform.fault = None
    await house.until(MONDAY + timedelta(days=1, hours=2))
    assert len(house.platform.in_channel()) == 2


async def test_new_settings_hold_from_the_next_post(house: House) -> None:
    await house.set_up()
    answer = await house.submit(CHAIR, "configure:daily", daily_time="10:30", daily_days=["mon", "tue"])
    assert "Saved. Next paper Mon 30 Nov, 10:30" in text_of(answer)
    await house.submit(
        CHAIR, "configure:club", name="Readers", language="zh", zone="Asia/Shanghai", channel="papers"
    )
    await house.until(MONDAY + timedelta(days=4))
    assert [
        posted.at for posted in house.platform.posts if posted.message.summary.startswith("今日论文")
    ] == [datetime(2026, 12, 1, 2, 30, tzinfo=UTC)]


async def test_another_channel_takes_over_from_the_next_post(house: House) -> None:
    await house.set_up()
    await house.until(MONDAY + timedelta(hours=1))
    form = {"name": "Readers", "language": "en", "zone": "Europe/Berlin", "channel": "talk"}
    assert "Saved." in text_of(await house.submit(CHAIR, "configure:club", **form))
    await house.until(MONDAY + timedelta(days=1, hours=1))
    assert [posted.to.native_id for posted in house.platform.posts] == ["papers", "talk"]
