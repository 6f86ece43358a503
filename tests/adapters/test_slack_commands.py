"""What Slack sends of a typed line: marks undone once, the command's own name kept, links found in messages."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.commands import HELP, Line, links_of, read_line, read_text, to_whom
from adapters.slack.marks import PLAIN, Prefixes
from bot.commands import COMMANDS, GROUPS, Command, find_command


@pytest.mark.parametrize(
    ("sent", "typed"),
    [
        ("R&amp;D &lt;b&gt;", "R&D <b>"),
        ("&amp;amp; &amp;lt;", "&amp; &lt;"),
        ("<https://x.example/a?b=1&amp;c=2>", "https://x.example/a?b=1&c=2"),
        ("<https://x.example/a|x.example/a> why", "https://x.example/a why"),
        ("see <http://x.example|this &amp; that>", "see http://x.example"),
        ("<mailto:a@x.example|a@x.example>", "a@x.example"),
        ("<#C123|papers>", "C123"),
        ("<#C123>", "C123"),
        ("<@U1|Member 1>", "<@U1|Member 1>"),
        ("<@U1>", "<@U1>"),
        ("<@U1|a &lt;b&gt; &amp; c>", "<@U1|a  b  & c>"),
        ("<!here> <!subteam^S1|@readers> <!date^1^{date}|today>", "here @readers today"),
        ("a < b > c", "a  b  c"),
        ("&lt;!channel&gt;", "<!channel>"),
        ("&nbsp; &#39;", "&nbsp; &#39;"),
    ],
)
def test_slacks_marks_are_undone_once(sent: str, typed: str) -> None:
    assert read_text(sent) == typed


@pytest.mark.parametrize("text", ["", "  ", "help", "HELP", "?", "--help"])
@pytest.mark.parametrize("name", ["/paper", "/club", "/rg-paper", "/pc"])
def test_without_words_there_is_help(name: str, text: str) -> None:
    assert read_line(name, text).path == HELP


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("/paper", "search sinkhorn", Line("paper search", {"query": "sinkhorn"})),
        ("/paper", " Search  R&amp;D ", Line("paper search", {"query": "R&D"})),
        ("/paper", "search “a phrase” -x", Line("paper search", {"query": "“a phrase” -x"})),
        (
            "/paper",
            "nominate <https://x.example/1|one> «it’s short»",
            Line("paper nominate", {"paper": "https://x.example/1", "reason": "it’s short"}),
        ),
        ("/club", "post now", Line("club post now", {})),
        ("/club", "block <@U1|Member 1>", Line("club block", {"member": "<@U1|Member 1>"})),
        ("/club", "setup channel:<#C1|papers> zone:UTC", Line("club setup", {"channel": "C1", "zone": "UTC"})),
        ("/club", "club settings", Line("club settings", {})),
        ("/paper", "club settings", Line("club settings", {})),
        ("/rg-paper", "today", Line("paper today", {}, "/rg-")),
        ("/rg-club", "club settings", Line("club settings", {}, "/rg-")),
        ("/pc", "search x", Line("paper search", {"query": "x"}, "/pc ")),
        ("/pc", "settings", Line("club settings", {}, "/pc ")),
        ("/pc", "club undo", Line("club undo", {}, "/pc ")),
        ("", "today", Line("paper today", {})),
        ("", "/paper vote", Line("paper vote", {})),
        ("", "undo", Line("club undo", {})),
    ],
)  # fmt: skip
def test_a_line_is_a_path_with_its_arguments(name: str, text: str, line: Line) -> None:
    read = read_line(name, text)
    assert replace(read, top="") == line
    assert read.top == next((top for top in GROUPS if name.endswith(top)), "")


@pytest.mark.parametrize(
    ("name", "text", "typed"),
    [("/paper", "serach x", "paper serach x"), ("/club", "post", "club post"), ("/pc", "zzz", "paper zzz")],
)
def test_a_wrong_word_is_passed_on_as_it_was_typed(name: str, text: str, typed: str) -> None:
    line = read_line(name, text)
    assert line.path == typed and find_command(line.path) is None


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.path)
def test_every_command_can_be_typed(command: Command) -> None:
    top, rest = command.path.split(" ", 1)
    assert read_line(f"/{top}", f"{rest} {command.example}").path == command.path


@given(st.text(max_size=60), st.sampled_from(["/paper", "/club", "/x", "", "/"]))
def test_any_line_is_read(text: str, name: str) -> None:
    line = read_line(name, text)
    assert line.path and line.prefix.startswith("/")


@pytest.mark.parametrize(
    ("text", "whom", "said"),
    [
        ("<@U1> search x", "U1", "search x"),
        ("<@U1|paperclub>\u00a0search x", "U1", "search x"),
        ("\n<@W1>，help", "W1", "help"),
        ("<@U1>:\n&lt;3", "U1", "&lt;3"),
        ("<@U1>", "U1", ""),
        ("<@U1> <@U2> x", "U1", "<@U2> x"),
        ("ask <@U1> x", "", "ask <@U1> x"),
        ("&gt; <@U1> x", "", "&gt; <@U1> x"),
        ("<#C1> x", "", "<#C1> x"),
        ("", "", ""),
    ],
)  # fmt: skip
def test_who_is_spoken_to_stands_first(text: str, whom: str, said: str) -> None:
    assert to_whom(text) == (whom, said)


LINK = "https://x.example/1"


def rich(*elements: Any) -> dict[str, Any]:
    return {
        "blocks": [
            {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}
        ]
    }


@pytest.mark.parametrize(
    "message",
    [
        {"text": f"read <{LINK}>"},
        {"text": f"read <{LINK}|this>"},
        {"text": f"read {LINK}."},
        rich({"type": "text", "text": "read "}, {"type": "link", "url": LINK, "text": "this"}),
        {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": f"<{LINK}|one>"}}]},
        {"blocks": [{"type": "section", "fields": [{"type": "mrkdwn", "text": f"<{LINK}>"}]}]},
        {"text": "", "attachments": [{"title_link": LINK}, {"from_url": "https://x.example/2"}]},
    ],
)
def test_a_link_is_found_wherever_it_stands(message: dict[str, Any]) -> None:
    assert links_of(message)[0] == LINK


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"text": None, "blocks": None, "attachments": None},
        {"text": "<mailto:a@x.example|a> <#C1|papers> <@U1> javascript:alert(1)"},
        rich({"type": "link", "url": "mailto:a@x.example"}),
        {"blocks": ["x", {"type": "rich_text", "elements": "x"}], "attachments": ["x", {}]},
    ],
)
def test_without_a_link_there_is_none(message: dict[str, Any]) -> None:
    assert links_of(message) == []


def test_signs_in_links_are_decoded() -> None:
    assert links_of({"text": "<https://x.example/?a=1&amp;b=2|one>"}) == ["https://x.example/?a=1&b=2"]


# ---- what commands are called ----


def names(*typed: tuple[str, str]) -> tuple[str, str]:
    """What stands before each of them once these were typed, one after the other."""
    found = PLAIN
    for top, prefix in typed:
        found = found.typed(top, prefix)
    return found.before("paper help"), found.before("club link")


def test_commands_are_called_as_they_were_typed_last() -> None:
    assert set(GROUPS) == {field.name for field in fields(Prefixes)}
    assert names() == ("/", "/")
    assert names(("paper", "/rg-")) == names(("club", "/rg-")) == ("/rg-", "/rg-")
    assert names(("", "/rg ")) == ("/rg ", "/rg ")
    one_renamed = ("club", "/book"), ("paper", "/")
    assert names(*one_renamed) == names(*one_renamed, *one_renamed) == ("/", "/book")
    assert names(("paper", "/"), ("club", "/"), ("paper", "/"), ("paper", "/rg-")) == ("/rg-", "/rg-")
    assert names(("paper", "/"), ("club", "/"), ("club", "/book"), ("paper", "/")) == ("/", "/book")
