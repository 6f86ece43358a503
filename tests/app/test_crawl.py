"""Everything a person can type, press and fill in, followed through every button a message ever shows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.clubs.model import Asker
from bot.commands import COMMANDS
from tests.lab.crawling import (
    PAUSE,
    PEOPLE_SAY,
    Crawler,
    check_room,
    paper_words,
)
from tests.lab.house import (
    CHAIR,
    MEMBER,
    MONDAY,
    OTHER,
    STRANGER,
    ZONE,
    House,
    ids_in,
    on,
    person,
    text_of,
)
from tests.lab.sides import CODE, club_on_both


@pytest.fixture
async def known(house: House) -> str:
    """All that the papers say, which no catalogue translates."""
    last = await house.group.rooms.papers.last_id(None)
    papers = [await house.group.rooms.papers.find(None, number) for number in range(1, last + 1)]
    return "\n".join(paper_words(paper) for paper in papers if paper is not None) + PEOPLE_SAY


def crawlers(house: House, known: str, *people: Asker) -> list[Crawler]:
    return [Crawler(house, who, known) for who in people]


ZH_CHAIR = person(4, locale="zh-CN", admin=True)
ZH_MEMBER = person(5, locale="zh-CN")
PEOPLE = (STRANGER, MEMBER, ZH_MEMBER, CHAIR, ZH_CHAIR)


async def test_before_set_up_everything_answers(house: House, known: str) -> None:
    readers = [c for c in COMMANDS if c.path != "club setup"]
    for crawler in crawlers(house, known, STRANGER, ZH_MEMBER, CHAIR, ZH_CHAIR):
        for command in readers:
            await crawler.type(command.path)
        assert {"more", "similar", "show", "topics", "random", "search"} <= crawler.pressed.keys()


async def test_before_the_first_paper_everything_answers(house: House, known: str) -> None:
    await house.set_up()
    for crawler in crawlers(house, known, *PEOPLE):
        await crawler.run()


@pytest.mark.parametrize("who", [CHAIR, ZH_CHAIR], ids=["en", "zh"])
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "empty"])
async def test_set_up_answers_from_its_first_form_to_the_first_post(
    house: House, bare: House, known: str, shared: bool, who: Asker
) -> None:
    here = house if shared else bare
    crawler = Crawler(here, who, known)
    here.platform.broken["papers"] = "forbidden:send_messages"
    await crawler.type("club setup", zone=ZONE, language="en")
    assert "setup" in crawler.pressed
    here.platform.broken.clear()
    crawler.seen.clear()
    await crawler.type("club setup", zone=ZONE, language="en")
    assert crawler.pressed.keys() >= {"setup", "starter", "starter-form", "wait", "post"}
    await here.tick(here.now + timedelta(minutes=1))
    assert here.platform.posts
    await crawler.run("club settings", "club setup", "paper help")


async def test_a_whole_week_answers_wherever_it_is_pressed(house: House, known: str) -> None:
    await house.set_up()
    await house.until(datetime(2026, 12, 1, 12, tzinfo=UTC))
    for number, who in enumerate((MEMBER, OTHER, CHAIR), 1):
        for paper in range(3):
            await house.command(who, "paper nominate", paper=f"p{number * 7 + paper}", reason=PEOPLE_SAY)
            house.now += timedelta(minutes=1)
    await house.command(MEMBER, "paper nominate", paper="https://example.org/a/paper")
    actions: set[str] = set()
    for moment in (
        datetime(2026, 12, 2, 12, tzinfo=UTC),  # nominations stand
        datetime(2026, 12, 3, 12, tzinfo=UTC),  # the vote is open
        datetime(2026, 12, 5, 12, tzinfo=UTC),  # the result stands
        datetime(2026, 12, 11, 12, tzinfo=UTC),  # the next vote is open
    ):
        await house.until(moment)
        for crawler in crawlers(house, known, *PEOPLE):
            house.now += timedelta(minutes=2)
            for posted in list(house.platform.posts):
                for action_id in ids_in(posted.message):
                    await crawler.press(action_id)
            await crawler.run()
            actions |= crawler.pressed.keys()
        for path in ("club open vote", "club pause", "club resume", "club post now", "club remove"):
            await Crawler(house, ZH_CHAIR, known).type(path)
            house.now += timedelta(minutes=2)
    await Crawler(house, CHAIR, known).type("club close vote")
    for who in (CHAIR, ZH_CHAIR):
        taker = Crawler(house, who, known)
        for path in ("club undo", "club delete", "club restore"):
            await taker.type(path)
            house.now += timedelta(minutes=2)
        assert {"undo", "delete", "restore"} <= taker.pressed.keys()
    for posted in house.platform.posts:
        check_room(posted.message, posted.message.summary)
    assert actions >= {
        *("more", "show", "nominate", "nominate-form", "withdraw", "save", "similar", "search", "topics"),
        *("random", "nominations", "vote", "mine", "retract", "propose", "ballot", "configure", "how"),
        *("result", "settings"),
    }


async def test_on_two_sides_everything_answers_in_both_languages(both: House, known: str) -> None:
    await club_on_both(both)
    for number in range(3):
        await both.command(on("discord", 20 + number), "paper nominate", paper=f"p{number + 5}")
    await both.until(datetime(2026, 12, 3, 12, tzinfo=UTC))
    actions: set[str] = set()
    for number, locale in enumerate(("en", "zh-CN"), 30):
        one = on("discord", number, locale=locale)
        other = on("slack", number, locale=locale)
        chair = on("slack", 50 + number, locale=locale, admin=True)
        for turn in range(3):  # entered and answered no, linked, taken apart
            both.now += timedelta(minutes=3)
            code = CODE.search(text_of(await both.command(one, "paper link")))
            for who in (other, one):
                crawler = Crawler(both, who, known)
                if turn == 1:
                    crawler.seen |= {f"link-no:{n}" for n in range(20)}
                both.now += PAUSE
                await crawler.type("paper link", code=code[1] if code and who is other else "")
                both.now += timedelta(minutes=2)
                if turn == 2:
                    await crawler.type("paper link")
                actions |= crawler.pressed.keys()
        for path in (
            "club settings",
            "paper help",
            "club link",
            "paper vote",
            "paper results",
        ):
            both.now += timedelta(minutes=2)
            crawler = Crawler(both, chair, known)
            await crawler.type(path)
            actions |= crawler.pressed.keys()
        shown = await both.command(on("discord", 1, admin=True), "club link")
        code = CODE.search(text_of(shown))
        assert code is not None
        both.platforms["slack"].broken["slack-papers"] = "forbidden:send_messages"
        crawler = Crawler(both, chair, known)
        await crawler.type("club link", code=code[1])
        both.platforms["slack"].broken.clear()
        await Crawler(both, chair, known).type("club link", code=code[1])
        actions |= crawler.pressed.keys()
    assert actions >= {
        "linked",
        "link-yes",
        "link-no",
        "apart",
        "unlink",
        "leaving",
        "leave",
        "join",
        "settings",
    }
    assert len(await clubs_channels(both)) == 2


async def clubs_channels(house: House) -> tuple[object, ...]:
    found = await house.group.find_club(None)
    assert found is not None
    return found.channels


async def test_every_suggestion_is_taken_by_its_command(house: House) -> None:
    await house.set_up()
    for who in (MEMBER, ZH_MEMBER):
        for typed in ("", "Deep", "social", "没有", "without"):
            for each in await house.group.suggest(who, "paper random", "topic", typed, house.now):
                answer = await house.command(who, "paper random", topic=each.value)
                text = text_of(answer)
                assert "A random paper" in text or "随机" in text, (each, text)


async def test_a_suggested_topic_in_a_query_finds_as_many_papers_as_it_says(house: House) -> None:
    for each in await house.group.suggest(MEMBER, "paper search", "query", "topic:", MONDAY):
        found = await house.group.rooms.search.search(None, each.value)
        assert each.note.split()[0] == str(found.total), each


async def test_what_autocomplete_cannot_know_gives_nothing(house: House) -> None:
    await house.set_up()
    for path, param in (("paper fly", "x"), ("paper show", "wings"), ("club remove", "nobody"), ("", "")):
        for text in ("", "'\"*:(", "\ud83d", "x" * 10_000):
            assert await house.group.suggest(STRANGER, path, param, text, MONDAY) == []
