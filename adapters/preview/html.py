"""HTML by construction: everything that is not already markup is escaped."""

from __future__ import annotations

from markupsafe import Markup as Markup
from markupsafe import escape

_EMPTY = frozenset({"input", "hr", "br"})

Child = str | Markup | None


def h(tag: str, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """One element. Strings are escaped, Markup stands as it is, None is left out.

    Attribute names lose a trailing underscore and turn the others into dashes (`class_`, `aria_label`). True
    writes the bare name, False and None leave it out.
    """
    written = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(value)}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    inner = Markup() if tag in _EMPTY else join(*children) + Markup(f"</{tag}>")
    return Markup(f"<{tag}{written}>") + inner


def join(*children: Child) -> Markup:
    """Pieces one after the other."""
    return Markup().join(child for child in children if child is not None)
