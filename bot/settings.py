"""The only place where our code reads the environment. Every name here is in .env.example and the docs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import BadInput

DATABASE_URL = "PAPERCLUB_DATABASE_URL"
PREVIEW_PORT = "PAPERCLUB_PREVIEW_PORT"
LOG = "PAPERCLUB_LOG"
NAMES = (DATABASE_URL, PREVIEW_PORT, LOG)

LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Environment:
    """What the operator set. `database` is None when nothing was said."""

    database: Path | None
    preview_port: int
    log: str


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
    return Environment(parse_database_url(url) if url else None, int(port), log)


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
