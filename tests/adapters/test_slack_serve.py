"""Slack as a part of the program: ready once, over in time, and guests who read."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.errors import TokenRefused
from tests.lab.chatlab.fakeslack import FakeSlack, User
from tests.lab.furnished import stocked
from tests.lab.slack_online import SlackOnline, slack_online

__all__ = ["stocked"]


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[SlackOnline]:
    """A workspace with papers to read, before there is a club."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with slack_online(tmp_path / "paperclub.db") as opened:
        yield opened


async def test_it_is_ready_once_however_often_the_connection_changes(here: SlackOnline) -> None:
    assert here.readies == [("paperclub", "Readers")]
    for opened in (2, 3):
        await here.lab.disconnect()
        await here.lab.wait_for(partial(_has_opened, here, opened), 10, "another connection")
        assert (await here.typed(here.ada, "/paper help")).ephemeral
    assert here.readies == [("paperclub", "Readers")]
    assert len(here.lab.messages(here.lab.dm(here.owner), by_bot=True)) == 1
    here.check()


def _has_opened(here: SlackOnline, connections: int) -> bool:
    return here.lab.courier.connections_opened >= connections


async def test_news_that_mean_nothing_to_us_are_acknowledged_and_not_answered(here: SlackOnline) -> None:
    here.lab.say(here.ada, here.channel, f"thanks, <@{here.team.bot_user}>")
    here.lab.react(here.ada, here.lab.messages(here.channel)[0], "thumbsup")
    late = here.person("member-9")
    here.lab.join(late, here.channel)
    await here.lab.wait_for(
        lambda: all(each.acknowledged for each in here.lab.events_sent()), 5, "all of them"
    )
    assert len(here.lab.events_sent()) >= 4 and here.lab.messages(here.channel, by_bot=True) == []
    here.check()


BODIES: list[dict[str, Any]] = [
    {"command": "/paper"},
    {"command": "/paper", "text": None, "user_id": None, "channel_id": None, "response_url": None},
    {"command": "", "text": "x", "user_id": "U1"},
    {"type": "block_actions", "actions": [{"action_id": "help", "type": "button"}]},
    {
        "type": "block_actions",
        "actions": [{"action_id": "help", "type": "button"}],
        "user": {},
        "channel": None,
    },
    {
        "type": "block_actions",
        "actions": [{"action_id": "x" * 255, "type": "static_select", "selected_option": None}],
    },
    {"type": "block_actions", "actions": [{"action_id": "help", "type": "button"}], "view": {"type": "home"}},
    {
        "type": "block_actions",
        "actions": [{"action_id": "help", "type": "b"}],
        "view": {"private_metadata": "[1"},
    },
    {"type": "view_submission", "view": {"callback_id": ""}},
    {"type": "view_submission", "view": {"callback_id": "ballot:1", "state": None, "blocks": None}},
    {"type": "view_submission", "view": {"callback_id": "ballot:1", "state": {"values": {"a": {"b": None}}}}},
    {
        "type": "view_submission",
        "view": {"callback_id": "x:1", "private_metadata": '{"channel": 7}', "id": "V1"},
    },
    {"type": "view_closed", "view": {"callback_id": "ballot:1"}},
    {"type": "block_suggestion", "action_id": "x", "value": "y"},
    {"type": "shortcut", "callback_id": "nominate"},
    {"type": "message_action", "callback_id": "nominate", "message": None},
    {
        "type": "message_action",
        "callback_id": "nominate",
        "message": {"blocks": [None], "attachments": [None]},
    },
    {"type": "message_action", "callback_id": "other", "message": {}},
    {"event": {"type": "message", "channel_type": "im", "user": "U1", "channel": "D1"}},
    {"event": {"type": "app_home_opened", "tab": "home"}},
    {"event": {"type": "app_home_opened", "tab": "home", "user": "U0", "view": None}},
    {"event": {"type": "tokens_revoked", "tokens": None}},
    {"event": {"type": "never_heard_of"}},
]


@pytest.mark.parametrize("body", BODIES, ids=str)
async def test_calls_that_lack_anything_are_acknowledged(
    here: SlackOnline, body: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    await here.found_club()
    whole = {"team_id": here.team.id, "team": {"id": here.team.id}, "user": {"id": here.ada.id}, **body}
    if "view" in body:
        whole["view"] = {"type": "modal", **body["view"]}
    if "event" in body:
        whole |= {"type": "event_callback", "event_id": "Ev1"}
    request = AsyncBoltRequest(mode="socket_mode", body=whole)
    response = await here.slack.connection.app.async_dispatch(request)
    assert response.status == 200
    await here.close()
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("http", [False, True], ids=["socket", "http"])
async def test_a_refused_token_ends_it_in_time(tmp_path: Path, http: bool) -> None:
    async with FakeSlack() as lab:
        here = SlackOnline(lab, tmp_path / "paperclub.db", http=http)
        here.settings = replace(here.settings, bot_token="xoxb-wrong")
        await here.open()
        began = asyncio.get_running_loop().time()
        with pytest.raises(TokenRefused) as refused:
            await here.connect()
        assert asyncio.get_running_loop().time() - began < 5
        assert "xoxb-wrong" not in str(refused.value) and here.readies == []
        await here.close()


async def test_it_stops_while_slack_cannot_be_reached(tmp_path: Path) -> None:
    async with FakeSlack() as lab:
        here = SlackOnline(lab, tmp_path / "paperclub.db")
        lab.add_fault("status", "/auth.test", status=503, times=None)
        await here.open()
        serving = here.connect()
        await lab.wait_for(lambda: lab.requests, 10, "a try")
        here.stop.set()
        async with asyncio.timeout(5):
            await serving
        await here.close()


async def test_no_secret_is_logged(here: SlackOnline, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await here.found_club()
        page = await here.typed(here.owner, "/club settings")
        view = await here.form(here.owner, await here.lab.click(here.owner, page, "Change the club"))
        here.lab.add_fault("status", "/response_url", status=404)
        here.lab.add_fault("error", "/chat.postEphemeral", error="not_in_channel")
        await here.lab.submit(here.owner, view, {"Time zone": "Asia/Tokyo"})
        await here.lab.wait_message(here.lab.dm(here.owner), "Saved", timeout=10)
        here.lab.add_fault("drop_before", "/views.open")
        done = await here.lab.click(here.owner, page, "Change the club")
        await here.answer(done)
    ours = [record for record in caplog.records if not record.name.startswith("aiohttp")]
    logged = "\n".join(logging.Formatter().format(record) for record in ours)
    secrets = [
        here.settings.bot_token,
        here.settings.app_token,
        *here.lab.triggers,
        *here.lab.response_secrets.values(),
    ]
    assert logged and [secret for secret in secrets if secret in logged] == []
    here.check("not_in_channel")


# ---- guests ----


@pytest.fixture(params=["is_restricted", "is_ultra_restricted", "is_stranger"])
def guest(here: SlackOnline, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> User:
    """Somebody who is no full member of the workspace."""
    who = here.person("guest")
    whole = User.json

    def json(user: User) -> dict[str, Any]:
        return whole(user) | ({request.param: True} if user.id == who.id else {})

    monkeypatch.setattr(User, "json", json)
    return who


async def opened_vote(here: SlackOnline, **settings: Any) -> None:
    await here.found_club(**settings)
    for paper in ("p1", "p2"):
        await here.typed(here.ada, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    await here.tick(here.now + timedelta(seconds=5))


async def test_guests_read_and_do_not_vote(here: SlackOnline, guest: User) -> None:
    await opened_vote(here)
    assert "p3" in (await here.typed(guest, "/paper show p3")).shown
    for line in ("/paper vote", "/paper nominate p3"):
        assert "Guests and people of other workspaces read here" in (await here.typed(guest, line)).shown
    here.check()


async def test_guests_vote_where_the_club_allows_it(here: SlackOnline, guest: User) -> None:
    await opened_vote(here, guests_vote=True)
    view = await here.form(guest, await here.lab.slash(guest, here.channel, "/paper", "vote"))
    block = next(b for b in view.payload["blocks"] if b.get("element", {}).get("type") == "checkboxes")
    await here.lab.submit(guest, view, {block["block_id"]: [block["element"]["options"][0]["value"]]})
    assert (await here.beside(guest, "Counted.")).ephemeral
    here.check()
