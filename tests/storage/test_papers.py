"""Listings become the catalogue: each paper once, under a number that never changes."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.errors import NotFound, StoreError
from bot.papers.model import Headline, ImportReport, Listing, Paper, Problem
from bot.papers.service import PaperService
from bot.search.service import SearchService
from bot.storage import papers as stored_papers
from bot.storage.database import Database
from bot.storage.sqlite import open_sqlite

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


def paper(
    words: str, *authors: str, topic: tuple[str | None, str | None] = (None, None), **more: object
) -> Paper:
    abstract = f"We present {words}, a way to do things that nobody has described in these words before."
    made = Paper(authors or ("Member 1",), False, *topic, abstract, sources=("listing",))
    return replace(made, **more)  # type: ignore[arg-type]


async def add(database: Database, *papers: Paper, club: int | None = None) -> ImportReport:
    return await PaperService(database).add(Listing(papers, ()), club, NOW, "listing")


def numbers(report: ImportReport) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.merged, report.unchanged


async def found_club(database: Database, club: int) -> None:
    await database.write(
        lambda tx: tx.run(
            "INSERT INTO club (id, name, language, zone, salt, settings, created_at)"
            " VALUES (:id, 'Club', 'en', 'UTC', '', '{}', 0)",
            id=club,
        )
    )


async def test_everything_a_paper_has_is_kept(database: Database) -> None:
    full = paper(
        r"\textbf{Kept} $O(d)$ 等",
        "Aniri -",
        "Felix X.-F. Ye",
        authors_truncated=True,
        topic=("Deep Learning", "Theory"),
        title="A title",
        url="https://papers.example/1",
        year=2026,
        venue="ICML",
        arxiv_id="2401.00001",
        doi="10.1234/x",
    )
    (added,) = (await add(database, full)).papers
    assert added == replace(full, id=1)
    assert await PaperService(database).get(None, 1) == added


async def test_a_paper_without_title_gets_a_headline(database: Database) -> None:
    (added,) = (await add(database, paper("FlashThing"))).papers
    assert added.headline is not None
    assert added.headline.text
    assert (await PaperService(database).get(None, 1)).headline == added.headline
    empty = Paper((), False, None, None, "", title="0")
    (kept,) = (await add(database, empty)).papers
    assert (kept.title, kept.headline) == ("0", None)


async def test_importing_twice_changes_nothing(database: Database) -> None:
    papers = [paper(f"thing {n}", topic=("Theory", None)) for n in range(5)]
    first = await add(database, *papers)
    second = await add(database, *papers)
    assert (numbers(first), numbers(second)) == ((5, 0, 0, 0), (0, 0, 0, 5))
    assert first.papers == second.papers
    assert await PaperService(database).count(None) == 5


async def test_two_records_of_one_paper_are_one_and_the_topic_counts(database: Database) -> None:
    """As a page may hold a paper twice, once with a topic."""
    bare = paper("one thing")
    report = await add(database, bare, paper("another"), replace(bare, area="Theory", subarea="Games"))
    assert numbers(report) == (2, 0, 1, 0)
    assert [p.id for p in report.papers] == [1, 2, 1]
    assert (report.papers[0].area, report.papers[0].subarea) == ("Theory", "Games")
    assert report.papers[0] == report.papers[2]
    assert numbers(await add(database, bare, paper("another"))) == (0, 0, 0, 2)


async def test_a_later_record_adds_what_was_missing(database: Database) -> None:
    bare = paper("one thing")
    await add(database, bare)
    report = await add(database, replace(bare, area="Theory", title="Now with a title"))
    assert numbers(report) == (0, 1, 0, 0)
    (changed,) = report.papers
    assert (changed.id, changed.area, changed.title, changed.headline) == (
        1,
        "Theory",
        "Now with a title",
        None,
    )
    assert await PaperService(database).get(None, 1) == changed
    search = SearchService(database)
    assert (await search.search(None, "title:title topic:theory")).total == 1


async def test_one_arxiv_paper_in_all_its_spellings_is_one(database: Database) -> None:
    ids = ["2401.00001v1", "2401.00001v2", None, None, "arXiv:2401.00001 [cs.LG]"]
    urls = [None, None, "https://arxiv.org/abs/2401.00001", "http://arxiv.org/pdf/2401.00001v3.pdf", None]
    for n, (arxiv_id, url) in enumerate(zip(ids, urls, strict=True)):
        entry = paper(f"version {n}", arxiv_id=arxiv_id, url=url, title=f"Title {n}")
        assert [p.id for p in (await add(database, entry)).papers] == [1]
    service = PaperService(database)
    assert await service.count(None) == 1
    assert (await service.get(None, 1)).arxiv_id == "2401.00001"


async def test_a_record_that_joins_two_papers_leaves_the_older_number(database: Database) -> None:
    one, other = paper("half a thing", arxiv_id="2401.00001"), paper("the other half", doi="10.1234/x")
    await add(database, one, other, paper("a third"))
    report = await add(database, replace(one, doi="10.1234/x"))
    assert numbers(report) == (0, 0, 1, 0)
    service = PaperService(database)
    assert await service.count(None) == 2
    assert (await service.get(None, 2)) == (await service.get(None, 1)) == report.papers[0]
    loaded = await database.read(lambda tx: stored_papers.load(tx, None, [2, 3, 99]))
    assert {asked: found.id for asked, found in loaded.items()} == {2: 1, 3: 3}
    assert numbers(await add(database, other)) == (0, 0, 0, 1)
    assert [p.id for p in (await add(database, paper("a fourth"))).papers] == [4]


async def test_what_could_not_be_read_is_reported(database: Database) -> None:
    problem = Problem(3, "Someone", "no_abstract")
    report = await PaperService(database).add(Listing((paper("x"),), (problem,)), None, NOW, "listing")
    assert (report.added, report.refused) == (1, (problem,))


async def test_a_failed_import_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await open_sqlite(tmp_path / "x.db", readers=1)
    await add(store, paper("first"))
    await store.write(
        lambda tx: tx.run(
            "CREATE TRIGGER disk_full BEFORE INSERT ON paper_text WHEN new.paper_id = 400"
            " BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )
    )
    with pytest.raises(StoreError):
        await add(store, *(paper(f"thing {n}") for n in range(600)))
    await store.write(lambda tx: tx.run("DROP TRIGGER disk_full"))
    service = PaperService(store)
    assert (await service.count(None), await service.last_id(None)) == (1, 1)
    assert (await SearchService(store).search(None, "thing")).total == 0
    await store.write(
        lambda tx: tx.run("INSERT INTO paper_index (paper_index, rank) VALUES ('integrity-check', 1)")
    )
    assert numbers(await add(store, *(paper(f"thing {n}") for n in range(600)))) == (600, 0, 0, 0)
    await store.close()


async def test_a_long_import_tells_how_far_it_is_and_lets_others_run(database: Database) -> None:
    told: list[tuple[int, int]] = []
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.001)

    other = asyncio.create_task(others())
    listing = Listing(tuple(paper(f"thing {n}") for n in range(1000)), ())
    await PaperService(database).add(
        listing, None, NOW, "listing", progress=lambda done, total: told.append((done, total))
    )
    other.cancel()
    assert told[0][0] < 1000
    assert told == sorted(told)
    assert told[-1] == (1000, 1000)
    assert turns > 10


async def test_an_unknown_number_names_the_last_one(database: Database) -> None:
    service = PaperService(database)
    with pytest.raises(NotFound) as caught:
        await service.get(None, 1)
    assert (caught.value.key, caught.value.values) == (
        "error.no_paper",
        {"id": 1, "first": 0, "last": 0, "near": None},
    )
    await add(database, paper("x"), paper("y"))
    for number in (3, 0, -1, 10**15):
        with pytest.raises(NotFound) as caught:
            await service.get(None, number)
        assert caught.value.values == {"id": number, "first": 1, "last": 2, "near": None}
    with pytest.raises(NotFound) as caught:
        await service.get(None, 29)
    assert caught.value.values["near"] == 2


async def test_an_unknown_number_names_only_what_a_club_can_see(database: Database) -> None:
    service = PaperService(database)
    for club in (1, 2):
        await found_club(database, club)
        await add(database, *(paper(f"thing {n} of {club}") for n in range(3)), club=club)
    for asked, near in ((25, None), (59, 5)):
        with pytest.raises(NotFound) as caught:
            await service.get(2, asked)
        assert caught.value.values == {"id": asked, "first": 4, "last": 6, "near": near}


async def test_a_removed_paper_is_gone_but_history_can_name_it(database: Database) -> None:
    service = PaperService(database)
    await add(database, paper("x"), paper("y"))
    await found_club(database, 1)
    with pytest.raises(NotFound):
        await service.remove(1, 1, NOW)
    await service.remove(None, 1, NOW)
    assert (await service.find(None, 1), await service.count(None)) == (None, 1)
    assert 1 in await database.read(lambda tx: stored_papers.load(tx, 1, [1]))
    assert await database.read(lambda tx: stored_papers.pool(tx, 1)) == [(2, None, None)]
    report = await add(database, paper("x"), paper("z"))
    assert [p.id for p in report.papers] == [1, 3]
    assert (await service.get(None, 1)).id == 1


async def test_topics_are_counted_by_area_and_subarea(database: Database) -> None:
    topics = [
        ("Theory", None),
        ("Theory", "Games"),
        ("Vision", "Video & 3D"),
        (None, None),
        ("Theory", "Games"),
    ]
    await add(database, *(paper(f"thing {n}", topic=topic) for n, topic in enumerate(topics)))
    service = PaperService(database)
    counted = [(t.area, t.subarea, t.papers) for t in await service.topics(None)]
    assert counted == [
        ("Theory", None, 3),
        ("Theory", "Games", 2),
        ("Vision", None, 1),
        ("Vision", "Video & 3D", 1),
        (None, None, 1),
    ]
    for area, subarea, count in counted:
        found = await service.by_topic(None, area, subarea)
        assert found.total == count
        again = await SearchService(database).search(None, found.query)
        assert [hit.paper for hit in again.hits] == [hit.paper for hit in found.hits]


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("theory", ("Theory", None)),
        ("  GAMES ", ("Theory", "Games")),
        ("theory · games", ("Theory", "Games")),
        ("vis", ("Vision", None)),
        ("video 3d", ("Vision", "Video & 3D")),
        ("none", (None, None)),
    ],
)
async def test_a_topic_is_known_by_what_people_call_it(database: Database, text: str, topic: object) -> None:
    topics = [
        ("Theory", None),
        ("Theory", "Games"),
        ("Vision", "Video & 3D"),
        (None, None),
        ("Logic", "Games of Go"),
    ]
    await add(database, *(paper(f"thing {n}", topic=topic) for n, topic in enumerate(topics)))
    assert await PaperService(database).find_topic(None, text) == topic


async def test_an_unknown_topic_names_near_ones(database: Database) -> None:
    await add(database, paper("x", topic=("Theory", "Games")), paper("y", topic=("Vision", None)))
    service = PaperService(database)
    for text, nearest in (
        ("teory", "Theory"),
        ("gmaes", "Theory · Games"),
        ("???", "Theory"),
        ("cooking", "Theory"),
    ):
        with pytest.raises(NotFound) as caught:
            await service.find_topic(None, text)
        assert caught.value.key == "error.no_topic"
        assert caught.value.values["topics"][0] == nearest, text
        with pytest.raises(NotFound):
            await service.random(None, text, random.Random(1))
    assert (await service.random(None, "vision", random.Random(1))).area == "Vision"


async def test_an_empty_catalogue_has_no_random_paper(database: Database) -> None:
    with pytest.raises(NotFound) as caught:
        await PaperService(database).random(None, None, random.Random(1))
    assert caught.value.key == "error.no_papers"


async def test_a_link_leads_to_its_paper(database: Database) -> None:
    service = PaperService(database)
    await add(
        database,
        paper("one", arxiv_id="2401.00001"),
        paper("two", doi="10.1145/3292500.3330701"),
        paper("three", url="https://papers.example/three"),
    )
    for link, number in (
        ("https://arxiv.org/pdf/2401.00001v2.pdf", 1),
        ("2401.00001", 1),
        ("https://doi.org/10.1145/3292500.3330701", 2),
        ("http://www.papers.example/three/#page=2", 3),
    ):
        found = await service.by_link(None, link)
        assert found is not None and found.id == number, link
    for link in ("https://papers.example/four", "", "\ud800", "2401.00002"):
        assert await service.by_link(None, link) is None, link


async def test_a_brought_paper_stands_on_the_clubs_own_shelf_once(database: Database) -> None:
    service = PaperService(database)
    await found_club(database, 1)
    await found_club(database, 2)
    (shared,) = (await add(database, paper("shared", arxiv_id="2401.00001"))).papers
    brought = Paper((), False, None, None, "", title="Brought", url="https://papers.example/b")
    own = await service.put_own(1, brought, NOW)
    assert (own.club, own.title) == (1, "Brought")
    assert await service.put_own(1, brought, NOW) == own
    other = await service.put_own(2, brought, NOW)
    assert other.club == 2 and other.id != own.id
    assert await service.by_link(1, "https://papers.example/b") == own
    assert await service.by_link(None, "https://papers.example/b") is None
    known = Paper((), False, None, None, "", title="Seen before", url="https://arxiv.org/abs/2401.00001")
    assert await service.put_own(1, known, NOW) == shared


async def test_saved_papers_are_each_members_own(database: Database) -> None:
    service = PaperService(database)
    await add(database, *(paper(f"thing {n}") for n in range(3)))
    await found_club(database, 1)
    for member in (1, 2):
        await database.write(
            lambda tx, member=member: tx.run(
                "INSERT INTO member (id, club_id, name, joined_at) VALUES (:id, 1, 'Member', 0)", id=member
            )
        )
    later = NOW.replace(hour=10)
    assert await service.toggle_saved(1, 1, 2, NOW)
    assert await service.toggle_saved(1, 1, 3, later)
    assert await service.toggle_saved(1, 1, 1, later)
    assert not await service.toggle_saved(1, 1, 1, later)
    assert [p.id for p in await service.saved(1, 1)] == [3, 2]
    assert await service.saved(1, 2) == []
    with pytest.raises(NotFound):
        await service.toggle_saved(1, 1, 99, NOW)
    await service.remove(None, 3, NOW)
    assert [p.id for p in await service.saved(1, 1)] == [2]


async def test_a_headline_is_kept_with_the_name_in_it(database: Database) -> None:
    headline = Headline("Thing", "Thing: a way to do things")
    await add(database, paper("x", headline=headline))
    assert (await PaperService(database).get(None, 1)).headline == headline
