"""Which club is meant, and what is answered while only the person could say so."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.clubs.model import Account, Asker, Place
from bot.errors import Refused, Uncertain
from bot.messages.model import Answer, Small
from tests.lab.house import CHAIR, House, faults_of, filled, ids_in, person, text_of

ASIDE = person(7, "elsewhere")


@pytest.fixture
async def two(house: House) -> House:
    """Two clubs in one workspace."""
    await house.set_up()
    await house.set_up(person(8, "talk", admin=True), name="Second")
    return house


@pytest.mark.parametrize(
    ("path", "args", "words"),
    [
        ("paper search", {"query": "model"}, "papers for “model”"),
        ("paper show", {"id": "p57"}, "p57"),
        ("paper topics", {}, "Deep Learning"),
        ("paper random", {}, "A random paper"),
        ("paper similar", {"id": "p57"}, "Close to "),
        ("paper help", {}, "More than one club can be meant here: papers and Second."),
    ],
)
async def test_reading_is_answered_from_the_shared_shelf(
    two: House, path: str, args: dict[str, str], words: str
) -> None:
    answer = text_of(await two.command(ASIDE, path, **args))
    assert words in answer
    assert ("More than one club" in answer) == (path == "paper help")


async def test_buttons_read_from_the_shared_shelf_too(two: House) -> None:
    for action_id in ("more:p57", "similar:p57", "topics", "random", "find:model", "search:2:model"):
        answer = text_of(await two.press(ASIDE, action_id))
        assert "Which club" not in answer and "belongs to nothing" not in answer, action_id
    assert await two.group.suggest(ASIDE, "paper show", "id", "p5", two.now)


async def choose(house: House, who: Asker, asked: Answer, number: int) -> Answer:
    """Take the club at this place of the menu."""
    return await house.press(who, list(ids_in(asked.message))[number])


def club_in(answer: Answer) -> str:
    """The club its small print names, once."""
    assert answer.message is not None
    lines = [each.text for each in answer.message.blocks if isinstance(each, Small)]
    (name,) = [line[0] for line in lines if str(line[0]).startswith("This is about ")]
    return str(name).removeprefix("This is about ").rstrip(".")


async def test_what_needs_a_club_asks_which_one_is_meant(two: House) -> None:
    for answer in (
        await two.command(ASIDE, "paper nominate", paper="p57"),
        await two.command(ASIDE, "paper today"),
        await two.command(ASIDE, "club settings"),
        await two.press(ASIDE, "save:p57"),
        await two.press(ASIDE, "post"),
        await two.press(ASIDE, "withdraw:1"),
        await two.submit(ASIDE, "propose", paper="p57"),
    ):
        assert answer.kind == "private"
        assert text_of(answer).startswith("Which club do you mean?")
        assert [each.rpartition(":")[2] for each in ids_in(answer.message)] == ["1", "2"]
        assert all(each.startswith("in:") for each in ids_in(answer.message))
    here = text_of(await two.command(person(7), "paper nominate", paper="p57"))
    assert here.startswith("Nominated: ")


async def test_the_choice_runs_what_was_asked_and_counts_for_what_follows(two: House) -> None:
    for channel in ("papers", "talk"):
        await two.press(person(7, channel), "save:p1")
    asked = await two.command(ASIDE, "paper nominate", paper="p57", reason="Short and clear")
    done = await choose(two, ASIDE, asked, 1)
    assert done.kind == "redraw"
    assert text_of(done).startswith("Nominated: ") and club_in(done) == "Second"
    listed = await two.command(ASIDE, "paper nominations")
    assert "Short and clear" in text_of(listed) and club_in(listed) == "Second"
    assert "Short and clear" not in text_of(await two.command(person(7), "paper nominations"))
    withdrawn = await two.press(ASIDE, "withdraw:1")
    assert text_of(withdrawn).startswith("Withdrawn: ") and club_in(withdrawn) == "Second"
    fault = await two.press(ASIDE, "withdraw:1")
    assert "is no longer on the list." in text_of(fault) and club_in(fault) == "Second"


async def test_who_is_in_one_of_them_alone_is_asked_all_the_same(two: House) -> None:
    asked = await two.command(ASIDE, "paper nominate", paper="p57")
    await choose(two, ASIDE, asked, 1)
    two.now += timedelta(hours=2)
    chair = person(8, "elsewhere", admin=True)  # who organises Second and nothing else
    for who, path in (
        (ASIDE, "paper nominations"),
        (chair, "paper nominations"),
        (chair, "club settings"),
        (chair, "club undo"),
    ):
        answer = await two.command(who, path)
        assert text_of(answer).startswith("Which club do you mean?"), path
        assert [each.rpartition(":")[2] for each in ids_in(answer.message)] == ["1", "2"]


async def test_after_an_hour_it_is_asked_again(two: House) -> None:
    for channel in ("papers", "talk"):
        await two.command(person(7, channel), "paper nominate", paper="p57")
    first = await two.command(ASIDE, "paper nominations")
    assert club_in(await choose(two, ASIDE, first, 0)) == "papers"
    two.now += timedelta(minutes=59)
    assert club_in(await two.press(ASIDE, "nominations")) == "papers"
    two.now += timedelta(minutes=1)
    assert text_of(await two.press(ASIDE, "nominations")).startswith("Which club do you mean?")


async def test_the_choice_is_the_persons_own_and_of_that_place(two: House) -> None:
    await choose(two, ASIDE, await two.command(ASIDE, "paper nominations"), 0)
    for other in (person(8, "elsewhere", admin=True), person(7, "third"), person(9, "elsewhere")):
        answer = await two.command(other, "paper nominations")
        assert "This is about papers." not in text_of(answer)


async def test_another_choice_from_the_menu_changes_the_club(two: House) -> None:
    asked = await two.command(ASIDE, "paper nominations")
    assert club_in(await choose(two, ASIDE, asked, 0)) == "papers"
    assert club_in(await choose(two, ASIDE, asked, 1)) == "Second"
    assert club_in(await two.command(ASIDE, "paper nominations")) == "Second"


async def test_a_club_made_beside_the_chosen_one_is_not_taken_for_it(two: House) -> None:
    chair = person(1, "elsewhere", admin=True)
    await two.command(person(1, "talk", admin=True), "paper nominate", paper="p57")
    await choose(two, chair, await two.command(chair, "paper nominations"), 0)
    made = await two.command(chair, "club setup", zone="UTC", name="Third")
    assert "Third is set up." in text_of(made) and "This is about" not in text_of(made)


async def test_a_choice_gives_no_rights(two: House) -> None:
    elsewhere = person(7, "away", server="v", admin=True)
    await two.set_up(elsewhere, name="Hidden")
    asked = await two.command(ASIDE, "club settings")
    key = next(iter(ids_in(asked.message))).rpartition(":")[0]
    for rest in ("3", "99", "x", "", "1:2"):
        assert "This button belongs to nothing" in text_of(await two.press(ASIDE, f"{key}:{rest}"))
    stranger = person(9, "elsewhere")
    assert "This choice is too old." in text_of(await two.press(stranger, f"{key}:1"))
    for number in (0, 1):
        assert "Only organisers can do this." in text_of(await choose(two, ASIDE, asked, number))
    for broken in ("in:", "in:x", "in:1", "in::1", "in:999:1", "in-form:999:1", "in:1:1:1"):
        assert "wrong on our side" not in text_of(await two.press(ASIDE, broken))


async def test_a_form_opens_from_the_menu_and_its_submit_reaches_the_same_club(two: House) -> None:
    chair = person(1, "elsewhere", admin=True)
    await two.command(person(1, "talk", admin=True), "paper nominate", paper="p57")
    asked = await two.press(chair, "settings:club")
    assert all(each.startswith("in-form:") for each in ids_in(asked.message))
    opened = await choose(two, chair, asked, 1)
    assert opened.kind == "form" and opened.form is not None
    assert "This is about Second." in text_of(opened)
    saved = await two.submit(chair, opened.form.id, **{**filled(opened.form), "name": "Second to none"})
    assert "Saved." in text_of(saved)
    assert await two.group.find_club("Second to none") is not None
    assert await two.group.find_club("papers") is not None


async def test_a_form_whose_hour_ran_out_loses_nothing(two: House) -> None:
    chair = person(1, "elsewhere", admin=True)
    await two.command(person(1, "talk", admin=True), "paper nominate", paper="p57")
    opened = await choose(two, chair, await two.press(chair, "settings:club"), 1)
    assert opened.form is not None
    two.now += timedelta(hours=2)
    asked = await two.submit(chair, opened.form.id, **{**filled(opened.form), "name": "Kept"})
    assert text_of(asked).startswith("Which club do you mean?")
    done = await choose(two, chair, asked, 1)
    assert "Saved." in text_of(done)
    assert await two.group.find_club("Kept") is not None


async def test_faults_of_a_form_sent_through_the_menu_are_kept_behind_a_button(two: House) -> None:
    chair = person(1, "elsewhere", admin=True)
    await two.command(person(1, "talk", admin=True), "paper nominate", paper="p57")
    asked = await two.submit(chair, "configure:club", name="", zone="Mars/Base", language="en")
    told = await choose(two, chair, asked, 0)
    assert told.kind == "redraw" and "2 fields to mend" in text_of(told)
    again = (await two.press(chair, next(iter(ids_in(told.message))))).form
    assert again is not None and filled(again)["zone"] == "Mars/Base"


async def test_a_server_without_a_club_is_never_answered_from_anothers(two: House) -> None:
    everywhere = Account("preview", "", "u7")  # where accounts belong to no server
    await two.command(replace(person(7), account=everywhere), "paper nominate", paper="p57")
    there = replace(person(7, "hall", server="empty", admin=True), account=everywhere)
    for path in ("paper nominations", "club settings", "club undo"):
        assert "There is no club in this channel yet." in text_of(await two.command(there, path))
    aside = replace(there, place=Place("preview", "", "dm"))
    assert "1 paper nominated" in text_of(await two.command(aside, "paper nominations"))


async def test_in_private_the_clubs_of_all_servers_are_meant(two: House) -> None:
    await two.set_up(person(7, "far", server="v", admin=True), name="Far")
    await two.command(person(7), "paper nominate", paper="p57")
    aside = replace(ASIDE, account=Account("preview", "", "u7"), place=Place("preview", "", "dm"))
    asked = await two.command(aside, "paper nominations")
    assert "papers" in repr(asked) and "Far" in repr(asked) and "Second" not in repr(asked)
    done = text_of(await choose(two, aside, asked, 0))
    assert "1 paper nominated" in done or "by you" in done.lower() or "Withdraw" in done
    two.now += timedelta(hours=2)
    assert text_of(await two.command(aside, "paper nominations")).startswith("Which club do you mean?")
    members = await two.database.read(lambda tx: tx.rows("SELECT COUNT(*) FROM member WHERE club_id = 1"))
    await two.press(aside, "save:p57")
    assert members == await two.database.read(
        lambda tx: tx.rows("SELECT COUNT(*) FROM member WHERE club_id = 1")
    )


@pytest.mark.parametrize("name", ["more", "show", "nominate", "save", "similar"])
@pytest.mark.parametrize("rest", ["", ":", ": "])
async def test_a_button_without_a_paper_belongs_to_nothing(house: House, name: str, rest: str) -> None:
    await house.set_up()
    text = text_of(await house.press(CHAIR, name + rest))
    assert "This button belongs to nothing any more." in text


async def test_namesakes_are_offered_and_taken_by_their_numbers(house: House) -> None:
    await house.set_up()
    for number in (5, 6):
        asker = person(number)
        twin = type(asker)(asker.account, asker.place, "Twin", asker.locale)
        await house.command(twin, "paper nominate", paper=f"p{number}")
    offered = await house.group.suggest(CHAIR, "club organisers", "member", "tw", house.now)
    assert [each.value for each in offered] == ["Twin (2)", "Twin (3)"]
    asked = text_of(await house.command(CHAIR, "club organisers", change="add", member="Twin"))
    assert "More than one member is called Twin. Write one of these: Twin (2) and Twin (3)." in asked
    done = text_of(await house.command(CHAIR, "club organisers", change="add", member="twin (3)"))
    assert "Twin is an organiser now." in done
    again = text_of(await house.command(CHAIR, "club organisers", change="add", member="Twin (2)"))
    assert "Twin is an organiser now." in again


async def test_a_link_never_shows_a_password(house: House) -> None:
    await house.set_up()
    link = "<https://reader:secret@example.org/1|the paper>"
    asked = await house.command(CHAIR, "paper nominate", paper=link)
    form_id = next(each for each in ids_in(asked.message) if each.startswith("nominate-form:"))
    form = (await house.press(CHAIR, form_id)).form
    assert form is not None
    done = await house.submit(CHAIR, form.id, paper=link, title="Made of a link")
    assert "Nominated: Made of a link." in text_of(done)
    found = await house.command(CHAIR, "paper search", query="made of a link")
    more = next(each for each in ids_in(found.message) if each.startswith("more:"))
    shown = repr(await house.press(CHAIR, more))
    assert "https://example.org/1" in shown and "secret" not in shown and "the paper" not in shown
    wrong = await house.submit(CHAIR, "propose", paper="words alone", title="T")
    assert "neither a paper’s id nor a link" in faults_of(wrong)["paper"]


async def test_a_club_left_behind_is_not_meant_any_longer_in_private_messages(house: House) -> None:
    account = Account("preview", "", "u7")
    for server in ("w", "v"):
        chair = person(1, f"in-{server}", server=server, admin=True)
        await house.set_up(chair)
        there = replace(person(7, f"in-{server}", server=server), account=account)
        await house.command(there, "paper nominate", paper="p57")
    aside = replace(person(7), account=account, place=Place("preview", "", "dm"))
    asked = await house.command(aside, "paper nominations")
    assert club_in(await choose(house, aside, asked, 0)) == "in-w"
    house.platform.joins["w", "u7"] = Refused("not_member")
    assert "You are not in the server of in-w any more." in text_of(
        await house.command(aside, "paper nominations")
    )
    asked = await house.command(aside, "paper nominations")
    assert club_in(await choose(house, aside, asked, 1)) == "in-v"


async def test_private_messages_go_on_reading_where_nobody_can_say_who_is_a_member(house: House) -> None:
    await house.set_up()
    member = replace(person(7), account=Account("preview", "", "u7"))
    await house.command(member, "paper nominate", paper="p57")
    aside = replace(member, place=Place("preview", "", "dm"))
    house.platform.joins["w", "u7"] = Uncertain("network")
    assert "p57" in text_of(await house.command(aside, "paper nominations"))
    for path, args in (("paper nominate", {"paper": "p58"}), ("club pause", {}), ("paper vote", {})):
        assert "Please do this in its channel." in text_of(await house.command(aside, path, **args))
    house.platform.joins.clear()
    assert "Nominated" in text_of(await house.command(aside, "paper nominate", paper="p58"))
