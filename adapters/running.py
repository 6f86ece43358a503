"""The terminal's commands that connect: run, preview and invite. Each says in a line what it started."""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from adapters.logs import hide
from adapters.terminal import Stop, hint, own_preview_path, sentence, store_path
from bot.errors import BadInput, DeliveryError, TokenRefused
from bot.messages.pages import operator as said
from bot.messages.words import Words
from bot.settings import (
    DISCORD_TOKEN,
    SLACK_APP_TOKEN,
    SLACK_BOT_TOKEN,
    SLACK_SIGNING_SECRET,
    Environment,
    SlackSettings,
)

if TYPE_CHECKING:
    from adapters.compose import Opening

log = logging.getLogger(__name__)

DISCORD_PAGE = "docs/discord.md"
SLACK_PAGE = "docs/slack.md"


async def run(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """Every platform that has its token, on the real store, and the preview where it is asked for, on its own."""
    if environment.discord is None and environment.slack is None and not options.preview:
        raise _nothing_to_run(environment, words)
    from adapters.compose import after, run_platforms, run_preview

    stop, word = asyncio.Event(), asyncio.Event()
    openings, missing = _openings(environment, words, word), _missing(environment, words)
    works: list[Coroutine[Any, Any, None]] = []
    if openings:
        print("".join(f"{line}\n" for line in missing), end="", flush=True)
        path = store_path(options, environment)
        works.append(run_platforms(openings, path, stop, off=_switched_off(words)))
    if options.preview:
        port, serving = options.port or environment.preview_port, _serving(words, [] if works else missing)
        begin = partial(run_preview, own_preview_path(), port, stop, ready=serving)
        # a token that is refused is told before the page takes its seconds to load
        works.append(after(word, stop, begin) if works else begin())
    await _together(works, stop, words, environment)


async def preview(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """The preview alone, on the store that was given."""
    from adapters.compose import run_preview

    stop = asyncio.Event()
    path, port = store_path(options, environment, "preview.db"), options.port or environment.preview_port
    await _together([run_preview(path, port, stop, ready=_serving(words))], stop, words, environment)


async def _together(
    works: list[Coroutine[Any, Any, None]], stop: asyncio.Event, words: Words, environment: Environment
) -> None:
    from adapters.compose import signals, together

    with signals(stop):
        await together(works, stop, lambda error: hint(hide(sentence(words, error), environment.secrets)))


def _openings(environment: Environment, words: Words, word: asyncio.Event) -> list[Opening]:
    """Every platform that has its token. Each says where it is connected; `word` is set after the last one did."""
    from adapters.compose import discord_outlet, slack_outlet

    openings: list[Opening] = []
    silent = {name for name, on in (("Discord", environment.discord), ("Slack", environment.slack)) if on}

    def say(platform: str, line: str) -> None:
        print(line, flush=True)
        silent.discard(platform)
        if not silent:
            word.set()

    if environment.discord is not None:

        def in_discord(name: str, servers: int) -> None:
            say("Discord", said.connected_line(words, "Discord", name, servers))

        openings.append(discord_outlet(environment.discord, in_discord))
    if environment.slack is not None:
        address = _address(environment.slack)

        def in_slack(_: str, team: str) -> None:
            say("Slack", said.in_workspace_line(words, "Slack", team, address))

        openings.append(slack_outlet(environment.slack, in_slack))
    return openings


def _address(slack: SlackSettings) -> str:
    """Where Slack's calls are listened to; '' with a token for a socket."""
    if slack.app_token:
        return ""
    host = f"[{slack.http_host}]" if ":" in slack.http_host else slack.http_host
    return f"http://{host}:{slack.http_port}/slack/events"


def _missing(environment: Environment, words: Words) -> list[str]:
    """What could be set up beside what is there: of a platform that was begun, always; else if there is none."""
    discord, slack, half = environment.discord, environment.slack, environment.half_slack
    lines = []
    if discord is None and slack is None:
        lines.append(said.not_set_line(words, "Discord", DISCORD_TOKEN, DISCORD_PAGE))
    if half is not None and half.bot_token:
        ways = SLACK_APP_TOKEN, SLACK_SIGNING_SECRET
        lines.append(said.half_set_line(words, "Slack", SLACK_BOT_TOKEN, *ways))
    elif half is not None or (discord is None and slack is None):
        lines.append(said.not_set_line(words, "Slack", SLACK_BOT_TOKEN, SLACK_PAGE))
    return lines


def _nothing_to_run(environment: Environment, words: Words) -> Exception:
    half = environment.half_slack
    if half is not None and half.bot_token:
        ways = {"one": SLACK_APP_TOKEN, "other": SLACK_SIGNING_SECRET}
        return BadInput("setting.way", field=SLACK_APP_TOKEN, setting=SLACK_BOT_TOKEN, **ways)
    return Stop(said.nothing_to_run_line(words))


def _serving(words: Words, missing: Sequence[str] = ()) -> Callable[[str], None]:
    """Tells where the page is, and what could be set up beside it."""

    def ready(address: str) -> None:
        for line in (said.serving_line(words, address), *missing):
            print(line, flush=True)

    return ready


def _switched_off(words: Words) -> Callable[[TokenRefused], None]:
    def off(refused: TokenRefused) -> None:
        log.error("%s", said.switched_off_line(words, refused.platform, refused.setting, refused.why))

    return off


async def invite(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """The link that brings the bot into a server, with every right it asks for explained."""
    if environment.discord is None:
        raise Stop(said.token_needed_line(words, DISCORD_TOKEN, DISCORD_PAGE))
    from adapters.discord.invite import invite_link
    from adapters.discord.platform import RIGHTS
    from bot.messages.pages.rights import right_name, right_purpose

    try:
        link = await invite_link(environment.discord, RIGHTS)
    except DeliveryError as error:
        raise Stop(said.unreachable_line(words, "Discord", error.reason)) from error
    rights = [(right_name(words, right), right_purpose(words, right)) for right in RIGHTS]
    print("\n".join(said.invite_lines(words, link, rights)))
