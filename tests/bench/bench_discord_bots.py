"""Two bots whose cost is compared, each a process of its own: ``python bench_discord_bots.py bare`` or ``ours FILE``.

`bare` is a plain bot of the library: one fixed sentence for whatever is pressed or typed. `ours` is the adapter with
the core over a store that is asked once for every kind of press; then it answers from memory.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parents[2]))

from bot.settings import read_environment
from bot.storage.database import Database, Tx

T = TypeVar("T")


class Asking:
    """What is being done, and how often the store was asked for it so far."""

    def __init__(self, what: tuple[object, ...]) -> None:
        self.what = what
        self.asked = 0


_asking: ContextVar[Asking | None] = ContextVar("asking", default=None)


class Canned:
    """A store that remembers what it said: the second press of a kind gets the answers of the first, at once."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._said: dict[tuple[object, ...], Any] = {}

    async def read(self, fn: Callable[[Tx], T]) -> T:
        return await self._answer(self._store.read, fn)

    async def write(self, fn: Callable[[Tx], T]) -> T:
        return await self._answer(self._store.write, fn)

    async def close(self) -> None:
        await self._store.close()

    async def _answer(
        self, ask: Callable[[Callable[[Tx], T]], Coroutine[Any, Any, T]], fn: Callable[[Tx], T]
    ) -> T:
        asking = _asking.get()
        if asking is None:
            return await ask(fn)
        asking.asked += 1
        key = (*asking.what, asking.asked)
        if key not in self._said:
            self._said[key] = await ask(fn)
        return self._said[key]  # type: ignore[no-any-return]


class Watched:
    """The core, with every question to the store marked by what it is for."""

    def __init__(self, group: Any) -> None:
        self._group = group

    def __getattr__(self, name: str) -> Any:
        return getattr(self._group, name)

    async def command(self, asker: Any, path: str, args: dict[str, str], now: Any) -> Any:
        _asking.set(Asking((path, *args.values())))
        return await self._group.command(asker, path, args, now)

    async def press(self, asker: Any, action_id: str, now: Any) -> Any:
        _asking.set(Asking((action_id,)))
        return await self._group.press(asker, action_id, now)


async def ours(path: Path, stop: asyncio.Event) -> None:
    """The adapter over the core over a store that answers from memory; without the clock."""
    from adapters.compose import build
    from adapters.discord import open_discord, serve
    from bot.schedule.clockwork import system_clock
    from bot.storage.sqlite import open_sqlite

    settings = read_environment().discord
    assert settings is not None
    database = Canned(await open_sqlite(path))
    discord = open_discord(settings, database)
    platforms: dict[str, Any] = {}
    group = build(database, platforms)

    def ready(name: str, servers: int) -> None:
        platforms["discord"] = discord.platform
        working.append(asyncio.create_task(group.tick(system_clock())))  # posts the vote

    working: list[asyncio.Task[None]] = []
    await serve(discord, Watched(group), system_clock, stop, ready=ready)
    await database.close()


async def bare(stop: asyncio.Event) -> None:
    """The library alone, with the intents and the cache of ours."""
    import discord
    import yarl
    from discord.gateway import DiscordWebSocket
    from discord.http import Route

    Route.BASE = os.environ["DISCORD_API_BASE"]
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["DISCORD_GATEWAY_URL"])
    client = discord.Client(
        intents=discord.Intents(guilds=True),
        member_cache_flags=discord.MemberCacheFlags.none(),
        max_messages=None,
        chunk_guilds_at_startup=False,
    )

    @client.event
    async def on_interaction(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("That is noted.", ephemeral=True)

    running = asyncio.create_task(client.start(os.environ["DISCORD_TOKEN"]))
    await stop.wait()
    await client.close()
    await asyncio.gather(running, return_exceptions=True)


async def main() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await (bare(stop) if sys.argv[1] == "bare" else ours(Path(sys.argv[2]), stop))


if __name__ == "__main__":
    asyncio.run(main())
