"""App Home and the first word: what one person has to do, drawn when they look and after they pressed."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.slack import people
from bot.clubs.model import Place, Settings
from bot.storage import clubs
from bot.storage.servers import list_servers
from tests.lab.chatlab.fakeslack import User
from tests.lab.chatlab.fakeslack.blockkit import plain_text
from tests.lab.furnished import stocked
from tests.lab.house import ZONE
from tests.lab.slack_online import SlackOnline, slack_online
from tests.lab.stage import SALT

__all__ = ["stocked"]


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[SlackOnline]:
    """A workspace with papers to read, before there is a club."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with slack_online(tmp_path / "paperclub.db") as opened:
        yield opened


def home(here: SlackOnline, who: User) -> str:
    view = here.lab.home(who)
    return plain_text(view["blocks"]) if view else ""


async def looked(here: SlackOnline, who: User, *words: str) -> str:
    """Somebody opens their Home, which then says all these words."""
    here.lab.open_home(who)
    return await stands(here, who, *words)


async def stands(here: SlackOnline, who: User, *words: str) -> str:
    await here.lab.wait_for(
        lambda: all(word in home(here, who) for word in words), 10, lambda: f"{words}: {home(here, who)}"
    )
    return home(here, who)


def controls(here: SlackOnline, who: User) -> list[str]:
    view = here.lab.home(who)
    assert view is not None
    return [
        element["action_id"]
        for block in view["blocks"]
        for element in block.get("elements", ())
        if "action_id" in element
    ]


async def opened(here: SlackOnline, who: User, control: str) -> Any:
    """The dialog that a press on Home opens."""
    done = await here.lab.click(who, "home", control)
    assert done.acknowledged
    await here.lab.wait_for(lambda: done.views, 10, "a dialog")
    return done.view


# ---- Home ----


async def test_home_shows_the_paper_the_ballot_the_saved_and_what_is_due(here: SlackOnline) -> None:
    await here.found_club()
    await looked(
        here, here.ada, "No paper has been posted yet.", "No vote is open.", "You have saved nothing yet"
    )
    await here.typed(here.owner, "/club post now")
    await here.tick(here.now + timedelta(seconds=5))
    card = await here.typed(here.ada, "/paper show p2")
    await here.pressed(here.ada, card, "Save")
    for paper in ("p1", "p2"):
        await here.typed(here.ada, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    text = await looked(here, here.ada, "You have not voted in this round.", "1 saved paper")
    assert "Daily paper" in text and "Meeting" in text
    assert {"vote:1", "more:p2", "topics", "help"} <= set(controls(here, here.ada))
    here.check()


async def test_a_ballot_sent_from_home_is_read_back_there_and_home_is_drawn_again(here: SlackOnline) -> None:
    await here.found_club()
    for paper in ("p1", "p2"):
        await here.typed(here.ada, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    await looked(here, here.ada, "You have not voted in this round.")
    view = await opened(here, here.ada, "vote:1")
    block = next(b for b in view.payload["blocks"] if b.get("element", {}).get("type") == "checkboxes")
    await here.lab.submit(here.ada, view, {block["block_id"]: [block["element"]["options"][0]["value"]]})
    await here.lab.wait_for(lambda: "Counted." in view.shown, 5, lambda: view.shown)
    await stands(here, here.ada, "You would read: paper 1.")
    shown = await opened(here, here.ada, "mine:1")
    assert "You would read" in shown.shown
    done = await here.lab.click(here.ada, shown, "retract:1")
    await here.lab.wait_for(lambda: "Withdrawn" in shown.shown, 5, lambda: shown.shown)
    assert done.replies == [] and shown.open
    await stands(here, here.ada, "You have not voted in this round.")
    here.check()


async def test_what_is_read_from_home_opens_beside_it(here: SlackOnline) -> None:
    await here.found_club()
    await looked(here, here.ada, "Browse topics")
    before = home(here, here.ada)
    view = await opened(here, here.ada, "topics")
    assert view.shown and home(here, here.ada) == before
    card = await opened(here, here.ada, "help")
    assert "/paper today" in card.shown
    here.check()


async def test_a_form_takes_the_place_of_the_dialog_it_was_opened_from_however_often(
    here: SlackOnline,
) -> None:
    await here.found_club()
    for paper in ("p1", "p2"):
        await here.typed(here.ada, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    await here.lab.submit(here.ada, *await first_ballot(here))
    await looked(here, here.ada, "You would read")
    view = await opened(here, here.ada, "mine:1")
    for _ in range(4):
        await here.lab.click(here.ada, view, "vote:1")
        await here.lab.wait_for(lambda: view.payload.get("submit"), 5, "a form")
        await here.lab.submit(here.ada, view, {})
        await here.lab.wait_for(lambda: "Counted" in view.shown, 5, lambda: view.shown)
        assert here.lab.screen(here.ada) == [view]
    here.check()


async def first_ballot(here: SlackOnline) -> tuple[Any, dict[str, list[str]]]:
    view = await here.form(here.ada, await here.lab.slash(here.ada, here.channel, "/paper", "vote"))
    block = next(b for b in view.payload["blocks"] if b.get("element", {}).get("type") == "checkboxes")
    return view, {block["block_id"]: [block["element"]["options"][0]["value"]]}


async def test_of_several_clubs_one_is_chosen_and_another_can_be(here: SlackOnline) -> None:
    await here.found_club()
    room = here.lab.create_channel(here.team, "evening")

    def second(tx: Any) -> None:
        club_id = clubs.put_club(tx, "Night readers", "en", ZONE, SALT, Settings(), here.now)
        clubs.put_channel(tx, club_id, Place("slack", here.team.id, room.id, name="evening"), here.now)

    await here.database.write(second)
    await looked(here, here.ada, "Which club do you mean?")
    await here.lab.select(here.ada, "home", "home", "Night readers")
    await stands(here, here.ada, "Night readers", "What is due")
    await here.lab.click(here.ada, "home", "Another club")
    await stands(here, here.ada, "Which club do you mean?")
    await here.lab.select(here.ada, "home", "home", "Readers")
    assert "Night" not in await stands(here, here.ada, "Readers", "What is due")
    assert here.lab.screen(here.ada) == []
    here.check()


async def test_before_set_up_home_leads_to_it(here: SlackOnline) -> None:
    await looked(here, here.owner, "Admins and owners of this workspace")
    view = await opened(here, here.owner, "open:club setup")
    zone = next(b for b in view.payload["blocks"] if b.get("block_id") == "zone")
    assert zone["element"]["initial_value"] == here.owner.tz
    await here.lab.submit(here.owner, view, {"Channel": here.channel.id})
    await here.lab.wait_for(lambda: "is set up" in view.shown, 10, lambda: view.shown)
    await stands(here, here.owner, "What is due")
    here.check()


async def test_a_slow_press_on_home_opens_what_waits(
    here: SlackOnline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.slack.buttons.PATIENCE", 0.05)
    await here.found_club()
    await looked(here, here.ada, "Browse topics")
    with here.slow_reading():
        view = await opened(here, here.ada, "help")
        assert "One moment." in view.shown
    await here.lab.wait_for(lambda: "/paper today" in view.shown, 5, lambda: view.shown)
    here.check()


async def test_the_last_state_stands_however_many_ask_at_once(here: SlackOnline) -> None:
    await here.found_club()
    for _ in range(10):
        here.lab.open_home(here.ada)
    await stands(here, here.ada, "What is due")
    await here.lab.wait_for(lambda: all(e.acknowledged for e in here.lab.events_sent("app_home_opened")))
    await asyncio.sleep(0.05)
    assert sum(each.path == "/views.publish" for each in here.lab.requests) < 10
    here.check()


async def test_a_home_that_somebody_else_changed_is_drawn_anew(here: SlackOnline) -> None:
    await here.found_club()
    await looked(here, here.ada, "What is due")
    here.lab.add_fault("error", "/views.publish", error="hash_conflict")
    before = sum(each.path == "/views.publish" for each in here.lab.requests)
    here.lab.open_home(here.ada)
    await here.lab.wait_for(
        lambda: sum(each.path == "/views.publish" for each in here.lab.requests) == before + 2
    )
    hashes = ["hash" in each.body for each in here.lab.requests if each.path == "/views.publish"]
    assert hashes == [False, True, False]
    here.check("hash_conflict")


async def test_a_home_that_is_limited_is_drawn_after_the_wait(here: SlackOnline) -> None:
    await here.found_club()
    here.lab.add_fault("rate_limit", "/views.publish", retry_after=1.0)
    await looked(here, here.ada, "What is due")
    assert sum(each.path == "/views.publish" for each in here.lab.requests) == 2
    here.check("ratelimited")


async def test_where_there_is_no_home_nothing_else_suffers(here: SlackOnline) -> None:
    here.lab.home_tab_enabled = False
    here.lab.open_home(here.ada)
    await here.lab.wait_for(lambda: any(each.path == "/views.publish" for each in here.lab.requests))
    assert (await here.typed(here.ada, "/paper help")).ephemeral
    here.check("not_enabled")


# ---- the workspace ----


async def test_whoever_owns_the_workspace_is_greeted_once_in_private(here: SlackOnline) -> None:
    mail = here.lab.dm(here.owner)
    await here.lab.wait_message(mail, "Three first steps")
    await here.restart()
    await here.typed(here.owner, "/paper help")
    assert len(here.lab.messages(mail, by_bot=True)) == 1
    assert [here.lab.messages(here.lab.dm(who), by_bot=True) for who in (here.ada, here.bea)] == [[], []]
    here.check()


async def test_a_greeting_names_commands_as_they_are_typed_where_that_is_known(here: SlackOnline) -> None:
    mail = here.lab.dm(here.owner)
    await here.lab.wait_message(mail, "Three first steps")
    await here.typed(here.ada, "/rg-paper help")
    await here.database.write(lambda tx: tx.run("UPDATE server SET greeted_at = NULL"))
    await here.restart()
    greeting = await here.lab.wait_message(mail, "/rg-paper help")
    assert "Three first steps" in greeting.shown and "/rg-club setup" in greeting.shown
    here.check()


async def test_a_greeting_can_be_pressed(here: SlackOnline) -> None:
    mail = here.lab.dm(here.owner)
    greeting = await here.lab.wait_message(mail, "Three first steps")
    found = await here.pressed(here.owner, greeting, "find:sinkhorn")
    assert "sinkhorn" in found.shown.lower() and found is not greeting
    view = await here.form(here.owner, await here.lab.click(here.owner, greeting, "Set up a club"))
    assert any(block.get("block_id") == "channel" for block in view.payload["blocks"])
    here.check()


async def test_an_app_that_is_taken_out_rests(here: SlackOnline, caplog: pytest.LogCaptureFixture) -> None:
    await here.found_club()
    here.lab.uninstall(here.team)

    async def gone() -> bool:
        return (await here.database.read(lambda tx: list_servers(tx, people.PLATFORM)))[here.team.id] is False

    for _ in range(100):
        if await gone():
            break
        await asyncio.sleep(0.05)
    assert await gone() and await here.group.find_club(None) is None


async def test_what_home_cannot_show_in_a_channel_is_said_in_its_dialog(here: SlackOnline) -> None:
    await here.found_club()
    await here.typed(here.bea, "/paper nominate p1")
    await looked(here, here.ada, "Browse topics")
    dialog = await opened(here, here.ada, "nominations")
    await here.lab.click(here.ada, dialog, "Read 1")
    await here.lab.wait_for(lambda: "Show in the channel" in str(dialog.payload["blocks"]), 10, "a card")
    said = len(here.lab.messages(here.channel, by_bot=True))
    await here.lab.click(here.ada, dialog, "Show in the channel")
    await here.lab.wait_for(
        lambda: "From here nothing can be shown in a channel." in plain_text(dialog.payload["blocks"]),
        10,
        "why",
    )
    assert len(here.lab.messages(here.channel, by_bot=True)) == said
