"""How text becomes search tokens: the same for every engine, so that all find the same.

Tokens are lower-case letters and digits without accents. A text is folded to its words in order, and a few
more spellings are put behind them ('pretraining' for pre-training, 'pearson' for Pearson's). Scripts written
without blanks become overlapping pairs of signs, the last sign of a run once more by itself: 强化学习 is
'强化 化学 学习 习'. So any stretch of it is a row of tokens, and one sign begins a token wherever it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from bot.papers.model import Paper
from bot.papers.plain import plain_text

_LETTERS = {
    "ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t",
    "ŋ": "n", "ĸ": "k", "ſ": "s", "ƒ": "f", "ɨ": "i", "ʉ": "u", "ɫ": "l", "ƀ": "b", "ɖ": "d", "ɗ": "d",
}  # fmt: skip
"""Letters that Unicode does not take apart. They come here in lower case."""

_APOSTROPHES = "'’‘ʼʻ`´＇′"
_HYPHENS = "-‐‑"
_SOFT = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_MARKS = (
    (0x0300, 0x036F), (0x0483, 0x0487), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F),
    (0x0670, 0x0670), (0x06D6, 0x06ED), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF),
    (0xFE00, 0xFE0F), (0xFE20, 0xFE2F),
)  # fmt: skip
"""Marks above and below letters; the vowel signs of Indic scripts are letters and stay."""

CJK = (
    r"\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_MARK = "".join(f"{chr(first)}-{chr(last)}" for first, last in _MARKS)
_CLUSTER = re.compile(f".[{_MARK}{_SOFT}\u1160-\u11ff\u3099\u309a\uff9e\uff9f]*", re.DOTALL)
"""A sign with what is written above, below or into it."""
_CJK_RUN = re.compile(f"[{CJK}]+")
_KINDS = re.compile(f"[{CJK}]+|[^\\s{CJK}]+")

_SPELT = re.compile(r"(?<![a-z0-9])([a-z]{1,2})(\+\+|#(?![a-z0-9]))")
_JOINED = re.compile(r"[^\W_]+(?:[-'][^\W_]+)+")
_PARTS = re.compile("[-']")


class _Signs(dict[int, str]):
    """What each code point becomes, worked out when first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_sign(chr(code))
        return folded


def _fold_sign(sign: str) -> str:
    if sign in _APOSTROPHES:
        return "'"
    if sign in _HYPHENS:
        return "-"
    if sign in _SOFT:
        return ""
    if sign in "+#":
        return sign
    if _CJK_RUN.fullmatch(sign):
        return sign
    folded = []
    for part in unicodedata.normalize("NFKD", sign).casefold():
        code = ord(part)
        if any(first <= code <= last for first, last in _MARKS):
            continue
        if part in _LETTERS:
            folded.append(_LETTERS[part])
        elif unicodedata.category(part)[0] in "LNM":
            folded.append(part)
        else:
            folded.append(" ")
    return "".join(folded)


_SIGNS = _Signs()
_ASCII = {code: _fold_sign(chr(code)) for code in range(128)}


def _simplified(text: str) -> str:
    """Small letters without accents, digits, blanks, and the signs - ' + # that the next steps look at."""
    if text.isascii():
        return text.translate(_ASCII)
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    return text.translate(_SIGNS)


def _spell_out(found: re.Match[str]) -> str:
    return f"{found[1]}{'sharp' if found[2] == '#' else 'plusplus'} "


def _in_pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run))]


def _further_spellings(word: str) -> list[str]:
    """'pretraining' of 'pre-training', 'pearson' of 'pearson's'."""
    if not _JOINED.fullmatch(word):
        return []
    joined = [word.replace("-", "").replace("'", "")] if "-" in word else []
    if "'" in word:
        joined += (part for part in _PARTS.split(word) if len(part) > 1)
    return joined


def _odd_words(text: str) -> Iterator[str]:
    """Every word with a hyphen or an apostrophe inside."""
    ends: set[int] = set()
    for sign in "-'":
        at = text.find(sign)
        while at >= 0:
            end = text.find(" ", at)
            if end not in ends:
                ends.add(end)
                yield text[text.rfind(" ", 0, at) + 1 : end if end >= 0 else None].strip("-'")
            at = text.find(sign, end) if end >= 0 else -1


def _respelt(text: str) -> tuple[str, list[str]]:
    """Simplified text with blanks alone between the words, and the further spellings some of them have."""
    more: list[str] = []
    if "+" in text or "#" in text:
        more += (found[1] for found in _SPELT.finditer(text))
        text = _SPELT.sub(_spell_out, text)
    for word in _odd_words(text):
        more += _further_spellings(word)
    text = text.replace("-", " ").replace("'", "").replace("+", " ").replace("#", " ")
    if not text.isascii() and _CJK_RUN.search(text):
        runs = _KINDS.findall(text)
        text = " ".join(" ".join(_in_pairs(run)) if _CJK_RUN.match(run) else run for run in runs)
    return text, more


def fold(text: str) -> str:
    """A text as an index keeps it: its tokens in order, then further spellings, parted by blanks.

    'Pre-training C++' is 'pre training cplusplus pretraining c'. Blank for text without letters or digits.
    """
    words, more = _respelt(_simplified(text))
    return f"{words} {' '.join(more)}" if more else words


def fold_plain(text: str) -> str:
    """The tokens of a text in order, parted by single blanks: what a word or a phrase must equal."""
    return " ".join(_respelt(_simplified(text))[0].split())


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a piece of a query looks for: the tokens of `row` side by side, the last a beginning when `open`.

    Instead of them `joined` will do, the same written as one word ('' when there is none).
    """

    row: tuple[str, ...]
    open: bool = False
    joined: str = ""


def fold_query(text: str, *, prefix: bool = False) -> Wanted | None:
    """What finds a piece of text wherever it stands; with `prefix`, also as the beginning of longer text.

    None when there are no letters or digits in it.
    """
    simple = _simplified(text)
    words = _respelt(simple)[0].split()
    if not words:
        return None
    open_end = prefix
    if _CJK_RUN.fullmatch(words[-1]):
        # the text may go on where the query ends: its last sign is the first of a pair there
        open_end = prefix or len(words[-1]) == 1
        if len(words) > 1 and len(words[-1]) == 1 and len(words[-2]) == 2 and words[-2][1] == words[-1]:
            words, open_end = words[:-1], prefix
    joined = ""
    if not prefix and len(words) > 1 and _JOINED.fullmatch(simple.strip()) and "-" in simple:
        joined = simple.strip().replace("-", "").replace("'", "")
    return Wanted(tuple(words), open_end, joined)


# What stands in the index for one paper


def topic_token(topic: str) -> str:
    """The token of a whole area, a whole subarea or both ('Area · Subarea'): ``topic_deeplearning``."""
    return "topic_" + fold_plain(topic).replace(" ", "")


def area_token(area: str) -> str:
    """The token of an area and of nothing else, whatever subareas are called."""
    return "area_" + fold_plain(area).replace(" ", "")


def topic_words(topic: str) -> list[str]:
    """The tokens of the single words of a topic."""
    return ["topic_" + word for word in fold_plain(topic).split()]


_topic_tokens: dict[tuple[str, str | None], str] = {}


def _tokens_of_topic(area: str, subarea: str | None) -> str:
    known = _topic_tokens.get((area, subarea))
    if known is None:
        whole = area if subarea is None else f"{area} · {subarea}"
        parts = [
            area_token(area),
            topic_token(area),
            topic_token(whole),
            *([topic_token(subarea)] if subarea else []),
        ]
        known = " ".join(dict.fromkeys(parts + topic_words(whole)))
        if len(_topic_tokens) < 10_000:
            _topic_tokens[(area, subarea)] = known
    return known


NO_TOPIC_TOKEN = "area_"
"""Of papers without a topic."""

OWN_SHELF = "shelf_own"


def shelf_token(club: int) -> str:
    """The token of a club's own shelf."""
    return f"shelf_{club}"


def _id_token(kind: str, identifier: str) -> str:
    return f"{kind}_" + "".join(
        sign if sign.isalnum() else "_" for sign in identifier.lower() if sign.isascii()
    )


def arxiv_token(arxiv_id: str) -> str:
    """The token of an arXiv identifier without its version."""
    return _id_token("arxiv", arxiv_id)


def doi_token(doi: str) -> str:
    """The token of a DOI."""
    return _id_token("doi", doi)


@dataclass(frozen=True, slots=True)
class FoldedPaper:
    """The four columns of the index for one paper."""

    title: str
    authors: str
    abstract: str
    tokens: str


def fold_paper(paper: Paper) -> FoldedPaper:
    """What the index holds for a paper: what people see, folded, and shelf, topic and ids as tokens."""
    tokens = [] if paper.club is None else [OWN_SHELF, shelf_token(paper.club)]
    tokens.append(NO_TOPIC_TOKEN if paper.area is None else _tokens_of_topic(paper.area, paper.subarea))
    if paper.arxiv_id:
        tokens.append(arxiv_token(paper.arxiv_id))
    if paper.doi:
        tokens.append(doi_token(paper.doi))
    shown = paper.title or (paper.headline.text if paper.headline else "")
    return FoldedPaper(
        fold(plain_text(shown)),
        fold(" , ".join(paper.authors)),
        fold(plain_text(paper.abstract)),
        " ".join(tokens),
    )


# Where tokens stand in the text people see


def tokens_with_spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Each token of a text in order, with the stretch of the text it was made of (half-open, code points)."""
    simple, begins, ends = _simplified_with_places(text)
    for chunk in _CHUNK.finditer(simple):
        begin, end = chunk.span()
        if chunk["cjk"]:
            for at in range(begin, end):
                last = min(at + 2, end)
                yield simple[at:last], begins[at], ends[last - 1]
        elif chunk["spelt"]:
            yield _SPELT.sub(_spell_out, chunk[0]).strip(), begins[begin], ends[end - 1]
        else:
            yield chunk[0].replace("'", ""), begins[begin], ends[end - 1]


def spellings_with_spans(text: str) -> Iterator[tuple[str, int, int]]:
    """The further spellings that stand in the index for a text, with the stretch that each was made of."""
    simple, begins, ends = _simplified_with_places(text)
    for found in _SPELT.finditer(simple):
        yield found[1], begins[found.start()], ends[found.end() - 1]
    for found in _JOINED.finditer(simple):
        for spelling in _further_spellings(found[0]):
            yield spelling, begins[found.start()], ends[found.end() - 1]


def _simplified_with_places(text: str) -> tuple[str, list[int], list[int]]:
    """Simplified text, and for each of its signs where in `text` it came from."""
    signs: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        folded = _simplified(cluster[0])
        signs.append(folded)
        begins += [cluster.start()] * len(folded)
        ends += [cluster.end()] * len(folded)
    return "".join(signs), begins, ends


_CHUNK = re.compile(
    rf"(?P<cjk>[{CJK}]+)|(?P<spelt>(?<![a-z0-9])[a-z]{{1,2}}(?:\+\+|#(?![a-z0-9])))|[^\s{CJK}+#'-](?:'*[^\s{CJK}+#'-])*"
)
