"""Where several clubs may be meant: the menu to choose from, and the line that says which was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.clubs.model import Club
from bot.messages.cut import cut
from bot.messages.model import Actions, Form, Heading, Menu, Message, Option, Paragraph, Reader, Small
from bot.messages.pages.lines import one_line
from bot.messages.pages.parts import message
from bot.messages.weigh import BLOCKS, CHARACTERS, COMPONENTS, blocks, characters, components
from bot.messages.words import words_for

MOST = 25
"""What one menu holds on every platform."""
NAME = 75


def which_page(reader: Reader, clubs: Sequence[Club], menu_id: str) -> Message:
    """Ask which club is meant; the press is `menu_id` with the club's number."""
    words = words_for(reader.language)
    text = words.line("Which club do you mean?")
    options = tuple(Option(str(club.id), cut(one_line(club.name), NAME)) for club in clubs[:MOST])
    rest = len(clubs) - MOST
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(
            (words.line("Your choice counts here for an hour. Nothing you wrote is lost."),), muted=True
        ),
        Paragraph(words.count("and {n} more", "and {n} more", rest)) if rest > 0 else None,
        Actions((Menu(menu_id, words.line("Choose a club"), options),)),
    )


def in_club(content: Message, club: Club) -> Message:
    """The message with small print that names the club it is about, where there is room."""
    named = replace(content, blocks=(*content.blocks, _line(content.language, club)))
    fits = (
        components(named) <= COMPONENTS
        and blocks(named) <= BLOCKS
        and sum(characters(block) for block in named.blocks) <= CHARACTERS
    )
    return named if fits else content


def form_in_club(form: Form, club: Club) -> Form:
    """The form with the same small print, where it has none of its own."""
    return form if form.small else replace(form, small=_line(form.language, club).text)


def _line(language: str, club: Club) -> Small:
    words = words_for(language)
    return Small((words.line("This is about {club}.", club=cut(one_line(club.name), NAME)),))
