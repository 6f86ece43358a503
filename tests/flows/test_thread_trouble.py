"""A channel that is well but takes no thread: the organisers hear of it once, and all comes once it is mended."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.delivery.model import Address, Sent, Thread
from bot.errors import Refused
from bot.messages.model import Message
from tests.lab.house import House, on, said, text_of
from tests.lab.sides import club_on_both
from tests.lab.voting import CLOSES, OPENS, WEEK, cast_all, open_vote, told

HOUR = timedelta(hours=1)
TOLD = "I may not open a discussion in"


class Shut:
    """Whether a house's platform refuses threads, and why."""

    def __init__(self, house: House, monkeypatch: pytest.MonkeyPatch, side: str = "preview") -> None:
        self.reason = "forbidden:create_public_threads"
        platform = house.platforms[side]
        send = platform.send

        async def refusing(to: Address, message: Message, marker: str, thread: Thread | None = None) -> Sent:
            if thread is not None and self.reason:
                raise Refused(self.reason)
            return await send(to, message, marker, thread)

        monkeypatch.setattr(platform, "send", refusing)


async def decided(house: House, round_id: int = 1) -> None:
    """A vote that chooses a paper; an hour has gone since."""
    if round_id == 1:
        await open_vote(house)
    else:
        await house.until(OPENS + WEEK)
    await cast_all(house, "approval", round_id, [("p57" if round_id == 1 else "p10",)] * 5)
    await house.until(CLOSES + HOUR + (round_id - 1) * WEEK)


async def test_organisers_hear_once_that_no_discussion_may_be_opened_and_again_only_after_one_was(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut = Shut(house, monkeypatch)
    await decided(house)
    (notice,) = house.platform.to_person("u1")
    assert f"{TOLD} #papers." in said(notice.message)
    assert "Missing: Create Public Threads." in said(notice.message)
    assert not house.platform.to_person("u2") and not house.platform.in_channel(start=TOLD)
    shut.reason = ""
    await house.until(CLOSES + 4 * HOUR)
    assert len(told(house, 1, "thread")) == len(told(house, 1, "sheet")) == 1
    shut.reason = "forbidden:send_messages_in_threads"
    await decided(house, 2)
    assert len(house.platform.to_person("u1")) == 2


async def test_while_nothing_is_mended_the_next_week_tells_nobody_anew(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    Shut(house, monkeypatch)
    await decided(house)
    await decided(house, 2)
    assert len(house.platform.to_person("u1")) == 1
    assert house.platform.in_channel(start="Today’s paper")[-1].at > CLOSES  # the channel itself is well


async def test_where_no_organiser_takes_private_messages_the_channel_hears_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    Shut(house, monkeypatch)
    house.platform.broken["u1"] = "closed"
    await decided(house)
    (notice,) = house.platform.in_channel(start=TOLD)
    assert "Allow it, and that of the chosen paper comes by itself" in said(notice.message)
    assert not house.platform.to_person("u1")


async def test_a_thread_that_is_gone_or_locked_is_no_missing_right(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut = Shut(house, monkeypatch)
    shut.reason = "locked"
    await decided(house)
    assert not house.platform.to_person("u1") and not house.platform.in_channel(start=TOLD)


async def test_what_is_heard_on_one_side_does_not_silence_the_channel_of_the_other(
    both: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side in both.platforms:
        Shut(both, monkeypatch, side)
    both.platforms["slack"].broken["u11"] = "closed"
    await club_on_both(both)
    for number, paper in ((2, "p57"), (3, "p10")):
        assert "Nominated: " in text_of(
            await both.command(on("discord", number), "paper nominate", paper=paper)
        )
    await both.until(OPENS)
    await both.vote(on("discord", 2), 1, "p57")
    await both.until(CLOSES + HOUR)
    assert len(both.platforms["discord"].to_person("u1")) == 1
    assert not both.platforms["discord"].in_channel("discord-papers", TOLD)
    assert len(both.platforms["slack"].in_channel("slack-papers", TOLD)) == 1
