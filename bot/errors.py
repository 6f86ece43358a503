"""The tree of errors. Errors carry values; messages/ turns them into sentences.

PaperclubError
├── UserError            the person can mend it: always answered privately, never logged as a fault
│   ├── NotFound(kind, wanted, …)        an id, topic, nomination or round that is not there
│   ├── NotAllowed(who)                  needs an organiser, or a member the rule admits
│   ├── BadInput(field, reason, …)       a value that cannot be used; `field` names the form field or argument
│   ├── LimitReached(what, limit)        too many open nominations, writes a minute, candidates
│   └── Conflict(reason, …)              asked too late or twice: a closed vote, an old button, a frozen list
├── DeliveryError
│   ├── Refused(reason, retry_after)     nothing went out: try again by the plan
│   └── Uncertain(reason)                it may have gone out: look before sending again
├── TokenRefused(platform, setting, why) the platform does not take our token: trying again does not help
└── StoreError
    ├── NotOurs(path)                    a file that is no Paperclub database
    ├── TooNew(path, found, known)       written by a newer program
    ├── ReadOnly(path)                   may not be written
    └── Damaged(path, reason)            the engine cannot read it
"""

from __future__ import annotations

from typing import Any


class PaperclubError(Exception):
    """The root: everything Paperclub raises on purpose."""


class UserError(PaperclubError):
    """The person asking can mend it. `key` names the sentence in messages/pages/faults.py, `values` fill it."""

    def __init__(self, key: str, **values: Any) -> None:
        super().__init__(key)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        return f"{self.key} {self.values}" if self.values else self.key


class NotFound(UserError):
    """Something named does not exist, or not for this club."""


class NotAllowed(UserError):
    """The person may not do this here."""


class BadInput(UserError):
    """A value that cannot be used; `field` (may be empty) says which one."""

    def __init__(self, key: str, field: str = "", **values: Any) -> None:
        super().__init__(key, **values)
        self.field = field


class LimitReached(UserError):
    """One too many of something that is limited."""


class Conflict(UserError):
    """The state has moved on: too late, twice, or not now."""


class DeliveryError(PaperclubError):
    """A platform did not simply say yes. `reason` is a short code such as 'forbidden', 'gone', 'network'."""

    def __init__(self, reason: str, *, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


class Refused(DeliveryError):
    """Nothing went out; `retry_after` in seconds when the platform named it."""


class Uncertain(DeliveryError):
    """It may have gone out: ask the platform with `find_sent` before sending again."""


class TokenRefused(PaperclubError):
    """A platform does not take our token (any more), so the adapter ends. `setting` is where it comes from.

    `platform` is the name people know, such as 'Discord'. The token itself is in no error. `why` is 'token' for a
    wrong one, 'intents' for a bot that may not hear what we ask for, 'sharding' for one in too many servers,
    'version' for a platform that speaks another language by now.
    """

    def __init__(self, platform: str, setting: str, why: str = "token") -> None:
        super().__init__(f"{platform} refuses {setting} ({why})")
        self.platform = platform
        self.setting = setting
        self.why = why


class StoreError(PaperclubError):
    """The store cannot be used as asked. `path` is the file or address."""

    def __init__(self, path: str, reason: str = "") -> None:
        super().__init__(f"{path}: {reason}" if reason else path)
        self.path = path
        self.reason = reason


class NotOurs(StoreError):
    """The file is a database of something else, or no database."""


class TooNew(StoreError):
    """A newer Paperclub wrote it."""


class ReadOnly(StoreError):
    """It may not be written."""


class Damaged(StoreError):
    """The engine cannot read it."""
