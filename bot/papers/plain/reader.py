"""One walk through LaTeX, Markdown and HTML, sign by sign."""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.papers.plain import latex, markdown
from bot.papers.plain.addresses import linked, unescaped
from bot.papers.plain.walk import Walk

# Every branch begins with one literal sign: only then does `re` skip over plain words at speed.
_TOKEN = re.compile(
    r"""https?://
    | \\[A-Za-z]+\*? | \\\\(?=[%&\#$_{}]) | \\. | \\
    | \$\$? | \{ | \} | ~ | " | ``?`? | ''? | ---* | \*\** | __*
    | </?[A-Za-z][^<>]{0,300}>
    | &(?:\#\w{1,7}|[A-Za-z]\w{1,24});
    | \[(?=[^\[\]]{1,300}\]\()""",
    re.VERBOSE | re.DOTALL,
)
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\((https?://[^\s()]{1,500}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?)\)")


def read(source: str) -> Walk:
    """Walk all through `source`. Total, and linear in its length."""
    walk = Walk(source)
    while match := _TOKEN.search(source, walk.at):
        start = match.start()
        if start > walk.at:
            walk.write(source[walk.at : start])
        walk.at = match.end()
        token = match[0]
        _HANDLERS[token[0]](walk, token, start)
    walk.write(source[walk.at :])
    while walk.groups:
        walk.close_group(len(source))
    markdown.drop_unclosed(walk)
    return walk


def _link(walk: Walk, token: str, start: int) -> None:
    """A link of Markdown; its label holds no other link, so this goes no deeper."""
    match = _LINK.match(walk.source, start)
    if match is None:
        walk.write(token)
        return
    walk.at = match.end()
    walk.write(linked("".join(read(match[1]).pieces), unescaped(match[2])))


_HANDLERS: dict[str, Callable[[Walk, str, int], None]] = {
    "h": markdown.address,
    "[": _link,
    "{": latex.open_group,
    "}": latex.close_brace,
    "\\": latex.command,
    "$": latex.dollar,
    "*": markdown.run,
    "_": markdown.run,
    "<": markdown.tag,
    "&": markdown.entity,
    "`": markdown.backtick,
    "'": markdown.quote,
    '"': markdown.quote,
    "-": markdown.dash,
    "~": markdown.tilde,
}
