"""How many ballots a second are counted for good, beside one aiosqlite transaction for each.

Run it by path: ``python tests/bench/bench_ballots.py``.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiosqlite

from bot.clubs import service as clubs
from bot.clubs.model import Account, Asker, Member, Place
from bot.rounds import ballots
from bot.rounds import service as rounds
from bot.rounds.nominations import nominate
from bot.storage.database import Database, Tx, to_us
from bot.storage.sqlite import open_sqlite

AT_ONCE = 64
MEMBERS = 2_000
EACH = 5
"""Ballots a member casts in one round of the bench, every one unlike the last."""
RAW = 1_000
ROUNDS = 3
START = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CANDIDATES = 10
CHECKS: tuple[tuple[str, Callable[[int, int], tuple[object, ...]]], ...] = (
    (
        "SELECT m.id, m.name FROM account a JOIN member m ON m.id = a.member_id"
        " WHERE a.club_id = 1 AND a.platform = 'preview' AND a.workspace = 'w' AND a.native_id = ?",
        lambda round_id, number: (f"u{number % MEMBERS}",),
    ),
    ("SELECT state, opens_at, closes_at FROM round WHERE id = ?", lambda round_id, number: (round_id,)),
    ("SELECT MAX(position) FROM candidate WHERE round_id = ?", lambda round_id, number: (round_id,)),
    (
        "SELECT payload FROM raw WHERE round_id = ? AND voter = ? ORDER BY seq DESC LIMIT 1",
        lambda round_id, number: (round_id, number),
    ),
)
INSERT = "INSERT INTO raw (round_id, seq, voter, at, payload) VALUES (?, ?, ?, ?, '[1,2]')"
CLUB = 1


def bench_ballots() -> dict[str, float]:
    """Ballots a second, ours and raw (the best of three interleaved rounds) and their ratio; printed too.

    Both ask who presses, whether the round is open and before its deadline, how many candidates it has and
    what the member said before, then write the event. Ours also asks for the club, withdrawn candidates and
    the writes of the last minute. Raw is one connection, and BEGIN, the statements, COMMIT a ballot.
    """
    return asyncio.run(_bench())


async def _bench() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ballots.db"
        database = await open_sqlite(path)
        round_id, members = await database.write(_prepare)
        await database.write(_prepare_raw)
        ours, raw = [], []
        for number in range(ROUNDS):
            moment = START + timedelta(minutes=2 * number)
            ours.append(await _ours(database, round_id, members, moment))
            raw.append(await _raw(path, round_id))
        counted = await database.read(lambda tx: tx.rows("SELECT COUNT(*) FROM ballot_event")[0][0])
        assert counted == ROUNDS * MEMBERS * EACH, "a ballot was lost"
        await database.close()
    figures = {"ours": max(ours), "raw": max(raw)}
    figures["ratio"] = figures["ours"] / figures["raw"]
    print(
        f"ballots, {AT_ONCE} at once: {figures['ours']:,.0f} a second,"
        f" {figures['ratio']:.0f} times one aiosqlite transaction each ({figures['raw']:,.0f} a second)"
    )
    return figures


def _asker(number: int) -> Asker:
    return Asker(
        Account("preview", "w", f"u{number}"), Place("preview", "w", "c"), f"Member {number}", admin=True
    )


def _prepare(tx: Tx) -> tuple[int, list[Asker]]:
    """A club with its members, and a round of ten papers that is open."""
    club = clubs.setup(tx, _asker(0), START - timedelta(days=1), name="Bench", zone="UTC")
    askers = [_asker(number) for number in range(MEMBERS)]
    joined = [clubs.member_of(tx, club.id, asker, START - timedelta(days=1)) for asker in askers]
    for number in range(CANDIDATES):
        paper = tx.rows(
            "INSERT INTO paper (title, authors, abstract, added_at)"
            " VALUES (:title, '[]', '', 0) RETURNING id",
            title=f"Paper {number}",
        )[0][0]
        nominate(tx, club, joined[number], paper, "", START - timedelta(hours=1))
    return rounds.open_round(tx, club, START, START + timedelta(days=1)).id, askers


def _prepare_raw(tx: Tx) -> None:
    tx.run("CREATE TABLE raw AS SELECT * FROM ballot_event WHERE 0")
    tx.run("CREATE INDEX raw_once ON raw (round_id, seq)")
    tx.run("CREATE INDEX raw_of_member ON raw (round_id, voter, seq)")


async def _ours(database: Database, round_id: int, askers: list[Asker], now: datetime) -> float:
    club_id = (
        await database.read(lambda tx: tx.rows("SELECT club_id FROM round WHERE id = :id", id=round_id))
    )[0][0]

    def press(tx: Tx, asker: Asker, position: int) -> bool:
        member: Member = clubs.member_of(tx, club_id, asker, now)
        return ballots.cast(tx, round_id, member, (position, position % CANDIDATES + 1), now).new_event

    async def one(number: int) -> None:
        asker, position = askers[number % MEMBERS], number // MEMBERS + 1
        assert await database.write(lambda tx: press(tx, asker, position))

    return await _speed(one, MEMBERS * EACH)


async def _raw(path: Path, round_id: int) -> float:
    async with aiosqlite.connect(path, isolation_level=None) as connection:
        await connection.execute("PRAGMA journal_mode = WAL")
        await connection.execute("PRAGMA synchronous = FULL")
        lock = asyncio.Lock()

        async def one(number: int) -> None:
            async with lock:  # tasks that share a connection share its transaction
                await connection.execute("BEGIN IMMEDIATE")
                for check, values in CHECKS:
                    await connection.execute_fetchall(check, values(round_id, number))
                await connection.execute(INSERT, (round_id, number, number, to_us(START)))
                await connection.execute("COMMIT")

        return await _speed(one, RAW)


async def _speed(one: Callable[[int], Awaitable[None]], count: int) -> float:
    numbers = iter(range(count))

    async def worker() -> None:
        for number in numbers:
            await one(number)

    start = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    return count / (time.perf_counter() - start)


if __name__ == "__main__":
    bench_ballots()
