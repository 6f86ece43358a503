"""The control API of the fake Slack: build workspaces, act as their users, look at what they see."""

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
    IdSource,
    LabError,
    LoopbackServer,
    RequestRecord,
    control_routes,
    exposed,
)
from . import blockkit
from .delivery import Courier
from .errors import SlackError
from .model import Channel, Delivery, Message, User, UserGroup, View, Workspace
from .webapi import WebApi

T = TypeVar("T")
UserRef = User | str
ChannelRef = Channel | str

# Events that a reading-group bot would subscribe to; a test may set ``subscriptions``.
DEFAULT_EVENTS = frozenset({
    "app_home_opened", "app_mention", "app_uninstalled", "tokens_revoked", "member_joined_channel", "message.channels",
    "message.groups", "message.im", "reaction_added", "reaction_removed", "team_join",
})  # fmt: skip


class FakeSlack:
    """A fake Slack on 127.0.0.1.

    Use it as an async context manager::

        async with FakeSlack() as slack:
            team = slack.create_workspace("Reading group")
            channel = slack.create_channel(team, "papers")
            member = slack.create_user(team, "member", channels=[channel])
            ...start the bot with slack.api_base, team.bot_token and slack.app_token...
            await slack.wait_ready()
            done = await slack.slash(member, channel, "/paper", "add https://...")
            assert done.acknowledged and done.reply.ephemeral

    For HTTP mode call :meth:`use_http` with the bot's own address instead of
    waiting for a Socket Mode connection.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        app_token: str = "xapp-1-chatlab",
        signing_secret: str = "chatlab-signing-secret",
        client_id: str = "111.222",
        client_secret: str = "chatlab-client-secret",
        retry_delays: tuple[float, ...] = (0.0, 60.0, 300.0),
        home_tab: bool = True,
        token_rotation_s: int | None = None,
    ) -> None:
        self.clock = Clock()
        self.changes = Changes()
        self.faults = Faults()
        self.requests: list[RequestRecord] = []
        self.unimplemented: list[str] = []
        self.internal_errors: list[str] = []
        self.protocol_errors: list[str] = []
        self.warnings: list[str] = []  # accepted by Slack, but questionable
        self.escaping_faults: list[str] = []  # mrkdwn that should have been escaped

        self.app_id = "A0CHATLAB"
        self.app_token = app_token
        self.signing_secret = signing_secret
        self.client_id, self.client_secret = client_id, client_secret
        # Scopes the workspace did not allow, how late a shared file is shown (s), what was uploaded by file id.
        self.withheld: set[str] = set()
        self.sharing_lag = 0.0
        self.files: dict[str, bytes] = {}
        self.scopes = "app_mentions:read,channels:history,channels:read,chat:write,commands,im:history,im:write,pins:write,reactions:write,users:read"
        self.token_rotation_s = token_rotation_s
        self.revoked_tokens: set[str] = set()
        self.expired_tokens: set[str] = set()
        self.oauth_codes: dict[str, tuple[str, str]] = {}
        self.redirect_uri: str | None = None
        self.next_install_into: Workspace | None = None
        self.deny_installs = False
        self.home_tab_enabled = home_tab
        self.subscriptions: set[str] = set(DEFAULT_EVENTS)
        self.commands: set[str] | None = None  # slash commands of the app manifest; None: any
        self.dm_closed: set[str] = set()
        self.org_wide: set[str] = set()  # workspaces in which the app stands by an installation for their organisation

        self._ids = IdSource()
        self._last_ts = 0.0
        self.workspaces: dict[str, Workspace] = {}
        self.deliveries: dict[str, Delivery] = {}
        self.triggers: dict[str, Delivery] = {}
        self.response_secrets: dict[str, str] = {}
        self.views: dict[str, View] = {}
        self.scheduled: dict[str, dict[str, Any]] = {}

        self.courier = Courier(self, retry_delays)
        self.api = WebApi(self)
        app = web.Application(client_max_size=32 << 20)
        app.add_routes(self.api.routes())
        app.add_routes([web.get("/link/", self.courier.handle_socket)])
        app.add_routes(control_routes(self))
        self._server = LoopbackServer(app, port)

    async def __aenter__(self) -> FakeSlack:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        await self.courier.close()
        await self._server.stop()

    # --- addresses -----------------------------------------------------------------------

    @property
    def port(self) -> int:
        return self._server.port

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_base(self) -> str:
        """What ``AsyncWebClient(base_url=...)`` must be."""
        return f"{self.origin}/api/"

    @exposed
    def settings(self) -> dict[str, Any]:
        """Addresses and credentials for the bot, also as the environment it should be started with."""
        tokens = {t.name: t.bot_token for t in self.workspaces.values()}
        first = next((t.bot_token for t in self.workspaces.values() if t.bot_token), None)
        env = {"SLACK_API_BASE": self.api_base, "SLACK_APP_TOKEN": self.app_token, "SLACK_SIGNING_SECRET": self.signing_secret}
        if first:
            env["SLACK_BOT_TOKEN"] = first
        # Kept apart: Bolt turns to OAuth mode, and ignores its token, as soon as these two ids are in its environment.
        oauth_env = {"SLACK_CLIENT_ID": self.client_id, "SLACK_CLIENT_SECRET": self.client_secret,
                     "SLACK_AUTHORIZE_URL": f"{self.origin}/oauth/v2/authorize"}  # fmt: skip
        return {"api_base": self.api_base, "bot_tokens": tokens, "env": env, "oauth_env": oauth_env}

    def _id(self, prefix: str) -> str:
        return f"{prefix}0{self._ids.next():08X}"

    def ts(self) -> str:
        """A message timestamp, unique and increasing."""
        self._last_ts = max(self.clock.time(), self._last_ts + 0.000001)
        return f"{self._last_ts:.6f}"

    # --- building the world ------------------------------------------------------------------

    @exposed
    def create_workspace(self, name: str, *, installed: bool = True, bot_name: str = "readingbot") -> Workspace:
        """A new workspace; unless ``installed`` is false the app is installed in it."""
        team_id = self._id("T")
        bot = User(self._id("U"), team_id, bot_name, bot_name, is_bot=True)
        team = Workspace(team_id, name, bot.id, self._id("B"), None, {bot.id: bot})
        self.workspaces[team.id] = team
        if installed:
            self.issue_token(team)
        return team

    def issue_token(self, team: Workspace) -> None:
        if team.bot_token and self.token_rotation_s:
            self.expired_tokens.add(team.bot_token)
        if team.bot_token is None or self.token_rotation_s:
            team.bot_token = f"xox{'e.xoxb' if self.token_rotation_s else 'b'}-{team.id}-{secrets.token_hex(8)}"
        if self.token_rotation_s:
            team.refresh_token = f"xoxe-1-{secrets.token_hex(8)}"

    @exposed
    def expire_token(self, team: Workspace | str) -> None:
        """The current bot token of the workspace expires (token rotation)."""
        team = self._team(team)
        if team.bot_token:
            self.expired_tokens.add(team.bot_token)
            team.bot_token = f"expired-{secrets.token_hex(4)}"

    @exposed
    def uninstall(self, team: Workspace | str) -> None:
        """Remove the app: its token is revoked and ``app_uninstalled`` is sent."""
        team = self._team(team)
        if team.bot_token:
            self.revoked_tokens.add(team.bot_token)
        team.bot_token = None
        self._event(team, {"type": "app_uninstalled"})
        self._event(team, {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [team.bot_user]}})

    @exposed
    def create_user(
        self,
        team: Workspace | str,
        name: str,
        *,
        channels: Iterable[ChannelRef] = (),
        real_name: str | None = None,
        tz: str = "Europe/London",
        locale: str = "en-GB",
        admin: bool = False,
        email: str | None = None,
    ) -> User:
        """A new user of the workspace, in the given channels."""
        team = self._team(team)
        user = User(self._id("U"), team.id, name, real_name or name.title(), tz, locale, is_admin=admin, email=email)
        team.users[user.id] = user
        for channel in channels:
            self._channel(channel, team).members.add(user.id)
        return user

    @exposed
    def create_channel(
        self, team: Workspace | str, name: str, *, private: bool = False, with_bot: bool = True, topic: str = ""
    ) -> Channel:
        """A new channel, with the bot in it unless ``with_bot`` is false."""
        team = self._team(team)
        channel = Channel(self._id("C"), team.id, name, private, members={team.bot_user} if with_bot else set(), topic=topic)
        team.channels[channel.id] = channel
        return channel

    @exposed
    def create_usergroup(
        self, team: Workspace | str, handle: str, *, name: str | None = None, disabled: bool = False
    ) -> UserGroup:
        """A new user group of the workspace, which is called by ``<!subteam^ID>``."""
        team = self._team(team)
        group = UserGroup(self._id("S"), team.id, handle, name or handle.title(), disabled)
        team.usergroups[group.id] = group
        return group

    @exposed
    def dm(self, user: UserRef) -> Channel:
        """The DM between a user and the bot."""
        user = self._user(user)
        team = self.workspaces[user.team]
        found = next((c for c in team.channels.values() if c.im_user == user.id), None)
        if found is None:
            found = Channel(self._id("D"), team.id, im_user=user.id, members={user.id, team.bot_user})
            team.channels[found.id] = found
        return found

    @exposed
    def join(self, user: UserRef, channel: ChannelRef) -> None:
        """A user joins a channel."""
        user = self._user(user)
        channel = self._channel(channel)
        channel.members.add(user.id)
        self._event(self._team_of(channel), {"type": "member_joined_channel", "user": user.id, "channel": channel.id,
                                             "channel_type": "C", "team": channel.team})  # fmt: skip

    @exposed
    def remove_bot(self, channel: ChannelRef) -> None:
        """Take the bot out of a channel: its posts there fail with not_in_channel."""
        channel = self._channel(channel)
        channel.members.discard(self._team_of(channel).bot_user)

    @exposed
    def archive(self, channel: ChannelRef) -> None:
        """Archive a channel."""
        self._channel(channel).archived = True

    # --- finding things -------------------------------------------------------------------------

    def _team(self, ref: Workspace | str) -> Workspace:
        if isinstance(ref, Workspace):
            return ref
        for team in self.workspaces.values():
            if ref in (team.id, team.name):
                return team
        raise LabError(f"no workspace {ref!r}")

    def _team_of(self, channel: Channel) -> Workspace:
        return self.workspaces[channel.team]

    def _user(self, ref: UserRef) -> User:
        if isinstance(ref, User):
            return ref
        found = [u for t in self.workspaces.values() for u in t.users.values() if ref in (u.id, u.name)]
        if len(found) != 1:
            raise LabError(f"{'no' if not found else 'more than one'} user {ref!r}")
        return found[0]

    def _channel(self, ref: ChannelRef, team: Workspace | None = None) -> Channel:
        if isinstance(ref, Channel):
            return ref
        teams = [team] if team else list(self.workspaces.values())
        found = [c for t in teams for c in t.channels.values() if ref == c.id or (c.name and ref.removeprefix("#") == c.name)]
        if len(found) != 1:
            raise LabError(f"{'no' if not found else 'more than one'} channel {ref!r}")
        return found[0]

    def _message(self, ref: Message | str) -> Message:
        if isinstance(ref, Message):
            return ref
        for team in self.workspaces.values():
            for channel in team.channels.values():
                if ref in channel.messages:
                    return channel.messages[ref]
        raise LabError(f"no message {ref!r}")

    # --- storing ---------------------------------------------------------------------------------

    def store(
        self,
        channel: Channel,
        *,
        text: str,
        blocks: list[dict[str, Any]],
        user: str,
        bot: bool = False,
        thread_ts: str | None = None,
        broadcast: bool = False,
        only_for: str | None = None,
        metadata: dict[str, Any] | None = None,
        username: str | None = None,
        mrkdwn: bool = True,
        client_msg_id: str | None = None,
        files: list[dict[str, Any]] | None = None,
    ) -> Message:
        """Store a checked message and announce it."""
        team = self._team_of(channel)
        message = Message(
            self.ts(), channel.id, text, self._with_ids(blocks), user, team.bot_id if bot else None,
            self.app_id if bot else None, thread_ts, broadcast, only_for, metadata, client_msg_id, username=username, files=files or [],
        )  # fmt: skip
        self._examine(message, team, mrkdwn=mrkdwn and bot)
        channel.messages[message.ts] = message
        if only_for is None:
            self._announce(team, channel, message)
        self.changes.notify()
        return message

    def _with_ids(self, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Slack gives blocks and elements that have no id one of its own."""
        blocks = copy.deepcopy(blocks)
        for block in blocks:
            block.setdefault("block_id", secrets.token_urlsafe(4))
        for _, element in blockkit.elements(blocks):
            element.setdefault("action_id", secrets.token_urlsafe(4))
        return blocks

    def _examine(self, message: Message, team: Workspace, *, mrkdwn: bool) -> None:
        """Note who is pinged, and what should have been escaped."""
        texts = list(blockkit.mrkdwn_texts(message.blocks)) if message.blocks else [message.text]
        message.pings = set()
        for text in texts:
            visible = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
            message.pings |= {u for u in re.findall(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>", visible) if u in team.users}
            message.pings |= {g for g in re.findall(r"<!subteam\^(S[A-Z0-9]+)(?:\|[^<>]*)?>", visible) if g in team.usergroups}
            message.pings |= set(re.findall(r"<!(channel|here|everyone)(?:\|[^<>]*)?>", visible))
        message.pings |= {g for g in blockkit.usergroups(message.blocks) if g in team.usergroups}
        if message.only_for is not None:
            message.pings = set()
        if mrkdwn:
            for text in [*texts, *([message.text] if message.blocks else [])]:
                self.escaping_faults += blockkit.escaping_faults(text)

    def _announce(self, team: Workspace, channel: Channel, message: Message) -> None:
        kind = "im" if channel.im_user else "group" if channel.is_private else "channel"
        event = {**message.json(), "channel": channel.id, "channel_type": kind, "event_ts": message.ts, "team": team.id}
        if team.bot_user in channel.members:
            self._event(team, event, subscription={"im": "message.im", "group": "message.groups", "channel": "message.channels"}[kind])
            if f"<@{team.bot_user}>" in message.text and not channel.im_user and not message.bot_id:
                self._event(team, {**event, "type": "app_mention"})

    def edit(self, message: Message, text: str, blocks: list[dict[str, Any]]) -> None:
        message.history.append({"text": message.text, "blocks": copy.deepcopy(message.blocks)})
        message.text, message.blocks = text, self._with_ids(blocks)
        message.edited = self.ts()
        channel = self._channel(message.channel)
        pings = message.pings
        self._examine(message, self._team_of(channel), mrkdwn=message.bot_id is not None)
        message.pings = pings  # an edit notifies nobody
        self.changes.notify()

    def delete(self, message: Message) -> None:
        message.deleted = True
        self.changes.notify()

    def respond(self, delivery: Delivery, args: dict[str, Any], *, via_ack: bool = False) -> Message | None:
        """Apply a response_url post (or the message in an acknowledgement)."""
        if delivery.channel is None:
            raise SlackError("channel_not_found")
        channel = self._channel(delivery.channel)
        source = self._source(delivery)
        if args.get("delete_original"):
            if source is not None:
                self.delete(source)
            return None
        text, blocks = self.api.checked_content(args)
        # For an action on a message the default is to replace that message.
        replace = args.get("replace_original", source is not None and args.get("response_type") is None)
        if replace and source is not None:
            self.edit(source, text, blocks)
            delivery.replies.append(source)
            return source
        response_type = args.get("response_type") or "ephemeral"
        if response_type not in ("ephemeral", "in_channel"):
            raise SlackError("invalid_response_type")
        team = self._team_of(channel)
        message = self.store(
            channel, text=text, blocks=blocks, user=team.bot_user, bot=True, thread_ts=args.get("thread_ts"),
            only_for=delivery.user if response_type == "ephemeral" else None,
        )  # fmt: skip
        delivery.replies.append(message)
        return message

    def _source(self, delivery: Delivery) -> Message | None:
        container = delivery.payload.get("container") or {}
        if container.get("type") != "message" or delivery.channel is None:
            return None
        return self._channel(delivery.channel).messages.get(container["message_ts"])

    # --- deliveries --------------------------------------------------------------------------------

    def _new_delivery(self, kind: str, payload: dict[str, Any], team: Workspace, user: User | None, channel: Channel | None) -> Delivery:
        if team.bot_token is None and kind != "events_api":
            raise LabError(f"the app is not installed in {team.name}")
        delivery = Delivery(f"d{self._ids.next()}", kind, payload, self.clock.time(), team.id,
                            user.id if user else None, channel.id if channel else None)  # fmt: skip
        self.deliveries[delivery.id] = delivery
        if kind != "events_api":
            trigger = f"{self._ids.next()}.{self._ids.next()}.{secrets.token_hex(8)}"
            self.triggers[trigger] = delivery
            delivery.trigger_id = trigger
            payload["trigger_id"] = trigger
            self.response_secrets[delivery.id] = secrets.token_hex(8)
        return delivery

    def _response_url(self, delivery: Delivery) -> str:
        return f"{self.origin}/response/{delivery.id}/{self.response_secrets[delivery.id]}"

    async def _send(self, delivery: Delivery, *, wait: bool) -> Delivery:
        if not self.courier.reachable:
            raise LabError("the bot is not connected (no Socket Mode connection, no HTTP endpoint)")
        task = self.courier.spawn(self.courier.deliver(delivery))
        if wait:
            await self.changes.wait_for(lambda: delivery.acknowledged or delivery.failed or task.done(), self.clock.deadline + 2, "acknowledgement")
        return delivery

    def on_ack(self, delivery: Delivery) -> None:
        """Act on the payload of an acknowledgement."""
        payload = delivery.ack_payload
        kind = delivery.payload.get("type")
        try:
            if delivery.kind == "slash_commands" and payload:
                self.respond(delivery, payload if isinstance(payload, dict) else {"text": str(payload)}, via_ack=True)
            elif kind == "view_submission":
                self._on_submission(delivery, payload if isinstance(payload, dict) else {})
            elif kind == "block_suggestion" and isinstance(payload, dict):
                for key in ("options", "option_groups"):
                    if key in payload:
                        blockkit.check_options(blockkit.all_options(payload))
        except SlackError as exc:
            delivery.errors.append(str(exc))

    def _on_submission(self, delivery: Delivery, payload: dict[str, Any]) -> None:
        view = self.views[delivery.payload["view"]["id"]]
        view.errors = {}
        action = payload.get("response_action")
        if action is None:
            view.open = False
        elif action == "clear":
            for other in self.open_views(view.user):
                other.open = False
        elif action == "errors":
            errors = payload.get("errors") or {}
            inputs = {b.get("block_id") for b in view.payload["blocks"] if b["type"] == "input"}
            if not errors or not set(errors) <= inputs:
                raise SlackError("invalid_arguments", [f"errors must name input blocks, not {sorted(set(errors) - inputs)}"])
            view.errors = dict(errors)
        elif action in ("update", "push"):
            blockkit.check_view(payload.get("view"))
            if action == "update":
                self.update_view(view, payload["view"])
                delivery.views.append(view)
            else:
                delivery.views.append(self.open_view(self.workspaces[view.team], view.user, payload["view"], on=view))
        else:
            raise SlackError("invalid_arguments", [f"unknown response_action {action!r}"])

    def _event(self, team: Workspace, event: dict[str, Any], *, subscription: str | None = None) -> Delivery | None:
        if (subscription or event["type"]) not in self.subscriptions or not self.courier.reachable:
            return None
        payload = {
            "token": "legacy-verification-token", "team_id": team.id, "api_app_id": self.app_id, "type": "event_callback",
            "event": {"event_ts": self.ts(), **event}, "event_id": self._id("Ev"), "event_time": int(self.clock.time()),
            "authorizations": [{"enterprise_id": "E0CHATLAB" if team.id in self.org_wide else None, "team_id": team.id,
                                "user_id": team.bot_user, "is_bot": True, "is_enterprise_install": team.id in self.org_wide}],
        }  # fmt: skip
        delivery = self._new_delivery("events_api", payload, team, None, None)
        self.courier.spawn(self.courier.deliver(delivery))
        return delivery

    # --- views ------------------------------------------------------------------------------------

    def open_views(self, user: str) -> list[View]:
        return [v for v in self.views.values() if v.user == user and v.open]

    def open_view(self, team: Workspace, user: str | None, payload: dict[str, Any], *, on: View | None = None) -> View:
        assert user is not None
        view = View(self._id("V"), user, team.id, self._view_payload(payload), secrets.token_hex(6), "", on.id if on else None)
        view.root = on.root if on else view.id
        self.views[view.id] = view
        self.changes.notify()
        return view

    def _view_payload(self, payload: dict[str, Any]) -> dict[str, Any]:
        return {**copy.deepcopy(payload), "blocks": self._with_ids(payload["blocks"])}

    def update_view(self, view: View, payload: dict[str, Any]) -> None:
        view.payload = self._view_payload(payload)
        view.hash = secrets.token_hex(6)
        view.updates += 1
        self.changes.notify()

    # --- acting as a user ---------------------------------------------------------------------------

    def _check_in(self, user: User, channel: Channel) -> Workspace:
        if user.team != channel.team:
            raise LabError(f"{user.name} is of another workspace")
        if user.id not in channel.members:
            raise LabError(f"{user.name} is not in {channel.name or 'that DM'}")
        return self._team_of(channel)

    def _who(self, user: User) -> dict[str, Any]:
        return {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team}

    def _interactive(self, user: User, team: Workspace, kind: str, **fields: Any) -> dict[str, Any]:
        return {
            "type": kind, "user": self._who(user), "api_app_id": self.app_id, "token": "legacy-verification-token",
            "team": {"id": team.id, "domain": "chatlab"}, "enterprise": {"id": "E0CHATLAB", "name": "Org"} if team.id in self.org_wide else None,
            "is_enterprise_install": team.id in self.org_wide, **fields,
        }  # fmt: skip

    @exposed
    def say(self, user: UserRef, channel: ChannelRef, text: str, *, thread_ts: str | None = None) -> Message:
        """A user writes a message (``text`` as Slack stores it: escaped, mentions as ``<@U...>``)."""
        user, channel = self._user(user), self._channel(channel)
        self._check_in(user, channel)
        return self.store(channel, text=text, blocks=[], user=user.id, thread_ts=thread_ts)

    @exposed
    def react(self, user: UserRef, message: Message | str, name: str) -> None:
        """A user reacts to a message."""
        user, message = self._user(user), self._message(message)
        message.reactions.setdefault(name, []).append(user.id)
        self._event(self.workspaces[user.team], {"type": "reaction_added", "user": user.id, "reaction": name, "item_user": message.user,
                                                 "item": {"type": "message", "channel": message.channel, "ts": message.ts}})  # fmt: skip
        self.changes.notify()

    @exposed
    def open_home(self, user: UserRef) -> None:
        """A user opens the app's Home tab."""
        user = self._user(user)
        team = self.workspaces[user.team]
        event: dict[str, Any] = {"type": "app_home_opened", "user": user.id, "channel": self.dm(user).id, "tab": "home"}
        if user.id in team.homes:
            event["view"] = team.homes[user.id]
        self._event(team, event)

    @exposed
    async def slash(self, user: UserRef, channel: ChannelRef, command: str, text: str = "", *, wait: bool = True) -> Delivery:
        """A user runs ``/command text``; returns when it was acknowledged or failed (after 3 s)."""
        user, channel = self._user(user), self._channel(channel)
        team = self._check_in(user, channel)
        if self.commands is not None and command not in self.commands:
            raise LabError(f"{command} is not in the app's manifest")
        payload = {
            "token": "legacy-verification-token", "team_id": team.id, "team_domain": "chatlab", "channel_id": channel.id,
            "channel_name": "directmessage" if channel.im_user else channel.name, "user_id": user.id, "user_name": user.name,
            "command": command, "text": text, "api_app_id": self.app_id, "is_enterprise_install": str(team.id in self.org_wide).lower(),
        }  # fmt: skip
        delivery = self._new_delivery("slash_commands", payload, team, user, channel)
        payload["response_url"] = self._response_url(delivery)
        return await self._send(delivery, wait=wait)

    @exposed
    async def shortcut(self, user: UserRef, callback_id: str, *, message: Message | str | None = None, wait: bool = True) -> Delivery:
        """A user runs a global shortcut, or with ``message`` a message shortcut."""
        user = self._user(user)
        team = self.workspaces[user.team]
        if message is None:
            payload = self._interactive(user, team, "shortcut", callback_id=callback_id, action_ts=self.ts())
            return await self._send(self._new_delivery("interactive", payload, team, user, None), wait=wait)
        message = self._message(message)
        channel = self._channel(message.channel)
        self._check_in(user, channel)
        payload = self._interactive(user, team, "message_action", callback_id=callback_id, action_ts=self.ts(), message_ts=message.ts,
                                    message=message.json(), channel={"id": channel.id, "name": channel.name})  # fmt: skip
        delivery = self._new_delivery("interactive", payload, team, user, channel)
        payload["response_url"] = self._response_url(delivery)
        return await self._send(delivery, wait=wait)

    @exposed
    async def click(self, user: UserRef, where: Message | View | str, control: str, *, wait: bool = True) -> Delivery:
        """A user presses the button with this label (or action_id), in a message, modal or Home view (``"home"``)."""
        user = self._user(user)
        surface = self._surface(user, where)
        block, element = self._find(surface, control, {"button", "overflow"})
        if element["type"] != "button":
            raise LabError(f"{control!r} is a menu: use select")
        return await self._action(user, surface, block, element, {"value": element.get("value"), "text": element.get("text")}, wait)

    @exposed
    async def select(self, user: UserRef, where: Message | View | str, control: str, value: Any, *, wait: bool = True) -> Delivery:
        """A user picks in a menu, picker or choice; ``value`` by label or value (a list for 'multi')."""
        user = self._user(user)
        surface = self._surface(user, where)
        block, element = self._find(surface, control, blockkit.SELECTS | {"overflow", "datepicker", "timepicker", "checkboxes", "radio_buttons"})
        return await self._action(user, surface, block, element, self._picked(element, value), wait)

    @exposed
    async def suggest(self, user: UserRef, where: Message | View | str, control: str, typed: str) -> list[dict[str, Any]]:
        """What the bot offers while a user types into an external select."""
        user = self._user(user)
        surface = self._surface(user, where)
        block, element = self._find(surface, control, {"external_select", "multi_external_select"})
        team = self.workspaces[user.team]
        payload = self._interactive(user, team, "block_suggestion", value=typed, action_id=element["action_id"], block_id=block["block_id"],
                                    **self._container(surface))  # fmt: skip
        delivery = await self._send(self._new_delivery("interactive", payload, team, user, None), wait=True)
        if not isinstance(delivery.ack_payload, dict) or delivery.errors:
            raise LabError(f"no options came back: {delivery.ack_payload!r} {delivery.errors}")
        return blockkit.all_options(delivery.ack_payload)

    @exposed
    async def submit(self, user: UserRef, view: View | str, values: dict[str, Any] | None = None, *, wait: bool = True) -> Delivery:
        """A user submits a modal; ``values`` by label, block_id or action_id of the inputs."""
        user = self._user(user)
        view = self.views[view] if isinstance(view, str) else view
        if not view.open or view.user != user.id:
            raise LabError("that modal is not open on this user's screen")
        left = dict(values or {})
        state: dict[str, dict[str, Any]] = {}
        for block, element in blockkit.elements(view.payload["blocks"]):
            label = (block.get("label") or {}).get("text")
            key = next((k for k in (label, block["block_id"], element["action_id"]) if k in left), None)
            given = left.pop(key) if key is not None else None
            if block["type"] != "input" and given is None and element["type"] == "button":
                continue
            entry = self._entered(block, element, given)
            state.setdefault(block["block_id"], {})[element["action_id"]] = {"type": element["type"], **entry}
        if left:
            raise LabError(f"the modal has no input {', '.join(map(repr, left))}")
        team = self.workspaces[user.team]
        shown = view.json(self.app_id, team.bot_id)
        shown["state"] = {"values": state}
        payload = self._interactive(user, team, "view_submission", view=shown, response_urls=[])
        return await self._send(self._new_delivery("interactive", payload, team, user, None), wait=wait)

    @exposed
    async def close_view(self, user: UserRef, view: View | str) -> Delivery | None:
        """A user closes a modal; the bot hears of it only with ``notify_on_close``."""
        user = self._user(user)
        view = self.views[view] if isinstance(view, str) else view
        view.open = False
        if not view.payload.get("notify_on_close"):
            return None
        team = self.workspaces[user.team]
        payload = self._interactive(user, team, "view_closed", view=view.json(self.app_id, team.bot_id), is_cleared=False)
        return await self._send(self._new_delivery("interactive", payload, team, user, None), wait=True)

    # --- how actions are made ---------------------------------------------------------------------

    def _surface(self, user: User, where: Message | View | str) -> Message | View:
        if isinstance(where, str):
            if where == "home":
                team = self.workspaces[user.team]
                if user.id not in team.homes:
                    raise LabError(f"{user.name} has no Home view")
                return View(f"VHOME{user.id}", user.id, team.id, self._view_payload(team.homes[user.id]), "", f"VHOME{user.id}")
            where = self.views[where] if where in self.views else self._message(where)
        if isinstance(where, View):
            if not where.open or where.user != user.id:
                raise LabError("that view is not on this user's screen")
            return where
        if where.deleted:
            raise LabError("that message was deleted")
        if where.only_for not in (None, user.id):
            raise LabError(f"{user.name} cannot see that ephemeral message")
        self._check_in(user, self._channel(where.channel))
        return where

    def _find(self, surface: Message | View, control: str, types: Iterable[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        blocks = surface.blocks if isinstance(surface, Message) else surface.payload["blocks"]
        fitting = [(b, e) for b, e in blockkit.elements(blocks) if e["type"] in set(types)]

        def names(block: dict[str, Any], element: dict[str, Any]) -> list[str | None]:
            return [element["action_id"], element.get("value") if element["type"] == "button" else None,
                    (element.get("text") or {}).get("text"), (element.get("placeholder") or {}).get("text"),
                    (block.get("label") or {}).get("text"), block["block_id"]]  # fmt: skip

        for rank in range(6):  # an exact action_id wins over a label that happens to be equal
            found = [(b, e) for b, e in fitting if names(b, e)[rank] == control]
            if len(found) == 1:
                return found[0]
            if found:
                raise LabError(f"more than one control {control!r}")
        shown = [names(b, e)[2] or names(b, e)[3] or e["action_id"] for b, e in fitting]
        raise LabError(f"no control {control!r}; shown: {shown}")

    def _container(self, surface: Message | View) -> dict[str, Any]:
        if isinstance(surface, View):
            team = self.workspaces[surface.team]
            return {"container": {"type": "view", "view_id": surface.id}, "view": surface.json(self.app_id, team.bot_id)}
        channel = self._channel(surface.channel)
        return {
            "container": {"type": "message", "message_ts": surface.ts, "channel_id": channel.id, "is_ephemeral": surface.ephemeral},
            "channel": {"id": channel.id, "name": channel.name or "directmessage"},
            **({} if surface.ephemeral else {"message": surface.json()}),
        }  # fmt: skip

    async def _action(
        self, user: User, surface: Message | View, block: dict[str, Any], element: dict[str, Any], picked: dict[str, Any], wait: bool
    ) -> Delivery:
        team = self.workspaces[user.team]
        action = {"type": element["type"], "action_id": element["action_id"], "block_id": block["block_id"], "action_ts": self.ts(),
                  **{k: v for k, v in picked.items() if v is not None}}  # fmt: skip
        payload = self._interactive(user, team, "block_actions", actions=[action], state={"values": {}}, **self._container(surface))
        channel = self._channel(surface.channel) if isinstance(surface, Message) else None
        delivery = self._new_delivery("interactive", payload, team, user, channel)
        if channel is not None:
            payload["response_url"] = self._response_url(delivery)
        return await self._send(delivery, wait=wait)

    def _picked(self, element: dict[str, Any], value: Any) -> dict[str, Any]:
        kind = element["type"]
        if kind in ("static_select", "overflow", "radio_buttons", "external_select"):
            return {"selected_option": self._option(element, value)}
        if kind in ("multi_static_select", "checkboxes", "multi_external_select"):
            return {"selected_options": [self._option(element, v) for v in value]}
        if kind == "datepicker":
            return {"selected_date": value}
        if kind == "timepicker":
            return {"selected_time": value}
        if kind == "datetimepicker":
            return {"selected_date_time": value}
        single = {"users_select": "selected_user", "channels_select": "selected_channel", "conversations_select": "selected_conversation"}
        ids = [getattr(v, "id", v) for v in (value if isinstance(value, (list, tuple)) else [value])]
        if kind in single:
            return {single[kind]: ids[0]}
        return {f"selected_{kind.removeprefix('multi_').removesuffix('_select')}": ids}

    def _option(self, element: dict[str, Any], wanted: Any) -> dict[str, Any]:
        if "external" in element["type"]:
            return wanted if isinstance(wanted, dict) else {"text": {"type": "plain_text", "text": str(wanted)}, "value": str(wanted)}
        options = blockkit.all_options(element)
        found = next((o for o in options if wanted in (o["value"], o["text"]["text"])), None)
        if found is None:
            raise LabError(f"{wanted!r} is no option; there are {[o['text']['text'] for o in options]}")
        return found

    def _entered(self, block: dict[str, Any], element: dict[str, Any], given: Any) -> dict[str, Any]:
        """The state of an input; checks what the client checks before it lets a user submit."""
        label = (block.get("label") or {}).get("text", block["block_id"])
        required = block["type"] == "input" and not block.get("optional", False)
        kind = element["type"]
        if kind.endswith("_input") or kind.startswith("number"):
            value = element.get("initial_value") if given is None else str(given)
            if required and not value:
                raise LabError(f"input {label!r} is required")
            if value and kind == "plain_text_input":
                if not (element.get("min_length") or 0) <= len(value) <= (element.get("max_length") or 3000):
                    raise LabError(f"input {label!r}: length {len(value)} is out of range")
            return {"value": value or None}
        initial = {k.replace("initial", "selected", 1): v for k, v in element.items() if k.startswith("initial_")}
        if given is None:
            if required and not initial:
                raise LabError(f"input {label!r} is required")
            empty: dict[str, Any] = {"selected_options": []} if kind in ("checkboxes", "multi_static_select") else {}
            return initial or empty or {f"selected_{'date' if kind == 'datepicker' else 'time' if kind == 'timepicker' else 'option'}": None}
        return self._picked(element, given)

    # --- reading back -------------------------------------------------------------------------------

    @exposed
    def messages(
        self, channel: ChannelRef, *, seen_by: UserRef | None = None, by_bot: bool = False, thread_ts: str | None = None
    ) -> list[Message]:
        """What the channel shows, oldest first; with ``thread_ts`` the replies of that thread.

        Ephemeral messages are left out, except those of ``seen_by``.
        """
        channel = self._channel(channel)
        viewer = self._user(seen_by).id if seen_by is not None else None
        return [
            m for m in channel.messages.values()
            if not m.deleted and (m.only_for is None or m.only_for == viewer) and (not by_bot or m.bot_id)
            and (m.thread_ts == thread_ts and m.ts != thread_ts if thread_ts else m.thread_ts in (None, m.ts) or m.broadcast or m.ephemeral)
        ]  # fmt: skip

    @exposed
    def home(self, user: UserRef) -> dict[str, Any] | None:
        """The Home view that the bot published for a user."""
        user = self._user(user)
        return self.workspaces[user.team].homes.get(user.id)

    @exposed
    def screen(self, user: UserRef) -> list[View]:
        """The modals open on a user's screen, the topmost last."""
        return self.open_views(self._user(user).id)

    @exposed
    def world(self) -> list[Workspace]:
        """All workspaces with their users and channels."""
        return list(self.workspaces.values())

    @exposed
    def request_log(self, *, path: str = "") -> list[RequestRecord]:
        """Web API calls the bot made, those whose method contains ``path``."""
        return [r for r in self.requests if path in r.path]

    @exposed
    def bot_errors(self) -> list[RequestRecord]:
        """Web API calls that were answered ``ok: false``, other than rate limits: bugs, mostly."""
        return [r for r in self.requests if isinstance(r.reply, dict) and not r.reply.get("ok") and r.status == 200]

    @exposed
    def findings(self) -> dict[str, list[str]]:
        """What the platform took but a careful reviewer would not."""
        return {"escaping": self.escaping_faults, "warnings": self.warnings, "protocol": self.protocol_errors,
                "unimplemented": self.unimplemented}  # fmt: skip

    async def wait_for(self, predicate: Callable[[], T], timeout: float = 5.0, what: Callable[[], str] | str = "condition") -> T:
        """Wait until ``predicate()`` is truthy and return its value."""
        return await self.changes.wait_for(predicate, timeout, what)

    @exposed
    async def wait_ready(self, timeout: float = 10.0) -> None:
        """Wait until the bot has a Socket Mode connection."""
        await self.wait_for(lambda: bool(self.courier.sockets), timeout, "Socket Mode connection")

    @exposed
    async def wait_message(
        self, channel: ChannelRef, contains: str = "", *, seen_by: UserRef | None = None, after: str | None = None,
        thread_ts: str | None = None, timeout: float = 5.0,
    ) -> Message:  # fmt: skip
        """Wait for a message of the bot that shows ``contains``."""
        def find() -> Message | None:
            shown = self.messages(channel, seen_by=seen_by, by_bot=True, thread_ts=thread_ts)
            return next((m for m in shown if contains in m.shown and (after is None or float(m.ts) > float(after))), None)

        def describe() -> str:
            return f"{contains!r}; shown: {[m.shown for m in self.messages(channel, seen_by=seen_by, thread_ts=thread_ts)]}"

        found = await self.wait_for(find, timeout, describe)
        assert found is not None
        return found

    @exposed
    async def wait_view(self, user: UserRef, timeout: float = 5.0) -> View:
        """Wait until a modal is open on the user's screen."""
        user = self._user(user)
        views = await self.wait_for(lambda: self.open_views(user.id), timeout, "a modal")
        return views[-1]

    # --- time, HTTP mode and faults ---------------------------------------------------------------------

    @exposed
    def advance_clock(self, seconds: float) -> None:
        """Push the platform's clock forwards; scheduled messages that fall due are posted."""
        self.clock.advance(seconds)
        for key, item in list(self.scheduled.items()):
            if item["post_at"] <= self.clock.time():
                del self.scheduled[key]
                channel = self._channel(item["channel_id"])
                self.store(channel, text=item["text"], blocks=item["blocks"], user=self._team_of(channel).bot_user, bot=True)
        self.changes.notify()

    @exposed
    def use_http(self, endpoint: str, **paths: str) -> None:
        """Deliver by signed HTTP requests to the bot's endpoint (``http://127.0.0.1:3000/slack/events``)."""
        if not re.match(r"^http://127\.0\.0\.1(:\d+)?/", endpoint):
            raise LabError("chatlab calls loopback addresses only")
        self.courier.endpoint = endpoint
        self.courier.paths = dict(paths)

    @exposed
    async def verify_url(self) -> bool:
        """Slack's url_verification handshake with the bot's endpoint."""
        return await self.courier.verify_url()

    @exposed
    async def resend_event(self, delivery_id: str) -> Delivery:
        """Deliver an event once more, as Slack does when an acknowledgement got lost."""
        delivery = self.deliveries[delivery_id]
        if delivery.kind != "events_api":
            raise LabError("Slack retries events only")
        delivery.attempts += 1
        await self.courier._attempt(delivery, delivery.attempts - 1, "http_timeout")
        return delivery

    @exposed
    def events_sent(self, type: str = "") -> list[Delivery]:
        """Deliveries of events, those of one type if given."""
        return [d for d in self.deliveries.values() if d.kind == "events_api" and type in ("", d.payload["event"]["type"])]

    @exposed
    def add_fault(self, kind: str, path: str = "*", times: int | None = 1, **options: Any) -> Fault:
        """Switch a Web API fault on (path ``/chat.postMessage`` or ``/response_url``); see ``tests.lab.chatlab.common.Faults``."""
        return self.faults.add(kind, path, times=times, **options)

    @exposed
    def clear_faults(self) -> None:
        """Switch all Web API faults and rate limits off."""
        self.faults.clear()
        self.api.limits.clear()
        self.api.strict_posting_rate = False

    @exposed
    def limit_rate(self, method: str, limit: int, seconds: float) -> None:
        """Enforce a rate limit: ``limit`` calls per ``seconds`` for a method pattern such as ``chat.*``."""
        self.api.limits.append((method, limit, seconds))

    @exposed
    def limit_posting(self) -> None:
        """Enforce one message per second and channel."""
        self.api.strict_posting_rate = True

    @exposed
    def drop_sockets(self) -> int:
        """Cut all Socket Mode connections without a close frame."""
        return self.courier.drop()

    @exposed
    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Announce a disconnect: ``warning``, ``refresh_requested`` or ``link_disabled``."""
        await self.courier.disconnect(reason)

    @exposed
    def refuse_sockets(self, times: int) -> None:
        """Refuse the next ``times`` Socket Mode connections."""
        self.courier.refuse_next = times
