"""How a tie was broken, or who breaks it and until when."""

from __future__ import annotations

from bot.messages.model import Note, Text, When
from bot.messages.pages.lines import labels, later_in_a_minute, member_name, one_line
from bot.messages.words import Words, flat
from bot.rounds.model import Candidate, Result

SCORED = ("approval", "plurality")
"""Methods that compare the papers by one number each, so that a tie can be told as that number."""


def tie_note(words: Words, result: Result, winner: Candidate) -> Note | None:
    """The story of a tie that was broken; without papers and numbers where only the winner is published."""
    gone = _gone(words, result)
    if not result.tie_rule:
        return (
            Note(flat(words.say("A tie of which one paper was left.")).rstrip(".。"), gone) if gone else None
        )
    level = _level(result, winner)
    names = labels([each.paper for each in level], words)
    if is_inside(result):
        heading, rest = _inner_story(words, result)
    elif result.published == "winner" or len(level) < 2:
        heading, rest = _plain_story(words, result, winner)
    else:
        match result.tie_rule:
            case "draw":
                heading, rest = _drawn(words, result, names)
            case "organiser":
                heading = words.say("A tie, decided by an organiser.")
                rest = words.run_on(_each(words, result, names), _decided(words, result))
            case _:
                heading, rest = _by_age(words, result, level, names)
    title = flat(heading)
    if not title.endswith(names):  # ‘et al.’ keeps its full stop
        title = title.rstrip(".。")
    return Note(title, words.run_on(rest, gone) if gone else rest)


def _gone(words: Words, result: Result) -> Text:
    """Which tied papers were not there any more when the tie was decided, if some were not."""
    gone = [option for step in result.steps if step.kind == "tie.left" for option in step.values["options"]]
    if not gone:
        return ()
    short = labels([each.paper for each in result.round.candidates], words)
    names = dict(zip((str(each.position) for each in result.round.candidates), short, strict=True))
    listed = words.all_of([names[option] for option in gone])
    return words.say("Off the list before the tie was decided: {papers}.", papers=listed)


def open_tie(words: Words, result: Result) -> tuple[Text, Text]:
    """That a vote ended in a tie, and what decides it now; `Round.waits_until` says until when."""
    names = labels([each.paper for each in _level(result, None)], words)
    papers, until = words.all_of(list(names)), result.round.waits_until
    if _scored(result):
        what = words.say(
            "A tie: {papers}, {k} of {n} each.", papers=papers, k=_score(result), n=result.ballots
        )
    elif names:
        what = words.say("A tie: {papers}.", papers=papers)
    else:
        what = words.say("A tie.")
    if result.outcome == "waiting":
        if until is None:
            return what, words.say("An organiser decides; else the oldest nomination wins.")
        return what, words.say(
            "An organiser decides until {when}; else the oldest nomination wins.", when=When(until)
        )
    if until is None:
        return what, words.say("A second vote decides between them.")
    return what, words.say("A second vote decides between them, until {when}.", when=When(until))


def _plain_story(words: Words, result: Result, winner: Candidate) -> tuple[Text, Text]:
    match result.tie_rule:
        case "draw":
            heading = words.say("A tie.")
            if result.round.rules.ties != "draw":
                heading = words.say("A tie that age cannot break.")
            return heading, words.say("The draw sealed when the vote opened decided it.")
        case "organiser":
            return words.say("A tie, decided by an organiser."), _decided(words, result)
    return words.say("A tie, broken by age."), words.run_on(
        words.say("The winner was nominated first, on {when}.", when=When(winner.nominated_at)),
        _reason(words, result),
    )


def is_inside(result: Result) -> bool:
    """Whether the ties that were broken arose in the middle of the count, and none at its end."""
    kinds = {step.kind for step in result.steps}
    return bool(kinds & {"tie.age", "tie.draw"}) and not kinds & {"tie.settled", "tie.organiser", "tie.left"}


def _inner_story(words: Words, result: Result) -> tuple[Text, Text]:
    """Nobody is level at the end: the count itself tells where a tie was broken."""
    if result.tie_rule == "draw":
        heading = words.say("A tie inside the count, broken by the sealed draw.")
    else:
        heading = words.say("A tie inside the count, broken by age.")
    if result.published == "winner":
        return heading, _reason(words, result)
    return heading, words.run_on(words.say("“How this was counted” shows where."), _announced(words))


def _by_age(
    words: Words, result: Result, level: list[Candidate], names: tuple[str, ...]
) -> tuple[Text, Text]:
    first = words.say("{a} was nominated first, on {when}.", a=names[0], when=When(level[0].nominated_at))
    if not _scored(result) or len(level) > 2:
        return words.say("A tie, broken by age."), words.run_on(
            _each(words, result, names), first, _announced(words)
        )
    if later_in_a_minute(level[0].nominated_at, level[1].nominated_at):
        first = words.say(
            "{a} was nominated first, on {when}; {b} later in the same minute.",
            a=names[0],
            b=names[1],
            when=When(level[0].nominated_at),
        )
        return words.say("A tie, broken by age."), words.run_on(
            _each(words, result, names), first, _announced(words)
        )
    return words.sentences(
        "A tie, broken by age. {a} and {b} have {k} of {n} each. {a} was nominated first, on {when_a}; "
        "{b} on {when_b}. This rule was announced when the vote opened.",
        a=names[0],
        b=names[1],
        k=_score(result),
        n=result.ballots,
        when_a=When(level[0].nominated_at),
        when_b=When(level[1].nominated_at),
    )


def _drawn(words: Words, result: Result, names: tuple[str, ...]) -> tuple[Text, Text]:
    papers = words.all_of(list(names))
    if result.round.rules.ties == "draw":
        heading = words.say("A tie: {papers}.", papers=papers)
    elif len(names) == 2:
        heading = words.say("A tie that age cannot break: {a} and {b}.", a=names[0], b=names[1])
    else:
        heading = words.say("A tie that age cannot break: {papers}.", papers=papers)
    if result.published == "all":
        return heading, words.say(
            "The draw sealed when the vote opened puts {a} first; anyone can check it in the tally sheet.",
            a=names[0],
        )
    return heading, words.say("The draw sealed when the vote opened puts {a} first.", a=names[0])


def _each(words: Words, result: Result, names: tuple[str, ...]) -> Text:
    papers = words.all_of(list(names))
    if not _scored(result):
        return words.say("{papers} are level.", papers=papers)
    return words.say("{papers} have {k} of {n} each.", papers=papers, k=_score(result), n=result.ballots)


def _decided(words: Words, result: Result) -> Text:
    return words.say(
        "Decided by {member}. Reason: {reason}",
        member=member_name(words, result.decided_by, 300),
        reason=one_line(result.decided_note) or words.line("none given"),
    )


def _reason(words: Words, result: Result) -> Text:
    """Why this rule: it was announced, or of so few ballots no tie is handed on to those who were to decide it."""
    rules = result.round.rules
    by_people = rules.ties == "organiser" or (rules.ties == "runoff" and not rules.runoff_of)
    if result.published != "winner" or not by_people:
        return _announced(words)
    if result.tie_rule == "draw":
        return words.say("With so few ballots the sealed draw decided.")
    return words.say("With so few ballots the oldest nomination decided.")


def _announced(words: Words) -> Text:
    return words.say("This rule was announced when the vote opened.")


def _level(result: Result, winner: Candidate | None) -> list[Candidate]:
    """The tied papers, the winner first; of a count in rounds those that are level at its end."""
    level = set(result.tied)
    for step in result.steps if result.round.method == "irv" else ():
        if step.kind == "tie":
            level = {int(option) for option in step.values["options"]}
    tied = [each for each in result.round.candidates if each.position in level and each is not winner]
    return tied if winner is None else [winner, *tied]


def _scored(result: Result) -> bool:
    """Whether the tie can be told as a number of ballots."""
    return result.round.method in SCORED and result.published != "winner"


def _score(result: Result) -> int:
    """What each tied paper has."""
    return next((result.votes[each] for each in result.tied if each in result.votes), 0)
