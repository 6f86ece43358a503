"""How a stretch of a sentence is made to fit a line: by its own words, cut where it still reads whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.papers.headline_words import DULL_WORDS, FUNCTION_WORDS
from bot.papers.names import is_odd

_ADVERBS = (
    "consistently|significantly|effectively|specifically|adaptively|explicitly|jointly|simultaneously"
    "|efficiently|dynamically|seamlessly|systematically|substantially|fully|highly|carefully|directly"
)
_ASIDE = "which|with|without|inspired|based|such as|including|termed|called|named"
_BRACKETS = re.compile(r"\s?\([^()]*\)")
_DROPS = tuple(
    (re.compile(pattern), into)
    for pattern, into in (
        (r"\s?\((?:e\.g|i\.e)[^()]*\)", ""),
        (r",? (?:such as|including|e\.g\.,?) [^;:—]*\Z", ""),
        (rf", (?:{_ASIDE}) [^,;:—]{{1,90}},(?= )", ""),
        (r"\s?—[^—]{1,160}—\s?", " "),
        (_BRACKETS, ""),
        (rf"\b(?:{_ADVERBS}) ", ""),
        (r"\A(?:an?|the) ", ""),
    )
)
_PLACE = re.compile(
    r"(?P<comma>,)(?= (?:which|that|where|an?|the|with|by|to|for|thereby|while|as|in|on|at|from|without|we|it"
    r"|regardless"
    r"|[a-z-]+ing|[a-z-]+ed)\b| [\"“])"
    r"|(?P<mark>[;:]|\s?—|\s\()"
    r"|\s(?=(?P<word>that|which|where|while|by|through|via|using|leveraging|with|without|for|from|under|across|on|over"
    r"|into|in|to|based|designed|capable|enabling|as|thereby|during|between|of|tailored|trained|built|comprising"
    r"|because|such|when|against|within|among|towards?)\b)"
)
_ENUMERATION = re.compile(r";|\s\(?(?:1|i|a)\)|\s①|: (?:\(?1[).]|first\b)")
_LOOSE_ENDS = (
    r"\b(?:an?|the) \S+(?:al|ive|ic|ous|able|ible|ful|less|ed|ary)",
    r"\bthe same \S+|\b(?:an?|the) (?:technique|set|number|range|variety|insight|fact)",
    r"-(?:based|aware|free|guided|driven|specific|level)",
    r"\b[a-z]+ly|\bas \w+ing|\bto [a-z]+(?<!ing)|, \S+|: \S+(?: \S+){0,2}",
    r"\b(?:that|which) (?:[a-z]+ly )?[a-z]+s|,? which is [a-z]+",
    r"\b(?:enabl|allow|help)(?:s|es|ing) \S+",
    r"\b(?:designed|used|based|trained|built|tailored|able|capable|due|according|related|such|aims?|aiming|both)",
    r"\b(?:leads?|leading|consists?|consisting|applied|relies|relying|focus(?:es|ing)?)",
)
"""What begins something that a cut right behind it would take away."""
_BAD_END = re.compile(rf"(?:{'|'.join(_LOOSE_ENDS)})\Z")
_OPEN_PAIR = re.compile(
    r"\bbetween(?!.* and )|\bboth(?!.* and )|\beither(?!.* or )|\bnot only(?!.* but )"
    r"|\b(?:unif|combin|bridg|integrat|coupl)(?:e|es|ing|y|ies|ying)\b(?!.*(?: and | with |, ))"
)
_QUOTES = re.compile(r"[“”\"]|''")
_OPEN_PARTICIPLE = re.compile(r"(?:[a-z]{2}ed|\bknown|\bseen|\bgiven|\btaken|\bdrawn)\Z")
_NEW_CLAUSE = re.compile(r" (?:which|that|where|thereby|while|we|it)\b| [\"“]")
_IN_SERIES = re.compile(r"(?:, [^,;:]{1,45}){0,3},? (?:and|or) [^,]+")


def shorten(text: str, room: int) -> str | None:
    """`text` in at most `room` characters, without asides, then without its end; None if nothing is left.

    The result ends neither in a function word nor inside a bracket or a pair ("between X" without its "and").
    """
    best, best_score = None, 0.0
    for dropped, wording in enumerate(wordings(text)):
        if len(wording) <= room and reads_whole(wording):
            return wording
        for head, score in _cuts(wording, room):
            score -= 3 * dropped
            if score > best_score:
                best, best_score = head, score
    return best


def wordings(text: str) -> Iterator[str]:
    """The text as it is, then with more and more asides left out; none holds anything of an enumeration."""
    if found := _ENUMERATION.search(text):
        text = text[: found.start()]
    text = text.strip(" .,;:—")
    yield text
    for pattern, into in _DROPS:
        shorter = pattern.sub(into, text).strip(" ,")
        if shorter != text:
            text = shorter
            yield text


def cut_words(text: str, room: int) -> str:
    """The first words of `text` and "…", together at most `room` characters; a text that fits stays whole."""
    ended = text[-1:] in ".?!" or last_word(text) not in FUNCTION_WORDS
    if len(text) <= room and ended and not _unbalanced(text):
        return text
    if _unbalanced(text[: room - 1]):
        text = _BRACKETS.sub("", text)
    words = text if len(text) < room else text[:room].rpartition(" ")[0] or text[: room - 1]
    while _unbalanced(words) and (opened := max(words.rfind(sign) for sign in '([“"')) > 0:
        words = words[:opened].rstrip()
    while words.count(" ") > 1 and last_word(words) in FUNCTION_WORDS:
        words = words.rpartition(" ")[0]
    return (words.rstrip(' .,;:—–-([“"') or text[: room - 1]) + "…"


def reads_whole(text: str) -> bool:
    """Whether a line may end here: no function word, no open bracket or quote, no pair half told."""
    return (
        bool(text)
        and last_word(text) not in FUNCTION_WORDS
        and not _unbalanced(text)
        and not _OPEN_PAIR.search(text)
    )


def last_word(text: str) -> str:
    """The last word in lower case, without the signs around it."""
    return text.rsplit(None, 1)[-1].strip("()[]\"'“”‘’.,;:—–…").lower() if text.strip() else ""


def news(text: str) -> int:
    """How many of its words say something: 0 for "a novel framework"."""
    words = (word.strip("()[]\"'“”,.;:").lower() for word in text.split())
    return sum(
        word not in DULL_WORDS and word not in FUNCTION_WORDS and not word.endswith("ly") for word in words
    )


def capitalised(text: str) -> str:
    """The text with a capital first letter, unless its first word is written as a name (xLSTM)."""
    first = text.split(None, 1)[0] if text.strip() else ""
    return text if is_odd(first) else text[:1].upper() + text[1:]


def _cuts(text: str, room: int) -> Iterator[tuple[str, float]]:
    for found in _PLACE.finditer(text, 0, min(len(text), room + 12)):
        head = text[: found.start()].rstrip(" ,;:—")
        if len(head) > room or not reads_whole(head) or _BAD_END.search(head):
            continue
        if (
            found["comma"]
            and not _NEW_CLAUSE.match(text, found.end())
            and _IN_SERIES.match(text, found.start())
        ):
            continue
        if found["word"] and (_OPEN_PARTICIPLE.search(head) or (found["word"] == "to" and " from " in head)):
            continue
        score = len(head) + (12 if found["comma"] or found["mark"] else 0)
        yield head, score - (25 if found["word"] in ("of", "between", "as") else 0)


def _unbalanced(text: str) -> bool:
    return (
        text.count("(") != text.count(")")
        or text.count("[") != text.count("]")
        or len(_QUOTES.findall(text)) % 2 == 1
    )
