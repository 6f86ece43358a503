"""Search and import beside the raw engine: `python tests/bench/bench_search.py [--papers N] [--rounds N]`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from figures import Figure, table
from generate import papers as generate

from bot.papers.model import Listing, Paper
from bot.papers.service import PaperService
from bot.search.query import Query, parse_beginning, parse_query
from bot.storage import search_sqlite
from bot.storage.database import Database
from bot.storage.sqlite import open_sqlite

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOP = 10


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1]


# The raw engine


def build_raw(path: Path, papers: list[Paper]) -> tuple[sqlite3.Connection, float]:
    """Rows and their FTS5 index as written by hand, no folding, one transaction; and the seconds it took."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000;"
        "CREATE TABLE papers (id INTEGER PRIMARY KEY, title, authors, abstract, area, subarea);"
        "CREATE VIRTUAL TABLE fts USING fts5"
        " (title, authors, abstract, content='papers', content_rowid='id');"
        "INSERT INTO fts (fts, rank) VALUES ('rank', 'bm25(10.0, 5.0, 1.0)');"
    )
    rows = (
        (n, p.title, ", ".join(p.authors), p.abstract, p.area, p.subarea) for n, p in enumerate(papers, 1)
    )
    started = perf_counter()
    raw.execute("BEGIN IMMEDIATE")
    for row in rows:
        raw.execute("INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?)", row)
        raw.execute("INSERT INTO fts (rowid, title, authors, abstract) VALUES (?, ?, ?, ?)", row[:4])
    raw.execute("COMMIT")
    return raw, perf_counter() - started


_RAW = (
    "SELECT p.id, p.title FROM (SELECT rowid AS id, rank AS score FROM fts WHERE fts MATCH ?"
    " ORDER BY rank LIMIT ?) f JOIN papers p ON p.id = f.id ORDER BY f.score"
)
_RAW_JOIN = (
    "SELECT p.id, p.title FROM fts f JOIN papers p ON p.id = f.rowid WHERE fts MATCH ? AND p.area = ?"
    " ORDER BY rank LIMIT ?"
)


# The queries


def queries(raw: sqlite3.Connection, papers: list[Paper], seed: int = 3) -> list[tuple[str, str]]:
    """Queries of nine kinds, each as people write it and as raw FTS5 must be asked."""
    rng = random.Random(seed)
    raw.execute("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5vocab (fts, row)")
    number = raw.execute("SELECT COUNT(*) FROM papers").fetchone()[0]
    spread = [
        (row[0], row[1] / number) for row in raw.execute("SELECT term, doc FROM words") if row[0].isascii()
    ]

    def pick(least: float, most: float, count: int) -> list[str]:
        found = sorted(term for term, share in spread if least <= share < most)
        return [rng.choice(found) for _ in range(count)]

    common, middle, rare = (0.08, 1.0), (0.005, 0.02), (0.0001, 0.001)
    words = [*pick(*common, 30), *pick(*middle, 20), *pick(*rare, 20)]
    words += [f"{one} {two}" for one, two in zip(pick(*common, 20), pick(*common, 20), strict=True)]
    words += [f"{one} {two}" for one, two in zip(pick(*common, 20), pick(*middle, 20), strict=True)]
    words += [" ".join(three) for three in zip(*(pick(0.01, 0.3, 30) for _ in range(3)), strict=True)]
    phrases = []
    for paper in rng.sample(papers, 20):
        title = (paper.title or "").split()
        at = rng.randrange(len(title) - 1)
        phrases.append(f'"{title[at]} {title[at + 1]}"')
    return [(text, text) for text in words + phrases]


async def _timed(call: Callable[[], object]) -> float:
    started = perf_counter()
    result = call()
    if asyncio.iscoroutine(result):
        await result
    return perf_counter() - started


async def _interleaved(
    pairs: list[tuple[Callable[[], object], Callable[[], object]]], rounds: int
) -> tuple[list[float], list[float]]:
    """The least time of each pair's two sides over rounds in which both have their turn."""
    ours, raw = [9e9] * len(pairs), [9e9] * len(pairs)
    for _ in range(rounds):
        for n, (one, other) in enumerate(pairs):
            ours[n] = min(ours[n], await _timed(one))
            raw[n] = min(raw[n], await _timed(other))
    return ours, raw


def _finder(store: Database, text: str) -> Callable[[], object]:
    def find() -> object:
        query: Query = parse_query(text)
        return store.read(lambda tx: search_sqlite.find_papers(tx, None, query, TOP))

    return find


async def measure(folder: Path, number: int = 100_000, rounds: int = 3) -> list[Figure]:
    """Build both stores of the same papers and measure them in turn."""
    papers = list(generate(number))
    figures: list[Figure] = []
    raw_times, our_times = [], []
    raw: sqlite3.Connection | None = None
    for turn in range(2):
        if raw:
            raw.close()
        raw, seconds = build_raw(folder / f"raw{turn}.db", papers)
        raw_times.append(seconds)
        store = await open_sqlite(folder / f"ours{turn}.db", readers=2)
        started = perf_counter()
        await PaperService(store).add(Listing(tuple(papers), ()), None, NOW, "bench")
        our_times.append(perf_counter() - started)
        if turn == 0:
            await store.close()
    assert raw is not None
    ours, theirs = number / min(our_times), number / min(raw_times)
    figures.append(
        Figure("import, papers a second", f"{ours:.0f}/s", f"{theirs:.0f}/s", ours / theirs, ">= 0.4")
    )
    gc.freeze()
    connection = raw
    asked = queries(connection, papers)
    pairs = [
        (_finder(store, text), lambda match=match: connection.execute(_RAW, (match, TOP)).fetchall())
        for text, match in asked
    ]
    mine, other = await _interleaved(pairs, rounds)
    figures.append(
        Figure(
            "find with count, median",
            _ms(median(mine)),
            _ms(median(other)),
            median(mine) / median(other),
            "<= 1.25",
        )
    )
    figures.append(
        Figure(
            "find with count, 95th percentile",
            _ms(_p95(mine)),
            _ms(_p95(other)),
            _p95(mine) / _p95(other),
            "<= 1.1",
        )
    )
    area = "Reinforcement Learning"
    pairs = [
        (
            _finder(store, f'{text} topic:"{area} ·"'),
            lambda match=match: connection.execute(_RAW_JOIN, (match, area, TOP)).fetchall(),
        )
        for text, match in asked
    ]
    mine, other = await _interleaved(pairs, rounds)
    figures.append(
        Figure(
            "topic filter beside a join, 95th percentile",
            _ms(_p95(mine)),
            _ms(_p95(other)),
            _p95(mine) / _p95(other),
            "<= 0.2",
        )
    )
    rng = random.Random(5)
    beginnings = [(rng.choice(papers).title or "x")[: rng.randint(1, 6)] for _ in range(100)]
    times = []
    for text in beginnings:
        beginning = parse_beginning(text)
        times.append(
            min(
                [
                    await _timed(
                        lambda b=beginning: store.read(lambda tx: search_sqlite.suggest_papers(tx, None, b))
                    )
                    for _ in range(rounds)
                ]
            )
        )
    figures.append(
        Figure(
            "autocomplete, 95th percentile (of 5 ms)",
            _ms(_p95(times)),
            "5.00 ms",
            _p95(times) / 0.005,
            "<= 1.0",
        )
    )
    times = []
    for paper_id in range(1, number, max(1, number // 50)):
        times.append(
            min(
                [
                    await _timed(
                        lambda i=paper_id: store.read(lambda tx: search_sqlite.similar_papers(tx, None, i))
                    )
                    for _ in range(rounds)
                ]
            )
        )
    figures.append(
        Figure(
            "similar, 95th percentile (of 50 ms)", _ms(_p95(times)), "50.00 ms", _p95(times) / 0.05, "<= 1.0"
        )
    )
    await store.close()
    raw.close()
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measure(Path(folder), options.papers, options.rounds))
    print(table(figures))
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
