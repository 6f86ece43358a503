"""The services a desk can call, in one hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.daily.service import DailyService
from bot.delivery.platform import Platform
from bot.delivery.refresher import Refresher
from bot.delivery.service import DeliveryService
from bot.papers.service import PaperService
from bot.search.service import SearchService
from bot.storage.database import Database


@dataclass(slots=True)
class Pulse:
    """When this process last ticked, in seconds of the loop's clock, which rests while the machine sleeps."""

    at: float | None = None
    purged: datetime | None = None
    """When everything that was to be deleted for good was; by the calendar."""

    def awake(self, now: float) -> float | None:
        """Seconds that were lived through since the last tick; None before the first."""
        return None if self.at is None else now - self.at


@dataclass(frozen=True, slots=True)
class Rooms:
    """Everything that lives as long as the program; compose.py fills it."""

    database: Database
    papers: PaperService
    search: SearchService
    daily: DailyService
    deliveries: DeliveryService
    refresher: Refresher
    platforms: Mapping[str, Platform]
    wake: Callable[[], None]
    """Asks for a tick now, after something was planned."""
    rng: random.Random = field(default_factory=random.Random)
    pulse: Pulse = field(default_factory=Pulse)
