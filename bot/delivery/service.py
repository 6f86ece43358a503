"""How deliveries go out: claimed before they are sent, confirmed after, looked up whenever it is not sure.

The row is the truth. A process may die at any instant: before the claim nothing happened, after the
confirmation everything did, and in between the platform itself is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from bot.delivery.model import Delivery, Sent, Thread, marker_of
from bot.delivery.platform import Platform
from bot.delivery.trouble import (
    end_trouble,
    is_lasting,
    next_attempt,
    not_told,
    note_no_thread,
    note_trouble,
)
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

SKEW = timedelta(hours=1)
"""How far a platform's clock may be behind ours: a machine without a time service is not rare."""

LOOKING = 90.0
"""Seconds one look-up may take: many pages where much was said since."""

QUIET = timedelta(hours=20)
"""A channel that cannot be written to is worth one line in the log in this time, however often it is tried."""

_LATE = timedelta(minutes=1)
_AGAIN = timedelta(minutes=1)
_LOOKUPS = 50
_NOT_POSTED = "not_posted"
"""The reason of what waits for another message in its channel."""


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
        self._held: set[int] = set()
        """What this process claimed or looks up now."""
        self._logged: dict[int, datetime] = {}
        self._workers: dict[str, set[asyncio.Task[None]]] = {}
        self._lookups: set[asyncio.Task[None]] = set()
        self._sent = 0
        self._stopping = False

    async def adopt(self, now: datetime) -> int:
        """At start, when this is the only process on the store: every claim found was left by a dead one."""
        doubted = await self._database.write(
            lambda tx: store.doubt_claims(tx, now, LEASE, REST, mine=self._process)
        )
        if doubted:
            log.warning("%d messages were interrupted; the platforms will be asked about them", doubted)
        return doubted

    async def begin(self, now: datetime) -> None:
        """Give up what is too late, begin to look up what is uncertain and to send what is due; waits for none.

        Several messages go out at once on each platform, but one at a time in a channel, longest due first; a
        channel that hangs holds up itself alone. What a platform refuses waits by the plan; no error of a
        platform or a page comes out of here.
        """
        if self._stopping or not await self._database.read(lambda tx: store.work_waits(tx, now)):
            return
        started = asyncio.get_running_loop().time()
        uncertain = [each for each in await self._tidy(now) if each.id not in self._held]
        if self._stopping:
            return
        for delivery in uncertain:
            self._held.add(delivery.id)
            task = asyncio.create_task(self._ask(delivery, now, started))
            self._lookups.add(task)
            task.add_done_callback(self._lookups.discard)
        self._staff(now, started)

    async def send_due(self, now: datetime) -> int:
        """Begin, and wait until nothing is under way any more; the number of messages sent meanwhile."""
        before = self._sent
        await self.begin(now)
        await self.quiet()
        return self._sent - before

    async def quiet(self, seconds: float | None = None) -> None:
        """Wait until nothing is being sent or looked up, at most so many `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                while tasks := self._under_way():
                    await asyncio.wait(tasks)
        except TimeoutError:
            pass

    async def stop(self, timeout: float = 3.0) -> None:
        """Claim nothing more, let what is being sent end, and give back what was not begun.

        What has not ended after `timeout` seconds is broken off, and will be looked up.
        """
        self._stopping = True
        if tasks := self._under_way():
            _, late = await asyncio.wait(tasks, timeout=timeout)
            if late:
                log.warning("%d messages are still being sent and will be looked up", len(self._begun))
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        begun = frozenset(self._begun)
        await self._database.write(lambda tx: store.release_claims(tx, self._process, begun))

    def _under_way(self) -> set[asyncio.Task[None]]:
        return self._lookups.union(*self._workers.values())

    def _staff(self, now: datetime, started: float) -> None:
        """As many workers for each platform as it may have, with those that are busy."""
        for platform in list(self._platforms.values()):
            busy = self._workers.setdefault(platform.name, set())
            for _ in range(self._width - len(busy)):
                if self._stopping:
                    return
                task = asyncio.create_task(self._work(platform, now, started))
                busy.add(task)
                task.add_done_callback(busy.discard)

    # ---- before sending ----

    async def _tidy(self, now: datetime) -> list[Delivery]:
        """Doubt claims that are too old and give up what is too late; what is to be looked up."""
        held = frozenset(self._held)

        def tidy(tx: Tx) -> tuple[list[Delivery], list[Delivery]]:
            store.doubt_claims(tx, now, LEASE, REST, but=held)
            missed = store.expire_deliveries(tx, now)
            for delivery in missed:
                self._given_up(tx, delivery, now)
                not_told(tx, delivery, now)
            return store.uncertain_deliveries(tx, now, _LOOKUPS), missed

        uncertain, missed = await self._database.write(tidy)
        for delivery in missed:
            if not is_lasting(delivery.reason) or self._is_news(delivery, now):
                log.warning("%s was not sent in time (%s)", _name(delivery), delivery.reason)
        return uncertain

    async def _ask(self, delivery: Delivery, now: datetime, started: float) -> None:
        """Look one up; what is not there is sent at once."""
        try:
            await self._look_up(delivery, now)
        except Exception:
            log.exception("%s could not be looked up", _name(delivery))
        finally:
            self._held.discard(delivery.id)
        self._staff(now, started)

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
                async with asyncio.timeout(LOOKING):
                    found = await self._find(platform, delivery)
            except Exception as error:
                reason = _reason(error)
                await self._database.write(lambda tx: _still_unsure(tx, delivery, now, reason))
                return
        if found is not None:
            message_id = found.message_id
            await self._database.write(lambda tx: _confirm(tx, delivery, message_id, now))
            log.info("%s had gone out", _name(delivery))
        else:
            await self._database.write(lambda tx: store.release_delivery(tx, delivery, now, delivery.reason))

    async def _find(self, platform: Platform, delivery: Delivery) -> Sent | None:
        since = None if delivery.claimed_at is None else delivery.claimed_at - SKEW
        if not _is_thread(delivery):
            return await platform.find_sent(delivery.address, delivery.marker, since=since)
        target = await self._target(delivery)
        if target is None:
            return None
        return await platform.find_sent(delivery.address, delivery.marker, Thread(target, ""), since)

    # ---- sending ----

    async def _work(self, platform: Platform, now: datetime, started: float) -> None:
        """Send one message after another until none is left."""
        clock = asyncio.get_running_loop().time

        def moment() -> datetime:
            return now + timedelta(seconds=clock() - started)

        try:
            while not self._stopping:
                delivery = await self._claim(platform.name, now, moment())
                if delivery is None:
                    break
                try:
                    sent = await self._deliver(platform, delivery, moment)
                finally:
                    self._held.discard(delivery.id)
                self._sent += sent
        except Exception:
            log.exception("sending on %s was broken off", platform.name)

    async def _claim(self, platform: str, now: datetime, at: datetime) -> Delivery | None:
        delivery = await self._database.write(
            lambda tx: store.claim_delivery(tx, platform, self._process, due=now, at=at)
        )
        if delivery is not None:
            self._held.add(delivery.id)
        return delivery

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
            await self._database.write(lambda tx: _confirm(tx, delivery, message_id, at))
            if at - delivery.due_at > _LATE:
                log.info("%s went out %d minutes late", _name(delivery), (at - delivery.due_at).seconds // 60)
        self._begun.discard(delivery.id)
        return message_id is not None

    async def _attempt(self, platform: Platform, delivery: Delivery) -> str | None:
        """Render and send, or edit, or delete; the message's id on the platform, None when there is nothing to say."""
        target = None
        if _is_edit(delivery) or _is_thread(delivery):
            target = await self._target(delivery)
            if target is None:
                raise Refused(_NOT_POSTED)
        if target is not None and delivery.payload.get("op") == "remove":
            self._begun.add(delivery.id)
            await platform.remove(delivery.address, target)
            return target
        message = await self._render(delivery)
        if message is None:
            return None
        self._begun.add(delivery.id)
        if target is not None and _is_edit(delivery):
            await platform.edit(delivery.address, target, message, _target_marker(delivery))
            return target
        thread = None if target is None else Thread(target, message.summary)
        return (await platform.send(delivery.address, message, delivery.marker, thread)).message_id

    async def _target(self, delivery: Delivery) -> str | None:
        """The message to be changed, or that the thread hangs from; None while it does not stand."""
        payload, channel = delivery.payload, delivery.address.channel_id
        return await self._database.read(
            lambda tx: store.find_message(tx, channel, str(payload.get("kind")), str(payload.get("subject")))
        )

    async def _failed(self, delivery: Delivery, at: datetime, error: BaseException, in_doubt: bool) -> None:
        """Write down what came of an attempt that failed, also while this process is being stopped."""
        reason = _reason(error)
        if not isinstance(error, DeliveryError | TimeoutError | asyncio.CancelledError):
            log.exception("%s failed", _name(delivery), exc_info=error)
        wait = retry_wait(delivery.attempts)
        if isinstance(error, DeliveryError) and error.retry_after is not None:
            wait = timedelta(seconds=max(error.retry_after, 1.0))
        again = min(at + wait, delivery.give_up_at)
        lasting = isinstance(error, Refused) and is_lasting(reason)

        def settle(tx: Tx) -> None:
            retry: datetime | None = again
            if in_doubt:
                store.doubt_delivery(tx, delivery, at + REST, reason)
                return
            if lasting:
                retry = _after_lasting(tx, delivery, reason, at, again)
            if retry is None:
                self._miss(tx, delivery, reason, at)
            else:
                store.release_delivery(tx, delivery, retry, reason)

        await self._database.write(settle)
        if not lasting:
            log.info("%s: %s", _name(delivery), reason)
        elif delivery.address.person:
            log.info("%s to a person: %s", _name(delivery), reason)
        elif self._is_news(delivery, at):
            log.warning("%s: %s", _name(delivery), reason)

    def _miss(self, tx: Tx, delivery: Delivery, reason: str, at: datetime) -> None:
        store.miss_delivery(tx, delivery, reason)
        missed = replace(delivery, state="missed", reason=reason)
        self._given_up(tx, missed, at)
        not_told(tx, missed, at)

    def _is_news(self, delivery: Delivery, at: datetime) -> bool:
        """Whether the log has not heard of this channel's trouble for a while."""
        last = self._logged.get(delivery.address.channel_id)
        if last is not None and last <= at < last + QUIET:
            return False
        self._logged[delivery.address.channel_id] = at
        return True


def _after_lasting(
    tx: Tx, delivery: Delivery, reason: str, at: datetime, planned: datetime
) -> datetime | None:
    """When to try again what was refused until a person mends the cause, which is noted; None: not any more."""
    on_a_message = _is_edit(delivery) or _is_thread(delivery)
    if delivery.address.person or (on_a_message and reason == "gone"):
        return None
    in_thread = _is_thread(delivery) or (_is_edit(delivery) and reason == "locked")
    if not in_thread:  # threads have rights and locks of their own: the channel may be well
        channel, waiting = delivery.address.channel_id, (delivery.kind, delivery.subject)
        note_trouble(tx, delivery.club_id, channel, reason, at, waiting)
    elif _is_thread(delivery) and reason.startswith("forbidden"):
        note_no_thread(tx, delivery, reason, at)
    return next_attempt(tx, delivery, reason, at, planned)


def _confirm(tx: Tx, delivery: Delivery, message_id: str, at: datetime) -> None:
    """It stands: and if it is a message in a channel, that one can be written to, and what waited for it can follow."""
    store.confirm_delivery(tx, delivery, message_id, at)
    if not (_is_edit(delivery) or _is_thread(delivery) or delivery.address.person):
        store.hasten_deliveries(tx, delivery.address.channel_id, _NOT_POSTED, at)
        end_trouble(tx, delivery.address.channel_id, at)


def _is_edit(delivery: Delivery) -> bool:
    """Whether it changes or deletes a message that stands, which can simply be done again."""
    return delivery.payload.get("op") in ("edit", "remove")


def _target_marker(delivery: Delivery) -> str:
    """What travels with the message that is changed."""
    kind, subject = str(delivery.payload.get("kind")), str(delivery.payload.get("subject"))
    return marker_of(delivery.club_id, kind, subject, delivery.address.channel_id)


def _is_thread(delivery: Delivery) -> bool:
    return delivery.payload.get("op") == "thread"


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
