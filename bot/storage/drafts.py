"""Form values that could not be taken yet, so that nothing typed is lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from bot.clubs.model import Account
from bot.messages.codec import decode, encode
from bot.messages.model import Form
from bot.storage.database import Tx, to_us

KEPT = timedelta(days=7)
MOST = 20
"""Drafts kept of one account; older ones give way."""


def _owner(account: Account) -> str:
    return json.dumps([account.platform, account.workspace, account.user_id])


def put_draft(
    tx: Tx, club_id: int | None, account: Account, form: str, fields: Mapping[str, str], now: datetime
) -> int:
    """Keep what an account typed into a form; its number. Drafts older than a week fall away."""
    tx.run("DELETE FROM draft WHERE created_at < :before", before=to_us(now - KEPT))
    rows = tx.rows(
        "INSERT INTO draft (club_id, account, form, fields, created_at)"
        " VALUES (:club, :account, :form, :fields, :now) RETURNING id",
        club=club_id,
        account=_owner(account),
        form=form,
        fields=json.dumps(dict(fields), ensure_ascii=False),
        now=to_us(now),
    )
    tx.run(
        "DELETE FROM draft WHERE account = :account AND id NOT IN"
        " (SELECT id FROM draft WHERE account = :account ORDER BY id DESC LIMIT :most)",
        account=_owner(account),
        most=MOST,
    )
    return int(rows[0][0])


FORM = "form"
"""The kind of a draft that holds a whole form with its faults."""


def put_form(tx: Tx, club_id: int | None, account: Account, form: Form, now: datetime) -> int:
    """Keep a form with what was typed and what is wrong with it; its number."""
    return put_draft(tx, club_id, account, FORM, {FORM: encode(form)}, now)


def find_form(tx: Tx, draft: str, account: Account) -> Form | None:
    """The form this account left, as it was kept; None for a stranger's, an old or an unreadable one."""
    kept = find_draft(tx, draft, account, FORM)
    try:
        return None if kept is None else decode(kept[FORM], Form)
    except ValueError:  # kept by another version
        return None


def find_draft(tx: Tx, draft: str, account: Account, form: str) -> dict[str, str] | None:
    """What this account typed; nobody else's draft is ever given out."""
    if not draft.isascii() or not draft.isdigit() or len(draft) > 18:
        return None
    rows = tx.rows(
        "SELECT fields FROM draft WHERE id = :id AND account = :account AND form = :form",
        id=int(draft),
        account=_owner(account),
        form=form,
    )
    return {str(k): str(v) for k, v in json.loads(rows[0][0]).items()} if rows else None


def drop_draft(tx: Tx, draft: str, account: Account) -> None:
    """A draft that was taken is not needed any more."""
    if draft.isascii() and draft.isdigit() and len(draft) <= 18:
        tx.run(
            "DELETE FROM draft WHERE id = :id AND account = :account", id=int(draft), account=_owner(account)
        )
