"""One small web server for platforms that call us: a few addresses, small bodies, a word that we are well."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from bot.errors import BadInput
from bot.settings import HTTP_PORT

LARGEST = 1_000_000
"""Bytes of a body; platforms send a few thousand."""
SLOWEST = 10.0
"""Seconds a body may take to arrive."""
LAST = 1.0
"""Seconds for answers under way when the server closes."""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(host: str, port: int, posts: Mapping[str, Handler]) -> AsyncIterator[None]:
    """Answers POST at each path of `posts`, GET /health with 200, and everything else with 404 or 405.

    A body above a megabyte is refused with 413, one that does not arrive with 408.

    Raises:
        BadInput: the port is taken, or the host is none of this machine's.
    """
    app = web.Application(client_max_size=LARGEST)
    app.add_routes([web.get("/health", _well)])
    app.add_routes([web.post(path, _whole(handler)) for path, handler in posts.items()])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=LAST)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise BadInput("setting.listen", field=HTTP_PORT, host=host, port=port) from error
        yield
    finally:
        await runner.cleanup()


async def _well(_: web.Request) -> web.Response:
    return web.Response(text="ok")


def _whole(handler: Handler) -> Handler:
    """The body is there before the handler begins, so that nobody holds it up halfway."""

    async def handle(request: web.Request) -> web.StreamResponse:
        try:
            async with asyncio.timeout(SLOWEST):
                await request.read()
        except TimeoutError:
            raise web.HTTPRequestTimeout from None
        return await handler(request)

    return handle
