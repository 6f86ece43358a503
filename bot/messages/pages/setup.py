"""A new club: what the bot still needs before it can stand, which papers it starts with, its first post."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.clubs.model import Channel, Club
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Block,
    Button,
    ChannelRef,
    ChoiceField,
    Code,
    Divider,
    Fact,
    Facts,
    Fault,
    Form,
    Heading,
    Message,
    Option,
    Paragraph,
    Reader,
    Steps,
    Text,
    When,
)
from bot.messages.pages.clubs import week_sentence, with_these_settings
from bot.messages.pages.lines import IN_OPTION, one_line
from bot.messages.pages.parts import channels_text, message, starter_actions
from bot.messages.pages.rights import INVITE, OBSTACLES, right_name, right_purpose
from bot.messages.pages.topics import topic_name
from bot.messages.words import Words, words_for
from bot.papers.topics import NONE
from bot.schedule.slots import local_day
from bot.search.model import TopicCount

MOST_AREAS = 25
"""What the narrowest platform takes in one list."""
MOST_VALUE = 100
"""Characters of a choice's value there; an area with a longer name can be written in the settings."""


# ---- before it stands ----


def rights_page(reader: Reader, channel: ChannelRef, missing: Sequence[str], again: str) -> Message:
    """Nothing was set up: what to allow in which channel, by the keys in `missing`, and `again` to go on."""
    words = words_for(reader.language)
    if missing and missing[0] in OBSTACLES:
        what, how, _ = OBSTACLES[missing[0]]
        mend = Steps((words.say(how, channel=channel, invite=Code(INVITE)), words.say("Press Check again.")))
        return _not_yet(reader, words, words.say(what, channel=channel), (mend,), again)
    if tuple(missing) == ("view_channel",):
        text = words.say("Paperclub does not see {channel}, or there is no such channel.", channel=channel)
    else:
        text = words.say("Paperclub may not do all it needs in {channel}.", channel=channel)
    needed = [Fact(right_name(words, key), (why,)) for key in missing if (why := right_purpose(words, key))]
    steps = (
        words.say("Open the settings of {channel} and there its permissions.", channel=channel),
        words.say("Allow Paperclub: {rights}.", rights=_rights(words, missing)),
        words.say("Press Check again."),
    )
    return _not_yet(reader, words, text, (Facts(tuple(needed)),) * bool(needed) + (Steps(steps),), again)


def unchecked_page(reader: Reader, channel: ChannelRef, again: str) -> Message:
    """Nothing was set up: the platform did not say what the bot may do there."""
    words = words_for(reader.language)
    text = words.say("What Paperclub may do in {channel} could not be found out just now.", channel=channel)
    return _not_yet(reader, words, text, (), again)


def rights_line(reader: Reader, missing: Sequence[str]) -> str:
    """The same beside a field."""
    words = words_for(reader.language)
    if missing and missing[0] in OBSTACLES:
        return words.line(OBSTACLES[missing[0]][2], invite=INVITE)
    if tuple(missing) == ("view_channel",):
        return words.line(
            "Paperclub does not see this channel. Allow it there: {rights}.", rights=_rights(words, missing)
        )
    return words.line(
        "Paperclub may not do all it needs there. Allow it: {rights}.", rights=_rights(words, missing)
    )


def unchecked_line(reader: Reader) -> str:
    """The same beside a field."""
    return words_for(reader.language).line("This channel could not be checked just now. Please try again.")


def _rights(words: Words, missing: Sequence[str]) -> str:
    return words.all_of([right_name(words, key) for key in missing])


def _not_yet(reader: Reader, words: Words, text: Text, what: Sequence[Block], again: str) -> Message:
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Fault(text),
        *what,
        Paragraph((words.line("Nothing is set up yet; what you typed is kept for a week."),), muted=True),
        Actions((Button(again, words.line("Check again"), "first"),)),
    )


# ---- it stands ----


def setup_page(
    reader: Reader,
    club: Club,
    next_paper: datetime | None,
    next_vote: datetime | None,
    papers: int = 0,
    tail: str = "",
) -> Message:
    """The club now stands: what it does by itself, and the question which papers it starts with.

    `papers` are those it can see already, 0 for an empty catalogue. `tail` (':7') ends the ids of buttons
    here and on the pages that follow where the club stands in another channel than the one this is read in.
    """
    words = words_for(reader.language)
    text = words.line("{club} is set up. You are its organiser.", club=one_line(club.name))
    where = channels_text(words, club.channels)
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(week_sentence(words, club)),
        Paragraph(words.say("Papers, votes and results are posted in {channel}.", channel=where))
        if where
        else None,
        with_these_settings(words, next_paper, next_vote),
        *_question(words, papers, tail),
    )


def _question(words: Words, papers: int, tail: str) -> tuple[Block, ...]:
    heading = Heading((words.line("Which papers does the club start with?"),), "section")
    if papers:
        text = words.count(
            "The catalogue holds {n} paper already.", "The catalogue holds {n} papers already.", papers
        )
    else:
        text = words.say(
            "There are no papers yet. The starter catalogue has four pages of papers on machine learning."
        )
    return heading, Paragraph(text), starter_actions(words, papers, tail=tail)


def starter_form(reader: Reader, areas: Sequence[TopicCount], fault: str = "", tail: str = "") -> Form:
    """The areas a club can start with, largest first; as many as wanted."""
    words = words_for(reader.language)
    options = tuple(
        Option(
            area_value(each),
            cut(topic_name(words, each.area), IN_OPTION),
            words.count_line("{n} paper", "{n} papers", each.papers),
        )
        for each in areas
        if len(area_value(each)) <= MOST_VALUE
    )
    field = ChoiceField(
        "topics",
        words.line("Topics"),
        options[:MOST_AREAS],
        several=True,
        hint=words.line("Daily papers come from these; settings can change them"),
        fault=fault,
    )
    return Form(
        f"starter:topics{tail}",
        words.line("Topics to start with"),
        words.line("Start with these"),
        (field,),
        words.line("Cancel"),
        language=reader.language,
    )


def no_topic_line(reader: Reader) -> str:
    """The fault of a form without a tick."""
    return words_for(reader.language).line("No topic is ticked. Tick one, or start with all papers.")


def area_value(area: TopicCount) -> str:
    """An area as the settings name it."""
    return area.area or NONE


# ---- its papers ----


def started_page(
    reader: Reader,
    club: Club,
    papers: int,
    next_paper: datetime | None,
    next_vote: datetime | None,
    tail: str = "",
) -> Message:
    """The club has its papers: how many it can see, of which topics, and when the first comes."""
    words = words_for(reader.language)
    text = words.count("The club starts with {n} paper.", "The club starts with {n} papers.", papers)
    if club.settings.daily_topics:
        topics = [
            topic_name(words, None if each == NONE else cut(each, 40)) for each in club.settings.daily_topics
        ]
        more = words.say(
            "Daily papers come from {topics}; searching finds all papers.", topics=words.all_of(topics[:25])
        )
    else:
        more = words.say("Every area has its turn.")
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Paragraph(more),
        with_these_settings(words, next_paper, next_vote),
        None if tail else _settings_actions(words),
    )


def without_papers_page(reader: Reader, papers: int, tail: str = "") -> Message:
    """No papers for now: `papers` the club could see, and how they come in later."""
    words = words_for(reader.language)
    if papers:
        text = words.line("No paper comes by itself for now.")
        how = words.say(
            "All papers can be searched and nominated. To begin, press here again or choose days in {command}.",
            command=Code("/club settings"),
        )
    else:
        text = words.line("The club starts without papers.")
        how = words.say(
            "Nothing is posted until there are some: whoever runs the bot brings them in with {command}, "
            "members nominate links, and {settings} offers the starter catalogue.",
            command=Code("paperclub import"),
            settings=Code("/club settings"),
        )
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(how),
        starter_actions(words, papers, without=False, tail=tail),
    )


def _settings_actions(words: Words) -> Actions:
    return Actions(
        (
            Button("settings:daily", words.line("Daily paper")),
            Button("settings:vote", words.line("Weekly vote")),
            Button("help", words.line("Help")),
        )
    )


# ---- its first post ----


def first_post_page(
    reader: Reader,
    post: Message,
    key: str,
    channels: Sequence[Channel],
    next_paper: datetime | None,
    tail: str = "",
) -> Message:
    """`post` as the channel would have it, for one person first, and the choice to post it now or to wait.

    `key` (daily.undo.post_key) names it in the button, so that nothing else is posted.
    """
    words = words_for(reader.language)
    text = words.say(
        "Preview: this is how the paper will stand in {channel}. Its buttons work there.",
        channel=channels_text(words, channels),
    )
    buttons = [Button(f"post:{key}{tail}", words.line("Post now"), "first")]
    if next_paper is not None:
        buttons.append(Button(f"wait{tail}", _wait_label(words, reader, next_paper)))
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Paragraph(text, muted=True),
        Divider(),
        *(_resting(block) for block in post.blocks),
        Divider(),
        Actions(tuple(buttons)),
    )


def _resting(block: Block) -> Block:
    """Buttons that are shown but not to be pressed yet."""
    if not isinstance(block, Actions):
        return block
    items = [
        replace(each, disabled=True, kind="plain") if isinstance(each, Button) else each
        for each in block.items
    ]
    return replace(block, items=tuple(items))


def _wait_label(words: Words, reader: Reader, at: datetime) -> str:
    """'Wait until 09:00', with the day where it is another one."""
    if local_day(at, reader.zone) == local_day(reader.now, reader.zone):
        return words.line("Wait until {time}", time=words.clock(at, reader.zone)[:5])
    return words.line("Wait until {time}", time=words.moment(at, reader.zone, reader.now))


def waiting_page(reader: Reader, club: Club, next_paper: datetime | None, tail: str = "") -> Message:
    """When and where the next paper comes, to who waits for it."""
    words = words_for(reader.language)
    where = channels_text(words, club.channels)
    if next_paper is None:
        text = words.say("No paper comes by itself.")
    elif where:
        text = words.say("The paper comes {when}, in {channel}.", when=When(next_paper), channel=where)
    else:
        text = words.say("The paper comes {when}.", when=When(next_paper))
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        None if tail else _settings_actions(words),
    )
