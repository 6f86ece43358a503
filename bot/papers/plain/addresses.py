"""Web addresses inside text: where they end, and when a link's label is the address itself."""

from __future__ import annotations

import re

_BODY = r"[^\s<>{}\"|$\\\]`，。；：（）、]*"
_ADDRESS = re.compile(rf"https?://{_BODY}(?:(?:\\[_%#&~]|<em>{_BODY}</em>){_BODY})*")
_ESCAPED = re.compile(r"\\([_%#&~])")


def address_end(source: str, start: int) -> int:
    """Where the address that begins at `start` ends: before punctuation and unmatched brackets."""
    match = _ADDRESS.match(source, start)
    end = match.end() if match else start
    surplus = source.count(")", start, end) - source.count("(", start, end)
    while end > start and source[end - 1] in ".,;:!?'*_)":
        if source[end - 1] == ")":
            if surplus <= 0:
                break
            surplus -= 1
        end -= 1
    return end


def unescaped(address: str) -> str:
    """The address without LaTeX's backslashes, and with `_` where a page made emphasis of it."""
    return _ESCAPED.sub(r"\1", address.strip()).replace("<em>", "_").replace("</em>", "_")


def linked(label: str, address: str) -> str:
    """``label (address)``, or the address alone where the label says nothing else."""
    label = label.strip()
    return address if not label or _bare(label) == _bare(address) else f"{label} ({address})"


def _bare(address: str) -> str:
    return address.removeprefix("https://").removeprefix("http://").rstrip("/")
