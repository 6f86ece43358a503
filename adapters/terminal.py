"""What every command of the terminal shares: how it ends early, where its store is, what it writes where."""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_data_path

from bot.errors import PaperclubError, StoreError, TokenRefused, UserError
from bot.settings import Environment

if TYPE_CHECKING:
    from bot.messages.words import Words

log = logging.getLogger(__name__)

_STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Signs that move, colour or name a terminal: pages and election files come from anywhere."""


class Stop(Exception):
    """Ends a command with one sentence: it could not be done."""

    status = 1


class Usage(Stop):
    """Ends a command with one sentence: it was asked for in a way that can never work."""

    status = 2


def store_path(options: argparse.Namespace, environment: Environment, name: str = "paperclub.db") -> Path:
    """The store: --database, else the environment's, else a file in the user's data folder."""
    given: Path | None = options.database
    return given or environment.database or user_data_path("paperclub") / name


def own_preview_path() -> Path:
    """The preview's own store, which `run --preview` always uses."""
    return user_data_path("paperclub") / "preview.db"


def read_stdin() -> bytes:
    """All of standard input; empty where there is none."""
    stdin: Any = sys.stdin
    return b"" if stdin is None else bytes(stdin.buffer.read())


def write_json(document: object) -> None:
    """One JSON document on standard output."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    print(_STEERS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text))


def write_lines(*lines: str) -> None:
    """A result for people, on standard output."""
    print(_STEERS.sub("\ufffd", "\n".join(lines)))


def hint(text: str) -> None:
    """A sentence beside the result, on standard error."""
    print(_STEERS.sub("\ufffd", text), file=sys.stderr)


def sentence(words: Words, error: Exception) -> str:
    """One sentence for any failure; never a traceback, which is in the log where it is a fault of ours."""
    from bot.messages.model import Reader
    from bot.messages.pages.faults import fault_line, store_line
    from bot.messages.pages.operator import fault_of_ours_line, token_refused_line
    from bot.storage.database import EPOCH

    match error:
        case StoreError():
            return store_line(words, error)
        case TokenRefused():
            return token_refused_line(words, error.platform, error.setting, error.why)
        case UserError():
            return fault_line(Reader(words.language, "UTC", EPOCH), error)
        case Stop() | PaperclubError():
            return str(error)
        case OSError() if error.strerror:
            return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        case _:
            log.debug("a command failed", exc_info=error)
            return fault_of_ours_line(words, f"{type(error).__name__}: {error}")


def existing(options: argparse.Namespace, environment: Environment, words: Words) -> Any:
    """The core over a store that is there already; reading commands make none."""
    from contextlib import asynccontextmanager

    from adapters.compose import build, opened
    from bot.messages.pages.operator import no_store_line

    path = store_path(options, environment)
    if not path.exists() or path.stat().st_size == 0:
        raise Stop(no_store_line(words, str(path)))

    @asynccontextmanager
    async def group() -> Any:
        async with opened(path) as database:
            yield build(database)

    return group()
