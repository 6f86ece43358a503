"""Plurality voting: one vote a ballot; those with the most votes win."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from bot.rounds.methods.approval import elect
from bot.rounds.methods.model import Settle, Vote
from bot.rounds.model import Step, Tally


def count_plurality(
    votes: Sequence[Vote],
    options: Sequence[str],
    seats: int,
    rules: Mapping[str, Any],
    settle: Settle | None = None,
) -> Tally:
    """Elect the `seats` options that most ballots name.

    A ballot names its one approval or, where it has none, what stands alone in the first tier of its ranking. One
    that names several (`overvotes`) counts as little as a blank one. Steps: `plurality.counts`, then as in approval
    voting.
    """
    scores = dict.fromkeys(options, 0)
    ballots = blank = overvotes = 0
    for vote in votes:
        named = vote.approvals or next(filter(None, vote.ranking), ())
        ballots += vote.count
        blank += vote.count * (not named)
        overvotes += vote.count * (len(named) > 1)
        if len(named) == 1:
            scores[named[0]] += vote.count
    counted = {"scores": scores, "ballots": ballots, "blank": blank, "overvotes": overvotes}
    steps = [Step("plurality.counts", counted)]
    if ballots == blank + overvotes:
        steps.append(Step("no_decision", {"ballots": ballots}))
        return Tally("plurality", (), (), "no-decision", scores, tuple(steps))
    winners, tied = elect(scores, seats)
    if winners:
        steps.append(Step("elected", {"options": list(winners), "scores": {w: scores[w] for w in winners}}))
    if tied:
        places = seats - len(winners)
        level = {"options": list(tied), "score": scores[tied[0]], "ballots": ballots, "places": places}
        steps.append(Step("tie", level))
    outcome: Literal["tie", "decided"] = "tie" if tied else "decided"
    return Tally("plurality", winners, (tied,) if tied else (), outcome, scores, tuple(steps))
