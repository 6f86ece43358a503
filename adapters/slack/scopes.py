"""Which calls the adapter makes, and what a workspace has to allow for each."""

from __future__ import annotations

from types import MappingProxyType

_HISTORY = ("channels:history", "groups:history", "im:history", "metadata.message:read")
_CHANNELS = ("channels:read", "groups:read", "im:read")

METHODS = MappingProxyType(
    {
        "apps.connections.open": (),  # by the app token, with connections:write
        "auth.test": (),
        "chat.delete": ("chat:write",),
        "chat.postEphemeral": ("chat:write",),
        "chat.postMessage": ("chat:write",),
        "chat.update": ("chat:write",),
        "conversations.history": _HISTORY,
        "conversations.info": _CHANNELS,
        "conversations.members": _CHANNELS,
        "conversations.open": ("im:write",),
        "conversations.replies": _HISTORY,
        "files.completeUploadExternal": ("files:write",),
        "files.getUploadURLExternal": ("files:write",),
        "usergroups.list": ("usergroups:read",),
        "users.info": ("users:read",),
        "users.list": ("users:read",),
        "views.open": (),
        "views.publish": (),
        "views.update": (),
    }
)
"""Bot scopes by method; METHODS holds every one the adapter calls, which a test compares."""

ALWAYS = ("app_mentions:read", "commands")
"""What no method asks for: words that begin with the bot's name, slash commands and shortcuts."""


def scopes() -> tuple[str, ...]:
    """Every bot scope the app asks for, in order."""
    return tuple(sorted({scope for needed in METHODS.values() for scope in needed} | set(ALWAYS)))
