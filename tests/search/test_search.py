"""What people look for is found, marked, and never found by those it is not for."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import BadInput, NotFound
from bot.papers.model import Listing, Paper
from bot.papers.plain import plain_text
from bot.papers.service import PaperService
from bot.search.query import parse_query
from bot.search.service import SearchService
from bot.storage import search_sqlite
from bot.storage.database import Database

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


def paper(title: str, *authors: str, abstract: str = "", topic: str | None = None, **more: object) -> Paper:
    area, _, subarea = (topic or "").partition(" · ")
    text = abstract or f"About {title}, in so many words that no other paper has this abstract."
    made = Paper(authors or ("Member 1",), False, area or None, subarea or None, text, title=title)
    return replace(made, **more)  # type: ignore[arg-type]


async def shelve(database: Database, *papers: Paper, club: int | None = None) -> list[Paper]:
    if club is not None:
        await found_club(database, club)
    report = await PaperService(database).add(Listing(papers, ()), club, NOW, "test")
    return list(report.papers)


async def found_club(database: Database, club: int) -> None:
    await database.write(
        lambda tx: tx.run(
            "INSERT INTO club (id, name, language, zone, salt, settings, created_at)"
            " VALUES (:id, 'Club', 'en', 'UTC', '', '{}', 0) ON CONFLICT (id) DO NOTHING",
            id=club,
        )
    )


async def titles(database: Database, query: str, club: int | None = None) -> list[str]:
    found = await SearchService(database).search(club, query, per_page=50)
    assert found.total == len(found.hits)
    return [hit.paper.title or "" for hit in found.hits]


SIGNS = {
    "C++": "C++ templates",
    "C#": "C# in practice",
    ".NET": "The .NET runtime",
    "AT&T": "AT&T data",
    "a/b": "An a/b test",
    "50%": "50% fewer labels",
    "@nasa": "@nasa corpus",
    "why?": "Why? A study",
    "a,b": "a,b-trees",
    "don't": "Don't stop pretraining",
}


async def test_words_with_signs_find_their_papers(database: Database) -> None:
    await shelve(
        database, *(paper(title, abstract=f"{n} things are told.") for n, title in enumerate(SIGNS.values()))
    )
    for query, title in SIGNS.items():
        found = await titles(database, query)
        assert title in found, query
        if query in ("C++", "C#"):
            assert found == [title]


async def test_hyphens_and_colons_are_no_operators(database: Database) -> None:
    await shelve(
        database,
        paper("State-of-the-art pre-training"),
        paper("BERT: pre-training of transformers", arxiv_id="2401.00001"),
    )
    assert await titles(database, "state-of-the-art") == ["State-of-the-art pre-training"]
    assert len(await titles(database, "pre-training")) == 2
    assert await titles(database, "-BERT") == ["BERT: pre-training of transformers"]
    assert await titles(database, "x-y-z") == []
    assert await titles(database, "BERT: pre-training") == ["BERT: pre-training of transformers"]
    assert await titles(database, "grammar::fa") == []
    assert await titles(database, "https://arxiv.org/abs/2401.00001") == [
        "BERT: pre-training of transformers"
    ]
    assert await titles(database, "tokens:shelf_own") == []


async def test_pretraining_and_pre_training_find_each_other(database: Database) -> None:
    await shelve(database, paper("Pre-training at scale"), paper("Pretraining on a budget"))
    for query in ("pretraining", "pre-training", "“pre-training”"):
        assert len(await titles(database, query)) == 2, query


async def test_operator_words_are_words(database: Database) -> None:
    await shelve(
        database,
        paper("AND gates in silicon", abstract="Circuits of one kind."),
        paper("Attention for OR", abstract="Operations research."),
    )
    expected = {
        "AND": ["AND gates in silicon"],
        "NOT meeting": [],
        "attention AND": [],
        '"attention': ["Attention for OR"],
        "“attention”": ["Attention for OR"],
        "NEAR(": [],
        "OR OR": ["Attention for OR"],
    }
    for query, found in expected.items():
        assert await titles(database, query) == found, query


async def test_any_part_of_chinese_text_is_found(database: Database) -> None:
    await shelve(database, paper("强化学习综述 与RL方法", "李雷"), paper("Something else", "Member 2"))
    for query in (
        "强化学习",
        "强化",
        "李雷",
        "雷",
        "李",
        "RL",
        "与RL方法",
        "方法",
        "法",
        "述 与RL",
        "学习综",
        "作者：雷",
    ):
        assert await titles(database, query) == ["强化学习综述 与RL方法"], query
    for query in ("强习", "学化", "习强"):
        assert await titles(database, query) == [], query


NAMES = (
    "Özgür Şimşek", "Ayşe Yıldız", "Søren Sørensen", "Łukasz Nowak", "Ana Đorđević", "Uwe Weiß", "Nguyễn An",
    "Ota Dvořák", "Æsir Ek",
)  # fmt: skip
FOLDED = ("simsek", "yildiz", "sorensen", "lukasz", "dordevic", "weiss", "nguyen", "dvorak", "aesir")


async def test_authors_are_found_without_their_accents(database: Database) -> None:
    await shelve(database, *(paper(f"Paper {n}", name) for n, name in enumerate(NAMES)))
    for n, query in enumerate(FOLDED):
        assert await titles(database, query) == [f"Paper {n}"], query
        assert await titles(database, f"author:{query.upper()}") == [f"Paper {n}"], query
    assert await titles(database, "ŞİMŞEK") == ["Paper 0"]


async def test_fields_and_topics_narrow_a_search(database: Database) -> None:
    await shelve(
        database,
        paper("Graph theory", "Ann Lee", topic="Theory"),
        paper("Deep graphs", "Bo Graph", topic="Deep Learning · Theory"),
        paper("Wide nets", "Cy Wu", abstract="On a graph.", topic="Deep Learning · Graph Neural Networks"),
        paper("Homeless graph", "Di Ng"),
    )
    assert len(await titles(database, "graph")) == 4
    assert await titles(database, "author:graph") == ["Deep graphs"]
    assert set(await titles(database, "title:graph")) == {"Graph theory", "Homeless graph"}
    assert set(await titles(database, "topic:theory")) == {"Graph theory", "Deep graphs"}
    assert await titles(database, 'topic:"theory ·"') == ["Graph theory"]
    assert set(await titles(database, 'topic:"Deep Learning"')) == {"Deep graphs", "Wide nets"}
    assert await titles(database, 'topic:"deep learning · theory"') == ["Deep graphs"]
    assert await titles(database, "topic:networks graph") == ["Wide nets"]
    assert await titles(database, "topic:none") == ["Homeless graph"]
    assert await titles(database, "topic:cooking graph") == []


async def test_a_word_in_the_title_weighs_more_than_in_the_abstract(database: Database) -> None:
    await shelve(
        database,
        paper("Nothing here", abstract="sinkhorn " * 3 + "and much else is said in this one"),
        paper("A sinkhorn divergence", abstract="It is about transport and much else is said in it"),
        paper("Also nothing", "Ada Sinkhorn", abstract="It is about much else and says it in other words"),
    )
    assert (await titles(database, "sinkhorn"))[0] == "A sinkhorn divergence"
    assert (await titles(database, "sinkhorn"))[1] == "Also nothing"


async def test_a_reimport_leaves_no_old_words(database: Database) -> None:
    """The record of one paper comes again under another title, and again, and is removed."""

    async def counts() -> tuple[int, int]:
        await database.write(
            lambda tx: tx.run("INSERT INTO paper_index (paper_index, rank) VALUES ('integrity-check', 1)")
        )
        return len(await titles(database, "aspirin")), len(await titles(database, "ibuprofen"))

    service = PaperService(database)
    (first,) = await shelve(
        database, paper("aspirin trial", abstract="A trial of a medicine.", arxiv_id="2401.00001")
    )
    assert first.id is not None
    assert await counts() == (1, 0)
    second = replace(first, title="ibuprofen trial")
    await database.write(lambda tx: tx.run("UPDATE paper_text SET title = 'ibuprofen trial'"))
    assert await counts() == (0, 1)
    for _ in range(3):
        await shelve(database, second)
        assert await counts() == (0, 1)
    await service.remove(None, first.id, NOW)
    assert await counts() == (0, 0)


async def test_a_club_never_sees_another_clubs_shelf(database: Database) -> None:
    (shared,) = await shelve(database, paper("Shared secrets of zebras", topic="Zoo"))
    (of_a,) = await shelve(database, paper("Zebras of club A", "Anna A", topic="Zoo · Stripes"), club=1)
    (of_b,) = await shelve(database, paper("Zebras of club B", "Bert B", topic="Botany"), club=2)
    papers, search = PaperService(database), SearchService(database)
    assert shared.id and of_a.id and of_b.id
    own = {1: of_a, 2: of_b}
    for club in (None, 1, 2):
        seen = {shared.id} | ({own[club].id} if club else set())
        assert {hit.paper.id for hit in (await search.search(club, "zebras")).hits} == seen
        assert {p.id for p in await search.suggest(club, "zeb")} == seen
        assert {p.id for p in await search.suggest(club, "")} == seen
        assert {(await papers.random(club, None, random.Random(n))).id for n in range(40)} == seen
        assert await papers.count(club) == len(seen)
        assert sum(t.papers for t in await papers.topics(club) if t.subarea is None) == len(seen)
        near = await search.similar(club, shared.id)
        assert {p.id for p in near} <= seen
        for number in (shared.id, of_a.id, of_b.id):
            assert (await papers.find(club, number) is not None) == (number in seen)
    for club, hidden in ((None, of_a), (1, of_b), (2, of_a)):
        assert hidden.id
        with pytest.raises(NotFound):
            await papers.get(club, hidden.id)
        with pytest.raises(NotFound):
            await search.similar(club, hidden.id)
        with pytest.raises(NotFound):
            await papers.random(club, hidden.subarea or hidden.area, random.Random(1))
        assert (await search.search(club, f"author:{hidden.authors[0].split()[0]}")).total == 0
        assert [p for p in await search.suggest(club, f"p{hidden.id}") if p.id == hidden.id] == []
    assert (await search.search(2, "ana")).did_you_mean is None
    assert (await search.search(1, "annaa")).did_you_mean == ("anna", 1)


async def test_pages_of_five_tell_the_number_of_hits(database: Database) -> None:
    await shelve(database, *(paper(f"Kernel number{n}", abstract="kernel " * (n + 1)) for n in range(12)))
    search = SearchService(database)
    pages = [await search.search(None, "kernel", page=page) for page in (1, 2, 3)]
    assert [(page.total, page.page, page.pages, len(page.hits)) for page in pages] == [
        (12, 1, 3, 5),
        (12, 2, 3, 5),
        (12, 3, 3, 2),
    ]
    assert len({hit.paper.id for page in pages for hit in page.hits}) == 12
    for beyond in (4, 10**9):
        assert await search.search(None, "kernel", page=beyond) == pages[2]
    assert await search.search(None, "kernel", page=-3) == pages[0]
    assert (await search.search(None, "nothing", page=7)).pages == 1


async def test_marks_are_places_in_the_text_people_see(database: Database) -> None:
    abstract = r"We use \textbf{Pre-training} for $O(d)$ cost; Pearson's test says so: 强化学习 pretraining."
    await shelve(database, paper("Pre-Training—naïve, C++", "Søren Pearson", "李雷", abstract=abstract))
    hit = (await SearchService(database).search(None, 'pre-training naive C++ soren 雷 "强化学"')).hits[0]
    shown, plain = hit.paper.title or "", plain_text(hit.paper.abstract)
    assert [shown[a:b] for a, b in hit.title_marks] == ["Pre-Training", "naïve", "C++"]
    assert [hit.paper.authors[n][a:b] for n, (a, b) in hit.author_marks] == ["Søren", "雷"]
    assert [plain[a:b] for a, b in hit.abstract_marks] == ["Pre-training", "强化学", "pretraining"]
    hit = (await SearchService(database).search(None, "pearson title:pre")).hits[0]
    assert [plain[a:b] for a, b in hit.abstract_marks] == ["Pearson's"]
    assert [shown[a:b] for a, b in hit.title_marks] == ["Pre"]


async def test_signs_alone_and_long_queries_are_told_apart(database: Database) -> None:
    search = SearchService(database)
    for text, key in (("!!! …", "search.nothing"), ("", "search.nothing"), ("x" * 2000, "search.too_long")):
        with pytest.raises(BadInput) as caught:
            await search.search(None, text)
        assert caught.value.key == key


async def test_a_word_nobody_uses_suggests_a_near_one(database: Database) -> None:
    await shelve(
        database, *(paper(f"Transformer models {n}") for n in range(3)), paper("Diffusion transport")
    )
    search = SearchService(database)
    for typed, meant in (
        ("transfomer", ("transformer", 3)),
        ("rtansformer", ("transformer", 3)),
        ("difussion", ("diffusion", 1)),
        ("transformmers", ("transformer", 3)),
        ("models difusion", ("diffusion", 1)),
        ("qqqqq", None),
        ("强化", None),
    ):
        found = await search.search(None, typed)
        assert (found.total, found.did_you_mean) == (0, meant), typed


async def test_similar_papers_share_rare_words(database: Database) -> None:
    common = "we study the problem of learning with data and show that it works well in practice"
    stored = await shelve(
        database,
        paper("Entropic transport", abstract=f"{common} sinkhorn wasserstein entropic"),
        paper("Fast solvers", abstract=f"{common} sinkhorn wasserstein gpu"),
        *(paper(f"Other {n}", abstract=f"{common} thing{n}") for n in range(6)),
    )
    near = await SearchService(database).similar(None, stored[0].id or 0, limit=3)
    assert near[0].title == "Fast solvers"
    assert stored[0].id not in {p.id for p in near}
    with pytest.raises(NotFound) as caught:
        await SearchService(database).similar(None, 999)
    assert caught.value.values == {"id": 999, "first": 1, "last": 8, "near": None}


async def test_autocomplete_gives_the_newest_that_begin_so(database: Database) -> None:
    stored = await shelve(
        database,
        *(paper(f"Learning kernels {n}", "Åsa Berg") for n in range(12)),
        paper("强化学习综述", "李雷"),
    )
    search = SearchService(database)
    newest = [p.id for p in stored[:12]][::-1][:10]
    for typed in ("learn", "LEARNING k", "asa", "kernels lear", "learning "):
        assert [p.id for p in await search.suggest(None, typed)] == newest, typed
    assert (await search.suggest(None, "p3"))[0].title == "Learning kernels 2"
    for typed in ("强", "强化", "强化学习综", "李"):
        assert [p.title for p in await search.suggest(None, typed)] == ["强化学习综述"], typed
    assert len(await search.suggest(None, "", limit=3)) == 3
    assert [p.id for p in await search.suggest(None, "p1")] == [1, 10, 11, 12, 13]
    assert [p.id for p in await search.suggest(None, "p1", limit=2)] == [1, 10]
    for typed in ("zzz", "!!!!x"):
        assert await search.suggest(None, typed) == []
    await search.suggest(None, '\ud800 \x00 * "' * 200)


async def test_long_queries_travel_under_a_short_key(database: Database) -> None:
    search = SearchService(database)
    text = "author:“Özgür” " * 15
    key = await search.shorten(text, NOW)
    assert key == await search.shorten(text, NOW) != await search.shorten("other", NOW)
    assert len(key) == 12
    assert await search.lengthen(key) == text
    assert await search.lengthen("never") is None


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    text=st.text(st.characters(exclude_categories=[]), max_size=300)
    | st.text("\"*():^-+{}AND OR'«“author:title:topic:·", max_size=300)
)
async def test_no_query_reaches_the_engine_as_a_command(database: Database, text: str) -> None:
    query = parse_query(text)
    total, papers = await database.read(lambda tx: search_sqlite.find_papers(tx, 3, query, 5))
    assert (total, papers) == (0, [])


async def test_a_query_of_150_words_is_answered(database: Database) -> None:
    await shelve(database, paper("Letters", abstract=" ".join("abcdefghijklmnopqrstuvwxyz")))
    assert await titles(database, " ".join("abcdefghijklmnopqrstuvwxyz" * 5)) == ["Letters"]
