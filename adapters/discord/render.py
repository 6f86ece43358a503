"""A message as Discord's Components V2: one container in the club's colour. Pure: equal values, equal payloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from adapters.discord import controls
from adapters.discord.fit import FILE, SECTION, SEPARATOR, TEXT, Native, fits, fitted
from adapters.discord.marks import begun, escape, headline, inline, line, strong, typed
from bot.commands import COMMANDS
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Bar,
    Bars,
    Block,
    Button,
    CommandLine,
    Commands,
    Divider,
    Entries,
    Entry,
    Excerpt,
    Fact,
    Facts,
    Fault,
    File,
    Heading,
    Kicker,
    Message,
    Meter,
    Note,
    Paragraph,
    Reason,
    Small,
    Steps,
    Table,
    Text,
    Title,
    Tree,
    Try,
    When,
    Winner,
)
from bot.messages.pages.native import club_time_line, listed_line, noted_line, won_line

ACCENT = 0x14584A
_CONTAINER = 17
_LABEL = 1_024
_V2, _PRIVATE = 1 << 15, 1 << 6
_SIGN = "▲"
"""Before what went wrong."""
_FULL, _EMPTY = "█", "░"
_MOST_CELLS = 12
"""Up to so many voters a bar has a cell for each ballot."""
_HEADINGS = {"question": "## ", "answer": "### "}
_PATHS = frozenset(command.path for command in COMMANDS)
_RULED = {
    Bars: (Winner,),
    Excerpt: (Title, Paragraph, Reason),
    Entries: (Facts,),
}
"""What a rule parts from what stands before it."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What drawing a block needs to know of its message. `seen` holds the ids drawn so far."""

    language: str
    zone: str
    commands: Mapping[str, str]
    said: frozenset[str]
    seen: set[str] = field(default_factory=set)


def payload(
    message: Message,
    *,
    private: bool = False,
    nonce: str = "",
    code: str = "",
    role: str = "",
    commands: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What a send or edit takes. Nobody is called but `role`, a native id, which is then named in the message.

    `nonce` has at most 25 signs. `code` is the last word of the small print, for finding the message again.
    """
    mentions: dict[str, Any] = {"parse": []}
    if role:
        mentions["roles"] = [role]
    sent: dict[str, Any] = {
        "flags": _V2 | _PRIVATE if private else _V2,
        "allowed_mentions": mentions,
        "components": components(message, commands=commands or {}, code=code, role=role),
    }
    if message.file:  # its bytes travel beside this
        label = cut(message.file.label, _LABEL)
        sent["attachments"] = [{"id": 0, "filename": message.file.name, "description": label}]
    if nonce:
        sent |= {"nonce": nonce, "enforce_nonce": True}
    return sent


def components(
    message: Message, *, commands: Mapping[str, str] | None = None, code: str = "", role: str = ""
) -> list[dict[str, Any]]:
    """The message in one container. `commands` are the ids Discord gave them, by first word ('paper')."""

    def draw(message: Message) -> list[Native]:
        return _drawn(message, commands or {}, code, role)

    children = draw(message)
    if not fits(children):
        children = fitted(message, draw, code)
    return [{"type": _CONTAINER, "accent_color": ACCENT, "components": children}]


def _drawn(message: Message, commands: Mapping[str, str], code: str, role: str) -> list[Native]:
    look = _Look(message.language, message.zone, commands, _facts_said(message))
    last_small = max((n for n, block in enumerate(message.blocks) if isinstance(block, Small)), default=-1)
    children: list[Native] = []
    file = [_file(message.file)] if message.file else []
    first: Block | None = None
    before: Block | None = None
    for number, block in enumerate(message.blocks):
        parts = (
            _small(block, code) if isinstance(block, Small) and number == last_small else _block(block, look)
        )
        if number == last_small:
            parts, file = [*file, *parts], []
        if not parts:
            continue
        if children and _is_ruled(before, block) and children[-1]["type"] != SEPARATOR:
            children.append(_rule())
        if children and _goes_on(before, block):
            children[-1]["content"] += f"\n{parts[0]['content']}"
            parts = parts[1:]
        children += parts
        first, before = first or block, block
    children += file
    if code and last_small < 0:
        children += _small(Small(()), code)
    if role:
        called = f"<@&{role}>"
        if isinstance(first, Kicker):
            children[0]["content"] += f" · {called}"
        else:
            children.insert(0, _text(called))
    return children or [_text(escape(message.summary).strip() or "…")]


def _block(block: Block, look: _Look) -> list[Native]:
    match block:
        case Kicker(label, note):
            return _texts(begun(" · ".join(filter(None, (strong(escape(label)), inline(note))))))
        case Heading(text, level):
            if level == "section":
                return _texts(strong(inline(text, bold=True)))
            return _texts(line(text), _HEADINGS[level])
        case Fault(text):
            return _texts(line(text), f"### {_SIGN} ")
        case Title(shown):
            return _texts(headline(shown), "## ")
        case Paragraph(text):
            return _texts(line(text))
        case Reason(label, text):
            return _texts(_labelled(label, text))
        case Excerpt(text):
            return _texts(line(text), "> ")
        case Entries(items):
            return [part for item in items for part in _entry(item, look)]
        case Bars(items):
            return _texts("\n".join(_bar(item, look) for item in items))
        case Meter(_, _, text):
            return [] if text in look.said else _texts(begun(escape(text)))
        case Facts(items):
            return _texts("\n".join(_fact(item, look) for item in items))
        case Winner():
            return _winner(block)
        case Note(heading, text):
            return _texts("\n".join(filter(None, (strong(escape(heading)), line(text)))))
        case Steps(items):
            return _texts("\n".join(f"{number}\\. {inline(item)}" for number, item in enumerate(items, 1)))
        case Table(lines=lines):
            return _texts("\n".join(line(item) for item in lines))
        case Commands(heading, items):
            return _texts("\n".join((strong(escape(heading)), *(_command(item, look) for item in items))))
        case Tree():
            return controls.tree(block, look.seen)
        case Try(items):
            return [
                part
                for number, (text, button) in enumerate(items, 1)
                for part in _beside(f"**{number}** · {inline(text)}", (button,) if button else (), look)
            ]
        case Divider():
            return [_rule()]
        case Small():
            return _small(block, "")
        case Actions(items, end):
            rows = controls.rows(block, look.seen)
            return rows + (_texts(escape(end), "-# ") if len(items) != 2 else [])
    assert_never(block)


def _entry(entry: Entry, look: _Look) -> list[Native]:
    number = "" if entry.number is None else f"**{entry.number}** · "
    seconds = [inline(text) for text in entry.lines] or [""]
    if entry.paper:
        seconds[0] = " · ".join(filter(None, (seconds[0], escape(entry.paper))))
    lines = [
        f"{number}{headline(entry.shown)}",
        *(f"-# {begun(second)}" for second in seconds if second.strip()),
    ]
    lines += [f"> {said}" for said in (line(entry.excerpt), begun(escape(entry.quote))) if said.strip()]
    return _beside("\n".join(filter(None, lines)), entry.buttons, look)


def _beside(written: str, buttons: tuple[Button, ...], look: _Look) -> list[Native]:
    """A text with its one button beside it; several stand below."""
    if len(buttons) != 1 or not written.strip():
        return [*_texts(written), *controls.rows(Actions(buttons), look.seen)]
    button = controls.button(buttons[0], look.seen)
    if button is None:
        return _texts(written)
    return [{"type": SECTION, "components": [_text(written)], "accessory": button}]


def _bar(bar: Bar, look: _Look) -> str:
    cells = bar.total if 0 < bar.total <= _MOST_CELLS else 10
    full = min(max(round(cells * bar.votes / bar.total), 0), cells) if bar.total > 0 else 0
    picture = f"`{_FULL * full}{_EMPTY * (cells - full)}`"
    value = escape(bar.value)
    if bar.won:
        value = listed_line(look.language, f"**{value}**", won_line(look.language))
    return f"{strong(inline(bar.label, bold=True))}\n{picture} {value}"


def _fact(fact: Fact, look: _Look) -> str:
    """A moment is said in the club's own time too."""
    said = f"{strong(escape(fact.label))} {inline(fact.value)}"
    if fact.note:
        said = noted_line(look.language, said, inline(fact.note))
    match fact.value:
        case (When(at, "moment"),):
            said = listed_line(look.language, said, escape(club_time_line(look.language, at, look.zone)))
    return begun(said)


def _winner(winner: Winner) -> list[Native]:
    """The first line as a line, the others small."""
    first, *others = (winner.lines[0], *winner.lines[1:]) if len(winner.lines) > 1 else ((), *winner.lines)
    lines = [line(first), *(f"-# {line(other)}" for other in others if other)]
    label = strong(escape(winner.label))
    return [
        *_texts("\n".join(filter(None, (label, f"## {headline(winner.shown)}")))),
        *_texts("\n".join(filter(None, lines))),
    ]


def _command(item: CommandLine, look: _Look) -> str:
    """A mention that fills the composer where the command's id is known, else the command as typed."""
    path = item.command.removeprefix("/")
    while path and path not in _PATHS:
        path = path.rpartition(" ")[0]
    native = look.commands.get(path.partition(" ")[0])
    shown = f"</{path}:{native}>" if path and native else typed(item.command)
    return begun(f"{shown}  {escape(item.text)}".rstrip())


def _labelled(label: str, text: Text) -> str:
    said = inline(text)
    blank = "" if not said or said[0].isspace() or label.endswith("：") else " "
    return begun(f"{strong(escape(label))}{blank}{said}")


def _small(small: Small, code: str) -> list[Native]:
    said = " · ".join(filter(None, (escape(small.paper), inline(small.text), escape(code))))
    return _texts(begun(said), "-# ")


def _facts_said(message: Message) -> frozenset[str]:
    """What facts say, so that a meter need not repeat it."""
    return frozenset(
        part
        for block in message.blocks
        if isinstance(block, Facts)
        for fact in block.items
        for part in fact.value
        if isinstance(part, str)
    )


def _file(file: File) -> Native:
    return {"type": FILE, "file": {"url": f"attachment://{file.name}"}}


def _is_ruled(before: Block | None, block: Block) -> bool:
    return isinstance(block, Commands) or isinstance(before, _RULED.get(type(block), ()))


def _goes_on(before: Block | None, block: Block) -> bool:
    """Whether a block stands right below the one before it, in the same text."""
    if not isinstance(block, Paragraph | Facts):
        return False
    if isinstance(before, Heading):
        return before.level != "question"
    return isinstance(before, Paragraph) and isinstance(block, Paragraph)


def _texts(written: str, sign: str = "") -> list[Native]:
    """A text behind the sign of its line; none where there is nothing to say."""
    return [_text(sign + written)] if written.strip() else []


def _text(written: str) -> Native:
    return {"type": TEXT, "content": written}


def _rule() -> Native:
    return {"type": SEPARATOR, "divider": True, "spacing": 1}
