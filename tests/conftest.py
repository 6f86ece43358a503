"""Fixtures that many rooms use."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import settings

from bot.storage.database import Database
from bot.storage.sqlite import open_sqlite
from tests.lab.chatlab.common import Clock

settings.register_profile("paperclub", deadline=None)  # a busy machine is no fault of ours
settings.load_profile("paperclub")
Clock.deadline = (
    15.0  # nor is its slowness; `make bench` holds the first answers to the platforms' three seconds
)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """A real, empty store in a file of its own."""
    opened = await open_sqlite(tmp_path / "paperclub.db", readers=2)
    yield opened
    await opened.close()
