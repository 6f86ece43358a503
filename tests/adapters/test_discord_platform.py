"""Discord as a platform, with the real library against the strict local server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import discord.http
import pytest

import adapters.discord.platform as platform_module
from adapters.discord.places import NEEDED
from adapters.discord.platform import RIGHTS
from bot.delivery.model import Address, Sent, Thread
from bot.errors import Refused, Uncertain
from bot.messages.pages.rights import right_name, right_purpose
from bot.messages.words import LANGUAGES, words_for
from tests.lab.chatlab.fakediscord import FakeDiscord
from tests.lab.discord_lab import CODE, MARKER, HastyAsyncio, Station, said, station

VOICE, ANNOUNCEMENTS, FORUM = 2, 5, 15


@pytest.fixture
async def here() -> AsyncIterator[Station]:
    async with station() as opened:
        yield opened


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library does not wait long before it repeats a call."""
    monkeypatch.setattr(discord.http, "asyncio", HastyAsyncio())


async def refused(awaitable: object) -> Refused:
    with pytest.raises(Refused) as caught:
        await awaitable  # type: ignore[misc]
    return caught.value


# ---- posting ----


@pytest.mark.parametrize("kind", [0, ANNOUNCEMENTS])
async def test_a_message_stands_in_its_channel_with_a_nonce_and_a_code(here: Station, kind: int) -> None:
    room = here.room("room", kind)
    sent = await here.platform.send(here.address(room), said("Hello"), MARKER)
    (shown,) = here.messages(room)
    assert sent == Sent(str(shown.id))
    assert shown.nonce == MARKER and shown.text.endswith(CODE)
    assert here.shown(room) == ["Hello"]
    assert here.lab.bot_errors() == []


async def test_the_same_marker_posts_once(here: Station) -> None:
    first = await here.platform.send(here.address(), said("Hello"), MARKER)
    assert await here.platform.send(here.address(), said("Hello"), MARKER) == first
    assert here.shown() == ["Hello"]


async def test_nobody_is_called_by_what_a_message_says(here: Station) -> None:
    role = here.lab.create_role(here.guild, "readers", mentionable=True)
    text = f"@everyone @here <@{here.member.id}> <@&{role.id}>"
    sent = await here.platform.send(here.address(role=str(role.id)), said(text), MARKER)
    await here.platform.edit(here.address(role=str(role.id)), sent.message_id, said(text, notify=True))
    (shown,) = here.messages()
    assert (shown.pinged_users, shown.pinged_roles, shown.pinged_everyone) == (set(), set(), False)
    for call in [*here.calls("POST", "/messages"), *here.calls("PATCH", "/messages")]:
        assert call.body["allowed_mentions"] == {"parse": []}


async def test_the_named_role_is_called_by_messages_that_notify_and_no_other(here: Station) -> None:
    role = here.lab.create_role(here.guild, "readers", mentionable=True)
    other = here.lab.create_role(here.guild, "others", mentionable=True)
    text = f"Opening @everyone <@&{other.id}>"
    await here.platform.send(here.address(role=str(role.id)), said(text, notify=True), MARKER)
    await here.platform.send(here.address(), said(text, notify=True), "b" * 16)
    first, second = here.messages()
    assert (first.pinged_users, first.pinged_roles, first.pinged_everyone) == (set(), {role.id}, False)
    assert second.pinged_roles == set()


async def test_the_role_is_called_by_a_post_of_a_forum_too(here: Station) -> None:
    role = here.lab.create_role(here.guild, "readers", mentionable=True)
    forum = here.room("forum", FORUM)
    await here.platform.send(here.address(forum, role=str(role.id)), said("Vote", notify=True), MARKER)
    (post,) = here.lab.threads(forum)
    assert here.messages(post)[0].pinged_roles == {role.id}


# ---- private messages ----


async def test_a_private_message_reaches_one_person_and_can_be_edited_found_and_taken_back(
    here: Station,
) -> None:
    to = here.address(person=str(here.member.id))
    sent = await here.platform.send(to, said("Only you"), MARKER, Thread("1", "not here"))
    room = here.lab.dm(here.member)
    assert sent.message_id == f"{room.id}/{here.messages(room)[0].id}"
    await here.platform.edit(to, sent.message_id, said("Only you, again"))
    assert here.shown(room) == ["Only you, again"] and here.shown() == []
    await here.platform.send(to, said("More"), "b" * 16)
    assert await here.platform.find_sent(to, "b" * 16) == Sent(f"{room.id}/{here.messages(room)[1].id}")
    await here.platform.remove(to, sent.message_id)
    assert here.shown(room) == ["More"]
    assert await here.platform.missing_rights(to) == ()


async def test_who_takes_no_private_messages_is_closed(here: Station) -> None:
    here.lab.close_dms(here.member)
    stranger = here.lab.create_user("stranger")
    for person in (here.member.id, stranger.id):
        error = await refused(here.platform.send(here.address(person=str(person)), said("x"), MARKER))
        assert error.reason == "closed"


# ---- forums ----


async def test_in_a_forum_a_message_is_a_post_that_can_be_edited_found_and_answered(here: Station) -> None:
    forum = here.room("forum", FORUM)
    to = here.address(forum)
    sent = await here.platform.send(to, said("Today’s\npaper"), MARKER)
    (post,) = here.lab.threads(forum)
    assert post.name == "Today’s paper"
    assert sent == Sent(f"{post.id}/{post.id}")
    await here.platform.edit(to, sent.message_id, said("Changed"))
    answer = await here.platform.send(to, said("Discuss"), "b" * 16, Thread(sent.message_id, "a name"))
    assert here.shown(post) == ["Changed", "Discuss"]
    assert answer == Sent(f"{post.id}/{here.messages(post)[1].id}")
    assert len(here.lab.threads(forum)) == 1
    assert await here.platform.find_sent(to, "b" * 16, Thread(sent.message_id, "a name")) == answer
    assert here.lab.bot_errors() == []


@pytest.mark.parametrize("archived", [False, True])
async def test_a_post_whose_answer_was_lost_is_found_in_its_forum(here: Station, archived: bool) -> None:
    forum = here.room("forum", FORUM)
    to = here.address(forum)
    here.lab.add_fault("drop_after", "/channels/*/threads")
    with pytest.raises(Uncertain):
        await here.platform.send(to, said("Paper"), MARKER)
    (post,) = here.lab.threads(forum)
    here.lab.open_thread(forum, here.member, "of a member")
    here.lab.set_thread(post, archived=archived)
    await here.told()
    assert await here.platform.find_sent(to, MARKER) == Sent(f"{post.id}/{post.id}")
    assert await here.platform.find_sent(to, "c" * 16) is None


async def test_a_post_that_may_stand_is_not_repeated_by_the_library(here: Station) -> None:
    forum = here.room("forum", FORUM)
    here.lab.add_fault("status_after", "/channels/*/threads", status=502)
    with pytest.raises(Uncertain) as caught:
        await here.platform.send(here.address(forum), said("Paper"), MARKER)
    assert caught.value.reason == "server"
    assert len(here.lab.threads(forum)) == 1


@pytest.mark.parametrize("cached", [True, False])
async def test_a_forum_that_wants_a_tag_gets_its_first(here: Station, cached: bool) -> None:
    forum = here.room("forum", FORUM, tags=("papers", "other"), require_tag=True)
    await here.told()
    if not cached:
        here.connection.client.get_guild(here.guild.id)._channels.pop(forum.id)  # type: ignore[union-attr]
    await here.platform.send(here.address(forum), said("Paper"), MARKER)
    (call,) = here.calls("POST", "/threads")
    assert call.body["applied_tags"] == [str(forum.id + 1)]


# ---- threads ----


async def test_a_discussion_opens_under_the_message_once(here: Station) -> None:
    to = here.address()
    sent = await here.platform.send(to, said("Winner"), MARKER)
    under = Thread(sent.message_id, "The winner, discussed")
    first = await here.platform.send(to, said("Discuss"), "b" * 16, under)
    (thread,) = here.lab.threads(here.channel)
    assert (str(thread.id), thread.name) == (sent.message_id, "The winner, discussed")
    assert first == Sent(f"{thread.id}/{here.messages(thread)[0].id}")
    await here.platform.send(to, said("More"), "c" * 16, under)
    assert here.shown(thread) == ["Discuss", "More"] and here.shown() == ["Winner"]
    assert await here.platform.find_sent(to, "b" * 16, under) == first
    assert await here.platform.find_sent(to, "d" * 16, under) is None
    await here.platform.edit(to, first.message_id, said("Discussed"))
    assert here.shown(thread) == ["Discussed", "More"]
    assert here.lab.bot_errors() == []


async def test_a_thread_a_member_opened_there_is_used(here: Station) -> None:
    to = here.address()
    sent = await here.platform.send(to, said("Winner"), MARKER)
    thread = here.lab.open_thread(here.channel, here.member, "mine", message=sent.message_id)
    await here.told()
    await here.platform.send(to, said("Discuss"), "b" * 16, Thread(sent.message_id, "x"))
    assert here.shown(thread) == ["Discuss"]


async def test_two_discussions_opened_at_once_share_a_thread(here: Station) -> None:
    sent = await here.platform.send(here.address(), said("Winner"), MARKER)
    under = Thread(sent.message_id, "x")
    await asyncio.gather(
        here.platform.send(here.address(), said("One"), "b" * 16, under),
        here.platform.send(here.address(), said("Two"), "c" * 16, under),
    )
    (thread,) = here.lab.threads(here.channel)
    assert sorted(here.shown(thread)) == ["One", "Two"]


async def test_where_no_thread_can_be_opened_the_channel_is_answered(here: Station) -> None:
    room = here.room("voice", VOICE)
    sent = await here.platform.send(here.address(room), said("Winner"), MARKER)
    await here.platform.send(here.address(room), said("More"), "b" * 16, Thread(sent.message_id, "x"))
    assert here.shown(room) == ["Winner", "More"]


async def test_no_thread_hangs_from_a_message_that_was_deleted(here: Station) -> None:
    to = here.address()
    sent = await here.platform.send(to, said("Winner"), MARKER)
    here.lab.open_thread(here.channel, here.member, "left alone", message=sent.message_id)
    await here.told()
    here.lab.delete_message(sent.message_id)
    error = await refused(here.platform.send(to, said("x"), "b" * 16, Thread(sent.message_id, "x")))
    assert error.reason == "gone"
    assert await here.platform.find_sent(to, "b" * 16, Thread(sent.message_id, "x")) is None


async def test_where_the_thread_was_deleted_the_channel_is_answered(here: Station) -> None:
    to = here.address()
    sent = await here.platform.send(to, said("Winner"), MARKER)
    under = Thread(sent.message_id, "x")
    await here.platform.send(to, said("Discuss"), "b" * 16, under)
    here.lab.delete_channel(here.lab.threads(here.channel)[0])
    await here.told()
    again = await here.platform.send(to, said("More"), "c" * 16, under)
    assert here.shown() == ["Winner", "More"]
    assert await here.platform.find_sent(to, "c" * 16, under) == again == Sent(str(here.messages()[1].id))


async def test_what_hangs_from_a_message_in_a_thread_stands_in_that_thread(here: Station) -> None:
    room = here.lab.open_thread(here.channel, here.member, "our room")
    to = here.address(room)
    sent = await here.platform.send(to, said("Winner"), MARKER)
    await here.platform.send(to, said("Discuss"), "b" * 16, Thread(sent.message_id, "x"))
    assert here.shown(room) == ["Winner", "Discuss"]


async def test_an_archived_thread_is_opened_again_by_messages_and_by_edits(here: Station) -> None:
    room = here.lab.open_thread(here.channel, here.member, "our room")
    to = here.address(room)
    sent = await here.platform.send(to, said("One"), MARKER)
    here.lab.set_thread(room, archived=True)
    await here.told()
    assert await here.platform.missing_rights(to) == ()
    await here.platform.send(to, said("Two"), "b" * 16)
    assert not room.archived
    here.lab.set_thread(room, archived=True)
    await here.told()
    await here.platform.edit(to, sent.message_id, said("One, changed"))
    assert not room.archived
    assert here.shown(room) == ["One, changed", "Two"]


@pytest.mark.parametrize("archived", [False, True])
async def test_a_locked_thread_is_answered_in_its_parent(here: Station, archived: bool) -> None:
    to = here.address()
    sent = await here.platform.send(to, said("Winner"), MARKER)
    under = Thread(sent.message_id, "x")
    before = await here.platform.send(to, said("Discuss"), "b" * 16, under)
    (thread,) = here.lab.threads(here.channel)
    here.lab.set_thread(thread, archived=archived, locked=True)
    await here.told()
    again = await here.platform.send(to, said("More"), "c" * 16, under)
    assert here.shown() == ["Winner", "More"] and here.shown(thread) == ["Discuss"]
    assert again == Sent(str(here.messages()[1].id))
    assert await here.platform.find_sent(to, "c" * 16, under) == again
    assert (await refused(here.platform.edit(to, before.message_id, said("y")))).reason == "locked"


async def test_what_a_moderator_locked_stays_shut_though_the_bot_might_write(here: Station) -> None:
    role = max(here.guild.roles)
    here.lab.set_role(here.guild, role, [*RIGHTS, "manage_threads"])
    room = here.lab.open_thread(here.channel, here.member, "our room")
    here.lab.set_thread(room, archived=True, locked=True)
    await here.told()
    await here.platform.send(here.address(room), said("One"), MARKER)
    assert here.shown() == ["One"] and here.shown(room) == [] and room.archived


async def test_a_thread_locked_a_moment_ago_is_answered_in_its_parent(here: Station) -> None:
    room = here.lab.open_thread(here.channel, here.member, "our room")
    await here.told()
    room.locked = True  # the gateway has not said so yet
    sent = await here.platform.send(here.address(room), said("One"), MARKER)
    assert here.shown() == ["One"]
    assert sent == Sent(f"{here.channel.id}/{here.messages()[0].id}")
    assert await here.platform.find_sent(here.address(room), MARKER) == sent
    await here.platform.edit(here.address(room), sent.message_id, said("Changed"))
    await here.platform.remove(here.address(room), sent.message_id)
    assert here.shown() == []


async def test_a_locked_post_is_answered_by_a_post_of_its_own(here: Station) -> None:
    forum = here.room("forum", FORUM)
    post = here.lab.open_thread(forum, here.member, "our room")
    here.lab.set_thread(post, locked=True)
    await here.told()
    await here.platform.send(here.address(post), said("Elsewhere"), MARKER)
    assert [each.name for each in here.lab.threads(forum)] == ["our room", "Elsewhere"]


# ---- replacing and taking back ----


async def test_an_edit_can_be_made_twice_and_never_posts_anew(here: Station) -> None:
    sent = await here.platform.send(here.address(), said("One"), MARKER)
    for _ in range(2):
        await here.platform.edit(here.address(), sent.message_id, said("Two"))
    assert here.shown() == ["Two"] and here.messages()[0].v2
    here.lab.delete_message(sent.message_id)
    assert (await refused(here.platform.edit(here.address(), sent.message_id, said("x")))).reason == "gone"
    assert here.shown() == []


async def test_removing_what_is_gone_is_as_good(here: Station) -> None:
    sent = await here.platform.send(here.address(), said("One"), MARKER)
    await here.platform.remove(here.address(), sent.message_id)
    assert here.shown() == []
    await here.platform.remove(here.address(), sent.message_id)
    here.lab.delete_channel(here.channel)
    await here.platform.remove(here.address(), sent.message_id)


async def test_too_many_edits_of_an_old_message_wait_as_long_as_discord_says(here: Station) -> None:
    sent = await here.platform.send(here.address(), said("One"), MARKER)
    here.lab.advance_clock(3601)
    here.lab.old_edits = (2, 300.0)
    for _ in range(2):
        await here.platform.edit(here.address(), sent.message_id, said("Two"))
    error = await refused(here.platform.edit(here.address(), sent.message_id, said("Three")))
    assert error.reason == "rate_limited" and 290 < (error.retry_after or 0) <= 300
    here.lab.advance_clock(300)
    await here.platform.edit(here.address(), sent.message_id, said("Four"))
    assert here.shown() == ["Four"]


def test_old_messages_are_drawn_less_often(here_without_lab: Station) -> None:
    spacing = here_without_lab.platform.spacing
    assert spacing(timedelta(0)) == spacing(timedelta(minutes=59)) == 2.0
    assert spacing(timedelta(hours=1)) == spacing(timedelta(days=7)) == 20.0


@pytest.fixture
async def here_without_lab() -> Station:
    """A station that never connects."""
    return Station(FakeDiscord())


# ---- in doubt ----


async def test_a_lost_answer_is_uncertain_and_the_message_is_found(here: Station) -> None:
    here.lab.add_fault("drop_after", "/channels/*/messages", method="POST")
    with pytest.raises(Uncertain):
        await here.platform.send(here.address(), said("Hello"), MARKER)
    (shown,) = here.messages()
    assert await here.platform.find_sent(here.address(), MARKER) == Sent(str(shown.id))
    assert await here.platform.find_sent(here.address(), "c" * 16) is None


async def test_a_call_cut_before_it_did_anything_is_uncertain_and_nothing_is_found(here: Station) -> None:
    here.lab.add_fault("drop_before", "/channels/*/messages", method="POST")
    with pytest.raises(Uncertain):
        await here.platform.send(here.address(), said("Hello"), MARKER)
    assert await here.platform.find_sent(here.address(), MARKER) is None


async def test_a_502_after_storing_leaves_one_message(here: Station, hasty: None) -> None:
    here.lab.add_fault("status_after", "/channels/*/messages", method="POST", status=502)
    sent = await here.platform.send(here.address(), said("Hello"), MARKER)
    assert [str(each.id) for each in here.messages()] == [sent.message_id]


async def test_a_server_that_only_fails_leaves_us_uncertain(here: Station, hasty: None) -> None:
    here.lab.add_fault("status", "/channels/*/messages", method="POST", times=None, status=500)
    with pytest.raises(Uncertain) as caught:
        await here.platform.send(here.address(), said("Hello"), MARKER)
    assert caught.value.reason == "server"


async def test_a_short_rate_limit_is_waited_out(here: Station) -> None:
    here.lab.add_fault("rate_limit", "/channels/*/messages", retry_after=0.05)
    await here.platform.send(here.address(), said("Hello"), MARKER)
    assert here.shown() == ["Hello"]


async def test_a_long_rate_limit_is_refused_with_its_seconds(here: Station) -> None:
    here.lab.add_fault("rate_limit", "/channels/*/messages", retry_after=120)
    error = await refused(here.platform.send(here.address(), said("Hello"), MARKER))
    assert (error.reason, error.retry_after) == ("rate_limited", 120)


async def test_no_connection_at_all_is_refused_unless_it_may_have_been_a_repeat(
    here: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here.lab.stop()
    error = await refused(here.platform.send(here.address(), said("Hello"), MARKER))
    assert error.reason == "network"
    monkeypatch.setattr(platform_module, "_A_REPEAT", 0.0)
    with pytest.raises(Uncertain):
        await here.platform.send(here.address(), said("Hello"), MARKER)


async def test_before_the_first_login_nothing_goes_out(here_without_lab: Station) -> None:
    platform, to = here_without_lab.platform, here_without_lab.address()
    assert (await refused(platform.send(to, said("x"), MARKER))).reason == "network"
    assert (await refused(platform.find_sent(to, MARKER))).reason == "network"
    assert (await refused(platform.missing_rights(to))).reason == "network"


async def test_a_message_is_found_behind_many_others_and_among_members_words(here: Station) -> None:
    to = here.address()
    here.guild.everyone.permissions = here.guild.roles[max(here.guild.roles)].permissions
    sent = await here.platform.send(to, said("Hello"), MARKER)
    other = here.lab.create_user("another bot", guild=here.guild, bot=True)
    quoted = {"flags": 1 << 15, "components": [{"type": 10, "content": f"{CODE} cccccc"}]}
    here.lab.store_message(here.channel, other, quoted)
    for number in range(250):
        here.lab.say(here.member, here.channel, f"{number} {CODE}")
    assert await here.platform.find_sent(to, MARKER) == sent
    assert await here.platform.find_sent(to, "c" * 16) is None
    assert len(here.calls("GET", "/messages")) == 4


async def test_a_search_begins_where_the_attempt_did_and_settles_whatever_was_said_since(
    here: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = here.address()
    here.guild.everyone.permissions = here.guild.roles[max(here.guild.roles)].permissions
    began = discord.utils.utcnow() - timedelta(minutes=1)
    sent = await here.platform.send(to, said("Hello"), MARKER)
    for number in range(1_010):
        here.lab.say(here.member, here.channel, str(number))
    assert await here.platform.find_sent(to, MARKER, since=began) == sent
    assert len(here.calls("GET", "/messages")) == 1
    assert await here.platform.find_sent(to, "c" * 16, since=began) is None
    monkeypatch.setattr("adapters.discord.history._PAGES", 10)
    with pytest.raises(Uncertain):
        await here.platform.find_sent(to, "c" * 16, since=began)
    monkeypatch.setattr("adapters.discord.history._ARRIVED", timedelta(0))
    assert await here.platform.find_sent(to, "c" * 16, since=began) is None
    assert await here.platform.find_sent(to, MARKER, since=discord.utils.utcnow()) is None


async def test_a_message_is_found_again_after_it_was_drawn_anew(here: Station) -> None:
    to = here.address()
    sent = await here.platform.send(to, said("Hello"), MARKER)
    await here.platform.edit(to, sent.message_id, said("Changed"), MARKER)
    assert here.shown() == ["Changed"]
    assert await here.platform.find_sent(to, MARKER) == sent


# ---- taking back a forum's post ----


@pytest.mark.parametrize("may", [True, False])
@pytest.mark.parametrize("answered", [True, False])
async def test_a_forums_post_goes_as_a_whole_unless_somebody_wrote_in_it(
    here: Station, may: bool, answered: bool
) -> None:
    if may:
        here.lab.set_role(here.guild, max(here.guild.roles), [*RIGHTS, "manage_threads"])
    forum = here.room("forum", FORUM)
    sent = await here.platform.send(here.address(forum), said("Paper"), MARKER)
    (post,) = here.lab.threads(forum)
    if answered:
        here.guild.everyone.permissions = here.guild.roles[max(here.guild.roles)].permissions
        here.lab.say(here.member, post, "I read it")
    await here.told()
    await here.platform.remove(here.address(forum), sent.message_id)
    assert here.lab.threads(forum) == ([] if may and not answered else [post])
    assert not here.lab.threads(forum) or here.shown(post) == []
    assert may or post.archived == (not answered)  # its title at least leaves the list
    await here.platform.remove(here.address(forum), sent.message_id)
    assert {each.status for each in here.lab.bot_errors()} <= {404}


# ---- who is in a server ----


async def test_when_somebody_joined_is_asked_once_in_five_minutes(here: Station) -> None:
    now = discord.utils.utcnow()
    here.platform._now = lambda: now
    server, person = str(here.guild.id), str(here.member.id)
    at = here.guild.members[here.member.id].joined_at
    for _ in range(3):
        joined = await here.platform.joined(server, person)
        assert joined is not None and abs(joined.timestamp() - at) < 1
    assert len(here.calls("GET", "/members/")) == 1
    del here.guild.members[here.member.id]
    now += timedelta(minutes=5)
    for _ in range(2):
        assert (await refused(here.platform.joined(server, person))).reason == "not_member"
    here.lab.join(here.member, here.guild)
    assert await here.platform.joined(server, person) is not None
    assert (await refused(here.platform.joined("1", person))).reason == "removed"
    here.lab.add_fault("status", "/guilds/*/members/*", status=403)
    now += timedelta(minutes=5)
    assert (await refused(here.platform.joined(server, person))).reason != "not_member"


async def test_the_roles_of_a_person_are_asked_anew_each_time(here: Station) -> None:
    server, person = str(here.guild.id), str(here.member.id)
    role = here.lab.create_role(here.guild, "readers")
    assert await here.platform.joined(server, person) is not None
    for held in ([], [role], []):
        here.lab.set_roles(here.member, here.guild, held)
        assert await here.platform.roles(server, person) == tuple(str(each.id) for each in held)
    del here.guild.members[here.member.id]
    assert (await refused(here.platform.roles(server, person))).reason == "not_member"


async def test_a_message_of_last_week_is_not_looked_for(here: Station) -> None:
    to = here.address()
    for number in range(100):
        await here.platform.send(to, said(str(number)), f"{number:016}")
    here.lab.advance_clock(7 * 86400)
    here.platform._now = lambda: discord.utils.utcnow() + timedelta(days=7)
    calls = len(here.calls("GET", "/messages"))
    assert await here.platform.find_sent(to, "c" * 16) is None
    assert len(here.calls("GET", "/messages")) == calls + 1


async def test_a_history_that_may_not_be_read_is_not_taken_for_an_empty_one(here: Station) -> None:
    for room in (here.channel, here.room("forum", FORUM)):
        await here.platform.send(
            here.address(room), said("Hello"), MARKER if room is here.channel else "b" * 16
        )
        here.lab.deny_bot(room, "read_message_history")
        await here.told()
        with pytest.raises(Uncertain) as caught:
            await here.platform.find_sent(here.address(room), MARKER)
        assert caught.value.reason == "forbidden:read_message_history"


async def test_what_was_sent_to_a_channel_that_is_gone_is_surely_not_there(here: Station) -> None:
    to = here.address()
    here.lab.delete_channel(here.channel)
    await here.told()
    assert await here.platform.find_sent(to, MARKER) is None


# ---- what is not allowed ----


async def test_the_rights_we_ask_for_are_all_that_is_needed(here: Station) -> None:
    forum = here.room("forum", FORUM)
    thread = here.lab.open_thread(here.channel, here.member, "our room")
    await here.told()
    for room in (here.channel, forum, thread, here.room("news", ANNOUNCEMENTS)):
        await here.told()
        assert await here.platform.missing_rights(here.address(room)) == ()


@pytest.mark.parametrize("right", NEEDED["channel"])
async def test_a_right_taken_away_is_named(here: Station, right: str) -> None:
    here.lab.deny_bot(here.channel, right)
    await here.told()
    assert await here.platform.missing_rights(here.address()) == (right,)


@pytest.mark.parametrize(
    ("kind", "right"), [(0, "send_messages"), (0, "view_channel"), (FORUM, "send_messages")]
)
async def test_a_refusal_names_the_right_even_when_the_gateway_is_late(
    here: Station, kind: int, right: str
) -> None:
    room = here.room("room", kind)
    await here.told()
    here.lab.deny_bot(room, right)
    error = await refused(here.platform.send(here.address(room), said("x"), MARKER))
    assert error.reason == f"forbidden:{right}"


@pytest.mark.parametrize("right", ["create_public_threads", "send_messages_in_threads"])
async def test_a_discussion_that_may_not_be_opened_names_the_right(here: Station, right: str) -> None:
    sent = await here.platform.send(here.address(), said("Winner"), MARKER)
    here.lab.deny_bot(here.channel, right)
    await here.told()
    error = await refused(
        here.platform.send(here.address(), said("x"), "b" * 16, Thread(sent.message_id, "x"))
    )
    assert error.reason == f"forbidden:{right}"


async def test_a_right_given_back_works_again(here: Station) -> None:
    here.lab.deny_bot(here.channel, "send_messages")
    await here.told()
    await refused(here.platform.send(here.address(), said("x"), MARKER))
    here.lab.set_permissions(here.channel, here.lab.bot_user)
    await here.told()
    assert await here.platform.missing_rights(here.address()) == ()
    await here.platform.send(here.address(), said("x"), MARKER)


@pytest.mark.parametrize("waiting", [True, False])
async def test_a_bot_that_was_kicked_is_removed(here: Station, waiting: bool) -> None:
    sent = await here.platform.send(here.address(), said("x"), MARKER)
    here.lab.remove_bot(here.guild)
    if waiting:
        await here.lab.wait_for(lambda: here.connection.client.get_guild(here.guild.id) is None)
    for attempt in (
        here.platform.send(here.address(), said("x"), "b" * 16),
        here.platform.edit(here.address(), sent.message_id, said("y")),
    ):
        assert (await refused(attempt)).reason == "removed"


async def test_a_channel_that_was_deleted_is_gone(here: Station) -> None:
    to, missing = here.address(), Address(9, "discord", str(here.guild.id), "12345")
    here.lab.delete_channel(here.channel)
    for address in (to, missing):
        assert (await refused(here.platform.send(address, said("x"), MARKER))).reason == "gone"
    await here.told()
    assert await here.platform.missing_rights(to) == ("view_channel",)


async def test_a_channel_the_bot_cannot_see_is_named_so(here: Station) -> None:
    here.lab.deny_bot(here.channel, "view_channel", "send_messages")
    await here.told()
    assert await here.platform.missing_rights(here.address()) == ("view_channel",)


@pytest.mark.parametrize("cached", [True, False])
async def test_a_channel_of_another_server_is_none_of_this_one(here: Station, cached: bool) -> None:
    other = here.lab.create_guild("Strangers")
    room = here.lab.create_channel(other, "elsewhere")
    thread = here.lab.open_thread(room, here.lab.users[other.owner_id], "a talk")
    await here.lab.wait_for(lambda: here.connection.channel(str(thread.id)), 5, "the other server")
    if not cached:
        here.lab.set_thread(thread, archived=True)
        await here.lab.wait_for(lambda: not here.connection.channel(str(thread.id)), 5, "its end")
    for channel in (room, thread):
        assert await here.platform.missing_rights(here.address(channel)) == ("view_channel",)


async def test_a_crowd_is_no_burden(here: Station) -> None:
    assert here.lab.crowd(here.guild, 10_000) > 10_000
    await here.platform.send(here.address(), said("Hello"), MARKER)
    assert len(here.connection.client.get_guild(here.guild.id).members) == 1  # type: ignore[union-attr]


async def test_two_posts_at_once_do_not_disturb_each_other(here: Station) -> None:
    await asyncio.gather(
        *(here.platform.send(here.address(), said(f"{n}"), f"{n}" * 16) for n in range(8)),
    )
    assert sorted(here.shown()) == [str(n) for n in range(8)]


def test_every_right_has_a_name_and_a_purpose_in_every_language() -> None:
    for words in map(words_for, LANGUAGES):
        for right in RIGHTS:
            assert right_name(words, right) != right and right_purpose(words, right)
    assert {right for kind in NEEDED.values() for right in kind} | {"attach_files"} == set(RIGHTS)
    assert right_name(words_for("en"), "else") == "else" and right_purpose(words_for("en"), "else") == ""
