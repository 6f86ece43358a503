"""What a vote says by method, secrecy and tie rule: its page, ballot, result, count and what follows from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest

from bot.clubs.model import SQUARE_ROOT, Settings
from bot.messages.model import Button, ChoiceField, Message, Table, TextField
from bot.messages.pages.ballots import ballot_form, my_ballot_page, readback_page
from bot.messages.pages.clubs import settings_page
from bot.messages.pages.deciding import decide_form, decided_page
from bot.messages.pages.how import how_page
from bot.messages.pages.reminders import blanked_page, nudge_page, reminded_page, reminder_page
from bot.messages.pages.results import result_page
from bot.messages.pages.rounds import vote_page
from bot.messages.pages.settings import settings_form
from bot.messages.pages.sheets import no_sheet_page, sheet_page
from bot.messages.words import flat
from bot.rounds.model import Ballot, Result, Round, Rules, Step, Turnout
from tests.messages.samples import EN, NOW, ORGANISER, ZH, a_round, all_parts, club, four, told
from tests.messages.votes import HEAD, METHODS, RECEIPT, SEAL, SECRET, circle, closed, pairs, sealed

NAMED = {
    "approval": "Tick as many",
    "plurality": "Choose one paper.",
    "schulze": "Rank the papers you would read.",
}


def a_vote(method: str = "approval", **rules: Any) -> Round:
    return replace(sealed(a_round(four()), **rules), method=method)


def a_result(method: str = "approval", **changes: Any) -> Result:
    return closed(a_round(four()), method, turnout=Turnout(9, 14), **changes)


def small_print(vote: Round) -> str:
    return told(vote_page(EN, vote, Turnout(3, 5)))[-1]


def ids(page: Message) -> list[str]:
    return [button.id for button in all_parts(page, Button)]


def words_of(page: Message) -> str:
    return "\n".join(told(page))


# ---- the vote ----


@pytest.mark.parametrize("method", METHODS)
def test_a_vote_says_how_a_ballot_is_filled_and_what_wins(method: str) -> None:
    print_ = small_print(a_vote(method))
    filled = {"phragmen": "approval", "irv": "schulze"}.get(method, method)
    assert print_.startswith(NAMED[filled])
    assert len({small_print(a_vote(each)) for each in METHODS}) == len(METHODS)


def test_a_vote_says_the_rules_it_began_with() -> None:
    print_ = small_print(
        a_vote(secrecy="open", ties="organiser", quorum=7, close_early=True, link_required=True)
    )
    assert "Open at close: after closing, everybody sees who voted for what." in print_
    assert "Of equals, an organiser chooses and says why, else the one nominated first wins." in print_
    assert "At least 7 must vote. Closes early once all active members have voted." in print_
    assert "Secret ballot" not in print_
    assert "Only members with the role" not in print_
    named = small_print(a_vote(voting_role="555"))
    assert "Only members with the role the club named vote on Discord." in named and "555" not in named
    usual = small_print(a_vote())
    assert (
        "Secret ballot: until closing, everybody sees the turnout only; after closing, the totals." in usual
    )
    assert "must vote" not in usual and "Closes early" not in usual


def test_a_vote_shows_what_its_log_began_with_and_never_where_it_stands() -> None:
    vote = a_vote()
    print_ = small_print(vote)
    assert f"Ballot log {HEAD[:16]} · draw seal {SEAL[:16]}" in print_
    assert vote.head[:16] not in words_of(vote_page(EN, vote, Turnout(3, 5)))
    assert "Ballot log" not in small_print(a_round(four()))


def test_a_second_vote_says_whose_tie_it_decides() -> None:
    assert "This vote decides the tie of the vote before." in told(
        vote_page(EN, a_vote(runoff_of=3), Turnout(0))
    )


def test_a_second_vote_has_no_third() -> None:
    assert "a second vote" in small_print(a_vote(ties="runoff"))
    assert "a second vote" not in small_print(a_vote(ties="runoff", runoff_of=3))


def test_a_vote_that_goes_on_longer_says_which_paper_was_withdrawn() -> None:
    first, *rest = a_vote().candidates
    vote = replace(a_vote(), candidates=(replace(first, withdrawn=True), *rest), extended_for="p44")
    assert "Paper 1 was withdrawn; the vote now closes Fri 4 Dec, 17:00." in told(
        vote_page(EN, vote, Turnout(0, 5))
    )
    assert "第 1 篇已撤回，投票改到 12 月 4 日周五 17:00 截止。" in told(vote_page(ZH, vote, Turnout(0, 5)))
    chosen = replace(vote, candidates=(replace(first, withdrawn=True, chosen=True), *rest))
    assert "Paper 1 was chosen in an earlier vote; this vote now closes Fri 4 Dec, 17:00." in told(
        vote_page(EN, chosen, Turnout(0, 5))
    )


# ---- the ballot ----


@pytest.mark.parametrize("method", ["approval", "phragmen"])
def test_where_papers_are_ticked_any_number_can_be(method: str) -> None:
    (field,) = ballot_form(EN, a_vote(method), Ballot((2, 4))).fields
    assert isinstance(field, ChoiceField) and field.several and not field.required
    assert [option.number for option in field.options if option.chosen] == [2, 4]


def test_where_everybody_has_one_vote_one_paper_can_be_chosen_or_none() -> None:
    (field,) = ballot_form(EN, a_vote("plurality"), Ballot((3,))).fields
    assert isinstance(field, ChoiceField) and field.name == "papers"
    assert not field.several and not field.required and field.none == "No wish, only present"
    assert [option.number for option in field.options if option.chosen] == [3]


@pytest.mark.parametrize("method", ["schulze", "irv"])
@pytest.mark.parametrize("reader", [EN, ZH])
def test_a_ranking_is_asked_for_by_five_menus_at_most(method: str, reader: Any) -> None:
    form = ballot_form(reader, a_vote(method), Ballot((3, 1)))
    fields = [field for field in form.fields if isinstance(field, ChoiceField)]
    assert [field.name for field in fields] == ["choice1", "choice2", "choice3", "choice4"]
    assert all(field.menu and not field.required and field.none for field in fields)
    chosen = [[option.number for option in field.options if option.chosen] for field in fields]
    assert chosen == [[3], [1], [], []]
    assert [bool(field.hint) for field in fields] == [True, False, False, False]


def test_a_ranking_goes_to_the_fifth_choice_however_many_papers_there_are() -> None:
    vote = replace(sealed(a_round(four() * 3)), method="schulze")
    labels = [field.label for field in ballot_form(EN, vote, Ballot(None)).fields]
    assert labels == ["First choice", "Second choice", "Third choice", "Fourth choice", "Fifth choice"]


def test_a_ranked_ballot_closes_up_over_a_withdrawn_paper() -> None:
    vote = a_vote("schulze")
    first, second, *rest = vote.candidates
    vote = replace(vote, candidates=(replace(first, withdrawn=True), second, *rest))
    fields = ballot_form(EN, vote, Ballot((1, 3, 2))).fields
    chosen = [
        [option.number for option in f.options if option.chosen] for f in fields if isinstance(f, ChoiceField)
    ]
    assert chosen == [[3], [2], []]


@pytest.mark.parametrize(("secrecy", "who"), [
    ("secret", "No member sees your ballot."), ("open", "everybody sees who voted for what."),
])  # fmt: skip
@pytest.mark.parametrize("method", ["approval", "schulze"])
def test_a_ballot_says_who_can_see_it_the_operator_included(method: str, secrecy: str, who: str) -> None:
    form = ballot_form(EN, a_vote(method, secrecy=secrecy), Ballot(None))
    small = "".join(part for part in form.small if isinstance(part, str))
    assert who in small and "Whoever runs the bot could read it" in small
    assert ("Fewer than five ballots" in small) == (secrecy == "secret")
    hints = " ".join(field.hint for field in form.fields)
    assert "without a wish" in hints
    assert "the bot" not in hints and "everybody" not in hints and "Fewer" not in hints  # it is said once


@pytest.mark.parametrize(("secrecy", "who"), [
    ("secret", ("No member sees this", "After closing, everybody sees the totals", "Fewer than five ballots")),
    ("open", ("After closing, everybody sees who voted for what",)),
])  # fmt: skip
def test_a_ballot_of_five_menus_says_in_their_hints_who_can_see_it_and_nowhere_else(
    secrecy: str, who: tuple[str, ...]
) -> None:
    vote = replace(sealed(a_round(four() * 3)), method="schulze", rules=Rules(secrecy=secrecy))  # type: ignore[arg-type]
    form = ballot_form(EN, vote, Ballot(None))
    hints = [field.hint for field in form.fields]
    assert form.small == () and all(len(hint) <= 100 for hint in hints)
    assert "present, without a wish" in hints[0] and "whoever runs the bot could" in " ".join(hints)
    assert all(part in " ".join(hints) for part in who)


# ---- what was counted ----


def test_a_ranking_is_read_back_in_its_order() -> None:
    page = readback_page(EN, a_vote("schulze"), Ballot((3, 1), NOW, RECEIPT))
    lines = told(page)
    assert lines[0] == (
        "Counted. First paper 3, then paper 1. Papers you did not rank come after these, all equal."
    )
    assert lines[1:5] == [
        "3. /A map of all ballots ever cast/",
        "   First choice",
        "1. *Tessel*/: a method that sorts ballots by colour and size/",
        "   Second choice",
    ]
    assert told(readback_page(ZH, a_vote("irv"), Ballot((3, 1))))[0] == (
        "已计入。首选第 3 篇，其次第 1 篇。没有排序的论文并列在后。"
    )


def test_a_ranking_of_all_papers_leaves_none_behind() -> None:
    lines = told(readback_page(EN, a_vote("schulze"), Ballot((3, 1, 2, 4))))
    assert lines[0] == "Counted. First paper 3, then papers 1, 2 and 4."


def test_what_did_not_count_is_said() -> None:
    page = readback_page(EN, a_vote("schulze"), Ballot((2, 3)), dropped=(1,), doubled=(2,))
    assert (
        "Paper 1 was withdrawn and does not count. Paper 2 was ranked twice; its higher place counts."
        in told(page)
    )


def test_a_ballot_shows_its_receipt_and_where_it_will_stand() -> None:
    line = f"Your receipt: {RECEIPT}. After closing you find your ballot by it in the tally sheet."
    ballot = Ballot((2,), NOW, RECEIPT)
    for page in (readback_page(EN, a_vote(), ballot), my_ballot_page(EN, a_vote(), ballot)):
        assert line in told(page)
    assert "receipt" not in words_of(my_ballot_page(EN, a_vote(), Ballot((2,))))


@pytest.mark.parametrize(("remind", "button"), [(True, ["remind:off"]), (False, ["remind:on"]), (None, [])])
def test_a_reminder_can_be_asked_for_and_stopped_beside_the_ballot(
    remind: bool | None, button: list[str]
) -> None:
    for ballot in (Ballot((2,), NOW, RECEIPT), Ballot(None)):
        page = my_ballot_page(EN, a_vote(), ballot, remind=remind)
        assert [each for each in ids(page) if each.startswith("remind")] == button
    assert ids(readback_page(EN, a_vote(), Ballot((2,)), remind=remind))[2:] == button


@pytest.mark.parametrize(("paid", "told_as"), [
    (Fraction(0), "0 papers"), (Fraction(1), "1 paper"), (Fraction(9, 25), "0.36 papers"),
    (Fraction(7, 3), "2.33 papers"), (Fraction(1, 2), "0.5 papers"), (Fraction(10), "10 papers"),
])  # fmt: skip
def test_in_fair_turns_a_member_sees_what_they_have_paid(paid: Fraction, told_as: str) -> None:
    line = f"You have paid {told_as} this season; the less you have paid, the more your ticks weigh."
    for ballot in (Ballot((1,)), Ballot(None)):
        assert line in told(my_ballot_page(EN, a_vote("phragmen"), ballot, paid))


def test_an_old_round_says_that_nobody_knows_any_more_whose_ballot_is_whose() -> None:
    old = replace(a_vote(), state="decided", closed_at=NOW - timedelta(days=91))
    assert told(my_ballot_page(EN, old, Ballot(None)))[0] == (
        "Whose ballot is whose was deleted 90 days after closing."
    )
    young = replace(old, closed_at=NOW - timedelta(days=89))
    assert told(my_ballot_page(EN, young, Ballot(None)))[0] == "You have not voted in this round."


# ---- the result ----


def test_a_ranked_result_shows_the_winners_duels_and_the_one_set_aside() -> None:
    lines = told(result_page(EN, a_result("schulze")))
    at = lines.index("Head to head, paper by paper")
    assert lines[at + 1 : at + 5] == [
        "against Dee Fox et al. 5 : 4 won",
        "against Fay Hill 5 : 4 won",
        "against PACS 4 : 5 lost, set aside",
        "No paper beat all the others. The narrowest duel, PACS over Tessel at 5 : 4, was set aside.",
    ]
    assert "Margin: 1 ballot in the closest duel it won" in lines
    assert "没有一篇胜过其他所有论文。差距最小的一场（PACS 胜 Tessel，5 : 4）不计。" in told(
        result_page(ZH, a_result("schulze"))
    )


def test_all_pairs_stand_in_a_table_the_winner_first() -> None:
    page = how_page(EN, a_result("schulze"))
    (table,) = all_parts(page, Table)
    assert table.head == ("1", "2", "3", "4")
    assert table.rows[0] == ("1 Tessel", "–", "5 : 4 won", "5 : 4 won", "4 : 5 lost")
    assert table.aside == {(0, 3), (3, 0)} and table.won == 0
    assert flat(table.lines[0]) == "1 Tessel: 5 : 4 against 2, 5 : 4 against 3, 4 : 5 against 4 (set aside)"
    assert "The duel of 4 and 1 was set aside." in words_of(page)


def test_the_table_names_the_rows_that_beat_each_other_in_a_circle() -> None:
    cycle = Step(
        "cycle", {"options": ["1", "3", "4"], "duels": [[*duel, 5, 4] for duel in ("13", "34", "41")]}
    )
    (table,) = all_parts(how_page(EN, a_result("schulze", steps=(*circle(4), cycle))), Table)
    assert [table.rows[row][0][:1] for row in table.circle] == ["1", "3", "4"]
    (table,) = all_parts(how_page(EN, a_result("schulze")), Table)
    assert table.circle == ()


def test_a_duel_that_nobody_won_is_level() -> None:
    matrix = {a: {b: 3 for b in "1234" if b != a} for a in "1234"}
    result = a_result(
        "schulze", steps=(Step("pairs", {"matrix": matrix}),), tied=(1, 2, 3, 4), tie_rule="age"
    )
    assert "against PACS 3 : 3 level" in told(result_page(EN, result))
    assert "[A tie, broken by age] Tessel, Dee Fox et al., Fay Hill and PACS are level." in words_of(
        result_page(EN, result)
    )


def test_a_table_has_ten_rows_at_most() -> None:
    vote = a_round(four() * 4)
    page = how_page(EN, closed(vote, "schulze"))
    (table,) = all_parts(page, Table)
    assert 4 <= len(table.rows) <= 10 and {len(row) for row in table.rows} == {len(table.rows) + 1}
    assert f"{16 - len(table.rows)} more papers stand in the tally sheet." in words_of(page)


def test_rounds_of_elimination_say_that_their_bars_are_first_choices_and_who_had_more_than_half() -> None:
    plain = a_result("irv")
    last = Step("irv.majority", {"option": str(plain.winner), "votes": 5, "of": 8})
    lines = told(result_page(EN, replace(plain, steps=(last,))))
    assert lines.index("Tessel 4 of 9 won") == lines.index("First choices") + 1
    assert "Tessel has 5 of the 8 ballots that still count, a majority." in lines
    assert not [line for line in lines if line.startswith("Margin")]


@pytest.mark.parametrize("method", METHODS)
def test_with_few_ballots_the_totals_alone_are_published(method: str) -> None:
    page = result_page(EN, a_result(method, published="totals"))
    assert (
        "Fewer than five ballots: only the totals are published, so that nobody’s ballot can be guessed."
        in told(page)
    )
    assert "sheet:12" not in ids(page) and "sheet:12" in ids(result_page(EN, a_result(method)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rule", ["", "age", "draw"])
def test_with_one_or_two_ballots_the_winner_alone_is_published(method: str, rule: str) -> None:
    steps = circle(4) if method == "schulze" else (Step("elected", {"options": ["1"], "scores": {"1": 4}}),)
    result = a_result(
        method, published="winner", tied=(1, 2) if rule else (), tie_rule=rule, steps=steps, non_blank=2
    )
    for page in (result_page(EN, result), how_page(EN, result)):
        text = words_of(page)
        assert not [
            name for name in ("Dee Fox", "Fay Hill", "PACS", " : ", "4 of 9", "4 vote") if name in text
        ]
        assert "only the winner is published" in text and "sheet:12" not in ids(page)
    assert ("[A tie" in words_of(result_page(EN, result))) == bool(rule)
    assert result_page(EN, result).summary.startswith("Winner: Tessel: a method")


FEW = "With so few ballots the oldest nomination decided."
ANNOUNCED = "This rule was announced when the vote opened."
DRAWN = "The draw sealed when the vote opened decided it."


@pytest.mark.parametrize(
    ("ties", "runoff_of", "rule", "why"),
    [
        ("age", None, "age", ANNOUNCED),
        ("age", None, "draw", DRAWN),
        ("draw", None, "draw", DRAWN),
        ("runoff", None, "age", FEW),
        ("runoff", None, "draw", DRAWN),
        ("runoff", 11, "age", ANNOUNCED),
        ("organiser", None, "age", FEW),
        ("organiser", None, "draw", DRAWN),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_of_one_or_two_ballots_it_is_said_truly_why_a_rule_broke_their_tie(
    method: str, ties: str, runoff_of: int | None, rule: str, why: str
) -> None:
    over = a_result(method, published="winner", tied=(1, 2), tie_rule=rule, steps=(), non_blank=2)
    rules = replace(over.round.rules, ties=ties, runoff_of=runoff_of)
    result = replace(over, round=replace(over.round, rules=rules))
    said = words_of(result_page(EN, result))
    assert [each for each in (FEW, ANNOUNCED, DRAWN) if each in said] == [why]
    inside = replace(result, steps=(Step("tie.draw" if rule == "draw" else "tie.age", {}),))
    by_people = ties in ("runoff", "organiser") and not runoff_of
    few = FEW if rule == "age" else "With so few ballots the sealed draw decided."
    assert (few if by_people else ANNOUNCED) in words_of(result_page(EN, inside))


def test_a_tie_in_rounds_of_elimination_has_no_margin_to_tell() -> None:
    tie = {"tied": (1, 2), "tie_rule": "age"}
    assert "none, decided by the tie rule" in words_of(result_page(EN, a_result("approval", **tie)))
    assert "Margin" not in words_of(result_page(EN, a_result("irv", **tie)))


def test_a_sealed_draw_is_told_with_the_paper_it_puts_first() -> None:
    tie = a_result(tied=(1, 2), tie_rule="draw")
    assert (
        "[A tie that age cannot break: Tessel and Dee Fox et al.] The draw sealed when the vote opened puts "
        "Tessel first; anyone can check it in the tally sheet." in told(result_page(EN, tie))
    )
    assert (
        "[平票，且同时提名：Tessel 与 Dee Fox 等] 投票开始时封存的抽签把 Tessel 排在前面，可凭计票表核对。"
        in told(result_page(ZH, tie))
    )
    few = words_of(result_page(EN, replace(tie, published="totals")))
    assert "puts Tessel first." in few and "tally sheet" not in few
    alone = replace(tie, round=a_vote(ties="draw"))
    assert "[A tie: Tessel and Dee Fox et al.] The draw" in words_of(result_page(EN, alone))


def test_an_organisers_decision_is_published_with_name_and_reason() -> None:
    tie = a_result(tied=(1, 2), tie_rule="organiser", decided_by="Member 1", decided_note="It is\nshorter.")
    assert (
        "[A tie, decided by an organiser] Tessel and Dee Fox et al. have 4 of 9 each. "
        "Decided by Member 1. Reason: It is shorter." in told(result_page(EN, tie))
    )
    how = words_of(how_page(EN, tie))
    assert "and Member 1 decided it as an organiser: Tessel. Reason: It is shorter." in how


def test_a_missed_quorum_says_how_many_were_needed() -> None:
    result = replace(
        a_result(outcome="quorum", winner=None, ballots=3), round=a_vote(quorum=7), turnout=Turnout(3, 14)
    )
    assert told(result_page(EN, result))[1] == (
        "No decision: 3 voted, 7 were needed. All papers stay nominated."
    )
    assert told(result_page(ZH, result))[1] == "没有结果：3 人投票，至少需要 7 人。所有论文保留提名。"


def test_a_tie_that_a_second_vote_decides_leads_to_it() -> None:
    tie = a_result(outcome="runoff", winner=None, tied=(1, 2), runoff=13)
    tie = replace(tie, round=replace(tie.round, waits_until=NOW + timedelta(days=1)))
    page = result_page(EN, tie)
    assert told(page)[1:3] == [
        "A tie: Tessel and Dee Fox et al., 4 of 9 each.",
        "A second vote decides between them, until Fri 4 Dec, 11:00.",
    ]
    assert ids(page)[0] == "vote:13"


def test_a_tie_that_waits_for_an_organiser_has_a_button_for_them() -> None:
    tie = a_result(outcome="waiting", winner=None, tied=(1, 2))
    tie = replace(tie, round=replace(tie.round, waits_until=NOW + timedelta(days=1)))
    page = result_page(EN, tie)
    assert "An organiser decides until Fri 4 Dec, 11:00; else the oldest nomination wins." in told(page)
    assert ids(page) == ["decide:12", "how:12", "mine:12", "sheet:12"]


def test_a_result_tells_the_head_of_the_log_and_the_secret_of_the_draw() -> None:
    assert told(result_page(EN, a_result()))[-1] == f"Ballot log {HEAD[:16]} · draw secret {SECRET}"
    waiting = a_result(outcome="waiting", winner=None, tied=(1, 2))  # its sheet tells it too
    assert told(result_page(EN, waiting))[-1] == f"Ballot log {HEAD[:16]} · draw secret {SECRET}"
    before = replace(a_result(), head="", round=a_round(four(), state="decided"))
    assert "Ballot log" not in words_of(result_page(EN, before))
    assert "sheet:12" not in ids(result_page(EN, before))


def test_a_vote_that_all_have_voted_in_says_why_it_closed_early() -> None:
    assert "Closed early: all active members have voted." in told(result_page(EN, a_result(why="all_voted")))


def test_after_an_open_vote_everybody_sees_who_voted_for_what() -> None:
    ballots = tuple((f"Member {n}", (1, 3)) for n in range(2, 30))
    page = how_page(EN, a_result(named=(("Member 1", ()), *ballots)))
    lines = told(page)
    at = lines.index("Who voted for what")
    assert lines[at + 1 : at + 3] == ["Member 1: present, without a wish", "Member 2: papers 1 and 3"]
    assert lines[at + 21] == "and 9 more in the tally sheet"
    assert "Who voted for what" not in told(how_page(EN, a_result()))


# ---- sheets, reminders, decisions, settings ----


def test_a_tally_sheet_comes_as_a_file_that_anyone_counts_again() -> None:
    page = sheet_page(EN, a_result(), '{"名": 1}')
    assert page.file is not None and page.file.name == "paperclub-tally-1.json"
    assert page.file.data.decode() == '{"名": 1}' and 0 < len(page.file.label) <= 100
    text = words_of(page)
    assert "Anyone can count them again with paperclub tally paperclub-tally-1.json." in text
    assert f"Ballot log at closing: {HEAD}" in text and page.summary == "Tally sheet of vote 1"
    assert "without a name" in text
    named = replace(a_result(), round=a_vote(secrecy="open"))
    assert "with the names of those who cast them" in words_of(sheet_page(EN, named, "{}"))


@pytest.mark.parametrize(("changes", "why"), [
    ({"published": "totals"}, "Fewer than five ballots"), ({"published": "winner"}, "Fewer than five ballots"),
    ({"ballots": 0}, "Nobody voted"),
    ({"outcome": "all_withdrawn"}, "No paper was left on the ballot"), ({}, "from before there were tally sheets"),
])  # fmt: skip
def test_where_there_is_no_tally_sheet_it_is_said_why(changes: dict[str, Any], why: str) -> None:
    assert why in words_of(no_sheet_page(EN, a_result(**changes)))


def test_a_vote_that_is_open_has_no_tally_sheet_yet() -> None:
    page = no_sheet_page(EN, replace(a_result(), round=a_vote()))
    assert told(page) == ["This vote is still open. Its tally sheet comes with the result."]


def test_one_notice_before_closing_tells_the_channel_the_turnout() -> None:
    page = reminder_page(EN, a_vote(), Turnout(3, 5))
    assert page.summary == "The vote closes in 1 day 6 hours. 3 of 5 members have voted."
    assert ids(page) == ["vote:12", "mine:12"]
    assert reminder_page(ZH, a_vote(), Turnout(3, 5)).summary == (
        "投票 1 天 6 小时后截止，5 位成员中 3 位已投票。"
    )


def test_a_private_reminder_says_that_it_was_asked_for_and_can_be_stopped() -> None:
    page = nudge_page(EN, a_vote(), Turnout(3, 5), "Readers")
    text = words_of(page)
    assert page.summary == "You have not voted yet; the vote closes in 1 day 6 hours."
    assert "You have not voted yet; the vote closes Fri 4 Dec, 17:00." in text
    assert "You asked for this reminder and can stop it here." in text and "about Readers" in text
    assert ids(page) == ["vote:12", "remind:off"]
    assert ids(reminded_page(EN, True)) == ["remind:off"] and ids(reminded_page(EN, False)) == ["remind:on"]


def test_a_member_whose_ballot_went_blank_is_told_why_and_until_when_to_change_it() -> None:
    page = blanked_page(EN, a_vote(), four()[1])
    assert told(page)[1:3] == [
        "Your ballot is blank now: On the sorting of ballots was withdrawn.",
        "You can change it until Fri 4 Dec, 17:00.",
    ]
    assert ids(page) == ["vote:12"]


def test_an_organiser_decides_between_the_tied_papers_only_and_says_why() -> None:
    tie = a_result(outcome="waiting", winner=None, tied=(1, 2))
    form = decide_form(ORGANISER, tie, tie.tied, {"paper": "p57", "reason": "Short."}, {"reason": "too long"})
    paper, reason = form.fields
    assert form.id == "decision:12"
    assert isinstance(paper, ChoiceField) and isinstance(reason, TextField)
    assert [(option.value, option.chosen) for option in paper.options] == [("p44", False), ("p57", True)]
    assert reason.long and reason.required and reason.max_length == 300
    assert (reason.value, reason.fault) == ("Short.", "too long")
    done = decided_page(ORGANISER, replace(tie, winner=2))
    assert told(done)[0] == "The tie is decided: On the sorting of ballots."


@pytest.mark.parametrize(("settings", "line"), [
    (Settings(), "Tick any number · Secret · ties: the oldest nomination"),
    (Settings(method="schulze", secrecy="open", ties="runoff", quorum=7, close_early=True),
     "Ranking, head to head · Open at close · ties: a second vote · at least 7 must vote · "
     "closes once all active members have voted"),
    (Settings(method="phragmen", ties="draw", quorum=SQUARE_ROOT),
     "Fair turns · Secret · ties: the sealed draw · "
     "at least 1.5 × the root of the active members must vote"),
])  # fmt: skip
def test_the_settings_say_how_the_club_counts(settings: Settings, line: str) -> None:
    assert line in told(settings_page(ORGANISER, club(settings=settings), None, None))


@pytest.mark.parametrize(("quorum", "shown"), [(0, ""), (7, "7"), (SQUARE_ROOT, "auto")])
def test_the_way_of_counting_is_filled_in(quorum: int, shown: str) -> None:
    settings = Settings(method="irv", ties="organiser", secrecy="open", quorum=quorum, close_early=True)
    form = settings_form(ORGANISER, club(settings=settings), "counting")
    assert [field.name for field in form.fields] == ["method", "ties", "secrecy", "quorum", "close_early"]
    chosen = {
        field.name: [option.value for option in field.options if option.chosen]
        for field in form.fields
        if isinstance(field, ChoiceField)
    }
    assert chosen == {
        "method": ["irv"], "ties": ["organiser"], "secrecy": ["open"], "close_early": ["yes"]
    }  # fmt: skip
    assert [field.value for field in form.fields if isinstance(field, TextField)] == [shown]


def test_duels_of_a_round_with_two_papers_are_told() -> None:
    result = closed(a_round(four()[:2]), "schulze", steps=(pairs(2),))
    lines = told(result_page(EN, result))
    assert any(line.startswith("against Dee Fox et al.") for line in lines)
