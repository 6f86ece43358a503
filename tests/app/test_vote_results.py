"""What a vote came to: the sheet as a file, a tie an organiser decides, and what few ballots leave unsaid."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.messages.model import Bars
from tests.lab.house import (
    CHAIR,
    MEMBER,
    OTHER,
    STRANGER,
    House,
    faults_of,
    filled,
    ids_in,
    person,
    said,
    text_of,
)
from tests.lab.voting import CLOSES, MEETS, OPENS, WEEK, cast_all, open_vote, result, sheet_in, told

TIE = [("p57",), ("p57",), ("p10",), ("p10",), ("p21",), ()]


async def waiting(house: House) -> None:
    """A tie of papers 1 and 2 that waits for an organiser."""
    await open_vote(house, ties="organiser")
    await cast_all(house, "approval", 1, TIE)
    await house.until(CLOSES + timedelta(minutes=1))


# ---- the tally sheet ----


async def test_the_sheet_comes_once_under_the_result_and_to_whoever_asks(house: House) -> None:
    await open_vote(house)
    receipts = []
    for number, papers in enumerate((*TIE, ("p57", "p21")), 2):
        counted = text_of(await house.vote(person(number), 1, *papers))
        receipts.append(counted.partition("Your receipt: ")[2][:10])
    assert "still open" in text_of(await house.press(MEMBER, "sheet:1"))
    await house.until(CLOSES + timedelta(hours=2))
    (posted,) = told(house, 1, "sheet")
    assert posted.thread is not None and posted.thread.message_id == told(house, 1)[0].id
    sheet = sheet_in(posted.message)
    assert [line["receipt"] for line in sheet["ballots"]] == sorted(receipts)
    by_receipt = {line["receipt"]: line["approvals"] for line in sheet["ballots"]}
    assert by_receipt[receipts[-1]] == ["p57", "p21"] and by_receipt[receipts[5]] == []
    for who in (MEMBER, STRANGER, CHAIR):
        answer = await house.press(who, "sheet:1")
        assert answer.kind == "private" and sheet_in(answer.message) == sheet
    assert "Member" not in posted.message.file.data.decode()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("ballots", "words"),
    [
        ([], "Nobody voted, so there is no tally sheet."),
        ([("p57",)] * 2, "Fewer than five ballots: there is no tally sheet"),
        ([("p57",)] * 4 + [()] * 3, "Fewer than five ballots: there is no tally sheet"),
    ],
)
async def test_where_there_is_no_sheet_it_is_said_why(
    house: House, ballots: list[tuple[str, ...]], words: str
) -> None:
    await open_vote(house)
    await cast_all(house, "approval", 1, ballots)
    await house.until(CLOSES + timedelta(hours=2))
    assert not told(house, 1, "sheet")
    answer = await house.press(MEMBER, "sheet:1")
    assert words in text_of(answer) and answer.message is not None and answer.message.file is None


async def test_a_sheet_of_another_number_is_not_there(house: House) -> None:
    await open_vote(house)
    for wrong in ("sheet:2", "sheet:", "sheet:x", "sheet:-1", "sheet:1:2", "sheet:" + "9" * 20):
        answer = await house.press(MEMBER, wrong)
        assert answer.kind == "private" and "wrong on our side" not in text_of(answer), wrong
        assert answer.message is not None and answer.message.file is None


# ---- few ballots ----


@pytest.mark.parametrize(("voters", "numbers"), [(1, False), (2, False), (3, True), (4, True), (5, True)])
async def test_few_ballots_leave_unsaid_what_would_name_somebody(
    house: House, voters: int, numbers: bool
) -> None:
    await open_vote(house)
    await cast_all(house, "approval", 1, [("p10",)] * voters)
    await house.until(CLOSES + timedelta(hours=2))
    pages = [said(result(house, 1)), text_of(await house.press(MEMBER, "how:1"))]
    pages += [
        text_of(await house.command(MEMBER, "paper results")),
        text_of(await house.press(MEMBER, "result:1")),
    ]
    assert result(house, 1).summary.startswith("Winner: ")
    for page in pages:
        assert (f"{voters} of {voters}" in page) == numbers, page
    assert any(isinstance(block, Bars) for block in result(house, 1).blocks) == numbers
    assert bool(told(house, 1, "sheet")) == (voters >= 5)
    assert ("sheet:1" in list(ids_in(result(house, 1)))) == (voters >= 5)


async def test_after_a_vote_open_at_close_everybody_sees_who_voted_for_what(house: House) -> None:
    await open_vote(house, secrecy="open")
    await cast_all(house, "approval", 1, [("p10",), ("p10", "p57")])
    await house.drawn()
    assert "Member 3" not in said(told(house, 1, "open")[0].message).replace("nominated by Member 3", "")
    await house.until(CLOSES + timedelta(hours=2))
    how = text_of(await house.press(STRANGER, "how:1"))
    assert "Member 2" in how and "Member 3" in how
    sheet = sheet_in(told(house, 1, "sheet")[0].message)
    assert {line["member"]: line["approvals"] for line in sheet["ballots"]} == {
        "Member 2": ["p10"], "Member 3": ["p57", "p10"],
    }  # fmt: skip


# ---- a tie that waits ----


async def test_an_organiser_decides_a_tie_with_a_reason_that_is_published(house: House) -> None:
    await waiting(house)
    page = result(house, 1)
    assert "Winner" not in page.summary and "decide:1" in list(ids_in(page))
    form = (await house.press(CHAIR, "decide:1")).form
    assert form is not None and form.id == "decision:1"
    assert [option.value for option in form.fields[0].options] == ["p57", "p10"]  # type: ignore[union-attr]
    assert filled(form) == {"paper": "", "reason": ""}
    done = await house.submit(CHAIR, "decision:1", paper="p10", reason="It is shorter.")
    assert "The tie is decided" in text_of(done)
    await house.tick()
    (decision,) = told(house, 1, "decision")
    assert decision.message.notify
    assert "Decided by Member 1. Reason: It is shorter." in said(decision.message)
    assert decision.message.summary.startswith("Winner: ")
    assert "The tie is decided" in said(result(house, 1)) and "decide:1" not in list(ids_in(result(house, 1)))
    (thread,) = told(house, 1, "thread")
    assert thread.thread is not None and thread.thread.message_id == decision.id
    assert "p10" in text_of(await house.command(MEMBER, "paper history"))
    again = await house.submit(CHAIR, "decision:1", paper="p57", reason="On second thoughts")
    assert again.kind == "private" and "Nothing changed." in text_of(again)
    assert "Nothing changed." in text_of(await house.press(CHAIR, "decide:1"))


async def test_who_chose_none_of_the_tied_papers_is_asked_to_choose_one(house: House) -> None:
    await waiting(house)
    form = (await house.submit(CHAIR, "decision:1", paper="", reason="")).form
    assert form is not None
    paper, reason = (field.fault for field in form.fields)
    assert paper == "No paper is chosen. Choose the one that wins." and "A reason is needed" in reason


async def test_a_tie_is_decided_by_organisers_alone(house: House) -> None:
    await waiting(house)
    for answer in (
        await house.press(OTHER, "decide:1"),
        await house.submit(OTHER, "decision:1", paper="p10", reason="Mine"),
    ):
        assert "Only organisers can do this. Ask Member 1." in text_of(answer)
    assert not told(house, 1, "decision")


@pytest.mark.parametrize(
    ("paper", "reason", "field"),
    [
        ("p10", "", "reason"),
        ("p10", "   ", "reason"),
        ("p10", "x" * 301, "reason"),
        ("p21", "It lost, but I like it", "paper"),
        ("p58", "It was never there", "paper"),
        ("", "None", "paper"),
        ("p10 p57", "Both", "paper"),
    ],
)
async def test_a_decision_that_cannot_be_comes_back_filled_in(
    house: House, paper: str, reason: str, field: str
) -> None:
    await waiting(house)
    answer = await house.submit(CHAIR, "decision:1", paper=paper, reason=reason)
    assert list(faults_of(answer)) == [field]
    assert (answer.form is not None and filled(answer.form)["reason"] == reason.strip()[:400]) or reason
    assert "decide:1" in list(ids_in(result(house, 1)))


async def test_a_paper_withdrawn_while_its_tie_waits_cannot_be_chosen_and_the_reason_typed_is_kept(
    house: House,
) -> None:
    await waiting(house)
    await house.press(MEMBER, "withdraw:1")
    form = (await house.press(CHAIR, "decide:1")).form
    assert form is not None and [each.value for each in form.fields[0].options] == ["p10"]  # type: ignore[union-attr]
    answer = await house.submit(CHAIR, "decision:1", paper="p57", reason="I like it")
    assert "no longer on the list" in faults_of(answer)["paper"]
    assert answer.form is not None and filled(answer.form)["reason"] == "I like it"
    await house.submit(CHAIR, "decision:1", paper="p10", reason="I like it too")
    await house.tick()
    assert "I like it too" in said(told(house, 1, "decision")[0].message)


async def test_where_nothing_waits_there_is_nothing_to_decide(house: House) -> None:
    await open_vote(house, ties="organiser")
    assert "still open" in text_of(await house.press(CHAIR, "decide:1"))
    await cast_all(house, "approval", 1, [("p57",)] * 5)
    await house.until(CLOSES + timedelta(hours=1))
    assert "Nothing changed." in text_of(await house.press(CHAIR, "decide:1"))
    for wrong in ("decide:2", "decide:x", "decide:", "decision:1"):
        answer = await house.press(CHAIR, wrong)
        assert answer.kind == "private" and "wrong on our side" not in text_of(answer), wrong


async def test_a_tie_nobody_decides_goes_to_the_oldest_nomination(house: House) -> None:
    await waiting(house)
    await house.until(MEETS - timedelta(hours=1))
    (decision,) = told(house, 1, "decision")
    assert decision.at == CLOSES + timedelta(hours=48)
    assert decision.message.summary.startswith("Winner: ") and "p57" in said(decision.message)
    assert "Nothing changed." in text_of(await house.press(CHAIR, "decide:1"))
    late = await house.submit(CHAIR, "decision:1", paper="p10", reason="Too late")
    assert "Nothing changed." in text_of(late)


async def test_a_decision_sent_after_its_time_changes_nothing_even_before_the_clock_came_round(
    house: House,
) -> None:
    await waiting(house)
    house.now = CLOSES + timedelta(hours=48)
    late = await house.submit(CHAIR, "decision:1", paper="p10", reason="Too late")
    assert "Nothing changed." in text_of(late)
    await house.tick()
    assert "p57" in said(told(house, 1, "decision")[0].message)


async def test_a_tie_decided_after_a_move_is_told_where_it_waited_too(house: House) -> None:
    await waiting(house)
    moved = {"name": "Readers", "language": "en", "zone": "Europe/Berlin", "channel": "talk"}
    await house.submit(CHAIR, "configure:club", **moved)
    await house.until(CLOSES + timedelta(hours=2))
    await house.submit(CHAIR, "decision:1", paper="p10", reason="We read it together")
    await house.until(CLOSES + timedelta(hours=3))
    assert "The tie is decided" in said(result(house, 1)) and "decide:1" not in list(ids_in(result(house, 1)))
    decisions = told(house, 1, "decision")
    assert sorted(each.to.native_id for each in decisions) == ["papers", "talk"]
    assert all("We read it together" in said(each.message) for each in decisions)


# ---- a second vote ----


async def test_a_second_vote_decides_a_tie_and_a_second_tie_goes_to_the_oldest(house: House) -> None:
    await open_vote(house, ties="runoff")
    await cast_all(house, "approval", 1, TIE)
    await house.until(CLOSES + timedelta(minutes=1))
    assert "vote:2" in list(ids_in(result(house, 1))) and "Winner" not in result(house, 1).summary
    (poll,) = told(house, 2, "open")
    form = (await house.press(MEMBER, "vote:2")).form
    assert form is not None
    assert [option.value for option in form.fields[0].options] == ["p57", "p10"]  # type: ignore[union-attr]
    old = text_of(await house.press(MEMBER, "vote:1"))
    assert "which has closed" in old
    await cast_all(house, "approval", 2, [("p10",), ("p10",), ("p57",), ("p57",), ("p10",)])
    await house.until(CLOSES + timedelta(days=1, minutes=1))
    assert result(house, 2).summary.startswith("Winner: ") and "3 of 5" in said(result(house, 2))
    assert poll.at == CLOSES and told(house, 2)[0].at == CLOSES + timedelta(days=1)
    await house.until(OPENS + WEEK)
    assert told(house, 3, "open")  # the next week begins by itself


async def test_the_one_paper_left_of_a_second_vote_is_told_as_chosen(house: House) -> None:
    await open_vote(house, ties="runoff")
    await cast_all(house, "approval", 1, TIE)
    await house.until(CLOSES + timedelta(minutes=1))
    await house.command(CHAIR, "club remove", paper="p57")
    await house.tick()
    (poll,) = told(house, 2, "open")
    assert poll.message.summary.startswith("This vote closed") and "result:2" in list(ids_in(poll.message))
    assert "Only one paper of the tie is left, so there is nothing to vote on." in said(result(house, 2))
    assert "Winner" not in result(house, 2).summary


async def test_who_closes_a_vote_after_its_deadline_hears_that_it_was_over(house: House) -> None:
    await open_vote(house)
    await cast_all(house, "approval", 1, TIE)
    house.now = CLOSES + timedelta(seconds=1)
    answer = await house.command(CHAIR, "club close vote", reason="We met")
    assert text_of(answer).startswith("The vote’s time was over already.")
    await house.tick()
    assert "Closed early" not in said(result(house, 1)) and "We met" not in said(result(house, 1))
