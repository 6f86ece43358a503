"""Every figure in one table: `python tests/bench/run.py [--papers N] [--rounds N] [NAME …]`.

A ratio is ours to the raw thing, measured in turn in the same run, or to the number a figure must keep to.
The status is 1 where a figure misses its target.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import bench_ballots
import bench_clock
import bench_count
import bench_discord
import bench_listing
import bench_memory
import bench_search
import bench_slack
import bench_store
from figures import Figure, table

Bench = Callable[[Path, int, int], list[Figure]]


def _listing(folder: Path, papers: int, rounds: int) -> list[Figure]:
    speeds = bench_listing.bench_listing()
    return [
        Figure(
            f"listing, {name} pages (of 50 MB/s)",
            f"{speeds[f'parse {name}']:.0f} MB/s",
            f"{speeds[f'split {name}']:.0f} MB/s",
            speeds[f"parse {name}"] / 50,
            ">= 1.0",
        )
        for name in ("starter", "made")
    ]


def _search(folder: Path, papers: int, rounds: int) -> list[Figure]:
    return asyncio.run(bench_search.measure(folder, papers, rounds))


def _store(folder: Path, papers: int, rounds: int) -> list[Figure]:
    return asyncio.run(bench_store.measure(folder, rounds))


def _ballots(folder: Path, papers: int, rounds: int) -> list[Figure]:
    found = bench_ballots.bench_ballots()
    ours, raw = f"{found['ours']:.0f}/s", f"{found['raw']:.0f}/s"
    return [
        Figure("ballots, 64 at once (of 10,000 a second)", ours, raw, found["ours"] / 10_000, ">= 1.0"),
        Figure("ballots beside a transaction each", ours, raw, found["ratio"], ">= 10"),
    ]


def _count(folder: Path, papers: int, rounds: int) -> list[Figure]:
    found = bench_count.bench_count()
    whole = [
        Figure(
            f"10,000 ballots checked and counted, {name}",
            f"{found[name] * 1e3:.0f} ms",
            f"{found[f'raw {name}'] * 1e3:.0f} ms",
            found[name] / limit,
            "<= 1.0",
        )
        for name, limit in bench_count.LIMITS.items()
    ]
    limit = bench_count.METHOD_LIMIT
    alone = {name: spent for name, spent in found.items() if name.startswith("method ")}
    return whole + [
        Figure(f"300 x 25, {name}", f"{spent * 1e3:.1f} ms", f"{limit * 1e3:.0f} ms", spent / limit, "<= 1.0")
        for name, spent in alone.items()
    ]


def _clock(folder: Path, papers: int, rounds: int) -> list[Figure]:
    found = bench_clock.bench_clock()
    ours, raw = found["next local time, us"], found["the same by CronTrigger, us"]
    return [
        Figure("next local time beside CronTrigger", f"{ours:.1f} us", f"{raw:.1f} us", ours / raw, "<= 1.0")
    ]


def _memory(folder: Path, papers: int, rounds: int) -> list[Figure]:
    return bench_memory.measure(folder, min(papers, bench_memory.PAPERS))


def _discord(folder: Path, papers: int, rounds: int) -> list[Figure]:
    return bench_discord.measure(folder)


def _slack(folder: Path, papers: int, rounds: int) -> list[Figure]:
    return bench_slack.measure(folder)


BENCHES: dict[str, Bench] = {
    "listing": _listing,
    "search": _search,
    "store": _store,
    "ballots": _ballots,
    "count": _count,
    "clock": _clock,
    "discord": _discord,
    "slack": _slack,
    "memory": _memory,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of: {', '.join(BENCHES)}")
    parser.add_argument("--papers", type=int, default=100_000, help="generated papers for search and import")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds of which the least counts")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHES):
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    figures: list[Figure] = []
    for name in options.names or BENCHES:
        print(f"{name} …", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
            figures += BENCHES[name](Path(folder), options.papers, options.rounds)
        gc.unfreeze()
        gc.collect()
    print(table(figures))
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
