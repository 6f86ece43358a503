"""What is said around shortcuts and dialogs: that it takes a moment, that there was nothing to take."""

from __future__ import annotations

from bot.messages.model import Actions, Button, Code, Fault, Message, Paragraph, Reader
from bot.messages.pages.parts import message
from bot.messages.words import words_for

NOMINATE = "paper nominate"


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
