"""Deleting for good what was deleted thirty days ago, in small transactions: ballots wait behind each."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial

from bot.clubs.lifecycle import KEPT
from bot.storage import purge as store
from bot.storage.database import Database

PATIENCE = 1.0
"""Seconds of one call: what is due by the clock waits behind it."""


async def purge(database: Database, now: datetime, patience: float = PATIENCE) -> bool:
    """Delete every club, and every channel of a server, that has been gone for thirty days.

    False: there is more than fits in so many seconds; call again.
    """
    clubs, channels = await database.read(lambda tx: store.gone(tx, now - KEPT))
    steps = [
        *(partial(store.purge_club, club_id=club_id, now=now) for club_id in clubs),
        *(partial(store.purge_channel, channel_id=channel_id) for channel_id in channels),
    ]
    clock = asyncio.get_running_loop().time
    end = clock() + patience
    for step in steps:
        while await database.write(step):
            if clock() >= end:
                return False
    return True
