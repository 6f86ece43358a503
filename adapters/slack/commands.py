"""Slash commands in: what Slack sends of a typed line, as a path with its arguments. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adapters.typed import LONGEST_LINE, Typed, parse_line
from bot.commands import GROUPS

HELP = "paper help"
SHORTCUT = "nominate"
"""The callback of the shortcut on messages."""

_HELP_WORDS = ("help", "?", "-h", "--help")
_MARKUP = re.compile(r"<([^<>\n]*)>")
_NAMED = re.compile(r"\s*<@([^<>|\n]+)(?:\|[^<>\n]*)?>[\s,:，：]*")
_ENTITY = re.compile("&(amp|lt|gt);")
_SIGNS = {"amp": "&", "lt": "<", "gt": ">"}
_NO_NAME = str.maketrans("<>|\n", "    ")
_WEB = re.compile(r"https?://\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """A path with its arguments; of what is no command the words that were typed.

    `prefix` stands before the first word `top` of commands here: '/', or '/rg-' where '/rg-paper' was typed. Both
    stand behind it where `top` is ''.
    """

    path: str
    args: dict[str, str]
    prefix: str = "/"
    top: str = ""


def read_line(name: str, text: str) -> Line:
    """What the command `name` ('/paper', or what the manifest calls it) with `text` means; '' for talk.

    Where the name holds none of our first words, the text begins with one, or it is left out.
    """
    prefix, top = _parted(name)
    said = read_text(text).strip().removeprefix("/")[:LONGEST_LINE]
    words = said.split()
    if not words or (len(words) == 1 and words[0].casefold() in _HELP_WORDS):
        return Line(HELP, {}, prefix, top)
    firsts = (
        [""] if words[0].casefold() in GROUPS else [f"{top} "] if top else [f"{each} " for each in GROUPS]
    )
    tries = [first + said for first in firsts]
    for each in tries:
        found = parse_line(f"/{each}")
        if isinstance(found, Typed):
            return Line(found.command.path, found.args, prefix, top)
    return Line(" ".join(tries[0].split()), {}, prefix, top)


def read_text(text: str) -> str:
    """As it was typed: links as their address, channels as their id, signs decoded once; people as `<@ID|name>`."""
    pieces = _MARKUP.split(text)
    return "".join(_decoded(piece) if at % 2 == 0 else _meant(piece) for at, piece in enumerate(pieces))


def to_whom(text: str) -> tuple[str, str]:
    """Who is spoken to by name at the beginning of a message, as an id ('' for nobody), and what is said to them."""
    found = _NAMED.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def links_of(message: Mapping[str, Any]) -> list[str]:
    """The web addresses a message holds, in order: of its blocks, its text, and what was attached to it."""
    found = [*_linked(message.get("blocks")), *_addresses(str(message.get("text") or ""))]
    for each in message.get("attachments") or ():
        if isinstance(each, Mapping):
            given = (each.get("title_link"), each.get("from_url"), each.get("original_url"))
            found += [str(url) for url in given if url]
    return list(dict.fromkeys(url for url in found if _WEB.fullmatch(url)))


def _parted(name: str) -> tuple[str, str]:
    """The prefix and the first word in the name of a slash command; '' for a name with none of our words."""
    name = "/" + name.strip().removeprefix("/")
    for top in GROUPS:
        if name.casefold().endswith(top):
            return name[: -len(top)], top
    return (name if name == "/" else f"{name} "), ""


def _meant(markup: str) -> str:
    """What stands between angle brackets."""
    target, _, label = markup.partition("|")
    if target.startswith("@"):
        name = _decoded(label).translate(_NO_NAME).strip()
        return f"<{target}|{name}>" if name else f"<{target}>"
    if target.startswith("#"):
        return target[1:]
    if target.startswith("!"):
        return _decoded(label or target[1:])
    if _WEB.fullmatch(target):
        return _decoded(target)
    return _decoded(label or target)


def _decoded(text: str) -> str:
    return _ENTITY.sub(lambda sign: _SIGNS[sign[1]], text)


def _addresses(text: str) -> Iterator[str]:
    """Links Slack found in a text, and those it left as they are."""
    for piece in _MARKUP.split(text)[1::2]:
        yield _decoded(piece.partition("|")[0])
    yield from (_decoded(each).rstrip(".,;:!?)") for each in _WEB.findall(_MARKUP.sub(" ", text)))


def _linked(element: object) -> Iterator[str]:
    """Link elements of rich text, at any depth, and the mrkdwn of other blocks."""
    if isinstance(element, list):
        for each in element:
            yield from _linked(each)
    elif isinstance(element, Mapping):
        if element.get("type") == "link" and element.get("url"):
            yield str(element["url"])
        elif element.get("type") == "mrkdwn":
            yield from _addresses(str(element.get("text") or ""))
        yield from _linked([element.get(key) for key in ("elements", "text", "fields")])
