"""While a club rests every answer says so, and nothing is promised before the pause ends."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from bot.messages.model import Block, When
from tests.lab.house import CHAIR, MEMBER, House, text_of


async def test_settings_and_help_say_until_when_and_what_comes_then(house: House) -> None:
    await house.set_up()
    paused = await house.command(CHAIR, "club pause", until="2026-12-12")
    assert "Paused until Saturday 12 December." in text_of(paused)
    settings = text_of(await house.command(CHAIR, "club settings"))
    assert "Paused until Saturday 12 December." in settings
    assert "Next paper Mon 14 Dec, 09:00. Next vote Thu 17 Dec, 09:00." in settings
    helped = text_of(await house.command(MEMBER, "paper help"))
    assert "Paused until Saturday 12 December. When the club is not paused: A paper every weekday" in helped
    form = {"daily_time": "10:00", "daily_days": ["sat"]}
    today = text_of(await house.command(MEMBER, "paper today"))
    assert "No paper has been posted yet. The club is paused." in today
    saved = text_of(await house.submit(CHAIR, "configure:daily", **form))
    assert "Saved. Next paper Sat 12 Dec, 10:00; next vote Thu 17 Dec, 09:00." in saved


async def test_a_pause_without_an_end_promises_nothing(house: House) -> None:
    await house.set_up()
    await house.command(CHAIR, "club pause")
    settings = text_of(await house.command(CHAIR, "club settings"))
    assert "Paused until somebody writes /club resume." in settings and "Next " not in settings
    saved = text_of(await house.submit(CHAIR, "configure:daily", daily_time="10:00", daily_days=["sat"]))
    assert "Saved. Paused until somebody writes /club resume." in saved and "Next " not in saved
    resumed = text_of(await house.command(CHAIR, "club resume"))
    assert "Next paper Sat 5 Dec, 10:00." in resumed
    assert "Paused" not in text_of(await house.command(CHAIR, "club settings"))


async def test_nothing_new_is_asked_for_in_a_pause(house: House) -> None:
    await house.set_up()
    for paper in ("p1", "p2"):
        await house.command(MEMBER, "paper nominate", paper=paper)
    for until, sentence in (
        ("2026-12-12", "The club is paused until Saturday 12 December. Write /club resume first."),
        ("", "The club is paused. Write /club resume first."),
    ):
        await house.command(CHAIR, "club pause", until=until)
        for answer in (
            await house.command(CHAIR, "club post now"),
            await house.press(CHAIR, "post"),
            await house.command(CHAIR, "club open vote"),
        ):
            assert sentence in text_of(answer)
    await house.tick(house.now + timedelta(minutes=1))
    assert not house.platform.posts
    await house.command(CHAIR, "club resume")
    assert "On its way to the channel as today’s paper: " in text_of(
        await house.command(CHAIR, "club post now")
    )
    assert "The vote is open with 2 papers." in text_of(await house.command(CHAIR, "club open vote"))


async def test_the_day_a_pause_ends_is_that_day_for_readers_far_west_too(house: House) -> None:
    await house.set_up()
    paused = await house.command(CHAIR, "club pause", until="2026-12-12")
    refused = await house.command(CHAIR, "club post now")
    for answer in (paused, refused):
        assert answer.message is not None
        [when] = [part for part in _parts(answer.message.blocks) if isinstance(part, When)]
        assert when.at.astimezone(ZoneInfo("America/Los_Angeles")).date() == date(2026, 12, 12)


def _parts(blocks: tuple[Block, ...]) -> list[object]:
    return [part for block in blocks for part in getattr(block, "text", ())]
