"""A club in Slack is those in its channel: outsiders do not vote, and a private club is not there for them."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.lab.chatlab.fakeslack import User
from tests.lab.house import ZONE
from tests.lab.slack_house import ClubWorkspace, clean_log, club_workspace, home_of, ticked

__all__ = ["clean_log"]

RULE = "Only members of the channel of Readers can do this."


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubWorkspace]:
    """A club with papers to read."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db") as opened:
        yield opened


def outsider(here: ClubWorkspace) -> User:
    """Somebody of the workspace who is not in the channel."""
    return here.lab.create_user(here.team, "outsider")


async def test_outside_a_public_channel_people_read_and_do_not_vote_or_nominate(here: ClubWorkspace) -> None:
    await here.set_up()
    await here.typed(here.ada, "/paper nominate p57")
    who, elsewhere = outsider(here), here.lab.create_channel(here.team, "lobby")
    elsewhere.members.add(who.id)
    for room in (elsewhere, here.lab.dm(who)):
        assert "p57" in (await here.typed(who, "/paper nominations", room)).shown
        for line in ("/paper nominate p10", "/paper vote"):
            assert RULE in (await here.typed(who, line, room)).shown
    assert "1 paper nominated." in (await here.typed(here.ada, "/paper nominations")).shown


async def test_somebody_who_looks_at_a_public_channel_does_not_vote_there(here: ClubWorkspace) -> None:
    await here.set_up()
    for paper in ("p57", "p10"):
        await here.typed(here.ada, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    await here.later()
    who = here.person("visitor")
    poll = here.poll()
    here.slack.platform._members._rooms.clear()
    form = await here.ballot(who, poll)
    here.channel.members.discard(who.id)  # and looks on
    here.slack.platform._members._rooms.clear()
    assert RULE in (await here.sent(who, form, ticked(form, "p57"))).shown
    assert "Counted." in await here.vote(here.ada, "p57")


async def test_whoever_joins_the_channel_takes_part_from_private_messages_too(
    here: ClubWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.slack.members.AGAIN", 0.0)
    await here.set_up()
    who = outsider(here)
    assert RULE in (await here.typed(who, "/paper nominate p10", here.lab.dm(who))).shown
    here.channel.members.add(who.id)
    assert "Nominated" in (await here.typed(who, "/paper nominate p10", here.lab.dm(who))).shown


async def test_a_private_club_is_neither_shown_nor_named_to_outsiders(here: ClubWorkspace) -> None:
    here.channel.is_private = True
    await here.set_up()
    await here.typed(here.ada, "/paper nominate p57")
    who = outsider(here)
    for line in (
        "/paper nominations",
        "/paper nominate p10",
        "/paper history",
        "/club settings",
        "/paper vote",
    ):
        told = (await here.typed(who, line, here.lab.dm(who))).shown
        assert "Readers" not in told and "p57" not in told, told
    assert "Readers" not in await here.home(who, "Paperclub")
    assert "p57" in (await here.typed(here.bea, "/paper nominations", here.lab.dm(here.bea))).shown
    assert "Readers" in await here.home(here.bea, "Readers")


async def test_of_several_clubs_an_outsider_is_asked_only_for_those_they_may_see(here: ClubWorkspace) -> None:
    await here.set_up()
    secret = here.lab.create_channel(here.team, "secret", private=True)
    secret.members |= {here.owner.id, here.bea.id}
    form = await here.asked(here.owner, "/club setup", secret)
    await here.sent(here.owner, form, {"name": "Night owls", "zone": ZONE})
    mail = here.lab.dm(here.ada)
    assert "Nominated" in (await here.typed(here.ada, "/paper nominate p57", mail)).shown
    assert "Night owls" not in await here.home(here.ada, "Readers")
    assert "Night owls" not in str(home_of(here, here.ada))
    asked = await here.typed(here.bea, "/paper nominations", here.lab.dm(here.bea))
    assert "Which club do you mean?" in asked.shown and "Night owls" in str(asked.blocks)


async def test_while_slack_does_not_say_who_is_in_the_channel_nobody_writes_from_elsewhere(
    here: ClubWorkspace,
) -> None:
    await here.set_up()
    await here.typed(here.ada, "/paper nominate p57")
    here.lab.add_fault("error", "/conversations.members", error="fatal_error", times=None)
    here.meant.add("fatal_error")
    here.slack.platform._members._rooms.clear()
    mail, who = here.lab.dm(here.ada), outsider(here)
    cannot = "I cannot check right now whether you are in the club’s channel."
    assert "p57" in (await here.typed(here.ada, "/paper nominations", mail)).shown
    assert cannot in (await here.typed(here.ada, "/paper nominate p10", mail)).shown
    assert cannot in (await here.typed(who, "/paper nominations", here.lab.dm(who))).shown
    assert "Nominated" in (await here.typed(here.ada, "/paper nominate p10")).shown
