"""What a vote is frozen to at its opening, and that nothing changes it after."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import ceil, sqrt
from typing import TYPE_CHECKING

import pytest

from bot.clubs import service as clubs
from bot.clubs.model import SQUARE_ROOT
from bot.errors import BadInput
from bot.rounds import service as rounds
from bot.rounds.freezing import root_quorum
from bot.rounds.model import Rules

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


async def test_a_vote_keeps_the_settings_of_its_opening_and_changes_apply_from_the_next(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    assert (over.method, over.rules) == ("approval", Rules())
    week.club = await week.change(
        method="phragmen",
        keep_rounds=2,
        guests_vote=True,
        secrecy="open",
        ties="runoff",
        quorum=2,
        close_early=True,
    )
    again = await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))
    assert (again.method, again.rules) == ("approval", Rules())
    await week.cast(over, 1, 1)
    result = await week.close(over)
    assert (result.outcome, result.winner, result.named) == ("decided", 1, ())
    await week.nominate(1, await week.paper("Another"))
    following = await week.open(OPENS + WEEK)
    assert following.method == "phragmen"
    assert following.rules == Rules(
        keep_rounds=2,
        guests_vote=True,
        secrecy="open",
        ties="runoff",
        quorum=2,
        close_early=True,
        season=1,
    )


async def test_a_season_begins_each_time_fair_turns_are_switched_on(week: Week) -> None:
    seasons = []
    for method in ("phragmen", "approval", "phragmen", "phragmen", "irv"):
        week.club = await week.change(method=method)
        seasons.append(week.club.settings.season)
    assert seasons == [1, 1, 2, 2, 2]


@pytest.mark.parametrize(("active", "needed"), [(0, 0), (1, 2), (3, 3), (4, 3), (5, 4), (20, 7), (300, 26)])
def test_the_root_quorum_is_one_and_a_half_roots_rounded_up(active: int, needed: int) -> None:
    assert root_quorum(active) == needed


def test_the_root_quorum_is_exact() -> None:
    assert [root_quorum(n) for n in range(2000)] == [ceil(1.5 * sqrt(n)) for n in range(2000)]


async def test_the_root_quorum_follows_from_those_who_were_active_at_the_opening(week: Week) -> None:
    week.club = await week.change(quorum=SQUARE_ROOT)
    await week.nominate_papers(3)
    over = await week.open()
    assert over.rules.quorum == 0  # nobody has been active yet
    for number in range(5):
        await week.cast(over, number + 1, 1)
    assert (await week.close(over)).outcome == "decided"
    assert (await week.open(OPENS + WEEK)).rules.quorum == 4


async def test_a_quorum_is_at_most_the_active_members_once_there_are_any(week: Week) -> None:
    await week.nominate_papers(3)
    over = await week.open()
    for number in (1, 2, 3):
        await week.cast(over, number, 1)
    await week.close(over)
    organiser, at = await week.member(1), CLOSES + timedelta(hours=1)

    async def needs(n: int, **changes: int) -> int:
        changed = await week.write(
            lambda tx: clubs.change_settings(tx, week.club, organiser, at, quorum=n, **changes)
        )
        week.club = changed
        return changed.settings.quorum

    with pytest.raises(BadInput, match=r"settings\.quorum_range") as caught:
        await needs(4)
    assert (caught.value.field, caught.value.values["n"]) == ("quorum", 3)
    assert await needs(3) == 3
    await week.write(lambda tx: tx.run("DELETE FROM receipt WHERE member_id <> :id", id=organiser.id))
    assert await needs(3, keep_rounds=2) == 3  # as it was: only what is new must fit


async def test_two_votes_have_secrets_and_logs_of_their_own(week: Week) -> None:
    await week.nominate_papers(2)
    over = await week.open()
    await week.close(over)
    following = await week.open(OPENS + WEEK)
    for name in ("secret", "commitment", "opening_head"):
        assert len(getattr(over, name)) in (32, 64)
        assert getattr(over, name) != getattr(following, name)
    assert following.head == following.opening_head
