"""Files in Slack: brought to the host Slack names, shared once, and found again by the code in their title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from slack_sdk.errors import SlackApiError

from adapters.slack.client import Connection
from adapters.slack.errors import FAILURES, delivery_error, error_code
from adapters.slack.marks import PLAIN, Prefixes, escape
from adapters.slack.render import blocks
from bot.errors import DeliveryError, Refused
from bot.messages.cut import length
from bot.messages.model import File, Message

Native = dict[str, Any]

_SIGNS = 8
"""Signs of a marker that make the code: 40 bits."""
_COMMENT = 3_900
_FORMAT = re.compile(r"[*_~`]")
_GAP, _TICK, _BAR = "\u200b", "ˋ", "¦"


class NoFiles(Exception):
    """The workspace did not allow files when the app was installed; nothing went out."""


async def upload(connection: Connection, file: File) -> str:
    """Bring a file to Slack, where nobody sees it yet; its id.

    Raises:
        NoFiles: the scope files:write is missing.
        Refused: it did not arrive; whatever happened on the way, nothing can be seen of it.
    """
    try:
        how = {"filename": file.name, "length": str(len(file.data))}
        opened = await connection.call("files.getUploadURLExternal", **how)
        await connection.upload(str(opened.get("upload_url")), file.data)
    except (*FAILURES, DeliveryError) as error:
        if isinstance(error, SlackApiError) and error_code(error) == "missing_scope":
            raise NoFiles from error
        said = delivery_error(error)
        raise Refused(said.reason, retry_after=said.retry_after) from error
    return str(opened.get("file_id"))


async def share(
    connection: Connection, uploaded: str, title: str, channel: str, words: str, thread: str | None = None
) -> None:
    """Show an uploaded file under a title, once: the call is never repeated. `words` are mrkdwn.

    Raises: as `Connection.call` does; of an answer that was lost nobody knows whether the file is seen.
    """
    shown = [{"id": uploaded, "title": title}]
    await connection.call(
        "files.completeUploadExternal",
        files=shown,
        channel_id=channel,
        initial_comment=words,
        thread_ts=thread,
    )


def titled(file: File, marker: str) -> str:
    """The file's name with the marker's code in it: 'round-5-abcdefgh.json'. Saved, it has its own name."""
    stem, dot, kind = file.name.rpartition(".")
    return f"{stem}-{marker[:_SIGNS]}.{kind}" if dot else f"{file.name}-{marker[:_SIGNS]}"


def carries(shown: Mapping[str, Any], marker: str) -> bool:
    """Whether a message holds the file of this marker, or names it in its words."""
    code = re.compile(rf"-{re.escape(marker[:_SIGNS])}(?![A-Za-z0-9])")
    files = [each for each in shown.get("files") or () if isinstance(each, Mapping)]
    said = [
        str(shown.get("text") or ""),
        *(str(each.get(key) or "") for each in files for key in ("name", "title")),
    ]
    return any(code.search(text) for text in said)


def comment(message: Message, file: File, marker: str, *, group: str = "", prefix: Prefixes = PLAIN) -> str:
    """The words of a message as mrkdwn, without its buttons, and below them the file's title: a file takes no blocks
    of every kind. Whatever anybody wrote in it stays words."""
    drawn = blocks(message, group=group, prefix=prefix, in_view=True)
    lines = [line for block in drawn for line in _written(block).strip().split("\n")]
    while lines and sum(1 + length(line) for line in lines) > _COMMENT:
        del lines[-1]
    return "\n".join([*lines, titled(file, marker)])


def _written(block: Native) -> str:
    match block["type"]:
        case "rich_text":
            return "\n".join(_part(part) for part in block["elements"])
        case "header":
            return _bold(_words(block["text"]["text"]))
        case "section":
            return _words(block["text"]["text"])
        case "context":
            return " ".join(_words(each["text"]) for each in block["elements"])
    return ""


def _part(part: Native) -> str:
    if part["type"] == "rich_text_list":
        return "\n".join(
            f"{number}. {_line(each['elements'])}" for number, each in enumerate(part["elements"], 1)
        )
    said = _line(part["elements"])
    return "\n".join(f"> {line}" for line in said.split("\n")) if part["type"] == "rich_text_quote" else said


def _line(elements: Iterable[Native]) -> str:
    return "".join(_element(each) for each in elements)


def _element(native: Native) -> str:
    match native["type"]:
        case "date":
            return f"<!date^{native['timestamp']}^{native['format']}|{escape(native['fallback'])}>"
        case "channel":
            return f"<#{native['channel_id']}>"
        case "usergroup":
            return f"<!subteam^{native['usergroup_id']}>"
        case "link":
            return f"<{escape(native['url'])}|{_words(native['text'].replace('|', _BAR))}>"
    style = native.get("style", {})
    if style.get("code"):
        return f"`{escape(native['text'].replace('`', _TICK))}`"
    lines = map(_words, native["text"].split("\n"))
    return "\n".join(map(_bold, lines) if style.get("bold") else lines)


def _bold(written: str) -> str:
    """Between stars, its blanks outside of them."""
    inside = written.strip()
    return written.replace(inside, f"*{inside}*", 1) if inside else written


def _words(text: str) -> str:
    """Words that format nothing and call nobody."""
    return _FORMAT.sub(lambda sign: f"{_GAP}{sign[0]}{_GAP}", escape(text))
