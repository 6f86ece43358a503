"""Slack, or the Discord side of a club on both, with its members, as a process of its own: the strict local server,
and people who press at once. ``python bench_slack_members.py slack|discord MEMBERS``

It is told what to do by lines of JSON on standard input, and answers each with one on standard output.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import bench_discord_members
from bench_discord_members import LAST_STATE, POLL, SETTLED

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.lab.chatlab.fakediscord import FakeDiscord
from tests.lab.chatlab.fakediscord.model import Interaction
from tests.lab.chatlab.fakeslack import FakeSlack, Message
from tests.lab.chatlab.fakeslack.blockkit import elements
from tests.lab.chatlab.fakeslack.model import Delivery, View

MINE = "My ballot"
ANSWERED = 10.0
"""Seconds to wait for what may take three."""


class Telephone:
    """Calls by HTTP without the lab's own client, which would cost more than what is measured: connections that
    stand, over which calls go that were written before."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._lines: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def call(self, number: int, raw: bytes) -> bytes:
        """What is answered to one call, over the connection of this number."""
        reader, writer = self._lines[number]
        writer.write(raw)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert " 200 " in head.split("\r\n")[0], head
        length = next(int(line[15:]) for line in head.split("\r\n") if line.startswith("content-length:"))
        return await reader.readexactly(length)

    async def open(self, count: int) -> None:
        """So many connections stand; those that the other side closed meanwhile are opened again."""
        alive = [line for line in self._lines if not line[0].at_eof()]
        while len(alive) < count:
            alive.append(await asyncio.open_connection("127.0.0.1", self._port))
        self._lines = alive


class World:
    """A workspace with one channel and its members."""

    def __init__(self, lab: FakeSlack, members: int) -> None:
        self.lab = lab
        self.team = lab.create_workspace("Readers", bot_name="paperclub")
        self.channel = lab.create_channel(self.team, "papers")
        self.members = [
            lab.create_user(self.team, f"member-{number}", channels=[self.channel])
            for number in range(members)
        ]
        self._held: list[tuple[Delivery, asyncio.Future[Any]]] = []
        self._telephone: Telephone | None = None

    def told(self) -> dict[str, Any]:
        """What its bot and its club need to know."""
        return {
            "env": self.lab.settings()["env"],
            "workspace": self.team.id,
            "channel": self.channel.id,
            "members": [each.id for each in self.members],
        }

    async def ready(self, port: int) -> None:
        """Wait for the bot, which listens to a port or opens a socket."""
        if not port:
            await self.lab.wait_ready(30)
            return
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
                break
            except OSError:
                await asyncio.sleep(0.1)
        self.lab.use_http(f"http://127.0.0.1:{port}/slack/events")
        self._telephone = Telephone(port)

    async def poll(self) -> Message:
        """The open vote as it stands in the channel."""

        def find() -> Message | None:
            shown = self.lab.messages(self.channel, by_bot=True)
            return next((each for each in shown if POLL in _buttons(each)), None)

        found = await self.lab.wait_for(find, 30, "the vote")
        assert found is not None
        return found

    async def show(self, paper: str) -> bool:
        """Whether a command that shows a paper is answered."""
        asked = await self.lab.slash(self.members[0], self.channel, "/paper", f"show {paper}")
        return await self._within(lambda: asked.replies) is not None

    # ---- how soon a press is acknowledged ----

    async def press(self, count: int) -> dict[str, Any]:
        """Presses one after another, each when the one before was answered; when each began and ended."""
        poll, spans, outside = await self.poll(), [], []
        for number in range(count):
            began = time.monotonic()
            pressed = await self.lab.click(self.members[number % len(self.members)], poll, MINE)
            await self._answered([pressed])
            spans.append((began, time.monotonic()))
            outside.append(pressed.acknowledged_after)
        return {"spans": spans, "outside": outside}

    async def burst(self, at_once: int, times: int) -> dict[str, Any]:
        """So many presses at the same instant, so often; when each burst began and when all were answered."""
        poll, spans = await self.poll(), []
        for turn in range(times):
            who = [self.members[(turn + number) % len(self.members)] for number in range(at_once)]
            sent = self.lab.courier._attempt
            self.lab.courier._attempt = self._hold  # type: ignore[method-assign]
            pressed = [await self.lab.click(each, poll, MINE, wait=False) for each in who]
            await asyncio.sleep(0.05)
            self.lab.courier._attempt = sent  # type: ignore[method-assign]
            began = time.monotonic()
            await self._let_go()
            await self._answered(pressed)
            spans.append((began, time.monotonic()))
            await asyncio.sleep(0.05)
        return {"spans": spans}

    async def _hold(self, delivery: Delivery, attempt: int, reason: str | None) -> tuple[str | None, bool]:
        """In place of a call of the lab's: written down, to go with others at the same instant."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._held.append((delivery, answer))
        self.lab.courier.acknowledged(delivery, await answer)
        return None, True

    async def _let_go(self) -> None:
        """All that is held goes out."""
        held, self._held = self._held, []
        if self._telephone is None:
            envelopes = []
            for delivery, answer in held:
                self.lab.courier._envelopes[delivery.id] = (delivery, answer)
                envelope = {"envelope_id": delivery.id, "type": delivery.kind, "payload": delivery.payload}
                envelopes.append(json.dumps(envelope | {"accepts_response_payload": True}))
            for each in envelopes:
                await self.lab.courier.sockets[0].response.send_str(each)
            await asyncio.wait([answer for _, answer in held], timeout=ANSWERED)
            for delivery, _ in held:
                del self.lab.courier._envelopes[delivery.id]
            return
        await self._telephone.open(len(held))
        calls = [self._written(delivery) for delivery, _ in held]
        answers = await asyncio.gather(*(self._telephone.call(n, raw) for n, raw in enumerate(calls)))
        for (_, answer), said in zip(held, answers, strict=True):
            answer.set_result(said.decode() or None)

    def _written(self, delivery: Delivery) -> bytes:
        """A press as Slack sends it by HTTP."""
        body = urlencode({"payload": json.dumps(delivery.payload)})
        head = {
            "Host": "127.0.0.1",
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(len(body)),
            **self.lab.courier.sign(body),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        return f"POST /slack/events HTTP/1.1\r\n{lines}\r\n{body}".encode()

    async def _answered(self, pressed: list[Delivery]) -> None:
        await self.lab.wait_for(lambda: all(each.replies for each in pressed), ANSWERED, "the answers")
        self.lab.requests.clear()

    # ---- everybody at once ----

    async def vote(self, seconds: float, seed: int) -> dict[str, Any]:
        """Every member presses Vote within so many seconds, ticks two papers and sends the form.

        `answered`: seconds until the form stood there, until what was sent was acknowledged, and until the member
        read that it counts. `said`: by member, when the form was sent and acknowledged, and what was ticked.
        """
        dice = random.Random(seed)
        poll = await self.poll()
        before = len(self.lab.requests)
        plans = [(dice.uniform(0, seconds), dice.uniform(0.2, 1.0)) for _ in self.members]
        clock = asyncio.get_running_loop().time
        began = self.lab.clock.time()
        answered: list[float | None] = []
        said: dict[str, Any] = {}

        async def one(number: int) -> None:
            wait, thinking = plans[number]
            who = self.members[number]
            await asyncio.sleep(wait)
            at = clock()
            pressed = await self.lab.click(who, poll, POLL)
            form = await self._within(lambda: _form(pressed))
            answered.append(clock() - at if form else None)
            if form is None:
                return
            await asyncio.sleep(thinking)
            block = next(each for each in form.payload["blocks"] if each["type"] == "input")
            options = block["element"]["options"]
            ticked = [options[(number + step) % len(options)]["value"] for step in (0, 1)]
            at, sent_at = clock(), time.time()
            sent = await self.lab.submit(who, form, {block["block_id"]: ticked})
            taken = sent.acknowledged and not sent.errors and not form.errors
            answered.append(sent.acknowledged_after if taken else None)
            said[who.id] = (sent_at, time.time(), ticked)
            told = await self._within(lambda: pressed.replies)
            answered.append(clock() - at if told else None)

        await asyncio.gather(*(one(number) for number in range(len(self.members))))
        ended = self.lab.clock.time()
        redraws = await self._redraws(before)
        return {
            "answered": answered,
            "forms": len(said),
            "said": said,
            "redraws": redraws,
            "span": ended - began,
            "last": max(0.0, redraws[-1] - ended) if redraws else None,
            "text": poll.shown,
            "faults": [f"{each.path} {each.reply}" for each in self.lab.bot_errors()],
            "internal": self.lab.internal_errors + self.lab.unimplemented + self.lab.protocol_errors,
        }

    async def _within(self, seen: Any) -> Any:
        try:
            return await self.lab.wait_for(seen, ANSWERED)
        except Exception:
            return None

    async def _redraws(self, before: int) -> list[float]:
        """When the poll was drawn, once no more drawing comes."""

        def drawn() -> list[float]:
            return [each.at for each in self.lab.requests[before:] if each.path.endswith("/chat.update")]

        until = time.monotonic() + LAST_STATE
        while time.monotonic() < until:
            latest = max([*drawn(), self.lab.clock.time() - SETTLED])
            left = latest + SETTLED - self.lab.clock.time()
            if drawn() and left <= 0:
                break
            await asyncio.sleep(max(left, 0.1))
        return drawn()

    async def do(self, line: Mapping[str, Any]) -> Any:
        """One thing, by its name."""
        match line["do"]:
            case "ready":
                return await self.ready(line["port"])
            case "poll":
                return (await self.poll()).shown
            case "show":
                return await self.show(line["paper"])
            case "press":
                return await self.press(line["count"])
            case "burst":
                return await self.burst(line["at_once"], line["times"])
            case "vote":
                return await self.vote(line["seconds"], line["seed"])
        raise ValueError(line["do"])


class DiscordWorld(bench_discord_members.World):
    """A server whose members are known by their ids. Where the bot takes its time they press what it offers then."""

    def __init__(self, lab: FakeDiscord, members: int) -> None:
        super().__init__(lab, members)
        self._put_off: list[float | None] = []
        self._said: dict[str, Any] = {}
        self._click, self._submit = lab.click, lab.submit_modal
        lab.click = self.click  # type: ignore[method-assign]
        lab.submit_modal = self.submit  # type: ignore[method-assign]

    def told(self) -> dict[str, Any]:
        return super().told() | {"members": [str(each.id) for each in self.members]}

    async def click(self, who: Any, where: Any, control: str) -> Interaction:
        """A press, and others where the form had to wait."""
        pressed = await self._click(who, where, control)
        while pressed.modal is None and (offered := pressed.response) is not None and offered.buttons:
            self._put_off.append(pressed.acknowledged_after)
            pressed = await self._click(who, offered, offered.buttons[0])
        return pressed

    async def submit(self, who: Any, opened: Interaction, values: dict[str, Any]) -> Interaction:
        """A form that is sent, with what was ticked in it."""
        sent_at = time.time()
        sent = await self._submit(who, opened, values)
        self._said[str(who.id)] = (sent_at, time.time(), next(iter(values.values())))
        return sent

    async def vote(self, seconds: float, seed: int) -> dict[str, Any]:
        found = await super().vote(seconds, seed)
        return found | {"answered": found["answered"] + self._put_off, "said": self._said}

    async def do(self, line: Mapping[str, Any]) -> Any:
        """One thing, by its name."""
        match line["do"]:
            case "ready":
                return await self.lab.wait_ready(30, commands=True)
            case "show":
                return await self.press(f"slash paper show: id={line['paper']}", 1) == 1
            case "poll":
                return (await self.poll()).text
            case "vote":
                return await self.vote(line["seconds"], line["seed"])
        raise ValueError(line["do"])


def _buttons(message: Message) -> list[str]:
    """The words on its buttons."""
    return [each["text"]["text"] for _, each in elements(message.blocks) if each["type"] == "button"]


def _form(pressed: Delivery) -> View | None:
    """The form a press opened, once it can be sent."""
    return pressed.view if pressed.view is not None and pressed.view.payload.get("submit") else None


async def main(platform: str, members: int) -> None:
    """A world, until standard input ends."""
    lab: FakeSlack | FakeDiscord = FakeSlack() if platform == "slack" else FakeDiscord()
    world = World(lab, members) if isinstance(lab, FakeSlack) else DiscordWorld(lab, members)
    await lab.start()
    print(json.dumps(world.told()), flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await world.do(json.loads(line))), flush=True)
    await lab.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
