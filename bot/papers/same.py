"""When two records are one paper, and what the one paper then knows."""

from __future__ import annotations

import hashlib
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bot.papers.model import Paper

_NEW = r"[0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5}"
_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|"
    "dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|physics|"
    "plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
_OLD = rf"(?:{_ARCHIVES})(?:\.[a-z]{{2}})?/[0-9]{{2}}(?:0[1-9]|1[0-2])[0-9]{{3}}"
_ARXIV_ID = rf"(?P<id>{_NEW}|{_OLD})(?:v[0-9]{{1,3}})?(?![0-9])"
_ARXIV_ALONE = re.compile(rf"\s*{_ARXIV_ID}(?:\.pdf)?\s*(?:\[[^\[\]]*\]\s*)?", re.IGNORECASE)
_ARXIV_WITHIN = re.compile(
    rf"(?:\barxiv\s{{0,3}}:\s{{0,3}}|\barxiv\.org/(?:[a-z-]+/)?|\babs/|\b10\.48550/arxiv\.){_ARXIV_ID}",
    re.IGNORECASE,
)
_ARXIV_DOI = "10.48550/arxiv."

_DOI = re.compile(r"(?<![0-9.])10\.[0-9]{4,9}(?:/|%2[Ff])[^\s\"'“”‘’{}|\\^`?#]+")
_DOI_TAIL = re.compile(r"(?:\.pdf|/(?:full|fulltext|abstract|pdf|epdf|meta|summary))\Z", re.IGNORECASE)
_PARTED = re.compile(r"[\s.,\-]+")
_BRACKETS = {")": "(", "]": "[", ">": "<"}


def arxiv_id_in(text: str) -> str | None:
    """The arXiv identifier in a text, without its version: ``2401.00001`` or ``hep-th/9901001``.

    Taken are an identifier alone ('2401.00001v2', '2401.00001 [cs.LG]') and, anywhere, one after 'arXiv:', in
    an address of arxiv.org, after 'abs/' and in an arXiv DOI. A bare number in a sentence is none. The
    subject class of an old one is dropped ('math.GT/0309136' is math/0309136).
    Source: https://info.arxiv.org/help/arxiv_identifier.html
    """
    found = _ARXIV_ALONE.fullmatch(text) or _ARXIV_WITHIN.search(text)
    if not found:
        return None
    identifier = found["id"].lower()
    if "/" in identifier:
        archive, number = identifier.split("/")
        return f"{archive.split('.')[0]}/{number}"
    digits = 4 if identifier < "1501" else 5
    return identifier if len(identifier) == 5 + digits else None


def doi_in(text: str) -> str | None:
    """The first DOI in a text, in lower case (DOIs know no case): ``10.1145/3292500.3330701``.

    Punctuation around it and the tails of publishers' addresses ('/full', '.pdf') are left off.
    """
    found = _DOI.search(text)
    if not found:
        return None
    doi = found[0].replace("%2F", "/").replace("%2f", "/")
    while (last := doi[-1]) in ".,;:*_" or doi.count(last) > doi.count(_BRACKETS.get(last, last)):
        doi = doi[:-1]
    doi = _DOI_TAIL.sub("", doi).lower()
    prefix, _, rest = doi.partition("/")
    return doi if prefix and rest else None


def fingerprint(paper: Paper) -> str:
    """A digest of the abstract's words that case, accents, markup, hyphens and line breaks do not change.

    Empty without an abstract. One too short to be a single paper's ('Preface.') counts with the authors.
    Stored keys hold it: whoever changes the folding writes a migration.
    """
    words = _fold(paper.abstract)
    if not words:
        return ""
    return _digest(words if len(words) >= _SHORT_ABSTRACT else words + "|" + "|".join(_names(paper.authors)))


def identity_keys(paper: Paper) -> tuple[str, ...]:
    """What may be looked up to find other records of this paper, surest first, at least one key.

    ``arxiv:2401.00001``, ``doi:10.1145/…``, ``abstract:<digest>``, and ``title:<digest>`` for the title with
    the first and with the last author (sources differ in the order of names and in where they cut). Records
    that share a key are candidates; `same_paper` decides. The link counts only when there is nothing else.
    """
    keys = []
    arxiv_id, doi = _arxiv_id(paper), _doi(paper)
    if arxiv_id:
        keys.append(f"arxiv:{arxiv_id}")
    if doi:
        keys.append(f"doi:{doi}")
    if abstract := fingerprint(paper):
        keys.append(f"abstract:{abstract}")
    title = _fold(_POSITION.sub("", paper.title or ""))
    if title and not title.endswith(_FRONT_MATTER):
        ends = (next(_names(authors), "") for authors in (paper.authors, reversed(paper.authors)))
        keys += dict.fromkeys(f"title:{_digest(f'{title}|{name}')}" for name in ends)
    if not keys:
        keys.append(f"link:{_digest('|'.join((paper.url or '', paper.title or '', *paper.authors)))}")
    return tuple(keys)


def same_paper(one: Paper, other: Paper) -> bool:
    """Are these two records one paper?

    One shared key is enough, with two exceptions: different arXiv ids, and an abstract in common where titles
    differ and nobody is an author of both (some sources print one paper's abstract with another).
    """
    ids = _arxiv_id(one), _arxiv_id(other)
    if all(ids):
        return ids[0] == ids[1]
    shared = set(identity_keys(one)) & set(identity_keys(other))
    if not all(key.startswith("abstract:") for key in shared):
        return True
    return bool(shared) and (_same_title(one, other) or _share_a_name(one, other))


def merge(kept: Paper, other: Paper) -> Paper:
    """`kept`, with what it lacked and `other` knows; id, club, line and whatever was there stay.

    The topic comes whole from the one that has one, a subarea only into the same area; the longer author list
    wins where `kept` was cut; sources are united in order.
    """
    authors, truncated = kept.authors, kept.authors_truncated
    if not authors or (truncated and (not other.authors_truncated or len(other.authors) > len(authors))):
        authors, truncated = other.authors or authors, other.authors_truncated if other.authors else truncated
    topic = kept
    if kept.area is None or (kept.subarea is None and other.area == kept.area):
        topic = other
    return replace(
        kept,
        authors=authors,
        authors_truncated=truncated,
        area=topic.area,
        subarea=topic.subarea,
        abstract=kept.abstract or other.abstract,
        title=kept.title or other.title,
        url=kept.url or other.url,
        year=kept.year if kept.year is not None else other.year,
        venue=kept.venue or other.venue,
        arxiv_id=kept.arxiv_id or other.arxiv_id,
        doi=kept.doi or other.doi,
        sources=tuple(dict.fromkeys(kept.sources + other.sources)),
        headline=kept.headline or other.headline,
    )


_SHORT_ABSTRACT = 60  # folded characters
_POSITION = re.compile(r"\A\s*position(?:\s+paper)?\s*:\s*", re.IGNORECASE)
_FRONT_MATTER = ("preface", "foreword", "frontmatter", "editorial", "introductiontothespecialissue")

_FORMATTING = re.compile(
    r"\\(?:text(?:bf|it|sc|tt|rm|sf|up|sl|normal)?|emph|underline|uline|math(?:bf|it|rm|cal|bb|frak|sf|tt|scr)"
    r"|operatorname|boldsymbol|bm|bf|it|em|sc|tt|rm|left|right|mbox|ensuremath)(?![A-Za-z])\*?"
)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_NOT_A_WORD = re.compile(r"[\W_]+")
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_GREEK = (
    "alpha,beta,gamma,delta,epsilon,zeta,eta,theta,iota,kappa,lambda,mu,nu,xi,omicron,pi,rho,sigma,sigma,tau,"
    "upsilon,phi,chi,psi,omega"
)
_SPELLED = str.maketrans(
    {chr(0x3B1 + place): name for place, name in enumerate(_GREEK.split(","))}
    | {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
    | {"∞": "infty", "×": "times"}
)
"""Letters that decompose into nothing simpler, and the signs titles hold, as LaTeX names them."""


def _fold(text: str) -> str:
    """The letters and digits of a text and nothing else: no case, accents, spaces or formatting macros."""
    if "\\" in text:
        text = _FORMATTING.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii():
        text = _BEYOND_ASCII.sub(_spelled, text)
    return (
        text.encode("utf-8", "surrogatepass")
        .translate(None, _ASCII_SIGNS)
        .lower()
        .decode("utf-8", "surrogatepass")
    )


def _spelled(found: re.Match[str]) -> str:
    plain = unicodedata.normalize("NFKD", found[0]).casefold().translate(_SPELLED)
    return _NOT_A_WORD.sub("", plain)


def _names(authors: Iterable[str]) -> Iterator[str]:
    """Authors as keys: the parts of each name without initials, in alphabetical order."""
    for author in authors:
        parts = [part for word in _PARTED.split(author) if (part := _fold(word))]
        if parts:
            yield " ".join(sorted(part for part in parts if len(part) > 1) or parts)


def _same_title(one: Paper, other: Paper) -> bool:
    """Do the titles say the same, or does one record lack its title?"""
    return not (one.title and other.title) or _fold(one.title) == _fold(other.title)


def _share_a_name(one: Paper, other: Paper) -> bool:
    """Is any word of a name in both author lists, or is one of them empty?"""
    words, others = (set(" ".join(_names(paper.authors)).split()) for paper in (one, other))
    return not words or not others or not words.isdisjoint(others)


def _arxiv_id(paper: Paper) -> str | None:
    for text in (paper.arxiv_id, paper.doi, paper.url):
        if text and (found := arxiv_id_in(text)):
            return found
    return None


def _doi(paper: Paper) -> str | None:
    """The paper's DOI; arXiv's own, which say no more than the identifier, left out."""
    for text in (paper.doi, paper.url):
        if text and (found := doi_in(text)) and not found.startswith(_ARXIV_DOI):
            return found
    return None


def _digest(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:20]
