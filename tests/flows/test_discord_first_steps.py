"""From an empty store to the first post, and what organisers do later, as it is pressed and seen in Discord."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chatlab.fakediscord import Message as Shown
from tests.lab.discord_house import ClubServer, club_server, ids, page, ticked
from tests.lab.house import MONDAY, ZONE

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubServer]:
    """A server with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_server(tmp_path / "paperclub.db") as opened:
        yield opened


def mentioned(shown: Shown) -> set[str]:
    """Every id that is called or linked by a message's words."""
    return {each for each in ("@everyone", "@here", "<@&", "<@") if each in shown.text}


# ---- set-up ----

WORDS = {
    "en": ("Paperclub is here", "is set up. You are its organiser.", "Preview: this is how", "Today’s paper"),
    "zh": ("Paperclub 来了", "已建好，你是组织者", "预览", "今日论文"),
}


@pytest.mark.parametrize(("language", "locale"), [("en", "en-US"), ("zh", "zh-CN")])
async def test_a_server_comes_from_nothing_to_its_first_post(
    tmp_path: Path, language: str, locale: str
) -> None:
    hello, made, preview, posted = WORDS[language]
    async with club_server(tmp_path / "paperclub.db") as here:
        lab = here.lab
        owner = lab.create_user("founder", locale=locale)
        guild = lab.create_guild("Second", with_bot=False, owner=owner, locale=locale)
        channel, lobby = lab.create_channel(guild, "reading"), lab.create_channel(guild, "lobby")
        lab.add_bot(guild)
        greeting = await lab.wait_message(channel, hello)
        assert len(greeting.buttons) == 2 and lab.messages(lobby, by_bot=True) == []

        options = {
            "channel": channel,
            "time": "10:00",
            "zone": ZONE,
            "weekdays": "mon,tue",
            "language": language,
        }
        set_up = await here.shows(
            await here.typed(owner, "club setup", lobby, name="Readers", **options), made
        )
        assert set_up.ephemeral and f"<#{channel.id}>" in set_up.text
        topics = await here.opened(owner, set_up, set_up.buttons[1])
        first = topics.modal["components"][0]["component"]
        chosen = await here.sent(
            owner, topics, {first["custom_id"]: [each["value"] for each in first["options"][:3]]}
        )
        seen = await here.beside(chosen)
        assert preview in seen.text and seen.ephemeral
        assert {each.get("disabled", False) for each in seen.controls} == {True, False}
        assert "10:00" in seen.buttons[-1] and here.shown(posted, channel) == []

        waits = await here.pressed(owner, seen, seen.buttons[-1])
        assert page(waits).ephemeral and here.shown(posted, channel) == []
        await here.pressed(owner, seen, seen.buttons[-2])
        await here.tick()
        (post,) = here.shown(posted, channel)
        assert "p" in post.text and not mentioned(post)
        assert post.text.split("\n")[1] == next(
            each for each in seen.text.split("\n") if each.startswith("## ")
        )
        await here.until(MONDAY + DAY + 2 * HOUR)
        assert [len(here.shown(posted, each)) for each in (channel, lobby)] == [2, 0]


async def test_set_up_by_its_form_tells_what_is_wrong_and_keeps_what_was_typed(here: ClubServer) -> None:
    greeted = here.lab.create_guild("Second", with_bot=False, owner=here.owner)
    channel = here.lab.create_channel(greeted, "reading")
    here.lab.add_bot(greeted)
    greeting = await here.lab.wait_message(channel)
    form = await here.opened(here.owner, greeting, "Set up a club")
    zone = next(
        part["component"]["custom_id"]
        for part in form.modal["components"]
        if part.get("component", {}).get("custom_id") == "zone"
    )
    wrong = page(await here.sent(here.owner, form, {"name": "Readers", zone: "Atlantis/Deep"}))
    assert wrong.ephemeral and "Atlantis" in wrong.text
    again = await here.opened(here.owner, wrong, "Open the form again")
    values = [part["component"].get("value") for part in again.modal["components"] if "component" in part]
    assert "Atlantis/Deep" in values
    made = page(await here.sent(here.owner, again, {zone: ZONE}))
    assert "is set up. You are its organiser." in made.text


async def test_missing_rights_are_named_and_the_same_set_up_goes_on_once_they_are_there(
    here: ClubServer,
) -> None:
    closed = here.lab.create_channel(here.guild, "closed")
    here.lab.deny_bot(closed, "send_messages", "read_message_history")
    typed = {"channel": closed, "zone": ZONE, "time": "10:30", "language": "en"}
    told = await here.shows(
        await here.typed(here.owner, "club setup", **typed), "Paperclub may not do all it needs in"
    )
    assert f"<#{closed.id}>" in told.text
    assert "Send Messages" in told.text and "Read Message History" in told.text
    still = page(await here.pressed(here.owner, told, "Check again"))
    assert "Send Messages" in still.text
    here.lab.set_permissions(closed, here.lab.bot_user, allow=["send_messages", "read_message_history"])
    made = page(await here.pressed(here.owner, still, "Check again"))
    assert "is set up" in made.text and "10:30" in made.text


async def test_only_who_manages_the_server_sets_up(here: ClubServer) -> None:
    asked = await here.shows(
        await here.typed(here.ada, "club setup", zone=ZONE), "Only whoever manages this server"
    )
    assert asked.ephemeral and "is set up" not in asked.text


async def test_a_paper_comes_at_its_time_on_weekdays_and_once(here: ClubServer) -> None:
    await here.set_up(time="10:00")
    await here.until(MONDAY.replace(hour=8, minute=59))
    assert here.shown("Today’s paper") == []
    await here.until(MONDAY.replace(hour=9, minute=0))
    (post,) = here.shown("Today’s paper")
    await here.restart()
    await here.until(MONDAY + 7 * DAY)
    assert len(here.shown("Today’s paper")) == 5
    card = page(await here.pressed(here.ada, post, "Read more"))
    assert card.ephemeral and post.edited is None
    assert "Nominated" in page(await here.pressed(here.ada, post, "Nominate")).text


# ---- several clubs, private messages ----


async def test_where_two_clubs_are_meant_a_menu_asks_and_what_was_typed_is_done(here: ClubServer) -> None:
    other, lobby = (here.lab.create_channel(here.guild, name) for name in ("other", "lobby"))
    await here.set_up(name="Readers")
    await here.set_up(name="Night owls", channel=other)
    asked = page(await here.typed(here.ada, "paper nominate", lobby, paper="p57", reason="Short"))
    assert "Which club do you mean?" in asked.text
    menu = next(each for each in asked.controls if each["type"] == 3)
    assert [each["label"] for each in menu["options"]] == ["Readers", "Night owls"]
    chosen = await here.chosen(here.ada, asked, "Night owls")
    assert "Nominated" in page(chosen).text and "This is about Night owls." in page(chosen).text
    assert "p57" in page(await here.typed(here.bea, "paper nominations", other)).text
    assert "Nothing is nominated" in page(await here.typed(here.bea, "paper nominations")).text
    again = page(await here.typed(here.ada, "paper nominate", lobby, paper="p58"))
    assert "Nominated" in again.text  # the choice counts for an hour
    assert "2 papers nominated." in page(await here.typed(here.bea, "paper nominations", other)).text


async def test_the_bot_answers_in_private_messages_as_in_the_channel(here: ClubServer) -> None:
    await here.set_up()
    await here.typed(here.ada, "paper nominate", paper="p10")
    private = here.lab.dm(here.ada)
    assert "Nominated" in page(await here.typed(here.ada, "paper nominate", private, paper="p57")).text
    assert "p57" in page(await here.typed(here.bea, "paper nominations")).text
    found = page(await here.typed(here.ada, "paper search", private, query="neural"))
    assert "p" in found.text and found.controls
    for command in ("paper help", "paper saved", "paper topics", "paper history", "paper results"):
        assert page(await here.typed(here.ada, command, private)).text
    stranger = here.lab.create_user("stranger", guild=here.lab.create_guild("Elsewhere"))
    assert page(await here.typed(stranger, "paper help", here.lab.dm(stranger))).text


async def test_who_joined_after_the_opening_votes_no_earlier_from_private_messages(here: ClubServer) -> None:
    await here.set_up()
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, "paper nominate", paper=paper)
    await here.typed(here.owner, "club open vote")
    await here.tick(here.now + timedelta(seconds=5))
    await here.tick(here.now + HOUR)
    (late,) = here.people(1)
    assert "Nominated" in page(await here.typed(late, "paper nominate", paper="p58")).text
    private = here.lab.dm(late)
    await here.shows(await here.typed(late, "paper vote", private), "You joined after this vote opened.")
    form = await here.by_form(await here.typed(here.ada, "paper vote", here.lab.dm(here.ada)), here.ada)
    assert "Counted" in page(await here.sent(here.ada, form, ticked(form, "p57"))).text


async def test_who_left_the_server_does_nothing_in_private_messages(here: ClubServer) -> None:
    await here.set_up()
    await here.typed(here.bea, "paper nominate", paper="p10")
    await here.typed(here.owner, "club organisers", change="add", member=here.bea)
    private = here.lab.dm(here.bea)
    paused = page(await here.typed(here.bea, "club settings", private)).text
    assert "You are not in the server" not in paused
    del here.guild.members[here.bea.id]
    here.now += timedelta(minutes=6)
    here.meant = {404}
    for command in ("club pause", "paper vote", "paper nominations", "club delete"):
        done = await here.typed(here.bea, command, private)
        assert done.modal is None
        await here.shows(done, "You are not in the server of")
    asked = page(await here.typed(here.owner, "club delete"))
    await here.pressed(here.owner, asked, next(each for each in ids(asked) if each.startswith("delete:")))
    await here.shows(await here.typed(here.bea, "club restore", private), "You are not in the server of")
    assert "is back" in page(await here.typed(here.owner, "club restore", here.lab.dm(here.owner))).text


async def test_where_nobody_can_say_who_is_a_member_private_messages_only_read(here: ClubServer) -> None:
    await here.set_up()
    await here.typed(here.owner, "paper nominate", paper="p10")
    here.lab.add_fault("status", "/guilds/*/members/*", status=403, times=None)
    private = here.lab.dm(here.owner)
    assert "p10" in page(await here.typed(here.owner, "paper nominations", private)).text
    for command, given in (("club pause", {}), ("paper nominate", {"paper": "p57"}), ("paper vote", {})):
        done = await here.typed(here.owner, command, private, **given)
        await here.shows(done, "Please do this in its channel.")
    here.meant = {403}


# ---- organising ----


async def test_who_is_blocked_may_vote_and_not_write(here: ClubServer) -> None:
    await here.set_up()
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, "paper nominate", paper=paper)
    refused = page(await here.typed(here.bea, "club block", member=here.ada))
    assert "organiser" in refused.text.lower()
    blocked = page(await here.typed(here.owner, "club block", member=here.ada))
    assert "ada is blocked: they may vote" in blocked.text
    refused = page(await here.typed(here.ada, "paper nominate", paper="p58"))
    assert "blocked you" in refused.text and refused.ephemeral
    await here.typed(here.owner, "club open vote")
    await here.tick(here.now + timedelta(seconds=5))
    assert "Counted. You would read: paper 2." in await here.vote(here.ada, "p10")
    lifted = page(await here.pressed(here.owner, blocked, "Let them nominate again"))
    assert "ada may nominate and give reasons again." in lifted.text
    assert "Nominated" in page(await here.typed(here.ada, "paper nominate", paper="p58")).text


async def test_another_organiser_is_named_by_mention_and_steps_down(here: ClubServer) -> None:
    await here.set_up()
    assert "Only organisers" in page(await here.typed(here.bea, "club pause")).text
    named = page(await here.typed(here.owner, "club organisers", change="add", member=here.bea))
    assert "bea is an organiser now." in named.text
    assert "Only organisers" not in page(await here.typed(here.bea, "club settings")).text
    gone = page(await here.typed(here.bea, "club organisers", change="remove", member=here.bea))
    assert "bea is no longer an organiser." in gone.text
    assert "Only organisers" in page(await here.typed(here.bea, "club pause")).text


async def test_the_last_post_is_taken_back_and_its_paper_is_free_again(here: ClubServer) -> None:
    await here.set_up()
    await here.until(MONDAY + HOUR)
    (post,) = here.shown("Today’s paper")
    asked = page(await here.typed(here.owner, "club undo"))
    assert here.shown("Today’s paper") == [post]
    done = await here.pressed(
        here.owner, asked, next(each for each in ids(asked) if each.startswith("undo:"))
    )
    await here.tick(here.now + timedelta(seconds=5))
    assert here.shown("Today’s paper") == [] and post.deleted, page(done).text
    why = page(await here.typed(here.ada, "paper why")).text
    assert "An organiser took it back." in why
    await here.until(MONDAY + DAY + HOUR)
    assert len(here.shown("Today’s paper")) == 1


async def test_a_deleted_club_is_silent_and_comes_back_as_it_was(here: ClubServer) -> None:
    await here.set_up()
    await here.typed(here.ada, "paper nominate", paper="p57")
    asked = page(await here.typed(here.owner, "club delete"))
    assert "p57" in page(await here.typed(here.ada, "paper nominations")).text
    gone = next(each for each in ids(asked) if each.startswith("delete:"))
    await here.pressed(here.owner, asked, gone)
    await here.until(MONDAY + 3 * DAY)
    assert here.shown("Today’s paper") == []
    assert "p57" not in page(await here.typed(here.ada, "paper nominations")).text
    back = page(await here.typed(here.owner, "club restore"))
    for each in [each for each in ids(back) if each.startswith("restore:")]:
        back = page(await here.pressed(here.owner, back, each))
    assert "p57" in page(await here.typed(here.ada, "paper nominations")).text
    await here.until(MONDAY + 4 * DAY + HOUR)
    assert len(here.shown("Today’s paper")) == 2


async def settings(here: ClubServer, **values: Any) -> str:
    """The owner changes the club by its form; what they are told."""
    listed = page(await here.typed(here.owner, "club settings"))
    form = await here.opened(here.owner, listed, "Change the club")
    return page(await here.sent(here.owner, form, values)).text


async def test_in_a_move_the_open_vote_stays_and_its_result_is_told_in_both_channels(
    here: ClubServer,
) -> None:
    new = here.lab.create_channel(here.guild, "new")
    await here.set_up()
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, "paper nominate", paper=paper)
    await here.typed(here.owner, "club open vote")
    await here.tick(here.now + timedelta(seconds=5))
    poll = here.poll()
    assert "Saved." in await settings(here, channel=[new])
    assert "Counted." in await here.vote(here.ada, "p10", poll=poll)
    await here.typed(here.owner, "club close vote", reason="We met")
    await here.tick(here.now + timedelta(seconds=5))
    assert [len(here.shown("**Result**", each)) for each in (here.channel, new)] == [1, 1]
    assert "We met" in here.shown("**Result**", new)[0].text
    await here.until(MONDAY + 2 * DAY + HOUR)
    assert here.shown("Today’s paper") == [] and len(here.shown("Today’s paper", new)) == 3


async def test_a_role_whose_mention_notifies_nobody_is_not_taken(here: ClubServer) -> None:
    role = here.lab.create_role(here.guild, "readers")
    await here.set_up()
    told = await settings(here, name="Evenings", role=[role])
    assert "Not everybody may mention this role." in told and "Saved." not in told
    role.mentionable = True
    assert "Saved." in await settings(here, role=[role])
    role.mentionable = False  # later: what is set stays, and other fields can be changed
    assert "Saved." in await settings(here, name="Evenings", role=[role])
    other = here.lab.create_role(here.guild, "others")
    here.lab.set_permissions(here.channel, here.lab.bot_user, allow=["mention_everyone"])
    assert "Saved." in await settings(here, role=[other])


async def test_a_role_is_called_only_once_it_is_named_and_nobody_else_ever(here: ClubServer) -> None:
    role = here.lab.create_role(here.guild, "readers", mentionable=True)
    here.lab.set_roles(here.ada, here.guild, [role])
    await here.set_up(name="Club of @everyone")
    for named in (False, True):
        if named:
            assert "Saved." in await settings(here, role=[role])
        before = len(here.shown())
        await here.until(here.now + DAY)
        for who, paper in ((here.ada, "p57"), (here.bea, "p10"), (here.owner, "p21")):
            await here.typed(who, "paper nominate", paper=paper, reason="for @everyone and @here")
        await here.typed(here.owner, "club open vote")
        await here.tick(here.now + timedelta(seconds=5))
        await here.typed(here.owner, "club close vote", reason=f"@everyone, <@&{role.id}>, <@{here.bea.id}>")
        await here.tick(here.now + timedelta(seconds=5))
        called = {each.text.split("\n")[0].split(" ")[0]: each.pinged_roles for each in here.shown()[before:]}
        wanted = {role.id} if named else set()
        assert [each for each in called.values() if each] == [wanted, wanted] * named, called
    for channel in (here.channel, *here.lab.threads(here.channel)):
        assert not any(each.pinged_everyone or each.pinged_users for each in here.shown(where=channel))
