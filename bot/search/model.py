"""What a search gives."""

from __future__ import annotations

from dataclasses import dataclass

from bot.papers.model import Paper

Span = tuple[int, int]
"""Half-open positions in the shown text, in code points."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One paper found, and the places to mark in its shown title or headline, authors and plain abstract."""

    paper: Paper
    title_marks: tuple[Span, ...] = ()
    author_marks: tuple[tuple[int, Span], ...] = ()
    """(index of the author, span in that name)."""
    abstract_marks: tuple[Span, ...] = ()
    """Positions in `plain_text(paper.abstract)`."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page of hits out of `total`; `query` as the person wrote it, `page` from 1."""

    query: str
    total: int
    hits: tuple[Hit, ...]
    page: int = 1
    pages: int = 1
    did_you_mean: tuple[str, int] | None = None
    """A near word of the catalogue and its number of papers, when nothing was found."""


@dataclass(frozen=True, slots=True)
class TopicCount:
    """An area or a subarea with its number of papers; `area` None is 'Without a topic'."""

    area: str | None
    subarea: str | None
    papers: int
