"""A club and its organisers: what is set, pauses, who organises, what an organiser's command did."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time
from typing import Literal

from bot.clubs.model import (
    LANGUAGE_NAMES,
    WEEKDAYS,
    WORKDAYS,
    Channel,
    Club,
    Weekday,
    is_paused,
    platforms_of,
)
from bot.clubs.settings import WITH_GROUPS, WITH_ROLES, WITH_VOTE_ROLES
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Button,
    Code,
    Fact,
    Facts,
    Heading,
    Message,
    Note,
    Paragraph,
    Reader,
    Text,
    When,
)
from bot.messages.pages.lines import IN_LIST, headline_line, one_line
from bot.messages.pages.parts import channels_text, message, starter_actions
from bot.messages.pages.rules import counting_line
from bot.messages.words import Words, words_for
from bot.papers.model import Paper
from bot.rounds.model import Result, Round
from bot.schedule.slots import local_day, noon
from bot.schedule.zones import lacks_summer_time


def settings_page(
    reader: Reader,
    club: Club,
    next_paper: datetime | None,
    next_vote: datetime | None,
    papers: int | None = None,
) -> Message:
    """What is set, in five parts, each with the button that opens its form.

    `papers` the club can see; 0 offers the starter catalogue.
    """
    words = words_for(reader.language)
    return message(
        reader,
        words.line("Club settings"),
        Heading((words.line("Club settings"),)),
        Paragraph(pause_sentence(words, club)) if is_paused(club, reader.now) else None,
        Heading((words.line("Club"),), "section"),
        _club_facts(words, club),
        Heading((words.line("Daily paper"),), "section"),
        _daily_facts(words, club),
        Heading((words.line("Weekly vote"),), "section"),
        _vote_facts(words, club),
        Heading((words.line("Counting"),), "section"),
        Paragraph((counting_line(words, club.settings),)),
        Heading((words.line("Who may vote"),), "section"),
        _people_facts(words, club),
        with_these_settings(words, next_paper, next_vote),
        Actions(
            (
                Button("settings:club", words.line("Change the club")),
                Button("settings:daily", words.line("Change the daily paper")),
                Button("settings:vote", words.line("Change the weekly vote")),
                Button("settings:counting", words.line("Change the counting")),
                Button("settings:people", words.line("Change who may vote")),
            )
        ),
        Paragraph((words.line("There are no papers yet. Start with these?"),)) if papers == 0 else None,
        starter_actions(words, 0, without=False) if papers == 0 else None,
    )


def saved_settings_page(
    reader: Reader,
    club: Club,
    next_paper: datetime | None,
    next_vote: datetime | None,
    *,
    vote_changed: bool = True,
) -> Message:
    """Settings are stored: when the next things come."""
    words = words_for(reader.language)
    values: dict[str, When] = {}
    if next_paper is not None:
        values["when"] = When(next_paper)
    if next_vote is not None:
        values["when_vote"] = When(next_vote)
    if is_paused(club, reader.now) and club.paused_until is None:
        text = words.run_on(words.line("Saved."), pause_sentence(words, club))
    elif next_paper is None:
        text = words.say("Saved. No daily paper; next vote {when_vote}.", **values) if next_vote else ()
        text = text or words.say("Saved. No daily paper and no weekly vote.")
    elif next_vote is None:
        text = words.say("Saved. Next paper {when}; no weekly vote.", **values)
    else:
        text = words.say("Saved. Next paper {when}; next vote {when_vote}.", **values)
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Paragraph((_next_round(words),), muted=True) if vote_changed else None,
    )


def organisers_page(
    reader: Reader, names: Sequence[str], changed: tuple[str, Literal["added", "removed"]] | None = None
) -> Message:
    """Who organises the club, and what just changed."""
    words = words_for(reader.language)
    listed = words.all_of([cut(one_line(name), 40) for name in names[:20]])
    text = words.count_line("Organiser: {names}", "Organisers: {names}", len(names), names=listed)
    news: str | None = None
    if changed is not None:
        who, how = cut(one_line(changed[0]), 40), changed[1]
        news = (
            words.line("{member} is an organiser now.", member=who)
            if how == "added"
            else words.line("{member} is no longer an organiser.", member=who)
        )
    return message(
        reader,
        news or text,
        Heading((news,)) if news else None,
        Paragraph((text,)) if news else Heading((text,)),
        Paragraph(
            words.say(
                "To name another, write {add}; to step down, {remove}. A club keeps at least one.",
                add=Code("/club organisers add"),
                remove=Code("/club organisers remove"),
            ),
            muted=True,
        ),
    )


def paused_page(reader: Reader, club: Club) -> Message:
    """The club rests: until when, and what still happens."""
    words = words_for(reader.language)
    text = pause_sentence(words, club)
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Paragraph(
            (words.line("No paper is posted and no vote opens. A vote that is open closes at its time."),)
        ),
    )


def pause_sentence(words: Words, club: Club) -> Text:
    """Until when a paused club rests."""
    if club.paused_until is None:
        return words.say("Paused until somebody writes {command}.", command=Code("/club resume"))
    day = local_day(club.paused_until, club.zone)
    return words.say("Paused until {date}.", date=When(noon(day, club.zone), "date"))


def resumed_page(reader: Reader, next_paper: datetime | None, next_vote: datetime | None) -> Message:
    """The pause is over."""
    words = words_for(reader.language)
    text = words.line("The pause is over.")
    return message(reader, text, Heading((text,)), with_these_settings(words, next_paper, next_vote))


def posted_page(reader: Reader, paper: Paper, *, extra: bool, channels: Sequence[Channel] = ()) -> Message:
    """To the organiser: the paper is on its way, and to which channels."""
    words = words_for(reader.language)
    name = headline_line(paper, words, IN_LIST)
    if extra:
        text = words.line("On its way to the channel as an extra paper: {headline}.", headline=name)
    else:
        text = words.line("On its way to the channel as today’s paper: {headline}.", headline=name)
    where = words.say("It is posted in {channel}.", channel=channels_text(words, channels))
    return message(reader, text, Heading((text,)), Paragraph(where) if channels else None)


def opened_page(reader: Reader, vote: Round) -> Message:
    """To the organiser: the vote is open, or fewer than two papers needed none."""
    words = words_for(reader.language)
    if len(vote.candidates) < 2:
        text = words.say(
            "Only one paper is nominated, so there is no vote. The announcement is on its way to the channel."
        )
    else:
        text = words.count(
            "The vote is open with {n} paper. It closes {when}.",
            "The vote is open with {n} papers. It closes {when}.",
            len(vote.candidates),
            when=When(vote.closes_at),
        )
    return message(reader, words.plain(text, reader.zone, reader.now), Heading(text))


def closed_page(reader: Reader, result: Result) -> Message:
    """To the organiser: the vote is closed; the channel gets the result, and the reason where they closed it."""
    words = words_for(reader.language)
    if result.why == "organiser":
        text = words.line("The vote is closed. The result and your reason go to the channel.")
    else:
        text = words.line("The vote’s time was over already. The result goes to the channel.")
    button = Button(f"result:{result.round.id}", words.line("See the result"))
    return message(reader, text, Heading((text,)), Actions((button,)))


def week_sentence(words: Words, club: Club) -> Text:
    """The club's own week, in the club's zone."""
    return words.run_on(
        _daily_sentence(words, club),
        _vote_sentence(words, club),
        _zone_sentence(words, club.zone),
    )


def _zone_sentence(words: Words, zone: str) -> Text:
    if lacks_summer_time(zone):
        return words.say("Times are in {zone}, which has no summer time.", zone=zone)
    return words.say("Times are in {zone}.", zone=zone)


def days_line(words: Words, days: Sequence[Weekday]) -> str:
    """'Mon, Tue and Fri', or a word for all of them."""
    if set(days) == set(WEEKDAYS):
        return words.line("every day")
    if set(days) == set(WORKDAYS):
        return words.line("Monday to Friday")
    return words.all_of([words.weekday(day, short=True) for day in WEEKDAYS if day in days])


def _daily_sentence(words: Words, club: Club) -> Text:
    settings = club.settings
    at = f"{settings.daily_time:%H:%M}"
    if not settings.daily_on:
        return words.say("No paper comes by itself.")
    if set(settings.daily_days) == set(WORKDAYS):
        return words.say("A paper every weekday at {time}.", time=at)
    if set(settings.daily_days) == set(WEEKDAYS):
        return words.say("A paper every day at {time}.", time=at)
    return words.say("A paper at {time} on {days}.", time=at, days=days_line(words, settings.daily_days))


def _vote_sentence(words: Words, club: Club) -> Text:
    settings = club.settings
    if not settings.vote_on:
        return words.say("Votes open when an organiser opens them.")
    return words.say(
        "You nominate until {opens}, vote until {closes} and meet on {meeting}.",
        opens=f"{words.weekday(settings.vote_opens_day)} {settings.vote_opens_time:%H:%M}",
        closes=f"{words.weekday(settings.vote_closes_day)} {settings.vote_closes_time:%H:%M}",
        meeting=words.weekday(settings.meeting_day),
    )


def _club_facts(words: Words, club: Club) -> Facts:
    facts = [
        Fact(words.line("Name"), (one_line(club.name),)),
        Fact(words.line("Language"), (LANGUAGE_NAMES.get(club.language, club.language),)),
        Fact(words.line("Time zone"), (club.zone,)),
    ]
    if club.channels:
        facts.append(Fact(words.line("Channel"), channels_text(words, club.channels)))
    with_roles = [channel for channel in club.channels if channel.platform in WITH_ROLES]
    if roles := [channel for channel in with_roles if channel.platform not in WITH_GROUPS]:
        named = any(channel.role for channel in roles)
        state = words.line("a role is set") if named else words.line("nobody")
        facts.append(Fact(words.line("Role to notify"), (state,)))
    if groups := [channel for channel in with_roles if channel.platform in WITH_GROUPS]:
        named = any(channel.role for channel in groups)
        state = words.line("a group is set") if named else words.line("nobody")
        facts.append(Fact(words.line("Group to notify"), (state,)))
    return Facts(tuple(facts))


def _daily_facts(words: Words, club: Club) -> Facts:
    settings = club.settings
    if not settings.daily_on:
        return Facts((Fact(words.line("Daily paper"), (words.line("off"),)),))
    topics = [cut(topic, 60) for topic in settings.daily_topics]
    shown = words.all_of(topics[:3]) if topics else words.line("all")
    rest = len(topics) - 3
    more = words.count("and {n} more", "and {n} more", rest) if rest > 0 else ()
    lap = words.line("starts over") if settings.start_over else words.line("nothing more is posted")
    return Facts(
        (
            Fact(words.line("Time"), (f"{settings.daily_time:%H:%M}",)),
            Fact(words.line("On these days"), (days_line(words, settings.daily_days),)),
            Fact(words.line("Topics"), (shown,), more),
            Fact(words.line("Once every paper was posted"), (lap,)),
        )
    )


def _vote_facts(words: Words, club: Club) -> Facts:
    settings = club.settings
    if not settings.vote_on:
        return Facts((Fact(words.line("Weekly vote"), (words.line("off"),)),))
    rounds = words.count_line("{n} round", "{n} rounds", settings.keep_rounds)
    return Facts(
        (
            Fact(words.line("Opens"), (day_time(words, settings.vote_opens_day, settings.vote_opens_time),)),
            Fact(
                words.line("Closes"), (day_time(words, settings.vote_closes_day, settings.vote_closes_time),)
            ),
            Fact(words.line("Meeting"), (day_time(words, settings.meeting_day, settings.meeting_time),)),
            Fact(words.line("Nominations per member"), (str(settings.nominations_each),)),
            Fact(words.line("A losing paper stays for"), (rounds,)),
        )
    )


def _people_facts(words: Words, club: Club) -> Facts:
    settings = club.settings
    if not settings.link_required:
        linked = words.line("all")
    elif len(platforms_of(club)) > 1:
        linked = words.line("only those linked on both platforms")
    else:
        linked = words.line("all, until the club stands on two platforms")
    guests = words.line("vote and nominate") if settings.guests_vote else words.line("read")
    facts = [Fact(words.line("Members"), (linked,)), Fact(words.line("Guests"), (guests,))]
    if settings.vote_role and any(each in WITH_VOTE_ROLES for each in platforms_of(club)):
        facts.append(Fact(words.line("On Discord"), (words.line("only members with a role"),)))
    return Facts(tuple(facts))


def day_time(words: Words, day: Weekday, at: time) -> str:
    """'Thu 09:00': a weekly time as the forms show and take it."""
    return f"{words.weekday(day, short=True)} {at:%H:%M}"


def with_these_settings(words: Words, next_paper: datetime | None, next_vote: datetime | None) -> Note | None:
    """When the next things come by themselves; None where nothing does."""
    sentences: list[Text] = []
    if next_paper is not None:
        sentences.append(words.say("Next paper {when}.", when=When(next_paper)))
    if next_vote is not None:
        sentences.append(words.say("Next vote {when}.", when=When(next_vote)))
        sentences.append((_next_round(words),))
    if not sentences:
        return None
    return Note(words.line("With these settings"), words.run_on(*sentences))


def _next_round(words: Words) -> str:
    return words.line(
        "Changes to the vote apply from the next round; an open vote keeps the rules it began with."
    )
