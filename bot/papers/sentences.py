"""Where the sentences of a paper's abstract begin and end."""

from __future__ import annotations

import re

from bot.papers.headline_words import ABBREVIATIONS, OPENERS

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


def _is_end(text: str, start: int, found: re.Match[str]) -> bool:
    following = _NEXT_WORD.match(text, found.end())
    after = following[1] if following else ""
    if found["stop"] == "…":
        return not after[:1].islower()
    if found["stop"] != ".":
        return True
    before = text[max(start, found.start() - 40) : found.start()]
    last = _LAST_WORD.search(before)
    word = last[0] if last else ""
    if word.lower() == "etc":
        return not after[:1].islower()
    if word.lower() in ABBREVIATIONS or _NUMBER_ALONE.fullmatch(text, start, found.start()):
        return False
    return not _INITIALS.fullmatch(word) or after.lower() in OPENERS
