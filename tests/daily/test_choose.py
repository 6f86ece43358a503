"""Which paper today: fair turn, twice, and nothing but stored rows decides."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.daily.choose import choose, shuffle_key
from bot.daily.model import Choice, Topic, Turn

SALT = "00112233445566778899aabbccddeeff"
TODAY = date(2026, 11, 30)
Pool = dict[Topic, list[int]]


def catalogue(sizes: Mapping[Topic, int]) -> Pool:
    """Papers 1, 2, 3 … spread over topics."""
    pool, number = {}, 0
    for topic, size in sizes.items():
        pool[topic] = list(range(number + 1, number + size + 1))
        number += size
    return pool


UNEVEN = catalogue(
    {
        ("Deep Learning", "Theory"): 12,
        ("Deep Learning", "Robustness"): 6,
        ("Deep Learning", None): 3,
        ("Theory", "Optimization"): 5,
        ("Reinforcement Learning", "Batch/Offline"): 4,
        ("Reinforcement Learning", "Online"): 2,
        ("Social Aspects", None): 3,
        (None, None): 4,
    }
)


def run(pool: Pool, days: int, salt: str = SALT, start: date = TODAY) -> list[Choice]:
    """The choices of so many days, each stored before the next."""
    left = {topic: list(papers) for topic, papers in pool.items()}
    rows: list[Turn] = []
    choices = []
    for step in range(days):
        day = start + timedelta(days=step)
        choice = choose(left, rows, salt, day)
        if choice is None:
            break
        choices.append(choice)
        rows.append(Turn(choice.area, choice.subarea, day.isoformat()))
        left[choice.area, choice.subarea].remove(choice.paper_id)
    return choices


def test_the_shuffle_is_sha_256_of_salt_and_text() -> None:
    expected = hashlib.sha256("ab␟p17".encode()).digest()
    assert shuffle_key("ab", "p17") == expected
    assert "␟".encode() == b"\xe2\x90\x9f"


def test_a_choice_worked_out_by_hand() -> None:
    pool: Pool = {
        ("Theory", "Games"): [1, 2, 3],
        ("Theory", "Optimization"): [4, 5],
        ("Optimization", None): [6],
    }
    rows = [Turn("Optimization", None, "2026-11-27"), Turn("Theory", "Games", "2026-11-21")]
    # Theory rested longer; in it Optimization was never shown; of 4 and 5 the smaller hash.
    first = min((4, 5), key=lambda paper: hashlib.sha256(f"{SALT}␟p{paper}".encode()).hexdigest())
    choice = choose(pool, rows, SALT, TODAY)
    assert choice is not None
    assert (choice.paper_id, choice.area, choice.subarea) == (first, "Theory", "Optimization")
    assert (choice.reason.kind, choice.reason.area, choice.reason.days) == ("turn", "Theory", 9)


def test_an_area_never_shown_comes_first_and_says_so() -> None:
    pool: Pool = {("Old", None): [1], ("New", None): [2]}
    choice = choose(pool, [Turn("Old", None, "2020-01-01")], SALT, TODAY)
    assert choice is not None
    assert (choice.area, choice.reason.days) == ("New", None)


def test_areas_never_shown_come_in_the_order_of_their_hashes() -> None:
    pool: Pool = {(area, None): [number] for number, area in enumerate("ABCDEFGH", 1)}
    order = [choice.area for choice in run(pool, 8)]
    assert order == sorted("ABCDEFGH", key=lambda area: hashlib.sha256(f"{SALT}␟{area}".encode()).digest())


def test_an_empty_pool_gives_nothing() -> None:
    assert choose({}, [], SALT, TODAY) is None
    assert choose({("Theory", None): []}, [], SALT, TODAY) is None


def test_every_paper_is_shown_once_before_the_pool_is_empty() -> None:
    choices = run(UNEVEN, 100)
    assert sorted(choice.paper_id for choice in choices) == list(range(1, 40))


def test_no_area_twice_in_a_row_while_another_has_papers() -> None:
    choices = run(UNEVEN, 20)
    areas = [choice.area for choice in choices]
    assert all(areas[step] != areas[step + 1] for step in range(len(areas) - 1))
    for start in range(len(areas) - 5):
        assert len(set(areas[start : start + 5])) == 5


def test_subareas_of_an_area_take_turns() -> None:
    shown = [choice.subarea for choice in run(UNEVEN, 30) if choice.area == "Deep Learning"]
    assert len(set(shown[:3])) == 3
    assert all(shown[step] != shown[step + 1] for step in range(4))


def test_papers_without_a_topic_are_an_area_of_their_own() -> None:
    assert (None, None) in {(choice.area, choice.subarea) for choice in run(UNEVEN, 5)}


@given(st.randoms(use_true_random=False), st.integers(0, 30))
def test_the_order_in_which_rows_and_papers_are_read_changes_nothing(mixer: random.Random, days: int) -> None:
    before = run(UNEVEN, days)
    rows = [
        Turn(choice.area, choice.subarea, (TODAY + timedelta(days=step)).isoformat())
        for step, choice in enumerate(before)
    ]
    gone = {choice.paper_id for choice in before}
    pool = {topic: [paper for paper in papers if paper not in gone] for topic, papers in UNEVEN.items()}
    straight = choose(pool, rows, SALT, TODAY + timedelta(days=days))
    topics = list(pool)
    mixer.shuffle(topics)
    mixed = {topic: mixer.sample(pool[topic], len(pool[topic])) for topic in topics}
    assert choose(mixed, mixer.sample(rows, len(rows)), SALT, TODAY + timedelta(days=days)) == straight


def test_papers_added_later_leave_the_past_and_the_order_of_the_old_alone() -> None:
    old = run(UNEVEN, 39)
    grown = {topic: list(papers) for topic, papers in UNEVEN.items()}
    grown["Deep Learning", "Theory"] += list(range(1000, 1020))
    new = run(grown, 59)
    for topic in UNEVEN:
        order = [choice.paper_id for choice in old if (choice.area, choice.subarea) == topic]
        again = [choice.paper_id for choice in new if (choice.area, choice.subarea) == topic]
        assert [paper for paper in again if paper < 1000] == order


def test_a_large_import_in_one_area_does_not_take_over() -> None:
    grown = {topic: list(papers) for topic, papers in UNEVEN.items()}
    grown["Deep Learning", "Theory"] += list(range(1000, 1400))
    areas = [choice.area for choice in run(grown, 20)]
    assert areas.count("Deep Learning") == 4


def test_clubs_with_other_salts_see_other_orders() -> None:
    orders = {
        tuple(choice.paper_id for choice in run(UNEVEN, 10, salt=f"{number:032x}")) for number in range(20)
    }
    assert len(orders) == 20


def test_no_more_topics_are_read_than_needed() -> None:
    class Counting(dict[Topic, Collection[int]]):
        asked: defaultdict[Topic, int]

        def __getitem__(self, topic: Topic) -> Collection[int]:
            self.asked[topic] += 1
            return super().__getitem__(topic)

    pool = Counting(UNEVEN)
    pool.asked = defaultdict(int)
    choice = choose(pool, [], SALT, TODAY)
    assert choice is not None
    assert {topic[0] for topic in pool.asked} == {choice.area}


def test_a_clock_set_back_never_says_a_negative_number_of_days() -> None:
    choice = choose({("Theory", None): [1]}, [Turn("Theory", None, "2026-12-24")], SALT, TODAY)
    assert choice is not None
    assert choice.reason.days == 0
