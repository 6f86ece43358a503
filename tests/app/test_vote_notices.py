"""What is said while a vote is open: the one notice, private reminders, ballots gone blank, an early end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.lab.house import CHAIR, MEMBER, OTHER, House, Posted, ids_in, on, person, said, text_of
from tests.lab.sides import club_on_both, link
from tests.lab.voting import CLOSES, OPENS, WEEK, cast_all, open_vote, told

DAY = timedelta(days=1)


def private(house: House, number: int, start: str) -> list[Posted]:
    """Private messages to a member whose first words are these."""
    return [
        posted
        for platform in house.platforms.values()
        for posted in platform.to_person(f"u{number}")
        if posted.message.summary.startswith(start)
    ]


# ---- reminders ----


async def test_one_notice_comes_before_closing_and_calls_nobody(house: House) -> None:
    await open_vote(house)
    await cast_all(house, "approval", 1, [("p57",), ("p10",)])
    await house.until(CLOSES + timedelta(hours=1))
    (notice,) = told(house, 1, "reminder")
    assert OPENS < notice.at < CLOSES and not notice.message.notify
    assert "2 have voted" in said(notice.message) and "The vote closes" in said(notice.message)
    assert {"vote:1", "mine:1"} <= set(ids_in(notice.message))
    assert told(house, 1, "open")[0].before[0].notify and told(house, 1)[0].message.notify


async def test_who_asked_for_a_reminder_and_has_not_voted_gets_one_in_private(house: House) -> None:
    await open_vote(house)
    for who in (MEMBER, OTHER, person(4)):
        await house.press(who, "remind:on")
    await house.press(person(4), "remind:off")
    await house.vote(OTHER, 1, "p57")
    await house.until(CLOSES + timedelta(hours=1))
    (nudge,) = private(house, 2, "You have not voted yet")
    assert "You asked for this reminder and can stop it here." in said(nudge.message)
    assert {"vote:1", "remind:off"} <= set(ids_in(nudge.message))
    for number in (1, 3, 4, 9):
        assert not private(house, number, "You have not voted")
    await house.press(MEMBER, "remind:off")
    await house.until(CLOSES + WEEK)
    assert len(private(house, 2, "You have not voted")) == 1


async def test_a_reminder_is_no_news_to_whoever_votes_while_it_is_on_its_way(house: House) -> None:
    await open_vote(house)
    for number in (2, 3):
        await house.press(person(number), "remind:on")
    house.platform.broken = {"u2": "busy", "u3": "busy", "papers": "busy"}
    await house.until(CLOSES - timedelta(hours=2))
    assert house.platform.tried.count("u2") and not private(house, 2, "You")
    await house.vote(MEMBER, 1, "p57")
    house.platform.broken = {}
    await house.until(CLOSES - timedelta(minutes=30))
    assert not private(house, 2, "You have not voted") and len(private(house, 3, "You have not voted")) == 1


async def test_no_reminder_comes_after_the_closing(house: House) -> None:
    await open_vote(house)
    await house.press(MEMBER, "remind:on")
    house.platform.broken = {"u2": "busy", "papers": "busy"}
    await house.until(CLOSES - timedelta(minutes=30))
    await house.command(CHAIR, "club close vote", reason="We met")
    house.platform.broken = {}
    await house.until(CLOSES + timedelta(hours=3))
    assert told(house, 1) and not told(house, 1, "reminder") and not private(house, 2, "You have not voted")


async def test_the_button_of_a_private_reminder_opens_the_vote_it_is_about(both: House) -> None:
    await club_on_both(both)
    for number, paper in enumerate(("p57", "p10"), 20):
        await both.command(on("discord", number), "paper nominate", paper=paper)
    await both.until(OPENS)
    await both.press(on("discord", 21), "remind:on")
    await both.until(CLOSES - timedelta(minutes=10))
    (nudge,) = private(both, 21, "You have not voted yet")
    assert nudge.to.platform == "discord" and "Readers" in said(nudge.message)
    form = (await both.press(on("discord", 21), "vote:1")).form
    assert form is not None and form.id == "ballot:1"


async def test_a_linked_member_who_voted_on_the_other_side_is_not_reminded(both: House) -> None:
    await club_on_both(both)
    for number, paper in enumerate(("p57", "p10"), 20):
        await both.command(on("discord", number), "paper nominate", paper=paper)
    await both.until(OPENS)
    here, there = on("discord", 21), on("slack", 31)
    await both.press(here, "remind:on")
    await link(both, here, there)
    await both.vote(there, 1, "p57")
    await both.until(CLOSES + timedelta(hours=1))
    assert not private(both, 21, "You have not voted") and not private(both, 31, "You have not voted")


# ---- a paper is withdrawn ----


async def test_whoever_wanted_only_the_withdrawn_paper_is_told_in_private_and_has_a_day(house: House) -> None:
    await open_vote(house)
    await house.vote(MEMBER, 1, "p10")
    await house.vote(person(5), 1, "p10", "p21")
    await house.vote(person(6), 1)
    await house.until(CLOSES - timedelta(hours=2))
    answer = text_of(await house.press(OTHER, "withdraw:2"))
    assert answer.startswith("Withdrawn: ") and "The vote now closes Sat 5 Dec, 15:00." in answer
    await house.tick()
    (blank,) = private(house, 2, "Your ballot is blank now")
    assert "was withdrawn. You can change it until Sat 5 Dec, 15:00." in said(blank.message)
    assert not private(house, 5, "Your ballot") and not private(house, 6, "Your ballot")
    await house.drawn()
    poll = said(told(house, 1, "open")[0].message)
    assert "Sat 5 Dec, 15:00" in poll and "withdrawn" in poll
    assert "Counted. You would read: paper 3." in text_of(await house.vote(MEMBER, 1, "p21"))
    await house.until(CLOSES + timedelta(hours=1))
    assert not told(house, 1)
    await house.until(CLOSES + DAY)
    assert told(house, 1)[0].at == CLOSES - timedelta(hours=2) + DAY


async def test_a_removed_paper_is_told_to_those_who_wanted_it_at_once(house: House) -> None:
    await open_vote(house)
    await house.vote(MEMBER, 1, "p10")
    before = house.woken
    await house.command(CHAIR, "club remove", paper="p10", reason="Read last year")
    await house.tick()
    assert len(private(house, 2, "Your ballot is blank now")) == 1 and house.woken > before


async def test_whoever_takes_a_paper_off_hears_whether_the_vote_closes_later(house: House) -> None:
    await open_vote(house)
    for paper, later in (("p10", False), ("p21", True)):
        if later:
            await house.until(CLOSES - timedelta(hours=2))
        done = text_of(await house.command(CHAIR, "club remove", paper=paper, reason="Read last year"))
        assert "Reason: Read last year" in done
        assert ("The vote now closes Sat 5 Dec, 15:00." in done) == later
    over = text_of(await house.command(CHAIR, "club remove", paper="p57"))
    assert over.startswith("Removed from the list") and "now closes" not in over


async def test_a_ballot_that_is_no_longer_blank_is_no_news(house: House) -> None:
    await open_vote(house)
    await house.vote(MEMBER, 1, "p10")
    await house.vote(person(5), 1, "p10")
    await house.press(OTHER, "withdraw:2")
    await house.vote(MEMBER, 1, "p21")
    await house.tick()
    assert not private(house, 2, "Your ballot") and len(private(house, 5, "Your ballot")) == 1


@pytest.mark.parametrize("by", ["organiser", "chain"])
async def test_a_paper_chosen_in_an_earlier_vote_is_not_called_withdrawn(house: House, by: str) -> None:
    await open_vote(house, ties="organiser")
    await cast_all(house, "approval", 1, [("p57", "p10")] * 3)
    await house.until(CLOSES + timedelta(minutes=1))
    await house.command(CHAIR, "club open vote")
    await house.tick()
    await house.vote(MEMBER, 2, "p57")
    if by == "organiser":
        await house.submit(CHAIR, "decision:1", paper="p57", reason="Shorter")
        await house.tick()
    else:
        await house.until(CLOSES + 2 * DAY)
    await house.drawn()
    (blank,) = private(house, 2, "Your ballot is blank now")
    poll = said(told(house, 2, "open")[0].message)
    assert "was chosen in an earlier vote. You can change it until" in said(blank.message)
    assert "chosen in an earlier vote" in poll and "withdrawn" not in poll
    late = text_of(await house.vote(person(5), 2, "p57"))
    assert "Paper 1 was chosen in an earlier vote and does not count." in late


async def test_a_vote_emptied_by_an_earlier_choice_too_does_not_say_that_all_was_withdrawn(
    house: House,
) -> None:
    await open_vote(house, "p57", "p10", ties="organiser")
    await cast_all(house, "approval", 1, [("p57", "p10")] * 3)
    await house.until(CLOSES + timedelta(minutes=1))
    await house.command(CHAIR, "club open vote")
    await house.tick()
    await house.submit(CHAIR, "decision:1", paper="p57", reason="Shorter")
    await house.command(CHAIR, "club remove", paper="p10")
    await house.tick()
    over = said(told(house, 2)[0].message)
    assert "No decision: every paper was withdrawn or chosen in an earlier vote." in over
    assert "No paper was left on the ballot" in text_of(await house.press(MEMBER, "sheet:2"))


async def test_a_tied_paper_chosen_by_another_vote_is_not_called_withdrawn(house: House) -> None:
    await open_vote(house, "p57", "p10", ties="organiser")
    await cast_all(house, "approval", 1, [("p57", "p10")] * 5)
    await house.until(CLOSES + timedelta(minutes=1))
    await house.command(CHAIR, "club open vote")
    await house.vote(MEMBER, 2, "p57")
    await house.command(CHAIR, "club close vote", reason="We met")
    await house.until(CLOSES + timedelta(hours=49))
    decision = said(told(house, 1, "decision")[0].message)
    assert (
        "A tie of which one paper was left Off the list before the tie was decided: Siming Huang" in decision
    )
    assert "Winner" in decision and "tie rule" not in decision
    how = text_of(await house.press(MEMBER, "how:1"))
    assert "Off the list before the tie was decided" in how and "ithdrawn" not in how


# ---- an early end ----


async def test_a_vote_ends_early_once_all_active_members_have_voted(house: House) -> None:
    await open_vote(house, close_early="yes")
    await cast_all(house, "approval", 1, [("p57",)] * 5)
    await house.until(CLOSES + timedelta(hours=1))
    assert told(house, 1)[0].at == CLOSES  # nobody is active before the first vote was counted
    house.now += timedelta(minutes=1)
    await house.command(MEMBER, "paper nominate", paper="p33")
    await house.until(OPENS + WEEK + timedelta(hours=1))
    assert "Closes early once all active members have voted." in said(told(house, 2, "open")[0].message)
    await cast_all(house, "approval", 2, [("p10",)] * 4)
    await house.tick()
    assert not told(house, 2)
    await house.vote(person(6), 2)
    await house.tick()
    assert "Closed early: all active members have voted." in said(told(house, 2)[0].message)
    assert told(house, 2)[0].at < CLOSES + WEEK - DAY


@pytest.mark.parametrize(("early", "times"), [("no", 0), ("yes", 1)])
async def test_a_ballot_wakes_the_clock_where_it_may_end_the_vote(
    house: House, early: str, times: int
) -> None:
    await open_vote(house, close_early=early)
    before = house.woken
    await house.vote(MEMBER, 1, "p57")
    assert house.woken - before == times
    await house.vote(MEMBER, 1, "p57")  # says the same again
    assert house.woken - before == times
