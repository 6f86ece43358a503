"""Plain text: what people read of an abstract, and what its source emphasised."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.papers.plain import emphasised, plain_text

CASES = [
    tuple(line.split("\t"))
    for line in (Path(__file__).parents[1] / "data" / "plain.tsv").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
MARKUP = st.text(alphabet="${}*_\\`'\"[]()<>&;~^-|=,. \n\tab1é\u200b") | st.lists(
    st.sampled_from(
        [
            "\\frac",
            "\\textbf{",
            "\\cite{",
            "\\href{",
            "\\(",
            "\\)",
            "$",
            "$$",
            "{",
            "}",
            "**",
            "*",
            "_",
            "a ",
            "^",
        ]
    )
).map("".join)


@pytest.mark.parametrize(("source", "shown"), CASES)
def test_markup_becomes_readable_text(source: str, shown: str) -> None:
    assert plain_text(source) == shown


@pytest.mark.parametrize("shown", [shown for _, shown in CASES])
def test_rendering_what_is_rendered_changes_nothing(shown: str) -> None:
    assert plain_text(shown) == shown


def test_line_breaks_and_runs_of_blanks_become_one_blank() -> None:
    assert plain_text("  One\r\n\r\ntwo\t three\u00a0 $x$\n") == "One two three x"


@pytest.mark.parametrize("blank", ["", " ", "\n\t\r\n", "\u200b\ufeff"])
def test_blank_input_gives_nothing(blank: str) -> None:
    assert plain_text(blank) == ""
    assert emphasised(blank) == frozenset()


def test_control_characters_and_lone_surrogates_are_dropped() -> None:
    assert plain_text("re\x02al\u202e \ud800text") == "real text"


def test_emoji_made_of_several_signs_stay_whole() -> None:
    assert plain_text("by 👩\u200d🔬 and **x**") == "by 👩\u200d🔬 and x"


@given(st.text(alphabet=st.characters(codec=None)) | MARKUP)
def test_any_text_gives_one_line(source: str) -> None:
    text = plain_text(source)
    assert text == " ".join(text.split())
    text.encode()
    assert all(name == " ".join(name.split()) for name in emphasised(source))


@given(st.from_regex(r"[A-Za-z0-9 ,.;:%()?!+=/#@^-]{0,80}", fullmatch=True))
def test_words_without_markup_are_kept(source: str) -> None:
    source = " ".join(source.replace("--", "-").replace("--", "-").split())
    assert plain_text(source) == source


@pytest.mark.parametrize(
    "sign", ["$", "{", "*", "\\", "$x^", "\\frac", "\\(", "[a](", "`a", "<a", "\\textsuperscript{"]
)
def test_hostile_repetition_takes_linear_time(sign: str) -> None:
    def seconds(size: int) -> float:
        started = time.process_time()
        plain_text(sign * (size // len(sign)))
        return time.process_time() - started

    seconds(1_000)
    assert seconds(200_000) < 40 * max(seconds(20_000), 0.002)


def test_a_megabyte_of_markup_finishes() -> None:
    started = time.process_time()
    plain_text("${*\\" * 250_000)
    assert time.process_time() - started < 20


def test_emphasis_of_every_notation_is_found_as_plain_text() -> None:
    source = (
        r"**BREAD**, *Neural Toast* (NT), _Crumb Operators_, \emph{slow rise}, $\textbf{Oven-2}$, "
        r"{\bf old} <em>web</em> \textbf{All 90\% of it.}"
    )
    assert emphasised(source) == {
        "BREAD", "Neural Toast", "Crumb Operators", "slow rise", "Oven-2", "old", "web", "All 90% of it",
    }  # fmt: skip


@pytest.mark.parametrize(
    "source", ["**D**ifferentiable", r"\underline{\bf Adv}ersarial", "water**m**ark", "a_b_c"]
)
def test_letters_inside_a_word_are_not_an_emphasised_name(source: str) -> None:
    assert emphasised(source) == frozenset()
