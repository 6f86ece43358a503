"""Rounds and results of a club, read with a clear answer where there is none."""

from __future__ import annotations

from bot.errors import Conflict, NotFound
from bot.rounds.model import Result, Round
from bot.storage import rounds as store
from bot.storage.database import Tx


def find_open_round(tx: Tx, club_id: int) -> Round | None:
    """The round that takes ballots, or whose closing is just about to run."""
    return store.find_open_round(tx, club_id)


def get_round(tx: Tx, club_id: int, round_id: int) -> Round:
    """The club's round. Raises NotFound('error.no_round'), also for a round of another club."""
    found = store.find_round(tx, club_id, round_id)
    if found is None:
        raise NotFound("error.no_round", round_id=round_id)
    return found


def get_result(tx: Tx, club_id: int, round_id: int | None = None) -> Result:
    """The result of a closed round, by default of the last one.

    Raises: NotFound('error.no_round'), NotFound('results.empty') before the first,
    Conflict('result.open', when, round_id).
    """
    if round_id is None:
        last = store.list_closed_rounds(tx, club_id, 1, decided=False)
        if not last:
            raise NotFound("results.empty")
        round_id = last[0].id
    found = store.find_result(tx, club_id, round_id)
    if found is None:
        raise Conflict("result.open", when=get_round(tx, club_id, round_id).closes_at, round_id=round_id)
    return found


def find_sheet(tx: Tx, club_id: int, round_id: int) -> str | None:
    """The tally sheet of a closed round; None where none is published. Raises NotFound('error.no_round')."""
    return store.find_sheet(tx, club_id, get_round(tx, club_id, round_id).id)


def history(tx: Tx, club_id: int, page: int = 1, size: int = 5) -> tuple[tuple[Result, ...], int]:
    """A page of the rounds that chose a paper, read or to be read, newest first, and how many there are in all."""
    over = store.list_closed_rounds(tx, club_id, size, (max(1, page) - 1) * size, decided=True)
    results = (store.find_result(tx, club_id, closed.id) for closed in over)
    return tuple(found for found in results if found is not None), store.count_closed_rounds(
        tx, club_id, decided=True
    )


def count_read(tx: Tx, club_id: int) -> int:
    """How many papers the club has met about."""
    return store.count_read(tx, club_id)
