"""Values the tests of messages are told with, and a message as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.clubs.model import Channel, Club, Settings
from bot.messages.model import (
    Actions,
    Bars,
    Branch,
    Commands,
    Entries,
    Entry,
    Facts,
    Mark,
    Message,
    Meter,
    Note,
    Reader,
    Reason,
    Shown,
    Small,
    Steps,
    Table,
    Title,
    Tree,
    Try,
    Winner,
)
from bot.messages.words import Words, words_for
from bot.papers.model import Headline, Paper
from bot.rounds.model import Candidate, Nomination, Result, Round, Turnout

NOW = datetime(2026, 12, 3, 10, 0, tzinfo=UTC)
"""Thursday 3 December, 11:00 in Berlin."""
ZONE = "Europe/Berlin"

EN = Reader("en", ZONE, NOW, "Member 3", False, 3)
ZH = Reader("zh", ZONE, NOW, "Member 3", False, 3)
ORGANISER = Reader("en", ZONE, NOW, "Member 1", True, 1)

SENTENCES = (
    "Grouped ballots are hard to read. "
    "We introduce Tessel, a method that sorts ballots by colour and size. "
    "It needs one pass over the box and no table. "
    "On four boxes of ballots it is twice as quick as sorting by hand, and it loses none of them."
)


def paper(number: int = 57, **changes: Any) -> Paper:
    """A paper with a stand-in that has a name."""
    values: dict[str, Any] = {
        "authors": ("Ada Mund", "Bo Lind", "Cy Orr"),
        "authors_truncated": False,
        "area": "Social Choice",
        "subarea": "Ballots",
        "abstract": SENTENCES,
        "id": number,
        "headline": Headline("Tessel", "Tessel: a method that sorts ballots by colour and size"),
    }
    return Paper(**(values | changes))


def titled(number: int = 58, title: str = "On the sorting of ballots", **changes: Any) -> Paper:
    """A paper whose title a source gave."""
    return paper(number, title=title, headline=None, **changes)


def club(**changes: Any) -> Club:
    """A club in Berlin with one channel."""
    values: dict[str, Any] = {
        "id": 1,
        "name": "Readers",
        "language": "en",
        "zone": ZONE,
        "salt": "00",
        "settings": Settings(),
        "created_at": NOW,
        "channels": (Channel(1, 1, "preview", "", "c1", "papers"),),
    }
    return Club(**(values | changes))


def candidates(papers: list[Paper], reason: str = "") -> tuple[Candidate, ...]:
    """The papers in order of nomination, an hour apart."""
    start = NOW - timedelta(days=3)
    return tuple(
        Candidate(n, n, each, f"Member {n}", reason, start + timedelta(hours=n))
        for n, each in enumerate(papers, 1)
    )


def a_round(papers: list[Paper], reason: str = "", **changes: Any) -> Round:
    """An open vote that closes on Friday at 17:00, for the meeting on Monday."""
    values: dict[str, Any] = {
        "id": 12,
        "club_id": 1,
        "number": 1,
        "method": "approval",
        "state": "voting",
        "opens_at": NOW - timedelta(hours=2),
        "closes_at": datetime(2026, 12, 4, 16, 0, tzinfo=UTC),
        "meeting_at": datetime(2026, 12, 7, 15, 0, tzinfo=UTC),
        "candidates": candidates(papers, reason),
    }
    return Round(**(values | changes))


def four() -> list[Paper]:
    """Four papers that tell themselves apart."""
    return [
        paper(44),
        titled(57, authors=("Dee Fox", "Eli Gray")),
        paper(5, headline=Headline(None, "A map of all ballots ever cast"), authors=("Fay Hill",)),
        titled(64, "PACS: sorting at night", authors=()),
    ]


def a_result(votes: dict[int, int], **changes: Any) -> Result:
    """The vote on `four()` once closed."""
    closed = a_round(four(), state="decided", closed_at=datetime(2026, 12, 4, 16, 0, tzinfo=UTC))
    values: dict[str, Any] = {
        "round": closed,
        "outcome": "decided",
        "winner": 1,
        "votes": votes,
        "ballots": 5,
        "non_blank": 5,
        "turnout": Turnout(5, 6),
    }
    return Result(**(values | changes))


def nomination(number: int, about: Paper, member: int = 1, **changes: Any) -> Nomination:
    """An open nomination."""
    values: dict[str, Any] = {
        "id": number,
        "paper": about,
        "member_id": member,
        "member": f"Member {member}",
        "reason": "",
        "state": "open",
        "created_at": NOW - timedelta(days=1),
    }
    return Nomination(**(values | changes))


def told(message: Message) -> list[str]:
    """A message as lines: what a reader without looks, colours and buttons would have of it."""
    return [line for block in message.blocks for line in _lines(block, words_for(message.language))]


def _lines(block: object, words: Words) -> Iterator[str]:
    match block:
        case Title(shown):
            yield f"# {_shown(shown)}"
        case Winner(label, shown, lines):
            yield f"{label} # {_shown(shown)}"
            yield from (_text(line, words) for line in lines)
        case Reason(label, text):
            yield label + _text(text, words)
        case Note(heading, text):
            yield f"[{heading}] {_text(text, words)}"
        case Meter(votes, total, text):
            yield f"{votes}/{total} {text}"
        case Entries(items):
            for item in items:
                yield from _entry(item, words)
        case Bars(items):
            for bar in items:
                yield f"{_text(bar.label, words)} {bar.value}{' won' if bar.won else ''}"
        case Facts(items):
            for fact in items:
                yield f"{fact.label}: {_text(fact.value, words)} {_text(fact.note, words)}".rstrip()
        case Steps(items):
            yield from (_text(item, words) for item in items)
        case Table():
            yield " | ".join([block.caption, *block.head])
            yield from (" | ".join(row) for row in block.rows)
        case Commands(heading, items):
            yield heading
            yield from (f"{item.command} {item.text}" for item in items)
        case Tree(items):
            yield from (line for item in items for line in _branch(item))
        case Try(items):
            for text, button in items:
                yield _text(text, words) + (f" <{button.label}>" if button else "")
        case Actions(items, end):
            yield " ".join([f"<{item.label}>" for item in items] + ([end] if end else []))
        case Small(text, paper_id):
            yield " · ".join(filter(None, [paper_id, _text(text, words)]))
        case _:
            values = [getattr(block, field.name) for field in fields(block)]  # type: ignore[arg-type]
            yield " ".join(
                _text(value, words) if isinstance(value, tuple) else value
                for value in values
                if isinstance(value, tuple | str) and value and value not in ("answer", "question", "section")
            )


def _entry(entry: Entry, words: Words) -> Iterator[str]:
    number = f"{entry.number}. " if entry.number is not None else ""
    yield f"{number}{_shown(entry.shown)}"
    for at, line in enumerate(entry.lines):
        yield f"   {_text(line, words)}{f' · {entry.paper}' if entry.paper and not at else ''}"
    if entry.excerpt:
        yield f"   “{_text(entry.excerpt, words)}”"
    if entry.quote:
        yield f"   > {entry.quote}"
    for button in entry.buttons:
        yield f"   <{button.label}>"


def _branch(branch: Branch, indent: str = "") -> Iterator[str]:
    yield f"{indent}{branch.label} {branch.count}"
    for leaf in branch.leaves:
        yield from _branch(leaf, "  ")


def _shown(shown: Shown) -> str:
    """A title as it is; a stand-in with its name in stars and the rest in strokes."""
    if not shown.stand_in:
        return _marks(shown.name + shown.rest)
    return (f"*{_marks(shown.name)}*" if shown.name else "") + f"/{_marks(shown.rest)}/"


def _marks(text: tuple[Any, ...]) -> str:
    return "".join(f"[{part.text}]" if isinstance(part, Mark) else str(part) for part in text)


def _text(text: tuple[Any, ...], words: Words) -> str:
    """Instants in the club's zone, hits in brackets."""
    return words.plain(tuple(f"[{p.text}]" if isinstance(p, Mark) else p for p in text), ZONE, NOW)


def all_strings(value: object) -> Iterator[str]:
    """Every string anywhere inside a message or form, ids left out."""
    match value:
        case str():
            yield value
        case tuple():
            for part in value:
                yield from all_strings(part)
        case _ if is_dataclass(value):
            for field in fields(value):
                if field.name not in ("id", "language", "style", "kind", "level"):
                    yield from all_strings(getattr(value, field.name))


def all_parts(value: object, kind: type[Any]) -> Iterator[Any]:
    """Every value of a kind anywhere inside."""
    if isinstance(value, kind):
        yield value
    if isinstance(value, tuple):
        for part in value:
            yield from all_parts(part, kind)
    elif is_dataclass(value):
        for field in fields(value):
            yield from all_parts(getattr(value, field.name), kind)
