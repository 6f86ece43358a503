"""A club's week by each way of voting, from the opening to the meeting, and what anybody counts again from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from bot.messages.model import Table
from bot.rounds.election import read_election
from bot.rounds.sheet import count_election
from tests.lab.house import CHAIR, MEMBER, House, person, said, text_of
from tests.lab.voting import CLOSES, MEETS, OPENS, WEEK, cast, cast_all, open_vote, result, sheet_in, told

A, B, C = "p57", "p10", "p21"
METHODS = ("approval", "phragmen", "plurality", "schulze", "irv")
Ballots = Sequence[tuple[str, ...]]


async def week(house: House, method: str, ballots: Ballots, **counting: str) -> None:
    """A vote with these ballots, a minute after it closed."""
    await open_vote(house, method=method, **counting)
    await cast_all(house, method, 1, ballots)
    await house.until(CLOSES + timedelta(minutes=1))


def winner(house: House, round_id: int = 1) -> str:
    """The id of the paper that was chosen."""
    decided = told(house, round_id, "decision")
    text = said(decided[0].message if decided else result(house, round_id))
    (found,) = [paper for paper in (A, B, C) if f" {paper} " in f" {text} "]
    return found


def recounted(house: House, round_id: int = 1) -> str | None:
    """What a stranger makes of the tally sheet alone."""
    *_, posted = told(house, round_id, "sheet")  # where a tie waited, the last one knows what decided it
    assert posted.message.file is not None
    _, decision = count_election(read_election(posted.message.file.data))
    return decision.winners[0] if decision.winners else None


CASES: dict[str, tuple[str, Ballots, str]] = {
    "most ticks": ("approval", [(A, B), (B,), (B, C), (A,), (C,)], B),
    "ticks of those who paid nothing": ("phragmen", [(A, B), (B,), (B, C), (A,), (C,)], B),
    "most votes": ("plurality", [(A,), (A,), (B,), (C,), (A,)], A),
    "the head-to-head winner has fewest first choices": (
        "schulze",
        [(A, C), (A, C), (B, C), (B, C), (C, A)],
        C,
    ),
    "the last drops out": ("irv", [(A, C), (A, C), (B, C), (B, C), (C, A)], A),
    "unranked is below all ranked": ("schulze", [(B,), (B,), (A,), (C, B), (C, B)], B),
}


@pytest.mark.parametrize("case", CASES)
async def test_a_week_by_each_method_chooses_what_anybody_recounts(house: House, case: str) -> None:
    method, ballots, expected = CASES[case]
    await week(house, method, ballots)
    assert result(house, 1).summary.startswith("Winner: ") and winner(house) == expected
    assert recounted(house) == expected
    assert "5 ballots were counted." in text_of(await house.press(MEMBER, "how:1"))
    assert told(house, 1, "thread")[0].message.summary[:60] in result(house, 1).summary
    await house.until(MEETS + timedelta(hours=1))
    assert expected in text_of(await house.command(MEMBER, "paper history"))
    left = text_of(await house.command(MEMBER, "paper nominations"))
    assert expected not in left and "2 papers nominated" in left


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ties", ["age", "draw"])
async def test_a_tie_is_named_and_broken_by_the_rule_that_was_announced(
    house: House, method: str, ties: str
) -> None:
    ballots = [(B,), (B,), (A,), (A,), (B,), (A,)]
    await week(house, method, ballots, ties=ties)
    text = said(result(house, 1))
    assert "tie" in text.lower()
    assert winner(house) == recounted(house)
    if ties == "age":
        assert winner(house) == A and "nominated first" in text
    else:
        assert winner(house) in (A, B) and "draw" in text
    secret = sheet_in(told(house, 1, "sheet")[0].message)["ties"]["secret"]
    assert len(secret) == 32 and secret in text


async def test_a_circle_of_papers_is_told_and_its_narrowest_duel_set_aside(house: House) -> None:
    ballots = [(A, B, C)] * 4 + [(B, C, A)] * 3 + [(C, A, B)] * 2
    await week(house, "schulze", ballots)
    assert winner(house) == A == recounted(house)
    how = await house.press(MEMBER, "how:1")
    assert "No paper beat all the others." in text_of(how) and "set aside" in text_of(how)
    assert how.message is not None and any(isinstance(block, Table) for block in how.message.blocks)


@pytest.mark.parametrize("method", METHODS)
async def test_a_quorum_that_is_missed_leaves_everything_as_it_was(house: House, method: str) -> None:
    await week(house, method, [(A,), (), (A,)], quorum="4")
    assert "No decision: 3 voted, 4 were needed. All papers stay nominated." in said(result(house, 1))
    assert not told(house, 1, "thread")
    assert "3 papers nominated" in text_of(await house.command(MEMBER, "paper nominations"))
    await house.until(OPENS + WEEK)
    await cast_all(house, method, 2, [(A,), (), (A,), ()])
    await house.until(CLOSES + WEEK + timedelta(minutes=1))
    assert winner(house, 2) == A  # blank ballots count for the quorum


@pytest.mark.parametrize("method", METHODS)
async def test_one_voter_decides_and_nothing_else_is_told(house: House, method: str) -> None:
    await week(house, method, [(B,)])
    assert winner(house) == B and " 1 of 1" not in said(result(house, 1))
    assert not told(house, 1, "sheet")


@pytest.mark.parametrize("method", METHODS)
async def test_without_a_wish_there_is_no_decision(house: House, method: str) -> None:
    await week(house, method, [(), (), ()])
    assert "No decision: 3 members voted, all without a wish." in said(result(house, 1))


@pytest.mark.parametrize("method", METHODS)
async def test_a_week_in_chinese(house: House, method: str) -> None:
    await house.set_up(language="zh")
    await house.counting(method=method)
    for number, paper in enumerate((A, B), 2):
        house.now += timedelta(minutes=1)
        await house.command(person(number, locale="zh"), "paper nominate", paper=paper)
    await house.until(OPENS)
    member = person(2, locale="zh-CN")
    assert "已计入" in text_of(await cast(house, method, member, 1, A))
    for number, paper in enumerate((A, B, B, A), 3):
        await cast(house, method, person(number, locale="zh"), 1, paper)
    await house.until(CLOSES + timedelta(minutes=1))
    text = said(result(house, 1))
    assert result(house, 1).summary.startswith("胜出") and winner(house) == A
    for page in (
        text,
        text_of(await house.press(member, "how:1")),
        text_of(await house.press(member, "mine:1")),
    ):
        assert not any(word in page for word in ("Winner", "ballot", "counted", "votes", "Turnout")), page
    assert recounted(house) == A


# ---- fair turns over weeks ----


async def test_fair_turns_give_the_smaller_group_its_turn(house: House) -> None:
    """Three who want one kind of paper and two who want the other: three turns of five, not all (Lackner & Maly)."""
    await house.set_up()
    await house.counting(method="phragmen")
    chosen = []
    for number in range(5):
        for who, paper in ((2, f"p{10 + number}"), (5, f"p{40 + number}")):
            house.now += timedelta(minutes=1)
            await house.command(person(who), "paper nominate", paper=paper)
        await house.until(OPENS + number * WEEK)
        listed = await house.press(MEMBER, f"vote:{number + 1}")
        assert listed.form is not None
        papers = [option.value for option in listed.form.fields[0].options]  # type: ignore[union-attr]
        theirs, ours = ([p for p in papers if p.startswith(kind)] for kind in ("p1", "p4"))
        await cast_all(house, "phragmen", number + 1, [theirs] * 3 + [ours] * 2)
        await house.until(CLOSES + number * WEEK + timedelta(minutes=1))
        chosen.append("many" if recounted(house, number + 1) in theirs else "few")
    assert chosen == ["many", "few", "many", "many", "few"] or chosen.count("few") == 2, chosen


async def test_one_who_was_away_neither_pays_nor_gains(house: House) -> None:
    await week(house, "phragmen", [(A,), (A,), (B,), (), ()])
    house.now += timedelta(hours=1)
    mine = [text_of(await house.press(person(n), "mine:1")) for n in (2, 4, 5, 8)]
    assert "You have paid 0.5 papers" in mine[0] and "You have paid 0 papers" in mine[1]
    assert "have paid" not in mine[2] and "have paid" not in mine[3]


async def test_the_organiser_ends_a_vote_of_any_method_with_a_reason(house: House) -> None:
    await open_vote(house, method="irv", ties="organiser")
    await cast_all(house, "irv", 1, [(A,), (A,), (B,), (B,), (A,), (B,)])
    await house.command(CHAIR, "club close vote", reason="We meet today")
    await house.until(house.now + timedelta(minutes=1))
    assert "Closed early by Member 1. Reason: We meet today" in said(result(house, 1))
    await house.submit(CHAIR, "decision:1", paper=B, reason="Shorter")
    await house.tick()
    assert winner(house) == B
    assert recounted(house) is None  # a stranger sees the tie; the decision is a person's, and on record
    sheet = sheet_in((await house.press(MEMBER, "sheet:1")).message)
    assert sheet["published result"]["winner"] == B and sheet["published result"]["decided_by"] == "Member 1"
