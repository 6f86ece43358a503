"""Where a walk through an abstract's markup stands: what was read, what was written, what is open."""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.papers.plain.addresses import linked
from bot.papers.plain.formula import script_text

_MAX_NAME = 300
_MAX_PIECES = 12  # of a label or an exponent; a longer one is left as it is


class Group(NamedTuple):
    """Where a group in braces or a tag began, in the pieces and in the source."""

    kind: str  # "", "emphasis", "footnote", "quote", "superscript", "subscript" or "link"
    piece: int
    start: int
    address: str = ""


class Run(NamedTuple):
    """A run of `*` or `_` that may open emphasis."""

    length: int
    piece: int
    start: int


class Walk:
    """One way through `source`: `pieces` joined are the text, `emphasis` holds ranges of pieces."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.pieces: list[str] = []
        self.emphasis: list[tuple[int, int]] = []
        self.emphasis_in_formulas: list[str] = []
        self.groups: list[Group] = []
        self.tags: list[Group] = []
        self.runs: dict[str, list[Run]] = {"*": [], "_": []}
        self.closing_quotes: set[int] = set()
        self.in_quotes = False
        self.in_straight_quotes = False
        self._found: dict[str, int] = {}
        self._braces: dict[int, int] | None = None

    def write(self, text: str) -> None:
        self.pieces.append(text)

    def before(self, start: int) -> str:
        return self.source[start - 1 : start] if start else " "

    def after(self) -> str:
        return self.source[self.at : self.at + 1] or " "

    def find(self, needle: str, escapable: bool = False) -> int:
        """The next place of `needle`, or -1; remembered, so that a row of openers costs one search.

        With `escapable`, a place after a backslash does not count.
        """
        known = self._found.get(needle)
        if known is None or 0 <= known < self.at:
            known = self.source.find(needle, self.at)
            while escapable and known > 0 and self.source[known - 1] == "\\":
                known = self.source.find(needle, known + 1)
            self._found[needle] = known
        return known

    def argument(self) -> str | None:
        """The inside of the group that begins here, which is passed; None where none begins or ends."""
        if self.source[self.at : self.at + 1] != "{":
            return None
        if self._braces is None:
            self._braces = _matching_braces(self.source)
        end = self._braces.get(self.at)
        if end is None:
            return None
        argument = self.source[self.at + 1 : end]
        self.at = end + 1
        return argument

    def close_group(self, end: int) -> None:
        kind, piece, start, address = self.groups.pop()
        if kind == "emphasis":
            self.emphasise(piece, start, end + 1)
        elif kind == "footnote":
            self.pieces.append(")")
        elif kind == "quote":
            self.pieces.append("”")
        elif kind:
            self._rewrite(kind, piece, address)

    def _rewrite(self, kind: str, piece: int, address: str) -> None:
        """Make an exponent, or a link with its address, of the pieces since `piece`."""
        count = len(self.pieces) - piece
        text = "".join(self.pieces[piece:]) if count <= _MAX_PIECES else ""
        if kind == "link" and (not text or linked(text, address) != address):
            self.write(f" ({address})")
        elif text:
            text = address if kind == "link" else script_text(text, kind == "superscript")
            self.pieces[piece:] = [text] + [""] * (count - 1)

    def emphasise(self, piece: int, start: int, end: int) -> None:
        """Note what was emphasised from `start` to `end` of the source, if these are whole words."""
        inside_word = self.before(start).isalnum() or self.source[end : end + 1].isalnum()
        if end - start <= _MAX_NAME and not inside_word:
            self.emphasis.append((piece, len(self.pieces)))


def _matching_braces(source: str) -> dict[int, int]:
    """Where the group that opens at each `{` ends."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"\\.|[{}]", source, re.DOTALL):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            ends[opened.pop()] = match.start()
    return ends
