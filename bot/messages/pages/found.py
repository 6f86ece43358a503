"""Lists of papers: search, papers of a topic, similar ones, one's own list, what the club has read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Button,
    Entries,
    Entry,
    Heading,
    Message,
    Paragraph,
    Reader,
    Text,
    When,
)
from bot.messages.pages.lines import (
    EXCERPT,
    IN_LIST,
    authors_short,
    excerpt,
    headline_line,
    joined,
    marked,
    shown,
    topic,
)
from bot.messages.pages.parts import (
    fits_id,
    headline_note,
    message,
    pager,
    paper_entry,
    read_button,
    small,
    titles,
    topics_button,
)
from bot.messages.pages.tie_stories import SCORED
from bot.messages.weigh import first_that_fits
from bot.messages.words import Words, flat, words_for
from bot.papers.model import Paper
from bot.rounds.model import Result
from bot.search.model import Found, Hit
from bot.search.query import without_quotes

PER_PAGE = 5
SHOWN_QUERY = 80
"""Characters of a query that are said back."""


def results_page(reader: Reader, found: Found, key: str = "") -> Message:
    """A page of a search. `key` is the short key a query too long for button ids is kept under."""
    words = words_for(reader.language)
    query = cut(without_quotes(found.query), SHOWN_QUERY)
    if not found.hits:
        return _nothing_found(reader, words, found, query)
    return _list_of_hits(reader, words, found, _heading(words, found, query), key)


def topic_papers_page(reader: Reader, name: str, found: Found, key: str = "") -> Message:
    """The papers of a topic, `found` by a query for it; `name` as people see it."""
    words = words_for(reader.language)
    heading = words.count_line("{n} paper in {topic}", "{n} papers in {topic}", found.total, topic=name)
    return _list_of_hits(reader, words, found, heading, key, topics_button(words))


def search_id(query: str, page: int, key: str = "") -> str:
    """`search:2:QUERY`, or with a query too long for a button `search:2:~KEY`."""
    whole = f"search:{page}:{query}"
    return whole if fits_id(whole) and not query.startswith("~") else f"search:{page}:~{key}"


def needs_key(query: str) -> bool:
    """Whether a query must be kept under a short key to travel in a button."""
    return search_id(query, 9_999, "") != f"search:9999:{query}"


def similar_page(reader: Reader, paper: Paper, papers: Sequence[Paper]) -> Message:
    """Papers close to one."""
    words = words_for(reader.language)
    name = headline_line(paper, words, 90)
    if not papers:
        text = words.line("No paper is close to {headline}.", headline=name)
        return message(reader, text, Heading((text,)), Actions((topics_button(words),)))
    heading = words.line("Close to {headline}", headline=name)
    return message(
        reader,
        heading,
        Heading((heading,)),
        Entries(tuple(paper_entry(words, other) for other in papers)),
        small(words, headline_note(words, papers)),
    )


def saved_page(reader: Reader, papers: Sequence[Paper], total: int, page: int = 1, pages: int = 1) -> Message:
    """The reader's own list, last saved first."""
    words = words_for(reader.language)
    if not papers:
        what, how = words.sentences("You have saved nothing yet. Press Save under any paper.")
        return message(
            reader,
            words.line("You have saved nothing yet. Press Save under any paper."),
            Heading(what),
            Paragraph(how),
            Actions((Button("today", words.line("Today’s paper")), topics_button(words))),
        )
    heading = words.count_line("{n} saved paper", "{n} saved papers", total)
    return message(
        reader,
        words.line("{where}: {what}", where=heading, what=titles(words, papers)),
        Heading((heading,)),
        Entries(tuple(paper_entry(words, paper) for paper in papers), _first(page)),
        pager(words, "saved", page, pages),
        small(words, headline_note(words, papers)),
    )


def history_page(
    reader: Reader, results: Sequence[Result], total: int, page: int = 1, pages: int = 1
) -> Message:
    """What the club has read and what comes next, newest first.

    `results` are closed rounds with a winner; `total` is how many papers have been read, of all pages.
    """
    words = words_for(reader.language)
    if not results:
        what, how = words.sentences(
            "The club has read nothing together yet. The first vote decides the first paper."
        )
        return message(
            reader,
            flat(words.run_on(what, how)),
            Heading(what),
            Paragraph(how),
            Actions((Button("nominations", words.line("Nominations")), topics_button(words))),
        )
    if total:
        heading = words.count_line("{n} paper read together", "{n} papers read together", total)
    else:
        heading = words.line("No paper read together yet")
    items = tuple(entry for result in results if (entry := _read_entry(words, result)) is not None)
    papers = [c.paper for result in results for c in result.round.candidates if c.position == result.winner]
    return message(
        reader,
        heading,
        Heading((heading,)),
        Entries(items, _first(page)),
        pager(words, "history", page, pages),
        small(words, headline_note(words, papers)),
    )


def _heading(words: Words, found: Found, query: str) -> str:
    if found.pages == 1:
        return words.count_line(
            "{n} paper for “{query}”", "{n} papers for “{query}”", found.total, query=query
        )
    first = _first(found.page)
    if len(found.hits) == 1:
        return words.count_line(
            "{n} paper for “{query}”, number {k}",
            "{n} papers for “{query}”, number {k}",
            found.total,
            query=query,
            k=first,
        )
    return words.count_line(
        "{n} paper for “{query}”, {from} to {to}",
        "{n} papers for “{query}”, {from} to {to}",
        found.total,
        query=query,
        **{"from": first, "to": first + len(found.hits) - 1},
    )


def _first(page: int) -> int:
    """The place of a page's first paper among all."""
    return (page - 1) * PER_PAGE + 1


def _list_of_hits(
    reader: Reader, words: Words, found: Found, heading: str, key: str, *buttons: Button
) -> Message:
    tail = search_id(found.query, 0, key).removeprefix("search:0")
    everything = words.line("All {n} shown.", n=found.total) if found.pages == 1 and found.total > 1 else ""
    papers = [hit.paper for hit in found.hits]

    def page(with_authors: bool, room: int) -> Message:
        return message(
            reader,
            words.line("{where}: {what}", where=heading, what=titles(words, papers)),
            Heading((heading,)),
            Entries(
                tuple(_hit_entry(words, hit, with_authors, room) for hit in found.hits), _first(found.page)
            ),
            pager(words, "search", found.page, found.pages, tail),
            Actions(buttons) if buttons else None,
            small(words, everything, headline_note(words, papers)),
        )

    lengths = ((True, EXCERPT), (True, 90), (False, 90), (False, 0))
    return first_that_fits(*(partial(page, *each) for each in lengths))


def _hit_entry(words: Words, hit: Hit, with_authors: bool, room: int) -> Entry:
    return Entry(
        shown(hit.paper, words, IN_LIST, hit.title_marks),
        (joined(topic(hit.paper, words), _marked_authors(words, hit) if with_authors else ""),),
        excerpt=excerpt(hit, room) if room else (),
        buttons=(read_button(words, hit.paper),),
        paper=hit.paper.public_id,
    )


def _marked_authors(words: Words, hit: Hit) -> Text:
    """The short authors' line; an author who was looked for is named even when not the first."""
    names = hit.paper.authors
    found = next((index for index, _ in hit.author_marks), None)
    if found is None or found >= len(names):
        return (authors_short(hit.paper, words),)
    spans = [span for index, span in hit.author_marks if index == found]
    name = marked(names[found], spans)
    rest = len(names) - 1
    if hit.paper.authors_truncated:
        return words.say("{names} and others", names=name)
    if not rest:
        return name
    return words.say("{names} and {rest} more", names=name, rest=rest, total=len(names))


def _nothing_found(reader: Reader, words: Words, found: Found, query: str) -> Message:
    what, how = words.sentences(
        "No paper for “{query}”. Fewer words find more; topics can be browsed.", query=query
    )
    near: Text = ()
    buttons: tuple[Button, ...] = (topics_button(words),)
    if found.did_you_mean is not None:
        word, papers = found.did_you_mean
        near = words.count("{n} paper has “{word}”.", "{n} papers have “{word}”.", papers, word=word)
        search = Button(f"find:{word}", cut(words.line("Search “{word}”", word=word), 40), "first")
        buttons = (search, *buttons)
    return message(
        reader,
        words.line("No paper for “{query}”. Fewer words find more; topics can be browsed.", query=query),
        Heading(what),
        Paragraph(words.run_on(near, how)),
        Actions(buttons),
    )


def _read_entry(words: Words, result: Result) -> Entry | None:
    winner = next((c for c in result.round.candidates if c.position == result.winner), None)
    if winner is None:
        return None
    votes = result.votes.get(winner.position)
    count: Text = ()
    said = result.round.method in SCORED and result.published != "winner"  # a number that says why it won
    if votes is not None and result.ballots and said:
        count = words.say("{k} of {n}", k=votes, n=result.ballots)
    day: Text = (When(result.round.meeting_at or result.round.closes_at, "date"),)
    if result.round.state != "discussed":
        day = words.say("next, for the meeting on {date}", date=day)
    return Entry(
        shown(winner.paper, words, IN_LIST),
        (joined(topic(winner.paper, words)), joined(day, count)),
        buttons=(read_button(words, winner.paper),),
        paper=winner.paper.public_id,
    )
