"""Slack as a platform: one post a marker, found again; edits, threads, private messages, what is in the way."""

from __future__ import annotations

import asyncio
import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.pace import Pace
from adapters.slack.platform import DELIVERY, SlackPlatform
from adapters.slack.scopes import METHODS, scopes
from bot.delivery.model import Sent, Thread
from bot.errors import DeliveryError, Refused, Uncertain
from bot.messages.model import ChannelRef, Reader
from bot.messages.pages.setup import rights_line, rights_page
from tests.lab.slack_lab import MARKER, Station, said, station


@pytest.fixture(params=["socket", "http"])
async def here(request: pytest.FixtureRequest) -> Any:
    async with station(http=request.param == "http") as found:
        yield found


async def refusal(work: Any) -> str:
    """The reason something is refused with."""
    with pytest.raises(DeliveryError) as told:
        await work
    assert isinstance(told.value, Refused)
    return told.value.reason


# ---- posting ----


async def test_a_message_is_posted_once_with_its_marker_in_the_metadata(here: Station) -> None:
    sent = await here.platform.send(here.address(), said("Paper of the day"), MARKER)
    (shown,) = here.messages()
    assert sent == Sent(shown.ts)
    assert shown.text == "Paper of the day"
    assert shown.metadata == {"event_type": DELIVERY, "event_payload": {"marker": MARKER}}
    body = here.calls("chat.postMessage")[0].body
    assert body["unfurl_links"] is body["unfurl_media"] is False
    assert here.lab.warnings == []


async def test_nobody_is_called_but_the_group_the_club_named_and_only_when_the_message_says_so(
    here: Station,
) -> None:
    group = here.lab.create_usergroup(here.team, "readers").id
    await here.platform.send(here.address(role=group), said("quiet"), MARKER)
    await here.platform.send(here.address(role=group), said("loud", notify=True), MARKER[::-1])
    await here.platform.send(here.address(), said("<!channel> & <@U1>", notify=True), "x" * 16)
    quiet, loud, rude = (str(each.blocks) for each in here.messages())
    assert group not in quiet and group in loud
    assert [each.pings for each in here.messages()] == [set(), {group}, set()]
    assert [f"<!subteam^{group}>" in each.text for each in here.messages()] == [False, True, False]
    assert "&lt;!channel&gt;" in here.messages()[2].text and "subteam" not in rude


@pytest.mark.parametrize(
    ("fault", "more"),
    [
        ("drop_after", {}),
        ("status_after", {"status": 502}),
        ("error", {"error": "internal_error"}),
        ("drop_before", {}),
        ("status", {"status": 503}),
    ],
)
async def test_an_answer_that_is_lost_leaves_one_post_and_it_is_found(fault: str, more: Any) -> None:
    async with station() as here:
        here.lab.add_fault(fault, "/chat.postMessage", **more)
        with pytest.raises(Uncertain):
            await here.platform.send(here.address(), said("once"), MARKER)
        assert len(here.calls("chat.postMessage")) == 1
        found = await here.platform.find_sent(here.address(), MARKER)
        stands = fault.endswith("_after")
        assert found == (Sent(here.messages()[0].ts) if stands else None)
        assert len(here.messages()) == stands


async def test_a_limit_is_told_with_its_wait_and_nothing_is_repeated(here: Station) -> None:
    here.lab.add_fault("rate_limit", "/chat.postMessage", retry_after=7)
    with pytest.raises(Refused) as told:
        await here.platform.send(here.address(), said("once"), MARKER)
    assert (told.value.reason, told.value.retry_after) == ("rate_limited", 7.0)
    assert len(here.calls("chat.postMessage")) == 1


async def test_an_answer_without_a_stamp_is_looked_up() -> None:
    async with station() as here:
        here.connection.call = _answer({})  # type: ignore[method-assign]
        with pytest.raises(Uncertain):
            await here.platform.send(here.address(), said("once"), MARKER)


def _answer(data: dict[str, Any]) -> Any:
    async def call(method: str, **params: Any) -> dict[str, Any]:
        return data

    return call


# ---- what is in the way ----


async def test_what_is_in_the_way_of_a_post_is_named(here: Station) -> None:
    send = here.platform.send
    closed, private, kicked = here.room("old"), here.room("secret", private=True), here.room("other")
    here.lab.archive(closed)
    here.lab.remove_bot(private)
    here.lab.remove_bot(kicked)
    for channel, reason, missing in (
        (closed, "archived", ("archived",)),
        (private, "not_in_channel", ("not_in_channel",)),
        (kicked, "not_in_channel", ("not_in_channel",)),
        (here.channel, "", ()),
    ):
        if reason:
            assert await refusal(send(here.address(channel), said("x"), MARKER)) == reason
        assert await here.platform.missing_rights(here.address(channel)) == missing
    assert await here.platform.missing_rights(here.address(person=here.member.id)) == ()


async def test_a_workspace_we_are_not_in_any_more_is_told_from_ours(here: Station) -> None:
    old = replace(here.address(), workspace="T0OLD")
    assert await refusal(here.platform.send(old, said("x"), MARKER)) == "removed"
    assert await refusal(here.platform.edit(old, "1.1", said("x"))) == "removed"
    assert await refusal(here.platform.find_sent(old, MARKER)) == "removed"
    assert await refusal(here.platform.missing_rights(old)) == "removed"
    assert here.messages() == []


async def test_what_could_not_be_asked_is_no_missing_right(here: Station) -> None:
    here.lab.add_fault("status", "/conversations.info", status=502)
    with pytest.raises(Uncertain):
        await here.platform.missing_rights(here.address())


def test_what_helps_is_an_invitation() -> None:
    reader = Reader("en", "UTC", datetime(2026, 11, 30, tzinfo=UTC))
    page = rights_page(reader, ChannelRef("C1", "papers"), ("not_in_channel",), "again")
    assert "/invite @Paperclub" in repr(page)
    assert "/invite @Paperclub" in rights_line(reader, ("not_in_channel",))
    assert "archived" in rights_line(reader, ("archived",))


async def test_a_revoked_token_refuses_and_the_connection_hears_of_it() -> None:
    async with station() as here:
        here.lab.add_fault("error", "/chat.postMessage", error="token_revoked")
        assert await refusal(here.platform.send(here.address(), said("x"), MARKER)) == "unauthorised"
        assert here.connection._refused.is_set()
        here.connection._refused.clear()


# ---- looking up ----


async def test_a_message_is_found_among_many_and_on_later_pages(here: Station) -> None:
    await here.platform.send(here.address(), said("first"), MARKER)
    for number in range(230):
        here.lab.store(here.channel, text=f"talk {number}", blocks=[], user=here.member.id)
    found = await here.platform.find_sent(here.address(), MARKER)
    assert found == Sent(here.messages()[0].ts)
    assert len(here.calls("conversations.history")) == 2
    assert await here.platform.find_sent(here.address(), MARKER[::-1]) is None


async def test_what_others_posted_with_our_marker_is_not_ours(here: Station) -> None:
    stolen = {"event_type": DELIVERY, "event_payload": {"marker": MARKER}}
    here.lab.store(here.channel, text="stolen", blocks=[], user=here.member.id, metadata=stolen)
    assert await here.platform.find_sent(here.address(), MARKER) is None


async def test_what_is_older_than_the_window_is_not_looked_through() -> None:
    async with station() as here:
        await here.platform.send(here.address(), said("old"), MARKER)
        later = SlackPlatform(here.connection, lambda: datetime.now(UTC) + timedelta(days=4))
        assert await later.find_sent(here.address(), MARKER) is None


async def test_a_history_that_is_too_long_leaves_the_doubt() -> None:
    async with station() as here:
        for number in range(2_001):
            here.lab.store(here.channel, text=str(number), blocks=[], user=here.member.id)
        with pytest.raises(Uncertain):
            await here.platform.find_sent(here.address(), MARKER)


async def test_where_we_may_not_look_nothing_is_said_about_the_message(here: Station) -> None:
    here.lab.remove_bot(here.channel)
    with pytest.raises(DeliveryError):
        await here.platform.find_sent(here.address(), MARKER)


# ---- changing ----


async def test_a_message_is_replaced_whole_and_keeps_its_marker(here: Station) -> None:
    sent = await here.platform.send(here.address(), said("before"), MARKER)
    await here.platform.edit(here.address(), sent.message_id, said("after"))
    (shown,) = here.messages()
    assert shown.text == "after" and "after" in shown.shown and shown.blocks
    assert await here.platform.find_sent(here.address(), MARKER) == sent


async def test_a_deleted_message_is_gone_for_an_edit_and_well_for_a_removal(here: Station) -> None:
    sent = await here.platform.send(here.address(), said("x"), MARKER)
    await here.platform.remove(here.address(), sent.message_id)
    assert here.messages() == []
    await here.platform.remove(here.address(), sent.message_id)
    assert await refusal(here.platform.edit(here.address(), sent.message_id, said("y"))) == "gone"


async def test_a_stamp_keeps_its_last_zeros(here: Station) -> None:
    seconds = itertools.count(1_764_500_000)
    here.lab.ts = lambda: f"{next(seconds)}.100000"  # type: ignore[method-assign]
    sent = await here.platform.send(here.address(), said("x"), MARKER)
    assert sent.message_id in here.channel.messages and sent.message_id.endswith(".100000")
    await here.platform.edit(here.address(), sent.message_id, said("y"))
    assert here.shown() == ["y"]


# ---- threads and private messages ----


async def test_a_thread_hangs_from_its_message_and_its_posts_are_found_there(here: Station) -> None:
    paper = await here.platform.send(here.address(), said("paper"), MARKER)
    thread = Thread(paper.message_id, "paper")
    reply = await here.platform.send(here.address(), said("discuss"), MARKER[::-1], thread)
    assert here.shown() == ["paper"]
    (shown,) = here.lab.messages(here.channel, thread_ts=paper.message_id)
    assert (shown.ts, shown.text) == (reply.message_id, "discuss")
    assert await here.platform.find_sent(here.address(), MARKER[::-1], thread) == reply
    assert await here.platform.find_sent(here.address(), MARKER[::-1]) is None
    assert await here.platform.find_sent(here.address(), "x" * 16, thread) is None
    await here.platform.edit(here.address(), reply.message_id, said("decided"))
    assert shown.text == "decided"
    below = await here.platform.send(here.address(), said("more"), "y" * 16, Thread(reply.message_id, ""))
    assert here.channel.messages[below.message_id].thread_ts == paper.message_id


async def test_below_a_deleted_message_nothing_is_posted(here: Station) -> None:
    paper = await here.platform.send(here.address(), said("paper"), MARKER)
    await here.platform.remove(here.address(), paper.message_id)
    thread = Thread(paper.message_id, "paper")
    assert await refusal(here.platform.send(here.address(), said("x"), MARKER[::-1], thread)) == "gone"
    assert await here.platform.find_sent(here.address(), MARKER[::-1], thread) is None
    assert here.messages() == []


async def test_below_a_stone_for_a_deleted_message_nothing_is_posted() -> None:
    async with station() as here:
        here.connection.call = _answer({"messages": [{"subtype": "tombstone", "ts": "1.1"}]})  # type: ignore[method-assign]
        assert (
            await refusal(here.platform.send(here.address(), said("x"), MARKER, Thread("1.1", ""))) == "gone"
        )


async def test_a_private_message_can_be_found_and_changed_by_its_id(here: Station) -> None:
    to = here.address(person=here.member.id)
    sent = await here.platform.send(to, said("for you"), MARKER)
    room = here.lab.dm(here.member)
    assert sent == Sent(f"{room.id}/{here.messages(room)[0].ts}")
    assert await here.platform.find_sent(to, MARKER) == sent
    await here.platform.edit(to, sent.message_id, said("for you alone"))
    assert here.shown(room) == ["for you alone"]
    await here.platform.remove(to, sent.message_id)
    assert here.messages(room) == [] == here.messages()
    assert len(here.calls("conversations.open")) == 1


async def test_who_takes_no_private_messages_is_closed(here: Station) -> None:
    here.lab.dm_closed.add(here.member.id)
    for person in (here.member.id, here.team.bot_user, "U404"):
        to = here.address(person=person)
        assert await refusal(here.platform.send(to, said("x"), MARKER)) == "closed"


# ---- the pace ----


class Slow:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.turns: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_a_workspace_sees_at_most_forty_changes_in_any_minute() -> None:
    slow = Slow()
    pace = Pace(slow.clock, slow.sleep)
    for _ in range(200):
        await pace.turn()
        slow.turns.append(slow.now)
    assert slow.turns[9] == 100.0
    most = max(sum(1 for each in slow.turns if start <= each < start + 60) for start in slow.turns)
    assert most <= 40
    slow.now += 3_600
    for _ in range(10):
        await pace.turn()
    assert slow.now == slow.turns[-1] + 3_600


async def test_who_would_wait_too_long_is_told_how_long_and_uses_no_turn() -> None:
    slow = Slow()
    waited: list[float] = []

    async def never(seconds: float) -> None:
        waited.append(seconds)

    pace = Pace(slow.clock, never)
    for _ in range(15):
        await pace.turn()
    assert waited == [2.0, 4.0, 6.0, 8.0, 10.0]
    for _ in range(2):
        with pytest.raises(Refused) as told:
            await pace.turn()
        assert (told.value.reason, told.value.retry_after) == ("rate_limited", 12.0)


async def test_one_poll_redrawn_at_its_spacing_never_waits() -> None:
    slow = Slow()
    pace = Pace(slow.clock, slow.sleep)
    async with station() as here:
        platform = SlackPlatform(here.connection, pace=pace)
        spacing = platform.spacing(timedelta(hours=2))
    for number in range(100):
        slow.now = 100.0 + number * spacing
        await pace.turn()
        assert slow.now == 100.0 + number * spacing


async def test_edits_share_the_pace_of_their_workspace() -> None:
    async with station() as here:
        slow = Slow()
        platform = SlackPlatform(here.connection, pace=Pace(slow.clock, slow.sleep))
        sent = await platform.send(here.address(), said("0"), MARKER)
        await asyncio.gather(
            *(platform.edit(here.address(), sent.message_id, said(str(number))) for number in range(12))
        )
        assert slow.now > 100.0
        assert len(here.calls("chat.update")) == 12


# ---- scopes ----


def test_every_method_that_is_called_has_its_scopes_and_no_other_is_asked_for() -> None:
    called: set[str] = set()
    for path in (Path(__file__).parents[2] / "adapters/slack").glob("*.py"):
        if path.name != "scopes.py":
            called |= set(re.findall(r'"((?:[a-z]+\.){1,3}[a-zA-Z]+)"', path.read_text("utf-8")))
    families = {name.partition(".")[0] for name in METHODS}
    called = {name for name in called if name.partition(".")[0] in families}
    assert called == set(METHODS)
    assert "chat:write.public" not in scopes()
