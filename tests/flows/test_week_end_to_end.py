"""The club's week from outside: what people type and press, what stands in the channel, and when."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.clubs.model import Asker
from bot.errors import Refused
from bot.messages.model import Bars, Entries, Message
from tests.lab.house import CHAIR, MEMBER, MONDAY, OTHER, House, Posted, filled, ids_in, person, said, text_of

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
MICRO = timedelta(microseconds=1)


async def nominate(house: House, *pairs: tuple[Asker, str]) -> None:
    for who, paper in pairs:
        house.now += timedelta(minutes=1)
        assert "Nominated: " in text_of(await house.command(who, "paper nominate", paper=paper))


async def open_vote(house: House, *papers: str) -> int:
    """A club on Thursday 09:00 with these papers nominated by members 2, 3, 4 …; the round."""
    await house.set_up()
    await nominate(house, *((person(2 + n), paper) for n, paper in enumerate(papers)))
    await house.until(OPENS)
    return 1


def poll(house: House) -> Posted:
    return house.platform.in_channel(start="Vote open")[-1]


def result(house: House) -> Message:
    """What the week came to, as it stands in the channel."""
    return next(
        posted.message
        for posted in reversed(house.platform.in_channel())
        if not posted.message.summary.startswith(("Today’s paper", "Vote open", "This vote closed"))
    )


async def test_the_paper_of_the_day_comes_once_on_each_weekday(house: House) -> None:
    await house.set_up()
    await house.until(MONDAY + timedelta(days=14))
    posts = house.platform.in_channel(start="Today’s paper")
    days = [posted.at.date().isoformat() for posted in posts]
    assert days == [f"2026-{day}" for day in ("11-30", "12-01", "12-02", "12-03", "12-04", "12-07", "12-08",
                                             "12-09", "12-10", "12-11")]  # fmt: skip
    assert all(posted.at.hour == 8 for posted in posts)
    assert len({posted.message.summary for posted in posts}) == 10
    assert all("Why this paper" in said(posted.message) for posted in posts)


async def test_a_week_from_set_up_to_the_next_list(house: House) -> None:
    await house.set_up()
    await house.until(MONDAY + timedelta(hours=1))
    await nominate(house, (MEMBER, "p57"), (OTHER, "p10"), (CHAIR, "p21"))
    reason = await house.command(MEMBER, "paper nominate", paper="p33", reason="It is short.")
    assert "You have 1 of 3 nominations left" in text_of(reason)
    backed = await house.command(OTHER, "paper nominate", paper="p57")
    assert "nominated already, by Member 2. You now back it too." in text_of(backed)
    listed = text_of(await house.command(OTHER, "paper nominations"))
    assert "4 papers nominated. The list is frozen Thu 3 Dec, 09:00" in listed
    assert "also backed by Member 3" in listed and "It is short." in listed

    await house.until(OPENS)
    message = poll(house).message
    entries = next(block for block in message.blocks if isinstance(block, Entries))
    assert [entry.number for entry in entries.items] == [1, 2, 3, 4]
    assert "Closes" in said(message) and "Fri 4 Dec, 17:00" in said(message)
    form = (await house.command(MEMBER, "paper vote")).form
    assert form is not None and filled(form) == {"papers": []}  # nothing is ticked on a first ballot
    await house.vote(MEMBER, 1, "p57", "p10")
    await house.vote(OTHER, 1, "p10")
    await house.vote(CHAIR, 1, "p57", "p21")
    await house.vote(person(4), 1)
    await house.drawn()
    assert "4 have voted" in said(poll(house).message)

    await house.until(CLOSES)
    await house.drawn()
    text = said(result(house))
    assert result(house).summary.startswith("Winner: ") and "2 of 4" in text
    assert "A tie, broken by age" in text and "Mon 7 Dec, 16:00" in text
    assert "4 members voted" in text
    assert "The other papers stay nominated for up to 4 more rounds." in text
    assert "This vote closed on" in poll_of(house, 1).summary

    chosen = text_of(await house.command(MEMBER, "paper history"))
    assert "next, for the meeting on Monday 7 December" in chosen and "p57" in chosen
    assert "3 papers nominated" in text_of(await house.command(MEMBER, "paper nominations"))
    await house.until(OPENS + timedelta(days=7))
    assert "0 of 4 members have voted" in said(poll(house).message)


def poll_of(house: House, round_id: int) -> Message:
    return next(
        posted.message
        for posted in house.platform.in_channel()
        if {f"mine:{round_id}", f"result:{round_id}"} & set(ids_in(posted.message))
        and "Which of these would you read?" in said(posted.message)
    )


async def test_nothing_leans_before_closing(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10", "p21")
    for n in range(2, 9):
        await house.vote(person(n), round_id, "p10")
        await house.drawn()
    posted = poll(house)
    for message in (*posted.before, posted.message):
        assert not any(isinstance(block, Bars) for block in message.blocks)
        assert " of 7" not in said(message)
        entries = next(block for block in message.blocks if isinstance(block, Entries))
        assert [entry.number for entry in entries.items] == [1, 2, 3]
    assert said(posted.before[0]).replace("0 have voted", "7 have voted") == said(posted.message)
    for path in ("paper results", "paper nominations", "paper history"):
        assert " of 7" not in text_of(await house.command(MEMBER, path))
    assert "still open" in text_of(await house.press(MEMBER, f"result:{round_id}"))
    assert "still open" in text_of(await house.press(MEMBER, f"how:{round_id}"))


async def test_a_ballot_can_be_changed_emptied_and_withdrawn(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10", "p21")
    counted = text_of(await house.vote(MEMBER, round_id, "p57", "p10"))
    assert "Counted. You would read: papers 1 and 2." in counted
    form = (await house.press(MEMBER, f"vote:{round_id}")).form
    assert form is not None and filled(form) == {"papers": ["p57", "p10"]}
    assert "Counted. You would read: paper 3." in text_of(await house.vote(MEMBER, round_id, "p21"))
    assert "Counted as present, without a wish." in text_of(await house.vote(MEMBER, round_id))
    assert "Withdrawn, as if you had not voted." in text_of(await house.press(MEMBER, f"retract:{round_id}"))
    assert "You have not voted" in text_of(await house.press(MEMBER, f"mine:{round_id}"))
    assert "You have not voted" in text_of(await house.press(MEMBER, f"retract:{round_id}"))
    await house.until(CLOSES)
    assert "nobody voted" in said(result(house))


@pytest.mark.parametrize(
    ("papers", "ballots", "words"),
    [
        ((), (), "No paper was nominated, so there is no vote this week."),
        (("p57",), (), "Only one paper is nominated, so there is no vote."),
        (("p57", "p10"), (), "No decision: nobody voted. All papers stay nominated."),
        (("p57", "p10"), ((), ()), "No decision: 2 members voted, all without a wish."),
        (
            ("p57", "p10"),
            ((), ("p10",)),
            "Fewer than three ballots with a wish: only the winner is published",
        ),
        (("p57", "p10"), (("p10",),) * 3, "3 of 3"),
    ],
)
async def test_each_way_a_week_can_end_has_its_words(
    house: House, papers: tuple[str, ...], ballots: tuple[tuple[str, ...], ...], words: str
) -> None:
    round_id = await open_vote(house, *papers)
    for number, ballot in enumerate(ballots, 2):
        await house.vote(person(number), round_id, *ballot)
    await house.until(CLOSES + timedelta(minutes=1))
    assert words in said(result(house))
    vote = await house.press(MEMBER, f"vote:{round_id}")
    assert vote.kind == "private"  # no ballot form any more, whatever the outcome
    await house.until(OPENS + timedelta(days=7))
    assert house.platform.posts[-1].at == OPENS + timedelta(days=7)  # the next week begins by itself


async def test_losers_stay_for_four_rounds(house: House) -> None:
    await house.set_up()
    await nominate(house, (MEMBER, "p58"))
    for week in range(5):
        await nominate(house, (OTHER, f"p{10 + week}"))
        await house.until(OPENS + timedelta(days=7 * week))
        await house.vote(MEMBER, week + 1, f"p{10 + week}")
        await house.until(CLOSES + timedelta(days=7 * week))
        listed = text_of(await house.command(MEMBER, "paper nominations"))
        assert ("p58" in listed) == (week < 4), (week, listed)


async def test_a_deadline_counts_to_the_microsecond(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10")
    house.now = CLOSES - MICRO
    assert "Counted." in text_of(await house.vote(MEMBER, round_id, "p57"))
    house.now = CLOSES  # the closing has not run yet: the clock counts, not the closing
    late = text_of(await house.vote(OTHER, round_id, "p10"))
    assert "was not counted" in late and "You had not voted before closing." in late
    late = text_of(await house.vote(MEMBER, round_id, "p10"))
    assert "Your last ballot before closing stands: paper 1." in late
    assert "not counted" in text_of(await house.press(MEMBER, f"retract:{round_id}"))
    assert (await house.press(OTHER, f"vote:{round_id}")).form is None
    await house.tick(CLOSES)
    assert "1 member voted" in said(result(house))
    assert "not counted" in text_of(await house.vote(OTHER, round_id, "p10"))


async def test_an_outage_over_the_deadline_extends_the_vote_and_says_so(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10")
    await house.until(CLOSES - timedelta(hours=2))
    await house.restart(CLOSES + timedelta(hours=3))
    await house.tick()
    await house.drawn()
    assert "Counted." in text_of(await house.vote(MEMBER, round_id, "p57"))
    away = "The bot was away from Fri 4 Dec, 15:00 to Fri 4 Dec, 20:00. The vote now closes Fri 4 Dec, 22:00."
    assert away in said(poll(house).message)
    await house.until(CLOSES + timedelta(hours=6))
    assert house.platform.posts[-1].at == CLOSES + timedelta(hours=5)
    assert "1 member voted" in said(result(house))


async def test_old_buttons_work_after_a_restart(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10")
    before = {posted.id: list(ids_in(posted.message)) for posted in house.platform.posts}
    await house.vote(MEMBER, round_id, "p57")
    await house.restart()
    for ids in before.values():
        for action_id in ids:
            answer = await house.press(MEMBER, action_id)
            assert "belongs to nothing" not in text_of(answer) and "wrong on our side" not in text_of(answer)
    form = (await house.press(MEMBER, f"vote:{round_id}")).form
    assert form is not None and filled(form) == {"papers": ["p57"]}
    await house.drawn()
    assert "1 has voted" in said(poll(house).message)
    await house.until(CLOSES)
    assert (
        len(house.platform.in_channel(start="Vote open")) + len(house.platform.in_channel(start="This vote"))
        == 1
    )


async def test_a_vote_closes_though_its_message_was_deleted(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10")
    house.platform.delete(poll(house))
    assert "Counted." in text_of(await house.vote(MEMBER, round_id, "p10"))
    await house.drawn()
    await house.until(CLOSES)
    await house.drawn()
    assert result(house).summary.startswith("Winner: ") and "1 member voted" in said(result(house))
    tried = house.platform.edits_refused
    await house.until(OPENS + timedelta(days=7))
    assert "Only one paper" in said(result(house))
    assert house.platform.edits_refused == tried  # nobody keeps trying


async def test_a_vote_closes_though_its_channel_is_gone(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10")
    await house.vote(MEMBER, round_id, "p10")
    house.platform.posts.clear()
    house.platform.fault = Refused("gone")
    await house.until(CLOSES + timedelta(hours=1))
    assert "Winner" in text_of(await house.command(MEMBER, "paper results"))


async def test_ten_presses_at_once_are_one_ballot(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10")
    answers = await asyncio.gather(*(house.vote(MEMBER, round_id, "p57") for _ in range(10)))
    assert all("Counted. You would read: paper 1." in text_of(answer) for answer in answers)
    await asyncio.gather(house.vote(OTHER, round_id, "p57"), house.vote(OTHER, round_id, "p10"))
    await asyncio.gather(house.vote(person(4), round_id, "p57"), house.vote(person(5), round_id, "p10"))
    await house.drawn()
    assert "4 have voted" in said(poll(house).message)
    await house.until(CLOSES)
    bars = next(block for block in result(house).blocks if isinstance(block, Bars))
    assert sum(bar.votes for bar in bars.items) == 4 == bars.items[0].total


async def test_a_button_of_an_earlier_vote_points_to_the_present_one(house: House) -> None:
    await open_vote(house, "p57", "p10")
    await house.vote(MEMBER, 1, "p57")
    await house.until(CLOSES)
    await nominate(house, (MEMBER, "p21"))
    gone = text_of(await house.press(MEMBER, "vote:1"))
    assert "This vote closed on Fri 4 Dec, 17:00" in gone and "stands: paper 1." in gone
    await house.until(OPENS + timedelta(days=7))
    for answer in (await house.press(MEMBER, "vote:1"), await house.vote(MEMBER, 1, "p10")):
        text = text_of(answer)
        assert "This button belongs to the vote of Friday 4 December, which has closed." in text
        assert "vote:2" in set(ids_in(answer.message))
    assert "You would read: paper 1." in text_of(await house.press(MEMBER, "mine:1"))


async def test_a_vote_closed_early_publishes_the_reason(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10")
    await house.vote(MEMBER, round_id, "p57")
    assert "Only organisers can do this. Ask Member 1." in text_of(
        await house.command(MEMBER, "club close vote", reason="I like it")
    )
    assert "Something is missing after /club close vote." in text_of(
        await house.command(CHAIR, "club close vote")
    )
    answer = await house.command(CHAIR, "club close vote", reason="Everybody has voted")
    assert "The result and your reason go to the channel." in text_of(answer)
    await house.tick()
    assert "Closed early by Member 1. Reason: Everybody has voted" in said(result(house))
    await house.until(CLOSES + timedelta(hours=1))
    assert len(house.platform.in_channel(start="Winner")) == 1


async def test_a_paused_club_posts_and_opens_nothing(house: House) -> None:
    await house.set_up()
    await nominate(house, (MEMBER, "p57"), (OTHER, "p10"))
    await house.command(CHAIR, "club pause", until="2026-12-07")
    await house.until(datetime(2026, 12, 6, 20, tzinfo=UTC))
    assert not house.platform.posts
    assert "paused" in text_of(await house.command(MEMBER, "paper why", day="2026-12-03")).lower()
    await house.until(datetime(2026, 12, 7, 8, tzinfo=UTC))
    assert len(house.platform.in_channel(start="Today’s paper")) == 1


async def test_a_nomination_withdrawn_during_the_vote_falls_out_of_it(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10", "p21")
    await house.vote(OTHER, round_id, "p10", "p21")
    await house.press(OTHER, "withdraw:2")  # Member 3 nominated p10
    await house.drawn()
    assert "withdrawn" in said(poll(house).message)
    form = (await house.press(MEMBER, f"vote:{round_id}")).form
    assert form is not None
    assert [option.value for option in form.fields[0].options] == ["p57", "p21"]  # type: ignore[union-attr]
    assert "You would read: paper 3." in text_of(await house.press(OTHER, f"mine:{round_id}"))
    await house.until(CLOSES)
    assert "1 member voted" in said(result(house)) and "p21" in said(result(house))
    assert "p10" not in text_of(await house.command(MEMBER, "paper nominations"))


async def test_a_nomination_that_passes_on_during_the_vote_stands_under_the_other_name_alone(
    house: House,
) -> None:
    await house.set_up()
    await house.command(OTHER, "paper nominate", paper="p57", reason="It is short")
    await house.command(MEMBER, "paper nominate", paper="p57")
    await nominate(house, (MEMBER, "p10"))
    await house.command(CHAIR, "club open vote")
    await house.tick()
    assert "It is short" in said(poll(house).message)
    await house.press(OTHER, "withdraw:1")
    await house.drawn()
    assert "It is short" not in said(poll(house).message)
    assert said(poll(house).message).count("nominated by Member 2") == 2


async def test_an_organiser_opens_a_vote_early_and_the_planned_one_gives_way(house: House) -> None:
    await house.set_up()
    await nominate(house, (MEMBER, "p57"), (OTHER, "p10"))
    answer = await house.command(CHAIR, "club open vote")
    assert "The vote is open with 2 papers. It closes Fri 4 Dec, 17:00." in text_of(answer)
    assert "A vote is open already." in text_of(await house.command(CHAIR, "club open vote"))
    await house.until(CLOSES + timedelta(hours=1))
    assert sum("Which of these" in said(posted.message) for posted in house.platform.posts) == 1


async def test_a_removed_nomination_is_told_with_its_reason(house: House) -> None:
    await house.set_up()
    await nominate(house, (MEMBER, "p57"))
    answer = await house.command(CHAIR, "club remove", paper="57", reason="Read last year")
    assert "Removed from the list: " in text_of(answer) and "Reason: Read last year" in text_of(answer)
    assert "Nothing is nominated yet." in text_of(await house.command(MEMBER, "paper nominations"))


async def test_the_week_at_a_glance_follows_the_clock(house: House) -> None:
    await house.set_up()
    await nominate(house, (MEMBER, "p57"), (OTHER, "p10"))

    async def states() -> list[str]:
        return [step.state for step in (await house.group.week(MEMBER, house.now)).steps]

    assert await states() == ["later", "now", "later", "later", "later"]
    await house.until(MONDAY + timedelta(hours=1))
    assert await states() == ["done", "now", "later", "later", "later"]
    view = await house.group.week(MEMBER, house.now)
    assert view.next_event == OPENS == view.opening and view.club_name == "papers"
    await house.until(OPENS)
    assert await states() == ["done", "done", "now", "later", "later"]
    assert (await house.group.week(MEMBER, house.now)).next_event == CLOSES
    await house.vote(MEMBER, 1, "p57")
    await house.until(CLOSES)
    assert await states() == ["done", "now", "done", "now", "later"]  # the result is fresh
    await house.until(CLOSES + timedelta(hours=6))
    assert await states() == ["done", "now", "done", "done", "later"]
    nowhere = await house.group.week(person(2, "x", server="elsewhere"), house.now)
    assert nowhere.steps == () and nowhere.next_event is None


async def test_a_vote_closes_and_is_told_though_the_daily_paper_fails(house: House) -> None:
    round_id = await open_vote(house, "p57", "p10")
    await house.vote(MEMBER, round_id, "p57")

    async def broken(now: datetime) -> int:
        raise RuntimeError("a paper nobody can post")

    house.group.rooms.daily.due = broken  # type: ignore[method-assign, assignment]
    with pytest.raises(RuntimeError, match="nobody can post"):
        await house.tick(CLOSES)
    assert "1 member voted" in said(result(house))
