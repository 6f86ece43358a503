"""Forms that come back: faults beside their fields, everything else where the form was opened."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from adapters.slack.counter import Ack, Counter
from adapters.slack.forms import errors_of, roles_of, values_of
from adapters.slack.seen import Seen, key_of
from adapters.slack.talk import Spot, spot_of
from bot.messages.model import Answer

PATIENCE = 2.2
"""Seconds the core may think: faults must be in the acknowledgement, for which Slack waits 3."""
_MOST_SENT = 500


class Submits:
    """Takes each form once: the same form with the same values, sent twice at once, is answered as one."""

    def __init__(self, counter: Counter, seen: Seen) -> None:
        self._counter = counter
        self._seen = seen
        self._sent: OrderedDict[str, asyncio.Task[Answer | None]] = OrderedDict()

    async def on_submit(self, ack: Ack, body: dict[str, Any]) -> None:
        """Wait for the core as long as Slack does; what it says later is told in a message."""
        if not self._counter.is_open:
            return
        key = key_of(body)
        working = self._sent.get(key) if key else None
        again = working is not None
        if working is None:
            working = self._sent[key] = self._counter.begin(self._taken(body, key, self._counter.now()))
            while len(self._sent) > _MOST_SENT:
                self._sent.popitem(last=False)
        await asyncio.wait((working,), timeout=PATIENCE)
        try:
            if working.done():
                await self._acknowledge(ack, body, working.result(), again)
                return
        except Exception:
            await ack()
            await self._counter.failed(self._counter.talk(_closed(spot_of(body))))
            return
        await ack()
        if not again:
            self._counter.begin(self._late(body, working))

    async def _taken(self, body: Mapping[str, Any], key: str, now: datetime) -> Answer | None:
        """The core's answer to a form; None where this was answered before a restart."""
        if not await self._seen.first_time(key):
            return None
        try:
            asker = await self._counter.asker(body, spot_of(body))
            form_id = str(body["view"].get("callback_id") or "")
            values = await self._counter.groups.taken(values_of(body["view"]), roles_of(body["view"]))
            answer = await self._counter.group.submit(asker, form_id, values, now)
        except BaseException:
            await self._untaken(key)
            raise
        if answer.form is not None:
            await self._untaken(key)
        return answer

    async def _untaken(self, key: str) -> None:
        """The same form with the same values may come again: what was in its way may be gone by then."""
        self._sent.pop(key, None)
        await self._seen.forget(key)

    async def _acknowledge(
        self, ack: Ack, body: Mapping[str, Any], answer: Answer | None, again: bool
    ) -> None:
        spot, sent = spot_of(body), body["view"]
        if answer is None:
            await ack()
        elif answer.form is not None:
            errors = errors_of(answer.form, self._counter.prefix)
            asked = {block.get("block_id") for block in sent.get("blocks") or ()}
            if errors and set(errors) <= asked and answer.form.id == sent.get("callback_id"):
                await ack(response_action="errors", errors=errors)
            else:
                form = await self._counter.groups.shown(answer.form)
                await ack(response_action="update", view=self._counter.talk(spot).form_of(form))
        elif not spot.channel and answer.message is not None:
            shown = [answer.message, *([answer.also] if answer.also else [])]
            await ack(response_action="update", view=self._counter.talk(spot).view_of(*shown))
            self._counter.begin(self._counter.home.draw(spot.user, self._counter.prefix))
        else:
            await ack()
            if not again:
                self._counter.begin(self._afterwards(spot, answer))

    async def _afterwards(self, spot: Spot, answer: Answer) -> None:
        """Answer a form that is closed, for the eyes of whoever sent it."""
        talk = self._counter.talk(_closed(spot))
        try:
            await self._counter.give(talk, answer)
        except Exception:
            await self._counter.failed(talk)

    async def _late(self, body: Mapping[str, Any], working: asyncio.Task[Answer | None]) -> None:
        """The form is closed already: its faults are told with a button that opens it again."""
        spot = spot_of(body)
        try:
            answer = await working
            if answer is not None and answer.form is not None:
                asker = await self._counter.asker(body, spot)
                kept = await self._counter.group.keep_form(asker, answer.form, self._counter.now())
                answer = Answer("private", kept, also=answer.also)
        except Exception:
            await self._counter.failed(self._counter.talk(_closed(spot)))
            return
        if answer is not None:
            await self._afterwards(spot, answer)


def _closed(spot: Spot) -> Spot:
    """The same place without the dialog, which is there no more."""
    return replace(spot, trigger="", view="", home=False)
