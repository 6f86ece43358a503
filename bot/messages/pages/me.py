"""What is stored about the reader: the page, the file, and what is said before and after they are forgotten."""

from __future__ import annotations

import json
from datetime import datetime

from bot.clubs.forgetting import About, Leaving
from bot.clubs.model import Club
from bot.clubs.purge import TRACED
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Block,
    Button,
    Code,
    Fact,
    Facts,
    File,
    Heading,
    Message,
    Paragraph,
    Reader,
    Steps,
    Text,
    When,
)
from bot.messages.pages.lines import member_name, one_line
from bot.messages.pages.parts import message, side_name
from bot.messages.words import Words, words_for

NAME = 40
MOST_RECEIPTS = 5
FILE = "paperclub-about-me.json"


def nothing_page(reader: Reader, club: Club | None) -> Message:
    """The reader never did anything here."""
    words = words_for(reader.language)
    if club is None:
        text = words.line("Nothing is stored about you here.")
    else:
        text = words.line("Nothing is stored about you in {club}.", club=cut(one_line(club.name), NAME))
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(
            (
                words.line(
                    "Reading and searching leave no trace of you. What you typed into a form that could not be"
                    " taken is kept for a week."
                ),
            ),
            muted=True,
        ),
    )


def me_page(reader: Reader, club: Club, about: About) -> Message:
    """All that is stored about the reader, in short."""
    words = words_for(reader.language)
    text = words.line("What {club} has stored about you", club=cut(one_line(club.name), NAME))
    facts = (*_who(words, about), *_did(words, about), *_role(words, about))
    buttons = (
        Button(f"export:{club.id}", words.line("Download as a file")),
        Button(f"forgetting:{club.id}", words.line("Delete me"), "warn"),
    )
    who_reads = words.line(
        "No other member sees this page. Whoever runs the bot could read it in the database."
    )
    return message(
        reader, text, Heading((text,)), Facts(facts), Paragraph((who_reads,), muted=True), Actions(buttons)
    )


def _who(words: Words, about: About) -> tuple[Fact, ...]:
    accounts = about.records["accounts"]
    sides = [side_name(words, each["platform"]) for each in accounts]
    linked = (words.line("linked: one member, one ballot"),) if len(accounts) > 1 else ()
    return (
        Fact(words.line("Name"), (member_name(words, about.member.name, NAME),)),
        Fact(words.line("Accounts"), (words.all_of(sides),), linked),
        Fact(words.line("Member since"), (When(about.member.joined_at, "date"),)),
    )


def _did(words: Words, about: About) -> tuple[Fact, ...]:
    records = about.records
    states = [each["state"] for each in records["nominations"]]
    still = states.count("open")
    listed = words.line("{open} open, {earlier} earlier", open=still, earlier=len(states) - still)
    votes = len({each["vote"] for each in records["receipts"]})
    later = words.count(
        "{n} day after closing nobody can tell any more whose ballot was whose.",
        "{n} days after closing nobody can tell any more whose ballot was whose.",
        TRACED.days,
    )
    paid: tuple[Fact, ...] = ()
    if about.paid is not None:
        share = words.line("{n} papers", n=f"{float(about.paid):.2f}")
        paid = (Fact(words.line("Paid in fair turns"), (share,), (words.line("only you are told"),)),)
    return (
        Fact(words.line("Nominations"), (listed,), _backed(words, len(records["backed"]))),
        Fact(words.line("Saved papers"), (str(len(records["saved"])),)),
        Fact(words.line("Ballots"), words.count("in {n} vote", "in {n} votes", votes), later),
        *_receipts(words, about),
        *paid,
    )


def _backed(words: Words, n: int) -> Text:
    return words.count("{n} paper of others backed", "{n} papers of others backed", n) if n else ()


def _receipts(words: Words, about: About) -> tuple[Fact, ...]:
    """The receipts that still lead to the reader, the latest first."""
    kept = [each for each in reversed(about.records["receipts"]) if each["secret"]]
    if not kept:
        return ()
    shown: list[str | Code] = []
    for each in kept[:MOST_RECEIPTS]:
        shown += [words.line(", ")] if shown else []
        shown.append(Code(each["receipt"]))
    rest = len(kept) - MOST_RECEIPTS
    more = words.count("and {n} more", "and {n} more", rest) if rest > 0 else ()
    return (Fact(words.line("Your receipts, the latest first"), tuple(shown), more),)


def _role(words: Words, about: About) -> tuple[Fact, ...]:
    member, records = about.member, about.records
    reminders = words.line("on") if member.remind else words.line("off")
    roles = [
        words.line("organiser") if member.organiser else "",
        words.line("blocked: you may vote, but not nominate") if member.blocked else "",
    ]
    held = [role for role in roles if role]
    acts = len(records["acts"]) + len(records["done to them"])
    return (
        Fact(words.line("Reminders before a vote closes"), (reminders,)),
        *([Fact(words.line("In this club you are"), (words.all_of(held),))] if held else []),
        Fact(
            words.line("The club’s record"),
            words.count("{n} entry about you", "{n} entries about you", acts),
            (words.line("what you nominated or organised, and when"),),
        ),
    )


def export_page(reader: Reader, club: Club, about: About) -> Message:
    """The same and all the details, as a file."""
    words = words_for(reader.language)
    text = words.line("Everything stored about you in {club}", club=cut(one_line(club.name), NAME))
    label = words.line("A file with everything stored about you")
    said = words.line("It holds nobody else’s data. Times are in UTC.")
    content = message(reader, text, Heading((text,)), Paragraph((said,), muted=True))
    return Message(
        content.summary,
        content.blocks,
        content.language,
        content.zone,
        file=File(FILE, export_file(club, about, reader.now), label),
    )


def export_file(club: Club, about: About, now: datetime) -> bytes:
    """All records as JSON a person can read; its keys are the same in every language."""
    member = about.member
    whole = {
        "paperclub": "everything stored about one member",
        "at": now.isoformat(),
        "club": {"id": club.id, "name": club.name},
        "member": {
            "id": member.id,
            "name": member.name,
            "joined_at": member.joined_at.isoformat(),
            "organiser": member.organiser,
            "blocked": member.blocked,
            "reminders": member.remind,
            "unlinked_at": member.apart_at.isoformat() if member.apart_at else None,
        },
        **about.records,
    }
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def forgetting_page(reader: Reader, club: Club, leaving: Leaving) -> Message:
    """What deleting oneself does, before it is done."""
    words = words_for(reader.language)
    text = words.line("Delete you from {club}?", club=cut(one_line(club.name), NAME))
    return message(
        reader,
        text,
        Heading((text,)),
        Steps(tuple(_consequences(words, leaving))),
        Actions(
            (
                Button(f"forget:{club.id}", words.line("Delete me for good"), "warn"),
                Button(f"me:{club.id}", words.line("Keep me")),
            )
        ),
    )


def _consequences(words: Words, leaving: Leaving) -> list[Text]:
    steps: list[Text] = [
        (
            words.line(
                "Your name, your accounts, what you saved, wrote and backed, and what you have paid in fair turns"
                " are deleted at once."
            ),
        )
    ]
    if leaving.voted:
        steps.append((words.line("Your ballot in the vote that is open is taken back."),))
    steps.append(
        (
            words.line(
                "Closed votes keep their results. Whose your ballots were is deleted, and where your name stood it"
                " says “Former member”."
            ),
        )
    )
    if leaving.withdrawn:
        steps.append(
            words.count(
                "{n} paper you nominated comes off the list.",
                "{n} papers you nominated come off the list.",
                leaving.withdrawn,
            )
        )
    if leaving.handed_over:
        steps.append(
            words.count(
                "{n} paper you nominated passes to a member who backs it.",
                "{n} papers you nominated pass to members who back them.",
                leaving.handed_over,
            )
        )
    if leaving.standing:
        steps.append(
            words.count(
                "{n} paper you nominated stays in the vote, without your name.",
                "{n} papers you nominated stay in the vote, without your name.",
                leaving.standing,
            )
        )
    steps.append(
        (
            words.line(
                "Posts and files that stand on the platforms already cannot be called back. This cannot be undone."
            ),
        )
    )
    return steps


def forgotten_page(reader: Reader, club: Club, leaving: Leaving) -> Message:
    """It is done."""
    words = words_for(reader.language)
    text = words.line("Deleted. {club} does not know you any more.", club=cut(one_line(club.name), NAME))
    blocks: list[Block] = [Heading((text,))]
    if leaving.voted:
        blocks.append(Paragraph((words.line("Your ballot in the vote that is open was taken back."),)))
    again = words.line("If you vote, save or nominate here again, you begin as a new member.")
    return message(reader, text, *blocks, Paragraph((again,), muted=True))
