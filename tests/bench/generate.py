"""Papers made up from a seed, with what matters to a search: few words are frequent, most are rare."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

from bot.papers.model import Paper

AREAS = {
    "Deep Learning": (
        "Large Language Models",
        "Theory",
        "Algorithms",
        "Graph Neural Networks",
        "Attention Mechanisms",
    ),
    "Applications": (
        "Computer Vision",
        "Health / Medicine",
        "Time Series",
        "Neuroscience, Cognitive Science",
    ),
    "General Machine Learning": ("Evaluation", "Causality", "Scalable Algorithms", "Representation Learning"),
    "Theory": ("Learning Theory", "Deep Learning", "Game Theory", "Online Learning and Bandits"),
    "Social Aspects": ("Privacy", "Safety", "Alignment", "Fairness, Equity, Justice and Safety"),
    "Reinforcement Learning": ("Multi-agent", "Planning", "Everything Else"),
    "Optimization": ("Non-Convex", "Stochastic", "Large Scale, Parallel and Distributed"),
    "Probabilistic Methods": ("Bayesian Models and Methods", "Monte Carlo and Sampling Methods"),
}
"""The first areas are the largest, as are the first subareas."""

_ONSETS = [
    "b",
    "c",
    "d",
    "f",
    "g",
    "h",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "w",
    "z",
    "br",
    "cr",
    "dr",
    "fl",
    "gr",
    "pl",
    "pr",
    "sl",
    "st",
    "tr",
]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "io", "ou"]
_CODAS = ["", "", "", "l", "m", "n", "r", "s", "t", "nd", "rk", "st"]
_GIVEN = [
    "Özgür",
    "Søren",
    "Łukasz",
    "Jean-Luc",
    "María",
    "Anna",
    "Wei",
    "Ming",
    "Thảo",
    "Björn",
    "Zoë",
    "Ali",
    "Chloé",
    "Ivan",
    "Yuki",
    "Priya",
]
_FAMILY_END = ["", "ić", "ová", "sen", "ñez", "ß", "ğlu", "-Park", "berg", "ova", "i", "a"]


def vocabulary(size: int = 60_000, seed: int = 1) -> list[str]:
    """Words that could be some language's, all different, the most frequent first."""
    rng = random.Random(seed)
    words: dict[str, None] = {}
    while len(words) < size:
        syllables = 1 + (len(words) > 60) + (rng.random() < 0.6) + (rng.random() < 0.3)
        word = "".join(
            rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(syllables)
        )
        words[word] = None
    return list(words)


def papers(number: int, seed: int = 1) -> Iterator[Paper]:
    """`number` papers with title, some 160 words of abstract, authors and a topic (one in ten: none)."""
    rng = random.Random(seed)
    words = vocabulary(seed=seed)
    zipf = list(accumulate(1 / (rank + 2.7) ** 1.02 for rank in range(len(words))))
    names = [word.capitalize() + rng.choice(_FAMILY_END) for word in rng.sample(words[500:], 8_000)]
    areas = list(AREAS)
    sizes = list(accumulate(1 / (rank + 2) for rank in range(len(areas))))
    for index in range(number):
        text = rng.choices(words, cum_weights=zipf, k=rng.randint(120, 200))
        title = rng.choices(words, cum_weights=zipf, k=rng.randint(5, 12))
        area = rng.choices(areas, cum_weights=sizes)[0] if rng.random() < 0.9 else None
        yield Paper(
            authors=tuple(f"{rng.choice(_GIVEN)} {rng.choice(names)}" for _ in range(rng.randint(2, 6))),
            authors_truncated=False,
            area=area,
            subarea=None if area is None else rng.choice(AREAS[area][: rng.randint(1, 5)]),
            abstract=_sentences(text, rng),
            title=" ".join(title).capitalize(),
            url=f"https://papers.example/{index}",
            year=2020 + index % 7,
            venue="ICML",
            sources=("generated",),
        )


def _sentences(words: list[str], rng: random.Random) -> str:
    """The words with capitals, commas, hyphens and full stops where text has them."""
    sentences = []
    at = 0
    while at < len(words):
        size = rng.randint(12, 30)
        sentence = words[at : at + size]
        at += size
        middle = len(sentence) // 2
        sentence[middle] += ","
        if len(sentence) > 6:
            sentence[2:4] = [f"{sentence[2]}-{sentence[3]}"]
        sentences.append(" ".join(sentence).capitalize() + ".")
    return " ".join(sentences)
