"""Slash lines in: from typed text to a command with its arguments, and what could be typed next."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.commands import COMMANDS, Command, Param, find_command
from bot.messages.model import Suggestion

MOST_SUGGESTIONS = 8
_LIKE = 0.5
_LONGEST = max(len(command.path.split()) for command in COMMANDS)


@dataclass(frozen=True, slots=True)
class Typed:
    """A command with its arguments, by name."""

    command: Command
    args: dict[str, str]


@dataclass(frozen=True, slots=True)
class Unknown:
    """No command: what was typed, at most forty signs of it, and the nearest ones that exist."""

    typed: str
    nearest: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One suggestion: the whole line once taken, what is seen of it, and what it gives."""

    line: str
    shown: str
    label: str = ""
    note: str = ""


def parse_line(text: str) -> Typed | Unknown:
    """The command a line that begins with '/' means. Words of a path may be parted by any white space."""
    words = text.strip().removeprefix("/").split()
    command = _longest(words)
    if command is None:
        return Unknown(f"/{' '.join(words)}"[:40], _nearest(words))
    rest = _after(text, len(command.path.split()))
    return Typed(command, parse_args(command, rest))


def parse_args(command: Command, rest: str) -> dict[str, str]:
    """Arguments in their order, a word each; the last takes the rest. `name:value` names one anywhere."""
    args: dict[str, str] = {}
    order = list(command.params)
    names = "|".join(param.name for param in order)
    # A search query has words with colons of its own ('topic:'), so only names of this command count.
    pieces = re.split(rf"(?:(?<=\s)|^)({names}):", rest) if names else [rest]
    for name, value in zip(pieces[1::2], pieces[2::2], strict=True):
        args[name] = value.strip()
    left = pieces[0].strip()
    for number, param in enumerate(order):
        if param.name in args or not left:
            continue
        if number == len(order) - 1:
            args[param.name], left = left, ""
        else:
            value, _, left = left.partition(" ")
            args[param.name], left = value, left.strip()
    return {name: value for name, value in args.items() if value}


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
    command = _longest(words)
    if command is None or (_after(text, len(command.path.split())) == "" and not text[-1:].isspace()):
        return _commands_like(" ".join(words).casefold(), about, may)
    found = _param_being_typed(command, _after(text, len(command.path.split()), keep_end=True))
    if found is None:
        return []
    param, start = found
    value = _after(text, len(command.path.split()), keep_end=True)[start:]
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


def _longest(words: Sequence[str]) -> Command | None:
    """The command whose path is the longest beginning of `words`."""
    for size in range(min(_LONGEST, len(words)), 0, -1):
        command = find_command(" ".join(words[:size]).lower())
        if command is not None:
            return command
    return None


def _after(text: str, words: int, *, keep_end: bool = False) -> str:
    """What follows the slash and the first `words` words."""
    parts = re.match(rf"\s*/\s*(?:\S+\s*){{{words}}}", text)
    rest = text[parts.end() :] if parts else ""
    return rest if keep_end else rest.strip()


def _nearest(words: Sequence[str]) -> tuple[Command, ...]:
    """Up to three commands that look or end like what was typed ('/serach', '/search', '/papers search')."""
    typed = " ".join(words[:3]).casefold()
    if not typed:
        return ()

    def likeness(command: Command) -> float:
        tail = command.path.split(" ", 1)[1]
        pairs = [(typed, command.path), (words[0].casefold(), tail)]
        if len(words) > 1:
            pairs += [(" ".join(words[:2]).casefold(), command.path), (words[1].casefold(), tail)]
        return max(SequenceMatcher(None, ours, theirs).ratio() for ours, theirs in pairs)

    ranked = sorted(COMMANDS, key=lambda command: -likeness(command))
    best = likeness(ranked[0])
    return tuple(command for command in ranked[:3] if likeness(command) >= max(_LIKE, best - 0.15))
