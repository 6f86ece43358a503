"""A message as Slack's Block Kit. Pure: equal values, equal payloads.

What people wrote, and the papers' own words, stand in rich_text and plain_text; nothing in blocks is mrkdwn.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, assert_never

from adapters.slack import controls
from adapters.slack.fit import PART, QUOTE, fitted
from adapters.slack.marks import (
    PLAIN,
    Look,
    Prefixes,
    clean,
    command,
    cut_elements,
    elements,
    escape,
    headline,
    joined,
    named,
    plain,
    styled,
)
from adapters.slack.shapes import SECTION, context, go_on, header, lines, part, rich, section, table
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Bar,
    Bars,
    Block,
    Button,
    Commands,
    Divider,
    Entries,
    Entry,
    Excerpt,
    Fact,
    Facts,
    Fault,
    Heading,
    Kicker,
    Menu,
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
from bot.messages.pages.native import (
    club_time_line,
    headed_line,
    listed_line,
    noted_line,
    read_line,
    won_line,
)

Native = dict[str, Any]

_SUMMARY, _IN_A_VIEW, _BEFORE_A_CALL = 1_000, 100, 300
_SIGN = "▲ "
"""Before what went wrong."""
_FULL, _EMPTY = "█", "░"
_HERE = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Where elements stand in words of ours."""
_MOST_CELLS = 12
"""Up to so many voters a bar has a cell for each ballot."""
_GROUP = re.compile(r"S[A-Z0-9]+")
_RULE: Native = {"type": "divider"}
_RULED = {Bars: (Winner,), Entries: (Facts,)}
"""What a rule parts from what stands before it."""
_ONE_TEXT = (Paragraph, Reason, Excerpt)
"""What stands together in one block where it follows each other."""


def payload(message: Message, *, group: str = "", prefix: Prefixes = PLAIN) -> Native:
    """What `chat.postMessage`, `chat.update` and a response take.

    `group` is the user group called where the message says `notify`; nobody else ever is. `prefix` stands before
    the first word of commands.
    """
    look = Look(message.language, message.zone, prefix)
    text = escape(cut(named(" ".join(message.summary.split()), look), _SUMMARY)) or "…"
    called = f"<!subteam^{group}> " if message.notify and _GROUP.fullmatch(group) else ""
    return {
        "text": called + text,
        "blocks": blocks(message, group=group, prefix=prefix),
        "unfurl_links": False,
        "unfurl_media": False,
    }


def home_view(*messages: Message, prefix: Prefixes = PLAIN) -> Native:
    """The messages one below the other as somebody's App Home."""
    parts: list[Native] = []
    for message in messages:
        parts += [_RULE] if parts else []
        parts += blocks(message, prefix=prefix, in_view=True)
    return {"type": "home", "blocks": parts[:_IN_A_VIEW]}


def blocks(
    message: Message, *, group: str = "", prefix: Prefixes = PLAIN, in_view: bool = False
) -> list[Native]:
    """The blocks of a message, never none. Slack draws tables in messages only, not `in_view`, and one in each."""
    look = Look(message.language, message.zone, prefix, _facts_said(message))
    is_vote = any(isinstance(block, Heading) and block.level == "question" for block in message.blocks)
    is_help = any(isinstance(block, Commands) for block in message.blocks)
    page = _Page(look, is_vote, may_table=not in_view)
    for block in message.blocks:
        if is_help and isinstance(block, Heading) and block.level == "answer":
            block = replace(block, level="question")
        page.add(block)
    drawn = page.finished()
    if message.notify and _GROUP.fullmatch(group):
        if isinstance(page.first, Kicker):
            line = drawn[0]["elements"][0]
            line["elements"] = [
                *cut_elements(line["elements"], _BEFORE_A_CALL),
                *styled(" · "),
                *_called(group),
            ]
        else:
            drawn = section(_called(group)) + drawn
    return fitted(drawn) or section(styled(clean(message.summary).strip() or "…"))


class _Page:
    """The blocks drawn so far. In a vote, which has a question, the papers' buttons are one menu of the actions."""

    def __init__(self, look: Look, is_vote: bool, may_table: bool) -> None:
        self._look = look
        self._is_vote = is_vote
        self._may_table = may_table
        self._menu: Native | None = None
        self._end = ""
        self._before: Block | None = None
        self.first: Block | None = None
        self.blocks: list[Native] = []

    def add(self, block: Block) -> None:
        """Draw one more."""
        parts = self._parts(block)
        if not parts:
            return
        if self.blocks and self._is_ruled(block) and self.blocks[-1] != _RULE:
            self.blocks.append(_RULE)
        if self.blocks and self._goes_on(block):
            go_on(self.blocks[-1], parts[0], in_line=not isinstance(block, Reason | Excerpt))
        else:
            self.blocks += parts
        self.first, self._before = self.first or block, block

    def finished(self) -> list[Native]:
        """All blocks, with what was kept for a later one that did not come."""
        return self.blocks + controls.rows([self._menu]) + context(self._end)

    def _parts(self, block: Block) -> list[Native]:
        look = self._look
        match block:
            case Kicker(label, note):
                said = elements(note, look)
                dot = styled(" · ") if label.strip() and said else []
                return section([*styled(clean(label), "bold"), *dot, *said])
            case Heading(text, "question"):
                return header(plain(text, look))
            case Heading(text, _):
                return section(elements(text, look, "bold"))
            case Fault(text):
                return section(elements((_SIGN, *text), look, "bold"))
            case Title(shown):
                return header(plain(shown.name + shown.rest, look.verbatim))
            case Paragraph(text):
                return section(elements(text, look))
            case Reason(label, text):
                return section(_labelled(label, text, look.verbatim))
            case Excerpt(text):
                return rich(part(QUOTE, elements(text, look.verbatim)))
            case Entries():
                return self._entries(block)
            case Bars(items):
                return section(lines(_bar(item, look) for item in items))
            case Meter(_, _, text):
                return [] if text in look.said else section(styled(clean(text)))
            case Facts(items):
                return section(lines(_fact(item, look) for item in items))
            case Winner():
                return _winner(block, look)
            case Note(heading, text):
                story = elements(text, look, short=True)
                return section(lines((styled(clean(heading), "bold"), story)))
            case Steps(items):
                steps = [step for item in items for step in part(SECTION, elements(item, look))]
                return rich(
                    [{"type": "rich_text_list", "style": "ordered", "elements": steps}] if steps else []
                )
            case Table():
                return self._table(block)
            case Commands():
                return section(_commands(block, look))
            case Tree():
                return controls.tree(block, look)
            case Try(items):
                return [_try(number, *item, look) for number, item in enumerate(items, 1)]
            case Divider():
                return [_RULE]
            case Small(text, paper):
                end, self._end = self._end, ""
                return context(end, " · ".join(filter(None, (paper, plain(text, look)))))
            case Actions():
                return self._actions(block)
        assert_never(block)

    def _entries(self, block: Entries) -> list[Native]:
        entries = _numbered(block)
        drawn = [each for entry in entries for each in _entry(entry, self._look)]
        if self._is_vote:
            self._menu = controls.one_menu(entries, read_line(self._look.language), self._look)
        return drawn if self._menu else drawn + controls.of_entries(entries)

    def _actions(self, block: Actions) -> list[Native]:
        """The row; what stands at its end is said in the small print below."""
        end, self._end = self._end, block.end
        drawn = [
            controls.menu(item, self._look) if isinstance(item, Menu) else controls.button(item)
            for item in block.items
        ]
        drawn.append(self._menu)
        self._menu = None
        return context(end) + controls.rows(drawn)

    def _table(self, block: Table) -> list[Native]:
        if not self._may_table:
            return section(lines(elements(item, self._look) for item in block.lines))
        self._may_table = False
        return table(block)

    def _is_ruled(self, block: Block) -> bool:
        return isinstance(block, Commands) or isinstance(self._before, _RULED.get(type(block), ()))

    def _goes_on(self, block: Block) -> bool:
        """Whether a block stands right below the one before it, in the same rich_text."""
        if isinstance(self._before, Heading):
            return self._before.level != "question" and isinstance(block, Paragraph | Facts)
        return isinstance(self._before, _ONE_TEXT) and isinstance(block, _ONE_TEXT)


def _numbered(block: Entries) -> tuple[Entry, ...]:
    """The entries, each with a number by which its button, which stands apart, can be told."""
    if len(block.items) < 2 or not any(item.buttons for item in block.items):
        return block.items
    return tuple(
        item if item.number is not None else replace(item, number=number)
        for number, item in enumerate(block.items, block.start)
    )


def _entry(entry: Entry, look: Look) -> list[Native]:
    number = "" if entry.number is None else f"{entry.number}  "
    seconds = [elements(text, look) for text in entry.lines] or [[]]
    if entry.paper:
        dot = " · " if seconds[0] else ""
        seconds[0] = [*seconds[0], *styled(f"{dot}{clean(entry.paper)}")]
    head = [*styled(number), *headline(entry.shown, look)]
    below = lines(seconds)
    said = lines((head, below))
    said = joined([*said, *styled("\n")]) if below else said
    quoted = lines((elements(entry.excerpt, look.verbatim), styled(clean(entry.quote))))
    return rich(part(SECTION, said) + part(QUOTE, quoted))


def _bar(bar: Bar, look: Look) -> list[Native]:
    cells = bar.total if 0 < bar.total <= _MOST_CELLS else 10
    full = min(max(round(cells * bar.votes / bar.total), 0), cells) if bar.total > 0 else 0
    picture = styled(_FULL * full + _EMPTY * (cells - full), "code")
    value = f" {clean(bar.value)}"
    if bar.won:
        value = listed_line(look.language, value, won_line(look.language))
    number = styled(value, "bold") if bar.won else styled(value)
    return lines((elements(bar.label, look, "bold"), [*picture, *number]))


def _fact(fact: Fact, look: Look) -> list[Native]:
    """A moment is said in the club's own time too, and how far it is off is left to the reader."""
    said = [*styled(f"{clean(fact.label)} ", "bold"), *elements(fact.value, look)]
    match fact.note:
        case () | (When(_, "relative"),):
            pass
        case note:
            before, _, after = noted_line(look.language, "", _HERE).partition(_HERE)
            said += [*styled(before), *elements(note, look), *styled(after)]
    match fact.value:
        case (When(at, "moment"),):
            said += styled(listed_line(look.language, "", club_time_line(look.language, at, look.zone)))
    return said


def _winner(winner: Winner, look: Look) -> list[Native]:
    name = plain(winner.shown.name + winner.shown.rest, look.verbatim)
    first = headed_line(look.language, winner.label, name) if name and winner.label.strip() else name
    return header(first) + section(lines(elements(line, look) for line in winner.lines))


def _commands(block: Commands, look: Look) -> list[Native]:
    listed = (
        [*styled(clean(command(item.command, look)), "code"), *styled(f"  {clean(item.text)}".rstrip())]
        for item in block.items
    )
    return lines((styled(clean(block.heading), "bold"), *listed))


def _try(number: int, text: Text, item: Button | None, look: Look) -> Native:
    """A suggestion with its button beside it, if there is one."""
    native: Native = {"type": "section", "text": controls.words(f"{number} · {plain(text, look)}", PART)}
    drawn = controls.button(item) if item else None
    return native | {"accessory": drawn} if drawn else native


def _labelled(label: str, text: Text, look: Look) -> list[Native]:
    """A label in bold, with the blank behind it."""
    said = elements(text, look)
    if said and "text" in said[0]:
        said[0] = said[0] | {"text": said[0]["text"].lstrip()}
    blank = "" if label.endswith("：") else " "
    return [
        *styled(f"{clean(label).rstrip()}{blank}", "bold"),
        *(part for part in said if part.get("text", True)),
    ]


def _called(group: str) -> list[Native]:
    return [{"type": "usergroup", "usergroup_id": group}]


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
