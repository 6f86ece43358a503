"""How the line that stands in for a missing title is made of the abstract's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.papers.model import Headline
from bot.papers.names import Naming, find_name, is_odd
from bot.papers.plain import emphasised, plain_text
from bot.papers.sentences import split_sentences
from bot.papers.shorten import capitalised, cut_words, news, shorten
from bot.papers.statements import before_next_verb
from bot.papers.telling import telling_line

MAX_LENGTH = 100
_READ = 4_000
"""Characters of the source that are looked at; abstracts have some 1,500."""

_FULL_WIDTH = str.maketrans({"，": ", ", "：": ": ", "（": " (", "）": ") ", "；": "; ", "。": ". "})
_SPLIT_HYPHEN = re.compile(r"(?<=[a-z])- (?=[A-Z])")
_BARE_KIND = re.compile(
    r" (?:framework|method|algorithm|model|approach|system)(?= (?:that|which|to|for)\b|,)"
)
_LINKS = (
    (re.compile(r",\s+(?=(?:an?|the|our|one)\b)"), ": "),
    (re.compile(r",\s+(?=(?:which|that|where|as|[a-z-]+ing|[a-z-]+ed)\b)"), ", "),
    (re.compile(r"\s*[:—]\s*|\s–\s"), ": "),
    (re.compile(r"\s+(?=[a-z])"), " "),
)
_FINDING = re.compile(r"(?: \w+)? (?:achiev|outperform|improv|reduc|surpass|attain|exceed|yield|requir)")


def make_headline(abstract: str) -> Headline | None:
    """The line people see until a title is known; None for an abstract without a word to read.

    `abstract` is verbatim. The line has at most 100 characters, no markup, and the abstract's own words alone
    ("Position" is added before the claim of a position paper). It is in sentence case, with lower case after
    the colon of a name, so that it is seen to be no title. The same abstract always gives the same line.
    """
    source = abstract[:_READ]
    text = " ".join(plain_text(source).translate(_FULL_WIDTH).split()).replace("( ", "(")
    text = _SPLIT_HYPHEN.sub("-", text)
    if len(abstract) > _READ and " " in text:
        text = text.rsplit(" ", 1)[0]
    sentences = split_sentences(text)
    if not sentences:
        return None
    naming = find_name(sentences, emphasised(source))
    if naming and (line := _named_line(naming, sentences)):
        return Headline(naming.name, line)
    return Headline(None, telling_line(sentences, MAX_LENGTH))


def _named_line(naming: Naming, sentences: list[str]) -> str | None:
    """``Name (Long Form): what it is`` by the naming sentence's own words; None when it says too little.

    A clause of another sentence is never joined to the name, unless that sentence begins with it: half of the
    lines made so gave a part or a finding for the work.
    """
    name = naming.name if any(map(is_odd, naming.name.split())) else capitalised(naming.name)
    full = f"{name} ({naming.long_form})" if naming.long_form else name
    heads = [full, name] if name != full and len(full) <= 78 else [name]
    descriptions = list(_descriptions(naming, sentences[naming.index]))
    for link, description in descriptions:
        for head in heads:
            clause = shorten(description, MAX_LENGTH - len(head + link)) or ""
            enough = 2 if head == name and len(clause) < len(description.rstrip(".")) else 1
            if len(clause.split()) >= 3 and news(clause) >= enough:
                return head + link + clause
    for sentence in sentences[naming.index + 1 : naming.index + 3]:
        if sentence.startswith(f"{naming.name} ") and not _FINDING.match(sentence, len(naming.name)):
            line = shorten(before_next_verb(sentence), MAX_LENGTH)
            if line and news(line) >= 4:
                return name + line[len(name) :]
    for link, description in descriptions:
        room = MAX_LENGTH - len(name + link)
        if len(description) > room and news(description) >= 2:
            return name + link + cut_words(description, room)
    return (
        full if naming.long_form and len(naming.long_form.split()) >= 3 and len(full) <= MAX_LENGTH else None
    )


def _descriptions(naming: Naming, sentence: str) -> Iterator[tuple[str, str]]:
    """What the naming sentence says of the name, each with the sign that links the two."""
    rest = before_next_verb(sentence[naming.end :])
    if kind := _BARE_KIND.match(rest):
        rest = rest[kind.end() :]
    if naming.phrase and rest[:1] in ("", " "):
        yield ": ", naming.phrase + rest
    for pattern, link in _LINKS:
        if found := pattern.match(rest):
            yield link, rest[found.end() :]
    if naming.phrase:
        yield ": ", naming.phrase
