"""From an empty database to a decided vote, the program and Discord each in a process of its own."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.platform import RIGHTS
from tests.lab.program import AT_ONCE, Lab, a_lab, started

ZONE = "Europe/Berlin"
EVERY_DAY = "mon,tue,wed,thu,fri,sat,sun"  # the program goes by the real date, and this may be a Sunday
WORDS = {
    "en-US": (
        "Paperclub is here", "is set up", "Preview: this is how", "Today’s paper", "Nominated: ", "Which of these",
        "Counted.", "**Result**",
    ),
    "zh-CN": (
        "Paperclub 来了", "已建好", "预览", "今日论文", "已提名：", "你愿意读哪几篇", "已计入。", "**结果**",
    ),
}  # fmt: skip


class Person:
    """Somebody in a channel, who types, presses and fills in; every answer is theirs and comes in time."""

    def __init__(self, lab: Lab, who: int, channel: int) -> None:
        self._lab, self.who, self._channel = lab, who, channel

    def types(self, command: str, **options: Any) -> dict[str, Any]:
        return self._done("slash", channel=self._channel, command=command, options=options)

    def presses(self, message: dict[str, Any], start: str = "") -> dict[str, Any]:
        button = next(each for each in ids(message) if each.startswith(start))
        return self._done("click", message=message["id"], button=button)

    def opens(self, message: dict[str, Any], start: str) -> dict[str, Any]:
        """A form, by way of a second button where the machine is slow."""
        done = self.presses(message, start)
        return done if done["modal"] else self.presses(done["response"])

    def sees(self, words: str) -> dict[str, Any]:
        """A message with these words in the channel, once it is there."""
        found: dict[str, Any] = self._lab.call(
            "wait_message", channel=self._channel, seen_by=self.who, contains=words, timeout=25
        )
        return found

    def fills_in(self, opened: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
        return self._done("submit_modal", opened_by=opened["id"], values=values)

    def _done(self, verb: str, **args: Any) -> dict[str, Any]:
        done: dict[str, Any] = self._lab.call(verb, user=self.who, settle=10, **args)
        assert done["acknowledged"] and done["errors"] == [], done
        return done


def ids(message: dict[str, Any]) -> list[str]:
    """What can be pressed in a message."""
    found, parts = [], list(message["components"])
    while parts:
        part = parts.pop(0)
        parts += part.get("components", [])
        parts += [part["accessory"]] if part.get("accessory") else []
        found += [part["custom_id"]] if "custom_id" in part and not part.get("disabled") else []
    return found


@pytest.mark.parametrize("locale", WORDS)
def test_a_new_server_comes_to_a_decided_vote(tmp_path: Path, locale: str) -> None:
    hello, made, preview, posted, nominated, asked, counted, won = WORDS[locale]
    with a_lab(tmp_path, "discord", []) as lab, started(tmp_path / "p", "run", **lab.env) as program:
        program.says("Discord: connected as")
        owner, reader = (lab.call("create_user", name=name, locale=locale)["id"] for name in ("owner", "ada"))
        guild = lab.call("create_guild", name="Readers", owner=owner, locale=locale, with_bot=False)["id"]
        lab.call("join", user=reader, guild=guild)
        channel = lab.call("create_channel", guild=guild, name="papers")["id"]
        founder, member = Person(lab, owner, channel), Person(lab, reader, channel)
        lab.call("add_bot", guild=guild, permissions=RIGHTS)
        founder.sees(hello)
        founder.types("club setup", zone=ZONE, weekdays=EVERY_DAY, language=locale[:2])
        founder.presses(founder.sees(made), "starter:all")
        founder.presses(founder.sees(preview), "post:")
        member.sees(posted)
        for who, paper in ((founder, "p1"), (member, "p2")):
            who.types("paper nominate", paper=paper)
            who.sees(nominated)
        founder.types("club open vote")
        form = member.opens(member.sees(asked), "vote:")
        (field,) = [part["component"] for part in form["modal"]["components"] if "component" in part]
        member.fills_in(form, {field["custom_id"]: ["p2"]})
        member.sees(counted)
        founder.types("club close vote", reason="1 + 1")
        result = member.sees(won)
        assert "-# p2 · " in result["text"] and "how:1" in ids(result)
        assert lab.call("bot_errors") == []
        status, seconds = program.ends(signal.SIGTERM)
    assert status == 0 and seconds < AT_ONCE
