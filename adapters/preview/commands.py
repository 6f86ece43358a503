"""Slash lines in: what could be typed next. What a whole line means is in adapters/typed.py."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from adapters.typed import Typed, Unknown, after, longest, parse_line
from bot.commands import COMMANDS, Command, Param
from bot.messages.model import Suggestion

__all__ = ["Choice", "Typed", "Unknown", "parse_line", "suggest"]

MOST_SUGGESTIONS = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """One suggestion: the whole line once taken, what is seen of it, and what it gives."""

    line: str
    shown: str
    label: str = ""
    note: str = ""


async def suggest(
    text: str,
    about: Callable[[Command], str],
    may: Callable[[Command], bool],
    ask: Callable[[Command, Param, str], Awaitable[Sequence[Suggestion]]],
) -> list[Choice]:
    """What could be meant by `text`: commands first, then values for the argument that is being typed.

    `about` words a command, `may` says whether this person may use it, `ask` finds values.
    """
    if not text.startswith("/"):
        return []
    words = text.removeprefix("/").split()
    command = longest(words)
    if command is None or (after(text, len(command.path.split())) == "" and not text[-1:].isspace()):
        return _commands_like(" ".join(words).casefold(), about, may)
    found = _param_being_typed(command, after(text, len(command.path.split()), keep_end=True))
    if found is None:
        return []
    param, start = found
    value = after(text, len(command.path.split()), keep_end=True)[start:]
    lead = text[: len(text) - len(value)]
    lead = lead if lead[-1:].isspace() or lead.endswith(":") else lead + " "
    return [_choice(lead, each) for each in (await ask(command, param, value))[:MOST_SUGGESTIONS]]


def _choice(lead: str, found: Suggestion) -> Choice:
    """A value with what it stands for, where that says more than the value does."""
    label = found.label.removeprefix(f"{found.value} · ")
    says_more = label.casefold() not in found.value.casefold()
    return Choice(lead + found.value, found.value, label if says_more else "", found.note)


def _commands_like(
    typed: str, about: Callable[[Command], str], may: Callable[[Command], bool]
) -> list[Choice]:
    able = [command for command in COMMANDS if may(command)]
    begin = [command for command in able if command.path.startswith(typed)]
    inside = [command for command in able if typed and typed in command.path and command not in begin]
    return [
        Choice(f"/{command.path}{' ' if command.params else ''}", f"/{command.path}", about(command))
        for command in (begin + inside)[:MOST_SUGGESTIONS]
    ]


def _param_being_typed(command: Command, rest: str) -> tuple[Param, int] | None:
    """The argument at the end of `rest`, and where its text starts there."""
    named = [
        (found.end(), param)
        for param in command.params
        for found in re.finditer(rf"(?:(?<=\s)|^){param.name}:", rest)
    ]
    if named:
        start, param = max(named, key=lambda pair: pair[0])
        return param, start
    start = len(rest) - len(rest.lstrip())
    for number, param in enumerate(command.params):
        blank = rest.find(" ", start)
        if number == len(command.params) - 1 or blank < 0:
            return param, start
        start = blank + 1
        start += len(rest[start:]) - len(rest[start:].lstrip())
    return None
