"""What the line that stands in for a title promises."""

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.papers.headline import MAX_LENGTH, make_headline
from bot.papers.listing import parse_listing
from bot.papers.plain import plain_text
from bot.papers.shorten import FUNCTION_WORDS, last_word
from bot.starter import starter_pages

KNOWN = json.loads((Path(__file__).parents[1] / "data" / "headline.json").read_text(encoding="utf-8"))

SENTENCES = st.sampled_from(
    [
        "However, existing methods need many labels (e.g., Smith et al. 2020) and are slow.",
        r"We propose \textbf{FlatWalk}, a simple method that walks along flat valleys of the loss "
        "surface with one extra gradient per step, and show that it converges.",
        "To address this, we introduce Nested Oracle Trees (NOTs), which balance the depth of every oracle "
        "and its cost.",
        "In this paper, we study the problem of learning $k$ halfspaces under noise between the two classes.",
        "We show that wide networks forget less than deep ones whenever the rate is small "
        "and the tasks are alike.",
        "This position paper argues that leaderboards hide what they should measure, namely progress for "
        "people who speak languages other than English or who read slowly.",
        "We present QuietBench (Quiet Listening Benchmark): 400 recordings — from 12 cities — of “rest”.",
        "Our approach outperforms FlashAttention by 3.2\\% on ImageNet.",
        "Can this be done faster? Yes, it can.",
        "We seek to understand how pretrained policies shape later training; see Fig. 3.",
        "the authors describe a *gradient carpet*, a lower-case thing",
        "We 研究 the (unclosed bracket and “an open quote of the",
    ]
)
ABSTRACTS = st.lists(st.one_of(SENTENCES, st.text(max_size=60)), min_size=1, max_size=8).map(" ".join)


def words_of(text: str) -> set[str]:
    return {word.lower() for word in plain_text(text).replace("- ", "-").replace("…", " ").split()}


@pytest.mark.parametrize("paper", KNOWN, ids=[paper["headline"][:30] for paper in KNOWN])
def test_known_abstracts_have_their_headline(paper: dict[str, str]) -> None:
    headline = make_headline(paper["abstract"])
    assert headline is not None
    assert (headline.name, headline.text) == (paper["name"], paper["headline"])


def test_different_papers_have_different_headlines() -> None:
    lines = [made.text for paper in KNOWN if (made := make_headline(paper["abstract"]))]
    assert len(set(lines)) == len(KNOWN)


@given(ABSTRACTS)
def test_a_headline_is_one_line_of_at_most_100_characters(abstract: str) -> None:
    headline = make_headline(abstract)
    if headline is not None:
        assert 0 < len(headline.text) <= MAX_LENGTH == 100
        assert headline.text == " ".join(headline.text.split())


@given(ABSTRACTS)
def test_the_same_abstract_always_gives_the_same_headline(abstract: str) -> None:
    assert make_headline(abstract) == make_headline(abstract)


@given(st.lists(SENTENCES, min_size=1, max_size=6).map(" ".join))
def test_a_headline_is_made_of_the_abstracts_own_words(abstract: str) -> None:
    headline = make_headline(abstract)
    assert headline is not None
    strip = "()[]“”\"',.:;—…"
    own = {word.strip(strip) for word in words_of(abstract)} | {"position", ""}
    assert {word.strip(strip) for word in words_of(headline.text)} <= own


@given(st.lists(SENTENCES, min_size=1, max_size=6).map(" ".join))
def test_a_cut_leaves_no_half_word_function_word_or_open_bracket(abstract: str) -> None:
    headline = make_headline(abstract)
    assert headline is not None
    if headline.text[-1] not in ".?!":  # a sentence quoted whole may end as it likes
        assert last_word(headline.text) not in FUNCTION_WORDS
        assert headline.text.count("(") == headline.text.count(")")
        assert last_word(headline.text) in {word.strip("()[]“”\"',.:;—…") for word in words_of(abstract)}


@given(ABSTRACTS)
def test_a_headline_with_a_name_starts_with_it(abstract: str) -> None:
    headline = make_headline(abstract)
    if headline is not None and headline.name is not None:
        assert headline.text.startswith(headline.name)


def test_the_headlines_of_the_starter_papers_start_with_their_names_and_leave_nothing_open() -> None:
    papers = [paper for _, page in starter_pages() for paper in parse_listing(page).papers]
    headlines = [made for paper in papers if (made := make_headline(paper.abstract))]
    assert len(headlines) == len(papers) == 80
    assert sum(made.name is not None for made in headlines) >= 40
    for made in headlines:
        assert made.text.startswith(made.name or "")
        assert made.text[-1].isalnum() or made.text[-1] in ").…"
        assert last_word(made.text) not in FUNCTION_WORDS


@pytest.mark.parametrize("space", ["W^(k, p)(ℝᵈ)", "W^{k,p}", "$W^{k, p}(\\mathbb{R}^d)$", "L_2 / H"])
def test_a_formula_is_never_cut(space: str) -> None:
    made = make_headline(
        f"Little is known. We study the generalization behavior of functions in Sobolev spaces {space} that "
        "perfectly fit a noisy training data set of few points."
    )
    assert made is not None
    formula = "".join(plain_text(space).split())
    shown = "".join(made.text.split())
    assert formula in shown or formula[:2] not in shown


def test_a_word_is_never_cut_at_its_start() -> None:
    made = make_headline("We study online episodic tabular decision processes with known transitions.")
    assert made is not None and made.text.startswith("Online episodic")


def test_the_line_of_a_claim_never_points_back() -> None:
    made = make_headline(
        "In this paper, we study strong consistency of trees. We introduce the notion of a shallow tree."
    )
    assert made is not None and made.text == "Strong consistency of trees"


def test_a_claim_is_whole_or_ends_with_dots() -> None:
    claim = "narrow networks generalize to every distribution of inputs"
    whole = make_headline(f"Little is known of this. We show that {claim}. Code is public.")
    assert whole is not None and whole.text == claim.capitalize()
    long = make_headline(
        f"Little is known. We show that {claim} unless the noise has heavy tails and grows with depth."
    )
    assert long is not None and long.text.endswith("…")


def test_a_position_paper_says_position_and_its_claim() -> None:
    headline = make_headline(
        "Many read too little. This position paper argues that reading groups make better science."
    )
    assert headline is not None and headline.text == "Position: reading groups make better science"


def test_a_baseline_or_a_field_is_not_the_name() -> None:
    headline = make_headline(
        "Spiking Neural Networks (SNNs) are slow next to FlashAttention. We propose a "
        "pruning rule for spikes that halves the active neurons. It outperforms FlashAttention."
    )
    assert headline is not None and headline.name is None
    assert headline.text.startswith("A pruning rule for spikes")


def test_a_part_introduced_later_is_not_the_name() -> None:
    headline = make_headline(
        "We propose PaperWolf, a retrieval system for old proofs in many languages. PaperWolf is fast. "
        "To train it, we introduce a Proof Ordering Loss (POL). PaperWolf finds twice as many proofs."
    )
    assert headline is not None and headline.name == "PaperWolf"


@pytest.mark.parametrize("blank", ["", " \n\t ", "\u3000", r"\textbf{}"])
def test_nothing_to_read_gives_no_headline(blank: str) -> None:
    assert make_headline(blank) is None


def test_a_one_sentence_abstract_gives_that_sentence() -> None:
    headline = make_headline("Cats sleep more than dogs.")
    assert headline is not None and headline.text == "Cats sleep more than dogs."


@pytest.mark.parametrize(
    "piece", ["a", "(a ", "we propose X (", 'We show that "', "\\", "$", "{", "**", ". ", "—", "\ud800"]
)
def test_a_megabyte_of_garbage_is_answered_quickly(piece: str) -> None:
    started = time.process_time()
    headline = make_headline(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 2
    assert headline is None or len(headline.text) <= 100


def test_random_characters_never_raise() -> None:
    chance = random.Random(5)
    for _ in range(300):
        text = "".join(
            chance.choice("We propose aXB(),.:;—“”\"'*$\\{}[]…² \n") for _ in range(chance.randrange(400))
        )
        make_headline(text)
