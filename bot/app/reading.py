"""The desk for finding and reading papers."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from bot.app.request import (
    MOST_NAMED,
    Handler,
    PressHandler,
    Request,
    SubmitHandler,
    club_reader,
    private,
)
from bot.app.rooms import Rooms
from bot.clubs.model import is_paused
from bot.clubs.service import member_of
from bot.commands import COMMANDS, Command
from bot.errors import NotFound
from bot.messages.model import Answer, Message
from bot.messages.pages.found import (
    PER_PAGE,
    needs_key,
    results_page,
    saved_page,
    similar_page,
    topic_papers_page,
)
from bot.messages.pages.help import help_page
from bot.messages.pages.papers import FOUND, card_page, daily_page, paper_page
from bot.messages.pages.topics import find_topic, topic_name, topics_page
from bot.messages.words import words_for
from bot.papers.model import Paper, parse_public_id
from bot.search.model import Found
from bot.storage import picks

MOST_TOPIC = 200
"""Characters of a topic's name that are looked at."""


def commands(rooms: Rooms) -> dict[str, Handler]:
    """What is typed."""

    async def today(request: Request, args: dict[str, str]) -> Answer:
        return private(await _today(rooms, request))

    async def search(request: Request, args: dict[str, str]) -> Answer:
        return private(await _search(rooms, request, args["query"], 1))

    async def show(request: Request, args: dict[str, str]) -> Answer:
        return private(await _show(rooms, request, await paper_named(rooms, request, args["id"])))

    async def topics(request: Request, args: dict[str, str]) -> Answer:
        return private(await _topics(rooms, request, ""))

    async def random(request: Request, args: dict[str, str]) -> Answer:
        return private(await _random(rooms, request, args.get("topic", "")))

    async def similar(request: Request, args: dict[str, str]) -> Answer:
        return private(await _similar(rooms, request, await paper_named(rooms, request, args["id"])))

    async def saved(request: Request, args: dict[str, str]) -> Answer:
        return private(await _saved(rooms, request, 1))

    async def help(request: Request, args: dict[str, str]) -> Answer:
        return private(_help(request))

    return {
        "paper today": today,
        "paper search": search,
        "paper show": show,
        "paper topics": topics,
        "paper random": random,
        "paper similar": similar,
        "paper saved": saved,
        "paper help": help,
    }


def presses(rooms: Rooms) -> dict[str, PressHandler]:
    """What is pressed."""

    async def more(request: Request, rest: str) -> Answer:
        return private(await _show(rooms, request, await paper_named(rooms, request, rest)))

    async def show(request: Request, rest: str) -> Answer:
        paper = await paper_named(rooms, request, rest)
        reader = club_reader(request.club, request.now) if request.club else request.reader
        return Answer("public", card_page(reader, paper, request.asker.name))

    async def save(request: Request, rest: str) -> Answer:
        paper, _, how = rest.partition(":")
        return await _save(rooms, request, await paper_named(rooms, request, paper), found=how == FOUND)

    async def similar(request: Request, rest: str) -> Answer:
        return private(await _similar(rooms, request, await paper_named(rooms, request, rest)))

    async def search(request: Request, rest: str) -> Answer:
        page, _, query = rest.partition(":")
        if query.startswith("~"):
            kept = await rooms.search.lengthen(query[1:])
            if kept is None:
                raise NotFound("error.old_query")
            query = kept
        return Answer("redraw", await _search(rooms, request, query, page_number(page)))

    async def find(request: Request, rest: str) -> Answer:
        return private(await _search(rooms, request, rest, 1))

    async def topics(request: Request, rest: str) -> Answer:
        return Answer("redraw", await _topics(rooms, request, rest))

    async def random(request: Request, rest: str) -> Answer:
        return private(await _random(rooms, request, rest))

    async def today(request: Request, rest: str) -> Answer:
        return private(await _today(rooms, request))

    async def saved(request: Request, rest: str) -> Answer:
        return Answer("redraw", await _saved(rooms, request, page_number(rest)))

    async def help(request: Request, rest: str) -> Answer:
        return private(_help(request))

    return {
        "more": more,
        "show": show,
        "save": save,
        "similar": similar,
        "search": search,
        "find": find,
        "topics": topics,
        "random": random,
        "today": today,
        "saved": saved,
        "help": help,
    }


def submits(rooms: Rooms) -> dict[str, SubmitHandler]:
    """No forms here."""
    return {}


async def paper_named(rooms: Rooms, request: Request, text: str) -> Paper:
    """The paper of an id as people write it. Raises NotFound('error.no_paper')."""
    number = parse_public_id(text)
    if number is None:
        raise await rooms.papers.no_paper(request.club_id, text)
    return await rooms.papers.get(request.club_id, number)


def page_number(text: str) -> int:
    """The page a button asks for; 1 for anything that is no number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1


async def _search(rooms: Rooms, request: Request, query: str, page: int) -> Message:
    found = await rooms.search.search(request.club_id, query, page, PER_PAGE)
    return results_page(request.reader, found, await _key(rooms, request, found))


async def _show(rooms: Rooms, request: Request, paper: Paper, *, found: bool = False) -> Message:
    return paper_page(request.reader, paper, saved=await _is_saved(rooms, request, paper), found=found)


async def _is_saved(rooms: Rooms, request: Request, paper: Paper) -> bool:
    if request.club is None or request.member is None:
        return False
    listed = await rooms.papers.saved(request.club.id, request.member.id)
    return any(each.id == paper.id for each in listed)


async def _random(rooms: Rooms, request: Request, topic: str) -> Message:
    paper = await rooms.papers.random(request.club_id, topic[:MOST_TOPIC] or None, rooms.rng)
    return await _show(rooms, request, paper, found=True)


async def _similar(rooms: Rooms, request: Request, paper: Paper) -> Message:
    assert paper.id is not None
    papers = await rooms.search.similar(request.club_id, paper.id, PER_PAGE)
    return similar_page(request.reader, paper, papers)


async def _save(rooms: Rooms, request: Request, paper: Paper, *, found: bool) -> Answer:
    club = request.needs_club()
    assert paper.id is not None
    member = await rooms.database.write(lambda tx: member_of(tx, club.id, request.asker, request.now))
    saved = await rooms.papers.toggle_saved(club.id, member.id, paper.id, request.now)
    reader = replace(request.reader, member=member.id)
    return Answer("redraw", paper_page(reader, paper, saved=saved, found=found))


async def _saved(rooms: Rooms, request: Request, page: int) -> Message:
    club, member = request.needs_club(), request.member
    papers = await rooms.papers.saved(club.id, member.id) if member else []
    pages = max(1, -(-len(papers) // PER_PAGE))
    page = min(max(page, 1), pages)
    here = papers[(page - 1) * PER_PAGE : page * PER_PAGE]
    return saved_page(request.reader, here, len(papers), page, pages)


async def _topics(rooms: Rooms, request: Request, key: str) -> Message:
    counts = await rooms.papers.topics(request.club_id)
    leaf = find_topic(counts, key) if key else None
    if leaf is None:
        return topics_page(request.reader, counts, key)
    found = await rooms.papers.by_topic(request.club_id, leaf.area, leaf.subarea, per_page=PER_PAGE)
    name = topic_name(words_for(request.reader.language), leaf.area, leaf.subarea)
    return topic_papers_page(request.reader, name, found, await _key(rooms, request, found))


async def _key(rooms: Rooms, request: Request, found: Found) -> str:
    """The short key of a query that is too long for the ids of the buttons that turn its pages."""
    if found.pages == 1 or not needs_key(found.query):
        return ""
    return await rooms.search.shorten(found.query, request.now)


async def _today(rooms: Rooms, request: Request) -> Message:
    club = request.needs_club()
    pick = await rooms.database.read(lambda tx: picks.latest_pick(tx, club.id))
    paper = await rooms.papers.find(club.id, pick.paper_id) if pick is not None else None
    if pick is None or paper is None:
        off = "" if club.settings.daily_on else "off"
        raise NotFound("today.none", why="paused" if is_paused(club, request.now) else off)
    saved = await _is_saved(rooms, request, paper)
    return daily_page(request.reader, paper, date.fromisoformat(pick.subject), pick.reason, saved=saved)


def _help(request: Request) -> Message:
    """Only what the asker may use here and now."""
    may = [command for command in COMMANDS if _may_use(request, command)]
    several = [club.name for club in request.several[:MOST_NAMED]]
    return help_page(request.reader, may, club=request.club, several=several, private=request.is_private())


def _may_use(request: Request, command: Command) -> bool:
    if command.path in ("club setup", "club restore"):
        return request.asker.admin and not request.is_here()
    if command.path == "club link":
        return request.reader.organiser
    if request.club is None:
        return not command.setup and command.path != "paper link"
    return command.who != "organiser" or request.reader.organiser
