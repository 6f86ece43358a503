"""Faults people met with neighbouring bots in Slack, each fed to the whole program and read on the screen."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chatlab.fakeslack import Message as Shown
from tests.lab.chatlab.fakeslack import User
from tests.lab.house import listing
from tests.lab.slack_house import ClubWorkspace, clean_log, club_workspace, fields, ids, menu, ticked

__all__ = ["clean_log"]

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
LIMITS = (2000, 3000, 4000, 4096)
ENDS = ("👩‍🔬", "e\u0301")


@pytest.fixture
async def here(stocked: Path, tmp_path: Path) -> AsyncIterator[ClubWorkspace]:
    """A club with papers to read."""
    shutil.copyfile(stocked, tmp_path / "paperclub.db")
    async with club_workspace(tmp_path / "paperclub.db", http=True) as opened:
        await opened.set_up()
        yield opened


async def imported(here: ClubWorkspace, *abstracts: str) -> list[str]:
    """Papers with these abstracts on the club's shelf; their ids, in order."""
    club = await here.group.find_club(None)
    assert club is not None
    page = listing(*(("Cases · Signs", f"Author {n}", text) for n, text in enumerate(abstracts, 1)))
    await here.group.import_pages([("cases.txt", page)], here.now, club=club.id)
    found = []
    for number in range(1, len(abstracts) + 1):
        shown = await here.typed(here.ada, f"/paper search author:“Author {number}” topic:Cases")
        (paper,) = {each.partition(":")[2] for each in all_ids(shown) if re.fullmatch(r"more:p\d+", each)}
        found.append(paper)
    return found


async def by_link(here: ClubWorkspace, who: User, url: str, title: str, **more: str) -> str:
    """Somebody proposes a link nobody knew, with its title; its id."""
    asked = await here.typed(who, f"/paper nominate {url}")
    form = await here.opened(who, asked, next(i for i in ids(asked) if i.startswith("nominate-form:")))
    told = await here.sent(who, form, {"title": title, **more})
    assert "Nominated: " in told.shown, told.shown
    listed = await here.typed(who, "/paper nominations")
    return max(re.findall(r"\bp\d+\b", str(listed.blocks)), key=lambda each: int(each[1:]))


def all_ids(shown: Shown) -> set[str]:
    """Everything that can be pressed or chosen."""
    chosen = [
        f"{each['action_id']}:{option['value']}"
        for block in shown.blocks
        for each in (*block.get("elements", ()), block.get("accessory", {}))
        if each.get("type") == "static_select"
        for option in each["options"]
    ]
    return {*ids(shown), *chosen, *(each.split(":", 1)[1] for each in chosen)}


def texts(blocks: Any) -> Iterator[str]:
    """Every text of a message's blocks."""
    if isinstance(blocks, dict):
        if isinstance(blocks.get("text"), str):
            yield blocks["text"]
        blocks = list(blocks.values())
    if isinstance(blocks, list):
        for each in blocks:
            yield from texts(each)


def links(blocks: Any) -> Iterator[tuple[str, str]]:
    """Address and words of every link of rich text."""
    if isinstance(blocks, dict):
        if blocks.get("type") == "link":
            yield blocks["url"], blocks.get("text", "")
        blocks = list(blocks.values())
    if isinstance(blocks, list):
        for each in blocks:
            yield from links(each)


# ---- what people write ----

CALLS = "for @everyone, @here, <@U000000002>, <!channel>, <!here> and <!subteam^S1>"


async def test_nobody_is_called_by_what_people_wrote_anywhere(here: ClubWorkspace) -> None:
    (first,) = await imported(here, f"This abstract is {CALLS}. " + "It goes on for a while. " * 12)
    second = await by_link(here, here.bea, "https://example.org/a", f"All models {CALLS}", reason=CALLS)
    typed = CALLS.replace("<", "&lt;").replace(">", "&gt;")
    await here.typed(here.ada, f"/paper nominate {first} {typed}")
    for text in (typed, "<!channel>", f"<@{here.owner.id}|owner>"):
        for line in (f"/paper serach {text}", f"/paper search {text}", f"/paper show {text}"):
            assert (await here.typed(here.ada, line)).ephemeral
    for paper in (first, second):
        card = await here.typed(here.ada, f"/paper show {paper}")
        shown = await here.pressed(here.ada, card, "Show in the channel")
        more = await here.pressed(here.bea, shown, "Read more")
        assert "@everyone" in shown.shown and "<!channel>" in more.shown
    await here.until(OPENS)
    assert "<!subteam^S1>" in here.poll().shown
    await here.vote(here.ada, first)
    await here.stands(None, "1 has voted")
    await here.typed(here.owner, f"/club close vote {typed}")
    await here.later()
    (result,) = here.shown("Winner")
    everything = [*here.shown(), *here.shown(thread=result.ts)]
    assert len(everything) > 6 and "@here" in result.shown
    assert [each.pings for each in everything if each.pings] == []
    assert not any("<!" in each.text for each in everything)


async def test_a_title_of_all_signs_is_one_line_and_its_link_opens(here: ClubWorkspace) -> None:
    title, url = "P(A|B) < 1 & <b>bold</b>\n  second line", "https://x.example/?q=a|b&c=1"
    said = here.lab.say(here.ada, here.channel, "Look")
    said.blocks = [{"type": "rich_text", "elements": [
        {"type": "rich_text_section", "elements": [{"type": "link", "url": url}]}]}]  # fmt: skip
    asked = await here.answer(await here.lab.shortcut(here.ada, "nominate", message=said))
    form = await here.opened(here.ada, asked, next(i for i in ids(asked) if i.startswith("nominate-form:")))
    assert "Nominated: " in (await here.sent(here.ada, form, {"title": title})).shown
    one = "P(A|B) < 1 & bold second line"
    paper = max(re.findall(r"\bp\d+\b", str((await here.typed(here.ada, "/paper nominations")).blocks)),
                key=lambda each: int(each[1:]))  # fmt: skip
    card = await here.typed(here.ada, f"/paper show {paper}")
    shown = await here.pressed(here.ada, card, "Show in the channel")
    assert one in shown.shown
    addresses = {address for each in (card, shown) for address, _ in links(each.blocks)}
    assert addresses == {"https://x.example/?q=a%7Cb&c=1"}
    found = await here.typed(here.ada, "/paper search second line bold")
    assert one in " ".join(found.shown.split())
    assert not any("\n" in words for each in (card, shown, found) for _, words in links(each.blocks))


async def test_texts_at_a_limit_are_sent_and_end_in_a_whole_sign(here: ClubWorkspace) -> None:
    abstracts = [f"{'x' * (limit - 1)}{end}tail." for limit in LIMITS for end in ENDS]
    for paper in await imported(here, *abstracts):
        card = await here.typed(here.ada, f"/paper show {paper}")
        shown = await here.pressed(here.ada, card, "Show in the channel")
        more = await here.pressed(here.ada, shown, "Read more")
        for each in (card, shown, more):
            for text in texts(each.blocks):
                text.encode()
                assert len(text.encode("utf-16-le")) // 2 <= 4000
                if "…" in text and "xxx" in text:
                    assert re.search(r"x…$", text), text[-20:]


async def test_a_paper_of_which_nothing_is_known_is_shown_without_gaps(here: ClubWorkspace) -> None:
    paper = await by_link(here, here.ada, "https://example.org/bare", "Bare")
    card = await here.typed(here.ada, f"/paper show {paper}")
    public = await here.pressed(here.ada, card, "Show in the channel")
    more, similar = [await here.pressed(here.bea, public, button) for button in ("Read more", "Similar")]
    for each in (card, public, more, similar, await here.typed(here.ada, "/paper search Bare")):
        assert not re.search(r"\b(None|null)\b", each.shown)
        assert all(text.strip() for text in texts(each.blocks))


@pytest.mark.parametrize("way", ["typed", "said", "named"])
async def test_signs_and_quotes_arrive_as_they_were_typed(here: ClubWorkspace, way: str) -> None:
    await imported(here, *(f"{text} is all that this is about, and it is short." for text in (
        "R&D <3", "A good paper")))  # fmt: skip
    mail = here.lab.dm(here.ada)

    async def asked(line: str) -> str:
        if way == "typed":
            return "".join((await here.typed(here.ada, f"/paper {line}")).shown.split())
        if way == "named":
            before = len(here.told(here.ada, ""))
            here.lab.say(here.ada, here.channel, f"<@{here.team.bot_user}> {line}")
            await here.lab.wait_for(lambda: len(here.told(here.ada, "")) > before, 10, line)
            return "".join(here.told(here.ada, "")[-1].shown.split())
        before = len(here.private(here.ada))
        here.lab.say(here.ada, mail, line)
        await here.lab.wait_for(lambda: len(here.private(here.ada)) > before, 10, line)
        return "".join(here.private(here.ada)[-1].shown.split())

    assert "R&D<3isall" in await asked("search R&amp;D &lt;3 topic:Cases")
    for opening, closing in ("„“", "“”", "‘’", '""', "«»"):
        assert "Agoodpaper" in await asked(f"search {opening}good paper{closing} topic:Cases")
    assert "“&amp;topic:Cases”" in await asked("search &amp;amp; topic:Cases")  # decoded once
    linked = await asked("nominate <https://arxiv.org/abs/2401.00001|arxiv.org/abs/2401.00001>")
    assert "2401.00001" in linked and "notinthecatalogueyet" in linked


# ---- many, one, none ----


async def test_titles_that_look_alike_are_told_apart_and_each_can_be_chosen(here: ClubWorkspace) -> None:
    same = "A title that goes on and on until it is much longer than any menu of a form could ever hold, "
    assert len(same) > 90
    titles = [f"{same}first", f"{same}second", "T" * 76]
    papers = [
        await by_link(here, who, f"https://example.org/{n}", title)
        for n, (who, title) in enumerate(zip(here.people(3), titles, strict=True))
    ]
    assert len(set(papers)) == 3
    await here.until(OPENS)
    form = await here.ballot(here.ada)
    options = [o for element in fields(form).values() for o in element.get("options", ())]
    assert [each["value"] for each in options] == papers
    assert all(len(each["text"]["text"]) <= 75 for each in options)
    assert len({str((each["text"], each.get("description"))) for each in options}) == 3
    chooser = menu(here.poll())
    assert len({each["text"]["text"] for each in chooser["options"]}) == len(chooser["options"]) == 3
    await here.sent(here.ada, form, ticked(form, papers[1]))
    await here.vote(here.bea, papers[1])
    await here.until(CLOSES)
    (result,) = here.shown("Winner")
    assert "second" in result.shown.split("Winner: ")[1].split("\n")[0] or papers[1] in result.shown


async def test_twenty_six_papers_can_all_be_voted_for_or_the_last_is_refused_with_the_reason(
    here: ClubWorkspace,
) -> None:
    people = here.people(9)
    await by_link(here, people[0], "https://example.org/long", "L" * 150)
    told = []
    for number in range(1, 26):
        who = people[number % 9]
        told.append((await here.typed(who, f"/paper nominate p{number}")).shown)
        here.now += timedelta(seconds=1)
    refused = [text for text in told if "Nominated: " not in text]
    assert all("25" in text for text in refused), refused
    pages = await here.typed(here.ada, "/paper nominations")
    assert f"{26 - len(refused)} papers nominated." in pages.shown
    await here.until(OPENS)
    form = await here.ballot(here.ada)
    options = [o["value"] for element in fields(form).values() for o in element.get("options", ())]
    assert len(options) == len(set(options)) == 26 - len(refused)
    assert "Counted." in (await here.sent(here.ada, form, ticked(form, *options))).shown
    assert "Counted." in await here.vote(here.bea, options[-1])
    await here.stands(None, "2 have voted")
    await here.until(CLOSES)
    (result,) = here.shown("Winner")
    assert "2 members voted" in result.shown


@pytest.mark.parametrize("number", [0, 1])
async def test_one_paper_or_none_needs_no_ballot(here: ClubWorkspace, number: int) -> None:
    if number:
        await here.typed(here.ada, "/paper nominate p57")
    before = len(here.shown())
    await here.until(CLOSES + timedelta(hours=1))
    told = [each.shown for each in here.shown()[before:] if "Today’s paper" not in each.shown]
    assert len(told) == 1, told
    assert not any("vote:" in each for shown in here.shown() for each in ids(shown))
    refused = await here.typed(here.ada, "/paper vote")
    assert refused.ephemeral and "No vote is open" in refused.shown


async def test_presses_at_the_same_instant_are_one_ballot_for_each(here: ClubWorkspace) -> None:
    for who, paper in ((here.ada, "p57"), (here.bea, "p10")):
        await here.typed(who, f"/paper nominate {paper}")
    await here.until(OPENS)
    one, other = [await here.ballot(here.ada) for _ in range(2)]
    mine = await here.ballot(here.bea)
    await asyncio.gather(
        here.lab.submit(here.ada, one, ticked(one, "p57")),
        here.lab.submit(here.ada, other, ticked(other, "p10")),
        here.lab.submit(here.bea, mine, ticked(mine, "p57")),
    )
    await here.stands(None, "2 have voted")
    counts = await here.database.read(lambda tx: tx.rows("SELECT COUNT(*) FROM ballot_event"))
    assert int(counts[0][0]) == 3  # each press is kept, the last of each counts
    await here.until(CLOSES)
    (result,) = here.shown("Winner")
    assert "2 members voted" in result.shown and "only the winner is published" in result.shown
