"""What is said of a file that does not stand in its message: it went elsewhere, or nowhere."""

from __future__ import annotations

from dataclasses import replace

from bot.messages.model import Message, Small
from bot.messages.words import N_, words_for

_MAILED = N_("{name} is in your private messages with Paperclub.")
_UNSENT = N_(
    "{name} could not be sent. Paperclub may lack the right to send files here; an organiser can check."
)

_UNSURE = N_("Nobody can tell whether {name} was sent. Look whether it came before you ask for it again.")


def mailed_page(message: Message) -> Message:
    """The message without its file, which stands in the person's private messages."""
    return _without_file(message, _MAILED)


def unsent_page(message: Message) -> Message:
    """The message without its file, which could not be sent, and who can see to that."""
    return _without_file(message, _UNSENT)


def unsure_page(message: Message) -> Message:
    """The message without its file, which was sent, but whose answer was lost."""
    return _without_file(message, _UNSURE)


def _without_file(message: Message, said: str) -> Message:
    if message.file is None:
        return message
    line = words_for(message.language).line(said, name=message.file.name)
    return replace(message, file=None, blocks=(*message.blocks, Small((line,))))
