"""What the club is told without asking: papers run out, a post was missed, a channel cannot be written to."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from bot.messages.cut import cut
from bot.messages.model import Fault, Heading, Kicker, Message, Paragraph, Reader, Text
from bot.messages.pages.lines import one_line
from bot.messages.pages.parts import message
from bot.messages.pages.why import cause
from bot.messages.words import N_, Words, words_for


def notice_page(reader: Reader, what: str, values: Mapping[str, Any]) -> Message | None:
    """The notice a payload names: used_up, few_left (`left`), zone_lost (`zone`); None if unknown."""
    match what:
        case "used_up":
            return used_up_page(reader)
        case "few_left":
            return few_left_page(reader, int(values.get("left", 0)))
        case "zone_lost":
            return zone_lost_page(reader, str(values.get("zone", "")))
    return None


def used_up_page(reader: Reader) -> Message:
    """Every paper was posted; said once."""
    words = words_for(reader.language)
    text = N_(
        "Every paper in the catalogue has been posted here. "
        "An organiser can import more, or let the list start over in /club settings."
    )
    return _notice(reader, words, *words.sentences(text))


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
    return _notice(
        reader, words, text, words.say("It is not posted twice or later; the next one comes at its time.")
    )


def cannot_post_page(reader: Reader, channel: str, day: date) -> Message:
    """To organisers: the bot may not write where it should."""
    words = words_for(reader.language)
    what, how = words.sentences(
        "I may not write in {channel}. Allow it, or choose another channel with /club settings; "
        "the paper of {date} is waiting.",
        channel=cut(one_line(channel), 60),
        date=words.date(day),
    )
    return message(reader, words.plain(what, reader.zone, reader.now), Fault(what), Paragraph(how))


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
