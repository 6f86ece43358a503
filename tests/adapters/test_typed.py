"""A typed line: quotes of all kinds hold words together, names are found where they are no part of a text."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.typed import LONGEST_LINE, Typed, Unknown, parse_line
from bot.commands import nearest_commands


@pytest.mark.parametrize(
    "quoted",
    [
        *('"a b"', "“a b”", "„a b“", "„a b”", "”a b”", '“a b"', "＂a b＂", "'a b'", "‘a b’", "‚a b‘"),
        *("«a b»", "»a b«", "‹a b›", "›a b‹", "「a b」", "『a b』", "《a b》"),
    ],
)
def test_quotes_of_all_kinds_hold_words_together_and_fall_away(quoted: str) -> None:
    assert args(f"/paper nominate {quoted} why") == {"paper": "a b", "reason": "why"}
    assert args(f"/paper nominate p57 {quoted}") == {"paper": "p57", "reason": "a b"}
    assert args(f"/club setup name:{quoted} time:10:00") == {"name": "a b", "time": "10:00"}


@pytest.mark.parametrize("quoted", ['"a phrase"', "“a phrase” x", "「词」 y"])
def test_quotes_that_mean_something_stay(quoted: str) -> None:
    assert args(f"/paper search {quoted}") == {"query": quoted}
    assert args(f"/paper search query:{quoted}") == {"query": quoted}


@pytest.mark.parametrize(
    "reason",
    ["don't you 'love' it", "the authors’ code", '"one" and "two"', 'it is 5" wide', "“open", "'tis so"],
)
def test_what_only_looks_like_a_quote_is_left_alone(reason: str) -> None:
    assert args(f"/paper nominate p57 {reason}") == {"paper": "p57", "reason": reason}


def test_a_name_inside_quotes_names_nothing() -> None:
    found = args('/club setup name:"Readers zone:here" zone:Europe/Berlin')
    assert found == {"name": "Readers zone:here", "zone": "Europe/Berlin"}
    assert args('/paper nominate p57 "for reason:x"') == {"paper": "p57", "reason": "for reason:x"}


def test_a_wide_colon_names_an_argument_too() -> None:
    found = args("/club setup name：“我的 小组” zone：Asia/Shanghai time：10:30")
    assert found == {"name": "我的 小组", "zone": "Asia/Shanghai", "time": "10:30"}


def test_empty_quotes_are_nothing() -> None:
    assert args('/paper nominate p57 ""') == {"paper": "p57"}


@given(st.text(alphabet="ab \"＂'“”„‘’‚«»‹›「」《》:\n\tpaper", max_size=40))
def test_any_arguments_are_read(text: str) -> None:
    for path in ("paper nominate", "paper search", "club setup", "club close vote"):
        found = parse_line(f"/{path} {text}")
        assert isinstance(found, Typed | Unknown)
        if isinstance(found, Typed):
            assert all(value.strip() == value and value for value in found.args.values())


def args(line: str) -> dict[str, str]:
    typed = parse_line(line)
    assert isinstance(typed, Typed)
    return typed.args


def test_a_word_of_any_length_is_compared_by_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    class Counted(SequenceMatcher[str]):
        def __init__(self, junk: None, ours: str, theirs: str) -> None:
            compared.append(len(ours))
            super().__init__(junk, ours, theirs)

    monkeypatch.setattr("bot.commands.SequenceMatcher", Counted)
    assert nearest_commands(["ab" * 500_000, "x" * 1_000_000, "y" * 1_000_000]) == ()
    assert isinstance(parse_line("/" + "ab" * 500_000), Unknown)
    assert compared and max(compared) <= 3 * 40 + 2
    assert [each.path for each in nearest_commands(["serach"])][:1] == ["paper search"]


@pytest.mark.parametrize("sign", ["'a ", "‚a ", "« ", "《 ", '"', " 'x", "name:'a "])
def test_a_line_without_end_is_read_to_where_every_command_finds_it_too_long(sign: str) -> None:
    found = args("/club close vote " + sign * 300_000)
    assert 300 < len(found["reason"]) <= LONGEST_LINE
    assert len(args("/paper nominate p57 " + sign * 300_000)["reason"]) <= LONGEST_LINE
