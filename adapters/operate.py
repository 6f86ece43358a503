"""What the terminal's commands do. Heavy parts are imported by the command that needs them."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from adapters.paper_json import hit_json, paper_json
from adapters.terminal import Stop, Usage, hint, read_stdin, store_path, write_json
from bot.errors import BadInput, NotFound, UserError
from bot.messages.model import Message, Reader
from bot.messages.pages import operator as said
from bot.messages.pages.faults import fault_line
from bot.messages.words import Words
from bot.papers.model import ImportReport
from bot.settings import Environment
from bot.storage.database import EPOCH

_RATIO = re.compile(r"[0-9]{1,9}(\.[0-9]{1,20})?")
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
            print("\n".join(import_lines(words, report, name)))
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

    async with _existing(options, environment, words) as group:
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
            print("\n".join([*said.paper_lines_plain(words, hit.paper)[:3], ""]))
        if found.hits:
            print(said.shown_line(words, len(found.hits), found.total))
    if help := search_hint(words, found, has_words):
        hint(help)


async def show(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """One paper, on whichever shelf it stands."""
    from bot.papers.model import parse_public_id

    async with _existing(options, environment, words) as group:
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
        print("\n".join(said.paper_lines_plain(words, paper)))


def _native(platform: str, card: Message) -> dict[str, Any]:
    if platform == "slack":
        from adapters.slack import render as slack

        return slack.payload(card)
    from adapters.discord import render as discord

    return discord.payload(card)


# ---- counting ----


def tally(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """Recount a file by its own rules, or those given, and hold a tally sheet against what was published."""
    from bot.messages.pages.counting import explain
    from bot.rounds.election import read_election, with_rules
    from bot.rounds.methods import method_name
    from bot.rounds.sheet import agrees, count_election, is_other
    from bot.rounds.ties import story

    try:
        method = None if options.method is None else method_name(options.method)
        majority = [_majority(text) for text in options.majority]
    except BadInput as error:
        raise Usage(_fault(words, error)) from error
    election = read_election(_election(options.file, words))
    election = with_rules(election, options.default_option, options.quorum, majority)
    counted, decision = count_election(election, method, options.seats)
    steps = story(counted, decision)
    sentences = [words.plain(text, "UTC", EPOCH) for text in explain(words, steps, election.names)]
    published = election.claim is not None and not is_other(election, method, options.seats)
    agreed = not published or agrees(election, counted, decision)
    if options.json:
        document = {
            "method": counted.method,
            "winners": list(counted.winners),
            "tied": [list(level) for level in counted.tied],
            "decided": list(decision.winners) if decision.winners is not None else None,
            "outcome": counted.outcome,
            "steps": [{"kind": step.kind, **step.values} for step in steps],
            "explanation": sentences,
        }
        write_json(document | ({"agrees": agreed} if published else {}))
    else:
        print("\n".join([*sentences, *([said.recounted_line(words, True)] if published and agreed else [])]))
    if not agreed:
        raise Stop(said.recounted_line(words, False))


def _election(name: str, words: Words) -> bytes:
    """The file, or as much of it as shows that it is too large."""
    from bot.rounds.election import MOST_BYTES

    if name == "-":
        return read_stdin()
    try:
        with open(name, "rb") as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise Stop(said.unreadable_line(words, name, reason or str(error))) from error


def _majority(text: str) -> tuple[str, str]:
    """'B=3': the option, and how many times as many must want it as do not."""
    option, _, ratio = text.rpartition("=")
    if not option or not _RATIO.fullmatch(ratio):
        raise BadInput("tally.majority", field="majority", value=text[:80])
    return option, ratio


async def audit(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """Work every vote out again; damage is told, and ends with status 1."""
    from bot.messages.pages import auditing
    from bot.rounds.audit import audit as check

    async with _existing(options, environment, words) as group:
        club = None if options.club is None else await group.find_club(options.club)
        club_id = None if club is None else club.id
        if options.head is not None:
            await _find_head(group, options, club_id, words)
            return
        report = await group.rooms.database.read(lambda tx: check(tx, club_id))
    if options.json:
        write_json(
            {
                "rounds": report.rounds,
                "events": report.events,
                "damage": [_finding_json(words, each) for each in report.damage],
                "notes": [_finding_json(words, each) for each in report.notes],
                "limits": auditing.limits_line(words),
            }
        )
    else:
        print("\n".join(auditing.report_lines(words, report)))
    if report.damage:
        raise Stop(said.damaged_line(words))


async def _find_head(group: Any, options: argparse.Namespace, club_id: int | None, words: Words) -> None:
    """Which log had the head somebody noted; none, or damage before it, ends with status 1."""
    from bot.messages.pages.auditing import head_lines, no_head_line
    from bot.rounds.audit import find_head

    try:
        heads, damage = await group.rooms.database.read(lambda tx: find_head(tx, options.head, club_id))
    except BadInput as error:
        raise Usage(_fault(words, error)) from error
    if options.json:
        found = [{**_round_json(each.round), "event": each.seq} for each in heads]
        write_json({"heads": found, "damage": [_finding_json(words, each) for each in damage]})
    elif heads:
        print("\n".join(head_lines(words, heads, damage)))
    if not heads:
        raise Stop(no_head_line(words, options.head))
    if damage:
        raise Stop(said.damaged_line(words))


def _round_json(about: Any) -> dict[str, Any]:
    return {"club": about.club_id, "name": about.club, "vote": about.number}


def _finding_json(words: Words, finding: Any) -> dict[str, Any]:
    from bot.messages.pages.auditing import finding_line

    told = {"what": finding.what, **finding.values, "sentence": finding_line(words, finding)}
    return {**_round_json(finding.round), **told}


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
            raise Usage(_fault(words, error)) from error
        start, end = _window(options, zone, system_clock(), words)
        due: list[Due] = daily_plan(at, days, zone, start, end)
    else:
        async with _existing(options, environment, words) as group:
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
            print(f"{each.utc}  {local} {each.zone}  {said.kind_line(words, each.kind)}")
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
    async with _existing(options, environment, words) as group:
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
    print("\n".join(lines) if lines else said.nothing_recorded_line(words))


def _day(text: str, words: Words) -> date:
    try:
        day = date.fromisoformat(text)
        if _CALENDAR[0] <= day <= _CALENDAR[1]:
            return day
    except ValueError:
        pass
    raise Usage(said.bad_instant_line(words, text))


# ---- the store ----


def _existing(options: argparse.Namespace, environment: Environment, words: Words) -> Any:
    """The core over a store that is there already; reading commands make none."""
    from contextlib import asynccontextmanager

    from adapters.compose import build, opened

    path = store_path(options, environment)
    if not path.exists() or path.stat().st_size == 0:
        raise Stop(said.no_store_line(words, str(path)))

    @asynccontextmanager
    async def group() -> Any:
        async with opened(path) as database:
            yield build(database)

    return group()


async def _club_id(group: Any, name: str | None) -> int | None:
    if name is None:
        return None
    club = await group.find_club(name)
    return club.id if club else None


def _fault(words: Words, error: UserError) -> str:
    return fault_line(Reader(words.language, "UTC", EPOCH), error)
