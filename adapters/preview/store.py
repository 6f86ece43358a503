"""What the preview remembers in tables of its own: what was said in its channels, where its clock is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from adapters.preview.errors import HoldsRealChannels
from bot.messages.codec import decode, encode
from bot.messages.model import Form, Message
from bot.storage.database import Database, Row, Tx, from_us, to_us
from bot.storage.heartbeat import beat

_TABLES = (
    """CREATE TABLE IF NOT EXISTS preview_message (
      id         INTEGER PRIMARY KEY,
      rev        INTEGER NOT NULL,   -- grows with every new or changed row: what a tab has not seen yet
      channel    TEXT NOT NULL,
      author     TEXT NOT NULL,      -- '' is the bot, else a member's user id
      at         INTEGER NOT NULL,   -- microseconds UTC of the preview's clock
      private_to TEXT,               -- the one user id who sees it; NULL: everybody
      answering  TEXT NOT NULL,      -- the command or button label this answers
      kind       TEXT NOT NULL,      -- message, form, talk, gone
      content    TEXT NOT NULL,      -- JSON of Message or Form, or a member's own words
      came_from  INTEGER,            -- the message whose button opened this form
      marker     TEXT UNIQUE,        -- of the delivery; NULL for answers and talk
      edited_at  INTEGER
    )""",
    "CREATE INDEX IF NOT EXISTS preview_message_new ON preview_message (channel, rev)",
    """CREATE TABLE IF NOT EXISTS preview_clock (
      id        INTEGER PRIMARY KEY CHECK (id = 1),
      offset_us INTEGER NOT NULL
    )""",
)
_NEXT_REV = "(SELECT COALESCE(MAX(rev), 0) + 1 FROM preview_message)"
_COLUMNS = "id, rev, channel, author, at, private_to, answering, kind, content, came_from, edited_at"

Kind = Literal["message", "form", "talk", "gone"]
Content = Message | Form | str


@dataclass(frozen=True, slots=True)
class Line:
    """One thing said in a channel. `content` is a Message, a Form, or a member's own words (str).

    A line that was taken back has kind 'gone' and empty words. Instants are of the preview's clock.
    """

    id: int
    rev: int
    channel: str
    author: str
    at: datetime
    private_to: str | None
    answering: str
    kind: Kind
    content: Content
    came_from: int | None = None
    edited_at: datetime | None = None


class PreviewStore:
    """The preview's own tables in the preview's own database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def prepare(self) -> None:
        """Make the tables where they are missing.

        Raises:
            HoldsRealChannels: a Discord or Slack channel is kept here; nothing was changed.
        """
        await self._database.read(_refuse_real_channels)
        await self._database.write(_create_tables)

    async def offset(self) -> timedelta | None:
        """How far the clock was moved; None before it ever was."""
        rows = await self._database.read(lambda tx: tx.rows("SELECT offset_us FROM preview_clock"))
        return timedelta(microseconds=rows[0]["offset_us"]) if rows else None

    async def put_offset(self, offset: timedelta, now: datetime) -> None:
        """Remember how far the clock is moved; it shows `now` then, and was not away in between."""
        value = offset // timedelta(microseconds=1)

        def write(tx: Tx) -> None:
            tx.run(
                "INSERT INTO preview_clock (id, offset_us) VALUES (1, :value) "
                "ON CONFLICT (id) DO UPDATE SET offset_us = excluded.offset_us",
                value=value,
            )
            beat(tx, now)

        await self._database.write(write)

    async def put(
        self,
        channel: str,
        content: Content,
        at: datetime,
        *,
        author: str = "",
        private_to: str | None = None,
        answering: str = "",
        came_from: int | None = None,
        marker: str | None = None,
    ) -> int:
        """Add a line; its id. A marker that is there already adds nothing and gives the line carrying it."""

        def write(tx: Tx) -> int:
            rows = tx.rows(
                "INSERT INTO preview_message "
                "(rev, channel, author, at, private_to, answering, kind, content, came_from, marker) "
                f"VALUES ({_NEXT_REV}, :channel, :author, :at, :private_to, :answering, :kind, :content, "
                ":came_from, :marker) ON CONFLICT (marker) DO NOTHING RETURNING id",
                channel=channel,
                author=author,
                at=to_us(at),
                private_to=private_to,
                answering=answering,
                kind=_kind_of(content),
                content=_text_of(content),
                came_from=came_from,
                marker=marker,
            ) or tx.rows("SELECT id FROM preview_message WHERE marker = :marker", marker=marker)
            return int(rows[0]["id"])

        return await self._database.write(write)

    async def replace(self, line_id: int, content: Content, at: datetime) -> bool:
        """Change what a line says, in its place; False when there is no such line (any more)."""
        changed = await self._database.write(
            lambda tx: tx.run(
                "UPDATE preview_message SET content = :content, kind = :kind, edited_at = :at, "
                f"rev = {_NEXT_REV} WHERE id = :id AND kind <> 'gone'",
                content=_text_of(content),
                kind=_kind_of(content),
                at=to_us(at),
                id=line_id,
            )
        )
        return changed > 0

    async def keep_typed(self, line_id: int, form: Form) -> None:
        """Remember what was typed into an open form so far, without redrawing it anywhere."""
        await self._database.write(
            lambda tx: tx.run(
                "UPDATE preview_message SET content = :content WHERE id = :id AND kind = 'form'",
                content=encode(form),
                id=line_id,
            )
        )

    async def take_back(self, line_id: int) -> None:
        """Remove a line from its channel."""
        await self._database.write(
            lambda tx: tx.run(
                f"UPDATE preview_message SET kind = 'gone', content = '', rev = {_NEXT_REV} WHERE id = :id",
                id=line_id,
            )
        )

    async def find(self, line_id: int) -> Line | None:
        """The line of this id, if it is there."""
        return await self._one("id = :id", id=line_id)

    async def find_marker(self, channel: str, marker: str) -> int | None:
        """The id of the line a delivery left in this channel, if it did."""
        rows = await self._database.read(
            lambda tx: tx.rows(
                "SELECT id FROM preview_message "
                "WHERE channel = :channel AND marker = :marker AND kind <> 'gone'",
                channel=channel,
                marker=marker,
            )
        )
        return int(rows[0]["id"]) if rows else None

    async def news(self, channel: str, viewer: str, seen: int) -> list[Line]:
        """What `viewer` may see in `channel` that is new or changed since revision `seen`, oldest first."""
        return await self._lines(
            "channel = :channel AND rev > :seen AND (private_to IS NULL OR private_to = :viewer) ORDER BY id",
            channel=channel,
            viewer=viewer,
            seen=seen,
        )

    async def latest(self, channel: str, viewer: str, limit: int) -> list[Line]:
        """The last `limit` lines `viewer` may see in `channel`, oldest first."""
        lines = await self._lines(
            "channel = :channel AND (private_to IS NULL OR private_to = :viewer) AND kind <> 'gone' "
            "ORDER BY id DESC LIMIT :limit",
            channel=channel,
            viewer=viewer,
            limit=limit,
        )
        return lines[::-1]

    async def revision(self) -> int:
        """The newest revision there is, in any channel."""
        rows = await self._database.read(
            lambda tx: tx.rows("SELECT COALESCE(MAX(rev), 0) AS rev FROM preview_message")
        )
        return int(rows[0]["rev"])

    async def clear(self) -> None:
        """Forget everything that was said."""
        await self._database.write(lambda tx: tx.run("DELETE FROM preview_message"))

    async def organisers(self, workspace: str) -> frozenset[str]:
        """User ids of the preview's members who are named organisers of their club."""
        rows = await self._database.read(
            lambda tx: tx.rows(
                "SELECT account.native_id AS id FROM account JOIN member ON member.id = account.member_id "
                "WHERE account.platform = 'preview' AND account.workspace = :workspace "
                "AND member.organiser = 1 AND member.left_at IS NULL",
                workspace=workspace,
            )
        )
        return frozenset(row["id"] for row in rows)

    async def _one(self, where: str, **params: object) -> Line | None:
        lines = await self._lines(where, **params)
        return lines[0] if lines else None

    async def _lines(self, where: str, **params: object) -> list[Line]:
        query = f"SELECT {_COLUMNS} FROM preview_message WHERE {where}"
        rows: Callable[[Tx], list[Row]] = lambda tx: tx.rows(query, **params)  # noqa: E731
        return [_line(row) for row in await self._database.read(rows)]


def _create_tables(tx: Tx) -> None:
    for statement in _TABLES:
        tx.run(statement)


def _refuse_real_channels(tx: Tx) -> None:
    rows = tx.rows("SELECT platform, name FROM channel WHERE platform <> 'preview' LIMIT 1")
    if rows:
        raise HoldsRealChannels(str(rows[0]["platform"]), str(rows[0]["name"]))


def _kind_of(content: Content) -> Kind:
    match content:
        case Message():
            return "message"
        case Form():
            return "form"
        case _:
            return "talk"


def _text_of(content: Content) -> str:
    return content if isinstance(content, str) else encode(content)


def _line(row: Row) -> Line:
    kind: Kind = row["kind"]
    content: Content = row["content"]
    if kind == "message":
        content = decode(row["content"], Message)
    elif kind == "form":
        content = decode(row["content"], Form)
    return Line(
        id=row["id"],
        rev=row["rev"],
        channel=row["channel"],
        author=row["author"],
        at=from_us(row["at"]),
        private_to=row["private_to"],
        answering=row["answering"],
        kind=kind,
        content=content,
        came_from=row["came_from"],
        edited_at=None if row["edited_at"] is None else from_us(row["edited_at"]),
    )
