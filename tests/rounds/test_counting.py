"""A count can be followed sentence by sentence."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.messages.pages.counting import MOST_SENTENCES, explain
from bot.messages.words import words_for
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
        "The oldest nomination goes first: Paper B, Tue 24 Nov, 10:00. Then Paper A, Wed 25 Nov, 10:00.",
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
