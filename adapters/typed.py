"""Commands that are typed as one line of text: which one is meant, and its arguments. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.commands import COMMANDS, Command, find_command, nearest_commands

SAID_BACK = 40
LONGEST_LINE = 4000
"""Signs of a line that are read: with more of them an argument is too long for any command, which says so."""
_LONGEST = max(len(command.path.split()) for command in COMMANDS)
_PAIRS = (
    ('["＂“”„‟]', '["＂“”„‟]', '"＂“”„‟'),
    ("['‘‚]", "['’‘]", ""),
    ("«", "»", "»"),
    ("»", "«", "«"),
    ("‹", "›", "›"),
    ("›", "‹", "‹"),
    ("「", "」", "」"),
    ("『", "』", "』"),
    ("《", "》", "》"),
)
_QUOTED = "|".join(
    rf"{opening}(?:[^{inside}]*){closing}(?!\S)" if inside else rf"{opening}(?:.*?){closing}(?!\S)"
    for opening, closing, inside in _PAIRS
)
"""Words in quotes of any kind; they end where a word ends, so an apostrophe closes nothing."""
_WHOLE = re.compile(_QUOTED, re.DOTALL)


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


def parse_line(text: str) -> Typed | Unknown:
    """The command a line that begins with '/' means. Words of a path may be parted by any white space."""
    text = text.strip()[:LONGEST_LINE]
    words = text.removeprefix("/").split()
    command = longest(words)
    if command is None:
        return Unknown(f"/{' '.join(words)}"[:SAID_BACK], nearest_commands(words))
    return Typed(command, parse_args(command, after(text, len(command.path.split()))))


def parse_args(command: Command, rest: str) -> dict[str, str]:
    """Arguments in their order, a word each; the last takes the rest. `name:value` names one anywhere.

    The wide colon is one too. Quotes hold words together and fall away, but for an argument in which they mean
    something.
    """
    args: dict[str, str] = {}
    before, named = _named(command, rest)
    for name, value in named:
        args[name] = value.strip()
    left = before.strip()
    order = [param for param in command.params if param.name not in args]
    for param in order:
        if param is command.params[-1]:
            args[param.name], left = left, ""
        else:
            args[param.name], left = _word(left)
    verbatim = {param.name for param in command.params if param.verbatim}
    given = {name: value if name in verbatim else _bare(value) for name, value in args.items()}
    return {name: value for name, value in given.items() if value}


def longest(words: Sequence[str]) -> Command | None:
    """The command whose path is the longest beginning of `words`."""
    for size in range(min(_LONGEST, len(words)), 0, -1):
        command = find_command(" ".join(words[:size]).lower())
        if command is not None:
            return command
    return None


def after(text: str, words: int, *, keep_end: bool = False) -> str:
    """What follows the slash and the first `words` words."""
    parts = re.match(rf"\s*/\s*(?:\S+\s*){{{words}}}", text)
    rest = text[parts.end() :] if parts else ""
    return rest if keep_end else rest.strip()


def _named(command: Command, rest: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first `name:`, and each name with what follows it. None of it is inside quotes.

    A search query has words with colons of its own ('topic:'), so only names of this command count.
    """
    names = "|".join(param.name for param in command.params)
    if not names:
        return rest, []
    pieces = re.finditer(rf"(?:(?<=\s)|^)(?:({names})[:：](?:{_QUOTED})?|(?:{_QUOTED}))", rest, re.DOTALL)
    found = [piece for piece in pieces if piece[1]]
    if not found:
        return rest, []
    ends = [piece.start() for piece in found[1:]] + [len(rest)]
    named = [(piece[1], rest[piece.end(1) + 1 : end]) for piece, end in zip(found, ends, strict=True)]
    return rest[: found[0].start()], named


def _word(text: str) -> tuple[str, str]:
    """The first word, or the words in quotes at the beginning, and the rest."""
    quoted = _WHOLE.match(text)
    if quoted:
        return quoted[0], text[quoted.end() :].strip()
    word, *rest = text.split(maxsplit=1) or [""]
    return word, rest[0] if rest else ""


def _bare(value: str) -> str:
    """Without the quotes around the whole of it."""
    return value[1:-1].strip() if _WHOLE.fullmatch(value) else value
