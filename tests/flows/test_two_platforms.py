"""One club on Discord and Slack: the same paper and the same vote on both, and every human one ballot."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.clubs.model import Asker
from bot.errors import Refused, Uncertain
from bot.messages.model import Bars, Message
from bot.rounds.model import Result
from bot.rounds.service import get_result
from tests.lab.house import House, Posted, filled, on, said, text_of
from tests.lab.sides import club_on_both, link

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
MEETS = datetime(2026, 12, 7, 15, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PAPERS = ("p57", "p10", "p21", "p33")
SIDES = ("discord", "slack")


def posts(house: House, side: str, start: str = "") -> list[Posted]:
    return house.platforms[side].in_channel(f"{side}-papers", start)


def same(house: House, start: str) -> list[Message]:
    """What stands on both sides under these first words, word for word the same."""
    here, there = ([posted.message for posted in posts(house, side, start)] for side in SIDES)
    assert here == there, (len(here), len(there))
    return here


async def result_of(house: House, vote: int = 1) -> Result:
    return await house.database.read(lambda tx: get_result(tx, 1, vote))


async def open_vote(house: House) -> None:
    """A club on both with papers nominated from both, on Thursday morning."""
    await club_on_both(house)
    for number, paper in enumerate(PAPERS):
        who = on(SIDES[number % 2], 2 + number)
        assert "Nominated: " in text_of(await house.command(who, "paper nominate", paper=paper))
    await house.until(OPENS)


async def test_a_day_brings_the_same_paper_to_both_sides_once(both: House) -> None:
    await club_on_both(both)
    await both.until(datetime(2026, 12, 1, 12, tzinfo=UTC))
    assert len(same(both, "Today’s paper")) == 2
    for side in SIDES:
        assert len(posts(both, side)) == 2
        assert all(posted.before == [] for posted in posts(both, side))


async def test_what_is_nominated_on_one_side_is_seen_and_backed_on_the_other(both: House) -> None:
    await club_on_both(both)
    await both.command(on("discord", 2), "paper nominate", paper="p57", reason="Because it is short")
    listed = text_of(await both.command(on("slack", 12), "paper nominations"))
    assert "Member 2" in listed and "Because it is short" in listed
    assert "You now back it too." in text_of(await both.press(on("slack", 12), "nominate:p57"))


async def test_a_week_of_twenty_members_on_both_sides(both: House) -> None:
    await open_vote(both)
    (poll,) = same(both, "Vote open")
    assert all(len(posts(both, side, "Vote open")) == 1 for side in SIDES)
    twice = [(on("discord", n), on("slack", 100 + n)) for n in range(30, 35)]
    for one, other in twice:
        await both.vote(other, 1, "p10")
        assert "Linked." in text_of(await link(both, one, other))
        both.now += MINUTE
    alone = [on(SIDES[n % 2], 200 + n) for n in range(15)]
    for number, who in enumerate(alone):
        both.now += timedelta(seconds=10)
        await both.vote(who, 1, PAPERS[number % 3], PAPERS[(number + 1) % 3])
    for one, _ in twice[:3]:
        await both.vote(one, 1, "p57")
    await both.drawn()
    assert "20 have voted" in said(same(both, "Vote open")[0]) and "0 have voted" in said(poll)
    await both.restart(OPENS + timedelta(hours=6))
    await both.until(CLOSES)
    await both.drawn()

    (told,) = same(both, "Winner")
    text = said(told)
    assert "20 members voted, 5 of them linked on both platforms" in text
    result = await result_of(both)
    assert (result.ballots, result.turnout.voted, result.turnout.linked) == (20, 20, 5)
    assert result.votes == {1: 13, 2: 12, 3: 10, 4: 0}
    bars = next(block for block in told.blocks if isinstance(block, Bars))
    assert [bar.votes for bar in bars.items] == [13, 12, 10, 0]
    assert len(same(both, "This vote closed")) == 1
    for side in SIDES:
        (thread,) = both.platforms[side].in_threads(f"{side}-papers")
        assert "This is the place to talk about it" in said(thread.message)
    await both.until(MEETS)
    history = [text_of(await both.command(on(side, 200), "paper history")) for side in SIDES]
    assert history[0] == history[1] and "p57" in history[0]


async def test_one_side_is_away_for_an_hour_while_the_other_votes(both: House) -> None:
    await open_vote(both)
    for side in SIDES:
        await both.vote(on(side, 300), 1, "p57")
    slack = both.platforms["slack"]
    slack.fault = slack.edit_fault = Refused("network", retry_after=0.2)
    for number in range(5):
        both.now += timedelta(minutes=12)
        await both.vote(on("discord", 310 + number), 1, "p10")
    for _ in range(100):
        if "7 have voted" in said(posts(both, "discord", "Vote open")[0].message):
            break
        await asyncio.sleep(0.05)
    assert "7 have voted" in said(posts(both, "discord", "Vote open")[0].message)
    assert "7 have voted" not in said(posts(both, "slack", "Vote open")[0].message)
    slack.fault = slack.edit_fault = None
    await both.drawn()
    assert "7 have voted" in said(same(both, "Vote open")[0])
    await both.until(CLOSES)
    assert len(same(both, "Winner")) == 1
    assert (await result_of(both)).votes == {1: 2, 2: 5, 3: 0, 4: 0}


async def test_a_vote_opens_and_closes_on_a_side_that_was_away_at_that_moment(both: House) -> None:
    await club_on_both(both)
    for number, paper in enumerate(PAPERS):
        await both.command(on("discord", 2 + number), "paper nominate", paper=paper)
    discord = both.platforms["discord"]
    discord.fault = Refused("network")
    await both.until(OPENS)
    assert not posts(both, "discord", "Vote open") and len(posts(both, "slack", "Vote open")) == 1
    await both.vote(on("slack", 300), 1, "p57")
    discord.fault = None
    await both.until(OPENS + timedelta(hours=2))
    await both.vote(on("discord", 300), 1, "p57")
    await both.drawn()
    assert len(same(both, "Vote open")) == 1
    await both.until(CLOSES - MINUTE)
    discord.fault = Uncertain("network")
    await both.until(CLOSES + MINUTE)
    discord.fault = None
    await both.until(CLOSES + timedelta(hours=3))
    assert len(same(both, "Winner")) == 1
    assert len(same(both, "This vote closed")) == 1


@pytest.mark.parametrize("order", [SIDES, SIDES[::-1]], ids=["discord first", "slack first"])
async def test_the_same_human_on_both_sides_at_the_same_instant_has_one_ballot(
    both: House, order: tuple[str, str]
) -> None:
    await open_vote(both)
    mine = {"discord": on("discord", 40), "slack": on("slack", 140)}
    await link(both, mine["discord"], mine["slack"])
    wish = {"discord": "p57", "slack": "p10"}
    await asyncio.gather(*(both.vote(mine[side], 1, wish[side]) for side in order))
    await both.drawn()
    assert "1 has voted" in said(same(both, "Vote open")[0])
    stands = {text_of(await both.press(mine[side], "mine:1")) for side in SIDES}
    assert len(stands) == 1
    await both.until(CLOSES)
    result = await result_of(both)
    assert result.ballots == 1 and sum(result.votes.values()) == 1


async def test_a_ballot_opened_before_linking_and_sent_after_it_counts_once(both: House) -> None:
    await open_vote(both)
    one, other = on("discord", 40), on("slack", 140)
    await both.vote(other, 1, "p10")
    form = (await both.press(one, "vote:1")).form
    assert form is not None and filled(form) == {"papers": []}
    await link(both, one, other)
    await both.submit(one, form.id, papers=["p57", "p21"])
    await both.until(CLOSES)
    result = await result_of(both)
    assert result.ballots == 1 and result.votes == {1: 1, 2: 0, 3: 1, 4: 0}


async def test_a_hundred_presses_at_once_count_every_human_once(both: House) -> None:
    await open_vote(both)
    humans: list[tuple[Asker, Asker]] = [(on("discord", n), on("slack", 1000 + n)) for n in range(400, 450)]
    for one, other in humans[:5]:
        await link(both, one, other)
    await asyncio.gather(
        *(both.vote(who, 1, PAPERS[number % 4]) for number, pair in enumerate(humans) for who in pair)
    )
    await both.drawn()
    assert "95 have voted" in said(same(both, "Vote open")[0])
    await both.until(CLOSES)
    result = await result_of(both)
    assert (result.ballots, sum(result.votes.values()), result.turnout.linked) == (95, 95, 5)
