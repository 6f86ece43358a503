"""Forms where a platform has only dialogs: what to mend, and the button that opens the dialog."""

from __future__ import annotations

from dataclasses import replace

from bot.messages.cut import cut
from bot.messages.model import Actions, Button, Fact, Facts, Fault, Form, Message, Paragraph, Reader
from bot.messages.pages.parts import message
from bot.messages.words import words_for

MOST_FAULT = 300


def mend_page(reader: Reader, form: Form, draft: str) -> Message:
    """What is wrong with a form's values, all of which are kept, and the way back to them; where nothing is, it is
    ready."""
    words = words_for(reader.language)
    faulty = [field for field in form.fields if field.fault]
    kept = Paragraph((words.line("Nothing is saved yet; what you typed is kept for a week."),), muted=True)
    if not faulty:
        ready = open_page(reader, f"reopen:{draft}")
        return replace(ready, blocks=(*ready.blocks[:1], kept, *ready.blocks[1:]))
    text = words.count_line("{n} field to mend", "{n} fields to mend", len(faulty))
    return message(
        reader,
        text,
        Fault((text,)),
        Facts(tuple(Fact(field.label, (cut(field.fault, MOST_FAULT),)) for field in faulty)),
        kept,
        Actions((Button(f"reopen:{draft}", words.line("Open the form again"), "first"),)),
    )


def open_page(reader: Reader, action_id: str) -> Message:
    """The form took too long to open by itself: a button that opens it."""
    words = words_for(reader.language)
    text = words.line("The form is ready.")
    return message(
        reader, text, Paragraph((text,)), Actions((Button(action_id, words.line("Open the form"), "first"),))
    )
