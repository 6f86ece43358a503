"""One club on two sides, one human behind two accounts: codes, both accounts side by side, and apart again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from bot.clubs.model import Channel, Club
from bot.messages.cut import cut
from bot.messages.model import (
    Actions,
    Button,
    Code,
    Fact,
    Facts,
    Heading,
    Message,
    Paragraph,
    Reader,
    Steps,
    When,
)
from bot.messages.pages.lines import one_line
from bot.messages.pages.parts import channels_text, message, side_name
from bot.messages.words import Words, words_for
from bot.rounds.model import Round

NAME = 40
"""Characters of a member's or club's name."""
Person = tuple[str, str]
"""A platform, and how somebody is called there."""


# ---- one club on two sides ----


def club_code_page(
    reader: Reader, club: Club, code: str, kept: timedelta, *, several: bool = False
) -> Message:
    """The code that joins a channel elsewhere to the club, and what to do with it.

    `several`: it stands on more sides than one already, and can leave this one.
    """
    words = words_for(reader.language)
    text = words.say("The code for {club} is {code}. It works once.", club=_club(club), code=Code(code))
    steps = (
        (words.line("Invite Paperclub to the other server or workspace, into the channel that is to join."),),
        words.count(
            "There, whoever manages that side writes {command}, within {n} minute.",
            "There, whoever manages that side writes {command}, within {n} minutes.",
            int(kept.total_seconds() // 60),
            command=Code(f"/club link {code}"),
        ),
    )
    after = words.line(
        "From then on the same papers, votes and results stand in both channels. "
        "A club has one channel in a server or workspace; /club settings moves it."
    )
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Steps(steps),
        Paragraph((after,), muted=True),
        Actions((Button("leaving", words.line("Leave this side"), "warn"),)) if several else None,
    )


def joined_page(reader: Reader, club: Club, vote: Round | None) -> Message:
    """The channel belongs to the club now."""
    words = words_for(reader.language)
    text = words.line("{club} stands in this channel too now.", club=_club(club))
    now = words.run_on(
        words.say(
            "Papers, votes and results come to {channel}.", channel=channels_text(words, club.channels)
        ),
        words.line("You are one of its organisers."),
        words.say("A vote is open until {when}; it comes here at once.", when=When(vote.closes_at))
        if vote is not None
        else (),
    )
    people = words.say(
        "Whoever is a member on both sides writes {command}, so that their accounts have one ballot.",
        command=Code("/paper link"),
    )
    return message(reader, text, Heading((text,)), Paragraph(now), Paragraph(people, muted=True))


def leave_page(reader: Reader, club: Club, channel: Channel, *, voting: bool) -> Message:
    """What leaving a side does, before it is done."""
    words = words_for(reader.language)
    text = words.say(
        "Take {club} out of {channel}?", club=_club(club), channel=channels_text(words, (channel,))
    )
    steps = (
        (words.line("Nothing new is posted there. What was posted stays."),),
        (
            words.line(
                "The vote that is open can be voted on there until it closes; its result comes there too."
            ),
        )
        if voting
        else (),
        (words.line("Members keep their accounts, ballots and nominations."),),
    )
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Steps(tuple(step for step in steps if step)),
        Actions((Button(f"leave:{channel.id}", words.line("Leave this side"), "warn"),)),
    )


def left_page(reader: Reader, club: Club, channel: Channel) -> Message:
    """The club stands there no more."""
    words = words_for(reader.language)
    text = words.say("{club} has left {channel}.", club=_club(club), channel=channels_text(words, (channel,)))
    where = words.say(
        "It stands in {channel}. {command} there makes a code to come back.",
        channel=channels_text(words, club.channels),
        command=Code("/club link"),
    )
    return message(reader, words.plain(text, reader.zone, reader.now), Heading(text), Paragraph(where))


# ---- one human behind two accounts ----


def code_page(
    reader: Reader, code: str, others: Sequence[str], kept: timedelta, *, linked: bool = False
) -> Message:
    """The code that links the reader's account to one of theirs on another side; `linked`: some are already."""
    words = words_for(reader.language)
    text = words.count(
        "Your code is {code}. Within {n} minute, write {command} on {platform}. It works once.",
        "Your code is {code}. Within {n} minutes, write {command} on {platform}. It works once.",
        int(kept.total_seconds() // 60),
        code=Code(code),
        command=Code(f"/paper link {code}"),
        platform=_sides(words, others),
    )
    why = words.line(
        "Then both sides are asked whether both accounts are yours. "
        "Give the code to nobody: it is for an account of your own."
    )
    return message(
        reader,
        words.plain(text, reader.zone, reader.now),
        Heading(text),
        Paragraph((why,), muted=True),
        Actions(
            (
                Button("linked", words.line("I have entered it"), "first"),
                *((_apart_button(words),) if linked else ()),
            )
        ),
    )


def own_accounts_page(reader: Reader, people: Sequence[Person]) -> Message:
    """The reader's accounts are one member's, all that can be."""
    words = words_for(reader.language)
    text = words.line("Your accounts are linked. You have one ballot on both sides; the latest counts.")
    return message(reader, text, Heading((text,)), _people(words, people), Actions((_apart_button(words),)))


def not_entered_page(reader: Reader, others: Sequence[str]) -> Message:
    """Nobody entered the code yet."""
    words = words_for(reader.language)
    text = words.line("No code of yours was entered on {platform} yet.", platform=_sides(words, others))
    how = words.say("{command} shows a new code.", command=Code("/paper link"))
    return message(reader, text, Heading((text,)), Paragraph(how))


def both_page(reader: Reader, link_id: int, people: Sequence[Person], *, entered: bool = False) -> Message:
    """Both accounts, and whether they are the reader's. `entered`: the reader has just entered the code."""
    words = words_for(reader.language)
    text = words.line("Are both of these accounts yours?")
    known = words.line(
        "Once both sides say yes they are one member with one ballot; the latest counts. "
        "If you do not know the other account, say no: nothing is linked then."
    )
    return message(
        reader,
        text,
        Heading((text,)),
        _people(words, people),
        Paragraph(words.say("The code is right.")) if entered else None,
        Paragraph((known,)),
        Actions(
            (
                Button(f"link-yes:{link_id}", words.line("Yes, both are me"), "first"),
                Button(f"link-no:{link_id}", words.line("No"), "warn"),
            )
        ),
    )


def waiting_page(reader: Reader, people: Sequence[Person], other: str) -> Message:
    """This side said yes, the other has not yet."""
    words = words_for(reader.language)
    side = side_name(words, other)
    text = words.line("Noted. Now say yes on {platform} too.", platform=side)
    how = words.say(
        "There, press “I have entered it” under the code, or write {command}. It waits for an hour.",
        command=Code("/paper link"),
    )
    return message(reader, text, Heading((text,)), _people(words, people), Paragraph(how))


def linked_page(reader: Reader, people: Sequence[Person], vote: Round | None) -> Message:
    """Two accounts are one member."""
    words = words_for(reader.language)
    text = words.line("Linked. You have one ballot on both sides; the latest counts.")
    mine = Actions((Button(f"mine:{vote.id}", words.line("My ballot")),)) if vote is not None else None
    rest = words.say(
        "Your nominations and saved papers are together too. {command} takes the accounts apart again.",
        command=Code("/paper link"),
    )
    return message(reader, text, Heading((text,)), _people(words, people), Paragraph(rest, muted=True), mine)


def not_linked_page(reader: Reader) -> Message:
    """The reader said that the accounts are not one human's."""
    words = words_for(reader.language)
    text = words.line("Nothing was linked. Both accounts are as they were.")
    how = words.say("{command} begins anew.", command=Code("/paper link"))
    return message(reader, text, Heading((text,)), Paragraph(how))


def unlink_page(reader: Reader, account_id: int, leaves: Person, vote: Round | None) -> Message:
    """What taking two accounts apart does, before it is done."""
    words = words_for(reader.language)
    text = words.line("Make {member} on {platform} a member of its own again?", **_who(words, leaves))
    steps = (
        (
            words.line(
                "It has again what it nominated before. Ballots and all else you nominated stay with your other "
                "account, saved papers with both."
            ),
        ),
        words.say(
            "In the vote that is open, until {when}, it has no ballot of its own.", when=When(vote.closes_at)
        )
        if vote is not None
        else (),
    )
    return message(
        reader,
        text,
        Heading((text,)),
        Steps(tuple(step for step in steps if step)),
        Actions((Button(f"unlink:{account_id}", words.line("Take them apart"), "warn"),)),
    )


def unlinked_page(reader: Reader, leaves: Person, vote: Round | None) -> Message:
    """Two members again."""
    words = words_for(reader.language)
    text = words.line("Apart. {member} on {platform} is a member of its own again.", **_who(words, leaves))
    when = (
        words.say("It votes again once the present vote has closed, {when}.", when=When(vote.closes_at))
        if vote is not None
        else words.say("It votes from the next vote on.")
    )
    return message(reader, text, Heading((text,)), Paragraph(when))


def _apart_button(words: Words) -> Button:
    return Button("apart", words.line("Take them apart"), "warn")


def _people(words: Words, people: Sequence[Person]) -> Facts:
    return Facts(tuple(Fact(side_name(words, side), (cut(one_line(name), NAME),)) for side, name in people))


def _who(words: Words, person: Person) -> dict[str, str]:
    return {"member": cut(one_line(person[1]), NAME), "platform": side_name(words, person[0])}


def _sides(words: Words, platforms: Sequence[str]) -> str:
    return words.all_of([side_name(words, each) for each in platforms])


def _club(club: Club) -> str:
    return cut(one_line(club.name), NAME)
