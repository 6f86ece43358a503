"""In any order of what can happen in a vote, the counts are those of distinct voters and the log holds."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clubs import service as clubs
from bot.errors import Conflict
from bot.rounds import ballots, nominations, replay
from bot.rounds import service as rounds
from bot.rounds.log import Event, first_fault
from bot.rounds.turnout import turnout_of
from bot.storage import ballots as store
from bot.storage.database import Tx
from bot.storage.sqlite import open_sqlite
from tests.clubs.test_links import ACCOUNTS, CANDIDATES, STEPS, Model, Reality, Step, begin, on, play

OTHERS = st.lists(st.sampled_from([("restart",), *(("paper", n) for n in range(1, CANDIDATES))]), max_size=4)


class Lived(Reality):
    """The vote of the tests of linking, whose store is also opened anew and whose papers are also withdrawn."""

    def __init__(self, path: Path, reality: Reality) -> None:
        super().__init__(reality.database, reality.club, reality.over)
        self.path = path
        self.gone: set[int] = set()
        self.log: list[Event] = []
        self.receipts: dict[int, str] = {}

    async def other(self, step: Step) -> None:
        if step[0] == "restart":
            await self.database.close()
            self.database = await open_sqlite(self.path, readers=1)
            return
        self.now += timedelta(minutes=1)
        nomination = self.over.candidates[step[1] - 1].nomination_id

        def remove(tx: Tx) -> None:
            organiser = clubs.member_of(tx, self.club.id, on("discord", 99, admin=True), self.now)
            nominations.remove(tx, self.club.id, organiser, nomination, "", self.now)

        try:
            await self.database.write(remove)
        except Conflict:
            assert step[1] in self.gone
        self.gone.add(step[1])
        self.over = await self.database.read(lambda tx: rounds.get_round(tx, self.club.id, self.over.id))

    async def look(self, model: Model) -> None:
        """Compare with the model; the log and the receipts only grow."""
        over, counted, turnout, log, receipts = await self.database.read(
            lambda tx: (
                rounds.get_round(tx, self.club.id, self.over.id),
                replay.lines(tx, self.over),
                turnout_of(tx, self.over),
                store.log_of(tx, self.over.id),
                {member: receipt for member, _, receipt in store.receipts_of(tx, self.over.id)},
            )
        )
        stand = [human.ballot[1] - self.gone for human in model.humans if human.ballot is not None]
        got = [frozenset(line.positions) for line in counted]
        assert sorted(map(sorted, got)) == sorted(map(sorted, stand))
        assert turnout.voted == len(stand) == len({line.member_id for line in counted})
        assert first_fault(over.id, over.opening_head, log) is None
        assert over.head == (log[-1].hash if log else over.opening_head)
        assert log[: len(self.log)] == self.log
        assert receipts.items() >= self.receipts.items()
        self.log, self.receipts = log, receipts


@given(steps=STEPS, others=OTHERS, data=st.data())
@settings(max_examples=30, deadline=None)
def test_the_counts_are_those_of_distinct_voters(
    steps: list[Step], others: list[Step], data: st.DataObject
) -> None:
    order: list[Step] = list(steps)
    for other in others:
        order.insert(data.draw(st.integers(0, len(order))), other)

    async def live(path: Path) -> None:
        _, reality = await begin(path)
        lived, model = Lived(path, reality), Model()
        for number, step in enumerate(order):
            if step[0] in ("restart", "paper"):
                await lived.other(step)
            else:
                done = await lived.do(step)
                if step[0] == "cast":
                    step = ("cast", step[1], step[2] - lived.gone)
                assert done == play(model, step, number)
            await lived.look(model)
        close = lambda tx: rounds.close_round(tx, lived.club.id, lived.over.id, lived.now)  # noqa: E731
        result = await lived.database.write(close)
        stand = [human.ballot[1] - lived.gone for human in model.humans if human.ballot is not None]
        assert (result.ballots, result.non_blank) == (len(stand), len([each for each in stand if each]))
        assert sum(result.votes.values()) == sum(map(len, stand))
        assert result.head == (lived.log[-1].hash if lived.log else lived.over.opening_head)
        await lived.database.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(live(Path(folder) / "paperclub.db"))


async def test_one_member_on_both_sides_at_the_same_instant_has_one_ballot(tmp_path: Path) -> None:
    database, reality = await begin(tmp_path / "paperclub.db")
    await reality.do(("link", 0, 1))
    now = reality.now + timedelta(minutes=1)

    async def press(account: int, position: int) -> None:
        def cast(tx: Tx) -> None:
            member = clubs.member_of(tx, reality.club.id, ACCOUNTS[account], now)
            ballots.cast(tx, reality.over.id, member, (position,), now)

        await database.write(cast)

    await asyncio.gather(*(press(number % 2, number % CANDIDATES + 1) for number in range(6)))
    (line,) = await database.read(lambda tx: replay.lines(tx, reality.over))
    assert line.positions in {(1,), (2,), (3,)}
    assert len({event.receipt for event in await database.read(lambda tx: store.log_of(tx, 1))}) == 1
    await database.close()
