"""How the LaTeX and Markdown of an abstract become readable text, and which of its words were emphasised."""

from __future__ import annotations

import re

_EMPHASIS = re.compile(
    r"\\(?:textbf|textit|emph|textsc|texttt|underline)\{([^{}]*)\}|(\*{1,3})(?=\S)([^*]+?)(?<=\S)\2"
    r"|(?<!\w)_(?=\S)([^_]+)(?<=\S)_(?!\w)"
)
_MARKUP = re.compile(r"\\[A-Za-z]+\*?|\\(?=[%&#$_{}])|[{}*$]|(?<!\w)_|_(?!\w)")


def plain_text(source: str) -> str:
    """One paragraph of readable text: no LaTeX, no Markdown, single blanks. '' for blank input; never raises."""
    text = source.replace("---", "—").replace("--", "–")
    return " ".join(_MARKUP.sub("", text).split())


def emphasised(source: str) -> frozenset[str]:
    """The plain texts of the whole words that the source sets in bold, italics and the like, also inside `$…$`."""
    found = (next((group for group in m.group(1, 3, 4) if group), "") for m in _EMPHASIS.finditer(source))
    return frozenset(filter(None, (plain_text(text).strip(" .,:;") for text in found)))
