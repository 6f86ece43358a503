"""What organisers take away and back, the greeting and the choice of a club, with the longest words there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.clubs.model import Member
from bot.commands import find_action
from bot.messages.cut import length
from bot.messages.model import Button, Form, Menu, Message, Option, Paragraph, Reader, Small, TextField
from bot.messages.pages.greeting import greeting_page
from bot.messages.pages.organising import (
    blocked_page,
    delete_page,
    deleted_page,
    restored_page,
    undo_page,
    undone_page,
)
from bot.messages.pages.which import form_in_club, in_club, which_page
from bot.messages.weigh import BLOCKS, CHARACTERS, COMPONENTS, blocks, characters, components
from tests.messages.samples import EN, NOW, ZH, a_round, all_parts, club, four, told

LONG = "Antidisestablishmentarian [x](http://x.example) @everyone " * 4
KEPT = timedelta(days=30)


def pages(reader: Reader) -> Iterator[Message]:
    named = club(name=LONG[:80])
    paper = replace(four()[0], title=LONG * 5, id=9_999_999)
    for blocked in (True, False):
        yield blocked_page(reader, Member(1, 1, LONG, False, NOW, blocked))
    yield undo_page(reader, paper, "extra:1000:p9999999")
    yield undone_page(reader, paper)
    for voting in (True, False):
        yield delete_page(reader, named, KEPT, voting=voting)
    yield deleted_page(reader, named, KEPT)
    yield restored_page(reader, named, NOW, NOW, a_round(four()))
    yield restored_page(reader, named, None, None, None)
    yield greeting_page(reader)
    for count in (2, 25, 60):
        yield which_page(reader, [replace(named, id=number) for number in range(count)], "in-form:123456")


@pytest.mark.parametrize("reader", [EN, ZH], ids=["en", "zh"])
def test_every_page_fits_every_platform_and_leads_somewhere(reader: Reader) -> None:
    for page in pages(reader):
        assert sum(characters(block) for block in page.blocks) <= CHARACTERS
        assert components(page) <= COMPONENTS and blocks(page) <= BLOCKS
        assert 0 < length(page.summary) <= 100
        for item in (*all_parts(page, Button), *all_parts(page, Menu)):
            assert length(item.id) <= 100 and find_action(item.id), item.id
        for menu in all_parts(page, Menu):
            assert 1 <= len(menu.options) <= 25
            assert all(length(f"{menu.id}:{option.value}") <= 100 for option in menu.options)
        for option in all_parts(page, Option):
            assert 0 < length(option.label) <= 75


def test_clubs_that_fit_in_no_menu_are_counted() -> None:
    many = [replace(club(), id=number) for number in range(30)]
    assert "and 5 more" in told(which_page(EN, many, "in:1"))


def test_what_deleting_means_is_said_before() -> None:
    lines = told(delete_page(EN, club(name="Readers"), KEPT, voting=False))
    assert lines[0] == "Delete Readers?"
    assert any("Everything is kept for 30 days" in line for line in lines)
    assert not any("without a result" in line for line in lines)


def test_the_club_is_named_where_there_is_room() -> None:
    readers = club(name="Readers")
    short = in_club(greeting_page(EN), readers)
    assert short.blocks[-1] == Small(("This is about Readers.",))
    full = Message("Full", tuple(Paragraph((f"{number}",)) for number in range(COMPONENTS - 1)))
    assert components(full) == COMPONENTS and in_club(full, readers) == full
    form = Form("configure:club", "Club", "Save", (TextField("name", "Name"),))
    assert form_in_club(form, readers).small == ("This is about Readers.",)
    own = replace(form, small=("Its own.",))
    assert form_in_club(own, readers) == own
