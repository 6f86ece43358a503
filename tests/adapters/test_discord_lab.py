"""The local Discord is as strict as the real one is said to be: what was added to it here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.lab.chatlab.fakediscord import Channel, FakeDiscord, Guild

V2 = 1 << 15
FORUM, PUBLIC_THREAD = 15, 11


class Raw:
    """The bot without any library."""

    def __init__(self, lab: FakeDiscord, session: aiohttp.ClientSession) -> None:
        self.lab = lab
        self.guild: Guild = lab.create_guild("Readers", bot_permissions=("view_channel",))
        self.channel: Channel = lab.create_channel(self.guild, "papers")
        self.session = session

    async def __call__(self, method: str, path: str, **body: Any) -> tuple[int, Any]:
        headers = {"Authorization": f"Bot {self.lab.token}"}
        url = self.lab.api_base + path
        async with self.session.request(method, url, json=body or None, headers=headers) as answer:
            return answer.status, await answer.json() if answer.status != 204 else None

    async def code(self, method: str, path: str, **body: Any) -> tuple[int, int]:
        status, answer = await self(method, path, **body)
        return status, answer.get("code", 0) if isinstance(answer, dict) else 0

    async def post(self, channel: Channel | None = None) -> int:
        status, answer = await self(
            "POST", f"/channels/{(channel or self.channel).id}/messages", **text("one")
        )
        assert status == 200, answer
        return int(answer["id"])


def text(words: str) -> dict[str, Any]:
    return {"flags": V2, "components": [{"type": 10, "content": words}]}


@pytest.fixture
async def raw() -> AsyncIterator[Raw]:
    async with FakeDiscord() as lab, aiohttp.ClientSession() as session:
        yield Raw(lab, session)
        assert lab.internal_errors == []


async def test_messages_older_than_an_hour_take_few_edits(raw: Raw) -> None:
    path = f"/channels/{raw.channel.id}/messages/{await raw.post()}"
    for _ in range(20):
        assert (await raw("PATCH", path, **text("two")))[0] == 200
    raw.lab.advance_clock(3600)
    most, seconds = raw.lab.old_edits or (0, 0)
    for _ in range(most):
        assert (await raw("PATCH", path, **text("three")))[0] == 200
    status, answer = await raw("PATCH", path, **text("four"))
    assert (status, answer["code"]) == (429, 30046) and 0 < answer["retry_after"] <= seconds
    young = f"/channels/{raw.channel.id}/messages/{await raw.post()}"
    assert (await raw("PATCH", young, **text("two")))[0] == 200
    raw.lab.advance_clock(seconds)
    assert (await raw("PATCH", path, **text("five")))[0] == 200


async def test_locked_threads_are_for_moderators(raw: Raw) -> None:
    thread = raw.lab.open_thread(raw.channel, raw.guild.owner_id, "room")
    messages = f"/channels/{thread.id}/messages"
    message = await raw.post(thread)
    raw.lab.set_thread(thread, locked=True)
    assert await raw.code("POST", messages, **text("no")) == (403, 160005)
    assert await raw.code("PATCH", f"{messages}/{message}", **text("no")) == (403, 160005)
    raw.lab.set_thread(thread, archived=True)
    assert await raw.code("PATCH", f"/channels/{thread.id}", archived=False) == (403, 50013)
    raw.lab.set_role(raw.guild, max(raw.guild.roles), ["view_channel", "manage_threads"])
    assert (await raw("POST", messages, **text("yes")))[0] == 200
    assert not thread.archived and thread.locked


async def test_archived_threads_are_opened_by_a_message_and_not_by_an_edit(raw: Raw) -> None:
    thread = raw.lab.open_thread(raw.channel, raw.guild.owner_id, "room")
    path = f"/channels/{thread.id}/messages/{await raw.post(thread)}"
    raw.lab.set_thread(thread, archived=True)
    assert await raw.code("PATCH", path, **text("no")) == (400, 50083)
    assert await raw.code("PATCH", f"/channels/{thread.id}", name="other") == (403, 50013)
    assert (await raw("PATCH", f"/channels/{thread.id}", archived=False))[0] == 200
    assert (await raw("PATCH", path, **text("yes")))[0] == 200
    raw.lab.set_thread(thread, archived=True)
    await raw.post(thread)
    assert not thread.archived


async def test_forums_take_posts_only_with_a_tag_if_they_want_one(raw: Raw) -> None:
    forum = raw.lab.create_channel(raw.guild, "forum", type=FORUM, tags=["papers"], require_tag=True)
    assert await raw.code("POST", f"/channels/{forum.id}/messages", **text("no")) == (400, 50008)
    path, post = f"/channels/{forum.id}/threads", {"name": "post", "message": text("yes")}
    assert await raw.code("POST", path, **post) == (400, 40067)
    post["applied_tags"] = [str(forum.id + 1)]
    assert await raw.code("POST", path, **{**post, "message": {**text("x"), "nonce": "1"}}) == (400, 50035)
    status, answer = await raw("POST", path, **post)
    assert status == 200 and answer["id"] == answer["message"]["id"] and answer["type"] == PUBLIC_THREAD
    raw.lab.set_permissions(forum, "@everyone", deny=["create_public_threads"])
    assert (await raw("POST", path, **post))[0] == 200
    raw.lab.set_permissions(forum, "@everyone", deny=["send_messages"])
    assert await raw.code("POST", path, **post) == (403, 50013)


async def test_a_history_that_may_not_be_read_is_empty_and_holds_no_nonces(raw: Raw) -> None:
    path = f"/channels/{raw.channel.id}/messages"
    _, made = await raw("POST", path, **text("one"), nonce="17", enforce_nonce=True)
    assert made["nonce"] == "17"
    (read,) = (await raw("GET", path))[1]
    assert read["id"] == made["id"] and "nonce" not in read
    raw.lab.deny_bot(raw.channel, "read_message_history")
    assert await raw("GET", path) == (200, [])


async def test_private_messages_need_a_server_in_common(raw: Raw) -> None:
    stranger, member = raw.lab.create_user("stranger"), raw.lab.create_user("member", guild=raw.guild)
    path = f"/channels/{raw.lab.dm(stranger).id}/messages"
    assert await raw.code("POST", path, **text("no")) == (403, 50278)
    assert (await raw("POST", f"/channels/{raw.lab.dm(member).id}/messages", **text("yes")))[0] == 200


async def test_a_channel_takes_its_threads_with_it(raw: Raw) -> None:
    thread = raw.lab.open_thread(raw.channel, raw.guild.owner_id, "room")
    raw.lab.delete_channel(raw.channel)
    assert await raw.code("GET", f"/channels/{thread.id}") == (404, 10003)
