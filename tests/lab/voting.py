"""A club's vote in a house: how it counts, ballots by its method, and what stands in the channel after it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.clubs.model import Asker
from bot.delivery.model import marker_of
from bot.messages.model import Answer, Message
from tests.lab.house import House, Posted, person, text_of

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
"""Thursday 09:00 in Berlin."""
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
"""Friday 17:00 there."""
WEEK = timedelta(days=7)
MEETS = datetime(2026, 12, 7, 15, tzinfo=UTC)
RANKED = ("schulze", "irv")
PAPERS = ("p57", "p10", "p21")


async def open_vote(house: House, *papers: str, **counting: str) -> int:
    """A new club that counts so, on Thursday, with these papers nominated by members 2, 3, 4 …; the round."""
    await house.set_up()
    if counting:
        saved = text_of(await house.counting(**counting))
        assert "Changes to the vote apply from the next round" in saved, saved
    for number, paper in enumerate(papers or PAPERS, 2):
        house.now += timedelta(minutes=1)
        assert "Nominated: " in text_of(await house.command(person(number), "paper nominate", paper=paper))
    await house.until(OPENS)
    return 1


async def cast(house: House, method: str, who: Asker, round_id: int, *papers: str) -> Answer:
    """A ballot as its method's form sends it."""
    if method in RANKED:
        return await house.rank(who, round_id, *papers)
    if method == "plurality":
        return await house.submit(who, f"ballot:{round_id}", papers=papers[0] if papers else "")
    return await house.vote(who, round_id, *papers)


async def cast_all(
    house: House, method: str, round_id: int, ballots: Sequence[Sequence[str]], first: int = 2
) -> None:
    """Each of these ballots by a member of their own."""
    for number, papers in enumerate(ballots, first):
        counted = text_of(await cast(house, method, person(number), round_id, *papers))
        assert counted.startswith("Counted"), counted


def told(house: House, round_id: int, kind: str = "result") -> list[Posted]:
    """What of this kind was said of a round, wherever it stands: open, reminder, result, thread, sheet, decision."""
    subject = f"{round_id}:{kind}"
    return [
        posted
        for platform in house.platforms.values()
        for posted in platform.posts
        if posted.marker == marker_of(1, kind, subject, posted.to.channel_id)
    ]


def result(house: House, round_id: int) -> Message:
    """The result of a round as it stands in the channel."""
    (posted,) = told(house, round_id)
    return posted.message


def sheet_in(message: Message | None) -> Mapping[str, Any]:
    """The tally sheet that goes with a message."""
    assert message is not None and message.file is not None
    found = json.loads(message.file.data)
    assert isinstance(found, dict)
    return found
