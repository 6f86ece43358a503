"""The papers as they are stored: shelves, identity keys, the text the search index reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from bot.errors import NotFound
from bot.papers.intake import Entry, Intake, take_in
from bot.papers.model import Headline, Paper
from bot.search.fold import fold_paper
from bot.search.model import TopicCount
from bot.storage.database import Row, Tx, to_us
from bot.storage.index_sqlite import index_papers

T = TypeVar("T")

COLUMNS = (
    "p.id, p.club_id, p.title, p.name, p.headline, p.authors, p.authors_truncated, p.area, p.subarea,"
    " p.abstract, p.url, p.year, p.venue, p.arxiv_id, p.doi, p.sources"
)
"""What `paper_from` needs, in this order and before any other, of a table called p."""

STANDS = "p.merged_into IS NULL AND p.removed_at IS NULL"
SEEN = "(p.club_id IS NULL OR p.club_id = :club)"
"""What a club sees; with :club NULL the shared shelf alone."""

_AT_ONCE = 500


def paper_from(row: Row) -> Paper:
    """The paper in a row that begins with COLUMNS."""
    return Paper(
        id=row[0],
        club=row[1],
        title=row[2],
        headline=None if row[4] is None else Headline(row[3], row[4]),
        authors=tuple(json.loads(row[5])),
        authors_truncated=bool(row[6]),
        area=row[7],
        subarea=row[8],
        abstract=row[9],
        url=row[10],
        year=row[11],
        venue=row[12],
        arxiv_id=row[13],
        doi=row[14],
        sources=tuple(json.loads(row[15])),
    )


def _list(values: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    """The inside of IN (…) and its parameters."""
    return ", ".join(f":v{n}" for n in range(len(values))), {f"v{n}": value for n, value in enumerate(values)}


def _chunks(values: Iterable[T], size: int = _AT_ONCE) -> Iterator[list[T]]:
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk


# Getting


def load(tx: Tx, club: int | None, ids: Iterable[int], *, removed: bool = True) -> dict[int, Paper]:
    """The papers of these numbers, by the number asked for; a merged one gives its survivor.

    Numbers that are unknown or not for this club are left out. Papers that were removed are there, since
    history names them, unless `removed` is False. One query.
    """
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    inside, params = _list(wanted)
    rows = tx.rows(
        f"SELECT {COLUMNS}, q.id AS asked FROM paper q JOIN paper p ON p.id = COALESCE(q.merged_into, q.id)"
        f" WHERE q.id IN ({inside}) AND {SEEN}{'' if removed else ' AND p.removed_at IS NULL'}",
        club=club,
        **params,
    )
    return {row["asked"]: paper_from(row) for row in rows}


def find(tx: Tx, club: int | None, paper_id: int) -> Paper | None:
    """The paper of that number, or the one it was merged into; None when there is none or it was removed."""
    rows = tx.rows(
        f"SELECT {COLUMNS} FROM paper q JOIN paper p ON p.id = COALESCE(q.merged_into, q.id)"
        f" WHERE q.id = :id AND {SEEN} AND p.removed_at IS NULL",
        id=paper_id,
        club=club,
    )
    return paper_from(rows[0]) if rows else None


def get(tx: Tx, club: int | None, paper_id: int) -> Paper:
    """As `find`. Raises NotFound as `no_paper` has it."""
    paper = find(tx, club, paper_id)
    if paper is None:
        raise no_paper(tx, club, paper_id)
    return paper


def no_paper(tx: Tx, club: int | None, asked: int | str) -> NotFound:
    """NotFound('error.no_paper', id=as asked for, first= and last= the numbers this club can see, near=).

    `near`: the number without its last digit where that is a paper, else None; `last` is 0 in an empty catalogue.
    """
    near = asked // 10 if isinstance(asked, int) and asked > 0 and find(tx, club, asked // 10) else None
    return NotFound("error.no_paper", id=asked, first=first_id(tx, club), last=last_id(tx, club), near=near)


def get_anywhere(tx: Tx, paper_id: int) -> Paper:
    """As `get`, on whichever shelf it stands; nobody but the operator may see them all."""
    rows = tx.rows("SELECT club_id FROM paper WHERE id = :id", id=paper_id)
    paper = find(tx, rows[0][0], paper_id) if rows else None
    if paper is None:
        raise NotFound("error.no_paper", id=paper_id, last=last_anywhere(tx))
    return paper


def last_anywhere(tx: Tx) -> int:
    """The highest number on any shelf, 0 in an empty store."""
    return int(tx.rows(f"SELECT COALESCE(MAX(p.id), 0) FROM paper p WHERE {STANDS}")[0][0])


def first_id(tx: Tx, club: int | None) -> int:
    """The lowest number this club can see, 0 in an empty catalogue."""
    rows = tx.rows(f"SELECT p.id FROM paper p WHERE {SEEN} AND {STANDS} ORDER BY p.id LIMIT 1", club=club)
    return int(rows[0][0]) if rows else 0


def last_id(tx: Tx, club: int | None) -> int:
    """The highest number this club can see, 0 in an empty catalogue."""
    rows = tx.rows(
        f"SELECT p.id FROM paper p WHERE {SEEN} AND {STANDS} ORDER BY p.id DESC LIMIT 1", club=club
    )
    return int(rows[0][0]) if rows else 0


def _both_shelves(select: str, rest: str = "") -> str:
    """A query of the club's catalogue, one shelf at a time so that an index answers it."""
    return " UNION ALL ".join(
        f"SELECT {select} FROM paper p WHERE p.club_id {shelf} AND {STANDS} {rest}"
        for shelf in ("IS NULL", "= :club")
    )


def count(tx: Tx, club: int | None) -> int:
    """How many papers the club's catalogue holds."""
    return sum(int(row[0]) for row in tx.rows(_both_shelves("COUNT(*)"), club=club))


def pool(tx: Tx, club: int | None) -> list[tuple[int, str | None, str | None]]:
    """Number, area and subarea of every paper of the club's catalogue."""
    return [(row[0], row[1], row[2]) for row in tx.rows(_both_shelves("p.id, p.area, p.subarea"), club=club)]


def topics(tx: Tx, club: int | None) -> list[TopicCount]:
    """Every pair of area and subarea that has papers, with their number, in no order."""
    numbers: dict[tuple[str | None, str | None], int] = {}
    for row in tx.rows(_both_shelves("p.area, p.subarea, COUNT(*)", "GROUP BY p.area, p.subarea"), club=club):
        numbers[row[0], row[1]] = numbers.get((row[0], row[1]), 0) + int(row[2])
    return [TopicCount(area, subarea, papers) for (area, subarea), papers in numbers.items()]


def by_key(tx: Tx, club: int | None, keys: Iterable[str]) -> Paper | None:
    """The paper with one of these identity keys, surest first, on the shared shelf or the club's own."""
    for key in keys:
        for shelf in dict.fromkeys((0, club or 0)):
            rows = tx.rows(
                "SELECT paper_id FROM paper_key WHERE shelf = :shelf AND key = :key", shelf=shelf, key=key
            )
            if rows and (paper := find(tx, club, rows[0][0])):
                return paper
    return None


def by_url(tx: Tx, club: int | None, urls: Sequence[str]) -> Paper | None:
    """The first paper whose address is one of these."""
    inside, params = _list(urls)
    rows = tx.rows(
        f"SELECT {COLUMNS} FROM paper p WHERE p.url IN ({inside}) AND {SEEN} AND {STANDS}"
        " ORDER BY p.id LIMIT 1",
        club=club,
        **params,
    )
    return paper_from(rows[0]) if rows else None


# Putting


def put(tx: Tx, club: int | None, entries: Sequence[Entry], now: datetime) -> tuple[Intake, list[Paper]]:
    """Bring entries onto a shelf; what came of them, and each as it now stands, in order."""
    shelf = club or 0
    keys = _known_keys(tx, shelf, entries)
    known = _on_shelf(tx, keys.values())
    removed = frozenset(number for number, found in known.items() if found.removed)
    next_id = int(tx.rows("SELECT COALESCE(MAX(id), 0) + 1 FROM paper")[0][0])
    intake = take_in(entries, keys, {n: found.paper for n, found in known.items()}, next_id, removed)
    _write(tx, shelf, intake, now)
    papers = {number: found.paper for number, found in known.items()} | intake.changed | intake.new
    return intake, [papers[number] for number in intake.ids]


@dataclass(frozen=True, slots=True)
class _Known:
    paper: Paper
    removed: bool


def _known_keys(tx: Tx, shelf: int, entries: Sequence[Entry]) -> dict[str, int]:
    """Which of the entries' keys the shelf has, each with the number of its paper, mergers followed."""
    if not tx.rows("SELECT 1 FROM paper_key WHERE shelf = :shelf LIMIT 1", shelf=shelf):
        return {}
    known: dict[str, int] = {}
    for chunk in _chunks(dict.fromkeys(key for entry in entries for key in entry.keys)):
        inside, params = _list(chunk)
        rows = tx.rows(
            "SELECT k.key, COALESCE(p.merged_into, p.id) FROM paper_key k JOIN paper p ON p.id = k.paper_id"
            f" WHERE k.shelf = :shelf AND k.key IN ({inside})",
            shelf=shelf,
            **params,
        )
        known.update((row[0], row[1]) for row in rows)
    return known


def _on_shelf(tx: Tx, ids: Iterable[int]) -> dict[int, _Known]:
    found: dict[int, _Known] = {}
    for chunk in _chunks(dict.fromkeys(ids)):
        inside, params = _list(chunk)
        for row in tx.rows(f"SELECT {COLUMNS}, p.removed_at FROM paper p WHERE p.id IN ({inside})", **params):
            found[row["id"]] = _Known(paper_from(row), row["removed_at"] is not None)
    return found


_FIELDS = (
    "club_id",
    "title",
    "name",
    "headline",
    "authors",
    "authors_truncated",
    "area",
    "subarea",
    "abstract",
    "url",
    "year",
    "venue",
    "arxiv_id",
    "doi",
    "sources",
)
_INSERT = (
    f"INSERT INTO paper (id, added_at, {', '.join(_FIELDS)})"
    f" VALUES (:id, :now, {', '.join(f':{field}' for field in _FIELDS)})"
)
_SET = ", ".join(f"{field} = :{field}" for field in _FIELDS)
_UPDATE = f"UPDATE paper SET removed_at = NULL, {_SET} WHERE id = :id"


def _stored(number: int, paper: Paper, now: int) -> dict[str, Any]:
    return {
        "id": number,
        "now": now,
        "club_id": paper.club,
        "title": paper.title,
        "name": paper.headline.name if paper.headline else None,
        "headline": paper.headline.text if paper.headline else None,
        "authors": json.dumps(paper.authors, ensure_ascii=False),
        "authors_truncated": int(paper.authors_truncated),
        "area": paper.area,
        "subarea": paper.subarea,
        "abstract": paper.abstract,
        "url": paper.url,
        "year": paper.year,
        "venue": paper.venue,
        "arxiv_id": paper.arxiv_id,
        "doi": paper.doi,
        "sources": json.dumps(paper.sources, ensure_ascii=False),
    }


def _write(tx: Tx, shelf: int, intake: Intake, now: datetime) -> None:
    at = to_us(now)
    for old, kept in intake.merged.items():
        tx.run(
            "UPDATE paper SET merged_into = :kept WHERE id = :old OR merged_into = :old", old=old, kept=kept
        )
        tx.run("UPDATE paper_key SET paper_id = :kept WHERE paper_id = :old", old=old, kept=kept)
        tx.run("DELETE FROM paper_text WHERE paper_id = :old", old=old)
    tx.run_many(_INSERT, (_stored(number, paper, at) for number, paper in intake.new.items()))
    tx.run_many(_UPDATE, (_stored(number, paper, at) for number, paper in intake.changed.items()))
    for number in intake.changed:
        tx.run("DELETE FROM paper_text WHERE paper_id = :id", id=number)
    for chunk in _chunks((intake.new | intake.changed).items()):
        index_papers(
            tx, [(number, intake.folded.get(number) or fold_paper(paper)) for number, paper in chunk]
        )
    tx.run_many(
        "INSERT INTO paper_key (shelf, key, paper_id) VALUES (:shelf, :key, :paper)"
        " ON CONFLICT (shelf, key) DO NOTHING",
        ({"shelf": shelf, "key": key, "paper": number} for key, number in sorted(intake.keys.items())),
    )


def remove(tx: Tx, paper_id: int, now: datetime) -> None:
    """Take a paper off its shelf; the row and its number stay."""
    tx.run("UPDATE paper SET removed_at = :now WHERE id = :id", id=paper_id, now=to_us(now))
    tx.run("DELETE FROM paper_text WHERE paper_id = :id", id=paper_id)
