"""Lists: searches, topics, one's own papers, what the club has read, what is nominated."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.messages.model import Actions, Branch, Button, Mark
from bot.messages.pages.found import (
    history_page,
    needs_key,
    results_page,
    saved_page,
    search_id,
    similar_page,
    topic_papers_page,
)
from bot.messages.pages.nominations import (
    backed_page,
    nominate_form,
    nominated_again_page,
    nominated_page,
    nominations_page,
    removed_page,
    unknown_link_page,
    withdrawn_nomination_page,
)
from bot.messages.pages.topics import find_topic, paper_suggestion, topic_key, topic_suggestion, topics_page
from bot.messages.words import words_for
from bot.papers.model import Headline
from bot.rounds.model import Result
from bot.search.model import Found, Hit, TopicCount
from tests.messages.samples import (
    EN,
    NOW,
    SENTENCES,
    ZH,
    a_result,
    all_parts,
    four,
    nomination,
    paper,
    titled,
    told,
)

OPENS = NOW + timedelta(days=7)
BOX = SENTENCES.index("box")
MARKED = Hit(paper(44), title_marks=((0, 6),), abstract_marks=((BOX, BOX + 3),))


def test_a_search_of_one_page_shows_all_and_has_no_pager() -> None:
    page = results_page(EN, Found("tessel", 2, (MARKED, Hit(titled(58))), 1, 1))
    assert told(page) == [
        "2 papers for “tessel”",
        "*[Tessel]*/: a method that sorts ballots by colour and size/",
        "   Social Choice · Ballots · Ada Mund and 2 more · p44",
        "   “It needs one pass over the [box] and no table. On four boxes of ballots it is twice as quick as "
        "sorting by hand, and it loses none of them.”",
        "   <Read>",
        "On the sorting of ballots",
        "   Social Choice · Ballots · Ada Mund and 2 more · p58",
        "   “Grouped ballots are hard to read. We introduce Tessel, a method that sorts ballots by colour "
        "and size. It needs one pass over the box and no table. On four boxes of ballots it is …”",
        "   <Read>",
        "All 2 shown. Headlines in italics are taken from the abstracts; this listing gives no titles.",
    ]


def test_a_second_page_says_where_it_is_in_both_languages() -> None:
    found = Found("ballots", 8, (MARKED, MARKED, MARKED), 2, 2)
    english, chinese = told(results_page(EN, found)), told(results_page(ZH, found))
    assert english[0] == "8 papers for “ballots”, 6 to 8" and "<Previous> <Next> Page 2 of 2" in english
    assert chinese[0] == "“ballots”：共 8 篇，第 6–8 篇" and "<上一页> <下一页> 第 2 页，共 2 页" in chinese
    pager = next(all_parts(results_page(EN, found), Actions))
    assert [(item.id, item.disabled) for item in pager.items] == [
        ("search:1:ballots", False), ("search:3:ballots", True),
    ]  # fmt: skip


def test_a_page_with_a_single_paper_has_a_single_number() -> None:
    found = Found("ballots", 31, (MARKED,), 7, 7)
    assert told(results_page(EN, found))[0] == "31 papers for “ballots”, number 31"
    assert told(results_page(ZH, found))[0] == "“ballots”：共 31 篇，第 31 篇"


def test_a_long_query_travels_under_its_key() -> None:
    long = "needle " * 20
    assert needs_key(long) and not needs_key("needle")
    page = results_page(EN, Found(long, 8, (MARKED,), 1, 2), key="k3")
    assert [button.id for button in all_parts(page, Button) if button.id.startswith("search")] == [
        "search:0:~k3", "search:2:~k3",
    ]  # fmt: skip
    assert len(told(page)[0]) < 120


def test_a_query_that_looks_like_a_key_travels_under_one() -> None:
    assert search_id("~k3", 2, "k9") == "search:2:~k9"
    assert needs_key("~k3")


def test_emoji_count_twice_in_a_buttons_id() -> None:
    assert needs_key("🧪" * 45)


def test_hits_are_marked_in_authors_too() -> None:
    by = Hit(paper(authors=("A B", "Maria Ost", "C D")), author_marks=((1, (6, 9)),))
    line = told(results_page(EN, Found("ost", 1, (by,), 1, 1)))[2]
    assert line == "   Social Choice · Ballots · Maria [Ost] and 2 more · p57"


def test_nothing_found_says_what_to_try() -> None:
    page = results_page(EN, Found("sinkhron", 0, (), did_you_mean=("sinkhorn", 3)))
    assert told(page) == [
        "No paper for “sinkhron”.",
        "3 papers have “sinkhorn”. Fewer words find more; topics can be browsed.",
        "<Search “sinkhorn”> <Browse topics>",
    ]
    assert [button.id for button in all_parts(page, Button)] == ["find:sinkhorn", "topics"]
    assert told(results_page(ZH, Found("甲", 0, ())))[:2] == [
        "没有找到“甲”。",
        "可以少写几个词，或按主题浏览。",
    ]


def test_a_title_is_marked_only_where_it_matched() -> None:
    page = results_page(EN, Found("tessel", 1, (MARKED,), 1, 1))
    assert [
        mark.text
        for mark in all_parts(next(iter(all_parts(page, type(page.blocks[1])))).items[0].shown, Mark)
    ] == ["Tessel"]


def test_papers_of_a_topic_name_the_topic() -> None:
    page = topic_papers_page(ZH, "Social Choice · Ballots", Found("topic:x", 1, (MARKED,), 1, 1))
    assert told(page)[0] == "Social Choice · Ballots：1 篇论文"


def test_similar_papers_say_to_what() -> None:
    assert told(similar_page(EN, paper(), [titled(58)]))[0] == (
        "Close to Tessel: a method that sorts ballots by colour and size"
    )
    assert told(similar_page(EN, titled(), [])) == [
        "No paper is close to On the sorting of ballots.", "<Browse topics>",
    ]  # fmt: skip


def test_an_empty_list_says_how_to_fill_it() -> None:
    assert told(saved_page(EN, [], 0))[:2] == ["You have saved nothing yet.", "Press Save under any paper."]
    assert told(history_page(ZH, [], 0))[:2] == ["小组还没有一起读过论文。", "第一次投票决定第一篇。"]


def test_saved_papers_are_paged() -> None:
    page = saved_page(EN, four()[:2], 7, 1, 2)
    assert told(page)[0] == "7 saved papers"
    assert [button.id for button in all_parts(page, Button)][-2:] == ["saved:0", "saved:2"]


def discussed(result: Result) -> Result:
    return replace(result, round=replace(result.round, state="discussed"))


def test_the_history_tells_votes_and_days() -> None:
    assert told(history_page(EN, [discussed(a_result({1: 3, 2: 2}))], 1))[:4] == [
        "1 paper read together",
        "*Tessel*/: a method that sorts ballots by colour and size/",
        "   Social Choice · Ballots · p44",
        "   Monday 7 December · 3 of 5",
    ]


def test_a_paper_chosen_without_a_vote_has_no_votes_in_the_history() -> None:
    single = a_result({}, outcome="single", ballots=0, non_blank=0)
    assert told(history_page(EN, [discussed(single)], 1))[3] == "   Monday 7 December"


def test_a_paper_still_to_be_discussed_is_next_and_not_read() -> None:
    chosen = a_result({1: 3, 2: 2})
    assert told(history_page(EN, [chosen], 0))[0] == "No paper read together yet"
    assert told(history_page(EN, [chosen], 0))[3] == "   next, for the meeting on Monday 7 December · 3 of 5"
    assert told(history_page(ZH, [chosen], 0))[3].startswith("   下一篇，12 月 7 日星期一讨论会")
    assert told(history_page(EN, [chosen, discussed(chosen)], 1))[0] == "1 paper read together"


# ---- topics ----

COUNTS = (
    TopicCount("Theory", None, 7),
    TopicCount(None, None, 8),
    TopicCount("Deep Learning", None, 23),
    TopicCount("Deep Learning", "Attention, Memory, and More", 4),
    TopicCount("Deep Learning", "Graphs", 12),
)


def test_areas_stand_by_size_and_without_a_topic_is_last() -> None:
    assert told(topics_page(EN, COUNTS)) == [
        "38 papers in 2 areas",
        "Open an area, then a subarea to see its papers.",
        "Deep Learning 23",
        "Theory 7",
        "Without a topic 8",
        "<A random paper>",
    ]


def test_the_open_area_shows_its_subareas() -> None:
    page = topics_page(ZH, COUNTS, "Deep Learning")
    assert told(page)[2:6] == [
        "Deep Learning 23",
        "  Deep Learning：全部 23",
        "  Graphs 12",
        "  Attention, Memory, and More 4",
    ]
    assert told(page)[-1] == "<随机一篇：Deep Learning>"
    assert "random:Deep Learning" in [button.id for button in all_parts(page, Button)]


def test_every_branch_leads_somewhere() -> None:
    for key in ("", "Deep Learning"):
        for branch in all_parts(topics_page(EN, COUNTS, key), Branch):
            pressed = branch.id.removeprefix("topics:")
            leaf = find_topic(COUNTS, pressed)
            assert leaf is not None or any(topic_key(row.area) == pressed for row in COUNTS)
            if leaf is not None:
                assert leaf.papers == branch.count


def test_a_long_topic_gets_a_short_key() -> None:
    long = TopicCount("A" * 150, "B" * 150, 1)
    key = topic_key(long.area, long.subarea, whole=False)
    assert len(key) == 13 and find_topic((*COUNTS, long), key) == long


def test_an_empty_catalogue_says_who_fills_it() -> None:
    assert told(topics_page(EN, ()))[0] == "There are no papers yet."


def test_suggestions_say_what_they_give() -> None:
    words = words_for("en")
    assert topic_suggestion(words, "topic:x", COUNTS[4]).label == "Deep Learning · Graphs"
    assert topic_suggestion(words, "topic:x", COUNTS[4]).note == "12 papers"
    assert paper_suggestion(words, paper(headline=Headline(None, "word " * 40))).label.startswith(
        "p57 · word"
    )
    assert len(paper_suggestion(words, paper(headline=Headline(None, "word " * 40))).label) <= 100


# ---- nominations ----


def test_the_list_stands_in_order_of_nomination() -> None:
    listed = [
        nomination(1, paper(44), 2, reason="Short\nand good.", backers=("Member 5",)),
        nomination(2, titled(57), 3),
    ]
    page = nominations_page(EN, listed, opens_at=OPENS, left=2, limit=3)
    assert told(page) == [
        "2 papers nominated.",
        "The list is frozen Thu 10 Dec, 11:00, when the vote opens.",
        "1. *Tessel*/: a method that sorts ballots by colour and size/",
        "   Social Choice · Ballots · p44",
        "   Member 2, Wed 2 Dec, 11:00 · also backed by Member 5",
        "   > Short and good.",
        "   <Read>",
        "2. On the sorting of ballots",
        "   Social Choice · Ballots · p57",
        "   Member 3, Wed 2 Dec, 11:00",
        "   <Withdraw>",
        "<Nominate a paper> You have 2 of 3 nominations left",
        "In order of nomination. Of papers with equal votes, the one nominated first wins. "
        "Headlines in italics are taken from the abstracts; this listing gives no titles.",
    ]


def test_the_list_in_chinese() -> None:
    page = told(
        nominations_page(
            ZH, [nomination(1, titled(57), 2, backers=("小明",))], opens_at=OPENS, left=1, limit=3
        )
    )
    assert page[:2] == ["已提名 1 篇。", "12 月 10 日周四 11:00 投票开始，名单随即锁定。"]
    assert page[4] == "   Member 2，12 月 2 日周三 11:00 · 小明附议"
    assert page[6] == "<提名一篇论文> 你还可以提名 1 篇（共 3 篇）"


def test_a_long_list_has_pages_that_go_on_counting() -> None:
    listed = [nomination(n, titled(n), 9) for n in range(1, 26)]
    page = nominations_page(EN, listed, opens_at=None, left=3, limit=3, page=9)
    assert told(page)[0] == "25 papers nominated" and told(page)[1].startswith("21. ")
    assert "<Nominate a paper> <Previous> <Next> Page 3 of 3 · You have 3 of 3 nominations left" in told(page)


@pytest.mark.parametrize("today", [None, titled(57)])
def test_an_empty_list_offers_the_paper_of_the_day(today: object) -> None:
    page = nominations_page(EN, [], opens_at=OPENS, left=3, limit=3, today=today)  # type: ignore[arg-type]
    assert told(page)[:2] == [
        "Nothing is nominated yet.",
        "Press Nominate under any paper, or write /paper nominate p57. "
        "The vote opens Thu 10 Dec, 11:00, if there is at least one paper.",
    ]
    first = next(all_parts(page, Button))
    assert first.id == ("nominate:p57" if today else "nominate-form:new")


def test_a_nomination_is_answered_with_what_comes_next() -> None:
    mine = nomination(7, titled(57), 3)
    page = nominated_page(EN, mine, opens_at=OPENS, left=2, limit=3)
    assert told(page) == [
        "Nominated: On the sorting of ballots. The vote opens Thu 10 Dec, 11:00.",
        "You have 2 of 3 nominations left",
        "<See the list> <Withdraw>",
    ]
    assert [button.id for button in all_parts(page, Button)] == ["nominations", "withdraw:7"]


def test_a_second_nomination_backs_the_first() -> None:
    theirs, mine = nomination(7, titled(57), 2), nomination(7, titled(57), 3)
    assert told(backed_page(EN, theirs))[0] == (
        "On the sorting of ballots is nominated already, by Member 2. You now back it too."
    )
    assert "You have nominated" in told(nominated_again_page(EN, mine))[0]
    assert "You back" in told(nominated_again_page(EN, theirs))[0]


def test_taking_back_says_what_became_of_the_paper() -> None:
    assert told(withdrawn_nomination_page(ZH, titled()))[0] == "已撤回提名：On the sorting of ballots。"
    handed = withdrawn_nomination_page(EN, titled(), "handed_over", "Member 5")
    assert (
        told(handed)[0] == "Withdrawn. On the sorting of ballots stays on the list, since Member 5 backs it."
    )
    assert told(removed_page(EN, nomination(7, titled(), 2), "Read last year"))[:2] == [
        "Removed from the list: On the sorting of ballots, nominated by Member 2.", "Reason: Read last year",
    ]  # fmt: skip


def test_a_full_stop_of_a_title_is_not_doubled() -> None:
    assert (
        told(withdrawn_nomination_page(EN, titled(title="Ballots. Sorted.")))[0]
        == "Withdrawn: Ballots. Sorted."
    )


def test_an_unknown_link_asks_for_a_title() -> None:
    page = unknown_link_page(EN, "https://x.example/1", "7")
    assert [button.id for button in all_parts(page, Button)] == ["nominate-form:7"]
    form = nominate_form(EN, {"paper": "https://x.example/1"}, {"title": "A title is needed."}, "7")
    assert form.id == "propose:7"
    assert [(field.name, field.required) for field in form.fields] == [
        ("paper", True), ("title", False), ("authors", False), ("reason", False),
    ]  # fmt: skip
    assert form.fields[0].value == "https://x.example/1" and form.fields[1].fault == "A title is needed."


def test_readers_see_only_their_own_withdraw_button() -> None:
    listed = [nomination(1, titled(57), 3), nomination(2, titled(58), 2)]
    for member, own in ((3, ["withdraw:1"]), (2, ["withdraw:2"]), (None, [])):
        page = nominations_page(replace(EN, member=member), listed, opens_at=OPENS, left=2, limit=3)
        assert [b.id for b in all_parts(page, Button) if b.id.startswith("withdraw")] == own
