"""How a paper is shown in a line: its headline, authors, first lines, excerpt, short label and link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from urllib.parse import quote, urlsplit

from bot.messages.cut import cut, cut_at_start, length
from bot.messages.model import Inline, Link, Mark, Shown, Text
from bot.messages.words import Words
from bot.papers.model import Paper
from bot.papers.plain import plain_text
from bot.papers.sentences import split_sentences
from bot.search.model import Hit, Span

IN_POST = 150
IN_LIST = 120
IN_LONG_VOTE = 70
IN_OPTION = 75
LABEL = 24
TOPIC = 100
FIRST_LINES = 280
EXCERPT = 180
_MANY_AUTHORS = 200
_ENOUGH = 120
"""Characters before the headline's sentence that are worth showing as first lines."""
_WORD = re.compile(r"\w+")


def shown(paper: Paper, words: Words, limit: int, marks: Iterable[Span] = ()) -> Shown:
    """The title, or the stand-in with its name apart, cut to `limit`; `marks` are spans of the whole line."""
    whole = headline(paper, words)
    text = cut(whole, limit)
    spans = [(start, min(end, len(text))) for start, end in marks if start < len(text.rstrip("… "))]
    if paper.title is not None or paper.headline is None:
        return Shown(marked(text, spans))
    name = paper.headline.name or ""
    at = len(name) if name and text.startswith(name) else 0
    return Shown(marked(text, spans, 0, at), marked(text, spans, at), stand_in=True)


def headline(paper: Paper, words: Words) -> str:
    """The title or what stands in for it, whole, on one line."""
    if paper.title is not None and paper.title.strip():
        return plain_text(paper.title) or one_line(paper.title)
    if paper.headline is not None:
        return paper.headline.text
    known = f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else paper.public_id
    return words.line("Untitled ({id})", id=known)


def member_name(words: Words, name: str, limit: int = 40) -> str:
    """A member's name for the inside of a sentence; one who was forgotten has none."""
    return cut(one_line(name), limit) or words.line("Former member")


def headline_line(paper: Paper, words: Words, limit: int = IN_LIST) -> str:
    """The headline as plain words for the inside of a sentence: no full stop of its own at the end."""
    return cut(headline(paper, words).rstrip(" ."), limit)


def label(paper: Paper, words: Words) -> str:
    """At most 24 characters for bars and ties: the work's own name, else the first author."""
    name = _name(paper)
    if name is not None and length(name) <= LABEL:
        return name
    if paper.authors:
        alone = len(paper.authors) == 1 and not paper.authors_truncated
        author = paper.authors[0] if alone else words.line("{name} et al.", name=paper.authors[0])
        if length(author) <= LABEL or alone:
            return cut(author, LABEL)
        return words.line("{name} et al.", name=cut(paper.authors[0].split()[-1], 16))
    return cut(name or headline(paper, words), LABEL)


def labels(papers: Sequence[Paper], words: Words) -> tuple[str, ...]:
    """A label for each; where two would be the same, the paper's id stands behind."""
    plain = [label(paper, words) for paper in papers]
    return tuple(
        text if plain.count(text) == 1 else f"{cut(text, LABEL - 1 - len(paper.public_id))} {paper.public_id}"
        for text, paper in zip(plain, papers, strict=True)
    )


def authors(paper: Paper, words: Words, *, names: int = 6) -> str:
    """Up to `names` names and 200 characters, verbatim, and how many more there are."""
    listed: list[str] = []
    for name in map(one_line, paper.authors[:names]):
        if listed and length(", ".join([*listed, name])) > _MANY_AUTHORS:
            break
        listed.append(cut(name, _MANY_AUTHORS))
    if not listed:
        return words.line("Unknown authors")
    rest = len(paper.authors) - len(listed)
    if paper.authors_truncated:
        return words.line("{names} and others", names=", ".join(listed))
    if rest:
        total = len(paper.authors)
        return words.line("{names} and {rest} more", names=", ".join(listed), rest=rest, total=total)
    return ", ".join(listed)


def authors_short(paper: Paper, words: Words) -> str:
    """For lists: two names, or the first and how many more."""
    return authors(paper, words, names=2 if len(paper.authors) <= 2 else 1)


def topic(paper: Paper, words: Words) -> str:
    """The paper's topic as people see it."""
    return words.line("Without a topic") if paper.topic is None else cut(one_line(paper.topic), TOPIC)


def first_lines(paper: Paper, limit: int = FIRST_LINES) -> str:
    """The beginning of the abstract, whole words, without the sentence the headline came from. May be ''."""
    sentences = split_sentences(plain_text(paper.abstract))
    source = _source_of_headline(paper, sentences)
    if source is None:
        return cut(" ".join(sentences), limit)
    before, after = " ".join(sentences[:source]), " ".join(sentences[source + 1 :])
    if len(before) >= _ENOUGH or not after:
        return cut(f"{before} …" if before and after and length(before) < limit - 2 else before, limit)
    return cut(after, limit)


def excerpt(hit: Hit, limit: int = EXCERPT) -> Text:
    """The words around the first hit that the headline does not show yet, marked; else the first lines."""
    text = plain_text(hit.paper.abstract)
    seen = (hit.paper.title or (hit.paper.headline.text if hit.paper.headline else "")).casefold()
    fresh = next((span for span in hit.abstract_marks if text[slice(*span)].casefold() not in seen), None)
    if fresh is None:
        lead = first_lines(hit.paper, limit)
        at = text.find(lead.rstrip("… ")) if lead else -1
        moved = [(start - at, end - at) for start, end in hit.abstract_marks] if at >= 0 else []
        return marked(lead, [span for span in moved if span[0] >= 0 and span[1] <= len(lead)])
    start, inside = _window(text, fresh, limit)
    lead = "… " if inside else ""
    body = cut(text[start:], limit - len(lead))
    shift = start - len(lead)
    spans = [(first - shift, last - shift) for first, last in hit.abstract_marks]
    return marked(
        lead + body, [s for s in spans if s[0] >= len(lead) and s[1] <= len(lead + body.rstrip("… "))]
    )


def marked(text: str, spans: Iterable[Span], start: int = 0, end: int | None = None) -> Text:
    """The part of `text` from `start` to `end` with `spans` (positions in the whole text) as marks."""
    end = len(text) if end is None else end
    parts: list[Inline] = []
    for first, last in sorted(spans):
        first, last = max(first, start), min(last, end)
        if first >= last:
            continue
        parts += [text[start:first], Mark(text[first:last])]
        start = last
    return tuple(part for part in (*parts, text[start:end]) if part)


def safe_link(url: str | None) -> str | None:
    """The address as every platform takes it: http or https, a host with a dot, no bare signs; else None."""
    if not url:
        return None
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
    except ValueError:
        return None
    if (
        parts.scheme not in ("http", "https")
        or "." not in host.strip(".")
        or any(c.isspace() for c in parts.netloc)
    ):
        return None
    return quote(url.strip(), safe="%/:?#[]@!$&'*+,;=~-._")


def paper_link(paper: Paper) -> Link | None:
    """Where the paper can be read, if a source told it."""
    url = safe_link(paper.url)
    return Link(cut(urlsplit(url).netloc + urlsplit(url).path.rstrip("/"), 60), url) if url else None


def one_line(text: str) -> str:
    """White space of any kind as single blanks."""
    return " ".join(text.split())


def joined(*parts: str | Text | None) -> Text:
    """Parts of a second line with ' · ' between them; empty ones are left out."""
    texts = [(part,) if isinstance(part, str) else part for part in parts if part]
    return tuple(piece for number, text in enumerate(texts) for piece in ((" · ", *text) if number else text))


def _name(paper: Paper) -> str | None:
    if paper.title is not None:
        before, colon, _ = one_line(paper.title).partition(":")
        return before if colon and len(before) <= LABEL else None
    return paper.headline.name if paper.headline else None


def _source_of_headline(paper: Paper, sentences: Sequence[str]) -> int | None:
    """The sentence that holds most of the stand-in's words, at least two thirds of them."""
    if paper.title is not None or paper.headline is None:
        return None
    wanted = set(_WORD.findall(paper.headline.text.casefold()))
    shares = [len(wanted.intersection(_WORD.findall(sentence.casefold()))) for sentence in sentences]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    return best if best is not None and wanted and shares[best] * 3 >= len(wanted) * 2 else None


def _window(text: str, span: Span, limit: int) -> tuple[int, bool]:
    """Where an excerpt begins, and whether inside a sentence: only where the hit would not fit else."""
    start = 0
    for sentence in split_sentences(text):
        at = text.find(sentence, start)
        if at < 0 or at > span[0]:
            break
        start = at
    if span[1] - start <= limit - 30:
        return start, False
    return cut_at_start(text, max(start, span[0] - limit // 3)), True


def later_in_a_minute(first: datetime, other: datetime) -> bool:
    """Whether `other` came after `first`, and yet both are told by the same time of day."""
    return first < other and first.replace(second=0, microsecond=0) == other.replace(second=0, microsecond=0)
