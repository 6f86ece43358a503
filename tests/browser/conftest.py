"""A real preview in a process of its own, and a real Chromium to look at it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

# The demo begins this morning. A week told in a test needs a Monday, whatever day it is.
ON_A_MONDAY = """
from datetime import datetime
import adapters.cli, adapters.preview.demo
adapters.preview.demo.real_now = lambda: datetime.fromisoformat("2026-11-30T08:30:00+00:00")
raise SystemExit(adapters.cli.main())
"""


def chromium() -> str | None:
    """Where Chromium is: on the path, else where Playwright put its own."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is not None:
        return found
    own = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright")
    return next(
        (str(path) for path in sorted(own.glob("chromium-*/chrome-linux*/chrome"), reverse=True)), None
    )


class Server:
    """`paperclub preview` on a port and a database of its own; can be ended and started again."""

    def __init__(self, database: Path) -> None:
        self.database = database
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.running: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Until the page can be opened."""
        asked = ["preview", "--port", str(self.port), "--database", str(self.database)]
        command = ["-c", ON_A_MONDAY, *asked]
        self.running = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
        assert self.running.stdout is not None
        assert str(self.port) in self.running.stdout.readline()

    def end(self) -> None:
        """As an operator ends it; fails if that does not happen soon, or loses its head."""
        if self.running is not None and self.running.stdout is not None:
            self.running.send_signal(signal.SIGTERM)
            try:
                assert self.running.wait(10) == 0
            finally:
                self.running.kill()
                self.running.stdout.close()
                self.running.wait()
                self.running = None


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A preview nobody has looked at yet."""
    yield from _served(tmp_path / "preview.db")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A preview that several tests look at, one after the other."""
    yield from _served(tmp_path_factory.mktemp("shared") / "preview.db")


def _served(database: Path) -> Iterator[Server]:
    started = Server(database)
    started.start()
    yield started
    started.end()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    path = chromium()
    if path is None:
        if os.environ.get("PAPERCLUB_REQUIRE_BROWSER") == "1":
            pytest.fail("no Chromium on this machine, and PAPERCLUB_REQUIRE_BROWSER=1 asks for one")
        pytest.skip("no Chromium on this machine")
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield launched
        await launched.close()
