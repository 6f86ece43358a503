"""Messages as Slack's blocks: always accepted, words as they were written, nobody called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.slack import render
from adapters.slack.controls import press_of
from adapters.slack.forms import view
from adapters.slack.marks import Look, Prefixes, elements, escape, headline
from adapters.slack.render import blocks, home_view, payload
from bot.commands import COMMANDS
from bot.daily.model import Reason as Choice
from bot.messages.cut import length
from bot.messages.model import (
    Actions,
    Bar,
    Bars,
    Block,
    Branch,
    Button,
    ChannelRef,
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
    Option,
    Paragraph,
    Reason,
    Shown,
    Small,
    Steps,
    Strong,
    Title,
    Tree,
    Try,
    When,
    Winner,
)
from bot.messages.pages.found import results_page
from bot.messages.pages.help import help_page
from bot.messages.pages.papers import daily_page, paper_page
from bot.messages.pages.results import result_page
from bot.messages.pages.rounds import vote_page
from bot.papers.model import Paper
from bot.rounds.model import Turnout
from bot.search.model import Found, Hit
from tests.adapters.test_discord_render import BLOCKS, EVERY_BLOCK, WORDS, some
from tests.lab.chatlab.fakeslack.blockkit import (
    check_message_blocks,
    check_view,
    escaping_faults,
    mrkdwn_texts,
)
from tests.messages.samples import EN, NOW, ZH, a_result, a_round, club, four, paper, titled
from tests.messages.test_limits import KINDS, pages

AT = datetime(2026, 12, 4, 16, tzinfo=UTC)
CLOSES = int(AT.timestamp())
MEETING = int(datetime(2026, 12, 7, 15, tzinfo=UTC).timestamp())
SCIENTIST = "👩‍🔬"
CALLS = "@channel <!channel> <!here> <@U123ABC> <#C123ABC> <https://x.example|words> :tada: *b* _i_ `c` ~s~ &amp; & >"
BERLIN = Look("en", "Europe/Berlin")
INSIDE = {
    "text": {"type", "text", "style"},
    "date": {"type", "timestamp", "format", "fallback", "style"},
    "link": {"type", "url", "text", "style"},
    "channel": {"type", "channel_id"},
    "usergroup": {"type", "usergroup_id"},
}


def drawn(message: Message, **more: Any) -> list[dict[str, Any]]:
    """The blocks, after the strict server's own check and what it leaves out."""
    sent = payload(message, **more)
    assert list(sent) == ["text", "blocks", "unfurl_links", "unfurl_media"]
    assert sent["text"].strip() and not escaping_faults(sent["text"]) and not sent["unfurl_links"]
    natives: list[dict[str, Any]] = sent["blocks"]
    check_message_blocks(natives)
    assert natives and not list(mrkdwn_texts(natives))
    check_rich(natives)
    assert sum(length(text) for text in words(natives)) <= 9_000
    return natives


def check_rich(natives: list[dict[str, Any]]) -> None:
    """The inside of rich_text, and that no text is blank or has signs that cannot be sent."""
    for native in natives:
        for part in native["elements"] if native["type"] == "rich_text" else ():
            assert part["type"] in ("rich_text_section", "rich_text_quote", "rich_text_list")
            texts = part["elements"] if part["type"] == "rich_text_list" else [part]
            assert texts
            for text in texts:
                assert text["type"] in ("rich_text_section", "rich_text_quote") and text["elements"]
                assert sum(length(each.get("text", "")) for each in text["elements"]) <= 3_001
                for each in text["elements"]:
                    assert set(each) <= INSIDE[each["type"]] and each.get("text") != ""
                    assert set(each.get("style", ())) <= {"bold", "italic", "code"}
    for written in words(natives):
        written.encode()


def words(native: object) -> Iterator[str]:
    """Every text a reader may see."""
    if isinstance(native, dict):
        for key, value in native.items():
            if key in ("text", "fallback") and isinstance(value, str):
                yield value
            elif key != "initial_option":
                yield from words(value)
    elif isinstance(native, list):
        for each in native:
            yield from words(each)


def told(natives: list[dict[str, Any]]) -> list[str]:
    """Blocks as lines: quotes behind '>', bold in stars, italics in slashes, code in backticks."""
    return [line for native in natives for line in _told(native)]


def _told(native: dict[str, Any]) -> Iterator[str]:
    match native["type"]:
        case "rich_text":
            for part in native["elements"]:
                sign = "> " if part["type"] == "rich_text_quote" else ""
                yield sign + "".join(_mark(each) for each in part["elements"])
        case "header":
            yield "# " + native["text"]["text"]
        case "section":
            yield f"{native['text']['text']} [{native['accessory']['text']['text']}]"
        case "context":
            yield "- " + " | ".join(each["text"] for each in native["elements"])
        case "divider":
            yield "---"
        case "actions":
            yield " ".join(
                f"[{each['text']['text']}]" if "text" in each else f"<{each['action_id']}>"
                for each in native["elements"]
            )


def _mark(each: dict[str, Any]) -> str:
    if each["type"] == "rich_text_section":
        return "".join(_mark(inner) for inner in each["elements"]) + ";"
    said = str(each.get("text") or each.get("format") or each.get("channel_id") or each.get("usergroup_id"))
    for style, sign in (("code", "`"), ("italic", "/"), ("bold", "*")):
        if each.get("style", {}).get(style):
            said = f"{sign}{said}{sign}"
    return said


def said(*parts: Block, **more: Any) -> list[str]:
    return told(drawn(Message("x", parts), **more))


def actions(natives: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for native in natives if native["type"] == "actions" for each in native["elements"]]


# ---- words ----


@pytest.mark.parametrize("block", EVERY_BLOCK, ids=lambda block: type(block).__name__)
def test_what_people_wrote_is_never_read_as_markup(block: Block) -> None:
    drawn(Message(CALLS, (block,)))


@pytest.mark.parametrize("text", [CALLS, "P(A|B) < 1 & <b>bold</b>", "<<@U1>>", "&lt;"])
def test_words_are_read_as_they_were_written(text: str) -> None:
    assert elements((text,), BERLIN) == [{"type": "text", "text": text}]
    back = escape(text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert back == text and not escaping_faults(escape(text)) and "<" not in escape(text)


def test_nobody_is_called_by_what_people_wrote() -> None:
    evil = titled(57, CALLS, abstract=CALLS * 3, authors=(CALLS,), area=CALLS, subarea=None)
    hit = Hit(evil, (), (), ())
    for page in (
        daily_page(EN, evil, date(2026, 11, 30), None),
        results_page(EN, Found(CALLS, 1, (hit,), 1, 1, None)),
        vote_page(EN, a_round([evil], reason=CALLS), Turnout(1, 2)),
    ):
        sent = payload(page, group="S1")
        assert "<!" not in sent["text"] and "<@" not in sent["text"]
        assert "'user'" not in str(sent) and "usergroup" not in str(sent) and "broadcast" not in str(sent)
        assert "<!channel>" in "".join(words(sent["blocks"]))
        drawn(page)


def test_a_line_break_in_a_title_is_a_blank() -> None:
    assert elements(("a\n  second\r\nline\u2028x\ty",), BERLIN)[0]["text"] == "a second line x y"
    assert elements(("a\x00b\ud800c",), BERLIN)[0]["text"] == "a\ufffdb\ufffdc"


def test_an_address_has_no_sign_that_ends_it() -> None:
    link = Link("P(A|B) <x>", "https://x.example/?q=a|b&c=<1> 2")
    assert elements((link,), BERLIN) == [
        {"type": "link", "text": "P(A|B) <x>", "url": "https://x.example/?q=a%7Cb&c=%3C1%3E%202"}
    ]
    for url in ("javascript:alert(1)", "https://", "https:///x", "https://x.example/" + "a" * 3_000):
        assert elements((Link("words", url),), BERLIN) == [{"type": "text", "text": "words"}]


def test_instants_are_worded_by_the_platform_with_the_clubs_time_to_fall_back_on() -> None:
    lines = [
        elements((When(AT, style),), BERLIN)[0] for style in ("moment", "date", "relative", "time")
    ]  # fmt: skip
    assert [line["format"] for line in lines] == [
        "{date_long} at {time}",
        "{date_long}",
        "{ago}",
        "{time_secs}",
    ]
    assert {line["timestamp"] for line in lines} == {CLOSES}
    assert [line["fallback"] for line in lines] == [
        "Fri 4 Dec 2026, 17:00", "Friday 4 December 2026", "Fri 4 Dec 2026, 17:00", "17:00:00",
    ]  # fmt: skip
    (chinese,) = elements((When(AT),), Look("zh", "Europe/Berlin"))
    assert chinese["format"] == "{date_long} {time}" and chinese["fallback"] == "2026 年 12 月 4 日周五 17:00"


def test_a_channel_is_linked_where_its_id_is_one_of_slacks() -> None:
    assert elements((ChannelRef("C0PAPERS", "papers"),), BERLIN) == [
        {"type": "channel", "channel_id": "C0PAPERS"}
    ]
    assert elements((ChannelRef("123", "papers"),), BERLIN) == [{"type": "text", "text": "#papers"}]


def test_neighbours_of_one_style_are_one_text() -> None:
    assert elements(("a ", "b ", Strong("c"), Strong("d"), Code("e"), Mark("f")), BERLIN) == [
        {"type": "text", "text": "a b "},
        {"type": "text", "text": "cd", "style": {"bold": True}},
        {"type": "text", "text": "e", "style": {"code": True}},
        {"type": "text", "text": "f", "style": {"bold": True, "code": True}},
    ]


@pytest.mark.parametrize(
    ("shown", "written"),
    [
        (Shown(("On *stars*",)), "*On *stars**"),
        (Shown(("Tessel",), (": a method",), True), "*Tessel*: /a method/"),
        (Shown((), (", a method ",), True), "/a method/"),
        (Shown(("Tessel",), (), True), "*Tessel*"),
        (Shown(("名",), ("：一种新方法",), True), "*名*：一种新方法"),
        (Shown(("The ", Mark("Sinkhorn")), (", an ", Mark("optimal"), " one"), True),
         "*The **`Sinkhorn`*, /an /*`optimal`*/ one/"),
        (Shown((" ",), (" ",), True), ""),
    ],
)  # fmt: skip
def test_a_stand_in_never_poses_as_a_title(shown: Shown, written: str) -> None:
    assert "".join(_mark(each) for each in headline(shown, BERLIN)) == written


# ---- pages as they were agreed ----


def test_a_post_is_drawn_as_it_was_agreed() -> None:
    natives = drawn(daily_page(EN, paper(), date(2026, 11, 30), Choice("turn", "Social Choice", 9)))
    assert told(natives) == [
        "*Today’s paper* · {date_long}",
        "# Tessel: a method that sorts ballots by colour and size",
        "*Social Choice · Ballots*\nAda Mund, Bo Lind, Cy Orr",
        "*\nWhy this paper: *areas take turns, and it is the turn of Social Choice · Ballots. "
        "Social Choice was last shown 9 days ago.\n",
        "> It needs one pass over the box and no table. On four boxes of ballots it is twice as quick as sorting "
        "by hand, and it loses none of them.",
        "[Read more] [Nominate] [Save] [Similar]",
        "- p57 · The listing gives no title; the headline is taken from the abstract.",
    ]
    assert [native["type"] for native in natives] == [
        "rich_text",
        "header",
        "rich_text",
        "actions",
        "context",
    ]
    more, nominate = actions(natives)[:2]
    assert more["action_id"] == "more:p57" and more["style"] == "primary" and "style" not in nominate
    assert natives[1]["text"]["emoji"] is False and natives[4]["elements"][0]["type"] == "plain_text"


def test_a_poll_is_drawn_as_it_was_agreed() -> None:
    natives = drawn(vote_page(EN, a_round(four(), reason="It brings *the* idea."), Turnout(3, 6)))
    lines = told(natives)
    assert lines[:6] == [
        "*Vote open* · for the meeting on {date_long}",
        "# Which of these would you read?",
        "*Closes *{date_long} at {time}, 17:00 in Europe/Berlin\n*Turnout *3 of 6 members have voted",
        "---",
        "1  *Tessel*: /a method that sorts ballots by colour and size/\n"
        "Social Choice · Ballots · nominated by Member 1\n",
        "> It brings *the* idea.",
    ]
    assert lines[-2] == "[Vote / change my vote] [My ballot] <more>" and len(natives) == 10
    menu = actions(natives)[-1]
    assert menu["placeholder"]["text"] == "Read a paper"
    assert [(option["text"]["text"], option["value"]) for option in menu["options"]][:2] == [
        ("1 Tessel: a method that sorts ballots by colour and size", "p44"),
        ("2 On the sorting of ballots", "p57"),
    ]
    pressed = {"action_id": "more", "type": "static_select", "selected_option": menu["options"][0]}
    assert press_of(pressed) == "more:p44" and press_of(actions(natives)[0]) == "vote:12"


def test_a_result_is_drawn_as_it_was_agreed() -> None:
    lines = told(drawn(result_page(EN, a_result({1: 4, 2: 4, 3: 1, 4: 0}, tie_rule="age", tied=(1, 2)))))
    assert lines[1:4] == [
        "# Winner: Tessel: a method that sorts ballots by colour and size",
        "Ada Mund, Bo Lind, Cy Orr\nSocial Choice · Ballots",
        "---",
    ]
    assert lines[4].startswith("*Tessel*\n`████░`* 4 of 5, won*\n*Dee Fox et al.*\n`████░` 4 of 5\n")
    assert lines[5].startswith("*A tie, broken by age*\nTessel and Dee Fox et al. have 4 of 5 each.")
    assert "on {date_short_pretty} at {time}; Dee" in lines[5]
    assert lines[6].endswith("*Next meeting *{date_long} at {time}, 16:00 in Europe/Berlin")
    assert lines[7] == "[How this was counted] [My ballot]" and lines[8].startswith("- p44 · ")
    chinese = told(drawn(result_page(ZH, a_result({1: 4, 2: 3, 3: 1, 4: 0}))))
    assert chinese[1].startswith("# 胜出：Tessel")


def test_a_search_has_its_buttons_in_one_row_and_numbers_go_on_over_pages() -> None:
    hits = tuple(Hit(each, (), (), ((0, 7),)) for each in four()[:3])
    lines = told(drawn(results_page(EN, Found("grouped", 8, hits, 2, 2, None))))
    assert lines[0] == "*8 papers for “grouped”, 6 to 8*"
    assert lines[1].startswith("6  *Tessel*: /a method") and lines[1].endswith("and 2 more · p44\n")
    assert lines[2].startswith("> *`Grouped`* ballots are hard to read.")
    assert lines[-3:-1] == ["[Read 6] [Read 7] [Read 8]", "[Previous]"]
    assert lines[-1].startswith("- Page 2 of 2 | Headlines in italics")


def test_one_paper_in_a_list_needs_no_number() -> None:
    found = results_page(EN, Found("tessel", 1, (Hit(paper(), (), (), ()),), 1, 1, None))
    lines = told(drawn(found))
    assert lines[1].startswith("*Tessel*") and "[Read]" in lines


def test_help_shows_commands_as_they_are_typed_here() -> None:
    page = help_page(replace(EN, organiser=True), COMMANDS, club())
    lines = told(drawn(page, prefix=Prefixes("/x-")))
    assert lines[0] == "# What Paperclub can do" and lines.count("---") == 3
    assert "*Find and read*\n`/x-paper today`  the paper of the day again\n" in lines[3]
    assert "`/paper today`" in "\n".join(told(drawn(page)))
    assert said(Paragraph((Code("/paper link A1"), " ", Code("/etc"))), prefix=Prefixes("/x-")) == [
        "`/x-paper link A1` `/etc`"
    ]


def test_steps_are_a_numbered_list() -> None:
    (native,) = drawn(Message("x", (Steps((("First ", When(AT)), (" ",), ("Second",))),)))
    (part,) = native["elements"]
    assert part["type"] == "rich_text_list" and part["style"] == "ordered" and len(part["elements"]) == 2


def test_lines_of_one_answer_stand_together() -> None:
    assert said(Heading(("a",)), Paragraph(("b",)), Paragraph(("c",), muted=True), Excerpt(("d",))) == [
        "*a*\nb\nc\n",
        "> d",
    ]
    assert said(Paragraph((When(AT),)), Reason("Why:", (" so",))) == ["{date_long} at {time}", "*\nWhy: *so"]
    assert said(Excerpt(("d",)), Paragraph(("b",))) == ["> d", "b"]
    assert said(Fault(("No.",)), Paragraph(("Why",))) == ["*▲ No.*", "Why"]


@pytest.mark.parametrize(
    ("votes", "total", "picture"),
    [(0, 0, "░" * 10), (3, 5, "███░░"), (7, 12, "█" * 7 + "░" * 5), (13, 26, "█████░░░░░"), (9, 5, "█████")],
)
def test_a_bar_has_a_cell_a_ballot_or_ten(votes: int, total: int, picture: str) -> None:
    assert said(Bars((Bar(("a",), votes, total, "n"),))) == [f"*a*\n`{picture}` n"]


def test_a_meter_does_not_say_twice_what_a_fact_says() -> None:
    meter = Meter(3, 5, "3 of 5 have voted")
    assert said(meter) == ["3 of 5 have voted"]
    assert said(Facts((Fact("Turnout", (meter.text,), ("so far",)),)), meter) == [
        "*Turnout *3 of 5 have voted (so far)"
    ]


def test_only_the_named_group_is_called_and_only_where_the_message_says_so() -> None:
    message = Message("x", (Kicker("Vote open"), Small(("y",))), notify=True)
    assert told(drawn(message, group="S0CLUB"))[0] == "*Vote open* · S0CLUB"
    assert payload(message, group="S0CLUB")["text"] == "<!subteam^S0CLUB> x"
    assert "S0CLUB" not in str(payload(replace(message, notify=False), group="S0CLUB"))
    assert payload(message, group="<!channel>") == payload(message)
    assert told(drawn(Message("x", (Paragraph(("a",)),), notify=True), group="S0CLUB")) == ["S0CLUB", "a"]


def test_commands_in_sentences_are_named_as_in_this_workspace_and_peoples_words_are_theirs() -> None:
    words = "Write /paper link, or /club settings; not a/paper link nor /papers."
    message = Message(
        words, (Paragraph((words,)), Small((words,)), Excerpt((words,)), Reason("Why", (words,)))
    )
    sent = payload(message, prefix=Prefixes("/rg-"))
    ours = words.replace(" /paper link", " /rg-paper link", 1).replace("/club", "/rg-club")
    assert sent["text"] == ours and str(sent["blocks"]).count(ours) == 2
    assert str(sent["blocks"]).count(words) == 2
    assert payload(message, prefix=Prefixes("/")) == payload(message)
    zh = Message("x", (Paragraph(("请输入 /paper link，再用：/club link。",)),))
    assert "请输入 /rg-paper link，再用：/rg-club link。" in str(payload(zh, prefix=Prefixes("/rg-")))


def test_every_page_and_form_names_all_its_commands_as_they_are_typed_here() -> None:
    there = Prefixes("/rg-", "/book")
    found: list[str] = []
    for reader in (replace(EN, organiser=True), ZH):
        for _, page in pages(reader, KINDS["plainest"]):
            sent = view(page, prefix=there) if isinstance(page, Form) else payload(page, prefix=there)
            found += re.findall(r"/[a-z-]*(?:paper|club)\b(?= [a-z])", " ".join(words(sent)))
    assert len(found) > 100 and set(found) == {"/rg-paper", "/bookclub"}


# ---- buttons and menus ----


def test_kinds_of_buttons_have_their_looks_and_disabled_ones_are_left_out() -> None:
    kinds = (
        Button("a", "A", "first"),
        Button("b", "B", "quiet", spoken="of p1"),
        Button("c", "C", "warn"),
        Button("d", "D", disabled=True),
        Button("e", "E", pressed=True),
    )
    row = actions(drawn(Message("x", (Actions(kinds),))))
    assert [(each["action_id"], each.get("style")) for each in row] == [
        ("a", "primary"), ("b", None), ("c", "danger"), ("e", "primary"),
    ]  # fmt: skip
    assert row[1]["accessibility_label"] == "B of p1"
    assert said(Actions((Button("d", "D", disabled=True),), end="Page 1 of 1")) == ["- Page 1 of 1"]


def test_no_action_is_drawn_twice_in_a_row_nor_one_that_cannot_be_pressed() -> None:
    buttons = (Button("a", "A"), Button("a", "B"), Button("", "None"), Button("x" * 256, "Long"))
    assert said(Actions(buttons)) == ["[A]"]
    many = tuple(Button(f"b{n}", "B") for n in range(60))
    assert [len(native["elements"]) for native in drawn(Message("x", (Actions(many),)))] == [25, 25, 10]


def test_buttons_of_a_vote_that_do_not_do_the_same_stay_buttons() -> None:
    entries = Entries(
        (
            Entry(Shown(("a",)), number=1, buttons=(Button("more:p1", "Read"),)),
            Entry(Shown(("b",)), number=2, buttons=(Button("withdraw:2", "Withdraw"),)),
        )
    )
    assert said(Heading(("Which?",), "question"), entries)[-1] == "[Read 1] [Withdraw 2]"


def test_a_vote_without_buttons_of_its_own_has_its_menu_all_the_same() -> None:
    entry = Entry(Shown(("a",)), number=1, buttons=(Button("more:p1", "Read"),))
    assert said(Heading(("Which?",), "question"), Entries((entry,))) == ["# Which?", "1  *a*", "<more>"]


def test_options_that_look_alike_are_told_apart() -> None:
    same = "The same ninety signs at the beginning of two titles, which is rather long for a title, but it is so "
    options = (
        Option("p1", same + "1", "t"),
        Option("p2", same + "2"),
        Option("p3", "x" * 76),
        Option("p1", "y"),
    )
    (menu,) = actions(drawn(Message("x", (Actions((Menu("nominate", "Which", options),)),))))
    assert [option["value"] for option in menu["options"]] == ["p1", "p2", "p3"]
    assert all(length(option["text"]["text"]) <= 75 for option in menu["options"])
    assert menu["options"][2]["text"]["text"].endswith("x…") and "description" not in menu["options"][2]
    assert [option["description"]["text"] for option in menu["options"][:2]] == ["p1", "p2"]
    assert press_of({"action_id": "nominate", "selected_option": menu["options"][1]}) == "nominate:p2"


def test_a_tree_is_a_menu_of_areas_and_one_of_the_open_ones() -> None:
    leaves = tuple(Branch(f"topics:A · {n}", f"{n}", n, f"{n} papers") for n in range(130))
    tree = Tree((Branch("topics:A", "A", 9, "9 papers", True, leaves), Branch("topics:B", "B", 1, "1 paper")))
    selects = actions(blocks(Message("x", (tree,))))
    assert [len(select["options"]) for select in selects] == [2, 100, 30]
    assert selects[0]["initial_option"] == selects[0]["options"][0]
    assert selects[0]["options"][0]["description"]["text"] == "9 papers"
    for select in selects:
        option = select["options"][-1]
        assert press_of({"action_id": select["action_id"], "selected_option": option}) == option["value"]


@pytest.mark.parametrize(
    ("action", "press"),
    [
        ({}, ""),
        ({"action_id": None}, ""),
        ({"action_id": "vote:12", "selected_option": None}, "vote:12"),
        ({"action_id": "more", "selected_option": {}}, "more:"),
    ],
)
def test_a_press_without_anything_in_it_is_no_fault(action: dict[str, Any], press: str) -> None:
    assert press_of(action) == press


def test_a_suggestion_has_its_button_beside_it() -> None:
    assert said(Try((((f"Look for {CALLS}",), Button("a", "Search")), (("b",), Button("c", "C"))))) == [
        f"1 · Look for {CALLS} [Search]",
        "2 · b [C]",
    ]


# ---- limits ----


@pytest.mark.parametrize("abstract", ["", "   ", None])
def test_a_paper_without_anything_is_drawn(abstract: str | None) -> None:
    bare = Paper((), False, None, None, abstract or "", id=1)
    for page in (paper_page(EN, bare), daily_page(EN, bare, date(2026, 11, 30), None)):
        written = "\n".join(told(drawn(page)))
        assert "Unknown authors" in written and "No abstract given." in written
        assert "None" not in written and "null" not in written


@pytest.mark.parametrize("tail", [SCIENTIST + "tail", "e\u0301tail"])
@pytest.mark.parametrize("size", [2_000, 3_000, 4_000, 4_096, 9_000])
def test_a_text_at_the_limit_ends_in_a_whole_sign(size: int, tail: str) -> None:
    for block in (Excerpt(("x" * (size - 1) + tail,)), Paragraph(("x" * (size - 1) + tail,))):
        (written,) = words(drawn(Message("x", (block,))))
        if written.endswith("tail"):
            assert size < 3_000
            continue
        assert written.endswith("x…") and length(written) <= 3_000
        written.encode()


def test_a_headline_is_cut_to_what_a_header_takes() -> None:
    (native,) = drawn(Message("x", (Title(Shown(("word " * 40 + SCIENTIST * 30,))),)))
    assert 130 < length(native["text"]["text"]) <= 150 and native["text"]["text"].endswith("…")


def test_quotes_are_cut_before_other_words() -> None:
    items = tuple(
        Entry(Shown((f"Title {n} " + "t" * 100,)), number=n, quote="a reason " * 300) for n in range(12)
    )
    lines = said(Entries(items))
    assert sum(line.endswith("t" * 100 + "*") for line in lines) == 12
    assert sum(line.startswith("> a reason") and line.endswith("…") for line in lines) == 12


def test_of_too_many_parts_the_words_stay() -> None:
    many = tuple(Paragraph((f"{n}",)) if n % 2 else Divider() for n in range(120))
    natives = drawn(Message("x", many))
    assert "59" in "".join(words(natives)) and len(natives) <= 50
    assert len(drawn(Message("x", tuple(Title(Shown((f"{n}",))) for n in range(80))))) == 50


def test_an_empty_message_says_its_summary() -> None:
    assert told(drawn(Message("A *summary* <!here>", ()))) == ["A *summary* <!here>"]
    assert told(drawn(Message("", (Paragraph((" ",)), Excerpt(()), Actions(()))))) == ["…"]


def test_twenty_five_papers_fit_a_poll() -> None:
    same = "The same hundred signs at the beginning of two titles, which is rather long for a title, but it is so "
    papers = [titled(n, f"{same}{n}") for n in range(24)] + [titled(24, "x" * 150)]
    natives = drawn(vote_page(EN, a_round(papers), Turnout(3, 30)))
    (menu,) = [each for each in actions(natives) if each["type"] == "static_select"]
    assert len({option["value"] for option in menu["options"]}) == 25 and len(natives) <= 50
    assert len({option["text"]["text"][:3] for option in menu["options"]}) == 25
    assert all(length(option["text"]["text"]) <= 75 for option in menu["options"])


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_is_accepted_in_both_languages_and_needs_no_last_resort(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawings: list[tuple[Message, list[dict[str, Any]]]] = []
    for reader in (replace(EN, organiser=True), ZH):
        for name, page in pages(reader, KINDS[kind]):
            if isinstance(page, Form):
                continue
            natives = drawn(page, group="S0CLUB")
            assert "None" not in "".join(words(natives)).replace("None:", ""), name
            check_view(home_view(page))
            drawings.append((page, natives))
    monkeypatch.setattr(render, "fitted", lambda parts: parts)
    assert drawings and all(blocks(page, group="S0CLUB") == natives for page, natives in drawings)


def test_a_home_is_messages_one_below_the_other() -> None:
    view = home_view(Message("x", (Paragraph(("a",)),)), Message("y", (Paragraph(("b",)),)))
    check_view(view)
    assert view["type"] == "home" and told(view["blocks"]) == ["a", "---", "b"]
    many = Message("x", tuple(Title(Shown((f"{n}",))) for n in range(50)))
    check_view(home_view(many, many, many))


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # texts at the limits are large
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.builds(
        Message, st.one_of(WORDS, st.just(CALLS)), some(BLOCKS, 7), st.sampled_from(["en", "zh"]),
        st.just("Europe/Berlin"), st.booleans(),
    ),
    st.sampled_from(["", "S0CLUB", "<!here>"]),
)  # fmt: skip
def test_any_message_is_accepted(message: Message, group: str) -> None:
    natives = drawn(message, group=group)
    called = str(natives).count("'usergroup'")
    assert called == (1 if message.notify and group == "S0CLUB" else 0)


@pytest.mark.parametrize("more", [0, 7])
def test_a_group_is_called_however_much_a_message_says(more: int) -> None:
    kicker, long = Kicker("x" * 5_000), Paragraph(("y" * 2_900,))
    natives = drawn(Message("x", (kicker, *[long] * more), notify=True), group="S0CLUB")
    assert natives[0]["elements"][0]["elements"][-1] == {"type": "usergroup", "usergroup_id": "S0CLUB"}


def test_equal_messages_give_equal_blocks_and_drawing_changes_nothing() -> None:
    message = Message(
        "x",
        (
            Winner("Winner", Shown(("a",))),
            Bars((Bar(("a",), 1, 2, "1"),)),
            Commands("h", (CommandLine("/paper x", "y"),)),
            Paragraph((When(NOW + timedelta(days=1)), "y")),
            Excerpt(("z",)),
        ),
    )
    assert payload(message) == payload(replace(message)) == payload(message)
