"""Forms as Slack's modals: always accepted, filled in, and read back by field."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.slack.forms import errors_of, values_of, view
from adapters.slack.marks import Prefixes
from bot.messages.cut import length
from bot.messages.model import (
    ChannelField,
    ChoiceField,
    Field,
    Form,
    Option,
    RoleField,
    TextField,
    When,
)
from bot.messages.pages.ballots import ballot_form
from bot.rounds.model import Ballot
from tests.adapters.test_discord_forms import WORDS, a_field, options
from tests.adapters.test_slack_render import check_rich
from tests.lab.chatlab.fakeslack.blockkit import check_view, mrkdwn_texts
from tests.messages.samples import EN, ORGANISER, ZH, a_round, four, titled
from tests.messages.test_limits import KINDS, pages

CLOSES = int(datetime(2026, 12, 4, 16, tzinfo=UTC).timestamp())


def drawn(form: Form) -> dict[str, Any]:
    """The view, after the strict server's own check and what it leaves out."""
    sent = view(form, metadata="12")
    check_view(sent)
    check_rich(sent["blocks"])
    assert 1 <= len(sent["blocks"]) <= 100 and not list(mrkdwn_texts(sent["blocks"]))
    for block in inputs(sent):
        element = block["element"]
        first = element.get("initial_option")
        for chosen in (*element.get("initial_options", ()), *([first] if first else [])):
            assert chosen in element["options"]
        if "initial_value" in element:
            assert length(element["initial_value"]) <= element["max_length"]
    return sent


def inputs(sent: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in sent["blocks"] if block["type"] == "input"]


def fields(*each: Field) -> list[dict[str, Any]]:
    return inputs(drawn(Form("propose", "Nominate", "Send", each)))


def submitted(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """What Slack sends back when nothing was touched."""
    values: dict[str, Any] = {}
    for block in blocks:
        element = block["element"]
        kind = element["type"]
        back: dict[str, Any] = {"type": kind}
        if kind == "plain_text_input":
            back["value"] = element.get("initial_value")
        elif kind == "conversations_select":
            back["selected_conversation"] = element.get("initial_conversation")
        elif kind in ("checkboxes", "multi_static_select"):
            back["selected_options"] = element.get("initial_options", [])
        else:
            back["selected_option"] = element.get("initial_option")
        values[block["block_id"]] = {element["action_id"]: back}
    return {"type": "modal", "state": {"values": values}}


def test_a_ballot_is_drawn_as_it_was_agreed() -> None:
    sent = drawn(ballot_form(EN, a_round(four()), Ballot((2,))))
    assert sent["callback_id"] == "ballot:12" and sent["private_metadata"] == "12"
    assert [sent[key]["text"] for key in ("title", "submit", "close")] == [
        "Your ballot", "Count my ballot", "Cancel",
    ]  # fmt: skip
    boxes, small = sent["blocks"]
    assert boxes["optional"] and boxes["label"]["text"] == "Which of these would you read?"
    assert boxes["hint"]["text"].startswith("Tick as many")
    element = boxes["element"]
    assert element["type"] == "checkboxes" and boxes["block_id"] == element["action_id"] == "papers"
    assert element["options"][0] == {
        "text": {
            "type": "plain_text",
            "text": "1 Tessel: a method that sorts ballots by colour and size",
            "emoji": False,
        },
        "description": {"type": "plain_text", "text": "Social Choice · Ballots", "emoji": False},
        "value": "p44",
    }
    assert element["initial_options"] == [element["options"][1]]
    assert small["type"] == "rich_text" and f"'timestamp': {CLOSES}" in str(small)


def test_nothing_is_ticked_on_a_first_ballot() -> None:
    (boxes,) = inputs(drawn(ballot_form(EN, a_round(four()), Ballot(None))))
    assert "initial_options" not in boxes["element"]
    assert values_of(submitted([boxes])) == {"papers": []}


def test_a_ballot_of_twenty_five_is_three_groups_and_one_list() -> None:
    papers = [titled(n, f"{'The same beginning of a title, ' * 5}{n}") for n in range(1, 26)]
    groups = inputs(drawn(ballot_form(EN, a_round(papers), Ballot((1, 11, 25)))))
    assert [len(block["element"]["options"]) for block in groups] == [10, 10, 5]
    assert [block["block_id"] for block in groups] == ["papers", "papers~2", "papers~3"]
    assert [block["label"]["text"][-6:] for block in groups] == [" (1/3)", " (2/3)", " (3/3)"]
    assert [("hint" in block) for block in groups] == [True, False, False]
    assert values_of(submitted(groups)) == {"papers": ["p1", "p11", "p25"]}


def test_more_than_thirty_are_one_menu_of_several() -> None:
    (block,) = fields(ChoiceField("topics", "Topics", options(50, (3, 50)), several=True))
    assert block["element"]["type"] == "multi_static_select" and not block["optional"]
    assert values_of(submitted([block])) == {"topics": ["p3", "p50"]}


def test_of_several_groups_none_has_to_be_filled() -> None:
    groups = fields(ChoiceField("topics", "Topics", options(11), several=True, required=True))
    assert [block["optional"] for block in groups] == [True, True]


@pytest.mark.parametrize(
    ("count", "kind"), [(1, "radio_buttons"), (10, "radio_buttons"), (11, "static_select")]
)
def test_one_of_a_few_is_a_radio_group_and_of_many_a_menu(count: int, kind: str) -> None:
    (block,) = fields(ChoiceField("day", "Day", options(count, (1,))))
    assert block["element"]["type"] == kind
    assert values_of(submitted([block])) == {"day": "p1"}
    (none,) = fields(ChoiceField("day", "Day", options(count), required=False))
    assert none["optional"] and values_of(submitted([none])) == {"day": ""}


def test_a_choice_without_options_is_left_out_and_has_no_fault() -> None:
    none = ChoiceField("day", "Day", (), fault="No.")
    assert [block["block_id"] for block in fields(none, TextField("a", "A"))] == ["a"]
    form = Form("x", "Nominate", "Send", (none,))
    sent = drawn(form)
    assert "submit" not in sent and sent["blocks"][0]["type"] == "rich_text" and errors_of(form) == {}


def test_a_title_that_is_too_long_ends_where_its_explanation_begins() -> None:
    form = Form("x", "Your ballot: which would you read?", "Send it on its way to the others", ())
    assert drawn(form)["title"]["text"] == "Your ballot"
    assert drawn(replace(form, title="Vote: now"))["title"]["text"] == "Vote: now"
    long = drawn(replace(form, title="A title that is longer than a line", fields=(TextField("a", "A"),)))
    assert (
        long["title"]["text"].endswith("…") and long["submit"]["text"].endswith("…") and "close" not in long
    )


def test_texts_keep_what_was_typed() -> None:
    short, long = fields(
        TextField("title", "Title", "a *b*\nc", max_length=20),
        TextField("reason", "Reason", "a\nb", long=True, required=False, max_length=9_000),
    )
    assert short["element"] == {
        "type": "plain_text_input", "multiline": False, "max_length": 20, "initial_value": "a *b* c",
        "action_id": "title",
    }  # fmt: skip
    assert long["element"]["max_length"] == 3_000 and long["element"]["multiline"] and long["optional"]
    assert values_of(submitted([short, long])) == {"title": "a *b* c", "reason": "a\nb"}


def test_a_fault_stands_before_the_hint_and_beside_its_field() -> None:
    form = Form(
        "settings:club",
        "Club",
        "Save",
        (
            TextField("time", "Time", hint="24-hour clock", fault="There is no\nsuch time."),
            TextField("zone", "Zone", hint="Such as Europe/Berlin"),
        ),
    )
    time, zone = inputs(drawn(form))
    assert time["hint"]["text"] == "▲ There is no such time. 24-hour clock"
    assert zone["hint"]["text"] == "Such as Europe/Berlin"
    assert errors_of(form) == {"time": "There is no such time."}


def test_a_form_names_commands_as_they_are_typed_in_the_workspace() -> None:
    said = "Write /paper link first"
    form = Form(
        "settings:vote",
        "Vote",
        "Save",
        (
            TextField("time", said, hint=said, fault=said),
            ChoiceField("linked", said, (Option("yes", said, note=said), Option("no", "No")), required=False,
                        none=said),
            ChoiceField("who", said, (Option("all", said),), several=True),
        ),
        intro=(said,),
        small=(said,),
    )  # fmt: skip
    there = str(view(form, prefix=Prefixes("/rg-"))["blocks"])
    assert "/rg-paper link" in there and "/paper link" not in there
    assert errors_of(form, Prefixes("/rg-")) == {"time": said.replace("/paper", "/rg-paper")}
    assert str(view(form)["blocks"]) == there.replace("/rg-paper", "/paper")


def test_channels_are_picked_and_a_group_is_typed() -> None:
    channel, group, none = fields(
        ChannelField("channel", "Channel", "C0PAPERS"),
        RoleField("role", "Group", "S0CLUB"),
        ChannelField("other", "Other", "123", required=False),
    )
    assert channel["element"]["type"] == "conversations_select" and not channel["optional"]
    assert channel["element"]["filter"]["include"] == ["public", "private"]
    assert group["element"]["type"] == "plain_text_input" and group["optional"]
    assert "initial_conversation" not in none["element"]
    assert values_of(submitted([channel, group, none])) == {
        "channel": "C0PAPERS", "role": "S0CLUB", "other": "",
    }  # fmt: skip


def test_words_around_the_fields_tell_instants_in_each_readers_zone() -> None:
    at = datetime(2026, 12, 4, 16, tzinfo=UTC)
    sent = drawn(Form("x", "T", "S", (TextField("a", "A"),), intro=("Until ", When(at)), small=("*small*",)))
    assert [block["type"] for block in sent["blocks"]] == ["rich_text", "input", "rich_text"]
    assert sent["blocks"][0]["elements"][0]["elements"][1]["timestamp"] == CLOSES


def test_a_ballot_says_its_closing_in_the_clubs_time_where_slack_cannot_word_it() -> None:
    sent = drawn(ballot_form(replace(EN, zone="Asia/Shanghai"), a_round(four()), Ballot(None)))
    (told,) = [each for each in sent["blocks"][-1]["elements"][0]["elements"] if each["type"] == "date"]
    assert told["timestamp"] == CLOSES and told["fallback"] == "Sat 5 Dec 2026, 00:00"


@pytest.mark.parametrize(
    "state",
    [
        None,
        {},
        {"values": None},
        {"values": {"a": None, "": {"x": {"type": "plain_text_input", "value": "y"}}}},
        {"values": []},
    ],
)
def test_a_submit_that_holds_nothing_is_no_fault(state: object) -> None:
    assert values_of({"state": state}) == {}
    assert values_of({}) == {}


def test_values_of_a_kind_that_is_not_known_are_blank() -> None:
    state = {"values": {"a": {"a": None}, "b": {"b": {"type": "checkboxes", "selected_options": [None, {}]}}}}
    assert values_of({"state": state}) == {"a": "", "b": ["", ""]}


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_is_accepted_in_both_languages(kind: str) -> None:
    forms = [
        page
        for reader in (EN, ORGANISER, ZH)
        for _, page in pages(reader, KINDS[kind])
        if isinstance(page, Form)
    ]
    assert forms
    for form in forms:
        values = values_of(submitted(inputs(drawn(form))))
        assert set(values) == {field.name for field in form.fields}


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # texts at the limits are large
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 6).flatmap(lambda n: st.tuples(*(a_field(f"f{each}") for each in range(n)))),
    WORDS,
    WORDS,
    WORDS,
)
def test_any_form_is_accepted_and_read_back(
    parts: tuple[Field, ...], title: str, intro: str, small: str
) -> None:
    form = Form("settings:club", title, "Save", parts, intro=(intro,), small=(small,))
    sent = drawn(form)
    values = values_of(submitted(inputs(sent)))
    for field in parts:
        if field.name in values:
            several = isinstance(field, ChoiceField) and field.several
            assert isinstance(values[field.name], list) == several
        else:
            assert isinstance(field, ChoiceField)
    names = {block["block_id"] for block in inputs(sent)}
    for name, sentence in errors_of(form).items():
        assert name in names and sentence.strip()
