"""A form as a Slack modal, and what was put into it back as the core takes it. Pure.

A block's id is its field's name, with '~' and a number where a list goes on in another block; so errors find
their field, and what Slack tells of a submit is read by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, assert_never

from adapters.slack.controls import MOST_OPTIONS, chosen_of, options_of, words
from adapters.slack.marks import PLAIN, Look, Prefixes, clean, elements, named
from adapters.slack.shapes import section
from bot.messages.cut import cut, length
from bot.messages.model import ChannelField, ChoiceField, Field, Form, RoleField, Text, TextField

Native = dict[str, Any]

_TITLE, _LABEL, _HINT, _TYPED = 24, 2_000, 2_000, 3_000
_IN_A_GROUP, _MOST_GROUPS = 10, 3
_HANDLE = 80
_OPTION = 75
_ROLE = "~role"
_BLOCKS = 100
_SIGN = "▲ "
_NONE = "~none"
"""The value of the option for nothing, since Slack takes no choice back."""
_PLACE = re.compile(r"[CDG][A-Z0-9]+")
_LISTS = ("checkboxes", "multi_static_select")
_HEAD = re.compile(r"\s*[:：]")


def view(form: Form, *, metadata: str = "", prefix: Prefixes = PLAIN) -> Native:
    """The form with its present values filled in. `metadata` (at most 3,000 characters) comes back with a submit;
    `prefix` stands before the first words of commands."""
    look = Look(form.language, form.zone, prefix)
    fields = [block for field in form.fields for block in _field(field, look)]
    native: Native = {
        "type": "modal",
        "callback_id": form.id,
        "title": words(_title(form.title), _TITLE),
        "private_metadata": metadata,
        "blocks": [*_words(form.intro, look), *fields, *_words(form.small, look)][:_BLOCKS],
    }
    if form.cancel.strip():
        native["close"] = words(form.cancel, _TITLE)
    if fields:
        native["submit"] = words(form.submit, _TITLE)
    if not native["blocks"]:
        native["blocks"] = section([{"type": "text", "text": clean(form.title).strip() or "…"}])
    return native


def values_of(view: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """What a submitted view holds, by field: a list where several may be chosen, else one text, '' for nothing."""
    values: dict[str, str | list[str]] = {}
    state = _inside(_inside(view).get("state")).get("values")
    for block_id, block in _inside(state).items():
        name, several, _ = str(block_id).partition("~")
        for native in _inside(block).values():
            given = _given(_inside(native))
            before = values.get(name)
            if isinstance(given, list) and several and isinstance(before, list):
                values[name] = before + given
            elif name:
                values[name] = given
    return values


def roles_of(view: Mapping[str, Any]) -> list[str]:
    """The fields of a submitted view in which user groups are typed."""
    values = _inside(_inside(_inside(view).get("state")).get("values"))
    return [str(block_id) for block_id, block in values.items() if _ROLE in _inside(block)]


def errors_of(form: Form, prefix: Prefixes = PLAIN) -> dict[str, str]:
    """What is wrong, by block, for `response_action: errors`; a field that is not drawn has no place for it."""
    look = Look(form.language, form.zone, prefix)
    return {
        field.name: cut(" ".join(named(clean(field.fault), look).split()), _HINT)
        for field in form.fields
        if field.fault.strip() and _field(field, look)
    }


def _field(field: Field, look: Look) -> list[Native]:
    match field:
        case TextField():
            return [_input(field, _typed(field.value, field.max_length, long=field.long), look)]
        case ChoiceField() if field.several:
            return _several(field, look)
        case ChoiceField():
            return _one(field, look)
        case ChannelField():
            native: Native = {
                "type": "conversations_select",
                "filter": {"include": ["public", "private"], "exclude_bot_users": True},
            }
            if _PLACE.fullmatch(field.value):
                native["initial_conversation"] = field.value
            return [_input(field, native, look)]
        case RoleField():  # Slack has no picker of user groups: a handle or an id is typed
            return [_input(field, _typed(field.value, _HANDLE) | {"action_id": _ROLE}, look)]
    assert_never(field)


def _typed(value: str, most: int, *, long: bool = False) -> Native:
    most = min(max(most, 1), _TYPED)
    native: Native = {"type": "plain_text_input", "multiline": long, "max_length": most}
    value = value if long else " ".join(value.splitlines())
    return native | {"initial_value": cut(value, most)} if value else native


def _one(field: ChoiceField, look: Look) -> list[Native]:
    """Radio buttons, or a menu where one is asked for or they are many."""
    options = options_of(field.options, look)[:MOST_OPTIONS]
    if not options:
        return []
    none: list[Native] = []
    if field.none.strip() and not field.required:
        none = [{"text": words(named(field.none, look), _OPTION), "value": _NONE}]
    options = [*none, *options][:MOST_OPTIONS]
    kind = "static_select" if field.menu or len(options) > _IN_A_GROUP else "radio_buttons"
    native: Native = {"type": kind, "options": options}
    if none and kind == "static_select":
        native["placeholder"] = none[0]["text"]
    if chosen := chosen_of(field.options, options):
        native["initial_option"] = chosen[0]
    return [_input(field, native, look)]


def _several(field: ChoiceField, look: Look) -> list[Native]:
    """Groups of ten boxes, or one menu where there would be too many of them."""
    options = options_of(field.options, look)[:MOST_OPTIONS]
    if len(options) > _IN_A_GROUP * _MOST_GROUPS:
        return [_input(field, _list("multi_static_select", field, options), look)]
    groups = [options[start : start + _IN_A_GROUP] for start in range(0, len(options), _IN_A_GROUP)]
    drawn = []
    for number, group in enumerate(groups, 1):
        of = f" ({number}/{len(groups)})" if len(groups) > 1 else ""
        block = _input(field, _list("checkboxes", field, group), look, of, optional=len(groups) > 1)
        if number > 1:
            block["block_id"] = block["element"]["action_id"] = f"{field.name}~{number}"
            block.pop("hint", None)
        drawn.append(block)
    return drawn


def _list(kind: str, field: ChoiceField, options: list[Native]) -> Native:
    native: Native = {"type": kind, "options": options}
    chosen = chosen_of(field.options, options)
    return native | {"initial_options": chosen} if chosen else native


def _input(field: Field, element: Native, look: Look, of: str = "", *, optional: bool = False) -> Native:
    """A block with its label; a fault stands before the hint."""
    native: Native = {
        "type": "input",
        "block_id": field.name,
        "optional": optional or not field.required,
        "label": words(f"{named(field.label, look)}{of}", _LABEL),
        "element": {"action_id": field.name} | element,
    }
    fault = f"{_SIGN}{field.fault}" if field.fault.strip() else ""
    below = named(f"{fault} {field.hint}".strip(), look)
    return native | {"hint": words(below, _HINT)} if below else native


def _title(title: str) -> str:
    """A title that is too long ends where its explanation begins."""
    found = _HEAD.search(title)
    return title[: found.start()] if found and length(title) > _TITLE else title


def _words(text: Text, look: Look) -> list[Native]:
    """What stands around the fields: rich_text, the only place beside small print that holds instants."""
    return section(elements(text, look))


def _given(native: Mapping[str, Any]) -> str | list[str]:
    if native.get("type") in _LISTS:
        chosen = native.get("selected_options")
        return [str(_inside(each).get("value") or "") for each in chosen] if isinstance(chosen, list) else []
    if "selected_option" in native:
        value = str(_inside(native["selected_option"]).get("value") or "")
        return "" if value == _NONE else value
    return str(native.get("value") or native.get("selected_conversation") or "")


def _inside(native: object) -> Mapping[str, Any]:
    return native if isinstance(native, Mapping) else {}
