"""Somebody's own page, and what is asked from where there is no channel."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clubs.model import Asker, Place
from bot.messages.model import Answer, ChannelField, Form, Message
from bot.storage import clubs
from tests.lab.house import CHAIR, MEMBER, House, faults_of, filled, ids_in, person, said, text_of
from tests.lab.voting import cast, open_vote


def at_home(who: Asker) -> Asker:
    """The same person where there is no channel."""
    place = who.place
    return replace(who, place=Place(place.platform, place.workspace, ""))


async def home(house: House, who: Asker = MEMBER) -> Message:
    return await house.group.home(at_home(who), house.now)


async def test_before_a_club_it_leads_to_one(house: House) -> None:
    page = await home(house)
    assert "Three first steps" in said(page) and "open:club setup" in ids_in(page)


async def test_it_shows_one_club_without_being_asked_from_its_channel(house: House) -> None:
    await house.set_up()
    assert said(await home(house)).startswith("papers")
    await house.press(MEMBER, "save:p57")
    assert "1 saved paper" in said(await home(house))
    assert "1 saved paper" not in said(await home(house, person(3)))


async def test_what_is_off_is_not_said_to_come_later(house: House) -> None:
    await house.set_up()
    off = {"vote_opens": "", "vote_closes": "Fri 17:00", "meeting": "Mon 16:00"}
    await house.submit(CHAIR, "configure:daily", daily_time="09:00", daily_days=[])
    await house.submit(CHAIR, "configure:vote", **off, nominations_each="3", keep_rounds="4")
    told = said(await home(house))
    assert "Daily paper off" in told and "Vote off" in told and "later off" not in told


async def test_it_is_in_the_language_of_whoever_looks(house: House) -> None:
    await house.set_up()
    assert "接下来" in said(await home(house, replace(MEMBER, locale="zh-CN")))


async def test_of_several_clubs_one_is_chosen_and_another_can_be(house: House) -> None:
    await house.set_up()
    await house.set_up(person(8, "talk", admin=True), name="Second")
    assert "Which club do you mean?" in said(await home(house))
    one, two = [each for each in ids_in(await home(house)) if each.startswith("home:")]
    answer = await house.press(at_home(MEMBER), two)
    assert answer.kind == "redraw" and text_of(answer).startswith("Second")
    assert "This is about" not in text_of(answer)
    assert said(await home(house)).startswith("Second")
    assert "home:other" in ids_in(await home(house))
    assert "Which club do you mean?" in text_of(await house.press(at_home(MEMBER), "home:other"))
    assert text_of(await house.press(at_home(MEMBER), one)).startswith("papers")
    assert "Which club do you mean?" in said(await home(house, person(3)))


@pytest.mark.parametrize("press", ["home:999", "home:x", "home:-1", "home:" + "9" * 30])
async def test_no_other_club_can_be_chosen(house: House, press: str) -> None:
    await house.set_up()
    await house.set_up(person(8, "talk", admin=True, server="other"), name="Secret")
    for asked in (press, "home:2"):
        answer = await house.press(at_home(MEMBER), asked)
        assert answer.kind == "private" and "Secret" not in text_of(answer)
    assert "Secret" not in said(await home(house))


async def test_a_fault_of_ours_is_told_there_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.set_up()
    monkeypatch.setattr(house.group.rooms.papers, "find", None)
    monkeypatch.setattr(house.group.rooms.papers, "saved", None)
    await house.press(MEMBER, "nominate:p57")
    assert "E-" in said(await home(house))


# ---- set-up from where there is no channel ----


def form_of(answer: Answer) -> Form:
    assert answer.form is not None, text_of(answer)
    return answer.form


def values(form: Form) -> dict[str, str]:
    return {each.name: getattr(each, "value", "") for each in form.fields}


async def test_set_up_asks_for_the_channel_and_knows_the_zone(house: House) -> None:
    chair = replace(at_home(CHAIR), zone="Asia/Tokyo")
    form = form_of(await house.command(chair, "club setup"))
    assert isinstance(form.fields[0], ChannelField) and values(form)["zone"] == "Asia/Tokyo"
    made = await house.submit(chair, form.id, **(filled(form) | {"channel": "papers"}))
    assert "is set up" in text_of(made)
    found = await house.database.read(lambda tx: clubs.club_of_channel(tx, "preview", "w", "papers"))
    assert found is not None


async def test_without_a_channel_nothing_is_set_up_and_nothing_is_lost(house: House) -> None:
    form = form_of(await house.command(at_home(CHAIR), "club setup"))
    again = await house.submit(at_home(CHAIR), form.id, **(filled(form) | {"channel": "", "zone": "Nowhere"}))
    assert set(faults_of(again)) == {"channel", "zone"}
    assert values(form_of(again))["zone"] == "Nowhere"
    assert await house.database.read(clubs.list_clubs) == []


async def test_the_zone_of_whoever_sets_up_is_a_guess_that_gives_way_to_what_is_typed(house: House) -> None:
    chair = replace(CHAIR, zone="Asia/Tokyo")
    assert values(form_of(await house.command(chair, "club setup")))["zone"] == "Asia/Tokyo"
    made = await house.command(chair, "club setup", zone="Europe/Berlin")
    assert "Europe/Berlin" in text_of(made)


# ---- a wrong word ----


async def test_a_wrong_word_is_answered_with_the_nearest_in_the_asker_s_language(house: House) -> None:
    answer = await house.command(MEMBER, "paper serach x")
    assert answer.kind == "private" and "/paper search" in text_of(answer)
    assert "/paper search" in text_of(await house.command(replace(MEMBER, locale="zh-CN"), "paper serach x"))
    assert "Did you mean" not in text_of(await house.command(MEMBER, "zzzzqqqq"))
    for text in ("", " ", "x" * 5_000, "paper " + "y " * 3_000, "<b>&`*_\n\x00"):
        assert "There is no command" in text_of(await house.command(MEMBER, text))


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("approval", "You would read: paper 2."),
        ("phragmen", "You would read: paper 2."),
        ("plurality", "You would read: paper 2."),
        ("schulze", "First paper 2. Papers you did not rank come after these, all equal."),
        ("irv", "First paper 2. Papers you did not rank come after these, all equal."),
    ],
)
async def test_it_shows_ones_own_ballot_of_every_method(house: House, method: str, words: str) -> None:
    await open_vote(house, method=method)
    assert "You have not voted in this round." in said(await home(house))
    await cast(house, method, MEMBER, 1, "p10")
    page = await home(house)
    assert words in said(page) and {"vote:1", "mine:1"} <= set(ids_in(page))
    assert "You have not voted in this round." in said(await home(house, person(3)))
    await cast(house, method, MEMBER, 1)
    assert "You are counted as present, without a wish." in said(await home(house))


async def test_a_button_about_a_vote_needs_no_choice_of_club(house: House) -> None:
    await open_vote(house)
    await house.set_up(person(8, "talk", admin=True), name="Second")
    assert "Which club do you mean?" in text_of(await house.command(at_home(MEMBER), "paper vote"))
    form = (await house.press(at_home(MEMBER), "vote:1")).form
    assert form is not None and form.id == "ballot:1"
    assert "Counted." in text_of(await house.vote(at_home(MEMBER), 1, "p57"))
    assert "You would read: paper 1." in text_of(await house.press(at_home(MEMBER), "mine:1"))
    for wrong in ("vote:99", "mine:99", "sheet:99"):
        assert "Which club do you mean?" in text_of(await house.press(at_home(MEMBER), wrong))
