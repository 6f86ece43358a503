"""The local preview: Paperclub in a browser on this machine, with a club and a clock of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from adapters.preview.client import Group, Preview
from adapters.preview.clock import PreviewClock
from adapters.preview.errors import PortTaken
from adapters.preview.store import PreviewStore
from bot.storage.database import Database

if TYPE_CHECKING:
    import uvicorn

__all__ = ["PORT", "Preview", "listening", "open_preview", "serve"]

PORT = 8765
_LAST_SECONDS = 2  # for open pages, once the server is asked to end


async def open_preview(database: Database) -> Preview:
    """The preview over its own database: its tables are there, its clock stands where it was left.

    Raises:
        HoldsRealChannels: the database serves Discord or Slack; nothing was changed.
    """
    store = PreviewStore(database)
    await store.prepare()
    clock = PreviewClock(store)
    await clock.load()
    return Preview(database, store, clock)


async def serve(
    preview: Preview,
    group: Group,
    start_over: Callable[[], Awaitable[None]],
    listener: socket.socket,
    stop: asyncio.Event,
    *,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Show the page on a `listening` socket until `stop` is set, then end within a few seconds.

    `start_over` rebuilds the demo; `ready` is called once the page can be opened. May run once in a process:
    NiceGUI keeps its application in its module.
    """
    # The web library costs memory: only when it is used; and seconds to load, in which others must be answered.
    await asyncio.to_thread(import_module, "adapters.preview.server")
    from adapters.preview.server import make_server

    server = make_server(preview, group, start_over, listener.getsockname()[1], _LAST_SECONDS)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    stopping = asyncio.create_task(stop.wait())
    try:
        await _until_started(server, serving)
        ready()
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    finally:
        server.should_exit = True
        stopping.cancel()
        await serving


async def _until_started(server: uvicorn.Server, serving: asyncio.Task[None]) -> None:
    while not server.started and not serving.done():  # noqa: ASYNC110 (uvicorn only sets a flag)
        await asyncio.sleep(0.02)


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """The port, ours from now on: taken before anything is made that another program's port would undo.

    Raises:
        PortTaken: another program listens there.
    """
    from adapters.preview.guard import LOOPBACK

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
            listener.listen()
        except OSError as problem:
            raise PortTaken(port) from problem
        yield listener
