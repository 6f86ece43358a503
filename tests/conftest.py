"""Fixtures that many rooms use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import settings

from bot.storage.database import Database
from bot.storage.sqlite import open_sqlite
from tests.lab.chatlab.common import Changes, Clock

settings.register_profile("paperclub", deadline=None)  # a busy machine is no fault of ours
settings.load_profile("paperclub")
# Nor is its slowness; `make bench` holds the first answers to the platforms' three seconds.
Clock.deadline = 15.0
_wait_for = Changes.wait_for
Changes.wait_for = lambda self, predicate, timeout, describe="condition": (  # type: ignore[method-assign]
    _wait_for(self, predicate, 3 * timeout, describe)
)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """A real, empty store in a file of its own."""
    opened = await open_sqlite(tmp_path / "paperclub.db", readers=2)
    yield opened
    await opened.close()
