"""Papers that beat each other in a circle, drawn: a box each, an arrow from who won to who lost. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

from adapters.preview.html import Markup, h

_WIDTH, _ASIDE = 374, 125  # of the picture, and how far boxes stand from its middle
_BOX, _TALL = (122, 46), 27  # a box, and the room from its middle to the edge
_GAP = 5  # between an arrow and a box
_HEAD = 10  # the length of an arrow's head
_LINE = 14  # signs of a name in one line of a box

Point = tuple[float, float]
Arrow = tuple[str, str]
"""What stands beside it: the score, and a word below where the win did not count."""


def render_circle(names: Sequence[str], arrows: Sequence[Arrow]) -> Markup:
    """The first of `names` on top, the others clockwise; `arrows[i]` leads from a name to the next one.

    Screen readers hear the sentence above it, which says the same.
    """
    tall = 34 * len(names)
    places = [_place(number, len(names), tall) for number in range(len(names))]
    top = min(y for _, y in places) - _TALL
    height = max(y for _, y in places) + _TALL - top
    drawn = [
        part
        for number, (score, word) in enumerate(arrows)
        for part in _arrow(places[number], places[(number + 1) % len(places)], score, word)
    ]
    boxes = [
        _box(name, at, first=not number) for number, (name, at) in enumerate(zip(names, places, strict=True))
    ]
    view = f"{-_WIDTH / 2:g} {top:g} {_WIDTH} {height:g}"
    return h("svg", *drawn, *boxes, class_="circle", viewBox=view, text_anchor="middle", aria_hidden="true")


def _place(number: int, of: int, tall: int) -> Point:
    angle = 2 * pi * number / of - pi / 2
    return round(_ASIDE * cos(angle), 1), round(tall * sin(angle), 1)


def _box(name: str, at: Point, *, first: bool) -> Markup:
    (x, y), (wide, high) = at, _BOX
    frame = h("rect", x=_n(x - wide / 2), y=_n(y - high / 2), width=wide, height=high, rx=8)
    lines = _lines(name)
    start = y + 5 - 9 * (len(lines) - 1)
    texts = (h("text", line, x=_n(x), y=_n(start + 18 * number)) for number, line in enumerate(lines))
    return h("g", frame, *texts, class_="won" if first else None)


def _lines(name: str) -> list[str]:
    """A name in at most two lines."""
    if len(name) <= _LINE:
        return [name]
    blanks = [at for at, sign in enumerate(name) if sign == " "]
    middle = min(blanks, key=lambda at: abs(at - len(name) / 2), default=len(name) // 2)
    return [name[:middle], name[middle:].strip()]


def _arrow(start: Point, end: Point, score: str, word: str) -> list[Markup]:
    length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
    along = ((end[0] - start[0]) / length, (end[1] - start[1]) / length)
    reach = min(
        half / abs(part)
        for half, part in zip((_BOX[0] / 2, _BOX[1] / 2), along, strict=True)
        if abs(part) > 1e-6
    )
    tail, tip = _along(start, along, reach + _GAP), _along(end, along, -reach - _GAP)
    base = _along(tip, along, -_HEAD)
    wing = (-along[1] * _HEAD / 2, along[0] * _HEAD / 2)
    corners = (tip, (base[0] + wing[0], base[1] + wing[1]), (base[0] - wing[0], base[1] - wing[1]))
    kind = "aside" if word else None
    line = h("line", x1=_n(tail[0]), y1=_n(tail[1]), x2=_n(base[0]), y2=_n(base[1]), class_=kind)
    head = h("polygon", points=" ".join(f"{_n(x)},{_n(y)}" for x, y in corners), class_=kind)
    return [line, head, *_beside(((tail[0] + tip[0]) / 2, (tail[1] + tip[1]) / 2), along, score, word)]


def _beside(middle: Point, along: Point, score: str, word: str) -> list[Markup]:
    """The score outside the circle, whose arrows run clockwise; of a level arrow above it, the word below it."""
    out = (along[1], -along[0])
    x, y = middle[0] + 12 * out[0], middle[1] + 4 + 10 * out[1]
    below, anchor = 18, "start" if out[0] > 0 else "end"
    if abs(out[0]) < 0.3:
        x, y, below, anchor = middle[0], middle[1] - 8, 27, "middle"
    elif word and out[1] < 0:  # the word must not lie on the arrow
        y -= below / 2
    said = [h("text", score, x=_n(x), y=_n(y), class_="score", text_anchor=anchor)]
    return (
        [*said, h("text", word, x=_n(x), y=_n(y + below), class_="word", text_anchor=anchor)]
        if word
        else said
    )


def _along(point: Point, direction: Point, distance: float) -> Point:
    return point[0] + direction[0] * distance, point[1] + direction[1] * distance


def _n(value: float) -> str:
    return f"{value:.1f}"
