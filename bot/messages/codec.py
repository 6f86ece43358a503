"""Messages and forms as JSON and back: every dataclass of bot/messages/model, told apart by its name."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from typing import Any, TypeVar

from bot.messages import model

T = TypeVar("T")

_KINDS: dict[str, type] = {
    name: kind for name, kind in vars(model).items() if isinstance(kind, type) and is_dataclass(kind)
}
_KIND = "is"  # no field of the model is called so
_INSTANT = "instant"
_BYTES = "bytes"
_SET = "set"


def encode(value: object) -> str:
    """A message, form or any part of one as JSON text; fields that hold their default are left out."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def decode(text: str, wanted: type[T]) -> T:
    """The value behind `encode`. Fields this version does not know are dropped.

    Raises:
        ValueError: the text is no JSON, names a kind the model does not have, or holds something else.
    """
    value = _value(json.loads(text))
    if not isinstance(value, wanted):
        raise ValueError(f"{type(value).__name__} where {wanted.__name__} was expected")
    return value


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return {_KIND: _INSTANT, "at": value.isoformat()}
    if isinstance(value, bytes):
        return {_KIND: _BYTES, "base64": b64encode(value).decode()}
    if isinstance(value, frozenset):
        return {_KIND: _SET, "of": [_plain(item) for item in sorted(value)]}
    if is_dataclass(value) and not isinstance(value, type):
        kept = {field.name: getattr(value, field.name) for field in fields(value)}
        return {_KIND: type(value).__name__} | {
            field.name: _plain(kept[field.name])
            for field in fields(value)
            if not _is_default(field, kept[field.name])
        }
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _is_default(field: Field[Any], value: object) -> bool:
    return field.default is not MISSING and field.default == value and type(field.default) is type(value)


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_value(item) for item in plain)
    if not isinstance(plain, dict):
        return plain
    if plain.get(_KIND) == _INSTANT:
        return datetime.fromisoformat(plain["at"])
    if plain.get(_KIND) == _BYTES:
        return b64decode(plain["base64"])
    if plain.get(_KIND) == _SET:
        return frozenset(_value(plain["of"]))
    kind = _KINDS.get(str(plain.get(_KIND)))
    if kind is None:
        raise ValueError(f"no kind of block is called {plain.get(_KIND)!r}")
    known = {field.name for field in fields(kind)}
    try:
        return kind(**{name: _value(item) for name, item in plain.items() if name in known})
    except TypeError as problem:
        raise ValueError(str(problem)) from problem
