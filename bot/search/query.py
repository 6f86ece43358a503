"""Our query syntax: words, “a phrase”, author:, topic:, title:. Every text is a query, whatever its signs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from bot.errors import BadInput
from bot.papers.same import arxiv_id_in, doi_in
from bot.search.fold import Wanted, arxiv_token, doi_token, fold_plain, fold_query

MAX_LENGTH = 300
"""Characters of a query."""

Where = Literal["any", "title", "author", "topic", "id"]

_FIELDS: dict[str, Where] = {
    "title": "title",
    "author": "author",
    "authors": "author",
    "topic": "topic",
    "标题": "title",
    "作者": "author",
    "主题": "topic",
}
_FIELD = re.compile(rf"(?P<field>{'|'.join(_FIELDS)})\s*[:：](?!:)\s*", re.IGNORECASE)
_QUOTES = (
    ('"＂“”„‟', '"＂“”„‟'),
    ("«»", "«»"),
    ("‹›", "‹›"),
    ("「", "」"),
    ("『", "』"),
    ("《", "》"),
    ("'‘’‚", "'‘’"),
)
_QUOTED = re.compile("|".join(f"[{opening}]([^{closing}]*)[{closing}]" for opening, closing in _QUOTES[:-1]))
_SINGLE_QUOTED = re.compile(f"[{_QUOTES[-1][0]}](.*?)[{_QUOTES[-1][1]}](?!\\w)")
_PIECE = re.compile(r"[^\s,;，、；。\"＂“”„‟«»‹›「」『』《》]+")
_WORD_BEFORE = re.compile(r"\w\Z")


@dataclass(frozen=True, slots=True)
class Term:
    """One thing all hits must have. `text` is what was typed of it, `wanted` its tokens (None for a topic).

    `where`: 'any' is title, authors and abstract; 'topic' looks `text` up among the topics; with 'id' `text`
    is the token of an arXiv identifier or a DOI.
    """

    text: str
    where: Where
    wanted: Wanted | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody looks for: `text` as written, and `terms` that all must be found; none finds nothing."""

    text: str
    terms: tuple[Term, ...]

    @property
    def ranked(self) -> bool:
        """Is there anything by which one hit is better than another?"""
        return any(term.where not in ("topic", "id") for term in self.terms)


def parse_query(text: str) -> Query:
    """Read what somebody typed. AND, OR, NOT and signs have no meaning of their own.

    Quotes of all kinds make a phrase, a quote that is not closed is no quote. A piece with signs inside
    (AT&T, a/b, pre-training) is looked for as a phrase. `author:`, `topic:` and `title:` hold for the word or
    phrase behind them. An address or number of arXiv and a DOI look for that paper. A text of signs alone
    gives no terms.

    Raises: BadInput('search.too_long', n=300).
    """
    if len(text) > MAX_LENGTH:
        raise BadInput("search.too_long", "query", n=MAX_LENGTH)
    terms: list[Term] = []
    at = 0
    while at < len(text):
        field: Where = "any"
        name = ""
        inside = at > 0 and _WORD_BEFORE.search(text[:at])
        if not inside and (found := _FIELD.match(text, at)) and found.end() < len(text):
            field, name, at = _FIELDS[found["field"].lower()], found["field"], found.end()
        piece, quoted, at = _next_piece(text, at, bool(inside) and not name)
        term = _term(piece, field, quoted)
        if term is None and name:
            term = _term(name, "any", False)  # 'title: !' has nothing behind it, so it is a word
        if term is not None:
            terms.append(term)
    return Query(text, tuple({(t.where, t.wanted or fold_plain(t.text)): t for t in terms}.values()))


def _next_piece(text: str, at: int, inside: bool) -> tuple[str, bool, int]:
    """The phrase, word or separating sign at a place; whether it was quoted; where it ends."""
    if found := _QUOTED.match(text, at):
        return next((group for group in found.groups() if group is not None), ""), True, found.end()
    if not inside and (found := _SINGLE_QUOTED.match(text, at)):
        return found[1], True, found.end()
    if found := _PIECE.match(text, at):
        return found[0], False, found.end()
    return "", False, at + 1


def _term(piece: str, field: Where, quoted: bool) -> Term | None:
    if field == "topic":
        return Term(piece.strip(), "topic") if fold_plain(piece) else None
    if field == "any" and not quoted:
        if arxiv_id := arxiv_id_in(piece):
            return Term(arxiv_token(arxiv_id), "id")
        if doi := doi_in(piece):
            return Term(doi_token(doi), "id")
    wanted = fold_query(piece)
    return Term(piece.strip(), field, wanted) if wanted else None


def without_quotes(text: str) -> str:
    """What stands between the quotes of a query that is one quoted phrase; any other text as it is."""
    whole = text.strip()
    for quoted in (_QUOTED, _SINGLE_QUOTED):
        found = quoted.match(whole)
        if found and found.end() == len(whole):
            return next((group for group in found.groups() if group), "").strip() or text
    return text


def parse_beginning(text: str) -> Query:
    """Read what somebody is still typing: plain words, the last of them perhaps not finished.

    Beyond 300 characters the rest is left off; nothing is raised.
    """
    pieces = _PIECE.findall(text[:MAX_LENGTH])
    wanted = [(piece, fold_query(piece)) for piece in pieces[:-1]]
    if pieces:
        wanted.append((pieces[-1], fold_query(pieces[-1], prefix=not text[-1:].isspace())))
    return Query(text, tuple(Term(piece, "any", tokens) for piece, tokens in wanted if tokens))
