"""The terminal: `paperclub …`, the operator's tool and what scripts build on.

Exit status 0: done (also after SIGTERM) · 1: could not be done · 2: wrong usage. Errors are one sentence
on standard error; with --json standard output holds one JSON document and nothing else.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from adapters.logs import hide, log_to_stderr
from adapters.terminal import Stop, hint, read_stdin, sentence
from bot.errors import BadInput
from bot.settings import Environment, parse_database_url, read_environment, read_locale

if TYPE_CHECKING:
    from bot.messages.words import Words

Verb = Callable[[argparse.Namespace, Environment, "Words"], "Coroutine[Any, Any, None] | None"]

_OWN_WORDS = ("-h", "--help", "--json", "--limit", "--club", "--database")
"""The options of `search`; anything else there that begins with one '-' is a word to look for."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, and where to read more."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See: {self.prog} --help\n")


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = _Parser(prog="paperclub", description="The reading-group bot.", allow_abbrev=False)
    top.add_argument("--database", type=_store, metavar="FILE", help="the SQLite file to use")
    verbs = top.add_subparsers(dest="verb", required=True, metavar="COMMAND")

    def verb(name: str, help: str, *, uses_store: bool = True) -> argparse.ArgumentParser:
        made = verbs.add_parser(name, help=help, description=f"{help}.", allow_abbrev=False)
        if uses_store:
            made.add_argument(
                "--database",
                type=_store,
                metavar="FILE",
                default=argparse.SUPPRESS,
                help="the SQLite file to use",
            )
        return made

    run = verb("run", "the clock and every platform that has its token")
    run.add_argument(
        "--preview", action="store_true", help="also the local web preview, on a database of its own"
    )
    run.add_argument("--port", type=_port, metavar="N", help="the preview's port")
    preview = verb("preview", "the local web preview alone")
    preview.add_argument("--port", type=_port, metavar="N", help="the preview's port")
    verb("invite", "the link that brings the bot into a Discord server", uses_store=False)
    bring = verb("import", "bring papers into the catalogue")
    bring.add_argument("sources", nargs="+", metavar="SOURCE", help="a file, or - for standard input")
    bring.add_argument("--format", metavar="F", help="the format, where it cannot be told from the file")
    bring.add_argument("--dry-run", action="store_true", help="only show what would be read")
    bring.add_argument("--json", action="store_true", help="one JSON document")
    search = verb("search", "find papers")
    search.add_argument(
        "query", nargs="*", metavar="QUERY", help='words, "a phrase", author:, topic:, title:'
    )
    search.add_argument(
        "--limit", type=_positive, default=10, metavar="N", help="hits at most, 10 by default"
    )
    search.add_argument("--club", metavar="C", help="as this club sees the catalogue")
    search.add_argument("--json", action="store_true", help="one JSON document")
    show = verb("show", "one paper")
    show.add_argument("id", metavar="ID", help="such as p17")
    show.add_argument("--as", dest="form", choices=("text", "discord", "slack"), default="text")
    show.add_argument("--json", action="store_true", help="one JSON document")
    verb("plain", "LaTeX and Markdown on standard input to readable text", uses_store=False)
    tally = verb("tally", "recount a tally sheet or an election file", uses_store=False)
    tally.add_argument("file", metavar="FILE", help="an election, or - for standard input")
    tally.add_argument("--method", metavar="M", help="count by this method, not the file's")
    tally.add_argument("--seats", type=_positive, metavar="K", help="elect so many, not the file's number")
    tally.add_argument("--default-option", metavar="O", help="drop options that do not get past this one")
    tally.add_argument(
        "--quorum", type=_amount, metavar="Q", help="ballots that must put an option before the default one"
    )
    tally.add_argument(
        "--majority",
        action="append",
        default=[],
        metavar="O=R",
        help="option O needs more than R times as many for it as against it; can be given again",
    )
    tally.add_argument("--json", action="store_true", help="one JSON document")
    audit = verb("audit", "work out again what the database says of its votes")
    audit.add_argument("--club", metavar="C", help="its number or name; all clubs by default")
    audit.add_argument("--head", metavar="H", help="which log had this head, 8 to 64 hex signs")
    audit.add_argument("--json", action="store_true", help="one JSON document")
    plan = verb("plan", "what is due when")
    plan.add_argument("--club", metavar="C", help="its number or name; not needed where there is one")
    plan.add_argument("--daily", metavar="HH:MM", help="a daily time, without any club")
    plan.add_argument(
        "--weekdays", metavar="DAYS", default="daily", help="such as mon,tue,wed; all by default"
    )
    plan.add_argument("--zone", metavar="Z", help="such as Europe/Berlin")
    plan.add_argument("--from", dest="start", metavar="ISO", help="now by default")
    plan.add_argument("--days", type=_positive, default=7, metavar="N", help="times 24 hours, 7 by default")
    plan.add_argument("--json", action="store_true", help="one JSON document")
    why = verb("why", "what was or was not posted on a day, and why")
    why.add_argument("day", nargs="?", metavar="YYYY-MM-DD", help="today by default")
    why.add_argument("--club", metavar="C", help="its number or name; not needed where there is one")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit status."""
    verb, secrets = "", tuple[str, ...]()
    try:
        _write_utf8()
        options = _parse(list(sys.argv[1:] if argv is None else argv))
        verb = options.verb
        if verb in ("run", "preview"):  # there is no loop yet that could be asked to end
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        _read_env_file()
        environment = read_environment()
        secrets = environment.secrets
        _work(options, environment)
        if sys.stdout is not None:
            sys.stdout.flush()
    except SystemExit as ended:  # argparse has said what there is to say
        return ended.code if isinstance(ended.code, int) else 1
    except BrokenPipeError:
        _forget_stdout()
        return 0  # the reader had enough
    except KeyboardInterrupt:
        return 0 if verb in ("run", "preview") else 1
    except Exception as error:
        hint(_say(error, secrets))
        if isinstance(error, OSError):
            _forget_stdout()
        return error.status if isinstance(error, Stop) else 1
    return 0


def _work(options: argparse.Namespace, environment: Environment) -> None:
    """Do what was asked. Heavy parts are imported by the command that needs them."""
    log_to_stderr(environment.log, environment.secrets)
    if options.verb == "plain":
        from bot.papers.plain import plain_text

        print(plain_text(read_stdin().decode("utf-8-sig", "replace")))
        return
    import asyncio

    from adapters import operate, recount, running
    from bot.messages.words import words_for

    verbs: dict[str, Verb] = {
        "run": running.run,
        "invite": running.invite,
        "preview": running.preview,
        "import": operate.bring,
        "search": operate.search,
        "show": operate.show,
        "tally": recount.tally,
        "audit": recount.audit,
        "plan": operate.plan,
        "why": operate.why,
    }
    coroutine = verbs[options.verb](options, environment, words_for(_language()))
    if coroutine is not None:
        try:
            asyncio.run(coroutine)
        finally:
            coroutine.close()  # Ctrl-C may come before it began


# ---- what was asked ----


def _parse(given: list[str]) -> argparse.Namespace:
    """As argparse does, but words of a query may begin with '-', and `--` ends options for good."""
    top = parser()
    at = _verb_at(given)
    if given[at : at + 1] != ["search"]:
        return top.parse_args(given)
    head, words = given[: at + 1], list[str]()
    rest = iter(given[at + 1 :])
    for word in rest:
        name, equals, _ = word.partition("=")
        if word == "--":
            words += rest
        elif name in _OWN_WORDS:
            takes = name in ("--limit", "--club", "--database") and not equals
            head += [word, *([value] if takes and (value := next(rest, None)) is not None else [])]
        elif word.startswith("--") and " " not in word:
            head.append(word)  # argparse knows how to refuse it
        else:
            words.append(word)
    options = top.parse_args(head)
    options.query = " ".join(words)
    if not words:
        from bot.messages.pages.operator import no_query_line
        from bot.messages.words import words_for

        top.exit(2, f"{no_query_line(words_for(_language()))}\n")
    return options


def _verb_at(given: list[str]) -> int:
    """Where the command stands: after --database FILE, if that comes first."""
    at = 0
    while at < len(given) and given[at].startswith("-"):
        at += 2 if given[at] == "--database" else 1
    return at


def _store(text: str) -> Path:
    """A file, also by its address as `PAPERCLUB_DATABASE_URL` has it; no folder is ever called 'sqlite:'."""
    return parse_database_url(text) if "://" in text else Path(text)


def _positive(text: str) -> int:
    return _number(text, 100_000)


def _port(text: str) -> int:
    return _number(text, 65_535)


def _amount(text: str) -> str:
    """A number as it was written: an exact one needs no float."""
    whole, _, part = text.partition(".")
    if not (whole + part).isdecimal() or not text.isascii() or len(text) > 30 or not whole or len(whole) > 9:
        from bot.messages.pages.operator import bad_number_line
        from bot.messages.words import words_for

        raise argparse.ArgumentTypeError(bad_number_line(words_for(_language()), text, 999_999_999))
    return text


def _number(text: str, last: int) -> int:
    digits = text.isascii() and text.isdigit() and len(text) < 10
    if not digits or not 1 <= int(text) <= last:
        from bot.messages.pages.operator import bad_number_line
        from bot.messages.words import words_for

        raise argparse.ArgumentTypeError(bad_number_line(words_for(_language()), text, last))
    return int(text)


def _read_env_file() -> None:
    """The settings in `.env` of the working directory, where they are not in the environment already."""
    path = Path(".env")
    if not path.is_file():
        return
    from dotenv import load_dotenv
    from dotenv.parser import parse_stream

    named = str(path.absolute())
    try:
        with path.open(encoding="utf-8") as file:
            wrong = next((each.original.line for each in parse_stream(file) if each.error), None)
        if wrong is not None:  # passed over, it might take a token on the next line with it
            raise BadInput("setting.line", field=".env", value=named, n=wrong)
        load_dotenv(path)
    except ValueError as error:  # not text
        raise BadInput("setting.file", field=".env", value=named) from error


# ---- what is said ----


def _write_utf8() -> None:
    """JSON is UTF-8 whatever the terminal's locale; a name that is no text is shown escaped, never fatal."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _forget_stdout() -> None:
    """What is still to be written can go nowhere; Python must not complain about it at exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        with open(os.devnull, "w") as nowhere:
            try:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            except OSError:
                return


def _say(error: Exception, secrets: Sequence[str]) -> str:
    from bot.messages.words import words_for

    return hide(sentence(words_for(_language()), error), secrets)


def _language() -> str:
    from bot.messages.words import best_language

    return best_language(read_locale(), "en")
