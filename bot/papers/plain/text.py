"""The readable text of an abstract in LaTeX, Markdown or HTML, and what it emphasised."""

from __future__ import annotations

import re
import unicodedata

from bot.papers.plain.reader import read

_MARKUP = re.compile(r"\\|\$|\*|_|`|~|\{|\}|--|''|<[A-Za-z/]|&[#A-Za-z]|\]\(")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\ufb00-\ufb06]"
)
_LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))


def plain_text(source: str) -> str:
    """One paragraph of readable text: no markup, single blanks. '' for blank input; never raises.

    Money and identifiers outside formulas stay as they are and addresses are kept; a lone '%' is a percent
    sign, since an abstract is no whole LaTeX document. Control characters, zero-width blanks and lone
    surrogates go, ligatures of fonts become letters, accents are composed (NFC).
    """
    if _MARKUP.search(source) is None:
        return _tidy(source)
    return _tidy("".join(read(source).pieces))


def emphasised(source: str) -> frozenset[str]:
    """The plain texts of what the source sets in bold, italics and the like, also inside `$…$`.

    Whole words only (`**D**ifferentiable` emphasises none), at most 300 characters each, without punctuation
    at their ends.
    """
    if _MARKUP.search(source) is None:
        return frozenset()
    walk = read(source)
    found = [_tidy("".join(walk.pieces[first:last])) for first, last in walk.emphasis]
    found += [plain_text(text) for text in walk.emphasis_in_formulas]
    return frozenset(filter(None, (text.strip(" .,:;") for text in found)))


def _tidy(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if not (text.isascii() and text.isprintable()):
        text = _UNSEEN.sub(lambda sign: _LIGATURES.get(sign[0], ""), text)
    return " ".join(text.split())
