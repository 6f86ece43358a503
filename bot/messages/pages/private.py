"""The line that says who sees a private answer."""

from __future__ import annotations

from bot.messages.words import Words


def private_seal(words: Words, name: str) -> str:
    """'Only Member 3 sees this', first in every private card where the platform does not say it itself."""
    return words.line("Only {member} sees this", member=name)
