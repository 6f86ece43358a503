"""One person who follows every button a message shows, and what must hold of each answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime, timedelta

from bot.clubs.model import Asker
from bot.commands import COMMANDS, find_action, find_command
from bot.messages.model import (
    Answer,
    Button,
    ChannelRef,
    Code,
    CommandLine,
    Excerpt,
    Form,
    Link,
    Mark,
    Message,
    Option,
    Shown,
    Strong,
    Title,
    Tree,
    When,
)
from bot.messages.weigh import BLOCKS, CHARACTERS, COMPONENTS, blocks, characters, components
from bot.papers.model import Paper
from tests.lab.house import (
    House,
    filled,
    ids_in,
    text_of,
)

PAUSE = timedelta(seconds=7)
"""Nobody writes more than ten times a minute."""
ENOUGH = 5
"""Presses of one kind by one person at one moment: of eighty papers a few tell as much as all."""
PEOPLE_SAY = "Three good words here"
BROKEN = (
    "Something went wrong on our",
    "我们这边出错了",
    "This button belongs to nothing",
    "这个按钮已经失效",
)
ARGS = {"id": "p57", "query": "model", "paper": "p57", "reason": "Because"}
CHANGING = (
    *("club open vote", "club close vote", "club post now", "club remove", "club pause", "club resume"),
    *("club undo", "club delete", "club restore"),
)
ENGLISH = re.compile(r"[A-Za-z][A-Za-z'’-]+(?: [a-z][a-z'’-]+){2,}")
"""Three Latin words in a row: an English sentence, if it is nobody's name and no paper's words."""


@dataclass
class Crawler:
    """One person who presses what they see, each id once and not much more of one kind than `ENOUGH`."""

    house: House
    who: Asker
    known: str = ""
    seen: set[str] = field(default_factory=set)
    pressed: Counter[str] = field(default_factory=Counter)

    async def run(self, *paths: str) -> None:
        for path in paths or [c.path for c in COMMANDS if c.path not in CHANGING]:
            await self.type(path)

    async def type(self, path: str, **args: str) -> None:
        command = find_command(path)
        assert command is not None
        given = {p.name: ARGS.get(p.name, "") for p in command.params} | args
        answer = await self.house.command(self.who, path, **given)
        self.check(f"/{path}", answer, command.answers)
        await self.follow(answer)

    async def press(self, action_id: str) -> None:
        if action_id in self.seen:
            return
        self.seen.add(action_id)
        assert len(action_id) <= 100, action_id
        action = find_action(action_id)
        assert action is not None, action_id
        self.pressed[action.name] += 1
        if self.pressed[action.name] > ENOUGH:
            return
        self.house.now += PAUSE
        answer = await self.house.press(self.who, action_id)
        self.check(action_id, answer, action.answers)
        await self.follow(answer)

    async def follow(self, answer: Answer) -> None:
        if answer.form is not None and answer.form.id not in self.seen:
            self.seen.add(answer.form.id)
            await self.fill(answer.form)
        for action_id in [*ids_in(answer.message), *ids_in(answer.also)]:
            await self.press(action_id)

    async def fill(self, form: Form) -> None:
        action = find_action(form.id)
        assert action is not None, form.id
        self.pressed[action.name] += 1
        for values in ({}, filled(form, tick=1)):
            self.house.now += PAUSE
            answer = await self.house.submit(self.who, form.id, **values)
            self.check(f"submit {form.id}", answer, "form" if answer.form else action.answers)
            await self.follow(answer)

    def check(self, asked: str, answer: Answer, answers: str) -> None:
        text = text_of(answer)
        where = f"{asked} by {self.who.name}: {text}"
        assert (answer.form is None) != (answer.message is None), where
        assert answer.kind in ("private", answers), (answer.kind, answers, where)
        assert text.strip(), where
        assert not any(words in text for words in BROKEN), where
        if answer.message is not None:
            check_room(answer.message, where)
        if answer.also is not None:  # a read-back, or a post in the club's own language
            check_room(answer.also, where)
        if answer.form is not None:
            check_form(answer.form, where)
        if self.who.locale and self.who.locale.startswith("zh") and answer.kind != "public":
            for line in own_words(answer.form or answer.message):
                line = re.sub(r"“[^”]*”", "·", line)
                assert all(words in self.known for words in ENGLISH.findall(line)), (line, where)


def check_room(message: Message, where: str) -> None:
    """A message fits every platform and all it shows can be pressed."""
    assert 0 < len(message.summary) <= 100, where
    assert sum(characters(block) for block in message.blocks) <= CHARACTERS, where
    assert components(message) <= COMPONENTS, where
    assert blocks(message) <= BLOCKS, where


def check_form(form: Form, where: str) -> None:
    """A form fits the narrowest dialog there is."""
    assert len(form.id) <= 100 and 1 <= len(form.fields) <= 5, where
    assert len({each.name for each in form.fields}) == len(form.fields), where
    assert all(0 < len(each.label) <= 45 for each in form.fields), where


def own_words(value: object) -> Iterator[str]:
    """The bot's own lines: without headlines, excerpts, commands, areas of papers, links and code."""
    match value:
        case None | bool() | int() | datetime() | Title() | Excerpt() | Shown() | Tree():
            return
        case Code() | Link() | Mark() | When() | ChannelRef():
            return
        case CommandLine(text=text):
            yield text
        case Option(shown=shown, label=label):
            if shown is None:
                yield label
        case str():
            yield value
        case Strong(text):
            yield text
        case tuple() if value and all(isinstance(part, str | Strong | Apart) for part in value):
            yield "".join(part if isinstance(part, str) else "·" for part in value)
        case tuple():
            for part in value:
                yield from own_words(part)
        case Button(label=label):
            yield label
        case _ if is_dataclass(value) and not isinstance(value, type):
            for each in fields(value):
                if each.name not in NOT_OURS:
                    yield from own_words(getattr(value, each.name))


Apart = Code | Link | Mark | When | ChannelRef
NOT_OURS = ("id", "language", "level", "kind", "summary", "paper", "value", "name", "quote", "excerpt")


def paper_words(paper: Paper) -> str:
    """What a paper itself says in lines: headline, topic, names."""
    head = paper.headline.text if paper.headline else paper.title or ""
    return "\n".join((head, *paper.authors, paper.area or "", paper.subarea or ""))
