"""Topics and payloads between tables and the floor, version 1; the same code on both sides.

A topic is `wallwright/1/FLOOR/TABLE/KIND`. The version in it is raised when a payload changes so
that an older receiver would read it wrongly. A broker can limit each table to the topics below its
own name.

Payloads are JSON values. Times are the sender's computer time in UTC as ISO 8601 texts. A birth is
a random id that a table chooses when it connects; messages carry it, so that a late message of an
older connection is known. A request is signed, so that it is valid once, for one table, after one
birth.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controller.records.audit.canonical_json import canonical
from controller.records.audit.notes import SigningKey, VerifierKey
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


LARGEST_PAYLOAD = 256 * 1024
"""Bytes of the largest payload; a receiver drops a longer one without parsing it."""
LARGEST_BATCH = 128 * 1024
"""Bytes of events in one message; one event that is longer travels alone, up to the limit above."""
MOST_EVENTS = 500
"""Events in one message."""
MOST_NEEDS, MOST_DRIFT = 20, 50
"""Prompts and drift warnings in one state."""

BirthId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
LogId = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Time = Annotated[
    str,
    Field(pattern=r"^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{3}Z$"),
]
Index = Annotated[int, Field(ge=0, le=2**53)]
Title = Annotated[str, Field(max_length=80)]
Words = Annotated[str, Field(max_length=500)]


class PayloadError(WallwrightError, ValueError):
    """A payload that is too long, is not JSON, or has other fields than its kind."""


class Payload(BaseModel):
    """Base of the payloads: frozen. Unknown fields are ignored: a newer sender can add some."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Alive(Payload):
    """Whether the table is connected. The broker publishes `online: false` as the table's will.

    `switched_off` says that the table's service was stopped as intended, so that the table needs no
    person.
    """

    online: bool
    birth: BirthId
    switched_off: bool = False


class Birth(Payload):
    """Facts of the table, published in each connection before every other message but `alive`.

    `log` identifies the audit log: the hash of its first event. `size` is the number of its events.
    `state_every` is the longest time between two state messages, seconds.
    """

    birth: BirthId
    at: Time
    title: Title
    software: Annotated[str, Field(max_length=60)]
    identity: Annotated[str, Field(max_length=100)]
    simulated: bool
    seats: Annotated[int, Field(ge=0, le=16)]
    log: LogId | None
    size: Index
    state_every: Annotated[float, Field(gt=0, le=3600)]


class FaultState(Payload):
    """The fault that stopped the table, in words for people."""

    code: Annotated[str, Field(max_length=60)]
    part: Annotated[str, Field(max_length=100)]
    evidence: Words
    cure: Words
    role: Annotated[str, Field(max_length=20)]
    since: Time


class Need(Payload):
    """A prompt that a person at the table has to answer, and since when it is open."""

    who: Annotated[str, Field(max_length=20)]
    sentence: Words
    since: Time


class DriftWarning(Payload):
    """A figure of the machine that moves towards its limit."""

    part: Annotated[str, Field(max_length=100)]
    sentence: Words


class TableState(Payload):
    """The present activity of a table, for people on the floor.

    `service` is idle, session, service_mode, stopping or fault; `under`, `top` and `mode` are
    states of the state machine. `needs` has the longest open one first.
    """

    service: Annotated[str, Field(max_length=20)]
    sentence: Words
    under: Annotated[str, Field(max_length=20)]
    top: Annotated[str, Field(max_length=20)]
    mode: Annotated[str, Field(max_length=20)]
    game: Annotated[str, Field(max_length=60)]
    rounds: Index
    tiles_expected: Index
    tiles_accounted: Index
    out_of_play: bool
    fault: FaultState | None
    needs: Annotated[tuple[Need, ...], Field(max_length=MOST_NEEDS)]
    drift: Annotated[tuple[DriftWarning, ...], Field(max_length=MOST_DRIFT)]


class State(TableState):
    """The table's state at one time. `sequence` counts the state messages of this birth from 0."""

    birth: BirthId
    sequence: Index
    at: Time


class Events(Payload):
    """Consecutive events of the table's audit log, from index `first`, each as its canonical line.

    `before` is the leaf hash of the event before `first`, empty for the first event of the log. The
    floor stores a batch only if it continues the events that it has.
    """

    birth: BirthId
    log: LogId
    first: Index
    before: Hash | Literal[""]
    lines: Annotated[
        tuple[Annotated[str, Field(max_length=LARGEST_PAYLOAD)], ...],
        Field(min_length=1, max_length=MOST_EVENTS),
    ]


class StoredPosition(Payload):
    """The floor has every event of the log below index `next` in its database.

    With `again`, the table repeats its birth and its state, because the floor has missed a message.
    With `resend`, the table sends again what it has sent from `next` on: the floor has dropped a
    message because events before it are missing, or it answers a birth and may have missed some.
    With `retired`, the floor has retired the table and stores nothing of it; `next` is then 0.
    """

    birth: BirthId
    log: LogId | None
    next: Index
    again: bool = False
    resend: bool = False
    retired: bool = False


class Request(Payload):
    """A person on the floor asks the table for something, which the table may refuse.

    `signature` is an Ed25519 signature, base64, of `messages.signed_text`. `number` is
    higher than that of every earlier request with the same key.
    """

    birth: BirthId
    number: Index
    at: Time
    name: Annotated[str, Field(max_length=40)]
    arguments: dict[str, Any]
    who: Annotated[str, Field(max_length=60)]
    role: Annotated[str, Field(max_length=20)]
    key: Annotated[str, Field(max_length=100)]
    signature: Annotated[str, Field(max_length=200)]


class Reply(Payload):
    """The table's answer to a request, by its number and its key."""

    birth: BirthId
    key: Annotated[str, Field(max_length=100)]
    number: Index
    accepted: bool
    sentence: Words


class LogHead(Payload):
    """A signed head of the table's audit log, which the floor is asked to cosign.

    `note` is a C2SP checkpoint. The floor has stored every event below its size.
    """

    birth: BirthId
    log: LogId
    note: Annotated[str, Field(max_length=4000)]


class Cosignature(Payload):
    """The floor's cosignature of a head: `line` is the signature line of a witness (C2SP).

    The floor signs only if its own stored events have the size and the root of the head.
    """

    birth: BirthId
    log: LogId
    line: Annotated[str, Field(max_length=1000)]


AnyPayload = TypeVar("AnyPayload", bound=Payload)


def fitting_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The first lines that fit in one message of events; none if the first one is too long."""
    total, fitting = 0, list[str]()
    for line in lines:
        # Quotation marks and backslashes of a line take a second byte in the payload.
        total += len(line.encode()) + line.count('"') + line.count("\\") + 3
        if fitting and total > LARGEST_BATCH:
            break
        fitting.append(line)
    return tuple(fitting) if total < LARGEST_PAYLOAD or len(fitting) > 1 else ()


def parsed(kind: type[AnyPayload], data: bytes) -> AnyPayload:
    """Parse a payload of one kind. Raises PayloadError with the first defect."""
    if len(data) > LARGEST_PAYLOAD:
        raise PayloadError(f"A payload has {len(data)} bytes; at most {LARGEST_PAYLOAD} are read.")
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        defect = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in defect["loc"])
        raise PayloadError(
            f"The payload is no {kind.__name__}: {f'{where}: ' if where else ''}{defect['msg']}."
        ) from None


def encoded(payload: Payload) -> bytes:
    """The payload as JSON in UTF-8."""
    return payload.model_dump_json().encode()


_CONTEXT = "wallwright-floor-request-1"


def signed_text(request: Request, to: TableAddress) -> bytes:
    """The bytes that a request's signature covers: canonical JSON. Raises NotCanonicalError."""
    fields = request.model_dump(mode="json", exclude={"signature"})
    return canonical({"context": _CONTEXT, "floor": to.floor, "table": to.table, **fields})


def signed(request: Request, to: TableAddress, key: SigningKey) -> Request:
    """The request with its signature and the name of its key."""
    named = request.model_copy(update={"key": key.public.name})
    signature = base64.b64encode(key.sign(signed_text(named, to))).decode()
    return named.model_copy(update={"signature": signature})


def is_signed_by(request: Request, to: TableAddress, key: VerifierKey) -> bool:
    """Whether the request carries a signature of this key for this table."""
    try:
        signature = base64.b64decode(request.signature, validate=True)
    except (binascii.Error, ValueError):
        return False
    return key.verify(signature, signed_text(request, to))
