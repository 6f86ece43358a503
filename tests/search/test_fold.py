"""Text becomes the same tokens wherever it comes from, and any text may come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.papers.model import Paper
from bot.search.fold import Wanted, fold, fold_paper, fold_plain, fold_query, tokens_with_spans

TEXTS = st.text(st.characters(exclude_categories=[]), max_size=60)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Özgür Şimşek", "ozgur simsek"),
        ("Yıldız, Sørensen & Łukasz", "yildiz sorensen lukasz"),
        ("Đorđević Weiß Nguyễn Dvořák Æsir", "dordevic weiss nguyen dvorak aesir"),
        ("þorn ðat œuvre ĦĦ ŧ", "thorn dat oeuvre hh t"),
        ("e\u0301te\u0301 = été", "ete ete"),
        ("ﬁne Ｆｕｌｌ x² 𝐛𝐨𝐥𝐝", "fine full x2 bold"),
        ("Don’t — O'Brien's", "dont obriens"),
        ("state-of-the-art", "state of the art"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("C++ C# F# g++ C++17", "cplusplus csharp fsharp gplusplus cplusplus 17"),
        ("issue #12, a + b", "issue 12 a b"),
        (".NET AT&T a/b 50% @nasa", "net at t a b 50 nasa"),
        ("强化学习", "强化 化学 学习 习"),
        ("与RL方法", "与 rl 方法 法"),
        ("데이터", "데이 이터 터"),
        ("ﾃﾞｰﾀ", "デー ータ タ"),
        ("Не́рный Йод", "нерныи иод"),
        ("हिन्दी", "हिन्दी"),
        ("🤖 !? — … ™ _", "tm"),
        ("a_b", "a b"),
        ("", ""),
    ],
)
def test_a_text_folds_to_its_tokens(text: str, tokens: str) -> None:
    assert fold_plain(text) == tokens


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("pre-training", {"pretraining"}),
        ("Pearson's r", {"pearson"}),
        ("O’Brien", {"brien"}),
        ("C++ and C#", {"c"}),
        ("-dashed- 'quoted'", set()),
    ],
)
def test_further_spellings_stand_behind_the_text(text: str, spellings: set[str]) -> None:
    assert set(fold(text).split()[len(fold_plain(text).split()) :]) == spellings


@pytest.mark.parametrize(
    ("piece", "wanted"),
    [
        ("雷", Wanted(("雷",), open=True)),
        ("强化", Wanted(("强化",))),
        ("强化学习", Wanted(("强化", "化学", "学习"))),
        ("RL方", Wanted(("rl", "方"), open=True)),
        ("方法RL", Wanted(("方法", "法", "rl"))),
        ("pre-training", Wanted(("pre", "training"), joined="pretraining")),
        ("don't", Wanted(("dont",))),
        ("...", None),
    ],
)
def test_a_piece_of_a_query_finds_its_text_anywhere(piece: str, wanted: Wanted | None) -> None:
    assert fold_query(piece) == wanted


@given(TEXTS)
def test_every_text_folds_to_letters_and_digits(text: str) -> None:
    for token in fold(text).split():
        assert not set(token) & set("\"'-+#*_:()^ \t\n\0"), token
        assert not any("\ud800" <= sign <= "\udfff" for sign in token)


@given(TEXTS)
def test_tokens_with_places_are_the_tokens(text: str) -> None:
    places = list(tokens_with_spans(text))
    assert all(0 <= begin < end <= len(text) for _, begin, end in places)
    if text.isascii():
        assert [token for token, _, _ in places] == fold_plain(text).split()


def test_shelf_topic_and_identifiers_are_tokens_nobody_can_type() -> None:
    paper = Paper(
        ("A",), False, "Deep Learning", "Theory", "x", arxiv_id="2401.00001", doi="10.1/X-y", club=7
    )
    tokens = fold_paper(paper).tokens.split()
    assert {"shelf_own", "shelf_7", "area_deeplearning", "topic_theory", "topic_deeplearningtheory"} <= set(
        tokens
    )
    assert {"arxiv_2401_00001", "doi_10_1_x_y"} <= set(tokens)
    assert not any("_" in fold(token) for token in tokens)


def test_a_shared_paper_without_topic_carries_no_shelf() -> None:
    assert fold_paper(Paper((), False, None, None, "x")).tokens == "area_"
