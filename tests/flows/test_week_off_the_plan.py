"""A week that does not go by the plan: opened early, paused, papers withdrawn, forms refused, told as it is."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.app.week import WeekStep
from bot.messages.model import Entries
from bot.rounds.model import MAX_CANDIDATES
from tests.lab.house import (
    CHAIR,
    MEMBER,
    MONDAY,
    OTHER,
    House,
    Posted,
    filled,
    ids_in,
    person,
    said,
    text_of,
)
from tests.lab.voting import cast_all, open_vote

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
MEETS = datetime(2026, 12, 7, 15, tzinfo=UTC)
WEEK = timedelta(days=7)
HOUR = timedelta(hours=1)


async def two_nominated(house: House) -> None:
    """A club on Monday morning with p57 of member 2 and p10 of member 3 on its list."""
    await house.set_up()
    for who, paper in ((MEMBER, "p57"), (OTHER, "p10")):
        house.now += timedelta(minutes=1)
        await house.command(who, "paper nominate", paper=paper)


async def early_vote(house: House) -> None:
    """Opened on Monday, closed on Tuesday morning; p57 is chosen."""
    await two_nominated(house)
    await house.command(CHAIR, "club open vote")
    await house.vote(MEMBER, 1, "p57")
    await house.until(MONDAY + timedelta(days=1))
    await house.command(CHAIR, "club close vote", reason="All have voted")
    await house.tick()


def polls(house: House) -> list[Posted]:
    return [
        posted for posted in house.platform.posts if "Which of these would you read?" in said(posted.message)
    ]


def single_at(house: House) -> list[datetime]:
    """When the one paper on the list was chosen without a vote."""
    return [posted.at for posted in house.platform.in_channel(start="Only one paper")]


async def step(house: House, key: str) -> WeekStep:
    return next(each for each in (await house.group.week(MEMBER, house.now)).steps if each.key == key)


async def missed(house: House) -> list[str]:
    acts = await house.database.read(
        lambda tx: tx.rows("SELECT about FROM act WHERE what = 'open.missed' ORDER BY id")
    )
    return [json.loads(act["about"])["reason"] for act in acts]


async def test_an_early_vote_that_chose_a_paper_stands_for_the_weeks_own(house: House) -> None:
    await early_vote(house)
    listed = text_of(await house.command(MEMBER, "paper nominations"))
    assert "The list is frozen Thu 10 Dec, 09:00" in listed
    before = len(house.platform.posts)
    await house.until(OPENS + HOUR)
    assert await missed(house) == ["decided"]
    assert all(posted.message.summary.startswith("Today’s paper") for posted in house.platform.posts[before:])
    why = text_of(await house.command(MEMBER, "paper why", day="2026-12-03"))
    assert "the paper for that meeting was chosen already" in why
    assert "p57" in text_of(await house.command(MEMBER, "paper history"))
    await house.until(OPENS + WEEK)
    assert single_at(house) == [OPENS + WEEK]


async def test_an_early_vote_still_running_is_why_the_weeks_own_is_missed(house: House) -> None:
    await two_nominated(house)
    await house.command(CHAIR, "club open vote")
    listed = text_of(await house.command(MEMBER, "paper nominations"))
    assert "The list is frozen Thu 10 Dec, 09:00" in listed
    await house.until(CLOSES - HOUR)
    assert await missed(house) == ["voting"] and len(polls(house)) == 1
    why = text_of(await house.command(MEMBER, "paper why", day="2026-12-03"))
    assert "a vote was open already" in why


async def test_an_early_vote_without_a_decision_leaves_the_weeks_own(house: House) -> None:
    await two_nominated(house)
    await house.command(CHAIR, "club open vote")
    await house.until(MONDAY + timedelta(days=1))
    await house.command(CHAIR, "club close vote", reason="Too early")
    assert "Thu 3 Dec, 09:00" in text_of(await house.command(MEMBER, "paper nominations"))
    await house.until(OPENS)
    assert await missed(house) == [] and len(polls(house)) == 2


async def test_a_meeting_after_the_next_opening_does_not_hold_it_up(house: House) -> None:
    await two_nominated(house)
    form = (await house.press(CHAIR, "settings:vote")).form
    assert form is not None
    await house.submit(CHAIR, form.id, **(filled(form) | {"meeting": "Thu 18:00"}))
    await house.until(OPENS)
    await house.vote(MEMBER, 1, "p57")
    await house.until(OPENS + WEEK)  # the meeting about p57 is this evening; the vote is about the next one
    assert await missed(house) == []
    assert single_at(house) == [OPENS + WEEK]


async def test_opening_a_vote_on_nothing_is_refused_privately(house: House) -> None:
    await house.set_up()
    answer = await house.command(CHAIR, "club open vote")
    assert answer.kind == "private"
    assert "There is nothing to vote on: no paper is nominated." in text_of(answer)
    assert "nominations" in set(ids_in(answer.message))
    await house.tick()
    assert not house.platform.posts
    await house.until(OPENS)
    assert len(house.platform.in_channel(start="No paper was nominated")) == 1


async def test_nothing_is_promised_that_a_pause_will_prevent(house: House) -> None:
    await house.set_up()
    await house.command(CHAIR, "club pause", until="2026-12-07")
    done = text_of(await house.command(MEMBER, "paper nominate", paper="p57"))
    assert "The vote opens Thu 10 Dec, 09:00." in done
    assert "Thu 10 Dec, 09:00" in text_of(await house.command(MEMBER, "paper vote"))
    view = await house.group.week(MEMBER, house.now)
    assert view.next_event == view.opening == OPENS + WEEK
    states = [(each.key, each.state_label, each.when) for each in view.steps]
    assert states == [
        ("paper", "paused", "Mon 7 Dec, 09:00"),
        ("nominations", "open", "until Thu 10 Dec, 09:00"),
        ("vote", "paused", "Thu 10 Dec, 09:00"),
        ("result", "paused", ""),
        ("meeting", "paused", ""),
    ]
    await house.until(datetime(2026, 12, 7, 7, tzinfo=UTC))
    assert (await step(house, "vote")).state_label == "later"
    await house.until(OPENS + WEEK)
    assert single_at(house) == [OPENS + WEEK]


async def test_a_pause_without_an_end_promises_nothing(house: House) -> None:
    await house.set_up()
    await house.command(CHAIR, "club pause")
    assert "The vote opens" not in text_of(await house.command(MEMBER, "paper nominate", paper="p57"))
    assert "No vote is open. Papers can be nominated" in text_of(await house.command(MEMBER, "paper vote"))
    assert "frozen" not in text_of(await house.command(MEMBER, "paper nominations"))
    view = await house.group.week(MEMBER, house.now)
    assert view.next_event is None is view.opening and view.next_label == ""
    assert [each.when for each in view.steps] == ["", "", "", "", ""]
    await house.command(CHAIR, "club resume")
    assert (await house.group.week(MEMBER, house.now)).opening == OPENS


async def test_a_vote_closes_with_its_last_candidate(house: House) -> None:
    await two_nominated(house)
    await house.until(OPENS)
    await house.vote(MEMBER, 1, "p57")
    await house.press(MEMBER, "withdraw:1")
    assert (await house.press(OTHER, "vote:1")).form is not None
    await house.command(CHAIR, "club remove", paper="p10", reason="Read last year")
    await house.tick()
    await house.drawn()
    words = "No decision: every paper was withdrawn. Papers can be nominated for the next vote."
    assert words in said(house.platform.posts[-1].message)
    assert words in text_of(await house.command(MEMBER, "paper results"))
    chinese = person(4, locale="zh-CN")
    assert "没有结果：所有论文都已撤回。" in text_of(await house.command(chinese, "paper results"))
    assert "No vote is open. The next one opens Thu 10 Dec, 09:00." in text_of(
        await house.command(OTHER, "paper vote")
    )
    for press in ("vote:1", "mine:1", "how:1"):
        answer = await house.press(OTHER, press)
        assert answer.form is None and "our side" not in text_of(answer)
    assert "Nothing is nominated yet." in text_of(await house.command(MEMBER, "paper nominations"))


async def test_the_poll_tells_withdrawn_from_removed_and_why(house: House) -> None:
    await two_nominated(house)
    await house.command(CHAIR, "paper nominate", paper="p21", reason="My own reason")
    await house.command(CHAIR, "paper nominate", paper="p33")
    await house.until(OPENS)
    await house.press(MEMBER, "withdraw:1")
    await house.command(CHAIR, "club remove", paper="p21", reason="Read\nlast year")
    await house.command(CHAIR, "club remove", paper="p33")
    await house.drawn()
    (poll,) = polls(house)
    entries = next(block for block in poll.message.blocks if isinstance(block, Entries)).items
    gone = [said(entry.lines) for entry in entries]
    assert gone[0].endswith("nominated by Member 2 · withdrawn")
    assert gone[1].endswith("nominated by Member 3")
    assert gone[2].endswith("nominated by Member 1 · removed: Read last year") and not entries[2].quote
    assert gone[3].endswith("nominated by Member 1 · removed")


async def test_results_during_a_vote_say_that_it_is_open(house: House) -> None:
    await two_nominated(house)
    await house.until(OPENS)
    first = await house.command(MEMBER, "paper results")
    assert "This vote is still open, so it has no result yet. It closes Fri 4 Dec, 17:00." in text_of(first)
    assert "vote:1" in set(ids_in(first.message))
    await house.vote(MEMBER, 1, "p57")
    await house.until(CLOSES)
    assert "A vote is open" not in text_of(await house.command(MEMBER, "paper results"))
    await house.command(OTHER, "paper nominate", paper="p21")
    await house.until(OPENS + WEEK)
    second = await house.command(MEMBER, "paper results")
    assert "A vote is open until Fri 11 Dec, 17:00." in text_of(second) and "1 member voted" in text_of(
        second
    )
    assert {"vote:2", "how:1"} <= set(ids_in(second.message))


async def test_a_paper_counts_as_read_after_its_meeting(house: House) -> None:
    await two_nominated(house)
    await house.until(OPENS)
    await house.vote(MEMBER, 1, "p57")
    await house.until(CLOSES)
    chosen = text_of(await house.command(MEMBER, "paper history"))
    assert "No paper read together yet" in chosen
    assert "next, for the meeting on Monday 7 December" in chosen and "1 of 1" not in chosen
    chinese = text_of(await house.command(person(4, locale="zh-CN"), "paper history"))
    assert "还没有一起读过论文" in chinese and "下一篇，" in chinese
    await house.until(MEETS)
    read = text_of(await house.command(MEMBER, "paper history"))
    assert "1 paper read together" in read and "next" not in read and "Monday 7 December" in read


async def test_a_chosen_paper_cannot_be_nominated_before_its_meeting_and_says_so_after(house: House) -> None:
    await two_nominated(house)
    await house.until(OPENS)
    await house.vote(MEMBER, 1, "p57")
    await house.until(CLOSES)
    again = await house.press(OTHER, "nominate:p57")
    assert "is the paper for Monday 7 December. It can be nominated again after that meeting." in text_of(
        again
    )
    await house.until(MEETS)
    done = text_of(await house.press(OTHER, "nominate:p57"))
    assert "Nominated: " in done and "The club read it on Monday 7 December." in done
    assert "read it" not in text_of(await house.press(OTHER, "nominate:p21"))


async def test_the_week_names_the_day_of_the_meeting_before_its_vote_is_open(house: House) -> None:
    await house.set_up()
    assert (await step(house, "meeting")).when == "Mon 7 Dec, 16:00"


async def test_the_week_shows_when_an_early_vote_really_ran(house: House) -> None:
    await early_vote(house)
    ballot, result, meeting = [await step(house, key) for key in ("vote", "result", "meeting")]
    assert (ballot.state_label, ballot.when) == ("closed", "Mon 30 Nov, 08:56 to Tue 1 Dec, 08:54")
    assert (result.state, result.state_label, result.when) == ("now", "just posted", "Tue 1 Dec, 08:54")
    assert meeting.when == "Mon 7 Dec, 16:00"
    view = await house.group.week(MEMBER, house.now)
    assert view.opening == view.next_event == OPENS + WEEK


async def test_one_paper_alone_was_chosen_in_a_moment(house: House) -> None:
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p57")
    await house.command(CHAIR, "club open vote")
    assert (await step(house, "vote")).when == "Mon 30 Nov, 08:54"


async def test_who_joined_after_the_opening_may_not_vote_yet(house: House) -> None:
    await two_nominated(house)
    await house.until(OPENS)
    late = replace(person(7), joined_at=OPENS + HOUR)
    house.now = OPENS + 2 * HOUR
    refused = text_of(await house.vote(late, 1, "p57"))
    assert "You joined after this vote opened. Your first vote is the next one, Thu 10 Dec, 09:00." in refused
    for opened in (await house.press(late, "vote:1"), await house.command(late, "paper vote")):
        assert opened.kind == "private" and text_of(opened) == refused  # before anything is ticked
    assert "Counted." in text_of(await house.vote(replace(late, joined_at=OPENS), 1, "p57"))


TYPED = {"paper": "https://papers.example/one", "title": "One", "authors": "A, B", "reason": "It is short."}


@pytest.mark.parametrize("limit", ["three each", "list full", "ten a minute"])
async def test_a_form_refused_by_a_limit_keeps_what_was_typed(house: House, limit: str) -> None:
    await house.set_up()
    match limit:
        case "three each":
            for paper in ("p1", "p2", "p3"):
                await house.command(MEMBER, "paper nominate", paper=paper)
            sentence = "You have used your 3 nominations."
        case "list full":
            for number in range(MAX_CANDIDATES):
                await house.command(person(10 + number), "paper nominate", paper=f"p{1 + number}")
            sentence = "The list is full"
        case _:
            for _ in range(5):
                await house.command(MEMBER, "paper nominate", paper="p1")
                listed = await house.command(MEMBER, "paper nominations")
                (mine,) = (each for each in ids_in(listed.message) if each.startswith("withdraw:"))
                await house.press(MEMBER, mine)
            sentence = "Please wait"
    answer = await house.submit(MEMBER, "propose", **TYPED)
    assert answer.kind == "private" and sentence in text_of(answer)
    assert "What you typed is kept for a week." in text_of(answer)
    again = next(each for each in ids_in(answer.message) if each.startswith("nominate-form:"))
    form = (await house.press(MEMBER, again)).form
    assert form is not None and filled(form) == TYPED
    stranger = (await house.press(OTHER, again)).form
    assert stranger is not None and set(filled(stranger).values()) == {""}
    house.now += timedelta(minutes=2)
    if limit == "three each":
        await house.press(MEMBER, "withdraw:1")
    if limit != "list full":
        assert "Nominated: One" in text_of(await house.submit(MEMBER, form.id, **filled(form)))


async def tied_week(house: House, ties: str) -> None:
    """A vote that ended in a tie of three ballots, half an hour ago."""
    await open_vote(house, ties=ties)
    await cast_all(house, "approval", 1, [("p57", "p10")] * 3)
    await house.until(CLOSES + HOUR / 2)


async def test_the_week_says_that_a_tie_waits_for_an_organiser(house: House) -> None:
    await tied_week(house, "organiser")
    ballot, result, meeting = [await step(house, key) for key in ("vote", "result", "meeting")]
    assert (ballot.state, ballot.state_label, ballot.when) == (
        "done",
        "closed",
        "Thu 3 Dec, 09:00 to Fri 4 Dec, 17:00",
    )
    assert (result.state, result.state_label) == ("now", "a tie")
    assert result.when == "an organiser decides until Sun 6 Dec, 17:00"
    assert meeting.when == "Mon 7 Dec, 16:00"
    await house.submit(CHAIR, "decision:1", paper="p10", reason="Shorter")
    assert (await step(house, "result")).state == "done"


async def test_the_week_calls_a_second_vote_one(house: House) -> None:
    await tied_week(house, "runoff")
    ballot = await step(house, "vote")
    assert (ballot.state, ballot.state_label) == ("now", "second vote, open")
    assert ballot.when == "Fri 4 Dec, 17:00 to Sat 5 Dec, 17:00"
