"""One club on two sides and one human behind two accounts, as people type, press and read it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.clubs.model import Asker, Place
from bot.messages.model import Answer
from bot.storage.database import Tx
from tests.lab.house import House, faults_of, filled, ids_in, on, person, said, text_of
from tests.lab.sides import HERE, THERE, club_on_both, code_in, leaving, link, parting, pressing, unlink

D2, S2 = on("discord", 2), on("slack", 12)
D3, S3 = on("discord", 3), on("slack", 13)
OPENS = datetime(2026, 12, 3, 8, tzinfo=UTC)
CLOSES = datetime(2026, 12, 4, 16, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def private(answer: Answer, *words: str) -> None:
    text = text_of(answer)
    assert answer.kind in ("private", "redraw") and "wrong on our side" not in text, text
    for each in words:
        assert each in text, text


async def voting(house: House, *papers: str) -> int:
    """A club on both sides on Thursday, with these papers nominated on Discord; the open round."""
    await club_on_both(house)
    for number, paper in enumerate(papers or ("p57", "p10", "p21")):
        await house.command(on("discord", 20 + number), "paper nominate", paper=paper)
    await house.until(OPENS)
    return 1


async def turnout(house: House) -> int:
    rows = await house.database.read(
        lambda tx: tx.rows(
            "SELECT COUNT(*) FROM ballot_event b WHERE payload IS NOT NULL AND seq = (SELECT MAX(seq)"
            " FROM ballot_event x WHERE x.round_id = b.round_id AND x.receipt = b.receipt)"
        )
    )
    return int(rows[0][0])


# ---- one club on two sides ----


async def test_a_code_joins_the_other_side_to_the_club(both: House) -> None:
    await both.set_up(HERE, name="Readers")
    shown = await both.command(HERE, "club link")
    private(shown, "The code for Readers is", "within 10 minutes", "A club has one channel")
    joined = await both.command(THERE, "club link", code=code_in(shown).lower())
    private(joined, "Readers stands in this channel too now.", "#slack-papers on Slack", "organisers")
    await both.until(datetime(2026, 11, 30, 8, 1, tzinfo=UTC))
    posts = [platform.in_channel(f"{side}-papers") for side, platform in both.platforms.items()]
    assert [len(each) for each in posts] == [1, 1]
    assert said(posts[0][0].message) == said(posts[1][0].message)
    private(
        await both.command(THERE, "club settings"), "#discord-papers on Discord and #slack-papers on Slack"
    )


async def test_an_open_vote_is_shown_on_the_side_that_joins_at_once(both: House) -> None:
    await both.set_up(HERE, name="Readers")
    for number, paper in enumerate(("p57", "p10")):
        await both.command(on("discord", 20 + number), "paper nominate", paper=paper)
    await both.until(OPENS)
    joined = await both.command(THERE, "club link", code=code_in(await both.command(HERE, "club link")))
    private(joined, "A vote is open until Fri 4 Dec, 17:00; it comes here at once.")
    await both.tick(both.now + timedelta(seconds=1))
    (poll,) = both.platforms["slack"].in_channel("slack-papers", "Vote open")
    private(await both.vote(S2, 1, "p57"), "Counted.")
    await both.drawn()
    assert "1 has voted" in said(poll.message)
    assert "1 has voted" in said(
        both.platforms["discord"].in_channel("discord-papers", "Vote open")[0].message
    )


async def test_a_side_is_left_after_asking_and_its_poll_still_closes(both: House) -> None:
    await voting(both)
    asked = await leaving(both, THERE)
    private(asked, "Take Readers out of #slack-papers?", "can be voted on there until it closes")
    private(await both.press(THERE, pressing(asked, "leave")), "Readers has left #slack-papers.")
    private(await both.press(THERE, pressing(asked, "leave")), "There is no club")
    await both.until(OPENS + timedelta(days=5))
    slack = both.platforms["slack"].in_channel("slack-papers")
    assert [posted.message.summary for posted in slack if posted.at > OPENS + MINUTE] == [
        "The vote closes in 3 hours. 0 have voted.",
        "No decision: nobody voted. All papers stay nominated.",
    ]
    assert any("This vote closed" in posted.message.summary for posted in slack)
    assert "leaving" not in ids_in((await both.command(HERE, "club link")).message)
    private(await both.press(HERE, "leaving"), "Readers stands nowhere else.")


async def test_a_vote_goes_on_in_a_channel_that_was_left(both: House) -> None:
    await voting(both)
    await both.press(THERE, pressing(await leaving(both, THERE), "leave"))
    form = (await both.press(S2, "vote:1")).form
    assert form is not None
    private(await both.submit(S2, form.id, papers=["p57"]), "Counted.")
    private(await both.press(S2, "mine:1"), "You would read: paper 1.")
    private(await both.press(S2, "retract:1"), "Withdrawn")
    private(await both.vote(S2, 1, "p10"), "Counted.")
    private(await both.press(S2, "more:p57"), "p57")
    private(await both.press(S2, "nominate:p90"), "There is no club in this channel yet")
    private(await both.command(S2, "paper vote"), "There is no club in this channel yet")
    assert await turnout(both) == 1
    await both.until(CLOSES + timedelta(seconds=2))
    (poll,) = [each for each in both.platforms["slack"].in_channel("slack-papers") if each.before]
    assert "closed" in poll.message.summary
    private(await both.press(S2, "how:1"), "How this was counted", "only the winner is published")
    private(await both.press(S2, "result:1"), "Result")
    private(await both.press(S2, "mine:1"), "paper 2")


async def test_a_vote_goes_on_where_another_club_has_come(both: House) -> None:
    await voting(both)
    await both.press(THERE, pressing(await leaving(both, THERE), "leave"))
    await both.set_up(THERE, name="Writers")
    private(await both.vote(S2, 1, "p57"), "Counted.")
    private(await both.press(on("slack", 12, "elsewhere"), "mine:1"), "There is no such vote")
    private(await both.press(S2, "mine:1"), "You would read: paper 1.")
    private(await both.command(S2, "paper vote"), "No vote is open")


async def test_a_vote_that_stands_in_a_channel_the_club_moved_out_of_asks_for_no_club(both: House) -> None:
    await voting(both)
    form = (await both.press(THERE, "settings:club")).form
    assert form is not None
    await both.submit(THERE, form.id, **{**filled(form), "channel": "hall"})
    await both.set_up(on("slack", 11, "other", admin=True), name="Writers")
    private(await both.vote(S2, 1, "p57"), "Counted.")
    private(await both.press(S2, "mine:1"), "You would read: paper 1.")


async def test_a_side_that_comes_back_during_a_vote_has_its_one_poll(both: House) -> None:
    await voting(both)
    await both.press(THERE, pressing(await leaving(both, THERE), "leave"))
    code = code_in(await both.command(HERE, "club link"))
    await both.command(THERE, "club link", code=code)
    await both.tick(both.now + MINUTE)
    assert len(both.platforms["slack"].in_channel("slack-papers", "Vote open")) == 1


async def test_a_vote_given_up_on_a_side_that_was_left_comes_when_it_is_back(both: House) -> None:
    await club_on_both(both)
    for number, paper in enumerate(("p57", "p10")):
        await both.command(on("discord", 20 + number), "paper nominate", paper=paper)
    both.platforms["slack"].broken["slack-papers"] = "forbidden"
    await both.until(OPENS)
    await both.press(THERE, pressing(await leaving(both, THERE), "leave"))
    await both.tick(both.now + timedelta(hours=1))
    both.platforms["slack"].broken.clear()
    await both.command(THERE, "club link", code=code_in(await both.command(HERE, "club link")))
    await both.tick(both.now + timedelta(hours=1))
    assert len(both.platforms["slack"].in_channel("slack-papers", "Vote open")) == 1


async def test_only_whoever_may_joins_or_leaves_a_side(both: House) -> None:
    await both.set_up(HERE, name="Readers")
    code = code_in(await both.command(HERE, "club link"))
    private(await both.command(D2, "club link"), "Only organisers can do this. Ask Member 1.")
    private(await both.command(S2, "club link"), "There is no club in this channel yet.")
    private(await both.command(S2, "club link", code=code), "Only whoever manages this server or workspace")
    private(await both.command(HERE, "club link", code=code), "This channel belongs to Readers already.")
    aside = on("discord", 1, "aside", admin=True)
    private(await both.command(aside, "club link", code=code), "a club has one in each")
    both.platforms["slack"].broken["slack-papers"] = "forbidden:send_messages"
    refused = await both.command(THERE, "club link", code=code)
    private(refused, "Paperclub may not do all it needs in", "Check again")
    both.platforms["slack"].broken.clear()
    private(await both.press(THERE, pressing(refused, "join")), "stands in this channel too now.")
    private(await both.press(THERE, pressing(refused, "join")), "This channel belongs to Readers already.")
    other = on("slack", 11, "else", admin=True)
    private(await both.command(other, "club link", code=code), "has been used or is too old")
    private(await both.press(D2, "leaving"), "Only organisers can do this.")
    private(await both.press(D2, "leave:2"), "Only organisers can do this.")
    private(await both.press(HERE, "leave:2"), "This button belongs to nothing any more.")


async def test_moving_a_channel_leaves_the_other_side_where_it_is(both: House) -> None:
    await club_on_both(both)
    form = (await both.press(THERE, "settings:club")).form
    assert form is not None and filled(form)["channel"] == "slack-papers"
    private(await both.submit(THERE, form.id, **{**filled(form), "channel": "hall"}), "Saved.")
    await both.until(datetime(2026, 11, 30, 8, 1, tzinfo=UTC))
    assert len(both.platforms["slack"].in_channel("hall")) == 1
    assert len(both.platforms["discord"].in_channel("discord-papers")) == 1


# ---- one human behind two accounts ----


async def test_two_accounts_are_one_member_once_both_sides_say_yes(both: House) -> None:
    await club_on_both(both)
    shown = await both.command(D2, "paper link")
    private(shown, "Your code is", "Within 10 minutes", "on Slack. It works once.")
    private(await both.press(D2, "linked"), "No code of yours was entered on Slack yet.")
    asked = await both.command(S2, "paper link", code=code_in(shown))
    private(asked, "Are both of these accounts yours?", "Discord Member 2", "Slack Member 12")
    private(await both.press(S2, pressing(asked, "link-yes")), "Now say yes on Discord too.")
    private(await both.command(S2, "paper link"), "Now say yes on Discord too.")
    last = await both.command(D2, "paper link")
    private(last, "Are both of these accounts yours?")
    private(await both.press(D2, pressing(last, "link-yes")), "Linked. You have one ballot on both sides")
    private(await both.press(D2, pressing(last, "link-yes")), "was answered or is too old")
    shown = await both.command(D2, "paper link")
    private(shown, "Your accounts are linked.", "Discord Member 2", "Slack Member 12", "Take them apart")
    assert [*ids_in(shown.message)] == ["apart"]


async def test_a_code_in_anothers_hands_hands_over_no_ballot(both: House) -> None:
    await voting(both)
    await both.vote(D2, 1, "p57")
    await both.vote(S3, 1, "p10")
    stolen = code_in(await both.command(D2, "paper link"))
    asked = await both.command(S3, "paper link", code=stolen)
    await both.press(S3, pressing(asked, "link-yes"))
    await both.press(S3, pressing(asked, "link-yes"))
    private(await both.press(D3, pressing(asked, "link-yes")), "was answered or is too old")
    assert await turnout(both) == 2
    seen = await both.press(D2, "linked")
    private(seen, "Slack Member 13")
    private(await both.press(D2, pressing(seen, "link-no")), "Nothing was linked.")
    private(await both.press(S3, pressing(asked, "link-yes")), "was answered or is too old")
    assert await turnout(both) == 2


@pytest.mark.parametrize("first", ["discord", "slack"])
async def test_of_two_ballots_the_later_stands_and_counts_once(both: House, first: str) -> None:
    vote = await voting(both)
    one, other = (D2, S2) if first == "discord" else (S2, D2)
    await both.vote(one, vote, "p57")
    await both.vote(other, vote, "p10")
    private(await link(both, one, other), "Linked.", "My ballot")
    await both.drawn()
    assert await turnout(both) == 1
    for who in (D2, S2):
        private(await both.press(who, f"mine:{vote}"), "paper 2")
    await both.vote(one, vote, "p21")
    private(await both.press(other, f"mine:{vote}"), "paper 3")
    assert await turnout(both) == 1
    await both.until(CLOSES)
    result = both.platforms["slack"].in_channel("slack-papers", "Winner")[0]
    assert "1 of them linked on both platforms" in said(result.message)


async def test_an_unlinked_account_has_no_ballot_of_its_own_until_the_vote_closes(both: House) -> None:
    vote = await voting(both)
    await both.vote(S2, vote, "p10")
    await link(both, D2, S2)
    asked = await parting(both, D2)
    private(asked, "a member of its own again?", "it has no ballot of its own")
    private(await unlink(both, S2), "Apart.", "It votes again once the present vote has closed")
    assert await turnout(both) == 1
    apart = [who for who in (D2, S2) if "unlinked while" in text_of(await both.vote(who, vote, "p57"))]
    assert len(apart) == 1
    private(await both.press(apart[0], f"vote:{vote}"), "unlinked while this vote was open")
    assert await turnout(both) == 1
    await both.until(OPENS + timedelta(days=7))
    for who in (D2, S2):
        private(await both.vote(who, 2, "p21"), "Counted.")
    private(await both.press(S2, "apart"), "Your account is linked to no other.")


@pytest.mark.parametrize("before", [True, False])
async def test_who_could_vote_by_one_account_can_by_one_that_came_later(both: House, before: bool) -> None:
    await club_on_both(both)
    for number, paper in enumerate(("p57", "p10")):
        await both.command(on("discord", 20 + number), "paper nominate", paper=paper)
    if before:
        await both.command(S2, "paper nominate", paper="p21")
    await both.until(OPENS)
    both.now += 2 * MINUTE
    if not before:
        private(await both.vote(S2, 1, "p10"), "Counted.")
    late = replace(D2, joined_at=OPENS + MINUTE)
    for answer in (await both.press(late, "vote:1"), await both.vote(late, 1, "p57")):
        private(answer, "after this vote opened")
    await link(both, late, S2)
    assert (await both.press(late, "vote:1")).form is not None
    private(await both.vote(late, 1, "p57"), "Counted.")
    assert await turnout(both) == 1


async def test_linking_two_accounts_that_came_after_the_opening_gives_no_vote(both: House) -> None:
    await voting(both)
    both.now += 2 * MINUTE
    late = replace(D2, joined_at=OPENS + MINUTE)
    await link(both, late, S2)
    private(await both.press(late, "vote:1"), "after this vote opened")
    private(await both.vote(late, 1, "p57"), "after this vote opened")
    assert await turnout(both) == 0


async def test_each_side_calls_its_own_role_and_knows_nothing_of_the_others(both: House) -> None:
    await club_on_both(both)
    for who, role in ((HERE, "555"), (THERE, "S0CLUB")):
        form = (await both.press(who, "settings:club")).form
        assert form is not None and filled(form)["role"] == ""
        private(await both.submit(who, form.id, **filled(form) | {"role": role}), "Saved.")
    shown = await both.command(THERE, "club settings")
    private(shown, "Role to notify a role is set", "Group to notify a group is set")
    for number, paper in enumerate(("p57", "p10")):
        await both.command(on("discord", 20 + number), "paper nominate", paper=paper)
    await both.until(OPENS)
    called = {}
    for side, platform in both.platforms.items():
        (poll,) = platform.in_channel(f"{side}-papers", "Vote open")
        assert poll.message.notify
        called[side] = poll.to.role
    assert called == {"discord": "555", "slack": "S0CLUB"}


async def test_who_was_shown_the_code_is_asked_once_in_private_too(both: House) -> None:
    await club_on_both(both)
    code = code_in(await both.command(D2, "paper link"))
    asked = await both.command(S2, "paper link", code=code)
    await both.tick(both.now)
    (told,) = both.platforms["discord"].to_person("u2")
    assert both.platforms["slack"].to_person("u12") == []
    told_text = said(told.message)
    assert "Are both of these accounts yours?" in told_text and "Slack Member 12" in told_text
    assert code not in told_text
    await both.press(S2, pressing(asked, "link-yes"))
    await both.command(S2, "paper link")
    await both.tick(both.now + MINUTE)
    assert len(both.platforms["discord"].to_person("u2")) == 1
    (yes,) = [each for each in ids_in(told.message) if each.startswith("link-yes")]
    there = replace(D2, place=Place("discord", "", ""))
    private(await both.press(there, yes), "Linked. You have one ballot on both sides")
    private(await both.press(there, yes), "was answered or is too old")


async def test_nobody_is_asked_in_private_for_what_was_answered_or_where_it_cannot_be(both: House) -> None:
    await club_on_both(both)
    for number, closed in ((2, False), (3, True)):
        one, other = on("discord", number), on("slack", 10 + number)
        if closed:
            both.platforms["discord"].broken[one.account.user_id] = "closed"
        asked = await both.command(other, "paper link", code=code_in(await both.command(one, "paper link")))
        if not closed:
            await both.press(one, pressing(asked, "link-yes"))
        posts = len(both.platforms["discord"].in_channel("discord-papers"))
        await both.tick(both.now + MINUTE)
        assert both.platforms["discord"].to_person(one.account.user_id) == []
        assert len(both.platforms["discord"].in_channel("discord-papers")) == posts
        await both.press(other, pressing(asked, "link-yes"))
        if closed:  # the ways there are without it
            private(await both.press(one, pressing(await both.press(one, "linked"), "link-yes")), "Linked.")


async def test_a_code_says_which_of_several_clubs_is_meant_and_is_not_stored(both: House) -> None:
    await club_on_both(both)
    for side in ("discord", "slack"):
        await both.set_up(on(side, 40, f"{side}-talk", admin=True), name=f"Second on {side}")
    aside = on("slack", 12, "elsewhere")
    private(
        await both.command(aside, "paper link", code="AAAA9999"), "This code has been used or is too old."
    )
    code = code_in(await both.command(D2, "paper link"))
    asked = await both.command(aside, "paper link", code=code)
    private(asked, "Are both of these accounts yours?", "This is about Readers.")
    private(await both.press(aside, pressing(asked, "link-yes")), "Now say yes on Discord too.")
    code = code_in(await both.command(D3, "paper link"))
    await both.command(on("slack", 13, "elsewhere"), "paper link")  # asks which club, and keeps that
    await both.command(on("slack", 14, "elsewhere"), "paper link", code=code.lower())

    def everything(tx: Tx) -> str:
        names = [row[0] for row in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return str([[*map(tuple, tx.rows(f'SELECT * FROM "{name}"'))] for name in names]).upper()

    stored = await both.database.read(everything)
    assert "PAPER LINK" in stored and "SECOND ON SLACK" in stored and code not in stored


async def test_what_both_had_is_together_and_nothing_is_lost(both: House) -> None:
    await club_on_both(both)
    await both.command(D2, "paper nominate", paper="p57")
    await both.press(S2, "nominate:p57")
    await both.command(S2, "paper nominate", paper="p10", reason="Short")
    await both.press(S2, "save:p33")
    await both.press(D2, "save:p34")
    await link(both, D2, S2)
    listed = text_of(await both.command(D3, "paper nominations"))
    assert listed.count("Member 2") == 2 and "also backed" not in listed and "Member 12" not in listed
    private(await both.press(S2, "nominate:p57"), "You have nominated")
    private(await both.press(D2, "nominate:p10"), "You have nominated")
    for who in (D2, S2):
        assert {"more:p33", "more:p34"} <= {*ids_in((await both.command(who, "paper saved")).message)}
    await unlink(both, D2)
    for who in (D2, S2):
        assert {"more:p33", "more:p34"} <= {*ids_in((await both.command(who, "paper saved")).message)}
    private(await both.press(S2, "nominate:p57"), "You now back it too.")


async def test_linking_and_unlinking_makes_no_room_for_more_nominations(both: House) -> None:
    await club_on_both(both)
    papers = iter(range(30, 60))

    async def fill(who: Asker) -> int:
        """Nominate until it is refused; how often it was not."""
        for done in range(10):
            both.now += MINUTE
            if "You have used your" in text_of(
                await both.command(who, "paper nominate", paper=f"p{next(papers)}")
            ):
                return done
        raise AssertionError("never refused")

    assert await fill(S2) == await fill(D2)
    standing = text_of(await both.command(D3, "paper nominations"))
    for _ in range(2):
        await link(both, D2, S2)
        assert await fill(D2) == 0 == await fill(S2)
        both.now += MINUTE
        await unlink(both, D2)
        assert await fill(D2) == 0 == await fill(S2)
        both.now += MINUTE
    assert text_of(await both.command(D3, "paper nominations")) == standing


async def test_a_block_lasts_through_linking_and_after(both: House) -> None:
    await club_on_both(both)
    await both.command(HERE, "club block", member="<@u2|Member 2>")
    await link(both, S2, D2)
    private(await both.command(S2, "paper nominate", paper="p57"), "An organiser has blocked you")
    await unlink(both, S2)
    for who in (D2, S2):
        private(await both.command(who, "paper nominate", paper="p57"), "An organiser has blocked you")


async def test_a_role_taken_away_while_linked_does_not_come_back(both: House) -> None:
    await club_on_both(both)
    await both.command(HERE, "club organisers", change="add", member="<@u3|Member 3>")
    await both.command(D2, "paper saved")
    await both.command(S2, "paper nominate", paper="p57")
    await link(both, D3, S2)
    private(await both.command(S2, "club settings"), "Club settings")
    await both.command(HERE, "club organisers", change="remove", member="<@u3>")
    await unlink(both, D3)
    for who in (D3, S2):
        private(await both.command(who, "club settings"), "Only organisers can do this.")


async def test_closed_votes_stay_as_they_were(both: House) -> None:
    vote = await voting(both)
    await both.vote(D2, vote, "p57")
    await both.vote(S2, vote, "p57")
    await both.vote(D3, vote, "p57", "p10")
    await both.until(CLOSES + MINUTE)
    before = text_of(await both.press(D2, f"result:{vote}"))
    assert "3 of 3" in before and "0 of them linked" in before
    await link(both, D2, S2)
    assert text_of(await both.press(D2, f"result:{vote}")) == before
    await both.until(OPENS + timedelta(days=7))
    poll = both.platforms["discord"].in_channel("discord-papers", "Vote open")[-1]
    assert "0 of 2 members have voted" in said(poll.message)


async def test_a_linked_member_keeps_the_name_they_had_first(both: House) -> None:
    await club_on_both(both)
    await both.command(D2, "paper nominate", paper="p57")
    await link(both, D2, S2)
    await both.command(S2, "paper nominate", paper="p10")
    assert text_of(await both.command(D3, "paper nominations")).count("Member 2") == 2


# ---- wrong codes ----


async def test_wrong_used_and_old_codes_are_refused_with_a_way_on(both: House) -> None:
    await club_on_both(both)
    bad = "This code has been used or is too old. Get a new one with /paper link on Discord."
    private(await both.command(S2, "paper link", code="AAAA9999"), bad)
    code = code_in(await both.command(D2, "paper link"))
    private(await both.command(D3, "paper link", code=code), "This code was shown on this very side.")
    both.now += timedelta(minutes=10)
    private(await both.command(S2, "paper link", code=code), bad)
    code = code_in(await both.command(D2, "paper link"))
    newer = code_in(await both.command(D2, "paper link"))
    private(await both.command(S2, "paper link", code=code), bad)
    private(
        await both.command(S2, "paper link", code=f" {newer[:4]}-{newer[4:].lower()} "), "Are both of these"
    )
    private(await both.command(S3, "paper link", code=newer), bad)
    private(await both.command(S3, "paper link", code="\ud83d💥" * 900), bad)
    club = code_in(await both.command(HERE, "club link"))
    private(await both.command(S3, "paper link", code=club), bad)


async def test_after_five_wrong_codes_the_right_one_waits_too(both: House) -> None:
    await club_on_both(both)
    for _ in range(5):
        private(await both.command(S2, "paper link", code="AAAA9999"), "has been used or is too old")
    code = code_in(await both.command(D2, "paper link"))
    private(await both.command(S2, "paper link", code=code), "That was a wrong code 5 times.", "60 min")
    away = on("slack", 12, "else", admin=True)
    private(await both.command(away, "club link", code=code), "That was a wrong code 5 times.")
    private(await both.command(S3, "paper link", code=code), "Are both of these")
    both.now += timedelta(hours=1)
    code = code_in(await both.command(D2, "paper link", code=""))
    private(await both.command(S2, "paper link", code=code), "Are both of these")


async def test_a_code_works_only_in_its_own_club(both: House) -> None:
    await club_on_both(both)
    await both.set_up(on("discord", 1, "talk", admin=True), name="Talk")
    code = code_in(await both.command(HERE, "club link"))
    assert code
    talk = on("discord", 4, "talk")
    private(await both.command(talk, "paper link"), "Talk stands on one side only")
    shown = code_in(await both.command(D2, "paper link"))
    private(await both.command(replace(S2, place=talk.place), "paper link", code=shown), "used or is too old")


async def test_the_code_itself_is_stored_nowhere(both: House) -> None:
    await club_on_both(both)
    code = code_in(await both.command(D2, "paper link"))
    assert code.encode() not in both.path.read_bytes()
    assert code.encode() not in both.path.with_name(both.path.name + "-wal").read_bytes()


async def test_what_waits_for_both_words_is_too_old_after_an_hour(both: House) -> None:
    await club_on_both(both)
    asked = await both.command(S2, "paper link", code=code_in(await both.command(D2, "paper link")))
    both.now += timedelta(hours=1)
    private(await both.press(S2, pressing(asked, "link-yes")), "was answered or is too old")


async def test_a_member_has_one_account_on_a_side(both: House) -> None:
    await club_on_both(both)
    await link(both, D2, S2)
    await link(both, D3, S3)
    code = code_in(await both.command(on("discord", 4), "paper link"))
    private(await both.command(S2, "paper link", code=code), "linked on both sides already")


async def test_on_one_side_there_is_nothing_to_link(house: House) -> None:
    await house.set_up()
    private(await house.command(person(2), "paper link"), "stands on one side only")
    private(await house.command(person(2), "paper link", code="AAAA9999"), "/paper link on the preview")
    private(await house.press(person(2), "apart"), "Your account is linked to no other.")


@pytest.mark.parametrize("who", [HERE, S2, on("slack", 9)], ids=["organiser", "member", "stranger"])
async def test_ids_nobody_ever_saw_are_answered(both: House, who: Asker) -> None:
    await club_on_both(both)
    for action_id in (
        *(
            "link-yes:",
            "link-yes:x",
            "link-yes:7",
            "link-no:7",
            "link-no:-1",
            "unlink:",
            "unlink:9",
            "unlink:x",
        ),
        *(
            "leave:",
            "leave:x",
            "leave:99",
            "join:",
            "join:AAAA9999",
            "join:" + "A" * 90,
            "linked:x",
            "linked",
        ),
    ):
        private(await both.press(who, action_id))


# ---- who may vote ----


async def require(house: House, **changes: str) -> None:
    form = (await house.press(HERE, "settings:people")).form
    assert form is not None
    private(await house.submit(HERE, form.id, **{**filled(form), **changes}), "Saved.")


async def test_a_club_may_let_only_linked_members_vote(both: House) -> None:
    await club_on_both(both)
    await require(both, link_required="yes")
    for number, paper in enumerate(("p57", "p10")):
        await both.command(on("discord", 20 + number), "paper nominate", paper=paper)
    await both.until(OPENS)
    assert "Only members linked on both platforms vote" in said(
        both.platforms["slack"].in_channel("slack-papers", "Vote open")[0].message
    )
    refused = "In this vote only members linked on both platforms count. Write /paper link"
    private(await both.vote(D2, 1, "p57"), refused)
    private(await both.press(D2, "vote:1"), refused)
    await link(both, D2, S2)
    private(await both.vote(S2, 1, "p57"), "Counted.")
    await require(both, link_required="no")
    private(await both.vote(D3, 1, "p57"), refused)  # as the rule stood when the vote opened
    assert await turnout(both) == 1


async def test_requiring_links_means_nothing_on_one_side(house: House) -> None:
    await house.set_up()
    form = (await house.press(person(1, admin=True), "settings:people")).form
    assert form is not None
    await house.submit(person(1, admin=True), form.id, link_required="yes", guests_vote="no")
    for number, paper in enumerate(("p57", "p10")):
        await house.command(person(20 + number), "paper nominate", paper=paper)
    await house.until(OPENS)
    private(await house.vote(person(2), 1, "p57"), "Counted.")


async def test_requiring_links_means_nothing_on_two_servers_of_one_platform_and_says_so(both: House) -> None:
    await both.set_up(HERE, name="Readers")
    other = replace(HERE, place=replace(HERE.place, workspace="G2", channel="second", name="second"))
    code = code_in(await both.command(HERE, "club link"))
    private(await both.command(other, "club link", code=code), "stands in this channel too now")
    asked = await both.press(HERE, "settings:people")
    assert asked.form is not None and "Counts for nothing yet" in str(asked.form)
    private(await both.submit(HERE, asked.form.id, link_required="yes", guests_vote="no"), "Saved.")
    private(await both.command(HERE, "club settings"), "all, until the club stands on two platforms")
    for number, paper in enumerate(("p57", "p10")):
        await both.command(on("discord", 20 + number), "paper nominate", paper=paper)
    await both.until(OPENS)
    private(await both.vote(D2, 1, "p57"), "Counted.")


@pytest.mark.parametrize("kind", ["guest", "foreign"])
async def test_guests_read_and_vote_only_where_the_club_lets_them(both: House, kind: str) -> None:
    await voting(both)
    guest = replace(S3, guest=kind == "guest", foreign=kind == "foreign")
    refused = "Guests and people of other workspaces read here"
    private(await both.command(guest, "paper show", id="p57"), "p57")
    for answer in (
        await both.vote(guest, 1, "p57"),
        await both.press(guest, "vote:1"),
        await both.command(guest, "paper nominate", paper="p33"),
        await both.press(guest, "nominate:p57"),
        await both.submit(guest, "propose", paper="https://example.org/a", title="Mine"),
    ):
        private(answer, refused)
    await require(both, guests_vote="yes")
    private(await both.command(guest, "paper nominate", paper="p33"), "Nominated: ")
    private(await both.vote(guest, 1, "p57"), refused)  # from the next vote on
    await both.until(OPENS + timedelta(days=7))
    private(await both.vote(guest, 2, "p57"), "Counted.")


async def test_bots_take_no_part(both: House) -> None:
    await voting(both)
    robot = replace(S3, bot=True)
    for answer in (
        await both.vote(robot, 1, "p57"),
        await both.command(robot, "paper nominate", paper="p33"),
        await both.press(robot, "save:p57"),
        await both.command(robot, "paper link"),
    ):
        private(answer, "Bots read here, but take no part.")


async def test_a_switch_that_is_neither_yes_nor_no_comes_back(both: House) -> None:
    await club_on_both(both)
    answer = await both.submit(HERE, "configure:people", link_required="maybe", guests_vote="")
    assert faults_of(answer) == {"link_required": "“maybe” is neither yes nor no."}
