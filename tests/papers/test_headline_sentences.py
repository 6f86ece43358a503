"""Where sentences of abstracts end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.papers.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It works. We show it.", 2),
        ("As Hu et al. (2024) say, models (e.g. trees) are fast. they are.", 2),
        ("Is it fast? Yes!", 2),
        ("A method (see above. It is old. Really.) works. Good.", 2),
        ("Read J. Smith on the number of classes R. We show more.", 2),
        ("We call it PyHealth 2.0 and GPT-4.1. Runs 1.5x faster.", 2),
        ("Proprietary models.Analog models serve all.", 2),
        ("Images, text, etc. are used. Images, text, etc. We go on.", 3),
        ("1. first we read", 1),
        ("They said “stop.” We went on.", 2),
        ("xLSTM is old. xLSTM is good.", 2),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, count: int) -> None:
    assert len(split_sentences(text)) == count


@given(st.text())
def test_no_word_is_lost(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
