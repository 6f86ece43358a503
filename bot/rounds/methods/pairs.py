"""Duels: how many ballots put one option before another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.rounds.methods.model import Vote

Matrix = Mapping[str, Mapping[str, int]]
"""matrix[a][b]: so many ballots put a before b."""


def pairwise(votes: Sequence[Vote], options: Sequence[str]) -> dict[str, dict[str, int]]:
    """All duels. Options a ballot does not rank are below all it ranks, and level with each other."""
    equal: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for vote in votes:
        equal[vote.ranking] += vote.count
    matrix = {one: {other: 0 for other in options if other != one} for one in options}
    for ranking, count in equal.items():
        below = set(options)
        for tier in ranking:
            below.difference_update(tier)
            for option in tier:
                row = matrix[option]
                for lower in below:
                    row[lower] += count
    return matrix


def duels(matrix: Matrix, option: str) -> list[tuple[str, int, int]]:
    """The option's duels in the order of the list: the other, ballots for the option, ballots against it."""
    return [(other, votes, matrix[other][option]) for other, votes in matrix[option].items()]
