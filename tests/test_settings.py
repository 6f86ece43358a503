"""What the environment may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import BadInput
from bot.settings import (
    DiscordSettings,
    Environment,
    SlackSettings,
    parse_database_url,
    read_environment,
    read_locale,
)


def test_without_any_setting_everything_has_a_default() -> None:
    assert read_environment({}) == Environment(None, 8765, "info")
    blank = {"PAPERCLUB_DATABASE_URL": " ", "PAPERCLUB_PREVIEW_PORT": "", "PAPERCLUB_LOG": " "}
    assert read_environment(blank) == Environment(None, 8765, "info")


def test_settings_are_read_with_blanks_around_them() -> None:
    given = {
        "PAPERCLUB_DATABASE_URL": " sqlite:///p.db ",
        "PAPERCLUB_PREVIEW_PORT": " 80 ",
        "PAPERCLUB_LOG": " Debug ",
    }
    assert read_environment(given) == Environment(Path("p.db"), 80, "debug")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///relative.db", "relative.db"),
        ("sqlite:///a/b c.db", "a/b c.db"),
        ("sqlite:////absolute.db", "/absolute.db"),
        ("sqlite:////var/lib/论文.db", "/var/lib/论文.db"),
    ],
)
def test_three_slashes_are_relative_and_four_absolute(url: str, path: str) -> None:
    assert parse_database_url(url) == Path(path)


@pytest.mark.parametrize(
    "url",
    [
        "paperclub.db",
        "/paperclub.db",
        "sqlite:",
        "sqlite://",
        "sqlite:///",
        "sqlite://host/x.db",
        "mysql:///x",
    ],
)
def test_another_address_is_refused_by_name(url: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_database_url(url)
    assert (refused.value.key, refused.value.field) == ("setting.database", "PAPERCLUB_DATABASE_URL")


@pytest.mark.parametrize("port", ["0", "65536", "-1", "8765.0", "web", "²", "９"])
def test_a_port_is_a_number_from_1_to_65535(port: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_environment({"PAPERCLUB_PREVIEW_PORT": port})
    assert refused.value.values["value"] == port


def test_an_unknown_level_of_logging_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        read_environment({"PAPERCLUB_LOG": "loud"})
    assert refused.value.field == "PAPERCLUB_LOG"


@pytest.mark.parametrize(
    ("given", "locale"),
    [
        ({}, ""),
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN.UTF-8"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB"}, "en_GB"),
        ({"LC_ALL": "C", "LC_MESSAGES": "zh_CN", "LANG": "zh_CN"}, "C"),
        ({"LC_ALL": "", "LANG": "de_DE"}, "de_DE"),
    ],
)
def test_the_locale_goes_by_the_order_of_posix(given: dict[str, str], locale: str) -> None:
    assert read_locale(given) == locale


def test_discord_is_off_without_a_token_and_has_defaults_with_one() -> None:
    assert read_environment({"DISCORD_TOKEN": " ", "DISCORD_READY_SECONDS": "0"}).discord is None
    found = read_environment({"DISCORD_TOKEN": " abc.def.ghi\n"})
    assert found.discord == DiscordSettings(
        "abc.def.ghi", "https://discord.com/api/v10", "wss://gateway.discord.gg/", 2.0
    )
    assert found.secrets == ("abc.def.ghi",)


def test_discord_can_be_elsewhere() -> None:
    given = {
        "DISCORD_TOKEN": "t",
        "DISCORD_API_BASE": " http://127.0.0.1:8901/api/v10/ ",
        "DISCORD_GATEWAY_URL": "ws://127.0.0.1:8901/gateway/",
        "DISCORD_READY_SECONDS": "0.25",
    }
    assert read_environment(given).discord == DiscordSettings(
        "t", "http://127.0.0.1:8901/api/v10", "ws://127.0.0.1:8901/gateway/", 0.25
    )


def test_what_the_environment_holds_is_shown_without_the_token() -> None:
    assert "hunter2" not in repr(read_environment({"DISCORD_TOKEN": "hunter2"}))


@pytest.mark.parametrize("token", ["two words", "a\tb", "a\nb", "jetón", "令牌"])
def test_a_token_that_cannot_be_one_is_refused_without_being_said_back(token: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_environment({"DISCORD_TOKEN": token})
    assert refused.value.field == "DISCORD_TOKEN"
    assert token not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DISCORD_API_BASE", "discord.com/api/v10"),
        ("DISCORD_API_BASE", "ws://discord.com"),
        ("DISCORD_API_BASE", "https://"),
        ("DISCORD_API_BASE", "https://host:99999/api"),
        ("DISCORD_API_BASE", "https://[::1/api"),
        ("DISCORD_API_BASE", "https://host/a b"),
        ("DISCORD_GATEWAY_URL", "https://discord.com"),
        ("DISCORD_GATEWAY_URL", "wss:///gateway"),
        ("DISCORD_READY_SECONDS", "-1"),
        ("DISCORD_READY_SECONDS", "61"),
        ("DISCORD_READY_SECONDS", "nan"),
        ("DISCORD_READY_SECONDS", "soon"),
        ("DISCORD_READY_SECONDS", "２"),
    ],
)
def test_a_bad_setting_of_discord_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_environment({name: value})
    assert (refused.value.field, refused.value.values["value"]) == (name, value)


def test_slack_is_off_without_a_token_and_has_defaults_with_one() -> None:
    assert read_environment({"SLACK_APP_TOKEN": "xapp-1", "SLACK_SIGNING_SECRET": "s"}).slack is None
    found = read_environment({"SLACK_BOT_TOKEN": " xoxb-1\n", "SLACK_APP_TOKEN": "xapp-1"})
    assert found.slack == SlackSettings("xoxb-1", "xapp-1", "", "https://slack.com/api/", "127.0.0.1", 3000)
    assert found.secrets == ("xoxb-1", "xapp-1")
    assert "xoxb-1" not in repr(found) and "xapp-1" not in repr(found)


def test_slack_can_be_elsewhere_and_call_another_address() -> None:
    given = {
        "SLACK_BOT_TOKEN": "xoxb-1",
        "SLACK_SIGNING_SECRET": "secret",
        "SLACK_API_BASE": "http://127.0.0.1:8902/api",
        "PAPERCLUB_HTTP_HOST": "::1",
        "PAPERCLUB_HTTP_PORT": "8080",
    }
    assert read_environment(given).slack == SlackSettings(
        "xoxb-1", "", "secret", "http://127.0.0.1:8902/api/", "::1", 8080
    )


@pytest.mark.parametrize(
    ("given", "half"),
    [
        ({"SLACK_BOT_TOKEN": "xoxb-1"}, ("xoxb-1", "", "")),
        ({"SLACK_APP_TOKEN": "xapp-1"}, ("", "xapp-1", "")),
        ({"SLACK_SIGNING_SECRET": "secret"}, ("", "", "secret")),
    ],
)
def test_slack_set_up_halfway_stays_off_and_its_tokens_stay_secret(
    given: dict[str, str], half: tuple[str, str, str]
) -> None:
    found = read_environment(given)
    assert found.slack is None and found.half_slack == SlackSettings(*half)
    assert found.secrets == tuple(given.values())
    assert next(iter(given.values())) not in repr(found)


def test_slack_set_up_whole_or_not_at_all_is_not_halfway() -> None:
    assert read_environment({}).half_slack is None
    assert read_environment({"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1"}).half_slack is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLACK_API_BASE", "slack.com/api/"),
        ("SLACK_API_BASE", "https://"),
        ("PAPERCLUB_HTTP_HOST", "two words"),
        ("PAPERCLUB_HTTP_HOST", "http://host"),
        ("PAPERCLUB_HTTP_HOST", "主机"),
        ("PAPERCLUB_HTTP_PORT", "0"),
        ("PAPERCLUB_HTTP_PORT", "web"),
    ],
)
def test_a_bad_setting_of_slack_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_environment({name: value})
    assert (refused.value.field, refused.value.values["value"]) == (name, value)


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"])
def test_a_secret_of_slack_that_cannot_be_one_is_refused_without_being_said_back(name: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_environment({name: "two words"})
    assert refused.value.field == name
    assert "two words" not in str(refused.value)
