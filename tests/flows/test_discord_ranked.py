"""A ranked vote in Discord: five menus, a restart in the middle, a circle of papers, a sheet a stranger recounts."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.cli import main
from tests.lab.chatlab.fakediscord import Message as Shown
from tests.lab.chatlab.fakediscord import User
from tests.lab.chatlab.fakediscord.model import Interaction
from tests.lab.discord_house import ClubServer, club_server, page, standing
from tests.lab.voting import CLOSES, OPENS

A, B, C, D, E, F = "p57", "p10", "p21", "p33", "p5", "p6"
CIRCLE = [(A, B, C)] * 4 + [(B, C, A)] * 3 + [(C, A, B)] * 2
"""A before B 6 : 3, B before C 7 : 2, C before A 5 : 4."""


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubServer]:
    """A server with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_server(tmp_path / "paperclub.db") as opened:
        yield opened


async def counting(here: ClubServer, **values: str) -> str:
    """The owner changes how the club counts; what they are told."""
    shown = page(await here.typed(here.owner, "club settings"))
    form = await here.opened(here.owner, shown, "settings:counting")
    menus = {name: [value] if name in ("method", "ties") else value for name, value in values.items()}
    return page(await here.sent(here.owner, form, menus)).text


async def open_ranked(here: ClubServer, **values: str) -> list[User]:
    """A club that ranks, with a vote on six papers, opened a moment ago; its members."""
    await here.set_up()
    assert "Changes to the vote apply from the next round" in await counting(here, method="schulze", **values)
    people = here.people(6)
    for who, paper in zip(people, (A, B, C, D, E, F), strict=True):
        await here.tick(here.now + timedelta(minutes=1))
        await here.typed(who, "paper nominate", paper=paper)
    await here.until(OPENS)
    return [*people, here.ada, here.bea, here.owner]


def ranking(*papers: str) -> dict[str, list[str]]:
    """The five menus of a ballot, '' where nothing is chosen."""
    chosen = {f"choice{place}": [paper] if paper else [] for place, paper in enumerate(papers, 1)}
    return {f"choice{place}": [] for place in range(1, 6)} | chosen


async def ballot(here: ClubServer, who: User) -> Interaction:
    return await here.opened(who, here.poll(), "vote:1")


async def ranked(here: ClubServer, who: User, *papers: str) -> Shown:
    """Somebody ranks these papers; what they are shown."""
    return page(await here.sent(who, await ballot(here, who), ranking(*papers)))


async def mine(here: ClubServer, who: User) -> Shown:
    return page(await here.pressed(who, here.poll(), "mine:1"))


def sheet(here: ClubServer) -> tuple[str, bytes]:
    """The file in the result's thread: its name and what is in it."""
    (thread,) = here.lab.threads(here.channel)
    (told,) = (each for each in here.shown(where=thread) if each.attachments)
    (beside,) = told.attachments
    return beside["filename"], here.lab.files[beside["id"]]


def recounted(folder: Path, name: str, data: bytes, capsys: pytest.CaptureFixture[str]) -> str:
    """What a stranger with nothing but the file is told."""
    (folder / name).write_bytes(data)
    assert main(["tally", str(folder / name)]) == 0
    return capsys.readouterr().out


def all_that_was_sent(here: ClubServer) -> str:
    """Every call the bot made, private answers included."""
    return "\n".join(str(each.body) for each in here.lab.requests)


def ballots_of(data: bytes) -> dict[str, Any]:
    return {each["receipt"]: each["ranking"] for each in json.loads(data)["ballots"]}


async def test_a_ranked_week_with_a_circle_is_recounted_from_its_sheet(
    here: ClubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = await open_ranked(here, ties="draw")
    first, second, third, fourth = people[:4]
    form = await ballot(here, first)
    assert form.modal is not None and standing(form) == {}  # nothing is chosen beforehand
    labels = [part["label"] for part in form.modal["components"]]
    assert labels == ["First choice", "Second choice", "Third choice", "Fourth choice", "Fifth choice"]
    hints = " ".join(part.get("description", "") for part in form.modal["components"])
    assert "whoever runs the bot could" in hints and "Fewer than five ballots" in hints

    # Changed, a paper twice, a gap, blank, taken back.
    assert "Counted. First paper 1, then papers 2 and 3." in (await ranked(here, first, A, B, C)).text
    again = await ballot(here, first)
    assert standing(again) == {"choice1": [A], "choice2": [B], "choice3": [C]}
    odd = (await ranked(here, second, B, "", B, C)).text
    assert (
        "First paper 2, then paper 3." in odd and "Paper 2 was ranked twice; its higher place counts." in odd
    )
    assert "Counted as present, without a wish." in (await ranked(here, third)).text
    stands = await mine(here, third)
    assert "present, without a wish" in stands.text
    assert "as if you had not voted" in page(await here.pressed(third, stands, "retract:1")).text
    assert "You have not voted in this round." in (await mine(here, fourth)).text

    # A form from before a restart counts after it.
    form = await ballot(here, third)
    await here.restart()
    assert "Counted. First paper 1" in page(await here.sent(third, form, ranking(A, B, C))).text
    for who, papers in zip(people, CIRCLE, strict=True):
        assert "Counted. First" in (await ranked(here, who, *papers)).text
    await here.stands(None, "9 have voted")
    receipt = re.search(r"Your receipt: `(\w{10})`", (await mine(here, second)).text)
    assert receipt is not None

    # Until the closing nobody has the secret; the seal is there from the beginning.
    seal = re.search(r"draw seal `(\w{16})`", here.poll().text)
    before = all_that_was_sent(here)
    await here.until(CLOSES + timedelta(minutes=1))
    result = (await here.stands(None, "**Result**")).text
    secret = re.search(r"draw secret `(\w{32})`", result)
    head = re.search(r"Ballot log `(\w{16})`", result)
    assert seal is not None and secret is not None and head is not None
    assert secret[1] not in before and head[1] not in before

    # The circle is told, every pair shown, and the sheet says the same.
    assert "No paper beat all the others. The narrowest duel" in result and "set aside" in result
    how = page(await here.pressed(first, here.shown("**Result**")[0], "how:1"))
    assert how.ephemeral and "In a circle: " in how.text and "4 : 5 against 3 (set aside)" in how.text
    name, data = sheet(here)
    asked = page(await here.pressed(fourth, here.shown("**Result**")[0], "sheet:1"))
    assert asked.ephemeral and here.lab.files[asked.attachments[0]["id"]] == data
    assert "The recount gives the published result." in recounted(tmp_path, name, data, capsys)
    assert ballots_of(data)[receipt[1]] == [[paper] for paper in CIRCLE[1]]
    assert len(ballots_of(data)) == 9 and b"member-" not in data
    assert json.loads(data)["log"]["closing"].startswith(head[1])
    assert json.loads(data)["ties"]["commitment"].startswith(seal[1])
    assert json.loads(data)["published result"]["winner"] == A
    asks = ["--database", str(here.path), "audit", "--head", head[1]]
    assert await asyncio.to_thread(main, asks) == 0
    assert "vote 1: the ballot log had this head" in capsys.readouterr().out


async def test_a_tie_an_organiser_decides_is_told_by_name_and_reason(here: ClubServer) -> None:
    people = await open_ranked(here, ties="organiser")
    for who, papers in zip(people[:6], [(A, B), (B, A)] * 3, strict=True):
        await ranked(here, who, *papers)
    await here.until(CLOSES + timedelta(minutes=1))
    waiting = await here.stands(None, "An organiser decides until")
    _, data = sheet(here)
    assert json.loads(data)["published result"]["outcome"] == "waiting"
    assert "Only organisers can do this." in page(await here.pressed(people[0], waiting, "decide:1")).text
    form = await here.opened(here.owner, waiting, "decide:1")
    decided = await here.sent(here.owner, form, {"paper": B, "reason": "Shorter, *and* newer"})
    assert "The tie is decided: " in page(decided).text
    await here.tick(here.now + timedelta(minutes=1))
    told = await here.stands(None, "Decided by owner. Reason: Shorter, \\*and\\* newer")
    assert "A tie, decided by an organiser" in told.text and "p10" in told.text
    asked = page(await here.pressed(people[0], told, "sheet:1"))
    decision = json.loads(here.lab.files[asked.attachments[0]["id"]])["published result"]
    assert decision["winner"] == B and decision["decided_by"] == "owner"
