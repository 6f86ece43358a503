"""Slash commands: the table as Discord takes it, and what Discord sends back as a path with its arguments."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import discord

from adapters.discord.client import Connection
from bot.clubs.model import LANGUAGE_NAMES
from bot.commands import COMMANDS, GROUPS, Command, Param
from bot.messages.cut import cut, length
from bot.messages.model import Suggestion
from bot.messages.words import words_for
from bot.storage.database import Database
from bot.storage.kept import find_kept, keep

log = logging.getLogger(__name__)

MOST_CHOICES = 25
MOST_SIGNS = 100
KEPT = "discord.commands"

_SUB, _GROUP, _STRING, _USER, _CHANNEL = 1, 2, 3, 6, 7
_LOCALES = {"zh-CN": "zh"}
_CHANNEL_TYPES = (0, 5, 10, 11, 12, 15)
"""Text, announcement, threads of each kind, forum."""
_COMPLETED = ("paper", "topic", "nomination", "zone")
_NO_NAME = str.maketrans("<>|\n", "    ")


# ---- the table, for Discord ----


def definitions() -> list[dict[str, Any]]:
    """What the bulk overwrite takes: one command for each first word, the others below it.

    Names are English everywhere; descriptions are in every language we speak. Guild install only, usable in
    servers and in private messages with the bot.
    """
    tops: dict[str, dict[str, Any]] = {}
    for command in COMMANDS:
        *groups, last = command.path.split(" ")
        node = tops.setdefault(groups[0], _node(groups[0], GROUPS.get(groups[0], command.about)))
        for group in groups[1:]:
            node = _below(node, group, command)
        node["options"].append(_node(last, command.about, _SUB) | {"options": _options(command.params)})
    return [top | {"type": 1, "integration_types": [0], "contexts": [0, 1]} for top in tops.values()]


def _below(node: dict[str, Any], name: str, command: Command) -> dict[str, Any]:
    """The group `name` of a command; a new one is described as its first command is."""
    found = next((each for each in node["options"] if each["name"] == name), None)
    if found is None:
        found = _node(name, command.about, _GROUP)
        node["options"].append(found)
    return found


def _node(name: str, about: str, kind: int | None = None) -> dict[str, Any]:
    node: dict[str, Any] = {"name": name, **_described(about), "options": []}
    return node if kind is None else node | {"type": kind}


def _options(params: Sequence[Param]) -> list[dict[str, Any]]:
    return [_option(param) for param in sorted(params, key=lambda param: not param.required)]


def _option(param: Param) -> dict[str, Any]:
    option: dict[str, Any] = {"name": param.name, **_described(param.about), "required": param.required}
    match param.kind:
        case "member":
            return option | {"type": _USER}
        case "channel":
            return option | {"type": _CHANNEL, "channel_types": list(_CHANNEL_TYPES)}
        case "choice":
            choices = [{"name": LANGUAGE_NAMES.get(each, each), "value": each} for each in param.choices]
            return option | {"type": _STRING, "choices": choices}
        case kind:
            option |= {"type": _STRING, "max_length": param.max_length}
            return option | ({"autocomplete": True} if kind in _COMPLETED else {})


def _described(about: str) -> dict[str, Any]:
    return {
        "description": _sentence("en", about),
        "description_localizations": {
            locale: _sentence(language, about) for locale, language in _LOCALES.items()
        },
    }


def _sentence(language: str, about: str) -> str:
    text = cut(words_for(language).line(about), MOST_SIGNS)
    return text[:1].upper() + text[1:]


async def sync_commands(connection: Connection, database: Database, now: datetime) -> dict[str, str]:
    """Tell Discord the commands if they changed since the last time; the ids of the top commands by name.

    Commands that Discord does not take are logged and leave those it has. Raises as `Connection.call` does.
    """
    wanted = definitions()
    mark = hashlib.sha256(json.dumps([connection.application, wanted]).encode()).hexdigest()
    before = await database.read(lambda tx: find_kept(tx, KEPT))
    kept = json.loads(before) if before else {}
    if kept.get("mark") != mark:
        try:
            path = "/applications/{application_id}/commands"
            told = await connection.call("PUT", path, json=wanted, application_id=connection.application)
        except discord.HTTPException as error:
            if not 400 <= error.status < 500 or error.status in (401, 429):
                raise
            log.error("Discord does not take our commands: %s", error)
        else:
            kept = {"mark": mark, "ids": {each["name"]: each["id"] for each in told}}
            await database.write(lambda tx: keep(tx, KEPT, json.dumps(kept), now))
            log.info("Discord knows the commands now")
    return dict(kept.get("ids", {}))


# ---- what Discord sends ----


def read_command(data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """The path ('club post now') and the arguments as text: a member as `<@ID|name>`, a channel as its id."""
    path, options = _leaf(data)
    people = data.get("resolved", {})
    return path, {option["name"]: _value(option, people) for option in options if "value" in option}


def read_focus(data: Mapping[str, Any]) -> tuple[str, str, str]:
    """The path, the argument that is being typed, and what stands there so far."""
    path, options = _leaf(data)
    focused = next((option for option in options if option.get("focused")), None)
    return (path, focused["name"], str(focused.get("value", ""))) if focused else (path, "", "")


def choices(suggestions: Iterable[Suggestion]) -> list[dict[str, str]]:
    """As Discord lists them: at most 25, none whose value is too long, the note where it fits beside the label."""
    listed: dict[str, dict[str, str]] = {}
    for each in suggestions:
        if each.label.strip() and 0 < length(each.value) <= MOST_SIGNS:
            noted = f"{each.label} · {each.note}" if each.note else each.label
            name = noted if length(noted) <= MOST_SIGNS else cut(each.label, MOST_SIGNS)
            listed.setdefault(each.value, {"name": name, "value": each.value})
    return list(listed.values())[:MOST_CHOICES]


def _leaf(data: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    path = [str(data.get("name", ""))]
    options: list[dict[str, Any]] = data.get("options") or []
    while options and options[0].get("type") in (_SUB, _GROUP):
        path.append(str(options[0]["name"]))
        options = options[0].get("options") or []
    return " ".join(path), options


def _value(option: Mapping[str, Any], resolved: Mapping[str, Any]) -> str:
    value = str(option["value"])
    if option.get("type") != _USER:
        return value
    user = resolved.get("users", {}).get(value, {})
    names = (
        resolved.get("members", {}).get(value, {}).get("nick"),
        user.get("global_name"),
        user.get("username"),
    )
    return f"<@{value}|{_first_name(names)}>"


def _first_name(names: Iterable[str | None]) -> str:
    """The first name that shows anything, without the signs our own mark is made of."""
    return next((name for each in names if each and (name := each.translate(_NO_NAME).strip())), "")
