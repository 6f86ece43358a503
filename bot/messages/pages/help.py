"""What Paperclub can do, for this reader and this club."""

from __future__ import annotations

from collections.abc import Sequence

from bot.clubs.model import Club
from bot.commands import Command
from bot.messages.model import CommandLine, Commands, Heading, Message, Paragraph, Reader, Text
from bot.messages.pages.clubs import week_sentence
from bot.messages.pages.parts import message, small
from bot.messages.words import Words, words_for

MOST_COMMANDS = 30
_GROUPS = ("read", "choose", "organise")


def help_page(
    reader: Reader, commands: Sequence[Command], club: Club | None = None, prefix: str = "/"
) -> Message:
    """The club's week, then the commands the reader may use, as they can be typed."""
    words = words_for(reader.language)
    may = [command for command in commands if reader.organiser or command.who != "organiser"][:MOST_COMMANDS]
    if not reader.organiser and club is not None:
        may = [command for command in may if command.group != "organise"]
    groups = [(group, [command for command in may if command.group == group]) for group in _GROUPS]
    return message(
        reader,
        words.line("What Paperclub can do"),
        Heading((words.line("What Paperclub can do"),)),
        Paragraph(week_sentence(words, club) if club is not None else _not_yet(words)),
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


def _not_yet(words: Words) -> Text:
    return words.say("There is no club here yet. Papers can be searched and read all the same.")
