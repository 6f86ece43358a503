"""What the preview keeps, who sees it, and what the core may rely on when it posts there."""

from datetime import UTC, datetime

import pytest

from adapters.preview import open_preview
from adapters.preview.client import Preview
from adapters.preview.errors import HoldsRealChannels
from bot.delivery.model import Address, Sent, Thread
from bot.errors import Refused, StoreError, Uncertain
from bot.messages.model import Form, Heading, Kicker, Message, TextField
from bot.storage.database import Database

NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
TO = Address(1, "preview", "demo", "papers", "papers")


def page(text: str) -> Message:
    return Message(text, (Heading((text,)),))


@pytest.fixture
async def preview(database: Database) -> Preview:
    return await open_preview(database)


async def test_the_same_marker_posts_once(preview: Preview) -> None:
    first = await preview.platform.send(TO, page("a"), "m1")
    assert await preview.platform.send(TO, page("b"), "m1") == first
    lines = await preview.store.latest("papers", "member-1", 10)
    assert [line.content for line in lines] == [page("a")]


async def test_a_post_is_found_by_its_marker_in_its_channel(preview: Preview) -> None:
    sent = await preview.platform.send(TO, page("a"), "m1")
    elsewhere = Address(2, "preview", "demo", "talk", "talk")
    assert await preview.platform.find_sent(TO, "m1") == sent
    assert await preview.platform.find_sent(TO, "m2") is None
    assert await preview.platform.find_sent(elsewhere, "m1") is None


async def test_an_edit_replaces_in_place(preview: Preview) -> None:
    sent = await preview.platform.send(TO, page("a"), "m1")
    await preview.platform.send(TO, page("later"), "m2")
    await preview.platform.edit(TO, sent.message_id, page("b"))
    lines = await preview.store.latest("papers", "member-1", 10)
    assert [line.content for line in lines] == [page("b"), page("later")]
    assert lines[0].edited_at is not None and lines[1].edited_at is None


@pytest.mark.parametrize("message_id", ["99", "x", "", "-1"])
async def test_an_edit_of_what_is_gone_is_refused(preview: Preview, message_id: str) -> None:
    with pytest.raises(Refused, match="gone"):
        await preview.platform.edit(TO, message_id, page("b"))


async def test_what_belongs_in_a_thread_says_what_it_hangs_from(preview: Preview) -> None:
    result = Message("Winner: a", (Kicker("Result"), Heading(("a",))))
    sent = await preview.platform.send(TO, result, "m1")
    await preview.platform.send(TO, page("b"), "m2", Thread(sent.message_id, "Discussion of a"))
    lines = await preview.store.latest("papers", "member-1", 10)
    assert [(line.content, line.answering) for line in lines] == [
        (result, ""), (page("b"), "Result"),
    ]  # fmt: skip
    await preview.platform.remove(TO, sent.message_id)
    with pytest.raises(Refused, match="gone"):
        await preview.platform.send(TO, page("c"), "m3", Thread(sent.message_id, "Discussion of a"))


async def test_a_removed_message_is_gone_for_good(preview: Preview) -> None:
    sent = await preview.platform.send(TO, page("a"), "m1")
    await preview.store.take_back(int(sent.message_id))
    assert await preview.platform.find_sent(TO, "m1") is None
    with pytest.raises(Refused, match="gone"):
        await preview.platform.edit(TO, sent.message_id, page("b"))


async def test_a_failing_store_is_refused_on_send_and_unsure_on_look_up(
    preview: Preview, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> Sent:
        raise StoreError("x.db", "disk full")

    monkeypatch.setattr(preview.store, "put", fail)
    monkeypatch.setattr(preview.store, "find_marker", fail)
    with pytest.raises(Refused):
        await preview.platform.send(TO, page("a"), "m1")
    with pytest.raises(Uncertain):
        await preview.platform.find_sent(TO, "m1")


async def test_a_private_answer_is_seen_by_its_member_alone(preview: Preview) -> None:
    await preview.store.put("papers", page("for two"), NOW, private_to="member-2")
    await preview.store.put("papers", "hello", NOW, author="member-1")
    seen = {
        who: [line.content for line in await preview.store.latest("papers", who, 9)]
        for who in ("member-1", "member-2")
    }
    assert seen == {"member-1": ["hello"], "member-2": [page("for two"), "hello"]}
    assert [line.content for line in await preview.store.news("papers", "member-1", 0)] == ["hello"]
    assert await preview.store.latest("talk", "member-2", 9) == []


async def test_news_are_what_is_new_changed_or_taken_back(preview: Preview) -> None:
    first = await preview.store.put("papers", page("a"), NOW)
    second = await preview.store.put("papers", page("b"), NOW)
    seen = await preview.store.revision()
    assert await preview.store.news("papers", "member-1", seen) == []
    await preview.store.replace(first, page("c"), NOW)
    await preview.store.take_back(second)
    third = await preview.store.put("papers", page("d"), NOW)
    news = await preview.store.news("papers", "member-1", seen)
    assert [(line.id, line.kind) for line in news] == [
        (first, "message"),
        (second, "gone"),
        (third, "message"),
    ]


async def test_everything_said_is_there_after_opening_again(preview: Preview) -> None:
    form = Form("f", "Title", "Send", (TextField("a", "A", "typed"),))
    await preview.store.put("papers", form, NOW, private_to="member-2", answering="/paper vote", came_from=3)
    again = await open_preview(preview.database)
    (line,) = await again.store.latest("papers", "member-2", 9)
    assert (line.content, line.at, line.private_to, line.answering, line.came_from) == (
        form,
        NOW,
        "member-2",
        "/paper vote",
        3,
    )


async def test_listeners_hear_of_posts_until_they_leave(preview: Preview) -> None:
    heard: list[int] = []
    leave = preview.listen(lambda: heard.append(1))
    await preview.platform.send(TO, page("a"), "m1")
    leave()
    await preview.platform.send(TO, page("b"), "m2")
    assert heard == [1]


@pytest.mark.parametrize("platform", ["discord", "slack"])
async def test_a_database_of_a_real_platform_is_refused_unchanged(database: Database, platform: str) -> None:
    await database.write(
        lambda tx: tx.run(
            "INSERT INTO club (id, name, language, zone, salt, settings, created_at) "
            "VALUES (1, 'Club', 'en', 'UTC', '', '{}', 0)"
        )
    )
    await database.write(
        lambda tx: tx.run(
            "INSERT INTO channel (club_id, platform, native_id, created_at) VALUES (1, :platform, '1', 0)",
            platform=platform,
        )
    )
    with pytest.raises(HoldsRealChannels):
        await open_preview(database)
    with pytest.raises(StoreError):
        await database.read(lambda tx: tx.rows("SELECT * FROM preview_message"))
