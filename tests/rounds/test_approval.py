"""Approval counts, the tie chain, and election files."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.rounds.methods import FOR_CLUBS, METHODS, Vote, find_method
from bot.rounds.methods.approval import count_approval
from bot.rounds.sheet import count_election, read_election
from bot.rounds.ties import Chain, Entry, break_ties

DAY = datetime(2026, 11, 30, tzinfo=UTC)


def file(method: str = "approval", seats: object = 1, **changes: Any) -> bytes:
    """An election over A, B, C: B has 3 of 5, one ballot is blank."""
    document = {
        "method": method,
        "seats": seats,
        "candidates": [{"id": name, "name": f"Paper {name}"} for name in "ABC"],
        "ballots": [
            {"count": 2, "approvals": ["A", "B"]},
            {"approvals": ["B"]},
            {"approvals": ["C"]},
            {"approvals": []},
        ],
    }
    return json.dumps(document | changes).encode()


def test_the_most_approved_wins() -> None:
    tally, decision = count_election(read_election(file()))
    assert (tally.winners, tally.tied, tally.outcome) == (("B",), (), "decided")
    assert tally.scores == {"A": 2, "B": 3, "C": 1}
    assert decision.winners == ("B",)
    assert tally.steps[0].values == {"scores": {"A": 2, "B": 3, "C": 1}, "ballots": 5, "blank": 1}


def test_a_tie_is_named_and_nobody_elected() -> None:
    tally, decision = count_election(read_election(file(ballots=[{"approvals": ["A", "C"]}])))
    assert (tally.winners, tally.tied, tally.outcome) == ((), (("A", "C"),), "tie")
    assert decision.winners is None


def test_with_seats_the_sure_ones_are_elected_and_the_rest_compete() -> None:
    ballots = [{"count": 3, "approvals": ["A"]}, {"approvals": ["B", "C"]}]
    tally, _ = count_election(read_election(file(seats=2, ballots=ballots)))
    assert (tally.winners, tally.tied) == (("A",), (("B", "C"),))


def test_as_many_seats_as_options_elects_all() -> None:
    tally, _ = count_election(read_election(file(seats=3)))
    assert (tally.winners, tally.outcome) == (("B", "A", "C"), "decided")


@pytest.mark.parametrize("ballots", [[], [{"count": 5, "approvals": []}], [{"ranking": []}]])
def test_without_a_wish_there_is_no_decision(ballots: list[dict[str, Any]]) -> None:
    tally, decision = count_election(read_election(file("any", ballots=ballots)))
    assert (tally.winners, tally.tied, tally.outcome) == ((), (), "no-decision")
    assert decision.winners is None


@given(st.lists(st.sets(st.sampled_from("ABCD")), min_size=1), st.integers(1, 4), st.randoms())
def test_the_count_depends_neither_on_the_order_of_ballots_nor_on_how_they_are_grouped(
    ballots: list[set[str]], seats: int, shuffle: Any
) -> None:
    votes = [Vote(approvals=tuple(sorted(ballot))) for ballot in ballots]
    tally = count_approval(votes, tuple("ABCD"), seats, {})
    mixed = votes * 2
    shuffle.shuffle(mixed)
    doubled = count_approval(mixed, tuple("ABCD"), seats, {})
    assert (doubled.winners, doubled.tied, doubled.outcome) == (tally.winners, tally.tied, tally.outcome)
    assert doubled.scores == {option: 2 * score for option, score in tally.scores.items()}
    elected = {*tally.winners, *(option for group in tally.tied for option in group)}
    assert all(tally.scores[one] >= tally.scores[other] for one in elected for other in set("ABCD") - elected)
    assert len(tally.winners) <= seats


def test_the_oldest_nomination_wins_a_tie() -> None:
    tally = count_approval([Vote(approvals=("A", "B", "C"))], "ABC", 1, {})
    entries = {"A": Entry(DAY + timedelta(hours=1)), "B": Entry(DAY), "C": Entry(DAY + timedelta(hours=2))}
    decision = break_ties(tally, 1, Chain("age", entries))
    assert (decision.winners, decision.rule) == (("B",), "age")
    assert [step.kind for step in decision.steps] == ["tie.age", "tie.settled"]


def test_of_one_instant_the_higher_place_on_the_list_wins() -> None:
    tally = count_approval([Vote(approvals=("A", "B"))], "AB", 1, {})
    decision = break_ties(tally, 1, Chain("age", {"A": Entry(DAY, 7), "B": Entry(DAY, 3)}))
    assert (decision.winners, decision.rule) == (("B",), "age")


@pytest.mark.parametrize(
    "entries", [{}, {"A": Entry(DAY)}, {"A": Entry(DAY), "B": Entry()}, {"A": Entry(DAY), "B": Entry(DAY)}]
)
def test_a_tie_that_dates_cannot_break_stays_open(entries: dict[str, Entry]) -> None:
    tally = count_approval([Vote(approvals=("A", "B"))], "AB", 1, {})
    decision = break_ties(tally, 1, Chain("age", entries))
    assert (decision.winners, decision.rule) == (None, "")
    assert decision.steps[-1].kind == "tie.open"


def test_age_fills_only_the_seats_that_are_left() -> None:
    tally = count_approval([Vote(3, ("A",)), Vote(1, ("B", "C", "D"))], "ABCD", 3, {})
    entries = {name: Entry(DAY + timedelta(days=day)) for day, name in enumerate("DCB")}
    assert break_ties(tally, 3, Chain("age", entries)).winners == ("A", "D", "C")


def test_a_file_with_dates_settles_its_tie() -> None:
    candidates = [
        {"id": "A", "nominated_at": "2026-11-30T10:00:00+01:00"},
        {"id": "B", "nominated_at": "2026-11-30T08:59:59Z"},
    ]
    election = read_election(file(candidates=candidates, ballots=[{"approvals": ["A", "B"]}]))
    tally, decision = count_election(election)
    assert tally.winners == ()
    assert decision.winners == ("B",)


def test_methods_go_by_their_names_in_files() -> None:
    assert find_method("av") is find_method(" Approval ") is METHODS["approval"]


def test_clubs_choose_among_all_methods_but_star() -> None:
    assert set(METHODS) == {*FOR_CLUBS, "star"}
    assert FOR_CLUBS[0] == "approval"


def test_an_unknown_method_says_so() -> None:
    with pytest.raises(BadInput, match=r"tally\.unknown_method"):
        count_election(read_election(file("borda")))


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"", "tally.bad_json"),
        (b"\xff\xfe\x00", "tally.bad_json"),
        (b"[" * 100_000, "tally.bad_json"),
        (b'{"candidates": [' + b"9" * 5000 + b"]}", "tally.bad_json"),
        (b"[]", "tally.no_election"),
        (b'{"papers": []}', "tally.no_election"),
        (file(candidates=[]), "tally.no_candidates"),
        (file(candidates=[{"name": "no id"}]), "tally.candidate"),
        (file(candidates=["A", "A"]), "tally.candidate_twice"),
        (file(candidates=[{"id": "A", "nominated_at": "2026-11-30"}]), "tally.nominated_at"),
        (file(ballots="none"), "tally.no_ballots"),
        (file(ballots=["A"]), "tally.ballot"),
        (file(ballots=[{"approvals": "A"}]), "tally.ballot"),
        (file(ballots=[{"approvals": [["A"]]}]), "tally.ballot"),
        (file(ballots=[{"count": -1, "approvals": []}]), "tally.ballot_count"),
        (file(ballots=[{"count": True, "approvals": []}]), "tally.ballot_count"),
        (file(ballots=[{"count": 1.5, "approvals": []}]), "tally.ballot_count"),
        (file(ballots=[{"approvals": ["A", "A"]}]), "tally.option_twice"),
        (file(ballots=[{"approvals": ["D"]}]), "tally.unknown_option"),
        (file(ballots=[{"ranking": [["A"], ["A"]]}]), "tally.option_twice"),
        (file(ballots=[{"scores": {"A": "5"}}]), "tally.ballot"),
        (file(seats=0), "tally.seats"),
        (file(seats="2"), "tally.seats"),
        (file(method=7), "tally.no_method"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(data: bytes, key: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_election(data)
    assert caught.value.key == key


def test_the_faulty_ballot_is_named() -> None:
    with pytest.raises(BadInput) as caught:
        read_election(file(ballots=[{"approvals": ["A"]}, {"approvals": ["D"]}]))
    assert caught.value.values == {"ballot": 2, "option": "D"}


def test_ranked_ballots_are_not_taken_for_blank_ones() -> None:
    with pytest.raises(BadInput, match=r"tally\.no_approvals"):
        count_election(read_election(file(ballots=[{"ranking": [["A"]]}])))


@given(st.binary(max_size=200))
def test_any_bytes_are_an_election_or_a_clear_problem(data: bytes) -> None:
    try:
        read_election(data)
    except BadInput as error:
        assert error.key.startswith("tally.")
