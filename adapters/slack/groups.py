"""User groups: a form holds one as people type it, '@readers', and the core its id, 'S…'."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches

from adapters.slack.client import Connection
from adapters.slack.errors import FAILURES
from bot.errors import DeliveryError
from bot.messages.model import Field, Form, RoleField

log = logging.getLogger(__name__)

PATIENCE = 1.0
"""Seconds Slack may take to name the groups: a dialog and its faults do not wait long."""
NEAR = "{}.near"
"""Beside a handle that nobody has: the value that holds the nearest one."""

_GROUP = re.compile(r"S[A-Z0-9]{2,}")
_MENTION = re.compile(r"<!subteam\^(S[A-Z0-9]+)(?:\|[^<>]*)?>")
_LIKE = 0.5

Values = Mapping[str, str | list[str]]


class Groups:
    """Asks Slack for the user groups of the workspace whenever a form holds one: they seldom do."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def shown(self, form: Form) -> Form:
        """The form with handles in place of ids, where Slack names them in time."""
        if not any(isinstance(each, RoleField) and _GROUP.fullmatch(each.value) for each in form.fields):
            return form
        handles = {group: handle for handle, group in (await self._handles() or {}).items()}
        return replace(form, fields=tuple(_with_handle(each, handles) for each in form.fields))

    async def taken(self, values: Values, names: Iterable[str]) -> Values:
        """The values with ids in place of the handles in these fields.

        What is none stays as a handle, with the nearest one beside it; an id stays where Slack does not answer.
        """
        given = dict(values)
        for name in names:
            typed = _typed(given.get(name))
            if not typed:
                continue
            handles = await self._handles()
            given |= _found(name, typed, handles)
        return given

    async def _handles(self) -> dict[str, str] | None:
        """The id of each handle; None where Slack does not say so."""
        try:
            async with asyncio.timeout(PATIENCE):
                told = await self._connection.call("usergroups.list")
        except (*FAILURES, DeliveryError) as error:
            log.info("user groups could not be asked for: %s", error)
            return None
        listed = [each for each in told.get("usergroups") or () if isinstance(each, Mapping)]
        return {str(each.get("handle")).casefold(): str(each.get("id")) for each in listed}


def _typed(value: str | list[str] | None) -> str:
    text = value.strip() if isinstance(value, str) else ""
    mention = _MENTION.fullmatch(text)
    return mention[1] if mention else text


def _found(name: str, typed: str, handles: Mapping[str, str] | None) -> dict[str, str]:
    if _GROUP.fullmatch(typed) and (handles is None or typed in handles.values()):
        return {name: typed}
    handle = typed.removeprefix("@").casefold()
    if handles and handle in handles:
        return {name: handles[handle]}
    near = get_close_matches(handle, handles or (), 1, _LIKE)
    return {name: f"@{typed.removeprefix('@')}", NEAR.format(name): f"@{near[0]}" if near else ""}


def _with_handle(field: Field, handles: Mapping[str, str]) -> Field:
    if isinstance(field, RoleField) and field.value in handles:
        return replace(field, value=f"@{handles[field.value]}")
    return field
