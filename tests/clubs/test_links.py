"""One human, one ballot, whatever is cast, changed, withdrawn, linked and taken apart, in whatever order."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clubs import linking
from bot.clubs import service as clubs
from bot.clubs.model import Asker, Club
from bot.errors import Conflict, NotAllowed
from bot.rounds import ballots, nominations, replay
from bot.rounds import service as rounds
from bot.rounds.model import Ballot, Round
from bot.rounds.turnout import turnout_of
from bot.storage import links
from bot.storage.database import Database, Tx
from bot.storage.rounds import find_result
from bot.storage.sqlite import open_sqlite
from tests.lab.house import MONDAY, on
from tests.lab.stage import stage_papers

PEOPLE = 3
ACCOUNTS = [on(side, n) for n in range(1, PEOPLE + 1) for side in ("discord", "slack")]
"""In the order in which they became members: of two that are linked the earlier is the first."""
CANDIDATES = 3
MINUTE = timedelta(minutes=1)

Positions = frozenset[int]
Step = tuple[Any, ...]
one = st.integers(0, len(ACCOUNTS) - 1)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("cast"), one, st.frozensets(st.integers(1, CANDIDATES))),
        st.tuples(st.just("withdraw"), one),
        st.tuples(st.just("link"), one, one),
        st.tuples(st.just("unlink"), one),
    ),
    max_size=25,
)


@dataclass
class Human:
    """What should be so of one member: their accounts, and the ballot with the number of the step that cast it."""

    accounts: list[int]
    ballot: tuple[int, Positions] | None = None
    apart: bool = False


@dataclass
class Model:
    """The round as a person would keep it on paper."""

    humans: list[Human] = field(default_factory=lambda: [Human([n]) for n in range(len(ACCOUNTS))])

    def of(self, account: int) -> Human:
        return next(human for human in self.humans if account in human.accounts)

    def cast(self, account: int, positions: Positions, step: int) -> bool:
        human = self.of(account)
        if human.apart:
            return False
        if human.ballot is None or human.ballot[1] != positions:
            human.ballot = (step, positions)
        return True

    def link(self, a: int, b: int, step: int) -> bool:
        one, other = self.of(a), self.of(b)
        sides = [ACCOUNTS[each].account.platform for each in (*one.accounts, *other.accounts)]
        if one is other or len(set(sides)) < len(sides):
            return False
        later = [human.ballot for human in (one, other) if human.ballot is not None]
        self.humans = [human for human in self.humans if human not in (one, other)]
        ballot = max(later, default=None)
        first = min((one, other), key=lambda human: human.accounts[0])
        if ballot is not None and ballot is not first.ballot:
            ballot = (step, ballot[1])
        self.humans.append(Human(sorted((*one.accounts, *other.accounts)), ballot, one.apart and other.apart))
        return True

    def unlink(self, account: int) -> bool:
        human = self.of(account)
        if len(human.accounts) < 2:
            return False
        self.humans.append(Human([human.accounts.pop()], None, True))
        return True


class Reality:
    """The same through the services, each step a transaction of its own."""

    def __init__(self, database: Database, club: Club, over: Round) -> None:
        self.database, self.club, self.over = database, club, over
        self.now = over.opens_at + MINUTE

    async def do(self, step: Step) -> bool:
        self.now += MINUTE
        try:
            return await self.database.write(lambda tx: self._do(tx, step))
        except (Conflict, NotAllowed):
            return False

    def _do(self, tx: Tx, step: Step) -> bool:
        what, who = step[0], ACCOUNTS[step[1]]
        member = clubs.member_of(tx, self.club.id, who, self.now)
        match what:
            case "cast":
                ballots.cast(tx, self.over.id, member, step[2], self.now)
            case "withdraw":
                ballots.withdraw(tx, self.over.id, member, self.now)
            case "link":
                other = clubs.member_of(tx, self.club.id, ACCOUNTS[step[2]], self.now)
                linking.merge(tx, self.club.id, member.id, other.id, self.now)
            case "unlink":
                leaves, _ = linking.find_apart(tx, self.club.id, who.account)
                linking.unlink(tx, self.club.id, who, leaves.id, self.now)
        return True

    async def events(self) -> list[tuple[Any, ...]]:
        rows = await self.database.read(
            lambda tx: tx.rows("SELECT seq, receipt, at, payload, hash FROM ballot_event ORDER BY seq")
        )
        return [tuple(row[n] for n in range(5)) for row in rows]

    async def ballot(self, who: Asker) -> Ballot:
        def read(tx: Tx) -> Ballot:
            member = clubs.find_member(tx, self.club.id, who.account)
            assert member is not None
            return ballots.current(tx, self.over, member.id)

        return await self.database.read(read)


async def begin(path: Path) -> tuple[Database, Reality]:
    """A club on both sides, whose members are there in a known order, with a vote that has just opened."""
    database = await open_sqlite(path, readers=1)

    def found(tx: Tx) -> tuple[Club, Round]:
        club = clubs.setup(tx, on("discord", 99, admin=True), MONDAY, name="Readers", zone="UTC")
        there = on("slack", 99, admin=True)
        linking.offer_club(tx, club, on("discord", 99), "AAAA3333", MONDAY)
        joined = linking.join(tx, there, "AAAA3333", MONDAY)
        assert joined is not None
        members = [clubs.member_of(tx, club.id, who, MONDAY) for who in ACCOUNTS]
        papers = stage_papers(tx, [("Area", None)] * CANDIDATES, MONDAY)
        for number, paper in enumerate(papers):
            nominations.nominate(tx, joined[0], members[number], paper, "", MONDAY)
        return joined[0], rounds.open_round(tx, joined[0], MONDAY + timedelta(days=1))

    return database, Reality(database, *await database.write(found))


async def agree(model: Model, reality: Reality) -> None:
    """The store says what the model says, and every ballot is one human's."""
    voted = [human for human in model.humans if human.ballot is not None]
    turnout, tally, over = await reality.database.read(
        lambda tx: (
            turnout_of(tx, reality.over),
            replay.tally(tx, reality.over),
            rounds.get_round(tx, reality.club.id, reality.over.id),
        )
    )
    assert over.state == "voting"
    assert turnout.voted == len(voted) == tally.steps[0].values["ballots"]
    assert turnout.linked == sum(len(human.accounts) > 1 for human in voted)
    assert tally.scores == {
        str(n): sum(n in human.ballot[1] for human in voted if human.ballot) for n in range(1, CANDIDATES + 1)
    }
    for human in model.humans:
        for account in human.accounts:
            stands = (await reality.ballot(ACCOUNTS[account])).positions
            assert stands == (None if human.ballot is None else tuple(sorted(human.ballot[1])))


@given(steps=STEPS, closes=st.integers(0, 25))
@settings(max_examples=60, deadline=None)
def test_every_human_has_one_ballot_in_any_order_of_what_can_happen(steps: list[Step], closes: int) -> None:
    async def live(path: Path) -> None:
        database, reality = await begin(path)
        model, log = Model(), await reality.events()
        for number, step in enumerate(steps[:closes]):
            expected = play(model, step, number)
            assert await reality.do(step) == expected, (step, number)
            assert (await reality.events())[: len(log)] == log  # nothing that was said is ever changed
            log = await reality.events()
            await agree(model, reality)
        close = lambda tx: rounds.close_round(tx, reality.club.id, reality.over.id, reality.now)  # noqa: E731
        result = await database.write(close)
        assert result.ballots == sum(human.ballot is not None for human in model.humans)
        for step in steps[closes:]:
            done = await reality.do(step)
            assert not (done and step[0] in ("cast", "withdraw"))
        read = lambda tx: find_result(tx, reality.club.id, reality.over.id)  # noqa: E731
        later = await database.read(read)
        # All that was counted is frozen; whose a nomination is that still stands on the list is not.
        assert later is not None and replace(later, round=result.round) == result
        assert await reality.events() == log
        await database.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(live(Path(folder) / "paperclub.db"))


def play(model: Model, step: Step, number: int) -> bool:
    match step[0]:
        case "cast":
            return model.cast(step[1], step[2], number)
        case "withdraw":
            model.of(step[1]).ballot = None
            return True
        case "link":
            return model.link(step[1], step[2], number)
        case _:
            return model.unlink(step[1])


@pytest.mark.parametrize("order", ["link first", "ballot first"])
async def test_linking_at_the_instant_of_a_press_leaves_one_ballot(tmp_path: Path, order: str) -> None:
    database, reality = await begin(tmp_path / "paperclub.db")
    await reality.do(("cast", 0, frozenset({1})))
    steps: list[Step] = [("link", 0, 1), ("cast", 1, frozenset({2}))]
    reality.now += MINUTE
    ordered = steps if order == "link first" else steps[::-1]
    await asyncio.gather(*(database.write(lambda tx, step=step: reality._do(tx, step)) for step in ordered))
    assert (await reality.ballot(ACCOUNTS[0])).positions == (2,)
    assert (await database.read(lambda tx: turnout_of(tx, reality.over))).voted == 1
    await database.close()


async def test_both_yes_at_once_link_once(tmp_path: Path) -> None:
    database, reality = await begin(tmp_path / "paperclub.db")
    one, other = ACCOUNTS[:2]

    def ask(tx: Tx) -> int:
        linking.offer_member(tx, reality.club, one, "CCCC4444", reality.now)
        link = linking.enter(tx, [reality.club], other, "CCCC4444", reality.now)
        assert link is not None
        return link.id

    number = await database.write(ask)
    said = await asyncio.gather(
        *(
            database.write(lambda tx, who=who: linking.say_yes(tx, reality.club.id, who, number, reality.now))
            for who in (one, other)
        )
    )
    assert sorted(done for _, done in said) == [False, True]
    owned = await database.read(
        lambda tx: [links.find_account(tx, reality.club.id, who.account) for who in (one, other)]
    )
    assert owned[0] is not None and owned[1] is not None and owned[0].member_id == owned[1].member_id
    await database.close()


async def test_a_vote_whose_time_has_come_is_not_changed_by_linking(tmp_path: Path) -> None:
    database, reality = await begin(tmp_path / "paperclub.db")
    await reality.do(("cast", 0, frozenset({1})))
    await reality.do(("cast", 1, frozenset({2})))
    before = await reality.events()
    reality.now = reality.over.closes_at
    assert await reality.do(("link", 0, 1))
    assert await reality.events() == before
    await database.close()
