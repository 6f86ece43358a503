"""Forms as Discord's modals: always accepted, filled in, and read back by field."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.discord.forms import modal, values_of
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
from tests.lab.chatlab.fakediscord.validate import check_modal
from tests.messages.samples import EN, a_round, four, titled

CLOSES = int(datetime(2026, 12, 4, 16, tzinfo=UTC).timestamp())
EVIL = "@everyone <@1> **b** `c` " * 3


def drawn(form: Form) -> dict[str, Any]:
    sent = modal(form)
    check_modal(sent)
    assert length(sent["title"]) <= 45
    for part in sent["components"]:
        assert length(part.get("label", "")) <= 45 and length(part.get("description", "")) <= 100
    return sent


def fields(*each: Field) -> list[dict[str, Any]]:
    return list(drawn(Form("propose", "Nominate", "Send", each))["components"])


def options(count: int, chosen: tuple[int, ...] = ()) -> tuple[Option, ...]:
    return tuple(Option(f"p{n}", f"Paper {n}", chosen=n in chosen, number=n) for n in range(1, count + 1))


def submitted(sent: dict[str, Any]) -> dict[str, Any]:
    """What Discord sends back when nothing was touched: ids, kinds and values alone."""
    parts: list[dict[str, Any]] = []
    for part in sent["components"]:
        if part["type"] == 10:
            parts.append({"type": 10, "id": 9})
            continue
        field = part["component"]
        back = {"type": field["type"], "custom_id": field["custom_id"]}
        chosen = [each["value"] for each in field.get("options", ()) if each.get("default")]
        if field["type"] == 4:
            back["value"] = field.get("value", "")
        elif field["type"] == 21:
            back["value"] = chosen[0] if chosen else None
        elif field["type"] in (6, 8):
            back["values"] = [each["id"] for each in field.get("default_values", ())]
        else:
            back["values"] = chosen
        parts.append({"type": 18, "id": 1, "component": back})
    return {"custom_id": sent["custom_id"], "components": parts}


def test_a_ballot_is_drawn_as_it_was_agreed() -> None:
    sent = drawn(ballot_form(EN, a_round(four()), Ballot((2,))))
    label, small = sent["components"]
    assert sent["custom_id"] == "ballot:12" and sent["title"] == "Your ballot: which would you read?"
    assert label["type"] == 18 and label["label"] == "Which of these would you read?"
    assert label["description"].startswith("Tick as many")
    group = label["component"]
    assert {key: group[key] for key in ("type", "custom_id", "required", "min_values", "max_values")} == {
        "type": 22, "custom_id": "papers", "required": False, "min_values": 0, "max_values": 4,
    }  # fmt: skip
    assert group["options"][:2] == [
        {
            "value": "p44",
            "label": "1 · Tessel: a method that sorts ballots by colour and size",
            "description": "Social Choice · Ballots",
        },
        {
            "value": "p57",
            "label": "2 · On the sorting of ballots",
            "description": "Social Choice · Ballots",
            "default": True,
        },
    ]
    assert small["type"] == 10 and f"<t:{CLOSES}:F>" in small["content"]


def test_a_ballot_of_twenty_five_is_three_groups_and_one_list() -> None:
    papers = [titled(n, f"{'The same beginning of a title, ' * 5}{n}") for n in range(1, 26)]
    sent = drawn(ballot_form(EN, a_round(papers), Ballot((1, 11, 25))))
    groups = sent["components"][:3]
    assert [len(part["component"]["options"]) for part in groups] == [10, 10, 5]
    assert [part["component"]["custom_id"] for part in groups] == ["papers", "papers~2", "papers~3"]
    assert [part["label"][-6:] for part in groups] == [" (1/3)", " (2/3)", " (3/3)"]
    assert [("description" in part) for part in groups] == [True, False, False]
    assert sent["components"][3]["type"] == 10
    assert values_of(submitted(sent)) == {"papers": ["p1", "p11", "p25"]}


def test_a_ballot_with_one_paper_and_a_blank_one_are_lists() -> None:
    sent = drawn(ballot_form(EN, a_round(four()[:1]), Ballot(())))
    assert values_of(submitted(sent)) == {"papers": []}


def test_fifty_options_fill_a_form_and_hold_what_was_chosen() -> None:
    (*parts,) = fields(ChoiceField("papers", "Which", options(50, (3, 50)), several=True))
    assert [part["component"]["type"] for part in parts] == [22] * 5
    assert values_of(submitted({"custom_id": "x", "components": parts})) == {"papers": ["p3", "p50"]}


def test_a_long_choice_beside_other_fields_is_a_menu_of_several() -> None:
    texts = [TextField(f"t{n}", f"Text {n}") for n in range(4)]
    parts = fields(*texts, ChoiceField("topics", "Topics", options(25, (1, 2)), several=True, required=False))
    menu = parts[-1]["component"]
    assert len(parts) == 5 and menu["type"] == 3 and menu["max_values"] == 25 and menu["min_values"] == 0
    assert values_of(submitted({"custom_id": "x", "components": parts}))["topics"] == ["p1", "p2"]


@pytest.mark.parametrize(("count", "kind"), [(1, 3), (2, 21), (10, 21), (11, 3), (40, 3)])
def test_one_of_a_few_is_a_radio_group_and_of_many_a_menu(count: int, kind: int) -> None:
    (part,) = fields(ChoiceField("day", "Day", options(count, (1,))))
    assert part["component"]["type"] == kind
    assert values_of(submitted({"custom_id": "x", "components": [part]})) == {"day": "p1"}
    (none,) = fields(ChoiceField("day", "Day", options(count), required=False))
    assert values_of(submitted({"custom_id": "x", "components": [none]})) == {"day": ""}


def test_a_choice_without_options_is_left_out() -> None:
    parts = fields(ChoiceField("day", "Day", ()), TextField("a", "A"))
    assert [part["label"] for part in parts] == ["A"]
    assert fields(ChoiceField("day", "Day", ()))[0] == {"type": 10, "content": "Nominate"}


def test_one_at_most_is_chosen_of_one() -> None:
    (part,) = fields(ChoiceField("day", "Day", options(3, (2, 3))))
    assert [each["value"] for each in part["component"]["options"] if each.get("default")] == ["p2"]


def test_texts_keep_what_was_typed() -> None:
    short, long = fields(
        TextField("title", "Title", "a *b*\nc", max_length=20),
        TextField("reason", "Reason", "a\nb", long=True, required=False, max_length=9_000),
    )
    assert short["component"] == {
        "type": 4, "custom_id": "title", "style": 1, "required": True, "max_length": 20, "value": "a *b* c",
    }  # fmt: skip
    assert long["component"] == {
        "type": 4, "custom_id": "reason", "style": 2, "required": False, "max_length": 4_000, "value": "a\nb",
    }  # fmt: skip
    assert values_of(submitted({"custom_id": "x", "components": [short, long]})) == {
        "title": "a *b* c",
        "reason": "a\nb",
    }


def test_a_fault_stands_in_place_of_the_hint() -> None:
    field = TextField("time", "Time", hint="24-hour clock", fault="There is no such time. " * 9)
    (part,) = fields(field)
    assert part["description"].startswith("There is no such time.") and part["description"].endswith("…")
    (part,) = fields(replace(field, fault=""))
    assert part["description"] == "24-hour clock"


def test_channels_and_roles_are_picked_and_the_present_one_is_filled_in() -> None:
    channel, role, none = fields(
        ChannelField("channel", "Channel", "123"),
        RoleField("role", "Role", "42"),
        RoleField("other", "Other"),
    )
    assert channel["component"] == {
        "type": 8,
        "channel_types": [0, 5, 10, 11, 12, 15],
        "custom_id": "channel",
        "required": True,
        "min_values": 1,
        "max_values": 1,
        "default_values": [{"id": "123", "type": "channel"}],
    }
    assert role["component"]["type"] == 6
    assert role["component"]["default_values"] == [{"id": "42", "type": "role"}]
    assert not role["component"]["required"] and "default_values" not in none["component"]
    back = submitted({"custom_id": "x", "components": [channel, role, none]})
    assert values_of(back) == {"channel": "123", "role": "42", "other": ""}


def test_words_around_the_fields_stand_where_there_is_room() -> None:
    at = datetime(2026, 12, 4, 16, tzinfo=UTC)
    form = Form("x", "T", "S", (TextField("a", "A"),), intro=("Until ", When(at)), small=("*small*",))
    assert [part.get("content") for part in drawn(form)["components"]] == [
        f"Until <t:{CLOSES}:F>",
        None,
        r"\*small\*",
    ]
    four_of = replace(form, fields=tuple(TextField(f"a{n}", "A") for n in range(4)))
    assert [part["type"] for part in drawn(four_of)["components"]] == [18] * 4 + [10]
    five = replace(form, fields=tuple(TextField(f"a{n}", "A") for n in range(5)))
    assert [part["type"] for part in drawn(five)["components"]] == [18] * 5


def test_older_submits_in_rows_are_read_too() -> None:
    row = {"type": 1, "components": [{"type": 4, "custom_id": "paper", "value": "p57"}]}
    assert values_of({"components": [row]}) == {"paper": "p57"}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"components": None},
        {"components": "words"},
        {"components": [None, 3, "x", {}, {"type": 18}, {"type": 18, "component": None}]},
        {"components": [{"type": 18, "component": {"type": 4}}]},
        {"components": [{"type": 18, "component": {"type": 4, "custom_id": ""}}]},
    ],
)
def test_a_submit_that_holds_nothing_is_no_fault(data: dict[str, Any]) -> None:
    assert values_of(data) == {}


WORDS = st.one_of(st.text(max_size=60), st.sampled_from(["", " ", EVIL, "x" * 5_000, "👩‍🔬" * 100, "a\nb"]))
OPTIONS = st.lists(
    st.builds(Option, WORDS, WORDS, WORDS, st.booleans(), st.none() | st.integers(1, 50)), max_size=60
).map(tuple)


def a_field(name: str) -> st.SearchStrategy[Field]:
    named, yes = st.just(name), st.booleans()
    return st.one_of(
        st.builds(TextField, named, WORDS, WORDS, WORDS, WORDS, yes, yes, st.integers(0, 9_999)),
        st.builds(ChoiceField, named, WORDS, OPTIONS, yes, WORDS, WORDS, yes),
        st.builds(ChannelField, named, WORDS, st.sampled_from(["", "1", "c1"]), WORDS, WORDS, yes),
        st.builds(RoleField, named, WORDS, st.sampled_from(["", "1", "r1"]), WORDS, WORDS, yes),
    )


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
    sent = drawn(Form("settings:club", title, "Save", parts, intro=(intro,), small=(small,)))
    values = values_of(submitted(sent))
    for field in parts[:5]:
        if field.name in values:
            several = isinstance(field, ChoiceField) and field.several
            assert isinstance(values[field.name], list) == several
        else:
            assert isinstance(field, ChoiceField)
