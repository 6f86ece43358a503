"""Settings, set-up, help, why, notices and the terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.clubs.model import Settings
from bot.commands import COMMANDS
from bot.daily.model import Outcome
from bot.errors import BadInput
from bot.messages.model import Button, ChoiceField, CommandLine, TextField
from bot.messages.pages.clubs import (
    closed_page,
    days_line,
    opened_page,
    organisers_page,
    paused_page,
    posted_page,
    resumed_page,
    saved_settings_page,
    settings_page,
    week_sentence,
)
from bot.messages.pages.help import help_page
from bot.messages.pages.notices import missed_page, notice_page
from bot.messages.pages.settings import settings_form, setup_form
from bot.messages.pages.setup import setup_page
from bot.messages.pages.terminal import import_lines, search_hint
from bot.messages.pages.why import why_lines, why_page
from bot.messages.words import flat, words_for
from bot.papers.model import ImportReport, Problem
from bot.search.model import Found
from tests.messages.samples import (
    EN,
    NOW,
    ORGANISER,
    ZH,
    ZONE,
    a_result,
    a_round,
    all_parts,
    club,
    four,
    paper,
    titled,
    told,
)

TUESDAY = datetime(2026, 12, 8, 8, 0, tzinfo=UTC)
THURSDAY = datetime(2026, 12, 10, 8, 0, tzinfo=UTC)


def test_the_settings_stand_in_five_parts_with_a_button_each() -> None:
    page = settings_page(ORGANISER, club(), TUESDAY, THURSDAY)
    assert told(page) == [
        "Club settings",
        "Club",
        "Name: Readers",
        "Language: English",
        "Time zone: Europe/Berlin",
        "Channel: #papers",
        "Daily paper",
        "Time: 09:00",
        "On these days: Monday to Friday",
        "Topics: all",
        "Once every paper was posted: nothing more is posted",
        "Weekly vote",
        "Opens: Thu 09:00",
        "Closes: Fri 17:00",
        "Meeting: Mon 16:00",
        "Nominations per member: 3",
        "A losing paper stays for: 4 rounds",
        "Counting",
        "Tick any number · Secret · ties: the oldest nomination",
        "Who may vote",
        "Members: all",
        "Guests: read",
        "[With these settings] Next paper Tue 8 Dec, 09:00. Next vote Thu 10 Dec, 09:00. "
        "Changes to the vote apply from the next round; an open vote keeps the rules it began with.",
        "<Change the club> <Change the daily paper> <Change the weekly vote> "
        "<Change the counting> <Change who may vote>",
    ]
    assert [button.id for button in all_parts(page, Button)] == [
        "settings:club",
        "settings:daily",
        "settings:vote",
        "settings:counting",
        "settings:people",
    ]


def test_what_is_off_is_called_off() -> None:
    off = club(settings=Settings(daily_on=False, vote_on=False), channels=())
    lines = told(settings_page(ZH, off, None, None))
    assert "每日论文: 已关闭" in lines and "每周投票: 已关闭" in lines
    assert not [line for line in lines if line.startswith("[")]


@pytest.mark.parametrize("part", ["club", "daily", "vote", "counting"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_form_has_five_fields_at_most_and_the_present_values(part: str, language: str) -> None:
    form = settings_form(replace(ORGANISER, language=language), club(), part)  # type: ignore[arg-type]
    assert form.id == f"configure:{part}" and 1 <= len(form.fields) <= 5
    assert all(len(field.label) <= 45 for field in form.fields)
    values = {field.name: field.value for field in form.fields if isinstance(field, TextField)}
    expected = {
        "club": {"name": "Readers", "zone": ZONE},
        "daily": {"daily_time": "09:00", "daily_topics": ""},
        "vote": {
            "vote_opens": "Thu 09:00" if language == "en" else "周四 09:00",
            "vote_closes": "Fri 17:00" if language == "en" else "周五 17:00",
            "meeting": "Mon 16:00" if language == "en" else "周一 16:00",
            "nominations_each": "3",
            "keep_rounds": "4",
        },
        "counting": {"quorum": ""},
    }
    assert values == expected[part]


def test_a_fault_stands_under_its_field_and_keeps_what_was_typed() -> None:
    faults = {
        "vote_opens_time": BadInput("error.time", field="time", time="25:99"),
        "keep_rounds": BadInput("settings.keep_rounds", field="keep_rounds", value="99"),
    }
    form = settings_form(ORGANISER, club(), "vote", {"vote_opens": "thu 25:99", "keep_rounds": "99"}, faults)
    fields = {field.name: field for field in form.fields if isinstance(field, TextField)}
    assert fields["vote_opens"].value == "thu 25:99"
    assert fields["vote_opens"].fault == "“25:99” is not a time. Write it like 09:00, from 00:00 to 23:59."
    assert fields["keep_rounds"].fault == "“99” does not fit. A losing paper can stay for 1 to 52 rounds."
    assert fields["meeting"].fault == ""
    assert flat(form.small) == "2 fields to mend"


def test_ticked_days_come_back_ticked() -> None:
    form = settings_form(ORGANISER, club(), "daily", {"daily_days": ["sat", "sun"], "start_over": "yes"})
    days, lap = (field for field in form.fields if isinstance(field, ChoiceField))
    assert [option.value for option in days.options if option.chosen] == ["sat", "sun"]
    assert [option.value for option in lap.options if option.chosen] == ["yes"]
    off = settings_form(ORGANISER, club(settings=Settings(daily_on=False)), "daily")
    assert not any(o.chosen for f in off.fields if f.name == "daily_days" for o in f.options)  # type: ignore[union-attr]


def test_a_new_club_is_asked_for_five_things() -> None:
    form = setup_form(ORGANISER, {"zone": "PST"}, {"zone": "“PST” is not a time zone I know."})
    assert [field.name for field in form.fields] == ["name", "zone", "language", "time", "weekdays"]
    assert form.fields[1].value == "PST" and form.fields[1].fault == "“PST” is not a time zone I know."


@pytest.mark.parametrize(
    ("paper_at", "vote_at", "english", "chinese"),
    [
        (
            TUESDAY,
            THURSDAY,
            "Saved. Next paper Tue 8 Dec, 09:00; next vote Thu 10 Dec, 09:00.",
            "已保存。下一篇论文：12 月 8 日周二 09:00；下次投票：12 月 10 日周四 09:00。",
        ),
        (
            TUESDAY,
            None,
            "Saved. Next paper Tue 8 Dec, 09:00; no weekly vote.",
            "已保存。下一篇论文：12 月 8 日周二 09:00；没有每周投票。",
        ),
        (
            None,
            THURSDAY,
            "Saved. No daily paper; next vote Thu 10 Dec, 09:00.",
            "已保存。没有每日论文；下次投票：12 月 10 日周四 09:00。",
        ),
        (None, None, "Saved. No daily paper and no weekly vote.", "已保存。没有每日论文，也没有每周投票。"),
    ],
)
def test_saving_says_what_comes_next(
    paper_at: datetime | None, vote_at: datetime | None, english: str, chinese: str
) -> None:
    assert told(saved_settings_page(EN, club(), paper_at, vote_at))[0] == english
    assert told(saved_settings_page(ZH, club(), paper_at, vote_at, vote_changed=False)) == [chinese]


def test_what_is_saved_in_a_pause_promises_nothing_before_its_end() -> None:
    rests = club(paused_at=NOW)
    assert told(saved_settings_page(EN, rests, None, None, vote_changed=False)) == [
        "Saved. Paused until somebody writes /club resume."
    ]
    assert told(saved_settings_page(ZH, rests, None, None, vote_changed=False)) == [
        "已保存。已暂停，直到有人输入 /club resume。"
    ]


def test_settings_and_help_of_a_resting_club_say_until_when() -> None:
    rests = club(paused_at=NOW, paused_until=datetime(2026, 12, 30, 23, 0, tzinfo=UTC))
    for page in (settings_page(ORGANISER, rests, TUESDAY, THURSDAY), help_page(EN, COMMANDS, rests)):
        assert told(page)[1] == "Paused until Thursday 31 December."
    paused, usual = told(help_page(ZH, COMMANDS, rests))[1:3]
    assert paused == "已暂停，到 12 月 31 日星期四恢复。"
    assert usual.startswith("不暂停时：") and "09:00" in usual
    over = replace(rests, paused_until=NOW)
    assert "Paused" not in " ".join(told(settings_page(ORGANISER, over, TUESDAY, THURSDAY)))


def test_a_club_just_set_up_is_told_its_week() -> None:
    page = setup_page(ORGANISER, club(), TUESDAY, THURSDAY)
    assert told(page)[:2] == [
        "Readers is set up. You are its organiser.",
        "A paper every weekday at 09:00. You nominate until Thursday 09:00, vote until Friday 17:00 and meet "
        "on Monday. Times are in Europe/Berlin.",
    ]


def test_the_week_is_told_as_it_is_set() -> None:
    words = words_for("zh")
    odd = Settings(daily_days=("mon", "sat"), daily_time=time(7, 5), vote_on=False)
    assert flat(week_sentence(words, club(settings=odd))) == (
        "周一、周六 07:05 发一篇论文。投票由组织者开始。时间均为 Europe/Berlin 时区。"
    )
    assert days_line(words_for("en"), ("mon", "tue", "wed", "thu", "fri", "sat", "sun")) == "every day"


def test_a_pause_says_until_when() -> None:
    assert told(paused_page(EN, club()))[0] == "Paused until somebody writes /club resume."
    until = club(paused_until=datetime(2026, 12, 30, 23, 0, tzinfo=UTC))
    assert told(paused_page(EN, until))[0] == "Paused until Thursday 31 December."
    assert told(resumed_page(ZH, TUESDAY, None)) == [
        "暂停已结束。",
        "[按这些设置] 下一篇论文：12 月 8 日周二 09:00。",
    ]


def test_organisers_are_named_and_the_change_comes_first() -> None:
    assert told(organisers_page(EN, ("Member 1", "Member 2")))[0] == "Organisers: Member 1 and Member 2"
    changed = told(organisers_page(EN, ("Member 1",), ("Member 2", "removed")))
    assert changed[:2] == ["Member 2 is no longer an organiser.", "Organiser: Member 1"]


def test_an_organisers_command_is_answered_with_what_happened() -> None:
    assert told(posted_page(EN, titled(), extra=True))[0].startswith(
        "On its way to the channel as an extra paper: On the sorting"
    )
    assert told(posted_page(ZH, titled(), extra=False))[0].startswith("正在发往频道，作为今日论文：")
    assert (
        told(opened_page(EN, a_round(four())))[0]
        == "The vote is open with 4 papers. It closes Fri 4 Dec, 17:00."
    )
    assert told(opened_page(EN, a_round(four()[:1])))[0] == (
        "Only one paper is nominated, so there is no vote. The announcement is on its way to the channel."
    )
    closed = replace(a_result({1: 1}), why="organiser")
    assert told(closed_page(EN, closed))[0].startswith("The vote is closed.")
    assert told(closed_page(EN, a_result({1: 1})))[0].startswith("The vote’s time was over already.")


# ---- help ----


def test_help_fits_the_readers_rights() -> None:
    member, organiser = help_page(EN, COMMANDS, club()), help_page(ORGANISER, COMMANDS, club())
    mine = {line.command for line in all_parts(member, CommandLine)}
    theirs = {line.command for line in all_parts(organiser, CommandLine)}
    assert not [command for command in mine if command.startswith("/club")]
    assert {"/club settings", "/club setup"} <= theirs and mine < theirs
    assert "You see the last group because you are an organiser." in told(organiser)[-1]
    assert "organiser" not in told(member)[-1]


def test_every_command_with_its_example_fits_its_column() -> None:
    commands = list(all_parts(help_page(ORGANISER, COMMANDS, club()), CommandLine))
    assert len(commands) == len(COMMANDS)
    assert max(len(line.command) for line in commands) <= 23


def test_before_set_up_anybody_may_see_how_to_begin() -> None:
    lines = told(help_page(EN, COMMANDS))
    assert "There is no club here yet. Papers can be searched and read all the same." in lines
    assert "/club setup channel, zone, first paper" in lines


@pytest.mark.parametrize("reader", [EN, ZH, ORGANISER])
def test_help_keeps_to_its_size_and_every_example_is_a_command(reader: object) -> None:
    lines = list(all_parts(help_page(reader, COMMANDS, club()), CommandLine))  # type: ignore[arg-type]
    assert 0 < len(lines) <= 30
    paths = [f"/{command.path}" for command in COMMANDS]
    for line in lines:
        assert len(f"{line.command} {line.text}") <= 80
        assert any(line.command == path or line.command.startswith(f"{path} ") for path in paths)


# ---- why ----


def test_why_tells_each_channel_what_became_of_the_day() -> None:
    due = datetime(2026, 12, 3, 8, 0, tzinfo=UTC)
    outcomes = [
        Outcome("papers", "preview", "daily", "sent", due, due + timedelta(minutes=12), paper_id=57),
        Outcome("talk", "preview", "daily", "missed", due, None, "away"),
        Outcome("night", "preview", "extra", "waiting", due, due + timedelta(minutes=5), "forbidden", 9),
        Outcome("new", "preview", "daily", "later", due, None, "paused"),
        Outcome("odd", "preview", "strange", "missed", due, None, "moon_phase"),
    ]
    page = why_page(EN, date(2026, 12, 3), outcomes, {57: titled(57)})
    assert told(page) == [
        "What was posted on Thursday 3 December",
        "papers · Daily paper: Posted Thu 3 Dec, 09:12. That was 12 minutes late. "
        "It was On the sorting of ballots (p57).",
        "talk · Daily paper: Due Thu 3 Dec, 09:00, not posted: the bot was not running.",
        "night · Extra paper: Due Thu 3 Dec, 09:00, not sent yet: the bot may not write there. "
        "Next try Thu 3 Dec, 09:05. It was p9.",
        "new · Daily paper: Due Thu 3 Dec, 09:00, but the club is paused.",
        "odd · strange: Due Thu 3 Dec, 09:00, not posted: moon_phase.",
    ]
    assert why_lines(words_for("zh"), outcomes[1:2], ZONE, NOW) == [
        "talk · 每日论文：应于 12 月 3 日周四 09:00 发出，没有发出：机器人当时没有运行。"
    ]


@pytest.mark.parametrize(
    "what",
    [
        "sent",
        "waiting",
        "uncertain",
        "missed",
        "later",
        "not_scheduled",
        "off",
        "before_club",
        "before_channel",
        "unknown",
    ],
)
def test_every_outcome_has_a_sentence(what: str) -> None:
    for reader in (EN, ZH):
        page = why_page(reader, date(2026, 12, 3), [Outcome("papers", "preview", "daily", what)])  # type: ignore[arg-type]
        assert told(page)[1].endswith((".", "。")) and "None" not in told(page)[1]


def test_a_day_without_anything_says_so() -> None:
    assert told(why_page(ZH, date(2026, 11, 28), []))[1] == "这一天没有安排，也没有记录。"


def test_a_day_to_come_is_told_as_planned() -> None:
    day, due = date(2030, 1, 7), datetime(2030, 1, 7, 8, 0, tzinfo=UTC)
    page = why_page(EN, day, [Outcome("papers", "preview", "daily", "later", due)])
    assert told(page)[0] == "What is planned for Monday 7 January 2030"
    assert told(why_page(ZH, day, []))[1] == "这一天没有安排。"
    assert told(why_page(EN, EN.now.astimezone(ZoneInfo(EN.zone)).date(), []))[0].startswith("What was")


# ---- notices, terminal ----


def test_notices_say_what_to_do() -> None:
    used_up = notice_page(EN, "used_up", {})
    few = notice_page(EN, "few_left", {"left": 7})
    zone = notice_page(ZH, "zone_lost", {"zone": "Mars/Base"})
    assert used_up and few and zone and notice_page(EN, "other", {}) is None
    assert told(used_up)[1:] == [
        "Every paper in the catalogue has been posted here.",
        "An organiser can import more, or let the list start over in /club settings.",
    ]
    assert told(few)[1] == "7 papers are left to post."
    assert told(zone)[1] == "时区 Mars/Base 已无法识别。"
    assert told(missed_page(EN, date(2026, 12, 3), "late"))[1] == (
        "The paper of Thursday 3 December was not posted: it could not be sent in time."
    )


def test_a_used_up_list_is_told_with_what_helps_this_club() -> None:
    chosen = notice_page(EN, "used_up", {"chosen": True, "start_over": False, "again": None})
    assert chosen and told(chosen)[1:] == [
        "Every paper of the chosen topics has been posted here.",
        "An organiser can import more, choose more topics, or let the list start over in /club settings.",
    ]
    again = notice_page(EN, "used_up", {"chosen": False, "start_over": True, "again": "2027-05-31"})
    assert again and told(again)[1:] == [
        "Every paper in the catalogue has been posted here.",
        "A paper may come again 180 days after it was posted: the first on Monday 31 May 2027. "
        "An organiser can import more.",
    ]
    both = notice_page(ZH, "used_up", {"chosen": True, "start_over": True, "again": "2027-05-31"})
    assert both and told(both)[1:] == [
        "所选主题的论文都发过了。",
        "论文发出 180 天后可以再发，最早的一篇在 2027 年 5 月 31 日星期一。"
        "组织者可以导入新论文，或在 /club settings 里增加主题。",
    ]
    empty = notice_page(EN, "used_up", {"chosen": False, "start_over": True, "again": None})
    assert empty and told(empty)[2] == (
        "A paper may come again 180 days after it was posted. An organiser can import more."
    )


def test_why_names_each_notice() -> None:
    for kind, name in (
        ("notice.used_up", "Notice that every paper was posted"),
        ("notice.few_left", "Notice that few papers are left"),
        ("notice.zone_lost", "Notice about the time zone"),
        ("missed", "Notice of a paper that was not posted"),
    ):
        [line] = why_lines(words_for("en"), [Outcome("papers", "preview", kind, "unknown")], "UTC", EN.now)
        assert line == f"papers · {name}: Nothing is recorded."


def test_an_import_is_told_in_one_line_and_its_problems_in_one_each() -> None:
    report = ImportReport(
        1, 0, 2, 3, (Problem(12, "Ada Mund,\nBo Lind", "no_abstract"), Problem(1, "", "new_code")), (paper(),)
    )
    assert import_lines(words_for("en"), report, "004.txt") == (
        "004.txt: 1 paper added, 0 changed, 2 merged, 3 unchanged, 2 problems",
        "004.txt, line 12: no abstract follows these authors: “Ada Mund, Bo Lind”",
        "004.txt, line 1: new_code",
    )
    assert import_lines(words_for("zh"), report)[0] == "新增 1 篇、更新 0 篇、合并 2 篇、未变 3 篇、2 个问题"


@pytest.mark.parametrize(
    ("found", "has_words", "hint"),
    [
        (Found("x", 1, ()), True, ""),
        (
            Found("???", 0, ()),
            False,
            "There is no word to look for in “???”. Write a word, an author or a topic.",
        ),
        (Found("zebra", 0, ()), True, "No paper for “zebra”. Fewer words find more; topics can be browsed."),
        (
            Found("sinkhron", 0, (), did_you_mean=("sinkhorn", 1)),
            True,
            "No paper for “sinkhron”. Fewer words find more; topics can be browsed. 1 paper has “sinkhorn”.",
        ),
    ],
)
def test_the_terminal_gets_the_same_hints(found: Found, has_words: bool, hint: str) -> None:
    assert search_hint(words_for("en"), found, has_words) == hint


@pytest.mark.parametrize("kind", ["open", "reminder", "result", "sheet", "decision", "thread"])
def test_everything_a_vote_says_in_the_channel_has_a_name_in_both_languages(kind: str) -> None:
    sent = [Outcome("papers", "preview", kind, "sent")]
    english, chinese = (" ".join(told(why_page(each, date(2026, 12, 3), sent))) for each in (EN, ZH))
    assert f"· {kind}" not in english and f"· {kind}" not in chinese
    assert not re.search(r"· [A-Z]", chinese)
