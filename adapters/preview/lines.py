"""What stands inside a line as HTML: words, marks, instants, links, headlines. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never
from urllib.parse import urlsplit

from adapters.preview.html import Markup, h, join
from bot.messages.model import ChannelRef, Code, Inline, Link, Mark, Shown, Strong, Text, When
from bot.messages.pages.preview import Chrome, chrome_for

_SCORE = re.compile(r"(?<=\d) : (?=\d)")
"""'3 : 2' is one thing to read: no line ends inside it."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a message needs to be drawn: the words around it, the club's zone, the preview's instant."""

    chrome: Chrome
    zone: str
    now: datetime

    def for_language(self, language: str) -> Look:
        """The same place and time in another language."""
        return self if language == self.chrome.words.language else replace(self, chrome=chrome_for(language))


def render_text(text: Text, look: Look) -> Markup:
    """A line or sentence; plain strings in it are escaped."""
    return join(*(_inline(part, look) for part in text))


def _inline(part: Inline, look: Look) -> Markup:
    match part:
        case str():
            return join(_SCORE.sub("\u00a0:\u00a0", part))
        case Strong(text):
            return h("b", text)
        case Code(text):
            return h("code", text)
        case Mark(text):
            return h("mark", text)
        case When():
            return h(
                "time", _when(part, look), datetime=part.at.isoformat(timespec="seconds"), class_=part.style
            )
        case Link(text, url):
            if not _is_web(url):
                return join(text)
            return h("a", text, href=url, target="_blank", rel="noopener noreferrer nofollow")
        case ChannelRef(native_id, name):
            return join(f"#{name or native_id}")
    assert_never(part)


def _when(when: When, look: Look) -> str:
    return look.chrome.words.plain((when,), look.zone, look.now)


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def plain(text: Text, look: Look) -> str:
    """A line as words alone."""
    return look.chrome.words.plain(text, look.zone, look.now)


def lang_of(text: Text) -> str:
    """Papers keep their own language, whatever the bot speaks around them."""
    written = "".join(
        part.text if not isinstance(part, str | When | ChannelRef) else part if isinstance(part, str) else ""
        for part in text
    )
    return "zh-Hans" if any("\u4e00" <= sign <= "\u9fff" for sign in written) else "en"


def gap(label: str, text: Text) -> str | None:
    """The blank between a label and its sentence, where neither brings one."""
    starts = text[0] if text and isinstance(text[0], str) else ""
    return None if not text or starts[:1].isspace() or label.endswith("：") else " "


def render_shown(shown: Shown, look: Look) -> Markup:
    """A headline; a stand-in is told by its looks and to screen readers."""
    lang = lang_of(shown.name + shown.rest)
    if not shown.stand_in:
        return h("span", render_text(shown.name + shown.rest, look), lang=lang, class_="title")
    return join(
        h("span", f"{look.chrome.stand_in} ", class_="vh"),
        h(
            "span",
            h("b", render_text(shown.name, look)) if shown.name else None,
            render_text(shown.rest, look),
            class_="stand",
            lang=lang,
        ),
    )
