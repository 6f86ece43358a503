"""What people do in Slack, and that each of it is answered: the real core, the real library, a strict server."""

from __future__ import annotations

import asyncio
import gc
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.slack import buttons, submits
from adapters.slack.seen import Seen
from bot.clubs.model import Asker
from bot.delivery.model import Address
from bot.errors import StoreError
from bot.messages.model import Answer, Code, Message, Paragraph
from bot.rounds.nominations import list_nominations
from tests.lab.chatlab.fakeslack import Message as Shown
from tests.lab.chatlab.fakeslack import User
from tests.lab.furnished import stocked
from tests.lab.slack_online import SlackOnline, slack_online

__all__ = ["stocked"]


@pytest.fixture(params=["socket", "http"])
async def here(stocked: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[SlackOnline]:
    """A club in a channel, with papers to read, reached in both ways."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with slack_online(tmp_path / "paperclub.db", http=request.param == "http") as opened:
        await opened.found_club()
        yield opened


@pytest.fixture
async def by_socket(stocked: Path, tmp_path: Path) -> AsyncIterator[SlackOnline]:
    """The same by socket alone, for what does not depend on the way."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with slack_online(tmp_path / "paperclub.db") as opened:
        await opened.found_club()
        yield opened


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes more than a moment counts as slow."""
    monkeypatch.setattr(buttons, "PATIENCE", 0.05)
    monkeypatch.setattr(submits, "PATIENCE", 0.05)


async def nominated(here: SlackOnline) -> list[str]:
    club = await here.group.find_club(None)
    assert club is not None
    listed = await here.database.read(lambda tx: list_nominations(tx, club.id))
    return [each.paper.public_id for each in listed]


async def poll(here: SlackOnline) -> Shown:
    """A vote over two papers, as it stands in the channel."""
    for paper in ("p1", "p2"):
        await here.typed(here.ada, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    await here.tick(here.now + timedelta(seconds=5))
    return await here.lab.wait_message(here.channel, "Which of these would you read", timeout=10)


async def ballots(here: SlackOnline) -> int:
    rows = await here.database.read(lambda tx: tx.rows("SELECT COUNT(*) FROM ballot_event"))
    return int(rows[0][0])


async def ballot(here: SlackOnline, who: User, message: Shown) -> Any:
    """Somebody's open ballot."""
    control = next(e["action_id"] for b in message.blocks for e in b.get("elements", ()) if vote(e))
    return await here.form(who, await here.lab.click(who, message, control))


def vote(element: dict[str, Any]) -> bool:
    return str(element.get("action_id", "")).startswith("vote:") and element.get("type") == "button"


def boxes(view: Any) -> tuple[str, list[str]]:
    """The first group of boxes in a form: its block and its values."""
    block = next(b for b in view.payload["blocks"] if b.get("element", {}).get("type") == "checkboxes")
    return block["block_id"], [option["value"] for option in block["element"]["options"]]


# ---- commands ----


async def test_a_command_is_answered_privately_and_acknowledged_before(here: SlackOnline) -> None:
    shown = await here.typed(here.ada, "/paper search “attention” &amp; x")
    assert shown.ephemeral and shown.only_for == here.ada.id
    shown = await here.typed(here.ada, "/paper search attention")
    assert "attention" in shown.shown.lower()
    assert all(each.acknowledged_after < 1 for each in here.lab.deliveries.values())
    here.check()


async def test_a_wrong_word_is_answered_with_the_nearest_under_the_name_that_was_typed(
    by_socket: SlackOnline,
) -> None:
    shown = await by_socket.typed(by_socket.ada, "/rg-paper serach x")
    assert shown.ephemeral
    assert "/rg-paper serach x" in shown.shown and "/rg-paper search" in shown.shown
    help_page = await by_socket.typed(by_socket.ada, "/rg-club")
    assert "/rg-paper today" in help_page.shown and "/paper today" not in help_page.shown.replace(
        "/rg-", "/x-"
    )
    by_socket.check()


async def test_posts_and_redraws_name_commands_as_they_are_typed_also_after_a_restart(
    by_socket: SlackOnline,
) -> None:
    here, to = by_socket, Address(1, "slack", by_socket.team.id, by_socket.channel.id)
    words = ("Write ", Code("/paper link"), " or /club link.")
    page = Message("Links", (Paragraph(words),))
    await here.typed(here.ada, "/rg-paper help")
    await here.restart()
    sent = await here.slack.platform.send(to, page, "m" * 16)
    shown = await here.lab.wait_message(here.channel, "Write", timeout=10)
    assert "/rg-paper link" in shown.shown and " or /rg-club link." in shown.shown
    await here.typed(here.ada, "/paper help")
    await here.slack.platform.edit(to, sent.message_id, page)
    assert "\n/paper link\n or /club link." in shown.shown
    here.check()


async def test_each_command_is_named_as_its_manifest_calls_it_also_after_a_restart(
    by_socket: SlackOnline,
) -> None:
    here = by_socket
    await here.typed(here.ada, "/bookclub link")  # of both only this one has another name
    for restarted in (False, True):
        if restarted:
            await here.restart()
        for line in ("/paper help", "/bookclub serach", "/paper help"):
            told = (await here.typed(here.owner, line)).shown
        assert "\n/paper today" in told and "\n/bookclub settings" in told
        assert "/bookpaper" not in told and "/club " not in told
    here.check()


async def test_a_command_works_where_the_bot_is_not(by_socket: SlackOnline) -> None:
    room = by_socket.lab.create_channel(by_socket.team, "elsewhere", with_bot=False)
    by_socket.lab.join(by_socket.ada, room)
    assert (await by_socket.typed(by_socket.ada, "/paper today", room)).ephemeral
    by_socket.check()


async def test_words_in_private_are_commands_too(here: SlackOnline) -> None:
    mail = here.lab.dm(here.ada)
    here.lab.say(here.ada, mail, "help")
    assert "/paper today" in (await here.lab.wait_message(mail, "What Paperclub can do")).shown
    here.lab.say(here.ada, mail, "search attention")
    await here.lab.wait_message(mail, "attention")
    here.lab.say(here.ada, mail, f"<@{here.team.bot_user}> /paper vote")
    closed = await here.lab.wait_message(mail, "No vote is open")
    card = await here.typed(here.ada, "/paper show p1", mail)
    assert not card.ephemeral and not closed.ephemeral
    assert await here.pressed(here.ada, card, "Save") is card and "Saved" in card.shown
    here.check()


async def test_words_that_begin_with_the_bot_s_name_are_commands_too(here: SlackOnline) -> None:
    await poll(here)
    name, stood = f"<@{here.team.bot_user}>", len(here.lab.messages(here.channel, by_bot=True))
    here.lab.say(here.ada, here.channel, f" {name}, search attention")
    found = await here.beside(here.ada, "attention")
    assert found.only_for == here.ada.id and found.thread_ts is None
    said = here.lab.say(here.bea, here.channel, "what of this one?")
    here.lab.say(here.bea, here.channel, f"{name} Nominate p3", thread_ts=said.ts)
    nominating = await here.beside(here.bea, "Nominated")
    assert (nominating.only_for, nominating.thread_ts) == (here.bea.id, said.ts)
    assert await nominated(here) == ["p1", "p2", "p3"]
    here.lab.say(here.ada, here.channel, f"{name}: vote")
    way = await here.beside(here.ada, "Open the form")
    opened = await here.form(here.ada, await here.lab.click(here.ada, way, "Open the form"))
    assert "Which of these would you read?" in opened.shown
    for line in (f"{name} pleese", f"{name}", f"{name} help"):
        here.lab.say(here.ada, here.channel, line)
    await here.beside(here.ada, "pleese")
    await here.beside(here.ada, "What Paperclub can do")
    seen = here.lab.messages(here.channel, by_bot=True)
    assert [each.only_for for each in seen[stood:] if each.only_for is None] == []
    here.check()


async def test_people_of_a_connected_workspace_read_by_its_name_and_do_not_nominate(
    by_socket: SlackOnline,
) -> None:
    here, name = by_socket, f"<@{by_socket.team.bot_user}>"
    event = {"type": "app_mention", "user": here.bea.id, "channel": here.channel.id, "user_team": "T99"}
    here.lab._event(here.team, {**event, "text": f"{name} nominate p1"})
    await here.beside(here.bea, "people of other workspaces read here")
    here.lab._event(here.team, {**event, "text": f"{name} search attention"})
    await here.beside(here.bea, "attention")
    assert await nominated(here) == []
    here.check()


async def test_words_about_the_bot_are_left_alone(here: SlackOnline) -> None:
    name = f"<@{here.team.bot_user}>"
    for line in (f"ask {name} search attention", f"<@{here.bea.id}> {name} nominate p1", f"`{name} help`"):
        here.lab.say(here.ada, here.channel, line)
    mentions = lambda: here.lab.events_sent("app_mention")  # noqa: E731
    await here.lab.wait_for(lambda: all(each.acknowledged for each in mentions()), 5, "all of them")
    here.lab.say(here.ada, here.lab.dm(here.ada), "nominations")
    await here.lab.wait_message(here.lab.dm(here.ada), "Nothing is nominated")
    assert mentions() and here.lab.messages(here.channel, seen_by=here.ada, by_bot=True) == []
    here.check()


async def test_words_in_private_that_are_told_in_two_ways_are_answered_once(by_socket: SlackOnline) -> None:
    here, mail = by_socket, by_socket.lab.dm(by_socket.ada)
    line = f"<@{here.team.bot_user}> search attention"
    event = {"user": here.ada.id, "channel": mail.id, "text": line, "ts": "1796032800.000100"}
    here.lab._event(here.team, {"type": "app_mention", **event})
    here.lab._event(here.team, {"type": "message", "channel_type": "im", **event}, subscription="message.im")
    await here.lab.wait_message(mail, "attention")
    await here.typed(here.ada, "/paper today", mail)
    assert len(here.lab.messages(mail, by_bot=True)) == 2
    here.check()


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast"])
async def test_words_beside_a_file_or_for_the_channel_too_are_answered(
    by_socket: SlackOnline, subtype: str
) -> None:
    here, mail = by_socket, by_socket.lab.dm(by_socket.ada)
    event = {"user": here.ada.id, "text": f"<@{here.team.bot_user}> search attention", "subtype": subtype}
    private = {"type": "message", "channel_type": "im", "channel": mail.id}
    changed = {**event, "text": "search sinkhorn", "subtype": "message_changed"}
    here.lab._event(here.team, {**changed, **private}, subscription="message.im")
    here.lab._event(here.team, {**event, **private}, subscription="message.im")
    await here.lab.wait_message(mail, "attention")
    here.lab._event(here.team, {**event, "type": "app_mention", "channel": here.channel.id})
    assert (await here.beside(here.ada, "attention")).only_for == here.ada.id
    assert len(here.lab.messages(mail, by_bot=True)) == 1
    here.check()


async def test_words_are_answered_also_where_nothing_can_be_stored(
    by_socket: SlackOnline, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*given: Any) -> bool:
        raise StoreError("paperclub.db", "disk full")

    monkeypatch.setattr(Seen, "first_time", full)
    here, mail = by_socket, by_socket.lab.dm(by_socket.ada)
    here.lab.say(here.ada, mail, "search attention")
    await here.lab.wait_message(mail, "attention")
    here.lab.say(here.ada, here.channel, f"<@{here.team.bot_user}> search attention")
    assert (await here.beside(here.ada, "attention")).only_for == here.ada.id
    here.check()


async def test_a_message_of_our_own_is_not_answered(by_socket: SlackOnline) -> None:
    mail = by_socket.lab.dm(by_socket.ada)
    by_socket.lab.say(by_socket.ada, mail, "help")
    await by_socket.lab.wait_message(mail, "What Paperclub can do")
    await by_socket.typed(by_socket.ada, "/paper today", mail)
    assert len(by_socket.lab.messages(mail, by_bot=True)) == 2
    by_socket.check()


# ---- presses ----


async def test_a_button_in_a_private_message_redraws_it_in_place(here: SlackOnline) -> None:
    card = await here.typed(here.ada, "/paper show p1")
    assert await here.pressed(here.ada, card, "Save") is card
    assert "Saved" in card.shown and card.ephemeral
    here.check()


async def test_what_is_shown_to_all_stays_as_it_is_when_it_is_pressed(by_socket: SlackOnline) -> None:
    here = by_socket
    card = await here.typed(here.ada, "/paper show p1")
    shown = await here.pressed(here.ada, card, "Show in the channel")
    assert not shown.ephemeral
    before = shown.shown
    private = await here.pressed(here.bea, shown, "Save")
    assert private.ephemeral and private.only_for == here.bea.id
    assert (shown.shown, shown.edited) == (before, None)
    here.check()


async def test_a_menu_says_what_was_chosen(by_socket: SlackOnline) -> None:
    here = by_socket
    page = await here.typed(here.ada, "/paper topics")
    menu = next(e for b in page.blocks for e in b.get("elements", ()) if e.get("type") == "static_select")
    before = page.shown
    done = await here.lab.select(here.ada, page, menu["action_id"], menu["options"][0]["value"])
    assert await here.answer(done) is page and page.shown != before
    here.check()


async def test_an_old_button_is_answered(by_socket: SlackOnline) -> None:
    here = by_socket
    card = await here.typed(here.ada, "/paper show p1")
    for block in card.blocks:
        for element in block.get("elements", ()):
            if element.get("action_id") == "similar:p1":
                element["action_id"] = "gone:p1"
    shown = await here.pressed(here.ada, card, "gone:p1")
    assert shown.ephemeral and shown is not card
    here.check()


async def test_two_fast_clicks_are_answered_twice_and_stored_once(by_socket: SlackOnline) -> None:
    here = by_socket
    card = await here.typed(here.ada, "/paper show p1")
    both = await asyncio.gather(*(here.lab.click(here.ada, card, "Nominate") for _ in range(2)))
    assert [(await here.answer(each)).ephemeral for each in both] == [True, True]
    assert await nominated(here) == ["p1"]
    here.check()


# ---- forms ----


async def test_faults_stand_beside_their_fields_and_the_mended_form_is_taken(here: SlackOnline) -> None:
    await here.typed(here.owner, "/club settings")
    page = await here.typed(here.owner, "/club settings")
    view = await here.form(here.owner, await here.lab.click(here.owner, page, "Change the club"))
    await here.lab.submit(here.owner, view, {"Time zone": "Nowhere"})
    assert "Nowhere" in view.errors["zone"] and view.open
    await here.lab.submit(here.owner, view, {"Time zone": "Nowhere"})
    assert view.errors and view.open
    await here.lab.submit(here.owner, view, {"Time zone": "Asia/Tokyo"})
    assert not view.open
    assert (await here.beside(here.owner, "Saved")).ephemeral
    here.check()


async def test_a_ballot_opened_before_a_restart_is_counted_after_it(here: SlackOnline) -> None:
    view = await ballot(here, here.bea, await poll(here))
    await here.restart()
    block, values = boxes(view)
    done = await here.lab.submit(here.bea, view, {block: values[:1]})
    assert done.acknowledged and not view.open
    assert (await here.beside(here.bea, "Counted.")).only_for == here.bea.id
    assert await ballots(here) == 1
    here.check()


async def test_a_form_sent_twice_is_taken_once(by_socket: SlackOnline) -> None:
    here = by_socket
    view = await ballot(here, here.bea, await poll(here))
    block, values = boxes(view)
    both = await asyncio.gather(*(here.lab.submit(here.bea, view, {block: values[:1]}) for _ in range(2)))
    assert all(each.acknowledged and each.errors == [] for each in both)
    await here.beside(here.bea, "Counted.")
    told = [each for each in here.lab.messages(here.channel, seen_by=here.bea) if "Counted." in each.shown]
    assert (len(told), await ballots(here)) == (1, 1)
    await here.restart()
    view.open = True
    again = await here.lab.submit(here.bea, view, {block: values[:1]})
    assert again.acknowledged and not view.open
    assert await ballots(here) == 1
    here.check()


async def test_a_store_that_takes_five_seconds_keeps_nobody_waiting_for_the_acknowledgement(
    by_socket: SlackOnline,
) -> None:
    here = by_socket
    message = await poll(here)
    view = await ballot(here, here.bea, message)
    block, values = boxes(view)
    with here.slow_writing():
        done = await here.lab.submit(here.bea, view, {block: values[:1]})
        pressed = await here.lab.slash(here.ada, here.channel, "/paper", "nominate p3")
        here.lab.say(here.bea, here.lab.dm(here.bea), "nominate p4")
        await asyncio.sleep(5 - submits.PATIENCE)
        assert done.acknowledged_after < 3 and not view.open
        assert pressed.acknowledged_after < 1 and pressed.replies == []
    assert (await here.beside(here.bea, "Counted.")).ephemeral
    await here.answer(pressed)
    await here.lab.wait_message(here.lab.dm(here.bea), "Nominated", timeout=10)
    event = next(e for e in here.lab.events_sent("message") if e.payload["event"].get("user") == here.bea.id)
    assert event.acknowledged_after is not None and event.acknowledged_after < 3
    here.check()


async def test_a_form_that_takes_long_opens_by_way_of_one_that_waits(
    by_socket: SlackOnline, hasty: None
) -> None:
    here = by_socket
    page = await here.typed(here.owner, "/club settings")
    with here.slow_reading():
        done = await here.lab.click(here.owner, page, "Change the club")
        view = await here.lab.wait_view(here.owner)
        assert "One moment." in view.shown
    assert (await here.form(here.owner, done)) is view and view.updates == 1
    here.check()


async def test_no_form_but_a_message_takes_the_place_of_what_waits(
    by_socket: SlackOnline, hasty: None
) -> None:
    here = by_socket
    with here.slow_reading():
        done = await here.lab.slash(here.ada, here.channel, "/paper", "vote")
        view = await here.lab.wait_view(here.ada)
    await here.lab.wait_for(lambda: "No vote is open" in view.shown, 5, lambda: view.shown)
    assert done.replies == [] and "submit" not in view.payload
    here.check()


async def test_faults_that_come_late_lead_back_to_the_form(by_socket: SlackOnline, hasty: None) -> None:
    here = by_socket
    page = await here.typed(here.owner, "/club settings")
    done = await here.lab.click(here.owner, page, "Change the club")
    view = await here.form(here.owner, done)
    with here.slow_reading():
        await here.lab.submit(here.owner, view, {"Time zone": "Nowhere", "Name": "Night readers"})
        assert not view.open and view.errors == {}
    kept = await here.beside(here.owner, "1 field to mend")
    again = await here.form(here.owner, await here.lab.click(here.owner, kept, "Open the form again"))
    given = {
        b["block_id"]: b["element"].get("initial_value") for b in again.payload["blocks"] if "element" in b
    }
    assert (given["zone"], given["name"]) == ("Nowhere", "Night readers")
    here.check()


async def test_an_expired_trigger_leaves_a_button(by_socket: SlackOnline) -> None:
    here = by_socket
    message = await poll(here)
    here.lab.add_fault("error", "/views.open", error="expired_trigger_id")
    control = next(e["action_id"] for b in message.blocks for e in b.get("elements", ()) if vote(e))
    page = await here.pressed(here.bea, message, control)
    assert page.ephemeral and "The form is ready." in page.shown
    assert await here.form(here.bea, await here.lab.click(here.bea, page, "Open the form"))
    here.check("expired_trigger_id")


async def test_a_command_whose_form_cannot_be_opened_keeps_what_was_typed(by_socket: SlackOnline) -> None:
    here = by_socket
    here.lab.add_fault("error", "/views.open", error="expired_trigger_id")
    room = here.lab.create_channel(here.team, "evening")
    here.lab.join(here.owner, room)
    ready = await here.typed(here.owner, "/club setup time:10:30 name:Dawn readers", room)
    assert "The form is ready." in ready.shown and "kept for a week" in ready.shown
    assert "to mend" not in ready.shown
    view = await here.form(here.owner, await here.lab.click(here.owner, ready, "Open the form"))
    inputs = [each for each in view.payload["blocks"] if each["type"] == "input"]
    given = {each["block_id"]: each["element"].get("initial_value") for each in inputs}
    assert (given["name"], given["time"]) == ("Dawn readers", "10:30")
    here.check("expired_trigger_id")


async def test_a_form_is_answered_where_it_came_from_also_where_the_bot_is_not(
    by_socket: SlackOnline,
) -> None:
    here = by_socket
    room = here.lab.create_channel(here.team, "elsewhere", with_bot=False)
    here.lab.join(here.owner, room)
    view = await here.form(here.owner, await here.lab.slash(here.owner, room, "/club", "setup"))
    await here.lab.submit(here.owner, view, {"Name": "Night readers"})
    page = await here.beside(here.owner, "/invite", room)
    room.members.add(here.team.bot_user)
    assert "is set up" in (await here.pressed(here.owner, page, "Check again")).shown
    here.check()


async def test_an_answer_that_finds_no_way_back_comes_by_mail_and_its_buttons_work_there(
    by_socket: SlackOnline,
) -> None:
    here = by_socket
    room = here.lab.create_channel(here.team, "elsewhere", with_bot=False)
    here.lab.join(here.owner, room)
    view = await here.form(here.owner, await here.lab.slash(here.owner, room, "/club", "setup"))
    here.lab.add_fault("status", "/response_url", status=404)
    await here.lab.submit(here.owner, view, {"Name": "Night readers"})
    page = await here.lab.wait_message(here.lab.dm(here.owner), "/invite", timeout=10)
    room.members.add(here.team.bot_user)
    made = await here.pressed(here.owner, page, "Check again")
    assert "is set up" in made.shown and room.id in str(made.blocks)
    here.check("not_in_channel")


async def test_a_club_is_set_up_from_private_words_by_choosing_its_channel(by_socket: SlackOnline) -> None:
    here = by_socket
    room = here.lab.create_channel(here.team, "evening")
    here.lab.join(here.owner, room)
    mail = here.lab.dm(here.owner)
    view = await here.form(here.owner, await here.lab.slash(here.owner, mail, "/club", "setup"))
    zone = next(b for b in view.payload["blocks"] if b.get("block_id") == "zone")
    assert zone["element"]["initial_value"] == here.owner.tz
    await here.lab.submit(here.owner, view, {"Channel": room.id})
    await here.lab.wait_message(mail, "is set up", timeout=10)
    rows = await here.database.read(lambda tx: tx.rows("SELECT native_id FROM channel"))
    assert {row[0] for row in rows} == {here.channel.id, room.id}
    here.check()


# ---- the shortcut ----


async def test_the_shortcut_nominates_what_a_message_links_to(here: SlackOnline) -> None:
    link = "https://x.example/a?b=1&c=2"
    said = here.lab.say(
        here.bea, here.channel, "worth a look: <https://x.example/a?b=1&amp;c=2|this &lt;one&gt;>"
    )
    shown = await here.answer(await here.lab.shortcut(here.ada, "nominate", message=said))
    assert shown.ephemeral and link in shown.shown
    view = await here.form(here.ada, await here.lab.click(here.ada, shown, "Give the title"))
    await here.lab.submit(here.ada, view, {"title": "A paper of no catalogue"})
    assert "A paper of no catalogue" in (await here.beside(here.ada, "Nominated")).shown
    said = here.lab.say(here.bea, here.channel, f"<{link}>".replace("&", "&amp;"))
    again = await here.answer(await here.lab.shortcut(here.bea, "nominate", message=said))
    assert "nominated already" in again.shown and len(await nominated(here)) == 1
    here.check()


async def test_a_message_without_a_link_is_said_to_have_none(by_socket: SlackOnline) -> None:
    here = by_socket
    said = here.lab.say(here.bea, here.channel, "worth a look")
    shown = await here.answer(await here.lab.shortcut(here.ada, "nominate", message=said))
    assert shown.ephemeral and "no link to a paper" in shown.shown
    here.check()


# ---- told twice, told late ----


async def test_an_event_told_again_is_done_once_also_after_a_restart(here: SlackOnline) -> None:
    mail = here.lab.dm(here.ada)
    here.lab.say(here.ada, mail, "nominate p1")
    await here.lab.wait_message(mail, "Nominated")
    event = next(
        each for each in here.lab.events_sent("message") if each.payload["event"].get("user") == here.ada.id
    )
    await here.lab.resend_event(event.id)
    await here.restart()
    await here.lab.resend_event(event.id)
    here.lab.say(here.ada, mail, "nominations")
    await here.lab.wait_message(mail, "1 paper nominated")
    assert len([each for each in here.lab.messages(mail, by_bot=True) if "Nominated" in each.shown]) == 1
    assert await nominated(here) == ["p1"] and event.attempts == 3
    here.check()


async def test_a_press_that_is_sent_again_is_done_once_also_after_a_restart(here: SlackOnline) -> None:
    async def saved() -> int:
        (found,) = await here.database.read(lambda tx: tx.rows("SELECT COUNT(*) FROM saved"))
        return int(found[0])

    card = await here.typed(here.ada, "/paper show p1")
    pressed = [await here.lab.click(here.ada, card, control) for control in ("Save", "Show in the channel")]
    for done in pressed:
        await here.answer(done)
    assert await saved() == 1
    for again in (False, True):
        if again:
            await here.restart()
        for done in pressed:
            await here.lab.courier._attempt(done, 1, "replayed")
    await here.typed(here.ada, "/paper nominate p1")
    assert await saved() == 1 and [len(done.replies) for done in pressed] == [1, 1]
    here.check()


async def test_a_retry_whose_first_copy_never_came_is_done(here: SlackOnline) -> None:
    mail = here.lab.dm(here.ada)
    event = here.lab._event(
        here.team,
        {
            "type": "message",
            "channel_type": "im",
            "channel": mail.id,
            "user": here.ada.id,
            "text": "nominate p2",
        },
        subscription="nothing is told",
    )
    assert event is None
    here.lab.subscriptions.add("lone")
    here.lab.courier.deliver, deliver = _lost, here.lab.courier.deliver  # type: ignore[method-assign]
    event = here.lab._event(
        here.team,
        {
            "type": "message",
            "channel_type": "im",
            "channel": mail.id,
            "user": here.ada.id,
            "text": "nominate p2",
        },
        subscription="lone",
    )
    here.lab.courier.deliver = deliver  # type: ignore[method-assign]
    assert event is not None
    event.attempts = 1
    await here.lab.resend_event(event.id)
    await here.lab.wait_message(mail, "Nominated")
    assert await nominated(here) == ["p2"]
    here.check()


async def _lost(delivery: object) -> None:
    """The first copy of an event does not arrive."""


# ---- people ----


class Told:
    """A core that notes who asks."""

    def __init__(self, here: SlackOnline, monkeypatch: pytest.MonkeyPatch) -> None:
        self.askers: list[Asker] = []

        async def command(asker: Asker, path: str, args: Any, now: Any) -> Answer:
            self.askers.append(asker)
            return Answer("private", Message("done", (Paragraph(("done",)),)))

        monkeypatch.setattr(here.group, "command", command)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"name": "member-9", "locale": "en-GB", "zone": "Europe/London"}),
        ({"profile": {"display_name": " ", "real_name": "Member 9"}, "real_name": None}, {"name": "Member 9"}),
        ({"profile": None, "real_name": None, "tz": None}, {"name": "member-9", "zone": None}),
        ({"profile": {}, "real_name": "", "name": "", "deleted": True}, {"name": "member-9"}),
        ({"is_bot": True}, {"bot": True}),
        ({"is_restricted": True}, {"guest": True, "admin": False}),
        ({"is_ultra_restricted": True}, {"guest": True}),
        ({"is_stranger": True, "is_admin": True}, {"foreign": True, "admin": False}),
        ({"team_id": "T9", "is_owner": True}, {"foreign": True, "admin": False}),
        ({"is_owner": True}, {"admin": True}),
        ({"is_admin": True}, {"admin": True}),
    ],
)  # fmt: skip
async def test_who_asks_is_known_whatever_slack_leaves_out(
    by_socket: SlackOnline, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], expected: dict[str, Any]
) -> None:
    here = by_socket
    who, told = here.person("member-9"), Told(here, monkeypatch)
    whole = type(who).json
    monkeypatch.setattr(type(who), "json", lambda self: whole(self) | changes)
    await here.typed(who, "/paper today")
    asker = told.askers[0]
    assert {name: getattr(asker, name) for name in expected} == expected
    assert (asker.account.workspace, asker.account.user_id) == (here.team.id, who.id)
    assert (asker.place.workspace, asker.place.channel, asker.place.name) == (
        here.team.id,
        here.channel.id,
        "papers",
    )
    await here.typed(who, "/paper today")
    assert sum(each.path == "/users.info" and who.id in str(each.body) for each in here.lab.requests) == 1


async def test_where_slack_does_not_say_who_it_is_the_answer_comes_all_the_same(
    by_socket: SlackOnline, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, told = by_socket, Told(by_socket, monkeypatch)
    here.lab.add_fault("error", "/users.info", error="user_not_found", times=None)
    await here.typed(here.ada, "/paper today")
    assert (told.askers[0].name, told.askers[0].admin) == ("ada", False)
    assert told.askers[0].unsure
    here.check("user_not_found")


async def test_whoever_slack_does_not_tell_of_reads_and_does_not_vote_or_nominate(
    by_socket: SlackOnline, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = by_socket
    monkeypatch.setattr("adapters.slack.people.PATIENCE", 0.01)
    here.lab.add_fault("drop_before", "/users.info", times=None)
    assert "p1" in (await here.typed(here.ada, "/paper show p1")).shown
    for line in ("/paper nominate p1", "/paper vote"):
        assert (
            "I cannot check right now whether you are a member here."
            in (await here.typed(here.ada, line)).shown
        )
    assert await nominated(here) == []
    gc.collect()
    assert "never retrieved" not in caplog.text


async def test_what_cannot_be_shown_in_the_channel_is_told_to_whoever_asked(by_socket: SlackOnline) -> None:
    here = by_socket
    shown = await here.typed(here.ada, "/paper show p1")
    here.lab.add_fault("status", "/response_url", status=500)
    await here.lab.click(here.ada, shown, "show:p1")
    assert (
        await here.beside(here.ada, "This could perhaps not be shown in the channel.")
    ).only_for == here.ada.id
    assert await here.pressed(here.ada, shown, "show:p1")
    assert [each for each in here.lab.messages(here.channel, by_bot=True) if not each.only_for]


async def test_private_talk_is_no_channel(by_socket: SlackOnline, monkeypatch: pytest.MonkeyPatch) -> None:
    here, told = by_socket, Told(by_socket, monkeypatch)
    await here.typed(here.ada, "/paper today", here.lab.dm(here.ada))
    assert (told.askers[0].place.channel, told.askers[0].place.workspace) == ("", here.team.id)


# ---- what goes wrong ----


@pytest.mark.parametrize("kind", ["status", "drop_before", "rate_limit"])
async def test_an_answer_that_is_not_taken_comes_another_way(by_socket: SlackOnline, kind: str) -> None:
    here = by_socket
    here.lab.add_fault(kind, "/response_url", **({"status": 500} if kind == "status" else {}))
    await here.lab.slash(here.ada, here.channel, "/paper", "show p1")
    assert (await here.beside(here.ada, "p1")).ephemeral
    here.check()


async def test_a_fault_of_ours_is_told_with_a_number(
    by_socket: SlackOnline, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    here = by_socket

    async def command(*given: Any) -> Answer:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(here.group, "command", command)
    shown = await here.typed(here.ada, "/paper today")
    number = next(word for word in shown.shown.split() if word.startswith("E-")).strip(".")
    assert any(number in record.message for record in caplog.records)
    here.check()


async def test_it_ends_within_five_seconds_and_leaves_nothing_running(by_socket: SlackOnline) -> None:
    here = by_socket
    loop = asyncio.get_running_loop()
    with here.slow_reading():
        await here.lab.slash(here.ada, here.channel, "/paper", "today")
        began = loop.time()
        here.stop.set()
        assert here.serving is not None
        await here.serving
        assert loop.time() - began < 5
