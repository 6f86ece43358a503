"""Whatever papers hold and people write, a page fits every platform, and words stay words."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

import bot.messages.pages as pages_room
from bot.clubs.model import Channel, Club, Settings
from bot.commands import COMMANDS, Command, find_action
from bot.daily.model import Outcome, Reason
from bot.errors import LimitReached, NotAllowed, NotFound
from bot.messages.cut import length
from bot.messages.model import (
    Bar,
    Branch,
    Button,
    ChannelRef,
    Divider,
    Entry,
    Fact,
    Form,
    Link,
    Menu,
    Message,
    Option,
    Reader,
)
from bot.messages.pages.ballots import ballot_form, late_page, my_ballot_page, readback_page
from bot.messages.pages.clubs import organisers_page, posted_page, settings_page
from bot.messages.pages.faults import fault_page
from bot.messages.pages.found import history_page, results_page, saved_page, similar_page, topic_papers_page
from bot.messages.pages.help import MOST_COMMANDS, help_page
from bot.messages.pages.how import how_page
from bot.messages.pages.linking import (
    both_page,
    club_code_page,
    code_page,
    joined_page,
    leave_page,
    left_page,
    linked_page,
    not_entered_page,
    not_linked_page,
    own_accounts_page,
    unlink_page,
    unlinked_page,
)
from bot.messages.pages.linking import waiting_page as link_waiting_page
from bot.messages.pages.nominations import (
    backed_page,
    nominate_form,
    nominated_page,
    nominations_page,
    refused_page,
    unknown_link_page,
)
from bot.messages.pages.papers import card_page, daily_page, paper_page
from bot.messages.pages.results import last_result_page, result_page
from bot.messages.pages.rounds import single_page, vote_page
from bot.messages.pages.settings import settings_form, setup_form
from bot.messages.pages.setup import (
    first_post_page,
    rights_page,
    setup_page,
    started_page,
    starter_form,
    waiting_page,
    without_papers_page,
)
from bot.messages.pages.topics import topics_page
from bot.messages.pages.why import why_page
from bot.messages.weigh import blocks, characters, components
from bot.papers.model import Headline, Paper
from bot.rounds.model import Ballot, Nomination, Result, Round, Turnout
from bot.search.model import Found, Hit, TopicCount
from tests.messages.others import other_pages
from tests.messages.samples import EN, NOW, ZH, a_round, all_parts, all_strings, club, nomination
from tests.messages.votes import result_pages, vote_pages

RIGHTS = ("view_channel", "send_messages", "send_messages_in_threads", "read_message_history")
HOSTILE = (
    "All @everyone [x](http://x.example) <!channel> <@&123456789012345678> **b** _i_ `c` ~~s~~ ||p|| > q # h"
)
MEMBER = "@here <!here> *M* [m](https://m.example)"
LONG = "Antidisestablishmentarian considerations, "
SCIENTIST = "👩‍🔬"


def plainest(number: int) -> Paper:
    return Paper((), False, None, None, "", id=number)


def longest(number: int) -> Paper:
    return Paper(
        tuple(f"Maximiliana Alexandrina von und zu Wolkenstein {n}" for n in range(40)),
        True,
        LONG * 5,
        LONG * 5,
        (LONG * 6 + ". ") * 40,
        title=LONG * 12 + str(number),
        url="https://x.example/" + "a" * 300,
        venue=LONG * 3,
        year=2026,
        id=9_999_000 + number,
    )


def hostile(number: int) -> Paper:
    return Paper(
        (HOSTILE, HOSTILE),
        False,
        HOSTILE,
        HOSTILE,
        HOSTILE * 30,
        title=HOSTILE * 2,
        url="javascript:alert(1)",
        id=number,
    )


def signs(number: int) -> Paper:
    return Paper(
        (SCIENTIST * 30,), False, SCIENTIST * 60, SCIENTIST * 60, SCIENTIST * 900, id=number,
        headline=Headline(SCIENTIST * 10, SCIENTIST * 33),
    )  # fmt: skip


KINDS: dict[str, Callable[[int], Paper]] = {
    "plainest": plainest, "longest": longest, "hostile": hostile, "signs": signs,
}  # fmt: skip


def pages(reader: Reader, make: Callable[[int], Paper]) -> Iterator[tuple[str, Message | Form]]:
    """Every page there is, told with the papers of one kind, as many as fit its list."""
    papers = [make(number) for number in range(1, 26)]
    text = papers[0].abstract
    hits = tuple(
        Hit(each, ((0, 3),), ((0, (0, 3)),), tuple((n, n + 3) for n in range(0, len(text), 51)))
        for each in papers[:5]
    )
    found = Found(HOSTILE * 5, 2_000, hits, 3, 400, None)
    turn = Reason("turn", papers[0].area, 9)
    yield "daily", daily_page(reader, papers[0], date(2026, 11, 30), turn)
    yield "extra", daily_page(reader, papers[0], date(2026, 11, 30), Reason("replaced", None, 1), extra=True)
    yield "paper", paper_page(reader, papers[0], found=True)
    yield "card", card_page(reader, papers[0], MEMBER * 5)
    yield "results", results_page(reader, found, "k1")
    yield "nothing", results_page(reader, Found(HOSTILE * 3, 0, (), did_you_mean=("w" * 60, 3)))
    yield "topic", topic_papers_page(reader, "T" * 300, found, "k2")
    yield "similar", similar_page(reader, papers[0], papers[1:6])
    yield "saved", saved_page(reader, papers[:5], 25, 1, 5)
    counts = [TopicCount(f"{LONG} {n}", None, n) for n in range(25)]
    counts += [TopicCount(f"{LONG} 1", f"{LONG * 3} {n}", n) for n in range(25)] + [TopicCount(None, None, 3)]
    yield "topics", topics_page(reader, counts, f"{LONG} 1")
    listed = [_nomination(number, each) for number, each in enumerate(papers, 1)]
    for page in (1, 3):
        yield (
            f"nominations {page}",
            nominations_page(reader, listed, opens_at=NOW, left=1, limit=3, page=page),
        )
    yield "nominated", nominated_page(reader, listed[2], opens_at=NOW, left=1, limit=3)
    yield "backed", backed_page(reader, listed[0])
    yield "link", unknown_link_page(reader, "https://x.example/" + "a" * 3_000, "1")
    yield "refused", refused_page(reader, LimitReached("nominate.full", n=25), "1" * 18)
    yield "nominate", nominate_form(reader, {"reason": HOSTILE * 2}, {"paper": "f" * 90})
    for count in (6, 10, 25):
        vote = _round(papers[:count])
        yield f"vote {count}", vote_page(reader, vote, Turnout(count, 300))
        yield f"closed {count}", vote_page(replace(reader, now=vote.closes_at), vote, Turnout(count, 300))
        yield f"ballot {count}", ballot_form(reader, vote, Ballot((1, 2)))
        yield f"readback {count}", readback_page(reader, vote, Ballot(tuple(range(1, count + 1))))
        yield (
            f"mine {count}",
            my_ballot_page(reader, replace(vote, state="decided"), Ballot(tuple(range(1, count + 1)))),
        )
        yield f"late {count}", late_page(reader, vote, NOW, Ballot(tuple(range(1, count + 1))))
        result = _result(vote)
        yield f"result {count}", result_page(reader, result)
        yield f"last result {count}", last_result_page(reader, result, vote)
        yield f"how {count}", how_page(reader, result)
        gone = tuple(replace(each, withdrawn=True, removed=HOSTILE * 2) for each in vote.candidates)
        strict = replace(vote, rules=replace(vote.rules, link_required=True))
        yield f"linked only {count}", vote_page(reader, strict, Turnout(count, 300))
        yield f"linked result {count}", result_page(reader, replace(result, turnout=Turnout(25, 300, 25)))
        yield f"removed {count}", vote_page(reader, replace(vote, candidates=gone), Turnout(count, 300))
        yield from vote_pages(reader, vote, MEMBER * 2)
        yield f"history {count}", history_page(reader, _five(papers), 25, 2, 5)
    yield from result_pages(reader, vote, MEMBER * 2)
    yield "single", single_page(reader, replace(_round(papers[:1]), state="decided"))
    named = club(name=HOSTILE[:80], settings=Settings(daily_topics=tuple(LONG * 4 for _ in range(100))))
    yield "settings", settings_page(reader, named, NOW, NOW)
    around = tuple(Channel(n, 1, "discord", "", str(n), HOSTILE, "5") for n in range(9))
    named = replace(named, channels=around)
    yield "set up", setup_page(reader, named, NOW, NOW)
    yield "rights", rights_page(reader, ChannelRef("7", HOSTILE), [*RIGHTS, "unknown"], "setup:" + "1" * 18)
    yield "starter", starter_form(reader, [TopicCount(LONG[n:] * 3, None, n) for n in range(60)])
    yield "started", started_page(reader, named, 100_000, NOW, NOW)
    yield "without papers", without_papers_page(reader, 100_000)
    post = daily_page(replace(reader, language="en"), papers[0], date(2026, 12, 3), Reason("turn", LONG, 9))
    yield "first post", first_post_page(reader, post, "extra:1000:p9999999", around, NOW, ":999")
    yield "waiting", waiting_page(reader, named, NOW)
    yield "posted", posted_page(reader, papers[0], extra=True, channels=around)
    yield "set up form", setup_form(reader, {"name": HOSTILE}, {"name": HOSTILE})
    for part in ("club", "daily", "vote", "counting", "people"):
        yield f"form {part}", settings_form(reader, named, part)  # type: ignore[arg-type]
    wrong = NotAllowed("settings.vote_role.everyone")
    yield (
        "people by role",
        settings_form(reader, named, "people", {}, {"vote_role": wrong}, vote_role="1" * 18),
    )
    ruled = replace(named, settings=replace(named.settings, vote_role="1" * 18))
    yield "settings by role", settings_page(reader, ruled, NOW, NOW)
    yield "help", help_page(reader, COMMANDS, named)
    yield "help of thirty", help_page(reader, _thirty(), named)
    yield from linking_pages(reader, replace(named, channels=around), vote)
    yield "organisers", organisers_page(reader, [MEMBER * 3] * 30, (MEMBER * 3, "added"))
    outcomes = [Outcome(HOSTILE, "preview", "daily", "waiting", NOW, NOW, HOSTILE, n) for n in range(1, 26)]
    yield (
        "why",
        why_page(reader, date(2026, 12, 3), outcomes, dict(enumerate(papers[:9], 1))),
    )
    yield "fault", fault_page(reader, NotFound("error.no_paper", id=HOSTILE * 9, last=79))
    yield from other_pages(reader, named, papers, listed[2], _result(vote), MEMBER * 3)


def _thirty() -> list[Command]:
    """As many commands as help has room for: those there are, and the longest a few times more."""
    longest = max(COMMANDS, key=lambda each: len(f"{each.path} {each.example} {each.about}"))
    return [*COMMANDS, *[longest] * (MOST_COMMANDS - len(COMMANDS))]


def linking_pages(reader: Reader, named: Club, vote: Round) -> Iterator[tuple[str, Message | Form]]:
    """Those of one club on two sides and of accounts that are linked."""
    sides = replace(named, channels=(*named.channels[:3], replace(named.channels[0], platform="slack")))
    people, here = (("discord", HOSTILE), ("slack", MEMBER * 3)), sides.channels[-1]
    yield "club code", club_code_page(reader, sides, "ACDEFGHJ", timedelta(minutes=10), several=True)
    yield "joined", joined_page(reader, sides, vote)
    yield "leave", leave_page(reader, sides, here, voting=True)
    yield "left", left_page(reader, sides, here)
    yield "code", code_page(reader, "ACDEFGHJ", ["slack", "preview"], timedelta(minutes=10))
    yield "code of linked", code_page(reader, "ACDEFGHJ", ["slack"], timedelta(minutes=10), linked=True)
    yield "own accounts", own_accounts_page(reader, people)
    yield "not entered", not_entered_page(reader, ["slack"])
    yield "both", both_page(reader, 7, people, entered=True)
    yield "one said", link_waiting_page(reader, people, "slack")
    yield "linked", linked_page(reader, people, vote)
    yield "not linked", not_linked_page(reader)
    yield "unlink", unlink_page(reader, 8, people[0], vote)
    yield "unlinked", unlinked_page(reader, people[0], vote)
    yield "settings of both", settings_page(reader, sides, NOW, NOW)


def _nomination(number: int, each: Paper) -> Nomination:
    backers = tuple(MEMBER for _ in range(number))
    return replace(nomination(number, each, number), member=MEMBER, reason=HOSTILE * 3, backers=backers)


def _round(papers: list[Paper]) -> Round:
    vote = a_round(papers, reason=(HOSTILE * 3)[:300], away_from=NOW, away_to=NOW)
    named = tuple(replace(each, member=MEMBER * 2) for each in vote.candidates)
    return replace(vote, candidates=named, closed_by=MEMBER * 2, close_note=(HOSTILE * 3)[:300])


def _five(papers: list[Paper]) -> list[Result]:
    """Five rounds that chose five papers."""
    return [_result(_round([each])) for each in papers[:5]]


def _result(vote: Round) -> Result:
    votes = {candidate.position: 4 for candidate in vote.candidates}
    closed = replace(vote, state="decided", closed_at=datetime(2026, 12, 4, 16, 0, tzinfo=UTC))
    everyone = tuple(votes)
    return Result(closed, "decided", 1, votes, 9, 9, everyone, "age", Turnout(9, 300))


@pytest.fixture(params=KINDS, scope="module")
def told_pages(request: pytest.FixtureRequest) -> list[tuple[str, Message | Form]]:
    return [
        page for reader in (replace(EN, organiser=True), ZH) for page in pages(reader, KINDS[request.param])
    ]


Pages = list[tuple[str, Message | Form]]
APART = ("message", "home_page", "three_things_page", "unknown_command_page")
"""What makes pages, somebody's own page, which has a test of its own, and the two that only the preview shows."""


def test_no_page_is_left_out() -> None:
    here, rooms = Path(__file__).parent, Path(pages_room.__path__[0])
    told = "".join((here / f"{name}.py").read_text("utf-8") for name in ("test_limits", "votes", "others"))
    for file in rooms.glob("*.py"):
        for made in ast.parse(file.read_text("utf-8")).body:
            if isinstance(made, ast.FunctionDef) and made.returns and not made.name.startswith("_"):
                makes = re.search(r"\b(Message|Form)\b", ast.unparse(made.returns))
                named = made.name in APART or re.search(rf"\b{made.name}\b", told)
                assert not makes or named, f"{file.name}: {made.name}"


def test_a_message_fits_every_platform(told_pages: Pages) -> None:
    for name, page in told_pages:
        if isinstance(page, Message):
            size = sum(characters(block) for block in page.blocks)
            assert size <= 4_000, (name, size)
            assert components(page) <= 40, (name, components(page))
            assert blocks(page) <= 50, (name, blocks(page))
            assert 0 < length(page.summary) <= 100 and "\n" not in page.summary, (name, page.summary)


def test_a_form_fits_every_platform(told_pages: Pages) -> None:
    for name, form in told_pages:
        if isinstance(form, Form):
            assert 1 <= len(form.fields) <= 5 and 0 < len(form.title) <= 45, name
            for field in form.fields:
                assert 0 < len(field.label) <= 45 and len(field.hint) <= 100, (name, field.name)


def test_buttons_and_menus_fit_and_lead_somewhere(told_pages: Pages) -> None:
    for name, page in told_pages:
        pressed = [*all_parts(page, Button), *all_parts(page, Branch)]
        for item in pressed:
            assert 0 < length(item.id) <= 100 and find_action(item.id), (name, item.id)
        for button in all_parts(page, Button):
            assert 0 < length(button.label) <= 40, (name, button.label)
        for menu in all_parts(page, Menu):
            assert 1 <= len(menu.options) <= 25 and find_action(f"{menu.id}:x"), name
            assert len({option.value for option in menu.options}) == len(menu.options)
        for option in all_parts(page, Option):
            assert (
                0 < length(option.label) <= 75 and len(option.value) <= 100 and length(option.note) <= 100
            ), name
        ids = [button.id for button in all_parts(page, Button)]
        assert len(ids) == len(set(ids)), (name, ids)


def test_at_most_one_button_is_first(told_pages: Pages) -> None:
    for name, page in told_pages:
        assert sum(button.kind == "first" for button in all_parts(page, Button)) <= 1, name


def test_no_part_is_empty(told_pages: Pages) -> None:
    for name, page in told_pages:
        if isinstance(page, Message):
            for block in page.blocks:
                assert (
                    isinstance(block, Divider)
                    or characters(block) > 3
                    or [
                        *all_parts(block, Button),
                        *all_parts(block, Menu),
                        *all_parts(block, Branch),
                    ]
                ), (
                    name,
                    block,
                )
            for entry in all_parts(page, Entry):
                assert entry.shown.name or entry.shown.rest, name
                assert all(entry.lines), (name, entry.lines)
            for part in (*all_parts(page, Bar), *all_parts(page, Fact)):
                assert part.label, name


def test_nothing_is_said_that_is_not_there(told_pages: Pages) -> None:
    for name, page in told_pages:
        for text in all_strings(page):
            assert (
                "None" not in text.replace("None: no paper", "").replace("Nothing", "") and "null" not in text
            ), (name, text)


def test_only_web_addresses_are_linked(told_pages: Pages) -> None:
    for name, page in told_pages:
        for link in all_parts(page, Link):
            assert link.url.startswith(("http://", "https://")) and not set(link.url) & set(' <>|"'), name


def test_what_people_wrote_stays_as_they_wrote_it() -> None:
    """Pages escape nothing: markup and mentions are literal text, and each renderer makes them harmless."""
    page = vote_page(EN, _round([hostile(1), hostile(2)]), Turnout(1, 2))
    quotes = [entry.quote for entry in all_parts(page, Entry) if entry.quote]
    assert quotes and all(
        quote.startswith("All @everyone [x](http://x.example) <!channel>") for quote in quotes
    )
    assert any("nominated by @here <!here> *M* [m](" in text for text in all_strings(page))


def test_no_half_sign_is_ever_shown(told_pages: Pages) -> None:
    for name, page in told_pages:
        for text in all_strings(page):
            assert not text.endswith("\u200d") and "\u200d…" not in text and "\u200d …" not in text, (
                name,
                text,
            )
            text.encode("utf-8")
