"""An audit finds what was changed in the store behind the program, and leaves everything else in peace."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.clubs.purge import purge
from bot.errors import BadInput
from bot.messages.pages.auditing import head_lines, report_lines
from bot.messages.words import words_for
from bot.rounds import ballots, nominations
from bot.rounds.audit import Report, audit, find_head
from bot.rounds.log import event_hash
from bot.rounds.model import Round
from bot.storage.ballots import log_of
from bot.storage.rounds import find_round
from tests.rounds.conftest import CLOSES, OPENS

if TYPE_CHECKING:
    from tests.rounds.conftest import Week


async def lived(week: Week, method: str = "approval", **settings: Any) -> Round:
    """A round of six ballots, changed, blank, taken back, one paper withdrawn; closed."""
    week.club = await week.change(method=method, **settings)
    await week.nominate_papers(4)
    over = await week.open()
    for number in range(1, 8):
        await week.cast(over, number, *((number % 3 + 1,) if number < 7 else ()))
    leaver, nominator = await week.member(6), await week.member(4)
    await week.write(lambda tx: ballots.withdraw(tx, over.id, leaver, OPENS))
    fourth = over.candidates[3].nomination_id
    await week.write(lambda tx: nominations.withdraw(tx, week.club.id, nominator, fourth, OPENS))
    await week.cast(over, 1, 1)
    await week.close(over, CLOSES)
    return over


async def found(week: Week) -> Report:
    return await week.read(audit)


async def harm(week: Week, sql: str, **values: Any) -> list[tuple[str, int | None]]:
    """What an audit finds after this was done to the store."""
    assert await week.write(lambda tx: tx.run(sql, **values)) > 0
    report = await found(week)
    assert len(report_lines(words_for("en"), report)) >= 3 + len(report.damage)
    assert report_lines(words_for("zh"), report)
    return [(each.what, each.values.get("event")) for each in report.damage]


@pytest.mark.parametrize("method", ["plurality", "approval", "phragmen", "schulze", "irv"])
async def test_what_the_program_wrote_is_without_fault(week: Week, method: str) -> None:
    await lived(week, method)
    running = await week.open(OPENS + timedelta(days=7))
    await week.cast(running, 1, 1, at=OPENS + timedelta(days=7))
    report = await found(week)
    assert (report.rounds, report.events, report.damage) == (2, 10, ())
    assert report.notes == ()


@pytest.mark.parametrize("ties", ["age", "draw", "runoff", "organiser"])
async def test_a_tie_is_borne_out_whoever_breaks_it(week: Week, ties: str) -> None:
    week.club = await week.change(ties=ties)
    await week.nominate_papers(2)
    over = await week.open()
    for number in range(1, 7):
        await week.cast(over, number, number % 2 + 1)
    result = await week.close(over)
    assert result.tied == (1, 2)
    assert (await found(week)).damage == ()


@pytest.mark.parametrize("voters", [0, 1, 2, 4])
@pytest.mark.parametrize("method", ["approval", "phragmen"])
async def test_a_round_of_few_is_checked_as_far_as_it_can_be(week: Week, voters: int, method: str) -> None:
    week.club = await week.change(method=method)
    await week.nominate_papers(2)
    over = await week.open()
    for number in range(1, voters + 1):
        await week.cast(over, number, 1)
    await week.close(over)
    report = await found(week)
    assert report.damage == ()
    assert {each.what for each in report.notes} <= {"paid"}


async def test_what_was_forgotten_by_the_rules_is_no_damage(week: Week) -> None:
    over = await lived(week)
    assert await purge(week.database, CLOSES + timedelta(days=91))
    report = await found(week)
    assert report.damage == ()
    assert [(each.what, each.values["n"], each.round.round_id) for each in report.notes] == [
        ("untraced", 7, over.id)
    ]


async def test_two_papers_joined_since_are_no_damage(week: Week) -> None:
    await lived(week)
    await week.write(lambda tx: tx.run("UPDATE paper SET merged_into = 1 WHERE id = 2"))
    assert (await found(week)).damage == ()


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("UPDATE ballot_event SET payload = '[2]' WHERE seq = 3", ("chain", 3)),
        ("UPDATE ballot_event SET at = at + 1 WHERE seq = 1", ("chain", 1)),
        ("UPDATE ballot_event SET receipt = 'ffffffffff' WHERE seq = 4", ("chain", 4)),
        ("DELETE FROM ballot_event WHERE seq = 2", ("chain", 2)),
        ("DELETE FROM ballot_event WHERE seq = 9", ("head", None)),
        ("UPDATE ballot_event SET payload = 'x' WHERE seq = 3", ("unreadable", None)),
        ("UPDATE receipt SET secret = 'ab' WHERE member_id = 2", ("receipt", None)),
        ("UPDATE receipt SET voter = 1 WHERE member_id = 2", ("receipt", None)),
        ("UPDATE ballot_event SET voter = 1 WHERE seq = 2", ("receipt", None)),
        ("UPDATE round SET secret = 'ab'", ("seal", None)),
        ("UPDATE round SET opens_at = opens_at - 1", ("opening", None)),
        ("UPDATE round SET rules = REPLACE(rules, 'age', 'draw')", ("opening", None)),
        ("UPDATE candidate SET position = 9 WHERE position = 4", ("opening", None)),
        ("UPDATE candidate SET withdrawn_at = 1 WHERE position = 2", ("ballots", None)),
        ("UPDATE round SET result = REPLACE(result, '\"2\": 1', '\"2\": 3')", ("votes", None)),
        ("UPDATE round SET result = REPLACE(result, '\"winner\": 1', '\"winner\": 2')", ("outcome", None)),
        ("UPDATE round SET result = REPLACE(result, '\"ballots\": 6', '\"ballots\": 7')", ("ballots", None)),
        ("UPDATE round SET result = REPLACE(result, '\"votes\"', '\"vot\"')", ("unreadable", None)),
        ("UPDATE round SET result = 'x'", ("unreadable", None)),
        ("UPDATE round SET result = NULL", ("unreadable", None)),
        (
            'UPDATE round SET sheet = REPLACE(sheet, \'"approvals": []\', \'"approvals": ["p1"]\')',
            ("sheet", None),
        ),
        ("UPDATE round SET sheet = '{}'", ("unreadable", None)),
        ("UPDATE round SET rules = '['", ("unreadable", None)),
    ],
)
async def test_every_change_behind_the_program_is_found(
    week: Week, sql: str, what: tuple[str, int | None]
) -> None:
    await lived(week)
    assert what in await harm(week, sql)


async def test_a_log_rewritten_with_its_hashes_does_not_fit_what_was_frozen(week: Week) -> None:
    over = await lived(week)
    noted = (await week.read(lambda tx: log_of(tx, over.id)))[-1].hash
    stored = await week.read(lambda tx: find_round(tx, week.club.id, over.id))
    assert stored is not None
    assert noted is not None
    head = stored.opening_head
    for event in await week.read(lambda tx: log_of(tx, over.id)):
        payload = "[2]" if event.seq == 5 else event.payload
        after = event_hash(head, over.id, event.seq, event.at, event.receipt, payload)
        values = {"payload": payload, "prev": head, "hash": after, "seq": event.seq}
        sql = "UPDATE ballot_event SET payload = :payload, prev_hash = :prev, hash = :hash WHERE seq = :seq"
        await week.write(lambda tx, sql=sql, values=values: tx.run(sql, **values))
        head = after
    kinds = {each.what for each in (await found(week)).damage}
    assert kinds >= {"head", "sheet"}
    assert "chain" not in kinds
    assert await week.read(lambda tx: find_head(tx, noted)) == ([], [])


async def test_ballots_without_events_are_missed(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await week.cast(over, 1, 1)
    await week.cast(over, 2, 1)
    assert await harm(week, "DELETE FROM ballot_event WHERE seq = 2") == [("lost", None)]


async def test_a_head_is_found_by_its_first_signs(week: Week) -> None:
    over = await lived(week)
    log = await week.read(lambda tx: log_of(tx, over.id))
    for event in (log[0], log[-1]):
        assert event.hash is not None
        for asked in (event.hash, event.hash[:8].upper(), f" {event.hash[:16]} "):
            heads, damage = await week.read(lambda tx, asked=asked: find_head(tx, asked))
            assert [(each.round.round_id, each.seq) for each in heads] == [(over.id, event.seq)]
            assert damage == []
            assert head_lines(words_for("en"), heads, damage)
    heads, _ = await week.read(lambda tx: find_head(tx, over.opening_head))
    assert [each.seq for each in heads] == [0]
    assert await week.read(lambda tx: find_head(tx, "0" * 64)) == ([], [])
    assert await week.read(lambda tx: find_head(tx, over.opening_head, 99)) == ([], [])


async def test_a_head_with_damage_in_front_of_it_says_so(week: Week) -> None:
    over = await lived(week)
    log = await week.read(lambda tx: log_of(tx, over.id))
    await week.write(lambda tx: tx.run("UPDATE ballot_event SET payload = '[2]' WHERE seq = 3"))
    assert log[1].hash is not None
    assert log[4].hash is not None
    assert (await week.read(lambda tx: find_head(tx, log[1].hash or "")))[1] == []
    heads, damage = await week.read(lambda tx: find_head(tx, log[4].hash or ""))
    assert [each.seq for each in heads] == [5]
    assert [each.values["event"] for each in damage] == [3]


@pytest.mark.parametrize("head", ["", "abc", "abcdefg8", "0" * 65, "'; DROP", "１２３４５６７８"])
async def test_what_can_be_no_head_is_refused(week: Week, head: str) -> None:
    with pytest.raises(BadInput, match=r"audit\.head"):
        await week.read(lambda tx: find_head(tx, head))
