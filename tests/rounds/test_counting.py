"""A count can be followed sentence by sentence."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.messages.pages.counting import _SAID, MOST_SENTENCES, explain
from bot.messages.words import words_for
from bot.rounds import methods
from bot.rounds.methods import METHODS
from bot.rounds.model import Step
from bot.rounds.sheet import count_election, read_election

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def told(language: str, seats: int = 1, **election: Any) -> list[str]:
    candidates = [
        {"id": name, "name": f"Paper {name}", "nominated_at": f"2026-11-{day}T10:00:00Z"}
        for name, day in (("A", "25"), ("B", "24"), ("C", "26"))
    ]
    document = {"method": "approval", "seats": seats, "candidates": candidates} | election
    read = read_election(json.dumps(document).encode())
    tally, decision = count_election(read)
    words = words_for(language)
    steps = (*tally.steps, *decision.steps)
    return [words.plain(text, "UTC", NOW) for text in explain(words, steps, read.names)]


def test_a_winner_is_told_with_its_number() -> None:
    assert told("en", ballots=[{"approvals": ["A"]}, {"approvals": ["A", "B"]}, {"approvals": []}]) == [
        "3 ballots were counted. 1 of them was blank.",
        "A ballot gives one vote to everything that is ticked on it.",
        "Most votes: Paper A with 2 votes.",
    ]


def test_a_tie_is_told_with_the_dates_that_broke_it() -> None:
    assert told("en", ballots=[{"approvals": ["A", "B"]}])[2:] == [
        "A tie: Paper A and Paper B have 1 of 1 each.",
        "The oldest nomination ranks first: Paper B, Tue 24 Nov, 10:00. Then Paper A, Wed 25 Nov, 10:00.",
        "So the tie goes to Paper B.",
    ]


def test_a_tie_without_dates_stays_open() -> None:
    assert "stays open" in told("en", candidates=["A", "B"], ballots=[{"approvals": ["A", "B"]}])[-1]


@pytest.mark.parametrize(
    ("ballots", "sentence"),
    [
        ([], "Nobody voted, so there is no decision."),
        ([{"approvals": []}], "No ballot has a wish that counts, "),
    ],
)
def test_no_decision_is_told(ballots: list[dict[str, Any]], sentence: str) -> None:
    assert told("en", ballots=ballots)[-1].startswith(sentence)


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_every_step_has_words_in_both_languages_and_they_are_few(seats: int) -> None:
    for ballots in ([{"approvals": ["A", "B", "C"]}], [{"approvals": ["A"]}, {"approvals": ["B"]}], []):
        english = told("en", seats, ballots=ballots)
        chinese = told("zh", seats, ballots=ballots)
        assert 1 <= len(english) == len(chinese) <= MOST_SENTENCES
        assert not set(english) & set(chinese)


def test_every_method_starts_with_a_step_that_is_told() -> None:
    for name, count in METHODS.items():
        first = count([], ["A"], 1, {}).steps[0]
        assert first.kind in (f"{name}.counts", "pairs", "star.totals")
        assert {"ballots", "blank"} <= set(first.values)
        assert explain(words_for("en"), [Step(first.kind, first.values | {"ballots": 1})], {"A": "A"})


def ranked(*lines: str) -> list[dict[str, Any]]:
    """'3 ABC': three ballots with A first, then B, then C."""
    return [
        {"count": int(count), "ranking": [[option] for option in order]}
        for count, order in (line.split(" ") for line in lines)
    ]


def test_a_ballot_that_names_several_is_told() -> None:
    ballots = [*ranked("2 A"), {"ranking": [["B", "C"]]}, {"ranking": []}]
    assert told("en", method="plurality", ballots=ballots) == [
        "4 ballots were counted. 1 of them was blank. 1 of them named several where one counts.",
        "A ballot gives one vote to the one it names.",
        "Most votes: Paper A with 2 votes.",
    ]


def test_a_circle_is_told_win_by_win() -> None:
    assert told("en", method="schulze", ballots=ranked("9 BCA", "8 ABC", "7 CAB")) == [
        "24 ballots were counted.",
        "Of any two, the one that more ballots put higher beats the other; what is not ranked comes below.",
        "No paper beat all the others. In a circle: Paper B beat Paper C 17 : 7, Paper C beat Paper A 16 : 8,"
        " Paper A beat Paper B 15 : 9.",
        "The narrowest win, Paper A over Paper B at 15 : 9, was set aside.",
        "Chosen: Paper B.",
    ]


def test_who_beats_all_others_is_told_with_the_narrowest_duel() -> None:
    said = told("en", method="schulze", ballots=ranked("3 ABC", "2 BAC", "2 CAB"))
    assert said[2:] == ["Paper A beat each of the others, Paper B most narrowly at 5 : 2."]
    assert told("en", method="schulze", candidates=["A", "B"], ballots=ranked("2 A", "1 B"))[-1] == (
        "A beat B 2 : 1."
    )


def test_a_perfect_circle_is_told_to_its_end() -> None:
    said = told("en", method="schulze", ballots=ranked("1 ABC", "1 BCA", "1 CAB"))
    assert said == [
        "3 ballots were counted.",
        "Of any two, the one that more ballots put higher beats the other; what is not ranked comes below.",
        "No paper beat all the others. In a circle: Paper A beat Paper B 2 : 1, Paper B beat Paper C 2 : 1,"
        " Paper C beat Paper A 2 : 1.",
        "Set aside, the narrowest wins first: Paper A over Paper B at 2 : 1, Paper B over Paper C at 2 : 1,"
        " Paper C over Paper A at 2 : 1.",
        "A tie: Paper A, Paper B and Paper C."
        " The oldest nomination ranks first: Paper B, Tue 24 Nov, 10:00. Then Paper A, Wed 25 Nov, 10:00."
        " Then Paper C, Thu 26 Nov, 10:00. So the tie goes to Paper B.",
    ]


def test_dropped_options_are_told_with_what_they_needed() -> None:
    options: dict[str, Any] = {"default_option": "C", "majority_ratio": {"A": 3, "B": 1}}
    ballots = ranked("4 ABC", "2 BCA", "1 CBA")
    assert told("en", method="debian-cssd", options=options, ballots=ballots)[2:] == [
        "Paper A was dropped: 4 put it before Paper C, 3 behind. It needed more than 3 times as many.",
        "Paper B beat Paper C 6 : 1.",
    ]
    both = told("en", method="debian-cssd", options=options | {"quorum": 6.5}, ballots=ballots)
    assert both[2] == "Dropped, as too few put them before Paper C: Paper A and Paper B."
    few = told("en", method="debian-cssd", options=options | {"quorum": 4.25}, ballots=ranked("4 B"))
    assert few[2] == "Dropped, as too few put them before Paper C: Paper A and Paper B."
    one = told("en", method="debian-cssd", options=options | {"quorum": 4.5}, ballots=ballots)
    assert one[2] == "Paper A was dropped: 4 put it before Paper C, 4.50 were needed."


def test_rounds_are_told_one_by_one() -> None:
    assert told("en", method="irv", ballots=ranked("4 A", "3 BA", "2 CB")) == [
        "9 ballots were counted.",
        "A ballot counts for the highest on it that is still in; round by round the last goes out.",
        "Round 1: Paper A 4, Paper B 3, Paper C 2. Out: Paper C.",
        "Round 2: Paper B 5, Paper A 4.",
        "Paper B has 5 of the 9 ballots that still count, a majority.",
    ]


def test_a_tie_inside_the_rounds_is_told_where_it_arose() -> None:
    said = told("en", method="irv", ballots=ranked("3 A", "2 BA", "2 CB"))
    assert said[0] == "7 ballots were counted."
    assert said[-2:] == [
        "Round 2: Paper B 4, Paper A 3.",
        "Paper B has 4 of the 7 ballots that still count, a majority.",
    ]
    assert any(
        each.startswith("Level for who goes out in round 1: Paper B and Paper C. The oldest") for each in said
    )


def test_a_tie_that_changes_nothing_is_told_so() -> None:
    said = told("en", method="irv", ballots=ranked("3 A", "2 BA", "2 CA"))
    assert "Paper B and Paper C are level, and all ways to break this lead to the same result." in said
    assert said[-1] == "Paper A has 5 of the 7 ballots that still count, a majority."


def test_who_went_out_by_an_earlier_round_is_told() -> None:
    candidates = list("ABCD")
    said = told("en", method="irv", candidates=candidates, ballots=ranked("4 A", "3 BC", "2 CB", "1 DC"))
    assert "B and C are level; C had fewest in earlier rounds." in said


def test_fair_turns_are_told_with_the_sum() -> None:
    ballots = [
        {"count": 7, "approvals": ["A"], "paid": "29/70"},
        {"count": 5, "approvals": ["B"], "paid": "4/25"},
    ]
    assert told("en", method="phragmen", ballots=ballots) == [
        "12 ballots were counted.",
        "A paper costs 1, shared by those who ticked it; the one that costs its supporters least wins.",
        "Paper B won: choosing it brings its 5 supporters to 0.36 papers paid each ((1 + 0.8 paid so far) / 5)."
        " Paper A would bring its 7 supporters to 0.56.",
    ]


def test_fair_turns_that_look_equal_when_rounded_are_told_exactly() -> None:
    ballots = [{"count": 100, "approvals": ["A"]}, {"count": 101, "approvals": ["B"]}]
    assert told("en", method="phragmen", ballots=ballots)[-1] == (
        "Paper B won: choosing it brings its 101 supporters to 1/101 papers paid each (1 / 101)."
        " Paper A would bring its 100 supporters to 1/100."
    )


def test_a_tie_in_fair_turns_is_told_with_the_price() -> None:
    said = told("en", method="phragmen", ballots=[{"count": 3, "approvals": ["A", "B"]}])
    assert said[2] == "A tie: Paper A and Paper B would bring their supporters to 0.33 papers paid each."
    assert said[-1] == "So the tie goes to Paper B."


def test_stars_are_told_with_the_runoff() -> None:
    ballots = [{"scores": {"A": 5, "B": 4}}, {"count": 2, "scores": {"B": 3, "A": 1}}, {"scores": {"C": 5}}]
    assert told("en", method="star", ballots=ballots)[2:] == [
        "Most stars: Paper B with 10 and Paper A with 7.",
        "2 put Paper B higher, 1 put Paper A higher.",
    ]
    level = told("en", method="star", ballots=[{"scores": {"A": 5}}, {"scores": {"B": 3}}])
    assert level[-1] == "1 put Paper A higher, 1 put Paper B higher. Paper A has more stars."


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("seats", [1, 2, 3])
def test_every_method_is_told_in_both_languages_with_few_sentences(method: str, seats: int) -> None:
    orders = ("ABC", "BCA", "CAB", "A", "BA", "")
    whole = [
        {
            "approvals": list(order[:1]),
            "ranking": list(order),
            "scores": dict(zip(order, (5, 3, 1), strict=False)),
        }
        for order in orders
    ]
    for ballots in (whole, whole[:3], whole[:1], whole[3:], whole[5:], []):
        english = told("en", seats, method=method, ballots=ballots)
        chinese = told("zh", seats, method=method, ballots=ballots)
        assert 1 <= len(english) == len(chinese) <= MOST_SENTENCES
        assert not set(english) & set(chinese)


def test_every_step_a_method_can_take_has_its_sentence() -> None:
    sources = [path.read_text("utf-8") for path in Path(methods.__file__).parent.glob("*.py")]
    kinds = {kind for source in sources for kind in re.findall(r'Step\(\s*"([\w.]+)"', source)}
    assert len(kinds) > 20
    assert kinds - set(_SAID) == {"no_condorcet"}, "what follows it says so"
