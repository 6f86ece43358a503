"""The control API of the fake Discord: build a world, act as its users, look at what they see."""

from __future__ import annotations

import copy
import re
import secrets
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from aiohttp import web

from ..common import (
    Changes,
    Clock,
    Fault,
    Faults,
    LabError,
    LoopbackServer,
    RequestRecord,
    control_routes,
    exposed,
)
from . import permissions as perms
from . import validate
from .gateway import PRIVILEGED, Gateway
from .model import (
    ANNOUNCEMENT_THREAD,
    DISCORD_EPOCH_MS,
    DM_CHANNEL,
    PUBLIC_THREAD,
    TEXT_CHANNEL,
    Channel,
    Guild,
    Interaction,
    Member,
    Message,
    Role,
    User,
    emoji_json,
)
from .rest import Rest
from .validate import EPHEMERAL, LOADING, SELECTS

T = TypeVar("T")
UserRef = User | int | str
ChannelRef = Channel | int | str
MessageRef = Message | int | str

_COMPONENT_TYPES = {"string": 3, "user": 5, "role": 6, "mentionable": 7, "channel": 8}


class FakeDiscord:
    """A fake Discord on 127.0.0.1.

    Use it as an async context manager::

        async with FakeDiscord() as discord_:
            guild = discord_.create_guild("Reading group")
            channel = discord_.create_channel(guild, "papers")
            member = discord_.create_user("member", guild=guild)
            ...start the bot with discord_.api_base, .gateway_url and .token...
            await discord_.wait_ready()
            done = await discord_.slash(member, channel, "paper add", {"url": "https://..."})
            assert done.response.ephemeral

    Builders (``create_*``, ``set_*``) are the narrator: they need no permission.
    Acting methods (``slash``, ``click``, ``say``, ...) do only what that user
    could do in the real client and raise :class:`~tests.lab.chatlab.common.LabError`
    otherwise.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        token: str | None = None,
        heartbeat_interval: float = 41.25,
        privileged_intents: Iterable[str] = PRIVILEGED,
        bot_name: str = "reading-bot",
        recommended_shards: int = 1,
        old_edits: tuple[int, float] | None = (3, 20.0),
    ) -> None:
        self.clock = Clock()
        self.changes = Changes()
        self.faults = Faults()
        self.requests: list[RequestRecord] = []
        self.unimplemented: list[str] = []
        self.internal_errors: list[str] = []
        self.files: dict[str, bytes] = {}  # what was uploaded, by the attachment's id
        self.recommended_shards = recommended_shards
        # 30046: so many edits in so many seconds (of this server's clock) of one channel's messages that are
        # older than an hour; None: no such limit. Discord names no figure; this one was reported by a bot's author.
        self.old_edits = old_edits
        self.invited: Iterable[str] = perms.DEFAULT_BOT  # what the bot is given where it is added
        self.everyone: Iterable[str] = perms.DEFAULT_EVERYONE  # what everybody may in a new guild
        self.allowed_privileged_intents = set(privileged_intents)

        self._sequence = 0
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.dms: dict[int, Channel] = {}  # user id -> DM channel with the bot
        self.dm_closed: set[int] = set()  # users who take no DMs from the bot
        self.global_commands: dict[int, dict[str, Any]] = {}
        self.guild_commands: dict[int, dict[int, dict[str, Any]]] = {}
        self.command_syncs = 0
        self.interactions: dict[int, Interaction] = {}
        self.tokens: dict[str, Interaction] = {}
        self.event_interest: dict[int, list[int]] = {}

        self.bot_user = self.create_user(bot_name, bot=True)
        self.developer = self.create_user("developer")
        # An application and its bot user share one id, except in very old applications.
        self.application_id = self.bot_user.id
        self.token = token or f"{self.bot_user.id}.{secrets.token_hex(8)}"

        self.gateway = Gateway(self, heartbeat_interval)
        self.rest = Rest(self)
        app = web.Application(client_max_size=32 << 20)
        app.add_routes(self.rest.routes())
        app.add_routes([web.get("/gateway/", self.gateway.handle), web.get("/gateway", self.gateway.handle)])
        app.add_routes(control_routes(self))
        self._server = LoopbackServer(app, port)

    async def __aenter__(self) -> FakeDiscord:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        await self.gateway.close()
        await self._server.stop()

    # --- addresses -------------------------------------------------------------------

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def api_base(self) -> str:
        """What ``discord.http.Route.BASE`` must be."""
        return f"{self.origin}/api/v10"

    @property
    def gateway_url(self) -> str:
        """What ``discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY`` must be."""
        return f"ws://127.0.0.1:{self._server.port}/gateway/"

    @property
    def application_flags(self) -> int:
        limited = {"guild_presences": 1 << 13, "guild_members": 1 << 15, "message_content": 1 << 19}
        return sum(bit for name, bit in limited.items() if name in self.allowed_privileged_intents)

    @exposed
    def settings(self) -> dict[str, Any]:
        """Addresses and credentials for the bot, also as the environment it should be started with."""
        return {
            "api_base": self.api_base, "gateway_url": self.gateway_url, "token": self.token,
            "application_id": self.application_id,
            "env": {"DISCORD_API_BASE": self.api_base, "DISCORD_GATEWAY_URL": self.gateway_url, "DISCORD_TOKEN": self.token},
        }  # fmt: skip

    def snowflake(self) -> int:
        self._sequence += 1
        # The 12 low bits hold a counter; a large test may use more ids than that in one millisecond.
        return (int(self.clock.time() * 1000) - DISCORD_EPOCH_MS << 22) + self._sequence

    # --- building the world ----------------------------------------------------------

    @exposed
    def create_user(
        self,
        name: str,
        *,
        guild: Guild | int | str | None = None,
        roles: Iterable[Role | int | str] = (),
        display_name: str | None = None,
        bot: bool = False,
        locale: str = "en-US",
    ) -> User:
        """A new user; with ``guild`` also a member of it, with ``roles``."""
        user = User(self.snowflake(), name, display_name, bot, locale)
        self.users[user.id] = user
        if guild is not None:
            self.join(user, guild, roles=roles)
        return user

    @exposed
    def create_guild(
        self,
        name: str,
        *,
        owner: UserRef | None = None,
        locale: str = "en-US",
        with_bot: bool = True,
        bot_permissions: Iterable[str] | None = None,
    ) -> Guild:
        """A new guild, with the bot in it unless ``with_bot`` is false."""
        owner_user = self._user(owner) if owner is not None else self.create_user(f"owner-of-{name}")
        guild = Guild(self.snowflake(), name, owner_user.id, locale, joined_at=self.clock.time())
        guild.roles[guild.id] = Role(guild.id, "@everyone", perms.bits(self.everyone), 0)
        guild.members[owner_user.id] = Member(owner_user, joined_at=self.clock.time())
        self.guilds[guild.id] = guild
        if with_bot:
            self.add_bot(guild, permissions=bot_permissions)
        return guild

    @exposed
    def add_bot(self, guild: Guild | int | str, *, permissions: Iterable[str] | None = None) -> None:
        """Install the bot: it joins with a role of its own that holds ``permissions``, by default ``invited``."""
        guild = self._guild(guild)
        granted = perms.bits(self.invited if permissions is None else list(permissions))
        role = Role(self.snowflake(), self.bot_user.name, granted, len(guild.roles), managed=True)
        guild.roles[role.id] = role
        guild.members[self.bot_user.id] = Member(self.bot_user, [role.id], joined_at=self.clock.time())
        self._announce_guild(guild)

    @exposed
    def remove_bot(self, guild: Guild | int | str) -> None:
        """Kick the bot out of the guild."""
        guild = self._guild(guild)
        guild.members.pop(self.bot_user.id, None)
        self.gateway.dispatch("GUILD_DELETE", {"id": str(guild.id)}, guild=guild)

    def _announce_guild(self, guild: Guild) -> None:
        for session in self.gateway.sessions.values():
            if session.has("guilds") and session.shard[0] == (guild.id >> 22) % session.shard[1]:
                data = self.gateway.guild_create(session, guild)
                del data["unavailable"]  # that key marks a guild that was known before
                self.gateway.push(session, "GUILD_CREATE", data)

    @exposed
    def create_role(self, guild: Guild | int | str, name: str, permissions: Iterable[str] = (), *, mentionable: bool = False) -> Role:
        """A new role in the guild."""
        guild = self._guild(guild)
        role = Role(self.snowflake(), name, perms.bits(list(permissions)), len(guild.roles), mentionable=mentionable)
        guild.roles[role.id] = role
        self.gateway.dispatch("GUILD_ROLE_CREATE", {"guild_id": str(guild.id), "role": role.json()}, guild=guild)
        return role

    @exposed
    def crowd(self, guild: Guild | int | str, count: int, *, name: str = "member") -> int:
        """``count`` more members at once, named ``member-1`` and so on, announced to nobody; the new total."""
        guild = self._guild(guild)
        now = self.clock.time()
        for number in range(1, count + 1):
            user = self.create_user(f"{name}-{number}")
            guild.members[user.id] = Member(user, joined_at=now)
        return len(guild.members)

    @exposed
    def set_role(self, guild: Guild | int | str, role: Role | int | str, permissions: Iterable[str]) -> None:
        """Give a role exactly these permissions, in all channels (overwrites come on top)."""
        guild = self._guild(guild)
        role = self._role(guild, role)
        role.permissions = perms.bits(list(permissions))
        self.gateway.dispatch("GUILD_ROLE_UPDATE", {"guild_id": str(guild.id), "role": role.json()}, guild=guild)

    @exposed
    def create_channel(
        self,
        guild: Guild | int | str,
        name: str,
        *,
        type: int = TEXT_CHANNEL,
        topic: str | None = None,
        tags: Iterable[str] = (),
        require_tag: bool = False,
    ) -> Channel:
        """A new channel (type 0 text, 2 voice, 4 category, 5 announcement, 15 forum; ``tags`` for forums)."""
        guild = self._guild(guild)
        channel = Channel(
            self.snowflake(), type, name, guild.id, topic, position=len(guild.channels), created_at=self.clock.time(),
            tags=tuple(tags), require_tag=require_tag,
        )  # fmt: skip
        guild.channels[channel.id] = channel
        self.dispatch_channel("CHANNEL_CREATE", channel)
        return channel

    @exposed
    def join(self, user: UserRef, guild: Guild | int | str, *, roles: Iterable[Role | int | str] = ()) -> None:
        """Let a user join a guild."""
        user, guild = self._user(user), self._guild(guild)
        member = Member(user, [self._role(guild, r).id for r in roles], joined_at=self.clock.time())
        guild.members[user.id] = member
        self.gateway.dispatch("GUILD_MEMBER_ADD", {**member.json(), "guild_id": str(guild.id)}, guild=guild)

    @exposed
    def set_roles(self, user: UserRef, guild: Guild | int | str, roles: Iterable[Role | int | str]) -> None:
        """Give a member exactly these roles."""
        user, guild = self._user(user), self._guild(guild)
        member = self._member(guild, user)
        member.roles = [self._role(guild, r).id for r in roles]
        self.gateway.dispatch("GUILD_MEMBER_UPDATE", {**member.json(), "guild_id": str(guild.id)}, guild=guild)

    @exposed
    def set_permissions(
        self,
        channel: ChannelRef,
        who: Role | User | int | str,
        *,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
    ) -> None:
        """A permission overwrite in a channel, for a role, a user or ``"@everyone"``."""
        channel = self._channel(channel)
        guild = self._guild_of(channel)
        is_role = True
        if who == "@everyone":
            target = guild.id
        elif isinstance(who, Role):
            target = who.id
        elif isinstance(who, int) and who in guild.roles:
            target = who
        else:
            target, is_role = self._user(who).id, False  # type: ignore[arg-type]
        channel.overwrites[target] = (is_role, perms.bits(list(allow)), perms.bits(list(deny)))
        self.dispatch_channel("CHANNEL_UPDATE", channel)

    @exposed
    def deny_bot(self, channel: ChannelRef, *permissions_: str, permissions: Iterable[str] = ()) -> None:
        """Take permissions from the bot in one channel, e.g. ``send_messages`` or ``view_channel``."""
        self.set_permissions(channel, self.bot_user, deny=[*permissions_, *permissions])

    @exposed
    def close_dms(self, user: UserRef) -> None:
        """From now on the user takes no direct messages from the bot (50007)."""
        self.dm_closed.add(self._user(user).id)

    @exposed
    def delete_channel(self, channel: ChannelRef) -> None:
        """Delete a channel or thread."""
        channel = self._channel(channel)
        guild = self._guild_of(channel)
        del guild.channels[channel.id]
        for below in [c for c in guild.channels.values() if c.is_thread and c.parent_id == channel.id]:
            del guild.channels[below.id]
        self.gateway.dispatch("THREAD_DELETE" if channel.is_thread else "CHANNEL_DELETE", channel.json(), guild=guild)

    @exposed
    def open_thread(
        self, parent: ChannelRef, user: UserRef, name: str, *, message: MessageRef | None = None
    ) -> Channel:
        """A thread opened by a user, under ``message`` if given."""
        parent, user = self._channel(parent), self._user(user)
        under = self._message(message) if message is not None else None
        return self.create_thread(parent, user, {"name": name}, message=under)

    @exposed
    def set_thread(self, thread: ChannelRef, *, archived: bool | None = None, locked: bool | None = None) -> None:
        """Archive or lock a thread, or undo that (as a moderator would)."""
        thread = self._channel(thread)
        if archived is not None:
            thread.archived = archived
        if locked is not None:
            thread.locked = locked
        self.dispatch_channel("THREAD_UPDATE", thread)
        self.changes.notify()

    @exposed
    def dm(self, user: UserRef) -> Channel:
        """The DM channel between a user and the bot."""
        user = self._user(user)
        if user.id not in self.dms:
            self.dms[user.id] = Channel(self.snowflake(), DM_CHANNEL, recipient=user, created_at=self.clock.time())
        return self.dms[user.id]

    # --- finding things --------------------------------------------------------------

    def find_channel(self, channel_id: int) -> Channel | None:
        for guild in self.guilds.values():
            if channel_id in guild.channels:
                return guild.channels[channel_id]
        return next((c for c in self.dms.values() if c.id == channel_id), None)

    def _user(self, ref: UserRef) -> User:
        if isinstance(ref, User):
            return ref
        if isinstance(ref, int) or str(ref).isdigit():
            if (user := self.users.get(int(ref))) is not None:
                return user
        elif (user := next((u for u in self.users.values() if u.name == ref), None)) is not None:
            return user
        raise LabError(f"no user {ref!r}")

    def _guild(self, ref: Guild | int | str) -> Guild:
        if isinstance(ref, Guild):
            return ref
        for guild in self.guilds.values():
            if str(guild.id) == str(ref) or guild.name == ref:
                return guild
        raise LabError(f"no guild {ref!r}")

    def _channel(self, ref: ChannelRef) -> Channel:
        if isinstance(ref, Channel):
            return ref
        channels = [c for g in self.guilds.values() for c in g.channels.values()] + list(self.dms.values())
        found = [c for c in channels if str(c.id) == str(ref) or (c.name and c.name == ref)]
        if len(found) != 1:
            raise LabError(f"{'no' if not found else 'more than one'} channel {ref!r}")
        return found[0]

    def _role(self, guild: Guild, ref: Role | int | str) -> Role:
        if isinstance(ref, Role):
            return ref
        for role in guild.roles.values():
            if str(role.id) == str(ref) or role.name == ref:
                return role
        raise LabError(f"no role {ref!r} in {guild.name}")

    def _member(self, guild: Guild, user: User) -> Member:
        if user.id not in guild.members:
            raise LabError(f"{user.name} is not in {guild.name}")
        return guild.members[user.id]

    def _guild_of(self, channel: Channel) -> Guild:
        if channel.guild_id is None:
            raise LabError("that is a DM, not a guild channel")
        return self.guilds[channel.guild_id]

    def _message(self, ref: MessageRef) -> Message:
        if isinstance(ref, Message):
            return ref
        for channel in [c for g in self.guilds.values() for c in g.channels.values()] + list(self.dms.values()):
            if (message := channel.messages.get(int(ref))) is not None:
                return message
        raise LabError(f"no message {ref}")

    # --- storing (used by REST and by the acting methods) ------------------------------

    def message_json(self, message: Message) -> dict[str, Any]:
        channel = self.find_channel(message.channel_id)
        guild = self.guilds.get(channel.guild_id) if channel and channel.guild_id else None
        data = message.json(viewer=self.bot_user.id, guild=guild)
        if message.reference and message.type in (0, 19) and channel is not None:
            target = channel.messages.get(int(message.reference["message_id"]))
            data["referenced_message"] = target.json(viewer=self.bot_user.id) if target and not target.deleted else None
        if message.thread_id and (thread := self.find_channel(message.thread_id)):
            data["thread"] = thread.json(bot_id=self.bot_user.id)
        return data

    def store_message(
        self,
        channel: Channel,
        author: User,
        payload: dict[str, Any],
        *,
        files: Iterable[tuple[str, bytes]] = (),
        interaction: Interaction | None = None,
        message_id: int | None = None,
    ) -> Message:
        """Store a checked message payload and announce it."""
        message = Message(
            message_id or self.snowflake(), channel.id, author, payload.get("content") or "",
            flags=payload.get("flags") or 0, timestamp=self.clock.time(), poll=copy.deepcopy(payload.get("poll")),
            allowed_mentions=payload.get("allowed_mentions"),
            nonce=None if payload.get("nonce") is None else str(payload["nonce"]),
        )  # fmt: skip
        self._fill(message, payload, files)
        reference = payload.get("message_reference")
        if reference and int(reference["message_id"]) in channel.messages:
            message.type = 19
            message.reference = {"message_id": str(reference["message_id"]), "channel_id": str(channel.id)}
            if channel.guild_id:
                message.reference["guild_id"] = str(channel.guild_id)
        if interaction is not None:
            message.interaction_token = interaction.token
            message.interaction = {"id": str(interaction.id), "type": interaction.type, "user": interaction.user.json(),
                                   "name": interaction.name, "authorizing_integration_owners": {}}  # fmt: skip
            if interaction.type == 2 and not message.ephemeral:
                message.type = 20
            if message.ephemeral:
                message.only_for = interaction.user.id
        self._ping(message, channel)
        channel.messages[message.id] = message
        if not message.ephemeral:
            # Ephemeral messages reach no gateway MESSAGE_CREATE of other users; the bot gets them in its reply.
            self._dispatch_message("MESSAGE_CREATE", message)
        self.changes.notify()
        return message

    def _fill(self, message: Message, payload: dict[str, Any], files: Iterable[tuple[str, bytes]]) -> None:
        if "embeds" in payload:
            message.embeds = [{"type": "rich", **copy.deepcopy(e)} for e in payload["embeds"] or []]
        if "components" in payload:
            message.components = copy.deepcopy(payload["components"] or [])
            for number, component in enumerate(validate.walk(message.components), start=1):
                component.setdefault("id", number)
        if "attachments" in payload and payload["attachments"] is not None:
            keep = {str(a.get("id")) for a in payload["attachments"]}
            message.attachments = [a for a in message.attachments if a["id"] in keep]
        for name, content in files:
            number = self.snowflake()
            url = f"{self.origin}/attachments/{message.channel_id}/{number}/{name}"
            self.files[str(number)] = content
            message.attachments.append({"id": str(number), "filename": name, "size": len(content), "url": url,
                                        "proxy_url": url, "content_type": "application/octet-stream"})  # fmt: skip

    def _ping(self, message: Message, channel: Channel) -> None:
        """Work out who is notified: the mentions in the text, cut down by allowed_mentions and permissions."""
        message.pinged_users, message.pinged_roles, message.pinged_everyone = set(), set(), False
        texts = [message.content] + [c.get("content") or "" for c in validate.walk(message.components) if c.get("type") == 10]
        # Mentions inside code do not notify.
        text = re.sub(r"```.*?```|`[^`\n]*`", "", "\n".join(texts), flags=re.DOTALL)
        users = {int(i) for i in re.findall(r"<@!?(\d+)>", text)}
        roles = {int(i) for i in re.findall(r"<@&(\d+)>", text)}
        everyone = bool(re.search(r"@(everyone|here)\b", text))
        allowed = message.allowed_mentions
        if allowed is None and message.interaction_token is not None:
            allowed = {"parse": ["users"]}  # the default of interactions and webhooks
        guild = self.guilds.get(channel.guild_id) if channel.guild_id else None
        if allowed is not None:
            parse = allowed.get("parse") or []
            if "users" not in parse:
                users &= {int(i) for i in allowed.get("users") or []}
            if "roles" not in parse:
                roles &= {int(i) for i in allowed.get("roles") or []}
            everyone = everyone and "everyone" in parse
        if message.reference and message.type == 19 and (allowed is None or allowed.get("replied_user")):
            users.add(channel.messages[int(message.reference["message_id"])].author.id)
        if message.ephemeral:
            return
        if guild is None:
            message.pinged_users = {u for u in users if u in self.users}
            return
        may_all = bool(guild.permissions(message.author.id, channel) & perms.BITS["mention_everyone"])
        message.pinged_users = {u for u in users if u in guild.members}
        message.pinged_roles = {r for r in roles if r in guild.roles and (guild.roles[r].mentionable or may_all)}
        message.pinged_everyone = everyone and may_all

    def _dispatch_message(self, event: str, message: Message) -> None:
        channel = self.find_channel(message.channel_id)
        assert channel is not None
        data = self.message_json(message)
        guild = None
        if channel.guild_id is not None:
            guild = self.guilds[channel.guild_id]
            data["guild_id"] = str(guild.id)
            if member := guild.members.get(message.author.id):
                data["member"] = member.json(with_user=False)
        else:
            data["channel_type"] = 1
        self.gateway.dispatch(event, data, guild=guild, message=message)

    def edit_message(self, message: Message, payload: dict[str, Any], *, files: Iterable[tuple[str, bytes]] = ()) -> None:
        message.remember()
        was_loading = message.loading
        message.flags &= ~LOADING
        if payload.get("flags"):
            message.flags |= payload["flags"] & ~EPHEMERAL
        if "content" in payload:
            message.content = payload["content"] or ""
        self._fill(message, payload, files)
        if "allowed_mentions" in payload:
            message.allowed_mentions = payload["allowed_mentions"]
        if was_loading:
            message.history.pop()  # "thinking..." is no earlier state worth keeping
            channel = self.find_channel(message.channel_id)
            assert channel is not None
            self._ping(message, channel)  # edits never notify, but filling a deferred response does
        else:
            message.edited = self.clock.time()
        if not message.ephemeral:
            self._dispatch_message("MESSAGE_UPDATE", message)
        self.changes.notify()

    def system_message(self, channel: Channel, author: User, kind: int, *, reference: Message | None = None) -> Message:
        message = Message(self.snowflake(), channel.id, author, type=kind, timestamp=self.clock.time())
        if reference is not None:
            message.reference = {"message_id": str(reference.id), "channel_id": str(channel.id)}
        channel.messages[message.id] = message
        self._dispatch_message("MESSAGE_CREATE", message)
        return message

    @exposed
    def delete_message(self, message: MessageRef) -> None:
        """Delete a message (as a moderator would)."""
        message = self._message(message)
        message.deleted = True
        channel = self.find_channel(message.channel_id)
        data = {"id": str(message.id), "channel_id": str(message.channel_id)}
        guild = None
        if channel and channel.guild_id:
            guild = self.guilds[channel.guild_id]
            data["guild_id"] = str(guild.id)
        if not message.ephemeral:
            self.gateway.dispatch("MESSAGE_DELETE", data, guild=guild)
        self.changes.notify()

    def add_reaction(self, message: Message, user: User, emoji: str) -> None:
        users = message.reactions.setdefault(emoji, [])
        if user.id not in users:
            users.append(user.id)
            self._dispatch_reaction("MESSAGE_REACTION_ADD", message, user, emoji)

    def remove_reaction(self, message: Message, user: User, emoji: str) -> None:
        users = message.reactions.get(emoji, [])
        if user.id in users:
            users.remove(user.id)
            if not users:
                del message.reactions[emoji]
            self._dispatch_reaction("MESSAGE_REACTION_REMOVE", message, user, emoji)

    def _dispatch_reaction(self, event: str, message: Message, user: User, emoji: str) -> None:
        channel = self.find_channel(message.channel_id)
        assert channel is not None
        data: dict[str, Any] = {"user_id": str(user.id), "channel_id": str(channel.id), "message_id": str(message.id),
                                "emoji": emoji_json(emoji), "burst": False, "type": 0,
                                "message_author_id": str(message.author.id)}  # fmt: skip
        guild = None
        if channel.guild_id is not None:
            guild = self.guilds[channel.guild_id]
            data["guild_id"] = str(guild.id)
            if event.endswith("ADD") and (member := guild.members.get(user.id)):
                data["member"] = member.json()
        self.gateway.dispatch(event, data, guild=guild)

    def create_thread(self, parent: Channel, owner: User, payload: dict[str, Any], *, message: Message | None = None) -> Channel:
        guild = self._guild_of(parent)
        kind = payload.get("type") or (ANNOUNCEMENT_THREAD if parent.type == 5 else PUBLIC_THREAD)
        thread = Channel(
            message.id if message else self.snowflake(), kind, payload["name"], guild.id, parent_id=parent.id,
            owner_id=owner.id, created_at=self.clock.time(), thread_members={owner.id},
            auto_archive_duration=payload.get("auto_archive_duration") or 1440,
        )  # fmt: skip
        guild.channels[thread.id] = thread
        if message is not None:
            message.thread_id = thread.id
            message.flags |= 1 << 5
        self.gateway.dispatch("THREAD_CREATE", {**thread.json(bot_id=self.bot_user.id), "newly_created": True}, guild=guild)
        return thread

    def dispatch_channel(self, event: str, channel: Channel) -> None:
        self.gateway.dispatch(event, channel.json(bot_id=self.bot_user.id), guild=self._guild_of(channel))

    def dispatch_pins(self, channel: Channel) -> None:
        if channel.guild_id is not None:
            data = {"channel_id": str(channel.id), "guild_id": str(channel.guild_id), "last_pin_timestamp": None}
            self.gateway.dispatch("CHANNEL_PINS_UPDATE", data, guild=self.guilds[channel.guild_id])
        self.changes.notify()

    # --- acting as a user ------------------------------------------------------------

    def _check_present(self, user: User, channel: Channel, *needed: str) -> None:
        if channel.guild_id is None:
            if channel.recipient is None or channel.recipient.id != user.id:
                raise LabError(f"{user.name} is not in that DM")
            return
        guild = self.guilds[channel.guild_id]
        self._member(guild, user)
        have = guild.permissions(user.id, channel)
        for name in ("view_channel", *needed):
            if not have & perms.BITS[name]:
                raise LabError(f"{user.name} lacks {name} in #{channel.name}")

    @exposed
    def say(self, user: UserRef, channel: ChannelRef, content: str, *, reply_to: MessageRef | None = None) -> Message:
        """A user writes a message."""
        user, channel = self._user(user), self._channel(channel)
        self._check_present(user, channel, "send_messages_in_threads" if channel.is_thread else "send_messages")
        if channel.is_thread and channel.archived:
            if channel.locked:
                raise LabError(f"#{channel.name} is archived and locked")
            self.set_thread(channel, archived=False)
        payload: dict[str, Any] = {"content": content}
        if reply_to is not None:
            payload["message_reference"] = {"message_id": self._message(reply_to).id}
        return self.store_message(channel, user, payload)

    @exposed
    def react(self, user: UserRef, message: MessageRef, emoji: str) -> None:
        """A user reacts to a message."""
        user, message = self._user(user), self._message(message)
        self.add_reaction(message, user, emoji)

    @exposed
    def unreact(self, user: UserRef, message: MessageRef, emoji: str) -> None:
        """A user takes a reaction back."""
        self.remove_reaction(self._message(message), self._user(user), emoji)

    @exposed
    def mark_interested(self, user: UserRef, event_id: int) -> None:
        """A user marks a scheduled event as interesting."""
        user = self._user(user)
        guild = next((g for g in self.guilds.values() if int(event_id) in g.events), None)
        if guild is None:
            raise LabError(f"no scheduled event {event_id}")
        self.event_interest.setdefault(int(event_id), []).append(user.id)
        guild.events[int(event_id)]["user_count"] += 1
        data = {"guild_scheduled_event_id": str(event_id), "user_id": str(user.id), "guild_id": str(guild.id)}
        self.gateway.dispatch("GUILD_SCHEDULED_EVENT_USER_ADD", data, guild=guild)

    def commands_for(self, channel: Channel) -> list[dict[str, Any]]:
        """Registered commands usable in a channel: those of the guild first, then the global ones."""
        local = list(self.guild_commands.get(channel.guild_id or 0, {}).values()) if channel.guild_id else []
        context = 1 if channel.guild_id is None else 0
        usable = [
            c for c in self.global_commands.values()
            if (context in c["contexts"] if c.get("contexts") is not None else context == 0 or c.get("dm_permission", True))
        ]  # fmt: skip
        return local + usable

    @exposed
    def visible_commands(self, user: UserRef, channel: ChannelRef) -> list[str]:
        """Full names of the slash commands that the user is offered in the channel."""
        user, channel = self._user(user), self._channel(channel)
        names = []
        for command in self.commands_for(channel):
            if command["type"] == 1 and self._may_use(user, channel, command):
                names += [" ".join(path) for path, _ in _leaves(command)]
        return sorted(set(names))

    def _may_use(self, user: User, channel: Channel, command: dict[str, Any]) -> bool:
        needed = command.get("default_member_permissions")
        if needed is None or channel.guild_id is None:
            return True
        have = self.guilds[channel.guild_id].permissions(user.id, channel)
        if int(needed) == 0:
            return bool(have & perms.BITS["administrator"])
        return have & int(needed) == int(needed)

    def _find_command(self, user: User, channel: Channel, name: str) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
        for command in self.commands_for(channel):
            if command["type"] != 1:
                continue
            for path, leaf in _leaves(command):
                if " ".join(path) == name:
                    if not self._may_use(user, channel, command):
                        raise LabError(f"/{name} is hidden from {user.name} (default_member_permissions)")
                    return command, path, leaf
        known = sorted({" ".join(p) for c in self.commands_for(channel) if c["type"] == 1 for p, _ in _leaves(c)})
        raise LabError(f"no slash command /{name} here; synced: {', '.join(known) or 'none'}")

    @exposed
    async def slash(
        self,
        user: UserRef,
        channel: ChannelRef,
        command: str,
        options: dict[str, Any] | None = None,
        *,
        wait: bool = True,
        settle: float = 0.0,
    ) -> Interaction:
        """A user runs ``/command``; returns when the bot has answered or 3 s are over.

        ``command`` is the full name (``"paper add"``).  ``settle=n`` also waits up
        to n seconds until a deferred answer is filled in.
        """
        user, channel = self._user(user), self._channel(channel)
        self._check_present(user, channel, *(("use_application_commands",) if channel.guild_id else ()))
        definition, path, leaf = self._find_command(user, channel, command)
        resolved: dict[str, dict[str, Any]] = {}
        values = self._option_values(channel, leaf, options or {}, resolved)
        interaction = self._new_interaction(2, user, channel, name=command)
        data = self._command_data(definition, path, values)
        if resolved:
            data["resolved"] = resolved
        return await self._deliver(interaction, data, wait=wait, settle=settle)

    @exposed
    async def autocomplete(
        self,
        user: UserRef,
        channel: ChannelRef,
        command: str,
        option: str,
        typed: str = "",
        options: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        """What the bot offers while the user types into an option; raises if it does not answer."""
        user, channel = self._user(user), self._channel(channel)
        definition, path, leaf = self._find_command(user, channel, command)
        focused = next((o for o in leaf.get("options", []) if o["name"] == option), None)
        if focused is None or not focused.get("autocomplete"):
            raise LabError(f"option {option!r} of /{command} has no autocomplete")
        values = self._option_values(channel, leaf, options or {}, {}, partial=True)
        values.append({"name": option, "type": focused["type"], "value": typed, "focused": True})
        interaction = self._new_interaction(4, user, channel, name=command)
        interaction.option_type = focused["type"]
        await self._deliver(interaction, self._command_data(definition, path, values), wait=True)
        if interaction.choices is None:
            raise LabError(f"no autocomplete answer for /{command} {option}; errors: {interaction.errors}")
        return interaction.choices

    @exposed
    async def context_menu(
        self, user: UserRef, channel: ChannelRef, command: str, target: Message | User | int | str, *, wait: bool = True, settle: float = 0.0
    ) -> Interaction:
        """A user picks an 'Apps' entry on a message or a user."""
        user, channel = self._user(user), self._channel(channel)
        self._check_present(user, channel)
        definition = next((c for c in self.commands_for(channel) if c["type"] in (2, 3) and c["name"] == command), None)
        if definition is None:
            raise LabError(f"no context menu command {command!r} here")
        data = {"id": definition["id"], "name": command, "type": definition["type"]}
        resolved: dict[str, dict[str, Any]] = {}
        if definition["type"] == 3:
            message = self._message(target)  # type: ignore[arg-type]
            data["target_id"] = str(message.id)
            resolved["messages"] = {str(message.id): self.message_json(message)}
        else:
            self._resolve_user(channel, self._user(target), resolved)  # type: ignore[arg-type]
            data["target_id"] = next(iter(resolved["users"]))
        data["resolved"] = resolved
        return await self._deliver(self._new_interaction(2, user, channel, name=command), data, wait=wait, settle=settle)

    @exposed
    async def click(
        self, user: UserRef, message: MessageRef, button: str, *, wait: bool = True, settle: float = 0.0
    ) -> Interaction:
        """A user presses the button with this label (or custom_id)."""
        user, message = self._user(user), self._message(message)
        component = self._control(user, message, button, (2,))
        if component.get("style") == 5:
            raise LabError(f"{button!r} is a link button: it opens {component['url']} and tells the bot nothing")
        data = {"custom_id": component["custom_id"], "component_type": 2, "id": component["id"]}
        return await self._component(user, message, data, wait, settle)

    @exposed
    async def select(
        self, user: UserRef, message: MessageRef, values: Iterable[Any], menu: str | None = None, *, wait: bool = True, settle: float = 0.0
    ) -> Interaction:
        """A user picks ``values`` (values or labels of options; users, roles or channels) in a menu."""
        user, message = self._user(user), self._message(message)
        component = self._control(user, message, menu, SELECTS)
        resolved: dict[str, dict[str, Any]] = {}
        channel = self.find_channel(message.channel_id)
        assert channel is not None
        picked = self._pick(channel, component, values, resolved)
        data = {"custom_id": component["custom_id"], "component_type": component["type"], "id": component["id"], "values": picked}
        if resolved:
            data["resolved"] = resolved
        return await self._component(user, message, data, wait, settle)

    @exposed
    async def submit_modal(
        self,
        user: UserRef,
        opened_by: Interaction | int | str,
        values: dict[str, Any] | None = None,
        *,
        wait: bool = True,
        settle: float = 0.0,
    ) -> Interaction:
        """A user fills in the modal that an interaction opened; ``values`` by custom_id or label.

        Fields left out keep their pre-filled value.  Lengths and 'required' are
        checked as the client does, so bad input raises ``LabError``.
        """
        user = self._user(user)
        if not isinstance(opened_by, Interaction):
            opened_by = self.interactions[int(opened_by)]
        if opened_by.modal is None or opened_by.user.id != user.id:
            raise LabError("that interaction opened no modal for this user")
        left = dict(values or {})
        resolved: dict[str, dict[str, Any]] = {}
        submitted = [self._fill_modal(opened_by.channel, c, left, resolved) for c in opened_by.modal["components"]]
        if left:
            raise LabError(f"the modal has no field {', '.join(map(repr, left))}")
        data: dict[str, Any] = {"custom_id": opened_by.modal["custom_id"], "components": submitted}
        if resolved:
            data["resolved"] = resolved
        interaction = self._new_interaction(5, user, opened_by.channel, name=opened_by.modal["custom_id"])
        interaction.source = opened_by.source
        return await self._deliver(interaction, data, wait=wait, settle=settle)

    # --- how interactions are made -----------------------------------------------------

    def _new_interaction(self, kind: int, user: User, channel: Channel, *, name: str = "") -> Interaction:
        interaction = Interaction(self.snowflake(), secrets.token_urlsafe(48), kind, user, channel, self.clock.time(), name=name)
        self.interactions[interaction.id] = interaction
        self.tokens[interaction.token] = interaction
        return interaction

    async def _deliver(self, interaction: Interaction, data: dict[str, Any], *, wait: bool, settle: float = 0.0) -> Interaction:
        if not self.gateway.ready_sessions:
            raise LabError("the bot is not connected to the gateway")
        channel, user = interaction.channel, interaction.user
        payload: dict[str, Any] = {
            "id": str(interaction.id), "application_id": str(self.application_id), "type": interaction.type, "data": data,
            "token": interaction.token, "version": 1, "locale": user.locale, "entitlements": [],
            "channel_id": str(channel.id), "channel": channel.json(bot_id=self.bot_user.id),
            "attachment_size_limit": 10 << 20,
        }  # fmt: skip
        guild = None
        if channel.guild_id is not None:
            guild = self.guilds[channel.guild_id]
            payload |= {
                "guild_id": str(guild.id), "guild_locale": guild.locale, "context": 0,
                "guild": {"id": str(guild.id), "locale": guild.locale, "features": []},
                "member": self._member(guild, user).json(permissions=guild.permissions(user.id, channel)),
                "app_permissions": str(guild.permissions(self.bot_user.id, channel)),
                "authorizing_integration_owners": {"0": str(guild.id)},
            }  # fmt: skip
        else:
            payload |= {"user": user.json(), "context": 1, "authorizing_integration_owners": {"0": "0"},
                        "app_permissions": str(perms.ALL)}  # fmt: skip
        if interaction.source is not None:
            payload["message"] = self.message_json(interaction.source)
        self.gateway.dispatch("INTERACTION_CREATE", payload, guild=guild)
        if wait:
            await self.changes.wait_for(
                lambda: interaction.acknowledged or self.clock.time() - interaction.created > self.clock.deadline,
                self.clock.deadline + 1,
                "interaction answered or timed out",
            )
            if settle and interaction.response_type == 5:
                await self.wait_for(lambda: interaction.response, settle, "deferred response filled in")
        return interaction

    def _command_data(self, definition: dict[str, Any], path: list[str], values: list[dict[str, Any]]) -> dict[str, Any]:
        for depth, part in reversed(list(enumerate(path[1:], start=1))):
            is_leaf = depth == len(path) - 1
            values = [{"name": part, "type": 1 if is_leaf else 2, "options": values}]
        data = {"id": definition["id"], "name": definition["name"], "type": 1, "options": values}
        if "guild_id" in definition:
            data["guild_id"] = definition["guild_id"]
        return data

    def _option_values(
        self, channel: Channel, leaf: dict[str, Any], given: dict[str, Any], resolved: dict[str, dict[str, Any]], *, partial: bool = False
    ) -> list[dict[str, Any]]:
        definitions = {o["name"]: o for o in leaf.get("options", [])}
        for name in given:
            if name not in definitions:
                raise LabError(f"the command has no option {name!r}; it has {', '.join(definitions) or 'none'}")
        for name, option in definitions.items():
            if option.get("required") and name not in given and not partial:
                raise LabError(f"option {name!r} is required")
        return [self._option_value(channel, definitions[n], v, resolved) for n, v in given.items()]

    def _option_value(self, channel: Channel, option: dict[str, Any], value: Any, resolved: dict[str, dict[str, Any]]) -> dict[str, Any]:
        kind, name = option["type"], option["name"]
        if choices := option.get("choices"):
            match = next((c for c in choices if value in (c["value"], c["name"])), None)
            if match is None:
                raise LabError(f"{value!r} is no choice of {name!r}")
            value = match["value"]
        if kind == 3:
            if not isinstance(value, str):
                raise LabError(f"option {name!r} takes a string")
            value = value.strip()
            if not option.get("min_length", 0) <= len(value) <= option.get("max_length", 6000):
                raise LabError(f"option {name!r}: length {len(value)} is out of range")
        elif kind in (4, 10):
            if isinstance(value, bool) or not isinstance(value, (int,) if kind == 4 else (int, float)):
                raise LabError(f"option {name!r} takes a number")
            if value < option.get("min_value", -(2**53)) or value > option.get("max_value", 2**53):
                raise LabError(f"option {name!r}: {value} is out of range")
        elif kind == 5:
            if not isinstance(value, bool):
                raise LabError(f"option {name!r} takes a boolean")
        elif kind in (6, 7, 8, 9):
            value = self._resolve(channel, kind, value, resolved)
        else:
            raise LabError(f"chatlab cannot fill option type {kind}")
        return {"name": name, "type": kind, "value": value}

    def _resolve(self, channel: Channel, kind: int, value: Any, resolved: dict[str, dict[str, Any]]) -> str:
        """Note a user (6), channel (7), role (8) or mentionable (9) in ``resolved``; returns its id."""
        if kind == 9:
            kind = 8 if isinstance(value, Role) else 6
        if kind == 6:
            return self._resolve_user(channel, self._user(value), resolved)
        if kind == 7:
            picked = self._channel(value)
            resolved.setdefault("channels", {})[str(picked.id)] = {**picked.json(), "permissions": str(perms.ALL)}
            return str(picked.id)
        role = self._role(self._guild_of(channel), value)
        resolved.setdefault("roles", {})[str(role.id)] = role.json()
        return str(role.id)

    def _resolve_user(self, channel: Channel, user: User, resolved: dict[str, dict[str, Any]]) -> str:
        resolved.setdefault("users", {})[str(user.id)] = user.json()
        if channel.guild_id is not None and (member := self.guilds[channel.guild_id].members.get(user.id)):
            have = self.guilds[channel.guild_id].permissions(user.id, channel)
            resolved.setdefault("members", {})[str(user.id)] = member.json(with_user=False, permissions=have)
        return str(user.id)

    def _control(self, user: User, message: Message, wanted: str | None, types: tuple[int, ...]) -> dict[str, Any]:
        if message.deleted:
            raise LabError("that message was deleted")
        if message.only_for is not None and message.only_for != user.id:
            raise LabError(f"{user.name} cannot see that ephemeral message")
        channel = self.find_channel(message.channel_id)
        assert channel is not None
        self._check_present(user, channel)
        fitting = [c for c in message.controls if c["type"] in types]
        found = [
            c for c in fitting
            if wanted is None or wanted in (c.get("custom_id"), c.get("label"), c.get("placeholder"), (c.get("emoji") or {}).get("name"))
        ]  # fmt: skip
        if len(found) != 1:
            shown = [c.get("label") or c.get("custom_id") for c in fitting]
            raise LabError(f"{'no' if not found else 'more than one'} control {wanted!r}; shown: {shown}")
        if found[0].get("disabled"):
            raise LabError(f"control {wanted!r} is disabled")
        return found[0]

    async def _component(self, user: User, message: Message, data: dict[str, Any], wait: bool, settle: float) -> Interaction:
        channel = self.find_channel(message.channel_id)
        assert channel is not None
        interaction = self._new_interaction(3, user, channel, name=data["custom_id"])
        interaction.source = message
        return await self._deliver(interaction, data, wait=wait, settle=settle)

    def _pick(
        self, channel: Channel, menu: dict[str, Any], values: Iterable[Any], resolved: dict[str, dict[str, Any]], *, modal: bool = False
    ) -> list[str]:
        values = list(values)
        least = 1 if menu.get("min_values") is None else menu["min_values"]
        most = 1 if menu.get("max_values") is None else menu["max_values"]
        if modal and not menu.get("required", True) and not values:
            least = 0  # in messages Discord ignores "required"
        if not least <= len(values) <= most:
            raise LabError(f"the menu takes {least} to {most} values, not {len(values)}")
        if menu["type"] != validate.STRING_SELECT:
            kinds = {5: 6, 6: 8, 7: 9, 8: 7}
            return [self._resolve(channel, kinds[menu["type"]], v, resolved) for v in values]
        return [_option(menu["options"], v) for v in values]

    def _fill_modal(self, channel: Channel, component: dict[str, Any], left: dict[str, Any], resolved: dict[str, dict[str, Any]]) -> dict[str, Any]:
        kind = component["type"]
        if kind == validate.TEXT_DISPLAY:
            return {"type": kind, "id": component.get("id", 0)}
        label = component.get("label")
        field = component["component"] if kind == validate.LABEL else component["components"][0]
        label = label or field.get("label")
        key = next((k for k in (field["custom_id"], label) if k in left), None)
        given = left.pop(key) if key is not None else None
        reply: dict[str, Any] = {"type": field["type"], "custom_id": field["custom_id"], "id": field.get("id", 0)}
        required = field.get("required", True)
        if field["type"] == validate.TEXT_INPUT:
            value = (field.get("value") or "") if given is None else str(given)
            if required and not value:
                raise LabError(f"modal field {label!r} is required")
            if value and not (field.get("min_length") or 0) <= len(value) <= (field.get("max_length") or 4000):
                raise LabError(f"modal field {label!r}: length {len(value)} is out of range")
            reply["value"] = value
        elif field["type"] in SELECTS:
            reply["values"] = self._pick(channel, field, given if given is not None else [], resolved, modal=True)
        elif field["type"] == validate.CHECKBOX:
            reply["value"] = bool(field.get("default") if given is None else given)
        elif field["type"] == validate.RADIO_GROUP:
            reply["value"] = None if given is None else _option(field["options"], given)
            if required and given is None:
                raise LabError(f"modal field {label!r} is required")
        elif field["type"] == validate.CHECKBOX_GROUP:
            reply["values"] = [_option(field["options"], v) for v in given or []]
        else:
            reply["values"] = []
        if kind == validate.LABEL:
            return {"type": kind, "id": component.get("id", 0), "component": reply}
        return {"type": kind, "id": component.get("id", 0), "components": [reply]}

    # --- reading back ----------------------------------------------------------------

    @exposed
    def messages(self, channel: ChannelRef, *, seen_by: UserRef | None = None, by_bot: bool = False) -> list[Message]:
        """What the channel shows, oldest first: latest contents, without deleted messages.

        Without ``seen_by`` ephemeral messages are left out; with it those of that
        user are included.
        """
        channel = self._channel(channel)
        viewer = self._user(seen_by).id if seen_by is not None else None
        return [
            m for m in channel.messages.values()
            if not m.deleted and (not m.ephemeral or (viewer is not None and m.only_for == viewer))
            and (not by_bot or m.author.id == self.bot_user.id)
        ]  # fmt: skip

    @exposed
    def threads(self, channel: ChannelRef) -> list[Channel]:
        """The threads below a channel."""
        channel = self._channel(channel)
        return [c for c in self._guild_of(channel).channels.values() if c.parent_id == channel.id and c.is_thread]

    @exposed
    def pins(self, channel: ChannelRef) -> list[Message]:
        """The pinned messages."""
        return [m for m in self.messages(channel) if m.pinned]

    @exposed
    def world(self) -> list[Guild]:
        """All guilds with their channels, members, roles and scheduled events."""
        return list(self.guilds.values())

    @exposed
    def request_log(self, *, path: str = "") -> list[RequestRecord]:
        """REST calls the bot made, those whose path contains ``path``."""
        return [r for r in self.requests if path in r.path]

    @exposed
    def bot_errors(self) -> list[RequestRecord]:
        """REST calls of the bot that were answered with 4xx other than 429: bugs, mostly."""
        return [r for r in self.requests if r.status is not None and 400 <= r.status < 500 and r.status != 429]

    async def wait_for(self, predicate: Callable[[], T], timeout: float = 5.0, what: Callable[[], str] | str = "condition") -> T:
        """Wait until ``predicate()`` is truthy and return its value."""
        return await self.changes.wait_for(predicate, timeout, what)

    @exposed
    async def wait_ready(self, timeout: float = 10.0, *, commands: bool = False) -> None:
        """Wait until the bot is connected to the gateway (and, with ``commands``, has synced commands)."""
        def ready() -> bool:
            synced = not commands or bool(self.global_commands) or any(self.guild_commands.values())
            return bool(self.gateway.ready_sessions) and synced

        await self.wait_for(ready, timeout, "bot ready")

    @exposed
    async def wait_message(
        self,
        channel: ChannelRef,
        contains: str = "",
        *,
        seen_by: UserRef | None = None,
        after: MessageRef | None = None,
        timeout: float = 5.0,
    ) -> Message:
        """Wait for a message of the bot whose text (embeds included) contains ``contains``."""
        floor = self._message(after).id if after is not None else 0

        def find() -> Message | None:
            shown = self.messages(channel, seen_by=seen_by, by_bot=True)
            return next((m for m in shown if m.id > floor and not m.loading and contains in m.text), None)

        def describe() -> str:
            return f"{contains!r}; shown: {[m.text for m in self.messages(channel, seen_by=seen_by)]}"

        found = await self.wait_for(find, timeout, describe)
        assert found is not None
        return found

    @exposed
    async def wait_interaction(self, interaction_id: int | str, timeout: float = 5.0) -> Interaction:
        """Wait until the answer to an interaction is more than 'thinking...'."""
        interaction = self.interactions[int(interaction_id)]
        await self.wait_for(lambda: interaction.response, timeout, "response")
        return interaction

    # --- time and faults ---------------------------------------------------------------

    @exposed
    def advance_clock(self, seconds: float) -> None:
        """Push the platform's clock forwards, e.g. 900 s to expire interaction tokens."""
        self.clock.advance(seconds)
        self.changes.notify()

    @exposed
    def add_fault(self, kind: str, path: str = "*", method: str = "*", times: int | None = 1, **options: Any) -> Fault:
        """Switch a REST fault on; see ``tests.lab.chatlab.common.Faults``."""
        if kind == "error":
            raise LabError("the fault 'error' is Slack's; use 'status'")
        return self.faults.add(kind, path, method=method, times=times, **options)

    @exposed
    def clear_faults(self) -> None:
        """Switch all REST faults and rate limits off."""
        self.faults.clear()
        self.rest.limits.clear()

    @exposed
    def limit_rate(self, path: str, limit: int, seconds: float, method: str = "*") -> None:
        """Enforce a real rate limit: ``limit`` calls per ``seconds`` for paths like ``/channels/*/messages``."""
        self.rest.limits.append((path, method, limit, seconds))

    @exposed
    async def drop_gateway(self, code: int | None = None) -> int:
        """Cut the gateway connection; without a code as a TCP reset."""
        return await self.gateway.drop(code)

    @exposed
    async def ask_reconnect(self) -> None:
        """Ask the bot to reconnect (opcode 7)."""
        await self.gateway.ask_reconnect()

    @exposed
    async def invalidate_session(self, resumable: bool = False) -> None:
        """Invalidate the gateway session (opcode 9)."""
        await self.gateway.invalidate(resumable=resumable)

    @exposed
    def refuse_gateway(self, times: int) -> None:
        """Refuse the next ``times`` gateway connections with HTTP 503."""
        self.gateway.refuse_next = times


def _option(options: list[dict[str, Any]], wanted: Any) -> str:
    """The value of the option with this value or label."""
    match = next((o for o in options if wanted in (o["value"], o["label"])), None)
    if match is None:
        raise LabError(f"{wanted!r} is no option; there are {[o['label'] for o in options]}")
    return match["value"]


def _leaves(command: dict[str, Any]) -> list[tuple[list[str], dict[str, Any]]]:
    """All runnable (sub-)commands below a command, with their full path."""
    found: list[tuple[list[str], dict[str, Any]]] = []

    def visit(path: list[str], node: dict[str, Any]) -> None:
        nested = [o for o in node.get("options") or [] if o["type"] in (1, 2)]
        if not nested:
            found.append((path, node))
        for option in nested:
            visit([*path, option["name"]], option)

    visit([command["name"]], command)
    return found
