"""How a LaTeX formula is written in one line of plain signs: ``\\rho_{\\min}^{-1/2}`` is ``ρ_min^(-1/2)``."""

from __future__ import annotations

import re
from typing import NamedTuple

from bot.papers.plain.symbols import (
    ACCENTS,
    BLACKBOARD,
    CHARACTERS,
    COMMANDS,
    DROPPED,
    FONTS,
    LETTERS,
    NOT_COMPOSED,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    SWITCHES,
    Kind,
    accented,
    words,
)

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|-{2,3}|\d+(?:[.,]\d+)*|\s+|.", re.DOTALL)
_DOUBLED_BACKSLASH = re.compile(r"\\\\(?=[A-Za-z]{2}|[%{}&#$_|])")
_SIMPLE_NUMERATOR = re.compile(r"[^\s+\-−/=<>]+|[\d.,]+")
_SIMPLE_DENOMINATOR = re.compile(
    r"[\d.,]+%?|√?[^\W\d_][\u0300-\u036f]*[′*⁰-₎²³¹ᴬ-ᵪⱽⱼ]*(?:_\w+)?|√?\([^()]*\)"
)
_MAX_DEPTH = 24
_TEXT_FONTS = frozenset(
    words("text textrm textnormal mbox hbox textbf textit emph textsc texttt textsf textsl")
)
_WORD_FONTS = frozenset({"operatorname", "operatornamewithlimits"})
_REPLACED = {"'": "′", "--": "–", "---": "—"}
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}


class _Atom(NamedTuple):
    text: str
    kind: Kind


_BLANK = _Atom(" ", Kind.BLANK)


def formula_text(source: str) -> str:
    """One line of plain signs for the inside of a formula. Total, and linear in the length of `source`."""
    return _line(_Formula(source).atoms())


def script_text(text: str, raised: bool) -> str:
    """`text` as an exponent or index: ``²``, ``ₜ``, ``_min``, ``^(k, p)``."""
    text = text.strip()
    table = SUPERSCRIPTS if raised else SUBSCRIPTS
    if not (text.isalpha() and len(text) > 2) and all(sign in table for sign in text):
        return "".join(table[sign] for sign in text)
    mark = "^" if raised else "_"
    if text.isalnum() or len(text) == 1 or _enclosed(text):
        return mark + text
    return f"{mark}({text})"


def _enclosed(text: str) -> bool:
    """Whether the first bracket is closed by the last character."""
    depth = 0
    for number, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth <= 0:
            return depth == 0 and 0 < number == len(text) - 1
    return False


class _Formula:
    def __init__(self, source: str) -> None:
        self.tokens: list[str] = _TOKEN.findall(_DOUBLED_BACKSLASH.sub(r"\\", source))
        self.at = 0

    def atoms(self, depth: int = 0, grouped: bool = False, until: str = "}") -> list[_Atom]:
        """The atoms up to the end, or up to `until` when `grouped`."""
        found: list[_Atom] = []
        after_command = False
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.at += 1
            if token == until and grouped:
                break
            if token == "\\_" and self._is_index():
                self._script(False, found, depth)  # an index escaped as Markdown wants it
            elif token[0] == "\\" and len(token) > 1:
                self._command(token[1:].rstrip("*"), found, depth)
            elif token == "{":
                if depth < _MAX_DEPTH:
                    found.extend(self.atoms(depth + 1, True))
            elif token in "^_":
                self._script(token == "^", found, depth)
            elif token.isspace():
                # LaTeX ends a command's name with the blank after it: no blank of the formula
                if not after_command:
                    found.append(_BLANK)
                continue
            elif token in "&~":
                found.append(_BLANK)
            elif token not in "}\\":
                found.append(_character(token))
            after_command = token[0] == "\\" and token[-1].isalpha()
        return found

    def _is_index(self) -> bool:
        """Whether a group, a command or a single letter comes next, not the second half of a name."""
        after = (*self.tokens[self.at : self.at + 2], " ", " ")
        return after[0] in "{" or after[0][0] == "\\" or (after[0].isalnum() and not after[1][0].isalnum())

    def _command(self, name: str, found: list[_Atom], depth: int) -> None:
        if name in _TEXT_FONTS:
            found.append(_Atom(self._text(depth), Kind.ORDINARY))
        elif name in _WORD_FONTS:
            found.append(_Atom(_line(self._argument(depth)), Kind.OPERATOR))
        elif name in FONTS and self._next() not in (None, "}"):
            argument = self._argument(depth)
            letter = (
                argument[0].text if len(argument) == 1 and name.startswith(("mathb", "mathd", "Bbb")) else ""
            )
            blackboard = name in ("mathbb", "mathbbm", "mathds", "Bbb") and letter in BLACKBOARD
            found.extend([_Atom(BLACKBOARD[letter], Kind.ORDINARY)] if blackboard else argument)
        elif name in ("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac"):
            found.append(self._fraction(depth))
        elif name in ("binom", "dbinom", "tbinom"):
            top, bottom = _line(self._argument(depth)), _line(self._argument(depth))
            found.append(_Atom(f"({top} choose {bottom})", Kind.ORDINARY))
        elif name == "sqrt":
            found.append(_Atom(self._root(depth), Kind.ORDINARY))
        elif name in ACCENTS and (len(name) > 1 or not name.isalpha()):
            found.append(_Atom(accented(_line(self._argument(depth)), ACCENTS[name]), Kind.ORDINARY))
        elif name == "not":
            sign = _line(self._argument(depth))
            found.append(_Atom(NOT_COMPOSED.get(sign, sign + "\u0338"), Kind.RELATION))
        elif name in ("pmod", "mod"):
            found.append(_Atom(f" (mod {_line(self._argument(depth))})", Kind.ORDINARY))
        elif name in DROPPED:
            for _ in range(DROPPED[name]):
                self._argument(depth)
        elif name not in SWITCHES and name not in FONTS:
            found.append(_sign(name, argument=self.tokens[self.at : self.at + 1] == ["{"]))
        elif name in ("left", "right", "middle") and self._next() == ".":
            self.at += 1

    def _next(self) -> str | None:
        """The next token that is no blank, which is left where it is; None at the end."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _argument(self, depth: int) -> list[_Atom]:
        """What a command takes: a group, or the next sign or command with its own arguments."""
        token = self._next()
        if token is None or token == "}":
            return []
        self.at += 1
        found: list[_Atom] = []
        if depth >= _MAX_DEPTH:
            return found
        if token == "{":
            return self.atoms(depth + 1, True)
        if token[0] == "\\":
            self._command(token[1:].rstrip("*"), found, depth + 1)
        else:
            found.append(_character(token))
        return found

    def _text(self, depth: int) -> str:
        """An argument of running text: its blanks count, its dashes are dashes."""
        text = "".join(atom.text for atom in self._argument(depth))
        return text.replace("′′", "”").replace("``", "“")

    def _script(self, raised: bool, found: list[_Atom], depth: int) -> None:
        script = script_text(_line(self._argument(depth), tight=True), raised)
        while found and found[-1].kind is Kind.BLANK:
            found.pop()
        base = found.pop() if found else _Atom("", Kind.ORDINARY)
        if base.kind is Kind.FRACTION:
            base = _Atom(f"({base.text})", Kind.ORDINARY)
        found.append(_Atom(base.text + script, base.kind))

    def _fraction(self, depth: int) -> _Atom:
        top, bottom = _line(self._operand(depth)), _line(self._operand(depth))
        top = top if _SIMPLE_NUMERATOR.fullmatch(top) else f"({top})"
        bottom = bottom if _SIMPLE_DENOMINATOR.fullmatch(bottom) else f"({bottom})"
        return _Atom(f"{top}/{bottom}", Kind.FRACTION)

    def _operand(self, depth: int) -> list[_Atom]:
        """As `_argument`, but one digit only: ``\\frac12`` is a half."""
        token = self._next()
        if token is None or len(token) < 2 or not token[0].isdigit():
            return self._argument(depth)
        self.tokens[self.at] = token[1:]
        return [_Atom(token[0], Kind.ORDINARY)]

    def _root(self, depth: int) -> str:
        degree = ""
        if self._next() == "[":
            self.at += 1
            degree = _line(self.atoms(depth + 1, True, "]")) if depth < _MAX_DEPTH else ""
        sign = _ROOTS.get(degree) or script_text(degree, raised=True) + "√"
        radicand = _line(self._argument(depth))
        return sign + (radicand if len(radicand) < 2 or radicand.isdigit() else f"({radicand})")


def _character(token: str) -> _Atom:
    return _Atom(_REPLACED.get(token, token), CHARACTERS.get(token, Kind.ORDINARY))


def _sign(name: str, argument: bool) -> _Atom:
    """A command without arguments of its own; an unknown one says its name, unless an argument speaks."""
    if name in COMMANDS:
        return _Atom(*COMMANDS[name])
    if name in LETTERS:
        return _Atom(LETTERS[name], Kind.ORDINARY)
    if name in ",;: \\\n\t":
        return _BLANK
    if name in "!-/":
        return _Atom("", Kind.ORDINARY)
    if name in "{}":
        return _Atom(name, Kind.OPENING if name == "{" else Kind.CLOSING)
    if argument and name.isalpha():
        return _Atom("", Kind.ORDINARY)
    return _Atom("‖" if name == "|" else name, CHARACTERS.get(name, Kind.ORDINARY))


_UNARY_AFTER = frozenset({Kind.RELATION, Kind.BINARY, Kind.SIGN, Kind.OPENING, Kind.PUNCTUATION})
_ENDS = frozenset({Kind.CLOSING, Kind.PUNCTUATION})
_TERMS = frozenset({Kind.ORDINARY, Kind.FRACTION, Kind.OPERATOR})


def _line(atoms: list[_Atom], tight: bool = False) -> str:
    """The atoms in one line: blanks around relations, as in the source around signs. Exponents are tight."""
    solid = [atom for atom in atoms if atom.kind is not Kind.BLANK and atom.text]
    blank_before = _source_blanks(atoms)
    line: list[str] = []
    for number, (text, kind) in enumerate(solid):
        before = solid[number - 1] if number else None
        after = solid[number + 1] if number + 1 < len(solid) else None
        if before and _blank_between(solid, number, blank_before, tight):
            line.append(" ")
        if kind is Kind.FRACTION and _is_factor(before, after):
            text = f"({text})"
        line.append(text)
    return " ".join("".join(line).split()) if not tight else "".join(line).strip()


def _source_blanks(atoms: list[_Atom]) -> list[bool]:
    """For each solid atom, whether the source has a blank before it; one more for the end."""
    blanks: list[bool] = []
    pending = False
    for atom in atoms:
        if atom.kind is Kind.BLANK:
            pending = True
        elif atom.text:
            blanks.append(pending)
            pending = False
    return [*blanks, False]


def _is_factor(before: _Atom | None, after: _Atom | None) -> bool:
    """Whether a fraction stands beside something it multiplies, so that ``1/2x`` must be ``(1/2)x``."""
    left = before is not None and before.kind in (Kind.ORDINARY, Kind.CLOSING, Kind.FRACTION)
    right = after is not None and after.kind in (Kind.ORDINARY, Kind.FRACTION, Kind.OPENING)
    named = before is not None and before.kind is Kind.OPERATOR and before.text.isascii()
    return left or named or (right and not (after and after.text[0] in "%|‖°"))


def _blank_between(solid: list[_Atom], number: int, source: list[bool], tight: bool) -> bool:
    before, this = solid[number - 1], solid[number]
    first, last = number == 1, number == len(solid) - 1
    written = source[number]
    if before.kind is Kind.OPENING or this.kind in _ENDS:
        return False
    if before.kind is Kind.RELATION and first:
        return written and not tight
    if Kind.RELATION in (before.kind, this.kind):
        return not tight
    if before.kind is Kind.BINARY:
        unary = first or solid[number - 2].kind in _UNARY_AFTER
        return not tight and not unary
    if this.kind is Kind.BINARY:
        trailing = last or solid[number + 1].kind in _ENDS
        return not tight and not trailing and before.kind not in _UNARY_AFTER
    if this.kind is Kind.SIGN:
        return written or (source[number + 1] and before.kind not in _UNARY_AFTER)
    if before.kind is Kind.SIGN:
        unary = first or solid[number - 2].kind in _UNARY_AFTER
        return not unary and (written or source[number - 1])
    if Kind.OPERATOR in (before.kind, this.kind):
        if this.kind is Kind.FRACTION and before.text.isascii():
            return False
        return written or (this.kind in _TERMS and (before.kind is not Kind.PUNCTUATION))
    return written or (
        before.text[-1].isalnum() and this.text[0].isalnum() and ("_" in before.text or "^" in before.text)
    )
