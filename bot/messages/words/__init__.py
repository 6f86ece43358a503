"""The words of each language: sentences by their English text, plurals, dates.

The English sentence is the message id; `zh.po` holds the Chinese. Nothing compiled is kept: a catalogue is
compiled in memory when first used. After changing a sentence, renew the catalogue and translate what is new:

    pybabel extract --no-default-keywords -k say -k line -k count:1,2 -k count_line:1,2 \
        -k count_sentences:1,2 -k sentences -k labelled -k N_ \
        --no-location --omit-header -o /tmp/paperclub.pot bot/commands.py bot/messages
    pybabel update --no-fuzzy-matching --ignore-pot-creation-date -w 110 -l zh \
        -i /tmp/paperclub.pot -o bot/messages/words/zh.po
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from bot.clubs.model import LANGUAGE_NAMES, WEEKDAYS, Weekday
from bot.messages.model import ChannelRef, Code, Inline, Link, Mark, Strong, Text, When

LANGUAGES: tuple[str, ...] = tuple(LANGUAGE_NAMES)
"""The complete catalogues; the first is the language of the sources."""

Value = Inline | int | Text
_PLACE = re.compile(r"\{(\w+)\}")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|(?<=[。？！])")
_LABEL_END = re.compile(r"(?<=:)(?=\s)|(?<=：)")
_ENDS = (".", "?", "!", "…")
_HAN = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z0-9]")
_TRADITIONAL = frozenset({"hant", "tw", "hk", "mo"})
_PATTERNS = {
    "en": {"moment": "EEE d MMM, HH:mm", "moment_year": "EEE d MMM y, HH:mm", "date": "EEEE d MMMM",
           "date_year": "EEEE d MMMM y", "time": "HH:mm:ss"},
    "zh": {"moment": "M 月 d 日EEE HH:mm", "moment_year": "y 年 M 月 d 日EEE HH:mm", "date": "M 月 d 日EEEE",
           "date_year": "y 年 M 月 d 日EEEE", "time": "HH:mm:ss"},
}  # fmt: skip
_DAY_OF_WEEK = {day: date(2024, 1, number) for number, day in enumerate(WEEKDAYS, 1)}
"""1 January 2024 was a Monday."""


def N_(message: str) -> str:
    """Marks a sentence for extraction where it stands in a table; it is translated where it is said."""
    return message


@dataclass(frozen=True, slots=True)
class Words:
    """One language. Values in {braces} are plain, a part of a line such as When or Code, or a whole Text."""

    language: str

    def say(self, message: str, /, **values: Value) -> Text:
        """The sentence in this language with its values. A value the sentence does not name is left out."""
        return _fill(self._translate(message), values)

    def line(self, message: str, /, **values: str | int) -> str:
        """The same as one plain string."""
        return flat(self.say(message, **values))

    def count(self, singular: str, plural: str, n: int, /, **values: Value) -> Text:
        """The sentence for `n` things; `{n}` is filled with it."""
        return _fill(_catalogue(self.language).ngettext(singular, plural, n), {"n": n, **values})

    def count_line(self, singular: str, plural: str, n: int, /, **values: str | int) -> str:
        """The same as one plain string."""
        return flat(self.count(singular, plural, n, **values))

    def count_sentences(self, singular: str, plural: str, n: int, /, **values: Value) -> tuple[Text, Text]:
        """`sentences` of a sentence for `n` things."""
        first, _, rest = _split(_SENTENCE_END, _catalogue(self.language).ngettext(singular, plural, n))
        return _fill(first, {"n": n, **values}), _fill(rest, {"n": n, **values})

    def sentences(self, message: str, /, **values: Value) -> tuple[Text, Text]:
        """What is so, and all that follows: the first sentence and the others (may be empty), both filled."""
        first, _, rest = _split(_SENTENCE_END, self._translate(message))
        return _fill(first, values), _fill(rest, values)

    def labelled(self, message: str, /, **values: Value) -> tuple[str, Text]:
        """'Why this paper: …' as its label, colon included, and the rest with its leading blank, if any."""
        label, gap, rest = _split(_LABEL_END, self._translate(message))
        return flat(_fill(label, values)), _fill(gap + rest, values)

    def moment(self, at: datetime, zone: str, now: datetime | None = None) -> str:
        """'Fri 4 Dec, 17:00' in `zone`; with `now`, the year is told when it is another one."""
        return self._moment(at.astimezone(ZoneInfo(zone)), "moment", now)

    def date(self, day: date | datetime, zone: str | None = None, now: datetime | None = None) -> str:
        """'Monday 7 December'. An instant needs its `zone`; with `now`, another year is told."""
        if isinstance(day, datetime):
            day = day.astimezone(ZoneInfo(zone or "UTC")).date()
        pattern = "date_year" if now is not None and now.year != day.year else "date"
        return format_date(day, _PATTERNS[self.language][pattern], locale=self.language)

    def clock(self, at: datetime, zone: str) -> str:
        """'17:00:04' in `zone`."""
        return self._moment(at.astimezone(ZoneInfo(zone)), "time", None)

    def weekday(self, day: Weekday, *, short: bool = False) -> str:
        """'Thursday', or 'Thu'."""
        return format_date(_DAY_OF_WEEK[day], "EEE" if short else "EEEE", locale=self.language)

    def relative(self, at: datetime, now: datetime) -> str:
        """'in 1 day 6 hours', '2 hours ago', rounded down to minutes; 'now' within a minute."""
        minutes = int(abs(at - now) // timedelta(minutes=1))
        if minutes == 0:
            return self.line("now")
        days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
        parts = [
            self.count_line("{n} day", "{n} days", days) if days else "",
            self.count_line("{n} hour", "{n} hours", hours) if hours else "",
            self.count_line("{n} minute", "{n} minutes", rest) if rest and not days else "",
        ]
        span = " ".join(filter(None, parts))
        return self.line("in {span}", span=span) if at > now else self.line("{span} ago", span=span)

    def plain(self, text: Text, zone: str, now: datetime) -> str:
        """A line with its instants worded, for the terminal and for summaries."""
        line = ""
        for part in text:
            line = _met(line, self._when(part, zone, now) if isinstance(part, When) else _flat(part))
        return line

    def all_of(self, items: Sequence[str]) -> str:
        """'a', 'a and b', 'a, b and c'."""
        if len(items) < 2:
            return "".join(items)
        comma = self.line(", ")
        return self.line("{items} and {last}", items=comma.join(items[:-1]), last=items[-1])

    def run_on(self, *sentences: str | Text) -> Text:
        """Sentences one after the other, without the empty ones, parted as the language does."""
        blank = "" if self.language == "zh" else " "
        texts = [(sentence,) if isinstance(sentence, str) else sentence for sentence in sentences if sentence]
        template = blank.join(f"{{s{number}}}" for number in range(len(texts)))
        return _fill(template, {f"s{number}": text for number, text in enumerate(texts)})

    def _when(self, when: When, zone: str, now: datetime) -> str:
        match when.style:
            case "moment":
                return self.moment(when.at, zone, now)
            case "date":
                return self.date(when.at, zone, now)
            case "relative":
                return self.relative(when.at, now)
            case "time":
                return self.clock(when.at, zone)

    def _moment(self, local: datetime, pattern: str, now: datetime | None) -> str:
        if now is not None and pattern == "moment" and now.astimezone(local.tzinfo).year != local.year:
            pattern = "moment_year"
        return format_datetime(
            local.replace(tzinfo=None), _PATTERNS[self.language][pattern], locale=self.language
        )

    def _translate(self, message: str) -> str:
        return _catalogue(self.language).gettext(message)


@lru_cache
def words_for(language: str) -> Words:
    """The words of a language code of `LANGUAGES`; an unknown one gets the first."""
    return Words(language if language in LANGUAGES else LANGUAGES[0])


@lru_cache(256)  # asked at every press
def best_language(locale: str | None, default: str) -> str:
    """The catalogue for a client's locale (BCP 47 or POSIX), else `default`.

    Traditional Chinese is not silently answered in simplified: zh-TW and zh-HK get the default.
    """
    fallback = default if default in LANGUAGES else LANGUAGES[0]
    parts = re.split(r"[-_.@]", (locale or "").strip().lower())
    if parts[0] not in LANGUAGES:
        return fallback
    if parts[0] == "zh" and "hans" not in parts and _TRADITIONAL.intersection(parts):
        return fallback
    return parts[0]


def flat(text: Text) -> str:
    """A line without looks. Instants need a zone: `Words.plain` knows how."""
    return "".join(_flat(part) for part in text)


def _flat(part: Inline) -> str:
    match part:
        case str():
            return part
        case Strong(text) | Code(text) | Mark(text) | Link(text, _):
            return text
        case ChannelRef(native_id, name):
            return f"#{name or native_id}"
        case When(at, _):
            return at.isoformat()


def _split(at: re.Pattern[str], template: str) -> tuple[str, str, str]:
    found = at.search(template)
    return (template[: found.start()], found[0], template[found.end() :]) if found else (template, "", "")


def _fill(template: str, values: dict[str, Value]) -> Text:
    """The template with its values; neighbouring strings become one. Braces inside values stay.

    Where a value meets Chinese words there is a blank between Latin signs or figures and Chinese, and none
    between Chinese and Chinese, whatever the value turns out to be.
    """
    pieces = _pieces(template)
    if len(pieces) == 1:  # most words of a page
        return pieces if template else ()
    parts: list[Inline] = []
    for number, piece in enumerate(pieces):
        value = values[piece] if number % 2 else piece
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, int):
                part = str(part)
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] = _met(parts[-1], part)
            elif part != "":
                parts.append(part)
    return tuple(parts)


@lru_cache(1024)
def _pieces(template: str) -> tuple[str, ...]:
    """A template's words and, between them, the names of its places."""
    return tuple(_PLACE.split(template))


def _met(before: str, after: str) -> str:
    """Two neighbours as one string: with the blank that Chinese asks for, and without a second full stop."""
    if before.endswith(_ENDS) and after.startswith((".", "。")):
        after = after[1:]
    left, right = before.rstrip(" "), after.lstrip(" ")
    if not left or not right or len(before) - len(left) + len(after) - len(right) > 1:
        return before + after
    if _HAN.match(left[-1]) and _HAN.match(right[0]):
        return left + right
    if (_HAN.match(left[-1]) and _LATIN.match(right[0])) or (_LATIN.match(left[-1]) and _HAN.match(right[0])):
        return f"{left} {right}"
    return before + after


@lru_cache
def _catalogue(language: str) -> NullTranslations:
    source = files(__name__).joinpath(f"{language}.po")
    if not source.is_file():
        return NullTranslations()
    compiled = io.BytesIO()
    write_mo(compiled, read_po(io.BytesIO(source.read_bytes()), locale=language))
    compiled.seek(0)
    return GNUTranslations(compiled)
