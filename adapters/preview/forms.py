"""A form as HTML, and what was typed into it back into the form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from adapters.preview.html import Markup, h
from adapters.preview.icons import LOCK
from adapters.preview.lines import Look, plain, render_shown, render_text
from bot.messages.model import ChannelField, ChoiceField, Field, Form, Option, RoleField, TextField

Values = Mapping[str, str | list[str]]


def render_form(form: Form, line: int, channels: Sequence[str], look: Look, private_to: str) -> Markup:
    """The card of an open form. `line` keeps the ids of its fields apart from those of other forms."""
    look = look.for_language(form.language)
    faults = sum(bool(field.fault) for field in form.fields)
    mend = look.chrome.to_mend(faults) if faults else ""
    small = plain(form.small, look)
    grid = len(form.fields) > 1
    fields = [_field(field, f"f{line}-{number}", channels, look) for number, field in enumerate(form.fields)]
    buttons = h(
        "div",
        h("button", form.submit, type="submit", class_="btn go"),
        h("button", form.cancel, type="button", class_="btn", data_do="cancel") if form.cancel else None,
        h("span", mend, class_="end") if mend else None,
        class_="row fill",
    )
    return h(
        "div",
        h("p", LOCK, " ", look.chrome.seal(private_to), class_="seal"),
        h("h2", form.title, class_="name", id=f"f{line}"),
        h("p", render_text(form.intro, look), class_="meta") if form.intro else None,
        h(
            "form",
            h("div", *fields, class_="grid2" if grid else "stack"),
            buttons,
            data_form=form.id,
            aria_labelledby=f"f{line}",
            autocomplete="off",
            novalidate=True,
        ),
        h("p", render_text(form.small, look), class_="small") if small and small != mend else None,
        class_="card",
    )


def filled(form: Form, values: Values) -> Form:
    """The form with what was typed; faults stay until it is sent again. Unknown names are ignored."""
    return replace(form, fields=tuple(_filled(field, values) for field in form.fields))


def values_of(form: Form, raw: Mapping[str, Sequence[str]]) -> dict[str, str | list[str]]:
    """What the browser sent, as the core expects it: a list where several may be chosen, else one text."""
    values: dict[str, str | list[str]] = {}
    for field in form.fields:
        sent = [str(value) for value in raw.get(field.name, ())]
        if isinstance(field, ChoiceField) and field.several:
            values[field.name] = sent
        else:
            values[field.name] = sent[0] if sent else ""
    return values


def _filled(field: Field, values: Values) -> Field:
    if field.name not in values:
        return field
    value = values[field.name]
    if isinstance(field, ChoiceField):
        chosen = set(value) if isinstance(value, list) else {value}
        return replace(
            field, options=tuple(replace(option, chosen=option.value in chosen) for option in field.options)
        )
    return replace(field, value="".join(value))


def _field(field: Field, name: str, channels: Sequence[str], look: Look) -> Markup:
    match field:
        case TextField():
            return _text_field(field, name)
        case ChoiceField() if field.several or _is_ballot(field):
            return _boxes(field, name, look)
        case ChoiceField():
            wide = any(option.shown or option.note for option in field.options)  # they need the room
            return _labelled(field, name, _select(field, name, field.options), span=wide)
        case ChannelField():
            options = tuple(
                Option(channel, f"#{channel}", chosen=channel == field.value) for channel in channels
            )
            return _labelled(field, name, _select(field, name, options))
        case RoleField():
            return _text_field(TextField(field.name, field.label, field.value, field.hint, field.fault), name)
    assert_never(field)


def _text_field(field: TextField, name: str) -> Markup:
    if field.long:
        control = h("textarea", field.value, rows=3, **_attributes(field, name), maxlength=field.max_length)
        return _labelled(field, name, control, span=True)
    control = h(
        "input", type="text", value=field.value, **_attributes(field, name), maxlength=field.max_length
    )
    return _labelled(field, name, control, span=field.max_length > 80, short=field.max_length <= 10)


def _select(field: ChoiceField | ChannelField, name: str, options: Sequence[Option]) -> Markup:
    """A menu; nothing is chosen in it by itself."""
    nothing = field.none if isinstance(field, ChoiceField) else ""
    chosen = any(option.chosen for option in options)
    return h(
        "select",
        h("option", nothing or "—", value="") if not (field.required and chosen) else None,
        *(h("option", _in_menu(option), value=option.value, selected=option.chosen) for option in options),
        **_attributes(field, name),
    )


def _in_menu(option: Option) -> str:
    """The label with the number it has elsewhere, as in a vote; where it has no headline, with what it is for."""
    label = option.label if option.number is None else f"{option.number} · {option.label}"
    return f"{label} · {option.note}" if option.note and not option.shown else label


def _is_ballot(field: ChoiceField) -> bool:
    """Whether papers are chosen from, of which each has a row to itself."""
    return not field.menu and any(option.shown for option in field.options)


def _boxes(field: ChoiceField, name: str, look: Look) -> Markup:
    if field.none and not field.several and not field.required:
        field = replace(field, options=(*field.options, Option("", field.none)))
    rows = any(option.shown or option.note for option in field.options)
    boxes = (_row if rows else _chip)(field, look)
    fault, hint = _below(field, name)
    return h(
        "fieldset",
        h("legend", field.label, class_="lab"),
        hint if rows else None,  # before a long list, or it is read too late
        h("div", *boxes, class_="stack" if rows else "days"),
        fault,
        None if rows else hint,
        class_=f"field span{' bad' if field.fault else ''}{' ballot' if rows else ''}",
        aria_describedby=_described(field, name),
    )


def _row(field: ChoiceField, look: Look) -> list[Markup]:
    return [
        h(
            "label",
            _box(field, option),
            h("span", "" if option.number is None else str(option.number), class_="n"),
            h(
                "span",
                h("span", render_shown(option.shown, look), class_="hl") if option.shown else option.label,
                h("small", option.note) if option.note else None,
            ),
            class_="choice",
        )
        for option in field.options
    ]


def _chip(field: ChoiceField, look: Look) -> list[Markup]:
    return [h("label", _box(field, option), " ", option.label) for option in field.options]


def _box(field: ChoiceField, option: Option) -> Markup:
    kind = "checkbox" if field.several else "radio"
    return h("input", type=kind, name=field.name, value=option.value, checked=option.chosen)


def _labelled(field: Field, name: str, control: Markup, *, span: bool = False, short: bool = False) -> Markup:
    classes = "field" + " span" * span + " short" * short + " bad" * bool(field.fault)
    return h("div", h("label", field.label, for_=name), control, *_below(field, name), class_=classes)


def _below(field: Field, name: str) -> tuple[Markup | None, Markup | None]:
    fault = h("small", field.fault, class_="err", id=f"{name}-fault") if field.fault else None
    return fault, h("small", field.hint, id=f"{name}-hint") if field.hint else None


def _attributes(field: Field, name: str) -> dict[str, str | bool | None]:
    return {
        "id": name,
        "name": field.name,
        "aria_describedby": _described(field, name),
        "aria_invalid": "true" if field.fault else None,
        "aria_required": "true" if field.required else None,
    }


def _described(field: Field, name: str) -> str | None:
    named = [f"{name}-fault"] * bool(field.fault) + [f"{name}-hint"] * bool(field.hint)
    return " ".join(named) or None
