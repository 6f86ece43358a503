"""How a count went, in sentences that can be checked by hand; every method's steps end up here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from bot.messages.model import Text
from bot.messages.pages.lines import labels
from bot.messages.pages.ranked_steps import SAID as RANKED
from bot.messages.pages.tie_steps import SAID as TIES
from bot.messages.words import N_, Words, flat
from bot.rounds.model import Result, Step

MOST_SENTENCES = 6
_BREAKS = ("tie.age", "tie.draw", "tie.settled")


def sentences(words: Words, result: Result) -> tuple[Text, ...]:
    """The steps of a closed round; papers go by their short names."""
    candidates = result.round.candidates
    short = labels([candidate.paper for candidate in candidates], words)
    names = {str(candidate.position): name for candidate, name in zip(candidates, short, strict=True)}
    return explain(words, result.steps, names)


def explain(words: Words, steps: Sequence[Step], names: Mapping[str, str]) -> tuple[Text, ...]:
    """The steps of any count, at most six sentences; `names` says what each option is called.

    Of more, the first says what was counted and the last ones how it was decided.
    """
    gathered = _gathered(steps)
    found = _told(words, gathered, names)
    if len(found) > MOST_SENTENCES:
        found = _told(words, gathered, names, closely=True)
    if len(found) > MOST_SENTENCES:
        found = found[:1] + found[1 - MOST_SENTENCES :]
    return tuple(found)


def _told(
    words: Words, steps: Sequence[Step], names: Mapping[str, str], *, closely: bool = False
) -> list[Text]:
    """What each step says; `closely`: a tie and what broke it in one go, as neither says anything alone."""
    found: list[Text] = []
    before = ""
    for step in steps:
        told = _SAID[step.kind](words, step.values, names) if step.kind in _SAID else []
        if closely and told and found and step.kind in _BREAKS and before in (*_BREAKS, "tie", "irv.level"):
            said = flat(told[0]).startswith(flat(found[-1]))  # a draw names the tie itself
            found[-1] = told[0] if said else words.run_on(found[-1], *told)
        else:
            found += told
        before = step.kind
    return found


def _gathered(steps: Sequence[Step]) -> list[Step]:
    """The steps with those that come in a row and are told in one sentence put together."""
    gathered: list[Step] = []
    for kind, run in groupby(steps, key=lambda step: step.kind):
        row = list(run)
        together = kind in ("aside", "dropped") and len(row) > 1
        gathered += [Step(f"{kind}.row", {"row": [step.values for step in row]})] if together else row
    return gathered


# ---- what was counted, and how a ballot is read ----


def _counted(words: Words, values: dict[str, Any]) -> Text:
    ballots, blank, several = values["ballots"], values["blank"], values.get("overvotes", 0)
    return words.run_on(
        words.count("{n} ballot was counted.", "{n} ballots were counted.", ballots),
        words.count("{n} of them was blank.", "{n} of them were blank.", blank) if blank else (),
        words.count(
            "{n} of them named several where one counts.",
            "{n} of them named several where one counts.",
            several,
        )
        if several
        else (),
    )


def _counts(how: str) -> Callable[[Words, dict[str, Any], Mapping[str, str]], list[Text]]:
    def said(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
        return [_counted(words, values), words.say(how)] if values["ballots"] else []

    return said


# ---- what came out ----


def _elected(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    scores = values.get("scores")
    if scores is None:
        return [words.say("Chosen: {names}.", names=words.all_of([names[o] for o in values["options"]]))]
    each = [
        words.count_line("{name} with {n} vote", "{name} with {n} votes", scores[option], name=names[option])
        for option in values["options"]
    ]
    if len(each) == 1:
        return [words.say("Most votes: {name}.", name=each[0])]
    return [words.say("Most votes: {names}.", names=words.all_of(each))]


def _tie(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    level = words.all_of([names[option] for option in values["options"]])
    if "score" in values:
        tied = words.say(
            "A tie: {names} have {k} of {n} each.", names=level, k=values["score"], n=values["ballots"]
        )
    else:
        tied = words.say("A tie: {papers}.", papers=level)
    if values["places"] == 1:
        return [tied]
    places = words.count("{n} place is left for them.", "{n} places are left for them.", values["places"])
    return [words.run_on(tied, places)]


def _no_decision(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    if values["ballots"]:
        return [words.say("No ballot has a wish that counts, so there is no decision.")]
    return [words.say("Nobody voted, so there is no decision.")]


def _same(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    level = words.all_of([names[option] for option in values["options"]])
    return [words.say("{names} are level, and all ways to break this lead to the same result.", names=level)]


# ---- fair turns ----


def _seat(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    rival = values["rival"]
    told = _decimals(values["each"], *([rival["each"]] if rival else []))
    paid = Fraction(values["paid"])
    share = words.line(
        "(1 + {paid} paid so far) / {n}", paid=_decimals(values["paid"])[0], n=values["supporters"]
    )
    won = words.count(
        "{name} won: choosing it brings its {n} supporter to {each} papers paid ({share}).",
        "{name} won: choosing it brings its {n} supporters to {each} papers paid each ({share}).",
        values["supporters"],
        name=names[values["option"]],
        each=told[0],
        share=share if paid else f"1 / {values['supporters']}",
    )
    if not rival:
        return [won]
    other = words.count(
        "{name} would bring its {n} supporter to {each}.",
        "{name} would bring its {n} supporters to {each}.",
        rival["supporters"],
        name=names[rival["option"]],
        each=told[1],
    )
    return [words.run_on(won, other)]


def _fair_tie(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [
        words.say(
            "A tie: {names} would bring their supporters to {each} papers paid each.",
            names=words.all_of([names[option] for option in values["options"]]),
            each=_decimals(values["each"])[0],
        )
    ]


def _unsupported(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    left = words.all_of([names[option] for option in values["options"]])
    return [words.say("Nobody ticked {names}; there is a place left for all of them.", names=left)]


def _decimals(*fractions: str) -> list[str]:
    """Fractions with two places at most; as they are where two that differ would look the same."""
    exact = [Fraction(text) for text in fractions]
    rounded = [(value * 100 + Fraction(1, 2)) // 1 for value in exact]
    if len(set(rounded)) < len(set(exact)):
        return [str(value) for value in exact]
    places = [f"{value // 100}.{value % 100:02}" for value in rounded]
    return [text.rstrip("0").rstrip(".") for text in places]


_SAID: dict[str, Callable[[Words, dict[str, Any], Mapping[str, str]], list[Text]]] = {
    "approval.counts": _counts(N_("A ballot gives one vote to everything that is ticked on it.")),
    "plurality.counts": _counts(N_("A ballot gives one vote to the one it names.")),
    "phragmen.counts": _counts(
        N_("A paper costs 1, shared by those who ticked it; the one that costs its supporters least wins.")
    ),
    "pairs": _counts(
        N_(
            "Of any two, the one that more ballots put higher beats the other; what is not ranked comes below."
        )
    ),
    "irv.counts": _counts(
        N_("A ballot counts for the highest on it that is still in; round by round the last goes out.")
    ),
    "star.totals": _counts(N_("Of the two with most stars, the one that more ballots give more stars wins.")),
    "elected": _elected,
    "tie": _tie,
    "no_decision": _no_decision,
    "same": _same,
    "phragmen.seat": _seat,
    "phragmen.tie": _fair_tie,
    "phragmen.unsupported": _unsupported,
    **RANKED,
    **TIES,
}
