"""`paperclub audit`: what it prints, and how it ends."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from adapters.cli import main
from bot.storage.database import Tx
from bot.storage.sqlite import open_sqlite
from tests.lab import pressing


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with one vote of a few ballots."""
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "PAPERCLUB_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)

    async def make() -> None:
        await pressing.prepare(tmp_path)
        await pressing.press(tmp_path, 1, loops=1)

    asyncio.run(make())
    return tmp_path / "paperclub.db"


def change(store: Path, sql: str) -> str:
    """Do this to the store; the head of its log before."""

    async def work() -> str:
        database = await open_sqlite(store, readers=1)

        def harm(tx: Tx) -> str:
            head = tx.rows("SELECT hash FROM ballot_event ORDER BY seq DESC LIMIT 1")[0][0]
            if sql:
                tx.run(sql)
            return str(head)

        head = await database.write(harm)
        await database.close()
        return head

    return asyncio.run(work())


def test_a_store_without_fault_ends_well_and_says_what_no_audit_finds(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--database", str(store)]) == 0
    said = capsys.readouterr()
    assert "No fault was found." in said.out
    assert "cannot find ballots that whoever runs the bot added" in said.out
    assert said.err == ""
    assert main(["audit", "--database", str(store), "--json", "--club", "Readers"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["rounds"], document["damage"], document["notes"]) == (1, [], [])
    assert document["events"] > 0


def test_damage_is_named_and_ends_with_one(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = change(store, "UPDATE ballot_event SET payload = '[6]' WHERE seq = 3")
    assert main(["audit", "--database", str(store)]) == 1
    said = capsys.readouterr()
    assert "Readers, vote 1: Event 3 of" in said.out
    assert said.err == "The votes of this database are damaged.\n"
    assert main(["audit", "--database", str(store), "--json"]) == 1
    (damage,) = json.loads(capsys.readouterr().out)["damage"]
    assert (damage["club"], damage["vote"], damage["what"], damage["event"]) == (1, 1, "chain", 3)
    assert main(["audit", "--database", str(store), "--head", head]) == 1
    assert "Readers, vote 1: Event 3 of" in capsys.readouterr().out


def test_a_noted_head_is_found_or_not(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = change(store, "")
    assert main(["audit", "--database", str(store), "--head", head[:16]]) == 0
    assert "Readers, vote 1: the ballot log had this head after event" in capsys.readouterr().out
    assert main(["audit", "--database", str(store), "--head", head, "--json"]) == 0
    (place,) = json.loads(capsys.readouterr().out)["heads"]
    assert (place["name"], place["vote"]) == ("Readers", 1)
    assert main(["audit", "--database", str(store), "--head", "0" * 16]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("No ballot log here ever had the head 0000000000000000.")
    assert main(["audit", "--database", str(store), "--head", "xyz"]) == 2
    assert capsys.readouterr().err.startswith("“xyz” is no head of a ballot log.")


def test_without_a_store_there_is_nothing_to_audit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", "--database", str(tmp_path / "none.db")]) == 1
    assert "There is no database" in capsys.readouterr().err
    assert not (tmp_path / "none.db").exists()
