"""Where several clubs may be meant: the request is kept, a menu asks, and the choice runs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from bot.app.request import Request, clubs_meant, row_number
from bot.app.rooms import Rooms
from bot.clubs.model import Club
from bot.commands import find_action, find_command
from bot.errors import NotFound
from bot.messages.model import Answer
from bot.messages.pages.which import form_in_club, in_club, which_page
from bot.storage import drafts
from bot.storage.choices import put_choice
from bot.storage.database import Tx

DRAFT = "in"
"""The kind of a draft that holds a request whose club is not known yet."""

_APART = (
    *("in", "in-form", "club setup", "open:club setup", "setup", "configure:setup"),
    *("club restore", "restore", "home"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody sent: a command's path, a press or a form's id, with its arguments or values."""

    kind: Literal["command", "press", "submit"]
    name: str
    values: Mapping[str, str | list[str]]

    @property
    def apart(self) -> bool:
        """Whether the answer is not about the club chosen before: another choice, a club made or brought back."""
        return any(self.name == each or self.name.startswith(f"{each}:") for each in _APART)

    @property
    def opens(self) -> bool:
        """Whether the answer is a form, which must be the first answer."""
        found = find_command(self.name) if self.kind == "command" else find_action(self.name)
        return self.kind != "submit" and found is not None and found.answers == "form"


async def ask_which(rooms: Rooms, request: Request, asked: Asked) -> Answer:
    """Keep the request and ask for which of several clubs it is."""
    fields = {"kind": asked.kind, "name": asked.name, "values": json.dumps(dict(asked.values))}
    account = request.asker.account
    key = await rooms.database.write(
        lambda tx: drafts.put_draft(tx, None, account, DRAFT, fields, request.now)
    )
    name = "in-form" if asked.opens else "in"
    return Answer("private", which_page(request.reader, request.several, f"{name}:{key}"))


async def take_choice(rooms: Rooms, request: Request, rest: str) -> Asked:
    """Remember the club chosen for this person and place; the kept request, to be run again.

    The club must be one that may be meant there. Raises: NotFound('error.old_choice'),
    NotFound('error.unknown_button').
    """
    key, _, number = rest.partition(":")
    asker, club_id = request.asker, row_number(number)

    def choose(tx: Tx) -> dict[str, str]:
        kept = drafts.find_draft(tx, key, asker.account, DRAFT)
        if kept is None:
            raise NotFound("error.old_choice")
        if club_id not in {club.id for club in clubs_meant(tx, asker, request.hidden)}:
            raise NotFound("error.unknown_button")
        put_choice(tx, asker, club_id, request.now)
        return kept

    kept = await rooms.database.write(choose)
    kind: Literal["command", "press", "submit"] = "command"
    match kept["kind"]:
        case "press":
            kind = "press"
        case "submit":
            kind = "submit"
    return Asked(kind, kept["name"], json.loads(kept["values"]))


def named(answer: Answer, club: Club) -> Answer:
    """The answer with small print that says which club it is about, where the asker alone sees it."""
    if answer.kind == "public":
        return answer
    return replace(
        answer,
        message=in_club(answer.message, club) if answer.message else None,
        form=form_in_club(answer.form, club) if answer.form else None,
    )
