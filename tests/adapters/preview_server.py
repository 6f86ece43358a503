"""Serves the preview with a stand-in for the club: `preview_server.py PORT DATABASE`, until SIGTERM."""

import asyncio
import signal
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from adapters.preview import listening, open_preview, serve
from bot.messages.model import (
    Actions,
    Answer,
    Bar,
    Bars,
    Branch,
    Button,
    ChoiceField,
    Code,
    CommandLine,
    Commands,
    Entries,
    Entry,
    Excerpt,
    Fact,
    Facts,
    Fault,
    Form,
    Heading,
    Kicker,
    Mark,
    Menu,
    Message,
    Meter,
    Note,
    Option,
    Paragraph,
    Reason,
    Shown,
    Small,
    Steps,
    Strong,
    Suggestion,
    TextField,
    Title,
    Tree,
    When,
    Winner,
)
from bot.messages.pages.preview import three_things_page
from bot.storage.sqlite import open_sqlite

MORNING = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
WIKI = Shown(
    (), ("A framework for the impact of Large Language Models (LLMs) on an online encyclopedia",), True
)
FLASH = Shown(("FlashSinkhorn",), (", an IO-aware EOT solver for squared Euclidean cost",), True)
EVIL = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"


@dataclass(frozen=True)
class Step:
    key: str
    label: str
    state: str
    state_label: str
    when: str


@dataclass(frozen=True)
class Week:
    steps: tuple[Step, ...]
    next_event: datetime | None
    next_label: str
    club_name: str = "Demo"
    zone: str = "Europe/Berlin"
    language: str = "en"
    opening: datetime | None = MORNING + timedelta(days=3)


def daily() -> Message:
    return Message(
        "Today’s paper",
        (
            Kicker("Today’s paper", ("Monday 30 November",)),
            Title(WIKI),
            Paragraph((Strong("Social Aspects · Safety"),)),
            Paragraph(("First Author, Second Author, Third Author",), muted=True),
            Reason("Why this paper:", ("areas take turns, and it is the turn of Social Aspects · Safety.",)),
            Excerpt(
                (
                    "We begin by analyzing article content and page views to study the recent changes "
                    "and assess the impact of LLMs. Subsequently, we evaluate various tasks …",
                )
            ),
            Actions(
                (
                    Button("more:p57", "Read more", "first"),
                    Button("nominate:p57", "Nominate"),
                    Button("save:p57", "Save"),
                    Button("similar:p57", "Similar"),
                )
            ),
            Small(("The listing gives no title; the headline is taken from the abstract.",), paper="p57"),
        ),
    )


def hits(page: int) -> Message:
    found = Shown(("The ", Mark("Sinkhorn"), " treatment effect"), (", a measure of divergence",), True)
    items = tuple(
        Entry(
            shown,
            (("General Machine Learning · Causality · First Author and 5 more",),),
            paper=paper,
            excerpt=("Entropic optimal transport via ", Mark("Sinkhorn"), " iterations is widely used."),
            buttons=(Button(f"more:{paper}", "Read", spoken=paper),),
        )
        for shown, paper in ((FLASH, "p44"), (found, "p7"))
    )
    return Message(
        f"2 papers, page {page}",
        (
            Heading((f"2 papers for “sinkhorn”, page {page}",)),
            Entries(items),
            Actions(
                (
                    Button("search:1:sinkhorn", "Previous", disabled=page == 1),
                    Button("search:2:sinkhorn", "Next", disabled=page == 2),
                    Menu(
                        "topics", "Topics", (Option("a", "Theory", "7 papers"), Option("b", "Optimization"))
                    ),
                ),
                end=f"Page {page} of 2",
            ),
            Small(("Headlines in italics are taken from the abstracts; this listing gives no titles.",)),
        ),
    )


def poll(voted: int, at: datetime) -> Message:
    entries = tuple(
        Entry(
            shown,
            (("Social Aspects · Safety",), (f"nominated by Member {number}",)),
            number=number,
            quote="I would like to present it.",
            buttons=(Button("more:p44", "Read", "quiet", spoken="p44"),),
        )
        for number, shown in enumerate((FLASH, WIKI), 1)
    )
    closes = at + timedelta(days=1, hours=8)
    return Message(
        "Vote open",
        (
            Kicker("Vote open", ("for the meeting on ", When(closes + timedelta(days=3), "date"))),
            Heading(("Which of these would you read?",), "question"),
            Facts(
                (
                    Fact("Closes", (When(closes),), (When(closes, "relative"),)),
                    Fact("Turnout", (f"{voted} of 5 members have voted",)),
                )
            ),
            Meter(voted, 5, f"{voted} of 5 members have voted"),
            Entries(entries),
            Actions((Button("vote:1", "Vote / change my vote", "first"), Button("mine:1", "My ballot"))),
            Small(("Tick as many papers as you like.",)),
        ),
    )


def result() -> Message:
    return Message(
        "Result",
        (
            Kicker("Result", ("for the meeting on Monday 7 December",)),
            Winner("Winner", FLASH, (("First Author and 3 more",), ("General Machine Learning",))),
            Bars(
                (
                    Bar((Strong("FlashSinkhorn"),), 3, 5, "3 of 5 won", True),
                    Bar(("First et al.",), 3, 5, "3 of 5"),
                    Bar(("DisPOSE",), 1, 5, "1 of 5"),
                )
            ),
            Note("A tie, broken by age", ("Both have 3 of 5. FlashSinkhorn was nominated first.",)),
            Facts((Fact("Turnout", ("5 of 5 members",)), Fact("Margin", ("none, decided by the tie rule",)))),
            Steps((("Every tick counts one.",), ("Most ticks win.",))),
            Actions((Button("how:1", "How this was counted"), Button("mine:1", "My ballot"))),
        ),
    )


def ballot(fault: str = "") -> Form:
    options = (
        Option("1", "FlashSinkhorn", "General Machine Learning", False, 1, FLASH),
        Option("2", "Wiki", "Social Aspects · Safety", True, 2, WIKI),
    )
    return Form(
        "ballot:1",
        "Your ballot: which would you read?",
        "Count my ballot",
        (ChoiceField("papers", "Papers", options, True, fault=fault, required=False),),
        "Cancel",
        ("Tick as many as you like.",),
        ("No member sees your ballot.",),
    )


def settings(time: str = "09:00", fault: str = "") -> Form:
    days = tuple(
        Option(day, day.title(), chosen=day not in ("sat", "sun"))
        for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    )
    return Form(
        "settings-form:daily",
        "Daily paper",
        "Save settings",
        (
            TextField("time", "Time", time, "24-hour clock", fault, max_length=5),
            ChoiceField(
                "order", "Which paper", (Option("turn", "Areas take turns"), Option("new", "Newest first"))
            ),
            ChoiceField("days", "On these days", days, True),
            TextField("note", "A note", "", long=True, required=False),
        ),
        "Cancel",
    )


class FakeGroup:
    """Answers like a club would, from fixed pages."""

    def __init__(self) -> None:
        self.preview = None
        self.voted: set[str] = set()

    async def command(self, asker, path, args, now):
        match path:
            case "paper search" if args["query"] == "evil":
                evil = Shown((EVIL,))
                return Answer(
                    "private", Message(EVIL[:90], (Heading((EVIL,)), Entries((Entry(evil, quote=EVIL),))))
                )
            case "paper search":
                return Answer("private", hits(1))
            case "paper vote":
                return Answer("form", form=ballot())
            case "club settings":
                return Answer("form", form=settings())
            case "paper topics":
                leaves = (
                    Branch("topics:x", "Privacy", 6, "6 papers"),
                    Branch("topics:y", "Safety", 1, "1 paper"),
                )
                return Answer(
                    "private",
                    Message(
                        "79 papers",
                        (
                            Heading(("79 papers in 9 areas",)),
                            Paragraph(("Open an area, then a subarea to see its papers.",), muted=True),
                            Tree(
                                (
                                    Branch("topics:a", "Deep Learning", 23, "23 papers"),
                                    Branch("topics:b", "Social Aspects", 17, "17 papers", True, leaves),
                                )
                            ),
                            Actions((Button("random", "A random paper"),)),
                        ),
                    ),
                )
            case "paper help":
                return Answer(
                    "private",
                    Message(
                        "Help",
                        (
                            Heading(("What Paperclub can do",)),
                            Paragraph(("A paper every weekday at 09:00.",), muted=True),
                            Commands(
                                "Find and read",
                                (
                                    CommandLine("/paper search sinkhorn", "words, “a phrase”, author:"),
                                    CommandLine("/paper topics", "browse by area"),
                                ),
                            ),
                        ),
                    ),
                )
            case "paper show":
                return Answer(
                    "private",
                    Message(
                        "No such paper",
                        (
                            Fault(("There is no paper p571.",)),
                            Paragraph(("Did you mean ", Code("p57"), "?")),
                            Actions((Button("more:p57", "Show p57"),)),
                        ),
                    ),
                )
        return Answer("private", Message(path, (Heading((f"Answer to {path}",)),)))

    async def press(self, asker, action_id, now):
        if action_id.startswith("search:"):
            return Answer("redraw", hits(int(action_id.split(":")[1])))
        if action_id == "vote:1":
            return Answer("form", form=ballot())
        await asyncio.sleep(0.15)
        return Answer("private", Message(action_id, (Heading((f"You pressed {action_id}",)),)))

    async def submit(self, asker, form_id, values, now):
        if form_id.startswith("settings") and values["time"] != "10:00":
            return Answer("form", form=settings(values["time"], "Write a time such as 10:00."))
        self.voted.add(asker.account.user_id)
        return Answer("private", Message("Counted.", (Heading((f"Counted. {values}",)),)))

    async def suggest(self, asker, path, param, text, now):
        return [
            Suggestion("topic:privacy", "Social Aspects · Privacy", "6 papers"),
            Suggestion(
                'topic:"privacy-preserving"', "Social Aspects · Privacy-preserving Statistics", "1 paper"
            ),
        ]

    async def week(self, asker, now):
        done = now >= MORNING + timedelta(days=3)
        steps = (
            Step("daily", "Daily paper", "done", "posted", "weekdays 09:00"),
            Step(
                "nominations",
                "Nominations",
                "done" if done else "now",
                "closed" if done else "open",
                "until Thu 09:00",
            ),
            Step(
                "vote",
                "Vote",
                "now" if done else "later",
                "open" if done else "later",
                "Thu 09:00 to Fri 17:00",
            ),
            Step("result", "Result", "later", "later", "Fri 17:00"),
            Step("meeting", "Meeting", "later", "later", "Mon 7 Dec, 16:00"),
        )
        return Week(steps, await self.next_event(now), "nominations close and the vote opens")

    async def tick(self, now):
        class To:
            native_id = "papers"
            person = ""

        for at, page in (
            (MORNING, daily()),
            (MORNING + timedelta(days=3), poll(3, now)),
            (MORNING + timedelta(days=4), result()),
        ):
            if now >= at:
                await self.preview.platform.send(To, page, at.isoformat())

    async def next_event(self, now):
        return next((at for days in (3, 4) if (at := MORNING + timedelta(days=days)) > now), None)


async def main(port: int, path: Path) -> None:
    database = await open_sqlite(path)
    preview = await open_preview(database)
    group = FakeGroup()
    group.preview = preview
    if await preview.store.offset() is None:
        await preview.clock.restart(MORNING)
        await group.tick(preview.clock())
        await preview.clock.restart(MORNING + timedelta(minutes=4))
        things = three_things_page("en", 79, "p57", "Member 1")
        await preview.store.put("papers", things, preview.clock(), private_to="member-1")

    async def start_over() -> None:
        await preview.store.clear()

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    with listening(port) as listener:
        await serve(preview, group, start_over, listener, stop, ready=lambda: print("ready", flush=True))
    await database.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2])))
