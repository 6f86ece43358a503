"""A store from before there were receipts is brought up: its open vote goes on with the ballots it has."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.clubs import forgetting
from bot.clubs.model import Member
from bot.clubs.service import get_club
from bot.rounds import ballots, replay
from bot.rounds.audit import audit
from bot.rounds.closing import close_round
from bot.rounds.model import Round
from bot.rounds.reading import get_round
from bot.rounds.turnout import turnout_of
from bot.storage.database import Database, Tx, to_us
from bot.storage.members import find_member_by_id
from bot.storage.sqlite import open_sqlite
from bot.storage.sqlite_file import APPLICATION_ID, migrations
from tests.lab.house import MONDAY

BEFORE = 5
"""The last version without receipts."""
CLUB = VOTE = 1


def old_store(path: Path) -> None:
    """An open vote on two papers: Member 1 for the first, Member 2 for both, then for the second, Member 3 blank."""
    with sqlite3.connect(path, isolation_level=None) as store:
        for number, script in migrations():
            if number <= BEFORE:
                store.executescript(script)
        store.execute(f"PRAGMA user_version = {BEFORE}")
        store.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        at, closes = to_us(MONDAY), to_us(MONDAY + timedelta(days=2))
        store.execute(
            "INSERT INTO club VALUES (1, 'Readers', 'en', 'UTC', ?, '{}', ?, NULL, NULL, 0, NULL, NULL)",
            ("0" * 32, at),
        )
        for number in (1, 2, 3):
            store.execute(
                "INSERT INTO member (id, club_id, name, organiser, joined_at) VALUES (?, 1, ?, ?, ?)",
                (number, f"Member {number}", int(number == 3), at),
            )
        for number in (1, 2):
            store.execute(
                "INSERT INTO paper (id, title, authors, abstract, added_at) VALUES (?, ?, '[]', '', ?)",
                (number, f"Paper {number}", at),
            )
            store.execute(
                "INSERT INTO nomination (id, club_id, paper_id, member_id, state, created_at, changed_at)"
                " VALUES (?, 1, ?, 3, 'open', ?, ?)",
                (number, number, at, at),
            )
        store.execute(
            "INSERT INTO round (id, club_id, number, method, rules, state, opens_at, closes_at)"
            " VALUES (1, 1, 1, 'approval', '{}', 'voting', ?, ?)",
            (at, closes),
        )
        for number in (1, 2):
            store.execute("INSERT INTO candidate VALUES (1, ?, ?, ?, ?, NULL)", (number, number, number, at))
        for seq, member, said in ((1, 1, "[1]"), (2, 2, "[1, 2]"), (3, 3, "[]"), (4, 2, "[2]")):
            store.execute(
                "INSERT INTO ballot_event (round_id, seq, member_id, at, payload) VALUES (1, ?, ?, ?, ?)",
                (seq, member, at + seq, said),
            )
    store.close()


@pytest.fixture
async def old(tmp_path: Path) -> AsyncIterator[Database]:
    path = tmp_path / "old.db"
    old_store(path)
    database = await open_sqlite(path)
    yield database
    await database.close()


def vote_of(tx: Tx) -> Round:
    return get_round(tx, CLUB, VOTE)


async def cast(old: Database, number: int, *positions: int, hours: int = 1) -> None:
    def write(tx: Tx) -> None:
        ballots.cast(tx, VOTE, member(tx, number), positions, MONDAY + timedelta(hours=hours))

    await old.write(write)


def member(tx: Tx, number: int) -> Member:
    found = find_member_by_id(tx, CLUB, number)
    assert found is not None
    return found


def counted(tx: Tx) -> dict[int | None, tuple[int, ...]]:
    return {line.member_id: line.positions for line in replay.lines(tx, vote_of(tx))}


async def close_and_audit(old: Database) -> tuple[list[str], list[str]]:
    await old.write(lambda tx: close_round(tx, CLUB, VOTE, MONDAY + timedelta(days=2)))
    report = await old.read(lambda tx: audit(tx, CLUB))
    return [each.what for each in report.damage], [each.what for each in report.notes]


async def test_old_ballots_count_as_they_stood(old: Database) -> None:
    assert await old.read(counted) == {1: (1,), 2: (2,), 3: ()}
    assert (await old.read(lambda tx: turnout_of(tx, vote_of(tx)))).voted == 3


async def test_an_old_ballot_is_changed_and_withdrawn_like_any_other(old: Database) -> None:
    await cast(old, 2, 1)
    await old.write(lambda tx: ballots.withdraw(tx, VOTE, member(tx, 1), MONDAY + timedelta(hours=2)))
    assert await old.read(counted) == {2: (1,), 3: ()}
    damage, _ = await close_and_audit(old)
    assert not damage


async def test_who_is_forgotten_after_the_upgrade_has_no_ballot_left(old: Database) -> None:
    await cast(old, 2, 1)

    def forget(tx: Tx) -> None:
        for number in (1, 2):
            forgetting.forget(
                tx, get_club(tx, CLUB), member(tx, number), "Former", MONDAY + timedelta(hours=3)
            )

    await old.write(forget)
    assert await old.read(counted) == {3: ()}
    assert (await old.read(lambda tx: turnout_of(tx, vote_of(tx)))).voted == 1
    damage, _ = await close_and_audit(old)
    assert not damage
