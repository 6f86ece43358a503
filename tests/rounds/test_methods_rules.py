"""What each method does with ties, blank and strange ballots, rules and several seats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from bot.errors import BadInput
from bot.rounds.methods import METHODS, Vote
from bot.rounds.methods.irv import count_irv
from bot.rounds.methods.pairs import duels, pairwise
from bot.rounds.methods.phragmen import charge, count_phragmen
from bot.rounds.methods.plurality import count_plurality
from bot.rounds.methods.schulze import count_schulze
from bot.rounds.methods.star import count_star
from bot.rounds.model import Step, Tally


def ranked(*lines: str) -> list[Vote]:
    """'3 A>BC': three ballots with A first, then B and C level."""
    votes = []
    for line in lines:
        count, _, ranking = line.partition(" ")
        votes.append(Vote(int(count), ranking=tuple(tuple(tier) for tier in ranking.split(">") if tier)))
    return votes


def approved(*lines: str) -> list[Vote]:
    """'3 AB': three ballots that approve A and B; '3 AB 1/2': of voters who have paid half a paper each."""
    votes = []
    for line in lines:
        count, approvals, paid = (*line.split(" "), "0")[:3]
        votes.append(Vote(int(count), tuple(approvals.strip("-")), paid=Fraction(paid)))
    return votes


def starred(*lines: dict[str, int]) -> list[Vote]:
    return [Vote(scores=scores) for scores in lines]


class Listed:
    """Settles every tie in the order of a list, and remembers what it was asked."""

    def __init__(self, order: str) -> None:
        self.order = order
        self.asked: list[tuple[str, str]] = []

    def __call__(
        self, level: Sequence[str], context: str, /
    ) -> tuple[tuple[str, ...] | None, tuple[Step, ...]]:
        self.asked.append(("".join(level), context))
        if not self.order:
            return None, (Step("unsettled"),)
        return tuple(sorted(level, key=self.order.index)), (Step("settled", {"context": context}),)


def kinds(tally: Tally) -> list[str]:
    return [step.kind for step in tally.steps]


def values(tally: Tally, kind: str) -> dict[str, Any]:
    return next(step.values for step in tally.steps if step.kind == kind)


# ---- plurality ----


def test_a_ballot_that_names_several_gives_no_vote_and_is_said() -> None:
    tally = count_plurality([*approved("2 A", "3 BC", "1 -"), *ranked("4 BC>A", "1 B>A")], "ABC", 1, {})
    assert (tally.winners, tally.scores) == (("A",), {"A": 2, "B": 1, "C": 0})
    assert {"ballots": 11, "blank": 1, "overvotes": 7}.items() <= tally.steps[0].values.items()


def test_only_ballots_that_name_several_decide_nothing() -> None:
    assert count_plurality(approved("3 AB"), "AB", 1, {}).outcome == "no-decision"


def test_first_choices_that_are_level_are_tied() -> None:
    tally = count_plurality(approved("2 A", "2 B", "1 C"), "ABC", 1, {})
    assert (tally.winners, tally.tied, tally.outcome) == ((), (("A", "B"),), "tie")


# ---- fair turns ----


def test_who_has_paid_less_goes_first() -> None:
    votes = approved("7 A 29/70", "5 B 4/25")
    tally = count_phragmen(votes, "AB", 1, {})
    assert tally.winners == ("B",)
    assert values(tally, "phragmen.seat") == {
        "seat": 1,
        "option": "B",
        "supporters": 5,
        "paid": "4/5",
        "each": "9/25",
        "rival": {"option": "A", "supporters": 7, "paid": "29/10", "each": "39/70"},
    }
    assert charge(votes, ["B"]) == (Fraction(29, 70), Fraction(9, 25))


def test_only_supporters_pay_and_blank_ballots_never() -> None:
    votes = approved("2 A", "1 B 1/3", "4 - 1/7")
    assert charge(votes, ["A"]) == (Fraction(1, 2), Fraction(1, 3), Fraction(1, 7))
    assert charge(votes, []) == tuple(vote.paid for vote in votes)
    assert charge(votes, ["C"]) == tuple(vote.paid for vote in votes)


def test_a_tie_for_the_last_place_stays_open_though_it_could_be_settled() -> None:
    settle = Listed("BA")
    tally = count_phragmen(approved("1 A", "1 B"), "AB", 1, {}, settle=settle)
    assert (tally.winners, tally.tied, settle.asked) == ((), (("A", "B"),), [])


def test_a_tie_inside_is_settled_where_it_arises() -> None:
    settle = Listed("CBA")
    open_tie = count_phragmen(approved("1 A", "1 B", "1 C"), "ABC", 2, {})
    assert (open_tie.winners, open_tie.tied) == ((), (("A", "B", "C"),))
    settled = count_phragmen(approved("1 A", "1 B", "1 C"), "ABC", 2, {}, settle=settle)
    assert (settled.winners, settled.tied) == (("C",), (("A", "B"),))
    assert settle.asked == [("ABC", "seat-1")]


def test_a_tie_that_changes_nothing_is_not_asked_about() -> None:
    settle = Listed("BA")
    tally = count_phragmen(approved("3 A", "3 B", "1 C"), "ABC", 2, {}, settle=settle)
    assert (tally.winners, tally.outcome, settle.asked) == (("A", "B"), "decided", [])
    assert "same" in kinds(tally)


def test_options_nobody_approves_are_level_after_all_others() -> None:
    tally = count_phragmen(approved("3 A", "1 -"), "ABC", 2, {})
    assert (tally.winners, tally.tied) == (("A",), (("B", "C"),))
    assert count_phragmen(approved("3 A"), "ABC", 3, {}).winners == ("A", "B", "C")
    assert count_phragmen(approved("3 A"), "ABC", 9, {}).winners == ("A", "B", "C")


# ---- duels ----


def test_unranked_options_are_below_all_ranked_ones_and_level() -> None:
    matrix = pairwise(ranked("2 A", "1 BC>D"), "ABCD")
    assert matrix["A"] == {"B": 2, "C": 2, "D": 2}
    assert matrix["B"] == {"A": 1, "C": 0, "D": 1}
    assert duels(matrix, "D") == [("A", 1, 2), ("B", 0, 1), ("C", 0, 1)]


def test_who_beats_all_others_wins_and_the_narrowest_duel_is_told() -> None:
    tally = count_schulze(ranked("3 A>B>C", "2 B>A>C", "2 C>A>B"), "ABC", 1, {})
    assert tally.winners == ("A",)
    assert values(tally, "condorcet") == {"option": "A", "others": 2, "narrowest": ["B", 5, 2]}


def test_a_circle_is_told_with_the_win_that_was_set_aside() -> None:
    tally = count_schulze(ranked("9 B>C>A", "8 A>B>C", "7 C>A>B"), "ABC", 1, {})
    assert tally.winners == ("B",)
    assert kinds(tally) == ["pairs", "no_condorcet", "cycle", "aside", "elected"]
    assert values(tally, "cycle")["duels"] == [["B", "C", 17, 7], ["C", "A", 16, 8], ["A", "B", 15, 9]]
    assert values(tally, "aside") == {"winner": "A", "loser": "B", "for": 15, "against": 9}


def test_several_seats_go_to_those_only_the_elected_surpass() -> None:
    votes = ranked("3 A>B>C>D", "2 B>A>C>D")
    assert count_schulze(votes, "DCBA", 3, {}).winners == ("A", "B", "C")
    tied = count_schulze(ranked("3 A"), "ABC", 2, {})
    assert (tied.winners, tied.tied) == (("A",), (("B", "C"),))


def test_options_without_their_quorum_or_majority_are_dropped() -> None:
    votes = ranked("6 A>B>N", "3 B>N>A", "1 C>N", "1 N")
    rules: dict[str, Any] = {"default_option": "N", "quorum": 6.7, "majority_ratio": {"A": 1, "B": 3, "C": 1}}
    tally = count_schulze(votes, "ABCN", 1, rules)
    dropped = {step.values["option"]: step.values["why"] for step in tally.steps if step.kind == "dropped"}
    assert dropped == {"A": "quorum", "C": "quorum"}
    assert tally.winners == ("B",)


def test_exactly_so_many_times_as_many_is_not_enough() -> None:
    votes = ranked("6 A>N", "2 N>A")
    rules: dict[str, Any] = {"default_option": "N", "majority_ratio": {"A": 3}}
    assert count_schulze(votes, "AN", 1, rules).winners == ("N",)
    assert count_schulze(votes, "AN", 1, rules | {"majority_ratio": {"A": 2.99}}).winners == ("A",)
    assert count_schulze(votes, "AN", 1, {"default_option": "N", "quorum": 6}).winners == ("A",)
    assert count_schulze(votes, "AN", 1, {"default_option": "N", "quorum": 6.0001}).winners == ("N",)


@pytest.mark.parametrize(
    "rules",
    [
        {"quorum": "many"},
        {"quorum": float("nan")},
        {"quorum": []},
        {"quorum": "1/0"},
        {"majority_ratio": [3]},
    ],
)
def test_a_rule_that_is_no_number_is_named(rules: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"tally\.rule"):
        count_schulze(ranked("1 A>N"), "AN", 1, {"default_option": "N"} | rules)


# ---- instant runoff ----


def test_options_without_a_vote_go_together_others_one_at_a_time() -> None:
    tally = count_irv(ranked("4 A", "3 B", "2 C>B", "1 D>C"), "ABCDEF", 1, {})
    out = [step.values["eliminated"] for step in tally.steps if step.kind == "irv.round"]
    assert out == [["E", "F"], ["D"], ["C"], []]


def test_of_two_that_are_level_the_one_with_fewer_before_goes_out() -> None:
    tally = count_irv(ranked("4 A", "3 B>C", "2 C>B", "1 D>C"), "ABCD", 1, {})
    assert values(tally, "irv.earlier") == {"round": 2, "options": ["B", "C"], "out": "C"}
    assert tally.winners == ("B",)


def test_a_majority_of_the_ballots_that_still_count_ends_it() -> None:
    tally = count_irv(ranked("3 A", "1 B", "1 C", "4 "), "ABC", 1, {})
    assert tally.winners == ("A",)
    assert values(tally, "irv.round") == {
        "round": 1,
        "tally": {"A": 3, "B": 1, "C": 1},
        "exhausted": 4,
        "eliminated": [],
    }


def test_a_shared_rank_counts_once_only_one_of_it_is_left() -> None:
    tally = count_irv(ranked("4 A", "3 C", "2 B>C", "2 BC>A"), "ABC", 1, {})
    last = [step.values for step in tally.steps if step.kind == "irv.round"][-1]
    assert (last["tally"], last["exhausted"]) == ({"A": 4, "C": 7}, 0)
    assert tally.winners == ("C",)


def test_all_branches_of_a_tie_are_followed() -> None:
    votes = ranked("3 A", "2 B>A", "2 C>B")
    tally = count_irv(votes, "ABC", 1, {})
    assert (tally.winners, tally.tied, tally.outcome) == ((), (("A", "B"),), "tie")
    for order, winner in (("ABC", "B"), ("ACB", "A")):
        settle = Listed(order)
        settled = count_irv(votes, "ABC", 1, {}, settle=settle)
        assert (settled.winners, settled.outcome) == ((winner,), "decided")
        assert settle.asked == [("BC", "round-1")]
        assert "settled" in kinds(settled)


def test_a_tie_the_chain_cannot_tell_apart_stays_open() -> None:
    tally = count_irv(ranked("3 A", "2 B>A", "2 C>B"), "ABC", 1, {}, settle=Listed(""))
    assert tally.tied == (("A", "B"),)
    assert "unsettled" not in kinds(tally)


def test_a_tie_whose_branches_agree_is_told_and_not_asked_about() -> None:
    settle = Listed("ABC")
    tally = count_irv(ranked("5 A", "2 B>A", "2 C>A", "2 D>A"), "ABCD", 1, {}, settle=settle)
    assert (tally.winners, settle.asked) == (("A",), [])
    assert kinds(tally).count("same") == 1


def test_the_last_two_level_stay_tied() -> None:
    settle = Listed("AB")
    tally = count_irv(ranked("2 A", "2 B", "1 C"), "ABC", 1, {}, settle=settle)
    assert (tally.tied, settle.asked) == ((("A", "B"),), [])


def test_with_several_seats_it_ends_when_so_many_are_left() -> None:
    votes = ranked("5 A>B", "3 B", "2 C", "1 D>C")
    assert count_irv(votes, "ABCD", 3, {}).winners == ("A", "B", "C")
    short = count_irv(ranked("5 A"), "ABC", 2, {})
    assert (short.winners, short.tied) == (("A",), (("B", "C"),))


def test_a_tie_with_millions_of_branches_leaves_nobody_out() -> None:
    options = [f"p{number}" for number in range(25)]
    circle = [
        Vote(12, ranking=tuple((options[(first + place) % 25],) for place in range(25)))
        for first in range(25)
    ]
    tally = count_irv(circle, options, 1, {})
    assert (tally.winners, tally.tied) == ((), (tuple(options),))
    one_each = [Vote(approvals=(option,)) for option in options]
    assert count_phragmen(one_each, options, 12, {}).tied == (tuple(options),)
    assert count_star([Vote(scores={option: 5}) for option in options], options, 12, {}).tied == (
        tuple(options),
    )


# ---- stars ----


def test_of_the_two_with_most_stars_more_ballots_decide() -> None:
    votes = starred({"A": 5, "B": 4}, {"B": 3, "A": 1}, {"B": 3, "A": 1}, {"C": 5})
    tally = count_star(votes, "ABC", 1, {})
    assert (tally.winners, tally.scores) == (("B",), {"A": 7, "B": 10, "C": 5})
    assert values(tally, "star.runoff") == {"options": ["B", "A"], "votes": [2, 1], "best": ["B"]}


def test_a_level_runoff_goes_to_more_stars_and_else_stays_tied() -> None:
    assert count_star(starred({"A": 5}, {"B": 3}), "AB", 1, {}).winners == ("A",)
    assert count_star(starred({"A": 3}, {"B": 3}), "AB", 1, {}).tied == (("A", "B"),)


def test_a_tie_for_the_runoff_is_settled_or_followed() -> None:
    votes = starred({"A": 5, "B": 1}, {"B": 2, "C": 3}, {"B": 2, "C": 1}, {"C": 1})
    tally = count_star(votes, "ABC", 1, {})
    assert tally.outcome == "tie"
    settle = Listed("CBA")
    settled = count_star(votes, "ABC", 1, {}, settle=settle)
    assert settle.asked == [("ABC", "finalists")]
    assert values(settled, "star.finalists")["options"] == ["C", "B"]


def test_no_star_at_all_is_a_blank_ballot() -> None:
    tally = count_star(starred({"A": 0, "B": 0}, {}), "AB", 1, {})
    assert (tally.outcome, tally.steps[0].values["blank"]) == ("no-decision", 2)


@pytest.mark.parametrize("score", [-1, 6])
def test_stars_out_of_range_are_refused_by_ballot(score: int) -> None:
    with pytest.raises(BadInput) as caught:
        count_star(starred({"A": 5}, {"A": score}), "A", 1, {})
    assert (caught.value.key, caught.value.values["ballot"]) == ("tally.score", 2)
    assert count_star(starred({"A": 6}), "A", 1, {"max_score": 10}).winners == ("A",)


@pytest.mark.parametrize("highest", [0, "five", 2.5, True])
def test_a_highest_score_that_is_none_is_named(highest: object) -> None:
    with pytest.raises(BadInput, match=r"tally\.rule"):
        count_star(starred({"A": 1}), "A", 1, {"max_score": highest})


def test_further_seats_are_filled_from_the_others() -> None:
    votes = starred({"A": 5, "B": 4, "C": 1}, {"A": 4, "B": 5, "C": 1}, {"A": 5, "C": 2})
    assert count_star(votes, "ABC", 2, {}).winners == ("A", "B")
    assert count_star(votes, "ABC", 3, {}).winners == ("A", "B", "C")


# ---- all methods ----


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_single_option_wins_with_one_wish(method: str) -> None:
    vote = Vote(approvals=("A",), ranking=(("A",),), scores={"A": 1})
    assert METHODS[method]([vote, Vote(3)], ["A"], 1, {}).winners == ("A",)
    assert METHODS[method]([Vote(3)], ["A"], 1, {}).outcome == "no-decision"
    assert METHODS[method]([], [], 1, {}).outcome == "no-decision"
    assert METHODS[method]([Vote(0, ("A",), (("A",),), {"A": 1})], ["A"], 1, {}).outcome == "no-decision"


@pytest.mark.parametrize("method", sorted(METHODS))
def test_steps_can_be_kept_as_json(method: str) -> None:
    votes = [
        Vote(2, ("A", "B"), (("A",), ("B",)), {"A": 5, "B": 2}, Fraction(1, 3)),
        Vote(1, ("C",), (("C",), ("A",)), {"C": 4}),
    ]
    for step in METHODS[method](votes, "ABC", 2, {}).steps:
        assert json.loads(json.dumps(step.values)) == step.values
