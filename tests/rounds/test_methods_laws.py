"""What must hold of every count, whatever the ballots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise as neighbours
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rounds.methods import METHODS, Vote
from bot.rounds.methods.approval import count_approval
from bot.rounds.methods.irv import count_irv
from bot.rounds.methods.pairs import duels, pairwise
from bot.rounds.methods.phragmen import charge, count_phragmen
from bot.rounds.methods.schulze import count_schulze
from bot.rounds.model import Step, Tally

OPTIONS = "ABCDE"
METHOD = pytest.mark.parametrize("method", sorted(METHODS))


LAW = settings(max_examples=60, deadline=None)


def some_votes() -> Iterator[Vote]:
    """Ballots of every kind, always the same: blank, short, with shared ranks, of those who have paid before."""
    chance = Random(7)
    for _ in range(150):
        order = chance.sample(OPTIONS, chance.randint(0, 5))
        tiers: list[list[str]] = []
        for option in order:
            if tiers and chance.random() < 0.25:
                tiers[-1].append(option)
            else:
                tiers.append([option])
        yield Vote(
            chance.randint(1, 3),
            tuple(chance.sample(OPTIONS, chance.randint(0, 4))),
            tuple(map(tuple, tiers)),
            {option: chance.randint(0, 5) for option in order},
            Fraction(chance.randint(0, 6), chance.randint(1, 4)),
        )


def ballots() -> st.SearchStrategy[list[Vote]]:
    return st.lists(st.sampled_from(list(some_votes())), max_size=7)


def outcome(tally: Tally) -> tuple[set[str], set[frozenset[str]], str]:
    return set(tally.winners), {frozenset(group) for group in tally.tied}, tally.outcome


def open_to(tally: Tally) -> set[str]:
    """All that are elected, or may be."""
    return {*tally.winners, *(option for group in tally.tied for option in group)}


def by_name(level: Sequence[str], context: str, /) -> tuple[tuple[str, ...] | None, tuple[Step, ...]]:
    return tuple(sorted(level)), ()


def backwards(level: Sequence[str], context: str, /) -> tuple[tuple[str, ...] | None, tuple[Step, ...]]:
    return tuple(sorted(level, reverse=True)), ()


@METHOD
@LAW
@given(votes=ballots(), seats=st.integers(1, 4), order=st.permutations(OPTIONS))
def test_the_order_of_options_and_of_ballots_changes_nothing(
    method: str, votes: list[Vote], seats: int, order: list[str]
) -> None:
    shuffled = sorted(votes, key=lambda vote: (str(vote.ranking), str(vote.scores), vote.approvals))
    first = METHODS[method](votes, OPTIONS, seats, {})
    second = METHODS[method](shuffled, order, seats, {})
    assert outcome(first) == outcome(second)
    assert first.scores == second.scores


@METHOD
@LAW
@given(votes=ballots(), seats=st.integers(1, 4))
def test_so_many_equal_ballots_count_as_one_line_of_them(method: str, votes: list[Vote], seats: int) -> None:
    singly = [replace(vote, count=1) for vote in votes for _ in range(vote.count)]
    assert METHODS[method](singly, OPTIONS, seats, {}) == METHODS[method](votes, OPTIONS, seats, {})


@METHOD
@LAW
@given(votes=ballots(), seats=st.integers(1, 6))
def test_places_are_filled_or_competed_for_and_never_both(method: str, votes: list[Vote], seats: int) -> None:
    tally = METHODS[method](votes, OPTIONS, seats, {})
    level = [option for group in tally.tied for option in group]
    assert len({*tally.winners, *level}) == len(tally.winners) + len(level) <= len(OPTIONS)
    if tally.outcome == "no-decision":
        assert not tally.winners and not level
    elif tally.outcome == "decided":
        assert len(tally.winners) == min(seats, len(OPTIONS)) and not level
    else:
        assert len(tally.winners) < seats < len(tally.winners) + len(level)
    assert len(tally.tied) <= 1


@METHOD
@LAW
@given(votes=ballots(), seats=st.integers(1, 3))
def test_however_ties_are_settled_only_those_win_who_could(
    method: str, votes: list[Vote], seats: int
) -> None:
    free = METHODS[method](votes, OPTIONS, seats, {})
    for settle in (by_name, backwards):
        settled = METHODS[method](votes, OPTIONS, seats, {}, settle=settle)
        assert set(free.winners) <= set(settled.winners) | (open_to(settled) if settled.tied else set())
        assert open_to(settled) <= open_to(free)
        if free.outcome == "decided":
            assert outcome(settled) == outcome(free)


@LAW
@given(votes=ballots())
def test_who_beats_all_others_wins_by_schulze(votes: list[Vote]) -> None:
    matrix = pairwise(votes, OPTIONS)
    tally = count_schulze(votes, OPTIONS, 1, {})
    for option in OPTIONS:
        if all(ahead > behind for _, ahead, behind in duels(matrix, option)):
            assert tally.winners == (option,)
            assert tally.steps[-1].kind == "condorcet"
    unbeaten = {
        option for option in OPTIONS if all(ahead >= behind for _, ahead, behind in duels(matrix, option))
    }
    if tally.outcome != "no-decision":
        assert unbeaten <= open_to(tally)


@LAW
@given(votes=ballots())
def test_the_story_of_a_circle_ends_with_those_elected(votes: list[Vote]) -> None:
    tally = count_schulze(votes, OPTIONS, 1, {})
    told = [step for step in tally.steps if step.kind in ("unbeaten", "condorcet")]
    if told and "options" in told[0].values:
        assert set(told[0].values["options"]) == open_to(tally)
    matrix = pairwise(votes, OPTIONS)
    for step in tally.steps:
        if step.kind == "cycle":
            circle = step.values["duels"]
            assert [duel[1] for duel in circle] == [duel[0] for duel in circle[1:] + circle[:1]]
            assert all([matrix[a][b], matrix[b][a]] == [x, y] and x > y for a, b, x, y in circle)
        if step.kind == "aside":
            a, b = step.values["winner"], step.values["loser"]
            assert (matrix[a][b], matrix[b][a]) == (step.values["for"], step.values["against"])
            assert matrix[a][b] > matrix[b][a]
    asides = {(s.values["winner"], s.values["loser"]) for s in tally.steps if s.kind == "aside"}
    for step in tally.steps:
        if step.kind == "cycle":
            beaten = {
                b
                for a in step.values["options"]
                for b, x, y in duels(matrix, a)
                if x > y and (a, b) not in asides
            }
            assert not beaten & open_to(tally)
            assert open_to(tally) <= set(step.values["options"])


@LAW
@given(votes=ballots())
def test_with_nothing_paid_fair_turns_are_approval_voting(votes: list[Vote]) -> None:
    votes = [replace(vote, paid=Fraction(0)) for vote in votes]
    assert outcome(count_phragmen(votes, OPTIONS, 1, {})) == outcome(count_approval(votes, OPTIONS, 1, {}))


@LAW
@given(votes=ballots(), seats=st.integers(1, 4))
def test_supporters_pay_exactly_one_for_each_paper(votes: list[Vote], seats: int) -> None:
    elected = [option for option in OPTIONS if any(option in vote.approvals for vote in votes)][:seats]
    paid = charge(votes, elected)
    before, after = (
        sum((vote.count * load for vote, load in zip(votes, loads, strict=True)), Fraction(0))
        for loads in ([vote.paid for vote in votes], paid)
    )
    assert after - before == len(elected)
    for vote, load in zip(votes, paid, strict=True):
        if not set(vote.approvals) & set(elected):
            assert load == vote.paid


@LAW
@given(votes=ballots())
def test_a_winner_of_fair_turns_costs_its_supporters_least(votes: list[Vote]) -> None:
    tally = count_phragmen(votes, OPTIONS, 1, {})
    prices = {}
    for option in OPTIONS:
        voters = [vote for vote in votes if option in vote.approvals]
        if voters:
            number = sum(vote.count for vote in voters)
            prices[option] = (1 + sum((vote.paid * vote.count for vote in voters), Fraction(0))) / number
    least = {option for option, price in prices.items() if price == min(prices.values())}
    assert open_to(tally) == least


@LAW
@given(votes=ballots())
def test_a_majority_of_first_choices_wins_the_instant_runoff(votes: list[Vote]) -> None:
    tally = count_irv(votes, OPTIONS, 1, {})
    for option, first in tally.scores.items():
        if first * 2 > sum(tally.scores.values()):
            assert tally.winners == (option,)


@LAW
@given(votes=ballots())
def test_rounds_lose_no_ballot(votes: list[Vote]) -> None:
    tally = count_irv(votes, OPTIONS, 1, {})
    ballots_in = sum(vote.count for vote in votes)
    rounds = [step.values for step in tally.steps if step.kind == "irv.round"]
    for told in rounds:
        assert sum(told["tally"].values()) + told["exhausted"] == ballots_in
    for before, after in neighbours(rounds):
        assert set(before["tally"]) - set(after["tally"]) == set(before["eliminated"])
        assert all(after["tally"][option] >= before["tally"][option] for option in after["tally"])
