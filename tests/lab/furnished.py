"""Fixtures: a house with the starter catalogue, imported once and copied for every test."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.starter import starter_pages
from tests.lab.house import MONDAY, House


@pytest.fixture(scope="session")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the starter catalogue on the shared shelf and nothing else."""
    path = tmp_path_factory.mktemp("stocked") / "paperclub.db"

    async def stock() -> None:
        house = await House.open(path)
        await house.group.import_pages(starter_pages(), MONDAY)
        await house.close()

    asyncio.run(stock())
    return path


@pytest.fixture
async def bare(tmp_path: Path) -> AsyncIterator[House]:
    """The program on an empty store."""
    opened = await House.open(tmp_path / "bare.db")
    yield opened
    await opened.close()


@pytest.fixture
async def both(stocked: Path, tmp_path: Path) -> AsyncIterator[House]:
    """The program on two platforms, before anybody set up a club."""
    path = tmp_path / "paperclub.db"
    shutil.copyfile(stocked, path)
    opened = await House.open(path, ("discord", "slack"))
    yield opened
    await opened.close()


@pytest.fixture
async def house(stocked: Path, tmp_path: Path) -> AsyncIterator[House]:
    """The program on a store of its own, before anybody set up a club."""
    path = tmp_path / "paperclub.db"
    shutil.copyfile(stocked, path)
    opened = await House.open(path)
    yield opened
    await opened.close()
