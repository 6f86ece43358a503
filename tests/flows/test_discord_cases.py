"""Faults people met with neighbouring bots in Discord, each fed to the whole program."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.commands import COMMANDS
from tests.lab.chatlab.fakediscord import Message as Shown
from tests.lab.chatlab.fakediscord import User
from tests.lab.discord_house import ClubServer, club_server, ids, page, ticked
from tests.lab.house import MONDAY, ZONE, listing

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


@pytest.fixture
async def bare(tmp_path: Path) -> AsyncIterator[ClubServer]:
    """A server with the bot in it on an empty store."""
    async with club_server(tmp_path / "paperclub.db") as opened:
        yield opened


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubServer]:
    """A server with the bot in it and papers to read; no club yet."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_server(tmp_path / "paperclub.db") as opened:
        yield opened


async def by_link(here: ClubServer, who: User, link: str, title: str, **more: str) -> str:
    """Somebody nominates an unknown link and gives its title; what they are told."""
    asked = page(await here.typed(who, "paper nominate", paper=link, **more))
    form = await here.opened(who, asked, asked.buttons[0])
    return page(await here.sent(who, form, {"title": title})).text


def read(text: str) -> str:
    """What a reader sees of escaped words, hits in bold included."""
    hits = re.sub(r"(?<!\\)(\*\*|__)", "", text)
    return re.sub(r"\\([^\w\s])", r"\1", hits).replace("\u200b", "").replace("\u2060", "")


def sent(here: ClubServer) -> Iterator[dict[str, Any]]:
    """The body of every message that was posted, edited or answered."""
    for each in here.lab.requests:
        body = each.body if isinstance(each.body, dict) else {}
        inner = body.get("data") if each.path.startswith("/interactions/") else body.get("message", body)
        if isinstance(inner, dict) and "components" in inner and "title" not in inner:
            yield inner


def everything(here: ClubServer) -> list[Shown]:
    """All that anybody was ever shown by the bot."""
    channels = [each for guild in here.lab.guilds.values() for each in guild.channels.values()]
    return [
        shown
        for channel in (*channels, *here.lab.dms.values())
        for shown in channel.messages.values()
        if shown.author.id == here.lab.bot_user.id
    ]


# ---- words that call people ----

CALLS = "All @everyone models for @here, <@&{role}>, <@{person}>, <!channel> and <!here>"


async def test_words_that_call_people_are_read_and_call_nobody(bare: ClubServer) -> None:
    here = bare
    role = here.lab.create_role(here.guild, "loud", mentionable=True)
    loud = CALLS.format(role=role.id, person=here.bea.id)
    pages = [("calls.txt", listing(("Cases · Calls", f"{loud[:30]}", f"{loud}.")))]
    await here.group.import_pages(pages, MONDAY)
    await here.set_up(name=loud[:80])
    await here.until(MONDAY + HOUR)
    assert "All @everyone models" in read(here.shown("Today’s paper")[0].text)
    assert "@everyone" in read(page(await here.typed(here.ada, "paper search", query="everyone models")).text)
    assert "@everyone" in read(page(await here.typed(here.ada, "paper search", query=f"no {loud}")).text)
    for command, name in (("paper show", "id"), ("paper nominate", "paper"), ("paper random", "topic")):
        assert page(await here.typed(here.ada, command, **{name: f"no {loud}"})).text
    assert "Nominated: " in await by_link(here, here.ada, "https://example.org/a", loud, reason=loud)
    assert "Nominated: " in page(await here.typed(here.bea, "paper nominate", paper="p1", reason=loud)).text
    await here.until(OPENS)
    assert "@everyone" in read(here.poll().text)
    await here.vote(here.ada, next(each for each in ids(here.poll()) if "more:" in each).partition(":")[2])
    await here.stands(None, "1 has voted")  # the poll was edited
    await here.until(CLOSES)
    (thread,) = here.lab.threads(here.channel)
    assert "@everyone" in read(thread.name) and here.shown("**Discussion**", thread)
    bodies = list(sent(here))
    assert len(bodies) > 10 and all(each["allowed_mentions"] == {"parse": []} for each in bodies)
    for each in everything(here):
        assert not (each.pinged_everyone or each.pinged_users or each.pinged_roles)


# ---- words that look like markup ----

ODD = {
    "P(A|B) < 1 & <b>bold</b>  second line": "P(A|B) < 1 & bold second line",
    "||hidden|| [label](https://evil.example) @here": "||hidden|| label (https://evil.example) @here",
    "# heading > quote - list 1. item https://x.example/_a_b_": "# heading > quote - list 1. item https://x.example/_a_b_",
}


@pytest.mark.parametrize("title", ODD)
async def test_a_title_is_read_as_it_was_written(here: ClubServer, title: str) -> None:
    await here.set_up()
    assert "Nominated: " in await by_link(here, here.ada, "https://x.example/?q=a|b&c=1", title)
    await here.typed(here.bea, "paper nominate", paper="p57")
    await here.until(OPENS)
    number = next(each for each in ids(here.poll()) if "more:" in each).partition(":")[2]
    card = page(await here.typed(here.bea, "paper show", id=number))
    for shown in (here.poll(), card, page(await here.typed(here.bea, "paper nominations"))):
        assert ODD[title] in read(shown.text)
        assert not re.search(r"(?<!\\)\|\||\]\(https://evil", shown.text)
    targets = re.findall(r"\]\(([^)\s]*)", card.text) + [each.get("url", "") for each in card.controls]
    assert all("|" not in each for each in targets)
    await here.vote(here.ada, number)
    await here.until(CLOSES)
    assert ODD[title] in read(here.shown("**Result**")[0].text)
    assert ODD[title][:60] in read(here.lab.threads(here.channel)[0].name)


# ---- texts at the limits ----


@pytest.mark.parametrize("size", [2000, 3000, 4000, 4096])
@pytest.mark.parametrize("tail", ["👩‍🔬tail", "e\u0301tail"])
async def test_a_text_at_a_limit_is_sent_and_ends_in_a_whole_sign(
    bare: ClubServer, size: int, tail: str
) -> None:
    here = bare
    entries = [("Cases · Long", "A", f"We show {'x' * (size - 1)}{tail}.")]
    entries += [("Cases · Long", "A", f"We show {'x ' * (size // 2)}{tail}{tail}.")]
    await here.group.import_pages([("long.txt", listing(*entries))], MONDAY)
    await here.set_up()
    await here.until(MONDAY + DAY + HOUR)
    for paper in ("p1", "p2"):
        shown = page(await here.typed(here.ada, "paper show", id=paper))
        for each in (shown, page(await here.typed(here.ada, "paper search", query="show"))):
            assert len(each.text.encode("utf-16-le")) // 2 <= 4000
        await here.typed(here.bea, "paper nominate", paper=paper, reason=f"{'x' * 260}{tail}")
    assert len(here.shown("Today’s paper")) == 2
    for each in everything(here):
        each.text.encode()
        assert not re.search("[\u200d\ufe0f👩]…|e…", each.text), each.text[-200:]


# ---- papers that lack what papers have ----


async def test_a_paper_with_a_title_alone_goes_all_the_way(here: ClubServer) -> None:
    await here.set_up()
    assert "Nominated: " in await by_link(here, here.ada, "https://example.org/b", "Bare")
    await here.typed(here.bea, "paper nominate", paper="p57")
    await here.until(OPENS)
    number = next(each for each in ids(here.poll()) if "more:" in each).partition(":")[2]
    for paper in (number, "p57"):
        assert page(await here.typed(here.ada, "paper show", id=paper)).text
    card = page(await here.typed(here.ada, "paper show", id=number))
    await here.pressed(here.ada, card, "Show in the channel")
    await here.vote(here.bea, number)
    await here.until(CLOSES)
    assert "Bare" in here.shown("**Result**")[0].text
    assert "Bare" in here.lab.threads(here.channel)[0].name
    for each in everything(here):
        assert not re.search(r"\b(None|null|nan)\b", each.text), each.text


# ---- ballots ----


async def test_twenty_five_papers_can_all_be_voted_for_and_the_next_is_refused(here: ClubServer) -> None:
    people = here.people(9)
    await here.set_up()
    alike = (
        "A very long title that begins like another one and goes on like it for a hundred signs and more, "
    )
    titles = [f"{alike}first", f"{alike}second", "Long " * 30]
    for number, title in enumerate(titles):
        assert "Nominated: " in await by_link(here, people[0], f"https://example.org/{number}", title)
    for number in range(22):
        done = await here.typed(people[1 + number // 3], "paper nominate", paper=f"p{number + 20}")
        assert "Nominated: " in page(done).text
    refused = page(await here.typed(people[8], "paper nominate", paper="p50"))
    assert "Nominated: " not in refused.text and "25" in refused.text
    await here.until(OPENS)
    form = await here.opened(here.ada, here.poll(), "vote:1")
    fields = [part["component"] for part in form.modal["components"] if "component" in part]
    options = [each for field in fields for each in field["options"]]
    assert len(options) == len({each["value"] for each in options}) == 25
    assert all(0 < len(each["label"]) <= 100 for each in options)
    assert len({each["label"] for each in options}) == 25
    everyone = [each["value"] for each in options]
    counted = page(await here.sent(here.ada, form, ticked(form, *everyone)))
    assert "Counted." in counted.text
    assert "Counted. You would read: paper 2." in await here.vote(here.bea, everyone[1])
    menu = next(each for each in here.poll().controls if each["type"] == 3)
    read_it = await here.chosen(here.bea, here.poll(), menu["options"][1]["value"], menu["custom_id"])
    assert "second" in page(read_it).text
    await here.until(CLOSES)
    result = here.shown("**Result**")[0].text
    assert "second" in result.partition("**Turnout**")[0].split("**Winner**")[1].split("\n")[1]
    assert "2 members voted" in result


async def test_a_week_without_papers_is_said_once(here: ClubServer) -> None:
    await here.set_up()
    await here.until(CLOSES + HOUR)
    assert len(here.shown("there is no vote this week")) == 1
    assert here.shown("Which of these") == here.shown("**Result**") == []


async def test_a_press_in_the_second_of_the_start_is_answered_and_counted_once(here: ClubServer) -> None:
    await here.set_up()
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, "paper nominate", paper=paper)
    await here.until(OPENS)
    form = await here.opened(here.ada, here.poll(), "vote:1")
    await here.close()
    await here.open()
    here.connect()
    await here.lab.wait_for(lambda: here.lab.gateway.ready_sessions, 10)
    assert "Counted" in page(await here.sent(here.ada, form, ticked(form, "p57"))).text
    await here.until(CLOSES)
    assert "1 member voted" in here.shown("**Result**")[0].text


# ---- clients in any language ----

GIVEN: dict[str, dict[str, Any]] = {
    "paper search": {"query": "neural"},
    "paper show": {"id": "p57"},
    "paper similar": {"id": "p57"},
    "paper random": {"topic": "Theory"},
    "paper nominate": {"paper": "p57", "reason": "Short"},
    "paper why": {"day": "2026-11-30"},
    "club setup": {"zone": ZONE},
    "club close vote": {"reason": "We met"},
    "club remove": {"paper": "p57"},
    "club pause": {"until": "2026-12-31"},
}


@pytest.mark.parametrize("locale", ["zh-CN", "pt-BR", "zh-TW", "es-419", None, "xx"])
async def test_every_command_answers_a_client_in_any_language(here: ClubServer, locale: Any) -> None:
    await here.set_up()
    here.ada.locale = here.owner.locale = locale
    paths = {each.path for each in COMMANDS}
    assert paths == set(here.lab.visible_commands(here.owner, here.channel))
    for path in sorted(paths - {"club delete", "club restore"}):
        given = dict(GIVEN.get(path, {}))
        if path == "club block":
            given = {"member": here.bea}
        for who in (here.ada, here.owner):
            done = await here.typed(who, path, **given)
            if done.modal is not None:
                said = str(done.modal)
            else:
                said = page(done).text
                assert "E-" not in said
            assert bool(re.search("[\u4e00-\u9fff]", said.replace("简体中文", ""))) == (locale == "zh-CN"), (
                said
            )
            assert not re.search(r"\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b", said), said  # 3/4: which is the month?
