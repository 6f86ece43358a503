"""Slack: how soon a press is acknowledged, and five hundred members of one club on both platforms who vote within
ten seconds.

Run it by path: ``python tests/bench/bench_slack.py [acks] [crowd]``. The program, Slack and Discord with their
members are processes of their own. What is timed is ours alone: from the bytes of a call that arrive in the
program's process to the acknowledgement that leaves it; what the local server takes is told beside it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench_discord import CANDIDATES, DEADLINE, LAST_STATE, ROOT, SEED, SPACING, bot, cpu_us, program
from figures import Figure, table

MEMBERS = 250
"""On each side."""
LINKED = 100
"""Humans with an account on both."""
HUMANS = 2 * MEMBERS - LINKED
SECONDS = 10.0
EDITS = 40
"""Changes of messages Slack bears in a minute."""
ACKNOWLEDGED = 0.002
AT_ONCE = 40
A_SECOND = 1_000
PRESSES, BURSTS, ROUNDS = 60, 8, 3
WAYS = ("Socket Mode", "HTTP")
SIDES = ("slack", "discord")
TRIES = 2


# ---- the processes ----


class Lab:
    """A platform with its members."""

    def __init__(self, platform: str, members: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("bench_slack_members.py")), platform, str(members)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.pid = self._process.pid
        self.told: dict[str, Any] = self.answer()

    def begin(self, verb: str, **more: Any) -> None:
        """Tell the members what to do; `answer` gives what came of it."""
        assert self._process.stdin is not None
        print(json.dumps({"do": verb, **more}), file=self._process.stdin, flush=True)

    def answer(self) -> Any:
        """What came of the last thing they were told."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the members’ process ended")
        return json.loads(line)

    def do(self, verb: str, **more: Any) -> Any:
        """Tell the members what to do, and wait until it is done."""
        self.begin(verb, **more)
        return self.answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._process.kill()
        self._process.wait()


@contextmanager
def lab(platform: str, members: int = 1) -> Iterator[Lab]:
    """A platform with so many members in a channel; ended at the end."""
    opened = Lab(platform, members)
    try:
        yield opened
    finally:
        opened.close()


def environment(*labs: Lab, port: int = 0) -> dict[str, Any]:
    """What the program is started with, for every platform; with a `port` Slack calls it there."""
    env: dict[str, str] = {}
    for each in labs:
        env |= each.told["env"]
    if port:
        env |= {"SLACK_APP_TOKEN": "", "PAPERCLUB_HTTP_PORT": str(port)}
    return {"env": env}


# ---- the store ----


def stage(path: Path, slack: Lab, other: Lab | None = None, linked: int = 0) -> None:
    """A store with a club in the channels of one side or both, in which the first `linked` members of both sides are
    one human each, and a vote over ten papers that has just opened."""
    asyncio.run(_stage(path, slack.told, other.told if other else None, linked))


async def _stage(path: Path, slack: Mapping[str, Any], other: Mapping[str, Any] | None, linked: int) -> None:
    from generate import papers

    from bot.clubs import service as clubs
    from bot.clubs.model import Account, Asker, Place
    from bot.papers.model import Listing
    from bot.papers.service import PaperService
    from bot.rounds import service as rounds
    from bot.rounds.nominations import nominate
    from bot.storage import links
    from bot.storage.clubs import put_channel
    from bot.storage.database import Tx
    from bot.storage.sqlite import open_sqlite

    now = datetime.now(UTC)
    before = now - timedelta(days=1)
    place = Place("slack", slack["workspace"], slack["channel"], name="papers")

    def asker(account: Account, name: str) -> Asker:
        return Asker(account, place, name, admin=True)

    def open_vote(tx: Tx) -> None:
        first = asker(Account("slack", slack["workspace"], slack["members"][0]), "Member 0")
        club = clubs.setup(tx, first, before, name="Readers", zone="UTC")
        if other is not None:
            put_channel(
                tx, club.id, Place("discord", other["guild"], other["channel"], name="papers"), before
            )
        for number in range(linked):
            assert other is not None
            both = (
                Account("discord", "", other["members"][number]),
                Account("slack", slack["workspace"], slack["members"][number]),
            )
            here, there = (clubs.member_of(tx, club.id, asker(each, ""), before) for each in both)
            links.absorb(tx, here.id, there.id, before)
        for number in range(1, CANDIDATES + 1):
            # those who have no vote: a limit is for one member
            who = asker(Account("slack", slack["workspace"], f"U{number}"), f"Member {number}")
            nominate(tx, club, clubs.member_of(tx, club.id, who, before), number, "", before)
        rounds.open_round(tx, club, now, now + timedelta(days=1))

    store = await open_sqlite(path)
    await PaperService(store).add(Listing(tuple(papers(500)), ()), None, before, "")
    await store.write(open_vote)
    await store.close()


@dataclass(frozen=True, slots=True)
class Counted:
    """What the store holds after the vote: ballots, those of humans on both sides, and the papers of each account's."""

    ballots: int
    linked: int
    papers: dict[str, set[str]]


def counted(path: Path) -> Counted:
    """The ballots in the store."""
    from bot.storage import links
    from bot.storage.ballots import count_voted, load_positions, replay
    from bot.storage.database import Tx
    from bot.storage.sqlite import open_sqlite

    def look(tx: Tx) -> Counted:
        found = {
            each.member_id: load_positions(each.payload) for each in replay(tx, 1) if each.payload is not None
        }
        papers = {int(row[0]): f"p{row[1]}" for row in tx.rows("SELECT position, paper_id FROM candidate")}
        rows = tx.rows("SELECT native_id, member_id FROM account")
        ticked = {str(row[0]): {papers[each] for each in found[row[1]]} for row in rows if row[1] in found}
        return Counted(count_voted(tx, 1), links.count_linked(tx, 1, 1) or 0, ticked)

    async def work() -> Counted:
        store = await open_sqlite(path, read_only=True)
        try:
            return await store.read(look)
        finally:
            await store.close()

    return asyncio.run(work())


# ---- figures ----


@dataclass(frozen=True, slots=True)
class Note:
    """A call that arrived, or an acknowledgement that left: by the machine's clock, and by the CPU time of the one
    thread that does it."""

    left: bool
    at: float
    spent: float


@dataclass(frozen=True, slots=True)
class Acks:
    """Of one way: seconds to each acknowledgement in the best round, inside and seen from outside; and how many a
    second left in each burst, by the CPU time of the program and by the clock."""

    inside: list[float]
    outside: list[float]
    rates: list[float]
    by_the_clock: list[float]


def acks(folder: Path, way: str) -> Acks:
    """How soon presses are acknowledged by the whole program, which works on each answer in full."""
    path, notes = folder / f"{way[:4]}.db", folder / f"{way[:4]}.txt"
    port = 0 if way == WAYS[0] else _free_port()
    with lab("slack", AT_ONCE) as slack:
        stage(path, slack)
        argv = [str(Path(__file__).with_name("bench_slack_bot.py")), str(notes), *program(path)[2:]]
        with bot(argv, environment(slack, port=port), folder):
            slack.do("ready", port=port)
            slack.do("poll")
            slack.do("burst", at_once=AT_ONCE, times=1)  # every member is known after that
            pressed = [slack.do("press", count=PRESSES) for _ in range(ROUNDS)]
            bursts = [slack.do("burst", at_once=AT_ONCE, times=BURSTS) for _ in range(ROUNDS)]
    noted = [_note(line) for line in notes.read_text("ascii").splitlines()]
    inside = [[_each(noted, *span) for span in turn["spans"]] for turn in pressed]
    best = min(range(ROUNDS), key=lambda turn: median(inside[turn]))
    spent, clock = zip(*(_rates(noted, *span) for turn in bursts for span in turn["spans"]), strict=True)
    return Acks(inside[best], pressed[best]["outside"], list(spent), list(clock))


def _note(line: str) -> Note:
    which, at, spent = line.split()
    return Note(which == "out", float(at), float(spent))


def _each(noted: Sequence[Note], began: float, ended: float) -> float:
    """Seconds from one press that arrived to its acknowledgement."""
    out = next(note.at for note in noted if note.left and began <= note.at <= ended)
    return out - max(note.at for note in noted if not note.left and began <= note.at <= out)


def _rates(noted: Sequence[Note], began: float, ended: float) -> tuple[float, float]:
    """How many a second of a burst were acknowledged, from the first that arrived to the last that left."""
    within = [note for note in noted if began <= note.at <= ended]
    first = next(note for note in within if not note.left)
    left = [note for note in within if note.left]
    assert len(left) == AT_ONCE, f"{len(left)} of {AT_ONCE} were acknowledged"
    return AT_ONCE / (left[-1].spent - first.spent), AT_ONCE / (left[-1].at - first.at)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def crowd(folder: Path) -> dict[str, Any]:
    """What five hundred members found who voted within ten seconds on both sides, against the whole program."""
    path = folder / "both.db"
    with lab("slack", MEMBERS) as slack, lab("discord", MEMBERS) as discord:
        stage(path, slack, discord, LINKED)
        with bot(program(path), environment(slack, discord), folder) as process:
            sides = {"slack": slack, "discord": discord}
            slack.do("ready", port=0)
            discord.do("ready")
            for side in sides.values():
                side.do("poll")
            began = cpu_us(process.pid)
            for number, side in enumerate(sides.values()):
                side.begin("vote", seconds=SECONDS, seed=SEED + number)
            found: dict[str, Any] = {name: side.answer() for name, side in sides.items()}
            found["cpu"] = (cpu_us(process.pid) - began) / 1e6
            found |= {f"{name} cpu": cpu_us(side.pid) / 1e6 for name, side in sides.items()}
        found["pairs"] = list(zip(slack.told["members"], discord.told["members"], strict=True))
    found["counted"] = counted(path)
    return found


def measure_acks(folder: Path) -> list[Figure]:
    """Acknowledgements by socket and by HTTP, one after another and many at once."""
    figures = []
    for way in WAYS:
        found = acks(folder, way)
        typical, late = median(found.inside), quantiles(found.inside, n=20)[-1]
        rate, clock = max(found.rates), found.by_the_clock
        many = f"{median(found.rates):.0f} a second of CPU time, {rate:.0f} in the best burst"
        print(
            f"slack by {way}: acknowledged after {typical * 1000:.2f} ms (95 of 100 within {late * 1000:.2f} ms);"
            f" seen from outside {median(found.outside) * 1000:.2f} ms, the rest is the local server’s;"
            f" {AT_ONCE} at once: {many}, {min(clock):.0f} to {max(clock):.0f} by the clock"
        )
        figures += [
            Figure(
                f"slack, {way}: a press acknowledged",
                f"{typical * 1000:.2f} ms",
                f"{ACKNOWLEDGED * 1000:.0f} ms",
                typical / ACKNOWLEDGED,
                "<= 1.0",
            ),
            Figure(
                f"slack, {way}: acknowledged, {AT_ONCE} at once",
                f"{rate:.0f}/s",
                f"{A_SECOND}/s",
                rate / A_SECOND,
                ">= 1.0",
            ),
        ]
    return figures


def measure_crowd(folder: Path) -> list[Figure]:
    """The slowest answer, the ballots counted, whose is whose, and how often the vote was drawn: of the best of a few
    tries, since three processes share what the machine gives them."""
    for turn in range(TRIES):
        where = folder / str(turn)
        where.mkdir()
        found = crowd(where)
        if max(_times(found)) <= DEADLINE:
            break
        print(f"both: the slowest answer took {max(_times(found)):.1f} s, where 27 s is none at all")
    sides: dict[str, dict[str, Any]] = {name: found[name] for name in SIDES}
    times = _times(found)
    wrong = [each for side in sides.values() for each in (*side["faults"], *side["internal"])]
    assert not wrong or max(times) > DEADLINE, wrong[:3]  # what is late is refused as well
    stands = all(side["last"] is not None and str(HUMANS) in side["text"] for side in sides.values())
    last = max(side["last"] for side in sides.values()) if stands else LAST_STATE * 9
    count: Counted = found["counted"]
    right, sure = _as_said(found["pairs"], sides, count)
    minute = _busiest_minute(sides["slack"]["redraws"])
    drawn = sides["discord"]["redraws"]
    allowed = 1 + int((sides["discord"]["span"] + (sides["discord"]["last"] or 0.0)) / SPACING)
    print(
        f"both, {2 * MEMBERS} members in {SECONDS:.0f} s: {len(times)} answers, median {median(times) * 1000:.0f} ms,"
        f" slowest {max(times):.2f} s; {count.ballots} ballots of {HUMANS} humans,"
        f" {count.linked} of them on both sides;"
        f" of {sure} whose last word is known {right} stand so;"
        f" {minute} redraws in Slack, {drawn} in Discord, never less than"
        f" {sides['discord']['least gap']:.2f} s apart; {found['cpu']:.1f} s of CPU time, and"
        f" {found['slack cpu']:.1f} + {found['discord cpu']:.1f} s of the local servers’"
    )
    who = f"both, {2 * MEMBERS} in {SECONDS:.0f} s"
    return [
        Figure(
            f"{who}: slowest answer",
            f"{max(times):.2f} s",
            f"{DEADLINE:.0f} s",
            max(times) / DEADLINE,
            "<= 1.0",
        ),
        Figure(f"{who}: ballots", str(count.ballots), str(HUMANS), count.ballots / HUMANS, ">= 1.0"),
        Figure(f"{who}: a ballot a human", str(count.ballots), str(HUMANS), count.ballots / HUMANS, "<= 1.0"),
        Figure(f"{who}: the last counts", str(right), str(sure), right / max(sure, 1), ">= 1.0"),
        Figure(f"{who}: Slack’s redraws", str(minute), f"{EDITS}/min", minute / EDITS, "<= 1.0"),
        Figure(f"{who}: Discord’s redraws", str(drawn), str(allowed), drawn / allowed, "<= 1.0"),
        Figure(
            f"{who}: last state stands",
            f"{last:.1f} s",
            f"{LAST_STATE:.0f} s",
            last / LAST_STATE,
            "<= 1.0",
        ),
    ]


def _times(found: Mapping[str, Any]) -> list[float]:
    """Seconds to every answer on both sides; of one that never came, and of a form that was not sent, many."""
    answered = [each for name in SIDES for each in found[name]["answered"]]
    answered += [None for name in SIDES for _ in range(MEMBERS - found[name]["forms"])]
    return [DEADLINE * 9 if each is None else each for each in answered]


def _as_said(pairs: Sequence[tuple[str, str]], sides: Mapping[str, Any], count: Counted) -> tuple[int, int]:
    """How many humans have the ballot they sent last, of those of whom the last is known: two forms that were under
    way at once may count in either order."""
    right = sure = 0
    said = sides["slack"]["said"], sides["discord"]["said"]
    for number, pair in enumerate(pairs):
        sent = [(each[account], account) for each, account in zip(said, pair, strict=True) if account in each]
        if number < LINKED:
            sent = sorted(sent)[-1:] if len(sent) == 2 and max(sent)[0][0] > min(sent)[0][1] else []
        for (_, _, ticked), account in sent:
            sure += 1
            right += set(ticked) == count.papers.get(account)
    return right, sure


def _busiest_minute(moments: Sequence[float]) -> int:
    """The most that happened within any minute."""
    return max((sum(began <= each < began + 60 for each in moments) for began in moments), default=0)


MEASURES = {"acks": measure_acks, "crowd": measure_crowd}


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
