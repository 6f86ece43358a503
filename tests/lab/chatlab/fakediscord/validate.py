"""Checks of payloads against Discord's documented limits.

Every function raises :class:`~tests.lab.chatlab.fakediscord.errors.ApiError` with the
errors tree that Discord would send.  Lengths are counted in Unicode code
points, as Python's ``len`` does.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from .errors import ApiError, FormErrors, empty_message

Path = tuple[str | int, ...]

# Message flags
SUPPRESS_EMBEDS = 1 << 2
EPHEMERAL = 1 << 6
LOADING = 1 << 7
SUPPRESS_NOTIFICATIONS = 1 << 12
COMPONENTS_V2 = 1 << 15

# Component types
ACTION_ROW, BUTTON, STRING_SELECT, TEXT_INPUT = 1, 2, 3, 4
USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT = 5, 6, 7, 8
SECTION, TEXT_DISPLAY, THUMBNAIL, MEDIA_GALLERY, FILE, SEPARATOR = 9, 10, 11, 12, 13, 14
CONTAINER, LABEL, FILE_UPLOAD = 17, 18, 19
RADIO_GROUP, CHECKBOX_GROUP, CHECKBOX = 21, 22, 23
SELECTS = (STRING_SELECT, USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT)
V2_ONLY = (SECTION, TEXT_DISPLAY, THUMBNAIL, MEDIA_GALLERY, FILE, SEPARATOR, CONTAINER)
LINK_STYLE, PREMIUM_STYLE = 5, 6

MAX_CONTENT = 2000
MAX_EMBEDS = 10
MAX_EMBED_TOTAL = 6000
MAX_V2_COMPONENTS = 40
MAX_V2_TEXT = 4000
NONCE_WINDOW_S = 300.0

# Discord: ^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$, lower case where the letters have one.
_COMMAND_NAME = re.compile(r"^[-_'\w\u0900-\u097f\u0e00-\u0e7f]{1,32}$", re.UNICODE)

LOCALES = frozenset(
    "id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th "
    "zh-CN ja zh-TW ko".split()
)

_MESSAGE_FIELDS = frozenset(
    "content nonce tts embeds allowed_mentions message_reference components sticker_ids files attachments "
    "flags enforce_nonce poll username avatar_url thread_name applied_tags shared_client_theme".split()
)


# --- messages ----------------------------------------------------------------------------

def check_message(
    payload: dict[str, Any],
    *,
    settable_flags: int,
    editing: dict[str, Any] | None = None,
    has_files: bool = False,
) -> None:
    """Check a message create (or, with ``editing`` = the stored message, edit) payload."""
    errors = FormErrors()
    for field in payload:
        if field not in _MESSAGE_FIELDS:
            # Discord ignores unknown fields; a test wants to hear of a misspelt one.
            errors.add((field,), "CHATLAB_UNKNOWN_FIELD", "chatlab knows no such message field.")

    flags = payload.get("flags") or 0
    if errors.integer(("flags",), flags, 0):
        if editing is None and flags & ~settable_flags:
            errors.add(("flags",), "MESSAGE_FLAGS_INVALID", f"Flags {flags & ~settable_flags} cannot be set here.")
    else:
        flags = 0
    is_v2 = bool(flags & COMPONENTS_V2)
    if editing is not None and editing.get("flags", 0) & COMPONENTS_V2:
        is_v2 = True

    content = payload.get("content")
    errors.text(("content",), content, MAX_CONTENT)

    embeds = payload.get("embeds")
    if embeds is not None and errors.count(("embeds",), embeds, MAX_EMBEDS):
        check_embeds(errors, ("embeds",), embeds)

    components = payload.get("components")
    if components is not None:
        check_components(errors, ("components",), components, v2=is_v2)

    if is_v2:
        for field in ("content", "embeds", "poll", "sticker_ids"):
            if payload.get(field):
                errors.add(
                    (field,),
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    f"The '{field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
                )

    nonce = payload.get("nonce")
    if nonce is not None:
        if isinstance(nonce, bool) or not isinstance(nonce, (str, int)):
            errors.add(("nonce",), "BASE_TYPE_STRING", "Could not interpret value as string.")
        elif len(str(nonce)) > 25:
            errors.add(("nonce",), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")

    if payload.get("allowed_mentions") is not None:
        check_allowed_mentions(errors, ("allowed_mentions",), payload["allowed_mentions"])
    if payload.get("sticker_ids"):
        errors.count(("sticker_ids",), payload["sticker_ids"], 3)
    if payload.get("attachments"):
        errors.count(("attachments",), payload["attachments"], 10)
    errors.raise_if_any()

    if editing is None:
        filled = any(payload.get(f) for f in ("content", "embeds", "components", "sticker_ids", "poll"))
        blank = isinstance(content, str) and not content.strip()
        if not has_files and (not filled or (blank and not any(
            payload.get(f) for f in ("embeds", "components", "sticker_ids", "poll")
        ))):  # fmt: skip
            raise empty_message()


def check_attachments(
    payload: dict[str, Any], files: list[tuple[str, bytes]], *, editing: dict[str, Any] | None = None
) -> None:
    """Every attachment announced has its file, every file of a V2 message is shown, and every one shown is there."""
    errors = FormErrors()
    before = {str(each["id"]): each["filename"] for each in (editing or {}).get("attachments", ())}
    announced = payload.get("attachments")
    present = dict(before) if announced is None else {}
    for index, each in enumerate(announced or ()):
        key = str(each.get("id"))
        if key in before:
            present[key] = before[key]
        elif not key.isdigit() or int(key) >= len(files):
            errors.add(("attachments", index, "id"), "ATTACHMENT_NOT_FOUND", f"There is no files[{key}].")
        elif each.get("filename", files[int(key)][0]) != files[int(key)][0]:
            errors.add(("attachments", index, "filename"), "CHATLAB_OTHER_NAME", "The file has another name.")
        errors.text(("attachments", index, "description"), each.get("description"), 1024)
    present |= {f"new {number}": name for number, (name, _) in enumerate(files)}
    if (payload.get("flags") or 0) & COMPONENTS_V2 or ((editing or {}).get("flags", 0) & COMPONENTS_V2):
        shown = set(_attached(payload.get("components") or ()))
        for name in sorted(shown - set(present.values())):
            errors.add(("components",), "COMPONENT_ATTACHMENT_NOT_FOUND", f"There is no attachment {name}.")
        for name, _ in files:
            if name not in shown:
                errors.add(("components",), "CHATLAB_FILE_NOT_SHOWN", f"No component shows {name}.")
    errors.raise_if_any()


def _attached(value: Any) -> Iterator[str]:
    """The names behind attachment:// in components."""
    if isinstance(value, dict):
        url = value.get("url")
        if isinstance(url, str) and url.startswith("attachment://"):
            yield url.removeprefix("attachment://")
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _attached(each)


def check_edit_result(message: dict[str, Any]) -> None:
    """A message may not be edited into nothing."""
    if not any(message.get(f) for f in ("content", "embeds", "components", "attachments", "poll")):
        raise empty_message()


def _trimmed(value: Any) -> Any:
    """The value with the white space around all its strings taken off."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        return {k: _trimmed(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_trimmed(v) for v in value]
    return value


def check_embeds(errors: FormErrors, path: Path, embeds: list[Any]) -> None:
    """Check embeds; Discord trims leading and trailing white space before it counts."""
    total = 0
    for index, raw in enumerate(embeds):
        embed = _trimmed(raw)
        here = (*path, index)
        if not isinstance(embed, dict):
            errors.add(here, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
            continue
        errors.text((*here, "title"), embed.get("title"), 256)
        errors.text((*here, "description"), embed.get("description"), 4096)
        _check_url(errors, (*here, "url"), embed.get("url"))
        total += len(embed.get("title") or "") + len(embed.get("description") or "")

        fields = embed.get("fields") or []
        if errors.count((*here, "fields"), fields, 25):
            for number, field in enumerate(fields):
                at = (*here, "fields", number)
                errors.text((*at, "name"), field.get("name"), 256, 1, required=True)
                errors.text((*at, "value"), field.get("value"), 1024, 1, required=True)
                total += len(field.get("name") or "") + len(field.get("value") or "")

        footer = embed.get("footer") or {}
        if footer:
            errors.text((*here, "footer", "text"), footer.get("text"), 2048, 1, required=True)
            _check_url(errors, (*here, "footer", "icon_url"), footer.get("icon_url"), attachment=True)
            total += len(footer.get("text") or "")
        author = embed.get("author") or {}
        if author:
            errors.text((*here, "author", "name"), author.get("name"), 256, 1, required=True)
            _check_url(errors, (*here, "author", "url"), author.get("url"))
            total += len(author.get("name") or "")
        for media in ("image", "thumbnail"):
            if embed.get(media):
                _check_url(errors, (*here, media, "url"), embed[media].get("url"), attachment=True)

        if embed.get("color") is not None:
            errors.integer((*here, "color"), embed["color"], 0, 0xFFFFFF)
        if embed.get("timestamp") is not None:
            check_timestamp(errors, (*here, "timestamp"), embed["timestamp"])
    if total > MAX_EMBED_TOTAL:
        errors.add(path, "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {MAX_EMBED_TOTAL}")


def _check_url(errors: FormErrors, path: Path, value: Any, *, attachment: bool = False) -> None:
    if value is None:
        return
    if not errors.text(path, value, 2048):
        return
    parts = urlsplit(value)
    schemes = ("http", "https", "attachment") if attachment else ("http", "https")
    if parts.scheme not in schemes:
        shown = ", ".join(f"'{s}'" for s in schemes)
        errors.add(path, "URL_TYPE_INVALID_SCHEME", f'Scheme "{parts.scheme}" is not supported. Scheme must be one of ({shown}).')
    elif not parts.netloc:
        errors.add(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")


def check_timestamp(errors: FormErrors, path: Path, value: Any) -> dt.datetime | None:
    try:
        stamp = dt.datetime.fromisoformat(value)
    except (TypeError, ValueError):
        errors.add(path, "DATE_TIME_TYPE_PARSE", f"Could not parse {value}. Should be ISO8601.")
        return None
    return stamp if stamp.tzinfo else stamp.replace(tzinfo=dt.UTC)


def check_allowed_mentions(errors: FormErrors, path: Path, value: Any) -> None:
    if not isinstance(value, dict):
        errors.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
        return
    parse = value.get("parse") or []
    if errors.count((*path, "parse"), parse, 3):
        for index, item in enumerate(parse):
            errors.choice((*path, "parse", index), item, ("roles", "users", "everyone"))
    for kind in ("users", "roles"):
        ids = value.get(kind) or []
        if errors.count((*path, kind), ids, 100) and ids and kind in parse:
            errors.add(
                path,
                "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
                f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.',
            )


# --- components --------------------------------------------------------------------------

def walk(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All components of a message or modal, outermost first, with nested ones."""
    for component in components:
        if not isinstance(component, dict):
            continue
        yield component
        yield from walk(component.get("components") or [])
        for key in ("accessory", "component"):
            if component.get(key):
                yield from walk([component[key]])


def check_components(errors: FormErrors, path: Path, components: Any, *, v2: bool) -> None:
    """Check the components of a message."""
    if not isinstance(components, list):
        errors.add(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
        return
    custom_ids: set[str] = set()
    if v2:
        everything = list(walk(components))
        if len(everything) > MAX_V2_COMPONENTS:
            errors.add(path, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
                       f"The total number of components cannot exceed {MAX_V2_COMPONENTS}")  # fmt: skip
        text = sum(len(c.get("content") or "") for c in everything if c.get("type") == TEXT_DISPLAY)
        if text > MAX_V2_TEXT:
            errors.add(path, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
                       f"Displayable text size exceeds maximum size of {MAX_V2_TEXT}")  # fmt: skip
    elif not errors.count(path, components, 5):
        return

    top = (ACTION_ROW, *V2_ONLY) if v2 else (ACTION_ROW,)
    ids: set[int] = set()
    for component in walk(components):
        number = component.get("id")
        if number:
            if number in ids:
                errors.add(path, "COMPONENT_DUPLICATE_ID", f"Component id {number} is used more than once")
            ids.add(number)
    for index, component in enumerate(components):
        _check_component(errors, (*path, index), component, top, custom_ids)


def _check_component(
    errors: FormErrors, path: Path, component: Any, allowed: tuple[int, ...], custom_ids: set[str]
) -> None:
    if not isinstance(component, dict):
        errors.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
        return
    kind = component.get("type")
    if not errors.choice((*path, "type"), kind, allowed):
        return

    if kind == ACTION_ROW:
        children: Any = component.get("components")
        if not errors.count((*path, "components"), children, 5, 1):
            return
        width = sum(5 if c.get("type") in SELECTS else 1 for c in children if isinstance(c, dict))
        if width > 5:
            errors.add((*path, "components"), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "Action row is too wide")
        for index, child in enumerate(children):
            _check_component(errors, (*path, "components", index), child, (BUTTON, *SELECTS), custom_ids)
    elif kind == BUTTON:
        _check_button(errors, path, component, custom_ids)
    elif kind in SELECTS:
        _check_select(errors, path, component, custom_ids)
    elif kind == TEXT_DISPLAY:
        errors.text((*path, "content"), component.get("content"), MAX_V2_TEXT, 1, required=True)
    elif kind == SECTION:
        children = component.get("components")
        if errors.count((*path, "components"), children, 3, 1):
            for index, child in enumerate(children):
                _check_component(errors, (*path, "components", index), child, (TEXT_DISPLAY,), custom_ids)
        if component.get("accessory") is None:
            errors.required((*path, "accessory"))
        else:
            _check_component(errors, (*path, "accessory"), component["accessory"], (BUTTON, THUMBNAIL), custom_ids)
    elif kind == CONTAINER:
        children = component.get("components")
        inner = (ACTION_ROW, TEXT_DISPLAY, SECTION, MEDIA_GALLERY, SEPARATOR, FILE)
        if errors.count((*path, "components"), children, MAX_V2_COMPONENTS, 1):
            for index, child in enumerate(children):
                _check_component(errors, (*path, "components", index), child, inner, custom_ids)
        if component.get("accent_color") is not None:
            errors.integer((*path, "accent_color"), component["accent_color"], 0, 0xFFFFFF)
    elif kind == MEDIA_GALLERY:
        items: Any = component.get("items")
        if errors.count((*path, "items"), items, 10, 1):
            for index, item in enumerate(items):
                _check_url(errors, (*path, "items", index, "media", "url"), (item.get("media") or {}).get("url"), attachment=True)
                errors.text((*path, "items", index, "description"), item.get("description"), 1024)
    elif kind == THUMBNAIL:
        _check_url(errors, (*path, "media", "url"), (component.get("media") or {}).get("url"), attachment=True)
        errors.text((*path, "description"), component.get("description"), 1024)
    elif kind == FILE:
        url = (component.get("file") or {}).get("url")
        if not isinstance(url, str) or not url.startswith("attachment://"):
            errors.add((*path, "file", "url"), "COMPONENT_FILE_URL_INVALID", "Only attachment:// references are supported")
    elif kind == SEPARATOR and component.get("spacing") is not None:
        errors.choice((*path, "spacing"), component["spacing"], (1, 2))


def _check_custom_id(errors: FormErrors, path: Path, component: dict[str, Any], custom_ids: set[str]) -> None:
    custom_id = component.get("custom_id")
    if not errors.text((*path, "custom_id"), custom_id, 100, 1, required=True):
        return
    if custom_id in custom_ids:
        errors.add((*path, "custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
    custom_ids.add(str(custom_id))


def _check_button(errors: FormErrors, path: Path, button: dict[str, Any], custom_ids: set[str]) -> None:
    style = button.get("style")
    if not errors.choice((*path, "style"), style, (1, 2, 3, 4, 5, 6)):
        return
    errors.text((*path, "label"), button.get("label"), 80)
    if style == LINK_STYLE:
        if button.get("custom_id"):
            errors.add((*path, "custom_id"), "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
                       "A custom id and url cannot both be specified")  # fmt: skip
        if not button.get("url"):
            errors.add((*path, "url"), "BUTTON_COMPONENT_LINK_URL_REQUIRED", "A url is required for link buttons")
        else:
            if errors.text((*path, "url"), button["url"], 512):
                _check_url(errors, (*path, "url"), button["url"])
    elif style == PREMIUM_STYLE:
        if not button.get("sku_id"):
            errors.required((*path, "sku_id"))
        return
    else:
        if button.get("url"):
            errors.add((*path, "url"), "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
                       "A custom id and url cannot both be specified")  # fmt: skip
        _check_custom_id(errors, path, button, custom_ids)
    if not button.get("label") and not button.get("emoji"):
        errors.add(path, "BUTTON_COMPONENT_INVALID_LABEL_OR_EMOJI", "A label or emoji is required")


def _check_select(errors: FormErrors, path: Path, select: dict[str, Any], custom_ids: set[str], *, modal: bool = False) -> None:
    _check_custom_id(errors, path, select, custom_ids)
    errors.text((*path, "placeholder"), select.get("placeholder"), 150)
    least = 1 if select.get("min_values") is None else select["min_values"]
    most = 1 if select.get("max_values") is None else select["max_values"]
    ok = errors.integer((*path, "min_values"), least, 0, 25) and errors.integer((*path, "max_values"), most, 1, 25)
    if ok and least > most:
        errors.add((*path, "min_values"), "SELECT_COMPONENT_MIN_VALUES_TOO_LARGE", "min_values cannot exceed max_values")
    if modal and select.get("required", True) and select.get("min_values") == 0:
        errors.add((*path, "min_values"), "SELECT_COMPONENT_MIN_VALUES_REQUIRED", "min_values must be at least 1 if required")
    if select.get("disabled") and modal:
        errors.add((*path, "disabled"), "COMPONENT_DISABLED_IN_MODAL", "A select in a modal cannot be disabled")
    if select["type"] != STRING_SELECT:
        return
    options: Any = select.get("options")
    if not errors.count((*path, "options"), options, 25, 1):
        return
    _check_options(errors, (*path, "options"), options)
    if ok and most > len(options):
        errors.add((*path, "max_values"), "NUMBER_TYPE_MAX", f"int value should be less than or equal to {len(options)}.")
    if ok and sum(bool(o.get("default")) for o in options) > most:
        errors.add((*path, "options"), "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "More defaults than max_values")


def _check_options(errors: FormErrors, path: Path, options: list[dict[str, Any]]) -> None:
    values: set[str] = set()
    for index, option in enumerate(options):
        at = (*path, index)
        errors.text((*at, "label"), option.get("label"), 100, 1, required=True)
        errors.text((*at, "description"), option.get("description"), 100)
        if errors.text((*at, "value"), option.get("value"), 100, 1, required=True):
            if option["value"] in values:
                errors.add((*at, "value"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
            values.add(option["value"])


def check_modal(modal: Any) -> None:
    """Check the data of a modal response (interaction callback type 9)."""
    errors = FormErrors()
    if not isinstance(modal, dict):
        errors.required(("data",))
        errors.raise_if_any()
    errors.text(("data", "custom_id"), modal.get("custom_id"), 100, 1, required=True)
    errors.text(("data", "title"), modal.get("title"), 45, 1, required=True)
    components: Any = modal.get("components")
    custom_ids: set[str] = set()
    if errors.count(("data", "components"), components, 5, 1):
        for index, component in enumerate(components):
            path = ("data", "components", index)
            if not isinstance(component, dict):
                errors.add(path, "MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
                continue
            kind = component.get("type")
            if not errors.choice((*path, "type"), kind, (ACTION_ROW, TEXT_DISPLAY, LABEL)):
                continue
            if kind == TEXT_DISPLAY:
                errors.text((*path, "content"), component.get("content"), MAX_V2_TEXT, 1, required=True)
            elif kind == ACTION_ROW:
                children: Any = component.get("components")
                if errors.count((*path, "components"), children, 1, 1):
                    _check_modal_field(errors, (*path, "components", 0), children[0], custom_ids, (TEXT_INPUT,), labelled=False)
            else:
                errors.text((*path, "label"), component.get("label"), 45, 1, required=True)
                errors.text((*path, "description"), component.get("description"), 100)
                if component.get("component") is None:
                    errors.required((*path, "component"))
                else:
                    allowed = (TEXT_INPUT, *SELECTS, FILE_UPLOAD, RADIO_GROUP, CHECKBOX_GROUP, CHECKBOX)
                    _check_modal_field(errors, (*path, "component"), component["component"], custom_ids, allowed, labelled=True)
    errors.raise_if_any()


def _check_modal_field(
    errors: FormErrors, path: Path, field: dict[str, Any], custom_ids: set[str], allowed: tuple[int, ...], *, labelled: bool
) -> None:
    kind = field.get("type")
    if not errors.choice((*path, "type"), kind, allowed):
        return
    if kind in SELECTS:
        _check_select(errors, path, field, custom_ids, modal=True)
        return
    _check_custom_id(errors, path, field, custom_ids)
    if kind == TEXT_INPUT:
        errors.choice((*path, "style"), field.get("style"), (1, 2))
        if labelled and field.get("label"):
            errors.add((*path, "label"), "TEXT_INPUT_LABEL_IN_LABEL", "Use the label of the Label component instead")
        elif not labelled:
            errors.text((*path, "label"), field.get("label"), 45, 1, required=True)
        errors.text((*path, "placeholder"), field.get("placeholder"), 100)
        least, most = field.get("min_length"), field.get("max_length")
        if least is not None:
            errors.integer((*path, "min_length"), least, 0, 4000)
        if most is not None:
            errors.integer((*path, "max_length"), most, 1, 4000)
        if isinstance(least, int) and isinstance(most, int) and least > most:
            errors.add((*path, "min_length"), "TEXT_INPUT_MIN_LENGTH_TOO_LARGE", "min_length cannot exceed max_length")
        errors.text((*path, "value"), field.get("value"), most if isinstance(most, int) else 4000)
    elif kind in (RADIO_GROUP, CHECKBOX_GROUP):
        fewest = 2 if kind == RADIO_GROUP else 1
        if errors.count((*path, "options"), field.get("options"), 10, fewest):
            _check_options(errors, (*path, "options"), field["options"])


# --- commands and autocomplete -----------------------------------------------------------

def _name_ok(name: str) -> bool:
    return bool(_COMMAND_NAME.match(name)) and name == name.lower()


def check_commands(commands: list[Any], *, limit: bool = True) -> None:
    """Check a bulk overwrite: each command, the counts, and that names are unique per type."""
    errors = FormErrors()
    seen: set[tuple[int, str]] = set()
    counts: dict[int, int] = {}
    for index, command in enumerate(commands):
        check_command(command, errors, (index,))
        key = (command.get("type", 1), str(command.get("name")))
        if key in seen:
            errors.add((index, "name"), "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
        seen.add(key)
        counts[key[0]] = counts.get(key[0], 0) + 1
    errors.raise_if_any()
    for kind, most in ((1, 100), (2, 15), (3, 15)):
        if limit and counts.get(kind, 0) > most:
            raise ApiError(400, 30032, f"Maximum number of application commands reached ({most}).")


def check_command(command: Any, errors: FormErrors | None = None, path: Path = ()) -> None:
    own = errors is None
    errors = errors or FormErrors()
    kind = command.get("type", 1)
    if errors.choice((*path, "type"), kind, (1, 2, 3, 4)):
        name = command.get("name")
        if errors.text((*path, "name"), name, 32, 1, required=True) and kind == 1 and not _name_ok(name):
            errors.add((*path, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
        _check_localizations(errors, (*path, "name_localizations"), command.get("name_localizations"), 32, slash=kind == 1)
        if kind == 1:
            errors.text((*path, "description"), command.get("description"), 100, 1, required=True)
            _check_localizations(errors, (*path, "description_localizations"), command.get("description_localizations"), 100)
            _check_command_options(errors, (*path, "options"), command.get("options") or [], depth=0)
        elif command.get("description"):
            errors.add((*path, "description"), "APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION", "Context menu commands cannot have a description")
        permissions = command.get("default_member_permissions")
        if permissions is not None and not str(permissions).isdigit():
            errors.add((*path, "default_member_permissions"), "NUMBER_TYPE_COERCE", "Not a permissions bit set.")
    size = _command_size(command)
    if size > 8000:
        errors.add((*path,), "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
    if own:
        errors.raise_if_any()


def _command_size(node: dict[str, Any]) -> int:
    """Combined length of name, description and values; the longest localisation counts."""
    def longest(field: str) -> int:
        values = [node.get(field) or "", *(node.get(f"{field}_localizations") or {}).values()]
        return max(len(str(v)) for v in values)

    size = longest("name") + longest("description") + len(str(node.get("value", "")))
    return size + sum(_command_size(c) for key in ("options", "choices") for c in node.get(key) or [])


def _check_localizations(errors: FormErrors, path: Path, value: Any, most: int, *, slash: bool = False) -> None:
    for locale, text in (value or {}).items():
        if locale not in LOCALES:
            errors.add((*path, locale), "BASE_TYPE_CHOICES", f"Locale {locale} is not supported.")
        elif errors.text((*path, locale), text, most, 1, required=True) and slash and not _name_ok(text):
            errors.add((*path, locale), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")


def _check_command_options(errors: FormErrors, path: Path, options: list[Any], depth: int) -> None:
    if not errors.count(path, options, 25):
        return
    names: set[str] = set()
    optional_seen = False
    grouped = [o.get("type") in (1, 2) for o in options]
    if any(grouped) and not all(grouped):
        errors.add(path, "APPLICATION_COMMAND_OPTIONS_TYPE_MIXED", "Sub-commands cannot be mixed with other options")
    for index, option in enumerate(options):
        at = (*path, index)
        kind = option.get("type")
        if not errors.choice((*at, "type"), kind, tuple(range(1, 12))):
            continue
        name = option.get("name")
        if errors.text((*at, "name"), name, 32, 1, required=True):
            if not _name_ok(name):
                errors.add((*at, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
            if name in names:
                errors.add((*at, "name"), "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Option names must be unique")
            names.add(name)
        errors.text((*at, "description"), option.get("description"), 100, 1, required=True)
        _check_localizations(errors, (*at, "name_localizations"), option.get("name_localizations"), 32, slash=True)
        _check_localizations(errors, (*at, "description_localizations"), option.get("description_localizations"), 100)
        if kind in (1, 2):
            if (kind == 2 and depth > 0) or depth > 1:
                errors.add((*at, "type"), "APPLICATION_COMMAND_OPTIONS_NESTED_INVALID", "Sub-command groups nest only one level deep")
                continue
            _check_command_options(errors, (*at, "options"), option.get("options") or [], depth + 1)
            continue
        if option.get("required"):
            if optional_seen:
                errors.add(at, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID",
                           "Required options must be placed before non-required options")  # fmt: skip
        else:
            optional_seen = True
        choices = option.get("choices") or []
        if choices and option.get("autocomplete"):
            errors.add((*at, "autocomplete"), "APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_CHOICES", "Choices and autocomplete exclude each other")
        if errors.count((*at, "choices"), choices, 25):
            _check_choices(errors, (*at, "choices"), choices, kind)
        if option.get("autocomplete") and kind not in (3, 4, 10):
            errors.add((*at, "autocomplete"), "APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_TYPE", "Not an autocomplete type")


def _check_choices(errors: FormErrors, path: Path, choices: list[Any], kind: int) -> None:
    for index, choice in enumerate(choices):
        at = (*path, index)
        errors.text((*at, "name"), choice.get("name"), 100, 1, required=True)
        _check_localizations(errors, (*at, "name_localizations"), choice.get("name_localizations"), 100)
        value = choice.get("value")
        if value is None:
            errors.required((*at, "value"))
        elif kind == 3:
            errors.text((*at, "value"), value, 100, 1)
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            errors.add((*at, "value"), "NUMBER_TYPE_COERCE", f'Value "{value}" is not a number.')


def check_autocomplete(data: Any, kind: int) -> None:
    """Check an autocomplete result for an option of type ``kind`` (3 string, 4 integer, 10 number)."""
    errors = FormErrors()
    choices: Any = (data or {}).get("choices")
    if errors.count(("data", "choices"), choices, 25):
        _check_choices(errors, ("data", "choices"), choices, kind)
    errors.raise_if_any()


# --- other objects -----------------------------------------------------------------------

def check_thread(payload: dict[str, Any]) -> None:
    errors = FormErrors()
    errors.text(("name",), payload.get("name"), 100, 1, required=True)
    if payload.get("auto_archive_duration") is not None:
        errors.choice(("auto_archive_duration",), payload["auto_archive_duration"], (60, 1440, 4320, 10080))
    if payload.get("rate_limit_per_user") is not None:
        errors.integer(("rate_limit_per_user",), payload["rate_limit_per_user"], 0, 21600)
    errors.raise_if_any()


def check_channel(payload: dict[str, Any]) -> None:
    errors = FormErrors()
    if "name" in payload:
        errors.text(("name",), payload["name"], 100, 1, required=True)
    errors.text(("topic",), payload.get("topic"), 4096 if payload.get("type") in (15, 16) else 1024)
    errors.raise_if_any()


def check_scheduled_event(payload: dict[str, Any], now: float, stored: dict[str, Any] | None = None) -> None:
    """Check a scheduled event; with ``stored`` a change to that event."""
    errors = FormErrors()
    merged = {**(stored or {}), **payload}
    errors.text(("name",), merged.get("name"), 100, 1, required=True)
    errors.text(("description",), merged.get("description"), 1000)
    errors.choice(("privacy_level",), merged.get("privacy_level"), (2,))
    if errors.choice(("entity_type",), merged.get("entity_type"), (1, 2, 3)):
        if merged["entity_type"] == 3:
            location = (merged.get("entity_metadata") or {}).get("location")
            errors.text(("entity_metadata", "location"), location, 100, 1, required=True)
            if not merged.get("scheduled_end_time"):
                errors.required(("scheduled_end_time",))
            if merged.get("channel_id"):
                errors.add(("channel_id",), "GUILD_SCHEDULED_EVENT_EXTERNAL_CHANNEL", "An external event has no channel")
        elif not merged.get("channel_id"):
            errors.required(("channel_id",))
    start = end = None
    if merged.get("scheduled_start_time") is None:
        errors.required(("scheduled_start_time",))
    else:
        start = check_timestamp(errors, ("scheduled_start_time",), merged["scheduled_start_time"])
    if merged.get("scheduled_end_time") is not None:
        end = check_timestamp(errors, ("scheduled_end_time",), merged["scheduled_end_time"])
    if start and "scheduled_start_time" in payload and start.timestamp() <= now:
        errors.add(("scheduled_start_time",), "GUILD_SCHEDULED_EVENT_SCHEDULE_PAST", "Cannot schedule event in the past.")
    if start and end and end <= start:
        errors.add(("scheduled_end_time",), "GUILD_SCHEDULED_EVENT_END_BEFORE_START", "Event cannot end before it starts.")
    if "status" in payload and stored is not None:
        moves = {1: (1, 2, 4), 2: (2, 3), 3: (3,), 4: (4,)}
        if payload["status"] not in moves[stored["status"]]:
            errors.add(("status",), "GUILD_SCHEDULED_EVENT_STATUS_INVALID", "That status change is not allowed.")
    errors.raise_if_any()
