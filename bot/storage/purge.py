"""All rows that belong to a club or channel, deleted in an order no reference forbids, a batch at a time."""

from __future__ import annotations

from datetime import datetime

from bot.storage.choices import forget_choices
from bot.storage.database import Tx, to_us

BATCH = 200
FEW = 5
"""Where a reference has to be looked for row by row."""

_ROUNDS = "(SELECT id FROM round WHERE club_id = :club ORDER BY id LIMIT :few)"
_NOMINATIONS = "(SELECT id FROM nomination WHERE club_id = :club ORDER BY id LIMIT :few)"
_MEMBERS = "(SELECT id FROM member WHERE club_id = :club ORDER BY id LIMIT :few)"
_PAPERS = "(SELECT id FROM paper WHERE club_id = :club ORDER BY id LIMIT :few)"
_OTHERS = "FROM delivery d WHERE d.channel_id = channel.id AND d.club_id <> :club"


def _of(table: str, key: str, club: str = "club_id") -> tuple[str, ...]:
    """A batch of a table whose rows name their club themselves."""
    some = f"SELECT {key} FROM {table} WHERE {club} = :club ORDER BY {key} LIMIT :most"
    return (f"DELETE FROM {table} WHERE {club} = :club AND {key} IN ({some})",)


_STEPS: tuple[tuple[str, ...], ...] = (
    (
        f"DELETE FROM candidate WHERE round_id IN {_ROUNDS}",
        f"DELETE FROM ballot_event WHERE round_id IN {_ROUNDS}",
        f"DELETE FROM receipt WHERE round_id IN {_ROUNDS}",
        f"DELETE FROM round WHERE id IN {_ROUNDS}",
    ),
    (
        f"DELETE FROM backer WHERE nomination_id IN {_NOMINATIONS}",
        f"DELETE FROM nomination WHERE id IN {_NOMINATIONS}",
    ),
    _of("link_code", "id"),
    _of("link", "id"),
    _of("delivery", "id"),
    _of("pick", "subject"),
    _of("slot", "kind"),
    _of("act", "id"),
    _of("load", "member_id"),
    _of("draft", "id"),
    (
        "UPDATE club SET deleted_by = NULL WHERE id = :club AND deleted_by IS NOT NULL",
        "UPDATE member SET merged_into = NULL WHERE club_id = :club AND merged_into IS NOT NULL",
        "UPDATE account SET own_id = NULL WHERE club_id = :club AND own_id IS NOT NULL",
        f"DELETE FROM saved WHERE club_id = :club AND member_id IN {_MEMBERS}",
        f"DELETE FROM account WHERE member_id IN {_MEMBERS}",
        f"DELETE FROM member WHERE id IN {_MEMBERS}",
    ),
    _of("paper_key", "key", "shelf"),
    (
        "UPDATE paper SET merged_into = NULL WHERE club_id = :club AND merged_into IS NOT NULL",
        f"DELETE FROM paper_text WHERE paper_id IN {_PAPERS}",
        f"DELETE FROM paper WHERE id IN {_PAPERS}",
    ),
    (
        # A channel another club posted in before goes back to that club, which has left it.
        f"UPDATE channel SET club_id = (SELECT MIN(d.club_id) {_OTHERS}), left_at = COALESCE(left_at, :now),"
        f" role = '' WHERE club_id = :club AND EXISTS (SELECT 1 {_OTHERS})",
        "DELETE FROM channel WHERE club_id = :club",
    ),
    ("DELETE FROM club WHERE id = :club",),
)
"""Statements of one transaction each; the last one of a step takes the rows the others hang from."""


def gone(tx: Tx, before: datetime) -> tuple[list[int], list[int]]:
    """Ids of the clubs deleted, and of other clubs' channels removed with their server, up to `before`."""
    at = to_us(before)
    clubs = tx.rows("SELECT id FROM club WHERE deleted_at <= :at ORDER BY id", at=at)
    channels = tx.rows(
        "SELECT id FROM channel WHERE removed_at <= :at AND club_id NOT IN"
        " (SELECT id FROM club WHERE deleted_at <= :at) ORDER BY id",
        at=at,
    )
    return [int(row[0]) for row in clubs], [int(row[0]) for row in channels]


def purge_club(tx: Tx, club_id: int, now: datetime) -> bool:
    """Delete one batch of a deleted club's rows; False once nothing was left to delete."""
    if not tx.rows("SELECT 1 FROM club WHERE id = :club AND deleted_at IS NOT NULL", club=club_id):
        return False
    forget_choices(tx, club_id)
    values = {"club": club_id, "now": to_us(now), "most": BATCH, "few": FEW}
    return any([_run(tx, statement, values) for statement in step][-1] for step in _STEPS)


def purge_channel(tx: Tx, channel_id: int) -> bool:
    """Delete one batch of what was posted in a channel, at last the channel; False once it is gone."""
    some = "SELECT id FROM delivery WHERE channel_id = :channel ORDER BY id LIMIT :most"
    if tx.run(f"DELETE FROM delivery WHERE id IN ({some})", channel=channel_id, most=BATCH):
        return True
    return bool(tx.run("DELETE FROM channel WHERE id = :channel", channel=channel_id))


def _run(tx: Tx, statement: str, values: dict[str, int]) -> int:
    """Run it with the values it names; how many rows."""
    return tx.run(statement, **{name: value for name, value in values.items() if f":{name}" in statement})
