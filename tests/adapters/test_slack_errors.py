"""What each of Slack's answers means for a delivery: a table."""

from __future__ import annotations

import logging
import socket
import ssl
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError, SlackClientError, SlackRequestError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.errors import delivery_error, error_code, retry_after
from bot.errors import Refused, Uncertain


def api_error(data: Any, status: int = 200, **headers: str) -> SlackApiError:
    """As the library raises it for such an answer."""
    response = AsyncSlackResponse(
        client=None,
        http_verb="POST",
        api_url="https://slack.test/api/chat.postMessage",
        req_args={},
        data=data,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        status_code=status,
    )
    return SlackApiError("The request to the Slack API failed.", response)


def said(code: str, status: int = 200, **headers: str) -> SlackApiError:
    return api_error({"ok": False, "error": code}, status, **headers)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("channel_not_found", "gone"),
        ("message_not_found", "gone"),
        ("thread_not_found", "gone"),
        ("cant_update_message", "gone"),
        ("cant_delete_message", "gone"),
        ("edit_window_closed", "gone"),
        ("is_archived", "archived"),
        ("not_in_channel", "not_in_channel"),
        ("restricted_action", "forbidden"),
        ("restricted_action_read_only_channel", "forbidden"),
        ("missing_scope", "forbidden"),
        ("restricted_action_thread_locked", "locked"),
        ("cannot_dm_bot", "closed"),
        ("user_disabled", "closed"),
        ("user_not_found", "closed"),
        ("messages_tab_disabled", "closed"),
        ("token_revoked", "unauthorised"),
        ("account_inactive", "unauthorised"),
        ("invalid_auth", "unauthorised"),
        ("not_authed", "unauthorised"),
        ("token_expired", "unauthorised"),
        ("msg_too_long", "invalid"),
        ("msg_blocks_too_long", "invalid"),
        ("invalid_blocks", "invalid"),
        ("invalid_blocks_format", "invalid"),
        ("invalid_metadata_format", "invalid"),
        ("no_text", "invalid"),
        ("invalid_arguments", "invalid"),
        ("a_word_of_tomorrow", "invalid"),
    ],
)
def test_where_slack_says_no_surely_nothing_went_out(code: str, reason: str) -> None:
    found = delivery_error(said(code))
    assert isinstance(found, Refused)
    assert (found.reason, found.retry_after) == (reason, None)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (said("internal_error"), "server"),
        (said("fatal_error"), "server"),
        (said("service_unavailable"), "server"),
        (said("request_timeout"), "timeout"),
        (said("not_in_channel", 500), "server"),
        (api_error("<html>upstream error</html>", 502), "server"),
        (api_error({}, 503), "server"),
        (api_error(None, 504), "server"),
        (api_error({"ok": False}), "server"),
        (api_error({"ok": False, "error": ["odd"]}), "server"),
        (SlackApiError("unreadable", SimpleNamespace(status=502)), "server"),
        (SlackApiError("unreadable", SimpleNamespace(status=200)), "server"),
        (TimeoutError(), "timeout"),
        (TimeoutError(), "timeout"),
        (aiohttp.ServerTimeoutError(), "timeout"),
        (aiohttp.ServerDisconnectedError(), "network"),
        (aiohttp.ClientOSError(104, "reset"), "network"),
        (aiohttp.ClientPayloadError(), "network"),
        (ConnectionResetError(), "network"),
        (SlackClientError("odd"), "network"),
        (KeyError("odd"), "fault"),
    ],
)
def test_where_it_is_not_sure_slack_will_be_asked(error: Exception, reason: str) -> None:
    found = delivery_error(error)
    assert isinstance(found, Uncertain)
    assert found.reason == reason


_KEY: Any = SimpleNamespace(host="slack.test", port=443, ssl=True, is_ssl=True)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(),
        socket.gaierror(),
        aiohttp.ClientConnectorError(_KEY, OSError("no route")),
        aiohttp.ClientConnectorSSLError(_KEY, ssl.SSLError("no certificate")),
        aiohttp.ConnectionTimeoutError(),
        api_error("<html>a proxy</html>", 403),
        api_error("<html>a proxy</html>", 404),
    ],
)
def test_what_never_reached_slack_is_refused(error: Exception) -> None:
    found = delivery_error(error)
    assert isinstance(found, Refused)
    assert found.reason == "network"


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (said("ratelimited", 429, Retry_After="7"), 7.0),
        (said("rate_limited", 200, Retry_After="30"), 30.0),
        (said("ratelimited", 429), None),
        (said("ratelimited", 429, Retry_After="soon"), None),
        (said("ratelimited", 429, Retry_After="-1"), 0.0),
        (api_error("slow down", 429, Retry_After="2"), 2.0),
        (said("app_rate_limited"), None),
        (said("message_limit_exceeded"), None),
    ],
)
def test_a_limit_names_its_wait_where_slack_did(error: SlackApiError, seconds: float | None) -> None:
    found = delivery_error(error)
    assert isinstance(found, Refused)
    assert (found.reason, found.retry_after) == ("rate_limited", seconds)
    assert retry_after(error) == seconds


def test_no_other_answer_asks_to_wait() -> None:
    assert retry_after(said("not_in_channel", 200, Retry_After="7")) is None


def test_where_a_payload_is_wrong_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    where = "[ERROR] must be less than 3001 characters [json-pointer:/blocks/2/text]"
    error = api_error({"ok": False, "error": "invalid_blocks", "response_metadata": {"messages": [where, 3]}})
    with caplog.at_level(logging.WARNING):
        delivery_error(error)
        delivery_error(api_error({"ok": False, "error": "invalid_blocks", "response_metadata": "odd"}))
    assert where in caplog.text


def test_our_own_errors_stay_as_they_are() -> None:
    for error in (Refused("gone"), Uncertain("unsure")):
        assert delivery_error(error) is error
    assert delivery_error(SlackRequestError("odd")).reason == "invalid"


def test_an_answer_without_slacks_word_has_no_code() -> None:
    assert error_code(said("is_archived")) == "is_archived"
    assert error_code(api_error("<html>", 502)) == error_code(api_error({"error": 3})) == ""
