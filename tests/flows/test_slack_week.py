"""A week of a club in Slack: proposed, voted, decided and talked about, pressed and seen by its members."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.lab.chatlab.common import LabError
from tests.lab.chatlab.fakeslack import User
from tests.lab.slack_house import (
    ClubWorkspace,
    clean_log,
    club_workspace,
    fields,
    ids,
    standing,
    ticked,
)

__all__ = ["clean_log"]

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
WEEK, HOUR, SECOND = timedelta(days=7), timedelta(hours=1), timedelta(seconds=1)
TURNOUT = re.compile(r"\d+ ha(s|ve) voted|已有 \d+ 人投票|'block_id': '[^']*'")
"""What a poll may change while it is open; blocks get ids of Slack's own."""
LINK = "https://example.org/papers/on-reading"


@pytest.fixture(params=["socket", "http"])
async def here(stocked: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[ClubWorkspace]:
    """A workspace with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db", http=request.param == "http") as opened:
        yield opened


@pytest.fixture
async def by_socket(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubWorkspace]:
    """The same by socket alone, for what does not depend on the way."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db") as opened:
        yield opened


async def open_vote(here: ClubWorkspace, *papers: str) -> None:
    """A club with a vote on these papers, proposed by one member each, opened a moment ago."""
    await here.set_up()
    for who, paper in zip(here.people(len(papers)), papers, strict=True):
        await here.typed(who, f"/paper nominate {paper}")
    await here.until(OPENS)


async def proposed_by_link(here: ClubWorkspace, who: User) -> str:
    """Somebody proposes an address nobody knew, and gives its title."""
    asked = await here.typed(who, f"/paper nominate <{LINK}|example.org>")
    form = await here.opened(who, asked, next(i for i in ids(asked) if i.startswith("nominate-form:")))
    assert "title" in fields(form)
    return (await here.sent(who, form, {"title": "On reading together"})).shown


WORDS = {
    "en": {
        "nominated": "Nominated: ",
        "back": "is nominated already, by",
        "backed": "also backed by",
        "withdrawn": "Withdrawn: ",
        "list": "5 papers nominated.",
        "open": "Vote open",
        "none": "0 have voted",
        "all": "19 have voted",
        "counted": "Counted. You would read: ",
        "blank": "Counted as present, without a wish.",
        "taken": "Withdrawn, as if you had not voted.",
        "result": "Winner: ",
        "tie": "A tie, broken by age",
        "voters": "19 members voted",
        "talk": "Discussion",
        "next": "next, for the meeting on",
        "kept": "4 papers nominated",
        "paper": "Today’s paper",
        "mine": "You would read: paper",
        "due": "What is due",
    },
    "zh": {
        "nominated": "已提名：",
        "back": "你已附议",
        "backed": "附议",
        "withdrawn": "已撤回提名：",
        "list": "已提名 5 篇。",
        "open": "投票进行中",
        "none": "已有 0 人投票",
        "all": "已有 19 人投票",
        "counted": "已计入。你愿意读：",
        "blank": "已计为参加，未选论文。",
        "taken": "撤回",
        "result": "胜出",
        "tie": "平票，先提名的胜出",
        "voters": "19 位成员投票",
        "talk": "讨论",
        "next": "下一篇，",
        "kept": "已提名 4 篇",
        "paper": "今日论文",
        "mine": "你愿意读：",
        "due": "接下来",
    },
}


@pytest.mark.parametrize(("language", "locale"), [("en", "en-GB"), ("zh", "zh-CN")])
async def test_twenty_members_choose_a_paper(here: ClubWorkspace, language: str, locale: str) -> None:
    words = WORDS[language]
    people = here.people(20, locale)
    first, second, third, fourth, fifth = people[:5]
    await here.set_up(locale, language)
    await here.until(here.now + HOUR)
    before = await here.home(people[19], words["due"])
    assert words["mine"] not in before and words["paper"] in before

    # Proposed: by id, with a reason, by an address, from a message, backed by another, taken back.
    assert words["nominated"] in (await here.typed(first, "/paper nominate p57")).shown
    await here.later(60)
    reason = await here.typed(second, "/paper nominate p10 Short *and* good &amp; &lt;new&gt;")
    assert words["nominated"] in reason.shown
    assert words["back"] in (await here.typed(third, "/paper nominate p57")).shown
    await here.later(60)
    assert words["nominated"] in await proposed_by_link(here, third)
    for paper in ("p21", "p33"):
        done = await here.typed(fourth, f"/paper nominate {paper}")
    gone = await here.pressed(fourth, done, next(i for i in ids(done) if i.startswith("withdraw:")))
    assert words["withdrawn"] in gone.shown
    said = here.lab.say(fifth, here.channel, "What of <https://example.org/papers/on-reading>, and of this?")
    known = await here.answer(await here.lab.shortcut(fifth, "nominate", message=said))
    assert known.only_for == fifth.id and words["back"] in known.shown
    said = here.lab.say(fifth, here.channel, "Better <https://example.org/papers/other|another one>")
    asked = await here.answer(await here.lab.shortcut(fifth, "nominate", message=said))
    form = await here.opened(fifth, asked, next(i for i in ids(asked) if i.startswith("nominate-form:")))
    assert words["nominated"] in (await here.sent(fifth, form, {"title": "Another one"})).shown
    listed = (await here.typed(people[9], "/paper nominations")).shown
    assert words["list"] in listed and words["backed"] in listed
    assert "Short *and* good & <new>" in listed and "p33" not in listed and "On reading together" in listed
    assert here.shown(words["nominated"]) == []  # nothing of it is public

    # Opened: the ballot in everybody's language, nothing leans.
    await here.until(OPENS)
    poll = here.poll()
    assert words["open"] in poll.shown and words["none"] in poll.shown
    ballot = await here.ballot(people[0])
    papers = [each["value"] for name in standing(ballot) for each in fields(ballot)[name]["options"]]
    assert papers[:2] == ["p57", "p10"] and len(papers) == 5 and papers[3] == "p21"
    await here.lab.close_view(people[0], ballot)

    # Ballots: many at once, changed, blank, taken back; some from one's Home.
    votes = [("p57", "p10")] * 6 + [("p10",)] * 3 + [("p57",)] * 3 + [("p21", papers[2])] * 6 + [()] * 2
    told = await asyncio.gather(*(here.vote(who, *ticks) for who, ticks in zip(people, votes, strict=True)))
    assert all(
        (words["counted"] if ticks else words["blank"]) in text
        for text, ticks in zip(told, votes, strict=True)
    )
    form = await here.ballot(people[12])
    assert standing(form) == ticked(form, "p21", papers[2])
    await here.lab.close_view(people[12], form)
    assert words["counted"] in await here.vote(people[12], "p10")
    assert words["mine"] in await here.home(people[13], words["mine"])
    await here.lab.click(people[13], "home", "vote:1")
    view = await here.lab.wait_view(people[13])
    await here.lab.wait_for(lambda: view.payload.get("submit"), 5, "a form")
    await here.lab.submit(people[13], view, ticked(view, "p57"))
    await here.lab.wait_for(lambda: words["counted"] in view.shown, 5, lambda: view.shown)
    await here.lab.close_view(people[13], view)
    mine = await here.pressed(people[19], poll, "mine:1")
    taken = await here.redrawn(people[19], mine, "retract:1")
    assert words["taken"] in taken.shown and taken.ephemeral
    await here.stands(None, words["all"])
    assert here.poll() is poll
    seen = [str(each["blocks"]) for each in poll.history] + [str(poll.blocks)]
    assert len(seen) > 1 and len({TURNOUT.sub("", each) for each in seen}) == 1  # nothing leans

    # Closed: a tie broken as announced, told, explained, with a place to talk.
    await here.until(CLOSES)
    (result,) = here.shown(words["result"])
    assert words["tie"] in result.shown and words["voters"] in result.shown
    counts = Counter(paper for each in (*votes[:12], ("p10",), ("p57",), *votes[14:]) for paper in each)
    assert counts["p57"] == counts["p10"] == 10
    assert result.shown.count("10 of 19" if language == "en" else "10 / 19") >= 2
    how = await here.pressed(people[4], result, "how:1")
    assert how.only_for == people[4].id and how.shown
    (talk,) = here.shown(thread=result.ts)
    assert words["talk"] in talk.shown and not talk.broadcast
    for command, said_there in (("history", "next"), ("results", "result"), ("nominations", "kept")):
        assert words[said_there] in (await here.typed(people[5], f"/paper {command}")).shown, command
    assert "vote:1" not in ids(poll)
    assert len(here.shown(words["paper"])) == 5
    after = await here.home(people[19], words["due"])
    assert words["mine"] not in after and after != before
    assert all(each.pings == set() for each in here.shown())

    # And the week after.
    await here.until(OPENS + WEEK)
    assert here.poll() is not poll and "p57" not in str(here.poll().blocks)


# ---- forms, buttons and clicks that come at odd moments ----


@pytest.mark.parametrize("away", [timedelta(0), 20 * HOUR])
async def test_a_ballot_opened_before_a_restart_counts_after_it(here: ClubWorkspace, away: timedelta) -> None:
    await open_vote(here, "p57", "p10")
    form = await here.ballot(here.ada)
    await here.restart(here.now + away)
    here.meant |= {"expired_url"}
    sent = await here.sent(here.ada, form, ticked(form, "p10"))
    assert sent.only_for == here.ada.id and "Counted. You would read: paper 2." in sent.shown
    assert "Counted. You would read: paper 1." in await here.vote(here.bea, "p57")
    await here.until(CLOSES)
    assert "2 members voted" in here.shown("Winner")[0].shown


async def test_a_form_to_propose_opened_before_a_restart_is_taken_after_it(here: ClubWorkspace) -> None:
    await here.set_up()
    listed = await here.typed(here.ada, "/paper nominations")
    form = await here.opened(here.ada, listed, next(i for i in ids(listed) if i.startswith("nominate-form")))
    await here.restart()
    assert "Nominated: " in (await here.sent(here.ada, form, {"paper": "p57"})).shown
    assert "p57" in (await here.typed(here.bea, "/paper nominations")).shown


async def test_the_poll_is_pressed_after_minutes_restarts_days_and_the_end(here: ClubWorkspace) -> None:
    people = here.people(4)
    await here.set_up()
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    await here.later()
    poll = here.poll()
    hours = (timedelta(minutes=5), HOUR, 10 * HOUR, 72 * HOUR)
    for who, later in zip(people, hours, strict=True):
        await here.restart(here.now + later)
        assert "Counted" in await here.vote(who, "p57", poll=poll)
    assert here.poll() is poll and len(here.shown("Which of these")) == 1
    old, buttons = poll.blocks, ids(poll)
    await here.typed(here.owner, "/club close vote We met")
    await here.later()
    poll.blocks = old  # as a screen shows it that was not drawn again
    late = await here.pressed(people[0], poll, "vote:1")
    assert late.ephemeral and "This vote closed on" in late.shown and "stands: paper 1." in late.shown
    for each in buttons:
        assert (await here.pressed(here.ada, poll, each)).ephemeral
    assert "4 members voted" in here.shown("Winner")[0].shown


async def test_a_press_in_the_second_the_bot_starts_is_answered(by_socket: ClubWorkspace) -> None:
    here = by_socket
    await open_vote(here, "p57", "p10")
    poll = here.poll()
    await here.close()
    with pytest.raises(LabError):
        await here.lab.click(here.ada, poll, "vote:1")
    await here.open()
    here.connect()
    await here.lab.wait_for(lambda: here.lab.courier.reachable, 10, "a connection")
    form = await here.opened(here.ada, poll, "vote:1")
    assert "Counted. You would read: paper 1." in (await here.sent(here.ada, form, ticked(form, "p57"))).shown


async def test_a_form_sent_after_closing_is_not_counted_and_says_so(here: ClubWorkspace) -> None:
    await open_vote(here, "p57", "p10")
    form = await here.ballot(here.ada)
    await here.vote(here.bea, "p10")
    here.meant |= {"expired_url"}
    await here.until(CLOSES)
    late = (await here.sent(here.ada, form, ticked(form, "p57"))).shown
    assert "was not counted" in late and "You had not voted before closing." in late
    assert "1 member voted" in here.shown("Winner")[0].shown


async def test_ten_clicks_at_once_are_one_ballot(here: ClubWorkspace) -> None:
    people = here.people(2)
    await open_vote(here, "p57", "p10")
    poll = here.poll()
    forms = await asyncio.gather(*(here.ballot(here.ada, poll) for _ in range(10)))
    sent = await asyncio.gather(*(here.lab.submit(here.ada, form, ticked(form, "p57")) for form in forms))
    assert all(each.acknowledged and each.errors == [] for each in sent)
    await here.lab.wait_for(lambda: len(here.told(here.ada, "Counted. You would read: paper 1.")) == 10, 10)
    one, other = [await here.ballot(here.bea, poll) for _ in range(2)]
    await asyncio.gather(
        here.sent(here.bea, one, ticked(one, "p57")), here.sent(here.bea, other, ticked(other, "p10"))
    )
    await asyncio.gather(here.vote(people[0], "p57"), here.vote(people[1], "p10"))
    await here.stands(None, "4 have voted")
    await here.until(CLOSES)
    result = here.shown("Winner")[0].shown
    counts = [int(each) for each in re.findall(r"(\d) of 4", result)[:2]]
    assert sum(counts) == 4 and "4 members voted" in result


# ---- one's own page ----


def _grew(number: Callable[[], int], before: int) -> bool:
    return number() > before


async def test_home_follows_the_week(by_socket: ClubWorkspace) -> None:
    here = by_socket
    assert "Admins and owners of this workspace" in await here.home(here.ada)
    await open_vote(here, "p57", "p10")
    assert "You have not voted in this round." in await here.home(here.ada, "What is due")
    await here.vote(here.ada, "p10")
    assert "You would read: paper 2." in await here.home(here.ada, "You would read")
    await here.until(CLOSES)
    assert "You would read" not in await here.home(here.ada, "No vote is open.")


async def test_many_presses_on_home_at_once_leave_its_last_state(by_socket: ClubWorkspace) -> None:
    here = by_socket
    await here.set_up()
    await here.until(here.now + HOUR)
    page = await here.home(here.ada, "Today’s paper")
    for _ in range(6):
        before = here.published()
        for _ in range(4):
            here.lab.open_home(here.ada)
            await here.lab.click(here.ada, "home", "nominations", wait=False)
        await here.lab.wait_for(partial(_grew, here.published, before), 5, "a Home")
    await here.pressed(here.ada, await here.typed(here.ada, "/paper show p57"), "Save")
    assert page != await here.home(here.ada, "p57")
