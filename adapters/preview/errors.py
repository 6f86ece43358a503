"""What can go wrong here, as errors of the core: a page that cannot be served, a store that did not keep."""

from __future__ import annotations

from bot.errors import Conflict, Refused, StoreError, Uncertain


class HoldsRealChannels(Conflict):
    """The database serves a real platform; the preview, with a clock of its own, must not touch it."""

    def __init__(self, platform: str, channel: str) -> None:
        super().__init__("preview.real_channels", platform=platform, channel=channel)


class PortTaken(Conflict):
    """Another program listens there."""

    def __init__(self, port: int) -> None:
        super().__init__("preview.port_taken", port=port)


class NotHere(Conflict):
    """An address other machines could reach: the preview has no passwords."""

    def __init__(self, host: str) -> None:
        super().__init__("preview.not_here", host=host)


def not_sent(problem: StoreError) -> Refused:
    """A write that failed: the transaction was undone, so surely nothing stands."""
    return Refused(problem.reason or "store")


def not_looked_up(problem: StoreError) -> Uncertain:
    """A look-up that failed: what stands is not known."""
    return Uncertain(problem.reason or "store")
