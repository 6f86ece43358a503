"""A club that lets only the members of a role vote on Discord, as they and the organisers read it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.clubs.model import Asker, Place
from bot.errors import Refused, Uncertain
from bot.messages.model import Answer, RoleField
from tests.lab.house import CHAIR, House, faults_of, filled, on, said, text_of
from tests.lab.sides import HERE, THERE, club_on_both, code_in

ROLE = "555"
D2, S2 = on("discord", 2), on("slack", 12)
HOLDER = replace(D2, roles=("5", ROLE))
OUTSIDE = replace(D2, roles=("5",))
ASIDE = replace(D2, place=Place("discord", "", "dm"))
"""The same in private messages, where a press tells no roles."""
OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
REFUSED = "In this vote only members with the role the club named vote on Discord. Once you hold it,"
UNKNOWN = "your roles cannot be read here. Please vote in the server."


async def people(house: House, who: Asker = HERE, **changes: str) -> Answer:
    """An organiser sends the form who may vote."""
    form = (await house.press(who, "settings:people")).form
    assert form is not None
    return await house.submit(who, form.id, **{**filled(form), **changes})


async def voting(house: House, role: str = ROLE) -> None:
    """A vote of a club on both sides that asks for the role."""
    await club_on_both(house)
    assert "Saved." in text_of(await people(house, vote_role=role))
    for who, paper in ((on("discord", 20), "p57"), (D2, "p10"), (on("discord", 21), "p21")):
        await house.command(who, "paper nominate", paper=paper)
    await house.until(OPENS)


async def chosen(house: House) -> str:
    found = await house.group.find_club(None)
    assert found is not None
    return found.settings.vote_role


async def test_a_role_that_may_vote_is_chosen_where_the_server_is_and_told(both: House) -> None:
    await club_on_both(both)
    form = (await both.press(HERE, "settings:people")).form
    assert form is not None and len(form.fields) <= 5
    (field,) = [each for each in form.fields if isinstance(each, RoleField)]
    assert (field.name, field.value, field.required) == ("vote_role", "", False)
    assert "only members with a role" not in text_of(await both.command(HERE, "club settings"))
    assert "Saved." in text_of(await people(both, vote_role=ROLE))
    assert await chosen(both) == ROLE
    assert "On Discord only members with a role" in text_of(await both.command(HERE, "club settings"))
    form = (await both.press(HERE, "settings:people")).form
    assert form is not None and filled(form)["vote_role"] == ROLE
    assert "Saved." in text_of(await people(both, vote_role=""))
    assert await chosen(both) == ""


async def test_everybodys_role_and_what_is_no_role_come_back_with_what_is_wrong(both: House) -> None:
    await club_on_both(both)
    for wrong, words in (("G1", "This is the role that everybody has."), ("<@&5>", "This is no role")):
        answer = await people(both, vote_role=wrong, guests_vote="yes")
        assert list(faults_of(answer)) == ["vote_role"]
        assert faults_of(answer)["vote_role"].startswith(words)
    assert await chosen(both) == ""


async def test_elsewhere_no_role_is_asked_for_and_the_one_that_is_set_stays(both: House) -> None:
    await club_on_both(both)
    await people(both, vote_role=ROLE)
    private = replace(HERE, place=Place("discord", "", "dm"), admin=False)
    for who in (THERE, private):
        form = (await both.press(who, "settings:people")).form
        assert form is not None and not [each for each in form.fields if isinstance(each, RoleField)]
        for more in ({}, {"vote_role": ""}, {"vote_role": "777"}):
            assert "Saved." in text_of(await people(both, who, guests_vote="yes", **more))
            assert await chosen(both) == ROLE


async def test_a_club_of_the_preview_is_asked_for_no_role(house: House) -> None:
    await house.set_up()
    form = (await house.press(CHAIR, "settings:people")).form
    assert form is not None and not [each for each in form.fields if isinstance(each, RoleField)]
    assert "Saved." in text_of(await people(house, CHAIR, vote_role=ROLE))
    assert await chosen(house) == ""


async def test_a_member_without_the_role_is_told_the_rule_before_and_after_the_form(both: House) -> None:
    await voting(both)
    for side in ("discord", "slack"):
        (poll,) = both.platforms[side].in_channel(f"{side}-papers", "Vote open")
        assert "Only members with the role the club named vote on Discord." in said(poll.message)
    organiser = replace(HERE, roles=())
    for who in (OUTSIDE, organiser):
        asked, sent = await both.press(who, "vote:1"), await both.vote(who, 1, "p57")
        for answer in (asked, sent):
            assert answer.kind == "private" and REFUSED in text_of(answer)
    told = text_of(await both.vote(replace(OUTSIDE, locale="zh-CN"), 1, "p57"))
    assert "只有持有小组指定身份组的成员可以投票" in told
    assert (await both.press(HOLDER, "vote:1")).form is not None
    assert "Counted." in text_of(await both.vote(HOLDER, 1, "p57"))


async def test_members_of_the_other_side_need_no_role(both: House) -> None:
    await voting(both)
    assert (await both.press(S2, "vote:1")).form is not None
    assert "Counted." in text_of(await both.vote(S2, 1, "p57"))


async def test_a_role_set_while_a_vote_is_open_applies_from_the_next_one(both: House) -> None:
    await voting(both, role="")
    await people(both, vote_role=ROLE)
    assert "Counted." in text_of(await both.vote(OUTSIDE, 1, "p57"))
    await both.until(OPENS + timedelta(days=7))
    assert REFUSED in text_of(await both.vote(OUTSIDE, 2, "p10"))
    assert "Counted." in text_of(await both.vote(HOLDER, 2, "p10"))


async def test_whoever_loses_the_role_keeps_the_ballot_that_stands(both: House) -> None:
    await voting(both)
    await both.vote(HOLDER, 1, "p57")
    assert REFUSED in text_of(await both.vote(OUTSIDE, 1, "p10"))
    assert "You would read: paper 1." in text_of(await both.press(OUTSIDE, "mine:1"))
    assert "Withdrawn" in text_of(await both.press(OUTSIDE, "retract:1"))


async def test_in_private_messages_the_server_is_asked_anew_each_time(both: House) -> None:
    await voting(both)
    held = both.platforms["discord"].held
    for roles, words in (((), REFUSED), ((ROLE,), "Counted."), (("5",), REFUSED)):
        held["G1", "u2"] = roles
        assert words in text_of(await both.vote(ASIDE, 1, "p57"))
    held["G1", "u2"] = (ROLE,)
    assert (await both.press(ASIDE, "vote:1")).form is not None


@pytest.mark.parametrize("fault", [Uncertain("network"), Refused("forbidden"), None])
async def test_where_the_server_does_not_tell_the_member_is_sent_there(
    both: House, fault: Exception | None
) -> None:
    await voting(both)
    if fault is not None:
        both.platforms["discord"].held["G1", "u2"] = fault  # type: ignore[assignment]
    for answer in (await both.press(ASIDE, "vote:1"), await both.vote(ASIDE, 1, "p57")):
        assert answer.kind == "private" and UNKNOWN in text_of(answer)


async def test_a_role_of_any_of_the_clubs_servers_counts_in_private_messages(both: House) -> None:
    await voting(both)
    other = replace(HERE, place=replace(HERE.place, workspace="G2", channel="second", name="second"))
    code = code_in(await both.command(HERE, "club link"))
    assert "stands in this channel too now" in text_of(await both.command(other, "club link", code=code))
    held = both.platforms["discord"].held
    held["G1", "u2"], held["G2", "u2"] = (), (ROLE,)
    assert "Counted." in text_of(await both.vote(ASIDE, 1, "p57"))
    held["G1", "u2"] = Refused("not_member")
    assert "Counted." in text_of(await both.vote(ASIDE, 1, "p10"))
    held["G2", "u2"] = Refused("not_member")
    assert REFUSED in text_of(await both.vote(ASIDE, 1, "p57"))


async def test_a_role_of_the_clubs_other_server_counts_wherever_it_is_pressed(both: House) -> None:
    await voting(both)
    other = replace(HERE, place=replace(HERE.place, workspace="G2", channel="second", name="second"))
    code = code_in(await both.command(HERE, "club link"))
    assert "stands in this channel too now" in text_of(await both.command(other, "club link", code=code))
    pressed = replace(OUTSIDE, place=other.place)
    held = both.platforms["discord"].held
    held["G1", "u2"], held["G2", "u2"] = (ROLE,), ()
    assert (await both.press(pressed, "vote:1")).form is not None
    assert "Counted." in text_of(await both.vote(pressed, 1, "p57"))
    held["G1", "u2"] = ("5",)
    assert REFUSED in text_of(await both.vote(pressed, 1, "p10"))
    held["G1", "u2"] = Uncertain("network")  # type: ignore[assignment]
    assert "your roles cannot be read here" in text_of(await both.vote(pressed, 1, "p10"))


async def test_where_no_role_is_asked_for_nobody_looks(both: House) -> None:
    await voting(both, role="")
    both.platforms["discord"].held["G1", "u2"] = Refused("forbidden")
    assert "Counted." in text_of(await both.vote(ASIDE, 1, "p57"))
