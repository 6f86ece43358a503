"""From an empty store to the first post, and what organisers do later, as it is pressed and seen in Slack."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chatlab.fakeslack import User
from tests.lab.house import MONDAY, ZONE
from tests.lab.slack_house import ClubWorkspace, clean_log, club_workspace, fields, ids, ticked

__all__ = ["clean_log"]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NINE = MONDAY.replace(hour=8, minute=0)


@pytest.fixture(params=["socket", "http"])
async def here(stocked: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[ClubWorkspace]:
    """A workspace with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db", http=request.param == "http") as opened:
        yield opened


@pytest.fixture
async def by_socket(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubWorkspace]:
    """The same by socket alone, for what does not depend on the way."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db") as opened:
        yield opened


# ---- set-up ----

WORDS = {
    "en": ("Paperclub is here", "is set up. You are its organiser.", "Preview: this is how", "Today’s paper"),
    "zh": ("Paperclub 来了", "已建好，你是组织者", "预览", "今日论文"),
}


@pytest.mark.parametrize(
    ("language", "locale", "http"), [("en", "en-GB", False), ("zh", "zh-CN", True)], ids=["en", "zh"]
)
async def test_a_workspace_comes_from_nothing_to_its_first_post(
    tmp_path: Path, language: str, locale: str, http: bool
) -> None:
    hello, made, preview, posted = WORDS[language]
    async with club_workspace(tmp_path / "paperclub.db", http=http, locale=locale) as here:
        lab, owner = here.lab, here.owner
        owner.tz = "Asia/Shanghai"
        room, lobby = (lab.create_channel(here.team, name, with_bot=False) for name in ("reading", "lobby"))
        for channel in (room, lobby):
            lab.join(owner, channel)

        # Greeted in private, and nobody else is.
        greeting = await lab.wait_message(lab.dm(owner), hello)
        assert ids(greeting) == ["open:club setup", "help"] and [
            here.private(who) for who in (here.ada, here.bea)
        ] == [[], []]

        # The form: a channel is asked for, the zone is guessed, faults stand beside their fields.
        form = await here.opened(owner, greeting, ids(greeting)[0])
        asked = fields(form)
        assert asked["zone"]["initial_value"] == "Asia/Shanghai" and "channel" in asked
        typed = {"channel": room.id, "zone": "Atlantis/Deep", "language": language}
        faults = await here.refused(owner, form, {**typed, "time": "25:00"})
        assert "Atlantis/Deep" in faults["zone"] and "25:00" in faults["time"] and len(faults) == 2
        waits = await here.sent(owner, form, {**typed, "zone": ZONE, "time": "10:00"})
        assert "/invite @Paperclub" in waits.shown and room.id in str(waits.blocks)

        # Not invited yet; then invited: what was typed is not asked for again.
        again = next(each for each in ids(waits) if each.startswith("setup:"))
        assert "/invite" in (await here.pressed(owner, waits, again)).shown
        room.members.add(here.team.bot_user)
        set_up = await here.pressed(owner, waits, again)
        assert made in set_up.shown and "10:00" in set_up.shown

        # Its papers, by topic.
        topics = await here.opened(owner, set_up, next(i for i in ids(set_up) if "starter-form" in i))
        first = next(iter(fields(topics).values()))["options"][:3]
        started = await here.sent(owner, topics, ticked(topics, *(each["value"] for each in first)))
        seen = (await lab.wait_message(lab.dm(owner), preview, after=started.ts)).shown
        card = here.private(owner, preview)[-1]
        now, later = ids(card)[-2:]
        assert here.shown(where=room) == [] and "10:00" in seen

        # Waiting is a choice; posting is another, and the same paper comes once.
        await here.pressed(owner, card, later)
        assert here.shown(where=room) == []
        for _ in range(2):
            await here.pressed(owner, card, now)
        await here.later()
        (post,) = here.shown(posted, room)
        assert post.shown.split("\n")[2] in seen and post.pings == set()
        await here.until(MONDAY + DAY + 2 * HOUR)
        assert [len(here.shown(posted, each)) for each in (room, lobby, here.channel)] == [2, 0, 0]


async def test_set_up_typed_in_the_channel_guesses_the_zone_and_needs_no_channel(
    by_socket: ClubWorkspace,
) -> None:
    here = by_socket
    form = await here.asked(here.owner, "/club setup")
    assert fields(form)["zone"]["initial_value"] == here.owner.tz and "channel" not in fields(form)
    made = await here.sent(here.owner, form, {"name": "Readers"})
    assert made.only_for == here.owner.id and "Europe/London" in made.shown
    taken = await here.typed(here.owner, "/club setup")
    assert taken.ephemeral and "Readers" in taken.shown


async def test_only_who_manages_the_workspace_sets_up(here: ClubWorkspace) -> None:
    asked = await here.typed(here.ada, "/club setup")
    assert asked.ephemeral and "Only whoever manages this" in asked.shown


@pytest.mark.parametrize("away", [timedelta(0), HOUR])
async def test_a_restart_in_the_middle_of_set_up_loses_nothing_that_was_typed(
    here: ClubWorkspace, away: timedelta
) -> None:
    room = here.lab.create_channel(here.team, "reading", with_bot=False)
    here.lab.join(here.owner, room)
    form = await here.asked(here.owner, "/club setup", room)
    here.meant |= {"not_in_channel", "expired_url"}
    await here.restart(here.now + away)
    waits = await here.sent(here.owner, form, {"name": "Night readers", "time": "10:30", "zone": ZONE})
    assert "/invite" in waits.shown
    await here.restart(here.now + away)
    room.members.add(here.team.bot_user)
    made = await here.pressed(here.owner, waits, next(i for i in ids(waits) if i.startswith("setup:")))
    assert "Night readers is set up." in made.shown and "10:30" in made.shown


async def test_a_set_up_sent_twice_makes_one_club(here: ClubWorkspace) -> None:
    form = await here.asked(here.owner, "/club setup")
    values = {"name": "Readers", "zone": ZONE}
    both = await asyncio.gather(*(here.lab.submit(here.owner, form, values) for _ in range(2)))
    assert all(each.acknowledged and each.errors == [] for each in both)
    await here.beside(here.owner, "is set up.")
    await here.restart()
    form.open = True
    assert (await here.lab.submit(here.owner, form, values)).acknowledged
    assert len(here.told(here.owner, "is set up.")) == 1
    assert await here.group.find_club(None)  # there is one and no other


async def test_a_paper_comes_at_its_time_on_weekdays_and_once_and_its_buttons_do_not_age(
    here: ClubWorkspace,
) -> None:
    await here.set_up()
    await here.until(NINE - timedelta(minutes=1))
    assert here.shown("Today’s paper") == []
    await here.until(NINE)
    (post,) = here.shown("Today’s paper")
    await here.restart()
    await here.until(MONDAY + 7 * DAY)
    assert len(here.shown("Today’s paper")) == 5
    card = await here.pressed(here.ada, post, "Read more")
    assert card.only_for == here.ada.id and post.edited is None
    assert "Nominated: " in (await here.pressed(here.ada, post, "Nominate")).shown
    for block in post.blocks:  # as a version before this one may have drawn it
        for each in block.get("elements", ()):
            if str(each.get("action_id")).startswith("similar:"):
                each["action_id"] = "kin:p1"
    old = await here.pressed(here.ada, post, "kin:p1")
    assert old.only_for == here.ada.id and "E-" not in old.shown and post.edited is None


# ---- the channel ----


async def test_a_private_channel_has_a_club_like_any_other(here: ClubWorkspace) -> None:
    room = here.lab.create_channel(here.team, "closed", private=True, with_bot=False)
    for who in (here.owner, here.ada):
        room.members.add(who.id)
    form = await here.asked(here.owner, "/club setup", room)
    here.meant |= {"channel_not_found"}  # of a private channel it is not in, the bot sees nothing
    waits = await here.sent(here.owner, form, {"name": "Readers", "zone": ZONE})
    assert "/invite" in waits.shown
    room.members.add(here.team.bot_user)
    made = await here.pressed(here.owner, waits, next(i for i in ids(waits) if i.startswith("setup:")))
    await here.started(made)
    await here.until(NINE)
    assert [len(here.shown("Today’s paper", each)) for each in (room, here.channel)] == [1, 0]
    assert "Nominated: " in (await here.typed(here.ada, "/paper nominate p57", room)).shown


async def test_a_channel_that_is_renamed_stays_the_clubs(by_socket: ClubWorkspace) -> None:
    here = by_socket
    await here.set_up()
    await here.until(NINE)
    here.channel.name = "evening-papers"
    await here.until(NINE + DAY)
    assert len(here.shown("Today’s paper")) == 2
    assert "Nominated: " in (await here.typed(here.ada, "/paper nominate p57")).shown
    assert "Readers" in await here.home(here.owner, "What is due")


@pytest.mark.parametrize(("how", "reason"), [("archived", "archived"), ("kicked", "I am not in")])
async def test_of_three_clubs_one_without_its_channel_costs_the_others_nothing(
    by_socket: ClubWorkspace, how: str, reason: str
) -> None:
    here = by_socket
    rooms = [here.channel, *(here.lab.create_channel(here.team, name) for name in ("two", "three"))]
    for number, room in enumerate(rooms):
        room.members.add(here.owner.id)
        form = await here.asked(here.owner, "/club setup", room)
        made = await here.sent(here.owner, form, {"name": f"Club {number + 1}", "zone": ZONE})
        await here.started(made)
    here.meant |= {"is_archived", "not_in_channel"}
    if how == "archived":
        here.lab.archive(rooms[1])
    else:
        here.lab.remove_bot(rooms[1])
    await here.until(NINE + 3 * DAY + HOUR)
    assert [len(here.shown("Today’s paper", room)) for room in rooms] == [4, 0, 4]
    (told,) = here.private(here.owner)[1:]
    assert reason in told.shown
    rooms[1].archived = False
    rooms[1].members.add(here.team.bot_user)
    await here.until(NINE + 4 * DAY + HOUR)
    assert [len(here.shown("Today’s paper", room)) for room in rooms] == [5, 1, 5]
    assert here.private(here.owner)[1:] == [told]


# ---- who ----


@pytest.fixture
def unlike(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    """What Slack tells of somebody in other words than of most, by their id."""
    told: dict[str, dict[str, Any]] = {}
    whole = User.json

    def json(user: User) -> dict[str, Any]:
        return {k: v for k, v in (whole(user) | told.get(user.id, {})).items() if v is not ...}

    monkeypatch.setattr(User, "json", json)
    return told


async def test_people_of_a_connected_workspace_and_guests_read_and_leave_the_vote_to_members(
    here: ClubWorkspace, unlike: dict[str, dict[str, Any]]
) -> None:
    guest, stranger = here.people(2)
    unlike[guest.id] = {"is_restricted": True}
    unlike[stranger.id] = {"team_id": "T0ELSEWHERE", "is_stranger": True, "is_admin": True}
    await here.set_up()
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, f"/paper nominate {paper}")
    await here.typed(here.owner, "/club open vote")
    await here.later()
    poll = here.poll()
    for who in (guest, stranger):
        assert "p57" in (await here.typed(who, "/paper show p57")).shown
        refused = await here.pressed(who, poll, "vote:1")
        assert refused.only_for == who.id and "guest" in refused.shown.lower(), refused.shown
        assert "Nominated: " not in (await here.typed(who, "/paper nominate p33")).shown
    assert "Only organisers" in (await here.typed(stranger, "/club pause")).shown  # an admin elsewhere
    assert "Counted." in await here.vote(here.ada, "p57")
    await here.typed(here.owner, "/club close vote Enough")
    await here.later()
    assert "1 member voted" in here.shown("Winner")[0].shown


async def test_whoever_lacks_what_slack_usually_tells_is_counted_and_named(
    by_socket: ClubWorkspace, unlike: dict[str, dict[str, Any]]
) -> None:
    here = by_socket
    bare, gone, nameless, app = here.people(4)
    unlike[bare.id] = {"profile": {}}
    unlike[gone.id] = {"deleted": True, "real_name": ..., "tz": ..., "profile": {"display_name": ""}}
    unlike[nameless.id] = {"profile": {"display_name": ""}, "real_name": "", "name": ...}
    unlike[app.id] = {"is_bot": True}
    await here.set_up()
    for who, paper in ((bare, "p57"), (gone, "p10"), (nameless, "p21"), (app, "p33")):
        await here.typed(who, f"/paper nominate {paper}")
    listed = (await here.typed(here.ada, "/paper nominations")).shown
    assert "3 papers nominated." in listed and "p33" not in listed  # programs take no part
    for name in (bare.real_name, gone.name, nameless.name):
        assert name in listed, listed
    await here.typed(here.owner, "/club open vote")
    await here.later()
    for who in (bare, gone, nameless):
        assert "Counted. You would read: paper 1." in await here.vote(who, "p57")
    assert "Europe/Berlin" in here.poll().shown
    await here.typed(here.owner, "/club close vote Enough")
    await here.later()
    assert "3 members voted" in here.shown("Winner")[0].shown
