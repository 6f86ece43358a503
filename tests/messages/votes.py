"""Votes of every method and outcome the tests of messages are told with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from itertools import product
from typing import Any, get_args

from bot.errors import BadInput, UserError
from bot.messages.model import Form, Message, Reader
from bot.messages.pages.ballots import ballot_form, late_page, my_ballot_page, readback_page
from bot.messages.pages.deciding import decide_form, decided_page
from bot.messages.pages.how import how_page
from bot.messages.pages.reminders import blanked_page, nudge_page, reminded_page, reminder_page
from bot.messages.pages.results import result_page
from bot.messages.pages.rounds import vote_page
from bot.messages.pages.sheets import no_sheet_page, sheet_page
from bot.rounds.model import Ballot, Published, Result, Round, Rules, Step, Ties, Turnout
from tests.messages.samples import NOW

METHODS = ("approval", "phragmen", "plurality", "schulze", "irv")
RANKED = ("schulze", "irv")
HEAD, SEAL = "9f2c41d0" * 8, "41be77a3" * 8
SECRET = "c07be1d9" * 4
RECEIPT = "ab12cd34ef"
LONG_REASON = ("Because [x](http://x.example) **it** is. " * 8)[:300]


def sealed(vote: Round, **rules: Any) -> Round:
    """The vote with a log and a sealed draw."""
    return replace(
        vote, opening_head=HEAD, head=HEAD[::-1], commitment=SEAL, rules=replace(vote.rules, **rules)
    )


def strict(vote: Round) -> Round:
    """The vote with every rule there is, each with the longest sentence, and all that can move its closing."""
    rules = Rules(4, True, True, "open", "runoff", 300, True, 3, 11, "1" * 18)
    gone = replace(vote.candidates[0], withdrawn=True, chosen=True)
    return replace(
        sealed(vote),
        rules=rules,
        candidates=(gone, *vote.candidates[1:]),
        away_from=NOW,
        away_to=NOW,
        extended_for=gone.paper.public_id,
    )


def pairs(count: int, ballots: int = 9) -> Step:
    """All duels: a lower number beats a higher one by one ballot, but the last beats the first."""
    options = [str(n) for n in range(1, count + 1)]
    more, less = ballots // 2 + 1, ballots // 2
    matrix = {a: {b: more if int(a) < int(b) else less for b in options if b != a} for a in options}
    matrix[options[-1]]["1"], matrix["1"][options[-1]] = more, less
    return Step("pairs", {"matrix": matrix, "ballots": ballots, "blank": 0})


def circle(count: int, ballots: int = 9) -> tuple[Step, ...]:
    """What Schulze's method says of `pairs`: the last paper's win over the first was set aside."""
    last, more = str(count), ballots // 2 + 1
    aside = {"winner": last, "loser": "1", "for": more, "against": ballots - more}
    return pairs(count, ballots), Step("no_condorcet"), Step("aside", aside)


def closed(vote: Round, method: str, **changes: Any) -> Result:
    """The vote once counted by a method, the first paper its winner."""
    count = len(vote.candidates)
    values: dict[str, Any] = {
        "round": replace(
            sealed(vote), state="decided", method=method, closed_at=vote.closes_at, secret=SECRET
        ),
        "outcome": "decided",
        "winner": 1,
        "votes": {} if method == "schulze" else {each.position: 4 for each in vote.candidates},
        "ballots": 9,
        "non_blank": 9,
        "turnout": Turnout(9, 300, 9),
        "steps": circle(count) if method == "schulze" and count > 2 else (),
        "head": HEAD,
    }
    return Result(**(values | changes))


def every_result(vote: Round, member: str) -> Iterator[tuple[str, Result]]:
    """Every outcome by every method, broken by every rule; published in every way by those that differ in it."""
    everyone = tuple(each.position for each in vote.candidates)
    told = {"decided_by": member, "decided_note": LONG_REASON, "why": "all_voted"}
    for method, published in (
        *product(METHODS, ("all",)),
        *product(("approval", "schulze"), ("totals", "winner")),
    ):
        for rule in ("", "age", "draw", "organiser"):
            tied = {"tied": everyone, "tie_rule": rule} if rule else {}
            yield f"{method} {published} {rule}", closed(vote, method, published=published, **tied, **told)
        for outcome in ("runoff", "waiting"):
            result = closed(
                vote, method, published=published, outcome=outcome, winner=None, tied=everyone, runoff=13
            )
            until = replace(result.round, waits_until=NOW + timedelta(days=1))
            yield f"{method} {published} {outcome}", replace(result, round=until)
    for outcome in ("quorum", "nobody", "all_blank", "all_withdrawn"):
        yield outcome, closed(vote, "approval", published="winner", outcome=outcome, winner=None)
    many = tuple((f"{member} {n}", everyone[:5]) for n in range(300))
    for method in METHODS:
        result = closed(vote, method, named=((member, ()), *many))
        yield f"{method} named", replace(result, round=strict(result.round))


def vote_pages(reader: Reader, vote: Round, member: str) -> Iterator[tuple[str, Message | Form]]:
    """Every page of one vote, by every method."""
    turnout, count = Turnout(3, 300), len(vote.candidates)
    for method in METHODS:
        most = 5 if method in RANKED else count
        ballot = Ballot(tuple(range(1, min(count, most) + 1)), NOW, RECEIPT)
        told = replace(strict(vote), method=method)
        yield f"vote {method} {count}", vote_page(reader, told, turnout)
        yield f"ballot {method} {count}", ballot_form(reader, told, ballot)
        yield (
            f"readback {method} {count}",
            readback_page(reader, told, ballot, (1, 2, 3), (1, 2, 3), True),
        )
        yield f"mine {method} {count}", my_ballot_page(reader, told, ballot, Fraction(7, 3), False)
    yield f"late {count}", late_page(reader, told, NOW, ballot)
    for ties in get_args(Ties):
        yield f"ties {ties} {count}", vote_page(reader, sealed(vote, ties=ties), turnout)


def result_pages(reader: Reader, vote: Round, member: str) -> Iterator[tuple[str, Message | Form]]:
    """Every page of what a vote came to, and those on its way."""
    for name, result in every_result(vote, member):
        yield f"result {name}", result_page(reader, result)
        yield f"how {name}", how_page(reader, result)
    yield from _private_pages(reader, vote, member)


def _private_pages(reader: Reader, vote: Round, member: str) -> Iterator[tuple[str, Message | Form]]:
    tied = closed(vote, "approval", outcome="waiting", winner=None, tied=(1, 2))
    wrong: dict[str, UserError | str] = {"paper": BadInput("error.old_choice"), "reason": "f" * 90}
    yield "sheet", sheet_page(reader, tied, "{}")
    for published in get_args(Published):
        yield f"no sheet {published}", no_sheet_page(reader, replace(tied, published=published))
    yield "decide", decide_form(reader, tied, tied.tied, {"paper": "p1", "reason": LONG_REASON}, wrong)
    yield "decided", decided_page(reader, replace(tied, winner=1))
    yield "reminder", reminder_page(reader, vote, Turnout(3, 300))
    yield "nudge", nudge_page(reader, vote, Turnout(3), member)
    yield "blanked", blanked_page(reader, vote, vote.candidates[0].paper, member)
    yield "chosen before", blanked_page(reader, strict(vote), vote.candidates[0].paper, member)
    yield "one left", result_page(reader, closed(strict(vote), "approval", outcome="single"))
    yield "reminded", reminded_page(reader, True)
    yield "not reminded", reminded_page(reader, False)
