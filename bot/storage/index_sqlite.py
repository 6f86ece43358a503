"""Putting papers into SQLite's search index."""

from __future__ import annotations

from collections.abc import Iterable

from bot.search.fold import FoldedPaper
from bot.storage.database import Tx

_VALUES = "VALUES (:id, :title, :authors, :abstract, :tokens)"


def index_papers(tx: Tx, papers: Iterable[tuple[int, FoldedPaper]]) -> None:
    """Store the folded text of papers that have none yet, and index it.

    The index is written to by statements of its own: fed by a trigger it would be written out after each
    statement, in a hundred small pieces. Changes and removals reach it by triggers.
    """
    rows = [
        {
            "id": number,
            "title": folded.title,
            "authors": folded.authors,
            "abstract": folded.abstract,
            "tokens": folded.tokens,
        }
        for number, folded in papers
    ]
    tx.run_many(f"INSERT INTO paper_text (paper_id, title, authors, abstract, tokens) {_VALUES}", rows)
    tx.run_many(f"INSERT INTO paper_index (rowid, title, authors, abstract, tokens) {_VALUES}", rows)


def join_pieces(tx: Tx) -> None:
    """Bring the index's pieces together: after a large import searches become faster."""
    tx.run("INSERT INTO paper_index (paper_index) VALUES ('optimize')")
