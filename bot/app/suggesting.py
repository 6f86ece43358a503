"""The desk for autocomplete: papers, topics, zones, members, choices, while someone types."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.app.request import Request
from bot.app.rooms import Rooms
from bot.clubs.people import told_apart
from bot.commands import Param, find_command
from bot.messages.model import Suggestion
from bot.messages.pages.topics import paper_suggestion, topic_name, topic_suggestion
from bot.messages.words import Words, words_for
from bot.papers.service import topic_query
from bot.papers.topics import NONE, shown_topic
from bot.rounds.nominations import list_nominations
from bot.schedule.zones import zone_names
from bot.search.fold import fold_plain, topic_token, topic_words
from bot.search.model import TopicCount

MOST = 10
_PLAIN_NAME = re.compile(r"\w[\w ,&/-]*")


async def suggest(rooms: Rooms, request: Request, path: str, param: str, text: str) -> list[Suggestion]:
    """At most ten suggestions for one argument of a command."""
    command = find_command(path)
    found = next((each for each in command.params if each.name == param), None) if command else None
    if command is None or found is None or (command.who == "organiser" and not request.reader.organiser):
        return []
    if path == "paper search":
        return await _in_query(rooms, request, text)
    return (await _of_kind(rooms, request, found, text.strip()))[:MOST]


async def _of_kind(rooms: Rooms, request: Request, param: Param, text: str) -> list[Suggestion]:
    words = words_for(request.reader.language)
    wanted = text.casefold()
    match param.kind:
        case "paper":
            papers = await rooms.search.suggest(request.club_id, text, MOST)
            return [paper_suggestion(words, paper) for paper in papers]
        case "topic":
            counts = await _topics(rooms, request, text)
            return [topic_suggestion(words, _topic_value(c), c) for c in counts]
        case "zone":
            typed = wanted.replace(" ", "_")
            names = [name for name in zone_names() if typed in name.casefold()]
            return [Suggestion(name, name) for name in sorted(names, key=lambda n: _rank(n, typed))]
        case "nomination" if request.club:
            club_id = request.club.id
            listed = await rooms.database.read(lambda tx: list_nominations(tx, club_id))
            shown = [paper_suggestion(words, nomination.paper) for nomination in listed]
            return [each for each in shown if wanted in each.label.casefold()]
        case "member" if request.club:
            club_id = request.club.id
            members = await rooms.database.read(lambda tx: told_apart(tx, club_id))
            return [Suggestion(name, name) for name in members if wanted in name.casefold()]
        case "choice":
            return [Suggestion(choice, choice) for choice in param.choices if choice.startswith(wanted)]
    return []


async def _in_query(rooms: Rooms, request: Request, text: str) -> list[Suggestion]:
    """Inside a query: topics after `topic:`; the value is the whole query with the topic filled in."""
    start = text.casefold().rfind("topic:")
    if start < 0:
        return []
    typed = text[start + len("topic:") :].strip('"“” ')
    words = words_for(request.reader.language)
    known = await rooms.papers.topics(request.club_id)
    return [
        topic_suggestion(words, text[:start] + _shortest_query(count, known), count)
        for count in _fitting(known, words, typed)[:MOST]
    ]


def _shortest_query(count: TopicCount, known: Sequence[TopicCount]) -> str:
    """`topic:privacy` where nothing else is found by that, else with the area and in quotes."""
    name = (count.subarea or count.area or "").lower()
    token = topic_token(name)
    others = [each for each in known if each != count and (count.subarea or each.area != count.area)]
    taken = any(token in _tokens(each) for each in others)
    if not _PLAIN_NAME.fullmatch(name) or taken or fold_plain(name) == NONE:
        return topic_query(count.area, count.subarea)
    return f"topic:{name}" if name.isalnum() else f'topic:"{name}"'


def _tokens(count: TopicCount) -> set[str]:
    """What finds a topic: its names, and each word of them."""
    names = [count.area or "", count.subarea or ""]
    return {*map(topic_token, names), *topic_words(" ".join(names))}


def _topic_value(count: TopicCount) -> str:
    """A topic as commands take it, the same in every language."""
    return NONE if count.area is None else shown_topic(count.area, count.subarea)


async def _topics(rooms: Rooms, request: Request, text: str) -> list[TopicCount]:
    words = words_for(request.reader.language)
    return _fitting(await rooms.papers.topics(request.club_id), words, text)


def _fitting(known: Sequence[TopicCount], words: Words, text: str) -> list[TopicCount]:
    """The topics with `text` in their name, in the reader's language or as stored; largest first."""
    wanted = fold_plain(text)

    def fits(count: TopicCount) -> bool:
        seen = topic_name(words, count.area, count.subarea)
        return wanted in fold_plain(seen) or wanted in fold_plain(_topic_value(count))

    return sorted(filter(fits, known), key=lambda count: -count.papers)


def _rank(name: str, wanted: str) -> tuple[bool, str]:
    return not name.casefold().rpartition("/")[2].startswith(wanted), name
