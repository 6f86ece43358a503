"""Codes that link, accounts that may be one human's, and members that became one, as rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bot.clubs.model import Account
from bot.storage.database import Row, Tx, from_us, to_us
from bot.storage.loads import add_loads

Kind = Literal["club", "member"]


@dataclass(frozen=True, slots=True)
class Owned:
    """An account of a member as a row; `own_id` is the member it was before it was linked."""

    id: int
    member_id: int
    platform: str
    workspace: str
    own_id: int | None


@dataclass(frozen=True, slots=True)
class Code:
    """A code that can still be used: of which club, shown to whom and when."""

    id: int
    club_id: int
    account_id: int
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Side:
    """One of two accounts that may be one human's: whose they are by name, and whether they said so."""

    account: Owned
    name: str
    said: bool


@dataclass(frozen=True, slots=True)
class Link:
    """Two accounts of a club that wait for both sides to say yes; `first` was shown the code."""

    id: int
    club_id: int
    first: Side
    second: Side
    created_at: datetime


def sides_of(link: Link) -> tuple[tuple[str, str], tuple[str, str]]:
    """The platform and the name of both, the one that was shown the code first."""
    first, second = link.first, link.second
    return (first.account.platform, first.name), (second.account.platform, second.name)


# ---- accounts ----

_OWNED = "id, member_id, platform, workspace, own_id"


def find_account(tx: Tx, club_id: int, account: Account) -> Owned | None:
    """The row of an account in a club; without a workspace, of any of the club's."""
    rows = tx.rows(
        f"SELECT {_OWNED} FROM account WHERE club_id = :club AND platform = :platform AND native_id = :native"
        " AND (:workspace = '' OR workspace = :workspace) ORDER BY workspace = :workspace DESC, id LIMIT 1",
        club=club_id,
        platform=account.platform,
        workspace=account.workspace,
        native=account.user_id,
    )
    return _owned(rows[0]) if rows else None


def find_account_by_id(tx: Tx, account_id: int) -> Owned | None:
    """An account's row by its number."""
    rows = tx.rows(f"SELECT {_OWNED} FROM account WHERE id = :id", id=account_id)
    return _owned(rows[0]) if rows else None


def accounts_of(tx: Tx, member_id: int) -> list[Owned]:
    """The accounts of a member: their own first, then those linked to it, the last one last."""
    rows = tx.rows(
        f"SELECT {_OWNED} FROM account WHERE member_id = :member ORDER BY own_id IS NOT NULL, id",
        member=member_id,
    )
    return [_owned(row) for row in rows]


def _owned(row: Row) -> Owned:
    return Owned(row["id"], row["member_id"], row["platform"], row["workspace"], row["own_id"])


# ---- codes ----


def _hash(kind: Kind, code: str) -> str:
    return hashlib.sha256(f"{kind}:{code}".encode()).hexdigest()


def put_code(
    tx: Tx, club_id: int, kind: Kind, code: str, account_id: int, name: str, now: datetime, old: datetime
) -> None:
    """Keep a code by its hash; it takes the place of that account’s last one. Codes from before `old` go."""
    tx.run("DELETE FROM link_code WHERE created_at <= :old", old=to_us(old))
    tx.run(
        "DELETE FROM link_code WHERE kind = :kind AND account_id = :account", kind=kind, account=account_id
    )
    tx.run(
        "INSERT INTO link_code (club_id, kind, hash, account_id, name, created_at)"
        " VALUES (:club, :kind, :hash, :account, :name, :at)",
        club=club_id,
        kind=kind,
        hash=_hash(kind, code),
        account=account_id,
        name=name,
        at=to_us(now),
    )


def find_code(tx: Tx, kind: Kind, code: str, since: datetime) -> Code | None:
    """An unused code shown after `since`."""
    rows = tx.rows(
        "SELECT id, club_id, account_id, name, created_at FROM link_code"
        " WHERE hash = :hash AND created_at > :since",
        hash=_hash(kind, code),
        since=to_us(since),
    )
    if not rows:
        return None
    row = rows[0]
    return Code(row["id"], row["club_id"], row["account_id"], row["name"], from_us(row["created_at"]))


def drop_code(tx: Tx, code_id: int) -> None:
    """It was used."""
    tx.run("DELETE FROM link_code WHERE id = :id", id=code_id)


def put_try(tx: Tx, account: Account, now: datetime, old: datetime) -> None:
    """Note a wrong code; what is from before `old` is forgotten."""
    tx.run("DELETE FROM link_try WHERE at <= :old", old=to_us(old))
    tx.run(
        "INSERT INTO link_try (platform, workspace, native_id, at)"
        " VALUES (:platform, :workspace, :native, :at)",
        platform=account.platform,
        workspace=account.workspace,
        native=account.user_id,
        at=to_us(now),
    )


def tries_since(tx: Tx, account: Account, since: datetime) -> tuple[int, datetime | None]:
    """How many wrong codes somebody entered after `since`, and when the first of them."""
    rows = tx.rows(
        "SELECT COUNT(*), MIN(at) FROM link_try WHERE native_id = :native AND at > :since"
        " AND platform = :platform AND workspace = :workspace",
        native=account.user_id,
        platform=account.platform,
        workspace=account.workspace,
        since=to_us(since),
    )
    return int(rows[0][0]), None if rows[0][1] is None else from_us(rows[0][1])


# ---- two accounts that may be one human's ----

_LINK = (
    "SELECT l.id, l.club_id, l.created_at, l.first_name, l.first_said, l.second_name, l.second_said,"
    " a.id AS a_id, a.member_id AS a_member, a.platform AS a_platform, a.workspace AS a_workspace,"
    " a.own_id AS a_own, b.id AS b_id, b.member_id AS b_member, b.platform AS b_platform,"
    " b.workspace AS b_workspace, b.own_id AS b_own"
    " FROM link l JOIN account a ON a.id = l.first_id JOIN account b ON b.id = l.second_id"
    " WHERE l.club_id = :club AND l.created_at > :since AND (l.first_id = :account OR l.second_id = :account)"
)


def put_link(
    tx: Tx, club_id: int, first: tuple[int, str], second: tuple[int, str], now: datetime, old: datetime
) -> int:
    """Two accounts, each with a name, wait for two words; their earlier ones go, and all from before `old`."""
    tx.run("DELETE FROM link WHERE created_at <= :old", old=to_us(old))
    for account_id, _ in (first, second):
        drop_links(tx, account_id)
    rows = tx.rows(
        "INSERT INTO link (club_id, first_id, first_name, second_id, second_name, created_at)"
        " VALUES (:club, :first, :first_name, :second, :second_name, :at) RETURNING id",
        club=club_id,
        first=first[0],
        first_name=first[1],
        second=second[0],
        second_name=second[1],
        at=to_us(now),
    )
    return int(rows[0][0])


def find_link(
    tx: Tx, club_id: int, account_id: int, since: datetime, link_id: int | None = None
) -> Link | None:
    """What waits for an account's word since then; with `link_id` that very one."""
    rows = tx.rows(
        _LINK + " AND (:id IS NULL OR l.id = :id) ORDER BY l.id DESC LIMIT 1",
        club=club_id,
        account=account_id,
        since=to_us(since),
        id=link_id,
    )
    if not rows:
        return None
    row = rows[0]
    first, second = (
        Side(
            Owned(
                row[f"{of}_id"],
                row[f"{of}_member"],
                row[f"{of}_platform"],
                row[f"{of}_workspace"],
                row[f"{of}_own"],
            ),
            row[f"{name}_name"],
            bool(row[f"{name}_said"]),
        )
        for of, name in (("a", "first"), ("b", "second"))
    )
    return Link(row["id"], row["club_id"], first, second, from_us(row["created_at"]))


def say_yes(tx: Tx, link_id: int, account_id: int) -> None:
    """One side has said that both accounts are theirs."""
    tx.run(
        "UPDATE link SET first_said = CASE WHEN first_id = :account THEN 1 ELSE first_said END,"
        " second_said = CASE WHEN second_id = :account THEN 1 ELSE second_said END WHERE id = :id",
        id=link_id,
        account=account_id,
    )


def drop_links(tx: Tx, account_id: int) -> None:
    """Nothing waits for this account's word any more."""
    tx.run("DELETE FROM link WHERE first_id = :account OR second_id = :account", account=account_id)


# ---- members that are one, and apart again ----


def absorb(tx: Tx, into: int, gone: int, now: datetime) -> None:
    """All that stands of one member is the other's from now on, their accounts too; closed votes stay as they were."""
    here: dict[str, int] = {"into": into, "gone": gone}
    add_loads(tx, into, gone)
    for statement in _ABSORB:
        tx.run(statement, **here)
    tx.run(
        "UPDATE member SET merged_into = :into, left_at = :at WHERE id = :gone OR merged_into = :gone",
        **here,
        at=to_us(now),
    )


_STANDING = "nomination_id IN (SELECT id FROM nomination WHERE state = 'open')"
_ABSORB = (
    "UPDATE account SET own_id = COALESCE(own_id, member_id), member_id = :into WHERE member_id = :gone",
    "UPDATE nomination SET member_id = :into WHERE member_id = :gone AND state = 'open'",
    "INSERT INTO backer (nomination_id, member_id, created_at) SELECT nomination_id, :into, created_at"
    f" FROM backer WHERE member_id = :gone AND {_STANDING} ON CONFLICT DO NOTHING",
    f"DELETE FROM backer WHERE member_id = :gone AND {_STANDING}",
    "DELETE FROM backer WHERE member_id = :into AND nomination_id IN"
    " (SELECT id FROM nomination WHERE member_id = :into AND state = 'open')",
    "INSERT INTO saved (club_id, member_id, paper_id, saved_at) SELECT club_id, :into, paper_id, saved_at"
    " FROM saved WHERE member_id = :gone ON CONFLICT DO NOTHING",
    "DELETE FROM saved WHERE member_id = :gone",
    "UPDATE member SET"
    " organiser = (SELECT MAX(organiser) FROM member WHERE id IN (:into, :gone)),"
    " joined_at = (SELECT MIN(joined_at) FROM member WHERE id IN (:into, :gone)),"
    " blocked_at = (SELECT MIN(blocked_at) FROM member WHERE id IN (:into, :gone)),"
    " apart_at = (SELECT CASE WHEN COUNT(apart_at) = 2 THEN MIN(apart_at) END FROM member"
    " WHERE id IN (:into, :gone)) WHERE id = :into",
)


def release(tx: Tx, account: Owned, now: datetime) -> None:
    """A linked account is the member again that it was before, blocked where they are; both keep what was saved.

    What they nominated and still stands is theirs again, so that it counts against their limit.
    """
    here = {"id": account.own_id, "of": account.member_id, "account": account.id, "at": to_us(now)}
    for statement in _RELEASE:
        tx.run(statement, **here)
    own, theirs = _said(tx, account.own_id), _said(tx, account.member_id)
    for nomination in (own["nominate"] | own["back"]) - theirs["nominate"]:
        tx.run(
            "UPDATE nomination SET member_id = :id WHERE id = :nomination AND member_id = :of"
            " AND state = 'open'",
            id=account.own_id,
            of=account.member_id,
            nomination=nomination,
        )


def _said(tx: Tx, member_id: int | None) -> dict[str, set[int]]:
    """The numbers of what a member nominated and backed, from the club's record; backed may have come to be theirs."""
    rows = tx.rows(
        "SELECT what, about FROM act WHERE member_id = :member AND what IN ('nominate', 'back')"
        " AND club_id = (SELECT club_id FROM member WHERE id = :member)",
        member=member_id,
    )
    found: dict[str, set[int]] = {"nominate": set(), "back": set()}
    for what, about in ((row[0], row[1]) for row in rows):
        found[str(what)].add(int(json.loads(about)["nomination"]))
    return found


_RELEASE = (
    "UPDATE account SET member_id = own_id, own_id = NULL WHERE id = :account",
    "UPDATE member SET merged_into = NULL, left_at = NULL, apart_at = :at,"
    " organiser = organiser * (SELECT organiser FROM member WHERE id = :of),"
    " blocked_at = (SELECT blocked_at FROM member WHERE id = :of) WHERE id = :id",
    "INSERT INTO saved (club_id, member_id, paper_id, saved_at) SELECT club_id, :id, paper_id, saved_at"
    " FROM saved WHERE member_id = :of ON CONFLICT DO NOTHING",
)


def is_first(tx: Tx, account: Account, member_id: int) -> bool:
    """Whether an account is no linked one, but the member's own."""
    rows = tx.rows(
        "SELECT 1 FROM account WHERE member_id = :member AND own_id IS NULL AND platform = :platform"
        " AND native_id = :native AND :workspace IN ('', workspace)",
        member=member_id,
        platform=account.platform,
        native=account.user_id,
        workspace=account.workspace,
    )
    return bool(rows)


def platforms_of_member(tx: Tx, member_id: int) -> Sequence[str]:
    """The platforms a member has accounts on."""
    rows = tx.rows(
        "SELECT DISTINCT platform FROM account WHERE member_id = :member ORDER BY platform", member=member_id
    )
    return [str(row[0]) for row in rows]


_LINKED = (
    "SELECT COUNT(*) FROM receipt w JOIN ballot_event b ON b.round_id = w.round_id AND b.voter = w.voter"
    " WHERE w.round_id = :round AND b.payload IS NOT NULL AND b.seq ="
    " (SELECT MAX(x.seq) FROM ballot_event x WHERE x.round_id = b.round_id AND x.voter = b.voter)"
    " AND (SELECT COUNT(DISTINCT platform) FROM account a WHERE a.member_id = w.member_id) > 1"
)


def count_linked(tx: Tx, club_id: int, round_id: int) -> int | None:
    """How many with a ballot in a round have accounts on two platforms; None where the club stands on one."""
    stands = tx.rows(
        "SELECT COUNT(DISTINCT platform) FROM channel"
        " WHERE club_id = :club AND left_at IS NULL AND removed_at IS NULL",
        club=club_id,
    )
    if int(stands[0][0]) < 2:
        return None
    return int(tx.rows(_LINKED, round=round_id)[0][0])
