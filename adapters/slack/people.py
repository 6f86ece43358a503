"""Who does something in Slack, as the core knows people: from what comes with it and from what Slack knows of them."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.slack.client import Connection
from adapters.slack.errors import FAILURES
from bot.clubs.model import Account, Asker, Place
from bot.errors import DeliveryError

log = logging.getLogger(__name__)

PLATFORM = "slack"
KEPT = 600.0
"""Seconds after which Slack is asked again, since rights and names change."""
PATIENCE = 1.0
"""Seconds Slack may take to say who somebody is; after that the answer does not wait for it."""
MOST = 5_000
_SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class Person:
    """What Slack knows of somebody. Every part may be missing, and then it is the harmless one. `unsure`: it did not
    even say whether they are a guest, foreign or a bot."""

    name: str = ""
    locale: str | None = None
    zone: str | None = None
    admin: bool = False
    guest: bool = False
    foreign: bool = False
    bot: bool = False
    unsure: bool = False


def person_of(user: Mapping[str, Any], team: str) -> Person:
    """A user as `users.info` tells of them; `team` is the workspace the bot is in."""
    profile = user.get("profile") if isinstance(user.get("profile"), Mapping) else {}
    assert isinstance(profile, Mapping)
    names = (
        profile.get("display_name"),
        user.get("real_name") or profile.get("real_name"),
        user.get("name"),
    )
    home = str(user.get("team_id") or team)
    foreign = bool(user.get("is_stranger")) or home != team
    return Person(
        _first(names),
        str(user["locale"]) if user.get("locale") else None,
        str(user["tz"]) if user.get("tz") else None,
        not foreign and any(user.get(key) for key in ("is_admin", "is_owner", "is_primary_owner")),
        bool(user.get("is_restricted") or user.get("is_ultra_restricted")),
        foreign,
        bool(user.get("is_bot")) or user.get("id") == _SLACKBOT,
        not user.get("id"),
    )


class People:
    """Asks Slack who somebody is, and remembers it for ten minutes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: OrderedDict[str, tuple[float, Person]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[Person]] = {}

    def locale(self, user: str) -> str | None:
        """The language of somebody's client, if it is known without asking."""
        known = self._known.get(user)
        return known[1].locale if known else None

    async def asker(self, user: str, place: Place, *, name: str = "", team: str = "") -> Asker:
        """Somebody in a place. `name` and `team` came with what they did, and stand where Slack does not answer."""
        person = await self.find(user)
        ours = self._connection.team
        foreign = person.foreign or bool(team and team != ours)
        return Asker(
            Account(PLATFORM, ours, user),
            place,
            person.name or _first((name, user)),
            person.locale,
            person.admin,
            guest=person.guest,
            foreign=foreign,
            bot=person.bot,
            zone=person.zone,
            unsure=person.unsure and not foreign,
        )

    async def find(self, user: str) -> Person:
        """What Slack knows of somebody, or knew; nothing where it does not say so in time."""
        now = asyncio.get_running_loop().time()
        known = self._known.get(user)
        if known is not None and now - known[0] < KEPT:
            return known[1]
        asking = self._asking.get(user)
        if asking is None:
            asking = asyncio.create_task(self._ask(user))
            self._asking[user] = asking
            asking.add_done_callback(lambda done: self._asked(user, done))
        try:
            return await asyncio.wait_for(asyncio.shield(asking), PATIENCE)
        except (*FAILURES, DeliveryError) as error:
            log.info("who somebody is could not be asked: %s", type(error).__name__)
            return known[1] if known else Person(unsure=True)

    async def close(self) -> None:
        """Nothing more is asked."""
        asking = list(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _asked(self, user: str, done: asyncio.Task[Person]) -> None:
        self._asking.pop(user, None)
        if not done.cancelled():
            done.exception()  # nobody may wait for it any more

    async def _ask(self, user: str) -> Person:
        told = await self._connection.call("users.info", user=user, include_locale="true")
        found = told.get("user")
        person = person_of(found if isinstance(found, Mapping) else {}, self._connection.team)
        if person.unsure:
            return person
        self._known[user] = (asyncio.get_running_loop().time(), person)
        self._known.move_to_end(user)
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return person


def _first(names: tuple[Any, ...]) -> str:
    """The first name that shows anything."""
    return next((name for each in names if each and (name := str(each).strip())), "")
