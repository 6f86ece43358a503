"""A paper as scripts read it."""

from __future__ import annotations

from typing import Any

from bot.papers.model import Paper
from bot.papers.plain import plain_text
from bot.search.model import Hit


def paper_json(paper: Paper) -> dict[str, Any]:
    """The keys docs/terminal.md names; `id` is null for a paper that is not stored, `abstract` verbatim."""
    return {
        "id": paper.public_id if paper.id is not None else None,
        "title": paper.title,
        "headline": paper.headline.text if paper.headline and paper.title is None else None,
        "authors": list(paper.authors),
        "authors_truncated": paper.authors_truncated,
        "area": paper.area,
        "subarea": paper.subarea,
        "abstract": paper.abstract,
        "abstract_plain": plain_text(paper.abstract),
        "url": paper.url,
        "year": paper.year,
        "venue": paper.venue,
        "arxiv_id": paper.arxiv_id,
        "doi": paper.doi,
        "sources": list(paper.sources),
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit with its marks: half-open positions in code points."""
    return {
        "paper": paper_json(hit.paper),
        "marks": {
            "title": [list(span) for span in hit.title_marks],
            "authors": [[index, *span] for index, span in hit.author_marks],
            "abstract": [list(span) for span in hit.abstract_marks],
        },
    }
