"""That a role may be asked for on Discord: frozen with the vote, asked at every press, and nobody else’s rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.errors import BadInput, NotAllowed
from bot.rounds import ballots, eligibility
from bot.rounds import service as rounds
from bot.rounds.ballots import Cast
from bot.rounds.model import Round
from bot.rounds.turnout import turnout_of

if TYPE_CHECKING:
    from tests.rounds.conftest import Week

OPENS = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
WEEK = timedelta(days=7)
ROLE = "555"


async def voting(week: Week, role: str = ROLE, platform: str = "discord") -> Round:
    """An open vote of a club on a platform that asked for a role."""
    week.club = await week.change(vote_role=role)
    (channel,) = week.club.channels
    week.club = replace(week.club, channels=(replace(channel, platform=platform),))
    await week.nominate_papers(2)
    return await week.open()


async def press(
    week: Week, over: Round, number: int, *positions: int, on: str = "discord", roles: tuple[str, ...] | None
) -> Cast:
    member = await week.member(number)
    await week.read(lambda tx: eligibility.check_rules(tx, over, member, platform=on, roles=roles))
    return await week.write(
        lambda tx: ballots.cast(tx, over.id, member, positions, OPENS, platform=on, roles=roles)
    )


async def refused(week: Week, over: Round, number: int, roles: tuple[str, ...] | None) -> str:
    """The key of the refusal, the same before the form and when it comes back."""
    member = await week.member(number)
    with pytest.raises(NotAllowed) as before:
        await week.read(lambda tx: eligibility.check_rules(tx, over, member, platform="discord", roles=roles))
    with pytest.raises(NotAllowed) as after:
        await week.write(
            lambda tx: ballots.cast(tx, over.id, member, (1,), OPENS, platform="discord", roles=roles)
        )
    assert before.value.key == after.value.key
    return after.value.key


async def test_only_holders_of_the_role_vote_and_organisers_are_no_exception(week: Week) -> None:
    over = await voting(week)
    assert over.rules.voting_role == ROLE
    for number in (1, 2):  # member 1 organises the club
        assert await refused(week, over, number, ("5", "55", "5555")) == "ballot.role"
        assert await refused(week, over, number, ()) == "ballot.role"
    assert (await press(week, over, 2, 1, roles=("5", ROLE))).new_event
    assert (await week.read(lambda tx: turnout_of(tx, over))).voted == 1


async def test_where_nobody_can_tell_the_roles_nothing_is_counted_and_the_reason_is_another(
    week: Week,
) -> None:
    over = await voting(week)
    assert await refused(week, over, 2, None) == "ballot.role_unknown"


async def test_the_rule_is_not_one_of_the_other_side(week: Week) -> None:
    over = await voting(week)
    for number, side in ((2, "slack"), (3, "preview")):
        assert (await press(week, over, number, 1, on=side, roles=None)).new_event


async def test_a_club_that_is_not_on_discord_asks_for_no_role(week: Week) -> None:
    over = await voting(week, platform="slack")
    assert over.rules.voting_role == ""


async def test_the_role_is_that_of_the_opening_and_a_new_one_applies_from_the_next_vote(week: Week) -> None:
    over = await voting(week, role="")
    on_discord = week.club.channels
    week.club = replace(await week.change(vote_role=ROLE), channels=on_discord)
    again = await week.read(lambda tx: rounds.get_round(tx, week.club.id, over.id))
    assert again.rules.voting_role == ""
    assert (await press(week, again, 2, 1, roles=())).new_event
    await week.close(over)
    await week.nominate(1, await week.paper("Another"))
    following = await week.open(OPENS + WEEK)
    assert following.rules.voting_role == ROLE


async def test_who_lost_the_role_changes_nothing_and_their_ballot_stands(week: Week) -> None:
    over = await voting(week)
    await press(week, over, 2, 1, roles=(ROLE,))
    member = await week.member(2)
    assert await refused(week, over, 2, ()) == "ballot.role"
    assert (await week.read(lambda tx: ballots.current(tx, over, member.id))).positions == (1,)
    assert (await press(week, over, 2, 2, roles=(ROLE,))).ballot.positions == (2,)
    assert await week.write(lambda tx: ballots.withdraw(tx, over.id, member, OPENS))


@pytest.mark.parametrize("role", ["<@&5>", "5" * 41, "@readers"])
async def test_what_is_no_role_cannot_be_set(week: Week, role: str) -> None:
    with pytest.raises(BadInput) as caught:
        await week.change(vote_role=role)
    assert (caught.value.key, caught.value.field) == ("settings.role", "vote_role")
