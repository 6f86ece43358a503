"""Nothing twice, nothing lost: one message to one place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from bot.clubs.model import Account, Club
from bot.delivery.model import Address, Delivery, Sent, Thread, marker_of
from bot.delivery.planning import plan_deliveries, plan_private
from bot.delivery.service import LEASE, REST, DeliveryService, retry_wait
from bot.errors import Refused
from bot.messages.model import Message
from bot.storage import clubs, members
from bot.storage import deliveries as store
from bot.storage.database import Database, Tx
from bot.storage.troubles import organisers_to_tell
from tests.lab.fakeplatform import FakePlatform, Fault
from tests.lab.stage import hours, plain, stage_club, states

NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def platform(tmp_path: Path) -> FakePlatform:
    return FakePlatform(tmp_path / "platform.jsonl")


@pytest.fixture
async def club(database: Database) -> Club:
    return await database.write(lambda tx: stage_club(tx, NOW - timedelta(days=1), channels=2))


def service(database: Database, platform: FakePlatform, process: str = "one") -> DeliveryService:
    return DeliveryService(database, {platform.name: platform}, plain, process)


EDIT = {"op": "edit", "kind": "daily", "subject": "2026-11-30"}


async def plan(
    database: Database,
    club: Club,
    subject: str = "2026-11-30",
    kind: str = "daily",
    payload: dict[str, str] | None = None,
) -> None:
    await database.write(
        lambda tx: plan_deliveries(tx, club.id, kind, subject, NOW, NOW + hours(12), payload)
    )


def faults(*wanted: Fault) -> Callable[[str, Address, str], Fault]:
    """The faults of the next sends and edits, in order; then all goes well."""
    left = list(wanted)
    return lambda verb, to, marker: left.pop(0) if left and verb != "find" else None


async def found(database: Database, club: Club, subject: str = "2026-11-30") -> list[tuple[str, str]]:
    return await database.read(lambda tx: states(tx, club, subject))


async def test_every_channel_gets_the_message_once(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    await plan(database, club)
    sender = service(database, platform)
    assert await sender.send_due(NOW) == 2
    assert await sender.send_due(NOW + SECOND) == 0
    await plan(database, club)
    assert await sender.send_due(NOW + hours(1)) == 0
    assert set(platform.posts().values()) == {1}
    rows = await database.read(lambda tx: store.list_deliveries(tx, club.id, "daily", "2026-11-30"))
    assert {row.message_id for row in rows} == {held.id for held in platform.held()}
    assert all(row.sent_at is not None and NOW <= row.sent_at < NOW + SECOND * 20 for row in rows)


async def test_a_refused_message_is_tried_again_by_the_plan(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    platform.fault = lambda verb, to, marker: "refuse" if to.native_id.endswith("-2") else None
    sender = service(database, platform)
    tries = []
    moment = NOW
    while moment < NOW + hours(4):
        before = await _attempts(database, club)
        await sender.send_due(moment)
        if await _attempts(database, club) != before:
            tries.append(round((moment - NOW) / timedelta(minutes=1)))
        moment += timedelta(minutes=1)
    # A minute may be added each time, since a try comes a moment after the minute it was planned for.
    waits = [later - earlier for earlier, later in pairwise(tries)]
    assert waits[0] in (1, 2)
    assert waits[1] in (5, 6)
    assert waits[2] in (15, 16)
    assert all(wait in (60, 61) for wait in waits[3:])
    assert len(waits) >= 5
    assert await found(database, club) == [("sent", ""), ("due", "forbidden")]
    await sender.send_due(NOW + hours(12))
    assert await found(database, club) == [("sent", ""), ("missed", "forbidden")]


async def _attempts(database: Database, club: Club) -> int:
    rows = await database.read(lambda tx: store.list_deliveries(tx, club.id, "daily", "2026-11-30"))
    return sum(row.attempts for row in rows)


async def test_the_wait_a_platform_names_is_kept(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    platform.fault, platform.retry_after = faults("refuse", "refuse"), 600.0
    platform.reason = "rate_limited"
    sender = service(database, platform)
    await sender.send_due(NOW)
    assert await sender.send_due(NOW + timedelta(seconds=599)) == 0
    assert await sender.send_due(NOW + timedelta(seconds=620)) == 2


@pytest.mark.parametrize(("fault", "sends_again"), [("lose", 0), ("drop", 2)])
async def test_a_lost_answer_is_looked_up_before_sending_again(
    database: Database, platform: FakePlatform, club: Club, fault: Fault, sends_again: int
) -> None:
    await plan(database, club)
    platform.fault = faults(fault, fault)
    sender = service(database, platform)
    assert await sender.send_due(NOW) == 0
    assert await found(database, club) == [("uncertain", "network")] * 2
    assert await sender.send_due(NOW + SECOND) == 0
    assert await sender.send_due(NOW + REST + 5 * SECOND) == sends_again
    assert await found(database, club) == [("sent", "")] * 2
    assert sorted(platform.posts().values()) == [1, 1]


async def test_while_the_platform_cannot_be_asked_nothing_is_sent_again(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    platform.fault = faults("lose", "lose")
    sender = service(database, platform)
    await sender.send_due(NOW)
    platform.fault = lambda verb, to, marker: "drop"
    for minutes in (1, 3, 60, 600, 800):
        assert await sender.send_due(NOW + timedelta(minutes=minutes)) == 0
    assert await found(database, club) == [("uncertain", "network")] * 2
    platform.fault = faults()
    await sender.send_due(NOW + hours(20))
    assert await found(database, club) == [("sent", "")] * 2
    assert sorted(platform.posts().values()) == [1, 1]


async def test_what_can_never_be_looked_up_is_given_up_with_its_reason(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    platform.fault = lambda verb, to, marker: "drop"
    sender = service(database, platform)
    await sender.send_due(NOW)
    await sender.send_due(NOW + hours(37))
    assert await found(database, club) == [("missed", "unsure")] * 2


async def test_an_error_nobody_foresaw_is_looked_up_too(
    database: Database, platform: FakePlatform, club: Club, caplog: pytest.LogCaptureFixture
) -> None:
    await plan(database, club)
    platform.fault = faults("crash")
    sender = service(database, platform)
    assert await sender.send_due(NOW) == 1
    assert "something nobody foresaw" in caplog.text
    assert await sender.send_due(NOW + 2 * REST) == 1
    assert sorted(platform.posts().values()) == [1, 1]


async def test_a_page_that_fails_sends_nothing_and_stops_nobody(
    database: Database, platform: FakePlatform, club: Club, caplog: pytest.LogCaptureFixture
) -> None:
    async def render(delivery: Delivery) -> Message | None:
        if delivery.address.native_id.endswith("-1"):
            raise KeyError("on purpose")
        return await plain(delivery)

    await plan(database, club)
    sender = DeliveryService(database, {"preview": platform}, render, "one")
    assert await sender.send_due(NOW) == 1
    assert await found(database, club) == [("due", "fault"), ("sent", "")]
    assert "on purpose" in caplog.text


async def test_a_page_with_nothing_to_say_is_recorded(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    async def render(delivery: Delivery) -> Message | None:
        return None

    await plan(database, club)
    assert await DeliveryService(database, {"preview": platform}, render, "one").send_due(NOW) == 0
    assert await found(database, club) == [("missed", "nothing")] * 2
    assert platform.held() == []


async def test_a_claim_of_a_dead_process_is_looked_up_and_not_repeated(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)

    def die(tx: Tx) -> Delivery | None:
        store.claim_delivery(tx, "preview", "dead", due=NOW, at=NOW)
        return store.claim_delivery(tx, "preview", "dead", due=NOW, at=NOW)

    last = await database.write(die)
    assert last is not None
    await platform.send(last.address, Message("daily 2026-11-30", ()), last.marker)
    sender = service(database, platform, "two")
    await sender.send_due(NOW + LEASE - SECOND)
    assert await found(database, club) == [("claimed", "")] * 2
    await sender.send_due(NOW + LEASE + SECOND)
    assert await found(database, club) == [("uncertain", "interrupted")] * 2
    await sender.send_due(NOW + LEASE + SECOND + REST)
    assert await found(database, club) == [("sent", "")] * 2
    assert sorted(platform.posts().values()) == [1, 1]


async def test_the_only_process_does_not_wait_for_the_lease_of_a_dead_one(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    await database.write(lambda tx: store.claim_delivery(tx, "preview", "dead", due=NOW, at=NOW))
    sender = service(database, platform, "two")
    assert await sender.adopt(NOW + SECOND) == 1
    assert await sender.send_due(NOW + SECOND) == 1
    assert await sender.send_due(NOW + REST + SECOND) == 1
    assert sorted(platform.posts().values()) == [1, 1]


async def test_a_clock_set_back_leaves_no_claim_waiting(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    ahead = NOW + hours(48)
    await database.write(lambda tx: store.claim_delivery(tx, "preview", "dead", due=NOW, at=ahead))
    sender = service(database, platform, "two")
    for seconds in (1, 12):
        await sender.send_due(NOW + seconds * SECOND)
    assert await found(database, club) == [("sent", "")] * 2


async def test_two_processes_on_one_store_send_once(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    for day in range(1, 21):
        await plan(database, club, f"2026-11-{day:02}")
    senders = [service(database, platform, process) for process in ("one", "two", "three")]
    assert sum(await asyncio.gather(*(sender.send_due(NOW) for sender in senders))) == 40
    assert len(platform.held()) == 40
    assert set(platform.posts().values()) == {1}


async def test_a_channel_gets_its_messages_one_at_a_time_longest_due_first(
    database: Database, tmp_path: Path, club: Club
) -> None:
    running: set[str] = set()

    class Slow(FakePlatform):
        async def send(
            self, to: Address, message: Message, marker: str, thread: Thread | None = None
        ) -> Sent:
            assert to.native_id not in running
            running.add(to.native_id)
            await asyncio.sleep(0.01)
            running.discard(to.native_id)
            return await super().send(to, message, marker, thread)

    platform = Slow(tmp_path / "slow.jsonl")
    for hour in (3, 1, 2):
        await database.write(
            lambda tx, hour=hour: plan_deliveries(  # type: ignore[misc]
                tx, club.id, "daily", str(hour), NOW, NOW + hours(12), due=NOW - hours(4 - hour)
            )
        )
    assert await service(database, platform).send_due(NOW) == 6
    for channel in club.channels:
        texts = [held.text for held in platform.held() if held.channel == channel.native_id]
        assert texts == ["daily 1", "daily 2", "daily 3"]


async def test_a_platform_that_hangs_keeps_no_other_waiting(database: Database, tmp_path: Path) -> None:
    async def never(verb: str) -> None:
        await asyncio.Event().wait()

    class Hanging(FakePlatform):
        async def send(
            self, to: Address, message: Message, marker: str, thread: Thread | None = None
        ) -> Sent:
            await never("send")
            return Sent("")

    quick = FakePlatform(tmp_path / "quick.jsonl", "preview")
    hanging = Hanging(tmp_path / "hanging.jsonl", "slack")
    one = await database.write(lambda tx: stage_club(tx, NOW, channels=3))
    two = await database.write(lambda tx: stage_club(tx, NOW, channels=20, platform="slack"))
    await plan(database, two)
    await plan(database, one)
    sender = DeliveryService(database, {"preview": quick, "slack": hanging}, plain, "one")
    sending = asyncio.create_task(sender.send_due(NOW))
    async with asyncio.timeout(5):
        while len(quick.held()) < 3:  # noqa: ASYNC110  a file is watched
            await asyncio.sleep(0.01)
    await sender.stop(timeout=0.1)
    await sending
    outcome = await found(database, two)
    assert sorted(set(outcome)) == [("due", ""), ("uncertain", "stopped")]
    assert outcome.count(("uncertain", "stopped")) == 8


async def test_a_channel_that_hangs_keeps_no_other_of_its_platform_waiting(
    database: Database, tmp_path: Path, club: Club
) -> None:
    class Stuck(FakePlatform):
        hanging = 0

        async def send(
            self, to: Address, message: Message, marker: str, thread: Thread | None = None
        ) -> Sent:
            if to.native_id.endswith("-1"):
                self.hanging += 1
                await asyncio.Event().wait()
            return await super().send(to, message, marker, thread)

    platform = Stuck(tmp_path / "stuck.jsonl")
    sender = DeliveryService(database, {"preview": platform}, plain, "one", width=2)
    for day in range(1, 6):
        await plan(database, club, f"2026-11-0{day}")
        await sender.begin(NOW + day * SECOND)
        async with asyncio.timeout(5):
            while len(platform.held()) < day:  # noqa: ASYNC110  a file is watched
                await asyncio.sleep(0.01)
    assert platform.hanging == 1
    await sender.begin(NOW + 2 * LEASE)  # what is being sent is not doubted by whoever sends it
    assert await found(database, club, "2026-11-01") == [("claimed", ""), ("sent", "")]
    await sender.stop(timeout=0.1)
    await sender.quiet(1)
    assert await found(database, club, "2026-11-01") == [("uncertain", "stopped"), ("sent", "")]
    assert await found(database, club, "2026-11-02") == [("due", ""), ("sent", "")]


async def test_an_edit_replaces_the_message_and_is_made_again_when_unsure(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    sender = service(database, platform)
    await sender.send_due(NOW)
    await plan(database, club, "2026-11-30:removed", "note", EDIT)
    platform.fault = faults("lose", "drop")
    assert await sender.send_due(NOW + SECOND) == 0
    assert await sender.send_due(NOW + timedelta(minutes=2)) == 2
    assert [held.text for held in platform.held()] == ["note 2026-11-30:removed"] * 2


async def test_an_edit_waits_until_its_message_stands(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club, "later", "note", EDIT)
    sender = service(database, platform)
    assert await sender.send_due(NOW) == 0
    await plan(database, club)
    await sender.send_due(NOW + SECOND)
    assert await sender.send_due(NOW + timedelta(minutes=2)) == 2
    assert len(platform.held()) == 2


async def test_an_edit_of_a_deleted_message_is_given_up(
    database: Database, platform: FakePlatform, club: Club, tmp_path: Path
) -> None:
    await plan(database, club)
    await service(database, platform).send_due(NOW)
    await plan(database, club, "later", "note", EDIT)
    (tmp_path / "platform.jsonl").unlink()
    await service(database, platform).send_due(NOW)
    rows = await database.read(lambda tx: states(tx, club, "later", "note"))
    assert rows == [("missed", "gone")] * 2


async def test_a_channel_that_was_left_gets_nothing_more(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    await database.write(lambda tx: clubs.leave_channel(tx, club.id, club.channels[0].id, NOW))
    assert await service(database, platform).send_due(NOW + SECOND) == 1
    await service(database, platform).send_due(NOW + 2 * SECOND)
    assert await found(database, club) == [("missed", "left"), ("sent", "")]


async def test_a_platform_that_is_not_connected_keeps_its_messages_until_they_are_too_late(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    alone = DeliveryService(database, {}, plain, "one")
    assert await alone.send_due(NOW) == 0
    assert await found(database, club) == [("due", "")] * 2
    await alone.send_due(NOW + hours(12))
    assert await found(database, club) == [("missed", "late")] * 2


async def test_after_stopping_nothing_is_claimed(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club)
    sender = service(database, platform)
    await sender.stop()
    assert await sender.send_due(NOW) == 0
    assert await found(database, club) == [("due", "")] * 2


async def test_a_word_that_comes_late_changes_nothing_of_a_later_attempt(
    database: Database, club: Club
) -> None:
    await plan(database, club)

    def race(tx: Tx) -> tuple[Delivery, Delivery]:
        first = store.claim_delivery(tx, "preview", "one", due=NOW, at=NOW)
        assert first is not None
        store.release_delivery(tx, first, NOW, "network")
        second = store.claim_delivery(tx, "preview", "two", due=NOW, at=NOW)
        assert second is not None and second.id == first.id
        assert not store.confirm_delivery(tx, first, "9", NOW)
        store.miss_delivery(tx, first, "late")
        return first, second

    await database.write(race)
    assert (await found(database, club))[0] == ("claimed", "network")


def test_the_marker_is_short_and_the_same_for_the_same_key() -> None:
    marker = marker_of(1, "daily", "2026-11-30", 2)
    assert marker == marker_of(1, "daily", "2026-11-30", 2)
    assert len(marker) == 16 and marker.isalnum()
    others = {marker_of(club, "daily", day, 2) for club in range(50) for day in ("2026-11-30", "2026-12-01")}
    assert len(others) == 100


def test_waits_grow_to_an_hour_and_stay_there() -> None:
    minutes = [retry_wait(attempts) // timedelta(minutes=1) for attempts in range(8)]
    assert minutes == [1, 1, 5, 15, 60, 60, 60, 60]


async def test_a_refusal_while_rendering_is_a_refusal(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    async def render(delivery: Delivery) -> Message | None:
        raise Refused("not_ready")

    await plan(database, club)
    await DeliveryService(database, {"preview": platform}, render, "one").send_due(NOW)
    assert await found(database, club) == [("due", "not_ready")] * 2


THREAD = {"op": "thread", "kind": "daily", "subject": "2026-11-30"}


async def test_a_thread_waits_for_its_message_and_is_not_opened_twice(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club, "talk", "thread", THREAD)
    sender = service(database, platform)
    assert await sender.send_due(NOW) == 0
    assert await database.read(lambda tx: states(tx, club, "talk", "thread")) == [("due", "not_posted")] * 2
    await plan(database, club)
    await sender.send_due(NOW + SECOND)
    platform.fault = faults("lose", "drop")
    await sender.send_due(NOW + timedelta(minutes=2))
    for seconds in (15, 30):
        await sender.send_due(NOW + timedelta(minutes=2, seconds=seconds))
    hung = {held.thread for held in platform.held() if held.text == "thread talk"}
    assert len(platform.held()) == 4 and hung == {h.id for h in platform.held() if not h.thread}


async def test_a_thread_follows_its_message_at_once_however_long_that_was_in_coming(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    await plan(database, club, "talk", "thread", THREAD)
    sender, now = service(database, platform), NOW
    for attempt in range(1, 4):
        await sender.send_due(now)
        now += retry_wait(attempt) + SECOND
    await sender.send_due(now)
    await plan(database, club)
    await sender.send_due(now + SECOND)
    await sender.send_due(now + 7 * SECOND)
    assert await database.read(lambda tx: states(tx, club, "talk", "thread")) == [("sent", "")] * 2


async def test_a_private_message_goes_to_each_person_once_also_when_the_channel_was_left(
    database: Database, platform: FakePlatform, club: Club
) -> None:
    channel = club.channels[0].id

    def tell(tx: Tx) -> None:
        people = [Account("preview", "", name) for name in ("u1", "u2")]
        for each in people:
            members.put_member(tx, club.id, each, each.user_id, True, NOW)
        accounts = organisers_to_tell(tx, club.id, channel)
        for _ in range(2):
            plan_private(tx, club.id, "word", "matter", channel, accounts, NOW, NOW + hours(12))
        clubs.leave_channel(tx, club.id, channel, NOW)

    await database.write(tell)
    assert await service(database, platform).send_due(NOW + SECOND) == 2
    assert sorted(held.person for held in platform.held()) == ["u1", "u2"]


async def test_the_log_hears_of_a_channel_once_a_day_however_often_it_is_tried(
    database: Database, platform: FakePlatform, club: Club, caplog: pytest.LogCaptureFixture
) -> None:
    await plan(database, club)
    platform.fault = lambda verb, to, marker: "refuse" if to.native_id.endswith("-2") else None
    sender = service(database, platform)
    for minutes in range(0, 300, 5):
        await sender.send_due(NOW + timedelta(minutes=minutes))
    assert [each.getMessage() for each in caplog.records if each.levelname == "WARNING"] == [
        "daily 2026-11-30 of club 1 to channel 2: forbidden"
    ]
