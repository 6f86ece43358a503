"""What Markdown, HTML and plain typing become: emphasis, code, links, tags, quotes and dashes."""

from __future__ import annotations

import html
import re

from bot.papers.plain.addresses import address_end, unescaped
from bot.papers.plain.formula import script_text
from bot.papers.plain.symbols import words
from bot.papers.plain.walk import Group, Run, Walk

_QUOTED = re.compile(r"`([^`\\$]{1,200}?)(?:(`)|['’](?!\w))")
_TAG = re.compile(
    r"</?(p|br|div|li|ul|ol|h[1-6]|blockquote|tr|td|em|i|b|strong|u|span|a|su[bp]|code|tt|small|font|sc|jats:\w+)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_RAISED = re.compile(r"<(su[bp])>([^<>]{1,20})</su[bp]>", re.IGNORECASE)
_MAX_EMPHASIS = 600
_BEFORE_UNDERSCORE = "([\"'“‘–—-*>/"
_BLOCK_TAGS = frozenset(words("p br div li ul ol blockquote tr td jats:p h1 h2 h3 h4 h5 h6"))
_EMPHASIS_TAGS = frozenset(words("em i b strong u jats:italic jats:bold"))


def run(walk: Walk, token: str, start: int) -> None:
    """A run of `*` or `_`: closes what one before it opened, or may open, or stands for itwalk."""
    before, after, length = walk.before(start), walk.after(), len(token)
    runs = walk.runs[token[0]]
    if not before.isspace() and not (token[0] == "_" and after.isalnum()):
        while length and runs and (closed := _closed_by(walk, runs[-1], length, start)):
            run = runs.pop()
            if run.length > closed:
                runs.append(run._replace(length=run.length - closed))
            walk.pieces[run.piece] = token[0] * (run.length - closed)
            walk.emphasise(run.piece, run.start, walk.at)
            length -= closed
    may_open = not after.isspace() and after not in ".,;:!?)]}" and length <= 3
    if token[0] == "_":
        may_open &= before.isspace() or before in _BEFORE_UNDERSCORE  # not snake_case
    elif length == 1:
        may_open &= not before.isalnum()  # 2*3
    if length and may_open:
        runs.append(Run(length, len(walk.pieces), start))
    walk.write(token[:length])


def _closed_by(walk: Walk, run: Run, length: int, start: int) -> int:
    """How many signs of `run` a later run of `length` at `start` closes."""
    if start - run.start > _MAX_EMPHASIS:
        walk.runs[walk.source[run.start]].clear()
        return 0
    if run.length <= length:
        return run.length
    return length if run.length == 3 else 0


def tag(walk: Walk, token: str, start: int) -> None:
    match = _TAG.fullmatch(token)
    if raised := _RAISED.match(walk.source, start):
        walk.at = raised.end()
        walk.write(script_text(raised[2], raised[1].lower() == "sup"))
    elif match is None:
        walk.write("<")
        walk.at = start + 1
    elif (name := match[1].lower()) in _EMPHASIS_TAGS:
        if token[1] != "/":
            walk.tags.append(Group(name, len(walk.pieces), start))
        elif walk.tags:
            opened = walk.tags.pop()
            walk.emphasise(opened.piece, opened.start, walk.at)
    elif name in _BLOCK_TAGS:
        walk.write(" ")


def entity(walk: Walk, token: str, start: int) -> None:
    walk.write(html.unescape(token))


def backtick(walk: Walk, token: str, start: int) -> None:
    """Code in Markdown, or the opening quotes of LaTeX."""
    if len(token) == 3:
        return
    if len(token) == 2:
        walk.write("”" if walk.in_quotes else "“")
        walk.in_quotes = not walk.in_quotes
        return
    match = _QUOTED.match(walk.source, start)
    if match is None:
        walk.write(token)
    elif match[2]:
        walk.write(match[1])
        walk.at = match.end()
    else:
        walk.closing_quotes.add(match.end() - 1)
        walk.write("‘")


def quote(walk: Walk, token: str, start: int) -> None:
    if start in walk.closing_quotes:
        walk.at = start + 1
        walk.write("’")
    elif token == "'":
        walk.write(token)
    elif token == '"' and not (walk.in_quotes and not walk.before(start).isspace()):
        walk.in_straight_quotes = not walk.in_straight_quotes
        walk.write(token)
    elif token == "''" and walk.in_straight_quotes:
        walk.in_straight_quotes = False
        walk.write('"')
    else:
        walk.in_quotes = token == "''" and not walk.in_quotes and walk.before(start).isspace()
        walk.write("“" if walk.in_quotes else "”")


def dash(walk: Walk, token: str, start: int) -> None:
    walk.write("–" if len(token) == 2 else "—")


def tilde(walk: Walk, token: str, start: int) -> None:
    tied = (walk.before(start).isalnum() or walk.before(start) in ".,)]}$") and not walk.after().isspace()
    walk.write(" " if tied else token)


def address(walk: Walk, token: str, start: int) -> None:
    walk.at = max(address_end(walk.source, start), start + len(token))
    walk.write(unescaped(walk.source[start : walk.at]))


def drop_unclosed(walk: Walk) -> None:
    """Drop bold that never ends."""
    for run in walk.runs["*"]:
        if run.length > 1 and not walk.before(run.start).isalnum():
            walk.pieces[run.piece] = ""
