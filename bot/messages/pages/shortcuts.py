"""What is said around the app itself: its own description, its shortcut, a dialog that takes a moment."""

from __future__ import annotations

from dataclasses import dataclass

from bot.messages.model import Actions, Button, Code, Fault, Message, Paragraph, Reader
from bot.messages.pages.parts import message
from bot.messages.words import words_for

NOMINATE = "paper nominate"


@dataclass(frozen=True, slots=True)
class AppWords:
    """How the app and its shortcut are called where they are installed."""

    about: str
    shortcut: str
    shortcut_about: str


def app_words(language: str) -> AppWords:
    """In one language; the name of a shortcut has at most 24 characters."""
    words = words_for(language)
    return AppWords(
        words.line("A paper every day, and a vote on what to read together."),
        words.line("Nominate this paper"),
        words.line("Proposes the paper a message links to"),
    )


def wait_page(reader: Reader) -> Message:
    """In a dialog that is open before there is something to show."""
    text = words_for(reader.language).line("One moment.")
    return message(reader, text, Paragraph((text,)))


def no_link_page(reader: Reader) -> Message:
    """The message on which the shortcut was used holds no link."""
    words = words_for(reader.language)
    text = words.line("There is no link to a paper in this message.")
    hint = words.say(
        "Write {command} with the link, or run the shortcut on a message that holds one.",
        command=Code(f"/{NOMINATE}"),
    )
    return message(
        reader,
        text,
        Fault((text,)),
        Paragraph(hint),
        Actions((Button("nominations", words.line("See the list")),)),
    )


def nowhere_page(reader: Reader) -> Message:
    """Something was to be shown to all, from where there is no channel."""
    text = words_for(reader.language).line(
        "From here nothing can be shown in a channel. "
        "Ask for the paper in the club’s channel, and press the button there."
    )
    return message(reader, text, Fault((text,)))


def not_shown_page(reader: Reader) -> Message:
    """Something was to be shown to all, and the channel did not take it."""
    text = words_for(reader.language).line(
        "This could perhaps not be shown in the channel. Look there, and if it is missing, try again in a moment."
    )
    return message(reader, text, Fault((text,)))
