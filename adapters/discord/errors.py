"""What Discord's errors mean for a delivery: nothing went out, or it may have."""

from __future__ import annotations

import socket
from types import MappingProxyType

import aiohttp
import discord

from bot.errors import DeliveryError, Refused, Uncertain

FAILURES = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)
"""What a REST call may raise besides our own errors."""

REASONS = MappingProxyType(
    {
        10003: "gone",  # unknown channel
        10004: "removed",  # unknown server
        10008: "gone",  # unknown message
        10013: "closed",  # unknown person
        20016: "rate_limited",  # slow mode
        20022: "rate_limited",  # edits in announcement channels
        20028: "rate_limited",  # writing in one channel
        20029: "rate_limited",  # writing in one server
        30046: "rate_limited",  # edits of messages older than an hour
        40001: "unauthorised",
        40003: "rate_limited",  # opening private messages
        40004: "rate_limited",  # sending is switched off for a while
        40006: "rate_limited",  # a feature is switched off for a while
        40062: "rate_limited",
        40067: "forbidden",  # a forum that wants a tag which only moderators may set
        40333: "network",
        50001: "forbidden",
        50007: "closed",
        50013: "forbidden",
        50014: "unauthorised",
        50033: "closed",
        50083: "archived",
        50278: "closed",  # no server in common any more
        160005: "locked",
        160006: "archived",  # too many active threads: it cannot be opened again
        160007: "archived",
        200000: "invalid",  # stopped by the server's own filters
        200001: "invalid",
        240000: "invalid",
    }
)
"""Discord's own codes; the others go by their status."""

_NEVER_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
    ConnectionRefusedError,
    socket.gaierror,
)


def delivery_error(error: BaseException) -> Refused | Uncertain:
    """The same in our words: Refused only if surely nothing went out, `retry_after` where Discord named it."""
    match error:
        case Refused() | Uncertain():
            return error
        case discord.RateLimited():
            return Refused("rate_limited", retry_after=error.retry_after)
        case discord.HTTPException():
            return _answered(error)
        case discord.LoginFailure():
            return Refused("unauthorised")
        case TimeoutError() if not isinstance(error, aiohttp.ConnectionTimeoutError):
            return Uncertain("timeout")
        case _ if isinstance(error, _NEVER_SENT):
            return Refused("network")
        case aiohttp.ClientError() | OSError() | discord.ConnectionClosed() | DeliveryError():
            return Uncertain("network")
        case _:
            return Uncertain("fault")


def _answered(error: discord.HTTPException) -> Refused | Uncertain:
    """Discord took the call and said no; of a 5xx nobody knows."""
    if error.status >= 500:
        return Uncertain("server")
    reason = REASONS.get(error.code) or _by_status(error)
    if error.status == 429 or reason == "rate_limited":
        return Refused("rate_limited", retry_after=_retry_after(error))
    return Refused(reason)


def _by_status(error: discord.HTTPException) -> str:
    if error.status == 401:
        return "unauthorised"
    if error.status in (403, 404) and error.code == 0:
        return "network"  # something on the way, such as a proxy: Discord itself gives a code
    return "forbidden" if error.status == 403 else "invalid"


def _retry_after(error: discord.HTTPException) -> float | None:
    """Seconds, from the answer's header."""
    try:
        return float(error.response.headers["Retry-After"])
    except (KeyError, ValueError):
        return None
