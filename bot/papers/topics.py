"""Topics as people list and name them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from bot.search.fold import fold_plain
from bot.search.model import TopicCount

Topic = tuple[str | None, str | None]
"""Area and subarea."""

NONE = "none"
"""What 'Without a topic' is called in queries."""

_NEAREST = 5
_COMPARED = 100
"""Signs of a text that are compared: the time that takes grows with their square."""


def shown_topic(area: str, subarea: str | None) -> str:
    """``Area`` or ``Area · Subarea``."""
    return area if subarea is None else f"{area} · {subarea}"


def by_size(pairs: Iterable[TopicCount]) -> list[TopicCount]:
    """Pairs of area and subarea, the areas with most papers first, each by size; no area comes last."""
    known = list(pairs)
    sizes: Counter[str | None] = Counter()
    for pair in known:
        sizes[pair.area] += pair.papers

    def place(pair: TopicCount) -> tuple[bool, int, str, int, str]:
        return pair.area is None, -sizes[pair.area], pair.area or "", -pair.papers, pair.subarea or ""

    return sorted(known, key=place)


def with_areas(pairs: Iterable[TopicCount]) -> list[TopicCount]:
    """Every area with all its papers (subarea None), followed by its subareas."""
    listed: list[TopicCount] = []
    for area, inside in groupby(by_size(pairs), key=lambda pair: pair.area):
        topics = list(inside)
        listed.append(TopicCount(area, None, sum(pair.papers for pair in topics)))
        listed += (pair for pair in topics if pair.subarea is not None)
    return listed


def topic_meant(pairs: Sequence[TopicCount], text: str) -> Topic | None:
    """The topic a text names, whatever its case, accents and signs; None when there is no such.

    An area goes before a subarea of that name, the subarea with more papers before others of its name.
    Failing these, the one topic in which every word of the text begins a word.
    """
    wanted = fold_plain(text)
    listed = with_areas(pairs)
    if not wanted:
        return None
    if wanted == NONE:
        return next(((None, None) for topic in listed if topic.area is None), None)
    named = [topic for topic in listed if topic.area is not None]
    for name in (_whole, _subarea):
        same = [topic for topic in named if name(topic) == wanted]
        if same:
            best = max(same, key=lambda topic: topic.papers)
            return best.area, best.subarea
    begun = [topic for topic in named if _begins(wanted, _whole(topic))]
    areas = [topic for topic in begun if topic.subarea is None]
    if len(begun) == 1 or len(areas) == 1:
        only = (areas or begun)[0]
        return only.area, only.subarea
    return None


def nearest_topics(pairs: Sequence[TopicCount], text: str) -> list[str]:
    """The topics most like a text, as people see them, at most five; the largest areas where none is."""
    wanted = fold_plain(text[:_COMPARED])
    named = [topic for topic in with_areas(pairs) if topic.area is not None]

    def likeness(topic: TopicCount) -> float:
        names = (_whole(topic), _subarea(topic))
        return max(
            float(bool(wanted) and _begins(wanted, names[0])),
            *(SequenceMatcher(None, wanted, name).ratio() for name in names),
        )

    best = sorted(named, key=likeness, reverse=True)[:_NEAREST]
    near = [topic for topic in best if likeness(topic) > 0.4]
    largest = [topic for topic in named if topic.subarea is None][:_NEAREST]
    return [shown_topic(topic.area or "", topic.subarea) for topic in near or largest]


def _whole(topic: TopicCount) -> str:
    return fold_plain(shown_topic(topic.area or "", topic.subarea))


def _subarea(topic: TopicCount) -> str:
    return fold_plain(topic.subarea or "")


def _begins(wanted: str, name: str) -> bool:
    words = name.split()
    return all(any(word.startswith(begun) for word in words) for begun in wanted.split())
