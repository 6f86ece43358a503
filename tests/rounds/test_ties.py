"""Ties are named first, then broken by what was fixed before anybody voted, the same on every machine."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.messages.pages.counting import explain
from bot.messages.words import words_for
from bot.rounds.methods import METHODS, Vote
from bot.rounds.model import Tally, Ties
from bot.rounds.ties import Chain, Decision, Entry, break_ties, decide, story

DAY = datetime(2026, 11, 25, 9, 0, tzinfo=UTC)
LEVEL = Tally("approval", (), (("1", "2", "3"),), "tie")


def of_days(*days: int) -> dict[str, Entry]:
    """Options '1', '2', … nominated on these days, with their places on the list and the ids of their papers."""
    return {
        str(place): Entry(DAY + timedelta(days=day), place, f"p{place * 7}")
        for place, day in enumerate(days, 1)
    }


@pytest.mark.parametrize(
    ("seed", "round_id", "context", "tied", "order", "begins"),
    [
        ("2026-W49:42", "poll-17", "winner", "p1 p2", "p1 p2", "40846c698f90ba51"),
        ("2026-W49:42", "poll-17", "winner", "p2 p1", "p1 p2", "40846c698f90ba51"),
        ("2026-W49:42", "poll-18", "winner", "p1 p2", "p2 p1", "3ab2bf74ddfe5013"),
        ("s", "irv", "round-2", "A B C", "A B C", "1f810dcf688636d9"),
        ("s", "irv", "round-3", "A B C", "A B C", "bd285590bbc62d41"),
    ],
)
def test_the_draw_is_the_order_of_the_hashes(
    seed: str, round_id: str, context: str, tied: str, order: str, begins: str
) -> None:
    drawn, steps = Chain("draw", {}, seed, round_id)(tied.split(), context)
    assert drawn == tuple(order.split())
    assert [step.kind for step in steps] == ["tie.draw"]
    assert steps[0].values["hashes"][order.split()[0]].startswith(begins)


def test_a_draw_calls_a_paper_by_its_public_id_in_the_bot_and_in_its_sheet() -> None:
    entries = of_days(0, 0, 0)
    here, _ = Chain("draw", entries, "seed", "12")(["1", "2", "3"], "winner")
    sheet, _ = Chain("draw", {}, "seed", "12")(["p7", "p14", "p21"], "winner")
    assert here is not None
    assert sheet == tuple(entries[option].name for option in here)
    lots = {
        option: hashlib.sha256(f"seed|12|winner|p{int(option) * 7}".encode()).digest() for option in "123"
    }
    assert here == tuple(sorted("123", key=lots.__getitem__))


def test_the_oldest_nomination_goes_first() -> None:
    decision = break_ties(LEVEL, 1, Chain("age", of_days(3, 1, 2), "seed", "12"))
    assert (decision.winners, decision.rule) == (("2",), "age")
    assert [step.kind for step in decision.steps] == ["tie.age", "tie.settled"]


def test_of_one_instant_the_draw_decides_and_only_among_those_it_must() -> None:
    decision = break_ties(LEVEL, 1, Chain("age", of_days(0, 5, 0), "seed", "12"))
    assert decision.rule == "draw"
    assert decision.winners in (("1",), ("3",))
    assert [step.kind for step in decision.steps] == ["tie.age", "tie.draw", "tie.settled"]
    assert sorted(decision.steps[1].values["options"]) == ["1", "3"]
    first = break_ties(LEVEL, 1, Chain("age", of_days(0, 5, 5), "seed", "12"))
    assert (first.winners, first.rule) == (("1",), "age")


def test_without_a_seed_papers_of_one_instant_stand_as_on_the_list() -> None:
    decision = break_ties(LEVEL, 1, Chain("age", of_days(0, 0, 0)))
    assert (decision.winners, decision.rule) == (("1",), "age")


@pytest.mark.parametrize("rule", ["runoff", "organiser"])
def test_what_cannot_serve_leaves_the_tie_to_age(rule: Ties) -> None:
    entries = of_days(3, 1, 2)
    assert break_ties(LEVEL, 1, Chain(rule, entries, "s", "1")) == break_ties(
        LEVEL, 1, Chain("age", entries, "s", "1")
    )


def test_with_the_draw_alone_age_counts_for_nothing() -> None:
    old, new = of_days(0, 1, 2), of_days(2, 1, 0)
    one, other = (break_ties(LEVEL, 1, Chain("draw", entries, "s", "1")) for entries in (old, new))
    assert one == other
    assert one.rule == "draw"


def test_unknown_dates_leave_a_tie_to_the_draw_and_open_without_one() -> None:
    drawn = break_ties(LEVEL, 1, Chain("age", {}, "seed", "12"))
    assert drawn.rule == "draw"
    for chain in (Chain("age", {}), Chain("draw", of_days(1, 2, 3)), None):
        decision = break_ties(LEVEL, 1, chain)
        assert (decision.winners, decision.rule) == (None, "")
        assert decision.steps[-1].kind == "tie.open"


def test_a_vote_without_a_wish_is_never_drawn() -> None:
    for method in METHODS:
        for votes in ([], [Vote(), Vote()]):
            tally, decision = decide(
                method, votes, "123", 1, {}, Chain("age", of_days(1, 2, 3), "seed", "12")
            )
            assert (tally.outcome, decision) == ("no-decision", Decision(None, ""))


def test_several_places_are_filled_best_first() -> None:
    tally = Tally("approval", ("4",), (("1", "2", "3"),), "tie")
    assert break_ties(tally, 3, Chain("age", of_days(3, 1, 2))).winners == ("4", "2", "3")


ELIMINATION = [
    Vote(3, ranking=(("1",),)),
    Vote(2, ranking=(("2",), ("1",))),
    Vote(2, ranking=(("3",), ("2",))),
]
"""2 and 3 are level at the last place: without 2, 1 wins; without 3, 2 wins."""


def test_a_tie_inside_the_count_is_settled_where_it_arises() -> None:
    for days, winner in ((0, 1, 2), "2"), ((0, 2, 1), "1"):
        tally, decision = decide("irv", ELIMINATION, "123", 1, {}, Chain("age", of_days(*days), "seed", "12"))
        assert (tally.winners, set(tally.tied[0])) == ((), {"1", "2"})
        assert (decision.winners, decision.rule) == ((winner,), "age")


def test_the_story_of_a_count_tells_each_step_once() -> None:
    tally, decision = decide("irv", ELIMINATION, "123", 1, {}, Chain("age", of_days(0, 1, 2), "seed", "12"))
    told = [(step.kind, step.values.get("round")) for step in story(tally, decision)]
    assert len(told) == len(set(told))
    assert ("tie.age", None) in told
    assert told[-1][0] == "irv.majority"
    assert "tie.open" not in dict(told)


def test_without_a_chain_the_tie_inside_the_count_stays_open() -> None:
    tally, decision = decide("irv", ELIMINATION, "123", 1, {}, None)
    assert decision.winners is None
    assert story(tally, decision)[: len(tally.steps)] == tally.steps


BALLOT = st.lists(st.sampled_from("1234"), unique=True, max_size=4)


def as_vote(method: str, chosen: list[str]) -> Vote:
    """A ballot of these, in order, as the method reads it."""
    match method:
        case "schulze" | "irv":
            return Vote(ranking=tuple((option,) for option in chosen))
        case "star":
            return Vote(scores={option: 5 - place for place, option in enumerate(chosen)})
        case "plurality":
            return Vote(approvals=tuple(chosen[:1]))
    return Vote(approvals=tuple(chosen))


@pytest.mark.parametrize("method", sorted(METHODS))
@given(
    ballots=st.lists(BALLOT, max_size=6), days=st.tuples(*[st.integers(0, 2)] * 4), seed=st.text(max_size=3)
)
def test_with_dates_every_tie_is_settled_the_same_in_any_order(
    method: str, ballots: list[list[str]], days: tuple[int, ...], seed: str
) -> None:
    votes = [as_vote(method, ballot) for ballot in ballots]
    chain = Chain("age", of_days(*days), seed, "12")
    tally, decision = decide(method, votes, "1234", 1, {}, chain)
    assert (decision.winners is None) == (tally.outcome == "no-decision")
    assert (decision.rule == "") == (tally.outcome != "tie")
    if decision.winners is not None:
        assert set(decision.winners) <= {
            *tally.winners,
            *(option for group in tally.tied for option in group),
        }
    _, turned = decide(method, votes[::-1], "4321", 1, {}, chain)
    assert (turned.winners, turned.rule) == (decision.winners, decision.rule)


@given(st.text(max_size=4), st.text(max_size=4), st.permutations("ABC"))
def test_any_seed_and_round_order_all_the_same_way_round(seed: str, round_id: str, level: list[str]) -> None:
    order, _ = Chain("draw", {}, seed or "s", round_id)(level, "winner")
    assert order is not None
    assert sorted(order) == ["A", "B", "C"]
    assert {Chain("draw", {}, seed or "s", round_id)(each, "winner")[0] for each in permutations("ABC")} == {
        order
    }


def told(language: str, chain: Chain) -> str:
    """How a tie of the first two of three goes, in sentences."""
    tally, decision = decide("approval", [Vote(approvals=("1", "2"))], "123", 1, {}, chain)
    words = words_for(language)
    names = {"1": "First", "2": "Second", "3": "Third"}
    lines = explain(words, story(tally, decision), names)
    return " ".join(words.plain(line, "UTC", DAY) for line in lines)


def test_a_draw_is_told_and_no_sheet_is_promised_that_may_not_come() -> None:
    text = told("en", Chain("age", of_days(0, 0, 0), "seed", "12"))
    assert "A tie that age cannot break: " in text
    assert "The draw sealed when the vote opened puts " in text
    assert "tally sheet" not in text
    assert "as on the list" not in text
    assert "The oldest" not in text
    alone = told("en", Chain("draw", of_days(0, 1, 2), "seed", "12"))
    assert alone.count("A tie: ") == 1  # the draw does not say once more who is level
    assert "age" not in alone


def test_a_tie_that_stays_open_says_so() -> None:
    assert told("en", Chain("age", {})).endswith(
        "It is not said when each of them was nominated. The tie stays open."
    )
    assert "平票无法打破" in told("zh", Chain("age", {}))
