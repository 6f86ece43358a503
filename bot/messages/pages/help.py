"""What Paperclub can do, for this reader and this club."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.clubs.model import Club, is_paused
from bot.commands import Command
from bot.messages.cut import cut
from bot.messages.model import CommandLine, Commands, Heading, Message, Paragraph, Reader
from bot.messages.pages.clubs import pause_sentence, week_sentence
from bot.messages.pages.fault_sentences import SENTENCES
from bot.messages.pages.lines import one_line
from bot.messages.pages.parts import message, small
from bot.messages.words import N_, Words, words_for

MOST_COMMANDS = 30
_NOT_YET = N_("There is no club here yet. Papers can be searched and read all the same.")
_IN_NONE = N_("You are in no club yet. Papers can be searched and read all the same.")
_GROUPS = ("read", "choose", "organise")


def help_page(
    reader: Reader,
    commands: Sequence[Command],
    club: Club | None = None,
    prefix: str = "/",
    *,
    several: Sequence[str] = (),
    private: bool = False,
) -> Message:
    """The club's week, then the commands the reader may use, as they can be typed.

    `several` are the clubs one of which may be meant, where it is not clear which; `private`: it is asked where
    no club can be set up.
    """
    words = words_for(reader.language)
    may = [command for command in commands if reader.organiser or command.who != "organiser"][:MOST_COMMANDS]
    if not reader.organiser and club is not None:
        may = [command for command in may if command.group != "organise"]
    groups = [(group, [command for command in may if command.group == group]) for group in _GROUPS]
    return message(
        reader,
        words.line("What Paperclub can do"),
        Heading((words.line("What Paperclub can do"),)),
        *_week(words, club, reader.now, several, private),
        *(_group(words, group, listed, prefix) for group, listed in groups if listed),
        small(
            words,
            words.line("You see the last group because you are an organiser.") if reader.organiser else "",
            words.line("Answers to commands are private unless they say otherwise."),
        ),
    )


def _group(words: Words, group: str, commands: Sequence[Command], prefix: str) -> Commands:
    headings = {
        "read": words.line("Find and read"),
        "choose": words.line("Choose together"),
        "organise": words.line("For organisers"),
    }
    lines = (
        CommandLine(f"{prefix}{command.path} {command.example}".strip(), words.line(command.about))
        for command in commands
    )
    return Commands(headings[group], tuple(lines))


def _week(
    words: Words, club: Club | None, now: datetime, several: Sequence[str], private: bool
) -> tuple[Paragraph, ...]:
    """What happens here by itself; in a pause nothing is promised before it ends."""
    if club is None:
        if several:
            names = words.all_of([cut(one_line(name), 40) for name in several])
            return (Paragraph(words.say(SENTENCES["error.which_club"], clubs=names)),)
        return (Paragraph(words.say(_IN_NONE if private else _NOT_YET)),)
    week = week_sentence(words, club)
    if not is_paused(club, now):
        return (Paragraph(week),)
    usual = words.run_on(words.line("When the club is not paused:"), week)
    return Paragraph(pause_sentence(words, club)), Paragraph(usual, muted=True)
