"""Every mistake gets one helpful sentence, what was kept, and a way on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bot.commands import find_action, find_command
from bot.errors import (
    BadInput,
    Conflict,
    Damaged,
    LimitReached,
    NotAllowed,
    NotFound,
    NotOurs,
    ReadOnly,
    StoreError,
    TooNew,
    UserError,
)
from bot.messages.model import Button
from bot.messages.pages.fault_sentences import SENTENCES
from bot.messages.pages.faults import failed_page, fault_line, fault_page, field_fault, store_line
from bot.messages.words import words_for
from tests.messages.samples import EN, ZH, all_parts, titled, told

BOT = Path(__file__).parents[2] / "bot"
ERRORS = {"UserError", "NotFound", "NotAllowed", "BadInput", "LimitReached", "Conflict"}
FRIDAY = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
FILLED_BY_PAGE = {"link", "last", "example"}


def raised() -> Iterator[tuple[str, set[str], str]]:
    """Every key raised in the core with the names of its values and its place; `**values` counts as all."""
    for source in sorted(BOT.rglob("*.py")):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if not (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS
            ):
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                names = {keyword.arg or "*" for keyword in node.keywords}
                yield node.args[0].value, names, f"{source.relative_to(BOT)}:{node.lineno}"


def test_every_key_that_is_raised_has_its_sentence() -> None:
    assert not {key: place for key, _, place in raised() if key not in SENTENCES}


def test_every_sentence_gets_the_values_it_names() -> None:
    lacking = {}
    for key, names, place in raised():
        needed = set(re.findall(r"\{(\w+)\}", SENTENCES.get(key, ""))) - FILLED_BY_PAGE
        variants = [name for name in SENTENCES if name.startswith(f"{key}.")]
        if needed - names and "*" not in names and not variants:
            lacking[place] = (key, needed - names)
    assert not lacking


EXAMPLES: list[tuple[UserError, list[str], list[str]]] = [
    (
        NotFound("error.no_paper", id="p571", first=1, last=79, near=57),
        ["There is no paper p571.", "Ids run from p1 to p79.", "<Show p57> <Browse topics>"],
        ["more:p57", "topics"],
    ),
    (
        NotFound("error.no_paper", id=571, first=1, last=79, near=57),
        ["There is no paper p571.", "Ids run from p1 to p79.", "<Show p57> <Browse topics>"],
        ["more:p57", "topics"],
    ),
    (
        NotFound("error.no_paper", id=12, first=239, last=317, near=None),
        ["There is no paper p12.", "Ids run from p239 to p317.", "<Browse topics>"],
        ["topics"],
    ),
    (
        Conflict("setup.missing", private=True),
        [
            "You are in no club yet.",
            "Write in a channel of a server or workspace; whoever manages it can begin there with /club setup.",
            "<Browse topics> <Help>",
        ],
        ["topics", "help"],
    ),
    (
        NotFound("error.no_paper", id="sinkhorn", last=79),
        ["There is no paper sinkhorn.", "Ids run from p1 to p79.", "<Search “sinkhorn”> <Browse topics>"],
        ["find:sinkhorn", "topics"],
    ),
    (
        NotFound("error.no_paper", id="p3", last=0),
        ["There is no paper p3.", "Searching finds papers by their words and authors.", "<Browse topics>"],
        ["topics"],
    ),
    (
        NotFound("error.no_topic", topic="Theroy", topics=["Theory", "Social Choice"]),
        ["There is no topic “Theroy”.", "Nearest: Theory and Social Choice.", "<Browse topics>"],
        ["topics"],
    ),
    (
        NotFound("error.no_topic", topic="x", topics=[]),
        ["There is no topic “x”.", "All topics can be browsed.", "<Browse topics>"],
        ["topics"],
    ),
    (
        BadInput("search.nothing", "query", query="???"),
        ["There is no word to look for in “???”.", "Write a word, an author or a topic.", "<Browse topics>"],
        ["topics"],
    ),
    (
        BadInput("search.too_long", n=300),
        ["This search is longer than 300 characters.", "A few words are enough.", "<Browse topics>"],
        ["topics"],
    ),
    (
        NotAllowed("error.rights", names=("Member 1", "Member 2")),
        ["Only organisers can do this.", "Ask Member 1 and Member 2.", "<Help>"],
        ["help"],
    ),
    (
        NotAllowed("error.rights", names=()),
        ["Only organisers can do this.", "Ask whoever manages this server or workspace.", "<Help>"],
        ["help"],
    ),
    (
        Conflict("error.old_button", date=FRIDAY, round_id=13),
        [
            "This button belongs to the vote of Friday 4 December, which has closed.",
            "The present one is here: /paper vote",
            "<Vote / change my vote>",
        ],
        ["vote:13"],
    ),
    (
        Conflict("ballot.late", when=FRIDAY, time=FRIDAY.replace(second=4), papers=(titled(),), round_id=12),
        [
            "This vote closed on Fri 4 Dec, 17:00.",
            "Your press came at 17:00:04 and was not counted. "
            "Your last ballot before closing stands: Ada Mund et al.",
            "<See the result>",
        ],
        ["result:12"],
    ),
    (
        LimitReached("nominate.limit", n=3),
        ["You have used your 3 nominations.", "Withdraw one to nominate another.", "<See the list>"],
        ["nominations"],
    ),
    (
        LimitReached("nominate.full", n=25),
        [
            "The list is full: 25 papers are nominated, which is all a ballot can hold.",
            "There is room again after the next vote or when one is withdrawn.",
            "<See the list>",
        ],
        ["nominations"],
    ),
    (
        Conflict("nominate.own", paper=titled(), nomination=7),
        [
            "You have nominated On the sorting of ballots already.",
            "It stays on the list.",
            "<See the list> <Withdraw>",
        ],
        ["nominations", "withdraw:7"],
    ),
    (
        BadInput("error.missing", field="query", command=find_command("paper search")),
        ["Something is missing after /paper search.", "For example: /paper search sinkhorn", "<Help>"],
        ["help"],
    ),
    (
        BadInput("pause.past", field="until", day=date(2026, 12, 1)),
        [
            "Tuesday 1 December is over.",
            "Give a later day, or none to pause until /club resume.",
            "<Help>",
        ],
        ["help"],
    ),
    (
        NotAllowed("ballot.not_eligible", opened=FRIDAY),
        ["You joined after this vote opened.", "Your first vote is the next one.", "<Help>"],
        ["help"],
    ),
    (
        Conflict("vote.none", when=FRIDAY),
        ["No vote is open.", "The next one opens Fri 4 Dec, 17:00.", "<See the list>"],
        ["nominations"],
    ),
]


@pytest.mark.parametrize(
    ("error", "lines", "ids"), EXAMPLES, ids=[f"{e.key}-{n}" for n, (e, _, _) in enumerate(EXAMPLES)]
)
def test_a_mistake_is_answered_with_a_way_on(error: UserError, lines: list[str], ids: list[str]) -> None:
    page = fault_page(EN, error)
    assert told(page) == lines
    assert [button.id for button in all_parts(page, Button)] == ids


VALUES = {
    "when": FRIDAY,
    "time": FRIDAY,
    "date": FRIDAY,
    "papers": (),
    "paper": titled(),
    "names": ("A",),
    "n": 3,
}
"""Values of other kinds than text, by the name sentences use."""


def error_for(key: str) -> UserError:
    places = re.findall(r"\{(\w+)\}", SENTENCES[key])
    return UserError(key, **{name: VALUES.get(name, "something") for name in places})


@pytest.mark.parametrize("key", sorted(SENTENCES))
def test_every_sentence_can_be_said_in_both_languages(key: str) -> None:
    for reader in (EN, ZH):
        page = fault_page(reader, error_for(key))
        assert len(told(page)) >= 2 and "{" not in "".join(told(page))
        assert len(page.summary) <= 100
        buttons = list(all_parts(page, Button))
        assert 1 <= len(buttons) <= 2
        assert all(find_action(button.id) and len(button.label) <= 40 for button in buttons)
        assert fault_line(reader, error_for(key))


def test_an_unknown_key_is_our_own_fault_and_has_a_number() -> None:
    lines = told(fault_page(EN, UserError("never.heard", of="it")))
    assert lines[0] == "Something went wrong on our side."
    assert re.search(r"tell an organiser this number: E-[0-9A-F]{4}$", lines[1])
    assert told(fault_page(EN, UserError("never.heard"))) == lines
    assert told(failed_page(ZH, "E-4F7K"))[1] == "如果还是不行，请把编号 E-4F7K 告诉组织者。"


def test_what_people_wrote_is_said_back_short_and_on_one_line() -> None:
    line = told(fault_page(EN, NotFound("error.no_topic", topic="a\n" * 500 + "@everyone", topics=["T"])))[0]
    assert "\n" not in line and len(line) < 120


def test_a_field_gets_the_whole_story_in_one_line() -> None:
    error = BadInput("error.zone", field="zone", zone="PST", examples=("Europe/Berlin", "Asia/Shanghai"))
    assert (
        fault_line(EN, error)
        == "“PST” is not a time zone I know. Write it like Europe/Berlin, Asia/Shanghai."
    )
    assert fault_line(ZH, error).endswith("Europe/Berlin、Asia/Shanghai 这样。")
    assert field_fault(EN, "said already") == "said already"
    assert "never.heard" in fault_line(EN, UserError("never.heard"))


@pytest.mark.parametrize("kind", [NotOurs, TooNew, ReadOnly, Damaged, StoreError])
def test_a_store_that_cannot_be_used_says_what_to_do(kind: type[StoreError]) -> None:
    for language in ("en", "zh"):
        line = store_line(words_for(language), kind("/data/x.db", "locked"))
        assert line.startswith("/data/x.db")
