"""Election files: the JSON in which a vote can be recounted away from the bot, read as a value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, NoReturn, get_args

from bot.errors import BadInput
from bot.rounds.log import commitment_of, draw_seed
from bot.rounds.methods import Vote
from bot.rounds.methods.model import NOTHING
from bot.rounds.model import Ties
from bot.rounds.ties import Chain, Entry

SHEET = "tally sheet"
"""What our own files say they are, under the key 'paperclub'."""
VERSION = 1
MOST_BYTES = 16 * 1024 * 1024
MOST_CANDIDATES = 200
MOST_VOTES = 1_000_000_000
"""Of equal ballots in one line, of seats, and of points."""

_PAID = re.compile(r"([0-9]{1,1000})(?:/([0-9]{1,1000}))?")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a tally sheet says was published; `winner` is a candidate's id, `votes` empty where none were told."""

    outcome: str
    winner: str | None
    tie_rule: str
    decided_by: str = ""
    decided_note: str = ""
    votes: Mapping[str, int] = field(default_factory=dict)
    tied: tuple[str, ...] = ()
    """Who was level when the tie was decided."""


@dataclass(frozen=True, slots=True)
class Election:
    """A vote as a file tells it. `candidates` are ids in the file's order, without those that were withdrawn.

    `method` is the file's own word (see methods.ALIASES), `names` what candidates are called. `chain` breaks ties
    where the file has what it needs. With fewer than `quorum` ballots nothing is decided. `claim`: of our own
    sheets only.
    """

    method: str
    seats: int
    options: Mapping[str, Any]
    candidates: tuple[str, ...]
    ballots: tuple[Vote, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    chain: Chain | None = None
    quorum: int = 0
    claim: Claim | None = None


def read_election(data: bytes) -> Election:
    """Read an election file: an object with `method`, `seats`, `options`, `candidates` and `ballots`.

    A candidate is ``{id, name}`` and may carry `nominated_at` (ISO 8601 with offset), `position` and `withdrawn`.
    A ballot holds `approvals`, `ranking` (tiers, best first) or `scores`; its `count` defaults to 1. Other keys
    are ignored. A tally sheet of ours has a quorum, what breaks its ties, and what was published, too.
    Raises: BadInput that names what is wrong, and in which ballot (1 is the first).
    """
    document = _document(data)
    ours = document.get("paperclub") == SHEET
    if ours and document.get("version") != VERSION:
        raise BadInput("tally.sheet_version", version=_shown(document.get("version")), known=VERSION)
    names, entries, gone = _candidates(document)
    listed = _list(document.get("ballots"), "tally.no_ballots")
    ballots = tuple(_ballot(ballot, number, names, gone) for number, ballot in enumerate(listed, 1))
    if ours:
        _check_receipts(listed)
    return Election(
        method=_text(document.get("method"), "tally.no_method"),
        seats=check_seats(document.get("seats")),
        options=_options(document.get("options"), names),
        candidates=tuple(option for option in names if option not in gone),
        ballots=ballots,
        names=names,
        chain=_chain(document, entries) if ours else Chain("age", entries),
        quorum=_part(_whole(document.get("quorum", 0)), "quorum") if ours else 0,
        claim=_claim(document) if ours else None,
    )


def check_seats(value: object) -> int:
    """How many are to be elected; 1 where nothing is said. Raises: BadInput('tally.seats')."""
    seats = 1 if value is None else _whole(value)
    if seats is None or seats < 1:
        raise BadInput("tally.seats", field="seats", seats=_shown(value))
    return seats


def with_rules(
    election: Election, default_option: str | None, quorum: str | None, majority: Sequence[tuple[str, str]]
) -> Election:
    """The election by other rules than the file's where some are given; then there is no claim to hold it against.

    `quorum` and the ratios of `majority` are numbers as text, so that they stay exact.
    Raises: BadInput('tally.no_option').
    """
    for option in (*(() if default_option is None else (default_option,)), *(name for name, _ in majority)):
        if option not in election.candidates:
            raise BadInput("tally.no_option", option=_shown(option))
    given: dict[str, Any] = {}
    if default_option is not None:
        given["default_option"] = default_option
    if quorum is not None:
        given["quorum"] = quorum
    if majority:
        given["majority_ratio"] = {**election.options.get("majority_ratio", {}), **dict(majority)}
    return replace(election, options={**election.options, **given}, claim=None) if given else election


# ---- JSON ----


def _document(data: bytes) -> dict[str, Any]:
    if len(data) > MOST_BYTES:
        raise BadInput("tally.too_large", n=MOST_BYTES // 1024**2)
    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise BadInput("tally.bad_json", line=error.lineno, column=error.colno) from error
    except UnicodeDecodeError as error:
        raise BadInput("tally.bad_json", line=data[: error.start].count(b"\n") + 1, column=1) from error
    except (
        ValueError,
        RecursionError,
    ) as error:  # a number of thousands of digits, brackets nested without end
        raise BadInput("tally.bad_json", line=1, column=1) from error
    if not isinstance(document, dict):
        raise BadInput("tally.no_election")
    if "candidates" not in document and "ballots" not in document:
        raise BadInput("tally.no_election")
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose every key stands once: of two, another program might take the other."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadInput("tally.key_twice", name=_shown(key))
        found[key] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise BadInput("tally.number", value=name)


def _shown(value: object) -> str:
    """The beginning of a faulty value; what it holds inside stays out."""
    text = "[…]" if isinstance(value, list) else "{…}" if isinstance(value, dict) else str(value)
    return text[:40].encode("utf-8", "replace").decode()


def _list(value: object, key: str, **values: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadInput(key, **values)
    return value


def _text(value: object, key: str, **values: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not _encodes(value):
        raise BadInput(key, **values)
    return value


def _encodes(text: str) -> bool:
    """Whether it is text at all: JSON can write half a letter."""
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def _whole(value: object) -> int | None:
    """A whole number from 0 that a vote can have."""
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_VOTES
    return value if whole and isinstance(value, int) else None


# ---- candidates ----


def _candidates(document: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Entry], set[str]]:
    """What each is called, what the chain may know of it, and which of them were withdrawn."""
    listed = _list(document.get("candidates"), "tally.no_candidates")
    if not listed:
        raise BadInput("tally.no_candidates")
    if len(listed) > MOST_CANDIDATES:
        raise BadInput("tally.candidates", n=MOST_CANDIDATES)
    names: dict[str, str] = {}
    entries: dict[str, Entry] = {}
    gone: set[str] = set()
    for number, value in enumerate(listed, 1):
        candidate = {"id": value} if isinstance(value, str) else value
        if not isinstance(candidate, dict) or candidate.get("withdrawn", False) not in (True, False):
            raise BadInput("tally.candidate", number=number)
        option = _text(candidate.get("id"), "tally.candidate", number=number)
        if option in names:
            raise BadInput("tally.candidate_twice", option=_shown(option))
        name = candidate.get("name")
        names[option] = name if isinstance(name, str) and name.strip() and _encodes(name) else option
        at = _instant(candidate.get("nominated_at"), option)
        entries[option] = Entry(at, _whole(candidate.get("position")))
        gone |= {option} if candidate.get("withdrawn") else set()
    return names, entries, gone


def _instant(value: object, option: str) -> datetime | None:
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value if isinstance(value, str) else "")
        if at.tzinfo is None:
            raise ValueError("no offset")
        return at.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadInput("tally.nominated_at", option=_shown(option), value=_shown(value)) from error


# ---- ballots ----


def _ballot(value: object, number: int, known: Mapping[str, str], gone: set[str]) -> Vote:
    if not isinstance(value, dict):
        raise BadInput("tally.ballot", ballot=number)
    count = _whole(value.get("count", 1))
    if count is None:
        raise BadInput("tally.ballot_count", ballot=number, value=_shown(value.get("count")))
    approvals = _names(value.get("approvals", []), number)
    tiers = _list(value.get("ranking", []), "tally.ballot", ballot=number)
    ranking = tuple(_names(tier if isinstance(tier, list) else [tier], number) for tier in tiers)
    scores = value.get("scores", {})
    if not isinstance(scores, dict) or any(_whole(score) is None for score in scores.values()):
        raise BadInput("tally.ballot", ballot=number)
    for named in (approvals, tuple(option for tier in ranking for option in tier), tuple(scores)):
        _check(named, number, known)
    paid = _paid(value.get("paid"), number)
    if not gone:
        return Vote(count, approvals, ranking, scores, paid)
    closed_up = (tuple(option for option in tier if option not in gone) for tier in ranking)
    return Vote(
        count,
        tuple(option for option in approvals if option not in gone),
        tuple(filter(None, closed_up)),
        {option: score for option, score in scores.items() if option not in gone},
        paid,
    )


def _names(value: object, number: int) -> tuple[str, ...]:
    names = _list(value, "tally.ballot", ballot=number)
    return tuple(_text(name, "tally.ballot", ballot=number) for name in names)


def _check(named: Sequence[str], number: int, known: Mapping[str, str]) -> None:
    seen: set[str] = set()
    for option in named:
        if option not in known:
            raise BadInput("tally.unknown_option", ballot=number, option=_shown(option))
        if option in seen:
            raise BadInput("tally.option_twice", ballot=number, option=_shown(option))
        seen.add(option)


def _paid(value: object, number: int) -> Fraction:
    if value is None:
        return NOTHING
    found = _PAID.fullmatch(value) if isinstance(value, str) else None
    if found is None or (found[2] is not None and not int(found[2])):
        raise BadInput("tally.paid", ballot=number, value=_shown(value))
    return Fraction(int(found[1]), int(found[2] or 1))


# ---- the rules of a method, and what our own sheet has ----


def _options(value: object, known: Mapping[str, str]) -> dict[str, Any]:
    """The method's own settings; those that some method of ours reads are checked, the others are ignored."""
    options = value if isinstance(value, dict) else {}
    ratios = options.get("majority_ratio", {})
    sound = {
        "default_option": options.get("default_option") in (None, *known),
        "quorum": _amount(options.get("quorum", 0)),
        "majority_ratio": isinstance(ratios, dict)
        and all(option in known and _amount(ratio) for option, ratio in ratios.items()),
        "max_score": _whole(options.get("max_score", 1)) not in (None, 0),
    }
    for name, fine in sound.items():
        if not fine:
            raise BadInput("tally.rule", rule=name, value=_shown(options[name]))
    return options


def _amount(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and isinstance(value, int | float) and 0 <= value <= MOST_VOTES


def _check_receipts(ballots: Sequence[Mapping[str, Any]]) -> None:
    seen: set[str] = set()
    for number, ballot in enumerate(ballots, 1):
        receipt = _text(ballot.get("receipt"), "tally.receipt", ballot=number)
        if receipt in seen or "count" in ballot:
            raise BadInput("tally.receipt", ballot=number)
        seen.add(receipt)


def _chain(document: Mapping[str, Any], entries: Mapping[str, Entry]) -> Chain:
    """What breaks the ties of a sheet. The secret must be the one that was sealed; '' for both: no draw."""
    ties = _part(document.get("ties"), "ties", dict)
    rule = ties.get("rule")
    if rule not in get_args(Ties):
        raise BadInput("tally.sheet", name="rule")
    parts = {name: _part(ties.get(name), name, str) for name in ("round", "secret", "commitment", "head")}
    if not all(map(_encodes, parts.values())):
        raise BadInput("tally.sheet", name="ties")
    secret = parts["secret"]
    if (secret or parts["commitment"]) and commitment_of(secret) != parts["commitment"]:
        raise BadInput("tally.seal")
    seed = draw_seed(secret, parts["head"]) if secret else ""
    return Chain(rule, entries, seed, parts["round"])


def _claim(document: Mapping[str, Any]) -> Claim:
    told = _part(document.get("published result"), "published result", dict)
    winner = told.get("winner")
    votes = _part(told.get("votes", {}), "votes", dict)
    tied = _part(told.get("tied", []), "tied", list)
    return Claim(
        outcome=_part(told.get("outcome"), "outcome", str),
        winner=None if winner is None else _part(winner, "winner", str),
        tie_rule=_part(told.get("tie_rule", ""), "tie_rule", str),
        decided_by=_part(told.get("decided_by", ""), "decided_by", str),
        decided_note=_part(told.get("decided_note", ""), "decided_note", str),
        votes={option: _part(_whole(n), "votes") for option, n in votes.items()},
        tied=tuple(_part(option, "tied", str) for option in tied),
    )


def _part(value: Any, name: str, kind: type = int) -> Any:
    """A part of a sheet that must be there, of its kind."""
    if not isinstance(value, kind):
        raise BadInput("tally.sheet", name=name)
    return value
