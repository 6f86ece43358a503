"""Typed lines become commands; what is not one leads to what is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.preview.commands import Typed, Unknown, parse_line, suggest
from bot.commands import COMMANDS, Command, Param
from bot.messages.model import Suggestion


@pytest.mark.parametrize(
    ("line", "path", "args"),
    [
        ("/paper today", "paper today", {}),
        ("/ Paper  TODAY ", "paper today", {}),
        ("/paper search topic:privacy  -x", "paper search", {"query": "topic:privacy  -x"}),
        ("/paper search query:sinkhorn", "paper search", {"query": "sinkhorn"}),
        ("/paper nominate p57", "paper nominate", {"paper": "p57"}),
        (
            "/paper nominate p57  We should read it",
            "paper nominate",
            {"paper": "p57", "reason": "We should read it"},
        ),
        (
            "/paper nominate reason:I like it paper:p5",
            "paper nominate",
            {"reason": "I like it", "paper": "p5"},
        ),
        ("/paper random Deep Learning · Theory", "paper random", {"topic": "Deep Learning · Theory"}),
        ("/club post now", "club post now", {}),
        ("/club close vote Everybody has voted", "club close vote", {"reason": "Everybody has voted"}),
        ("/club setup Europe/Berlin 09:00", "club setup", {"zone": "Europe/Berlin", "time": "09:00"}),
        ("/club setup language:zh name:A club", "club setup", {"language": "zh", "name": "A club"}),
        ("/club organisers add Member 2", "club organisers", {"change": "add", "member": "Member 2"}),
    ],
)
def test_a_line_is_a_command_with_its_arguments(line: str, path: str, args: dict[str, str]) -> None:
    typed = parse_line(line)
    assert isinstance(typed, Typed)
    assert (typed.command.path, typed.args) == (path, args)


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("/paper serach x", "paper search"),
        ("/search", "paper search"),
        ("/papers search sinkhorn", "paper search"),
        ("/paper nomination", "paper nominations"),
        ("/vote", "paper vote"),
        ("/club setings", "club settings"),
        ("/help", "paper help"),
    ],
)
def test_an_unknown_command_leads_to_the_nearest(line: str, nearest: str) -> None:
    unknown = parse_line(line)
    assert isinstance(unknown, Unknown) and unknown.nearest[0].path == nearest


def test_nonsense_is_near_to_nothing() -> None:
    assert parse_line("/") == Unknown("/", ())
    assert parse_line("/zzzzqqqq") == Unknown("/zzzzqqqq", ())


@given(st.text(max_size=60))
def test_any_line_is_read(text: str) -> None:
    assert isinstance(parse_line("/" + text), Typed | Unknown)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.path)
def test_every_example_fits_as_it_stands(command: Command) -> None:
    typed = parse_line(f"/{command.path} {command.example}")
    assert isinstance(typed, Typed) and typed.command is command
    assert all(param.name in typed.args for param in command.params if param.required)


async def suggestions(text: str, organiser: bool = True) -> list[str]:
    asked: list[str] = []

    async def ask(command: Command, param: Param, value: str) -> list[Suggestion]:
        asked.append(f"{param.name}={value}")
        return [Suggestion("p57", "A headline", "open")]

    found = await suggest(
        text, lambda command: command.about, lambda c: organiser or c.who != "organiser", ask
    )
    return asked + [choice.line for choice in found]


async def test_commands_are_suggested_as_they_are_typed() -> None:
    assert (await suggestions("/"))[0] == "/paper today"
    assert await suggestions("/paper sea") == ["/paper search "]
    assert "/paper vote" in await suggestions("/vote")
    assert await suggestions("hello") == []


async def test_members_are_not_led_to_what_they_may_not_do() -> None:
    assert "/club settings" in await suggestions("/club set")
    assert await suggestions("/club sett", organiser=False) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/paper show ", ["id=", "/paper show p57"]),
        ("/paper show p5", ["id=p5", "/paper show p57"]),
        ("/paper show p57", ["id=p57", "/paper show p57"]),
        ("/paper nominate p5", ["paper=p5", "/paper nominate p57"]),
        ("/paper nominate p5 I l", ["reason=I l", "/paper nominate p5 p57"]),
        ("/paper nominate reason:x paper:p", ["paper=p", "/paper nominate reason:x paper:p57"]),
        ("/paper search topic:pri", ["query=topic:pri", "/paper search p57"]),
        ("/paper today ", []),
    ],
)
async def test_values_are_suggested_for_the_argument_being_typed(text: str, expected: list[str]) -> None:
    assert await suggestions(text) == expected
