"""What entries make of a shelf: which are new, which are known papers, and what those then know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.papers.headline import make_headline
from bot.papers.model import Paper
from bot.papers.same import arxiv_id_in, identity_keys, merge, same_paper
from bot.search.fold import FoldedPaper, fold_paper

Outcome = Literal["added", "changed", "merged", "unchanged"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper as a source described it, ready to be compared and stored."""

    paper: Paper
    keys: tuple[str, ...]
    folded: FoldedPaper


@dataclass(frozen=True, slots=True)
class Intake:
    """What is to be written. `outcomes` and `ids` are one an entry, in order.

    `folded` has the index columns of new papers; `merged` the survivor of each known paper that turned out to
    be another one; `keys` the identity keys not known before.
    """

    outcomes: tuple[Outcome, ...]
    ids: tuple[int, ...]
    new: dict[int, Paper]
    changed: dict[int, Paper]
    merged: dict[int, int]
    keys: dict[str, int]
    folded: dict[int, FoldedPaper]


def prepare(paper: Paper, club: int | None, source: str) -> Entry:
    """An entry of a paper as it was read: on that shelf, with a headline where it has no title."""
    arxiv_id = arxiv_id_in(paper.arxiv_id or paper.url or "") or paper.arxiv_id
    title = paper.title or None
    headline = None if title else paper.headline or make_headline(paper.abstract)
    sources = paper.sources if not source or source in paper.sources else (*paper.sources, source)
    ready = replace(
        paper, id=None, club=club, arxiv_id=arxiv_id, title=title, headline=headline, sources=sources
    )
    return Entry(ready, identity_keys(ready), fold_paper(ready))


def take_in(
    entries: Sequence[Entry],
    known_keys: Mapping[str, int],
    known: Mapping[int, Paper],
    next_id: int,
    removed: frozenset[int] = frozenset(),
) -> Intake:
    """Compare entries with a shelf and with one another.

    `known_keys` are the shelf's keys among those of the entries, `known` the papers they lead to; new papers
    are numbered from `next_id`. A paper in `removed` comes back under its old number.
    """
    shelf = _Shelf(dict(known_keys), dict(known), next_id)
    outcomes: list[Outcome] = []
    ids: list[int] = []
    for entry in entries:
        outcome, number = shelf.take(entry, removed)
        outcomes.append(outcome)
        ids.append(number)
    survivors = {old: shelf.survivor(old) for old in shelf.merged}
    new = {number: shelf.papers[number] for number in shelf.new if number not in survivors}
    return Intake(
        tuple(outcomes),
        tuple(shelf.survivor(number) for number in ids),
        new,
        {number: shelf.papers[number] for number in shelf.changed if number not in survivors},
        {old: kept for old, kept in survivors.items() if old not in shelf.new},
        {key: shelf.survivor(number) for key, number in shelf.new_keys.items()},
        {number: shelf.folded[number] for number in new if number in shelf.folded},
    )


class _Shelf:
    """A shelf while entries come in."""

    def __init__(self, keys: dict[str, int], papers: dict[int, Paper], next_id: int) -> None:
        self.keys, self.papers, self._next_id = keys, papers, next_id
        self.new: set[int] = set()
        self.changed: set[int] = set()
        self.merged: dict[int, int] = {}
        self.new_keys: dict[str, int] = {}
        self.folded: dict[int, FoldedPaper] = {}

    def survivor(self, number: int) -> int:
        while number in self.merged:
            number = self.merged[number]
        return number

    def take(self, entry: Entry, removed: frozenset[int]) -> tuple[Outcome, int]:
        found = dict.fromkeys(self.survivor(self.keys[key]) for key in entry.keys if key in self.keys)
        same = [number for number in found if same_paper(self.papers[number], entry.paper)]
        if not same:
            return "added", self._add(entry)
        number, joined = self._join(same, entry.paper)
        before = self.papers[number]
        after = merge(joined, entry.paper)
        if after.title is not None:
            after = replace(after, headline=None)
        self.papers[number] = after
        self._know(number, entry.keys)
        came_back = number in removed and number not in self.changed
        if after != before or came_back:
            self.folded.pop(number, None)
            self._know(number, identity_keys(after))
            if number not in self.new:
                self.changed.add(number)
        if joined is not before or number in self.new:
            return "merged", number
        if came_back:
            return "added", number
        return ("changed" if replace(after, sources=before.sources) != before else "unchanged"), number

    def _add(self, entry: Entry) -> int:
        number = self._next_id
        self._next_id += 1
        self.papers[number] = replace(entry.paper, id=number)
        self.new.add(number)
        self.folded[number] = entry.folded
        self._know(number, entry.keys)
        return number

    def _join(self, same: list[int], paper: Paper) -> tuple[int, Paper]:
        """The oldest of the papers that this record proves to be one, and what they know together."""
        surest = merge(self.papers[same[0]], paper)
        group = sorted([same[0]] + [number for number in same[1:] if same_paper(surest, self.papers[number])])
        kept, *others = group
        joined = self.papers[kept]
        for number in others:
            joined = merge(joined, self.papers[number])
            self.merged[number] = kept
            self.changed.discard(number)
        return kept, joined

    def _know(self, number: int, keys: Iterable[str]) -> None:
        for key in keys:
            if key not in self.keys:
                self.keys[key] = self.new_keys[key] = number
