"""The ballot log names nobody, and shows every change of what was said."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.rounds.log import Event, event_hash, first_fault, new_secret, opening_head, receipt_of

OPENING = opening_head({"round": 7, "method": "approval"})
SAID = st.lists(
    st.tuples(
        st.sampled_from(["0123456789", "abcdefabcd"]),
        st.integers(0, 2**50),
        st.sampled_from([None, "[]", "[1]", "[2,1]"]),
    ),
    min_size=1,
    max_size=8,
)


def chained(said: list[tuple[str, int, str | None]], before: int = 0) -> list[Event]:
    """A log of these events, the first of them from before there was a chain."""
    head, log = OPENING, []
    for seq, (receipt, at, payload) in enumerate(said, 1):
        if seq <= before:
            log.append(Event(seq, receipt, at, payload, None, None))
            continue
        after = event_hash(head, 7, seq, at, receipt, payload)
        log.append(Event(seq, receipt, at, payload, head, after))
        head = after
    return log


@given(SAID)
def test_a_log_as_it_was_written_has_no_fault(said: list[tuple[str, int, str | None]]) -> None:
    log = chained(said)
    assert first_fault(7, OPENING, log) is None
    assert all(one.hash == other.prev_hash for one, other in pairwise(log))
    assert first_fault(7, OPENING, chained(said, before=len(said) // 2)) is None


@given(SAID, st.data())
def test_any_change_of_any_event_is_found_there(
    said: list[tuple[str, int, str | None]], data: st.DataObject
) -> None:
    log = chained(said)
    place = data.draw(st.integers(0, len(log) - 1))
    event = log[place]
    changed = data.draw(
        st.sampled_from(
            [
                event._replace(receipt="ffffffffff"),
                event._replace(at=event.at + 1),
                event._replace(payload="[3]"),
                event._replace(prev_hash="0" * 64),
                event._replace(hash="0" * 64),
                event._replace(seq=event.seq + 1),
                event._replace(hash=None),
            ]
        )
    )
    rest = log[place + 1 :]
    if changed.hash is None and place == 0:  # without the chain it looks like one from before there was any
        assert first_fault(7, OPENING, [changed, *rest]) == (2 if rest else None)
    else:
        assert first_fault(7, OPENING, [*log[:place], changed, *rest]) == place + 1


@given(SAID, st.data())
def test_an_event_taken_out_or_put_in_is_found(
    said: list[tuple[str, int, str | None]], data: st.DataObject
) -> None:
    log = chained(said)
    place = data.draw(st.integers(0, len(log) - 1))
    if place < len(log) - 1:
        assert first_fault(7, OPENING, [*log[:place], *log[place + 1 :]]) == place + 1
    twice = [*log[: place + 1], log[place], *log[place + 1 :]]
    assert first_fault(7, OPENING, twice) == place + 2


def test_a_log_belongs_to_its_round_and_its_opening() -> None:
    log = chained([("0123456789", 1, "[1]")])
    assert first_fault(8, OPENING, log) == 1
    assert first_fault(7, opening_head({"round": 7, "method": "irv"}), log) == 1


def test_events_without_a_chain_stand_at_the_beginning_alone() -> None:
    log = chained([("0123456789", 1, "[1]"), ("abcdefabcd", 2, "[2]"), ("0123456789", 3, None)], before=1)
    assert first_fault(7, OPENING, log) is None
    log[2] = log[2]._replace(prev_hash=None, hash=None)
    assert first_fault(7, OPENING, log) == 3


def test_a_receipt_is_of_one_member_in_one_round_by_one_secret() -> None:
    secret = new_secret()
    assert receipt_of(secret, 7, 12) == receipt_of(secret, 7, 12)
    others = {receipt_of(secret, 7, 13), receipt_of(secret, 71, 2), receipt_of(new_secret(), 7, 12)}
    assert receipt_of(secret, 7, 12) not in others
    assert len(others) == 3
