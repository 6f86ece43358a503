"""What is said where the bot can do nothing: in a workspace that is not its own, in a whole organisation."""

from __future__ import annotations

from bot.messages.words import Words


def other_workspace_line(words: Words) -> str:
    """Somebody asks from a workspace whose installation we do not hold."""
    return words.line(
        "I belong to another workspace and can do nothing in this one. "
        "Whoever runs me can set up a second Paperclub here."
    )


def organisation_line(words: Words) -> str:
    """The app was installed for all workspaces of an organisation at once."""
    return words.line(
        "I am installed for the whole organisation, which I cannot serve. "
        "An admin can install me in this workspace alone, and I will be glad to help."
    )
