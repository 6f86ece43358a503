"""What stands inside a line as elements of Slack's rich_text, in which nothing is read as markup. Pure.

Nothing anybody wrote ever becomes mrkdwn: it goes into rich_text or plain_text, where `<!channel>`, `<@U1>` and
`*stars*` are words. The one mrkdwn text of a message is its push line, see `escape`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, assert_never

from bot.commands import COMMANDS
from bot.messages.cut import cut, length
from bot.messages.model import ChannelRef, Code, Inline, Link, Mark, Shown, Strong, Text, When
from bot.messages.pages.native import at_time_line, instant_line

Native = dict[str, Any]

_BREAKS = r"\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_UNEASY = re.compile(rf"[ {_BREAKS}]{{2,}}|[{_BREAKS}]|[\x00-\x08\x0e-\x1b\x1f\x7f\ud800-\udfff]")
_FIRST = re.compile(r"[\s,.:;–—-]*")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CHANNEL = re.compile(r"[CDG][A-Z0-9]{2,}")
_ADDRESS = re.compile(r"https?://[^\s/?#]+")
_MOST_ADDRESS = 3_000
_IN_ADDRESS = str.maketrans(
    {"|": "%7C", "<": "%3C", ">": "%3E", " ": "%20", "\\": "%5C"} | dict.fromkeys("\n\r\t")
)
_SOLID = 30
"""About what an instant or a channel takes, of which nothing can be cut."""
_COMMAND = re.compile(r"/(?=(?:paper|club)\b)")
_NAMED = re.compile(
    rf"(?<![A-Za-z0-9/._~:%?=&#@-])/(?=(?:{'|'.join(command.path for command in COMMANDS)})(?![A-Za-z0-9]))"
)
"""A command in a sentence of any language, with a word behind it that it has; no part of an address."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before the first words of our commands in a workspace: '/', or '/rg-' where '/rg-paper' is typed.

    '' before one that nobody typed yet: as before the other.
    """

    paper: str = ""
    club: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether commands are called here as everywhere."""
        return self.paper in ("", "/") and self.club in ("", "/")

    def before(self, text: str) -> str:
        """What stands before a command, given without its slash."""
        own, other = (self.club, self.paper) if text.startswith("club") else (self.paper, self.club)
        return own or other or "/"

    def typed(self, top: str, prefix: str) -> Prefixes:
        """The same once somebody typed a first word behind a prefix, '' for a name that holds neither word.

        Two that were one before are taken to have changed together, until the other is typed.
        """
        if not top:
            return Prefixes(prefix, prefix)
        if getattr(self, top) == prefix:
            return self
        return Prefixes(**{top: prefix}) if self.paper == self.club else replace(self, **{top: prefix})


PLAIN = Prefixes()


@dataclass(frozen=True, slots=True)
class Look:
    """What drawing needs to know of its message."""

    language: str
    zone: str
    prefix: Prefixes = PLAIN
    said: frozenset[str] = field(default_factory=frozenset)

    @property
    def verbatim(self) -> Look:
        """For what people and papers say, of which nothing is another word here."""
        return self if self.prefix.is_plain else replace(self, prefix=PLAIN)


@lru_cache(maxsize=1_024)
def clean(text: str) -> str:
    """Words on one line, with nothing in them that cannot be sent.

    Remembered, since a vote is drawn many times with the same words.
    """
    return _UNEASY.sub(lambda found: " " if found[0].isspace() else "\ufffd", text)


def escape(text: str) -> str:
    """Words as they stand in mrkdwn, where nobody is called by them."""
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain(text: Text, look: Look) -> str:
    """The words alone, on one line, for headers, small print and labels."""
    return " ".join(clean("".join(_words(part, look) for part in text)).split())


def styled(text: str, *styles: str) -> list[Native]:
    """One text of our own, in which line breaks stay; none where there is nothing."""
    if not text:
        return []
    native: Native = {"type": "text", "text": text}
    return [native | {"style": dict.fromkeys(styles, True)} if styles else native]


def elements(text: Text, look: Look, *styles: str, short: bool = False) -> list[Native]:
    """A line; `short` for instants in passing, with the day as 'today' or 'Dec 4th'."""
    return joined(each for part in text for each in _part(part, look, styles, short))


def headline(shown: Shown, look: Look) -> list[Native]:
    """A title in bold; of a stand-in the name alone, and the rest in italics, which Chinese has none of."""
    look = look.verbatim
    if not shown.stand_in:
        return trimmed(elements(shown.name + shown.rest, look, "bold"))
    name = trimmed(elements(shown.name, look, "bold"))
    if _HAN.search(plain(shown.rest, look)):
        return trimmed([*name, *elements(shown.rest, look)])
    rest = trimmed(elements(shown.rest, look, "italic"), left=not name)
    begins = rest[0].get("text", "") if rest and rest[0].get("style") == {"italic": True} else ""
    lead = _FIRST.match(begins)
    if not lead or not lead[0]:
        return name + rest
    begun = styled(lead[0] if name else "")
    words = styled(rest[0]["text"][lead.end() :], "italic")
    return [*name, *begun, *words, *rest[1:]]


def joined(parts: Iterable[Native]) -> list[Native]:
    """The parts with neighbouring texts of one style as one."""
    whole: list[Native] = []
    for part in parts:
        before = whole[-1] if whole else None
        if before and _is_text(part) and _is_text(before) and part.get("style") == before.get("style"):
            whole[-1] = before | {"text": before["text"] + part["text"]}
        else:
            whole.append(part)
    return whole


def trimmed(parts: list[Native], *, left: bool = True) -> list[Native]:
    """Without blanks at its ends."""
    parts = list(parts)
    while left and parts and _is_text(parts[0]):
        if words := parts[0]["text"].lstrip():
            parts[0] = parts[0] | {"text": words}
            break
        del parts[0]
    while parts and _is_text(parts[-1]):
        if words := parts[-1]["text"].rstrip():
            parts[-1] = parts[-1] | {"text": words}
            break
        del parts[-1]
    return parts


def is_blank(parts: Iterable[Native]) -> bool:
    """Whether nothing of it would be seen."""
    return all("text" in part and not part["text"].strip() for part in parts)


def cut_elements(parts: list[Native], limit: int) -> list[Native]:
    """The parts if they fit, else their beginning with one '…'; what stands out in it still does."""
    if size(parts) <= limit:
        return parts
    kept: list[Native] = []
    for part in parts:
        here = size((part,))
        if here > limit:
            words = cut(part["text"], limit) if "text" in part else ""
            return [*kept, part | {"text": words}] if words else kept
        kept.append(part)
        limit -= here
    return kept


def size(parts: Iterable[Native]) -> int:
    """Characters, in UTF-16 units."""
    return sum(length(part["text"]) if "text" in part else _SOLID for part in parts)


def command(text: str, look: Look) -> str:
    """A command as it is typed in this workspace."""
    text = text.removeprefix("/")
    return look.prefix.before(text) + text


def named(text: str, look: Look) -> str:
    """A sentence with its commands as they are typed in this workspace."""
    return _commands(_NAMED, text, look)


def _commands(slash: re.Pattern[str], text: str, look: Look) -> str:
    if look.prefix.is_plain:
        return text
    return slash.sub(lambda found: look.prefix.before(text[found.end() :]), text)


def _part(part: Inline, look: Look, styles: tuple[str, ...], short: bool) -> list[Native]:
    match part:
        case str():
            return styled(named(clean(part), look), *styles)
        case Strong(text):
            return styled(clean(text), *dict.fromkeys((*styles, "bold")))
        case Code(text):
            return styled(_commands(_COMMAND, clean(text), look), "code") if text.strip() else []
        case Mark(text):
            return styled(clean(text), "bold", "code") if text.strip() else styled(clean(text), *styles)
        case When(at, style):
            return [_date(at, style, look, styles, short)]
        case Link(text, url):
            address = url.translate(_IN_ADDRESS)
            words = styled(clean(text), *styles)
            if not text.strip() or length(address) > _MOST_ADDRESS or not _ADDRESS.match(address):
                return words
            return [words[0] | {"type": "link", "url": clean(address)}]
        case ChannelRef(native_id, name):
            if _CHANNEL.fullmatch(native_id):
                return [{"type": "channel", "channel_id": native_id}]
            return styled(clean(f"#{name or native_id}"), *styles)
    assert_never(part)


def _date(at: datetime, style: str, look: Look, styles: tuple[str, ...], short: bool) -> Native:
    day = "{date_short_pretty}" if short else "{date_long}"
    match style:
        case "date":
            shape = day
        case "relative":
            shape = "{ago}"
        case "time":
            shape = "{time_secs}"
        case _:
            shape = at_time_line(look.language, day, "{time}")
    native: Native = {
        "type": "date",
        "timestamp": int(at.timestamp()),
        "format": shape,
        "fallback": instant_line(look.language, at, look.zone, style),
    }
    return native | {"style": dict.fromkeys(styles, True)} if styles else native


def _words(part: Inline, look: Look) -> str:
    match part:
        case str():
            return named(part, look)
        case Strong(text) | Mark(text) | Link(text, _):
            return text
        case Code(text):
            return _commands(_COMMAND, text, look)
        case When(at, style):
            return instant_line(look.language, at, look.zone, style)
        case ChannelRef(native_id, name):
            return f"#{name or native_id}"
    assert_never(part)


def _is_text(part: Native) -> bool:
    return bool(part["type"] == "text")
