"""A club begins: where, with which rights, with which papers, with which first post."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.clubs.model import Account, Asker, Club, Place
from bot.errors import Refused, Uncertain
from bot.messages.model import Actions, Answer, Button, ChoiceField, Message, RoleField
from bot.storage.picks import find_pick
from tests.lab.house import (
    CHAIR,
    MEMBER,
    STRANGER,
    ZONE,
    House,
    faults_of,
    filled,
    ids_in,
    on,
    person,
    said,
    text_of,
)

ZH = replace(CHAIR, locale="zh-CN")
HERE = Asker(
    Account("discord", "900", "1"), Place("discord", "900", "77", name="reading"), "Member 1", "en", True
)
"""The organiser on a platform with roles, which no process has connected."""


async def club(house: House, name: str | None = None) -> Club:
    found = await house.group.find_club(name)
    assert found is not None
    return found


def no_fault(answer: Answer) -> str:
    text = text_of(answer)
    assert "wrong on our side" not in text and "我们这边出错了" not in text, text
    return text


def button(message: Message | None, start: str) -> Button:
    """The button of a message whose id begins so."""
    assert message is not None
    rows = [block for block in message.blocks if isinstance(block, Actions)]
    return next(b for row in rows for b in row.items if isinstance(b, Button) and b.id.startswith(start))


# ---- before it begins ----


async def test_where_there_are_no_papers_nobody_is_sent_to_search_them(bare: House) -> None:
    for locale, words in (
        ("en", "Choose its papers, such as the starter catalogue"),
        ("zh", "为小组选好论文"),
    ):
        message = await bare.group.server_joined("preview", f"of {locale}", locale, bare.now)
        assert list(ids_in(message)) == ["open:club setup", "help"]
        assert words in said(message) and "/paper search sinkhorn" in said(message)
    await bare.set_up()
    await bare.press(CHAIR, "starter:all")  # a club’s own papers are not for others to see
    message = await bare.group.server_joined("preview", "third", "en", bare.now)
    assert list(ids_in(message)) == ["open:club setup", "help"]


# ---- where ----


@pytest.mark.parametrize("named", ["talk", "#talk", "<#talk>", "<#talk|the talk>"])
async def test_a_club_stands_in_the_channel_that_is_named(house: House, named: str) -> None:
    answer = await house.set_up(channel=named)
    assert "Papers, votes and results are posted in #talk." in no_fault(answer)
    assert [channel.native_id for channel in (await club(house)).channels] == ["talk"]
    assert "Second is set up." in no_fault(await house.set_up(name="Second"))


async def test_the_form_keeps_the_channel_that_was_named(house: House) -> None:
    asked = await house.command(CHAIR, "club setup", channel="talk", time="7:30")
    assert asked.form is not None
    assert filled(asked.form)["time"] == "7:30" and filled(asked.form)["zone"] == ""
    wrong = await house.submit(CHAIR, asked.form.id, **filled(asked.form) | {"zone": "+02:00"})
    assert list(faults_of(wrong)) == ["zone"] and wrong.form is not None and wrong.form.id == asked.form.id
    await house.submit(CHAIR, asked.form.id, **filled(asked.form) | {"zone": ZONE})
    made = await club(house)
    assert [channel.native_id for channel in made.channels] == ["talk"]
    assert f"{made.settings.daily_time:%H:%M}" == "07:30"


async def test_in_a_thread_the_channel_it_hangs_from_is_meant(house: House) -> None:
    thread = replace(CHAIR, place=replace(CHAIR.place, channel="t1", parent="papers", name="a thread"))
    no_fault(await house.set_up(thread))
    assert [channel.native_id for channel in (await club(house)).channels] == ["papers"]
    assert "belongs to Paperclub already" in no_fault(await house.set_up(thread))
    assert "belongs to Paperclub already" in no_fault(await house.set_up())


async def test_a_club_of_a_thread_is_found_before_its_parent_is_free(house: House) -> None:
    thread = replace(CHAIR, place=replace(CHAIR.place, channel="t1", parent="papers", name="a thread"))
    no_fault(await house.set_up(thread, channel="t1"))
    assert "belongs to a thread already" in no_fault(await house.set_up(thread))


@pytest.mark.parametrize("channel", ["no such channel", "c" * 81, "c" * 10_000, "\ud83d", "<#>", "nowhere"])
async def test_what_is_no_channel_makes_no_club(house: House, channel: str) -> None:
    house.platform.broken = dict.fromkeys(("nowhere", "<#>", "?"), "gone")
    for zone in (ZONE, ""):
        answer = await house.command(CHAIR, "club setup", zone=zone, channel=channel)
        assert answer.kind == "form" or any(
            words in no_fault(answer) for words in ("is no channel here", "does not see #")
        )
    assert await house.group.find_club(None) is None


@pytest.mark.parametrize("who", [CHAIR, ZH], ids=["en", "zh"])
async def test_in_private_messages_no_club_is_set_up_and_it_is_said_where(house: House, who: Asker) -> None:
    aside = replace(who, place=Place("preview", "", "dm"), admin=False)
    where, none = {
        "en": ("Write /club setup in a channel of the server or workspace.", "You are in no club yet."),
        "zh-CN": ("请在服务器或工作区的频道里输入 /club setup。", "你还没有加入任何小组"),
    }[who.locale or ""]
    for answer in (
        await house.command(aside, "club setup"),
        await house.command(aside, "club setup", zone=ZONE, channel="talk"),
        await house.press(aside, "open:club setup"),
        await house.submit(aside, "configure:setup", zone=ZONE),
        await house.submit(replace(aside, admin=True), "configure:setup:talk", zone=ZONE),
    ):
        assert answer.kind == "private" and where in no_fault(answer)
    for path in ("paper today", "paper nominations", "club settings", "paper help"):
        text = no_fault(await house.command(aside, path))
        assert none in text and "this channel" not in text and "这个频道" not in text, path
    assert await house.group.find_club(None) is None


async def test_the_form_offers_the_channels_name_and_does_without_one(house: House) -> None:
    form = (await house.command(CHAIR, "club setup")).form
    assert form is not None and filled(form)["name"] == "papers"
    assert [field.name for field in form.fields if not field.required] == ["name", "weekdays"]
    wrong = await house.submit(CHAIR, form.id, **filled(form) | {"name": "", "zone": "Mars/Base"})
    assert list(faults_of(wrong)) == ["zone"] and filled(wrong.form)["name"] == ""  # type: ignore[arg-type]
    no_fault(await house.submit(CHAIR, form.id, **filled(form) | {"name": "", "zone": ZONE}))
    assert (await club(house)).name == "papers"


async def test_a_club_without_days_posts_no_paper_by_itself(house: House) -> None:
    form = (await house.command(CHAIR, "club setup")).form
    assert form is not None
    made = await house.submit(CHAIR, form.id, **filled(form) | {"zone": ZONE, "weekdays": []})
    assert "No paper comes by itself." in no_fault(made)
    text = no_fault(await house.press(CHAIR, "starter:all"))
    settings = (await club(house)).settings
    assert not settings.daily_on and "Next paper" not in text
    told = text_of(await house.command(CHAIR, "paper today"))
    assert "No paper has been posted yet, and none comes by itself." in told
    form = (await house.press(CHAIR, "settings:daily")).form
    assert form is not None and filled(form)["daily_days"] == []
    no_fault(await house.submit(CHAIR, form.id, **filled(form) | {"daily_days": ["tue"]}))
    assert (await club(house)).settings.daily_days == ("tue",)


async def test_a_channel_has_one_club_however_it_is_named(house: House) -> None:
    await house.set_up()
    elsewhere = person(1, "talk", admin=True)
    for args in ({"zone": ZONE}, {}):
        answer = await house.command(elsewhere, "club setup", channel="papers", **args)
        assert "This channel belongs to papers already." in no_fault(answer)


async def test_set_up_twice_at_once_makes_one_club(house: House) -> None:
    answers = await asyncio.gather(*(house.set_up(person(n, admin=True)) for n in (1, 2, 3)))
    texts = sorted(no_fault(answer) for answer in answers)
    assert sum("is set up" in text for text in texts) == 1
    assert sum("belongs to papers already" in text for text in texts) == 2


@pytest.mark.parametrize("channel", ["", "talk"])
async def test_only_who_manages_the_place_sets_up(house: House, channel: str) -> None:
    for args in ({"zone": ZONE}, {}):
        text = no_fault(await house.command(MEMBER, "club setup", channel=channel, **args))
        assert "Only whoever manages this server or workspace can set up a club." in text
    assert await house.group.find_club(None) is None


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"zone": "UTC+2"}, "zone"),
        ({"time": "25:00"}, "time"),
        ({"weekdays": "someday"}, "weekdays"),
        ({"language": "tlh"}, "language"),
        ({"name": "n" * 81}, "name"),
    ],
)
async def test_an_option_that_cannot_be_used_comes_back_in_the_form(
    house: House, values: dict[str, str], field: str
) -> None:
    answer = await house.set_up(**values)
    assert list(faults_of(answer)) == [field]
    assert await house.group.find_club(None) is None


# ---- from another channel ----


async def test_buttons_of_a_club_made_elsewhere_are_about_that_club(house: House) -> None:
    await house.set_up(name="First")
    answer = await house.set_up(name="Second", channel="talk")
    second = await club(house, "Second")
    assert set(ids_in(answer.message)) >= {f"starter:all:{second.id}", f"starter-form:{second.id}"}
    form = (await house.press(CHAIR, f"starter-form:{second.id}")).form
    assert form is not None
    started = await house.submit(CHAIR, form.id, topics=["Theory"])
    assert (await club(house, "Second")).settings.daily_topics == ("Theory",)
    assert (await club(house, "First")).settings.daily_topics == ()
    assert "in #talk" in no_fault(await house.press(CHAIR, button(started.also, "wait").id))
    assert "It is posted in #talk." in no_fault(await house.press(CHAIR, button(started.also, "post").id))
    await house.tick(house.now + timedelta(seconds=1))
    assert {posted.to.native_id for posted in house.platform.posts} == {"talk"}
    no_fault(await house.press(CHAIR, f"starter:none:{second.id}"))
    assert (
        not (await club(house, "Second")).settings.daily_on and (await club(house, "First")).settings.daily_on
    )


@pytest.mark.parametrize(
    "action", ["starter:all", "starter:none", "starter-form", "wait", "post:2026-11-30:p57"]
)
async def test_a_clubs_number_in_a_button_gives_no_rights(house: House, action: str) -> None:
    await house.set_up(name="First")
    first = await club(house)
    abroad = person(7, "far", admin=True, server="x")
    await house.set_up(abroad, name="Far")
    before = await house.group.find_club("First")
    for who in (MEMBER, STRANGER, abroad):
        for number in (str(first.id), "99", "x", "²", "9" * 30):
            text = no_fault(await house.press(who, f"{action}:{number}"))
            assert any(words in text for words in ("Only organisers", "belongs to nothing any more")), text
    assert await house.group.find_club("First") == before
    await house.tick()
    assert house.platform.posts == []


# ---- rights ----


async def test_missing_rights_are_named_and_what_was_typed_is_kept(house: House) -> None:
    house.platform.broken["talk"] = "forbidden:send_messages,read_message_history"
    answer = await house.set_up(
        channel="talk", time="18:05", weekdays="sat,sun", name="Readers", language="zh"
    )
    text = no_fault(answer)
    assert "Paperclub may not do all it needs in #talk." in text
    assert "Allow Paperclub: Send Messages and Read Message History." in text
    assert await house.group.find_club(None) is None
    again = button(answer.message, "setup:").id
    assert "may not do all it needs" in no_fault(await house.press(CHAIR, again))
    for other in (MEMBER, person(5, admin=True)):
        no_fault(await house.press(other, again))
        assert await house.group.find_club(None) is None
    house.platform.broken.clear()
    assert "Readers" in no_fault(await house.press(CHAIR, again))
    made = await club(house)
    assert (made.name, made.language, made.settings.daily_days) == ("Readers", "zh", ("sat", "sun"))
    assert f"{made.settings.daily_time:%H:%M}" == "18:05"
    assert [channel.native_id for channel in made.channels] == ["talk"]
    assert "belongs to Readers already" in no_fault(await house.press(CHAIR, again))


async def test_a_channel_nobody_sees_is_said_to_be_so_in_both_languages(house: House) -> None:
    house.platform.broken["hidden"] = "gone"
    seen = no_fault(await house.set_up(channel="hidden"))
    assert "Paperclub does not see #hidden, or there is no such channel." in seen
    seen = no_fault(await house.set_up(ZH, channel="hidden"))
    assert "Paperclub 看不到 #hidden，或者没有这个频道。" in seen and "再检查一次" in seen


async def test_a_platform_that_does_not_answer_makes_no_club(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(to: object) -> tuple[str, ...]:
        raise Uncertain("network")

    with monkeypatch.context() as patched:
        patched.setattr(house.platform, "missing_rights", lost)
        answer = await house.set_up()
        assert "could not be found out just now" in no_fault(answer)
        assert await house.group.find_club(None) is None
    assert "papers is set up." in no_fault(await house.press(CHAIR, button(answer.message, "setup:").id))


async def test_a_platform_that_is_not_connected_is_not_asked(house: House) -> None:
    assert "reading is set up." in no_fault(await house.set_up(HERE))


@pytest.mark.parametrize(
    "action_id", ["setup", "setup:", "setup:x", "setup:99", "setup:²", "starter:", "starter:x"]
)
async def test_a_button_of_set_up_nobody_ever_saw_is_answered(house: House, action_id: str) -> None:
    for who in (CHAIR, STRANGER, ZH):
        no_fault(await house.press(who, action_id))
        no_fault(await house.submit(who, action_id, topics=["x"]))
    await house.set_up()
    for who in (CHAIR, STRANGER, ZH):
        no_fault(await house.press(who, action_id))
        no_fault(await house.submit(who, action_id, topics=["x"]))


# ---- papers ----


async def test_an_empty_catalogue_starts_with_the_starter_pages_once(bare: House) -> None:
    answer = await bare.set_up()
    assert "There are no papers yet. The starter catalogue has four pages" in no_fault(answer)
    assert {"starter:all", "starter-form", "starter:none"} <= set(ids_in(answer.message))
    first, second = await asyncio.gather(*(bare.press(CHAIR, "starter:all") for _ in range(2)))
    third = await bare.press(CHAIR, "starter:all")
    here = await club(bare)
    papers = bare.group.rooms.papers
    assert await papers.count(None) == 0 and await papers.count(here.id) == 79
    for started in (second, third):
        assert "The club starts with 79 papers. Every area has its turn." in no_fault(started)
    no_fault(first)


async def test_shared_papers_are_counted_and_nothing_is_imported_again(house: House) -> None:
    answer = await house.set_up()
    text = no_fault(answer)
    assert "The catalogue holds 79 papers already." in text and "All 79 papers" in text
    no_fault(await house.press(CHAIR, "starter:all"))
    assert await house.group.rooms.papers.count((await club(house)).id) == 79


@pytest.mark.parametrize("shared", [True, False])
async def test_topics_are_the_areas_and_become_the_daily_topics(
    house: House, bare: House, shared: bool
) -> None:
    here = house if shared else bare
    await here.set_up()
    asked = await here.press(CHAIR, "starter-form")
    assert asked.kind == "form" and asked.form is not None
    (field,) = asked.form.fields
    assert isinstance(field, ChoiceField) and field.several
    names = [option.value for option in field.options]
    assert names[0] == "Deep Learning" and names[-1] == "none" and len(names) == 10
    await here.press(CHAIR, "starter-form")
    if not shared:
        assert await here.group.rooms.papers.count((await club(here)).id) == 0
    for nothing in ([], ["Astrology"]):
        again = await here.submit(CHAIR, asked.form.id, topics=nothing)
        assert faults_of(again) == {"topics": "No topic is ticked. Tick one, or start with all papers."}
    answer = await here.submit(CHAIR, asked.form.id, topics=["Theory", "Optimization"])
    assert "Daily papers come from Theory and Optimization" in no_fault(answer)
    assert (await club(here)).settings.daily_topics == ("Theory", "Optimization")
    assert answer.also is not None and ("Theory" in said(answer.also) or "Optimization" in said(answer.also))
    await here.submit(CHAIR, asked.form.id, topics=names)
    assert (await club(here)).settings.daily_topics == ()


async def test_only_an_organiser_chooses_the_papers(bare: House) -> None:
    await bare.set_up()
    for action_id in ("starter:all", "starter:none", "starter-form", "wait"):
        assert "Only organisers can do this." in no_fault(await bare.press(MEMBER, action_id))
    answer = await bare.submit(MEMBER, "starter:topics", topics=["Theory"])
    assert "Only organisers can do this." in no_fault(answer)
    assert await bare.group.rooms.papers.count((await club(bare)).id) == 0


async def test_a_club_without_papers_is_not_nagged_and_begins_once_there_are_some(bare: House) -> None:
    await bare.set_up(weekdays="daily")
    text = no_fault(await bare.press(CHAIR, "starter:none"))
    assert "The club starts without papers." in text and "paperclub import" in text
    await bare.until(datetime(2026, 12, 2, 12, tzinfo=UTC))
    assert bare.platform.posts == []
    assert "There is no paper to post yet." in no_fault(await bare.press(CHAIR, "post"))
    settings = await bare.command(CHAIR, "club settings")
    assert "There are no papers yet. Start with these?" in no_fault(settings)
    no_fault(await bare.press(CHAIR, button(settings.message, "starter:all").id))
    await bare.until(datetime(2026, 12, 3, 7, 59, tzinfo=UTC))
    assert bare.platform.posts == []
    await bare.until(datetime(2026, 12, 3, 8, 1, tzinfo=UTC))
    assert len(bare.platform.in_channel(start="Today’s paper")) == 1


async def test_a_club_that_never_chose_is_told_once_that_there_is_no_paper(bare: House) -> None:
    await bare.set_up(weekdays="daily")
    await bare.until(datetime(2026, 12, 2, 12, tzinfo=UTC))
    (told,) = bare.platform.posts
    assert "There is no paper to post yet." in said(told.message)
    assert "has been posted" not in said(told.message)


async def test_none_where_there_are_papers_posts_none_until_a_choice_is_made(house: House) -> None:
    await house.set_up(weekdays="daily")
    assert "No paper comes by itself for now." in no_fault(await house.press(CHAIR, "starter:none"))
    await house.until(datetime(2026, 12, 2, 12, tzinfo=UTC))
    assert house.platform.posts == []
    answer = await house.press(CHAIR, "starter:all")
    assert "Next paper Thu 3 Dec, 09:00." in no_fault(answer)


# ---- the first post ----


async def test_the_preview_is_the_paper_that_is_posted_at_once(house: House) -> None:
    await house.set_up(language="zh")
    preview = (await house.press(CHAIR, "starter:all")).also
    assert preview is not None
    assert "Preview: this is how the paper will stand in #papers." in said(preview)
    assert button(preview, "wait").label == "Wait until 09:00"
    assert button(preview, "more:").disabled and button(preview, "save:").disabled
    here = await club(house)
    assert await house.database.read(lambda tx: find_pick(tx, here.id, "2026-11-30")) is None
    answer = await house.press(CHAIR, button(preview, "post").id)
    assert "It is posted in #papers." in no_fault(answer)
    await house.tick(house.now + timedelta(seconds=1))
    (posted,) = house.platform.posts
    assert shown_in(posted.message) == shown_in(preview)
    assert posted.message.language == "zh"


@pytest.mark.parametrize("channel", ["papers", "talk"])
async def test_post_now_posts_what_was_seen_once_however_often_it_is_pressed(
    house: House, channel: str
) -> None:
    await house.set_up(name="Readers", channel=channel)
    elsewhere = f":{(await club(house)).id}" if channel == "talk" else ""
    seen = button((await house.press(CHAIR, f"starter:all{elsewhere}")).also, "post:")
    paper = seen.id.removeprefix("post:2026-11-30:").removesuffix(elsewhere)
    assert seen.id == f"post:2026-11-30:{paper}{elsewhere}"
    assert "It is posted in #" in no_fault(await house.press(CHAIR, seen.id))
    twice = "This paper is posted already, or on its way. Nothing more was posted."
    assert twice in no_fault(await house.press(CHAIR, seen.id))
    for later in (timedelta(seconds=1), timedelta(hours=2), timedelta(days=1)):
        await house.until(house.now + later)
        standing = len(house.platform.posts)
        assert twice in no_fault(await house.press(CHAIR, seen.id))
        assert "已经发布" in no_fault(await house.press(replace(ZH, place=CHAIR.place), seen.id))
        await house.tick(house.now + timedelta(seconds=1))
        assert len(house.platform.posts) == standing
    assert [paper_in(post.message) for post in house.platform.posts].count(f"more:{paper}") == 1


async def test_a_preview_of_another_day_posts_nothing_and_shows_what_would_come_now(house: House) -> None:
    await house.set_up(weekdays="mon,tue")
    seen = button((await house.press(CHAIR, "starter:all")).also, "post:").id
    house.platform.fault = Refused("network")  # Monday’s paper reaches nobody
    await house.until(datetime(2026, 12, 1, 7, tzinfo=UTC))
    house.platform.fault = None
    for who, words in ((CHAIR, "This preview is out of date"), (ZH, "这份预览已过期")):
        answer = await house.press(who, seen)
        assert words in no_fault(answer)
    await house.tick(house.now + timedelta(seconds=1))
    assert house.platform.posts == []
    now = button(answer.also, "post:").id
    assert now.startswith("post:2026-12-01:p") and now != seen
    no_fault(await house.press(CHAIR, now))
    await house.tick(house.now + timedelta(seconds=1))
    (posted,) = house.platform.posts
    assert paper_in(posted.message) == f"more:{now.rpartition(':')[2]}"


async def test_an_extra_paper_that_was_seen_is_posted_once_too(house: House) -> None:
    house.now = datetime(2026, 12, 5, 12, tzinfo=UTC)  # a Saturday, on which none comes by itself
    await house.set_up()
    seen = button((await house.press(CHAIR, "starter:all")).also, "post:").id
    assert seen.startswith("post:extra:1:p")
    await house.command(CHAIR, "club post now")
    await house.tick(house.now + timedelta(seconds=1))
    assert "posted already" in no_fault(await house.press(CHAIR, seen))
    await house.tick(house.now + timedelta(seconds=1))
    assert len(house.platform.posts) == 1
    await house.command(CHAIR, "club post now")  # the command goes on as ever
    await house.tick(house.now + timedelta(seconds=1))
    assert len(house.platform.posts) == 2


@pytest.mark.parametrize(
    "rest",
    ["x", "7", "2026-11-30", "2026-11-30:57", "extra:p57", "2026-11-30:p57:x", "2026-11-30:p57:", "²:p1"],
)
async def test_a_button_to_post_that_was_never_made_posts_nothing(house: House, rest: str) -> None:
    await house.set_up()
    assert "belongs to nothing any more" in no_fault(await house.press(CHAIR, f"post:{rest}"))
    for unseen in ("post:2026-11-30:p999", "post:extra:1:p57", "post:9999-99-99:p1"):
        assert "This preview is out of date" in no_fault(await house.press(CHAIR, unseen))
    await house.tick(house.now + timedelta(seconds=1))
    assert house.platform.posts == []


async def test_who_waits_gets_the_same_paper_at_its_time(house: House) -> None:
    await house.set_up()
    for _ in range(3):
        preview = (await house.press(CHAIR, "starter:all")).also
    answer = await house.press(CHAIR, button(preview, "wait").id)
    assert "The paper comes Mon 30 Nov, 09:00, in #papers." in no_fault(answer)
    await house.until(datetime(2026, 11, 30, 8, 1, tzinfo=UTC))
    (posted,) = house.platform.posts
    assert preview is not None and shown_in(posted.message) == shown_in(preview)


async def test_a_slot_of_another_day_is_named_with_its_day(house: House) -> None:
    house.now = datetime(2026, 12, 5, 12, tzinfo=UTC)  # a Saturday
    await house.set_up(ZH, language="zh")
    preview = (await house.press(ZH, "starter:all")).also
    assert button(preview, "wait").label == "等到 12 月 7 日周一 09:00"
    no_fault(await house.press(ZH, "wait"))
    await house.until(datetime(2026, 12, 7, 8, 1, tzinfo=UTC))
    (posted,) = house.platform.posts
    assert preview is not None
    assert paper_in(posted.message) == paper_in(preview)


async def test_what_was_shown_and_never_posted_uses_up_no_paper(house: House) -> None:
    await house.set_up(weekdays="daily")
    seen = set()
    for _ in range(5):
        house.now += timedelta(minutes=1)
        seen.add(paper_in((await house.press(CHAIR, "starter:all")).also))
    assert len(seen) == 1
    assert await house.database.read(lambda tx: tx.rows("SELECT 1 FROM pick")) == []


def shown_in(message: Message) -> list[object]:
    """What a post shows, without buttons and what stands around it."""
    inside = [
        block for block in message.blocks if type(block).__name__ in ("Kicker", "Title", "Reason", "Excerpt")
    ]
    assert len(inside) >= 3
    return list(inside)


def paper_in(message: Message | None) -> str:
    return button(message, "more:").id


# ---- settings ----


async def test_a_club_moves_only_where_the_bot_may_work(house: House) -> None:
    await house.set_up()
    house.platform.broken = {"talk": "forbidden:send_messages", "hidden": "gone"}
    form = (await house.press(CHAIR, "settings:club")).form
    assert form is not None and not [field for field in form.fields if isinstance(field, RoleField)]
    values = filled(form)
    wrong = await house.submit(CHAIR, form.id, **values | {"channel": "talk", "name": "New"})
    assert faults_of(wrong)["channel"] == "Paperclub may not do all it needs there. Allow it: Send Messages."
    wrong = await house.submit(CHAIR, form.id, **values | {"channel": "hidden"})
    assert faults_of(wrong)["channel"].startswith("Paperclub does not see this channel.")
    here = await club(house)
    assert here.name == "papers" and [channel.native_id for channel in here.channels] == ["papers"]
    house.platform.broken = {}
    no_fault(await house.submit(CHAIR, form.id, **values | {"channel": "talk", "name": "New"}))
    here = await club(house)
    assert here.name == "New" and [channel.native_id for channel in here.channels] == ["talk"]


async def test_the_role_to_notify_is_off_until_one_is_chosen_and_stays_in_a_move(house: House) -> None:
    await house.set_up(HERE)
    assert "Role to notify nobody" in no_fault(await house.command(HERE, "club settings"))
    form = (await house.press(HERE, "settings:club")).form
    assert form is not None and len(form.fields) == 5
    values = filled(form)
    assert values["role"] == ""
    for wrong, words in (("900", "Everybody on the server would be notified."), ("<@&5>", "This is no role")):
        answer = await house.submit(HERE, form.id, **values | {"role": wrong})
        assert faults_of(answer)["role"].startswith(words)
    no_fault(await house.submit(HERE, form.id, **values | {"role": "555"}))
    assert [channel.role for channel in (await club(house)).channels] == ["555"]
    assert "Role to notify a role is set" in no_fault(await house.command(HERE, "club settings"))
    no_fault(await house.submit(HERE, form.id, **values | {"role": "555", "channel": "78"}))
    assert [(c.native_id, c.role) for c in (await club(house)).channels] == [("78", "555")]
    form = (await house.press(HERE, "settings:club")).form
    assert form is not None and filled(form)["role"] == "555"
    no_fault(await house.submit(HERE, form.id, **filled(form) | {"role": ""}))
    assert [channel.role for channel in (await club(house)).channels] == [""]


@pytest.mark.parametrize("locale", ["en", "zh-CN"])
async def test_in_private_messages_channel_and_role_are_not_asked_for_and_stay(
    house: House, locale: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(house.group.rooms.platforms, "discord", house.platform)  # type: ignore[arg-type]
    founder = replace(HERE, account=Account("discord", "", "1"))
    await house.set_up(founder)
    form = (await house.press(founder, "settings:club")).form
    assert form is not None
    role = next(field for field in form.fields if isinstance(field, RoleField))
    assert "must allow anyone to mention it" in role.hint
    no_fault(await house.submit(founder, form.id, **filled(form) | {"role": "555"}))
    aside = replace(founder, place=Place("discord", "", "dm"), admin=False, locale=locale)
    form = (await house.press(aside, "settings:club")).form
    assert form is not None, text_of(await house.press(aside, "settings:club"))
    assert list(filled(form)) == ["name", "language", "zone"]
    wrong = await house.submit(aside, form.id, **filled(form) | {"zone": "Mars/Base"})
    assert wrong.form is not None and list(filled(wrong.form)) == ["name", "language", "zone"]
    no_fault(await house.submit(aside, form.id, **filled(form) | {"name": "Readers"}))
    here = await club(house)
    assert here.name == "Readers" and [(c.native_id, c.role) for c in here.channels] == [("77", "555")]


async def test_a_user_group_is_told_by_its_id_and_a_handle_nobody_has_names_the_nearest(house: House) -> None:
    here = on("slack", 9, admin=True)
    await house.set_up(here)
    assert "Group to notify nobody" in no_fault(await house.command(here, "club settings"))
    form = (await house.press(here, "settings:club")).form
    assert form is not None and form.fields[-1].label == "Group to notify"
    values = filled(form)
    for more, words in (
        (
            {"role": "@reeders", "role.near": "@readers"},
            "There is no group @reeders here. The nearest is @readers.",
        ),
        ({"role": "@reeders"}, "No group @reeders was found here."),
        ({"role": "<!channel>"}, "This is no role"),
    ):
        assert faults_of(await house.submit(here, form.id, **values | more))["role"].startswith(words)
    assert [channel.role for channel in (await club(house)).channels] == [""]
    no_fault(await house.submit(here, form.id, **values | {"role": "S0CLUB"}))
    assert [channel.role for channel in (await club(house)).channels] == ["S0CLUB"]
    assert "Group to notify a group is set" in no_fault(await house.command(here, "club settings"))


async def test_settings_from_a_platform_without_roles_leave_the_role_alone(house: House) -> None:
    await house.set_up(HERE)
    values = filled((await house.press(HERE, "settings:club")).form)  # type: ignore[arg-type]
    no_fault(await house.submit(HERE, "configure:club", **values | {"role": "555"}))
    del values["role"]
    no_fault(await house.submit(HERE, "configure:club", **values | {"name": "Readers"}))
    here = await club(house)
    assert here.name == "Readers" and [channel.role for channel in here.channels] == ["555"]
