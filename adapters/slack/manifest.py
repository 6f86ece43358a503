"""The app's manifest: what a workspace is asked to allow, made from the command table and the calls we make.

`python -m adapters.slack.manifest` prints it; with `--url https://…/slack/events` for Slack's calls by HTTP, with
`--prefix rg-` where another app has our commands' names already.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from adapters.slack.commands import SHORTCUT
from adapters.slack.scopes import scopes
from bot.commands import COMMANDS, GROUPS
from bot.messages.cut import cut
from bot.messages.pages.shortcuts import app_words
from bot.messages.words import words_for

EVENTS = ("app_home_opened", "app_mention", "app_uninstalled", "message.im", "tokens_revoked")
"""What Slack tells us of its own accord."""

_NAME = "Paperclub"
_COLOUR = "#14584a"
_MOST_ABOUT, _MOST_HINT = 140, 1_000
_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./")
_PREFIX = re.compile(r"[a-z0-9_-]{0,20}")
"""Slack takes commands of up to 32 signs, of these alone."""
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n", "")


def manifest(url: str = "", prefix: str = "") -> dict[str, Any]:
    """The manifest for a socket, or with `url` for calls by HTTP to it; `prefix` begins the commands' names."""
    where = {"url": url} if url else {}
    said = app_words("en")
    interactivity: dict[str, Any] = {"is_enabled": True}
    events: dict[str, Any] = {"bot_events": list(EVENTS)}
    if url:
        interactivity["request_url"] = events["request_url"] = url
    return {
        "display_information": {"name": _NAME, "description": said.about, "background_color": _COLOUR},
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": _NAME, "always_online": True},
            "shortcuts": [
                {
                    "name": said.shortcut,
                    "type": "message",
                    "callback_id": SHORTCUT,
                    "description": said.shortcut_about,
                }
            ],
            "slash_commands": [_command(top, prefix) | where for top in GROUPS],
        },
        "oauth_config": {"scopes": {"bot": list(scopes())}},
        "settings": {
            "event_subscriptions": events,
            "interactivity": interactivity,
            "org_deploy_enabled": False,
            "socket_mode_enabled": not url,
            "token_rotation_enabled": False,
        },
    }


def written(made: Mapping[str, Any]) -> str:
    """A manifest as YAML; texts are quoted where they could be read as something else."""
    return "\n".join(_lines(made)) + "\n"


def _command(top: str, prefix: str) -> dict[str, Any]:
    subs = [
        command.path.removeprefix(f"{top} ") for command in COMMANDS if command.path.startswith(f"{top} ")
    ]
    return {
        "command": f"/{prefix}{top}",
        "description": cut(words_for("en").line(GROUPS[top]), _MOST_ABOUT),
        "usage_hint": cut(" | ".join(subs), _MOST_HINT),
        "should_escape": True,
    }


def _lines(value: Mapping[str, Any] | list[Any], indent: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        items = [(f"{key}:", each) for key, each in value.items()]
    else:
        items = [("-", each) for each in value]
    for start, each in items:
        if isinstance(each, Mapping) and start == "-":
            inner = list(_lines(each, f"{indent}  "))
            yield f"{indent}- {inner[0].lstrip()}"
            yield from inner[1:]
        elif isinstance(each, (Mapping, list)):
            yield f"{indent}{start}"
            yield from _lines(each, f"{indent}  ")
        else:
            yield f"{indent}{start} {_scalar(each)}"


def _scalar(value: str | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    plain = set(value) <= _PLAIN and value.lower() not in _WORDS and not value[0].isdigit()
    return value if plain else json.dumps(value, ensure_ascii=False)


def _address(text: str) -> str:
    try:
        fits = urlsplit(text).scheme == "https" and urlsplit(text).hostname and text.isprintable()
    except ValueError:
        fits = False
    if text and (not fits or " " in text):
        raise argparse.ArgumentTypeError("Slack calls addresses that begin with https:// and name a server")
    return text


def _prefix(text: str) -> str:
    if not _PREFIX.fullmatch(text):
        raise argparse.ArgumentTypeError("at most 20 small letters, digits, - and _")
    return text


def main(given: Sequence[str] | None = None) -> None:
    """Print the manifest that was asked for."""
    options = argparse.ArgumentParser(prog="python -m adapters.slack.manifest", description=__doc__)
    options.add_argument(
        "--url", default="", type=_address, help="where Slack calls, for HTTP in place of a socket"
    )
    options.add_argument("--prefix", default="", type=_prefix, help="what begins the names of the commands")
    chosen = options.parse_args(given)
    print(written(manifest(chosen.url, chosen.prefix)), end="")


if __name__ == "__main__":
    main()
