"""The connection to Discord: how it begins, holds, is mended and ends, with the real library."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import discord
import pytest

from adapters.discord import client
from adapters.discord.client import Budget
from adapters.terminal import sentence
from bot.errors import Refused, TokenRefused
from bot.messages.pages.operator import switched_off_line
from bot.messages.words import words_for
from tests.lab.chatlab.fakediscord import FakeDiscord
from tests.lab.online import Online, online


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Online]:
    async with online(tmp_path / "paperclub.db") as opened:
        yield opened


@pytest.fixture
async def offline(tmp_path: Path) -> AsyncIterator[Online]:
    """A server and a bot that has not begun to connect."""
    async with FakeDiscord() as lab:
        yield (opened := Online(lab, tmp_path / "paperclub.db"))
        await opened.close()


async def help_works(here: Online) -> bool:
    done = await here.lab.slash(here.ada, here.channel, "paper help")
    return done.response is not None and done.response.ephemeral


# ---- beginning ----


async def test_once_connected_it_says_as_whom_and_in_how_many_servers(here: Online) -> None:
    assert here.readies == [(str(here.discord.connection.client.user), 1)]
    assert here.discord.connection.me == here.discord.connection.application == here.lab.bot_user.id
    assert here.discord.connection.channel(str(here.channel.id)) is not None
    assert here.discord.connection.channel("1") is None
    assert here.discord.connection.channel("no number") is None


async def test_no_privileged_intent_is_asked_for(here: Online) -> None:
    intents = here.discord.connection.client.intents
    assert {name for name, on in intents if on} == {"guilds"}


async def test_a_refused_token_is_told_at_once_and_shown_nowhere(
    offline: Online, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "MTIzNDU2.not.the-token"
    await offline.open(replace(offline.settings, token=secret))
    began = asyncio.get_running_loop().time()
    with pytest.raises(TokenRefused) as refused:
        await offline.connect()
    assert asyncio.get_running_loop().time() - began < 5
    assert offline.readies == []
    assert secret not in caplog.text + repr(refused.value) + repr(refused.value.__cause__)


async def test_where_discord_cannot_be_reached_it_is_tried_again(
    offline: Online, caplog: pytest.LogCaptureFixture
) -> None:
    await offline.open()
    offline.lab.add_fault("status", "/users/@me", status=503)
    offline.connect()
    await offline.lab.wait_for(lambda: offline.readies, 10)
    assert await help_works(offline)
    assert [each.levelname for each in caplog.records if "next try in" in each.getMessage()] == ["WARNING"]


async def test_a_gateway_that_is_closed_at_first_is_tried_again(offline: Online) -> None:
    await offline.open()
    offline.lab.refuse_gateway(1)
    offline.connect()
    await offline.lab.wait_for(lambda: offline.readies, 10)
    assert await help_works(offline)


async def test_before_the_first_login_nothing_goes_out(offline: Online) -> None:
    await offline.open()
    with pytest.raises(Refused):
        await offline.discord.connection.call("GET", "/users/@me")
    assert offline.lab.requests == []


# ---- holding ----


@pytest.mark.parametrize("how", ["reset", "4000", "asked"])
async def test_a_connection_that_breaks_is_resumed(here: Online, how: str) -> None:
    if how == "asked":
        await here.lab.ask_reconnect()
    else:
        await here.lab.drop_gateway(None if how == "reset" else int(how))
    await here.lab.wait_for(lambda: here.lab.gateway.resumes == 1 and here.lab.gateway.ready_sessions, 10)
    assert await help_works(here)
    assert here.lab.gateway.identifies == 1


async def test_a_new_session_repeats_nothing_that_is_done_once(here: Online) -> None:
    greeting = await here.lab.wait_message(here.channel)
    await here.lab.invalidate_session(resumable=False)
    await here.lab.wait_for(lambda: here.lab.gateway.identifies == 2 and here.lab.gateway.ready_sessions, 10)
    assert await help_works(here)
    assert (len(here.readies), here.lab.command_syncs) == (1, 1)
    assert here.lab.messages(here.channel, by_bot=True) == [greeting]


async def test_a_token_refused_by_the_gateway_later_ends_the_adapter(here: Online) -> None:
    here.lab.token = "another"
    await here.lab.drop_gateway()
    assert here.serving is not None
    with pytest.raises(TokenRefused):
        await asyncio.wait_for(here.serving, 10)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (4010, "too many servers"),
        (4011, "too many servers"),
        (4012, "Update Paperclub"),
        (4013, "notice about intents"),
        (4014, "notice about intents"),
    ],
)
async def test_a_bot_that_discord_will_not_serve_ends_the_adapter_and_says_what_to_do(
    here: Online, code: int, words: str
) -> None:
    await here.lab.drop_gateway(code)
    assert here.serving is not None
    with pytest.raises(TokenRefused) as refused:
        await asyncio.wait_for(here.serving, 10)
    assert words in sentence(words_for("en"), refused.value)
    told = refused.value
    later = switched_off_line(words_for("en"), told.platform, told.setting, told.why)
    assert words in later and "is switched off" in later and "{" not in later
    assert here.lab.gateway.identifies == 1


async def test_never_more_than_a_thousand_sessions_are_begun_in_a_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, slept = 5.0, list[float]()

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        slept.append(seconds)

    budget = Budget(client.IDENTIFIES, client.IDENTIFY_EVERY)
    monkeypatch.setattr(client.asyncio, "sleep", sleep)
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now)
    begun = 0
    while now < 86_400:
        await budget.take()
        begun += 1
        now += 2
    assert 900 < begun <= 1_000
    monkeypatch.undo()
    assert len(slept) > 800 and max(slept) <= client.IDENTIFY_EVERY


async def test_a_new_session_is_paid_for_and_a_resumed_one_is_not(here: Online) -> None:
    left = here.discord.connection.identifies._left
    await here.lab.ask_reconnect()
    await here.lab.wait_for(lambda: here.lab.gateway.resumes == 1 and here.lab.gateway.ready_sessions, 10)
    assert here.discord.connection.identifies._left >= left
    await here.lab.invalidate_session(resumable=False)
    await here.lab.wait_for(lambda: here.lab.gateway.identifies == 2 and here.lab.gateway.ready_sessions, 10)
    assert here.discord.connection.identifies._left < left


async def test_a_token_refused_by_a_call_later_ends_the_adapter(here: Online) -> None:
    here.lab.token = "another"
    with pytest.raises(discord.HTTPException):
        await here.discord.connection.call("GET", "/users/@me")
    assert here.serving is not None
    with pytest.raises(TokenRefused):
        await asyncio.wait_for(here.serving, 5)


async def test_what_must_not_be_stored_twice_is_not_sent_twice(here: Online) -> None:
    path, ids = "/channels/{channel_id}/messages", {"channel_id": here.channel.id}
    here.lab.add_fault("status_after", "/channels/*/messages", method="POST", status=502)
    with pytest.raises(discord.DiscordServerError):
        await here.discord.connection.call("POST", path, json={"content": "one"}, once=True, **ids)
    assert [m.content for m in here.lab.messages(here.channel, by_bot=True) if m.content] == ["one"]


# ---- ending ----


async def test_it_ends_in_time_and_leaves_nothing_running(tmp_path: Path) -> None:
    async with FakeDiscord() as lab:
        before = asyncio.all_tasks()
        here = Online(lab, tmp_path / "paperclub.db")
        await here.start()
        began = asyncio.get_running_loop().time()
        await here.close()
        assert asyncio.get_running_loop().time() - began < 5
        await lab.wait_for(lambda: not lab.gateway.connections, 5)
        names = [task.get_coro().__qualname__ for task in asyncio.all_tasks() - before]
        assert [name for name in names if "discord" in name.lower() or "Client" in name] == []


async def test_it_ends_in_time_while_it_is_waiting_for_discord(offline: Online) -> None:
    await offline.open()
    offline.lab.add_fault("drop_before", "/users/@me", times=None)
    serving = offline.connect()
    await offline.lab.wait_for(lambda: offline.lab.requests, 5)
    offline.stop.set()
    await asyncio.wait_for(serving, 3)


async def test_answers_under_way_are_finished_before_it_ends(here: Online) -> None:
    await here.found_club()
    with here.slow_reading():
        asked = await here.lab.slash(here.ada, here.channel, "paper help", wait=False)
        await asyncio.sleep(0.05)
        here.stop.set()
        await asyncio.sleep(0.05)
    assert here.serving is not None
    await asyncio.wait_for(here.serving, 5)
    assert asked.response is not None


# ---- tokens ----


async def test_no_token_of_a_bot_or_an_answer_reaches_a_log(
    here: Online, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    here.lab.add_fault("rate_limit", "/interactions/*", retry_after=0.05)
    here.lab.add_fault("status_after", "/interactions/*", skip=1, status=502)
    tokens = [here.lab.token]
    for _ in range(2):
        done = await here.lab.slash(here.ada, here.channel, "paper help")
        assert done.response is not None
        tokens.append(done.token)
    assert "rate limited" in caplog.text
    assert [token for token in tokens if token in caplog.text] == []


async def test_an_event_that_cannot_be_read_costs_no_more_than_itself(
    here: Online, caplog: pytest.LogCaptureFixture
) -> None:
    here.lab.gateway.dispatch("INTERACTION_CREATE", {"id": "1", "type": 2}, guild=here.guild)
    assert await help_works(here)
    assert "an event could not be read" in caplog.text
    assert here.lab.gateway.identifies == 1


async def test_nothing_is_kept_of_an_answer_once_it_is_given(here: Online) -> None:
    buckets = here.discord.connection.client.http._buckets
    before = len(buckets)
    for _ in range(3):
        done = await here.lab.slash(here.ada, here.channel, "paper help")
        assert done.response is not None
    await here.lab.wait_for(lambda: len(buckets) == before)
