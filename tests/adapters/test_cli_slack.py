"""`run` as a process beside a strict local Slack, alone and with Discord: what it says, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from tests.lab.ports import free_port
from tests.lab.program import AT_ONCE, Lab, Program, a_lab, loaded, loading, started

WORKSPACE = [{"verb": "create_workspace", "args": {"name": "Readers", "bot_name": "paperclub"}}]
SERVER = [{"verb": "create_guild", "args": {"name": "Server 1"}}]
OAUTH = {"SLACK_CLIENT_ID": "111.222", "SLACK_CLIENT_SECRET": "client-secret-of-another-app"}
LOADED = ("adapters.compose", "adapters.discord", "adapters.slack", "adapters.running")


@dataclass(frozen=True, slots=True)
class Workspace:
    """A Slack with one workspace, and somebody in a channel with the bot."""

    lab: Lab
    team: str
    member: str
    channel: str

    def env(self, port: int = 0) -> dict[str, str]:
        """The settings for Socket Mode, or with a port for HTTP."""
        if not port:
            return {name: value for name, value in self.lab.env.items() if name != "SLACK_SIGNING_SECRET"}
        http = {"PAPERCLUB_HTTP_PORT": str(port)}
        return {name: value for name, value in self.lab.env.items() if name != "SLACK_APP_TOKEN"} | http

    def types(self, command: str, text: str) -> None:
        """The member writes a command."""
        done = self.lab.call("slash", user=self.member, channel=self.channel, command=command, text=text)
        assert done["acknowledged"], done

    def shows(self, words: str, *, alone: bool = True) -> dict[str, Any]:
        """Wait for a message with these words that the member sees; one that stands there for all unless `alone`."""
        seen = {"channel": self.channel, "contains": words, "timeout": 20}
        found: dict[str, Any] = self.lab.call(
            "wait_message", **seen, **({"seen_by": self.member} if alone else {})
        )
        return found

    def presses(self, words: str, label: str) -> None:
        """The member presses a button below these words."""
        where = self.shows(words)["ts"]
        done = self.lab.call("click", user=self.member, where=where, control=label)
        assert done["acknowledged"], done

    def answers(self) -> None:
        """A member's command is answered."""
        self.types("/paper", "help")
        self.shows("/paper search")


def furnished(lab: Lab) -> Workspace:
    """The workspace of a new lab, with a channel and a member."""
    (team,) = [each["id"] for each in lab.call("world")]
    channel = lab.call("create_channel", team=team, name="papers")["id"]
    member = lab.call("create_user", team=team, name="member-1", admin=True, channels=[channel])["id"]
    return Workspace(lab, team, member, channel)


@pytest.fixture
def slack(tmp_path: Path) -> Iterator[Workspace]:
    with a_lab(tmp_path, "slack", WORKSPACE) as found:
        yield furnished(found)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One for the tests that leave it as it was."""
    with a_lab(tmp_path_factory.mktemp("slack"), "slack", WORKSPACE) as found:
        yield furnished(found)


@pytest.fixture(scope="module")
def discord(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with a_lab(tmp_path_factory.mktemp("discord"), "discord", SERVER) as found:
        yield found


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> float:
    """Seconds this machine needs before anything can begin."""
    return loading(tmp_path_factory.mktemp("bare"), *LOADED)


def discord_answers(lab: Lab) -> None:
    """A member's command is answered there."""
    (server,) = lab.call("world")
    room = lab.call("create_channel", guild=server["id"], name="papers")["id"]
    who = lab.call("create_user", guild=server["id"], name="member-1")["id"]
    lab.call("slash", user=who, channel=room, command="paper help")
    assert lab.call("wait_message", channel=room, seen_by=who, contains="search", timeout=20)


def code_in(shown: str) -> str:
    """The code an answer shows."""
    found = re.search(r"\b[A-Z0-9]{8}\b", shown)
    assert found is not None, shown
    return found[0]


def elsewhere(port: int) -> dict[str, str]:
    """The settings for a Slack on this port, whether it is there or not."""
    tokens = {"SLACK_BOT_TOKEN": "xoxb-T000000001-0123456789abcdef", "SLACK_APP_TOKEN": "xapp-1-chatlab"}
    return {**tokens, "SLACK_API_BASE": f"http://127.0.0.1:{port}/api/"}


# ---- alone ----


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_by_socket_it_says_where_it_is_answers_and_ends_when_asked(
    slack: Workspace, tmp_path: Path, how: signal.Signals
) -> None:
    env = {**slack.env(), **OAUTH, "PAPERCLUB_LOG": "debug", "PAPERCLUB_DATABASE_URL": "sqlite:///real.db"}
    with started(tmp_path, "run", **env) as program:
        program.says("Slack: connected to Readers over Socket Mode\n")
        slack.answers()
        assert slack.lab.call("drop_sockets") == 1
        slack.lab.call("wait_ready")
        slack.answers()
        status, seconds = program.ends(how)
    assert status == 0 and seconds < AT_ONCE
    assert program.out == "Slack: connected to Readers over Socket Mode\n"
    assert (tmp_path / "real.db").exists() and not (tmp_path / "data").exists()
    assert slack.lab.call("bot_errors") == []


def test_by_http_it_says_where_it_listens_answers_and_ends_when_asked(
    slack: Workspace, tmp_path: Path
) -> None:
    port = free_port()
    with started(tmp_path, "run", **slack.env(port), **OAUTH, PAPERCLUB_LOG="debug") as program:
        address = f"http://127.0.0.1:{port}/slack/events"
        program.says(f"Slack: connected to Readers over HTTP at {address}\n")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10) as answer:
            assert answer.status == 200
        slack.lab.call("use_http", endpoint=address)
        assert slack.lab.call("verify_url") is True
        slack.answers()
        status, seconds = program.ends(signal.SIGTERM)
    assert status == 0 and seconds < AT_ONCE
    assert slack.lab.call("bot_errors") == []


def test_a_port_in_use_ends_the_start_in_one_sentence(shared: Workspace, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with started(tmp_path, "run", **shared.env(port)) as program:
            assert program.ends()[0] == 1
    assert program.out == "" and program.errors.count("\n") == 1 and str(port) in program.errors


def test_it_ends_when_asked_also_while_it_waits_for_slack(tmp_path: Path) -> None:
    with started(tmp_path, "run", **elsewhere(free_port())) as program:
        program.says("Slack cannot be reached")
        status, seconds = program.ends(signal.SIGTERM)
    assert status == 0 and seconds < AT_ONCE
    assert program.out == ""


# ---- with Discord ----


def test_both_are_served_by_one_program_on_one_store(shared: Workspace, discord: Lab, tmp_path: Path) -> None:
    with started(tmp_path, "run", **shared.env(), **discord.env, PAPERCLUB_LOG="debug") as program:
        program.says("Slack: connected to Readers over Socket Mode\n")
        program.says("Discord: connected as reading-bot, in 1 server\n")
        shared.answers()
        discord_answers(discord)
        status, seconds = program.ends(signal.SIGTERM)
    assert status == 0 and seconds < AT_ONCE
    stores = (tmp_path / "data/paperclub").iterdir()
    assert {path.name for path in stores if path.suffix == ".db"} == {"paperclub.db"}


def test_a_club_set_up_in_slack_is_joined_from_discord_and_one_human_is_one_member(
    slack: Workspace, discord: Lab, tmp_path: Path
) -> None:
    with started(tmp_path, "run", **slack.env(), **discord.env, PAPERCLUB_LOG="debug") as program:
        program.says("Slack: connected")
        program.says("Discord: connected")
        slack.types("/club", "setup Europe/Berlin 09:00 daily en")
        slack.presses("is set up.", "The starter catalogue")
        slack.presses("Preview:", "Post now")
        slack.shows("Today’s paper", alone=False)
        slack.types("/club", "link")
        (server,) = discord.call("world")
        room = discord.call("create_channel", guild=server["id"], name="both")["id"]
        owner = {"user": server["owner"], "channel": room}

        def shows(words: str) -> dict[str, Any]:
            seen = {"channel": room, "seen_by": owner["user"], "contains": words, "timeout": 20}
            found: dict[str, Any] = discord.call("wait_message", **seen)
            return found

        code = {"code": code_in(slack.shows("The code for")["shown"])}
        discord.call("slash", **owner, command="club link", options=code)
        shows("stands in this channel too now")
        discord.call("slash", **owner, command="club post now")
        shows("**Extra paper**")
        slack.shows("Extra paper", alone=False)

        discord.call("slash", **owner, command="paper link")
        card = shows("Your code is")
        slack.types("/paper", f"link {code_in(card['text'])}")
        slack.presses("Are both of these accounts yours?", "Yes, both are me")
        slack.shows("Now say yes on Discord too")
        discord.call("click", user=owner["user"], message=card["id"], button="I have entered it")
        asked = shows("Are both of these accounts yours?")
        discord.call("click", user=owner["user"], message=asked["id"], button="Yes, both are me")
        shows("Linked. You have one ballot on both sides")
        assert program.ends(signal.SIGTERM)[0] == 0
    assert slack.lab.call("bot_errors") == [] and discord.call("bot_errors") == []
    assert not any(slack.lab.call("findings").values())


@pytest.mark.parametrize(
    ("setting", "wrong"),
    [
        ("SLACK_BOT_TOKEN", "xoxb-nobody-gave-this-out"),
        ("SLACK_APP_TOKEN", "xapp-nobody-gave-this-out"),
        ("DISCORD_TOKEN", "a-token-nobody-gave-out"),
    ],
)
def test_a_token_that_is_refused_ends_the_start_also_where_the_other_is_fine(
    shared: Workspace, discord: Lab, busy: float, tmp_path: Path, setting: str, wrong: str
) -> None:
    env = {**shared.env(), **discord.env, setting: wrong, "PAPERCLUB_LOG": "warning"}
    with started(tmp_path, "run", **env) as program:
        status, seconds = program.ends()
    assert status == 1 and seconds < max(5, 2 * busy + 2)
    last = program.errors.splitlines()[-1]
    assert last.count(setting) == 1
    where = "your app at api.slack.com/apps." if setting.startswith("SLACK") else "the developer portal."
    assert last.endswith(f"Copy it anew from {where}")


def test_a_slack_that_cannot_be_reached_is_waited_for_while_discord_works(
    slack: Workspace, discord: Lab, tmp_path: Path
) -> None:
    slack.lab.call("add_fault", kind="status", path="/auth.test", times=None, status=503)
    with started(tmp_path, "run", **slack.env(), **discord.env) as program:
        program.says("Slack cannot be reached")
        program.says("Discord: connected as")
        discord_answers(discord)
        assert "Slack: connected" not in program.out
        slack.lab.call("clear_faults")
        program.says("Slack: connected to Readers")
        slack.answers()
        assert program.ends(signal.SIGTERM)[0] == 0


def test_a_token_that_is_refused_later_switches_slack_off_and_discord_goes_on(
    slack: Workspace, discord: Lab, tmp_path: Path
) -> None:
    with started(tmp_path, "run", **slack.env(), **discord.env, PAPERCLUB_LOG="debug") as program:
        program.says("Slack: connected to")
        program.says("Discord: connected as")
        slack.lab.call("uninstall", team=slack.team)
        program.says("switched off")
        sleep(0.5)
        assert program.process.poll() is None
        assert [
            line for line in program.errors.splitlines() if " ERROR " in line and "SLACK_BOT_TOKEN" in line
        ]
        discord_answers(discord)
        status, seconds = program.ends(signal.SIGTERM)
    assert status == 0 and seconds < AT_ONCE


# ---- set up halfway ----


def test_a_bot_token_alone_leaves_slack_off_and_says_what_lacks(discord: Lab, tmp_path: Path) -> None:
    env = {**discord.env, "SLACK_BOT_TOKEN": "xoxb-a-token-all-alone"}
    with started(tmp_path, "run", **env) as program:
        program.says("Discord: connected as")
        assert program.ends(signal.SIGTERM)[0] == 0
    lacking = "SLACK_BOT_TOKEN is set, but neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET"
    assert program.out.splitlines()[0] == f"Slack is off: {lacking}"


def test_an_app_token_alone_leaves_slack_off_and_says_what_lacks(discord: Lab, tmp_path: Path) -> None:
    with started(tmp_path, "run", **discord.env, SLACK_APP_TOKEN="xapp-a-token-all-alone") as program:
        program.says("Discord: connected as")
        assert program.ends(signal.SIGTERM)[0] == 0
    assert program.out.splitlines()[0] == "Slack: no SLACK_BOT_TOKEN yet, see docs/slack.md"


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({}, ("DISCORD_TOKEN", "SLACK_BOT_TOKEN")),
        ({"SLACK_BOT_TOKEN": "xoxb-a-token-all-alone"}, ("SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET")),
        ({"SLACK_APP_TOKEN": "xapp-a-token-all-alone"}, ("SLACK_BOT_TOKEN",)),
    ],
    ids=["nothing", "bot token", "app token"],
)
def test_with_nothing_to_run_it_says_what_lacks(
    tmp_path: Path, env: dict[str, str], named: tuple[str, ...]
) -> None:
    with started(tmp_path, "run", **env) as program:
        assert program.ends()[0] == 1
    assert program.out == "" and program.errors.count("\n") == 1
    assert all(name in program.errors for name in named)


def test_other_commands_work_while_slack_is_set_up_halfway(tmp_path: Path) -> None:
    with started(
        tmp_path, "plan", "--daily", "09:00", "--zone", "UTC", SLACK_BOT_TOKEN="xoxb-all-alone"
    ) as program:
        assert program.ends()[0] == 0
    assert program.errors == ""


# ---- what is loaded ----


def test_only_the_platform_that_has_its_token_is_imported(
    shared: Workspace, discord: Lab, tmp_path: Path
) -> None:
    for env, ours, theirs in (
        (shared.env(), {"slack_bolt", "slack_sdk"}, {"discord"}),
        (discord.env, {"discord"}, {"slack_bolt", "slack_sdk"}),
    ):
        program = Program(tmp_path, ("-X", "importtime", "-m", "adapters", "run"), env)
        try:
            program.says(": connected ")
            assert program.ends(signal.SIGTERM)[0] == 0
        finally:
            program.process.kill()
        assert ours <= loaded(program) and not theirs & loaded(program)
