"""How a count went, in sentences that can be checked by hand; every method's steps end up here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.messages.model import Text
from bot.messages.pages.lines import labels
from bot.messages.pages.tie_steps import SAID as TIES
from bot.messages.words import Words
from bot.rounds.model import Result, Step

MOST_SENTENCES = 6


def sentences(words: Words, result: Result) -> tuple[Text, ...]:
    """The steps of a closed round; papers go by their short names."""
    candidates = result.round.candidates
    short = labels([candidate.paper for candidate in candidates], words)
    names = {str(candidate.position): name for candidate, name in zip(candidates, short, strict=True)}
    return explain(words, result.steps, names)


def explain(words: Words, steps: Sequence[Step], names: Mapping[str, str]) -> tuple[Text, ...]:
    """The steps of any count, at most six sentences; `names` says what each option is called."""
    found: list[Text] = []
    for step in steps:
        found += _SAID[step.kind](words, step.values, names) if step.kind in _SAID else []
    return tuple(found[:MOST_SENTENCES])


def _approval_counts(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    ballots, blank = values["ballots"], values["blank"]
    if not ballots:
        return []
    counted = words.count("{n} ballot was counted.", "{n} ballots were counted.", ballots)
    if blank:
        blanks = words.count("{n} of them was blank.", "{n} of them were blank.", blank)
        counted = words.run_on(counted, blanks)
    return [counted, words.say("A ballot gives one vote to everything that is ticked on it.")]


def _elected(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    scores = values["scores"]
    each = [
        words.count_line("{name} with {n} vote", "{name} with {n} votes", scores[option], name=names[option])
        for option in values["options"]
    ]
    if len(each) == 1:
        return [words.say("Most votes: {name}.", name=each[0])]
    return [words.say("Most votes: {names}.", names=words.all_of(each))]


def _tie(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    level = words.all_of([names[option] for option in values["options"]])
    tied = words.say(
        "A tie: {names} have {k} of {n} each.", names=level, k=values["score"], n=values["ballots"]
    )
    if values["places"] == 1:
        return [tied]
    places = words.count("{n} place is left for them.", "{n} places are left for them.", values["places"])
    return [words.run_on(tied, places)]


def _no_decision(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    if values["ballots"]:
        return [words.say("No ballot has anything ticked, so there is no decision.")]
    return [words.say("Nobody voted, so there is no decision.")]


_SAID = {
    "approval.counts": _approval_counts,
    "elected": _elected,
    "tie": _tie,
    "no_decision": _no_decision,
    **TIES,
}
