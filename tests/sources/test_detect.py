"""Which reader a file gets."""

from __future__ import annotations

import pytest

from bot.papers.listing import HEADER, parse_listing
from bot.papers.model import Listing, Problem
from bot.sources.detect import FORMATS, read_source
from bot.starter import starter_pages


def test_a_listing_is_known_by_its_header_whatever_its_name() -> None:
    for name, data in starter_pages():
        for source in (name, "-", "page.json"):
            assert read_source(data, source) == parse_listing(data)


def test_a_format_that_is_named_is_used() -> None:
    data = b"Ada Brook\n\nA page without its header."
    assert read_source(data, "page.txt").problems == (
        Problem(1, "Ada Brook A page without its header.", "unknown_format"),
    )
    assert len(read_source(data, "page.txt", "listing").papers) == 1


@pytest.mark.parametrize(
    ("data", "format", "problem"),
    [
        (b"", None, Problem(1, "", "empty")),
        (b"\xef\xbb\xbf\n", None, Problem(1, "", "empty")),
        (b"\x7fELF\0\0\0", None, Problem(1, "\x7fELF\0\0\0", "not_text")),
        (b"@article{a,\n title={A}}", None, Problem(1, "@article{a, title={A}}", "unknown_format")),
        (b"\xe9t\xe9", None, Problem(1, "\ufffdt\ufffd", "unknown_format")),
        (HEADER.encode(), "papyrus", Problem(1, "papyrus", "unknown_format")),
        (HEADER.encode(), "", Problem(1, "", "unknown_format")),
    ],
)
def test_what_nobody_knows_is_one_problem(data: bytes, format: str | None, problem: Problem) -> None:
    assert read_source(data, "source.bin", format) == Listing((), (problem,))


def test_every_format_reads_any_bytes_without_an_exception() -> None:
    for format in FORMATS:
        for data in (b"", b"\0", b"\xff", b"x" * 1_000, HEADER.encode()):
            assert read_source(data, "", format).problems
