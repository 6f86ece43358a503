"""What is stored about a member, by page and by file; and that nothing of them is left once they are forgotten."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.clubs.model import Asker
from bot.messages.model import Answer, Button
from bot.storage.database import Row
from tests.lab.house import CHAIR, MEMBER, OTHER, STRANGER, House, ids_in, on, person, said, text_of
from tests.lab.sides import club_on_both, link, pressing, unlink

OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


async def rows(house: House, sql: str, **params: object) -> Sequence[Row]:
    return await house.database.read(lambda tx: tx.rows(sql, **params))


async def exported(house: House, who: Asker) -> dict[str, Any]:
    """The file somebody takes away."""
    answer = await house.press(who, pressing(await house.command(who, "paper me"), "export"))
    assert answer.kind == "private" and answer.message is not None and answer.message.file is not None
    assert answer.message.file.name == "paperclub-about-me.json"
    found: dict[str, Any] = json.loads(answer.message.file.data)
    return found


async def forget(house: House, who: Asker) -> Answer:
    """Somebody deletes themselves, as people do it."""
    asked = await house.press(who, pressing(await house.command(who, "paper me"), "forgetting"))
    return await house.press(who, pressing(asked, "forget"))


async def voting(house: House) -> None:
    """A club in which Member 2 and Member 3 have nominated, and a vote that is open."""
    await house.set_up()
    await house.command(MEMBER, "paper nominate", paper="p57", reason="Good words of mine")
    await house.command(OTHER, "paper nominate", paper="p58")
    await house.until(OPENS + MINUTE)


# ---- the page ----


async def test_before_set_up_nothing_is_stored(house: House) -> None:
    answer = await house.command(MEMBER, "paper me")
    assert answer.kind == "private" and "Nothing is stored about you here." in text_of(answer)
    for pressed in ("me", "export"):
        assert "Nothing is stored about you here." in text_of(await house.press(MEMBER, pressed))


async def test_who_only_reads_is_not_stored(house: House) -> None:
    await house.set_up()
    await house.command(STRANGER, "paper search", query="model")
    for answer in (
        await house.command(STRANGER, "paper me"),
        await house.press(STRANGER, "export"),
        await house.press(STRANGER, "forgetting"),
        await house.press(STRANGER, "forget"),
    ):
        assert "Nothing is stored about you in papers." in text_of(answer)
    assert not await rows(house, "SELECT 1 FROM member WHERE name = 'Member 9'")


async def test_the_page_tells_what_a_member_has_done(house: House) -> None:
    await voting(house)
    await house.press(MEMBER, "save:p3")
    await house.press(MEMBER, "nominate:p58")
    await house.vote(MEMBER, 1, "p58")
    await house.command(CHAIR, "club block", member="Member 2")
    page = text_of(await house.command(MEMBER, "paper me"))
    for words in (
        *("What papers has stored about you", "Member 2", "the preview", "1 open, 0 earlier"),
        *("1 paper of others backed", "in 1 vote", "90 days after closing", "blocked: you may vote"),
        "Whoever runs the bot could read it",
    ):
        assert words in page, (words, page)
    (receipt,) = await rows(house, "SELECT receipt FROM receipt")
    assert receipt[0] in page
    assert "organiser" in text_of(await house.command(CHAIR, "paper me"))


async def test_the_file_has_all_of_ones_own_and_nothing_of_others(house: House) -> None:
    await voting(house)
    await house.press(MEMBER, "save:p3")
    await house.vote(MEMBER, 1, "p58")
    await house.vote(MEMBER, 1, "p57", "p58")
    await house.vote(OTHER, 1, "p57")
    await house.command(CHAIR, "club block", member="<@u2>")
    mine = await exported(house, MEMBER)
    assert mine["member"]["name"] == "Member 2" and mine["member"]["blocked"] is True
    assert [each["person"] for each in mine["accounts"]] == ["u2"]
    assert [(each["paper"], each["reason"]) for each in mine["nominations"]] == [
        ("p57", "Good words of mine")
    ]
    assert [each["paper"] for each in mine["saved"]] == ["p3"]
    assert [each["ballot"] for each in mine["ballots"]] == [[2], [1, 2]]
    (receipt,) = mine["receipts"]
    assert {each["receipt"] for each in mine["ballots"]} == {receipt["receipt"]} and len(
        receipt["secret"]
    ) == 32
    assert [each["what"] for each in mine["done to them"]] == ["block"]
    assert datetime.fromisoformat(mine["ballots"][0]["at"]) == house.now
    whole = json.dumps(mine)
    others = await exported(house, OTHER)
    assert others["receipts"][0]["receipt"] not in whole
    assert "Member 3" not in whole and "Member 1" not in whole and '"u3"' not in whole
    assert not {"u1", "Member 2"} & {str(each) for each in others.values()}


async def test_what_is_typed_and_not_taken_is_in_the_file(house: House) -> None:
    await house.set_up()
    await house.press(MEMBER, "save:p3")
    await house.command(MEMBER, "paper nominate", paper="https://example.org/a", reason="A half-typed reason")
    mine = await exported(house, MEMBER)
    assert "A half-typed reason" in json.dumps(mine["forms"])


# ---- forgetting ----


async def test_forgetting_asks_first_and_says_what_happens(house: House) -> None:
    await voting(house)
    await house.vote(MEMBER, 1, "p58")
    asked = await house.press(MEMBER, pressing(await house.command(MEMBER, "paper me"), "forgetting"))
    text = text_of(asked)
    assert asked.kind == "private" and "Delete you from papers?" in text
    assert "Your ballot in the vote that is open is taken back." in text
    assert "1 paper you nominated stays in the vote, without your name." in text
    assert "cannot be undone" in text
    kept = await house.press(MEMBER, pressing(asked, "me"))
    assert kept.kind == "redraw" and "What papers has stored about you" in text_of(kept)
    assert len(await rows(house, "SELECT 1 FROM account")) == 3


async def test_a_ballot_in_an_open_vote_is_taken_back_and_the_next_is_the_only_one(house: House) -> None:
    await voting(house)
    await house.vote(OTHER, 1, "p58")
    await house.vote(MEMBER, 1, "p57")
    before = await rows(house, "SELECT seq, receipt, payload, hash FROM ballot_event ORDER BY seq")
    done = await forget(house, MEMBER)
    assert done.kind == "redraw" and "papers does not know you any more." in text_of(done)
    assert "Your ballot in the vote that is open was taken back." in text_of(done)
    events = await rows(house, "SELECT seq, receipt, payload, hash FROM ballot_event ORDER BY seq")
    assert [tuple(row) for row in events[:2]] == [tuple(row) for row in before]
    assert events[2]["payload"] is None and events[2]["receipt"] == before[1]["receipt"]
    await house.drawn()
    (poll,) = house.platform.in_channel(start="Vote open")
    assert "Former member" in said(poll.message) and "Member 2" not in said(poll.message)
    assert "Good words of mine" not in said(poll.message)
    assert "You have not voted in this round." in text_of(await house.press(MEMBER, "mine:1"))
    assert "Counted." in text_of(await house.vote(MEMBER, 1, "p57"))
    await house.until(CLOSES + MINUTE)
    result = json.loads((await rows(house, "SELECT result FROM round"))[0][0])
    assert result["ballots"] == 2


async def test_who_comes_back_is_a_new_member(house: House) -> None:
    await voting(house)
    await house.command(CHAIR, "club organisers", change="add", member="<@u2|Member 2>")
    await house.press(MEMBER, "save:p3")
    old = (await rows(house, "SELECT member_id FROM account WHERE native_id = 'u2'"))[0][0]
    await forget(house, MEMBER)
    assert "Nothing is stored about you in papers." in text_of(await house.command(MEMBER, "paper me"))
    assert "Only organisers" in text_of(await house.command(MEMBER, "club pause"))
    assert "You have saved nothing yet." in text_of(await house.command(MEMBER, "paper saved"))
    assert "Nominated: " in text_of(await house.command(MEMBER, "paper nominate", paper="p60"))
    new = (await rows(house, "SELECT member_id FROM account WHERE native_id = 'u2'"))[0][0]
    assert new != old
    row = (
        await rows(house, "SELECT name, organiser, remind, forgotten_at FROM member WHERE id = :id", id=old)
    )[0]
    assert tuple(row)[:3] == ("", 0, 0) and row["forgotten_at"] is not None


async def test_what_others_back_passes_to_them_and_the_rest_leaves_the_list(house: House) -> None:
    await house.set_up()
    for paper in ("p57", "p58"):
        await house.command(MEMBER, "paper nominate", paper=paper, reason="Words of mine")
    await house.press(OTHER, "nominate:p58")
    await house.command(OTHER, "paper nominate", paper="p59")
    await house.press(MEMBER, "nominate:p59")
    asked = text_of(await house.press(MEMBER, "forgetting"))
    assert "1 paper you nominated comes off the list." in asked
    assert "1 paper you nominated passes to a member who backs it." in asked
    await forget(house, MEMBER)
    states = await rows(house, "SELECT paper_id, state, reason FROM nomination ORDER BY paper_id")
    assert [tuple(row) for row in states] == [(57, "withdrawn", ""), (58, "open", ""), (59, "open", "")]
    listed = text_of(await house.command(CHAIR, "paper nominations"))
    assert "2 papers nominated" in listed and "backed" not in listed
    assert "Member 2" not in listed and "Words of mine" not in listed


async def test_the_last_organiser_names_another_first(house: House) -> None:
    await house.set_up()
    for pressed in ("forgetting", "forget"):
        text = text_of(await house.press(CHAIR, pressed))
        assert "You are the only organiser. Name another" in text
    assert "What papers has stored about you" in text_of(await house.command(CHAIR, "paper me"))
    await house.command(CHAIR, "club organisers", change="add", member="<@u2|Member 2>")
    assert "does not know you any more" in text_of(await forget(house, CHAIR))
    assert "Ask Member 2." in text_of(await house.command(OTHER, "club pause"))


async def test_a_closed_vote_keeps_its_result_and_its_chain(house: House) -> None:
    await voting(house)
    for who in (MEMBER, OTHER, CHAIR):
        await house.vote(who, 1, "p57")
    await house.until(CLOSES + MINUTE)
    frozen = (await rows(house, "SELECT result, opening_head FROM round WHERE id = 1"))[0]
    log = await rows(
        house, "SELECT seq, receipt, at, payload, prev_hash, hash FROM ballot_event ORDER BY seq"
    )
    await forget(house, MEMBER)
    assert tuple((await rows(house, "SELECT result, opening_head FROM round WHERE id = 1"))[0]) == tuple(
        frozen
    )
    after = await rows(
        house, "SELECT seq, receipt, at, payload, prev_hash, hash FROM ballot_event ORDER BY seq"
    )
    assert [tuple(row) for row in after] == [tuple(row) for row in log]
    assert len(await rows(house, "SELECT 1 FROM receipt")) == 2
    assert "You have not voted in this round." in text_of(await house.press(MEMBER, "mine:1"))


async def test_all_accounts_of_one_human_are_forgotten(both: House) -> None:
    await club_on_both(both)
    one, other = on("discord", 20), on("slack", 30)
    for who in (one, other):
        await both.command(who, "paper nominate", paper="p57" if who is one else "p58")
    await link(both, one, other)
    page = text_of(await both.command(one, "paper me"))
    assert "Discord and Slack" in page and "linked: one member, one ballot" in page
    await forget(both, other)
    for who in (one, other):
        assert "Nothing is stored about you in Readers." in text_of(await both.command(who, "paper me"))
    names = [row[0] for row in await rows(both, "SELECT name FROM member ORDER BY id")]
    assert not {"Member 20", "Member 30"} & set(names)
    assert not await rows(both, "SELECT 1 FROM delivery WHERE account_id IS NOT NULL AND state <> 'sent'")


async def test_who_was_unlinked_in_a_vote_gains_no_second_ballot_by_being_forgotten(both: House) -> None:
    await club_on_both(both)
    one, other = on("discord", 20), on("slack", 30)
    await both.command(one, "paper nominate", paper="p57")
    await both.command(on("discord", 21), "paper nominate", paper="p58")
    await link(both, one, other)
    await both.until(OPENS + MINUTE)
    await both.vote(one, 1, "p57")
    await unlink(both, one)
    await both.press(other, "save:p3")
    await forget(both, other)
    again = await both.vote(other, 1, "p57")
    assert "Counted." not in text_of(again)
    await both.until(CLOSES + MINUTE)
    result = json.loads((await rows(both, "SELECT result FROM round"))[0][0])
    assert result["ballots"] == 1


async def test_another_clubs_member_is_not_touched(house: House) -> None:
    await voting(house)
    there = person(8, "talk", admin=True)
    await house.set_up(there, name="Second")
    beside = person(2, "talk")
    await house.command(beside, "paper nominate", paper="p60")
    await forget(house, MEMBER)
    assert "1 open, 0 earlier" in text_of(await house.command(beside, "paper me"))
    for pressed in ("export", "forgetting", "forget", "me"):
        assert "This button belongs to nothing any more." in text_of(
            await house.press(MEMBER, f"{pressed}:2")
        )
        assert "This button belongs to nothing" in text_of(await house.press(MEMBER, f"{pressed}:x"))


async def test_where_several_clubs_may_be_meant_the_buttons_mean_the_club_of_their_page(house: House) -> None:
    await voting(house)
    await house.set_up(person(8, "talk", admin=True), name="Second")
    await house.command(person(2, "talk"), "paper nominate", paper="p60")
    mail = person(2, "mail", server="")
    asked = await house.command(mail, "paper me")
    assert "Which club do you mean?" in text_of(asked)
    done = await house.press(mail, "forgetting:1")
    assert "Delete you from papers?" in text_of(done)
    await house.press(mail, "forget:1")
    assert "1 open" in text_of(await house.command(person(2, "talk"), "paper me"))
    assert "Nothing is stored about you in papers." in text_of(await house.command(MEMBER, "paper me"))


# ---- that nothing is left ----


async def every_text(house: House) -> str:
    """All text in the store."""
    tables = [row[0] for row in await rows(house, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = []
    for table in tables:
        if not table.startswith("paper"):
            found += [
                str(value) for row in await rows(house, f"SELECT * FROM {table}") for value in tuple(row)
            ]
    return "\n".join(found)


async def every_page(house: House, who: Asker) -> str:
    """All that somebody sees who opens every page that could name members, and presses what is on it."""
    seen: set[str] = set()
    texts = []
    for path in ("nominations", "results", "history", "why", "today", "saved", "me", "help"):
        house.now += timedelta(minutes=2)
        answers = [await house.command(who, f"paper {path}")]
        while answers:
            answer = answers.pop()
            texts.append(text_of(answer))
            for each in ids_in(answer.message) if answer.message else ():
                word = each.partition(":")[0]
                if each not in seen and word in (
                    "how",
                    "result",
                    "mine",
                    "nominations",
                    "history",
                    "sheet",
                    "me",
                ):
                    seen.add(each)
                    answers.append(await house.press(who, each))
            if answer.message is not None and answer.message.file is not None:
                texts.append(answer.message.file.data.decode())
    assert {"how", "mine"} <= {each.partition(":")[0] for each in seen}
    return "\n".join(texts)


@pytest.mark.parametrize("secrecy", ["secret", "open"])
async def test_the_name_stands_nowhere_any_more(house: House, secrecy: str) -> None:
    await house.set_up()
    gone = Asker(MEMBER.account, MEMBER.place, "Zephyrine", "en")
    await house.database.write(
        lambda tx: tx.run("UPDATE club SET settings = json_set(settings, '$.secrecy', :mode)", mode=secrecy)
    )
    for who, paper in ((gone, "p57"), (OTHER, "p58")):
        await house.command(who, "paper nominate", paper=paper, reason="Because")
    await house.command(CHAIR, "club organisers", change="add", member="<@u2|Zephyrine>")
    await house.until(OPENS + MINUTE)
    for number in range(2, 9):
        await house.vote(gone if number == 2 else person(number), 1, "p57")
    await house.command(gone, "club close vote", reason="We met")
    await house.tick(house.now + MINUTE)
    await house.command(gone, "paper nominate", paper="p60")
    assert "Zephyrine" in await every_page(house, OTHER) and "Zephyrine" in await every_text(house)
    await forget(house, gone)
    after = await every_page(house, OTHER)
    assert "Zephyrine" not in after
    assert "Former member" in after
    assert "Zephyrine" not in await every_text(house)
    assert not await rows(house, "SELECT 1 FROM account WHERE native_id = 'u2'")


def warnings(answer: Answer) -> list[str]:
    """The labels of buttons that warn."""
    assert answer.message is not None
    every = [
        b for block in answer.message.blocks for b in getattr(block, "items", ()) if isinstance(b, Button)
    ]
    return [button.label for button in every if button.kind == "warn"]


async def test_what_cannot_be_undone_warns(house: House) -> None:
    await voting(house)
    assert warnings(await house.command(MEMBER, "paper me")) == ["Delete me"]
    assert warnings(await house.press(MEMBER, "forgetting")) == ["Delete me for good"]
