"""One paper: the post of the day, the private card with the whole abstract, the card shown to a channel."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from functools import partial
from zoneinfo import ZoneInfo

from bot.daily.model import Reason as Choice
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Button,
    Excerpt,
    Kicker,
    Message,
    Paragraph,
    Reader,
    Reason,
    Strong,
    Text,
    Title,
    When,
)
from bot.messages.pages.lines import (
    FIRST_LINES,
    IN_POST,
    authors,
    first_lines,
    headline,
    joined,
    one_line,
    paper_link,
    shown,
    topic,
)
from bot.messages.pages.parts import (
    headline_note,
    message,
    more_button,
    nominate_button,
    save_button,
    similar_button,
    small,
)
from bot.messages.pages.why import why_this
from bot.messages.weigh import first_that_fits
from bot.messages.words import Words, words_for
from bot.papers.model import Paper
from bot.papers.plain import plain_text

ABSTRACT = 3_000
"""Characters of an abstract in one message; listings have at most some 2,500."""
_SHORT_LINES = 160
FOUND = "random"
"""Ends the id of Save on a paper that came as a surprise, so that it is drawn again as one."""


def daily_page(
    reader: Reader, paper: Paper, day: date, reason: Choice | None, extra: bool = False, saved: bool = False
) -> Message:
    """Today's paper, for the channel. `day` is the scheduled local date; `saved`: one reader sees it."""
    words = words_for(reader.language)
    when = words.date(day, now=reader.now)
    kicker = words.line("Extra paper") if extra else words.line("Today’s paper")
    start = words.line("Today’s paper · {date}", date=when) if not extra else f"{kicker} · {when}"
    noon = datetime.combine(day, time(12), ZoneInfo(reader.zone)).astimezone(
        UTC
    )  # the same day almost anywhere
    why = Reason(*why_this(words, reason, paper)) if reason is not None else None

    def page(names: int, lines: int) -> Message:
        lead = first_lines(paper, lines) if lines else ""
        return message(
            reader,
            words.line("{where}: {what}", where=start, what=headline(paper, words)),
            Kicker(kicker, (When(noon, "date"),)),
            Title(shown(paper, words, IN_POST)),
            *_about(words, paper, names),
            why,
            *_own_words(words, paper, lead),
            Actions(
                (
                    more_button(words, paper, first=True),
                    nominate_button(words, paper),
                    save_button(words, paper, saved),
                    similar_button(words, paper),
                )
            ),
            small(words, headline_note(words, (paper,), many=False), paper=paper),
        )

    lengths = ((6, FIRST_LINES), (6, _SHORT_LINES), (3, _SHORT_LINES), (3, 0))
    return first_that_fits(*(partial(page, *each) for each in lengths))


def paper_page(reader: Reader, paper: Paper, *, saved: bool = False, found: bool = False) -> Message:
    """One paper with its whole abstract, for one reader. `found`: it came as a surprise ('random')."""
    words = words_for(reader.language)
    text = plain_text(paper.abstract)
    link = paper_link(paper)
    return message(
        reader,
        f"{paper.public_id} · {headline(paper, words)}",
        Kicker(words.line("A random paper")) if found else None,
        Title(shown(paper, words, IN_POST)),
        *_about(words, paper, 30),
        Paragraph((link,)) if link else None,
        *_own_words(words, paper, cut(text, ABSTRACT)),
        Actions(
            (
                nominate_button(words, paper, first=True),
                save_button(words, paper, saved, FOUND if found else ""),
                similar_button(words, paper),
                Button(f"show:{paper.public_id}", words.line("Show in the channel")),
            )
        ),
        small(words, headline_note(words, (paper,), many=False), paper=paper),
    )


def card_page(reader: Reader, paper: Paper, shown_by: str) -> Message:
    """A paper a member shows to the channel: the first lines, never the whole abstract."""
    words = words_for(reader.language)
    return message(
        reader,
        headline(paper, words),
        Kicker(words.line("Shown by {member}", member=one_line(shown_by))),
        Title(shown(paper, words, IN_POST)),
        *_about(words, paper, 6),
        *_own_words(words, paper, first_lines(paper)),
        Actions(
            (
                more_button(words, paper, first=True),
                nominate_button(words, paper),
                save_button(words, paper, False),
                similar_button(words, paper),
            )
        ),
        small(words, headline_note(words, (paper,), many=False), paper=paper),
    )


def _about(words: Words, paper: Paper, names: int) -> tuple[Paragraph, ...]:
    published = joined(one_line(paper.venue or ""), str(paper.year) if paper.year else "")
    lines: list[tuple[Text, bool]] = [
        ((Strong(topic(paper, words)),), False),
        ((authors(paper, words, names=names),), True),
        (published, True),
    ]
    return tuple(Paragraph(text, muted) for text, muted in lines if text)


def _own_words(words: Words, paper: Paper, text: str) -> tuple[Excerpt | Paragraph, ...]:
    if text:
        return (Excerpt((text,)),)
    if plain_text(paper.abstract):
        return ()
    return (Paragraph((words.line("No abstract given."),), muted=True),)
