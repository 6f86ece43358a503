"""What a platform calls each right the bot needs in a channel, what it is needed for, and what else keeps it out."""

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
    "attach_files": (
        N_("Attach Files"),
        N_("to publish tally sheets; without it messages go out without them"),
    ),
}
"""By the platform's key, as `Platform.missing_rights` gives them: names as people find them in its settings."""

INVITE = "/invite @Paperclub"
"""What a member types in a channel of Slack."""

OBSTACLES = {
    "not_in_channel": (
        N_("Paperclub is not in {channel}."),
        N_("Write {invite} in {channel}."),
        N_("Paperclub is not in this channel. Write {invite} there, then try again."),
    ),
    "archived": (
        N_("{channel} is archived."),
        N_("Open {channel} again, or leave this and begin in another channel."),
        N_("This channel is archived. Choose another one."),
    ),
}
"""What keeps the bot out of a channel without being a permission: the fault, what helps, both beside a field."""


def right_name(words: Words, key: str) -> str:
    """The right as the platform's own settings call it; a key that is not known stays as it is."""
    return words.line(_DISCORD[key][0]) if key in _DISCORD else key


def right_purpose(words: Words, key: str) -> str:
    """What the bot needs the right for, to stand after its name; empty for a key that is not known."""
    return words.line(_DISCORD[key][1]) if key in _DISCORD else ""
