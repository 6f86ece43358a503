"""The Gateway websocket: hello, identify, resume, heartbeats, dispatch, transport compression."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

from .model import Guild, Message

if TYPE_CHECKING:
    from .lab import FakeDiscord

try:  # optional: only for bots that ask for compress=zstd-stream
    import zstandard  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # pragma: no cover - depends on the environment
    zstandard = None

log = logging.getLogger(__name__)

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE_STATE, RESUME = 0, 1, 2, 3, 4, 6
RECONNECT, REQUEST_MEMBERS, INVALID_SESSION, HELLO, HEARTBEAT_ACK = 7, 8, 9, 10, 11

INTENTS = {
    "guilds": 1 << 0, "guild_members": 1 << 1, "guild_presences": 1 << 8, "guild_messages": 1 << 9,
    "guild_message_reactions": 1 << 10, "guild_message_typing": 1 << 11, "direct_messages": 1 << 12,
    "direct_message_reactions": 1 << 13, "message_content": 1 << 15, "guild_scheduled_events": 1 << 16,
}  # fmt: skip
PRIVILEGED = ("guild_members", "guild_presences", "message_content")

# Which intent an event needs, in a guild and in a DM; None: always sent.
_EVENT_INTENTS: dict[str, tuple[str | None, str | None]] = {
    **dict.fromkeys(
        ("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE", "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE", "CHANNEL_CREATE",
         "CHANNEL_UPDATE", "CHANNEL_DELETE", "CHANNEL_PINS_UPDATE", "THREAD_CREATE", "THREAD_UPDATE", "THREAD_DELETE",
         "THREAD_MEMBERS_UPDATE"), ("guilds", None)),
    **dict.fromkeys(("GUILD_MEMBER_ADD", "GUILD_MEMBER_UPDATE", "GUILD_MEMBER_REMOVE"), ("guild_members", None)),
    **dict.fromkeys(("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"),
                    ("guild_messages", "direct_messages")),
    **dict.fromkeys(("MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"),
                    ("guild_message_reactions", "direct_message_reactions")),
    **dict.fromkeys(("GUILD_SCHEDULED_EVENT_CREATE", "GUILD_SCHEDULED_EVENT_UPDATE", "GUILD_SCHEDULED_EVENT_DELETE"),
                    ("guild_scheduled_events", None)),
}  # fmt: skip


class _Plain:
    def encode(self, text: str) -> str | bytes:
        return text


class _Zlib:
    """zlib-stream: one deflate context per connection, each message ended by a sync flush."""

    def __init__(self) -> None:
        self._context = zlib.compressobj()

    def encode(self, text: str) -> str | bytes:
        return self._context.compress(text.encode()) + self._context.flush(zlib.Z_SYNC_FLUSH)


class _Zstd:
    """zstd-stream: one zstd frame per connection, each message a flushed block."""

    def __init__(self) -> None:
        self._context = zstandard.ZstdCompressor().compressobj()

    def encode(self, text: str) -> str | bytes:
        return self._context.compress(text.encode()) + self._context.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


@dataclass
class Session:
    """A gateway session, which outlives its connection so that it can be resumed."""

    id: str
    intents: int
    shard: tuple[int, int] = (0, 1)
    sequence: int = 0
    sent: list[dict[str, Any]] = field(default_factory=list)
    connection: Connection | None = None
    resumed: int = 0

    def has(self, intent: str) -> bool:
        return bool(self.intents & INTENTS[intent])


class Connection:
    """One websocket."""

    def __init__(self, socket: web.WebSocketResponse, codec: _Plain | _Zlib | _Zstd) -> None:
        self.socket = socket
        self.codec = codec
        self.session: Session | None = None
        self.heartbeats = 0
        self.last_heartbeat = time.monotonic()
        self.received: list[float] = []
        self.server_code: int | None = None  # set when this side closed first
        self._lock = asyncio.Lock()

    async def send(self, payload: dict[str, Any]) -> None:
        # The compressor is stateful: encode and send must not interleave.
        async with self._lock:
            if self.socket.closed:
                return
            data = self.codec.encode(json.dumps(payload))
            try:
                if isinstance(data, bytes):
                    await self.socket.send_bytes(data)
                else:
                    await self.socket.send_str(data)
            except (ConnectionError, RuntimeError):
                log.debug("gateway connection went away while sending")

    async def close(self, code: int, reason: str = "") -> None:
        """Close from this side.  The peer's reply may carry another code, so keep ours."""
        self.server_code = code
        await self.socket.close(code=code, message=reason.encode())

    def abort(self) -> None:
        """Cut the TCP connection: the bot sees close code 1006, no close frame."""
        transport = self.socket._req.transport if self.socket._req is not None else None  # type: ignore[union-attr]
        if transport is not None:
            transport.abort()


class Gateway:
    """All gateway connections and sessions of one fake Discord."""

    def __init__(self, lab: FakeDiscord, heartbeat_interval: float) -> None:
        self._lab = lab
        self.heartbeat_interval = heartbeat_interval
        self.connections: set[Connection] = set()
        self.sessions: dict[str, Session] = {}
        self.refuse_next = 0
        self.ack_heartbeats = True
        self.identifies = 0
        self.resumes = 0
        self.presence: dict[str, Any] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def ready_sessions(self) -> list[Session]:
        return [s for s in self.sessions.values() if s.connection is not None]

    # --- sending ---------------------------------------------------------------------

    def dispatch(self, event: str, data: dict[str, Any], *, guild: Guild | None = None, message: Message | None = None) -> None:
        """Send an event to every session that should get it (also to those away, for a later resume)."""
        in_guild, in_dm = _EVENT_INTENTS.get(event, (None, None))
        needed = in_guild if guild is not None else in_dm
        # What happens to the bot's own membership is told without the intent.
        own = event == "GUILD_MEMBER_UPDATE" and data["user"]["id"] == str(self._lab.bot_user.id)
        for session in self.sessions.values():
            if needed and not own and not session.has(needed):
                continue
            shard_id, shard_count = session.shard
            if shard_id != ((guild.id >> 22) % shard_count if guild is not None else 0):
                continue
            body = data
            if message is not None and not self._sees_content(session, guild, message):
                body = {**data, "content": "", "embeds": [], "components": [], "attachments": []}
            self.push(session, event, body)
        self._lab.changes.notify()

    def _sees_content(self, session: Session, guild: Guild | None, message: Message) -> bool:
        me = self._lab.bot_user.id
        return session.has("message_content") or guild is None or message.author.id == me or me in message.pinged_users

    def push(self, session: Session, event: str, data: dict[str, Any]) -> None:
        """Send an event to one session, whatever its intents."""
        session.sequence += 1
        payload = {"op": DISPATCH, "t": event, "s": session.sequence, "d": data}
        session.sent.append(payload)
        if session.connection is not None:
            self._spawn(session.connection.send(payload))

    def _spawn(self, coro: Any) -> None:
        task = asyncio.get_running_loop().create_task(coro)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- the websocket ---------------------------------------------------------------

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if self.refuse_next > 0:
            self.refuse_next -= 1
            return web.Response(status=503, text="gateway refused by a test")
        query = request.query
        if query.get("encoding", "json") != "json":
            return web.Response(status=400, text="chatlab speaks encoding=json only")
        codec: _Plain | _Zlib | _Zstd
        match query.get("compress"):
            case None:
                codec = _Plain()
            case "zlib-stream":
                codec = _Zlib()
            case "zstd-stream" if zstandard is not None:
                codec = _Zstd()
            case other:
                log.error("bot asks for compress=%s; install zstandard for zstd-stream", other)
                return web.Response(status=400, text=f"unsupported compress={other}")

        socket = web.WebSocketResponse(compress=False, max_msg_size=1 << 20)
        await socket.prepare(request)
        connection = Connection(socket, codec)
        self.connections.add(connection)
        watchdog = asyncio.create_task(self._watch(connection))
        try:
            if query.get("v") not in ("9", "10"):
                await connection.close(4012, "Invalid API version")
                return socket
            await connection.send({"op": HELLO, "d": {"heartbeat_interval": int(self.heartbeat_interval * 1000), "_trace": []}})
            async for raw in socket:
                if raw.type is not WSMsgType.TEXT:
                    await connection.close(4002, "Decode error")
                    break
                await self._received(connection, raw.data)
        finally:
            watchdog.cancel()
            self.connections.discard(connection)
            if connection.session is not None and connection.session.connection is connection:
                connection.session.connection = None
                if (connection.server_code or socket.close_code) in (1000, 1001, 4007, 4009):
                    # A clean close by the client ends the session, and so do these two codes.
                    self.sessions.pop(connection.session.id, None)
            self._lab.changes.notify()
        return socket

    async def _watch(self, connection: Connection) -> None:
        """Close connections of clients that stopped sending heartbeats."""
        while True:
            await asyncio.sleep(self.heartbeat_interval / 2)
            if time.monotonic() - connection.last_heartbeat > self.heartbeat_interval * 2:
                await connection.close(4009, "Session timed out")
                return

    async def _received(self, connection: Connection, raw: str) -> None:
        now = time.monotonic()
        connection.received = [t for t in connection.received if now - t < 60] + [now]
        if len(connection.received) > 120:
            await connection.close(4008, "You are being rate limited")
            return
        if len(raw.encode()) > 4096:
            await connection.close(4002, "Payload too large")
            return
        try:
            message = json.loads(raw)
            op, data = message["op"], message.get("d")
        except (ValueError, KeyError, TypeError):
            await connection.close(4002, "Decode error")
            return
        if op == HEARTBEAT:
            connection.heartbeats += 1
            connection.last_heartbeat = now
            if self.ack_heartbeats:
                await connection.send({"op": HEARTBEAT_ACK})
        elif op == IDENTIFY:
            await self._identify(connection, data)
        elif op == RESUME:
            await self._resume(connection, data)
        elif connection.session is None:
            await connection.close(4003, "Not authenticated")
        elif op == REQUEST_MEMBERS:
            self._members_chunk(connection.session, data)
        elif op == PRESENCE:
            self.presence = data
        elif op != VOICE_STATE:
            await connection.close(4001, "Unknown opcode")

    async def _identify(self, connection: Connection, data: dict[str, Any]) -> None:
        lab = self._lab
        self.identifies += 1
        if connection.session is not None:
            await connection.close(4005, "Already authenticated")
            return
        if data.get("token", "").removeprefix("Bot ") != lab.token:
            await connection.close(4004, "Authentication failed")
            return
        intents = data.get("intents")
        if not isinstance(intents, int):
            await connection.close(4013, "Invalid intent(s)")
            return
        for name in PRIVILEGED:
            if intents & INTENTS[name] and name not in lab.allowed_privileged_intents:
                await connection.close(4014, "Disallowed intent(s)")
                return
        shard_id, shard_count = data.get("shard") or (0, 1)
        if not 0 <= shard_id < shard_count:
            await connection.close(4010, "Invalid shard")
            return
        session = Session(secrets.token_hex(16), intents, (shard_id, shard_count), connection=connection)
        self.sessions[session.id] = session
        connection.session = session
        guilds = [g for g in lab.guilds.values()
                  if (g.id >> 22) % shard_count == shard_id and lab.bot_user.id in g.members]  # fmt: skip
        ready = {
            "v": 10, "user": lab.bot_user.json() | {"verified": True, "mfa_enabled": True, "email": None, "flags": 0},
            "guilds": [{"id": str(g.id), "unavailable": True} for g in guilds], "session_id": session.id,
            "resume_gateway_url": lab.gateway_url, "shard": [shard_id, shard_count],
            "application": {"id": str(lab.application_id), "flags": lab.application_flags},
        }  # fmt: skip
        self.push(session, "READY", ready)
        if session.has("guilds"):
            for guild in guilds:
                if not guild.unavailable:
                    self.push(session, "GUILD_CREATE", self.guild_create(session, guild))
        lab.changes.notify()

    def guild_create(self, session: Session, guild: Guild) -> dict[str, Any]:
        return guild.json(gateway=True, bot_id=self._lab.bot_user.id, all_members=session.has("guild_members"))

    async def _resume(self, connection: Connection, data: dict[str, Any]) -> None:
        self.resumes += 1
        session = self.sessions.get(data.get("session_id", ""))
        if data.get("token", "").removeprefix("Bot ") != self._lab.token:
            await connection.close(4004, "Authentication failed")
            return
        if session is None or not isinstance(data.get("seq"), int) or data["seq"] > session.sequence:
            await connection.send({"op": INVALID_SESSION, "d": False})
            return
        connection.session = session
        # Replay what was missed, then join the live stream without a gap in between.
        seen = data["seq"]
        while missed := [p for p in session.sent if p["s"] > seen]:
            for payload in missed:
                await connection.send(payload)
                seen = payload["s"]
        session.connection = connection
        session.resumed += 1
        self.push(session, "RESUMED", {"_trace": []})
        self._lab.changes.notify()

    def _members_chunk(self, session: Session, data: dict[str, Any]) -> None:
        guild = self._lab.guilds.get(int(data.get("guild_id", 0)))
        if guild is None:
            return
        wanted = data.get("user_ids")
        query = data.get("query")
        members = list(guild.members.values())
        if wanted:
            ids = {int(i) for i in (wanted if isinstance(wanted, list) else [wanted])}
            members = [m for m in members if m.user.id in ids]
        elif query:
            members = [m for m in members if m.user.name.lower().startswith(query.lower())]
        elif not session.has("guild_members"):
            members = []
        if data.get("limit"):
            members = members[: data["limit"]]
        chunk = {"guild_id": str(guild.id), "members": [m.json() for m in members], "chunk_index": 0, "chunk_count": 1,
                 "not_found": []}  # fmt: skip
        if data.get("nonce"):
            chunk["nonce"] = data["nonce"]
        self.push(session, "GUILD_MEMBERS_CHUNK", chunk)

    # --- faults ----------------------------------------------------------------------

    async def drop(self, code: int | None = None) -> int:
        """Cut all connections (``code=None``: TCP reset, no close frame); returns how many."""
        victims = list(self.connections)
        for connection in victims:
            if code is None:
                connection.abort()
            else:
                await connection.close(code)
        return len(victims)

    async def ask_reconnect(self) -> None:
        """Send opcode 7, as Discord does before it moves a client to another node."""
        for connection in list(self.connections):
            await connection.send({"op": RECONNECT, "d": None})

    async def invalidate(self, *, resumable: bool) -> None:
        """Send opcode 9; unless ``resumable`` the session is gone, with all events not yet seen."""
        for connection in list(self.connections):
            if not resumable and connection.session is not None:
                self.sessions.pop(connection.session.id, None)
            await connection.send({"op": INVALID_SESSION, "d": resumable})

    async def close(self) -> None:
        for connection in list(self.connections):
            await connection.close(1001)
        for task in list(self._tasks):
            task.cancel()
