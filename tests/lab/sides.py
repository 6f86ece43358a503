"""A club that stands on Discord and Slack, and how people join its sides and their accounts."""

from __future__ import annotations

import re

from bot.clubs.model import Asker
from bot.messages.model import Answer
from tests.lab.house import House, ids_in, on, text_of

HERE = on("discord", 1, admin=True)
"""Set the club up on Discord."""
THERE = on("slack", 11, admin=True)
"""Manages the Slack workspace."""
CODE = re.compile(r"/(?:paper|club) link ([A-Z0-9]{8})\b")


def code_in(answer: Answer) -> str:
    """The code an answer shows."""
    found = CODE.search(text_of(answer))
    assert found is not None, text_of(answer)
    return found[1]


def pressing(answer: Answer, name: str) -> str:
    """The id of the button whose id begins so."""
    (found,) = [each for each in ids_in(answer.message) if each.partition(":")[0] == name]
    return found


async def club_on_both(house: House) -> None:
    """A club set up on Discord and joined by the Slack workspace."""
    await house.set_up(HERE, name="Readers")
    code = code_in(await house.command(HERE, "club link"))
    joined = text_of(await house.command(THERE, "club link", code=code))
    assert "Readers stands in this channel too now." in joined, joined


async def link(house: House, one: Asker, other: Asker) -> Answer:
    """Two accounts of one human, linked as people do it; what the last press answers."""
    code = code_in(await house.command(one, "paper link"))
    asked = await house.command(other, "paper link", code=code)
    await house.press(other, pressing(asked, "link-yes"))
    return await house.press(one, pressing(await house.press(one, "linked"), "link-yes"))


async def unlink(house: House, who: Asker) -> Answer:
    """Taken apart again, from one of the two."""
    return await house.press(who, pressing(await parting(house, who), "unlink"))


async def parting(house: House, who: Asker) -> Answer:
    """What is asked before."""
    return await house.press(who, pressing(await house.command(who, "paper link"), "apart"))


async def leaving(house: House, who: Asker) -> Answer:
    """What an organiser is asked before the club leaves their side."""
    return await house.press(who, pressing(await house.command(who, "club link"), "leaving"))
