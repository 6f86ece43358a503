"""What each of Discord's errors means for a delivery."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from adapters.discord.errors import FAILURES, REASONS, delivery_error
from bot.delivery.platform import LASTING
from bot.errors import Refused, Uncertain


def answered(
    status: int, code: int = 0, headers: dict[str, str] | None = None, text: str | None = None
) -> discord.HTTPException:
    """An answer of Discord as the library raises it."""
    response: Any = SimpleNamespace(status=status, reason="", headers=headers or {})
    kinds = {403: discord.Forbidden, 404: discord.NotFound}
    kind = discord.DiscordServerError if status >= 500 else kinds.get(status, discord.HTTPException)
    return kind(response, text if text is not None else {"code": code, "message": "said"})


ANSWERS = [
    # status, code, reason
    (400, 0, "invalid"),
    (400, 50006, "invalid"),
    (400, 50008, "invalid"),
    (400, 50035, "invalid"),
    (400, 50109, "invalid"),
    (400, 200000, "invalid"),
    (400, 200001, "invalid"),
    (403, 240000, "invalid"),
    (403, 40333, "network"),
    (400, 50033, "closed"),
    (400, 50083, "archived"),
    (400, 160006, "archived"),
    (400, 160007, "archived"),
    (400, 40067, "forbidden"),
    (401, 0, "unauthorised"),
    (401, 40001, "unauthorised"),
    (401, 50014, "unauthorised"),
    (403, 50001, "forbidden"),
    (403, 50013, "forbidden"),
    (403, 20012, "forbidden"),
    (403, 50007, "closed"),
    (403, 50278, "closed"),
    (403, 160005, "locked"),
    (400, 160005, "locked"),
    (403, 0, "network"),
    (404, 0, "network"),
    (404, 10003, "gone"),
    (404, 10004, "removed"),
    (404, 10008, "gone"),
    (404, 10011, "invalid"),
    (404, 10013, "closed"),
    (405, 0, "invalid"),
    (413, 40005, "invalid"),
    (429, 0, "rate_limited"),
    (429, 30046, "rate_limited"),
    (429, 31002, "rate_limited"),
    (429, 20016, "rate_limited"),
    (429, 20022, "rate_limited"),
    (429, 20028, "rate_limited"),
    (429, 20029, "rate_limited"),
    (429, 40062, "rate_limited"),
    (400, 30046, "rate_limited"),
    (400, 40003, "rate_limited"),
    (403, 40004, "rate_limited"),
    (400, 40006, "rate_limited"),
]


@pytest.mark.parametrize(("status", "code", "reason"), ANSWERS)
def test_an_answer_that_says_no_is_refused_with_its_reason(status: int, code: int, reason: str) -> None:
    said = delivery_error(answered(status, code))
    assert isinstance(said, Refused)
    assert said.reason == reason


def test_every_code_we_name_stands_in_the_table() -> None:
    assert set(REASONS) <= {code for _, code, _ in ANSWERS}


def test_reasons_that_last_are_those_the_core_knows() -> None:
    passing = {"rate_limited", "unauthorised", "invalid", "network"}
    assert {reason for _, _, reason in ANSWERS} - passing <= set(LASTING)


@pytest.mark.parametrize("status", [500, 502, 503, 504, 520, 524])
@pytest.mark.parametrize("code", [0, 130000, 50013])
def test_of_a_5xx_nobody_knows(status: int, code: int) -> None:
    said = delivery_error(answered(status, code))
    assert isinstance(said, Uncertain) and said.reason == "server"


@pytest.mark.parametrize("code", [0, 30046])
def test_a_limit_names_its_seconds(code: int) -> None:
    said = delivery_error(answered(429, code, {"Retry-After": "17"}))
    assert (said.reason, said.retry_after) == ("rate_limited", 17.0)
    assert delivery_error(answered(429, code)).retry_after is None
    assert delivery_error(answered(429, code, {"Retry-After": "soon"})).retry_after is None


def test_a_ban_on_the_way_is_a_limit_and_a_page_in_between_no_right() -> None:
    assert delivery_error(answered(429, text="error code: 1015")).reason == "rate_limited"
    assert delivery_error(answered(403, text="<html>blocked</html>")).reason == "network"


def test_a_limit_the_library_does_not_wait_for_went_nowhere() -> None:
    said = delivery_error(discord.RateLimited(61.5))
    assert isinstance(said, Refused)
    assert (said.reason, said.retry_after) == ("rate_limited", 61.5)


def connector(problem: OSError) -> aiohttp.ClientConnectorError:
    key: Any = SimpleNamespace(host="127.0.0.1", port=1, ssl=True, is_ssl=True)
    if isinstance(problem, ssl.SSLError):
        return aiohttp.ClientConnectorSSLError(key, problem)
    return aiohttp.ClientConnectorError(key, problem)


@pytest.mark.parametrize(
    "error",
    [
        connector(ConnectionRefusedError(errno.ECONNREFUSED, "refused")),
        connector(OSError(errno.ENETUNREACH, "unreachable")),
        connector(socket.gaierror(socket.EAI_NONAME, "no such host")),
        connector(ssl.SSLError(1, "no certificate")),
        ConnectionRefusedError(),
        socket.gaierror(),
        aiohttp.ConnectionTimeoutError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_call_that_was_never_sent_is_refused(error: Exception) -> None:
    said = delivery_error(error)
    assert isinstance(said, Refused) and said.reason == "network"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (aiohttp.ServerDisconnectedError(), "network"),
        (aiohttp.ClientOSError(errno.ECONNRESET, "reset"), "network"),
        (aiohttp.ClientPayloadError(), "network"),
        (aiohttp.ClientError(), "network"),
        (ConnectionResetError(), "network"),
        (BrokenPipeError(), "network"),
        (OSError(), "network"),
        (discord.ConnectionClosed(SimpleNamespace(close_code=1006), shard_id=None), "network"),  # type: ignore[arg-type]
        (aiohttp.SocketTimeoutError(), "timeout"),
        (TimeoutError(), "timeout"),
        (discord.DiscordException(), "fault"),
        (KeyError("retry_after"), "fault"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_whatever_else_breaks_is_uncertain(error: Exception, reason: str) -> None:
    said = delivery_error(error)
    assert isinstance(said, Uncertain) and said.reason == reason


def test_a_token_that_is_refused_sends_nothing() -> None:
    assert delivery_error(discord.LoginFailure("no")).reason == "unauthorised"


def test_our_own_words_stay_as_they_are() -> None:
    for ours in (Refused("locked"), Uncertain("unsure")):
        assert delivery_error(ours) is ours


def test_all_of_the_library_s_exceptions_are_caught() -> None:
    for kind in (
        discord.HTTPException,
        discord.DiscordServerError,
        discord.RateLimited,
        discord.ConnectionClosed,
        aiohttp.ClientError,
        asyncio.TimeoutError,
        OSError,
    ):
        assert issubclass(kind, FAILURES)
