"""Writes docs/floor/FLOOR_MESSAGES.md from the payload models of the floor."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from controller.floor.messages import (
    LARGEST_PAYLOAD,
    RETAINED,
    ROOT,
    TO_TABLE,
    VERSION,
    Alive,
    Birth,
    Cosignature,
    DriftWarning,
    Events,
    FaultState,
    Kind,
    LogHead,
    Need,
    Payload,
    Reply,
    Request,
    State,
    StoredPosition,
)
from controller.floor.settings import FloorFile
from controller.floor.table.outbox import ASK_EVERY, LONGEST_RESEND, RESEND, WINDOW
from controller.floor.table.session import EVERY, LAST_EVENTS, STATE_EVERY

KINDS: dict[Kind, type[Payload]] = {
    "alive": Alive,
    "birth": Birth,
    "state": State,
    "events": Events,
    "position": StoredPosition,
    "request": Request,
    "reply": Reply,
    "head": LogHead,
    "cosignature": Cosignature,
}
PARTS: tuple[type[Payload], ...] = (FaultState, Need, DriftWarning)

_INTRODUCTION = f"""\
# Messages between tables and the floor

This page is generated from `controller/floor/messages.py` by `make docs`. Both sides use that code.
[FLOOR.md](FLOOR.md) describes the floor as a whole.

## Topics

Every topic is `{ROOT}/FLOOR/TABLE/KIND`. FLOOR and TABLE are names of 1 to 63 of the
characters `a-z`, `0-9`, `-` and `_`. The protocol is MQTT 5; every message has QoS 1. Payloads are
JSON in UTF-8 of at most {LARGEST_PAYLOAD // 1024} KiB; a receiver drops a longer one without
parsing it. A receiver ignores fields that it has no use for. The number {VERSION} in
the topic is raised when a payload changes so that an older receiver would read it wrongly.

| kind | published by | retained | payload |
|---|---|---|---|
"""

_EXCHANGE = f"""\

## One connection

1. The table connects with a will: `alive` with `online: false`, retained.
2. It subscribes to its `position`, `request` and `cosignature`, and publishes `alive`, `birth` and
   `state`. The birth has a random id, which every later message of the connection carries.
3. It publishes `state` and `events` in turn, at most one message in {EVERY:g} s, and a state at
   least every {STATE_EVERY:g} s.
4. A table whose service is stopped sends its last events, waits up to {LAST_EVENTS:g} s until the
   floor has stored them, and publishes `alive` with `online: false` and `switched_off: true`. If
   the connection is lost, the broker publishes the will.

The table connects again after 1 to 15 s, with a new birth.

## Events are stored exactly once

The audit log on the table's disk is the outbox: an event is on disk before it is sent, and it can
be sent again at any time. `events` contains consecutive lines of the log from index `first` on.
The floor stores a message in one database transaction, which also moves the position of the log,
and then publishes `position`.

- A message that begins above the position is dropped, and the floor repeats its position with
  `resend`. It also answers a birth with `resend`: before it read the birth, for example when it
  started, it may have missed messages.
- Lines below the position are skipped: the floor has them.
- If `before` is not the hash of the last stored event, nothing is stored, and the floor shows that
  the table's log contradicts its earlier events.
- The table sends at most {WINDOW} messages without an answer. It sends them again after
  each new connection, when an answer has `resend`, and when no answer has brought a new position
  for {RESEND:g} s, or for twice as long as the last answer took. If no new position follows, the
  table waits twice as long the next time. It waits {LONGEST_RESEND:g} s at most. Messages that are
  sent twice keep a busy floor busy.

So every message can be lost, repeated or delayed, and the broker needs no disk.

## Requests

A request asks the table for something that a person on the floor wants: `take_out_of_play`,
`put_in_play` or `choose_next`. The table's own file lists the keys that may request something, and
what. A request is executed only if its Ed25519 signature is valid for this floor and this table,
its birth is that of the present connection, and its number is higher than every earlier one of the
key in this connection. The table answers with `reply`, and refuses as it would refuse a person. No
request moves anything by itself. A forged or repeated request gets no reply.

The signature covers the canonical JSON (RFC 8785) of the request without `signature` and with
`context` (`wallwright-floor-request-1`), `floor` and `table`.

## Cosignatures

A table whose file has the floor's key as `witness` sends a signed head of its log at most every
{ASK_EVERY:g} s, after the floor has stored every event below it. The floor computes the root of its
own stored events of that size. If the root and the signature of the log's key are right, it answers
with `cosignature`, the line of a witness (C2SP `cosignature/v1`); if not, it shows the table as one
whose log it refuses, and sends no answer. The key of the log is the one that the first stored event
names, and later ones that stored events introduce.
"""

_SETTINGS = """\

## The table's file

`wallwright serve --floor FILE` joins a table to a floor. Paths of certificates are relative to the
file. Without certificates the broker must be on the same computer.

```yaml
"""


def page() -> str:
    """The text of the page."""
    return "".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    for kind, model in KINDS.items():
        sender = "floor" if kind in TO_TABLE else "table"
        kept = "yes" if kind in RETAINED else "no"
        yield f"| `{kind}` | {sender} | {kept} | [{model.__name__}](#{model.__name__.lower()}) |\n"
    yield _EXCHANGE
    yield "\n## Payloads\n"
    for model in (*KINDS.values(), *PARTS):
        yield f"\n### {model.__name__}\n\n{_description(model)}\n\n| field | value |\n|---|---|\n"
        schema = model.model_json_schema()
        for name, field in schema["properties"].items():
            yield f"| `{name}` | {_value(field)} |\n"
    yield _SETTINGS
    text = inspect.getdoc(inspect.getmodule(FloorFile)) or ""
    yield "\n".join(text.splitlines()[2:]) + "\n```\n"
    yield "\n| key | value |\n|---|---|\n"
    for name, field in FloorFile.model_json_schema()["properties"].items():
        yield f"| `{name}` | {_value(field)} |\n"


def _description(model: type[Payload]) -> str:
    return inspect.cleandoc(model.__doc__ or "")


def _value(field: dict[str, Any]) -> str:
    """A field's type and limits in words."""
    if "anyOf" in field:
        return " or ".join(_value(each) for each in field["anyOf"])
    if "$ref" in field:
        name = str(field["$ref"]).rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})" if name in _LINKED else f"object ({name})"
    kind = {"null": "null", "object": "object"}.get(field.get("type", ""), field.get("type", "any"))
    if "const" in field:
        return f'`"{field["const"]}"`'
    words = [str(kind)]
    if kind == "array":
        words.append(f"of {_value(field['items'])}")
    for key, text in _LIMITS.items():
        if key in field:
            words.append(text.format(field[key]).replace("|", "\\|"))
    if "default" in field:
        words.append(f"(default `{field['default']!r}`)")
    return ", ".join([" ".join(words[:2]), *words[2:]]) if kind == "array" else ", ".join(words)


_LINKED = {model.__name__ for model in (*KINDS.values(), *PARTS)}
_LIMITS = {
    "pattern": "pattern `{}`",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "enum": "one of {}",
}
