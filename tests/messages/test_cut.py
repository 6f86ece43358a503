"""Texts are cut where a reader would cut them."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from bot.messages.cut import cut, length

SCIENTIST = "👩‍🔬"
ACUTE = "é"
SIGNS = st.text(
    alphabet=st.one_of(
        st.characters(codec="utf-8", exclude_categories=("Cs",)),
        st.sampled_from([" ", "a", "\u0301", "\u200d", "👩", "🔬", "🏽", "🇩", "🇪", "論", "…", "\ufe0f"]),
    ),
    max_size=120,
)


@pytest.mark.parametrize("limit", [4096, 2000, 3000, 4000, 75])
@pytest.mark.parametrize("sign", [SCIENTIST, ACUTE])
def test_a_sign_of_several_characters_is_never_halved(limit: int, sign: str) -> None:
    text = cut("x" * (limit - 1) + sign + "tail", limit)
    assert text.endswith("x…") and text.count("…") == 1
    assert len(text) <= limit and len(text.encode("utf-16-le")) // 2 <= limit
    assert "\u200d" not in text and "\u0301" not in text


def test_a_word_near_the_end_is_not_cut_in_two() -> None:
    assert cut("the sorting of ballots by colour", 20) == "the sorting of …"
    assert cut("the sorting, of ballots by colour", 15) == "the sorting …"


def test_a_word_too_long_is_cut_inside() -> None:
    assert cut("electroencephalography", 10) == "electroen…"


def test_what_fits_stays_as_it_is() -> None:
    assert cut("fits", 4) == "fits"
    assert cut("👩", 2) == "👩"


def test_nothing_is_left_of_too_little_room() -> None:
    assert cut("word", 1) == "…"
    assert cut("word", 0) == ""


@given(SIGNS, st.integers(min_value=0, max_value=60))
def test_a_cut_text_keeps_to_every_way_of_counting(text: str, limit: int) -> None:
    result = cut(text, limit)
    if length(text) <= limit:
        assert result == text
        return
    assert len(result) <= limit and len(result.encode("utf-16-le")) // 2 <= limit
    assert result == "" if limit == 0 else result.endswith("…")
    kept = result.removesuffix("…").removesuffix(" ")
    assert text.startswith(kept)
    assert kept == "" or text[: len(kept)] == "".join(_signs_within(text, len(kept)))


def _signs_within(text: str, end: int) -> list[str]:
    """The whole signs of the first `end` characters: they reach `end` only if none was halved there."""
    return [sign[0] for sign in regex.finditer(r"\X", text) if sign.end() <= end]
