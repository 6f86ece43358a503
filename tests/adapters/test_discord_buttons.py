"""What people do in Discord, and that each of it is answered: the real core, the real library, a strict server."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.discord import buttons
from bot.errors import StoreError
from bot.messages.model import Answer, Message, Paragraph
from bot.rounds.nominations import list_nominations
from bot.storage.clubs import list_clubs
from tests.lab.chatlab.fakediscord.model import Interaction
from tests.lab.furnished import stocked
from tests.lab.online import Online, online

__all__ = ["stocked"]

MODAL, DEFERRED, IN_PLACE, LATER, MESSAGE = 9, 5, 7, 6, 4


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[Online]:
    """A club in a channel, with papers to read; nothing that was called was found wrong at the end."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with online(tmp_path / "paperclub.db") as opened:
        await opened.found_club()
        yield opened


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes more than a moment counts as slow."""
    monkeypatch.setattr(buttons, "PATIENCE", 0.05)


async def show(here: Online, paper: str = "p1") -> Any:
    """The private card of a paper, with its buttons."""
    done = await here.lab.slash(here.ada, here.channel, "paper show", {"id": paper})
    assert done.response is not None
    return done.response


async def nominated(here: Online) -> list[str]:
    club = await here.group.find_club(None)
    assert club is not None
    listed = await here.database.read(lambda tx: list_nominations(tx, club.id))
    return [each.paper.public_id for each in listed]


async def poll(here: Online) -> Any:
    """A vote over two papers, as it stands in the channel."""
    for paper in ("p1", "p2"):
        await here.lab.slash(here.ada, here.channel, "paper nominate", {"paper": paper})
    await here.lab.slash(here.owner, here.channel, "club open vote")
    await here.tick(here.now + timedelta(seconds=5))
    return await here.lab.wait_message(here.channel, "Which of these would you read")


def one_request(here: Online, done: Interaction) -> bool:
    mine = [each for each in here.lab.requests if done.token in each.path]
    return len(mine) == 1 and done.errors == []


# ---- one quick answer, one request ----


async def test_a_command_is_answered_privately_in_one_request(here: Online) -> None:
    done = await here.lab.slash(here.ada, here.channel, "paper search", {"query": "attention"})
    assert done.response is not None and done.response.ephemeral
    assert "attention" in done.response.text.lower()
    assert (done.response_type, one_request(here, done)) == (MESSAGE, True)


async def test_a_button_in_a_private_message_redraws_it_in_place(here: Online) -> None:
    card = await show(here)
    done = await here.lab.click(here.ada, card, "Save")
    assert (done.response_type, one_request(here, done)) == (IN_PLACE, True)
    assert "Saved" in card.buttons and card.ephemeral


async def test_a_public_message_stays_as_it_is_when_it_is_pressed(here: Online) -> None:
    card = await show(here)
    shown = await here.lab.click(here.ada, card, "Show in the channel")
    assert shown.response is not None and not shown.response.ephemeral
    before = shown.response.text
    done = await here.lab.click(here.bea, shown.response, "Save")
    assert done.response is not None and done.response.ephemeral
    assert done.response.only_for == here.bea.id
    assert shown.response.text == before and shown.response.edited is None


async def test_a_menu_says_what_was_chosen(here: Online) -> None:
    done = await here.lab.slash(here.ada, here.channel, "paper topics")
    assert done.response is not None
    menus = [each for each in done.response.controls if each["type"] == 3]
    before = done.response.text
    option = menus[0]["options"][0]
    chosen = await here.lab.select(here.ada, done.response, [option["value"]], menus[0]["custom_id"])
    assert (chosen.response_type, chosen.errors) == (IN_PLACE, [])
    assert done.response.controls != menus or done.response.text != before


async def test_a_ballot_opened_before_a_restart_is_counted_after_it(here: Online) -> None:
    message = await poll(here)
    opened = await here.lab.click(here.bea, message, "Vote / change my vote")
    assert (opened.response_type, one_request(here, opened)) == (MODAL, True)
    await here.restart()
    field = opened.modal["components"][0]["component"]
    first = field["options"][0]["value"]
    counted = await here.lab.submit_modal(here.bea, opened, {field["custom_id"]: [first]})
    assert counted.response is not None and counted.response.ephemeral, counted.errors
    ballots = await here.database.read(lambda tx: tx.rows("SELECT COUNT(*) FROM ballot_event"))
    assert ballots[0][0] == 1


async def test_two_fast_clicks_are_answered_twice_and_stored_once(here: Online) -> None:
    card = await show(here)
    both = await asyncio.gather(*(here.lab.click(here.ada, card, "Nominate") for _ in range(2)))
    assert [each.response is not None and each.response.ephemeral for each in both] == [True, True]
    assert await nominated(here) == ["p1"]


async def test_faults_of_a_form_are_told_privately_and_its_button_opens_it_filled_in(here: Online) -> None:
    message = await poll(here)
    listed = await here.lab.slash(here.bea, here.channel, "paper nominations")
    assert listed.response is not None and message is not None
    opened = await here.lab.click(here.bea, listed.response, "nominate-form:new")
    assert opened.response_type == MODAL
    names = [part["component"]["custom_id"] for part in opened.modal["components"] if part["type"] == 18]
    typed = dict.fromkeys(names[:1], "no such thing")
    refused = await here.lab.submit_modal(here.bea, opened, typed)
    assert refused.response is not None and refused.response.ephemeral, refused.errors
    again = await here.lab.click(here.bea, refused.response, "Open the form again")
    assert again.response_type == MODAL
    values = [part["component"].get("value") for part in again.modal["components"] if part["type"] == 18]
    assert "no such thing" in values


async def test_private_messages_are_answered_by_the_same_commands(here: Online) -> None:
    done = await here.lab.slash(here.ada, here.lab.dm(here.ada), "paper help")
    assert done.response is not None and done.errors == []


# ---- who asks, and where ----


async def asked(here: Online, monkeypatch: pytest.MonkeyPatch, user: Any, channel: Any) -> Any:
    """The asker the core is given."""
    seen: list[Any] = []

    async def command(asker: Any, *rest: Any) -> Answer:
        seen.append(asker)
        return Answer("private", Message("Yes", (Paragraph(("Yes",)),)))

    monkeypatch.setattr(here.group, "command", command)
    await here.lab.slash(user, channel, "paper help")
    return seen[0]


async def test_a_person_is_known_by_id_name_rights_and_place(
    here: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    asker = await asked(here, monkeypatch, here.owner, here.channel)
    assert (asker.account.platform, asker.account.workspace) == ("discord", "")
    assert (asker.account.user_id, asker.name, asker.admin) == (str(here.owner.id), "owner", True)
    place = asker.place
    assert (place.platform, place.workspace) == ("discord", str(here.guild.id))
    assert (place.channel, place.parent, place.name) == (str(here.channel.id), None, "papers")
    assert asker.joined_at is not None and asker.joined_at.tzinfo is not None
    assert not (await asked(here, monkeypatch, here.ada, here.channel)).admin


async def test_a_nickname_comes_before_a_global_name(here: Online, monkeypatch: pytest.MonkeyPatch) -> None:
    here.ada.display_name = "Member One"
    assert (await asked(here, monkeypatch, here.ada, here.channel)).name == "Member One"
    here.guild.members[here.ada.id].nick = "The first"
    assert (await asked(here, monkeypatch, here.ada, here.channel)).name == "The first"
    here.guild.members[here.ada.id].nick = " "
    assert (await asked(here, monkeypatch, here.ada, here.channel)).name == "Member One"


async def test_a_thread_names_the_channel_it_hangs_from(
    here: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = here.lab.open_thread(here.channel, here.ada, "about p1")
    asker = await asked(here, monkeypatch, here.ada, thread)
    assert (asker.place.channel, asker.place.parent) == (str(thread.id), str(here.channel.id))


async def test_a_private_message_has_no_server_and_gives_no_rights(
    here: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    asker = await asked(here, monkeypatch, here.owner, here.lab.dm(here.owner))
    assert (asker.place.workspace, asker.admin, asker.joined_at) == ("", False, None)
    assert asker.roles is None


async def test_a_press_in_a_server_tells_the_roles_of_that_moment(
    here: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    role = here.lab.create_role(here.guild, "readers")
    other = here.lab.create_role(here.guild, "others")
    for held in ([role, other], [other], []):
        here.lab.set_roles(here.ada, here.guild, held)
        asker = await asked(here, monkeypatch, here.ada, here.channel)
        assert set(asker.roles) == {str(each.id) for each in held} | {str(here.guild.id)}
    thread = here.lab.open_thread(here.channel, here.bea, "about p1")
    here.lab.set_roles(here.bea, here.guild, [role])
    assert str(role.id) in (await asked(here, monkeypatch, here.bea, thread)).roles


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("zh-CN", "论文"),
        ("pt-BR", "paper"),
        ("zh-TW", "paper"),
        ("es-419", "paper"),
        ("xx", "paper"),
    ],
)
async def test_every_language_of_a_client_is_answered(here: Online, locale: str, words: str) -> None:
    here.ada.locale = locale
    done = await here.lab.slash(here.ada, here.channel, "paper help")
    assert done.response is not None and words in done.response.text
    assert done.errors == []


# ---- autocomplete ----


async def test_papers_and_zones_are_completed(here: Online) -> None:
    papers = await here.lab.autocomplete(here.ada, here.channel, "paper show", "id", "attention")
    assert papers and all(each["value"].startswith("p") for each in papers)
    zones = await here.lab.autocomplete(here.owner, here.channel, "club setup", "zone", "berlin")
    assert {"name": "Europe/Berlin", "value": "Europe/Berlin"} in zones


async def test_a_completion_that_takes_too_long_is_empty(here: Online) -> None:
    with here.slow_reading():
        assert await here.lab.autocomplete(here.ada, here.channel, "paper show", "id", "a") == []


async def test_a_completion_that_fails_is_empty(here: Online, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*given: Any) -> list[Any]:
        raise RuntimeError("broken")

    monkeypatch.setattr(here.group, "suggest", broken)
    assert await here.lab.autocomplete(here.ada, here.channel, "paper show", "id", "a") == []


# ---- a store that takes its time ----


async def test_the_first_answer_comes_in_time_while_nothing_can_be_stored(here: Online) -> None:
    card = await show(here)
    with here.slow_writing():
        done = await here.lab.click(here.ada, card, "Nominate")
        assert (done.response_type, done.original.ephemeral) == (DEFERRED, True)
        assert done.acknowledged_after < 2
        assert await nominated(here) == []
    answered = await here.lab.wait_interaction(done.id)
    assert answered.response is not None and "Nominated" in answered.response.text
    assert await nominated(here) == ["p1"]
    assert (here.faults(), done.errors) == ([], [])


@pytest.mark.usefixtures("hasty")
async def test_a_slow_redraw_changes_the_message_that_was_pressed(here: Online) -> None:
    card = await show(here)
    with here.slow_writing():
        done = await here.lab.click(here.ada, card, "Save")
        assert done.response_type == LATER
    await here.lab.wait_for(lambda: "Saved" in card.buttons)
    assert (here.faults(), done.followups) == ([], [])


@pytest.mark.usefixtures("hasty")
async def test_a_slow_public_answer_stays_public(here: Online) -> None:
    card = await show(here)
    with here.slow_reading():
        done = await here.lab.click(here.ada, card, "Show in the channel")
        assert (done.response_type, done.original.ephemeral) == (DEFERRED, False)
    answered = await here.lab.wait_interaction(done.id)
    assert answered.response is not None and not answered.response.ephemeral
    assert here.faults() == []


@pytest.mark.usefixtures("hasty")
async def test_a_slow_public_answer_that_turns_out_private_is_seen_by_one_alone(here: Online) -> None:
    card = await show(here)
    card.controls[-1]["custom_id"] = "show:p999999"
    with here.slow_reading():
        done = await here.lab.click(here.ada, card, "show:p999999")
        assert not done.original.ephemeral
    await here.lab.wait_for(lambda: done.followups)
    assert done.original.deleted and done.followups[0].ephemeral
    assert "p999999" in done.followups[0].text
    assert here.faults() == []


@pytest.mark.usefixtures("hasty")
async def test_a_form_that_takes_too_long_is_opened_by_a_button(here: Online) -> None:
    message = await poll(here)
    with here.slow_reading():
        done = await here.lab.click(here.bea, message, "Vote / change my vote")
        assert done.response is not None and done.response.ephemeral
        typed = await here.lab.slash(here.bea, here.channel, "paper vote")
        assert typed.response is not None and typed.response.ephemeral
    for page in (done.response, typed.response):
        opened = await here.lab.click(here.bea, page, "Open the form")
        assert opened.response_type == MODAL, opened.errors
    assert here.faults() == []


@pytest.mark.usefixtures("hasty")
async def test_a_slow_form_that_turns_out_a_sentence_says_it(here: Online) -> None:
    with here.slow_reading():
        done = await here.lab.slash(here.ada, here.channel, "paper vote")
        assert done.response is not None and done.response.buttons == ["Open the form"]
    await here.lab.wait_for(lambda: "Open the form" not in done.response.buttons)
    assert here.faults() == []


@pytest.mark.usefixtures("hasty")
async def test_a_slow_submit_is_counted(here: Online) -> None:
    message = await poll(here)
    opened = await here.lab.click(here.bea, message, "Vote / change my vote")
    if opened.modal is None:  # a busy machine
        opened = await here.lab.click(here.bea, opened.response, "Open the form")
    field = opened.modal["components"][0]["component"]
    with here.slow_writing():
        done = await here.lab.submit_modal(
            here.bea, opened, {field["custom_id"]: [field["options"][0]["value"]]}
        )
        assert (done.response_type, done.original.ephemeral) == (DEFERRED, True)
    answered = await here.lab.wait_interaction(done.id)
    assert answered.response is not None and here.faults() == []


# ---- what goes wrong ----


@pytest.mark.parametrize(
    "custom_id",
    ["vote:999", "no-such-thing:1", "more", "x" * 100, "vote:１", "~3", "open:paper help", "open:no"],
)
async def test_old_and_foreign_buttons_get_a_sentence(here: Online, custom_id: str) -> None:
    card = await show(here)
    card.controls[0]["custom_id"] = custom_id
    done = await here.lab.click(here.ada, card, custom_id)
    assert done.response is not None and done.response.ephemeral and done.response.text
    assert done.errors == []


async def test_a_fault_of_ours_is_told_with_a_number_that_is_in_the_log(
    here: Online, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*given: Any) -> Answer:
        raise StoreError("paperclub.db", "disk full")

    monkeypatch.setattr(here.group, "command", broken)
    done = await here.lab.slash(here.ada, here.channel, "paper help")
    assert done.response is not None and done.response.ephemeral
    numbers = [each.getMessage().partition(":")[0] for each in caplog.records if each.levelname == "ERROR"]
    assert len(numbers) == 1 and numbers[0] in done.response.text


@pytest.mark.usefixtures("hasty")
async def test_a_fault_after_a_deferral_is_told_too(here: Online, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*given: Any) -> Answer:
        await asyncio.sleep(0.2)
        raise StoreError("paperclub.db", "disk full")

    monkeypatch.setattr(here.group, "command", broken)
    done = await here.lab.slash(here.ada, here.channel, "paper help", settle=3)
    assert done.response is not None and "E-" in done.response.text


async def test_a_message_discord_does_not_take_is_answered_with_a_number(
    here: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = buttons.payload

    def wrong(message: Message, **how: Any) -> dict[str, Any]:
        monkeypatch.setattr(buttons, "payload", real)
        return real(message, **how) | {"components": []}

    monkeypatch.setattr(buttons, "payload", wrong)
    done = await here.lab.slash(here.ada, here.channel, "paper help")
    assert done.response is not None and "E-" in done.response.text


@pytest.mark.parametrize("kind", ["drop_before", "drop_after"])
async def test_a_first_answer_that_is_lost_on_its_way_arrives_once(here: Online, kind: str) -> None:
    here.lab.add_fault(kind, "/interactions/*")
    done = await here.lab.slash(here.ada, here.channel, "paper help")
    await here.lab.wait_for(lambda: len(here.lab.request_log(path=done.token)) == 2)
    assert done.response is not None
    assert len(here.lab.messages(here.channel, seen_by=here.ada, by_bot=True)) == 1 + _greetings(here)


async def test_an_answer_that_comes_too_late_is_only_noted(
    here: Online, caplog: pytest.LogCaptureFixture
) -> None:
    with here.slow_writing():
        done = await here.lab.click(here.ada, await show(here), "Nominate")
        here.lab.advance_clock(1000)
    await here.lab.wait_for(lambda: any("50027" in each for each in done.errors))
    assert await nominated(here) == ["p1"]
    assert [each for each in caplog.records if each.levelno > logging.INFO] == []


async def test_a_second_private_message_that_may_have_arrived_is_not_sent_again(
    here: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Message("Yes", (Paragraph(("Yes",)),))

    async def both(*given: Any) -> Answer:
        return Answer("private", page, also=page)

    monkeypatch.setattr(here.group, "command", both)
    here.lab.add_fault("status_after", "/webhooks/*", method="POST", status=502)
    done = await here.lab.slash(here.ada, here.channel, "paper help")
    await here.lab.wait_for(lambda: done.followups)
    here.stop.set()
    assert here.serving is not None
    await here.serving
    assert [each.ephemeral for each in done.messages] == [True, True]


# ---- servers ----


def _greetings(here: Online) -> int:
    return len(here.lab.messages(here.channel, by_bot=True))


async def test_a_greeting_that_did_not_go_out_is_tried_again_and_said_once(
    here: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.discord.guilds.AGAIN", 0.05)
    guild = here.lab.create_guild("Second", with_bot=False)
    lobby = here.lab.create_channel(guild, "lobby")
    fault = here.lab.add_fault("status", f"/channels/{lobby.id}/messages", method="POST", status=403)
    here.lab.add_bot(guild)
    await here.lab.wait_for(lambda: fault.hits, 5, "a first try")
    here.now += timedelta(minutes=1)
    await here.lab.wait_message(lobby)
    for _ in range(3):
        here.now += timedelta(minutes=1)
        await here.restart()
    assert len(here.lab.messages(lobby, by_bot=True)) == 1


async def test_a_greeting_cut_short_is_said_after_a_restart(here: Online) -> None:
    guild = here.lab.create_guild("Second", with_bot=False)
    lobby = here.lab.create_channel(guild, "lobby")
    fault = here.lab.add_fault("drop_before", f"/channels/{lobby.id}/messages", method="POST", times=None)
    here.lab.add_bot(guild)
    await here.lab.wait_for(lambda: fault.hits, 5, "a first try")
    await here.close()
    here.lab.clear_faults()
    here.now += timedelta(minutes=1)
    await here.start()
    await here.lab.wait_message(lobby)


async def test_a_server_that_was_out_of_reach_at_the_start_is_greeted_once_it_is_back(here: Online) -> None:
    await here.close()
    guild = here.lab.create_guild("Second", with_bot=False)
    lobby = here.lab.create_channel(guild, "lobby")
    here.lab.add_bot(guild)
    guild.members[here.lab.bot_user.id].joined_at = here.now.timestamp()
    guild.unavailable = True
    await here.start()
    assert here.lab.messages(lobby, by_bot=True) == []
    gateway = here.lab.gateway
    for _ in range(2):
        for session in gateway.sessions.values():
            gateway.push(session, "GUILD_CREATE", gateway.guild_create(session, guild))
        await here.lab.wait_message(lobby)
    assert len(here.lab.messages(lobby, by_bot=True)) == 1


async def test_a_server_that_adds_the_bot_is_greeted_where_it_may_write(here: Online) -> None:
    guild = here.lab.create_guild("Others", with_bot=False)
    closed = here.lab.create_channel(guild, "closed")
    opened = here.lab.create_channel(guild, "opened")
    for channel in guild.channels.values():
        if channel is not opened:
            here.lab.set_permissions(channel, guild.roles[guild.id], deny=["send_messages"])
    here.lab.add_bot(guild)
    greeting = await here.lab.wait_message(opened)
    assert "/paper search" in greeting.text or "paper search" in greeting.text
    assert here.lab.messages(closed, by_bot=True) == []
    assert here.faults() == []


async def test_a_server_that_removes_the_bot_and_takes_it_back_loses_nothing(here: Online) -> None:
    async def living(wanted: list[int]) -> None:
        async with asyncio.timeout(5):
            while await here.database.read(list_clubs) != wanted:  # noqa: ASYNC110 (nothing tells)
                await asyncio.sleep(0.02)

    before = await here.database.read(list_clubs)
    here.lab.remove_bot(here.guild)
    await living([])
    here.lab.add_bot(here.guild)
    await living(before)
    done = await here.lab.slash(here.ada, here.channel, "paper nominations")
    assert done.response is not None and done.errors == []
