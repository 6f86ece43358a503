"""The table of commands and actions that adapters, help, docs and manifests read. No sentence is built here:
`about` is an English message id that messages/words translates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from bot.clubs.model import LANGUAGE_NAMES

Who = Literal["anyone", "member", "organiser"]
Answers = Literal["private", "public", "form", "redraw"]
Kind = Literal["text", "paper", "topic", "date", "nomination", "member", "channel", "zone", "choice"]


def N_(message: str) -> str:
    """Marks a message id for extraction without translating it here."""
    return message


@dataclass(frozen=True, slots=True)
class Param:
    """One argument; the last text argument takes the rest of the line."""

    name: str
    kind: Kind
    about: str
    required: bool = True
    max_length: int = 300
    choices: tuple[str, ...] = ()
    verbatim: bool = False
    """Quotes mean something in it, so they stay where it is typed in a line."""


@dataclass(frozen=True, slots=True)
class Command:
    """`path` is what people type after the slash; `example` fits as it stands; `group` is its place in help."""

    path: str
    about: str
    group: Literal["read", "choose", "organise"]
    who: Who = "anyone"
    answers: Answers = "private"
    params: tuple[Param, ...] = ()
    example: str = ""
    setup: bool = True
    """Needs a club; the others answer from the shared shelf before set-up."""


@dataclass(frozen=True, slots=True)
class Action:
    """A button, menu or form by the first word of its id (`nominate` of `nominate:p57`)."""

    name: str
    answers: Answers = "private"
    who: Who = "anyone"
    needs: bool = False
    """Means nothing without what follows the colon."""


GROUPS = {
    "paper": N_("Find, propose and choose papers"),
    "club": N_("Run the club: times, votes, people"),
}
"""What the commands behind a first word are about, where a platform lists the words alone."""

_PAPER = Param("id", "paper", N_("A paper’s id, such as p57"))
_CODE = Param("code", "text", N_("The code shown on the other side"), required=False, max_length=20)

COMMANDS: tuple[Command, ...] = (
    Command("paper today", N_("the paper of the day again"), "read"),
    Command(
        "paper search",
        N_("words, “a phrase”, author:, topic:, title:"),
        "read",
        params=(Param("query", "text", N_("What to look for"), max_length=300, verbatim=True),),
        example="sinkhorn",
        setup=False,
    ),
    Command(
        "paper show",
        N_("one paper with its whole abstract"),
        "read",
        params=(_PAPER,),
        example="p57",
        setup=False,
    ),
    Command("paper topics", N_("browse by area"), "read", setup=False),
    Command(
        "paper random",
        N_("a surprise, from one topic if you like"),
        "read",
        params=(Param("topic", "topic", N_("An area or subarea"), required=False),),
        setup=False,
    ),
    Command(
        "paper similar", N_("papers close to this one"), "read", params=(_PAPER,), example="p57", setup=False
    ),
    Command("paper saved", N_("your own list"), "read"),
    Command(
        "paper nominate",
        N_("propose a paper, with a reason if you like"),
        "choose",
        "member",
        params=(
            Param("paper", "paper", N_("A paper’s id or a link to it")),
            Param("reason", "text", N_("Why the club should read it"), required=False, max_length=300),
        ),
        example="p57",
    ),
    Command("paper nominations", N_("what is proposed, and by whom"), "choose"),
    Command("paper vote", N_("your ballot; change it until closing"), "choose", "member", answers="form"),
    Command("paper results", N_("the last result and how it was counted"), "choose"),
    Command("paper history", N_("what the club has read"), "choose"),
    Command(
        "paper why",
        N_("why a paper was or was not posted"),
        "choose",
        params=(Param("day", "date", N_("A day, such as 2026-11-30"), required=False),),
    ),
    Command(
        "paper link",
        N_("one ballot for your accounts on both sides"),
        "choose",
        params=(_CODE,),
        setup=False,
    ),
    Command("paper me", N_("what is stored about you; take it or delete it"), "read", setup=False),
    Command("paper help", N_("this help"), "read", setup=False),
    Command(
        "club setup",
        N_("channel, zone, first paper"),
        "organise",
        answers="form",
        params=(
            Param("zone", "zone", N_("The club’s time zone, such as Europe/Berlin"), required=False),
            Param(
                "time", "text", N_("When the daily paper comes, such as 09:00"), required=False, max_length=5
            ),
            Param(
                "weekdays",
                "text",
                N_("On these days, such as mon,tue,wed,thu,fri"),
                required=False,
                max_length=40,
            ),
            Param(
                "language",
                "choice",
                N_("The language of public messages"),
                required=False,
                choices=tuple(LANGUAGE_NAMES),
            ),
            Param(
                "channel",
                "channel",
                N_("Where it stands; this channel if left out"),
                required=False,
                max_length=90,
            ),
            Param("name", "text", N_("The club’s name"), required=False, max_length=80),
        ),
        setup=False,
    ),
    Command("club settings", N_("times, days, the way of voting"), "organise", "organiser"),
    Command("club post now", N_("today’s paper at once"), "organise", "organiser"),
    Command("club undo", N_("take the last post back; asks first"), "organise", "organiser"),
    Command("club open vote", N_("start the vote before its time"), "organise", "organiser"),
    Command(
        "club close vote",
        N_("end it early; the reason is published"),
        "organise",
        "organiser",
        params=(Param("reason", "text", N_("Why it ends early"), max_length=300),),
        example="We met",
    ),
    Command(
        "club remove",
        N_("take a nomination off the list"),
        "organise",
        "organiser",
        params=(
            Param("paper", "nomination", N_("The nominated paper’s id")),
            Param("reason", "text", N_("Why it is removed"), required=False, max_length=300),
        ),
        example="p57",
    ),
    Command(
        "club pause",
        N_("no posts and no votes for a while"),
        "organise",
        "organiser",
        params=(
            Param(
                "until", "date", N_("The first day that is active again, such as 2026-12-31"), required=False
            ),
        ),
    ),
    Command("club resume", N_("end the pause"), "organise", "organiser"),
    Command(
        "club organisers",
        N_("who organises; name another or step down"),
        "organise",
        "organiser",
        params=(
            Param("change", "choice", N_("Add or remove"), required=False, choices=("add", "remove")),
            Param("member", "member", N_("A member"), required=False),
        ),
    ),
    Command(
        "club block",
        N_("a member may vote, but not nominate; ask again to undo"),
        "organise",
        "organiser",
        params=(Param("member", "member", N_("A member")),),
        example="@somebody",
    ),
    Command(
        "club link",
        N_("the same club in a second server or workspace"),
        "organise",
        params=(_CODE,),
        setup=False,
    ),
    Command("club delete", N_("end the club; asks first"), "organise", "organiser"),
    Command("club restore", N_("bring a deleted club back"), "organise", setup=False),
)

ACTIONS: tuple[Action, ...] = (
    Action("more", needs=True),  # more:p57 the whole abstract, private
    Action("show", "public", needs=True),  # show:p57 the card to the channel
    Action("nominate", who="member", needs=True),  # nominate:p57
    Action("nominate-form", "form", who="member"),
    Action("withdraw", who="member"),  # withdraw:12 a nomination
    Action("save", "redraw", who="member", needs=True),  # save:p57 toggles
    Action("similar", needs=True),  # similar:p57
    Action("search", "redraw"),  # search:2:QUERY or search:2:~KEY
    Action("find"),  # find:QUERY a new search
    Action("topics", "redraw"),  # topics, topics:AREA
    Action("random"),
    Action("today"),
    Action("home", "redraw"),  # home, home:7 one's own page of the club 7, home:other asks which
    Action("nominations", "redraw"),  # nominations:2 a page
    Action("saved", "redraw"),
    Action("history", "redraw"),
    Action("vote", "form", who="member"),  # vote:12 opens the ballot
    Action("mine"),  # mine:12 my ballot
    Action("retract", "redraw", who="member"),  # retract:12 my ballot
    Action("propose", who="member"),  # the submit of the form that nominate-form opens
    Action("ballot", who="member"),  # ballot:12, the submit of the form that vote:12 opens
    Action(
        "configure", who="organiser"
    ),  # configure:club, configure:daily, configure:vote: the submits of settings
    Action("how"),  # how:12
    Action("result"),  # result:12
    Action(
        "settings", "form", who="organiser"
    ),  # settings:club, settings:daily, settings:vote, settings:counting, settings:people
    Action("post", who="organiser"),  # post; post:2026-11-30:p57 what was seen, post:extra:3:p57:7 in club 7
    Action("setup", needs=True),  # setup:12, a club again from what was typed, once what was missing is there
    Action(
        "starter", needs=True
    ),  # starter:all, starter:none, starter:all:7 of club 7; starter:topics is a submit
    Action("starter-form", "form"),  # the topics to start with
    Action("wait"),  # for the first paper: when and where it comes
    Action("undo", who="organiser", needs=True),  # undo:2026-11-30:p57, undo:extra:3:p57 a post, confirmed
    Action("delete", who="organiser", needs=True),  # delete:12 a club, confirmed
    Action("restore", needs=True),  # restore:12 a deleted club
    Action("join", needs=True),  # join:CODE, this channel to a club, once the bot may write here
    Action("leaving", who="organiser"),  # the club’s channel here, asked first
    Action("leave", "redraw", who="organiser", needs=True),  # leave:3 a channel, confirmed
    Action("linked"),  # the code is entered on the other side: both accounts
    Action("link-yes", "redraw", who="member", needs=True),  # link-yes:12, both accounts are mine
    Action("link-no", "redraw", who="member", needs=True),
    Action("apart", who="member"),  # one’s own linked accounts, asked first
    Action("unlink", "redraw", who="member", needs=True),  # unlink:34 an account, confirmed
    Action("in", "redraw", needs=True),  # in:34:12, the request kept under 34, for the club 12
    Action("in-form", "form", needs=True),  # the same where it opens a form
    Action("sheet", needs=True),  # sheet:12, the tally sheet of a round as a file
    Action("decide", "form", who="organiser", needs=True),  # decide:12 a tie that waits for an organiser
    Action("decision", who="organiser", needs=True),  # decision:12, the submit of that form
    Action("remind", who="member", needs=True),  # remind:on, remind:off before a vote closes
    Action("me", "redraw"),  # what is stored about oneself
    Action("export"),  # the same as a file
    Action("forgetting"),  # deleting oneself, asked first
    Action("forget", "redraw"),  # confirmed
    Action("unblock", who="organiser", needs=True),  # unblock:34 a member
    Action("help"),
    Action("open", "form", needs=True),  # open:paper vote, a command’s form that took too long to open
    Action("reopen", "form", needs=True),  # reopen:12, a form whose values could not be taken, filled in
)

_BY_PATH = {command.path: command for command in COMMANDS}
_BY_NAME = {action.name: action for action in ACTIONS}


def find_command(path: str) -> Command | None:
    """The command of this path ('paper search'), if there is one."""
    return _BY_PATH.get(path)


def find_action(action_id: str) -> Action | None:
    """The action behind a button, menu or form id, by its first word."""
    return _BY_NAME.get(action_id.partition(":")[0])


_LIKE = 0.5
_COMPARED = 40
"""Signs of a typed word that are compared: no command is longer, and the time taken grows with their square."""


def nearest_commands(words: Sequence[str]) -> tuple[Command, ...]:
    """Up to three commands that look or end like what was typed ('serach', 'search', 'papers search')."""
    words = [word[:_COMPARED].casefold() for word in words[:3]]
    typed = " ".join(words)
    if not typed:
        return ()

    def likeness(command: Command) -> float:
        tail = command.path.split(" ", 1)[1]
        pairs = [(typed, command.path), (words[0], tail)]
        if len(words) > 1:
            pairs += [(" ".join(words[:2]), command.path), (words[1], tail)]
        return max(SequenceMatcher(None, ours, theirs).ratio() for ours, theirs in pairs)

    ranked = sorted(COMMANDS, key=lambda command: -likeness(command))
    best = likeness(ranked[0])
    return tuple(command for command in ranked[:3] if likeness(command) >= max(_LIKE, best - 0.15))
