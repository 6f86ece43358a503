"""What a Paperclub file is: how it is recognised, made, migrated and connected to."""

from __future__ import annotations

import os
import re
import sqlite3
import struct
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from bot.errors import Damaged, NotOurs, ReadOnly, TooNew

APPLICATION_ID = 0x50434C42
"""'PCLB', in the file's header from its first page on."""

CPUS = os.cpu_count() or 1

_BUSY_MS = 5000
_LOCK_ATTEMPTS = 6
"""A big import by another process may hold the lock for longer than one busy time."""

_MAGIC = b"SQLite format 3\x00"
_MIGRATION = re.compile(r"(\d{4})_\w+(\.sqlite)?\.sql")


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection in autocommit that one thread at a time may use. Raises sqlite3.Error."""
    mode = "ro" if read_only else "rw"
    if read_only and not _writable(path.parent) and not path.with_name(path.name + "-wal").exists():
        mode = "ro&immutable=1"  # without a place for its -shm file the engine could not open it otherwise
    return sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=_BUSY_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=512,
    )


def configure(connection: sqlite3.Connection, reading: bool) -> None:
    """The settings of every connection; a reading one cannot change anything."""
    connection.row_factory = sqlite3.Row
    for pragma in (
        "synchronous = FULL",
        "foreign_keys = ON",
        "recursive_triggers = ON",
        "cache_size = -16000",
        f"query_only = {int(reading)}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def wait_for_lock(connection: sqlite3.Connection) -> None:
    """Begin a writing transaction, waiting for other processes. sqlite3.OperationalError after 30 s."""
    for attempt in range(_LOCK_ATTEMPTS):
        try:
            connection.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or attempt == _LOCK_ATTEMPTS - 1:
                raise


def migrations() -> list[tuple[int, str]]:
    """Every migration's number and script, in order; the engine's own part follows the common one."""
    scripts: dict[int, list[tuple[bool, str]]] = {}
    for file in resources.files("bot.storage").joinpath("migrations").iterdir():
        if found := _MIGRATION.fullmatch(file.name):
            scripts.setdefault(int(found[1]), []).append((bool(found[2]), file.read_text(encoding="utf-8")))
    return [
        (number, "\n".join(text for _, text in sorted(parts))) for number, parts in sorted(scripts.items())
    ]


def _statements(script: str) -> list[str]:
    """The statements of a script, triggers whole."""
    done: list[str] = []
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            done.append(pending)
            pending = ""
    return done


def _writable(path: Path) -> bool:
    # root may write anywhere; a file with no write bit at all was meant to stay as it is
    return os.access(path, os.W_OK) and bool(path.stat().st_mode & 0o222)


def check_file(path: Path, *, read_only: bool = False) -> None:
    """Look at the first page alone, touching nothing. Raises NotOurs, TooNew, ReadOnly, Damaged."""
    name = str(path)
    if path.is_dir():
        raise NotOurs(name, "directory")
    if not path.exists():
        if read_only:
            raise NotOurs(name, "missing")
        return
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise ReadOnly(name, error.strerror or str(error)) from error
    if header or read_only:
        _check_header(path, header)
    if not read_only and not (_writable(path) and _writable(path.parent)):
        raise ReadOnly(name)


def _check_header(path: Path, header: bytes) -> None:
    name = str(path)
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise NotOurs(name)
    page_size, pages, version, application = (
        struct.unpack(form, header[at : at + struct.calcsize(form)])[0]
        for form, at in ((">H", 16), (">I", 28), (">I", 60), (">I", 68))
    )
    if application != APPLICATION_ID:
        raise NotOurs(name)
    known = migrations()[-1][0]
    if version > known:
        raise TooNew(name, f"{version} > {known}")
    wal = path.with_name(path.name + "-wal")
    if path.stat().st_size < pages * (65536 if page_size == 1 else page_size) and not wal.exists():
        raise Damaged(name, "cut off")


def prepare_file(path: Path) -> sqlite3.Connection:
    """The writing connection to a file that is ours and up to date, made or migrated as needed.

    Raises: NotOurs, TooNew, ReadOnly, Damaged, sqlite3.Error.
    """
    check_file(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise ReadOnly(str(path), error.strerror or str(error)) from error
    connection = connect(path)
    try:
        _migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    known = migrations()
    if _number(connection, "application_id") != APPLICATION_ID:
        # before anything else and before WAL, so that the main file's first page says whose it is
        wait_for_lock(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    version = _number(connection, "user_version")  # the header may be older than the write-ahead log
    if version > known[-1][0]:
        raise TooNew(str(path), f"{version} > {known[-1][0]}")
    _use_wal(connection)
    configure(connection, False)
    for number, script in known:
        if number > version:
            _run_migration(connection, number, script)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log; the engine does not wait by itself when two processes switch at once."""
    for attempt in range(50):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if attempt == 49:
                raise
            connection.execute("SELECT 1 FROM sqlite_master").fetchall()


def _run_migration(connection: sqlite3.Connection, number: int, script: str) -> None:
    """One migration, one transaction; another process may have been first."""
    wait_for_lock(connection)
    try:
        if _number(connection, "user_version") < number:
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
