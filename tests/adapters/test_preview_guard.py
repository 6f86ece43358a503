"""Only browsers on this machine, on our own page, reach the preview: tried on a real server."""

import asyncio
import base64
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.compose import run_preview
from adapters.preview import listening
from adapters.preview.errors import NotHere, PortTaken
from adapters.preview.guard import Guard, check_address
from tests.lab.program import AT_ONCE

SERVER = Path(__file__).parent / "preview_server.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, "subprocess.Popen[str]"]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    database = tmp_path_factory.mktemp("preview") / "preview.db"
    with subprocess.Popen(
        [sys.executable, str(SERVER), str(port), str(database)], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None and running.stdout.readline() == "ready\n"
        yield port, running
        if running.poll() is None:
            running.send_signal(signal.SIGTERM)
        running.wait(10)


def ask(port: int, path: str, **headers: str) -> str:
    """The first line of the answer; only these headers are sent."""
    lines = [
        f"GET {path} HTTP/1.1",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=10) as to:
        to.sendall("\r\n".join([*lines, "", ""]).encode())
        return to.recv(4096).partition(b"\r\n")[0].decode()


def upgrade(port: int, **headers: str) -> str:
    """Ask NiceGUI's own socket for a connection, as a page elsewhere would."""
    return ask(
        port,
        "/_nicegui_ws/socket.io/?EIO=4&transport=websocket",
        Upgrade="websocket",
        Connection="Upgrade",
        Sec_WebSocket_Version="13",
        Sec_WebSocket_Key=base64.b64encode(os.urandom(16)).decode(),
        **headers,
    )


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_the_page_is_served_under_our_own_names(server: tuple[int, object], name: str) -> None:
    host = f"{name}:{server[0]}"
    assert " 200 " in ask(server[0], "/", Host=host)
    assert " 101 " in upgrade(server[0], Host=host, Origin=f"http://{host}")


@pytest.mark.parametrize(
    "host", ["example.org", "example.org:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.example.org:{port}"]
)
def test_a_name_rebound_to_this_machine_is_refused(server: tuple[int, object], host: str) -> None:
    port = server[0]
    assert " 403 " in ask(port, "/", Host=host.format(port=port))
    assert " 403 " in upgrade(port, Host=host.format(port=port))


@pytest.mark.parametrize(
    "origin",
    [
        "http://example.org",
        "https://127.0.0.1:{port}",
        "http://127.0.0.1",
        "null",
        "http://[",
        "http://127.0.0.1:{port}.example.org",
    ],
)
def test_a_foreign_origin_is_refused_on_http_and_on_the_socket(
    server: tuple[int, object], origin: str
) -> None:
    port = server[0]
    ours = {"Host": f"127.0.0.1:{port}", "Origin": origin.format(port=port)}
    assert " 403 " in ask(port, "/", **ours)
    assert " 403 " in upgrade(port, **ours)


async def test_two_hosts_or_none_are_refused() -> None:
    reached = []

    async def inner(scope: object, receive: object, send: object) -> None:
        reached.append(scope)

    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def receive() -> dict[str, object]:
        return {}

    guard = Guard(inner, 8765)  # type: ignore[arg-type]
    ours = (b"host", b"127.0.0.1:8765")
    for headers in (
        [],
        [ours, ours],
        [ours, (b"host", b"example.org")],
        [ours, (b"origin", b"http://127.0.0.1:8765/x")],
    ):
        await guard({"type": "http", "headers": headers}, receive, send)  # type: ignore[arg-type]
        assert sent[-2]["status"] == 403
    await guard({"type": "websocket", "headers": []}, receive, send)  # type: ignore[arg-type]
    assert sent[-1] == {"type": "websocket.close", "code": 1008}
    assert reached == []
    await guard({"type": "http", "headers": [ours]}, receive, send)  # type: ignore[arg-type]
    assert len(reached) == 1


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "", "localhost"])
def test_any_other_address_is_refused(host: str) -> None:
    with pytest.raises(NotHere):
        check_address(host)
    check_address("127.0.0.1")


def test_nothing_listens_on_other_addresses(server: tuple[int, object]) -> None:
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", server[0]), timeout=1):
        pass


async def test_a_taken_port_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with listening(0) as other, pytest.raises(PortTaken) as told:
        port = other.getsockname()[1]
        await run_preview(tmp_path / "new" / "preview.db", port, asyncio.Event(), ready=lambda _: None)
    assert told.value.values == {"port": port}
    assert not (tmp_path / "new").exists()


def test_the_server_ends_soon_with_an_open_socket(
    server: tuple[int, "subprocess.Popen[str]"],
) -> None:
    port, running = server
    with socket.create_connection(("127.0.0.1", port), timeout=10) as open_page:
        open_page.sendall(
            f"GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert b" 101 " in open_page.recv(4096)
        running.send_signal(signal.SIGTERM)
        assert running.wait(AT_ONCE) == 0
