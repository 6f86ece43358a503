"""The store keeps what it promised, whoever else is at it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from bot.errors import Damaged, NotOurs, ReadOnly, StoreError, TooNew, UserError
from bot.storage.database import Database, Tx
from bot.storage.sqlite import open_sqlite
from bot.storage.sqlite_file import APPLICATION_ID, migrations

INSERT = "INSERT INTO query_key (key, text, used_at) VALUES (:key, :text, 1)"


def keep(key: str, text: str = "x") -> object:
    def fn(tx: Tx) -> int:
        return tx.run(INSERT, key=key, text=text)

    return fn


def keys(tx: Tx) -> list[str]:
    return [row["key"] for row in tx.rows("SELECT key FROM query_key ORDER BY key")]


async def test_what_was_written_is_read(database: Database) -> None:
    assert await database.write(keep("a", "hello")) == 1
    rows = await database.read(lambda tx: tx.rows("SELECT * FROM query_key WHERE key = :key", key="a"))
    assert [(row["text"], row[2], list(row.keys())) for row in rows] == [
        ("hello", 1, ["key", "text", "used_at"])
    ]


async def test_insert_returning_gives_rows(database: Database) -> None:
    rows = await database.write(lambda tx: tx.rows(INSERT + " RETURNING text", key="a", text="back"))
    assert [row[0] for row in rows] == ["back"]


async def test_an_exception_undoes_only_its_own_function(database: Database) -> None:
    def fails(tx: Tx) -> None:
        tx.run(INSERT, key="gone", text="x")
        raise UserError("no.good")

    results = await asyncio.gather(
        database.write(keep("a")), database.write(fails), database.write(keep("b")), return_exceptions=True
    )
    assert results[0] == results[2] == 1
    assert isinstance(results[1], UserError)
    assert await database.read(keys) == ["a", "b"]


async def test_engine_errors_come_out_as_ours_with_the_cause(database: Database) -> None:
    await database.write(keep("a"))
    with pytest.raises(StoreError) as caught:
        await database.write(keep("a"))
    assert isinstance(caught.value.__cause__, sqlite3.IntegrityError)
    with pytest.raises(StoreError):
        await database.read(lambda tx: tx.rows("SELECT nonsense"))
    assert await database.read(keys) == ["a"]


async def test_many_writers_share_commits_and_lose_nothing(database: Database) -> None:
    await asyncio.gather(*(database.write(keep(f"{n:04}")) for n in range(2500)))
    assert await database.read(keys) == [f"{n:04}" for n in range(2500)]


async def test_a_function_that_ends_the_transaction_fails_alone(database: Database) -> None:
    def breaks(tx: Tx) -> None:
        tx.run("ROLLBACK")
        raise UserError("rolled.back")

    results = await asyncio.gather(
        database.write(keep("a")), database.write(breaks), database.write(keep("b")), return_exceptions=True
    )
    assert isinstance(results[1], UserError)
    assert await database.read(keys) == ["a", "b"]


async def test_a_cancelled_caller_does_not_disturb_the_others(database: Database) -> None:
    tasks = [asyncio.create_task(database.write(keep(f"{n:02}"))) for n in range(50)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert results[1::2] == [1] * 25
    assert set(await database.read(keys)) >= {f"{n:02}" for n in range(1, 50, 2)}


async def test_readers_cannot_write(database: Database) -> None:
    with pytest.raises(StoreError):
        await database.read(keep("a"))
    assert await database.read(keys) == []


async def test_a_read_sees_one_snapshot(tmp_path: Path) -> None:
    first = await open_sqlite(tmp_path / "x.db", readers=1)
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)

    def count_twice(tx: Tx) -> tuple[int, int]:
        before = len(keys(tx))
        other_thread = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
        other_thread.execute(INSERT, {"key": "new", "text": "x"})
        other_thread.close()
        return before, len(keys(tx))

    assert await first.read(count_twice) == (0, 0)
    assert len(await first.read(keys)) == 1
    other.close()
    await first.close()


async def test_a_busy_loop_does_not_hold_up_what_is_read(tmp_path: Path) -> None:
    """One reader answers the second question while nobody has taken the first answer yet."""
    store = await open_sqlite(tmp_path / "x.db", readers=1)
    answered = threading.Event()
    asked = [
        asyncio.create_task(store.read(keys)),
        asyncio.create_task(store.read(lambda tx: answered.set())),
    ]
    await asyncio.sleep(0)
    assert answered.wait(5)
    await asyncio.gather(*asked)
    await store.close()


async def test_a_question_nobody_waits_for_any_more_is_not_asked(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path / "x.db", readers=1)
    gate, ran = threading.Event(), list[int]()
    first = asyncio.create_task(store.read(lambda tx: gate.wait(5)))
    second = asyncio.create_task(store.read(lambda tx: ran.append(2)))
    third = asyncio.create_task(store.read(lambda tx: ran.append(3)))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(first, third)
    assert ran == [3]
    await store.close()


async def test_half_a_surrogate_pair_is_stored_as_a_replacement(database: Database) -> None:
    await database.write(keep("a", "x\ud800y"))
    assert (await database.read(lambda tx: tx.rows("SELECT text FROM query_key")))[0][0] == "x\ufffdy"


async def test_close_finishes_what_is_queued(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path / "x.db")
    tasks = [asyncio.create_task(store.write(keep(f"{n:03}"))) for n in range(300)]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*tasks) == [1] * 300
    await store.close()
    with pytest.raises(StoreError):
        await store.write(keep("late"))
    with pytest.raises(StoreError):
        await store.read(keys)
    again = await open_sqlite(tmp_path / "x.db")
    assert len(await again.read(keys)) == 300
    await again.close()


async def test_a_new_file_is_private_and_says_whose_it_is(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "a ? % # b.db"
    store = await open_sqlite(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes()[68:72] == APPLICATION_ID.to_bytes(4, "big")
    rows = await store.read(
        lambda tx: (tx.rows("PRAGMA journal_mode")[0][0], tx.rows("PRAGMA user_version")[0][0])
    )
    assert rows == ("wal", migrations()[-1][0])
    assert await store.write(lambda tx: tx.rows("PRAGMA synchronous")[0][0]) == 2
    await store.close()


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()


@pytest.mark.parametrize("kind", ["foreign", "text", "short", "newer", "cut", "directory"])
async def test_a_file_that_is_not_for_us_is_refused_and_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.db"
    expected: type[StoreError] = NotOurs
    if kind == "foreign":
        _foreign(path)
    elif kind == "text":
        path.write_text("Dear diary, " * 100)
    elif kind == "short":
        path.write_bytes(b"SQLite")
    elif kind == "directory":
        path.mkdir()
    else:
        await (await open_sqlite(path)).close()
        if kind == "newer":
            with sqlite3.connect(path) as newer:
                newer.execute("PRAGMA user_version = 9999")
            newer.close()
            expected = TooNew
        else:
            path.write_bytes(path.read_bytes()[:8192])
            expected = Damaged
    before = b"" if kind == "directory" else path.read_bytes()
    listed = sorted(os.listdir(tmp_path))
    for read_only in (False, True):
        with pytest.raises(expected):
            await open_sqlite(path, read_only=read_only)
    assert kind == "directory" or path.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == listed


async def test_a_newer_version_still_in_the_log_is_refused(tmp_path: Path) -> None:
    path, copy = tmp_path / "x.db", tmp_path / "copy.db"
    await (await open_sqlite(path)).close()
    live = sqlite3.connect(path, isolation_level=None)
    live.execute("PRAGMA user_version = 9999")
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    live.close()
    with pytest.raises(TooNew):
        await open_sqlite(copy)


async def test_a_read_only_file_is_refused_but_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    store = await open_sqlite(path)
    await store.write(keep("a"))
    await store.close()
    path.chmod(0o400)
    with pytest.raises(ReadOnly):
        await open_sqlite(path)
    reading = await open_sqlite(path, read_only=True)
    assert await reading.read(keys) == ["a"]
    with pytest.raises(ReadOnly):
        await reading.write(keep("b"))
    await reading.close()
    with pytest.raises(NotOurs):
        await open_sqlite(tmp_path / "none.db", read_only=True)
    assert not (tmp_path / "none.db").exists()


async def test_damage_inside_is_told_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    store = await open_sqlite(path)
    await asyncio.gather(*(store.write(keep(f"{n:05}", "x" * 500)) for n in range(500)))
    await store.close()
    content = bytearray(path.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(Damaged):
        store = await open_sqlite(path)
        try:
            await store.read(keys)
        finally:
            await store.close()


_WRITES = textwrap.dedent(
    """
    import asyncio, sys
    from bot.storage.sqlite import open_sqlite
    async def main(path, name, n):
        store = await open_sqlite(path)
        print("open", flush=True)
        sql = "INSERT INTO query_key (key, text, used_at) VALUES (:key, '', 1)"
        async def one(i):
            await store.write(lambda tx: tx.run(sql, key=f"{name}{i}"))
            print(f"{name}{i}", flush=True)
        for start in range(0, n, 20):
            await asyncio.gather(*(one(i) for i in range(start, start + 20)))
        await store.close()
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    """
)


def _start(path: Path, name: str, n: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITES, str(path), name, str(n)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=os.getcwd(),
    )


async def test_two_processes_make_and_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    processes = [_start(path, name, 400) for name in "abc"]
    assert [p.communicate(timeout=60)[0].count("\n") for p in processes] == [401] * 3
    assert [p.returncode for p in processes] == [0, 0, 0]
    store = await open_sqlite(path)
    assert len(await store.read(keys)) == 1200
    await store.close()


async def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    process = _start(path, "k", 100_000)
    assert process.stdout is not None
    told = [process.stdout.readline().strip() for _ in range(200)]
    process.send_signal(signal.SIGKILL)
    told += [line.strip() for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    process.wait()
    process.stdout.close()
    store = await open_sqlite(path)
    kept = set(await store.read(keys))
    await store.close()
    assert set(told) - {"open"} <= kept
