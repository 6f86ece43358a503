"""What people type, press and fill in reaches the core, and each answer stands where it belongs."""

from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.preview import open_preview
from adapters.preview.buttons import Desk
from adapters.preview.client import PEOPLE, Preview, asker
from adapters.preview.store import Line
from bot.messages.model import Answer, ChoiceField, Form, Heading, Message, Option, TextField
from bot.storage.database import Database

ONE, TWO = asker(PEOPLE[0], "papers"), asker(PEOPLE[1], "papers")


def page(text: str) -> Message:
    return Message(text, (Heading((text,)),))


FORM = Form(
    "ballot:1",
    "Your ballot",
    "Count",
    (TextField("why", "Why"), ChoiceField("papers", "Papers", (Option("1", "A"), Option("2", "B")), True)),
    "Cancel",
)


class Group:
    """Answers with what it was told to; remembers what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    async def command(self, who: Any, path: str, args: dict[str, str], now: datetime) -> Answer:
        assert now.tzinfo is not None
        self.asked.append((who.name, path, args))
        return self.answers.pop(0)

    async def press(self, who: Any, action_id: str, now: datetime) -> Answer:
        self.asked.append((who.name, action_id))
        return self.answers.pop(0)

    async def submit(self, who: Any, form_id: str, values: dict[str, Any], now: datetime) -> Answer:
        self.asked.append((who.name, form_id, values))
        return self.answers.pop(0)


@pytest.fixture
async def preview(database: Database) -> Preview:
    return await open_preview(database)


def desk(preview: Preview, *answers: Answer) -> tuple[Desk, Group]:
    group = Group(*answers)
    return Desk(preview, group), group  # type: ignore[arg-type]


async def seen(preview: Preview, who: int, channel: str = "papers") -> list[Line]:
    return await preview.store.latest(channel, PEOPLE[who - 1].id, 50)


async def contents(preview: Preview, who: int) -> list[Any]:
    return [line.content for line in await seen(preview, who)]


async def test_a_private_answer_says_what_it_answers(preview: Preview) -> None:
    here, group = desk(preview, Answer("private", page("hits")))
    shown = await here.say(TWO, " /paper search sinkhorn ", "en")
    assert group.asked == [("Member 2", "paper search", {"query": "sinkhorn"})]
    (line,) = await seen(preview, 2)
    assert (line.id, line.answering, line.private_to) == (shown, "/paper search sinkhorn", "member-2")
    assert await seen(preview, 1) == []


async def test_a_public_answer_is_for_everybody(preview: Preview) -> None:
    here, _ = desk(preview, Answer("public", page("card"), also=page("shown")))
    await here.say(ONE, "/club post now", "en")
    assert await contents(preview, 1) == [page("card"), page("shown")]
    assert await contents(preview, 2) == [page("card")]


async def test_words_without_a_slash_are_said_to_the_channel(preview: Preview) -> None:
    here, group = desk(preview)
    await here.say(TWO, "See you on Monday", "en")
    await here.say(TWO, "   ", "en")
    (line,) = await seen(preview, 1)
    assert (line.content, line.author, line.kind) == ("See you on Monday", "member-2", "talk")
    assert group.asked == []


async def test_an_unknown_command_leads_on_privately_in_the_language_of_the_page(preview: Preview) -> None:
    here, group = desk(preview)
    await here.say(ONE, "/paper serach x", "en")
    await here.say(ONE, "/zzzzqqqq", "zh")
    first, second = await seen(preview, 1)
    assert isinstance(first.content, Message) and "fill:/paper search " in repr(first.content)
    assert isinstance(second.content, Message) and second.content.language == "zh"
    assert group.asked == [] and await seen(preview, 2) == []


async def test_a_redraw_replaces_the_private_message_that_was_pressed(preview: Preview) -> None:
    here, group = desk(preview, Answer("private", page("page 1")), Answer("redraw", page("page 2")))
    first = await here.say(ONE, "/paper search x", "en")
    assert first is not None
    assert await here.press(ONE, "search:2:x", "Next", first) == first
    assert await contents(preview, 1) == [page("page 2")]
    assert group.asked[-1] == ("Member 1", "search:2:x")


async def test_a_redraw_of_a_public_message_is_shown_to_the_asker_alone(preview: Preview) -> None:
    here, _ = desk(preview, Answer("redraw", page("saved")))
    post = await preview.store.put("papers", page("post"), datetime(2026, 11, 30, tzinfo=UTC))
    await here.press(TWO, "save:p57", "Save", post)
    assert await contents(preview, 1) == [page("post")]
    assert await contents(preview, 2) == [page("post"), page("saved")]


async def test_a_form_stays_with_its_faults_and_gives_way_to_its_answer(preview: Preview) -> None:
    bad = Form(
        "ballot:1", "Your ballot", "Count", (TextField("why", "Why", "x", fault="Too short"),), "Cancel"
    )
    here, group = desk(
        preview,
        Answer("form", form=FORM),
        Answer("form", form=bad),
        Answer("private", page("counted"), also=page("b")),
    )
    post = await preview.store.put("papers", page("poll"), datetime(2026, 11, 30, tzinfo=UTC))
    form = await here.press(TWO, "vote:1", "Vote", post)
    assert form is not None and await contents(preview, 2) == [page("poll"), FORM]
    assert await here.submit(TWO, form, {"why": ["x"], "papers": ["1", "2"]}) == form
    assert group.asked[-1] == ("Member 2", "ballot:1", {"why": "x", "papers": ["1", "2"]})
    assert await contents(preview, 2) == [page("poll"), bad]
    await here.submit(TWO, form, {"why": ["longer"]})
    assert await contents(preview, 2) == [page("poll"), page("counted"), page("b")]
    assert await contents(preview, 1) == [page("poll")]


async def test_a_form_answered_in_public_is_taken_away(preview: Preview) -> None:
    here, _ = desk(preview, Answer("form", form=FORM), Answer("public", page("card")))
    form = await here.say(ONE, "/paper vote", "en")
    assert form is not None
    await here.submit(ONE, form, {})
    assert await contents(preview, 1) == await contents(preview, 2) == [page("card")]


async def test_what_is_typed_into_a_form_is_kept_before_it_is_sent(preview: Preview) -> None:
    here, group = desk(preview, Answer("form", form=FORM))
    form = await here.say(ONE, "/paper vote", "en")
    assert form is not None
    await here.typed(ONE, form, {"why": ["because"], "papers": ["2"]})
    again = await open_preview(preview.database)
    (line,) = await seen(again, 1)
    assert isinstance(line.content, Form)
    why, papers = line.content.fields
    assert isinstance(why, TextField) and why.value == "because"
    assert isinstance(papers, ChoiceField) and [option.chosen for option in papers.options] == [False, True]
    assert len(group.asked) == 1


async def test_a_cancelled_form_is_gone(preview: Preview) -> None:
    here, _ = desk(preview, Answer("form", form=FORM))
    form = await here.say(ONE, "/paper vote", "en")
    assert form is not None
    await here.cancel(ONE, form)
    assert await seen(preview, 1) == []
    assert await here.submit(ONE, form, {}) is None


async def test_nobody_presses_or_sends_what_another_sees(preview: Preview) -> None:
    here, group = desk(preview, Answer("form", form=FORM))
    form = await here.say(ONE, "/paper vote", "en")
    assert form is not None
    assert await here.press(TWO, "vote:1", "Vote", form) is None
    assert await here.submit(TWO, form, {}) is None
    await here.cancel(TWO, form)
    await here.typed(TWO, form, {"why": ["x"]})
    assert await contents(preview, 1) == [FORM]
    assert len(group.asked) == 1


async def test_a_press_on_nothing_does_nothing(preview: Preview) -> None:
    here, group = desk(preview)
    assert await here.press(ONE, "vote:1", "Vote", 99) is None
    assert group.asked == []
