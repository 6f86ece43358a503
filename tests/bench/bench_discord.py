"""Discord: what a press costs beside the library alone, and five hundred members who vote within ten seconds.

Run it by path: ``python tests/bench/bench_discord.py [cost] [crowd]``. The bot, and Discord with its members, are
processes of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from figures import Figure, table

ROOT = Path(__file__).parents[2]
MEMBERS = 500
SECONDS = 10.0
DEADLINE = 3.0
LAST_STATE = 30.0
SPACING = 2.0
CANDIDATES = 10
PRESSES = 160
ROUNDS = 3
SEED = 7
KINDS = {
    "a press": ("press Vote / change my vote", "press My ballot"),
    "a command": ("slash paper show: id=p1", "slash paper search: query=learning", "slash paper nominations"),
}
"""What is measured: the open vote, and the commands that are typed most."""


# ---- the processes ----


class Discord:
    """The strict local server with its members; each world in it is one server with its own bot."""

    def __init__(self, *names: str, members: int = 1) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("bench_discord_members.py")), str(members), *names],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.worlds: dict[str, dict[str, Any]] = self._answer()

    def do(self, world: str, verb: str, **more: Any) -> Any:
        """Tell the members what to do, and wait until it is done."""
        assert self._process.stdin is not None
        print(json.dumps({"world": world, "do": verb, **more}), file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._process.kill()
        self._process.wait()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the members’ process ended")
        return json.loads(line)


@contextmanager
def discord(*names: str, members: int = 1) -> Iterator[Discord]:
    """Discord with so many members in each world; ended at the end."""
    opened = Discord(*names, members=members)
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def bot(argv: list[str], world: Mapping[str, Any], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A bot in its world, as a process; asked to end at the end."""
    env = {**os.environ, **world["env"], "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(folder)}
    env |= {"DISCORD_READY_SECONDS": "0.2", "PAPERCLUB_LOG": "warning"}
    process = subprocess.Popen([sys.executable, *argv], env=env, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(15)
        finally:
            process.kill()
            process.wait()


def program(path: Path) -> list[str]:
    """The whole program over a store, as it is started by hand."""
    return ["-m", "adapters", "run", "--database", str(path)]


def cpu_us(process: int) -> float:
    """Microseconds that all threads of a process have run so far."""
    spent = 0
    for thread in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):  # it ended meanwhile
            spent += int((thread / "schedstat").read_text("ascii").split()[0])
    return spent / 1000


# ---- the store ----


def stage(path: Path, world: Mapping[str, Any]) -> None:
    """A store with a club in the world's channel and a vote over ten papers that has just opened."""
    asyncio.run(_stage(path, world))


async def _stage(path: Path, world: Mapping[str, Any]) -> None:
    from generate import papers

    from bot.clubs import service as clubs
    from bot.clubs.model import Account, Asker, Place
    from bot.papers.model import Listing
    from bot.papers.service import PaperService
    from bot.rounds import service as rounds
    from bot.rounds.nominations import nominate
    from bot.storage.database import Tx
    from bot.storage.sqlite import open_sqlite

    now = datetime.now(UTC)
    before = now - timedelta(days=1)
    place = Place("discord", world["guild"], world["channel"], name="papers")

    def asker(number: int) -> Asker:
        return Asker(Account("discord", "", str(number)), place, f"Member {number}", admin=True)

    def open_vote(tx: Tx) -> None:
        club = clubs.setup(tx, asker(0), before, name="Readers", zone="UTC")
        for number in range(1, CANDIDATES + 1):
            nominate(tx, club, clubs.member_of(tx, club.id, asker(number), before), number, "", before)
        rounds.open_round(tx, club, now, now + timedelta(days=1))

    store = await open_sqlite(path)
    await PaperService(store).add(Listing(tuple(papers(500)), ()), None, before, "")
    await store.write(open_vote)
    await store.close()


def counted(path: Path) -> int:
    """Members with a ballot in the store."""
    from bot.storage.sqlite import open_sqlite

    async def look() -> int:
        store = await open_sqlite(path, read_only=True)
        rows = await store.read(lambda tx: tx.rows("SELECT COUNT(DISTINCT receipt) FROM ballot_event"))
        await store.close()
        return int(rows[0][0])

    return asyncio.run(look())


# ---- figures ----


def cost(folder: Path) -> dict[str, tuple[float, float]]:
    """Microseconds of CPU time of each bot's process, by what was pressed or typed: ours in all, and the library's.

    The library's is that of a plain bot which answers with one fixed sentence: taking the event from the gateway,
    building the interaction, handing it out, and one callback over HTTP. Ours does the same, and the adapter and the
    core beside it; the store answers from memory. The least of interleaved rounds.
    """
    here = Path(__file__).with_name("bench_discord_bots.py")
    path = folder / "cost.db"
    with discord("ours", "bare") as lab:
        stage(path, lab.worlds["ours"])
        with (
            bot([str(here), "ours", str(path)], lab.worlds["ours"], folder) as ours,
            bot([str(here), "bare"], lab.worlds["bare"], folder) as bare,
        ):
            lab.do("ours", "ready", commands=True)
            lab.do("bare", "ready", commands=False)
            lab.do("bare", "copy", **{"from": "ours"})
            whats = [what for group in KINDS.values() for what in group]
            best = {(what, name): float("inf") for what in whats for name in ("ours", "bare")}
            for turn in range(ROUNDS + 1):
                for what, name in best:
                    process = ours if name == "ours" else bare
                    count = PRESSES if turn else 20  # the first turn asks the store and warms both up
                    began = cpu_us(process.pid)
                    answered = lab.do(name, "press", what=what, count=count)
                    spent = (cpu_us(process.pid) - began) / count
                    assert answered == count, f"{name}: {answered} of {count} answered to {what}"
                    if turn:
                        best[what, name] = min(best[what, name], spent)
    return {what: (best[what, "ours"], best[what, "bare"]) for what in whats}


def crowd(folder: Path) -> dict[str, Any]:
    """What five hundred members found who voted within ten seconds, against the whole program."""
    path = folder / "crowd.db"
    with discord("ours", members=MEMBERS) as lab:
        stage(path, lab.worlds["ours"])
        with bot(program(path), lab.worlds["ours"], folder) as process:
            lab.do("ours", "ready", commands=True)
            lab.do("ours", "poll")
            began = cpu_us(process.pid)
            found: dict[str, Any] = lab.do("ours", "vote", seconds=SECONDS, seed=SEED)
            found["cpu"] = (cpu_us(process.pid) - began) / 1e6
    found["counted"] = counted(path)
    return found


def measure_cost(folder: Path) -> list[Figure]:
    """Our own time beside the library's own."""
    found = cost(folder)
    for what, (ours, bare) in found.items():
        print(f"discord, {what}: {ours:.0f} us in all, {bare:.0f} us by the library alone")
    figures = []
    for name, whats in KINDS.items():
        library = sum(found[what][1] for what in whats) / len(whats)
        own = sum(found[what][0] for what in whats) / len(whats) - library
        figures.append(
            Figure(
                f"discord, our own CPU time for {name}",
                f"{own:.0f} us",
                f"{library:.0f} us",
                own / library,
                "<= 1.0",
            )
        )
    return figures


def measure_crowd(folder: Path) -> list[Figure]:
    """The slowest answer, the ballots counted, and how often the vote was drawn."""
    found = crowd(folder)
    assert not found["faults"] and not found["internal"], (found["faults"][:3], found["internal"][:3])
    times = [DEADLINE * 9 if each is None else each for each in found["answered"]]
    slowest, drawn = max(times), found["redraws"]
    allowed = 1 + int((found["span"] + (found["last"] or 0.0)) / SPACING)
    last = LAST_STATE * 9 if found["last"] is None or str(MEMBERS) not in found["text"] else found["last"]
    print(
        f"discord, {MEMBERS} members in {SECONDS:.0f} s: {len(times)} answers, median {median(times) * 1000:.0f} ms,"
        f" slowest {slowest * 1000:.0f} ms; {found['forms']} forms, {found['counted']} ballots;"
        f" {drawn} redraws, never less than {found['least gap']:.2f} s apart;"
        f" {found['cpu']:.1f} s of CPU time in {found['span']:.1f} s"
    )
    who = f"{MEMBERS} in {SECONDS:.0f} s"
    return [
        Figure(
            f"discord, {who}: slowest answer",
            f"{slowest:.2f} s",
            f"{DEADLINE:.0f} s",
            slowest / DEADLINE,
            "<= 1.0",
        ),
        Figure(
            f"discord, {who}: ballots counted",
            str(found["counted"]),
            str(MEMBERS),
            found["counted"] / MEMBERS,
            ">= 1.0",
        ),
        Figure(f"discord, {who}: redraws", str(drawn), str(allowed), drawn / allowed, "<= 1.0"),
        Figure(
            f"discord, {who}: last state stands after",
            f"{last:.1f} s",
            f"{LAST_STATE:.0f} s",
            last / LAST_STATE,
            "<= 1.0",
        ),
    ]


MEASURES = {"cost": measure_cost, "crowd": measure_crowd}


def measure(folder: Path) -> list[Figure]:
    """Every figure of this file."""
    return [figure for each in MEASURES.values() for figure in each(folder)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        figures = [figure for name in sys.argv[1:] or MEASURES for figure in MEASURES[name](Path(folder))]
    print(table(figures))
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
