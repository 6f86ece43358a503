"""Messages with a file on Discord: posted once, wherever they stand; without the right they go out without it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import discord.http
import pytest

from adapters.discord import buttons
from adapters.discord.render import payload
from bot.delivery.model import Sent, Thread
from bot.errors import Refused
from bot.messages.model import Answer, File, Message, Paragraph
from tests.lab.chatlab.fakediscord.errors import ApiError
from tests.lab.chatlab.fakediscord.validate import check_attachments, check_message
from tests.lab.discord_lab import CODE, MARKER, HastyAsyncio, Station, said, station
from tests.lab.furnished import stocked
from tests.lab.online import Online, online

__all__ = ["stocked"]

FORUM = 15
SHEET = File("round-5.json", b'{"round": 5}', "Tally sheet of 11 December 2026")


def with_file(text: str) -> Message:
    return replace(said(text), file=SHEET)


@pytest.fixture
async def here() -> AsyncIterator[Station]:
    async with station() as opened:
        yield opened


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library does not wait long before it repeats a call."""
    monkeypatch.setattr(discord.http, "asyncio", HastyAsyncio())


def files(here: Any, shown: Any) -> list[tuple[str, bytes]]:
    """What stands beside a message: names and contents."""
    return [(each["filename"], here.lab.files[each["id"]]) for each in shown.attachments]


# ---- payloads ----


def test_the_file_stands_before_the_small_print_and_is_announced_with_its_label() -> None:
    sent = payload(with_file("Sheet"), code="abcdef")
    check_message(sent, settable_flags=1 << 15, has_files=True)
    check_attachments(sent, [(SHEET.name, SHEET.data)])
    kinds = [each["type"] for each in sent["components"][0]["components"]]
    assert kinds == [10, 13, 10]
    assert sent["attachments"] == [{"id": 0, "filename": SHEET.name, "description": SHEET.label}]


def test_a_message_that_is_far_too_long_keeps_its_file() -> None:
    long = Message("x", tuple(Paragraph((str(n) * 3_000,)) for n in range(9)) * 10, file=SHEET)
    sent = payload(long, code="abcdef")
    check_message(sent, settable_flags=1 << 15, has_files=True)
    check_attachments(sent, [(SHEET.name, SHEET.data)])


def test_the_strict_server_wants_every_file_announced_and_shown() -> None:
    sent = payload(with_file("Sheet"))
    for bad, given in (
        (sent, []),
        (sent, [("other.json", b"")]),
        (sent | {"attachments": [{"id": 1}]}, [(SHEET.name, b"")]),
        (payload(said("x")), [(SHEET.name, b"")]),
    ):
        with pytest.raises(ApiError):
            check_attachments(bad, given)


# ---- posts ----


async def test_a_file_stands_beside_its_message_once_and_an_edit_keeps_it(here: Station) -> None:
    sent = await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    assert await here.platform.send(here.address(), with_file("Sheet"), MARKER) == sent
    (shown,) = here.messages()
    assert files(here, shown) == [(SHEET.name, SHEET.data)] and shown.text.endswith(CODE)
    assert await here.platform.find_sent(here.address(), MARKER) == sent
    newer = replace(with_file("Changed"), file=replace(SHEET, data=b"newer"))
    await here.platform.edit(here.address(), sent.message_id, newer, MARKER)
    assert files(here, shown) == [(SHEET.name, b"newer")]
    await here.platform.edit(here.address(), sent.message_id, said("Changed again"), MARKER)
    assert files(here, shown) == [(SHEET.name, b"newer")]
    assert here.lab.bot_errors() == []


async def test_a_file_stands_in_a_thread_a_forum_and_private_messages(here: Station) -> None:
    paper = await here.platform.send(here.address(), said("Winner"), "w" * 16)
    below = await here.platform.send(
        here.address(), with_file("Sheet"), MARKER, Thread(paper.message_id, "x")
    )
    (thread,) = here.lab.threads(here.channel)
    assert files(here, here.messages(thread)[-1]) == [(SHEET.name, SHEET.data)]
    assert await here.platform.find_sent(here.address(), MARKER, Thread(paper.message_id, "x")) == below
    forum = here.room("forum", FORUM)
    await here.platform.send(here.address(forum), with_file("Sheet"), MARKER)
    (post,) = here.lab.threads(forum)
    assert files(here, here.messages(post)[0]) == [(SHEET.name, SHEET.data)]
    to = here.address(person=str(here.member.id))
    await here.platform.send(to, with_file("Sheet"), MARKER[::-1])
    assert files(here, here.messages(here.lab.dm(here.member))[0]) == [(SHEET.name, SHEET.data)]
    assert here.lab.bot_errors() == []


@pytest.mark.parametrize(("fault", "more"), [("drop_after", {}), ("status_after", {"status": 502})])
async def test_an_answer_that_is_lost_leaves_one_post_with_its_file(
    here: Station, hasty: None, fault: str, more: dict[str, Any]
) -> None:
    """Whatever came of the call, the next try does not post it again."""
    here.lab.add_fault(fault, f"/channels/{here.channel.id}/messages", method="POST", **more)
    try:
        await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    except Exception as error:
        assert not isinstance(error, Refused)
    (shown,) = here.messages()
    assert await here.platform.find_sent(here.address(), MARKER) == Sent(str(shown.id))
    await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    assert len(here.messages()) == 1 and files(here, shown) == [(SHEET.name, SHEET.data)]


async def test_where_no_file_may_be_sent_the_message_goes_without_it_and_says_so(here: Station) -> None:
    here.lab.deny_bot(here.channel, "attach_files")
    sent = await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    (shown,) = here.messages()
    assert shown.attachments == [] and sent == Sent(str(shown.id))
    assert f"{SHEET.name} could not be sent" in shown.text and shown.text.endswith(CODE)


async def test_who_may_not_write_at_all_is_refused_with_a_file_too(here: Station) -> None:
    here.lab.deny_bot(here.channel, "send_messages")
    await here.told()
    with pytest.raises(Refused) as told:
        await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    assert told.value.reason == "forbidden:send_messages" and here.messages() == []


# ---- private answers ----


@pytest.fixture
async def club(stocked: Path, tmp_path: Path) -> AsyncIterator[Online]:
    """A club in a channel, with papers to read."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with online(tmp_path / "paperclub.db") as opened:
        await opened.found_club()
        yield opened


def answering(club: Online, monkeypatch: pytest.MonkeyPatch, answer: Answer, seconds: float = 0) -> None:
    async def command(*given: Any) -> Answer:
        await asyncio.sleep(seconds)
        return answer

    monkeypatch.setattr(club.group, "command", command)


async def test_a_private_answer_brings_its_file_and_so_does_the_one_after_it(
    club: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = replace(SHEET, name="other.json")
    answering(club, monkeypatch, Answer("private", with_file("A"), also=replace(with_file("B"), file=other)))
    done = await club.lab.slash(club.ada, club.channel, "paper help")
    await club.lab.wait_for(lambda: done.followups)
    assert done.response is not None and done.response.ephemeral and done.followups[0].ephemeral
    assert files(club, done.response) == [(SHEET.name, SHEET.data)]
    assert files(club, done.followups[0]) == [("other.json", SHEET.data)]
    assert done.errors == []


async def test_a_private_answer_that_takes_long_brings_its_file(
    club: Online, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buttons, "PATIENCE", 0.05)
    answering(club, monkeypatch, Answer("private", with_file("Sheet")), 0.3)
    done = await club.lab.slash(club.ada, club.channel, "paper help")
    await club.lab.wait_for(lambda: done.response)
    response = done.response
    assert response is not None
    assert response.ephemeral and files(club, response) == [(SHEET.name, SHEET.data)]
    assert done.errors == []
