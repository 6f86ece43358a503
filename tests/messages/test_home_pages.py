"""Somebody's own page: fits every platform whatever papers hold, and says what they have to do."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest

from bot.commands import find_action
from bot.messages.cut import length
from bot.messages.model import Button, Message, Reader
from bot.messages.pages.greeting import greeting_page
from bot.messages.pages.home import MOST_SAVED, Due, Today, home_page
from bot.messages.pages.shortcuts import app_words, no_link_page, wait_page
from bot.messages.weigh import BLOCKS, CHARACTERS, COMPONENTS, blocks, characters, components
from bot.papers.model import Paper
from bot.rounds.model import Ballot, Round
from tests.messages.samples import EN, NOW, ZH, a_round, all_parts, club, four, told
from tests.messages.test_limits import HOSTILE, KINDS

DUE = tuple(Due(f"{name}, {HOSTILE}"[:40], "open", "Thu 3 Dec, 09:00") for name in "abcde")
DAY = date(2026, 11, 30)


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("reader", [EN, ZH], ids=["en", "zh"])
def test_it_fits_every_platform_whatever_papers_hold(reader: Reader, make: Callable[[int], Paper]) -> None:
    papers = [make(number) for number in range(1, 26)]
    vote = a_round(papers)
    for ballot in (Ballot(None), Ballot(()), Ballot(tuple(range(1, 26)))):
        named = club(name=HOSTILE[:80])
        page = home_page(reader, named, Today(papers[0], DAY), vote, ballot, papers, DUE, several=True)
        assert sum(characters(block) for block in page.blocks) <= CHARACTERS
        assert components(page) <= COMPONENTS and blocks(page) <= BLOCKS
        assert 0 < length(page.summary) <= 100
        assert all(find_action(each.id) and length(each.id) <= 100 for each in all_parts(page, Button))


def page(**changes: object) -> Message:
    vote = a_round(four())
    values = {
        "today": Today(four()[0], DAY),
        "vote": vote,
        "ballot": Ballot((1, 2)),
        "saved": four(),
        "due": DUE,
    }
    return home_page(EN, club(), **(values | changes))  # type: ignore[arg-type]


def words(message: Message) -> str:
    return "\n".join(told(message))


def test_it_says_what_the_ballot_says() -> None:
    assert "You would read: papers 1 and 2." in words(page())
    assert "You have not voted in this round." in words(page(ballot=Ballot(None)))
    assert "present, without a wish" in words(page(ballot=Ballot(())))
    none = page(vote=None)
    assert "No vote is open." in words(none)
    assert not [each for each in all_parts(none, Button) if each.id.startswith("vote:")]


@pytest.mark.parametrize(
    ("vote", "first"), [(a_round(four()), "vote:"), (None, "more:")], ids=["open", "none"]
)
def test_one_thing_comes_first(vote: Round | None, first: str) -> None:
    (button,) = (each for each in all_parts(page(vote=vote), Button) if each.kind == "first")
    assert button.id.startswith(first)


def test_who_has_not_voted_has_no_ballot_to_look_at() -> None:
    assert not [each for each in all_parts(page(ballot=Ballot(None)), Button) if each.id.startswith("mine:")]


def test_a_few_saved_papers_stand_there_and_the_way_to_the_others() -> None:
    many = page()
    assert f"{len(four())} saved papers" in words(many) and len(four()) > MOST_SAVED
    assert "saved" in [each.id for each in all_parts(many, Button)]
    few = page(saved=four()[:2])
    assert "saved" not in [each.id for each in all_parts(few, Button)]
    assert "You have saved nothing yet" in words(page(saved=()))


def test_without_a_paper_it_says_so() -> None:
    assert "No paper has been posted yet." in words(page(today=None))


def test_another_club_is_offered_where_there_is_one() -> None:
    assert "home:other" not in [each.id for each in all_parts(page(), Button)]
    assert "home:other" in [each.id for each in all_parts(page(several=True), Button)]


def test_whoever_may_set_up_a_club_is_called_as_the_platform_does() -> None:
    assert "Admins and owners of this workspace" in words(greeting_page(EN, "slack"))
    assert "Whoever manages this server" in words(greeting_page(EN, "discord"))


def test_what_the_app_says_of_itself_fits_its_places() -> None:
    for language in ("en", "zh"):
        said = app_words(language)
        assert length(said.shortcut) <= 24 and length(said.about) <= 140
    for reader in (EN, ZH, replace(EN, now=NOW)):
        assert told(wait_page(reader)) and told(no_link_page(reader))
