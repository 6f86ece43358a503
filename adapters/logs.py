"""How the log is written, and what neither it nor an error may show: tokens."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable

_TOKENS = (
    re.compile(r"[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}", re.ASCII),  # of a Discord bot
    re.compile(r"(?<=/interactions/)(\d+/)[^/\s\"'?]+", re.ASCII),  # of somebody's press, good for 15 minutes
    re.compile(r"(?<=/webhooks/)(\d+/)[^/\s\"'?]+", re.ASCII),
    re.compile(
        r"aW50ZXJhY3Rpb246[\w+/=-]+", re.ASCII
    ),  # the same, wherever it stands ('interaction:' in base64)
    re.compile(r"x(?:ox[a-z]|oxe\.xox[a-z]|app)-[\w-]{8,}", re.ASCII),  # of a Slack bot or app
    re.compile(r"(?<=hooks\.slack\.com/)[^\s\"']+", re.ASCII),  # Slack's address for an answer
    re.compile(r"(?<=[?&]ticket=)[^&\s\"']+", re.ASCII),  # of a connection
)
_QUIET = ("apscheduler", "aiosqlite", "asyncio", "discord.client")


def hide(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with '…' in place of every one of these secrets and of all that looks like a token."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "…")
    for pattern in _TOKENS:
        text = pattern.sub(lambda found: f"{found[1] if found.re.groups else ''}…", text)
    return text


class Discreet(logging.Formatter):
    """Writes a record as ever, traceback included, without its secrets."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        return hide(super().format(record), self._secrets)


def log_to_stderr(level: str, secrets: Iterable[str]) -> None:
    """Log to standard error from `level` on; libraries from info on at most, since theirs holds whole payloads."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Discreet(secrets))
    ours = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(handlers=[handler], level=max(ours, logging.INFO))
    for room in ("bot", "adapters"):
        logging.getLogger(room).setLevel(ours)
    for library in _QUIET:
        logging.getLogger(library).setLevel(logging.WARNING)
