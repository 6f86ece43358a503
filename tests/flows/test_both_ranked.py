"""A ranked vote of one club on Discord and Slack: one ballot a human, one result, the same sheet on both sides."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.cli import main
from tests.lab.both_house import BothSides, both_sides
from tests.lab.chatlab import fakeslack
from tests.lab.discord_house import page
from tests.lab.slack_house import clean_log
from tests.lab.voting import CLOSES, OPENS

__all__ = ["clean_log"]

A, B, C, D, E = "p57", "p10", "p21", "p33", "p5"
MINUTE = timedelta(minutes=1)


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[BothSides]:
    """A club on both sides, with papers to read."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with both_sides(tmp_path / "paperclub.db") as opened:
        await opened.one_club()
        yield opened


async def open_ranked(here: BothSides, ties: str) -> None:
    """A vote that ranks, on five papers proposed on both sides, opened a moment ago."""
    owner, there = here.discord.owner, here.discord
    shown = page(await there.typed(owner, "club settings"))
    form = await there.opened(owner, shown, "settings:counting")
    await there.sent(owner, form, {"method": ["schulze"], "ties": [ties]})
    for number, paper in enumerate((A, B, C, D, E)):
        await here.later(60)
        if number % 2:
            await here.slack.typed((here.slack.ada, here.slack.bea)[number // 2], f"/paper nominate {paper}")
        else:
            await there.typed(there.ada, "paper nominate", paper=paper)
    await here.until(OPENS)


async def ranked(here: BothSides, who: Any, *papers: str) -> str:
    """Somebody ranks these papers on the ballot of their side; what they are told."""
    names = [f"choice{place}" for place in range(1, 6)]
    full = (*papers, *[""] * 5)[:5]
    if isinstance(who, fakeslack.User):
        values: dict[str, Any] = {name: paper or None for name, paper in zip(names, full, strict=True)}
        return (await here.slack.sent(who, await here.slack.ballot(who), values)).shown
    form = await here.discord.opened(who, here.discord.poll(), "vote:1")
    chosen = {name: [paper] if paper else [] for name, paper in zip(names, full, strict=True)}
    return page(await here.discord.sent(who, form, chosen)).text


def sheets(here: BothSides) -> list[tuple[str, bytes]]:
    """The files in the results' threads: Discord's, then Slack's."""
    (thread,) = here.discord.lab.threads(here.discord.channel)
    found = [
        (beside["filename"], here.discord.lab.files[beside["id"]])
        for each in here.discord.shown(where=thread)
        for beside in each.attachments
    ]
    (result,) = here.slack.shown("Winner")
    return found + [
        (beside["name"], here.slack.lab.files[beside["id"]])
        for each in here.slack.shown(thread=result.ts)
        for beside in each.files
    ]


async def test_a_ranked_week_on_both_sides_has_one_ballot_a_human_and_one_sheet(
    here: BothSides, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = here.humans(3)
    for human in twice:
        await here.link(human)
    alone = [*here.discord.people(3), *here.slack.people(3)]
    await open_ranked(here, "draw")
    for human in twice:  # on one side first, on the other after a restart: the last press counts
        assert "Counted. First paper 3" in await ranked(here, human.slack, C, B, A)
    await here.restart()
    for human in twice:
        assert "Counted. First paper 1" in await ranked(here, human.discord, A, B, C)
    for who, papers in zip(alone, [(A, B, C), (B, C, A), (C, A, B)] * 2, strict=True):
        assert "Counted. First" in await ranked(here, who, *papers)
    await here.stand("9 have voted")
    mine = (await here.slack.pressed(twice[0].slack, here.slack.poll(), "mine:1")).shown
    same = page(await here.discord.pressed(twice[0].discord, here.discord.poll(), "mine:1")).text
    assert "First paper 1, then papers 2 and 3." in mine and "First paper 1, then papers 2 and 3." in same

    await here.until(CLOSES + MINUTE)
    assert (
        here.numbers("Winner")
        == here.numbers("9 members voted, 3 of them linked on both platforms")
        == (1, 1)
    )
    one, other = sheets(here)
    assert one == other
    name, data = one
    (tmp_path / name).write_bytes(data)
    assert main(["tally", str(tmp_path / name)]) == 0
    assert "The recount gives the published result." in capsys.readouterr().out
    told = json.loads(data)
    assert len(told["ballots"]) == 9 and told["published result"]["winner"] == A
    assert here.numbers(told["log"]["closing"][:16]) == here.numbers(told["ties"]["secret"]) == (1, 1)


async def test_a_tie_is_decided_on_one_side_and_told_on_both(here: BothSides) -> None:
    people = [*here.discord.people(3), *here.slack.people(3)]
    await open_ranked(here, "organiser")
    for who, papers in zip(people, [(A, B), (B, A)] * 3, strict=True):
        await ranked(here, who, *papers)
    await here.until(CLOSES + MINUTE)
    await here.stand("An organiser decides until")
    waiting = here.slack.shown("An organiser decides until")[0]
    form = await here.discord.opened(
        here.discord.owner, here.discord.shown("An organiser decides until")[0], "decide:1"
    )
    done = await here.discord.sent(here.discord.owner, form, {"paper": B, "reason": "Shorter"})
    assert "The tie is decided: " in page(done).text
    await here.later(60)
    await here.stand("Decided by owner. Reason: Shorter")
    assert "The tie is decided: " in waiting.shown  # and the newer message tells how
    told = here.slack.shown("Decided by owner. Reason: Shorter")[0]
    late = await here.slack.pressed(here.slack.ada, told, "how:1")
    assert "and owner decided it as an organiser: " in late.shown


async def test_who_asked_to_be_reminded_votes_from_the_private_message(here: BothSides) -> None:
    (human,) = here.humans(1)
    await here.link(human)
    ada, other = here.discord.ada, here.slack.ada
    await open_ranked(here, "age")
    for who in (ada, here.discord.bea, human.discord):
        mine = page(await here.discord.pressed(who, here.discord.poll(), "mine:1"))
        assert "You get a private reminder" in page(await here.discord.pressed(who, mine, "remind:on")).text
    theirs = await here.slack.pressed(other, here.slack.poll(), "mine:1")
    assert "You get a private reminder" in (await here.slack.pressed(other, theirs, "remind:on")).shown
    await ranked(here, here.discord.bea, A)
    await here.until(CLOSES - MINUTE)
    assert here.numbers("Reminder") == (1, 1)
    asked = "You have not voted yet"
    (told,) = here.discord.private(ada, asked)
    (there,) = here.slack.private(other, asked)
    assert here.discord.private(here.discord.bea, asked) == []
    reached = [*here.discord.private(human.discord, asked), *here.slack.private(human.slack, asked)]
    assert len(reached) == 1  # one human, one reminder

    form = await here.discord.opened(ada, told, "vote:1")
    done = page(await here.discord.sent(ada, form, {"choice1": [B]}))
    assert "Counted. First paper 2." in done.text
    view = await here.slack.opened(other, there, "vote:1")
    assert "Counted. First paper 3." in (await here.slack.sent(other, view, {"choice1": C})).shown
    await here.stand("3 have voted")
    off = "You get no private reminders any more."
    assert off in page(await here.discord.pressed(ada, told, "remind:off")).text
    assert off in (await here.slack.pressed(other, there, "remind:off")).shown
