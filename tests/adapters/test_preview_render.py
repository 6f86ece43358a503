"""Messages and forms as HTML: escaped, complete, said to those who do not see."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from adapters.preview.client import PEOPLE
from adapters.preview.commands import Choice
from adapters.preview.forms import filled, render_form, values_of
from adapters.preview.frame import Sight, render_composer, render_side, render_suggestions, render_top
from adapters.preview.html import h
from adapters.preview.lines import Look
from adapters.preview.render import has_relative, render_by, render_card, render_message, render_talk
from bot.messages.model import (
    Actions,
    Bar,
    Bars,
    Block,
    Branch,
    Button,
    ChannelField,
    ChoiceField,
    Code,
    CommandLine,
    Commands,
    Divider,
    Entries,
    Entry,
    Excerpt,
    Fact,
    Facts,
    Fault,
    Form,
    Heading,
    Kicker,
    Link,
    Mark,
    Menu,
    Message,
    Meter,
    Note,
    Option,
    Paragraph,
    Reason,
    Shown,
    Small,
    Steps,
    Strong,
    Table,
    TextField,
    Title,
    Tree,
    Try,
    When,
    Winner,
)
from bot.messages.pages.preview import chrome_for

NOW = datetime(2026, 12, 3, 10, 0, tzinfo=UTC)
LOOK = Look(chrome_for("en"), "Europe/Berlin", NOW)
EVIL = "</p><script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;"
TEXT = (EVIL,)
SHOWN = Shown((EVIL,), (EVIL,), True)

EVERY_BLOCK: tuple[Block, ...] = (
    Kicker(EVIL, TEXT),
    Heading(TEXT, "question"),
    Heading(TEXT, "answer"),
    Heading(TEXT, "section"),
    Fault(TEXT),
    Title(SHOWN),
    Paragraph((EVIL, Strong(EVIL), Code(EVIL), Mark(EVIL), Link(EVIL, "https://example.org/" + EVIL))),
    Paragraph(TEXT, muted=True),
    Reason(EVIL, TEXT),
    Excerpt(TEXT),
    Entries((Entry(SHOWN, (TEXT, TEXT), 1, TEXT, EVIL, (Button(EVIL, EVIL, spoken=EVIL),), EVIL),)),
    Bars((Bar(TEXT, 1, 2, EVIL, True),)),
    Meter(1, 2, EVIL),
    Facts((Fact(EVIL, TEXT, TEXT),)),
    Winner(EVIL, SHOWN, (TEXT,)),
    Note(EVIL, TEXT),
    Steps((TEXT,)),
    Table((EVIL,), ((EVIL, EVIL),), (TEXT,), EVIL, frozenset({(0, 0)}), 0),
    Commands(EVIL, (CommandLine(EVIL, EVIL),)),
    Tree((Branch(EVIL, EVIL, 3, EVIL, True, (Branch(EVIL, EVIL, 1, EVIL),)),)),
    Try(((TEXT, Button(EVIL, EVIL)),)),
    Divider(),
    Small(TEXT, EVIL),
    Actions((Button(EVIL, EVIL), Menu(EVIL, EVIL, (Option(EVIL, EVIL, EVIL),))), EVIL),
)


def tags(html: str) -> set[str]:
    return set(re.findall(r"<([a-z0-9]+)", html))


@pytest.mark.parametrize("block", EVERY_BLOCK, ids=lambda block: type(block).__name__)
def test_nothing_people_wrote_becomes_markup(block: Block) -> None:
    html = str(render_card(Message(EVIL, (block,)), LOOK, EVIL))
    assert not tags(html) & {"script", "img"}
    assert "<script" not in html and "onerror=alert" not in re.sub(
        r'"[^"]*"', '""', re.sub(r">[^<]*<", "><", html)
    )


@pytest.mark.parametrize("block", EVERY_BLOCK, ids=lambda block: type(block).__name__)
def test_every_tag_is_closed_in_its_order(block: Block) -> None:
    open_tags = []
    for closing, name in re.findall(
        r"<(/?)([a-z0-9]+)[^>]*?>", str(render_message(Message("", (block,)), LOOK))
    ):
        if closing:
            assert open_tags.pop() == name
        elif name not in ("hr", "input", "path", "rect", "circle"):
            open_tags.append(name)
    assert open_tags == []


def test_talk_names_and_commands_are_escaped() -> None:
    html = render_talk(EVIL) + render_by(EVIL, "09:00", NOW, LOOK, bot=False, answering="/" + EVIL)
    assert not tags(str(html)) & {"script", "img"}


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//example.org", "http://", "http://[::1"]
)
def test_only_web_addresses_become_links(url: str) -> None:
    html = str(render_message(Message("", (Paragraph((Link("words", url),)),)), LOOK))
    assert "<a" not in html and "words" in html


def test_a_stand_in_is_told_by_looks_and_to_screen_readers() -> None:
    shown = Shown(("FlashSinkhorn",), (", a solver",), True)
    html = str(render_message(Message("", (Title(shown),)), LOOK))
    assert '<span class="vh">Headline from the abstract: </span>' in html
    assert '<span class="stand" lang="en"><b>FlashSinkhorn</b>, a solver</span>' in html
    title = str(render_message(Message("", (Title(replace(shown, stand_in=False)),)), LOOK))
    assert "stand" not in title and "Headline" not in title


def test_chinese_words_of_a_paper_carry_their_language() -> None:
    html = str(render_message(Message("", (Excerpt(("一种新方法",)), Excerpt(("A new method",)))), LOOK))
    assert html.count('lang="zh-Hans"') == 1 and html.count('lang="en"') == 1


def test_instants_are_worded_in_the_club_zone() -> None:
    at = NOW + timedelta(days=1, hours=6)
    text = Paragraph((When(at), " ", When(at, "relative"), " ", When(at, "date")))
    html = str(render_message(Message("", (text,)), LOOK))
    assert ">Fri 4 Dec, 17:00<" in html and ">in 1 day 6 hours<" in html and ">Friday 4 December<" in html


def test_a_message_keeps_its_own_language() -> None:
    html = str(render_card(Message("", (Paragraph((When(NOW),)),), "zh"), LOOK, "Member 3"))
    assert "12 月 3 日" in html and ">Thu" not in html


def test_a_meter_does_not_say_twice_what_a_fact_says() -> None:
    meter = Meter(3, 5, "3 of 5 members have voted")
    alone = str(render_message(Message("", (meter,)), LOOK))
    both = str(render_message(Message("", (Facts((Fact("Turnout", (meter.text,)),)), meter)), LOOK))
    assert re.sub("<[^>]*>", " ", alone).count(meter.text) == 1
    assert re.sub("<[^>]*>", " ", both).count(meter.text) == 1
    assert "width:60%" in alone and f'aria-label="{meter.text}"' in both


@pytest.mark.parametrize(("votes", "total", "share"), [(0, 0, 0), (1, 3, 33), (9, 5, 100), (5, 5, 100)])
def test_a_bar_is_never_longer_than_its_box(votes: int, total: int, share: int) -> None:
    html = str(render_message(Message("", (Bars((Bar(("a",), votes, total, "x"),)),)), LOOK))
    assert f"width:{share}%" in html


def test_the_winner_of_a_bar_is_said_in_a_word() -> None:
    bars = Bars((Bar(("a",), 3, 5, "3 of 5", True), Bar(("b",), 3, 5, "3 of 5")))
    html = str(render_message(Message("", (bars,)), LOOK))
    assert html.count("<b>3 of 5</b> won") == 1 and html.count('aria-label="3 of 5 won"') == 1


def test_a_private_card_says_first_who_sees_it() -> None:
    html = str(render_card(Message("", (Heading(("Saved",)),)), LOOK, "Member 3"))
    assert html.startswith('<div class="card"><p class="seal">') and "Only Member 3 sees this" in html
    assert "seal" not in str(render_card(Message("", ()), LOOK))


def test_a_button_carries_its_whole_state() -> None:
    html = str(
        render_message(
            Message("", (Actions((Button("save:p57", "Saved", pressed=True, spoken="p57"),)),)), LOOK
        )
    )
    assert 'data-value="save:p57"' in html and 'aria-pressed="true"' in html and "disabled" not in html
    assert '<span class="vh"> p57</span>' in html


def test_only_cards_with_relative_times_are_drawn_again() -> None:
    assert has_relative(Message("", (Facts((Fact("Closes", (When(NOW),), (When(NOW, "relative"),)),)),)))
    assert not has_relative(Message("", (Paragraph((When(NOW),)),)))


FORM = Form(
    "ballot:12",
    "Your ballot",
    "Count my ballot",
    (
        TextField("reason", "Reason", EVIL, "At most 300", "Too long", required=False),
        TextField("about", "About", long=True),
        ChoiceField(
            "papers", "Papers", (Option("1", "A", "topic", number=1, shown=SHOWN), Option("2", "B")), True
        ),
        ChoiceField("day", "Day", (Option("mon", "Monday"), Option("tue", "Tuesday", chosen=True))),
        ChannelField("channel", "Channel", "talk"),
    ),
    "Cancel",
)


def test_a_form_shows_its_fault_at_the_field_and_keeps_what_was_typed() -> None:
    html = str(render_form(FORM, 7, ("papers", "talk"), LOOK, "Member 3"))
    assert not tags(html) & {"script", "img"}
    assert '<small class="err" id="f7-0-fault">Too long</small>' in html
    assert 'aria-invalid="true"' in html and 'aria-describedby="f7-0-fault f7-0-hint"' in html
    assert "1 field to mend" in html
    assert 'value="talk" selected' in html and 'value="tue" selected' in html


def test_every_field_has_a_label() -> None:
    html = str(render_form(FORM, 7, ("papers",), LOOK, "Member 3"))
    for name in re.findall(r'<(?:input|textarea|select)[^>]* id="([^"]+)"', html):
        assert f'<label for="{name}">' in html
    assert html.count("<legend") == 1


def test_values_come_as_the_field_wants_them() -> None:
    raw = {"papers": ["2", "1"], "reason": ["because", "again"], "stranger": ["x"]}
    assert values_of(FORM, raw) == {
        "reason": "because",
        "about": "",
        "papers": ["2", "1"],
        "day": "",
        "channel": "",
    }


def test_what_was_typed_stands_in_the_form_again() -> None:
    again = filled(FORM, {"reason": "because", "papers": ["2"], "day": "mon", "stranger": "x"})
    reason, about, papers, day, _ = again.fields
    assert isinstance(reason, TextField) and reason.value == "because" and about == FORM.fields[1]
    assert isinstance(papers, ChoiceField) and [option.chosen for option in papers.options] == [False, True]
    assert isinstance(day, ChoiceField) and [option.chosen for option in day.options] == [True, False]


def test_suggestions_and_the_frame_are_escaped() -> None:
    html = str(render_suggestions([Choice(EVIL, EVIL, EVIL, EVIL)]))
    assert not tags(html) & {"script", "img"} and 'aria-selected="true"' in html


def test_the_frame_names_its_parts() -> None:
    sight = Sight(chrome_for("en"), PEOPLE[2], "papers", "en", frozenset({"member-2"}))
    side, top = str(render_side(sight)), str(render_top(sight))
    assert side.count('type="radio"') == 5 and side.count("checked") == 1
    assert side.count(">Organiser<") == 2  # who set the club up, and who was named
    assert 'aria-current="page"' in side and ", change member" in top
    assert 'role="listbox"' in render_composer(sight.chrome) and 'for="say"' in render_composer(sight.chrome)


def test_html_escapes_children_and_attributes() -> None:
    assert (
        h("p", "<b>", None, title='"x"', hidden=True, class_=None)
        == '<p title="&#34;x&#34;" hidden>&lt;b&gt;</p>'
    )
    assert h("input", data_value=3, checked=False) == '<input data-value="3">'
