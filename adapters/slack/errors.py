"""What Slack's errors mean for a delivery: nothing went out, or it may have."""

from __future__ import annotations

import logging
import socket
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError, SlackRequestError

from bot.errors import DeliveryError, Refused, Uncertain

log = logging.getLogger(__name__)

FAILURES = (SlackClientError, aiohttp.ClientError, OSError, TimeoutError)
"""What a call may raise besides our own errors."""

REASONS = MappingProxyType(
    {
        "account_inactive": "unauthorised",
        "invalid_auth": "unauthorised",
        "not_allowed_token_type": "unauthorised",
        "not_authed": "unauthorised",
        "token_expired": "unauthorised",
        "token_revoked": "unauthorised",
        "channel_not_found": "gone",  # or private, and we are not in it
        "message_not_found": "gone",
        "thread_not_found": "gone",
        "cant_delete_message": "gone",  # a bot deletes its own; this one is not
        "cant_update_message": "gone",
        "edit_window_closed": "gone",
        "is_archived": "archived",
        "not_in_channel": "not_in_channel",
        "team_access_not_granted": "removed",
        "team_not_found": "removed",
        "access_denied": "forbidden",
        "ekm_access_denied": "forbidden",
        "method_not_supported_for_channel_type": "forbidden",
        "missing_scope": "forbidden",
        "no_permission": "forbidden",
        "not_allowed": "forbidden",
        "posting_to_general_channel_denied": "forbidden",
        "restricted_action": "forbidden",
        "restricted_action_non_threadable_channel": "forbidden",
        "restricted_action_read_only_channel": "forbidden",
        "restricted_action_thread_locked": "locked",
        "restricted_action_thread_only_channel": "forbidden",
        "cannot_dm_bot": "closed",
        "cannot_message_yourself": "closed",
        "messages_tab_disabled": "closed",
        "user_disabled": "closed",
        "user_not_found": "closed",
        "user_not_visible": "closed",
        "is_inactive": "closed",
        "im_not_found": "closed",
        "app_rate_limited": "rate_limited",
        "message_limit_exceeded": "rate_limited",
        "rate_limited": "rate_limited",
        "ratelimited": "rate_limited",
    }
)
"""Slack's own words; every other one means that we asked for something that cannot be."""

_UNSURE = MappingProxyType(
    {
        "fatal_error": "server",
        "internal_error": "server",
        "request_timeout": "timeout",
        "service_unavailable": "server",
        "team_added_to_org": "server",
        "accesslimited": "server",
    }
)
"""Slack says itself that part of it may have been done, or does not say how far it came."""

_NEVER_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ClientHttpProxyError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.InvalidURL,
    ConnectionRefusedError,
    socket.gaierror,
)


def delivery_error(error: BaseException) -> Refused | Uncertain:
    """The same in our words: Refused only if surely nothing went out, `retry_after` where Slack named it."""
    match error:
        case Refused() | Uncertain():
            return error
        case SlackApiError():
            return _answered(error)
        case SlackRequestError():
            return Refused("invalid")
        case TimeoutError() if not isinstance(error, aiohttp.ConnectionTimeoutError):
            return Uncertain("timeout")
        case _ if isinstance(error, _NEVER_SENT):
            return Refused("network")
        case aiohttp.ClientError() | OSError() | SlackClientError() | DeliveryError():
            return Uncertain("network")
        case _:
            return Uncertain("fault")


def error_code(error: SlackApiError) -> str:
    """Slack's own word, '' in an answer that has none, such as a web page."""
    code = _data(error).get("error")
    return code if isinstance(code, str) else ""


def retry_after(error: SlackApiError) -> float | None:
    """Seconds to wait, from the answer's header; None where Slack did not say that we ask too often."""
    if _status(error) != 429 and REASONS.get(error_code(error)) != "rate_limited":
        return None
    try:
        return max(0.0, float(error.response.headers["Retry-After"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _answered(error: SlackApiError) -> Refused | Uncertain:
    """Slack took the call and said no; of a 5xx nobody knows."""
    code, status = error_code(error), _status(error)
    if status == 429 or REASONS.get(code) == "rate_limited":
        return Refused("rate_limited", retry_after=retry_after(error))
    if status >= 500 or code in _UNSURE:
        return Uncertain(_UNSURE.get(code, "server"))
    if not code:  # something on the way: Slack itself gives a word; of a good status nobody knows
        return Refused("network") if 400 <= status < 500 else Uncertain("server")
    reason = REASONS.get(code, "invalid")
    if reason == "invalid":
        log.warning("Slack refuses a call: %s %s", code, "; ".join(_details(error)))
    return Refused(reason)


def _details(error: SlackApiError) -> list[str]:
    """Where in the payload the fault is, as Slack points to it."""
    metadata = _data(error).get("response_metadata")
    found = metadata.get("messages") if isinstance(metadata, dict) else None
    return [str(each)[:300] for each in found[:10]] if isinstance(found, list) else []


def _data(error: SlackApiError) -> Mapping[str, Any]:
    """What the answer holds; the library raises with the bare HTTP answer where it could not read it."""
    data = getattr(error.response, "data", error.response)
    return data if isinstance(data, dict) else {}


def _status(error: SlackApiError) -> int:
    found = getattr(error.response, "status_code", None) or getattr(error.response, "status", None)
    return found if isinstance(found, int) else 200
