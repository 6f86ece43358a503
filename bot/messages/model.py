"""What a message or a form says, never how it looks: the common ground of all platforms.

Blocks name what a thing *is*. Each adapter's `render.py` chooses the looks, escapes and cuts, and ends its
match with `assert_never`, so that the type checker finds every renderer that does not draw a new kind yet.
Budgets: 40 components and 4,000 characters (Discord), 50 blocks and 9,000 characters (Slack).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

# ---- inside a line ----


@dataclass(frozen=True, slots=True)
class Strong:
    """Words that stand out: a label, a chosen value."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Something to type or copy as it stands: a command, an id in a sentence, a receipt."""

    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A search hit inside the paper's own words."""

    text: str


@dataclass(frozen=True, slots=True)
class When:
    """An instant (aware UTC); platforms word it in each reader's own language and zone where they can.

    `moment` 'Fri 4 Dec, 17:00' · `date` 'Monday 7 December' · `relative` 'in 2 hours' · `time` '17:00:04'.
    """

    at: datetime
    style: Literal["moment", "date", "relative", "time"] = "moment"


@dataclass(frozen=True, slots=True)
class Link:
    """A web address (http or https only) behind words."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class ChannelRef:
    """A channel, linked as its platform does; `name` (may be empty) stands where it cannot be linked."""

    native_id: str
    name: str = ""


Inline = str | Strong | Code | Mark | When | Link | ChannelRef
Text = tuple[Inline, ...]
"""A line or sentence. Plain strings in it are literal: renderers escape them, they never hold markup."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A paper's title or its stand-in, cut for its place.

    A title: `stand_in` False, all of it in `name`. A stand-in: `name` is the work's own name (upright, may be
    empty), `rest` what follows it with its leading sign (italics); screen readers hear that it is a stand-in.
    """

    name: Text
    rest: Text = ()
    stand_in: bool = False


# ---- actions ----


@dataclass(frozen=True, slots=True)
class Button:
    """`id` holds the whole state, at most 100 characters, the same on every platform (`nominate:p57`)."""

    id: str
    label: str
    kind: Literal["first", "plain", "quiet", "warn"] = "plain"
    disabled: bool = False
    pressed: bool = False
    spoken: str = ""
    """What a screen reader hears after the label, such as the paper's id."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice of a menu or form. `number` is shown in front; `shown` is the label as a headline, if any."""

    value: str
    label: str
    note: str = ""
    chosen: bool = False
    number: int | None = None
    shown: Shown | None = None


@dataclass(frozen=True, slots=True)
class Menu:
    """Choose one of at most 25; the press is `id` with the option's value."""

    id: str
    label: str
    options: tuple[Option, ...]


# ---- blocks ----


@dataclass(frozen=True, slots=True)
class Kicker:
    """The line above a public message: what it is ('Today's paper'), and about when."""

    label: str
    note: Text = ()


@dataclass(frozen=True, slots=True)
class Heading:
    """`question` of a vote · `answer`, first line of a private answer · `section` inside a message."""

    text: Text
    level: Literal["question", "answer", "section"] = "answer"


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong, in one sentence, behind a sign."""

    text: Text


@dataclass(frozen=True, slots=True)
class Title:
    """The headline of the message's one paper."""

    shown: Shown


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The bot's own words; `muted` for second lines."""

    text: Text
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Why this: a label with its colon and a sentence, with its leading blank if any, set apart by rules."""

    label: str
    text: Text


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The paper's own words (plain text), an excerpt or a whole abstract."""

    text: Text


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper in a list: number, headline, second lines, an excerpt or what a member wrote, its buttons."""

    shown: Shown
    lines: tuple[Text, ...] = ()
    number: int | None = None
    excerpt: Text = ()
    quote: str = ""
    buttons: tuple[Button, ...] = ()
    paper: str = ""
    """The public id, `p57`, drawn small after the first line."""


@dataclass(frozen=True, slots=True)
class Entries:
    """A list of papers; the order means something when they are numbered.

    Where their buttons stand apart, a platform numbers those that have no number, the first of them with `start`.
    """

    items: tuple[Entry, ...]
    start: int = 1


@dataclass(frozen=True, slots=True)
class Bar:
    """`votes` of `total` for one candidate; `value` is the same as text ('3 of 5')."""

    label: Text
    votes: int
    total: int
    value: str
    won: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Totals side by side, highest first."""

    items: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Meter:
    """How much of a whole, with its sentence: turnout."""

    votes: int
    total: int
    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled value with an optional second line."""

    label: str
    value: Text
    note: Text = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """A few labelled values."""

    items: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Winner:
    """The paper a round chose, with the word for it ('Winner') and its lines; once a message."""

    label: str
    shown: Shown
    lines: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A boxed remark with a heading: how a tie was broken, what settings mean."""

    heading: str
    text: Text


@dataclass(frozen=True, slots=True)
class Steps:
    """Numbered sentences that can be checked by hand."""

    items: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Who beat whom, or other small cells: a row begins with its name, `head` names the columns after it.

    At most ten rows. `aside` are cells (row, column; the first column after the name is 0) that were set aside,
    `won` the row of the winner. `circle` are rows each of which beat the next, and the last the first; it can be
    drawn, where sentences beside the table tell it. `lines` say the same where a platform has no tables.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[Text, ...]
    caption: str = ""
    aside: frozenset[tuple[int, int]] = frozenset()
    won: int | None = None
    circle: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command as typed (`/paper search sinkhorn`) and what it does. Pressing it fills the composer."""

    command: str
    text: str


@dataclass(frozen=True, slots=True)
class Commands:
    """A group of commands under a heading."""

    heading: str
    items: tuple[CommandLine, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """An area or subarea with its number of papers. `id` is the press that opens it."""

    id: str
    label: str
    count: int
    spoken: str
    open: bool = False
    leaves: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """Areas by size; the open one shows its subareas."""

    items: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Try:
    """Numbered suggestions, most with a button: what to do first."""

    items: tuple[tuple[Text, Button | None], ...]


@dataclass(frozen=True, slots=True)
class Divider:
    """A pause between parts."""


@dataclass(frozen=True, slots=True)
class Small:
    """Small print. `paper` is a public id drawn in front of it."""

    text: Text
    paper: str = ""


@dataclass(frozen=True, slots=True)
class Actions:
    """Buttons and menus in a fixed order; `end` stands at the end of the row ('Page 2 of 2')."""

    items: tuple[Button | Menu, ...]
    end: str = ""


Block = (
    Kicker
    | Heading
    | Fault
    | Title
    | Paragraph
    | Reason
    | Excerpt
    | Entries
    | Bars
    | Meter
    | Facts
    | Winner
    | Note
    | Steps
    | Table
    | Commands
    | Tree
    | Try
    | Divider
    | Small
    | Actions
)


@dataclass(frozen=True, slots=True)
class File:
    """A small file that goes with a message: `name` in plain ASCII with its extension, at most 1 MB."""

    name: str
    data: bytes
    label: str
    """What it is, for those who cannot see it; at most 100 characters."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `summary` (plain, at most 100 characters) is the push line and what is read out first.

    `zone` (IANA) is the reader's, or the club's for a public message: what is said in words is said in it.
    `notify`: it calls the one role the club named in that channel, if it named one. `file` goes with it; where a
    platform cannot put one into a private answer, it goes into the person's private messages and the answer says so.
    """

    summary: str
    blocks: tuple[Block, ...]
    language: str = "en"
    zone: str = "UTC"
    notify: bool = False
    file: File | None = None


# ---- forms ----


@dataclass(frozen=True, slots=True)
class TextField:
    """A line, or several with `long`."""

    name: str
    label: str
    value: str = ""
    hint: str = ""
    fault: str = ""
    long: bool = False
    required: bool = True
    max_length: int = 300


@dataclass(frozen=True, slots=True)
class ChoiceField:
    """Choose one, or with `several` any number of `options` (at most 50).

    With `menu` one of them is chosen from a menu, however few they are. `none` is what 'nothing chosen' is called
    where it is not required and a platform cannot undo a choice otherwise; it comes back as ''.
    """

    name: str
    label: str
    options: tuple[Option, ...]
    several: bool = False
    hint: str = ""
    fault: str = ""
    required: bool = True
    menu: bool = False
    none: str = ""


@dataclass(frozen=True, slots=True)
class ChannelField:
    """Choose a channel of the platform; `value` is its native id."""

    name: str
    label: str
    value: str = ""
    hint: str = ""
    fault: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class RoleField:
    """Choose a role (Discord) or user group (Slack), or none; left out where the platform has none."""

    name: str
    label: str
    value: str = ""
    hint: str = ""
    fault: str = ""
    required: bool = False


Field = TextField | ChoiceField | ChannelField | RoleField


@dataclass(frozen=True, slots=True)
class Form:
    """At most five fields, labels at most 45 characters. `id` is the state of the submit, like a button's.

    `zone` (IANA) is the reader's, for an instant that has to be said in words.
    """

    id: str
    title: str
    submit: str
    fields: tuple[Field, ...]
    cancel: str = ""
    intro: Text = ()
    small: Text = ()
    language: str = "en"
    zone: str = "UTC"


# ---- what an adapter gets back ----


@dataclass(frozen=True, slots=True)
class Answer:
    """What to do after a command, press or submit.

    `private` message to the asker, `public` message to the channel, a `form` to open, or `redraw`: the
    message that was pressed is replaced where the asker alone sees it; a public one stays as it is and the
    answer is private. `also` follows as a second private message (such as a read-back).
    """

    kind: Literal["private", "public", "form", "redraw"]
    message: Message | None = None
    form: Form | None = None
    also: Message | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An autocomplete entry: `value` is taken, `label` is seen, `note` tells what it gives ('6 papers')."""

    value: str
    label: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads an answer. `zone` is IANA; `language` one of the complete catalogues; `now` aware UTC."""

    language: str
    zone: str
    now: datetime
    name: str = ""
    organiser: bool = False
    member: int | None = None
