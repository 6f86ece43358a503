"""What a listing page looks like: the header 论文检索, then entries of topic, authors and abstract."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace

from bot.papers.model import Listing, Paper, Problem

HEADER = "论文检索"
CUT = " 等"
TOPIC_SEPARATOR = " · "
SOURCES = ("listing",)

MOST_PROBLEMS = 1_000
"""So many problems are named one by one; a last 'more_problems' stands for the rest."""

_LONG = 300  # characters: no topic is as long; a list of names can be, but then it is dense with commas
_LOOK = 400  # characters in which commas are counted
_MOST_COMMAS = 10  # so many or more there are a list of names
_MOST_WAITING = 64  # short blocks kept while no abstract comes, so that a file of nothing else stays small
_BINARY_LOOK = 8_000  # bytes looked at for a NUL, as git does

_CLOSERS = " \t\n\"'”’»」』)]}*_$`"
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", "…", "।", "؟")
_ABBREVIATION = re.compile(r"(?:^|[\s.\-])(?:\w|Jr|Sr|Md|Mohd|al|etc)\.$")


_Block = tuple[int, str, bool]
"""What stands between blank lines: its first line (1-based), the stripped text, was all of it text?

A bare tuple, because three are made for every paper.
"""


def parse_listing(data: bytes) -> Listing:
    """Read one page, or several one after the other, into the papers that can be read and the problems met.

    Blocks are separated by blank lines. The short blocks before each abstract are counted: two are topic
    and authors, one is authors. A block is an abstract, wherever it stands, when

    - it has at least 300 characters, and fewer than ten commas in the first 400 (too long for a topic, too
      few commas for names),
    - or it holds an address (``://``),
    - or it ends as a sentence does, has two or more words (in a script with spaces), and does not end in an
      abbreviation of names ('Jr.', 'X.', 'et al.') after mostly capitalised words.

    An abstract that follows an abstract was parted by a blank line: it is joined to the one before. Where
    more than two short blocks come before an abstract, an abstract was lost, and only then shapes are looked
    at: the last block is authors; the one before is its topic unless it looks like names (it ends in ' 等',
    or it has no ' · ' but a comma, or a line with ' · ' stands above it).

    A byte order mark, CRLF, CR, a missing last newline, and a header glued to the last abstract are no
    problems. Names and abstracts stay as they are, without the blanks around them. `Paper.line` is the first
    line of the entry. Never raises. Reasons of problems, which come in the order of lines:

    - ``empty``: no entry at all (line 1)
    - ``not_text``: not UTF-8, or with NUL. For the whole file if it begins so (then nothing is read), else
      for the entry, which is left out: once mended it would come a second time
    - ``no_header``: the first line is not 论文检索; entries are read all the same
    - ``no_abstract``: an authors line (or anything short) that no abstract follows
    - ``no_authors``: an abstract without authors before it
    - ``joined_abstract``: a blank line parted an abstract; it was joined, the line is where it goes on
    - ``more_problems``: more than 1,000; the line is that of the first one not named
    """
    start = data[:_BINARY_LOOK]
    if b"\0" in start:
        return Listing((), (Problem(1, _first_words(start.decode("utf-8", "replace")), "not_text"),))
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    reading = _Reading()
    for block in _blocks(data):
        if reading.headed is None and not reading.begin(block):
            break
        reading.take(block)
    return reading.listing()


def _blocks(data: bytes) -> Iterator[_Block]:
    """The blocks in order. Each line is decoded by itself, so a bad byte costs one entry, not the page."""
    first, text, readable = 0, "", True
    more: list[str] = []
    for number, raw in enumerate(io.BytesIO(data), 1):
        line, good, header = "", True, False
        if raw != b"\n":
            try:
                line = raw.decode().strip()
                good = "\0" not in line
            except UnicodeDecodeError:
                line, good = raw.decode("utf-8", "replace").strip(), False
            if not line.isascii():
                line = line.lstrip("\ufeff").lstrip()
                if header := line.endswith(HEADER) and _is_header(line):
                    line = line[: -len(HEADER)].rstrip("\ufeff \t")
        if not line:
            pass
        elif text:
            more.append(line)
            readable = readable and good
        else:
            first, text, readable = number, line, good
        if text and (header or not line):
            yield first, "\n".join((text, *more)) if more else text, readable
            text, more = "", []
        if header:
            yield number, HEADER, True
    if text:
        yield first, "\n".join((text, *more)), readable


def _is_header(line: str) -> bool:
    """Is the end of this line a header? The line ends in those characters.

    Pages are often put one after the other without a newline between; a Chinese sentence may end so too.
    """
    before = line[: -len(HEADER)]
    return not before or not "\u4e00" <= before[-1] <= "\u9fff"


class _Reading:
    """A page half read: the short blocks that wait for an abstract, and what still goes to the last one.

    `entry` tells what an abstract without a heading belongs to: None nothing, True the last paper, False an
    entry that was left out.
    """

    __slots__ = ("entry", "headed", "more", "papers", "problems", "waiting")

    def __init__(self) -> None:
        self.papers: list[Paper] = []
        self.problems: list[Problem] = []
        self.waiting: list[_Block] = []
        self.more: list[str] = []
        self.entry: bool | None = None
        self.headed: bool | None = None

    def begin(self, block: _Block) -> bool:
        """Look at the first block: is this a listing? False when it is no text, and nothing worth reading."""
        _, text, readable = block
        self.headed = text == HEADER
        if not self.headed:
            self.report(block, "no_header" if readable else "not_text")
        return readable

    def take(self, block: _Block) -> None:
        text = block[1]
        if _is_abstract(text):
            if self.waiting:
                self.take_entry(block)
            else:
                self.go_on(block)
        elif text == HEADER:
            self.end_page()
        else:
            self.waiting.append(block)
            if len(self.waiting) > _MOST_WAITING:
                self.give_up(self.waiting[: _MOST_WAITING // 2])
                del self.waiting[: _MOST_WAITING // 2]

    def take_entry(self, abstract: _Block) -> None:
        """Make a paper of this abstract and the short blocks before it."""
        if self.more:
            self.join()
        heading, self.waiting = self.waiting, []
        size = _heading_size(heading)
        if size < len(heading):
            self.give_up(heading[:-size])
            heading = heading[-size:]
        line, topic, readable = heading[0]
        _, names, names_readable = heading[-1]
        _, text, text_readable = abstract
        authors, truncated = _authors(names)
        self.entry = readable and names_readable and text_readable and bool(authors)
        if not self.entry:
            bad = next((block for block in (*heading, abstract) if not block[2]), None)
            self.report(bad or heading[-1], "not_text" if bad else "no_authors")
            return
        area, subarea = _topic(topic) if size == 2 else (None, None)
        self.papers.append(Paper(authors, truncated, area, subarea, text, sources=SOURCES, line=line))

    def go_on(self, block: _Block) -> None:
        """Add an abstract that follows an abstract to the one before."""
        if self.entry is None:
            self.report(block, "no_authors")
        elif not block[2]:
            self.report(block, "not_text")
            if self.entry:
                self.papers.pop()
                self.more = []
                self.entry = False
        elif self.entry:
            self.report(block, "joined_abstract")
            self.more.append(block[1])

    def join(self) -> None:
        last = self.papers[-1]
        self.papers[-1] = replace(last, abstract="\n\n".join((last.abstract, *self.more)))
        self.more = []

    def end_page(self) -> None:
        if self.more:
            self.join()
        self.give_up(self.waiting)
        self.waiting = []
        self.entry = None

    def give_up(self, lost: list[_Block]) -> None:
        """Report entries that have no abstract, each at its authors line."""
        ends = []
        while lost:
            ends.append(lost[-1])
            lost = lost[: -_heading_size(lost)]
        for block in reversed(ends):
            self.report(block, "no_abstract" if block[2] else "not_text")

    def report(self, block: _Block, reason: str) -> None:
        line, text, _ = block
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(line, _first_words(text), reason))
        elif len(self.problems) == MOST_PROBLEMS:
            self.problems.append(Problem(line, _first_words(text), "more_problems"))

    def listing(self) -> Listing:
        self.end_page()
        if not self.papers and not self.problems:
            self.problems.append(Problem(1, HEADER if self.headed else "", "empty"))
        self.problems.sort(key=lambda problem: problem.line)
        return Listing(tuple(self.papers), tuple(self.problems))


def _is_abstract(text: str) -> bool:
    """Does this block have the shape of an abstract? The rule stands at `parse_listing`."""
    if len(text) >= _LONG and text.count(",", 0, _LOOK) < _MOST_COMMAS:
        return True
    if "://" in text:
        return True
    if text[-1].isalnum():
        return False
    end = text[-80:].rstrip(_CLOSERS)
    if not end.endswith(_SENTENCE_ENDS):
        return False
    if end.isascii() and " " not in text and "\n" not in text:
        return False
    return not (_ABBREVIATION.search(end) and _mostly_capitalised(text))


def _mostly_capitalised(text: str) -> bool:
    """Is at least every second word but the last, the abbreviation, capitalised?"""
    words = text.split()[:-1]
    return sum(word[0].islower() for word in words) * 2 <= len(words)


def _heading_size(blocks: list[_Block]) -> int:
    """How many of the last of these short blocks belong together: 2 (topic and authors) or 1 (authors)."""
    if len(blocks) == 1:
        return 1
    before = blocks[-2][1]
    if before.endswith(CUT):
        return 1
    if len(blocks) == 2 or TOPIC_SEPARATOR in before:
        return 2
    return 1 if "," in before or TOPIC_SEPARATOR in blocks[-3][1] else 2


def _authors(line: str) -> tuple[tuple[str, ...], bool]:
    """The names, verbatim, and whether the list was cut."""
    if "\n" in line:
        line = line.replace("\n", " ")
    truncated = line.endswith(CUT)
    if truncated:
        line = line[: -len(CUT)]
    names = tuple(map(str.strip, line.split(",")))
    return tuple(filter(None, names)) if "" in names else names, truncated


def _topic(line: str) -> tuple[str, str | None]:
    area, _, subarea = line.replace("\n", " ").partition(TOPIC_SEPARATOR)
    return area.strip(), subarea.strip() or None


def _first_words(text: str) -> str:
    return " ".join(text[:200].split())[:60]
