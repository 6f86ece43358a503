"""A paper a day, on a real store, as the clock goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from bot.clubs.model import WEEKDAYS, Club, Settings
from bot.daily.model import EXTRA, NOTICE, Outcome
from bot.daily.notices import tell_given_up
from bot.daily.outcomes import outcomes
from bot.daily.service import DailyService, pick_for, picked, post_now, reset_slots
from bot.delivery.service import DeliveryService
from bot.errors import Conflict
from bot.storage import clubs, heartbeat, picks, slots
from bot.storage.database import Database, Tx
from bot.storage.deliveries import list_deliveries
from tests.lab.fakeplatform import FakePlatform
from tests.lab.stage import hours, plain, reload, stage_club, stage_papers, states

MONDAY = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
"""08:00 in Berlin; the daily paper is due at 09:00."""
EVERY_DAY = Settings(daily_days=WEEKDAYS)
TOPICS = [
    ("Theory", "Games"),
    ("Theory", "Games"),
    ("Optimization", None),
    (None, None),
    ("Deep Learning", "Theory"),
]


class House:
    """A store, a platform and the two services, with a clock moved by hand."""

    def __init__(self, database: Database, platform: FakePlatform) -> None:
        self.database = database
        self.platform = platform
        self.daily = DailyService(database)
        self.sender = DeliveryService(database, {"preview": platform}, plain, "one", given_up=tell_given_up)

    async def tick(self, now: datetime) -> None:
        await self.daily.due(now)
        await self.sender.send_due(now)

    async def run(self, start: datetime, end: datetime, step: timedelta = timedelta(minutes=30)) -> None:
        while start < end:
            await self.tick(start)
            start += step

    async def club(self, settings: Settings = EVERY_DAY, **more: object) -> Club:
        def make(tx: Tx) -> Club:
            club = stage_club(tx, MONDAY, settings=settings, **more)  # type: ignore[arg-type]
            reset_slots(tx, club, MONDAY)
            return club

        return await self.database.write(make)

    async def change(self, club: Club, now: datetime, **settings: object) -> Club:
        def fn(tx: Tx) -> Club:
            changed = replace(club, settings=replace(club.settings, **settings))  # type: ignore[arg-type]
            clubs.change_club(tx, changed)
            reset_slots(tx, changed, now)
            return changed

        return await self.database.write(fn)

    async def papers(
        self, topics: list[tuple[str | None, str | None]] = TOPICS * 4, club: int | None = None
    ) -> list[int]:
        return await self.database.write(lambda tx: stage_papers(tx, topics, MONDAY, club))

    async def why(self, club: Club, day: str, now: datetime) -> list[Outcome]:
        when = date.fromisoformat(day)
        return await self.database.read(lambda tx: outcomes(tx, reload(tx, club), when, now))

    def texts(self, kind: str = "") -> list[str]:
        return [held.text for held in self.platform.held() if held.text.startswith(kind)]


@pytest.fixture
def house(database: Database, tmp_path: Path) -> House:
    return House(database, FakePlatform(tmp_path / "platform.jsonl"))


def remove(paper: int, now: datetime = MONDAY) -> Callable[[Tx], int]:
    return lambda tx: tx.run("UPDATE paper SET removed_at = 1 WHERE id = :id", id=paper)


async def test_every_channel_gets_the_same_paper_once_a_day(house: House) -> None:
    await house.papers()
    club = await house.club(channels=3)
    await house.run(MONDAY, MONDAY + timedelta(days=2))
    assert house.platform.posts() == {
        (channel.native_id, f"daily 2026-{day}"): 1 for channel in club.channels for day in ("11-30", "12-01")
    }
    first = await house.database.read(lambda tx: picked(tx, club, "2026-11-30"))
    second = await house.database.read(lambda tx: picked(tx, club, "2026-12-01"))
    assert first is not None and second is not None
    assert first.paper_id != second.paper_id


async def test_a_post_is_due_on_the_clubs_weekdays_only(house: House) -> None:
    await house.papers()
    await house.club(Settings())
    await house.run(MONDAY + timedelta(days=4), MONDAY + timedelta(days=7, hours=2))
    assert house.texts("daily") == ["daily 2026-12-04", "daily 2026-12-07"]


async def test_asking_again_gives_the_same_paper(house: House) -> None:
    await house.papers()
    club = await house.club()
    first = await house.database.write(lambda tx: pick_for(tx, club, "2026-11-30", MONDAY))
    await house.papers([("Brand new", None)] * 5)
    assert await house.database.write(lambda tx: pick_for(tx, club, "2026-11-30", MONDAY + hours(5))) == first


async def test_a_short_absence_makes_the_post_late_not_lost(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.papers()
    club = await house.club()
    await house.tick(MONDAY + timedelta(minutes=58))
    with caplog.at_level(logging.INFO):
        await house.tick(MONDAY + timedelta(minutes=65))
    assert house.texts() == ["daily 2026-11-30"]
    assert [record.message for record in caplog.records if "late" in record.message] == [
        "club 1: the paper of 2026-11-30 is 0:05:00 late",
        "daily 2026-11-30 of club 1 to channel 1 went out 5 minutes late",
    ]
    [outcome] = await house.why(club, "2026-11-30", MONDAY + hours(2))
    assert outcome.what == "sent" and outcome.at is not None and outcome.due is not None
    assert timedelta(minutes=5) <= outcome.at - outcome.due < timedelta(minutes=6)


async def test_three_days_away_give_one_post_and_a_record_of_the_days_missed(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.papers()
    club = await house.club()
    with caplog.at_level(logging.INFO):
        await house.tick(MONDAY + timedelta(days=3, hours=3))
    assert house.texts() == ["daily 2026-12-03", "missed 2026-12-02"]
    assert sum("was not posted (away)" in record.message for record in caplog.records) == 3
    for day in ("2026-11-30", "2026-12-01", "2026-12-02"):
        [outcome] = await house.why(club, day, MONDAY + timedelta(days=4))
        assert (outcome.what, outcome.reason) == ("missed", "away")
    await house.run(MONDAY + timedelta(days=3, hours=3), MONDAY + timedelta(days=4))
    assert len(house.texts()) == 2


async def test_a_clock_set_back_posts_nothing_twice_and_does_not_stop(house: House) -> None:
    await house.papers(TOPICS * 4)
    await house.club()
    await house.run(MONDAY, MONDAY + timedelta(days=3), hours(1))
    assert len(house.texts()) == 3
    await house.run(MONDAY, MONDAY + timedelta(days=4), hours(1))
    assert house.texts() == [
        f"daily {day}" for day in ("2026-11-30", "2026-12-01", "2026-12-02", "2026-12-03")
    ]


async def test_a_clock_that_ran_ahead_does_not_silence_the_club(house: House) -> None:
    await house.papers(TOPICS * 4)
    await house.club()
    await house.tick(MONDAY + timedelta(days=30, hours=2))
    await house.tick(MONDAY + hours(2))
    await house.run(MONDAY + timedelta(days=1), MONDAY + timedelta(days=2))
    assert house.texts("daily") == ["daily 2026-12-30", "daily 2026-12-01"]


# ---- a paper that did not come ----


async def test_a_paper_refused_all_day_is_told_in_its_channel_alone_once_it_can_be(house: House) -> None:
    await house.papers()
    club = await house.club(channels=2)
    house.platform.fault = lambda verb, to, marker: "refuse" if to.native_id.endswith("-2") else None
    await house.run(MONDAY, MONDAY + timedelta(days=2, hours=15))
    assert house.texts("missed") == []
    house.platform.fault = lambda verb, to, marker: None
    await house.run(MONDAY + timedelta(days=2, hours=15), MONDAY + timedelta(days=4))
    told = [(held.channel, held.text) for held in house.platform.held() if held.text.startswith("missed")]
    assert told == [("1-2", "missed 2026-12-02")]  # the latest only, and nothing where all was well
    late = await house.why(club, "2026-12-01", MONDAY + timedelta(days=4))
    assert [(one.channel, one.what, one.reason) for one in late if one.kind == "missed"] == [
        ("channel 1-2", "missed", "newer")
    ]


async def test_a_paper_posted_early_was_not_missed(house: House) -> None:
    await house.papers()
    club = await house.club()
    await house.database.write(lambda tx: post_now(tx, club, 1, MONDAY))
    await house.tick(MONDAY)
    await house.tick(MONDAY + hours(14))
    assert house.texts() == ["daily 2026-11-30"]


async def test_a_paused_club_is_told_of_nothing_it_missed(house: House) -> None:
    await house.papers()
    club = await house.club()
    paused = replace(club, paused_at=MONDAY + timedelta(days=1, hours=12))
    await house.database.write(lambda tx: clubs.change_club(tx, paused))
    await house.tick(MONDAY + timedelta(days=2, hours=3))
    assert house.texts() == []


async def test_a_paused_club_posts_nothing_and_says_why(house: House) -> None:
    await house.papers()
    club = await house.club()
    paused = replace(club, paused_at=MONDAY, paused_until=MONDAY + timedelta(days=2))
    await house.database.write(lambda tx: clubs.change_club(tx, paused))
    await house.run(MONDAY, MONDAY + timedelta(days=3))
    assert house.texts() == ["daily 2026-12-02"]
    [outcome] = await house.why(club, "2026-12-01", MONDAY + timedelta(days=3))
    assert (outcome.what, outcome.reason) == ("missed", "paused")


async def test_a_changed_time_counts_from_now_and_posts_a_day_once(house: House) -> None:
    await house.papers()
    club = await house.club()
    await house.tick(MONDAY + hours(1))
    club = await house.change(club, MONDAY + hours(2), daily_time=time(17))
    await house.run(MONDAY + hours(2), MONDAY + timedelta(days=1, hours=12))
    assert house.texts() == ["daily 2026-11-30", "daily 2026-12-01"]
    [outcome] = await house.why(club, "2026-12-01", MONDAY + timedelta(days=2))
    assert outcome.due == datetime(2026, 12, 1, 16, tzinfo=UTC)


async def test_a_slot_that_has_come_is_not_lost_by_a_change_of_settings(house: House) -> None:
    await house.papers()
    club = await house.club()
    await house.change(club, MONDAY + hours(1) + timedelta(seconds=3), daily_time=time(8))
    await house.tick(MONDAY + hours(1) + timedelta(seconds=5))
    assert house.texts() == ["daily 2026-11-30"]


async def test_switching_the_daily_paper_off_and_on(house: House) -> None:
    await house.papers()
    club = await house.club()
    club = await house.change(club, MONDAY, daily_on=False)
    await house.run(MONDAY, MONDAY + timedelta(days=1))
    assert house.texts() == []
    [outcome] = await house.why(club, "2026-11-30", MONDAY + timedelta(days=1))
    assert outcome.what == "off"
    await house.change(club, MONDAY + timedelta(days=1), daily_on=True)
    await house.run(MONDAY + timedelta(days=1), MONDAY + timedelta(days=2))
    assert house.texts() == ["daily 2026-12-01"]


async def test_new_zone_data_moves_the_instants_that_wait(house: House) -> None:
    club = await house.club()
    stale = slots.Slot(datetime(2026, 11, 30, 9), "Europe/Berlin", MONDAY + hours(5))
    await house.database.write(lambda tx: slots.put_slot(tx, club.id, "daily", stale))
    await house.daily.refresh(MONDAY)
    found = await house.database.read(lambda tx: slots.find_slot(tx, club.id, "daily"))
    assert found is not None and found.due == MONDAY + hours(1)


async def test_a_zone_that_vanished_posts_by_utc_and_is_told_once(house: House) -> None:
    await house.papers()
    await house.club(zone="Mars/Olympus")
    await house.run(MONDAY, MONDAY + timedelta(days=3))
    notices = [text for text in house.texts() if text.startswith(NOTICE)]
    assert notices == ["notice zone:Mars/Olympus"]
    assert len(house.texts()) == 4


# ---- the pool ----


async def test_a_used_up_catalogue_is_told_once_and_an_import_goes_on(house: House) -> None:
    await house.papers([("Theory", None)])
    club = await house.club(channels=2)
    await house.run(MONDAY, MONDAY + timedelta(days=4), hours(1))
    assert house.texts().count("daily 2026-11-30") == 2
    assert house.texts().count("notice used_up:2026-12-01") == 2
    assert len(house.texts()) == 4
    outcomes_now = await house.why(club, "2026-12-02", MONDAY + timedelta(days=3))
    assert {(one.what, one.reason) for one in outcomes_now} == {("missed", "used_up")}
    await house.papers([("Theory", None)])
    await house.run(MONDAY + timedelta(days=4), MONDAY + timedelta(days=6), hours(1))
    assert house.texts()[4:] == ["daily 2026-12-04"] * 2 + ["notice used_up:2026-12-05"] * 2


async def test_an_empty_catalogue_gives_one_notice_and_no_error(house: House) -> None:
    await house.club()
    await house.run(MONDAY, MONDAY + timedelta(days=3), hours(1))
    assert house.texts() == ["notice used_up:2026-11-30"]
    await house.papers([("Theory", None)])
    await house.run(MONDAY + timedelta(days=3), MONDAY + timedelta(days=4), hours(1))
    assert house.texts()[1:] == ["daily 2026-12-03"]


async def test_organisers_are_told_when_seven_papers_are_left(house: House) -> None:
    await house.papers([("Theory", None)] * 10)
    await house.club()
    await house.run(MONDAY, MONDAY + timedelta(days=12), hours(1))
    notices = [text for text in house.texts() if text.startswith(NOTICE)]
    assert notices == ["notice few_left:2026-12-02", "notice used_up:2026-12-10"]


async def test_a_pool_that_starts_with_few_papers_is_told_once_until_it_has_grown(house: House) -> None:
    await house.papers([("Theory", None)] * 5)
    await house.club()
    await house.run(MONDAY, MONDAY + timedelta(days=3), hours(1))
    assert house.texts(NOTICE) == ["notice few_left:2026-11-30"]
    await house.papers([("Theory", None)] * 8)
    await house.run(MONDAY + timedelta(days=3), MONDAY + timedelta(days=5), hours(1))
    assert house.texts(NOTICE)[1:] == []
    await house.run(MONDAY + timedelta(days=5), MONDAY + timedelta(days=8), hours(1))
    assert house.texts(NOTICE)[1:] == ["notice few_left:2026-12-05"]


async def used_up(house: House, club: Club, day: str) -> dict[str, object]:
    """What the notice of a used-up list says."""
    rows = await house.database.read(lambda tx: list_deliveries(tx, club.id, NOTICE, f"used_up:{day}"))
    return rows[0].payload


async def test_a_used_up_list_that_starts_over_tells_when_it_does(house: House) -> None:
    await house.papers([("Theory", None), ("Optimization", None), ("Optimization", None)])
    club = await house.club(replace(EVERY_DAY, start_over=True, daily_topics=("Optimization",)))
    await house.run(MONDAY, MONDAY + timedelta(days=4), hours(1))
    assert house.texts(NOTICE) == ["notice used_up:2026-12-02"]
    told = await used_up(house, club, "2026-12-02")
    assert (told["chosen"], told["start_over"]) == (True, True)
    again = datetime.fromisoformat(str(told["again"])).replace(hour=6, tzinfo=UTC)
    await house.run(again - timedelta(days=2), again + timedelta(days=1), timedelta(minutes=30))
    assert house.texts("daily")[2:] == [f"daily {told['again']}"]


async def test_a_used_up_list_that_does_not_start_over_tells_no_day(house: House) -> None:
    await house.papers([("Theory", None)])
    club = await house.club()
    await house.run(MONDAY, MONDAY + timedelta(days=2), hours(1))
    told = await used_up(house, club, "2026-12-01")
    assert (told["chosen"], told["start_over"], told["again"]) == (False, False, None)


async def test_starting_over_shows_what_is_older_than_180_days(house: House) -> None:
    old = await house.papers([("Theory", None)] * 3)
    club = await house.club(replace(EVERY_DAY, start_over=True))
    await house.run(MONDAY, MONDAY + timedelta(days=5), hours(1))
    assert len([text for text in house.texts() if text.startswith("daily")]) == 3
    later = MONDAY + timedelta(days=181)
    await house.run(later, later + timedelta(days=4), hours(1))
    again = [(later + timedelta(days=step)).date().isoformat() for step in range(3)]
    shown = [await house.database.read(lambda tx, day=day: picked(tx, club, day)) for day in again]  # type: ignore[misc]
    assert sorted(pick.paper_id for pick in shown if pick) == old


async def test_a_paper_removed_before_it_was_sent_is_replaced(house: House) -> None:
    await house.papers()
    club = await house.club()
    await house.daily.due(MONDAY + hours(1))
    first = await house.database.read(lambda tx: picked(tx, club, "2026-11-30"))
    assert first is not None
    await house.database.write(remove(first.paper_id))
    await house.tick(MONDAY + hours(1.1))
    second = await house.database.read(lambda tx: picked(tx, club, "2026-11-30"))
    assert second is not None and second.paper_id != first.paper_id
    assert second.reason.kind == "replaced"
    assert house.texts() == ["daily 2026-11-30"]


async def test_the_last_paper_removed_before_it_was_sent_leaves_a_notice(house: House) -> None:
    [only] = await house.papers([("Theory", None)])
    club = await house.club()
    await house.daily.due(MONDAY + hours(1))
    await house.database.write(remove(only))
    await house.run(MONDAY + hours(1), MONDAY + hours(3))
    assert house.texts() == ["notice used_up:2026-11-30"]
    assert await house.database.read(lambda tx: states(tx, club, "2026-11-30")) == [("missed", "used_up")]


async def test_a_paper_removed_after_it_was_sent_stays_in_the_record(house: House) -> None:
    await house.papers()
    club = await house.club()
    await house.tick(MONDAY + hours(1))
    first = await house.database.read(lambda tx: picked(tx, club, "2026-11-30"))
    assert first is not None
    await house.database.write(remove(first.paper_id))
    assert await house.database.write(lambda tx: pick_for(tx, club, "2026-11-30", MONDAY + hours(2))) == first


async def test_merged_papers_count_as_one_that_was_shown(house: House) -> None:
    old, kept = await house.papers([("Theory", None)] * 2)
    club = await house.club()

    def merge(tx: Tx) -> None:
        shown = pick_for(tx, club, "2026-11-30", MONDAY)
        assert shown is not None
        other = kept if shown.paper_id == old else old
        tx.run("UPDATE paper SET merged_into = :other WHERE id = :id", other=other, id=shown.paper_id)

    await house.database.write(merge)
    assert await house.database.write(lambda tx: pick_for(tx, club, "2026-12-01", MONDAY)) is None


async def test_a_clubs_own_papers_are_never_posted_elsewhere(house: House) -> None:
    one, two = await house.club(), await house.club()
    own = await house.papers([("Theory", None)], club=one.id)
    first = await house.database.write(lambda tx: pick_for(tx, one, "2026-11-30", MONDAY))
    assert first is not None and [first.paper_id] == own
    assert await house.database.write(lambda tx: pick_for(tx, two, "2026-11-30", MONDAY)) is None


@pytest.mark.parametrize(
    ("wanted", "topics"),
    [
        (("Theory",), {("Theory", "Games")}),
        (("Deep Learning · Theory",), {("Deep Learning", "Theory")}),
        ((), set(TOPICS)),
    ],
)
async def test_a_club_can_keep_to_topics(house: House, wanted: tuple[str, ...], topics: set[object]) -> None:
    await house.papers()
    club = await house.club(replace(EVERY_DAY, daily_topics=wanted))
    shown = set()
    for step in range(9):
        day = (MONDAY + timedelta(days=step)).date().isoformat()
        pick = await house.database.write(lambda tx, day=day: pick_for(tx, club, day, MONDAY))  # type: ignore[misc]
        if pick is not None:
            shown.add((pick.area, pick.subarea))
    assert shown == topics


# ---- post now ----


async def test_post_now_is_todays_post_early(house: House) -> None:
    await house.papers()
    club = await house.club()
    posted = await house.database.write(lambda tx: post_now(tx, club, 1, MONDAY))
    assert (posted.pick.subject, posted.extra) == ("2026-11-30", False)
    await house.run(MONDAY, MONDAY + timedelta(days=2))
    assert house.texts() == ["daily 2026-11-30", "daily 2026-12-01"]


async def test_once_todays_post_is_out_post_now_is_an_extra_one(house: House) -> None:
    await house.papers()
    club = await house.club()
    await house.tick(MONDAY + hours(1))
    for number in (1, 2):
        moment = MONDAY + hours(1 + number)
        posted = await house.database.write(lambda tx, at=moment: post_now(tx, club, 1, at))  # type: ignore[misc]
        assert (posted.pick.subject, posted.extra) == (f"extra:{number}", True)
        assert posted.pick.reason.kind == "organiser"
        await house.tick(moment)
    assert house.texts() == ["daily 2026-11-30", f"{EXTRA} extra:1", f"{EXTRA} extra:2"]
    turns = await house.database.read(lambda tx: picks.list_turns(tx, club.id))
    assert [turn.day for turn in turns] == ["2026-11-30"]


async def test_a_double_press_of_post_now_posts_once(house: House) -> None:
    await house.papers()
    club = await house.club()
    first = await house.database.write(lambda tx: post_now(tx, club, 1, MONDAY))
    again = await house.database.write(lambda tx: post_now(tx, club, 1, MONDAY))
    assert (again.pick, again.already) == (first.pick, True)
    await house.tick(MONDAY)
    assert len(house.texts()) == 1


async def test_post_now_makes_up_for_a_post_that_was_missed(house: House) -> None:
    await house.papers()
    club = await house.club()
    await house.tick(MONDAY + hours(14))
    assert house.texts() == ["missed 2026-11-30"]
    await house.database.write(lambda tx: post_now(tx, club, 1, MONDAY + hours(15)))
    await house.tick(MONDAY + hours(15))
    assert house.texts("daily") == ["daily 2026-11-30"]


async def test_post_now_on_a_day_without_a_post_is_an_extra_one(house: House) -> None:
    await house.papers()
    club = await house.club(Settings())
    saturday = MONDAY + timedelta(days=5)
    posted = await house.database.write(lambda tx: post_now(tx, club, 1, saturday))
    assert posted.extra


async def test_post_now_says_when_nothing_is_left(house: House) -> None:
    club = await house.club()
    with pytest.raises(Conflict, match="used_up"):
        await house.database.write(lambda tx: post_now(tx, club, 1, MONDAY))


# ---- why ----


async def test_why_tells_days_without_a_post(house: House) -> None:
    await house.papers()
    club = await house.club(Settings())
    assert [one.what for one in await house.why(club, "2026-11-29", MONDAY)] == ["before_club"]
    assert [one.what for one in await house.why(club, "2026-11-30", MONDAY)] == ["later"]
    assert [one.what for one in await house.why(club, "2026-11-30", MONDAY + hours(1))] == ["waiting"]
    assert [one.what for one in await house.why(club, "2026-12-05", MONDAY)] == ["not_scheduled"]


async def test_why_tells_each_channel_its_own(house: House) -> None:
    await house.papers()
    club = await house.club(channels=2)
    house.platform.fault = lambda verb, to, marker: "refuse" if to.native_id.endswith("-2") else None
    await house.tick(MONDAY + hours(1))
    one, two, *told = await house.why(club, "2026-11-30", MONDAY + hours(2))
    assert {each.kind for each in told} == {"trouble"}
    assert (one.channel, one.what, one.paper_id is not None) == ("channel 1-1", "sent", True)
    assert (two.channel, two.what, two.reason) == ("channel 1-2", "waiting", "forbidden")
    await house.run(MONDAY + hours(2), MONDAY + hours(14))
    later = await house.why(club, "2026-11-30", MONDAY + hours(15))
    assert [outcome.what for outcome in later if outcome.kind == "daily"] == ["sent", "missed"]


async def test_one_club_that_cannot_be_read_stops_no_other(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.papers()
    broken = await house.club()
    await house.club()
    await house.database.write(
        lambda tx: tx.run(
            'UPDATE club SET settings = \'{"daily_time": "soon"}\' WHERE id = :id', id=broken.id
        )
    )
    with caplog.at_level(logging.INFO):
        await house.run(MONDAY, MONDAY + hours(4))
        await house.daily.refresh(MONDAY)
    assert house.texts() == ["daily 2026-11-30"]
    assert "cannot be read" in caplog.text


async def test_the_heartbeat_tells_how_long_we_were_away(database: Database) -> None:
    async def beat(at: datetime) -> tuple[datetime, datetime] | None:
        return await database.write(lambda tx: heartbeat.beat(tx, at))

    assert await beat(MONDAY) is None
    assert await beat(MONDAY + timedelta(seconds=5)) is None
    assert await beat(MONDAY + hours(2)) == (MONDAY + timedelta(seconds=5), MONDAY + hours(2))
    assert await beat(MONDAY) is None
    assert await database.read(heartbeat.last_beat) == MONDAY
