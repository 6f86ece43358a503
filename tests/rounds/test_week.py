"""A round opens, closes and is told, whatever the clock, the ballots and outages do."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from bot.clubs import service as clubs
from bot.errors import BadInput, Conflict, NotFound
from bot.rounds import nominations
from bot.rounds import service as rounds
from bot.rounds.model import Result, Round, Turnout
from bot.rounds.opening import find_opening
from bot.rounds.turnout import turnout_of
from bot.storage.slots import find_slot

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

US = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
MONDAY = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
MEETS = datetime(2026, 12, 7, 15, 0, tzinfo=UTC)


async def tick(week: Week, now: datetime) -> list[str]:
    return [happened.what for happened in await rounds.run_due(week.database, now)]


async def now_open(week: Week) -> Round | None:
    return await week.read(lambda tx: rounds.find_open_round(tx, week.club.id))


async def last(week: Week) -> Result:
    return await week.read(lambda tx: rounds.get_result(tx, week.club.id))


async def deliveries(week: Week) -> list[tuple[str, str, str, str]]:
    rows = await week.read(
        lambda tx: tx.rows("SELECT kind, subject, state, reason FROM delivery ORDER BY id")
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


async def test_a_week_runs_by_the_clock(week: Week) -> None:
    papers = await week.nominate_papers(3)
    assert await tick(week, OPENS - US) == []
    assert await tick(week, OPENS) == ["opened"]
    over = await now_open(week)
    assert over is not None
    assert (over.number, over.closes_at, over.meeting_at) == (1, CLOSES, MEETS)
    assert [candidate.paper.id for candidate in over.candidates] == papers
    await week.cast(over, 1, 2)
    await week.cast(over, 2, 2, 3)
    assert await tick(week, CLOSES - 3 * HOUR - US) == []
    assert await tick(week, CLOSES - 3 * HOUR) == ["reminded"]
    assert await tick(week, CLOSES - US) == []
    assert await tick(week, CLOSES) == ["closed"]
    result = await last(week)
    assert (result.outcome, result.winner, result.votes) == ("decided", 2, {1: 0, 2: 2, 3: 1})
    assert (result.ballots, result.turnout.voted, result.tied) == (2, 2, ())
    assert await week.states() == {papers[0]: "open", papers[1]: "chosen", papers[2]: "open"}
    assert await tick(week, MEETS) == ["discussed"]
    assert (await week.states())[papers[1]] == "read"
    assert [each[:3] for each in await deliveries(week)] == [
        ("open", f"{over.id}:open", "due"),
        ("reminder", f"{over.id}:reminder", "due"),
        ("result", f"{over.id}:result", "due"),
        ("closed", f"{over.id}:closed", "due"),
        ("thread", f"{over.id}:thread", "due"),
    ]
    assert await tick(week, MEETS) == []


async def test_ticks_at_once_open_and_close_once(week: Week) -> None:
    await week.nominate_papers(2)
    for now, what in ((OPENS, "opened"), (CLOSES, "closed")):
        done = await asyncio.gather(*(tick(week, now) for _ in range(5)))
        assert list(chain(*done)) == [what]
    assert sorted(each[0] for each in await deliveries(week)) == ["closed", "open", "result"]


async def test_without_a_nomination_there_is_one_notice(week: Week) -> None:
    assert await tick(week, OPENS) == ["opened"]
    assert await now_open(week) is None
    result = await last(week)
    assert (result.outcome, result.winner, result.round.candidates) == ("no_nomination", None, ())
    assert [each[0] for each in await deliveries(week)] == ["open"]
    assert await tick(week, CLOSES) == []


async def test_a_single_nomination_wins_without_a_vote(week: Week) -> None:
    (paper,) = await week.nominate_papers(1)
    await tick(week, OPENS)
    result = await last(week)
    assert (result.outcome, result.winner, result.ballots) == ("single", 1, 0)
    assert await week.states() == {paper: "chosen"}
    assert [each[0] for each in await deliveries(week)] == ["open", "thread"]


@pytest.mark.parametrize(("blank", "outcome"), [(0, "nobody"), (2, "all_blank")])
async def test_without_a_wish_all_stay_and_no_round_is_counted(week: Week, blank: int, outcome: str) -> None:
    papers = await week.nominate_papers(2)
    over = await week.open()
    for number in range(blank):
        await week.cast(over, number + 1)
    result = await week.close(over)
    assert (result.outcome, result.winner, result.ballots, result.non_blank) == (outcome, None, blank, 0)
    assert await week.states() == dict.fromkeys(papers, "open")
    counted = await week.read(lambda tx: tx.rows("SELECT SUM(rounds) FROM nomination"))
    assert counted[0][0] == 0


async def test_a_tie_goes_to_the_oldest_nomination_and_says_so(week: Week) -> None:
    await week.nominate_papers(3)
    over = await week.open()
    await week.cast(over, 1, 3, 2)
    await week.cast(over, 2, 2, 3)
    result = await week.close(over)
    assert (result.winner, result.tied, result.tie_rule) == (2, (2, 3), "age")
    assert [step.kind for step in result.steps] == ["approval.counts", "tie", "tie.age", "tie.settled"]
    assert await last(week) == result


async def test_of_papers_nominated_in_one_instant_the_sealed_draw_decides(week: Week) -> None:
    for title in ("A", "B"):
        await week.nominate(1, await week.paper(title), MONDAY)
    over = await week.open()
    await week.cast(over, 1, 1, 2)
    result = await week.close(over)
    seed = hashlib.sha256(f"{over.secret}{result.head}".encode()).hexdigest()
    lots = {
        hashlib.sha256(f"{seed}|{over.id}|winner|{each.paper.public_id}".encode()).hexdigest(): each.position
        for each in over.candidates
    }
    assert (result.winner, result.tie_rule) == (lots[min(lots)], "draw")
    assert hashlib.sha256(over.secret.encode()).hexdigest() == over.commitment


async def test_losers_stay_for_as_many_rounds_as_the_club_keeps_them(week: Week) -> None:
    week.club = await week.change(keep_rounds=2)
    loser = await week.paper("Loser")
    await week.nominate(9, loser, MONDAY)
    for number in range(3):
        assert (await week.states())[loser] == "open"
        winner = await week.paper(f"Winner {number}")
        await week.nominate(number + 2, winner, MONDAY + HOUR)
        over = await week.open(OPENS + timedelta(days=7 * number))
        await week.cast(over, 1, 2, at=OPENS + timedelta(days=7 * number))
        await week.close(over, OPENS + timedelta(days=7 * number, hours=1))
    assert (await week.states())[loser] == "expired"


async def test_an_open_round_keeps_the_rules_it_began_with(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    week.club = await week.change(
        keep_rounds=1, vote_closes_day="thu", vote_closes_time=time(10), zone="Asia/Shanghai"
    )
    again = await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))
    assert again == over
    assert (again.closes_at, again.rules.keep_rounds) == (CLOSES, 4)


async def test_the_deadline_is_frozen_across_a_change_of_clocks(week: Week) -> None:
    before = datetime(2026, 10, 22, 7, 0, tzinfo=UTC)  # Thursday 09:00 in Berlin, summer time ends on Sunday
    await week.nominate_papers(2)
    over = await week.open(before)
    assert over.closes_at == datetime(2026, 10, 23, 15, 0, tzinfo=UTC)
    assert over.meeting_at == datetime(2026, 10, 26, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("late", "what"),
    [
        (timedelta(hours=11, minutes=59), "opened"),
        (timedelta(hours=12), "missed"),
        (timedelta(days=2), "missed"),
    ],
)
async def test_an_opening_missed_while_away_is_served_within_twelve_hours(
    week: Week, late: timedelta, what: str
) -> None:
    await week.nominate_papers(2)
    assert await tick(week, OPENS + late) == [what]
    over = await now_open(week)
    assert (over.closes_at if over else None) == (CLOSES if what == "opened" else None)
    if what == "missed":
        assert await deliveries(week) == [("open", "2026-12-03T09:00", "missed", "away")]
    slot = await week.read(lambda tx: find_slot(tx, week.club.id, "open"))
    assert slot is not None
    assert slot.due == OPENS + timedelta(days=7)


async def test_after_weeks_away_only_the_last_opening_is_served(week: Week) -> None:
    await week.nominate_papers(2)
    assert await tick(week, OPENS + timedelta(days=14, hours=1)) == ["opened"]
    assert [each[1:] for each in await deliveries(week)] == [
        ("2026-12-03T09:00", "missed", "away"),
        ("2026-12-10T09:00", "missed", "away"),
        ("1:open", "due", ""),
    ]


async def test_a_vote_that_opens_late_is_open_for_an_hour_at_least(week: Week) -> None:
    week.club = await week.change(vote_closes_day="thu", vote_closes_time=time(12))
    await week.nominate_papers(2)
    assert await tick(week, OPENS + timedelta(hours=2, minutes=50)) == ["opened"]
    over = await now_open(week)
    assert over is not None
    assert over.closes_at == OPENS + timedelta(hours=3, minutes=50)


async def test_no_vote_opens_after_its_own_closing(week: Week) -> None:
    week.club = await week.change(vote_closes_day="thu", vote_closes_time=time(12))
    await week.nominate_papers(2)
    assert await tick(week, OPENS + timedelta(hours=3)) == ["missed"]


async def test_a_club_that_rests_opens_nothing_and_closes_what_is_open(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open(MONDAY)
    organiser = await week.member(1)
    await week.write(lambda tx: clubs.pause(tx, week.club, organiser, MONDAY))
    assert await tick(week, over.closes_at) == ["closed", "missed"]
    assert (await deliveries(week))[-1] == ("open", "2026-12-03T09:00", "missed", "paused")


async def test_a_running_vote_is_not_opened_over(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open(MONDAY)
    with pytest.raises(Conflict, match=r"open\.already"):
        await week.open(MONDAY + HOUR)
    assert await tick(week, OPENS) == ["missed"]
    assert await now_open(week) == over


async def test_opened_early_it_closes_at_the_clubs_time_an_hour_away_at_least(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open(CLOSES - HOUR)
    assert over.closes_at == CLOSES + timedelta(days=7)


async def test_an_organiser_ends_it_early_with_a_reason_that_is_kept(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    organiser = await week.member(1)
    await week.cast(over, 2, 2)

    async def end(note: str) -> Result:
        return await week.write(
            lambda tx: rounds.close_round(tx, week.club.id, over.id, OPENS + HOUR, organiser, note)
        )

    for note in ("", "  "):
        with pytest.raises(BadInput, match=r"close\.no_reason"):
            await end(note)
    result = await end(" Everybody has voted. ")
    assert (result.round.closed_by, result.round.close_note) == ("Member 1", "Everybody has voted.")
    assert (result.round.closed_at, result.winner) == (OPENS + HOUR, 2)
    with pytest.raises(Conflict, match=r"close\.already"):
        await end("Again")
    assert await now_open(week) is None


@pytest.mark.parametrize(
    ("away_from", "away_to", "closes"),
    [
        (CLOSES - HOUR, CLOSES + 2 * HOUR, CLOSES + 3 * HOUR),
        (CLOSES - timedelta(minutes=5), CLOSES + timedelta(minutes=5), CLOSES + timedelta(minutes=65)),
        (CLOSES, CLOSES + timedelta(minutes=2), CLOSES + timedelta(minutes=62)),
        (CLOSES - 5 * HOUR, CLOSES - HOUR, CLOSES),
        (CLOSES - timedelta(minutes=2), CLOSES - US, CLOSES),
    ],
)
async def test_a_deadline_inside_an_outage_moves_by_its_length_and_an_hour_at_least(
    week: Week, away_from: datetime, away_to: datetime, closes: datetime
) -> None:
    await week.nominate_papers(2)
    await tick(week, OPENS)
    over = await now_open(week)
    assert over is not None
    moved = await week.write(lambda tx: rounds.extend_for_outage(tx, away_from, away_to, away_to))
    again = await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))
    assert again.closes_at == closes
    assert moved == ([again] if closes != CLOSES else [])
    assert (again.away_from, again.away_to) == ((away_from, away_to) if moved else (None, None))
    assert again.meeting_at == MEETS
    assert (await week.cast(again, 1, 1, at=closes - US)).new_event
    assert "closed" not in await tick(week, closes - US)
    assert await tick(week, closes) == ["closed"]


async def test_a_meeting_passed_over_by_an_outage_moves_to_the_next(week: Week) -> None:
    await week.nominate_papers(2)
    await week.open()
    back = MEETS + HOUR
    (moved,) = await week.write(lambda tx: rounds.extend_for_outage(tx, CLOSES - HOUR, back, back))
    assert moved.closes_at > back
    assert moved.meeting_at == MEETS + timedelta(days=7)


async def test_the_result_stays_when_its_paper_leaves_the_catalogue(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await week.cast(over, 1, 1)
    before = await week.close(over)
    await week.write(lambda tx: tx.run("UPDATE paper SET removed_at = 1"))
    assert await last(week) == before
    assert before.round.candidates[0].paper.title == "Paper 1"


async def test_a_result_is_frozen(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await week.cast(over, 1, 1)
    result = await week.close(over)
    await week.write(lambda tx: tx.run("DELETE FROM ballot_event"))
    assert replace(await last(week), round=result.round) == result


async def test_results_before_any_and_during_the_first_vote(week: Week) -> None:
    with pytest.raises(NotFound, match=r"results\.empty"):
        await last(week)
    await week.nominate_papers(2)
    over = await week.open()
    with pytest.raises(Conflict) as caught:
        await week.read(lambda tx: rounds.get_result(tx, week.club.id, over.id))
    assert caught.value.values["when"] == CLOSES
    with pytest.raises(NotFound, match=r"error\.no_round"):
        await week.read(lambda tx: rounds.get_result(tx, week.club.id, over.id + 1))


async def test_history_lists_what_was_chosen_newest_first(week: Week) -> None:
    await week.open(OPENS)  # nothing nominated
    for number in range(3):
        await week.nominate(1, await week.paper(f"Read {number}"), MONDAY)
        await week.open(OPENS + timedelta(days=7 * number + 7))
    found, total = await week.read(lambda tx: rounds.history(tx, week.club.id, 1, 2))
    assert [result.round.candidates[0].paper.title for result in found] == ["Read 2", "Read 1"]
    assert total == 3
    found, _ = await week.read(lambda tx: rounds.history(tx, week.club.id, 2, 2))
    assert [result.round.candidates[0].paper.title for result in found] == ["Read 0"]


async def test_when_every_candidate_was_withdrawn_nothing_is_chosen(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await week.cast(over, 1, 1)
    for number, candidate in enumerate(over.candidates, 1):
        assert await now_open(week) is not None
        member = await week.member(number)
        await week.write(
            lambda tx, member=member, candidate=candidate: nominations.withdraw(
                tx, week.club.id, member, candidate.nomination_id, OPENS + HOUR
            )
        )
    result = await last(week)
    assert (result.outcome, result.winner, result.votes) == ("all_withdrawn", None, {})
    assert (result.ballots, result.non_blank, result.round.closed_at) == (1, 0, OPENS + HOUR)
    assert "result" in [each[0] for each in await deliveries(week)]
    assert "closed" not in await tick(week, CLOSES)


async def test_a_vote_that_came_to_nothing_tells_nothing_of_who_is_active(week: Week) -> None:
    await week.nominate_papers(1)
    await week.nominate(1, await week.paper("Another"))
    over = await week.open()
    await week.cast(over, 5, 1)
    member = await week.member(1)
    for candidate in over.candidates:
        await week.write(
            lambda tx, candidate=candidate: nominations.withdraw(
                tx, week.club.id, member, candidate.nomination_id, OPENS
            )
        )
    assert (await last(week)).turnout == Turnout(1, None)
    await week.nominate_papers(2)
    following = await week.open(OPENS + HOUR)
    assert await week.read(lambda tx: turnout_of(tx, following)) == Turnout(0, None)


async def test_a_vote_on_nothing_is_opened_by_the_clock_alone(week: Week) -> None:
    organiser = await week.member(1)
    with pytest.raises(Conflict, match=r"open\.nothing"):
        await week.write(lambda tx: rounds.open_round(tx, week.club, MONDAY, by=organiser))
    assert await deliveries(week) == []
    assert (await week.open()).outcome == "no_nomination"


async def test_a_meeting_moved_after_an_early_vote_still_has_its_paper(week: Week) -> None:
    await week.nominate_papers(1)
    await week.open(MONDAY)  # one paper: chosen at once, for the meeting on 7 December
    week.club = await week.change(meeting_day="tue")
    assert await week.read(lambda tx: find_opening(tx, week.club, MONDAY)) == OPENS + timedelta(days=7)
    assert await tick(week, OPENS) == ["missed"]
    assert (await deliveries(week))[-1] == ("open", "2026-12-03T09:00", "missed", "decided")
    assert await tick(week, OPENS + timedelta(days=7)) == ["discussed", "opened"][::-1]


@pytest.mark.parametrize(
    ("until", "opening"),
    [
        (None, None),
        (date(2026, 12, 3), OPENS),
        (date(2026, 12, 4), OPENS + timedelta(days=7)),
        (date(2027, 1, 1), datetime(2027, 1, 7, 8, tzinfo=UTC)),
    ],
)
async def test_the_next_opening_is_the_first_after_the_pause(
    week: Week, until: date | None, opening: datetime | None
) -> None:
    organiser = await week.member(1)
    week.club = await week.write(lambda tx: clubs.pause(tx, week.club, organiser, MONDAY, until))
    assert await week.read(lambda tx: find_opening(tx, week.club, MONDAY)) == opening


async def test_without_a_weekly_vote_there_is_no_next_opening(week: Week) -> None:
    week.club = await week.change(vote_on=False)
    assert await week.read(lambda tx: find_opening(tx, week.club, MONDAY)) is None


async def test_one_club_that_cannot_be_read_does_not_stop_the_others(
    week: Week, caplog: pytest.LogCaptureFixture
) -> None:
    other = await week.other_club()  # in UTC: its slot comes an hour later
    await week.write(lambda tx: tx.run("UPDATE club SET settings = 'torn' WHERE id = :id", id=week.club.id))
    assert await tick(week, OPENS + HOUR) == ["opened"]
    assert await now_open(other) is None
    assert (await last(other)).outcome == "no_nomination"
    assert "stands still" in caplog.text


async def test_a_deleted_club_opens_nothing(week: Week) -> None:
    await week.nominate_papers(2)
    await week.write(lambda tx: tx.run("UPDATE club SET deleted_at = 1"))
    assert await tick(week, OPENS) == []
    assert await tick(week, OPENS) == []
    assert await now_open(week) is None


async def test_openings_are_worked_out_anew_when_a_zone_changed(week: Week) -> None:
    await week.write(lambda tx: tx.run("UPDATE slot SET due_at = due_at + 3600000000"))
    await rounds.refresh(week.database, MONDAY)
    slot = await week.read(lambda tx: find_slot(tx, week.club.id, "open"))
    assert slot is not None
    assert slot.due == OPENS
    await rounds.refresh(week.database, OPENS)
    assert await week.read(lambda tx: find_slot(tx, week.club.id, "open")) == slot
