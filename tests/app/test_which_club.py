"""Which club is meant, and what is answered while only the person could say so."""

from __future__ import annotations

import pytest

from tests.lab.house import CHAIR, House, faults_of, ids_in, person, text_of

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
        assert "Write in the channel" not in answer and "no longer" not in answer, action_id
    assert await two.group.suggest(ASIDE, "paper show", "id", "p5", two.now)


async def test_what_needs_a_club_names_those_that_may_be_meant(two: House) -> None:
    for answer in (
        await two.command(ASIDE, "paper nominate", paper="p57"),
        await two.command(ASIDE, "paper today"),
        await two.command(ASIDE, "club settings"),
        await two.press(ASIDE, "save:p57"),
        await two.press(ASIDE, "post"),
    ):
        text = text_of(answer)
        assert "More than one club can be meant here: papers and Second." in text
        assert "Write in the channel of the one you mean." in text
    here = text_of(await two.command(person(7), "paper nominate", paper="p57"))
    assert here.startswith("Nominated: ")


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
