"""A week of a club in Discord: proposed, voted, decided and talked about, pressed and seen by its members."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.lab.chatlab.common import LabError
from tests.lab.chatlab.fakediscord import User
from tests.lab.discord_house import ClubServer, club_server, ids, page, standing, ticked

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
WEEK, HOUR, SECOND = timedelta(days=7), timedelta(hours=1), timedelta(seconds=1)
CHANGES = re.compile(r"\d+ ha(s|ve) voted|已有 \d+ 人投票| · [a-z2-7]{6}(?=')")
"""What a poll may change while it is open: the turnout; and the code by which it is found is there at first only."""

LINK = "https://example.org/papers/on-reading"


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubServer]:
    """A server with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_server(tmp_path / "paperclub.db") as opened:
        yield opened


async def open_vote(here: ClubServer, *papers: str) -> None:
    """A club with a vote on these papers, proposed by one member each, opened a moment ago."""
    await here.set_up()
    for who, paper in zip(here.people(len(papers)), papers, strict=True):
        await here.typed(who, "paper nominate", paper=paper)
    await here.until(OPENS)


async def proposed_by_link(here: ClubServer, who: User) -> str:
    """Somebody proposes an address nobody knew, and gives its title."""
    asked = page(await here.typed(who, "paper nominate", paper=LINK))
    form = await here.opened(who, asked, asked.buttons[0])
    names = [part["component"]["custom_id"] for part in form.modal["components"] if "component" in part]
    assert "title" in names
    return page(await here.sent(who, form, {"title": "On reading together"})).text


WORDS = {
    "en": {
        "nominated": "Nominated: ",
        "back": "is nominated already, by",
        "backed": "also backed by",
        "withdrawn": "Withdrawn: ",
        "list": "4 papers nominated.",
        "open": "Vote open",
        "none": "0 have voted",
        "all": "19 have voted",
        "counted": "Counted. You would read: ",
        "blank": "Counted as present, without a wish.",
        "taken": "Withdrawn, as if you had not voted.",
        "result": "**Result**",
        "tie": "A tie, broken by age",
        "voters": "19 members voted",
        "talk": "**Discussion**",
        "next": "next, for the meeting on",
        "late": "This vote closed on",
        "kept": "3 papers nominated",
        "paper": "Today’s paper",
    },
    "zh": {
        "nominated": "已提名：",
        "back": "你已附议",
        "backed": "附议",
        "withdrawn": "已撤回提名：",
        "list": "已提名 4 篇。",
        "open": "投票进行中",
        "none": "已有 0 人投票",
        "all": "已有 19 人投票",
        "counted": "已计入。你愿意读：",
        "blank": "已计为参加，未选论文。",
        "taken": "撤回",
        "result": "**结果**",
        "tie": "平票，先提名的胜出",
        "voters": "19 位成员投票",
        "talk": "**讨论**",
        "next": "下一篇，",
        "late": "截止",
        "kept": "已提名 3 篇",
        "paper": "今日论文",
    },
}


@pytest.mark.parametrize(("language", "locale"), [("en", "en-US"), ("zh", "zh-CN")])
async def test_twenty_members_choose_a_paper(here: ClubServer, language: str, locale: str) -> None:
    words = WORDS[language]
    people = here.people(20, locale)
    first, second, third, fourth = people[:4]
    await here.set_up(locale, language)
    await here.until(here.now + HOUR)

    # Proposed: by id, with a reason, by an address, backed by another, taken back.
    assert words["nominated"] in page(await here.typed(first, "paper nominate", paper="p57")).text
    await here.tick(here.now + 60 * SECOND)
    with_reason = await here.typed(second, "paper nominate", paper="p10", reason="Short *and* good")
    assert words["nominated"] in page(with_reason).text
    assert words["back"] in page(await here.typed(third, "paper nominate", paper="p57")).text
    await here.tick(here.now + 60 * SECOND)
    assert words["nominated"] in await proposed_by_link(here, third)
    for paper in ("p21", "p33"):
        done = page(await here.typed(fourth, "paper nominate", paper=paper))
    gone = await here.pressed(fourth, done, next(each for each in ids(done) if each.startswith("withdraw:")))
    assert words["withdrawn"] in page(gone).text
    listed = page(await here.typed(people[9], "paper nominations")).text
    assert words["list"] in listed and words["backed"] in listed and "Short \\*and\\* good" in listed
    assert "p33" not in listed and "On reading together" in listed
    assert here.shown(words["nominated"]) == []  # nothing of it is public

    # Opened: the ballot in everybody's language, nothing leans.
    await here.until(OPENS)
    poll = here.poll()
    assert words["open"] in poll.text and words["none"] in poll.text
    own = re.compile(r"p\d+$")
    papers = [found[0] for each in ids(poll) if (found := own.search(each)) and each.startswith("more:")]
    assert papers[:2] == ["p57", "p10"] and len(papers) == 4 and papers[3] == "p21"

    # Ballots: many at once, changed, blank, taken back.
    votes = [("p57", "p10")] * 6 + [("p10",)] * 3 + [("p57",)] * 3 + [("p21", papers[2])] * 6 + [()] * 2
    told = await asyncio.gather(*(here.vote(who, *ticks) for who, ticks in zip(people, votes, strict=True)))
    assert all(
        (words["counted"] if ticks else words["blank"]) in text
        for text, ticks in zip(told, votes, strict=True)
    )
    form = await here.opened(people[12], poll, "vote:1")
    assert standing(form) == ticked(form, "p21", papers[2])
    assert words["counted"] in await here.vote(people[12], "p10")
    assert words["counted"] in await here.vote(people[13], "p57")
    mine = page(await here.pressed(people[19], poll, "mine:1"))
    taken = page(await here.pressed(people[19], mine, "retract:1"))
    assert words["taken"] in taken.text and taken.ephemeral
    await here.stands(None, words["all"])
    seen = [str(each["components"]) for each in poll.history] + [str(poll.components)]
    assert len(seen) > 1 and len({CHANGES.sub("", each) for each in seen}) == 1  # nothing leans

    # Closed: a tie broken as announced, told, explained, with a place to talk.
    await here.until(CLOSES)
    (result,) = here.shown(words["result"])
    assert words["tie"] in result.text and words["voters"] in result.text
    counts = Counter(paper for each in (*votes[:12], ("p10",), ("p57",), *votes[14:]) for paper in each)
    assert counts["p57"] == counts["p10"] == 10
    assert result.text.count("10 of 19" if language == "en" else "10 / 19") >= 2
    how = page(await here.pressed(people[4], result, "how:1"))
    assert how.ephemeral and how.text
    (thread,) = here.lab.threads(here.channel)
    assert [words["talk"] in each.text for each in here.shown(where=thread)] == [True]
    assert thread.id == result.id  # it hangs from the result
    assert words["next"] in page(await here.typed(people[5], "paper history")).text
    assert words["result"] in page(await here.typed(people[5], "paper results")).text
    assert words["kept"] in page(await here.typed(people[5], "paper nominations")).text
    with pytest.raises(LabError, match="vote:1"):
        await here.lab.click(first, here.poll(), "vote:1")  # the poll has no button to vote any more
    assert len(here.shown(words["paper"])) == 5

    # And the week after.
    await here.until(OPENS + WEEK)
    assert here.poll() is not poll and "p57" not in ids(here.poll())


# ---- forms, buttons and clicks that come at odd moments ----


@pytest.mark.parametrize("away", [timedelta(0), 5 * SECOND * 60, 20 * HOUR])
async def test_a_ballot_opened_before_a_restart_counts_after_it(here: ClubServer, away: timedelta) -> None:
    await open_vote(here, "p57", "p10")
    form = await here.opened(here.ada, here.poll(), "vote:1")
    await here.restart(here.now + away)
    sent = page(await here.sent(here.ada, form, ticked(form, "p10")))
    assert sent.ephemeral and "Counted. You would read: paper 2." in sent.text
    assert "Counted. You would read: paper 1." in await here.vote(here.bea, "p57")
    await here.until(CLOSES)
    assert "2 members voted" in here.shown("**Result**")[0].text


async def test_a_form_to_propose_opened_before_a_restart_is_taken_after_it(here: ClubServer) -> None:
    await here.set_up()
    listed = page(await here.typed(here.ada, "paper nominations"))
    form = await here.opened(here.ada, listed, "nominate-form:new")
    await here.restart()
    names = [part["component"]["custom_id"] for part in form.modal["components"] if "component" in part]
    assert "Nominated: " in page(await here.sent(here.ada, form, {names[0]: "p57"})).text
    assert "p57" in page(await here.typed(here.bea, "paper nominations")).text


async def test_the_poll_is_pressed_after_minutes_restarts_days_and_the_end(here: ClubServer) -> None:
    people = here.people(3)
    await here.set_up()
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, "paper nominate", paper=paper)
    await here.typed(here.owner, "club open vote")
    await here.tick(here.now + 5 * SECOND)
    poll = here.poll()
    before = len(here.shown())
    for who, later in zip(people, (timedelta(minutes=5), HOUR, timedelta(hours=10)), strict=True):
        await here.restart(here.now + later)
        assert "Counted" in await here.vote(who, "p57", poll=poll)
    assert here.poll() is poll and len(here.shown("Which of these")) == 1
    buttons = ids(poll)
    old = poll.components
    await here.typed(here.owner, "club close vote", reason="We met")
    await here.tick(here.now + 5 * SECOND)
    poll.components = old  # as a screen shows it that was not drawn again
    late = page(await here.pressed(people[0], poll, "vote:1"))
    assert late.ephemeral and "This vote closed on" in late.text and "stands: paper 1." in late.text
    for each in buttons:
        assert page(await here.pressed(here.ada, poll, each)).ephemeral
    assert len(here.shown()) > before


async def test_a_form_sent_after_closing_is_not_counted_and_says_so(here: ClubServer) -> None:
    await open_vote(here, "p57", "p10")
    form = await here.opened(here.ada, here.poll(), "vote:1")
    await here.vote(here.bea, "p10")
    await here.until(CLOSES)
    late = page(await here.sent(here.ada, form, ticked(form, "p57"))).text
    assert "was not counted" in late and "You had not voted before closing." in late
    assert "1 member voted" in here.shown("**Result**")[0].text


async def test_ten_clicks_at_once_are_one_ballot(here: ClubServer) -> None:
    people = here.people(2)
    await open_vote(here, "p57", "p10")
    poll = here.poll()
    forms = await asyncio.gather(*(here.opened(here.ada, poll, "vote:1") for _ in range(10)))
    sent = await asyncio.gather(*(here.sent(here.ada, form, ticked(form, "p57")) for form in forms))
    assert all("Counted. You would read: paper 1." in page(each).text for each in sent)
    one, other = [await here.opened(here.bea, poll, "vote:1") for _ in range(2)]
    await asyncio.gather(
        here.sent(here.bea, one, ticked(one, "p57")), here.sent(here.bea, other, ticked(other, "p10"))
    )
    await asyncio.gather(here.vote(people[0], "p57"), here.vote(people[1], "p10"))
    await here.stands(None, "4 have voted")
    await here.until(CLOSES)
    result = here.shown("**Result**")[0].text
    counts = [int(each) for each in re.findall(r"(\d) of 4", result.partition("**Turnout**")[0])[:2]]
    assert sum(counts) == 4 and "4 members voted" in result


async def test_two_fast_clicks_propose_once(here: ClubServer) -> None:
    await here.set_up()
    card = page(await here.typed(here.ada, "paper show", id="p57"))
    both = await asyncio.gather(*(here.pressed(here.ada, card, "Nominate") for _ in range(2)))
    assert sum("Nominated: " in page(each).text for each in both) == 1
    assert all(page(each).ephemeral for each in both)
    assert "1 paper nominated." in page(await here.typed(here.bea, "paper nominations")).text


async def test_who_joins_after_the_opening_votes_from_the_next_one(here: ClubServer) -> None:
    await open_vote(here, "p57", "p10")
    await here.tick(here.now + HOUR)
    late = here.people(1)[0]
    poll = here.poll()
    asked = await here.pressed(late, poll, next(each for each in ids(poll) if each.startswith("vote:")))
    assert (await here.shows(asked, "You joined after this vote opened.")).ephemeral
    assert "Nominated: " in page(await here.typed(late, "paper nominate", paper="p58")).text
    await here.until(CLOSES)
    assert "nobody voted" in here.shown("**Result**")[0].text


async def test_a_role_lets_vote_from_the_moment_it_is_given_and_in_private_messages_too(
    here: ClubServer,
) -> None:
    role = here.lab.create_role(here.guild, "readers")
    await here.set_up()
    listed = page(await here.typed(here.owner, "club settings"))
    form = await here.opened(here.owner, listed, "settings:people")
    assert "Saved." in page(await here.sent(here.owner, form, {"vote_role": [role]})).text
    for who, paper in zip((here.ada, here.bea), ("p57", "p10"), strict=True):
        await here.typed(who, "paper nominate", paper=paper)
    await here.until(OPENS)
    poll = here.poll()
    assert "Only members with the role the club named vote on Discord." in poll.text
    refused = "In this vote only members with the role the club named vote on Discord."
    for where in (here.channel, here.lab.dm(here.ada)):
        asked = await here.typed(here.ada, "paper vote", where)
        await here.shows(asked, refused)
    here.lab.set_roles(here.ada, here.guild, [role])
    assert "Counted. You would read: paper 1." in await here.vote(here.ada, "p57")
    aside = await here.by_form(await here.typed(here.ada, "paper vote", here.lab.dm(here.ada)), here.ada)
    changed = page(await here.sent(here.ada, aside, ticked(aside, "p10"))).text
    assert "Counted. You would read: paper 2." in changed
    here.lab.set_roles(here.ada, here.guild, [])
    assert refused in page(await here.sent(here.ada, aside, ticked(aside, "p57"))).text
    await here.until(CLOSES)
    assert "1 member voted" in here.shown("**Result**")[0].text
