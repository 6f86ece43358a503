"""A ranked vote in Slack: five menus, a restart in the middle, a circle of papers, a sheet a stranger recounts."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.cli import main
from tests.lab.chatlab.fakeslack import Message as Shown
from tests.lab.chatlab.fakeslack import User, View
from tests.lab.slack_house import ClubWorkspace, clean_log, club_workspace, fields
from tests.lab.voting import CLOSES, OPENS

__all__ = ["clean_log"]

A, B, C, D, E, F = "p57", "p10", "p21", "p33", "p5", "p6"
CIRCLE = [(A, B, C)] * 4 + [(B, C, A)] * 3 + [(C, A, B)] * 2
"""A before B 6 : 3, B before C 7 : 2, C before A 5 : 4."""


@pytest.fixture(params=["socket", "http"])
async def here(stocked: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[ClubWorkspace]:
    """A workspace with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db", http=request.param == "http") as opened:
        yield opened


async def open_ranked(here: ClubWorkspace, **values: str) -> list[User]:
    """A club that ranks, with a vote on six papers, opened a moment ago; its members."""
    await here.set_up()
    shown = await here.typed(here.owner, "/club settings")
    form = await here.opened(here.owner, shown, "settings:counting")
    saved = await here.sent(here.owner, form, {"method": "schulze", **values})
    assert "Changes to the vote apply from the next round" in saved.shown
    people = here.people(6)
    for who, paper in zip(people, (A, B, C, D, E, F), strict=True):
        await here.later(60)
        await here.typed(who, f"/paper nominate {paper}")
    await here.until(OPENS)
    return [*people, here.ada, here.bea, here.owner]


def ranking(*papers: str) -> dict[str, Any]:
    """The five menus of a ballot, '' where nothing is chosen."""
    chosen = {f"choice{place}": paper or None for place, paper in enumerate(papers, 1)}
    return {f"choice{place}": None for place in range(1, 6)} | chosen


def chosen(view: View) -> list[str]:
    """What the menus of a ballot say as it opens."""
    return [each.get("initial_option", {}).get("value", "") for each in fields(view).values()]


async def ranked(here: ClubWorkspace, who: User, *papers: str) -> str:
    """Somebody ranks these papers; what they are told."""
    return (await here.sent(who, await here.ballot(who), ranking(*papers))).shown


def flat(shown: Shown) -> str:
    """What a message says, on one line."""
    return " ".join(shown.shown.split())


def sheet(here: ClubWorkspace, result: Shown) -> tuple[str, bytes]:
    """The file in the result's thread: its name and what is in it."""
    (told,) = (each for each in here.shown(thread=result.ts) if each.files)
    (beside,) = told.files
    return beside["name"], here.lab.files[beside["id"]]


def recounted(folder: Path, name: str, data: bytes, capsys: pytest.CaptureFixture[str]) -> str:
    """What a stranger with nothing but the file is told."""
    (folder / name).write_bytes(data)
    assert main(["tally", str(folder / name)]) == 0
    return capsys.readouterr().out


def all_that_was_sent(here: ClubWorkspace) -> str:
    """Every call the bot made, private answers included."""
    return "\n".join(str(each) for each in here.lab.requests)


def ballots_of(data: bytes) -> dict[str, Any]:
    return {each["receipt"]: each["ranking"] for each in json.loads(data)["ballots"]}


async def test_a_ranked_week_with_a_circle_is_recounted_from_its_sheet(
    here: ClubWorkspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = await open_ranked(here, ties="draw")
    first, second, third, fourth = people[:4]
    view = await here.ballot(first)
    assert list(fields(view)) == [f"choice{place}" for place in range(1, 6)] and not any(chosen(view))
    assert "whoever runs the bot could" in view.shown and "Fewer than five ballots" in view.shown
    await here.lab.close_view(first, view)

    # Changed, a paper twice, a gap, blank, taken back.
    assert "Counted. First paper 1, then papers 2 and 3." in await ranked(here, first, A, B, C)
    again = await here.ballot(first)
    assert chosen(again) == [A, B, C, "", ""]
    await here.lab.close_view(first, again)
    odd = await ranked(here, second, B, "", B, C)
    assert (
        "First paper 2, then paper 3." in odd and "Paper 2 was ranked twice; its higher place counts." in odd
    )
    assert "Counted as present, without a wish." in await ranked(here, third)
    stands = await here.pressed(third, here.poll(), "mine:1")
    assert "present, without a wish" in stands.shown
    assert "as if you had not voted" in (await here.redrawn(third, stands, "retract:1")).shown
    assert "You have not voted in this round." in (await here.pressed(fourth, here.poll(), "mine:1")).shown

    # A form from before a restart counts after it.
    view = await here.ballot(third)
    await here.restart()
    assert "Counted. First paper 1" in (await here.sent(third, view, ranking(A, B, C))).shown
    for who, papers in zip(people, CIRCLE, strict=True):
        assert "Counted. First" in await ranked(here, who, *papers)
    await here.stands(None, "9 have voted")
    receipt = re.search(r"Your receipt: (\w{10})", flat(await here.pressed(second, here.poll(), "mine:1")))
    assert receipt is not None

    # Until the closing nobody has the secret; the seal is there from the beginning.
    seal = re.search(r"draw seal (\w{16})", flat(here.poll()))
    before = all_that_was_sent(here)
    await here.until(CLOSES + timedelta(minutes=1))
    result = await here.stands(None, "Winner")
    secret = re.search(r"draw secret (\w{32})", flat(result))
    head = re.search(r"Ballot log (\w{16})", flat(result))
    assert seal is not None and secret is not None and head is not None
    assert secret[1] not in before and head[1] not in before

    # The circle is told, every pair shown, and the sheet says the same.
    assert "No paper beat all the others. The narrowest duel" in result.shown
    how = await here.pressed(first, result, "how:1")
    (table,) = (block for block in how.blocks if block["type"] == "table")
    assert how.only_for == first.id and "In a circle: " in how.shown
    assert [cell["text"] for cell in table["rows"][1]][1:4] == ["–", "6 : 3 won", "4 : 5 lost"]
    name, data = sheet(here, result)
    assert "is in your private messages" in (await here.pressed(fourth, result, "sheet:1")).shown
    (mailed,) = (each for each in here.private(fourth) if each.files)
    assert here.lab.files[mailed.files[0]["id"]] == data
    assert "The recount gives the published result." in recounted(tmp_path, name, data, capsys)
    assert ballots_of(data)[receipt[1]] == [[paper] for paper in CIRCLE[1]]
    assert len(ballots_of(data)) == 9 and b"member-" not in data
    assert json.loads(data)["log"]["closing"].startswith(head[1])
    assert json.loads(data)["ties"]["commitment"].startswith(seal[1])
    assert json.loads(data)["published result"]["winner"] == A


async def test_a_tie_an_organiser_decides_is_told_by_name_and_reason(here: ClubWorkspace) -> None:
    people = await open_ranked(here, ties="organiser")
    for who, papers in zip(people[:6], [(A, B), (B, A)] * 3, strict=True):
        await ranked(here, who, *papers)
    await here.until(CLOSES + timedelta(minutes=1))
    waiting = await here.stands(None, "An organiser decides until")
    assert json.loads(sheet(here, waiting)[1])["published result"]["outcome"] == "waiting"
    assert "Only organisers can do this." in (await here.pressed(people[0], waiting, "decide:1")).shown
    form = await here.opened(here.owner, waiting, "decide:1")
    decided = await here.sent(here.owner, form, {"paper": B, "reason": "Shorter, *and* <!channel>"})
    assert "The tie is decided: " in decided.shown
    await here.later(60)
    told = await here.stands(None, "Decided by owner. Reason: Shorter, *and*")
    assert "A tie, decided by an organiser" in told.shown and "p10" in told.shown
    assert all(each.pings == set() for each in here.shown())
    await here.pressed(people[0], told, "sheet:1")
    (mailed,) = (each for each in here.private(people[0]) if each.files)
    decision = json.loads(here.lab.files[mailed.files[0]["id"]])["published result"]
    assert decision["winner"] == B and decision["decided_by"] == "owner"
