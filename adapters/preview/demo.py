"""The demo: a club of five with a posted paper, made on the first start and again at each 'Start over'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from adapters.preview.client import CHANNELS, PEOPLE, WORKSPACE, Group, Preview, asker
from adapters.preview.clock import first_morning, real_now, run_until
from adapters.preview.store import Content, Line
from bot.clubs.model import Account
from bot.clubs.service import club_of, member_of
from bot.messages.model import Actions, Button, Message, Try
from bot.messages.pages.preview import three_things_page
from bot.papers.model import ImportReport
from bot.starter import starter_pages
from bot.storage.database import Tx

ZONE = "Europe/Berlin"
SETUP: Mapping[str, str] = {
    "zone": ZONE,
    "time": "09:00",
    "weekdays": "mon,tue,wed,thu,fri",
    "language": "en",
    "name": "Demo",
}
_WELCOME = "demo:welcome"  # put last: where it stands, the demo is whole
_BEFORE = timedelta(minutes=6)  # the club is set up shortly before its first paper

_FORGOTTEN = (
    # children before parents; the shared catalogue stays
    "DELETE FROM preview_message",
    "DELETE FROM backer",
    "DELETE FROM candidate",
    "DELETE FROM ballot_event",
    "DELETE FROM receipt",
    "DELETE FROM load",
    "DELETE FROM saved",
    "DELETE FROM pick",
    "DELETE FROM nomination",
    "DELETE FROM round",
    "DELETE FROM delivery",
    "DELETE FROM slot",
    "DELETE FROM act",
    "DELETE FROM draft",
    "DELETE FROM heartbeat",
    "DELETE FROM account",
    "DELETE FROM member",
    "DELETE FROM channel",
    "DELETE FROM paper_key WHERE paper_id IN (SELECT id FROM paper WHERE club_id IS NOT NULL)",
    "DELETE FROM paper_text WHERE paper_id IN (SELECT id FROM paper WHERE club_id IS NOT NULL)",
    "DELETE FROM paper WHERE club_id IS NOT NULL",
    "DELETE FROM club",
)


class Library(Group, Protocol):
    """The core with its ways in for an operator."""

    async def import_pages(
        self, pages: list[tuple[str, bytes]], now: datetime
    ) -> list[tuple[str, ImportReport]]: ...


async def seed_demo(preview: Preview, group: Library) -> None:
    """Make the demo where it is not there yet, or not whole: catalogue, club, members, the first paper."""
    if await preview.store.find_marker(CHANNELS[0], _WELCOME) is None:
        await start_over(preview, group)


async def start_over(preview: Preview, group: Library) -> None:
    """Forget everything but the catalogue and make the demo anew; its clock stands at this morning again."""
    await preview.database.write(_forget)
    morning = first_morning(real_now(), ZONE)
    await preview.clock.restart(morning - _BEFORE)
    await group.import_pages(starter_pages(), preview.clock())
    await group.command(asker(PEOPLE[0], CHANNELS[0]), "club setup", dict(SETUP), preview.clock())
    await preview.database.write(lambda tx: _join(tx, preview.clock()))
    await run_until(preview.clock, morning, group.next_event, group.tick)
    welcome = await _welcome(preview, SETUP["language"], await preview.store.latest(CHANNELS[0], "", 5))
    await preview.store.put(CHANNELS[0], welcome, preview.clock(), private_to=PEOPLE[0].id, marker=_WELCOME)
    preview.begin_anew()


async def greet(preview: Preview, language: str) -> None:
    """Say the three things to try in the language of who looks at them: nobody had come when they were made."""
    found = await preview.store.find_marker(CHANNELS[0], _WELCOME)
    line = await preview.store.find(found) if found is not None else None
    if line is not None and isinstance(line.content, Message) and line.content.language != language:
        welcome = await _welcome(preview, language, [line])
        await preview.store.replace(line.id, welcome, preview.clock())


def _forget(tx: Tx) -> None:
    for statement in _FORGOTTEN:
        tx.run(statement)


def _join(tx: Tx, now: datetime) -> None:
    """All five are members from the start, so that they can be named organisers before they said anything."""
    first = asker(PEOPLE[0], CHANNELS[0])
    club = club_of(tx, first.place, Account("preview", WORKSPACE, PEOPLE[0].id))
    if club is None or isinstance(club, tuple):
        return
    for each in PEOPLE:
        member_of(tx, club.id, asker(each, CHANNELS[0]), now)


def _count_papers(tx: Tx) -> int:
    rows = tx.rows("SELECT COUNT(*) AS n FROM paper WHERE merged_into IS NULL AND removed_at IS NULL")
    return int(rows[0]["n"])


async def _welcome(preview: Preview, language: str, lines: Sequence[Line]) -> Message:
    """Three things to try; the paper is the one that `lines` have a button to nominate."""
    papers = await preview.database.read(_count_papers)
    paper = next((id for line in lines for id in _nominated_in(line.content)), None)
    return three_things_page(language, papers, paper, PEOPLE[0].name)


def _nominated_in(content: Content) -> Iterator[str]:
    for block in content.blocks if isinstance(content, Message) else ():
        items = block.items if isinstance(block, Actions) else ()
        tried = [button for _, button in block.items] if isinstance(block, Try) else []
        for item in (*items, *tried):
            if isinstance(item, Button) and item.id.startswith("nominate:"):
                yield item.id.partition(":")[2]
