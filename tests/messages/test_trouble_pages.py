"""What organisers read about a channel that cannot be written to."""

from __future__ import annotations

from datetime import date

import pytest

from bot.delivery.platform import LASTING
from bot.messages.model import ChannelRef, Fault, Reader
from bot.messages.pages.notices import trouble_over_page, trouble_page
from bot.messages.pages.why import cause
from bot.messages.words import words_for
from tests.messages.samples import EN, NOW, ZH, all_parts, all_strings

PAPERS = ChannelRef("77", "papers")
DAY = date(2026, 11, 30)


@pytest.mark.parametrize("reader", [EN, ZH], ids=["en", "zh"])
@pytest.mark.parametrize("reason", sorted({*LASTING, "forbidden:send_messages"} - {"closed"}))
def test_each_cause_names_the_channel_a_way_out_and_what_waits(reader: Reader, reason: str) -> None:
    page = trouble_page(reader, PAPERS, reason, DAY)
    [fault] = all_parts(page.blocks, Fault)
    words = " ".join(all_strings(page.blocks))
    assert "papers" in " ".join(all_strings(fault)) and "/club settings" in words
    assert ("30 November" if reader is EN else "11 月 30 日") in words


def test_the_words_of_a_missing_right_are_those_of_the_specification() -> None:
    page = trouble_page(EN, PAPERS, "forbidden", DAY)
    assert page.summary == "I may not write in #papers."
    assert "".join(all_strings(page.blocks)).endswith(
        "Allow it, or choose another channel with /club settings; the paper of Monday 30 November is waiting."
    )


@pytest.mark.parametrize("reason", LASTING)
def test_every_lasting_reason_has_words_in_both_languages(reason: str) -> None:
    english, chinese = cause(words_for("en"), reason), cause(words_for("zh"), reason)
    assert reason not in (english, chinese) and english != chinese


def test_rights_stand_by_name_where_it_could_not_be_told_before() -> None:
    page = trouble_over_page(EN, NOW, "forbidden:send_messages,view_channel")
    assert "it lacks Send Messages and View Channel" in page.summary + " ".join(all_strings(page.blocks))
