"""When two records are one paper: ids, titles, abstracts, and what merging keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.papers.listing import parse_listing
from bot.papers.model import Headline, Paper
from bot.papers.same import arxiv_id_in, doi_in, fingerprint, identity_keys, merge, same_paper
from bot.starter import starter_pages

ABSTRACT = (
    "We study short memory in long networks. It is shorter than we had hoped, and we show why it is so."
)
AUTHORS = ("Mira Aldén", "Felix X.-F. Ye", "Zoë Łukasz")
PAPER = Paper(AUTHORS, False, None, None, ABSTRACT, title="Short Memory in Long Networks", year=2026)


def record(
    title: str | None = None, authors: tuple[str, ...] = AUTHORS, abstract: str = "", **values: str
) -> Paper:
    return Paper(authors, False, None, None, abstract, title=title, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "2401.00001",
        "2401.00001v2",
        " 2401.00001 [cs.LG] ",
        "2401.00001v3.pdf",
        "arXiv:2401.00001",
        "arXiv: 2401.00001v12 [cs.LG]",
        "see ARXIV:2401.00001, section 2",
        "https://arxiv.org/abs/2401.00001",
        "http://arxiv.org/pdf/2401.00001v3.pdf",
        "https://rss.arxiv.org/abs/2401.00001?context=cs",
        "https://export.arxiv.org/html/2401.00001v1",
        "CoRR abs/2401.00001",
        "https://doi.org/10.48550/arXiv.2401.00001",
    ],
)
def test_an_arxiv_id_is_the_same_however_it_is_written(text: str) -> None:
    assert arxiv_id_in(text) == "2401.00001"


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("hep-th/9901001", "hep-th/9901001"),
        ("https://arxiv.org/abs/hep-th/9901001v2", "hep-th/9901001"),
        ("math.GT/0309136", "math/0309136"),
        ("0704.0001", "0704.0001"),
        ("arXiv:1412.6980v9", "1412.6980"),
        ("", None),
        ("2401.0001", None),
        ("0704.00001", None),
        ("2413.00001", None),
        ("2401.000012", None),
        ("it rose from 2401.00001 to more", None),
        ("foo/9901001", None),
        ("https://example.org/2401.00001", None),
        ("2401.00001 and more", None),
        ("٢٤٠١.٠٠٠٠١", None),
    ],
)
def test_old_ids_are_known_and_numbers_alone_are_not(text: str, identifier: str | None) -> None:
    assert arxiv_id_in(text) == identifier


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1145/3292500.3330701", "10.1145/3292500.3330701"),
        ("https://doi.org/10.18653/V1/2022.ACL-long.375", "10.18653/v1/2022.acl-long.375"),
        ("doi:10.1145/3292500.3330701.", "10.1145/3292500.3330701"),
        ("(see 10.1016/S0140-6736(20)30183-5)", "10.1016/s0140-6736(20)30183-5"),
        ("https://dl.acm.org/doi/pdf/10.1145/3292500.3330701?download=true", "10.1145/3292500.3330701"),
        ("https://onlinelibrary.example/doi/10.1002/abc.123/full", "10.1002/abc.123"),
        ("http://dx.doi.org/10.1145%2F3292500", "10.1145/3292500"),
        ("10.1145/", None),
        ("10.1145/...", None),
        ("110.1145/3", None),
        ("version 10.2/3", None),
        ("", None),
    ],
)
def test_a_doi_is_found_without_what_surrounds_it(text: str, doi: str | None) -> None:
    assert doi_in(text) == doi


@pytest.mark.parametrize(
    "other",
    [
        record("Short memory in long networks"),
        record("\\textsc{Short} Memory in Long-Networks", (*AUTHORS, "Ada Brook")),
        record("Position: Short Memory in Long Networks", (AUTHORS[0], "F. Ye")),
        record("Short Memory in Long Networks", ("Aldén Mira", "Felix X. -F. Ye", "Lukasz Zoe")),
        record("Short Memory in Long Networks", ("Zoë Łukasz*", "Mira Aldén")),
        record("Another Title", abstract=ABSTRACT),
        record("Another Title", (), abstract=ABSTRACT),
        record("Another Title", ("M. Aldén",), abstract=ABSTRACT),
        record("Short memory in long networks", ("Nobody Else",), abstract=ABSTRACT),
        record(None, ("Nobody Else",), abstract=ABSTRACT),
        record(
            None, abstract=ABSTRACT.replace("short ", "\\textbf{short}\n").upper().replace("TEXTBF", "textbf")
        ),
    ],
)
def test_a_title_with_an_author_or_the_abstract_tells_one_paper(other: Paper) -> None:
    assert same_paper(PAPER, other)
    assert same_paper(other, PAPER)
    assert set(identity_keys(PAPER)) & set(identity_keys(other))


@pytest.mark.parametrize(
    "other",
    [
        record("Short Memory in Long Networks 2"),
        record("Short Memory in Longer Networks"),
        record("Short Memory in Long Networks", ("Ada Brook", "Ben Carver")),
        record("Another Title", ("Ada Brook",), abstract=ABSTRACT),
        record(None, abstract=ABSTRACT.replace("short", "shorter")),
        record(None),
    ],
)
def test_sequels_and_namesakes_are_other_papers(other: Paper) -> None:
    assert not same_paper(PAPER, other)
    assert not same_paper(other, PAPER)


def test_front_matter_of_two_years_is_two_records() -> None:
    one = record("Reading Conference: Preface", abstract="Preface to the volume of 2019.")
    assert not same_paper(one, replace(one, abstract="Preface to the volume of 2021."))


def test_signs_and_greek_letters_in_titles_are_read_not_dropped() -> None:
    assert same_paper(record("$\\infty$-former"), record("∞-former"))
    assert same_paper(record("$\\alpha$-GAN"), record("α-GAN"))
    assert not same_paper(record("α-GAN"), record("β-GAN"))


def test_versions_of_one_preprint_are_one_paper_and_other_ids_never() -> None:
    one = record("A", url="https://arxiv.org/abs/2401.00001v1")
    assert same_paper(one, record("A, revised", ("Ada Brook",), arxiv_id="2401.00001"))
    assert same_paper(one, record("B", doi="10.48550/arXiv.2401.00001"))
    assert not same_paper(replace(PAPER, arxiv_id="2401.00001"), replace(PAPER, arxiv_id="2401.00002"))


def test_one_doi_is_one_paper() -> None:
    one = record("A", doi="10.1145/3292500.3330701")
    assert same_paper(one, record("B", ("Ada Brook",), url="https://doi.org/10.1145/3292500.3330701"))


def test_short_abstracts_count_with_their_authors() -> None:
    one = record(abstract="Withdrawn.")
    assert same_paper(one, one)
    assert not same_paper(one, record(abstract="Withdrawn.", authors=("Ada Brook",)))


def test_the_keys_are_stable_because_they_are_stored() -> None:
    paper = replace(PAPER, arxiv_id="2401.00001v2", doi="10.1145/3292500.3330701")
    assert identity_keys(paper) == (
        "arxiv:2401.00001",
        "doi:10.1145/3292500.3330701",
        "abstract:b355a8dd2075604785c2",
        "title:2909cc34736aa34816e6",
        "title:f75de15d22d3fbc27c37",
    )


def test_the_starter_pages_name_one_paper_twice_and_the_topic_survives() -> None:
    papers = [paper for _, data in starter_pages() for paper in parse_listing(data).papers]
    pairs = [(a, b) for place, a in enumerate(papers) for b in papers[place + 1 :] if same_paper(a, b)]
    assert len(pairs) == 1
    one, other = pairs[0]
    assert (one.area, other.area is None) == (None, False)
    assert merge(one, other).topic == merge(other, one).topic == other.topic


def test_merging_fills_what_is_missing_and_keeps_what_is_there() -> None:
    kept = Paper(("A B",), True, None, None, "x", venue="ICML", sources=("listing",), line=3, id=17, club=4)
    other = Paper(
        ("A B", "C D"), False, "Theory", "Sampling", "y", "Title", "https://example.org", 2026, "arXiv",
        "2401.00001", "10.1/x", ("bibtex", "listing"), 9, 18, Headline(None, "y"), None,
    )  # fmt: skip
    assert merge(kept, other) == Paper(
        ("A B", "C D"), False, "Theory", "Sampling", "x", "Title", "https://example.org", 2026, "ICML",
        "2401.00001", "10.1/x", ("listing", "bibtex"), 3, 17, Headline(None, "y"), 4,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kept", "other", "merged"),
    [
        (("Theory", None), ("Theory", "Sampling"), ("Theory", "Sampling")),
        (("Theory", None), ("Vision", "Video"), ("Theory", None)),
        (("Theory", "Sampling"), ("Vision", "Video"), ("Theory", "Sampling")),
        (("Theory", "Sampling"), (None, None), ("Theory", "Sampling")),
        ((None, None), ("Vision", None), ("Vision", None)),
    ],
)
def test_topics_are_never_mixed(
    kept: tuple[str | None, str | None], other: tuple[str | None, str | None], merged: tuple[str, str | None]
) -> None:
    paper = merge(
        replace(PAPER, area=kept[0], subarea=kept[1]), replace(PAPER, area=other[0], subarea=other[1])
    )
    assert (paper.area, paper.subarea) == merged


@pytest.mark.parametrize(
    ("kept", "other", "merged"),
    [
        ((("A",), True), (("A", "B"), False), (("A", "B"), False)),
        ((("A", "B"), True), (("A",), True), (("A", "B"), True)),
        ((("A",), True), (("A", "B"), True), (("A", "B"), True)),
        ((("A", "B"), False), (("A", "B", "C"), False), (("A", "B"), False)),
        (((), False), (("A",), True), (("A",), True)),
        ((("A",), True), ((), False), (("A",), True)),
    ],
)
def test_a_whole_author_list_replaces_a_cut_one(
    kept: tuple[tuple[str, ...], bool],
    other: tuple[tuple[str, ...], bool],
    merged: tuple[tuple[str, ...], bool],
) -> None:
    paper = merge(
        replace(PAPER, authors=kept[0], authors_truncated=kept[1]),
        replace(PAPER, authors=other[0], authors_truncated=other[1]),
    )
    assert (paper.authors, paper.authors_truncated) == merged


TEXT = st.text(max_size=30)
PAPERS = st.builds(
    Paper,
    authors=st.lists(TEXT, max_size=3).map(tuple),
    authors_truncated=st.booleans(),
    area=st.none() | TEXT,
    subarea=st.none() | TEXT,
    abstract=TEXT,
    title=st.none() | TEXT,
    url=st.none() | TEXT,
    arxiv_id=st.none() | TEXT,
    doi=st.none() | TEXT,
    sources=st.lists(TEXT, max_size=2, unique=True).map(tuple),
)


@given(PAPERS, PAPERS)
def test_any_record_is_itself_and_merging_twice_changes_nothing(one: Paper, other: Paper) -> None:
    assert same_paper(one, one)
    assert same_paper(one, other) == same_paper(other, one)
    assert len(identity_keys(one)) >= 1
    assert merge(one, one) == one
    assert merge(merge(one, other), other) == merge(one, other)


@given(st.text())
def test_any_text_holds_an_id_or_none(text: str) -> None:
    for source in (text, f"10.1145/{text}", f"https://arxiv.org/abs/{text}"):
        assert arxiv_id_in(source) == arxiv_id_in(arxiv_id_in(source) or "")
        assert doi_in(source) == doi_in(doi_in(source) or "")


def test_line_breaks_accents_and_markup_do_not_change_the_fingerprint() -> None:
    one = "A naïve—but **robust**—Schrödinger bridge, \\emph{30--35\\%} faster than Łukasz & Co. expected it."
    other = (
        "A naive\n-- but robust -- Schro\u0308dinger bridge, 30–35% faster than Lukasz &amp; Co. expected it"
    )
    assert fingerprint(record(abstract=one)) == fingerprint(record(abstract=other)) != ""
    assert fingerprint(record(abstract="…")) == ""
