"""What stands on one club's shelf, list or ballot is never seen, found, posted or changed by another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.lab.house import MONDAY, House, ids_in, listing, person, said, text_of

A = person(1, "a", admin=True, server="one")
B = person(2, "b", admin=True, server="two")
SECRET = "Zyxomma dragonflies hunt at dusk and fly low over the water of small ponds."
OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)


@pytest.fixture
async def clubs(house: House) -> House:
    """Two clubs; the second has a paper on its own shelf, the last of all, with a topic of its own."""
    await house.set_up(A, name="First")
    await house.set_up(B, name="Second")
    second = await house.group.find_club("Second")
    assert second is not None
    page = listing(("Odonatology · Night Flight", "Zya Zyxwell", SECRET))
    await house.group.import_pages([("own.txt", page)], MONDAY, club=second.id)
    return house


async def own_paper(house: House) -> str:
    found = await house.command(B, "paper search", query="zyxomma")
    assert "1 paper for “zyxomma”" in text_of(found)
    return next(i for i in ids_in(found.message) if i.startswith("more:")).partition(":")[2]


async def test_its_own_club_sees_it_everywhere(clubs: House) -> None:
    paper = await own_paper(clubs)
    assert "Zya Zyxwell" in text_of(await clubs.command(B, "paper show", id=paper))
    assert "Odonatology" in text_of(await clubs.command(B, "paper topics"))
    assert "Zya Zyxwell" in text_of(await clubs.command(B, "paper random", topic="Odonatology"))
    assert [s.value for s in await clubs.group.suggest(B, "paper show", "id", "zyxo", MONDAY)] == [paper]


async def test_another_club_finds_no_trace_of_it(clubs: House) -> None:
    paper = await own_paper(clubs)
    number = int(paper[1:])
    for query in (
        "zyxomma",
        "author:Zyxwell",
        "topic:Odonatology",
        "title:Zyxomma",
        "dragonflies hunt at dusk",
        "zyx",
    ):
        answer = await clubs.command(A, "paper search", query=query)
        assert "Zya" not in text_of(answer) and f"more:{paper}" not in set(ids_in(answer.message))
    for path in ("paper show", "paper similar"):
        text = text_of(await clubs.command(A, path, id=paper))
        assert (
            f"There is no paper {paper}. Ids run from p1 to p{number - 1}." in text
        )  # not even the number is told
    for action_id in (
        f"more:{paper}",
        f"show:{paper}",
        f"save:{paper}",
        f"similar:{paper}",
        f"nominate:{paper}",
    ):
        answer = await clubs.press(A, action_id)
        assert answer.kind == "private" and f"There is no paper {paper}." in text_of(answer)
    assert f"There is no paper {paper}." in text_of(await clubs.command(A, "paper nominate", paper=paper))
    nominated = await clubs.submit(A, "propose", paper=paper, title="x")
    assert nominated.form is not None and "There is no paper" in said(nominated.form)
    assert "Odonatology" not in text_of(await clubs.command(A, "paper topics"))
    assert "There is no topic “Odonatology”." in text_of(
        await clubs.command(A, "paper random", topic="Odonatology")
    )
    for path, param, text in (
        ("paper show", "id", "zyx"), ("paper show", "id", paper), ("paper nominate", "paper", "dragonflies"),
        ("paper random", "topic", "odon"), ("paper search", "query", "topic:odon"),
    ):  # fmt: skip
        assert await clubs.group.suggest(A, path, param, text, MONDAY) == []
    settings = await clubs.submit(
        A, "configure:daily", daily_time="09:00", daily_days=["mon"], daily_topics="Odonatology"
    )
    assert settings.form is not None and "There is no topic" in said(settings.form)


async def test_it_is_never_similar_to_anything_of_another_club(clubs: House) -> None:
    first = await clubs.group.find_club("First")
    assert first is not None
    twin = listing(("", "Someone Else", SECRET.replace("dusk", "dawn")))
    await clubs.group.import_pages([("twin.txt", twin)], MONDAY, club=first.id)
    found = await clubs.command(A, "paper search", query="zyxomma")
    assert "1 paper for “zyxomma”" in text_of(found)
    own = next(i for i in ids_in(found.message) if i.startswith("more:")).partition(":")[2]
    assert own != await own_paper(clubs)  # the same words on another shelf are another paper
    assert "Zyxwell" not in text_of(await clubs.command(A, "paper similar", id=own))


async def test_another_club_is_never_posted_it(clubs: House) -> None:
    paper = await own_paper(clubs)
    topics = await clubs.submit(
        B, "configure:daily", daily_time="09:00", daily_days=["mon"], daily_topics="Odonatology"
    )
    assert "Saved." in text_of(topics)
    await clubs.until(MONDAY + timedelta(hours=1))
    assert [p.to.native_id for p in clubs.platform.posts if f"more:{paper}" in set(ids_in(p.message))] == [
        "b"
    ]
    assert f"more:{paper}" not in set(ids_in((await clubs.command(A, "paper today")).message))
    for _ in range(120):
        clubs.now += timedelta(minutes=1)
        await clubs.command(A, "club post now")
        await clubs.tick()
    posts = clubs.platform.in_channel("a")
    assert len(posts) > 70  # its whole catalogue
    assert not any(f"more:{paper}" in set(ids_in(posted.message)) for posted in posts)
    assert not any("Zyxwell" in said(posted.message) for posted in posts)


async def test_lists_ballots_and_results_of_another_club_are_not_there(clubs: House) -> None:
    for paper in ("p1", "p2"):
        await clubs.command(B, "paper nominate", paper=paper)
    assert "Nothing is nominated yet." in text_of(await clubs.command(A, "paper nominations"))
    assert "There is no such nomination." in text_of(await clubs.press(A, "withdraw:1"))
    assert "There is no such nomination." in text_of(await clubs.command(A, "club remove", paper="p1"))
    await clubs.until(OPENS)
    theirs = next(
        i for posted in clubs.platform.in_channel("b") for i in ids_in(posted.message) if i[:5] == "vote:"
    )
    number = theirs.partition(":")[2]
    for name in ("vote", "mine", "retract", "result", "how"):
        assert "There is no such vote in this club." in text_of(await clubs.press(A, f"{name}:{number}"))
    assert "There is no such vote in this club." in text_of(await clubs.vote(A, int(number), "p1"))
    await clubs.vote(B, int(number), "p2")
    await clubs.until(OPENS + timedelta(days=2))
    for name in ("vote", "mine", "result", "how"):
        assert "There is no such vote in this club." in text_of(await clubs.press(A, f"{name}:{number}"))
    assert "read nothing together" in text_of(await clubs.command(A, "paper history"))
    assert not any("Winner" in posted.message.summary for posted in clubs.platform.in_channel("a"))


async def test_members_and_what_they_saved_stay_in_their_club(clubs: House) -> None:
    await clubs.press(B, "save:p7")
    both = person(2, "a", server="one")  # the same person in the other club's server
    assert "You have saved nothing yet." in text_of(await clubs.command(both, "paper saved"))
    assert "Member 2" not in text_of(await clubs.command(A, "club organisers"))
    named = await clubs.command(A, "club organisers", change="add", member="Member 2")
    assert "There is no such member in this club." in text_of(named)
    helped = text_of(await clubs.command(both, "paper help"))
    assert "/club settings" not in helped


async def test_a_channel_of_another_club_cannot_be_taken_over(clubs: House) -> None:
    beside = person(3, "c", admin=True, server="one")
    await clubs.set_up(beside, name="Third")
    form = (await clubs.press(A, "settings:club")).form
    assert form is not None
    moved = await clubs.submit(A, "configure:club", name="First", language="en", zone="UTC", channel="c")
    assert moved.form is not None and "belongs to Third already" in said(moved.form)
    first = await clubs.group.find_club("First")
    assert (
        first is not None and [c.native_id for c in first.channels] == ["a"] and first.zone == "Europe/Berlin"
    )
