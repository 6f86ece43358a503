"""Discord and its members, as a process of its own: the strict local server, and people who press at once.

It is told what to do by lines of JSON on standard input, and answers each with one on standard output.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.lab.chatlab.fakediscord import FakeDiscord
from tests.lab.chatlab.fakediscord.model import Interaction, Message

AT_ONCE = 8
"""Presses under way at the same time where their cost is measured."""
POLL = "Vote / change my vote"
SETTLED = 5.0
"""Seconds without a drawing after which the poll is as it stays: more than twice what lies between two."""
LAST_STATE = 30.0


class World:
    """A server with one channel and a crowd."""

    def __init__(self, lab: FakeDiscord, members: int) -> None:
        self.lab = lab
        self.guild = lab.create_guild("Readers")
        self.channel = lab.create_channel(self.guild, "papers")
        lab.crowd(self.guild, members)
        self.members = [
            lab.users[each] for each in self.guild.members if lab.users[each].name[:7] == "member-"
        ]

    def told(self) -> dict[str, Any]:
        """What its bot and its club need to know."""
        return {
            "env": self.lab.settings()["env"],
            "guild": str(self.guild.id),
            "channel": str(self.channel.id),
        }

    async def poll(self) -> Message:
        """The open vote as it stands in the channel."""

        def find() -> Message | None:
            shown = self.lab.messages(self.channel, by_bot=True)
            return next((each for each in shown if POLL in each.buttons), None)

        found = await self.lab.wait_for(find, 30, "the vote")
        assert found is not None
        return found

    # ---- the cost of a press ----

    async def press(self, what: str, count: int) -> int:
        """Do one thing so often; how often it was answered."""
        numbers = iter(range(count))
        answered = 0

        async def one() -> None:
            nonlocal answered
            for number in numbers:
                done = await self._do(what, self.members[number % len(self.members)])
                answered += done.acknowledged and not done.errors

        await asyncio.gather(*(one() for _ in range(AT_ONCE)))
        self.lab.requests.clear()
        return answered

    async def _do(self, what: str, member: Any) -> Interaction:
        kind, _, rest = what.partition(" ")
        if kind == "press":
            return await self.lab.click(member, await self.poll(), rest)
        path, _, typed = rest.partition(": ")
        name, _, value = typed.partition("=")
        return await self.lab.slash(member, self.channel, path, {name: value} if name else {})

    # ---- everybody at once ----

    async def vote(self, seconds: float, seed: int) -> dict[str, Any]:
        """Every member presses Vote within so many seconds, ticks two papers and sends the form."""
        dice = random.Random(seed)
        poll = await self.poll()
        before = len(self.lab.requests)
        plans = [(dice.uniform(0, seconds), dice.uniform(0.2, 1.0)) for _ in self.members]
        answers: list[Interaction] = []

        async def one(number: int) -> None:
            wait, thinking = plans[number]
            await asyncio.sleep(wait)
            opened = await self.lab.click(self.members[number], poll, POLL)
            answers.append(opened)
            if opened.modal is None:
                return
            await asyncio.sleep(thinking)
            field = opened.modal["components"][0]["component"]
            ticked = [field["options"][(number + step) % len(field["options"])]["value"] for step in (0, 1)]
            values = {field["custom_id"]: ticked}
            answers.append(await self.lab.submit_modal(self.members[number], opened, values))

        await asyncio.gather(*(one(number) for number in range(len(self.members))))
        ended = self.lab.clock.time()
        redraws = await self._redraws(poll, before)
        gaps = [later - earlier for earlier, later in pairwise(redraws)]
        return {
            "answered": [each.acknowledged_after for each in answers],
            "forms": sum(each.modal is not None for each in answers),
            "redraws": len(redraws),
            "span": ended - min(each.created for each in answers),
            "least gap": min(gaps, default=0.0),
            "last": max(0.0, redraws[-1] - ended) if redraws else None,
            "text": poll.text,
            "faults": [f"{each.method} {each.path} {each.reply}" for each in self.lab.bot_errors()],
            "internal": self.lab.internal_errors + self.lab.unimplemented,
        }

    async def _redraws(self, poll: Message, before: int) -> list[float]:
        """When the poll was drawn, once no more drawing comes."""

        def drawn() -> list[float]:
            calls = self.lab.requests[before:]
            return [each.at for each in calls if each.method == "PATCH" and each.path.endswith(str(poll.id))]

        until = asyncio.get_running_loop().time() + LAST_STATE
        while asyncio.get_running_loop().time() < until:
            latest = max([*drawn(), self.lab.clock.time() - SETTLED])
            left = latest + SETTLED - self.lab.clock.time()
            if drawn() and left <= 0:
                break
            await asyncio.sleep(max(left, 0.1))
        return drawn()


async def _told(worlds: Mapping[str, World], line: Mapping[str, Any]) -> Any:
    here = worlds[line["world"]]
    match line["do"]:
        case "press":
            return await here.press(line["what"], line["count"])
        case "vote":
            return await here.vote(line["seconds"], line["seed"])
        case "poll":
            return (await here.poll()).text
        case "ready":
            return await here.lab.wait_ready(30, commands=line["commands"])
        case "copy":
            return await _copy(worlds[line["from"]], here)
    raise ValueError(line["do"])


async def _copy(there: World, here: World) -> None:
    """The same vote and the same commands in another world, whose bot made neither."""
    poll = await there.poll()
    here.lab.global_commands |= there.lab.global_commands
    here.lab.store_message(
        here.channel, here.lab.bot_user, {"flags": poll.flags, "components": poll.components}
    )


async def main(names: list[str], members: int) -> None:
    """Worlds by name, until standard input ends."""
    worlds = {name: World(FakeDiscord(), members) for name in names}
    for world in worlds.values():
        await world.lab.start()
    print(json.dumps({name: world.told() for name, world in worlds.items()}), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await _told(worlds, json.loads(line))), flush=True)
    for world in worlds.values():
        await world.lab.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[2:], int(sys.argv[1])))
