"""The terminal's commands that count again: an election or tally sheet, and every vote of a store."""

from __future__ import annotations

import argparse
import re
from typing import Any

from adapters.terminal import Stop, Usage, existing, read_stdin, sentence, write_json, write_lines
from bot.errors import BadInput
from bot.messages.pages import operator as said
from bot.messages.words import Words
from bot.settings import Environment
from bot.storage.database import EPOCH

_RATIO = re.compile(r"[0-9]{1,9}(\.[0-9]{1,20})?")


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
        raise Usage(sentence(words, error)) from error
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
        write_lines(*sentences, *([said.recounted_line(words, True)] if published and agreed else []))
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

    async with existing(options, environment, words) as group:
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
        write_lines(*auditing.report_lines(words, report))
    if report.damage:
        raise Stop(said.damaged_line(words))


async def _find_head(group: Any, options: argparse.Namespace, club_id: int | None, words: Words) -> None:
    """Which log had the head somebody noted; none, or damage before it, ends with status 1."""
    from bot.messages.pages.auditing import head_lines, no_head_line
    from bot.rounds.audit import find_head

    try:
        heads, damage = await group.rooms.database.read(lambda tx: find_head(tx, options.head, club_id))
    except BadInput as error:
        raise Usage(sentence(words, error)) from error
    if options.json:
        found = [{**_round_json(each.round), "event": each.seq} for each in heads]
        write_json({"heads": found, "damage": [_finding_json(words, each) for each in damage]})
    elif heads:
        write_lines(*head_lines(words, heads, damage))
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
