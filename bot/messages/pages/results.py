"""How a round ended: the winner and its numbers, how a tie was broken, how it was counted."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from bot.messages.model import (
    Actions,
    Bar,
    Bars,
    Button,
    Fact,
    Facts,
    Heading,
    Kicker,
    Message,
    Note,
    Paragraph,
    Reader,
    Steps,
    Text,
    When,
    Winner,
)
from bot.messages.pages.lines import IN_POST, authors, headline, labels, one_line, paper_link, shown, topic
from bot.messages.pages.parts import headline_note, message, more_button, small, topics_button
from bot.messages.pages.rounds import for_meeting, meeting_sentence, no_vote_page, paper_lines, single_page
from bot.messages.weigh import first_that_fits
from bot.messages.words import N_, Words, flat, words_for
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


def how_page(reader: Reader, result: Result) -> Message:
    """How the ballots became this result: six sentences at most to check by hand, every paper's number."""
    from bot.messages.pages.counting import sentences  # the sentences of every method; loaded when asked for

    words = words_for(reader.language)
    steps = sentences(words, result)
    bars = _bars(words, result, len(result.round.candidates))
    return message(
        reader,
        words.line("How this was counted"),
        Kicker(words.line("Result"), for_meeting(words, result.round)),
        Heading((words.line("How this was counted"),)),
        Steps(steps) if steps else None,
        bars,
        Actions((Button(f"mine:{result.round.id}", words.line("My ballot")),)),
    )


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


def find_winner(result: Result) -> Candidate | None:
    """The candidate that won, if one did."""
    return next((each for each in result.round.candidates if each.position == result.winner), None)


def _decided(reader: Reader, result: Result, names: int, bars: int) -> Message:
    words = words_for(reader.language)
    winner = find_winner(result)
    if winner is None:  # a result without its paper: nothing can be named
        return _undecided(reader, result)
    name = headline(winner.paper, words)
    votes = result.votes.get(winner.position, 0)
    lines: list[Text] = [(authors(winner.paper, words, names=names),)] if names else []
    return message(
        reader,
        words.line("Winner: {headline}, {k} of {n}", headline=name, k=votes, n=result.ballots),
        Kicker(words.line("Result"), for_meeting(words, result.round)),
        Winner(
            words.line("Winner"), shown(winner.paper, words, IN_POST), (*lines, (topic(winner.paper, words),))
        ),
        _bars(words, result, bars),
        _more_bars(words, result, bars),
        _tie(words, result, winner),
        _facts(words, result),
        _closed_early(words, result),
        _actions(words, result),
        small(
            words,
            _carried(words, result),
            headline_note(words, (winner.paper,), many=False),
            paper=winner.paper,
        ),
    )


def _undecided(reader: Reader, result: Result) -> Message:
    words = words_for(reader.language)
    if result.outcome == "all_withdrawn":
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
    return message(
        reader,
        flat(text),
        Kicker(words.line("Result"), for_meeting(words, result.round)),
        Heading(text),
        _facts(words, result),
        _closed_early(words, result),
        Actions(
            (
                Button("nominations", words.line("Nominations")),
                Button(f"mine:{result.round.id}", words.line("My ballot")),
            )
        ),
    )


def _standing(result: Result) -> list[Candidate]:
    """Candidates by votes, the winner first among equals, then in order of nomination."""
    counted = [each for each in result.round.candidates if not each.withdrawn]
    return sorted(
        counted, key=lambda c: (-result.votes.get(c.position, 0), c.position != result.winner, c.position)
    )


def _bars(words: Words, result: Result, most: int) -> Bars | None:
    standing = _standing(result)
    names = labels([candidate.paper for candidate in standing], words)
    bars = tuple(
        Bar(
            (name,),
            votes := result.votes.get(candidate.position, 0),
            result.ballots,
            words.line("{k} of {n}", k=votes, n=result.ballots),
            won=candidate.position == result.winner,
        )
        for name, candidate in zip(names[:most], standing, strict=False)
    )
    return Bars(bars) if bars and result.ballots else None


def _more_bars(words: Words, result: Result, most: int) -> Paragraph | None:
    rest = len(_standing(result)) - most
    if rest <= 0:
        return None
    text = words.count_line(
        "and {n} more under “How this was counted”", "and {n} more under “How this was counted”", rest
    )
    return Paragraph((text,), muted=True)


def _tie(words: Words, result: Result, winner: Candidate) -> Note | None:
    if not result.tie_rule:
        return None
    level = [each for each in result.round.candidates if each.position in result.tied and each is not winner]
    if not level:
        return None
    names = dict(zip([winner, *level], labels([each.paper for each in (winner, *level)], words), strict=True))
    k, n = result.votes.get(winner.position, 0), result.ballots
    if result.tie_rule == "draw":
        story = words.sentences(
            "A tie that age cannot break. {papers} have {k} of {n} each. "
            "{a} comes first by a fixed draw, the same whenever it is repeated.",
            papers=words.all_of(list(names.values())),
            k=k,
            n=n,
            a=names[winner],
        )
    elif len(level) == 1:
        other = level[0]
        story = words.sentences(
            "A tie, broken by age. {a} and {b} have {k} of {n} each. {a} was nominated first, on {when_a}; "
            "{b} on {when_b}. This rule was announced when the vote opened.",
            a=names[winner],
            b=names[other],
            k=k,
            n=n,
            when_a=When(winner.nominated_at),
            when_b=When(other.nominated_at),
        )
    else:
        story = words.sentences(
            "A tie, broken by age. {papers} have {k} of {n} each. {a} was nominated first, on {when_a}. "
            "This rule was announced when the vote opened.",
            papers=words.all_of(list(names.values())),
            k=k,
            n=n,
            a=names[winner],
            when_a=When(winner.nominated_at),
        )
    heading, rest = story
    return Note(flat(heading).rstrip(".。"), rest)


def _facts(words: Words, result: Result) -> Facts:
    turnout = result.turnout
    if turnout.active is None:
        voted = words.count_line("{n} member voted", "{n} members voted", result.ballots)
    else:
        voted = words.count_line("{k} of {n} member", "{k} of {n} members", turnout.active, k=turnout.voted)
    if turnout.linked is not None:
        voted = words.count_line(
            "{turnout}, {n} of them linked on both platforms",
            "{turnout}, {n} of them linked on both platforms",
            turnout.linked,
            turnout=voted,
        )
    facts = [Fact(words.line("Turnout"), (voted,))]
    if (margin := _margin(words, result)) is not None:
        facts.append(Fact(words.line("Margin"), (margin,)))
    if result.round.meeting_at is not None:
        meeting = result.round.meeting_at
        facts.append(Fact(words.line("Next meeting"), (When(meeting),), (When(meeting, "relative"),)))
    return Facts(tuple(facts))


def _margin(words: Words, result: Result) -> str | None:
    votes = sorted((result.votes.get(each.position, 0) for each in _standing(result)), reverse=True)
    if result.outcome != "decided" or len(votes) < 2:
        return None
    ahead = votes[0] - votes[1]
    if ahead == 0:
        return words.line("none, decided by the tie rule")
    return words.count_line("{n} ballot", "{n} ballots", ahead)


def _closed_early(words: Words, result: Result) -> Paragraph | None:
    vote = result.round
    if vote.closed_by is None:
        return None
    return Paragraph(
        words.say(
            "Closed early by {member}. Reason: {reason}",
            member=one_line(vote.closed_by),
            reason=one_line(vote.close_note) or words.line("none given"),
        ),
        muted=True,
    )


def _actions(words: Words, result: Result) -> Actions:
    return Actions(
        (
            Button(f"how:{result.round.id}", words.line("How this was counted")),
            Button(f"mine:{result.round.id}", words.line("My ballot")),
        )
    )


def _carried(words: Words, result: Result) -> str:
    if len(_standing(result)) < 2 or result.round.rules.keep_rounds < 1:
        return ""
    return words.count_line(
        "The other papers stay nominated for up to {n} more round.",
        "The other papers stay nominated for up to {n} more rounds.",
        result.round.rules.keep_rounds,
    )
