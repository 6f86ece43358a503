"""Which paper a day, and the pool it is chosen from, as rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from bot.daily.model import Choice, Pick, Reason, Topic, Turn
from bot.papers.topics import NONE
from bot.storage.database import Row, Tx, from_us, to_us

_LIVE = "merged_into IS NULL AND removed_at IS NULL"
_POSTS = (
    "SELECT 1 FROM delivery d WHERE d.club_id = pick.club_id AND d.kind IN ('daily', 'extra')"
    " AND d.subject = pick.subject"
)
_USED = f"(EXISTS ({_POSTS} AND (d.state <> 'missed' OR d.reason = 'unsure')) OR NOT EXISTS ({_POSTS}))"
"""A pick that was given up in every channel has used up neither its paper nor its topic's turn."""


def find_pick(tx: Tx, club_id: int, subject: str) -> Pick | None:
    """The paper chosen for this post, if it was chosen."""
    rows = tx.rows(
        "SELECT * FROM pick WHERE club_id = :club AND subject = :subject", club=club_id, subject=subject
    )
    return _pick(rows[0]) if rows else None


def put_pick(tx: Tx, club_id: int, subject: str, choice: Choice, now: datetime) -> Pick:
    """Store a choice in place of the one before."""
    rows = tx.rows(
        "INSERT INTO pick (club_id, subject, paper_id, area, subarea, reason, picked_at)"
        " VALUES (:club, :subject, :paper, :area, :subarea, :reason, :at)"
        " ON CONFLICT (club_id, subject) DO UPDATE SET paper_id = excluded.paper_id,"
        " area = excluded.area, subarea = excluded.subarea, reason = excluded.reason,"
        " picked_at = excluded.picked_at RETURNING *",
        club=club_id,
        subject=subject,
        paper=choice.paper_id,
        area=choice.area,
        subarea=choice.subarea,
        reason=json.dumps(asdict(choice.reason), ensure_ascii=False),
        at=to_us(now),
    )
    return _pick(rows[0])


def drop_pick(tx: Tx, club_id: int, subject: str) -> None:
    """Forget a choice that was never shown."""
    tx.run("DELETE FROM pick WHERE club_id = :club AND subject = :subject", club=club_id, subject=subject)


def latest_pick(tx: Tx, club_id: int) -> Pick | None:
    """The pick of the latest day whose post stands in a channel; extra posts do not count."""
    rows = tx.rows(
        "SELECT p.* FROM pick p WHERE p.club_id = :club AND EXISTS (SELECT 1 FROM delivery d"
        "  WHERE d.club_id = p.club_id AND d.kind = 'daily' AND d.subject = p.subject AND d.state = 'sent')"
        " ORDER BY p.subject DESC LIMIT 1",
        club=club_id,
    )
    return _pick(rows[0]) if rows else None


def last_extra(tx: Tx, club_id: int) -> int:
    """The number of the club's latest extra post, also one taken back; 0 before the first."""
    rows = tx.rows(
        "SELECT subject FROM pick WHERE club_id = :club AND subject LIKE 'extra:%'"
        " UNION SELECT subject FROM delivery WHERE club_id = :club AND kind = 'extra'",
        club=club_id,
    )
    return max((int(row[0].partition(":")[2]) for row in rows), default=0)


def last_posted(tx: Tx, club_id: int) -> Pick | None:
    """The pick of the latest post, daily or extra, that stands in a channel or is on its way there."""
    rows = tx.rows(
        "SELECT p.* FROM pick p JOIN delivery d ON d.club_id = p.club_id AND d.subject = p.subject"
        " AND d.kind IN ('daily', 'extra') AND d.state <> 'missed'"
        " WHERE p.club_id = :club ORDER BY COALESCE(d.sent_at, d.due_at) DESC, d.id DESC LIMIT 1",
        club=club_id,
    )
    return _pick(rows[0]) if rows else None


def taken_back(tx: Tx, club_id: int, since: datetime | None = None) -> dict[str, int]:
    """Posts an organiser took back, by subject, with the paper that is free again; the last one of a subject."""
    rows = tx.rows(
        "SELECT payload FROM delivery WHERE club_id = :club AND kind = 'undo' AND due_at >= :since ORDER BY id",
        club=club_id,
        since=0 if since is None else to_us(since),
    )
    about = [json.loads(row[0]) for row in rows]
    return {each["subject"]: each["paper"] for each in about}


def list_turns(tx: Tx, club_id: int, but: str = "") -> list[Turn]:
    """The last dated pick of each topic that any channel had; `but`, which is being chosen again, is left out."""
    rows = tx.rows(
        "SELECT area, subarea, MAX(subject) AS day FROM pick"
        " WHERE club_id = :club AND subject NOT LIKE 'extra:%' AND subject <> :but"
        f" AND {_USED} GROUP BY area, subarea",
        club=club_id,
        but=but,
    )
    return [Turn(row["area"], row["subarea"], row["day"]) for row in rows]


def shown_papers(tx: Tx, club_id: int, since: datetime | None = None) -> set[int]:
    """Ids no longer in the club's pool: posted (`since` then, or ever) or discussed, merges followed."""
    rows = tx.rows(
        "WITH RECURSIVE gone (id) AS ("
        f" SELECT paper_id FROM pick WHERE club_id = :club AND picked_at >= :since AND {_USED}"
        " UNION SELECT paper_id FROM nomination WHERE club_id = :club AND state = 'read'"
        " UNION SELECT winner_paper FROM round WHERE club_id = :club AND state = 'discussed'"
        "  AND winner_paper IS NOT NULL"
        " UNION SELECT p.merged_into FROM gone JOIN paper p ON p.id = gone.id"
        "  WHERE p.merged_into IS NOT NULL)"
        " SELECT id FROM gone",
        club=club_id,
        since=0 if since is None else to_us(since),
    )
    return {int(row[0]) for row in rows}


class Shelves:
    """The topics and papers of the shared shelf, read once for all clubs planned in one transaction."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._topics: list[Topic] | None = None
        self._papers: dict[Topic, list[int]] = {}
        self._own: dict[int, set[Topic]] = {}

    def topics(self, club_id: int) -> set[Topic]:
        """Every topic with papers that a club can see."""
        if self._topics is None:
            self._topics = self._read_topics("club_id IS NULL")
        if club_id not in self._own:
            self._own[club_id] = set(self._read_topics("club_id = :club", club=club_id))
        return self._own[club_id].union(self._topics)

    def papers(self, club_id: int, topic: Topic) -> list[int]:
        """Papers of this very topic, one of `topics`, that a club can see."""
        if topic not in self._papers:
            self._papers[topic] = self._read_papers("club_id IS NULL", topic)
        if topic not in self._own[club_id]:
            return self._papers[topic]
        return self._papers[topic] + self._read_papers("club_id = :club", topic, club=club_id)

    def _read_topics(self, shelf: str, **params: Any) -> list[Topic]:
        topics: list[Topic] = []
        for area in self._values("area", shelf, params):
            where, named = f"{shelf} AND {_equals('area', area)}", _named(area=area)
            topics += [(area, subarea) for subarea in self._values("subarea", where, params | named)]
        return topics

    def _values(self, column: str, where: str, params: dict[str, Any]) -> list[str | None]:
        """The distinct values of a column, leaping along the index: DISTINCT would visit every paper."""
        source = f"FROM paper WHERE {where} AND {_LIVE} AND {column}"
        found: list[str | None] = []
        if self._tx.rows(f"SELECT 1 {source} IS NULL LIMIT 1", **params):
            found.append(None)
        last = ""
        while True:
            last = self._tx.rows(f"SELECT MIN({column}) {source} > :last", **params, last=last)[0][0]
            if last is None:
                return found
            found.append(last)

    def _read_papers(self, shelf: str, topic: Topic, **params: Any) -> list[int]:
        area, subarea = topic
        where = f"{shelf} AND {_equals('area', area)} AND {_equals('subarea', subarea)} AND {_LIVE}"
        named = _named(area=area, subarea=subarea)
        rows = self._tx.rows(f"SELECT id FROM paper WHERE {where}", **params, **named)
        return [int(row[0]) for row in rows]


def _equals(column: str, value: str | None) -> str:
    return f"{column} IS NULL" if value is None else f"{column} = :{column}"


def _named(**values: str | None) -> dict[str, Any]:
    """Parameters for the values that are there."""
    return {name: value for name, value in values.items() if value is not None}


class Pool(Mapping[Topic, Collection[int]]):
    """The papers one club may be shown, by topic, each topic read when it is asked for."""

    def __init__(
        self, shelves: Shelves, club_id: int, wanted: Collection[str], gone: Collection[int]
    ) -> None:
        self._shelves = shelves
        self._club_id = club_id
        self._gone = gone
        self._topics = {topic for topic in shelves.topics(club_id) if _wanted(topic, wanted)}

    def __getitem__(self, topic: Topic) -> list[int]:
        return [paper for paper in self._shelves.papers(self._club_id, topic) if paper not in self._gone]

    def __iter__(self) -> Iterator[Topic]:
        return iter(self._topics)

    def __len__(self) -> int:
        return len(self._topics)

    def left(self, enough: int) -> int:
        """How many papers there are; counting ends at `enough`."""
        found = 0
        for topic in self:
            found += len(self[topic])
            if found >= enough:
                return enough
        return found


def _wanted(topic: Topic, wanted: Collection[str]) -> bool:
    """Whether a club's topics (`Area`, `Area · Subarea` or 'none'; empty means all) let this one in."""
    area, subarea = topic
    return not wanted or (area or NONE) in wanted or f"{area} · {subarea}" in wanted


def removed_waiting(tx: Tx) -> list[tuple[int, str]]:
    """Club and subject of picks whose paper was removed while no channel has it yet."""
    rows = tx.rows(
        "SELECT DISTINCT k.club_id, k.subject FROM delivery d"
        " JOIN pick k ON k.club_id = d.club_id AND k.subject = d.subject"
        " JOIN paper p ON p.id = k.paper_id AND p.removed_at IS NOT NULL"
        " WHERE d.state = 'due' AND d.kind IN ('daily', 'extra')"
    )
    return [(row[0], row[1]) for row in rows]


def is_removed(tx: Tx, paper_id: int) -> bool:
    """Whether a paper was taken off its shelf."""
    return bool(tx.rows("SELECT 1 FROM paper WHERE id = :id AND removed_at IS NOT NULL", id=paper_id))


def tell_left(tx: Tx, club_id: int, what: Literal["", "used_up", "few_left"]) -> bool:
    """Note what the club was told last about the papers left ('' when enough are); True when that is news."""
    return bool(
        tx.run(
            "UPDATE club SET used_up_told = :told WHERE id = :club AND used_up_told <> :told",
            club=club_id,
            told=("", "used_up", "few_left").index(what),
        )
    )


def back_from(tx: Tx, club_id: int, papers: Collection[int]) -> datetime | None:
    """The earliest last pick of any of `papers`, merges followed; None when none was picked."""
    rows = tx.rows(
        "WITH RECURSIVE picked (id, at) AS ("
        f" SELECT paper_id, picked_at FROM pick WHERE club_id = :club AND {_USED}"
        " UNION SELECT p.merged_into, k.at FROM picked k JOIN paper p ON p.id = k.id"
        "  WHERE p.merged_into IS NOT NULL)"
        " SELECT id, MAX(at) FROM picked GROUP BY id",
        club=club_id,
    )
    return min((from_us(row[1]) for row in rows if row[0] in papers), default=None)


def _pick(row: Row) -> Pick:
    return Pick(
        club_id=row["club_id"],
        subject=row["subject"],
        paper_id=row["paper_id"],
        area=row["area"],
        subarea=row["subarea"],
        reason=Reason(**json.loads(row["reason"])),
        picked_at=from_us(row["picked_at"]),
    )
