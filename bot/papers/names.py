"""The name a work is given in its own abstract: FlashSinkhorn, "Neural Block Linearization (NBL)"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.papers.sentences import MAKING, find_statements


@dataclass(frozen=True, slots=True)
class Naming:
    """A name and where it is given: sentence `index`, up to `end`; `points` say how surely it is one."""

    name: str
    long_form: str | None
    index: int
    end: int
    points: float


_LONGEST = 50
"""Characters of a name."""
_ODD = re.compile(
    r"[a-z][A-Z]|[A-Z]{2}|[A-Z][²³₀-₉⁰-⁹]|[A-Za-z]\d|\d[A-Z]|[A-Z]-[A-Z]|^[A-Za-z]{1,2}-[A-Z]"
    r"|^[Α-Ωα-ω∆∇]-?[A-Z]|^[A-Z].*[+*]$"
)
_NOT_A_NAME = re.compile(
    r"[\d.,×%]+[A-Za-z]{0,3}|[A-Z]{2,}s|.*/.*|.*-(?:based|guided|driven|aware|free|like|style)"
)
_TOKEN = r"[^\s,;:()\[\]{}\"“”‘’'`…?!—–]{1,30}"
_ARTICLE = re.compile(r"\s+(?:(?:an?|the|our|its|novel|new|first|simple|called|named|dubbed)[ ,]+)*")
_LONG_FIRST = re.compile(rf"(?P<long>[^()]{{3,160}}?)\s?\((?P<name>{_TOKEN}(?: {_TOKEN})?)\)")
_SHORT_FIRST = re.compile(rf"(?P<name>{_TOKEN}) \((?P<long>[^()]{{3,90}} [^()]{{3,90}})\)")
_ALONE = re.compile(
    rf"(?P<name>{_TOKEN}(?: [A-Z]{_TOKEN}){{0,3}}(?: v?\d+(?:\.\d+)?)?)"
    r"(?:(?P<comma>, (?:an?|the|our|one|which|that|where|as|[a-z-]+(?:ing|ed))\b)|[:;.,]?\Z|:|\s?—|\s–\s"
    r"|,? (?:for|that|which|to|as|by|via|on|with|and|an?)\b)"
)
_CLAUSE_WORD = re.compile(r",|\b(?:that|which|by|using|via|to|with|from|in|on|for|and|is|are|how|where)\b")
_BRACKET = re.compile(rf"\s?\((?P<name>{_TOKEN})\)")
_BEHIND_EMPHASIS = re.compile(r", (?:an?|the|which)\b|:| (?:algorithm|framework|method|model)\b")
_CLAUSE_WORD = re.compile(r",|\b(?:that|which|by|using|via|to|with|from|in|on|for|and|is|are|how|where)\b")


def find_name(sentences: list[str], emphasised: frozenset[str]) -> Naming | None:
    """The name given behind "we propose" that the abstract speaks of most, or None.

    A name that stood in an earlier sentence was not given here: fields and baselines stay out. One given late
    that never comes again is a part of the work.
    """
    best, most = None, -9.0
    makings = [
        (index, statement.end)
        for index, sentence in enumerate(sentences)
        for statement in find_statements(sentence)
        if statement.points > MAKING
    ]
    for index, place in makings:
        for naming in _namings(sentences[index].rstrip(". "), place, index, emphasised):
            whole_word = re.compile(rf"(?<![\w-]){re.escape(naming.name)}(?!\w)")
            mentions = [len(whole_word.findall(sentence)) for sentence in sentences]
            again = sum(mentions) - 1
            is_part = index > makings[0][0] and again < 1
            if any(mentions[:index]) or is_part or len(naming.name) > _LONGEST:
                continue
            built_on = tuple(
                words + naming.name for words in ("Building on ", "Based on ", "Using ", "With ")
            )
            points = naming.points + 1.5 * min(3, again) - 0.15 * index
            points += 3 * (naming.name in emphasised or naming.long_form in emphasised)
            points -= 4 * any(sentence.startswith(built_on) for sentence in sentences)
            if points > most:
                best, most = naming, points
    return best


def is_odd(token: str) -> bool:
    """Whether a token is written as only names are (FlashSinkhorn, ZEN, α-DPO); no unit and no plural."""
    return bool(_ODD.search(token)) and not _NOT_A_NAME.fullmatch(token)


def _namings(sentence: str, place: int, index: int, emphasised: frozenset[str]) -> Iterator[Naming]:
    """What is written like a name there: emphasised, Long Form (ACR), ACR (Long Form), or an odd token."""
    skipped = _ARTICLE.match(sentence, place)
    start = skipped.end() if skipped else place
    for name in sorted(emphasised):
        if sentence.startswith(name, start) and len(name) > 1 and "(" not in name:
            end = start + len(name)
            if bracket := _BRACKET.match(sentence, end):
                yield Naming(bracket["name"], name, index, bracket.end(), 2)
            elif _BEHIND_EMPHASIS.match(sentence, end):
                yield Naming(name, None, index, end, 1.5)
    if (found := _LONG_FIRST.match(sentence, start)) and is_odd(found["name"].replace(" ", "-")):
        name, words = found["name"], found["long"].split()
        fits = [i for i in range(len(words)) if _spells(name, words[i:])]
        first = min(fits, key=lambda i: abs(len(words) - i - len(name)), default=len(words))
        if not _CLAUSE_WORD.search(" ".join(words[:first])):
            long_form = " ".join(words[first:]) or None
            yield Naming(name, long_form, index, found.end(), 1.5 if long_form else 0)
    if (found := _SHORT_FIRST.match(sentence, start)) and is_odd(found["name"]):
        yield Naming(found["name"], found["long"], index, found.end(), 1.5)
    if found := _ALONE.match(sentence, start):
        words = found["name"].split()
        odd = any(map(is_odd, words)) and (is_odd(words[0]) or words[0][0].isupper())
        plain = start == place + 1 and words[0].istitle() and words[0].isalpha()
        if odd or (plain and (found["comma"] or len(words) == 1)):
            points = 1.5 if odd and found["comma"] else 0.5
            yield Naming(found["name"], None, index, found.end("name"), points)


def _spells(name: str, words: list[str]) -> bool:
    """Whether the letters of a short name stand in order in the words, mostly where these begin."""
    letters = [letter for letter in name.lower() if letter.isalnum()]
    parts = re.split(r"[\s-]+", " ".join(words).lower())
    rest = iter("".join(parts))
    initials = sum(part[:1] in letters for part in parts)
    return (
        parts[0][:1] == letters[0]
        and initials * 2 >= len(parts)
        and all(letter in rest for letter in letters)
    )
