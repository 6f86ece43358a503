"""Clubs and channels as rows."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import datetime, time
from typing import Any

from bot.clubs.model import Account, Channel, Club, Deleted, Place, Settings
from bot.storage.database import Row, Tx, from_us, to_us

_CHANNEL = "id, club_id, platform, workspace, native_id, name, role"
IN_USE = "left_at IS NULL AND removed_at IS NULL"
"""A channel new posts go to: the club did not move out of it, and the bot is in its server."""
_LIVING = "FROM channel JOIN club ON club.id = club_id AND deleted_at IS NULL"


def dump_settings(settings: Settings) -> str:
    """Settings as JSON; times as HH:MM."""
    values = {
        name: value.strftime("%H:%M") if isinstance(value, time) else value
        for name, value in asdict(settings).items()
    }
    return json.dumps(values, ensure_ascii=False)


def load_settings(text: str) -> Settings:
    """Settings from JSON: what is missing has its default, what is unknown is passed over."""
    stored = json.loads(text)
    values: dict[str, Any] = {}
    for known in fields(Settings):
        if known.name in stored:
            value = stored[known.name]
            if isinstance(known.default, time):
                value = time.fromisoformat(value)
            values[known.name] = tuple(value) if isinstance(value, list) else value
    return Settings(**values)


def put_club(
    tx: Tx, name: str, language: str, zone: str, salt: str, settings: Settings, created_at: datetime
) -> int:
    """Store a new club; its id."""
    rows = tx.rows(
        "INSERT INTO club (name, language, zone, salt, settings, created_at)"
        " VALUES (:name, :language, :zone, :salt, :settings, :at) RETURNING id",
        name=name,
        language=language,
        zone=zone,
        salt=salt,
        settings=dump_settings(settings),
        at=to_us(created_at),
    )
    return int(rows[0][0])


def find_club(tx: Tx, club_id: int, *, deleted: bool = False) -> Club | None:
    """The club with its channels in use, oldest first; None when there is none or, without `deleted`, it was
    deleted."""
    rows = tx.rows(
        "SELECT * FROM club WHERE id = :id AND (deleted_at IS NULL OR :deleted = 1)",
        id=club_id,
        deleted=int(deleted),
    )
    if not rows:
        return None
    row = rows[0]
    channels = tx.rows(
        f"SELECT {_CHANNEL} FROM channel WHERE club_id = :id AND {IN_USE} ORDER BY id", id=club_id
    )
    return Club(
        id=row["id"],
        name=row["name"],
        language=row["language"],
        zone=row["zone"],
        salt=row["salt"],
        settings=load_settings(row["settings"]),
        created_at=from_us(row["created_at"]),
        paused_at=None if row["paused_at"] is None else from_us(row["paused_at"]),
        paused_until=None if row["paused_until"] is None else from_us(row["paused_until"]),
        channels=tuple(_channel(channel) for channel in channels),
    )


def change_club(tx: Tx, club: Club) -> None:
    """Store name, language, zone, settings and pause of a club as they are in `club`."""
    tx.run(
        "UPDATE club SET name = :name, language = :language, zone = :zone, settings = :settings,"
        " paused_at = :paused_at, paused_until = :paused_until WHERE id = :id",
        id=club.id,
        name=club.name,
        language=club.language,
        zone=club.zone,
        settings=dump_settings(club.settings),
        paused_at=None if club.paused_at is None else to_us(club.paused_at),
        paused_until=None if club.paused_until is None else to_us(club.paused_until),
    )


def list_clubs(tx: Tx) -> list[int]:
    """Ids of all clubs, oldest first."""
    return [int(row[0]) for row in tx.rows("SELECT id FROM club WHERE deleted_at IS NULL ORDER BY id")]


def club_of_channel(tx: Tx, platform: str, workspace: str, native_id: str) -> int | None:
    """The id of the club this channel belongs to now."""
    rows = tx.rows(
        f"SELECT club_id {_LIVING} WHERE platform = :platform AND workspace = :workspace"
        f" AND native_id = :native AND {IN_USE}",
        platform=platform,
        workspace=workspace,
        native=native_id,
    )
    return int(rows[0][0]) if rows else None


def club_that_left(tx: Tx, platform: str, workspace: str, native_id: str) -> int | None:
    """The id of the club that left this channel, where none came after it."""
    rows = tx.rows(
        f"SELECT club_id {_LIVING} WHERE platform = :platform AND workspace = :workspace"
        " AND native_id = :native AND left_at IS NOT NULL AND removed_at IS NULL",
        platform=platform,
        workspace=workspace,
        native=native_id,
    )
    return int(rows[0][0]) if rows else None


def club_of_poll(tx: Tx, platform: str, workspace: str, native_id: str, round_id: int) -> int | None:
    """The id of the club whose vote stands in this channel, whoever owns the channel now.

    Its message may stand in another place than it was sent to: then its id names that.
    """
    rows = tx.rows(
        "SELECT r.club_id FROM round r JOIN club ON club.id = r.club_id AND deleted_at IS NULL"
        " JOIN delivery d ON d.club_id = r.club_id AND d.kind = 'open' AND d.subject = r.id || ':open'"
        " AND d.state IN ('claimed', 'sent', 'uncertain') JOIN channel c ON c.id = d.channel_id"
        " WHERE r.id = :round AND c.platform = :platform AND c.workspace = :workspace"
        " AND (c.native_id = :native OR substr(d.message_id, 1, length(:native) + 1) = :native || '/')",
        round=round_id,
        platform=platform,
        workspace=workspace,
        native=native_id,
    )
    return int(rows[0][0]) if rows else None


def clubs_of_workspace(tx: Tx, platform: str, workspace: str) -> list[int]:
    """Ids of the clubs with a channel in this server or workspace, oldest first."""
    rows = tx.rows(
        f"SELECT DISTINCT club_id {_LIVING} WHERE platform = :platform AND workspace = :workspace"
        f" AND {IN_USE} ORDER BY club_id",
        platform=platform,
        workspace=workspace,
    )
    return [int(row[0]) for row in rows]


def clubs_of_account(tx: Tx, account: Account) -> list[int]:
    """Ids of the clubs this account is a member of, oldest first. Without a workspace: of all workspaces."""
    rows = tx.rows(
        "SELECT DISTINCT a.club_id FROM account a JOIN club c ON c.id = a.club_id AND c.deleted_at IS NULL"
        " JOIN member m ON m.id = a.member_id AND m.left_at IS NULL"
        " WHERE a.platform = :platform AND a.native_id = :native"
        " AND (:workspace = '' OR a.workspace IN ('', :workspace)) ORDER BY a.club_id",
        platform=account.platform,
        native=account.user_id,
        workspace=account.workspace,
    )
    return [int(row[0]) for row in rows]


def put_channel(tx: Tx, club_id: int, place: Place, now: datetime) -> int:
    """Bind a channel to a club, also one that was left or belonged to another club before; its id."""
    rows = tx.rows(
        "INSERT INTO channel (club_id, platform, workspace, native_id, name, created_at)"
        " VALUES (:club, :platform, :workspace, :native, :name, :at)"
        " ON CONFLICT (platform, workspace, native_id) DO UPDATE"
        " SET club_id = excluded.club_id, name = excluded.name, left_at = NULL, removed_at = NULL,"
        " role = CASE WHEN channel.club_id = excluded.club_id THEN channel.role ELSE '' END,"
        " trouble = '', trouble_at = NULL RETURNING id",
        club=club_id,
        platform=place.platform,
        workspace=place.workspace,
        native=place.channel,
        name=place.name,
        at=to_us(now),
    )
    return int(rows[0][0])


def leave_channel(tx: Tx, club_id: int, channel_id: int, now: datetime) -> None:
    """No new posts go to this channel."""
    tx.run(
        "UPDATE channel SET left_at = :at WHERE id = :id AND club_id = :club AND left_at IS NULL",
        at=to_us(now),
        id=channel_id,
        club=club_id,
    )


def _channel(row: Row) -> Channel:
    return Channel(
        row["id"],
        row["club_id"],
        row["platform"],
        row["workspace"],
        row["native_id"],
        row["name"],
        row["role"],
    )


def set_role(tx: Tx, channel_id: int, role: str) -> None:
    """The role or user group to call in this channel; '' for nobody."""
    tx.run("UPDATE channel SET role = :role WHERE id = :id", id=channel_id, role=role)


def set_roles(tx: Tx, club_id: int, platform: str, workspace: str, role: str) -> None:
    """The role or user group to call in all of a club's channels in a server; in those it left, nobody."""
    tx.run(
        "UPDATE channel SET role = CASE WHEN left_at IS NULL THEN :role ELSE '' END"
        " WHERE club_id = :club AND platform = :platform AND workspace = :workspace",
        club=club_id,
        platform=platform,
        workspace=workspace,
        role=role,
    )


def name_channel(tx: Tx, club_id: int, place: Place) -> None:
    """Take up the name of one of the club's channels that had none."""
    tx.run(
        "UPDATE channel SET name = :name WHERE platform = :platform AND workspace = :workspace"
        " AND native_id = :native AND club_id = :club AND name = ''",
        name=place.name,
        platform=place.platform,
        workspace=place.workspace,
        native=place.channel,
        club=club_id,
    )


# ---- clubs that end, and come back ----


def delete_club(tx: Tx, club_id: int, now: datetime, by: int | None) -> None:
    """Mark a club as deleted: no look-up finds it any more."""
    tx.run(
        "UPDATE club SET deleted_at = :at, deleted_by = :by WHERE id = :id AND deleted_at IS NULL",
        at=to_us(now),
        by=by,
        id=club_id,
    )


def revive_club(tx: Tx, club_id: int) -> None:
    """Take the mark off again."""
    tx.run("UPDATE club SET deleted_at = NULL, deleted_by = NULL WHERE id = :id", id=club_id)


def deleted_clubs(tx: Tx, since: datetime) -> list[Deleted]:
    """Clubs deleted after `since`, the last one first."""
    rows = tx.rows(
        "SELECT id, name, deleted_at, deleted_by FROM club WHERE deleted_at > :since"
        " ORDER BY deleted_at DESC, id DESC",
        since=to_us(since),
    )
    return [Deleted(row[0], row[1], from_us(row[2]), row[3]) for row in rows]


def find_channel(tx: Tx, channel_id: int) -> tuple[Channel, bool] | None:
    """A channel by our id, and whether the bot is in its server."""
    rows = tx.rows(f"SELECT {_CHANNEL}, removed_at FROM channel WHERE id = :id", id=channel_id)
    return (_channel(rows[0]), rows[0]["removed_at"] is None) if rows else None


def reclaim_channel(tx: Tx, club_id: int, channel_id: int) -> None:
    """Give a club a channel back that nobody uses."""
    tx.run("UPDATE channel SET club_id = :club, left_at = NULL WHERE id = :id", club=club_id, id=channel_id)


def remove_channels(tx: Tx, platform: str, workspace: str, now: datetime) -> None:
    """The bot is not in this server any more."""
    tx.run(
        "UPDATE channel SET removed_at = :at"
        " WHERE platform = :platform AND workspace = :workspace AND removed_at IS NULL",
        at=to_us(now),
        platform=platform,
        workspace=workspace,
    )


def return_channels(tx: Tx, platform: str, workspace: str) -> None:
    """The bot is in this server again."""
    tx.run(
        "UPDATE channel SET removed_at = NULL, trouble = CASE trouble WHEN 'removed' THEN '' ELSE trouble END,"
        " trouble_at = CASE trouble WHEN 'removed' THEN NULL ELSE trouble_at END"
        " WHERE platform = :platform AND workspace = :workspace AND removed_at IS NOT NULL",
        platform=platform,
        workspace=workspace,
    )
