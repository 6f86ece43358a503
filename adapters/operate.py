"""What the terminal's commands do. Heavy parts are imported by the command that needs them."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from adapters.paper_json import hit_json, paper_json
from adapters.terminal import (
    Stop,
    Usage,
    existing,
    hint,
    read_stdin,
    sentence,
    store_path,
    write_json,
    write_lines,
)
from bot.errors import BadInput, NotFound
from bot.messages.model import Message, Reader
from bot.messages.pages import operator as said
from bot.messages.words import Words
from bot.papers.model import ImportReport
from bot.settings import Environment
from bot.storage.database import EPOCH

_CALENDAR = (date(1900, 1, 1), date(9000, 1, 1))
"""Days that can be asked about; near the ends of the calendar no zone can be computed with."""

# ---- the catalogue ----


async def bring(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """Read every source first, then import: a file that is not there changes nothing."""
    from bot.messages.pages.terminal import import_lines
    from bot.sources.detect import FORMATS

    if options.format is not None and options.format not in FORMATS:
        raise Usage(said.unknown_format_line(words, options.format, sorted(FORMATS)))
    pages = [_page(name, words) for name in options.sources]
    if options.dry_run:
        reports = _dry_run(pages, options.format)
    else:
        reports = await _import(pages, options, environment, words)
    if options.json:
        write_json(_report_json(reports, words))
    else:
        for name, report in reports:
            write_lines(*import_lines(words, report, name))
    if not all(report.papers for _, report in reports):
        raise Stop(said.nothing_read_line(words, [name for name, report in reports if not report.papers]))


def _page(name: str, words: Words) -> tuple[str, bytes]:
    if name == "-":
        return "-", read_stdin()
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise Stop(said.no_file_line(words, name, error.strerror or str(error))) from error
    return Path(name).name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), data


async def _import(
    pages: list[tuple[str, bytes]], options: argparse.Namespace, environment: Environment, words: Words
) -> list[tuple[str, ImportReport]]:
    from adapters.compose import build, opened
    from bot.schedule.clockwork import system_clock

    async with opened(store_path(options, environment)) as database:
        with _progress() as progress:
            return await build(database).import_pages(
                pages, system_clock(), format=options.format, progress=progress
            )


def _dry_run(pages: list[tuple[str, bytes]], format: str | None) -> list[tuple[str, ImportReport]]:
    """What an import into an empty catalogue would do, each entry as it was read; nothing is stored."""
    from bot.papers.intake import prepare, take_in
    from bot.sources.detect import read_source

    listings = [(name, read_source(data, name, format)) for name, data in pages]
    entries = [prepare(paper, None, name) for name, listing in listings for paper in listing.papers]
    outcomes = iter(take_in(entries, {}, {}, 1).outcomes)
    read = iter(entry.paper for entry in entries)
    reports = []
    for name, listing in listings:
        size = len(listing.papers)
        numbers = Counter(islice(outcomes, size))
        reports.append(
            (
                name,
                ImportReport(
                    numbers["added"],
                    numbers["changed"],
                    numbers["merged"],
                    numbers["unchanged"],
                    listing.problems,
                    tuple(islice(read, size)),
                ),
            )
        )
    return reports


def _report_json(reports: list[tuple[str, ImportReport]], words: Words) -> dict[str, Any]:
    from bot.messages.pages.terminal import problem_reason

    numbers = {
        key: sum(getattr(report, key) for _, report in reports)
        for key in ("added", "changed", "merged", "unchanged")
    }
    refused = [
        {"where": f"{name}:{problem.line}", "reason": problem_reason(words, problem)}
        for name, report in reports
        for problem in report.refused
    ]
    papers = [paper_json(paper) for _, report in reports for paper in report.papers]
    return {**numbers, "refused": refused, "papers": papers}


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar on a terminal, nothing anywhere else."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=Console(stderr=True), transient=True
    )
    with bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


async def search(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """Hits, best first; no hits is an answer too."""
    from bot.messages.pages.terminal import search_hint
    from bot.search.model import Found

    async with existing(options, environment, words) as group:
        club = await _club_id(group, options.club)
        has_words = True
        try:
            found = await group.rooms.search.search(club, options.query, 1, options.limit)
        except BadInput as error:
            if error.key != "search.nothing":
                raise
            found, has_words = Found(options.query, 0, ()), False
    if options.json:
        write_json(
            {"query": options.query, "total": found.total, "hits": [hit_json(hit) for hit in found.hits]}
        )
    else:
        for hit in found.hits:
            write_lines(*said.paper_lines_plain(words, hit.paper)[:3], "")
        if found.hits:
            write_lines(said.shown_line(words, len(found.hits), found.total))
    if help := search_hint(words, found, has_words):
        hint(help)


async def _club_id(group: Any, name: str | None) -> int | None:
    if name is None:
        return None
    club = await group.find_club(name)
    return club.id if club else None


async def show(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """One paper, on whichever shelf it stands."""
    from bot.papers.model import parse_public_id

    async with existing(options, environment, words) as group:
        papers = group.rooms.papers
        number = parse_public_id(options.id)
        if number is None:
            raise NotFound("error.no_paper", id=options.id, last=await papers.last_anywhere())
        paper = await papers.get_anywhere(number)
    if options.form != "text":
        from bot.messages.pages.papers import paper_page

        write_json(_native(options.form, paper_page(Reader(words.language, "UTC", EPOCH), paper)))
    elif options.json:
        write_json(paper_json(paper))
    else:
        write_lines(*said.paper_lines_plain(words, paper))


def _native(platform: str, card: Message) -> dict[str, Any]:
    if platform == "slack":
        from adapters.slack import render as slack

        return slack.payload(card)
    from adapters.discord import render as discord

    return discord.payload(card)


# ---- the clock ----


async def plan(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """Every slot of a club, or of a daily time, in N times 24 hours."""
    from bot.schedule.clockwork import system_clock
    from bot.schedule.plan import Due, club_plan, daily_plan
    from bot.schedule.zones import read_days, read_time, read_zone

    if options.daily is not None:
        if options.zone is None:
            raise Usage(said.zone_needed_line(words))
        try:
            at, days, zone = read_time(options.daily), read_days(options.weekdays), read_zone(options.zone)
        except BadInput as error:
            raise Usage(sentence(words, error)) from error
        start, end = _window(options, zone, system_clock(), words)
        due: list[Due] = daily_plan(at, days, zone, start, end)
    else:
        async with existing(options, environment, words) as group:
            club = await group.find_club(options.club)
        if club is None:
            raise Stop(said.no_club_line(words))
        start, end = _window(options, club.zone, system_clock(), words)
        due = club_plan(club, start, end)
    if options.json:
        write_json([each.as_json() for each in due])
    elif due:
        for each in due:
            local = each.local.replace("T", " ")[:16]
            write_lines(f"{each.utc}  {local} {each.zone}  {said.kind_line(words, each.kind)}")
    else:
        hint(said.nothing_due_line(words))


def _window(options: argparse.Namespace, zone: str, now: datetime, words: Words) -> tuple[datetime, datetime]:
    """From --from, a wall time in `zone` where it has no offset, N times 24 hours on."""
    from bot.schedule.slots import instant

    start = now
    try:
        if options.start is not None:
            start = datetime.fromisoformat(options.start)
            if start.tzinfo is None:
                start = instant(start.date(), start.time(), zone)
        end = start.astimezone(UTC) + timedelta(days=options.days)
        if not _CALENDAR[0] <= start.date() <= end.date() <= _CALENDAR[1]:
            raise ValueError(options.start)
    except (ValueError, OverflowError):
        raise Usage(said.bad_instant_line(words, options.start or f"--days {options.days}")) from None
    return start, end


async def why(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """Every channel's outcome of a day."""
    from bot.daily.outcomes import outcomes
    from bot.messages.pages.why import why_lines
    from bot.schedule.clockwork import system_clock
    from bot.schedule.slots import local_day
    from bot.storage.papers import load

    asked = None if options.day is None else _day(options.day, words)
    async with existing(options, environment, words) as group:
        club = await group.find_club(options.club)
        if club is None:
            raise Stop(said.no_club_line(words))
        now = system_clock()
        day = asked or local_day(now, club.zone)
        database = group.rooms.database
        told = await database.read(lambda tx: outcomes(tx, club, day, now))
        ids = [outcome.paper_id for outcome in told if outcome.paper_id is not None]
        papers = await database.read(lambda tx: load(tx, club.id, ids))
    lines = why_lines(words, told, club.zone, now, papers)
    write_lines(*(lines or [said.nothing_recorded_line(words)]))


def _day(text: str, words: Words) -> date:
    try:
        day = date.fromisoformat(text)
        if _CALENDAR[0] <= day <= _CALENDAR[1]:
            return day
    except ValueError:
        pass
    raise Usage(said.bad_instant_line(words, text))
