"""How one paper is shown: the post of the day, the private card, the card in the channel."""

from __future__ import annotations

from datetime import date

import pytest

from bot.daily.model import Reason
from bot.messages.model import Actions, Button, Excerpt, Link, Message, Paragraph, Shown, Title
from bot.messages.pages.lines import (
    authors,
    authors_short,
    excerpt,
    first_lines,
    headline,
    label,
    labels,
    safe_link,
    shown,
)
from bot.messages.pages.papers import card_page, daily_page, paper_page
from bot.messages.words import words_for
from bot.papers.model import Headline, Paper
from bot.search.model import Hit
from tests.messages.samples import EN, SENTENCES, ZH, all_parts, paper, titled, told

DAY = date(2026, 11, 30)
TURN = Reason("turn", "Social Choice", 9)
WORDS = words_for("en")


def test_todays_paper_in_english() -> None:
    page = daily_page(EN, paper(), DAY, TURN)
    assert (
        page.summary
        == "Today’s paper · Monday 30 November: Tessel: a method that sorts ballots by colour and size"
    )
    assert told(page) == [
        "Today’s paper Monday 30 November",
        "# *Tessel*/: a method that sorts ballots by colour and size/",
        "Social Choice · Ballots",
        "Ada Mund, Bo Lind, Cy Orr",
        "Why this paper: areas take turns, and it is the turn of Social Choice · Ballots. "
        "Social Choice was last shown 9 days ago.",
        "It needs one pass over the box and no table. On four boxes of ballots it is twice as quick as "
        "sorting by hand, and it loses none of them.",
        "<Read more> <Nominate> <Save> <Similar>",
        "p57 · The listing gives no title; the headline is taken from the abstract.",
    ]


def test_todays_paper_in_chinese() -> None:
    assert told(daily_page(ZH, titled(), DAY, Reason("organiser", "Social Choice", None), extra=True)) == [
        "加发论文 11 月 30 日星期一",
        "# On the sorting of ballots",
        "Social Choice · Ballots",
        "Ada Mund, Bo Lind, Cy Orr",
        "为什么是这篇：由组织者指定。",
        SENTENCES,
        "<查看摘要> <提名> <收藏> <相似论文>",
        "p58",
    ]


def test_the_buttons_of_the_post_carry_the_paper() -> None:
    row = next(all_parts(daily_page(EN, paper(), DAY, TURN), Actions))
    assert [(item.id, item.kind) for item in row.items] == [
        ("more:p57", "first"), ("nominate:p57", "plain"), ("save:p57", "plain"), ("similar:p57", "plain"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        (
            Reason("turn", None, None),
            "Why this paper: areas take turns, and it is the turn of papers without a topic.",
        ),
        (
            Reason("replaced", "Theory", 3),
            "Why this paper: the one chosen first was removed; it is the turn of papers without a topic.",
        ),
    ],
)
def test_the_post_says_why_this_paper(reason: Reason, line: str) -> None:
    assert line in told(daily_page(EN, paper(area=None, subarea=None), DAY, reason))


def test_a_stand_in_is_apart_from_its_name_and_a_title_is_not() -> None:
    assert shown(paper(), WORDS, 150) == Shown(
        ("Tessel",), (": a method that sorts ballots by colour and size",), stand_in=True
    )
    assert shown(titled(), WORDS, 150) == Shown(("On the sorting of ballots",))
    without = paper(headline=Headline(None, "A map of all ballots"))
    assert shown(without, WORDS, 150) == Shown((), ("A map of all ballots",), stand_in=True)


def test_a_name_longer_than_the_room_is_cut_and_stays_upright() -> None:
    page = shown(paper(headline=Headline("Tesselation", "Tesselation: a method")), WORDS, 8)
    assert page == Shown((), ("Tessela…",), stand_in=True)


def test_the_private_card_has_the_whole_abstract() -> None:
    page = paper_page(EN, paper(url="https://papers.example/57", year=2026, venue="A  Workshop"), saved=True)
    assert [part.text for part in all_parts(page, Excerpt)] == [(SENTENCES,)]
    assert told(page)[3] == "A Workshop · 2026"
    assert next(all_parts(page, Link)).url == "https://papers.example/57"
    row = next(all_parts(page, Actions))
    assert [item.id for item in row.items] == ["nominate:p57", "save:p57", "similar:p57", "show:p57"]
    assert [item.label for item in row.items if item.pressed] == ["Saved"]


def test_the_card_in_the_channel_never_has_the_whole_abstract() -> None:
    page = card_page(EN, paper(abstract=SENTENCES * 10), "Member  2")
    assert told(page)[0] == "Shown by Member 2"
    assert all(len(part.text[0]) <= 280 for part in all_parts(page, Excerpt))


@pytest.mark.parametrize("abstract", ["", "   ", "\n"])
def test_a_paper_without_an_abstract_says_so(abstract: str) -> None:
    bare = titled(abstract=abstract, authors=())
    for page in (paper_page(EN, bare), daily_page(EN, bare, DAY, TURN), card_page(EN, bare, "Member 2")):
        assert "No abstract given." in told(page) and "Unknown authors" in told(page)
        assert not list(all_parts(page, Excerpt))
        assert not any("None" in line or "null" in line for line in told(page))


def test_a_paper_without_title_and_headline_is_named_by_its_id() -> None:
    assert headline(paper(headline=None), WORDS) == "Untitled (p57)"
    assert headline(paper(headline=None, arxiv_id="2104.00001"), WORDS) == "Untitled (arXiv:2104.00001)"
    assert headline(titled(title="0"), WORDS) == "0"


# ---- first lines ----


def test_first_lines_leave_out_the_sentence_of_the_headline() -> None:
    assert first_lines(paper()).startswith("It needs one pass")
    assert "We introduce Tessel" not in first_lines(paper())


def test_first_lines_before_the_headlines_sentence_are_kept_when_they_say_enough() -> None:
    before = (
        "Boxes of ballots are opened by hand, which takes all night and ends in quarrels between neighbours."
    )
    text = f"{before} {SENTENCES}"
    assert first_lines(paper(abstract=text)) == f"{before} Grouped ballots are hard to read. …"


def test_first_lines_are_whole_words() -> None:
    lines = first_lines(titled(abstract=SENTENCES * 5), 160)
    assert len(lines) <= 160 and lines.endswith(" …")
    assert (SENTENCES * 5).startswith(lines.removesuffix(" …"))


def test_an_abstract_of_one_sentence_is_not_said_twice() -> None:
    only = "We introduce Tessel, a method that sorts ballots by colour and size."
    assert first_lines(paper(abstract=only)) == ""
    assert not list(all_parts(daily_page(EN, paper(abstract=only), DAY, TURN), Excerpt))


# ---- authors, labels ----

NAMES = tuple(f"Author {letter}" for letter in "ABCDEFGH")


@pytest.mark.parametrize(
    ("names", "cut", "post", "listed"),
    [
        (NAMES[:1], False, "Author A", "Author A"),
        (NAMES[:2], False, "Author A, Author B", "Author A, Author B"),
        (NAMES[:3], False, "Author A, Author B, Author C", "Author A and 2 more"),
        (
            NAMES,
            False,
            "Author A, Author B, Author C, Author D, Author E, Author F and 2 more",
            "Author A and 7 more",
        ),
        (NAMES[:2], True, "Author A, Author B and others", "Author A, Author B and others"),
        (
            NAMES,
            True,
            "Author A, Author B, Author C, Author D, Author E, Author F and others",
            "Author A and others",
        ),
        ((), False, "Unknown authors", "Unknown authors"),
    ],
)
def test_authors_are_named_in_full_or_counted(
    names: tuple[str, ...], cut: bool, post: str, listed: str
) -> None:
    by = paper(authors=names, authors_truncated=cut)
    assert authors(by, WORDS) == post
    assert authors_short(by, WORDS) == listed


def test_chinese_counts_all_authors() -> None:
    assert authors_short(paper(authors=NAMES), words_for("zh")) == "Author A 等 8 人"
    assert authors_short(paper(authors=("李雷", "韩梅梅", "林涛")), words_for("zh")) == "李雷等 3 人"


def test_names_stand_as_the_source_gave_them() -> None:
    odd = ("Aniri -", "Felix X.-F. Ye", "haim permuter", "QUOC TUNG LE")
    assert authors(paper(authors=odd), WORDS) == "Aniri -, Felix X.-F. Ye, haim permuter, QUOC TUNG LE"


def test_a_label_is_the_works_name_or_its_first_author() -> None:
    assert label(paper(), WORDS) == "Tessel"
    assert label(titled(title="PACS: sorting at night"), WORDS) == "PACS"
    assert label(titled(), WORDS) == "Ada Mund et al."
    assert label(titled(authors=("Ada Mund",)), WORDS) == "Ada Mund"
    assert (
        label(titled(authors=("Maria-Theresia von Habsburg-Lothringen", "B")), WORDS)
        == "Habsburg-Lothri… et al."
    )
    assert label(titled(authors=()), WORDS) == "On the sorting of …"


def test_two_papers_are_never_labelled_alike() -> None:
    pair = labels([titled(1), titled(2), paper(3)], WORDS)
    assert pair == ("Ada Mund et al. p1", "Ada Mund et al. p2", "Tessel")
    assert all(len(each) <= 24 for each in pair)


# ---- links ----


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://x.example/a b.pdf", "https://x.example/a%20b.pdf"),
        ("https://x.example/?q=a|b&c=1", "https://x.example/?q=a%7Cb&c=1"),
        ("https://x.example/<!channel>", "https://x.example/%3C!channel%3E"),
        ("https://x.example/a%20b", "https://x.example/a%20b"),
        ("/pdf/1.pdf", None),
        ("x.example/1", None),
        ("http://localhost:8000/1", None),
        ("javascript:alert(1)", None),
        ("https://[broken", None),
        ("https://a b.example/", None),
        ("", None),
        (None, None),
    ],
)
def test_only_web_addresses_are_ever_linked(url: str | None, safe: str | None) -> None:
    assert safe_link(url) == safe
    links = list(all_parts(paper_page(EN, paper(url=url)), Link))
    assert [link.url for link in links] == ([safe] if safe else [])


# ---- excerpts ----


def hit(about: Paper, word: str) -> Hit:
    text = about.abstract
    spans = tuple((at, at + len(word)) for at in range(len(text)) if text.startswith(word, at))
    return Hit(about, abstract_marks=spans)


def brackets(text: tuple[object, ...]) -> str:
    return "".join(part if isinstance(part, str) else f"[{part.text}]" for part in text)  # type: ignore[attr-defined]


def test_an_excerpt_begins_with_the_sentence_of_the_hit() -> None:
    assert (
        brackets(excerpt(hit(paper(), "pass"), 60))
        == "It needs one [pass] over the box and no table. On four boxes …"
    )


def test_an_excerpt_shows_the_first_hit_that_the_headline_does_not() -> None:
    """'ballots' stands in the headline: the first lines are shown, with what is found in them marked."""
    text = brackets(excerpt(hit(paper(), "ballots")))
    assert text.startswith("It needs one pass") and "[ballots]" in text


def test_an_excerpt_of_a_long_sentence_begins_near_the_hit() -> None:
    text = "sorted " * 60 + "needle " + "sorted " * 60
    found = brackets(excerpt(hit(titled(abstract=text), "needle"), 90))
    assert found.startswith("… sorted") and found.endswith(" …") and "[needle]" in found
    assert len(found.replace("[", "").replace("]", "")) <= 90


def test_marks_are_where_the_words_are() -> None:
    for word in ("box", "hand", "loses"):
        parts = [part for part in excerpt(hit(paper(), word)) if not isinstance(part, str)]
        assert [getattr(part, "text", "") for part in parts][:1] == [word]


def test_marks_of_a_headline_that_was_cut_stay_inside() -> None:
    about = titled(title="needle " * 40)
    page = shown(about, WORDS, 30, ((0, 6), (28, 34), (210, 216)))
    assert brackets(page.name) == "[needle] needle needle needle …"


def test_a_page_always_has_one_headline() -> None:
    pages: list[Message] = [
        daily_page(EN, paper(), DAY, TURN),
        paper_page(EN, paper()),
        card_page(EN, paper(), "M"),
    ]
    for page in pages:
        assert len(list(all_parts(page, Title))) == 1
        assert sum(button.kind == "first" for button in all_parts(page, Button)) == 1
        assert all(part.text for part in all_parts(page, Paragraph))
