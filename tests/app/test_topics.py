"""Browsing by topic: every number that is shown is the number of papers behind it."""

from __future__ import annotations

from bot.messages.model import Branch, Tree
from tests.lab.house import CHAIR, MEMBER, MONDAY, House, listing, text_of


async def tree(house: House, action_id: str) -> tuple[Branch, ...]:
    message = (await house.press(MEMBER, action_id)).message
    assert message is not None
    return next(block for block in message.blocks if isinstance(block, Tree)).items


async def test_every_area_and_subarea_opens_as_many_papers_as_it_says(house: House) -> None:
    await house.set_up(CHAIR)
    club = await house.group.find_club(None)
    assert club is not None
    own = listing(
        ("Alone", "A B", "A study without subarea."),
        ("Mixed", "A B", "A study of an area."),
        ("Mixed · Part", "A B", "A study of a part."),
        ("Mixed · Part", "A B", "More of that part."),
    )
    await house.group.import_pages([("own.txt", own)], MONDAY, club=club.id)
    areas = await tree(house, "topics")
    assert sum(area.count for area in areas) == await house.group.rooms.papers.count(club.id)
    assert areas[-1].label == "Without a topic"
    assert [area.count for area in areas[:-1]] == sorted((area.count for area in areas[:-1]), reverse=True)
    for area in areas:
        if area.label in ("Alone", "Without a topic"):  # nothing to choose from: its papers at once
            leaves: tuple[Branch, ...] = (area,)
        else:
            leaves = next(each.leaves for each in await tree(house, area.id) if each.open)
            assert leaves[0].label == f"All of {area.label}" and leaves[0].count == area.count
            assert sum(leaf.count for leaf in leaves[1:]) <= area.count
        for leaf in leaves:
            text = text_of(await house.press(MEMBER, leaf.id))
            assert f"{leaf.count} paper{'s' if leaf.count > 1 else ''} in " in text, (leaf, text)
            assert f"Page 1 of {-(-leaf.count // 5)}" in text or leaf.count <= 5


async def test_a_quoted_phrase_that_is_not_found_is_said_back_in_one_pair_of_quotes(house: House) -> None:
    await house.set_up()
    for typed in ("“zzzq model”", '"zzzq model"', "zzzq model"):
        text = text_of(await house.command(MEMBER, "paper search", query=typed))
        assert "No paper for “zzzq model”." in text, text
