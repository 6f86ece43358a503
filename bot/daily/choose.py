"""Which paper today, and why this one: fair turn, twice.

Every area has its turn, within it every subarea, within it a fixed shuffle of the club's own. Only stored
rows and the club's salt decide, so the same rows give the same paper after a restart and on every platform,
and anybody with the salt can check a choice by hand.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date

from bot.daily.model import Choice, Reason, Topic, Turn

SEPARATOR = "␟"
"""U+241F, the sign for a unit separator; no salt and no area holds one."""


def shuffle_key(salt: str, text: str) -> bytes:
    """The place of `text` in the club's own shuffle: SHA-256 of salt ␟ text in UTF-8, smallest first."""
    return hashlib.sha256(f"{salt}{SEPARATOR}{text}".encode()).digest()


def _places(salt: str) -> Callable[[int], bytes]:
    """`shuffle_key` of public ids, written for the thousands that one choice may compare."""
    before, sha256 = f"{salt}{SEPARATOR}p".encode(), hashlib.sha256
    return lambda paper_id: sha256(b"%b%d" % (before, paper_id)).digest()


def choose(
    pool: Mapping[Topic, Collection[int]], rows: Iterable[Turn], salt: str, today: date
) -> Choice | None:
    """The paper whose turn it is; None when the pool is empty.

    `pool` has the ids of papers that may be shown, by topic; it is asked for no more topics than needed, so
    it may load them late. `rows` are the club's dated picks in any order.
    1. The area with a paper in the pool whose last row is oldest, never shown first; ties by SHA-256(salt ␟
    area).
    2. In it the subareas whose last row is oldest, never shown first; all that tie go on.
    3. Of their papers the smallest SHA-256(salt ␟ public id).
    """
    last_area: dict[str | None, str] = {}
    last_topic: dict[Topic, str] = {}
    for row in rows:
        last_area[row.area] = max(row.day, last_area.get(row.area, ""))
        topic = (row.area, row.subarea)
        last_topic[topic] = max(row.day, last_topic.get(topic, ""))
    areas: dict[str | None, list[Topic]] = defaultdict(list)
    for topic in pool:
        areas[topic[0]].append(topic)
    turn = sorted(areas, key=lambda area: (last_area.get(area, ""), shuffle_key(salt, area or "")))
    place = _places(salt)
    for area in turn:
        rested: dict[str, list[Topic]] = defaultdict(list)
        for topic in areas[area]:
            rested[last_topic.get(topic, "")].append(topic)
        for day in sorted(rested):
            firsts = [(min(papers, key=place), topic) for topic in rested[day] if (papers := pool[topic])]
            if firsts:
                paper, topic = min(firsts, key=lambda first: place(first[0]))
                return Choice(paper, *topic, Reason("turn", area, _days_since(last_area.get(area), today)))
    return None


def _days_since(last: str | None, today: date) -> int | None:
    """Whole days; a row of a later day (the clock was set back) counts as today."""
    return None if not last else max((today - date.fromisoformat(last)).days, 0)
