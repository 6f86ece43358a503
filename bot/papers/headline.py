"""How the line that stands in for a missing title is made of the abstract's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.papers.model import Headline
from bot.papers.names import Naming, find_name, is_odd
from bot.papers.plain import emphasised, plain_text
from bot.papers.sentences import Statement, before_next_verb, find_statements, split_sentences
from bot.papers.shorten import cut_words, news, reads_whole, shorten, wordings

MAX_LENGTH = 100
_READ = 4_000
"""Characters of the source that are looked at; abstracts have some 1,500."""

_FULL_WIDTH = str.maketrans({"，": ", ", "：": ": ", "（": " (", "）": ") ", "；": "; ", "。": ". "})
_LINKS = (
    (re.compile(r",\s+(?=(?:an?|the|our|one)\b)"), ": "),
    (re.compile(r",\s+(?=(?:which|that|where|as|[a-z-]+ing|[a-z-]+ed)\b)"), ", "),
    (re.compile(r"\s*[:—]\s*|\s–\s"), ": "),
    (re.compile(r"\s+(?=[a-z])"), " "),
)
_OPENING = re.compile(r"(?: (?:the problem of|to|for|\(i\)|novel|out|upon|on|about)\b)*\s*")
_CLAIM = re.compile(r"(?:that,? |(?=(?:how|whether|why|what)\b))")
_BACKWARD = re.compile(
    r"(?:th(?:is|at|ese|ose|ey|em|eir|ere)|such|its?|our|both|the (?:resulting|proposed|above|same|notion)"
    r"|which|when|where|if|in|under|with|by|from|at|as|and|or|even|via|through)\b",
    re.IGNORECASE,
)
"""A line that begins so points back to what it does not tell."""
_BESIDES = re.compile(
    r"\bwe (?:also|further|then|finally|additionally)\b"
    r"|\A(?:Moreover|Furthermore|Additionally|Finally|Second|Third|Lastly|In addition|To further|Next)\b"
    r"|\b(?:[Ee]xperiment(?:s|al|ally)?|[Rr]esults|[Cc]ode|[Ee]mpirical(?:ly)?|[Ee]valuations?)\b"
)
"""A sentence of what was done besides."""
_OURS = re.compile(r"\b(?:[Oo]ur|[Tt]he proposed)\b")
_THIS_PAPER = re.compile(r"\b[Tt]his (?:paper|work|article)\b")


def make_headline(abstract: str) -> Headline | None:
    """The line people see until a title is known; None for an abstract without a word to read.

    `abstract` is verbatim. The line has at most 100 characters, no markup, and the abstract's own words alone
    ("Position" is added before the claim of a position paper). It is in sentence case, with lower case after
    the colon of a name, so that it is seen to be no title. The same abstract always gives the same line.
    """
    source = abstract[:_READ]
    text = " ".join(plain_text(source).translate(_FULL_WIDTH).split()).replace("( ", "(")
    if len(abstract) > _READ and " " in text:
        text = text.rsplit(" ", 1)[0]
    sentences = split_sentences(text)
    if not sentences:
        return None
    naming = find_name(sentences, emphasised(source))
    if naming and (line := _named_line(naming, sentences)):
        line = _capitalised(line)
        return Headline(line[: len(naming.name)], line)
    return Headline(None, _capitalised(_telling_line(sentences)))


def _capitalised(text: str) -> str:
    """The text with a capital first letter, unless its first word is written as a name (xLSTM, τ-voice)."""
    return text if not text[0].isascii() or is_odd(text.split()[0]) else text[0].upper() + text[1:]


def _named_line(naming: Naming, sentences: list[str]) -> str | None:
    """``Name (Long Form): what it is`` by the naming sentence's own words; None when it says too little.

    A clause of another sentence is never joined to the name, unless that sentence begins with it: half of the
    lines made so gave a part or a finding for the work.
    """
    full = f"{naming.name} ({naming.long_form})" if naming.long_form else naming.name
    heads = [(full, 1)] if naming.long_form and len(full) <= 78 else []
    rest = before_next_verb(sentences[naming.index][naming.end :])
    for pattern, link in _LINKS:
        if not (found := pattern.match(rest)):
            continue
        description = rest[found.end() :].rstrip(".")
        for head, enough in (*heads, (naming.name, 2)):
            clause = shorten(description, MAX_LENGTH - len(head + link)) or ""
            if len(clause.split()) >= 3 and news(clause) >= enough:
                return head + link + clause
        if news(description) >= 2:
            return naming.name + link + cut_words(description, MAX_LENGTH - len(naming.name + link))
    line = shorten(before_next_verb(" ".join(sentences[naming.index + 1 : naming.index + 2])), MAX_LENGTH)
    if line and line.startswith(naming.name + " "):
        return line
    return full if len((naming.long_form or "").split()) > 2 and len(full) <= MAX_LENGTH else None


def _telling_line(sentences: list[str]) -> str:
    """What the authors made or claim, in their words; else a sentence quoted.

    A claim is given whole or ends in "…". A quotation can be dull; it cannot be false.
    """
    position = any("osition paper" in sentence for sentence in sentences)
    ranked = sorted(_ranked(sentences, position), key=lambda found: -found[0])
    for points, sentence, statement in ranked[:4]:
        if points >= ranked[0][0] - 3 and (line := _told(sentence, statement, position)):
            return line
    if ranked:
        _, sentence, statement = ranked[0]
        return cut_words(sentence[statement.start :], MAX_LENGTH)
    ours = [sentence for sentence in sentences if _OURS.search(sentence) and not _BESIDES.search(sentence)]
    return cut_words((ours or sentences)[0], MAX_LENGTH)


def _ranked(sentences: list[str], position: bool) -> Iterator[tuple[float, str, Statement]]:
    """Every statement of the abstract with the points for its verb and its place."""
    for index, sentence in enumerate(sentences):
        for statement in find_statements(sentence):
            points = statement.points + 3 * (statement.points == 4 and index == 0) - 0.25 * index
            points += 1.5 * bool(_THIS_PAPER.search(sentence)) - 3 * bool(_BESIDES.search(sentence))
            points += 6 * (position and sentence.startswith(" that", statement.end))
            yield points, sentence, statement


def _told(sentence: str, statement: Statement, position: bool) -> str | None:
    """What comes after the verb, as a line; None when it would not stand by itself."""
    rest = _OPENING.sub("", before_next_verb(sentence[statement.end :]), count=1)
    if claim := _CLAIM.match(rest):
        rest = rest[claim.end() :]
        if position:
            room = MAX_LENGTH - len("Position: ")
            return "Position: " + (_whole(rest, room) or cut_words(rest, room))
        line = _whole(rest, MAX_LENGTH)
    elif statement.points < 3:
        line = shorten(before_next_verb(sentence[statement.start :]), MAX_LENGTH)
    else:
        line = shorten(rest, MAX_LENGTH)
    if not line or len(line) < 25 or len(line.split()) < 4 or not news(line) or _BACKWARD.match(line):
        return None
    return line


def _whole(claim: str, room: int) -> str | None:
    """A claim without its asides; None where it would need a cut."""
    for text in (*wordings(claim), *wordings(claim.partition(":")[0])):
        if len(text) <= room and reads_whole(text):
            return text
    return None
