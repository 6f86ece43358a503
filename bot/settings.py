"""The only place where our code reads the environment. Every name here is in .env.example and the docs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bot.errors import BadInput

DATABASE_URL = "PAPERCLUB_DATABASE_URL"
PREVIEW_PORT = "PAPERCLUB_PREVIEW_PORT"
LOG = "PAPERCLUB_LOG"
DISCORD_TOKEN = "DISCORD_TOKEN"
DISCORD_API_BASE = "DISCORD_API_BASE"
DISCORD_GATEWAY_URL = "DISCORD_GATEWAY_URL"
DISCORD_READY_SECONDS = "DISCORD_READY_SECONDS"
NAMES = (
    DATABASE_URL,
    PREVIEW_PORT,
    LOG,
    DISCORD_TOKEN,
    DISCORD_API_BASE,
    DISCORD_GATEWAY_URL,
    DISCORD_READY_SECONDS,
)

LEVELS = ("debug", "info", "warning", "error")
_API_BASE = "https://discord.com/api/v10"
_GATEWAY_URL = "wss://gateway.discord.gg/"
_READY_SECONDS = 2.0
_LONGEST_WAIT = 60
_SECONDS = re.compile(r"\d{1,3}(\.\d{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class DiscordSettings:
    """How to reach Discord. `ready_seconds` is how long a start waits for the next server to be named."""

    token: str = field(repr=False)
    api_base: str = _API_BASE
    gateway_url: str = _GATEWAY_URL
    ready_seconds: float = _READY_SECONDS


@dataclass(frozen=True, slots=True)
class Environment:
    """What the operator set. `database` is None when nothing was said, `discord` when there is no token."""

    database: Path | None
    preview_port: int
    log: str
    discord: DiscordSettings | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no log and no error may show."""
        return () if self.discord is None else (self.discord.token,)


def read_environment(values: Mapping[str, str] | None = None) -> Environment:
    """Our settings out of the process environment, or out of `values`.

    Raises:
        BadInput: a value that cannot be used; `field` is the setting's name.
    """
    given = os.environ if values is None else values
    url = given.get(DATABASE_URL, "").strip()
    port = given.get(PREVIEW_PORT, "").strip() or "8765"
    log = (given.get(LOG, "").strip() or "info").lower()
    if not port.isascii() or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise BadInput("setting.port", field=PREVIEW_PORT, value=port)
    if log not in LEVELS:
        raise BadInput("setting.log", field=LOG, value=log, levels=", ".join(LEVELS))
    return Environment(parse_database_url(url) if url else None, int(port), log, _read_discord(given))


def _read_discord(given: Mapping[str, str]) -> DiscordSettings | None:
    """A bad address is told also where there is no token yet."""
    named = {name: given.get(name, "").strip() for name in NAMES}
    token = named[DISCORD_TOKEN]
    settings = DiscordSettings(
        token,
        _address(DISCORD_API_BASE, named[DISCORD_API_BASE], "http") or _API_BASE,
        _address(DISCORD_GATEWAY_URL, named[DISCORD_GATEWAY_URL], "ws") or _GATEWAY_URL,
        _seconds(named[DISCORD_READY_SECONDS]),
    )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise BadInput("setting.token", field=DISCORD_TOKEN, setting=DISCORD_TOKEN)  # never with the value
    return settings if token else None


def _address(name: str, url: str, scheme: str) -> str:
    """An address as it is used, an API's without its last slash; '' where none is given."""
    try:
        parts = urlsplit(url)
        fits = (
            parts.scheme in (scheme, f"{scheme}s") and parts.hostname and (parts.port is None or parts.port)
        )
    except ValueError:
        fits = False
    if url and (not fits or not url.isprintable() or " " in url):
        raise BadInput("setting.address", field=name, setting=name, value=url, scheme=f"{scheme}s://")
    return url.rstrip("/") if scheme == "http" else url


def _seconds(text: str) -> float:
    if not text:
        return _READY_SECONDS
    if not _SECONDS.fullmatch(text) or float(text) > _LONGEST_WAIT:
        name = DISCORD_READY_SECONDS
        raise BadInput("setting.seconds", field=name, setting=name, value=text, last=_LONGEST_WAIT)
    return float(text)


def read_locale(values: Mapping[str, str] | None = None) -> str:
    """The locale the terminal speaks, such as 'zh_CN.UTF-8', in the order of POSIX; '' where none is set."""
    given = os.environ if values is None else values
    return next((found for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (found := given.get(name))), "")


def parse_database_url(url: str) -> Path:
    """``sqlite:///relative.db`` is relative to the working directory, ``sqlite:////absolute.db`` is absolute.

    Raises:
        BadInput: another scheme, a host, or no path.
    """
    scheme, separator, rest = url.partition("://")
    if scheme != "sqlite" or not separator or not rest.startswith("/") or len(rest) < 2:
        raise BadInput("setting.database", field=DATABASE_URL, value=url)
    return Path(rest[1:])
