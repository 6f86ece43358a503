"""The weekly vote: the poll, a member's ballot, the result, and weeks without a vote."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.messages.model import Actions, Button, ChoiceField, Entries, Menu, Meter
from bot.messages.pages.ballots import (
    ballot_form,
    ballot_withdrawn_page,
    late_page,
    my_ballot_page,
    readback_page,
)
from bot.messages.pages.how import how_page
from bot.messages.pages.results import no_result_page, result_page
from bot.messages.pages.rounds import no_vote_page, single_page, turnout_line, vote_page
from bot.messages.words import words_for
from bot.rounds.model import Ballot, Step, Turnout
from tests.messages.samples import (
    EN,
    NOW,
    ZH,
    a_result,
    a_round,
    all_parts,
    candidates,
    four,
    paper,
    titled,
    told,
)

AFTER = datetime(2026, 12, 4, 16, 0, 4, tzinfo=UTC)
RULES = (
    "Tick as many papers as you like. Secret ballot: until closing, everybody sees the turnout only; "
    "after closing, the totals. Most ticks win. "
    "Of equals, the one nominated first wins, then the sealed draw decides. "
    "Headlines in italics are taken from the abstracts; this listing gives no titles."
)


# ---- the poll ----


def test_the_poll_in_english() -> None:
    page = vote_page(EN, a_round(four()[:2], reason="I would like to present it."), Turnout(3, 5))
    assert page.summary == "Vote open for the meeting on Monday 7 December. Which of these would you read?"
    assert told(page) == [
        "Vote open for the meeting on Monday 7 December",
        "Which of these would you read?",
        "Closes: Fri 4 Dec, 17:00 in 1 day 6 hours",
        "Turnout: 3 of 5 members have voted",
        "3/5 3 of 5 members have voted",
        "1. *Tessel*/: a method that sorts ballots by colour and size/",
        "   Social Choice · Ballots · nominated by Member 1",
        "   > I would like to present it.",
        "   <Read>",
        "2. On the sorting of ballots",
        "   Social Choice · Ballots · nominated by Member 2",
        "   > I would like to present it.",
        "   <Read>",
        "<Vote / change my vote> <My ballot>",
        RULES,
    ]


def test_the_poll_in_chinese() -> None:
    page = vote_page(ZH, a_round(four()[1:2] + four()[3:]), Turnout(3, None))
    assert page.summary == "12 月 7 日星期一讨论会投票进行中：你愿意读哪几篇？"
    assert told(page)[:4] == [
        "投票进行中 12 月 7 日星期一讨论会",
        "你愿意读哪几篇？",
        "截止: 12 月 4 日周五 17:00 1 天 6 小时后",
        "投票人数: 已有 3 人投票",
    ]
    assert told(page)[-2:] == [
        "<投票 / 改票> <我的选票>",
        "可以多选。不记名：截止前只显示投票人数，截止后公布总数。得票最多的胜出。"
        "平票时先提名的胜出，再由封存的抽签决定。",
    ]
    assert not list(all_parts(page, Meter))


def test_nothing_in_the_poll_tells_who_leads() -> None:
    """The same poll, whatever was voted: it knows the turnout and nothing else."""
    page = vote_page(EN, a_round(four()), Turnout(3, 5))
    assert [entry.number for entries in all_parts(page, Entries) for entry in entries.items] == [1, 2, 3, 4]
    digits = [line for line in told(page) if any(sign.isdigit() for sign in line)]
    assert not [
        line for line in digits if "vote" in line.lower() and "members" not in line and "Vote" not in line
    ]


@pytest.mark.parametrize(("voted", "active", "line"), [
    (0, 5, "0 of 5 members have voted"), (1, None, "1 has voted"), (3, None, "3 have voted"),
    (1, 1, "1 of 1 member has voted"),
])  # fmt: skip
def test_the_turnout_is_told_as_far_as_it_is_known(voted: int, active: int | None, line: str) -> None:
    assert turnout_line(words_for("en"), Turnout(voted, active)) == line


def test_many_candidates_are_read_through_one_menu() -> None:
    papers = [titled(number) for number in range(1, 26)]
    page = vote_page(EN, a_round(papers, reason="Because."), Turnout(3, 5))
    menu = next(all_parts(page, Menu))
    assert menu.id == "more" and [option.value for option in menu.options] == [f"p{n}" for n in range(1, 26)]
    assert not any(
        entry.buttons or entry.quote or entry.lines for e in all_parts(page, Entries) for entry in e.items
    )


def test_a_withdrawn_candidate_keeps_its_number_and_leaves_the_ballot() -> None:
    first, second, *rest = candidates(four())
    vote = a_round([], candidates=(first, replace(second, withdrawn=True), *rest))
    assert "   Social Choice · Ballots · nominated by Member 2 · withdrawn" in told(
        vote_page(EN, vote, Turnout(0, 5))
    )
    field = ballot_form(EN, vote, Ballot(None)).fields[0]
    assert isinstance(field, ChoiceField) and [option.number for option in field.options] == [1, 3, 4]


def test_a_removed_candidate_gives_the_organisers_reason_instead_of_the_nominators() -> None:
    first, second, *rest = candidates(four(), "Read me.")
    gone = (
        replace(first, withdrawn=True, removed="Read\nin May"),
        replace(second, withdrawn=True, removed=""),
    )
    lines = told(vote_page(ZH, a_round([], candidates=(*gone, *rest)), Turnout(0, 5)))
    assert lines.count("   > Read me.") == len(rest)
    assert any(line.endswith("已移除：Read in May") for line in lines)
    assert any(line.endswith("已移除") for line in lines)
    many = tuple(replace(each, withdrawn=True, removed="x" * 300) for each in candidates([*four() * 3]))
    lines = told(vote_page(EN, a_round([], candidates=many), Turnout(0, 5)))
    assert any(line.strip() == "removed: " + "x" * 29 + "…" for line in lines)


def test_after_its_closing_the_poll_has_no_button_to_vote() -> None:
    vote = a_round(four())
    waiting = vote_page(replace(EN, now=AFTER), vote, Turnout(3, 5))
    assert "The result follows." in told(waiting)[-1]
    assert not list(all_parts(waiting, Actions))
    decided = vote_page(
        replace(EN, now=AFTER), replace(vote, state="decided", closed_at=AFTER), Turnout(3, 5)
    )
    assert [b.id for a in all_parts(decided, Actions) for b in a.items] == ["result:12"]
    assert decided.summary == "This vote closed on Fri 4 Dec, 17:00."
    assert told(decided)[0].startswith("Vote closed")


def test_an_extended_vote_says_so() -> None:
    away = a_round(four(), away_from=NOW - timedelta(hours=2), away_to=NOW - timedelta(hours=1))
    assert (
        "The bot was away from Thu 3 Dec, 09:00 to Thu 3 Dec, 10:00. The vote now closes Fri 4 Dec, 17:00."
        in told(vote_page(EN, away, Turnout(0, 5)))
    )


def test_a_week_without_nominations_says_what_to_do() -> None:
    assert told(no_vote_page(EN))[:3] == [
        "No vote this week",
        "No paper was nominated, so there is no vote this week.",
        "Nominations for next week are open.",
    ]


def test_a_single_nomination_is_the_paper_without_a_vote() -> None:
    page = told(single_page(EN, a_round([titled()], state="decided")))
    assert page[1] == "Chosen # On the sorting of ballots"
    assert (
        "Only one paper is nominated, so there is no vote. "
        "On the sorting of ballots is the paper for Monday 7 December." in page
    )
    assert "Next meeting Mon 7 Dec, 16:00, in 4 days 5 hours" in page
    chinese = told(single_page(ZH, a_round([titled()], state="decided")))
    assert "下次讨论会：12 月 7 日周一 16:00（4 天 5 小时后）" in chinese


# ---- the ballot ----


def test_a_first_ballot_has_nothing_ticked() -> None:
    form = ballot_form(EN, a_round(four()), Ballot(None))
    assert (form.id, form.submit) == ("ballot:12", "Count my ballot")
    assert form.title == "Your ballot: which would you read?"
    field = form.fields[0]
    assert isinstance(field, ChoiceField) and field.several and not field.required
    assert [(option.value, option.chosen) for option in field.options] == [
        ("p44", False), ("p57", False), ("p5", False), ("p64", False),
    ]  # fmt: skip
    assert any("Whoever runs the bot could read it" in part for part in form.small if isinstance(part, str))


def test_the_present_ballot_is_filled_in() -> None:
    field = ballot_form(EN, a_round(four()), Ballot((2, 3))).fields[0]
    assert isinstance(field, ChoiceField) and [option.chosen for option in field.options] == [
        False,
        True,
        True,
        False,
    ]


def test_look_alike_papers_are_told_apart_on_the_ballot() -> None:
    same = "The very same beginning of two titles that differ only at their far ends, where nobody looks: "
    field = ballot_form(EN, a_round([titled(1, same + "one"), titled(2, same + "two")]), Ballot(None)).fields[
        0
    ]
    assert isinstance(field, ChoiceField)
    assert all(len(option.label) <= 75 for option in field.options)
    assert len({(option.value, option.number) for option in field.options}) == 2


def test_the_read_back_names_the_chosen_papers() -> None:
    assert told(readback_page(EN, a_round(four()), Ballot((1, 2), NOW))) == [
        "Counted. You would read: papers 1 and 2.",
        "1. *Tessel*/: a method that sorts ballots by colour and size/",
        "2. On the sorting of ballots",
        "You can change or withdraw this until Fri 4 Dec, 17:00. Your last ballot counts.",
        "<Change my vote> <Withdraw my ballot>",
        "Headlines in italics are taken from the abstracts; this listing gives no titles.",
    ]
    assert told(readback_page(ZH, a_round(four()), Ballot((2,), NOW)))[0] == "已计入。你愿意读：第 2 篇。"
    assert told(readback_page(ZH, a_round(four()), Ballot((), NOW)))[0] == "已计为参加，未选论文。"


def test_my_ballot_says_when_there_is_none() -> None:
    assert told(my_ballot_page(EN, a_round(four()), Ballot(None))) == [
        "You have not voted in this round.", "Closes Fri 4 Dec, 17:00", "<Vote / change my vote>",
    ]  # fmt: skip
    old = a_round(four(), state="decided")
    assert told(my_ballot_page(EN, old, Ballot(None))) == [
        "You have not voted in this round.",
        "<See the result>",
    ]
    assert told(my_ballot_page(EN, old, Ballot((4,))))[-1] == "<See the result>"
    assert told(ballot_withdrawn_page(EN, a_round(four())))[0] == (
        "Withdrawn, as if you had not voted. You can vote again until Fri 4 Dec, 17:00."
    )


@pytest.mark.parametrize(
    ("positions", "stands"),
    [
        ((2, 3), "Your last ballot before closing stands: papers 2 and 3."),
        ((), "Your last ballot before closing stands: present, without a wish."),
        (None, "You had not voted before closing."),
    ],
)
def test_a_late_press_is_told_what_stands(positions: tuple[int, ...] | None, stands: str) -> None:
    vote = a_round(four(), state="decided", closed_at=datetime(2026, 12, 4, 16, 0, tzinfo=UTC))
    assert told(late_page(EN, vote, AFTER, Ballot(positions))) == [
        "This vote closed on Fri 4 Dec, 17:00.",
        f"Your press came at 17:00:04 and was not counted. {stands}",
        "<See the result>",
    ]


# ---- the result ----


def test_the_result_in_english() -> None:
    page = result_page(EN, a_result({1: 4, 2: 2, 3: 2, 4: 0}))
    assert page.summary == "Winner: Tessel: a method that sorts ballots by colour and size, 4 of 5"
    assert told(page) == [
        "Result for the meeting on Monday 7 December",
        "Winner # *Tessel*/: a method that sorts ballots by colour and size/",
        "Ada Mund, Bo Lind, Cy Orr",
        "Social Choice · Ballots",
        "Tessel 4 of 5 won",
        "Dee Fox et al. 2 of 5",
        "Fay Hill 2 of 5",
        "PACS 0 of 5",
        "Turnout: 5 of 6 members",
        "Margin: 2 ballots",
        "Next meeting: Mon 7 Dec, 16:00 in 4 days 5 hours",
        "<How this was counted> <My ballot>",
        "p44 · The other papers stay nominated for up to 4 more rounds. "
        "The listing gives no title; the headline is taken from the abstract.",
    ]


def test_of_papers_nominated_in_one_minute_it_is_said_which_came_first() -> None:
    tie = a_result({1: 3, 2: 3, 3: 2, 4: 1}, tied=(1, 2), tie_rule="age")
    first, second, *others = tie.round.candidates
    second = replace(second, nominated_at=first.nominated_at + timedelta(seconds=20))
    options = {"1": first.nominated_at.isoformat(), "2": second.nominated_at.isoformat()}
    step = Step("tie.age", {"options": ["1", "2"], "nominated": options, "settled": True})
    steps = (step, Step("tie.settled", {"options": ["1"]}))
    tie = replace(tie, round=replace(tie.round, candidates=(first, second, *others)), steps=steps)
    assert (
        "Tessel was nominated first, on Mon 30 Nov, 12:00; Dee Fox et al. later in the same minute. "
        "This rule was announced when the vote opened."
    ) in "".join(told(result_page(EN, tie)))
    assert "Tessel, Mon 30 Nov, 12:00. Then Dee Fox et al., later in the same minute." in "".join(
        told(how_page(EN, tie))
    )


def test_a_tie_names_its_rule_in_both_languages() -> None:
    tie = a_result({1: 3, 2: 3, 3: 2, 4: 1}, tied=(1, 2), tie_rule="age")
    assert (
        "[A tie, broken by age] Tessel and Dee Fox et al. have 3 of 5 each. "
        "Tessel was nominated first, on Mon 30 Nov, 12:00; Dee Fox et al. on Mon 30 Nov, 13:00. "
        "This rule was announced when the vote opened." in told(result_page(EN, tie))
    )
    assert "Margin: none, decided by the tie rule" in told(result_page(EN, tie))
    assert (
        "[平票，先提名的胜出] Tessel 与 Dee Fox 等各得 3 票（5 人投票）。"
        "Tessel 先提名（11 月 30 日周一 12:00），Dee Fox 等在后（11 月 30 日周一 13:00）。"
        "这条规则在投票开始时已说明。" in told(result_page(ZH, tie))
    )


def test_a_tie_of_three_names_all() -> None:
    tie = a_result({1: 3, 2: 3, 3: 3, 4: 1}, tied=(1, 2, 3), tie_rule="age")
    notes = [line for line in told(result_page(EN, tie)) if line.startswith("[A tie")]
    assert notes[0].startswith("[A tie, broken by age] Tessel, Dee Fox et al. and Fay Hill have 3 of 5 each.")


def test_the_winner_stands_first_among_equals() -> None:
    tie = a_result({1: 3, 2: 3, 3: 2, 4: 1}, winner=2, tied=(1, 2), tie_rule="draw")
    lines = told(result_page(EN, tie))
    assert lines[4:6] == ["Dee Fox et al. 3 of 5 won", "Tessel 3 of 5"]
    assert any(
        line.startswith("[A tie that age cannot break: Dee Fox et al. and Tessel] The draw sealed")
        for line in lines
    )


@pytest.mark.parametrize(
    ("ballots", "outcome", "english", "chinese"),
    [
        (
            0,
            "nobody",
            "No decision: nobody voted. All papers stay nominated.",
            "没有结果：没有人投票。所有论文保留提名。",
        ),
        (
            3,
            "all_blank",
            "No decision: 3 members voted, all without a wish. All papers stay nominated.",
            "没有结果：3 人参加，都没有选论文。所有论文保留提名。",
        ),
        (
            1,
            "all_blank",
            "No decision: 1 member voted, without a wish. All papers stay nominated.",
            "没有结果：1 人参加，都没有选论文。所有论文保留提名。",
        ),
        (
            2,
            "all_withdrawn",
            "No decision: every paper was withdrawn. Papers can be nominated for the next vote.",
            "没有结果：所有论文都已撤回。可以为下一次投票提名。",
        ),
    ],
)
def test_no_decision_has_words_of_its_own(ballots: int, outcome: str, english: str, chinese: str) -> None:
    result = a_result(
        {}, winner=None, outcome=outcome, ballots=ballots, non_blank=0, turnout=Turnout(ballots)
    )
    assert told(result_page(EN, result))[1] == english
    assert told(result_page(ZH, result))[1] == chinese
    assert not any("nan" in line or "%" in line for line in told(result_page(EN, result)))


@pytest.mark.parametrize(("outcome", "first"), [("single", "Result"), ("no_nomination", "No vote this week")])
def test_weeks_without_a_vote_have_results_too(outcome: str, first: str) -> None:
    result = a_result({}, outcome=outcome, ballots=0, non_blank=0)
    assert told(result_page(EN, result))[0].startswith(first)


def test_an_early_closing_names_who_and_why() -> None:
    early = a_result(
        {1: 4}, round=replace(a_result({}).round, closed_by="Member 1", close_note="Everybody\nvoted")
    )
    assert "Closed early by Member 1. Reason: Everybody voted" in told(result_page(EN, early))


def test_many_candidates_are_told_in_ten_bars_and_all_in_how() -> None:
    papers = [titled(number) for number in range(1, 15)]
    result = a_result(dict.fromkeys(range(1, 15), 0), round=a_round(papers, state="decided"))
    lines = told(result_page(EN, result))
    assert sum(line.endswith(("of 5", "of 5 won")) for line in lines) == 10
    assert "and 4 more under “How this was counted”" in lines
    assert sum(line.endswith(("of 5", "of 5 won")) for line in told(how_page(EN, result))) == 14


def test_how_it_was_counted_stands_in_sentences() -> None:
    steps = (Step("approval.counts", {"scores": {}, "ballots": 5, "blank": 1}),)
    assert told(how_page(EN, a_result({1: 4}, steps=steps)))[:3] == [
        "Result for the meeting on Monday 7 December",
        "How this was counted",
        "5 ballots were counted. 1 of them was blank.",
    ]


def test_a_club_without_a_result_yet_is_told_when_there_will_be_one() -> None:
    assert told(no_result_page(ZH))[:2] == ["还没有结果。", "有了提名，第一次投票才会开始。"]


def test_every_button_of_a_round_carries_its_number() -> None:
    pages = [vote_page(EN, a_round(four()), Turnout(1, 2)), result_page(EN, a_result({1: 4}))]
    ids = {button.id for page in pages for button in all_parts(page, Button)}
    assert {"vote:12", "mine:12", "how:12"} <= ids
    assert paper().public_id == "p57"
