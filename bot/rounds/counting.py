"""What a round's ballots come to, by the rules frozen at its opening; nothing is stored here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.rounds import replay
from bot.rounds.extending import DAY
from bot.rounds.log import draw_seed
from bot.rounds.model import FEW, VERY_FEW, Outcome, Published, Result, Round, Step, Tally, Why
from bot.rounds.replay import Counted
from bot.rounds.ties import Chain, Entry, decide, story
from bot.rounds.turnout import turnout_of
from bot.storage.database import Tx
from bot.storage.members import names_of

PATIENCE = timedelta(hours=48)
"""So long after closing an organiser may decide a tie, if the meeting does not begin before."""


def count_round(
    tx: Tx,
    over: Round,
    counted: Sequence[Counted],
    now: datetime,
    why: Why = "deadline",
    *,
    at_once: bool = False,
) -> Result:
    """What these ballots of a round come to if it closes `now`; `at_once`: a tie goes to the chain in any case."""
    votes = replay.votes_of(counted)
    options = [str(candidate.position) for candidate in over.candidates if not candidate.withdrawn]
    tally, decision = decide(over.method, votes, options, 1, {}, chain_of(over))
    blank = sum(not line.positions for line in counted)
    published = _published(over, len(counted) - blank)
    # Handed on, a tie would name the papers of so few ballots.
    by_people = not at_once and published != "winner"
    outcome = _outcome(over, options, len(counted), blank, tally, now if by_people else None)
    decided = outcome == "decided"
    tie = tally.outcome == "tie" and outcome in ("decided", "runoff", "waiting")
    return Result(
        round=over,
        outcome=outcome,
        winner=int(decision.winners[0]) if decided and decision.winners else None,
        votes={int(option): score for option, score in tally.scores.items()},
        ballots=len(counted),
        non_blank=len(counted) - blank,
        tied=tuple(dict.fromkeys(int(option) for group in tally.tied for option in group)) if tie else (),
        tie_rule=decision.rule if decided else "",
        turnout=turnout_of(tx, over),
        steps=_told(story(tally, decision) if decided else tally.steps, published),
        published=published,
        why=why,
        head=over.head,
        named=_named(tx, over, counted),
    )


def chain_of(over: Round) -> Chain:
    """What breaks the ties of a round: fixed before anybody voted but for the draw's seed, which nobody can choose."""
    entries = {
        str(each.position): Entry(each.nominated_at, each.position, each.paper.public_id)
        for each in over.candidates
    }
    seed = draw_seed(over.secret, over.head) if over.secret else ""
    return Chain(over.rules.ties, entries, seed, str(over.id))


def waits_until(over: Round, now: datetime) -> datetime:
    """Until when an organiser may decide the tie of a round that closes `now`."""
    patience = now + PATIENCE
    return patience if over.meeting_at is None else min(patience, over.meeting_at)


def _outcome(
    over: Round, options: Sequence[str], cast: int, blank: int, tally: Tally, now: datetime | None
) -> Outcome:
    """`now`: the instant from which a tie may be decided by a runoff or an organiser; None: by the chain alone."""
    if not options:
        return "all_withdrawn"
    if cast < over.rules.quorum:
        return "quorum"
    if cast == blank:
        return "all_blank" if cast else "nobody"
    if tally.outcome == "tie" and now is not None:
        if over.rules.ties == "organiser" and waits_until(over, now) > now:
            return "waiting"
        if over.rules.ties == "runoff" and over.rules.runoff_of is None and _leaves_a_day(over, now):
            return "runoff"
    return "decided"


def _leaves_a_day(over: Round, now: datetime) -> bool:
    return over.meeting_at is None or now + DAY < over.meeting_at


def _published(over: Round, non_blank: int) -> Published:
    """Of a secret vote no more than names nobody: the pattern of one of few ballots would."""
    if over.rules.secrecy == "open" or non_blank >= FEW:
        return "all"
    return "winner" if non_blank < VERY_FEW else "totals"


def _told(steps: Sequence[Step], published: Published) -> tuple[Step, ...]:
    """The steps of a count as they are published: of few ballots none in which one of them can be followed.

    Where votes are handed on from round to round, the first choices are the totals; in fair turns, what a paper's
    only supporter has paid is theirs alone.
    """
    if published != "totals":
        return tuple(steps)
    rounds = [number for number, step in enumerate(steps) if step.kind == "irv.round"]
    if len(rounds) > 1:
        ends = range(rounds[-1], len(steps))
        tie = next((number for number in ends if steps[number].kind == "tie"), len(steps))
        steps = (*steps[: rounds[1]], *steps[tie:])
    return tuple(step for step in steps if step.kind != "phragmen.seat" or not _bills_one(step))


def _bills_one(seat: Step) -> bool:
    bills = [bill for bill in (seat.values, seat.values["rival"]) if bill]
    return any(bill["supporters"] == 1 and bill["paid"] != "0" for bill in bills)


def _named(tx: Tx, over: Round, counted: Sequence[Counted]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """In a vote open at close, who voted for what, by name."""
    if over.rules.secrecy != "open":
        return ()
    names = names_of(tx, over.club_id)
    listed = [(names.get(line.member_id or 0, ""), line.positions) for line in counted]
    return tuple(sorted(listed, key=lambda each: (each[0].casefold(), each)))
