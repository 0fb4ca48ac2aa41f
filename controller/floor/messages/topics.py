"""Topics: `wallwright/1/FLOOR/TABLE/KIND`.

The version in the topic is raised when a payload changes so that an older receiver would read it
wrongly. A broker can limit each table to the topics below its own name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from rules.errors import WallwrightError

VERSION = 1
ROOT = f"wallwright/{VERSION}"
Kind = Literal[
    "alive", "birth", "state", "events", "position", "request", "reply", "head", "cosignature"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
TO_TABLE: tuple[Kind, ...] = ("position", "request", "cosignature")
"""Kinds that the floor publishes; a table publishes the others."""
RETAINED: tuple[Kind, ...] = ("alive", "birth", "state")
"""Kinds of which the broker keeps the last message for a floor that starts later."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
"""Names of floors and tables: no character with a meaning in a topic, a file name or a page."""


class TopicError(WallwrightError, ValueError):
    """A text that is not a name, or a topic that is not one of a table."""


def require_name(text: str, what: str) -> str:
    """Return the name. Raises TopicError; `what` says what is named, such as `floor`."""
    if NAME.fullmatch(text) is None:
        raise TopicError(
            f"{text[:80]!r} cannot name a {what}; use 1 to 63 characters of a-z, 0-9, - and _, and"
            " begin with a letter or a digit."
        )
    return text


@dataclass(frozen=True, order=True)
class TableAddress:
    """One table of a floor, by the names in its topics. Raises TopicError."""

    floor: str
    table: str

    def __post_init__(self) -> None:
        require_name(self.floor, "floor")
        require_name(self.table, "table")

    def topic(self, kind: Kind) -> str:
        """The topic of this table's messages of one kind."""
        return f"{ROOT}/{self.floor}/{self.table}/{kind}"

    def __str__(self) -> str:
        return f"{self.floor}/{self.table}"


def every_table(floor: str, kind: Kind) -> str:
    """The subscription to one kind of message of every table of a floor."""
    return f"{ROOT}/{require_name(floor, 'floor')}/+/{kind}"


def address_and_kind(topic: str) -> tuple[TableAddress, Kind]:
    """The table and the kind of a topic. Raises TopicError."""
    parts = topic.split("/")
    if len(parts) == 5 and "/".join(parts[:2]) == ROOT:
        for kind in KINDS:
            if parts[4] == kind:
                return TableAddress(parts[2], parts[3]), kind
    raise TopicError(f"{topic[:200]!r} is not a topic of a table.")
