"""Deleting for good what is due for it, in small transactions: ballots wait behind each.

Clubs and channels go thirty days after they were deleted; whose ballots were whose, ninety days after their vote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from bot.clubs.lifecycle import KEPT
from bot.storage import purge as store
from bot.storage.ballots import forget_receipts
from bot.storage.database import Database, Tx

TRACED = timedelta(days=90)
"""So long after a vote its members can still see their ballot of it."""
PATIENCE = 1.0
"""Seconds of one call: what is due by the clock waits behind it."""


async def purge(database: Database, now: datetime, patience: float = PATIENCE) -> bool:
    """Delete every club, and every channel of a server, that has been gone for thirty days, and old receipts.

    False: there is more than fits in so many seconds; call again.
    """
    clubs, channels = await database.read(lambda tx: store.gone(tx, now - KEPT))
    steps: list[Callable[[Tx], int]] = [
        *(partial(store.purge_club, club_id=club_id, now=now) for club_id in clubs),
        *(partial(store.purge_channel, channel_id=channel_id) for channel_id in channels),
        partial(forget_receipts, before=now - TRACED, most=store.BATCH),
    ]
    clock = asyncio.get_running_loop().time
    end = clock() + patience
    for step in steps:
        while await database.write(step):
            if clock() >= end:
                return False
    return True
