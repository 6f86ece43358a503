"""The pages that speak of no list, poll or result: notices, what is taken back, one's own data, troubles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from typing import get_args

from bot.clubs.forgetting import About, Leaving
from bot.clubs.model import Channel, Club, Member
from bot.daily.model import Reason
from bot.delivery.platform import LASTING
from bot.messages.model import ChannelRef, File, Form, Message, Reader
from bot.messages.pages.ballots import ballot_withdrawn_page
from bot.messages.pages.clubs import (
    closed_page,
    opened_page,
    paused_page,
    resumed_page,
    saved_settings_page,
)
from bot.messages.pages.deciding import settled_page
from bot.messages.pages.faults import failed_page
from bot.messages.pages.files import mailed_page, unsent_page, unsure_page
from bot.messages.pages.forms import mend_page, open_page
from bot.messages.pages.greeting import greeting_page
from bot.messages.pages.me import export_page, forgetting_page, forgotten_page, me_page, nothing_page
from bot.messages.pages.nominations import (
    nominate_form,
    nominated_again_page,
    removed_page,
    withdrawn_nomination_page,
)
from bot.messages.pages.notices import (
    few_left_page,
    missed_page,
    no_papers_page,
    no_thread_page,
    notice_page,
    still_trying_page,
    trouble_over_page,
    trouble_page,
    used_up_page,
    vote_ended_page,
    zone_lost_page,
)
from bot.messages.pages.organising import (
    blocked_page,
    delete_page,
    deleted_page,
    restored_page,
    unblocked_page,
    undo_page,
    undone_page,
)
from bot.messages.pages.papers import daily_page
from bot.messages.pages.results import discussion_page, no_result_page
from bot.messages.pages.rounds import no_vote_page
from bot.messages.pages.setup import unchecked_page
from bot.messages.pages.shortcuts import no_link_page, not_shown_page, nowhere_page, wait_page
from bot.messages.pages.which import form_in_club, in_club, which_page
from bot.papers.model import Paper
from bot.rounds.model import Nomination, Result, Round, Ties
from tests.messages.samples import NOW

KEPT = timedelta(days=30)
DAY = date(2026, 11, 30)
FORBIDDEN = "forbidden:view_channel,send_messages,send_messages_in_threads,create_public_threads"


def other_pages(
    reader: Reader, named: Club, papers: Sequence[Paper], listed: Nomination, result: Result, who: str
) -> Iterator[tuple[str, Message | Form]]:
    """All of them; `named` has a name and channels of any kind, `who` is what a person calls themselves."""
    yield from _club_pages(reader, named, papers, result.round)
    yield from _vote_pages(reader, named, papers, listed, result, who)
    yield from _trouble_pages(reader, named, papers[0])
    yield from _own_pages(reader, named, result.round, who)
    yield from _changed_pages(reader, named, papers[0])


def _club_pages(
    reader: Reader, named: Club, papers: Sequence[Paper], vote: Round
) -> Iterator[tuple[str, Message | Form]]:
    yield "greeting", greeting_page(reader, "discord")
    yield "greeting without papers", greeting_page(reader, "slack", papers=False)
    yield "unchecked", unchecked_page(reader, ChannelRef("7", named.name), "setup:" + "1" * 18)
    for changed in (True, False):
        yield "settings saved", saved_settings_page(reader, named, NOW, NOW, vote_changed=changed)
    for until in (None, NOW + KEPT):
        yield "paused", paused_page(reader, replace(named, paused_at=NOW, paused_until=until))
    yield "resumed", resumed_page(reader, NOW, NOW)
    yield "resumed without a paper", resumed_page(reader, None, None)
    yield "undo", undo_page(reader, papers[0], "extra:1000:p9999999")
    yield "undone", undone_page(reader, papers[0])
    for voting in (True, False):
        yield "delete", delete_page(reader, named, KEPT, voting=voting)
    yield "deleted", deleted_page(reader, named, KEPT)
    yield "restored", restored_page(reader, named, NOW, NOW, vote)
    yield "restored without", restored_page(reader, named, None, None, None)
    for count in (2, 25, 60):
        many = [replace(named, id=number) for number in range(count)]
        yield f"which of {count}", which_page(reader, many, "in-form:123456")
    yield "failed", failed_page(reader, "E-4F2A")
    yield "open", open_page(reader, "nominate:p9999999")
    for name, page in (
        ("wait", wait_page), ("no link", no_link_page), ("nowhere", nowhere_page), ("hidden", not_shown_page),
    ):  # fmt: skip
        yield name, page(reader)


def _vote_pages(
    reader: Reader, named: Club, papers: Sequence[Paper], listed: Nomination, result: Result, who: str
) -> Iterator[tuple[str, Message | Form]]:
    vote = result.round
    yield "ballot withdrawn", ballot_withdrawn_page(reader, vote)
    yield "opened", opened_page(reader, vote)
    yield "opened for one", opened_page(reader, replace(vote, candidates=vote.candidates[:1]))
    yield "closed", closed_page(reader, result)
    yield "closed by hand", closed_page(reader, replace(result, why="organiser"))
    for rule in get_args(Ties):
        yield f"settled {rule}", settled_page(reader, replace(result, tied=(1, 2), tie_rule=rule))
    talk = discussion_page(reader, result)
    if talk is not None:
        yield "discussion", talk
    yield "nominated again", nominated_again_page(reader, listed)
    for how in ("withdrawn", "handed_over", "unbacked", "removed"):
        yield (
            f"nomination {how}",
            withdrawn_nomination_page(reader, papers[0], how, who, NOW),  # type: ignore[arg-type]
        )
    yield "removed", removed_page(reader, listed, named.name * 3, NOW)
    yield "no vote", no_vote_page(reader)
    yield "no result", no_result_page(reader)
    yield "vote ended", vote_ended_page(reader)


def _trouble_pages(reader: Reader, named: Club, paper: Paper) -> Iterator[tuple[str, Message | Form]]:
    where = ChannelRef("7" * 19, named.name)
    for reason in (FORBIDDEN, *LASTING):
        for day in (DAY, None):
            yield f"trouble {reason}", trouble_page(reader, where, reason, day, club=named.name)
            yield f"trouble {reason} here", trouble_page(reader, where, reason, day, last=True)
        yield f"trouble over {reason}", trouble_over_page(reader, NOW, reason)
        yield f"missed {reason}", missed_page(reader, DAY, reason)
    stuck = [
        (Channel(n, 1, "discord", "", "7" * 19, named.name), reason) for n, reason in enumerate(LASTING * 3)
    ]
    yield "still trying", still_trying_page(reader, paper, [(stuck[0][0], FORBIDDEN), *stuck], named.channels)
    yield "no thread", no_thread_page(reader, where, FORBIDDEN, named.name)
    yield "zone lost", zone_lost_page(reader, "America/Argentina/ComodRivadavia")
    yield "no papers", no_papers_page(reader)
    yield "few left", few_left_page(reader, 1_000)
    for chosen in (True, False):
        for over, again in ((False, None), (True, None), (True, DAY)):
            yield "used up", used_up_page(reader, chosen, over, again)
    notice = notice_page(reader, "used_up", {"chosen": True, "start_over": True, "again": DAY.isoformat()})
    assert notice is not None
    yield "notice", notice


def _own_pages(reader: Reader, named: Club, vote: Round, who: str) -> Iterator[tuple[str, Message | Form]]:
    member = Member(1, 1, who, True, NOW, True, remind=True)
    for blocked in (True, False):
        yield "blocked", blocked_page(reader, member, new=blocked)
    yield "unblocked", unblocked_page(reader, member)
    rows = {
        "accounts": [{"platform": each} for each in ("discord", "slack", "preview")],
        "nominations": [{"state": each} for each in ("open", "chosen")],
        "receipts": [{"vote": n, "secret": True, "receipt": f"{n:010}"} for n in range(90)],
        **{kind: [{}] * 999 for kind in ("backed", "saved", "acts", "done to them")},
    }
    about = About(member, rows, Fraction(7, 3))
    yield "about me", me_page(reader, named, about)
    yield "export", export_page(reader, named, about)
    for club in (named, None):
        yield "nothing about me", nothing_page(reader, club)
    leaving = Leaving(999, 999, 999, vote, True)
    yield "forgetting", forgetting_page(reader, named, leaving)
    yield "forgotten", forgotten_page(reader, named, leaving)


def _changed_pages(reader: Reader, named: Club, paper: Paper) -> Iterator[tuple[str, Message | Form]]:
    """Pages and forms that were made of others."""
    post = daily_page(reader, paper, DAY, Reason("turn", paper.area, 9))
    filed = replace(post, file=File("tally.json", b"{}", named.name * 9))
    for page in (mailed_page, unsent_page, unsure_page):
        yield page.__name__, page(filed)
    form = nominate_form(reader, {"reason": named.name * 4}, {"paper": "f" * 90})
    yield "mend", mend_page(reader, form, "1" * 18)
    yield "in a club", in_club(post, named)
    yield "form in a club", form_in_club(form, named)
