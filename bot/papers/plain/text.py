"""How the LaTeX, Markdown and HTML of an abstract become readable text, and which of its words were emphasised."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NamedTuple

from bot.papers.plain.formula import formula_text, script_text
from bot.papers.plain.symbols import (
    ACCENTS,
    COMMANDS,
    DROPPED,
    EMPHASIS,
    FONTS,
    LETTER_ACCENTS,
    LETTERS,
    SWITCHES,
)

_MARKUP = re.compile(r"[\\$*_`~{}]|--|''|<[A-Za-z/]|&[#A-Za-z]|\]\(")
_TOKEN = re.compile(
    r"""https?://
    | \\[A-Za-z]+\*? | \\\\(?=[%&\#$_{}]) | \\. | \\
    | \$\$? | [{}~"] | `{1,3} | '{1,2} | -{2,} | \*+ | _+
    | </?[A-Za-z][^<>]{0,300}>
    | &(?:\#\w{1,7}|[A-Za-z]\w{1,24});
    | \[(?=[^\[\]]{1,300}\]\()""",
    re.VERBOSE | re.DOTALL,
)
_ODD = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufb00-\ufb06]"
)
_LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_ADDRESS = re.compile(
    r"https?://[^\s<>{}\"|$\\\]`，。；：（）、]*(?:\\[_%#&~][^\s<>{}\"|$\\\]`，。；：（）、]*)*"
)
_ESCAPED = re.compile(r"\\([_%#&~])")
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\((https?://[^\s()]{1,500}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?)\)")
_CITATION = re.compile(r"(?:\[[^\[\]]{0,200}\]){0,2}\s?\{([^{}]{0,2000})\}")
_SET = re.compile(r"\{\s*[^\s{},\\$*_`]{1,12}(?:,\s*[^\s{},\\$*_`]{1,12}){1,9}\s*\}")
_QUOTED = re.compile(r"`([^`\\$]{1,200}?)(?:(`)|'(?!\w))")
_LETTER = re.compile(r"\s?\{\s*\\?([A-Za-z])\s*\}|\\([ij])(?![A-Za-z])\s?|([A-Za-z])")
_TAG = re.compile(
    r"</?(p|br|div|li|ul|ol|h[1-6]|blockquote|tr|td|em|i|b|strong|u|span|a|sub|sup|code|tt|small|font|sc|jats:\w+)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_RAISED = re.compile(r"<(su[bp])>([^<>]{1,20})</su[bp]>", re.IGNORECASE)
_WORDS_IN_FORMULA = re.compile(
    r"\\(?:text\w*|emph|mathbf|mathtt|mathsf|boldsymbol|bm|underline)\s?\{([^{}]{3,200})\}"
)
_STRONG_SIGN = re.compile(r"\\[A-Za-z{]|[\^_]")
_NAMED_FONT = re.compile(r"\\[A-Za-z]+\s?\{[^{}]*\}|\\[A-Za-z]+")
_PROSE = re.compile(r"[A-Za-z]{2,}[,.;]?\s+[A-Za-z]{2,}|^[\d.,]+\s?[A-Za-z]*[,.;]?\s+[A-Za-z]{2,}|^[,;.)]")
_MAX_EMPHASIS = 600
_MAX_NAME = 300
_QUOTE_COMMANDS = frozenset({"enquote", "say"})
_REFERENCES = frozenset("ref eqref autoref cref Cref pageref".split())
_STRUCTURES = frozenset("frac dfrac tfrac nicefrac sqrt binom mathbb mathbbm mathds not".split()) | {
    name for name in ACCENTS if len(name) > 1
}
_BLOCK_TAGS = frozenset("p br div li ul ol blockquote tr td".split())
_EMPHASIS_TAGS = frozenset("em i b strong u".split())


def plain_text(source: str) -> str:
    """One paragraph of readable text: no markup, single blanks. '' for blank input; never raises.

    Money and identifiers outside formulas stay as they are, addresses are kept verbatim; a lone '%' is a percent
    sign, as abstracts are not whole LaTeX documents.
    """
    if _MARKUP.search(source) is None:
        return _tidy(source)
    return _tidy("".join(_Reader(source).read()))


def emphasised(source: str) -> frozenset[str]:
    """The plain texts of what the source sets in bold, italics and the like, also inside `$…$`.

    Whole words only (`**D**ifferentiable` emphasises none), at most 300 characters each, without punctuation at
    their ends.
    """
    if _MARKUP.search(source) is None:
        return frozenset()
    reader = _Reader(source)
    pieces = reader.read()
    found = [_tidy("".join(pieces[first:last])) for first, last in reader.emphasis]
    found += [plain_text(text) for text in reader.emphasis_in_formulas]
    return frozenset(filter(None, (text.strip(" .,:;") for text in found)))


def _tidy(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if not text.isprintable() or _ODD.search(text):
        text = _ODD.sub(lambda sign: _LIGATURES.get(sign[0], ""), text)
    return " ".join(text.split())


class _Group(NamedTuple):
    kind: str  # "", "emphasis", "footnote", "quote" or the address of a link
    piece: int
    start: int


class _Run(NamedTuple):
    """A run of `*` or `_` that may open emphasis."""

    length: int
    piece: int
    start: int


class _Reader:
    """One walk through the source: `pieces` joined are the text; `emphasis` are ranges of pieces."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.pieces: list[str] = []
        self.emphasis: list[tuple[int, int]] = []
        self.emphasis_in_formulas: list[str] = []
        self._groups: list[_Group] = []
        self._runs: dict[str, list[_Run]] = {"*": [], "_": []}
        self._tags: list[_Group] = []
        self._closing_quotes: set[int] = set()
        self._in_quotes = False
        self._found: dict[str, int] = {}
        self._braces: dict[int, int] | None = None

    def read(self) -> list[str]:
        """The pieces of text."""
        source, pieces = self.source, self.pieces
        while match := _TOKEN.search(source, self.at):
            start = match.start()
            if start > self.at:
                pieces.append(source[self.at : start])
            self.at = match.end()
            token = match[0]
            _HANDLERS[token[0]](self, token, start)
        pieces.append(source[self.at :])
        while self._groups:
            self._close_group(len(source))
        return pieces

    def _before(self, start: int) -> str:
        return self.source[start - 1 : start] if start else " "

    def _after(self) -> str:
        return self.source[self.at : self.at + 1] or " "

    def _find(self, needle: str) -> int:
        """The next place of `needle`, or -1. Remembers it, so that a row of openers costs one search."""
        known = self._found.get(needle)
        if known is None or 0 <= known < self.at:
            known = self._found[needle] = self.source.find(needle, self.at)
        return known

    # addresses and links

    def _address(self, token: str, start: int) -> None:
        match = _ADDRESS.match(self.source, start)
        address = match[0] if match else token
        end = len(address)
        surplus = address.count(")") - address.count("(")
        while end > len(token) and address[end - 1] in ".,;:!?'*_)":
            if address[end - 1] == ")":
                if surplus <= 0:
                    break
                surplus -= 1
            end -= 1
        self.at = start + end
        self.pieces.append(_ESCAPED.sub(r"\1", address[:end]))

    def _bracket(self, token: str, start: int) -> None:
        match = _LINK.match(self.source, start)
        if match is None:
            self.pieces.append(token)
            return
        self.at = match.end()
        label, address = plain_text(match[1]), match[2]
        self.pieces.append(address if _same_address(label, address) else f"{label} ({address})")

    # groups and commands

    def _open_group(self, token: str, start: int) -> None:
        if literal := _SET.match(self.source, start):
            self.at = literal.end()
            self.pieces.append(literal[0])
        else:
            self._groups.append(_Group("", len(self.pieces), start))

    def _close_brace(self, token: str, start: int) -> None:
        if self._groups:
            self._close_group(start)

    def _close_group(self, end: int) -> None:
        kind, piece, start = self._groups.pop()
        if kind == "emphasis":
            self._emphasise(piece, start, end + 1)
        elif kind == "footnote":
            self.pieces.append(")")
        elif kind == "quote":
            self.pieces.append("”")
        elif kind:
            label = "".join(self.pieces[piece : piece + 12])
            if _same_address(label, kind):
                self.pieces[piece:] = [kind] + [""] * (len(self.pieces) - piece - 1)
            else:
                self.pieces.append(f" ({kind})")

    def _emphasise(self, piece: int, start: int, end: int) -> None:
        """Note what was emphasised from `start` to `end` of the source, if these are whole words."""
        inside_word = self._before(start).isalnum() or self.source[end : end + 1].isalnum()
        if end - start <= _MAX_NAME and not inside_word:
            self.emphasis.append((piece, len(self.pieces)))

    def _backslash(self, token: str, start: int) -> None:
        name = token[1:].rstrip("*") if token[1:2].isalpha() else token[1:]
        if token == "\\\\" and self._after() in "%&#$_{}":
            self.at += 1  # an escape escaped once more
            self.pieces.append(self.source[self.at - 1])
        elif name in ("(", "["):
            self._formula_until("\\)" if name == "(" else "\\]", name)
        elif name in LETTER_ACCENTS and self._accented_letter(name):
            pass
        elif not name.isalpha():
            blank = not name or name in "\\,;: \n\t~"
            self.pieces.append(" " if blank else "" if name in "!-/@" else name)
        elif name.startswith("cite") or name in _REFERENCES:
            self._citation(name)
        elif name in ("url", "path", "href", "nolinkurl"):
            self._link_command(name)
        elif name in _STRUCTURES and self._after() in "{\\[ ":
            self._structure(name, start)
        else:
            self._word(name, start)

    def _accented_letter(self, name: str) -> bool:
        match = _LETTER.match(self.source, self.at)
        if match is None or (name.isalpha() and match[1] is None):
            return False
        letter = unicodedata.normalize("NFC", (match[1] or match[2] or match[3]) + ACCENTS[name])
        if len(letter) > 1:
            return False
        self.at = match.end()
        self.pieces.append(letter)
        return True

    def _citation(self, name: str) -> None:
        match = _CITATION.match(self.source, self.at)
        if match is None:
            return
        self.at = match.end()
        keys = ", ".join(key.strip() for key in match[1].split(",") if key.strip())
        self.pieces.append(f"[{keys}]" if keys else "")

    def _link_command(self, name: str) -> None:
        argument = self._argument()
        if argument is None:
            return
        address = _ESCAPED.sub(r"\1", argument.strip()).replace("\n", "")
        if name == "href" and self._after() == "{":
            self._groups.append(_Group(address or " ", len(self.pieces), self.at))
            self.at += 1
        else:
            self.pieces.append(address)

    def _structure(self, name: str, start: int) -> None:
        """A command of formulas in running text: taken with its arguments."""
        count = 2 if name.endswith("frac") or name == "binom" else 1
        self.at = start + len(name) + 1
        for _ in range(count):
            if self._argument() is None:
                break
        self.pieces.append(formula_text(self.source[start : self.at]))

    def _word(self, name: str, start: int) -> None:
        braced = self._after() == "{"
        if name in SWITCHES:
            if SWITCHES[name] and self._groups and not self._groups[-1].kind:
                self._groups[-1] = _Group("emphasis", len(self.pieces), self._groups[-1].start)
            self.at += self._after() == " "
        elif name in DROPPED:
            for _ in range(DROPPED[name]):
                self._argument()
        elif name in LETTERS or name in COMMANDS:
            text = LETTERS.get(name) or COMMANDS[name][0] if name != "xspace" else ""
            self.pieces.append(text[:-1] if text.endswith(".") and self._after() == "." else text)
        elif name == "textsuperscript" or name == "textsubscript":
            argument = self._argument() or ""
            self.pieces.append(script_text(plain_text(argument), name == "textsuperscript"))
        elif braced and self.source[self.at : self.at + 2] != "{}":
            kind = "emphasis" if name in EMPHASIS else "quote" if name in _QUOTE_COMMANDS else ""
            kind = "footnote" if name.startswith("footnote") else kind
            self.pieces.append({"footnote": " (", "quote": "“"}.get(kind, ""))
            self._groups.append(_Group(kind, len(self.pieces), start))
            self.at += 1
        elif name not in FONTS:
            self.pieces.append(name)

    def _argument(self) -> str | None:
        """The inside of the group that begins here, past which it moves; None where none begins or it never ends."""
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

    # formulas

    def _dollar(self, token: str, start: int) -> None:
        if token == "$$" and (end := self._find("$$")) >= 0:
            self._formula(self.source[self.at : end], end + 2)
            return
        self.at = start + 1
        end = self._next_dollar()
        if end > self.at and _is_formula(self.source[self.at : end], self.source[end + 1 : end + 2]):
            self._formula(self.source[self.at : end], end + 1)
        else:
            self.pieces.append("$")

    def _next_dollar(self) -> int:
        end = self._find("$")
        while end > 0 and self.source[end - 1] == "\\":
            self._found["$"] = end = self.source.find("$", end + 1)
        return end

    def _formula_until(self, closing: str, opening: str) -> None:
        end = self._find(closing)
        if end < 0:
            self.pieces.append(opening)
        else:
            self._formula(self.source[self.at : end], end + 2)

    def _formula(self, content: str, end: int) -> None:
        self.emphasis_in_formulas += _WORDS_IN_FORMULA.findall(content)
        self.pieces.append(formula_text(content))
        self.at = end

    # Markdown, HTML and typography

    def _run(self, token: str, start: int) -> None:
        """A run of `*` or `_`: closes what one before it opened, or may open, or stands for itself."""
        before, after, length = self._before(start), self._after(), len(token)
        runs = self._runs[token[0]]
        if not before.isspace() and not (token[0] == "_" and after.isalnum()):
            while length and runs and (closed := self._closed_by(runs[-1], length, start)):
                run = runs.pop()
                if run.length > closed:
                    runs.append(run._replace(length=run.length - closed))
                self.pieces[run.piece] = token[0] * (run.length - closed)
                self._emphasise(run.piece, run.start, self.at)
                length -= closed
        may_open = not after.isspace() and after not in ".,;:!?)]}" and length <= 3
        if before.isalnum() and (token[0] == "_" or length == 1):
            may_open = False  # snake_case, 2*3
        if length and may_open:
            runs.append(_Run(length, len(self.pieces), start))
        self.pieces.append(token[:length])

    def _closed_by(self, run: _Run, length: int, start: int) -> int:
        """How many signs of `run` a later run of `length` at `start` closes."""
        if start - run.start > _MAX_EMPHASIS:
            self._runs[self.source[run.start]].clear()
            return 0
        if run.length <= length:
            return run.length
        return length if run.length == 3 else 0

    def _tag(self, token: str, start: int) -> None:
        match = _TAG.fullmatch(token)
        if raised := _RAISED.match(self.source, start):
            self.at = raised.end()
            self.pieces.append(script_text(raised[2], raised[1].lower() == "sup"))
        elif match is None:
            self.pieces.append("<")
            self.at = start + 1
        elif (name := match[1].lower()) in _EMPHASIS_TAGS:
            if token[1] != "/":
                self._tags.append(_Group(name, len(self.pieces), start))
            elif self._tags:
                opened = self._tags.pop()
                self._emphasise(opened.piece, opened.start, self.at)
        elif name in _BLOCK_TAGS or name[0] == "h" or name == "jats:p":
            self.pieces.append(" ")

    def _entity(self, token: str, start: int) -> None:
        self.pieces.append(html.unescape(token))

    def _backtick(self, token: str, start: int) -> None:
        """Code in Markdown, or the opening quotes of LaTeX."""
        if len(token) == 3:
            return
        if len(token) == 2:
            self.pieces.append("”" if self._in_quotes else "“")
            self._in_quotes = not self._in_quotes
            return
        match = _QUOTED.match(self.source, start)
        if match is None:
            self.pieces.append(token)
        elif match[2]:
            self.pieces.append(match[1])
            self.at = match.end()
        else:
            self._closing_quotes.add(match.end() - 1)
            self.pieces.append("‘")

    def _quote(self, token: str, start: int) -> None:
        if start in self._closing_quotes:
            self.at = start + 1
            self.pieces.append("’")
        elif token != "'" and self._in_quotes:
            self._in_quotes = False
            self.pieces.append("”")
        elif token == "''" and self._before(start).isspace() and not self._after().isspace():
            self._in_quotes = True
            self.pieces.append("“")
        elif token == '"' and self._in_quotes and not self._before(start).isspace():
            self._in_quotes = False
            self.pieces.append("”")
        else:
            self.pieces.append(token)

    def _dash(self, token: str, start: int) -> None:
        self.pieces.append("–" if len(token) == 2 else "—")

    def _tilde(self, token: str, start: int) -> None:
        tied = (
            self._before(start).isalnum() or self._before(start) in ".,)]}$"
        ) and not self._after().isspace()
        self.pieces.append(" " if tied else token)


_HANDLERS = {
    "h": _Reader._address,
    "[": _Reader._bracket,
    "{": _Reader._open_group,
    "}": _Reader._close_brace,
    "\\": _Reader._backslash,
    "$": _Reader._dollar,
    "*": _Reader._run,
    "_": _Reader._run,
    "<": _Reader._tag,
    "&": _Reader._entity,
    "`": _Reader._backtick,
    "'": _Reader._quote,
    '"': _Reader._quote,
    "-": _Reader._dash,
    "~": _Reader._tilde,
}


def _is_formula(content: str, after: str) -> bool:
    """Whether what stands between two dollar signs is a formula, not the words between two sums of money."""
    inner = content.strip()
    if not inner:
        return False
    strong = _STRONG_SIGN.search(inner) is not None
    bare = _NAMED_FONT.sub("", inner)
    if _PROSE.search(bare) and (not strong or inner[0].isdigit()):
        return False
    if strong:
        return True
    if (
        after.isdigit()
        or (content[0].isspace() or content[-1].isspace())
        and not re.search(r"^\w$|[=<>]", inner)
    ):
        return False
    return inner.count("(") == inner.count(")")


def _same_address(label: str, address: str) -> bool:
    def bare(text: str) -> str:
        return text.strip().removeprefix("https://").removeprefix("http://").rstrip("/")

    return bare(label) == bare(address)


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
