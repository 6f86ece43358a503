"""How a SQLite file is opened, read by several threads and written by one."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

import aiosqlite

from bot.errors import Damaged, ReadOnly, StoreError
from bot.storage.database import Database, Row, Tx
from bot.storage.sqlite_file import CPUS, check_file, configure, connect, prepare_file, wait_for_lock

T = TypeVar("T")

_BATCH = 1000
"""Functions in one commit at most: the first of them waits for the last."""

_REASONS = {
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_FULL: "full",
}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN}


def translated(path: str, error: sqlite3.Error) -> StoreError:
    """Our error for one of the engine's: the one place that knows its codes. Raise it `from error`."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _DAMAGED:
        return Damaged(path, str(error))
    if code in _READ_ONLY:
        return ReadOnly(path, str(error))
    return StoreError(path, _REASONS.get(code, str(error)))


def _clean(value: Any) -> Any:
    """Text that UTF-8 can hold: half a surrogate pair becomes U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


class _SqliteTx:
    """A `Tx` on one connection, used by that connection's thread only."""

    __slots__ = ("_connection", "_path")

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self._path = path

    def _execute(self, sql: str, params: Mapping[str, Any]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, params)
        except UnicodeEncodeError:
            return self._execute(sql, {name: _clean(value) for name, value in params.items()})
        except sqlite3.Error as error:
            raise translated(self._path, error) from error

    def rows(self, sql: str, /, **params: Any) -> list[Row]:
        cursor = self._execute(sql, params)
        try:
            return cast("list[Row]", cursor.fetchall())
        except sqlite3.Error as error:
            raise translated(self._path, error) from error

    def run(self, sql: str, /, **params: Any) -> int:
        return self._execute(sql, params).rowcount

    def run_many(self, sql: str, params: Iterable[Mapping[str, Any]], /) -> None:
        try:
            self._connection.executemany(sql, params)
        except sqlite3.Error as error:
            raise translated(self._path, error) from error


@dataclass(slots=True, eq=False)
class _Job:
    """One function on its way through a thread, and what came of it."""

    fn: Callable[[Tx], Any]
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = field(default=None)

    def answer(self) -> None:
        if self.future.done():  # the caller was cancelled; what it asked for stands all the same
            return
        if self.error is None:
            self.future.set_result(self.result)
        elif isinstance(self.error, StopIteration):  # a future refuses this one
            self.future.set_exception(RuntimeError("StopIteration out of a database function"))
        else:
            self.future.set_exception(self.error)


class _Writer(threading.Thread):
    """The one thread that writes: everything that queued up during the last commit goes into the next."""

    def __init__(self, connection: sqlite3.Connection, path: str, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(name="paperclub-writer", daemon=True)
        self._connection = connection
        self._path = path
        self._loop = loop
        self._tx = _SqliteTx(connection, path)
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()

    def put(self, job: _Job) -> None:
        self._jobs.put(job)

    def stop(self) -> None:
        """End after what is queued now."""
        self._jobs.put(None)

    def run(self) -> None:
        running = True
        while running:
            jobs = [self._jobs.get()]
            try:
                while len(jobs) < _BATCH and jobs[-1] is not None:
                    jobs.append(self._jobs.get_nowait())
            except Empty:
                pass
            running = jobs[-1] is not None
            batch = [job for job in jobs if job is not None]
            if batch:
                self._commit(batch)
                self._answer(batch)
        self._connection.close()

    def _answer(self, batch: list[_Job]) -> None:
        def answer_all() -> None:
            for job in batch:
                job.answer()

        with suppress(RuntimeError):  # the loop is gone and nobody listens; what was committed stands
            self._loop.call_soon_threadsafe(answer_all)

    def _commit(self, batch: list[_Job]) -> None:
        """Run a batch in one transaction.

        At first all goes well: no savepoints, which cost a quarter of a small write. If a job fails, everything
        is undone and run again with a savepoint each: functions may run again. A job that makes the engine
        drop the whole transaction is left out of the next attempt.
        """
        left, guarded = batch, False
        while left:
            try:
                wait_for_lock(self._connection)
                culprit = self._run_guarded(left) if guarded else self._run_plain(left)
                if culprit is None:
                    self._connection.execute("COMMIT")
                    return
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if guarded or len(left) == 1:
                    left = [job for job in left if job is not culprit]
                guarded = True
            except sqlite3.Error as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                for job in left:
                    job.error = translated(self._path, error)
                    job.error.__cause__ = error
                return

    def _run_plain(self, jobs: list[_Job]) -> _Job | None:
        """Run the jobs one after another up to the first that fails, which is returned."""
        for job in jobs:
            job.error = None
            try:
                job.result = job.fn(self._tx)
            except BaseException as error:
                job.error = error
                return job
        return None

    def _run_guarded(self, jobs: list[_Job]) -> _Job | None:
        """Run each job inside a savepoint; the job that ended the transaction, if one did."""
        execute = self._connection.execute
        for job in jobs:
            job.error = None
            execute("SAVEPOINT job")
            try:
                job.result = job.fn(self._tx)
            except BaseException as error:
                job.error = error
                if not self._connection.in_transaction:
                    return job
                execute("ROLLBACK TO job")
            execute("RELEASE job")
        return None


class _Sqlite:
    """A `Database` on one file: a writer thread, and aiosqlite readers that each see a snapshot."""

    def __init__(self, path: str, readers: list[aiosqlite.Connection], writer: _Writer | None) -> None:
        self._path = path
        self._readers = readers
        self._asked: SimpleQueue[_Job | None] = SimpleQueue()
        self._writer = writer
        self._loop = asyncio.get_running_loop()
        self._closed = False
        # aiosqlite has no public name for 'run this on your thread'.
        self._reading = [
            asyncio.ensure_future(reader._execute(self._read_on, reader._conn))  # type: ignore[no-untyped-call]
            for reader in readers
        ]

    async def read(self, fn: Callable[[Tx], T]) -> T:
        self._check_open()
        future: asyncio.Future[T] = self._loop.create_future()
        self._asked.put(_Job(fn, future))
        return await future

    async def write(self, fn: Callable[[Tx], T]) -> T:
        self._check_open()
        if self._writer is None:
            raise ReadOnly(self._path)
        future: asyncio.Future[T] = self._loop.create_future()
        self._writer.put(_Job(fn, future))
        return await future

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._writer is not None:
            self._writer.stop()
            await asyncio.to_thread(self._writer.join)
        for _ in self._readers:
            self._asked.put(None)
        await asyncio.gather(*self._reading, return_exceptions=True)
        for reader in self._readers:
            await reader.close()

    def _read_on(self, connection: sqlite3.Connection) -> None:
        """Answer what is asked until the end, on a reader's thread. It takes its next function by itself: one that
        the loop had to hand out would wait for the loop each time, longest when there is most to do."""
        tx = _SqliteTx(connection, self._path)
        while (job := self._asked.get()) is not None:
            if not job.future.cancelled():
                try:
                    job.result = _read(connection, tx, job.fn)
                except sqlite3.Error as error:
                    job.error = translated(self._path, error)
                    job.error.__cause__ = error
                except BaseException as error:
                    job.error = error
                with suppress(RuntimeError):  # the loop is gone and nobody listens
                    self._loop.call_soon_threadsafe(job.answer)
            del job  # an answer is not kept until the next question

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(self._path, "closed")


def _read(connection: sqlite3.Connection, tx: Tx, fn: Callable[[Tx], T]) -> T:
    connection.execute("BEGIN")
    try:
        return fn(tx)
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


async def open_sqlite(path: str | Path, *, readers: int | None = None, read_only: bool = False) -> Database:
    """Open the store at `path`, made if it is not there (mode 0600) and brought up to this program's version.

    `readers` is the number of reading connections (the number of cores, at most 4). With `read_only` nothing
    is ever written. To be used on the event loop it was opened on, and closed on it.

    Raises: NotOurs, TooNew, ReadOnly, Damaged, StoreError; the file is then as it was.
    """
    file = Path(path)
    name = str(file)
    opened: list[aiosqlite.Connection] = []
    writing: sqlite3.Connection | None = None
    try:
        if read_only:
            await asyncio.to_thread(check_file, file, read_only=True)
        else:
            writing = await asyncio.to_thread(prepare_file, file)
        for _ in range(readers or min(CPUS, 4)):
            reader = aiosqlite.Connection(lambda: connect(file, read_only=read_only), iter_chunk_size=64)
            opened.append(await reader)
            await reader._execute(configure, reader._conn, True)  # type: ignore[no-untyped-call]
    except BaseException as error:
        for reader in opened:
            await reader.close()
        if writing is not None:
            writing.close()
        if isinstance(error, sqlite3.Error):
            raise translated(name, error) from error
        raise
    writer = None
    if writing is not None:
        writer = _Writer(writing, name, asyncio.get_running_loop())
        writer.start()
    return _Sqlite(name, opened, writer)
