"""Who breaks a tie, by the rule the club chose: the chain, another vote, or an organiser on record."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.errors import BadInput, Conflict, NotFound
from bot.rounds import nominations
from bot.rounds import service as rounds
from bot.rounds.audit import audit
from bot.rounds.deciding import decide_waiting
from bot.rounds.model import Result, Round
from bot.rounds.reading import find_sheet
from bot.rounds.sheet import agrees, count_election, read_election
from bot.storage.ballots import voters
from bot.storage.database import to_us

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

US = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
DAY = timedelta(hours=24)
MONDAY = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
MEETS = datetime(2026, 12, 7, 15, 0, tzinfo=UTC)
WAITS = CLOSES + 2 * DAY


async def tick(week: Week, now: datetime) -> list[str]:
    return [happened.what for happened in await rounds.run_due(week.database, now)]


async def now_open(week: Week) -> Round | None:
    return await week.read(lambda tx: rounds.find_open_round(tx, week.club.id))


async def result_of(week: Week, round_id: int) -> Result:
    return await week.read(lambda tx: rounds.get_result(tx, week.club.id, round_id))


async def tied(week: Week, rule: str, **changes: object) -> Round:
    """A vote on three papers in which the second and the third are level, before it closes."""
    week.club = await week.change(ties=rule, **changes)
    await week.nominate_papers(3)
    over = await week.open()
    await week.cast(over, 4, 2, 3)
    await week.cast(over, 5, 3, 2)
    await week.cast(over, 6, 1)
    return over


async def kinds(week: Week) -> list[tuple[str, str]]:
    rows = await week.read(lambda tx: tx.rows("SELECT kind, subject FROM delivery ORDER BY next_try, id"))
    return [(row[0], row[1]) for row in rows]


async def listed(week: Week) -> list[tuple[str, int]]:
    """State and lost rounds of every nomination, the oldest first."""
    rows = await week.read(lambda tx: tx.rows("SELECT state, rounds FROM nomination ORDER BY id"))
    return [(row[0], row[1]) for row in rows]


# ---- the chain ----


async def test_by_age_the_oldest_nomination_wins(week: Week) -> None:
    over = await tied(week, "age")
    result = await week.close(over)
    assert (result.outcome, result.winner, result.tied, result.tie_rule) == ("decided", 2, (2, 3), "age")


async def test_by_draw_the_age_says_nothing(week: Week) -> None:
    over = await tied(week, "draw")
    result = await week.close(over)
    assert (result.outcome, result.tie_rule) == ("decided", "draw")
    assert result.winner in (2, 3)
    assert "tie.age" not in {step.kind for step in result.steps}


# ---- a runoff ----


async def test_a_tie_opens_another_vote_of_the_tied_papers_in_the_same_moment(week: Week) -> None:
    over = await tied(week, "runoff", keep_rounds=3)
    result = await week.close(over)
    runoff = await now_open(week)
    assert runoff is not None
    assert (result.outcome, result.winner, result.tied, result.runoff) == ("runoff", None, (2, 3), runoff.id)
    assert (runoff.number, runoff.method) == (2, "approval")
    assert (runoff.opens_at, runoff.closes_at, runoff.meeting_at) == (CLOSES, CLOSES + DAY, MEETS)
    assert (runoff.rules.runoff_of, runoff.rules.keep_rounds, runoff.rules.ties) == (over.id, 3, "runoff")
    assert [each.nomination_id for each in runoff.candidates] == [
        each.nomination_id for each in over.candidates[1:]
    ]
    assert runoff.commitment not in ("", over.commitment)
    assert runoff.opening_head not in ("", over.opening_head)
    assert await listed(week) == [("open", 1), ("open", 0), ("open", 0)]


async def test_a_runoff_is_announced_as_any_vote_after_the_result(week: Week) -> None:
    over = await tied(week, "runoff")
    result = await week.close(over)
    told = await kinds(week)
    assert ("open", f"{result.runoff}:open") in told
    assert told.index(("result", f"{over.id}:result")) < told.index(("open", f"{result.runoff}:open"))
    assert ("thread", f"{over.id}:thread") not in told


async def test_the_runoff_chooses_the_paper_for_the_meeting(week: Week) -> None:
    over = await tied(week, "runoff")
    await tick(week, CLOSES)
    runoff = await now_open(week)
    assert runoff is not None
    await week.cast(runoff, 4, 2, at=CLOSES + HOUR)
    assert "closed" not in await tick(week, CLOSES + DAY - US)
    assert "closed" in await tick(week, CLOSES + DAY)
    result = await result_of(week, runoff.id)
    assert (result.outcome, result.winner) == ("decided", 2)
    assert await listed(week) == [("open", 1), ("open", 1), ("chosen", 0)]
    assert await tick(week, MEETS) == ["discussed", "discussed"]
    assert (await result_of(week, over.id)).outcome == "runoff"
    assert await listed(week) == [("open", 1), ("open", 1), ("read", 0)]


async def test_a_second_tie_goes_to_the_chain(week: Week) -> None:
    over = await tied(week, "runoff")
    await week.close(over)
    runoff = await now_open(week)
    assert runoff is not None
    await week.cast(runoff, 4, 1, 2, at=CLOSES)
    result = await week.close(runoff, CLOSES + DAY)
    assert (result.outcome, result.winner, result.tie_rule, result.runoff) == ("decided", 1, "age", None)
    assert await now_open(week) is None


async def test_a_tie_waits_as_long_as_its_runoff_that_was_extended(week: Week) -> None:
    over = await tied(week, "runoff")
    await week.close(over, CLOSES)
    away = CLOSES + DAY - HOUR, CLOSES + DAY + HOUR
    (moved,) = await week.write(lambda tx: rounds.extend_for_outage(tx, *away, away[1]))
    assert moved.closes_at == CLOSES + DAY + 2 * HOUR
    assert (await result_of(week, over.id)).round.waits_until == moved.closes_at
    assert (await result_of(week, over.id)).outcome == "runoff"


async def test_a_runoff_nobody_votes_in_decides_nothing(week: Week) -> None:
    over = await tied(week, "runoff")
    await week.close(over)
    runoff = await now_open(week)
    assert runoff is not None
    result = await week.close(runoff, CLOSES + DAY)
    assert (result.outcome, result.winner) == ("nobody", None)
    assert await listed(week) == [("open", 1), ("open", 0), ("open", 0)]


@pytest.mark.parametrize("voters", [0, 1])
async def test_the_one_paper_left_of_a_second_vote_is_chosen_at_once(week: Week, voters: int) -> None:
    over = await tied(week, "runoff")
    await week.close(over)
    runoff = await now_open(week)
    assert runoff is not None
    for number in range(voters):
        await week.cast(runoff, 4 + number, 1, at=CLOSES + HOUR)
    owner, gone = await week.member(2), runoff.candidates[0].nomination_id
    await week.write(lambda tx: nominations.withdraw(tx, week.club.id, owner, gone, CLOSES + HOUR))
    assert await now_open(week) is None
    result = await result_of(week, runoff.id)
    assert (result.outcome, result.winner, result.why) == ("single", 2, "one_left")
    assert (result.round.closed_at, result.ballots) == (CLOSES + HOUR, voters)
    assert await listed(week) == [("open", 1), ("withdrawn", 0), ("chosen", 0)]
    told = await kinds(week)
    assert ("thread", f"{runoff.id}:thread") in told and ("blanked", f"{runoff.id}:1") not in told
    assert (await week.read(audit)).damage == ()
    assert "discussed" in await tick(week, MEETS)
    assert (await listed(week))[2] == ("read", 0)


@pytest.mark.parametrize(("late", "outcome"), [(-US, "runoff"), (timedelta(0), "decided")])
async def test_a_runoff_must_end_before_the_meeting_begins(week: Week, late: timedelta, outcome: str) -> None:
    over = await tied(week, "runoff")
    result = await week.close(over, MEETS - DAY + late)
    assert result.outcome == outcome
    assert (result.winner, result.tie_rule) == ((None, "") if outcome == "runoff" else (2, "age"))


async def test_a_runoff_is_opened_once_by_two_processes(week: Week) -> None:
    await tied(week, "runoff")
    done = await asyncio.gather(*(tick(week, CLOSES) for _ in range(4)))
    assert sum(each.count("closed") for each in done) == 1
    rows = await week.read(lambda tx: tx.rows("SELECT COUNT(*) FROM round"))
    assert rows[0][0] == 2


async def test_an_opening_that_falls_into_a_runoff_is_passed_over(week: Week) -> None:
    await tied(week, "runoff", vote_opens_day="sat")
    await tick(week, CLOSES)
    runoff = await now_open(week)
    assert "missed" in await tick(week, datetime(2026, 12, 5, 8, 0, tzinfo=UTC))
    assert await now_open(week) == runoff


# ---- few ballots ----


@pytest.mark.parametrize("rule", ["runoff", "organiser"])
@pytest.mark.parametrize("secrecy", ["secret", "open"])
@pytest.mark.parametrize("blank", [0, 6])
@pytest.mark.parametrize("voters", [1, 2, 3, 4])
async def test_of_one_or_two_secret_ballots_no_tie_is_handed_on_that_would_name_its_papers(
    week: Week, rule: str, secrecy: str, blank: int, voters: int
) -> None:
    week.club = await week.change(ties=rule, secrecy=secrecy)
    await week.nominate_papers(3)
    over = await week.open()
    for number in range(voters):
        await week.cast(over, 4 + number, 2, 3)
    for number in range(blank):
        await week.cast(over, 10 + number)
    result = await week.close(over)
    if secrecy == "secret" and voters < 3:
        assert (result.outcome, result.winner, result.tie_rule) == ("decided", 2, "age")
        assert result.published == "winner"
        assert await now_open(week) is None and result.round.waits_until is None
    else:
        assert result.outcome == {"runoff": "runoff", "organiser": "waiting"}[rule]


# ---- an organiser decides ----


async def waiting(week: Week) -> Result:
    over = await tied(week, "organiser")
    return await week.close(over)


async def decide(
    week: Week, over: Round, position: int, reason: str = "Shorter", now: datetime = CLOSES + HOUR
) -> Result:
    organiser = await week.member(1)
    return await week.write(
        lambda tx: rounds.decide_tie(tx, week.club.id, over.id, organiser, position, reason, now)
    )


async def test_a_tie_waits_for_an_organiser_and_touches_no_nomination(week: Week) -> None:
    result = await waiting(week)
    assert (result.outcome, result.winner, result.tied, result.tie_rule) == ("waiting", None, (2, 3), "")
    assert result.round.waits_until == WAITS
    assert await listed(week) == [("open", 0)] * 3
    assert ("thread", f"{result.round.id}:thread") not in await kinds(week)


@pytest.mark.parametrize(
    ("closed", "until"), [(CLOSES, WAITS), (MEETS - 2 * DAY, MEETS), (MEETS - HOUR, MEETS)]
)
async def test_it_waits_for_two_days_and_no_longer_than_to_the_meeting(
    week: Week, closed: datetime, until: datetime
) -> None:
    over = await tied(week, "organiser")
    assert (await week.close(over, closed)).round.waits_until == until


async def test_once_the_meeting_has_begun_there_is_nobody_to_wait_for(week: Week) -> None:
    over = await tied(week, "organiser")
    result = await week.close(over, MEETS)
    assert (result.outcome, result.winner, result.tie_rule) == ("decided", 2, "age")


async def test_an_organiser_decides_on_record(week: Week) -> None:
    over = (await waiting(week)).round
    result = await decide(week, over, 3, "  Shorter  ", WAITS - US)
    assert (result.outcome, result.winner, result.tied, result.tie_rule) == (
        "decided",
        3,
        (2, 3),
        "organiser",
    )
    assert (result.decided_by, result.decided_note) == ("Member 1", "Shorter")
    assert (result.round.closed_at, result.round.waits_until) == (CLOSES, None)
    assert await listed(week) == [("open", 1), ("open", 1), ("chosen", 0)]
    acts = await week.read(lambda tx: tx.rows("SELECT member_id, about FROM act WHERE what = 'decide'"))
    assert [(row[0], json.loads(row[1])["reason"]) for row in acts] == [(1, "Shorter")]
    assert (await kinds(week))[-3:] == [
        ("decision", f"{over.id}:decision"),
        ("decided", f"{over.id}:decided"),
        ("thread", f"{over.id}:thread"),
    ]
    payloads = await week.read(lambda tx: tx.rows("SELECT payload FROM delivery ORDER BY id DESC LIMIT 2"))
    thread, edit = (json.loads(row[0]) for row in payloads)
    assert (thread["op"], thread["kind"], thread["subject"]) == ("thread", "decision", f"{over.id}:decision")
    assert (edit["op"], edit["kind"], edit["subject"]) == ("edit", "result", f"{over.id}:result")
    assert "discussed" in await tick(week, MEETS)
    assert (await listed(week))[2] == ("read", 0)


@pytest.mark.parametrize(
    ("position", "reason", "key"),
    [
        (2, " ", "decide.no_reason"),
        (2, "x" * 301, "nominate.reason_long"),
        (1, "Shorter", "decide.not_tied"),
        (0, "Shorter", "decide.not_tied"),
        (9, "Shorter", "decide.not_tied"),
    ],
)
async def test_only_a_tied_paper_is_chosen_and_only_with_a_reason(
    week: Week, position: int, reason: str, key: str
) -> None:
    over = (await waiting(week)).round
    with pytest.raises(BadInput, match=key.replace(".", r"\.")):
        await decide(week, over, position, reason)
    assert (await result_of(week, over.id)).outcome == "waiting"


async def test_a_tie_is_decided_once(week: Week) -> None:
    over = (await waiting(week)).round
    await decide(week, over, 3)
    with pytest.raises(Conflict, match=r"decide\.over"):
        await decide(week, over, 2)
    assert (await result_of(week, over.id)).winner == 3
    assert "decided" not in await tick(week, WAITS)


async def test_when_the_time_is_over_the_chain_decides_and_no_organiser_any_more(week: Week) -> None:
    over = (await waiting(week)).round
    with pytest.raises(Conflict, match=r"decide\.over"):
        await decide(week, over, 3, now=WAITS)
    assert "decided" not in await tick(week, WAITS - US)
    done = await asyncio.gather(*(tick(week, WAITS) for _ in range(4)))
    assert sum(each.count("decided") for each in done) == 1
    result = await result_of(week, over.id)
    assert (result.outcome, result.winner, result.tie_rule, result.decided_by) == ("decided", 2, "age", "")
    assert [step.kind for step in result.steps] == ["approval.counts", "tie", "tie.age", "tie.settled"]
    assert await listed(week) == [("open", 1), ("chosen", 0), ("open", 1)]
    assert (await kinds(week)).count(("decision", f"{over.id}:decision")) == 1


async def test_a_vote_that_waits_for_nothing_has_no_tie_to_decide(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    with pytest.raises(Conflict, match=r"decide\.over"):
        await decide(week, over, 1)
    await week.close(over)
    with pytest.raises(Conflict, match=r"decide\.over"):
        await decide(week, over, 1)
    other = await week.other_club()
    with pytest.raises(NotFound, match=r"error\.no_round"):
        await decide(other, over, 1)


async def test_a_tied_paper_that_was_withdrawn_since_is_not_chosen(week: Week) -> None:
    over = (await waiting(week)).round
    owner = await week.member(2)
    second = over.candidates[1].nomination_id
    await week.write(lambda tx: nominations.withdraw(tx, week.club.id, owner, second, CLOSES + HOUR))
    with pytest.raises(Conflict, match=r"nominate\.gone"):
        await decide(week, over, 2)
    await tick(week, WAITS)
    result = await result_of(week, over.id)
    assert (result.outcome, result.winner) == ("decided", 3)
    assert (await week.read(audit)).damage == ()
    assert await listed(week) == [("open", 1), ("withdrawn", 0), ("chosen", 0)]


async def test_when_all_tied_papers_are_withdrawn_nothing_is_chosen(week: Week) -> None:
    over = (await waiting(week)).round
    for number in (2, 3):
        owner, gone = await week.member(number), over.candidates[number - 1].nomination_id
        await week.write(
            lambda tx, owner=owner, gone=gone: nominations.withdraw(
                tx, week.club.id, owner, gone, CLOSES + HOUR
            )
        )
    await tick(week, WAITS)
    result = await result_of(week, over.id)
    assert (result.outcome, result.winner) == ("all_withdrawn", None)
    assert (await week.read(audit)).damage == ()
    assert (await listed(week))[0] == ("open", 0)


async def test_the_sheet_says_in_the_end_that_all_papers_of_the_tie_were_withdrawn(week: Week) -> None:
    over = await tied(week, "organiser", secrecy="open")
    await week.close(over)
    for number in (2, 3):
        owner, gone = await week.member(number), over.candidates[number - 1].nomination_id
        await week.write(
            lambda tx, o=owner, g=gone: nominations.withdraw(tx, week.club.id, o, g, CLOSES + HOUR)
        )
    await tick(week, WAITS)
    sheet = await week.read(lambda tx: find_sheet(tx, week.club.id, over.id)) or ""
    told = json.loads(sheet)["published result"]
    papers = [each.paper.public_id for each in over.candidates]
    assert (told["outcome"], told["winner"], told["tied"]) == ("all_withdrawn", None, papers[1:])
    election = read_election(sheet.encode())
    tally, decision = count_election(election)
    assert agrees(election, tally, decision) and decision.winners is None
    assert [step.kind for step in decision.steps] == ["tie.left"]
    assert (await week.read(audit)).damage == ()
    for wrong in (f'"tied": ["{papers[1]}", "{papers[2]}"]', '"outcome": "all_withdrawn"'):
        other = wrong.replace(papers[1], papers[0]).replace("all_withdrawn", "nobody")
        forged = read_election(sheet.replace(wrong, other).encode())
        assert not agrees(forged, *count_election(forged))


async def test_a_tie_that_waits_holds_up_no_other_vote(week: Week) -> None:
    over = (await waiting(week)).round
    following = await week.open(CLOSES + HOUR)
    assert len(following.candidates) == 3
    await week.cast(following, 4, 2, at=CLOSES + HOUR)
    await decide(week, over, 2, now=CLOSES + 2 * HOUR)
    again = await week.read(lambda tx: rounds.get_round(tx, week.club.id, following.id))
    assert [each.withdrawn for each in again.candidates] == [False, True, False]
    assert await week.read(lambda tx: voters(tx, following.id)) == {(await week.member(4)).id}


async def test_the_sheet_is_written_again_with_the_decision(week: Week) -> None:
    over = await tied(week, "organiser", secrecy="open")
    await week.close(over)

    async def published() -> dict[str, object]:
        sheet = await week.read(lambda tx: rounds.find_sheet(tx, week.club.id, over.id))
        return dict(json.loads(sheet or "{}")["published result"])

    assert (await published())["outcome"] == "waiting"
    await decide(week, over, 3)
    told = await published()
    assert (told["outcome"], told["winner"]) == ("decided", over.candidates[2].paper.public_id)
    assert (told["decided_by"], told["decided_note"]) == ("Member 1", "Shorter")
    assert (await kinds(week)).count(("sheet", f"{over.id}:sheet")) == 1


async def test_in_fair_turns_the_decided_paper_is_paid_for_once_it_is_decided(week: Week) -> None:
    over = await tied(week, "organiser", method="phragmen")
    await week.close(over)
    assert await week.read(lambda tx: tx.rows("SELECT 1 FROM load")) == []
    await decide(week, over, 3)
    rows = await week.read(lambda tx: tx.rows("SELECT load FROM load ORDER BY member_id"))
    assert [row[0] for row in rows] == ["1/2", "1/2", "0"]


@pytest.mark.parametrize("by", ["organiser", "chain"])
async def test_what_was_paid_while_a_tie_waited_changes_neither_its_count_nor_its_sheet(
    week: Week, by: str
) -> None:
    week.club = await week.change(ties="organiser", method="phragmen")
    await week.nominate_papers(3)
    over = await week.open()
    for number, position in ((4, 1), (5, 1), (6, 2), (7, 2)):
        await week.cast(over, number, position)
    await week.cast(over, 9, 1, 2)
    await week.cast(over, 8, 1, 2)
    assert (await week.close(over)).tied == (1, 2)
    other = await week.open(CLOSES + HOUR)
    for number in (4, 5):
        await week.cast(other, number, 3, at=CLOSES + HOUR)
    await week.close(other, CLOSES + 2 * HOUR)
    if by == "organiser":
        await decide(week, over, 2, now=CLOSES + 3 * HOUR)
    else:
        await tick(week, WAITS)
    result = await result_of(week, over.id)
    assert (result.winner, result.tie_rule) == ((2, "organiser") if by == "organiser" else (1, "age"))
    election = read_election(
        (await week.read(lambda tx: find_sheet(tx, week.club.id, over.id)) or "").encode()
    )
    assert agrees(election, *count_election(election))
    assert {vote.paid for vote in election.ballots} == {0}
    assert (await week.read(audit)).damage == ()


async def test_while_a_tie_waits_for_its_meeting_no_other_vote_is_about_that_meeting(week: Week) -> None:
    over = await tied(week, "organiser")
    result = await week.close(over, OPENS + HOUR)
    assert (result.outcome, result.round.meeting_at) == ("waiting", MEETS)
    assert (await week.open(OPENS + 2 * HOUR)).meeting_at == MEETS + timedelta(days=7)


@pytest.mark.parametrize("by", ["organiser", "chain"])
async def test_a_vote_whose_time_has_come_is_closed_before_a_tie_moves_it(week: Week, by: str) -> None:
    over = (await waiting(week)).round
    following = await week.open(CLOSES + HOUR)
    await week.cast(following, 4, 1, at=CLOSES + HOUR)
    now = WAITS - HOUR if by == "organiser" else WAITS
    due = {"closes": to_us(now - US), "id": following.id}
    await week.write(lambda tx: tx.run("UPDATE round SET closes_at = :closes WHERE id = :id", **due))
    if by == "organiser":
        await decide(week, over, 2, now=now)
    else:
        await week.write(lambda tx: decide_waiting(tx, week.club.id, over.id, now))
    closed = await week.read(lambda tx: rounds.get_round(tx, week.club.id, following.id))
    assert (closed.state, closed.closed_at, closed.closes_at) == ("decided", now, now - US)
    assert [each.withdrawn for each in closed.candidates] == [False] * 3
