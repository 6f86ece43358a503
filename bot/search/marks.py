"""Which words of a paper to mark for a query: positions in the text people see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.papers.model import Paper
from bot.papers.plain import plain_text
from bot.search.fold import Wanted, spellings_with_spans, tokens_with_spans
from bot.search.model import Hit, Span
from bot.search.query import Query


def mark(paper: Paper, query: Query) -> Hit:
    """The hit of a query in a paper, with every place that made it one."""
    title = _wanted(query, "any", "title")
    authors = _wanted(query, "any", "author")
    shown = plain_text(paper.title) if paper.title else paper.headline.text if paper.headline else ""
    return Hit(
        paper,
        _spans(shown, title),
        tuple((n, span) for n, name in enumerate(paper.authors) for span in _spans(name, authors)),
        _spans(plain_text(paper.abstract), _wanted(query, "any")),
    )


def _wanted(query: Query, *places: str) -> list[Wanted]:
    return [term.wanted for term in query.terms if term.wanted and term.where in places]


def _spans(text: str, wanted: Sequence[Wanted]) -> tuple[Span, ...]:
    if not wanted or not text:
        return ()
    tokens = list(tokens_with_spans(text))
    found = [span for one in wanted for span in _rows(tokens, one)]
    words = {one.row[0] for one in wanted if len(one.row) == 1} | {one.joined for one in wanted if one.joined}
    found += [(begin, end) for spelling, begin, end in spellings_with_spans(text) if spelling in words]
    return _united(found)


def _rows(tokens: Sequence[tuple[str, int, int]], wanted: Wanted) -> Iterable[Span]:
    """Where tokens stand side by side as wanted, or as one word."""
    row, size = wanted.row, len(wanted.row)
    for at, (token, begin, end) in enumerate(tokens):
        if wanted.joined and token == wanted.joined:
            yield begin, end
        if (size > 1 and token != row[0]) or at + size > len(tokens):
            continue
        if any(tokens[at + n][0] != row[n] for n in range(size - 1)):
            continue
        last, last_begin, last_end = tokens[at + size - 1]
        if last == row[-1]:
            yield begin, last_end
        elif wanted.open and last.startswith(row[-1]):
            yield begin, min(last_end, last_begin + len(row[-1]))


def _united(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, those that touch or overlap made one."""
    united: list[Span] = []
    for begin, end in sorted(spans):
        if united and begin <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((begin, end))
    return tuple(united)
