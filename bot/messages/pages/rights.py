"""What a platform calls each right the bot needs in a channel, and what it is needed for."""

from __future__ import annotations

from bot.messages.words import N_, Words

_DISCORD = {
    "view_channel": (N_("View Channel"), N_("to see the channel at all")),
    "send_messages": (
        N_("Send Messages"),
        N_("to post papers, votes and results; in a forum, to open posts"),
    ),
    "send_messages_in_threads": (
        N_("Send Messages in Threads"),
        N_("to write in threads and in the posts of a forum"),
    ),
    "create_public_threads": (
        N_("Create Public Threads"),
        N_("to open the discussion of the chosen paper"),
    ),
    "read_message_history": (
        N_("Read Message History"),
        N_("to look up after an outage whether a message went out, so that it is not posted twice"),
    ),
}
"""By the platform's key, as `Platform.missing_rights` gives them: names as people find them in its settings."""


def right_name(words: Words, key: str) -> str:
    """The right as the platform's own settings call it; a key that is not known stays as it is."""
    return words.line(_DISCORD[key][0]) if key in _DISCORD else key


def right_purpose(words: Words, key: str) -> str:
    """What the bot needs the right for, to stand after its name; empty for a key that is not known."""
    return words.line(_DISCORD[key][1]) if key in _DISCORD else ""
