"""How fast a vote is read, its chain checked, and counted; and how fast each method counts alone.

Run it by path: ``python tests/bench/bench_count.py``.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import aiosqlite
from bench_ballots import START, _asker

from bot.clubs import service as clubs
from bot.rounds import replay
from bot.rounds import service as rounds
from bot.rounds.log import first_fault
from bot.rounds.methods import METHODS, Vote
from bot.rounds.model import DEPTH, Round
from bot.rounds.nominations import nominate
from bot.storage import ballots as store
from bot.storage.database import Tx
from bot.storage.sqlite import open_sqlite

BALLOTS = 10_000
LISTED = 10
"""Papers of that vote, as of bench_ballots: a club has six to twelve."""
CANDIDATES = 25
VOTERS = 300
TURNS = 5
LIMITS = {"approval": 0.250, "schulze": 0.600}
"""Seconds for BALLOTS ballots, any set of papers and ranked to DEPTH."""
METHOD_LIMIT = 0.040
"""Seconds of each method for VOTERS full ballots of CANDIDATES papers."""


def bench_count() -> dict[str, float]:
    """Seconds of a whole count by way of voting, of a raw read of its rows beside it, and of each method alone."""
    found = asyncio.run(_bench())
    for method, limit in LIMITS.items():
        print(
            f"{BALLOTS:,} ballots read, chain checked and counted, {method}: {found[method] * 1e3:.0f} ms of"
            f" {limit * 1e3:.0f}, the rows alone {found[f'raw {method}'] * 1e3:.0f} ms"
        )
    for name in METHODS:
        found[f"method {name}"] = _alone(name)
        print(f"{VOTERS} ballots of {CANDIDATES} papers, {name}: {found[f'method {name}'] * 1e3:.1f} ms")
    return found


async def _bench() -> dict[str, float]:
    found = {}
    for method in LIMITS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "count.db"
            database = await open_sqlite(path, readers=1)
            over = await database.write(lambda tx, method=method: _prepare(tx, method))  # type: ignore[misc]
            await database.write(lambda tx, over=over: _vote(tx, over))  # type: ignore[misc]
            ours, raw = [], []
            for _ in range(TURNS):
                begin = time.perf_counter()
                await database.read(lambda tx, over=over: _count(tx, over))  # type: ignore[misc]
                ours.append(time.perf_counter() - begin)
                raw.append(await _raw(path))
            await database.close()
        found[method], found[f"raw {method}"] = min(ours), min(raw)
    return found


def _prepare(tx: Tx, method: str) -> Round:
    club = clubs.setup(tx, _asker(0), START, name="Bench", zone="UTC")
    settings = replace(club.settings, method=method, nominations_each=LISTED)
    club = replace(club, settings=settings)
    members = [clubs.member_of(tx, club.id, _asker(number), START) for number in range(BALLOTS)]
    for number in range(LISTED):
        paper = tx.rows(
            "INSERT INTO paper (title, authors, abstract, added_at)"
            " VALUES (:title, '[]', '', 0) RETURNING id",
            title=f"Paper {number}",
        )[0][0]
        nominate(tx, club, members[number], paper, "", START)
    return rounds.open_round(tx, club, START)


def _vote(tx: Tx, over: Round) -> None:
    dice = random.Random(1)
    rows = tx.rows("SELECT id FROM member ORDER BY id")
    for row in rows[:BALLOTS]:
        chosen = dice.sample(range(1, LISTED + 1), DEPTH if over.method != "approval" else dice.randint(0, 8))
        store.put_ballot(tx, over.id, row[0], chosen if over.method != "approval" else sorted(chosen), START)


def _count(tx: Tx, over: Round) -> None:
    log = store.log_of(tx, over.id)
    assert len(log) == BALLOTS
    assert first_fault(over.id, over.opening_head, log) is None
    counted = replay.lines(tx, over, log)
    assert len(counted) == BALLOTS
    assert replay.count_lines(over, counted).outcome != "no-decision"


async def _raw(path: Path) -> float:
    async with aiosqlite.connect(path) as connection:
        begin = time.perf_counter()
        rows = list(
            await connection.execute_fetchall(
                "SELECT seq, receipt, at, payload, prev_hash, hash FROM ballot_event WHERE round_id = 1 ORDER BY seq"
            )
        )
        spent = time.perf_counter() - begin
    assert len(rows) == BALLOTS
    return spent


def _alone(name: str) -> float:
    dice = random.Random(2)
    options = [str(number) for number in range(1, CANDIDATES + 1)]
    votes = []
    for _ in range(VOTERS):
        order = dice.sample(options, CANDIDATES)
        approvals = tuple(order[: 1 if name == "plurality" else dice.randint(1, CANDIDATES)])
        votes.append(
            Vote(
                approvals=approvals,
                ranking=tuple((option,) for option in order),
                scores={option: dice.randint(0, 5) for option in options},
                paid=Fraction(dice.randint(0, 20), dice.randint(1, 20)),
            )
        )
    return _least(lambda: METHODS[name](votes, options, 1, {}))


def _least(work: Callable[[], object]) -> float:
    spent = []
    for _ in range(TURNS):
        begin = time.perf_counter()
        work()
        spent.append(time.perf_counter() - begin)
    return min(spent)


if __name__ == "__main__":
    bench_count()
