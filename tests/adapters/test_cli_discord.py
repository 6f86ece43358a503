"""`run` and `invite` as processes beside a strict local Discord: what they say, and how they end."""

from __future__ import annotations

import re
import signal
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from time import sleep
from urllib.parse import parse_qs, urlsplit

import discord
import pytest

from adapters.discord.platform import RIGHTS
from tests.lab import program as lab_program
from tests.lab.ports import free_port
from tests.lab.program import AT_ONCE, Lab, Program, loaded, loading, started

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GhJkLm.aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789_-"
SEED = [{"verb": "create_guild", "args": {"name": f"Server {n}"}} for n in (1, 2)]


def a_lab(folder: Path, port: int = 0) -> AbstractContextManager[Lab]:
    """A Discord with two servers that have the bot."""
    return lab_program.a_lab(folder, "discord", SEED, "--port", str(port), "--token", TOKEN)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One for the tests that leave it as it was."""
    with a_lab(tmp_path_factory.mktemp("lab")) as found:
        yield found


def elsewhere(port: int) -> dict[str, str]:
    """The settings for a Discord on this port, whether it is there or not."""
    return {
        "DISCORD_TOKEN": TOKEN,
        "DISCORD_API_BASE": f"http://127.0.0.1:{port}/api/v10",
        "DISCORD_GATEWAY_URL": f"ws://127.0.0.1:{port}/gateway/",
    }


# ---- starting and ending ----


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_says_as_whom_it_is_connected_and_ends_when_asked(
    lab: Lab, tmp_path: Path, how: signal.Signals
) -> None:
    with started(
        tmp_path, "run", **lab.env, PAPERCLUB_LOG="debug", PAPERCLUB_DATABASE_URL="sqlite:///real.db"
    ) as program:
        program.says("Discord: connected as reading-bot, in 2 servers\n")
        status, seconds = program.ends(how)
    assert status == 0 and seconds < AT_ONCE
    assert program.out.count("\n") == 1
    assert (tmp_path / "real.db").exists()
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("more", [(), ("--preview",)], ids=["alone", "beside the preview"])
def test_a_token_that_is_refused_ends_the_start_within_five_seconds(
    lab: Lab, tmp_path: Path, more: tuple[str, ...]
) -> None:
    wrong = "a-token-nobody-gave-out"
    port = str(free_port())
    env = {**lab.env, "DISCORD_TOKEN": wrong, "PAPERCLUB_PREVIEW_PORT": port, "PAPERCLUB_LOG": "warning"}
    bare = loading(tmp_path, "adapters.compose", "adapters.discord", "adapters.running")
    with started(tmp_path, "run", *more, **env) as program:
        status, seconds = program.ends()
    assert status == 1 and seconds < max(5, 2 * bare + 2)
    assert program.errors.count("\n") == 1 and "DISCORD_TOKEN" in program.errors
    assert wrong not in program.out + program.errors


def test_a_discord_that_cannot_be_reached_is_waited_for(tmp_path: Path) -> None:
    port = free_port()
    with started(tmp_path, "run", **elsewhere(port), PAPERCLUB_LOG="debug") as program:
        program.says("Discord cannot be reached")
        assert program.out == ""
        with a_lab(tmp_path, port):
            program.says("Discord: connected as")
            assert program.ends(signal.SIGTERM)[0] == 0


def test_it_ends_when_asked_also_while_it_waits_for_discord(tmp_path: Path) -> None:
    with started(tmp_path, "run", **elsewhere(free_port())) as program:
        program.says("Discord cannot be reached")
        status, seconds = program.ends(signal.SIGTERM)
    assert status == 0 and seconds < AT_ONCE


def test_a_token_that_is_refused_later_switches_discord_off_and_the_clock_goes_on(tmp_path: Path) -> None:
    with a_lab(tmp_path) as lab, started(tmp_path / "p", "run", **lab.env, PAPERCLUB_LOG="debug") as program:
        program.says("Discord: connected as")
        lab.call("drop_gateway", code=4004)
        program.says("switched off")
        sleep(0.5)
        assert program.process.poll() is None
        assert [line for line in program.errors.splitlines() if " ERROR " in line and "DISCORD_TOKEN" in line]
        status, seconds = program.ends(signal.SIGTERM)
    assert status == 0 and seconds < AT_ONCE


# ---- beside the preview ----


def test_the_preview_runs_beside_discord_on_a_store_of_its_own(lab: Lab, tmp_path: Path) -> None:
    port = str(free_port())
    with started(tmp_path, "run", "--preview", "--port", port, **lab.env) as program:
        program.says("Discord: connected as")
        program.says(f"http://127.0.0.1:{port}")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=30) as answer:
            assert answer.status == 200
        status, seconds = program.ends(signal.SIGTERM)
    assert status == 0 and seconds < AT_ONCE
    names = {path.name for path in (tmp_path / "data/paperclub").iterdir()}
    assert {name for name in names if name.endswith(".db")} == {"paperclub.db", "preview.db"}


def test_a_preview_that_cannot_start_leaves_discord_alone(lab: Lab, tmp_path: Path) -> None:
    port = urlsplit(lab.env["DISCORD_API_BASE"]).port
    with started(tmp_path, "run", "--preview", "--port", str(port), **lab.env) as program:
        program.says(f"Another program listens on port {port}")
        program.says("Discord: connected as")
        assert program.ends(signal.SIGTERM)[0] == 0


def test_a_store_that_cannot_be_used_leaves_the_preview_alone(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "real.db").write_text("no database, but somebody's notes")
    env = {**lab.env, "PAPERCLUB_DATABASE_URL": "sqlite:///real.db"}
    with started(tmp_path, "run", "--preview", "--port", str(free_port()), **env) as program:
        program.says("real.db is not a Paperclub database")
        program.says("The preview is at")
        assert program.ends(signal.SIGTERM)[0] == 0
    with started(tmp_path, "run", **env) as program:
        assert program.ends()[0] == 1
    assert (tmp_path / "real.db").read_text() == "no database, but somebody's notes"


def test_without_a_token_the_preview_says_what_could_be_set(tmp_path: Path) -> None:
    with started(tmp_path, "run", "--preview", "--port", str(free_port())) as program:
        program.says("Slack: no SLACK_BOT_TOKEN yet, see docs/slack.md\n")
        assert "Discord: no DISCORD_TOKEN yet, see docs/discord.md\n" in program.out
        assert program.ends(signal.SIGTERM)[0] == 0


# ---- what is loaded ----


def test_discord_is_not_imported_while_it_is_off(tmp_path: Path) -> None:
    argv = ("-X", "importtime", "-m", "adapters", "run", "--preview", "--port", str(free_port()))
    program = Program(tmp_path, argv, {})
    try:
        program.says("The preview is at")
        assert program.ends(signal.SIGTERM)[0] == 0
    finally:
        program.process.kill()
    assert "nicegui" in loaded(program)
    assert not loaded(program) & {"discord", "slack_bolt", "slack_sdk"}


@pytest.mark.parametrize("argv", [("plain",), ("search", "p"), ("show", "p1"), ("plan",), ("why",)])
def test_other_commands_import_no_platform_even_with_a_token(tmp_path: Path, argv: tuple[str, ...]) -> None:
    program = Program(tmp_path, ("-X", "importtime", "-m", "adapters", *argv), {"DISCORD_TOKEN": TOKEN})
    program.ends()
    assert "argparse" in loaded(program)
    assert not loaded(program) & {"discord", "aiohttp", "slack_bolt", "nicegui"}


# ---- the invite ----


def test_the_invite_asks_for_exactly_the_rights_that_are_needed(lab: Lab, tmp_path: Path) -> None:
    with started(tmp_path, "invite", **lab.env) as program:
        assert program.ends()[0] == 0
    assert program.errors == ""
    link = next(line for line in program.out.splitlines() if line.startswith("https://"))
    assert link.startswith("https://discord.com/oauth2/authorize?")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    assert asked == {
        "client_id": str(lab.told["application_id"]),
        "scope": "bot applications.commands",
        "permissions": str(discord.Permissions(**dict.fromkeys(RIGHTS, True)).value),
        "integration_type": "0",
    }
    assert not [name for name in ("administrator", "pin_messages", "create_events") if name in RIGHTS]
    explained = program.out.partition(link)[2]
    for right in RIGHTS:
        name = right.replace("_", " ")
        assert re.search(rf"^{name}: \w+ \w+", explained, re.M | re.I), (right, explained)
    assert not (tmp_path / "data").exists()


def test_an_invite_without_a_token_says_what_is_missing(tmp_path: Path) -> None:
    with started(tmp_path, "invite") as program:
        assert program.ends()[0] == 1
    assert program.errors.count("\n") == 1 and "DISCORD_TOKEN" in program.errors


def test_an_invite_with_a_wrong_token_says_so(lab: Lab, tmp_path: Path) -> None:
    with started(tmp_path, "invite", **{**lab.env, "DISCORD_TOKEN": "wrong"}) as program:
        assert program.ends()[0] == 1
    assert program.out == "" and program.errors.count("\n") == 1 and "DISCORD_TOKEN" in program.errors


def test_an_invite_without_discord_says_so(tmp_path: Path) -> None:
    with started(tmp_path, "invite", **elsewhere(free_port())) as program:
        assert program.ends()[0] == 1
    assert program.errors.count("\n") == 1 and "Discord cannot be reached" in program.errors
