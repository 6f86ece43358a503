"""The weekly vote as everybody sees it while it runs, and the weeks that need none."""

from __future__ import annotations

from functools import partial

from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Button,
    Code,
    Entries,
    Entry,
    Fact,
    Facts,
    Heading,
    Kicker,
    Menu,
    Message,
    Meter,
    Option,
    Paragraph,
    Reader,
    Small,
    Text,
    When,
    Winner,
)
from bot.messages.pages.lines import (
    IN_LIST,
    IN_LONG_VOTE,
    IN_OPTION,
    IN_POST,
    authors,
    headline_line,
    joined,
    member_name,
    one_line,
    shown,
    topic,
)
from bot.messages.pages.parts import headline_note, message, read_button, small, topics_button
from bot.messages.pages.rules import question, rule_sentences
from bot.messages.weigh import first_that_fits
from bot.messages.words import N_, Words, words_for
from bot.rounds.log import SHOWN
from bot.rounds.model import Candidate, Round, Turnout

MOST_BUTTONS = 10
"""With more candidates, one menu reads them all."""
NAME = 40


def vote_page(reader: Reader, vote: Round, turnout: Turnout) -> Message:
    """The poll, for everybody: candidates in order of nomination and the turnout, never a count of one paper.

    Once closing has come (`reader.now`) there is no button to vote, but a way to the result when it stands.
    """
    words = words_for(reader.language)
    n = len(vote.candidates)
    reasons = (160, 80, 40, 0) if n <= 6 else (60, 30, 0) if n <= MOST_BUTTONS else (0,)
    lengths = [(reason, True) for reason in reasons] + [(0, False)]
    return first_that_fits(*(partial(_vote, reader, words, vote, turnout, *each) for each in lengths))


def no_vote_page(reader: Reader) -> Message:
    """The week in which nothing was nominated."""
    words = words_for(reader.language)
    text = N_("No paper was nominated, so there is no vote this week. Nominations for next week are open.")
    what, then = words.sentences(text)
    return message(
        reader,
        words.line(text),
        Kicker(words.line("No vote this week")),
        Heading(what),
        Paragraph(then),
        Actions((Button("nominate-form:new", words.line("Nominate a paper"), "first"), topics_button(words))),
    )


def single_page(reader: Reader, vote: Round) -> Message:
    """The week with one nomination, which is the paper without a vote; or the one paper left of a second vote."""
    words = words_for(reader.language)
    only = next((each for each in vote.candidates if not each.withdrawn), vote.candidates[0])
    name = headline_line(only.paper, words, IN_LIST)
    if vote.rules.runoff_of and vote.meeting_at is not None:
        text = words.say(
            "Only one paper of the tie is left, so there is nothing to vote on. {headline} is the paper for {date}.",
            headline=name,
            date=When(vote.meeting_at, "date"),
        )
    elif vote.rules.runoff_of:
        text = words.say(
            "Only one paper of the tie is left, so there is nothing to vote on. {headline} is the next paper.",
            headline=name,
        )
    elif vote.meeting_at is None:
        text = words.say(
            "Only one paper is nominated, so there is no vote. {headline} is the next paper.", headline=name
        )
    else:
        text = words.say(
            "Only one paper is nominated, so there is no vote. {headline} is the paper for {date}.",
            headline=name,
            date=When(vote.meeting_at, "date"),
        )
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Kicker(words.line("Result"), for_meeting(words, vote)),
        Winner(words.line("Chosen"), shown(only.paper, words, IN_POST), paper_lines(words, only)),
        Paragraph(text),
        meeting_sentence(words, vote),
        Actions((read_button(words, only.paper),)),
        small(words, headline_note(words, (only.paper,), many=False), paper=only.paper),
    )


def turnout_line(words: Words, turnout: Turnout) -> str:
    """How many have voted, of the active members where the club has a history."""
    if turnout.active is None:
        return words.count_line("{n} has voted", "{n} have voted", turnout.voted)
    return words.count_line(
        "{k} of {n} member has voted", "{k} of {n} members have voted", turnout.active, k=turnout.voted
    )


def for_meeting(words: Words, vote: Round) -> Text:
    """'for the meeting on Monday 7 December'; empty where no meeting is set."""
    if vote.meeting_at is None:
        return ()
    return words.say("for the meeting on {date}", date=When(vote.meeting_at, "date"))


def meeting_sentence(words: Words, vote: Round) -> Paragraph | None:
    """When the club meets next."""
    if vote.meeting_at is None:
        return None
    return Paragraph(
        words.say(
            "Next meeting {when}, {relative}",
            when=When(vote.meeting_at),
            relative=When(vote.meeting_at, "relative"),
        )
    )


def paper_lines(words: Words, candidate: Candidate) -> tuple[Text, ...]:
    """The second lines of a winner: authors and topic."""
    return ((authors(candidate.paper, words, names=3),), (topic(candidate.paper, words),))


def option(words: Words, candidate: Candidate, *, chosen: bool = False) -> Option:
    """A candidate as a choice of a menu or ballot; its value is the paper's id."""
    return Option(
        candidate.paper.public_id,
        headline_line(candidate.paper, words, IN_OPTION),
        topic(candidate.paper, words),
        chosen,
        candidate.position,
        shown(candidate.paper, words, IN_LIST),
    )


def _vote(
    reader: Reader, words: Words, vote: Round, turnout: Turnout, reason: int, with_topic: bool
) -> Message:
    is_open = vote.state == "voting" and reader.now < vote.closes_at
    many = len(vote.candidates) > MOST_BUTTONS
    counted = turnout_line(words, turnout)
    return message(
        reader,
        _summary(reader, words, vote, is_open),
        Kicker(words.line("Vote open") if is_open else words.line("Vote closed"), for_meeting(words, vote)),
        Heading((question(words, vote),), "question"),
        _closing(words, vote, counted, is_open),
        Meter(turnout.voted, turnout.active, counted) if turnout.active else None,
        _news(words, vote, is_open),
        Entries(tuple(_candidate(words, each, many, with_topic, reason) for each in vote.candidates)),
        _actions(words, vote, is_open, many),
        _rules(words, vote, is_open),
    )


def _summary(reader: Reader, words: Words, vote: Round, is_open: bool) -> str:
    if not is_open:
        when = words.moment(vote.closed_at or vote.closes_at, reader.zone, reader.now)
        return words.line("This vote closed on {when}.", when=when)
    asked = question(words, vote)
    if vote.meeting_at is None:
        return words.line("Vote open. {question}", question=asked)
    return words.line(
        "Vote open for the meeting on {date}. {question}",
        date=words.date(vote.meeting_at, reader.zone),
        question=asked,
    )


def _closing(words: Words, vote: Round, counted: str, is_open: bool) -> Facts:
    if is_open:
        closes = Fact(words.line("Closes"), (When(vote.closes_at),), (When(vote.closes_at, "relative"),))
    else:
        closes = Fact(words.line("Closed"), (When(vote.closed_at or vote.closes_at),))
    return Facts((closes, Fact(words.line("Turnout"), (counted,))))


def _news(words: Words, vote: Round, is_open: bool) -> Paragraph | None:
    """What is special about this vote, in one block: there is room for no more beside ten candidates."""
    told = [words.say("This vote decides the tie of the vote before.")] if vote.rules.runoff_of else []
    told += _extensions(words, vote) if is_open else []
    return Paragraph(words.run_on(*told)) if told else None


def _extensions(words: Words, vote: Round) -> list[Text]:
    """What moved the closing: the bot was away, a paper was withdrawn."""
    moved, closes = [], When(vote.closes_at)
    if vote.away_from is not None and vote.away_to is not None:
        away = {"from": When(vote.away_from), "to": When(vote.away_to)}
        moved.append(
            words.say(
                "The bot was away from {from} to {to}. The vote now closes {when}.", **away, when=closes
            )
        )
    gone = next((each for each in vote.candidates if each.paper.public_id == vote.extended_for), None)
    if gone is not None:
        name = words.line("Paper {n}", n=gone.position)
        if gone.chosen:
            text = words.say(
                "{paper} was chosen in an earlier vote; this vote now closes {when}.", paper=name, when=closes
            )
        else:
            text = words.say("{paper} was withdrawn; the vote now closes {when}.", paper=name, when=closes)
        moved.append(text)
    return moved


def _candidate(words: Words, candidate: Candidate, many: bool, with_topic: bool, reason: int) -> Entry:
    by = words.line("nominated by {member}", member=member_name(words, candidate.member, NAME))
    gone, quote = _gone(words, candidate, many), candidate.reason if candidate.removed is None else ""
    lines = (gone,) if many else (topic(candidate.paper, words) if with_topic else "", by, gone)
    second = joined(*lines)
    return Entry(
        shown(candidate.paper, words, IN_LONG_VOTE if many else IN_LIST),
        (second,) if second else (),
        candidate.position,
        quote=cut(one_line(quote), reason) if reason and not many else "",
        buttons=() if many else (read_button(words, candidate.paper, quiet=True),),
    )


def _gone(words: Words, candidate: Candidate, many: bool) -> str:
    """That a candidate is off the ballot, and the organiser's reason where one removed it."""
    if not candidate.withdrawn:
        return ""
    if candidate.chosen:
        return words.line("chosen in an earlier vote")
    if candidate.removed is None:
        return words.line("withdrawn")
    why = cut(one_line(candidate.removed), 30 if many else 60)
    return words.line("removed: {reason}", reason=why) if why else words.line("removed")


def _actions(words: Words, vote: Round, is_open: bool, many: bool) -> Actions | None:
    items: list[Button | Menu] = []
    if is_open:
        items.append(Button(f"vote:{vote.id}", words.line("Vote / change my vote"), "first"))
        items.append(Button(f"mine:{vote.id}", words.line("My ballot")))
    elif vote.state != "voting":
        items.append(Button(f"result:{vote.id}", words.line("See the result")))
    if many:
        options = tuple(option(words, candidate) for candidate in vote.candidates)
        items.append(Menu("more", words.line("Read a paper"), options))
    return Actions(tuple(items)) if items else None


def _rules(words: Words, vote: Round, is_open: bool) -> Small | None:
    note = headline_note(words, [candidate.paper for candidate in vote.candidates])
    if not is_open:
        waiting = words.line("The result follows.") if vote.state == "voting" else ""
        return small(words, waiting, note)
    return small(words, *rule_sentences(words, vote), note, _log(words, vote))


def _log(words: Words, vote: Round) -> Text:
    """What the log began with and what seals the draw, so that neither can be changed unseen."""
    if not vote.opening_head or not vote.commitment:
        return ()
    return words.say(
        "Ballot log {head} · draw seal {seal}",
        head=Code(vote.opening_head[:SHOWN]),
        seal=Code(vote.commitment[:SHOWN]),
    )
