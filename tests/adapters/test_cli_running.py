"""`run --preview` and `preview` as processes: they start, they end when asked, and nothing is lost."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.lab.ports import free_port
from tests.lab.program import AT_ONCE

ROOT = Path(__file__).parents[2]


@contextmanager
def started(folder: Path, *argv: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """The program with its data in `folder`; killed at the end if it is still there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "adapters", *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "XDG_DATA_HOME": str(folder / "data"),
            "LC_ALL": "C",
            **env,
        },
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def address_of(process: subprocess.Popen[str]) -> str:
    """Where the page is, once it can be opened."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert "http://127.0.0.1:" in line, process.communicate()
    return next(word for word in line.split() if word.startswith("http"))


def ends(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str, float]:
    """Exit status, what stands on standard error, and the seconds it took."""
    asked = monotonic()
    process.send_signal(how)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors, monotonic() - asked


def test_the_preview_of_run_starts_twice_on_its_own_store_and_ends_when_asked(tmp_path: Path) -> None:
    port = str(free_port())
    for how in (signal.SIGTERM, signal.SIGINT):
        with started(
            tmp_path, "run", "--preview", "--port", port, PAPERCLUB_DATABASE_URL="sqlite:///real.db"
        ) as process:
            address = address_of(process)
            assert address == f"http://127.0.0.1:{port}"
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert answer.status == 200
            status, errors, seconds = ends(process, how)
        assert (status, errors) == (0, "")
        assert seconds < AT_ONCE
    assert not (tmp_path / "real.db").exists()
    folder = tmp_path / "data/paperclub"
    assert [path.name for path in folder.iterdir()] == ["preview.db"]
    with closing(sqlite3.connect(folder / "preview.db")) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.execute("SELECT COUNT(*) FROM club").fetchone() == (1,)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_start_that_is_broken_off_ends_well(tmp_path: Path, how: signal.Signals) -> None:
    with started(tmp_path, "preview", "--port", str(free_port())) as process:
        folder = tmp_path / "data/paperclub"
        while not folder.exists() and process.poll() is None:
            sleep(0.01)
        status, errors, _ = ends(process, how)
    assert (status, errors) == (0, "")


def test_a_port_in_use_is_said_in_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with started(tmp_path, "preview", "--database", "p.db", PAPERCLUB_PREVIEW_PORT=str(port)) as process:
            out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, errors.count("\n")) == (1, "", 1)
    assert str(port) in errors
