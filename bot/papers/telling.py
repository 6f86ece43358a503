"""Which sentence of an abstract tells what was made or found, and the line it gives without a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.papers.headline_words import POSITION_VERBS, USING
from bot.papers.shorten import capitalised, cut_words, news, reads_whole, shorten, wordings
from bot.papers.statements import Statement, before_next_verb, find_statements

_BACKWARD = re.compile(
    r"(?:this|that|these|those|such|its?|they|them|their|our|both|the (?:resulting|proposed|above|same)|there"
    r"|which|when|where|if|in|under|with|by|from|at|as)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"(?: (?:the problem of|to|for|\(i\)|novel|out|upon|on|about))*\s*")
_CLAIM = re.compile(r"(?P<that>that,? )|(?:how|whether|why|what)\b")
_NO_NEWS = re.compile(
    r"(?:However|Existing|Recent|Despite|Although|Prior|While|Current|Yet|But|Unfortunately"
    r"|Traditional|Previous)\b"
)
_AFTERWARDS = re.compile(
    r"\bwe (?:also|further|then|finally|additionally)\b|\bTo further\b"
    r"|\A(?:Moreover|Furthermore|Additionally|Finally|Second|Third|Lastly|In addition|Next)\b"
)
_RESULTS = re.compile(
    r"\b(?:[Ee]xperiment(?:s|al|ally)?|[Rr]esults|[Cc]ode|[Ee]mpirical(?:ly)?|[Ee]valuations?)\b"
)
_THIS_PAPER = re.compile(r"\b[Tt]his (?:paper|work|article)\b")
_OURS = re.compile(r"\b(?:[Oo]ur|[Tt]he proposed)\b")


def telling_line(sentences: list[str], room: int) -> str:
    """What the authors made or claim, in their words, in at most `room` characters; else a sentence quoted.

    A claim is given whole or ends in "…". A quotation can be dull; it cannot be false.
    """
    position = any("osition paper" in sentence for sentence in sentences)
    ranked = sorted(_statements(sentences, position), key=lambda found: -found[0])
    for points, sentence, statement in ranked[:4]:
        if points >= ranked[0][0] - 3 and (line := _told(sentence, statement, position, room)):
            return line
    if ranked:
        _, sentence, statement = ranked[0]
        return cut_words(capitalised(sentence[statement.start :]), room)
    best = max(range(len(sentences)), key=lambda index: _quote_points(sentences[index], index))
    return cut_words(capitalised(sentences[best]), room)


def _statements(sentences: list[str], position: bool) -> Iterator[tuple[float, str, Statement]]:
    for index, sentence in enumerate(sentences):
        for found in find_statements(sentence):
            points = found.points + (3 if found.points == 4 and index == 0 else 0)
            if position and found.verb in POSITION_VERBS:
                points = 11
            points += 1.5 * bool(_THIS_PAPER.search(sentence)) - 3 * bool(_AFTERWARDS.search(sentence))
            points -= 3 * bool(found.points < 8 and _RESULTS.search(sentence))
            points -= 2 * bool(re.match(r" (?:the )?(?:notion|concept)", sentence[found.end :]))
            yield points - 0.25 * index, sentence, found


def _quote_points(sentence: str, index: int) -> float:
    """How well a sentence without "we" tells what was done: "the proposed …" rather than "However, …"."""
    points = 2.5 * bool(_OURS.search(sentence)) - 0.25 * index - 4 * sentence.endswith("?")
    return points - 3 * bool(
        _NO_NEWS.match(sentence) or _AFTERWARDS.search(sentence) or _RESULTS.search(sentence)
    )


def _told(sentence: str, statement: Statement, position: bool, room: int) -> str | None:
    """What comes after the verb, as a line; None when it would not stand by itself."""
    if statement.verb in USING:
        line = shorten(before_next_verb(sentence[statement.start :]), room)
        return capitalised(line) if line and news(line) >= 3 else None
    rest = sentence[statement.end :]
    rest = _OPENING.sub("", before_next_verb(rest), count=1)
    if claim := _CLAIM.match(rest):
        rest = rest[claim.end("that") :] if claim["that"] else rest
        if position:
            return "Position: " + (_whole(rest, room - 10) or cut_words(rest, room - 10))
        line = _whole(rest, room)
    else:
        line = shorten(rest, room)
    if not line or len(line) < 25 or len(line.split()) < 4 or not news(line) or _BACKWARD.match(line):
        return None
    return capitalised(line)


def _whole(claim: str, room: int) -> str | None:
    """A claim without its asides or what stands behind its colon; None where it would need a cut."""
    for text in (claim, claim.partition(":")[0]):
        for wording in wordings(text):
            if len(wording) <= room and reads_whole(wording):
                return wording
    return None
