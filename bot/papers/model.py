"""What a paper is: the values every other room passes around."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Headline:
    """What stands in for a title nobody gave: `text` is at most 100 characters, `name` the work's own name in it.

    When there is a name, `text` starts with it: ``Name: what it is``, ``Name (Long Form): …`` or ``Name for …``.
    """

    name: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Paper:
    """One work. Parsers make it without an id (`id is None`); storage gives it one that never changes.

    `abstract` is verbatim, with whatever LaTeX or Markdown the source had; `plain.plain_text` makes it readable.
    `title` is None when no source gave one; then `headline` is what people see.
    `area is None` means 'Without a topic'; `subarea` may be None beside an area.
    `club` is the club on whose own shelf the paper stands, None for the shared shelf.
    """

    authors: tuple[str, ...]
    authors_truncated: bool
    area: str | None
    subarea: str | None
    abstract: str
    title: str | None = None
    url: str | None = None
    year: int | None = None
    venue: str | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    sources: tuple[str, ...] = ()
    line: int = 0
    id: int | None = None
    headline: Headline | None = None
    club: int | None = None

    @property
    def public_id(self) -> str:
        """``p17``: what people write and read. '#17' would become a channel in chat."""
        return f"p{self.id}"

    @property
    def topic(self) -> str | None:
        """``Area`` or ``Area · Subarea``; None without a topic."""
        if self.area is None:
            return None
        return self.area if self.subarea is None else f"{self.area} · {self.subarea}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a source that could not be read: 1-based `line`, the first words there, and a reason code.

    `reason` is a key that messages/ turns into a sentence, never a sentence itself.
    """

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A page or file once read: what could be read, in the order of the source, and what could not."""

    papers: tuple[Paper, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: numbers of entries, the problems, and each readable entry as it now stands.

    `papers` are in the order of the source, one an entry, so a paper described twice comes twice.
    `merged` counts entries that were another entry's or an older record's paper under another guise, `changed` those
    that gave a known paper something it lacked, `unchanged` those that told nothing new.
    """

    added: int
    changed: int
    merged: int
    unchanged: int
    refused: tuple[Problem, ...]
    papers: tuple[Paper, ...]


_PUBLIC_ID = re.compile(r"\s*[pP#]?\s*0*(\d{1,15})\s*\Z")


def parse_public_id(text: str) -> int | None:
    """The number in ``p17``, ``P17`` or ``17``; None when the text is no such id."""
    found = _PUBLIC_ID.match(text)
    return int(found[1]) if found and int(found[1]) > 0 else None
