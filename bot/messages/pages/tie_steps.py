"""How a tie was broken, or why it stays open, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bot.messages.model import Text, When
from bot.messages.pages.lines import later_in_a_minute, member_name
from bot.messages.words import Words


def _by_age(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    first, *others = values["options"]
    dates = {option: datetime.fromisoformat(at) for option, at in values["nominated"].items()}
    same = len(set(dates.values()))
    if same == 1 and not values["settled"]:
        return []  # the draw that follows says that age cannot break it
    told = [
        words.say(
            "The oldest nomination ranks first: {name}, {when}.", name=names[first], when=When(dates[first])
        )
    ]
    told += [
        words.say("Then {name}, later in the same minute.", name=names[option])
        if later_in_a_minute(dates[before], dates[option])
        else words.say("Then {name}, {when}.", name=names[option], when=When(dates[option]))
        for before, option in zip(values["options"], others[:3], strict=False)
    ]
    if same < len(dates) and values["settled"]:
        told.append(words.say("Nominated at the same moment, they stand as on the list."))
    return [words.run_on(*told)]


def _age_unknown(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [words.say("It is not said when each of them was nominated.")]


def _drawn(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    if values["context"].startswith("round-"):  # who goes out is asked there
        last = names[values["options"][-1]]
        drawn = words.say("The draw sealed when the vote opened puts {a} last.", a=last)
    else:
        first = names[values["options"][0]]
        drawn = words.say("The draw sealed when the vote opened puts {a} first.", a=first)
    if not values["age"]:
        return [drawn]  # who is level was said just before
    papers = words.all_of([names[option] for option in values["options"]])
    return [words.run_on(words.say("A tie that age cannot break: {papers}.", papers=papers), drawn)]


def _left(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    gone = words.all_of([names[option] for option in values["options"]])
    return [words.say("Off the list before the tie was decided: {papers}.", papers=gone)]


def _settled(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [
        words.say("So the tie goes to {names}.", names=words.all_of([names[o] for o in values["options"]]))
    ]


def _open(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [words.say("The tie stays open.")]


def _quorum(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [words.say("No decision: {k} voted, {q} were needed.", k=values["ballots"], q=values["quorum"])]


def _organiser(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    chosen = words.say(
        "The vote ended in a tie, and {member} decided it as an organiser: {name}.",
        member=member_name(words, values["by"]),
        name=names[values["chosen"]],
    )
    return [
        words.run_on(chosen, words.say("Reason: {reason}", reason=values["note"]) if values["note"] else ())
    ]


def _runoff(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [words.say("The vote ended in a tie; a second vote decides it.")]


def _waiting(words: Words, values: dict[str, Any], names: Mapping[str, str]) -> list[Text]:
    return [words.say("The vote ended in a tie; an organiser decides it.")]


SAID: dict[str, Callable[[Words, dict[str, Any], Mapping[str, str]], list[Text]]] = {
    "tie.age": _by_age,
    "tie.age.unknown": _age_unknown,
    "tie.draw": _drawn,
    "tie.settled": _settled,
    "tie.open": _open,
    "tie.left": _left,
    "quorum": _quorum,
    "tie.organiser": _organiser,
    "tie.runoff": _runoff,
    "tie.waiting": _waiting,
}
"""By the kind of the step."""
