"""The connection: one door for every call to Slack, and the app that takes Slack's calls, over a socket or HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
from binascii import a2b_qp
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, NoReturn

import aiohttp
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.door import Authorize, Door, checked
from adapters.slack.errors import error_code, retry_after
from adapters.slack.socket_mode import UNREACHABLE, Socket
from adapters.waits import Waits
from adapters.web import serving
from bot.errors import Refused, TokenRefused, Uncertain
from bot.settings import SLACK_APP_TOKEN, SLACK_BOT_TOKEN, SlackSettings

log = logging.getLogger(__name__)

EVENTS = "/slack/events"
CALLS = 30.0
"""Seconds one call to Slack may take."""
CLOSING = 1.5

TOKEN_REFUSED = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "not_allowed_token_type",
        "not_authed",
        "token_expired",
        "token_revoked",
    }
)
"""What Slack says of a token that will never be taken again."""

_PATIENT = ("auth.", "conversations.", "team.", "users.", "usergroups.", "bots.", "views.publish")
"""Calls that read, or that put the same in the same place again: nobody waits for them by the second."""
_AS_JSON = ("chat.", "views.", "files.completeUploadExternal")
_LONGEST_WAIT = 10.0


class Connection:
    """One bot in one workspace. `app` takes listeners before `run`; they acknowledge and leave their work to tasks.

    `team`, `me` and `bot_id` are empty until Slack has taken the token.
    """

    def __init__(self, settings: SlackSettings) -> None:
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None
        self._refused = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._organisation = False
        self._signatures = SignatureVerifier(settings.signing_secret) if settings.signing_secret else None
        self.team = ""
        self.team_name = ""
        self.me = ""
        self.name = ""
        self.bot_id = ""
        self._client = AsyncWebClient(
            base_url=settings.api_base, retry_handlers=[], logger=_quiet("slack_sdk")
        )
        if not settings.api_base.startswith("https://"):
            self._client.proxy = None  # the library takes one from the environment also for this machine
        self.app = AsyncApp(
            name="slack_bolt.paperclub",
            logger=_quiet("slack_bolt"),
            client=self._client,
            authorize=Authorize(self),
            before_authorize=Door(self),
            signing_secret=settings.signing_secret,
            process_before_response=True,
            ssl_check_enabled=False,
            attaching_function_token_enabled=False,
            attaching_conversation_kwargs_enabled=False,
        )

    # ---- to Slack ----

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One call of the Web API, never repeated by itself, except that one which only reads, or draws a Home, waits
        out a limit of up to 10 s once. Parameters that are None are left out.

        Raises:
            Refused: there is no connection yet; nothing went out.
            Uncertain: an answer that is not Slack's.
            slack_sdk.errors.SlackApiError, aiohttp.ClientError, OSError: as the library raises them.
        """
        try:
            return await self._call(method, params)
        except SlackApiError as error:
            if error_code(error) in TOKEN_REFUSED:
                self._refused.set()
            wait = retry_after(error)
            if wait is None or wait > _LONGEST_WAIT or not method.startswith(_PATIENT):
                raise
            await asyncio.sleep(wait)
        return await self._call(method, params)

    async def respond(self, url: str, body: Mapping[str, Any]) -> None:
        """Answer by the address that came with a command or press: 5 times, within 30 minutes.

        Raises:
            Refused: the address is used up or too old, or there is no connection.
            Uncertain: a 5xx.
            aiohttp.ClientError, OSError: as the library raises them.
        """
        if self._session is None:
            raise Refused("network")
        async with self._session.post(url, json=dict(body), proxy=self._client.proxy) as reply:
            if reply.status >= 500:
                raise Uncertain("server")
            if reply.status != 200:
                said = (await reply.text())[:100]
                log.warning("an answer was refused (status %d): %s", reply.status, said)
                raise Refused("rate_limited" if reply.status == 429 else "invalid")

    async def upload(self, url: str, data: bytes) -> None:
        """Bring a file to the host Slack named for it, which is told nothing of who we are.

        Raises:
            Refused: the host does not take it, the address is none of the web, or there is no connection.
            aiohttp.ClientError, OSError: as the library raises them.
        """
        if self._session is None:
            raise Refused("network")
        if not url.startswith(("https://", self._settings.api_base.partition(":")[0] + "://")):
            raise Refused("invalid")
        form = {"Content-Type": "application/octet-stream"}
        async with self._session.post(
            url, data=data, headers=form, proxy=self._client.proxy, allow_redirects=False
        ) as reply:
            if reply.status != 200:
                raise Refused("network")

    async def _call(self, method: str, params: Mapping[str, Any], token: str = "") -> dict[str, Any]:
        if self._session is None:
            raise Refused("network")
        given = {name: value for name, value in params.items() if value is not None}
        form, data = (None, given) if method.startswith(_AS_JSON) else (given, None)
        headers = {"Authorization": f"Bearer {token or self._settings.bot_token}"}
        try:
            reply = await self._client.api_call(method, headers=headers, params=form, json=data)
        except (AttributeError, ValueError) as error:
            raise Uncertain("server") from error  # 200 with something that is no object of Slack's
        return dict(reply.data) if isinstance(reply.data, dict) else {}

    # ---- staying connected ----

    async def run(self, ready: Callable[[], Awaitable[None]]) -> NoReturn:
        """Stay connected until cancelled, waiting 1 to 60 s where Slack cannot be reached; then call `close`.
        `ready` is called once, when calls can come in both directions; never for an organisation's installation.

        Raises:
            TokenRefused: at once, also when a token is refused later.
            BadInput: the port for Slack's calls is taken.
        """
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALLS))
        self._client.session = self._session
        running = asyncio.create_task(self._stay(ready))
        refused = asyncio.create_task(self._refused.wait())
        try:
            await asyncio.wait((running, refused), return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                raise TokenRefused("Slack", SLACK_BOT_TOKEN)
            await running
            raise AssertionError("a connection does not end by itself")
        finally:
            for task in (running, refused):
                task.cancel()
            await asyncio.gather(running, refused, return_exceptions=True)

    async def close(self) -> None:
        """End what is left of the connection, within two seconds."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _stay(self, ready: Callable[[], Awaitable[None]]) -> NoReturn:
        waits = Waits("Slack", log)
        await self._introduce(waits)
        opened = self._opened if self._organisation else ready
        if self._settings.app_token:
            await self._by_socket(opened, waits)
        await self._by_http(opened)

    async def _by_socket(self, ready: Callable[[], Awaitable[None]], waits: Waits) -> NoReturn:
        assert self._session is not None
        socket = Socket(self.app, self._session, self._socket_url)
        try:
            await socket.run(ready, waits)
        finally:
            await socket.close()

    async def _by_http(self, ready: Callable[[], Awaitable[None]]) -> NoReturn:
        async with serving(self._settings.http_host, self._settings.http_port, {EVENTS: self.take}):
            await ready()
            await asyncio.Event().wait()
        raise AssertionError("only cancelled")

    async def _opened(self) -> None:
        log.error("Slack: the app is installed for a whole organisation; install it in one workspace instead")

    async def _introduce(self, waits: Waits) -> None:
        """Ask Slack who we are, as long as it takes."""
        while True:
            try:
                who = await self._call("auth.test", {})
                break
            except SlackApiError as error:
                if error_code(error) in TOKEN_REFUSED:
                    raise TokenRefused("Slack", SLACK_BOT_TOKEN) from error
                problem: Exception = error
            except (*UNREACHABLE, Uncertain) as error:
                problem = error
            await waits.sleep(problem, least=1.0)
        self._organisation = bool(who.get("is_enterprise_install"))
        self.team = "" if self._organisation else str(who.get("team_id") or "")
        self.team_name, self.name = str(who.get("team") or ""), str(who.get("user") or "")
        self.me, self.bot_id = str(who.get("user_id") or ""), str(who.get("bot_id") or "")

    async def _socket_url(self) -> str:
        try:
            return str((await self._call("apps.connections.open", {}, self._settings.app_token))["url"])
        except SlackApiError as error:
            if error_code(error) == "missing_scope":
                log.error("Slack: the token in %s lacks the scope connections:write", SLACK_APP_TOKEN)
            if error_code(error) in (*TOKEN_REFUSED, "missing_scope"):
                raise TokenRefused("Slack", SLACK_APP_TOKEN) from error
            if (wait := retry_after(error)) is not None:
                await asyncio.sleep(wait)
            raise
        except (KeyError, Uncertain) as error:
            raise ConnectionError("no address for a connection") from error

    # ---- from Slack ----

    async def take(self, request: web.Request) -> web.Response:
        """A call of Slack's by HTTP; 401 unless it is signed with our secret within the last five minutes."""
        try:
            body = (await request.read()).decode()
            if not self._is_signed(body, request.headers):
                return web.Response(status=401, text="not signed by Slack")
            # as by socket, since the signature is checked
            asked = AsyncBoltRequest(body=checked(_called(body)), mode="socket_mode")
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            return web.Response(status=400, text="not a call of Slack's")
        try:
            return await to_aiohttp_response(await self.app.async_dispatch(asked))
        except (
            ValueError,
            TypeError,
            AttributeError,
            LookupError,
        ) as error:  # the library reaches into it, too
            log.warning("a call could not be read: %s", type(error).__name__)
            return web.Response(status=400, text="not a call of Slack's")

    def _is_signed(self, body: str, headers: Mapping[str, str]) -> bool:
        """The library looks as well, but fails at a time that is no number and a signature in other letters."""
        stamp, signature = (headers.get(f"X-Slack-{name}", "") for name in ("Request-Timestamp", "Signature"))
        if self._signatures is None or not (stamp.isascii() and stamp.isdecimal() and signature.isascii()):
            return False
        return self._signatures.is_valid(body, stamp, signature)

    def authorized(self) -> AuthorizeResult:
        """Who the library works as: always our own token, whatever it would read from the environment or a file."""
        return AuthorizeResult(
            enterprise_id=None,
            team_id=self.team,
            bot_id=self.bot_id,
            bot_user_id=self.me,
            bot_token=self._settings.bot_token,
        )

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside, until the connection is closed."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def ask_again(self) -> None:
        """After a goodbye: whether our token is still taken, which `call` notices."""
        try:
            await self.call("auth.test")
        except (*UNREACHABLE, Refused, Uncertain):
            log.info("after a goodbye Slack could not be asked")


def _called(body: str) -> dict[str, Any]:
    """What a call by HTTP says. The library's own reading costs more than all else together, and takes a command
    with the word 'payload' in it for nothing.

    Raises: ValueError, RecursionError where it is no object.
    """
    if not body.startswith("{"):
        fields = {
            _plain(name): _plain(value)
            for name, _, value in (each.partition("=") for each in body.split("&"))
        }
        if "payload" not in fields:
            return dict(fields)
        body = fields["payload"]
    called = json.loads(body)
    if not isinstance(called, dict):
        raise ValueError("no object")
    return called


def _plain(text: str) -> str:
    """A name or value of a form: quoted-printable but for its sign, and read as such in no time."""
    quoted = text.replace("=", "=3D").replace("+", " ").replace("%", "=")
    return a2b_qp(quoted.encode()).decode(errors="replace")


def _quiet(name: str) -> logging.Logger:
    """The library's logger: its debug log holds whole calls, its warnings what people wrote; errors are told."""
    logger = logging.getLogger(name)
    logger.setLevel(logging.ERROR)
    return logger
