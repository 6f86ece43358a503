"""The user group a club calls in Slack: typed and shown as a handle, known by its id, called at openings alone."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.slack import groups
from adapters.slack.groups import Groups
from bot.messages.model import Form, RoleField, TextField
from tests.lab.chatlab.fakeslack import Message as Shown
from tests.lab.chatlab.fakeslack import User
from tests.lab.furnished import stocked
from tests.lab.slack_lab import Station, station
from tests.lab.slack_online import SlackOnline, slack_online

__all__ = ["stocked"]


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[SlackOnline]:
    """A club in a channel of a workspace with three groups, one of them not in use any more."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with slack_online(tmp_path / "paperclub.db") as opened:
        await opened.found_club()
        for handle in ("readers", "writers"):
            opened.lab.create_usergroup(opened.team, handle)
        opened.lab.create_usergroup(opened.team, "former", disabled=True)
        yield opened


@pytest.fixture
async def alone() -> AsyncIterator[Station]:
    """A workspace with one group, without a core."""
    async with station() as opened:
        opened.lab.create_usergroup(opened.team, "readers")
        yield opened


def id_of(here: SlackOnline | Station, handle: str) -> str:
    return next(each.id for each in here.team.usergroups.values() if each.handle == handle)


async def settings(here: SlackOnline, who: User) -> Any:
    """The form that is opened by the button of the settings."""
    shown = await here.typed(who, "/club settings")
    return await here.form(who, await here.lab.click(who, shown, "settings:club"))


def typed_in(view: Any) -> str:
    """What stands in the field of the group."""
    (block,) = [each for each in view.payload["blocks"] if each.get("block_id") == "role"]
    return str(block["element"].get("initial_value", ""))


async def saved(here: SlackOnline, form: Any, typed: str) -> None:
    """The form is sent with this group, and taken."""
    before = len(told(here))
    done = await here.lab.submit(here.owner, form, {"role": typed})
    assert done.acknowledged and not done.ack_payload, done.ack_payload
    await here.lab.wait_for(lambda: len(told(here)) > before, 10, "an answer")


def told(here: SlackOnline) -> list[Shown]:
    shown = here.lab.messages(here.channel, seen_by=here.owner)
    return [each for each in shown if each.text.startswith("Saved.")]


async def role(here: SlackOnline) -> str:
    club = await here.group.find_club(None)
    assert club is not None
    return club.channels[0].role


async def test_a_handle_is_kept_as_its_id_and_shown_again_as_the_handle(here: SlackOnline) -> None:
    form = await settings(here, here.owner)
    assert typed_in(form) == ""
    for typed in ("@readers", " Readers ", id_of(here, "readers")):
        await saved(here, form, typed)
        assert await role(here) == id_of(here, "readers")
        form = await settings(here, here.owner)
        assert typed_in(form) == "@readers"
    await saved(here, form, "")
    assert await role(here) == ""
    here.check()


async def test_a_handle_nobody_has_is_a_fault_beside_its_field_with_the_nearest(here: SlackOnline) -> None:
    form = await settings(here, here.owner)
    for typed, words in (
        ("@reeders", "There is no group @reeders here. The nearest is @readers."),
        ("former", "No group @former was found here."),
        ("@channel", "No group @channel was found here."),
        ("S0NOBODY", "No group @S0NOBODY was found here."),
    ):
        done = await here.lab.submit(here.owner, form, {"role": typed, "zone": "Nowhere"})
        assert done.ack_payload["response_action"] == "errors"
        assert done.ack_payload["errors"]["role"].startswith(words)
        assert set(done.ack_payload["errors"]) == {"role", "zone"}
    assert await role(here) == ""
    here.check()


async def test_the_group_is_called_when_a_vote_opens_and_ends_and_at_nothing_else(here: SlackOnline) -> None:
    group = id_of(here, "readers")
    for named in (False, True):
        if named:
            await saved(here, await settings(here, here.owner), "@readers")
        before = len(here.lab.messages(here.channel, by_bot=True))
        await here.typed(here.owner, "/club post now")
        for paper in ("p1", "p2"):
            await here.typed(here.ada, f"/paper nominate {paper}")
        await here.typed(here.owner, "/club open vote")
        await here.tick(here.now + timedelta(seconds=5))
        await here.typed(here.owner, f"/club close vote @here <!subteam^{group}>")
        await here.tick(here.now + timedelta(seconds=5))
        shown = here.lab.messages(here.channel, by_bot=True)[before:]
        called = [each.text.partition("> ")[2] for each in shown if each.pings]
        assert all(each.pings <= {group} for each in shown) and len(shown) >= 3
        assert len(called) == (2 if named else 0), [each.text for each in shown]
    here.check()


async def test_without_an_answer_of_slacks_an_id_stays_and_a_handle_is_a_fault(
    alone: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "PATIENCE", 0.05)
    known, form = Groups(alone.connection), Form("x", "Club", "Save", (RoleField("role", "Group", "S0CLUB"),))
    alone.lab.add_fault("error", path="/usergroups.list", error="missing_scope", times=None)
    for _ in range(2):
        assert await known.taken({"role": "S0CLUB", "a": ["b"]}, ["role"]) == {"role": "S0CLUB", "a": ["b"]}
        assert await known.taken({"role": "@readers"}, ["role"]) == {"role": "@readers", "role.near": ""}
        assert await known.shown(form) == form
        alone.lab.clear_faults()
        alone.lab.add_fault("delay", path="/usergroups.list", seconds=0.2, times=None)
    await asyncio.sleep(0.3)


async def test_slack_is_asked_only_where_a_group_is_named(alone: Station) -> None:
    known = Groups(alone.connection)
    plain = Form("x", "Club", "Save", (RoleField("role", "Group"), TextField("name", "Name", "S0CLUB")))
    assert await known.shown(plain) is plain
    assert await known.taken({"role": " ", "name": "@readers"}, ["role"]) == {"role": " ", "name": "@readers"}
    assert alone.calls("usergroups.list") == []
    group = id_of(alone, "readers")
    for typed in (group, "@READERS", f"<!subteam^{group}|@readers>"):
        assert await known.taken({"role": typed}, ["role"]) == {"role": group}
