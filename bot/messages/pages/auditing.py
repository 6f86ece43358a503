"""What `paperclub audit` says: what was checked, what is damaged, and what no audit can find."""

from __future__ import annotations

from collections.abc import Sequence

from bot.messages.pages.lines import one_line
from bot.messages.words import N_, Words
from bot.rounds.audit import Finding, Report
from bot.storage.audit import Head
from bot.storage.database import from_us

_SENTENCES = {
    "opening": N_(
        "What was frozen at the opening (the list, the rules, the seal of the draw) was changed since."
    ),
    "seal": N_("The secret of the draw is not the one that was sealed at the opening."),
    "chain": N_(
        "Event {event} of {events} in the ballot log does not follow from those before it. "
        "It or one before it was changed, taken out or put in."
    ),
    "receipt": N_("The receipt {receipt} does not belong to the member it stands for."),
    "lost": N_("The ballots under the receipt {receipt} are gone from the ballot log."),
    "head": N_("The ballot log does not end where it ended at the closing ({head})."),
    "ballots": N_("The result speaks of {told} ballots, and the ballot log holds {log}."),
    "votes": N_("The votes of the result are not those in the ballot log."),
    "outcome": N_("The ballot log comes to another outcome than the result."),
    "sheet": N_("The tally sheet is not what the ballot log comes to."),
    "unreadable": N_("A part of it cannot be read ({part})."),
    "no_log": N_("It is from before ballot logs were chained, so only what there is could be checked."),
    "version": N_("It was counted by another version of Paperclub and not counted again."),
    "paid": N_(
        "Its ballots were not published, so what its voters had paid before is not known: the winner was not recounted."
    ),
}


def finding_line(words: Words, finding: Finding) -> str:
    """One thing about one vote, in a sentence that names it."""
    if finding.what == "untraced":
        what = words.count_line(
            "{n} receipt belongs to nobody any more: that was deleted after ninety days, or at the member’s wish.",
            "{n} receipts belong to nobody any more: that was deleted after ninety days, or at the member’s wish.",
            finding.values["n"],
        )
    else:
        what = words.line(_SENTENCES[finding.what], **finding.values)
    club = one_line(finding.round.club)
    return words.line("{club}, vote {number}: {what}", club=club, number=finding.round.number, what=what)


def report_lines(words: Words, report: Report) -> list[str]:
    """The whole report, the damage first."""
    found = len(report.damage)
    told = [finding_line(words, finding) for finding in (*report.damage, *report.notes)]
    checked = words.line(
        "Checked: {votes}, {events}.",
        votes=words.count_line("{n} vote", "{n} votes", report.rounds),
        events=words.count_line(
            "{n} event in the ballot logs", "{n} events in the ballot logs", report.events
        ),
    )
    verdict = (
        words.count_line("{n} fault was found.", "{n} faults were found.", found)
        if found
        else words.line("No fault was found.")
    )
    return [checked, *told, verdict, limits_line(words)]


def limits_line(words: Words) -> str:
    """What everybody has to know who relies on an audit."""
    return words.line(
        "An audit cannot find ballots that whoever runs the bot added for members who did not vote: compare the number "
        "of voters, and let each member look at “My ballot”. Nor can it find a log that was written anew from its "
        "beginning: compare its head with the one in the closing message (paperclub audit --head H)."
    )


def no_head_line(words: Words, head: str) -> str:
    """A head nobody ever posted from this database as it is."""
    return words.line(
        "No ballot log here ever had the head {head}. It is another database’s, or the log was changed since.",
        head=one_line(head)[:64],
    )


def head_lines(words: Words, heads: Sequence[Head], damage: Sequence[Finding]) -> list[str]:
    """Where the logs had the head somebody noted, and the damage in front of it."""
    return [*(_head_line(words, head) for head in heads), *(finding_line(words, found) for found in damage)]


def _head_line(words: Words, head: Head) -> str:
    club, number = one_line(head.round.club), head.round.number
    at = f"{from_us(head.at):%Y-%m-%d %H:%M:%S}"
    if not head.seq:
        return words.line(
            "{club}, vote {number}: the ballot log began with this head, at {at} UTC.",
            club=club,
            number=number,
            at=at,
        )
    return words.line(
        "{club}, vote {number}: the ballot log had this head after event {event}, at {at} UTC.",
        club=club,
        number=number,
        event=head.seq,
        at=at,
    )
