"""Run a fake platform as a process of its own, and talk to it from a shell.

    python -m tests.lab.chatlab discord --port 8901 --seed seed.json
    python -m tests.lab.chatlab slack --port 8902
    python -m tests.lab.chatlab call http://127.0.0.1:8901 create_guild name="Reading group"
    python -m tests.lab.chatlab call http://127.0.0.1:8901            # lists the verbs

The server prints one JSON line with its settings (among them ``env``, the
environment for the bot) once it is ready.  A seed file is a JSON list of
control calls: ``[{"verb": "create_guild", "args": {"name": "Reading group"}}]``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from .common import call_exposed


async def _serve(platform: str, port: int, seed: list[dict[str, Any]], token: str | None) -> None:
    lab: Any
    if platform == "discord":
        from .fakediscord import FakeDiscord

        lab = FakeDiscord(port=port, token=token)
    else:
        from .fakeslack import FakeSlack

        lab = FakeSlack(port=port)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with lab:
        for step in seed:
            await call_exposed(lab, step["verb"], step.get("args", {}))
        print(json.dumps({"control": f"{lab.origin}/_control", **lab.settings()}), flush=True)
        await stop.wait()


def _call(url: str, verb: str | None, pairs: list[str]) -> int:
    arguments: dict[str, Any] = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            arguments[name] = json.loads(value)
        except ValueError:
            arguments[name] = value  # a plain word is a string
    target = f"{url.rstrip('/')}/_control" + (f"/{verb}" if verb else "")
    body = json.dumps(arguments).encode() if verb else None
    request = urllib.request.Request(target, data=body, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            answer = json.load(reply)
    except urllib.error.HTTPError as exc:
        answer = json.load(exc)
    print(json.dumps(answer, indent=2, ensure_ascii=False))
    return 0 if not verb or answer.get("ok") else 1


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab.chatlab", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for platform in ("discord", "slack"):
        serve = commands.add_parser(platform, help=f"run a fake {platform.title()} on 127.0.0.1")
        serve.add_argument("--port", type=int, default=0, help="default: any free port")
        serve.add_argument("--seed", type=Path, help="JSON list of control calls to make first")
        serve.add_argument("--token", help="bot token to accept (Discord)")
    call = commands.add_parser("call", help="call a control verb of a running server")
    call.add_argument("url")
    call.add_argument("verb", nargs="?")
    call.add_argument("arguments", nargs="*", metavar="name=value", help="values are JSON, or plain strings")
    options = parser.parse_args(argv)
    if options.command == "call":
        return _call(options.url, options.verb, options.arguments)
    seed = json.loads(options.seed.read_text()) if options.seed else []
    asyncio.run(_serve(options.command, options.port, seed, options.token))
    return 0


if __name__ == "__main__":
    sys.exit(main())
