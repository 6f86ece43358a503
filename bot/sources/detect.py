"""Which reader a file needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from bot.papers.listing import HEADER, parse_listing
from bot.papers.model import Listing, Problem


class Format(NamedTuple):
    """One kind of source: what reads it, and by what it is known from its content or its file name."""

    read: Callable[[bytes], Listing]
    knows: Callable[[bytes, str], bool]


_HEADER = HEADER.encode()
_BOM = "\ufeff".encode()

FORMATS: dict[str, Format] = {
    "listing": Format(parse_listing, lambda data, name: _HEADER in data),
}
"""Every format by the name people give it, asked in this order. A new one is one line here."""


def read_source(data: bytes, name: str, format: str | None = None) -> Listing:
    """Read a file, in `format` when one is named, else in the first that knows it by content or file `name`.

    Never raises. What nobody knows gives one Problem: ``unknown_format`` with the first words, or with the
    name of the format asked for; ``empty`` without any content; ``not_text`` when it is binary.
    """
    if format is not None:
        known = FORMATS.get(format)
        return known.read(data) if known else _refused(format, "unknown_format")
    for known in FORMATS.values():
        if known.knows(data, name):
            return known.read(data)
    start = data[:8_000]
    if not data.removeprefix(_BOM).strip():
        return _refused("", "empty")
    words = " ".join(start[:300].decode("utf-8", "replace").removeprefix("\ufeff").split())[:60]
    return _refused(words, "not_text" if b"\0" in start else "unknown_format")


def _refused(text: str, reason: str) -> Listing:
    return Listing((), (Problem(1, text, reason),))
