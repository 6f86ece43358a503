"""Faults people met with neighbouring bots, each fed to the whole program."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, date, datetime, timedelta

import pytest

from adapters.compose import build
from bot.clubs.model import Asker
from bot.messages.model import Answer
from tests.lab.house import CHAIR, MEMBER, MONDAY, OTHER, House, listing, person, said, text_of

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
AUTUMN = datetime(2026, 10, 19, 6, tzinfo=UTC)


# ---- search ----

SIGNS = {
    "C++": "C++ templates are compiled", "C#": "C# in practice is typed", ".NET": "The .NET runtime is fast",
    "AT&T": "AT&T data are released", "a/b": "An a/b test is run", "50%": "We need 50% fewer labels",
    "@nasa": "The @nasa corpus is small", "why?": "Why? A study of reasons",
    "a,b": "We store a,b-trees on disk",
    "don't": "Don't stop pretraining early",
}  # fmt: skip


@pytest.fixture
async def library(house: House) -> House:
    await house.set_up()
    club = await house.group.find_club(None)
    assert club is not None
    texts = [
        *SIGNS.values(),
        "State-of-the-art pre-training is costly",
        "BERT: pre-training of transformers is described",
        "AND gates in silicon are small",
        "Attention for OR is computed",
        "强化学习综述 与RL方法",
    ]
    page = listing(*(("Cases · Signs", "李雷", f"{text}.") for text in texts))
    await house.group.import_pages([("cases.txt", page)], MONDAY, club=club.id)
    return house


async def found(house: House, query: str) -> str:
    text = text_of(await house.command(MEMBER, "paper search", query=f"{query} topic:Cases"))
    assert "wrong on our side" not in text and "column" not in text and "syntax" not in text, text
    return text


@pytest.mark.parametrize(("query", "text"), SIGNS.items())
async def test_signs_inside_a_query_find_their_paper(library: House, query: str, text: str) -> None:
    assert text.split()[-1] in await found(library, query)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("state-of-the-art", "costly"), ("pre-training", "costly"), ("-BERT", "described"),
        ("BERT: pre-training", "described"), ("AND", "silicon"), ('"attention', "computed"),
        ("“attention", "computed"), ("OR OR", "computed"), ("强化学习", "RL"), ("强化", "RL"),
        ("李雷", "李雷"), ("雷", "李雷"), ("RL", "强化"),
        ("x-y-z", "No paper"), ("grammar::fa", "No paper"), ("NOT meeting", "No paper"), ("NEAR(",
        "No paper"),
        ("attention AND", "No paper"),
    ],
)  # fmt: skip
async def test_no_word_or_sign_is_an_operator(library: House, query: str, words: str) -> None:
    assert words in await found(library, query)


# ---- time ----


async def opened(house: House, **args: str) -> None:
    house.now = AUTUMN
    await house.set_up(**args)


async def test_a_time_that_does_not_exist_is_posted_once_after_the_gap(house: House) -> None:
    house.now = datetime(2026, 3, 6, 12, tzinfo=UTC)
    await house.set_up(zone="America/New_York", time="02:30", weekdays="daily")
    await house.until(datetime(2026, 3, 8, 0, tzinfo=UTC))
    shown = text_of(await house.command(CHAIR, "club settings"))
    assert "Next paper Sun 8 Mar, 08:00" in shown  # told in the zone of this test's eye: 03:00 in New York
    await house.until(datetime(2026, 3, 9, 12, tzinfo=UTC))
    assert [posted.at.isoformat()[5:16] for posted in house.platform.posts] == [
        "03-07T07:30", "03-08T07:00", "03-09T06:30",
    ]  # fmt: skip


async def test_a_weekly_vote_keeps_its_wall_time_over_the_change_of_clocks(house: House) -> None:
    await opened(house)
    await house.submit(
        CHAIR, "configure:vote", vote_opens="Wed 09:00", vote_closes="Fri 09:00", meeting="Mon 16:00",
        nominations_each="3", keep_rounds="4",
    )  # fmt: skip
    opens = []
    for _ in range(2):
        view = await house.group.week(MEMBER, house.now)
        assert view.opening is not None
        opens.append(view.opening)
        await house.until(view.opening + timedelta(hours=1))
    assert opens == [datetime(2026, 10, 21, 7, tzinfo=UTC), datetime(2026, 10, 28, 8, tzinfo=UTC)]


@pytest.mark.parametrize(
    ("zone", "taken"),
    [
        ("EST5EDT", True), ("US/Eastern", True), ("Asia/Calcutta", True), ("EST", True),
        ("Europe/Berlin ", True),
        ('"Europe/Berlin"', True), ("europe/berlin", True), ("PST", False), ("UTC+2", False),
        ("../etc/passwd", False),
    ],
)  # fmt: skip
async def test_zones_are_taken_or_refused_with_an_example(house: House, zone: str, taken: bool) -> None:
    answer = await house.command(CHAIR, "club setup", zone=zone)
    assert (answer.form is None) == taken
    assert ("is set up" in text_of(answer)) == taken
    assert taken or "Europe/Berlin" in said(answer.form)
    assert (await house.group.find_club(None) is not None) == taken
    assert ("has no summer time" in text_of(answer)) == (zone == "EST")


async def test_a_bot_that_slept_posts_today_and_never_the_days_before(house: House) -> None:
    await house.set_up()
    await house.restart(MONDAY + timedelta(minutes=11))  # asleep from before nine until five past
    await house.tick()
    assert len(house.platform.posts) == 1
    await house.restart(MONDAY + timedelta(days=3, hours=2))
    await house.tick()
    assert [posted.at.day for posted in house.platform.posts if "Today" in posted.message.summary] == [30, 3]
    for day in ("2026-12-01", "2026-12-02"):
        text = text_of(await house.command(MEMBER, "paper why", day=day))
        assert "was not" in text and "wrong" not in text, text


async def test_an_empty_catalogue_says_so_once_and_goes_on_after_an_import(tmp_path) -> None:  # type: ignore[no-untyped-def]
    house = await House.open(tmp_path / "empty.db")
    await house.set_up()
    await house.until(MONDAY + timedelta(days=3))
    assert [posted.message.summary for posted in house.platform.posts] == ["There is no paper to post yet."]
    await house.group.import_pages(
        [("one.txt", listing(("", "A B", "One paper about one thing.")))], house.now
    )
    await house.until(house.now + timedelta(days=1))
    assert house.platform.posts[-1].message.summary.startswith("Today’s paper")
    for path in ("paper topics", "paper random", "paper search", "paper help", "paper show"):
        text = text_of(await house.command(MEMBER, path, query="x", id="p1"))
        assert "wrong on our side" not in text
    await house.close()


# ---- votes ----


async def test_clicks_in_parallel_are_one_ballot_a_member(house: House) -> None:
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p1")
    await house.command(OTHER, "paper nominate", paper="p2")
    await house.until(OPENS)
    await asyncio.gather(*(house.vote(MEMBER, 1, "p1") for _ in range(10)))
    await asyncio.gather(house.vote(OTHER, 1, "p1"), house.vote(OTHER, 1, "p2"))
    await asyncio.gather(*(house.vote(person(number), 1, "p2") for number in range(4, 24)))
    await house.until(OPENS + timedelta(days=2))
    text = text_of(await house.command(MEMBER, "paper results"))
    assert "22 members voted" in text and re.search(r"2[01] of 22", text)


async def test_a_vote_without_ballots_has_no_percentages_and_asking_twice_gives_the_same(
    house: House,
) -> None:
    await house.set_up()
    for who, paper in ((MEMBER, "p1"), (OTHER, "p2")):
        await house.command(who, "paper nominate", paper=paper)
    await house.until(OPENS + timedelta(days=2))
    for path in ("paper results", "paper history", "paper nominations"):
        texts = {text_of(await house.command(MEMBER, path)) for _ in range(3)}
        assert len(texts) == 1
        assert not re.search(r"nan|%|None|null", texts.pop())


# ---- platforms ----


async def test_two_programs_on_one_store_post_once(house: House) -> None:
    await house.set_up()
    other = build(house.database, {"preview": house.platform}, lambda: house.now)
    house.now = MONDAY + timedelta(minutes=7)
    for _ in range(3):  # ready events after each reconnect
        await asyncio.gather(house.group.tick(house.now), other.tick(house.now))
    assert len(house.platform.posts) == 1
    await other.settle_down()


LANGUAGES = [("zh-CN", "zh"), ("zh", "zh"), ("zh-Hans-SG", "zh"), ("pt-BR", "en"), ("zh-TW", "en"),
    ("es-419", "en"),
             (None, "en"), ("xx", "en"), ("", "en")]  # fmt: skip


@pytest.mark.parametrize(("locale", "language"), LANGUAGES)
async def test_a_client_in_any_language_is_answered(house: House, locale: str | None, language: str) -> None:
    await house.set_up()
    who = person(2, locale=locale)
    answers = [
        await house.command(who, "paper help"),
        await house.command(who, "paper show", id="p57"),
        await house.command(who, "paper nominate", paper="p57"),
        await house.command(who, "paper show", id="p999"),
    ]
    assert {answer.message.language for answer in answers if answer.message} == {language}


async def test_a_chinese_club_answers_strangers_tongues_in_chinese(house: House) -> None:
    await house.set_up(language="zh")
    for locale, language in (("pt-BR", "zh"), ("zh-TW", "zh"), (None, "zh"), ("en-GB", "en")):
        answer: Answer = await house.command(person(2, locale=locale), "paper help")
        assert answer.message is not None and answer.message.language == language
    await house.until(MONDAY + timedelta(hours=1))
    assert house.platform.posts[0].message.summary.startswith("今日论文")


async def test_a_person_in_a_thread_belongs_to_the_channel_above_it(house: House) -> None:
    await house.set_up()
    inside = Asker(
        MEMBER.account,
        MEMBER.place.__class__("preview", "w", "thread-9", "papers", "thread"),
        "Member 2",
        "en",
    )
    assert "Nominated: " in text_of(await house.command(inside, "paper nominate", paper="p57"))
    assert "p57" in text_of(await house.command(OTHER, "paper nominations"))


async def test_why_tells_each_day_in_words(house: House) -> None:
    await house.set_up()
    await house.until(MONDAY + timedelta(days=2))
    for day in (
        date(2026, 11, 29),
        date(2026, 11, 30),
        date(2026, 12, 4),
        date(2026, 12, 5),
        date(2030, 1, 1),
    ):
        text = text_of(await house.command(MEMBER, "paper why", day=day.isoformat()))
        assert "wrong" not in text and "None" not in text and len(text) > 20, text
