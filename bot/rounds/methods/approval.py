"""Approval voting: tick any number of options; those with the most ticks win."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

from bot.rounds.methods.model import Settle, Vote
from bot.rounds.model import Step, Tally


def count_approval(
    votes: Sequence[Vote],
    options: Sequence[str],
    seats: int,
    rules: Mapping[str, Any],
    settle: Settle | None = None,
) -> Tally:
    """Elect the `seats` options that most ballots approve.

    Options level at the last seat are `tied`, none of them elected. Without a non-blank ballot there is no
    decision: an empty vote has no tie to break. Steps: `approval.counts`, then `elected`, `tie`,
    `no_decision`.
    """
    scores = dict.fromkeys(options, 0)
    blank = 0
    for vote in votes:
        blank += vote.count * (not vote.approvals)
        for option in vote.approvals:
            scores[option] += vote.count
    ballots = sum(vote.count for vote in votes)
    steps = [Step("approval.counts", {"scores": scores, "ballots": ballots, "blank": blank})]
    if ballots == blank:
        steps.append(Step("no_decision", {"ballots": ballots}))
        return Tally("approval", (), (), "no-decision", scores, tuple(steps))
    winners, tied = elect(scores, seats)
    if winners:
        steps.append(Step("elected", {"options": list(winners), "scores": {w: scores[w] for w in winners}}))
    if tied:
        level = {
            "options": list(tied),
            "score": scores[tied[0]],
            "ballots": ballots,
            "places": seats - len(winners),
        }
        steps.append(Step("tie", level))
    outcome: Literal["tie", "decided"] = "tie" if tied else "decided"
    return Tally("approval", winners, (tied,) if tied else (), outcome, scores, tuple(steps))


def elect(scores: Mapping[str, int], seats: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options surely among the `seats` highest, and those that compete for the places left; best first."""
    winners: tuple[str, ...] = ()
    ranked = sorted(scores, key=lambda option: -scores[option])
    for _, group in groupby(ranked, key=lambda option: scores[option]):
        level = tuple(group)
        if len(winners) + len(level) > seats:
            return winners, level if len(winners) < seats else ()
        winners += level
    return winners, ()
