"""Why a paper was chosen, and what became of each post: sentences a member can check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import accumulate
from zoneinfo import ZoneInfo

from bot.daily.model import Outcome, Reason
from bot.messages.cut import cut
from bot.messages.model import ChannelRef, Code, Heading, Message, Paragraph, Reader, Strong, Text, When
from bot.messages.pages.lines import headline_line, one_line, topic
from bot.messages.pages.parts import message
from bot.messages.pages.rights import right_name
from bot.messages.weigh import CHARACTERS, characters
from bot.messages.words import N_, Words, words_for
from bot.papers.model import Paper

LATE = timedelta(minutes=1)
"""A post later than this says how late it was."""

_KINDS = {
    "daily": N_("Daily paper"),
    "extra": N_("Extra paper"),
    "open": N_("Opening of the vote"),
    "result": N_("Result"),
    "reminder": N_("Reminder"),
    "sheet": N_("Tally sheet"),
    "decision": N_("Decision of a tie"),
    "notice": N_("Notice"),
    "notice.few_left": N_("Notice that few papers are left"),
    "notice.used_up": N_("Notice that every paper was posted"),
    "notice.zone_lost": N_("Notice about the time zone"),
    "missed": N_("Notice of a paper that was not posted"),
    "thread": N_("Discussion"),
    "trouble": N_("Notice of a channel that cannot be written to"),
    "threads": N_("Notice that no discussion may be opened"),
}
_CAUSES = {
    "away": N_("the bot was not running"),
    "paused": N_("the club was paused"),
    "voting": N_("a vote was open already"),
    "decided": N_("the paper for that meeting was chosen already"),
    "used_up": N_("every paper had been posted"),
    "undone": N_("an organiser took it back"),
    "deleted": N_("the club had been deleted"),
    "late": N_("it could not be sent in time"),
    "left": N_("the channel no longer belonged to the club"),
    "nothing": N_("there was nothing to say any more"),
    "newer": N_("there was something newer to say"),
    "unsure": N_("it could not be found out whether it had gone out"),
    "forbidden": N_("the bot may not write there"),
    "gone": N_("the channel or message is gone"),
    "archived": N_("the channel is archived"),
    "locked": N_("the thread is locked"),
    "removed": N_("the bot is not in the server any more"),
    "closed": N_("the person takes no private messages"),
    "not_in_channel": N_("the bot is not in the channel"),
    "not_posted": N_("the message it belongs to was not posted"),
    "network": N_("the platform could not be reached"),
    "offline": N_("the platform is not connected"),
    "timeout": N_("the platform did not answer"),
    "rate_limited": N_("the platform asked to wait"),
    "stopped": N_("the bot was being stopped"),
    "fault": N_("something went wrong on our side"),
    "invalid": N_("the platform did not accept the message"),
}


def why_this(words: Words, reason: Reason, paper: Paper) -> tuple[str, Text]:
    """The label ('Why this paper:') and why it was chosen, with what a member can check."""
    name = topic(paper, words) if paper.topic is not None else words.line("papers without a topic")
    match reason.kind:
        case "organiser":
            return words.labelled("Why this paper: an organiser asked for it.")
        case "replaced":
            return words.labelled(
                "Why this paper: the one chosen first was removed; it is the turn of {topic}.", topic=name
            )
        case "turn":
            label, text = words.labelled(
                "Why this paper: areas take turns, and it is the turn of {topic}.", topic=name
            )
    if not reason.days:
        return label, text
    area = cut(reason.area, 40) if reason.area is not None else words.line("A paper without a topic")
    last = words.count(
        "{area} was last shown {n} day ago.", "{area} was last shown {n} days ago.", reason.days, area=area
    )
    blank = " " if text and isinstance(text[0], str) and text[0].startswith(" ") else ""
    return label, (blank, *words.run_on(_stripped(text), last)) if blank else words.run_on(text, last)


def why_page(
    reader: Reader, day: date, outcomes: Sequence[Outcome], papers: Mapping[int, Paper] | None = None
) -> Message:
    """What was or was not posted on a local day, in each channel, and why; what will be on one to come.

    `papers` by number.
    """
    words = words_for(reader.language)
    when = words.date(day, now=reader.now)
    heading, nothing = (
        words.line("What was posted on {date}", date=when),
        words.line("Nothing was planned for this day, and nothing is recorded."),
    )
    if day > reader.now.astimezone(ZoneInfo(reader.zone)).date():
        heading = words.line("What is planned for {date}", date=when)
        nothing = words.line("Nothing is planned for this day.")
    lines = [_outcome(words, outcome, papers or {}) for outcome in outcomes]
    sizes = accumulate(characters(line) + 5 for line in lines)
    fits = sum(size <= CHARACTERS - 200 for size in sizes)
    return message(
        reader,
        heading,
        Heading((heading,)),
        *(Paragraph(line) for line in lines[:fits]),
        Paragraph(words.count("and {n} more", "and {n} more", len(lines) - fits)) if lines[fits:] else None,
        Paragraph((nothing,)) if not lines else None,
    )


def why_lines(
    words: Words,
    outcomes: Sequence[Outcome],
    zone: str,
    now: datetime,
    papers: Mapping[int, Paper] | None = None,
) -> list[str]:
    """The same for the terminal, a line for each message and channel."""
    return [words.plain(_outcome(words, outcome, papers or {}), zone, now) for outcome in outcomes]


def cause(words: Words, reason: str) -> str:
    """A delivery's reason code in words, with the rights it names; an unknown code stands as it is."""
    kind, _, rights = reason.partition(":")
    if kind == "forbidden" and rights:
        missing = words.all_of([right_name(words, key) for key in rights.split(",") if key])
        return words.line("the bot may not write there, since it lacks {rights}", rights=missing)
    sentence = _CAUSES.get(reason)
    return words.line(sentence) if sentence else one_line(reason) or words.line("no reason is recorded")


def _outcome(words: Words, outcome: Outcome, papers: Mapping[int, Paper]) -> Text:
    known = _KINDS.get(outcome.kind)
    kind = words.line(known) if known else one_line(outcome.kind)
    name = cut(one_line(outcome.channel), 40)
    head: Text = (Strong(f"{name} · {kind}"), words.line(": "))
    if not name and outcome.native_id:
        head = (ChannelRef(outcome.native_id), " · ", Strong(kind), words.line(": "))
    paper = papers.get(outcome.paper_id) if outcome.paper_id is not None else None
    named: Text = ()
    if paper is not None:
        shown = headline_line(paper, words, 90)
        named = words.say("It was {headline} ({id}).", headline=shown, id=Code(paper.public_id))
    elif outcome.paper_id is not None:
        named = words.say("It was {id}.", id=Code(f"p{outcome.paper_id}"))
    return (*head, *words.run_on(_what(words, outcome), named))


def _what(words: Words, outcome: Outcome) -> Text:
    why = cause(words, outcome.reason)
    due = When(outcome.due) if outcome.due else words.line("its time")
    at = When(outcome.at) if outcome.at else words.line("its time")
    match outcome.what:
        case "sent":
            back = words.line("An organiser took it back.") if outcome.reason == "undone" else ""
            return words.run_on(words.say("Posted {when}.", when=at), _lateness(words, outcome), back)
        case "waiting" if outcome.reason:
            return words.say(
                "Due {when}, not sent yet: {cause}. Next try {next}.", when=due, cause=why, next=at
            )
        case "waiting":
            return words.say("Due {when}, on its way.", when=due)
        case "uncertain":
            return words.say(
                "Due {when}; it may have gone out. The platform is asked again {next}.", when=due, next=at
            )
        case "missed":
            return words.say("Due {when}, not posted: {cause}.", when=due, cause=why)
        case "later" if outcome.reason == "paused":
            return words.say("Due {when}, but the club is paused.", when=due)
        case "later":
            return words.say("Due {when}.", when=due)
        case "not_scheduled":
            return words.say("No paper is scheduled on this day of the week.")
        case "off":
            return words.say("The daily paper is switched off.")
        case "before_club":
            return words.say("The club was set up later.")
        case "before_channel":
            return words.say("The channel joined later.")
        case "unknown":
            return words.say("Nothing is recorded.")


def _lateness(words: Words, outcome: Outcome) -> Text:
    if outcome.due is None or outcome.at is None or outcome.at - outcome.due <= LATE:
        return ()
    minutes = (outcome.at - outcome.due) // timedelta(minutes=1)
    return words.count("That was {n} minute late.", "That was {n} minutes late.", minutes)


def _stripped(text: Text) -> Text:
    first = text[0]
    return (first.lstrip(), *text[1:]) if isinstance(first, str) else text
