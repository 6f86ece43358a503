"""The ways of counting, one pure function a file, and the names they go by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bot.errors import BadInput
from bot.rounds.methods.approval import count_approval
from bot.rounds.methods.irv import count_irv
from bot.rounds.methods.model import Method, Vote
from bot.rounds.methods.phragmen import count_phragmen
from bot.rounds.methods.plurality import count_plurality
from bot.rounds.methods.schulze import count_schulze
from bot.rounds.methods.star import count_star

__all__ = ["ALIASES", "FOR_CLUBS", "METHODS", "Method", "Vote", "find_method", "method_name"]

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "plurality": count_plurality,
        "approval": count_approval,
        "phragmen": count_phragmen,
        "schulze": count_schulze,
        "irv": count_irv,
        "star": count_star,
    }
)

FOR_CLUBS: tuple[str, ...] = ("approval", "phragmen", "plurality", "schulze", "irv")
"""Those a club can choose, the default first; the others have no ballot form."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "av": "approval",
        "any": "approval",
        "seqphragmen": "phragmen",
        "condorcet": "schulze",
        "debian-cssd": "schulze",
    }
)
"""Names in election files. 'any' is a file whose result does not depend on the method."""


def method_name(name: str) -> str:
    """Our name of a method. Raises BadInput('tally.unknown_method') for one that is none of ours."""
    ours = ALIASES.get(name.strip().lower(), name.strip().lower())
    if ours not in METHODS:
        raise BadInput("tally.unknown_method", field="method", method=name, known=tuple(METHODS))
    return ours


def find_method(name: str) -> Method:
    """The function that counts by `name`. Raises as `method_name` does."""
    return METHODS[method_name(name)]
