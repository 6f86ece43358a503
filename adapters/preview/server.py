"""The web server behind the page: NiceGUI in our own event loop, behind the guard."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from nicegui import Client, app, ui

from adapters.preview.client import Group, Preview
from adapters.preview.guard import LOOPBACK, Guard, check_address
from adapters.preview.icons import SHEET
from adapters.preview.page import Tab

_STATIC = Path(__file__).parent / "static"


class _Server(uvicorn.Server):
    """Leaves signals to the program around it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def make_server(
    preview: Preview,
    group: Group,
    start_over: Callable[[], Awaitable[None]],
    port: int,
    last_seconds: int,
    host: str = LOOPBACK,
) -> uvicorn.Server:
    """A server for the page, not started yet.

    Raises:
        NotHere: `host` is not the loopback address.
    """
    check_address(host)
    app.add_static_files("/static", _STATIC, max_cache_age=0)

    @ui.page("/", title="Paperclub", dark=None, response_timeout=20)
    async def index(request: Request, client: Client) -> None:
        ui.add_head_html(_head())
        asked = request.query_params
        who = f"member-{asked['as']}" if asked.get("as", "").isdecimal() else None
        locale = asked.get("lang") or _first_locale(request.headers.get("accept-language", ""))
        await Tab(preview, group, start_over, client).open(who, asked.get("in"), locale)

    web = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        web,
        title="Paperclub",
        favicon=str(SHEET).replace(
            "<svg ", '<svg xmlns="http://www.w3.org/2000/svg" style="color:#2f7d6b" ', 1
        ),
        dark=None,
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=10.0,
        gzip_middleware_factory=None,
    )
    return _Server(
        uvicorn.Config(
            Guard(web, port),
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="on",
            loop="none",
            ws="websockets-sansio",
            timeout_graceful_shutdown=last_seconds,
        )
    )


def _head() -> str:
    """Our style sheet and script; the mark in the address changes with them: no browser keeps old ones."""
    mark = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(_STATIC.iterdir()))).hexdigest()[:8]
    return (
        f'<link rel="stylesheet" href="/static/paperclub.css?{mark}">'
        f'<script defer src="/static/preview.js?{mark}"></script>'
    )


def _first_locale(header: str) -> str:
    """The language a browser likes best, of an Accept-Language header."""
    return header.partition(",")[0].partition(";")[0].strip()[:20] or "en"
