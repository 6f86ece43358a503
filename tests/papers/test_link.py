"""Links that members write, and the papers made of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.papers.link import MAX_LINK, clean_link, link_meant, paper_of_link


def test_of_several_links_the_one_that_names_a_paper_is_meant() -> None:
    blog, other, paper = (
        "https://example.org/post",
        "https://x.example/2",
        "https://arxiv.org/abs/2401.00001v2",
    )
    assert link_meant([blog, paper, other]) == paper
    assert link_meant([blog, "https://doi.org/10.1000/xyz123", paper]) == "https://doi.org/10.1000/xyz123"
    assert link_meant([blog, other]) == blog


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("https://example.org/a.pdf", "https://example.org/a.pdf"),
        ("  <https://example.org/a.pdf> ", "https://example.org/a.pdf"),
        ("HTTP://Example.org/A", "http://example.org/A"),
        ("x.example/1", "https://x.example/1"),
        ("x.example:8080/1", "https://x.example:8080/1"),
        ("<https://example.org/a|example.org/a>", "https://example.org/a"),
        ("<https://arxiv.org/abs/2401.00001|arxiv.org/abs/2401.00001>", "https://arxiv.org/abs/2401.00001"),
        ("https://example.org/a|b", "https://example.org/a%7Cb"),
        ("https://пример.испытание/1", "https://xn--e1afmkfd.xn--80akhbyknj4f/1"),
        ("пример.испытание/1", "https://xn--e1afmkfd.xn--80akhbyknj4f/1"),
        ("https://user:pw@example.org/a", "https://example.org/a"),
        ("https://user:p@ss@example.org:81/a?b@c", "https://example.org:81/a?b@c"),
        ("https://arxiv.org@example.org/", "https://example.org/"),
        ("https://example.org/a b", "https://example.org/a%20b"),
        ("https://example.org/论文", "https://example.org/%E8%AE%BA%E6%96%87"),
        ("https://example.org/%20?q=1&r=[2]#x", "https://example.org/%20?q=1&r=[2]#x"),
        ("arXiv:2401.00001", "https://arxiv.org/abs/2401.00001"),
        ("10.1000/abc.def", "https://doi.org/10.1000/abc.def"),
    ],
)
def test_an_address_is_made_ready_to_be_linked(written: str, address: str) -> None:
    assert clean_link(written) == address


@pytest.mark.parametrize(
    "written",
    ["", "p57", "example.org", "ftp://example.org", "javascript:alert(1)", "file:///etc/passwd", "https://", "http://x",
     "https://[::1", "data:text/html,x", "https://example.org/" + "x" * MAX_LINK, "https://example.org/" + "论" * 100,
     "mailto:a@example.org/1", "a@example.org/1", "and/or", "e.g./x", "https://exa mple.org/", "https://a..b/",
     "https://example.org:99999/", "<|example.org/1>", "https://" + "a" * 64 + ".org/"],
)  # fmt: skip
def test_what_is_no_web_address_is_none(written: str) -> None:
    assert clean_link(written) is None
    assert paper_of_link(written, "A title") is None


@given(st.text())
def test_any_text_gives_a_web_address_or_none(text: str) -> None:
    for written in (text, f"https://{text}", f"https://example.org/{text}"):
        link = clean_link(written)
        assert link is None or (
            link.lower().startswith(("http://", "https://")) and not set(link) & set(' <>"\n')
        )


def test_nothing_of_a_name_and_password_is_kept() -> None:
    paper = paper_of_link("<https://reader:secret@example.org/a|the paper>", "On Games")
    assert paper is not None and paper.url == "https://example.org/a"
    assert "secret" not in repr(paper) and "the paper" not in repr(paper)


def test_a_paper_knows_what_its_address_says() -> None:
    paper = paper_of_link("https://arxiv.org/abs/2401.00001v2", "On Games", " Ada  Example ,, Ben Example,")
    assert paper is not None
    assert (paper.title, paper.authors) == ("On Games", ("Ada Example", "Ben Example"))
    assert (paper.arxiv_id, paper.doi) == ("2401.00001", None)
    assert paper.url == "https://arxiv.org/abs/2401.00001v2" == paper.sources[0]
    assert (paper.abstract, paper.area, paper.id) == ("", None, None)
