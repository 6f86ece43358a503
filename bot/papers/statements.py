"""Where a sentence of an abstract says what its authors did: "we propose", "this paper studies"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.papers.headline_words import BY_MAKING, CLAIMING, MAKING, PROPOSING, SOLVING, STRONG, STUDYING

_WORK = "paper|work|study|article|report|manuscript|project|thesis|survey"
_SUBJECT = (
    rf"\b(?:[Ww]e|(?:[Tt]his|[Tt]he|[Oo]ur)(?: present| current)?(?: [a-z-]+)? (?:{_WORK})|[Tt]he authors)\b"
)
_ADVERBS = (
    r"(?:(?:also|further|first|then|next|thus|hence|here|now|instead|therefore|[a-z]+ly) ){0,3}"
    r"(?:(?:seek|aim|attempt)s? to )?"
)
_VERB_AFTER_SUBJECT = re.compile(
    rf"(?P<subject>{_SUBJECT})(?:,(?:(?!\b[Ww]e\b)[^,;:]){{1,120}},)? {_ADVERBS}(?P<verb>put forward|[a-z-]+)"
)
_SECOND_VERB = re.compile(
    rf"(?:,? and|,|;) {_ADVERBS}(?P<verb>[a-z-]+)|(?:\bby|,) (?P<by>{'|'.join(BY_MAKING)})\b"
)
_POINTS = {
    verb: points
    for verbs, points in ((STUDYING, 4), (SOLVING, 5), (CLAIMING, 5), (MAKING, 8), (PROPOSING, 9))
    for verb in verbs
}
_NEXT_VERB = re.compile(
    rf",? and then\b|,(?: and)? we\b|,? (?:and|then) (?:(?:we|also|further|thus|finally|[a-z]+ly) )*"
    rf"(?:{'|'.join(sorted(verb for verb in _POINTS if not verb.endswith('ed')))})\b"
)
_LONGEST = 1_200
"""Characters of a sentence that are looked at; what is longer is no sentence."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A verb the authors are the subject of; `start` is where the subject begins, `end` where the verb ends.

    `points` say how much the verb tells about the work: 9 for "propose", 4 for "study".
    """

    verb: str
    points: float
    start: int
    end: int


def find_statements(sentence: str) -> Iterator[Statement]:
    """The statements of one sentence, first the one of the subject, then "…, and propose …"."""
    start = None
    position = 0
    while found := _VERB_AFTER_SUBJECT.search(sentence, position, _LONGEST):
        position = found.end("subject")
        if start is None:
            start = found.start("subject")
        if found["verb"] in _POINTS:
            yield Statement(found["verb"], _POINTS[found["verb"]], found.start("subject"), found.end("verb"))
    if start is None:
        return
    for found in _SECOND_VERB.finditer(sentence, start, _LONGEST):
        verb = found["verb"] or found["by"]
        if found["by"] or verb in STRONG or verb in CLAIMING:
            yield Statement(verb, _POINTS.get(verb, 8) - 1.5, start, found.end())


def before_next_verb(text: str) -> str:
    """The text up to the next thing the authors did: "…, and show that"."""
    found = _NEXT_VERB.search(text)
    return text[: found.start()] if found else text
