"""While a vote is open nothing anybody sees depends on who voted for what: two votes are told apart by their turnout
alone."""

from __future__ import annotations

import logging
import re
import shutil
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from bot.messages.model import Answer
from bot.rounds.log import SHOWN
from bot.storage.rounds import find_round
from tests.lab.crawling import Crawler
from tests.lab.house import CHAIR, House, Posted, ids_in, person, said, text_of
from tests.lab.voting import CLOSES, OPENS, cast, open_vote, told

LOOKED_AT = (
    *("paper results", "paper nominations", "paper history", "paper why", "paper today", "paper vote"),
    *("paper me", "paper saved", "paper help", "club settings", "club organisers"),
)
HASH = re.compile(r"\b[0-9a-f]{10,64}\b")
TURNOUT = re.compile(r"\d (has|have) voted")
BYSTANDER = person(20)
"""Has not voted and looks at everything."""
Story = Sequence[tuple[int, tuple[str, ...] | None]]
"""Who said what, in order; None takes a ballot back."""

ONE: Story = [(n, ("p57",)) for n in range(4, 9)] + [(4, ("p10",)), (4, ("p57",))]
OTHER: Story = [(n, ("p21",)) for n in range(9, 14)] + [(3, ("p10",)), (3, None), (13, ())]


def ids(answer: Answer) -> list[str]:
    return [*ids_in(answer.message), *ids_in(answer.also)]


@dataclass
class Witness(Crawler):
    """Keeps all that one person is shown."""

    shown: list[str] = field(default_factory=list)

    def check(self, asked: str, answer: Answer, answers: str) -> None:
        super().check(asked, answer, answers)
        self.shown.append(f"{self.who.name} {asked}: {text_of(answer)} {ids(answer)}")


async def witnessed(
    path: Path, posts: list[Posted], story: Story, method: str, caplog: pytest.LogCaptureFixture
) -> tuple[list[str], list[str], str]:
    """What others see and what is logged of one vote, hashes left out; and the secret of its draw."""
    house = await House.open(path)
    house.platform.posts = deepcopy(posts)
    house.now = OPENS + timedelta(minutes=5)
    house.group.rooms.rng.seed(1)
    seen: list[str] = []
    caplog.clear()
    try:
        for number, papers in story:
            if papers is None:
                await house.press(person(number), "retract:1")
            else:
                assert "Counted" in text_of(await cast(house, method, person(number), 1, *papers))
        house.now = OPENS + timedelta(hours=2)
        await house.tick()
        await house.drawn()
        for who in (BYSTANDER, CHAIR):
            witness = Witness(house, who)
            for command in LOOKED_AT:
                await witness.type(command)
            seen += witness.shown
        await house.until(CLOSES - timedelta(minutes=1))
        seen += [f"{posted.to.person} {said(posted.message)}" for posted in house.platform.posts]
        drawn = {said(message) for posted in house.platform.posts for message in posted.before}
        seen += sorted({TURNOUT.sub("#", each) for each in drawn})
        vote = await house.database.read(lambda tx: find_round(tx, 1, 1))
        assert vote is not None and len(vote.secret) == 32
        logged = [each.getMessage() for each in caplog.records if each.name.startswith(("bot", "adapters"))]
        assert not any(vote.secret in each for each in (*seen, *logged))
        assert any(
            vote.commitment[:SHOWN] in each for each in seen
        )  # the seal is shown, and its secret is not
        await house.until(CLOSES + timedelta(minutes=1))
        assert vote.secret in said(told(house, 1)[0].message)
        return [HASH.sub("#", each) for each in seen], [HASH.sub("#", each) for each in logged], vote.secret
    finally:
        await house.close()


@pytest.mark.parametrize("method", ["approval", "phragmen", "schulze"])
async def test_what_others_see_of_an_open_vote_does_not_depend_on_who_voted_for_what(
    stocked: Path, tmp_path: Path, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    shutil.copyfile(stocked, tmp_path / "opened.db")
    house = await House.open(tmp_path / "opened.db")
    await open_vote(house, method=method)
    for who in (*map(person, range(3, 14)), BYSTANDER):
        await house.press(who, "save:p57")  # known to the club before anybody votes
    await house.close()
    told_apart = []
    for number, story in enumerate((ONE, OTHER)):
        path = tmp_path / f"{number}.db"
        shutil.copyfile(house.path, path)
        told_apart.append(await witnessed(path, house.platform.posts, story, method, caplog))
    (seen, logged, secret), (seen_too, logged_too, same) = told_apart
    assert secret == same and len(seen) > 100
    assert sum(bool(TURNOUT.search(each)) for each in seen) > 1  # the poll, the reminder
    assert seen == seen_too
    assert logged == logged_too


async def test_the_secret_of_the_draw_is_stored_in_its_place_alone_until_the_vote_closes(
    house: House,
) -> None:
    await open_vote(house, ties="draw")
    for number in range(2, 8):
        await house.vote(person(number), 1, "p57")
    await house.until(CLOSES - timedelta(minutes=1))
    vote = await house.database.read(lambda tx: find_round(tx, 1, 1))
    assert vote is not None

    places: list[tuple[str, str]] = []
    tables = await house.database.read(
        lambda tx: [row[0] for row in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    )
    for table in tables:
        rows = await house.database.read(lambda tx, t=table: tx.rows(f"SELECT * FROM {t}"))  # type: ignore[misc]
        places += [
            (table, name) for row in rows for name in list(row.keys()) if vote.secret in str(row[name])
        ]
    assert places == [("round", "secret")]
    assert not any(vote.secret in str(posted.message) for posted in house.platform.posts)
