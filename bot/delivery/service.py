"""How deliveries go out: claimed before they are sent, confirmed after, looked up whenever it is not sure.

The row is the truth. A process may die at any instant: before the claim nothing happened, after the
confirmation everything did, and in between the platform itself is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from bot.delivery.model import Delivery, Sent
from bot.delivery.platform import Platform
from bot.errors import DeliveryError, Refused, Uncertain
from bot.messages.model import Message
from bot.storage import deliveries as store
from bot.storage.database import Database, Tx

log = logging.getLogger(__name__)

GivenUp = Callable[[Tx, Delivery, datetime], None]
"""What follows when a delivery was given up, in the same transaction."""

Render = Callable[[Delivery], Awaitable[Message | None]]
"""Makes the message from what the store holds now; None when there is nothing to say any more."""

PLAN = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60))
"""Waits after the first refusals; the last one repeats until the grace time ends."""

PATIENCE = 45.0
"""Seconds one rendering and sending may take; less than the lease, so that no claim outlives its lease."""

LEASE = timedelta(seconds=60)
"""A claim older than this was left by a process that died."""

REST = timedelta(seconds=10)
"""How long a message may be under way before its absence on the platform means something."""

SEARCH = timedelta(days=1)
"""How long past its grace time an uncertain delivery is still looked for."""

_LATE = timedelta(minutes=1)
_AGAIN = timedelta(minutes=1)
_LOOKUPS = 50


def plan_deliveries(
    tx: Tx,
    club_id: int,
    kind: str,
    subject: str,
    now: datetime,
    give_up_at: datetime,
    payload: Mapping[str, Any] | None = None,
    *,
    due: datetime | None = None,
) -> None:
    """Plan one message to every channel of the club, in the caller's transaction; once for a key.

    `due` (default `now`) orders the sending and is what lateness is told by.
    """
    store.put_deliveries(
        tx, club_id, kind, subject, state="due", due=due or now, give_up=give_up_at, payload=payload
    )


def plan_edits(
    tx: Tx,
    club_id: int,
    kind: str,
    subject: str,
    of: tuple[str, str],
    now: datetime,
    give_up_at: datetime,
    payload: Mapping[str, Any] | None = None,
) -> None:
    """Plan to replace the message with the key `of` wherever it stands or is on its way; once for a key.

    A message that is not there yet is waited for; one that was deleted or given up is left alone.
    """
    there = [
        row.address.channel_id for row in store.list_deliveries(tx, club_id, *of) if row.state != "missed"
    ]
    edit = {"op": "edit", "kind": of[0], "subject": of[1], **(payload or {})}
    store.put_deliveries(
        tx, club_id, kind, subject, state="due", due=now, give_up=give_up_at, payload=edit, channels=there
    )


def record_missed(tx: Tx, club_id: int, kind: str, subject: str, due: datetime, reason: str) -> None:
    """Write down, for every channel, that something due did not go out, so that it can be told why."""
    store.put_deliveries(tx, club_id, kind, subject, state="missed", due=due, give_up=due, reason=reason)


def retry_wait(attempts: int) -> timedelta:
    """How long to wait after that many attempts."""
    return PLAN[min(max(attempts, 1), len(PLAN)) - 1]


class DeliveryService:
    """Sends what is due on the connected platforms. No two processes on a store share a `process_id`."""

    def __init__(
        self,
        database: Database,
        platforms: Mapping[str, Platform],
        render: Render,
        process_id: str,
        *,
        width: int = 8,
        given_up: GivenUp = lambda tx, delivery, now: None,
    ) -> None:
        self._database = database
        self._platforms = platforms
        self._render = render
        self._process = process_id
        self._width = width
        self._given_up = given_up
        self._begun: set[int] = set()
        self._turn = asyncio.Lock()
        self._stopping = False

    async def adopt(self, now: datetime) -> int:
        """At start, when this is the only process on the store: every claim found was left by a dead one."""
        doubted = await self._database.write(
            lambda tx: store.doubt_claims(tx, now, LEASE, REST, mine=self._process)
        )
        if doubted:
            log.warning("%d messages were interrupted; the platforms will be asked about them", doubted)
        return doubted

    async def send_due(self, now: datetime) -> int:
        """Look up what is uncertain, give up what is too late, send what is due; the number of messages sent.

        Several messages go out at once on each platform, but one at a time in a channel, longest due first.
        What a platform refuses waits by the plan; no error of a platform or a page comes out of here.
        """
        if self._stopping or not await self._database.read(lambda tx: store.work_waits(tx, now)):
            return 0
        async with self._turn:
            await self._tidy(now)
            started = asyncio.get_running_loop().time()
            workers = [
                self._work(platform, now, started)
                for platform in self._platforms.values()
                for _ in range(self._width)
            ]
            results = await asyncio.gather(*workers, return_exceptions=True)
            for result in results:
                if isinstance(result, BaseException):
                    raise result
            return sum(result for result in results if isinstance(result, int))

    async def stop(self, timeout: float = 3.0) -> None:
        """Claim nothing more, let what is being sent end, and give back what was not begun."""
        self._stopping = True
        try:
            async with asyncio.timeout(timeout):
                async with self._turn:
                    pass
        except TimeoutError:
            log.warning("%d messages are still being sent and will be looked up", len(self._begun))
        begun = frozenset(self._begun)
        await self._database.write(lambda tx: store.release_claims(tx, self._process, begun))

    # ---- before sending ----

    async def _tidy(self, now: datetime) -> None:
        def tidy(tx: Tx) -> tuple[list[Delivery], list[Delivery]]:
            store.doubt_claims(tx, now, LEASE, REST)
            missed = store.expire_deliveries(tx, now)
            for delivery in missed:
                self._given_up(tx, delivery, now)
            return store.uncertain_deliveries(tx, now, _LOOKUPS), missed

        uncertain, missed = await self._database.write(tidy)
        for delivery in missed:
            log.warning("%s was not sent in time (%s)", _name(delivery), delivery.reason)
        await asyncio.gather(*(self._look_up(delivery, now) for delivery in uncertain))

    async def _look_up(self, delivery: Delivery, now: datetime) -> None:
        """Ask the platform whether an uncertain message stands; confirm or release it."""
        platform = self._platforms.get(delivery.address.platform)
        if platform is None and now < delivery.give_up_at + SEARCH:
            return
        found: Sent | None = None
        if not _is_edit(delivery):  # an edit is simply made again
            try:
                if platform is None:
                    raise Uncertain("offline")
                async with asyncio.timeout(PATIENCE):
                    found = await platform.find_sent(delivery.address, delivery.marker)
            except Exception as error:
                reason = _reason(error)
                await self._database.write(lambda tx: _still_unsure(tx, delivery, now, reason))
                return
        if found is not None:
            message_id = found.message_id
            await self._database.write(lambda tx: store.confirm_delivery(tx, delivery, message_id))
            log.info("%s had gone out", _name(delivery))
        else:
            await self._database.write(lambda tx: store.release_delivery(tx, delivery, now, delivery.reason))

    # ---- sending ----

    async def _work(self, platform: Platform, now: datetime, started: float) -> int:
        """Send one message after another until none is left; how many went out."""
        sent = 0
        clock = asyncio.get_running_loop().time

        def moment() -> datetime:
            return now + timedelta(seconds=clock() - started)

        while not self._stopping:
            delivery = await self._claim(platform.name, now, moment())
            if delivery is None:
                break
            sent += await self._deliver(platform, delivery, moment)
        return sent

    async def _claim(self, platform: str, now: datetime, at: datetime) -> Delivery | None:
        return await self._database.write(
            lambda tx: store.claim_delivery(tx, platform, self._process, due=now, at=at)
        )

    async def _deliver(self, platform: Platform, delivery: Delivery, moment: Callable[[], datetime]) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                message_id = await self._attempt(platform, delivery)
        except (Exception, asyncio.CancelledError) as error:
            in_doubt = delivery.id in self._begun and not isinstance(error, Refused)
            await self._failed(delivery, moment(), error, in_doubt and not _is_edit(delivery))
            self._begun.discard(delivery.id)
            if not isinstance(error, Exception):
                raise
            return False
        at = moment()
        if message_id is None:
            await self._database.write(lambda tx: store.miss_delivery(tx, delivery, "nothing"))
        else:
            await self._database.write(lambda tx: store.confirm_delivery(tx, delivery, message_id, at))
            if at - delivery.due_at > _LATE:
                log.info("%s went out %d minutes late", _name(delivery), (at - delivery.due_at).seconds // 60)
        self._begun.discard(delivery.id)
        return message_id is not None

    async def _attempt(self, platform: Platform, delivery: Delivery) -> str | None:
        """Render and send or edit; the message's id on the platform, None when there is nothing to say."""
        target = await self._target(delivery) if _is_edit(delivery) else None
        message = await self._render(delivery)
        if message is None:
            return None
        self._begun.add(delivery.id)
        if target is not None:
            await platform.edit(delivery.address, target, message)
            return target
        return (await platform.send(delivery.address, message, delivery.marker)).message_id

    async def _target(self, delivery: Delivery) -> str:
        payload, channel = delivery.payload, delivery.address.channel_id
        target = await self._database.read(
            lambda tx: store.find_message(tx, channel, str(payload.get("kind")), str(payload.get("subject")))
        )
        if target is None:
            raise Refused("not_posted")
        return target

    async def _failed(self, delivery: Delivery, at: datetime, error: BaseException, in_doubt: bool) -> None:
        """Write down what came of an attempt that failed, also while this process is being stopped."""
        reason = _reason(error)
        if not isinstance(error, DeliveryError | TimeoutError | asyncio.CancelledError):
            log.exception("%s failed", _name(delivery), exc_info=error)

        def settle(tx: Tx) -> None:
            if in_doubt:
                store.doubt_delivery(tx, delivery, at + REST, reason)
            elif reason == "gone" and _is_edit(delivery):
                store.miss_delivery(tx, delivery, reason)
            else:
                wait = retry_wait(delivery.attempts)
                if isinstance(error, DeliveryError) and error.retry_after is not None:
                    wait = timedelta(seconds=max(error.retry_after, 1.0))
                store.release_delivery(tx, delivery, min(at + wait, delivery.give_up_at), reason)

        await self._database.write(settle)
        log.info("%s: %s", _name(delivery), reason)


def _is_edit(delivery: Delivery) -> bool:
    return delivery.payload.get("op") == "edit"


def _still_unsure(tx: Tx, delivery: Delivery, now: datetime, reason: str) -> None:
    if now >= delivery.give_up_at + SEARCH:
        store.miss_delivery(tx, delivery, "unsure")
    else:
        store.doubt_delivery(tx, delivery, now + _AGAIN, reason)


def _reason(error: BaseException) -> str:
    """A short code for `why`: the platform's own, or what stopped us."""
    if isinstance(error, DeliveryError):
        return error.reason
    if isinstance(error, TimeoutError):
        return "timeout"
    return "stopped" if isinstance(error, asyncio.CancelledError) else "fault"


def _name(delivery: Delivery) -> str:
    channel = delivery.address.channel_id
    return f"{delivery.kind} {delivery.subject} of club {delivery.club_id} to channel {channel}"
