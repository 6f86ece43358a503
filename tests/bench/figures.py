"""How measured figures are written down beside the raw thing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured line. `target` bounds the ratio of ours to raw, such as '<= 1.25' or '>= 10'."""

    name: str
    ours: str
    raw: str
    ratio: float
    target: str

    @property
    def holds(self) -> bool:
        """Does the ratio keep to its target?"""
        sign, number = self.target.split()
        return self.ratio <= float(number) if sign == "<=" else self.ratio >= float(number)


def table(figures: Iterable[Figure]) -> str:
    """The figures as a table for people; what misses its target says so."""
    lines = [f"{'name':<44} {'ours':>12} {'raw':>12} {'ratio':>7}  target"]
    for figure in figures:
        line = f"{figure.name:<44} {figure.ours:>12} {figure.raw:>12} {figure.ratio:>7.2f}  {figure.target}"
        lines.append(line if figure.holds else f"{line}  MISSED")
    return "\n".join(lines)
