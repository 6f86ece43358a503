"""What the LaTeX in running text becomes: groups, commands, citations, links and formulas."""

from __future__ import annotations

import re
import unicodedata

from bot.papers.plain.addresses import unescaped
from bot.papers.plain.dollars import is_formula
from bot.papers.plain.formula import formula_text
from bot.papers.plain.symbols import (
    ACCENTS,
    COMMANDS,
    DROPPED,
    EMPHASIS,
    FONTS,
    LETTER_ACCENTS,
    LETTERS,
    SWITCHES,
    words,
)
from bot.papers.plain.walk import Group, Walk

_CITATION = re.compile(r"(?:\[[^\[\]]{0,200}\]){0,2}\s?\{([^{}]{0,2000})\}")
_SET = re.compile(r"\{(?=[^{}]*[,=|/<>∈≤≥…×^⁰-₟²³¹ᴬ-ᵪⱼⱽ])[^{}\\$`*]{1,60}\}")
_PROSE = re.compile(r"[A-Za-z]{3,}\s+[A-Za-z]{2,}")
_LETTER = re.compile(
    r"\s?\{\s*\\?([A-Za-z])\s*\}|\\([ij])(?![A-Za-z])\s?|\s([A-Za-z])(?![A-Za-z])|([A-Za-z])"
)
_WORDS_IN_FORMULA = re.compile(
    r"\\(?:text\w*|emph|mathbf|mathtt|mathsf|boldsymbol|bm|underline)\s?\{([^{}]{3,200})\}"
)
_MAX_FORMULA = 2_000
_REFERENCES = frozenset(words("ref eqref autoref cref Cref pageref"))
_STRUCTURES = frozenset(words("frac dfrac tfrac nicefrac sqrt binom mathbb mathbbm mathds")) | {
    name for name in ACCENTS if len(name) > 1
}
_GROUPS = {
    **dict.fromkeys(EMPHASIS, "emphasis"),
    **dict.fromkeys(words("footnote footnotetext"), "footnote"),
    **dict.fromkeys(words("enquote say"), "quote"),
    "textsuperscript": "superscript",
    "textsubscript": "subscript",
}
_OPENED_BY = {"footnote": " (", "quote": "“"}


def open_group(walk: Walk, token: str, start: int) -> None:
    script = walk.before(start) in "_^"
    if not script and (a_set := _SET.match(walk.source, start)) and not _PROSE.search(a_set[0]):
        walk.at = a_set.end()
        walk.write(a_set[0])
    else:
        walk.groups.append(Group("", len(walk.pieces), start))


def close_brace(walk: Walk, token: str, start: int) -> None:
    if walk.groups:
        walk.close_group(start)


def command(walk: Walk, token: str, start: int) -> None:
    name = token[1:].rstrip("*") if token[1:2].isalpha() else token[1:]
    if token == "\\\\" and walk.after() in "%&#$_{}":
        walk.at += 1  # an escape escaped once more
        walk.write(walk.source[walk.at - 1])
    elif name in ("(", "["):
        if not _formula_until(walk, "\\)" if name == "(" else "\\]"):
            walk.write(name)
    elif name in LETTER_ACCENTS and _accented_letter(walk, name):
        pass
    elif not name.isalpha():
        blank = not name or name in "\\,;: \n\t~"
        walk.write(" " if blank else "" if name in "!-/@" else name)
    elif name.startswith("cite") or name in _REFERENCES:
        _citation(walk, name)
    elif name in ("url", "path", "href", "nolinkurl"):
        _link_command(walk, name)
    elif name in _STRUCTURES and walk.after() == "{":
        _structure(walk, name, start)
    else:
        _word(walk, name, start)


def _accented_letter(walk: Walk, name: str) -> bool:
    match = _LETTER.match(walk.source, walk.at)
    if match is None or (name.isalpha() and match[4] is not None):
        return False
    letter = unicodedata.normalize("NFC", match[match.lastindex or 0] + ACCENTS[name])
    if len(letter) > 1:
        return False
    walk.at = match.end()
    walk.write(letter)
    return True


def _citation(walk: Walk, name: str) -> None:
    match = _CITATION.match(walk.source, walk.at)
    if match is None:
        return
    walk.at = match.end()
    keys = ", ".join(key.strip() for key in match[1].split(",") if key.strip())
    walk.write(f"[{keys}]" if keys else "")


def _link_command(walk: Walk, name: str) -> None:
    argument = walk.argument()
    if argument is None:
        return
    address = unescaped(argument)
    if name == "href" and walk.after() == "{":
        walk.groups.append(Group("link", len(walk.pieces), walk.at, address))
        walk.at += 1
    else:
        walk.write(address)


def _structure(walk: Walk, name: str, start: int) -> None:
    """A command of formulas in running text: taken with its arguments."""
    count = 2 if name.endswith("frac") or name == "binom" else 1
    walk.at = start + len(name) + 1
    for _ in range(count):
        if walk.argument() is None:
            break
    walk.write(formula_text(walk.source[start : walk.at]))


def _word(walk: Walk, name: str, start: int) -> None:
    braced = walk.after() == "{"
    if name in SWITCHES:
        if SWITCHES[name] and walk.groups and not walk.groups[-1].kind:
            walk.groups[-1] = Group("emphasis", len(walk.pieces), walk.groups[-1].start)
        walk.at += walk.after() == " "
    elif name in DROPPED:
        for _ in range(DROPPED[name]):
            walk.argument()
    elif name in LETTERS or name in COMMANDS:
        text = LETTERS[name] if name in LETTERS else COMMANDS[name][0]
        walk.write(text[:-1] if text.endswith(".") and walk.after() == "." else text)
    elif braced and walk.source[walk.at : walk.at + 2] != "{}":
        kind = _GROUPS.get(name, "")
        walk.write(_OPENED_BY.get(kind, ""))
        walk.groups.append(Group(kind, len(walk.pieces), start))
        walk.at += 1
    elif name not in FONTS:
        walk.write(name)


def dollar(walk: Walk, token: str, start: int) -> None:
    """One or two dollar signs: a formula where they enclose one, else money."""
    if token == "$$" and _formula_until(walk, "$$"):
        return
    walk.at = start + 1
    end = walk.find("$", escapable=True)
    near = 0 <= end - walk.at <= _MAX_FORMULA
    if near and is_formula(walk.source[walk.at : end], walk.source[end + 1 : end + 2]):
        _formula_until(walk, "$")
    else:
        walk.write("$")


def _formula_until(walk: Walk, closing: str) -> bool:
    """Write the formula that ends at the next `closing`; False where none does so soon."""
    end = walk.find(closing, escapable=closing == "$")
    if end < 0 or end - walk.at > _MAX_FORMULA:
        return False
    content = walk.source[walk.at : end]
    walk.emphasis_in_formulas += _WORDS_IN_FORMULA.findall(content)
    walk.write(formula_text(content))
    walk.at = end + len(closing)
    return True
