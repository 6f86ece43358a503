"""The services a desk can call, in one hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.daily.service import DailyService
from bot.delivery.platform import Platform
from bot.delivery.refresher import Refresher
from bot.delivery.service import DeliveryService
from bot.papers.service import PaperService
from bot.search.service import SearchService
from bot.storage.database import Database


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
