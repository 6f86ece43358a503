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
SLACK_BOT_TOKEN = "SLACK_BOT_TOKEN"
SLACK_APP_TOKEN = "SLACK_APP_TOKEN"
SLACK_SIGNING_SECRET = "SLACK_SIGNING_SECRET"
SLACK_API_BASE = "SLACK_API_BASE"
HTTP_HOST = "PAPERCLUB_HTTP_HOST"
HTTP_PORT = "PAPERCLUB_HTTP_PORT"
NAMES = (
    DATABASE_URL,
    PREVIEW_PORT,
    LOG,
    DISCORD_TOKEN,
    DISCORD_API_BASE,
    DISCORD_GATEWAY_URL,
    DISCORD_READY_SECONDS,
    SLACK_BOT_TOKEN,
    SLACK_APP_TOKEN,
    SLACK_SIGNING_SECRET,
    SLACK_API_BASE,
    HTTP_HOST,
    HTTP_PORT,
)

LEVELS = ("debug", "info", "warning", "error")
_API_BASE = "https://discord.com/api/v10"
_GATEWAY_URL = "wss://gateway.discord.gg/"
_READY_SECONDS = 2.0
_SLACK_API_BASE = "https://slack.com/api/"
_HTTP_HOST = "127.0.0.1"
_HTTP_PORT = 3000
_LONGEST_WAIT = 60
_SECONDS = re.compile(r"\d{1,3}(\.\d{1,3})?", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class DiscordSettings:
    """How to reach Discord. `ready_seconds` is how long a start waits for the next server to be named."""

    token: str = field(repr=False)
    api_base: str = _API_BASE
    gateway_url: str = _GATEWAY_URL
    ready_seconds: float = _READY_SECONDS


@dataclass(frozen=True, slots=True)
class SlackSettings:
    """How to reach Slack. With an app token Slack is asked over a socket, else it calls `http_host` and its port."""

    bot_token: str = field(repr=False)
    app_token: str = field(default="", repr=False)
    signing_secret: str = field(default="", repr=False)
    api_base: str = _SLACK_API_BASE
    """Ends in a slash."""
    http_host: str = _HTTP_HOST
    http_port: int = _HTTP_PORT


@dataclass(frozen=True, slots=True)
class Environment:
    """What the operator set. `database` is None when nothing was said, a platform when it has no token."""

    database: Path | None
    preview_port: int
    log: str
    discord: DiscordSettings | None = None
    slack: SlackSettings | None = None
    half_slack: SlackSettings | None = None
    """Where a token is there and another one lacks that it needs beside it: Slack stays off."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no log and no error may show."""
        found: tuple[str, ...] = () if self.discord is None else (self.discord.token,)
        slack = self.slack or self.half_slack
        if slack is not None:
            found += (slack.bot_token, slack.app_token, slack.signing_secret)
        return tuple(secret for secret in found if secret)


def read_environment(values: Mapping[str, str] | None = None) -> Environment:
    """Our settings out of the process environment, or out of `values`.

    Raises:
        BadInput: a value that cannot be used; `field` is the setting's name.
    """
    given = os.environ if values is None else values
    url = given.get(DATABASE_URL, "").strip()
    log = (given.get(LOG, "").strip() or "info").lower()
    port = _port(PREVIEW_PORT, given.get(PREVIEW_PORT, "").strip(), 8765)
    if log not in LEVELS:
        raise BadInput("setting.log", field=LOG, value=log, levels=", ".join(LEVELS))
    database = parse_database_url(url) if url else None
    slack = _read_slack(given)
    ways = slack.app_token or slack.signing_secret
    half = not (slack.bot_token and ways) and (slack.bot_token or ways)
    return Environment(
        database,
        port,
        log,
        _read_discord(given),
        slack if slack.bot_token and ways else None,
        slack if half else None,
    )


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
    _check_token(DISCORD_TOKEN, token)
    return settings if token else None


def _read_slack(given: Mapping[str, str]) -> SlackSettings:
    """Likewise, whichever tokens are there."""
    named = {name: given.get(name, "").strip() for name in NAMES}
    base = _address(SLACK_API_BASE, named[SLACK_API_BASE], "http")
    settings = SlackSettings(
        named[SLACK_BOT_TOKEN],
        named[SLACK_APP_TOKEN],
        named[SLACK_SIGNING_SECRET],
        f"{base}/" if base else _SLACK_API_BASE,
        _host(HTTP_HOST, named[HTTP_HOST], _HTTP_HOST),
        _port(HTTP_PORT, named[HTTP_PORT], _HTTP_PORT),
    )
    for name in (SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET):
        _check_token(name, named[name])
    return settings


def _check_token(name: str, token: str) -> None:
    if not token.isascii() or not token.isprintable() or " " in token:
        raise BadInput("setting.token", field=name, setting=name)  # never with the value


def _port(name: str, text: str, default: int) -> int:
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise BadInput("setting.port", field=name, value=text)
    return int(text)


def _host(name: str, text: str, default: str) -> str:
    """A name or address to listen on, such as 0.0.0.0 or ::1."""
    if text and not _HOST.fullmatch(text):
        raise BadInput("setting.host", field=name, setting=name, value=text)
    return text or default


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
