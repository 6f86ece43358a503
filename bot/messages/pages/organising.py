"""What organisers take back or take away: a post, a member's right to write, a whole club."""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clubs.model import Club, Member
from bot.messages.cut import cut
from bot.messages.model import Actions, Button, Code, Heading, Message, Paragraph, Reader, Steps, When
from bot.messages.pages.lines import IN_LIST, headline_line, one_line
from bot.messages.pages.parts import message
from bot.messages.words import words_for
from bot.papers.model import Paper
from bot.rounds.model import Round

NAME = 40
"""Characters of a member's or club's name inside a sentence."""


def blocked_page(reader: Reader, member: Member, *, new: bool = True) -> Message:
    """What a member may not do from now on, or for some time already, and the button that lifts it."""
    words = words_for(reader.language)
    who = cut(one_line(member.name), NAME)
    if new:
        text = words.line(
            "{member} is blocked: they may vote, but not nominate, back or give reasons.", member=who
        )
    else:
        text = words.line(
            "{member} is blocked already: they may vote, but not nominate, back or give reasons.", member=who
        )
    stays = words.say(
        "Their nominations stay on the list; {remove} takes one off.", remove=Code("/club remove")
    )
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(stays, muted=True),
        Actions((Button(f"unblock:{member.id}", words.line("Let them nominate again")),)),
    )


def unblocked_page(reader: Reader, member: Member) -> Message:
    """The block is lifted."""
    words = words_for(reader.language)
    who = cut(one_line(member.name), NAME)
    text = words.line("{member} may nominate and give reasons again.", member=who)
    return message(reader, text, Heading((text,)))


# ---- the last post ----


def undo_page(reader: Reader, paper: Paper, key: str) -> Message:
    """Which post would be taken back; `key` names it in the button."""
    words = words_for(reader.language)
    name = headline_line(paper, words, IN_LIST)
    text = words.line("Take back the last post: {headline}?", headline=name)
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(
            (
                words.line(
                    "It is deleted wherever it stands. The paper counts as not posted and may come again."
                ),
            )
        ),
        Actions((Button(f"undo:{key}", words.line("Take it back"), "warn"),)),
    )


def undone_page(reader: Reader, paper: Paper) -> Message:
    """The post is on its way out."""
    words = words_for(reader.language)
    text = words.line("Taken back: {headline}.", headline=headline_line(paper, words, IN_LIST))
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph((words.line("The post is being deleted. Its paper may come again on another day."),)),
        Actions((Button("post", words.line("Post another paper now")),)),
    )


# ---- the whole club ----


def delete_page(reader: Reader, club: Club, kept: timedelta, *, voting: bool) -> Message:
    """What deleting the club does, before it is done."""
    words = words_for(reader.language)
    text = words.line("Delete {club}?", club=cut(one_line(club.name), NAME))
    steps = (
        (words.line("Posts and votes end at once. What was posted stays in the channel."),),
        (words.line("The vote that is open ends without a result."),) if voting else (),
        words.count(
            "Everything is kept for {n} day; until then {command} brings the club back.",
            "Everything is kept for {n} days; until then {command} brings the club back.",
            kept.days,
            command=Code("/club restore"),
        ),
        (words.line("After that, nominations, ballots, results and settings are deleted for good."),),
    )
    return message(
        reader,
        text,
        Heading((text,)),
        Steps(tuple(step for step in steps if step)),
        Actions((Button(f"delete:{club.id}", words.line("Delete the club"), "warn"),)),
    )


def deleted_page(reader: Reader, club: Club, kept: timedelta) -> Message:
    """The club is gone, and until when it can come back."""
    words = words_for(reader.language)
    text = words.line("{club} is deleted. Nothing more is posted.", club=cut(one_line(club.name), NAME))
    until = words.say(
        "It can be brought back until {date}, with this button or {command}.",
        date=When(reader.now + kept, "date"),
        command=Code("/club restore"),
    )
    return message(
        reader,
        text,
        Heading((text,)),
        Paragraph(until),
        Actions((Button(f"restore:{club.id}", words.line("Bring it back")),)),
    )


def restored_page(
    reader: Reader, club: Club, next_paper: datetime | None, next_vote: datetime | None, vote: Round | None
) -> Message:
    """The club is back: what comes next."""
    words = words_for(reader.language)
    text = words.line("{club} is back, with all it had.", club=cut(one_line(club.name), NAME))
    coming = words.run_on(
        words.say("A vote is open until {when}.", when=When(vote.closes_at)) if vote is not None else (),
        words.say("Next paper {when}.", when=When(next_paper)) if next_paper is not None else (),
        words.say("Next vote {when}.", when=When(next_vote)) if next_vote is not None else (),
    )
    return message(reader, text, Heading((text,)), Paragraph(coming) if coming else None)
