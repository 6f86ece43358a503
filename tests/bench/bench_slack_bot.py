"""The whole program, which also notes when calls of Slack's arrive and when their acknowledgements leave:
``python bench_slack_bot.py FILE run …``.

It notes the moment bytes are read from the socket, before anything is done with them, and the moment the
acknowledgement was handed to the system; in lines of `in` or `out`, seconds of the machine's own clock, and seconds
of CPU time of the thread that does it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from aiohttp import ClientWebSocketResponse
from aiohttp.client_proto import ResponseHandler
from aiohttp.web_protocol import RequestHandler

from adapters.cli import main

Notes = list[tuple[str, float, float]]


def note(notes: Notes) -> None:
    """From now on every arrival and every acknowledgement is noted, by socket and by HTTP."""

    def arriving(take: Callable[[Any, bytes], None], is_call: Callable[[Any], bool]) -> Any:
        def data_received(self: Any, data: bytes) -> None:
            if is_call(self):
                notes.append(("in", time.monotonic(), time.thread_time()))
            take(self, data)

        return data_received

    def leaving(give: Callable[..., Awaitable[Any]]) -> Any:
        async def done(self: Any, *args: Any) -> Any:
            given = await give(self, *args)
            notes.append(("out", time.monotonic(), time.thread_time()))
            return given

        return done

    # the other connections of the client are answers to our own calls
    patched: Any = ResponseHandler
    patched.data_received = arriving(
        ResponseHandler.data_received, lambda here: here._payload_parser is not None
    )
    patched = RequestHandler
    patched.data_received = arriving(RequestHandler.data_received, lambda here: True)
    patched.finish_response = leaving(RequestHandler.finish_response)
    patched = ClientWebSocketResponse
    patched.send_str = leaving(ClientWebSocketResponse.send_str)


if __name__ == "__main__":
    path, argv = Path(sys.argv[1]), sys.argv[2:]
    noted: Notes = []
    note(noted)
    try:
        status = main(argv)
    finally:
        path.write_text("".join(f"{which} {at:.6f} {spent:.6f}\n" for which, at, spent in noted), "ascii")
    sys.exit(status)
