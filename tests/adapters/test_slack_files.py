"""Messages with a file in Slack: shared exactly once, found again by its title; private ones come by mail."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from adapters.slack import platform as platform_module
from adapters.slack.files import carries, comment, titled
from bot.delivery.model import Sent, Thread
from bot.errors import Refused, Uncertain
from bot.messages.model import (
    Actions,
    Answer,
    Button,
    Code,
    Excerpt,
    File,
    Heading,
    Link,
    Message,
    Paragraph,
    Shown,
    Small,
    Steps,
    Strong,
    Title,
    When,
)
from tests.lab.chatlab.fakeslack.blockkit import escaping_faults
from tests.lab.furnished import stocked
from tests.lab.slack_lab import MARKER, Station, said, station
from tests.lab.slack_online import SlackOnline, slack_online

__all__ = ["stocked"]

SHEET = File("round-5.json", b'{"round": 5}', "Tally sheet of 11 December 2026")
NAME = f"round-5-{MARKER[:8]}.json"
START, DONE = "files.getUploadURLExternal", "files.completeUploadExternal"


def with_file(text: str) -> Message:
    return replace(said(text), file=SHEET)


@pytest.fixture
async def here() -> AsyncIterator[Station]:
    async with station() as opened:
        yield opened


def files(lab: Any, shown: Any) -> list[tuple[str, str, bytes]]:
    return [(each["name"], each["title"], lab.files[each["id"]]) for each in shown.files]


# ---- words ----


def test_the_words_of_a_message_stay_words_and_its_moments_are_each_readers_own() -> None:
    evil = "<!channel> *b* _i_ `c` & <@U1>"
    at = datetime(2026, 12, 11, 16, tzinfo=UTC)
    message = Message(
        "Sheet",
        (
            Title(Shown((evil,))),
            Heading((evil,)),
            Paragraph(
                (
                    "Closed ",
                    When(at, "date"),
                    Strong(" by all "),
                    Code("p57"),
                    Link("here", "https://x.example/"),
                )
            ),
            Excerpt((evil,)),
            Steps(((evil,), ("two",))),
            Actions((Button("mine:5", "My ballot"),)),
            Small(("small print",)),
        ),
        file=SHEET,
    )
    written = comment(message, SHEET, MARKER)
    assert escaping_faults(written) == [] and "<!channel>" not in written and "<@U1>" not in written
    assert (
        f"<!date^{int(at.timestamp())}^{{date_long}}|" in written and "<https://x.example/|here>" in written
    )
    assert " *by all* `p57`" in written and "\n1. " in written and "\n> " in written
    assert "My ballot" not in written and written.endswith(f"small print\n{NAME}")
    assert not any(f"{sign}b{sign}" in written for sign in "*_`")


def test_a_link_has_one_bar_whatever_its_words_and_its_address_are() -> None:
    link = Link("P(A|B) < 1\n& more", "https://x.example/?q=a|b&c=1")
    written = comment(Message("Sheet", (Paragraph(("See ", link, ".")),), file=SHEET), SHEET, MARKER)
    assert "See <https://x.example/?q=a%7Cb&amp;c=1|P(A¦B) &lt; 1 &amp; more>." in written
    assert escaping_faults(written) == []


def test_words_that_are_too_many_end_at_a_line() -> None:
    long = Message("x", tuple(Paragraph((f"{n} " + "word " * 300,)) for n in range(9)), file=SHEET)
    written = comment(long, SHEET, MARKER)
    assert 2_000 < len(written) <= 3_950 and written.endswith(NAME)


def test_a_file_is_told_by_the_code_in_its_title() -> None:
    assert titled(SHEET, MARKER) == NAME
    assert titled(replace(SHEET, name="sheet"), MARKER) == f"sheet-{MARKER[:8]}"
    assert carries({"files": [{"title": NAME}]}, MARKER) and carries({"text": f"x\n{NAME}"}, MARKER)
    for other in ({}, {"files": [None, {"name": SHEET.name}]}, {"text": None, "files": None}):
        assert not carries(other, MARKER)
    assert not carries({"files": [{"name": NAME}]}, MARKER[::-1])


# ---- posts ----


@pytest.mark.parametrize("lag", [0.0, 0.2])
async def test_a_file_is_shared_once_with_the_words_of_its_message(here: Station, lag: float) -> None:
    here.lab.sharing_lag = lag
    sent = await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    (shown,) = here.messages()
    assert sent == Sent(shown.ts)
    assert files(here.lab, shown) == [(SHEET.name, NAME, SHEET.data)]
    assert shown.text == f"*Sheet*\nsmall print\n{NAME}"
    assert await here.platform.find_sent(here.address(), MARKER) == sent
    assert await here.platform.find_sent(here.address(), MARKER[::-1]) is None
    await here.platform.edit(here.address(), sent.message_id, with_file("Changed"), MARKER)
    assert shown.text.startswith("*Changed*") and shown.files
    assert len(here.calls(DONE)) == 1


async def test_a_file_stands_in_a_thread_and_in_private_messages(here: Station) -> None:
    paper = await here.platform.send(here.address(), said("paper"), "x" * 16)
    thread = Thread(paper.message_id, "paper")
    below = await here.platform.send(here.address(), with_file("Sheet"), MARKER, thread)
    (shown,) = here.lab.messages(here.channel, thread_ts=paper.message_id)
    assert below == Sent(shown.ts) and files(here.lab, shown) == [(SHEET.name, NAME, SHEET.data)]
    assert await here.platform.find_sent(here.address(), MARKER, thread) == below
    to = here.address(person=here.member.id)
    sent = await here.platform.send(to, with_file("Sheet"), MARKER)
    room = here.lab.dm(here.member)
    assert sent == Sent(f"{room.id}/{here.messages(room)[0].ts}")
    assert files(here.lab, here.messages(room)[0]) == [(SHEET.name, NAME, SHEET.data)]


async def test_the_group_the_club_named_is_called_and_nobody_else(here: Station) -> None:
    group = here.lab.create_usergroup(here.team, "readers").id
    message = replace(with_file("<!channel> Sheet"), notify=True)
    await here.platform.send(here.address(role=group), message, MARKER)
    assert here.messages()[0].pings == {group}


@pytest.mark.parametrize(
    ("fault", "more"),
    [
        ("drop_after", {}),
        ("status_after", {"status": 502}),
        ("drop_before", {}),
        ("status", {"status": 503}),
        ("error", {"error": "internal_error"}),
    ],
)
async def test_a_share_whose_answer_is_lost_stands_once_and_is_found(
    here: Station, fault: str, more: dict[str, Any]
) -> None:
    here.lab.add_fault(fault, f"/{DONE}", **more)
    with pytest.raises(Uncertain):
        await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    assert len(here.calls(DONE)) == 1
    stands = fault.endswith("_after")
    assert len(here.messages()) == stands
    assert await here.platform.find_sent(here.address(), MARKER) == (
        Sent(here.messages()[0].ts) if stands else None
    )


@pytest.mark.parametrize("path", [f"/{START}", "/upload"])
@pytest.mark.parametrize(
    ("fault", "more"), [("drop_after", {}), ("status", {"status": 500}), ("drop_before", {})]
)
async def test_what_is_lost_before_it_is_shared_surely_did_not_go_out(
    here: Station, path: str, fault: str, more: dict[str, Any]
) -> None:
    here.lab.add_fault(fault, path, **more)
    with pytest.raises(Refused):
        await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    assert here.messages() == [] and here.calls(DONE) == []
    await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    assert len(here.messages()) == 1


async def test_a_share_that_cannot_be_looked_up_leaves_the_doubt(here: Station) -> None:
    """It went out, so it must not be said that it did not."""
    here.lab.add_fault("error", "/conversations.history", error="not_in_channel", times=9)
    with pytest.raises(Uncertain):
        await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    assert len(here.messages()) == 1


async def test_a_share_that_shows_late_is_left_to_be_looked_up(
    here: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_module, "_LOOKS", (0.0,))
    here.lab.sharing_lag = 0.3
    with pytest.raises(Uncertain):
        await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    await here.lab.wait_for(lambda: here.messages())
    assert await here.platform.find_sent(here.address(), MARKER) == Sent(here.messages()[0].ts)


async def test_what_is_in_the_way_of_a_file_is_named(here: Station) -> None:
    here.lab.remove_bot(here.channel)
    with pytest.raises(Refused) as told:
        await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    assert told.value.reason == "not_in_channel" and here.messages() == []


async def test_a_workspace_without_the_scope_gets_the_message_and_is_told(here: Station) -> None:
    here.lab.withheld.add("files:write")
    sent = await here.platform.send(here.address(), with_file("Sheet"), MARKER)
    (shown,) = here.messages()
    assert sent == Sent(shown.ts) and shown.files == [] and shown.blocks
    assert f"{SHEET.name} could not be sent" in shown.shown
    assert await here.platform.find_sent(here.address(), MARKER) == sent


async def test_a_message_without_its_file_is_replaced_whole(here: Station) -> None:
    root = await here.platform.send(here.address(), said("Result"), "root" * 4)
    here.lab.withheld.add("files:write")
    for thread in (None, Thread(root.message_id, "Result")):
        sent = await here.platform.send(here.address(), with_file("Sheet"), MARKER, thread)
        here.lab.withheld.clear()  # allowed since, which brings no file to what stands already
        await here.platform.edit(here.address(), sent.message_id, with_file("Changed"), MARKER)
        shown = here.channel.messages[sent.message_id]
        assert shown.blocks and "Changed" in shown.shown and f"{SHEET.name} could not be sent" in shown.shown
        here.lab.withheld.add("files:write")


# ---- private answers ----


@pytest.fixture
async def club(stocked: Path, tmp_path: Path) -> AsyncIterator[SlackOnline]:
    """A club in a channel, with papers to read."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with slack_online(tmp_path / "paperclub.db") as opened:
        await opened.found_club()
        yield opened


def answering(club: SlackOnline, monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    async def command(*given: Any) -> Answer:
        return answer

    monkeypatch.setattr(club.group, "command", command)


async def test_a_private_answer_says_that_its_file_came_by_mail(
    club: SlackOnline, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(club, monkeypatch, Answer("private", with_file("Sheet")))
    shown = await club.typed(club.ada, "/paper help")
    assert shown.ephemeral and f"{SHEET.name} is in your private messages with Paperclub." in shown.shown
    mail = [each for each in club.lab.messages(club.lab.dm(club.ada)) if each.files]
    assert [files(club.lab, each) for each in mail] == [[(SHEET.name, SHEET.name, SHEET.data)]]
    assert mail[0].text == SHEET.label
    assert not any(each.files for each in club.lab.messages(club.channel))
    club.check()


async def test_without_the_scope_a_private_answer_says_that_the_file_is_missing(
    club: SlackOnline, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.lab.withheld.add("files:write")
    answering(club, monkeypatch, Answer("private", with_file("Sheet")))
    shown = await club.typed(club.ada, "/paper help")
    assert shown.ephemeral and f"{SHEET.name} could not be sent" in shown.shown


@pytest.mark.parametrize(
    "fault", [("drop_after", {}), ("status_after", {"status": 500})], ids=["lost", "5xx"]
)
async def test_of_a_file_whose_answer_was_lost_nobody_says_that_it_did_not_come(
    club: SlackOnline, monkeypatch: pytest.MonkeyPatch, fault: tuple[str, dict[str, Any]]
) -> None:
    club.lab.add_fault(fault[0], f"/{DONE}", **fault[1])
    answering(club, monkeypatch, Answer("private", with_file("Sheet")))
    shown = await club.typed(club.ada, "/paper help")
    assert f"Nobody can tell whether {SHEET.name} was sent." in shown.shown
    assert "could not be sent" not in shown.shown
    assert len(club.lab.messages(club.lab.dm(club.ada), by_bot=True)) == 1


async def test_an_answer_for_all_brings_its_file_into_the_channel(
    club: SlackOnline, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(club, monkeypatch, Answer("public", with_file("Sheet")))
    await club.typed(club.ada, "/paper help")
    (shared,) = (each for each in club.lab.messages(club.channel) if each.files)
    assert files(club.lab, shared) == [(SHEET.name, SHEET.name, SHEET.data)]
    club.check()
