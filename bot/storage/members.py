"""Members and their accounts as rows."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from bot.clubs.model import Account, Member
from bot.storage.apart import take_apart
from bot.storage.database import Row, Tx, from_us, to_us

_MEMBER = "m.id, m.club_id, m.name, m.organiser, m.joined_at, m.blocked_at, m.apart_at, m.remind"


def find_member(tx: Tx, club_id: int, account: Account) -> Member | None:
    """The member of this club who owns the account; without a workspace, one of any of the club's."""
    rows = tx.rows(
        f"SELECT {_MEMBER}, a.language FROM account a JOIN member m ON m.id = a.member_id"
        " WHERE a.club_id = :club AND a.platform = :platform AND a.workspace = :workspace"
        " AND a.native_id = :native",
        club=club_id,
        platform=account.platform,
        workspace=account.workspace,
        native=account.user_id,
    )
    if not rows and not account.workspace:
        rows = tx.rows(
            f"SELECT {_MEMBER}, a.language FROM account a JOIN member m ON m.id = a.member_id"
            " WHERE a.club_id = :club AND a.platform = :platform AND a.native_id = :native"
            " ORDER BY a.id LIMIT 1",
            club=club_id,
            platform=account.platform,
            native=account.user_id,
        )
    return _member(rows[0], rows[0][8]) if rows else None


def find_member_by_id(tx: Tx, club_id: int, member_id: int) -> Member | None:
    """The member of this club with this id."""
    rows = tx.rows(
        f"SELECT {_MEMBER} FROM member m WHERE m.id = :id AND m.club_id = :club", id=member_id, club=club_id
    )
    return _member(rows[0]) if rows else None


def put_member(
    tx: Tx, club_id: int, account: Account, name: str, organiser: bool, now: datetime, language: str = ""
) -> Member:
    """Store a new member with their first account, which may have been unlinked and forgotten a while ago."""
    apart = take_apart(tx, club_id, account)
    rows = tx.rows(
        "INSERT INTO member (club_id, name, organiser, joined_at, apart_at)"
        " VALUES (:club, :name, :organiser, :at, :apart) RETURNING id",
        apart=None if apart is None else to_us(apart),
        club=club_id,
        name=name,
        organiser=int(organiser),
        at=to_us(now),
    )
    tx.run(
        "INSERT INTO account (club_id, member_id, platform, workspace, native_id, language)"
        " VALUES (:club, :member, :platform, :workspace, :native, :language)",
        club=club_id,
        member=rows[0][0],
        platform=account.platform,
        workspace=account.workspace,
        native=account.user_id,
        language=language,
    )
    return Member(int(rows[0][0]), club_id, name, organiser, now, language=language, apart_at=apart)


def rename_member(tx: Tx, member_id: int, name: str) -> None:
    """Keep the name people see in step with the platform's."""
    tx.run("UPDATE member SET name = :name WHERE id = :id", name=name, id=member_id)


def set_language(tx: Tx, club_id: int, account: Account, language: str) -> None:
    """Remember the language of somebody's client."""
    tx.run(
        "UPDATE account SET language = :language WHERE club_id = :club AND platform = :platform"
        " AND (workspace = :workspace OR :workspace = '') AND native_id = :native",
        language=language,
        club=club_id,
        platform=account.platform,
        workspace=account.workspace,
        native=account.user_id,
    )


def set_organiser(tx: Tx, member_id: int, organiser: bool) -> None:
    """Make somebody an organiser, or no longer one."""
    tx.run("UPDATE member SET organiser = :flag WHERE id = :id", flag=int(organiser), id=member_id)


def set_blocked(tx: Tx, member_id: int, at: datetime | None) -> None:
    """Since when a member may vote but not write; None: they may write."""
    tx.run(
        "UPDATE member SET blocked_at = :at WHERE id = :id",
        at=None if at is None else to_us(at),
        id=member_id,
    )


def set_remind(tx: Tx, member_id: int, on: bool) -> None:
    """Whether a member gets a private reminder before a vote closes."""
    tx.run("UPDATE member SET remind = :flag WHERE id = :id", flag=int(on), id=member_id)


def names_of(tx: Tx, club_id: int) -> dict[int, str]:
    """The names of all who are or were members of the club, by id."""
    rows = tx.rows("SELECT id, name FROM member WHERE club_id = :club", club=club_id)
    return {int(row[0]): str(row[1]) for row in rows}


def private_ways(tx: Tx, club_id: int, member_ids: Collection[int]) -> dict[int, list[int]]:
    """Where these members can be written to in private: an account of each by the channel of the club beside it.

    The account is their first on a side where the club stands; who has none there is left out.
    """
    if not member_ids:
        return {}
    rows = tx.rows(
        "SELECT a.member_id, a.id, MIN(c.id) FROM account a JOIN channel c ON c.club_id = a.club_id"
        " AND c.platform = a.platform AND a.workspace IN ('', c.workspace)"
        " AND c.left_at IS NULL AND c.removed_at IS NULL"
        " JOIN member m ON m.id = a.member_id WHERE a.club_id = :club AND m.left_at IS NULL"
        f" AND m.id IN ({', '.join(str(int(each)) for each in member_ids)})"
        " GROUP BY a.member_id, a.id ORDER BY a.id",
        club=club_id,
    )
    first: dict[int, tuple[int, int]] = {}
    for row in rows:
        first.setdefault(row[0], (int(row[2]), int(row[1])))
    ways: dict[int, list[int]] = {}
    for channel_id, account_id in first.values():
        ways.setdefault(channel_id, []).append(account_id)
    return ways


def asked_for_reminder(tx: Tx, club_id: int) -> list[int]:
    """Ids of the members who want a private reminder before a vote closes."""
    rows = tx.rows(
        "SELECT id FROM member WHERE club_id = :club AND remind = 1 AND left_at IS NULL ORDER BY id",
        club=club_id,
    )
    return [int(row[0]) for row in rows]


def list_organisers(tx: Tx, club_id: int) -> list[Member]:
    """The club's named organisers, longest-standing first."""
    rows = tx.rows(
        f"SELECT {_MEMBER} FROM member m WHERE m.club_id = :club AND m.organiser = 1 AND m.left_at IS NULL"
        " ORDER BY m.joined_at, m.id",
        club=club_id,
    )
    return [_member(row) for row in rows]


def list_members(tx: Tx, club_id: int) -> list[Member]:
    """The club's members by name."""
    rows = tx.rows(
        f"SELECT {_MEMBER} FROM member m WHERE m.club_id = :club AND m.left_at IS NULL ORDER BY m.name, m.id",
        club=club_id,
    )
    return [_member(row) for row in rows]


def _member(row: Row, language: str = "") -> Member:
    # By place: read at every press.
    apart = None if row[6] is None else from_us(row[6])
    blocked, remind = row[5] is not None, bool(row[7])
    return Member(row[0], row[1], row[2], bool(row[3]), from_us(row[4]), blocked, language, apart, remind)
