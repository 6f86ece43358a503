"""The terminal: `paperclub …`, the operator's tool and what scripts build on.

Exit status 0: done (also after SIGTERM) · 1: could not be done · 2: wrong usage. Errors are one sentence
on standard error; with --json standard output holds one JSON document and nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import locale
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dotenv import load_dotenv
from platformdirs import user_data_path

from bot.errors import PaperclubError, StoreError, UserError
from bot.messages.model import Reader
from bot.messages.words import Words, best_language, words_for
from bot.settings import Environment, read_environment
from bot.storage.database import EPOCH

log = logging.getLogger(__name__)


class Stop(Exception):
    """Ends a command with exit status 1 and one sentence."""


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="paperclub", description="The reading-group bot.")
    store = argparse.ArgumentParser(add_help=False)
    store.add_argument("--database", type=Path, metavar="FILE", help="the SQLite file to use")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="COMMAND")

    def verb(name: str, help: str, *, uses_store: bool = True) -> argparse.ArgumentParser:
        return verbs.add_parser(name, help=help, description=help, parents=[store] if uses_store else [])

    run = verb("run", "the clock and every platform that has its token")
    run.add_argument(
        "--preview", action="store_true", help="also the local web preview, on a database of its own"
    )
    run.add_argument("--port", type=int, metavar="N", help="the preview's port")
    preview = verb("preview", "the local web preview alone")
    preview.add_argument("--port", type=int, metavar="N", help="the preview's port")
    bring = verb("import", "bring papers into the catalogue")
    bring.add_argument("sources", nargs="+", metavar="SOURCE", help="a file, or - for standard input")
    bring.add_argument("--format", help="the format, where it cannot be told from the file")
    bring.add_argument("--dry-run", action="store_true", help="only show what would be read")
    bring.add_argument("--json", action="store_true")
    search = verb("search", "find papers")
    search.add_argument(
        "query", nargs="*", metavar="QUERY", help='words, "a phrase", author:, topic:, title:'
    )
    search.add_argument("--limit", type=_positive, default=10, metavar="N")
    search.add_argument("--club", metavar="C", help="as this club sees the catalogue")
    search.add_argument("--json", action="store_true")
    show = verb("show", "one paper")
    show.add_argument("id", metavar="ID", help="such as p17")
    show.add_argument("--as", dest="form", choices=("text", "discord", "slack"), default="text")
    show.add_argument("--json", action="store_true")
    verb("plain", "LaTeX and Markdown on standard input to readable text", uses_store=False)
    tally = verb("tally", "recount an election file", uses_store=False)
    tally.add_argument("file", metavar="FILE")
    tally.add_argument("--method", metavar="M")
    tally.add_argument("--seats", type=_positive, metavar="K")
    tally.add_argument("--json", action="store_true")
    plan = verb("plan", "what is due when")
    plan.add_argument("--club", metavar="C")
    plan.add_argument("--daily", metavar="HH:MM", help="a daily time, without any club")
    plan.add_argument("--weekdays", metavar="DAYS", default="daily", help="such as mon,tue,wed")
    plan.add_argument("--zone", metavar="Z", help="such as Europe/Berlin")
    plan.add_argument("--from", dest="start", metavar="ISO")
    plan.add_argument("--days", type=_positive, default=7, metavar="N")
    plan.add_argument("--json", action="store_true")
    why = verb("why", "what was or was not posted on a day, and why")
    why.add_argument("day", nargs="?", metavar="YYYY-MM-DD")
    why.add_argument("--club", metavar="C")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    options = _parse(given)
    load_dotenv(Path.cwd() / ".env")
    words = words_for(_language())
    try:
        environment = read_environment()
        _log_to_stderr(environment.log)
        _work(options, environment, words)
    except BrokenPipeError:
        sys.stderr.close()  # the reader had enough; Python must not complain at exit
        return 0
    except Stop as stop:
        return _say(str(stop))
    except (PaperclubError, OSError) as error:
        return _say(_sentence(words, error))
    except KeyboardInterrupt:
        return 0
    return 0


def _work(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    from adapters import operate

    verbs: dict[str, Callable[[argparse.Namespace, Environment, Words], Any]] = {
        "run": operate.run,
        "preview": operate.preview,
        "import": operate.bring,
        "search": operate.search,
        "show": operate.show,
        "plain": operate.plain,
        "tally": operate.tally,
        "plan": operate.plan,
        "why": operate.why,
    }
    done = verbs[options.verb](options, environment, words)
    if asyncio.iscoroutine(done):
        asyncio.run(done)


def _parse(given: list[str]) -> argparse.Namespace:
    """As argparse does, but words of a query may begin with '-'."""
    top = parser()
    options, unknown = top.parse_known_args(given)
    loose = [word for word in unknown if not word.startswith("--")]
    if unknown and (options.verb != "search" or len(loose) < len(unknown)):
        top.error(f"unrecognized arguments: {' '.join(unknown)}")
    if options.verb == "search":
        words = [*options.query, *loose]
        options.query = " ".join(word for word in given[given.index("search") + 1 :] if word in words)
        if not words:
            top.error("the following arguments are required: QUERY")
    return options


def _positive(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100_000:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to 100000")
    return number


def store_path(options: argparse.Namespace, environment: Environment, name: str = "paperclub.db") -> Path:
    """The store: --database, else the environment's, else a file in the user's data folder."""
    given: Path | None = options.database
    return given or environment.database or user_data_path("paperclub") / name


def own_preview_path() -> Path:
    """The preview's own store, which `run --preview` always uses."""
    return user_data_path("paperclub") / "preview.db"


def write_json(document: object) -> None:
    """One JSON document on standard output."""
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def hint(text: str) -> None:
    """A sentence beside the result, on standard error."""
    print(text, file=sys.stderr)


def _say(sentence: str) -> int:
    hint(sentence)
    return 1


def _sentence(words: Words, error: Exception) -> str:
    from bot.messages.pages.faults import fault_line, store_line

    if isinstance(error, StoreError):
        return store_line(words, error)
    if isinstance(error, UserError):
        return fault_line(Reader(words.language, "UTC", EPOCH), error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _language() -> str:
    try:
        locale.setlocale(locale.LC_ALL, "")
    except locale.Error:
        return "en"
    return best_language((locale.getlocale()[0] or "en").replace("_", "-"), "en")


def _log_to_stderr(level: str) -> None:
    logging.basicConfig(
        stream=sys.stderr, level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    logging.getLogger("aiosqlite").setLevel(logging.WARNING)


if __name__ == "__main__":
    sys.exit(main())
