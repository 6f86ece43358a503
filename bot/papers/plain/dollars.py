"""Whether two dollar signs hold a formula or belong to sums of money."""

from __future__ import annotations

import re

_SIGN_OF_FORMULAS = re.compile(r"\\[A-Za-z{]|[\^_]")
_COMMAND = re.compile(r"\\[A-Za-z]+\s?\{[^{}]*\}|\\[A-Za-z]+")
_PROSE = re.compile(
    r"(?<![A-Za-z])[A-Za-z]{2,}+[,.;]?\s++[A-Za-z]{2}"  # two words
    r"|^[\d.,]++\s?[A-Za-z]*+[,.;]?\s++[A-Za-z]{2}"  # 5 to, 500, per, 5M for
    r"|^[,;.)]"
)
_SHORT = re.compile(r"\w|[\d.,]+(?:\\%)?")
_ONE_SIGN = re.compile(r"[<>=+\-−±×~≥≤≈]|\\%")


def is_formula(content: str, after: str) -> bool:
    """Whether `content`, which stands between two dollar signs, is a formula; `after` is the next character.

    'costs $5 to $10' holds none: prose, a blank before the second sign, or a digit after it speak against it,
    a command, an exponent or an index for it.
    """
    inner = content.strip()
    if not inner:
        return False
    certain = _SIGN_OF_FORMULAS.search(inner) is not None
    if (not certain or inner[0].isdigit()) and _PROSE.search(_COMMAND.sub("", inner)):
        return False
    if certain or _ONE_SIGN.fullmatch(inner):
        return True
    spaced = content[0].isspace() or content[-1].isspace()
    if after.isdigit() or (spaced and not _SHORT.fullmatch(inner) and not re.search("[=<>]", inner)):
        return False
    return inner.count("(") == inner.count(")")
