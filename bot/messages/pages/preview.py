"""The local preview's own words: its frame, its composer, its clock, and the few messages only it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.commands import Command
from bot.messages.model import Actions, Button, Code, Fault, Heading, Message, Paragraph, Small, Text, Try
from bot.messages.words import Words, words_for

FILL = "fill:"
"""Buttons of the preview that only write a command into the composer; the rest of the id is the command."""
JUMP = "jump:vote"
"""The button that moves the preview's clock to the opening of the vote."""


@dataclass(frozen=True, slots=True)
class Chrome:
    """Everything written around the messages, in one language."""

    words: Words
    preview: str
    club: str
    channels: str
    act_as: str
    organiser: str
    language: str
    start_over: str
    forgets: str
    stays: str
    about: dict[str, str]
    bot: str
    answering: str
    stand_in: str
    log: str
    earlier: str
    say: str
    placeholder: str
    send: str
    suggestions: str
    clock_and_week: str
    clock: str
    movable: str
    jump: str
    jump_short: str
    hour: str
    day: str
    week: str
    change_member: str
    change_channel: str
    nothing_yet: str
    closed: str
    won: str
    aside: str
    news: str
    lost: str
    kept: str

    def seal(self, member: str) -> str:
        """Who sees a private answer."""
        return self.words.line("Only {member} sees this", member=member)

    def messages_in(self, channel: str) -> str:
        """The name of the log for screen readers."""
        return self.words.line("Messages in {channel}", channel=channel)

    def acting(self, member: str) -> str:
        """Said when another member is chosen."""
        return self.words.line("You act as {member}", member=member)

    def club_time(self, zone: str) -> str:
        """Above the clock."""
        return self.words.line("Club time, {zone}", zone=zone)

    def next_event(self, event: str, at: datetime, zone: str, now: datetime) -> str:
        """Below the clock: what a jump leads to."""
        return self.words.line("Next: {event}, {when}", event=event, when=self.words.moment(at, zone, now))

    def to_mend(self, n: int) -> str:
        """At the end of a form with faults."""
        return self.words.count_line("{n} field to mend", "{n} fields to mend", n)


def chrome_for(language: str) -> Chrome:
    """The words around the messages in this language."""
    words = words_for(language)
    return Chrome(
        words=words,
        preview=words.line("Preview"),
        club=words.line("Club"),
        channels=words.line("Channels"),
        act_as=words.line("You act as"),
        organiser=words.line("Organiser"),
        language=words.line("Language"),
        start_over=words.line("Start over"),
        forgets=words.line("The demo begins anew; what was said, nominated and voted here is forgotten."),
        stays=words.line("Everything here stays on this computer."),
        about={
            "papers": words.line("The paper of the day, nominations and the weekly vote"),
            "talk": words.line("For talking; commands work here too"),
        },
        bot=words.line("bot"),
        answering=words.line("answering"),
        stand_in=words.line("Headline from the abstract:"),
        log=words.line("Messages"),
        earlier=words.line("Earlier messages"),
        say=words.line("Message or command"),
        placeholder=words.line("Type / for commands"),
        send=words.line("Send"),
        suggestions=words.line("Suggestions"),
        clock_and_week=words.line("Clock and week"),
        clock=words.line("Clock"),
        movable=words.line("This clock can be moved. Nothing is sent anywhere."),
        jump=words.line("Jump to next event"),
        jump_short=words.line("Jump"),
        hour=words.line("+ 1 hour"),
        day=words.line("+ 1 day"),
        week=words.line("This week"),
        change_member=words.line("change member"),
        change_channel=words.line("change channel"),
        nothing_yet=words.line("Nothing has been said here yet."),
        closed=words.line("Nothing is due."),
        won=words.line("won"),
        aside=words.line("set aside"),
        news=words.line("New messages"),
        lost=words.line("No connection to Paperclub. Trying again."),
        kept=words.line("A press counts once its answer is here."),
    )


def three_things_page(language: str, papers: int, paper: str | None, organiser: str) -> Message:
    """The first visit: three things to try. `paper` is today's, None where there is none yet."""
    words = words_for(language)
    fill = words.line("Put in the box")
    search = words.count(
        "Search the one paper: {command}",
        "Search the {n} papers: {command}",
        papers,
        command=Code("/paper search sinkhorn"),
    )
    nominate: tuple[Text, Button]
    if paper is not None:
        nominate = (
            words.say("Nominate today’s paper for this week’s vote"),
            Button(f"nominate:{paper}", words.line("Nominate")),
        )
    else:
        nominate = (words.say("Browse the topics"), Button(f"{FILL}/paper topics", fill))
    things = (
        (search, Button(f"{FILL}/paper search sinkhorn", fill)),
        nominate,
        (
            words.say("Move the clock to the opening of the vote"),
            Button(JUMP, words.line("Jump to the vote")),
        ),
    )
    heading = words.line("Three things to try")
    note = words.say(
        "You can be any of five members. {organiser} is the organiser and can change the settings.",
        organiser=organiser,
    )
    return Message(heading, (Heading((heading,)), Try(things), Small(note)), words.language)


def unknown_command_page(language: str, typed: str, nearest: Sequence[Command]) -> Message:
    """A command that does not exist, with the nearest ones that do."""
    words = words_for(language)
    said = words.say("There is no command {command}.", command=Code(typed))
    if not nearest:
        hint = words.say("{command} lists what can be done.", command=Code("/paper help"))
        return Message(
            words.line("There is no such command."),
            (Fault(said), Paragraph(hint), Actions((Button("help", words.line("Help")),))),
            words.language,
        )
    buttons = tuple(
        Button(f"{FILL}/{command.path}{' ' if command.params else ''}", f"/{command.path}")
        for command in nearest
    )
    return Message(
        words.line("There is no such command."),
        (Fault(said), Paragraph(words.say("Did you mean one of these?")), Actions(buttons)),
        words.language,
    )
