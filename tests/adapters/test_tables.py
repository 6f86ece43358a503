"""Who beat whom, and a ballot's menus, on each platform: drawn, accepted, read back."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.discord import forms as discord_forms
from adapters.discord.render import payload as discord_payload
from adapters.preview.forms import render_form, values_of
from adapters.preview.lines import Look
from adapters.preview.render import render_message
from adapters.slack import forms as slack_forms
from adapters.slack.render import blocks, home_view, payload
from bot.messages.codec import decode, encode
from bot.messages.model import (
    ChoiceField,
    File,
    Form,
    Heading,
    Message,
    Option,
    Shown,
    Small,
    Strong,
    Table,
)
from bot.messages.pages.preview import chrome_for
from bot.messages.weigh import characters
from tests.lab.chatlab.fakediscord.validate import check_message, check_modal
from tests.lab.chatlab.fakeslack.blockkit import check_message_blocks, check_view

LOOK = Look(chrome_for("en"), "Europe/Berlin", datetime(2026, 12, 11, 16, tzinfo=UTC))
NAMES = ("1 First", "2 Second", "3 Third")
TABLE = Table(
    ("1", "2", "3"),
    (
        (NAMES[0], "–", "3 : 2 won", "1 : 2 lost"),
        (NAMES[1], "2 : 3 lost", "–", "2 : 2 level"),
        (NAMES[2], "2 : 1 won", "2 : 2 level", "–"),
    ),
    tuple(((Strong(name[2:]), ": 3 : 2")) for name in NAMES),
    caption="row against column",
    aside=frozenset({(0, 2), (2, 0)}),
    won=0,
)
MESSAGE = Message("How", (Heading(("How this was counted",)), TABLE, Small(("small print",))))


def largest() -> Table:
    """Ten papers with the longest labels there are."""
    names = tuple(f"{n} {'W' * 24}" for n in range(1, 11))
    cells = tuple(("1000 : 1000 level",) * 10 for _ in names)
    rows = tuple((name, *row) for name, row in zip(names, cells, strict=True))
    return Table(tuple(map(str, range(1, 11))), rows, (("short",),), "row against column")


# ---- tables ----


def test_discord_says_a_table_in_lines() -> None:
    sent = discord_payload(MESSAGE, code="abcdef")
    check_message(sent, settable_flags=1 << 15)
    said = [each["content"] for each in sent["components"][0]["components"]]
    assert said[1] == "**First**: 3 : 2\n**Second**: 3 : 2\n**Third**: 3 : 2"
    assert "row against column" not in str(said)


def test_slack_draws_the_cells_and_the_corner_says_how_to_read_them() -> None:
    drawn = payload(MESSAGE)["blocks"]
    check_message_blocks(drawn)
    (table,) = (each for each in drawn if each["type"] == "table")
    assert [[cell["text"] for cell in row] for row in table["rows"]] == [
        ["row against column", "1", "2", "3"],
        *map(list, TABLE.rows),
    ]
    assert [each["align"] for each in table["column_settings"]] == ["left", "center", "center", "center"]


def test_slack_has_one_table_in_a_message_and_none_in_a_dialog_or_on_a_home() -> None:
    twice = blocks(Message("How", (TABLE, TABLE)))
    check_message_blocks(twice)
    assert [each["type"] for each in twice] == ["table", "rich_text"]
    inside = blocks(MESSAGE, in_view=True)
    check_view({"type": "modal", "title": {"type": "plain_text", "text": "x"}, "blocks": inside})
    for drawn in (inside, home_view(MESSAGE)["blocks"]):
        assert "table" not in {each["type"] for each in drawn} and "3 : 2" in str(drawn)


def test_the_largest_table_fits_slack() -> None:
    drawn = blocks(Message("How", (largest(),)))
    check_message_blocks(drawn)
    assert len(drawn[0]["rows"]) == 11 and drawn[0]["rows"][10][10]["text"] == "1000 : 1000 level"


def test_a_table_weighs_what_is_drawn_of_it_once() -> None:
    assert characters(TABLE) < characters(TABLE.lines) + characters(TABLE.rows)
    assert characters(largest()) >= sum(len(cell) for row in largest().rows for cell in row)


def test_the_preview_draws_a_table_that_screen_readers_can_follow() -> None:
    html = str(render_message(MESSAGE, LOOK))
    assert "<caption>row against column</caption>" in html
    assert html.count('scope="col"') == 3 and html.count('scope="row"') == 3
    assert html.count('<tr class="won">') == 1 and html.index("First") < html.index("Second")
    assert re.findall(r'<td class="(\w)">([\d :]+)', html) == [
        ("w", "3 : 2 "),
        ("x", "1 : 2 "),
        ("x", "2 : 1 "),
    ]
    assert re.search(r'<div[^>]*class="pairs"[^>]*tabindex="0"', html)


def test_the_preview_draws_who_beat_whom_in_a_circle() -> None:
    table = replace(
        TABLE,
        rows=(
            (NAMES[0], "–", "3 : 2 won", "1 : 2 lost"),
            (NAMES[1], "2 : 3 lost", "–", "4 : 1 won"),
            (NAMES[2], "2 : 1 won", "1 : 4 lost", "–"),
        ),
        circle=(0, 1, 2),
    )
    html = str(render_message(Message("How", (table,)), LOOK))
    drawn = html[html.index("<svg") : html.index("</svg>")]
    assert re.findall(r"<text[^>]*>([^<]+)", drawn) == [
        "3 : 2", "4 : 1", "2 : 1", "set aside", "First", "Second", "Third",
    ]  # fmt: skip
    assert drawn.count("<line") == 3 and len(re.findall(r'<line[^>]*class="aside"', drawn)) == 1
    assert 'aria-hidden="true"' in drawn  # the sentences beside it say the same
    assert "<svg" not in str(render_message(MESSAGE, LOOK))


def test_hostile_cells_stay_words() -> None:
    evil = "<b>&</b>"
    html = str(render_message(Message("x", (Table((evil,), ((evil, evil),), ((evil,),), evil),)), LOOK))
    assert "<b>" not in html and html.count("&lt;b&gt;") == 5


def test_tables_and_files_survive_being_stored() -> None:
    message = Message("How", (TABLE,), file=File("a.json", bytes(range(256)), "label"))
    assert decode(encode(message), Message) == message


# ---- menus ----


def ranked(count: int = 3, chosen: int = -1) -> Form:
    """Five menus, only the first needed."""
    names = ("first", "second", "third", "fourth", "fifth")
    return Form(
        "ballot:1",
        "Your ballot",
        "Count my ballot",
        tuple(
            ChoiceField(
                name,
                name.title(),
                tuple(Option(f"p{n}", f"Paper {n}", chosen=place == 0 and n == chosen) for n in range(count)),
                required=place == 0,
                menu=True,
                none="No choice",
            )
            for place, name in enumerate(names)
        ),
        small=("who can see it",),
    )


@pytest.mark.parametrize("count", [1, 3, 25])
def test_a_ranked_ballot_is_five_menus_on_discord_and_the_small_print_gives_way(count: int) -> None:
    modal = discord_forms.modal(ranked(count))
    check_modal(modal)
    inside = [each["component"] for each in modal["components"]]
    assert [each["type"] for each in inside] == [3] * 5
    assert [each["min_values"] for each in inside] == [1, 0, 0, 0, 0]
    assert all(len(each["options"]) == count for each in inside)
    assert not any("default" in option for each in inside for option in each["options"])
    assert inside[1]["placeholder"] == "No choice"


@pytest.mark.parametrize("count", [1, 3, 25])
def test_a_ranked_ballot_is_five_menus_on_slack_and_a_choice_can_be_taken_back(count: int) -> None:
    view = slack_forms.view(ranked(count, chosen=0))
    check_view(view)
    inputs = [each for each in view["blocks"] if each["type"] == "input"]
    assert [each["element"]["type"] for each in inputs] == ["static_select"] * 5
    assert len(inputs[0]["element"]["options"]) == count
    assert inputs[0]["element"]["initial_option"]["value"] == "p0"
    for each in inputs[1:]:
        first = each["element"]["options"][0]
        assert first["text"]["text"] == "No choice" and "initial_option" not in each["element"]
        assert each["element"]["placeholder"] == first["text"]
    given = [None, None, *(each["element"]["options"][0] for each in inputs[2:])]
    given[0] = inputs[0]["element"]["initial_option"]
    state = {
        each["block_id"]: {"x": {"type": "static_select", "selected_option": option}}
        for each, option in zip(inputs, given, strict=True)
    }
    values = slack_forms.values_of({"state": {"values": state}})
    assert values == {"first": "p0", "second": "", "third": "", "fourth": "", "fifth": ""}


def test_the_preview_preselects_nothing_on_a_first_ballot() -> None:
    html = str(render_form(ranked(), 1, (), LOOK, "Member 1"))
    assert html.count("<select") == 5 and html.count('<option value="">No choice</option>') == 5
    assert " selected" not in html
    again = str(render_form(ranked(chosen=1), 1, (), LOOK, "Member 1"))
    assert again.count('<option value="">No choice</option>') == 4 and again.count(" selected") == 1


def choice(**more: Any) -> Form:
    options = tuple(Option(str(n), f"Paper {n}") for n in range(3))
    return Form("f", "Title", "Send", (ChoiceField("one", "One", options, required=False, **more),))


def test_a_radio_button_can_be_let_go_by_another_for_nothing() -> None:
    modal = discord_forms.modal(choice(none="Nothing"))
    check_modal(modal)
    (radio,) = (each["component"] for each in modal["components"])
    assert (radio["type"], radio["options"][-1]["label"]) == (21, "Nothing")
    assert not any("default" in option for option in radio["options"])
    sent = {
        "components": [
            {"component": {"type": 21, "custom_id": "one", "value": radio["options"][-1]["value"]}}
        ]
    }
    assert discord_forms.values_of(sent) == {"one": ""}
    view = slack_forms.view(choice(none="Nothing"))
    check_view(view)
    assert view["blocks"][0]["element"]["type"] == "radio_buttons"
    assert view["blocks"][0]["element"]["options"][0]["text"]["text"] == "Nothing"


def test_without_a_word_for_it_nothing_is_no_option() -> None:
    (radio,) = (each["component"] for each in discord_forms.modal(choice())["components"])
    assert len(radio["options"]) == 3
    assert len(slack_forms.view(choice())["blocks"][0]["element"]["options"]) == 3


def test_ten_options_and_nothing_are_a_menu() -> None:
    options = tuple(Option(str(n), str(n)) for n in range(10))
    form = Form("f", "t", "s", (ChoiceField("one", "One", options, required=False, none="Nothing"),))
    modal, view = discord_forms.modal(form), slack_forms.view(form)
    check_modal(modal)
    check_view(view)
    assert modal["components"][0]["component"]["type"] == 3
    assert view["blocks"][0]["element"]["type"] == "static_select"


def test_the_preview_gives_every_paper_of_a_ballot_a_row_also_where_one_is_chosen() -> None:
    options = tuple(Option(f"p{n}", "x", "topic", number=n, shown=Shown((f"Paper {n}",))) for n in range(2))
    field = ChoiceField("one", "One", options, required=False, none="No wish, only present")
    html = str(render_form(Form("f", "t", "s", (field,)), 1, (), LOOK, "Member 1"))
    assert html.count('type="radio"') == 3 and "checked" not in html and "<select" not in html
    assert html.index("Paper 1") < html.index("No wish, only present")
    assert values_of(Form("f", "t", "s", (field,)), {"one": [""]}) == {"one": ""}
