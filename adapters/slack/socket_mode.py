"""Socket Mode: Slack's calls over websockets that we open, and the change from one to the next without a gap."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

import aiohttp
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app
from slack_bolt.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackClientError
from slack_sdk.socket_mode.request import SocketModeRequest

from adapters.slack.door import checked
from adapters.waits import STEADY, Waits

log = logging.getLogger(__name__)

UNREACHABLE = (SlackClientError, aiohttp.ClientError, OSError, TimeoutError)

_HEARTBEAT = 10.0
_HELLO = 15.0
_DRAIN = 15.0
"""Seconds an old connection is still listened to after Slack announced its end."""


class Socket:
    """Takes Slack's calls for `app`. `open_url` asks Slack for an address, which is good for one connection.

    The library's own handler closes the old connection before it opens the next, tries a used address again and
    again, and never ends when the token is refused.
    """

    def __init__(
        self, app: AsyncApp, session: aiohttp.ClientSession, open_url: Callable[[], Awaitable[str]]
    ) -> None:
        self._app = app
        self._session = session
        self._open_url = open_url
        self._tasks: set[asyncio.Task[Any]] = set()

    async def run(self, ready: Callable[[], Awaitable[None]], waits: Waits) -> NoReturn:
        """Stay connected until cancelled; `ready` is called once, when Slack has said hello the first time.

        Raises: what `open_url` raises beyond what passes by itself.
        """
        greeted = False
        while True:
            began = asyncio.get_running_loop().time()
            problem: Exception | None = None
            try:
                websocket, moved = await self._connect(), asyncio.Event()
                listening = self._spawn(self._listen(websocket, moved))
                if not greeted:
                    greeted = True
                    await ready()
                await _until_moved(listening, moved)
            except UNREACHABLE as error:
                problem = error
            lived = asyncio.get_running_loop().time() - began
            waits.lived(lived)
            await waits.sleep(problem, least=1.0 if problem and lived < STEADY else 0.0)

    async def close(self) -> None:
        """End every connection; what was taken is acknowledged by then or never."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connect(self) -> aiohttp.ClientWebSocketResponse:
        async with asyncio.timeout(_HELLO):
            url = await self._open_url()
            try:
                websocket = await self._session.ws_connect(url, heartbeat=_HEARTBEAT)
            except aiohttp.WSServerHandshakeError as error:  # its text holds the address, which is a ticket
                raise ConnectionError(f"no connection: status {error.status}") from None
            first = await websocket.receive()
            if first.type is aiohttp.WSMsgType.TEXT and _read(first.data).get("type") == "hello":
                return websocket
        await websocket.close()
        raise ConnectionError("Slack did not say hello")

    async def _listen(self, websocket: aiohttp.ClientWebSocketResponse, moved: asyncio.Event) -> None:
        try:
            async with asyncio.timeout(None) as limit:
                async for raw in websocket:
                    envelope = _read(raw.data) if raw.type is aiohttp.WSMsgType.TEXT else {}
                    if envelope.get("type") == "disconnect":
                        log.debug("Slack asks for another connection: %s", envelope.get("reason"))
                        if not moved.is_set():
                            limit.reschedule(asyncio.get_running_loop().time() + _DRAIN)
                        moved.set()
                    elif (request := SocketModeRequest.from_dict(envelope)) is not None:
                        self._spawn(self._take(websocket, request))
        except TimeoutError:
            pass
        finally:
            await websocket.close()

    async def _take(self, websocket: aiohttp.ClientWebSocketResponse, request: SocketModeRequest) -> None:
        """Hand a call to the app and acknowledge it with what it says; one it fails at is not acknowledged."""
        try:
            try:
                request.payload = checked(request.payload)
            except (ValueError, AttributeError):
                log.warning("a call that is none of Slack’s was left alone")
                await websocket.send_str(json.dumps({"envelope_id": request.envelope_id}))
                return
            response: BoltResponse = await run_async_bolt_app(self._app, request)
            if response.status != 200:
                log.warning("a call of Slack's was not acknowledged (status %d)", response.status)
                return
            answer: dict[str, Any] = {"envelope_id": request.envelope_id}
            if response.body:
                is_json = response.headers.get("content-type", [""])[0].startswith("application/json")
                answer["payload"] = json.loads(response.body) if is_json else {"text": response.body}
            await websocket.send_str(json.dumps(answer))
        except (aiohttp.ClientError, OSError):
            log.info("the connection ended before a call of Slack's was acknowledged")
        except Exception:
            log.exception("a call of Slack's could not be taken")

    def _spawn(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _until_moved(listening: asyncio.Task[None], moved: asyncio.Event) -> None:
    """Returns when Slack asks for another connection; this one is listened to until it ends.

    Raises: ConnectionError when it ended without a word.
    """
    asked = asyncio.create_task(moved.wait())
    try:
        await asyncio.wait((listening, asked), return_when=asyncio.FIRST_COMPLETED)
    finally:
        asked.cancel()
    if not moved.is_set():
        await listening
        raise ConnectionError("the connection ended")


def _read(text: str) -> dict[str, Any]:
    """The object in a frame; nothing where there is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
