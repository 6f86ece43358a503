"""The program as a process of its own, beside strict local platforms in processes of theirs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

ROOT = Path(__file__).parents[2]
OURS = re.compile(r"(PAPERCLUB|DISCORD|SLACK)_")
SECRET = re.compile(r"(DISCORD_TOKEN|SLACK_\w+_TOKEN|SLACK_\w+_SECRET)")
AT_ONCE = 10.0
"""Seconds in which a program that was asked to end is gone: one, but for a machine with much else to do."""


class Program:
    """The program, with what it wrote so far. Nothing it ever writes may hold a token."""

    def __init__(self, folder: Path, argv: Sequence[str], env: dict[str, str]) -> None:
        self._out, self._errors = folder / "out.txt", folder / "errors.txt"
        theirs = {name: value for name, value in os.environ.items() if not OURS.match(name)}
        ours = {"PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder / "data"), "LC_ALL": "C"}
        self.began = monotonic()
        with self._out.open("w") as out, self._errors.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, *argv], stdout=out, stderr=errors, cwd=folder, env={**theirs, **ours, **env}
            )

    @property
    def out(self) -> str:
        return self._out.read_text("utf-8")

    @property
    def errors(self) -> str:
        return self._errors.read_text("utf-8")

    def says(self, words: str, seconds: float = 40) -> None:
        """Wait until the words stand in what it wrote."""
        until = monotonic() + seconds
        while words not in self.out + self.errors:
            assert self.process.poll() is None and monotonic() < until, (words, self.out, self.errors)
            sleep(0.05)

    def ends(self, how: signal.Signals | None = None) -> tuple[int, float]:
        """Its exit status, and the seconds it took from the signal, or from the start."""
        began = self.began
        if how is not None:
            began = monotonic()
            self.process.send_signal(how)
        return self.process.wait(timeout=60), monotonic() - began


@contextmanager
def started(folder: Path, *argv: str, **env: str) -> Iterator[Program]:
    """`paperclub …` with its data in `folder`; killed at the end if it is still there."""
    folder.mkdir(exist_ok=True)
    program = Program(folder, ("-m", "adapters", *argv), {"DISCORD_READY_SECONDS": "0.2", **env})
    try:
        yield program
        told = program.out + program.errors
        for secret in [value for name, value in env.items() if SECRET.fullmatch(name) and value]:
            assert secret not in told and secret[-20:] not in told
        assert "Traceback" not in told, told
    finally:
        program.process.kill()
        program.process.wait()


class Lab:
    """A platform in a process of its own, which begins with what `seed` calls for."""

    def __init__(self, folder: Path, platform: str, seed: list[dict[str, Any]], *more: str) -> None:
        path = folder / f"{platform}-seed.json"
        path.write_text(json.dumps(seed))
        argv = ["-m", "tests.lab.chatlab", platform, "--seed", str(path), *more]
        self.process = subprocess.Popen([sys.executable, *argv], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.process.stdout is not None
        self.told = json.loads(self.process.stdout.readline())
        self.env: dict[str, str] = self.told["env"]

    def call(self, verb: str, **args: Any) -> Any:
        """What one of its verbs returns."""
        request = urllib.request.Request(f"{self.told['control']}/{verb}", data=json.dumps(args).encode())
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["result"]

    def ends(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=30)


@contextmanager
def a_lab(folder: Path, platform: str, seed: list[dict[str, Any]], *more: str) -> Iterator[Lab]:
    """A platform, ended at the end."""
    found = Lab(folder, platform, seed, *more)
    try:
        yield found
    finally:
        found.ends()


def loading(folder: Path, *modules: str) -> float:
    """Seconds this machine needs to load these, before anything can begin."""
    return Program(folder, ("-c", f"import {', '.join(modules)}"), {}).ends()[1]


def loaded(program: Program) -> set[str]:
    """The libraries a program run with `-X importtime` has imported."""
    names = re.findall(r"^import time:.*\| +(\S+)$", program.errors, re.M)
    return {name.partition(".")[0] for name in names}
