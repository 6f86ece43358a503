"""Sentences, plurals and dates of each language."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from bot.messages.model import Code, When
from bot.messages.words import LANGUAGES, best_language, flat, words_for

EN, ZH = words_for("en"), words_for("zh")
NOW = datetime(2026, 12, 3, 10, 0, tzinfo=UTC)


def test_values_stand_in_the_sentence_as_they_are() -> None:
    text = EN.say("Paused until somebody writes {command}.", command=Code("/club resume"))
    assert text == ("Paused until somebody writes ", Code("/club resume"), ".")


def test_braces_of_a_value_are_not_filled_again() -> None:
    assert (
        EN.line("No paper is close to {headline}.", headline="{n} {headline}")
        == "No paper is close to {n} {headline}."
    )


def test_percent_signs_and_backslashes_are_nothing_special() -> None:
    assert EN.line("Reason: {reason}", reason="50% \\1 %s") == "Reason: 50% \\1 %s"


@pytest.mark.parametrize(
    ("n", "english", "chinese"),
    [(1, "1 paper", "1 篇论文"), (3, "3 papers", "3 篇论文"), (0, "0 papers", "0 篇论文")],
)
def test_plurals_follow_the_language(n: int, english: str, chinese: str) -> None:
    assert EN.count_line("{n} paper", "{n} papers", n) == english
    assert ZH.count_line("{n} paper", "{n} papers", n) == chinese


def test_a_sentence_is_parted_after_its_first_stop() -> None:
    what, rest = ZH.sentences("You have saved nothing yet. Press Save under any paper.")
    assert flat(what) == "还没有收藏。"
    assert flat(rest) == "点任意论文下方的“收藏”即可。"
    assert EN.sentences("Yes.") == (("Yes.",), ())


def test_a_stop_inside_a_value_parts_nothing() -> None:
    what, rest = EN.sentences("There is no topic “{topic}”. Nearest: {topics}.", topic="A. B. C", topics="D")
    assert flat(what) == "There is no topic “A. B. C”."
    assert flat(rest) == "Nearest: D."


def test_a_label_keeps_its_colon_and_the_text_its_blank() -> None:
    assert EN.labelled("Why this paper: an organiser asked for it.") == (
        "Why this paper:",
        (" an organiser asked for it.",),
    )
    assert ZH.labelled("Why this paper: an organiser asked for it.") == (
        "为什么是这篇：",
        ("由组织者指定。",),
    )


@pytest.mark.parametrize(
    ("name", "line"),
    [("Bo", "由 Bo 提名"), ("小明", "由小明提名"), ("Member 3", "由 Member 3 提名"), ("李 7", "由李 7 提名")],
)
def test_chinese_words_keep_a_blank_from_latin_ones_only(name: str, line: str) -> None:
    assert ZH.line("nominated by {member}", member=name) == line


def test_dates_are_told_in_the_zone_of_the_club() -> None:
    at = datetime(2026, 12, 4, 16, 0, tzinfo=UTC)
    assert EN.moment(at, "Europe/Berlin") == "Fri 4 Dec, 17:00"
    assert ZH.moment(at, "Asia/Shanghai") == "12 月 5 日周六 00:00"
    assert EN.date(date(2026, 12, 7)) == "Monday 7 December"
    assert ZH.date(date(2026, 12, 7)) == "12 月 7 日星期一"
    assert EN.clock(at + timedelta(seconds=4), "Europe/Berlin") == "17:00:04"


def test_another_year_is_told() -> None:
    at = datetime(2027, 1, 4, 8, 0, tzinfo=UTC)
    assert EN.moment(at, "Europe/Berlin", NOW) == "Mon 4 Jan 2027, 09:00"
    assert ZH.date(at, "Europe/Berlin", NOW) == "2027 年 1 月 4 日星期一"


def test_the_year_is_the_one_of_the_zone() -> None:
    newyear = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)
    assert EN.moment(newyear, "Europe/Berlin", NOW) == "Fri 1 Jan 2027, 00:30"


@pytest.mark.parametrize(
    ("span", "english", "chinese"),
    [
        (timedelta(days=1, hours=6), "in 1 day 6 hours", "1 天 6 小时后"),
        (timedelta(days=2, hours=23, minutes=59), "in 2 days 23 hours", "2 天 23 小时后"),
        (timedelta(hours=2), "in 2 hours", "2 小时后"),
        (timedelta(hours=1, minutes=1), "in 1 hour 1 minute", "1 小时 1 分钟后"),
        (timedelta(seconds=59), "now", "现在"),
        (timedelta(0), "now", "现在"),
        (-timedelta(minutes=90), "1 hour 30 minutes ago", "1 小时 30 分钟前"),
    ],
)
def test_spans_are_told_in_two_parts_at_most(span: timedelta, english: str, chinese: str) -> None:
    assert EN.relative(NOW + span, NOW) == english
    assert ZH.relative(NOW + span, NOW) == chinese


def test_a_line_with_instants_reads_as_a_sentence() -> None:
    text = ZH.say(
        "Vote open for the meeting on {date}. {question}",
        date=When(NOW, "date"),
        question=ZH.line("Which of these would you read?"),
    )
    assert ZH.plain(text, "Europe/Berlin", NOW) == "12 月 3 日星期四讨论会投票进行中：你愿意读哪几篇？"


def test_lists_are_joined_as_the_language_does() -> None:
    assert EN.all_of(["a", "b", "c"]) == "a, b and c"
    assert ZH.all_of(["2", "3", "5"]) == "2、3、5"
    assert EN.all_of(["a"]) == "a"
    assert EN.all_of([]) == ""


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("zh-CN", "zh"),
        ("zh", "zh"),
        ("zh_Hans_SG", "zh"),
        ("zh-Hans-TW", "zh"),
        ("zh-TW", "en"),
        ("zh-HK", "en"),
        ("zh-Hant", "en"),
        ("pt-BR", "en"),
        ("es-419", "en"),
        ("en-GB", "en"),
        ("EN_us.UTF-8", "en"),
        ("xx", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_a_client_locale_without_a_catalogue_gets_the_default(locale: str | None, language: str) -> None:
    assert best_language(locale, "en") == language


def test_the_default_of_a_chinese_club_is_chinese_for_strangers() -> None:
    assert best_language("pt-BR", "zh") == "zh"
    assert best_language("zh-TW", "zh") == "zh"
    assert best_language("en-US", "zh") == "en"
    assert best_language(None, "xx") == LANGUAGES[0]
