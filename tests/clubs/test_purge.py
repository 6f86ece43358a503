"""Thirty days after the end nothing of a club is left in any table, and everything of the others is."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.clubs.purge import purge
from bot.errors import Refused
from bot.storage.database import Tx, to_us
from tests.lab.furnished import stocked
from tests.lab.house import CHAIR, MONDAY, House, on, person, text_of
from tests.lab.sides import HERE, THERE, club_on_both, code_in, link

__all__ = ["stocked"]

CLUB = 1
OTHERS = 2
WEEK = datetime(2026, 12, 8, 12, tzinfo=UTC)


@pytest.fixture
async def house(stocked: Path, tmp_path: Path) -> AsyncIterator[House]:
    path = tmp_path / "paperclub.db"
    shutil.copyfile(stocked, path)
    opened = await House.open(path)
    yield opened
    await opened.close()


async def live(house: House) -> None:
    """Two clubs of one server, each with a week behind it and something in every table."""
    await house.group.server_joined("preview", "w", "en", MONDAY)
    for number, channel in ((1, "papers"), (8, "talk")):
        chair, member = person(number, channel, admin=True), person(number + 1, channel)
        aside = person(20, channel)
        await house.set_up(chair, name=channel)
        await house.command(member, "paper nominate", paper=f"https://example.org/{channel}")
        await house.submit(member, "propose", paper=f"https://example.org/{channel}", title="Ours")
        await house.command(chair, "paper nominate", paper="p57")
        await house.press(aside, "nominate:p57")
        await house.press(member, "save:p58")
        await house.command(chair, "club block", member="<@u30|Member 30>")
        await house.command(person(20, "aside"), "paper nominations")
    await house.press(person(20, "aside"), "in:3:1")
    await house.until(datetime(2026, 12, 3, 9, tzinfo=UTC))
    for number, channel in ((1, "papers"), (8, "talk")):
        for voter in (number, number + 1, 20):
            vote = 1 if channel == "papers" else 2
            await house.vote(person(voter, channel), vote, "p57")
    await house.until(WEEK)


def counts(tx: Tx, club: int) -> dict[str, int]:
    """Rows of a club in every table that has any, however a table names its club."""
    tables = [
        row[0]
        for row in tx.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
            " AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'paper_index%'"
        )
    ]
    found = {}
    for table in tables:
        columns = {row[1] for row in tx.rows(f"SELECT * FROM pragma_table_info('{table}')")}
        where = WHERE.get(table) or ("club_id = :club" if "club_id" in columns else None)
        if where is None:
            assert table in NOBODYS, f"{table}: whose are its rows?"
            continue
        found[table] = int(tx.rows(f"SELECT COUNT(*) FROM {table} WHERE {where}", club=club)[0][0])
    return found


WHERE = {
    "club": "id = :club",
    "paper_key": "shelf = :club",
    "paper_text": "paper_id IN (SELECT id FROM paper WHERE club_id = :club)",
    "backer": "nomination_id IN (SELECT id FROM nomination WHERE club_id = :club)",
    "candidate": "round_id IN (SELECT id FROM round WHERE club_id = :club)",
    "ballot_event": "round_id IN (SELECT id FROM round WHERE club_id = :club)",
    "receipt": "round_id IN (SELECT id FROM round WHERE club_id = :club)",
    "kept": "name LIKE 'choice:%' AND value = :club",
}
NOBODYS = {"query_key", "heartbeat", "server", "migration", "schema_version", "meta", "seen", "link_try"}


async def everything(house: House, club: int) -> dict[str, int]:
    return await house.database.read(lambda tx: counts(tx, club))


async def test_after_thirty_days_no_row_of_the_club_is_left_anywhere(house: House) -> None:
    await live(house)
    before = await everything(house, CLUB)
    lived_in = {table for table, rows in before.items() if rows}
    assert lived_in >= {
        *(
            "club",
            "channel",
            "member",
            "account",
            "paper",
            "paper_key",
            "paper_text",
            "draft",
            "saved",
            "pick",
        ),
        *("nomination", "backer", "round", "candidate", "ballot_event", "receipt", "slot", "delivery", "act"),
        "kept",
    }
    others = await everything(house, OTHERS)
    dangling = await house.database.read(hanging)
    await house.press(CHAIR, "delete:1")
    deleted = house.now
    assert await purge(house.database, deleted + timedelta(days=30) - timedelta(seconds=1))
    assert (await everything(house, CLUB))["ballot_event"] == before["ballot_event"]
    assert await purge(house.database, deleted + timedelta(days=30))
    assert {table: rows for table, rows in (await everything(house, CLUB)).items() if rows} == {}
    assert await everything(house, OTHERS) == others
    assert await house.database.read(hanging) == dangling
    found = await house.group.rooms.search.search(OTHERS, "ours")
    assert found.total == 1


def hanging(tx: Tx) -> list[tuple[str, int]]:
    """Rows whose parent is gone, in tables whose rows name no club themselves."""
    parents = (
        ("paper_text", "paper_id", "paper"),
        ("paper_key", "paper_id", "paper"),
        ("backer", "nomination_id", "nomination"),
        ("candidate", "round_id", "round"),
        ("ballot_event", "round_id", "round"),
        ("receipt", "round_id", "round"),
    )
    return [
        (
            child,
            int(tx.rows(f"SELECT COUNT(*) FROM {child} WHERE {key} NOT IN (SELECT id FROM {parent})")[0][0]),
        )
        for child, key, parent in parents
    ]


async def test_the_clock_purges_by_itself_and_a_little_at_a_time(house: House) -> None:
    await live(house)
    await house.press(CHAIR, "delete:1")
    house.now += timedelta(days=30)
    calls = 0
    while not await purge(house.database, house.now, patience=0.0):
        calls += 1
        assert calls < 500
    assert calls > 10
    await house.tick()
    assert not await house.database.read(lambda tx: tx.rows("SELECT 1 FROM club WHERE id = 1"))
    await house.press(person(8, "talk", admin=True), "delete:2")
    await house.tick(house.now + timedelta(days=30))
    assert not await house.database.read(lambda tx: tx.rows("SELECT 1 FROM club"))


async def test_a_channel_of_a_server_gone_for_thirty_days_is_deleted_with_its_posts(house: House) -> None:
    await live(house)
    await house.database.write(
        lambda tx: tx.run(
            "INSERT INTO channel (club_id, platform, workspace, native_id, created_at)"
            " VALUES (1, 'preview', 'v', 'far', 0)"
        )
    )
    await house.group.server_left("preview", "w", house.now)
    gone = house.now
    await house.tick(gone + timedelta(days=30))
    channels = await house.database.read(lambda tx: tx.rows("SELECT native_id FROM channel"))
    assert [row[0] for row in channels] == ["far"]
    assert {row[0] for row in await house.database.read(lambda tx: tx.rows("SELECT id FROM club"))} == {1}
    old = "SELECT COUNT(*) FROM delivery WHERE due_at < :week"
    assert (await house.database.read(lambda tx: tx.rows(old, week=to_us(WEEK))))[0][0] == 0


async def test_a_channel_two_clubs_posted_in_does_not_hinder(house: House) -> None:
    await live(house)
    await house.press(person(8, "talk", admin=True), "delete:2")
    done = await house.submit(
        CHAIR, "configure:club", name="papers", zone="Europe/Berlin", language="en", channel="talk"
    )
    assert "Saved." in text_of(done)
    house.platform.fault = Refused("network")
    await house.press(CHAIR, "delete:1")
    again = person(5, "papers", admin=True)
    await house.set_up(again, name="Third")
    await house.tick(house.now + timedelta(days=30))
    left = await house.database.read(lambda tx: tx.rows("SELECT id FROM club ORDER BY id"))
    assert [row[0] for row in left] == [3]
    assert await house.group.find_club("Third") is not None


async def test_a_club_on_two_sides_goes_with_its_codes_and_linked_members(
    stocked: Path, tmp_path: Path
) -> None:
    path = tmp_path / "both.db"
    shutil.copyfile(stocked, path)
    both = await House.open(path, ("discord", "slack"))
    await club_on_both(both)
    for number in range(2, 12):
        await both.command(on("slack", number), "paper nominate", paper=f"p{number}")
        await link(both, on("discord", 100 + number), on("slack", number))
        both.now += timedelta(minutes=1)
    asked = await both.command(on("discord", 50), "paper link")
    await both.command(on("slack", 50), "paper link", code=code_in(asked))
    await both.command(on("discord", 51), "paper link")
    await both.until(datetime(2026, 12, 3, 9, tzinfo=UTC))
    await both.command(on("discord", 51), "paper link")
    before = await everything(both, CLUB)
    assert before["link_code"] and before["link"] and before["member"] > 20
    await both.press(HERE, "delete:1")
    assert await purge(both.database, both.now + timedelta(days=30))
    assert {table: rows for table, rows in (await everything(both, CLUB)).items() if rows} == {}
    await both.close()


async def test_a_club_brought_back_stands_on_both_sides_again(stocked: Path, tmp_path: Path) -> None:
    path = tmp_path / "both.db"
    shutil.copyfile(stocked, path)
    both = await House.open(path, ("discord", "slack"))
    await club_on_both(both)
    await both.press(THERE, "delete:1")
    assert "Readers is back" in text_of(await both.command(HERE, "club restore"))
    await both.tick(datetime(2026, 11, 30, 8, 1, tzinfo=UTC))
    assert [len(platform.posts) for platform in both.platforms.values()] == [1, 1]
    await both.close()
