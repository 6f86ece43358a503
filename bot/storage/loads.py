"""What members have paid in fair turns, as rows: one exact number a member and season, in papers."""

from __future__ import annotations

from fractions import Fraction

from bot.storage.database import Tx


def loads_of(tx: Tx, club_id: int, season: int) -> dict[int, Fraction]:
    """What every member who took part in a season has paid in it."""
    rows = tx.rows(
        "SELECT member_id, load FROM load WHERE club_id = :club AND season = :season ORDER BY member_id",
        club=club_id,
        season=season,
    )
    return {int(row[0]): Fraction(row[1]) for row in rows}


def find_load(tx: Tx, club_id: int, season: int, member_id: int) -> Fraction | None:
    """What one member has paid; None before their first ballot of the season."""
    rows = tx.rows(
        "SELECT load FROM load WHERE club_id = :club AND season = :season AND member_id = :member",
        club=club_id,
        season=season,
        member=member_id,
    )
    return Fraction(rows[0][0]) if rows else None


def put_load(tx: Tx, club_id: int, season: int, member_id: int, load: Fraction) -> None:
    """What a member has paid from now on."""
    tx.run(
        "INSERT INTO load (club_id, season, member_id, load) VALUES (:club, :season, :member, :load)"
        " ON CONFLICT (club_id, season, member_id) DO UPDATE SET load = excluded.load",
        club=club_id,
        season=season,
        member=member_id,
        load=str(load),
    )


def add_loads(tx: Tx, into: int, gone: int) -> None:
    """Two members are one: what both have paid, that one has, in every season."""
    rows = tx.rows(
        "SELECT club_id, season, load FROM load WHERE member_id = :gone ORDER BY season", gone=gone
    )
    for club_id, season, load in ((row[0], row[1], row[2]) for row in rows):
        paid = find_load(tx, club_id, season, into) or Fraction(0)
        put_load(tx, club_id, season, into, paid + Fraction(load))
    tx.run("DELETE FROM load WHERE member_id = :gone", gone=gone)
