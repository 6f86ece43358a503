"""All rows that say something about one member: read for them, and taken out of every table."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from bot.clubs.model import Account
from bot.rounds.sheet import laid_out
from bot.storage.database import Row, Tx, from_us, to_us

Records = dict[str, list[dict[str, Any]]]
"""By kind, the rows as JSON values: times ISO 8601 in UTC, truth as true and false, papers by their public ids."""


def rows_of(tx: Tx, club_id: int, member_id: int) -> tuple[int, ...]:
    """The member's own row and those of the members that were merged into it."""
    rows = tx.rows(
        "SELECT id FROM member WHERE club_id = :club AND (id = :id OR merged_into = :id) ORDER BY id <> :id, id",
        club=club_id,
        id=member_id,
    )
    return tuple(int(row[0]) for row in rows)


def standing_row(tx: Tx, club_id: int, member_id: int) -> int | None:
    """Whose row a member's number leads to today; None where they were forgotten, or never were."""
    rows = tx.rows(
        "SELECT COALESCE(merged_into, id) FROM member WHERE id = :id AND club_id = :club AND forgotten_at IS NULL",
        id=member_id,
        club=club_id,
    )
    return int(rows[0][0]) if rows else None


def names_of(tx: Tx, ids: Collection[int]) -> set[str]:
    """The names in these rows."""
    rows = tx.rows(f"SELECT name FROM member WHERE id IN {_in(ids)}")
    return {str(row[0]) for row in rows if row[0]}


def _in(numbers: Collection[int]) -> str:
    return f"({', '.join(str(int(each)) for each in numbers) or 'NULL'})"


# ---- read ----

_TRUE = ("linked", "chosen")
_PAPER = "'p' || p.id AS paper, COALESCE(p.title, p.headline, '') AS title"
_RECORDS = {
    "accounts": "SELECT platform, workspace, native_id AS person, language, own_id IS NOT NULL AS linked"
    " FROM account WHERE member_id IN {ids} ORDER BY id",
    "nominations": f"SELECT {_PAPER}, n.reason, n.state, n.rounds, n.note, n.created_at, n.changed_at"
    " FROM nomination n JOIN paper p ON p.id = n.paper_id WHERE n.member_id IN {ids} ORDER BY n.id",
    "backed": f"SELECT {_PAPER}, n.state, b.created_at FROM backer b JOIN nomination n ON n.id = b.nomination_id"
    " JOIN paper p ON p.id = n.paper_id WHERE b.member_id IN {ids} ORDER BY b.created_at, n.id",
    "saved": f"SELECT {_PAPER}, s.saved_at FROM saved s JOIN paper p ON p.id = s.paper_id"
    " WHERE s.club_id = :club AND s.member_id IN {ids} ORDER BY s.saved_at, p.id",
    "receipts": "SELECT r.number AS vote, r.state, r.closes_at, r.closed_at, w.receipt, w.secret"
    " FROM receipt w JOIN round r ON r.id = w.round_id"
    " WHERE r.club_id = :club AND w.member_id IN {ids} ORDER BY r.number, w.receipt",
    "ballots": "SELECT r.number AS vote, b.seq AS event, b.at, b.payload AS ballot, w.receipt FROM receipt w"
    " JOIN round r ON r.id = w.round_id JOIN ballot_event b ON b.round_id = r.id AND b.voter = w.voter"
    " WHERE r.club_id = :club AND w.member_id IN {ids} ORDER BY r.number, b.seq",
    "paid": "SELECT season, load AS papers FROM load"
    " WHERE club_id = :club AND member_id IN {ids} ORDER BY season",
    "acts": "SELECT at, what, about FROM act WHERE club_id = :club AND member_id IN {ids} ORDER BY id",
    "private messages": "SELECT kind, state, due_at, sent_at FROM delivery"
    " WHERE club_id = :club AND account_id IN {accounts} ORDER BY id",
    "codes": "SELECT kind, name, created_at FROM link_code WHERE account_id IN {accounts} ORDER BY id",
    "links": "SELECT CASE WHEN first_id IN {accounts} THEN first_name ELSE second_name END AS name, created_at"
    " FROM link WHERE first_id IN {accounts} OR second_id IN {accounts} ORDER BY id",
}


def read_records(tx: Tx, club_id: int, ids: Sequence[int]) -> Records:
    """Everything stored about the member with these rows, and nothing about another."""
    here = {"ids": _in(ids), "accounts": _in(_account_rows(tx, ids))}
    found: Records = {}
    for kind, template in _RECORDS.items():
        sql = template.format(**here)
        values = {"club": club_id} if ":club" in sql else {}
        found[kind] = [_record(row) for row in tx.rows(sql, **values)]
    for act in found["acts"]:
        if act["about"].get("member") not in ids:
            act["about"].pop("member", None)
    found["done to them"] = _done_to(tx, club_id, ids)
    owned = accounts_of(tx, ids)
    found["forms"] = [_record(row) for row in _drafts(tx, club_id, owned)]
    return found


def _record(row: Row) -> dict[str, Any]:
    return {name: _value(name, row[name]) for name in row.keys()}  # noqa: SIM118  a row is no dict


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name == "at" or name.endswith("_at"):
        return from_us(value).isoformat()
    if name in _TRUE:
        return bool(value)
    return json.loads(value) if name in ("about", "ballot", "fields") else value


def _done_to(tx: Tx, club_id: int, ids: Collection[int]) -> list[dict[str, Any]]:
    """What others did that was about the member, without who did it: blocked, named an organiser."""
    rows = tx.rows(
        "SELECT at, what, about FROM act WHERE club_id = :club AND what IN"
        " ('block', 'unblock', 'organisers.add', 'organisers.remove') ORDER BY id",
        club=club_id,
    )
    return [
        {"at": from_us(row[0]).isoformat(), "what": row[1]}
        for row in rows
        if json.loads(row[2]).get("member") in ids
    ]


def _account_rows(tx: Tx, ids: Collection[int]) -> list[int]:
    return [int(row[0]) for row in tx.rows(f"SELECT id FROM account WHERE member_id IN {_in(ids)}")]


def accounts_of(tx: Tx, ids: Collection[int]) -> list[Account]:
    """The member's accounts as the platforms name them."""
    rows = tx.rows(
        f"SELECT platform, workspace, native_id FROM account WHERE member_id IN {_in(ids)} ORDER BY id"
    )
    return [Account(row[0], row[1], row[2]) for row in rows]


def _owners(accounts: Collection[Account]) -> list[str]:
    """Accounts as drafts and choices name them, also as they are in private messages, which are in no workspace."""
    every = ([a.platform, space, a.user_id] for a in accounts for space in dict.fromkeys((a.workspace, "")))
    return [json.dumps(each) for each in every]


def _drafts(tx: Tx, club_id: int, accounts: Collection[Account]) -> list[Row]:
    found: list[Row] = []
    for owner in _owners(accounts):
        found += tx.rows(
            "SELECT form, fields, created_at FROM draft WHERE account = :account"
            " AND (club_id = :club OR club_id IS NULL) ORDER BY id",
            account=owner,
            club=club_id,
        )
    return found


# ---- taken out ----

_FORGET = (
    "DELETE FROM saved WHERE member_id IN {ids}",
    "DELETE FROM load WHERE member_id IN {ids}",
    "DELETE FROM backer WHERE member_id IN {ids}",
    "DELETE FROM link_code WHERE account_id IN {accounts}",
    "DELETE FROM link WHERE first_id IN {accounts} OR second_id IN {accounts}",
    "DELETE FROM delivery WHERE account_id IN {accounts}",
    "DELETE FROM account WHERE id IN {accounts}",
)


def forget_rows(tx: Tx, club_id: int, ids: Sequence[int], now: datetime) -> None:
    """Empty or delete all that is the member's own; their rows stay, without a name, for what hangs from them.

    Ballots are not touched here, nor whose receipts are whose: see `forget_receipts`.
    """
    here = {"ids": _in(ids), "accounts": _in(_account_rows(tx, ids))}
    for owner in _owners(accounts_of(tx, ids)):
        tx.run(
            "DELETE FROM draft WHERE account = :account AND (club_id = :club OR club_id IS NULL)",
            account=owner,
            club=club_id,
        )
        tx.run(
            "DELETE FROM kept WHERE substr(name, 1, length(:owner)) = :owner AND value = :club",
            owner=f"choice:{owner[:-1]},",
            club=str(club_id),
        )
    for statement in _FORGET:
        tx.run(statement.format(**here))
    tx.run(
        "UPDATE member SET name = '', organiser = 0, remind = 0, blocked_at = NULL, apart_at = NULL,"
        f" left_at = COALESCE(left_at, :at), forgotten_at = :at WHERE id IN {_in(ids)}",
        at=to_us(now),
    )


def forget_in_results(
    tx: Tx, club_id: int, ids: Collection[int], names: Collection[str], former: str
) -> None:
    """Take the member's name out of what closed votes say: from beside their ballot, and from ties they decided.

    The ballot is found by its receipt, and where nobody can tell any more whose that was, by their `names`. Where
    a name stood in a sheet, `former` stands instead.
    """
    mine = _last_words(tx, ids)
    decided = _decided(tx, club_id, ids)
    closed = tx.rows(
        "SELECT r.id, r.result, r.sheet, EXISTS (SELECT 1 FROM receipt w WHERE w.round_id = r.id) AS told"
        " FROM round r WHERE r.club_id = :club AND r.result IS NOT NULL",
        club=club_id,
    )
    for row in closed:
        result, sheet = json.loads(row["result"]), json.loads(row["sheet"] or "null")
        _unname(result, sheet, mine.get(row["id"], {}), () if row["told"] else names, former)
        if result.get("decided_by") and (row["id"] in decided or result["decided_by"] in names):
            result["decided_by"] = ""
            if sheet is not None and "decided_by" in sheet["published result"]:
                sheet["published result"]["decided_by"] = former
        changed = (result, sheet) != (json.loads(row["result"]), json.loads(row["sheet"] or "null"))
        if changed:
            tx.run(
                "UPDATE round SET result = :result, sheet = :sheet WHERE id = :id",
                id=row["id"],
                result=json.dumps(result, ensure_ascii=False),
                sheet=None if sheet is None else laid_out(sheet),
            )


def _last_words(tx: Tx, ids: Collection[int]) -> dict[int, dict[str, list[int]]]:
    """By round and receipt, the member's ballots as they stand."""
    found: dict[int, dict[str, list[int]]] = {}
    for row in tx.rows(
        "SELECT b.round_id, b.receipt, b.payload FROM receipt w JOIN ballot_event b ON b.round_id = w.round_id"
        f" AND b.voter = w.voter WHERE w.member_id IN {_in(ids)} ORDER BY b.round_id, b.seq"
    ):
        found.setdefault(int(row[0]), {})[str(row[1])] = json.loads(row[2] or "[]")
    return found


def _decided(tx: Tx, club_id: int, ids: Collection[int]) -> set[int]:
    """The rounds whose tie the member decided."""
    rows = tx.rows(
        f"SELECT about FROM act WHERE club_id = :club AND what = 'decide' AND member_id IN {_in(ids)}",
        club=club_id,
    )
    return {int(json.loads(row[0]).get("round", 0)) for row in rows}


def _unname(
    result: dict[str, Any],
    sheet: dict[str, Any] | None,
    mine: Mapping[str, list[int]],
    names: Collection[str],
    former: str,
) -> None:
    """Empty the name beside one's own ballot in a result, and put `former` there in its sheet."""
    for ballot in sheet["ballots"] if sheet is not None else ():
        if "member" not in ballot:
            continue
        if ballot["receipt"] in mine:
            _unname_one(result["named"], ballot["member"], mine[ballot["receipt"]])
            ballot["member"] = former
        elif ballot["member"] in names:
            ballot["member"] = former
    for entry in result.get("named", ()):
        if entry[0] in names:
            entry[0] = ""


def _unname_one(named: list[list[Any]], name: str, positions: list[int]) -> None:
    """Of namesakes, the one with this ballot; candidates that were withdrawn stand in none."""
    fits = [entry for entry in named if entry[0] == name]
    fits.sort(key=lambda entry: not set(entry[1]) <= set(positions))
    if fits:
        fits[0][0] = ""


# ---- what they nominated and still stands ----


def forget_reasons(tx: Tx, ids: Collection[int]) -> None:
    """Delete what they wrote beside their nominations; before any of these passes to somebody else."""
    tx.run(f"UPDATE nomination SET reason = '' WHERE member_id IN {_in(ids)}")


def open_nominations(tx: Tx, ids: Collection[int]) -> list[tuple[int, int | None, bool]]:
    """Each with its first backer among others, if any, and whether it stands in a vote that is not decided yet."""
    mine = _in(ids)
    rows = tx.rows(
        "SELECT n.id, (SELECT b.member_id FROM backer b WHERE b.nomination_id = n.id"
        f" AND b.member_id NOT IN {mine} ORDER BY b.created_at, b.member_id LIMIT 1),"
        " EXISTS (SELECT 1 FROM candidate c JOIN round r ON r.id = c.round_id WHERE c.nomination_id = n.id"
        " AND c.withdrawn_at IS NULL AND (r.state = 'voting' OR r.outcome = 'waiting'))"
        f" FROM nomination n WHERE n.member_id IN {mine} AND n.state = 'open' ORDER BY n.id"
    )
    return [(int(row[0]), row[1], bool(row[2])) for row in rows]
