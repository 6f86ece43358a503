"""Which club is meant, who belongs to it, and what its organisers may change."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest

from bot.clubs import people
from bot.clubs import service as clubs
from bot.clubs.model import SQUARE_ROOT, Account, Asker, Club, Member, Place, Settings
from bot.clubs.settings import MOST_NEEDED, check_settings
from bot.errors import BadInput, Conflict, LimitReached, NotAllowed, NotFound
from bot.storage.clubs import dump_settings, load_settings
from bot.storage.database import Database
from bot.storage.slots import find_slot

NOW = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)


def asker(user: str = "u1", channel: str = "c1", workspace: str = "w1", *, admin: bool = False) -> Asker:
    account = Account("discord", workspace, user)
    return Asker(account, Place("discord", workspace, channel), f"Name of {user}", admin=admin)


async def make(
    database: Database, channel: str = "c1", workspace: str = "w1", user: str = "u1", **values: Any
) -> Club:
    values = {"name": f"Club of {channel}", "zone": "Europe/Berlin"} | values
    founder = asker(user, channel, workspace, admin=True)
    return await database.write(lambda tx: clubs.setup(tx, founder, NOW, **values))


async def member(database: Database, club: Club, who: Asker | None = None) -> Member:
    return await database.write(lambda tx: clubs.member_of(tx, club.id, who or asker(), NOW))


async def which(database: Database, place: Place, user: str = "u1", workspace: str = "w1") -> list[str]:
    account = Account("discord", workspace, user)
    found = await database.read(lambda tx: clubs.club_of(tx, place, account))
    return [club.name for club in found] if isinstance(found, tuple) else [found.name]


async def test_set_up_makes_the_asker_an_organiser_and_schedules_what_is_due(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    assert founder.organiser
    assert club.settings == Settings()
    assert [channel.native_id for channel in club.channels] == ["c1"]
    daily = await database.read(lambda tx: find_slot(tx, club.id, "daily"))
    opening = await database.read(lambda tx: find_slot(tx, club.id, "open"))
    assert daily is not None
    assert opening is not None
    assert daily.due == datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
    assert opening.due == datetime(2026, 12, 3, 8, 0, tzinfo=UTC)


async def test_only_who_may_manage_the_place_sets_up(database: Database) -> None:
    with pytest.raises(NotAllowed, match=r"setup\.rights"):
        await database.write(lambda tx: clubs.setup(tx, asker(), NOW, name="A", zone="UTC"))


async def test_a_channel_belongs_to_one_club(database: Database) -> None:
    await make(database)
    with pytest.raises(Conflict) as caught:
        await make(database)
    assert caught.value.values == {"club": "Club of c1"}


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"zone": "UTC+2"}, "zone"),
        ({"zone": "Mars/Base"}, "zone"),
        ({"language": "tlh"}, "language"),
        ({"name": "  "}, "name"),
        ({"name": "n" * 81}, "name"),
        ({"settings": Settings(daily_days=())}, "daily_days"),
    ],
)
async def test_a_faulty_value_at_set_up_makes_nothing(
    database: Database, values: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadInput) as caught:
        await make(database, **values)
    assert caught.value.field == field
    assert (await database.read(lambda tx: tx.rows("SELECT COUNT(*) FROM club")))[0][0] == 0


async def test_the_club_is_the_channels_then_the_parents_then_the_only_one_around(database: Database) -> None:
    await make(database, "c1")
    await make(database, "c2")
    await make(database, "c3", "w2")
    assert await which(database, Place("discord", "w1", "c2")) == ["Club of c2"]
    assert await which(database, Place("discord", "w1", "thread", parent="c1")) == ["Club of c1"]
    assert await which(database, Place("discord", "w2", "elsewhere"), "stranger") == ["Club of c3"]
    assert await which(database, Place("discord", "w9", "elsewhere"), "stranger", "w9") == []
    assert await which(database, Place("slack", "w1", "c1"), "stranger") == []


async def test_in_a_server_with_several_clubs_none_is_taken_for_the_one_that_is_meant(
    database: Database,
) -> None:
    await make(database, "c1")
    await make(database, "c2", user="u2")
    await make(database, "c3", "w2", user="u3")
    aside = Place("discord", "w1", "elsewhere")
    for who in ("stranger", "u1", "u2", "u3"):
        assert await which(database, aside, who) == ["Club of c1", "Club of c2"]


async def test_in_private_the_club_is_the_persons_only_one(database: Database) -> None:
    await make(database, "c1", "w1")
    other = await make(database, "c3", "w2", user="u3")
    private = Place("discord", "", "dm")
    assert await which(database, private, "u1", "") == ["Club of c1"]
    await member(database, other, asker("u1", "c3", "w2"))
    assert await which(database, private, "u1", "") == ["Club of c1", "Club of c3"]
    assert await which(database, private, "nobody", "") == []


async def test_a_member_is_made_on_the_first_act_and_keeps_their_platforms_name(database: Database) -> None:
    club = await make(database)
    first = await member(database, club, asker("u2"))
    assert (first.name, first.organiser, first.joined_at) == ("Name of u2", False, NOW)
    renamed = await member(database, club, replace(asker("u2"), name="New name"))
    assert (renamed.id, renamed.name) == (first.id, "New name")
    assert (await database.read(lambda tx: clubs.find_member(tx, club.id, asker("u2").account))) == renamed
    assert (await database.read(lambda tx: clubs.find_member(tx, club.id, asker("u3").account))) is None


async def test_organisers_are_those_named_and_those_the_platform_trusts(database: Database) -> None:
    club = await make(database)
    assert clubs.is_organiser(await member(database, club), asker())
    assert clubs.is_organiser(None, asker("u5", admin=True))
    assert not clubs.is_organiser(await member(database, club, asker("u2")), asker("u2"))
    assert not clubs.is_organiser(None, asker("u3"))


async def test_a_club_keeps_an_organiser(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    second = await member(database, club, asker("u2"))
    with pytest.raises(Conflict, match=r"organisers\.last"):
        await database.write(lambda tx: people.remove_organiser(tx, club.id, founder, founder.id, NOW))
    await database.write(lambda tx: people.add_organiser(tx, club.id, founder, second.id, NOW))
    with pytest.raises(Conflict, match=r"organisers\.already"):
        await database.write(lambda tx: people.add_organiser(tx, club.id, founder, second.id, NOW))
    assert await database.read(lambda tx: clubs.organisers(tx, club.id)) == ("Name of u1", "Name of u2")
    await database.write(lambda tx: people.remove_organiser(tx, club.id, founder, founder.id, NOW))
    assert await database.read(lambda tx: clubs.organisers(tx, club.id)) == ("Name of u2",)
    with pytest.raises(Conflict, match=r"organisers\.not_one"):
        await database.write(lambda tx: people.remove_organiser(tx, club.id, founder, founder.id, NOW))


async def test_a_member_of_another_club_cannot_be_named(database: Database) -> None:
    club, other = await make(database), await make(database, "c2", user="u9")
    stranger = await member(database, other, asker("u9", "c2"))
    founder = await member(database, club)
    with pytest.raises(NotFound):
        await database.write(lambda tx: people.add_organiser(tx, club.id, founder, stranger.id, NOW))


async def test_settings_change_together_or_not_at_all(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    changed = await database.write(
        lambda tx: clubs.change_settings(
            tx, club, founder, NOW, name="Other", zone="asia/shanghai", language="zh", daily_time=time(8, 30)
        )
    )
    assert (changed.name, changed.zone, changed.language) == ("Other", "Asia/Shanghai", "zh")
    assert changed.settings.daily_time == time(8, 30)
    assert await database.read(lambda tx: clubs.get_club(tx, club.id)) == changed
    slot = await database.read(lambda tx: find_slot(tx, club.id, "daily"))
    assert slot is not None
    assert slot.due == datetime(2026, 12, 1, 0, 30, tzinfo=UTC)
    with pytest.raises(BadInput):
        await database.write(
            lambda tx: clubs.change_settings(tx, changed, founder, NOW, name="Third", keep_rounds=0)
        )
    assert await database.read(lambda tx: clubs.get_club(tx, club.id)) == changed


async def test_what_has_come_stays_due_when_settings_change_in_that_minute(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    due = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
    moment = due + timedelta(seconds=2)
    await database.write(lambda tx: clubs.change_settings(tx, club, founder, moment, daily_time=time(18)))
    slot = await database.read(lambda tx: find_slot(tx, club.id, "daily"))
    assert slot is not None
    assert slot.due == due


async def test_what_is_switched_off_is_not_scheduled(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    off = await database.write(
        lambda tx: clubs.change_settings(tx, club, founder, NOW, daily_on=False, vote_on=False)
    )
    for kind in ("daily", "open"):
        assert await database.read(lambda tx, kind=kind: find_slot(tx, club.id, kind)) is None
    await database.write(lambda tx: clubs.change_settings(tx, off, founder, NOW, vote_on=True))
    assert await database.read(lambda tx: find_slot(tx, club.id, "open")) is not None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"daily_time": "09:00"}, "daily_time"),
        ({"daily_time": time(9, 0, 1)}, "daily_time"),
        ({"daily_time": time(9, tzinfo=UTC)}, "daily_time"),
        ({"vote_opens_day": "someday"}, "vote_opens_day"),
        ({"daily_days": ("mon", "someday")}, "daily_days"),
        ({"daily_days": ()}, "daily_days"),
        ({"nominations_each": 0}, "nominations_each"),
        ({"nominations_each": 26}, "nominations_each"),
        ({"keep_rounds": True}, "keep_rounds"),
        ({"start_over": "yes"}, "start_over"),
        ({"daily_topics": "Theory"}, "daily_topics"),
        ({"method": "coin"}, "method"),
        ({"method": "star"}, "method"),
        ({"method": "Approval"}, "method"),
        ({"ties": "coin"}, "ties"),
        ({"secrecy": "live"}, "secrecy"),
        ({"quorum": -2}, "quorum"),
        ({"quorum": 1.5}, "quorum"),
        ({"quorum": True}, "quorum"),
        ({"close_early": 1}, "close_early"),
    ],
)
def test_a_setting_that_cannot_stand_names_its_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_settings(replace(Settings(), **changes))
    assert caught.value.field == field


@pytest.mark.parametrize("method", ["approval", "phragmen", "plurality", "schulze", "irv"])
@pytest.mark.parametrize("ties", ["age", "draw", "runoff", "organiser"])
def test_every_way_of_voting_goes_with_every_way_of_breaking_a_tie(method: str, ties: str) -> None:
    check_settings(Settings(method=method, ties=ties, secrecy="open", quorum=SQUARE_ROOT, close_early=True))


async def test_before_the_first_vote_a_quorum_may_be_any_number(database: Database) -> None:
    """Members appear with their first press, so nobody can say yet how many there will be."""
    club = await make(database)
    founder = await member(database, club)
    for n in (MOST_NEEDED, SQUARE_ROOT, 0):
        changed = await database.write(
            lambda tx, n=n: clubs.change_settings(tx, club, founder, NOW, quorum=n)
        )
        assert changed.settings.quorum == n
    with pytest.raises(BadInput, match=r"settings\.quorum"):
        check_settings(Settings(quorum=MOST_NEEDED + 1))


def test_settings_are_stored_and_read_back() -> None:
    settings = Settings(daily_time=time(7, 5), daily_topics=("Theory · Games",), daily_days=("sat",))
    assert load_settings(dump_settings(settings)) == settings
    assert load_settings("{}") == Settings()
    assert load_settings('{"of_a_newer_program": 1, "keep_rounds": 2}') == Settings(keep_rounds=2)


async def test_a_pause_ends_at_the_start_of_its_day_in_the_clubs_zone(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    paused = await database.write(lambda tx: clubs.pause(tx, club, founder, NOW, date(2026, 12, 31)))
    ends = datetime(2026, 12, 30, 23, 0, tzinfo=UTC)
    assert paused.paused_until == ends
    assert await database.read(lambda tx: clubs.get_club(tx, club.id)) == paused
    assert clubs.is_paused(paused, ends - timedelta(microseconds=1))
    assert not clubs.is_paused(paused, ends)
    for day, key in ((date(2026, 11, 30), "pause.today"), (date(1999, 1, 1), "pause.past")):
        with pytest.raises(BadInput) as caught:
            await database.write(lambda tx, day=day: clubs.pause(tx, club, founder, NOW, day))
        assert caught.value.key == key


async def test_in_a_pause_the_next_times_are_the_first_after_it(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    ends = date(2026, 12, 10)  # a Thursday: the day votes open
    for until, times in (
        (ends, (datetime(2026, 12, 10, 8, tzinfo=UTC), datetime(2026, 12, 10, 8, tzinfo=UTC))),
        (date(2026, 12, 12), (datetime(2026, 12, 14, 8, tzinfo=UTC), datetime(2026, 12, 17, 8, tzinfo=UTC))),
        (None, (None, None)),
    ):
        paused = await database.write(lambda tx, until=until: clubs.pause(tx, club, founder, NOW, until))
        assert await database.read(lambda tx, it=paused: clubs.next_times(tx, it, NOW)) == times
    assert (await database.read(lambda tx: clubs.next_times(tx, club, NOW)))[0] == datetime(
        2026, 11, 30, 8, tzinfo=UTC
    )


async def test_namesakes_are_told_apart_by_their_numbers(database: Database) -> None:
    club = await make(database)
    for user, name in (("u2", "Alike"), ("u3", "alike"), ("u4", "Alike (1)"), ("u5", "Alone")):
        await member(database, club, replace(asker(user), name=name))
    known = await database.read(lambda tx: people.told_apart(tx, club.id))
    assert {shown: each.id for shown, each in known.items()} == {
        "Name of u1": 1, "Alike (2)": 2, "alike (3)": 3, "Alike (1) (4)": 4, "Alone": 5,
    }  # fmt: skip
    for typed, number in (("@alone", 5), ("ALIKE (3)", 3), ("Alike (1) (4)", 4), (" Name of u1 ", 1)):
        assert (await database.read(lambda tx, it=typed: people.find_named(tx, club.id, it))).id == number
    with pytest.raises(BadInput) as caught:
        await database.read(lambda tx: people.find_named(tx, club.id, "Alike"))
    assert caught.value.values["names"] == ["Alike (2)", "alike (3)"]
    with pytest.raises(NotFound):
        await database.read(lambda tx: people.find_named(tx, club.id, "Nobody"))


async def test_a_pause_without_a_day_ends_when_resumed(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    with pytest.raises(Conflict, match=r"resume\.running"):
        await database.write(lambda tx: clubs.resume(tx, club, founder, NOW))
    paused = await database.write(lambda tx: clubs.pause(tx, club, founder, NOW))
    assert clubs.is_paused(paused, NOW + timedelta(days=400))
    running = await database.write(lambda tx: clubs.resume(tx, paused, founder, NOW))
    assert not clubs.is_paused(running, NOW)
    assert running == club


async def test_a_club_moves_to_another_channel_and_frees_the_old_one(database: Database) -> None:
    club, other = await make(database), await make(database, "c2", user="u2")
    founder = await member(database, club)
    with pytest.raises(Conflict, match=r"setup\.taken"):
        await database.write(
            lambda tx: clubs.move_channel(tx, club, founder, Place("discord", "w1", "c2"), NOW)
        )
    moved = await database.write(
        lambda tx: clubs.move_channel(tx, club, founder, Place("discord", "w1", "c3", name="papers"), NOW)
    )
    assert [(channel.native_id, channel.name) for channel in moved.channels] == [("c3", "papers")]
    assert await which(database, Place("discord", "w1", "c3")) == [club.name]
    newcomer = await make(database, "c1", user="u5", name="Newcomers")
    assert await which(database, Place("discord", "w1", "c1")) == [newcomer.name]
    assert await which(database, Place("discord", "w1", "c2")) == [other.name]


async def test_ten_writes_a_minute(database: Database) -> None:
    club = await make(database)
    founder = await member(database, club)
    for number in range(9):  # set-up was the first
        await database.write(
            lambda tx, n=number: clubs.change_settings(
                tx, clubs.get_club(tx, club.id), founder, NOW, name=f"Name {n}"
            )
        )
    with pytest.raises(LimitReached) as caught:
        await database.write(lambda tx: clubs.change_settings(tx, club, founder, NOW, name="Too many"))
    assert caught.value.values == {"limit": 10, "seconds": 60}


async def test_the_terminal_finds_a_club_by_number_name_or_none_at_all(database: Database) -> None:
    assert await database.read(lambda tx: clubs.find_by_name(tx, None)) is None
    club = await make(database, name="Tuesday  Readers")
    assert await database.read(lambda tx: clubs.find_by_name(tx, None)) == club
    assert await database.read(lambda tx: clubs.find_by_name(tx, "tuesday readers")) == club
    assert await database.read(lambda tx: clubs.find_by_name(tx, str(club.id))) == club
    with pytest.raises(NotFound):
        await database.read(lambda tx: clubs.find_by_name(tx, "Others"))
    await make(database, "c2")
    with pytest.raises(BadInput):
        await database.read(lambda tx: clubs.find_by_name(tx, None))


async def test_a_role_is_called_where_the_club_is_and_nowhere_it_was(database: Database) -> None:
    club = await make(database)
    chair = await member(database, club)

    async def roles() -> list[str]:
        rows = await database.read(lambda tx: tx.rows("SELECT role FROM channel ORDER BY id"))
        return [row[0] for row in rows]

    def call(role: str) -> Any:
        return lambda tx: clubs.call_role(tx, clubs.get_club(tx, club.id), chair, asker().place, role, NOW)

    await database.write(call("r1"))
    there = Place("discord", "w1", "c2")
    moved = await database.write(
        lambda tx: clubs.move_channel(tx, clubs.get_club(tx, club.id), chair, there, NOW)
    )
    assert await roles() == ["", "r1"] and moved.channels[0].role == "r1"
    await database.write(lambda tx: tx.run("UPDATE channel SET role = 'r1'"))
    await database.write(call(""))
    assert await roles() == ["", ""]


@pytest.mark.parametrize(("locale", "language"), [("zh-CN", "zh"), ("en-GB", "en"), ("fr", ""), (None, "")])
async def test_the_language_of_a_client_is_remembered_where_it_is_one_we_speak(
    database: Database, locale: str | None, language: str
) -> None:
    club = await make(database)
    who = replace(asker("u2"), locale=locale)
    assert (await member(database, club, who)).language == language
    await member(database, club, replace(who, locale="zh"))
    assert (await member(database, club, replace(who, locale=None))).language == "zh"
