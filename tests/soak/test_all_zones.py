"""The time rule in every zone there is."""

from __future__ import annotations

import pytest

from bot.schedule.zones import zone_names
from tests.lab.changes import CASE_TIMES, changes_of, check_window


@pytest.mark.soak
def test_every_local_day_has_exactly_one_slot_in_every_zone(capsys: pytest.CaptureFixture[str]) -> None:
    right = total = 0
    wrong = []
    for zone in zone_names():
        for change in changes_of(zone):
            for at in CASE_TIMES:
                total += 1
                if check_window(zone, change, at):
                    right += 1
                else:
                    wrong.append((zone, change, at))
    with capsys.disabled():
        print(f"\n{right} of {total} windows right, {len(zone_names())} zones")
    assert total > 20_000
    assert wrong == []
