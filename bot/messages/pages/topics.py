"""Browsing by topic: areas by size, the open one with its subareas; and what autocomplete says."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Branch,
    Button,
    Code,
    Heading,
    Message,
    Paragraph,
    Reader,
    Suggestion,
    Tree,
)
from bot.messages.pages.lines import headline, one_line
from bot.messages.pages.parts import MAX_BUTTON, fits_id, message
from bot.messages.words import Words, words_for
from bot.papers.model import Paper
from bot.search.model import TopicCount

NONE = "-"
"""Stands in keys for what is not given: an area ('Without a topic') or a subarea."""


def topics_page(reader: Reader, counts: Sequence[TopicCount], open_key: str = "") -> Message:
    """All areas, largest first; the one whose `topic_key` is `open_key` shows its subareas.

    In `counts` the row of an area without subarea holds its papers in all, those of its subareas included.
    """
    words = words_for(reader.language)
    areas = _by_area(counts)
    if not areas:
        what, how = words.sentences(
            "There are no papers yet. Whoever runs the bot brings them in with {command}.",
            command=Code("paperclub import"),
        )
        return message(reader, words.line("There are no papers yet."), Heading(what), Paragraph(how))
    total = sum(_total(rows) for rows in areas.values())
    heading = words.count_line(
        "{papers} in {n} area",
        "{papers} in {n} areas",
        len([area for area in areas if area is not None]),
        papers=words.count_line("{n} paper", "{n} papers", total),
    )
    opened = next((area for area in areas if topic_key(area) == open_key), None)
    return message(
        reader,
        heading,
        Heading((heading,)),
        Paragraph((words.line("Open an area, then a subarea to see its papers."),), muted=True),
        Tree(tuple(_branch(words, area, rows, topic_key(area) == open_key) for area, rows in areas.items())),
        Actions((_random_button(words, opened),)),
    )


def topic_key(area: str | None, subarea: str | None = None, *, whole: bool = True) -> str:
    """What stands behind `topics:` for an area, or with `whole` False for the papers of (area, subarea).

    The topic in words where that fits a button's id, else '~' and a digest: compare keys, never read them.
    """
    name = NONE if area is None else area
    if not whole:
        name = f"{name} · {NONE if subarea is None else subarea}"
    return name if fits_id(f"topics:{name}") else f"~{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def find_topic(counts: Sequence[TopicCount], key: str) -> TopicCount | None:
    """The row whose papers a leaf's key means; None when the key is an area's, or of nothing here."""
    return next((row for row in counts if topic_key(row.area, row.subarea, whole=False) == key), None)


def topic_name(words: Words, area: str | None, subarea: str | None = None) -> str:
    """A topic as people see it."""
    if area is None:
        return words.line("Without a topic")
    return area if subarea is None else f"{area} · {subarea}"


def topic_suggestion(words: Words, value: str, count: TopicCount) -> Suggestion:
    """A topic in autocomplete, with what it gives."""
    note = words.count_line("{n} paper", "{n} papers", count.papers)
    return Suggestion(value, cut(topic_name(words, count.area, count.subarea), 100), note)


def paper_suggestion(words: Words, paper: Paper) -> Suggestion:
    """A paper in autocomplete: its id and headline."""
    return Suggestion(paper.public_id, cut(f"{paper.public_id} · {headline(paper, words)}", 100))


def _by_area(counts: Sequence[TopicCount]) -> dict[str | None, list[TopicCount]]:
    """Rows by area: the largest area first, then by name; 'Without a topic' last."""
    grouped: dict[str | None, list[TopicCount]] = {}
    for row in counts:
        grouped.setdefault(row.area, []).append(row)
    order = sorted(grouped, key=lambda area: (area is None, -_total(grouped[area]), area or ""))
    return {area: sorted(grouped[area], key=_leaf_order) for area in order}


def _total(rows: Sequence[TopicCount]) -> int:
    whole = next((row.papers for row in rows if row.subarea is None), None)
    return sum(row.papers for row in rows) if whole is None else whole


def _leaf_order(row: TopicCount) -> tuple[bool, int, str]:
    return row.subarea is not None, -row.papers, row.subarea or ""


def _branch(words: Words, area: str | None, rows: Sequence[TopicCount], opened: bool) -> Branch:
    """An area; one without subareas leads to its papers at once."""
    total = _total(rows)
    alone = all(row.subarea is None for row in rows)
    key = topic_key(area, None, whole=not alone)
    leaves = tuple(_leaf(words, row) for row in rows) if opened and not alone else ()
    return Branch(
        f"topics:{key}", topic_name(words, area), total, _spoken(words, total), bool(leaves), leaves
    )


def _leaf(words: Words, row: TopicCount) -> Branch:
    """A subarea, or above them all papers of the area."""
    label = words.line("All of {area}", area=row.area or "") if row.subarea is None else one_line(row.subarea)
    key = topic_key(row.area, row.subarea, whole=False)
    return Branch(f"topics:{key}", label, row.papers, _spoken(words, row.papers))


def _spoken(words: Words, papers: int) -> str:
    return words.count_line("{n} paper", "{n} papers", papers)


def _random_button(words: Words, area: str | None) -> Button:
    """A random paper, from the open area if there is one that fits."""
    if area is not None and fits_id(f"random:{area}"):
        return Button(f"random:{area}", cut(words.line("A random paper of {area}", area=area), MAX_BUTTON))
    return Button("random", words.line("A random paper"))
