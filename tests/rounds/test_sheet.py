"""A tally sheet lets anybody recount a round away from the bot, and a changed one is found or counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.messages.pages.counting import explain
from bot.messages.words import words_for
from bot.papers.model import Paper
from bot.rounds.election import MOST_BYTES
from bot.rounds.log import commitment_of, draw_seed
from bot.rounds.methods import FOR_CLUBS, Vote
from bot.rounds.model import Candidate, Outcome, Result, Round, Rules, Ties
from bot.rounds.sheet import RANKED, Line, agrees, count_election, read_election, write_sheet
from bot.rounds.ties import Chain, Entry, decide, story

OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
SECRET, HEAD = "5e" * 16, "ab" * 32
NAMES = {position: f"Paper {position}" for position in range(1, 26)}


def a_round(method: str = "approval", days: Sequence[int] = (0, 1, 2), **rules: Any) -> Round:
    """A closed round of papers p11, p12 … nominated on these days."""
    candidates = tuple(
        Candidate(
            position,
            position,
            Paper((), False, None, None, "", title=NAMES[position], id=10 + position),
            "Member 1",
            "",
            OPENS - timedelta(days=9 - day),
        )
        for position, day in enumerate(days, 1)
    )
    return Round(
        id=12,
        club_id=1,
        number=3,
        method=method,
        state="decided",
        opens_at=OPENS,
        closes_at=OPENS + timedelta(days=1),
        meeting_at=None,
        candidates=candidates,
        rules=Rules(**rules),
        commitment=commitment_of(SECRET),
        secret=SECRET,
        opening_head="cd" * 32,
        head=HEAD,
    )


def close(over: Round, ballots: Sequence[Sequence[int]], paid: Sequence[Fraction] = ()) -> tuple[Result, str]:
    """What these ballots come to, and the sheet of it."""
    paid = paid or [Fraction(0)] * len(ballots)
    lines = [
        Line(f"{number:010x}", tuple(ballot), due)
        for number, (ballot, due) in enumerate(zip(ballots, paid, strict=True))
    ]
    entries = {
        str(each.position): Entry(each.nominated_at, each.position, each.paper.public_id)
        for each in over.candidates
    }
    standing = [str(each.position) for each in over.candidates if not each.withdrawn]
    votes = []
    for line in lines:
        chosen = tuple(str(position) for position in line.positions if str(position) in standing)
        ranked = over.method in RANKED
        votes.append(
            Vote(ranking=tuple((option,) for option in chosen), paid=line.paid)
            if ranked
            else Vote(approvals=chosen, paid=line.paid)
        )
    chain = Chain(over.rules.ties, entries, draw_seed(SECRET, HEAD), str(over.id))
    tally, decision = decide(over.method, votes, standing, 1, {}, chain)
    wishes = [vote for vote in votes if vote.approvals or vote.ranking]
    outcome: Outcome = "decided"
    if not standing:
        outcome = "all_withdrawn"
    elif len(votes) < over.rules.quorum:
        outcome = "quorum"
    elif not wishes:
        outcome = "all_blank" if votes else "nobody"
    winner = int(decision.winners[0]) if outcome == "decided" and decision.winners else None
    result = Result(
        round=over,
        outcome=outcome,
        winner=winner,
        votes={int(option): score for option, score in tally.scores.items()},
        ballots=len(votes),
        non_blank=len(wishes),
        tied=tuple(int(option) for group in tally.tied for option in group) if winner else (),
        tie_rule=decision.rule if winner else "",
        steps=story(tally, decision),
        head=HEAD,
    )
    return result, write_sheet(result, lines, NAMES, len(lines))


def recount(sheet: str) -> tuple[str | None, bool]:
    """Who is elected by a sheet's own count, and whether that is what was published."""
    election = read_election(sheet.encode())
    tally, decision = count_election(election)
    return decision.winners[0] if decision.winners else None, agrees(election, tally, decision)


def changed(sheet: str, change: Callable[[Any], object]) -> str:
    """The sheet after somebody had their hands on it."""
    document = json.loads(sheet)
    change(document)
    return json.dumps(document)


FIVE = ((1,), (1, 2), (2,), (1, 3), ())


def test_a_sheet_holds_what_a_recount_needs_and_no_names() -> None:
    _, sheet = close(a_round(), FIVE)
    document = json.loads(sheet)
    assert (document["paperclub"], document["version"], document["round"]) == ("tally sheet", 1, "12")
    assert document["opened"] == "2026-12-03T08:00:00Z"
    assert document["candidates"][0] == {
        "id": "p11",
        "name": "Paper 1",
        "position": 1,
        "nominated_at": "2026-11-24T08:00:00Z",
    }
    assert document["ballots"][1] == {"receipt": "0000000001", "approvals": ["p11", "p12"]}
    assert document["ties"]["commitment"] == commitment_of(SECRET)
    assert document["log"] == {"opening": "cd" * 32, "closing": HEAD, "events": 5}
    assert document["published result"]["winner"] == "p11"
    assert "Member" not in sheet


def test_a_sheet_can_be_read_by_people() -> None:
    _, sheet = close(a_round(), FIVE)
    assert sheet.endswith("}\n")
    assert '\n    {"receipt": "0000000001", "approvals": ["p11", "p12"]},\n' in sheet
    assert sheet == close(a_round(), FIVE)[1]


def test_ballots_stand_in_the_order_of_receipts_and_carry_names_where_the_vote_was_open() -> None:
    result, _ = close(a_round(), FIVE)
    lines = [Line("b" * 10, (1,), name="Member 2"), Line("a" * 10, (2,), name="Member 1")]
    ballots = json.loads(write_sheet(result, lines, NAMES, 2))["ballots"]
    assert [ballot["member"] for ballot in ballots] == ["Member 1", "Member 2"]


def test_a_ranked_sheet_keeps_the_order_and_fair_turns_what_was_paid() -> None:
    _, sheet = close(a_round("schulze"), [(3, 1)])
    assert json.loads(sheet)["ballots"] == [{"receipt": "0" * 10, "ranking": [["p13"], ["p11"]]}]
    _, sheet = close(a_round("phragmen"), [(1,), (2,)], [Fraction(3, 5), Fraction(0)])
    assert [ballot["paid"] for ballot in json.loads(sheet)["ballots"]] == ["3/5", "0"]


BALLOTS = st.lists(st.lists(st.integers(1, 4), unique=True, max_size=4), max_size=7)


@pytest.mark.parametrize("method", FOR_CLUBS)
@given(
    ballots=BALLOTS,
    days=st.tuples(*[st.integers(0, 2)] * 4),
    rule=st.sampled_from(["age", "draw"]),
    quorum=st.integers(0, 3),
    gone=st.sets(st.integers(1, 4)),
    paid=st.lists(st.fractions(0, 3, max_denominator=7), min_size=7, max_size=7),
)
def test_every_sheet_gives_the_published_result(
    method: str,
    ballots: list[list[int]],
    days: tuple[int, ...],
    rule: Ties,
    quorum: int,
    gone: set[int],
    paid: list[Fraction],
) -> None:
    over = a_round(method, days, ties=rule, quorum=quorum)
    standing = tuple(replace(each, withdrawn=each.position in gone) for each in over.candidates)
    cast = [ballot[:1] for ballot in ballots] if method == "plurality" else ballots
    result, sheet = close(replace(over, candidates=standing), cast, paid[: len(cast)])
    winner, same = recount(sheet)
    assert same
    assert winner == (None if result.winner is None else f"p{10 + result.winner}")


def test_a_recount_tells_the_same_steps() -> None:
    result, sheet = close(a_round(days=(0, 0, 0)), [(1, 2), (1, 2), (3,)])
    election = read_election(sheet.encode())
    tally, decision = count_election(election)
    assert [step.kind for step in story(tally, decision)] == [step.kind for step in result.steps]
    assert decision.rule == "draw"


# ---- what people decided ----


def test_a_tie_that_people_decide_is_no_difference() -> None:
    tie, lines = [(1,), (2,)], [Line("a" * 10, (1,)), Line("b" * 10, (2,))]
    asked: tuple[tuple[Outcome, str], ...] = (("waiting", "tie.waiting"), ("runoff", "tie.runoff"))
    for outcome, kind in asked:
        result, _ = close(a_round(ties="organiser" if outcome == "waiting" else "runoff"), tie)
        result = replace(result, outcome=outcome, winner=None, tie_rule="")
        election = read_election(write_sheet(result, lines, NAMES, 2).encode())
        tally, decision = count_election(election)
        assert (decision.winners, decision.steps[-1].kind) == (None, kind)
        assert agrees(election, tally, decision)


def test_an_organisers_decision_is_told_with_its_reason() -> None:
    result, _ = close(a_round(ties="organiser"), [(1,), (2,)])
    result = replace(
        result, winner=2, tie_rule="organiser", decided_by="Member 1", decided_note="It is short."
    )
    lines = [Line("a" * 10, (1,)), Line("b" * 10, (2,))]
    sheet = write_sheet(result, lines, NAMES, 2)
    assert recount(sheet) == ("p12", True)
    election = read_election(sheet.encode())
    words = words_for("en")
    told = [
        words.plain(text, "UTC", OPENS)
        for text in explain(words, story(*count_election(election)), election.names)
    ]
    assert told[-1] == (
        "The vote ended in a tie, and Member 1 decided it as an organiser: Paper 2. Reason: It is short."
    )


def test_an_organiser_cannot_have_decided_for_a_paper_that_was_not_tied() -> None:
    result, _ = close(a_round(ties="organiser"), [(1,), (2,)])
    result = replace(result, winner=3, tie_rule="organiser", decided_by="Member 1")
    lines = [Line("a" * 10, (1,)), Line("b" * 10, (2,))]
    assert recount(write_sheet(result, lines, NAMES, 2)) == (None, False)


def test_a_paper_that_left_while_an_organiser_was_waited_for_is_out_of_the_tie() -> None:
    result, _ = close(a_round(ties="organiser"), [(1, 2, 3)])
    lines = [Line("a" * 10, (1, 2, 3))]
    late = replace(result, winner=2, tied=(2, 3))
    sheet = write_sheet(late, lines, NAMES, 1)
    assert recount(sheet) == ("p12", True)
    election = read_election(sheet.encode())
    assert "tie.left" in [step.kind for step in story(*count_election(election))]
    assert recount(write_sheet(replace(late, winner=3), lines, NAMES, 1)) == ("p12", False)
    alone = replace(result, winner=3, tied=(3,), tie_rule="")
    assert recount(write_sheet(alone, lines, NAMES, 1)) == ("p13", True)


def test_nobody_leaves_a_tie_that_nobody_was_waited_for_to_decide() -> None:
    result, _ = close(a_round(), [(1, 2, 3)])
    assert recount(
        write_sheet(replace(result, winner=2, tied=(2, 3)), [Line("a" * 10, (1, 2, 3))], NAMES, 1)
    ) == (
        "p11",
        False,
    )


# ---- sheets somebody changed ----


def test_a_changed_ballot_is_found() -> None:
    _, sheet = close(a_round(), FIVE)
    assert recount(sheet) == ("p11", True)
    assert recount(changed(sheet, lambda d: d["ballots"][0].update(approvals=["p12"]))) == ("p12", False)
    assert recount(changed(sheet, lambda d: d["ballots"].pop()))[1] is True  # a blank one more or less
    assert recount(changed(sheet, lambda d: d["ballots"].pop(1)))[1] is False


@pytest.mark.parametrize(
    "change",
    [
        {"winner": "p12"},
        {"winner": None},
        {"winner": "p99"},
        {"outcome": "quorum"},
        {"outcome": "nobody", "winner": None},
        {"outcome": "runoff", "winner": None},
        {"outcome": "no such thing"},
        {"tie_rule": "draw"},
        {"tie_rule": "organiser"},
        {"votes": {"p11": 4}},
        {"tied": ["p11", "p12"]},
    ],
)
def test_another_published_result_is_found(change: dict[str, Any]) -> None:
    _, sheet = close(a_round(), FIVE)
    assert recount(changed(sheet, lambda d: d["published result"].update(change)))[1] is False


def test_another_secret_is_refused_and_another_head_draws_anew() -> None:
    _, sheet = close(a_round(days=(0, 0, 0)), [(1, 2, 3)])
    with pytest.raises(BadInput, match=r"tally\.seal"):
        read_election(changed(sheet, lambda d: d["ties"].update(secret="0" * 32)).encode())
    document, winners = json.loads(sheet), set()
    for number in range(40):
        document["ties"]["head"] = f"{number:064x}"
        winners.add(recount(json.dumps(document))[0])
    assert winners == {"p11", "p12", "p13"}


def test_a_round_from_before_there_was_a_draw_is_settled_by_the_list() -> None:
    _, sheet = close(a_round(days=(0, 0, 0)), [(2, 3)])
    old = changed(sheet, lambda d: d["ties"].update(secret="", commitment="", head=""))
    assert recount(old)[0] == "p12"


def test_with_other_rules_than_its_own_a_sheet_is_any_election() -> None:
    _, sheet = close(a_round(ties="organiser"), FIVE)
    _, decision = count_election(read_election(sheet.encode()), "phragmen", 2)
    assert decision.winners == ("p11", "p12")


# ---- files that are none ----


def put(name: str, value: object) -> Callable[[Any], object]:
    return lambda document: document.update({name: value})


def ballot(**changes: object) -> Callable[[Any], object]:
    return lambda document: document["ballots"][0].update(changes)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (put("version", 2), "tally.sheet_version"),
        (put("version", None), "tally.sheet_version"),
        (put("quorum", -1), "tally.sheet"),
        (put("quorum", "1"), "tally.sheet"),
        (put("quorum", 10**30), "tally.sheet"),
        (put("ties", None), "tally.sheet"),
        (put("ties", {"rule": []}), "tally.sheet"),
        (put("published result", []), "tally.sheet"),
        (put("published result", {"outcome": "decided", "winner": 3}), "tally.sheet"),
        (put("published result", {"outcome": "decided", "votes": {"p1": "x"}}), "tally.sheet"),
        (put("method", "dice"), "tally.unknown_method"),
        (put("seats", 10**20), "tally.seats"),
        (put("candidates", [f"p{n}" for n in range(201)]), "tally.candidates"),
        (put("candidates", [{"id": "p11", "withdrawn": "yes"}]), "tally.candidate"),
        (put("candidates", [{"id": "\ud800"}]), "tally.candidate"),
        (put("options", {"majority_ratio": {"p11": "x"}}), "tally.rule"),
        (put("options", {"default_option": ["p11"]}), "tally.rule"),
        (ballot(receipt="0000000001"), "tally.receipt"),
        (ballot(receipt=None), "tally.receipt"),
        (ballot(count=2), "tally.receipt"),
        (ballot(count=10**20), "tally.ballot_count"),
        (ballot(paid="1/0"), "tally.paid"),
        (ballot(paid="1e9999999"), "tally.paid"),
        (ballot(paid=0.5), "tally.paid"),
        (ballot(approvals=[], ranking=[["p11"]]), "tally.no_approvals"),
        (ballot(approvals=["p99"]), "tally.unknown_option"),
    ],
)
def test_a_faulty_sheet_is_refused_by_name(change: Callable[[Any], object], key: str) -> None:
    _, sheet = close(a_round(), FIVE)
    with pytest.raises(BadInput) as caught:
        recount(changed(sheet, change))
    assert caught.value.key == key


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b'{"candidates": ["A"], "ballots": [], "candidates": ["B"]}', "tally.key_twice"),
        (b'{"candidates": ["A"], "ballots": [{"scores": {"A": 1, "A": 5}}]}', "tally.key_twice"),
        (b'{"candidates": ["A"], "ballots": [], "options": {"quorum": NaN}}', "tally.number"),
        (b'{"candidates": ["A"], "ballots": [], "method": "av", "options": {"quorum": 1e999}}', "tally.rule"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "tally.bad_json"),
        (b"[" * MOST_BYTES + b"]", "tally.too_large"),
    ],
)
def test_what_json_allows_but_no_election_means_is_refused(data: bytes, key: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_election(data)
    assert caught.value.key == key


@pytest.mark.parametrize(
    ("method", "given", "key"),
    [
        ("schulze", {"approvals": ["A"]}, "tally.no_ranking"),
        ("irv", {"scores": {"A": 1}}, "tally.no_ranking"),
        ("star", {"ranking": ["A"]}, "tally.no_scores"),
        ("star", {"scores": {"A": 6}}, "tally.score"),
        ("plurality", {"approvals": ["A", "B"]}, "tally.one_vote"),
        ("phragmen", {"ranking": ["A"]}, "tally.no_approvals"),
    ],
)
def test_ballots_must_fit_the_method(method: str, given: dict[str, Any], key: str) -> None:
    document = {"method": method, "candidates": ["A", "B"], "ballots": [{}, given]}
    with pytest.raises(BadInput) as caught:
        count_election(read_election(json.dumps(document).encode()))
    assert (caught.value.key, caught.value.values["ballot"]) == (key, 2)


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["p11", "p12", "star", "irv", "schulze", "organiser", "waiting", "1/0", "3/5", SECRET]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
METHOD = st.sampled_from(("approval", "plurality", "phragmen", "schulze", "irv"))


@given(METHOD, st.lists(st.tuples(st.integers(0, 200), JUNK | st.just("…")), min_size=1, max_size=3))
def test_any_change_of_a_sheet_is_counted_or_refused(method: str, changes: list[tuple[int, Any]]) -> None:
    cast = [one[:1] for one in FIVE] if method == "plurality" else FIVE
    _, sheet = close(a_round(method), cast)
    document = json.loads(sheet)
    for number, value in changes:
        places = list(_places(document))
        holder, key = places[number % len(places)]
        if value == "…":
            del holder[key]
        else:
            holder[key] = value
    try:
        election = read_election(json.dumps(document).encode())
        tally, decision = count_election(election)
        assert agrees(election, tally, decision) in (True, False)
        words = words_for("en")
        for line in explain(words, story(tally, decision), election.names):
            assert words.plain(line, "UTC", OPENS)
    except BadInput as error:
        assert error.key.startswith("tally.")


def _places(value: Any) -> Any:
    """Every place in a document where something else could stand."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(inside):
        yield value, key
        yield from _places(part)
