"""How a round ended: the winner and its numbers, how a tie was broken, how it was counted."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bot.messages.model import (
    Actions,
    Button,
    Code,
    Heading,
    Kicker,
    Message,
    Paragraph,
    Reader,
    Small,
    Text,
    When,
    Winner,
)
from bot.messages.pages.figures import by_votes, facts_of, find_winner, numbers_of
from bot.messages.pages.lines import (
    IN_POST,
    authors,
    headline,
    member_name,
    one_line,
    paper_link,
    shown,
    topic,
)
from bot.messages.pages.parts import headline_note, message, more_button, small, topics_button
from bot.messages.pages.reminders import mine_button
from bot.messages.pages.rounds import (
    for_meeting,
    meeting_sentence,
    no_vote_page,
    paper_lines,
    single_page,
)
from bot.messages.pages.sheets import few_line, sheet_button
from bot.messages.pages.tie_stories import SCORED, open_tie, tie_note
from bot.messages.weigh import first_that_fits
from bot.messages.words import N_, Words, words_for
from bot.rounds.log import SHOWN
from bot.rounds.model import Candidate, Result, Round

MOST_BARS = 10


def result_page(reader: Reader, result: Result) -> Message:
    """What a closed round decided, for everybody: each outcome has its own words."""
    match result.outcome:
        case "no_nomination":
            return no_vote_page(reader)
        case "single":
            return single_page(reader, result.round)
        case "nobody" | "all_blank" | "all_withdrawn" | "quorum" | "runoff" | "waiting":
            return _undecided(reader, result)
        case "decided":
            lengths = ((3, MOST_BARS), (0, MOST_BARS), (0, 5))
            return first_that_fits(*(partial(_decided, reader, result, *each) for each in lengths))


def discussion_page(reader: Reader, result: Result) -> Message | None:
    """The first message of the winner's thread; its summary names the thread. None without a winner."""
    words = words_for(reader.language)
    winner = find_winner(result)
    if winner is None:
        return None
    link = paper_link(winner.paper)
    return message(
        reader,
        headline(winner.paper, words),
        Kicker(words.line("Discussion"), for_meeting(words, result.round)),
        Winner(words.line("Chosen"), shown(winner.paper, words, IN_POST), paper_lines(words, winner)),
        Paragraph((link,)) if link else None,
        Paragraph(words.say("This is the place to talk about it, before the meeting and after.")),
        meeting_sentence(words, result.round),
        Actions((more_button(words, winner.paper, first=True),)),
        small(words, headline_note(words, (winner.paper,), many=False), paper=winner.paper),
    )


def last_result_page(reader: Reader, result: Result, vote: Round | None) -> Message:
    """The last result, when asked for; `vote`: the round that is open meanwhile, if one is."""
    page = result_page(reader, result)
    if vote is None or reader.now >= vote.closes_at:
        return page
    words = words_for(reader.language)
    running = (
        Paragraph(words.say("A vote is open until {when}.", when=When(vote.closes_at))),
        Actions((Button(f"vote:{vote.id}", words.line("Vote / change my vote"), "first"),)),
    )
    return replace(page, blocks=(*running, *page.blocks))


def no_result_page(reader: Reader) -> Message:
    """Asked for results before there was any vote."""
    words = words_for(reader.language)
    text = N_("There is no result yet. The first vote opens when papers are nominated.")
    what, how = words.sentences(text)
    return message(
        reader,
        words.line(text),
        Heading(what),
        Paragraph(how),
        Actions((Button("nominations", words.line("Nominations"), "first"), topics_button(words))),
    )


def _decided(reader: Reader, result: Result, names: int, bars: int) -> Message:
    words = words_for(reader.language)
    winner = find_winner(result)
    if winner is None:  # a result without its paper: nothing can be named
        return _undecided(reader, result)
    lines: list[Text] = [(authors(winner.paper, words, names=names),)] if names else []
    return message(
        reader,
        _won(words, result, winner),
        Kicker(words.line("Result"), for_meeting(words, result.round)),
        Winner(
            words.line("Winner"), shown(winner.paper, words, IN_POST), (*lines, (topic(winner.paper, words),))
        ),
        *numbers_of(words, result, winner, bars),
        tie_note(words, result, winner),
        facts_of(words, result),
        *_remarks(words, result),
        Actions(tuple(_buttons(words, result))),
        small(
            words,
            _carried(words, result),
            headline_note(words, (winner.paper,), many=False),
            paper=winner.paper,
        ),
        _log(words, result),
    )


def _won(words: Words, result: Result, winner: Candidate) -> str:
    """The push line; a number only where it says why the paper won."""
    name, votes = headline(winner.paper, words), result.votes.get(winner.position, 0)
    if result.published == "winner" or result.round.method not in SCORED:
        return words.line("Winner: {headline}", headline=name)
    if result.round.method == "plurality":
        return words.line("Winner: {headline}, {k} of {n} votes", headline=name, k=votes, n=result.ballots)
    return words.line("Winner: {headline}, {k} of {n}", headline=name, k=votes, n=result.ballots)


def _undecided(reader: Reader, result: Result) -> Message:
    words = words_for(reader.language)
    what, then = _outcome(words, result)
    tie = result.outcome in ("runoff", "waiting")
    return message(
        reader,
        words.plain(what, reader.zone, reader.now),
        Kicker(words.line("Result"), for_meeting(words, result.round)),
        Heading(what),
        Paragraph(then) if then else None,
        *(numbers_of(words, result, None, MOST_BARS) if tie else ()),
        facts_of(words, result),
        *_remarks(words, result),
        Actions(tuple(_tie_buttons(words, result) if tie else _ways_on(words, result))),
        _log(words, result),
    )


def _outcome(words: Words, result: Result) -> tuple[Text, Text]:
    """Why nothing is decided, and what comes next."""
    if result.outcome in ("runoff", "waiting"):
        return open_tie(words, result)
    if result.outcome == "quorum":
        text = words.say(
            "No decision: {k} voted, {q} were needed. All papers stay nominated.",
            k=result.ballots,
            q=result.round.rules.quorum,
        )
    elif result.outcome == "all_withdrawn" and result.tied:
        text = words.say(
            "No decision: no paper of the tie is on the list any more. The other papers stay nominated."
        )
    elif result.outcome == "all_withdrawn" and any(each.chosen for each in result.round.candidates):
        text = words.say(
            "No decision: every paper was withdrawn or chosen in an earlier vote. "
            "Papers can be nominated for the next vote."
        )
    elif result.outcome == "all_withdrawn":
        text = words.say("No decision: every paper was withdrawn. Papers can be nominated for the next vote.")
    elif result.ballots:
        text = words.count(
            "No decision: {n} member voted, without a wish. All papers stay nominated.",
            "No decision: {k} members voted, all without a wish. All papers stay nominated.",
            result.ballots,
            k=result.ballots,
        )
    else:
        text = words.say("No decision: nobody voted. All papers stay nominated.")
    return text, ()


def _tie_buttons(words: Words, result: Result) -> list[Button]:
    if result.outcome == "waiting":
        first = Button(f"decide:{result.round.id}", words.line("Decide the tie"), "first")
        return [first, *_buttons(words, result)]
    if result.runoff is None:
        return _buttons(words, result)
    first = Button(f"vote:{result.runoff}", words.line("Vote / change my vote"), "first")
    return [first, *_buttons(words, result)]


def _ways_on(words: Words, result: Result) -> list[Button]:
    return [
        Button("nominations", words.line("Nominations")),
        mine_button(words, result.round),
        *sheet_button(words, result),
    ]


def _remarks(words: Words, result: Result) -> list[Paragraph]:
    """What closed the vote early, and why few ballots are told less of."""
    return [
        Paragraph(text, muted=True)
        for text in (_closed_early(words, result), (few_line(words, result),))
        if any(text)
    ]


def _closed_early(words: Words, result: Result) -> Text:
    vote = result.round
    if vote.closed_by is not None:
        return words.say(
            "Closed early by {member}. Reason: {reason}",
            member=member_name(words, vote.closed_by, 300),
            reason=one_line(vote.close_note) or words.line("none given"),
        )
    if result.why == "all_voted":
        return words.say("Closed early: all active members have voted.")
    return ()


def _buttons(words: Words, result: Result) -> list[Button]:
    how = Button(f"how:{result.round.id}", words.line("How this was counted"))
    return [how, mine_button(words, result.round), *sheet_button(words, result)]


def _log(words: Words, result: Result) -> Small | None:
    """The head the ballot log ended with, and the secret of the draw: with them the count can be checked."""
    head, secret = result.head or result.round.head, result.round.secret
    if not head:
        return None
    if not secret:
        return small(words, words.say("Ballot log {head}", head=Code(head[:SHOWN])))
    return small(
        words,
        words.say("Ballot log {head} · draw secret {secret}", head=Code(head[:SHOWN]), secret=Code(secret)),
    )


def _carried(words: Words, result: Result) -> str:
    if len(by_votes(result)) < 2 or result.round.rules.keep_rounds < 1:
        return ""
    return words.count_line(
        "The other papers stay nominated for up to {n} more round.",
        "The other papers stay nominated for up to {n} more rounds.",
        result.round.rules.keep_rounds,
    )
