"""What is said before a vote closes, to the channel and to those who asked for it, and of ballots gone blank."""

from __future__ import annotations

from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Button,
    Heading,
    Kicker,
    Message,
    Meter,
    Paragraph,
    Reader,
    Text,
    When,
)
from bot.messages.pages.lines import IN_LIST, headline_line, one_line
from bot.messages.pages.parts import message
from bot.messages.pages.rounds import for_meeting, turnout_line
from bot.messages.words import N_, Words, words_for
from bot.papers.model import Paper
from bot.rounds.model import Round, Turnout

CLUB = 40


def reminder_page(reader: Reader, vote: Round, turnout: Turnout) -> Message:
    """The one notice in the channel before a vote closes: until when, and how many have voted."""
    words = words_for(reader.language)
    counted = turnout_line(words, turnout)
    closes = When(vote.closes_at, "relative")
    text = words.say("The vote closes {relative}. {turnout}.", relative=closes, turnout=counted)
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Kicker(words.line("Reminder"), for_meeting(words, vote)),
        # absolute: it stands in the channel for good, and nobody edits it once the vote is over
        Heading(words.say("The vote closes {when}.", when=When(vote.closes_at))),
        Meter(turnout.voted, turnout.active, counted) if turnout.active else Paragraph((counted,)),
        Actions((vote_button(words, vote), mine_button(words, vote))),
    )


def nudge_page(reader: Reader, vote: Round, turnout: Turnout, club: str = "") -> Message:
    """To a member who asked for it and has not voted; `club`: whose vote, where nothing else tells."""
    words = words_for(reader.language)
    text = N_(
        "You have not voted yet; the vote closes {relative}. "
        "You asked for this reminder and can stop it here."
    )
    soon, _ = words.sentences(text, relative=When(vote.closes_at, "relative"))
    what, how = words.sentences(text, relative=When(vote.closes_at))  # true for good, as in the channel
    return message(
        reader,
        words.plain(soon, reader.zone, reader.now),
        Kicker(words.line("Reminder"), _about(words, vote, club)),
        Heading(what),
        Paragraph((turnout_line(words, turnout),)),
        Paragraph(how, muted=True),
        Actions((vote_button(words, vote), remind_button(words, on=False))),
    )


def blanked_page(reader: Reader, vote: Round, paper: Paper, club: str = "") -> Message:
    """To a member whose whole ballot was for a paper that was withdrawn since, or chosen in an earlier vote."""
    words = words_for(reader.language)
    chosen = any(each.chosen for each in vote.candidates if each.paper.id == paper.id)
    withdrawn = N_("Your ballot is blank now: {paper} was withdrawn. You can change it until {when}.")
    won = N_(
        "Your ballot is blank now: {paper} was chosen in an earlier vote. You can change it until {when}."
    )
    what, how = words.sentences(
        won if chosen else withdrawn,
        paper=headline_line(paper, words, IN_LIST),
        when=When(vote.closes_at),
    )
    return message(
        reader,
        words.plain(what, reader.zone, reader.now),
        Kicker(words.line("Vote open"), _about(words, vote, club)),
        Heading(what),
        Paragraph(how),
        Actions((vote_button(words, vote),)),
    )


def reminded_page(reader: Reader, on: bool) -> Message:
    """Whether a private reminder comes from now on."""
    words = words_for(reader.language)
    text = (
        words.line("You get a private reminder before a vote closes, if you have not voted by then.")
        if on
        else words.line("You get no private reminders any more.")
    )
    return message(reader, text, Heading((text,)), Actions((remind_button(words, on=not on),)))


def remind_button(words: Words, *, on: bool) -> Button:
    """Turns private reminders on, or off."""
    if on:
        return Button("remind:on", words.line("Remind me before closing"))
    return Button("remind:off", words.line("Stop reminders"))


def vote_button(words: Words, vote: Round) -> Button:
    """Opens the ballot."""
    return Button(f"vote:{vote.id}", words.line("Vote / change my vote"), "first")


def mine_button(words: Words, vote: Round) -> Button:
    """What one’s own ballot says."""
    return Button(f"mine:{vote.id}", words.line("My ballot"))


def _about(words: Words, vote: Round, club: str) -> Text:
    if club:
        return words.say("about {club}", club=cut(one_line(club), CLUB))
    return for_meeting(words, vote)
