"""Where the sentences of an abstract end, and where they say what its authors did: "we propose"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


def word_set(text: str) -> frozenset[str]:
    """Words as data: a text that lists them."""
    return frozenset(text.split())


_ABBREVIATIONS = word_set(
    "e.g i.e eg ie et al vs cf resp fig figs eq eqs sec ref refs thm approx w.r.t wrt a.k.a aka s.t i.i.d dr"
    " prof mr ms st no viz ca incl dept univ jr inc"
)
"""No sentence ends with the dot behind one of these."""
_OPENERS = word_set("we the this these those in our it its to a an for however while as when on by with")
"""Words that begin a sentence even behind a single capital letter: "the number of classes R. We show"."""
_STOP = re.compile(
    r"""
    \((?:[^()]|\([^()]{0,100}\)){0,400}\) | \[[^\[\]]{0,400}\]       # a closed bracket ends no sentence
    | (?P<stop>[.?!…])[.?!…]*["'”’)\]]*(?=\s)
    | (?<=[a-z]{3})(?P<glued>\.)(?=[A-Z][a-z]+\s[a-z])              # "proprietary models.Analog models serve"
    """,
    re.VERBOSE,
)
_LAST_WORD = re.compile(r"[^\s(\[]*\Z")
_NEXT_WORD = re.compile(r"\s*(\S[\w-]*)")
_INITIALS = re.compile(r"(?:[A-Z]\.)*[A-Z]")
_NUMBER_ALONE = re.compile(r"\s*\(?\d{1,2}\s*")

MAKING = 6
"""A statement of more points says that something was made."""
_POINTS = {
    form: points
    for points, verbs in (
        (9, "propose introduce unveil pioneer"),
        (8, "present develop design devise release create construct curate contribute build built"),
        (5, "show demonstrate prove find found reveal argue conjecture observe discover establish derive"),
        (5, "characteriz characteris formulate solve give gave offer address tackle bridge define describe"),
        (5, "provide identify identifi obtain unify unifi generalize"),
        (4, "study studi investigate consider analyz analys explore examine improve formaliz formalis"),
        (4, "understand initiate assess cast validate"),
        (2, "use adopt leverage train implement extend conduct perform seek apply appli employ evaluate"),
        (2, "compare advance quantify quantifi aim ask collect measure focus revisit rethink"),
    )
    for verb in verbs.split()
    for form in (verb.rstrip("e") + ending for ending in ("", "e", "s", "es", "ed", "ing"))
}
"""How much a verb tells of the work; those of 2 need their "we". A stem gives odd spellings: studi-es."""
_SUBJECT = (
    r"\b(?:[Ww]e|(?:[Tt]his|[Tt]he|[Oo]ur)(?: present| current)?(?: [a-z-]+)?"
    r" (?:paper|work|study|article|report|manuscript|project|thesis|survey)|[Tt]he authors)\b"
)
_ADVERBS = r"(?:(?:also|further|first|then|next|thus|here|now|therefore|[a-z]+ly|(?:seek|aim)s? to) ){0,3}"
_FIRST_VERB = re.compile(
    rf"{_SUBJECT}(?=(?:,(?:(?!\b[Ww]e\b)[^,;:]){{1,120}},)? {_ADVERBS}(?P<verb>[a-z-]+))"
)
_FURTHER_VERB = re.compile(rf"(?:,|;|,? and|,? then|\bby)(?: and| we)* {_ADVERBS}(?P<verb>[a-z]+)")
_LONGEST = 1_200
"""Characters of a sentence that are looked at; what is longer is no sentence."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A verb the authors are the subject of; `start` is where the subject begins, `end` where the verb ends.

    `points` say how much the verb tells about the work: 9 for "propose", 4 for "study".
    """

    points: float
    start: int
    end: int


def split_sentences(text: str) -> list[str]:
    """The sentences of plain text in order, none of them blank; put together again they hold every word.

    A sentence may begin in lower case: abstracts have faults, and names such as xLSTM begin sentences.
    """
    sentences, start = [], 0
    for found in _STOP.finditer(text):
        if found["glued"] or (found["stop"] and _is_end(text, start, found)):
            sentences.append(text[start : found.end()].strip())
            start = found.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def find_statements(sentence: str) -> Iterator[Statement]:
    """The statements of one sentence: those behind a subject, then the makings behind "and" or "by"."""
    start = None
    for found in _FIRST_VERB.finditer(sentence, 0, _LONGEST):
        start = found.start() if start is None else start
        if points := _POINTS.get(found["verb"]):
            yield Statement(points, found.start(), found.end("verb"))
    if start is not None:
        for found in _FURTHER_VERB.finditer(sentence, start, _LONGEST):
            if (points := _POINTS.get(found["verb"], 0)) >= 5:
                yield Statement(points - 1.5, start, found.end())


def before_next_verb(text: str) -> str:
    """The text up to the next thing the authors did: "…, and show that"."""
    for found in _FURTHER_VERB.finditer(text):
        if found["verb"] in _POINTS and not found["verb"].endswith(("ed", "ing")):
            return text[: found.start()]
    return text


def _is_end(text: str, start: int, found: re.Match[str]) -> bool:
    following = _NEXT_WORD.match(text, found.end())
    after = following[1] if following else ""
    if found["stop"] == "…":
        return not after[:1].islower()
    if found["stop"] != ".":
        return True
    last = _LAST_WORD.search(text[max(start, found.start() - 40) : found.start()])
    word = last[0] if last else ""
    if word.lower() == "etc":
        return not after[:1].islower()
    if word.lower() in _ABBREVIATIONS or _NUMBER_ALONE.fullmatch(text, start, found.start()):
        return False
    return not _INITIALS.fullmatch(word) or after.lower() in _OPENERS
