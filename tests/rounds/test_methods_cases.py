"""Every method against results others have published or worked out: one file a case, what is expected beside."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bot.rounds.methods import METHODS, Vote, method_name
from bot.rounds.methods.phragmen import charge
from bot.rounds.model import Tally

DATA = Path(__file__).parent / "data"
CASES = sorted(path.stem for path in DATA.glob("*.json") if not path.stem.endswith(".expected"))


def expecting(*keys: str) -> pytest.MarkDecorator:
    """All cases whose expected values have one of these."""
    return pytest.mark.parametrize("name", [name for name in CASES if set(keys) & set(expected(name))])


def case(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    return found


def expected(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / f"{name}.expected.json").read_text("utf-8"))
    return found


def counted(name: str, method: str) -> Tally:
    told = case(name)
    votes = [
        Vote(
            ballot["count"],
            tuple(ballot.get("approvals", ())),
            tuple(map(tuple, ballot.get("ranking", ()))),
            ballot.get("scores", {}),
        )
        for ballot in told["ballots"]
    ]
    seats = told.get("seats", 1) if method in ("approval", "phragmen") else 1
    return METHODS[method](votes, told["candidates"], seats, told.get("options", {}))


def elected_or_tied(tally: Tally) -> list[str]:
    return sorted({*tally.winners, *(option for group in tally.tied for option in group)})


def steps(tally: Tally, kind: str) -> list[dict[str, Any]]:
    return [step.values for step in tally.steps if step.kind == kind]


@expecting("plurality", "schulze", "irv")
@pytest.mark.parametrize("method", ["plurality", "schulze", "irv"])
def test_one_is_elected_or_level_as_worked_out(name: str, method: str) -> None:
    winners = expected(name)[method]
    tally = counted(name, method)
    assert elected_or_tied(tally) == sorted(winners)
    assert tally.outcome == ("decided" if len(winners) == 1 else "tie")


@expecting("winners")
def test_the_case_s_own_method_comes_to_its_result(name: str) -> None:
    tally = counted(name, method_name(case(name)["method"]))
    assert elected_or_tied(tally) == sorted(expected(name)["winners"])


@expecting("outcome")
@pytest.mark.parametrize("method", sorted(METHODS))
def test_nothing_is_decided_without_a_wish(name: str, method: str) -> None:
    tally = counted(name, method)
    assert (tally.winners, tally.tied, tally.outcome) == ((), (), expected(name)["outcome"])
    assert steps(tally, "no_decision")


@expecting("pairwise")
def test_duels_are_counted_pair_by_pair(name: str) -> None:
    assert steps(counted(name, "schulze"), "pairs")[0]["matrix"] == expected(name)["pairwise"]


@expecting("first choices")
def test_first_choices_are_counted(name: str) -> None:
    assert counted(name, "plurality").scores == counted(name, "irv").scores == expected(name)["first choices"]


@expecting("rounds")
def test_rounds_go_as_worked_out(name: str) -> None:
    wanted = expected(name)["rounds"]
    told = [
        {key: step[key] for key in ("tally", "exhausted", "eliminated")}
        for step in steps(counted(name, "irv"), "irv.round")
    ]
    assert told[: len(wanted)] == wanted


@expecting("approvals")
@pytest.mark.parametrize("method", ["approval", "phragmen"])
def test_what_all_committees_share_is_elected_and_the_rest_is_level(name: str, method: str) -> None:
    committees = [set(committee) for committee in expected(name)[method]]
    tally = counted(name, method)
    assert tally.scores == expected(name)["approvals"]
    assert set(tally.winners) == set.intersection(*committees)
    assert elected_or_tied(tally) == sorted(set.union(*committees))


@expecting("totals")
def test_stars_totals_finalists_and_runoff(name: str) -> None:
    tally, wanted = counted(name, "star"), expected(name)
    assert tally.scores == wanted["totals"]
    assert steps(tally, "star.finalists")[0]["options"] == wanted["finalists"]
    runoff = steps(tally, "star.runoff")[0]
    assert dict(zip(runoff["options"], runoff["votes"], strict=True)) == wanted["runoff"]


@expecting("weeks")
def test_fair_turns_over_weeks(name: str) -> None:
    paid: dict[str, Fraction] = {}
    for week, wanted in zip(case(name)["weeks"], expected(name)["weeks"], strict=True):
        voters = list(week["approvals"])
        votes = [
            Vote(approvals=tuple(week["approvals"][voter]), paid=paid.get(voter, Fraction(0)))
            for voter in voters
        ]
        tally = METHODS["phragmen"](votes, week["candidates"], 1, {})
        assert elected_or_tied(tally) == sorted(wanted["tied"])
        paid |= dict(zip(voters, charge(votes, [wanted["winner"]]), strict=True))
        for voter, load in wanted["paid"].items():
            assert paid.get(voter, 0) == Fraction(load)
