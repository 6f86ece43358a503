"""The forms of `/club setup` and `/club settings`: at most five fields each, the present values filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from bot.clubs.model import LANGUAGE_NAMES, SQUARE_ROOT, WEEKDAYS, Club, platforms_of
from bot.errors import UserError
from bot.messages.model import ChannelField, ChoiceField, Field, Form, Option, Reader, RoleField, TextField
from bot.messages.pages.clubs import day_time
from bot.messages.pages.faults import field_fault
from bot.messages.pages.rules import method_names, secrecy_names, tie_names
from bot.messages.words import Words, words_for

Part = Literal["club", "daily", "vote", "counting", "people"]
Values = Mapping[str, str | Sequence[str]]
UNKNOWN = "UTC"
"""The zone of a reader before any club tells a better one: no guess to set up a club with."""
Faults = Mapping[str, UserError | str]
"""By field; for a weekly time also under its day and time ('vote_opens_day', 'vote_opens_time')."""


def setup_form(
    reader: Reader,
    values: Values | None = None,
    faults: Faults | None = None,
    channel: str = "",
    name: str = "",
    *,
    ask_channel: bool = False,
) -> Form:
    """What a new club needs: name, zone, language, the daily time and days.

    `channel` is the native id of where it is to stand, '' for here; `name` what it is called if nobody says more.
    With `ask_channel` it is asked for in place of the name, which can be changed later.
    """
    words = words_for(reader.language)
    form_id = f"configure:setup:{channel}" if channel and not ask_channel else "configure:setup"
    fill = _Filler(reader, values or {}, faults or {})
    zone = "" if reader.zone == UNKNOWN else reader.zone
    fields: tuple[Field, ...] = (
        fill.channel(words, channel)
        if ask_channel
        else fill.text("name", words.line("Name"), name, 80, needed=False),
        fill.text("zone", words.line("Time zone"), zone, 60, words.line("Such as Europe/Berlin")),
        _language(fill, words, reader.language),
        fill.text("time", words.line("Time of the daily paper"), "09:00", 8, words.line("24-hour clock")),
        _days(fill, words, "weekdays", WEEKDAYS[:5]),
    )
    return _form(words, form_id, words.line("Set up the club"), fields, reader.language)


def settings_form(
    reader: Reader,
    club: Club,
    part: Part,
    values: Values | None = None,
    faults: Faults | None = None,
    role: str | None = None,
    channel: str | None = None,
    *,
    with_channel: bool = True,
    grouped: bool = False,
    vote_role: str | None = None,
) -> Form:
    """One part of the settings. `values` are what was typed before, `faults` what was wrong with it.

    `role` is the one called now ('' for nobody), None where there are no roles, `grouped` where it is a user
    group; `channel` the native id of the club's channel where the reader is, None for its first; `with_channel` is
    False where there are no channels to choose from; `vote_role` the role whose members alone vote, None where none
    can be chosen.
    Fields: club: name, language, zone, channel, role · daily: daily_time, daily_days (none: no daily paper),
    daily_topics (one a line; empty: all), start_over · vote: vote_opens, vote_closes, meeting as 'Thu 09:00'
    (vote_opens empty: no weekly vote), nominations_each, keep_rounds · counting: method, ties, secrecy, quorum
    (empty: none; a number; 'auto'), close_early · people: link_required, guests_vote, vote_role.
    """
    words = words_for(reader.language)
    fill = _Filler(reader, values or {}, faults or {})
    match part:
        case "club":
            place = (channel or _first_channel(club)) if with_channel else None
            title, fields = words.line("Club"), _club_fields(fill, words, club, role, place, grouped)
        case "daily":
            title, fields = words.line("Daily paper"), _daily_fields(fill, words, club)
        case "vote":
            title, fields = words.line("Weekly vote"), _vote_fields(fill, words, club)
        case "counting":
            title, fields = words.line("Counting"), counting_fields(fill, words, club)
        case "people":
            title, fields = words.line("Who may vote"), _people_fields(fill, words, club, vote_role)
    return _form(words, f"configure:{part}", title, fields, reader.language)


class _Filler:
    """Makes fields with what was typed before, or else what is set, and with their faults."""

    def __init__(self, reader: Reader, values: Values, faults: Faults) -> None:
        self._reader, self._values, self._faults = reader, values, faults

    def text(
        self,
        name: str,
        label: str,
        present: str,
        length: int,
        hint: str = "",
        *,
        needed: bool = True,
        long: bool = False,
    ) -> TextField:
        value = self._values.get(name, present)
        typed = value if isinstance(value, str) else "\n".join(value)
        return TextField(
            name, label, typed, hint, self.fault(name), long=long, required=needed, max_length=length
        )

    def chosen(self, name: str, present: Sequence[str]) -> Sequence[str]:
        value = self._values.get(name, present)
        return (value,) if isinstance(value, str) else value

    def channel(self, words: Words, present: str) -> ChannelField:
        return ChannelField(
            "channel",
            words.line("Channel"),
            "".join(self.chosen("channel", (present,))),
            words.line("Where papers, votes and results are posted"),
            self.fault("channel"),
        )

    def fault(self, name: str) -> str:
        keys = (name, f"{name}_day", f"{name}_time")
        return next((field_fault(self._reader, self._faults[key]) for key in keys if key in self._faults), "")


def _form(words: Words, form_id: str, title: str, fields: tuple[Field, ...], language: str) -> Form:
    mend = sum(bool(field.fault) for field in fields)
    small = words.count("{n} field to mend", "{n} fields to mend", mend) if mend else ()
    return Form(
        form_id,
        title,
        words.line("Save settings"),
        fields,
        words.line("Cancel"),
        small=small,
        language=language,
    )


def _club_fields(
    fill: _Filler, words: Words, club: Club, role: str | None, channel: str | None, grouped: bool
) -> tuple[Field, ...]:
    fields: tuple[Field, ...] = (
        fill.text("name", words.line("Name"), club.name, 80),
        _language(fill, words, club.language),
        fill.text("zone", words.line("Time zone"), club.zone, 60, words.line("All times are in this zone")),
    )
    if channel is not None:
        fields = (*fields, fill.channel(words, channel))
    if role is None:
        return fields
    label, hint = (
        words.line("Role to notify"),
        words.line("At openings and results. The role must allow anyone to mention it"),
    )
    if grouped:
        label = words.line("Group to notify")
        hint = words.line("Its handle, such as @readers, called at openings and results; empty for nobody")
    called = RoleField("role", label, "".join(fill.chosen("role", (role,))), hint, fill.fault("role"))
    return (*fields, called)


def _first_channel(club: Club) -> str:
    return club.channels[0].native_id if club.channels else ""


def _daily_fields(fill: _Filler, words: Words, club: Club) -> tuple[Field, ...]:
    settings = club.settings
    over = fill.chosen("start_over", ("yes" if settings.start_over else "no",))
    laps = (("no", words.line("Post nothing more")), ("yes", words.line("Start over with the oldest")))
    return (
        fill.text(
            "daily_time", words.line("Time"), f"{settings.daily_time:%H:%M}", 8, words.line("24-hour clock")
        ),
        _days(fill, words, "daily_days", settings.daily_days if settings.daily_on else ()),
        fill.text(
            "daily_topics",
            words.line("Topics"),
            "\n".join(settings.daily_topics),
            2_000,
            words.line("One a line; empty means all"),
            needed=False,
            long=True,
        ),
        ChoiceField(
            "start_over",
            words.line("Once every paper was posted"),
            tuple(Option(value, label, chosen=value in over) for value, label in laps),
            fault=fill.fault("start_over"),
        ),
    )


def _vote_fields(fill: _Filler, words: Words, club: Club) -> tuple[Field, ...]:
    settings = club.settings
    opens = day_time(words, settings.vote_opens_day, settings.vote_opens_time) if settings.vote_on else ""
    closes = day_time(words, settings.vote_closes_day, settings.vote_closes_time)
    meeting = day_time(words, settings.meeting_day, settings.meeting_time)
    keep, each = str(settings.keep_rounds), str(settings.nominations_each)
    none = words.line("Day and time; empty for no weekly vote")
    return (
        fill.text("vote_opens", words.line("Opens"), opens, 30, none, needed=False),
        fill.text("vote_closes", words.line("Closes"), closes, 30, words.line("Day and time")),
        fill.text("meeting", words.line("Meeting"), meeting, 30, words.line("Day and time")),
        fill.text("nominations_each", words.line("Nominations per member"), each, 2, words.line("1 to 25")),
        fill.text(
            "keep_rounds", words.line("Rounds a losing paper stays nominated"), keep, 2, words.line("1 to 52")
        ),
    )


def counting_fields(fill: _Filler, words: Words, club: Club) -> tuple[Field, ...]:
    settings = club.settings
    quorum = "auto" if settings.quorum == SQUARE_ROOT else str(settings.quorum or "")
    return (
        _one_of(fill, "method", words.line("Way of voting"), method_names(words), settings.method, menu=True),
        _one_of(fill, "ties", words.line("A tie is broken by"), tie_names(words), settings.ties, menu=True),
        _one_of(fill, "secrecy", words.line("Ballots"), secrecy_names(words), settings.secrecy),
        fill.text(
            "quorum",
            words.line("So many must vote"),
            quorum,
            6,
            words.line("Empty: any number; or auto: 1.5 × the root of the active members"),
            needed=False,
        ),
        _choice(
            fill,
            "close_early",
            words.line("Close once all active members have voted"),
            (("no", words.line("No, at its time")), ("yes", words.line("Yes"))),
            settings.close_early,
        ),
    )


def _people_fields(fill: _Filler, words: Words, club: Club, role: str | None) -> tuple[Field, ...]:
    settings = club.settings
    fields: tuple[Field, ...] = (
        _choice(
            fill,
            "link_required",
            words.line("Only members linked on both platforms"),
            (("no", words.line("No, every member votes")), ("yes", words.line("Yes, with /paper link"))),
            settings.link_required,
            words.line("Counts where the club stands on two platforms")
            if len(platforms_of(club)) > 1
            else words.line("Counts for nothing yet: the club stands on one platform"),
        ),
        _choice(
            fill,
            "guests_vote",
            words.line("Guests and connected workspaces"),
            (("no", words.line("They read")), ("yes", words.line("They vote and nominate too"))),
            settings.guests_vote,
        ),
    )
    if role is None:
        return fields
    label, hint = (
        words.line("Only members with this role"),
        words.line("Counts on Discord; none: every member votes"),
    )
    named = "".join(fill.chosen("vote_role", (role,)))
    return (*fields, RoleField("vote_role", label, named, hint, fill.fault("vote_role")))


def _choice(
    fill: _Filler, name: str, label: str, choices: Sequence[tuple[str, str]], present: bool, hint: str = ""
) -> ChoiceField:
    chosen = fill.chosen(name, ("yes" if present else "no",))
    options = tuple(Option(value, text, chosen=value in chosen) for value, text in choices)
    return ChoiceField(name, label, options, hint=hint, fault=fill.fault(name))


def _one_of(
    fill: _Filler,
    name: str,
    label: str,
    choices: Mapping[str, tuple[str, str]],
    present: str,
    *,
    menu: bool = False,
) -> ChoiceField:
    """One of `choices`, value to label and note."""
    chosen = fill.chosen(name, (present,))
    options = tuple(
        Option(value, text, note, chosen=value in chosen) for value, (text, note) in choices.items()
    )
    return ChoiceField(name, label, options, fault=fill.fault(name), menu=menu)


def _language(fill: _Filler, words: Words, present: str) -> ChoiceField:
    chosen = fill.chosen("language", (present,))
    return ChoiceField(
        "language",
        words.line("Language"),
        tuple(Option(code, name, chosen=code in chosen) for code, name in LANGUAGE_NAMES.items()),
        hint=words.line("Of public messages"),
        fault=fill.fault("language"),
    )


def _days(fill: _Filler, words: Words, name: str, present: Sequence[str]) -> ChoiceField:
    chosen = fill.chosen(name, present)
    return ChoiceField(
        name,
        words.line("On these days"),
        tuple(Option(day, words.weekday(day, short=True), chosen=day in chosen) for day in WEEKDAYS),
        several=True,
        hint=words.line("None: no paper comes by itself"),
        fault=fill.fault(name),
        required=False,
    )
