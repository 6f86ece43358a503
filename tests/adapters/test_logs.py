"""Nothing that opens a door stands in a log."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from adapters.logs import Discreet, hide, log_to_stderr
from bot.settings import read_environment

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GhJkLm.aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789_-"
ODD = "lab-token-of-another-shape"
SIGNING = "0123456789abcdef0123456789abcdef"
PRESS = "aW50ZXJhY3Rpb246MTIzNDU2Nzg5OmFiY2RlZg"


@contextmanager
def fresh_logs() -> Iterator[None]:
    """As at the start of a process; the levels and handlers of all logs are put back afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    known = ("bot", "adapters", "apscheduler", "aiosqlite", "asyncio", "discord", "discord.client")
    levels = {name: logging.getLogger(name).level for name in known}
    root.handlers[:] = []
    for name in known:
        logging.getLogger(name).setLevel(logging.NOTSET)
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        for name, before in levels.items():
            logging.getLogger(name).setLevel(before)


def logged(*secrets: str) -> tuple[logging.Logger, io.StringIO]:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(Discreet(secrets))
    log = logging.Logger("a room")
    log.addHandler(handler)
    return log, out


def test_a_real_traceback_is_logged_without_the_token() -> None:
    log, out = logged(ODD)

    def connect(token: str) -> None:
        raise ConnectionError(f"https://host/?token={token} said no to Bot {ODD}")

    try:
        try:
            connect(TOKEN)
        except ConnectionError as error:
            raise RuntimeError(f"nobody took {ODD}") from error
    except RuntimeError:
        log.exception("with %s and %r", ODD, {"Authorization": f"Bot {TOKEN}"})
    told = out.getvalue()
    assert TOKEN not in told and ODD not in told
    assert "Traceback" in told and "ConnectionError: https://host/?token=… said no to Bot …" in told
    assert "RuntimeError: nobody took …" in told


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"POST /interactions/123/{PRESS}/callback", "POST /interactions/123/…/callback"),
        ("/interactions/123/short-one/callback?x=1", "/interactions/123/…/callback?x=1"),
        ("'https://h/api/v10/webhooks/9/abc.def/messages/@original'", "'https://h/api/v10/webhooks/9/…/messages/@original'"),
        ("https://h/webhooks/9/abc?wait=true with 500", "https://h/webhooks/9/…?wait=true with 500"),
        (f"{{'token': '{PRESS}', 'id': '1'}}", "{'token': '…', 'id': '1'}"),
        (f"Bot {TOKEN}", "Bot …"),
        ("Bearer xoxb-123456789012-abcDEF", "Bearer …"),
        ("{'token': 'xapp-1-A0123-456-abcdef'}", "{'token': '…'}"),
        ("refresh xoxe-1-abcdefgh with xoxe.xoxb-1-abcdefgh, xoxe.xoxp-1-abcdefgh.", "refresh … with …, …."),
        ("'https://hooks.slack.com/commands/T1/22/abcdefgh' 404", "'https://hooks.slack.com/…' 404"),
        ("https://hooks.slack.com/actions/T1/22/abcdefgh?x=1", "https://hooks.slack.com/…"),
        ("wss://wss-1.slack.com/link/?ticket=ab-cd&app_id=1", "wss://wss-1.slack.com/link/?ticket=…&app_id=1"),
    ],
)  # fmt: skip
def test_what_looks_like_a_token_is_hidden_though_nobody_named_it(text: str, shown: str) -> None:
    assert hide(text) == shown


def test_a_signing_secret_is_hidden_though_it_looks_like_any_number() -> None:
    environment = read_environment({"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_SIGNING_SECRET": SIGNING})
    log, out = logged(*environment.secrets)
    log.error("signed with %s by %r", SIGNING, environment)
    assert SIGNING not in out.getvalue() and "xoxb-1" not in out.getvalue()
    assert "signed with … by" in out.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "paper p17 of club 3 to channel 12",
        "discord.gateway: session 0a1b2c3d",
        "https://slack.com/api/chat.postMessage",
        "a xox-eyed box-app",
        "tests/adapters/test_logs.py",
        "",
    ],
)
def test_other_words_stay_as_they_are(text: str) -> None:
    assert hide(text, ("", TOKEN)) == text


def test_debug_is_about_us_and_never_about_the_libraries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stderr", out := io.StringIO())
    with fresh_logs():
        log_to_stderr("debug", (ODD,))
        logging.getLogger("bot.daily").debug("ours, with %s", ODD)
        for library in ("discord.http", "discord.gateway", "aiohttp.client", "nicegui"):
            logging.getLogger(library).debug("theirs")
            logging.getLogger(library).info("told by %s", library)
    told = out.getvalue()
    assert "ours, with …" in told and ODD not in told
    assert "theirs" not in told
    assert "told by discord.http" in told and "told by aiohttp.client" in told


def test_a_level_above_info_holds_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", out := io.StringIO())
    with fresh_logs():
        log_to_stderr("error", ())
        for name in ("bot.daily", "discord.http"):
            logging.getLogger(name).warning("a warning")
            logging.getLogger(name).error("an error of %s", name)
    assert "a warning" not in out.getvalue()
    assert out.getvalue().count("an error of") == 2
