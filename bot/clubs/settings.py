"""What may stand in a club: its name, language and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import time
from typing import Any, get_args

from bot.clubs.model import LANGUAGE_NAMES, SQUARE_ROOT, WEEKDAYS, Settings
from bot.errors import BadInput
from bot.rounds.methods import FOR_CLUBS
from bot.rounds.model import Secrecy, Ties

FAIR_TURNS = "phragmen"
"""The way of voting that remembers what members have paid, in seasons."""
MAX_NAME = 80
MAX_ROLE = 40
MOST_NEEDED = 1_000
"""A quorum is at most so many."""
WITH_ROLES = ("discord", "slack")
"""Platforms on which a role can be called; its members are notified."""
WITH_VOTE_ROLES = ("discord",)
"""Those on which a club may let the members of a role alone vote."""
WITH_GROUPS = ("slack",)
"""Those whose roles are user groups, written '@handle' by people."""


def check_name(name: str) -> str:
    """A club's name in one line, 1 to 80 characters. Raises BadInput."""
    line = " ".join(name.split())
    if not 1 <= len(line) <= MAX_NAME:
        raise BadInput("settings.name", field="name", n=MAX_NAME)
    return line


def check_language(language: str) -> str:
    """A language the bot speaks. Raises BadInput."""
    if language not in LANGUAGE_NAMES:
        raise BadInput("settings.language", field="language", language=language)
    return language


def check_role(role: str, workspace: str, near: str = "", *, mute: bool = False) -> str:
    """A role's native id as its platform gives it, '' for nobody. Raises BadInput.

    The role that everybody has bears the id of its server; it is never called. A '@handle' is that of no group;
    `near` is the nearest there is. `mute`: a mention of the role would notify nobody.
    """
    if role.startswith("@"):
        raise BadInput("settings.group", field="role", value=role, near=near)
    if role and role == workspace:
        raise BadInput("settings.everyone", field="role")
    if not _is_role(role):
        raise BadInput("settings.role", field="role")
    if mute:
        raise BadInput("settings.role.mute", field="role")
    return role


def check_vote_role(role: str, workspace: str) -> str:
    """The native id of the role whose members alone vote, '' for every member. Raises BadInput."""
    if role and role == workspace:
        raise BadInput("settings.vote_role.everyone", field="vote_role")
    if not _is_role(role):
        raise BadInput("settings.role", field="vote_role")
    return role


def with_season(before: Settings, after: Settings) -> Settings:
    """The settings in a new season, where they switch fair turns on: nobody has paid anything in it."""
    begins = after.method == FAIR_TURNS != before.method
    return replace(after, season=before.season + 1) if begins else after


def check_settings(settings: Settings) -> None:
    """Raises BadInput for the first field that cannot stand; 'settings.<kind>' names the sentence."""
    for fault in _faults(settings):
        raise fault


def setting_faults(settings: Settings, changes: Mapping[str, Any]) -> list[BadInput]:
    """Every field that could not stand after these changes. What is None, or no setting, is passed over."""
    known = {field.name for field in fields(Settings)}
    given = {name: value for name, value in changes.items() if name in known and value is not None}
    return list(_faults(replace(settings, **given)))


def _faults(settings: Settings) -> Iterator[BadInput]:
    for key, names, fits in _RULES:
        for name in names:
            value = getattr(settings, name)
            if not fits(value):
                yield BadInput(key, field=name, value=str(value)[:60])
    if settings.daily_on and not settings.daily_days:
        yield BadInput("settings.no_days", field="daily_days")
    if settings.method not in FOR_CLUBS:
        yield BadInput("settings.method", field="method", value=str(settings.method)[:60])


def _is_time(value: object) -> bool:
    return (
        isinstance(value, time) and value.tzinfo is None and value == value.replace(second=0, microsecond=0)
    )


def _is_whole(low: int, high: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_role(role: str) -> bool:
    return not role or (len(role) <= MAX_ROLE and role.isascii() and role.isalnum())


def _is_quorum(value: object) -> bool:
    return value == SQUARE_ROOT or _is_whole(0, MOST_NEEDED)(value)


def _is_topics(value: object) -> bool:
    return isinstance(value, tuple) and len(value) <= 100 and all(isinstance(topic, str) for topic in value)


_RULES: tuple[tuple[str, tuple[str, ...], Callable[[Any], bool]], ...] = (
    ("settings.time", ("daily_time", "vote_opens_time", "vote_closes_time", "meeting_time"), _is_time),
    ("settings.day", ("vote_opens_day", "vote_closes_day", "meeting_day"), WEEKDAYS.__contains__),
    ("settings.days", ("daily_days",), lambda days: isinstance(days, tuple) and set(days) <= set(WEEKDAYS)),
    (
        "settings.switch",
        ("daily_on", "vote_on", "start_over", "link_required", "guests_vote", "close_early"),
        lambda value: isinstance(value, bool),
    ),
    ("settings.topics", ("daily_topics",), _is_topics),
    ("settings.keep_rounds", ("keep_rounds",), _is_whole(1, 52)),
    ("settings.nominations_each", ("nominations_each",), _is_whole(1, 25)),
    ("settings.ties", ("ties",), get_args(Ties).__contains__),
    ("settings.secrecy", ("secrecy",), get_args(Secrecy).__contains__),
    ("settings.quorum", ("quorum",), _is_quorum),
    ("settings.role", ("vote_role",), _is_role),
)
