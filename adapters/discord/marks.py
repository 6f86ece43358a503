"""What stands inside a line as Discord Markdown: words escaped, hits, instants, links, headlines. Pure.

Readers see the words as they were written. Whether anybody is called is decided by `allowed_mentions`; the signs
put between here keep a mention from being drawn as one.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import assert_never

from bot.messages.model import ChannelRef, Code, Inline, Link, Mark, Shown, Strong, Text, When

GAP = "\u200b"
"""Drawn by nobody: parts what would be read together."""
_SIGN = re.compile(
    r"https?://[^\s<]+[^<.,:;\"'\]\s]"  # stays an address that can be pressed
    r"|[\\*_~|`\[\]]"
    r"|<(?!\s)"  # <@1>, <#1>, <t:1>, </cmd:1>, <:emoji:1>
    r"|@(?=everyone|here)"
    r"|:(?=[\w+-]+:)"  # :emoji:
    r"|[ \t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]{2,}|[\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
    r"|[\x00-\x08\x0e-\x1b\x7f\ud800-\udfff]"
)
_ANY = re.compile(r"[\\*_~|`\[\]<@:\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")
"""One of these is in every text that has a `_SIGN`, blanks aside: most have none, and this is told quickly."""
_INSTEAD = {sign: f"\\{sign}" for sign in "\\*_~|`[]:"} | {"<": f"<{GAP}", "@": f"@{GAP}"}
_IN_ADDRESS = (("*", "%2A"), ("@everyone", "%40everyone"), ("@here", "%40here"))
_LEAD = re.compile(r"\s*(?:(?=[-+>#])|\d+(?=\.(?:\s|$)))")
"""What would begin a heading, quote or list."""
_FIRST = re.compile(r"[\s,.:;–—-]*")
_HAN = re.compile(r"[\u3400-\u9fff]")
_TICKS = str.maketrans("`\n\r", "ˋ  ")
_ADDRESS = str.maketrans(
    {"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C", " ": "%20"} | dict.fromkeys("\n\r\t")
)
_STYLES = {"moment": "F", "date": "D", "relative": "R", "time": "T"}


@lru_cache(maxsize=1_024)
def escape(text: str) -> str:
    """Words as words, on one line. What only means something at the start of a line is left to `line`.

    Remembered, since a vote is drawn many times with the same words.
    """
    return _SIGN.sub(_harmless, text) if _ANY.search(text) or "  " in text else text


def line(text: Text) -> str:
    """A whole line: nothing in it begins a heading, quote or list."""
    return begun(inline(text))


def begun(written: str) -> str:
    """A line of Markdown whose beginning is taken for words."""
    lead = _LEAD.match(written)
    return f"{written[: lead.end()]}\\{written[lead.end() :]}" if lead else written


def inline(text: Text, *, bold: bool = False) -> str:
    """The inside of a line; `bold`: it will stand between two stars, where a hit is underlined only."""
    written = ""
    for part in text:
        after = escape(part) if isinstance(part, str) else _part(part, bold)
        written = _met(written, after) if written else after
    return written


def strong(written: str) -> str:
    """Markdown without bold parts of its own, in bold; blank stays blank."""
    return f"**{written}**" if written.strip() else written


def headline(shown: Shown) -> str:
    """A title in bold; of a stand-in the name alone, and the rest in italics, which Chinese has none of."""
    if not shown.stand_in:
        return strong(inline(shown.name + shown.rest, bold=True).strip())
    name, rest = strong(inline(shown.name, bold=True).strip()), inline(shown.rest)
    if not rest.strip() or _HAN.search(rest):
        written = _met(name, rest).strip()
        return written if name else begun(written)
    lead = _FIRST.match(rest)
    at = lead.end() if lead else 0
    words = rest[at:].rstrip()
    return _met(_met(name, rest[:at] if name else rest[:at].lstrip()), f"*{words}*" if words else "")


def typed(text: str) -> str:
    """Something to type or copy; nothing is escaped inside, so backticks give way to a sign that looks alike."""
    return f"`{text.translate(_TICKS)}`" if text.strip() else ""


def instant(at: datetime, style: str = "F") -> str:
    """Worded by Discord in each reader's own language and zone."""
    return f"<t:{int(at.timestamp())}:{style}>"


def _part(part: Strong | Code | Mark | When | Link | ChannelRef, bold: bool) -> str:
    match part:
        case When(at, style):
            return instant(at, _STYLES[style])
        case Mark(text):
            hit = f"__{escape(text)}__" if bold else f"__**{escape(text)}**__"
            return hit if text.strip() else escape(text)
        case Strong(text):
            return escape(text) if bold else strong(escape(text))
        case Code(text):
            return typed(text)
        case Link(text, url):
            if not url.startswith(("https://", "http://")) or not text.strip():
                return escape(text)
            return f"[{escape(text)}]({url.translate(_ADDRESS)})"
        case ChannelRef(native_id, name):
            return f"<#{native_id}>" if _is_native(native_id) else escape(name or native_id)
    assert_never(part)


def _harmless(found: re.Match[str]) -> str:
    sign = found[0]
    if (instead := _INSTEAD.get(sign)) is not None:
        return instead
    if sign.startswith("http"):
        for old, new in _IN_ADDRESS:
            sign = sign.replace(old, new)
        return sign
    return " " if sign.isspace() else "\ufffd"


def _met(before: str, after: str) -> str:
    """Two pieces of Markdown, whose stars or strokes are not read as one."""
    return (
        f"{before}{GAP}{after}" if before[-1:] in ("*", "_") and before[-1:] == after[:1] else before + after
    )


def _is_native(native_id: str) -> bool:
    return native_id.isascii() and native_id.isdigit()


def plain(text: Text) -> str:
    """The words alone, on one line, for labels, which know no Markdown."""
    return " ".join("".join(_words(part) for part in text).split())


def _words(part: Inline) -> str:
    match part:
        case str():
            return part
        case When(at, _):
            return f"{at:%Y-%m-%d %H:%M} UTC"
        case ChannelRef(native_id, name):
            return name or native_id
        case _:
            return part.text
