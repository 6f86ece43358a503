"""Reads by key and durable writes beside the bare drivers: `python tests/bench/bench_store.py`."""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sqlite3
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter

import aiosqlite
from figures import Figure, table

from bot.storage.database import Database, Tx
from bot.storage.sqlite import open_sqlite

READS = 2_000
WRITES = 6_400
TASKS = 64

_BY_KEY = "SELECT key, text FROM query_key WHERE key = :key"
_INSERT = "INSERT INTO query_key (key, text, used_at) VALUES (:key, 'x', 0)"


async def _seconds(work: Callable[[], Awaitable[None]]) -> float:
    started = perf_counter()
    await work()
    return perf_counter() - started


async def _fill(store: Database) -> None:
    def fn(tx: Tx) -> None:
        tx.run_many(_INSERT, ({"key": f"k{n}"} for n in range(READS)))

    await store.write(fn)


async def _shared(tasks: int, work: Callable[[int], Awaitable[object]], number: int) -> None:
    """`number` calls spread over tasks that each wait for an answer before the next."""

    async def one(task: int) -> None:
        for n in range(number // tasks):
            await work(task * (number // tasks) + n)

    await asyncio.gather(*(one(task) for task in range(tasks)))


async def measure(folder: Path, rounds: int = 3) -> list[Figure]:
    """The least of interleaved rounds, ours and the bare driver's in turn."""
    store = await open_sqlite(folder / "store.db", readers=2)
    await _fill(store)
    bare = await aiosqlite.connect(folder / "store.db", isolation_level=None)
    await bare.execute("PRAGMA synchronous = FULL")
    serial = itertools.count()

    async def read_ours() -> None:
        for n in range(READS):
            key = f"k{n}"
            await store.read(lambda tx: tx.rows(_BY_KEY, key=key))  # noqa: B023

    async def read_bare() -> None:
        for n in range(READS):
            await bare.execute_fetchall(_BY_KEY, {"key": f"k{n}"})

    async def write_ours() -> None:
        run = next(serial)
        await _shared(TASKS, lambda n: store.write(lambda tx: tx.run(_INSERT, key=f"o{run}.{n}")), WRITES)

    async def write_bare() -> None:
        run = next(serial)
        lock = asyncio.Lock()

        async def one(n: int) -> None:
            async with lock:
                await bare.execute("BEGIN IMMEDIATE")
                await bare.execute(_INSERT, {"key": f"b{run}.{n}"})
                await bare.execute("COMMIT")

        await _shared(TASKS, one, WRITES // 16)

    reads = [(await _seconds(read_ours), await _seconds(read_bare)) for _ in range(rounds)]
    writes = [(await _seconds(write_ours), await _seconds(write_bare)) for _ in range(rounds)]
    await bare.close()
    await store.close()
    ours, raw = min(r[0] for r in reads) / READS, min(r[1] for r in reads) / READS
    written, bare_written = WRITES / min(w[0] for w in writes), WRITES / 16 / min(w[1] for w in writes)
    figures = [
        Figure(
            "read by key, one at a time", f"{ours * 1e6:.0f} us", f"{raw * 1e6:.0f} us", ours / raw, "<= 1.3"
        ),
        Figure(
            f"durable writes, {TASKS} at once",
            f"{written:.0f}/s",
            f"{bare_written:.0f}/s",
            written / bare_written,
            ">= 10",
        ),
        _beside_one_big_transaction(folder, written, rounds),
    ]
    return figures


def _beside_one_big_transaction(folder: Path, written: float, rounds: int) -> Figure:
    """The same durable writes beside bare sqlite3 that puts 64 into each transaction."""
    raw = sqlite3.connect(folder / "store.db", isolation_level=None)
    raw.execute("PRAGMA synchronous = FULL")
    times = []
    for run in range(rounds):
        started = perf_counter()
        for batch in range(WRITES // 64):
            raw.execute("BEGIN IMMEDIATE")
            for n in range(64):
                raw.execute(_INSERT, {"key": f"r{run}.{batch}.{n}"})
            raw.execute("COMMIT")
        times.append(perf_counter() - started)
    raw.close()
    best = WRITES / min(times)
    return Figure(
        "the same beside 64 a transaction", f"{written:.0f}/s", f"{best:.0f}/s", written / best, ">= 0.25"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measure(Path(folder), options.rounds))
    print(table(figures))
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
