"""What breaks around a club in Discord, and that its members see each thing once and the others see nothing of it."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import discord
import pytest

from tests.lab.chatlab.fakediscord import Channel, Guild
from tests.lab.chatlab.fakediscord import Message as Shown
from tests.lab.discord_house import ClubServer, club_server, ids, page, ticked
from tests.lab.discord_lab import HastyAsyncio
from tests.lab.house import MONDAY, ZONE
from tests.lab.online import Online

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubServer]:
    """A server with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_server(tmp_path / "paperclub.db") as opened:
        yield opened


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library waits a moment only before it repeats a call or begins another session."""
    monkeypatch.setattr(discord.http, "asyncio", HastyAsyncio())

    async def at_once(client: discord.Client, shard: int | None, *, initial: bool = False) -> None: ...

    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)


async def proposed(here: ClubServer, *papers: str) -> None:
    for who, paper in zip(here.people(len(papers)), papers, strict=True):
        assert "Nominated: " in page(await here.typed(who, "paper nominate", paper=paper)).text


# ---- the connection ----


async def cut(here: ClubServer, how: str) -> None:
    """Break the connection and wait until it is there again."""
    gateway = here.lab.gateway
    resumed, begun = gateway.resumes, gateway.identifies
    match how:
        case "dropped":
            await here.lab.drop_gateway()
        case "asked":
            await here.lab.ask_reconnect()
        case _:
            await here.lab.invalidate_session(resumable=False)
    await here.lab.wait_for(lambda: (gateway.resumes, gateway.identifies) != (resumed, begun), 15, how)
    await here.lab.wait_for(lambda: gateway.ready_sessions, 15, how)
    new = how == "invalidated"
    assert (gateway.resumes - resumed, gateway.identifies - begun) == (not new, new)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("how", ["dropped", "asked", "invalidated"])
async def test_a_vote_goes_on_over_a_connection_that_breaks(here: ClubServer, how: str) -> None:
    await here.set_up()
    await proposed(here, "p57", "p10")
    await here.until(OPENS)
    form = await here.opened(here.ada, here.poll(), "vote:1")
    await cut(here, how)
    assert "Counted" in page(await here.sent(here.ada, form, ticked(form, "p57"))).text
    assert "Counted" in await here.vote(here.bea, "p57")
    await here.until(CLOSES)
    assert "2 members voted" in here.shown("**Result**")[0].text


@pytest.mark.usefixtures("hasty")
async def test_ready_again_and_again_is_one_post_one_greeting_and_one_list_of_commands(
    here: ClubServer,
) -> None:
    await here.set_up()
    for _ in range(3):
        await cut(here, "invalidated")
    await here.until(MONDAY + HOUR)
    assert len(here.shown("Today’s paper")) == 1
    assert len(here.shown("Paperclub is here")) == 1
    assert (here.lab.command_syncs, len(here.readies)) == (1, 1)


async def test_a_post_that_is_due_while_the_connection_is_gone_comes_once(here: ClubServer) -> None:
    await here.set_up()
    here.lab.refuse_gateway(1)
    await here.lab.drop_gateway()
    await here.until(MONDAY + HOUR)
    await here.lab.wait_for(lambda: here.lab.gateway.ready_sessions, 15, "a new connection")
    await here.until(MONDAY + 2 * HOUR)
    assert len(here.shown("Today’s paper")) == 1


# ---- calls that fail, before and after they were stored ----

FAULTS: dict[str, dict[str, Any]] = {
    "500 before storing": {"kind": "status", "status": 500},
    "dropped before storing": {"kind": "drop_before"},
    "502 after storing": {"kind": "status_after", "status": 502},
    "answer lost": {"kind": "drop_after"},
    "many 503": {"kind": "status", "status": 503, "times": 6},
}


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("fault", FAULTS)
async def test_paper_poll_result_and_thread_are_there_once_whatever_is_lost(
    here: ClubServer, fault: str
) -> None:
    await here.set_up()
    await proposed(here, "p57", "p10")

    async def through(moment: datetime, *paths: str) -> None:
        await here.until(moment - SECOND)
        faults = [here.lab.add_fault(path=path, method="POST", **FAULTS[fault]) for path in paths]
        await here.until(moment + HOUR)
        assert all(each.hits for each in faults)
        here.lab.clear_faults()

    await through(MONDAY.replace(hour=8, minute=0), "/channels/*/messages")
    await through(OPENS, "/channels/*/messages")
    await here.vote(here.ada, "p57")
    await through(CLOSES, f"/channels/{here.channel.id}/messages", "/channels/*/messages/*/threads")
    await here.until(CLOSES + 12 * HOUR)
    shown = [len(here.shown(start)) for start in ("Today’s paper", "Which of these", "**Result**")]
    assert shown == [5, 1, 1]
    (thread,) = here.lab.threads(here.channel)
    assert ["**Discussion**" in each.text for each in here.shown(where=thread)] == [True]
    here.meant = {400, 499}  # a thread that stands cannot be opened again; and what the server cut itself


@pytest.mark.usefixtures("hasty")
async def test_what_is_told_in_a_thread_is_there_once_though_its_answer_is_lost(here: ClubServer) -> None:
    await here.set_up()
    await proposed(here, "p57")
    await here.until(OPENS - SECOND)
    here.lab.add_fault("drop_after", "/channels/*/messages", method="POST", times=None)
    await here.until(OPENS + 5 * SECOND)
    here.lab.clear_faults()
    await here.until(OPENS + 2 * HOUR)
    assert len(here.shown("Only one paper is nominated")) == 1
    threads = here.lab.threads(here.channel)
    assert [len(here.shown(where=each)) for each in threads] == [1]


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("fault", ["drop_before", "drop_after"])
async def test_a_post_that_failed_comes_once_however_much_is_said_after_it(
    here: ClubServer, fault: str
) -> None:
    await here.set_up()
    due = MONDAY.replace(hour=8, minute=0)
    await here.until(due - SECOND)
    here.lab.add_fault(fault, "/channels/*/messages", method="POST", times=None)
    await here.tick(due)
    here.lab.clear_faults()
    for number in range(1_010):
        here.lab.say(here.ada, here.channel, f"about something else {number}")
    await here.until(due + HOUR)
    assert len(here.shown("Today’s paper")) == 1
    here.meant = {499}


async def test_a_press_is_answered_though_the_way_there_breaks(here: ClubServer) -> None:
    await here.set_up()
    for kind in ("drop_before", "drop_after"):
        here.lab.add_fault(kind, "/interactions/*")
        done = await here.lab.slash(here.ada, here.channel, "paper show", {"id": "p57"}, settle=10)
        assert page(done).ephemeral and "p57" in page(done).text
    here.meant = {400, 499}  # acknowledged already; and what the server cut itself


async def test_where_edits_are_refused_for_a_while_the_newest_state_stands_after_it(
    here: ClubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.set_up()
    await proposed(here, "p57", "p10")
    await here.until(OPENS)
    await here.until(OPENS + 2 * HOUR)  # of old messages few edits are taken
    here.lab.old_edits = (1, 1.5)
    monkeypatch.setattr(type(here.discord.platform), "spacing", lambda self, age: 0.05)
    await here.vote(here.ada, "p57")
    await here.stands(None, "1 has voted")
    await here.vote(here.bea, "p57")
    await here.vote(here.owner, "p10")
    await here.stands(None, "3 have voted")
    replies = [each.reply for each in here.lab.requests if isinstance(each.reply, dict)]
    assert any(each.get("code") == 30046 for each in replies)


async def test_a_poll_of_days_stands_after_a_restart_with_all_that_was_pressed(here: ClubServer) -> None:
    await here.set_up()
    await proposed(here, "p57", "p10")
    await here.until(OPENS)
    await here.until(OPENS + 20 * HOUR)
    for who in (here.ada, here.bea, here.owner):
        await here.vote(who, "p57")
    await here.restart(here.now + HOUR)
    await here.stands(None, "3 have voted")


async def test_two_programs_on_one_store_post_once(here: ClubServer) -> None:
    await here.set_up()
    twin = Online(here.lab, here.path)
    await twin.start()
    try:
        for day in range(3):
            for moment in (MONDAY + day * DAY + HOUR, MONDAY + day * DAY + 2 * HOUR):
                await asyncio.gather(here.tick(moment), twin.tick(moment))
        assert len(here.shown("Today’s paper")) == 3
    finally:
        await twin.close()


# ---- every kind of place ----

TEXT, NEWS, FORUM = 0, 5, 15


def place(here: ClubServer, kind: int | str) -> Channel:
    """A channel of a kind, or a thread."""
    if kind == "thread":
        return here.lab.open_thread(here.channel, here.owner, "reading")
    return here.lab.create_channel(here.guild, "reading", type=int(kind))


@pytest.mark.parametrize("kind", [TEXT, NEWS, FORUM, "thread"])
async def test_a_week_goes_its_way_in_every_kind_of_place(here: ClubServer, kind: int | str) -> None:
    where = place(here, kind)
    await here.set_up(channel=where, name="Readers")

    def all_of(start: str) -> list[tuple[int, Shown]]:
        places = [where, *here.lab.threads(where)]
        return [(each.id, shown) for each in places for shown in here.shown(start, each)]

    await proposed(here, "p57", "p10")
    await here.until(OPENS)
    ((stands, poll),) = all_of("Which of these")
    assert (stands == where.id) == (kind != FORUM)
    assert "Counted" in await here.vote(here.ada, "p10", poll=poll)
    await here.lab.wait_for(lambda: "1 has voted" in poll.text, 10, "the turnout")
    if kind == "thread":
        here.lab.set_thread(where, archived=True)
    await here.until(CLOSES + HOUR)
    ((stands, result),) = all_of("**Result**")
    ((talk, _),) = all_of("**Discussion**")
    assert "1 member voted" in result.text and len(all_of("Today’s paper")) == 5
    assert (talk == where.id) == (kind == "thread") and (talk == stands) == (kind in (FORUM, "thread"))
    assert "Vote closed" in poll.text
    assert page(await here.pressed(here.bea, result, "How this was counted")).ephemeral


@pytest.mark.parametrize("kind", [NEWS, FORUM, "thread"])
async def test_a_post_is_taken_back_in_every_kind_of_place(here: ClubServer, kind: int | str) -> None:
    where = place(here, kind)
    await here.set_up(channel=where, name="Readers")
    await here.until(MONDAY + HOUR)
    if kind == "thread":
        here.lab.set_thread(where, archived=True)

    def posts() -> list[Shown]:
        return [p for each in (where, *here.lab.threads(where)) for p in here.shown("Today’s paper", each)]

    assert len(posts()) == 1
    asked = page(await here.typed(here.owner, "club undo"))
    await here.pressed(here.owner, asked, next(each for each in ids(asked) if each.startswith("undo:")))
    await here.tick(here.now + 5 * SECOND)
    assert posts() == [] and all(each.archived for each in here.lab.threads(where))
    here.meant = {400} if kind == "thread" else set()  # it is opened again for that
    await here.until(MONDAY + DAY + HOUR)
    assert len(posts()) == 1


async def test_a_locked_post_shuts_no_forum_and_its_poll_is_closed_once_it_is_unlocked(
    here: ClubServer,
) -> None:
    forum = place(here, FORUM)
    await here.set_up(channel=forum, name="Readers")
    await proposed(here, "p57", "p10")
    await here.until(OPENS)
    ((thread, poll),) = [(t, p) for t in here.lab.threads(forum) for p in here.shown("Which of these", t)]
    here.meant = {400, 403}
    here.lab.set_thread(thread, archived=True, locked=True)
    assert "Counted" in await here.vote(here.ada, "p10", poll=poll)
    await here.until(CLOSES + HOUR)
    assert [len(here.shown("**Result**", each)) for each in here.lab.threads(forum)].count(1) == 1
    assert here.private(here.owner) == [] and "Vote closed" not in poll.text
    here.lab.set_thread(thread, archived=False, locked=False)
    await here.until(CLOSES + 3 * HOUR)
    assert "Vote closed" in poll.text and here.private(here.owner) == []


async def test_the_poll_of_a_locked_thread_is_voted_on_in_the_channel_above_though_that_has_a_club(
    here: ClubServer,
) -> None:
    await here.set_up(name="Above")
    thread = here.lab.open_thread(here.channel, here.owner, "reading")
    await here.set_up(channel=thread, name="Readers")
    for who, paper in zip(here.people(2), ("p57", "p10"), strict=True):
        assert "Nominated: " in page(await here.typed(who, "paper nominate", thread, paper=paper)).text
    here.lab.set_thread(thread, locked=True)
    await here.until(OPENS)
    assert "Counted" in await here.vote(here.ada, "p10")
    await here.stands(None, "1 has voted")
    await here.until(CLOSES + HOUR)
    assert "1 member voted" in here.shown("**Result**")[0].text


# ---- a large server ----


async def test_a_server_of_ten_thousand_starts_at_once_and_keeps_nobody_in_mind(here: ClubServer) -> None:
    await here.set_up()
    assert here.lab.crowd(here.guild, 10_000) > 10_000
    began = here.lab.clock.time()
    await here.restart()
    assert here.lab.clock.time() - began < 5
    somebody = here.lab.users[max(here.guild.members)]
    assert "Nominated: " in page(await here.typed(somebody, "paper nominate", paper="p57")).text
    await here.until(MONDAY + HOUR)
    assert len(here.shown("Today’s paper")) == 1
    client = here.discord.connection.client
    assert len(client.users) < 10 and sum(len(each.members) for each in client.guilds) < 10


# ---- three clubs, one of which cannot be reached ----


async def three_clubs(here: ClubServer) -> list[tuple[Guild, Channel]]:
    """Clubs in three servers with owners of their own, due at the same time."""
    places = [(here.guild, here.channel)]
    for name in ("Second", "Third"):
        owner = here.lab.create_user(f"owner-{name}", guild=here.guild)
        guild = here.lab.create_guild(name, owner=owner, with_bot=False)
        channel = here.lab.create_channel(guild, f"papers-{name}")
        here.lab.add_bot(guild)
        await here.lab.wait_message(channel, "Paperclub is here")
        places.append((guild, channel))
    for guild, channel in places:
        owner = here.lab.users[guild.owner_id]
        await here.begin(owner, await here.typed(owner, "club setup", channel, zone=ZONE, language="en"))
    return places


@pytest.mark.parametrize("fault", ["kicked", "deleted", "no right"])
async def test_one_club_that_cannot_be_reached_costs_the_others_nothing(
    here: ClubServer, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    places = await three_clubs(here)
    guild, channel = places[1]
    owner = here.lab.users[guild.owner_id]
    here.meant = {403, 404}
    match fault:
        case "kicked":
            here.lab.remove_bot(guild)
        case "deleted":
            here.lab.delete_channel(channel)
        case _:
            here.lab.deny_bot(channel, "send_messages")
    await here.until(MONDAY + 3 * DAY + HOUR)
    posts = [len(here.shown("Today’s paper", each)) for _, each in (places[0], places[2])]
    assert posts == [4, 4]
    lines = [each.getMessage() for each in caplog.records if "club 2" in each.getMessage()]
    assert len(lines) <= 4, lines
    (told,) = here.private(owner)
    why = {"kicked": "I am not in the server of", "deleted": "", "no right": "Send Messages"}
    assert why[fault] in told.text and f"#{channel.name}" in told.text
    if fault == "no right":
        here.lab.set_permissions(channel, here.lab.bot_user, allow=["send_messages"])
        await here.until(MONDAY + 4 * DAY + HOUR)
        assert len(here.shown("Today’s paper", channel)) == 1
        assert len(here.private(owner)) == 1


async def test_a_server_that_takes_the_bot_back_goes_on_where_it_was(here: ClubServer) -> None:
    places = await three_clubs(here)
    guild, channel = places[1]
    owner = here.lab.users[guild.owner_id]
    await here.typed(owner, "paper nominate", channel, paper="p57")
    here.lab.remove_bot(guild)
    await here.until(MONDAY + 10 * DAY)
    assert here.shown("Today’s paper", channel) == []
    before = len(here.shown("Paperclub is here", channel))
    here.lab.add_bot(guild)
    await here.lab.wait_for(
        lambda: here.discord.connection.client.get_guild(guild.id) is not None, 5, "the server again"
    )
    await here.until(MONDAY + 11 * DAY + HOUR)
    assert len(here.shown("Today’s paper", channel)) >= 1
    assert len(here.shown("Paperclub is here", channel)) == before
    assert "p57" in page(await here.typed(owner, "paper nominations", channel)).text


async def test_who_takes_no_private_messages_is_told_in_the_channel_once_it_is_mended(
    here: ClubServer,
) -> None:
    await here.set_up()
    here.lab.close_dms(here.owner)
    here.lab.deny_bot(here.channel, "send_messages")
    here.meant = {403}
    await here.until(MONDAY + DAY)
    assert here.private(here.owner) == []
    here.lab.set_permissions(here.channel, here.lab.bot_user, allow=["send_messages"])
    await here.until(MONDAY + 2 * DAY + HOUR)
    assert len(here.shown("Today’s paper")) == 2
    assert (
        len(here.shown("I could not write here: the bot may not write there, since it lacks Send Messages"))
        == 1
    )


async def test_a_club_whose_channel_was_deleted_goes_on_in_the_one_chosen_in_its_settings(
    here: ClubServer,
) -> None:
    lobby = here.lab.create_channel(here.guild, "lobby")
    await here.set_up()
    await proposed(here, "p57")
    here.lab.delete_channel(here.channel)
    here.meant = {404}
    await here.until(MONDAY + HOUR)
    listed = page(await here.typed(here.owner, "club settings", lobby))
    form = await here.opened(here.owner, listed, "Change the club")
    assert "Saved." in page(await here.sent(here.owner, form, {"channel": [lobby]})).text
    await here.until(MONDAY + DAY + HOUR)
    assert len(here.shown("Today’s paper", lobby)) == 2  # the one that waited too
    assert "p57" in page(await here.typed(here.ada, "paper nominations", lobby)).text


# ---- a vote whose message or channel is gone ----


async def test_a_vote_whose_message_was_deleted_ends_at_its_time_with_its_ballots(here: ClubServer) -> None:
    await here.set_up()
    await proposed(here, "p57", "p10")
    await here.until(OPENS)
    poll = here.poll()
    form = await here.opened(here.bea, poll, "vote:1")
    await here.vote(here.ada, "p10")
    await here.stands(None, "1 has voted")
    here.lab.delete_message(poll)
    here.meant = {404}
    assert "Counted" in page(await here.sent(here.bea, form, ticked(form, "p10"))).text
    voted = await here.typed(here.owner, "paper vote")
    assert voted.modal is not None or page(voted).controls
    await here.until(CLOSES + HOUR)
    assert "2 members voted" in here.shown("**Result**")[0].text
    failed = len([each for each in here.lab.bot_errors() if each.status == 404])
    await here.until(OPENS + timedelta(days=7, hours=1))
    assert len([each for each in here.lab.bot_errors() if each.status == 404]) == failed <= 3
    assert any("result:" in each or "more:" in each for each in ids(here.shown()[-1]))


@pytest.mark.parametrize("kind", [TEXT, FORUM, "thread"])
async def test_an_organiser_hears_at_once_of_a_deleted_channel(here: ClubServer, kind: int | str) -> None:
    where = place(here, kind)
    await here.set_up(channel=where)
    here.lab.delete_channel(here.lab.create_channel(here.guild, "of nobody"))
    here.lab.delete_channel(where)
    for _ in range(100):  # until the news have come
        await asyncio.sleep(0.02)
        await here.tick(here.now + SECOND)
        if here.private(here.owner):
            break
    (told,) = here.private(here.owner)
    assert "deleted" in told.text
    here.meant = {404}
    await here.until(MONDAY + 2 * DAY)
    assert here.private(here.owner) == [told]


async def test_a_vote_whose_channel_was_deleted_ends_and_its_organiser_is_told(here: ClubServer) -> None:
    lobby = here.lab.create_channel(here.guild, "lobby")
    await here.set_up()
    await proposed(here, "p57", "p10")
    await here.until(OPENS)
    await here.vote(here.ada, "p10")
    here.lab.delete_channel(here.channel)
    here.meant = {404}
    await here.until(CLOSES + HOUR)
    result = page(await here.typed(here.ada, "paper results", lobby)).text
    assert "**Result**" in result and "1 member voted" in result
    assert len(here.private(here.owner)) == 1
    await here.until(OPENS + timedelta(days=7, hours=1))
    assert len(here.private(here.owner)) == 1
