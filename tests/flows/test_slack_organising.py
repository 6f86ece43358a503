"""What organisers do in Slack after set-up, by mention, form and confirmation, and which of several clubs is meant."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chatlab.fakeslack import Channel, User
from tests.lab.chatlab.fakeslack import Message as Shown
from tests.lab.house import MONDAY, ZONE
from tests.lab.slack_house import ClubWorkspace, clean_log, club_workspace, ids, menu

__all__ = ["clean_log"]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubWorkspace]:
    """A club with papers to read."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db") as opened:
        await opened.set_up()
        yield opened


def named(who: User) -> str:
    """Somebody as Slack writes them where commands have their people looked up."""
    return f"<@{who.id}|{who.name}>"


def button(shown: Shown, start: str) -> str:
    """The id of the button whose id begins so."""
    (found,) = [each for each in ids(shown) if each.startswith(start)]
    return found


async def settings(here: ClubWorkspace, **values: Any) -> str:
    """The owner changes the club by its form; what they are told."""
    listed = await here.typed(here.owner, "/club settings")
    form = await here.opened(here.owner, listed, "Change the club")
    return (await here.sent(here.owner, form, values)).shown


async def voting(here: ClubWorkspace) -> None:
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    await here.later()


async def test_who_is_blocked_may_vote_and_not_write(here: ClubWorkspace) -> None:
    await voting(here)
    assert "organiser" in (await here.typed(here.bea, f"/club block {named(here.ada)}")).shown
    blocked = await here.typed(here.owner, f"/club block {named(here.ada)}")
    assert "ada is blocked: they may vote" in blocked.shown
    refused = await here.typed(here.ada, "/paper nominate p58")
    assert "blocked you" in refused.shown and refused.ephemeral
    assert "Counted. You would read: paper 2." in await here.vote(here.ada, "p10")
    lifted = await here.pressed(here.owner, blocked, "Let them nominate again")
    assert "ada may nominate and give reasons again." in lifted.shown
    assert "Nominated" in (await here.typed(here.ada, "/paper nominate p58")).shown


async def test_another_organiser_is_named_by_mention_and_steps_down(here: ClubWorkspace) -> None:
    assert "Only organisers" in (await here.typed(here.bea, "/club pause")).shown
    told = await here.typed(here.owner, f"/club organisers add {named(here.bea)}")
    assert "bea is an organiser now." in told.shown
    assert "Only organisers" not in (await here.typed(here.bea, "/club settings")).shown
    gone = await here.typed(here.bea, f"/club organisers remove {named(here.bea)}")
    assert "bea is no longer an organiser." in gone.shown
    assert "Only organisers" in (await here.typed(here.bea, "/club pause")).shown


async def test_the_last_post_is_taken_back_and_its_paper_is_free_again(here: ClubWorkspace) -> None:
    await here.until(MONDAY + HOUR)
    (post,) = here.shown("Today’s paper")
    asked = await here.typed(here.owner, "/club undo")
    assert here.shown("Today’s paper") == [post]
    await here.pressed(here.owner, asked, button(asked, "undo:"))
    await here.later()
    assert here.shown("Today’s paper") == [] and post.deleted
    assert "An organiser took it back." in (await here.typed(here.ada, "/paper why")).shown
    await here.until(MONDAY + DAY + HOUR)
    assert len(here.shown("Today’s paper")) == 1


async def test_a_deleted_club_is_silent_and_comes_back_as_it_was(here: ClubWorkspace) -> None:
    await here.typed(here.ada, "/paper nominate p57")
    asked = await here.typed(here.owner, "/club delete")
    await here.pressed(here.owner, asked, button(asked, "delete:"))
    await here.until(MONDAY + 3 * DAY)
    assert here.shown("Today’s paper") == []
    assert "p57" not in str((await here.typed(here.ada, "/paper nominations")).blocks)
    assert "set up" in await here.home(here.ada)
    back = await here.typed(here.owner, "/club restore")
    for each in [each for each in ids(back) if each.startswith("restore:")]:
        back = await here.pressed(here.owner, back, each)
    assert "p57" in str((await here.typed(here.ada, "/paper nominations")).blocks)
    await here.until(MONDAY + 4 * DAY + HOUR)
    assert len(here.shown("Today’s paper")) == 2


async def test_in_a_move_the_open_vote_stays_and_its_result_is_told_in_both_channels(
    here: ClubWorkspace,
) -> None:
    new = here.lab.create_channel(here.team, "new")
    new.members.add(here.owner.id)
    await voting(here)
    poll = here.poll()
    assert "Saved." in await settings(here, channel=new.id)
    assert "Counted." in await here.vote(here.ada, "p10", poll=poll)
    await here.typed(here.owner, "/club close vote We met")
    await here.later()
    assert [len(here.shown("Winner", each)) for each in (here.channel, new)] == [1, 1]


async def test_a_move_to_a_channel_without_the_bot_is_refused_at_its_field(here: ClubWorkspace) -> None:
    closed = here.lab.create_channel(here.team, "closed", with_bot=False)
    listed = await here.typed(here.owner, "/club settings")
    form = await here.opened(here.owner, listed, "Change the club")
    for _ in range(2):
        faults = await here.refused(here.owner, form, {"channel": closed.id})
        assert list(faults) == ["channel"] and "/invite @Paperclub" in faults["channel"]
    closed.members.add(here.team.bot_user)
    assert "Saved." in (await here.sent(here.owner, form, {"channel": closed.id})).shown
    await here.until(MONDAY + HOUR)
    assert [len(here.shown("Today’s paper", each)) for each in (here.channel, closed)] == [0, 1]


async def test_where_two_clubs_are_meant_a_menu_asks_and_what_was_typed_is_done(here: ClubWorkspace) -> None:
    other, lobby = (here.lab.create_channel(here.team, name) for name in ("other", "lobby"))
    for room in (other, lobby):
        room.members |= {here.owner.id, here.ada.id, here.bea.id}
    await second_club(here, other)
    asked = await here.typed(here.ada, "/paper nominate p57 Short", lobby)
    assert "Which club do you mean?" in asked.shown
    chooser = menu(asked)
    assert [each["text"]["text"] for each in chooser["options"]] == ["Readers", "Night owls"]
    chosen = await here.answer(await here.lab.select(here.ada, asked, chooser["action_id"], "Night owls"))
    assert "Nominated" in chosen.shown and "This is about Night owls." in chosen.shown
    assert "p57" in str((await here.typed(here.bea, "/paper nominations", other)).blocks)
    assert "Nothing is nominated" in (await here.typed(here.bea, "/paper nominations")).shown
    again = await here.typed(here.ada, "/paper nominate p58", lobby)
    assert "Nominated" in again.shown  # a member of one of them is asked no more
    assert "2 papers nominated." in (await here.typed(here.bea, "/paper nominations", other)).shown


async def second_club(here: ClubWorkspace, room: Channel) -> None:
    form = await here.asked(here.owner, "/club setup", room)
    made = await here.sent(here.owner, form, {"name": "Night owls", "zone": ZONE})
    assert "Night owls is set up." in made.shown
