"""What the club is told without asking: papers run out, a post was missed, a zone is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from bot.messages.model import Heading, Kicker, Message, Paragraph, Reader, Text
from bot.messages.pages.parts import message
from bot.messages.pages.why import cause
from bot.messages.words import N_, Words, words_for


def notice_page(reader: Reader, what: str, values: Mapping[str, Any]) -> Message | None:
    """The notice a payload names; None if unknown.

    used_up (`chosen`: topics, `start_over`, `again`: a day in ISO or None), few_left (`left`), zone_lost
    (`zone`).
    """
    match what:
        case "used_up":
            again = values.get("again")
            day = date.fromisoformat(again) if again else None
            return used_up_page(reader, bool(values.get("chosen")), bool(values.get("start_over")), day)
        case "few_left":
            return few_left_page(reader, int(values.get("left", 0)))
        case "zone_lost":
            return zone_lost_page(reader, str(values.get("zone", "")))
    return None


def used_up_page(
    reader: Reader, chosen: bool = False, start_over: bool = False, again: date | None = None
) -> Message:
    """Every paper was posted, of the `chosen` topics or of all; and what brings new ones.

    Where the list starts over, `again` is the day on which it does; None when nothing was ever posted.
    """
    words = words_for(reader.language)
    text = N_(
        "Every paper in the catalogue has been posted here. "
        "An organiser can import more, or let the list start over in /club settings."
    )
    of_chosen = N_(
        "Every paper of the chosen topics has been posted here. "
        "An organiser can import more, choose more topics, or let the list start over in /club settings."
    )
    what, how = words.sentences(of_chosen if chosen else text)
    if start_over:
        more = N_("An organiser can import more.")
        more_topics = N_("An organiser can import more, or choose more topics in /club settings.")
        if again is None:
            lap = words.say("A paper may come again 180 days after it was posted.")
        else:
            lap = words.say(
                "A paper may come again 180 days after it was posted: the first on {date}.",
                date=words.date(again, now=reader.now),
            )
        how = words.run_on(lap, words.say(more_topics if chosen else more))
    return _notice(reader, words, what, how)


def few_left_page(reader: Reader, left: int) -> Message:
    """Few papers are left to post."""
    words = words_for(reader.language)
    what, how = words.count_sentences(
        "{n} paper is left to post. "
        "An organiser can import more, or let the list start over in /club settings.",
        "{n} papers are left to post. "
        "An organiser can import more, or let the list start over in /club settings.",
        left,
    )
    return _notice(reader, words, what, how)


def missed_page(reader: Reader, day: date, reason: str) -> Message:
    """The paper of a day did not come; it is not posted later."""
    words = words_for(reader.language)
    text = words.say(
        "The paper of {date} was not posted: {cause}.", date=words.date(day), cause=cause(words, reason)
    )
    return _notice(reader, words, text, words.say("It is not posted later; the next one comes at its time."))


def zone_lost_page(reader: Reader, zone: str) -> Message:
    """The club's time zone is no longer known to the system."""
    words = words_for(reader.language)
    what, how = words.sentences(
        "The time zone {zone} is no longer known. "
        "Until an organiser chooses one in /club settings, UTC is used.",
        zone=zone,
    )
    return _notice(reader, words, what, how)


def _notice(reader: Reader, words: Words, what: Text, how: Text) -> Message:
    return message(
        reader,
        words.plain(what, reader.zone, reader.now),
        Kicker(words.line("Notice")),
        Heading(what),
        Paragraph(how) if how else None,
    )
