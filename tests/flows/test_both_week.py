"""One club on Discord and Slack in one process: the same papers and votes on both, and every human one ballot."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.lab.both_house import BothSides, both_sides
from tests.lab.discord_house import page
from tests.lab.discord_house import ticked as ticked_there
from tests.lab.discord_lab import HastyAsyncio
from tests.lab.slack_house import clean_log, ids, ticked

__all__ = ["clean_log"]

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
NINE = datetime(2026, 11, 30, 8, tzinfo=UTC)
HOUR, DAY, SECOND = timedelta(hours=1), timedelta(days=1), timedelta(seconds=1)
SIDES = ("discord", "slack")


@pytest.fixture(params=["socket", "http"])
async def here(stocked: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[BothSides]:
    """A club on both sides, with papers to read."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with both_sides(tmp_path / "paperclub.db", http=request.param == "http") as opened:
        await opened.one_club()
        yield opened


@pytest.fixture
async def by_socket(stocked: Path, tmp_path: Path) -> AsyncIterator[BothSides]:
    """The same by socket alone, for what does not depend on the way."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with both_sides(tmp_path / "paperclub.db") as opened:
        await opened.one_club()
        yield opened


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library of Discord waits a moment before it repeats a call, no seconds."""
    monkeypatch.setattr("discord.http.asyncio", HastyAsyncio())


async def open_vote(here: BothSides) -> None:
    """A vote on two papers, one proposed on either side, opened a moment ago."""
    assert (
        "Nominated: " in page(await here.discord.typed(here.discord.ada, "paper nominate", paper="p57")).text
    )
    await here.later(60)
    assert "Nominated: " in (await here.slack.typed(here.slack.ada, "/paper nominate p10")).shown
    await here.until(OPENS)


async def test_a_day_brings_the_same_paper_to_both_sides_once(here: BothSides) -> None:
    await here.until(NINE)
    await here.restart()
    await here.until(NINE + DAY + HOUR)
    assert here.numbers("Today’s paper") == (2, 2)
    headlines = [
        [
            re.sub(r"[#*\\]", "", each.text.split("\n")[1]).strip()
            for each in here.discord.shown("Today’s paper")
        ],
        [
            re.sub(r"[#*\\]", "", each.shown.split("\n")[2]).strip()
            for each in here.slack.shown("Today’s paper")
        ],
    ]
    assert headlines[0] == headlines[1] and len(set(headlines[0])) == 2


async def test_what_is_proposed_on_one_side_is_seen_backed_and_withdrawn_from_the_other(
    here: BothSides,
) -> None:
    (human,) = here.humans(1)
    await here.link(human)
    reason = "Because it is short"
    await here.discord.typed(human.discord, "paper nominate", paper="p57", reason=reason)
    listed = (await here.slack.typed(here.slack.bea, "/paper nominations")).shown
    assert "p57" in listed and reason in listed
    assert "You now back it too." in (await here.slack.typed(here.slack.bea, "/paper nominate p57")).shown
    mine = await here.slack.typed(human.slack, "/paper nominations")
    gone = await here.slack.pressed(
        human.slack, mine, next(i for i in ids(mine) if i.startswith("withdraw:"))
    )
    assert "Withdrawn" in gone.shown
    listed = page(await here.discord.typed(here.discord.ada, "paper nominations")).text
    assert "bea" in listed and human.discord.name not in listed  # whoever backed it keeps it on the list


async def test_a_week_of_twenty_members_on_both_sides(here: BothSides) -> None:
    twice = here.humans(5)
    for human in twice:
        await here.link(human)
    alone = [*here.discord.people(8), *here.slack.people(7)]
    await here.until(NINE + HOUR)
    await open_vote(here)
    assert here.numbers("Which of these would you read") == (1, 1)
    assert here.numbers("0 have voted") == (1, 1)

    for human in twice:  # on one side first, on the other after
        await here.vote(human.slack, "p10")
    await asyncio.gather(*(here.vote(who, "p57" if n % 3 else "p10") for n, who in enumerate(alone)))
    for human in twice[:3]:
        assert "Counted." in await here.vote(human.discord, "p57")
    await here.stand("20 have voted")
    await here.restart(OPENS + 6 * HOUR)
    stands = await here.slack.pressed(twice[0].slack, here.slack.poll(), "mine:1")
    assert "You would read: paper 1." in stands.shown
    await here.until(CLOSES)
    assert here.numbers("Winner") == (1, 1)
    for text in (here.discord.shown("**Result**")[0].text, here.slack.shown("Winner")[0].shown):
        assert "20 members voted, 5 of them linked on both platforms" in text
        counts = [int(each) for each in re.findall(r"(\d+) of 20", text)]
        assert sorted(counts[:2]) == [7, 13] and max(counts) == 13
    assert here.numbers("Vote closed") == (1, 1)
    (there,) = here.slack.shown("Winner")
    assert len(here.slack.shown(thread=there.ts)) == 1
    assert len(here.discord.lab.threads(here.discord.channel)) == 1
    history = page(await here.discord.typed(alone[0], "paper history")).text
    assert "p57" in history and "p57" in str((await here.slack.typed(alone[-1], "/paper history")).blocks)


# ---- the same human, the same instant ----


@pytest.mark.parametrize("order", [SIDES, SIDES[::-1]], ids=["discord first", "slack first"])
async def test_the_same_human_on_both_sides_at_the_same_instant_has_one_ballot(
    by_socket: BothSides, order: tuple[str, str]
) -> None:
    here = by_socket
    (human,) = here.humans(1)
    await here.link(human)
    await open_vote(here)
    there = await here.discord.opened(human.discord, here.discord.poll(), "vote:1")
    form = await here.slack.ballot(human.slack)
    sends = {
        "discord": here.discord.sent(human.discord, there, ticked_there(there, "p57")),
        "slack": here.slack.sent(human.slack, form, ticked(form, "p10")),
    }
    await asyncio.gather(*(sends[side] for side in order))
    await here.stand("1 has voted")
    mine = page(await here.discord.pressed(human.discord, here.discord.poll(), "mine:1")).text
    same = (await here.slack.pressed(human.slack, here.slack.poll(), "mine:1")).shown
    assert re.findall(r"paper \d", mine)[:1] == re.findall(r"paper \d", same)[:1] != []
    await here.until(CLOSES)
    for text in (here.discord.shown("**Result**")[0].text, here.slack.shown("Winner")[0].shown):
        assert "1 member voted" in text and "1 of them linked" in text
        assert {"paper 1": "p57", "paper 2": "p10"}[re.findall(r"paper \d", mine)[0]] in text


async def test_a_form_opened_before_linking_counts_once_after_a_restart_and_it(here: BothSides) -> None:
    (human,) = here.humans(1)
    await open_vote(here)
    await here.vote(human.discord, "p57")
    form = await here.slack.ballot(human.slack)
    await here.link(human)
    await here.restart()
    assert "Counted." in (await here.slack.sent(human.slack, form, ticked(form, "p10"))).shown
    await here.stand("1 has voted")
    await here.until(CLOSES)
    assert here.numbers("1 member voted") == (1, 1)


async def test_a_restart_between_the_two_words_of_linking_forgets_nothing(here: BothSides) -> None:
    (human,) = here.humans(1)
    card = await here.slack.typed(human.slack, "/paper link")
    code = re.search(r"link ([A-Z0-9]{8})", card.shown)
    assert code is not None
    await here.restart()
    asked = page(await here.discord.typed(human.discord, "paper link", code=code[1]))
    yes = next(each["custom_id"] for each in asked.controls if each["custom_id"].startswith("link-yes:"))
    await here.discord.pressed(human.discord, asked, yes)
    await here.restart()
    question = await here.slack.pressed(human.slack, card, "linked")
    done = await here.slack.pressed(
        human.slack, question, next(i for i in ids(question) if i.startswith("link-yes:"))
    )
    assert "Linked." in done.shown


# ---- one side is away ----


@pytest.mark.parametrize("away", SIDES)
async def test_one_side_is_away_for_an_hour_while_the_other_votes(by_socket: BothSides, away: str) -> None:
    here = by_socket
    other = SIDES[1 - SIDES.index(away)]
    await open_vote(here)
    people = getattr(here, other).people(4)
    late = getattr(here, away).people(1)[0]
    if away == "discord":  # who joined after the opening has no ballot
        late = here.discord.ada
    here.silence(away)
    for who in people if other == "slack" else [here.discord.ada, here.discord.bea]:
        await here.until(here.now + timedelta(minutes=15))
        assert "Counted." in await here.vote(who, "p10")
    number = 4 if other == "slack" else 2
    await getattr(here, other).stands(None, f"{number} have voted")
    assert not getattr(here, away).shown(f"{number} have voted")
    await here.until(OPENS + 2 * HOUR)
    await here.speak(away)
    await here.tick(here.now + SECOND)
    await here.stand(f"{number} have voted")
    assert "Counted." in await here.vote(late, "p57")
    await here.stand(f"{number + 1} have voted")
    await here.until(CLOSES + HOUR)
    assert here.numbers("Winner") == (1, 1) and here.numbers("Which of these would you read") == (1, 1)
    assert here.numbers(f"{number + 1} members voted") == (1, 1)


async def test_a_poll_that_could_not_be_drawn_for_long_is_drawn_once_its_side_is_back(
    by_socket: BothSides, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.delivery.refresher._TRIES", 3)
    monkeypatch.setattr("bot.delivery.refresher._FIRST", 0.05)
    here = by_socket
    await open_vote(here)
    here.silence("slack")
    assert "Counted." in await here.vote(here.discord.ada, "p10")
    await here.discord.stands(None, "1 has voted")
    await asyncio.wait(list(here.group.rooms.refresher._tasks.values()))  # until it gave up
    await here.until(OPENS + HOUR)
    await here.speak("slack")
    await here.until(OPENS + HOUR + timedelta(minutes=5))
    await here.slack.stands(None, "1 has voted")


async def test_a_side_that_asks_to_wait_holds_up_no_redraw_of_the_other(by_socket: BothSides) -> None:
    here = by_socket
    await open_vote(here)
    here.slack.lab.add_fault("rate_limit", "/chat.update", times=100, retry_after=60)
    assert "Counted." in await here.vote(here.discord.ada, "p10")
    await here.slack.lab.wait_for(
        lambda: any(each.path == "/chat.update" for each in here.slack.lab.requests), 10, "a limit"
    )
    await here.discord.stands(None, "1 has voted")
    assert "Counted." in await here.vote(here.discord.bea, "p57")
    await here.discord.stands(None, "2 have voted")


@pytest.mark.parametrize("away", SIDES)
@pytest.mark.usefixtures("hasty")
async def test_a_vote_opens_and_closes_while_one_side_is_away(by_socket: BothSides, away: str) -> None:
    here = by_socket
    await here.until(OPENS - timedelta(minutes=5) - 2 * DAY)
    await here.discord.typed(here.discord.ada, "paper nominate", paper="p57")
    await here.slack.typed(here.slack.ada, "/paper nominate p10")
    await here.until(OPENS - SECOND)
    here.silence(away)
    await here.until(OPENS + HOUR)
    polls = {"discord": (1, 0), "slack": (0, 1)}[SIDES[1 - SIDES.index(away)]]
    assert here.numbers("Which of these would you read") == polls
    await here.speak(away)
    await here.until(OPENS + 3 * HOUR)
    assert here.numbers("Which of these would you read") == (1, 1)
    await here.vote(here.discord.ada, "p57")
    await here.vote(here.slack.ada, "p57")
    await here.stand("2 have voted")
    await here.until(CLOSES - SECOND)
    here.silence(away)
    await here.until(CLOSES + HOUR)
    assert here.numbers("Winner") == polls
    await here.speak(away)
    await here.until(CLOSES + 3 * HOUR)
    assert here.numbers("Winner") == (1, 1) and here.numbers("2 members voted") == (1, 1)
    (told,) = here.slack.shown("Winner")
    assert len(here.slack.shown(thread=told.ts)) == len(here.discord.lab.threads(here.discord.channel)) == 1


# ---- what is lost ----

LOST: dict[str, tuple[str, dict[str, Any]]] = {
    "lost": ("drop_after", {}),
    "5xx": ("status_after", {"status": 502}),
}


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.usefixtures("hasty")
async def test_answers_lost_on_one_side_leave_one_of_everything_on_both(
    by_socket: BothSides, side: str, fault: str
) -> None:
    here = by_socket
    kind, more = LOST[fault]
    (human,) = here.humans(1)
    await here.link(human)

    def lose(times: int = 1) -> None:
        if side == "slack":
            here.slack.lab.add_fault(kind, "/chat.postMessage", times=times, **more)
        else:
            here.discord.meant.add(502)
            path = f"/channels/{here.discord.channel.id}/messages"
            here.discord.lab.add_fault(kind, path, method="POST", times=times, **more)

    await here.until(NINE - SECOND)
    lose()
    await here.until(NINE + HOUR)
    await here.discord.typed(here.discord.ada, "paper nominate", paper="p57")
    await here.slack.typed(here.slack.ada, "/paper nominate p10")
    await here.until(OPENS - SECOND)
    lose(2)
    await here.until(OPENS + HOUR)
    if side == "slack":
        here.slack.lab.add_fault(kind, "/chat.update", **more)
        here.slack.lab.add_fault(kind, "/response_url", **more)
    else:
        here.discord.lab.add_fault(kind, "/channels/*/messages/*", method="PATCH", **more)
    await here.vote(human.slack, "p57")
    await here.vote(human.discord, "p57")
    await here.stand("1 has voted")
    await here.until(CLOSES - SECOND)
    lose(2)
    await here.until(CLOSES + HOUR)
    await here.restart()
    await here.until(CLOSES + 2 * HOUR)
    assert here.numbers("Today’s paper") == (5, 5)
    assert here.numbers("Which of these would you read") == here.numbers("Winner") == (1, 1)
    assert here.numbers("1 member voted") == (1, 1)
    (told,) = here.slack.shown("Winner")
    assert len(here.slack.shown(thread=told.ts)) == len(here.discord.lab.threads(here.discord.channel)) == 1
