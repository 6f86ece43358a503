"""How a text is cut to a length that every platform accepts, and never inside a sign."""

from __future__ import annotations

import regex  # type: ignore[import-untyped]

ELLIPSIS = "…"
_SIGN = regex.compile(r"\X")
_PLAIN = regex.compile(r"[ -~\u4e00-\u9fff]{2}")
"""Two characters that are a sign each, whatever stands around them."""
_NEAR = 15
"""How many characters are given up to end at a word."""


def length(text: str) -> int:
    """UTF-16 units, which are never fewer than code points: platforms count one or the other."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int) -> str:
    """`text` if it fits, else its beginning with one '…', at a word where one is near, never inside a sign.

    The result has at most `limit` code points and at most `limit` UTF-16 units, the ellipsis included.
    """
    if length(text) <= limit:
        return text
    if limit <= 0:
        return ""
    kept = _whole_signs(text, limit - 1)
    at_word = _last_word_end(kept)
    if at_word is not None:
        kept, link = kept[:at_word].rstrip(" ,;:–—-…"), " "
    else:
        kept, link = kept.rstrip(" …"), ""
    return f"{kept}{link}{ELLIPSIS}" if kept else ELLIPSIS


def cut_at_start(text: str, position: int) -> int:
    """Where a word begins at or soon after `position`, else where the next whole sign begins."""
    if position <= 0 or text[position - 1].isspace():
        return max(position, 0)
    blank = text.find(" ", position, position + _NEAR)
    if blank >= 0:
        return blank + 1
    return next((sign.start() for sign in _SIGN.finditer(text) if sign.start() >= position), len(text))


def _whole_signs(text: str, room: int) -> str:
    """The longest beginning of whole signs within `room` UTF-16 units."""
    end = _surely_between(text, room)
    used = length(text[:end])
    for sign in _SIGN.finditer(text, end):
        used += length(sign[0])
        if used > room:
            break
        end = sign.end()
    return text[:end]


def _surely_between(text: str, room: int) -> int:
    """The last place within `room` UTF-16 units that needs no look at what stands before it: most texts have one
    close by, and signs are slow to tell apart."""
    at = min(room, len(text))
    while at > 0 and not (_PLAIN.match(text, at - 1) and length(text[:at]) <= room):
        at -= 1
    return at


def _last_word_end(kept: str) -> int | None:
    """Where the last whole word of `kept` ends, with room for a blank before the ellipsis; None if far."""
    at = kept.rfind(" ", max(0, len(kept) - _NEAR - 1))
    return at if at > 0 else None
