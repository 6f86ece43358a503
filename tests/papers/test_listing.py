"""What `parse_listing` promises, on our own page, on the starter pages and on anything else."""

from __future__ import annotations

import dataclasses
import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.papers.listing import CUT, HEADER, MOST_PROBLEMS, TOPIC_SEPARATOR, parse_listing
from bot.papers.model import Listing, Paper, Problem
from bot.papers.same import identity_keys
from bot.starter import starter_pages

DATA = Path(__file__).parent.parent / "data"
PAGE = (DATA / "listing.txt").read_bytes()
ABSTRACT = "We study short memory in long networks. It is shorter than we had hoped, and we show why."


def page(*blocks: str) -> bytes:
    return "\n\n".join((HEADER, *blocks)).encode()


def shape(listing: Listing) -> list[tuple[str | None, str | None, tuple[str, ...], str]]:
    return [(paper.area, paper.subarea, paper.authors, paper.abstract) for paper in listing.papers]


def reasons(listing: Listing) -> list[tuple[int, str]]:
    return [(problem.line, problem.reason) for problem in listing.problems]


def test_a_page_gives_its_entries_with_their_lines_and_its_problems() -> None:
    expected = json.loads((DATA / "listing.expected.json").read_text(encoding="utf-8"))
    listing = parse_listing(PAGE)
    found = [{name: getattr(paper, name) for name in expected["papers"][0]} for paper in listing.papers]
    assert [{**paper, "authors": list(paper["authors"])} for paper in found] == expected["papers"]
    assert [dataclasses.asdict(problem) for problem in listing.problems] == expected["problems"]
    assert all(paper.id is None and paper.title is None for paper in listing.papers)


def test_the_starter_pages_hold_80_entries_of_79_papers() -> None:
    listings = [parse_listing(data) for _, data in starter_pages()]
    papers = [paper for listing in listings for paper in listing.papers]
    assert [len(listing.papers) for listing in listings] == [20, 20, 20, 20]
    assert [listing.problems for listing in listings] == [(), (), (), ()]
    assert len({identity_keys(paper) for paper in papers}) == 79
    assert sum(paper.area is None for paper in papers) == 8
    assert sum(paper.authors_truncated for paper in papers) == 3
    named = {name for paper in papers for name in paper.authors}
    assert {"Aniri -", "Felix X.-F. Ye", "haim permuter", "QUOC TUNG LE", "Özgür Şimşek"} <= named
    assert [paper.topic for paper in papers if paper.area and paper.subarea is None] == ["Social Aspects"]


def test_blocks_are_counted_and_no_separator_is_needed() -> None:
    listing = parse_listing(
        page("Fairness, Access", "Ada Brook, Ben Carver", ABSTRACT, "Cem Öztürk", ABSTRACT)
    )
    assert shape(listing) == [
        ("Fairness, Access", None, ("Ada Brook", "Ben Carver"), ABSTRACT),
        (None, None, ("Cem Öztürk",), ABSTRACT),
    ]
    assert listing.problems == ()


def test_names_cut_by_the_source_are_no_topic() -> None:
    listing = parse_listing(page("Ada Brook 等", "Ben Carver", ABSTRACT))
    assert shape(listing) == [(None, None, ("Ben Carver",), ABSTRACT)]
    assert reasons(listing) == [(3, "no_abstract")]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\r"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data + b"\n",
        lambda data: data + b"\n\n\n",
        lambda data: data.replace(b"\n\n", b"\n \t\n"),
        lambda data: data.replace(b"\n\n", "\n\u3000\u00a0\n".encode()),
    ],
    ids=["crlf", "cr", "bom", "last newline", "blank lines at the end", "blanks", "wide blanks"],
)
def test_how_lines_end_makes_no_difference(change: object) -> None:
    assert callable(change)
    assert parse_listing(change(PAGE)) == parse_listing(PAGE)


@pytest.mark.parametrize("seam", ["", "\n", "\n\n", "\n\n\n", "\r\n", "\ufeff", "\n\ufeff"])
def test_pages_put_one_after_the_other_give_the_entries_of_all(seam: str) -> None:
    pages = [data for _, data in starter_pages()]
    both = parse_listing(seam.encode().join(pages))
    assert shape(both) == [entry for data in pages for entry in shape(parse_listing(data))]
    assert both.problems == ()
    for paper in both.papers:
        line = seam.encode().join(pages).decode().split("\n")[paper.line - 1].strip("\r\ufeff")
        assert line == paper.topic or line.startswith(paper.authors[0])


def test_a_sentence_that_ends_in_the_header_s_words_is_no_header() -> None:
    chinese = "我们研究如何在小组里检索论文。本文的题目是论文检索"
    listing = parse_listing(
        page("张三, 李四", chinese + "。", "Ada Brook", f"https://example.org 论述{HEADER}")
    )
    assert [paper.abstract[-4:] for paper in listing.papers] == ["文检索。", HEADER]


def test_a_blank_line_in_an_abstract_is_mended_and_reported() -> None:
    first, second = ABSTRACT.split(". ")
    listing = parse_listing(page("Theory", "Ada Brook", f"{first}.", "", second, "Ben Carver", ABSTRACT))
    assert shape(listing) == [
        ("Theory", None, ("Ada Brook",), f"{first}.\n\n{second}"),
        (None, None, ("Ben Carver",), ABSTRACT),
    ]
    assert listing.problems == (Problem(11, second[:60], "joined_abstract"),)


def test_an_abstract_over_several_lines_stays_as_it_is() -> None:
    listing = parse_listing(page("Ada Brook,\nBen Carver", ABSTRACT.replace(". ", ".\n")))
    assert shape(listing) == [(None, None, ("Ada Brook", "Ben Carver"), ABSTRACT.replace(". ", ".\n"))]


@pytest.mark.parametrize(
    ("blocks", "lines"),
    [
        (["Theory · Sampling", "Ada Brook", "Theory", "Ben Carver", ABSTRACT], [5]),
        (["Ada Brook, Dora Ek", "Theory · Sampling", "Ben Carver", ABSTRACT], [3]),
        (["Ada Brook, Dora Ek", "Theory", "Ben Carver", ABSTRACT], [3]),
        (["Theory", "Ben Carver", ABSTRACT, "Theory", "Ada Brook, Dora Ek"], [11]),
        (["Theory", "Ada Brook 等", HEADER, "Theory", "Ben Carver", ABSTRACT], [5]),
        (["Ada Brook 等", "Dora Ek, Eve Duarte", "Theory", "Ben Carver", ABSTRACT], [3, 5]),
    ],
)
def test_authors_without_an_abstract_are_reported_and_cost_no_other_entry(
    blocks: list[str], lines: list[int]
) -> None:
    listing = parse_listing(page(*blocks))
    assert [(paper.authors, paper.area) for paper in listing.papers] in (
        [(("Ben Carver",), "Theory")],
        [(("Ben Carver",), "Theory · Sampling".split(TOPIC_SEPARATOR)[0])],
    )
    assert reasons(listing) == [(line, "no_abstract") for line in lines]


def test_authors_without_topic_after_lost_authors_keep_no_topic() -> None:
    listing = parse_listing(page("Theory · Sampling", "Ada Brook", "Ben Carver", ABSTRACT))
    assert shape(listing) == [(None, None, ("Ben Carver",), ABSTRACT)]
    assert reasons(listing) == [(5, "no_abstract")]


def test_an_abstract_without_authors_is_reported() -> None:
    assert parse_listing(page(ABSTRACT)) == Listing((), (Problem(3, ABSTRACT[:60], "no_authors"),))
    assert reasons(parse_listing(page(", ,", ABSTRACT))) == [(3, "no_authors")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf\r\n \n", "empty"),
        (HEADER.encode(), "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not_text"),
        (HEADER.encode("gb18030") + b"\n\nAda Brook\n\n" + ABSTRACT.encode(), "not_text"),
        (HEADER.encode("utf-16"), "not_text"),
        (b"\xff\xfe\xfd", "not_text"),
    ],
)
def test_what_holds_no_listing_gives_one_problem(data: bytes, reason: str) -> None:
    listing = parse_listing(data)
    assert listing.papers == ()
    assert reasons(listing) == [(1, reason)]


def test_a_page_without_header_is_read_and_reported() -> None:
    listing = parse_listing(PAGE.removeprefix(HEADER.encode()).lstrip())
    assert shape(listing) == shape(parse_listing(PAGE))
    assert reasons(listing)[0] == (1, "no_header")


@pytest.mark.parametrize("damage", [b"\xe9", b"\0"], ids=["latin-1", "NUL"])
@pytest.mark.parametrize("spot", [b"Mira", b"Deep Learning", b"**Memory**"])
def test_a_bad_byte_costs_its_entry_only(damage: bytes, spot: bytes) -> None:
    far = page(*["Ada Brook", ABSTRACT] * 200) + b"\n\n"
    line = far.count(b"\n") + PAGE[: PAGE.index(spot)].count(b"\n") + 1
    listing = parse_listing(far + PAGE.replace(spot, spot + damage, 1))
    assert shape(listing)[200:] == shape(parse_listing(PAGE))[1:]
    assert reasons(listing)[0] == (line, "not_text")


def test_a_bad_byte_in_the_rest_of_a_parted_abstract_leaves_the_entry_out() -> None:
    listing = parse_listing(
        page("Ada Brook", ABSTRACT, ABSTRACT, "X", ABSTRACT).replace(b"hoped", b"\xff", 2)
    )
    assert [paper.authors for paper in listing.papers] == [("X",)]
    assert {reason for _, reason in reasons(listing)} == {"not_text"}


@pytest.mark.parametrize(
    "short",
    [
        "Sammy Davis Jr.",
        "Smith et al.",
        "Malcolm X.",
        "Misc.",
        ", ".join(f"Ada{number} Brook" for number in range(200)),
        "Reinforcement learning, planning · Learning with limited, noisy or missing labels in the wild",
    ],
)
def test_names_and_topics_are_no_abstracts(short: str) -> None:
    listing = parse_listing(page(short, "Ada Brook", ABSTRACT, short, ABSTRACT))
    assert [len(paper.authors) >= 1 for paper in listing.papers] == [True, True]
    assert listing.papers[0].area is not None
    assert listing.problems == ()


@pytest.mark.parametrize(
    "abstract",
    [
        "A short one.",
        "Is it short?",
        'It ends in quotes (and brackets: "so it goes.")',
        "我们研究论文的检索。",
        "See https://example.org",
        "it has no full stop " * 20,
        "It lists a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y and z. " * 5,
    ],
)
def test_an_abstract_is_known_by_its_shape(abstract: str) -> None:
    listing = parse_listing(page("Theory", "Ada Brook", abstract))
    assert shape(listing) == [("Theory", None, ("Ada Brook",), abstract.strip())]


@pytest.mark.parametrize("line", [b"ab\n\n", b"A sentence here.\n\n", b"\xe9\n\n"])
def test_a_file_of_rubbish_names_its_first_problems_only(line: bytes) -> None:
    listing = parse_listing(page("Ada Brook", ABSTRACT, HEADER) + b"\n\n" + line * 5_000)
    assert len(listing.papers) == 1
    assert len(listing.problems) == MOST_PROBLEMS + 1
    assert {problem.reason for problem in listing.problems[:-1]} <= {"no_abstract", "no_authors", "not_text"}
    assert listing.problems[-1].reason == "more_problems"


def test_a_page_of_50_megabytes_is_read_whole() -> None:
    pages = starter_pages()
    times = 50_000_000 // sum(len(data) for _, data in pages)
    listing = parse_listing(b"\n".join(data for _, data in pages) * times)
    assert (len(listing.papers), listing.problems) == (80 * times, ())


def test_50_megabytes_of_noise_are_refused() -> None:
    noise = random.Random(7).randbytes(1_000_000) * 50
    assert reasons(parse_listing(noise)) == [(1, "not_text")]
    assert parse_listing(noise.replace(b"\0", b"")).papers == ()


def test_an_abstract_parted_ten_thousand_times_is_joined_in_one_go() -> None:
    listing = parse_listing(page("Ada Brook", *[ABSTRACT] * 10_001))
    assert [paper.abstract for paper in listing.papers] == ["\n\n".join([ABSTRACT] * 10_001)]


def test_a_file_without_a_blank_line_is_read_in_one_go() -> None:
    listing = parse_listing(page("Ada Brook", "\n".join([ABSTRACT] * 300_000)))
    assert [paper.abstract for paper in listing.papers] == ["\n".join([ABSTRACT] * 300_000)]


@given(st.binary())
@example(b"\xff" + HEADER.encode())
def test_any_bytes_give_a_listing_or_a_problem(data: bytes) -> None:
    for source in (data, HEADER.encode() + b"\n\n" + data, os.linesep.encode().join((PAGE, data))):
        listing = parse_listing(source)
        assert listing.papers or listing.problems
        lines = [problem.line for problem in listing.problems]
        assert lines == sorted(lines)
        for problem in listing.problems:
            problem.text.encode()
            assert len(problem.text) <= 60
        for paper in listing.papers:
            "".join((*paper.authors, paper.abstract, paper.topic or "")).encode()


BLOCKS = st.sampled_from(
    ["Theory", "Theory · Sampling", "Ada Brook", "Ada Brook, Ben Carver", "Ek 等", ABSTRACT, HEADER]
)


@given(st.lists(BLOCKS, max_size=12))
def test_every_abstract_is_read_or_reported_whatever_the_order_of_blocks(blocks: list[str]) -> None:
    listing = parse_listing(page(*blocks))
    joined = sum(problem.reason == "joined_abstract" for problem in listing.problems)
    alone = sum(problem.reason == "no_authors" for problem in listing.problems)
    assert len(listing.papers) + joined + alone == blocks.count(ABSTRACT)
    lines = page(*blocks).decode().split("\n")
    for paper in listing.papers:
        assert lines[paper.line - 1] in (
            paper.topic,
            ", ".join(paper.authors) + CUT * paper.authors_truncated,
        )


WORD = st.text(st.characters(categories=["L", "Nd"], max_codepoint=0x24F), min_size=1, max_size=12)
NAME = st.lists(WORD, min_size=1, max_size=3).map(" ".join)
AREA = st.lists(WORD, min_size=1, max_size=4).map(" & ".join)
SENTENCE = st.lists(
    st.sampled_from(["we", "prove", "$x$", "\\textbf{it},", "**here**", "é"]), min_size=2, max_size=60
)
PAPERS = st.builds(
    lambda authors, cut, topic, words: Paper(
        tuple(authors), cut, topic[0], topic[1], " ".join(words) + " so."
    ),
    st.lists(NAME, min_size=1, max_size=12),
    st.booleans(),
    st.one_of(st.just((None, None)), st.tuples(AREA, st.none() | AREA)),
    SENTENCE,
)


def written(papers: list[Paper]) -> bytes:
    blocks = []
    for paper in papers:
        authors = ", ".join(paper.authors) + CUT * paper.authors_truncated
        blocks += [block for block in (paper.topic, authors, paper.abstract) if block is not None]
    return page(*blocks)


@given(st.lists(PAPERS, min_size=1, max_size=6))
def test_what_is_written_as_a_page_is_read_back(papers: list[Paper]) -> None:
    listing = parse_listing(written(papers))
    assert shape(listing) == [(paper.area, paper.subarea, paper.authors, paper.abstract) for paper in papers]
    assert [paper.authors_truncated for paper in listing.papers] == [
        paper.authors_truncated for paper in papers
    ]
    assert listing.problems == ()
