"""How a club counts: the form, its faults, and that an open vote keeps what it began with."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.clubs.model import SQUARE_ROOT, Settings
from bot.clubs.service import get_club
from bot.storage.ballots import forget_receipts
from tests.lab.house import CHAIR, MEMBER, House, faults_of, filled, ids_in, said, text_of
from tests.lab.voting import CLOSES, OPENS, WEEK, cast_all, open_vote, result, told


async def settings_of(house: House) -> Settings:
    return (await house.database.read(lambda tx: get_club(tx, 1))).settings


async def test_the_form_shows_what_is_set_and_keeps_what_is_chosen(house: House) -> None:
    await house.set_up()
    assert "settings:counting" in list(ids_in((await house.command(CHAIR, "club settings")).message))
    form = (await house.press(CHAIR, "settings:counting")).form
    assert form is not None and filled(form) == {
        "method": "approval", "ties": "age", "secrecy": "secret", "quorum": "", "close_early": "no",
    }  # fmt: skip
    answer = await house.counting(
        method="irv", ties="organiser", secrecy="open", quorum="5", close_early="yes"
    )
    assert "Changes to the vote apply from the next round" in text_of(answer)
    form = (await house.press(CHAIR, "settings:counting")).form
    assert form is not None and filled(form) == {
        "method": "irv", "ties": "organiser", "secrecy": "open", "quorum": "5", "close_early": "yes",
    }  # fmt: skip
    shown = text_of(await house.command(CHAIR, "club settings"))
    assert "Ranking, rounds of elimination" in shown and "at least 5 must vote" in shown


@pytest.mark.parametrize(
    ("typed", "stored"),
    [("", 0), ("5", 5), ("auto", SQUARE_ROOT), ("Auto", SQUARE_ROOT), ("自动", SQUARE_ROOT), ("1", 1)],
)
async def test_a_quorum_is_a_number_or_follows_the_active_members(
    house: House, typed: str, stored: int
) -> None:
    await house.set_up()
    assert "Saved." in text_of(await house.counting(quorum=typed))
    assert (await settings_of(house)).quorum == stored


@pytest.mark.parametrize("typed", ["half", "-1", "0", "5.5", "99999", "5 members", "¼", "²", "1" * 400])
async def test_a_quorum_that_cannot_be_stays_at_its_field_and_nothing_is_saved(
    house: House, typed: str
) -> None:
    await house.set_up()
    answer = await house.counting(quorum=typed, method="irv")
    assert list(faults_of(answer)) == ["quorum"]
    assert answer.form is not None and filled(answer.form)["method"] == "irv"
    assert filled(answer.form)["quorum"] == typed
    assert await settings_of(house) == Settings()


async def test_a_quorum_above_the_active_members_says_how_many_there_are(house: House) -> None:
    await open_vote(house)
    await cast_all(house, "approval", 1, [("p57",)] * 4)
    await house.until(CLOSES)
    house.now = CLOSES + WEEK / 7
    answer = await house.counting(quorum="5")
    assert "4 members" in faults_of(answer)["quorum"] and "1 to 4" in faults_of(answer)["quorum"]
    assert "Saved." in text_of(await house.counting(quorum="4"))


async def test_where_nobody_knows_any_more_who_was_active_an_automatic_quorum_asks_for_nobody(
    house: House,
) -> None:
    await open_vote(house, quorum="auto")
    await cast_all(house, "approval", 1, [("p57",)] * 5)
    await house.until(OPENS + WEEK - timedelta(hours=1))
    await house.database.write(lambda tx: forget_receipts(tx, house.now))  # as after a long pause
    await house.until(OPENS + WEEK)
    await cast_all(house, "approval", 2, [("p10",)])
    await house.drawn()
    poll = said(told(house, 2, "open")[0].message)
    assert "must vote" not in poll and "1 has voted" in poll and "of 0" not in poll
    await house.until(CLOSES + WEEK + timedelta(hours=1))
    assert result(house, 2).summary.startswith("Winner: ")


@pytest.mark.parametrize(
    ("field", "wrong"),
    [("method", "star"), ("method", "borda"), ("ties", "coin"), ("secrecy", "live"), ("close_early", "soon")],
)
async def test_what_is_not_offered_is_refused_at_its_field(house: House, field: str, wrong: str) -> None:
    await house.set_up()
    answer = await house.counting(**{field: wrong})
    assert list(faults_of(answer)) == [field]
    assert await settings_of(house) == Settings()


async def test_only_organisers_change_how_votes_count(house: House) -> None:
    await house.set_up()
    assert "Only organisers can do this." in text_of(await house.press(MEMBER, "settings:counting"))
    sent = await house.submit(MEMBER, "configure:counting", method="irv")
    assert "Only organisers can do this." in text_of(sent)
    assert (await settings_of(house)).method == "approval"


async def test_an_open_vote_keeps_the_rules_it_began_with(house: House) -> None:
    await open_vote(house)
    before = str(told(house, 1, "open")[0].message.blocks)
    await house.counting(method="schulze", secrecy="open", ties="draw", quorum="50", close_early="yes")
    form = (await house.press(MEMBER, "vote:1")).form
    assert form is not None and filled(form) == {"papers": []}
    await cast_all(house, "approval", 1, [("p57",)] * 5)
    await house.drawn()
    assert str(told(house, 1, "open")[0].message.blocks).replace("5 have", "0 have") == before
    await house.until(CLOSES)
    assert "Winner" in told(house, 1)[0].message.summary
    assert "Member 3" not in str(told(house, 1)[0].message.blocks)
    await house.until(OPENS + WEEK)
    poll = str(told(house, 2, "open")[0].message.blocks)
    assert "Rank the papers you would read." in poll and "At least 50 must vote." in poll
    assert "everybody sees who voted for what" in poll and "the sealed draw decides" in poll


async def test_settings_that_are_saved_as_they_were_begin_no_new_season(house: House) -> None:
    await house.set_up()
    await house.counting(method="phragmen")
    await house.counting(method="phragmen", ties="draw")
    assert (await settings_of(house)).season == 1
    await house.counting(method="irv")
    await house.counting(method="phragmen")
    assert (await settings_of(house)).season == 2
