"""Who may talk to the page: only browsers on this machine, and only from the page itself."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adapters.preview.errors import NotHere

LOOPBACK = "127.0.0.1"

# Everything comes from this server; Vue compiles templates, so script evaluation has to be allowed.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


def check_address(host: str) -> None:
    """Pass only the loopback address.

    Raises:
        NotHere: any other address could be reached from elsewhere, and the preview has no passwords.
    """
    if host != LOOPBACK:
        raise NotHere(host)


class Guard:
    """Refuses every http and websocket request whose Host is not this server or whose Origin is another.

    The Host check stops foreign pages whose name was rebound to this machine, the Origin check their scripts.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        names = ("127.0.0.1", "localhost", "[::1]")
        self._hosts = {f"{name}:{port}" for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif self._may(scope):
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            await _answer_forbidden(send)

    def _may(self, scope: Scope) -> bool:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self._hosts:
            return False
        return all(self._is_ours(origin.decode("latin-1")) for origin in origins)

    def _is_ours(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin.lower())
        except ValueError:
            return False
        return parts.scheme == "http" and parts.netloc in self._hosts and not (parts.path or parts.query)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_HEADERS]
        await send(message)

    return sending


async def _answer_forbidden(send: Send) -> None:
    headers: list[Any] = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"9")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": b"Forbidden"})
