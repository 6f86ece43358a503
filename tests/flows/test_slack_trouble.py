"""What Slack loses, refuses, cuts and tells twice during a club's week, and polls that are gone: one of everything."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.lab.slack_house import (
    ClubWorkspace,
    clean_log,
    club_workspace,
    ids,
    ticked,
)

__all__ = ["clean_log"]

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
WEEK, HOUR, SECOND = timedelta(days=7), timedelta(hours=1), timedelta(seconds=1)


@pytest.fixture(params=["socket", "http"])
async def here(stocked: Path, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[ClubWorkspace]:
    """A workspace with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db", http=request.param == "http") as opened:
        yield opened


@pytest.fixture
async def by_socket(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubWorkspace]:
    """The same by socket alone, for what does not depend on the way."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db") as opened:
        yield opened


async def open_vote(here: ClubWorkspace, *papers: str) -> None:
    """A club with a vote on these papers, proposed by one member each, opened a moment ago."""
    await here.set_up()
    for who, paper in zip(here.people(len(papers)), papers, strict=True):
        await here.typed(who, f"/paper nominate {paper}")
    await here.until(OPENS)


# ---- the connection ----


def _grew(number: Callable[[], int], before: int) -> bool:
    return number() > before


@pytest.mark.parametrize("how", ["refresh_requested", "warning", "link_disabled", "cut"])
async def test_a_connection_that_changes_during_a_vote_costs_no_ballot(
    by_socket: ClubWorkspace, how: str
) -> None:
    here = by_socket
    people = here.people(4)
    await open_vote(here, "p57", "p10")
    forms = [await here.ballot(who) for who in people]
    for number, (who, form) in enumerate(zip(people, forms, strict=True)):
        if number == 2:
            before = here.lab.courier.connections_opened
            here.lab.drop_sockets() if how == "cut" else await here.lab.disconnect(how)
            if how != "warning":
                opened = partial(_grew, lambda: here.lab.courier.connections_opened, before)
                await here.lab.wait_for(opened, 10, "another connection")
                await here.lab.wait_for(lambda: here.lab.courier.reachable, 10, "another connection")
        assert "Counted." in (await here.sent(who, form, ticked(form, "p10"))).shown
    await here.stands(None, "4 have voted")
    assert len(here.shown("Which of these")) == 1 and here.readies[1:] == []


async def test_news_that_come_while_all_stops_are_left_to_slack(here: ClubWorkspace) -> None:
    await here.set_up()
    for _ in range(6):
        here.lab.open_home(here.ada)
        await here.restart()
    assert "What is due" in await here.home(here.ada)


# ---- what Slack loses, refuses and tells twice ----

LOST: dict[str, tuple[str, dict[str, Any]]] = {
    "lost": ("drop_after", {}),
    "5xx": ("status_after", {"status": 502}),
}


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("what", ["post", "poll", "result", "thread"])
async def test_a_lost_answer_leaves_one_of_everything(
    by_socket: ClubWorkspace, what: str, fault: str
) -> None:
    here = by_socket
    kind, more = LOST[fault]
    due = {"post": datetime(2026, 11, 30, 8, tzinfo=UTC), "poll": OPENS}.get(what, CLOSES)
    await here.set_up()
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, f"/paper nominate {paper}")
    if due == CLOSES:
        await here.until(OPENS)
        await here.vote(here.ada, "p57")
        await here.stands(None, "1 has voted")
    await here.until(due - SECOND)
    hit = here.lab.add_fault(kind, "/chat.postMessage", skip=1 if what in ("thread", "poll") else 0, **more)
    await here.until(due + 2 * HOUR)
    assert hit.hits == 1
    await here.restart()
    if due < CLOSES:
        await here.until(OPENS + 3 * HOUR)
        await here.vote(here.ada, "p57")
    await here.until(CLOSES + 2 * HOUR)
    (result,) = here.shown("Winner")
    assert len(here.shown("Today’s paper")) == 5 and len(here.shown("Which of these")) == 1
    assert len(here.shown(thread=result.ts)) == 1


async def test_a_poll_whose_changes_are_limited_stands_at_its_last_state(by_socket: ClubWorkspace) -> None:
    here = by_socket
    people = here.people(5)
    await open_vote(here, "p57", "p10")
    here.lab.add_fault("rate_limit", "/chat.update", times=2, retry_after=1)
    here.lab.add_fault("status_after", "/chat.update", status=502)
    for who in people:
        await here.vote(who, "p57")
    poll = await here.stands(None, "5 have voted")
    assert poll is here.poll()


async def test_an_answer_that_is_limited_comes_by_another_way(here: ClubWorkspace) -> None:
    await open_vote(here, "p57", "p10")
    form = await here.ballot(here.ada)
    here.lab.add_fault("rate_limit", "/response_url", retry_after=30)
    assert "Counted." in (await here.sent(here.ada, form, ticked(form, "p57"))).shown
    form = await here.ballot(here.bea)
    here.lab.add_fault("drop_before", "/response_url")
    assert "Counted." in (await here.sent(here.bea, form, ticked(form, "p57"))).shown
    await here.stands(None, "2 have voted")


async def test_what_slack_tells_twice_is_done_once_also_after_a_restart(here: ClubWorkspace) -> None:
    await here.set_up()
    mail = here.lab.dm(here.ada)
    here.lab.say(here.ada, mail, "nominate p57")
    await here.lab.wait_message(mail, "Nominated: ")
    event = next(e for e in here.lab.events_sent("message") if "p57" in e.payload["event"]["text"])
    await here.lab.wait_for(lambda: event.acknowledged, 5, "an acknowledgement")
    attempts = [event.attempts]
    for restarted in (False, True):
        if restarted:
            await here.restart()
        await here.lab.resend_event(event.id)
        attempts.append(event.attempts)
        assert event.acknowledged_after is not None
    assert attempts == [1, 2, 3]
    await here.typed(here.ada, "/paper random", mail)
    assert len(here.private(here.ada, "ominated")) == 1
    listed = (await here.typed(here.bea, "/paper nominations")).shown
    assert "1 paper nominated." in listed and "backed" not in listed


async def test_what_arrives_only_the_second_time_is_done(here: ClubWorkspace) -> None:
    await here.set_up()
    mail = here.lab.dm(here.ada)
    sending, lost = here.lab.courier._attempt, []

    async def attempt(delivery: Any, number: int, reason: str | None) -> Any:
        if number == 0 and delivery.kind == "events_api":
            lost.append(delivery.id)
            return "http_timeout", False
        return await sending(delivery, number, reason)

    here.lab.courier._attempt = attempt  # type: ignore[method-assign]
    here.lab.say(here.ada, mail, "nominate p57")
    await here.lab.wait_message(mail, "Nominated: ")
    assert lost and "1 paper nominated." in (await here.typed(here.bea, "/paper nominations")).shown


# ---- a poll that is gone ----


@pytest.mark.parametrize("gone", ["poll", "archived", "channel"])
async def test_a_vote_whose_poll_is_gone_closes_at_its_time_and_the_next_one_opens(
    by_socket: ClubWorkspace, gone: str
) -> None:
    here = by_socket
    await open_vote(here, "p57", "p10")
    await here.vote(here.ada, "p10")
    poll = await here.stands(None, "1 has voted")
    here.meant |= {"message_not_found", "is_archived", "channel_not_found"}
    match gone:
        case "poll":
            here.lab.delete(poll)
        case "archived":
            here.lab.archive(here.channel)
        case "channel":
            del here.team.channels[here.channel.id]
    await here.until(CLOSES + HOUR)
    told = (await here.typed(here.ada, "/paper results", here.lab.dm(here.ada))).shown
    assert "Winner: " in told and "1 member voted" in told
    if gone == "poll":
        assert len(here.shown("Winner")) == 1
    else:
        assert len(here.private(here.owner)) == 2  # the greeting, and that the channel is gone

    def posts() -> int:  # a redraw that failed before is tried again by the real clock
        return sum(each.path == "/chat.postMessage" for each in here.lab.requests)

    calls = posts()
    await here.tick(here.now + SECOND)
    await here.tick(here.now + SECOND)
    assert posts() == calls
    await here.typed(here.bea, "/paper nominate p33", here.lab.dm(here.bea))
    if gone == "archived":
        here.channel.archived = False
    if gone == "channel":
        here.team.channels[here.channel.id] = here.channel
    await here.until(OPENS + WEEK)
    assert here.poll() is not poll and "vote:2" in ids(here.poll())
