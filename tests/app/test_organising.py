"""What organisers take away and take back: the right to write, a post, a whole club."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from bot.clubs.model import Asker
from bot.errors import Refused, Uncertain
from bot.messages.model import Answer, Button
from bot.storage.database import Row
from tests.lab.house import CHAIR, MEMBER, OTHER, STRANGER, House, ids_in, person, text_of
from tests.lab.sides import HERE, club_on_both

NINE = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def warned(answer: Answer) -> str:
    """The id of the one button that warns."""
    assert answer.message is not None
    buttons = [
        b for block in answer.message.blocks for b in getattr(block, "items", ()) if isinstance(b, Button)
    ]
    (warn,) = [button.id for button in buttons if button.kind == "warn"]
    return warn


async def rows(house: House, sql: str, **params: object) -> Sequence[Row]:
    return await house.database.read(lambda tx: tx.rows(sql, **params))


async def acts(house: House) -> list[str]:
    return [row[0] for row in await rows(house, "SELECT what FROM act ORDER BY id")]


# ---- members by mention ----


async def test_a_mention_names_a_member_who_never_said_anything(house: House) -> None:
    await house.set_up()
    done = await house.command(CHAIR, "club organisers", change="add", member="<@u5|Member 5>")
    assert "Member 5 is an organiser now." in text_of(done)
    assert "Club settings" in text_of(await house.command(person(5), "club settings"))
    gone = await house.command(CHAIR, "club organisers", change="remove", member="<@u5|Someone’s new name>")
    assert "Member 5 is no longer an organiser." in text_of(gone)


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("<@u7>", "u7"),
        ("<@!u7>", "u7"),
        ("<@u7|>", "u7"),
        ("<@u7|  >", "u7"),
        ("<@u7|a | b > c>", "a | b > c"),
        ("<@u7|two\nlines>", "two lines"),
        (" <@u7|Member 7> ", "Member 7"),
    ],
)
async def test_a_mention_is_read_however_it_is_written(house: House, mention: str, name: str) -> None:
    await house.set_up()
    assert f"{name} is blocked" in text_of(await house.command(CHAIR, "club block", member=mention))
    assert "blocked you" in text_of(await house.command(person(7), "paper nominate", paper="p57"))


async def test_a_mention_never_reaches_another_clubs_member(house: House) -> None:
    await house.set_up()
    there = person(8, "talk", admin=True)
    await house.set_up(there, name="Second")
    await house.command(person(7), "paper nominate", paper="p57")
    await house.command(there, "club block", member="<@u7|Member 7>")
    assert "Nominated: " in text_of(await house.command(person(7), "paper nominate", paper="p58"))
    assert "blocked you" in text_of(await house.command(person(7, "talk"), "paper nominate", paper="p58"))


# ---- block ----


async def test_who_is_blocked_may_vote_and_take_back_but_not_write(house: House) -> None:
    await house.set_up()
    for who, paper in ((MEMBER, "p57"), (OTHER, "p58")):
        await house.command(who, "paper nominate", paper=paper)
    done = text_of(await house.command(CHAIR, "club block", member="Member 2"))
    assert "Member 2 is blocked: they may vote, but not nominate, back or give reasons." in done
    assert "/club remove takes one off." in done
    refused = "An organiser has blocked you: you may vote, but not nominate"
    for answer in (
        await house.command(MEMBER, "paper nominate", paper="p59"),
        await house.command(MEMBER, "paper nominate", paper="https://example.org/a"),
        await house.press(MEMBER, "nominate:p58"),
        await house.press(MEMBER, "nominate-form"),
        await house.submit(MEMBER, "propose", paper="p60", reason="Because"),
        await house.submit(MEMBER, "propose", paper="https://example.org/b", title="Mine"),
    ):
        assert answer.kind == "private"
        assert refused in text_of(answer) and "Ask Member 1." in text_of(answer), text_of(answer)
    listed = text_of(await house.command(OTHER, "paper nominations"))
    assert "2 papers nominated" in listed
    await house.until(OPENS)
    assert "Counted." in text_of(await house.vote(MEMBER, 1, "p58"))
    assert "Withdrawn: " in text_of(await house.press(MEMBER, "withdraw:1"))
    assert "block" in await acts(house)


async def test_a_block_is_lifted_by_the_button_below_it(house: House) -> None:
    await house.set_up()
    blocked = await house.command(CHAIR, "club block", member="<@u2|Member 2>")
    again = await house.command(CHAIR, "club block", member="Member 2")
    assert "Member 2 is blocked already" in text_of(again)
    (button,) = ids_in(again.message)
    assert button.startswith("unblock:") and button in ids_in(blocked.message)
    assert "Let them nominate again" in text_of(again)
    done = await house.press(CHAIR, button)
    assert done.kind == "private" and "Member 2 may nominate and give reasons again." in text_of(done)
    assert "Nominated: " in text_of(await house.command(MEMBER, "paper nominate", paper="p57"))
    assert "Member 2 is not blocked." in text_of(await house.press(CHAIR, button))
    assert (await acts(house))[-3:] == ["block", "unblock", "nominate"]


async def test_only_organisers_of_this_club_lift_its_blocks(house: House) -> None:
    await house.set_up()
    there = person(8, "talk", admin=True)
    await house.set_up(there, name="Second")
    (button,) = ids_in((await house.command(CHAIR, "club block", member="<@u2|Member 2>")).message)
    assert "Only organisers can do this." in text_of(await house.press(MEMBER, button))
    assert "no such member" in text_of(await house.press(there, button))
    for wrong in ("unblock:0", "unblock:999"):
        assert "no such member" in text_of(await house.press(CHAIR, wrong))
    for wrong in ("unblock:", "unblock", "unblock:Member 2", "unblock:-1"):
        assert "This button belongs to nothing any more." in text_of(await house.press(CHAIR, wrong))
    assert "blocked you" in text_of(await house.command(MEMBER, "paper nominate", paper="p57"))


async def test_organisers_are_not_blocked_and_nobody_blocks_themselves(house: House) -> None:
    await house.set_up()
    await house.command(CHAIR, "club organisers", change="add", member="<@u2|Member 2>")
    answer = text_of(await house.command(CHAIR, "club block", member="Member 2"))
    assert "Member 2 is an organiser, and organisers cannot be blocked." in answer
    other_admin = person(3, admin=True)
    assert "cannot block yourself" in text_of(await house.command(other_admin, "club block", member="<@u3>"))


# ---- undo ----


async def posted_at_nine(house: House) -> str:
    """A club whose paper of Monday stands; the id of that paper."""
    await house.set_up()
    await house.until(NINE + MINUTE)
    assert len(house.platform.posts) == 1
    return str((await rows(house, "SELECT 'p' || paper_id FROM pick"))[0][0])


async def test_the_last_post_is_taken_back_wherever_it_stands(house: House) -> None:
    paper = await posted_at_nine(house)
    asked = await house.command(CHAIR, "club undo")
    assert "Take back the last post: " in text_of(asked) and len(house.platform.posts) == 1
    assert warned(asked) == f"undo:2026-11-30:{paper}"
    assert "Taken back: " in text_of(await house.press(CHAIR, warned(asked)))
    await house.tick(house.now + MINUTE)
    assert not house.platform.posts
    assert not await rows(house, "SELECT 1 FROM pick")
    assert "No paper has been posted yet." in text_of(await house.command(MEMBER, "paper today"))
    why = text_of(await house.command(MEMBER, "paper why"))
    assert "Posted Mon 30 Nov, 09:00. An organiser took it back. It was " in why and f"({paper})" in why
    assert (await acts(house))[-1] == "undo"


async def test_a_second_press_takes_back_nothing_else(house: House) -> None:
    await posted_at_nine(house)
    await house.command(CHAIR, "club post now")
    await house.tick(house.now + MINUTE)
    assert len(house.platform.posts) == 2
    button = warned(await house.command(CHAIR, "club undo"))
    assert button.startswith("undo:extra:1:p")
    for words in ("Taken back: ", "This post was taken back already", "This post was taken back already"):
        assert words in text_of(await house.press(CHAIR, button))
    await house.tick(house.now + MINUTE)
    assert len(house.platform.posts) == 1
    assert warned(await house.command(CHAIR, "club undo")).startswith("undo:2026-11-30:")


async def test_the_paper_may_come_again_but_not_on_the_same_day(house: House) -> None:
    await posted_at_nine(house)
    first = (await rows(house, "SELECT paper_id FROM pick"))[0][0]
    await house.press(CHAIR, warned(await house.command(CHAIR, "club undo")))
    extras = []
    for number in range(1, 4):
        await house.press(CHAIR, "post")
        await house.tick(house.now + MINUTE)
        pick = (await rows(house, "SELECT subject, paper_id FROM pick"))[0]
        extras.append(pick[1])
        assert pick[0] == f"extra:{number}"
        await house.press(CHAIR, warned(await house.command(CHAIR, "club undo")))
        await house.tick(house.now + MINUTE)
        assert not house.platform.posts
    assert len({first, *extras}) == 4
    await house.until(NINE + timedelta(days=1, minutes=1))
    assert len(house.platform.posts) == 1
    day = (await rows(house, "SELECT paper_id FROM pick"))[0][0]
    assert day in {first, *extras}  # nothing was posted, so the turn is where it was


async def test_a_post_that_waits_is_not_sent_any_more(house: House) -> None:
    await house.set_up()
    house.platform.fault = Refused("network")
    await house.until(NINE + MINUTE)
    button = warned(await house.command(CHAIR, "club undo"))
    await house.press(CHAIR, button)
    house.platform.fault = None
    await house.until(NINE + timedelta(hours=3))
    assert not house.platform.posts
    assert "not posted: an organiser took it back." in text_of(await house.command(MEMBER, "paper why"))
    assert "no post to take back" in text_of(await house.command(CHAIR, "club undo"))


async def test_a_post_that_may_have_gone_out_is_taken_back_once_it_is_found(house: House) -> None:
    await house.set_up()
    send = house.platform.send

    async def lost(*args: object, **values: object) -> object:
        await send(*args, **values)  # type: ignore[arg-type]
        raise Uncertain("network")

    house.platform.send = lost  # type: ignore[method-assign, assignment]
    await house.tick(NINE)
    assert len(house.platform.posts) == 1
    await house.press(CHAIR, warned(await house.command(CHAIR, "club undo")))
    await house.until(NINE + timedelta(minutes=10))
    assert not house.platform.posts


async def test_a_waiting_post_that_was_taken_back_can_be_posted_and_taken_back_again(house: House) -> None:
    await house.set_up()
    house.platform.fault = Refused("network")
    await house.until(NINE + MINUTE)
    await house.press(CHAIR, warned(await house.command(CHAIR, "club undo")))
    house.platform.fault = None
    await house.command(CHAIR, "club post now")
    await house.tick(house.now + MINUTE)
    assert len(house.platform.posts) == 1
    await house.press(CHAIR, warned(await house.command(CHAIR, "club undo")))
    await house.tick(house.now + MINUTE)
    assert not house.platform.posts


async def test_only_this_clubs_posts_are_taken_back(house: House) -> None:
    paper = await posted_at_nine(house)
    there = person(8, "talk", admin=True)
    await house.set_up(there, name="Second")
    assert "no post to take back" in text_of(await house.command(there, "club undo"))
    answer = await house.press(there, f"undo:2026-11-30:{paper}")
    assert "taken back already, or it was never sent" in text_of(answer)
    await house.tick(house.now + MINUTE)
    assert len(house.platform.posts) == 1


# ---- delete, restore ----


async def delete(house: House, who: Asker = CHAIR) -> Answer:
    return await house.press(who, warned(await house.command(who, "club delete")))


async def test_a_deleted_club_does_nothing_any_more(house: House) -> None:
    await house.set_up()
    for paper in ("p57", "p58"):
        await house.command(MEMBER, "paper nominate", paper=paper)
    await house.until(OPENS + MINUTE)
    asked = text_of(await house.command(CHAIR, "club delete"))
    assert asked.startswith("Delete papers?")
    assert "The vote that is open ends without a result." in asked and "30 days" in asked
    standing = len(house.platform.posts)
    told = await delete(house)
    assert "papers is deleted. Nothing more is posted." in text_of(told)
    assert "restore:1" in list(ids_in(told.message))
    await house.tick(house.now + MINUTE)
    assert await house.group.next_event(house.now) is None
    await house.until(house.now + timedelta(days=20))
    await house.drawn()
    assert len(house.platform.posts) == standing
    assert [row[0] for row in await rows(house, "SELECT state FROM round")] == ["voting"]
    for path in ("paper today", "paper why"):
        assert "There is no club in this channel yet." in text_of(await house.command(MEMBER, path))
    for answer in (
        await house.press(MEMBER, "vote:1"),
        await house.vote(MEMBER, 1, "p57"),
        await house.press(CHAIR, "delete:1"),
    ):
        text = text_of(answer)
        assert "There is no club in this channel yet." in text or "papers was deleted." in text, text
    assert await house.group.find_club(None) is None


async def test_nothing_that_waited_goes_out_after_the_end(house: House) -> None:
    await house.set_up()
    house.platform.fault = Refused("network")
    await house.until(NINE + MINUTE)
    await delete(house)
    house.platform.fault = None
    await house.until(NINE + timedelta(hours=5))
    assert not house.platform.posts
    assert {row[0] for row in await rows(house, "SELECT reason FROM delivery")} == {"deleted"}


async def test_a_club_comes_back_as_it_was(house: House) -> None:
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p57")
    await delete(house)
    house.now += timedelta(days=10)
    back = await house.press(CHAIR, "restore:1")
    assert "papers is back, with all it had." in text_of(back) and "Next paper" in text_of(back)
    assert "1 paper nominated" in text_of(await house.command(MEMBER, "paper nominations"))
    await house.until(house.now + timedelta(days=3))
    assert house.platform.posts
    assert [each for each in await acts(house) if each in ("delete", "restore")] == ["delete", "restore"]
    assert "There is no deleted club here" in text_of(await house.press(CHAIR, "restore:1"))


async def test_a_vote_that_should_have_closed_goes_on_for_as_long_as_it_would_have(house: House) -> None:
    await house.set_up()
    for paper in ("p57", "p58"):
        await house.command(MEMBER, "paper nominate", paper=paper)
    await house.until(OPENS + MINUTE)
    await house.vote(MEMBER, 1, "p58")
    await delete(house)
    left = CLOSES - house.now
    house.now += timedelta(days=9)
    assert "A vote is open until" in text_of(await house.command(CHAIR, "club restore"))
    closes = (await rows(house, "SELECT closes_at FROM round"))[0][0]
    await house.until(house.now + left - MINUTE)
    assert "Counted." in text_of(await house.vote(OTHER, 1, "p58"))
    await house.until(house.now + 2 * MINUTE)
    assert [row[0] for row in await rows(house, "SELECT outcome FROM round")] == ["decided"]
    assert closes == (await rows(house, "SELECT closes_at FROM round"))[0][0]


async def test_who_may_bring_a_club_back(house: House) -> None:
    await house.set_up()
    await house.command(CHAIR, "club organisers", change="add", member="<@u2|Member 2>")
    await house.command(OTHER, "paper nominate", paper="p57")
    await delete(house, MEMBER)
    nobody = "There is no deleted club here that you can bring back."
    for who in (OTHER, STRANGER, person(3, "elsewhere"), person(9, "elsewhere", admin=True)):
        assert nobody in text_of(await house.command(who, "club restore"))
    for who in (OTHER, STRANGER, person(9, "papers", server="v", admin=True)):
        assert nobody in text_of(await house.press(who, "restore:1"))
    assert "is back" in text_of(await house.command(person(2, "elsewhere"), "club restore"))
    await delete(house, MEMBER)
    assert "is back" in text_of(await house.command(person(9, admin=True), "club restore"))


async def test_after_thirty_days_a_club_does_not_come_back(house: House) -> None:
    await house.set_up()
    await delete(house)
    house.now += timedelta(days=30)
    for answer in (await house.press(CHAIR, "restore:1"), await house.command(CHAIR, "club restore")):
        assert "There is no deleted club here" in text_of(answer)


async def test_the_channel_is_free_and_a_new_club_in_it_stays(house: House) -> None:
    await house.set_up()
    await delete(house)
    assert "New is set up" in text_of(await house.set_up(name="New"))
    taken = text_of(await house.press(CHAIR, "restore:1"))
    assert "The channel of papers belongs to New now." in taken
    house.now += MINUTE
    await delete(house)
    assert "papers is back" in text_of(await house.press(CHAIR, "restore:1"))
    assert "The channel of New belongs to papers now." in text_of(await house.press(CHAIR, "restore:2"))
    club = await house.group.find_club(None)
    assert club is not None and club.name == "papers" and [c.native_id for c in club.channels] == ["papers"]


async def test_a_button_to_delete_names_its_club(house: House) -> None:
    await house.set_up()
    there = person(1, "talk", admin=True)
    await house.set_up(there, name="Second")
    assert "belongs to nothing" in text_of(await house.press(there, "delete:1"))
    assert await house.group.find_club("papers") is not None


async def test_what_is_asked_in_chinese_is_answered_in_chinese(house: House) -> None:
    await house.set_up()
    reader = person(1, locale="zh-CN", admin=True)
    assert "已限制 Member 2" in text_of(await house.command(reader, "club block", member="<@u2|Member 2>"))
    assert "没有可以撤回的帖子" in text_of(await house.command(reader, "club undo"))
    assert "删除 papers？" in text_of(await house.command(reader, "club delete"))
    assert "papers 已删除" in text_of(await house.press(reader, "delete:1"))
    assert "papers 已恢复" in text_of(await house.press(reader, "restore:1"))


@pytest.mark.parametrize("why", ["off", "trouble", "network"])
async def test_a_side_that_is_away_holds_up_no_post_of_the_other(both: House, why: str) -> None:
    await club_on_both(both)
    slack, discord = both.platforms["slack"], both.platforms["discord"]
    connected = both.group.rooms.platforms
    assert isinstance(connected, dict)
    if why == "off":
        del connected["slack"]
    elif why == "trouble":
        slack.broken["slack-papers"] = "forbidden"
    else:
        slack.fault = Refused("network")
    for number in (1, 2, 3):
        assert "posted already" not in text_of(await both.command(HERE, "club post now"))
        await both.tick(both.now + timedelta(seconds=1))
        assert len(discord.in_channel("discord-papers")) == number
    slack.fault = None
    slack.broken.clear()
    connected["slack"] = slack
    await both.until(both.now + timedelta(hours=1, minutes=30))
    assert len(slack.in_channel("slack-papers")) == 3


async def test_asking_twice_for_a_post_says_that_it_comes(both: House) -> None:
    await club_on_both(both)
    assert "On its way" in text_of(await both.command(HERE, "club post now"))
    assert "posted already, or on its way" in text_of(await both.command(HERE, "club post now"))
    await both.tick(both.now + timedelta(seconds=1))
    assert [len(each.posts) for each in both.platforms.values()] == [1, 1]


async def test_a_post_nobody_can_have_now_is_planned_once(both: House) -> None:
    await club_on_both(both)
    connected = both.group.rooms.platforms
    assert isinstance(connected, dict)
    sides = dict(connected)
    await both.command(HERE, "club post now")
    await both.tick(both.now + timedelta(seconds=1))
    connected.clear()
    assert "On its way" in text_of(await both.command(HERE, "club post now"))
    for _ in range(2):
        assert "posted already, or on its way" in text_of(await both.command(HERE, "club post now"))
    connected.update(sides)
    await both.tick(both.now + timedelta(seconds=1))
    assert [len(each.posts) for each in both.platforms.values()] == [2, 2]
