"""The words of the week at a glance."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.clubs.model import Club
from bot.messages.model import Reader
from bot.messages.pages.clubs import day_time, days_line
from bot.messages.words import Words, words_for


@dataclass(frozen=True, slots=True)
class WeekWords:
    """Names, states and times, in one language and the club's zone."""

    words: Words
    zone: str
    now: datetime
    paper: str
    nominations: str
    vote: str
    result: str
    meeting: str
    posted: str
    just_posted: str
    open: str
    second_open: str
    tie: str
    closed: str
    later: str
    paused: str
    paper_later: str
    paper_when: str
    vote_later: str
    vote_when: str
    closes: str
    meets: str
    next_list: str
    vote_opens: str
    vote_closes: str
    paper_comes: str

    def moment(self, at: datetime) -> str:
        """'Fri 4 Dec, 17:00'."""
        return self.words.moment(at, self.zone, self.now)

    def span(self, start: datetime, end: datetime) -> str:
        """From when to when a vote runs."""
        return self.words.line("{start} to {end}", start=self.moment(start), end=self.moment(end))

    def until(self, at: datetime | None) -> str:
        """Until when the list takes papers for the next vote."""
        return self.words.line("until {when}", when=self.moment(at)) if at else ""

    def decides(self, until: datetime | None) -> str:
        """Who decides a tie that waits, and until when."""
        if until is None:
            return self.words.line("an organiser decides")
        return self.words.line("an organiser decides until {when}", when=self.moment(until))


def week_words(reader: Reader, club: Club) -> WeekWords:
    """For this reader and club."""
    words, settings = words_for(reader.language), club.settings
    opens = day_time(words, settings.vote_opens_day, settings.vote_opens_time)
    closes = day_time(words, settings.vote_closes_day, settings.vote_closes_time)
    meets = day_time(words, settings.meeting_day, settings.meeting_time)
    paper = words.line(
        "{days}, {time}", days=days_line(words, settings.daily_days), time=f"{settings.daily_time:%H:%M}"
    )
    return WeekWords(
        words=words,
        zone=club.zone,
        now=reader.now,
        paper=words.line("Daily paper"),
        nominations=words.line("Nominations"),
        vote=words.line("Vote"),
        result=words.line("Result"),
        meeting=words.line("Meeting"),
        posted=words.line("posted"),
        just_posted=words.line("just posted"),
        open=words.line("open"),
        second_open=words.line("second vote, open"),
        tie=words.line("a tie"),
        closed=words.line("closed"),
        later=words.line("later"),
        paused=words.line("paused"),
        paper_later=words.line("later") if settings.daily_on else words.line("off"),
        paper_when=paper if settings.daily_on else "",
        vote_later=words.line("later") if settings.vote_on else words.line("off"),
        vote_when=words.line("{start} to {end}", start=opens, end=closes) if settings.vote_on else "",
        closes=closes if settings.vote_on else "",
        meets=meets,
        next_list=words.line("for the next vote: open"),
        vote_opens=words.line("nominations close and the vote opens"),
        vote_closes=words.line("the vote closes"),
        paper_comes=words.line("the daily paper"),
    )
