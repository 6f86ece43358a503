"""Who may call us: our own workspace, and those connected to it about what we posted. Others are told why not."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Protocol

from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from adapters.slack.errors import FAILURES
from bot.errors import DeliveryError
from bot.messages.pages.workspaces import organisation_line, other_workspace_line
from bot.messages.words import words_for

log = logging.getLogger(__name__)

_GOODBYES = ("app_uninstalled", "tokens_revoked")


class House(Protocol):
    """The connection, as the door knows it."""

    team: str
    bot_id: str

    async def respond(self, url: str, body: Mapping[str, Any]) -> None: ...
    async def ask_again(self) -> None: ...
    def authorized(self) -> AuthorizeResult: ...
    def begin(self, work: Coroutine[Any, Any, None]) -> None: ...


class Door(AsyncMiddleware):
    """Stands before every listener; of the library's own kind of middleware, whose other kind costs more."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def async_process(
        self, *, req: AsyncBoltRequest, resp: BoltResponse, next: Callable[[], Awaitable[BoltResponse]]
    ) -> BoltResponse | None:
        """Calls for us go on; others are acknowledged, and a person is told why nothing follows."""
        body, organisation = req.body, bool(req.context.is_enterprise_install)
        if body.get("type") == "url_verification":
            return await next()
        if organisation or not self._concerns_us(body, req.context):
            log.info("a call from %s was refused", "an organisation" if organisation else "another workspace")
            return self._decline(body, organisation)
        if (body.get("event") or {}).get("type") in _GOODBYES:
            self._house.begin(self._house.ask_again())
        return await next()

    def _concerns_us(self, body: Mapping[str, Any], context: AsyncBoltContext) -> bool:
        if not self._house.team:
            return False
        about = body.get("message") or body.get("view") or {}
        return (
            context.team_id == self._house.team
            or about.get("bot_id") == self._house.bot_id
            or bool(
                (body.get("container") or {}).get("is_ephemeral")
            )  # where we are not, nobody sees such of ours
        )

    def _decline(self, body: Mapping[str, Any], organisation: bool) -> BoltResponse:
        words = words_for("en")  # nothing is known about whoever asks
        line = organisation_line(words) if organisation else other_workspace_line(words)
        if "command" in body:
            return BoltResponse(status=200, body={"response_type": "ephemeral", "text": line})
        if body.get("response_url"):
            said = {"response_type": "ephemeral", "replace_original": False, "text": line}
            self._house.begin(self._tell(str(body["response_url"]), said))
        return BoltResponse(status=200, body="")

    async def _tell(self, url: str, said: Mapping[str, Any]) -> None:
        try:
            await self._house.respond(url, said)
        except (*FAILURES, DeliveryError):
            log.info("a refusal did not arrive")


def checked(body: dict[str, Any]) -> dict[str, Any]:
    """The call, in which everything the library and we reach into is what it has to be; what is null is left out.

    Raises: ValueError for anything else.
    """
    body = {key: value for key, value in body.items() if value is not None}
    for key in ("event", "view", "message", "container"):
        if not isinstance(body.get(key, {}), Mapping):
            raise ValueError(f"no object: {key}")
    kind, view = body.get("type"), body.get("view", {})
    if kind in ("view_submission", "view_closed") and "view" not in body:
        raise ValueError("no dialog")
    state = view.get("state") or {}
    if not isinstance(state, Mapping) or not isinstance(state.get("values") or {}, Mapping):
        raise ValueError("no values")
    if kind == "event_callback" and not isinstance(body.get("event", {}).get("type"), str):
        raise ValueError("no event")
    for where in (body, view):
        if not isinstance(where.get("callback_id") or "", str):
            raise ValueError("no id")
    if kind == "block_actions" or "actions" in body:
        actions = body.get("actions")
        if not isinstance(actions, list) or not actions or not all(_is_action(each) for each in actions):
            raise ValueError("no action")
    return body


def _is_action(action: object) -> bool:
    return isinstance(action, Mapping) and isinstance(action.get("action_id"), str)


class Authorize(AsyncAuthorize):
    """What the library asks before every listener."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def __call__(self, **_: Any) -> AuthorizeResult:
        return self._house.authorized()
