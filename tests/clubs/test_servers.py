"""Servers that come and go: what rests with them, what comes back, and the one greeting."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.clubs.model import Account, Asker, Channel, Place
from bot.messages.model import Answer
from tests.lab.house import CHAIR, MEMBER, MONDAY, House, ids_in, person, said, text_of

DAYS = timedelta(days=1)


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """The program on an empty store; a few papers are enough."""
    opened = await House.open(tmp_path / "paperclub.db")
    page = "论文检索\n\n" + "\n\n".join(
        f"Theory · Games\n\nAuthor {n}\n\nWe study the number {n} of a long series of matters."
        for n in range(9)
    )
    await opened.group.import_pages([("page.txt", page.encode())], MONDAY)
    yield opened
    await opened.close()


async def joined(house: House, server: str = "w", locale: str | None = "en") -> str:
    """What the greeting says; '' without one."""
    message = await house.group.server_joined("preview", server, locale, house.now)
    if message:
        await house.group.server_greeted("preview", server, house.now)
    return said(message) if message else ""


async def left(house: House, server: str = "w") -> None:
    await house.group.server_left("preview", server, house.now)


async def channels(house: House) -> tuple[Channel, ...]:
    """Where the only club stands; nowhere while it rests."""
    club = await house.group.find_club(None)
    return club.channels if club else ()


async def test_a_server_is_greeted_once_in_its_life(house: House) -> None:
    first = await joined(house)
    assert "Three first steps:" in first
    for step in ("/club setup", "/paper search sinkhorn", "/paper help"):
        assert step in first
    assert await joined(house) == ""
    await left(house)
    house.now += 40 * DAYS
    assert await joined(house) == ""
    assert "先做这三步" in await joined(house, "another", "zh-CN")
    assert "Three first steps:" in await joined(house, "third", "fr")


async def test_a_greeting_is_tried_three_times_a_minute_apart_until_it_stands(house: House) -> None:
    async def hello(server: str) -> bool:
        return await house.group.server_joined("preview", server, "en", house.now) is not None

    assert [await hello("w"), await hello("w"), await hello("v")] == [True, False, True]
    house.now += timedelta(minutes=1)
    assert [await hello("w"), await hello("w")] == [True, False]
    await house.group.server_greeted("preview", "v", house.now)
    house.now += DAYS
    assert [await hello("w"), await hello("v")] == [True, False]
    house.now += DAYS
    assert not await hello("w")


async def test_every_button_of_the_greeting_works_before_set_up(house: House) -> None:
    message = await house.group.server_joined("preview", "w", "en", house.now)
    found = list(ids_in(message))
    assert len(found) == 3
    answers: list[Answer] = [await house.press(CHAIR, each) for each in found]
    assert answers[0].form is not None and answers[0].form.id.startswith("configure:setup")
    assert "sinkhorn" in text_of(answers[1]) and "What Paperclub can do" in text_of(answers[2])
    stranger = text_of(await house.press(MEMBER, found[0]))
    assert "Only whoever manages this server or workspace can set up a club." in stranger


async def test_what_a_left_server_had_rests_and_comes_back(house: House) -> None:
    await joined(house)
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p1")
    await left(house)
    await house.tick()
    assert await house.group.next_event(house.now) is None
    assert await house.group.find_club(None) is None
    await house.until(MONDAY + 3 * DAYS)
    [told] = house.platform.posts  # the organiser, in private
    assert told.to.person == "u1" and "Invite me again within 30 days" in said(told.message)
    house.now += 20 * DAYS
    await joined(house)
    assert "1 paper nominated" in text_of(await house.command(MEMBER, "paper nominations"))
    await house.until(house.now + 7 * DAYS)
    assert house.platform.posts


async def test_leaving_twice_or_an_unknown_server_changes_nothing(house: House) -> None:
    await joined(house)
    await house.set_up()
    await left(house, "unknown")
    assert await house.group.find_club(None) is not None
    for _ in range(2):
        await left(house)
    await joined(house)
    assert await house.group.find_club(None) is not None


async def test_a_club_that_was_deleted_before_stays_deleted(house: House) -> None:
    await joined(house)
    await house.set_up()
    await house.press(CHAIR, "delete:1")
    await left(house)
    away = text_of(await house.press(CHAIR, "restore:1"))
    assert "Paperclub is not in the server or workspace of papers any more." in away
    await joined(house)
    assert await house.group.find_club(None) is None
    assert "papers is back" in text_of(await house.press(CHAIR, "restore:1"))


async def stands_in_two(house: House) -> None:
    """A club with a channel in each of two servers."""
    await joined(house)
    await joined(house, "v")
    await house.set_up()
    await house.database.write(
        lambda tx: tx.run(
            "INSERT INTO channel (club_id, platform, workspace, native_id, created_at)"
            " VALUES (1, 'preview', 'v', 'far', 0)"
        )
    )


async def test_a_club_of_two_servers_goes_on_in_the_other(house: House) -> None:
    await stands_in_two(house)
    await left(house)
    await house.until(MONDAY + DAYS)
    [told] = house.platform.to_person("u1")
    assert "I am not in the server of #papers any more." in said(told.message)
    assert {posted.to.native_id for posted in house.platform.posts if posted is not told} == {"far"}
    await joined(house)
    await house.until(MONDAY + 2 * DAYS)
    assert {posted.to.native_id for posted in house.platform.posts} == {"far", "papers"}


async def test_a_club_whose_servers_were_left_one_by_one_comes_back_with_either(house: House) -> None:
    await stands_in_two(house)
    await left(house)
    await left(house, "v")
    await joined(house)
    assert [each.native_id for each in await channels(house)] == ["papers"]
    await joined(house, "v")
    assert [each.native_id for each in await channels(house)] == ["papers", "far"]


async def test_other_servers_are_not_touched(house: House) -> None:
    for server in ("w", "v"):
        await joined(house, server)
        await house.set_up(person(1, f"in-{server}", server=server, admin=True))
    await left(house)
    assert [club.name for club in [await house.group.find_club(None)] if club] == ["in-v"]
    asked = Asker(Account("slack", "v", "u1"), Place("slack", "v", "in-v"), "Member 1", admin=True)
    assert "no club in this channel" in text_of(await house.command(asked, "paper today"))


async def test_a_vote_whose_closing_passed_is_open_again(house: House) -> None:
    await joined(house)
    await house.set_up()
    for paper in ("p1", "p2"):
        await house.command(MEMBER, "paper nominate", paper=paper)
    await house.until(datetime(2026, 12, 3, 9, tzinfo=UTC))
    await house.vote(MEMBER, 1, "p1")
    await left(house)
    house.now += 5 * DAYS
    await house.tick()
    await joined(house)
    await house.drawn()
    assert "Counted." in text_of(await house.vote(CHAIR, 1, "p1"))
    poll = next(p for p in house.platform.posts if "vote:1" in list(ids_in(p.message)))
    assert "was away" in said(poll.message)


# ---- after a time without a connection ----


async def seen(house: House, *servers: str) -> tuple[str, ...]:
    return await house.group.servers_seen("preview", servers, house.now)


async def test_servers_are_told_until_they_are_greeted(house: House) -> None:
    assert await seen(house, "w", "v", "w") == ("w", "v")
    assert "Three first steps:" in await joined(house, "w")
    assert await seen(house, "w", "v") == ("v",)
    assert await joined(house, "w") == ""


async def test_servers_that_are_gone_count_as_left_and_those_back_as_joined(house: House) -> None:
    await seen(house, "w", "v")
    for server in ("w", "v"):
        await joined(house, server)
        await house.set_up(person(1, f"in-{server}", server=server, admin=True))
    assert await seen(house, "v") == ()
    assert [club.name for club in [await house.group.find_club(None)] if club] == ["in-v"]
    house.now += 3 * DAYS
    assert await seen(house, "v", "w") == ()
    assert await house.group.find_club("in-w") is not None
    await house.group.servers_seen("other", (), house.now)
    assert await house.group.find_club("in-v") is not None
