"""A form as a Discord modal, and what was typed into it back as the core takes it. Pure.

A submit tells ids and kinds of its parts only, so a part's custom id says what is to be made of it: the field's
name, with '~' and a number where several parts make one list. A group of checkboxes is a list always.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from adapters.discord.controls import choose_one, options_of
from adapters.discord.marks import line
from bot.messages.cut import cut
from bot.messages.model import ChannelField, ChoiceField, Field, Form, RoleField, Text, TextField

Native = dict[str, Any]

_SELECT, _INPUT, _ROLES, _CHANNELS, _TEXT, _LABEL, _RADIO, _BOXES = 3, 4, 6, 8, 10, 18, 21, 22
_PARTS = 5
_TITLE, _LABEL_SIGNS, _DESCRIPTION, _TYPED = 45, 45, 100, 4_000
_OPTION, _PLACEHOLDER = 100, 150
_IN_A_GROUP, _IN_A_MENU = 10, 25
_CHANNEL_TYPES = (0, 5, 10, 11, 12, 15)
"""Text, announcements, threads of each kind, forum."""
_BLANK = "…"
_NONE = "~none"
"""The value of the radio button for nothing, since one that is pressed cannot be let go."""
_MUTE = "{}.mute"
"""Beside a role: the value that says that a mention of it would notify nobody."""


def modal(form: Form) -> Native:
    """The form with its present values filled in; a fault stands in place of the hint."""
    shown = form.fields[:_PARTS]
    room = _PARTS - len(shown)
    parts: list[Native] = []
    for each in shown:
        drawn = _field(each, room)
        room -= max(len(drawn) - 1, 0)
        parts += drawn
    small = _words(form.small)
    intro = _words(form.intro)
    if small and len(parts) < _PARTS:
        parts += small
    if intro and len(parts) < _PARTS:
        parts = intro + parts
    title = cut(" ".join(form.title.split()), _TITLE) or _BLANK
    return {"custom_id": form.id, "title": title, "components": parts or [{"type": _TEXT, "content": title}]}


def values_of(data: Mapping[str, Any], *, calls_all: bool = False) -> dict[str, str | list[str]]:
    """What a submit holds, by field: a list where several may be chosen, else one text, '' for nothing.

    Beside a role that not everybody may mention stands that it is mute, unless the bot `calls_all`.
    """
    values: dict[str, str | list[str]] = {}
    roles = (data.get("resolved") or {}).get("roles") or {}
    for part in _filled(data.get("components")):
        name, several, _ = str(part.get("custom_id", "")).partition("~")
        if not name:
            continue
        given = part.get("values")
        if several or part.get("type") == _BOXES:
            before = values.get(name, [])
            values[name] = [*(before if isinstance(before, list) else []), *map(str, given or ())]
        elif given is not None:
            values[name] = str(given[0]) if given else ""
            if not calls_all and not roles.get(values[name], {}).get("mentionable", True):
                values[_MUTE.format(name)] = "yes"
        else:
            value = part.get("value")
            values[name] = "" if value is None or value == _NONE else str(value)
    return values


def _field(field: Field, room: int) -> list[Native]:
    """One labelled part, or several for a long choice, `room` more at most."""
    match field:
        case TextField():
            return [_labelled(field, _input(field))]
        case ChoiceField() if field.several:
            return _several(field, room)
        case ChoiceField():
            return _one(field)
        case ChannelField():
            native = {"type": _CHANNELS, "channel_types": list(_CHANNEL_TYPES)}
            return [_labelled(field, _picker(field, native, "channel"))]
        case RoleField():
            return [_labelled(field, _picker(field, {"type": _ROLES}, "role"))]
    assert_never(field)


def _input(field: TextField) -> Native:
    most = min(max(field.max_length, 1), _TYPED)
    value = field.value if field.long else " ".join(field.value.splitlines())
    native: Native = {
        "type": _INPUT,
        "custom_id": field.name,
        "style": 2 if field.long else 1,
        "required": field.required,
        "max_length": most,
    }
    return native | {"value": cut(value, most)} if value else native


def _one(field: ChoiceField) -> list[Native]:
    """Radio buttons, or a menu where one is asked for, or where they are too many or a single one."""
    options = choose_one(options_of(field.options)[:_IN_A_MENU])
    if not options:
        return []
    none = "" if field.required else " ".join(field.none.split())
    if not field.menu and 2 <= len(options) <= _IN_A_GROUP - bool(none):
        return [_labelled(field, {"type": _RADIO, **_asked(field), "options": _with_none(options, none)})]
    native: Native = {"type": _SELECT, **_asked(field), **_how_many(field.required, 1), "options": options}
    if none:
        native["placeholder"] = cut(none, _PLACEHOLDER)
    return [_labelled(field, native)]


def _with_none(options: list[Native], label: str) -> list[Native]:
    """The options and, where it has a word, one for nothing."""
    if not label:
        return options
    return [*options, {"value": _NONE, "label": cut(label, _OPTION)}]


def _several(field: ChoiceField, room: int) -> list[Native]:
    """Groups of ten boxes where they fit, else menus."""
    options = options_of(field.options)
    groups = _parted(options, _IN_A_GROUP)
    if len(groups) <= room + 1:
        kind = _BOXES
    else:
        kind, groups = _SELECT, _parted(options, _IN_A_MENU)[: room + 1]
    drawn = []
    for number, group in enumerate(groups, 1):
        must = field.required and len(groups) == 1
        tail = f"~{number}" if kind == _SELECT or number > 1 else ""
        native = {
            "type": kind,
            "custom_id": field.name + tail,
            "required": must,
            **_how_many(must, len(group)),
        }
        of = f" ({number}/{len(groups)})" if len(groups) > 1 else ""
        drawn.append(_labelled(field, native | {"options": group}, of, described=number == 1))
    return drawn


def _picker(field: ChannelField | RoleField, native: Native, kind: str) -> Native:
    native |= {**_asked(field), **_how_many(field.required, 1)}
    if field.value.isascii() and field.value.isdigit():
        native["default_values"] = [{"id": field.value, "type": kind}]
    return native


def _asked(field: Field) -> Native:
    return {"custom_id": field.name, "required": field.required}


def _how_many(required: bool, most: int) -> Native:
    return {"min_values": int(required), "max_values": most}


def _labelled(field: Field, component: Native, of: str = "", *, described: bool = True) -> Native:
    label = cut(" ".join(field.label.split()), _LABEL_SIGNS - len(of)) or _BLANK
    native: Native = {"type": _LABEL, "label": label + of}
    below = " ".join((field.fault or field.hint).split())
    if below and described:
        native["description"] = cut(below, _DESCRIPTION)
    return native | {"component": component}


def _parted(options: list[Native], size: int) -> list[list[Native]]:
    return [options[start : start + size] for start in range(0, len(options), size)]


def _words(text: Text) -> list[Native]:
    written = line(text)
    return [{"type": _TEXT, "content": cut(written, _TYPED)}] if written.strip() else []


def _filled(components: object) -> Iterator[Mapping[str, Any]]:
    """The parts that hold something, inside labels or rows."""
    if not isinstance(components, Sequence) or isinstance(components, str):
        return
    for part in components:
        if not isinstance(part, Mapping):
            continue
        if "custom_id" in part:
            yield part
        yield from _filled([part["component"]] if part.get("component") else part.get("components"))
