"""The name a work is given in its own abstract: FlashSinkhorn, "Neural Block Linearization (NBL)"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.papers.headline_words import FIELD_NAMES, KINDS, PARTS, STRONG, WEAK
from bot.papers.statements import find_statements


@dataclass(frozen=True, slots=True)
class Naming:
    """A name and the place where it is given: sentence `index`, from `start` to `end`, its bracket included.

    `phrase` is what the sentence says of it before: "a new framework" in "a new framework named X".
    `points` say how surely the name is the work's own.
    """

    name: str
    long_form: str | None
    index: int
    start: int
    end: int
    phrase: str
    points: float


_TOKEN = r"[^\s,;:()\[\]{}\"“”‘’'`…?!—–]{1,30}"
_ODD = re.compile(
    r"[a-z][A-Z]|[A-Z]{2}|[A-Z][²³₀-₉⁰-⁹]|[A-Za-z]\d|\d[A-Z]|[A-Z]-[A-Z]|^[A-Za-z]{1,2}-[A-Z]"
    r"|^[Α-Ωα-ω∆∇]-?[A-Z]|^[A-Z].*[+*]$"
)
_NOT_A_NAME = re.compile(
    r"[\d.,×%]+[A-Za-z]{0,3}|(?:19|20)\d\d|[A-Z]{2,}s|https?:.*|.*/.*"
    r"|.*-(?:based|guided|driven|aware|free|wide|style|level|trained|specific|inspired|like|type)"
)
_ODD_RUN = re.compile(
    rf"(?P<name>{_TOKEN}(?: [A-Z]{_TOKEN}){{0,3}}(?: v?\d+(?:\.\d+)?)?)"
    r"(?:(?P<comma>, (?:an?|the|our|one|which|that|where|as|[a-z-]+(?:ing|ed))\b)|[:;.,]?\Z|:|\s?—|\s–\s"
    r"|,? (?:for|that|which|to|as|by|via|on|with|and|an?)\b)"
)
_ARTICLE = re.compile(r"\s+(?:(?:an?|the|our|its|novel|new|first|simple|called|named|dubbed)[ ,]+)*")
_CLAUSE_WORD = re.compile(
    r",|\b(?:that|which|by|using|via|to|with|from|in|on|for|and|is|are|how|when|whose|where)\b"
)
_LONG_FIRST = re.compile(rf"(?P<long>[^()]{{3,160}}?)\s?\((?P<name>{_TOKEN}(?: {_TOKEN})?)\)")
_BRACKETED = re.compile(rf"\s?\((?P<name>{_TOKEN})\)")
_SHORT_FIRST = re.compile(rf"(?P<name>{_TOKEN}) \((?P<long>[^()]{{8,90}})\)")
_BEHIND_EMPHASIS = re.compile(rf"(?: \({_TOKEN}\)|, an?\b|, the\b|, which\b|:)|(?: {'| '.join(KINDS)})\b")
_CALLED = re.compile(
    r"\b(?:called|named|dubbed|coined|termed|namely|i\.e\.|(?:which|that) we (?:call|term|name|dub))[, ]\s*"
    r"|\b(?P<kind>[A-Za-z]{4,})[,:] "
)
_PART_BEHIND = re.compile(rf" (?:{'|'.join(PARTS)})\b")
_OURS = re.compile(r"\b(?:[Oo]ur|[Pp]roposed|[Tt]his)\b")
_PHENOMENON = re.compile(
    r"\b(?:phenomen\w+|problems?|effects?|issues?|gaps?|challenges?|bias|failures?|tokens|threats?|paradox"
    r"|settings?|concept)\b[^,]{0,30},?\s\Z"
)
_BUILT_ON = ("Building on", "Building upon", "Based on", "Using", "With", "Leveraging")
_ALSO = re.compile(
    r"\bwe (?:also|further|additionally|finally)\b|\A(?:Second|Third|Moreover|Further|Addition|Final|Next)"
)
_PART_OPENING = re.compile(
    r"\A(?:First|Specifically|In particular|Concretely|To (?:train|evaluate|support))\b"
)
_PURPOSE = re.compile(
    r"\ATo (?!address|bridge|overcome|tackle|mitigate|fill|resolve|solve|close|this end|th[ei]s)[a-z]+\b"
)


def find_name(sentences: list[str], emphasised: frozenset[str]) -> Naming | None:
    """The one naming the abstract speaks for most, or None.

    Scores add up how the name is introduced, how it is written and how often it comes again; under 0.5 there
    is no name. A name that stood in an earlier sentence was not given here: fields and baselines stay out.
    """
    whole = "\n".join(sentences)
    first_making = next(
        (i for i, s in enumerate(sentences) if any(v.verb in STRONG for v in find_statements(s))), 0
    )
    best: Naming | None = None
    for index, sentence in enumerate(sentences):
        for naming in _namings(sentence.rstrip(". "), index, emphasised):
            if best and naming.name == best.name:
                continue
            points = _score(naming, sentences, whole, emphasised, first_making)
            if points is not None and points >= 0.5 and (best is None or points > best.points):
                best = replace(naming, points=points)
    return best


def is_odd(token: str) -> bool:
    """Whether a token is written as only names are (FlashSinkhorn, ZEN, α-DPO); no unit, year or plural."""
    return bool(_ODD.search(token)) and not _NOT_A_NAME.fullmatch(token) and token not in FIELD_NAMES


def _namings(sentence: str, index: int, emphasised: frozenset[str]) -> Iterator[Naming]:
    """Every place where something is given a name, with the points of the place and of the form."""
    verbs = list(find_statements(sentence))
    for verb in verbs:
        if verb.verb in STRONG or verb.verb in WEAK:
            yield from _forms(sentence, index, verb.end, emphasised, 3.0 if verb.verb in STRONG else 0.0)
    if not verbs and not _OURS.search(sentence):
        return
    for found in _CALLED.finditer(sentence):
        if found["kind"] and found["kind"].lower() not in KINDS:
            continue
        if not _PHENOMENON.search(sentence, max(0, found.start() - 60), found.start()):
            behind = max((verb.end for verb in verbs if verb.end < found.start()), default=found.start())
            phrase = sentence[behind : found.end("kind") if found["kind"] else found.start()].strip(" ,:(")
            points = 2.5 if found["kind"] else 3.5
            for naming in _forms(sentence, index, found.end() - 1, emphasised, points):
                yield replace(naming, phrase=phrase)


def _forms(
    sentence: str, index: int, position: int, emphasised: frozenset[str], points: float
) -> Iterator[Naming]:
    """What is written like a name there: emphasised, Long Form (ACR), ACR (Long Form), or an odd token."""
    skipped = _ARTICLE.match(sentence, position)
    start = skipped.end() if skipped else position
    for name in emphasised:
        if len(name) < 2 or "(" in name or not sentence.startswith(name, start):
            continue
        end = start + len(name)
        if bracket := _BRACKETED.match(sentence, end):
            yield Naming(bracket["name"], name, index, start, bracket.end(), "", points + 2)
        elif _BEHIND_EMPHASIS.match(sentence, end):
            yield Naming(name, None, index, start, end, "", points + 1.5)
    if (found := _LONG_FIRST.match(sentence, start)) and is_odd(found["name"].replace(" ", "-")):
        words = found["long"].split()
        used = _spelling(found["name"], words)
        modifiers = " ".join(words[: len(words) - used])
        if points >= 2 and not _CLAUSE_WORD.search(modifiers):
            if used:
                long_form = " ".join(words[-used:])
                yield Naming(found["name"], long_form, index, start, found.end(), "", points + 1.5)
            else:
                phrase = sentence[position : found.end("long")].strip()
                yield Naming(found["name"], None, index, start, found.end(), phrase, points)
    if (found := _SHORT_FIRST.match(sentence, start)) and is_odd(found["name"]) and " " in found["long"]:
        yield Naming(found["name"], found["long"], index, start, found.end(), "", points + 1.5)
    if found := _ODD_RUN.match(sentence, start):
        words = found["name"].split()
        odd = any(map(is_odd, words))
        plain = not odd and start == position + 1 and words[0].isalpha()
        plain = plain and bool(found["comma"] or not words[1:])
        if (odd or plain) and (is_odd(words[0]) or words[0][0].isupper()):
            bonus = (1.5 if found["comma"] else 0.5) - plain
            yield Naming(found["name"], None, index, start, found.end("name"), "", points + bonus)


def _spelling(short: str, words: list[str]) -> int:
    """How many of the last words spell the short form by their letters in order; 0 when none do."""
    letters = [letter for letter in short.lower() if letter.isalnum()]
    fits = []
    for count in range(1, min(12, len(words)) + 1):
        parts = re.split(r"[\s-]+", " ".join(words[-count:]).lower())
        if parts[0][:1] != letters[0]:
            continue
        remaining = iter("".join(parts))
        initials = sum(part[:1] in letters for part in parts)
        if all(letter in remaining for letter in letters) and initials * 2 >= len(parts):
            fits.append((abs(len(parts) - len(letters)), count))
    return min(fits)[1] if fits else 0


def _score(
    naming: Naming, sentences: list[str], whole: str, emphasised: frozenset[str], first_making: int
) -> float | None:
    """The points of one naming with all the abstract says of it; None when it cannot be the work's name."""
    sentence = sentences[naming.index]
    mentions = _mentions(naming.name, whole)
    if any(_mentions(naming.name, earlier) for earlier in sentences[: naming.index]):
        return None
    if naming.index > first_making and (mentions < 2 or (mentions < 4 and _PURPOSE.match(sentence))):
        return None
    points = naming.points + 1.5 * min(3, max(0, mentions - 1)) - 0.15 * naming.index
    points += 3 * (naming.name in emphasised or naming.long_form in emphasised)
    points -= 3 * bool(_ALSO.search(sentence)) + 1.5 * bool(_PART_OPENING.match(sentence))
    points -= 3 * bool(_PART_BEHIND.match(sentence, naming.end))
    points -= 4 * any(
        one.startswith(tuple(f"{word} {naming.name}" for word in _BUILT_ON)) for one in sentences
    )
    return points


def _mentions(name: str, text: str) -> int:
    """How often a name stands in a text as a whole word."""
    count, at = 0, text.find(name)
    while at >= 0:
        before, behind = text[max(0, at - 1) : at], text[at + len(name) : at + len(name) + 1]
        count += not (before.isalnum() or before == "-" or behind.isalnum())
        at = text.find(name, at + 1)
    return count
