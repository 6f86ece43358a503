"""The connection: one client without privileged intents, one door for every REST call, and how it is kept up."""

from __future__ import annotations

import asyncio
import logging
import re
from types import MappingProxyType
from typing import Any, NoReturn, Protocol

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.http import Route

from adapters.waits import Waits
from bot.errors import Refused, TokenRefused
from bot.messages.model import File
from bot.settings import DISCORD_TOKEN, DiscordSettings

log = logging.getLogger(__name__)

CLOSING = 1.5
"""Seconds for a clean goodbye; after that the sockets are simply closed."""

IDENTIFIES = 100
"""Sessions that may be begun without waiting; from 1,000 a day on Discord would take the token back."""
IDENTIFY_EVERY = 100.0
"""Seconds in which one more may be begun."""

_FINAL = MappingProxyType(
    {
        4004: "token",
        4010: "sharding",
        4011: "sharding",
        4012: "version",
        4013: "intents",
        4014: "intents",
    }
)
"""Close codes after which trying again does not help, and what is wrong."""
_SECRET_PATH = re.compile(r"(/(?:interactions|webhooks)/\d+/)[^/?\s]+")
_UNREACHABLE = (OSError, aiohttp.ClientError, TimeoutError, discord.HTTPException, discord.GatewayNotFound)

discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # there is nothing to hear


class Listener(Protocol):
    """What happens on the connection. `set_up` once a login, before events; `on_ready` after every new session."""

    async def set_up(self) -> None: ...
    async def on_ready(self) -> None: ...
    async def on_interaction(self, interaction: discord.Interaction) -> None: ...
    async def on_gone(self, guild_id: int, channel_id: int) -> None: ...
    async def on_join(self, guild: discord.Guild) -> None: ...
    async def on_available(self, guild: discord.Guild) -> None: ...
    async def on_leave(self, guild: discord.Guild) -> None: ...


class Connection:
    """One bot on Discord. `client` is a new one after a login that failed: ask for it each time."""

    def __init__(self, settings: DiscordSettings) -> None:
        self._settings = settings
        self._logged_in = False
        self._refused = asyncio.Event()
        self.identifies = Budget(IDENTIFIES, IDENTIFY_EVERY)
        self.client = self._new_client()

    @property
    def me(self) -> int:
        """The bot's own user id; 0 before the first login."""
        return self.client.user.id if self.client.user else 0

    @property
    def application(self) -> int:
        """The application's id; 0 before the first login."""
        return self.client.application_id or 0

    def channel(self, native_id: str) -> discord.abc.GuildChannel | discord.Thread | None:
        """A server's channel or thread as the gateway last told it; None for one the bot cannot see."""
        number = int(native_id) if native_id.isascii() and native_id.isdigit() else 0
        found = self.client.get_channel(number)
        return None if isinstance(found, discord.abc.PrivateChannel) else found

    async def call(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        query: dict[str, Any] | None = None,
        once: bool = False,
        file: File | None = None,
        **ids: Any,
    ) -> Any:
        """One REST call; `ids` fill the `{names}` of `path`, `file` goes beside `json`. The library repeats a
        5xx and waits out a 429 of up to half a minute; `once` is for what must not be stored twice: a 5xx is raised
        at once.

        Raises:
            Refused: there is no login yet; nothing went out.
            discord.DiscordException, aiohttp.ClientError, OSError: as the library raises them.
        """
        if not self._logged_in:
            raise Refused("network")
        more: dict[str, Any] = {}
        if file is not None:
            more["form"] = _parts(json, file)
        elif json is not None:
            more["json"] = json
        if query is not None:
            more["params"] = query
        if once:
            more["raise_for_status"] = _raise_server_error
        route = Route(method, path, **ids)
        try:
            return await self.client.http.request(route, **more)
        except discord.HTTPException as error:
            if error.status == 401 and error.code == 0:  # an answer's own token that ran out has a code
                self._refused.set()
            raise
        finally:
            if route.webhook_token is not None:
                self._forget(route)

    async def run(self, listener: Listener) -> NoReturn:
        """Stay connected until cancelled, waiting 1 to 60 s where Discord cannot be reached; then call `close`.

        Raises:
            TokenRefused: at once, also when the token, or the bot behind it, is refused later.
        """
        Route.BASE = self._settings.api_base
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(self._settings.gateway_url)
        _keep_tokens_out_of_the_log()
        waits = Waits("Discord", log, 1)
        while True:
            try:
                await self._login_and_connect(listener)
            except discord.LoginFailure as error:
                raise TokenRefused("Discord", DISCORD_TOKEN) from error
            except discord.ConnectionClosed as closed:
                if closed.code in _FINAL:
                    raise TokenRefused("Discord", DISCORD_TOKEN, _FINAL[closed.code]) from closed
                problem: Exception = closed
            except _UNREACHABLE as error:
                if getattr(error, "status", None) == 401:
                    raise TokenRefused("Discord", DISCORD_TOKEN) from error
                problem = error
            await self.close()
            await waits.sleep(problem)
            self.client = self._new_client()

    async def close(self) -> None:
        """End the connection and everything the library began, within two seconds."""
        self._logged_in = False
        waiting = self.client._connection._ready_task
        if waiting is not None:
            waiting.cancel()
        try:
            async with asyncio.timeout(CLOSING):
                await self.client.close()
        except (TimeoutError, *_UNREACHABLE):
            log.info("Discord did not say goodbye")
            await self.client.http.close()

    async def _login_and_connect(self, listener: Listener) -> None:
        self.client.listener = listener
        await self.client.login(self._settings.token)
        connected = asyncio.create_task(self.client.connect())
        refused = asyncio.create_task(self._refused.wait())
        try:
            await asyncio.wait((connected, refused), return_when=asyncio.FIRST_COMPLETED)
            if self._refused.is_set():
                raise discord.LoginFailure("refused later")
            await connected
            raise ConnectionError("the connection ended")
        finally:
            refused.cancel()
            connected.cancel()
            await asyncio.gather(refused, connected, return_exceptions=True)

    def _forget(self, route: Route) -> None:
        """Drop what the library notes about the pace of an answer: each has its own, kept for five minutes and
        walked through at every new one."""
        http = self.client.http
        for start in (route.key, http._bucket_hashes.get(route.key)):
            http._buckets.pop(f"{start}:{route.major_parameters}", None)

    def _new_client(self) -> _Client:
        return _Client(self, self._settings.ready_seconds)


class _Client(discord.Client):
    """The library's client with our events; it remembers servers and channels, no members and no messages."""

    listener: Listener

    def __init__(self, connection: Connection, ready_seconds: float) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            allowed_mentions=discord.AllowedMentions.none(),
            guild_ready_timeout=ready_seconds,
            max_ratelimit_timeout=30.0,
        )
        self._ours = connection

    async def setup_hook(self) -> None:
        self._ours._logged_in = True
        await self.listener.set_up()

    async def on_ready(self) -> None:
        await self.listener.on_ready()

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        await self.listener.on_interaction(interaction)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.listener.on_gone(channel.guild.id, channel.id)

    async def on_raw_thread_delete(self, deleted: discord.RawThreadDeleteEvent) -> None:
        await self.listener.on_gone(deleted.guild_id, deleted.thread_id)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        await self.listener.on_join(guild)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        await self.listener.on_available(guild)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self.listener.on_leave(guild)

    async def connect(self, *, reconnect: bool = True) -> None:
        """As the library's own, but with waits of at most a minute, and also where the first try fails.

        The library's waits grow to a quarter of an hour, each with a traceback in the log.
        """
        waits = Waits("Discord", log)
        how: dict[str, Any] = {"initial": True}
        while not self.is_closed():
            resume = True
            problem: Exception | None = None
            if not how.get("resume"):
                await self._ours.identifies.take()
            began = asyncio.get_running_loop().time()
            try:
                self.ws = await asyncio.wait_for(DiscordWebSocket.from_client(self, **how), timeout=60)
                await self._listen()
            except ReconnectWebSocket as asked:
                resume = asked.resume
            except discord.ConnectionClosed as closed:
                if closed.code in _FINAL:
                    raise
                problem = closed
            except _UNREACHABLE as error:
                problem = error
            if self.ws is not None:
                how = {"session": self.ws.session_id, "sequence": self.ws.sequence, "resume": resume}
                how |= {"gateway": self.ws.gateway} if resume and problem is None else {}
            waits.lived(asyncio.get_running_loop().time() - began)
            await waits.sleep(problem, least=1 if problem else 0)

    async def _listen(self) -> NoReturn:
        """Take events as they come; one that the library cannot read costs no more than itself."""
        while True:
            try:
                await self.ws.poll_event()
            except (ReconnectWebSocket, discord.ConnectionClosed, *_UNREACHABLE):
                raise
            except Exception:
                log.exception("an event could not be read")
                if self.ws.socket.closed:
                    raise ConnectionError("closed") from None


class Budget:
    """So many at once, then one in so many seconds."""

    def __init__(self, most: int, every: float) -> None:
        self._most = self._left = float(most)
        self._every = every
        self._at = 0.0

    async def take(self) -> None:
        """Take one, after waiting for it if need be."""
        now = asyncio.get_running_loop().time()
        self._left = min(self._most, self._left + (now - self._at) / self._every) - 1
        self._at = now
        if self._left < 0:
            log.warning("many sessions were begun; the next one waits for %.0f s", -self._left * self._every)
            await asyncio.sleep(-self._left * self._every)


def _parts(json: Any, file: File) -> list[dict[str, Any]]:
    """A body and its file as the parts of a form."""
    body = {"name": "payload_json", "value": discord.utils._to_json(json), "content_type": "application/json"}
    native = {"name": "files[0]", "value": file.data, "filename": file.name}
    return [body, native | {"content_type": "application/octet-stream"}]


async def _raise_server_error(response: aiohttp.ClientResponse) -> None:
    """In place of the library's own repeats; its exceptions do not name the address, which holds a token."""
    if response.status >= 500:
        raise discord.DiscordServerError(response, await response.text())


def _keep_tokens_out_of_the_log() -> None:
    """The library's debug log holds whole events, its warnings the addresses of answers, both with their tokens."""
    library = logging.getLogger("discord")
    if library.getEffectiveLevel() < logging.INFO:  # never more than the operator asked for
        library.setLevel(logging.INFO)
    noisy = logging.getLogger("discord.http")
    if _without_tokens not in noisy.filters:
        noisy.addFilter(_without_tokens)


def _without_tokens(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(
            _SECRET_PATH.sub(r"\1…", value) if isinstance(value, str) else value for value in record.args
        )
    return True
