"""The terminal's commands that connect: run, preview and invite. Each says in a line what it started."""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from adapters.logs import hide
from adapters.terminal import Stop, hint, own_preview_path, sentence, store_path
from bot.errors import DeliveryError, TokenRefused
from bot.messages.pages import operator as said
from bot.messages.words import Words
from bot.settings import DISCORD_TOKEN, Environment

log = logging.getLogger(__name__)

DISCORD_PAGE = "docs/discord.md"


async def run(options: argparse.Namespace, environment: Environment, words: Words) -> None:
    """Every platform that has its token, on the real store, and the preview where it is asked for, on its own."""
    if environment.discord is None and not options.preview:
        raise Stop(said.nothing_to_run_line(words))
    from adapters.compose import after, run_discord, run_preview

    stop, word = asyncio.Event(), asyncio.Event()
    works: list[Coroutine[Any, Any, None]] = []
    if environment.discord is not None:
        path, ready = store_path(options, environment), _connected(words, word)
        works.append(run_discord(environment.discord, path, stop, ready=ready, off=_switched_off(words)))
    if options.preview:
        port, serving = options.port or environment.preview_port, _serving(words, missing=not works)
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


def _serving(words: Words, *, missing: bool = False) -> Callable[[str], None]:
    """Tells where the page is, and what could be set up beside it."""

    def ready(address: str) -> None:
        print(said.serving_line(words, address), flush=True)
        if missing:
            print(said.not_set_line(words, "Discord", DISCORD_TOKEN, DISCORD_PAGE), flush=True)

    return ready


def _connected(words: Words, word: asyncio.Event) -> Callable[[str, int], None]:
    def ready(name: str, servers: int) -> None:
        word.set()
        print(said.connected_line(words, "Discord", name, servers), flush=True)

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
