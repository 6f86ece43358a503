"""The first message in a server: what to do first."""

from __future__ import annotations

from bot.messages.model import Button, Code, Heading, Message, Paragraph, Reader, Text, Try
from bot.messages.pages.parts import message
from bot.messages.words import words_for


def greeting_page(reader: Reader, *, papers: bool = True) -> Message:
    """Three first steps; each works before there is a club. `papers`: whether any can be found by then."""
    words = words_for(reader.language)
    search = Code("/paper search sinkhorn")
    find: tuple[Text, Button | None]
    if papers:
        find = (
            words.say("{command} finds papers at once.", command=search),
            Button("find:sinkhorn", words.line("Search “{word}”", word="sinkhorn")),
        )
    else:
        find = (
            words.say(
                "Choose its papers, such as the starter catalogue; {command} finds them.", command=search
            ),
            None,
        )
    text = words.line("Paperclub is here: a paper every day, and a vote on what to read together.")
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph((words.line("Three first steps:"),)),
        Try(
            (
                (
                    words.say("{command} makes a club of a channel.", command=Code("/club setup")),
                    Button("open:club setup", words.line("Set up a club"), "first"),
                ),
                find,
                (
                    words.say("{command} lists what can be done.", command=Code("/paper help")),
                    Button("help", words.line("Help")),
                ),
            )
        ),
        Paragraph((words.line("Whoever manages this server can set up a club."),), muted=True),
    )
