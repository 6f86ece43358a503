"""How a stretch of a sentence is made to fit a line: by its own words, cut where it still reads whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.papers.sentences import word_set

FUNCTION_WORDS = word_set(
    "a an the this that these those its their our his her such any each every some no all both either"
    " neither and or but nor so yet than rather while whereas although though if unless except because"
    " since when where which who whose whom what why how whether not only also even just more most very of"
    " in on at to for from by with without within into onto upon over under across through via per as"
    " between among amongst toward towards against during before after about around along beyond despite"
    " like unlike regardless using comprising containing including is are was were be been being has have"
    " had do does did can could may might must shall should will would it they them we us i you he she"
    " there here then thus hence thereby therefore e.g i.e vs novel new first simple"
)
"""A line cut behind one of these reads broken."""
_DULL_WORDS = FUNCTION_WORDS | word_set(
    "framework method approach algorithm model system general unified efficient effective principled robust"
)
"""What could be said of any work: "a unified framework" is no news."""
_BRACKETS = re.compile(r"\s\([^()]*\)")
_DROPS = tuple(
    (re.compile(pattern), into)
    for pattern, into in (
        (r", (?:which|with|without|inspired|based|such as|including) [^,;:—]{1,90},(?= )", ""),
        (r"\s?—[^—]{1,160}—\s?", " "),
        (_BRACKETS, ""),
        (r"\b(?:consistently|significantly|effectively|explicitly|jointly|simultaneously|efficiently) ", ""),
        (r"\A(?:an?|the) ", ""),
    )
)
"""What is left out, in this order, until the text fits."""
_ENUMERATION = re.compile(r";|\s\(?(?:1|i|a)\)|\s①|: (?:\(?1[).]|first\b)")
_LINKS = (
    "that|which|where|while|by|through|via|using|leveraging|with|without|for|from|under|across|on|over|into|in|to"
    "|based|designed|capable|enabling|as|thereby|during|between|of|tailored|trained|built|because|such|when|against"
    "|within|among|towards?"
)
_PLACE = re.compile(
    rf",(?= (?:{_LINKS}|an?|the|at|we|it|regardless|[a-z-]+ing|[a-z-]+ed)\b| [\"“])|[;:]|\s?—|\s\("
    rf"|\s(?=(?P<link>{_LINKS})\b)"
)
"""Where a text may be cut."""
_LOOSE_END = re.compile(
    r"(?:\b(?:an?|the) \S+(?:al|ive|ic|ous|able|ible|ful|less|ed|ary)"
    r"|\b(?:an?|the) (?:same \S+|technique|set|number|range|variety|insight|fact)"
    r"|-(?:based|aware|free|guided|driven|specific|level)"
    r"|\b[a-z]+ly|\bas \w+ing|\bto [a-z]+(?<!ing)|, [\w-]+|: \S+(?: \S+){0,2}"
    r"|\b(?:that|which) (?:[a-z]+ly )?[a-z]+s|,? which is [a-z]+|\b(?:enabl|allow|help)(?:s|es|ing) \S+"
    r"|\b(?:designed|used|based|trained|built|tailored|able|capable|due|according|related|aims?|aiming"
    r"|leads?|leading|consists?|consisting|applied|relies|relying|focus(?:es|ing)?))\Z"
)
"""What begins something that a cut right behind it would take away."""
_OPEN_PAIR = re.compile(
    r"\b(?:between|both)(?!.* and )|\beither(?!.* or )|\bnot only(?!.* but )"
    r"|\b(?:unif|combin|bridg|integrat|coupl)(?:e|es|ing|y|ies|ying)\b(?!.*(?: and | with |, ))"
)
_ENDS = tuple(")]\"”’'%*+")
_OPEN_PARTICIPLE = re.compile(r"(?:[a-z]{2}ed|\b(?:known|seen|given|taken|drawn))\Z")
_IN_SERIES = re.compile(
    r"(?!, (?:which|that|where|thereby|while|we|it)\b)(?:, [^,;:\"“]{1,45}){0,3},? (?:and|or) [^,]+"
)


def shorten(text: str, room: int) -> str | None:
    """`text` in at most `room` characters, without asides, then without its end; None if nothing is left.

    The result ends neither in a function word nor inside a bracket, a formula or a pair ("between X").
    """
    best, best_score = None, 0.0
    for dropped, wording in enumerate(wordings(text)):
        if len(wording) <= room and reads_whole(wording):
            return wording
        for head, score in _cuts(wording, room):
            if score - 3 * dropped > best_score:
                best, best_score = head, score - 3 * dropped
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
    if len(text) <= room and _is_closed(text.rstrip(".?!")):
        return text
    if text.count("(", 0, room) != text.count(")", 0, room):
        text = _BRACKETS.sub("", text)
    words = text if len(text) < room else text[:room].rpartition(" ")[0]
    while words.count(" ") > 1 and not _is_closed(words.rstrip(" .,;:—–-")):
        words = words.rpartition(" ")[0]
    return (words.rstrip(' .,;:—–-([“"') or text[: room - 1]) + "…"


def reads_whole(text: str) -> bool:
    """Whether a line may end here: no function word, no open bracket, no pair or formula half told."""
    return _is_closed(text) and not _OPEN_PAIR.search(text)


def _is_closed(text: str) -> bool:
    return (
        (text[-1:].isalnum() or text.endswith(_ENDS))
        and last_word(text) not in FUNCTION_WORDS
        and all(text.count(left) == text.count(right) for left, right in ("()", "[]", "“”"))
        and text.count('"') % 2 == 0
    )


def last_word(text: str) -> str:
    """The last word in lower case, without the signs around it."""
    return text.rsplit(None, 1)[-1].strip("()[]\"'“”‘’.,;:—–…").lower() if text.strip() else ""


def news(text: str) -> int:
    """How many of its words say something: 0 for "a novel framework"."""
    return sum(last_word(word) not in _DULL_WORDS for word in text.split())


def _cuts(text: str, room: int) -> Iterator[tuple[str, float]]:
    """The beginnings of a text that fit and read whole, each with its length and a bonus for a good place."""
    for found in _PLACE.finditer(text, 0, min(len(text), room + 12)):
        head = text[: found.start()].rstrip(" ,;:—")
        if len(head) > room or not reads_whole(head) or _LOOSE_END.search(head):
            continue
        if link := found["link"]:
            if not _OPEN_PARTICIPLE.search(head) and not (link == "to" and " from " in head):
                yield head, len(head) - 25 * (link in ("of", "between", "as"))
        elif not _IN_SERIES.match(text, found.start()):
            yield head, len(head) + 12
