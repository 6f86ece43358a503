"""Whatever people send is answered privately with one helpful sentence, and nothing is half done."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.clubs.model import Asker, Club
from bot.messages.model import Answer, ChoiceField, TextField
from tests.lab.house import (
    CHAIR,
    MEMBER,
    MONDAY,
    OTHER,
    STRANGER,
    House,
    faults_of,
    filled,
    ids_in,
    person,
    said,
    text_of,
)

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)


async def told(house: House, answer: Answer, *words: str) -> None:
    """The answer is private, is no fault of ours, and says this."""
    text = text_of(answer)
    assert answer.kind == "private", text
    assert "wrong on our side" not in text
    for each in words:
        assert each in text, text


async def club(house: House) -> Club:
    found = await house.group.find_club(None)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("path", "args", "words"),
    [
        ("paper show", {"id": "p999"}, "There is no paper p999. Ids run from p1 to p"),
        ("paper show", {"id": "p570"}, "Show p57"),
        ("paper show", {"id": "p0"}, "There is no paper p0."),
        ("paper show", {"id": "sinkhorn"}, "There is no paper sinkhorn."),
        ("paper show", {"id": "p" + "9" * 10_000}, "There is no paper p999"),
        ("paper show", {}, "Something is missing after /paper show. For example: /paper show p57"),
        ("paper similar", {"id": "-1"}, "There is no paper -1."),
        (
            "paper random",
            {"topic": "Deep Lerning"},
            "There is no topic “Deep Lerning”. Nearest: Deep Learning",
        ),
        ("paper random", {"topic": "量子" * 5_000}, "There is no topic “量子"),
        ("paper search", {"query": "?!… -- ''"}, "There is no word to look for in “?!… -- ''”."),
        ("paper search", {"query": "x" * 2_000}, "This search is longer than 300 characters."),
        ("paper search", {"query": "zzzqqq"}, "No paper for “zzzqqq”."),
        ("paper search", {"query": "\ud83d 🜚🜚 \x00"}, ""),
        ("paper nominate", {"paper": "p999"}, "There is no paper p999."),
        ("paper nominate", {"paper": "javascript:alert(1)"}, "This is neither a paper’s id nor a link."),
        ("paper nominate", {"paper": "sinkhorn"}, "Search “sinkhorn”"),
        ("paper nominate", {"paper": "p57", "reason": "r" * 301}, "A reason has at most 300 characters."),
        ("paper nominate", {"paper": "https://example.org/" + "x" * 600}, "neither a paper’s id nor a link"),
        ("paper vote", {}, "No vote is open. The next one opens Thu 3 Dec, 09:00."),
        ("paper results", {}, "There is no result yet."),
        ("paper history", {}, "The club has read nothing together yet."),
        ("paper saved", {}, "You have saved nothing yet. Press Save under any paper."),
        ("paper today", {}, "No paper has been posted yet. The first comes at the club’s time."),
        ("paper why", {"day": "yesterday"}, "“yesterday” is not a day I can read. Write it like 2026-11-30."),
        ("paper why", {"day": "9999-12-31"}, "is not a day I can read"),
        ("paper why", {"day": "0001-01-01"}, "is not a day I can read"),
        ("paper fly", {}, "There is no command /paper fly. Help lists them all."),
        ("club pause", {"until": "2020-01-01"}, "Wednesday 1 January is over."),
        ("club pause", {"until": "2026-11-30"}, "Monday 30 November has begun already."),
        ("club pause", {"until": "soon"}, "“soon” is not a day I can read."),
        ("club resume", {}, "The club is not paused."),
        ("club remove", {"paper": "p57"}, "There is no such nomination."),
        ("club close vote", {"reason": "Done"}, "No vote is open."),
        ("club organisers", {"change": "promote"}, "“promote” is neither add nor remove."),
        ("club organisers", {"change": "add"}, "Whom?"),
        ("club organisers", {"change": "add", "member": "Nobody"}, "There is no such member in this club."),
        ("club organisers", {"change": "remove"}, "is the only organiser, and a club keeps at least one."),
        ("club block", {}, "Something is missing after /club block."),
        ("club block", {"member": "Nobody"}, "There is no such member in this club."),
        ("club block", {"member": "<@u1|Member 1>"}, "You cannot block yourself."),
        ("club block", {"member": "<@>"}, "There is no such member in this club."),
        ("paper link", {}, "papers stands on one side only, so there is nothing to link."),
        ("paper link", {"code": "AAAA9999"}, "This code has been used or is too old."),
        ("paper link", {"code": "\ud83d💥" * 5_000}, "This code has been used or is too old."),
        ("club link", {"code": "AAAA9999"}, "This channel belongs to papers already."),
        ("club undo", {}, "There is no post to take back."),
        ("club restore", {}, "There is no deleted club here that you can bring back."),
        ("club setup", {"zone": "Europe/Paris"}, "This channel belongs to papers already."),
    ],
)
async def test_a_mistake_is_told_in_a_sentence(
    house: House, path: str, args: dict[str, str], words: str
) -> None:
    await house.set_up()
    await told(house, await house.command(CHAIR, path, **args), words)


@pytest.mark.parametrize(
    "action_id",
    [
        "", ":", "vote", "vote:", "vote:x", "vote:-1", "vote:²", "vote:999999999999999", "vote:1e3",
        "mine:0", "how:7", "result:7", "retract:3", "withdraw:", "withdraw:77", "search:9999:model",
        "search::", "search:x:y", "search:", "search:2:~AAAAAAAAAAAA", "search:2:~", "find:", "find:🜚",
        "topics:~zzz", "topics:", "topics:💥", "random:~", "random:nowhere", "save:p0", "save:", "more:",
        "more:p", "more:💥", "show:p99999", "nominate:new", "nominate:", "nominate-form:x",
        "nominate-form:999", "settings:", "settings:all", "post:", "history:0", "history:9999",
        "saved:-5", "nominations:99", "today:x", "help:", "cancel", "ballot:1", "propose", "x" * 10_000,
        "undo:", "undo:x", "undo:2026-11-30:p1", "undo:extra:1:p57", "undo:::", "delete:", "delete:99",
        "delete:x", "restore:", "restore:1", "restore:x", "in:", "in:1", "in:1:1", "in-form:x:y", "in-form:",
        "link-yes:", "link-yes:1", "link-no:x", "apart", "unlink:", "unlink:1", "leaving", "leave:", "leave:1",
        "leave:x", "join:", "join:AAAA9999", "linked", "linked:1", "settings:people",
        "configure:club", "find:" + "y" * 9_000, "\ud83d", "more:\ud83d",
    ],
)  # fmt: skip
async def test_an_id_nobody_ever_saw_is_answered(house: House, action_id: str) -> None:
    await house.set_up()
    for who in (CHAIR, STRANGER):
        answer = await house.press(who, action_id)
        assert "wrong on our side" not in text_of(answer), text_of(answer)
        assert answer.kind != "public"
        assert answer.kind == "form" or text_of(answer)


@pytest.mark.parametrize(
    "form_id", ["", "ballot:", "ballot:x", "ballot:9", "propose:9", "configure", "x" * 500]
)
async def test_a_form_nobody_ever_saw_is_answered(house: House, form_id: str) -> None:
    await house.set_up()
    for who in (CHAIR, STRANGER):
        for values in ({}, {"papers": ["p1"], "junk": "x"}, {"papers": "p1", "paper": ["a", "b"]}):
            answer = await house.submit(who, form_id, **values)  # type: ignore[arg-type]
            assert "wrong on our side" not in text_of(answer), text_of(answer)


async def test_before_set_up_everything_but_reading_says_who_can_begin(house: House) -> None:
    for path in (
        *("paper today", "paper saved", "paper nominations", "paper vote", "paper results", "paper why"),
        *("paper history", "club settings", "club post now", "club organisers"),
    ):
        await told(
            house, await house.command(STRANGER, path), "There is no club in this channel yet.", "/club setup"
        )
    for action_id in (
        "save:p57",
        "nominate:p57",
        "nominate-form:new",
        "vote:1",
        "settings:club",
        "post",
        "today",
    ):
        await told(house, await house.press(STRANGER, action_id), "There is no club in this channel yet.")
    await told(
        house,
        await house.command(STRANGER, "club setup"),
        "Only whoever manages this server or workspace can set up",
    )
    await told(
        house, await house.submit(STRANGER, "configure:setup", zone="UTC"), "Only whoever manages this server"
    )
    helped = text_of(await house.command(STRANGER, "paper help"))
    assert "/paper search" in helped and "/paper nominate" not in helped and "/club" not in helped
    assert "/club setup" in text_of(await house.command(CHAIR, "paper help"))


async def test_help_fits_the_rights_of_the_caller(house: House) -> None:
    await house.set_up()
    assert "/club settings" in text_of(await house.command(CHAIR, "paper help"))
    assert "/club settings" not in text_of(await house.command(MEMBER, "paper help"))
    assert "/paper nominate p57" in text_of(await house.command(MEMBER, "paper help"))


async def test_only_organisers_change_the_club(house: House) -> None:
    await house.set_up()
    before = await club(house)
    for path in (
        *("club settings", "club post now", "club open vote", "club close vote", "club pause"),
        *("club resume", "club organisers", "club remove", "club block", "club undo"),
        *("club delete", "club link"),
    ):
        await told(house, await house.command(MEMBER, path), "Only organisers can do this. Ask Member 1.")
    for action_id in (
        *("settings:club", "settings:vote", "settings:people", "post", "undo:extra:1:p57", "delete:1"),
        *("leaving", "leave:1", "unblock:1"),
    ):
        await told(house, await house.press(MEMBER, action_id), "Only organisers can do this. Ask Member 1.")
    for part in ("club", "daily", "vote", "people"):
        answer = await house.submit(MEMBER, f"configure:{part}", name="Mine", zone="UTC")
        await told(house, answer, "Only organisers can do this. Ask Member 1.")
    assert await club(house) == before and not house.platform.posts


async def test_nominating_twice_is_told_and_anothers_is_backed(house: House) -> None:
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p57")
    await told(
        house,
        await house.press(MEMBER, "nominate:p57"),
        "You have nominated",
        "it stays on the list",
        "Withdraw",
    )
    await told(house, await house.press(OTHER, "nominate:p57"), "by Member 2. You now back it too.")
    await told(house, await house.press(OTHER, "nominate:p57"), "You back", "already; it stays on the list.")
    await told(
        house, await house.press(STRANGER, "withdraw:1"), "Only Member 2 can withdraw this nomination."
    )
    await told(house, await house.press(MEMBER, "withdraw:1"), "stays on the list, since Member 3 backs it.")
    await told(house, await house.press(OTHER, "withdraw:1"), "Withdrawn: ")
    await told(house, await house.press(OTHER, "withdraw:1"), "is no longer on the list.")


async def test_the_fourth_open_nomination_is_refused(house: House) -> None:
    await house.set_up()
    for paper in ("p1", "p2", "p3"):
        await house.command(MEMBER, "paper nominate", paper=paper)
    await told(
        house, await house.command(MEMBER, "paper nominate", paper="p4"), "You have used your 3 nominations."
    )
    last = await house.group.rooms.papers.last_id(1)
    answer = await house.submit(MEMBER, "propose", paper="https://example.org/x", title="A paper of mine")
    await told(house, answer, "You have used your 3 nominations.")
    assert await house.group.rooms.papers.last_id(1) == last  # nothing was put on the shelf for nothing


async def test_the_26th_nomination_is_refused_with_the_reason(house: House) -> None:
    await house.set_up()
    for number in range(25):
        house.now += timedelta(seconds=30)
        await house.command(person(10 + number // 3), "paper nominate", paper=f"p{number + 1}")
    refused = await house.command(person(30), "paper nominate", paper="p70")
    await told(house, refused, "The list is full: 25 papers are nominated, which is all a ballot can hold.")
    await house.until(OPENS)
    form = (await house.command(MEMBER, "paper vote")).form
    assert form is not None and isinstance(form.fields[0], ChoiceField) and len(form.fields[0].options) == 25
    assert "Counted." in text_of(await house.vote(MEMBER, 1, *(f"p{n}" for n in range(1, 26))))


async def test_the_eleventh_write_in_a_minute_waits(house: House) -> None:
    await house.set_up()
    for paper in ("p1", "p2", "p3"):
        await house.command(MEMBER, "paper nominate", paper=paper)
    for number in (1, 2, 3):
        await house.press(MEMBER, f"withdraw:{number}")
    for paper in ("p1", "p2", "p3"):
        await house.command(MEMBER, "paper nominate", paper=paper)
    await house.press(MEMBER, "withdraw:4")
    await told(
        house,
        await house.command(MEMBER, "paper nominate", paper="p9"),
        "That was more than 10 changes in a minute.",
    )
    answer = await house.submit(MEMBER, "propose", paper="https://example.org/x", title="A paper of mine")
    await told(house, answer, "Please wait 60 s and press again.")
    house.now += timedelta(seconds=61)
    await told(house, await house.command(MEMBER, "paper nominate", paper="p9"), "Nominated: ")


async def test_an_unknown_link_asks_for_a_title_and_goes_on_the_clubs_shelf(house: House) -> None:
    await house.set_up()
    link = "https://example.org/papers/voting paper.pdf"
    answer = await house.command(MEMBER, "paper nominate", paper=link, reason="Short and clear")
    await told(house, answer, "This link is not in the catalogue yet.")
    open_form = next(i for i in ids_in(answer.message) if i.startswith("nominate-form:"))
    form = (await house.press(MEMBER, open_form)).form
    assert form is not None and filled(form)["reason"] == "Short and clear" and filled(form)["paper"] == link
    other = (await house.press(OTHER, open_form)).form  # nobody sees what another typed
    assert other is not None and set(filled(other).values()) == {""}
    faulty = await house.submit(MEMBER, form.id, **{**filled(form), "title": "  "})
    assert faults_of(faulty) == {"title": "A title is needed for a link that is not in the catalogue."}
    assert faulty.form is not None and filled(faulty.form)["reason"] == "Short and clear"
    done = await house.submit(
        MEMBER, form.id, **{**filled(form), "title": "Voting paper", "authors": "A B, C D"}
    )
    await told(house, done, "Nominated: Voting paper.")
    again = await house.command(OTHER, "paper nominate", paper=link)
    await told(house, again, "Voting paper is nominated already, by Member 2. You now back it too.")
    found = text_of(await house.command(OTHER, "paper search", query="voting paper"))
    assert "Voting paper" in found
    card = text_of(await house.command(OTHER, "paper search", query='author:"C D"'))
    assert "Voting paper" in card


async def test_the_form_to_nominate_names_every_fault_and_keeps_what_was_typed(house: House) -> None:
    await house.set_up()
    for paper, field, words in (
        ("", "paper", "neither a paper’s id nor a link"),
        ("p999", "paper", "There is no paper p999."),
        ("ftp://example.org/x", "paper", "neither a paper’s id nor a link"),
    ):
        answer = await house.submit(MEMBER, "propose", paper=paper, title="T", reason="Because")
        assert words in faults_of(answer)[field]
        assert answer.form is not None and filled(answer.form) == {
            "paper": paper, "title": "T", "authors": "", "reason": "Because",
        }  # fmt: skip
    long = await house.submit(MEMBER, "propose", paper="p57", reason="r" * 301)
    assert "at most 300 characters" in faults_of(long)["reason"]
    await told(house, await house.submit(MEMBER, "propose", paper="p57", junk="x"), "Nominated: ")


async def test_all_faults_of_the_settings_are_told_at_once_and_nothing_is_saved(house: House) -> None:
    await house.set_up()
    before = await club(house)
    wrong: dict[str, dict[str, str | list[str]]] = {
        "club": {"name": "n" * 81, "language": "xx", "zone": "UTC+2", "channel": "papers"},
        "daily": {"daily_time": "25:00", "daily_days": ["mon", "someday"], "daily_topics": "Astrology",
                  "start_over": "?"},
        "vote": {"vote_opens": "Someday 09:00", "vote_closes": "Fri 29:00", "meeting": "never",
                 "nominations_each": "0", "keep_rounds": "many"},
    }  # fmt: skip
    for part, values in wrong.items():
        answer = await house.submit(CHAIR, f"configure:{part}", **values)
        faults = faults_of(answer)
        wanted = set(values) - {"channel"}
        if part == "vote":
            wanted -= {"nominations_each"}  # in range of the form, refused by the club's own rule
        assert wanted <= set(faults), (part, faults)
        assert answer.form is not None
        for each in answer.form.fields:
            if isinstance(each, TextField):
                assert each.value == values[each.name]
        assert "to mend" in said(answer.form)
    assert await club(house) == before


async def test_a_number_out_of_range_is_told_at_its_field(house: House) -> None:
    await house.set_up()
    form = (await house.press(CHAIR, "settings:vote")).form
    assert form is not None
    for field, value in (
        ("nominations_each", "26"),
        ("nominations_each", "0"),
        ("keep_rounds", "53"),
        ("keep_rounds", "-1"),
    ):
        answer = await house.submit(CHAIR, form.id, **{**filled(form), field: value})
        assert f"“{value}” does not fit." in faults_of(answer)[field]


@pytest.mark.parametrize(
    ("who", "words"),
    [
        (CHAIR, {
            "vote_opens": "“thu” has no time. Write it like Mon 16:00.",
            "vote_closes": "“17:00” has no day of the week. Write it like Mon 16:00.",
            "meeting": "A day and a time are missing. Write them like Mon 16:00.",
            "nominations_each": "“99” does not fit. A member can have 1 to 25 nominations.",
            "keep_rounds": "“0” does not fit. A losing paper can stay for 1 to 52 rounds.",
        }),
        (person(1, locale="zh-CN", admin=True), {
            "vote_opens": "“thu”缺少时间。请写成 周一 16:00 这样。",
            "vote_closes": "“17:00”缺少星期几。请写成 周一 16:00 这样。",
            "meeting": "缺少星期几和时间。请写成 周一 16:00 这样。",
        }),
    ],
    ids=["en", "zh"],
)  # fmt: skip
async def test_all_that_is_wrong_with_the_week_is_told_at_once(
    house: House, who: Asker, words: dict[str, str]
) -> None:
    await house.set_up()
    form = (await house.press(who, "settings:vote")).form
    assert form is not None
    values = {"vote_opens": "thu", "vote_closes": "17:00", "meeting": " ", "keep_rounds": "0"}
    told = faults_of(await house.submit(who, form.id, **values, nominations_each="99"))
    assert len(told) == 5 and told | words == told
    mixed = await house.submit(who, form.id, **filled(form) | {"meeting": "noday 16:00", "keep_rounds": "99"})
    assert list(faults_of(mixed)) == ["meeting", "keep_rounds"]


async def test_a_number_that_is_no_paper_leads_only_where_the_club_can_look(bare: House) -> None:
    await bare.set_up()
    there = person(8, "talk", admin=True)
    await bare.set_up(there, name="Second")
    for who in (CHAIR, there):
        await bare.press(who, "starter:all")
    for answer in (
        await bare.command(there, "paper show", id="p12"),
        await bare.command(there, "paper show", id="nothing"),
        await bare.command(there, "paper nominate", paper="p12"),
        await bare.press(there, "more:p12"),
    ):
        assert "Ids run from p80 to p158." in text_of(answer)
        assert not [each for each in ids_in(answer.message) if each.startswith("more:")]
    near = await bare.command(there, "paper show", id="p1001")
    assert "more:p100" in list(ids_in(near.message))
    assert "编号从 p80 到 p158" in text_of(
        await bare.command(replace(there, locale="zh-CN"), "paper show", id="p12")
    )


async def test_a_surprise_is_still_one_once_it_is_saved(house: House) -> None:
    await house.set_up()
    for who, kicker in ((MEMBER, "A random paper"), (replace(MEMBER, locale="zh-CN"), "随机一篇")):
        answer = await house.command(who, "paper random")
        for _ in range(2):
            save = next(each for each in ids_in(answer.message) if each.startswith("save:"))
            answer = await house.press(who, save)
            assert answer.kind == "redraw" and kicker in text_of(answer), text_of(answer)
    shown = await house.press(MEMBER, "save:p57")
    assert "A random paper" not in text_of(shown)


async def test_settings_are_saved_as_they_were_meant(house: House) -> None:
    await house.set_up()
    for part in ("club", "daily", "vote"):
        form = (await house.press(CHAIR, f"settings:{part}")).form
        assert form is not None
        before = await club(house)
        await told(
            house, await house.submit(CHAIR, form.id, **filled(form)), "Saved. Next paper Mon 30 Nov, 09:00"
        )
        assert await club(house) == before  # a form sent back as it came changes nothing
    house.now += timedelta(minutes=2)
    answer = await house.submit(
        CHAIR, "configure:daily", daily_time="7.30", daily_days=["sat", "sun"],
        daily_topics="deep learning\nsocial aspects · privacy\nnone", start_over="yes",
    )  # fmt: skip
    await told(house, answer, "Next paper Sat 5 Dec, 07:30")
    settings = (await club(house)).settings
    assert settings.daily_topics == ("Deep Learning", "Social Aspects · Privacy", "none")
    assert settings.start_over and settings.daily_days == ("sat", "sun")
    answer = await house.submit(CHAIR, "configure:vote", vote_opens="", vote_closes="周五 17:00",
    meeting="Mon, 4 pm",
                                nominations_each="5", keep_rounds="2")  # fmt: skip
    await told(house, answer, "no weekly vote")
    settings = (await club(house)).settings
    assert not settings.vote_on and settings.vote_closes_day == "fri" and settings.meeting_time.hour == 16
    answer = await house.submit(CHAIR, "configure:daily", daily_time="09:00", daily_days=[])
    await told(house, answer, "Saved. No daily paper and no weekly vote.")


async def test_set_up_asks_for_what_is_missing_and_greets(house: House) -> None:
    asked = await house.command(CHAIR, "club setup", language="zh")
    assert asked.kind == "form" and asked.form is not None and filled(asked.form)["language"] == "zh"
    wrong = await house.submit(
        CHAIR, "configure:setup", zone="PST", time="noonish", weekdays=["x"], name="n" * 90, language="q"
    )
    assert set(faults_of(wrong)) == {"zone", "time", "weekdays", "name", "language"}
    assert await house.group.find_club(None) is None
    done = await house.submit(CHAIR, "configure:setup", zone=" europe/berlin ", time="9", weekdays=["mon",
    "fri"], name="Readers",
                              language="en")  # fmt: skip
    await told(house, done, "Readers is set up. You are its organiser.", "Next paper Mon 30 Nov, 09:00")
    await told(house, await house.command(CHAIR, "club setup"), "This channel belongs to Readers already.")
    await told(
        house,
        await house.submit(CHAIR, "configure:setup", zone="UTC"),
        "This channel belongs to Readers already.",
    )


async def test_a_second_club_can_be_set_up_beside_the_first(house: House) -> None:
    await house.set_up()
    there = person(1, "talk", admin=True)
    await told(
        house, await house.command(there, "club setup", zone="UTC", name="Second"), "Second is set up."
    )
    third = person(1, "third", admin=True)  # two clubs around: which one is meant is not guessed
    await told(
        house,
        await house.command(third, "paper nominations"),
        "Which club do you mean?",
        "papers Second",
    )
    await told(house, await house.command(third, "paper search", query="model"), "papers for “model”")
    await told(house, await house.command(third, "paper help"), "papers and Second", "/club setup")
    await told(house, await house.command(third, "club setup", zone="UTC", name="Third"), "Third is set up.")


async def test_the_last_organiser_stays_until_another_is_named(house: House) -> None:
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p57")
    await told(house, await house.command(CHAIR, "club organisers", change="remove"), "Name another first.")
    await told(
        house, await house.command(CHAIR, "club organisers", change="add", member="@member 2"), "Member 2"
    )
    await told(
        house, await house.command(CHAIR, "club organisers", change="add", member="Member 2"), "already"
    )
    await told(
        house, await house.command(MEMBER, "club organisers", change="remove", member="Member 1"), "Member 2"
    )
    await told(house, await house.command(MEMBER, "club organisers", change="remove"), "the only organiser")


async def test_a_ballot_of_papers_nobody_nominated_counts_nothing(house: House) -> None:
    await house.set_up()
    for paper in ("p1", "p2"):
        await house.command(MEMBER, "paper nominate", paper=paper)
    await house.until(OPENS)
    for papers in (["p3"], ["1"], ["p1", "p1"], ["p1", "x" * 5_000], ["\ud83d"]):
        answer = await house.submit(OTHER, "ballot:1", papers=papers)
        await told(house, answer, "Nothing was counted; please open it again.")
    await told(house, await house.press(OTHER, "mine:1"), "You have not voted in this round.")
    await told(
        house,
        await house.submit(OTHER, "ballot:1", papers="p2", junk="x"),
        "Counted. You would read: paper 2.",
    )


async def test_a_press_on_save_leaves_the_public_post_as_it_is(house: House) -> None:
    await house.set_up()
    await house.until(MONDAY + timedelta(hours=1))
    posted = house.platform.posts[0]
    before = posted.message
    save = next(i for i in ids_in(before) if i.startswith("save:"))
    answer = await house.press(MEMBER, save)
    assert answer.kind in ("private", "redraw") and "Saved" in text_of(answer)
    assert posted.message == before and not posted.before
    for path, args in (("paper show", {"id": save[5:]}), ("paper today", {})):
        assert "Saved" in text_of(await house.command(MEMBER, path, **args)).split()
        assert "Saved" not in text_of(await house.command(OTHER, path, **args)).split()
    assert "1 saved paper" in text_of(await house.command(MEMBER, "paper saved"))
    assert "Save" in text_of(await house.press(MEMBER, save)).split()
    assert "You have saved nothing yet." in text_of(await house.command(MEMBER, "paper saved"))


async def test_a_card_shown_to_the_channel_speaks_the_clubs_language(house: House) -> None:
    await house.set_up(language="zh")
    answer = await house.press(MEMBER, "show:p57")
    assert answer.kind == "public" and answer.message is not None and answer.message.language == "zh"
    assert "Member 2" in text_of(answer)
    mine = await house.command(MEMBER, "paper show", id="p57")
    assert mine.message is not None and mine.message.language == "en"


async def test_a_page_beyond_the_last_is_the_last(house: House) -> None:
    await house.set_up()
    first = text_of(await house.command(MEMBER, "paper search", query="model"))
    assert "Page 1 of" in first
    last = text_of(await house.press(MEMBER, "search:9999:model"))
    assert "Page" in last and "papers for “model”" in last
    await house.press(MEMBER, "save:p1")
    assert "1 saved paper" in text_of(await house.press(MEMBER, "saved:9999"))


async def test_long_queries_turn_their_pages(house: House) -> None:
    query = "model " + " ".join(["the"] * 30)
    answer = await house.command(MEMBER, "paper search", query=query)
    following = [i for i in ids_in(answer.message) if i.startswith("search:2:")]
    assert following and len(following[0]) < 100
    assert "Page 2 of" in text_of(await house.press(MEMBER, following[0]))
    await told(house, await house.press(MEMBER, "search:2:~unknownkey00"), "too old to turn its pages")


async def test_forms_in_chinese_come_back_as_they_went_out(house: House) -> None:
    await house.set_up()
    reader = person(1, locale="zh-CN", admin=True)
    before = await club(house)
    for part in ("club", "daily", "vote"):
        form = (await house.press(reader, f"settings:{part}")).form
        assert form is not None and form.language == "zh"
        await told(house, await house.submit(reader, form.id, **filled(form)), "已保存")
    assert await club(house) == before


async def test_drafts_are_kept_for_a_week_and_not_without_end(house: House) -> None:
    await house.set_up()
    for number in range(25):
        answer = await house.command(MEMBER, "paper nominate", paper=f"https://example.org/{number}")
    last = next(i for i in ids_in(answer.message) if i.startswith("nominate-form:"))
    rows = await house.database.read(lambda tx: tx.rows("SELECT COUNT(*) FROM draft"))
    assert rows[0][0] == 20
    form = (await house.press(MEMBER, last)).form
    assert form is not None and filled(form)["paper"] == "https://example.org/24"
    house.now += timedelta(days=8)
    await house.command(OTHER, "paper nominate", paper="https://example.org/x")
    gone = (await house.press(MEMBER, last)).form
    assert gone is not None and filled(gone)["paper"] == "" and gone.id == "propose"


async def test_nothing_of_a_fault_of_ours_is_lost_or_shown(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    await house.set_up()

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret words of the machine")

    house.group.rooms.papers.get = broken  # type: ignore[method-assign, assignment]
    text = text_of(await house.command(MEMBER, "paper show", id="p57"))
    assert "Something went wrong on our side. Nothing was saved." in text and "secret" not in text
    number = text[text.index("E-") :][:6]
    assert number in caplog.text and "secret words" in caplog.text
