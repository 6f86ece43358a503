"""How fast listings become papers, beside the least that any reader must do: decode and split at blank lines.

Run it by path: ``python tests/bench/bench_listing.py``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from bot.papers.listing import HEADER, parse_listing
from bot.starter import starter_pages

SIZE = 20_000_000
ROUNDS = 3


def bench_listing() -> dict[str, float]:
    """Megabytes a second of the parser and of ``split``, on starter pages and on made ones; printed too.

    Each figure is the best of three rounds in which all take turns, so that a busy machine slows all alike.
    """
    pages = {"starter": _repeated("\n\n".join(data.decode() for _, data in starter_pages())), "made": _made()}
    work: dict[str, Callable[[], object]] = {}
    for name, data in pages.items():
        work[f"split {name}"] = partial(_split, data)
        work[f"parse {name}"] = partial(parse_listing, data)
    best = dict.fromkeys(work, float("inf"))
    for _ in range(ROUNDS):
        for name, run in work.items():
            start = time.perf_counter()
            result = run()
            best[name] = min(best[name], time.perf_counter() - start)
            del result
    speeds = {name: len(pages[name.split()[1]]) / seconds / 1e6 for name, seconds in best.items()}
    for name in pages:
        parse, split = speeds[f"parse {name}"], speeds[f"split {name}"]
        print(
            f"listing, {name} pages: {parse:.0f} MB/s, {parse / split:.2f} of split alone ({split:.0f} MB/s)"
        )
    return speeds


def _split(data: bytes) -> list[str]:
    return data.decode().split("\n\n")


def _repeated(page: str) -> bytes:
    data = page.encode()
    return (data + b"\n\n") * (SIZE // (len(data) + 2))


def _made() -> bytes:
    """A page of generated entries, every fourth without a topic; no two abstracts are alike."""
    sentence = (
        "We show that method {} is faster than method {}, by 12--15\\%, on all of ten public sets of data. "
    )
    blocks = [HEADER]
    size = 0
    for number in range(SIZE):
        if number % 4:
            blocks.append(f"Area {number % 9} · Subarea {number % 50}, and More")
        blocks.append(", ".join(f"Given{number + place} Family{number * place}" for place in range(5)))
        blocks.append("".join(sentence.format(number, place) for place in range(12)).rstrip())
        size += len(blocks[-1]) + 120
        if size >= SIZE:
            break
    return "\n\n".join(blocks).encode()


if __name__ == "__main__":
    bench_listing()
