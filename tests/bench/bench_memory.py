"""Resident memory at rest: the core with a catalogue, the program in Discord, in Slack and in both, and the preview
with a page open.

Run it by path: ``python tests/bench/bench_memory.py``. Each is measured in a process of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from figures import Figure, table

ROOT = Path(__file__).parents[2]
PAPERS = 10_000
CORE_MB = 60
DISCORD_MB = 80
SLACK_MB = 85
BOTH_MB = 95
PREVIEW_MB = 150
REST = 5.0
"""Seconds a page stands open before its server is measured."""


def resident_mb(process: int | str = "self") -> float:
    """Megabytes (10^6 bytes) of a process that are in memory now."""
    for line in Path(f"/proc/{process}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise OSError(f"no VmRSS of {process}")


def fill(path: Path, number: int) -> None:
    """A store with generated papers."""
    from generate import papers  # its words would be measured too

    from bot.papers.model import Listing
    from bot.papers.service import PaperService
    from bot.storage.sqlite import open_sqlite

    async def work() -> None:
        store = await open_sqlite(path)
        await PaperService(store).add(
            Listing(tuple(papers(number)), ()), None, datetime(2026, 1, 1, tzinfo=UTC), ""
        )
        await store.close()

    asyncio.run(work())


def core(path: Path, word: str) -> None:
    """Print the memory of the core and the terminal over a store, after a search for a word."""
    from adapters import cli, operate
    from adapters.compose import build, opened

    assert cli and operate

    async def work() -> float:
        async with opened(path) as store:
            found = await build(store).rooms.search.search(None, word, 1, 10)
            assert found.hits
            gc.collect()
            return resident_mb()

    print(asyncio.run(work()))


def _child(*argv: str) -> str:
    ran = subprocess.run(
        [sys.executable, __file__, *argv], capture_output=True, text=True, check=True, timeout=900
    )
    return ran.stdout.strip()


def core_mb(folder: Path, number: int) -> float:
    """Of the core and the terminal at rest, over `number` papers."""
    from generate import vocabulary

    path = folder / "memory.db"
    _child("fill", str(path), str(number))
    word = vocabulary(10)[9]
    return float(_child("core", str(path), word))


def discord_mb(folder: Path) -> float:
    """Of the whole program over the same store, in Discord, after a command was answered."""
    import bench_discord

    with (
        bench_discord.discord("ours") as lab,
        bench_discord.bot(bench_discord.program(folder / "memory.db"), lab.worlds["ours"], folder) as process,
    ):
        lab.do("ours", "ready", commands=True)
        assert lab.do("ours", "press", what="slash paper show: id=p1", count=1) == 1
        time.sleep(REST)
        return resident_mb(process.pid)


def slack_mb(folder: Path, *, both: bool = False) -> float:
    """Of the whole program over the same store, in Slack or in both, after a command was answered in each."""
    import bench_discord
    import bench_slack

    with contextlib.ExitStack() as opened:
        labs = [opened.enter_context(bench_slack.lab(name)) for name in ("slack", "discord")[: 1 + both]]
        argv, world = bench_discord.program(folder / "memory.db"), bench_slack.environment(*labs)
        process = opened.enter_context(bench_discord.bot(argv, world, folder))
        for each in labs:
            each.do("ready", port=0)
            assert each.do("show", paper="p1")
        time.sleep(REST)
        return resident_mb(process.pid)


def preview_mb(folder: Path) -> float:
    """Of the preview with one page open; fetched without a browser where there is no Chromium."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "adapters", "preview", "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--database", str(folder / "preview.db")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        assert server.stdout is not None
        address = server.stdout.readline()
        assert "127.0.0.1" in address, "the preview did not start"
        with _page(f"http://127.0.0.1:{port}/"):
            time.sleep(REST)
            return resident_mb(server.pid)
    finally:
        server.terminate()
        server.wait(30)


@contextlib.contextmanager
def _page(address: str) -> Iterator[None]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium here: the page is only fetched", file=sys.stderr)
        urllib.request.urlopen(address).read()
        yield
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as library:
        browser = library.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        browser.new_page().goto(address, wait_until="load")
        yield
        browser.close()


def measure(folder: Path, number: int = PAPERS) -> list[Figure]:
    """Each figure beside what it may be."""
    figures = []
    for name, found, most in (
        (f"core and terminal, {number:,} papers", core_mb(folder, number), CORE_MB),
        (f"in Discord, {number:,} papers", discord_mb(folder), DISCORD_MB),
        (f"in Slack, {number:,} papers", slack_mb(folder), SLACK_MB),
        (f"in both, {number:,} papers", slack_mb(folder, both=True), BOTH_MB),
        ("with the preview open", preview_mb(folder), PREVIEW_MB),
    ):
        figures.append(Figure(f"memory, {name}", f"{found:.0f} MB", f"{most} MB", found / most, "<= 1.0"))
    return figures


def main() -> int:
    match sys.argv[1:]:
        case ["fill", path, number]:
            fill(Path(path), int(number))
            return 0
        case ["core", path, word]:
            core(Path(path), word)
            return 0
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder))
    print(table(figures))
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
