"""Ballots of every method, as members cast, change and look at them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

import pytest

from bot.messages.model import Entries, Message
from bot.storage.loads import find_load
from tests.lab.house import CHAIR, MEMBER, OTHER, House, filled, ids_in, person, text_of
from tests.lab.voting import CLOSES, PAPERS, WEEK, cast, cast_all, open_vote, result, told


def numbers(message: Message | None) -> list[int | None]:
    """The papers a ballot shows, in its order."""
    assert message is not None
    found = next((block for block in message.blocks if isinstance(block, Entries)), Entries(()))
    return [entry.number for entry in found.items]


# ---- ranked ----


@pytest.mark.parametrize("method", ["schulze", "irv"])
async def test_a_ranked_ballot_is_read_in_its_order_and_comes_back_filled_in(
    house: House, method: str
) -> None:
    await open_vote(house, method=method)
    form = (await house.press(MEMBER, "vote:1")).form
    assert form is not None and filled(form) == {"choice1": "", "choice2": "", "choice3": ""}
    answer = await house.rank(MEMBER, 1, "p21", "p57")
    assert "Counted. First paper 3, then paper 1." in text_of(answer)
    assert numbers(answer.message) == [3, 1]
    form = (await house.press(MEMBER, "vote:1")).form
    assert form is not None and filled(form) == {"choice1": "p21", "choice2": "p57", "choice3": ""}
    assert numbers((await house.press(MEMBER, "mine:1")).message) == [3, 1]


async def test_a_gap_in_a_ranking_closes_up(house: House) -> None:
    await open_vote(house, method="schulze")
    assert "First paper 2, then paper 3." in text_of(await house.rank(MEMBER, 1, "", "p10", "", "", "p21"))
    form = (await house.press(MEMBER, "vote:1")).form
    assert form is not None and filled(form) == {"choice1": "p10", "choice2": "p21", "choice3": ""}


async def test_of_a_paper_ranked_twice_the_higher_place_counts_and_that_is_said(house: House) -> None:
    await open_vote(house, method="schulze")
    answer = text_of(await house.rank(MEMBER, 1, "p10", "p57", "p10", "p21"))
    assert "First paper 2, then papers 1 and 3." in answer
    assert "Paper 2 was ranked twice; its higher place counts." in answer


async def test_an_empty_ranking_is_present_without_a_wish(house: House) -> None:
    await open_vote(house, method="irv")
    assert "Counted as present, without a wish." in text_of(await house.rank(MEMBER, 1, "", "", ""))
    assert "present, without a wish" in text_of(await house.press(MEMBER, "mine:1"))


async def test_a_ranking_goes_five_deep_and_no_deeper(house: House) -> None:
    papers = tuple(f"p{number}" for number in range(10, 17))
    await open_vote(house, *papers, method="schulze")
    form = (await house.press(MEMBER, "vote:1")).form
    assert form is not None and list(filled(form)) == [f"choice{place}" for place in range(1, 6)]
    answer = await house.submit(MEMBER, "ballot:1", **{f"choice{n}": p for n, p in enumerate(papers, 1)})
    assert numbers(answer.message) == [1, 2, 3, 4, 5]  # a sixth choice is none of the form's


async def test_a_ranking_is_never_read_from_what_is_ticked(house: House) -> None:
    await open_vote(house, method="schulze")
    await house.rank(MEMBER, 1, "p10")
    answer = text_of(await house.submit(MEMBER, "ballot:1", papers=["p21", "p57"]))
    assert "Counted as present, without a wish." in answer
    assert "Counted. First paper 1." in text_of(await house.rank(MEMBER, 1, "p57"))


# ---- one vote each ----


async def test_one_vote_each_is_one_paper_or_none(house: House) -> None:
    await open_vote(house, method="plurality")
    form = (await house.press(MEMBER, "vote:1")).form
    assert form is not None and filled(form) == {"papers": ""}
    assert "You would read: paper 2." in text_of(await cast(house, "plurality", MEMBER, 1, "p10"))
    form = (await house.press(MEMBER, "vote:1")).form
    assert form is not None and filled(form) == {"papers": "p10"}
    two = await house.submit(MEMBER, "ballot:1", papers=["p10", "p21"])
    assert two.kind == "private" and "Counted" not in text_of(two) and "wrong on our side" not in text_of(two)
    assert "You would read: paper 2." in text_of(await house.press(MEMBER, "mine:1"))
    assert "Counted as present" in text_of(await cast(house, "plurality", MEMBER, 1))


# ---- any ----


@pytest.mark.parametrize("method", ["approval", "phragmen", "plurality", "schulze", "irv"])
async def test_the_last_ballot_counts_whole_and_can_be_taken_back(house: House, method: str) -> None:
    await open_vote(house, method=method)
    first = text_of(await cast(house, method, MEMBER, 1, "p57"))
    second = text_of(await cast(house, method, MEMBER, 1, "p21"))
    assert receipt(first) == receipt(second)
    assert receipt(first) != receipt(text_of(await cast(house, method, OTHER, 1, "p57")))
    assert "Withdrawn, as if you had not voted." in text_of(await house.press(MEMBER, "retract:1"))
    assert "You have not voted in this round." in text_of(await house.press(MEMBER, "mine:1"))
    assert receipt(first) == receipt(text_of(await cast(house, method, MEMBER, 1, "p10")))
    await house.until(CLOSES + timedelta(minutes=1))
    mine = text_of(await house.press(MEMBER, "mine:1"))
    assert "paper 2" in mine and receipt(mine) == receipt(first)


def receipt(text: str) -> str:
    found = text.partition("Your receipt: ")[2][:10]
    assert len(found) == 10 and int(found, 16) >= 0
    return found


@pytest.mark.parametrize("method", ["approval", "plurality", "schulze"])
async def test_papers_that_are_not_on_the_ballot_are_refused_and_nothing_is_lost(
    house: House, method: str
) -> None:
    await open_vote(house, method=method)
    await cast(house, method, MEMBER, 1, "p57")
    for wrong in ("p58", "1", "57", "p", "~", "p57 p10", "p" * 90):
        answer = await cast(house, method, MEMBER, 1, wrong)
        assert answer.kind == "private" and "Counted" not in text_of(answer), wrong
        assert "wrong on our side" not in text_of(answer), wrong
    assert "paper 1" in text_of(await house.press(MEMBER, "mine:1"))


async def test_a_paper_withdrawn_while_the_form_was_open_is_told(house: House) -> None:
    await open_vote(house, method="schulze")
    await house.press(person(3), "withdraw:2")
    answer = text_of(await house.rank(MEMBER, 1, "p10", "p21"))
    assert "First paper 3." in answer and "Paper 2 was withdrawn and does not count." in answer


async def test_a_ballot_says_who_can_see_it_and_the_operator_too(house: House) -> None:
    await open_vote(house, secrecy="open")
    form = (await house.press(MEMBER, "vote:1")).form
    text = text_of(await house.press(MEMBER, "vote:1"))
    assert form is not None and "everybody sees who voted for what. Whoever runs the bot could" in text
    assert "Open at close: after closing, everybody sees who voted for what." in str(
        told(house, 1, "open")[0].message
    )


# ---- who may vote ----


async def test_whoever_came_after_the_opening_is_told_the_rule_by_every_method(house: House) -> None:
    await open_vote(house, method="schulze")
    late = replace(person(8), joined_at=house.now + timedelta(minutes=1))
    house.now += timedelta(hours=1)
    for answer in (await house.press(late, "vote:1"), await house.rank(late, 1, "p57")):
        text = text_of(answer)
        assert answer.kind == "private" and "You joined after this vote opened." in text
        assert "Thu 10 Dec, 09:00" in text
    early = replace(person(8), joined_at=house.now - WEEK)
    assert "Counted" in text_of(await house.rank(early, 1, "p57"))


# ---- fair turns ----


async def test_what_somebody_has_paid_in_fair_turns_is_told_to_them_alone(house: House) -> None:
    await open_vote(house, method="phragmen")
    await cast_all(house, "phragmen", 1, [("p57",)] * 4 + [("p10",), ()])
    assert "You have paid" not in text_of(await house.press(MEMBER, "mine:1"))  # nobody has paid yet
    await house.until(CLOSES + timedelta(minutes=1))
    loads = await house.database.read(lambda tx: [find_load(tx, 1, 1, number) for number in range(1, 9)])
    assert sorted(load for load in loads if load) == [Fraction(1, 4)] * 4
    house.now += timedelta(hours=1)
    await house.until(house.now + WEEK)
    mine = text_of(await house.press(MEMBER, "mine:2"))
    assert "You have paid 0.25 papers this season" in mine
    assert "You have paid 0.25" in text_of(await house.press(MEMBER, "mine:1"))
    assert "You have paid 0.25" not in text_of(await house.press(person(6), "mine:2"))
    for who in (MEMBER, CHAIR):
        for path in ("paper results", "paper history", "paper nominations", "club settings"):
            assert "have paid" not in text_of(await house.command(who, path)), path
    assert "have paid" not in str(result(house, 1))


async def test_a_season_of_fair_turns_begins_when_they_are_switched_on(house: House) -> None:
    await open_vote(house, method="phragmen")
    await cast_all(house, "phragmen", 1, [("p57",)] * 3)
    await house.until(CLOSES + timedelta(minutes=1))
    await house.counting(method="approval")
    await house.counting(ties="draw")
    await house.counting(method="phragmen")
    await house.until(house.now + WEEK)
    assert "have paid" not in text_of(await house.press(MEMBER, "mine:2"))


# ---- reminders ----


async def test_being_reminded_is_switched_by_whoever_wants_it(house: House) -> None:
    await open_vote(house)
    counted = await house.vote(MEMBER, 1, *PAPERS)
    assert "remind:on" in list(ids_in(counted.message))
    on = await house.press(MEMBER, "remind:on")
    assert on.kind == "private" and "You get a private reminder before a vote closes" in text_of(on)
    assert list(ids_in(on.message)) == ["remind:off"]
    assert "remind:off" in list(ids_in((await house.press(MEMBER, "mine:1")).message))
    off = await house.press(MEMBER, "remind:off")
    assert "You get no private reminders any more." in text_of(off)
    assert "remind:on" in list(ids_in((await house.press(MEMBER, "mine:1")).message))
    for wrong in ("remind:", "remind:maybe", "remind:on:12", "remind"):
        assert "belongs to nothing" in text_of(await house.press(MEMBER, wrong)), wrong
