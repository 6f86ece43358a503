"""The one door to what is remembered: two methods, whatever the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_us(moment: datetime) -> int:
    """An aware instant as integer microseconds since 1970 UTC, the one form times are stored in."""
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def from_us(stored: int) -> datetime:
    """The aware UTC instant behind stored microseconds."""
    return EPOCH + timedelta(microseconds=stored)


class Row(Protocol):
    """One result row: by position or by column name."""

    def __getitem__(self, key: int | str, /) -> Any: ...

    def keys(self) -> Iterable[str]: ...


class Tx(Protocol):
    """What a function given to `read` or `write` may do, and all it may do. Parameters are ``:named``."""

    def rows(self, sql: str, /, **params: Any) -> list[Row]:
        """All rows of a query (also of ``INSERT … RETURNING``)."""
        ...

    def run(self, sql: str, /, **params: Any) -> int:
        """Run a statement; the number of rows it changed."""
        ...

    def run_many(self, sql: str, params: Iterable[Mapping[str, Any]], /) -> None:
        """Run one statement for many parameter sets, in order."""
        ...


class Database(Protocol):
    """A store. `fn` gets a `Tx`, has no awaits, no I/O and no side effects: it may run again.

    Functions of several rooms compose in one `fn`, and then stand or fall together.
    """

    async def read(self, fn: Callable[[Tx], T]) -> T:
        """Run `fn` on one consistent snapshot. Raises StoreError when the engine fails."""
        ...

    async def write(self, fn: Callable[[Tx], T]) -> T:
        """Run `fn` in a transaction of its own that is durable when this returns.

        An exception out of `fn` undoes all of it and reaches the caller.
        Raises StoreError when the engine fails.
        """
        ...

    async def close(self) -> None:
        """Finish what is queued, then close every connection."""
        ...
