"""The manifest in the repository is the one that is made, and asks for what the adapter uses, no more."""

import ast
from pathlib import Path

import pytest

from adapters.slack import scopes
from adapters.slack.commands import SHORTCUT, read_line
from adapters.slack.manifest import EVENTS, main, manifest, written
from bot.commands import COMMANDS, GROUPS
from bot.messages.cut import length

ROOT = Path(__file__).parents[2]


def test_the_file_is_what_is_made() -> None:
    assert (ROOT / "deploy/slack-manifest.yaml").read_text() == written(manifest())


def test_it_asks_for_the_scopes_of_the_calls_we_make() -> None:
    asked = manifest()["oauth_config"]["scopes"]["bot"]
    assert asked == sorted(asked) and set(asked) == set(scopes.scopes())
    assert called() == set(scopes.METHODS)


def called() -> set[str]:
    """The methods of the Web API in the sources of the adapter."""
    found = set()
    for source in (ROOT / "adapters/slack").glob("*.py"):
        if source.name != "scopes.py":
            texts = [
                each.value
                for each in ast.walk(ast.parse(source.read_text()))
                if isinstance(each, ast.Constant)
            ]
            found |= {text for text in texts if isinstance(text, str) and text in KNOWN}
    return found


KNOWN = {
    "apps.connections.open", "auth.test", "bots.info", "team.info",
    "chat.delete", "chat.getPermalink", "chat.postEphemeral", "chat.postMessage", "chat.update",
    "conversations.history", "conversations.info", "conversations.join", "conversations.list",
    "conversations.members", "conversations.open", "conversations.replies",
    "files.completeUploadExternal", "files.getUploadURLExternal",
    "usergroups.list", "users.conversations", "users.info", "users.list",
    "views.open", "views.publish", "views.push", "views.update",
}  # fmt: skip


def test_every_first_word_is_a_command_that_leads_to_all_below_it() -> None:
    made = {each["command"]: each for each in manifest()["features"]["slash_commands"]}
    assert set(made) == {f"/{top}" for top in GROUPS}
    for command in COMMANDS:
        top, rest = command.path.split(" ", 1)
        assert rest in made[f"/{top}"]["usage_hint"].split(" | ")
        assert all(each["should_escape"] for each in made.values())


def test_other_names_are_understood_by_the_adapter() -> None:
    names = [each["command"] for each in manifest(prefix="rg-")["features"]["slash_commands"]]
    assert names == ["/rg-paper", "/rg-club"]
    assert [read_line(name, "x").prefix for name in names] == ["/rg-", "/rg-"]


def test_it_keeps_to_slacks_lengths() -> None:
    made = manifest()
    shortcut = made["features"]["shortcuts"][0]
    assert shortcut["callback_id"] == SHORTCUT and length(shortcut["name"]) <= 24
    assert length(made["display_information"]["description"]) <= 140
    assert all(length(each["usage_hint"]) <= 1_000 for each in made["features"]["slash_commands"])


def test_for_http_every_part_has_the_address() -> None:
    url = "https://x.example/slack/events"
    made = manifest(url)
    assert not made["settings"]["socket_mode_enabled"]
    assert made["settings"]["interactivity"]["request_url"] == url
    assert made["settings"]["event_subscriptions"] == {"bot_events": list(EVENTS), "request_url": url}
    assert all(each["url"] == url for each in made["features"]["slash_commands"])


def test_it_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--url", "https://x.example/slack/events", "--prefix", "rg-"])
    assert capsys.readouterr().out == written(manifest("https://x.example/slack/events", "rg-"))
    main([])
    assert capsys.readouterr().out == written(manifest())


def test_texts_that_could_be_read_as_something_else_are_quoted() -> None:
    shown = written({"a": "on", "b": "yes: no", "c": True, "d": ["x", "#1"], "e": [{"f": "1", "g": "h"}]})
    assert shown == 'a: "on"\nb: "yes: no"\nc: true\nd:\n  - x\n  - "#1"\ne:\n  - f: "1"\n    g: h\n'


@pytest.mark.parametrize(
    "given",
    [["--prefix", "My app "], ["--prefix", "r" * 21], ["--url", "x.example"], ["--url", "https://[::1"]],
)
def test_what_slack_would_not_take_makes_no_manifest(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2 and not capsys.readouterr().out
