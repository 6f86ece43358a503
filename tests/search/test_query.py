"""Everything people type is a query, and signs never become commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import BadInput
from bot.search.query import Query, parse_beginning, parse_query, without_quotes


def shape(query: Query) -> list[tuple[str, str]]:
    return [(term.where, " ".join(term.wanted.row) if term.wanted else term.text) for term in query.terms]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("deep learning", [("any", "deep"), ("any", "learning")]),
        ("AND OR NOT NEAR(", [("any", "and"), ("any", "or"), ("any", "not"), ("any", "near")]),
        ("OR OR", [("any", "or")]),
        ('"deep learning" x', [("any", "deep learning"), ("any", "x")]),
        ("“A B” ‘c’", [("any", "a b"), ("any", "c")]),
        (
            "„Good paper“ «two words» ‹a pair› 「三 四」",
            [("any", "good paper"), ("any", "two words"), ("any", "a pair"), ("any", "三 四")],
        ),
        ("'two words' don't", [("any", "two words"), ("any", "dont")]),
        ('"attention', [("any", "attention")]),
        ('a"b c"d', [("any", "a"), ("any", "b c"), ("any", "d")]),
        ("author:simsek", [("author", "simsek")]),
        ('AUTHOR: "Özgür Şimşek"', [("author", "ozgur simsek")]),
        ("title:secret topic:theory", [("title", "secret"), ("topic", "theory")]),
        ("作者：李雷", [("author", "李雷")]),
        ("title:", [("any", "title")]),
        ("title: !!", [("any", "title")]),
        ("subtitle:x", [("any", "subtitle x")]),
        ("grammar::fa", [("any", "grammar fa")]),
        ("title::fa", [("any", "title fa")]),
        ("-BERT", [("any", "bert")]),
        ("x-y-z", [("any", "x y z")]),
        ("AT&T a/b R&D <3", [("any", "at t"), ("any", "a b"), ("any", "r d"), ("any", "3")]),
        ("a,b；c，d", [("any", "a"), ("any", "b"), ("any", "c"), ("any", "d")]),
        ("https://arxiv.org/abs/2401.00001", [("id", "arxiv_2401_00001")]),
        ("arXiv:2401.00001v2", [("id", "arxiv_2401_00001")]),
        ("https://doi.org/10.1145/3292500.3330701", [("id", "doi_10_1145_3292500_3330701")]),
        ("shelf_5 tokens:topic_theory", [("any", "shelf 5"), ("any", "tokens topic theory")]),
        ("!!! … 🤖", []),
        ("", []),
    ],
)
def test_a_text_is_read_as_people_mean_it(text: str, terms: list[tuple[str, str]]) -> None:
    assert shape(parse_query(text)) == terms


@given(st.text(st.characters(exclude_categories=[]), max_size=300))
def test_every_text_is_a_query(text: str) -> None:
    query = parse_query(text)
    assert query.text == text
    parse_beginning(text)


def test_a_query_too_long_says_how_long_it_may_be() -> None:
    with pytest.raises(BadInput) as caught:
        parse_query("x" * 2000)
    assert (caught.value.key, caught.value.values) == ("search.too_long", {"n": 300})
    assert parse_query("x " * 150).terms


def test_the_last_word_being_typed_is_a_beginning() -> None:
    assert [(t.wanted.row, t.wanted.open) for t in parse_beginning("deep lea").terms if t.wanted] == [
        (("deep",), False),
        (("lea",), True),
    ]
    assert [t.wanted.open for t in parse_beginning("deep ").terms if t.wanted] == [False]
    assert parse_beginning("x" * 2000).terms


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("“model learning”", "model learning"),
        (' "model learning" ', "model learning"),
        ("‘model learning’", "model learning"),
        ("「模型」", "模型"),
        ("model learning", "model learning"),
        ("“model” learning", "“model” learning"),
        ("“model” “learning”", "“model” “learning”"),
        ("'a' b 'c'", "'a' b 'c'"),
        ("““", "““"),
        ("“”", "“”"),
        ("title:“model”", "title:“model”"),
        ("", ""),
    ],
)
def test_a_query_that_is_one_quoted_phrase_is_said_without_its_quotes(typed: str, shown: str) -> None:
    assert without_quotes(typed) == shown
