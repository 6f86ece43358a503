"""How the line that stands in for a missing title is made of the abstract's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.papers.headline_words import (
    CLAIMING,
    FUNCTION_WORDS,
    KINDS,
    MAKING,
    POSITION_VERBS,
    PROPOSING,
    SOLVING,
    STUDYING,
)
from bot.papers.model import Headline
from bot.papers.names import Naming, find_name, is_odd
from bot.papers.plain import emphasised, plain_text
from bot.papers.sentences import split_sentences
from bot.papers.shorten import cut_words, reads_whole, shorten, wordings
from bot.papers.statements import Statement, find_statements

MAX_LENGTH = 100
_READ = 6_000
"""Characters of the source that are looked at; abstracts have some 1,500."""

_FULL_WIDTH = str.maketrans({"，": ", ", "：": ": ", "（": " (", "）": ") ", "；": "; ", "。": ". "})
_KIND = "|".join(sorted(KINDS))
_BARE_KIND = re.compile(
    r" (?:framework|method|algorithm|model|approach|system)(?= (?:that|which|to|for)\b|,)"
)
_SECOND_MAIN_VERB = re.compile(
    r",? (?:and|then) (?:(?:we|also|further|then|thus|[a-z]+ly) )*"
    r"(?:propose|introduce|present|develop|show|prove|demonstrate|establish|provide|derive|evaluate|validate|"
    r"analyze|study|apply|find|conduct|use|design|release|characterize|investigate|explore|discuss|construct)\b"
    r"|, we\b"
)
_LINKS = (
    (re.compile(r",\s+(?=(?:an?|the|our|one)\b)"), ": "),
    (re.compile(r",\s+(?=(?:which|that|where|as|[a-z-]+ing|[a-z-]+ed)\b)"), ", "),
    (re.compile(r"\s*(?::|—|–)\s*"), ": "),
    (re.compile(r"\s+(?=[a-z])"), " "),
)
_EMPTY = re.compile(
    rf"(?:(?:an?|the|our|one|novel|new|first|simple|general|principled|unified|efficient|effective|lightweight|"
    rf"theoretical|practical|powerful|scalable|robust|flexible|comprehensive|[a-z]+ly|{_KIND})[ ,]*)+",
)
_BACKWARD = re.compile(
    r"(?:this|that|these|those|such|it|its|they|them|their|our|both|the (?:resulting|proposed|above)|he|she|there)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"\A(?: (?:the problem of|to|for|\(i\)|novel|out))*\s*")
_CLAIM = re.compile(r"(?:(?P<that>that,? )|(?:how|whether|why|what|when|where|which)\b)")
_FINDING = re.compile(r"(?: \w+)? (?:achiev|outperform|improv|reduc|surpass|attain|exceed|yield)")
_NO_NEWS = re.compile(
    r"(?:However|Existing|Recent|Despite|Although|Prior|While|Current|Yet|But|Unfortunately|Traditional|Previous)\b"
)
_AFTERWARDS = re.compile(
    r"\bwe (?:also|further|then|finally|additionally)\b"
    r"|\A(?:Moreover|Furthermore|Additionally|Finally|Second|Third|Lastly|In addition|Next)\b"
)
_RESULTS = re.compile(
    r"\b(?:[Ee]xperiment(?:s|al|ally)?|[Rr]esults|[Cc]ode|[Ee]mpirical(?:ly)?|[Ee]valuations?)\b"
)
_THIS_PAPER = re.compile(r"\b[Tt]his (?:paper|work|article)\b")
_LED_BY = re.compile(
    r"\bby (?=(?:introduc|establish|propos|develop|present|design|construct|formulat|provid)ing )"
)


def make_headline(abstract: str) -> Headline | None:
    """The line people see until a title is known, from the verbatim abstract; None when there is nothing to read.

    At most 100 characters on one line, without markup, of the abstract's own words ("Position" alone is added,
    before the claim of a position paper); the same abstract always gives the same line. Never raises.
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
        return Headline(naming.name, line)
    return Headline(None, _telling_line(sentences))


def _named_line(naming: Naming, sentences: list[str]) -> str | None:
    """``Name (Long Form): what it is`` by the naming sentence's own words; None when it says too little.

    A clause of another sentence is never joined to the name, unless that sentence begins with the name: half of
    those read named a part or a finding as if it were the work.
    """
    name = naming.name if any(map(is_odd, naming.name.split())) else _capitalised(naming.name)
    full = f"{name} ({naming.long_form})" if naming.long_form else name
    heads = [full, name] if name != full and len(full) <= 78 else [name]
    for link, description in _descriptions(naming, sentences[naming.index]):
        for head in heads:
            clause = shorten(description, MAX_LENGTH - len(head) - len(link))
            if clause and len(clause.split()) >= 3 and not _EMPTY.fullmatch(clause):
                return head + link + clause
    for sentence in sentences[naming.index + 1 : naming.index + 3]:
        if sentence.startswith(f"{naming.name} ") and not _FINDING.match(sentence, len(naming.name)):
            line = shorten(_before_second_verb(sentence), MAX_LENGTH)
            if line and len(line) >= len(name) + 20:
                return line
    return (
        full if naming.long_form and len(naming.long_form.split()) >= 3 and len(full) <= MAX_LENGTH else None
    )


def _descriptions(naming: Naming, sentence: str) -> Iterator[tuple[str, str]]:
    """What the naming sentence says of the name, each with the sign that links the two."""
    rest = _before_second_verb(sentence[naming.end :])
    if naming.phrase and not rest.startswith(","):
        yield ": ", naming.phrase + rest
    for pattern, link in _LINKS:
        if found := pattern.match(rest):
            yield link, rest[found.end() :]
    if naming.phrase:
        yield ": ", naming.phrase


def _telling_line(sentences: list[str]) -> str:
    """The headline of a paper whose work has no name: what they made or claim, else a quoted sentence."""
    position = any("osition paper" in sentence for sentence in sentences)
    ranked = sorted(_statements(sentences, position), key=lambda found: -found[0])
    for points, sentence, statement in ranked[:4]:
        if points >= ranked[0][0] - 3 and (line := _told(sentence, statement, position)):
            return line
    if not ranked:
        best = max(range(len(sentences)), key=lambda i: _sentence_points(sentences[i], i))
        return cut_words(_capitalised(sentences[best]), MAX_LENGTH)
    _, sentence, statement = ranked[0]
    return cut_words(_capitalised(sentence[statement.start :]), MAX_LENGTH)


def _statements(sentences: list[str], position: bool) -> Iterator[tuple[float, str, Statement]]:
    for index, sentence in enumerate(sentences):
        for found in find_statements(sentence):
            points = found.points + (3 if found.points == 4 and index == 0 else 0)
            if position and found.verb in POSITION_VERBS:
                points = 11
            yield points + _sentence_points(sentence, index, points), sentence, found


def _sentence_points(sentence: str, index: int, verb_points: float | None = None) -> float:
    """What speaks for and against a sentence apart from its verb; a sentence without one has `verb_points` None."""
    points = 1.5 * bool(_THIS_PAPER.search(sentence)) - 0.25 * index
    points -= 3 * bool(_AFTERWARDS.search(sentence)) + 4 * sentence.endswith("?")
    if verb_points is None:
        points -= 3 * bool(_NO_NEWS.match(sentence))
        points += 2.5 * bool(re.search(r"\b(?:[Oo]ur|[Tt]he proposed)\b", sentence))
    if (verb_points or 0) < 8:
        points -= 3 * bool(_RESULTS.search(sentence))
    return points


def _told(sentence: str, statement: Statement, position: bool) -> str | None:
    """What comes after the verb, as a line; None when it would not stand by itself."""
    rest = sentence[statement.end :]
    if statement.points == 5 and (led := _LED_BY.search(rest)):
        rest = rest[rest.index(" ", led.end()) :]
    rest = _OPENING.sub("", _before_second_verb(rest))
    claim = _CLAIM.match(rest)
    line: str | None
    if claim:
        rest = rest[claim.end("that") :] if claim["that"] else rest
        room = MAX_LENGTH - (len("Position: ") if position else 0)
        line = next((w for w in wordings(rest) if len(w) <= room and reads_whole(w)), None)
        if position:
            return "Position: " + (line or cut_words(rest, room))
    else:
        line = shorten(rest, MAX_LENGTH)
    if not line or len(line) < 25 or len(line.split()) < 4 or _EMPTY.fullmatch(line) or _BACKWARD.match(line):
        return None
    return _capitalised(line)


def _before_second_verb(text: str) -> str:
    found = _SECOND_MAIN_VERB.search(text)
    return text[: found.start()] if found else text


def _capitalised(text: str) -> str:
    """With a capital first letter, unless the first word is written as a name (xLSTM)."""
    first = text.split(None, 1)[0] if text.strip() else ""
    return text if is_odd(first) else text[:1].upper() + text[1:]
