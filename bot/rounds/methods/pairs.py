"""Duels: how many ballots put one option before another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.rounds.methods.model import Vote

Matrix = Mapping[str, Mapping[str, int]]
"""matrix[a][b]: so many ballots put a before b."""


def pairwise(votes: Sequence[Vote], options: Sequence[str]) -> dict[str, dict[str, int]]:
    """All duels. Options a ballot does not rank are below all it ranks, and level with each other.

    A row is counted as one long number with a field for each option, so that a ballot needs one addition a rank.
    """
    width = sum(vote.count for vote in votes).bit_length() or 1
    units = {option: 1 << (width * place) for place, option in enumerate(options)}
    everything = sum(units.values())
    rows = dict.fromkeys(options, 0)
    for vote in votes:
        below = everything
        for tier in vote.ranking:
            for option in tier:
                below -= units[option]
            for option in tier:
                rows[option] += below * vote.count
    mask = (1 << width) - 1
    return {
        one: {other: row // units[other] & mask for other in options if other != one}
        for one, row in rows.items()
    }


def duels(matrix: Matrix, option: str) -> list[tuple[str, int, int]]:
    """The option's duels in the order of the list: the other, ballots for the option, ballots against it."""
    return [(other, votes, matrix[other][option]) for other, votes in matrix[option].items()]
