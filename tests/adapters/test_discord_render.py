"""Messages as Discord's components: always accepted, words as they were written, nobody called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.discord.controls import press_of
from adapters.discord.forms import modal
from adapters.discord.marks import escape, headline, inline, line
from adapters.discord.render import components, payload
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
    Note,
    Option,
    Paragraph,
    Reason,
    Shown,
    Small,
    Steps,
    Strong,
    Table,
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
from tests.lab.chatlab.fakediscord.validate import check_message, check_modal
from tests.messages.samples import EN, NOW, ZH, a_result, a_round, club, four, paper, titled
from tests.messages.test_limits import KINDS, pages

CLOSES = int(datetime(2026, 12, 4, 16, tzinfo=UTC).timestamp())
MEETING = int(datetime(2026, 12, 7, 15, tzinfo=UTC).timestamp())
SCIENTIST = "👩‍🔬"
EVIL = (
    "# @everyone @here <@123456789012345678> <@&123456789012345678> <#1> <t:1:R> </paper x:1> <:a:1> :tada: "
    "**b** __u__ _i_ `c` ~~s~~ ||p|| [x](http://x.example/(a)) > q\n> r\n- l\n1. n\n```\nx```"
)
CALLING = re.compile(r"@everyone|@here|<(?:@|#|t:|/|:|a:)|(?<!\\):\w+:")
SHOWN = Shown((EVIL,), (EVIL,), True)
TEXT = (EVIL, Strong(EVIL), Code(EVIL), Mark(EVIL), Link(EVIL, "https://x.example/a(b)"))
EVERY_BLOCK: tuple[Block, ...] = (
    Kicker(EVIL, TEXT),
    Heading(TEXT, "question"),
    Heading(TEXT, "answer"),
    Heading(TEXT, "section"),
    Fault(TEXT),
    Title(SHOWN),
    Title(Shown((EVIL,))),
    Paragraph(TEXT),
    Reason(EVIL, TEXT),
    Excerpt(TEXT),
    Entries((Entry(SHOWN, (TEXT, TEXT), 1, TEXT, EVIL, (Button("a", EVIL),), EVIL),)),
    Bars((Bar(TEXT, 1, 2, EVIL, True),)),
    Meter(1, 2, EVIL),
    Facts((Fact(EVIL, TEXT, TEXT),)),
    Winner(EVIL, SHOWN, (TEXT, TEXT)),
    Note(EVIL, TEXT),
    Steps((TEXT,)),
    Table((EVIL,), ((EVIL, EVIL),), (TEXT,), EVIL, frozenset({(0, 0)}), 0),
    Commands(EVIL, (CommandLine(EVIL, EVIL),)),
    Tree((Branch("topics:a", EVIL, 3, EVIL, True, (Branch("topics:b", EVIL, 1, EVIL),)),)),
    Try(((TEXT, Button("b", EVIL)),)),
    Divider(),
    Small(TEXT, EVIL),
    Actions((Button("c", EVIL), Menu("d", EVIL, (Option("e", EVIL, EVIL),))), EVIL),
)


def drawn(message: Message, **more: Any) -> list[dict[str, Any]]:
    """What stands in the container, after the strict server's own check."""
    sent = payload(message, private=True, **more)
    check_message(sent, settable_flags=1 << 15 | 1 << 6)
    (container,) = sent["components"]
    assert container["type"] == 17 and container["accent_color"] == 1333322
    parts = list(every(sent["components"]))
    assert len(parts) <= 40
    written = [part["content"] for part in parts if "content" in part]
    assert sum(map(length, written)) <= 4_000 and all(text.strip() for text in written)
    return list(container["components"])


def every(parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        yield part
        yield from every(part.get("components", []))
        yield from every([part["accessory"]] if "accessory" in part else [])


def texts(message: Message, **more: Any) -> list[str]:
    return [part["content"] for part in every(drawn(message, **more)) if "content" in part]


def said(*blocks: Block, **more: Any) -> list[str]:
    return texts(Message("x", blocks), **more)


def buttons(message: Message) -> list[str]:
    return [part["custom_id"] for part in every(drawn(message)) if "custom_id" in part]


def as_read(written: str) -> str:
    """The words a reader sees of escaped text."""
    return re.sub(r"\\([^A-Za-z0-9\s])", r"\1", written.replace("\u200b", ""))


def without_code(written: str) -> str:
    """What is left of Markdown without escaped signs and code, in which nothing is drawn as a mention."""
    return re.sub(r"\\.|`[^`]*`", "", written)


# ---- words ----


@pytest.mark.parametrize(
    "text",
    [
        "All @everyone models, for @here",
        "<@123456789012345678> <@!1> <@&1> <#1> <t:1796400000:R> </paper search:1> <:a:1> <a:b:1> <id:home>",
        "P(A|B) < 1 & <b>bold</b>, ||spoiler||, a_b_c, **x**, ~~s~~, `c`, \\*",
        "[title](https://x.example) [unclosed ](",
        ":tada: at 12:30:45",
        "@everyone" * 3,
        "<<@1>>",
        "``` \\",
    ],
)
def test_words_are_read_as_they_were_written(text: str) -> None:
    written = escape(text)
    assert as_read(written) == text
    assert not CALLING.search(written)
    assert not re.search(r"[*_~|`\[\]]", re.sub(r"\\.", "", written))


@pytest.mark.parametrize("sign", ["# ", "## ", "-# ", "- ", "> ", ">>> ", "1. ", "12. ", "+ ", "  - "])
def test_no_line_begins_a_heading_quote_or_list(sign: str) -> None:
    written = line((f"{sign}words",))
    assert not re.match(r"\s*(?:[#>+-]|\d+\.)", written)
    assert as_read(written).split() == f"{sign}words".split()
    assert line(("x ", f"{sign}words")).split() == ["x", *sign.split(), "words"]


def test_a_line_break_in_a_title_is_a_blank() -> None:
    assert escape("a\n  second\r\nline\u2028x\ty") == "a second line x y"


def test_addresses_stay_as_they_are() -> None:
    text = "see https://x.example/a_b_(c)~d, and more_words"
    assert escape(text) == "see https://x.example/a_b_(c)~d, and more\\_words"
    assert "@everyone" not in escape("https://x.example/@everyone*x*")


def test_nothing_that_cannot_be_sent_stands_in_a_text() -> None:
    assert escape("a\x00b\ud800c").encode() == "a\ufffdb\ufffdc".encode()


def test_backticks_do_not_end_code() -> None:
    assert inline((Code("a `b` c\nd"),)) == "`a ˋbˋ c d`"
    assert inline((Code(" "), "x")) == "x"


def test_a_link_keeps_its_brackets_apart() -> None:
    text = inline((Link("a [b] (c)", "https://x.example/a(b)?q=1 2"),))
    assert text == r"[a \[b\] (c)](https://x.example/a%28b%29?q=1%202)"
    assert inline((Link("words", "javascript:alert(1)"),)) == "words"


def test_instants_are_worded_by_the_platform() -> None:
    at = datetime(2026, 12, 4, 16, tzinfo=UTC)
    styles = (When(at), When(at, "date"), When(at, "relative"), When(at, "time"))
    assert [inline((style,)) for style in styles] == [f"<t:{CLOSES}:{letter}>" for letter in "FDRT"]


def test_a_channel_is_linked_where_its_id_is_known() -> None:
    assert inline((ChannelRef("123", "papers"),)) == "<#123>"
    assert inline((ChannelRef("c1", "pa_pers"),)) == r"pa\_pers"


def test_hits_are_bold_and_underlined_and_inside_bold_underlined() -> None:
    assert inline(("a ", Mark("hit"), " b")) == "a __**hit**__ b"
    shown = Shown(("The ", Mark("Sinkhorn"), " effect"), (", an ", Mark("optimal"), " one"), True)
    assert headline(shown) == "**The __Sinkhorn__ effect**, *an __**optimal**__ one*"


def test_neighbouring_marks_are_not_read_as_one() -> None:
    assert inline((Strong("a"), Strong("b"))) == "**a**\u200b**b**"
    assert inline((Mark("a"), Mark("b"))) == "__**a**__\u200b__**b**__"


@pytest.mark.parametrize(
    ("shown", "written"),
    [
        (Shown(("On *stars*",)), r"**On \*stars\***"),
        (Shown(("Tessel",), (": a method",), True), "**Tessel**: *a method*"),
        (Shown((), ("a method ",), True), "*a method*"),
        (Shown(("Tessel",), (), True), "**Tessel**"),
        (Shown(("名",), ("：一种新方法",), True), "**名**：一种新方法"),
        (Shown(("a",), ("b",), True), "**a**\u200b*b*"),
        (Shown((" ",), (" ",), True), ""),
    ],
)
def test_a_stand_in_never_poses_as_a_title(shown: Shown, written: str) -> None:
    assert headline(shown) == written


# ---- blocks ----


@pytest.mark.parametrize("block", EVERY_BLOCK, ids=lambda block: type(block).__name__)
def test_what_people_wrote_calls_nobody_and_formats_nothing(block: Block) -> None:
    for written in said(block):
        outside = without_code(written)
        assert not CALLING.search(outside), written
        assert "||" not in outside and "~~" not in outside and "](http://x.example" not in outside
        for each in written.split("\n"):
            assert not re.match(r"(?:-# |> |#+ )*(?:- |1\. |[#>] r|# @)", each), each


def test_every_send_allows_no_mention() -> None:
    sent = payload(Message("All @everyone", (Paragraph(("@everyone",)),)))
    assert sent["allowed_mentions"] == {"parse": []} and sent["flags"] == 1 << 15
    assert "nonce" not in sent and "enforce_nonce" not in sent


def test_only_the_named_role_is_called() -> None:
    sent = payload(Message("x", (Kicker("Vote open"), Small(("y",)))), role="42", nonce="d1", code="5KQ7")
    assert sent["allowed_mentions"] == {"parse": [], "roles": ["42"]}
    assert sent["nonce"] == "d1" and sent["enforce_nonce"] is True
    assert [part["content"] for part in sent["components"][0]["components"]] == [
        "**Vote open** · <@&42>",
        "-# y · 5KQ7",
    ]
    assert said(Actions((Button("a", "A"),)), role="42")[0] == "<@&42>"


def test_the_code_is_the_last_word_of_the_small_print() -> None:
    assert said(Small(("first",)), Small(("second",), "p57"), code="5KQ7") == [
        "-# first",
        "-# p57 · second · 5KQ7",
    ]
    assert said(Paragraph(("x",)), code="5KQ7")[-1] == "-# 5KQ7"


def test_a_poll_is_drawn_as_it_was_agreed() -> None:
    vote = a_round(four(), reason="It brings *the* idea.")
    message = vote_page(EN, vote, Turnout(3, 6))
    parts = drawn(message, code="5KQ7")
    assert [part["type"] for part in parts] == [10, 10, 10, 14, 9, 9, 9, 9, 1, 10]
    written = texts(message, code="5KQ7")
    assert written[:3] == [
        f"**Vote open** · for the meeting on <t:{MEETING}:D>",
        "## Which of these would you read?",
        f"**Closes** <t:{CLOSES}:F> (<t:{CLOSES}:R>), 17:00 in Europe/Berlin\n"
        "**Turnout** 3 of 6 members have voted",
    ]
    assert written[3] == (
        "**1** · **Tessel**: *a method that sorts ballots by colour and size*\n"
        "-# Social Choice · Ballots · nominated by Member 1\n"
        r"> It brings \*the\* idea."
    )
    assert parts[4]["accessory"] == {"type": 2, "style": 2, "label": "Read", "custom_id": "more:p44"}
    assert parts[8]["components"][0]["style"] == 1 and parts[8]["components"][1]["style"] == 2
    assert written[-1].startswith("-# Tick as many") and written[-1].endswith(" · 5KQ7")


def test_the_club_time_is_said_in_the_language_of_the_message() -> None:
    assert "17:00 in Europe/Berlin" in str(texts(vote_page(EN, a_round(four()), Turnout(3, 6))))
    assert ":R>），Europe/Berlin 时间 17:00" in str(texts(vote_page(ZH, a_round(four()), Turnout(3, 6))))


def test_a_result_is_drawn_as_it_was_agreed() -> None:
    written = texts(result_page(EN, a_result({1: 4, 2: 3, 3: 1, 4: 0})), code="8QX2")
    assert written[1] == "**Winner**\n## **Tessel**: *a method that sorts ballots by colour and size*"
    assert written[2] == "Ada Mund, Bo Lind, Cy Orr\n-# Social Choice · Ballots"
    assert written[3].startswith("**Tessel**\n`████░` **4 of 5**, won\n**Dee Fox et al.**\n`███░░` 3 of 5\n")
    assert f"**Next meeting** <t:{MEETING}:F> (<t:{MEETING}:R>), 16:00 in Europe/Berlin" in written[4]
    assert written[5].startswith("-# p44 · The other papers stay")


def test_a_post_is_drawn_as_it_was_agreed() -> None:
    message = daily_page(EN, paper(), date(2026, 11, 30), Choice("turn", "Social Choice", 9))
    noon = int(datetime(2026, 11, 30, 11, tzinfo=UTC).timestamp())
    assert [part["type"] for part in drawn(message)] == [10, 10, 10, 10, 14, 10, 1, 10]
    written = texts(message)
    assert written[0] == f"**Today’s paper** · <t:{noon}:D>"
    assert written[2] == "**Social Choice · Ballots**\nAda Mund, Bo Lind, Cy Orr"
    assert written[3].startswith("**Why this paper:** areas take turns")
    assert written[4].startswith("> It needs one pass") and written[5].startswith("-# p57 · The listing")


def test_commands_are_mentions_once_their_ids_are_known() -> None:
    page = help_page(replace(EN, organiser=True), COMMANDS, club())
    written = "\n".join(texts(page, commands={"paper": "118"}))
    assert "\n</paper search:118>  words, “a phrase”" in written
    assert "`/club post now`  " in written
    assert "`/paper search" in "\n".join(texts(page))


def test_a_page_is_turned_beside_its_number() -> None:
    hit = Hit(paper(), (), (), ())
    page = results_page(EN, Found("tessel", 8, (hit,), 2, 2, None))
    row = next(part for part in drawn(page) if part["type"] == 1)
    assert [
        (item["label"], item["custom_id"], item.get("disabled", False)) for item in row["components"]
    ] == [
        ("Previous", "search:1:tessel", False),
        ("Page 2 of 2", "search:-:tessel", True),
        ("Next", "search:3:tessel", True),
    ]


@pytest.mark.parametrize(
    ("votes", "total", "picture"),
    [(0, 0, "░" * 10), (3, 5, "███░░"), (7, 12, "█" * 7 + "░" * 5), (13, 26, "█████░░░░░"), (9, 5, "█████")],
)
def test_a_bar_has_a_cell_a_ballot_or_ten(votes: int, total: int, picture: str) -> None:
    assert said(Bars((Bar(("a",), votes, total, "n"),))) == [f"**a**\n`{picture}` n"]


def test_a_meter_does_not_say_twice_what_a_fact_says() -> None:
    meter = Meter(3, 5, "3 of 5 have voted")
    assert said(meter) == ["3 of 5 have voted"]
    assert said(Facts((Fact("Turnout", (meter.text,)),)), meter) == ["**Turnout** 3 of 5 have voted"]


def test_kinds_of_buttons_have_their_colours() -> None:
    row = drawn(
        Message(
            "x",
            (
                Actions(
                    (
                        Button("a", "A", "first"),
                        Button("b", "B", "plain"),
                        Button("c", "C", "quiet"),
                        Button("d", "D", "warn", disabled=True),
                        Button("e", "E", pressed=True),
                        Button("f", "F"),
                    )
                ),
            ),
        )
    )
    assert [[item["style"] for item in each["components"]] for each in row] == [[1, 2, 2, 4, 3], [2]]
    assert [item.get("disabled", False) for item in row[0]["components"]] == [
        False,
        False,
        False,
        True,
        False,
    ]


def test_no_button_is_drawn_twice_nor_one_that_cannot_be_pressed() -> None:
    twice = Button("more:p1", "Read")
    entries = Entries((Entry(Shown(("a",)), buttons=(twice,)), Entry(Shown(("b",)), buttons=(twice,))))
    message = Message("x", (entries, Actions((twice, Button("x" * 101, "Long"), Button("", "None")))))
    assert buttons(message) == ["more:p1"]
    assert texts(message) == ["**a**", "**b**"]


def test_several_buttons_of_an_entry_stand_below_it() -> None:
    entry = Entry(Shown(("a",)), buttons=(Button("x", "X"), Button("y", "Y")))
    assert [part["type"] for part in drawn(Message("x", (Entries((entry,)),)))] == [10, 1]


def test_a_menu_has_numbers_in_front_and_each_value_once() -> None:
    long = "A title that goes on and on " * 6
    options = tuple(Option(f"p{n // 2}", long, "t" * 150, number=n) for n in range(1, 60))
    (row,) = drawn(Message("x", (Actions((Menu("more", "Read " * 40, options),)),)))
    (select,) = row["components"]
    assert len(select["options"]) == 25 and len({option["value"] for option in select["options"]}) == 25
    assert select["options"][1]["label"].startswith("2 · A title")
    assert press_of(select["custom_id"], ["p7"]) == "more:p7" and press_of("vote:12") == "vote:12"


def test_a_tree_is_a_menu_of_areas_and_one_of_the_open_ones() -> None:
    leaves = tuple(Branch(f"topics:A · {n}", f"{n}", n, f"{n} papers") for n in range(30))
    tree = Tree((Branch("topics:A", "A", 9, "9 papers", True, leaves), Branch("topics:B", "B", 1, "1 paper")))
    selects = [row["components"][0] for row in drawn(Message("x", (tree,)))]
    assert [len(select["options"]) for select in selects] == [2, 25, 5]
    assert selects[0]["options"][0] == {
        "value": "topics:A", "label": "A", "description": "9 papers", "default": True,
    }  # fmt: skip
    for select in selects:
        value = select["options"][-1]["value"]
        assert press_of(select["custom_id"], [value]) == value


# ---- limits ----


@pytest.mark.parametrize("abstract", ["", "   ", None])
def test_a_paper_without_anything_is_drawn(abstract: str | None) -> None:
    bare = Paper((), False, None, None, abstract or "", id=1)
    for page in (paper_page(EN, bare), daily_page(EN, bare, date(2026, 11, 30), None)):
        written = "\n".join(texts(page))
        assert "Unknown authors" in written and "No abstract given." in written
        assert "None" not in written and "null" not in written


@pytest.mark.parametrize("tail", [SCIENTIST + "tail", "e\u0301tail"])
@pytest.mark.parametrize("size", [2_000, 3_000, 4_000, 4_096, 9_000])
def test_a_text_at_the_limit_ends_in_a_whole_sign(size: int, tail: str) -> None:
    for block in (Excerpt(("x" * (size - 1) + tail,)), Paragraph(("x" * (size - 1) + tail,))):
        (written,) = said(block)
        if written.endswith("tail"):
            assert size < 4_000
            continue
        assert written.endswith("x…") and length(written) <= 4_000
        written.encode()


def test_quotes_are_cut_before_other_words() -> None:
    quote = "a reason " * 60
    items = tuple(Entry(Shown((f"Title {n} " + "t" * 100,)), (("line",),), n, quote=quote) for n in range(12))
    written = said(Entries(items))
    assert all(f"Title {n} {'t' * 100}" in written[n] for n in range(12))
    assert all("> a reason" in each and "…" in each for each in written)


def test_of_too_many_parts_words_and_code_stay() -> None:
    button = tuple(Button(f"b{n}", "B") for n in range(60))
    items = tuple(Entry(Shown((f"{n}",)), buttons=(button[n],)) for n in range(20))
    assert said(Entries(items), Small(("end",)), code="5KQ7")[-1] == "-# end · 5KQ7"
    many = tuple(Paragraph((f"{n}",)) if n % 2 else Divider() for n in range(120))
    assert "59" in said(*many, code="5KQ7")[-1]


def test_an_empty_message_says_its_summary() -> None:
    assert texts(Message("A *summary*", ())) == [r"A \*summary\*"]
    assert texts(Message("", (Paragraph((" ",)), Excerpt(()), Actions(())))) == ["…"]


def test_twenty_five_papers_fit_a_poll() -> None:
    same = "The same hundred signs at the beginning of two titles, which is rather long for a title, but it is so "
    papers = [titled(n, f"{same}{n}") for n in range(24)] + [titled(24, "x" * 150)]
    row = next(
        part for part in every(drawn(vote_page(EN, a_round(papers), Turnout(3, 30)))) if part["type"] == 3
    )
    assert len(row["options"]) == 25
    assert all(1 <= length(option["label"]) <= 100 for option in row["options"])
    assert len({option["value"] for option in row["options"]}) == 25


@pytest.mark.parametrize("kind", KINDS)
def test_every_page_is_accepted_in_both_languages(kind: str) -> None:
    for reader in (replace(EN, organiser=True), ZH):
        for name, page in pages(reader, KINDS[kind]):
            if isinstance(page, Form):
                check_modal(modal(page))
            else:
                written = texts(page, code="5KQ7", role="123456789012345678", commands={"paper": "1" * 19})
                assert written[-1].endswith("5KQ7") and "None" not in "".join(written).replace("None:", ""), (
                    name
                )


WORDS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["", " ", EVIL, "x" * 5_000, EVIL * 12, SCIENTIST * 150, "a\n\n# b", "word " * 700]),
)
INSTANTS = st.datetimes(datetime(1971, 1, 1), datetime(2999, 1, 1), timezones=st.just(UTC))
INLINES = st.one_of(
    WORDS,
    st.builds(Strong, WORDS),
    st.builds(Code, WORDS),
    st.builds(Mark, WORDS),
    st.builds(When, INSTANTS, st.sampled_from(["moment", "date", "relative", "time"])),
    st.builds(Link, WORDS, st.one_of(WORDS, st.just("https://x.example/(a) b"))),
    st.builds(ChannelRef, st.sampled_from(["1", "c1"]), WORDS),
)


def some(strategy: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[Any]:
    return st.lists(strategy, max_size=most).map(tuple)


LINES = some(INLINES, 3)
SHOWNS = st.builds(Shown, LINES, LINES, st.booleans())
BUTTONS = st.builds(
    Button, WORDS, WORDS, st.sampled_from(["first", "plain", "quiet", "warn"]), st.booleans(), st.booleans()
)
MENUS = st.builds(
    Menu,
    WORDS,
    WORDS,
    some(st.builds(Option, WORDS, WORDS, WORDS, st.booleans(), st.none() | st.integers(1, 25)), 30),
)
LEAVES = some(st.builds(Branch, WORDS, WORDS, st.integers(0, 9), WORDS), 30)
BLOCKS: st.SearchStrategy[Block] = st.one_of(
    st.builds(Kicker, WORDS, LINES),
    st.builds(Heading, LINES, st.sampled_from(["question", "answer", "section"])),
    st.builds(Fault, LINES),
    st.builds(Title, SHOWNS),
    st.builds(Paragraph, LINES, st.booleans()),
    st.builds(Reason, WORDS, LINES),
    st.builds(Excerpt, LINES),
    st.builds(
        Entries,
        some(
            st.builds(
                Entry, SHOWNS, some(LINES, 2), st.none() | st.just(3), LINES, WORDS, some(BUTTONS, 2), WORDS
            ),
            12,
        ),
    ),
    st.builds(
        Bars, some(st.builds(Bar, LINES, st.integers(0, 99), st.integers(0, 99), WORDS, st.booleans()), 9)
    ),
    st.builds(Meter, st.integers(0, 9), st.integers(0, 9), WORDS),
    st.builds(Facts, some(st.builds(Fact, WORDS, LINES, LINES), 9)),
    st.builds(Winner, WORDS, SHOWNS, some(LINES, 3)),
    st.builds(Note, WORDS, LINES),
    st.builds(Steps, some(LINES, 9)),
    st.builds(Commands, WORDS, some(st.builds(CommandLine, WORDS, WORDS), 9)),
    st.builds(
        Tree,
        some(st.builds(Branch, WORDS, WORDS, st.integers(0, 9), WORDS, st.booleans(), LEAVES), 30),
    ),
    st.builds(Try, some(st.tuples(LINES, BUTTONS), 4)),
    st.just(Divider()),
    st.builds(Small, LINES, WORDS),
    st.builds(Actions, some(st.one_of(BUTTONS, MENUS), 9), WORDS),
)


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # texts at the limits are large
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.builds(Message, WORDS, some(BLOCKS, 7), st.sampled_from(["en", "zh"]), st.just("Europe/Berlin")),
    st.sampled_from(["", "5KQ7"]),
    st.sampled_from(["", "123456789012345678"]),
)
def test_any_message_is_accepted(message: Message, code: str, role: str) -> None:
    written = texts(message, code=code, role=role, commands={"paper": "1"})
    if code:
        assert sum(each.endswith(code) for each in written) == 1
    if role:
        assert f"<@&{role}>" in written[0]
    for each in written:
        assert not re.search(r"<@|@everyone", without_code(each.replace(f"<@&{role}>", "")))


def test_equal_messages_give_equal_components() -> None:
    at = NOW + timedelta(days=1)
    message = Message("x", (Paragraph((When(at), "y")), Entries((Entry(SHOWN, quote=EVIL),))))
    assert components(message) == components(replace(message))
