"""The connection to Slack: tokens, sockets, signed calls, workspaces that are not ours."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from adapters.logs import hide
from adapters.slack.client import Connection
from adapters.slack.seen import Seen, key_of
from adapters.web import serving
from bot.errors import BadInput, Refused, TokenRefused, Uncertain
from bot.settings import SLACK_APP_TOKEN, SLACK_BOT_TOKEN
from bot.storage.sqlite import open_sqlite
from tests.lab.chatlab.fakeslack import FakeSlack
from tests.lab.ports import free_port
from tests.lab.slack_lab import MARKER, Station, said, settings_for, station

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def listen(connection: Connection, seen: Seen | None = None) -> list[str]:
    """Listeners of every kind, which acknowledge and note what came."""
    heard: list[str] = []

    async def note(body: dict[str, Any], what: str) -> None:
        if seen is None or await seen.first_time(key_of(body)):
            heard.append(what)

    @connection.app.command("/paper")
    async def command(ack: Any, body: dict[str, Any]) -> None:
        await ack()
        await note(body, f"{body['command']} {body['text']}")

    @connection.app.event("app_home_opened")
    async def event(body: dict[str, Any]) -> None:
        await note(body, body["event"]["type"])

    @connection.app.event("message")
    async def message(body: dict[str, Any]) -> None:
        await note(body, body["event"]["text"])

    @connection.app.event("member_joined_channel")
    async def joined(body: dict[str, Any]) -> None:
        await note(body, body["event"]["type"])

    return heard


async def refused(connection: Connection) -> TokenRefused:
    """What a connection ends with."""

    async def never() -> None:
        raise AssertionError("it was never ready")

    try:
        async with asyncio.timeout(5):
            with pytest.raises(TokenRefused) as told:
                await connection.run(never)
    finally:
        await connection.close()
    return told.value


@pytest.mark.parametrize("http", [False, True])
async def test_commands_and_events_arrive_in_both_modes(http: bool) -> None:
    async with station(http=http) as here:
        heard = listen(here.connection)
        done = await here.lab.slash(here.member, here.channel, "/paper", "today")
        here.lab.open_home(here.member)
        await here.lab.wait_for(lambda: len(heard) == 2, 5)
        assert done.acknowledged
        assert heard == ["/paper today", "app_home_opened"]
        assert (here.connection.team, here.connection.me) == (here.team.id, here.team.bot_user)


async def test_a_bot_hears_nothing_of_itself() -> None:
    async with station() as here:
        heard = listen(here.connection)
        await here.connection.call("chat.postMessage", channel=here.channel.id, text="mine")
        here.lab.say(here.member, here.channel, "theirs")
        await here.lab.wait_for(lambda: heard, 5)
        assert heard == ["theirs"]


@pytest.mark.parametrize("http", [False, True])
async def test_settings_of_another_app_in_the_environment_change_nothing(
    http: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.setenv(name, "another")
    async with station(http=http) as here:
        heard = listen(here.connection)
        done = await here.lab.slash(here.member, here.channel, "/paper", "today")
        assert heard == ["/paper today"]
        assert done.reply is None
        await here.connection.call("chat.postMessage", channel=here.channel.id, text="mine")
        assert here.shown() == ["mine"]


@pytest.mark.parametrize(
    "answer", ["invalid_auth", "account_inactive", "token_revoked", "not_allowed_token_type"]
)
async def test_a_token_that_is_refused_at_the_start_is_told_at_once(answer: str) -> None:
    async with FakeSlack() as lab:
        here = Station(lab)
        lab.add_fault("error", "/auth.test", error=answer)
        told = await refused(here.connection)
        assert (told.platform, told.setting) == ("Slack", SLACK_BOT_TOKEN)
        assert str(here.team.bot_token) not in str(told)


async def test_an_app_token_that_is_refused_is_told_at_once() -> None:
    async with FakeSlack() as lab:
        here = Station(lab, app_token="xapp-wrong")
        told = await refused(here.connection)
        assert (told.platform, told.setting) == ("Slack", SLACK_APP_TOKEN)


async def test_an_app_token_that_lacks_its_scope_is_told_with_the_scope(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with FakeSlack() as lab:
        here = Station(lab)
        lab.add_fault("error", "/apps.connections.open", error="missing_scope")
        assert (await refused(here.connection)).setting == SLACK_APP_TOKEN
        assert "connections:write" in caplog.text


async def test_an_app_token_refused_at_a_reconnect_ends_the_connection() -> None:
    async with FakeSlack() as lab:
        here = Station(lab)
        with pytest.raises(TokenRefused) as told:
            async with here.connected():
                lab.app_token = "xapp-another"
                lab.drop_sockets()
                await asyncio.sleep(0)
                await lab.wait_for(lambda: len(here.calls("apps.connections.open")) == 2, 5)
                await asyncio.sleep(0.1)
        assert told.value.setting == SLACK_APP_TOKEN


@pytest.mark.parametrize("heard", [False, True])
async def test_a_token_that_is_revoked_later_ends_the_connection(heard: bool) -> None:
    async with FakeSlack() as lab:
        here = Station(lab)
        if not heard:
            lab.subscriptions = set()
        with pytest.raises(TokenRefused) as told:
            async with here.connected():
                lab.uninstall(here.team)
                if not heard:
                    with pytest.raises(Exception, match="token_revoked"):
                        await here.connection.call("conversations.info", channel=here.channel.id)
                await lab.wait_for(lambda: here.connection._refused.is_set(), 5)
                await asyncio.sleep(0.05)
        assert told.value.setting == SLACK_BOT_TOKEN


async def test_an_unreachable_slack_is_tried_again_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    async with FakeSlack() as lab:
        here = Station(lab)
        lab.add_fault("drop_before", "/auth.test")
        lab.add_fault("status", "/apps.connections.open", status=503)
        with caplog.at_level(logging.INFO, "adapters"):
            async with here.connected():
                pass
        told = [each.getMessage() for each in caplog.records]
        assert len([each for each in told if "cannot be reached" in each]) == 1
        assert str(here.team.bot_token) not in caplog.text and lab.app_token not in caplog.text


async def test_before_there_is_a_connection_nothing_goes_out() -> None:
    async with FakeSlack() as lab:
        with pytest.raises(Refused):
            await Station(lab).connection.call("chat.postMessage", channel="C1", text="early")


# ---- sockets ----


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "link_disabled"])
async def test_slack_may_ask_for_another_connection_and_nothing_is_lost(reason: str) -> None:
    async with station() as here:
        heard = listen(here.connection)
        await here.lab.disconnect(reason)
        await here.lab.wait_for(lambda: here.lab.courier.connections_opened == 2, 5)
        await here.lab.wait_ready()
        for number in range(4):
            done = await here.lab.slash(here.member, here.channel, "/paper", str(number))
            assert done.acknowledged
        assert heard == [f"/paper {number}" for number in range(4)]


async def test_a_connection_that_breaks_is_made_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "adapters")
    async with station() as here:
        heard = listen(here.connection)
        here.lab.refuse_sockets(1)
        assert here.lab.drop_sockets() == 1
        await here.lab.wait_for(lambda: here.lab.courier.connections_opened == 2, 8)
        assert (await here.lab.slash(here.member, here.channel, "/paper", "again")).acknowledged
        assert heard == ["/paper again"]
        assert "status 403" in caplog.text and "ticket" not in caplog.text


async def test_a_listener_that_fails_leaves_the_connection_alone(caplog: pytest.LogCaptureFixture) -> None:
    async with station() as here:

        @here.connection.app.command("/club")
        async def broken(ack: Any) -> None:
            raise RuntimeError("broken")

        heard = listen(here.connection)
        await here.lab.slash(here.member, here.channel, "/club", "x", wait=False)
        assert (await here.lab.slash(here.member, here.channel, "/paper", "fine")).acknowledged
        assert heard == ["/paper fine"]


async def test_an_acknowledgement_takes_no_ten_milliseconds() -> None:
    async with station() as here:
        listen(here.connection)
        took = []
        for _ in range(20):
            done = await here.lab.slash(here.member, here.channel, "/paper", "today")
            took.append(done.acknowledged_after or 9.0)
        assert sorted(took)[5] < 0.01


# ---- signed calls ----


def signed(secret: str, body: str, *, at: float | None = None) -> dict[str, str]:
    """The headers of a call as Slack signs it."""
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    return {
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={digest}",
        "Content-Type": "application/json",
    }


@asynccontextmanager
async def caller(here: Station) -> AsyncIterator[Any]:
    """Calls us as anybody could; gives status and text."""
    async with aiohttp.ClientSession(base_url=f"http://127.0.0.1:{here.port}") as http:

        async def call(path: str = "/slack/events", method: str = "POST", **more: Any) -> tuple[int, str]:
            async with http.request(method, path, **more) as reply:
                return reply.status, await reply.text()

        yield call


def home_opened(here: Station, event: str = "Ev1") -> str:
    return json.dumps(
        {
            "type": "event_callback",
            "team_id": here.team.id,
            "event_id": event,
            "event": {"type": "app_home_opened", "user": here.member.id, "tab": "home"},
        }
    )


async def test_only_calls_that_slack_signed_lately_are_taken() -> None:
    async with station(http=True) as here, caller(here) as call:
        heard = listen(here.connection)
        body, secret = home_opened(here), here.lab.signing_secret
        for headers in (
            {"Content-Type": "application/json"},
            signed("another secret", body),
            signed(secret, body + " "),
            signed(secret, body, at=time.time() - 400),
            signed(secret, body, at=time.time() + 400),
            signed(secret, body) | {"X-Slack-Request-Timestamp": "soon"},
            signed(secret, body) | {"X-Slack-Signature": "v0=é".encode().decode("latin-1")},
        ):
            status, _ = await call(data=body, headers=headers)
            assert status == 401, headers
        assert heard == []
        assert await call(data=body, headers=signed(secret, body)) == (200, "")
        assert heard == ["app_home_opened"]
        assert await here.lab.verify_url()


async def test_what_is_no_call_of_slacks_is_refused_and_the_server_lives_on() -> None:
    async with station(http=True) as here, caller(here) as call:
        secret = here.lab.signing_secret
        for body in ("[]", "{", "3", "null", '{"event": 3}', "payload=%7B", '{"a":' * 100_000):
            status, _ = await call(data=body, headers=signed(secret, body))
            assert status in (200, 400, 404), body[:20]
        assert (await call(data=b"\xff\xfe", headers=signed(secret, "")))[0] in (400, 401)
        assert (await call(data=b"x" * 1_000_001))[0] == 413
        assert (await call("/elsewhere"))[0] == 404
        assert (await call("/", "GET"))[0] == 404
        assert (await call("/slack/events", "GET"))[0] == 405
        assert await call("/health", "GET") == (200, "ok")


async def test_a_port_that_is_taken_is_told_by_name() -> None:
    async with station(http=True) as here:
        other = Connection(here.settings)

        async def never() -> None:
            raise AssertionError("it was never ready")

        with pytest.raises(BadInput) as told:
            await other.run(never)
        await other.close()
        assert told.value.field == "PAPERCLUB_HTTP_PORT"


# ---- the same again ----


async def test_what_comes_twice_is_done_once_also_after_a_restart(tmp_path: Any) -> None:
    for again in (False, True):
        database = await open_sqlite(tmp_path / "store.db")
        try:
            async with station(http=True) as here, caller(here) as call:
                here.team.id = here.connection.team = "T1"
                heard = listen(here.connection, Seen(database, lambda: START))
                body = home_opened(here)
                for _ in range(2):
                    assert (await call(data=body, headers=signed(here.lab.signing_secret, body)))[0] == 200
                assert heard == ([] if again else ["app_home_opened"])
        finally:
            await database.close()


@pytest.mark.parametrize("http", [False, True])
async def test_a_retry_is_heard_when_it_is_the_first_copy_that_arrives(http: bool, tmp_path: Any) -> None:
    database = await open_sqlite(tmp_path / "store.db")
    try:
        async with station(http=http) as here:
            heard = listen(here.connection, Seen(database, lambda: START))
            here.lab.open_home(here.member)
            await here.lab.wait_for(lambda: heard, 5)
            event = here.lab.events_sent("app_home_opened")[0]
            await here.lab.resend_event(event.id)
            assert heard == ["app_home_opened"]
            event.payload["event_id"] = "EvLONE"
            await here.lab.resend_event(event.id)
            assert heard == ["app_home_opened"] * 2
    finally:
        await database.close()


def test_a_form_is_the_same_with_the_same_values_and_a_press_with_the_same_trigger() -> None:
    def form(**more: Any) -> dict[str, Any]:
        view = {"id": "V1", "hash": "h1", "state": {"values": {"a": {"b": {"value": "1"}}}}}
        return {"type": "view_submission", "trigger_id": "1.1", "view": view | more}

    assert key_of(form()) == key_of(form() | {"trigger_id": "2.2"})
    assert key_of(form()) != key_of(form(hash="h2"))
    assert key_of(form()) != key_of(form(state={"values": {"a": {"b": {"value": "2"}}}}))
    press = {"type": "block_actions", "trigger_id": "1.1", "view": {"id": "V1", "hash": "h1"}}
    assert key_of(press) == key_of(dict(press)) != key_of(press | {"trigger_id": "1.2"})
    assert key_of({"event_id": "Ev1"}) != key_of({"event_id": "Ev2"})
    assert key_of({}) == ""


# ---- where we are not at home ----


@pytest.mark.parametrize("http", [False, True])
async def test_another_workspace_is_answered_politely_and_nothing_is_done(http: bool) -> None:
    async with station(http=http) as here:
        heard = listen(here.connection)
        team = here.lab.create_workspace("Others")
        channel = here.lab.create_channel(team, "general")
        member = here.lab.create_user(team, "member-2", channels=[channel])
        done = await here.lab.slash(member, channel, "/paper", "today")
        here.lab.open_home(member)
        await here.lab.wait_for(lambda: all(each.acknowledged for each in here.lab.events_sent()), 5)
        assert done.reply is not None and done.reply.ephemeral
        assert "another workspace" in done.reply.text
        assert heard == []


async def test_an_installation_for_a_whole_organisation_is_refused_in_the_log_and_to_people(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with FakeSlack() as lab:
        here = Station(lab)
        lab.org_wide.add(here.team.id)
        heard = listen(here.connection)

        async def never() -> None:
            raise AssertionError("it was never ready")

        running = asyncio.create_task(here.connection.run(never))
        try:
            await lab.wait_ready()
            done = await lab.slash(here.member, here.channel, "/paper", "today")
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            await here.connection.close()
        assert done.reply is not None and "whole organisation" in done.reply.text
        assert "whole organisation" in caplog.text
        assert heard == []


@pytest.mark.parametrize("ephemeral", [False, True])
async def test_a_press_by_somebody_of_a_connected_workspace_on_our_message_arrives(ephemeral: bool) -> None:
    async with station() as here:
        pressed: list[str] = []

        @here.connection.app.action("go")
        async def press(ack: Any, body: dict[str, Any]) -> None:
            await ack()
            pressed.append(body["user"]["team_id"])

        button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}
        blocks = [{"type": "actions", "elements": [button]}]
        method, more = (
            ("chat.postEphemeral", {"user": here.member.id}) if ephemeral else ("chat.postMessage", {})
        )
        await here.connection.call(method, channel=here.channel.id, text="x", blocks=blocks, **more)
        shown = here.lab.messages(here.channel, seen_by=here.member, by_bot=True)[0]
        team = here.lab.create_workspace("Others")
        guest = here.lab.create_user(team, "member-3")
        payload = here.lab._interactive(
            guest,
            team,
            "block_actions",
            actions=[button | {"block_id": "b", "action_ts": "1.1"}],
            **here.lab._container(shown),
        )
        delivery = here.lab._new_delivery("interactive", payload, team, guest, here.channel)
        await here.lab._send(delivery, wait=True)
        assert pressed == [team.id]


# ---- one door ----


async def test_reading_waits_out_a_short_limit_and_posting_never_does() -> None:
    async with station() as here:
        here.lab.add_fault("rate_limit", "/conversations.info", retry_after=1.0)
        found = await here.connection.call("conversations.info", channel=here.channel.id)
        assert found["channel"]["id"] == here.channel.id
        here.lab.add_fault("rate_limit", "/chat.postMessage", retry_after=1.0)
        with pytest.raises(Exception, match="ratelimited"):
            await here.connection.call("chat.postMessage", channel=here.channel.id, text="x")
        assert len(here.calls("chat.postMessage")) == 1


async def test_an_answer_by_its_address_says_when_it_is_used_up() -> None:
    async with station() as here:
        listen(here.connection)
        done = await here.lab.slash(here.member, here.channel, "/paper", "today")
        url = done.payload["response_url"]
        for number in range(5):
            await here.connection.respond(url, {"text": str(number)})
        with pytest.raises(Refused):
            await here.connection.respond(url, {"text": "6"})
        assert [each.text for each in done.replies] == list("01234")
        here.lab.add_fault("status", "/response_url", status=502)
        with pytest.raises(Exception, match="server"):
            await here.connection.respond(url, {"text": "7"})


async def test_the_log_holds_no_token_and_nothing_of_what_people_wrote(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        async with station(http=True) as here:
            here.lab.say(here.member, here.channel, "between us")
            await here.lab.slash(here.member, here.channel, "/unknown", "secretly")
            token, secret = str(here.team.bot_token), here.lab.signing_secret
    for word in ("between us", "secretly", token, secret):
        assert not [
            each for each in caplog.records if word in each.getMessage() and each.name != "aiosqlite"
        ], word


@pytest.mark.parametrize(
    "text",
    [
        "refused: xoxb-1234567890-abcdefghij",
        "refused: xapp-1-A0123-4567-abcdef",
        "refused: xoxe.xoxb-1-abcdefghij",
        "wss://wss-primary.slack.test/link/?ticket=12-abcdefghij&app_id=A0",
        "https://hooks.slack.com/commands/T0/1/abcdefghij",
    ],
)
def test_what_looks_like_a_secret_of_slacks_stays_out_of_the_log(text: str) -> None:
    assert "abcdef" not in hide(text) and "…" in hide(text)


async def test_settings_for_a_port_sign_and_those_without_open_a_socket() -> None:
    async with FakeSlack() as lab:
        team = lab.create_workspace("Readers")
        assert settings_for(lab, team).app_token and not settings_for(lab, team, 3000).app_token


async def test_a_press_in_another_workspace_is_answered_by_its_address() -> None:
    async with station() as here:
        team = here.lab.create_workspace("Others")
        channel = here.lab.create_channel(team, "general")
        member = here.lab.create_user(team, "member-2", channels=[channel])
        button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}
        blocks = [{"type": "actions", "elements": [button]}]
        theirs = here.lab.store(channel, text="x", blocks=blocks, user=team.bot_user, bot=True)
        done = await here.lab.click(member, theirs, "Go")
        await here.lab.wait_for(lambda: done.reply, 5)
        assert done.reply is not None and done.reply.ephemeral and "another workspace" in done.reply.text
        assert theirs.text == "x"


@pytest.mark.parametrize("text", ["[]", "3", '"ok"', "true"])
async def test_an_answer_that_is_no_object_is_not_taken_for_one(text: str) -> None:
    async def odd(_: web.Request) -> web.Response:
        return web.Response(text=text, content_type="application/json")

    async with station() as here, serving("127.0.0.1", port := free_port(), {"/api/chat.postMessage": odd}):
        here.connection._client.base_url = f"http://127.0.0.1:{port}/api/"
        with pytest.raises(Uncertain):
            await here.platform.send(here.address(), said("x"), MARKER)


@pytest.mark.parametrize(
    "typed", ["search payload", "search 100% = a+b & c; %41 é 汉 🙂", "search  _x_ \t=20", ""]
)
async def test_a_command_by_http_says_what_was_typed_whatever_it_is(typed: str) -> None:
    heard: list[str] = []

    async def on_command(ack: Any, body: dict[str, Any]) -> None:
        heard.append(body["text"])
        await ack()

    async with station(http=True) as here:
        here.connection.app.command("/paper")(on_command)
        done = await here.lab.slash(here.member, here.channel, "/paper", typed)
        assert done.acknowledged and heard == [typed]


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "block_actions", "actions": []},
        {"type": "block_actions", "actions": None},
        {"type": "block_actions", "actions": "x"},
        {"type": "block_actions", "actions": ["x"]},
        {"type": "block_actions", "actions": [{"action_id": 3}]},
        {"type": "block_actions", "actions": [{"action_id": "go"}], "message": "x"},
        {"type": "view_submission", "view": None},
        {"type": "view_submission", "view": "x"},
        {"type": "view_submission", "view": {"state": "x"}},
        {"type": "event_callback", "event": None},
        {"type": "event_callback", "event": "x"},
        {"type": "event_callback", "event": {"type": 3}},
    ],
)
@pytest.mark.parametrize("http", [False, True])
async def test_a_call_that_is_none_is_left_alone_without_a_trace(
    http: bool, odd: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with station(http=http) as here:
        heard = listen(here.connection)
        payload = {
            "team": {"id": here.team.id},
            "user": {"id": here.member.id},
            "team_id": here.team.id,
        } | odd
        kind = "events_api" if odd["type"] == "event_callback" else "interactive"
        delivery = here.lab._new_delivery(kind, payload, here.team, here.member, here.channel)
        await here.lab._send(delivery, wait=True)
        assert heard == []
        said = [each for each in caplog.records if each.name != "asyncio"]  # where the lab speaks of itself
        assert not [each for each in said if each.exc_info or each.levelname == "ERROR"]
