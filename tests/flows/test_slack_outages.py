"""What stands in a channel of Slack when answers are lost, or the bot may not write: one post, always."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.clubs.model import Account, Asker, Place
from bot.clubs.service import setup
from bot.storage.deliveries import list_deliveries
from bot.storage.troubles import find_trouble
from tests.lab.furnished import stocked
from tests.lab.house import ZONE
from tests.lab.slack_online import SlackOnline, slack_online

__all__ = ["stocked"]

DUE = datetime(2026, 11, 30, 8, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


@pytest.fixture(params=["socket", "http"])
async def here(stocked: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[SlackOnline]:
    """A club in a channel, with papers to read, a moment before the first is due."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with slack_online(tmp_path / "paperclub.db", http=request.param == "http") as opened:
        place = Place("slack", opened.team.id, opened.channel.id, name=opened.channel.name)
        founder = Asker(Account("slack", opened.team.id, opened.owner.id), place, "owner", admin=True)
        now = DUE - MINUTE
        await opened.database.write(lambda tx: setup(tx, founder, now, name="Readers", zone=ZONE))
        await opened.tick(now)
        await opened.lab.wait_message(
            opened.lab.dm(opened.owner), timeout=10
        )  # the greeting is out of the way
        yield opened


def posts(here: SlackOnline) -> list[str]:
    """What stands in the channel."""
    return [each.ts for each in here.lab.messages(here.channel, by_bot=True)]


async def state(here: SlackOnline) -> tuple[str, str, str | None]:
    """The day's delivery, as the store has it."""
    day = DUE.date().isoformat()
    (row,) = await here.database.read(lambda tx: list_deliveries(tx, 1, "daily", day))
    return row.state, row.reason, row.message_id


@pytest.mark.parametrize(
    ("fault", "more"),
    [
        ("drop_after", {}),
        ("status_after", {"status": 502}),
        ("drop_before", {}),
        ("status", {"status": 503}),
        ("error", {"error": "internal_error"}),
    ],
)
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_lost_answer_leaves_one_post_also_over_a_restart(
    here: SlackOnline, fault: str, more: Any, restarted: bool
) -> None:
    here.lab.add_fault(fault, "/chat.postMessage", **more)
    await here.tick(DUE)
    assert (await state(here))[0] == "uncertain"
    if restarted:
        await here.restart()
    for seconds in (5, 15, 25, 90):
        await here.tick(DUE + seconds * SECOND)
    (posted,) = posts(here)
    assert await state(here) == ("sent", (await state(here))[1], posted)


async def test_a_limit_is_waited_for_as_long_as_slack_says(here: SlackOnline) -> None:
    here.lab.add_fault("rate_limit", "/chat.postMessage", retry_after=30)
    for seconds in (0, 5, 29):
        await here.tick(DUE + seconds * SECOND)
    assert posts(here) == []
    await here.tick(DUE + 31 * SECOND)
    assert len(posts(here)) == 1
    tried = [each for each in here.lab.requests if each.path == "/chat.postMessage"]
    assert len([each for each in tried if each.body["channel"] == here.channel.id]) == 2


@pytest.mark.parametrize(("how", "reason"), [("kicked", "not_in_channel"), ("archived", "archived")])
async def test_where_the_bot_may_not_write_the_trouble_is_noted_and_the_paper_comes_once_it_may(
    here: SlackOnline, how: str, reason: str
) -> None:
    if how == "kicked":
        here.lab.remove_bot(here.channel)
    else:
        here.lab.archive(here.channel)
    await here.tick(DUE)
    assert posts(here) == []
    assert (await state(here))[1] == reason
    trouble = await here.database.read(lambda tx: find_trouble(tx, 1))
    assert trouble is not None and trouble.reason == reason
    here.channel.members.add(here.team.bot_user)
    here.channel.archived = False
    await here.tick(DUE + 2 * MINUTE)
    assert len(posts(here)) == 1
    assert await here.database.read(lambda tx: find_trouble(tx, 1)) is None


async def test_slack_away_for_an_hour_is_caught_up_with_one_post(here: SlackOnline) -> None:
    here.lab.add_fault("status", "/*", times=None, status=503)
    for minutes in range(0, 60, 5):
        await here.tick(DUE + minutes * MINUTE)
    assert posts(here) == []
    here.lab.clear_faults()
    for minutes in (61, 80, 121):
        await here.tick(DUE + minutes * MINUTE)
    assert len(posts(here)) == 1
