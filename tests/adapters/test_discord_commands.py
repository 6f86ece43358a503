"""The table of commands as Discord takes it, and what Discord sends back."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.discord import commands
from adapters.discord.commands import choices, definitions, read_command, read_focus
from bot.commands import COMMANDS, Command, Param, find_command
from bot.messages.model import Suggestion
from tests.lab.chatlab.fakediscord.validate import check_commands
from tests.lab.online import Online, online

NAME = re.compile(r"[-_a-z0-9]{1,32}")


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Online]:
    async with online(tmp_path / "paperclub.db") as opened:
        yield opened


def every_node(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from every_node(node.get("options", []))


def leaves(node: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    path = f"{path} {node['name']}".strip()
    below = [each for each in node["options"] if each["type"] in (1, 2)]
    for each in below:
        yield from leaves(each, path)
    if not below:
        yield path, node


# ---- the definitions ----


def test_every_command_of_the_table_is_there_once_with_its_arguments() -> None:
    found = {path: node for top in definitions() for path, node in leaves(top)}
    assert sorted(found) == sorted(command.path for command in COMMANDS)
    for command in COMMANDS:
        told = {(option["name"], option["required"]) for option in found[command.path]["options"]}
        assert told == {(param.name, param.required) for param in command.params}


def test_no_command_is_larger_than_discord_takes() -> None:
    check_commands(definitions())
    for top in definitions():
        size = 0
        for node in every_node([top]):
            assert NAME.fullmatch(node["name"])
            texts = [node["description"], *node["description_localizations"].values()]
            assert all(1 <= len(text) <= 100 for text in texts)
            assert len(node.get("options", [])) <= 25 and len(node.get("choices", [])) <= 25
            required = [option.get("required", True) for option in node.get("options", [])]
            assert required == sorted(required, reverse=True)
            size += len(node["name"]) + max(map(len, texts))
            size += sum(len(choice["name"]) + len(choice["value"]) for choice in node.get("choices", []))
        assert size <= 8000


def test_names_are_english_and_descriptions_are_also_chinese() -> None:
    for node in every_node(definitions()):
        assert "name_localizations" not in node
        assert re.search(r"[\u4e00-\u9fff]", node["description_localizations"]["zh-CN"]), node["name"]
        assert not re.search(r"[\u4e00-\u9fff]", node["description"])


def test_commands_are_for_servers_and_private_messages_and_are_installed_in_servers_only() -> None:
    for top in definitions():
        assert (top["integration_types"], top["contexts"]) == ([0], [0, 1])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("text", {"type": 3, "max_length": 80}),
        ("date", {"type": 3, "max_length": 80}),
        ("paper", {"type": 3, "max_length": 80, "autocomplete": True}),
        ("zone", {"type": 3, "max_length": 80, "autocomplete": True}),
        ("member", {"type": 6}),
        ("channel", {"type": 7, "channel_types": [0, 5, 10, 11, 12, 15]}),
        ("choice", {"type": 3, "choices": [{"name": "yes", "value": "yes"}]}),
    ],
)
def test_each_kind_of_argument_has_its_type(
    monkeypatch: pytest.MonkeyPatch, kind: Any, expected: dict[str, Any]
) -> None:
    param = Param("it", kind, "A member", max_length=80, choices=("yes",) if kind == "choice" else ())
    monkeypatch.setattr(commands, "COMMANDS", (Command("paper it", "A member", "read", params=(param,)),))
    option = definitions()[0]["options"][0]["options"][0]
    left = {key: option[key] for key in option if not key.startswith("description")}
    assert left == {"name": "it", "required": True, **expected}
    check_commands(definitions())


# ---- telling Discord ----


async def test_commands_are_told_only_when_they_changed(
    here: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = dict(here.discord.commands)
    assert sorted(first) == sorted({command.path.split()[0] for command in COMMANDS})
    await here.restart()
    assert here.lab.command_syncs == 1
    assert here.discord.commands == first
    monkeypatch.setattr(commands, "COMMANDS", COMMANDS[:-1])
    await here.restart()
    assert here.lab.command_syncs == 2


async def test_another_application_is_told_too_and_refused_commands_leave_those_there_are(
    here: Online, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(type(here.discord.connection), "application", property(lambda self: 1))
    told = await commands.sync_commands(here.discord.connection, here.database, here.now)
    assert [each.path for each in here.lab.requests if each.path.startswith("/applications/1/")] != []
    assert told == here.discord.commands
    assert [each.levelname for each in caplog.records if "commands" in each.getMessage()] == ["ERROR"]


async def test_every_command_is_offered_in_servers_and_private_messages(here: Online) -> None:
    for place in (here.channel, here.lab.dm(here.ada)):
        assert here.lab.visible_commands(here.ada, place) == sorted(each.path for each in COMMANDS)


# ---- what Discord sends ----


def sub(*path: str, options: list[dict[str, Any]]) -> dict[str, Any]:
    """A command as the gateway sends it."""
    first, *groups, last = path
    inner = [{"name": last, "type": 1, "options": options}]
    for group in reversed(groups):
        inner = [{"name": group, "type": 2, "options": inner}]
    return {"name": first, "type": 1, "options": inner}


def test_paths_and_arguments_are_read_from_groups() -> None:
    option = {"name": "reason", "type": 3, "value": "We met"}
    assert read_command(sub("club", "close", "vote", options=[option])) == (
        "club close vote",
        {"reason": "We met"},
    )
    assert read_command(sub("club", "post", "now", options=[])) == ("club post now", {})
    assert find_command("club close vote") is not None


@pytest.mark.parametrize(
    ("nick", "global_name", "username", "shown"),
    [
        ("Chair", "Member One", "one", "Chair"),
        (None, "Member One", "one", "Member One"),
        (None, None, "one", "one"),
        ("  ", "a|b>c\nd", "one", "a b c d"),
    ],
)
def test_a_member_is_read_with_the_name_people_see(
    nick: str | None, global_name: str | None, username: str, shown: str
) -> None:
    data = sub("club", "organisers", options=[{"name": "member", "type": 6, "value": "42"}])
    data["resolved"] = {
        "users": {"42": {"username": username, "global_name": global_name}},
        "members": {"42": {"nick": nick}},
    }
    assert read_command(data) == ("club organisers", {"member": f"<@42|{shown}>"})


def test_a_channel_is_read_as_its_id() -> None:
    data = sub("club", "setup", options=[{"name": "channel", "type": 7, "value": "99"}])
    assert read_command(data) == ("club setup", {"channel": "99"})


def test_what_is_being_typed_is_found() -> None:
    options = [
        {"name": "paper", "type": 3, "value": "p5", "focused": True},
        {"name": "reason", "type": 3, "value": "why"},
    ]
    assert read_focus(sub("paper", "nominate", options=options)) == ("paper nominate", "paper", "p5")


# ---- choices ----


def test_choices_fit_what_discord_shows() -> None:
    told = choices(
        [
            Suggestion("p1", "short", "6 papers"),
            Suggestion("p2", "x" * 95, "6 papers"),
            Suggestion("p3", "🧑‍🔬" * 40),
            Suggestion("v" * 101, "too long a value"),
            Suggestion("", "no value"),
            Suggestion("p4", " "),
            Suggestion("p1", "twice"),
            *(Suggestion(f"q{number}", "many") for number in range(40)),
        ]
    )
    assert told[0] == {"name": "short · 6 papers", "value": "p1"}
    assert told[1] == {"name": "x" * 95, "value": "p2"}
    assert told[2]["name"].rstrip("…").count("🧑‍🔬") * len("🧑‍🔬") == len(told[2]["name"].rstrip("…"))
    assert [each["value"] for each in told[:4]] == ["p1", "p2", "p3", "q0"]
    assert len(told) == 25
    assert all(1 <= len(each["name"]) <= 100 and len(each["value"]) <= 100 for each in told)
