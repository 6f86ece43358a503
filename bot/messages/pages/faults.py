"""What went wrong, in one helpful sentence, what was kept, and a button or two to go on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from bot.commands import Command
from bot.errors import Damaged, NotOurs, ReadOnly, StoreError, TooNew, UserError
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Button,
    Code,
    CommandLine,
    Commands,
    Fault,
    Message,
    Paragraph,
    Reader,
    When,
)
from bot.messages.pages.fault_sentences import SENTENCES
from bot.messages.pages.lines import headline_line, labels, one_line
from bot.messages.pages.parts import MAX_BUTTON, fits_id, message, side_name, topics_button
from bot.messages.words import Value, Words, words_for
from bot.papers.model import Paper, parse_public_id

SAID_BACK = 80
"""Characters of what somebody wrote that are said back to them."""
TYPED_BACK = 40
"""The same of a command that does not exist."""


def fault_page(reader: Reader, error: UserError) -> Message:
    """The private answer to a mistake. A key without a sentence is our own fault and says so."""
    words = words_for(reader.language)
    sentence = SENTENCES.get(_variant(error))
    if sentence is None:
        return failed_page(reader, _number(error.key))
    what, more = words.sentences(sentence, **_values(words, error))
    buttons = _buttons(words, error)
    return message(
        reader,
        words.plain(what, reader.zone, reader.now),
        Fault(what),
        Paragraph(more) if more else None,
        _nearest(words, error.values.get("nearest", ())),
        Actions(buttons) if buttons else None,
    )


def failed_page(reader: Reader, number: str) -> Message:
    """A fault of ours; `number` stands in the log too."""
    words = words_for(reader.language)
    what, more = words.sentences(
        "Something went wrong on our side. Nothing was saved. Please press again; "
        "if it fails twice, tell an organiser this number: {id}",
        id=Code(number),
    )
    return message(reader, words.plain(what, reader.zone, reader.now), Fault(what), Paragraph(more))


def fault_line(reader: Reader, error: UserError) -> str:
    """The same in one line, for the field of a form and for the terminal."""
    words = words_for(reader.language)
    sentence = SENTENCES.get(_variant(error))
    if sentence is None:
        return words.line("This cannot be used ({key}).", key=error.key)
    what, more = words.sentences(sentence, **_values(words, error))
    return words.plain(words.run_on(what, more), reader.zone, reader.now)


def field_fault(reader: Reader, fault: UserError | str) -> str:
    """What stands under a field of a form."""
    return fault if isinstance(fault, str) else fault_line(reader, fault)


def store_line(words: Words, error: StoreError) -> str:
    """What is the matter with a database file, and what to do; nothing in it was changed."""
    match error:
        case NotOurs():
            text = words.line(
                "{path} is not a Paperclub database. Nothing was changed; give another file with --database.",
                path=error.path,
            )
        case TooNew():
            text = words.line(
                "{path} was written by a newer Paperclub. Nothing was changed; update the program.",
                path=error.path,
            )
        case ReadOnly():
            text = words.line(
                "{path} may not be written. Nothing was changed; allow it or give another with --database.",
                path=error.path,
            )
        case Damaged():
            text = words.line(
                "{path} is damaged and cannot be read. Nothing was changed; put back a backup.",
                path=error.path,
            )
        case _:
            text = words.line("{path} cannot be used: {reason}", path=error.path, reason=error.reason)
    return text


def _nearest(words: Words, commands: Sequence[Command]) -> Commands | None:
    """The commands that may have been meant, to be written as they stand."""
    lines = tuple(
        CommandLine(f"/{each.path} {each.example}".rstrip(), words.line(each.about)) for each in commands
    )
    return Commands(words.line("Did you mean one of these?"), lines) if lines else None


def _variant(error: UserError) -> str:
    """The key, or the one for an error that came without a value its sentence needs."""
    values = error.values
    wanting: Mapping[str, tuple[bool, str]] = {
        "search.nothing": (bool(values.get("query")), "search.signs_only"),
        "error.no_paper": (not values.get("last"), "error.no_paper.of_unknown"),
        "error.no_topic": (not values.get("topics"), "error.no_topic.far"),
        "error.rights": (not values.get("names"), "error.rights.nobody"),
        "error.blocked": (not values.get("names"), "error.blocked.nobody"),
        "error.missing": (not _example(values.get("command")), "error.missing.plain"),
        "setup.missing": (bool(values.get("private")), "setup.missing.private"),
        "today.none": (bool(values.get("why")), f"today.none.{values.get('why')}"),
        "post.used_up": (bool(values.get("empty")), "post.used_up.empty"),
        "settings.group": (not values.get("near"), "settings.group.far"),
        "club.paused": (values.get("date") is None, "club.paused.undated"),
        "ballot.late": (values.get("papers") is None, "ballot.late.none"),
        "vote.none": (values.get("when") is None, "vote.none.undated"),
        "ballot.not_eligible": (values.get("when") is None, "ballot.not_eligible.undated"),
    }
    missing, other = wanting.get(error.key, (False, ""))
    return other if missing else error.key


def _values(words: Words, error: UserError) -> dict[str, Value]:
    values = {name: _value(words, name, value) for name, value in error.values.items()}
    match error.key:
        case "error.no_command":
            values["command"] = Code(cut(one_line(str(error.values.get("command", ""))), TYPED_BACK))
        case "error.old_button":
            values["link"] = Code("/paper vote")
        case "error.no_paper":
            values |= {name: f"p{error.values.get(name) or 1}" for name in ("first", "last")}
            if isinstance(error.values.get("id"), int):
                values["id"] = f"p{error.values['id']}"
        case "error.missing":
            values["example"] = Code(_example(error.values.get("command")))
        case "ballot.late" if error.values.get("papers") == ():
            values["papers"] = words.line("present, without a wish")
    return values


def _value(words: Words, name: str, value: Any) -> Value:
    """A value as the sentence shows it; what people wrote is cut and kept on one line."""
    match value:
        case datetime():
            return When(value, "time" if name == "time" else "date" if name == "date" else "moment")
        case date():
            return words.date(value)
        case Paper():
            return headline_line(value, words)
        case Command():
            return Code(f"/{value.path}")
        case int():
            return value
        case list() | tuple() if name == "platform":
            return words.all_of([side_name(words, each) for each in value])
        case list() | tuple() if name == "examples":
            return words.line(", ").join(map(str, value))
        case list() | tuple():
            papers = [each for each in value if isinstance(each, Paper)]
            listed = (
                labels(papers, words) if papers else [cut(one_line(str(each)), SAID_BACK) for each in value]
            )
            return words.all_of(listed)
        case _:
            return cut(one_line(str(value)), SAID_BACK)


def _buttons(words: Words, error: UserError) -> tuple[Button, ...]:
    values, group = error.values, error.key.partition(".")[0]
    round_id = values.get("round_id")
    match error.key:
        case "error.no_paper":
            return (*_near(words, str(values.get("id", "")), values.get("near")), topics_button(words))
        case "error.no_topic" | "search.nothing" | "search.too_long" | "error.old_query":
            return (topics_button(words),)
        case "post.already" | "post.other":
            return (Button("today", words.line("Today’s paper")),)
        case "today.none" | "post.used_up" | "error.no_papers":
            return (topics_button(words),)
        case "error.old_button" | "open.already" | "result.open" if round_id is not None:
            return (Button(f"vote:{round_id}", words.line("Vote / change my vote"), "first"),)
        case "ballot.late" | "close.already" if round_id is not None:
            return (Button(f"result:{round_id}", words.line("See the result")),)
        case "setup.missing":
            return (topics_button(words), Button("help", words.line("Help")))
        case "nominate.no_paper" if values.get("id"):
            return (*_near(words, str(values["id"]), None), _list_button(words))
        case "nominate.own" if values.get("nomination"):
            withdraw = Button(f"withdraw:{values['nomination']}", words.line("Withdraw"), "warn")
            return (_list_button(words), withdraw)
    if group in ("nominate", "withdraw", "vote", "results", "close") or error.key in (
        "error.no_nomination",
        "open.nothing",
    ):
        return (_list_button(words),)
    return (Button("help", words.line("Help")),)


def _near(words: Words, wanted: str, near: Any) -> tuple[Button, ...]:
    """A search for what is no id; for a number that is none, the paper near it."""
    text = one_line(wanted)
    number = parse_public_id(text)
    if number is None:
        search = f"find:{text}"
        label = cut(words.line("Search “{word}”", word=text), MAX_BUTTON)
        return (Button(search, label, "first"),) if text and fits_id(search) else ()
    return (Button(f"more:p{near}", words.line("Show {id}", id=f"p{near}")),) if near else ()


def _list_button(words: Words) -> Button:
    return Button("nominations", words.line("See the list"))


def _example(command: Any) -> str:
    """A command with its example, as typed; '' where it has none."""
    return f"/{command.path} {command.example}" if isinstance(command, Command) and command.example else ""


def _number(key: str) -> str:
    return "E-" + hashlib.sha256(key.encode()).hexdigest()[:4].upper()
