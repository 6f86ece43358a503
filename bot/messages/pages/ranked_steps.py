"""How ranked and rated ballots were counted, in sentences: duels and circles, rounds, stars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from bot.messages.model import Text
from bot.messages.words import Words

MOST_NAMES = 5


def _all(words: Words, options: Sequence[str], names: Mapping[str, str]) -> str:
    return words.all_of([names[option] for option in options])


# ---- duels ----


def _condorcet(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    winner, narrowest = names[values["option"]], values["narrowest"]
    if not narrowest:
        return [words.say("{name} is the only one left.", name=winner)]
    other, ours, theirs = narrowest
    duel = {"a": winner, "b": names[other], "x": ours, "y": theirs}
    if values["others"] == 1:
        return [words.say("{a} beat {b} {x} : {y}.", **duel)]
    return [words.say("{a} beat each of the others, {b} most narrowly at {x} : {y}.", **duel)]


def _unbeaten(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    none = words.say("Beaten by none: {names}.", names=_all(words, values["options"], names))
    return [words.run_on(words.say("No paper beat all the others."), none)]


def _cycle(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    duels = [
        words.line("{a} beat {b} {x} : {y}", a=names[a], b=names[b], x=x, y=y)
        for a, b, x, y in values["duels"]
    ]
    circle = words.say("In a circle: {duels}.", duels=words.line(", ").join(duels))
    return [words.run_on(words.say("No paper beat all the others."), circle)]


def _aside(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [
        words.say(
            "The narrowest win, {a} over {b} at {x} : {y}, was set aside.",
            a=names[values["winner"]],
            b=names[values["loser"]],
            x=values["for"],
            y=values["against"],
        )
    ]


def _asides(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    row = values["row"]
    duels = [
        words.line(
            "{a} over {b} at {x} : {y}",
            a=names[each["winner"]],
            b=names[each["loser"]],
            x=each["for"],
            y=each["against"],
        )
        for each in row[:MOST_NAMES]
    ]
    listed = words.line(", ").join(duels)
    if len(row) > MOST_NAMES:
        return [
            words.say("{n} wins were set aside, the narrowest first: {duels} …", n=len(row), duels=listed)
        ]
    return [words.say("Set aside, the narrowest wins first: {duels}.", duels=listed)]


def _dropped(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    who = {"name": names[values["option"]], "default": names[values["default"]], "k": values["for"]}
    if values["why"] == "quorum":
        needed = _number(Fraction(values["needed"]))
        return [
            words.say("{name} was dropped: {k} put it before {default}, {q} were needed.", q=needed, **who)
        ]
    ratio = Fraction(values["needed"])
    told = words.say(
        "{name} was dropped: {k} put it before {default}, {n} behind.", n=values["against"], **who
    )
    if ratio == 1:
        return [told]
    return [words.run_on(told, words.say("It needed more than {r} times as many.", r=_number(ratio)))]


def _dropped_row(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    row = values["row"]
    return [
        words.say(
            "Dropped, as too few put them before {default}: {names}.",
            default=names[row[0]["default"]],
            names=_all(words, [each["option"] for each in row], names),
        )
    ]


def _number(value: Fraction) -> str:
    """A whole number, or one with two places."""
    return str(value) if value.denominator == 1 else f"{float(value):.2f}"


# ---- round by round ----


def _round(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    tally: Mapping[str, int] = values["tally"]
    ranked = sorted(tally, key=lambda option: -tally[option])
    named = [f"{names[option]} {tally[option]}" for option in ranked[:MOST_NAMES]]
    listed = words.line(", ").join(named)
    if len(ranked) > MOST_NAMES:
        listed = words.line("{items} and {n} more", items=listed, n=len(ranked) - MOST_NAMES)
    out = values["eliminated"]
    if not out:
        return [words.say("Round {round}: {tally}.", round=values["round"], tally=listed)]
    gone = (
        words.count_line("{n} paper without a vote", "{n} papers without a vote", len(out))
        if len(out) > MOST_NAMES
        else _all(words, out, names)
    )
    return [words.say("Round {round}: {tally}. Out: {out}.", round=values["round"], tally=listed, out=gone)]


def _earlier(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    level = _all(words, values["options"], names)
    return [
        words.say(
            "{names} are level; {out} had fewest in earlier rounds.", names=level, out=names[values["out"]]
        )
    ]


def _level(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    level = _all(words, values["options"], names)
    return [words.say("Level for who goes out in round {n}: {names}.", n=values["round"], names=level)]


def _majority(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [
        words.say(
            "{name} has {k} of the {n} ballots that still count, a majority.",
            name=names[values["option"]],
            k=values["votes"],
            n=values["of"],
        )
    ]


# ---- stars ----


def _finalists(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    a, b = values["options"]
    totals = values["totals"]
    return [
        words.say(
            "Most stars: {a} with {x} and {b} with {y}.", a=names[a], x=totals[a], b=names[b], y=totals[b]
        )
    ]


def _runoff(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    (a, b), (x, y), best = values["options"], values["votes"], values["best"]
    told = words.say("{x} put {a} higher, {y} put {b} higher.", x=x, y=y, a=names[a], b=names[b])
    if x != y or len(best) > 1:
        return [told]
    return [words.run_on(told, words.say("{name} has more stars.", name=names[best[0]]))]


def _only(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [words.say("{name} is the only one left.", name=names[values["option"]])]


def _star_level(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    level = _all(words, values["options"], names)
    return [words.say("Level at {n} stars for the runoff: {names}.", n=values["stars"], names=level)]


SAID: dict[str, Callable[[Words, dict[str, Any], Mapping[str, str]], list[Text]]] = {
    "condorcet": _condorcet,
    "unbeaten": _unbeaten,
    "cycle": _cycle,
    "aside": _aside,
    "aside.row": _asides,
    "dropped": _dropped,
    "dropped.row": _dropped_row,
    "irv.round": _round,
    "irv.earlier": _earlier,
    "irv.level": _level,
    "irv.majority": _majority,
    "star.finalists": _finalists,
    "star.runoff": _runoff,
    "star.only": _only,
    "star.level": _star_level,
}
"""By the kind of the step."""
