"""What the club is told without asking: papers run out, a post was missed, a zone is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from bot.clubs.model import Channel
from bot.messages.cut import cut
from bot.messages.model import (
    ChannelRef,
    Fault,
    Heading,
    Kicker,
    Message,
    Paragraph,
    Reader,
    Text,
    When,
)
from bot.messages.pages.lines import IN_LIST, headline_line, one_line
from bot.messages.pages.parts import MOST_CHANNELS, channels_text, message
from bot.messages.pages.rights import right_name
from bot.messages.pages.why import cause
from bot.messages.words import N_, Words, words_for
from bot.papers.model import Paper

NAME = 40
"""Characters of a club's or channel's name inside a sentence."""

_TROUBLES = {
    "forbidden": N_("I may not write in {channel}. Allow it, or choose another channel with /club settings."),
    "gone": N_("{channel} was deleted. Choose another channel with /club settings."),
    "removed": N_(
        "I am not in the server of {channel} any more. "
        "Invite me again, or choose another channel with /club settings."
    ),
    "archived": N_(
        "{channel} is archived, so I cannot write there. "
        "Open it again, or choose another channel with /club settings."
    ),
    "locked": N_(
        "{channel} is locked, so I cannot write there. "
        "Unlock it, or choose another channel with /club settings."
    ),
    "not_in_channel": N_(
        "I am not in {channel}, so I cannot write there. "
        "Write /invite @Paperclub there, or choose another channel with /club settings."
    ),
}
_LAST = N_(
    "I am not in the server of {channel} any more. Invite me again within 30 days, and the club goes on as it was."
)
_WAITING = N_(
    "I may not write in {channel}. "
    "Allow it, or choose another channel with /club settings; the paper of {date} is waiting."
)


def notice_page(reader: Reader, what: str, values: Mapping[str, Any]) -> Message | None:
    """The notice a payload names; None if unknown.

    used_up (`chosen`: topics, `start_over`, `again`: a day in ISO or None, `empty`: there never were any),
    few_left (`left`), zone_lost (`zone`).
    """
    match what:
        case "used_up":
            again = values.get("again")
            day = date.fromisoformat(again) if again else None
            if values.get("empty"):
                return no_papers_page(reader)
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


def no_papers_page(reader: Reader) -> Message:
    """A club that never had a paper to post, and what brings some."""
    words = words_for(reader.language)
    what, how = words.sentences(
        "There is no paper to post yet. "
        "An organiser can start with a catalogue in /club settings; "
        "the daily paper comes by itself once there is one."
    )
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


def trouble_page(
    reader: Reader,
    channel: ChannelRef,
    reason: str,
    day: date | None = None,
    *,
    last: bool = False,
    club: str = "",
) -> Message:
    """To an organiser: a channel cannot be written to, why, and what helps; `day` has its paper waiting.

    `reason` is the platform's refusal: 'forbidden:send_messages,view_channel', 'gone', 'removed' …; `last`: the
    club has no other channel in any server the bot is in; `club`: whose channel it is, for a private message,
    where nothing else tells.
    """
    words = words_for(reader.language)
    kind, _, rights = reason.partition(":")
    where = _where(words, channel, by_name=bool(club) or kind == "gone")
    sentence = _TROUBLES.get(kind, _TROUBLES["forbidden"])
    if kind == "removed" and last:
        sentence = _LAST
    waiting: Text = ()
    if day is not None and sentence == _TROUBLES["forbidden"]:
        what, how = words.sentences(_WAITING, channel=where, date=words.date(day))
    else:
        what, how = words.sentences(sentence, channel=where)
        if day is not None:
            waiting = words.say("The paper of {date} is waiting.", date=words.date(day))
    return _refused(reader, _begun(what), rights, words.run_on(how, waiting), club)


def no_thread_page(reader: Reader, channel: ChannelRef, reason: str, club: str = "") -> Message:
    """To an organiser: a chosen paper has no discussion in a channel, since none may be opened there.

    `reason` and `club` as in `trouble_page`.
    """
    words = words_for(reader.language)
    what, how = words.sentences(
        "I may not open a discussion in {channel}. "
        "Allow it, and that of the chosen paper comes by itself, with the tally sheet.",
        channel=_where(words, channel, by_name=bool(club)),
    )
    return _refused(reader, what, reason.partition(":")[2], how, club)


def _refused(reader: Reader, what: Text, rights: str, how: Text, club: str) -> Message:
    words = words_for(reader.language)
    missing = words.all_of([right_name(words, key) for key in rights.split(",") if key])
    return message(
        reader,
        words.plain(what, reader.zone, reader.now),
        Kicker(
            words.line("Notice"), words.say("about {club}", club=cut(one_line(club), NAME)) if club else ()
        ),
        Fault(what),
        Paragraph(words.say("Missing: {rights}.", rights=missing)) if missing else None,
        Paragraph(how),
    )


def trouble_over_page(reader: Reader, since: datetime, reason: str) -> Message:
    """In the channel itself, once it can be written to again: what nobody could be told before."""
    words = words_for(reader.language)
    what = words.say(
        "From {when} on I could not write here: {cause}.", when=When(since), cause=cause(words, reason)
    )
    how = words.say("No organiser could be told, since none of them takes private messages from me.")
    return _notice(reader, words, what, how)


def _where(words: Words, channel: ChannelRef, *, by_name: bool) -> Text:
    """A channel; `by_name` where its link would not be readable: elsewhere, and once it was deleted."""
    if not by_name:
        return (channel,)
    return (f"#{cut(one_line(channel.name), NAME)}" if channel.name else words.line("the channel"),)


def _begun(text: Text) -> Text:
    """A sentence with a capital at its start, whatever value it begins with."""
    first = text[0]
    return (first[:1].upper() + first[1:], *text[1:]) if isinstance(first, str) else text


def still_trying_page(
    reader: Reader, paper: Paper, stuck: Sequence[tuple[Channel, str]], well: Sequence[Channel] = ()
) -> Message:
    """To the organiser who asked for a post: where it cannot go out, by reason, and where it can."""
    words = words_for(reader.language)
    faults = [
        words.say(
            "I cannot post in {channel}: {cause}.",
            channel=_where(
                words, ChannelRef(channel.native_id, channel.name), by_name=reason.startswith("gone")
            ),
            cause=cause(words, reason),
        )
        for channel, reason in stuck[:MOST_CHANNELS]
    ]
    name = headline_line(paper, words, IN_LIST)
    again = words.say("I am trying again now with {headline}.", headline=name)
    fine = words.say("It is posted in {channel}.", channel=channels_text(words, well)) if well else ()
    return message(
        reader,
        words.plain(faults[0], reader.zone, reader.now),
        Fault(faults[0]),
        *(Paragraph(each) for each in faults[1:]),
        Paragraph(words.run_on(again, fine)),
    )


def vote_ended_page(reader: Reader) -> Message:
    """In place of a vote that was open when its club was deleted."""
    words = words_for(reader.language)
    text = words.say("This vote ended without a result, because the club was deleted.")
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Kicker(words.line("Vote closed")),
        Heading(text),
    )


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
